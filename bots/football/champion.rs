//! A bot for Parallel Football that thinks in balls a turn, of its own players and of the others'.
//!
//! - *What is a ball worth going for?* A player who goes `s` steps to a pile and kicks `n` balls on has done that in
//!   `s + n` turns: the rate `n / (s + n)`, times a worth for the place. Players and piles are matched by it, the best
//!   pair first. Balls that a rival reaches earlier are no longer there and do not count.
//! - *Which first?* Where home is near, in kicks: what lies about as near to a rival's home as to the own comes first, for
//!   the rest is still there later; else the nearer home the better. Where it is many kicks to the middle of the
//!   field, a team is fastest if it sweeps what it [claims](CLAIM) in a wave, from the outside inwards: what is kicked lands
//!   among balls that have to be fetched anyway, so that hardly a step is made for one ball alone.
//!   Near or far, what a rival could soon have as well comes before what he is far from.
//! - *Does the game go on?* A wave scores late, and a game without goals is ended. When nobody has scored for
//!   [a while](QUIET_TURNS_MAX), the player who can do it soonest brings one ball home.
//! - *Where to?* A ball travels home through several of the own players: always one kick nearer, best to a team-mate
//!   who stays where he is and kicks on, then to a pile, and never to where a rival comes first. Each kick of a turn
//!   knows where those before it land.

use referee::kit;
use referee::rules::football::{Action, Cell, Football, HOMES, Order, View};
use referee::rules::{Seat, Step};

/// From so many kicks to the middle of the field on, balls are swept in a wave...
const WAVE_KICKS: u32 = 4;
/// ... if that takes no longer than so many turns: a game without goals may be ended early.
const WAVE_TURNS_MAX: u32 = 800;
/// What is claimed may be so many cells nearer to a rival's home than to the own.
const CLAIM: f64 = 5.0;
/// Each kick that a claimed ball is away from home adds so much to its worth.
const OUTSIDE: f64 = 0.2;
/// What is not claimed is worth so much, next to what is.
const UNCLAIMED: f64 = 0.3;
/// Without a wave a ball right between two homes is worth more; that wears off over so many cells.
const CONTESTED_CELLS: f64 = 5.0;
/// Each cell that a ball is farther from home lessens its worth.
const FARTHER: f64 = 0.03;
/// What is left for somebody who comes too late, for not every rival goes where he could.
const TOO_LATE: f64 = 0.3;
/// How many steps a rival is later than the own player until a ball draws half as much more than one far from rivals.
const RIVAL_STEPS: f64 = 6.0;
/// After so many turns without a goal somebody brings one ball home, and for that each kick of several counts as so
/// many turns: the kick, and the steps after the ball.
const QUIET_TURNS_MAX: u32 = 40;
const KICK_AND_FOLLOW: u32 = 4;

/// What draws a player, and how much: measured for fields of different depth.
#[derive(Clone, Copy, Debug)]
struct Taste {
    /// How much more a ball right between two homes is worth.
    contested: f64,
    /// How much more a ball one kick from home is worth; half of it for one two kicks away, and so on.
    few_kicks: f64,
    /// How much more a ball draws if a rival could have it as soon.
    rival_near: f64,
    /// How much more a ball draws if all cells within two steps of it have balls as well: the next one is near.
    crowd: f64,
    /// A pile draws a player as if it had at most so many balls: of more, some may be gone when he arrives.
    pile_max: u32,
}

/// Where the middle of the field is one or two kicks away.
const IN_REACH: Taste = Taste { contested: 0.3, few_kicks: 1.0, rival_near: 1.0, crowd: 0.5, pile_max: 8 };
/// Where it is three.
const BETWEEN: Taste = Taste { contested: 0.2, few_kicks: 0.0, rival_near: 0.5, crowd: 0.0, pile_max: 8 };
/// Where balls are swept in a wave. A pile draws less: players would come from afar for it.
const IN_WAVE: Taste = Taste { contested: 0.0, few_kicks: 0.0, rival_near: 0.5, crowd: 0.0, pile_max: 3 };

// What it costs that a ball lands somewhere, in tenths of a turn.

