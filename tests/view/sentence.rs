//! Numbers in the sentences of a story.

use std::fmt;

use referee_view::story::sentence;

#[track_caller]
fn has(words: fmt::Arguments<'_>, due: &[i64]) {
    let (text, numbers) = sentence(words);
    assert_eq!(text, words.to_string());
    let found: Vec<i64> = numbers.into_iter().map(|place| text[place].parse().expect("a number")).collect();
    assert_eq!(found, due, "{text}");
}

#[test]
fn numbers_that_were_formatted_are_found_and_others_are_words() {
    let (player, row, text) = (3, -4, "12 coins");
    has(format_args!("player {player} goes to row {row}"), &[3, -4]);
    has(format_args!("{player}-{player}, v{player}: {text}"), &[3, -3, 3]);
    has(format_args!("{text}, {}", u64::MAX), &[]);
    has(format_args!("-{}", 0), &[]);
}

#[test]
fn a_sentence_that_is_made_harmless_has_no_numbers() {
    let (words, numbers) = sentence(format_args!("{}\u{1b}[2J", 7));
    assert_eq!((&*words, numbers.len()), ("7\\u{1b}[2J", 0));
}
