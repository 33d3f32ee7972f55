//! The keeper of a command: a copy of this program between the arena and an agent's command. It ends the command and all
//! that the command has started when its time is over, or the arena is gone. It limits what the command prints, and
//! writes down how the command ended, before the arena hears of it.

use std::io::{self, PipeReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use clap::Args;
use referee_contest::publish;
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_table::clock::Clock;
use rustix::process::{Pid, Signal, getpid, kill_process, set_child_subreaper};
use serde::{Deserialize, Serialize};
use wait_timeout::ChildExt;

/// The name of the command that is a keeper.
pub(crate) const COMMAND: &str = "arena-command";

/// Maximum number of bytes that are kept of what a command prints.
pub(crate) const PRINTED_MAX: usize = 1 << 20;

/// Time between two looks at whether the arena is gone.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The end of a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Step {
    /// How long it took, in seconds.
    pub(crate) seconds: f64,
    /// How it ended, in words.
    pub(crate) end: String,
}

/// Run an agent's command. The arena calls this
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct Keeper {
    /// Maximum time in seconds
    #[arg(long)]
    seconds: u64,
    /// A file that is locked while the command runs
    #[arg(long)]
    lock: PathBuf,
    /// The file for the end of the command
    #[arg(long)]
    result: PathBuf,
    /// The file for what the command prints
    #[arg(long)]
    printed: PathBuf,
    /// The user and the group that the command becomes
    #[arg(long, num_args = 2)]
    become_user: Vec<u32>,
    /// The command
    #[arg(last = true, required = true)]
    words: Vec<std::ffi::OsString>,
}

impl Keeper {
    /// Runs the command. Its end is written down unless the arena is gone before it.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        // Processes that lose their parent become children of this one, and are found in the end.
        set_child_subreaper(Some(getpid()))?;
        let lock = Spot::from(&*self.lock).append().map_err(Error::system(&self.lock, "lock a command"))?;
        // The keeper of an arena that was killed may still end its command.
        lock.lock()?;
        let is_gone = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&is_gone);
        thread::spawn(move || {
            while io::stdin().read(&mut [0; 64]).is_ok_and(|count| count > 0) {}
            told.store(true, Ordering::Relaxed);
        });
        let printed = Spot::from(&*self.printed).create();
        let printed = printed.map_err(Error::system(&self.printed, "write what a command prints"))?;
        let clock = Clock::start();
        let (reader, writer) = io::pipe()?;
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).process_group(0);
        command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        if let [user, group] = self.become_user[..] {
            command.uid(user).gid(group);
        }
        let started = command.spawn();
        // It holds the ends of the pipe for the command.
        drop(command);
        let printer = thread::spawn(move || copy(reader, printed));
        let mut are_all_ended = true;
        let end = match started {
            Err(error) => format!("cannot be started: {error}"),
            Ok(mut child) => {
                let mut ended = None;
                while ended.is_none()
                    && clock.now().0.as_secs() < self.seconds
                    && !is_gone.load(Ordering::Relaxed)
                {
                    ended = child.wait_timeout(LOOK_EVERY)?;
                }
                are_all_ended = end_all(children, |process| kill_process(process, Signal::KILL).is_ok());
                told_of(ended, self.seconds, are_all_ended)
            }
        };
        // What is left may hold the pipe.
        if are_all_ended {
            let _ = printer.join();
        }
        if !is_gone.load(Ordering::Relaxed) {
            let seconds = (clock.now().0.as_secs_f64() * 10.0).round() / 10.0;
            let text = serde_json::to_string(&Step { seconds, end })? + "\n";
            publish::replace(self.result.as_path(), text.as_bytes())?;
        }
        Ok(())
    }
}

/// Returns the end of a command in words: its status, or `None` if its time was over.
fn told_of(ended: Option<ExitStatus>, seconds: u64, are_all_ended: bool) -> String {
    let told = match ended.map(|status| (status.signal(), status)) {
        Some((Some(signal), _)) => format!("signal: {signal}"),
        Some((None, status)) => status.to_string(),
        None => format!("killed: it took more than {seconds} s"),
    };
    let left = "; a process that has become another user could not be ended";
    if are_all_ended { told } else { told + left }
}

/// Copies what a command prints, up to the maximum. The rest is read, so that the command does not wait.
fn copy(mut from: PipeReader, mut to: impl Write) {
    let (mut buffer, mut left, mut is_told) = (vec![0; 1 << 16], PRINTED_MAX, false);
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let kept = count.min(left);
        let _ = to.write_all(&buffer[..kept]);
        left -= kept;
        if kept < count && !is_told {
            is_told = true;
            let _ = writeln!(to, "\n[the rest is left out: more than {} MiB]", PRINTED_MAX >> 20);
        }
    }
    let _ = to.flush();
}

/// Kills all processes that descend from this one, until there are none, or those that are left may not be killed.
/// Returns whether there are none.
fn end_all(mut children: impl FnMut() -> Vec<Pid>, mut kill: impl FnMut(Pid) -> bool) -> bool {
    loop {
        let mut all = children();
        if all.is_empty() {
            return true;
        }
        all.retain(|process| kill(*process));
        if all.is_empty() {
            return false;
        }
        for process in all {
            let _ = rustix::process::waitpid(Some(process), rustix::process::WaitOptions::empty());
        }
    }
}

/// Lists the children of this process, which are those of its first thread: no other one starts any.
fn children() -> Vec<Pid> {
    let own = getpid().as_raw_nonzero();
    let file = format!("/proc/{own}/task/{own}/children");
    let listed = Spot::from(Path::new(&file)).read_text(LIST_MAX).unwrap_or_default();
    listed.split_whitespace().filter_map(|number| Pid::from_raw(number.parse().ok()?)).collect()
}

/// Maximum length of the list of children that is read at once, in bytes.
const LIST_MAX: u64 = 16 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that no process has.
    fn processes(numbers: &[i32]) -> Vec<Pid> {
        numbers.iter().map(|number| Pid::from_raw(i32::MAX - number).unwrap()).collect()
    }

    #[test]
    fn what_may_not_be_killed_is_left_after_all_others_and_the_end_says_so() {
        let (mut left, mut killed) = (processes(&[1, 2, 3]), Vec::new());
        let stubborn = left[1];
        let are_all_ended = end_all(
            || std::mem::replace(&mut left, vec![stubborn]),
            |process| {
                killed.push(process);
                process != stubborn
            },
        );
        assert!(!are_all_ended && killed.starts_with(&processes(&[1, 2, 3])), "{killed:?}");
        let due = "killed: it took more than 9 s; a process that has become another user could not be ended";
        assert_eq!(told_of(None, 9, are_all_ended), due);
        assert_eq!(told_of(Some(ExitStatus::from_raw(3 << 8)), 9, true), "exit status: 3");
        assert_eq!(told_of(Some(ExitStatus::from_raw(9)), 9, true), "signal: 9");
    }

    #[test]
    fn children_that_come_while_others_are_killed_are_killed_too() {
        let mut rounds = vec![Vec::new(), processes(&[4]), processes(&[1, 2])];
        let mut killed = 0;
        assert!(end_all(
            || rounds.pop().unwrap(),
            |_| {
                killed += 1;
                true
            }
        ));
        assert_eq!(killed, 3);
    }
}
