//! A bot for Parallel Football that maximizes balls for each turn, and simulates its own players and the others'.
//!
//! - *What is a ball worth going for?* A player who goes `s` steps to a pile and kicks `n` balls on has done that in
//!   `s + n` turns: the rate `n / (s + n)`, times a worth for the place. Players and piles are matched by it, the best
//!   pair first. Balls that a rival reaches earlier are no longer there and do not count.
//! - *Which first?* If the middle of the field is few kicks from home, balls about as near to a rival's home as to
//!   ours come first, because the others will still be there later; after that, balls nearer home. If it is many
//!   kicks to the middle, a team is fastest if it sweeps the balls that it claims (`CLAIM`) in a wave, from the
//!   outside inwards: each kicked ball lands among balls that have to be fetched anyway, so hardly a step is made for
//!   one ball alone. In both cases, balls that a rival could reach soon come first.
//! - *Does the game go on?* A wave scores late, and a game without goals is ended. When no team has scored for
//!   a while (`QUIET_TURNS_MAX`), the player who can do it soonest brings one ball home.
//! - *Where to?* A ball travels home through several of our players, one kick nearer each time. The best place is a
//!   team-mate who stays and kicks on, or a cell that a team-mate passes; then a pile; never a place that a rival
//!   reaches first. Each kick of a turn knows where earlier ones land.
//! - *And spare players?* When there are fewer piles than players, the others receive: one goes to the place where a
//!   team-mate's kick will land, the next to the place where that one's kick will land, and so on towards home.
//! - *Is there anything better?* All this makes a plan: a ball for each player, a landing place for each kick. Then,
//!   player by player, another ball (or that of a team-mate, who gets his), or another landing place is tried: the
//!   next `HORIZON` turns are played on, all teams by the simplest of plans (`Model`), and the change is made if by
//!   then we have scored more, or the remaining balls are better placed. The amount of work is counted, not timed:
//!   the same question has the same answer on any machine.

use referee_games::football::{Action, Cell, Football, HOMES, Order, TEAMS, View};
use referee_rules::kit;
use referee_rules::{Seat, Step};

/// Minimum number of kicks to the middle of the field for a wave.
const WAVE_KICKS: u32 = 4;
/// Maximum number of turns that a wave takes, since a game without goals is ended early.
const WAVE_TURNS_MAX: u32 = 800;
/// Number of cells by which a claimed ball may be nearer to a rival's home than to ours.
const CLAIM: f64 = 5.0;
/// Added to the worth of a claimed ball for each kick that it is away from home.
const OUTSIDE: f64 = 0.2;
/// Factor of the worth of a ball that is not claimed.
const UNCLAIMED: f64 = 0.3;
/// Without a wave a ball right between two homes is worth more; the bonus fades over this number of cells.
const CONTESTED_CELLS: f64 = 5.0;
/// How fast the worth of a ball falls with each cell of its distance from home.
const FARTHER: f64 = 0.03;
/// Number of balls that count as left for a player who comes too late, since not every rival takes the ball that he
/// could.
const BALLS_IF_LATE: f64 = 0.3;
/// If a rival is this number of steps later than our player, half the extra worth of a contested ball is left.
const RIVAL_STEPS: f64 = 6.0;
/// Number of turns without a goal after which one player brings one ball home.
const QUIET_TURNS_MAX: u32 = 40;
/// Number of turns for each of several kicks on the way home: the kick, and the steps after the ball.
const KICK_AND_FOLLOW: u32 = 4;

/// Weights for the choice of a ball, measured for fields of different depth.
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
    /// Maximum number of balls of a pile that count: some of a larger pile can be gone when the player arrives.
    pile_max: u32,
}

/// Weights for fields whose middle is one or two kicks away.
const IN_REACH: Taste = Taste { contested: 0.3, few_kicks: 1.0, rival_near: 1.0, crowd: 0.5, pile_max: 8 };
/// Weights for fields whose middle is three kicks away, and for deeper ones without a wave.
const BETWEEN: Taste = Taste { contested: 0.2, few_kicks: 0.0, rival_near: 0.5, crowd: 0.0, pile_max: 8 };
/// Weights for a wave. A pile draws less, since players would come from afar for it.
const IN_WAVE: Taste = Taste { contested: 0.0, few_kicks: 0.0, rival_near: 0.5, crowd: 0.0, pile_max: 3 };

