//! Charges: how much of a turn's elapsed time counts against a bot, as a function of the system's figures.
//! This module reads nothing itself.
//!
//! A bot is *starved* while it has a thread that is ready to run, none that runs, and every core that it may
//! use is taken by others. The system reports only sums: how long each thread waited, how long each core was
//! idle. So the forgiven time has several upper bounds, and a bot that pretends to wait reaches one of them:
//!
//! - the longest waiting of one of its threads; threads that hand work on to each other can wait longer, which counts
//!   only while all cores were certainly busy;
//! - the time in which all cores were busy;
//! - the time that others used the cores, divided by the number of cores.
//!
//! A bot is charged at least the running time of all its threads.

use std::time::Duration;

/// The system's figures for a bot since its turn began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Total running time of its threads and children, including those that have ended.
    pub ran: Duration,
    /// How long they waited for a core; `None` if the system does not report it.
    pub waited: Option<Waiting>,
}

/// How long a bot's ready threads waited for a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// The waiting time of the thread that waited longest.
    pub longest: Duration,
    /// The total waiting time of all threads.
    pub sum: Duration,
    /// How long threads that have ended can have waited after their last reading. Their earlier waits are
    /// part of `longest` and `sum`.
    pub unreported: Duration,
    /// Total running time of threads that began and ended between two readings. Their waiting time is
    /// unknown.
    pub unseen: Duration,
    /// Whether a thread is waiting, and has been for a while: the system reports a wait only when it is over.
    pub right_now: bool,
}

/// The system's figures for the cores that a bot may use, since its turn began. Idle time is counted in
/// hundredths of a second, so there are two bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cores {
    /// Their number, at least 1.
    pub count: u32,
    /// Minimum of the time that all were busy at once.
    pub all_busy_min: Duration,
    /// Maximum of the time that all were busy at once.
    pub all_busy_max: Duration,
    /// Maximum of the total time that they were busy. Time that another system took from them counts as busy.
    pub busy: Duration,
}

impl Cores {
    /// Returns the reading for unknown cores: busy all the time.
    pub fn unknown(count: u32, wall: Duration) -> Cores {
        Cores { count, all_busy_min: wall, all_busy_max: wall, busy: wall.saturating_mul(count) }
    }

    /// Returns the time per core that others used, if the bot ran for `ran` on all cores together.
    pub fn taken_by_others(&self, ran: Duration) -> Duration {
        self.busy.saturating_sub(ran) / self.count.max(1)
    }
}

/// A thread of which only the running time is known counts as having waited this many times as long: as if that many
/// programs wanted each core.
const CROWD: u32 = 32;

impl Usage {
    /// Returns the usage without a wait that is not over: what the system has reported.
    pub fn as_reported(mut self) -> Usage {
        if let Some(waited) = &mut self.waited {
            waited.right_now = false;
        }
        self
    }

    /// Returns an upper bound of the time that a bot was starved; `None` if the system does not report it.
    pub fn starved(&self, cores: &Cores) -> Option<Duration> {
        let waited = self.waited?;
        let unknown = if waited.right_now {
            Duration::MAX
        } else {
            waited.unseen.saturating_mul(CROWD).saturating_add(waited.unreported)
        };
        let of_one_thread = waited.longest.saturating_add(unknown).min(cores.all_busy_max);
        let of_threads_in_turn = waited.sum.saturating_add(unknown).min(cores.all_busy_min);
        Some(of_one_thread.max(of_threads_in_turn).min(cores.taken_by_others(self.ran)))
    }
}

/// Returns what a bot is charged for `wall`: that time less the time that it was starved or that the referee
/// itself waited; at least the time that it ran on all cores together, which can be more than `wall`. (Time that
/// another system took from this one's cores counts as the referee's waiting.) If the system does not report who
/// waited, the bot is charged the time that it ran.
///
/// A bot that sleeps is charged in full.
pub fn charge(wall: Duration, bot: Usage, cores: &Cores, referee_waited: Duration) -> Duration {
    let own = bot.starved(cores).map(|starved| wall.saturating_sub(starved).saturating_sub(referee_waited));
    bot.ran.max(own.unwrap_or_default())
}

