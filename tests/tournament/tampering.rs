//! Changes are found and named, with the exit status that an engine reacts to.

use std::fs;
use std::path::{Path, PathBuf};

use referee_record::results::ResultRow;

use super::{guests, plan_by_call};
use crate::called::Calls;
use crate::notary::rewrite;
use crate::support::{Place, copy_folder, files_below};

fn change(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).expect("a file");
    assert!(text.contains(from), "{from} in {}", path.display());
    fs::write(path, text.replacen(from, to, 1)).expect("a file");
}

#[test]
fn a_changed_row_is_named_and_the_list_is_made_again_byte_for_byte() {
    let place = Place::new();
    let dir = place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let list = dir.join("results.csv");
    let whole = fs::read_to_string(&list).expect("the results");
    let lines: Vec<&str> = whole.lines().collect();
    let with_ends = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let repair = || place.call(&["tournament", "repair", "--dir", "T"]);
    let kept = || files_below(&dir, "aside").len();
    let changes = [
        (whole.replace(lines[6], &lines[6].replace(",football,", ",foosball,")), "line 7: "),
        (with_ends(&[&lines[..6], &lines[7..]].concat()), "line 7: "),
        (with_ends(&lines[..20]), "line 21: "),
        (format!("{whole}more\n"), "line 130: "),
        (with_ends(&lines[..1 + 4 * 20]), ""),
        ("no results\n".to_owned(), ""),
    ];
    for ((changed, line), number) in changes.into_iter().zip(1..) {
        assert_ne!(changed, whole);
        fs::write(&list, &changed).expect("the results");
        let named = match line {
            "" => "results.csv".to_owned(),
            line => format!("results.csv, {line}"),
        };
        place.call(&["audit", "T"]).with_status(3).complaining(&[&named]);
        repair().with_status(0);
        assert_eq!(fs::read_to_string(&list).expect("the results"), whole);
        assert_eq!(kept(), number, "what was there is kept aside");
        place.call(&["audit", "T"]).with_status(0);
    }
    // Nothing is kept where nothing differs, or nothing was there.
    repair().with_status(0);
    for again in [&["tournament", "repair", "--dir", "T"], &["tournament", "run", "--dir", "T"]] {
        fs::remove_file(&list).expect("the results");
        place.call(again).with_status(0);
        assert_eq!(fs::read_to_string(&list).expect("the results"), whole, "{again:?}");
    }
    assert_eq!(kept(), 6);

    fs::remove_dir_all(dir.join("records")).expect("the records");
    repair().with_status(2).complaining(&["no runner has recorded a game here"]);
    assert_eq!(fs::read_to_string(&list).expect("the results"), whole, "it is as it was");
    place.call(&["audit", "T"]).with_status(3).complaining(&["records: missing"]);
}

#[test]
fn a_row_of_void_games_that_is_added_or_changed_is_named_and_made_again() {
    let place = Place::new();
    let root = copied_rounds(&place);
    let list = root.join("voids.csv");
    let whole = fs::read_to_string(&list).expect("the list");
    let last = whole.lines().last().expect("a row").to_owned();
    let differs = ["voids.csv, line ", "`referee tournament repair` makes this file again"];
    let expected = ["s001-r00001-t001-g1 is expected here, unless voids.csv says that it was given up"];
    let changes: [(String, &[&str]); 3] = [
        (whole.replace(&format!("{last}\n"), ""), &expected),
        (format!("{whole}{last}\n"), &differs),
        (whole.replace("lost in flight", "unlucky"), &differs),
    ];
    for (changed, complaint) in changes {
        assert_ne!(changed, whole);
        fs::write(&list, changed).expect("the list");
        place.call(&["audit", "T"]).with_status(3).complaining(complaint);
        place.call(&["tournament", "repair", "--dir", "T"]).with_status(0);
        assert_eq!(fs::read_to_string(&list).expect("the list"), whole);
        place.call(&["audit", "T"]).with_status(0);
    }
}

