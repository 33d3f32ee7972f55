//! Tables, as people and programs see them.

use referee_statistics::schedule::format::{Bye, Cup, CupMatch};
use referee_tables::contests::matches_of;
use referee_tables::sheet::{Cells, Judged, Seen, Sheet, share};
use serde_json::Value;

fn sheet() -> Sheet {
    let columns = ["place", "bot", "best", "ranks", "share", "faults", "why", "digest"];
    let mut sheet = Sheet::new(columns)
        .about("season", 3)
        .seen(Seen::Programs, &["best"])
        .seen(Seen::People, &["ranks"])
        .seen(Seen::Wide, &["faults"])
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
    for mut people in [sheet.for_people(), sheet.in_full()] {
        assert_eq!(names(&people), ["bot", "games"]);
        assert_eq!([0, 1].map(|row| people.cell(&people.digits(), row, 0)), ["fox (long gone)", "owl"]);
        assert_eq!(
            (people.cell(&people.digits(), 0, 1), &people.rows()[0][0]),
            ("7".to_owned(), &"fox".into())
        );
        people.keep_rows(|row| row[0] != "fox");
        assert_eq!(
            [0, 1].map(|row| people.cell(&people.digits(), row, 0)),
            ["owl", "cat (long gone)"],
            "they stay with their row"
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
    let told = [0, 1].map(|row| ["first", "second", "bye"].map(|column| json["rows"][row][column].clone()));
    assert_eq!(told[0], [Value::from("fox"), "bye".into(), false.into()]);
    assert_eq!(told[1], [Value::from("owl"), "bye".into(), true.into()]);
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
