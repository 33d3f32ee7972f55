//! House bots on seats, in one game or in many.

use referee_bots::{HOUSE_BOTS, HouseBot};
use referee_rules::game::Game;
use referee_rules::thinker::{self, Thinker};
use referee_rules::{Seat, Seed};

/// Who plays a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rival {
    /// A house bot: its place in the list of house bots.
    House(usize),
    /// Random legal answers.
    Random,
}

/// Finds a house bot by its name.
///
/// # Errors
///
/// The names that there are, if the game has no such bot.
pub(crate) fn find(game: &str, name: &str) -> Result<usize, String> {
    let own = |bot: &&HouseBot| bot.game == game && bot.thinker.is_some();
    HOUSE_BOTS.iter().position(|bot| own(&bot) && bot.name == name).ok_or_else(|| {
        let names: Vec<_> = HOUSE_BOTS.iter().filter(own).map(|bot| bot.name).collect();
        format!("{game}: no house bot {name:?} (there are: {})", names.join(", "))
    })
}

/// Tells whether there is a house bot of this game at this place in the list.
pub(crate) fn is_house_bot(game: &str, at: usize) -> bool {
    HOUSE_BOTS.get(at).is_some_and(|bot| bot.game == game && bot.thinker.is_some())
}

/// A bot on a seat.
pub(crate) struct Seated {
    bot: Box<dyn Thinker>,
    /// What it draws from.
    seed: Seed,
}

impl Seated {
    /// Puts a rival on a seat. What it draws follows from the seed of the game and the seat.
    pub(crate) fn new(rival: Rival, game: Seed, seat: usize) -> Seated {
        let seed = of_seat(game, seat);
        let bot = match rival {
            Rival::House(at) => {
                HOUSE_BOTS[at].thinker.expect("a house bot that `find` has found")().copied(seed)
            }
            Rival::Random => thinker::at_random(seed),
        };
        Seated { bot, seed }
    }

    /// Returns a copy that draws from the seed of another game.
    pub(crate) fn in_game(&self, game: Seed, seat: usize) -> Seated {
        let seed = of_seat(game, seat);
        Seated { bot: self.bot.copied(seed), seed }
    }

    /// Appends the integers of its answer.
    pub(crate) fn answer(&mut self, game: &mut dyn Game, seat: Seat, integers: &mut Vec<i64>) {
        self.bot.answer(game, seat, integers);
    }
}

/// A copy continues equally.
impl Clone for Seated {
    fn clone(&self) -> Seated {
        Seated { bot: self.bot.copied(self.seed), seed: self.seed }
    }
}

/// Returns what a bot on a seat draws from in a game with this seed.
fn of_seat(game: Seed, seat: usize) -> Seed {
    Seed(game.0.wrapping_add(seat as u64 + 1))
}
