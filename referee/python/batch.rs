//! Many games of one kind that are stepped at the same time, on one thread or several. This module uses no
//! Python.

use std::collections::TryReserveError;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use referee_rules::{Codec, Dice, Events, Seat, Seed};

use super::workers::Workers;

/// A game as bytes for learners, the same for all seats.
pub(crate) trait Planes: Codec + Sync + fmt::Debug {
    /// The shape of a game's bytes.
    const SHAPE: &'static [usize];
    /// Bytes of a seat's mask, one for each answer; 0 if there are no masks.
    const MASK: usize;
    /// Number of values of each number in an answer. Values begin at 0.
    const CHOICES: i32;
    /// The shape of a seat's own observation.
    const OWN: &'static [usize];

    /// Appends the integers of an answer on the wire. `numbers` are below [`CHOICES`](Planes::CHOICES).
    fn write_integers(numbers: &[i32], integers: &mut Vec<i64>);

    /// Prepares to show the position after a turn: removes moving pieces from the bytes, and notes what actions can
    /// change.
    fn prepare(
        &self,
        _state: &Self::State,
        _actions: &[(Seat, Self::Action)],
        _shown: &mut [u8],
        _noted: &mut Vec<i64>,
    ) {
    }

    /// Writes a position: the bytes, the masks and the scores. `integers` are the notes of `prepare`; they
    /// are empty if the bytes are of another game.
    fn show(&self, state: &Self::State, look: &mut Look<'_>, integers: &mut Vec<i64>);

    /// Appends a seat's own observation, as `referee/seen.py` makes it. `shown` are the game's bytes.
    fn show_own(shown: &[u8], seat: Seat, own: &mut Vec<u8>);

    /// Writes a seat's own mask into zeros. Without such a function, it is the one of `show`.
    fn mask_own(&self, _state: &Self::State, _seat: Seat, _mask: &mut [u8]) {}

    /// Appends what a position has beside the question of seat 0.
    fn write_hidden(&self, _state: &Self::State, _integers: &mut Vec<i64>) {}

    /// Makes a position from the question of seat 0 and the integers of `write_hidden`; `None` if they make none.
    fn restore(&self, view: &Self::View, hidden: &[i64]) -> Option<Self::State>;
}

/// The reasons for an end that are limits and not rules of the game: Gymnasium calls it a truncation.
pub(crate) const CUT: [&str; 2] = ["max_turns", "max_rounds"];

/// What happens to a game that has ended, in the terms of Gymnasium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Autoreset {
    /// The next step restarts it, without a look at its actions.
    NextStep,
    /// The step that ends it restarts it, and keeps the last look.
    SameStep,
    /// It stays, until a reset.
    Disabled,
}

/// How a step is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepOptions {
    /// Whether rewards are shares at the end. Otherwise they are the rise of the scores.
    pub(crate) by_share: bool,
    pub(crate) threads: usize,
    pub(crate) autoreset: Autoreset,
}

/// The output of a game after each turn.
pub(crate) struct Look<'a> {
    pub(crate) shown: &'a mut [u8],
    pub(crate) masks: &'a mut [u8],
    pub(crate) scores: &'a mut [i64],
}

/// Many games, with the type of their rules hidden.
pub(crate) trait Batch: Send {
    /// Returns the sizes of inputs and outputs.
    fn layout(&self) -> Layout;

    /// Returns a copy of all games, which continue independently.
    fn copied(&self) -> Box<dyn Batch>;

