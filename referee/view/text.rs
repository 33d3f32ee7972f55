//! Text of strangers (names, what bots wrote, what a system said of them), made harmless before anybody is shown it.

use std::fmt::Write;

use unicode_width::UnicodeWidthChar;

use crate::record::names::is_seen;

/// The longest name that is shown, in columns.
pub const NAME: usize = 40;

/// The longest sentence that is shown, in columns.
pub const SENTENCE: usize = 400;

/// The longest line of a program's standard error that is shown, in columns.
pub const LINE: usize = 2000;

/// Returns a line that a program wrote, whatever it is made of, without its end; a tab is some blanks.
pub fn harmless_line(bytes: &[u8]) -> String {
    harmless(&String::from_utf8_lossy(bytes).trim_end().replace('\t', "    "), LINE)
}

/// Returns a text of at most so many columns in which each character is seen where it stands: what steers a terminal, changes the
/// direction of writing, takes no room, or melts into the character before is written as its number, and what is too much is cut.
pub fn harmless(text: &str, columns: usize) -> String {
    let mut shown = String::new();
    let mut width = 0;
    for letter in text.chars() {
        let start = shown.len();
        match letter.width().filter(|_| is_seen(letter)) {
            Some(columns) => {
                shown.push(letter);
                width += columns;
            }
            None => {
                let _ = write!(shown, "{}", letter.escape_unicode());
                width += shown.len() - start;
            }
        }
        if width > columns {
            shown.truncate(start);
            while self::width(&shown) + 3 > columns && shown.pop().is_some() {}
            shown.push_str("...");
            break;
        }
    }
    shown
}

/// Returns how many columns a harmless text takes.
pub fn width(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_written_as_its_number() {
        assert_eq!(harmless("a\u{1b}[2Jb\r\n\t\u{7}", 80), r"a\u{1b}[2Jb\u{d}\u{a}\u{9}\u{7}");
        assert_eq!(harmless("\u{9b}31m\u{202e}abc\u{200b}", 80), r"\u{9b}31m\u{202e}abc\u{200b}");
        assert_eq!(harmless("e\u{301}", 80), r"e\u{301}");
        assert_eq!(harmless("<b>J\u{fc}rgen \u{7f8a}</b>", 80), "<b>J\u{fc}rgen \u{7f8a}</b>");
    }

    #[test]
    fn what_is_too_much_is_cut_and_says_so() {
        assert_eq!(harmless(&"x".repeat(10_000), 10), "xxxxxxx...");
        assert_eq!(harmless(&"x".repeat(10), 10), "x".repeat(10));
        assert_eq!(harmless(&"\u{7f8a}".repeat(10), 10), "\u{7f8a}\u{7f8a}\u{7f8a}...");
        assert_eq!(harmless(&"\u{1b}".repeat(10_000), 10), r"\u{1b}...");
        for columns in 3..20 {
            assert!(
                width(&harmless("ab\u{7f8a}\u{1b}\u{7f8a}c\u{7}\u{7f8a}\u{7f8a}defghijk", columns))
                    <= columns
            );
        }
    }
}