// The cost of a landing place, in tenths of a turn.

/// No player stays there, so one has to come for this ball alone.
const FETCH: f64 = 10.0;
/// No player stays there, so one has to come for a pile.
const FETCH_FROM_PILE: f64 = 7.0;
/// A team-mate passes there on his way to another place.
const COME_BY: f64 = 3.0;
/// Each step from there to the nearest of the team.
const APPROACH: f64 = 2.0;
/// Each step that a rival is nearer, up to [`RISK_STEPS_MAX`].
const RISK: f64 = 12.0;
const RISK_STEPS_MAX: f64 = 3.0;

// Receivers.

/// Number of cells nearer home that make up for one step of a late receiver.
const LATE_CELLS: f64 = 3.3;
/// A player who would be more turns late than this is not sent.
const LATE_MAX: u32 = 8;

// Looking ahead.

/// Number of turns that are played on.
const HORIZON: u32 = 8;
/// Minimum gain that a change must promise, in balls: less is chance.
const GAIN_MIN: f32 = 0.3;
/// Maximum number of balls that are tried for a player.
const BALLS_TRIED: usize = 4;
/// Maximum number of landing cells that are tried for a ball.
const LANDINGS_TRIED: usize = 3;
/// Factor of the chance that a ball becomes a team's, for each kick that it is away from that team's home.
const FARTHER_KICK: f32 = 0.6;
/// Maximum work in one turn, in cells and players.
const WORK_MAX: u32 = 400_000;
/// A team whose score is below the best score divided by this counts as idle.
const IDLE_DIVISOR: u32 = 8;
/// Minimum best score for a team to count as idle.
const IDLE_GOALS_MIN: u32 = 20;

/// Plays one game.
pub fn main() {
    let mut champion = Champion::default();
    kit::run::<Football>(|view, orders| champion.think(view, orders));
}

/// The bot, with the map that it makes before the first turn.
#[derive(Clone, Debug, Default)]
pub struct Champion {
    map: Option<Map>,
    /// The ball that each player went for in the turn before.
    balls_before: Vec<Option<Cell>>,
    /// The goals of all teams so far.
    goals: u32,
    /// The turn in which their number was last seen to change.
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
            self.goals = goals_now;
            self.goal_turn = view.turn;
        }
        let is_quiet = view.turn - self.goal_turn >= QUIET_TURNS_MAX;
        let (mut jobs, wishes) = share_out_balls(view, map, &own, &rival_steps, is_quiet);
        send_receivers(map, &own, &mut jobs, &wishes);
        let mut landing = Landing::new(view, map, &own, &jobs, &rival_steps);
        let choose = |(from, job): (&Cell, &Job)| match job {
            Job::Fetch(ball) if ball == from => landing.choose(map, *from),
            _ => Vec::new(),
        };
        let mut landings: Vec<Vec<Cell>> = own.iter().zip(&jobs).map(choose).collect();
        let look_ahead = LookAhead::new(view, map, &jobs, &landings);
        look_ahead.improve(&wishes, &self.balls_before, &mut jobs, &mut landings);
        self.balls_before = jobs.iter().map(|job| job.ball()).collect();
        orders.extend(own.iter().zip(&jobs).zip(&landings).map(|((from, job), landings)| {
            match (job, landings.first()) {
                (Job::Fetch(ball), Some(to)) if ball == from => Order::Kick(*to),
                (Job::Fetch(cell) | Job::Receive(cell), _) => Order::Step(Step::towards(*from, *cell)),
                (Job::None, _) => Order::STAY,
            }
        }));
    }
}

/// The task of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Job {
    /// Go to this ball and kick it.
    Fetch(Cell),
    /// Go to this cell and wait for a ball.
    Receive(Cell),
    None,
}

impl Job {
    fn ball(self) -> Option<Cell> {
        if let Job::Fetch(ball) = self { Some(ball) } else { None }
    }
}

/// Values that never change in a game.
#[derive(Clone, Debug)]
struct Map {
    /// The straight distance of each cell from home.
    distance: Vec<f64>,
    /// The worth of a ball on each cell.
    worth: Vec<f64>,
    /// The landing places for a ball from each cell: the cells in range that are fewest kicks away from home.
    onward: Vec<Vec<Cell>>,
    /// Number of kicks from each cell to home.
    kicks: Vec<u32>,
    taste: Taste,
    teams: Vec<Team>,
}

