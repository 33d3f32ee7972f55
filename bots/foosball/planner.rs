//! A bot for comFoosball that treats the ball's way as a random walk between two goals. The chances of each step follow
//! from the rosters.
//!
//! The strengths on each row are known, so it computes the chance that the next goal is its own, for any roster. Before
//! a quarter it looks for the best roster against the other team's present one; within a quarter it tries every step of
//! every man and takes the best. A man's strength falls by a hundredth with each contest; the most tired men rest on
//! the bench.

use referee_games::foosball::{Action, BENCH, FIELDED, Foosball, MEN, QUARTER, ROW_MAX, View, is_row};
use referee_rules::kit;

/// The number of rows.
const ROWS: usize = 2 * ROW_MAX as usize + 1;

/// The strength on each row, from our goal to the other's.
type Strengths = [f64; ROWS];

/// Strength that is added on each row for both teams: one man of each can follow the ball. His mean strength over a
/// quarter.
const COMPANION: f64 = 0.5;

/// Plays one game.
pub fn main() {
    kit::run::<Foosball>(think);
}

/// Answers one question.
pub fn think(view: &View, answer: &mut Action) {
    let rows = if view.round.is_multiple_of(QUARTER) { line_up(view) } else { step(view) };
    *answer = Action::Roster(rows);
}

/// Chooses a roster for a quarter: moves one man after the other to where he helps most, until none does.
fn line_up(view: &View) -> [i64; MEN] {
    let mut men: Vec<usize> = (0..MEN).collect();
    men.sort_by_key(|man| view.fatigues[*man]);
    let mean = men[..FIELDED].iter().map(|man| strength(view.fatigues[*man])).sum::<f64>() / FIELDED as f64;
    let other = strengths(&view.other_rows, &view.other_fatigues);
    // Before the first quarter the places of the other team's men are unknown: all rows are equally likely.
    let other = if view.round == 0 { [FIELDED as f64 / ROWS as f64; ROWS] } else { other };

    let mut counts: [usize; ROWS] = std::array::from_fn(|row| (FIELDED + row) / ROWS);
    let worth = |counts: &[usize; ROWS]| {
        next_goal(&counts.map(|count| count as f64 * mean), &other)[ROW_MAX as usize]
    };
    loop {
        let mut best = counts;
        for (from, to) in (0..ROWS).flat_map(|from| (0..ROWS).map(move |to| (from, to))) {
            let mut changed = counts;
            if from != to && changed[from] > 0 {
                changed[from] -= 1;
                changed[to] += 1;
                if worth(&changed) > worth(&best) + 1e-9 {
                    best = changed;
                }
            }
        }
        if best == counts {
            break;
        }
        counts = best;
    }

    // The freshest men are put in the middle, where the ball is most often, and follow it from there.
    let mut middle_first: Vec<usize> = (0..ROWS).collect();
    middle_first.sort_by_key(|row| row.abs_diff(ROW_MAX as usize));
    let places = middle_first.into_iter().flat_map(|row| std::iter::repeat_n(row, counts[row]));
    let mut rows = [BENCH; MEN];
    for (man, row) in men.into_iter().zip(places) {
        rows[man] = row as i64 - ROW_MAX;
    }
    rows
}

/// Chooses the best of all steps of all men, or none.
fn step(view: &View) -> [i64; MEN] {
    let mut best = (worth(view, &view.rows), view.rows);
    for man in (0..MEN).filter(|man| is_row(view.rows[*man])) {
        for way in [-1, 1] {
            let mut rows = view.rows;
            rows[man] += way;
            if is_row(rows[man]) {
                let worth = worth(view, &rows);
                if worth > best.0 {
                    best = (worth, rows);
                }
            }
        }
    }
    best.1
}

/// The chance that the next goal is ours with this roster, from the contest on the ball's row and the chances on the
/// rows beside it.
fn worth(view: &View, rows: &[i64; MEN]) -> f64 {
    let own = strengths(rows, &view.fatigues);
    let other = strengths(&view.other_rows, &view.other_fatigues);
    let after = next_goal(&own, &other);
    let row = (view.ball + ROW_MAX) as usize;
    let forward = after.get(row + 1).copied().unwrap_or(1.0);
    let backward = if row == 0 { 0.0 } else { after[row - 1] };
    let chance = chance(own[row], other[row]);
    chance * forward + (1.0 - chance) * backward
}

/// For each row, the chance that the next goal is ours if the ball is there.
///
/// It is the chance of the row in front times the chance to win the contest, plus that of the row behind times the
/// chance to lose it: nine equations, solved from our goal onwards.
fn next_goal(own: &Strengths, other: &Strengths) -> Strengths {
    // chance[row] = factor[row] * chance[row + 1], since our goal has the chance 0.
    let mut factors = [0.0; ROWS];
    let mut before = 0.0;
    for row in 0..ROWS {
        let forward = chance(own[row] + COMPANION, other[row] + COMPANION);
        before = forward / (1.0 - (1.0 - forward) * before);
        factors[row] = before;
    }
    let mut chances = [0.0; ROWS];
    let mut next = 1.0; // the other's goal
    for row in (0..ROWS).rev() {
        next *= factors[row];
        chances[row] = next;
    }
    chances
}

/// The chance that a contest sends the ball forward.
fn chance(own: f64, other: f64) -> f64 {
    if own + other == 0.0 { 0.5 } else { own / (own + other) }
}

/// Adds up the men on each row.
fn strengths(rows: &[i64; MEN], fatigues: &[u32; MEN]) -> Strengths {
    let mut strengths = [0.0; ROWS];
    for (row, fatigue) in rows.iter().zip(fatigues).filter(|(row, _)| is_row(**row)) {
        strengths[(row + ROW_MAX) as usize] += strength(*fatigue);
    }
    strengths
}

fn strength(fatigue: u32) -> f64 {
    0.99f64.powi(fatigue as i32)
}
