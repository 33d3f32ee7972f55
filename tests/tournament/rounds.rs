//! Formats in which results determine the pairs: each round has a plan of its own.

use std::fs;

use crate::called::Calls;
use crate::support::{FAULTY, Place, comes_true, what_stays};

use super::{guests, plan, plan_by_call, runner};

/// A knockout. Its bots leave each game in a turn; the bot that leaves first loses.
const CUP: &str = r#"
name = "cup"
game = "foosball"
seed = "5"
sandbox = "off"
batch = 1
[format]
kind = "knockout"
"#;

/// The standings, which are final.
fn standings(place: &Place, dir: &str) -> String {
    let ran = place.call(&["tournament", "standings", "--dir", dir, "--format", "csv"]).with_status(0);
    assert!(!ran.err.contains("not final standings"), "{ran:?}");
    what_stays(&ran.out, &[]).join("\n")
}

#[test]
fn a_knockout_in_shards_ends_as_one_that_one_runner_plays() {
    let place = Place::new();
    let bots = [("first", "exits 1 1"), ("second", "exits 3 1"), ("third", "exits 5 1")];
    fs::write(place.path("cup.toml"), CUP.to_owned() + &guests(&place, &bots)).expect("a file");
    plan_by_call(&place, "cup.toml", "shards");
    plan_by_call(&place, "cup.toml", "whole");
    place.call(&["tournament", "run", "--dir", "whole", "--jobs", "2"]).with_status(0);

    let early = place.call(&["tournament", "plan", "--dir", "shards", "--round", "2"]).with_status(2);
    early.complaining(&["results.csv: round 1 is not in it yet: play it first"]);
    for round in 2.. {
        for shard in ["1/2", "0/2"] {
            place.call(&["tournament", "run", "--dir", "shards", "--shard", shard]).with_status(0);
        }
        let words = ["tournament", "plan", "--dir", "shards", "--round", &round.to_string()];
        if place.call(&words).with_status(0).out.contains("is over") {
            break;
        }
    }
    assert!(standings(&place, "whole").contains("\n1,third,"), "{}", standings(&place, "whole"));
    assert_eq!(standings(&place, "shards"), standings(&place, "whole"));
    // Programs read the round and the table of a match, whatever its name is.
    let matches =
        place.call(&["tournament", "matches", "--dir", "whole", "--format", "csv"]).with_status(0).out;
    let typed: Vec<&str> = matches
        .lines()
        .map(|line| line.rsplitn(3, ',').nth(2).map_or("", |rest| &line[rest.len()..]))
        .collect();
    assert_eq!(typed, [",round,table", ",1,1", ",2,1"], "{matches}");
}

#[test]
fn a_knockout_that_is_killed_in_its_second_round_ends_as_one_that_never_was() {
    let place = Place::new();
    let entrants = [("first", "1"), ("second", "3"), ("third", "5")].map(|(name, turn)| {
        let does = format!("arguments = [\"exit\", \"--at\", \"{turn}\"]");
        format!("[[entrant]]\nname = \"{name}\"\nprogram = \"{FAULTY}\"\n{does}\n")
    });
    fs::write(place.path("cup.toml"), CUP.to_owned() + &entrants.concat()).expect("a file");
    ["whole", "killed"].iter().for_each(|dir| plan(&place, "cup.toml", dir));
    place.referee(&["tournament", "run", "--dir", "whole", "--jobs", "2"]).with_status(0);
    let second = place.path("killed/rounds/0002/plan.toml");
    let mut running = runner(&place, "killed", &[]);
    assert!(comes_true(|| second.exists()), "a second round begins");
    let _ = running.kill();
    let _ = running.wait();
    place.assert_no_process_stays();
    place.referee(&["tournament", "run", "--dir", "killed"]).with_status(0);
    assert!(standings(&place, "whole").contains("\n1,third,"), "{}", standings(&place, "whole"));
    assert_eq!(standings(&place, "killed"), standings(&place, "whole"));
}
