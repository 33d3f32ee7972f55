//! Answers to try the rules with: legal, nearly legal, absurd, too many, too few, none. This module judges
//! nothing.

use referee_rules::game::Game;
use referee_rules::{Dice, Fault, Malformed, Seat, Seed};

use super::twin::{self, HOMES, Spot, Twin};
use crate::random::Random;

/// A seat's input in one turn.
#[derive(Clone, Debug)]
pub(super) enum Given {
    Integers(Vec<i64>),
    /// A sample from the game itself.
    Sample(Vec<i64>),
    Fault(Fault),
    /// The game is not even told that no answer came.
    Nothing,
}

/// How the players of one game behave, all four teams alike.
#[derive(Debug)]
pub(super) struct Temper {
    p: i64,
    k: i64,
    /// Number of answers in 100 that are silence, of the wrong shape, drawn by the game itself.
    silent: i64,
    misshapen: i64,
    sampled: i64,
    /// Number of players in 100 that try to score.
    keen: i64,
    /// Number of players in 100 that are placed on a meeting point.
    gregarious: i64,
    meeting_points: Vec<Spot>,
    /// One for each kind of order.
    weights: [i64; KINDS],
}

const KINDS: usize = 11;

impl Temper {
    /// Makes teams that bring all kinds of answers.
    pub(super) fn wild(p: i64, k: i64, random: &mut Random) -> Temper {
        let anywhere = |random: &mut Random| (random.between(0, 31), random.between(0, 31));
        let meeting_points = (0..random.between(1, 6)).map(|_| anywhere(random)).collect();
        let weights = std::array::from_fn(|_| random.pick(&[0, 1, 1, 5]));
        Temper {
            p,
            k,
            silent: random.pick(&[0, 5, 20]),
            misshapen: random.pick(&[0, 5, 20]),
            sampled: random.pick(&[0, 10, 50]),
            keen: random.pick(&[0, 0, 30]),
            gregarious: random.pick(&[0, 50, 100]),
            meeting_points,
            weights,
        }
    }

    /// Makes teams that work together until no ball is left.
    pub(super) fn united(p: i64, k: i64, random: &mut Random) -> Temper {
        Temper { silent: 0, misshapen: 0, sampled: 0, keen: 100, ..Temper::wild(p, k, random) }
    }

    /// A seat's answer to the question of this turn.
    pub(super) fn give(&self, game: &dyn Game, twin: &Twin, seat: usize, random: &mut Random) -> Given {
        if random.percent(self.silent) {
            let faults = [Fault::Late, Fault::Exited(1), Fault::Crashed(9), Fault::Closed, Fault::Deaf];
            return match random.between(0, 7) {
                0 => Given::Nothing,
                1 => Given::Fault(Fault::TooLong),
                2 => Given::Fault(Fault::Malformed(Malformed::new("word 1 is not an integer: x"))),
                n => Given::Fault(faults[n as usize - 3].clone()),
            };
        }
        let mut integers = Vec::new();
        if random.percent(self.sampled) {
            let mut dice = Dice::for_start(Seed(random.next()));
            game.sample(Seat::new(seat), &mut dice, &mut integers);
            return Given::Sample(integers);
        }
        let balls: Vec<Spot> = twin.heaps().keys().copied().collect();
        for player in twin.own(seat) {
            integers.push(match player {
                None if random.percent(self.keen) => self.a_cell_apart(&balls, seat, integers.len()),
                None => self.a_place(random),
                Some(spot) if random.percent(self.keen) => self.a_useful_order(*spot, &balls, random),
                Some(spot) => self.an_order(*spot, random),
            });
        }
        if random.percent(self.misshapen) {
            match random.between(0, 3) {
                0 => integers.clear(),
                1 => integers.truncate(random.between(0, self.p) as usize),
                2 => integers.extend((0..random.between(1, 9)).map(|_| random.between(0, 1032))),
                _ => integers.extend_from_within(..),
            }
        }
        Given::Integers(integers)
    }

    /// A cell with a ball that no other player of all four teams gets.
    fn a_cell_apart(&self, balls: &[Spot], seat: usize, player: usize) -> i64 {
        let number = seat * self.p as usize + player;
        twin::cell(balls[number * balls.len() / (4 * self.p as usize)])
    }

