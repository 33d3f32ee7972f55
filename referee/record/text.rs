//! Text from strangers (names, output of bots, messages of the system), made harmless before it is shown.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use unicode_width::UnicodeWidthChar;

pub use crate::letters::{VisibleLetters, is_visible};

/// The longest name that is shown, in columns.
pub const NAME: usize = 40;

/// The longest sentence that is shown, in columns.
pub const SENTENCE: usize = 400;

/// The longest line of a program's standard error that is shown, in columns.
pub const LINE: usize = 2000;

/// Tells whether a text has letters or digits of a script from right to left.
pub fn has_right_to_left(text: &str) -> bool {
    let is_from_right = |letter| {
        matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
            || matches!(letter, '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
    };
    text.chars().any(is_from_right)
}

/// Returns a line for a page that is not HTML. Each name from right to left in it is set apart by isolates (U+2068 and
/// U+2069), so that words and numbers around it keep their places.
pub fn apart(line: &str) -> Cow<'_, str> {
    if !has_right_to_left(line) {
        return Cow::Borrowed(line);
    }
    let is_of_name =
        |letter: char| !letter.is_ascii() || letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let mut marked = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(is_of_name) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|letter| !is_of_name(letter)).unwrap_or(from.len()));
        marked.push_str(before);
        if has_right_to_left(word) {
            marked.extend(["\u{2068}", word, "\u{2069}"]);
        } else {
            marked.push_str(word);
        }
        rest = after;
    }
    Cow::Owned(marked + rest)
}

/// Returns a line that a program wrote, of any bytes, made harmless: without its end, with four blanks for a tab, and
/// cut after [`LINE`] columns.
pub fn harmless_line(bytes: &[u8]) -> String {
    harmless(&String::from_utf8_lossy(bytes).trim_end().replace('\t', "    "), LINE)
}

