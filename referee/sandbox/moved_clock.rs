//! A moved clock: to examine whether a program looks at the time, it reads another time than the host's, and time
//! passes with each reading.
//!
//! Most programs read clocks without a system call, by code of the kernel that is mapped into each process (the vDSO).
//! They find this code by an entry of the auxiliary vector. The launcher removes that entry before the first
//! instruction of the program. Each reading is then a system call, which the launcher answers (see `listener`).
//!
//! A wait until a moment of a moved clock would last for years in the kernel. The launcher answers it, too.
//!
//! Not moved: the processor's own counter, CPU time, times of files, timers that are set to a moment, and the clock of
//! another program that the program executes in its place.

use std::ffi::c_int;
use std::io;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, waitpid};
use seccompiler::sock_filter;

use super::message::ClockShift;
use super::statements::{NUMBER, argument, end, is, is_negative, load, without};
use super::system::{self, Call};
use crate::clock;

/// Calls that read a clock.
const READINGS: &[libc::c_long] = &[
    libc::SYS_clock_gettime,
    libc::SYS_gettimeofday,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_time,
];

/// The beginning of a filter that passes to the launcher readings of clocks, and waits until a moment. All other calls
/// reach the rest of the filter, except readings of CPU time, which are allowed.
pub(super) fn filter() -> Vec<sock_filter> {
    let cpu_time = [
        load(NUMBER),
        is(libc::SYS_clock_gettime as u32, 1, 0),
        is(libc::SYS_clock_nanosleep as u32, 0, 5),
        load(argument(0)),
        is(libc::CLOCK_PROCESS_CPUTIME_ID as u32, 2, 0),
        is(libc::CLOCK_THREAD_CPUTIME_ID as u32, 1, 0),
        is_negative(0, 1),
        end(libc::SECCOMP_RET_ALLOW),
    ];
    let notify = || end(libc::SECCOMP_RET_USER_NOTIF);
    let readings = READINGS.iter().flat_map(|call| [is(*call as u32, 0, 1), notify()]);
    let sleeps = [
        is(libc::SYS_clock_nanosleep as u32, 0, 3),
        load(argument(1)),
        is(libc::TIMER_ABSTIME as u32, 0, 1),
        notify(),
    ];
    // On private futexes. The rest of the filter passes all waits on shared ones.
    let waits = [
        load(NUMBER),
        is(libc::SYS_futex as u32, 0, 8),
        load(argument(1)),
        without(libc::FUTEX_CLOCK_REALTIME),
        is((libc::FUTEX_WAIT_BITSET | libc::FUTEX_PRIVATE_FLAG) as u32, 0, 5),
        load(argument(3)),
        is(0, 0, 2),
        load(argument(3) + 4),
        is(0, 1, 0),
        notify(),
    ];
    cpu_time.into_iter().chain([load(NUMBER)]).chain(readings).chain(sleeps).chain(waits).collect()
}

/// Makes this process, when it becomes a program, wait for its parent before the first instruction of that.
pub(super) fn ask_to_be_stopped() -> io::Result<()> {
    system::be_traced()
}

/// Removes the code that reads clocks without a call from a program that waits at its start, and lets it go.
pub(super) fn remove_vdso(program: Pid) -> io::Result<()> {
    let (_, status) =
        waitpid(Some(program), WaitOptions::empty())?.ok_or_else(|| io::Error::other("it does not wait"))?;
    // With this signal a traced process stops when it becomes another program.
    if status.stopping_signal() != Some(Signal::TRAP.as_raw()) {
        return Err(io::Error::other("it has not stopped at its start"));
    }
    let thread = program.as_raw_nonzero().get() as u32;
    // On the stack are the number of arguments, the arguments, a zero, the environment, a zero, and the auxiliary
    // vector, whose entries are pairs of a kind and a value.
    let mut address = system::stack_of_traced(program)?;
    let word_at = |address: u64| -> io::Result<u64> {
        let mut word = [0; 8];
        system::read_memory(thread, address, &mut word)?;
        Ok(u64::from_ne_bytes(word))
    };
    let argument_count = word_at(address)?;
    address = address.wrapping_add(argument_count.wrapping_add(2).wrapping_mul(8));
    while word_at(address)? != 0 {
        address += 8;
    }
    address += 8;
    loop {
        match word_at(address)? {
            libc::AT_NULL => break,
            libc::AT_SYSINFO_EHDR => system::write_memory(thread, address, &libc::AT_IGNORE.to_ne_bytes())?,
            _ => {}
        }
        address += 16;
    }
    system::let_go(program)
}