#[test]
fn records_that_are_gone_are_named_with_their_remedy() {
    let place = Place::new();
    let root = copied_rounds(&place);
    // A log of a runner that lacks its end is not the list's fault.
    let runs = root.join("records/runs");
    for run in fs::read_dir(&runs).expect("logs").flatten() {
        let text = fs::read_to_string(run.path()).expect("a log");
        fs::write(run.path(), &text[..text.len() / 2]).expect("half of it");
    }
    let audited = place.call(&["audit", "T"]).with_status(3);
    audited.complaining(&["records/runs/", " records are left", "take the whole folder from a backup"]);
    fs::remove_dir_all(root.join("records/sealed")).expect("seals");
    let audited = place.call(&["audit", "T"]).with_status(3);
    audited.complaining(&["put the folder back from a backup, and keep "]);
}

#[test]
fn a_batch_whose_claim_is_gone_is_not_played_again() {
    let place = Place::new();
    place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    copy_folder(&place.path("T"), &place.path("whole"));
    let claims = place.path("T/records/claims");
    let first = fs::read_dir(&claims).expect("claims").flatten().map(|claim| claim.path()).min();
    let logs = |folder: &str| {
        let mut logs = files_below(&place.path(folder), "csv");
        logs.sort();
        logs.iter().map(|log| fs::read(log).expect("a log")).collect::<Vec<_>>()
    };
    // Where all games have ended, nothing is played, and the audit says what is missing.
    fs::remove_file(place.path("T/results.csv")).expect("the results");
    fs::remove_file(first.as_ref().expect("a claim")).expect("a claim");
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    assert_eq!(logs("T/logs"), logs("whole/logs"), "nothing was played");
    place.call(&["audit", "T"]).with_status(3).complaining(&["records/claims/"]);
    // As if a runner had been killed within a batch: one claim, then all of them.
    for run in fs::read_dir(place.path("whole/records/runs")).expect("logs").flatten() {
        let text = fs::read_to_string(run.path()).expect("a log");
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let is_over = |line: &&str| line.get(9..).is_some_and(|record| record.starts_with("over,"));
        let over: Vec<usize> = (0..lines.len()).filter(|at| is_over(&lines[*at])).collect();
        fs::write(run.path(), lines[..=over[1]].concat()).expect("its beginning");
    }
    fs::remove_dir_all(place.path("whole/records/sealed")).expect("seals");
    fs::remove_file(place.path("whole/results.csv")).expect("the results");
    let audited = place.call(&["audit", "whole"]).with_status(3);
    audited.complaining(&["0 played and agree, 0 void, 30 missing. 30 games are missing: batches 0-3"]);
    for gone in [first.expect("a claim"), claims] {
        fs::remove_dir_all(place.path("T")).expect("a folder");
        copy_folder(&place.path("whole"), &place.path("T"));
        match gone.is_dir() {
            true => fs::remove_dir_all(&gone).expect("claims"),
            false => fs::remove_file(&gone).expect("a claim"),
        }
        let run = place.call(&["tournament", "run", "--dir", "T"]).with_status(3);
        run.complaining(&[
            "records/claims/",
            ".0: missing, though games of the batch were recorded",
            "from a backup",
        ]);
        assert_eq!(logs("T/logs"), logs("whole/logs"), "nothing was played");
        // As it was, it goes on.
        copy_folder(&place.path("whole"), &place.path("T"));
        place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
        place.call(&["audit", "T"]).with_status(0);
    }
}

/// A copy of the frozen tournament, which has a void game.
fn copied_rounds(place: &Place) -> PathBuf {
    copy_folder(&crate::record::frozen::folder().join("rounds"), &place.path("T"));
    place.path("T")
}

/// A change to the games of a list. Its chain fits afterwards.
type Change = fn(&mut Vec<Vec<ResultRow>>);

