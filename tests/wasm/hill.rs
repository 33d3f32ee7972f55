//! Hills with bots in WebAssembly: their records are the same on every machine, and the bots repeat them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use referee_contest::admission::by::By;
use referee_contest::audit::bots::{AuditedBots, audit_hill_bots};
use referee_contest::bot::NewBot;
use referee_contest::hill::{Bots, Hill, HillSettings, Replaces, Submission};
use referee_games::catalog;
use referee_record::error::Error;
use referee_rules::{Parameters, Seed};
use referee_table::process::{Program, Setup};
use referee_wasm::Modules;
use tempfile::TempDir;

use super::bot;
use super::commands::program;

/// Reads a whole question to 4096, and returns its length.
const QUESTION: &str = r#"
    (memory (export "memory") 4)
    (global $asked (mut i32) (i32.const 0))
    (data (i32.const 2044) "4 4\n4 4\n")
    (func $question (result i32) (local $end i32)
        (local.set $end (i32.const 4096))
        (loop $more
            (i32.store (i32.const 0) (local.get $end))
            (i32.store (i32.const 4) (i32.const 65536))
            (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
            (if (i32.eqz (i32.load (i32.const 8))) (then (call $proc_exit (i32.const 0))))
            (local.set $end (i32.add (local.get $end) (i32.load (i32.const 8))))
            (br_if $more (i32.ne (i32.load8_u (i32.sub (local.get $end) (i32.const 1))) (i32.const 10))))
        (global.set $asked (i32.add (global.get $asked) (i32.const 1)))
        (i32.sub (local.get $end) (i32.const 4096)))
    (func $sum (param $length i32) (result i32) (local $sum i32)
        (loop $next
            (local.set $length (i32.sub (local.get $length) (i32.const 1)))
            (local.set $sum (i32.add (i32.mul (local.get $sum) (i32.const 31))
                (i32.load8_u (i32.add (i32.const 4096) (local.get $length)))))
            (br_if $next (local.get $length)))
        (i32.and (local.get $sum) (i32.const 0xffff)))
    (func $spin (local $n i32) (local.set $n (i32.const 700000))
        (loop $down (br_if $down (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))"#;

/// Answers that its players stay.
const STILL: &str = "(loop $next (drop (call $question)) (call $say (i32.const 1) (i32.const 2048) (i32.const 4)) (br $next))";

/// Answers according to its question, after an amount of work that depends on it, and sometimes writes that
/// to standard error.
const WANDER: &str = "(local $sum i32) (local $n i32)
    (loop $next
        (local.set $sum (call $sum (call $question)))
        (local.set $n (local.get $sum))
        (block $done (loop $work (br_if $done (i32.eqz (local.get $n)))
            (local.set $n (i32.sub (local.get $n) (i32.const 1))) (br $work)))
        (i32.store8 (i32.const 2048) (i32.add (i32.const 48) (i32.rem_u (local.get $sum) (i32.const 9))))
        (if (i32.eqz (i32.and (local.get $sum) (i32.const 7))) (then (call $say (i32.const 2) (i32.const 2048) (i32.const 4))))
        (call $say (i32.const 1) (i32.const 2048) (i32.const 4)) (br $next))";

/// Changes its behaviour at the sixtieth question, long after its check game.
fn later(what: &str) -> Vec<u8> {
    let start = format!(
        "(loop $next (drop (call $question))
            (if (i32.ge_u (global.get $asked) (i32.const 60)) (then {what}))
            (call $say (i32.const 1) (i32.const 2048) (i32.const 4)) (br $next))"
    );
    bot(&start, QUESTION)
}

/// The bots of a hill, by their names.
pub(super) fn bots() -> BTreeMap<&'static str, Vec<u8>> {
    BTreeMap::from([
        ("still", bot(STILL, QUESTION)),
        ("wander", bot(WANDER, QUESTION)),
        ("quits", later("(call $proc_exit (i32.const 3))")),
        ("crashes", later("(unreachable)")),
        // Late sometimes: it continues where it was.
        (
            "slow",
            later(
                "(if (i32.eqz (i32.rem_u (global.get $asked) (i32.const 9))) (then (global.set $asked (i32.add (global.get $asked) (i32.const 1))) (call $spin)))",
            ),
        ),
        ("chatters", later("(call $say (i32.const 1) (i32.const 2044) (i32.const 8))")),
    ])
}

/// The program `referee` in the folder of this test, without WebAssembly: it starts native bots.
pub(super) fn setup() -> Setup {
    Setup { guests: Some(Arc::<Modules>::default()), ..Setup::with(program()) }
}

fn only_modules() -> HillSettings {
    let mut settings = HillSettings::default();
    settings.bots = Bots::Wasm;
    settings
}

fn new_hill(root: &Path, settings: HillSettings) -> Hill {
    let entry = catalog::find("football").expect("a game");
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in [("p", 2), ("max_turns", 90), ("turn_ms", 2), ("first_ms", 20)] {
        parameters.set(name, value).expect("a parameter");
    }
    Hill::create(root, entry, parameters, Seed(7), settings).expect("a hill")
}

fn submit(hill: &Hill, name: &str, bytes: &[u8]) -> Result<(), Error> {
    let file = hill.root().with_file_name(format!("{name}.wasm"));
    fs::write(&file, bytes).expect("the file is written");
    let submission = Submission {
        bot: NewBot {
            name: name.to_owned(),
            source: name.to_owned(),
            file,
            arguments: Vec::new(),
            allow_fork: false,
            author: String::new(),
            built: None,
        },
        replaces: Replaces::Any,
        contact: None,
        by: By::Host,
    };
    hill.submit(&submission, &setup()).map(drop)
}

/// Plays rounds. `swap` can give a seat another program than the recorded one.
fn play(hill: &Hill, rounds: u32, jobs: usize, swap: &dyn Fn(&str) -> Option<Program>) {
    let setup = setup();
    let run = hill.begin_run(&setup).expect("a run");
    let mut fixtures: Vec<_> = run.fixtures(1..=rounds).flatten().collect();
    for (_, entrant) in fixtures.iter_mut().flat_map(|fixture| fixture.entrants.iter_mut()) {
        if let Some(program) = swap(&entrant.name.name) {
            entrant.program = program;
        }
    }
    run.play(fixtures, &setup, jobs, |_, _| {}).expect("games");
}

fn filled(place: &TempDir, name: &str) -> Hill {
    let folder = place.path().join(name);
    fs::create_dir(&folder).expect("a folder");
    let hill = new_hill(&folder.join("hill"), only_modules());
    for (name, bytes) in bots() {
        submit(&hill, name, &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    hill
}

/// All logs and all standard error, by their paths in the hill.
fn records(hill: &Hill) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![hill.root().join("logs"), hill.root().join("stderr")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let name = entry.strip_prefix(hill.root()).expect("below").to_owned();
                found.insert(name, fs::read(&entry).expect("a file"));
            }
        }
    }
    found
}

