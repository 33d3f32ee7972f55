//! Notes: the length and digest of a wrong answer, after the description of the mistake. They replace the part that a
//! log does not keep.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use referee_rules::Malformed;

/// The text before the length, and before the digest, of a wrong answer that is not kept whole.
const NOTE: [&str; 2] = [";", " bytes, sha256 "];

/// Tells whether a detail ends with the length and the digest of the answer. Then only the beginning of the answer is
/// kept.
pub fn has_note(detail: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_digest = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    detail.rsplit_once(NOTE[1]).is_some_and(|(before, digest)| {
        let length = before.rsplit_once(NOTE[0]).and_then(|(_, length)| length.strip_prefix(' '));
        is_digest(digest) && length.is_some_and(is_number)
    })
}

/// Answers up to this length, in bytes, are kept whole: a note would hardly be shorter.
pub const SHORT: usize = 128;

/// As [`note`], for a line. For one that is short enough to be kept, returns only the reason.
pub fn note_of_line(why: Malformed, line: &[u8]) -> Malformed {
    if line.len() <= SHORT { why } else { note(&why, line) }
}

/// Returns the reason why an answer is wrong, its length and its digest.
pub fn note(why: &Malformed, text: &[u8]) -> Malformed {
    let mut note = format!("{why}{} {}{}", NOTE[0], text.len(), NOTE[1]);
    Sha256::digest(text).iter().for_each(|byte| write!(note, "{byte:02x}").unwrap_or_default());
    Malformed::new(note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ends_like_a_note_is_one() {
        let digest = "0".repeat(64);
        assert!(has_note(&format!("why; 7 bytes, sha256 {digest}")));
        for other in
            ["", "3 integers instead of 2", "; 7 bytes, sha256 ", &format!("; x bytes, sha256 {digest}")]
        {
            assert!(!has_note(other), "{other}");
        }
    }
}
