//! Judges with one mistake each: the check certifies none of them. Most fail only at some turn, with some number of
//! seats, at some value of a parameter or in other surroundings.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use referee_judge::check::{CheckReport, Fixed, Terms};
use referee_record::Answer;
use referee_record::error::{Error, ErrorKind};
use referee_record::play::play;
use referee_record::play::table::{Question, Table, TableError, Void};
use referee_rules::{Fault, Parameters, Seat, Seed};
use referee_sandbox::{Choice, NOT_MOVED, Tier, probe};
use referee_table::clock::seconds;
use referee_table::process::Setup;

use super::{TRON, examine, open, project, with_each, with_terms};
use crate::support::{Place, REFEREE, files_below, results_in};
use referee_testutil::judge::checking::{CHECKING, CORNERS};
use referee_testutil::judge::judge;
use referee_testutil::judge::mistakes::Mistake;
use referee_testutil::judge::rare::RARE;
use referee_testutil::no_record::NoRecord;

/// The kinds of faults that a judge is told.
const FAULTS: &[&str] = &[
    "late",
    "exited",
    "crashed",
    "closed",
    "deaf",
    "early",
    "extra",
    "too_long",
    "malformed",
    "resource",
    "start_failed",
];

/// Names of parameters that are options of commands, too.
const TAKEN: &[&str] = &[
    "seed",
    "quiet",
    "verbose",
    "jobs",
    "dir",
    "set",
    "help",
    "version",
    "sandbox",
    "clock",
    "memory",
    "stderr",
    "watch",
    "repeat",
    "format",
    "vs",
    "interpreter",
    "capacity",
    "first_ms",
    "seats",
];

/// Makes sure that the check finds a mistake.
fn assert_found(mistake: &Mistake, file: &Path, terms: &Terms) {
    let Mistake { name, due, .. } = mistake;
    let error = with_terms(file, terms, |_| {}).expect_err(&format!("certified: {name}"));
    assert_eq!(error.kind(), ErrorKind::Failed, "{name}: {error}");
    let is_due = due.split('|').any(|due| error.to_string().contains(due));
    assert!(is_due, "{name}: no {due:?} in {error}");
}

