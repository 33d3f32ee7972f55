//! The filter alone, and threads that wait under it and all others, in the kernel.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::Duration;

use libc::{FUTEX_CLOCK_REALTIME, FUTEX_PRIVATE_FLAG, FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_WAKE};
use rustix::event::{PollFd, PollFlags, poll};

use super::super::filter::tests::run;
use super::super::filter::{Filters, Terms};
use super::super::message::Purpose;
use super::*;

#[test]
fn only_waits_that_could_be_shared_are_told() {
    let program = program(false);
    let futex = libc::SYS_futex;
    let clock = FUTEX_CLOCK_REALTIME;
    let notify = libc::SECCOMP_RET_USER_NOTIF;
    let none = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    let allow = libc::SECCOMP_RET_ALLOW;
    let promised = u64::from(PROMISED);
    let timed = [FUTEX_WAIT_BITSET, FUTEX_WAIT_BITSET | clock];
    let waits = [&timed[..], &[FUTEX_WAIT, FUTEX_WAIT | clock]].concat();
    let mut cases = Vec::new();
    for wait in &waits {
        for (value, at) in [(0, 0), (0, 4096), (7, 1 << 32), (promised, 0), (promised | 7, 4096)] {
            cases.push((futex, *wait, value, at, notify));
        }
        for (value, at) in [(0, 0), (promised, 4096)] {
            cases.push((futex, wait | FUTEX_PRIVATE_FLAG, value, at, allow));
            cases.push((libc::SYS_read, *wait, value, at, allow));
            cases.push((futex | 0x4000_0000, *wait, value, at, allow));
        }
    }
    for at in [1, 4096, 1 << 32, u64::MAX] {
        cases.extend(timed.map(|wait| (futex, wait, promised, at, none)));
        cases.push((futex, FUTEX_WAIT, promised, at, notify));
    }
    cases.push((libc::SYS_sysinfo, 0, 0, 0, notify));
    // The kernel checks half of these.
    cases.push((futex, FUTEX_WAIT_BITSET, promised | 1 << 32, 4096, none));
    cases.extend((0..512).filter(|other| !waits.contains(other)).map(|other| (futex, other, 0, 4096, allow)));
    for (call, operation, value, at, expected) in cases {
        for high in [0, 1 << 32] {
            let arguments = [4096, operation as u64 | high, value, at, 0, 0];
            assert_eq!(run(&program, call as u32, arguments), expected, "{call} {arguments:?}");
        }
    }
}

/// Has a thread do something under all filters. If `is_answered`, answers its waits meanwhile.
fn confined<Done: Send + 'static>(work: impl FnOnce() -> Done + Send + 'static, is_answered: bool) -> Done {
    confined_at(None, work, is_answered)
}

/// Does so with clocks that are moved, if they are.
fn confined_at<Done: Send + 'static>(
    shift: Option<ClockShift>,
    work: impl FnOnce() -> Done + Send + 'static,
    is_answered: bool,
) -> Done {
    let (here, there) = sockets().expect("sockets");
    let thread = thread::spawn(move || {
        let terms =
            Terms { purpose: Purpose::Play, may_fork: false, has_own_signals: true, has_own_namespace: true };
        let filters = Filters::new(terms).expect("filters");
        rustix::thread::set_no_new_privs(true).expect("it may give up");
        listen(there.as_fd(), shift.is_some()).expect("a listener");
        filters.apply().expect("filters");
        work()
    });
    let waits = Waits::receive_listener(here.as_fd(), shift).expect("a listener");
    let mut waits = Some(waits).filter(|_| is_answered);
    while !thread.is_finished() {
        let Some(waits) = &mut waits else {
            thread::sleep(Duration::from_millis(1));
            continue;
        };
        let pause = waits.answer().unwrap_or(Duration::from_millis(5)).min(Duration::from_millis(5));
        let listener = waits.listener();
        let mut files: Vec<PollFd<'_>> =
            listener.iter().map(|file| PollFd::new(file, PollFlags::IN)).collect();
        poll(&mut files, Some(&system::timespec(pause))).expect("it waits");
        if files.iter().any(|file| file.revents().contains(PollFlags::IN)) {
            waits.take();
        }
    }
    thread.join().expect("it has done it")
}

