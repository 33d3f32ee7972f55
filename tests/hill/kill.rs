//! What a run that was killed leaves, and a run that is stopped: no game is lost, none is doubled, and nothing remains.
//! `runners.rs` kills runners; `tests/store` does so in 20,000 simulated schedules.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use referee_contest::fixture::place_of;
use referee_contest::hill::Hill;
use referee_contest::running::Running;
use referee_files::lock;
use referee_files::log::part_of;
use referee_files::results::ResultsFile;
use referee_games::catalog;
use referee_record::Digest;
use referee_record::play::table::{Question, Table};
use referee_record::results::{ResultRow, Scheduled};
use referee_rules::{BySeat, Parameters, Seat, Seed};
use referee_statistics::schedule::deal;
use referee_store::{Claim, RealDisk, Runner};
use referee_table::process::{ProcessTable, Program, Setup};
use rustix::process::{Signal, getpid, kill_process};
use rustix::thread::gettid;

use crate::called::Calls;
use crate::random::Random;
use crate::support::{
    FAULTY, Place, REFEREE, Ran, comes_true, faulty, files_below, hearing_hangups, printed_random, results_in,
};

/// Short games, and limits that no bot comes near.
const SETTINGS: [&str; 10] =
    ["-p", "2", "--max-turns", "30", "--turn-ms", "30000", "--first-ms", "30000", "--seed", "5"];

/// A hill of four bots that play in this process: four games a round.
fn hill_of_guests(place: &Place, also: &[&str]) -> Hill {
    let bots = [("honest", "says 4 4"), ("tagged", "talks"), ("split", "says 5 5"), ("greedy", "greedy")];
    Hill::open(&place.hill_of_guests("hill", &[&SETTINGS, also].concat(), &bots)).expect("a hill")
}

/// Returns the bots of a game of the first season by seat, as records name them.
fn seated(hill: &Hill, game: &str) -> String {
    let scheduled = place_of(game).expect("a game of a schedule");
    let deal = (scheduled.season, scheduled.round);
    let entrants = hill.entrants().expect("entrants");
    // The season need not have begun yet. Its seed follows from its bots, as the page of records says.
    let bots =
        entrants.field().into_iter().map(|bot| format!("{} {} {}\n", bot.name, bot.version, bot.identity));
    let of_bots = format!("referee seed of a season 1\n{}\n{}", hill.seed(), bots.collect::<String>());
    let digest = Digest::of(of_bots.as_bytes());
    let seed = Seed(u64::from_str_radix(&digest.as_str()[..16], 16).expect("digits"));
    let games = deal::round(seed, deal, hill.entry(), hill.parameters(), 4);
    let pairing = games.into_iter().find(|game| game.scheduled == scheduled).expect("its pairing");
    let bots = pairing.entrants.iter().map(|(_, bot)| format!("{}:1", entrants.field()[*bot].name));
    bots.collect::<Vec<String>>().join(" ")
}

/// Makes sure that each game of the first rounds is in the results exactly once, and no other.
fn assert_exactly_the_schedule(rows: &[ResultRow], rounds: u32) {
    let due = (1..=rounds)
        .flat_map(|round| (1..=4).map(move |rotation| Scheduled { season: 1, round, table: 1, rotation }));
    let due: Vec<Scheduled> = due.collect();
    let found = rows.iter().filter(|row| row.seat.index() == 0);
    let mut found: Vec<Scheduled> = found.filter_map(|row| row.place_in_schedule).collect();
    found.sort();
    assert_eq!(found, due, "every game once: none lost, none doubled");
    assert_eq!(rows.len(), 4 * due.len());
}

/// The logs that have been published, compressed or not.
fn logs_of(hill: &Hill) -> Vec<PathBuf> {
    let endings = ["csv", "gz"].into_iter();
    endings.flat_map(|ending| files_below(&hill.root().join("logs"), ending)).collect()
}

fn assert_complete(place: &Place, hill: &Hill, rounds: u32) {
    let root = hill.root();
    assert_exactly_the_schedule(&results_in(root), rounds);
    assert_eq!(logs_of(hill).len() as u32, 4 * rounds);
    assert_eq!(files_below(root, "part"), [] as [&Path; 0]);
    place.call(&["audit", "hill"]).with_status(0);
    let standings = place.call(&["hill", "standings", "hill", "--format", "csv"]).with_status(0);
    assert_eq!(standings.out.lines().count(), 5, "{standings:?}");
    place.assert_no_process_stays();
}

