//! Formats in which results determine the pairs: each round has a plan of its own.

use std::fs;

use crate::support::{FAULTY, Place, comes_true};

use super::{plan, runner};

/// Bots that leave each game in a turn; the bot that leaves first loses.
fn cup() -> String {
    let entrants = [("first", "1"), ("second", "3"), ("third", "5")].map(|(name, turn)| {
        let does = format!("arguments = [\"exit\", \"--at\", \"{turn}\"]");
        format!("[[entrant]]\nname = \"{name}\"\nprogram = \"{FAULTY}\"\n{does}\n")
    });
    "name = \"cup\"\ngame = \"foosball\"\nseed = \"5\"\nsandbox = \"off\"\nbatch = 1\n\
     [format]\nkind = \"knockout\"\n"
        .to_owned()
        + &entrants.concat()
}

#[test]
fn a_knockout_in_shards_or_killed_ends_as_one_that_one_runner_plays() {
    let place = Place::new();
    fs::write(place.path("cup.toml"), cup()).expect("a file");
    ["shards", "killed"].iter().for_each(|dir| plan(&place, "cup.toml", dir));
    let planned = place.referee(&["tournament", "plan", "cup.toml", "--dir", "whole"]).with_status(0).out;
    assert!(planned.contains("How often is the best bot first? In a model"), "{planned}");
    assert!(planned.contains(" % (7 games) of such tournaments; with blocks = 4 in "), "{planned}");
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
    assert!(standings("whole").contains("\n1,third,"), "{}", standings("whole"));
    assert_eq!(standings("shards"), standings("whole"));
    assert_eq!(standings("killed"), standings("whole"));
}