    /// Restarts the games that `which` chooses; all, if it is `None`. `seeds` has a seed for each game. Without
    /// seeds, a game gets its old one plus the number of games.
    fn reset(&mut self, seeds: Option<&[u64]>, which: Option<&[bool]>, out: Out<'_>);

    /// Plays a turn of each game. A game that ends is restarted as `how` says; its new seed is the old one plus the
    /// number of games. Without `actions`, the actions are there already ([`OneGame::actions`]).
    fn step(&mut self, actions: &[i32], how: StepOptions, out: Out<'_>);

    /// Returns the first game that has ended and was not restarted.
    fn first_over(&self) -> Option<usize>;

    /// Returns all games as integers, for another process.
    fn saved(&self) -> Vec<Vec<i64>>;

    /// Replaces all games by those of `saved`. Returns `false`, and changes nothing, if they are no such games. Games
    /// that must be played again are played on this number of threads.
    fn restore(&mut self, saved: &[Vec<i64>], threads: usize) -> bool;
}

/// Sizes for one game.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    /// Number of seats that the caller plays: all, or one.
    pub(crate) seats: usize,
    /// Number of numbers in an answer.
    pub(crate) width: usize,
    /// Number of values of each of them.
    pub(crate) choices: i32,
    /// The shape of a game's bytes.
    pub(crate) shape: &'static [usize],
    /// Bytes of a seat's mask.
    pub(crate) mask: usize,
}

/// The outputs: for each game its bytes, a mask and a reward for each seat, and whether it has ended by its rules or
/// was cut off.
pub(crate) struct Out<'a> {
    pub(crate) shown: &'a mut [u8],
    pub(crate) masks: &'a mut [u8],
    pub(crate) rewards: &'a mut [f32],
    pub(crate) ended: &'a mut [bool],
    pub(crate) cut: &'a mut [bool],
    /// The bytes at the end of a game that is restarted in the same step; empty otherwise.
    pub(crate) last: &'a mut [u8],
}

impl Out<'_> {
    /// Borrows the same outputs once more.
    pub(crate) fn reborrow(&mut self) -> Out<'_> {
        let Out { shown, masks, rewards, ended, cut, last } = self;
        Out { shown, masks, rewards, ended, cut, last }
    }
}

/// Many games by the same rules.
pub(crate) struct Games<R: Planes> {
    pub(crate) rules: R,
    layout: Layout,
    pub(crate) games: Vec<OneGame<R>>,
    pub(crate) workers: Workers,
}

/// One of these games.
#[derive(Clone)]
pub(crate) struct OneGame<R: Planes> {
    pub(crate) state: R::State,
    pub(crate) seed: Seed,
    scores: Vec<i64>,
    pub(crate) actions: Vec<(Seat, R::Action)>,
    /// Whether it has ended and was not restarted.
    pub(crate) is_over: bool,
}

/// Games that follow one another, with their actions and outputs.
struct Part<'a, R: Planes> {
    games: &'a mut [OneGame<R>],
    actions: &'a [i32],
    out: Out<'a>,
}

/// The memory of one thread.
#[derive(Default)]
struct Scratch {
    integers: Vec<i64>,
    events: Events,
    scores: Vec<i64>,
}

impl<R: Planes> Games<R> {
    /// Starts games with the seeds 0, 1, 2, ...
    ///
    /// # Errors
    ///
    /// There is no memory for so large a number of games.
    pub(crate) fn new(rules: R, width: usize, count: usize) -> Result<Games<R>, TryReserveError> {
        let seats = rules.info().seats;
        let layout = Layout { seats, width, choices: R::CHOICES, shape: R::SHAPE, mask: R::MASK };
        let one = |number| {
            let seed = Seed(number as u64);
            let actions = Seat::first(seats).map(|seat| (seat, R::Action::default())).collect();
            OneGame {
                state: rules.start(&mut Dice::for_start(seed)),
                seed,
                scores: vec![0; seats],
                actions,
                is_over: false,
            }
        };
        let mut games = Vec::new();
        games.try_reserve_exact(count)?;
        while games.len() < count {
            let block = BLOCK_MAX.min(count - games.len());
            // The parts of a state are small allocations, which end the program if they fail. A large allocation does
            // not, so this one tries whether there is memory.
            let bytes_of_game = STATE_BYTES_MAX + 2 * R::SHAPE.iter().product::<usize>();
            Vec::<u8>::new().try_reserve_exact(block * bytes_of_game)?;
            games.extend((games.len()..games.len() + block).map(one));
        }
        Ok(Games { rules, layout, games, workers: Workers::default() })
    }
}

/// Maximum number of games for which memory is requested at once.
const BLOCK_MAX: usize = 1024;

/// Maximum number of bytes of a game's state, beside twice the bytes of its observation.
const STATE_BYTES_MAX: usize = 1 << 13;

/// Returns a vector of equal values.
///
/// # Errors
///
/// There is no memory for it.
pub(crate) fn filled<T: Clone>(count: usize, value: T) -> Result<Vec<T>, TryReserveError> {
    let mut room = Vec::new();
    room.try_reserve_exact(count)?;
    room.resize(count, value);
    Ok(room)
}

