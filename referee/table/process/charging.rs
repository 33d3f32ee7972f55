//! The part of the table that charges bots: it measures each bot's turn by the table's clock, and decides what is
//! forgiven.

use std::time::Duration;

use crate::charge::{Cores, Usage, charge, wall_limit};
use crate::clock::Moment;
use crate::process::bot::Bot;
use crate::process::meter::FRESH;
use crate::process::{ProcessTable, Timekeeping};
use referee_record::play::collect::Account;
use referee_record::play::table::{Question, TableError, Void};
use referee_rules::{BySeat, Seat};

/// Time until the next look at a bot whose time seems to be over, but which waits for a core at this moment.
const TIME_TO_NEXT_LOOK: Duration = Duration::from_millis(2);

/// A bot that waited for a core for no longer than this is charged without a look at the load of the cores.
const MIN_WAIT_TO_CHECK_CORES: Duration = Duration::from_micros(200);

/// After a long gap, bots are frozen in gaps until this many short gaps have passed.
const FREEZE_TURNS: u32 = 16;

/// A wait that ends later than this was not only ended by a late timer: the referee was suspended.
const MAX_TIMER_DELAY: Duration = Duration::from_millis(20);

impl ProcessTable {
    /// Notes that the referee looks at the pipes, or puts questions.
    pub(super) fn note_look(&mut self, now: Moment) {
        self.own_thread.note_look(now, &self.clock);
    }

    /// Returns the arrival time of bytes of a bot that were just read. If the last look at the pipes is older than
    /// [`FRESH`], the referee may have lost its core since, and the bytes may have come meanwhile: the time from that
    /// look until now is then no bot's, as far as the referee waited for its core or was suspended.
    pub(super) fn time_of_read(&mut self) -> Moment {
        let now = self.clock.now();
        let since_look = now - self.last_look;
        if since_look > FRESH {
            let waited = self.own_thread.prolong_look(now, &self.clock);
            self.add_absence(since_look.saturating_sub(waited));
            self.last_look = now;
        }
        now
    }

    /// Called at each look at the bots, with the time since the previous look, of which at most `planned` was intended.
    /// What exceeds that, beyond the referee's own waits for a core, is time in which the referee was suspended. No bot
    /// is charged for that time, except for the CPU time that it used meanwhile.
    pub(super) fn notice_absence(&mut self, since_look: Duration, planned: Duration) {
        self.add_absence(since_look.saturating_sub(planned).saturating_sub(self.own_thread.waited()));
    }

    /// Counts a time without the referee as an absence, unless a late timer explains it.
    fn add_absence(&mut self, time: Duration) {
        if time > MAX_TIMER_DELAY {
            self.referee_absence += time;
        }
    }

    /// Begins a gap: no question is open until the next turn, while the rules, a judge or the record are at work. Where
    /// that is likely to take long, all bots are frozen.
    pub(super) fn begin_gap(&mut self) {
        let now = self.clock.now();
        let is_timed = self.timekeeping != Timekeeping::Wall;
        // A quick turn needs no reading: little was computed since the last one.
        if is_timed && now - self.turn_start > FRESH {
            for seat in Seat::first(self.bots.len()) {
                let is_read = self.charge_idle_time(seat, now);
                if !is_read && let Some(meter) = &mut self.bots[seat].meter {
                    meter.observe(now);
                }
            }
        }
        if self.turns_with_freeze > 0 {
            self.freeze_all(is_timed);
        }
        self.gap_start = now;
    }

    /// Called in a slow turn, before a bot is frozen or asked, and at the end. What a bot computed while others were
    /// thinking and it had no question is part of its next answer. Tells whether its meter was read for that.
    pub(super) fn charge_idle_time(&mut self, seat: Seat, now: Moment) -> bool {
        let cores = self.host.count();
        let bot = &mut self.bots[seat];
        let Some(since) = bot.idle_since.take() else { return false };
        if !bot.may_run() || now - since <= FRESH {
            return false;
        }
        let Some(meter) = bot.meter() else { return false };
        let ran = meter.ran_since(since, now, cores);
        bot.ran_unasked += ran;
        true
    }

    /// Ends a gap. What bots computed in a long one for which they were not frozen is part of their next answer.
    pub(super) fn end_gap(&mut self, now: Moment) {
        if now - self.gap_start <= FRESH {
            self.turns_with_freeze = self.turns_with_freeze.saturating_sub(1);
            return;
        }
        self.turns_with_freeze = FREEZE_TURNS;
        if self.timekeeping == Timekeeping::Wall {
            return;
        }
        let cores = self.host.count();
        for (_, bot) in self.bots.iter_mut().filter(|(_, bot)| bot.may_run()) {
            let ran = bot.meter().map(|meter| meter.ran_since(self.gap_start, now, cores));
            bot.ran_unasked += ran.unwrap_or_default();
        }
    }

