//! Swiss system: matches of two bots with similar scores. Pairs repeat only when the round cannot be paired
//! otherwise, and no bot has a second bye before all have had one. A match consists of whole blocks, so each
//! side is at home equally often.
//!
//! A win is 2 points, a level match 1 for each, a bye 2. Equal points are separated by Buchholz (the points of all
//! opponents; a bye counts as an opponent with the bot's own points), then by the mean share of all games.

use petgraph::algo::maximum_matching;
use petgraph::graph::UnGraph;

use crate::schedule::format::course::{Course, Mean, Stop, block_of};
use crate::schedule::format::knockout::{SEEDING, seeds};
use crate::schedule::format::{Ranking, all_played, places_by};
use referee_rules::{Parameter, Parameters};

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter::integer("rounds", 0, 0..=1000, "number of rounds; 0: the number that a knockout would have"),
    Parameter::integer("blocks", 1, 1..=1000, "number of blocks (a game with each side at home) in a match"),
    SEEDING,
];

pub(super) fn play(settings: &Parameters, course: &mut Course<'_>) -> Result<Ranking, Stop> {
    let seeds = seeds(settings, course.contest());
    let games = settings.get("blocks") as usize * block_of(course.contest());
    let rounds = match (settings.get("rounds"), seeds.len()) {
        (_, 0 | 1) => 0,
        (0, entrants) => entrants.next_power_of_two().trailing_zeros(),
        (rounds, _) => rounds as u32,
    };
    let mut scores = Scores::new(seeds.len());
    for round in 1..=rounds {
        let name = |index: usize| format!("round {round}, match {}", index + 1);
        let (pairs, bye) = scores.pair();
        let entrants: Vec<(usize, usize)> =
            pairs.iter().map(|(one, other)| (seeds[*one], seeds[*other])).collect();
        let matches = pairs.len();
        if let Some(bye) = bye {
            course.record_bye(format!("round {round}"), seeds[bye], matches);
        }
        for ((pair, played), index) in pairs.iter().zip(course.play(&entrants, games, name)?).zip(0..) {
            let (one, other) = played.share_sums_micros();
            scores.add(*pair, (one, other), games);
            let winner = if one > other { played.pair.0 } else { played.pair.1 };
            course.record_winner(&name(index), (one != other).then_some(winner));
        }
        scores.add_bye(bye);
    }
    // Those that share a place are listed in the order of the field.
    let mut in_order_of_field: Vec<usize> = (0..seeds.len()).collect();
    in_order_of_field.sort_unstable_by_key(|seed| seeds[*seed]);
    let places = places_by(in_order_of_field, |seed| scores.worth(seed)).into_iter();
    let places = places.map(|group| group.into_iter().map(|seed| seeds[seed]).collect()).collect();
    let (mut points, mut opponent_points) = (vec![0; seeds.len()], vec![0; seeds.len()]);
    for (seed, entrant) in seeds.iter().enumerate() {
        (points[*entrant], opponent_points[*entrant], _) = scores.worth(seed);
    }
    Ok(Ranking {
        places,
        points: Some(points),
        opponents: Some(opponent_points),
        numbers: None,
        reason: all_played(rounds),
    })
}

/// The matches of a round, and the bot with a bye, by seed.
type Pairs = (Vec<(usize, usize)>, Option<usize>);

/// The state after the rounds so far, by seed, from 0.
#[derive(Debug)]
struct Scores {
    points: Vec<u32>,
    byes: Vec<usize>,
    opponents: Vec<Vec<usize>>,
    /// The sum of the shares in millionths, and the number of games.
    shares: Vec<(i64, i64)>,
}

impl Scores {
    fn new(seeds: usize) -> Scores {
        Scores {
            points: vec![0; seeds],
            byes: vec![0; seeds],
            opponents: vec![Vec::new(); seeds],
            shares: vec![(0, 0); seeds],
        }
    }

    fn add(&mut self, (one, other): (usize, usize), shares: (i64, i64), games: usize) {
        let points = match shares.0.cmp(&shares.1) {
            std::cmp::Ordering::Greater => (2, 0),
            std::cmp::Ordering::Equal => (1, 1),
            std::cmp::Ordering::Less => (0, 2),
        };
        for (seed, opponent, points, share) in
            [(one, other, points.0, shares.0), (other, one, points.1, shares.1)]
        {
            self.points[seed] += points;
            self.opponents[seed].push(opponent);
            self.shares[seed] = (self.shares[seed].0 + share, self.shares[seed].1 + games as i64);
        }
    }

