//! Memory of a bot: the total of all its processes.
//!
//! The kernel limits the memory that a process requests, but a process can hold memory that is not counted: a
//! page that was written and then made read-only. Therefore the referee measures the memory about every 20
//! milliseconds, also in slow turns.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use rustix::process::Pid;

use crate::clock::Moment;
use crate::process::family::below;
use referee_sandbox::Limits;

/// Time between two looks. A look takes some microseconds, so only one in hundreds of quick turns includes
/// one.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The memory of a program and its processes, observed repeatedly.
#[derive(Debug)]
pub struct Memory {
    process: Pid,
    /// The status of the bot's first process. Once that has ended, reading it is an error, even if another
    /// process has its number.
    status: File,
    /// The process below which all children of the bot are; `None` if it may not have any.
    family: Option<Pid>,
    max_kib: u64,
}

impl Memory {
    /// Begins to watch a process; with `family`, also all descendants of that process.
    ///
    /// Returns `None` if the system shows nothing of it.
    pub fn of(process: Pid, family: Option<Pid>, limits: &Limits) -> Option<Memory> {
        let status = File::open(path_of(process, "status")).ok()?;
        Some(Memory { process, status, family, max_kib: limits.resident_mib().saturating_mul(1024) })
    }

    /// Tells whether the bot holds more memory than allowed.
    pub fn is_too_much(&self) -> bool {
        let Some(mut held) = held_kib(&self.status) else { return false };
        if self.family.is_none() {
            return held > self.max_kib;
        }
        let others = self.others();
        for process in &others {
            let status = File::open(path_of(*process, "status")).ok();
            held = held.saturating_add(status.and_then(|status| held_kib(&status)).unwrap_or(0));
        }
        if held <= self.max_kib {
            return false;
        }
        // Memory that a process shares with its children was counted once for each. A closer look takes
        // longer.
        let all = others.into_iter().chain([self.process]);
        let shares = all.map(|process| held_share_kib(process).unwrap_or(0));
        shares.fold(0, u64::saturating_add) > self.max_kib
    }

    /// Lists all descendants of the head of the family, except the bot's first process.
    fn others(&self) -> Vec<Pid> {
        let head = self.family.unwrap_or(self.process).as_raw_nonzero().get();
        below(head).into_iter().filter_map(Pid::from_raw).filter(|process| *process != self.process).collect()
    }
}

fn path_of(process: Pid, name: &str) -> String {
    format!("/proc/{}/{name}", process.as_raw_nonzero())
}

/// Reads a process's memory without a file behind it, in KiB: resident, swapped out, and its page tables.
fn held_kib(status: &File) -> Option<u64> {
    let mut buffer = [0; 4096];
    let count = status.read_at(&mut buffer, 0).ok()?;
    sum_of(&buffer[..count], &["RssAnon:", "RssShmem:", "VmSwap:", "VmPTE:"])
}

/// Reads the same, but counts of memory that several processes share only this one's part.
fn held_share_kib(process: Pid) -> Option<u64> {
    let tables = sum_of(&fs::read(path_of(process, "status")).ok()?, &["VmPTE:"])?;
    let rollup = fs::read(path_of(process, "smaps_rollup")).ok();
    let shares = rollup.and_then(|text| sum_of(&text, &["Pss_Anon:", "Pss_Shmem:", "SwapPss:"]));
    // The system may hide it for processes of other users.
    let pages = shares.or_else(|| held_kib(&File::open(path_of(process, "status")).ok()?))?;
    Some(tables + pages)
}

/// Adds up the numbers after these names.
fn sum_of(text: &[u8], names: &[&str]) -> Option<u64> {
    let lines = text.split(|byte| *byte == b'\n');
    let value = |line: &[u8]| -> Option<u64> {
        let name = names.iter().find(|name| line.starts_with(name.as_bytes()))?;
        let value = line[name.len()..].trim_ascii().split(u8::is_ascii_whitespace).next()?;
        str::from_utf8(value).ok()?.parse().ok()
    };
    lines.filter_map(value).reduce(u64::saturating_add)
}

/// When the memory of the bots of a game was last measured.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastLook(Moment);

impl LastLook {
    /// Tells whether it is time for another look. If so, this time is stored as that of a look.
    pub(super) fn is_long_ago(&mut self, now: Moment) -> bool {
        let is_long_ago = now - self.0 > LOOK_EVERY;
        if is_long_ago {
            self.0 = now;
        }
        is_long_ago
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_files_is_added_up() {
        let status = b"Name:\tRssAnon: 9\nVmRSS:\t  900 kB\nRssAnon:\t  100 kB\nRssFile:\t 800 kB\nRssShmem:\t 20 kB\n\
                       VmPTE:\t 3 kB\nVmSwap:\t  4 kB\n";
        assert_eq!(sum_of(status, &["RssAnon:", "RssShmem:", "VmSwap:", "VmPTE:"]), Some(127));
        assert_eq!(sum_of(b"State:\tZ (zombie)\n", &["RssAnon:"]), None);
    }

    #[test]
    fn this_very_process_holds_what_it_has_written() {
        let own = rustix::process::getpid();
        let limits = Limits { data_mib: 1, stack_mib: 1, folder_mib: 0, ..Limits::default() };
        let limits_of = |mib| Limits { data_mib: mib, ..limits.clone() };
        let memory = vec![1_u8; 64 << 20];
        std::hint::black_box(&memory);
        assert!(Memory::of(own, None, &limits_of(32)).is_some_and(|held| held.is_too_much()));
        assert!(Memory::of(own, None, &limits_of(1 << 20)).is_some_and(|held| !held.is_too_much()));
    }
}
