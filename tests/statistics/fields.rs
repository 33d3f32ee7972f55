//! Simulated fields whose right order is known.

use referee_statistics::confidence::Interval;
use referee_statistics::rounds::Showing;

use crate::random::Random;

/// From 0 to below 1.
pub(crate) fn uniform(random: &mut Random) -> f64 {
    (random.next() >> 11) as f64 / (1u64 << 53) as f64
}

pub(crate) fn normal(random: &mut Random) -> f64 {
    let (radius, angle) = (uniform(random).max(1e-300), uniform(random));
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

pub(crate) fn exactly(share: f64) -> Interval {
    Interval { lower: share, upper: share }
}

/// A round in which tables of this number of seats are drawn; `shares` plays a table.
pub(crate) fn round(
    random: &mut Random,
    (bots, seats): (usize, usize),
    shares: &mut impl FnMut(&mut Random, &[usize]) -> Vec<f64>,
) -> Vec<Option<Showing>> {
    let mut order: Vec<usize> = (0..bots).collect();
    (1..bots).rev().for_each(|last| order.swap(last, random.below(last + 1)));
    let mut showings = vec![None; bots];
    for table in order.chunks(seats) {
        let shares = shares(random, table);
        for (at, bot) in table.iter().enumerate() {
            let others = table.iter().filter(|other| *other != bot);
            let company = others.map(|other| (*other, 1.0 / (seats - 1) as f64)).collect();
            showings[*bot] = Some(Showing { share: exactly(shares[at]), company });
        }
    }
    showings
}

/// The balls of a game of football go to the strong ones.
pub(crate) fn football(random: &mut Random, strengths: &[f64], table: &[usize]) -> Vec<f64> {
    let powers: Vec<f64> = table.iter().map(|bot| strengths[*bot].exp()).collect();
    let all: f64 = powers.iter().sum();
    powers.iter().map(|power| (power / all + 0.05 * normal(random)).clamp(0.0, 1.0)).collect()
}

/// A table of four copies of one program.
pub(crate) type Copies = fn(&mut Random) -> Vec<f64>;

/// Games of four copies: football, one winner, long tails, all or nothing, and nearly always a tie.
pub(crate) const COPIES: [(&str, Copies); 5] = [
    ("football", |random| football(random, &[0.0; 4], &[0, 1, 2, 3])),
    ("one winner", |random| {
        let winner = random.below(4);
        (0..4).map(|seat| f64::from(u8::from(seat == winner))).collect()
    }),
    ("long tails", |random| (0..4).map(|_| (-0.05 * uniform(random).max(1e-9).ln()).min(1.0)).collect()),
    ("chaos", |random| {
        let powers: Vec<f64> = (0..4).map(|_| normal(random).exp()).collect();
        let all: f64 = powers.iter().sum();
        powers.iter().map(|power| power / all).collect()
    }),
    ("mostly level", |random| {
        (0..4).map(|_| if random.percent(3) { uniform(random) } else { 0.25 }).collect()
    }),
];
