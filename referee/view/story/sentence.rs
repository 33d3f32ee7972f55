//! Sentences, and the places of numbers in them. The formatter hands over each argument by itself, so no text is
//! parsed.

use std::fmt::{self, Write};
use std::ops::Range;

use crate::story::text::{self, harmless};

/// Writes a harmless sentence. Returns it and the places of the numbers in it: none if the text had to be changed.
pub(super) fn sentence(words: fmt::Arguments<'_>) -> (String, Vec<Range<usize>>) {
    let mut pieces = Pieces::default();
    pieces.write_fmt(words).expect("a text takes all");
    let words = harmless(&pieces.text, text::SENTENCE);
    let numbers = if words == pieces.text { pieces.numbers } else { Vec::new() };
    (words, numbers)
}

/// Takes a sentence piece by piece.
#[derive(Debug, Default)]
struct Pieces {
    text: String,
    numbers: Vec<Range<usize>>,
    /// The place of a minus sign, if that was the piece before.
    sign: Option<usize>,
}

impl Write for Pieces {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let here = self.text.len();
        self.text.push_str(piece);
        let sign = self.sign.take();
        if piece == "-" {
            self.sign = Some(here);
        } else if is_number(piece, sign.is_some()) {
            self.numbers.push(sign.unwrap_or(here)..self.text.len());
        }
        Ok(())
    }
}

/// Whether a piece is a whole number of at most nine digits, without a zero in front. After a sign, it is not zero.
fn is_number(piece: &str, has_sign: bool) -> bool {
    let first_min = if piece.len() > 1 || has_sign { b'1' } else { b'0' };
    piece.len() < 10
        && piece.bytes().all(|byte| byte.is_ascii_digit())
        && piece.bytes().next().is_some_and(|first| first >= first_min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn has(words: fmt::Arguments<'_>, due: &[i64]) {
        let (text, numbers) = sentence(words);
        assert_eq!(text, words.to_string());
        let found: Vec<i64> =
            numbers.into_iter().map(|place| text[place].parse().expect("a number")).collect();
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
}