impl Map {
    fn new(view: &View) -> Map {
        let kicks = kicks_home(view, view.seat);
        let straight = |from: Cell, to: Cell| f64::from(from.distance_squared(to)).sqrt();
        let distance: Vec<f64> = Cell::all().map(|cell| straight(cell, view.home())).collect();
        // The distance by which our home is nearer than the nearest home of a rival.
        let lead = |cell: Cell| {
            let others = rivals_of(view).map(|seat| straight(cell, HOMES[seat.index()]));
            others.fold(f64::INFINITY, f64::min) - distance[cell.index()]
        };
        let is_claimed = |cell: Cell| lead(cell) >= -CLAIM;

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
                let contested = (1.0 - lead(cell).abs() / CONTESTED_CELLS).max(0.0);
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
            teams: Seat::first(TEAMS).map(|seat| Team::new(view, seat)).collect(),
        }
    }
}

/// A player and a ball that he could fetch.
struct Pair {
    /// Worth of the balls that he finds there, for each turn that it takes.
    rate: f64,
    player: usize,
    ball: Cell,
}

/// Chooses the ball that each player handles; if there are more players than piles, some have none. Also lists the
/// balls that each player could handle, the best first.
fn share_out_balls(
    view: &View,
    map: &Map,
    own: &[Cell],
    rival_steps: &[u32],
    is_quiet: bool,
) -> (Vec<Job>, Vec<Vec<Cell>>) {
    // A player on a ball has it, if there are enough balls for all players there.
    let mut balls_left = view.balls.clone();
    let ball_at = |cell: &Cell| {
        let balls = &mut balls_left[cell.index()];
        *balls = balls.checked_sub(1)?;
        Some(*cell)
    };
    let mut balls: Vec<Option<Cell>> = own.iter().map(ball_at).collect();
    let mut pairs = pairs(view, map, own, rival_steps, &balls);
    if is_quiet && let Some((player, ball)) = soonest_goal(view, map, own, &balls) {
        balls[player] = Some(ball);
    }
    // The other players fetch: the best rate first, one player for each pile.
    pairs.sort_unstable_by(|one, other| {
        other.rate.total_cmp(&one.rate).then((one.player, one.ball).cmp(&(other.player, other.ball)))
    });
    let mut is_taken: Vec<bool> = balls_left.iter().map(|balls| *balls == 0).collect();
    let mut wishes = vec![Vec::new(); own.len()];
    for Pair { player, ball, .. } in pairs {
        if balls[player].is_none() && !is_taken[ball.index()] {
            is_taken[ball.index()] = true;
            balls[player] = Some(ball);
        }
        if wishes[player].len() < BALLS_TRIED {
            wishes[player].push(ball);
        }
    }
    (balls.into_iter().map(|ball| ball.map_or(Job::None, Job::Fetch)).collect(), wishes)
}

/// Pairs each player who has no ball with each pile.
fn pairs(
    view: &View,
    map: &Map,
    own: &[Cell],
    rival_steps: &[u32],
    balls_of_players: &[Option<Cell>],
) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for ball in Cell::all().filter(|cell| view.balls[cell.index()] > 0) {
        let pile = u32::from(view.balls[ball.index()]);
        let rival_steps = rival_steps[ball.index()];
        let worth = map.worth[ball.index()] * (1.0 + map.taste.crowd * crowd(view, ball));
        for (player, cell) in own.iter().enumerate() {
            if balls_of_players[player].is_some() {
                continue;
            }
            let steps = cell.steps(ball);
            // A rival who comes first takes one ball a turn.
            let taken = steps.saturating_sub(rival_steps);
            let found = f64::from(pile.saturating_sub(taken).min(map.taste.pile_max)).max(BALLS_IF_LATE);
            let rival_delay = f64::from(rival_steps.saturating_sub(steps));
            let urgency = 1.0 + map.taste.rival_near / (1.0 + rival_delay / RIVAL_STEPS);
            let rate = found / (f64::from(steps) + found) * worth * urgency;
            pairs.push(Pair { rate, player, ball });
        }
    }
    pairs
}

