//! Mutations: an attacker's changes to a valid file.

use crate::random::Random;

/// Numbers at which arithmetic goes wrong, and words that are not numbers.
const NUMBERS: [&str; 26] = [
    "-1",
    "0",
    "1",
    "007",
    "+1",
    "-0",
    "255",
    "256",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1000000000000000000000000000000",
    "1e9",
    "1.5",
    "NaN",
    "inf",
    "-inf",
    "0x10",
    "",
];

/// Texts that are meaningful to some reader.
const WORDS: [&[u8]; 24] = [
    b"\"",
    b"\"\"",
    b"'",
    b",",
    b",,,,",
    b"\n",
    b"\r\n",
    b"\n\n",
    b"\0",
    b"\x1b[2J",
    b"\xff\xfe",
    b"\xc3",
    b"\xe2\x80\xae",
    b"=cmd()",
    b"../../../etc/passwd",
    b"/dev/zero",
    b".",
    b"#",
    b"=",
    b"[",
    b"]",
    b"[[entrant]]\n",
    b"\t",
    b" ",
];

/// Returns a text with one to four mutations; `other` contributes parts.
pub(super) fn mutated(bytes: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..random.between(1, 4) {
        bytes = once(bytes, other, random);
    }
    bytes
}

fn once(mut bytes: Vec<u8>, other: &[u8], random: &mut Random) -> Vec<u8> {
    let at = random.below(bytes.len() + 1);
    match random.below(14) {
        0 => flip(&mut bytes, random),
        1 => bytes.truncate(at),
        2 => splice(&mut bytes, other, random),
        3 | 4 => replace_number(&mut bytes, random),
        5 => drop(bytes.splice(at..at, random.pick(&WORDS).iter().copied())),
        6 => drop(bytes.splice(at..at, vec![b'9'; random.below(100_000)])),
        7 => return rows(&bytes, random),
        8 | 9 => return columns(&bytes, random),
        10 => return replaced(&bytes, b"\n", b"\r\n"),
        11 => field(&mut bytes, random),
        12 => {
            let end = (at + random.below(64)).min(bytes.len());
            bytes.drain(at..end);
        }
        _ => {
            let end = (at + random.below(4096)).min(bytes.len());
            let part = bytes[at..end].to_vec();
            bytes.splice(at..at, part.repeat(1 + random.below(3)));
        }
    }
    bytes
}

fn flip(bytes: &mut [u8], random: &mut Random) {
    for _ in 0..random.between(1, 8) {
        if !bytes.is_empty() {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
    }
}

/// The beginning of one and the end of the other.
fn splice(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    bytes.truncate(random.below(bytes.len() + 1));
    bytes.extend_from_slice(&other[random.below(other.len() + 1)..]);
}

/// Replaces one of the numbers with an extreme.
fn replace_number(bytes: &mut Vec<u8>, random: &mut Random) {
    let from = random.below(bytes.len() + 1);
    let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit).map(|at| from + at) else { return };
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number: Vec<u8> = match random.below(3) {
        // One more or less is the mistake that looks right.
        0 if length < 18 => {
            let text = std::str::from_utf8(&bytes[start..start + length]).expect("digits");
            let number: i64 = text.parse().expect("a short number");
            (number + random.pick(&[-1, 1])).to_string().into_bytes()
        }
        _ => random.pick(&NUMBERS).as_bytes().to_vec(),
    };
    bytes.splice(start..start + length, number);
}

/// Drops, doubles or swaps lines.
fn rows(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(4) {
        0 => drop(lines.remove(one)),
        1 => lines.insert(one, lines[other]),
        2 => lines.swap(one, other),
        _ => lines.truncate(one),
    }
    lines.concat()
}

/// Drops, doubles or swaps columns, in one line or in all.
fn columns(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let (what, one, other) = (random.below(3), random.below(40), random.below(40));
    let only = random.percent(50).then(|| random.below(lines.len()));
    let changed = lines.iter().enumerate().map(|(number, line)| {
        let mut fields: Vec<&[u8]> = line.split(|byte| *byte == b',').collect();
        let (one, other) = (one % fields.len(), other % fields.len());
        if only.is_none_or(|only| only == number) {
            match what {
                0 => drop(fields.remove(one)),
                1 => fields.insert(one, fields[other]),
                _ => fields.swap(one, other),
            }
        }
        fields.join(&b','.to_owned())
    });
    changed.collect::<Vec<_>>().join(&b'\n')
}

/// Replaces one field with something else.
fn field(bytes: &mut Vec<u8>, random: &mut Random) {
    let is_end = |byte: &u8| matches!(byte, b',' | b'\n');
    let at = random.below(bytes.len() + 1);
    let start = bytes[..at].iter().rposition(is_end).map_or(0, |end| end + 1);
    let end = start + bytes[start..].iter().position(is_end).unwrap_or(bytes.len() - start);
    let text: Vec<u8> = match random.below(4) {
        0 => random.pick(&NUMBERS).as_bytes().to_vec(),
        1 => random.pick(&WORDS).to_vec(),
        2 => b"x".repeat(random.below(70_000)),
        _ => (0..random.below(20)).map(|_| random.next() as u8).collect(),
    };
    bytes.splice(start..end, text);
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(from.len()).position(|part| part == from) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    out.extend_from_slice(rest);
    out
}
