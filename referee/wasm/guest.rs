//! Guests: programs in progress, which can pause and continue.

use std::fmt;

use crate::host::Host;
use crate::pause::Pause;

/// A program in progress. It runs only in [`go_on`](Guest::go_on), in the thread that calls it.
pub struct Guest {
    machine: Box<dyn Machine>,
    /// How it ended.
    end: Option<Pause>,
}

/// An engine's part that executes one guest.
pub(crate) trait Machine {
    /// Calls `look` with the data that the guest shares with its host.
    fn with_host(&mut self, look: &mut dyn FnMut(&mut Host));

    /// Returns the number of bytes that the guest has not read.
    fn unread(&self) -> usize;

    /// Continues until the next pause. Not called after the end.
    fn go_on(&mut self) -> Pause;
}

impl Guest {
    pub(crate) fn new(machine: Box<dyn Machine>) -> Guest {
        Guest { machine, end: None }
    }

    /// Appends to the guest's standard input.
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

    /// Allows the guest this many units. Units left from before are lost.
    pub fn allow(&mut self, units: u64) {
        self.with(|host| host.allow(units));
    }

    /// Returns the number of units that the guest had used at its last pause, since units were last allowed.
    pub fn used(&mut self) -> u64 {
        self.with(|host| host.used())
    }

    /// Continues until the next pause. After the guest's end, this does nothing.
    pub fn go_on(&mut self) -> Pause {
        if let Some(end) = self.end {
            return end;
        }
        let pause = self.machine.go_on();
        self.end = Some(pause).filter(|pause| pause.is_end());
        pause
    }

    /// Takes the guest's standard output, in exchange for `empty`.
    pub fn take_output(&mut self, empty: Vec<u8>) -> Vec<u8> {
        let mut empty = Some(empty);
        self.with(|host| std::mem::replace(&mut host.output, empty.take().unwrap_or_default()))
    }

    /// Takes the guest's standard error.
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
