//! Limits: how much of the machine a bot may use. The kernel enforces them: a call beyond a limit fails, or
//! ends the bot.

use std::fmt;
use std::io;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};

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
    /// The default is about 1.5 times the peak of the runtime with most threads on two cores. The table lists
    /// the peaks on two cores and if the runtimes were told of more cores (Debian 12; Java with the arguments
    /// that every bot gets):
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
    /// The unit of its values.
    unit: &'static str,
    value: fn(&mut Limits) -> &mut u64,
}

impl Key {
    /// Returns the unit: `MiB`, `threads`.
    pub fn unit(&self) -> &'static str {
        self.unit
    }

    /// Returns the default.
    pub fn usual(&self) -> u64 {
        *(self.value)(&mut Limits::default())
    }
}

/// A value that a limit cannot have.
#[derive(Clone, Debug)]
pub struct OutOfRange {
    key: &'static Key,
    value: String,
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Key { name, least, most, unit, .. } = self.key;
        let usual = self.key.usual();
        write!(
            f,
            "{name} = {} is out of range: it is a whole number of {unit} from {least} to {most} (leave it out for {usual})",
            self.value
        )
    }
}

impl std::error::Error for OutOfRange {}

const MIB_MOST: u64 = 1 << 20;

impl Limits {
    /// All limits.
    pub const KEYS: [Key; 7] = [
        Key {
            name: "data_mib",
            about: "memory",
            least: 4,
            most: MIB_MOST,
            unit: "MiB",
            value: |limits| &mut limits.data_mib,
        },
        Key {
            name: "stack_mib",
            about: "stack of the first thread",
            least: 1,
            most: 4096,
            unit: "MiB",
            value: |limits| &mut limits.stack_mib,
        },
        Key {
            name: "tasks",
            about: "threads",
            least: 1,
            most: 32_768,
            unit: "threads",
            value: |limits| &mut limits.tasks,
        },
        Key {
            name: "file_mib",
            about: "length of a file that a bot writes",
            least: 0,
            most: MIB_MOST,
            unit: "MiB",
            value: |limits| &mut limits.file_mib,
        },
        Key {
            name: "descriptors",
            about: "open files, pipes included",
            least: 8,
            most: 65_536,
            unit: "open files",
            value: |limits| &mut limits.descriptors,
        },
        // For the system, a folder of size 0 has no limit.
        Key {
            name: "folder_mib",
            about: "size of a bot's folder",
            least: 1,
            most: 65_536,
            unit: "MiB",
            value: |limits| &mut limits.folder_mib,
        },
        Key {
            name: "cpu_seconds",
            about: "processor time in seconds; 0 means three times what the game gives a bot",
            least: 0,
            most: 31_536_000,
            unit: "seconds",
            value: |limits| &mut limits.cpu_seconds,
        },
    ];

    /// Returns the limit with this name.
    pub fn key(name: &str) -> Option<&'static Key> {
        const { &Limits::KEYS }.iter().find(|key| key.name == name)
    }

    /// Sets a limit to a value as text.
    ///
    /// # Errors
    ///
    /// If the value is not a whole number in the limit's range.
    pub fn set(&mut self, key: &'static Key, value: &str) -> Result<(), OutOfRange> {
        let number = value.parse().ok().filter(|number| (key.least..=key.most).contains(number));
        *(key.value)(self) = number.ok_or_else(|| OutOfRange { key, value: value.to_owned() })?;
        Ok(())
    }

    /// Makes sure that each limit is in its range.
    ///
    /// # Errors
    ///
    /// The first limit that is not.
    pub fn check(&self) -> Result<(), OutOfRange> {
        let mut limits = self.clone();
        const { &Limits::KEYS }.iter().try_for_each(|key| {
            let value = (key.value)(&mut limits).to_string();
            limits.set(key, &value)
        })
    }
}

/// Maximum number of files and folders in a bot's folder.
pub(super) const FOLDER_FILES: u32 = 1024;

/// How much longer than its data a bot's address space may be. glibc reserves 64 MiB a thread, for up to
/// eight threads a core, and does without if there is no room; Go reserves up to 1.2 GiB (0.7 in version
/// 1.19). This also bounds the memory that a bot can take between two looks at it.
const RESERVED_MIB: u64 = 2 * 1024;

/// The same for programs that reserve far more than they use.
const RESERVED_BY_RUNTIMES_MIB: u64 = 32 * 1024;

/// Minimum processor time of a bot, even in a short game.
const CPU_LEAST: Duration = Duration::from_secs(10);

impl Limits {
    /// Returns the number of cores that is told to runtimes that start threads for each core.
    pub(super) fn cores(&self) -> u64 {
        let here = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
        here.min(self.tasks / 4).max(1)
    }

    /// Returns these limits with the processor time filled in: three times the total time that a program has
    /// for its work, but at least ten seconds.
    pub fn with_cpu_for(&self, work: Duration) -> Limits {
        let backstop = work.saturating_mul(3).max(CPU_LEAST).as_secs() + 1;
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
        limits
            .into_iter()
            .try_for_each(|(resource, limit)| setrlimit(resource, at_most_now(resource, limit)))?;
        Ok(())
    }
}

/// Maximum number of pending signals of a bot.
const SIGNALS: u64 = 256;

/// Keeps a limit at or below the present one: only root can raise a limit.
fn at_most_now(resource: Resource, limit: Rlimit) -> Rlimit {
    let most = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
    Rlimit {
        current: limit.current.map(|value| value.min(most)),
        maximum: limit.maximum.map(|v| v.min(most)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_takes_its_range_and_nothing_else_and_says_so() {
        for key in const { &Limits::KEYS } {
            let mut limits = Limits::default();
            for good in [key.least, key.most] {
                limits.set(key, &good.to_string()).unwrap();
                limits.check().unwrap();
                assert_eq!(*(key.value)(&mut limits), good, "{}", key.name);
            }
            let above = [key.most + 1, u64::MAX].map(|number| number.to_string());
            let below = key.least.checked_sub(1).map(|number| number.to_string());
            let bad = ["-1", "1.5", "18446744073709551616", "nan", "", "1e3"].map(str::to_owned);
            for bad in above.into_iter().chain(below).chain(bad) {
                let error = limits.set(key, &bad).unwrap_err().to_string();
                let range = format!("{} = {bad} is out of range: it is a whole number of", key.name);
                assert!(error.starts_with(&range) && error.contains(&key.most.to_string()), "{error}");
            }
            *(key.value)(&mut limits) = key.most + 1;
            assert!(limits.check().is_err(), "{}", key.name);
        }
        Limits::default().check().unwrap();
        let names = const { &Limits::KEYS }.map(|key| format!("{} =", key.name));
        let written = toml::to_string(&Limits::default()).unwrap();
        assert!(written.lines().zip(&names).all(|(line, name)| line.starts_with(name)), "{written}");
    }

    #[test]
    fn the_processor_time_is_three_times_what_the_work_may_take() {
        for (work, own, due) in [(210, 0, 3 * 210 + 1), (1, 0, CPU_LEAST.as_secs() + 1), (210, 7, 7)] {
            let limits = Limits { cpu_seconds: own, ..Limits::default() };
            assert_eq!(limits.with_cpu_for(Duration::from_secs(work)).cpu_seconds, due, "{work} s of work");
        }
    }
}
