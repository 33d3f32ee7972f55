//! Limits: how much of the machine a bot may use. The kernel enforces them: a call beyond a limit fails, or
//! ends the bot.

use std::io;
use std::ops::RangeInclusive;
use std::sync::OnceLock;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};

use super::message::Purpose;

/// Limits of one bot. Sizes are in MiB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Private writable memory: heap, thread stacks.
    pub data_mib: u64,
    /// The stack of the first thread.
    pub stack_mib: u64,
    /// Threads, and processes if it may have any.
    ///
    /// The default is about 1.5 times the peak of the runtime with most threads on two cores. The table lists the peaks
    /// for the number of cores that a runtime is told of (Debian 12; Java with the arguments that every bot gets):
    ///
    /// | runtime | 2 cores | 8 | 16 | 64 |
    /// | --- | --- | --- | --- | --- |
    /// | Java 17, a jar | 14 | 14 | 17 | 19 |
    /// | Java 17, compiling its source | 14 | 16 | 19 | 26 |
    /// | Java 17, parallel streams | 15 | 21 | 34 | 70 |
    /// | Java 17, `-XX:-UseSerialGC` | 20 | 25 | 27 | 35 |
    /// | Go 1.19, collecting all the time | 6 | 9 | 9 | 10 |
    /// | Node 20 | 7 | 7 | 7 | 7 |
    /// | .NET Core 3.1 | 9 | 9 | 9 | 9 |
    /// | Mono 6.8 | 3 | 3 | 3 | 3 |
    /// | Erlang 25, with its helpers | 22 | 35 | 51 | 146 |
    /// | all others of `tests/sandbox/languages`, at most | 6 | 6 | 6 | 6 |
    ///
    /// So runtimes that start threads for each core are told of at most a quarter as many cores as this
    /// limit.
    pub tasks: u64,
    /// Maximum length of a file that it writes.
    pub file_mib: u64,
    /// Open files, pipes included.
    pub descriptors: u64,
    /// Total size of the files in its folder. Only [`Tier::Strict`](super::Tier::Strict) gives it a folder to
    /// write to.
    pub folder_mib: u64,
    /// Processor time in seconds. 0: three times the time that the game allows.
    pub cpu_seconds: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            data_mib: 512,
            stack_mib: 8,
            tasks: 32,
            file_mib: 16,
            descriptors: 64,
            folder_mib: 16,
            cpu_seconds: 0,
        }
    }
}

/// A limit: its name, range and unit.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name in files.
    pub name: &'static str,
    /// What it limits, in a few words.
    pub about: &'static str,
    /// The minimum.
    pub least: u64,
    /// The maximum.
    pub most: u64,
    /// The unit of its values: `MiB`, `threads`.
    pub unit: &'static str,
}

impl Key {
    const fn new(
        name: &'static str,
        about: &'static str,
        range: RangeInclusive<u64>,
        unit: &'static str,
    ) -> Key {
        Key { name, about, least: *range.start(), most: *range.end(), unit }
    }
}

const MIB_MAX: u64 = 1 << 20;

/// What the limit `cpu_seconds` limits.
const CPU: &str = "processor time in seconds; 0 means three times what the game gives a bot";

impl Limits {
    /// All limits.
    pub const KEYS: [Key; 7] = [
        Key::new("data_mib", "memory", 4..=MIB_MAX, "MiB"),
        Key::new("stack_mib", "stack of the first thread", 1..=4096, "MiB"),
        Key::new("tasks", "threads", 1..=32_768, "threads"),
        Key::new("file_mib", "length of a file that a bot writes", 0..=MIB_MAX, "MiB"),
        Key::new("descriptors", "open files, pipes included", 8..=65_536, "open files"),
        // For the system, a folder of size 0 has no limit.
        Key::new("folder_mib", "size of a bot's folder", 1..=65_536, "MiB"),
        Key::new("cpu_seconds", CPU, 0..=31_536_000, "seconds"),
    ];

    /// Returns the limit with this name.
    pub fn key(name: &str) -> Option<&'static Key> {
        const { &Limits::KEYS }.iter().find(|key| key.name == name)
    }
}

