//! Guests: programs in progress, which can pause and continue.

use std::fmt;

use crate::host::Host;
use crate::interpreter::Interpreter;
use crate::pause::Pause;

/// A program in progress. It runs only in [`go_on`](Guest::go_on), in the thread that calls it.
pub struct Guest {
    interpreter: Interpreter,
    /// How it ended; `None` if it can continue.
    end: Option<Pause>,
}

impl Guest {
    pub(crate) fn new(interpreter: Interpreter) -> Guest {
        Guest { interpreter, end: None }
    }

    /// Appends to the guest's standard input.
    pub fn put(&mut self, bytes: &[u8]) {
        self.host().input.extend(bytes);
    }

    /// Ends its standard input.
    pub fn close_input(&mut self) {
        self.host().is_input_closed = true;
    }

    /// Returns the number of bytes that it has not read.
    pub fn unread(&self) -> usize {
        self.interpreter.unread()
    }

    /// Allows the guest this many units. Units left from before are lost.
    pub fn allow(&mut self, units: u64) {
        self.host().allow(units);
    }

    /// Returns the number of units that the guest had used at its last pause, since units were last allowed.
    pub fn used(&mut self) -> u64 {
        self.host().used()
    }

    /// Continues until the next pause. After the guest's end, this does nothing.
    pub fn go_on(&mut self) -> Pause {
        if let Some(end) = self.end {
            return end;
        }
        let pause = self.interpreter.go_on();
        if pause.is_end() {
            self.end = Some(pause);
        }
        pause
    }

    /// Takes the guest's standard output, in exchange for `empty`.
    pub fn take_output(&mut self, empty: Vec<u8>) -> Vec<u8> {
        std::mem::replace(&mut self.host().output, empty)
    }

    /// Takes the guest's standard error.
    pub fn take_errors(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.host().errors)
    }

    fn host(&mut self) -> &mut Host {
        self.interpreter.host()
    }
}

impl fmt::Debug for Guest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guest").field("end", &self.end).finish_non_exhaustive()
    }
}