/// Waits while the value is 0, and returns the error; 0 if there is none.
fn wait(word: &AtomicI32, operation: i32, value: u32, time: Option<[i64; 2]>) -> i32 {
    let time = time.as_ref().map_or(std::ptr::null(), |time| time.as_ptr());
    // SAFETY: both pointers are null, or point to values that live through the call.
    let done = unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, value, time, 0, u32::MAX) };
    if done >= 0 { 0 } else { io::Error::last_os_error().raw_os_error().unwrap_or(0) }
}

fn in_ms(is_date: bool, ms: u64) -> Option<[i64; 2]> {
    let time = clock::system(is_date) + Duration::from_millis(ms);
    Some([time.as_secs() as i64, time.subsec_nanos().into()])
}

#[test]
fn a_thread_that_is_waited_for_by_its_number_is_not_missed() {
    let work = || {
        for pause in [0, 1, 20] {
            let sleeps = move || thread::sleep(Duration::from_millis(pause));
            thread::spawn(sleeps).join().expect("it has slept");
        }
    };
    confined(work, true);
}

#[test]
fn a_wait_is_told_that_the_value_has_changed_or_that_its_time_is_over() {
    let work = || {
        let word = Arc::new(AtomicI32::new(0));
        let ways = [[true, false], [false, true], [false, false]].map(|[is_length, is_date]| {
            let flags = if is_date { FUTEX_CLOCK_REALTIME } else { 0 };
            let operation = if is_length { FUTEX_WAIT } else { FUTEX_WAIT_BITSET | flags };
            (operation, move |ms| match is_length {
                true => Some([ms as i64 / 1000, ms as i64 % 1000 * 1_000_000]),
                false => in_ms(is_date, ms),
            })
        });
        for (operation, time) in ways {
            let clock = Clock::start();
            assert_eq!(wait(&word, operation, 0, time(30)), libc::ETIMEDOUT, "{operation}");
            assert!(clock.now().0 >= Duration::from_millis(30), "{operation}");
            // Nothing wakes it.
            let later = Arc::clone(&word);
            let changes = thread::spawn(move || {
                thread::sleep(Duration::from_millis(5));
                later.store(1, Ordering::SeqCst);
            });
            for time in [time(60_000), None] {
                while word.load(Ordering::SeqCst) == 0 {
                    assert_eq!(wait(&word, operation, 0, time), libc::EAGAIN, "{operation}");
                }
            }
            changes.join().expect("it has changed");
            word.store(0, Ordering::SeqCst);
        }
        assert_eq!(wait(&word, FUTEX_WAIT_BITSET, PROMISED, in_ms(true, 30)), libc::ENOSYS);
        assert_eq!(wait(&word, FUTEX_WAKE, 1, None), 0);
    };
    confined(work, true);
}

#[test]
fn sysinfo_describes_the_same_machine_whatever_others_do() {
    let ask = || {
        // SAFETY: the structure consists of numbers, and the call writes no more than that.
        let (done, machine) = unsafe {
            let mut machine: libc::sysinfo = std::mem::zeroed();
            (libc::sysinfo(&raw mut machine), machine)
        };
        assert_eq!(done, 0);
        let memory = [machine.totalram, machine.freeram].map(|count| count * u64::from(machine.mem_unit));
        let rest =
            [machine.sharedram, machine.bufferram, machine.totalswap, machine.freeswap, machine.totalhigh];
        (memory, rest, machine.loads, machine.procs, machine.uptime)
    };
    let expected = ([4 << 30; 2], [0; 5], [0; 3], 1, 1);
    assert_eq!(confined(move || [ask(), ask()], true), [expected; 2]);
    let nowhere = || {
        // SAFETY: the address is not used in this process.
        let done = unsafe { libc::syscall(libc::SYS_sysinfo, 8) };
        (done, io::Error::last_os_error().raw_os_error())
    };
    assert_eq!(confined(nowhere, true), (-1, Some(libc::EFAULT)));
}

