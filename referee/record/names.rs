//! Names and texts of strangers: what a name is, and how a text is shown.

use std::borrow::Cow;
use std::fmt::Write;

use unicode_width::UnicodeWidthChar;

/// The longest name of a bot, in characters.
const NAME_MAX: usize = 32;

/// The longest name of a game, in characters.
const ID_MAX: usize = 64;

/// How much of a wrong text an error shows, in characters.
const SHOWN: usize = 60;

/// Returns the name of a bot, wherever it was read: 1 to 32 of letters, digits, `_` and `-`.
///
/// # Errors
///
/// Says what a name is.
pub fn check(name: &str) -> Result<&str, String> {
    let fits = (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(is_plain);
    if fits {
        Ok(name)
    } else {
        Err(not("a name for a bot", name, &format!("1 to {NAME_MAX} of letters, digits, _ and -")))
    }
}

/// Returns the name of a game, wherever it was read: 1 to 64 of letters, digits, `_`, `-` and `.`.
///
/// # Errors
///
/// Says what a name is.
pub fn check_id(id: &str) -> Result<&str, String> {
    let fits = (1..=ID_MAX).contains(&id.len()) && id.bytes().all(|byte| is_plain(byte) || byte == b'.');
    if fits {
        Ok(id)
    } else {
        Err(not("a name for a game", id, &format!("1 to {ID_MAX} of letters, digits, _, - and .")))
    }
}

/// Makes sure that each character of a row is seen where it stands.
///
/// # Errors
///
/// Names the character.
pub fn check_text(row: &str) -> Result<(), String> {
    if row.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Ok(());
    }
    match row.chars().find(|letter| !is_seen(*letter)) {
        Some(letter) => Err(format!("a character that a record has not: {}", letter.escape_unicode())),
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

/// Tells whether a character is seen where it stands: it neither steers a terminal, nor changes the direction of writing, nor
/// takes no room.
pub fn is_seen(letter: char) -> bool {
    matches!(letter, ' '..='~') || letter.width().is_some_and(|width| width > 0) && !is_format(letter)
}

/// Characters that have a width by the book, but show nothing or move others about.
fn is_format(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}'..='\u{ffff}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

/// Returns a text in which all that is not seen is written as its number, but for the ends of lines and tabs.
pub fn visible(text: &str) -> Cow<'_, str> {
    shown(text, |letter| matches!(letter, '\n' | '\t'))
}

/// Returns a text as one line, in which all that is not seen is written as its number.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    shown(text, |_| false)
}

fn shown(text: &str, also: impl Fn(char) -> bool) -> Cow<'_, str> {
    let may_stand = |letter: char| is_seen(letter) || also(letter);
    if text.chars().all(may_stand) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if may_stand(letter) {
            shown.push(letter);
        } else {
            let _ = write!(shown, "{}", letter.escape_unicode());
        }
    }
    Cow::Owned(shown)
}

/// Returns JSON that says the same, with all that is not seen written as JSON writes it by number.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    let may_stand = |letter: char| is_seen(letter) || letter == '\n';
    if json.chars().all(may_stand) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 16);
    for letter in json.chars() {
        if may_stand(letter) {
            shown.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        }
    }
    Cow::Owned(shown)
}

/// Returns a stranger's text as a cell of a table: in one line, and with `'` before a sign that makes a formula of it in a
/// spreadsheet (`=`, `+`, `-`, `@`, and the wide forms of these). Numbers do not go this way.
pub fn cell(text: &str) -> Cow<'_, str> {
    const BEGIN_FORMULAS: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    let shown = visible_line(text);
    if text.starts_with(BEGIN_FORMULAS) || text.starts_with(['\t', '\r', '\n']) {
        Cow::Owned(format!("'{shown}"))
    } else {
        shown
    }
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
        let shown = check(&"\u{1b}".repeat(10_000)).unwrap_err();
        assert!(shown.len() < 1000 && shown.chars().all(is_seen), "{shown}");
    }

    #[test]
    fn what_is_not_seen_is_written_as_its_number() {
        let strange =
            ['\0', '\u{7}', '\u{1b}', '\u{7f}', '\u{80}', '\u{9b}', '\u{9f}', '\u{200b}', '\u{200f}'];
        let more = ['\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{2028}', '\u{2029}', '\u{feff}', '\r'];
        for letter in strange.into_iter().chain(more) {
            let text = format!("a{letter}b");
            let due = format!("a{}b", letter.escape_unicode());
            assert_eq!((&*visible(&text), &*visible_line(&text), &*cell(&text)), (&*due, &*due, &*due));
            assert!(check_text(&text).is_err());
            let json = serde_json::to_string(&text).unwrap();
            let shown = visible_json(&json);
            assert!(shown.chars().all(is_seen), "{shown}");
            assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
        }
        assert_eq!(visible("a\n\tJ\u{fc}rgen \u{7f8a}"), "a\n\tJ\u{fc}rgen \u{7f8a}");
        assert_eq!(visible_line("a\nb"), r"a\u{a}b");
        assert_eq!(visible_json("\"\u{e0001}\""), r#""\udb40\udc01""#);
    }

    #[test]
    fn no_cell_begins_as_a_formula_does() {
        for sign in ["=", "+", "-", "@", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}"] {
            assert_eq!(cell(&format!("{sign}1+1")), format!("'{sign}1+1"));
        }
        assert_eq!(cell("\t=1"), r"'\u{9}=1");
        assert_eq!((&*cell("fox"), &*cell("a=b"), &*cell("")), ("fox", "a=b", ""));
    }
}
