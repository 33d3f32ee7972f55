//! The games of rounds: a pure function of the seed, the field and the format.

use crate::catalog::Entry;
use crate::rules::{Parameters, Seed};
use crate::tournament::file::Format;
use crate::tournament::schedule::{self, Pairing};

/// Returns all games of a tournament's first plan, in order. Each sub-tournament has a season of its own, from 1.
pub fn first(
    entry: &Entry,
    seed: Seed,
    sets: &[Parameters],
    format: &Format,
    entrants: usize,
) -> Vec<Pairing> {
    let Format::Rounds { rounds } = *format;
    let seasons = sets.iter().zip(1..);
    // Round by round through all sub-tournaments: what is stopped early has played about the same of each.
    (1..=rounds)
        .flat_map(|round| seasons.clone().map(move |(set, season)| (round, set, season)))
        .flat_map(|(round, set, season)| schedule::round(seed, (season, round), entry, set, entrants))
        .collect()
}
