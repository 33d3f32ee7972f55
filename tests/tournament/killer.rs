//! A bot that kills the referee when it sees that it loses: what it kills is played once more and then counts for nobody, and
//! nothing that is said with confidence rests on it.

use std::fs;

use crate::support::Place;

use super::{merged, plan, runner};

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
rounds = 24
"#;

const GAMES: usize = 96;

const KILLER: &str = "killer";

/// Puts as many men as it may where the ball is: which way it goes is a fair coin's. Where the ball goes home first, that team
/// loses: it leaves, or does what its argument says.
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

#[test]
fn who_kills_the_referee_when_it_loses_wins_no_game_by_it_and_is_listed() {
    let place = Place::new();
    let bot = place.program("bot", BOT);
    for (dir, killer) in [("honest", "leaves"), ("killed", "kills")] {
        let entrant = |(name, does): (&str, &str)| {
            let does = format!("arguments = [\"{does}\"]\nallow_fork = true");
            format!("[[entrant]]\nname = \"{name}\"\nprogram = {bot:?}\n{does}\n")
        };
        let bots = [(KILLER, killer), ("fox", "leaves"), ("hen", "leaves"), ("owl", "leaves")].map(entrant);
        fs::write(place.path("x.toml"), [FILE, &bots.concat()].concat()).expect("a file");
        plan(&place, "x.toml", dir);
    }
    place.referee(&["tournament", "run", "--dir", "honest", "--jobs", "1"]).with_status(0);

    // An engine starts a runner again and again, until one has lived to the end.
    let mut kills = 0;
    while runner(&place, "killed", &[]).wait().expect("its end").code() != Some(0) {
        kills += 1;
        assert!(kills < 2 * GAMES, "each game is begun twice at most");
        place.assert_no_process_stays();
    }

    // What counts is what counted before, but for the games that it lost.
    let (honest, killed) = (merged(&place.path("honest")), merged(&place.path("killed")));
    let columns: Vec<&str> = honest[0].split(',').collect();
    let value = |row: &str, name: &str| -> String {
        let column = columns.iter().position(|column| *column == name).expect("a column");
        row.split(',').nth(column).expect("a value").to_owned()
    };
    let of_killer = |row: &&String| value(row, "bot") == KILLER;
    let is_lost = |row: &&String| value(row, "share").parse::<f64>().expect("a share") == 0.0;
    let lost = honest[1..].iter().filter(of_killer).filter(is_lost).map(|row| value(row, "game"));
    let lost: Vec<String> = lost.collect();
    let others = honest.iter().filter(|row| !lost.contains(&value(row, "game")));
    assert_eq!(killed, others.cloned().collect::<Vec<String>>());
    assert!(lost.len() > GAMES / 8 && kills == 2 * lost.len(), "{kills} kills for {}", lost.len());

    // What is said of its mean holds with these games, whatever they would have come to.
    let standings = |dir| {
        let words = ["tournament", "standings", "--dir", dir, "--format", "json"];
        let out = place.referee(&words).with_status(0).out;
        serde_json::from_str::<serde_json::Value>(&out).expect("JSON")
    };
    let (honest, killed) = (standings("honest"), standings("killed"));
    let of_killer = |standings: &serde_json::Value, what: &str| {
        let rows = standings.as_array().expect("rows");
        let row = rows.iter().find(|row| row["bot"] == KILLER).expect("its row");
        row[what].as_f64().expect("a number")
    };
    assert_eq!(of_killer(&killed, "mean_share"), 1.0, "of the games that count it has won all");
    let mean = of_killer(&honest, "mean_share");
    assert!(of_killer(&killed, "mean_low") <= mean && mean <= of_killer(&killed, "mean_high"), "{killed}");

    let losses = place.referee(&["tournament", "status", "--dir", "killed", "--losses", "--format", "csv"]);
    let losses = losses.with_status(0).out;
    let share = |bot: &str| -> f64 {
        let row = losses.lines().find(|line| line.starts_with(&format!("bot,{bot},"))).expect("its row");
        row.rsplit(',').next().and_then(|share| share.parse().ok()).expect("a share")
    };
    for other in ["fox", "hen", "owl"] {
        assert!(share(KILLER) > 1.3 * share(other), "{losses}");
    }
    assert!(losses.contains(&format!(",{kills},{},", lost.len())), "lost and void: {losses}");
}
