//! Signals that stop the program, such as Ctrl-C. The first one gives up the games in flight, the second one ends the
//! program at once.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context as _;
use referee_files::beneath::Spot;
use referee_files::lock;
use referee_record::error::Error;
use referee_table::process::Setup;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

use crate::call;
use crate::context::Context;

impl Context {
    /// Returns how bots are started here, with a flag that Ctrl-C sets.
    pub(super) fn setup(&self) -> anyhow::Result<Setup> {
        check_scratch()?;
        self.stop()?;
        Ok(self.starting())
    }

    /// Returns a flag that Ctrl-C sets. It also ends every wait for a judge.
    pub fn stop(&self) -> anyhow::Result<Arc<AtomicBool>> {
        let stop = Arc::clone(&self.stop);
        // A call within a process has no signals of its own. And with two sets of handlers, the second set would find
        // the flag that the first has set, and end the program at the first signal.
        if call::is_kept() || self.is_watched.set(()).is_err() {
            return Ok(stop);
        }
        for signal in watched() {
            // The order matters: only the second signal finds the flag set.
            flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))
                .context("cannot watch for Ctrl-C")?;
            flag::register(signal, Arc::clone(&stop)).context("cannot watch for Ctrl-C")?;
        }
        lock::stop_by(&stop);
        Ok(stop)
    }
}

/// Makes a write beyond the limit of file sizes (`ulimit -f`) fail like one to a full disk. By default the system ends
/// the program; it does so with the programs that this one starts, since they do not inherit a handler.
pub(crate) fn survive_limits() {
    // If the handler cannot be set, the default stays.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Makes sure that there is a folder for temporary files, where each bot gets a folder of its own.
fn check_scratch() -> Result<(), Error> {
    let folder = std::env::temp_dir();
    if folder.is_dir() {
        return Ok(());
    }
    let what =
        "no such folder; TMPDIR names the folder for temporary files of bots: set it to an existing folder";
    Err(Error::file(&folder, what))
}

/// Lists the signals that end games. If a hangup was ignored when this program was started (by `nohup`), it stays
/// ignored.
pub(super) fn watched() -> Vec<i32> {
    if is_ignored(SIGHUP) { vec![SIGINT, SIGTERM] } else { vec![SIGINT, SIGTERM, SIGHUP] }
}

/// Maximum number of bytes that are read of /proc/self/status.
const STATUS_MAX: u64 = 1 << 16;

/// Tells whether this process ignores a signal. Signal n is bit n - 1 of the mask.
fn is_ignored(signal: i32) -> bool {
    let status = Spot::from(Path::new("/proc/self/status")).read(STATUS_MAX).unwrap_or_default();
    let status = String::from_utf8_lossy(&status);
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
