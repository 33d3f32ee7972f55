//! Classes: deadlines, points, lists of students, and which version counts.

use std::fs;

use referee_contest::admission::by::By;
use referee_contest::admission::entrants::{Event, EventKind};
use referee_contest::bot::Bot;
use referee_contest::class::roll::{Deadlines, Roll};
use referee_contest::class::settings::{ClassSettings, Points, moment};
use referee_contest::class::students::{self, StudentRow, extend, extensions, give_accounts};
use referee_files::small;
use referee_record::Digest;
use referee_record::schema::Columns as _;

#[test]
fn a_moment_has_a_time_zone() {
    assert_eq!(moment("2026-12-15 23:59 Europe/Berlin").unwrap(), "2026-12-15T22:59:00Z");
    assert_eq!(moment("2026-07-15 23:59:30 Europe/Berlin").unwrap(), "2026-07-15T21:59:30Z", "summer");
    assert_eq!(moment("2026-12-15 23:59").unwrap(), "2026-12-15T23:59:00Z");
    assert_eq!(moment("2026-12-15T23:59:00Z").unwrap(), "2026-12-15T23:59:00Z");
    // A night without this hour: the clock went on by an hour at 2.
    assert_eq!(moment("2026-03-29 02:30 Europe/Berlin").unwrap(), "2026-03-29T01:30:00Z");
    for wrong in ["", "tomorrow", "2026-13-01 10:00", "2026-12-15 23:59 Middle/Earth", "2026-12-15"] {
        assert!(moment(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn points_follow_from_the_panel_and_late_days() {
    let mut class =
        ClassSettings::new("2026-12-15 23:59".to_owned(), vec!["random".to_owned(), "reader".to_owned()]);
    assert_eq!((class.points_of(2, 0), class.points_of(2, 3)), (2.0, 0.0));
    class.points = Points { above: vec![0.0, 5.0, 10.0], late_day: 0.5 };
    assert_eq!((class.points_of(1, 1), class.points_of(2, 0)), (4.5, 10.0));
}

#[test]
fn a_written_class_is_read_again_and_a_mistake_names_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let class = ClassSettings::new("2026-12-15 23:59 Europe/Berlin".to_owned(), vec!["reader".to_owned()]);
    fs::write(folder.path().join("class.toml"), class.text()).unwrap();
    assert_eq!(ClassSettings::read(folder.path()).unwrap(), class, "{}", class.text());
    for (was, is, said) in [
        ("2026-12-15 23:59 Europe/Berlin\"\n", "soon\"\n", "class.toml, line"),
        ("above = []", "above = [1, 2, 3]", "above has 3 numbers"),
        ("hidden = []", "hidden = [\"x\"]", "x is not in panel"),
    ] {
        fs::write(folder.path().join("class.toml"), class.text().replacen(was, is, 1)).unwrap();
        let error = ClassSettings::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

fn listed(text: &str) -> Result<Vec<StudentRow>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.csv");
    fs::write(&path, text).unwrap();
    students::read_list(&path).map_err(|error| error.to_string())
}

#[test]
fn a_list_is_read_as_spreadsheets_write_it() {
    let students = listed("\u{feff}ID;Name;E-Mail;x\n7;Żółć;z@x.org;1\n8; 李雷 ;;2\n").unwrap();
    assert_eq!(students[0].mail, "z@x.org");
    assert_eq!((&*students[1].id, &*students[1].name), ("8", "李雷"));
    assert_eq!(listed("name,id,team\n\"O'Neil, Shaun\",9,red\n").unwrap()[0].team, "red");
    for (text, said) in [
        ("name\nAnn\n", "line 1: the first line names the columns id and name"),
        ("id,name\n1,Ann\n1,Ben\n", "line 3: the id 1 is there twice"),
        ("id,name\n1,\n", "line 2: a student has an id and a name"),
        ("id,name\n", "there is no student"),
    ] {
        let error = listed(text).unwrap_err();
        assert!(error.contains(said), "{error}");
    }
}

fn given(students: &[(&str, &str)], nicknames: bool) -> Vec<String> {
    let student = |(id, team): &(&str, &str)| StudentRow {
        id: (*id).to_owned(),
        name: format!("Name {id}"),
        team: (*team).to_owned(),
        ..StudentRow::blank()
    };
    let mut students: Vec<StudentRow> = students.iter().map(student).collect();
    give_accounts(&mut students, &["random", "reader"], nicknames).unwrap();
    students.into_iter().map(|student| student.account).collect()
}

/// An account is the name of a bot in the exam: none is a number that spreadsheets change, a bot of the panel, or looks
/// like another.
#[test]
fn each_student_has_an_account_that_can_be_examined() {
    let list = [
        ("7001", ""),
        ("0012", ""),
        ("8/1", ""),
        ("a", "red"),
        ("b", "red"),
        ("c", "random"),
        ("d", "Red"),
        ("red0", ""),
        ("redO", ""),
    ];
    assert_eq!(given(&list, false), ["7001", "s2", "s3", "red", "red", "s5", "s6", "red0", "s8"]);
    let all: Vec<(String, String)> =
        (0..300).map(|number| (format!("{number}"), format!("t{}", number / 2))).collect();
    let all: Vec<(&str, &str)> = all.iter().map(|(id, team)| (&**id, &**team)).collect();
    let mut nicknames = given(&all, true);
    assert!(nicknames.chunks(2).all(|team| team[0] == team[1]));
    assert_ne!(nicknames, given(&all, true), "they are drawn");
    nicknames.sort();
    nicknames.dedup();
    assert_eq!(nicknames.len(), 150, "two of a team share one");
}

#[test]
fn the_last_extension_of_an_account_holds() {
    let folder = tempfile::tempdir().unwrap();
    assert!(extensions(folder.path()).unwrap().is_empty());
    extend(folder.path(), "ann", "2026-12-18T22:59:00Z", "host").unwrap();
    extend(folder.path(), "ann", "2026-12-19T22:59:00Z", "host").unwrap();
    assert_eq!(extensions(folder.path()).unwrap()["ann"], "2026-12-19T22:59:00Z");
}

#[test]
fn grace_is_not_late_and_each_begun_day_after_it_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let class = ClassSettings { late_days: 2, ..class("2026-12-15 12:00") };
    fs::write(folder.path().join("class.toml"), class.text()).unwrap();
    extend(folder.path(), "ann", "2026-12-20T12:00:00Z", "host").unwrap();
    let deadlines = Deadlines::read(folder.path()).unwrap();
    for (account, received, days) in [
        ("ben", "2026-12-15T12:00:00Z", 0),
        ("ben", "2026-12-15T12:10:00Z", 0),
        ("ben", "2026-12-15T12:10:01Z", 1),
        ("ben", "2026-12-16T12:10:00Z", 1),
        ("ben", "2026-12-16T12:10:01Z", 2),
        ("ann", "2026-12-16T12:10:01Z", 0),
        ("ann", "2026-12-20T12:10:01Z", 1),
    ] {
        assert_eq!(deadlines.late_days(account, received), days, "{account} {received}");
    }
    assert_eq!(deadlines.close_of("ben"), "2026-12-17T12:10:00Z");
    assert_eq!((deadlines.of("ann"), deadlines.of_all()), ("2026-12-20T12:00:00Z", "2026-12-15T12:00:00Z"));
    // The deadline of all moves behind that of one.
    fs::write(
        folder.path().join("class.toml"),
        ClassSettings { deadline: "2026-12-30 12:00".to_owned(), ..class }.text(),
    )
    .unwrap();
    assert_eq!(Deadlines::read(folder.path()).unwrap().of("ann"), "2026-12-30T12:00:00Z");
}

fn class(deadline: &str) -> ClassSettings {
    ClassSettings::new(deadline.to_owned(), vec!["house:random".to_owned(), "house:reader".to_owned()])
}

/// A version counts by the moment at which its program came, not by that at which it was admitted; and the last refusal
/// is told as long as nothing was admitted after it.
#[test]
fn a_program_that_waits_in_the_queue_at_the_deadline_counts() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(
        root.join("class.toml"),
        ClassSettings { grace_minutes: 0, ..class("2026-12-15 12:00") }.text(),
    )
    .unwrap();
    let student = |account: &str| StudentRow {
        id: account.to_owned(),
        account: account.to_owned(),
        ..StudentRow::blank()
    };
    fs::write(root.join("students.csv"), small::text(&["ann", "ben", "cid", "dee"].map(student))).unwrap();
    let sent = |number: u32, account: &str, name: &str, date: &str, verdict: Option<(&str, &str)>| {
        let place = root.join(format!("inbox/{number:06}"));
        fs::create_dir_all(&place).unwrap();
        let asked = serde_json::json!({ "account": account, "name": name, "date": date, "receipt": "x" });
        fs::write(place.join("asked.json"), asked.to_string()).unwrap();
        if let Some((state, date)) = verdict {
            let told =
                format!("{name} is {state}\nmore\n  | bot.cpp: In function\n  | bot.cpp:2: error: no y");
            let verdict = serde_json::json!({ "state": state, "told": told, "date": date });
            fs::write(place.join("verdict.json"), verdict.to_string()).unwrap();
        }
    };
    sent(1, "ann", "fox", "2026-12-15T11:00:00Z", Some(("admitted", "2026-12-15T11:00:09Z")));
    // A server that was killed after the admission finds out that it plays.
    sent(2, "ann", "fox", "2026-12-15T11:59:59Z", Some(("plays", "2026-12-15T12:05:00Z")));
    sent(3, "ben", "owl", "2026-12-15T11:50:00Z", Some(("refused", "2026-12-15T12:06:00Z")));
    sent(4, "cid", "emu", "2026-12-15T12:01:00Z", Some(("admitted", "2026-12-15T12:07:00Z")));
    sent(10, "dee", "gnu", "2026-12-15T11:59:00Z", None);
    let entered = |date: &str, author: &str, name: &str, version: u32| {
        let bot = Bot {
            name: name.to_owned(),
            version,
            author: author.to_owned(),
            digest: Digest::of(b""),
            identity: Digest::of(b""),
            ..Bot::blank()
        };
        Event { date: date.to_owned(), event: EventKind::Submitted, bot, by: By::Author }
    };
    let history = [
        entered("2026-12-15T11:00:08Z", "ann", "fox", 1),
        entered("2026-12-15T12:04:00Z", "ann", "fox", 2),
        entered("2026-12-15T12:06:30Z", "cid", "emu", 1),
    ];
    fs::write(root.join("entrants.csv"), small::text(&history)).unwrap();
    let roll = Roll::read(root).unwrap();
    let [ann, ben, cid, dee] = &roll.entries[..] else { panic!("four accounts") };
    let counted = ann.counts.as_ref().expect("it came in time");
    assert_eq!((counted.bot.version, &*counted.received, counted.late_days), (2, "2026-12-15T11:59:59Z", 0));
    assert_eq!((ann.submissions, &ann.refusal), (2, &None));
    let refusal = ben.refusal.as_ref().expect("it was refused");
    assert_eq!((&*refusal.why, ben.submissions), ("owl is refused: bot.cpp:2: error: no y", 1));
    assert!(cid.counts.is_none(), "it came a minute too late: {:?}", cid.counts);
    assert_eq!((ann.waiting, dee.waiting), (0, 1));

    // With late days a late version takes the place of one that came in time.
    let late = ClassSettings { grace_minutes: 0, late_days: 1, ..class("2026-12-15 12:00") };
    fs::write(root.join("class.toml"), late.text()).unwrap();
    sent(11, "ann", "fox", "2026-12-15T12:30:00Z", Some(("admitted", "2026-12-15T12:31:00Z")));
    let later = [&history[..], &[entered("2026-12-15T12:30:30Z", "ann", "fox", 3)]].concat();
    fs::write(root.join("entrants.csv"), small::text(&later)).unwrap();
    let roll = Roll::read(root).unwrap();
    let counted = roll.entries[0].counts.as_ref().expect("it came within the late days");
    assert_eq!((counted.bot.version, counted.late_days), (3, 1));
}
