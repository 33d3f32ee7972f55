//! `referee play --watch`: a game on the screen while it is played.

use std::path::Path;
use std::process::Command;

use referee_games::catalog;
use referee_record::Answer;
use referee_record::error::Error;
use referee_record::play::play;
use referee_record::play::table::{Question, Table, TableError};
use referee_record::{Page, Recorder};
use referee_rules::{Dice, Outcome, Parameters, Seed};

use super::keyboard::Keyboard;
use super::{CTRL_C, text};
use crate::called::Calls;
use crate::support::{Place, results_in};

const BOTS: [&str; 6] = ["random", "homeward", "random", "homeward", "random", "homeward"];

fn push(place: &Place, words: &[&str]) -> Command {
    place.command(&[&["play", "push"], &BOTS[..], &["--seed", "7", "--watch"], words].concat())
}

fn watch(place: &Place, words: &[&str]) -> Keyboard {
    Keyboard::start(push(place, words), (80, 24))
}

#[test]
fn a_watched_game_is_seen_to_its_end_and_recorded_as_any_other() {
    let place = Place::new();
    let mut keyboard = watch(&place, &["--turns", "12", "--pace", "0"]);
    keyboard.press_and_see("?", "the games are played on");
    keyboard.press("?");
    let last = keyboard.sees("The game is over.");
    assert!(last.contains("random (seat 0)") && !last.contains("seat 0 pushes"), "bots have names: {last}");
    assert!(last.contains("after 12 turns; over: all 12 turns were played"), "{last}");
    keyboard.press_and_see("w", "Actions: ");
    keyboard.press_and_see("w", "The game is over.");
    keyboard.press("q");
    let (status, said) = keyboard.ends();
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("push-0x0000000000000007 after 12 turns: turns."), "{said}");
    place.call(&["audit", "games"]).with_status(0);
    // The last screen agrees with the record.
    let replayed = text(&place.path("games/logs/push-0x0000000000000007.csv"), &["--turn", "12"]);
    let rows = results_in(&place.path("games"));
    for row in &rows {
        let line = format!("{:>5}", row.score);
        assert!(replayed.contains(&line) && last.contains(&line), "{}\n{last}", row.score);
    }
}

#[test]
fn the_same_game_is_played_whether_it_is_watched_or_not() {
    let place = Place::new();
    let mut keyboard = watch(&place, &["--turns", "5", "--pace", "1ms"]);
    keyboard.sees("The game is over.");
    keyboard.press("q");
    assert_eq!(keyboard.ends().0, Some(0));
    let words = [&["play", "push"], &BOTS[..], &["--seed", "7", "--turns", "5", "--dir", "other"]].concat();
    place.referee(&words).with_status(0);
    let scores = |folder: &Path| results_in(folder).iter().map(|row| row.score).collect::<Vec<_>>();
    assert_eq!(scores(&place.path("games")), scores(&place.path("other")));
}

#[test]
fn it_stands_still_goes_on_and_is_left_to_itself() {
    let place = Place::new();
    // Long enough that neither game is over before the first key comes. On a busy machine, turns without a
    // wait between them take long, too, so there are not many.
    let mut keyboard = watch(&place, &["--turns", "100", "--pace", "100ms", "--repeat", "2"]);
    keyboard.sees("100 ms between turns");
    keyboard.press_and_see(" ", "paused");
    let first = turns_on(&keyboard.press_and_see("w", "Actions: "));
    for _ in 0..10 {
        keyboard.press_and_see("w", "5 a pile");
        keyboard.press_and_see("w", "Actions: ");
    }
    let second = turns_on(&keyboard.press_and_see("w", "5 a pile"));
    assert!(
        second <= first + 1,
        "no turn but the one under way is played while it stands still: {first}, {second}"
    );
    keyboard.press_and_see("-", "paused");
    keyboard.press_and_see(" ", "200 ms between turns");
    // Leaving the view lets both games continue by themselves, at once.
    keyboard.press("q");
    let (status, said) = keyboard.ends();
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(results_in(&place.path("games")).len(), 12);
    assert!(said.contains("│ homeward ┆"), "{said}");
}

/// Returns how many turns have been played in the game on the screen.
fn turns_on(screen: &str) -> u32 {
    let (_, after) = screen.split_once("after ").expect("a number of turns");
    after.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn ctrl_c_gives_the_game_up_and_the_terminal_back() {
    let place = Place::new();
    let mut keyboard = watch(&place, &["--turns", "100000", "--pace", "10ms"]);
    keyboard.sees("10 ms between turns");
    keyboard.press_and_see(" ", "paused");
    keyboard.press(CTRL_C);
    let (status, said) = keyboard.ends();
    assert_eq!(status, Some(130), "{said}");
    assert_eq!(results_in(&place.path("games")).len(), 0);
    place.assert_nothing_stays();
}

#[test]
fn without_a_terminal_nothing_is_played_and_the_cure_is_named() {
    let place = Place::new();
    let random = place.guest("random", "house random");
    let words = ["play", "push", "--seed", "7", "--watch", "--sandbox", "off"];
    let watched = |more: &[&str]| {
        let ran = place.call(&[&words[..], &[&*random; 6], more].concat()).with_status(2);
        assert!(ran.out.is_empty(), "{ran:?}");
        ran
    };
    watched(&[]).complaining(&["--watch needs a terminal", "referee replay"]);
    assert!(
        !place.path("games").exists() || results_in(&place.path("games")).is_empty(),
        "nothing is played"
    );
    place.call(&["play", "push", "random", "--pace", "1s"]).with_status(2).complaining(&["--watch"]);
    for wrong in ["100", "61s", "-1ms", "fast"] {
        watched(&[&format!("--pace={wrong}")]).complaining(&["such as 100ms or 1s"]);
    }
}

/// A table at which all seats answer at random, and a record that checks whether an answer is awaited.
struct Bench {
    asked: Vec<Question>,
    dice: Dice,
}

impl Table for Bench {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.asked = questions.to_vec();
        IS_WAITED_FOR.set(true);
        Ok(())
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        answers.clear();
        for question in &self.asked {
            let mut answer = Answer::empty(question.seat);
            answer.integers = vec![self.dice.below(61).into(), self.dice.below(6).into()];
            answers.push(answer);
        }
        IS_WAITED_FOR.set(false);
        Ok(())
    }
}

struct Looking(u32);

impl Recorder for Looking {
    fn turn(&mut self, _page: &Page<'_>) {}

    fn flush_if_full(&mut self) -> Result<(), Error> {
        assert!(!IS_WAITED_FOR.get(), "a pause here would be charged to the bots");
        self.0 += 1;
        Ok(())
    }

    fn end(&mut self, _turns: u32, _outcome: &Outcome) -> Result<(), Error> {
        Ok(())
    }
}

thread_local! {
    static IS_WAITED_FOR: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

#[test]
fn nobody_is_waited_for_where_a_watched_game_pauses() {
    let entry = catalog::find("push").unwrap();
    let mut game = entry.start(&Parameters::defaults(entry.parameters), Seed(7));
    let (mut table, mut record) = (Bench { asked: Vec::new(), dice: Dice::for_start(Seed(1)) }, Looking(0));
    play(&mut *game, &mut table, &mut record).unwrap();
    assert_eq!(record.0, 100, "once a turn");
}
