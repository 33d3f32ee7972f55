//! Checks that the times and verdicts of a log are consistent: an answer that counts came within its limit, a late one
//! did not, and a program that has ended does not come back.
//!
//! Limits follow from the game's parameters and, if there is a bank, from the times that the log takes from it. No log
//! can show whether the host wrote the times that it measured.

use std::time::Duration;

use crate::play::turns::SeatClock;
use crate::{Answer, Dropped};
use referee_rules::{BySeat, Fault, Info, TimeControl};

/// The times of a log, as they are read.
#[derive(Debug)]
pub(super) struct Times {
    time: TimeControl,
    seats: BySeat<SeatState>,
}

#[derive(Debug, Default)]
struct SeatState {
    clock: SeatClock,
    /// The end of its program, if it has ended.
    gone: Option<Fault>,
}

impl Times {
    pub(super) fn new(info: &Info) -> Times {
        Times { time: info.time, seats: BySeat::from_fn(info.seats, |_| SeatState::default()) }
    }

    /// Takes the next answer of a seat. `Err`: the reason why it is impossible.
    pub(super) fn check(&mut self, answer: &Answer) -> Result<(), String> {
        let seat = &mut self.seats[answer.seat];
        let limit = seat.clock.next_limit(&self.time);
        seat.clock.charge(answer.thinking);
        if answer.fault.is_none()
            && answer.thinking <= limit
            && answer.wall >= answer.thinking
            && answer.cpu.is_none_or(|cpu| cpu <= answer.thinking)
            && seat.gone.is_none()
        {
            return Ok(());
        }
        seat.check(answer, limit)
    }
}

impl SeatState {
    fn check(&mut self, answer: &Answer, limit: Duration) -> Result<(), String> {
        let Answer { thinking, wall, cpu, fault, .. } = answer;
        let us = |time: Duration| time.as_micros();
        if let Some(cpu) = cpu.filter(|cpu| cpu > thinking) {
            return Err(format!(
                "charged {} us, less than the {} us that it computed",
                us(*thinking),
                us(cpu)
            ));
        }
        // Threads that compute side by side use more than the time that passes.
        if wall < thinking && *cpu != Some(*thinking) {
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
            return Err(format!("{} is a verdict for superfluous lines, not for an answer", kind.name()));
        } else if !(wall.is_zero() && *fault == Fault::Deaf) {
            // It was late, or had not taken its question by then. A bot that has not taken the previous question gets
            // no further one.
            if *thinking <= limit {
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

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::catalog;
    use referee_rules::{Parameters, Seat};

    /// Limits of 50 ms for a turn and 3 s for the first, and no bank.
    fn times() -> Times {
        let entry = catalog::find("football").expect("football");
        let mut info = entry.info(&Parameters::defaults(entry.parameters));
        info.time = TimeControl {
            turn_limit: Duration::from_millis(50),
            first_limit: Duration::from_secs(3),
            bank: None,
            ponder: true,
        };
        Times::new(&info)
    }

    /// An answer after this charged and this elapsed time, in microseconds.
    fn answer(thinking: u64, wall: u64, fault: Option<Fault>) -> Answer {
        let [thinking, wall] = [thinking, wall].map(Duration::from_micros);
        Answer { thinking, wall, fault, ..Answer::empty(Seat::new(0)) }
    }

    /// Checks an answer to the second question.
    fn second(answer: &Answer) -> Result<(), String> {
        let mut times = times();
        times.check(&self::answer(0, 0, None)).expect("the first");
        times.check(answer)
    }

    #[test]
    fn an_answer_that_counts_came_within_its_limit_and_a_late_one_did_not() {
        let late = || Some(Fault::Late);
        for (thinking, fault, message) in [
            (50_000, None, ""),
            (50_001, None, "not late after 50001 us, beyond its limit of 50000 us"),
            (50_001, late(), ""),
            (50_000, late(), "late after 50000 us, within its limit of 50000 us"),
            (50_000, Some(Fault::TooLong), ""),
            (50_001, Some(Fault::TooLong), "not late after 50001 us, beyond its limit of 50000 us"),
        ] {
            let found = second(&answer(thinking, thinking, fault)).err().unwrap_or_default();
            assert_eq!(found, message, "{thinking}");
        }
        assert_eq!(times().check(&answer(3_000_000, 3_000_000, None)), Ok(()), "the first may take longer");
        assert!(times().check(&answer(3_000_001, 3_000_001, None)).is_err());
    }

    #[test]
    fn no_less_is_charged_than_was_computed_and_more_than_has_passed_only_if_it_was_computed() {
        let used = |thinking, wall, cpu| Answer {
            cpu: Some(Duration::from_micros(cpu)),
            ..answer(thinking, wall, None)
        };
        for (answer, message) in [
            (used(20, 30, 20), ""),
            (used(20, 30, 7), ""),
            (used(20, 30, 21), "charged 20 us, less than the 21 us that it computed"),
            (used(40, 30, 40), ""),
            (used(40, 30, 39), "charged 40 us, more than the 30 us that had passed"),
        ] {
            assert_eq!(second(&answer).err().unwrap_or_default(), message, "{answer:?}");
        }
    }

    #[test]
    fn no_more_is_charged_than_has_passed_and_who_is_gone_does_not_come_back() {
        assert_eq!(second(&answer(7, 7, None)), Ok(()));
        assert_eq!(
            second(&answer(8, 7, None)),
            Err("charged 8 us, more than the 7 us that had passed".to_owned())
        );
        let exited = || Some(Fault::Exited(3));
        let mut gone = times();
        assert_eq!(gone.check(&answer(5, 5, exited())), Ok(()));
        assert_eq!(gone.check(&answer(0, 0, exited())), Ok(()), "it stays so");
        for back in [answer(0, 0, None), answer(0, 1, exited()), answer(0, 0, Some(Fault::Exited(4)))] {
            let message = gone.check(&back).expect_err("it came back");
            assert!(message.contains("its program ended in an earlier turn"), "{message}");
        }
        let mut lines = answer(0, 0, exited());
        lines.dropped.late = 1;
        assert!(gone.check(&lines).is_err(), "nor does it write");
        let message = second(&answer(0, 0, Some(Fault::Extra))).expect_err("no verdict of an answer");
        assert!(message.contains("superfluous lines"), "{message}");
        assert_eq!(second(&answer(0, 0, Some(Fault::Deaf))), Ok(()), "it was asked nothing");
        assert!(second(&answer(1, 1, Some(Fault::Deaf))).is_err(), "it was asked, and had time");
    }
}
