//! Seasons that are played until clear: by real processes, recorded, recomputed by an audit.

use std::fs;

use crate::called::Calls;
use crate::support::{Place, results_in, rows_of_json};

const QUICK: [&str; 6] = ["-p", "10", "-k", "10", "--max-turns", "60"];

#[test]
fn a_season_is_played_until_one_bot_is_clearly_the_best() {
    let place = Place::new();
    let hill = place.hill_of_guests("hill", &QUICK, &[("fox", "greedy"), ("stone", "still")]);
    let words =
        ["hill", "run", "hill", "--until-clear", "--alpha", "0.5", "--min-rounds", "2", "--max-rounds", "40"];
    let ran = place.call(&[&words[..], &["--verbose"]].concat()).with_status(0);
    let before_the_first_game = ran.err.split("s001-r00001").next().unwrap();
    assert!(
        before_the_first_game.contains("betting, alpha 0.372, epsilon 0.01, 2 to 40 rounds"),
        "{}",
        ran.err
    );
    assert!(ran.err.lines().last().unwrap().contains("clear king: fox 1"), "{}", ran.err);
    let shown = place.call(&["hill", "standings", "hill"]).with_status(0).out;
    let said = shown.lines().next().expect("a line");
    let due = "fox leads, proven the best. Season 1, after round ";
    assert!(said.starts_with(due) && said.contains(": clear king: fox 1."), "{shown}");
    assert!(shown.lines().nth(1).is_some_and(|line| line.starts_with('┌')), "then the table: {shown}");
    let verdicts = fs::read_to_string(hill.join("verdicts.csv")).unwrap();
    let row: Vec<&str> = verdicts.lines().nth(1).unwrap().split(',').collect();
    let rounds = results_in(&hill).iter().filter_map(|row| row.place_in_schedule).map(|at| at.round).max();
    assert_eq!(
        row,
        [
            "1",
            "0.372",
            "0.01",
            "2",
            "40",
            &rounds.unwrap().to_string(),
            "clear_king",
            "fox 1",
            "betting",
            "6",
            "winner",
            "",
            "score",
            "",
            "7"
        ]
    );

    // Once more: no game is left, and nothing is reported.
    place.call(&words).with_status(0);
    assert_eq!(fs::read_to_string(hill.join("verdicts.csv")).unwrap(), verdicts);
    place.call(&["audit", "hill"]).with_status(0);

    let ranks =
        place.call(&["hill", "standings", "hill", "--alpha", "0.5", "--format", "csv"]).with_status(0);
    assert!(ranks.out.lines().nth(1).unwrap().starts_with("1,fox,"), "{}", ranks.out);
    let ranks =
        place.call(&["hill", "standings", "hill", "--alpha", "0.5", "--format", "json"]).with_status(0);
    let ranks = rows_of_json(&ranks.out);
    assert!(ranks[0]["likely_best"] == 1 && ranks[0]["likely_worst"] == 1, "{ranks:?}");
    let pairs = place.call(&["hill", "standings", "hill", "--pairs", "--format", "csv"]).with_status(0);
    assert!(pairs.out.contains("\nfox,1,stone,1,"), "{}", pairs.out);
    let fairness = place.call(&["hill", "fairness", "hill"]).with_status(0);
    assert!(fairness.out.contains("no sign of unfairness (too few rounds for a test)"), "{}", fairness.out);

    for (from, to) in [("clear_king", "joint_kings"), ("fox 1", "stone 1"), (",0.372,", ",0.0001,")] {
        fs::write(hill.join("verdicts.csv"), verdicts.replace(from, to)).unwrap();
        place
            .call(&["audit", "hill"])
            .with_status(3)
            .complaining(&["verdicts.csv, line 2", "the results give"]);
    }
}

