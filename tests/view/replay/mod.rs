//! `referee replay`: in the terminal, key by key, and as text.

mod hangup;
pub(crate) mod keyboard;
mod watch;

use std::fs;
use std::path::Path;
use std::process::Command;

use referee_files::log;
use referee_games::catalog::GAMES;
use referee_rules::Seat;
use referee_show::view::scene::Scene;
use referee_show::view::screen::{LEAST, Panel, Screen};
use referee_show::view::story::{HappeningKind, Story};
use rustix::process::Signal;

use self::keyboard::Keyboard;
use crate::called::Calls;
use crate::support::{Place, REFEREE, playthrough};

const RIGHT: &str = "\u{1b}[C";
const LEFT: &str = "\u{1b}[D";
const DOWN: &str = "\u{1b}[B";
const HOME: &str = "\u{1b}[H";
const END: &str = "\u{1b}[F";
const CTRL_C: &str = "\u{3}";

fn command(log: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(&*REFEREE);
    command.arg("replay").arg(log).args(words);
    command
}

fn watch(game: &str) -> Keyboard {
    Keyboard::start(command(&playthrough(game), &[]), (80, 24))
}

fn text(log: &Path, words: &[&str]) -> String {
    let printed = Place::new().call(&[&["replay", log.to_str().expect("plain text")], words].concat());
    let text = printed.with_status(0).out;
    assert!(!text.contains('\u{1b}'), "text has no escapes");
    text
}

#[test]
fn a_frame_of_each_game_as_text() {
    for (game, turns) in [("football", "6"), ("foosball", "200"), ("push", "20"), ("target", "100")] {
        insta::assert_snapshot!(format!("plain-{game}"), text(&playthrough(game), &["--turn", turns]));
    }
}

#[test]
fn a_screen_of_each_game_at_80_by_24() {
    for (game, turns) in [("football", 6), ("foosball", 200), ("push", 20), ("target", 100)] {
        let mut story = log::open(&playthrough(game)).and_then(Story::open).unwrap();
        let scene = Scene::of(&mut story, turns).unwrap();
        let screen =
            Screen { scene: &scene, marks: story.marks(), panel: &Panel::Board, mood: "paused", keys: "" };
        insta::assert_snapshot!(format!("screen-{game}"), screen.draw(LEAST.0, LEAST.1).text());
    }
}

#[test]
fn nothing_is_cut_off_at_80_by_24_nor_at_any_size_above() {
    for game in GAMES {
        let mut story = log::open(&playthrough(game.name)).and_then(Story::open).unwrap();
        for turns in 0..=story.turns().min(30) {
            let scene = Scene::of(&mut story, turns).unwrap();
            let screen =
                Screen { scene: &scene, marks: story.marks(), panel: &Panel::Board, mood: "", keys: "" };
            // Every sentence is shown, or the number of hidden lines, and the key that shows them.
            let all = screen.draw(300, 2000).text();
            let is_whole = scene.words().iter().all(|(_, _, words)| all.contains(*words));
            assert!(is_whole, "{}: words of turn {turns} are missing on a large screen\n{all}", game.name);
            for (width, height) in [(80, 24), (81, 25), (100, 30), (120, 40), (200, 70)] {
                let canvas = screen.draw(width, height);
                let text = canvas.text();
                for (seat, bot) in scene.heading.bots.iter() {
                    let score = scene.score(seat).map_or(String::new(), |score| score.to_string());
                    let is_there = |line: &str| line.contains(&bot.name) && line.contains(&score);
                    assert!(
                        text.lines().any(is_there),
                        "{}, {width} x {height}: no seat {seat}\n{text}",
                        game.name
                    );
                }
                let first =
                    scene.words().first().map(|(_, _, words)| words.split(' ').next().unwrap().to_owned());
                assert!(first.is_none_or(|word| text.contains(&word)), "{}\n{text}", game.name);
            }
        }
    }
}

#[test]
fn the_same_turn_is_the_same_screen_from_either_side() {
    for (game, last) in [("football", 41), ("foosball", 800), ("push", 20), ("target", 240)] {
        let mut keyboard = watch(game);
        let start = keyboard.sees(&format!("after 0 of {last} turns"));
        assert!(start.ends_with("? help  q quit"), "{start}");
        keyboard.press_and_see(RIGHT, "after 1 of");
        let second = keyboard.press_and_see(RIGHT, "after 2 of");
        keyboard.press_and_see(RIGHT, "after 3 of");
        assert_eq!(keyboard.press_and_see(LEFT, "after 2 of"), second, "{game}");
        keyboard.press_and_see(END, &format!("after {last} of {last} turns"));
        keyboard.press_and_see(LEFT, &format!("after {} of", last - 1));
        assert_eq!(keyboard.press_and_see(HOME, "after 0 of"), start, "{game}");
        assert_eq!(keyboard.press_and_see("g2\r", "after 2 of"), second, "{game}");
        keyboard.press("q");
        assert_eq!(keyboard.ends().0, Some(0));
    }
}

