//! Tournaments with `[stop]`: rounds in stages until it is clear.

use std::fs;

use referee_contest::fixture::game_id;
use referee_contest::plan::open;
use referee_contest::runner::GameEnd;
use referee_record::Share;
use referee_record::game_result::GameResult;
use referee_record::results::ResultRow;

use crate::called::Calls;
use crate::random::Random;
use crate::support::{Place, rows_of_json};

use super::simulated::commit;
use super::{guests, listed, plan_by_call};

/// A file with bots, each with the turn in which it leaves each game. The bot that leaves first loses; bots
/// that leave together are level.
fn file(place: &Place, stop: &str, bots: &[(&str, &str)]) -> String {
    let entrants = bots.iter().map(|(name, turn)| guests(place, &[(name, &format!("exits {turn} 1"))]));
    let entrants: String = entrants.collect();
    format!(
        "name = \"x\"\ngame = \"foosball\"\nseed = \"3\"\nsandbox = \"off\"\n[format]\nkind = \"rounds\"\n{stop}\n{entrants}"
    )
}

/// The fox wins every game.
const FOX_AND_REST: [(&str, &str); 2] = [("rest", "1"), ("fox", "2")];

#[test]
fn rounds_go_on_in_stages_until_one_bot_is_clearly_the_best() {
    let place = Place::new();
    let text = file(&place, "rounds = 40\n[stop]\nmin_rounds = 2\nlook_every = 3", &FOX_AND_REST);
    fs::write(place.path("x.toml"), text).expect("a file");
    let planned = place.call(&["tournament", "plan", "x.toml", "--dir", "T"]).with_status(0);
    let rule = "until clear: betting, alpha 0.05, epsilon 0.01, 2 to 40 rounds; results are checked after round 3, \
                then every 3 rounds";
    assert!(planned.out.contains(rule), "{planned:?}");
    let joint = "minimum number of rounds for joint winners, by the standard deviation of the difference of two bots \
                 in a round: about 610 at 0.05, ";
    assert!(planned.out.contains(joint) && planned.out.contains("(the maximum is 40)"), "{planned:?}");
    assert!(planned.out.starts_with("x, round 1: 6 games"), "a stage is planned, not all: {planned:?}");

    let ran = place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let before_the_first_game = ran.err.split("s001-r00001").next().expect("a part");
    assert!(before_the_first_game.contains(rule), "{ran:?}");
    // The fox wins every game: 9 differences of 1 have been seen by then, and 6 are not enough.
    assert!(
        ran.err
            .ends_with("clear king after round 9: fox (betting, alpha 0.05, epsilon 0.01, 2 to 40 rounds)\n")
    );
    assert!(place.path("T/rounds/0003/plan.toml").exists() && !place.path("T/rounds/0004").exists());
    assert_eq!(listed(&place.path("T")).len(), 1 + 9 * 2 * 2, "all stages, and all of the last one");
    let verdicts = fs::read_to_string(place.path("T/verdicts.csv")).expect("verdicts");
    assert!(
        verdicts.ends_with("\n1,0.05,0.01,2,40,9,clear_king,fox 1,betting,6,winner,,score,,7\n"),
        "{verdicts}"
    );

    let status = place.call(&["tournament", "status", "--dir", "T", "--format", "json"]).with_status(0);
    assert!(status.out.contains(r#""verdict": "clear king after round 9: fox 1""#), "{status:?}");
    let standings = ["tournament", "standings", "--dir", "T", "--format", "csv"];
    let shown = place.call(&standings).with_status(0);
    assert!(shown.err.contains("clear king after round 9: fox"), "{shown:?}");

    fs::write(place.path("T/verdicts.csv"), verdicts.replace("fox", "rest")).expect("a file");
    let changed = place.call(&standings).with_status(3);
    changed.complaining(&["verdicts.csv, line 2: the results give clear_king in round 9: fox 1"]);
}

#[test]
fn in_shards_the_rule_looks_at_whole_stages_alone_and_nothing_is_played_beyond_one() {
    let place = Place::new();
    let text = file(&place, "rounds = 40\n[stop]\nmin_rounds = 2\nlook_every = 3", &FOX_AND_REST);
    let text = format!("batch = 2\n{text}");
    fs::write(place.path("x.toml"), text).expect("a file");
    ["whole", "T"].iter().for_each(|dir| plan_by_call(&place, "x.toml", dir));
    place.call(&["tournament", "run", "--dir", "whole", "--jobs", "2"]).with_status(0);

    let of_round = |round: u32| match round {
        1 => place.path("T"),
        _ => place.path(&format!("T/rounds/{round:04}")),
    };
    let results = || fs::read_to_string(place.path("T/results.csv")).unwrap_or_default();
    let mut first_stage = String::new();
    for round in 1..=3 {
        let before = results();
        // The end of the stage comes first: a bot that has won all games so far is no king for it.
        for shard in ["2/3", "0/3", "1/3"] {
            let next = (round + 1).to_string();
            let early = place.call(&["tournament", "plan", "--dir", "T", "--round", &next]);
            let why = format!("results.csv: round {round} is not in it yet: play it first");
            early.with_status(2).complaining(&[&why]);
            assert!(!place.path("T/verdicts.csv").exists());
            place.call(&["tournament", "run", "--dir", "T", "--shard", shard]).with_status(0);
            assert!(!of_round(round + 1).exists(), "a shard plays its stage and no more");
        }
        let rows = 3 * round as usize * 2 * 2;
        assert_eq!(results().lines().count(), 1 + rows, "whole rounds, up to the checkpoint");
        assert!(results().starts_with(&before), "it only grows");
        if round == 1 {
            first_stage = results();
        }
        let next = (round + 1).to_string();
        place.call(&["tournament", "plan", "--dir", "T", "--round", &next]).with_status(0);
    }
    assert!(!of_round(4).exists(), "it is over");
    let verdicts = |dir: &str| fs::read_to_string(place.path(dir).join("verdicts.csv")).expect("verdicts");
    assert_eq!(verdicts("T"), verdicts("whole"));
    assert!(verdicts("T").ends_with(",9,clear_king,fox 1,betting,6,winner,,score,,7\n"));

    // Of results with a gap, nothing follows.
    fs::remove_file(place.path("T/verdicts.csv")).expect("a file");
    fs::remove_dir_all(place.path("T/rounds/0002/records")).expect("the records");
    fs::write(place.path("T/results.csv"), first_stage).expect("the results");
    let gone =
        place.call(&["tournament", "plan", "--dir", "T", "--round", "4"]).complaining(&["results.csv"]);
    assert_ne!(gone.status, Some(0), "{gone:?}");
    assert!(!place.path("T/verdicts.csv").exists());
}

#[test]
fn joint_kings_share_the_first_place_and_the_rounds_are_the_most_there_are() {
    let place = Place::new();
    let bots = [("fox", "3"), ("owl", "3"), ("hen", "2")];
    let text = file(&place, "rounds = 200\n[stop]\nepsilon = 0.5\nmin_rounds = 1\nlook_every = 4", &bots);
    fs::write(place.path("joint.toml"), text).expect("a file");
    plan_by_call(&place, "joint.toml", "joint");
    let ran = place.call(&["tournament", "run", "--dir", "joint"]).with_status(0);
    assert!(ran.err.contains(": fox, owl (betting, alpha 0.05, epsilon 0.5, 1 to 200 rounds)"), "{ran:?}");
    let standings = place.call(&["tournament", "standings", "--dir", "joint", "--format", "csv"]).out;
    // Their means differ a little, depending on how often they met.
    let mut places: Vec<&str> = standings.lines().skip(1).map(|line| &line[..6]).collect();
    places.sort_unstable();
    assert_eq!(places, ["1,fox,", "1,owl,", "3,hen,"]);

    fs::write(place.path("short.toml"), file(&place, "rounds = 2\n[stop]\nmin_rounds = 1", &FOX_AND_REST))
        .expect("a file");
    plan_by_call(&place, "short.toml", "short");
    let ran = place.call(&["tournament", "run", "--dir", "short"]).with_status(0);
    assert!(ran.err.contains("\nnot separated after round 2: rest, fox ("), "{ran:?}");
}

#[test]
fn each_sub_tournament_is_played_until_it_is_clear_and_they_share_alpha() {
    let place = Place::new();
    let sets = "rounds = 60\n[stop]\nalpha = 0.1\nlook_every = 2\n[parameters]\nvariant = [\"text\", \"server2013\"]";
    fs::write(place.path("x.toml"), file(&place, sets, &FOX_AND_REST)).expect("a file");
    plan_by_call(&place, "x.toml", "T");
    let ran = place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let verdicts = fs::read_to_string(place.path("T/verdicts.csv")).expect("verdicts");
    let rows: Vec<&str> = verdicts.lines().skip(1).collect();
    assert!(rows.len() == 2 && rows.iter().all(|row| row.contains(",0.05,0.01,10,60,")), "{verdicts}");
    assert!(ran.err.contains("\nsub-tournament 2: clear king after round "), "{ran:?}");
}

/// Records and lists the current stage, as if it had been played: the fox has won all games except the first
/// ones, which are void. Returns their names.
fn fox_wins(place: &Place, dir: &str, voids: usize) -> Vec<String> {
    let mut void = Vec::new();
    commit(&open(&place.path(dir)).expect("a plan"), &mut Random::new(1), |game, rows| {
        if void.len() < voids {
            void.push(game_id(game.scheduled));
            return GameEnd::Void("the referee was brought down".to_owned());
        }
        let came = |row: ResultRow| {
            let wins = u8::from(row.bot.name == "fox");
            ResultRow {
                score: wins.into(),
                share: Share::of(wins.into()),
                place: 2 - usize::from(wins),
                ..row
            }
        };
        GameEnd::Over(GameResult::new(rows.into_iter().map(came).collect()))
    });
    void
}

#[test]
fn no_verdict_rests_on_what_was_ruled_on_void_games() {
    let place = Place::new();
    let stages = file(&place, "rounds = 40\n[stop]\nmin_rounds = 2\nlook_every = 9", &FOX_AND_REST);
    fs::write(place.path("x.toml"), stages).expect("a file");
    let plan_round = |dir: &str, round: &str| {
        place.call(&["tournament", "plan", "--dir", dir, "--round", round]).with_status(0);
    };
    let verdicts = |dir: &str| fs::read_to_string(place.path(dir).join("verdicts.csv")).ok();
    let standings = |dir: &str| -> Vec<serde_json::Value> {
        let words = ["tournament", "standings", "--dir", dir, "--format", "json"];
        rows_of_json(&place.call(&words).with_status(0).out)
    };

    // Without void games the fox is king after nine rounds.
    plan_by_call(&place, "x.toml", "whole");
    fox_wins(&place, "whole", 0);
    plan_round("whole", "2");
    assert!(
        verdicts("whole").expect("a verdict").ends_with(",9,clear_king,fox 1,betting,6,winner,,score,,7\n")
    );

    // With two, which it may have lost, it is not, even after rulings; it is after nine more.
    let rulings: [(&str, &[&str], f64); 4] = [
        ("open", &[], 34.0 / 34.0),
        ("won", &["--lost-by", "rest"], 36.0 / 36.0),
        ("level", &["--level"], 35.0 / 36.0),
        ("lost", &["--lost-by", "fox"], 34.0 / 36.0),
    ];
    for (dir, ruling, mean) in rulings {
        plan_by_call(&place, "x.toml", dir);
        let void = fox_wins(&place, dir, 2);
        let rule = || {
            let void: Vec<&str> = void.iter().map(String::as_str).collect();
            place.call(&[&["tournament", "rule", "--dir", dir], ruling, &void].concat()).with_status(0);
        };
        if !ruling.is_empty() {
            rule();
        }
        plan_round(dir, "2");
        assert_eq!(verdicts(dir), None, "{dir}: the void games may have come to anything");
        fox_wins(&place, dir, 0);
        plan_round(dir, "3");
        let verdict = verdicts(dir).expect("a verdict");
        assert!(verdict.ends_with(",18,clear_king,fox 1,betting,6,winner,,score,,7\n"), "{dir}: {verdict}");

        let rows = standings(dir);
        let fox = rows.iter().find(|row| row["bot"] == "fox").expect("its row");
        assert_eq!(
            fox["mean_share"].as_f64().map(|mean| (mean * 1e4).round()),
            Some((mean * 1e4).round()),
            "{dir}: {fox}"
        );
        // Statements of confidence are the same as without rulings.
        for (row, open) in rows.iter().zip(&standings("open")) {
            for (name, value) in row.as_object().expect("a row") {
                let by_ruling = ["games", "mean_share", "win_share", "wins"].contains(&&**name);
                assert!(by_ruling || *value == open[name], "{dir}: {name}: {row} {open}");
            }
        }
    }
}

#[test]
fn a_tournament_until_ranked_ends_with_places_and_level_bots_share_one() {
    let place = Place::new();
    let bots = [("rest", "1"), ("fox", "3"), ("owl", "2"), ("elk", "2")];
    let stop = "rounds = 400\nblock = \"one-game\"\nrank_by = \"place\"\n[stop]\nuntil = \"ranked\"\nepsilon = 0.4\nalpha = 0.5\nracing = true";
    fs::write(place.path("x.toml"), file(&place, stop, &bots)).expect("a file");
    let planned = place.call(&["tournament", "plan", "x.toml", "--dir", "T"]).with_status(0);
    let rule = "until ranked by place: betting, alpha 0.5, epsilon 0.4, 10 to 400 rounds; results are checked after round 10, then \
                every 10 rounds or more; bots of which no pair is undecided leave the race";
    assert!(planned.out.contains(rule) && planned.out.contains("rounds for a shared place"), "{planned:?}");
    let plan_text = fs::read_to_string(place.path("T/plan.toml")).expect("a plan");
    assert!(plan_text.contains("until = \"ranked\"\nmethod = \"betting\"\n"), "{plan_text}");

    let ran = place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    assert!(ran.err.contains("ranked after round "), "{ran:?}");
    let verdicts = fs::read_to_string(place.path("T/verdicts.csv")).expect("verdicts");
    let end = ",ranked,fox 1,betting,6,ranked,1 fox 1; 2 elk 1; 2 owl 1; 4 rest 1,place,,7\n";
    assert!(verdicts.ends_with(end), "{verdicts}");
    let shown = place.call(&["tournament", "standings", "--dir", "T", "--format", "csv"]).with_status(0);
    let places: Vec<&str> = shown.out.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(places, ["1", "2", "2", "4"], "{shown:?}");
    place.call(&["audit", "T"]).with_status(0);
    fs::write(place.path("T/verdicts.csv"), verdicts.replace("2 elk", "3 elk")).expect("a file");
    place.call(&["audit", "T"]).with_status(3).complaining(&["verdicts.csv, line 2: the results give: "]);

    let wrong = file(&place, &stop.replace("alpha", "method = \"sign\"\nalpha"), &bots);
    fs::write(place.path("y.toml"), wrong).expect("a file");
    let refused = place.call(&["tournament", "plan", "y.toml", "--dir", "Y"]).with_status(2);
    refused.complaining(&["y.toml, line 13: method must be \"betting\", not \"sign\""]);
}
