//! A bot for Invisible Target that keeps a probability for each cell. The places of walls change it a little, and the
//! places where no wall was put change it more.
//!
//! A wall is drawn uniformly from the cells where one is allowed. If the target is on `t`, that is any cell but `t`,
//! cells with a player, and cells that cut a player off from `t`. Let there be `places(t)` of them. So
//!
//! - a wall that was put was drawn with probability 1 / `places(t)`: the fewer, the likelier is `t`;
//! - the target is not where a wall was put, nor on the cells that it cut off;
//! - no wall for a while: that is likelier for a `t` for which no place is left at all. This happens at the end of the
//!   game, and then it finds the target: at the end of a passage that is never closed.
//!
//! One search finds `places` for all cells together, by articulation points.
//!
//! It goes to the likeliest cell, and prefers cells that no other player can reach sooner: so its copies, which
//! compute the same, spread out. There it steps aside and back: no wall is put on a cell with a player, so a bot that
//! stays would never learn that it waits in vain.

use referee_games::target::{Action, Cell, Move, Target, View};
use referee_rules::kit;

/// Plays one game.
pub fn main() {
    let mut bot = Bayes::default();
    kit::run::<Target>(|view, action| *action = bot.think(view));
}

/// With fewer walls than this nearly all cells are equally likely, and it only steps to and fro.
const WALLS_MIN: u32 = 1_300;

/// Factor of the value of a cell that another player can reach sooner.
const LATE: f64 = 0.25;

/// The bot with its memory.
#[derive(Clone, Debug)]
pub struct Bayes {
    walls: Vec<bool>,
    walls_put: u32,
    /// Its own turns so far.
    turns: u32,
    /// Its own turns since the last new wall in a question.
    quiet_turns: u32,
    /// The probability of each cell to be the target.
    chances: Vec<f64>,
    /// The steps to its goal, the next one last.
    path: Vec<Move>,
}

impl Default for Bayes {
    fn default() -> Bayes {
        Bayes {
            walls: vec![false; Cell::COUNT],
            walls_put: 0,
            turns: 0,
            quiet_turns: 0,
            chances: vec![1.0 / Cell::COUNT as f64; Cell::COUNT],
            path: Vec::new(),
        }
    }
}

impl Bayes {
    /// Answers one question.
    pub fn think(&mut self, view: &View) -> Action {
        self.learn(view);
        let is_blocked = self.path.last().is_some_and(|step| !self.is_free(view, *step));
        if is_blocked {
            self.path.clear();
        }
        if self.walls_put >= WALLS_MIN && (view.wall.is_some() || is_blocked) {
            self.plan(view);
        }
        Action::Move(self.path.pop().unwrap_or_else(|| self.wait(view)))
    }

    fn is_free(&self, view: &View, step: Move) -> bool {
        let to = step.from(view.own);
        !self.walls[to.index()] && !view.enemies.contains(&to)
    }

    /// Steps aside and back. If all stay the game is over, so it stays only if its cell has at least half the
    /// probability.
    fn wait(&mut self, view: &View) -> Move {
        if self.chances[view.own.index()] >= 0.5 {
            return Move::STAY;
        }
        let turned = (0..4).map(|index| (index + self.turns as usize / 2) % 4);
        let Some(aside) = turned.into_iter().find(|index| self.is_free(view, Move::STEPS[*index])) else {
            return Move::STAY;
        };
        self.path.push(Move::STEPS[3 - aside]); // the opposite one
        Move::STEPS[aside]
    }

    /// Learns from a question.
    fn learn(&mut self, view: &View) {
        self.turns += 1;
        self.quiet_turns = if view.wall.is_some() { 0 } else { self.quiet_turns + 1 };
        self.walls_put += u32::from(view.wall.is_some());
        // In the round after a wall no new wall is possible in most turns: from the second round on, its absence
        // counts.
        if self.walls_put >= WALLS_MIN && (view.wall.is_some() || self.quiet_turns >= 2) {
            self.weigh(view);
        }
        if let Some(wall) = view.wall {
            self.walls[wall.index()] = true;
            self.chances[wall.index()] = 0.0;
        }
    }

