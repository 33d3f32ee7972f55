//! Parallel Football once more, slow and plain, written from the text of the rules alone.
//!
//! It shares no code with the library and has no dice: it takes the winners of a scarce ball from the game's
//! report, and checks that they are possible. It panics if they are not.

use std::collections::{BTreeMap, BTreeSet};

/// Row and column.
pub(super) type Spot = (i64, i64);

/// "Homes: seat 0 top left (0), 1 top right (31), 2 bottom left (992), 3 bottom right (1023)."
pub(super) const HOMES: [Spot; 4] = [(0, 0), (0, 31), (31, 0), (31, 31)];

/// "`0..8` step in reading order (0 up-left, 1 up, 2 up-right, 3 left, 4 stay, 5 right, 6 down-left, 7 down,
/// 8 down-right)": rows down and columns right.
const STEPS: [Spot; 9] = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0), (1, 1)];

/// The second opinion.
#[derive(Debug)]
pub(super) struct Twin {
    setting: Setting,
    turn: i64,
    /// Seat by seat; on no cell before they are placed.
    players: Vec<Option<Spot>>,
    /// Each of the 1,020 balls; `None` if it has left the game.
    balls: Vec<Option<Spot>>,
    /// The balls on each cell that has any.
    heaps: BTreeMap<Spot, Vec<usize>>,
    scores: [i64; 4],
    goalless_turns: i64,
}

/// The parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    pub(super) p: i64,
    pub(super) k: i64,
    pub(super) max_turns: i64,
    pub(super) stall_turns: i64,
    pub(super) turn_ms: i64,
}

/// The twin's verdict on an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Judgement {
    Good,
    /// Number of parts that are not allowed.
    Illegal(i64),
    Malformed,
}

/// A draw as reported by the game.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    pub(super) cell: i64,
    pub(super) candidates: Vec<i64>,
    pub(super) drawn: Vec<i64>,
}

/// A goal as reported by the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Goal {
    pub(super) home: usize,
    pub(super) player: i64,
    pub(super) from: i64,
}

/// The effect of a good order.
#[derive(Clone, Copy, Debug)]
enum Command {
    Move(Spot),
    Kick(Spot),
}

impl Twin {
    pub(super) fn new(setting: Setting) -> Twin {
        // "32x32 cells ... One ball on each of the other 1,020 cells. Homes never hold balls."
        let mut balls = Vec::new();
        for row in 0..32 {
            for column in 0..32 {
                if !HOMES.contains(&(row, column)) {
                    balls.push(Some((row, column)));
                }
            }
        }
        assert_eq!(balls.len(), 1020);
        let players = vec![None; 4 * setting.p as usize];
        let heaps = heaps(&balls);
        Twin { setting, turn: 0, players, balls, heaps, scores: [0; 4], goalless_turns: 0 }
    }

    pub(super) fn turn(&self) -> i64 {
        self.turn
    }

    pub(super) fn scores(&self) -> [i64; 4] {
        self.scores
    }

    /// The cells of a seat's players.
    pub(super) fn own(&self, seat: usize) -> &[Option<Spot>] {
        let p = self.setting.p as usize;
        &self.players[seat * p..(seat + 1) * p]
    }

    /// "`turn seat p k max_turns turn_ms  score*4  player_cell*(4p)  balls*1024` (1034 + 4p integers; players
    /// seat by seat; before turn 1 every player is on 1024)."
    pub(super) fn question(&self, seat: usize) -> Vec<i64> {
        let Setting { p, k, max_turns, turn_ms, .. } = self.setting;
        let mut integers = vec![self.turn, seat as i64, p, k, max_turns, turn_ms];
        integers.extend(self.scores);
        for player in &self.players {
            integers.push(match player {
                None => 1024,
                Some(spot) => cell(*spot),
            });
        }
        let mut balls_on = [0; 1024];
        for spot in self.balls.iter().flatten() {
            balls_on[cell(*spot) as usize] += 1;
        }
        integers.extend(balls_on);
        assert_eq!(integers.len() as i64, 1034 + 4 * p);
        integers
    }

