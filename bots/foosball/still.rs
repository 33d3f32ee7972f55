//! A bot for comFoosball that spreads its men over the rows and leaves them there.

use referee_games::foosball::{Action, BENCH, FIELDED, Foosball, MEN, QUARTER, ROW_MAX, View};
use referee_rules::kit;

/// Plays one game.
pub fn main() {
    kit::run::<Foosball>(think);
}

/// Answers one question.
pub fn think(view: &View, answer: &mut Action) {
    let rows = if view.round.is_multiple_of(QUARTER) { spread() } else { view.rows };
    *answer = Action::Roster(rows);
}

/// Puts a man on each row, then another, until 22 stand; the last four are on the bench.
fn spread() -> [i64; MEN] {
    let rows = 2 * ROW_MAX as usize + 1;
    std::array::from_fn(|man| if man < FIELDED { (man % rows) as i64 - ROW_MAX } else { BENCH })
}