/// Sends players without a job to receive a team-mate's kick, and then a receiver's.
fn send_receivers(map: &Map, own: &[Cell], jobs: &mut [Job], wishes: &[Vec<Cell>]) {
    let mut spare: Vec<usize> = (0..own.len()).filter(|player| jobs[*player] == Job::None).collect();
    // The number of turns until each kick, and the cell that it comes from.
    let kick = |(cell, job): (&Cell, &Job)| Some((cell.steps(job.ball()?), job.ball()?));
    let mut kicks: Vec<(u32, Cell)> = own.iter().zip(jobs.iter()).filter_map(kick).collect();
    kicks.sort_unstable();
    let mut is_received = vec![false; Cell::COUNT];
    let mut next = 0;
    while next < kicks.len() && !spare.is_empty() {
        let (turn, from) = kicks[next];
        next += 1;
        if map.kicks[from.index()] < 2 {
            continue;
        }
        let players: Vec<Cell> = spare.iter().map(|player| own[*player]).collect();
        let steps = steps_to_nearest(&players);
        let late = |to: Cell| steps[to.index()].saturating_sub(turn + 1);
        let cost = |to: &Cell| LATE_CELLS * f64::from(late(*to)) + map.distance[to.index()];
        let landings = map.onward[from.index()].iter().filter(|to| !is_received[to.index()]);
        let Some(to) = landings.min_by(|one, other| cost(one).total_cmp(&cost(other))).copied() else {
            continue;
        };
        if late(to) > LATE_MAX {
            continue;
        }
        let nearest = (0..spare.len()).min_by_key(|index| players[*index].steps(to)).expect("a spare player");
        jobs[spare.swap_remove(nearest)] = Job::Receive(to);
        is_received[to.index()] = true;
        kicks.push((turn + 1 + late(to), to));
    }
    // The others go for balls that are taken. Chance decides which of the players at a ball gets it, so it is good if
    // many of them are ours.
    for player in spare {
        jobs[player] = wishes[player].first().map_or(Job::None, |ball| Job::Fetch(*ball));
    }
}

/// Finds the player who can bring a ball home soonest, and the ball. A player who stands on another ball is not called
/// away.
fn soonest_goal(
    view: &View,
    map: &Map,
    own: &[Cell],
    balls_of_players: &[Option<Cell>],
) -> Option<(usize, Cell)> {
    let balls = Cell::all().filter(|cell| view.balls[cell.index()] > 0);
    let pairs = balls.flat_map(|ball| (0..own.len()).map(move |player| (player, ball)));
    let is_free = |(player, ball): &(usize, Cell)| balls_of_players[*player].is_none_or(|own| own == *ball);
    pairs.filter(is_free).min_by_key(|(player, ball)| {
        let kicks = map.kicks[ball.index()];
        own[*player].steps(*ball) + if kicks > 1 { KICK_AND_FOLLOW * kicks } else { 1 }
    })
}

/// Returns the part of the cells within two steps of a ball that have balls.
fn crowd(view: &View, ball: Cell) -> f64 {
    let offsets = (-2..=2).flat_map(|rows| (-2..=2).map(move |columns| (rows, columns)));
    let cells = offsets.filter_map(|(rows, columns)| ball.offset(rows, columns));
    cells.filter(|cell| view.balls[cell.index()] > 0).count() as f64 / 25.0
}

/// The cost of each cell as a landing place.
struct Landing {
    /// The cost of leaving a ball there: the risk, and the remaining way.
    costs: Vec<f64>,
    /// Whether a player stays there to kick.
    is_manned: Vec<bool>,
    /// Whether a team-mate passes on his way to another place.
    is_passed: Vec<bool>,
    /// Whether there will be balls that have not been kicked yet.
    is_pile: Vec<bool>,
    /// Number of steps to the nearest of the team.
    own_steps: Vec<u32>,
}

