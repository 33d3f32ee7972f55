//! Judges: games whose rules are a program. A mistake of a judge never counts against a bot. Whatever a judge
//! does, nothing hangs, and no audit passes a game that differs.

mod bluff;
mod host;
mod scenes;
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
use referee_judge as judge;
use referee_judge::check::{Checked, Terms, check};
use referee_play::play;
use referee_play::table::{Question, Table, TableError, Void};
use referee_record::Answer;
use referee_record::error::{Error, ErrorKind};
use referee_record::log::GameLog;
use referee_record::{BotName, Digest, Heading};
use referee_rules::game::Game;
use referee_rules::{BySeat, Dice, Events, Outcome, Parameters, Seat, Seed};

use crate::support::{Place, REFEREE, comes_true, results_in};
use referee_testutil::no_record::NoRecord;
use referee_testutil::simulated::SimulatedTable;
use rustix::process::{Pid, Signal};

const TRON: &str = "bots/starter-game/python/judge.py";

/// Returns a file of the project.
fn project(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// Opens a judge in this process.
fn open(file: &Path) -> Result<Entry, Error> {
    judge::start_by(Path::new(&*REFEREE));
    judge::options_are(referee_cli::judge::options);
    judge::open(file)
}

/// Examines a judge in this process.
fn examine(file: &Path) -> Result<Checked, Error> {
    // No time limit: what is covered must not depend on the speed of the machine.
    with_terms(file, &Terms { limit: Duration::MAX, ..Terms::default() }, |_| {})
}

/// Examines a judge in this process, by these terms.
fn with_terms(file: &Path, terms: &Terms, next: impl FnMut(&str)) -> Result<Checked, Error> {
    judge::start_by(Path::new(&*REFEREE));
    judge::options_are(referee_cli::judge::options);
    check(file, terms, next)
}

/// Makes the judge with this misbehaviour.
fn bad(place: &Place, kind: &str) -> PathBuf {
    let text = fs::read_to_string(project("tests/judge/bad.py")).unwrap();
    assert!(text.contains("KIND = \"good\""));
    place.program(&format!("{kind}.py"), text.replace("KIND = \"good\"", &format!("KIND = {kind:?}"))).into()
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

/// The errors for wrong descriptions.
const NOT_OPENED: &[(&str, &str)] = &[
    ("no_game", "no line game"),
    ("no_seats", "no line seats"),
    ("no_turns", "no line turns"),
    ("name_great", "Sums is not a name"),
    ("name_long", "is not a name"),
    ("version_none", "the line ends too early"),
    ("version_zero", "0 is not from 1"),
    ("seats_none", "0 is not from 1 to 64"),
    ("seats_many", "65 is not from 2 to 64"),
    ("seats_reversed", "2 is not from 3 to 64"),
    ("seats_words", "two is not an integer"),
    ("turns_huge", "is not an integer of 64 bits"),
    ("parameter_taken", "a name that is taken"),
    ("parameter_default", "a default out of its range"),
    ("parameter_twice", "`parameter bonus 1 0 9 again`: this was said in an earlier line"),
    ("game_twice", "`game sums 2`: this was said in an earlier line"),
    ("seats_twice", "`seats 2 3`: this was said in an earlier line"),
    ("together_ahead", "`ahead`: this was said in an earlier line"),
    ("parameter_short", "the line ends too early"),
    ("patience_none", "0 is not from 1"),
    ("unknown_line", "this word is not allowed here (allowed: game,"),
    ("more_behind", "the line has too many words"),
    ("describe_exit", "it has ended, with status 3"),
    ("describe_crash", "signal 9"),
    ("describe_flood", "the line ends too early"),
    ("describe_bytes", "not text in UTF-8"),
];

/// The errors for judges that fail in a game.
const FAILED: &[(&str, &str)] = &[
    ("start_exit", "with status 1 (last line on standard error: oh no)"),
    ("start_crash", "signal 11"),
    ("start_raise", "standard error: ValueError: of the judge's own"),
    ("start_silent", "no reply within 300 ms"),
    ("start_half", "no reply within 300 ms"),
    ("start_closed", "it has closed its output"),
    ("start_flood", "more than 100000 lines"),
    ("start_unknown", "`hello`: this word is not allowed"),
    ("start_empty", "the line ends too early"),
    ("start_bytes", "not text in UTF-8"),
    ("start_effect", "an effect before the first turn"),
    ("start_draws", "more than 256 draws"),
    ("turn_exit", "with status 1"),
    ("turn_crash", "signal 11"),
    ("turn_silent", "no reply within 300 ms"),
    ("turn_half", "no reply within 300 ms"),
    ("turn_closed", "it has closed its output"),
    ("turn_flood", "more than 100000 lines"),
    ("turn_unknown", "`hello`: this word is not allowed"),
    ("turn_bytes", "not text in UTF-8"),
    ("check_exit", "with status 1"),
    ("check_silent", "no reply within 300 ms"),
    ("check_flood", "`say 0 again and again`: this word is not allowed here (allowed: fine"),
    ("check_word", "`well`: this word is not allowed here"),
    ("check_none", "0 is not from 1"),
    ("check_more", "1 is not from 2"),
    ("check_short", "the line ends too early"),
    ("check_two", "`fine`: this word is not allowed here"),
    ("ask_absent", "2 is not from 0 to 1"),
    ("ask_negative", "-1 is not from 0 to 1"),
    ("ask_twice", "this seat is asked twice"),
    ("ask_nobody", "no seat is asked, but the game is not over"),
    ("ask_huge", "is not an integer of 64 bits"),
    ("ask_words", "x is not an integer"),
    ("ask_and_over", "a game that is over needs `over` and `scores`"),
    ("scores_early", "a game that is over needs `over` and `scores`"),
    ("scores_none", "a game that is over needs `over` and `scores`"),
    ("scores_short", "1 scores and 1 shares for 2 seats"),
    ("scores_long", "3 scores and 3 shares for 2 seats"),
    ("scores_words", "a is not an integer"),
    ("scores_huge", "is not an integer of 64 bits"),
    ("scores_great", "1000000000001 is not from -1000000000000 to 1000000000000"),
    ("scores_twice", "`scores 1 2`: this was said in an earlier line"),
    ("over_twice", "`over again`: this was said in an earlier line"),
    ("shares_twice", "`shares 1 0 1`: this was said in an earlier line"),
    ("scores_float", "0.5 is not an integer"),
    ("shares_over", "a share must be from 0 to the first number"),
    ("shares_negative", "a share must be from 0 to the first number"),
    ("shares_short", "2 scores and 1 shares for 2 seats"),
    ("shares_zero", "0 is not from 1"),
    ("shares_words", "all is not an integer"),
    ("reason_great", "Turns is not a name"),
    ("reason_none", "the line ends too early"),
    ("never_over", "not over after 3 turns, the maximum in its description"),
    ("effect_seat", "2 is not from -1 to 1"),
    ("effect_name", "Sum! is not a name"),
    ("effect_words", "one is not an integer"),
    ("say_seat", "7 is not from -1 to 1"),
    ("draw_none", "0 is not from 1"),
    ("draw_more", "the draw requests more than there are candidates"),
    ("draw_empty", "the draw requests more than there are candidates"),
    ("draw_words", "a is not an integer"),
    ("pick_more", "the draw requests more than there are candidates"),
    ("shared_words", "x is not an integer"),
    ("shared_much", "the questions of the turn are longer than 16 MiB"),
    ("together_silent", "no reply within 300 ms"),
    ("start_long", "a line of more than 1 MiB, which begins `say 0 xxx"),
    ("turn_long", "a line of more than 1 MiB"),
    ("check_long", "a line of more than 1 MiB"),
    ("ahead_silent", "no reply within 300 ms"),
    ("ahead_half", "no reply within 300 ms"),
    ("ahead_exit", "with status 1"),
    ("ahead_unknown", "`hello`: this word is not allowed"),
];

/// Runs a test with each of many judges, two at a time.
fn with_each(kinds: &[(&str, &str)], test: impl Fn(&str, &str) + Sync) {
    let left = Mutex::new(kinds.iter());
    let next = || left.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((kind, due)) = next() {
                    test(kind, due);
                }
            });
        }
    });
}

