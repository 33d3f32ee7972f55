//! Changes are found and named, with the exit status that an engine reacts to.

use std::fs;
use std::path::Path;

use super::{guests, plan_by_call};
use crate::called::Calls;
use crate::support::{Place, copy_folder, files_below};

fn change(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).expect("a file");
    assert!(text.contains(from), "{from} in {}", path.display());
    fs::write(path, text.replacen(from, to, 1)).expect("a file");
}

#[test]
fn a_changed_row_and_a_missing_batch_are_named() {
    let place = Place::new();
    place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let merge = || place.call(&["tournament", "merge", "--dir", "T"]);
    let batch = place.path("T/results/0000/0000002.csv");
    let whole = fs::read_to_string(&batch).expect("a batch");
    let row = whole.lines().nth(6).expect("a row").to_owned();

    change(&batch, &row, &row.replace(",max_turns,", ",no_balls,"));
    merge().with_status(3).complaining(&["0000002.csv, line 7: was changed: its chain does not match"]);
    let without: String = whole.lines().filter(|line| *line != row).map(|line| format!("{line}\n")).collect();
    fs::write(&batch, without).expect("a batch");
    merge().with_status(3).complaining(&["0000002.csv, line 7: "]);
    fs::write(&batch, whole.lines().take(20).map(|line| format!("{line}\n")).collect::<String>())
        .expect("a batch");
    merge().with_status(3).complaining(&["0000002.csv, line "]);
    for changed in [format!("{whole}more\n"), whole.replacen("\nend,", "\nend,0", 1)] {
        fs::write(&batch, changed).expect("a batch");
        merge().with_status(3).complaining(&[
            "0000002.csv, line 35: should be the last line, with the digest of all lines above",
        ]);
    }
    fs::copy(place.path("T/results/0000/0000001.csv"), &batch).expect("another batch");
    merge().with_status(3).complaining(&["0000002.csv, line 1: should be: plan,"]);

    // It is made again of what the runners have recorded.
    for gone in ["results/0000/0000002.csv", "merged.csv"] {
        fs::remove_file(place.path("T").join(gone)).expect("a file");
    }
    merge().with_status(0);
    assert_eq!(fs::read_to_string(&batch).expect("a batch"), whole);

    for gone in ["results/0000/0000002.csv", "merged.csv"] {
        fs::remove_file(place.path("T").join(gone)).expect("a file");
    }
    fs::remove_dir_all(place.path("T/records")).expect("the records");
    merge().with_status(1).complaining(&["1 of 4 batches is missing: 2."]);
    assert!(!place.path("T/merged.csv").exists());
    place.call(&["tournament", "merge", "--dir", "T", "--partial"]).with_status(1);
    assert!(place.path("T/partial.csv").exists());
    fs::write(&batch, whole).expect("a batch");
    merge().with_status(0);
    place.call(&["audit", "T"]).with_status(3).complaining(&["records: missing"]);
}

#[test]
fn a_row_of_void_games_that_is_added_or_changed_is_named_and_made_again() {
    let place = Place::new();
    let root = copied_rounds(&place);
    let list = root.join("voids.csv");
    let whole = fs::read_to_string(&list).expect("the list");
    let last = whole.lines().last().expect("a row").to_owned();
    for changed in [
        whole.replace(&format!("{last}\n"), ""),
        format!("{whole}{last}\n"),
        whole.replace("lost in flight", "unlucky"),
    ] {
        assert_ne!(changed, whole);
        fs::write(&list, changed).expect("the list");
        let audited = place.call(&["audit", "T"]).with_status(3);
        audited.complaining(&["voids.csv, line ", "`referee tournament merge` makes this file again"]);
        place.call(&["tournament", "merge", "--dir", "T"]).with_status(0);
        assert_eq!(fs::read_to_string(&list).expect("the list"), whole);
        place.call(&["audit", "T"]).with_status(0);
    }
}

