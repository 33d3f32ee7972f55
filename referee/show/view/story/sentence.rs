//! Sentences, and the parts in them that differ from turn to turn. The formatter writes each argument by itself, so
//! numbers are found without parsing.

use std::fmt::{self, Write};
use std::ops::Range;

use crate::view::story::text::{self, harmless};
use crate::view::story::vocabulary::{Part, Vocabulary};

/// Writes a harmless sentence, in which seats are replaced by the names of bots. Returns it and its parts. There are no
/// parts if the text had to be changed to be harmless.
pub fn sentence(words: fmt::Arguments<'_>, vocabulary: &Vocabulary) -> (String, Vec<Part>) {
    let mut pieces = Pieces::default();
    pieces.write_fmt(words).expect("a text takes all");
    let (with_names, parts) = vocabulary.with_names(&pieces.text, &pieces.numbers);
    let words = harmless(&with_names, text::SENTENCE);
    let parts = if words == with_names { parts } else { Vec::new() };
    (words, parts)
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

/// Tells whether a piece is a whole number of at most nine digits, without a zero in front. After a sign, zero is none.
fn is_number(piece: &str, has_sign: bool) -> bool {
    let first_min = if piece.len() > 1 || has_sign { b'1' } else { b'0' };
    piece.len() < 10
        && piece.bytes().all(|byte| byte.is_ascii_digit())
        && piece.bytes().next().is_some_and(|first| first >= first_min)
}
