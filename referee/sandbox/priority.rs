//! Priorities of the referee's threads and its bots: how soon each gets a core.

/// How soon a woken thread gets a core.
#[derive(Clone, Copy, Debug)]
pub enum Priority {
    /// For bots: the thread gets a core when the thread there leaves it, or has had it for long, and gets a smaller
    /// part of busy cores than the referee.
    Last,
    /// For a thread with little to do: it gets a core at once, but briefly. Systems without this feature treat it like
    /// any other thread.
    Prompt,
    /// Before all ordinary threads. Needs root, or `ulimit -r 1`.
    First,
}

/// Asks the system to run this thread with a priority. Tells whether it does.
pub fn schedule(priority: Priority) -> bool {
    const SLICE: u64 = 100_000; // nanoseconds
    let nice = rustix::process::getpriority_process(None).unwrap_or(0);
    let (policy, nice, urgency, slice) = match priority {
        Priority::Last => (libc::SCHED_BATCH, (nice + NICE_OF_BOTS).min(19), 0, 0),
        Priority::Prompt => (libc::SCHED_OTHER, nice, 0, SLICE),
        Priority::First => (libc::SCHED_FIFO, nice, 1, 0),
    };
    let attributes = libc::sched_attr {
        size: size_of::<libc::sched_attr>() as u32,
        sched_policy: policy as u32,
        // The priority of the referee's threads is not inherited.
        sched_flags: libc::SCHED_FLAG_RESET_ON_FORK as u64,
        sched_nice: nice,
        sched_priority: urgency,
        sched_runtime: slice,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: the attributes are as long as they say and outlive the call; zero is the calling thread.
    let done = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    done == 0
}

/// Tells whether the referee's threads may go before all others, which leaves little doubt about the arrival
/// of an answer.
pub fn may_go_first() -> bool {
    std::thread::spawn(|| schedule(Priority::First)).join().unwrap_or(false)
}

/// Nice value of a bot above that of the referee. The referee has little to do, but it should see at once that an
/// answer has arrived. Bots are equal among themselves.
const NICE_OF_BOTS: i32 = 5;

/// Puts this process, which becomes a bot, behind the referee, so that no bot takes the referee's core while the
/// referee still writes questions to others.
pub(super) fn yield_to_the_referee() {
    if !schedule(Priority::Last) {
        let _ = rustix::process::nice(NICE_OF_BOTS);
    }
}