#[test]
fn keys_jump_to_the_next_and_the_last_event_or_fault() {
    let mut keyboard = watch("football");
    keyboard.sees("after 0 of 41");
    // Faults are planted in turns 3, 5 and 6.
    keyboard.press_and_see("n", "after 4 of 41 turns (the last: turn 3)");
    keyboard.sees("fault of random (seat 0): late");
    keyboard.press_and_see("f", "(the last: turn 5)");
    keyboard.press_and_see("f", "(the last: turn 6)");
    keyboard.press_and_see("F", "(the last: turn 5)");
    keyboard.press_and_see("N", "(the last: turn 3)");
    keyboard.press_and_see("N", "none before this");
    keyboard.press_and_see(END, "over: the last turn was played");
    keyboard.press_and_see("n", "none after this");
    let mut keyboard = watch("foosball");
    keyboard.sees("after 0 of 800");
    let mut story = log::open(&playthrough("foosball")).and_then(Story::open).unwrap();
    let goal = story.marks().iter().find(|mark| mark.name == "goal").copied().expect("a goal");
    keyboard.press(&format!("g{}\r", goal.turn));
    keyboard.sees(&format!("after {} of", goal.turn));
    keyboard.press_and_see("n", &format!("after {} of", goal.turn + 1));
    keyboard.sees("goal for random (seat");
    let quarter = story.turn(199).unwrap().unwrap();
    assert!(
        quarter
            .happenings
            .iter()
            .any(|one| one.kind == HappeningKind::Effect && one.occurrence.name.as_str() == "quarter")
    );
}

#[test]
fn it_plays_pauses_and_ends_at_the_end() {
    let mut keyboard = watch("push");
    keyboard.press_and_see("++++++++++", "paused, 1000 turns/s");
    keyboard.press_and_see(" ", "after 20 of 20");
    keyboard.sees("paused");
    keyboard.press_and_see("----------", "1 turns/s");
    keyboard.press_and_see(" ", "playing");
    keyboard.sees("after 1 of 20");
    keyboard.press_and_see(" ", "paused");
}

#[test]
fn panels_tell_who_did_what_and_what_went_over_the_wire() {
    let mut keyboard = watch("football");
    keyboard.sees("after 0 of 41");
    keyboard.press_and_see("g6\r", "after 6 of 41");
    keyboard.press_and_see("w", "Actions: all seats");
    keyboard.sees("player 2 of random (seat 2) kicks from 97 to 67");
    keyboard.press_and_see("sss", "Actions: random (seat 2)");
    let seat = keyboard.sees("player 1 of random (seat 2) kicks from 152 to 213");
    assert!(!seat.contains("(seat 3)"), "{seat}");
    keyboard.press_and_see("a", "Questions and answers (lines 1 to");
    let first = keyboard.sees("question  1046 5 0 3 6 40 100");
    assert!(first.contains("seat 0 random: ok, 0.652 ms charged, 0.652 elapsed"), "{first}");
    keyboard.press_and_see(DOWN, "(lines 2 to");
    keyboard.press_and_see(END, "answer    1 0 4");
    keyboard.press_and_see("?", "the next, the previous fault");
    keyboard.press_and_see("?", "a a player");
    keyboard.press_and_see("w\u{1b}", "a a player");
}

#[test]
fn a_secret_is_shown_to_those_who_ask() {
    let mut keyboard = watch("target");
    keyboard.sees("after 0 of 240");
    let first = keyboard.press_and_see(RIGHT, "after 1 of 240");
    assert!(!first.contains("hidden cell is"), "{first}");
    keyboard.press_and_see("t", "the hidden cell is 37");
    let log = playthrough("target");
    assert!(!text(&log, &["--turn", "1"]).contains("hidden cell is"));
    assert!(text(&log, &["--turn", "1", "--hidden"]).contains("the hidden cell is 37"));
    assert!(!text(&log, &["--turn", "240"]).contains("steps from the hidden cell"));
}

#[test]
fn another_size_is_another_screen_and_too_small_a_one_says_so() {
    let mut keyboard = watch("football");
    let small = keyboard.sees("after 0 of 41");
    assert!(small.contains(&format!("+{}+", "-".repeat(32))), "{small}");
    keyboard.resize(120, 40);
    keyboard.sees(&format!("+{}+", "-".repeat(64)));
    keyboard.resize(60, 20);
    keyboard.sees("60 x 20 is too small: at least 80 x 24");
    keyboard.resize(80, 24);
    assert_eq!(keyboard.sees("after 0 of 41"), small);
    keyboard.press("q");
    assert_eq!(keyboard.ends().0, Some(0));
}