    /// Begins a turn for the seats that will be asked. Called before their questions are written: a bot whose base was
    /// read later could have computed before it.
    pub(super) fn begin_metering(&mut self, questions: &[Question], now: Moment) {
        if self.timekeeping == Timekeeping::Wall {
            return;
        }
        for question in questions.iter().filter(|question| !self.collector.is_gone(question.seat)) {
            let bot = &mut self.bots[question.seat];
            if let Some(meter) = bot.meter() {
                meter.begin(now);
            }
        }
        self.stolen.begin(now);
        self.host.forget();
        if self.own_thread.is_urgent() {
            self.host.begin(|| bots_ran(&mut self.bots));
        }
    }

    /// Called after each wait of a slow turn. The first call raises the priority of the referee and begins to measure
    /// the load of the cores.
    pub(super) fn mark_slow(&mut self) {
        if self.timekeeping != Timekeeping::Wall {
            self.own_thread.raise_priority();
            self.host.begin(|| bots_ran(&mut self.bots));
        }
    }

    /// Reads the meters of bots with threads that can end soon: a thread that has ended is measured no more. Tells
    /// whether there are any.
    pub(super) fn observe_if_threads_can_end(&mut self) -> bool {
        let mut can_any_end = false;
        for seat in &self.waited_for {
            if let Some(meter) = &mut self.bots[*seat].meter {
                can_any_end |= meter.observe_if_threads_can_end(self.last_look);
            }
        }
        can_any_end
    }

    /// Tells the collector the charge of a bot so far. In a quick turn only the absence of the referee is forgiven.
    pub(super) fn charge(&mut self, seat: Seat, now: Moment) {
        let Some((start, limit)) = self.collector.running(seat) else { return };
        let wall = now - start;
        match &mut self.bots[seat].meter {
            Some(meter) if wall > FRESH => {
                let usage = meter.observe(now);
                let starved = wall.saturating_sub(self.charged_time(seat, wall, usage, limit));
                self.collector.account(seat, Account { starved, cpu: Some(self.cpu_time(seat, usage)) });
            }
            _ => self.forgive_absence(seat, wall),
        }
    }

    /// Takes the time in which the referee was suspended out of the account of a bot that is not metered.
    fn forgive_absence(&mut self, seat: Seat, wall: Duration) {
        if !self.referee_absence.is_zero() {
            self.collector.account(seat, Account { starved: self.referee_absence.min(wall), cpu: None });
        }
    }

    /// Returns the CPU time that a bot is charged for.
    fn cpu_time(&self, seat: Seat, usage: Usage) -> Duration {
        self.bots[seat].ran_before_question + usage.ran
    }

    /// Returns what a bot is charged for a turn that has lasted for `wall`. A part of `wall` is no elapsed time: what
    /// the bot computed before its question, which it is charged for in any case.
    fn charged_time(&self, seat: Seat, wall: Duration, usage: Usage, limit: Duration) -> Duration {
        let before_question = self.bots[seat].ran_before_question.min(wall);
        let elapsed = wall - before_question;
        let cores = self.load_of_cores(elapsed, usage);
        let referee_waited = self.own_thread.waited() + self.referee_absence;
        let mut charged = charge(elapsed, usage, &cores, referee_waited);
        // Only for a bot that would be late is the stolen time worth reading.
        if charged > limit.saturating_sub(before_question) {
            charged = charge(elapsed, usage, &cores, referee_waited + self.stolen.time());
        }
        before_question + charged
    }

    /// Returns how busy the cores were, as far as that matters to a bot that waited this long.
    fn load_of_cores(&self, elapsed: Duration, usage: Usage) -> Cores {
        let has_waited = usage.waited.is_some_and(|waited| {
            waited.right_now || waited.sum + waited.unreported + waited.unseen > MIN_WAIT_TO_CHECK_CORES
        });
        if has_waited { self.host.cores_during(elapsed) } else { self.host.unknown_cores(elapsed) }
    }

    /// Called when a bot's time seems to be over. The bot gets more time if the host made it wait.
    pub(super) fn charge_closely(&mut self, seat: Seat, now: Moment) -> Result<(), TableError> {
        let Some((start, limit)) = self.collector.running(seat) else { return Ok(()) };
        let wall = now - start;
        let Some(meter) = &mut self.bots[seat].meter else {
            self.forgive_absence(seat, wall);
            return Ok(());
        };
        let usage = meter.observe_closely(now);
        let starved_max = wall.saturating_sub(self.charged_time(seat, wall, usage, limit));
        let starved_reported = wall.saturating_sub(self.charged_time(seat, wall, usage.as_reported(), limit));
        let may_be_void = usage.waited.is_some() && !self.late_if_starved.contains(&seat);
        // The decision is made as if the time in which the referee was suspended had not passed.
        let absence = self.referee_absence.min(wall);
        let starved = Starved {
            max: starved_max.saturating_sub(absence),
            reported: starved_reported.saturating_sub(absence),
        };
        match decide(wall - absence, limit, starved, may_be_void, || self.taken_by_strangers(wall)) {
            Decision::Forgive(time) => {
                let cpu = Some(self.cpu_time(seat, usage));
                self.collector.account(seat, Account { starved: time + absence, cpu });
                Ok(())
            }
            Decision::Void { taken_by_strangers } => {
                Err(TableError::Void(Void::HostOverload { seat, wall, waited: taken_by_strangers }))
            }
        }
    }

