//! Integers to lines, and lines to integers. Pure: it knows no game and no pipe.
//!
//! A question is `n v1 ... vn`; an answer is integers between blanks, with an optional tag `@i` first.

use crate::rules::Malformed;

/// The longest answer line, in bytes, without its newline.
pub const LINE_MAX: usize = 64 * 1024;

/// Appends integers, each with a blank before it.
pub fn push_integers(line: &mut Vec<u8>, integers: &[i64]) {
    // Boards are mostly single digits, most of them small: eight of them are looked at and written at once.
    let (eights, rest) = integers.as_chunks::<8>();
    for eight in eights {
        if eight.iter().fold(0, |all, value| all | value) & !7 == 0 {
            let [a, b, c, d, e, f, g, h] = *eight;
            let text = [four_digits([a, b, c, d]), four_digits([e, f, g, h])];
            line.extend_from_slice(text.as_flattened());
        } else {
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

/// Appends a blank and an integer.
fn push_integer(line: &mut Vec<u8>, value: i64) {
    line.push(b' ');
    push_number(line, value);
}

/// Appends an integer.
pub fn push_number(line: &mut Vec<u8>, value: i64) {
    const MANY: usize = SMALL.len();
    match usize::try_from(value) {
        Ok(value) if value < MANY => push_small(line, value),
        Ok(value) if value < MANY * 1000 => {
            push_small(line, value / 1000);
            // The text of 1000 and what is left ends with three digits.
            let [_, digits @ .., _, _] = &SMALL[1000 + value % 1000].text;
            line.extend_from_slice(digits);
        }
        _ => push_great(line, value),
    }
}

/// Appends a small integer: its text is ready.
fn push_small(line: &mut Vec<u8>, value: usize) {
    let Small { text, length } = SMALL[value];
    // A copy whose length is known takes no call.
    let end = line.len() + usize::from(length);
    line.extend_from_slice(&text);
    line.truncate(end);
}

fn push_great(line: &mut Vec<u8>, value: i64) {
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

/// A small integer as text.
#[derive(Clone, Copy)]
struct Small {
    text: [u8; 6],
    length: u8,
}

/// The text of every integer up to the greatest order of football, and of all with three digits behind a 1.
static SMALL: [Small; 2000] = small_integers();

const fn small_integers() -> [Small; 2000] {
    let mut table = [Small { text: [0; 6], length: 0 }; 2000];
    let mut value = 0;
    while value < table.len() {
        let length = if value == 0 { 1 } else { value.ilog10() as usize + 1 };
        table[value].length = length as u8;
        let mut left = value;
        let mut place = length;
        while place > 0 {
            place -= 1;
            table[value].text[place] = b'0' + (left % 10) as u8;
            left /= 10;
        }
        value += 1;
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
/// A line without a tag, or with something after the `@` that is no number, comes back whole.
pub fn split_tag(line: &[u8]) -> (Option<u64>, &[u8]) {
    let whole = (None, line);
    let Some(tagged) = trim_start(line).strip_prefix(b"@") else { return whole };
    let digits = tagged.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = tagged.split_at(digits);
    if digits == 0 || rest.first().is_some_and(|byte| !is_blank(*byte)) {
        return whole;
    }
    // A number past all counting is a question that was never put, like any other too high one.
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
/// Names the first thing that is no integer of 64 bits. What was appended before it is to be thrown away.
pub fn read_integers(line: &[u8], integers: &mut Vec<i64>) -> Result<(), Malformed> {
    let mut rest = trim_start(line);
    while !rest.is_empty() {
        if let Some((integer, after)) = read_short(rest) {
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

/// Reads what most words are: a few digits, with a blank or nothing behind them.
fn read_short(line: &[u8]) -> Option<(i64, &[u8])> {
    const DIGITS_MAX: usize = 9;
    let mut value = 0;
    for (length, byte) in line.iter().take(DIGITS_MAX).enumerate() {
        match byte {
            b'0'..=b'9' => value = 10 * value + i64::from(byte - b'0'),
            byte if length > 0 && is_blank(*byte) => return Some((value, &line[length + 1..])),
            _ => return None,
        }
    }
    (line.len() < DIGITS_MAX).then_some((value, &[]))
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
        // Built up below zero, where there is room for one more.
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
        fn single_digits_are_written_like_all_others(
            some in proptest::collection::vec(-1i64..12, 0..40),
            great in proptest::collection::vec(0i64..3_000_000, 0..40),
            board in proptest::collection::vec(0i64..9, 0..200),
        ) {
            let integers = [some, great, board].concat();
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
