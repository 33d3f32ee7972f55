//! Judges: games whose rules are a program. A mistake of a judge never counts against a bot. Whatever a judge
//! does, nothing hangs, and no audit passes a game that differs.

mod bluff;
mod host;
mod scenes;
mod seats;
mod shim;
mod sly;
mod starters;
mod twins;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::time::Duration;

use referee_files::audit::audit_log;
use referee_files::digest;
use referee_files::log::LogFile;
use referee_games::catalog::{self, Entry};
use referee_judge::check::{CheckReport, Terms, check};
use referee_judge::{self as judges, Host};
use referee_record::Answer;
use referee_record::error::{Error, ErrorKind};
use referee_record::log::GameLog;
use referee_record::play::play;
use referee_record::play::table::{Question, Table, TableError, Void};
use referee_record::{BotName, Digest, Heading};
use referee_rules::game::Game;
use referee_rules::{BySeat, Dice, Events, Outcome, Parameters, Seat, Seed};
use referee_table::process::Setup;

use crate::notary::rewrite;
use crate::support::{Place, REFEREE, comes_true, results_in};
use referee_testutil::judge::checking::{CHANCE, CHECKING, CORNERS};
use referee_testutil::judge::judge;
use referee_testutil::judge::mistakes::{Mistake, OPENING, PLAYING};
use referee_testutil::no_record::NoRecord;
use referee_testutil::simulated::SimulatedTable;
use rustix::process::{Pid, Signal};

const TRON: &str = "bots/starter-game/python/judge.py";

/// Returns a file of the project.
fn project(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// Returns a host of judges in this process.
fn host() -> Host {
    Host::new(Setup::with(&*REFEREE), || referee_cli::judge::options(referee::PARTS))
}

/// Opens a judge in this process.
fn open(file: &Path) -> Result<Entry, Error> {
    judges::open(&host(), file)
}

/// Examines a judge in this process.
fn examine(file: &Path) -> Result<CheckReport, Error> {
    // No time limit: what is covered must not depend on the speed of the machine. What differs in few starts only is
    // left to the tests of that (`rare`).
    with_terms(file, &Terms { limit: Duration::MAX, repeats: 5, ..Terms::default() }, |_| {})
}

/// Examines a judge in this process, by these terms.
fn with_terms(file: &Path, terms: &Terms, next: impl FnMut(&str)) -> Result<CheckReport, Error> {
    check(&host(), file, terms, next)
}

/// Runs a test with each of many judges, several at a time: the slow ones cost nothing but time.
fn with_each(mistakes: &[Mistake], test: impl Fn(&Mistake) + Sync) {
    let left = Mutex::new(mistakes.iter());
    let next = || left.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while let Some(mistake) = next() {
                    test(mistake);
                }
            });
        }
    });
}

/// A table at which all seats answer 3.
struct Steady(Vec<Seat>);

impl Table for Steady {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.0 = questions.iter().map(|question| question.seat).collect();
        Ok(())
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        *answers = self.0.iter().map(|seat| Answer { integers: vec![3], ..Answer::empty(*seat) }).collect();
        Ok(())
    }
}

#[test]
fn what_describes_no_game_is_not_opened_and_the_reason_is_named() {
    let place = Place::new();
    with_each(OPENING, |mistake| {
        let name = mistake.name;
        let error = open(&judge(&place, name, name)).map(|entry| entry.name).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input, "{name}: {error}");
        assert!(error.to_string().contains(mistake.due), "{name}: no {:?} in {error}", mistake.due);
    });
}

