//! Charges of a turn for each bot, by the table's clock.

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
const CLOSE_LOOK: Duration = Duration::from_millis(2);

/// Minimum wait of a bot for a look at the cores.
const HARDLY: Duration = Duration::from_micros(200);

/// Number of turns after a long gap whose gaps are expected to be long.
const WARY: u32 = 16;

/// How late a wait ends at most while the referee runs: a timer is late by less.
const ABSENT: Duration = Duration::from_millis(20);

impl ProcessTable {
    /// Called when the referee looks at the pipes, or puts questions.
    pub(super) fn looks(&mut self, now: Moment) {
        self.own_thread.looks(now, &self.clock);
    }

    /// Called when a bot's bytes were read, and returns the time of that. The referee can have lost its core since it
    /// last looked at the clock: bytes that came meanwhile must not count as of before. That wait of the referee is no
    /// bot's, as that before a look.
    pub(super) fn reads(&mut self) -> Moment {
        let now = self.clock.now();
        let since = now - self.last_look;
        if since > FRESH {
            let waited = self.own_thread.looks_on(now, &self.clock);
            self.is_away(since.saturating_sub(waited));
            self.last_look = now;
        }
        now
    }

    /// Called at a look at the bots, this time after the last one, which was to come after `planned` at the latest. If it
    /// took much longer, and not because other programs had the core, the referee was stopped: while it waited, or between
    /// a question and the wait. No bot pays for that time, but for what it computed in it.
    pub(super) fn notice_absence(&mut self, since: Duration, planned: Duration) {
        self.is_away(since.saturating_sub(planned).saturating_sub(self.own_thread.waited()));
    }

    fn is_away(&mut self, time: Duration) {
        if time > ABSENT {
            self.away += time;
        }
    }

    /// Begins a gap: no question is open until the next turn, while the rules, a judge or the record are at work. Where
    /// that is likely to take long, all bots are frozen.
    pub(super) fn begin_gap(&mut self) {
        let now = self.clock.now();
        let is_timed = self.timekeeping != Timekeeping::Wall;
        // A quick turn needs no reading: little was computed since the last one.
        if is_timed && now - self.began > FRESH {
            for seat in Seat::first(self.bots.len()) {
                if !self.settle(seat, now)
                    && let Some(meter) = &mut self.bots[seat].meter
                {
                    meter.look(now);
                }
            }
        }
        if self.wary > 0 {
            self.rest_all(is_timed);
        }
        self.gap_began = now;
    }

    /// Called in a slow turn, before a bot is frozen or asked, and at the end. What a bot computed while others were
    /// thinking and it had no question is part of its next answer. Tells whether it was looked at.
    pub(super) fn settle(&mut self, seat: Seat, now: Moment) -> bool {
        let cores = self.host.count();
        let bot = &mut self.bots[seat];
        let idle_since = bot.idle_since.take().filter(|since| bot.runs() && now - *since > FRESH);
        let Some(since) = idle_since else { return false };
        let ran = bot.meter().map(|meter| meter.ran_since(since, now, cores));
        bot.debt += ran.unwrap_or_default();
        ran.is_some()
    }

