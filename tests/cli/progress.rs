//! Progress on a terminal: nothing that takes over a second is silent, and what is left has a range.

use std::time::Duration;

use referee_files::results;
use referee_files::work::Work;
use referee_report::tables::eta::{self, Gaps};
use referee_report::tables::progress_line::ProgressLine;
use referee_table::clock::Moment;

use crate::called::Calls;
use crate::support::Place;
use crate::view::replay::keyboard::Keyboard;

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

#[test]
fn what_is_left_follows_from_the_times_of_the_parts() {
    let mut even = Gaps::default();
    for _ in 0..2 {
        even.add(seconds(2.0), 1);
        assert_eq!(even.left(10), None, "too few parts to say");
    }
    even.add(seconds(6.0), 3);
    let (least, most) = even.left(10).expect("five parts of two seconds");
    assert!((least.as_secs_f64() - 20.0).abs() < 1e-6 && (most.as_secs_f64() - 20.0).abs() < 1e-6);
    // Parts of different times: the more are left, the wider.
    let mut uneven = Gaps::default();
    [1.0, 3.0, 1.0, 3.0].into_iter().for_each(|time| uneven.add(seconds(time), 1));
    let width = |parts| {
        let (least, most) = uneven.left(parts).expect("four parts");
        assert!(least < seconds(2.0) * parts as u32 && seconds(2.0) * (parts as u32) < most);
        most - least
    };
    assert!(width(1) < width(4) && width(4) < width(16));
    // By hand: variance 4/3, so 2 sqrt(4/3 (4 + 4)) on both sides of 8.
    let (least, most) = uneven.left(4).expect("four parts");
    let spread = 2.0 * (4.0f64 / 3.0 * 8.0).sqrt();
    assert!((least.as_secs_f64() - (8.0 - spread)).abs() < 1e-6);
    assert!((most.as_secs_f64() - (8.0 + spread)).abs() < 1e-6);
    assert_eq!(uneven.left(0), Some((Duration::ZERO, Duration::ZERO)));
}

/// Of the games that are left, the true time lies in the range about as often as it says, for other times than those
/// of the formula: as one game in ten that takes ten times as long.
#[test]
fn the_range_has_the_true_time_in_most_cases() {
    let mut random = referee_testutil::random::Random::new(7);
    let (mut inside, cases) = (0, 1000);
    for _ in 0..cases {
        let mut time =
            || if random.below(10) == 0 { 10.0 } else { 1.0 } * (0.5 + random.below(1000) as f64 / 1000.0);
        let mut gaps = Gaps::default();
        (0..30).for_each(|_| gaps.add(seconds(time()), 1));
        let (least, most) = gaps.left(100).expect("thirty parts");
        let truth = seconds((0..100).map(|_| time()).sum());
        inside += u32::from(least <= truth && truth <= most);
    }
    assert!((850..=990).contains(&inside), "{inside} of {cases}");
}

#[test]
fn a_range_is_written_with_its_units() {
    for (least, most, text) in [
        (20, 40, "20 to 40 s"),
        (100, 200, "100 s to 3 min"),
        (0, 600, "0 to 10 min"),
        (0, 5, "0 to 5 s"),
        (180, 185, "about 3 min"),
        (7300, 20_000, "2 to 6 h"),
        (170_000, 400_000, "47 h to 5 days"),
    ] {
        assert_eq!(eta::range((Duration::from_secs(least), Duration::from_secs(most))), text);
    }
}

/// A clock of a test, in seconds.
fn at(seconds: f64) -> Moment {
    Moment(self::seconds(seconds))
}

#[test]
fn a_line_says_what_is_done_and_how_long_the_rest_takes() {
    // Parts with a known number.
    let mut shown = ProgressLine::begin("", "game", Some(40), Work::default(), at(0.0));
    for game in 1..=10 {
        shown.add(1, "fox leads", at(f64::from(game)));
    }
    assert_eq!(
        shown.text(at(10.0), 79, '|'),
        "#####--------------- 10 of 40 games, about 30 s left, fox leads, 1.0 a second"
    );
    // A bound: it can end now, and takes no longer than that.
    shown.bound();
    assert_eq!(shown.text(at(10.0), 79, '|'), "| 10 games, 0 to 30 s left, fox leads, 1.0 a second");
    shown.limit(Some(seconds(25.0)));
    assert_eq!(shown.text(at(10.0), 79, '|'), "| 10 games, 0 to 15 s left, fox leads, 1.0 a second");
    // What does not fit is left out, the last first.
    assert_eq!(shown.text(at(10.0), 30, '|'), "| 10 games, 0 to 15 s left");
}