/// A copy has threads of its own.
impl<R: Planes> Clone for Games<R> {
    fn clone(&self) -> Games<R> {
        let Games { rules, layout, games, .. } = self;
        Games { rules: rules.clone(), layout: *layout, games: games.clone(), workers: Workers::default() }
    }
}

impl<R: Planes> Batch for Games<R> {
    fn copied(&self) -> Box<dyn Batch> {
        Box::new(self.clone())
    }

    fn layout(&self) -> Layout {
        self.layout
    }

    fn reset(&mut self, seeds: Option<&[u64]>, which: Option<&[bool]>, out: Out<'_>) {
        let (mut scratch, count) = (Scratch::default(), self.games.len() as u64);
        let whole = Part { games: &mut self.games, actions: &[], out };
        for (index, mut one) in whole.split(1, self.layout).enumerate() {
            if which.is_some_and(|which| !which[index]) {
                continue;
            }
            let next = one.games[0].seed.0.wrapping_add(count);
            let seed = seeds.map_or(next, |seeds| seeds[index]);
            one.begin(&self.rules, Seed(seed), &mut scratch);
            one.clear();
        }
    }

    fn step(&mut self, actions: &[i32], how: StepOptions, out: Out<'_>) {
        let (rules, layout, count) = (&self.rules, self.layout, self.games.len());
        let StepOptions { by_share, threads, autoreset } = how;
        // Each thread steps the same games every time: those that are in the cache of its core.
        let games_of_share = count.div_ceil(threads);
        let games_of_part = games_of_share.div_ceil(if threads > 1 { PARTS_OF_SHARE } else { 1 });
        let whole = Part { games: &mut self.games, actions, out };
        let shares: Vec<_> = whole
            .split(games_of_share, layout)
            .map(|share| Mutex::new(share.split(games_of_part, layout)))
            .collect();
        let next = |at: usize| shares[at].lock().unwrap_or_else(PoisonError::into_inner).next();
        self.workers.run(threads, &|own| {
            let mut scratch = Scratch { scores: vec![0; layout.seats], ..Scratch::default() };
            // After its own share it helps the others, since a thread may get no core for a while.
            for share in (own..shares.len()).chain(0..own.min(shares.len())) {
                while let Some(part) = next(share) {
                    for mut one in part.split(1, layout) {
                        let was_over = one.games[0].is_over;
                        if was_over {
                            one.clear();
                        } else {
                            one.step(rules, layout.width, by_share, &mut scratch);
                        }
                        let has_ended = one.out.ended[0] || one.out.cut[0];
                        let restarts_now = has_ended && autoreset == Autoreset::SameStep;
                        if restarts_now {
                            one.out.last.copy_from_slice(one.out.shown);
                        }
                        if was_over || restarts_now {
                            let seed = one.games[0].seed.0.wrapping_add(count as u64);
                            one.begin(rules, Seed(seed), &mut scratch);
                        } else if has_ended {
                            one.games[0].is_over = true;
                        }
                    }
                }
            }
        });
    }

    fn first_over(&self) -> Option<usize> {
        self.games.iter().position(|one| one.is_over)
    }

    fn saved(&self) -> Vec<Vec<i64>> {
        let integers_of = |one: &OneGame<R>| {
            let mut integers = vec![one.seed.0 as i64, i64::from(one.is_over)];
            let hidden_at = integers.len();
            integers.push(0);
            self.rules.write_hidden(&one.state, &mut integers);
            integers[hidden_at] = (integers.len() - hidden_at - 1) as i64;
            self.rules.write_own(&one.state, Seat::new(0), &mut integers);
            self.rules.write_shared(&one.state, &mut integers);
            integers
        };
        self.games.iter().map(integers_of).collect()
    }

    fn restore(&mut self, saved: &[Vec<i64>], _threads: usize) -> bool {
        let restored = |one: &OneGame<R>, integers: &[i64]| {
            let [seed, is_over, count, rest @ ..] = integers else { return None };
            let (hidden, question) = rest.split_at_checked(usize::try_from(*count).ok()?)?;
            let state = self.rules.restore(&R::read_view(question).ok()?, hidden)?;
            Some(OneGame { state, seed: Seed(*seed as u64), is_over: *is_over != 0, ..one.clone() })
        };
        if saved.len() != self.games.len() {
            return false;
        }
        let games = self.games.iter().zip(saved).map(|(one, integers)| restored(one, integers));
        let Some(games) = games.collect::<Option<Vec<_>>>() else { return false };
        self.games = games;
        // The scores before the next turn are those of the position.
        let Layout { seats, shape, mask, .. } = self.layout;
        let (mut shown, mut masks) = (vec![0; shape.iter().product()], vec![0; seats * mask]);
        for OneGame { state, scores, .. } in &mut self.games {
            let mut look = Look { shown: &mut shown, masks: &mut masks, scores };
            self.rules.show(state, &mut look, &mut Vec::new());
        }
        true
    }
}