/// Maximum time by which a clock is ahead, so that no sum overflows.
const AHEAD_MAX: Duration = Duration::from_secs(200 * 365 * 24 * 60 * 60);

/// The clocks of a program.
#[derive(Debug)]
pub(crate) struct MovedClock {
    ahead: Duration,
    each_reading: Duration,
    /// Number of readings so far that moved it.
    readings: u32,
}

/// Number of readings that move a clock. With four weeks each that is 77 years: a date stays below the year 2200, and
/// any clock within the nanoseconds of 64 bits.
const READINGS_MAX: u32 = 1000;

impl MovedClock {
    pub(super) fn new(shift: ClockShift) -> MovedClock {
        MovedClock { ahead: shift.ahead, each_reading: shift.each_reading, readings: 0 }
    }

    /// Returns how far the clocks are ahead of the host's.
    pub(super) fn ahead(&self) -> Duration {
        self.ahead
    }

    /// Moves the clock on for a reading.
    fn go_on(&mut self) {
        if self.readings < READINGS_MAX {
            self.readings += 1;
            self.ahead += self.each_reading;
        }
    }

    /// Answers a call. Returns its result, or its error; `None` if the call reads no clock and waits until no moment.
    pub(super) fn answer(&mut self, call: &Call) -> Option<Result<i64, c_int>> {
        let number = libc::c_long::from(call.number);
        if number == libc::SYS_clock_nanosleep {
            return Some(self.sleep(call));
        }
        READINGS.contains(&number).then(|| self.read(call))
    }

    /// Moves the clock to the moment until which a thread sleeps, so it need not sleep.
    fn sleep(&mut self, call: &Call) -> Result<i64, c_int> {
        let [clock, _, address, ..] = call.arguments;
        let mut bytes = [0; 16];
        system::read_memory(call.thread, address, &mut bytes).map_err(|_| libc::EFAULT)?;
        let now = clock::system(DATES.contains(&(clock as c_int))) + self.ahead;
        let ahead = self.ahead.saturating_add(system::time_of(&bytes).saturating_sub(now));
        self.ahead = ahead.min(AHEAD_MAX);
        Ok(0)
    }

    /// Moves the clock on, and writes its time to the address that the call names.
    fn read(&mut self, call: &Call) -> Result<i64, c_int> {
        let [first, second, ..] = call.arguments;
        let number = libc::c_long::from(call.number);
        let has_clock = number == libc::SYS_clock_gettime;
        if has_clock && first as c_int > CLOCK_LAST {
            return Err(libc::EINVAL);
        }
        self.go_on();
        let is_date = !has_clock || DATES.contains(&(first as c_int));
        let now = clock::system(is_date) + self.ahead;
        let seconds = now.as_secs() as i64;
        let (address, fraction, result) = match number {
            libc::SYS_clock_gettime => (second, Some(now.subsec_nanos()), 0),
            libc::SYS_gettimeofday => (first, Some(now.subsec_micros()), 0),
            _ => (first, None, seconds),
        };
        // The other two calls accept a null.
        if address == 0 && !has_clock {
            return Ok(result);
        }
        let mut bytes = seconds.to_ne_bytes().to_vec();
        if let Some(fraction) = fraction {
            bytes.extend(i64::from(fraction).to_ne_bytes());
        }
        system::write_memory(call.thread, address, &bytes).map_err(|_| libc::EFAULT)?;
        Ok(result)
    }
}

/// The clocks that tell the date. All others tell how long something runs.
const DATES: [c_int; 4] =
    [libc::CLOCK_REALTIME, libc::CLOCK_REALTIME_COARSE, libc::CLOCK_REALTIME_ALARM, libc::CLOCK_TAI];

/// The greatest number of a clock.
const CLOCK_LAST: c_int = libc::CLOCK_TAI;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_often_a_clock_is_read_its_date_stays_near() {
        const YEAR: u64 = 365 * 24 * 60 * 60;
        let [ahead, each_reading] = [12 * 366, 28].map(|days| Duration::from_secs(days * 24 * 60 * 60));
        let mut clock = MovedClock::new(ClockShift { ahead, each_reading });
        (0..1_000_000).for_each(|_| clock.go_on());
        assert_eq!(clock.ahead(), ahead + 1000 * each_reading);
        assert!(clock.ahead().as_secs() < 90 * YEAR, "from 2025 it is below the year 2200");
    }
}
