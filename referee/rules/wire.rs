//! Integers to lines, and lines to integers. It depends on no game and on no pipe.
//!
//! A question is `n v1 ... vn`; an answer is integers between blanks, with an optional tag `@i` first.

use crate::Malformed;

/// Maximum length of an answer line, in bytes, without its newline.
pub const LINE_MAX: usize = 64 * 1024;

/// Appends integers, each with a blank before it.
pub fn push_integers(line: &mut Vec<u8>, integers: &[i64]) {
    // Boards are mostly single digits, most of them small: eight integers are checked and written at once.
    let (eights, rest) = integers.as_chunks::<8>();
    for eight in eights {
        if eight.iter().fold(0, |all, value| all | value) & !7 == 0 {
            let [a, b, c, d, e, f, g, h] = *eight;
            let text = [four_digits([a, b, c, d]), four_digits([e, f, g, h])];
            line.extend_from_slice(text.as_flattened());
        } else if !push_eight_small(line, eight) {
            eight.iter().for_each(|&value| push_integer(line, value));
        }
    }
    rest.iter().for_each(|&value| push_integer(line, value));
}

/// Returns four digits as text, each with a blank before it.
fn four_digits(digits: [i64; 4]) -> [u8; 8] {
    const ZEROS: u64 = u64::from_le_bytes(*b" 0 0 0 0");
    let [a, b, c, d] = digits.map(|digit| digit as u64);
    (ZEROS + (a << 8) + (b << 24) + (c << 40) + (d << 56)).to_le_bytes()
}

/// Appends eight integers, each with a blank before it, if all of them are small; otherwise nothing.
#[inline(never)] // inlined, its registers would slow down the loop over boards
fn push_eight_small(line: &mut Vec<u8>, eight: &[i64; 8]) -> bool {
    let mut text = [0; 8 * SMALL_TEXT];
    let mut end = 0;
    for &value in eight {
        let Some(small) = small(value) else { return false };
        text[end..][..SMALL_TEXT].copy_from_slice(&small.text);
        end += usize::from(small.length);
    }
    line.extend_from_slice(&text[..end]);
    true
}

/// Appends a blank and an integer.
fn push_integer(line: &mut Vec<u8>, value: i64) {
    match small(value) {
        Some(Small { text, length }) => push_start(line, text, *length),
        None => {
            line.push(b' ');
            push_great(line, value);
        }
    }
}

/// Appends an integer.
#[inline]
pub fn push_number(line: &mut Vec<u8>, value: i64) {
    match small(value) {
        Some(small) => push_small(line, small),
        None => push_great(line, value),
    }
}

/// Appends a small integer, without the blank.
#[inline]
fn push_small(line: &mut Vec<u8>, Small { text: [_, text @ ..], length }: &Small) {
    push_start(line, text, length - 1);
}

/// Appends the first `length` bytes of a text. A copy of constant length needs no call: everything is copied,
/// then cut off.
#[inline]
fn push_start<const LENGTH: usize>(line: &mut Vec<u8>, text: &[u8; LENGTH], length: u8) {
    let end = line.len() + usize::from(length);
    line.extend_from_slice(text);
    line.truncate(end);
}

/// Appends an integer that is not small.
fn push_great(line: &mut Vec<u8>, value: i64) {
    if value > 0
        && let Some(thousands) = small(value / 1000)
        && let Some(Small { text: [_, _, digits @ .., _, _, _], .. }) = small(1000 + value % 1000)
    {
        push_small(line, thousands);
        // The text of 1000 plus the rest ends with three digits.
        line.extend_from_slice(digits);
        return;
    }
    let mut text = [0; 20];
    let mut start = text.len();
    let mut left = value.unsigned_abs();
    loop {
        start -= 1;
        text[start] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if value < 0 {
        start -= 1;
        text[start] = b'-';
    }
    line.extend_from_slice(&text[start..]);
}

/// A small integer as text, with a blank before it.
#[derive(Clone, Copy)]
struct Small {
    text: [u8; SMALL_TEXT],
    length: u8,
}

/// The size of the text of a small integer; a copy of this constant length is fast.
const SMALL_TEXT: usize = 8;

/// The least integer with a prepared text. Foosball shows benched men of the other team as -100.
const SMALL_MIN: i64 = -128;

/// Number of integers with a prepared text.
const SMALL_COUNT: usize = 2000 + SMALL_MIN.unsigned_abs() as usize;

/// The text of every integer from [`SMALL_MIN`] to 1999. Football's orders go up to 1032. From 1000 to 1999,
/// each text ends with another group of three digits, from which greater numbers are made.
static SMALL: [Small; SMALL_COUNT] = small_integers();

/// Returns the text of an integer if it is prepared.
#[inline]
fn small(value: i64) -> Option<&'static Small> {
    SMALL.get(value.wrapping_sub(SMALL_MIN) as usize)
}