#[test]
fn records_are_the_same_with_any_number_of_jobs_and_the_bots_repeat_them() {
    let place = TempDir::new().expect("a folder");
    let first = filled(&place, "first");
    play(&first, 3, 1, &|_| None);
    let all = records(&first);
    let text: String = all.values().map(|bytes| String::from_utf8_lossy(bytes)).collect();
    for word in [",late,", ",exited,", ",crashed,", ",extra,"] {
        assert!(text.contains(word), "no {word} in {} files", all.len());
    }
    let second = filled(&place, "second");
    play(&second, 3, 4, &|_| None);
    let found = records(&second);
    assert!(found.keys().eq(all.keys()));
    assert!(found == all);

    assert!(second.audit().expect("an audit").counts.games > 0);
    let audited = audit_hill_bots(&second, &setup()).expect("the bots repeat it");
    let due = AuditedBots { games: audited.games, answers: audited.answers, ..AuditedBots::default() };
    assert_eq!(audited, due, "all of it");
    assert!(audited.games >= 3 && audited.answers > 1000, "{audited:?}");
}

#[test]
fn a_game_replayed_with_another_program_is_found_though_all_digests_agree() {
    let place = TempDir::new().expect("a folder");
    let hill = filled(&place, "forged");
    let other = Program::new(hill.root().with_file_name("wander.wasm"), Vec::new());
    play(&hill, 3, 2, &|name| (name == "still").then(|| other.clone()));
    hill.audit().expect("a plain audit believes the answers");
    let found = audit_hill_bots(&hill, &setup()).expect_err("another program").to_string();
    for part in [
        "/logs/",
        "turn ",
        ", still version 1: the record says ok `",
        "; the bot itself says ok `4 4` after ",
    ] {
        assert!(found.contains(part), "{part} in {found}");
    }
}

