//! Notes: how long a wrong answer was, and its digest, behind what is wrong with it. They stand for what a log does not keep of it.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::rules::Malformed;
use crate::wire::NOTE;

/// Answers of this length, in bytes, are kept whole: a digest is no shorter.
pub(crate) const SHORT: usize = 128;

/// Says the same of a line; of one that is short enough to be shown, only why.
pub(crate) fn note_of_line(why: Malformed, line: &[u8]) -> Malformed {
    if line.len() <= SHORT { why } else { note(&why, line) }
}

/// Says why an answer is wrong, how long it is, and its digest.
pub(crate) fn note(why: &Malformed, text: &[u8]) -> Malformed {
    let mut note = format!("{why}{} {}{}", NOTE[0], text.len(), NOTE[1]);
    Sha256::digest(text).iter().for_each(|byte| write!(note, "{byte:02x}").unwrap_or_default());
    Malformed::new(note)
}