const fn small_integers() -> [Small; SMALL_COUNT] {
    let mut table = [Small { text: [b' '; SMALL_TEXT], length: 0 }; SMALL_COUNT];
    let mut index = 0;
    while index < table.len() {
        let value = index as i64 + SMALL_MIN;
        let mut left = value.unsigned_abs();
        let digits = if left == 0 { 1 } else { left.ilog10() as usize + 1 };
        let mut place = 1 + digits;
        if value < 0 {
            table[index].text[1] = b'-';
            place += 1;
        }
        table[index].length = place as u8;
        let mut more = digits;
        while more > 0 {
            more -= 1;
            place -= 1;
            table[index].text[place] = b'0' + (left % 10) as u8;
            left /= 10;
        }
        index += 1;
    }
    table
}

/// Appends integers with single blanks between them.
pub fn push_joined(line: &mut Vec<u8>, integers: &[i64]) {
    if let [first, rest @ ..] = integers {
        push_number(line, *first);
        push_integers(line, rest);
    }
}

/// Appends a whole question: the count, the seat's own integers, then `shared`, which is already written
/// (`shared_count` integers, each with a blank before it), and a newline.
pub fn push_question(line: &mut Vec<u8>, own: &[i64], shared: &[u8], shared_count: usize) {
    push_number(line, (own.len() + shared_count) as i64);
    push_integers(line, own);
    line.extend_from_slice(shared);
    line.push(b'\n');
}

/// Splits the tag `@i` off a line: the number of the question that the line answers, and the rest.
///
/// A line without a tag, or with something after the `@` that is not a number, is returned whole.
pub fn split_tag(line: &[u8]) -> (Option<u64>, &[u8]) {
    let whole = (None, line);
    let Some(tagged) = trim_start(line).strip_prefix(b"@") else { return whole };
    let digits = tagged.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = tagged.split_at(digits);
    if digits == 0 || rest.first().is_some_and(|byte| !is_blank(*byte)) {
        return whole;
    }
    // A number too high to be parsed is a question that was never asked, like any other number that is too
    // high.
    let number =
        number.iter().fold(0u64, |n, digit| n.saturating_mul(10).saturating_add(u64::from(digit - b'0')));
    (Some(number), rest)
}

