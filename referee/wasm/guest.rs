//! Guests: programs in progress, which pause and go on.

use std::fmt;

use crate::host::Host;
use crate::pause::Pause;

/// A program in progress. It runs only in [`go_on`](Guest::go_on), in the thread that calls it.
pub struct Guest {
    machine: Box<dyn Machine>,
    /// How it has ended.
    end: Option<Pause>,
}

/// What executes one guest.
pub(crate) trait Machine {
    /// Runs `look` on what the guest shares with its host.
    fn with_host(&mut self, look: &mut dyn FnMut(&mut Host));

    /// Returns the number of bytes that the guest has not read.
    fn unread(&self) -> usize;

    /// Goes on until the next pause. It is not called after the end.
    fn go_on(&mut self) -> Pause;
}

impl Guest {
    pub(crate) fn new(machine: Box<dyn Machine>) -> Guest {
        Guest { machine, end: None }
    }

    /// Adds to what the guest can read on standard input.
    pub fn put(&mut self, bytes: &[u8]) {
        self.with(|host| host.input.extend(bytes));
    }

    /// Ends its standard input.
    pub fn close_input(&mut self) {
        self.with(|host| host.is_input_closed = true);
    }

    /// Returns the number of bytes that it has not read.
    pub fn unread(&self) -> usize {
        self.machine.unread()
    }

    /// Allows it this many units from now on. What it had left before is lost.
    pub fn allow(&mut self, units: u64) {
        self.with(|host| host.allow(units));
    }

    /// Returns the number of units that it has used since they were last allowed, as of its last pause.
    pub fn used(&mut self) -> u64 {
        self.with(|host| host.used())
    }

    /// Goes on until the next pause. After its end, nothing happens any more.
    pub fn go_on(&mut self) -> Pause {
        if let Some(end) = self.end {
            return end;
        }
        let pause = self.machine.go_on();
        self.end = Some(pause).filter(|pause| pause.is_end());
        pause
    }

    /// Takes what it has written to standard output, in exchange for `empty`.
    pub fn take_output(&mut self, empty: Vec<u8>) -> Vec<u8> {
        let mut empty = Some(empty);
        self.with(|host| std::mem::replace(&mut host.output, empty.take().unwrap_or_default()))
    }

    /// Takes what it has written to standard error.
    pub fn take_errors(&mut self) -> Vec<u8> {
        self.with(|host| std::mem::take(&mut host.errors))
    }

    fn with<T>(&mut self, mut look: impl FnMut(&mut Host) -> T) -> T {
        let mut seen = None;
        self.machine.with_host(&mut |host| seen = Some(look(host)));
        seen.expect("a machine that shows its host")
    }
}

impl fmt::Debug for Guest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guest").field("end", &self.end).finish_non_exhaustive()
    }
}