#[test]
fn a_judge_that_fails_makes_the_game_void_and_is_named() {
    let place = Place::new();
    with_each(PLAYING, |Mistake { name, due, .. }| {
        let entry = open(&judge(&place, name, name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut game = entry.start(&Parameters::defaults(entry.parameters), Seed(7));
        let error = play(&mut *game, &mut Steady(Vec::new()), &mut NoRecord).unwrap_err();
        let Some(TableError::Void(Void::JudgeFailed { why, seat, .. })) = error.cause() else {
            panic!("{name}: {error:?}")
        };
        assert!(why.contains(due), "{name}: no {due:?} in {why}");
        assert_eq!(*seat, None, "{name}: no answer is to blame");
        assert!(why.starts_with(&format!("the judge of {} has failed: ", entry.name)), "{why}");
        assert!(game.asked().is_empty() && game.outcome().is_none(), "{name}: it goes on");
    });
}

#[test]
fn a_judge_that_fails_is_not_certified() {
    let place = Place::new();
    with_each(PLAYING, |Mistake { name, .. }| {
        let checked = examine(&judge(&place, name, name));
        let kind = checked.as_ref().map_err(Error::kind).err();
        assert_eq!(kind, Some(ErrorKind::Failed), "{name}: {checked:?}");
    });
}

#[test]
fn the_corpus_is_as_large_as_it_is_meant_to_be_and_the_judge_without_a_mistake_plays() {
    assert!(OPENING.len() + PLAYING.len() + CHECKING.len() + CORNERS.len() >= 200);
    let place = Place::new();
    let file = judge(&place, "none", "none");
    let entry = open(&file).unwrap();
    let mut game = entry.start(&Parameters::defaults(entry.parameters), Seed(7));
    let outcome = play(&mut *game, &mut Steady(Vec::new()), &mut NoRecord).unwrap();
    assert_eq!((outcome.scores.as_slice(), outcome.shares.as_slice()), (&[12; 4][..], &[0.5; 4][..]));
    let checked = examine(&file).unwrap();
    assert!(checked.games >= 9 && checked.faults > 0, "{checked:?}");
}

#[test]
fn a_judge_that_goes_ahead_is_taken_back_if_other_answers_count() {
    let place = Place::new();
    let entry = open(&judge(&place, "ahead", "ahead")).unwrap();
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in [("seats", 2), ("length", 3)] {
        parameters.set(name, value).unwrap();
    }
    let game = || entry.start(&parameters, Seed(7));
    let [zero, one] = [0, 1].map(Seat::new);
    let turn = |game: &mut dyn Game, expected: &[i64], given: &[i64]| {
        game.expect(&mut [(zero, expected), (one, expected)].into_iter());
        let verdicts = [zero, one].map(|seat| game.answer(seat, Ok(given)).is_some());
        game.resolve(&mut Events::default());
        assert_eq!(game.trouble(), None);
        let mut line = Vec::new();
        game.asked().to_vec().into_iter().for_each(|seat| game.question(seat, &mut line));
        (verdicts, String::from_utf8(line).unwrap())
    };
    let due = |sum: i64| format!("4 1 0 {sum} {sum}\n4 1 1 {sum} {sum}\n");
    assert_eq!(turn(&mut *game(), &[3], &[3]), ([false; 2], due(3)));
    assert_eq!(turn(&mut *game(), &[3], &[4]), ([false; 2], due(4)), "other answers");
    assert_eq!(turn(&mut *game(), &[3], &[10]), ([true; 2], due(0)), "answers that are malformed");
    assert_eq!(turn(&mut *game(), &[10], &[10]), ([true; 2], due(0)), "it does not go ahead");
    assert_eq!(turn(&mut *game(), &[10], &[5]), ([false; 2], due(5)));
    let mut whole = game();
    let turns = [3, 4, 9].map(|answer| turn(&mut *whole, &[answer], &[answer]).1.is_empty());
    assert_eq!(turns, [false, false, true]);
    assert_eq!(whole.outcome().unwrap().scores.as_slice(), [16, 16]);
}

#[test]
fn a_judge_that_writes_megabytes_unasked_has_failed() {
    let place = Place::new();
    let entry = open(&judge(&place, "deluge", "deluge")).unwrap();
    let mut game = entry.start(&Parameters::defaults(entry.parameters), Seed(7));
    // More than a pipe holds: the judge's output is read while the judge does not read.
    let long = vec![1; 100_000];
    let mut why = None;
    assert!(comes_true(|| {
        game.answer(Seat::new(0), Ok(&long));
        why = game.trouble();
        why.is_some()
    }));
    let why = why.unwrap().why;
    assert!(why.contains("it wrote more than 1 MiB without a request"), "{why}");
}

/// Plays a game into a log.
fn log_of(entry: &Entry, parameters: &Parameters, seed: Seed, path: &Path, table: &mut dyn Table) -> Outcome {
    let mut game = entry.start(parameters, seed);
    let seats = game.info().seats;
    let bot = BotName { name: "simulated".to_owned(), version: 1, digest: Digest::of(b"") };
    let heading = Heading::new("simulated", &*game, parameters, BySeat::from_fn(seats, |_| bot.clone()));
    let mut log = GameLog::begin(&heading, LogFile::create(path).unwrap());
    let outcome = play(&mut *game, table, &mut log).unwrap();
    log.finish().0.publish().unwrap();
    outcome
}

#[test]
fn a_judge_with_chance_of_its_own_never_agrees() {
    let place = Place::new();
    for kind in CHANCE {
        let file = judge(&place, kind, kind);
        let entry = catalog::add(open(&file).unwrap()).unwrap();
        let log = place.path(&format!("{kind}.csv"));
        let mut dice = Dice::for_turn(Seed(3), 9);
        let mut table = SimulatedTable::new(4, Seed(3), move |_, _| vec![i64::from(dice.below(12)) - 1]);
        log_of(entry, &Parameters::defaults(entry.parameters), Seed(3), &log, &mut table);
        let error = audit_log(&*log).unwrap_err().to_string();
        assert!(error.contains("the rules say"), "{kind}: {error}");
        let error = examine(&file).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Failed, "{error}");
        assert!(error.to_string().contains("its replies differ between two runs"), "{kind}: {error}");
    }
}

#[test]
fn a_judge_is_played_kept_audited_and_watched_like_any_game() {
    let place = Place::new();
    fs::copy(project(TRON), place.path("tron.py")).unwrap();
    let straight = "#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print(1, flush=True)\n";
    place.program("straight.py", straight);
    let bots = ["./straight.py", "./straight.py", "./straight.py"];
    place
        .referee(&[&["play", "./tron.py"], &bots[..], &["--side", "7", "--seed", "5"]].concat())
        .with_status(0);
    let rows = results_in(&place.path("games"));
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| judges::is_name(&row.rules) && row.rules.starts_with("tron-")), "{rows:?}");
    let kept = place.path("games/judges").join(&rows[0].rules);
    let digest = digest::of_file(kept.as_path()).unwrap();
    assert!(rows.iter().all(|row| row.rules_digest.as_ref() == Some(&digest)), "{rows:?}");
    // After this, the judge is only in the folder of its records.
    fs::remove_file(place.path("tron.py")).unwrap();
    let log = place.path("games").join(&rows[0].log);
    let log = log.to_str().unwrap();
    for words in [&["audit", "games"][..], &["audit", log], &["replay", log, "--plain"], &["export", log]] {
        place.referee(words).with_status(0);
    }
    // Its rows name the judge: without that, another one could be put in its place.
    let results = fs::read(place.path("games/results.csv")).unwrap();
    rewrite(&place.path("games"), |games| games.iter_mut().flatten().for_each(|row| row.rules_digest = None));
    place.referee(&["audit", "games"]).with_status(3).complaining(&["line 2: column rules_digest is empty"]);
    fs::write(place.path("games/results.csv"), results).unwrap();
    place.referee(&["replay", log, "--html", "game.html"]).with_status(0);
    let told = place.referee(&["replay", log, "--plain"]).with_status(0).out;
    assert!(told.contains("is out"), "{told}");
    // Its facts describe a grid: seven cells of two characters, with three riders.
    assert!(
        told.contains("+--------------+") && ["00", "11", "22"].iter().all(|token| told.contains(token)),
        "{told}"
    );
    let page = fs::read_to_string(place.path("game.html")).unwrap();
    assert!(page.contains("class SceneBoard"), "no board that draws a grid");
    // A log alone is read if its judge is available.
    let kept = place.path("games/judges").join(&rows[0].rules);
    fs::rename(&kept, place.path("elsewhere.py")).unwrap();
    place
        .referee(&["audit", log])
        .with_status(3)
        .complaining(&["a judge that is missing here", "--judge PROGRAM"]);
    place.referee(&["audit", log, "--judge", "elsewhere.py"]).with_status(0);
    judge(&place, "other", "none");
    place
        .referee(&["audit", log, "--judge", "other"])
        .with_status(3)
        .complaining(&["another judge than other, whose game is sums-"]);
    // Another judge under its name is refused.
    fs::copy(project("tests/judge/push.py"), &kept).unwrap();
    place.referee(&["audit", log]).with_status(3).complaining(&["not the one that its name says"]);
    place.assert_nothing_stays();
}

