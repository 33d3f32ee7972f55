//! Seeded schedules of faults against the real collector. Each verdict is compared with the simulator's own
//! account.
//!
//! `SIMULATION_SEED=N cargo test --test main simulation` repeats one schedule; a failure prints the command.

use std::process::Command;
use std::time::Duration;

use crate::simulated::SimulatedTable;
use crate::simulated::questions::Expected;
use referee_files::audit::audit_log;
use referee_files::digest;
use referee_files::log::LogFile;
use referee_games::catalog;
use referee_games::football::Football;
use referee_record::Answer;
use referee_record::log::GameLog;
use referee_record::play::play;
use referee_record::play::table::{Question, Table};
use referee_record::{BotName, Digest, Heading};
use referee_rules::game::read_question;
use referee_rules::{BySeat, Dice, Fault, FaultKind, Parameters, Seat, Seed};

/// Number of schedules from each of the first seeds: a fixed seed, and one that every commit changes.
const SCHEDULES: u64 = 12_000;

#[test]
fn every_verdict_is_what_the_simulators_account_says() {
    if let Ok(seed) = std::env::var("SIMULATION_SEED") {
        let seed = seed.parse().expect("SIMULATION_SEED is a seed");
        return check_schedule(seed, &mut Totals::default());
    }
    let mut totals = Totals::default();
    for first in [1, commit_seed()] {
        println!("{SCHEDULES} schedules from seed {:#x}", first);
        for number in 0..SCHEDULES {
            check_schedule(Seed(first.wrapping_add(number)), &mut totals);
        }
    }
    println!("{totals:?}");
    // A simulation without any failure, or without any success, shows nothing.
    assert!(totals.answered > 100_000 && totals.in_order > 100_000, "{totals:?}");
    for kind in [FaultKind::Late, FaultKind::Deaf, FaultKind::Exited, FaultKind::Crashed] {
        assert!(totals.faults[kind as usize] > 1_000, "{} happened too seldom: {totals:?}", kind.name());
    }
    for kind in [FaultKind::Malformed, FaultKind::TooLong] {
        assert!(totals.faults[kind as usize] > 200, "{} happened too seldom: {totals:?}", kind.name());
    }
    assert!(totals.dropped.iter().all(|count| *count > 1_000), "{totals:?}");
}

#[derive(Debug, Default)]
struct Totals {
    answered: u64,
    /// Answers of bots that keep to the protocol. Each must be the one to its own question.
    in_order: u64,
    faults: [u64; FaultKind::ALL.len()],
    dropped: [u64; 3],
}

fn check_schedule(seed: Seed, totals: &mut Totals) {
    let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(seed, totals)));
    if let Err(panic) = checked {
        eprintln!("to repeat: SIMULATION_SEED={seed} cargo test --test main simulation");
        std::panic::resume_unwind(panic);
    }
}

fn check(seed: Seed, totals: &mut Totals) {
    let mut dice = Dice::for_turn(seed, 0);
    let seats = 1 + dice.below(4) as usize;
    let turns = 1 + dice.below(30);
    let limit = Duration::from_millis(1 + u64::from(dice.below(200)));
    let everyone = dice.below(3) > 0;
    // A bot answers with the number of its turn, so an answer that counts in another turn is noticed.
    let mut table = SimulatedTable::new(seats, seed, |_, line| vec![number_in(line), 7]);
    let mut verdicts: Vec<Vec<(u32, Answer)>> = vec![Vec::new(); seats];
    let mut answers = Vec::new();
    for turn in 0..turns {
        let asked: Vec<Seat> = Seat::first(seats).filter(|_| everyone || dice.below(2) == 0).collect();
        let ask = |seat| Question { seat, line: format!("1 {turn}\n").into_bytes(), limit };
        table.ask(&asked.iter().copied().map(ask).collect::<Vec<_>>()).unwrap();
        table.collect(&mut answers).unwrap();
        assert_eq!(answers.len(), asked.len());
        for answer in &answers {
            verdicts[answer.seat.index()].push((turn, answer.clone()));
        }
    }
    for (seat, verdicts) in Seat::first(seats).zip(&verdicts) {
        let expected = table.expected(seat);
        assert_eq!(expected.len(), verdicts.len());
        for ((turn, answer), expected) in verdicts.iter().zip(&expected) {
            compare(seat, *turn, answer, expected);
            if answer.fault.is_none() && table.keeps_to_the_protocol(seat) {
                assert_eq!(
                    answer.integers[0],
                    i64::from(*turn),
                    "seat {seat}: an answer counts in a wrong turn"
                );
                totals.in_order += 1;
            }
            match &answer.fault {
                Some(fault) => totals.faults[fault.kind() as usize] += 1,
                None => totals.answered += 1,
            }
            let dropped = answer.dropped;
            for (total, count) in totals.dropped.iter_mut().zip([dropped.late, dropped.early, dropped.extra])
            {
                *total += u64::from(count);
            }
        }
        let counted = verdicts.iter().map(|(_, answer)| answer.dropped);
        let sum = counted.fold([0; 3], |sum, d| [sum[0] + d.late, sum[1] + d.early, sum[2] + d.extra]);
        assert_eq!(sum, table.expected_dropped(seat), "seat {seat}: late, early and extra lines");
    }
}

