//! Thinkers: bots within this process, without a program, a pipe or a clock.

use std::fmt;

use crate::game::{self, Game};
use crate::{Codec, Dice, Seat, Seed};

/// A bot in one seat of a game within this process.
pub trait Thinker: Send + Sync {
    /// Reads the question of an asked seat and appends the integers of its answer. The game is not changed.
    fn answer(&mut self, game: &mut dyn Game, seat: Seat, integers: &mut Vec<i64>);

    /// Returns a copy that continues independently. If the bot chooses at random, the copy draws from this seed; with
    /// the seed that it has, it continues equally.
    fn copied(&self, seed: Seed) -> Box<dyn Thinker>;
}

/// Makes a thinker from a bot: `think` answers a question, `copy` implements [`Thinker::copied`].
pub fn thinker<R: Codec, B: Send + Sync + 'static>(
    bot: B,
    think: fn(&mut B, &R::View, &mut R::Action),
    copy: fn(&B, Seed) -> B,
) -> Box<dyn Thinker> {
    Box::new(Thinking::<R, B> { bot, think, copy })
}

/// Returns a thinker for any game: its answers are legal and random.
pub fn at_random(seed: Seed) -> Box<dyn Thinker> {
    Box::new(AtRandom(seed))
}

type Think<R, B> = fn(&mut B, &<R as Codec>::View, &mut <R as crate::Rules>::Action);

struct Thinking<R: Codec, B> {
    bot: B,
    think: Think<R, B>,
    copy: fn(&B, Seed) -> B,
}

impl<R: Codec, B: Send + Sync + 'static> Thinker for Thinking<R, B> {
    fn answer(&mut self, game: &mut dyn Game, seat: Seat, integers: &mut Vec<i64>) {
        let mut line = Vec::new();
        game.question(seat, &mut line);
        let view =
            game::read_question::<R>(line.trim_ascii_end(), integers).expect("a question of this game");
        let mut action = R::Action::default();
        (self.think)(&mut self.bot, &view, &mut action);
        integers.clear();
        R::write_action(&action, integers);
    }

    fn copied(&self, seed: Seed) -> Box<dyn Thinker> {
        Box::new(Thinking::<R, B> { bot: (self.copy)(&self.bot, seed), ..*self })
    }
}

struct AtRandom(Seed);

impl Thinker for AtRandom {
    fn answer(&mut self, game: &mut dyn Game, seat: Seat, integers: &mut Vec<i64>) {
        let of_seat = self.0.0.wrapping_add((seat.index() as u64) << 32);
        game.sample(seat, &mut Dice::for_turn(Seed(of_seat), game.turn()), integers);
    }

    fn copied(&self, seed: Seed) -> Box<dyn Thinker> {
        at_random(seed)
    }
}

impl fmt::Debug for dyn Thinker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Thinker")
    }
}
