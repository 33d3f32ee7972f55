//! Sentences of a story: names of bots, and the parts that differ from turn to turn.

use std::fmt;

use referee_files::log;
use referee_show::view::story::{Story, Value, Vocabulary, sentence};

use crate::support::playthrough;

/// Returns the vocabulary of a recorded game whose bots have these names.
fn vocabulary(game: &str, names: [&str; 4]) -> Vocabulary {
    let story = log::open(&playthrough(game)).and_then(Story::open).unwrap();
    let mut heading = story.heading().clone();
    let seats: Vec<_> = heading.bots.iter().map(|(seat, _)| seat).collect();
    for (seat, name) in seats.into_iter().zip(names) {
        heading.bots[seat].name = name.to_owned();
    }
    Vocabulary::of(&heading)
}

/// Checks that a sentence becomes another one, with these parts: their text in it, and their meaning.
#[track_caller]
fn is_told(game: &str, words: fmt::Arguments<'_>, due: &str, parts: &[(&str, &str)]) {
    let (told, found) = sentence(words, &vocabulary(game, ["fox", "owl", "owl", "gnu"]));
    assert_eq!(told, due);
    let meaning = |value: &Value| match value {
        Value::Number(number) => format!("number {number}"),
        Value::Bot(seat) => format!("bot {seat}"),
        Value::Cell(cell) => format!("cell {cell}"),
    };
    let found: Vec<(&str, String)> =
        found.iter().map(|part| (&told[part.place.clone()], meaning(&part.value))).collect();
    let parts: Vec<(&str, String)> = parts.iter().map(|(text, value)| (*text, (*value).to_owned())).collect();
    assert_eq!(found, parts, "{told}");
}

#[test]
fn numbers_that_were_formatted_are_parts_and_others_are_words() {
    let (player, row, text) = (3, -4, "12 coins");
    is_told(
        "foosball",
        format_args!("player {player} goes to row {row}"),
        "player 3 goes to row -4",
        &[("3", "number 3"), ("-4", "number -4")],
    );
    is_told(
        "foosball",
        format_args!("{player}-{player}, v{player}: {text}"),
        "3-3, v3: 12 coins",
        &[("3", "number 3"), ("-3", "number -3"), ("3", "number 3")],
    );
    is_told("foosball", format_args!("{text}, {}", u64::MAX), "12 coins, 18446744073709551615", &[]);
    is_told("foosball", format_args!("-{}", 0), "-0", &[]);
}

#[test]
fn seats_have_the_names_of_their_bots_wherever_they_stand_in_a_sentence() {
    let (seat, goals, judge) = (1, 7, "seat 0 and seat 2, not seat 9 or seatbelt 1");
    is_told(
        "football",
        format_args!("goal for seat {seat}: {goals}"),
        "goal for owl (seat 1): 7",
        &[("owl (seat 1)", "bot 1"), ("7", "number 7")],
    );
    is_told(
        "football",
        format_args!("{judge}"),
        "fox and owl (seat 2), not seat 9 or seatbelt 1",
        &[("fox", "bot 0"), ("owl (seat 2)", "bot 2")],
    );
}

#[test]
fn places_of_a_board_of_squares_are_cells() {
    let words = "seat 3 starts on cell 40, goes to 41 from 5 cells, into 6";
    let due = "gnu starts on cell 40, goes to 41 from 5 cells, into 6";
    let parts = [("gnu", "bot 3"), ("cell 40", "cell 40"), ("41", "cell 41"), ("5", "cell 5")];
    is_told("football", format_args!("{words}"), due, &parts);
    let (seat, from, to) = (0, 1, 2);
    is_told(
        "push",
        format_args!("seat {seat} pushes from {from} to {to}"),
        "fox pushes from 1 to 2",
        &[("fox", "bot 0"), ("1", "number 1"), ("2", "number 2")],
    );
}

#[test]
fn a_sentence_that_is_made_harmless_has_no_parts() {
    is_told("push", format_args!("seat {}\u{1b}[2J", 0), "fox\\u{1b}[2J", &[]);
}

#[test]
fn ends_are_words_with_the_parameters_of_the_game() {
    let of = |game: &str| vocabulary(game, ["fox", "owl", "owl", "gnu"]);
    assert_eq!(of("push").end("turns"), "all 20 turns were played");
    assert_eq!(of("football").end("max_turns"), "the last turn was played");
    assert!(of("target").end("no_wall").starts_with("no wall could be placed for "));
    assert!(!of("target").end("no_wall").contains(['{', '_']));
    assert_eq!(of("push").end("of_another_game"), "of another game");
}

#[test]
fn who_plays_is_said_with_each_bot_once() {
    for (names, due) in [
        (["fox", "owl", "gnu", "hen"], "fox, owl, gnu and hen"),
        (["fox", "owl", "owl", "fox"], "fox against owl"),
        (["fox", "fox", "fox", "fox"], "fox against itself"),
    ] {
        assert_eq!(vocabulary("football", names).players(), due);
    }
    assert_eq!(vocabulary("push", ["fox", "owl", "gnu", "hen"]).players(), "fox, owl, gnu, hen and 1 other");
}