impl Landing {
    fn new(view: &View, map: &Map, own: &[Cell], jobs: &[Job], rival_steps: &[u32]) -> Landing {
        let own_steps = steps_to_nearest(own);
        let mut balls = view.balls.clone();
        let mut is_manned = vec![false; Cell::COUNT];
        let mut is_passed = vec![false; Cell::COUNT];
        for (cell, job) in own.iter().zip(jobs) {
            let next = |to: Cell| Step::towards(*cell, to).from(*cell).expect("the way to a cell").index();
            match *job {
                Job::Fetch(ball) if ball == *cell => {
                    is_manned[cell.index()] = true;
                    // Two players can want the last one.
                    balls[cell.index()] = balls[cell.index()].saturating_sub(1);
                }
                Job::Fetch(ball) => is_passed[next(ball)] = true,
                Job::Receive(to) => is_manned[next(to)] = true,
                Job::None => {}
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
            is_passed,
            is_pile: balls.iter().map(|balls| *balls > 0).collect(),
            own_steps,
        }
    }

    /// Chooses landing places, the best first, and counts the best one as a pile from now on. Within range of home that
    /// is home itself, since no other cell is 0 kicks away.
    fn choose(&mut self, map: &Map, from: Cell) -> Vec<Cell> {
        let cost = |to: &Cell| self.costs[to.index()] + self.fetch_cost(*to);
        let mut landings: Vec<(f64, Cell)> =
            map.onward[from.index()].iter().map(|to| (cost(to), *to)).collect();
        let better =
            |one: &(f64, Cell), other: &(f64, Cell)| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1));
        if landings.len() > LANDINGS_TRIED {
            landings.select_nth_unstable_by(LANDINGS_TRIED, better);
            landings.truncate(LANDINGS_TRIED);
        }
        landings.sort_unstable_by(better);
        self.is_pile[landings.first().expect("the player's cell is in range").1.index()] = true;
        landings.into_iter().map(|(_cost, to)| to).collect()
    }

    /// Returns the cost of fetching a ball from a cell.
    fn fetch_cost(&self, cell: Cell) -> f64 {
        let approach = APPROACH * f64::from(self.own_steps[cell.index()]);
        match cell.index() {
            index if self.is_manned[index] => 0.0,
            index if self.is_passed[index] => COME_BY,
            index if self.is_pile[index] => FETCH_FROM_PILE + approach,
            _ => FETCH + approach,
        }
    }
}

/// A team in a position that is played on, cell by cell.
#[derive(Clone, Debug)]
struct Team {
    /// Where a ball from here is kicked: of the cells with fewest kicks to home, the one nearest home.
    landing: Vec<u16>,
    /// The cost of bringing a ball home from here, in the unit of [`Model::PER_STEP`].
    rest: Vec<u32>,
    /// How likely a ball here is to become theirs, relative to the other teams.
    claim: Vec<f32>,
}

impl Team {
    fn new(view: &View, seat: Seat) -> Team {
        let kicks = kicks_home(view, seat);
        let home = HOMES[seat.index()];
        let onward = |from: Cell| {
            let in_range = Cell::all().filter(|to| view.reaches(from, *to));
            let best = in_range.min_by_key(|to| (kicks[to.index()], to.distance_squared(home)));
            best.expect("the player's cell is in range").index() as u16
        };
        let rest = |cell: Cell| match kicks[cell.index()] {
            u32::MAX => 0, // a home, where no ball is
            kicks => 300 * kicks + 60 * (cell.distance_squared(home).isqrt() / 4),
        };
        Team {
            landing: Cell::all().map(onward).collect(),
            rest: Cell::all().map(rest).collect(),
            claim: kicks.iter().map(|kicks| (0..*kicks.min(&100)).map(|_| FARTHER_KICK).product()).collect(),
        }
    }
}

/// A position that is played on quickly and roughly. Each player goes for the ball that is cheapest to fetch and bring
/// home and that no team-mate goes for, and kicks as near home as he can. If several players want the same ball, the
/// first one gets it, and their order changes from turn to turn.
#[derive(Clone, Debug)]
struct Model {
    balls: Vec<u16>,
    /// The cells with balls, a bit each, row by row, and their number.
    rows: [u32; 32],
    piles: u32,
    /// The cells that players go for, team by team.
    taken: [[u32; 32]; TEAMS],
    /// The cell of each player.
    players: Vec<u16>,
    /// The ball that each player goes for.
    targets: Vec<Option<u16>>,
    /// The landing places of our players' first kicks.
    landings: Vec<Option<u16>>,
    /// Our goals.
    goals: u32,
}

impl Model {
    /// The cost of a step towards a pile, by its number of balls: they share the way.
    const PER_STEP: [u32; 7] = [600, 600, 300, 200, 150, 120, 100];
    /// If there are fewer piles than this, all are looked at; else those around the player.
    const FEW_PILES: u32 = 90;

