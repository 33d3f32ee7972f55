//! Runners are lost, stopped, started twice, divided into shards: the results are the same. `kills.rs` kills them.

use std::collections::BTreeSet;
use std::fs;

use referee_contest::batch::unit_of;
use referee_contest::fixture::game_id;
use referee_contest::plan;
use referee_record::results::Header;
use referee_store::{Claim, RealDisk, Runner};
use rustix::process::{Pid, Signal, kill_process};

use crate::called::Calls;
use crate::support::{Place, comes_true, copy_folder, files_below};

use super::{FILE, bytes, ended, entrants, listed, plan, planned, runner, runs};

/// Tells whether a game was begun, was lost, and has not ended since.
fn lost(place: &Place, dir: &str) -> bool {
    let texts = runs(&place.path(dir));
    let games = |what: &str| -> BTreeSet<String> {
        let records = texts.iter().flat_map(|text| text.lines()).filter_map(|line| line.get(9..));
        let records = records.filter(|record| record.starts_with(what));
        records.filter_map(|record| record.split(',').nth(3)).map(str::to_owned).collect()
    };
    !games("begun,").is_subset(&games("over,"))
}

#[test]
fn a_game_that_was_lost_in_flight_twice_is_void_and_told() {
    let place = Place::new();
    place.tournament_of_guests();
    lose_twice(&place);
    let run = place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let run = run.complaining(&["s001-r00001-t001-g1 is void: lost in flight 2 times"]);
    assert!(!run.err.contains("g2 is void"), "{run:?}");
    assert!(!listed(&place.path("T")).iter().any(|row| row.starts_with("s001-r00001-t001-g1,")));

    // What is gone comes back the same.
    let files = ["results.csv", "voids.csv"].map(|name| place.path("T").join(name));
    let texts = || files.each_ref().map(|file| fs::read_to_string(file).expect("a file"));
    let before = texts();
    for (again, gone) in
        [("run", &files[..]), ("repair", &files[..]), ("run", &files[..1]), ("repair", &files[1..])]
    {
        gone.iter().for_each(|file| fs::remove_file(file).expect("a file"));
        place.call(&["tournament", again, "--dir", "T"]).with_status(0);
        assert_eq!(texts(), before, "{again}: {gone:?}");
    }

    // All four bots were in it, each time on the node `host`, which played nothing else.
    let losses = place.call(&["tournament", "status", "--dir", "T", "--losses", "--format", "csv"]);
    let losses = losses.with_status(0).out;
    assert!(
        losses.starts_with("of,name,begun,lost,void,faulty,lost_share,void_attempts,by_it,void_share,lost_known,lost_behind\nall,,33,2,1,15,0.0606,0,0,0.0,0,0\n"),
        "{losses}"
    );
    assert!(losses.contains("\nbot,fast,33,2,1,0,0.0606,0,0,0.0,0,0\n"), "{losses}");
    assert!(losses.contains("\nnode,host,2,2,0,0,1.0,0,0,0.0,0,0\n"), "{losses}");
    let status = place.call(&["tournament", "status", "--dir", "T"]).with_status(0);
    assert!(status.out.contains("lost_share"), "shown to people by default: {status:?}");

    // A round with a void game says nothing about who is better, and the others count.
    let standings = place.call(&["tournament", "standings", "--dir", "T", "--format", "csv"]).with_status(0);
    let games = standings.out.lines().skip(1).map(|line| line.split(',').nth(2).expect("games").to_owned());
    assert_eq!(games.collect::<Vec<_>>(), ["31", "31", "31", "31"]);
}

#[test]
fn a_game_that_was_lost_in_flight_twice_is_played_where_no_bot_can_have_done_it_or_the_host_says_so() {
    for (sandbox, more) in [("strict", ""), ("off", "lost_max = 3\n")] {
        let place = Place::new();
        let bots = entrants(&[("honest", "honest"), ("fast", "honest"), ("other", "honest")]);
        let file = FILE.replace("sandbox = \"off\"\n", &format!("sandbox = {sandbox:?}\n{more}"));
        fs::write(place.path("short.toml"), file + &bots).expect("a file");
        plan(&place, "short.toml", "T");
        lose_twice(&place);
        let run = place.referee(&["tournament", "run", "--dir", "T"]).with_status(0);
        assert!(!run.err.contains("is void"), "{run:?}");
        assert!(listed(&place.path("T")).iter().any(|row| row.starts_with("s001-r00001-t001-g1,")));
        let losses = place.call(&["tournament", "status", "--dir", "T", "--losses", "--format", "csv"]);
        let losses = losses.with_status(0).out;
        assert!(losses.contains("\nall,,34,2,0,0,"), "told all the same: {losses}");
    }
}

