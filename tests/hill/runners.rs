//! Runners that play one hill in parallel reach the result of a single runner, even if some are killed or
//! leave for good.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use referee_contest::hill::Hill;
use referee_contest::verdicts;
use referee_files::voids;
use referee_record::schema::Columns;
use referee_record::voids::VoidReason;
use referee_statistics::verdict::VerdictRow;
use referee_store::{ContestState, RealDisk};
use rustix::process::{Pid, Signal, kill_process};

use crate::called::Calls;
use crate::hill::{has_ended, in_flight, is_waiting};
use crate::support::{
    Place, Ran, comes_true, copy_folder, faulty, files_below, house_program, printed_random, results_in,
    rows_that_stay,
};

/// Short games, and limits that no bot comes near.
const SETTINGS: [&str; 10] =
    ["-p", "2", "--max-turns", "30", "--turn-ms", "30000", "--first-ms", "30000", "--seed", "5"];

/// A hill of four bots: four games a round. Its logs are compressed, which a kill can interrupt, too.
fn small_hill(place: &Place, name: &str) {
    let bots = [
        ("honest", faulty("honest")),
        ("tagged", faulty("honest --tag")),
        ("split", faulty("split --ms 1")),
        ("greedy", house_program("football-greedy")),
    ];
    place.hill(
        name,
        &[&SETTINGS[..], &["--compress"]].concat(),
        &bots.each_ref().map(|(name, words)| (*name, &**words)),
    );
}

#[test]
fn verdicts_of_runners_that_end_together_are_all_there() {
    let place = Place::new();
    let hill = Hill::open(&place.hill_of_guests("hill", &SETTINGS, &[])).expect("a hill");
    let row = |round| VerdictRow { season: 1, round, ..VerdictRow::blank() };
    thread::scope(|scope| {
        for round in (1..=8).chain(1..=8) {
            let hill = &hill;
            scope.spawn(move || hill.add_verdict(&row(round)).expect("on the disk"));
        }
    });
    let mut rounds: Vec<u32> =
        verdicts::read(hill.root()).expect("verdicts").iter().map(|row| row.round).collect();
    rounds.sort_unstable();
    assert_eq!(rounds, (1..=8).collect::<Vec<u32>>());
}

fn runner(place: &Place, words: &[&str]) -> Child {
    let mut command = place.command(&[&["hill", "run"], words].concat());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("referee can be started")
}

/// Waits for the end of runners, which have to succeed. Returns their messages.
fn ends(runners: Vec<Child>) -> Vec<String> {
    let end = |runner: Child| {
        let ran = Ran::new("a runner".to_owned(), &runner.wait_with_output().expect("its end"));
        ran.with_status(0).err
    };
    runners.into_iter().map(end).collect()
}

/// Calls of runners at the same time, in this process. Returns their messages.
fn called(place: &Place, count: usize, words: &[&str]) -> Vec<String> {
    let words = [&["hill", "run"], words].concat();
    thread::scope(|scope| {
        let runners: Vec<_> =
            (0..count).map(|_| scope.spawn(|| place.call(&words).with_status(0).err)).collect();
        runners.into_iter().map(|runner| runner.join().expect("its end")).collect()
    })
}

/// The rows of a hill without the parts that differ from run to run, in the order of the schedule.
fn rows(place: &Place, hill: &str) -> Vec<String> {
    let mut rows = rows_that_stay(&place.path(hill).join("results.csv"), &[]);
    rows.sort_unstable();
    rows
}

/// Makes sure that a hill is whole, and that no partial file and no process remains.
fn assert_whole(place: &Place, hill: &str) {
    place.call(&["audit", hill]).with_status(0);
    let root = place.path(hill);
    assert_eq!(files_below(&root, "part"), [] as [&Path; 0]);
    let games: BTreeSet<String> = results_in(&root).iter().map(|row| row.game.clone()).collect();
    let logs = ["csv", "gz"].map(|ending| files_below(&root.join("logs"), ending).len());
    assert_eq!(logs.iter().sum::<usize>(), games.len());
    place.assert_no_process_stays();
}

