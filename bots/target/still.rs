//! A bot for Invisible Target that stays where it started: the least that is an answer.

use referee_rules::kit;
use referee_rules::target::{Action, Move, Target, View};

/// Plays one game.
pub fn main() {
    kit::run::<Target>(|view, action| *action = think(view));
}

/// Answers one question.
pub fn think(_view: &View) -> Action {
    Action::Move(Move::STAY)
}