    fn new(view: &View) -> Model {
        let mut rows = [0; 32];
        let piles = Cell::all().filter(|cell| view.balls[cell.index()] > 0);
        let count = piles.map(|cell| rows[usize::from(cell.row())] |= 1 << cell.column()).count();
        Model {
            balls: view.balls.clone(),
            rows,
            piles: count as u32,
            taken: [[0; 32]; TEAMS],
            players: view.players.iter().flatten().map(|cell| cell.index() as u16).collect(),
            targets: vec![None; view.players.len()],
            landings: vec![None; view.p],
            goals: 0,
        }
    }

    fn copy_from(&mut self, other: &Model) {
        self.balls.copy_from_slice(&other.balls);
        self.players.copy_from_slice(&other.players);
        self.targets.copy_from_slice(&other.targets);
        self.landings.copy_from_slice(&other.landings);
        (self.rows, self.piles, self.taken, self.goals) = (other.rows, other.piles, other.taken, other.goals);
    }

    fn set_target(&mut self, team: usize, player: usize, target: Option<u16>) {
        if let Some(cell) = self.targets[player] {
            self.taken[team][usize::from(cell / 32)] &= !(1 << (cell % 32));
        }
        if let Some(cell) = target {
            self.taken[team][usize::from(cell / 32)] |= 1 << (cell % 32);
        }
        self.targets[player] = target;
    }

    /// Finds the ball that is cheapest to fetch from here and to bring home.
    fn find(&self, map: &Map, team: usize, from: u16, work: &mut u32) -> Option<u16> {
        let rest = &map.teams[team].rest;
        let (row, column) = (i32::from(from / 32), i32::from(from % 32));
        let (mut best_cost, mut best_cell) = (u32::MAX, None);
        // Looks at some columns of a row, and tells whether a ball has been found by now.
        let mut look = |row: usize, columns: u32, steps: &dyn Fn(i32) -> u32| {
            let mut columns = self.rows[row] & !self.taken[team][row] & columns;
            while columns != 0 {
                let column = columns.trailing_zeros();
                columns &= columns - 1;
                let cell = 32 * row + column as usize;
                let per_step = Model::PER_STEP[usize::from(self.balls[cell].min(6))];
                let cost = rest[cell] + steps(column as i32) * per_step;
                if cost < best_cost {
                    best_cost = cost;
                    best_cell = Some(cell as u16);
                }
            }
            best_cell.is_some()
        };
        if self.piles < Model::FEW_PILES {
            *work += 16 + self.piles;
            for to in 0..32 {
                let rows = row.abs_diff(to);
                look(to as usize, u32::MAX, &|column_to: i32| rows.max(column.abs_diff(column_to)));
            }
            return best_cell;
        }
        // Ring by ring around the player, up to two rings beyond the first one with a ball.
        let mut last = 31;
        let mut ring = 0;
        while ring <= last.min(31) {
            *work += 4 + 2 * ring as u32;
            let (left, right) = (column - ring, column + ring);
            let side = |column: i32| if (0..32).contains(&column) { 1 << column } else { 0 };
            let sides: u32 = side(left) | side(right);
            let span = (u32::MAX << left.max(0)) & (u32::MAX >> (31 - right.min(31)));
            for to in (row - ring).max(0)..=(row + ring).min(31) {
                let columns = if row.abs_diff(to) == ring as u32 { span } else { sides };
                if look(to as usize, columns, &|_column| ring as u32) && last == 31 {
                    last = ring + 2;
                }
            }
            ring += 1;
        }
        best_cell
    }