#[test]
fn three_runners_come_to_what_one_comes_to() {
    let place = Place::new();
    let bots = [("honest", "says 4 4"), ("tagged", "talks"), ("split", "says 5 5"), ("greedy", "greedy")];
    place.hill_of_guests("one", &SETTINGS, &bots);
    copy_folder(&place.path("one"), &place.path("three"));
    place.call(&["hill", "run", "one", "--to-round", "5", "--jobs", "1"]).with_status(0);
    let said = called(&place, 3, &["three", "--to-round", "5", "--jobs", "1"]);
    assert_eq!(rows(&place, "three"), rows(&place, "one"));
    for hill in ["one", "three"] {
        assert_whole(&place, hill);
    }
    // Except for thinking times.
    let standings = |hill| -> Vec<String> {
        let table = place.call(&["hill", "standings", hill, "--format", "csv"]).with_status(0).out;
        let header: Vec<&str> = table.lines().next().expect("a header").split(',').collect();
        let row = |row: &str| {
            let cells = row.split(',').zip(&header).filter(|(_, column)| !column.ends_with("_ms"));
            cells.map(|(cell, _)| cell).collect::<Vec<&str>>().join(",")
        };
        table.lines().map(row).collect()
    };
    assert_eq!(standings("three"), standings("one"));
    // Each has seen all games, its own and the other's: the standings that it printed cover all.
    let last = |text: &str| text.lines().filter(|line| line.contains("games to play")).count();
    assert!(said.iter().all(|said| last(said) == 1), "{said:?}");
}

#[test]
fn a_verdict_is_the_same_for_any_number_of_runners() {
    let place = Place::new();
    let settings = ["-p", "10", "-k", "10", "--max-turns", "60", "--seed", "4"];
    place.hill_of_guests("one", &settings, &[("fox", "greedy"), ("stone", "still"), ("other", "still")]);
    copy_folder(&place.path("one"), &place.path("two"));
    let until = ["--until-clear", "--alpha", "0.5", "--min-rounds", "2", "--max-rounds", "12", "--jobs", "2"];
    place.call(&[&["hill", "run", "one"], &until[..]].concat()).with_status(0);
    called(&place, 2, &[&["two"], &until[..]].concat());
    assert_eq!(rows(&place, "two"), rows(&place, "one"));
    let verdicts = |hill| fs::read_to_string(place.path(hill).join("verdicts.csv")).expect("a verdict");
    assert_eq!(verdicts("two"), verdicts("one"));
    assert_eq!(verdicts("two").lines().count(), 2);
    assert_whole(&place, "two");
}

#[test]
fn runners_that_are_killed_again_and_again_lose_no_game_and_double_none() {
    let place = Place::new();
    small_hill(&place, "hill");
    let root = place.path("hill");
    let mut random = printed_random();
    let words = ["hill", "--to-round", "40", "--jobs", "1"];
    let mut runners: Vec<Child> = (0..3).map(|_| runner(&place, &words)).collect();
    let entered = |game: &String| has_ended(&root, game);
    // The games that were lost in flight.
    let lost = || -> Vec<String> {
        let disk = RealDisk::new(&root.join("records"));
        let state = ContestState::read(&disk).expect("the records");
        let is_void = |game: &&str| state.attempts(&disk, game).is_ok_and(|attempts| !attempts.is_empty());
        state.known().filter(is_void).map(str::to_owned).collect()
    };
    let mut kills = 0;
    while kills < 12 {
        thread::sleep(Duration::from_millis(random.below(150) as u64));
        let victim = random.below(runners.len());
        let mut killed = runners.swap_remove(victim);
        let was_running = killed.try_wait().expect("its end").is_none();
        let _ = killed.kill();
        let said = killed.wait_with_output().expect("its end");
        let said = String::from_utf8_lossy(&said.stderr);
        assert!(!said.contains("referee: "), "kill {kills}: {said}");
        let open = in_flight(&root);
        runners.push(runner(&place, &words));
        if !was_running {
            break; // all is played
        }
        kills += 1;
        // A game that was lost once has to end now: the next loss would be its last. Another runner may have
        // recorded the loss before this look.
        let due = [open, lost()].concat();
        assert!(comes_true(|| due.iter().all(entered)), "these end: {due:?}");
    }
    ends(runners);
    println!("{kills} kills, {} games lost in flight", lost().len());
    assert!(kills > 2, "they hit runners that played");
    small_hill(&place, "one");
    place.referee(&["hill", "run", "one", "--to-round", "40"]).with_status(0);
    assert_eq!(rows(&place, "hill"), rows(&place, "one"));
    assert_whole(&place, "hill");
}

/// A hill whose games begin when the file `go` appears in the place.
fn waiting_hill(place: &Place) -> Hill {
    let (go, bot) = (place.path("go"), house_program("football-greedy"));
    let script = format!("#!/bin/sh\nwhile ! [ -e {} ]; do sleep 0.02; done\nexec {bot}\n", go.display());
    fs::write(place.path("waits"), script).expect("a script");
    fs::set_permissions(place.path("waits"), Permissions::from_mode(0o755)).expect("mine");
    place.referee(&[&["hill", "new", "hill", "football", "--block", "one-seating"], &SETTINGS[..]].concat());
    let settings = place.path("hill/hill.toml");
    let text = fs::read_to_string(&settings).expect("settings");
    fs::write(&settings, text.replace("sandbox = \"auto\"", "sandbox = \"off\"")).expect("settings");
    fs::write(&go, "").expect("a file");
    for name in ["one", "other"] {
        let words = ["hill", "submit", "hill", "./waits", "--name", name, "--allow-fork"];
        place.referee(&words).with_status(0);
    }
    fs::remove_file(go).expect("a file");
    Hill::open(&place.path("hill")).expect("a hill")
}

