//! What a bot is charged for a turn: a function of what the system says of its process. It reads nothing.

use std::time::Duration;

/// What the system says of a process, up to a moment or between two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// How long its threads ran, all together.
    pub ran: Duration,
    /// How long its threads, ready to run, waited for a core, all together; `None` if the system does not tell.
    pub waited: Option<Duration>,
}

impl Usage {
    /// Returns what was added since an earlier moment.
    pub fn since(self, earlier: Usage) -> Usage {
        Usage {
            ran: self.ran.saturating_sub(earlier.ran),
            waited: self.waited.zip(earlier.waited).map(|(waited, earlier)| waited.saturating_sub(earlier)),
        }
    }
}

/// Returns how much of `wall` a bot is charged: all but what it, or the referee itself, waited for a core; at least what
/// it ran; never more than `wall`. (What another system took from this one's cores counts as the referee's waiting.) Where the system does not tell who waited: what it ran.
///
/// A bot that sleeps is charged in full. Threads that spin to be seen waiting raise what the bot ran.
pub fn charge(wall: Duration, bot: Usage, referee_waited: Duration) -> Duration {
    let own = bot.waited.map(|waited| wall.saturating_sub(waited).saturating_sub(referee_waited));
    bot.ran.max(own.unwrap_or_default()).min(wall)
}

/// Returns how long a turn may last by the clock on the wall, whatever is charged.
pub fn wall_limit(limit: Duration) -> Duration {
    const AT_LEAST: Duration = Duration::from_secs(5);
    limit.saturating_mul(20).max(AT_LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn usage(ran: u64, waited: u64) -> Usage {
        Usage { ran: ms(ran), waited: Some(ms(waited)) }
    }

    #[test]
    fn what_is_charged() {
        let cases = [
            ("it sleeps", 60, usage(0, 0), 0, 60),
            ("it computes on a free core", 60, usage(60, 0), 0, 60),
            ("it computes, and waits for a core", 60, usage(20, 40), 0, 20),
            ("it sleeps, and waits for a core", 60, usage(5, 10), 0, 50),
            ("the referee was kept waiting", 60, usage(20, 0), 40, 20),
            ("both were, at the same time", 60, usage(20, 40), 40, 20),
            ("two threads compute", 30, usage(60, 0), 0, 30),
            ("threads that spin so as to be seen waiting", 60, usage(55, 400), 0, 55),
        ];
        for (what, wall, bot, referee, due) in cases {
            assert_eq!(charge(ms(wall), bot, ms(referee)), ms(due), "{what}");
        }
        let untold = Usage { ran: ms(20), waited: None };
        assert_eq!(charge(ms(60), untold, Duration::ZERO), ms(20));
    }

    #[test]
    fn what_is_added_is_known_only_if_both_ends_are() {
        assert_eq!(usage(30, 9).since(usage(10, 4)), usage(20, 5));
        // The time of a thread that has ended is no longer told.
        assert_eq!(usage(30, 3).since(usage(10, 4)), usage(20, 0));
        assert_eq!(usage(30, 3).since(Usage { ran: ms(10), waited: None }).waited, None);
    }

    #[test]
    fn a_turn_ends_even_if_nothing_is_charged() {
        assert_eq!(wall_limit(ms(50)), ms(5_000));
        assert_eq!(wall_limit(ms(1_000)), ms(20_000));
    }
}
