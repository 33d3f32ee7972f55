//! Keys: the bytes that a terminal sends, and the end of the terminal.
//!
//! A read from a closed terminal returns no byte, for ever. The reader of crossterm 0.29 tries again at the full speed
//! of a core and never returns. Therefore the bytes are read here.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::consts::SIGWINCH;

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// A character, as typed.
    Char(char),
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Backspace,
    Esc,
}

/// Input from a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A key.
    Key(Key),
    /// Ctrl-C.
    Interrupt,
    /// The window has another size.
    Resized,
}

/// Why there is no input.
#[derive(Debug)]
pub(crate) enum NoInput {
    /// The terminal is gone: closed, hung up, or given to another program.
    Gone,
    /// The system reports an error.
    System(io::Error),
}

/// The input of a terminal.
#[derive(Debug)]
pub(crate) struct Keys {
    /// The controlling terminal; `None` if standard input is the terminal.
    controlling: Option<File>,
    parser: Parser,
    resized: Arc<AtomicBool>,
}

impl Keys {
    /// Reads the keys of standard input if it is a terminal, else those of the controlling terminal.
    pub(crate) fn open() -> io::Result<Keys> {
        let controlling = if io::stdin().is_terminal() { None } else { Some(File::open("/dev/tty")?) };
        let resized = Arc::default();
        signal_hook::flag::register(SIGWINCH, Arc::clone(&resized))?;
        Ok(Keys { controlling, parser: Parser::default(), resized })
    }

    /// Waits for input, for at most this time.
    pub(crate) fn wait(&mut self, time: Duration) -> Result<Option<Input>, NoInput> {
        if let Some(input) = self.parser.inputs.pop_front() {
            return Ok(Some(input));
        }
        if !self.is_resized() && self.wait_for_bytes(time)? {
            let mut bytes = [0; 1024];
            match rustix::io::read(self.terminal(), &mut bytes) {
                Ok(0) | Err(Errno::IO) => return Err(NoInput::Gone),
                Ok(count) => self.parser.take(&bytes[..count]),
                // Another process has read them, or a signal came in between.
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => return Err(NoInput::System(error.into())),
            }
        }
        if self.resized.swap(false, Ordering::Relaxed) {
            return Ok(Some(Input::Resized));
        }
        Ok(self.parser.inputs.pop_front())
    }

    fn is_resized(&self) -> bool {
        self.resized.load(Ordering::Relaxed)
    }

    /// Tells whether bytes have come.
    fn wait_for_bytes(&self, time: Duration) -> Result<bool, NoInput> {
        // Standard output can be another terminal. Poll reports its end even without flags.
        let stdout = io::stdout();
        let mut ends = [
            PollFd::from_borrowed_fd(self.terminal(), PollFlags::IN),
            PollFd::new(&stdout, PollFlags::empty()),
        ];
        let time = Timespec::try_from(time).expect("less than an age");
        match poll(&mut ends, Some(&time)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(NoInput::System(error.into())),
        }
        let is_gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        if ends.iter().any(|end| end.revents().intersects(is_gone)) {
            return Err(NoInput::Gone);
        }
        Ok(ends[0].revents().contains(PollFlags::IN))
    }

    fn terminal(&self) -> BorrowedFd<'_> {
        self.controlling.as_ref().map_or(rustix::stdio::stdin(), AsFd::as_fd)
    }
}

/// The longest sequence of bytes that can be one key.
const KEY_BYTES_MAX: usize = 32;

/// A parser that makes keys of bytes, which can come in pieces.
#[derive(Debug, Default)]
struct Parser {
    /// The beginning of a key.
    part: Vec<u8>,
    inputs: VecDeque<Input>,
}

impl Parser {
    fn take(&mut self, bytes: &[u8]) {
        self.part.extend_from_slice(bytes);
        let mut rest = self.part.as_slice();
        while let Some((count, input)) = first_key(rest) {
            rest = &rest[count..];
            self.inputs.extend(input);
        }
        self.part = if rest.len() > KEY_BYTES_MAX { Vec::new() } else { rest.to_vec() };
    }
}

