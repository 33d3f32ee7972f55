//! The referee with one game more. It does what `referee` does: `play`, `hill`, `audit`, `replay` and the rest.

mod game;
mod straight;

use referee_rules::HouseBot;
use referee_rules::entry::Entry;

/// The game and its house bots.
const GAME: Entry = Entry::of::<game::Tron>().with_bots(&[HouseBot {
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