/// Returns the maximum number of files and folders in a program's folder.
pub(super) fn folder_files(purpose: Purpose) -> u32 {
    match purpose {
        Purpose::Play => 1024,
        // Caches of compilers.
        Purpose::Build => 64 * 1024,
    }
}

/// Maximum address space of a bot beyond its data. glibc reserves 64 MiB a thread, for up to eight threads a core, and
/// does without if there is no room; Go reserves up to 1.2 GiB (0.7 in version 1.19). This also bounds the memory that
/// a bot can take between two looks at it.
const RESERVED_MIB: u64 = 2 * 1024;

/// Maximum address space beyond its data for a program that reserves far more than it uses.
const RESERVED_BY_RUNTIMES_MIB: u64 = 32 * 1024;

/// Minimum processor time of a bot, even in a short game.
const CPU_MIN: Duration = Duration::from_secs(10);

impl Limits {
    /// Returns the number of cores that is told to runtimes that start threads for each core.
    pub(super) fn cores(&self) -> u64 {
        // Looked up once: each look reads three files.
        static HERE: OnceLock<u64> = OnceLock::new();
        let look = || std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
        (*HERE.get_or_init(look)).min(self.tasks / 4).max(1)
    }

    /// Returns these limits with the processor time filled in: three times the total time that a program has
    /// for its work, but at least ten seconds.
    pub fn with_cpu_for(&self, work: Duration) -> Limits {
        let backstop = work.saturating_mul(3).max(CPU_MIN).as_secs() + 1;
        let cpu_seconds = if self.cpu_seconds == 0 { backstop } else { self.cpu_seconds };
        Limits { cpu_seconds, ..self.clone() }
    }

    /// Returns the maximum memory of a bot with all its processes, in MiB: its data, its stack, and the files
    /// in its folder.
    pub fn resident_mib(&self) -> u64 {
        self.data_mib.saturating_add(self.stack_mib).saturating_add(self.folder_mib)
    }

    /// Sets the limits of this process, and of the program that it becomes.
    pub(super) fn apply(&self, reserves: bool, tasks_before: u64) -> io::Result<()> {
        let mib = |count: u64| count.saturating_mul(1 << 20);
        let reserved = if reserves { RESERVED_BY_RUNTIMES_MIB } else { RESERVED_MIB };
        let address = self.data_mib.saturating_add(reserved);
        let both = |limit: u64| Rlimit { current: Some(limit), maximum: Some(limit) };
        // One second after the warning signal, a bot that ignores it is killed.
        let cpu =
            Rlimit { current: Some(self.cpu_seconds), maximum: Some(self.cpu_seconds.saturating_add(1)) };
        let limits = [
            (Resource::Core, both(0)), // a crash should leave a verdict, not a file the size of the bot's memory
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
        for (resource, limit) in limits {
            setrlimit(resource, at_most_now(resource, limit))?;
        }
        Ok(())
    }
}

/// Maximum number of pending signals of a bot.
const SIGNALS: u64 = 256;

/// Keeps a limit at or below the present one: only root can raise a limit.
fn at_most_now(resource: Resource, limit: Rlimit) -> Rlimit {
    let max = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let capped = |value: Option<u64>| value.map(|value| value.min(max));
    Rlimit { current: capped(limit.current), maximum: capped(limit.maximum) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_limits_is_in_the_order_of_the_files() {
        let names = const { &Limits::KEYS }.map(|key| format!("{} =", key.name));
        let written = toml::to_string(&Limits::default()).unwrap();
        assert_eq!(written.lines().count(), names.len());
        assert!(written.lines().zip(&names).all(|(line, name)| line.starts_with(name)), "{written}");
    }

    #[test]
    fn the_processor_time_is_three_times_what_the_work_may_take() {
        for (work, own, expected) in [(210, 0, 3 * 210 + 1), (1, 0, CPU_MIN.as_secs() + 1), (210, 7, 7)] {
            let limits = Limits { cpu_seconds: own, ..Limits::default() };
            assert_eq!(
                limits.with_cpu_for(Duration::from_secs(work)).cpu_seconds,
                expected,
                "{work} s of work"
            );
        }
    }
}