#[test]
fn however_it_ends_the_terminal_is_as_it_was() {
    let mut keyboard = watch("push");
    keyboard.sees("after 0 of 20");
    assert!(keyboard.screen().alternate_screen() && keyboard.screen().hide_cursor());
    keyboard.press(CTRL_C);
    let (status, said) = keyboard.ends();
    assert_eq!(status, Some(130), "{said}");
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let mut keyboard = watch("push");
        keyboard.sees("after 0 of 20");
        keyboard.signal(signal);
        assert_eq!(keyboard.ends().0, Some(130));
    }
    // The log is damaged while it is shown.
    let place = Place::new();
    let log = place.path("log.csv");
    let bytes = fs::read(playthrough("push")).unwrap();
    fs::write(&log, &bytes).unwrap();
    let mut keyboard = Keyboard::start(command(&log, &[]), (80, 24));
    keyboard.sees("after 0 of 20");
    fs::write(&log, String::from_utf8_lossy(&bytes).replace("answer", "answr ")).unwrap();
    keyboard.press(END);
    let (status, said) = keyboard.ends();
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("error: ") && said.contains("is expected here"), "{said}");
}

#[test]
fn colours_are_left_out_where_nobody_wants_them() {
    let is_coloured = |set: Option<&str>| {
        let mut keyboard = Keyboard::start_with(command(&playthrough("push"), &[]), (80, 24), set);
        keyboard.sees("after 0 of 20");
        String::from_utf8_lossy(keyboard.written()).contains("\u{1b}[38;5;")
    };
    assert!(is_coloured(None));
    assert!(!is_coloured(Some("1")));
}

#[test]
fn what_strangers_wrote_does_nothing_to_the_terminal() {
    let place = Place::new();
    let evil = format!("\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}{}", "x".repeat(10_000));
    let text_of = fs::read_to_string(playthrough("push")).unwrap();
    let log = place.path("evil.csv");
    fs::write(&log, text_of.replace("hello, world", &evil)).unwrap();
    let plain = text(&log, &["--from", "0", "--to", "20"]);
    assert!(plain.contains(r"\u{1b}[2J") && !plain.contains(['\u{7}', '\u{9b}', '\u{202e}']), "{plain}");
    assert!(plain.lines().all(|line| line.len() < 120), "{plain}");
    let mut keyboard = Keyboard::start(command(&log, &[]), (80, 24));
    keyboard.sees("after 0 of 20");
    keyboard.press_and_see("f", "(the last: turn 3)");
    keyboard.press_and_see("f", r"\u{1b}[2J");
    keyboard.press_and_see("a", "Questions and answers");
    let written = String::from_utf8_lossy(keyboard.written()).into_owned();
    assert!(!written.contains("owned\u{7}") && !written.contains("\u{1b}[2J\u{1b}]"), "raw escapes of a bot");
    keyboard.press("q");
    keyboard.press("q");
    assert_eq!(keyboard.ends().0, Some(0));
}

#[test]
fn a_part_of_a_game_is_printed_and_what_is_not_there_is_said() {
    let log = playthrough("push");
    let part = text(&log, &["--from", "3", "--to", "5"]);
    let frames: Vec<&str> = part.split("\n----\n\n").collect();
    assert_eq!(frames.len(), 3);
    assert_eq!(frames[1], text(&log, &["--plain", "--turn", "4"]), "a part is made of frames");
    assert_eq!(text(&log, &[]).split("\n----\n\n").count(), 21, "all of them, where nothing is said");
    let place = Place::new();
    let path = log.to_str().unwrap();
    place
        .call(&["replay", path, "--turn", "21"])
        .with_status(2)
        .complaining(&["the game has 20 turns, not 21"]);
    place
        .call(&["replay", "nothing.csv"])
        .with_status(2)
        .complaining(&["nothing.csv", "cannot open the log"]);
    place.call(&["replay", path, "--turn", "2", "--from", "1"]).with_status(2);
    let reversed = place.call(&["replay", path, "--from", "5", "--to", "3"]);
    reversed.with_status(2).complaining(&["--from 5 is after --to 3"]);
    let seats = Seat::first(6).map(|seat| format!(" {seat} {seat} random"));
    assert!(seats.into_iter().all(|seat| frames[0].contains(&seat)), "{}", frames[0]);
}

#[test]
fn a_game_of_a_folder_is_found_by_its_name() {
    let place = Place::new();
    let random = place.guest("random", "house random");
    let words = ["play", "push", "--turns", "3", "--seed", "7", "--sandbox", "off"];
    place.call(&[&words[..], &[&*random; 6]].concat()).with_status(0);
    let named = place.call(&["replay", "games", "push-0x0000000000000007", "--turn", "3"]).with_status(0);
    assert!(named.out.contains("after 3 of 3 turns; over: all 3 turns were played"), "{}", named.out);
    place.call(&["replay", "games"]).with_status(2).complaining(&["which game?", "push-0x0000000000000007"]);
    place.call(&["replay", "games", "other"]).with_status(2).complaining(&["no game named other"]);
    place.call(&["replay", "tmp"]).with_status(2).complaining(&["there is no results.csv"]);
}
