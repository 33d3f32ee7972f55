//! Excerpts: the beginning and the end of a stream of any length, in bounded memory, and the turn in which each part
//! was written.

use std::collections::VecDeque;

/// Number of bytes that are kept of the beginning, and of the end.
pub const KEPT: usize = 32 * 1024;

/// The first and the last 32 KiB of a stream.
#[derive(Clone, Debug, Default)]
pub struct Excerpt {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
    /// The number of each turn with output, and the length of the stream at the end of that turn.
    ends: Vec<(u32, u64)>,
}

/// Maximum number of stored ends of turns: twice the number of bytes that are kept. When it is reached, the ends in the
/// part that is left out are dropped, except the first.
const ENDS_MAX: usize = 4 * KEPT;

impl Excerpt {
    /// Adds the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(KEPT - self.head.len()));
        self.head.extend_from_slice(head);
        let (skipped, rest) = rest.split_at(rest.len().saturating_sub(KEPT));
        let excess = (self.tail.len() + rest.len()).saturating_sub(KEPT);
        self.tail.drain(..excess);
        self.tail.extend(rest);
        self.left_out += (skipped.len() + excess) as u64;
    }

    /// Ends a turn: all bytes since the end of the turn before belong to it, and the next `unread` ones, which have
    /// been written but not read.
    pub fn end_turn(&mut self, turn: u32, unread: u64) {
        let length = self.length() + unread;
        if self.ends.last().map_or(0, |(_, end)| *end) == length {
            return;
        }
        if self.ends.len() >= ENDS_MAX {
            // The ends in the head stay, the first one in the part that is left out, and those in the tail.
            let first_left_out = self.ends.partition_point(|(_, end)| *end <= KEPT as u64);
            let tail_start = self.length() - self.tail.len() as u64;
            let first_in_tail = self.ends.partition_point(|(_, end)| *end <= tail_start);
            if first_in_tail > first_left_out {
                self.ends.drain(first_left_out + 1..first_in_tail);
            }
        }
        self.ends.push((turn, length));
    }

    /// Lists the turns with output, each with the place in [`to_bytes`](Excerpt::to_bytes) where its part
    /// ends. If turns end in the omitted part, the first of them ends after the line that reports the
    /// omission.
    pub fn turn_ends(&self) -> Vec<(u32, u64)> {
        let head = self.head.len() as u64;
        let note = self.note().len() as u64;
        let place_of = |end: u64| {
            if end <= head {
                return end;
            }
            head + note + (end.min(self.length()) - head).saturating_sub(self.left_out)
        };
        let mut ends: Vec<(u32, u64)> = self.ends.iter().map(|(turn, end)| (*turn, place_of(*end))).collect();
        ends.dedup_by_key(|(_, place)| *place);
        ends
    }

    /// Returns the length of the stream.
    fn length(&self) -> u64 {
        (self.head.len() + self.tail.len()) as u64 + self.left_out
    }

    /// Tells whether the stream is empty.
    pub fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// Returns the kept bytes, with a line in the middle that reports the number of omitted bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.head.clone();
        bytes.extend_from_slice(self.note().as_bytes());
        let (front, back) = self.tail.as_slices();
        bytes.extend_from_slice(front);
        bytes.extend_from_slice(back);
        bytes
    }

    /// Returns the line about the omitted part; empty if nothing is omitted.
    fn note(&self) -> String {
        match self.left_out {
            0 => String::new(),
            count => format!("\n[... {count} bytes left out ...]\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_stream_is_kept_whole() {
        let mut excerpt = Excerpt::default();
        excerpt.push(b"one\n");
        excerpt.push(&[b'x'; KEPT]);
        assert_eq!(excerpt.to_bytes(), [&b"one\n"[..], &[b'x'; KEPT]].concat());
    }

    #[test]
    fn of_a_long_stream_both_ends_are_kept() {
        let stream: Vec<u8> = (0..300_000u32).map(|n| (n % 251) as u8).collect();
        for chunk in [1000, 16 * 1024, 100_000] {
            let mut excerpt = Excerpt::default();
            stream.chunks(chunk).for_each(|bytes| excerpt.push(bytes));
            let note = format!("\n[... {} bytes left out ...]\n", stream.len() - 2 * KEPT);
            let wanted = [&stream[..KEPT], note.as_bytes(), &stream[stream.len() - KEPT..]].concat();
            assert_eq!(excerpt.to_bytes(), wanted, "in chunks of {chunk}");
        }
    }

    /// Returns the part of each turn in the kept bytes.
    fn parts(excerpt: &Excerpt) -> Vec<(u32, String)> {
        let (bytes, mut from) = (excerpt.to_bytes(), 0);
        let part = |(turn, end): (u32, u64)| {
            let part = &bytes[std::mem::replace(&mut from, end as usize)..end as usize];
            (turn, String::from_utf8_lossy(part).into_owned())
        };
        excerpt.turn_ends().into_iter().map(part).collect()
    }

    #[test]
    fn each_part_of_a_stream_is_of_the_turn_at_whose_end_it_had_come() {
        let mut excerpt = Excerpt::default();
        excerpt.push(b"hello\n");
        excerpt.end_turn(0, 5);
        excerpt.end_turn(1, 5);
        excerpt.push(b"zero\ntwo\n");
        excerpt.end_turn(2, 0);
        assert_eq!(parts(&excerpt), [(0, "hello\nzero\n".to_owned()), (2, "two\n".to_owned())]);
    }

    #[test]
    fn of_turns_that_are_left_out_the_first_says_so() {
        for chunk in [1, 100, 1000, KEPT, 2 * KEPT, 5 * KEPT] {
            let mut excerpt = Excerpt::default();
            let turns = (10 * KEPT / chunk) as u32;
            for turn in 0..turns {
                excerpt.push(&vec![b'a' + (turn % 26) as u8; chunk]);
                excerpt.end_turn(turn, 0);
            }
            assert!(excerpt.ends.len() <= ENDS_MAX, "{}", excerpt.ends.len());
            let parts = parts(&excerpt);
            let whole: String = parts.iter().map(|(_, text)| &**text).collect();
            assert_eq!(whole.as_bytes(), excerpt.to_bytes());
            let noted = parts.iter().filter(|(_, text)| text.contains("left out"));
            assert_eq!(noted.count(), 1);
            for (turn, text) in parts {
                let note = excerpt.note();
                let written = text.replace(note.trim(), "").replace('\n', "");
                let letter = char::from(b'a' + (turn % 26) as u8);
                assert!(written.chars().all(|written| written == letter), "{chunk}: turn {turn}: {written}");
                assert!(written.len() <= chunk);
            }
        }
    }
}
