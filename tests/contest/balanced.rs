//! Balanced deals: how often pairs meet, and the seats of bots.

use std::collections::BTreeSet;

use referee_games::catalog::{self, Entry};
use referee_rules::{Parameters, Seed};
use referee_statistics::schedule::balanced::circle;
use referee_statistics::schedule::deal::{Block, Pairing, balanced_rounds};

fn rounds(game: &str, entrants: usize, rounds: u32, block: Block) -> (&'static Entry, Vec<Vec<Pairing>>) {
    let entry = catalog::find(game).unwrap();
    let parameters = Parameters::defaults(entry.parameters);
    (entry, balanced_rounds(Seed(3), (1, rounds), entry, &parameters, entrants, block))
}

/// The spread of the numbers of tables at which two bots met.
fn unevenness(rounds: &[Vec<Pairing>], entrants: usize) -> u32 {
    let mut counts = vec![vec![0u32; entrants]; entrants];
    for game in rounds.iter().flatten().filter(|game| game.scheduled.rotation == 1) {
        let sits = game.entrants.iter().filter(|(seat, _)| !game.fillers.contains(seat));
        let bots: BTreeSet<usize> = sits.map(|(_, bot)| *bot).collect();
        for one in &bots {
            bots.range(one + 1..).for_each(|other| counts[*one][*other] += 1);
        }
    }
    let pairs = (0..entrants).flat_map(|one| (one + 1..entrants).map(move |other| (one, other)));
    let all: Vec<u32> = pairs.map(|(one, other)| counts[one][other]).collect();
    all.iter().max().unwrap() - all.iter().min().unwrap()
}

#[test]
fn meetings_at_tables_of_four_differ_by_at_most_two_or_three_where_a_table_is_not_full() {
    for entrants in [5, 6, 7, 8, 9, 12, 16, 20] {
        for count in [1, 7, 20, 33] {
            let (_, rounds) = rounds("football", entrants, count, Block::OneSeating);
            let found = unevenness(&rounds, entrants);
            // Six entrants cannot do better after seven rounds: the two at the small table meet no other bot.
            let allowed = if entrants % 4 == 0 { 2 } else { 3 };
            assert!(found <= allowed, "{entrants} entrants, {count} rounds: {found}");
        }
    }
}

#[test]
fn eight_at_tables_of_four_are_within_one_meeting_where_the_numbers_allow_it() {
    for count in [7, 14, 21] {
        let (_, rounds) = rounds("football", 8, count, Block::OneSeating);
        assert!(unevenness(&rounds, 8) <= 1, "{count} rounds");
    }
}

#[test]
fn at_tables_of_two_all_meet_once_before_any_meet_twice() {
    for entrants in [2, 4, 5, 8, 9, 16] {
        let cycle = (entrants + entrants % 2 - 1) as u32;
        let (_, rounds) = rounds("foosball", entrants, 3 * cycle, Block::OneSeating);
        for count in 1..=rounds.len() {
            let due = u32::from(!count.is_multiple_of(cycle as usize));
            assert!(unevenness(&rounds[..count], entrants) <= due, "{entrants} entrants, {count} rounds");
        }
    }
}

#[test]
fn every_bot_counts_equally_often_in_every_seat() {
    for (game, entrants, block) in [
        ("football", 8, Block::OneSeating),
        ("football", 6, Block::OneSeating),
        ("football", 8, Block::AllSeatings),
        ("football", 5, Block::AllSeatings),
        ("push", 12, Block::OneSeating),
        ("foosball", 7, Block::OneSeating),
    ] {
        let (_, rounds) = rounds(game, entrants, 5, block);
        let seats = rounds[0][0].entrants.len();
        let mut counts = vec![vec![0; seats]; entrants];
        for pairing in rounds.iter().flatten() {
            let sits = pairing.entrants.iter().filter(|(seat, _)| !pairing.fillers.contains(seat));
            sits.for_each(|(seat, bot)| counts[*bot][seat.index()] += 1);
        }
        let due = if block == Block::AllSeatings { 15 } else { 5 };
        assert_eq!(counts, vec![vec![due; seats]; entrants], "{game}, {entrants} entrants");
    }
}

#[test]
fn a_block_of_twelve_has_each_of_the_others_across_equally_often() {
    let (_, rounds) = rounds("football", 4, 1, Block::AllSeatings);
    assert_eq!(rounds[0].len(), 12);
    let mut across = [0; 4];
    for game in &rounds[0] {
        let seat = game.entrants.iter().find(|(_, bot)| **bot == 0).unwrap().0;
        across[game.entrants.as_slice()[3 - seat.index()]] += 1;
    }
    assert_eq!(across, [0, 4, 4, 4]);
}

#[test]
fn a_circle_of_an_odd_field_gives_each_one_bye() {
    let order = [3, 1, 4, 0, 2];
    let mut byes = Vec::new();
    let mut met = BTreeSet::new();
    for round in 0..5 {
        for (one, other) in circle(&order, round) {
            match other {
                Some(other) => assert!(met.insert((one.min(other), one.max(other))), "twice: {one} {other}"),
                None => byes.push(one),
            }
        }
    }
    byes.sort_unstable();
    assert_eq!((byes, met.len()), (vec![0, 1, 2, 3, 4], 10));
}