/// The result of a kill in the middle of a write: some of the rows of a game, and its log not yet published.
fn tear(hill: &Hill, random: &mut Random) -> (String, u64) {
    let path = hill.root().join("results.csv");
    let text = fs::read_to_string(&path).expect("the results");
    let last_game = text.match_indices('\n').rev().nth(4).expect("a game").0 + 1;
    let cut = last_game + 1 + random.below(text.len() - last_game - 1);
    fs::write(&path, &text[..cut]).expect("the results");
    let log = results_in_text(&text);
    let log = hill.root().join(log);
    fs::rename(&log, part_of(&log)).expect("the log");
    let line = text[..cut].lines().count() as u64;
    (text[last_game..cut].to_owned(), if text[..cut].ends_with('\n') { line + 1 } else { line })
}

/// Returns the log of the last game.
fn results_in_text(text: &str) -> &str {
    let mut lines = text.lines();
    let column = lines.next().and_then(|names| names.split(',').position(|name| name == "log"));
    lines.next_back().and_then(|row| row.split(',').nth(column?)).expect("a log")
}

#[test]
fn rows_that_were_torn_apart_are_named_set_aside_and_written_again() {
    let place = Place::new();
    // Its rounds are signed: the rows that come back are those that were signed.
    let hill = hill_of_guests(&place, &[]);
    let mut random = printed_random();
    place.call(&["hill", "run", "hill", "--rounds", "2"]).with_status(0);
    let results = || fs::read_to_string(hill.root().join("results.csv")).expect("the results");
    let whole = results();
    for _ in 0..10 {
        let (torn, line) = tear(&hill, &mut random);
        let named = format!("results.csv, line {line}: ");
        place.call(&["audit", "hill"]).with_status(3).complaining(&[&named]);
        let bytes = format!("{} unfinished bytes", torn.len());
        let run = place.call(&["hill", "run", "hill", "--to-round", "2"]).with_status(0);
        drop(run.complaining(&[&bytes, "results.csv.set-aside", "0 games to play"]));
        let aside = fs::read_to_string(hill.root().join("results.csv.set-aside")).expect("a file");
        assert!(aside.ends_with(&format!("{torn}\n")), "nothing is thrown away");
        assert_eq!(results(), whole, "no game is played again");
        hill.audit().unwrap_or_else(|error| panic!("{error}"));
    }
    assert_complete(&place, &hill, 2);
}

