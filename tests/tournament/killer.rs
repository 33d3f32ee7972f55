//! A bot that kills the referee when it sees that it is losing: the game is repeated once and then counts for
//! no bot, no statement of confidence depends on it, and nothing is final until somebody has ruled on it.

use std::fs;
use std::path::Path;

use crate::called::Calls;
use crate::support::{Place, Ran, files_below, rows_of_json};

use super::{listed, plan, runner};

const FILE: &str = r#"
name = "killer"
game = "foosball"
seed = "4"
sandbox = "off"
batch = 4
[parameters]
bank_ms = 600000
first_ms = 600000
[format]
kind = "rounds"
rounds = 12
"#;

const GAMES: usize = 48;

const KILLER: &str = "killer";

/// Puts as many men as possible on the row of the ball, so a fair coin decides its way. If the ball goes home
/// first, that team loses: it leaves, or does what its argument says.
const BOT: &str = r#"#!/bin/sh
while read -r count own other round ball rest; do
    if [ "$ball" -lt 0 ]; then
        [ "$1" = kills ] || exit 0
        referee=$PPID
        until tr '\0' ' ' < "/proc/$referee/cmdline" | grep -q 'tournament run'; do
            read -r number name state referee rest < "/proc/$referee/stat"
        done
        kill -KILL "$referee"
        sleep 60
    fi
    echo 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 100 100 100 100
done
"#;

/// Plans two tournaments that differ in the killer's action: `honest`, `killed`.
fn planned(place: &Place, file: &str, others: &[&str]) {
    let bot = place.program("bot", BOT);
    for (dir, killer) in [("honest", "leaves"), ("killed", "kills")] {
        let entrant = |name: &&str| {
            let does = if *name == KILLER { killer } else { "leaves" };
            let does = format!("arguments = [\"{does}\"]\nallow_fork = true");
            format!("[[entrant]]\nname = \"{name}\"\nprogram = {bot:?}\n{does}\n")
        };
        let bots: String = [&[KILLER], others].concat().iter().map(entrant).collect();
        fs::write(place.path("x.toml"), format!("{file}{bots}")).expect("a file");
        plan(place, "x.toml", dir);
    }
}

/// Starts a runner again and again, as an engine would, until one has lived to the end. Returns the number of
/// killed runners, and the exit status of the last one.
fn play_to_the_end(place: &Place, dir: &str) -> (usize, Option<i32>) {
    let mut kills = 0;
    loop {
        let ended = runner(place, dir, &[]).wait().expect("its end");
        if ended.code().is_some() {
            return (kills, ended.code());
        }
        kills += 1;
        assert!(kills < 2 * GAMES, "each game is begun twice at most");
        place.assert_no_process_stays();
    }
}

#[test]
fn who_kills_the_referee_when_it_loses_wins_no_game_by_it_and_is_listed() {
    let place = Place::new();
    planned(&place, FILE, &["fox", "hen", "owl"]);
    place.referee(&["tournament", "run", "--dir", "honest", "--jobs", "1"]).with_status(0);
    let (kills, status) = play_to_the_end(&place, "killed");
    assert_eq!(status, Some(0), "a fixed schedule is played to its end");

    assert_eq!(
        files_below(&place.path("killed"), "part"),
        [] as [&Path; 0],
        "no half a log of a lost game stays"
    );

    // The counted results are the same, except for the games that it lost.
    let (honest, killed) = (listed(&place.path("honest")), listed(&place.path("killed")));
    let columns: Vec<&str> = honest[0].split(',').collect();
    let value = |row: &str, name: &str| -> String {
        let column = columns.iter().position(|column| *column == name).expect("a column");
        row.split(',').nth(column).expect("a value").to_owned()
    };
    let of_killer = |row: &&String| value(row, "bot") == KILLER;
    let is_lost = |row: &&String| value(row, "share").parse::<f64>().expect("a share") == 0.0;
    let lost = honest[1..].iter().filter(of_killer).filter(is_lost).map(|row| value(row, "game"));
    let lost: Vec<String> = lost.collect();
    // With other arguments it is another bot.
    let without_words = |rows: &[String]| -> Vec<String> {
        let is_left = |name: &&str| !["bot_digest", "arguments"].contains(name);
        let cells = |row: &String| -> String {
            columns.iter().filter(|name| is_left(name)).map(|name| value(row, name) + ",").collect()
        };
        rows.iter().map(cells).collect()
    };
    let others = honest.iter().filter(|row| !lost.contains(&value(row, "game")));
    assert_eq!(without_words(&killed), without_words(&others.cloned().collect::<Vec<String>>()));
    assert!(lost.len() > GAMES / 8 && kills == 2 * lost.len(), "{kills} kills for {}", lost.len());

    // Statements about its mean hold with these games, whatever their results would have been.
    let standings = |dir| {
        let words = ["tournament", "standings", "--dir", dir, "--format", "json"];
        let out = place.call(&words).with_status(0).out;
        rows_of_json(&out)
    };
    let (honest, killed) = (standings("honest"), standings("killed"));
    let of_killer = |standings: &[serde_json::Value], what: &str| {
        let row = standings.iter().find(|row| row["bot"] == KILLER).expect("its row");
        row[what].as_f64().expect("a number")
    };
    assert_eq!(of_killer(&killed, "mean_share"), 1.0, "of the games that count it has won all");
    let mean = of_killer(&honest, "mean_share");
    assert!(of_killer(&killed, "mean_low") <= mean && mean <= of_killer(&killed, "mean_high"), "{killed:?}");

    let losses = place.call(&["tournament", "status", "--dir", "killed", "--losses", "--format", "csv"]);
    let losses = losses.with_status(0).out;
    let share = |bot: &str| -> f64 {
        let row = losses.lines().find(|line| line.starts_with(&format!("bot,{bot},"))).expect("its row");
        row.split(',').nth(6).and_then(|share| share.parse().ok()).expect("a share")
    };
    for other in ["fox", "hen", "owl"] {
        assert!(share(KILLER) > 1.3 * share(other), "{losses}");
    }
    assert!(losses.contains(&format!(",{kills},{},", lost.len())), "lost and void: {losses}");

    // The benefit: nothing is final, and once somebody has ruled, all means are the true ones.
    let open = format!("these are not final standings: no ruling yet on {} void games: ", lost.len());
    shown(&place, "killed").complaining(&[&open]);
    let lost: Vec<&str> = lost.iter().map(String::as_str).collect();
    rule(&place, &lost, &["--lost-by", KILLER, "--why", "in all of them"]).with_status(0);
    assert_eq!(means(&place, "honest")[0], ["place", "bot", "games", "mean_share"]);
    assert_eq!(means(&place, "killed"), means(&place, "honest"));
}

