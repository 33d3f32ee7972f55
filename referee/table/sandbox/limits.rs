//! How much of the machine a bot may use. The kernel keeps these limits; what goes beyond fails in the bot, or ends it.

use std::io;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};

use super::system;
use crate::rules::Info;

/// Limits of one bot. Sizes are in MiB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Private memory that can be written: heap, thread stacks.
    pub data_mib: u64,
    /// The stack of the first thread.
    pub stack_mib: u64,
    /// Threads, and processes if it may have any.
    pub tasks: u64,
    /// The longest file that it may write.
    pub file_mib: u64,
    /// Open files, pipes included.
    pub descriptors: u64,
    /// All files in its folder together. Only [`Tier::Strict`](super::Tier::Strict) gives it a folder to write to.
    pub folder_mib: u64,
    /// Processor time in seconds. 0: three times what the game gives it.
    pub cpu_seconds: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            data_mib: 512,
            stack_mib: 8,
            tasks: 64,
            file_mib: 16,
            descriptors: 64,
            folder_mib: 16,
            cpu_seconds: 0,
        }
    }
}

/// How many files and folders a bot's folder may hold.
pub(super) const FOLDER_FILES: u32 = 1024;

/// How much longer than its data the address space of programs may be that reserve far more than they use.
const RESERVED_MIB: u64 = 32 * 1024;

/// A bot gets no less processor time than this, however short the game.
const CPU_LEAST: Duration = Duration::from_secs(10);

impl Limits {
    /// Returns these limits with the processor time filled in: three times all the time that a game can give to a seat.
    pub fn for_game(&self, info: &Info) -> Limits {
        let turns = info.time.turn_limit.saturating_mul(info.turns_max);
        let budget = info.time.first_limit.saturating_add(info.time.bank.unwrap_or(turns).min(turns));
        let backstop = budget.saturating_mul(3).max(CPU_LEAST).as_secs() + 1;
        let cpu_seconds = if self.cpu_seconds == 0 { backstop } else { self.cpu_seconds };
        Limits { cpu_seconds, ..self.clone() }
    }

    /// Limits this process and whatever it becomes.
    pub(super) fn apply(&self, reserves: bool, tasks_before: u64) -> io::Result<()> {
        let mib = |count: u64| count.saturating_mul(1 << 20);
        let address = if reserves { self.data_mib.saturating_add(RESERVED_MIB) } else { self.data_mib };
        let both = |limit: u64| Rlimit { current: Some(limit), maximum: Some(limit) };
        // One second after the signal that says so, a bot that does not listen is killed.
        let cpu = Rlimit { current: Some(self.cpu_seconds), maximum: Some(self.cpu_seconds + 1) };
        let limits = [
            (Resource::Core, both(0)), // a crash shall leave a verdict, not a file the size of the bot's memory
            (Resource::Cpu, cpu),
            (Resource::Fsize, both(mib(self.file_mib))),
            (Resource::Nofile, both(self.descriptors)),
            (Resource::Nproc, both(tasks_before.saturating_add(self.tasks))),
            (Resource::Stack, both(mib(self.stack_mib))),
            (Resource::Memlock, both(0)),
            (Resource::Msgqueue, both(0)),
            (Resource::Sigpending, both(SIGNALS)),
            (Resource::Nice, both(0)),
            (Resource::Rtprio, both(0)),
            (Resource::Data, both(mib(self.data_mib))),
            (Resource::As, both(mib(address))),
        ];
        limits
            .into_iter()
            .try_for_each(|(resource, limit)| setrlimit(resource, at_most_now(resource, limit)))?;
        system::set_oom_score(1000);
        Ok(())
    }
}

/// How many signals may wait for a bot.
const SIGNALS: u64 = 256;

/// Only root can raise a limit again that somebody has lowered before.
fn at_most_now(resource: Resource, limit: Rlimit) -> Rlimit {
    let most = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
    Rlimit {
        current: limit.current.map(|value| value.min(most)),
        maximum: limit.maximum.map(|v| v.min(most)),
    }
}
