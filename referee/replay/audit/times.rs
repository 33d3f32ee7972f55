//! Checks that the times and verdicts of a log are consistent: an answer that counts came within its limit, a late one
//! did not, and a program that has ended does not come back.
//!
//! Limits follow from the game's parameters and, if there is a bank, from the times that the log takes from it. No log
//! can show whether the host wrote the times that it measured.

use std::time::Duration;

use crate::play::SeatClock;
use crate::rules::{BySeat, Fault, Info, TimeControl};
use crate::table::{Answer, Dropped};

/// The times of a log, as they are read.
#[derive(Debug)]
pub(super) struct Times {
    time: TimeControl,
    /// The log has the times that were charged, not rounded down.
    are_exact: bool,
    seats: BySeat<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    clock: SeatClock,
    questions: u32,
    /// How its program ended, once it has.
    gone: Option<Fault>,
}

impl Times {
    pub(super) fn new(info: &Info, are_exact: bool) -> Times {
        Times { time: info.time, are_exact, seats: BySeat::from_fn(info.seats, |_| Kept::default()) }
    }

    /// Takes the next answer of a seat. `Err`: what is impossible about it.
    pub(super) fn check(&mut self, answer: &Answer) -> Result<(), String> {
        let kept = &mut self.seats[answer.seat];
        let limit = kept.clock.next_limit(&self.time);
        kept.questions += 1;
        kept.clock.charge(answer.thinking);
        if answer.fault.is_none()
            && answer.thinking <= limit
            && answer.wall >= answer.thinking
            && kept.gone.is_none()
        {
            return Ok(());
        }
        kept.check(answer, limit, self.time.bank.is_some(), self.are_exact)
    }
}

impl Kept {
    fn check(
        &mut self,
        answer: &Answer,
        limit: Duration,
        is_bank: bool,
        is_exact: bool,
    ) -> Result<(), String> {
        let Answer { thinking, wall, fault, .. } = answer;
        let us = |time: Duration| time.as_micros();
        if wall < thinking {
            return Err(format!(
                "charged {} us, more than the {} us that had passed",
                us(*thinking),
                us(*wall)
            ));
        }
        if let Some(gone) = &self.gone {
            let is_gone =
                fault.as_ref() == Some(gone) && wall.is_zero() && answer.dropped == Dropped::default();
            return if is_gone {
                Ok(())
            } else {
                Err(format!("its program ended in an earlier turn ({gone}) and cannot answer"))
            };
        }
        let Some(fault) = fault else { return within(*thinking, limit) };
        let kind = fault.kind();
        if kind.is_end() {
            self.gone = Some(fault.clone());
        } else if kind.is_bad_content() {
            return within(*thinking, limit);
        } else if !kind.is_silence() {
            return Err(format!("{} is said of superfluous lines, not of an answer", kind.name()));
        } else if !(wall.is_zero() && *fault == Fault::Deaf) {
            // It was late, or had not taken its question by then. Who has not taken the one before is asked nothing.
            // Each time of an old log may have been up to a microsecond longer, and a bank used up by so much more.
            let rounded = if is_exact {
                0
            } else {
                1 + if is_bank { u64::from(self.questions.saturating_sub(2)) } else { 0 }
            };
            if *thinking + Duration::from_micros(rounded) <= limit {
                let (kind, thinking, limit) = (kind.name(), us(*thinking), us(limit));
                return Err(format!("{kind} after {thinking} us, within its limit of {limit} us"));
            }
        }
        Ok(())
    }
}

fn within(thinking: Duration, limit: Duration) -> Result<(), String> {
    if thinking <= limit {
        return Ok(());
    }
    Err(format!("not late after {} us, beyond its limit of {} us", thinking.as_micros(), limit.as_micros()))
}