fn shown(place: &Place, dir: &str) -> Ran {
    place.call(&["tournament", "standings", "--dir", dir, "--format", "csv"]).with_status(0)
}

/// The header and the rows of the standings, only places and means.
fn means(place: &Place, dir: &str) -> Vec<Vec<String>> {
    let text = shown(place, dir).out;
    let header: Vec<&str> = text.lines().next().expect("a header").split(',').collect();
    let wanted = |column: &str| ["place", "bot", "games", "mean_share"].contains(&column);
    let columns = |line: &str| {
        let cells = line.split(',').zip(&header).filter(|(_, column)| wanted(column));
        cells.map(|(cell, _)| cell.to_owned()).collect()
    };
    text.lines().map(columns).collect()
}

/// Rules on void games of the tournament in `killed`.
fn rule(place: &Place, games: &[&str], ruling: &[&str]) -> Ran {
    place.call(&[&["tournament", "rule", "--dir", "killed"], ruling, games].concat())
}

const KNOCKOUT: &str = r#"
name = "killer"
game = "foosball"
seed = "6"
sandbox = "off"
batch = 2
[parameters]
bank_ms = 600000
first_ms = 600000
[format]
kind = "knockout"
further_blocks = 1
"#;

#[test]
fn who_kills_the_referee_does_not_go_on_in_a_knockout_until_somebody_has_ruled() {
    let place = Place::new();
    planned(&place, KNOCKOUT, &["fox", "hen", "owl"]);
    place.referee(&["tournament", "run", "--dir", "honest", "--jobs", "1"]).with_status(0);
    let mut ruled = Vec::new();
    while play_to_the_end(&place, "killed").1 != Some(0) {
        let again = place.referee(&["tournament", "run", "--dir", "killed", "--jobs", "1"]).with_status(1);
        let (_, said) =
            again.err.split_once("the next pairings depend on void games: no ruling yet on ").expect("why");
        let (_, names) = said.split_once(": ").expect("which");
        let names = names.split(" (").next().expect("names").split(", ").map(str::to_owned);
        let names: Vec<String> = names.collect();
        let void: Vec<&str> = names.iter().map(String::as_str).collect();
        for (wrong, options, complaint) in [
            ("s001-r00001-t009-g1", ["--lost-by", KILLER], "not a void game of this tournament (there are: "),
            (void[0], ["--lost-by", "nobody"], ": nobody did not play in it; its bots are "),
        ] {
            rule(&place, &[wrong], &options).with_status(2).complaining(&[complaint]);
        }
        rule(&place, &void, &["--level"]).with_status(0); // a slip: the next one counts
        rule(&place, &void, &["--lost-by", KILLER]).with_status(0);
        ruled.extend(names);
    }
    assert!(!ruled.is_empty(), "it has lost a game");
    // Rulings in later rounds do not change how an earlier round was planned.
    assert!(
        ruled.iter().any(|game| !game.contains("-r00001-")),
        "it has lost in a later round, too: {ruled:?}"
    );
    place.referee(&["tournament", "plan", "--dir", "killed", "--round", "2"]).with_status(0);
    let complaint = "the next round was planned with the earlier rulings, so they can no longer change";
    rule(&place, &[&ruled[0]], &["--level"]).with_status(2).complaining(&[complaint]);
    let rulings = fs::read_to_string(place.path("killed/rulings.csv")).expect("the rulings");
    assert_eq!(rulings.lines().count(), 1 + 2 * ruled.len(), "{rulings}");

    assert_eq!(means(&place, "killed"), means(&place, "honest"));
}
