//! A checkpoint after each round, also of a killed run.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;

use super::{hill, hill_of_programs, rewrite};
use crate::called::Calls;
use crate::support::{Place, comes_true, files_below};

fn checkpoints(place: &Place) -> usize {
    files_below(&place.path("H/proof/checkpoints"), "note").len()
}

#[test]
fn each_round_of_a_run_is_signed_with_one_job_or_more() {
    for jobs in ["1", "3"] {
        let place = Place::new();
        hill_of_programs(&place);
        let before = checkpoints(&place);
        place.referee(&["hill", "run", "H", "--rounds", "6", "--jobs", jobs]).with_status(0);
        let made = checkpoints(&place) - before;
        // With several jobs, a game of the next round can end before the last one of a round.
        assert!(if jobs == "1" { made == 6 } else { (1..=6).contains(&made) }, "{jobs} jobs: {made}");
        let verified = place.call(&["proof", "verify", "H"]).with_status(0);
        assert!(verified.out.contains("the first 9 games agree;"), "{verified:?}");
    }
}

#[test]
fn runners_that_share_a_hill_sign_it_together() {
    let place = Place::new();
    hill_of_programs(&place);
    let runs = [1, 2].map(|_| {
        let mut command = place.command(&["hill", "run", "H", "--to-round", "25", "--jobs", "1"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a runner")
    });
    for mut run in runs {
        assert!(run.wait().expect("an end").success());
    }
    let verified = place.call(&["proof", "verify", "H"]).with_status(0);
    assert!(verified.out.contains("the first 25 games agree;"), "{verified:?}");
    assert!(checkpoints(&place) > 10, "{}", checkpoints(&place));
}

#[test]
fn a_run_that_is_killed_leaves_checkpoints_that_verify_and_a_hill_that_goes_on() {
    let place = Place::new();
    hill_of_programs(&place);
    for kills in 1..=8 {
        let before = checkpoints(&place);
        let mut command = place.command(&["hill", "run", "H", "--rounds", "10000", "--jobs", "2"]);
        let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a run");
        assert!(comes_true(|| checkpoints(&place) > before + kills % 3), "it signs while it plays");
        run.kill().expect("killed");
        assert_eq!(run.wait().expect("an end").signal(), Some(9));
        place.call(&["proof", "verify", "H"]).with_status(0);
    }
    place.referee(&["hill", "run", "H", "--rounds", "1", "--jobs", "1"]).with_status(0);
    let verified = place.call(&["proof", "verify", "H"]).with_status(0);
    assert!(!verified.out.contains("not signed yet"), "{verified:?}");
    place.call(&["audit", "H"]).with_status(0);
}

#[test]
fn results_that_were_changed_are_found_before_a_game_is_played() {
    let place = Place::new();
    hill(&place);
    rewrite(&place.path("H"), |games| games[0][0].faults = games[1][0].faults);
    rewrite(&place.path("H"), |games| games[0][0].log_digest = games[1][0].log_digest.clone());
    let before = fs::read(place.path("H/results.csv")).expect("results");
    let refused = place.call(&["hill", "run", "H", "--rounds", "1", "--jobs", "1"]).with_status(3);
    refused.complaining(&["proof/checkpoints/000000003.note", "were changed"]);
    assert_eq!(fs::read(place.path("H/results.csv")).expect("results"), before, "nothing was played");
}
