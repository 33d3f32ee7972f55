//! Games that are played on from the middle of a recorded one, each with other dice, until they end.

use crate::page::decisive::deadline::Deadline;
use crate::page::{Job, Together};
use referee_record::Answer;
use referee_record::play::replay;
use referee_rules::game::{self, Game};
use referee_rules::thinker::Thinker;
use referee_rules::{BySeat, Events, Seat, Seed};

/// A turn of a recorded game from which one can play on.
pub(super) struct Moment {
    pub(super) game: Box<dyn Game>,
    pub(super) thinkers: BySeat<Box<dyn Thinker>>,
    /// The recorded answers of this turn; none at the end of the game.
    pub(super) answers: Vec<Answer>,
}

/// The seats whose recorded answers of the first turn are kept. Thinkers give all other answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AnswersKept {
    None,
    Of(Seat),
    All,
}

/// The shares of a game that was played on; `None` if it did not end.
pub(super) type Shares = Option<BySeat<f64>>;

/// Maximum number of further turns of a game. A longer one is given up: it may never end.
const TURNS_MAX: u32 = 100_000;

impl Moment {
    /// Returns a copy whose thinkers draw from this seed.
    pub(super) fn copied(&self, seed: Seed) -> Moment {
        let thinkers = self.thinkers.iter().map(|(_, thinker)| thinker.copied(seed)).collect();
        Moment { game: self.game.copied(), thinkers, answers: self.answers.clone() }
    }

    /// Plays the turn as it was recorded. The thinkers see their questions.
    pub(super) fn follow(&mut self) {
        let mut unused = Vec::new();
        for index in 0..self.game.asked().len() {
            let seat = self.game.asked()[index];
            unused.clear();
            self.thinkers[seat].answer(&mut *self.game, seat, &mut unused);
        }
        replay::advance(&mut *self.game, &self.answers, &mut Events::default(), None, |_, _, _| {});
    }

    /// Plays a game from here with each seed. Returns their shares in the order of the seeds; `None` for a game that
    /// was cut off by the deadline.
    pub(super) fn play(
        &self,
        seeds: &[Seed],
        answers_kept: AnswersKept,
        threads: usize,
        deadline: Deadline<'_>,
        together: Together<'_>,
    ) -> Vec<Option<Shares>> {
        let games_each = seeds.len().div_ceil(threads.max(1)).max(1);
        let mut results = vec![None; seeds.len()];
        let parts = results.chunks_mut(games_each).zip(seeds.chunks(games_each));
        let jobs = parts.map(|(results, seeds)| -> Job<'_> {
            let start = self.copied(Seed(0));
            Box::new(move || {
                for (result, seed) in results.iter_mut().zip(seeds) {
                    *result = start.play_one(*seed, answers_kept, deadline);
                }
            })
        });
        together(jobs.collect());
        results
    }

    /// Plays a game from here. `None` if it was cut off by the deadline.
    fn play_one(&self, seed: Seed, answers_kept: AnswersKept, deadline: Deadline<'_>) -> Option<Shares> {
        let Some(mut game) = self.game.copied_with_seed(seed) else { return Some(None) };
        let mut thinkers: BySeat<_> = self.thinkers.iter().map(|(_, one)| one.copied(seed)).collect();
        let (mut events, mut integers) = (Events::default(), Vec::new());
        let first = game.turn();
        while !game.asked().is_empty() {
            let is_first = game.turn() == first;
            if game.turn() - first > TURNS_MAX {
                return Some(None);
            }
            if deadline.is_over() {
                return None;
            }
            game::play_turn(&mut *game, &mut events, |game, seat| {
                integers.clear();
                thinkers[seat].answer(game, seat, &mut integers);
                let is_kept =
                    is_first && (answers_kept == AnswersKept::All || answers_kept == AnswersKept::Of(seat));
                let recorded =
                    if is_kept { self.answers.iter().find(|answer| answer.seat == seat) } else { None };
                let _ = game.answer(seat, recorded.map_or(Ok(&integers), Answer::given));
            });
        }
        Some(game.outcome().map(|outcome| outcome.shares))
    }
}