/// Nobody stays there: somebody has to come, for this ball alone or for a pile.
const FETCH: f64 = 10.0;
const FETCH_FROM_PILE: f64 = 7.0;
/// Each step from there to the nearest of the team.
const APPROACH: f64 = 2.0;
/// Each step that a rival is nearer, up to [`RISK_STEPS_MAX`].
const RISK: f64 = 12.0;
const RISK_STEPS_MAX: f64 = 3.0;

/// Plays one game.
pub fn main() {
    let mut champion = Champion::default();
    kit::run::<Football>(|view, orders| champion.think(view, orders));
}

/// The bot, with the map that it makes before the first turn.
#[derive(Debug, Default)]
pub struct Champion {
    map: Option<Map>,
    /// All goals so far, and the turn in which the last was seen.
    goals: u32,
    goal_turn: u32,
}

impl Champion {
    /// Answers one question.
    pub fn think(&mut self, view: &View, orders: &mut Action) {
        let map = self.map.get_or_insert_with(|| Map::new(view));
        if view.turn == 0 {
            orders.extend(places(view).into_iter().map(Order::Place));
            return;
        }
        let own: Vec<Cell> = view.own().collect();
        let rivals: Vec<Cell> = rivals_of(view).flat_map(|seat| view.team(seat)).copied().flatten().collect();
        let rival_steps = steps_to_nearest(&rivals);
        let goals_now = view.scores.iter().sum();
        if goals_now != self.goals {
            (self.goals, self.goal_turn) = (goals_now, view.turn);
        }
        let is_quiet = view.turn - self.goal_turn >= QUIET_TURNS_MAX;
        let goals = share_out_balls(view, map, &own, &rival_steps, is_quiet);
        let mut landing = Landing::new(view, map, &own, &goals, &rival_steps);
        orders.extend(own.iter().zip(&goals).map(|(from, goal)| match goal {
            Some(ball) if ball == from => Order::Kick(landing.choose(map, *from)),
            Some(ball) => Order::Step(Step::towards(*from, *ball)),
            None => Order::STAY,
        }));
    }
}

/// What never changes in a game.
#[derive(Debug)]
struct Map {
    /// The straight distance of each cell from home.
    distance: Vec<f64>,
    /// What a ball on each cell is worth going for.
    worth: Vec<f64>,
    /// Where a ball from each cell may land: the cells in range that are fewest kicks away from home.
    onward: Vec<Vec<Cell>>,
    /// How many kicks each cell is away from home.
    kicks: Vec<u32>,
    taste: Taste,
}

impl Map {
    fn new(view: &View) -> Map {
        let kicks = kicks_home(view);
        let straight = |from: Cell, to: Cell| f64::from(from.distance_squared(to)).sqrt();
        let distance: Vec<f64> = Cell::all().map(|cell| straight(cell, view.home())).collect();
        // By so much the own home is nearer than the nearest of the others.
        let nearer = |cell: Cell| {
            let others = rivals_of(view).map(|seat| straight(cell, HOMES[seat.index()]));
            others.fold(f64::INFINITY, f64::min) - distance[cell.index()]
        };
        let is_claimed = |cell: Cell| nearer(cell) >= -CLAIM;

        let work: u32 =
            Cell::all().filter(|cell| is_claimed(*cell)).map(|cell| kicks[cell.index()] + 1).sum();
        let middle = kicks[Cell::at(16, 16).index()];
        let in_wave = middle >= WAVE_KICKS && work / view.p as u32 <= WAVE_TURNS_MAX;
        let taste = match middle {
            _ if in_wave => IN_WAVE,
            0..=2 => IN_REACH,
            _ => BETWEEN,
        };
        let worth = |cell: Cell| {
            let by_distance = 1.0 / (1.0 + FARTHER * distance[cell.index()]);
            if !in_wave {
                let contested = (1.0 - nearer(cell).abs() / CONTESTED_CELLS).max(0.0);
                by_distance
                    + taste.contested * contested
                    + taste.few_kicks / f64::from(kicks[cell.index()].max(1))
            } else if is_claimed(cell) {
                1.0 + OUTSIDE * f64::from(kicks[cell.index()])
            } else {
                UNCLAIMED * by_distance
            }
        };
        let onward = |from: Cell| {
            let in_range = || Cell::all().filter(|to| view.reaches(from, *to));
            let fewest = in_range().map(|to| kicks[to.index()]).min();
            in_range().filter(|to| Some(kicks[to.index()]) == fewest).collect()
        };
        Map {
            worth: Cell::all().map(worth).collect(),
            onward: Cell::all().map(onward).collect(),
            distance,
            kicks,
            taste,
        }
    }
}