    /// Lists the reasons why the game is over; the first counts. "Over when no ball is left, or `max_turns`,
    /// or stalled."
    pub(super) fn ends(&self) -> Vec<&'static str> {
        let mut ends = Vec::new();
        if self.balls.iter().all(|ball| ball.is_none()) {
            ends.push("no_balls");
        }
        let turns_of_orders = self.turn - 1; // turn 0 only places the players
        if turns_of_orders >= self.setting.max_turns {
            ends.push("max_turns");
        }
        // "2,000 turns without a goal end the game; 0 = never."
        if self.setting.stall_turns > 0 && self.goalless_turns >= self.setting.stall_turns {
            ends.push("stalled");
        }
        ends
    }

    /// Judges the integers that a seat answered, on the position at the start of the turn.
    pub(super) fn judge(&self, seat: usize, integers: &[i64]) -> Judgement {
        let p = self.setting.p;
        let came = integers.len() as i64;
        let mut bad = 0;
        if self.turn == 0 {
            if came > p {
                return Judgement::Malformed;
            }
            bad += p - came;
            for integer in integers {
                if spot(*integer).is_none() {
                    bad += 1;
                }
            }
        } else {
            if came != p {
                return Judgement::Malformed;
            }
            for (player, order) in self.own(seat).iter().zip(integers) {
                if self.command(player.unwrap(), *order).is_none() {
                    bad += 1;
                }
            }
        }
        if bad == 0 { Judgement::Good } else { Judgement::Illegal(bad) }
    }

    /// The balls on each cell that has any.
    pub(super) fn heaps(&self) -> &BTreeMap<Spot, Vec<usize>> {
        &self.heaps
    }

    /// Plays a turn. An answer is `None` if the seat was silent. Checks draws and goals on the way.
    pub(super) fn play(&mut self, answers: &[Option<Vec<i64>>; 4], draws: &[Draw], goals: &[Goal]) {
        if self.turn == 0 {
            assert!(draws.is_empty() && goals.is_empty(), "placing draws nothing and scores nothing");
            self.place(answers);
        } else {
            self.carry_out(answers, draws, goals);
        }
        self.turn += 1;
    }

    /// "Turn 0, all at once and unseen: each team answers p cells, anywhere, shared cells allowed. A cell that
    /// is missing or off the grid: that player starts on the own home. No answer at all: all do."
    fn place(&mut self, answers: &[Option<Vec<i64>>; 4]) {
        let p = self.setting.p as usize;
        for seat in 0..4 {
            for player in 0..p {
                let wanted = match &answers[seat] {
                    Some(integers) if integers.len() <= p => integers.get(player),
                    _ => None,
                };
                let wanted = wanted.and_then(|integer| spot(*integer));
                self.players[seat * p + player] = Some(wanted.unwrap_or(HOMES[seat]));
            }
        }
    }

    /// "A turn is judged wholly on the position at its start: kicks take balls, movers move, kicked balls land,
    /// goals score."
    fn carry_out(&mut self, answers: &[Option<Vec<i64>>; 4], draws: &[Draw], goals: &[Goal]) {
        let p = self.setting.p as usize;
        let mut moves: BTreeMap<usize, Spot> = BTreeMap::new();
        let mut kicks: BTreeMap<Spot, BTreeMap<usize, Spot>> = BTreeMap::new();
        for (player, spot) in self.players.iter().enumerate() {
            // "A malformed answer or silence makes the *team* stand still."
            let Some(integers) = &answers[player / p] else { continue };
            if integers.len() != p {
                continue;
            }
            // "A bad order makes that *player* stay." "A kicker stays."
            let spot = spot.unwrap();
            match self.command(spot, integers[player % p]) {
                None => {}
                Some(Command::Move(target)) => {
                    moves.insert(player, target);
                }
                Some(Command::Kick(target)) => {
                    kicks.entry(spot).or_default().insert(player, target);
                }
            }
        }

        // "More valid kickers than balls on a cell: a uniformly random subset gets them, all teams alike; the
        // others stay put. Invalid kicks are not in the draw."
        let mut draws_at: BTreeMap<i64, &Draw> = BTreeMap::new();
        for draw in draws {
            let twice = draws_at.insert(draw.cell, draw);
            assert!(twice.is_none(), "two draws on cell {}", draw.cell);
        }
        for (from, kickers) in &mut kicks {
            if kickers.len() <= self.heaps[from].len() {
                continue;
            }
            let draw = draws_at.remove(&cell(*from));
            let draw = draw.unwrap_or_else(|| panic!("no draw on cell {}", cell(*from)));
            let all: Vec<i64> = kickers.keys().map(|player| *player as i64).collect();
            assert_eq!(sorted(&draw.candidates), all, "who may win on cell {}", draw.cell);
            assert_eq!(draw.drawn.len(), self.heaps[from].len(), "one for each ball on cell {}", draw.cell);
            let drawn: BTreeSet<i64> = draw.drawn.iter().copied().collect();
            assert_eq!(drawn.len(), draw.drawn.len(), "nobody wins twice on cell {}", draw.cell);
            assert!(drawn.iter().all(|player| all.contains(player)), "only candidates win: {draw:?}");
            kickers.retain(|player, _| drawn.contains(&(*player as i64)));
        }
        assert!(draws_at.is_empty(), "draws where there is nothing to draw: {draws_at:?}");

        // Kicks take balls: "a ball that lands this turn cannot be kicked this turn".
        let mut in_flight: Vec<(usize, Spot)> = Vec::new();
        let mut goals_expected: Vec<Goal> = Vec::new();
        for (from, kickers) in &kicks {
            for (ball, (player, target)) in self.heaps[from].iter().zip(kickers) {
                self.balls[*ball] = None;
                in_flight.push((*ball, *target));
                if let Some(home) = HOMES.iter().position(|home| home == target) {
                    goals_expected.push(Goal { home, player: *player as i64, from: cell(*from) });
                }
            }
        }

        // Movers move: "players never block".
        for (player, target) in moves {
            self.players[player] = Some(target);
        }

        // Kicked balls land.
        for (ball, target) in in_flight {
            self.balls[ball] = Some(target);
        }

        // Goals score: "a ball that lands on a home leaves the game and scores for the *owner* of that home".
        for ball in &mut self.balls {
            if let Some(home) = HOMES.iter().position(|home| Some(*home) == *ball) {
                *ball = None;
                self.scores[home] += 1;
            }
        }
        let mut goals = goals.to_vec();
        goals.sort();
        goals_expected.sort();
        assert_eq!(goals, goals_expected, "the goals reported");

        self.heaps = heaps(&self.balls);
        self.goalless_turns = if goals_expected.is_empty() { self.goalless_turns + 1 } else { 0 };
    }

    /// The effect of an order; `None` if it is bad: "off the grid, out of range, no ball there, not an
    /// order".
    fn command(&self, from: Spot, order: i64) -> Option<Command> {
        // "Orders: `0..8` step in reading order; `9 + cell` kick to that cell."
        if (0..9).contains(&order) {
            let (down, right) = STEPS[order as usize];
            let (row, column) = (from.0 + down, from.1 + right);
            // "No wrap at the edge."
            let on_the_grid = (0..32).contains(&row) && (0..32).contains(&column);
            return if on_the_grid { Some(Command::Move((row, column))) } else { None };
        }
        let target = spot(order.checked_sub(9)?)?;
        // "A kick goes to any cell of the grid with `dx*dx + dy*dy <= k*k`. The own cell is allowed."
        let dx = target.1 - from.1;
        let dy = target.0 - from.0;
        if dx * dx + dy * dy > self.setting.k * self.setting.k {
            return None;
        }
        if !self.heaps.contains_key(&from) {
            return None;
        }
        Some(Command::Kick(target))
    }
}

/// "`cell = 32*row + column`."
pub(super) fn cell(spot: Spot) -> i64 {
    32 * spot.0 + spot.1
}

fn spot(cell: i64) -> Option<Spot> {
    if (0..1024).contains(&cell) { Some((cell / 32, cell % 32)) } else { None }
}

fn sorted(numbers: &[i64]) -> Vec<i64> {
    let mut numbers = numbers.to_vec();
    numbers.sort();
    numbers
}

fn heaps(balls: &[Option<Spot>]) -> BTreeMap<Spot, Vec<usize>> {
    let mut heaps: BTreeMap<Spot, Vec<usize>> = BTreeMap::new();
    for (ball, spot) in balls.iter().enumerate() {
        if let Some(spot) = spot {
            heaps.entry(*spot).or_default().push(ball);
        }
    }
    heaps
}