    /// Ends a gap. What bots computed in a long one for which they were not frozen is part of their next answer.
    pub(super) fn end_gap(&mut self, now: Moment) {
        if now - self.gap_began <= FRESH {
            self.wary = self.wary.saturating_sub(1);
            return;
        }
        self.wary = WARY;
        if self.timekeeping == Timekeeping::Wall {
            return;
        }
        let cores = self.host.count();
        for (_, bot) in self.bots.iter_mut().filter(|(_, bot)| bot.runs()) {
            let ran = bot.meter().map(|meter| meter.ran_since(self.gap_began, now, cores));
            bot.debt += ran.unwrap_or_default();
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

    /// Called when the turn has become a slow one.
    pub(super) fn goes_slow(&mut self) {
        if self.timekeeping != Timekeeping::Wall {
            self.own_thread.is_slow();
            self.host.begin(|| bots_ran(&mut self.bots));
        }
    }

    /// Looks at bots with threads that can end soon. Tells whether there are any.
    pub(super) fn glance(&mut self) -> bool {
        let mut any = false;
        for seat in &self.waited_for {
            any |= self.bots[*seat].meter.as_mut().is_some_and(|meter| meter.glance(self.last_look));
        }
        any
    }

    /// Tells the collector the charge of a bot so far. In a quick turn only the absence of the referee is forgiven.
    pub(super) fn charge(&mut self, seat: Seat, now: Moment) {
        let Some((start, limit)) = self.collector.running(seat) else { return };
        let wall = now - start;
        match self.bots[seat].meter.as_mut().filter(|_| wall > FRESH) {
            Some(meter) => {
                let usage = meter.look(now);
                let starved = wall.saturating_sub(self.charged(seat, wall, usage, limit));
                self.collector.account(seat, Account { starved, cpu: Some(self.used(seat, usage)) });
            }
            None => self.forgive_absence(seat, wall),
        }
    }

    /// Takes the time in which the referee was stopped out of the account of a bot that is not metered.
    fn forgive_absence(&mut self, seat: Seat, wall: Duration) {
        if !self.away.is_zero() {
            self.collector.account(seat, Account { starved: self.away.min(wall), cpu: None });
        }
    }

    /// Returns the CPU time that a bot is charged for.
    fn used(&self, seat: Seat, usage: Usage) -> Duration {
        self.bots[seat].charged_before + usage.ran
    }

    fn charged(&self, seat: Seat, wall: Duration, usage: Usage, limit: Duration) -> Duration {
        let before = self.bots[seat].charged_before.min(wall);
        let wall = wall - before;
        let cores = self.cores(wall, usage);
        let waited = self.own_thread.waited() + self.away;
        before
            + match charge(wall, usage, &cores, waited) {
                charged if charged > limit.saturating_sub(before) => {
                    charge(wall, usage, &cores, waited + self.stolen.look())
                }
                charged => charged,
            }
    }

    fn cores(&self, wall: Duration, usage: Usage) -> Cores {
        match usage.waited {
            Some(waited) if waited.right_now || waited.sum + waited.unreported + waited.unseen > HARDLY => {
                self.host.look(wall)
            }
            _ => self.host.unknown(wall),
        }
    }

    /// Called when a bot's time seems to be over. It gets more if the host made it wait.
    pub(super) fn charge_closely(&mut self, seat: Seat, now: Moment) -> Result<(), TableError> {
        let Some((start, limit)) = self.collector.running(seat) else { return Ok(()) };
        let wall = now - start;
        let Some(meter) = &mut self.bots[seat].meter else {
            self.forgive_absence(seat, wall);
            return Ok(());
        };
        let usage = meter.look_closely(now);
        // At best it has waited ever since it was last seen waiting.
        let at_best = wall.saturating_sub(self.charged(seat, wall, usage, limit));
        let starved = wall.saturating_sub(self.charged(seat, wall, usage.as_reported(), limit));
        let may_be_void = usage.waited.is_some() && !self.late_if_starved.contains(&seat);
        // The time in which the referee was stopped is taken out, as if it had not passed.
        let away = self.away.min(wall);
        let [present, at_best, starved] = [wall, at_best, starved].map(|time| time.saturating_sub(away));
        let taken = || self.taken_by_strangers(wall);
        let starved = Starved { at_best, reported: starved };
        let forgiven = forgiven(present, limit, starved, may_be_void, taken);
        let waited_too_long = |waited| TableError::Void(Void::HostOverload { seat, wall, waited });
        let starved = forgiven.map_err(waited_too_long)? + away;
        self.collector.account(seat, Account { starved, cpu: Some(self.used(seat, usage)) });
        Ok(())
    }

    /// Returns the time per core that programs outside of this game used.
    fn taken_by_strangers(&mut self, wall: Duration) -> Duration {
        let bots_ran = bots_ran(&mut self.bots);
        self.host.look(wall).taken_by_others(self.host.bots_ran(bots_ran))
    }
}

/// How long a bot was starved in a turn.
struct Starved {
    /// If it still waits.
    at_best: Duration,
    /// As far as the system reports.
    reported: Duration,
}

/// Returns the time that is forgiven for now, in a turn that has lasted for `wall` under a limit. `Err` makes the game
/// void; it is the time for which strangers kept the bot waiting.
fn forgiven(
    wall: Duration,
    limit: Duration,
    Starved { at_best, reported }: Starved,
    may_be_void: bool,
    taken_by_strangers: impl FnOnce() -> Duration,
) -> Result<Duration, Duration> {
    if wall > wall_limit(limit) {
        let by_strangers = at_best.min(taken_by_strangers());
        let is_void = may_be_void && by_strangers > wall / 2;
        if is_void { Err(by_strangers) } else { Ok(Duration::ZERO) }
    } else if wall - reported > limit && wall - at_best < limit {
        Ok(wall.saturating_sub(limit) + CLOSE_LOOK)
    } else {
        Ok(reported)
    }
}

/// Returns the total running time of the bots so far.
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
        let starved = forgiven(wall, LIMIT, Starved { at_best: wall, reported: wall }, may_be_void, || wall)?;
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
        let starved = || Starved { at_best: LONG, reported: LONG };
        let forgiven = |taken| forgiven(LONG, LIMIT, starved(), true, || taken);
        assert_eq!(forgiven(LONG / 2), Ok(Duration::ZERO));
        assert_eq!(forgiven(LONG / 2 + LIMIT), Err(LONG / 2 + LIMIT));
        assert_eq!(forgiven(2 * LONG), Err(LONG), "no more than it waited");
    }
}