#[test]
fn verdicts_and_seasons_of_another_edition_are_refused_by_name() {
    let place = Place::new();
    let settings = [&QUICK[..], &["--seed", "7", "--block", "one-game"]].concat();
    let hill = place.hill_of_guests("hill", &settings, &[("fox", "greedy"), ("stone", "still")]);
    place
        .call(&["hill", "run", "hill", "--until-clear", "--alpha", "0.5", "--max-rounds", "40"])
        .with_status(0);
    let files = ["verdicts.csv", "seasons.csv"].map(|name| (name, hill.join(name)));
    let texts = files.clone().map(|(_, path)| fs::read_to_string(path).unwrap());
    let changes =
        [(",betting,6,", [",betting,4,", ",betting,7,"]), (" edition=6 ", [" edition=4 ", " edition=7 "])];
    for (((name, path), text), (from, to)) in files.iter().zip(&texts).zip(changes) {
        for (to, complaint) in to.into_iter().zip(["commit 5bab9c5d", "of a later version"]) {
            assert!(text.contains(from), "{text}");
            fs::write(path, text.replace(from, to)).unwrap();
            place
                .call(&["audit", "hill"])
                .with_status(3)
                .complaining(&[name, "line 2", "edition", complaint]);
        }
        fs::write(path, text).unwrap();
    }
    // The terms of earlier versions did not name the rule.
    let before = texts[1].replace(" method=betting edition=6 alpha=0.5 epsilon=0.01", "");
    assert_ne!(before, texts[1]);
    fs::write(&files[1].1, before).unwrap();
    place.call(&["hill", "run", "hill"]).with_status(3).complaining(&[
        "seasons.csv",
        "line 2",
        "its terms name no rule of a verdict",
    ]);
}

#[test]
fn a_rule_that_is_named_after_the_first_game_begins_a_new_season() {
    let place = Place::new();
    let hill = place.hill_of_guests("hill", &QUICK, &[("fox", "greedy"), ("twin", "greedy")]);
    place.call(&["hill", "run", "hill", "--rounds", "4"]).with_status(0);
    // Who looks at four rounds and then asks for less would have a king at once.
    let lax = ["--alpha", "0.5", "--epsilon", "0.9", "--min-rounds", "4", "--max-rounds", "5"];
    let ran = place.call(&[&["hill", "run", "hill", "--until-clear"], &lax[..]].concat()).with_status(0);
    let changes = "season 2 begins because settings changed: method=betting alpha=0.05 epsilon=0.01 before, \
                   method=betting alpha=0.5 epsilon=0.9 now";
    assert!(ran.err.contains(changes), "{}", ran.err);
    let verdicts = fs::read_to_string(hill.join("verdicts.csv")).unwrap();
    assert!(verdicts.lines().nth(1).unwrap().starts_with("2,0.0658,0.9,4,5,"), "{verdicts}");
    // The board goes on.
    let standings = place.call(&["hill", "standings", "hill", "--format", "json"]).with_status(0);
    let table: serde_json::Value = serde_json::from_str(&standings.out).expect("JSON");
    assert!(table["season"] == 2 && table["games_before"] == 16, "{table}");

    // Rounds and other runs without a rule of their own go on with this season, and so does its rule.
    place.call(&["hill", "run", "hill", "--rounds", "1"]).with_status(0);
    place.call(&["hill", "run", "hill", "--until-clear", "--max-rounds", "10"]).with_status(0);
    let seasons = fs::read_to_string(hill.join("seasons.csv")).unwrap();
    assert!(seasons.contains("\n2,") && !seasons.contains("\n3,"), "{seasons}");
    place.call(&["audit", "hill"]).with_status(0);
    // A verdict by another rule than that of its season is found.
    let strict = seasons.replace("alpha=0.5 epsilon=0.9", "alpha=0.05 epsilon=0.9");
    fs::write(hill.join("seasons.csv"), strict).unwrap();
    place.call(&["audit", "hill"]).with_status(3).complaining(&["season 2 began with another rule"]);
}

