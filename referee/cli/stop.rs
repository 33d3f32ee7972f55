//! Ctrl-C: the first one gives up the games in flight, a second one ends the program at once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use referee::table::process::Setup;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// Returns how bots are started here, with a flag that Ctrl-C sets.
pub(super) fn setup() -> anyhow::Result<Setup> {
    let setup = Setup::this_program();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // In this order: the second signal finds the flag that the first has set.
        flag::register_conditional_shutdown(signal, 130, Arc::clone(&setup.stop))
            .context("cannot watch for Ctrl-C")?;
        flag::register(signal, Arc::<AtomicBool>::clone(&setup.stop)).context("cannot watch for Ctrl-C")?;
    }
    Ok(setup)
}
