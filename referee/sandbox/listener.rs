//! Calls of a bot that the launcher answers in the kernel's place, since the kernel's answer would tell what other bots
//! do: `sysinfo`, and waits on shared futexes. If its clock is moved, it also answers readings of clocks (see
//! `moved_clock`).
//!
//! `sysinfo` reports the machine's memory, load and number of processes. Two bots could talk by changing them, so each
//! gets the same constants.
//!
//! A shared futex is one without the flag that says that it is private to its process. The libraries of C and C++ wait
//! on such a futex for the end of a thread, for an initialization that happens once, and for a promise of another
//! thread. But it can be on a page of a file that other bots map, too. Then a wake-up would carry a message between
//! bots, and so would the end of a thread, which the kernel reports to all waiting threads there. So no such wait
//! reaches the kernel. The launcher gets it, looks at the value from time to time, and makes the thread look once the
//! value has changed.

use std::io;
use std::num::NonZeroU64;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::thread::set_current_timer_slack;
use seccompiler::BpfProgram;

use super::holds::{Answer, Holds, Limit, Wait};
use super::message::{self, ClockShift};
use super::moved_clock::{self, MovedClock};
use super::statements::{NUMBER, argument, end, is, load, without};
use super::system::{self, Call, context};
use crate::clock::{self, Clock, Moment};

