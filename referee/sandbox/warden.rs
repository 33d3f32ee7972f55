//! The warden: a copy of the launcher that stays until the launcher is gone, and then kills all processes
//! that the bot has started.
//!
//! A bot dies with its launcher: the kernel does that, but not for processes that the bot has started. In the
//! strict tier they die with process 1 of their namespace. In other tiers the launcher kills them, and if the
//! launcher is killed, the referee does. The warden is for the case that both are killed.

use std::io::{self, Read};
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, waitpid};
use rustix::stdio::{dup2_stdin, stdin};

use super::system::{self, Fork};

/// A process that waits for the end of the process that has started it.
#[derive(Debug)]
pub(crate) struct Warden {
    process: Pid,
    /// The writer of its input. Only the launcher and, until it executes its program, the bot hold it, so the input
    /// ends when the launcher is gone.
    input_writer: OwnedFd,
}

impl Warden {
    pub(super) fn start() -> io::Result<Warden> {
        let (input, input_writer) = pipe_with(PipeFlags::CLOEXEC)?;
        // SAFETY: a launcher and its fork server have one thread.
        match unsafe { system::fork() }? {
            Fork::Parent(process) => Ok(Warden { process, input_writer }),
            Fork::Child => {
                drop(input_writer);
                watch(input);
                std::process::exit(0)
            }
        }
    }

    /// Names the group to kill: that of the calling process, which will be the bot.
    pub(super) fn watch_over_this_process(&self) -> io::Result<()> {
        rustix::io::write(&self.input_writer, &getpid().as_raw_nonzero().get().to_ne_bytes())?;
        Ok(())
    }

    /// Kills the warden. To be called if there is no bot to watch over.
    pub(super) fn kill(self) {
        let _ = kill_process(self.process, Signal::KILL);
        let _ = waitpid(Some(self.process), WaitOptions::empty());
    }
}

/// Waits for the number of a group, then for the end of its input, and kills the group.
fn watch(input: OwnedFd) {
    // A kill of the launcher's whole group is not meant for this process.
    let _ = rustix::process::setpgid(None, None);
    // No descriptor of the launcher may stay open here: the bot's streams are among them.
    let _ = dup2_stdin(&input);
    std::mem::forget(input);
    // SAFETY: this process uses nothing any more except its standard input.
    unsafe { system::close_from(1) };
    let mut number = [0; size_of::<i32>()];
    if io::stdin().read_exact(&mut number).is_err() {
        return;
    }
    let Some(group) = Pid::from_raw(i32::from_ne_bytes(number)) else { return };
    while rustix::io::read(stdin(), &mut [0; 1][..]) == Err(Errno::INTR) {}
    let _ = kill_process_group(group, Signal::KILL);
}
