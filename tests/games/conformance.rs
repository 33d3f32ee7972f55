//! The requirements on every game of the catalog, played at random: one suite for all of them.

use std::fmt::Debug;

use crate::simulated::SimulatedTable;
use referee_files::audit::audit_log;
use referee_files::log::LogFile;
use referee_games::catalog::{self, Entry, GAMES, Visitor};
use referee_games::football::Football;
use referee_record::log::GameLog;
use referee_record::play::play;
use referee_record::{BotName, Digest, Heading};
use referee_rules::conformance::{self, check_outcome, entrants, short};
use referee_rules::game::{Game, read_question};
use referee_rules::{BySeat, Dice, FaultKind, Listed, Parameters, Seat, Seed};

#[test]
fn every_game_passes_the_suite() {
    struct Each(Vec<&'static str>);
    impl Visitor for Each {
        fn visit<G: Listed + Debug>(&mut self) {
            conformance::check::<G>();
            self.0.push(G::NAME);
        }
    }
    let mut each = Each(Vec::new());
    catalog::visit(&mut each);
    assert_eq!(each.0, GAMES.iter().map(|entry| entry.name).collect::<Vec<_>>());
}

const GAMES_UNDER_FAULTS: u64 = 250;

#[test]
fn every_game_of_the_catalog_plays_under_faults_and_its_log_agrees() {
    let folder = tempfile::tempdir().unwrap();
    for entry in GAMES {
        let mut faults = 0;
        for number in 0..GAMES_UNDER_FAULTS {
            faults += plays_under_faults(entry, Seed(number), &folder.path().join("log.csv"));
        }
        println!("{}: {GAMES_UNDER_FAULTS} simulated games with {faults} faults", entry.name);
        assert!(faults > GAMES_UNDER_FAULTS, "{}: only {faults} faults show nothing", entry.name);
    }
}

/// Plays a simulated game, audits its log, and returns the number of turns with a fault.
fn plays_under_faults(entry: &'static Entry, seed: Seed, path: &std::path::Path) -> u64 {
    let (parameters, _) = entry.seat(&short(entry, seed), entrants(entry)).unwrap();
    let mut game = entry.start(&parameters, seed);
    let seats = game.info().seats;
    let bot = BotName { name: "simulated".to_owned(), version: 1, digest: Digest::of(b"") };
    let heading = Heading::new("simulated", &*game, &parameters, BySeat::from_fn(seats, |_| bot.clone()));
    let mut log = GameLog::begin(&heading, LogFile::create(path).unwrap());
    // Numbers of the right length, now and then legal.
    let mut dice = Dice::for_turn(seed, 9);
    let length = answer_length(&*game);
    let mut table = SimulatedTable::new(seats, seed, move |_, _| {
        (0..length).map(|_| i64::from(dice.below(12)) - 2).collect()
    });
    let outcome = play(&mut *game, &mut table, &mut log).unwrap();
    let (file, digest, tally) = log.finish();
    file.publish().unwrap();
    let agreed = audit_log(path).unwrap_or_else(|error| panic!("{} of seed {seed}: {error}", entry.name));
    assert_eq!((agreed.outcome, agreed.tally, agreed.digest), (outcome.clone(), tally.clone(), digest));
    check_outcome(&outcome, seats);
    let kinds = FaultKind::ALL.iter().filter(|kind| **kind != FaultKind::Illegal);
    let mut faults = 0;
    for seat in Seat::first(seats) {
        let expected = table.expected(seat);
        for kind in [FaultKind::Late, FaultKind::Deaf, FaultKind::Exited, FaultKind::TooLong] {
            let due = expected.iter().filter(|expected| expected.fault == Some(kind)).count();
            assert_eq!(
                tally.faults(seat, kind),
                due as u64,
                "{} of seed {seed}, seat {seat}: {}",
                entry.name,
                kind.name()
            );
        }
        faults += kinds.clone().map(|kind| tally.faults(seat, *kind)).sum::<u64>();
    }
    faults
}

/// The number of integers of a random legal answer, once the game has begun.
fn answer_length(game: &dyn Game) -> usize {
    let mut integers = Vec::new();
    game.sample(game.asked()[0], &mut Dice::for_start(Seed(0)), &mut integers);
    integers.len()
}

#[test]
fn a_question_line_reads_as_a_question_of_its_own_game() {
    let entry = catalog::find("football").unwrap();
    let mut game = entry.start(&Parameters::defaults(entry.parameters), Seed(1));
    let mut line = Vec::new();
    game.question(Seat::new(2), &mut line);
    let view = read_question::<Football>(line.trim_ascii_end(), &mut Vec::new()).unwrap();
    assert_eq!((view.seat, view.turn, view.p), (Seat::new(2), 0, 10));
}