/// Says which ball each player is to handle. `None` only if there is none at all.
fn share_out_balls(
    view: &View,
    map: &Map,
    own: &[Cell],
    rival_steps: &[u32],
    is_quiet: bool,
) -> Vec<Option<Cell>> {
    // Who stands on a ball has it, as long as there are enough there.
    let mut left = view.balls.clone();
    let has_one = |cell: &Cell| {
        let balls = &mut left[cell.index()];
        *balls = balls.checked_sub(1)?;
        Some(*cell)
    };
    let mut goals: Vec<Option<Cell>> = own.iter().map(has_one).collect();

    // The others fetch: the best rate first, one player for each pile.
    let mut pairs = Vec::new();
    for ball in Cell::all().filter(|cell| view.balls[cell.index()] > 0) {
        let balls = u32::from(view.balls[ball.index()]);
        let rival = rival_steps[ball.index()];
        let worth = map.worth[ball.index()] * (1.0 + map.taste.crowd * crowd(view, ball));
        for (player, cell) in own.iter().enumerate().filter(|(player, _cell)| goals[*player].is_none()) {
            let steps = cell.steps(ball);
            // A rival who comes first takes one a turn.
            let taken = steps.saturating_sub(rival);
            let found = f64::from(balls.saturating_sub(taken).min(map.taste.pile_max)).max(TOO_LATE);
            let later = f64::from(rival.saturating_sub(steps));
            let urgency = 1.0 + map.taste.rival_near / (1.0 + later / RIVAL_STEPS);
            let rate = found / (f64::from(steps) + found) * worth * urgency;
            pairs.push((rate, player, ball));
        }
    }
    if is_quiet && let Some((player, ball)) = soonest_goal(view, map, own, &goals) {
        goals[player] = Some(ball);
    }
    pairs.sort_unstable_by(|one, other| {
        other.0.total_cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2)))
    });
    let mut is_taken: Vec<bool> = left.iter().map(|balls| *balls == 0).collect();
    for (_rate, player, ball) in &pairs {
        if goals[*player].is_none() && !is_taken[ball.index()] {
            is_taken[ball.index()] = true;
            goals[*player] = Some(*ball);
        }
    }
    // Near the end there are more players than piles. The others go along: of those who want the same ball one is
    // drawn, and the more of them are ours the better.
    for (_rate, player, ball) in &pairs {
        goals[*player].get_or_insert(*ball);
    }
    goals
}

/// Says which player can soonest bring a ball home, and which. Who stands on another ball is not called away.
fn soonest_goal(view: &View, map: &Map, own: &[Cell], goals: &[Option<Cell>]) -> Option<(usize, Cell)> {
    let balls = Cell::all().filter(|cell| view.balls[cell.index()] > 0);
    let pairs = balls.flat_map(|ball| (0..own.len()).map(move |player| (player, ball)));
    let is_free = |(player, ball): &(usize, Cell)| goals[*player].is_none_or(|goal| goal == *ball);
    pairs.filter(is_free).min_by_key(|(player, ball)| {
        let kicks = map.kicks[ball.index()];
        own[*player].steps(*ball) + if kicks > 1 { KICK_AND_FOLLOW * kicks } else { 1 }
    })
}

/// The share of the cells within two steps of a ball that have balls.
fn crowd(view: &View, ball: Cell) -> f64 {
    let offsets = (-2..=2).flat_map(|rows| (-2..=2).map(move |columns| (rows, columns)));
    let cells = offsets.filter_map(|(rows, columns)| ball.offset(rows, columns));
    cells.filter(|cell| view.balls[cell.index()] > 0).count() as f64 / 25.0
}

/// How good it is for the next kick that a ball lands on each cell.
struct Landing {
    /// What it costs to leave a ball there: the risk, and the way that is left.
    costs: Vec<f64>,
    /// Whether a player stays there to kick.
    is_manned: Vec<bool>,
    /// Whether balls will lie there that nobody has kicked yet.
    is_pile: Vec<bool>,
    own_steps: Vec<u32>,
}

