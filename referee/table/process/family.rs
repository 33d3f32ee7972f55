//! A bot's family: the processes that a bot with --allow-fork has started, and their running time, including
//! processes that have ended.
//!
//! These processes are found below the launcher, which adopts processes whose parent has ended. The parent of
//! an ended process reports its time once it has removed it. Until then, the last observed time counts.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::clock::CpuClock;
use crate::process::proc_files::{each_thread, state_in, times_in};
use crate::process::threads::Threads;

/// The processes of a bot, observed repeatedly.
#[derive(Debug)]
pub(super) struct Family {
    bot: i32,
    launcher: i32,
    members: Vec<Member>,
    ran: Duration,
    /// Running time of ended children that their parents reported.
    ended: Balance,
}

#[derive(Debug)]
struct Member {
    number: i32,
    clock: CpuClock,
    ran: Duration,
    /// Running time of its ended children.
    children_ran: Duration,
    /// Whether it was found at the last look.
    is_there: bool,
}

/// Running time of ended processes: as reported by their parents, and as it had been observed before.
#[derive(Debug, Default)]
struct Balance {
    reported: Duration,
    observed: Duration,
}

impl Balance {
    /// Returns the reported time beyond the observed one. Reports are in hundredths of a second, so a
    /// remainder is kept.
    fn take_surplus(&mut self) -> Duration {
        let surplus = self.reported.saturating_sub(self.observed);
        self.observed = self.observed.saturating_sub(self.reported).min(REPORT_UNIT);
        self.reported = Duration::ZERO;
        surplus
    }
}

/// The unit in which the system reports the running time of a process's children.
const REPORT_UNIT: Duration = Duration::from_millis(10);

impl Family {
    /// The bot, and all processes that are found below its launcher.
    pub(super) fn new(bot: i32, launcher: i32) -> Family {
        Family { bot, launcher, members: Vec::new(), ran: Duration::ZERO, ended: Balance::default() }
    }

    /// Returns the total running time of all of them so far.
    pub(super) fn ran(&mut self) -> Duration {
        for member in &mut self.members {
            member.is_there = false;
        }
        let mut numbers = below(self.launcher);
        if !numbers.contains(&self.bot) {
            numbers.push(self.bot); // some systems do not list children
        }
        // Children before their parents: a parent reports the time of a child that it has just removed.
        for number in numbers.into_iter().rev() {
            self.observe(number);
        }
        for ended in self.members.extract_if(.., |member| !member.is_there) {
            self.ended.observed += ended.ran + ended.children_ran;
        }
        self.ran += self.ended.take_surplus();
        self.ran
    }

    /// Adds what a process, and its ended children, ran since the last look.
    fn observe(&mut self, number: i32) {
        if self.members.iter().all(|member| member.number != number) {
            let Some(clock) = CpuClock::of_process(number) else { return };
            let (ran, children_ran) = (Duration::ZERO, Duration::ZERO);
            self.members.push(Member { number, clock, ran, children_ran, is_there: true });
        }
        let Some(member) = self.members.iter_mut().find(|member| member.number == number) else { return };
        let (Some(ran), Some(children_ran)) = (member.clock.read(), children_ran(number)) else { return };
        member.is_there = true;
        self.ran += ran.saturating_sub(member.ran);
        self.ended.reported += children_ran.saturating_sub(member.children_ran);
        (member.ran, member.children_ran) = (ran, children_ran);
    }

    /// Adds all their threads to `threads`.
    pub(super) fn add_threads(&self, threads: &mut Threads) {
        for member in self.members.iter().filter(|member| member.is_there) {
            let Ok(folder) = File::open(folder(member.number).join("task")) else { continue };
            each_thread(&folder, "schedstat", |number, file| {
                if let Some(times) = times_in(file) {
                    threads.add(number, times);
                }
            });
        }
    }

    /// Tells whether one of their threads runs or is ready to.
    pub(super) fn is_ready(&self) -> bool {
        let mut is_ready = false;
        for member in self.members.iter().filter(|member| member.is_there) {
            let Ok(folder) = File::open(folder(member.number).join("task")) else { continue };
            each_thread(&folder, "stat", |_, file| is_ready |= state_in(file) == Some('R'));
        }
        is_ready
    }
}

/// Maximum depth of the tree: the number of tasks that a bot may have.
const DEPTH_MAX: u32 = 4096;

/// Lists the processes below one: parents before their children.
pub(super) fn below(number: i32) -> Vec<i32> {
    let mut numbers = Vec::new();
    push_below(number, &mut numbers, 0);
    numbers
}

fn push_below(number: i32, numbers: &mut Vec<i32>, depth: u32) {
    if depth > DEPTH_MAX {
        return;
    }
    let threads = fs::read_dir(folder(number).join("task")).into_iter().flatten().flatten();
    for thread in threads {
        let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        for child in children.split_ascii_whitespace().filter_map(|child| child.parse().ok()) {
            numbers.push(child);
            push_below(child, numbers, depth + 1);
        }
    }
}

