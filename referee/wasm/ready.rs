//! Modules of WebAssembly that were prepared recently.
//!
//! A module can make the interpreter work for long, or take much memory, before it has executed anything. So a copy of
//! this program prepares each module first, with limits of both. This process then does the same, and takes no more.

use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};

use crate::costs::MODULE_BYTES;
use crate::{Compiled, Module};

use referee_sandbox::errand::{self, Finished};
use referee_sandbox::fork_server::ForkServer;
use referee_sandbox::program::{Look, Opened};
use referee_sandbox::{Ended, Exceeded, Limits};
use referee_table::guests::CHECK;

/// The modules that were prepared last, the oldest first. A `Look` is that of the file: its identity and last change.
#[derive(Debug, Default)]
pub(super) struct Ready(Mutex<Vec<(Look, Compiled)>>);

impl Ready {
    /// Prepares a module, unless it was prepared recently.
    pub(super) fn compile(&self, opened: &Opened, server: &ForkServer) -> Result<Compiled, String> {
        let modules = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, compiled)) = modules().iter().find(|(look, _)| *look == opened.look()) {
            return Ok(compiled.clone());
        }
        // The lock is not held here, so other threads can continue meanwhile.
        let mut bytes = vec![0; opened.length() as usize];
        opened.file().read_exact_at(&mut bytes, 0).map_err(|error| format!("cannot be read: {error}"))?;
        try_elsewhere(&bytes, server)?;
        let compiled =
            Module::new(&bytes).and_then(|module| Compiled::new(&module)).map_err(|why| why.to_string())?;
        let mut modules = modules();
        let excess = (modules.len() + 1).saturating_sub(READY_MAX);
        modules.drain(..excess);
        modules.push((opened.look(), compiled.clone()));
        Ok(compiled)
    }
}

/// Has a copy of this program prepare a module.
fn try_elsewhere(bytes: &[u8], server: &ForkServer) -> Result<(), String> {
    // A module that is too long is refused at once: the copy would read only a part of it.
    if bytes.len() > MODULE_BYTES {
        return Module::new(bytes).map(drop).map_err(|why| why.to_string());
    }
    let limits = Limits { cpu_seconds: SECONDS, data_mib: MEMORY_MIB, ..Limits::default() };
    match errand::run(server, &[CHECK], bytes, limits)? {
        Finished::Said(said) => match said.strip_prefix(REFUSED) {
            Some(why) => Err(why.to_owned()),
            None if said == GOOD => Ok(()),
            None => Err("the process that checks modules does not answer".to_owned()),
        },
        Finished::Ended(Ended::Limit(Exceeded::Cpu)) => Err(format!(
            "to prepare it takes more than {SECONDS} s of processor time, the maximum; leave out code"
        )),
        Finished::Ended(Ended::Exited(status)) => {
            Err(format!("the process that checks modules has ended with status {status}"))
        }
        // A program that is refused memory is ended by a signal. No other limit ends the copy: it writes no file.
        Finished::Ended(_) => Err(format!(
            "to prepare it takes more than {MEMORY_MIB} MiB of memory, the maximum; leave out code"
        )),
    }
}

/// Prepares the module on standard input, and makes a guest with its memory and data, without executing its code. Says
/// on standard output whether the module is good. Returns the exit status.
pub(super) fn try_here() -> i32 {
    let mut bytes = Vec::new();
    let read = io::stdin().take(MODULE_BYTES as u64 + 1).read_to_end(&mut bytes);
    if read.is_err() {
        return 1;
    }
    let report = match Module::new(&bytes).and_then(|module| Compiled::new(&module)) {
        Ok(compiled) => {
            // An error is ignored: it will be a fault of the bot in its first game.
            let _ = compiled.start(&[], &[]);
            GOOD.to_owned()
        }
        Err(why) => format!("{REFUSED}{why}"),
    };
    i32::from(io::stdout().write_all(report.as_bytes()).is_err())
}

/// The report of the copy: this word, or the reason after the other one.
const GOOD: &str = "good";
const REFUSED: &str = "refused: ";

/// The limits of the copy.
const SECONDS: u64 = 10;
const MEMORY_MIB: u64 = 320;

/// Number of prepared modules that are kept.
const READY_MAX: usize = 64;
