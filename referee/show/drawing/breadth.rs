//! An estimate of the breadth of a text in a drawing, by the letters of usual fonts without serifs: a drawing is made
//! before its font is known.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

/// Returns the breadth of a letter, as a part of the size of its font. The estimate is rather too large than too small.
fn letter(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '|' | '\'' | '!' => 0.36,
        'f' | 't' | 'r' | ' ' | '(' | ')' | '-' => 0.44,
        'm' | 'W' | 'M' | '%' | '@' => 1.0,
        'w' | '…' => 0.9,
        'A'..='Z' | '_' => 0.79,
        '\0'..='\x7f' => 0.63,
        letter => match letter.width().unwrap_or(0) {
            0 => 0.0,
            1 => 0.85,
            _ => 1.0,
        },
    }
}

/// Returns the breadth of a text in a font of this size, in pixels.
pub fn of_text(text: &str, size: f64) -> f64 {
    text.chars().map(letter).sum::<f64>() * size
}

/// Returns a text that fits into this many pixels. A longer one loses its middle, since names of one author often begin
/// alike: about two fifths of the room are for its end.
pub fn fitting(text: &str, room: f64, size: f64) -> Cow<'_, str> {
    if of_text(text, size) <= room {
        return Cow::Borrowed(text);
    }
    // Returns the number of bytes of the first letters that fit.
    let fit = |letters: &mut dyn Iterator<Item = char>, room: f64| -> usize {
        let (mut breadth, mut bytes) = (0.0, 0);
        for one in letters {
            breadth += letter(one) * size;
            if breadth > room {
                break;
            }
            bytes += one.len_utf8();
        }
        bytes
    };
    let left = (room - of_text("…", size)).max(0.0);
    let start = fit(&mut text.chars(), left * 0.6);
    let end = text.len() - fit(&mut text.chars().rev(), left * 0.4);
    Cow::Owned(format!("{}…{}", &text[..start], &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_does_not_fit_loses_its_middle_whatever_its_letters() {
        for name in [
            "the-quick-brown-fox-jumps-over-it",
            &"W".repeat(32),
            &"i".repeat(90),
            &"北".repeat(20),
            "נמר-של-צפון-ועוד-אחד-ארוך",
        ] {
            let short = fitting(name, 130.0, 13.0);
            assert!(of_text(&short, 13.0) <= 130.0, "{short}");
            assert!(short.contains('…') && of_text(&short, 13.0) > 80.0, "{short}");
            let (start, end) = short.split_once('…').expect("a gap");
            assert!(name.starts_with(start) && name.ends_with(end) && !end.is_empty(), "{short}");
        }
        assert_eq!(fitting("fox", 130.0, 13.0), "fox");
        assert_eq!(fitting("fox", 0.0, 13.0), "…");
    }
}
