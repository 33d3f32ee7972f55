//! The reason why a guest pauses, or how it ended.

use std::fmt;

/// Why a guest is not running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// It has written a newline to standard output, or a lot without one: see
    /// [`take_output`](crate::Guest::take_output).
    Wrote,
    /// It waits for more input.
    Waits,
    /// It has run for a while and can continue. Its host can look at a clock now.
    Slice,
    /// It has used more units than allowed. It can continue with more.
    OutOfUnits,
    /// It has ended, with this status.
    Exited(i32),
    /// A trap ended it.
    Trapped(Trap),
}

impl Pause {
    /// Tells whether the guest has ended.
    pub fn is_end(self) -> bool {
        matches!(self, Pause::Exited(_) | Pause::Trapped(_))
    }
}

/// The trap that ended a guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trap {
    /// It reached code that should be unreachable: `abort`, a failed assertion, a panic.
    Unreachable,
    /// It divided by zero, or a result does not fit into an integer.
    Arithmetic,
    /// It used memory or a table out of bounds.
    OutOfBounds,
    /// It called a function through a null pointer, or through a pointer of another type.
    BadCall,
    /// Its calls are nested too deeply.
    Stack,
    /// Another trap, which should not occur.
    Other,
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Trap::Unreachable => "it reached an `unreachable` instruction (abort, assertion or panic)",
            Trap::Arithmetic => "it divided by zero, or a result does not fit into an integer",
            Trap::OutOfBounds => "it used memory or a table out of bounds",
            Trap::BadCall => {
                "it called a function through a null pointer, or through a pointer of another type"
            }
            Trap::Stack => "its calls are nested too deeply",
            Trap::Other => "the engine cannot continue",
        })
    }
}