/// Returns the maximum elapsed time of a turn, whatever is charged: 20 times the limit, but at least 5
/// seconds.
pub fn wall_limit(limit: Duration) -> Duration {
    const WALL_LIMIT_MIN: Duration = Duration::from_secs(5);
    limit.saturating_mul(20).max(WALL_LIMIT_MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// One thread.
    fn usage(ran: u64, waited: u64) -> Usage {
        threads(ran, waited, waited, 0)
    }

    fn threads(ran: u64, longest: u64, sum: u64, unseen: u64) -> Usage {
        let [longest, sum, unseen] = [longest, sum, unseen].map(ms);
        Usage { ran: ms(ran), waited: Some(Waiting { longest, sum, unseen, ..Waiting::default() }) }
    }

    /// Two cores. One was idle for this time, the other never.
    fn two(wall: u64, idle: u64) -> Cores {
        let busy = wall - idle;
        Cores {
            count: 2,
            all_busy_min: ms(busy.saturating_sub(10)),
            all_busy_max: ms(busy),
            busy: ms(wall + busy),
        }
    }

    #[test]
    fn what_is_charged_on_a_busy_host() {
        let cases = [
            ("it sleeps", 60, usage(0, 0), 0, 60),
            ("it computes on a free core", 60, usage(60, 0), 0, 60),
            ("it computes, and waits for a core", 60, usage(20, 40), 0, 20),
            ("it sleeps, and waits for a core", 60, usage(5, 10), 0, 50),
            ("the referee waited", 60, usage(20, 0), 40, 20),
            ("both were, at the same time", 60, usage(20, 40), 40, 20),
            ("two threads compute side by side", 30, usage(60, 0), 0, 60),
            ("two threads compute, and wait for a core", 40, threads(60, 20, 20, 0), 0, 60),
            ("eight threads compute on two cores", 50, threads(100, 40, 300, 0), 0, 100),
            ("threads that spin so as to be seen waiting", 60, threads(55, 50, 400, 0), 0, 55),
            ("three threads, one after the other", 90, threads(20, 25, 70, 0), 0, 20),
            ("the same, but they ended unseen", 90, threads(20, 0, 0, 20), 0, 20),
            ("one that hardly ran has ended unseen", 90, threads(1, 0, 0, 1), 0, 58),
        ];
        for (what, wall, bot, referee, expected) in cases {
            let cores = Cores::unknown(2, ms(wall));
            assert_eq!(charge(ms(wall), bot, &cores, ms(referee)), ms(expected), "{what}");
        }
        let unknown = Usage { ran: ms(20), waited: None };
        assert_eq!(charge(ms(60), unknown, &Cores::unknown(2, ms(60)), Duration::ZERO), ms(20));
    }

    #[test]
    fn where_a_core_was_idle_nobody_was_starved() {
        let cases = [
            ("62 threads wake together, and sleep", 60, threads(3, 1, 48, 0), two(60, 50), 59),
            ("the same for a long time", 5_000, threads(300, 90, 4_000, 0), two(5_000, 4_700), 4_710),
            ("they end, and others begin", 5_000, threads(300, 0, 0, 300), two(5_000, 4_700), 4_700),
            ("it seems to wait for one thread", 60, usage(20, 40), two(60, 60), 60),
        ];
        for (what, wall, bot, cores, expected) in cases {
            assert_eq!(charge(ms(wall), bot, &cores, Duration::ZERO), ms(expected), "{what}");
        }
    }

    #[test]
    fn a_bot_that_waits_for_itself_is_not_starved() {
        // Four threads want two cores, and no other program does.
        let bot = threads(80, 30, 80, 0);
        assert_eq!(bot.starved(&Cores::unknown(2, ms(40))), Some(Duration::ZERO));
        // Two threads have both cores for 10 ms, a third waits, and all sleep: the 10 ms of other threads are
        // not charged.
        let bot = threads(20, 10, 10, 0);
        for (others, expected) in [(0, 40), (4, 38), (20, 30)] {
            let cores = Cores { busy: ms(20 + others), ..two(40, 30) };
            assert_eq!(charge(ms(40), bot, &cores, Duration::ZERO), ms(expected), "{others}");
        }
    }

    #[test]
    fn who_waits_right_now_has_waited_as_long_as_can_be() {
        let waiting = Waiting { right_now: true, ..Waiting::default() };
        let bot = Usage { ran: ms(5), waited: Some(waiting) };
        assert_eq!(bot.starved(&Cores::unknown(1, ms(60))), Some(ms(55)));
        assert_eq!(bot.starved(&two(60, 40)), Some(ms(20)));
    }

    #[test]
    fn what_others_took_is_shared_by_the_cores() {
        assert_eq!(two(100, 50).taken_by_others(ms(50)), ms(50));
        assert_eq!(two(100, 50).taken_by_others(ms(300)), Duration::ZERO);
    }

    #[test]
    fn a_turn_ends_even_if_nothing_is_charged() {
        assert_eq!(wall_limit(ms(50)), ms(5_000));
        assert_eq!(wall_limit(ms(1_000)), ms(20_000));
    }
}