#[test]
fn a_judge_has_hills_and_tournaments_and_a_bad_one_makes_no_bot_lose() {
    let place = Place::new();
    fs::copy(project(TRON), place.path("tron.py")).unwrap();
    place.program(
        "up.py",
        "#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print(0, flush=True)\n",
    );
    place.referee(&["hill", "new", "h", "./tron.py", "--side", "6", "--seats", "2"]).with_status(0);
    for name in ["ann", "ben"] {
        place.referee(&["hill", "submit", "h", "./up.py", "--name", name]).with_status(0);
    }
    place.referee(&["hill", "run", "h", "--rounds", "1"]).with_status(0);
    place.referee(&["audit", "h"]).with_status(0);
    place.referee(&["hill", "standings", "h"]).with_status(0);
    place.referee(&["check", "up.py", "--game", "tron.py"]).with_status(0);
    let cup = "name = \"cup\"\ngame = \"../tron.py\"\nseed = \"7\"\n[format]\nkind = \"rounds\"\nrounds = 1\n\
               [parameters]\nside = 6\nseats = 2\n\
               [[entrant]]\nname = \"ann\"\nprogram = \"../up.py\"\n[[entrant]]\nname = \"ben\"\nprogram = \"../up.py\"\n";
    fs::create_dir(place.path("files")).unwrap();
    fs::write(place.path("files/cup.toml"), cup).unwrap();
    place.referee(&["tournament", "plan", "files/cup.toml", "--dir", "t"]).with_status(0);
    fs::remove_file(place.path("tron.py")).unwrap();
    place.referee(&["tournament", "run", "--dir", "t"]).with_status(0);
    place.referee(&["audit", "t"]).with_status(0);
    judge(&place, "dies", "turn_exit");
    place
        .referee(&["play", "./dies", "./up.py", "./up.py", "--seats", "2"])
        .with_status(1)
        .complaining(&["oh no", "voids.csv"]);
    assert!(!place.path("games/results.csv").exists() || results_in(&place.path("games")).is_empty());
    let voids = fs::read_to_string(place.path("games/voids.csv")).unwrap();
    assert!(voids.contains("judge_failed") && voids.contains("the judge of sums-"), "{voids}");
    place.assert_nothing_stays();
}