#[test]
fn what_describes_no_game_is_not_opened_and_the_reason_is_named() {
    let place = Place::new();
    with_each(NOT_OPENED, |kind, due| {
        let error = open(&bad(&place, kind)).map(|entry| entry.name).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input, "{kind}: {error}");
        assert!(error.to_string().contains(due), "{kind}: no {due:?} in {error}");
    });
}

#[test]
fn a_judge_that_fails_makes_the_game_void_and_is_named() {
    let place = Place::new();
    with_each(FAILED, |kind, due| {
        let entry = open(&bad(&place, kind)).unwrap_or_else(|error| panic!("{kind}: {error}"));
        let mut game = entry.start(&Parameters::defaults(entry.parameters), Seed(7));
        let error = play(&mut *game, &mut Steady(Vec::new()), &mut NoRecord).unwrap_err();
        let Some(TableError::Void(Void::JudgeFailed { why, seat, .. })) = error.cause() else {
            panic!("{kind}: {error:?}")
        };
        assert!(why.contains(due), "{kind}: no {due:?} in {why}");
        assert_eq!(*seat, None, "{kind}: no answer is to blame");
        assert!(why.starts_with(&format!("the judge of {} has failed: ", entry.name)), "{why}");
        assert!(game.asked().is_empty() && game.outcome().is_none(), "{kind}: it goes on");
    });
}

