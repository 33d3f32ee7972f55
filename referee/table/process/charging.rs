//! What each bot is charged for its turn, by the table's clock.

use std::time::Duration;

use super::meter::{FRESH, Meter};
use super::{ProcessTable, Timekeeping};
use crate::clock::Moment;
use crate::rules::Seat;
use crate::table::charge::{Usage, charge, wall_limit};
use crate::table::{TableError, Void};

/// A bot whose time seems to be over, but which waits for a core at this moment, is looked at again so much later.
const CLOSE_LOOK: Duration = Duration::from_millis(2);

impl ProcessTable {
    /// The referee looks at the pipes, or puts questions.
    pub(super) fn looks(&mut self, now: Moment) {
        if self.timekeeping != Timekeeping::Wall {
            self.own_thread.looks(now);
        }
    }

    /// A turn begins for whoever is asked.
    pub(super) fn begin_metering(&mut self, now: Moment) {
        if self.timekeeping == Timekeeping::Wall {
            return;
        }
        for &seat in &self.waited_for {
            let bot = &mut self.bots[seat];
            match &mut bot.meter {
                Some(meter) => meter.begin(now),
                None => bot.meter = bot.pid().and_then(Meter::new),
            }
        }
        self.stolen.begin(now);
    }

    /// Finds out what a bot is charged so far, if it is no quick turn.
    pub(super) fn charge(&mut self, seat: Seat, now: Moment) {
        let Some((start, limit)) = self.collector.running(seat) else { return };
        let wall = now - start;
        if let Some(meter) = self.bots[seat].meter.as_mut().filter(|_| wall > FRESH) {
            let usage = meter.look(now);
            self.collector.starved(seat, wall - self.charged(wall, usage, limit));
        }
    }

    fn charged(&self, wall: Duration, usage: Usage, limit: Duration) -> Duration {
        let waited = self.own_thread.waited();
        match charge(wall, usage, waited) {
            charged if charged > limit => charge(wall, usage, waited + self.stolen.look()),
            charged => charged,
        }
    }

    /// A bot's time seems to be over. If that is because the host let it wait, it gets more.
    pub(super) fn charge_closely(&mut self, seat: Seat, now: Moment) -> Result<(), TableError> {
        let Some((start, limit)) = self.collector.running(seat) else { return Ok(()) };
        let Some(meter) = &mut self.bots[seat].meter else { return Ok(()) };
        let wall = now - start;
        let (usage, waits) = meter.look_closely(now);
        let charged = self.charged(wall, usage, limit);
        let starved = wall - charged;
        if wall > wall_limit(limit) {
            if starved > wall / 2 && usage.waited.is_some() {
                return Err(TableError::Void(Void::HostOverload { seat, wall, waited: starved }));
            }
            self.collector.starved(seat, Duration::ZERO);
        } else if charged > limit && waits && usage.ran < limit {
            self.collector.starved(seat, wall.saturating_sub(limit) + CLOSE_LOOK);
        } else {
            self.collector.starved(seat, starved);
        }
        Ok(())
    }
}
