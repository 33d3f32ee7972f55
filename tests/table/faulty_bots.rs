//! Bots that misbehave, as real processes: each gets its verdict, and no other bot is affected.

use std::fs;
use std::path::PathBuf;
use std::thread;

use referee_games::catalog;
use referee_record::play::play;
use referee_record::results::ResultRow;
use referee_rules::{BySeat, FaultKind, Parameters, Seed};
use referee_table::process::{ProcessTable, Program, Setup};

use crate::called::Calls;
use crate::sandbox::survival::{children_of_this_thread, launchers};
use crate::support::{FAULTY, Place, REFEREE, Said, answers_in, comes_true, faulty, results_in};
use referee_testutil::no_record::NoRecord;

/// The seat of the bot in question.
const SEAT: usize = 2;

/// A game with one bot in question and three that play properly. Its limits are so wide that no other bot is
/// ever late, and its bots are either on time or late by far. If no bot may be late, the limits are wider
/// still: a bot that writes megabytes waits for the referee again and again.
pub(crate) struct Case {
    bot: String,
    p: u32,
    turns: u32,
    turn_ms: u32,
    first_ms: u32,
    sandbox: &'static str,
}

impl Case {
    pub(crate) fn new(kind: &str, turns: u32) -> Case {
        Case { bot: faulty(kind), p: 2, turns, turn_ms: 2_000, first_ms: 30_000, sandbox: "auto" }
    }

    /// No bot should be late, and no turn should last as long as it may.
    pub(crate) fn with_much_time_if(self, nobody_is_late: bool) -> Case {
        if nobody_is_late { Case { turn_ms: 60_000, first_ms: 60_000, ..self } } else { self }
    }

    /// The first answer will not come, so a shorter wait is enough.
    pub(crate) fn silent_at_first(self) -> Case {
        Case { first_ms: 5_000, ..self }
    }

    pub(crate) fn play(&self) -> Played {
        let place = Place::new();
        let stamped = faulty("honest --stamp");
        let [p, turns, turn_ms, first_ms] =
            [self.p, self.turns - 1, self.turn_ms, self.first_ms].map(|n| n.to_string());
        let game =
            ["play", "football", "--allow-fork", "-p", &p, "--max-turns", &turns, "--stall-turns", "0"];
        let limits = ["--turn-ms", &turn_ms, "--first-ms", &first_ms, "--seed", "7", "--dir", "games"];
        let bots = ["--sandbox", self.sandbox, "greedy", &stamped, &self.bot, "still"];
        place.referee(&[&game[..], &limits, &bots].concat()).with_status(0);
        place.assert_nothing_stays();
        place.call(&["audit", "games"]).with_status(0);
        let folder = place.path("games");
        let rows = results_in(&folder);
        let answers = answers_in(&folder.join(&rows[0].log));
        let errors = folder.join(format!("stderr/{}-seat{SEAT}.txt", rows[0].game));
        let errors = fs::read(errors).unwrap_or_default();
        let played = Played { bot: self.bot.clone(), rows, answers, errors };
        played.assert_nobody_else_noticed();
        played
    }
}

/// The result of it.
pub(crate) struct Played {
    bot: String,
    rows: Vec<ResultRow>,
    answers: Vec<Said>,
    errors: Vec<u8>,
}

impl Played {
    pub(crate) fn of_the_bot(&self) -> impl Iterator<Item = &Said> {
        self.answers.iter().filter(|said| said.seat == SEAT)
    }

    fn assert_nobody_else_noticed(&self) {
        let bot = &self.bot;
        for said in self.answers.iter().filter(|said| said.seat != SEAT) {
            assert!(said.verdict == "ok" || said.seat == 1 && said.verdict == "illegal", "{bot}: {said:?}");
            assert!(said.dropped.is_empty(), "{bot}: {said:?}");
            if said.seat == 1 {
                assert_stamped(said);
            }
        }
        for row in self.rows.iter().filter(|row| row.seat.index() != SEAT) {
            let faults = FaultKind::ALL.map(|kind| (kind, row.faults(kind)));
            let expected = |kind| row.seat.index() == 1 && kind == FaultKind::Illegal;
            assert!(faults.iter().all(|(kind, n)| *n == 0 || expected(*kind)), "{bot}: {faults:?}");
        }
        assert!(self.rows[0].turns < 5 || self.rows[0].score > 0, "{bot}: the greedy one has scored");
    }

