//! Seasons until ranked on a hill, in which bots leave the race once all their pairs are decided.

use std::collections::BTreeSet;
use std::fs;

use referee_contest::hill::Hill;
use referee_contest::hill::seasons::Race;
use referee_record::results::ResultRow;

use crate::called::Calls;
use crate::notary::rewrite;
use crate::support::{Place, copy_folder, results_in};

const QUICK: [&str; 13] = [
    "-p",
    "10",
    "-k",
    "10",
    "--max-turns",
    "100",
    "--until",
    "ranked",
    "--racing",
    "--block",
    "one-game",
    "--rank-by",
    "place",
];

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
    run("137");
    let seasons = fs::read_to_string(root.join("seasons.csv")).expect("seasons");
    assert!(
        seasons.contains(" until=ranked rank_by=place racing=true,") && !seasons.contains("\n2,"),
        "{seasons}"
    );
    let rows = results_in(&root);
    let hill = Hill::open(&root).expect("the hill");
    let race = |round, bots: &[usize]| Race { round, bots: bots.to_vec() };
    let due = [race(41, &[1, 2, 3, 4, 5, 6, 7]), race(71, &[1, 2, 3, 5, 6]), race(81, &[1, 2])];
    assert_eq!(hill.seasons().expect("seasons")[0].races, due);
    assert!(fillers(&rows).contains("b0") && fillers(&rows).contains("b3"), "they fill tables");
    let games = |round: u32| {
        let of_round = |row: &&ResultRow| row.place_in_schedule.is_some_and(|place| place.round == round);
        rows.iter().filter(of_round).count() / 4
    };
    let last =
        rows.iter().filter_map(|row| row.place_in_schedule).map(|place| place.round).max().expect("a round");
    assert!((81..=last).any(|round| games(round) == 1), "a table without a bot in the race is not played");
    assert_eq!((games(20), games(40)), (2, 2));
    place.call(&["audit", "hill"]).with_status(0);
    let shown = place.call(&["hill", "standings", "hill"]).with_status(0).out;
    let shown = shown.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(shown.contains("sit out, and only fill tables: ") || shown.contains(" sits out: "), "{shown}");
    // Further rounds go on with the race; a run of other rounds reads the short ones as whole.
    place.call(&["hill", "run", "hill", "--rounds", "3"]).with_status(0);
    place.call(&["audit", "hill"]).with_status(0);

    // Who reads on while games are played finds the same as who reads all at once.
    let results = fs::read_to_string(root.join("results.csv")).expect("results");
    let (followed, rows) = (place.path("followed"), results_in(&root));
    copy_folder(&root, &followed);
    let growing = Hill::open(&followed).expect("the copy");
    let lines: Vec<&str> = results.lines().collect();
    for games in (0..=(lines.len() - 1) / 4).step_by(7) {
        let text: String = lines[..=4 * games].iter().map(|line| format!("{line}\n")).collect();
        fs::write(followed.join("results.csv"), text).expect("results");
        let so_far = &growing.seasons().expect("seasons")[0].races;
        let last = rows.get((4 * games).saturating_sub(1)).and_then(|row| row.place_in_schedule);
        let round = last.filter(|_| games > 0).map_or(0, |place| place.round);
        let known = due.iter().filter(|race| race.round <= round).count();
        assert!(
            (known..=known + 1).contains(&so_far.len()) && due.starts_with(so_far),
            "{games}: {so_far:?}"
        );
    }

    // Who played by another race, or by none, has other games.
    rewrite(&root, |games| {
        let filler = games.iter_mut().flatten().find(|row| !row.counts).expect("a filler");
        filler.counts = true;
    });
    place
        .call(&["audit", "hill"])
        .with_status(3)
        .complaining(&["results.csv, line ", "column counts is 1; the schedule says 0"]);
    // The race is a function of the results, and these are made again by it: of none, of some, and of damaged ones.
    let part: String = results.lines().take(40).map(|line| format!("{line}\n")).collect();
    let damaged = results.replacen(",b2,", ",b3,", 1);
    for there in [None, Some(part), Some(damaged)] {
        match &there {
            None => fs::remove_file(root.join("results.csv")).expect("results"),
            Some(text) => fs::write(root.join("results.csv"), text).expect("results"),
        }
        place.call(&["hill", "repair", "hill"]).with_status(0);
        assert_eq!(fs::read_to_string(root.join("results.csv")).expect("results"), results, "{there:?}");
    }
    fs::remove_file(root.join("results.csv")).expect("results");
    place.call(&["hill", "run", "hill", "--rounds", "1"]).with_status(0);
    let now = fs::read_to_string(root.join("results.csv")).expect("results");
    assert!(
        now.starts_with(&results) && now.len() > results.len(),
        "a run lists what was recorded, and goes on"
    );
    place.call(&["audit", "hill"]).with_status(0);
}

#[test]
fn a_race_is_for_seasons_until_ranked() {
    let place = Place::new();
    let refused = place.call(&["hill", "new", "hill", "football", "--racing"]).with_status(2);
    refused.complaining(&["--racing is for --until ranked"]);
}