#[test]
fn a_line_follows_what_the_process_reads_and_plays() {
    let before = Work { games: 7, bytes: 1000, bytes_announced: 1000, ..Work::default() };
    let begun = |what| ProgressLine::begin(what, "", None, before, at(0.0));
    // The turns of a game alone.
    let mut shown = begun("playing");
    shown.look_at(Work { turns: 30, ..before }, at(3.0));
    assert_eq!(shown.text(at(3.0), 79, '/'), "/ playing, 30 turns, 3 s, 10.0 a second");
    // A build that waits for another one, which no build of this process does any more later.
    let mut shown = begun("building fox");
    shown.look_at(Work { builds_waiting: 1, ..before }, at(2.0));
    assert_eq!(shown.text(at(2.0), 79, '/'), "/ building fox, waits for another build, 2 s");
    shown.look_at(before, at(3.0));
    assert_eq!(shown.text(at(3.0), 79, '/'), "/ building fox, 3 s");
    // A long file whose games are only read: by bytes.
    let mut shown = begun("hill standings");
    for second in 1..=5_u32 {
        let bytes = 100 * u64::from(second);
        shown.look_at(Work { bytes: 1000 + bytes, bytes_announced: 2000, ..before }, at(second.into()));
    }
    assert_eq!(shown.text(at(5.0), 79, '/'), "##########---------- hill standings, about 5 s left");
    // When it is read, something else is done for a time that nobody knows.
    shown.look_at(Work { bytes: 2000, bytes_announced: 2000, ..before }, at(10.0));
    assert_eq!(shown.text(at(12.0), 79, '/'), "/ hill standings, 12 s");
    // Games that are audited while their results are read.
    let mut shown = begun("auditing");
    for second in 1..=4_u32 {
        let (games, bytes) = (7 + u64::from(second), 1000 + 10 * u64::from(second));
        shown.look_at(Work { games, bytes, bytes_announced: 1100, ..before }, at(second.into()));
    }
    assert_eq!(
        shown.text(at(4.0), 79, '/'),
        "########------------ auditing, 4 games, about 6 s left, 1.0 a second"
    );
    // Games whose number was announced.
    let mut shown = begun("tournament repair");
    for second in 1..=4_u32 {
        shown.look_at(Work { games: 7 + u64::from(second), games_announced: 8, ..before }, at(second.into()));
    }
    assert_eq!(
        shown.text(at(4.0), 79, '/'),
        "##########---------- tournament repair, 4 of 8 games, about 4 s left"
    );
}

/// A bot that thinks before its first answer.
const SLOW: &str = "#!/usr/bin/env python3
import sys, time
sys.stdin.readline()
time.sleep(2)
while True:
    print(0, flush=True)
    if not sys.stdin.readline():
        break
    time.sleep(1)
";

fn at_terminal(place: &Place, words: &str) -> Keyboard {
    Keyboard::start(place.command(&words.split(' ').collect::<Vec<_>>()), (80, 24))
}

#[test]
fn what_takes_over_a_second_says_what_it_does() {
    let place = Place::new();
    place.program("slow", SLOW);
    let limits = "--first-ms 60000 --turn-ms 60000 --max-turns 2 --seed 1 -p 1";
    place.referee(&format!("hill new hill football {limits}").split(' ').collect::<Vec<_>>()).with_status(0);
    for (words, shown) in [
        (format!("play football ./slow still still still {limits} --dir one"), "playing, 1 turn, "),
        (format!("play football ./slow still still still {limits} --dir two --repeat 2"), "0 of 2 games, "),
        ("hill submit hill ./slow".to_owned(), "checking slow, "),
        ("check ./slow --game football --set first_ms=60000".to_owned(), "check, "),
    ] {
        let mut keyboard = at_terminal(&place, &words);
        keyboard.sees(shown);
        if shown.starts_with("check,") {
            continue; // it asks a dozen times
        }
        let (_, screen) = keyboard.ends();
        assert!(!screen.contains(shown), "gone at the end:\n{screen}");
    }
}

#[test]
fn quiet_is_quiet_on_a_terminal_too() {
    let place = Place::new();
    place.program("slow", SLOW);
    let game =
        "football ./slow still still still --first-ms 60000 --turn-ms 60000 --max-turns 2 --seed 1 -p 1";
    let mut keyboard = at_terminal(&place, &format!("play {game} --quiet"));
    let (status, screen) = keyboard.ends();
    assert_eq!(status, Some(0));
    assert!(screen.contains("Results:"), "{screen}");
    let written = String::from_utf8_lossy(keyboard.written()).into_owned();
    assert!(!written.contains("playing"), "{written}");
    // Nor is there a line where standard error is no terminal.
    let piped = place.referee(&[
        "play",
        "football",
        "./slow",
        "still",
        "still",
        "still",
        "--max-turns",
        "2",
        "-p",
        "1",
    ]);
    assert!(!piped.err.contains("playing"), "{}", piped.err);
}

#[test]
fn results_that_are_read_are_counted_in_bytes() {
    let place = Place::new();
    let random = &*place.guest("random", "house random");
    let words = ["play", "push", "--seed", "1", "--dir", "games", "--sandbox", "off"];
    place.call(&[&words[..], &[random; 6]].concat()).with_status(0);
    let path = place.path("games/results.csv");
    let length = std::fs::metadata(&path).expect("results").len();
    let before = Work::now();
    assert_eq!(results::games(&path).expect("results").count(), 1);
    // Other tests of the process may read meanwhile.
    let Work { bytes, bytes_announced, .. } = Work::now().since(before);
    assert!(
        bytes >= length && bytes_announced >= bytes,
        "{bytes} of {bytes_announced} bytes, {length} in the file"
    );
}
