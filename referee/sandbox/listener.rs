//! Waits that could be shared: those of a bot's threads on a futex without the flag that it is the process's own.
//!
//! The libraries of C and C++ wait so for a thread that ends, for what a function makes once, for what another thread promises.
//! But what they wait on may lie on a page of a file, which other bots map, too. Then a wake-up carries a message, and so
//! does the end of a thread, of which the kernel tells all who wait there. So no such wait is the kernel's. The launcher is
//! told of each, looks at the value from time to time, and has the thread look once it has changed.

use std::io;
use std::num::NonZeroU64;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::thread::set_current_timer_slack;
use seccompiler::{BpfProgram, sock_filter};

use super::holds::{Answer, Holds, Limit, Wait};
use super::message;
use super::system::{self, Call, context};
use crate::clock::{self, Clock, Moment};

/// Which waits the launcher is told of, put in force in a process that will be a bot. Of what other filters refuse it is not told.
///
/// It takes for granted that no call is one of another architecture, as [`super::calls`] does.
fn program() -> BpfProgram {
    let load = |k| statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, k, 0, 0);
    let is = |k, jt, jf| statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, k, jt, jf);
    let without = |k: i32| statement(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, !k as u32, 0, 0);
    let end = |k| statement(libc::BPF_RET | libc::BPF_K, k, 0, 0);
    vec![
        load(NUMBER),
        is(libc::SYS_futex as u32, 0, 12),
        load(argument(1)),
        without(libc::FUTEX_CLOCK_REALTIME),
        is(libc::FUTEX_WAIT as u32, 8, 0),
        is(libc::FUTEX_WAIT_BITSET as u32, 0, 8),
        // The library of C++ waits for a promise up to some time. Told that this is not implemented, it waits for a length of
        // time instead, and looks at the clock by itself.
        load(argument(2)),
        is(PROMISED, 0, 5),
        load(argument(3)),
        is(0, 0, 2),
        load(argument(3) + 4),
        is(0, 1, 0),
        end(libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
        end(libc::SECCOMP_RET_USER_NOTIF),
        end(libc::SECCOMP_RET_ALLOW),
    ]
}

fn statement(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code: code as u16, jt, jf, k }
}

/// Where the number of a call stands in what a filter is shown.
const NUMBER: u32 = 0;

/// Where the lower half of an argument stands in it.
const fn argument(number: u32) -> u32 {
    16 + 8 * number
}

/// What stands where a promise is waited for: that there is nothing yet, and that somebody waits. Where a robust lock says by
/// this bit that somebody waits, it also says who has it.
const PROMISED: u32 = 1 << 31;

/// Makes a pair of sockets for [`listen`] and [`Waits::receive_listener`].
pub(super) fn sockets() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// From now on the process at the other end of this socket is told of such waits, of this process and of all that it starts.
pub(super) fn listen(launcher: BorrowedFd<'_>) -> io::Result<()> {
    let listener = system::filter_and_listen(&program()).map_err(|error| {
        let why = match error.raw_os_error() {
            Some(libc::EINVAL) => "have waits told, which takes Linux 5.0",
            Some(libc::EBUSY) => {
                "have waits told (what runs the referee is told of its calls, and only one can be)"
            }
            _ => "have waits told",
        };
        context(why)(error)
    })?;
    Ok(message::send_with(launcher, b"listener", &[listener.as_fd()])?)
}

/// The waits of a bot, in its launcher.
#[derive(Debug)]
pub(crate) struct Waits {
    listener: OwnedFd,
    clock: Clock,
    holds: Holds,
    /// The system ends the launcher's pauses in time.
    is_punctual: bool,
}

impl Waits {
    /// Takes what [`listen`] has sent.
    pub(super) fn receive_listener(socket: BorrowedFd<'_>) -> io::Result<Waits> {
        let listener = message::receive_descriptor(socket)?;
        let listener = listener.ok_or_else(|| io::Error::other("no listener came"))?;
        Ok(Waits { listener, clock: Clock::start(), holds: Holds::default(), is_punctual: false })
    }

    /// Returns what is readable when there is a wait to take up. `None`: none may be yet.
    pub(crate) fn listener(&self) -> Option<BorrowedFd<'_>> {
        self.holds.is_open(self.clock.now()).then(|| self.listener.as_fd())
    }

    /// Takes up a wait, of which there must be one. It may have been interrupted by now.
    pub(crate) fn take(&mut self) {
        let Ok(call) = system::receive_call(self.listener.as_fd()) else { return };
        if !std::mem::replace(&mut self.is_punctual, true) {
            // Usually a pause lasts 50 us longer, which is as long as the shortest.
            let _ = set_current_timer_slack(NonZeroU64::new(1));
        }
        let [address, _, value, ..] = call.arguments;
        let now = self.clock.now();
        let limit = limit(&call, now);
        let Call { id, thread, .. } = call;
        self.holds.take(Wait { id, thread, address, value: value as u32, since: now, limit }, now);
    }

    /// Looks at those that are to be looked at, and ends some. Returns after which time there will be more to do, if any.
    pub(crate) fn answer(&mut self) -> Option<Duration> {
        let now = self.clock.now();
        while let Some(wait) = self.holds.next_due(now) {
            // A signal came, as where a bot is frozen, or the thread has ended.
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
            let _ = system::refuse_call(self.listener.as_fd(), wait.id, error);
        }
        self.holds.pause(now)
    }
}

/// Returns how long a wait may last. Where the system lets nobody look into another process, that is for ever: that the time is over
/// too soon would be the greater lie.
fn limit(call: &Call, now: Moment) -> Limit {
    let [_, operation, _, at, ..] = call.arguments;
    let mut told = [0; 16];
    if at == 0 || system::read_memory(call.thread, at, &mut told).is_err() {
        return Limit::None;
    }
    let number = |half: &[u8]| i64::from_ne_bytes(half.try_into().expect("a half of 16 bytes"));
    let (seconds, nanoseconds) = told.split_at(8);
    let told = duration([number(seconds), number(nanoseconds)]);
    if operation as i32 & !libc::FUTEX_CLOCK_REALTIME == libc::FUTEX_WAIT {
        return Limit::For(now + told);
    }
    let is_date = operation as i32 & libc::FUTEX_CLOCK_REALTIME != 0;
    Limit::Until(now + told.saturating_sub(clock::system(is_date)))
}

/// A length of time, or a time since the clock's beginning. Nonsense is over.
fn duration([seconds, nanoseconds]: [i64; 2]) -> Duration {
    Duration::from_secs(seconds.max(0) as u64)
        .saturating_add(Duration::from_nanos(nanoseconds.clamp(0, 999_999_999) as u64))
}

#[cfg(test)]
mod tests;