#[test]
fn no_judge_with_a_mistake_is_certified() {
    let place = Place::new();
    // The number of seats and the parameters do not matter, so one table is enough.
    let set = [("side", "5"), ("length", "6")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    with_each(CHECKING, |mistake| {
        let set = if mistake.name.starts_with("long_") { Vec::new() } else { set.to_vec() };
        let fixed = Fixed { set, seats: Some(4) };
        let terms = Terms { fixed, seed: Some(Seed(1)), limit: Duration::MAX, ..Terms::default() };
        assert_found(mistake, &judge(&place, mistake.name, mistake.name), &terms);
    });
}

#[test]
fn no_judge_with_a_mistake_at_some_time_or_of_some_answers_is_certified() {
    let place = Place::new();
    let set = vec![("length".to_owned(), "4".to_owned())];
    let fixed = Fixed { set, seats: Some(2) };
    let terms = Terms { fixed, seed: Some(Seed(1)), limit: Duration::MAX, ..Terms::default() };
    let setup = Setup::with(&*REFEREE);
    let tier = probe::choose(Choice::Auto, &setup.fork_server, setup.landlock_version_max);
    let is_strict = tier == Ok(Tier::Strict);
    with_each(RARE, |mistake| {
        // Only there a judge has process numbers of its own.
        if !is_strict && mistake.name == "some_process" {
            return;
        }
        assert_found(mistake, &judge(&place, mistake.name, mistake.name), &terms);
    });
}

#[test]
fn no_judge_with_a_mistake_at_some_table_is_certified() {
    let place = Place::new();
    let terms = Terms { limit: Duration::MAX, ..Terms::default() };
    with_each(CORNERS, |mistake| assert_found(mistake, &judge(&place, mistake.name, mistake.name), &terms));
}

#[test]
fn a_judge_that_dies_of_a_kind_of_fault_is_not_certified() {
    let place = Place::new();
    for kind in FAULTS {
        let error = examine(&judge(&place, kind, &format!("dies_of:{kind}"))).unwrap_err().to_string();
        assert!(error.contains("status 1") && error.contains(kind), "{kind}: {error}");
    }
}

#[test]
fn a_parameter_with_the_name_of_an_option_is_refused_with_its_line() {
    let place = Place::new();
    for name in TAKEN {
        let file = judge(&place, name, &format!("parameter:{name}"));
        // Records can have older judges.
        assert_eq!(open(&file).is_ok(), !["first_ms", "seats"].contains(name), "{name}");
        let line = format!("`parameter {name} 5 1 9 mine`: {name} is a name that is taken");
        place.referee(&["play", &format!("./{name}")]).with_status(2).complaining(&[&line]);
    }
}

#[test]
fn the_check_of_a_good_judge_says_what_it_has_played_and_left_out() {
    let place = Place::new();
    let file = judge(&place, "good", "none");
    let mut titles = Vec::new();
    let checked = with_terms(&file, &Terms { limit: Duration::MAX, ..Terms::default() }, |title| {
        titles.push(title.to_owned())
    });
    let checked = checked.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(checked.missing, [""; 0]);
    // Three numbers of seats, and the ends of two parameters with the most and the fewest seats.
    assert_eq!(checked.settings, 3 + 8, "{checked:?}");
    for due in [
        "4 seats, seed 1, with faults, killed in between",
        "3 seats, seed 1, no answers",
        "2 seats, side 1, length 6",
    ] {
        assert!(titles.iter().any(|title| title.contains(due)), "{due}: {titles:#?}");
    }
    let said = checked.left_out.join("\n");
    assert!(
        said.contains("between their ends") && said.contains("rdtsc") && said.contains("1 of 32 starts"),
        "{said}"
    );
    assert!(checked.pace.0 > Duration::ZERO && checked.pace.0 <= checked.pace.1, "{:?}", checked.pace);
}

#[test]
fn a_judge_that_waits_for_a_moment_is_certified() {
    let place = Place::new();
    let judge = fs::read_to_string(project(TRON)).unwrap();
    let waits = judge.replace("import sys\n", "import queue, sys, threading\n").replace(
        "def play(answers):\n",
        "def play(answers):\n    threading.Event().wait(0.005)\n    take()\n",
    );
    let take = "def take():\n    try:\n        queue.Queue().get(timeout=0.001)\n    except queue.Empty:\n        pass\n\n\n";
    let waits = waits.replace("def play(", &format!("{take}def play("));
    assert!(waits.contains("queue.Queue") && waits.contains(".wait(0.005)"));
    let file = place.program("waits.py", waits);
    let set = vec![("side".to_owned(), "5".to_owned())];
    let terms = Terms {
        fixed: Fixed { set, seats: Some(2) },
        seed: Some(Seed(1)),
        limit: Duration::MAX,
        ..Terms::default()
    };
    let checked = with_terms(Path::new(&file), &terms, |_| {}).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(checked.missing, [""; 0]);
    assert!(checked.left_out.join("\n").contains("rdtsc"), "its clocks are moved: {checked:?}");
}

#[test]
fn a_judge_does_not_choose_whether_its_clocks_are_moved() {
    let place = Place::new();
    let judge = fs::read_to_string(project(TRON)).unwrap();
    let later = seconds() + 100 * 86_400;
    let late = format!("import sys, time\nif time.time() > {later}:\n    sys.exit('{NOT_MOVED}')\n");
    let file = place.program("late.py", judge.replace("import sys\n", &late));
    let error = examine(Path::new(&file)).unwrap_err().to_string();
    assert!(error.contains("description: it has ended, with status 1"), "{error}");
}

#[test]
fn what_there_was_no_time_for_is_named_and_nothing_is_certified() {
    let place = Place::new();
    let file = judge(&place, "good", "none");
    let checked = with_terms(&file, &Terms { limit: Duration::ZERO, ..Terms::default() }, |_| {}).unwrap();
    assert!(checked.missing.iter().any(|part| part.contains("11 of 11 settings")), "{checked:?}");
    let told = place.referee(&["judge", "check", "good", "--seconds", "0"]).with_status(3);
    assert!(
        told.out.contains("not covered: 11 of 11 settings") && !told.out.contains("the same each time"),
        "{}",
        told.out
    );
    assert!(told.err.contains("is not certified: 0 seconds were too short"), "{}", told.err);
}

#[test]
fn seats_parameters_and_seed_can_be_given_and_the_last_game_is_written_down() {
    let place = Place::new();
    judge(&place, "dies", "wall");
    let words = ["judge", "check", "dies", "--seats", "3", "--seed", "9", "--transcript", "t.txt", "--set"];
    let told = place.referee(&[&words[..], &["side=7"]].concat()).with_status(3);
    for due in [
        "3 seats, side 7, seed 9, all answers allowed",
        "turn 2: it has ended, with status 1",
        "request: go",
        "standard error: of a wall",
    ] {
        assert!(told.err.contains(due), "{due}: {}", told.err);
    }
    let transcript = fs::read_to_string(place.path("t.txt")).unwrap();
    for due in ["# 3 seats, side 7, seed 9", "> start 3 7 4", "< ask 0 0 0 0 0 0", "! of a wall"] {
        assert!(transcript.contains(due), "{due}: {transcript}");
    }
    let good = place.referee(&[&words[..], &["side=6"]].concat()).with_status(0);
    let last = good.out.lines().last().unwrap_or_default();
    assert!(last.ends_with("in the games that --seats, --set and --seed leave."), "{}", good.out);
    assert!(
        good.out.contains("left out: other values of side")
            && good.out.contains("other numbers of seats than 3"),
        "{}",
        good.out
    );
    for (wrong, due) in
        [("side", "write NAME=VALUE"), ("wall=3", "wall"), ("side=10", "10"), ("seats=2", "use --seats")]
    {
        place
            .referee(&["judge", "check", "dies", "--set", wrong])
            .with_status(2)
            .complaining(&["--set", due]);
    }
    place
        .referee(&["judge", "check", "dies", "--seats", "5"])
        .with_status(2)
        .complaining(&["has 2 to 4 seats"]);
}

/// A table at which each seat always does the same.
struct Fixed4<'a>(&'a [Result<i64, Fault>], Vec<Seat>);

