//! A bot for comFoosball that spreads its men over the rows, and in each round moves one man a step towards the ball.

use referee_games::foosball::{Action, BENCH, FIELDED, Foosball, MEN, QUARTER, ROW_MAX, View, is_row};
use referee_rules::kit;

/// Plays one game.
pub fn main() {
    kit::run::<Foosball>(think);
}

/// Answers one question.
pub fn think(view: &View, answer: &mut Action) {
    let mut rows = view.rows;
    if view.round.is_multiple_of(QUARTER) {
        rows = spread(view);
    } else if let Some(man) = chaser(view) {
        // Within a quarter one man may go one step, and no more.
        rows[man] += (view.ball - rows[man]).signum();
    }
    *answer = Action::Roster(rows);
}

/// Puts a man on each row, then another, until 22 stand. The four who are most tired go on the bench: that rests them.
fn spread(view: &View) -> [i64; MEN] {
    let mut men: Vec<usize> = (0..MEN).collect();
    men.sort_by_key(|man| view.fatigues[*man]);
    let mut rows = [BENCH; MEN];
    for (place, man) in men[..FIELDED].iter().enumerate() {
        rows[*man] = (place % (2 * ROW_MAX as usize + 1)) as i64 - ROW_MAX;
    }
    rows
}

/// Chooses the man who goes towards the ball: of those not on its row the nearest, and of several the freshest.
fn chaser(view: &View) -> Option<usize> {
    let away = (0..MEN).filter(|man| is_row(view.rows[*man]) && view.rows[*man] != view.ball);
    away.min_by_key(|man| ((view.rows[*man] - view.ball).abs(), view.fatigues[*man]))
}
