//! The cup of comFoosball 2013, played in full by bots whose script leads to every possible tie.

use std::fs;

use referee_files::results;

use crate::called::Calls;
use crate::support::Place;

use super::{guests, plan_by_call};

const CUP: &str = r#"
name = "cup"
game = "foosball"
seed = "5"
sandbox = "off"
[format]
kind = "comfoosball"
games = 1
play_offs = 1
final_games = 1
final_further_games = 1
sudden_deaths = 3
"#;

/// The turn in which each bot leaves each of its games. The bot that leaves first loses; bots that leave together
/// are level.
///
/// | | round robin | play-off | sudden death for the final | final, further game, sudden death |
/// | --- | --- | --- | --- | --- |
/// | ada | level with all | beats both | | level, level, level, lost |
/// | bob | level with all | lost to ada, level with cid | level, won | level, level, level, won |
/// | cid | level with all | lost to ada, level with bob | level, lost | |
const LEAVES: [(&str, &str); 3] =
    [("ada", "2 2  3 3  2 2 2 2"), ("bob", "2 2  2 2  2 3  2 2 2 3"), ("cid", "2 2  2 2  2 2")];

#[test]
fn ties_at_the_cut_are_played_off_and_sudden_death_decides_who_plays_the_final_and_who_wins_it() {
    let place = Place::new();
    let mut file = CUP.to_owned();
    for (name, leaves) in LEAVES {
        let count = place.path(&format!("{name}.games"));
        let turns = leaves.split_whitespace().collect::<Vec<_>>().join(" ");
        file += &guests(&place, &[(name, &format!("leaves {}: {turns}", count.display()))]);
    }
    fs::write(place.path("cup.toml"), file).expect("a file");
    plan_by_call(&place, "cup.toml", "T");
    let ran = place.call(&["tournament", "run", "--dir", "T", "--jobs", "1"]).with_status(0);
    assert!(
        ran.err.ends_with("the final is won by sudden death; sudden death decided who plays it\n"),
        "{ran:?}"
    );

    // Rounds: 3 of the round robin, 3 of the play-off, 2 of sudden death, 4 of the final; one game each, all in one
    // file.
    let listed = results::read(&place.path("T/results.csv")).expect("the results");
    let rounds: Vec<u32> =
        listed.chunks(2).filter_map(|game| Some(game[0].1.place_in_schedule?.round)).collect();
    assert_eq!(rounds, (1..=12).collect::<Vec<u32>>());
    assert!(place.path("T/rounds/0012").exists() && !place.path("T/rounds/0013").exists());
    for of_all in ["results.csv", "voids.csv", "logs", "stderr"] {
        assert!(!place.path("T/rounds/0012").join(of_all).exists());
    }
    for path in ["T", "T/results.csv"] {
        let audited = place.call(&["audit", path]).with_status(0);
        assert!(audited.out.contains("12 ") && !audited.out.contains("incomplete"), "{audited:?}");
    }
    place.call(&["report", "T", "--html", "report"]).with_status(0);
    let games = fs::read_to_string(place.path("report/games.csv")).expect("a table");
    let last = &listed.last().expect("a row").1.game;
    assert!(games.lines().count() == 1 + 2 * 12 && games.contains(&format!("\n{last},")), "{games}");
    let told = place.call(&["hill", "log", "T", last]).with_status(0);
    assert!(told.out.contains("T/logs/r0012/"), "{told:?}");
    for game in [last, "11"] {
        place.call(&["replay", "T", game, "--plain", "--turn", "0"]).with_status(0);
    }

    let standings = place.call(&["tournament", "standings", "--dir", "T", "--format", "csv"]).with_status(0);
    let mut csv = csv::Reader::from_reader(standings.out.as_bytes());
    let columns = csv.headers().expect("a header").clone();
    let column = |name: &str| columns.iter().position(|column| column == name).expect("a column");
    let wanted = ["place", "bot", "games", "points", "mean_share"].map(column);
    let rows: Vec<[String; 5]> = csv
        .records()
        .map(|row| {
            let row = row.expect("a row");
            wanted.map(|index| row[index].to_owned())
        })
        .collect();
    // By hand: 5.5 of 10, 4.5 of 8 and 2 of 6. The final decides, not the mean.
    let due =
        [["1", "bob", "10", "2", "0.55"], ["2", "ada", "8", "2", "0.5625"], ["3", "cid", "6", "2", "0.3333"]];
    assert_eq!(rows, due);
    // All tables of places agree.
    let first_two = |text: &str| -> Vec<String> {
        text.lines().skip(1).map(|line| line.split(',').take(3).collect::<Vec<_>>().join(",")).collect()
    };
    let of_set = ["tournament", "standings", "--dir", "T", "--set", "1", "--format", "csv"];
    let due = ["1,bob,10", "2,ada,8", "3,cid,6"];
    assert_eq!(first_two(&place.call(&of_set).with_status(0).out), due);
    let in_report = fs::read_to_string(place.path("report/standings.csv")).expect("a table");
    assert_eq!(first_two(&in_report), due);
    let matches = place.call(&["tournament", "matches", "--dir", "T", "--format", "csv"]).with_status(0);
    assert_eq!(fs::read_to_string(place.path("report/matches.csv")).expect("a table"), matches.out);
    let last_match = matches.out.lines().last().expect("a line");
    assert!(last_match.starts_with("final,ada,bob,0,1,3,1.5,2.5,bob,games,s001-r00009-"), "{matches:?}");
    assert!(ran.err.contains("turns), sudden death 1, round 1, match 1, game 1\n"), "{ran:?}");
}