impl Landing {
    fn new(view: &View, map: &Map, own: &[Cell], goals: &[Option<Cell>], rival_steps: &[u32]) -> Landing {
        let own_steps = steps_to_nearest(own);
        let mut balls = view.balls.clone();
        let mut is_manned = vec![false; Cell::COUNT];
        for (cell, goal) in own.iter().zip(goals) {
            if *goal == Some(*cell) {
                is_manned[cell.index()] = true;
                // Two may want the last one.
                balls[cell.index()] = balls[cell.index()].saturating_sub(1);
            }
        }
        let cost = |cell: Cell| {
            let (ours, theirs) = (own_steps[cell.index()], rival_steps[cell.index()]);
            let risk = f64::from((ours + 1).saturating_sub(theirs)).min(RISK_STEPS_MAX);
            RISK * risk + map.distance[cell.index()]
        };
        Landing {
            costs: Cell::all().map(cost).collect(),
            is_manned,
            is_pile: balls.iter().map(|balls| *balls > 0).collect(),
            own_steps,
        }
    }

    /// Chooses where to kick, and remembers it. From within range that is home itself: no other cell is 0 kicks away.
    fn choose(&mut self, map: &Map, from: Cell) -> Cell {
        let cost = |to: &Cell| self.costs[to.index()] + self.fetch(*to);
        let onward = map.onward[from.index()].iter();
        let best =
            *onward.min_by(|one, other| cost(one).total_cmp(&cost(other))).expect("the own cell is in range");
        self.is_pile[best.index()] = true;
        best
    }

    fn fetch(&self, cell: Cell) -> f64 {
        let approach = APPROACH * f64::from(self.own_steps[cell.index()]);
        match cell.index() {
            index if self.is_manned[index] => 0.0,
            index if self.is_pile[index] => FETCH_FROM_PILE + approach,
            _ => FETCH + approach,
        }
    }
}

fn rivals_of(view: &View) -> impl Iterator<Item = Seat> {
    Seat::first(HOMES.len()).filter(|seat| *seat != view.seat)
}

/// Counts the steps from each cell to the nearest of these players.
fn steps_to_nearest(players: &[Cell]) -> Vec<u32> {
    // Once down and once up the field, each cell looks at those neighbours that have been looked at before it.
    const BEFORE: [(i32, i32); 4] = [(-1, -1), (-1, 0), (-1, 1), (0, -1)];
    const AFTER: [(i32, i32); 4] = [(1, 1), (1, 0), (1, -1), (0, 1)];
    let mut steps = vec![Cell::COUNT as u32; Cell::COUNT];
    for player in players {
        steps[player.index()] = 0;
    }
    let mut look = |cell: Cell, neighbours: [(i32, i32); 4]| {
        for neighbour in neighbours.into_iter().filter_map(|(rows, columns)| cell.offset(rows, columns)) {
            steps[cell.index()] = steps[cell.index()].min(steps[neighbour.index()] + 1);
        }
    };
    Cell::all().for_each(|cell| look(cell, BEFORE));
    Cell::all().rev().for_each(|cell| look(cell, AFTER));
    steps
}

/// Counts the kicks from each cell to home: cells in range of home first, then those in range of them, and so on.
fn kicks_home(view: &View) -> Vec<u32> {
    let mut kicks = vec![0; Cell::COUNT];
    let mut reached = vec![view.home()];
    let mut rest: Vec<Cell> = Cell::all().filter(|cell| *cell != view.home()).collect();
    for count in 1.. {
        if rest.is_empty() {
            break;
        }
        let in_reach = |cell: &Cell| reached.iter().any(|to| view.reaches(*cell, *to));
        // A rival's home is no stop: a ball that lands there is the rival's goal.
        (reached, rest) = rest.into_iter().partition(in_reach);
        reached.iter().for_each(|cell| kicks[cell.index()] = count);
        reached.retain(|cell| !HOMES.contains(cell));
    }
    for seat in rivals_of(view) {
        kicks[HOMES[seat.index()].index()] = u32::MAX;
    }
    kicks
}

/// Spreads the players as far apart as they can be, over the whole field: the balls around one's own home are
/// safe for now, those between the corners are not.
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