/// Returns a text of at most this number of columns in which each character is visible at its place. Characters that
/// steer a terminal, change the direction of writing, take no room or merge with the one before are written as their
/// numbers; marks of letters stay where a name can have them. The rest of a text that is too long is cut off.
pub fn harmless(text: &str, columns: usize) -> String {
    let mut shown = String::new();
    let (mut width, mut visible) = (0, VisibleLetters::default());
    for letter in text.chars() {
        let start = shown.len();
        match letter.width() {
            Some(letter_width) if visible.takes(letter) => {
                shown.push(letter);
                width += letter_width;
            }
            _ => {
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

/// Returns a text for a public record: without the paths of the host, except those of the system's own programs and
/// libraries, which are the same everywhere.
pub fn without_host_paths(text: &str) -> String {
    let mut cleaned = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, path) = rest.split_at(at);
        cleaned.push_str(before);
        let is_inside = before.ends_with(|last: char| last.is_alphanumeric() || "._-/~*\\%".contains(last));
        let ends_path = |(at, letter): &(usize, char)| {
            if !letter.is_whitespace() {
                return "\"'`():;,<>[]{}|".contains(*letter);
            }
            // A name with blanks goes on where a further folder follows.
            let next_word = path[at + letter.len_utf8()..].split([' ', ':', ',']).next().unwrap_or_default();
            let is_further_folder =
                next_word.contains('/') && !next_word.starts_with('/') && !next_word.contains("//");
            !is_further_folder
        };
        let end = path.char_indices().find(ends_path).map_or(path.len(), |(end, _)| end);
        let (path, after) = path.split_at(end);
        let is_of_the_system =
            ["/usr/", "/bin/", "/sbin/", "/lib", "/nix/store/", "/etc/", "/dev/", "/proc/", "/bot/"]
                .iter()
                .any(|folder| path.starts_with(folder))
                && !path.contains("/..");
        let is_path = !is_inside && path.len() > 1 && !path.starts_with("//");
        cleaned.push_str(if is_path && !is_of_the_system { HOST_PATH } else { path });
        rest = after;
    }
    cleaned + rest
}

/// The words of a public record for a path of the host.
const HOST_PATH: &str = "(a path of the host)";

/// Returns a number of things in words: `1 game`, `2 games`, `3 batches`.
pub fn count(number: u64, thing: &str) -> String {
    let ending = match thing {
        _ if number == 1 => "",
        thing if thing.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{number} {thing}{ending}")
}

/// Returns a number of bytes in KiB, MiB or GiB, rounded down.
pub fn size(bytes: u64) -> String {
    match bytes {
        ..0x10_0000 => format!("{} KiB", bytes >> 10),
        0x10_0000..0x4000_0000 => format!("{} MiB", bytes >> 20),
        _ => format!("{} GiB", bytes >> 30),
    }
}

/// Encodes a part of a link: bytes that are not unreserved (RFC 3986, section 2.3) become `%` and two hexadecimal
/// digits.
pub fn percent_encoded(part: &[u8]) -> String {
    let encoded = |byte: &u8| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'~' => char::from(*byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    part.iter().map(encoded).collect()
}

/// Returns a text with blanks behind it, so that it fills this number of columns.
pub fn padded(text: &str, columns: usize) -> String {
    format!("{text}{:blanks$}", "", blanks = columns.saturating_sub(width(text)))
}

/// Returns the number of columns of a harmless text.
pub fn width(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

/// Returns a text in which invisible characters are written as their numbers, except line ends and tabs.
pub fn visible(text: &str) -> Cow<'_, str> {
    shown(text, |letter| matches!(letter, '\n' | '\t'))
}

/// Returns a text as one line, in which invisible characters are written as their numbers.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    shown(text, |_| false)
}

/// Returns a path as a shell takes it, for commands that users can copy.
pub fn shell(path: &Path) -> String {
    let Some(text) = path.to_str().map(str::to_owned) else {
        // No text: bash and zsh read the bytes so.
        let bytes = path.as_os_str().as_encoded_bytes().iter();
        let byte = |byte: &u8| match byte {
            b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
            b' '..=b'~' => char::from(*byte).to_string(),
            _ => format!("\\x{byte:02x}"),
        };
        return format!("$'{}'", bytes.map(byte).collect::<String>());
    };
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+".contains(&byte));
    if plain && !text.is_empty() { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Returns a text as one line: control characters are written as their numbers, all others stay.
pub fn one_line(text: &str) -> Cow<'_, str> {
    shown(text, |letter| !letter.is_control())
}

/// Returns a text in which all characters are written as their numbers that are neither visible at their place nor
/// allowed.
fn shown(text: &str, is_allowed: impl Fn(char) -> bool) -> Cow<'_, str> {
    let mut visible = VisibleLetters::default();
    if text.chars().all(|letter| visible.takes(letter) || is_allowed(letter)) {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut visible) = (String::with_capacity(text.len() + 16), VisibleLetters::default());
    for letter in text.chars() {
        if visible.takes(letter) || is_allowed(letter) {
            shown.push(letter);
        } else {
            let _ = write!(shown, "{}", letter.escape_unicode());
        }
    }
    Cow::Owned(shown)
}

/// Returns the same JSON with invisible characters, except line ends, as `\u` escapes.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    let mut visible = VisibleLetters::default();
    if json.chars().all(|letter| visible.takes(letter) || letter == '\n') {
        return Cow::Borrowed(json);
    }
    let (mut shown, mut visible) = (String::with_capacity(json.len() + 16), VisibleLetters::default());
    for letter in json.chars() {
        if visible.takes(letter) || letter == '\n' {
            shown.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        }
    }
    Cow::Owned(shown)
}

/// Returns a stranger's text as a cell of a table: in one line, and with `'` before a sign that makes a formula of it
/// in a spreadsheet (`=`, `+`, `-`, `@`, and the wide forms of these). Not for numbers.
pub fn cell(text: &str) -> Cow<'_, str> {
    const BEGIN_FORMULAS: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    let shown = visible_line(text);
    if text.starts_with(BEGIN_FORMULAS) || text.starts_with(['\t', '\r', '\n']) {
        Cow::Owned(format!("'{shown}"))
    } else {
        shown
    }
}

/// Breaks a text into lines of at most `columns_max` columns, between words if possible.
pub fn wrap(text: &str, columns_max: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        if used > 0 && used + 1 + width(word) <= columns_max {
            line.push(' ');
            used += 1;
        } else if used > 0 {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        for letter in word.chars() {
            let columns = width(letter.encode_utf8(&mut [0; 4]));
            if used + columns > columns_max && used > 0 {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(letter);
            used += columns;
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_text_names_no_path_of_the_host() {
        for (text, expected) in [
            ("/srv/ann/bots/x: damaged", "(a path of the host): damaged"),
            (
                "show /srv/hill/store/ab12: Operation not permitted (os error 1)",
                "show (a path of the host): Operation not permitted (os error 1)",
            ),
            (
                "it is '/opt/x y/z' (/tmp/referee-bot-1)",
                "it is '(a path of the host)' ((a path of the host))",
            ),
            ("a=/srv/ann,b", "a=(a path of the host),b"),
            ("/srv/ann/my bots/x belongs to user 1", "(a path of the host) belongs to user 1"),
            ("/usr/bin/python3 is not listed", "/usr/bin/python3 is not listed"),
            ("/usr/../srv/ann is", "(a path of the host) is"),
            (
                "libfoo.so.1 in /lib/x and/or 3/4, n/a, https://example.org/a",
                "libfoo.so.1 in /lib/x and/or 3/4, n/a, https://example.org/a",
            ),
            ("a / b", "a / b"),
            ("", ""),
        ] {
            assert_eq!(without_host_paths(text), expected);
            assert_eq!(without_host_paths(expected), expected, "once is enough");
        }
    }

    #[test]
    fn a_name_from_right_to_left_is_set_apart_wherever_it_is_in_a_line() {
        let name = "\u{5d1}\u{5d5}\u{5d8}-2";
        let set = format!("\u{2068}{name}\u{2069}");
        let digits = "\u{661}\u{662}";
        for (line, expected) in [
            (name.to_owned(), set.clone()),
            (format!("1. {name} 26, 2. fox 0"), format!("1. {set} 26, 2. fox 0")),
            (
                format!("no clear winner ({name} v1, {name} v2)."),
                format!("no clear winner ({set} v1, {set} v2)."),
            ),
            (format!("{digits}: 3"), format!("\u{2068}{digits}\u{2069}: 3")),
            ("fox 26, \u{5317}\u{4eac} 0".to_owned(), "fox 26, \u{5317}\u{4eac} 0".to_owned()),
            (String::new(), String::new()),
        ] {
            assert_eq!(apart(&line), expected);
        }
    }

    #[test]
    fn what_steers_a_terminal_is_written_as_its_number() {
        assert_eq!(harmless("a\u{1b}[2Jb\r\n\t\u{7}", 80), r"a\u{1b}[2Jb\u{d}\u{a}\u{9}\u{7}");
        assert_eq!(harmless("\u{9b}31m\u{202e}abc\u{200b}", 80), r"\u{9b}31m\u{202e}abc\u{200b}");
        assert_eq!(harmless("e\u{301}", 80), r"e\u{301}");
        assert_eq!(harmless("<b>J\u{fc}rgen \u{7f8a}</b>", 80), "<b>J\u{fc}rgen \u{7f8a}</b>");
    }

    #[test]
    fn one_is_not_many() {
        let counts =
            [count(0, "game"), count(1, "game"), count(2, "game"), count(1, "batch"), count(3, "batch")];
        assert_eq!(counts, ["0 games", "1 game", "2 games", "1 batch", "3 batches"]);
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

    #[test]
    fn what_is_not_seen_is_written_as_its_number() {
        let strange =
            ['\0', '\u{7}', '\u{1b}', '\u{7f}', '\u{80}', '\u{9b}', '\u{9f}', '\u{200b}', '\u{200f}'];
        let more = ['\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{2028}', '\u{2029}', '\u{feff}', '\r'];
        for letter in strange.into_iter().chain(more) {
            let text = format!("a{letter}b");
            let expected = format!("a{}b", letter.escape_unicode());
            assert_eq!(
                (&*visible(&text), &*visible_line(&text), &*cell(&text)),
                (&*expected, &*expected, &*expected)
            );
            let json = serde_json::to_string(&text).unwrap();
            let shown = visible_json(&json);
            assert!(shown.chars().all(is_visible), "{shown}");
            assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
        }
        assert_eq!(visible("a\n\tJ\u{fc}rgen \u{7f8a}"), "a\n\tJ\u{fc}rgen \u{7f8a}");
        assert_eq!(visible_line("a\nb"), r"a\u{a}b");
        assert_eq!(one_line("a\r\nb\u{200b}\u{9b}"), "a\\u{d}\\u{a}b\u{200b}\\u{9b}");
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

    #[test]
    fn lines_break_between_words_where_they_can() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("one", 7), ["one"]);
        assert_eq!(wrap("", 7), [""]);
        assert_eq!(wrap("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(wrap("\u{7f8a}\u{7f8a}\u{7f8a}", 4), ["\u{7f8a}\u{7f8a}", "\u{7f8a}"]);
    }
}