/// Returns the number of bytes of the first key, and the key if it has a meaning here. Returns `None` as long as the
/// bytes are only the beginning of a key.
fn first_key(bytes: &[u8]) -> Option<(usize, Option<Input>)> {
    let key = |count, key| Some((count, Some(Input::Key(key))));
    match bytes {
        [] => None,
        // Terminals send a sequence in one piece, so a lone byte is the key Esc.
        [0x1b] => key(1, Key::Esc),
        [0x1b, 0x1b, ..] => key(1, Key::Esc),
        [0x1b, b'[' | b'O', rest @ ..] => {
            let end = rest.iter().position(|byte| !matches!(byte, 0x20..=0x3f))?;
            Some((end + 3, of_sequence(&rest[..end], rest[end]).map(Input::Key)))
        }
        // Alt and a key is the key.
        [0x1b, rest @ ..] => first_key(rest).map(|(count, input)| (count + 1, input)),
        [0x03, ..] => Some((1, Some(Input::Interrupt))),
        [b'\r' | b'\n', ..] => key(1, Key::Enter),
        [0x7f | 0x08, ..] => key(1, Key::Backspace),
        [0x00..=0x1f, ..] => Some((1, None)),
        _ => of_text(bytes),
    }
}

/// Returns the key of `ESC [ numbers end` or `ESC O end`.
fn of_sequence(numbers: &[u8], end: u8) -> Option<Key> {
    let number = numbers.split(|byte| *byte == b';').next().unwrap_or_default();
    Some(match (end, number) {
        (b'A', _) => Key::Up,
        (b'B', _) => Key::Down,
        (b'C', _) => Key::Right,
        (b'D', _) => Key::Left,
        (b'H', _) | (b'~', b"1" | b"7") => Key::Home,
        (b'F', _) | (b'~', b"4" | b"8") => Key::End,
        (b'~', b"5") => Key::PageUp,
        (b'~', b"6") => Key::PageDown,
        (b'M', _) if numbers.is_empty() => Key::Enter,
        _ => return None,
    })
}

/// Returns the first character. Bytes that are no text mean nothing.
fn of_text(bytes: &[u8]) -> Option<(usize, Option<Input>)> {
    let start = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => {
            std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(error) => return Some((error.error_len()?, None)),
    };
    let first = valid.chars().next()?;
    Some((first.len_utf8(), (!first.is_control()).then_some(Input::Key(Key::Char(first)))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys_of(pieces: &[&[u8]]) -> Vec<Input> {
        let mut parser = Parser::default();
        pieces.iter().for_each(|piece| parser.take(piece));
        parser.inputs.into()
    }

    #[test]
    fn bytes_become_keys() {
        let cases: [(&[u8], &[Key]); 9] = [
            (b"q", &[Key::Char('q')]),
            (
                "g12\ré".as_bytes(),
                &[Key::Char('g'), Key::Char('1'), Key::Char('2'), Key::Enter, Key::Char('é')],
            ),
            (b"\x1b[A\x1b[B\x1b[C\x1b[D", &[Key::Up, Key::Down, Key::Right, Key::Left]),
            (b"\x1bOA\x1bOH\x1b[H\x1b[1~\x1b[7~", &[Key::Up, Key::Home, Key::Home, Key::Home, Key::Home]),
            (
                b"\x1b[F\x1b[4~\x1b[5~\x1b[6~\x1b[1;5C",
                &[Key::End, Key::End, Key::PageUp, Key::PageDown, Key::Right],
            ),
            (b"\x1b", &[Key::Esc]),
            (b"\x1b\x1b\x1bq", &[Key::Esc, Key::Esc, Key::Char('q')]),
            (b"\x7f\x08\x01\x00\t", &[Key::Backspace, Key::Backspace]),
            (b"\xff\xc3(\x1b[200~x", &[Key::Char('('), Key::Char('x')]),
        ];
        for (bytes, keys) in cases {
            let keys: Vec<Input> = keys.iter().map(|key| Input::Key(*key)).collect();
            assert_eq!(keys_of(&[bytes]), keys, "{bytes:?}");
        }
        assert_eq!(keys_of(&[b"\x03"]), [Input::Interrupt]);
    }

    #[test]
    fn a_key_that_comes_in_pieces_is_one_key() {
        assert_eq!(keys_of(&[b"\x1b[", b"1;", b"5C", b"q"]), keys_of(&[b"\x1b[1;5Cq"]));
        assert_eq!(keys_of(&[b"\xc3", b"\xa9"]), [Input::Key(Key::Char('é'))]);
        assert_eq!(
            keys_of(&[b"\x1b[", &[b'1'; 100], b"q"]),
            [Input::Key(Key::Char('q'))],
            "and is not kept for ever"
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20)) {
            let mut parser = Parser::default();
            for piece in &pieces {
                parser.take(piece);
                prop_assert!(parser.part.len() <= KEY_BYTES_MAX);
            }
            prop_assert!(parser.inputs.len() <= pieces.concat().len());
            // After a key that ends any sequence, Ctrl-C is always read as such.
            parser.take(b"qq\x03");
            prop_assert_eq!(parser.inputs.back(), Some(&Input::Interrupt));
        }
    }
}
