//! A bot for Parallel Football with a plan: one player for each ball, and players pass balls on.
//!
//! A ball far from home needs several kicks, and the steps between them cost time. So a player on a ball kicks it,
//! and its landing place is chosen for the next player. The best one is the cell of a team-mate who also kicks this
//! turn: he stays there and gets his next ball without a step. In this way piles form along the way home, each with a
//! player on it who kicks one ball a turn.

use referee_games::football::{Action, Cell, Football, HOMES, Order, View};
use referee_rules::kit;
use referee_rules::{Seat, Step};

// All costs are in tenths of a turn of one player.

/// A step.
const STEP: u32 = 10;
/// Each kick that a ball is away from home, when a player looks for one to fetch. A kick takes a whole turn, but a cost
/// of a whole turn did not make the bot stronger.
const KICK: u32 = 5;
/// Of balls that are otherwise equal the one nearer home comes first: a tenth of a turn for this number of cells.
const NEARER_HOME: u32 = 4;
/// Maximum number of balls of a pile that share the way to it: the rest can be gone when the player arrives.
const PILE_MAX: u32 = 6;
/// A ball that lands where no player of the team stays needs a player to come. One who comes to a pile comes for all of
/// it.
const FETCH: u32 = 10;
const FETCH_FROM_PILE: u32 = 7;
/// Each step from the landing place to the nearest of the team. Less than [`STEP`]: by then all players have moved.
const APPROACH: u32 = 2;
/// Each step by which an opponent is nearer to the landing place, up to [`RISK_MAX`] steps.
const RISK: u32 = 6;
const RISK_MAX: u32 = 3;
/// Each cell from the landing place to home.
const WAY: u32 = 1;

/// Plays one game.
pub fn main() {
    let mut sweeper = Sweeper::default();
    kit::run::<Football>(|view, orders| sweeper.think(view, orders));
}

/// The bot with its memory from turn to turn.
#[derive(Clone, Debug, Default)]
pub struct Sweeper {
    /// Number of kicks from each cell to home.
    kicks_home: Vec<u32>,
}

impl Sweeper {
    /// Answers one question.
    pub fn think(&mut self, view: &View, orders: &mut Action) {
        if self.kicks_home.is_empty() {
            self.kicks_home = kicks_home(view);
        }
        if view.turn == 0 {
            orders.extend(places(view).into_iter().map(Order::Place));
            return;
        }
        let own: Vec<Cell> = view.own().collect();
        let goals = self.share_out_balls(view, &own);
        let landing = Landing::new(view, &own, &goals);
        orders.extend(own.iter().zip(&goals).map(|(from, goal)| match goal {
            Some(ball) if ball == from => Order::Kick(self.best_landing(view, *from, &landing)),
            Some(ball) => Order::Step(Step::towards(*from, *ball)),
            None => Order::STAY,
        }));
    }

    /// Chooses the ball that each player handles. `None` only if there is none at all.
    fn share_out_balls(&self, view: &View, own: &[Cell]) -> Vec<Option<Cell>> {
        // A player on a ball has it, if there are enough balls for all players there.
        let mut left = view.balls.clone();
        let mut goals: Vec<Option<Cell>> = own
            .iter()
            .map(|cell| {
                let balls = &mut left[cell.index()];
                *balls = balls.checked_sub(1)?;
                Some(*cell)
            })
            .collect();

        // The others fetch: the cheapest pair of player and pile first, one player for each pile.
        let mut pairs = Vec::new();
        for ball in Cell::all().filter(|cell| view.balls[cell.index()] > 0) {
            let share = u32::from(view.balls[ball.index()]).min(PILE_MAX);
            let rest = KICK * self.kicks_home[ball.index()] + distance(ball, view.home()) / NEARER_HOME;
            for (player, cell) in own.iter().enumerate().filter(|(player, _cell)| goals[*player].is_none()) {
                pairs.push((rest + STEP * cell.steps(ball) / share, player, ball));
            }
        }
        pairs.sort_unstable();
        let mut taken: Vec<bool> = left.iter().map(|balls| *balls == 0).collect();
        for (_cost, player, ball) in &pairs {
            if goals[*player].is_none() && !taken[ball.index()] {
                taken[ball.index()] = true;
                goals[*player] = Some(*ball);
            }
        }
        // Near the end there are more players than piles. The others go for balls that are taken: one of the players at
        // a ball is drawn, so the more of them are ours the better.
        for (_cost, player, ball) in &pairs {
            goals[*player].get_or_insert(*ball);
        }
        goals
    }