impl Table for Fixed4<'_> {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.1 = questions.iter().map(|question| question.seat).collect();
        Ok(())
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        let answer = |seat: &Seat| match &self.0[seat.index()] {
            Ok(number) => Answer { integers: vec![*number], ..Answer::empty(*seat) },
            Err(fault) => Answer { fault: Some(fault.clone()), ..Answer::empty(*seat) },
        };
        *answers = self.1.iter().map(answer).collect();
        Ok(())
    }
}

#[test]
fn the_seat_whose_answer_makes_a_judge_fail_is_found_if_there_is_one() {
    let place = Place::new();
    let [seven, checked, ahead, always, equal] =
        ["seven", "seven_checked", "seven_ahead", "always", "two_sevens"]
            .map(|name| judge(&place, name, name));
    let late = judge(&place, "late", "dies_of:late");
    let (one, two, three) = (Ok(1), Ok(7), Err(Fault::Late));
    let who = |file: &Path, all: &[&Result<i64, Fault>]| {
        let entry = open(file).unwrap();
        let mut parameters = Parameters::defaults(entry.parameters);
        let _ = parameters.set("seats", all.len() as i64);
        let all: Vec<_> = all.iter().map(|given| (*given).clone()).collect();
        let mut game = entry.start(&parameters, Seed(7));
        let error = play(&mut *game, &mut Fixed4(&all, Vec::new()), &mut NoRecord).unwrap_err();
        match error.cause() {
            Some(TableError::Void(Void::JudgeFailed { seat, .. })) => seat.map(Seat::index),
            _ => panic!("{error:?}"),
        }
    };
    for file in [&seven, &checked, &ahead] {
        assert_eq!(who(file, &[&one, &two]), Some(1), "{file:?}");
        assert_eq!(who(file, &[&two, &one]), Some(0), "{file:?}");
        assert_eq!(who(file, &[&two, &two]), None, "{file:?}: each of them does");
    }
    assert_eq!(who(&seven, &[&one, &one, &one, &two]), Some(3));
    assert_eq!(who(&seven, &[&one, &one, &two, &three]), Some(2));
    assert_eq!(who(&late, &[&one, &three, &one]), Some(1));
    assert_eq!(who(&always, &[&one, &two]), None);
    assert_eq!(who(&equal, &[&two, &two]), None, "either of them does");
    assert_eq!(who(&equal, &[&one, &two, &two, &one]), None);
}