    /// The verdicts turn by turn, and the columns that count them.
    pub(crate) fn assert_verdicts(&self, due: &[&str]) {
        let found: Vec<&str> = self.of_the_bot().map(|said| &*said.verdict).collect();
        assert_eq!(found, due, "{}", self.bot);
        for kind in FaultKind::ALL {
            let turns = due.iter().filter(|verdict| **verdict == kind.name()).count() as u64;
            match kind {
                FaultKind::Early | FaultKind::Extra => {}
                FaultKind::Illegal => {
                    assert_eq!(self.count(kind), 2 * turns, "{}: two orders a turn", self.bot)
                }
                _ => assert_eq!(self.count(kind), turns, "{}: {}", self.bot, kind.name()),
            }
        }
    }

    pub(crate) fn count(&self, kind: FaultKind) -> u64 {
        self.rows[SEAT].faults(kind)
    }
}

/// An answer with a turn number must have been applied to that turn.
fn assert_stamped(said: &Said) {
    let first = said.values.split(' ').next().expect("a first value");
    let due = if said.turn == 0 { 528 } else { 9 + said.turn % 1024 };
    assert!(first.is_empty() || first == due.to_string(), "an answer to another turn: {said:?}");
}

/// Expected verdicts: how often each.
pub(crate) fn verdicts(runs: &[(usize, &'static str)]) -> Vec<&'static str> {
    runs.iter().flat_map(|(count, verdict)| vec![*verdict; *count]).collect()
}

/// Tells whether all of these verdicts are given before the time is over.
pub(crate) fn are_given_at_once(verdicts: &[&str]) -> bool {
    verdicts.iter().all(|verdict| !["late", "closed", "deaf"].contains(verdict))
}

#[test]
fn every_misbehaviour_gets_its_verdict_and_harms_nobody_else() {
    let every_third = |verdict| verdicts(&[(2, "ok"), (1, verdict), (2, "ok"), (1, verdict)]);
    let from_the_third_turn_on = |verdict| verdicts(&[(3, "ok"), (3, verdict)]);
    let cases: Vec<(Case, Vec<&str>)> = vec![
        (Case::new("honest", 6), verdicts(&[(6, "ok")])),
        (Case::new("late --every 4 --ms 30000", 6), from_the_third_turn_on("late")),
        (Case::new("silent", 2).silent_at_first(), verdicts(&[(2, "late")])),
        (Case::new("mute --at 2", 4), verdicts(&[(2, "ok"), (2, "late")])),
        // It owes an answer, so each one that comes is taken for the previous one ...
        (Case::new("skip --every 3", 5), verdicts(&[(2, "ok"), (3, "late")])),
        // ... but not if it names its question.
        (Case::new("skip --every 3 --tag", 6), every_third("late")),
        (Case::new("flood", 6), verdicts(&[(6, "malformed")])),
        (Case::new("garbage", 6), verdicts(&[(6, "malformed")])),
        (Case::new("garbage --every 3", 6), every_third("malformed")),
        (Case::new("count-short --every 3", 6), every_third("malformed")),
        (Case::new("long --every 3", 6), every_third("too_long")),
        (Case::new("illegal --every 3", 6), every_third("illegal")),
        (Case::new("extra --every 3", 8), verdicts(&[(8, "ok")])),
        (Case::new("debug --every 3", 8), verdicts(&[(8, "ok")])),
        (Case::new("crash --at 3", 6), from_the_third_turn_on("crashed")),
        (Case::new("exit --at 3 --status 3", 6), from_the_third_turn_on("exited")),
        (Case::new("exit --at 0 --status 127", 6), verdicts(&[(6, "exited")])),
        (Case::new("closes-stdout --at 3", 6), from_the_third_turn_on("closed")),
        // It has read the question of the turn in which it closes its input, and never answers.
        (Case::new("closes-stdin --at 3", 6), verdicts(&[(3, "ok"), (1, "late"), (2, "deaf")])),
        (Case::new("half --at 3", 6), from_the_third_turn_on("late")),
        (Case::new("split --ms 5", 6), verdicts(&[(6, "ok")])),
        (Case::new("forks", 6), verdicts(&[(6, "ok")])),
        (Case::new("lingers", 6), verdicts(&[(6, "ok")])),
        (Case::new("stderr --kib 1024", 6), verdicts(&[(6, "ok")])),
    ];
    let cases = cases.into_iter().map(|(case, due)| {
        let nobody_is_late = are_given_at_once(&due);
        (case.with_much_time_if(nobody_is_late), due)
    });
    let cases: Vec<(Case, Vec<&str>)> = cases.collect();
    // They mainly wait, so all run at once.
    thread::scope(|scope| {
        for (case, due) in &cases {
            scope.spawn(move || {
                let played = case.play();
                played.assert_verdicts(due);
                let kind = case.bot.strip_prefix(&*FAULTY).expect("one of these").trim();
                let details: Vec<&str> =
                    played.of_the_bot().map(|said| &*said.detail).filter(|d| !d.is_empty()).collect();
                match kind.split(' ').next().expect("a kind") {
                    "flood" => assert!(played.count(FaultKind::Extra) > 100, "what it writes is counted"),
                    "extra" | "debug" => assert_eq!(played.count(FaultKind::Extra), 2, "{kind}"),
                    "crash" => assert_eq!(details, ["signal 6"; 3]),
                    "exit" if kind.ends_with('3') => assert_eq!(details, ["status 3"; 3]),
                    "exit" => assert_eq!(details, ["status 127"; 6]),
                    "count-short" => assert_eq!(details, ["1 integers instead of 2"; 2]),
                    "stderr" => {
                        let left_out = 6 * 1024 * 1024 - 64 * 1024;
                        let note = format!("\n[... {left_out} bytes left out ...]\n");
                        assert_eq!(played.errors.len(), 64 * 1024 + note.len());
                        assert!(played.errors[32 * 1024..].starts_with(note.as_bytes()));
                    }
                    _ => {}
                }
            });
        }
    });
}

#[test]
fn a_bot_that_reads_nothing_is_late_until_its_pipe_is_full_and_then_deaf() {
    // With many players the pipe is full after about nine questions.
    let case = Case { p: 255, turn_ms: 500, first_ms: 2_000, ..Case::new("deaf", 14) };
    let played = case.play();
    let verdicts: Vec<&str> = played.of_the_bot().map(|said| &*said.verdict).collect();
    let late = verdicts.iter().take_while(|verdict| **verdict == "late").count();
    assert!(late > 3, "{verdicts:?}");
    assert!(late < 14 && verdicts[late..].iter().all(|verdict| *verdict == "deaf"), "{verdicts:?}");
}

#[test]
fn of_megabytes_on_standard_error_the_beginning_and_the_end_are_kept() {
    let place = Place::new();
    let bot = "#!/bin/sh\n\
               echo first words >&2\n\
               while read -r line; do\n\
               yes e | head -c 2000000 | tr -d '\\n' >&2\n\
               echo 4 4\n\
               done\n\
               echo last words >&2\n";
    let case = Case { bot: place.program("talker", bot), ..Case::new("", 6) };
    let played = case.play();
    played.assert_verdicts(&["ok"; 6]);
    let text = String::from_utf8_lossy(&played.errors);
    assert!(text.starts_with("first words\neee"), "{}", &text[..40]);
    assert!(text.ends_with("eeelast words\n"), "{}", &text[text.len() - 40..]);
    assert!(text.contains("bytes left out") && text.len() < 64 * 1024 + 100, "{} bytes", text.len());
}

/// The child is in a group of its own, which is not killed together with the bot's group if there is no
/// sandbox.
#[test]
fn a_bot_that_ends_is_told_from_a_late_one_even_if_its_child_holds_the_pipes() {
    let place = Place::new();
    let bot =
        "#!/bin/sh\nread -r line; echo 4 4\nexec 3<&0; setsid sleep 1000 <&3 &\nread -r line; kill -9 $$\n";
    for sandbox in ["strict", "off"] {
        let case = Case { bot: place.program("orphans", bot), sandbox, ..Case::new("", 4) };
        let played = case.play();
        played.assert_verdicts(&["ok", "crashed", "crashed", "crashed"]);
    }
}

#[test]
fn a_damaged_program_is_a_fault_of_its_seat() {
    let place = Place::new();
    let mut bytes = fs::read(&FAULTY).expect("a program");
    bytes[16] = 9; // its header says that it is of no known kind
    let damaged = place.program("damaged", bytes);
    let case = Case { bot: damaged, ..Case::new("", 6) };
    let played = case.play();
    played.assert_verdicts(&["start_failed"; 6]);
    assert!(played.of_the_bot().all(|said| said.detail.contains("damaged")), "it is said why");
    assert!(played.of_the_bot().all(|said| !said.detail.contains('/')), "and not where it is");
}

#[test]
fn a_program_that_has_spoken_has_started_whatever_it_says_at_its_end() {
    let place = Place::new();
    let words = "echo 'bot: error while loading shared libraries: libgmp.so.10: not there' >&2; exit 127\n";
    for (bot, due) in [
        (format!("#!/bin/sh\n{words}"), ["start_failed"; 4]),
        (format!("#!/bin/sh\nread -r line; echo 4 4\n{words}"), ["ok", "exited", "exited", "exited"]),
    ] {
        let case = Case { bot: place.program("bot", bot), ..Case::new("", 4) };
        case.play().assert_verdicts(&due);
    }
}

#[test]
fn silence_and_nonsense_are_worth_standing_still_and_no_more() {
    let others = |played: &Played| -> Vec<(u32, usize, String)> {
        let others = played.answers.iter().filter(|said| said.seat != SEAT);
        others.map(|said| (said.turn, said.seat, said.values.clone())).collect()
    };
    let kinds = ["garbage", "exit --at 0", "closes-stdout --at 0", "count-short --every 1"];
    let still = Case { bot: "still".to_owned(), ..Case::new("", 5) }.play();
    thread::scope(|scope| {
        for kind in kinds {
            let still = &still;
            scope.spawn(move || {
                let played = Case::new(kind, 5).silent_at_first().play();
                assert_eq!(others(&played), others(still), "{kind}");
                let scores = |played: &Played| played.rows.iter().map(|row| row.score).collect::<Vec<_>>();
                assert_eq!(scores(&played), scores(still), "{kind}");
            });
        }
    });
}

/// Plays 2,001 turns with a bot that stamps its answers, and three that stand still.
fn play_stamped(bot: &str, turn_ms: &str) -> Vec<Said> {
    let place = Place::new();
    let bot = faulty(bot);
    let game = ["play", "football", "-p", "2", "--max-turns", "2000", "--stall-turns", "0"];
    // By elapsed time: a bot that sleeps longer than the limit is late even if the referee itself waited
    // meanwhile.
    let limits = ["--turn-ms", turn_ms, "--first-ms", "30000", "--clock", "wall"];
    let bots = ["still", &bot, "still", "still"];
    place.referee(&[&game[..], &limits, &bots].concat()).with_status(0);
    place.call(&["audit", "games"]).with_status(0);
    place.assert_nothing_stays();
    let folder = place.path("games");
    let mut answers = answers_in(&folder.join(&results_in(&folder)[0].log));
    answers.retain(|said| said.seat == 1);
    assert_eq!(answers.len(), 2001);
    answers.iter().for_each(assert_stamped);
    answers
}

#[test]
fn of_2000_turns_with_every_twentieth_answer_late_none_is_applied_to_another_turn() {
    thread::scope(|scope| {
        for bot in ["late --stamp --every 20 --ms 60", "late --stamp --every 20 --ms 60 --tag"] {
            scope.spawn(|| every_twentieth_answer_is_late_and_dropped(bot));
        }
    });
}

fn every_twentieth_answer_is_late_and_dropped(bot: &str) {
    let answers = play_stamped(bot, "40");
    let late = |said: &&Said| said.verdict == "late";
    // Not all: sometimes the referee has no core between a question and the start of its time.
    let planned = answers.iter().filter(|said| (said.turn + 1) % 20 == 0).filter(late).count();
    assert!(planned >= 90, "{bot}: {planned} of 100 in which it sleeps longer than the limit");
    // More, if the machine is busy. But late answers do not make later ones late.
    let count = answers.iter().filter(late).count();
    assert!((planned..1800).contains(&count), "{bot}: {count} late turns");
    let dropped: usize = answers
        .iter()
        .flat_map(|said| &said.dropped)
        .filter_map(|dropped| dropped.strip_prefix("late ").and_then(|count| count.parse::<usize>().ok()))
        .sum();
    let at_the_end = answers.iter().rev().take_while(|said| late(said)).count();
    assert!(dropped >= count - at_the_end, "{bot}: {dropped} of {count} late answers came and were dropped");
}

#[test]
fn a_debug_line_now_and_then_moves_no_answer_to_another_turn() {
    let answers = play_stamped("debug --stamp --every 13", "20000");
    let dropped = answers.iter().filter(|said| said.dropped == ["extra 1"]).count();
    assert_eq!(dropped, 2001 / 13);
    assert!(answers.iter().all(|said| said.verdict == "ok" || said.verdict == "illegal"));
}

#[test]
fn fifty_games_leave_no_descriptor_and_no_child_behind() {
    const ALONE: &str = "REFEREE_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        // Descriptors and children belong to the whole process: this needs one without other tests.
        let name = "table::faulty_bots::fifty_games_leave_no_descriptor_and_no_child_behind";
        let mut alone = std::process::Command::new(std::env::current_exe().expect("this test"));
        let output =
            alone.args(["--exact", name, "--nocapture"]).env(ALONE, "1").output().expect("a process");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
        return;
    }
    let entry = catalog::find("football").expect("football");
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in [("p", 1), ("max_turns", 6), ("turn_ms", 10), ("first_ms", 10_000)] {
        parameters.set(name, value).expect("a parameter");
    }
    let setup = Setup::with(&*REFEREE);
    let bot = |kind: &str| {
        let arguments = kind.split(' ').map(Into::into).collect();
        Some(Program::new(&FAULTY, arguments))
    };
    let kinds = ["honest", "crash", "closes-stdout", "forks", "mute", "garbage", "exit --at 0"];
    let play_one = |number: usize| {
        let mut game = entry.start(&parameters, Seed(number as u64));
        let mut programs = BySeat::from_fn(4, |seat| bot(kinds[(number + seat.index()) % kinds.len()]));
        if number.is_multiple_of(10) {
            programs = vec![None, bot("lingers"), bot("flood"), bot("closes-stdin")].into(); // a second for these
        }
        let mut table = ProcessTable::open(game.info(), &programs, &setup).expect("a table");
        play(&mut *game, &mut table, &mut NoRecord).expect("a game");
        if number.is_multiple_of(2) { drop(table) } else { drop(table.farewell()) }
    };
    play_one(0);
    let before = descriptors();
    (1..=50).for_each(play_one);
    assert_eq!(descriptors(), before, "descriptors");
    let servers = children_of_this_thread();
    assert_eq!(servers.len(), 1, "a fork server");
    assert!(comes_true(|| launchers(&servers).is_empty()), "and no launcher: {:?}", launchers(&servers));
    drop(setup);
    let children = rustix::process::wait(rustix::process::WaitOptions::NOHANG);
    assert_eq!(children.err(), Some(rustix::io::Errno::CHILD), "no child is left, dead or alive");
}

fn descriptors() -> Vec<PathBuf> {
    let open = fs::read_dir("/proc/self/fd").expect("/proc").flatten();
    // The number of a pipe is in its name; the one that lists the folder is closed by now.
    let mut open: Vec<PathBuf> = open.filter_map(|entry| fs::read_link(entry.path()).ok()).collect();
    open.retain(|target| !target.starts_with("/proc"));
    open.sort();
    open
}