/// Number of parts of a thread's share.
const PARTS_OF_SHARE: usize = 16;

impl<'a, R: Planes> Part<'a, R> {
    /// Splits it into parts of `each` games; the last one can be smaller.
    fn split(self, each: usize, layout: Layout) -> impl Iterator<Item = Part<'a, R>> {
        let Layout { seats, width, shape, mask, .. } = layout;
        let (Out { shown, masks, rewards, ended, cut, last }, bytes) =
            (self.out, shape.iter().product::<usize>());
        let mut actions = self.actions.chunks(each * seats * width);
        let mut masks = masks.chunks_mut((each * seats * mask).max(1));
        let mut last = last.chunks_mut(each * bytes);
        let shown = shown.chunks_mut(each * bytes);
        let ends = ended.chunks_mut(each).zip(cut.chunks_mut(each));
        let rest = rewards.chunks_mut(each * seats).zip(ends);
        self.games.chunks_mut(each).zip(shown).zip(rest).map(
            move |((games, shown), (rewards, (ended, cut)))| {
                // Some games have no masks, a reset has no actions, and only one kind of restart keeps the last look.
                let (actions, masks) = (actions.next().unwrap_or_default(), masks.next().unwrap_or_default());
                let last = last.next().unwrap_or_default();
                Part { games, actions, out: Out { shown, masks, rewards, ended, cut, last } }
            },
        )
    }

    /// Clears rewards and ends of this game.
    fn clear(&mut self) {
        self.out.rewards.fill(0.0);
        (self.out.ended[0], self.out.cut[0]) = (false, false);
    }

    /// Starts this game by its seed.
    fn begin(&mut self, rules: &R, seed: Seed, scratch: &mut Scratch) {
        let OneGame { state, scores, seed: own, is_over, .. } = &mut self.games[0];
        (*own, *is_over) = (seed, false);
        *state = rules.start(&mut Dice::for_start(seed));
        scratch.integers.clear();
        let mut look = Look { shown: self.out.shown, masks: self.out.masks, scores };
        rules.show(state, &mut look, &mut scratch.integers);
    }

    /// Plays a turn of this game.
    fn step(&mut self, rules: &R, width: usize, by_share: bool, scratch: &mut Scratch) {
        let OneGame { state, seed, scores: before, actions, .. } = &mut self.games[0];
        let (Scratch { integers, events, scores }, out) = (scratch, &mut self.out);
        for ((_, action), numbers) in actions.iter_mut().zip(self.actions.chunks_exact(width)) {
            read_numbers(rules, state, numbers, integers, action);
        }
        integers.clear();
        rules.prepare(state, actions, out.shown, integers);
        events.clear();
        let mut dice = Dice::for_turn(*seed, rules.turn(state));
        rules.resolve(state, actions, &mut dice, events);
        let outcome = rules.outcome(state);
        let is_cut = outcome.as_ref().is_some_and(|outcome| CUT.contains(&outcome.reason));
        (out.ended[0], out.cut[0]) = (outcome.is_some() && !is_cut, is_cut);
        rules.show(state, &mut Look { shown: out.shown, masks: out.masks, scores }, integers);
        for (seat, reward) in out.rewards.iter_mut().enumerate() {
            let share = outcome.as_ref().map_or(0.0, |outcome| outcome.shares.as_slice()[seat]);
            *reward = if by_share { share as f32 } else { (scores[seat] - before[seat]) as f32 };
        }
        before.copy_from_slice(scores);
    }
}

/// Reads an action of numbers below [`CHOICES`](Planes::CHOICES).
pub(crate) fn read_numbers<R: Planes>(
    rules: &R,
    state: &R::State,
    numbers: &[i32],
    integers: &mut Vec<i64>,
    action: &mut R::Action,
) {
    integers.clear();
    R::write_integers(numbers, integers);
    let read = rules.read_action(state, integers, action);
    debug_assert!(read.is_ok(), "an answer of this width has the shape that is due");
}
