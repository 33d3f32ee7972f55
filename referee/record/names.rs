//! Names from strangers: which ones are allowed.

use crate::text::is_seen;

/// The longest name of a bot, in characters.
const NAME_MAX: usize = 32;

/// The longest name of a game, in characters.
const ID_MAX: usize = 64;

/// Maximum part of a wrong text that an error shows, in characters.
const SHOWN: usize = 60;

/// Returns the name if a bot can have it: 1 to 32 letters, digits, `-` and `_`.
///
/// # Errors
///
/// Says what a name is.
pub fn check(name: &str) -> Result<&str, String> {
    let fits = (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(is_plain);
    if fits {
        Ok(name)
    } else {
        Err(not("a name for a bot", name, &format!("1 to {NAME_MAX} letters, digits, - and _")))
    }
}

/// Returns the name if a game can have it: 1 to 64 letters, digits, `-`, `_` and `.`.
///
/// # Errors
///
/// Says what a name is.
pub fn check_id(id: &str) -> Result<&str, String> {
    let fits = (1..=ID_MAX).contains(&id.len()) && id.bytes().all(|byte| is_plain(byte) || byte == b'.');
    if fits {
        Ok(id)
    } else {
        Err(not("a name for a game", id, &format!("1 to {ID_MAX} letters, digits, -, _ and .")))
    }
}

/// Makes sure that each character of a row is visible at its place: no control characters, none that hide or reorder
/// others.
///
/// # Errors
///
/// Names the character.
pub fn check_text(row: &str) -> Result<(), String> {
    // Nearly all rows are plain. Without an exit in it, the inner loop looks at many bytes at a time.
    let are_plain = |bytes: &[u8]| bytes.iter().fold(true, |all, byte| all & matches!(byte, b' '..=b'~'));
    if row.as_bytes().chunks(64).all(are_plain) {
        return Ok(());
    }
    match row.chars().find(|letter| !is_seen(*letter)) {
        Some(letter) => Err(format!("a character that no record contains: {}", letter.escape_unicode())),
        None => Ok(()),
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn not(what: &str, text: &str, rule: &str) -> String {
    let start: String = text.chars().take(SHOWN).collect();
    let more = if start.len() < text.len() { "..." } else { "" };
    format!("not {what}: {start:?}{more} ({rule})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_digits_and_two_signs() {
        assert_eq!(check("Fox_2-b"), Ok("Fox_2-b"));
        assert_eq!(check_id("s001-r00001-t001-g1"), Ok("s001-r00001-t001-g1"));
        for bad in ["", "a b", "a\u{1b}[2J", "a/b", "é", "=1", &"x".repeat(33)] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
        for bad in ["", "a/b", "a,b", "\u{9b}", &"x".repeat(65)] {
            assert!(check_id(bad).is_err(), "{bad:?}");
        }
        assert!(check_text("a b").is_ok() && check_text("a\u{9b}b").is_err());
        let shown = check(&"\u{1b}".repeat(10_000)).unwrap_err();
        assert!(shown.len() < 1000 && shown.chars().all(is_seen), "{shown}");
    }
}
