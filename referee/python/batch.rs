//! Many games of one kind that are stepped at the same time, on one thread or several. This module uses no
//! Python.

use std::sync::{Mutex, PoisonError};

use referee_rules::{Codec, Dice, Events, Seat, Seed};

use super::workers::Workers;

/// A game as bytes for learners, the same for all seats.
pub(crate) trait Planes: Codec + Sync {
    /// The shape of a game's bytes.
    const SHAPE: &'static [usize];
    /// Bytes of a seat's mask, one for each answer; 0 if there are no masks.
    const MASK: usize;
    /// Number of values of each number in an answer. Values begin at 0.
    const CHOICES: i32;

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

    /// Restarts all games: game `i` gets the seed `seed + i`.
    fn reset(&mut self, seed: u64, out: Out<'_>);

    /// Plays a turn of each game. A game that ends is restarted at once; its new seed is the old one plus the
    /// number of games.
    fn step(&mut self, actions: &[i32], by_share: bool, threads: usize, out: Out<'_>);
}

/// Sizes for one game.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
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

/// The outputs: for each game its bytes, a mask and a reward for each seat, and whether it has ended.
pub(crate) struct Out<'a> {
    pub(crate) shown: &'a mut [u8],
    pub(crate) masks: &'a mut [u8],
    pub(crate) rewards: &'a mut [f32],
    pub(crate) ended: &'a mut [bool],
}

/// Many games by the same rules.
pub(crate) struct Games<R: Planes> {
    rules: R,
    layout: Layout,
    games: Vec<One<R>>,
    workers: Workers,
}

/// One of these games.
#[derive(Clone)]
struct One<R: Planes> {
    state: R::State,
    seed: Seed,
    scores: Vec<i64>,
    actions: Vec<(Seat, R::Action)>,
}

/// Games that follow one another, with their actions and outputs.
struct Part<'a, R: Planes> {
    games: &'a mut [One<R>],
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
    pub(crate) fn new(rules: R, width: usize, count: usize) -> Games<R> {
        let seats = rules.info().seats;
        let layout = Layout { seats, width, choices: R::CHOICES, shape: R::SHAPE, mask: R::MASK };
        let one = |number| {
            let seed = Seed(number as u64);
            let actions = Seat::first(seats).map(|seat| (seat, R::Action::default())).collect();
            One { state: rules.start(&mut Dice::for_start(seed)), seed, scores: vec![0; seats], actions }
        };
        let games = (0..count).map(one).collect();
        Games { rules, layout, games, workers: Workers::default() }
    }
}

impl<R: Planes + Clone + 'static> Batch for Games<R> {
    fn copied(&self) -> Box<dyn Batch> {
        let (rules, layout, games) = (self.rules.clone(), self.layout, self.games.clone());
        Box::new(Games { rules, layout, games, workers: Workers::default() })
    }

    fn layout(&self) -> Layout {
        self.layout
    }

    fn reset(&mut self, seed: u64, out: Out<'_>) {
        let mut scratch = Scratch::default();
        out.rewards.fill(0.0);
        out.ended.fill(false);
        let whole = Part { games: &mut self.games, actions: &[], out };
        for (index, mut one) in whole.split(1, self.layout).enumerate() {
            one.begin(&self.rules, Seed(seed.wrapping_add(index as u64)), &mut scratch);
        }
    }

    fn step(&mut self, actions: &[i32], by_share: bool, threads: usize, out: Out<'_>) {
        let (rules, layout, count) = (&self.rules, self.layout, self.games.len());
        // Each thread steps the same games every time: those that are in the cache of its core.
        let share = count.div_ceil(threads);
        let each = share.div_ceil(if threads > 1 { PARTS } else { 1 });
        let whole = Part { games: &mut self.games, actions, out };
        let shares: Vec<_> =
            whole.split(share, layout).map(|share| Mutex::new(share.split(each, layout))).collect();
        let next = |at: usize| shares[at].lock().unwrap_or_else(PoisonError::into_inner).next();
        self.workers.run(threads, &|own| {
            let mut scratch = Scratch { scores: vec![0; layout.seats], ..Scratch::default() };
            // After its own share it helps the others, since a thread may get no core for a while.
            for share in (own..shares.len()).chain(0..own.min(shares.len())) {
                while let Some(part) = next(share) {
                    for mut one in part.split(1, layout) {
                        one.step(rules, layout.width, by_share, &mut scratch);
                        if one.out.ended[0] {
                            let seed = one.games[0].seed.0.wrapping_add(count as u64);
                            one.begin(rules, Seed(seed), &mut scratch);
                        }
                    }
                }
            }
        });
    }
}

/// Number of parts of a thread's share.
const PARTS: usize = 16;

impl<'a, R: Planes> Part<'a, R> {
    /// Splits it into parts of `each` games; the last one can be smaller.
    fn split(self, each: usize, layout: Layout) -> impl Iterator<Item = Part<'a, R>> {
        let Layout { seats, width, shape, mask, .. } = layout;
        let Out { shown, masks, rewards, ended } = self.out;
        let mut actions = self.actions.chunks(each * seats * width);
        let mut masks = masks.chunks_mut((each * seats * mask).max(1));
        let shown = shown.chunks_mut(each * shape.iter().product::<usize>());
        let rest = rewards.chunks_mut(each * seats).zip(ended.chunks_mut(each));
        self.games.chunks_mut(each).zip(shown).zip(rest).map(move |((games, shown), (rewards, ended))| {
            // Some games have no masks, and a reset has no actions.
            let (actions, masks) = (actions.next().unwrap_or_default(), masks.next().unwrap_or_default());
            Part { games, actions, out: Out { shown, masks, rewards, ended } }
        })
    }

    /// Starts this game by its seed.
    fn begin(&mut self, rules: &R, seed: Seed, scratch: &mut Scratch) {
        let One { state, scores, seed: own, .. } = &mut self.games[0];
        *own = seed;
        *state = rules.start(&mut Dice::for_start(seed));
        scratch.integers.clear();
        let mut look = Look { shown: self.out.shown, masks: self.out.masks, scores };
        rules.show(state, &mut look, &mut scratch.integers);
    }

    /// Plays a turn of this game.
    fn step(&mut self, rules: &R, width: usize, by_share: bool, scratch: &mut Scratch) {
        let One { state, seed, scores: before, actions } = &mut self.games[0];
        let (Scratch { integers, events, scores }, out) = (scratch, &mut self.out);
        for ((_, action), numbers) in actions.iter_mut().zip(self.actions.chunks_exact(width)) {
            integers.clear();
            R::write_integers(numbers, integers);
            let read = rules.read_action(state, integers, action);
            debug_assert!(read.is_ok(), "an answer of this width has the shape that is due");
        }
        integers.clear();
        rules.prepare(state, actions, out.shown, integers);
        events.clear();
        let mut dice = Dice::for_turn(*seed, rules.turn(state));
        rules.resolve(state, actions, &mut dice, events);
        let outcome = rules.outcome(state);
        out.ended[0] = outcome.is_some();
        rules.show(state, &mut Look { shown: out.shown, masks: out.masks, scores }, integers);
        for (seat, reward) in out.rewards.iter_mut().enumerate() {
            let share = outcome.as_ref().map_or(0.0, |outcome| outcome.shares.as_slice()[seat]);
            *reward = if by_share { share as f32 } else { (scores[seat] - before[seat]) as f32 };
        }
        before.copy_from_slice(scores);
    }
}
