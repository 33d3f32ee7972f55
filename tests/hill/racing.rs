//! Seasons until ranked on a hill, in which bots leave the race once all their pairs are decided.

use std::collections::BTreeSet;
use std::fs;

use referee_record::results::ResultRow;

use crate::called::Calls;
use crate::support::{Place, results_in};

const QUICK: [&str; 11] =
    ["-p", "10", "-k", "10", "--max-turns", "100", "--until", "ranked", "--racing", "--block", "one-game"];

/// The rows of games in which not all bots count.
fn fillers(rows: &[ResultRow]) -> BTreeSet<&str> {
    rows.iter().filter(|row| !row.counts).map(|row| &*row.bot.name).collect()
}

#[test]
fn bots_whose_place_is_decided_sit_out_and_an_audit_finds_another_race() {
    let place = Place::new();
    // Eight bots at two tables: one is the best; the two copies of the next take longest.
    let bots = [("b0", "sweeper"), ("b1", "greedy"), ("b2", "greedy"), ("b3", "still"), ("b4", "still")];
    let bots = [&bots[..], &[("b5", "still"), ("b6", "still"), ("b7", "still")]].concat();
    let root = place.hill_of_guests("hill", &[&QUICK[..], &["--seed", "8"]].concat(), &bots);
    let toml = fs::read_to_string(root.join("hill.toml")).expect("settings");
    assert!(toml.contains("until = \"ranked\"\n") && toml.contains("racing = true\n"), "{toml}");
    let ranked = ["hill", "run", "hill", "--until-ranked", "--alpha", "0.9", "--epsilon", "0.1"];
    let run = |most: &str| place.call(&[&ranked[..], &["--max-rounds", most]].concat()).with_status(0);
    run("25");
    run("400");
    let seasons = fs::read_to_string(root.join("seasons.csv")).expect("seasons");
    assert!(seasons.contains(" until=ranked racing=true,") && !seasons.contains("\n2,"), "{seasons}");
    let races = fs::read_to_string(root.join("races.csv")).expect("races");
    assert!(races.starts_with("season,round,racing,format\n1,"), "{races}");
    let rows = results_in(&root);
    assert_eq!(races.lines().skip(1).collect::<Vec<&str>>(), ["1,21,2 3 4 5 6 7 8,1", "1,51,2 3,1"]);
    assert!(fillers(&rows).contains("b0") && fillers(&rows).contains("b3"), "they fill tables");
    let games = |round: u32| {
        let of_round = |row: &&ResultRow| row.place_in_schedule.is_some_and(|place| place.round == round);
        rows.iter().filter(of_round).count() / 4
    };
    let last =
        rows.iter().filter_map(|row| row.place_in_schedule).map(|place| place.round).max().expect("a round");
    assert!((51..=last).any(|round| games(round) == 1), "a table without a bot in the race is not played");
    assert_eq!((games(20), games(50)), (2, 2));
    place.call(&["audit", "hill"]).with_status(0);
    let shown = place.call(&["hill", "standings", "hill"]).with_status(0).out;
    let shown = shown.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(shown.contains("sit out, and only fill tables: ") || shown.contains(" sits out: "), "{shown}");
    // Further rounds go on with the race; a run of other rounds reads the short ones as whole.
    place.call(&["hill", "run", "hill", "--rounds", "3"]).with_status(0);
    place.call(&["audit", "hill"]).with_status(0);

    let audited = |text: &str, complaint: &str| {
        fs::write(root.join("races.csv"), text).expect("races");
        place.call(&["audit", "hill"]).with_status(3).complaining(&[complaint]);
    };
    audited(&races.replace(",2 3,", ",2 9,"), "races.csv, line 3: not a race of this season's bots");
    audited(&races.replace("1,51,", "1,52,"), "races.csv, line 3: not a race of this season's bots");
    // Who played by another race, or by none, has other games.
    audited("season,round,racing,format\n", "results.csv, line ");
    audited(&races.replace(",2 3 4 5", ",1 2 3 4 5"), "results.csv, line ");
    fs::write(root.join("races.csv"), &races).expect("races");
    place.call(&["audit", "hill"]).with_status(0);
}

#[test]
fn a_race_is_for_seasons_until_ranked() {
    let place = Place::new();
    let refused = place.call(&["hill", "new", "hill", "football", "--racing"]).with_status(2);
    refused.complaining(&["--racing is for --until ranked"]);
}
