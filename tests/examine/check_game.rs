//! The check game, in every game of the catalog.

use std::path::PathBuf;

use referee_contest::admission::check::{NotAdmitted, QUESTIONS, check};
use referee_games::catalog::{Entry, GAMES};
use referee_record::error::Error;
use referee_rules::{FaultKind, Parameters};
use referee_table::process::{Program, Setup};

use crate::support::FAULTY;

fn faulty(words: &str) -> Program {
    let file = PathBuf::from(&*FAULTY);
    Program::new(file, words.split_whitespace().map(Into::into).collect())
}

fn check_game(entry: &Entry, program: &Program) -> Result<(), Error> {
    let setup = Setup::with(env!("CARGO_BIN_EXE_referee"));
    let mut parameters = Parameters::defaults(entry.parameters);
    // However busy this machine is, an honest bot should be in time.
    let _ = parameters.set("turn_ms", 60_000);
    let (parameters, _) = entry.seat(&parameters, seats(entry)).unwrap();
    check(entry, &parameters, program, &setup).map(drop)
}

fn seats(entry: &Entry) -> usize {
    match entry.seating {
        referee_games::catalog::Seating::Fixed(seats) => seats,
        referee_games::catalog::Seating::Range { least, .. } => least,
        referee_games::catalog::Seating::Field { .. } => 1,
    }
}

#[test]
fn an_honest_bot_passes_in_every_game() {
    for entry in GAMES {
        check_game(entry, &faulty("honest")).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
    }
}

#[test]
fn nonsense_in_the_last_question_is_found_in_every_game() {
    for entry in GAMES {
        let error = check_game(entry, &faulty(&format!("garbage --every {QUESTIONS}")));
        match error.map_err(|error| error.cause::<NotAdmitted>().cloned().ok_or(error)) {
            Err(Ok(NotAdmitted(finding))) => assert_eq!(finding.fault.kind(), FaultKind::Malformed),
            other => panic!("{}: {other:?}", entry.name),
        }
    }
}