fn folder(number: i32) -> PathBuf {
    Path::new("/proc").join(number.to_string())
}

/// Reads the running time of a process's ended children that it has removed.
fn children_ran(number: i32) -> Option<Duration> {
    children_ran_in(&fs::read(folder(number).join("stat")).ok()?)
}

/// Returns the running time of the ended children in the text of `stat`.
fn children_ran_in(text: &[u8]) -> Option<Duration> {
    let text = text.rsplit(|byte| *byte == b')').next()?;
    let words: Vec<&str> = std::str::from_utf8(text).ok()?.split_ascii_whitespace().collect();
    // In user and in system mode, the sixteenth and seventeenth word; the first of these is the third word.
    let number = |index: usize| words.get(index)?.parse::<u64>().ok();
    let ticks = number(13)?.saturating_add(number(14)?);
    Some(REPORT_UNIT * u32::try_from(ticks).ok()?)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use super::*;

    use proptest::prelude::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    proptest! {
        #[test]
        fn any_bytes_of_a_name_hide_no_children(
            name in prop::collection::vec(1u8.., 0..16),
            [user, system] in any::<[u16; 2]>(),
        ) {
            let numbers = "1 7 7 0 -1 4194560 105 0 0 0 3 4";
            let times = format!(") S {numbers} {user} {system} 20 0 1 0 100 0 0");
            let text = [b"7 (", &*name, times.as_bytes()].concat();
            prop_assert_eq!(children_ran_in(&text), Some(REPORT_UNIT * (u32::from(user) + u32::from(system))));
        }

        #[test]
        fn any_bytes_of_a_process_are_taken(
            text in prop::collection::vec(any::<u8>(), 0..400),
            numbers in any::<[u64; 16]>(),
        ) {
            let _ = children_ran_in(&text);
            let words: Vec<String> = numbers.iter().map(u64::to_string).collect();
            let _ = children_ran_in(format!("7 (x) {}", words.join(" ")).as_bytes());
        }
    }

    #[test]
    fn what_was_seen_of_a_child_is_not_charged_again_when_its_parent_tells() {
        let mut balance = Balance::default();
        let mut take_surplus = |reported, observed| {
            balance.reported += ms(reported);
            balance.observed += ms(observed);
            balance.take_surplus()
        };
        assert_eq!(take_surplus(30, 0), ms(30), "it was never seen");
        assert_eq!(take_surplus(30, 25), ms(5), "it ran on after it was observed");
        // Seven each, which are reported as nothing, ten, ten.
        assert_eq!([take_surplus(0, 7), take_surplus(10, 7), take_surplus(10, 7)], [ms(0), ms(0), ms(0)]);
        // Unreported time does not hide time that is reported later.
        assert_eq!(take_surplus(0, 500), ms(0));
        assert_eq!(take_surplus(100, 0), ms(90));
    }

    /// A shell whose child computes, ends, and is removed: the shell itself hardly runs.
    #[test]
    fn what_a_child_ran_counts_once_it_has_ended() {
        const COMPUTES: &str = "(i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done); times; read line";
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", COMPUTES]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut shell = shell.spawn().expect("a shell");
        let mut said = BufReader::new(shell.stdout.take().expect("a pipe")).lines();
        // Two lines, for the shell and for its children: minutes and seconds, in user and in system mode.
        let children = said.nth(1).expect("two lines").expect("plain text");
        let seconds = |time: &str| time.rsplit_once('m')?.1.trim_end_matches('s').parse::<f64>().ok();
        let reported: f64 = children.split(' ').filter_map(seconds).sum();
        let number = i32::try_from(shell.id()).expect("a number");
        let mut family = Family::new(number, number);
        let ran = family.ran().as_secs_f64();
        assert!(reported > 0.03 && ran >= reported - 0.03, "{ran} {reported}");
        let again = family.ran().as_secs_f64();
        assert!(again - ran < 0.01, "it is charged once: {ran}, {again}");
        drop(shell.stdin.take());
        shell.wait().expect("its end");
    }

    #[test]
    fn children_that_live_are_found_with_all_their_threads() {
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", "sh -c 'while :; do :; done' & echo $!; read line; kill $!"]);
        let mut shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
        let mut said = BufReader::new(shell.stdout.take().expect("a pipe")).lines();
        let child: i32 = said.next().expect("a line").expect("text").parse().expect("a number");
        let number = i32::try_from(shell.id()).expect("a number");
        let mut family = Family::new(number, number);
        let of_child = CpuClock::of_process(child).expect("it lives");
        // However busy the machine is.
        while of_child.read().expect("it lives") < ms(30) {
            std::thread::sleep(ms(1));
        }
        assert!(family.ran() >= ms(30));
        let mut threads = Threads::default();
        family.add_threads(&mut threads);
        assert!(threads.waiting(family.ran()).unseen < family.ran(), "its thread is seen");
        drop(shell.stdin.take());
        shell.wait().expect("its end");
    }
}
