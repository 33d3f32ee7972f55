//! Many games of one kind that are stepped at the same time, on one thread or several. It knows no Python.

use std::sync::{Mutex, PoisonError};

use referee_rules::{Codec, Dice, Events, Seat, Seed};

use super::workers::Workers;

/// A game as bytes for learners, the same for all seats.
pub(crate) trait Planes: Codec + Sync {
    /// The shape of a game's bytes.
    const SHAPE: &'static [usize];
    /// Bytes of a seat's mask, one for each answer; 0: no masks.
    const MASK: usize;
    /// Number of values of each number in an answer. They begin at 0.
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

    /// Shows a position: the bytes, the masks and the scores. `integers` has the notes of `prepare`; it is empty if the
    /// bytes are of another game.
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

    /// Begins all games anew: game `i` with the seed `seed + i`.
    fn reset(&mut self, seed: u64, out: Out<'_>);

    /// Plays a turn of each game. A game that ends begins anew at once; its new seed is the old one plus the number of
    /// games.
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

/// One of them.
struct One<R: Planes> {
    state: R::State,
    seed: Seed,
    scores: Vec<i64>,
    actions: Vec<(Seat, R::Action)>,
}

/// Memory of one thread.
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

impl<R: Planes> Batch for Games<R> {
    fn layout(&self) -> Layout {
        self.layout
    }

    fn reset(&mut self, seed: u64, out: Out<'_>) {
        let mut scratch = Scratch::default();
        out.rewards.fill(0.0);
        out.ended.fill(false);
        for (index, (one, (shown, masks))) in self.games.iter_mut().zip(parts(&self.layout, out)).enumerate()
        {
            one.seed = Seed(seed.wrapping_add(index as u64));
            one.begin(&self.rules, shown, masks, &mut scratch);
        }
    }

    fn step(&mut self, actions: &[i32], by_share: bool, threads: usize, out: Out<'_>) {
        let Layout { seats, width, shape, mask, .. } = self.layout;
        let (rules, layout) = (&self.rules, &self.layout);
        // More parts than threads: a thread that gets no core for a while does less.
        let parts = if threads > 1 { PARTS * threads } else { 1 };
        let each = self.games.len().div_ceil(parts).max(1);
        let next_seed = self.games.len() as u64;
        let shown = out.shown.chunks_mut(each * shape.iter().product::<usize>());
        // Without masks, each part gets an empty slice.
        let mut masks = out.masks.chunks_mut((each * seats * mask).max(1));
        let rest = out.rewards.chunks_mut(each * seats).zip(out.ended.chunks_mut(each));
        let games = self.games.chunks_mut(each).zip(actions.chunks(each * seats * width));
        let parts = games.zip(shown).zip(rest).map(|(((games, actions), shown), (rewards, ended))| {
            (games, actions, Out { shown, masks: masks.next().unwrap_or_default(), rewards, ended })
        });
        let parts = Mutex::new(parts);
        let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        self.workers.run(threads, &|| {
            while let Some((games, actions, out)) = next() {
                step_some(rules, layout, games, actions, (by_share, next_seed), out);
            }
        });
    }
}

/// Number of parts for each thread.
const PARTS: usize = 4;

/// The bytes and masks of each game.
fn parts<'a>(layout: &Layout, out: Out<'a>) -> impl Iterator<Item = (&'a mut [u8], &'a mut [u8])> {
    let mask = layout.seats * layout.mask;
    let mut masks = out.masks.chunks_exact_mut(mask.max(1));
    let shown = out.shown.chunks_exact_mut(layout.shape.iter().product());
    shown.map(move |shown| (shown, masks.next().unwrap_or_default()))
}

fn step_some<R: Planes>(
    rules: &R,
    layout: &Layout,
    games: &mut [One<R>],
    actions: &[i32],
    (by_share, next_seed): (bool, u64),
    out: Out<'_>,
) {
    let mut scratch = Scratch { scores: vec![0; layout.seats], ..Scratch::default() };
    let Out { shown, masks, rewards, ended } = out;
    let actions = actions.chunks_exact(layout.seats * layout.width);
    let rewards_of = rewards.chunks_exact_mut(layout.seats);
    let out = Out { shown, masks, rewards: &mut [], ended: &mut [] };
    let games = games.iter_mut().zip(actions).zip(parts(layout, out)).zip(rewards_of).zip(ended);
    for ((((one, actions), (shown, masks)), rewards), ended) in games {
        one.act(rules, actions, layout.width, &mut scratch);
        scratch.integers.clear();
        rules.prepare(&one.state, &one.actions, shown, &mut scratch.integers);
        scratch.events.clear();
        let mut dice = Dice::for_turn(one.seed, rules.turn(&one.state));
        rules.resolve(&mut one.state, &one.actions, &mut dice, &mut scratch.events);
        let outcome = rules.outcome(&one.state);
        *ended = outcome.is_some();
        let mut look = Look { shown, masks, scores: &mut scratch.scores };
        rules.show(&one.state, &mut look, &mut scratch.integers);
        for (seat, reward) in rewards.iter_mut().enumerate() {
            let scored = scratch.scores[seat] - one.scores[seat];
            let share = outcome.as_ref().map_or(0.0, |outcome| outcome.shares.as_slice()[seat]);
            *reward = if by_share { share as f32 } else { scored as f32 };
        }
        one.scores.copy_from_slice(&scratch.scores);
        if *ended {
            one.seed = Seed(one.seed.0.wrapping_add(next_seed));
            one.begin(rules, shown, masks, &mut scratch);
        }
    }
}

impl<R: Planes> One<R> {
    /// Begins a game by its seed.
    fn begin(&mut self, rules: &R, shown: &mut [u8], masks: &mut [u8], scratch: &mut Scratch) {
        self.state = rules.start(&mut Dice::for_start(self.seed));
        scratch.integers.clear();
        let mut look = Look { shown, masks, scores: &mut self.scores };
        rules.show(&self.state, &mut look, &mut scratch.integers);
    }

    /// Reads the answers of all seats.
    fn act(&mut self, rules: &R, numbers: &[i32], width: usize, scratch: &mut Scratch) {
        for ((_, action), numbers) in self.actions.iter_mut().zip(numbers.chunks_exact(width)) {
            scratch.integers.clear();
            R::write_integers(numbers, &mut scratch.integers);
            let read = rules.read_action(&self.state, &scratch.integers, action);
            debug_assert!(read.is_ok(), "an answer of this width has the shape that is due");
        }
    }
}