#[test]
fn rows_of_another_version_of_the_rules_or_by_another_clock_are_named() {
    let place = Place::new();
    let root = copied_rounds(&place);
    let whole = fs::read(root.join("results.csv")).expect("the results");
    let (standings, audit) = (["tournament", "standings", "--dir", "T"], ["audit", "T"]);
    let changes: [(Change, &[&str], &[&str]); 3] = [
        (
            |games| games.iter_mut().flatten().for_each(|row| row.rules_version = 99),
            &standings,
            &["column rules_version is 99; the schedule says 1"],
        ),
        (
            |games| games.iter_mut().flatten().for_each(|row| row.clock = "wall".to_owned()),
            &standings,
            &["column clock is wall; the schedule says charged"],
        ),
        // Guests have a sandbox and a clock of their own, whatever the plan says.
        (
            |games| {
                let guest = |row: &mut ResultRow| {
                    (row.sandbox, row.clock) = ("wasm".to_owned(), "units-2".to_owned());
                };
                games.iter_mut().flatten().for_each(guest);
            },
            &audit,
            &["column sandbox is wasm", "is no WebAssembly module"],
        ),
    ];
    for (change, words, complaint) in changes {
        fs::write(root.join("results.csv"), &whole).expect("the results");
        rewrite(&root, change);
        let named = [&["results.csv, line 2: "][..], complaint].concat();
        place.call(words).with_status(3).complaining(&named);
    }
}

#[test]
fn games_in_another_order_too_many_too_few_or_not_as_recorded_are_named() {
    let place = Place::new();
    let dir = place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let whole = fs::read(dir.join("results.csv")).expect("the results");
    let changes: [(Change, &str); 6] = [
        (
            |games| games[3].iter_mut().for_each(|row| row.started = "2001-01-01T00:00:00Z".to_owned()),
            "line 14: not what a runner has recorded: `referee tournament repair`",
        ),
        (|games| games.swap(10, 11), "line 42: s001-r00002-t001-g3 is expected here"),
        (|games| drop(games.remove(10)), "line 42: s001-r00002-t001-g3 is expected here"),
        (|games| games[15] = games[14].clone(), "line 62: "),
        (|games| games.push(games[0].clone()), "line 130: "),
        (|games| games[11].swap(0, 1), "line 46: "),
    ];
    for (change, complaint) in changes {
        rewrite(&dir, change);
        let named = format!("results.csv, {complaint}");
        place.call(&["audit", "T"]).with_status(3).complaining(&[&named]);
        fs::write(dir.join("results.csv"), &whole).expect("the results");
    }
    place.call(&["audit", "T"]).with_status(0);
}

#[test]
fn another_bot_under_the_same_name_is_refused() {
    let place = Place::new();
    place.tournament_of_guests();
    let plan = || place.call(&["tournament", "plan", "short.toml", "--dir", "T"]);
    plan().with_status(0);
    let file = fs::read_to_string(place.path("short.toml")).expect("a file");
    let program = |name: &str| format!("program = {:?}", place.path(&format!("{name}.guest")));
    let (with_words, split) = (program("fast"), "\narguments = [\"split\"]");
    fs::write(place.path("short.toml"), file.replace(&with_words, &(with_words.clone() + split)))
        .expect("a file");
    plan().with_status(78).complaining(&["contains another plan", "of \"fast\"", "split"]);
}

#[test]
fn a_plan_that_was_changed_is_not_played_on() {
    let place = Place::new();
    let dir = place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T", "--shard", "0/2"]).with_status(0);
    change(&dir.join("plan.toml"), "max_turns = 30", "max_turns = 31");
    let run = place.call(&["tournament", "run", "--dir", "T"]);
    run.with_status(3).complaining(&["records/runs/", "another plan"]);
}

#[test]
fn a_number_of_games_that_does_not_follow_from_the_plan_is_named() {
    for (was, is) in
        [("games = 32", "games = 28"), ("games = 32", "games = 36"), ("batches = 4", "batches = 5")]
    {
        let place = Place::new();
        change(&place.tournament_of_guests().join("plan.toml"), was, is);
        let key = was.split(' ').next().expect("a key");
        let run = place.call(&["tournament", "run", "--dir", "T"]).with_status(3);
        run.complaining(&["plan.toml: ", key, " does not follow", "from a backup"]);
        place.call(&["tournament", "status", "--dir", "T"]).with_status(0);
        place.call(&["audit", "T"]).with_status(3).complaining(&["plan.toml: ", key, " does not follow"]);
    }
}

