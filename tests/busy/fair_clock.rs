//! On an overloaded machine, a bot that needs little time on a core is never late, and a bot that needs or
//! wastes too much is. Nothing here depends on the speed of the machine: it is overloaded on purpose.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use referee_files::voids;

use crate::support::{FAULTY, Place, REFEREE, Said, answers_in, faulty, results_in};

/// These tests load the machine as much as they like, so they run one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    STOLEN_BEFORE.store(stolen_ticks(), Ordering::Relaxed);
    alone
}

/// Programs that compute for ever, each in a session of its own: the system treats each like a whole game.
struct Busy(Vec<Child>);

impl Busy {
    fn programs(count: usize) -> Busy {
        // They end with the thread of the test, even if somebody kills it.
        let start = |_| {
            let mut command = Command::new("setpriv");
            command.args(["--pdeathsig", "KILL", "setsid", &FAULTY, "busy"]);
            command.stdin(Stdio::null()).stdout(Stdio::null());
            command.spawn().expect("setpriv and setsid of util-linux")
        };
        Busy((0..count).map(start).collect())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for program in &mut self.0 {
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}

/// A football game with a limit of 50 ms; a bot that is late after the first turn counts as late.
fn play(place: &Place, dir: &str, turns: u32, bots: &[String], more: &[&str]) -> Vec<Said> {
    let turns = turns.to_string();
    let game = ["play", "football", "-p", "2", "--max-turns", &turns, "--stall-turns", "0", "--seed", "7"];
    let limits = ["--turn-ms", "50", "--first-ms", "30000", "--dir", dir];
    let bots: Vec<&str> = bots.iter().map(String::as_str).collect();
    place.referee(&[&game[..], &limits, more, &bots].concat()).with_status(0);
    let folder = place.path(dir);
    let mut answers = answers_in(&folder.join(&results_in(&folder)[0].log));
    answers.retain(|answer| answer.turn > 0);
    answers
}

fn late(answers: &[Said], seat: usize) -> usize {
    answers.iter().filter(|answer| answer.seat == seat && answer.verdict == "late").count()
}

/// Makes sure that a bot that takes longer than its limit without need is late in every turn.
///
/// The only excuse, if the referee may not go before others: it had no core itself when it put the question
/// or when the time was over, and cannot know when the answer came. The doubtful case goes in the bot's
/// favour then.
#[track_caller]
fn assert_never_in_time(answers: &[Said], seat: usize) {
    let asked = answers.iter().filter(|answer| answer.seat == seat).count();
    // If the machine is so busy that questions pile up unread until the pipe is full, such a bot is deaf.
    let in_time = answers.iter().filter(|answer| answer.seat == seat && answer.verdict == "ok").count();
    println!("seat {seat}: {asked} turns, {in_time} in time");
    // Bots are forgiven the time that another machine on the same host has taken.
    let excused = match (goes_first(), stolen_ticks() > STOLEN_BEFORE.load(Ordering::Relaxed)) {
        (true, false) => 0,
        (true, true) => asked / 4,
        (false, _) => asked / 2,
    };
    assert!(in_time <= excused, "seat {seat}: {}", times(answers));
}

/// The time that other machines had taken from this one before a test, in ticks of the system.
static STOLEN_BEFORE: AtomicU64 = AtomicU64::new(0);

/// Returns the time that other machines on the same host have taken from this one, in ticks of the system.
fn stolen_ticks() -> u64 {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    stat.split_whitespace().nth(8).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

/// Tells whether threads of this user may go before all others, as the referee's does then.
fn goes_first() -> bool {
    let tried = Command::new("chrt").args(["--fifo", "1", "true"]).stderr(Stdio::null()).status();
    tried.expect("chrt of util-linux").success()
}

/// Facts that explain a failure.
fn times(answers: &[Said]) -> String {
    let line = |answer: &Said| {
        let Said { turn, seat, verdict, charged_ms, wall_ms, dropped, .. } = answer;
        format!("{turn} {seat} {verdict}: {charged_ms:.1} of {wall_ms:.1} ms {dropped:?}\n")
    };
    answers.iter().map(line).collect()
}

/// Number of turns in the long tests; `FAIR_TURNS` sets another number.
fn turns() -> u32 {
    std::env::var("FAIR_TURNS").map_or(40, |turns| turns.parse().expect("FAIR_TURNS is a number"))
}

#[test]
#[ignore = "needs the machine for itself"]
fn an_examination_charges_the_first_answer_as_a_game_does() {
    let _alone = alone();
    let place = Place::new();
    let _busy = Busy::programs(8);
    // The elapsed time is several times as long.
    let words = ["check", &faulty("works --ms 400"), "--game", "football", "--set", "first_ms=1000"];
    let settings = ["--set", "turn_ms=60000", "--set", "max_turns=1", "--format", "json"];
    let ran = place.referee(&[&words[..], &settings].concat());
    let examined: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let first = &examined["findings"][0];
    assert_eq!((&first["test"], &first["grade"]), (&"first question".into(), &"passed".into()), "{first}");
}

#[test]
#[ignore = "needs the machine for itself"]
fn who_needs_20_of_50_ms_is_never_late_on_a_busy_machine() {
    let _alone = alone();
    let place = Place::new();
    let _busy = Busy::programs(8);
    let works = faulty("works --ms 20");
    let answers = play(&place, "games", turns(), &[works.clone(), works.clone(), works.clone(), works], &[]);
    let walls: Vec<f64> = answers.iter().map(|answer| answer.wall_ms).collect();
    println!(
        "{} turns of bots, the longest {:.1} ms by the wall, charged at most {:.1} ms",
        answers.len(),
        walls.iter().copied().fold(0.0, f64::max),
        answers.iter().map(|answer| answer.charged_ms).fold(0.0, f64::max)
    );
    for answer in &answers {
        assert_eq!(answer.verdict, "ok", "{}", times(&answers));
        // Less than 20: the bot is told its computing time with a delay of some milliseconds.
        assert!(answer.charged_ms > 10.0 && answer.charged_ms <= 50.0, "{answer:?}");
    }
    // By elapsed time it would have been late: otherwise this test shows nothing.
    assert!(walls.iter().any(|wall| *wall > 50.0), "no turn took longer than the limit: {}", times(&answers));
}

/// Runs the referee as an ordinary user's: it has no priority over other programs.
fn without_priority(place: &Place, words: &[&str]) {
    let mut command = Command::new("setpriv");
    command.args(["--bounding-set", "-sys_nice", "--", "prlimit", "--rtprio=0", &*REFEREE]).args(words);
    if !Command::new("setpriv")
        .args(["--bounding-set", "-sys_nice", "true"])
        .status()
        .is_ok_and(|end| end.success())
    {
        command = place.command(words);
    }
    let ran = command.current_dir(place.path("")).env("TMPDIR", place.path("tmp")).output().expect("setpriv");
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// A referee that loses its core between a question and its next look at the clock lets the bot compute meanwhile.
#[test]
#[ignore = "needs the machine for itself"]
fn no_turn_is_charged_less_than_its_bot_computed() {
    let _alone = alone();
    let place = Place::new();
    for (busy, dir) in [(0, "idle"), (8, "busy"), (24, "busier")] {
        let _busy = Busy::programs(busy);
        let bot = faulty("works --ms 3");
        let game =
            ["play", "football", &bot, &bot, &bot, &bot, "-p", "1", "--max-turns", "120", "--dir", dir];
        let limits = ["--stall-turns", "0", "--seed", "7", "--turn-ms", "1000", "--first-ms", "30000"];
        without_priority(&place, &[&game[..], &limits].concat());
        let answers = answers_in(&place.path(dir).join(&results_in(&place.path(dir))[0].log));
        assert!(answers.len() >= 4 * 120);
        // The record has whole microseconds.
        let low = answers.iter().filter(|answer| answer.charged_ms < 3.0 - 0.001).count();
        assert_eq!(low, 0, "{busy} busy programs: {}", times(&answers));
    }
}

/// When threads that exist for only one turn end, the system's report of their waiting is lost.
#[test]
#[ignore = "needs the machine for itself"]
fn who_works_25_of_50_ms_in_threads_that_end_is_never_late_on_a_busy_machine() {
    let _alone = alone();
    let place = Place::new();
    let _busy = Busy::programs(8);
    let bots = [0, 1, 2, 5].map(|threads| faulty(&format!("works --ms 25 --threads {threads}")));
    let answers = play(&place, "games", turns(), &bots, &[]);
    for (seat, bot) in bots.iter().enumerate() {
        let charged = answers.iter().filter(|answer| answer.seat == seat).map(|answer| answer.charged_ms);
        println!("seat {seat}: charged at most {:.1} ms", charged.fold(0.0, f64::max));
        assert_eq!(late(&answers, seat), 0, "{bot}: {}", times(&answers));
    }
    assert!(answers.iter().all(|answer| answer.charged_ms >= 23.9), "{}", times(&answers));
    assert!(answers.iter().any(|answer| answer.wall_ms > 50.0), "no turn took longer than the limit");
}

/// Two bots that have answered take all cores, and a third takes too long: it is late, and the game counts. The two pay
/// for what they burn with their next answers, and the fourth pays nothing for it.
#[test]
#[ignore = "needs the machine for itself"]
fn who_burns_after_its_answer_makes_nobodys_game_void() {
    let _alone = alone();
    let place = Place::new();
    let bots =
        [faulty("burns --threads 8"), faulty("burns"), faulty("works --ms 60"), faulty("works --ms 25")];
    let answers = play(&place, "games", turns() / 2, &bots, &[]);
    assert_never_in_time(&answers, 2);
    assert_eq!(late(&answers, 3), 0, "{}", times(&answers));
    let charged = |seat: usize| {
        answers.iter().filter(move |answer| answer.seat == seat).map(|answer| answer.charged_ms)
    };
    for seat in [0, 1] {
        let mean = charged(seat).sum::<f64>() / charged(seat).count() as f64;
        assert!(mean > 5.0, "seat {seat} burns for up to 20 ms in each turn, and is charged {mean} ms");
    }
    assert!(!place.path("games/voids.csv").exists(), "no game is void");
}

/// Threads that wake together wait for each other: that is the bot's own fault. On an idle machine each turn
/// is over once the bot has slept for its limit; on a busy one they may really wait.
#[test]
#[ignore = "needs the machine for itself"]
fn who_has_many_threads_wake_together_is_charged_what_it_computes_at_least_and_no_game_is_void() {
    let _alone = alone();
    let place = Place::new();
    let bots = [faulty("wakes --ms 150"), faulty("honest"), faulty("honest"), faulty("honest")];
    // It has more threads than a bot may start by default.
    let answers = play(&place, "games", 12, &bots, &["--tasks", "100"]);
    let late = [0, 1, 2, 3].map(|seat| late(&answers, seat));
    assert_eq!(late[1..], [0, 0, 0], "{}", times(&answers));
    let plays = |answer: &Said| ["ok", "late"].contains(&answer.verdict.as_str());
    assert!(answers.iter().all(plays), "{}", times(&answers));
    println!("{}", times(&answers));
    assert!(!place.path("games/voids.csv").exists(), "no game is void");
}

#[test]
#[ignore = "needs the machine for itself"]
fn who_sleeps_or_computes_for_60_of_50_ms_is_late_on_a_busy_machine() {
    let _alone = alone();
    let place = Place::new();
    let _busy = Busy::programs(8);
    let bots = [faulty("late --every 1 --ms 60"), faulty("works --ms 60"), faulty("works"), faulty("honest")];
    let answers = play(&place, "games", turns() / 2, &bots, &[]);
    for (seat, bot) in bots.iter().enumerate() {
        match seat {
            0 | 1 => assert_never_in_time(&answers, seat),
            _ => assert_eq!(late(&answers, seat), 0, "{bot}: {}", times(&answers)),
        }
    }
}

#[test]
#[ignore = "needs the machine for itself"]
fn eight_games_at_once_are_as_fair_as_one() {
    let _alone = alone();
    let place = Place::new();
    let bots = [faulty("works"), faulty("works"), faulty("late --every 1 --ms 60"), faulty("honest")];
    let games: Vec<Vec<Said>> = thread::scope(|scope| {
        let play = |number: usize| {
            let (place, bots) = (&place, &bots);
            scope.spawn(move || play(place, &format!("games{number}"), turns() / 2, bots, &[]))
        };
        let games: Vec<_> = (0..8).map(play).collect();
        games.into_iter().map(|game| game.join().expect("a game")).collect()
    });
    for answers in games {
        let late = [0, 1, 3].map(|seat| late(&answers, seat));
        assert_eq!(late, [0, 0, 0], "{}", times(&answers));
        assert_never_in_time(&answers, 2);
    }
}

#[test]
#[ignore = "needs the machine for itself"]
fn by_the_wall_a_busy_machine_makes_bots_late() {
    let _alone = alone();
    let place = Place::new();
    let _busy = Busy::programs(8);
    let works = faulty("works --ms 30");
    let bots = [works.clone(), works.clone(), works.clone(), works];
    let answers = play(&place, "games", turns() / 2, &bots, &["--clock", "wall"]);
    assert!(answers.iter().any(|answer| answer.verdict == "late"), "{answers:#?}");
    assert!(answers.iter().all(|answer| answer.charged_ms == answer.wall_ms));
    assert!(results_in(&place.path("games")).iter().all(|row| row.clock == "wall"));
}

/// In its first games it gets almost no core: other processes of its session want all cores, and go before
/// it.
const STARVED: &str = r#"#!/bin/sh
if [ "$(wc -l < "$2")" -lt "$3" ]; then
    echo >> "$2"
    for core in $(seq "$(nproc --all)"); do "$1" busy < /dev/null > /dev/null & done
    exec chrt --idle 0 "$1" works --ms 200
fi
exec "$1" honest
"#;

#[test]
#[ignore = "needs the machine for itself"]
fn a_turn_in_which_a_bot_got_no_core_makes_the_game_void_and_it_is_played_again() {
    let _alone = alone();
    let place = Place::new();
    let _busy = Busy::programs(8);
    let starved = place.program("starved", STARVED);
    std::fs::write(place.path("been-here"), "").expect("a file");
    let starved = format!("{starved} {FAULTY} {} 1", place.path("been-here").display());
    let game = ["play", "football", "-p", "1", "--max-turns", "3", "--first-ms", "250", "--turn-ms", "250"];
    let game = [&game[..], &["--sandbox", "off"]].concat(); // in a sandbox a bot cannot lower its own priority
    place.referee(&[&game[..], &[&starved, "still", "still", "still"]].concat()).with_status(0);
    let folder = place.path("games");
    let void = &voids::read(&folder.join("voids.csv")).expect("a list")[..];
    let [void] = void else { panic!("one void game, not {void:#?}") };
    assert_eq!((void.reason.name(), void.seat, void.attempt), ("host_overload", Some(0), 1), "{void:#?}");
    let rows = results_in(&folder);
    assert_eq!(rows.len(), 4, "the game that counts");
    assert!(rows.iter().all(|row| row.faults.iter().all(|faults| *faults == 0)), "{rows:#?}");
    place.referee(&["audit", "games"]).with_status(0);
    std::fs::write(folder.join(&void.log), "another log").expect("a file");
    place.referee(&["audit", "games"]).with_status(3).complaining(&["voids.csv, line 2", &void.game]);
}

#[test]
#[ignore = "needs the machine for itself"]
fn a_bot_that_got_no_core_twice_is_late_the_second_time_and_the_game_goes_on() {
    let _alone = alone();
    let place = Place::new();
    let _busy = Busy::programs(8);
    let starved = place.program("starved", STARVED);
    std::fs::write(place.path("been-here"), "").expect("a file");
    let starved = format!("{starved} {FAULTY} {} 2", place.path("been-here").display());
    let game = ["play", "football", "-p", "1", "--max-turns", "1", "--first-ms", "250", "--turn-ms", "250"];
    let game = [&game[..], &["--sandbox", "off"]].concat();
    place.referee(&[&game[..], &[&starved, "still", "still", "still"]].concat()).with_status(0);
    let folder = place.path("games");
    let voids = voids::read(&folder.join("voids.csv")).expect("a list");
    let voids: Vec<(&str, Option<u8>)> = voids.iter().map(|row| (row.reason.name(), row.seat)).collect();
    assert_eq!(voids, [("host_overload", Some(0))], "once");
    let late: Vec<bool> =
        results_in(&folder).iter().map(|row| row.faults.iter().any(|faults| *faults > 0)).collect();
    assert_eq!(late, [true, false, false, false]);
    place.referee(&["audit", "games"]).with_status(0);
}
