//! A bot for Invisible Target that keeps a probability for each cell: where walls were put tells something, and where
//! they were not put tells more.
//!
//! A wall is drawn uniformly from the cells where one may stand. If the target lay on `t`, one could stand anywhere but on
//! `t`, on a player, and on the cells that cut a player off from `t`. Let there be `places(t)` of them. So
//!
//! - a wall that was put was drawn with probability 1 / `places(t)`: the fewer, the likelier is `t`;
//! - where it was put, and what it cut off, the target is not;
//! - no wall for a while: likelier with a `t` for which there is no place left at all. That is the end of the game, and
//!   that is when it finds the target: at the end of a passage that is never closed.
//!
//! `places` for all cells together takes one search: it is a matter of articulation points.

use std::collections::VecDeque;

use referee::kit;
use referee::rules::target::{Action, Cell, Move, Target, View};

/// Plays one game.
pub fn main() {
    let mut bot = Bayes::default();
    kit::run::<Target>(|view, action| *action = bot.think(view));
}

/// The chance that no wall follows a turn, unless there was one just before.
const NO_WALL: f64 = 6.0 / 7.0;

/// With fewer walls than this nearly all cells are alike, and it just walks.
const WALLS_MIN: u32 = 1_500;

/// What it remembers.
#[derive(Debug)]
pub struct Bayes {
    walls: Vec<bool>,
    /// The probability that the target lies on each cell.
    chances: Vec<f64>,
    walls_put: u32,
    /// Its own turns since it was last told of a wall.
    quiet: u32,
    goal: Option<Cell>,
    /// Steps from each cell to the goal; `None` where there is no way.
    steps: Vec<Option<u32>>,
}

impl Default for Bayes {
    fn default() -> Bayes {
        Bayes {
            walls: vec![false; Cell::COUNT],
            chances: vec![1.0 / Cell::COUNT as f64; Cell::COUNT],
            walls_put: 0,
            quiet: 0,
            goal: None,
            steps: vec![None; Cell::COUNT],
        }
    }
}

impl Bayes {
    /// Answers one question.
    pub fn think(&mut self, view: &View) -> Action {
        self.learn(view);
        let is_free = |cell: Cell| !self.walls[cell.index()] && !view.enemies.contains(&cell);
        let distance = |step: &Move| self.steps[step.from(view.own).index()].unwrap_or(u32::MAX);
        let free = Move::STEPS.into_iter().filter(|step| is_free(step.from(view.own)));
        let Some(best) = free.min_by_key(distance) else { return Action::Move(Move::STAY) };
        // When all stay the game is over. It agrees if it is rather nearest than not; else it walks about.
        let stays = distance(&best) >= distance(&Move::STAY) && self.goal.is_some();
        Action::Move(if stays && self.chance_to_win(view) >= 0.5 { Move::STAY } else { best })
    }

    /// Takes in what the question tells.
    fn learn(&mut self, view: &View) {
        self.quiet = if view.wall.is_some() { 0 } else { self.quiet + 1 };
        self.walls_put += u32::from(view.wall.is_some());
        if let Some(wall) = view.wall.filter(|_| self.walls_put < WALLS_MIN) {
            self.walls[wall.index()] = true;
            self.chances[wall.index()] = 0.0;
        }
        if self.walls_put < WALLS_MIN {
            return;
        }
        // In the round after a wall none is due in most turns: silence tells something from the second on.
        if view.wall.is_none() && self.quiet < 2 && self.goal.is_some() {
            return;
        }
        let places = Places::count(&self.walls, view);
        let turns = view.enemies.len() as i32 + 1;
        for (cell, chance) in Cell::all().zip(&mut self.chances).filter(|(_, chance)| **chance > 0.0) {
            let places = places.if_target_on(cell);
            match view.wall {
                Some(wall) if wall == cell => *chance = 0.0,
                Some(_) => *chance /= f64::from(places.max(1)),
                None if places > 0 => *chance *= NO_WALL.powi(turns),
                None => {}
            }
        }
        if let Some(wall) = view.wall {
            self.walls[wall.index()] = true;
        }
        let near = self.steps_to(view.own);
        for (chance, steps) in self.chances.iter_mut().zip(&near) {
            *chance = if steps.is_some() { *chance } else { 0.0 };
        }
        let sum: f64 = self.chances.iter().sum();
        self.chances.iter_mut().for_each(|chance| *chance /= sum);
        let goal = self.best_cell(&near);
        if view.wall.is_some() || self.goal != Some(goal) {
            self.steps = self.steps_to(goal);
            self.goal = Some(goal);
        }
    }