#[test]
fn a_void_game_names_that_seat_and_keeps_the_standard_error_of_the_judge() {
    let place = Place::new();
    judge(&place, "dies", "seven");
    for (bot, number) in [("calm.py", 1), ("wild.py", 7)] {
        place.program(bot, format!("#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print({number}, flush=True)\n"));
    }
    // With some seeds all samples that are tried for the seven are sevens.
    let words = ["play", "./dies", "./calm.py", "./wild.py", "--seats", "2", "--seed", "4"];
    place.referee(&words).with_status(1).complaining(&["of a seven"]);
    let voids = fs::read_to_string(place.path("games/voids.csv")).unwrap();
    let row = voids.lines().find(|line| line.contains("judge_failed")).unwrap();
    assert!(row.contains(",judge_failed,1,wild,1,"), "{voids}");
    let files: Vec<PathBuf> =
        fs::read_dir(place.path("games/stderr")).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(!files.is_empty());
    for file in files {
        assert!(file.to_string_lossy().ends_with("-judge.txt"), "{file:?}");
        let kept = fs::read_to_string(file).unwrap();
        assert!(kept.contains("on the way\nof a seven"), "{kept}");
    }
    assert!(
        !place.path("games/results.csv").exists() || results_in(&place.path("games")).is_empty(),
        "nobody loses"
    );
    place.referee(&["audit", "games"]).with_status(0);
}

#[test]
fn void_games_of_a_hill_and_of_a_tournament_name_that_seat_too() {
    let place = Place::new();
    judge(&place, "dies", "seven_later");
    for (bot, number) in [("calm", 1), ("wild", 7)] {
        let code = format!("import sys\nfor line in sys.stdin:\n    print({number}, flush=True)\n");
        place.program(bot, format!("#!/usr/bin/env python3\n{code}"));
    }
    place.referee(&["hill", "new", "h", "./dies", "--seats", "2", "--no-key", "--seed", "1"]).with_status(0);
    for bot in ["./calm", "./wild"] {
        place.referee(&["hill", "submit", "h", bot]).with_status(0);
    }
    place.referee(&["hill", "run", "h", "--rounds", "1"]).with_status(0);
    let bots = "[[entrant]]\nname = \"calm\"\nprogram = \"./calm\"\n[[entrant]]\nname = \"wild\"\nprogram = \"./wild\"\n";
    let cup = "name = \"cup\"\ngame = \"./dies\"\nseed = 1\n[format]\nkind = \"round-robin\"\n[parameters]\nseats = 2\n";
    fs::write(place.path("cup.toml"), format!("{cup}{bots}")).unwrap();
    place.referee(&["tournament", "plan", "cup.toml", "--dir", "t"]).with_status(0);
    place.referee(&["tournament", "run", "--dir", "t"]);
    for root in ["h", "t"] {
        let voids = fs::read_to_string(place.path(root).join("voids.csv")).unwrap();
        let rows: Vec<&str> = voids.lines().filter(|line| line.contains(",judge_failed,")).collect();
        assert!(!rows.is_empty(), "{root}: {voids}");
        assert!(rows.iter().all(|row| row.contains(",wild,1,")), "{root}: {voids}");
        let mut kept = files_below(&place.path(root).join("stderr"), "txt");
        kept.retain(|file| file.to_string_lossy().ends_with("-judge.txt"));
        assert_eq!(kept.len(), rows.len(), "{root}: {kept:?}");
        for file in kept {
            let text = fs::read_to_string(file).unwrap();
            assert!(text.starts_with("on the way\nof a seven"), "{text}");
        }
    }
}

#[test]
fn a_game_of_one_seat_needs_no_shares() {
    let place = Place::new();
    let with = judge(&place, "with", "alone_with_shares");
    for judge in [&judge(&place, "without", "alone"), &with] {
        let checked: Result<CheckReport, Error> = examine(judge);
        let missing =
            checked.map(|checked| (checked.missing, checked.bots)).map_err(|error| error.to_string());
        assert_eq!(missing, Ok((Vec::new(), 1)));
    }
    let terms = Terms { fixed: Fixed { seats: Some(2), ..Fixed::default() }, ..Terms::default() };
    assert_eq!(with_terms(&with, &terms, |_| {}).unwrap_err().kind(), ErrorKind::Input);
}