#[test]
fn without_a_launcher_nobody_waits_for_ever() {
    let work = || wait(&AtomicI32::new(0), FUTEX_WAIT, 0, None);
    assert_eq!(confined(work, false), libc::ENOSYS);
}

#[test]
fn where_another_is_told_of_calls_the_reason_is_given() {
    let (_here, there) = sockets().expect("sockets");
    let twice = thread::spawn(move || {
        rustix::thread::set_no_new_privs(true).expect("it may give up");
        listen(there.as_fd(), false).expect("a listener");
        listen(there.as_fd(), false).expect_err("a second one").to_string()
    });
    let why = twice.join().expect("it has tried");
    assert!(why.contains("only one can be") && why.contains("os error 16"), "{why}");
}

#[test]
fn readings_of_a_moved_clock_are_told() {
    let program = program(true);
    let until = libc::TIMER_ABSTIME as u64;
    let cases = [
        (libc::SYS_clock_gettime, 0, true),
        (libc::SYS_gettimeofday, 0, true),
        (libc::SYS_clock_nanosleep, until, true),
        (libc::SYS_clock_nanosleep, 0, false),
        (libc::SYS_sysinfo, 0, true),
        (libc::SYS_read, until, false),
    ];
    let expected = |is_told| if is_told { libc::SECCOMP_RET_USER_NOTIF } else { libc::SECCOMP_RET_ALLOW };
    for (call, second, is_told) in cases {
        assert_eq!(
            run(&program, call as u32, [0, second, 4096, 0, 0, 0]),
            expected(is_told),
            "{call} {second}"
        );
    }
    // CPU time is not moved.
    for (clock, is_told) in
        [(0, true), (1, true), (2, false), (3, false), (4, true), (-6, false), (i32::MIN, false)]
    {
        for (call, second) in [(libc::SYS_clock_gettime, 4096), (libc::SYS_clock_nanosleep, until)] {
            let arguments = [u64::from(clock as u32), second, 4096, 0, 0, 0];
            assert_eq!(run(&program, call as u32, arguments), expected(is_told), "{call} {clock}");
        }
    }
    // Private waits until a moment.
    for flags in [0, FUTEX_CLOCK_REALTIME] {
        for (operation, at, is_told) in [
            (FUTEX_WAIT_BITSET, 4096, true),
            (FUTEX_WAIT_BITSET, 1 << 32, true),
            (FUTEX_WAIT_BITSET, 0, false),
            (FUTEX_WAIT, 4096, false),
            (FUTEX_WAKE, 4096, false),
        ] {
            let operation = (operation | flags | FUTEX_PRIVATE_FLAG) as u64;
            let arguments = [4096, operation, 0, at, 0, 0];
            assert_eq!(run(&program, libc::SYS_futex as u32, arguments), expected(is_told), "{arguments:?}");
        }
    }
}

