//! Formats in which results decide who plays: each round is a plan of its own.

use std::fs;

use crate::support::{Place, comes_true};

use super::{plan, runner};

const CUP: &str = r#"
name = "cup"
game = "foosball"
seed = "5"
sandbox = "off"
batch = 1
[format]
kind = "knockout"
[[entrant]]
name = "still"
program = "house:still"
[[entrant]]
name = "chaser"
program = "house:chaser"
[[entrant]]
name = "planner"
program = "house:planner"
"#;

#[test]
fn a_knockout_in_shards_or_killed_ends_as_one_that_one_runner_plays() {
    let place = Place::new();
    fs::write(place.path("cup.toml"), CUP).expect("a file");
    ["whole", "shards", "killed"].iter().for_each(|dir| plan(&place, "cup.toml", dir));
    place.referee(&["tournament", "run", "--dir", "whole", "--jobs", "2"]).with_status(0);

    let early = place.referee(&["tournament", "plan", "--dir", "shards", "--round", "2"]).with_status(2);
    early.complaining(&["merge the round first"]);
    for round in 2.. {
        for shard in ["1/2", "0/2"] {
            place.referee(&["tournament", "run", "--dir", "shards", "--shard", shard]).with_status(0);
        }
        place.referee(&["tournament", "merge", "--dir", "shards"]).with_status(0);
        let words = ["tournament", "plan", "--dir", "shards", "--round", &round.to_string()];
        if place.referee(&words).with_status(0).out.contains("is over") {
            break;
        }
    }

    let second = place.path("killed/rounds/0002/plan.toml");
    let mut running = runner(&place, "killed", &[]);
    assert!(comes_true(|| second.exists()), "a second round begins");
    let _ = running.kill();
    let _ = running.wait();
    place.assert_no_process_stays();
    place.referee(&["tournament", "run", "--dir", "killed"]).with_status(0);

    let standings = |dir| {
        let words = ["tournament", "standings", "--dir", dir, "--format", "csv"];
        let ran = place.referee(&words).with_status(0);
        assert!(!ran.err.contains("not final standings"), "{ran:?}");
        ran.out
    };
    assert!(standings("whole").contains("\n1,planner,"), "{}", standings("whole"));
    assert_eq!(standings("shards"), standings("whole"));
    assert_eq!(standings("killed"), standings("whole"));
}
