//! The culprit: the seat without whose last answer a judge does not fail. It is found by new judges, which get samples
//! in the place of the answers of some seats. It is evidence for the host, and counts against no bot.

use std::cell::RefCell;
use std::time::Duration;

use super::{JudgeGame, SentAnswer};
use crate::session::Source;
use referee_rules::game::Game;
use referee_rules::{Dice, Events, Seat, Seed};
use referee_sandbox::clock::Clock;

/// Maximum patience with a judge that is started for the search.
const PATIENCE_MAX: Duration = Duration::from_secs(10);

/// The time of a search after which no further judge is started.
const SEARCH_MAX: Duration = Duration::from_secs(20);

/// Number of times that samples stand in for answers, before the judge counts as failing without these answers, too.
const SAMPLES_MAX: u64 = 3;

/// Returns the seat without whose answer the judge goes on, if there is exactly one among the suspects. `None`, too,
/// once there is no time for a further call of `goes_on_without`.
fn culprit_among(
    mut suspects: Vec<Seat>,
    has_time: impl Fn() -> bool,
    goes_on_without: impl Fn(&[Seat]) -> bool,
) -> Option<Seat> {
    if suspects.is_empty() || goes_on_without(&[]) || !goes_on_without(&suspects) {
        return None;
    }
    let all = suspects.clone();
    while suspects.len() > 1 {
        if !has_time() {
            return None;
        }
        let others = suspects.split_off(suspects.len() / 2);
        if !goes_on_without(&suspects) {
            suspects = others;
            if !has_time() || !goes_on_without(&suspects) {
                return None;
            }
        }
    }
    let culprit = suspects.pop()?;
    // If others could mend it, too, it is not one seat's doing.
    let others: Vec<Seat> = all.into_iter().filter(|seat| *seat != culprit).collect();
    if others.is_empty() {
        return Some(culprit);
    }
    (has_time() && !goes_on_without(&others)).then_some(culprit)
}

impl JudgeGame {
    /// Returns the seat without whose answer of this turn the judge goes on, if there is exactly one. `None` if it
    /// fails whatever the answers are, or fails now and then.
    pub(super) fn culprit(&self) -> Option<Seat> {
        let answered = self.asked.iter().zip(&self.answers).filter(|(_, answer)| answer.is_some());
        let suspects = answered.map(|(seat, _)| *seat).collect();
        let clock = Clock::start();
        let has_time = || clock.now().0 <= SEARCH_MAX;
        culprit_among(suspects, has_time, |seats| self.goes_on_without(seats))
    }

    /// Tells whether a new judge plays this turn if these seats give samples of its own. Some samples can be like the
    /// answer that makes it fail, so other ones are tried.
    fn goes_on_without(&self, seats: &[Seat]) -> bool {
        let samples = if seats.is_empty() { 1 } else { SAMPLES_MAX };
        (0..samples).any(|number| self.goes_on_with_samples(seats, Seed(self.seed.0 ^ number)))
    }

    /// Plays this turn with a new judge, which gets its own samples as the answers of these seats, and of those that
    /// have not answered. Tells whether the judge does not fail.
    fn goes_on_with_samples(&self, seats: &[Seat], chance: Seed) -> bool {
        let patience = self.source.patience.min(PATIENCE_MAX);
        let mut game = self.copy();
        game.source = Source { patience, transcript: None, ..self.source.clone() };
        // Neither process nor failure: the first request starts a new judge.
        game.running = RefCell::default();
        let mut answers: Vec<(Seat, SentAnswer)> = Vec::new();
        for (seat, answer) in self.asked.iter().zip(&self.answers) {
            let answer = match answer {
                Some(answer) if !seats.contains(seat) => answer.clone(),
                _ => {
                    let mut integers = Vec::new();
                    // Each seat has the dice of another turn, so that their samples differ.
                    let mut dice = Dice::for_turn(chance, seat.index() as u32);
                    game.sample(*seat, &mut dice, &mut integers);
                    SentAnswer::Integers(integers)
                }
            };
            answers.push((*seat, answer));
        }
        // The requests come in the same order as when the judge failed.
        game.expect(&mut answers.iter().filter_map(|(seat, answer)| match answer {
            SentAnswer::Integers(integers) => Some((*seat, &integers[..])),
            SentAnswer::Fault(_) => None,
        }));
        for (seat, answer) in answers {
            match answer {
                // The verdict is of no matter, only whether the judge fails at it.
                SentAnswer::Integers(integers) => drop(game.answer(seat, Ok(&integers))),
                // A fault needs no verdict.
                SentAnswer::Fault(kind) => game.set_answer(seat, SentAnswer::Fault(kind)),
            }
        }
        game.resolve(&mut Events::default());
        game.failure().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Searches among 64 seats for seat 37, with time for a number of tries after the first two. Returns what is found,
    /// and the number of tries.
    fn search(tries_max: u32) -> (Option<usize>, u32) {
        let tries = Cell::new(0);
        let goes_on_without = |seats: &[Seat]| {
            tries.set(tries.get() + 1);
            seats.contains(&Seat::new(37))
        };
        let culprit =
            culprit_among(Seat::first(64).collect(), || tries.get() < 2 + tries_max, goes_on_without);
        (culprit.map(Seat::index), tries.get())
    }

    #[test]
    fn a_search_without_time_starts_no_further_judge_and_names_nobody() {
        let (culprit, all) = search(u32::MAX - 2);
        assert!(culprit == Some(37) && all <= 2 + 2 * 6 + 1, "{culprit:?}, {all}");
        for tries_max in 0..all - 2 {
            assert_eq!(search(tries_max), (None, 2 + tries_max));
        }
        assert_eq!(search(all - 2).0, Some(37));
    }
}