#[test]
fn results_and_voids_that_are_gone_come_back_the_same() {
    let place = Place::new();
    let hill = hill_of_guests(&place, &[]);
    place.call(&["hill", "run", "hill", "--rounds", "2"]).with_status(0);
    // A game that was lost with its runner, and a second season.
    {
        let disk = RealDisk::new(&hill.root().join("records"));
        let mut runner = Runner::start(disk, "killed").expect("a runner");
        let game = "s001-r00003-t001-g2";
        assert_eq!(runner.claim(game, &[game]).expect("a claim"), Claim::Mine);
        let cells = ["1", "2026-01-01T00:00:00Z", &*seated(&hill, game)].map(str::to_owned);
        let _never_ended = runner.begin(game, game, &cells).expect("a beginning");
    }
    place.call(&["hill", "run", "hill", "--rounds", "1", "--jobs", "3"]).with_status(0);
    place.call(&["hill", "retire", "hill", "split"]).with_status(0);
    place.call(&["hill", "submit", "hill", "greedy", "--name", "later"]).with_status(0);
    place.call(&["hill", "run", "hill", "--rounds", "1", "--jobs", "2"]).with_status(0);
    let files = ["results.csv", "voids.csv"].map(|name| hill.root().join(name));
    let texts = files.each_ref().map(|file| fs::read_to_string(file).expect("a file"));
    assert!(texts[1].contains("lost_in_flight"), "{}", texts[1]);
    for gone in [&files[..], &files[..1], &files[1..]] {
        gone.iter().for_each(|file| fs::remove_file(file).expect("a file"));
        place.call(&["hill", "run", "hill", "--to-round", "1"]).with_status(0);
        for (file, text) in files.iter().zip(&texts) {
            assert_eq!(fs::read_to_string(file).expect("a file"), *text, "{}", file.display());
        }
    }
    // A repair does the same without a run, keeps what was there, and says so in later audits.
    let repair = || place.call(&["hill", "repair", "hill"]);
    repair().with_status(0).saying(&["nothing to repair: 16 games, as recorded"]);
    let changed = texts[0].replacen(",1,", ",2,", 1);
    for (text, said) in
        [(None, "made again\n"), (Some(&*changed), "the old file is"), (Some("no results"), "old file")]
    {
        match text {
            Some(text) => fs::write(&files[0], text).expect("a file"),
            None => fs::remove_file(&files[0]).expect("a file"),
        }
        if text.is_none() {
            place
                .call(&["hill", "standings", "hill"])
                .with_status(2)
                .complaining(&["`referee hill repair` makes it"]);
        }
        repair().with_status(0).saying(&[said, "16 games, as recorded", "agrees with the results"]);
        assert_eq!(fs::read_to_string(&files[0]).expect("a file"), texts[0]);
    }
    assert!(
        files_below(hill.root(), "aside")
            .iter()
            .any(|kept| { fs::read_to_string(kept).is_ok_and(|text| text == changed) })
    );
    place.call(&["audit", "hill"]).with_status(0).saying(&["; results.csv made again on 20"]);
    // An audit compares the void games, too: a row that is removed or changed.
    let header = texts[1].split_inclusive('\n').next().expect("a header").to_owned();
    for other in [header, texts[1].replacen("2026-01-01T", "2026-01-02T", 1)] {
        fs::write(&files[1], other).expect("a list");
        let audit = place.call(&["audit", "hill"]).with_status(3);
        audit.complaining(&["voids.csv", "an attempt at s001-r00003-t001-g2 is not in it"]);
    }
    fs::write(&files[1], &texts[1]).expect("a list");
    // Likewise if only the last games are gone.
    let cut = texts[0].match_indices('\n').nth(20).expect("rows").0 + 1;
    fs::write(&files[0], &texts[0][..cut]).expect("the results");
    place.call(&["hill", "run", "hill", "--to-round", "1"]).with_status(0);
    assert_eq!(fs::read_to_string(&files[0]).expect("a file"), texts[0]);
    place.call(&["audit", "hill"]).with_status(0);
}

#[test]
fn rows_that_were_torn_apart_are_found_at_the_end_of_long_files_and_of_long_games() {
    let place = Place::new();
    let hill = hill_of_guests(&place, &[]);
    place.call(&["hill", "run", "hill"]).with_status(0);
    let one = results_in(hill.root()).swap_remove(0);
    let mut random = printed_random();
    for seats in [2, 250] {
        let path = place.path(&format!("{seats}.csv"));
        let rows: Vec<ResultRow> =
            (0..seats).map(|seat| ResultRow { seats, seat: Seat::new(seat), ..one.clone() }).collect();
        let (mut file, _) = ResultsFile::open(&path).expect("a new file");
        let mut ends = vec![referee_record::results::header().len()];
        for _ in 0..500 / seats {
            file.append(&rows).expect("on the disk");
            ends.push(fs::metadata(&path).expect("a file").len() as usize);
        }
        drop(file);
        let text = fs::read(&path).expect("the results");
        assert!(text.len() > 128 * 1024, "longer than the part that is read first");
        let cuts = ends
            .clone()
            .into_iter()
            .chain((0..50).map(|_| random.between(ends[0] as i64, text.len() as i64) as usize));
        for cut in cuts.collect::<Vec<usize>>() {
            fs::write(&path, &text[..cut]).expect("the results");
            let (_, set_aside) = ResultsFile::open(&path).expect("a results file");
            let whole = *ends.iter().rfind(|end| **end <= cut).expect("the header");
            assert_eq!(set_aside.map_or(0, |aside| aside.bytes), cut - whole, "{seats} seats, cut at {cut}");
            assert_eq!(fs::read(&path).expect("the results"), text[..whole]);
        }
    }
}