#[test]
fn one_unit_more_is_found() {
    let place = TempDir::new().expect("a folder");
    let hill = filled(&place, "unit");
    // The same answers, a thousand units later.
    let start = STILL.replacen(
        "(drop (call $question))",
        &format!("(drop (call $question)) {}", "(nop)".repeat(1000)),
        1,
    );
    let file = hill.root().with_file_name("later.wasm");
    fs::write(&file, bot(&start, QUESTION)).expect("written");
    let other = Program::new(file, Vec::new());
    play(&hill, 2, 2, &|name| (name == "still").then(|| other.clone()));
    hill.audit().expect("the answers are the same");
    let found = audit_hill_bots(&hill, &setup()).expect_err("another time").to_string();
    assert!(found.contains("still version 1: the record says ok `4 4` after"), "{found}");
}

#[test]
fn a_hill_for_webassembly_takes_nothing_else_and_a_module_that_cannot_play_is_told_why() {
    let place = TempDir::new().expect("a folder");
    let hill = new_hill(&place.path().join("hill"), only_modules());
    let why = submit(&hill, "script", b"#!/bin/sh\n").expect_err("a script");
    assert!(why.to_string().contains("executable"), "{why}");
    fs::copy(program(), place.path().join("native")).expect("a copy");
    let native = Submission {
        bot: NewBot {
            name: "native".to_owned(),
            file: place.path().join("native"),
            source: String::new(),
            arguments: Vec::new(),
            allow_fork: false,
            author: String::new(),
            built: None,
        },
        replaces: Replaces::Any,
        contact: None,
        by: By::Host,
    };
    let why = hill.submit(&native, &setup()).expect_err("a native program").to_string();
    assert!(why.contains("not a WebAssembly module") && why.contains("wasm32-wasip1"), "{why}");
    let why = submit(&hill, "cut", &bot(STILL, QUESTION)[..100]).expect_err("cut off").to_string();
    assert!(why.contains("cut.wasm: a WebAssembly module that cannot be a bot: at byte "), "{why}");
    let why = submit(&hill, "endless", &bot("(loop (br 0))", QUESTION)).expect_err("endless").to_string();
    assert!(why.contains("late"), "{why}");
    let why = submit(&hill, "outside", &bot(STILL, &format!("{QUESTION} (data (i32.const -1) \"x\")")))
        .expect_err("outside")
        .to_string();
    assert!(why.contains("start_failed"), "{why}");
}

#[test]
fn guests_and_programs_meet_at_one_table() {
    let place = TempDir::new().expect("a folder");
    let hill = new_hill(&place.path().join("hill"), HillSettings::default());
    submit(&hill, "wander", &bot(WANDER, QUESTION)).expect("a guest");
    submit(&hill, "still", &bot(STILL, QUESTION)).expect("a guest");
    for name in ["greedy", "random"] {
        let words = ["bot", "football", name].map(str::to_owned).to_vec();
        let submission = Submission {
            bot: NewBot {
                name: name.to_owned(),
                file: program(),
                source: name.to_owned(),
                arguments: words,
                allow_fork: false,
                author: String::new(),
                built: None,
            },
            replaces: Replaces::Any,
            contact: None,
            by: By::Host,
        };
        hill.submit(&submission, &setup()).expect("a house bot");
    }
    play(&hill, 2, 2, &|_| None);
    hill.audit().expect("an audit");
    let audited = audit_hill_bots(&hill, &setup()).expect("the guests repeat it");
    assert_eq!(audited.programs, 2 * audited.games, "{audited:?}");
    assert!(audited.answers > 100, "{audited:?}");
    let results = fs::read_to_string(hill.root().join("results.csv")).expect("results");
    assert_eq!(results.matches(",wasm,units-2,").count() as u64, 2 * audited.games);
}
