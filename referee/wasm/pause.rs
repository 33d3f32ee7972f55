//! Why a guest pauses, or how it has ended.

use std::fmt;

/// Why a guest does not run at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// It has written a newline to standard output, or much without one: see [`take_output`](crate::Guest::take_output).
    Wrote,
    /// It waits for more input.
    Waits,
    /// It has run for a while and can go on, so that its host can look at a clock.
    Slice,
    /// It has used more units than it may. It can go on if it is allowed more.
    OutOfUnits,
    /// It has ended, with this status.
    Exited(i32),
    /// It has ended by a mistake.
    Trapped(Trap),
}

impl Pause {
    /// Tells whether the guest has ended.
    pub fn is_end(self) -> bool {
        matches!(self, Pause::Exited(_) | Pause::Trapped(_))
    }
}

/// The mistake that has ended a guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trap {
    /// It came to a place that it says it never comes to: `abort`, a failed assertion, a panic.
    Unreachable,
    /// It divided by zero, or a result does not fit into an integer.
    Arithmetic,
    /// It used memory or a table outside of its bounds.
    OutOfBounds,
    /// It called a function through a pointer that is null, or is one of another type.
    BadCall,
    /// Its calls are nested too deeply.
    Stack,
    /// Something else, which should not occur.
    Other,
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Trap::Unreachable => "it came to an `unreachable` instruction (abort, assertion or panic)",
            Trap::Arithmetic => "it divided by zero, or a result does not fit into an integer",
            Trap::OutOfBounds => "it used memory or a table outside of its bounds",
            Trap::BadCall => "it called a function through a null pointer, or one of another type",
            Trap::Stack => "its calls are nested too deeply",
            Trap::Other => "the engine cannot go on",
        })
    }
}
