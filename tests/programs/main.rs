//! The programs that other tests start are built, because this test needs them.

use std::process::{Command, Stdio};

/// The house bots, and the bots and judges of tests.
const PROGRAMS: &[&str] = &[
    env!("CARGO_BIN_EXE_football-still"),
    env!("CARGO_BIN_EXE_football-random"),
    env!("CARGO_BIN_EXE_football-greedy"),
    env!("CARGO_BIN_EXE_football-sweeper"),
    env!("CARGO_BIN_EXE_football-champion"),
    env!("CARGO_BIN_EXE_foosball-still"),
    env!("CARGO_BIN_EXE_foosball-chaser"),
    env!("CARGO_BIN_EXE_foosball-planner"),
    env!("CARGO_BIN_EXE_push-random"),
    env!("CARGO_BIN_EXE_push-homeward"),
    env!("CARGO_BIN_EXE_push-reader"),
    env!("CARGO_BIN_EXE_push-planner"),
    env!("CARGO_BIN_EXE_target-still"),
    env!("CARGO_BIN_EXE_target-lurker"),
    env!("CARGO_BIN_EXE_target-random"),
    env!("CARGO_BIN_EXE_target-bayes"),
    env!("CARGO_BIN_EXE_tron"),
    env!("CARGO_BIN_EXE_faulty"),
    env!("CARGO_BIN_EXE_judge"),
];

#[test]
fn each_program_starts_and_ends_when_its_input_ends() {
    for program in PROGRAMS {
        let ended =
            Command::new(program).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(ended.is_ok(), "{program}: {ended:?}");
    }
}
