//! Positions of Push: set up and played through the public interface, read from the questions.

use referee_games::catalog;
use referee_rules::game::Game;
use referee_rules::{Dice, Event, Events, Fault, Outcome, Parameters, Seat, Seed, Thing};

/// A seat's action without an effect: silence.
pub(crate) const SILENT: &[i64] = &[];

/// A game of Push whose pushes a test controls.
#[derive(Debug)]
pub(crate) struct Hexagon {
    game: Box<dyn Game>,
    events: Events,
}

impl Hexagon {
    /// Starts a game.
    pub(crate) fn new(turns: i64, seed: u64) -> Hexagon {
        let entry = catalog::find("push").unwrap();
        let mut parameters = Parameters::defaults(entry.parameters);
        parameters.set("turns", turns).unwrap();
        Hexagon { game: entry.start(&parameters, Seed(seed)), events: Events::default() }
    }

    /// Judges an answer; it counts unless another follows.
    pub(crate) fn judge(&mut self, seat: usize, integers: &[i64]) -> Option<Fault> {
        self.game.answer(Seat::new(seat), Ok(integers))
    }

    /// Replaces an answer with a fault.
    pub(crate) fn fault(&mut self, seat: usize, fault: &Fault) {
        assert_eq!(self.game.answer(Seat::new(seat), Err(fault)).as_ref(), Some(fault));
    }

    /// Plays a turn and returns the mistake in each answer.
    pub(crate) fn turn(&mut self, answers: [&[i64]; 6]) -> [Option<Fault>; 6] {
        let verdict = |seat: usize| match answers[seat] {
            SILENT => None,
            integers => self.judge(seat, integers),
        };
        let verdicts = std::array::from_fn(verdict);
        self.resolve();
        verdicts
    }

    /// Plays a turn in which these seats push and the others are silent; all pushes must be allowed.
    pub(crate) fn push(&mut self, pushes: &[(usize, [i64; 2])]) {
        for (seat, push) in pushes {
            assert_eq!(self.judge(*seat, push), None, "seat {seat}: {push:?}");
        }
        self.resolve();
    }

    /// Plays a turn with the answers judged so far; the others are silent.
    pub(crate) fn resolve(&mut self) {
        self.events.clear();
        self.game.resolve(&mut self.events);
    }

    /// Draws a legal answer.
    pub(crate) fn sample(&self, seat: usize, dice: &mut Dice) -> Vec<i64> {
        let mut integers = Vec::new();
        self.game.sample(Seat::new(seat), dice, &mut integers);
        integers
    }

    /// The draws of the last turn: the place, the candidates, the winner.
    pub(crate) fn draws(&self) -> Vec<(i64, Vec<i64>, Vec<i64>)> {
        let draw = |event| match event {
            Event::Draw { name: "push", at, candidates, drawn } => {
                Some((at, candidates.to_vec(), drawn.to_vec()))
            }
            _ => None,
        };
        self.events.iter().filter_map(draw).collect()
    }

    /// The seats whose score became void in the last turn.
    pub(crate) fn voided(&self) -> Vec<usize> {
        let void = |event| match event {
            Event::Effect { name: "void", seat: Some(seat), values: [] } => Some(seat.index()),
            _ => None,
        };
        self.events.iter().filter_map(void).collect()
    }

    /// The integers of a seat's question, without their count.
    pub(crate) fn question(&mut self, seat: usize) -> Vec<i64> {
        let mut line = Vec::new();
        self.game.question(Seat::new(seat), &mut line);
        let text = String::from_utf8(line).unwrap();
        text.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect()
    }

    /// The number of coins on a slot.
    pub(crate) fn coins(&mut self, slot: usize) -> i64 {
        self.question(0)[3 + slot]
    }

    /// The attempt of a seat in the last turn: slot, direction, result.
    pub(crate) fn attempt(&mut self, seat: usize) -> [i64; 3] {
        self.question(0)[64 + 3 * seat..][..3].try_into().unwrap()
    }

    /// The result of each seat's attempt in the last turn.
    pub(crate) fn fates(&mut self) -> [i64; 6] {
        std::array::from_fn(|seat| self.attempt(seat)[2])
    }

    /// The scores by seat as they are now.
    pub(crate) fn scores(&self) -> Vec<i64> {
        let mut scores = Vec::new();
        self.game.describe(&mut |fact| {
            if fact.thing == Thing::SCORE {
                scores.push(fact.value);
            }
        });
        scores
    }

    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }
}