#[test]
fn a_judge_that_fails_is_not_certified() {
    let place = Place::new();
    with_each(FAILED, |kind, _| {
        let checked = examine(&bad(&place, kind));
        assert_eq!(
            checked.as_ref().map_err(Error::kind).err(),
            Some(ErrorKind::Failed),
            "{kind}: {checked:?}"
        );
    });
}

#[test]
fn the_corpus_is_as_large_as_it_is_meant_to_be_and_the_judge_without_a_fault_plays() {
    assert!(NOT_OPENED.len() + FAILED.len() + sly::count() >= 150);
    let place = Place::new();
    let file = bad(&place, "good");
    let entry = open(&file).unwrap();
    let mut game = entry.start(&Parameters::defaults(entry.parameters), Seed(7));
    let outcome = play(&mut *game, &mut Steady(Vec::new()), &mut NoRecord).unwrap();
    assert_eq!((outcome.scores.as_slice(), outcome.shares.as_slice()), (&[9, 9][..], &[0.5, 0.5][..]));
    let checked = examine(&file).unwrap();
    assert!(checked.games >= 9 && checked.faults > 0, "{checked:?}");
}

#[test]
fn a_judge_that_goes_ahead_is_taken_back_if_other_answers_count() {
    let place = Place::new();
    let entry = open(&bad(&place, "ahead")).unwrap();
    let game = || entry.start(&Parameters::defaults(entry.parameters), Seed(7));
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
    let entry = open(&bad(&place, "start_deluge")).unwrap();
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
    for kind in ["own_dice", "own_clock", "own_number", "own_hash"] {
        let file = bad(&place, kind);
        let entry = catalog::add(open(&file).unwrap()).unwrap();
        let log = place.path(&format!("{kind}.csv"));
        let mut dice = Dice::for_turn(Seed(3), 9);
        let mut table = SimulatedTable::new(2, Seed(3), move |_, _| vec![i64::from(dice.below(12)) - 1]);
        log_of(entry, &Parameters::defaults(entry.parameters), Seed(3), &log, &mut table);
        let error = audit_log(&*log).unwrap_err().to_string();
        assert!(error.contains("the rules say"), "{kind}: {error}");
        let error = examine(&file).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Failed, "{error}");
        assert!(error.to_string().contains("its replies differ between two runs"), "{kind}: {error}");
    }
}

#[test]
fn what_only_the_check_of_a_judge_finds_is_named() {
    let place = Place::new();
    for (kind, due) in [
        ("sample_bad", "its own sample [77] for seat"),
        ("facts_seat", "5 is not from -1 to 1"),
        ("facts_deed", "its replies differ between two runs"),
        ("fault_dies", "it has ended, with status 1"),
        ("ahead_other", "its replies differ between two runs"),
        ("ahead_always", "this word is not allowed here (allowed: "),
        ("never_over", "not over after 3 turns"),
    ] {
        let error = examine(&bad(&place, kind)).unwrap_err().to_string();
        assert!(error.contains(due), "{kind}: no {due:?} in {error}");
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
    assert!(rows.iter().all(|row| judge::is_name(&row.rules) && row.rules.starts_with("tron-")), "{rows:?}");
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
    bad(&place, "good");
    place
        .referee(&["audit", log, "--judge", "good.py"])
        .with_status(3)
        .complaining(&["another judge than good.py, whose game is sums-"]);
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
    place.referee(&["tournament", "merge", "--dir", "t"]).with_status(0);
    place.referee(&["audit", "t"]).with_status(0);
    bad(&place, "turn_exit");
    place
        .referee(&["play", "./turn_exit.py", "./up.py", "./up.py"])
        .with_status(1)
        .complaining(&["oh no", "voids.csv"]);
    assert!(!place.path("games/results.csv").exists() || results_in(&place.path("games")).is_empty());
    let voids = fs::read_to_string(place.path("games/voids.csv")).unwrap();
    assert!(voids.contains("judge_failed") && voids.contains("the judge of sums-"), "{voids}");
    place.assert_nothing_stays();
}

#[test]
fn a_judge_that_sleeps_is_not_waited_for_when_somebody_stops_the_referee() {
    let place = Place::new();
    bad(&place, "start_asleep");
    place.program("three.py", "#!/usr/bin/env python3\n");
    let mut command = place.command(&["play", "./start_asleep.py", "./three.py", "./three.py"]);
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
    // Its patience is twice as long as this.
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
