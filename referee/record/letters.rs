//! Characters from strangers, one by one: which of them are visible at their place, and which can be in names.

use unicode_normalization::char::is_combining_mark;
use unicode_security::GeneralSecurityProfile;
use unicode_security::general_security_profile::IdentifierType;
use unicode_width::UnicodeWidthChar;

/// Maximum number of marks on a letter: more of them reach into the lines above and below.
const MARKS_MAX: usize = 4;

/// Tells whether a character is visible at its place: it does not steer a terminal or change the direction of
/// writing, and it takes room.
pub fn is_visible(letter: char) -> bool {
    matches!(letter, ' '..='~') || letter.width().is_some_and(|width| width > 0) && !is_format(letter)
}

/// Checks a text character by character. It knows of the text so far what matters for the next character.
#[derive(Clone, Copy, Debug, Default)]
pub struct VisibleLetters {
    /// Whether the last character, without its marks, is a letter that can have marks.
    has_letter: bool,
    /// How many marks it has.
    marks: usize,
}

impl VisibleLetters {
    /// Tells whether the next character is visible at its place: as [`is_visible`], or a mark of the letter before it,
    /// in a script that is written with such marks.
    pub fn takes(&mut self, letter: char) -> bool {
        if letter.is_ascii() {
            *self = VisibleLetters::default();
            return is_visible(letter);
        }
        if is_mark(letter) {
            self.marks += 1;
            return self.has_letter && self.marks <= MARKS_MAX;
        }
        *self = VisibleLetters { has_letter: letter.is_alphabetic(), marks: 0 };
        is_visible(letter)
    }
}

/// Tells whether a character with a width shows nothing, or moves others about.
fn is_format(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}')
        || matches!(letter, '\u{fffe}'..='\u{ffff}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

/// Tells whether a character outside of ASCII can be in a name: a letter, a mark or a digit of any script that is not
/// just another spelling of one, and is not hidden. `false` for all characters of ASCII.
pub(crate) fn is_foreign_letter(letter: char) -> bool {
    use IdentifierType::{Exclusion, Limited_Use, Recommended, Uncommon_Use};
    let is_usual =
        || matches!(letter.identifier_type(), Some(Recommended | Uncommon_Use | Limited_Use | Exclusion));
    !letter.is_ascii()
        && (letter.is_alphanumeric() || is_combining_mark(letter))
        && is_usual()
        && (is_combining_mark(letter) || is_visible(letter))
}

/// Tells whether this is a mark of a letter before it, as names can have it.
fn is_mark(letter: char) -> bool {
    is_combining_mark(letter) && is_foreign_letter(letter)
}
