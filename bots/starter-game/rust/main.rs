//! The referee with one more game. It has all commands of `referee`: `play`, `hill`, `audit`, `replay` and the others.

mod game;
mod straight;

use referee_rules::HouseBot;
use referee_rules::entry::Entry;

/// The game and its house bots.
pub const GAME: Entry = Entry::of::<game::Tron>().with_bots(&[HouseBot {
    name: "straight",
    about: "goes straight on until something is in its way",
    main: straight::main,
}]);

fn main() {
    referee::main(&[GAME])
}

#[test]
fn the_game_does_what_any_game_must() {
    referee_rules::conformance::check::<game::Tron>();
}