    /// Plays a turn. `landed` is a buffer for the cells on which balls land.
    fn play(&mut self, look_ahead: &LookAhead<'_>, dice: u32, landed: &mut Vec<u16>, work: &mut u32) {
        let (map, own, p) = (look_ahead.map, look_ahead.own, self.landings.len());
        let count = self.players.len();
        // Whether a player of the team has found no free ball in this turn: then no other looks for one.
        let mut has_no_ball = [false; TEAMS];
        landed.clear();
        *work += count as u32;
        let first = dice as usize % count;
        for turn in 0..count {
            let turn = if dice >> 16 & 1 == 0 { turn } else { count - turn };
            let player = if first + turn >= count { first + turn - count } else { first + turn };
            let team = player / p;
            let cell = self.players[player];
            if look_ahead.is_idle[team] {
                continue;
            }
            if self.balls[usize::from(cell)] > 0 {
                self.take_ball(cell);
                let planned = if team == own { self.landings[player - own * p].take() } else { None };
                landed.push(planned.unwrap_or(map.teams[team].landing[usize::from(cell)]));
                continue;
            }
            let is_there = |target: &u16| *target != cell && self.balls[usize::from(*target)] > 0;
            if !self.targets[player].as_ref().is_some_and(is_there) {
                self.set_target(team, player, None);
                if has_no_ball[team] {
                    continue;
                }
                let target = self.find(map, team, cell, work);
                self.set_target(team, player, target);
                has_no_ball[team] = target.is_none();
            }
            if let Some(target) = self.targets[player] {
                let towards =
                    |from: u16, to: u16| if from < to { from + 1 } else { from - u16::from(from > to) };
                let row = towards(cell / 32, target / 32);
                self.players[player] = 32 * row + towards(cell % 32, target % 32);
            }
        }
        for cell in landed.iter() {
            if look_ahead.is_home[usize::from(*cell)] {
                self.goals += u32::from(usize::from(*cell) == HOMES[own].index());
            } else {
                self.put_ball(*cell);
            }
        }
    }

    fn take_ball(&mut self, cell: u16) {
        self.balls[usize::from(cell)] -= 1;
        if self.balls[usize::from(cell)] == 0 {
            self.rows[usize::from(cell / 32)] &= !(1 << (cell % 32));
            self.piles -= 1;
        }
    }

    fn put_ball(&mut self, cell: u16) {
        self.balls[usize::from(cell)] += 1;
        if self.balls[usize::from(cell)] == 1 {
            self.rows[usize::from(cell / 32)] |= 1 << (cell % 32);
            self.piles += 1;
        }
    }
}

/// A plan that is being improved.
struct LookAhead<'a> {
    map: &'a Map,
    /// Our team.
    own: usize,
    is_idle: [bool; TEAMS],
    is_home: Vec<bool>,
    /// How likely a ball on each cell is to become ours.
    value: Vec<f32>,
    /// The position, with the plan in it.
    start: Model,
    turn: u32,
    work: u32,
}

