//! Engines for bots in WebAssembly. The program that uses this crate supplies them; these commands know none.

use std::sync::{Arc, OnceLock};

use referee_table::guests::{CHECK, Guests};

/// An engine for bots in WebAssembly that a program brings with it.
#[derive(Clone, Copy, Debug)]
pub struct GuestEngine {
    /// Its name on the command line.
    pub name: &'static str,
    /// Makes it ready.
    pub guests: fn() -> Arc<dyn Guests>,
}

/// The engines of this program, the default first.
static ENGINES: OnceLock<&'static [GuestEngine]> = OnceLock::new();

/// Sets the engines of this program. Only the first call counts.
pub(crate) fn bring(engines: &'static [GuestEngine]) {
    let _ = ENGINES.set(engines);
}

/// Returns the engines of this program, the default first.
pub(crate) fn all() -> &'static [GuestEngine] {
    ENGINES.get().copied().unwrap_or_default()
}

/// Checks a module if these words ask for that: this is then a copy of the program that does nothing else. Returns the
/// exit status.
pub(crate) fn check(words: &[String]) -> Option<i32> {
    let [word, name] = words else { return None };
    let engine = all().iter().find(|engine| word == CHECK && engine.name == name)?;
    Some((engine.guests)().check_here())
}

/// Returns the default engine for bots in WebAssembly, if this program has one.
pub(crate) fn guests() -> Option<Arc<dyn Guests>> {
    all().first().map(|engine| (engine.guests)())
}