/// Reads the integers of a line (without tag and newline) and appends them.
///
/// Any run of blanks, tabs and carriage returns separates; a sign is allowed.
///
/// # Errors
///
/// The first word that is not an integer of 64 bits. Integers that were read before it stay appended.
pub fn read_integers(line: &[u8], integers: &mut Vec<i64>) -> Result<(), Malformed> {
    let mut rest = trim_start(line);
    while !rest.is_empty() {
        if let Some((integer, after)) = read_short(rest, is_blank) {
            integers.push(integer);
            rest = trim_start(after);
            continue;
        }
        let end = rest.iter().position(|byte| is_blank(*byte)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        integers.push(read_integer(word).ok_or_else(|| not_an_integer(word, integers.len()))?);
        rest = trim_start(after);
    }
    Ok(())
}

/// Reads a word of one to eight digits, without a sign, up to a byte that `ends` it or the end of the line.
/// Returns the integer and the rest of the line after that byte. `None` for any other word, which can still
/// be an integer.
#[inline]
pub fn read_short(line: &[u8], ends: impl Fn(u8) -> bool) -> Option<(i64, &[u8])> {
    // Eight digits, and the byte after them.
    const BYTES_MAX: usize = 9;
    let mut value = 0;
    for (length, byte) in line.iter().take(BYTES_MAX).enumerate() {
        match byte {
            b'0'..=b'9' => value = 10 * value + i64::from(byte - b'0'),
            byte if length > 0 && ends(*byte) => return Some((value, &line[length + 1..])),
            _ => return None,
        }
    }
    if (1..BYTES_MAX).contains(&line.len()) { Some((value, &[])) } else { None }
}

fn read_integer(word: &[u8]) -> Option<i64> {
    let (negative, digits) = match word {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value: i64 = 0;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        // Built up as a negative number: the negative range has one more value.
        value = value.checked_mul(10)?.checked_sub(i64::from(digit))?;
    }
    if negative { Some(value) } else { value.checked_neg() }
}

fn not_an_integer(word: &[u8], before: usize) -> Malformed {
    const SHOWN: usize = 24;
    let dots = if word.len() > SHOWN { "..." } else { "" };
    let shown = word[..word.len().min(SHOWN)].escape_ascii();
    Malformed::new(format!("word {} is not an integer: {shown}{dots}", before + 1))
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

fn trim_start(line: &[u8]) -> &[u8] {
    &line[line.iter().take_while(|byte| is_blank(**byte)).count()..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(line: &str) -> Result<Vec<i64>, String> {
        let mut integers = Vec::new();
        read_integers(line.as_bytes(), &mut integers).map_err(|malformed| malformed.to_string())?;
        Ok(integers)
    }

    #[test]
    fn blanks_tabs_signs_and_a_carriage_return_are_tolerated() {
        assert_eq!(read(" \t1  -2\t+3 007\r"), Ok(vec![1, -2, 3, 7]));
        assert_eq!(read(""), Ok(vec![]));
        assert_eq!(read("-9223372036854775808 9223372036854775807"), Ok(vec![i64::MIN, i64::MAX]));
    }

    #[test]
    fn what_is_no_integer_is_named() {
        assert_eq!(read("1 2x 3").unwrap_err(), "word 2 is not an integer: 2x");
        for bad in ["-", "+", "1.0", "0x1", "--1", "9223372036854775808", "1,2", "\0", "1\u{a0}2", "١"] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
        let long = "z".repeat(9999);
        assert_eq!(read(&long).unwrap_err(), format!("word 1 is not an integer: {}...", &long[..24]));
    }

    #[test]
    fn a_tag_is_a_number_right_after_the_sign() {
        assert_eq!(split_tag(b"@12 3 4"), (Some(12), &b" 3 4"[..]));
        assert_eq!(split_tag(b" @1\r"), (Some(1), &b"\r"[..]));
        assert_eq!(split_tag(b"@99999999999999999999999 0").0, Some(u64::MAX));
        for untagged in [&b"3 4"[..], b"@ 3", b"@x", b"@3x 1", b"@-3 1", b""] {
            assert_eq!(split_tag(untagged), (None, untagged));
        }
    }

    #[test]
    fn a_question_begins_with_its_count() {
        let mut shared = Vec::new();
        push_integers(&mut shared, &[5, -6]);
        let mut line = Vec::new();
        push_question(&mut line, &[17], &shared, 2);
        assert_eq!(line, b"3 17 5 -6\n");
    }

    proptest! {
        #[test]
        fn integers_come_back_as_they_were_written(integers: Vec<i64>) {
            let mut line = Vec::new();
            push_joined(&mut line, &integers);
            let text: Vec<String> = integers.iter().map(i64::to_string).collect();
            prop_assert_eq!(String::from_utf8(line.clone()).unwrap(), text.join(" "));
            prop_assert_eq!(read(&text.join(" ")), Ok(integers));
        }

        #[test]
        fn small_integers_are_written_like_all_others(
            some in proptest::collection::vec(-1i64..12, 0..40),
            small in proptest::collection::vec(-150i64..2_200, 0..80),
            great in proptest::collection::vec(0i64..3_000_000, 0..40),
            board in proptest::collection::vec(0i64..9, 0..200),
        ) {
            let integers = [some, small, great, board].concat();
            let mut line = Vec::new();
            push_joined(&mut line, &integers);
            let text: Vec<String> = integers.iter().map(i64::to_string).collect();
            prop_assert_eq!(String::from_utf8(line).unwrap(), text.join(" "));
        }

        #[test]
        fn no_line_makes_the_reader_panic(line: Vec<u8>) {
            let (_, rest) = split_tag(&line);
            let _ = read_integers(rest, &mut Vec::new());
        }
    }
}