/// Leaves the records of two runners that were killed while they played the first game.
fn lose_twice(place: &Place) {
    as_runner(place, "one", |runner, game| {
        let _ = runner.begin(&unit_of(0), game, &begun(1)).expect("a record");
    });
    as_runner(place, "two", |runner, game| {
        let lost = runner.at_once(&unit_of(0), game).expect("its batch is claimed");
        runner.void(lost, &[void(game, 1, r#""reason": "lost_in_flight""#)]).expect("a record");
        let _ = runner.begin(&unit_of(0), game, &begun(2)).expect("a record");
    });
}

const BOTS: &str = "honest:1 fast:1 other:1 greedy:1";

/// Records something about the first game, as a runner on the machine `host` that is then gone.
fn as_runner(place: &Place, name: &str, record: impl FnOnce(&mut Runner<RealDisk>, &str)) {
    let plan = plan::open(&place.path("T")).expect("a plan");
    let games: Vec<String> =
        plan.batch(0).expect("a batch").iter().map(|game| game_id(game.scheduled)).collect();
    let names: Vec<&str> = games.iter().map(String::as_str).collect();
    fs::create_dir_all(place.path("T/records")).expect("a folder");
    let cells = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<String>>();
    let mut runner = Runner::start(RealDisk::new(&place.path("T/records")), name).expect("a runner");
    runner.note(&cells(&["columns", &Header::current().names()])).expect("a record");
    runner.note(&cells(&["plan", plan.id.as_str(), "host", "now"])).expect("a record");
    assert_eq!(runner.claim(&unit_of(0), &names).expect("a claim"), Claim::Mine);
    record(&mut runner, names[0]);
}

/// The cells of an attempt that begins.
fn begun(attempt: u32) -> [String; 4] {
    [&attempt.to_string(), "2026-01-01T00:00:00Z", BOTS, "0000/0000000.a00"].map(str::to_owned)
}

/// The cell of an attempt that does not count.
fn void(game: &str, attempt: u32, more: &str) -> String {
    format!(r#"{{"game": "{game}", "attempt": {attempt}, "bots": "{BOTS}", {more}}}"#)
}

#[test]
fn attempts_of_runners_that_are_gone_are_listed_and_counted_by_the_next() {
    let place = Place::new();
    place.tournament_of_guests();
    let overload = r#""reason": "host_overload", "seat": 1, "bot": "fast", "detail": "two\nlines""#;
    for (attempt, name) in [(1, "one"), (2, "two")] {
        as_runner(&place, name, |runner, game| {
            let attempt_at = runner.begin(&unit_of(0), game, &begun(attempt)).expect("a record");
            runner.void(attempt_at, &[void(game, attempt, overload)]).expect("a record");
        });
    }
    let run = place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    assert!(!run.err.contains("is void"), "{run:?}");
    let voids = referee_files::voids::read(&place.path("T/voids.csv")).expect("the list");
    let listed: Vec<_> = voids.iter().map(|row| (row.attempt, row.reason.name(), &*row.detail)).collect();
    assert_eq!(listed, [(1, "host_overload", r"two\u{a}lines"), (2, "host_overload", r"two\u{a}lines")]);
    let texts = runs(&place.path("T")).concat();
    assert!(texts.contains(",begun,0000000,2,s001-r00001-t001-g1,3,"), "the third attempt: {texts}");
    // To an audit they are invented: the schedule seats others, and there is no log.
    place.call(&["audit", "T"]).with_status(3).complaining(&["column bots is ", "; the schedule says "]);
}

#[test]
fn shards_in_any_order_list_the_same_as_no_shards() {
    let place = Place::new();
    planned(&place);
    copy_folder(&place.path("T"), &place.path("U"));
    place.referee(&["tournament", "run", "--dir", "U", "--jobs", "2"]).with_status(0);
    let shard = |shard: &str| {
        place.referee(&["tournament", "run", "--dir", "T", "--shard", shard]).with_status(0);
    };
    shard("2/3");
    let results = || fs::read_to_string(place.path("T/results.csv")).unwrap_or_default();
    assert!(results().lines().count() <= 1, "no game before these has ended");
    let status = place.call(&["tournament", "status", "--dir", "T", "--n", "2", "--format", "csv"]);
    let due = "1,4,1,32,8,false,,\"0-1,3\",0-1,[],\"[[0,1],[3,3]]\",\"[[0,1]]\"\n";
    assert!(status.out.ends_with(due), "{status:?}");
    shard("1/3");
    shard("0/3");
    assert_eq!(listed(&place.path("T")), listed(&place.path("U")));
    let whole = results();
    shard("0/3");
    assert_eq!(results(), whole, "there is nothing to play");
    // What is gone is made again of the records of all runners.
    fs::remove_file(place.path("T/results.csv")).expect("the results");
    place.referee(&["tournament", "run", "--dir", "T"]).with_status(0);
    assert_eq!(results(), whole);
}

#[test]
fn of_two_runners_on_one_shard_one_commits_each_game() {
    let place = Place::new();
    planned(&place);
    let mut runners = [runner(&place, "T", &["--shard", "0/1"]), runner(&place, "T", &["--shard", "0/1"])];
    for runner in &mut runners {
        assert_eq!(runner.wait().expect("its end").code(), Some(0));
    }
    assert_eq!(listed(&place.path("T")).len(), 1 + 4 * 32);
    assert!(files_below(&place.path("T"), "tmp").is_empty(), "nothing half-written stays");
    assert!(files_below(&place.path("T"), "part").is_empty(), "nothing half-written stays");
    // The log of a game that the other runner had also played.
    let log = &files_below(&place.path("T/logs"), "csv")[0];
    fs::copy(log, log.with_file_name("again.csv")).expect("a copy");
    for path in ["T", "T/results.csv"] {
        place.call(&["audit", path]).with_status(0);
    }
}

/// Tells whether all threads of a process are stopped.
fn is_stopped(process: u32) -> bool {
    let mut threads = fs::read_dir(format!("/proc/{process}/task")).expect("its threads");
    threads.all(|thread| {
        let stat = fs::read_to_string(thread.expect("a thread").path().join("stat")).unwrap_or_default();
        stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T'))
    })
}

#[test]
fn a_runner_that_hangs_is_named_and_taken_over_on_request() {
    let place = Place::new();
    planned(&place);
    let mut hangs = runner(&place, "T", &[]);
    assert!(comes_true(|| ended(&place, "T") > 0), "a game ends");
    let pid = Pid::from_child(&hangs);
    kill_process(pid, Signal::STOP).expect("it runs");
    // A thread that is just recording something stops a moment later.
    assert!(comes_true(|| is_stopped(hangs.id())), "it stops");
    let in_progress = lost(&place, "T");
    let run =
        |more: &[&str]| place.referee(&[&["tournament", "run", "--dir", "T", "--jobs", "1"], more].concat());
    // The other batches are played meanwhile.
    let waits = run(&["--max-seconds", "10"]).with_status(75);
    waits.complaining(&["batch ", " plays it; waiting for it"]);
    let elsewhere = run(&["--take-over", "elsewhere", "--max-seconds", "1"]).with_status(75);
    let told = elsewhere.err.lines().find(|line| line.contains(" plays it; waiting for it")).expect("a line");
    let node = told.split(' ').nth(5).expect("a machine").to_owned();
    run(&["--take-over", &node]).with_status(0);
    let whole = bytes(&place.path("T"));
    kill_process(pid, Signal::CONT).expect("it still stops");
    // What it records now does not count. It says so, unless it sees that all is done.
    assert!(matches!(hangs.wait().expect("its end").code(), Some(0 | 75)));
    place.assert_no_process_stays();
    place.call(&["tournament", "repair", "--dir", "T"]).with_status(0).saying(&["nothing to repair"]);
    assert_eq!(bytes(&place.path("T")), whole);
    assert!(files_below(&place.path("T"), "part").is_empty(), "nothing half-written stays");
    let voids = referee_files::voids::read(&place.path("T/voids.csv")).unwrap_or_default();
    let reasons: Vec<&str> = voids.iter().map(|row| row.reason.name()).collect();
    assert_eq!(reasons, if in_progress { vec!["lost_in_flight"] } else { vec![] }, "{voids:?}");
    place.call(&["audit", "T"]).with_status(0);
}

#[test]
fn a_runner_whose_time_is_over_says_try_again_and_keeps_what_it_has() {
    let place = Place::new();
    place.tournament_of_guests();
    let run = place.call(&["tournament", "run", "--dir", "T", "--max-seconds", "0"]).with_status(75);
    run.complaining(&["stopped; finished games are kept", "referee tournament run T"]);
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
}