/// The filter that passes these calls to the launcher, for a process that will be a bot. Calls that other
/// filters refuse are not passed on.
///
/// It assumes that no call is of another architecture, as [`super::calls`] does.
fn program(is_clock_moved: bool) -> BpfProgram {
    let waits = [
        load(NUMBER),
        // `is(value, n, m)` skips n statements if the value is equal, else m. The last three of them refuse, ask and
        // allow.
        is(libc::SYS_sysinfo as u32, 12, 0),
        is(libc::SYS_futex as u32, 0, 12),
        load(argument(1)),
        without(libc::FUTEX_CLOCK_REALTIME),
        is(libc::FUTEX_WAIT as u32, 8, 0),
        is(libc::FUTEX_WAIT_BITSET as u32, 0, 8),
        // The library of C++ waits for a promise until some time. If that is not implemented, it waits for a
        // length of time and checks the clock itself.
        load(argument(2)),
        is(PROMISED, 0, 5),
        load(argument(3)),
        is(0, 0, 2),
        load(argument(3) + 4),
        is(0, 1, 0),
        end(libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
        end(libc::SECCOMP_RET_USER_NOTIF),
        end(libc::SECCOMP_RET_ALLOW),
    ];
    let clocks = if is_clock_moved { moved_clock::filter() } else { Vec::new() };
    clocks.into_iter().chain(waits).collect()
}

/// The value of a promise's futex: not kept yet, and a thread waits. (A robust lock that uses this bit for "a
/// thread waits" also has its owner in the value.)
const PROMISED: u32 = 1 << 31;

/// Makes a pair of sockets for [`listen`] and [`Waits::receive_listener`].
pub(super) fn sockets() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// Passes these calls of this process, and of all processes that it starts, to the process at the other end of
/// this socket.
pub(super) fn listen(launcher: BorrowedFd<'_>, is_clock_moved: bool) -> io::Result<()> {
    let listener = system::filter_and_listen(&program(is_clock_moved)).map_err(|error| {
        let why = match error.raw_os_error() {
            // A process can have only one listener, and the program that started the referee, such as a container
            // runtime, has installed one.
            Some(libc::EBUSY) => "receive waits, and only one can be told (seccomp)",
            _ => "receive waits (seccomp)",
        };
        context(why)(error)
    })?;
    Ok(message::send_with(launcher, b"listener", &[listener.as_fd()])?)
}

/// The calls of a bot that its launcher answers, and the waits that it holds.
#[derive(Debug)]
pub(crate) struct Waits {
    listener: OwnedFd,
    clock: Clock,
    holds: Holds,
    /// The bot's clock, if it is moved.
    moved_clock: Option<MovedClock>,
    /// Whether the system has been asked to end the launcher's pauses in time.
    is_punctual: bool,
}

impl Waits {
    /// Receives what [`listen`] has sent.
    pub(super) fn receive_listener(socket: BorrowedFd<'_>, shift: Option<ClockShift>) -> io::Result<Waits> {
        let listener = message::receive_descriptor(socket)?;
        let listener = listener.ok_or_else(|| io::Error::other("no listener came"))?;
        let moved_clock = shift.map(MovedClock::new);
        Ok(Waits {
            listener,
            clock: Clock::start(),
            holds: Holds::default(),
            moved_clock,
            is_punctual: false,
        })
    }

    /// Returns a descriptor that is readable when there is a call to accept. `None`: it is too early for
    /// another one.
    pub(crate) fn listener(&self) -> Option<BorrowedFd<'_>> {
        self.holds.is_open(self.clock.now()).then(|| self.listener.as_fd())
    }

    /// Accepts a call. There must be one, but it can have been interrupted meanwhile.
    pub(crate) fn take(&mut self) {
        let Ok(call) = system::receive_call(self.listener.as_fd()) else { return };
        if i64::from(call.number) == libc::SYS_sysinfo {
            self.describe_machine(&call);
            self.holds.delay_next(self.clock.now());
            return;
        }
        if let Some(answer) = self.moved_clock.as_mut().and_then(|clock| clock.answer(&call)) {
            let _ = system::end_call(self.listener.as_fd(), call.id, answer);
            return;
        }
        if !self.is_punctual {
            // By default a pause lasts 50 us longer, which is as long as the shortest pause.
            let _ = set_current_timer_slack(NonZeroU64::new(1));
            self.is_punctual = true;
        }
        let [address, _, value, ..] = call.arguments;
        let now = self.clock.now();
        let ahead = self.moved_clock.as_ref().map_or(Duration::ZERO, MovedClock::ahead);
        let limit = limit(&call, now, ahead);
        let Call { id, thread, .. } = call;
        self.holds.take(Wait { id, thread, address, value: value as u32, since: now, limit }, now);
    }

    /// Answers `sysinfo`.
    fn describe_machine(&self, call: &Call) {
        let [address, ..] = call.arguments;
        // Without the right to write to the bot's memory, the answer is that of a kernel without such a call.
        let answer = match system::write_memory(call.thread, address, &system::constant_machine()) {
            Ok(()) => Ok(0),
            Err(error) if error.raw_os_error() == Some(libc::EFAULT) => Err(libc::EFAULT),
            Err(_) => Err(libc::ENOSYS),
        };
        let _ = system::end_call(self.listener.as_fd(), call.id, answer);
    }

    /// Looks at the due waits, and ends those that are over. Returns the time until the next look, if there
    /// will be one.
    pub(crate) fn answer(&mut self) -> Option<Duration> {
        let now = self.clock.now();
        while let Some(wait) = self.holds.next_due(now) {
            // A signal has interrupted the wait, such as when a bot is frozen, or the thread has ended.
            if system::is_call_gone(self.listener.as_fd(), wait.id) {
                continue;
            }
            let mut value = [0; 4];
            let read = system::read_memory(wait.thread, wait.address, &mut value);
            let error = match wait.end(read.ok().map(|()| u32::from_ne_bytes(value)), now) {
                None => {
                    self.holds.keep(wait, now);
                    continue;
                }
                Some(Answer::Changed) => libc::EAGAIN,
                Some(Answer::TimedOut) => libc::ETIMEDOUT,
            };
            let _ = system::end_call(self.listener.as_fd(), wait.id, Err(error));
        }
        self.holds.pause(now)
    }
}

/// Returns the time limit of a wait in a program whose clock is ahead by some time. A limit that the launcher may not
/// read, for want of the right to read another process's memory, counts as none: to end a wait too soon would be worse.
fn limit(call: &Call, now: Moment, ahead: Duration) -> Limit {
    let [_, operation, _, address, ..] = call.arguments;
    let mut bytes = [0; 16];
    if address == 0 || system::read_memory(call.thread, address, &mut bytes).is_err() {
        return Limit::None;
    }
    let time = system::time_of(&bytes);
    let operation = operation as i32;
    if operation & !libc::FUTEX_CLOCK_REALTIME == libc::FUTEX_WAIT {
        return Limit::For(now + time);
    }
    let is_date = operation & libc::FUTEX_CLOCK_REALTIME != 0;
    Limit::Until(now + time.saturating_sub(clock::system(is_date) + ahead))
}

#[cfg(test)]
mod tests;