    fn add_bye(&mut self, bye: Option<usize>) {
        if let Some(seed) = bye {
            self.points[seed] += 2;
            self.byes[seed] += 1;
        }
    }

    /// Returns what ranks a seed: its points, those of its opponents, its mean share.
    fn worth(&self, seed: usize) -> (u32, u32, Mean) {
        let of_opponents: u32 = self.opponents[seed].iter().map(|opponent| self.points[*opponent]).sum();
        let of_byes = self.byes[seed] as u32 * self.points[seed];
        (self.points[seed], of_opponents + of_byes, Mean::from_sum(self.shares[seed]))
    }

    /// Pairs a round. In an odd field, one bot is left out.
    fn pair(&self) -> Pairs {
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by_key(|seed| std::cmp::Reverse(self.points[*seed])); // the better seed first
        // The smallest limit under which all can be paired: 0 unless there are many rounds.
        (0..)
            .find_map(|meetings_max| self.pair_within(&order, meetings_max))
            .expect("in the end all may meet")
    }

    /// Pairs a round so that no pair meets that has met more often than this, if possible.
    fn pair_within(&self, order: &[usize], meetings_max: usize) -> Option<Pairs> {
        if order.len().is_multiple_of(2) {
            return Some((self.pair_even(order.to_vec(), meetings_max)?, None));
        }
        // The last of the bots with the fewest byes.
        let mut candidates: Vec<usize> = order.iter().rev().copied().collect();
        let fewest = self.byes.iter().min().copied().unwrap_or(0);
        candidates.retain(|seed| self.byes[*seed] == fewest);
        candidates.into_iter().find_map(|bye| {
            let rest = order.iter().copied().filter(|seed| *seed != bye).collect();
            Some((self.pair_even(rest, meetings_max)?, Some(bye)))
        })
    }

    fn pair_even(&self, mut rest: Vec<usize>, meetings_max: usize) -> Option<Vec<(usize, usize)>> {
        if !self.can_be_paired(&rest, meetings_max) {
            return None;
        }
        let mut pairs = Vec::new();
        while !rest.is_empty() {
            let first = rest.remove(0);
            let opponents = self.in_order_of_preference(first, &rest).into_iter();
            let mut allowed = opponents.filter(|other| self.meetings(first, *other) <= meetings_max);
            let without =
                |other: usize| -> Vec<usize> { rest.iter().copied().filter(|seed| *seed != other).collect() };
            let second = allowed.find(|other| self.can_be_paired(&without(*other), meetings_max));
            let second = second.expect("there is a way to pair all");
            rest = without(second);
            pairs.push((first, second));
        }
        Some(pairs)
    }

    /// Lists opponents by preference. Of those with the same points, the best of the lower half comes first,
    /// then those below it, then those above. After them come the bots with fewer points, in order.
    fn in_order_of_preference(&self, first: usize, rest: &[usize]) -> Vec<usize> {
        let equals = rest.iter().take_while(|seed| self.points[**seed] == self.points[first]).count();
        let half = equals.div_ceil(2).saturating_sub(1);
        let mut order: Vec<usize> = rest[half..equals].to_vec();
        order.extend(rest[..half].iter().rev());
        order.extend(&rest[equals..]);
        order
    }

    /// Tells whether there is any way to pair all of these.
    fn can_be_paired(&self, seeds: &[usize], meetings_max: usize) -> bool {
        let mut graph = UnGraph::<(), ()>::default();
        let nodes: Vec<_> = seeds.iter().map(|_| graph.add_node(())).collect();
        for (one, node) in nodes.iter().enumerate() {
            for other in one + 1..nodes.len() {
                if self.meetings(seeds[one], seeds[other]) <= meetings_max {
                    graph.add_edge(*node, nodes[other], ());
                }
            }
        }
        maximum_matching(&graph).len() * 2 == seeds.len()
    }

    fn meetings(&self, one: usize, other: usize) -> usize {
        self.opponents[one].iter().filter(|opponent| **opponent == other).count()
    }
}
