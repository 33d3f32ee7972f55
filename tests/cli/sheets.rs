//! Tables, as people and programs see them.

use referee_report::tables::contests::matches_of;
use referee_report::tables::sheet::{Audience, Cells, Judged, Sheet, share};
use referee_statistics::schedule::format::{Bye, Cup, CupMatch};
use serde_json::{Value, json};

use crate::called::Calls;
use crate::support::Place;

fn sheet() -> Sheet {
    let columns = ["place", "bot", "best", "ranks", "share", "faults", "why", "digest"];
    let mut sheet = Sheet::new(columns)
        .about("season", 3)
        .audience(Audience::Programs, &["best"])
        .audience(Audience::People, &["ranks"])
        .audience(Audience::Wide, &["faults"])
        .cells(Cells::Wrongs, &["faults"])
        .cells(Cells::Prose, &["why"])
        .cells(Cells::Digest, &["digest"]);
    for (place, of_all, faults) in [(1, 0.5, 0), (2, 0.4875, 7)] {
        let why = "a sentence of some words, which may be broken";
        sheet.row(vec![
            place.into(),
            "fox".into(),
            1.into(),
            "1-2".into(),
            share(of_all),
            faults.into(),
            why.into(),
            "0123456789abcdef".into(),
        ]);
    }
    sheet
}

fn names(sheet: &Sheet) -> Vec<&str> {
    sheet.columns().iter().map(|column| &*column.name).collect()
}

#[test]
fn each_sees_the_columns_that_are_for_them() {
    assert_eq!(names(&sheet().for_people()), ["place", "bot", "ranks", "share", "why", "digest"]);
    assert_eq!(names(&sheet().in_full()), ["place", "bot", "ranks", "share", "faults", "why", "digest"]);
    let json = sheet().to_json();
    assert_eq!((&json["schema"], &json["season"]), (&1.into(), &3.into()));
    assert_eq!((&json["rows"][1]["best"], &json["rows"][1]["ranks"]), (&1.into(), &Value::Null));
    assert_eq!(json["rows"][0]["digest"], "0123456789abcdef");
    let mut csv = Vec::new();
    sheet().write_csv(&mut csv).unwrap();
    assert!(csv.starts_with(b"place,bot,best,share,faults,why,digest\n1,fox,1,0.5,0,"));
}

#[test]
fn a_remark_is_a_column_for_programs_and_words_behind_a_cell_for_people() {
    let mut sheet = Sheet::new(["bot", "games", "long_gone"]).remark("long_gone", "bot");
    for (bot, gone) in [("fox", true), ("owl", false), ("cat", true)] {
        sheet.row(vec![bot.into(), 7.into(), gone.into()]);
    }
    let json = sheet.to_json();
    assert_eq!(json["rows"][0], serde_json::json!({ "bot": "fox", "games": 7, "long_gone": true }));
    let mut csv = Vec::new();
    sheet.write_csv(&mut csv).unwrap();
    assert_eq!(String::from_utf8(csv).unwrap(), "bot,games,long_gone\nfox,7,true\nowl,7,false\ncat,7,true\n");
    for people in [sheet.for_people(), sheet.in_full()] {
        assert_eq!(names(&people), ["bot", "games"]);
        assert_eq!([0, 1].map(|row| people.cell(&people.digits(), row, 0)), ["fox (long gone)", "owl"]);
        assert_eq!(
            (people.cell(&people.digits(), 0, 1), &people.rows()[0][0]),
            ("7".to_owned(), &"fox".into())
        );
    }
    assert_eq!(sheet.value(1, "long_gone"), Some(&false.into()));
    assert_eq!((sheet.value(3, "bot"), sheet.value(0, "none")), (None, None));
}

#[test]
fn a_bye_is_no_bot_of_that_name() {
    let line = CupMatch { name: "round 1".into(), pair: (0, 1), games: Vec::new(), winner: None };
    let bye = Bye { round: "round 1".into(), entrant: 2, matches: 1 };
    let cup = Cup { matches: vec![line], bracket: Vec::new(), byes: vec![bye] };
    let json = matches_of(&cup, &["fox", "bye", "owl"]).to_json();
    let told =
        [0, 1].map(|row| ["first", "second", "decided_by"].map(|column| json["rows"][row][column].clone()));
    assert_eq!(told[0], [Value::from("fox"), "bye".into(), Value::Null]);
    assert_eq!(told[1], [Value::from("owl"), "bye".into(), "bye".into()]);
}

#[test]
fn the_last_column_is_left_out_before_a_cell_is_broken() {
    let people = sheet().for_people();
    // place 5, bot 3, ranks 5, share 6, why 20 of 45, digest 12, and 3 for each, 1 at the end
    assert_eq!(names(&people.fitting(70)), names(&people));
    assert_eq!(names(&people.fitting(69)), ["place", "bot", "ranks", "share", "why"]);
    assert_eq!(names(&people.fitting(54)), ["place", "bot", "ranks", "share"]);
    assert_eq!(names(&people.fitting(1)), ["place", "bot"], "these stay");
}