#[test]
fn a_season_that_is_not_clear_ends_with_its_last_round() {
    let place = Place::new();
    let hill =
        place.hill_of_guests("hill", &QUICK, &[("fox", "greedy"), ("twin", "greedy"), ("third", "greedy")]);
    let words = ["hill", "run", "hill", "--until-clear", "--min-rounds", "1", "--max-rounds", "1"];
    let ran = place.call(&words).with_status(0);
    assert!(
        ran.err
            .contains("season 1 ended after 1 round: no clear winner (not separated): fox 1 twin 1 third 1"),
        "{}",
        ran.err
    );
    let verdicts = fs::read_to_string(hill.join("verdicts.csv")).unwrap();
    assert!(
        verdicts
            .ends_with("1,0.0372,0.01,1,1,1,not_separated,fox 1 twin 1 third 1,betting,6,winner,,score,,7\n"),
        "{verdicts}"
    );
    let standings = place.call(&["hill", "standings", "hill", "--format", "json"]).with_status(0);
    let table: serde_json::Value = serde_json::from_str(&standings.out).expect("JSON");
    assert!(table["rows"][0]["likely_best"] == 1, "{table}");
    assert!(table["hill"] == "hill" && table["game"] == "football", "{table}");
    assert!(table["season"] == 1 && table["round"] == 1, "{table}");
    assert_eq!(table["verdict"]["verdict"], "not_separated");
    assert_eq!(table["verdict"]["kings"][0], serde_json::json!({ "bot": "fox", "version": 1 }));
}

#[test]
fn a_rule_that_makes_no_sense_is_refused_before_anything_is_played() {
    let place = Place::new();
    place.hill_of_guests("hill", &QUICK, &[("fox", "greedy"), ("stone", "still")]);
    for (words, complaint) in [
        (&["--until-clear", "--alpha", "2"][..], "alpha must be a probability"),
        (&["--until-clear", "--epsilon", "1"], "epsilon must be a difference"),
        (
            &["--until-clear", "--min-rounds", "9", "--max-rounds", "8"],
            "max_rounds must be at least 9, not 8",
        ),
        (&["--alpha", "0.1"], "--until-clear"),
        (&["--until-clear", "--rounds", "3"], "cannot be used with"),
    ] {
        place.call(&[&["hill", "run", "hill"], words].concat()).with_status(2).complaining(&[complaint]);
    }
}

#[test]
fn a_season_is_played_until_the_field_is_ranked_and_keeps_that_rule() {
    let place = Place::new();
    let hill = place.hill_of_guests("hill", &QUICK, &[("fox", "greedy"), ("stone", "still")]);
    let words = ["hill", "run", "hill", "--until-ranked", "--alpha", "0.5", "--min-rounds", "2"];
    let ran = place.call(&words).with_status(0);
    assert!(
        ran.err.contains("season 1: playing until all bots are ranked, at most 10000 rounds"),
        "{}",
        ran.err
    );
    let found = "the field is ranked: 1 fox 1; 2 stone 1";
    assert!(ran.err.contains(found), "{}", ran.err);
    let legend = "The season ends when it is ranked: of each two bots it is then known which is better, or that they \
                  differ by no more than 0.01.";
    let shown = ran.out.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(shown.contains(legend) && shown.contains(&format!(": {found}")), "{}", ran.out);
    let seasons = fs::read_to_string(hill.join("seasons.csv")).unwrap();
    assert!(seasons.contains(" method=betting edition=6 alpha=0.5 epsilon=0.01 until=ranked,"), "{seasons}");
    let verdicts = fs::read_to_string(hill.join("verdicts.csv")).unwrap();
    let row = verdicts.lines().nth(1).unwrap();
    assert!(row.starts_with("1,0.372,0.01,2,10000,"), "{verdicts}");
    assert!(row.ends_with(",ranked,fox 1,betting,6,ranked,1 fox 1; 2 stone 1,score,,7"), "{verdicts}");
    let standings = place.call(&["hill", "standings", "hill", "--format", "json"]).with_status(0);
    let table: serde_json::Value = serde_json::from_str(&standings.out).expect("JSON");
    let second = serde_json::json!({ "place": 2, "bot": "stone", "version": 1 });
    assert_eq!((&table["verdict"]["verdict"], &table["verdict"]["ranking"][1]), (&"ranked".into(), &second));

    // Other rounds go on with the season and its rule; another question begins a new one.
    place.call(&["hill", "run", "hill", "--rounds", "1"]).with_status(0);
    place.call(&["hill", "run", "hill", "--until-ranked", "--min-rounds", "2"]).with_status(0);
    assert_eq!(fs::read_to_string(hill.join("verdicts.csv")).unwrap(), verdicts);
    place.call(&["audit", "hill"]).with_status(0);
    let clear = place.call(&["hill", "run", "hill", "--until-clear", "--max-rounds", "10"]).with_status(0);
    assert!(
        clear.err.contains("epsilon=0.01 until=ranked before, method=betting alpha=0.05"),
        "{}",
        clear.err
    );
    let both = fs::read_to_string(hill.join("verdicts.csv")).unwrap();
    for (from, to, complaint) in [
        ("1 fox 1; 2 stone 1", "1 stone 1; 2 fox 1", "the results give ranked in round"),
        (",betting,6,ranked,1 fox 1", ",sign,6,ranked,1 fox 1", "the method sign is gone: begin a new hill"),
    ] {
        fs::write(hill.join("verdicts.csv"), both.replace(from, to)).unwrap();
        place.call(&["audit", "hill"]).with_status(3).complaining(&["verdicts.csv, line 2", complaint]);
    }
}