#[test]
fn a_game_whose_rows_stand_but_whose_log_was_not_published_yet_counts() {
    let place = Place::new();
    let hill = hill_of_guests(&place, &[]);
    place.call(&["hill", "run", "hill"]).with_status(0);
    let log = hill.root().join(&results_in(hill.root()).last().expect("a row").log);
    fs::rename(&log, part_of(&log)).expect("the log");
    // From a game that will not be played again, for example because a bot was submitted meanwhile.
    fs::write(log.with_file_name("other.csv.part"), "row,turn").expect("half a log");
    place.call(&["audit", "hill"]).with_status(0);
    place
        .call(&["hill", "run", "hill", "--to-round", "1"])
        .with_status(0)
        .complaining(&[": 0 games to play"]);
    assert!(log.exists());
    assert_complete(&place, &hill, 1);
}

#[test]
fn a_repair_loses_no_game_that_is_in_the_results_alone() {
    let place = Place::new();
    let hill = hill_of_guests(&place, &["--no-key"]);
    place.call(&["hill", "run", "hill", "--rounds", "1"]).with_status(0);
    let repair = || place.call(&["hill", "repair", "hill"]);
    // As a hill of an earlier version, which goes on.
    fs::remove_dir_all(hill.root().join("records")).expect("removed");
    repair().with_status(2).complaining(&["no runner has recorded a game here"]);
    place.call(&["hill", "run", "hill", "--rounds", "1"]).with_status(0);
    let results = || fs::read_to_string(hill.root().join("results.csv")).expect("the results");
    let before = results();
    repair()
        .with_status(2)
        .complaining(&["s001-r00001-t001-g", "its result would be lost; nothing was changed"]);
    assert_eq!(results(), before);
    assert_exactly_the_schedule(&results_in(hill.root()), 2);
    // Without results, nothing is played over the logs that are left.
    fs::remove_file(hill.root().join("results.csv")).expect("removed");
    place.call(&["hill", "run", "hill"]).with_status(2).complaining(&["put it back"]);
    fs::write(hill.root().join("results.csv"), before).expect("put back");
    assert_complete(&place, &hill, 2);
    // Nor does a new first season begin over recorded games.
    let place = Place::new();
    let hill = hill_of_guests(&place, &["--no-key"]);
    place.call(&["hill", "run", "hill", "--rounds", "1"]).with_status(0);
    ["results.csv", "seasons.csv"]
        .iter()
        .for_each(|file| fs::remove_file(hill.root().join(file)).expect("removed"));
    let run = place.call(&["hill", "run", "hill"]).with_status(2);
    run.complaining(&["seasons.csv: missing, but games were recorded: put it back"]);
}

#[test]
fn games_that_wait_for_one_before_them_are_not_missing() {
    let place = Place::new();
    let hill = hill_of_guests(&place, &["--no-key"]);
    place.call(&["hill", "run", "hill", "--rounds", "2"]).with_status(0);
    let disk = RealDisk::new(&hill.root().join("records"));
    let mut runner = Runner::start(disk, "fast").expect("a runner");
    // All games of 25 rounds but the first have ended.
    let games = (3..28).flat_map(|round| (1..=4).map(move |game| format!("s001-r{round:05}-t001-g{game}")));
    let games: Vec<String> = games.collect();
    for game in &games[1..] {
        assert_eq!(runner.claim(game, &[game]).expect("a claim"), Claim::Mine);
        let begun = runner.at_once(game, game).expect("a beginning");
        runner.over(begun, &["a row".to_owned()]).expect("an end");
    }
    runner.rest().expect("a rest");
    let audited = hill.audit().unwrap_or_else(|error| panic!("{error}"));
    let missing: Vec<&String> = audited.under_way.iter().flat_map(|gap| &gap.missing).collect();
    assert_eq!(missing, [&games[0]]);
}