#[test]
fn the_records_of_a_runner_that_are_gone_are_damage_for_a_run_too() {
    let place = Place::new();
    let dir = place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    for log in fs::read_dir(dir.join("records/runs")).expect("logs").flatten() {
        fs::remove_file(log.path()).expect("a log");
    }
    fs::remove_file(dir.join("results.csv")).expect("the results");
    for words in
        [&["tournament", "run", "--dir", "T"][..], &["tournament", "repair", "--dir", "T"], &["audit", "T"]]
    {
        place.call(words).with_status(3).complaining(&["records/runs/", "from a backup"]);
    }
}

#[test]
fn no_plan_is_made_where_the_files_of_another_one_are() {
    let place = Place::new();
    let dir = place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let whole = files_below(&dir, "csv");
    fs::rename(dir.join("plan.toml"), place.path("plan.kept")).expect("a plan");
    // Each of them alone, whatever else is gone.
    let kept = ["records", "logs", "results.csv"];
    for name in [""].into_iter().chain(kept) {
        let there = if name.is_empty() { "T".to_owned() } else { format!("only-{name}") };
        if !name.is_empty() {
            let (from, to) = (dir.join(name), place.path(&there));
            fs::create_dir(&to).expect("a folder");
            match from.is_dir() {
                true => copy_folder(&from, &to.join(name)),
                false => drop(fs::copy(&from, to.join(name)).expect("a copy")),
            }
        }
        for words in [
            &["tournament", "plan", "short.toml", "--dir", &there][..],
            &["tournament", "status", "--dir", &there],
            &["tournament", "run", "--dir", &there],
        ] {
            let complaint = &["plan.toml: missing, but ", " is there: put the plan back from a backup"];
            place.call(words).with_status(2).complaining(complaint);
        }
        assert!(!place.path(&there).join("plan.toml").exists());
    }
    fs::rename(place.path("plan.kept"), dir.join("plan.toml")).expect("a plan");
    assert_eq!(files_below(&dir, "csv"), whole);
    place.call(&["audit", "T"]).with_status(0);
}

#[test]
fn the_plan_of_a_later_round_that_is_gone_is_named_and_not_made_again() {
    let place = Place::new();
    let bots = [("first", "exits 1 1"), ("second", "exits 3 1"), ("third", "exits 5 1")];
    let cup = "name = \"cup\"\ngame = \"foosball\"\nseed = \"5\"\nsandbox = \"off\"\n[format]\nkind = \"knockout\"\n";
    fs::write(place.path("cup.toml"), cup.to_owned() + &guests(&place, &bots)).expect("a file");
    plan_by_call(&place, "cup.toml", "T");
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    fs::remove_file(place.path("T/rounds/0002/plan.toml")).expect("a plan");
    for verb in ["run", "status", "standings", "repair"] {
        let ran = place.call(&["tournament", verb, "--dir", "T"]).with_status(2);
        ran.complaining(&["rounds/0002/plan.toml: missing, but ", "from a backup"]);
    }
}

#[test]
fn the_list_and_the_records_of_another_plan_are_refused() {
    let place = Place::new();
    place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let file = fs::read_to_string(place.path("short.toml")).expect("a file");
    fs::write(place.path("short.toml"), file.replace("seed = \"", "seed = \"1")).expect("a file");
    plan_by_call(&place, "short.toml", "other");
    fs::copy(place.path("T/results.csv"), place.path("other/results.csv")).expect("a copy");
    let ran = place.call(&["tournament", "standings", "--dir", "other"]).with_status(3);
    ran.complaining(&["results.csv, line 2: column seed is "]);
    fs::remove_file(place.path("other/results.csv")).expect("the results");
    copy_folder(&place.path("T/records"), &place.path("other/records"));
    for words in [&["tournament", "status", "--dir", "other"][..], &["audit", "other"]] {
        let ran = place.call(words).with_status(3);
        ran.complaining(&["records/runs/", "the records of another plan"]);
    }
}
