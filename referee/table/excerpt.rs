//! Keeps the beginning and the end of a stream of any length, in bounded memory.

use std::collections::VecDeque;

/// How much of the beginning is kept, and how much of the end, in bytes.
pub const KEPT: usize = 32 * 1024;

/// The first and the last 32 KiB of a stream.
#[derive(Clone, Debug, Default)]
pub struct Excerpt {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
}

impl Excerpt {
    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(KEPT - self.head.len()));
        self.head.extend_from_slice(head);
        let (skipped, rest) = rest.split_at(rest.len().saturating_sub(KEPT));
        let over = (self.tail.len() + rest.len()).saturating_sub(KEPT);
        self.tail.drain(..over);
        self.tail.extend(rest);
        self.left_out += (skipped.len() + over) as u64;
    }

    /// Tells whether nothing came.
    pub fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// Returns what was kept, with a line in the middle that says how much was not.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.head.clone();
        if self.left_out > 0 {
            bytes.extend_from_slice(format!("\n[... {} bytes left out ...]\n", self.left_out).as_bytes());
        }
        let (front, back) = self.tail.as_slices();
        bytes.extend_from_slice(front);
        bytes.extend_from_slice(back);
        bytes
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
}
