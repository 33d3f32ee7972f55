//! Readers of a tournament's list: they check it against the schedule, and take it as it is while games are missing.

use std::fs;

use crate::audit::tampering::with_a_fitting_chain;
use crate::called::Calls;
use crate::support::Place;

use super::{FILE, guests, plan_by_call};

#[test]
fn a_list_is_checked_against_the_schedule_and_shown_as_far_as_it_goes() {
    let place = Place::new();
    let bots = ["one", "two", "three", "four"];
    let bots = bots.map(|name| guests(&place, &[(name, "house still")]) + "arguments = [\"honest\"]\n");
    fs::write(place.path("short.toml"), FILE.to_owned() + &bots.concat()).expect("a file");
    plan_by_call(&place, "short.toml", "T");
    let standings = || place.call(&["tournament", "standings", "--dir", "T", "--format", "csv"]);

    // Games of the third batch have ended, too, but are not listed.
    place.call(&["tournament", "run", "--dir", "T", "--shard", "0/2"]).with_status(0);
    let some = standings().with_status(0);
    assert!(some.err.contains("not all games are played: these are not final standings"), "{}", some.err);
    let games = some.out.lines().skip(1).map(|line| line.split(',').nth(2).expect("games").to_owned());
    assert_eq!(games.collect::<Vec<_>>(), ["8"; 4], "{}", some.out);

    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let path = place.path("T/results.csv");
    let whole = fs::read_to_string(&path).expect("the results");
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();

    fs::write(&path, whole.replacen(",max_turns,", ",no_balls,", 1)).expect("results");
    standings().with_status(3).complaining(&["results.csv, line 2: "]);
    let other = lines[5].replacen(",honest,", ",tagged,", 1);
    let changed = [&lines[..5], &[&*other], &lines[6..]].concat();
    fs::write(&path, with_a_fitting_chain(&changed.concat())).expect("results");
    standings()
        .with_status(3)
        .complaining(&["results.csv, line 6: column arguments is tagged; the schedule says honest"]);
    let missing = [&lines[..5], &lines[9..]].concat();
    fs::write(&path, with_a_fitting_chain(&missing.concat())).expect("results");
    standings().with_status(3).complaining(&["results.csv, line 6: s001-r00001-t001-g2 is expected here"]);
}
