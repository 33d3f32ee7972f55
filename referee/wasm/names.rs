//! Names that the rewriting adds to a module.

/// Prefix of the names that the rewriting adds.
pub(crate) const OWN: &str = "referee:";

/// The exported counter of remaining units: `i64`.
pub(crate) const UNITS: &str = "referee:units";

/// The exported counter of remaining bytes of the stack: `i32`.
pub(crate) const DEPTH: &str = "referee:depth";

/// The module and the name of the imported function that is called when the counter is below zero.
pub(crate) const MORE: (&str, &str) = ("referee", "more");
