//! Bots in WebAssembly. The program that uses this crate supplies what plays them; these commands do not know it.

use std::sync::{Arc, OnceLock};

use referee_table::guests::{CHECK, Guests};

/// Makes ready what plays bots in WebAssembly.
pub type MakeGuests = fn() -> Arc<dyn Guests>;

/// What plays bots in WebAssembly in this program.
static GUESTS: OnceLock<Option<MakeGuests>> = OnceLock::new();

/// Sets what plays bots in WebAssembly in this program. Only the first call counts.
pub(crate) fn bring(guests: Option<MakeGuests>) {
    let _ = GUESTS.set(guests);
}

/// Checks a module if these words ask for that: this is then a copy of the program that does nothing else. Returns the
/// exit status.
pub(crate) fn check(words: &[String]) -> Option<i32> {
    Some(guests().filter(|_| words == [CHECK])?.check_here())
}

/// Returns what plays bots in WebAssembly, if this program has it.
pub(crate) fn guests() -> Option<Arc<dyn Guests>> {
    GUESTS.get().copied().flatten().map(|make| make())
}