#[test]
fn a_class_plays_a_game_of_its_teacher() {
    let place = Place::new();
    fs::copy(project(TRON), place.path("tron.py")).unwrap();
    let bot = "#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print(0, flush=True)\n";
    place.program("up.py", bot);
    fs::write(place.path("list.csv"), "id,name\n7,Ann\n8,Ben\n").unwrap();
    let new = ["class", "new", "c", "./tron.py", "--side", "6", "--seats", "2", "--students", "list.csv"];
    let more = ["--deadline", "2099-12-15 12:00 UTC", "--panel", "staff/up.py"];
    place.referee(&[&new[..], &more].concat()).with_status(0);
    fs::create_dir(place.path("c/staff")).unwrap();
    fs::copy(place.path("up.py"), place.path("c/staff/up.py")).unwrap();
    for (account, name) in [("7", "ann"), ("8", "ben")] {
        let submit = ["hill", "submit", "c", "./up.py", "--name", name, "--author", account];
        place.referee(&submit).with_status(0);
    }
    let class = fs::read_to_string(place.path("c/class.toml")).unwrap();
    fs::write(place.path("c/class.toml"), class.replace("\nrounds = 60\n", "\nrounds = 1\n")).unwrap();
    place.referee(&["class", "exam", "c", "--early", "-q"]).with_status(0);
    place.referee(&["audit", "c/exam"]).with_status(0);
    let grades = place.referee(&["class", "grades", "c", "--format", "csv"]).with_status(0);
    assert_eq!(grades.out.matches(",undecided,").count(), 2, "copies of the panel: {grades:?}");
    place.assert_nothing_stays();
}

#[test]
fn a_judge_that_sleeps_is_not_waited_for_when_somebody_stops_the_referee() {
    let place = Place::new();
    judge(&place, "asleep", "asleep");
    place.program("three.py", "#!/usr/bin/env python3\n");
    let mut command = place.command(&["play", "./asleep", "./three.py", "./three.py", "--seats", "2"]);
    let mut referee = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Once it is stored, its game begins: its launcher runs in addition to the referee and two fork servers.
    assert!(comes_true(|| place.path("games/judges").exists()), "the judge is not kept");
    assert!(comes_true(|| place.processes().len() > 3), "the judge is not started: {:?}", place.processes());
    rustix::process::kill_process(Pid::from_child(&referee), Signal::INT).unwrap();
    let mut status = None;
    let has_ended = || {
        status = referee.try_wait().unwrap();
        status.is_some()
    };
    // Its patience is ten minutes.
    assert!(comes_true(has_ended), "it waits for the judge");
    assert_eq!(status.unwrap().code(), Some(130));
    assert!(!place.path("games/voids.csv").exists(), "the judge has not failed");
    place.assert_no_process_stays();
}

#[test]
fn what_is_no_judge_is_refused_with_the_reason() {
    let place = Place::new();
    place.program(
        "bot.py",
        "#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print(1, flush=True)\n",
    );
    place.referee(&["play", "./bot.py", "a", "b"]).with_status(2).complaining(&["not a judge", "docs judge"]);
    place.referee(&["play", "./none.py", "a", "b"]).with_status(2).complaining(&["./none.py"]);
    place.referee(&["judge", "check", "bot.py"]).with_status(2).complaining(&["not a judge"]);
    fs::copy(project(TRON), place.path("tron.py")).unwrap();
    let checked = place.referee(&["judge", "check", "tron.py"]).with_status(0);
    assert!(checked.out.contains("the same each time"), "{}", checked.out);
}
