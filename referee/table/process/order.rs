//! Freezing: which bots may run when. In a quick turn no asked bot is stopped, since that would take as long
//! as the turn. In a slow turn, a bot is frozen from its answer or its time limit until its next question. So
//! it takes no core from the others, and gains no time. Between turns all bots are frozen where the rules need long.

use std::time::Duration;

use crate::process::{ProcessTable, STDERR_POLL, Timekeeping, WAIT_MAX};
use referee_record::play::table::Question;
use referee_rules::Seat;

impl ProcessTable {
    /// Begins a turn: freezes bots that are not asked, or lets them ponder if the game allows it. A bot that
    /// is gone stays frozen.
    pub(super) fn begin_order(&mut self) {
        // Where bots are asked one by one, each waits for its question. Not in the first turn, since all start at once.
        let waits_for_others = self.timekeeping == Timekeeping::Serial && self.turns > 0;
        for (seat, bot) in self.bots.iter_mut() {
            let is_idle = waits_for_others && self.asked.contains(&seat);
            bot.idle_since = is_idle.then_some(self.turn_start);
            if self.collector.is_gone(seat) {
                bot.freeze();
            } else if !self.asked.contains(&seat) {
                if self.ponder { bot.go_on() } else { bot.freeze() }
            }
        }
    }

    /// Lets bots run that are about to be asked, before their time begins.
    pub(super) fn let_go_on(&mut self, questions: &[Question]) {
        for question in questions.iter().filter(|question| !self.collector.is_gone(question.seat)) {
            self.bots[question.seat].go_on();
        }
    }

    /// Freezes all bots.
    pub(super) fn freeze_all(&mut self, is_timed: bool) {
        for (_, bot) in self.bots.iter_mut() {
            bot.freeze_and_watch(is_timed);
        }
    }

    /// Called in a slow turn: freezes all bots except those whose answer is awaited, and those that ponder.
    /// Returns the time until the next call.
    pub(super) fn keep_order(&mut self) -> Duration {
        let is_timed = self.timekeeping != Timekeeping::Wall;
        for seat in Seat::first(self.bots.len()) {
            let ponders = self.ponder && !self.asked.contains(&seat) && !self.collector.is_gone(seat);
            if self.waited_for.contains(&seat) || ponders {
                continue;
            }
            if is_timed && self.bots[seat].idle_since.is_some() {
                let now = self.clock.now();
                self.charge_idle_time(seat, now);
            }
            self.bots[seat].freeze_and_watch(is_timed);
        }
        if is_timed && self.observe_if_threads_can_end() { STDERR_POLL } else { WAIT_MAX }
    }
}
