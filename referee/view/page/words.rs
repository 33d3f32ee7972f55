//! Sentences as patterns with numbers: thousands of turns are told with a few dozen of them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::column::Column;
use crate::rules::{Deed, Upshot};
use crate::view::story::{Happening, Kind};

/// What is told with the same words but for the numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Pattern {
    kind: &'static str,
    name: &'static str,
    upshot: &'static str,
    /// Whether the page keeps it to itself until it is asked.
    secret: bool,
    /// Which of seat, index, from and to there are.
    has: [bool; 4],
    /// The text between the numbers, one more than there are numbers.
    text: Vec<String>,
    /// Each number: 0 to 3 for seat, index, from, to; 4 if it is none of them, and stands behind them.
    numbers: Vec<u8>,
}

/// All patterns of a game, by the order in which they were first needed.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    all: Vec<Pattern>,
    known: BTreeMap<Pattern, usize>,
}

/// What a number in a sentence is if it is none of the deed's.
const OTHER: u8 = 4;

impl Patterns {
    pub(super) fn all(&self) -> &[Pattern] {
        &self.all
    }

    /// Returns the number of the pattern of what happened, and appends to `others` the numbers that it does not name.
    pub(super) fn of(&mut self, happening: &Happening, others: &mut Vec<i64>) -> usize {
        let deed = &happening.deed;
        let values = values(deed);
        let (text, found) = take_apart(&happening.words);
        let mut numbers = Vec::with_capacity(found.len());
        let mut next = 0;
        for number in found {
            // Sentences name seat and player, then from and to, mostly in this order: so equal ones are told apart.
            let names = |place: &usize| values[*place] == Some(number);
            let place = (next..4).chain(0..next).find(names);
            match place {
                Some(place) => {
                    numbers.push(place as u8);
                    next = (place + 1) % 4;
                }
                None => {
                    numbers.push(OTHER);
                    others.push(number);
                }
            }
        }
        let upshot = match deed.upshot {
            Upshot::Done => "done",
            Upshot::LostDraw => "lost",
            Upshot::Refused => "refused",
        };
        let kind = match happening.kind {
            Kind::Deed => "deed",
            Kind::Effect => "effect",
            Kind::Fault => "fault",
            Kind::Score => "score",
            Kind::End => "end",
        };
        let has = values.map(|value| value.is_some());
        let (name, secret) = (deed.name, deed.secret);
        let pattern = Pattern { kind, name, upshot, secret, has, text, numbers };
        let next = self.all.len();
        *self.known.entry(pattern).or_insert_with_key(|pattern| {
            self.all.push(pattern.clone());
            next
        })
    }
}

/// Seat, index, from and to.
pub(super) fn values(deed: &Deed) -> [Option<i64>; 4] {
    [deed.seat.map(|seat| seat.index() as i64), deed.index.map(|index| index as i64), deed.from, deed.to]
}

/// Appends the numbers that a sentence has beside those of its deed.
pub(super) fn push_others(column: &mut Column, others: &[i64]) {
    others.iter().for_each(|number| column.push_signed(*number));
}

/// Splits a sentence at its whole numbers.
fn take_apart(words: &str) -> (Vec<String>, Vec<i64>) {
    let (mut text, mut numbers) = (vec![String::new()], Vec::new());
    let mut rest = words;
    while let Some(letter) = rest.chars().next() {
        let last = text.last_mut().expect("never empty");
        let joined = last.chars().next_back().is_some_and(|before| before.is_alphanumeric() || before == '.')
            || last.is_empty() && !numbers.is_empty();
        let digits = rest[usize::from(letter == '-')..].bytes().take_while(u8::is_ascii_digit).count();
        let length = digits + usize::from(letter == '-');
        let token = &rest[..if digits > 0 && !joined { length } else { 0 }];
        match token.parse::<i64>().ok().filter(|number| number.to_string() == token) {
            Some(number) if number.unsigned_abs() < 1 << 31 => {
                numbers.push(number);
                text.push(String::new());
                rest = &rest[length..];
            }
            _ => {
                last.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    (text, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Seat;

    fn put_together(text: &[String], numbers: &[i64]) -> String {
        let mut words = text[0].clone();
        for (number, text) in numbers.iter().zip(&text[1..]) {
            words += &number.to_string();
            words += text;
        }
        words
    }

    #[test]
    fn a_sentence_taken_apart_is_put_together_again() {
        for words in [
            "",
            "7",
            "-7",
            "player 3 of seat 1 goes from 17 to 18",
            "row -3: 2 men against 0",
            "007, 1-2, v1.5, 3.25 ms, a9, 9a, --4, 99999999999999999999",
            "j\u{fc}rgen 5\u{301} <b>1</b>",
        ] {
            let (text, numbers) = take_apart(words);
            assert_eq!(put_together(&text, &numbers), words);
            assert_eq!(text.len(), numbers.len() + 1);
        }
        assert_eq!(take_apart("row -3 of 12").1, [-3, 12]);
    }

    #[test]
    fn the_same_deed_by_others_has_the_same_pattern() {
        let mut patterns = Patterns::default();
        let mut numbers = |seat, index, from: i64, to: i64| {
            let deed = Deed { index: Some(index), from: Some(from), to: Some(to), ..Deed::new("step") };
            let words = format!("player {index} of seat {seat} goes from {from} to {to} of 32");
            let deed = deed.by(Seat::new(seat));
            let mut others = Vec::new();
            let happening = Happening { kind: Kind::Deed, deed, words };
            (patterns.of(&happening, &mut others), others)
        };
        assert_eq!(numbers(1, 3, 40, 41), (0, vec![32]));
        assert_eq!(numbers(0, 2, 7, 8), (0, vec![32]));
    }
}