#[test]
fn a_hill_says_what_its_seasons_are_played_for_and_a_season_that_has_begun_keeps_it() {
    let place = Place::new();
    let settings = [&QUICK[..], &["--until", "ranked"]].concat();
    let hill = place.hill_of_guests("hill", &settings, &[("fox", "greedy"), ("stone", "still")]);
    // Plain rounds begin the season that the host wants, so that a later run to the verdict goes on with it.
    place.call(&["hill", "run", "hill", "--rounds", "2"]).with_status(0);
    let seasons = || fs::read_to_string(hill.join("seasons.csv")).unwrap();
    assert!(
        seasons().contains(" method=betting edition=6 alpha=0.05 epsilon=0.01 until=ranked,"),
        "{}",
        seasons()
    );
    place.call(&["hill", "run", "hill", "--until-ranked", "--max-rounds", "10"]).with_status(0);
    assert!(!seasons().contains("\n2,"), "{}", seasons());

    let file = fs::read_to_string(hill.join("hill.toml")).unwrap();
    let with = |until: &str| {
        let text = file.replace("until = \"ranked\"\n", until);
        assert_ne!(text, file);
        fs::write(hill.join("hill.toml"), text).unwrap();
    };
    with("until = \"clear\"\n");
    place.call(&["hill", "run", "hill", "--rounds", "1"]).with_status(0);
    assert!(!seasons().contains("\n2,"), "a season that has begun keeps its rule: {}", seasons());
    place.call(&["audit", "hill"]).with_status(0);
    place.call(&["hill", "run", "hill", "--until-clear", "--max-rounds", "10"]).with_status(0);
    let second = seasons().lines().find(|line| line.starts_with("2,")).expect("a new season").to_owned();
    assert!(second.contains(" method=betting ") && !second.contains("until="), "{second}");
    // A file of an earlier version has no such key.
    with("");
    place.call(&["hill", "run", "hill"]).with_status(0);
    place.call(&["hill", "new", "other", "football", "--until", "king"]).with_status(2);
}

#[test]
fn a_hill_says_what_counts_and_a_season_that_has_begun_keeps_it() {
    let place = Place::new();
    let settings = [&QUICK[..], &["--rank-by", "win"]].concat();
    let hill = place.hill_of_guests("hill", &settings, &[("fox", "greedy"), ("stone", "still")]);
    let clear = ["hill", "run", "hill", "--until-clear", "--alpha", "0.5", "--min-rounds", "2"];
    let ran = place.call(&clear).with_status(0);
    let shown = ran.out.split_whitespace().collect::<Vec<&str>>().join(" ");
    let legend = "won_percent, the part of its games that a bot has won, decides the place: it is the mean of 1 for a \
                  win, shared by all winners.";
    assert!(shown.contains(legend), "{}", ran.out);
    let standings = place.call(&["hill", "standings", "hill", "--format", "json"]).with_status(0);
    let rows = rows_of_json(&standings.out);
    assert!(rows.iter().all(|row| row["mean_share"] == row["win_share"]), "{rows:?}");
    let seasons = fs::read_to_string(hill.join("seasons.csv")).unwrap();
    assert!(seasons.contains(" epsilon=0.01 rank_by=win,"), "{seasons}");
    let verdicts = fs::read_to_string(hill.join("verdicts.csv")).unwrap();
    assert!(verdicts.ends_with(",clear_king,fox 1,betting,6,winner,,win,,7\n"), "{verdicts}");
    place.call(&["audit", "hill"]).with_status(0);
    fs::write(hill.join("verdicts.csv"), verdicts.replace(",win,,7", ",place,,7")).unwrap();
    place.call(&["audit", "hill"]).with_status(3).complaining(&["verdicts.csv, line 2"]);
    fs::write(hill.join("verdicts.csv"), verdicts).unwrap();

    let file = fs::read_to_string(hill.join("hill.toml")).unwrap();
    fs::write(hill.join("hill.toml"), file.replace("rank_by = \"win\"", "rank_by = \"place\"")).unwrap();
    place.call(&["audit", "hill"]).with_status(0);
    let ran = place.call(&["hill", "run", "hill", "--rounds", "1"]).with_status(0);
    let begins = "season 2 begins because settings changed: method=betting alpha=0.5 epsilon=0.01 rank_by=win before, \
                  method=betting alpha=0.5 epsilon=0.01 rank_by=place now";
    assert!(ran.err.contains(begins), "{}", ran.err);
    fs::write(hill.join("hill.toml"), file.replace("rank_by = \"win\"", "rank_by = \"goals\"")).unwrap();
    place.call(&["hill", "run", "hill"]).with_status(2).complaining(&["hill.toml, line", "rank_by"]);
}