#[test]
fn numbers_of_a_column_have_as_many_digits_and_a_digest_has_twelve() {
    let people = sheet().for_people();
    assert_eq!(
        (&*people.cell(&people.digits(), 0, 3), &*people.cell(&people.digits(), 1, 3)),
        ("0.5000", "0.4875")
    );
    assert_eq!(people.cell(&people.digits(), 0, 5), "0123456789ab");
}

#[test]
fn what_went_wrong_is_judged() {
    assert_eq!([0, 1].map(|row| sheet().judged(row, 5)), [None, Some(Judged::Bad)]);
    assert_eq!(sheet().judged(1, 0), None, "a place is no fault");
}

/// Returns the rows of a table for programs.
fn rows_for_programs(place: &Place, words: &[&str]) -> Vec<Value> {
    let printed = place.call(&[words, &["--format", "json"]].concat()).with_status(0);
    let table: Value = serde_json::from_str(&printed.out).expect("JSON");
    table["rows"].as_array().expect("rows").clone()
}

#[test]
fn programs_get_codes_and_numbers_where_people_read_sentences() {
    let place = Place::new();
    place.hill_of_guests("h", &["-p", "2", "--max-turns", "5"], &[("fox", "says 4 4"), ("owl", "still")]);
    place.call(&["hill", "run", "h", "--rounds", "3"]).with_status(0);
    let rows = rows_for_programs(&place, &["hill", "fairness", "h"]);
    assert_eq!(rows.len(), 9);
    for row in &rows {
        let keys: Vec<&str> = row.as_object().expect("a row").keys().map(String::as_str).collect();
        let due = ["bots", "code", "is_suspicious", "least", "most", "p_value", "pairs", "state"];
        assert_eq!(keys, due);
        assert!(
            row["is_suspicious"].is_boolean() && row["bots"].is_array() && row["pairs"].is_array(),
            "{row}"
        );
    }
    let of = |code: &str| rows.iter().find(|row| row["code"] == code).unwrap_or_else(|| panic!("{code}"));
    let blocks = of("blocks");
    assert_eq!(
        (&blocks["state"], &blocks["least"], &blocks["most"]),
        (&"measured".into(), &3.0.into(), &3.0.into())
    );
    assert_eq!((&of("pair")["state"], &of("same_program")["state"]), (&"too_few".into(), &"none".into()));
    let csv = place.call(&["hill", "fairness", "h", "--format", "csv"]).with_status(0).out;
    assert!(csv.starts_with("p_value,code,state,least,most,pairs,bots,is_suspicious\n"), "{csv}");
    let people = place.call(&["hill", "fairness", "h"]).with_status(0).out;
    assert!(people.contains("blocks of a bot") && people.contains("sign_of_unfairness"), "{people}");
    let status = &rows_for_programs(&place, &["hill", "status", "h"])[0];
    let typed = (&status["verdict_kind"], &status["verdict_round"], &status["verdicts"]);
    assert_eq!(typed, (&Value::Null, &Value::Null, &Value::Array(Vec::new())));
}

#[test]
fn programs_get_the_batches_and_the_verdicts_of_a_tournament_as_lists() {
    let place = Place::new();
    place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T", "--shard", "2/4"]).with_status(0);
    let status = &rows_for_programs(&place, &["tournament", "status", "--dir", "T", "--n", "2"])[0];
    assert_eq!(status["missing_ranges"], json!([[0, 1], [3, 3]]));
    assert_eq!((&status["array_ranges"], &status["verdicts"]), (&json!([[0, 1]]), &json!([])));
    assert_eq!(
        (&status["missing"], &status["array"]),
        (&json!("0-1,3"), &json!("0-1")),
        "as an array of jobs has it"
    );
}

#[test]
fn a_run_says_in_one_line_for_programs_what_came_of_it() {
    let place = Place::new();
    place.hill_of_guests("h", &["-p", "2", "--max-turns", "5"], &[("fox", "says 4 4"), ("owl", "still")]);
    let run = || place.call(&["hill", "run", "h", "--format", "json"]);
    let complete = run().with_status(0);
    assert_eq!(complete.out.lines().count(), 1, "{}", complete.out);
    let report: Value = serde_json::from_str(&complete.out).expect("JSON");
    let told = ["ended", "season", "rounds", "king", "verdict"].map(|key| report[key].clone());
    assert_eq!(told, [json!("complete"), json!(1), json!(1), Value::Null, Value::Null]);
    assert_eq!(report["evidence"]["odds"], 1.0, "{report}");
    place.call(&["hill", "retire", "h", "owl"]).with_status(0);
    let failed = run().with_status(2);
    let report: Value = serde_json::from_str(&failed.out).expect("JSON");
    assert_eq!(report["ended"], "failed");
    let told = "h: there are fewer than two bots; submit some with `referee hill submit`";
    assert_eq!(report["told"], told);
    failed.complaining(&[told]);
}