fn compare(seat: Seat, turn: u32, answer: &Answer, expected: &Expected) {
    let place = format!("seat {seat}, turn {turn}: {answer:?}; the account says {expected:?}");
    assert_eq!(answer.fault.as_ref().map(Fault::kind), expected.fault, "{place}");
    assert_eq!(answer.integers, expected.integers, "{place}");
    if let Some(thinking) = expected.thinking {
        assert_eq!(answer.thinking, thinking, "{place}");
    }
}

fn number_in(line: &[u8]) -> i64 {
    let text = std::str::from_utf8(line).unwrap();
    text.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// A seed from the tested commit, or from nothing if this is not a checkout.
fn commit_seed() -> u64 {
    let output = Command::new("git").args(["rev-parse", "HEAD"]).output();
    let hash = output.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    let digits = hash.and_then(|hash| String::from_utf8(hash).ok());
    digits.and_then(|digits| u64::from_str_radix(digits.get(..16)?, 16).ok()).unwrap_or(2)
}

/// Whole games of football with faults: each ends, every verdict of the pipes is in the log, and the log
/// replays to the same bytes.
#[test]
fn simulated_games_end_and_their_logs_agree_with_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    let entry = catalog::find("football").unwrap();
    let mut faults = 0;
    for number in 0..300 {
        let seed = Seed(number);
        let mut dice = Dice::for_turn(seed, 0);
        let mut parameters = Parameters::defaults(entry.parameters);
        for (name, value) in [("p", 1 + dice.below(20)), ("k", 1 + dice.below(46)), ("max_turns", 40)] {
            parameters.set(name, value.into()).unwrap();
        }
        let mut game = entry.start(&parameters, seed);
        let bot = BotName { name: "simulated".to_owned(), version: 1, digest: Digest::of(b"") };
        let heading = Heading::new("simulated", &*game, &parameters, BySeat::from_fn(4, |_| bot.clone()));
        let path = folder.path().join(format!("{number}.csv"));
        let mut log = GameLog::begin(&heading, LogFile::create(&path).unwrap());
        let mut orders = Dice::for_turn(seed, 1);
        let mut table = SimulatedTable::new(4, seed, move |_, line| answer_to(line, &mut orders));
        let outcome = play(&mut *game, &mut table, &mut log).unwrap();
        let (file, digest, tally) = log.finish();
        file.publish().unwrap();

        let agreed = audit_log(&path).unwrap_or_else(|error| panic!("game of seed {seed}: {error}"));
        assert_eq!((&agreed.outcome, &agreed.tally, agreed.turns), (&outcome, &tally, game.turn()));
        assert_eq!((&agreed.digest, agreed.heading), (&digest, heading));
        assert_eq!(digest, digest::of_file(&path).unwrap());
        for seat in Seat::first(4) {
            let expected = table.expected(seat);
            for kind in [FaultKind::Late, FaultKind::Deaf, FaultKind::Exited, FaultKind::TooLong] {
                let due = expected.iter().filter(|expected| expected.fault == Some(kind)).count();
                assert_eq!(
                    tally.faults(seat, kind),
                    due as u64,
                    "seat {seat}: {} in game {seed}",
                    kind.name()
                );
                faults += due;
            }
        }
    }
    assert!(faults > 1_000, "only {faults} faults: too few to show anything");
}

/// An answer of the right length to a question of football, with orders that are mostly, but not always, legal.
fn answer_to(line: &[u8], dice: &mut Dice) -> Vec<i64> {
    let view = read_question::<Football>(line.trim_ascii_end(), &mut Vec::new()).unwrap();
    let order = |dice: &mut Dice| match dice.below(3) {
        0 => i64::from(dice.below(9)),
        1 => 9 + i64::from(dice.below(1024)),
        _ => i64::from(dice.below(1100)) - 20,
    };
    (0..view.p).map(|_| order(dice)).collect()
}