#[test]
fn batches_come_back_the_same_and_records_that_are_gone_are_named_with_their_remedy() {
    let place = Place::new();
    let root = copied_rounds(&place);
    let batches = root.join("results");
    let texts = || files_below(&batches, "csv").iter().map(fs::read_to_string).collect::<Result<Vec<_>, _>>();
    let whole = texts().expect("batches");
    fs::remove_dir_all(&batches).expect("batches");
    place.call(&["tournament", "merge", "--dir", "T"]).with_status(0);
    assert_eq!(texts().expect("batches"), whole);
    // A log of a runner that lacks its end is not the batch's fault.
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
    let claims = || fs::read_dir(place.path("T/records/claims")).expect("claims").flatten();
    let first = claims().map(|claim| claim.path()).min().expect("a claim");
    let name = first.file_stem().expect("a name").to_string_lossy().into_owned();
    let batch = files_below(&place.path("T/results"), "csv")
        .into_iter()
        .find(|batch| batch.file_stem().expect("a name").to_string_lossy() == name)
        .expect("its batch");
    let logs = |folder: &str| {
        let mut logs = files_below(&place.path(folder), "csv");
        logs.sort();
        logs.iter().map(|log| fs::read(log).expect("a log")).collect::<Vec<_>>()
    };
    // One claim with its batch, then all of them.
    let change: [&dyn Fn(); 2] = [
        &|| {
            fs::remove_file(&first).expect("a claim");
            fs::remove_file(&batch).expect("a batch");
        },
        &|| {
            fs::remove_dir_all(place.path("T/records/claims")).expect("claims");
            fs::remove_dir_all(place.path("T/results")).expect("batches");
        },
    ];
    for change in change {
        fs::remove_dir_all(place.path("T")).expect("a folder");
        copy_folder(&place.path("whole"), &place.path("T"));
        let _ = fs::remove_file(place.path("T/merged.csv"));
        change();
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
fn copied_rounds(place: &Place) -> std::path::PathBuf {
    copy_folder(&crate::record::frozen::folder().join("rounds"), &place.path("T"));
    place.path("T")
}

#[test]
fn rows_of_another_version_of_the_rules_or_by_another_clock_are_named() {
    use referee_contest::batch::{results, results_of};
    use referee_contest::plan;

    let place = Place::new();
    let dir = copied_rounds(&place);
    let plan = plan::open(&dir).expect("a plan");
    let honest = results::read(&plan, 1).expect("a batch").expect("is there");
    type Change = fn(&mut referee_record::results::ResultRow);
    let changes: [(Change, &str); 2] = [
        (|row| row.rules_version = 99, "line 3: column rules_version is 99; the schedule says 1"),
        (|row| row.clock = "wall".to_owned(), "line 3: column clock is wall; the schedule says charged"),
    ];
    let write = |change: Change| {
        let mut changed = honest.clone();
        for (_, came) in &mut changed.games {
            if let referee_contest::runner::GameEnd::Over(rows) = came {
                rows.iter_mut().for_each(change);
            }
        }
        // With a matching chain and digest.
        fs::write(results_of(&dir, 1), changed.text(&plan.id, 1)).expect("a batch");
    };
    for (change, complaint) in changes {
        write(change);
        place.call(&["tournament", "merge", "--dir", "T"]).with_status(3).complaining(&[complaint]);
    }
    // Guests have a sandbox and a clock of their own, whatever the plan says.
    write(|row| (row.sandbox, row.clock) = ("wasm".to_owned(), "units-2".to_owned()));
    let audited = place.call(&["audit", "T"]).with_status(3);
    audited.complaining(&["0000001.csv, line 3: column sandbox is wasm", "is no WebAssembly module"]);
}

#[test]
fn games_in_another_order_too_many_too_few_or_of_another_plan_are_named() {
    use referee_contest::batch::{results, results_of};
    use referee_contest::plan;
    use referee_contest::plan::schedule_file::Game;
    use referee_contest::runner::GameEnd;

    let place = Place::new();
    let dir = place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let plan = plan::open(&dir).expect("a plan");
    let honest = results::read(&plan, 1).expect("a batch").expect("is there");
    let others = results::read(&plan, 2).expect("a batch").expect("is there");
    type Games = Vec<(Game, GameEnd)>;
    type Change<'a> = &'a dyn Fn(&mut Games);
    let swap_seats = |games: &mut Games| {
        if let GameEnd::Over(rows) = &mut games[3].1 {
            rows.swap(0, 1);
        }
    };
    let changes: [(Change, &str); 5] = [
        (
            &|games| games.swap(2, 3),
            "line 15: s001-r00002-t001-g3 is expected here: its rows, or a line `void`",
        ),
        (&|games| drop(games.remove(7)), "line 1: should be: plan,"),
        (&|games| games.push(others.games[0].clone()), "line 1: should be: plan,"),
        (&|games| games[7] = games[6].clone(), "line 31: s002-r00002-t001-g4 is expected here"),
        (&swap_seats, "line 15: "),
    ];
    // With a matching chain and digest.
    let write = |text: String| fs::write(results_of(&dir, 1), text).expect("a batch");
    for (change, complaint) in changes {
        let mut changed = honest.clone();
        change(&mut changed.games);
        write(changed.text(&plan.id, 1));
        place.call(&["tournament", "merge", "--dir", "T"]).with_status(3).complaining(&[complaint]);
    }
    let another = referee_record::Digest::of(b"another plan");
    write(honest.text(&another, 1));
    place
        .call(&["tournament", "merge", "--dir", "T"])
        .with_status(3)
        .complaining(&["line 1: should be: plan,"]);
    write(honest.text(&plan.id, 1));
    place.call(&["tournament", "merge", "--dir", "T"]).with_status(0);
}

#[test]
fn a_changed_log_is_found_by_a_deep_merge() {
    let place = Place::new();
    place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let log = place.path("T/logs/0000/0000001.a00/s001-r00002-t001-g3.csv");
    let text = fs::read_to_string(&log).expect("a log");
    let answer =
        text.lines().find(|line| line.starts_with("answer,5,") && line.contains(",ok,")).expect("an answer");
    fs::write(&log, text.replace(answer, &answer.replace(",ok,", ",late,"))).expect("a log");
    place.call(&["tournament", "merge", "--dir", "T"]).with_status(0);
    let deep = place.call(&["tournament", "merge", "--dir", "T", "--deep"]).with_status(3);
    deep.complaining(&["s001-r00002-t001-g3"]);
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
fn a_plan_for_another_referee_or_with_another_schedule_is_not_played() {
    let place = Place::new();
    let dir = place.tournament_of_guests();
    let run = || place.call(&["tournament", "run", "--dir", "T"]);
    change(&dir.join("schedule.txt"), " 0001 ", " 0002 ");
    let remedy = "put it back from a backup";
    run().with_status(3).complaining(&["schedule.txt: batch 0 was changed after it was planned", remedy]);
    change(&dir.join("plan.toml"), "max_turns = 30", "max_turns = 31");
    let remedy = "put both files back from a backup";
    run().with_status(3).complaining(&["schedule.idx: belongs to another plan than plan.toml", remedy]);
}

#[test]
fn a_file_of_the_schedule_that_is_gone_is_damage_for_every_command() {
    for (name, changed) in [
        ("schedule.txt", None),
        ("schedule.idx", None),
        ("schedule.idx", Some("")),
        ("schedule.txt", Some("\n")),
    ] {
        let place = Place::new();
        let file = place.tournament_of_guests().join(name);
        place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
        match changed {
            None => fs::remove_file(&file).expect("a file"),
            Some(text) => fs::write(&file, text).expect("a file"),
        }
        for verb in ["run", "merge"] {
            let ran = place.call(&["tournament", verb, "--dir", "T"]).with_status(3);
            ran.complaining(&[name, "from a backup"]);
        }
        place.call(&["audit", "T"]).with_status(3).complaining(&[name]);
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
    fs::remove_file(dir.join("results/0000/0000001.csv")).expect("a batch");
    for words in
        [&["tournament", "run", "--dir", "T"][..], &["tournament", "merge", "--dir", "T"], &["audit", "T"]]
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
    let kept = ["records", "results", "logs", "merged.csv", "schedule.txt", "schedule.idx"];
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
    for verb in ["run", "status", "standings", "merge"] {
        let ran = place.call(&["tournament", verb, "--dir", "T"]).with_status(2);
        ran.complaining(&["rounds/0002/plan.toml: missing, but ", "from a backup"]);
    }
}

#[test]
fn a_planner_that_was_killed_is_started_again() {
    let place = Place::new();
    let dir = place.tournament_of_guests();
    let plan = fs::read_to_string(dir.join("plan.toml")).expect("a plan");
    for gone in ["", "schedule.idx", "schedule.txt"] {
        fs::rename(dir.join("plan.toml"), dir.join("plan.toml.part")).expect("a plan");
        let _ = fs::remove_file(dir.join(gone));
        place
            .call(&["tournament", "status", "--dir", "T"])
            .with_status(2)
            .complaining(&["no plan.toml in it"]);
        place.call(&["tournament", "plan", "short.toml", "--dir", "T"]).with_status(0);
        assert!(!dir.join("plan.toml.part").exists());
    }
    assert_eq!(
        fs::read_to_string(dir.join("plan.toml")).expect("a plan").lines().count(),
        plan.lines().count()
    );
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
}

#[test]
fn the_status_of_a_tournament_counts_no_batch_of_another_plan() {
    let place = Place::new();
    place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let file = fs::read_to_string(place.path("short.toml")).expect("a file");
    fs::write(place.path("short.toml"), file.replace("seed = \"", "seed = \"1")).expect("a file");
    plan_by_call(&place, "short.toml", "other");
    copy_folder(&place.path("T/results"), &place.path("other/results"));
    let ran = place.call(&["tournament", "status", "--dir", "other"]).with_status(3);
    ran.complaining(&["0000000.csv, line 1: the results of another plan, or damaged: should be: plan,"]);
}