#[test]
fn a_season_by_a_method_that_is_gone_is_refused_in_one_sentence() {
    let place = Place::new();
    let settings = [&QUICK[..], &["--block", "one-game"]].concat();
    let hill = place.hill_of_guests("hill", &settings, &[("fox", "greedy"), ("stone", "still")]);
    place.call(&["hill", "run", "hill"]).with_status(0);
    let seasons = fs::read_to_string(hill.join("seasons.csv")).unwrap();
    assert!(seasons.contains(" method=betting edition=6 "), "{seasons}");
    fs::write(hill.join("seasons.csv"), seasons.replace("=betting ", "=asymptotic ")).unwrap();
    let refused = place.call(&["hill", "run", "hill"]);
    refused.complaining(&["seasons.csv, line 2", "the method asymptotic is gone"]);
}

#[test]
fn a_run_tells_programs_king_rounds_and_evidence_and_standings_have_late_answers_and_lost_games() {
    let place = Place::new();
    place.hill_of_guests("hill", &QUICK, &[("fox", "greedy"), ("stone", "still")]);
    let run = |words: &[&str]| -> serde_json::Value {
        let words = [&["hill", "run", "hill", "--format", "json"], words].concat();
        serde_json::from_str(&place.call(&words).with_status(0).out).expect("a line of JSON")
    };
    let so_far = run(&["--rounds", "2"]);
    assert_eq!(
        (&so_far["ended"], &so_far["season"], &so_far["rounds"]),
        (&"complete".into(), &1.into(), &2.into())
    );
    assert!(so_far["king"].is_null() && so_far["verdict"].is_null(), "{so_far}");
    let evidence = &so_far["evidence"];
    assert_eq!((&evidence["leader"], &evidence["rival"]), (&"fox".into(), &"stone".into()), "{evidence}");
    assert!(evidence["odds"].as_f64() < evidence["needed"].as_f64(), "{evidence}");

    let table = place.call(&["hill", "standings", "hill", "--format", "json"]).with_status(0).out;
    let table: serde_json::Value = serde_json::from_str(&table).expect("JSON");
    assert_eq!(&table["evidence"], evidence);
    let columns = place.call(&["hill", "standings", "hill", "--format", "csv"]).with_status(0).out;
    let columns: Vec<&str> = columns.lines().next().expect("a header").split(',').collect();
    for column in ["late", "faults", "lost_games"] {
        assert!(columns.contains(&column) && table["rows"][0][column] == 0, "{column}: {columns:?}");
    }

    // The rule of the season is that of the first run.
    let over = run(&["--until-clear", "--min-rounds", "2", "--max-rounds", "100"]);
    assert_eq!((&over["king"], &over["verdict"]), (&"fox".into(), &"clear_king".into()), "{over}");
    assert!(over["rounds"].as_u64() > Some(2) && over["evidence"].is_null(), "{over}");
}