    /// Returns the time per core that programs outside of this game used.
    fn taken_by_strangers(&mut self, wall: Duration) -> Duration {
        let bots_ran = bots_ran(&mut self.bots);
        self.host.cores_during(wall).taken_by_others(self.host.bots_ran_since(bots_ran))
    }
}

/// How long a bot was starved in a turn. The system reports a wait for a core only when it is over.
struct Starved {
    /// The most that it can be: as if a thread that seems to wait at this moment had waited as long as the cores were
    /// busy.
    max: Duration,
    /// The sum of the waits that are over.
    reported: Duration,
}

/// What follows when a bot's time seems to be over.
#[derive(Debug, PartialEq, Eq)]
enum Decision {
    /// This time is not charged. If the bot still has no time left, it is late.
    Forgive(Duration),
    /// The game is void: strangers kept the bot waiting for this time, which is too long.
    Void { taken_by_strangers: Duration },
}

/// Decides about a bot in a turn that has lasted for `wall` under a limit.
///
/// - Within the maximum elapsed time, the reported waits are forgiven. If these do not suffice, but the bot may be
///   waiting at this moment, it gets a little time, and is looked at again.
/// - After the maximum elapsed time nothing is forgiven. If strangers took more than half of the turn, the game is
///   void, once.
fn decide(
    wall: Duration,
    limit: Duration,
    starved: Starved,
    may_be_void: bool,
    taken_by_strangers: impl FnOnce() -> Duration,
) -> Decision {
    if wall > wall_limit(limit) {
        let taken_by_strangers = starved.max.min(taken_by_strangers());
        if may_be_void && taken_by_strangers > wall / 2 {
            Decision::Void { taken_by_strangers }
        } else {
            Decision::Forgive(Duration::ZERO)
        }
    } else if wall - starved.reported > limit && wall - starved.max < limit {
        Decision::Forgive(wall.saturating_sub(limit) + TIME_TO_NEXT_LOOK)
    } else {
        Decision::Forgive(starved.reported)
    }
}

/// Returns the total running time of the bots since they were started.
fn bots_ran(bots: &mut BySeat<Bot>) -> Duration {
    bots.iter_mut().filter_map(|(_, bot)| bot.meter()).map(|meter| meter.ran()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::Answer;
    use referee_record::play::collect::Collector;
    use referee_rules::Fault;

    const SEAT: Seat = Seat::new(0);
    const LIMIT: Duration = Duration::from_millis(50);
    /// Longer than the maximum elapsed time of a turn.
    const LONG: Duration = Duration::from_secs(6);

    /// Plays a turn of that length, in which the bot waits for strangers all the time. Returns the faults of this turn
    /// and of the next.
    fn two_turns(wall: Duration, may_be_void: bool) -> Result<[Option<Fault>; 2], Duration> {
        let mut collector = Collector::new(1);
        let mut answer = Answer::empty(SEAT);
        collector.ask(SEAT, LIMIT, Moment::default(), 0);
        collector.written(SEAT, Moment::default());
        let starved = Starved { max: wall, reported: wall };
        let starved = match decide(wall, LIMIT, starved, may_be_void, || wall) {
            Decision::Forgive(time) => time,
            Decision::Void { taken_by_strangers } => return Err(taken_by_strangers),
        };
        collector.account(SEAT, Account { starved, cpu: None });
        collector.expire(Moment(wall));
        collector.take(SEAT, &mut answer);
        let first = answer.fault.clone();
        collector.ask(SEAT, LIMIT, Moment(wall), 0);
        collector.written(SEAT, Moment(wall));
        collector.bytes(SEAT, b"0\n4\n", Moment(wall));
        collector.take(SEAT, &mut answer);
        Ok([first, answer.fault])
    }

    #[test]
    fn a_turn_that_strangers_took_makes_the_game_void_once_and_then_is_late_and_the_game_goes_on() {
        assert_eq!(two_turns(LONG, true), Err(LONG));
        assert_eq!(two_turns(LONG, false), Ok([Some(Fault::Late), None]));
    }

    #[test]
    fn a_turn_is_void_by_what_strangers_took_alone() {
        let starved = || Starved { max: LONG, reported: LONG };
        let decide_if_taken = |taken| decide(LONG, LIMIT, starved(), true, || taken);
        let void = |taken_by_strangers| Decision::Void { taken_by_strangers };
        assert_eq!(decide_if_taken(LONG / 2), Decision::Forgive(Duration::ZERO));
        assert_eq!(decide_if_taken(LONG / 2 + LIMIT), void(LONG / 2 + LIMIT));
        assert_eq!(decide_if_taken(2 * LONG), void(LONG), "no more than the bot waited");
    }
}