#[test]
fn a_moved_clock_is_told_by_each_call_and_waits_end_by_it() {
    const DAY: u64 = 24 * 60 * 60;
    const AHEAD: u64 = 1000 * DAY;
    const STEP: u64 = 28 * DAY;
    let [ahead, each_reading] = [AHEAD, STEP].map(Duration::from_secs);
    let work = || {
        let error = || io::Error::last_os_error().raw_os_error();
        let read = |call: libc::c_long, arguments: [usize; 2]| {
            let mut time = [0_i64; 2];
            let place = time.as_mut_ptr() as usize;
            let arguments = arguments.map(|argument| if argument == PLACE { place } else { argument });
            // SAFETY: the call writes two numbers at most, to where they are.
            let done = unsafe { libc::syscall(call, arguments[0], arguments[1]) };
            (done, time)
        };
        let mut readings = 0;
        let mut is_moved = |is_date: bool, seconds: i64| {
            readings += 1;
            let expected = clock::system(is_date).as_secs() + AHEAD + readings * STEP;
            assert!(
                (seconds as u64).abs_diff(expected) < 60,
                "reading {readings}: {seconds}, not {expected}"
            );
        };
        for (number, is_date) in [(libc::CLOCK_REALTIME, true), (libc::CLOCK_MONOTONIC, false)] {
            let (done, time) = read(libc::SYS_clock_gettime, [number as usize, PLACE]);
            assert_eq!(done, 0);
            is_moved(is_date, time[0]);
        }
        let (done, time) = read(libc::SYS_gettimeofday, [PLACE, 0]);
        assert!(done == 0 && time[1] < 1_000_000, "{time:?}");
        is_moved(true, time[0]);
        #[cfg(target_arch = "x86_64")]
        {
            let (done, time) = read(libc::SYS_time, [PLACE, 0]);
            assert_eq!(done, time[0]);
            is_moved(true, done);
            is_moved(true, read(libc::SYS_time, [0, 0]).0);
        }
        // A reading that fails moves it, too.
        assert_eq!((read(libc::SYS_clock_gettime, [0, 0]).0, error()), (-1, Some(libc::EFAULT)));
        is_moved(false, read(libc::SYS_clock_gettime, [1, PLACE]).1[0] - STEP as i64);
        for number in [libc::CLOCK_PROCESS_CPUTIME_ID, libc::CLOCK_THREAD_CPUTIME_ID] {
            let (done, time) = read(libc::SYS_clock_gettime, [number as usize, PLACE]);
            assert!(done == 0 && time[0] < 100_000, "{time:?}");
        }
        assert_eq!((read(libc::SYS_clock_gettime, [99, PLACE]).0, error()), (-1, Some(libc::EINVAL)));
    };
    confined_at(Some(ClockShift { ahead, each_reading }), work, true);
    let work = || {
        let now = || {
            let mut time = [0_i64; 2];
            // SAFETY: the call writes two numbers to where they are.
            unsafe { libc::syscall(libc::SYS_clock_gettime, libc::CLOCK_MONOTONIC, time.as_mut_ptr()) };
            time
        };
        let real = Clock::start();
        let [begun, _] = now();
        let until = [begun + 3600, 0];
        // SAFETY: the call reads two numbers from where they are.
        let slept = unsafe {
            libc::syscall(
                libc::SYS_clock_nanosleep,
                libc::CLOCK_MONOTONIC,
                libc::TIMER_ABSTIME,
                until.as_ptr(),
                std::ptr::null::<i64>(),
            )
        };
        assert_eq!(slept, 0);
        assert!((3600..3660).contains(&(now()[0] - begun)), "the clock has gone on");
        assert!(real.now().0 < Duration::from_secs(60), "and nobody has slept");
        let word = Arc::new(AtomicI32::new(0));
        for operation in [FUTEX_WAIT_BITSET, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG] {
            let real = Clock::start();
            let [seconds, nanoseconds] = now();
            let over = nanoseconds + 30_000_000;
            let over = Some([seconds + over / 1_000_000_000, over % 1_000_000_000]);
            assert_eq!(wait(&word, operation, 0, over), libc::ETIMEDOUT);
            let waited = real.now().0.as_millis();
            assert!((25..20_000).contains(&waited), "{waited} ms");
            let later = Arc::clone(&word);
            let changes = thread::spawn(move || {
                thread::sleep(Duration::from_millis(5));
                later.store(1, Ordering::SeqCst);
            });
            while word.load(Ordering::SeqCst) == 0 {
                assert_eq!(wait(&word, operation, 0, Some([seconds + 3600, 0])), libc::EAGAIN);
            }
            changes.join().expect("it has changed");
            word.store(0, Ordering::SeqCst);
        }
    };
    confined_at(Some(ClockShift { ahead, each_reading: Duration::ZERO }), work, true);
}

/// Stands for the place of what a call writes.
const PLACE: usize = usize::MAX;