    /// Chooses where to kick. From within range that is home itself: no other cell is 0 kicks away from it.
    fn best_landing(&self, view: &View, from: Cell, landing: &Landing) -> Cell {
        // A point at distance k, rounded to a cell, is often out of range, and the kick void: so look at the cells.
        let in_range = Cell::all().filter(|to| view.reaches(from, *to));
        let best = in_range.min_by_key(|to| (self.kicks_home[to.index()], landing.costs[to.index()]));
        best.expect("the player's cell is in range")
    }
}

/// The cost of each cell as a landing place.
struct Landing {
    costs: Vec<u32>,
}

impl Landing {
    fn new(view: &View, own: &[Cell], goals: &[Option<Cell>]) -> Landing {
        let others = Seat::first(HOMES.len()).filter(|seat| *seat != view.seat);
        let others: Vec<Cell> = others.flat_map(|seat| view.team(seat)).copied().flatten().collect();
        let mut staying = vec![false; Cell::COUNT];
        for (cell, goal) in own.iter().zip(goals) {
            staying[cell.index()] |= *goal == Some(*cell);
        }
        let cost = |cell: Cell| {
            let ours = steps_to_nearest(cell, own);
            let risk = (ours + 1).saturating_sub(steps_to_nearest(cell, &others)).min(RISK_MAX);
            let fetch = match view.balls[cell.index()] {
                _ if staying[cell.index()] => 0,
                0 => FETCH + APPROACH * ours,
                _ => FETCH_FROM_PILE + APPROACH * ours,
            };
            fetch + RISK * risk + WAY * distance(cell, view.home())
        };
        Landing { costs: Cell::all().map(cost).collect() }
    }
}

fn steps_to_nearest(cell: Cell, players: &[Cell]) -> u32 {
    players.iter().map(|player| player.steps(cell)).min().expect("every team has a player")
}

/// The straight distance, in whole cells.
fn distance(from: Cell, to: Cell) -> u32 {
    from.distance_squared(to).isqrt()
}

/// Counts the kicks from each cell to home: cells in range of home first, then those in range of them, and so on.
fn kicks_home(view: &View) -> Vec<u32> {
    let mut kicks = vec![u32::MAX; Cell::COUNT];
    kicks[view.home().index()] = 0;
    let mut reached = vec![view.home()];
    let mut rest: Vec<Cell> = Cell::all().filter(|cell| *cell != view.home()).collect();
    for count in 1.. {
        if rest.is_empty() {
            break;
        }
        let (next, farther) =
            rest.into_iter().partition(|cell| reached.iter().any(|to| view.reaches(*cell, *to)));
        reached = next;
        rest = farther;
        for cell in &reached {
            kicks[cell.index()] = count;
        }
    }
    kicks
}

/// Spreads the players over the whole field, as far apart as possible: the balls around our own home are safe for now,
/// those between the corners are not.
fn places(view: &View) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Cell::all().filter(|cell| !HOMES.contains(cell)).collect();
    cells.sort_by_key(|cell| cell.distance_squared(view.home()));
    let mut places: Vec<Cell> = Vec::new();
    for gap in (0..32).rev() {
        places.clear();
        for cell in &cells {
            if places.iter().all(|place| place.steps(*cell) >= gap) {
                places.push(*cell);
            }
        }
        if places.len() >= view.p {
            break;
        }
    }
    places.truncate(view.p); // the nearest to home
    places
}