#[test]
fn a_run_that_has_recorded_any_number_of_games_is_followed_by_the_next() {
    let place = Place::new();
    let hill = hill_of_guests(&place, &[]);
    // As if it had played a quarter of a million games of another season, and was killed while it played this one.
    let (records, game) = (hill.root().join("records"), "s001-r00001-t001-g1");
    drop(hill.begin_run(&Setup::this_program()).expect("a run"));
    {
        let disk = RealDisk::new(&records);
        let mut runner = Runner::start(disk, "long").expect("a runner");
        (0..34).for_each(|_| runner.note(&["x".repeat(1 << 20)]).expect("a note"));
        assert_eq!(runner.claim(game, &[game]).expect("a claim"), Claim::Mine);
        let cells = ["1", "2026-01-01T00:00:00Z", &*seated(&hill, game)].map(str::to_owned);
        let _never_ended = runner.begin(game, game, &cells).expect("a beginning");
    }
    let run = place.call(&["hill", "run", "hill", "--to-round", "1"]).with_status(0);
    run.complaining(&[game, "the referee was brought down", "4 games to play"]);
    assert_complete(&place, &hill, 1);
}

#[test]
fn a_runner_is_alive_while_its_log_is_claimed() {
    let place = Place::new();
    let hill = hill_of_guests(&place, &[]);
    place.call(&["hill", "run", "hill", "--to-round", "1"]).with_status(0);
    // A container was started again: the same host, the same number of a process, a log that nobody holds.
    let path = hill.root().join("records/runs/20260101T000000Z-00000000");
    fs::write(&path, "").expect("a log");
    assert_eq!(Running::on_hill(&hill).expect("the records").runners, 0);
    let log = fs::File::options().append(true).open(&path).expect("the log");
    assert!(lock::claim(&log).expect("a claim"));
    assert_eq!(Running::on_hill(&hill).expect("the records").runners, 1);
    drop(log);
    place.call(&["hill", "run", "hill", "--to-round", "2"]).with_status(0);
}