impl LookAhead<'_> {
    fn new<'a>(view: &View, map: &'a Map, jobs: &[Job], landings: &[Vec<Cell>]) -> LookAhead<'a> {
        let own = view.seat.index();
        let best_score = view.scores.into_iter().max().unwrap_or(0);
        let is_idle = [0, 1, 2, 3].map(|team| {
            team != own && best_score >= IDLE_GOALS_MIN && view.scores[team] * IDLE_DIVISOR < best_score
        });
        let value = |cell: Cell| {
            let claim = |team: usize| if is_idle[team] { 0.0 } else { map.teams[team].claim[cell.index()] };
            claim(own) / (0..TEAMS).map(claim).sum::<f32>().max(f32::MIN_POSITIVE)
        };
        let mut start = Model::new(view);
        for (player, (job, landings)) in jobs.iter().zip(landings).enumerate() {
            start.landings[player] = landings.first().map(|to| to.index() as u16);
            start.set_target(own, own * view.p + player, job.ball().map(|ball| ball.index() as u16));
        }
        LookAhead {
            map,
            own,
            is_idle,
            is_home: Cell::all().map(|cell| HOMES.contains(&cell)).collect(),
            value: Cell::all().map(value).collect(),
            start,
            turn: view.turn,
            work: 0,
        }
    }

    /// Tries changes of the plan, player by player, and keeps those that promise more.
    fn improve(
        mut self,
        wishes: &[Vec<Cell>],
        balls_before: &[Option<Cell>],
        jobs: &mut [Job],
        landings: &mut [Vec<Cell>],
    ) {
        let p = jobs.len();
        let mut model = self.start.clone();
        let mut best = self.promise(&mut model);
        // Another player begins in each turn, since the work may not be enough for all.
        let first = 7 * self.turn as usize;
        for player in (0..p).map(|player| (player + first) % p) {
            if landings[player].len() > 1 {
                for landing in &landings[player][1..] {
                    let old = self.start.landings[player];
                    self.start.landings[player] = Some(landing.index() as u16);
                    if !self.is_better(&mut model, &mut best) {
                        self.start.landings[player] = old;
                    }
                }
            } else if landings[player].is_empty() && jobs[player].ball().is_some() {
                let ball_before = balls_before.get(player).copied().flatten();
                let ball_before = ball_before.filter(|ball| self.start.balls[ball.index()] > 0);
                for ball in ball_before.iter().chain(&wishes[player]) {
                    self.try_ball(player, *ball, jobs, landings, (&mut model, &mut best));
                }
            }
        }
        for (landings, planned) in landings.iter_mut().zip(&self.start.landings) {
            if let (Some(first), Some(planned)) = (landings.first_mut(), planned) {
                *first = Cell::from_number((*planned).into()).expect("a cell");
            }
        }
    }

    /// Tries to send a player to another ball. A team-mate who goes for that ball gets the player's.
    fn try_ball(
        &mut self,
        player: usize,
        ball: Cell,
        jobs: &mut [Job],
        landings: &[Vec<Cell>],
        (model, best): (&mut Model, &mut f32),
    ) {
        let old_job = jobs[player];
        if old_job == Job::Fetch(ball) {
            return;
        }
        let other = jobs.iter().position(|job| *job == Job::Fetch(ball));
        if other.is_some_and(|other| !landings[other].is_empty()) {
            return; // the team-mate stands on that ball
        }
        let new_jobs: Vec<(usize, Job)> =
            other.map(|other| (other, old_job)).into_iter().chain([(player, Job::Fetch(ball))]).collect();
        let old_jobs: Vec<(usize, Job)> =
            new_jobs.iter().map(|(player, _job)| (*player, jobs[*player])).collect();
        self.set_jobs(&new_jobs, jobs);
        if !self.is_better(model, best) {
            self.set_jobs(&old_jobs, jobs);
        }
    }

    /// Gives players other jobs. All lose their old targets first, so that they can exchange them.
    fn set_jobs(&mut self, new_jobs: &[(usize, Job)], jobs: &mut [Job]) {
        let first = self.own * jobs.len();
        for (player, _job) in new_jobs {
            self.start.set_target(self.own, first + player, None);
        }
        for (player, job) in new_jobs {
            self.start.set_target(self.own, first + player, job.ball().map(|ball| ball.index() as u16));
            jobs[*player] = *job;
        }
    }

    /// Tells whether the present plan promises more than the best before; false once [`WORK_MAX`] is reached.
    fn is_better(&mut self, model: &mut Model, best: &mut f32) -> bool {
        if self.work >= WORK_MAX {
            return false;
        }
        let promise = self.promise(model);
        let is_better = promise > *best + GAIN_MIN;
        if is_better {
            *best = promise;
        }
        is_better
    }

    /// Plays the plan on in `model`. Returns our goals plus the balls that are left, each by its chance to become ours.
    fn promise(&mut self, model: &mut Model) -> f32 {
        let mut landed = Vec::new();
        let mut work = self.work;
        // All plans of a turn are played with the same dice (xorshift).
        let mut dice = (self.turn + 1).wrapping_mul(747_796_405) | 1;
        model.copy_from(&self.start);
        for _ in 0..HORIZON {
            dice ^= dice << 13;
            dice ^= dice >> 17;
            dice ^= dice << 5;
            model.play(self, dice, &mut landed, &mut work);
        }
        self.work = work + 64;
        let chances = model.balls.iter().zip(&self.value).map(|(balls, value)| f32::from(*balls) * value);
        model.goals as f32 + chances.sum::<f32>()
    }
}

fn rivals_of(view: &View) -> impl Iterator<Item = Seat> {
    Seat::first(HOMES.len()).filter(|seat| *seat != view.seat)
}

/// Counts the steps from each cell to the nearest of these players.
fn steps_to_nearest(players: &[Cell]) -> Vec<u32> {
    // Once down and once up the field, each cell looks at the neighbours whose turn was before it.
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

/// Counts the kicks from each cell to a team's home: cells in range of it first, then those in range of them, and so
/// on.
fn kicks_home(view: &View, team: Seat) -> Vec<u32> {
    let home = HOMES[team.index()];
    let mut kicks = vec![0; Cell::COUNT];
    let mut reached = vec![home];
    let mut rest: Vec<Cell> = Cell::all().filter(|cell| *cell != home).collect();
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
    for other in HOMES.into_iter().filter(|other| *other != home) {
        kicks[other.index()] = u32::MAX;
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
