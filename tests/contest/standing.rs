//! Who was behind in a game that was lost, by its incomplete log.

use std::fs;
use std::path::Path;

use referee_contest::runner::standing::LostStanding;
use referee_files::beneath::Spot;
use referee_files::log::part_of;
use referee_games::catalog;
use referee_rules::game::Game;
use referee_rules::{Parameters, Position, Seat, Seed, Thing};

const TURNS: u32 = 300;

/// Plays a game between bots that answer at random, to its end or for some turns, and writes its log after each turn.
/// `look` is called then.
fn play(name: &str, log: &Path, mut look: impl FnMut(&dyn Game)) {
    let entry = catalog::find(name).expect("a game");
    let parameters = Parameters::defaults(entry.parameters);
    let mut game = entry.start(&parameters, Seed(7));
    let mut record = referee_testutil::by_chance::begin_log("lost", &*game, &parameters, log);
    referee_testutil::by_chance::play(&mut *game, Seed(7), TURNS, &mut record, |game, record| {
        record.flush().expect("room on the disk");
        look(game);
    });
}

/// The seat with the lowest score, if no other has it.
fn behind(game: &dyn Game) -> Option<Seat> {
    let position = Position::of(game);
    let score = |seat: &Seat| position.get(Thing::SCORE, Some(*seat), None).expect("a score");
    let mut seats: Vec<Seat> = Seat::first(game.info().seats).collect();
    seats.sort_by_key(score);
    (score(&seats[0]) < score(&seats[1])).then_some(seats[0])
}

#[test]
fn the_log_of_a_lost_game_tells_who_alone_was_last_in_score_after_each_turn() {
    let place = tempfile::tempdir().expect("a folder");
    let read = |path: &Path| LostStanding::read(&Spot::from(path));
    for (game, ending) in [("football", "csv"), ("foosball", "csv.gz"), ("push", "csv.gz")] {
        let log = place.path().join(format!("{game}.{ending}"));
        let (part, torn) = (part_of(&log), place.path().join("torn"));
        let (mut seen, mut before): ([usize; 2], _) = ([0, 0], (LostStanding::default(), 0));
        play(game, &log, |now| {
            let due = LostStanding { turn: now.turn(), behind: behind(now) };
            assert_eq!(read(&part), due, "{game}");
            seen[usize::from(due.behind.is_some())] += 1;
            // The runner was killed while it wrote this turn.
            let bytes = fs::read(&part).expect("a log");
            let (standing, length) = before;
            fs::write(&torn, &bytes[..length + (bytes.len() - length) / 9]).expect("a part of it");
            assert_eq!(read(&torn), standing, "{game}, within a row of turn {}", now.turn() - 1);
            before = (due, bytes.len());
        });
        assert!(seen.iter().all(|count| *count > 0), "{game}: {seen:?}");
    }
}

#[test]
fn without_scores_before_the_end_or_without_a_log_nobody_is_known_to_be_behind() {
    let place = tempfile::tempdir().expect("a folder");
    let unknown = |path: &Path| {
        assert_eq!(LostStanding::read(&Spot::from(path)), LostStanding::default(), "{path:?}");
    };
    let log = place.path().join("target.csv");
    let mut turns = 0;
    play("target", &log, |game| {
        if game.outcome().is_none() {
            unknown(&part_of(&log));
            turns += 1;
        }
    });
    assert!(turns > 10, "{turns} turns");
    unknown(&place.path().join("missing"));
    for text in ["", "no log", "kind,turn\n"] {
        let path = place.path().join("other");
        fs::write(&path, text).expect("a file");
        unknown(&path);
    }
}