#[test]
fn ctrl_c_ends_with_130_and_the_command_that_it_prints_plays_the_rest() {
    let place = Place::new();
    // Long games: enough of them is left whenever the signal comes.
    let slow = faulty("split --ms 5");
    let root = place.hill("hill", &SETTINGS, &[("slow", &slow), ("quick", &faulty("honest"))]);
    let hill = Hill::open(&root).expect("a hill");
    let mut running = place
        .command(&["hill", "run", "hill", "--to-round", "4", "--jobs", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("referee can be started");
    let mut said = BufReader::new(running.stderr.take().expect("a pipe"));
    let mut first = String::new();
    while !first.contains("(max_turns, 31 turns)") {
        assert!(said.read_line(&mut first).expect("text") > 0, "a game is finished: {first}");
    }
    let number = rustix::process::Pid::from_child(&running);
    kill_process(number, Signal::INT).expect("it runs");
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("text");
    assert_eq!(running.wait().expect("its end").code(), Some(130), "{rest}");
    place.assert_nothing_stays();
    assert_eq!(files_below(&root, "part"), [] as [&Path; 0]);
    hill.audit().unwrap_or_else(|error| panic!("{error}"));
    assert!(results_in(&root).len() < 4 * 4 * 4, "there is something left to play");

    let command =
        rest.lines().find_map(|line| line.trim().strip_prefix("referee hill run ")).expect("a command");
    let command = format!("'{REFEREE}' hill run {command}");
    let output = Command::new("sh").args(["-c", &command]).current_dir(place.path("")).output().expect("sh");
    let ran = Ran::new(command, &output).with_status(0);
    assert!(!ran.err.contains("unfinished"), "{ran:?}");
    let rows = results_in(&root);
    assert_exactly_the_schedule(&rows, 4);
    hill.audit().unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_hangup_ends_a_run_unless_it_is_ignored_as_nohup_has_it() {
    let place = Place::new();
    let slow = faulty("split --ms 5");
    place.hill("hill", &SETTINGS, &[("slow", &slow), ("quick", &faulty("honest"))]);
    // A run that will be ended has more to play than it can finish while this test looks at its first game.
    for (shell, rounds, status) in [("exec \"$@\"", "100", 130), ("trap '' HUP; exec \"$@\"", "2", 0)] {
        let run = ["sh", &REFEREE, "hill", "run", "hill", "--rounds", rounds, "--jobs", "1"];
        let mut command = hearing_hangups();
        command.args(["sh", "-c", shell]).args(run);
        command.current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
        let mut running = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a shell");
        let mut said = BufReader::new(running.stderr.take().expect("a pipe"));
        let mut first = String::new();
        while !first.contains("(max_turns, 31 turns)") {
            assert!(said.read_line(&mut first).expect("text") > 0, "a game is finished: {first}");
        }
        kill_process(rustix::process::Pid::from_child(&running), Signal::HUP).expect("it runs");
        let mut rest = String::new();
        said.read_to_string(&mut rest).expect("text");
        assert_eq!(running.wait().expect("its end").code(), Some(status), "{shell}: {rest}");
    }
    place.assert_nothing_stays();
}

#[test]
fn bots_that_were_frozen_when_the_referee_was_killed_go_away_too() {
    const DOOMED: &str = "REFEREE_TEST_DOOMED";
    if std::env::var_os(DOOMED).is_some() {
        freeze_three_bots();
        let _ = kill_process(getpid(), Signal::KILL);
    }
    let place = Place::new();
    let name = "hill::kill::bots_that_were_frozen_when_the_referee_was_killed_go_away_too";
    let mut doomed = Command::new(std::env::current_exe().expect("this test"));
    doomed.args(["--exact", name, "--nocapture"]).env(DOOMED, "1").env("TMPDIR", place.path("tmp"));
    let output = doomed.output().expect("a process");
    assert!(String::from_utf8_lossy(&output.stdout).contains("frozen\n"), "{output:?}");
    place.assert_no_process_stays();
}

/// Opens a table and asks one seat alone.
fn freeze_three_bots() {
    let entry = catalog::find("football").expect("football");
    let mut game = entry.start(&Parameters::defaults(entry.parameters), Seed(1));
    let setup = Setup::with(&*REFEREE);
    let bot = Program::new(&FAULTY, vec!["honest".into()]);
    let mut table =
        ProcessTable::open(game.info(), &BySeat::from_fn(4, |_| Some(bot.clone())), &setup).expect("a table");
    let seats: Vec<Seat> = game.asked().to_vec();
    let mut questions = seats.into_iter().map(|seat| {
        let mut line = Vec::new();
        game.question(seat, &mut line);
        Question { seat, line, limit: Duration::from_secs(30) }
    });
    let questions: Vec<Question> = questions.by_ref().collect();
    let mut answers = Vec::new();
    table.ask(&questions).and_then(|()| table.collect(&mut answers)).expect("answers");
    assert!(answers.iter().all(|answer| answer.fault.is_none()), "{answers:?}");
    table.ask(&questions[..1]).and_then(|()| table.collect(&mut answers)).expect("an answer");
    let is_stopped = |process: &String| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        status.contains("State:\tT")
    };
    let children = |file: String| -> Vec<String> {
        let numbers = fs::read_to_string(file).unwrap_or_default();
        numbers.split_whitespace().map(str::to_owned).collect()
    };
    let of_them = |parents: Vec<String>| -> Vec<String> {
        parents.into_iter().flat_map(|one| children(format!("/proc/{one}/task/{one}/children"))).collect()
    };
    let stopped = || {
        let servers = children(format!("/proc/self/task/{}/children", gettid().as_raw_nonzero()));
        of_them(of_them(servers)).into_iter().filter(is_stopped).count()
    };
    // In a turn that took long, the bot that was asked is frozen as well.
    comes_true(|| stopped() >= 3);
    println!("frozen");
    std::mem::forget(table);
}

#[test]
fn a_run_waits_until_the_lock_of_its_hill_is_free() {
    let place = Place::new();
    let hill = hill_of_guests(&place, &[]);
    let lock = fs::File::create(hill.root().join("run.lock")).expect("a lock");
    lock.lock().expect("the lock is free");
    // The run has opened the lock, too.
    let waits = || {
        let open = fs::read_dir("/proc/self/fd").expect("open files").flatten();
        let files = open.filter_map(|entry| fs::read_link(entry.path()).ok());
        files.filter(|file| *file == hill.root().join("run.lock")).count() == 2
    };
    thread::scope(|scope| {
        let run = scope.spawn(|| place.call(&["hill", "run", "hill"]));
        let has_waited = comes_true(waits);
        let has_written = hill.root().join("seasons.csv").exists();
        drop(lock);
        run.join().expect("its end").with_status(0);
        assert!(has_waited && !has_written, "nothing is written while another has the lock");
    });
    assert_complete(&place, &hill, 1);
}
