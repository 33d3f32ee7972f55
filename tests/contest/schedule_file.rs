//! The schedule of a tournament in its file.

use std::collections::BTreeSet;

use referee_contest::plan::schedule_file::{Index, Text};
use referee_games::catalog;
use referee_record::Digest;
use referee_rules::{Parameters, Seed};
use referee_statistics::schedule::deal::{Pairing, round};

#[test]
fn lines_are_of_one_length_and_batches_of_whole_blocks_however_long_the_numbers_are() {
    let entry = catalog::find("football").unwrap();
    let parameters = Parameters::defaults(entry.parameters);
    let of_round = |number| round(Seed(7), (1, number), entry, &parameters, 8);
    let games: Vec<Pairing> = [99_998, 99_999, 100_000].into_iter().flat_map(of_round).collect();
    let text = Text::new(games.iter().cloned().map(|game| (game, 0)), 9);
    assert_eq!(text.count, 24);
    let folder = tempfile::tempdir().unwrap();
    let plan = Digest::of(b"a plan");
    std::fs::write(folder.path().join("schedule.txt"), &text.games).unwrap();
    std::fs::write(folder.path().join("schedule.idx"), text.index(&plan)).unwrap();
    let index = Index::read(folder.path(), &plan, &text.digest()).unwrap();
    // Blocks of four: nine games end in the third.
    let sizes: Vec<u32> = index.batches.iter().map(|batch| batch.games).collect();
    assert_eq!(sizes, [12, 12]);
    let read = (0..2).flat_map(|number| index.batch(folder.path(), number).unwrap());
    for (game, pairing) in read.zip(&games) {
        assert_eq!((game.scheduled, game.seed), (pairing.scheduled, pairing.seed));
        assert_eq!(game.entrants, pairing.entrants);
    }
    let lengths: BTreeSet<usize> = text.games.lines().map(str::len).collect();
    assert_eq!(lengths.len(), 1);
}