    fn a_place(&self, random: &mut Random) -> i64 {
        match random.between(0, 19) {
            0 => rubbish(random),
            1 => twin::cell(random.pick(&HOMES)),
            2 => 1023 + random.between(0, 2),
            3 => random.between(-2, 0),
            _ if random.percent(self.gregarious) => twin::cell(random.pick(&self.meeting_points)),
            _ => random.between(0, 1023),
        }
    }

    /// Kicks to a home if there is a ball and one is near enough, otherwise towards one; walks towards the
    /// nearest ball if there is none.
    fn a_useful_order(&self, spot: Spot, balls: &[Spot], random: &mut Random) -> i64 {
        if balls.binary_search(&spot).is_err() {
            return a_step(spot, *balls.iter().min_by_key(|ball| square(spot, **ball)).unwrap());
        }
        let near: Vec<Spot> =
            HOMES.into_iter().filter(|home| square(spot, *home) <= self.k * self.k).collect();
        if !near.is_empty() {
            return kick(random.pick(&near));
        }
        let corner = (spot.0 / 16 * 31, spot.1 / 16 * 31);
        let targets: [Spot; 4] = std::array::from_fn(|_| self.a_target_within(spot, random));
        kick(targets.into_iter().min_by_key(|target| square(*target, corner)).unwrap())
    }

    fn an_order(&self, spot: Spot, random: &mut Random) -> i64 {
        let mut draw = random.between(0, self.weights.iter().sum());
        let kind = self.weights.iter().position(|weight| {
            draw -= weight;
            draw < 0
        });
        let (row, column) = spot;
        match kind {
            Some(0) => random.between(0, 8),
            Some(1) => kick(spot),
            Some(2) => kick(random.pick(&HOMES)),
            Some(3) => kick(random.pick(&self.meeting_points)),
            Some(4) => a_step(spot, random.pick(&self.meeting_points)),
            Some(5) => a_step(spot, (row + (row - 15).signum(), column + (column - 15).signum())),
            Some(6) => self.a_kick_at_the_limit(spot, 0, random),
            Some(7) => self.a_kick_at_the_limit(spot, 1, random),
            Some(8) => rubbish(random),
            Some(9) => random.between(-1, 1034),
            _ => kick(self.a_target_within(spot, random)),
        }
    }

    fn a_target_within(&self, spot: Spot, random: &mut Random) -> Spot {
        loop {
            let down = random.between(-self.k, self.k);
            let right = random.between(-self.k, self.k);
            let target = (spot.0 + down, spot.1 + right);
            if down * down + right * right <= self.k * self.k && on_the_grid(target) {
                return target;
            }
        }
    }

    /// A kick as far as it goes (`beyond` 0), or one farther, in a random direction.
    fn a_kick_at_the_limit(&self, spot: Spot, beyond: i64, random: &mut Random) -> i64 {
        for _ in 0..20 {
            let short = random.between(0, self.k);
            let long = (0..=self.k).rev().find(|long| long * long + short * short <= self.k * self.k);
            let (short, long) =
                (short * random.pick(&[-1, 1]), (long.unwrap() + beyond) * random.pick(&[-1, 1]));
            let (down, right) = random.pick(&[(short, long), (long, short)]);
            let target = (spot.0 + down, spot.1 + right);
            if on_the_grid(target) {
                return kick(target);
            }
        }
        kick(random.pick(&[(0, 15), (15, 31), (31, 16), (16, 0)]))
    }
}

/// Numbers that are neither cells nor orders, and numbers that provoke overflow.
fn rubbish(random: &mut Random) -> i64 {
    let wraps = 1 << 16; // a cell again, once cut down to 16 bits
    random.pick(&[
        i64::MIN,
        i64::MIN + 8,
        i64::MAX,
        i64::MAX - 9,
        -1,
        -9,
        -1024,
        1033,
        1034,
        2048,
        wraps,
        wraps + 40,
        -wraps + 40,
        (1 << 32) + 40,
        (1 << 32) + 4,
        -(1 << 32) + 4,
        256,
        256 + 4,
    ])
}

fn kick(target: Spot) -> i64 {
    9 + twin::cell(target)
}

fn a_step(from: Spot, to: Spot) -> i64 {
    3 * ((to.0 - from.0).signum() + 1) + (to.1 - from.1).signum() + 1
}

fn square(from: Spot, to: Spot) -> i64 {
    (from.0 - to.0).pow(2) + (from.1 - to.1).pow(2)
}

fn on_the_grid(spot: Spot) -> bool {
    (0..32).contains(&spot.0) && (0..32).contains(&spot.1)
}