    /// Finds the cell with the least mean distance to the target. Rows and columns add up apart.
    fn best_cell(&self, near: &[Option<u32>]) -> Cell {
        let (mut rows, mut columns) = ([0.0; 64], [0.0; 64]);
        for (cell, chance) in Cell::all().zip(&self.chances) {
            rows[usize::from(cell.row())] += chance;
            columns[usize::from(cell.column())] += chance;
        }
        let means = |chances: [f64; 64]| -> [f64; 64] {
            std::array::from_fn(|here| {
                let apart = |there: usize| here.abs_diff(there).min(64 - here.abs_diff(there)) as f64;
                chances.iter().enumerate().map(|(there, chance)| chance * apart(there)).sum()
            })
        };
        let (rows, columns) = (means(rows), means(columns));
        let mean = |cell: &Cell| rows[usize::from(cell.row())] + columns[usize::from(cell.column())];
        let cells = Cell::all().filter(|cell| near[cell.index()].is_some());
        cells.min_by(|one, other| mean(one).total_cmp(&mean(other))).expect("its own cell at least")
    }

    /// The probability that it is nearer to the target than all others.
    fn chance_to_win(&self, view: &View) -> f64 {
        let wins = |target: &Cell| {
            let distance = view.own.manhattan_wrapped(*target);
            view.enemies.iter().all(|enemy| enemy.manhattan_wrapped(*target) > distance)
        };
        let possible = Cell::all().filter(|cell| self.chances[cell.index()] > 0.0);
        possible.filter(wins).map(|cell| self.chances[cell.index()]).sum()
    }

    /// Counts the steps from every cell to one of them.
    fn steps_to(&self, goal: Cell) -> Vec<Option<u32>> {
        let mut steps = vec![None; Cell::COUNT];
        steps[goal.index()] = Some(0);
        let mut waiting = VecDeque::from([(goal, 0)]);
        while let Some((cell, distance)) = waiting.pop_front() {
            for next in Move::STEPS.map(|step| step.from(cell)) {
                if !self.walls[next.index()] && steps[next.index()].is_none() {
                    steps[next.index()] = Some(distance + 1);
                    waiting.push_back((next, distance + 1));
                }
            }
        }
        steps
    }
}

/// How many walls could be put, wherever the target lies.
struct Places {
    /// The cells that cut no player off from another, and on which no player stands.
    open: u32,
    marks: Vec<Mark>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// When the search came here, from 1; 0 = never.
    number: u32,
    /// Where the search came from.
    above: usize,
    /// The earliest number that its subtree is beside.
    low: u32,
    /// Players in its subtree.
    players: u32,
    /// A player stands here, or would be cut off from another by a wall here.
    closed: bool,
    /// How many open cells cut it off from all players.
    cut_off: u32,
}

impl Places {
    /// Searches depth first from its own cell, and counts up and down the tree.
    fn count(walls: &[bool], view: &View) -> Places {
        let mut marks = vec![Mark::default(); Cell::COUNT];
        for player in view.enemies.iter().chain([&view.own]) {
            marks[player.index()].players = 1;
            marks[player.index()].closed = true;
        }
        let order = depth_first(walls, view.own, &mut marks);
        for &cell in order.iter().rev() {
            let beside = Move::STEPS.map(|step| marks[step.from(cell).index()].number);
            let lowest = beside.into_iter().filter(|number| *number > 0).min().unwrap_or(u32::MAX);
            let Mark { low, players, above, number, .. } = marks[cell.index()];
            let low = low.min(lowest).min(number);
            marks[cell.index()].low = low;
            let mark = &mut marks[above];
            if number > 1 {
                mark.low = mark.low.min(low);
                mark.players += players;
                // Without the cell above, this subtree is cut off from its own cell, where the search began.
                mark.closed |= low >= mark.number && players > 0;
            }
        }
        for &cell in order.iter().skip(1) {
            let Mark { low, players, above, .. } = marks[cell.index()];
            let from = marks[above];
            let cuts = low >= from.number && players == 0 && !from.closed;
            marks[cell.index()].cut_off = from.cut_off + u32::from(cuts);
        }
        let open = order.iter().filter(|cell| !marks[cell.index()].closed).count() as u32;
        Places { open, marks }
    }

    fn if_target_on(&self, cell: Cell) -> u32 {
        let mark = self.marks[cell.index()];
        (self.open - u32::from(!mark.closed)).saturating_sub(mark.cut_off)
    }
}

/// Numbers the cells that can be reached, and returns them in that order.
fn depth_first(walls: &[bool], start: Cell, marks: &mut [Mark]) -> Vec<Cell> {
    let mut order = Vec::new();
    let mut path = vec![(start, start, 0)];
    while let Some((cell, above, next)) = path.last_mut() {
        let cell = *cell;
        if *next == 0 {
            order.push(cell);
            let mark = &mut marks[cell.index()];
            mark.number = order.len() as u32;
            mark.low = mark.number;
            mark.above = above.index();
        }
        *next += 1;
        match Move::STEPS.get(*next - 1) {
            None => {
                path.pop();
            }
            Some(step) => {
                let to = step.from(cell);
                if !walls[to.index()] && marks[to.index()].number == 0 {
                    path.push((to, cell, 0));
                }
            }
        }
    }
    order
}