#[test]
fn what_a_runner_that_vanishes_has_begun_is_played_by_those_who_wait_for_it() {
    let place = Place::new();
    let hill = waiting_hill(&place);
    let words = ["hill", "--rounds", "1", "--jobs", "4"];
    // One has begun all games of the round, another waits for them.
    let mut first = runner(&place, &words);
    assert!(comes_true(|| in_flight(hill.root()).len() == 4), "{:?}", in_flight(hill.root()));
    let second = runner(&place, &words);
    assert!(comes_true(|| is_waiting(hill.root())), "the second one waits");
    first.kill().expect("it runs");
    first.wait().expect("its end");
    let is_taken_over =
        || hill.root().join("records/sealed").read_dir().is_ok_and(|mut sealed| sealed.next().is_some());
    assert!(comes_true(|| is_taken_over() && in_flight(hill.root()).len() == 4), "what it had begun is lost");
    fs::write(place.path("go"), "").expect("a file");
    let said = ends(vec![second]).concat();
    assert!(said.contains("other runners are playing here, too"), "{said}");
    let lost = voids::read(&hill.root().join("voids.csv")).expect("the list");
    assert_eq!(lost.iter().filter(|row| row.reason == VoidReason::LostInFlight).count(), 4, "{lost:?}");
    assert_eq!(results_in(hill.root()).len(), 16);
    assert_whole(&place, "hill");
}

#[test]
fn a_runner_that_ends_while_another_plays_is_missed_when_its_game_is_due() {
    for signal in [Signal::KILL, Signal::INT] {
        let place = Place::new();
        let hill = waiting_hill(&place);
        let words = ["hill", "--rounds", "1", "--jobs", "1"];
        let mut first = runner(&place, &words);
        assert!(comes_true(|| in_flight(hill.root()).len() == 1), "{:?}", in_flight(hill.root()));
        // The second has passed the game of the first, and plays the next one.
        let second = runner(&place, &words);
        assert!(comes_true(|| in_flight(hill.root()).len() == 2), "{:?}", in_flight(hill.root()));
        kill_process(Pid::from_child(&first), signal).expect("it runs");
        first.wait().expect("its end");
        fs::write(place.path("go"), "").expect("a file");
        ends(vec![second]);
        assert_eq!(results_in(hill.root()).len(), 16, "{signal:?}");
        assert_whole(&place, "hill");
    }
}

#[test]
fn what_a_runner_that_is_stopped_has_begun_is_played_by_others_and_nothing_is_lost() {
    let place = Place::new();
    let hill = waiting_hill(&place);
    let words = ["hill", "--rounds", "1", "--jobs", "4"];
    let mut first = runner(&place, &words);
    assert!(comes_true(|| in_flight(hill.root()).len() == 4), "{:?}", in_flight(hill.root()));
    let second = runner(&place, &words);
    assert!(comes_true(|| is_waiting(hill.root())), "the second one waits");
    kill_process(Pid::from_child(&first), Signal::INT).expect("it runs");
    assert_eq!(first.wait().expect("its end").code(), Some(130));
    fs::write(place.path("go"), "").expect("a file");
    ends(vec![second]);
    assert!(!hill.root().join("voids.csv").exists(), "nothing was lost");
    assert_eq!(results_in(hill.root()).len(), 16);
    assert_whole(&place, "hill");
}

#[test]
fn another_season_does_not_begin_while_others_play() {
    let place = Place::new();
    let go = place.path("go");
    fs::write(&go, "").expect("a file");
    let waits = format!("waits {}: 4 4", go.display());
    let hill = place.hill_of_guests("hill", &SETTINGS, &[("one", &waits), ("other", &waits)]);
    let hill = Hill::open(&hill).expect("a hill");
    fs::remove_file(&go).expect("a file");
    let joins = ["hill", "run", "hill", "--rounds", "1", "--jobs", "1"];
    thread::scope(|scope| {
        let first = scope.spawn(|| place.call(&joins));
        assert!(comes_true(|| in_flight(hill.root()).len() == 1));
        place.call(&["hill", "retire", "hill", "other"]).with_status(0);
        place.call(&["hill", "submit", "hill", "still", "--name", "other"]).with_status(0);
        let refused = place.call(&joins).with_status(2);
        refused
            .complaining(&["playing season 1, and this run would begin a new one (the field has changed)"]);
        fs::write(&go, "").expect("a file");
        first.join().expect("its end").with_status(0);
    });
    place.call(&joins).with_status(0);
    assert_eq!(hill.seasons().expect("seasons").len(), 2);
    assert_whole(&place, "hill");
}