    /// Multiplies the probability of each cell by that of the latest events if the target is there.
    fn weigh(&mut self, view: &View) {
        let places = Places::count(&self.walls, view);
        let no_wall = self.chance_of_no_wall(view);
        let turns = view.enemies.len() as u32 + 1;
        for (cell, chance) in Cell::all().zip(&mut self.chances).filter(|(_, chance)| **chance > 0.0) {
            let reached = places.marks[cell.index()].number > 0;
            let places = places.if_target_on(cell);
            *chance *= match view.wall {
                _ if !reached => 0.0,
                Some(_) => 1.0 / f64::from(places.max(1)),
                // If places are few, they change with the players' steps: each is there for a turn, not for a round.
                None => no_wall.powi(places.min(turns) as i32),
            };
        }
        let sum: f64 = self.chances.iter().sum();
        for chance in &mut self.chances {
            *chance /= sum;
        }
    }

    /// Estimates the probability that no wall follows a turn after which a wall is possible: from the number of turns
    /// for each wall so far. The round after each wall has no wall, and is not counted.
    fn chance_of_no_wall(&self, view: &View) -> f64 {
        let seats = view.enemies.len() as f64 + 1.0;
        let turns_a_wall = seats * f64::from(self.turns - self.quiet_turns) / f64::from(self.walls_put);
        let one_in = (turns_a_wall - seats + 1.0).max(2.0);
        1.0 - 1.0 / one_in
    }

    /// Finds the best cell, by probability and whether it can be there first, and a path to it.
    fn plan(&mut self, view: &View) {
        let mut rivals_steps = vec![u32::MAX; Cell::COUNT];
        for way in self.ways(&view.enemies, &[view.own]) {
            rivals_steps[way.to.index()] = way.steps;
        }
        let ways = self.ways(&[view.own], &view.enemies);
        let (mut best, mut best_value) = (0, -1.0);
        for (index, way) in ways.iter().enumerate() {
            let is_first = way.steps <= rivals_steps[way.to.index()];
            let value = self.chances[way.to.index()] * if is_first { 1.0 } else { LATE };
            if value > best_value {
                (best, best_value) = (index, value);
            }
        }
        self.path.clear();
        while best > 0 {
            self.path.push(ways[best].step);
            best = ways[best].from;
        }
    }

    /// Lists the starts, then the cells that can be walked to from any of them, the nearest first. Players block ways.
    fn ways(&self, starts: &[Cell], blocked: &[Cell]) -> Vec<Way> {
        let mut closed = self.walls.clone();
        for player in starts.iter().chain(blocked) {
            closed[player.index()] = true;
        }
        let start = |cell: &Cell| Way { to: *cell, step: Move::STAY, from: 0, steps: 0 };
        let mut ways: Vec<Way> = starts.iter().map(start).collect();
        let mut from = 0;
        while let Some(&way) = ways.get(from) {
            for step in Move::STEPS {
                let to = step.from(way.to);
                if !std::mem::replace(&mut closed[to.index()], true) {
                    ways.push(Way { to, step, from, steps: way.steps + 1 });
                }
            }
            from += 1;
        }
        ways
    }
}

/// A cell that can be walked to: by `step` from the cell of the way at index `from`, in `steps` steps from the start.
#[derive(Clone, Copy, Debug)]
struct Way {
    to: Cell,
    step: Move,
    from: usize,
    steps: u32,
}

/// The number of cells where a wall is allowed, for any target.
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
        // A cell that the search did not reach is not among the open ones.
        self.open.saturating_sub(u32::from(!mark.closed)).saturating_sub(mark.cut_off)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_walled_in_counts_no_places_and_does_not_panic() {
        let own = Cell::at(1, 36);
        let mut walls = vec![false; Cell::COUNT];
        Move::STEPS
            .map(|step| step.from(own))
            .into_iter()
            .filter(|to| *to != own)
            .for_each(|to| walls[to.index()] = true);
        let places = Places::count(&walls, &View { own, wall: None, enemies: vec![Cell::at(40, 3)] });
        assert_eq!(places.if_target_on(Cell::at(30, 20)), 0);
    }
}
