//! A bot for Invisible Target that stays where it started: the simplest answer.

use referee_games::target::{Action, Move, Target, View};
use referee_rules::kit;

/// Plays one game.
pub fn main() {
    kit::run::<Target>(|view, action| *action = think(view));
}

/// Answers one question.
pub fn think(_view: &View) -> Action {
    Action::Move(Move::STAY)
}
