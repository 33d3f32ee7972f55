//! What is played next: formats are pure functions of the field, a seed and what came of the rounds before.

use super::schedule::Pairing;
use crate::record::results::Scheduled;
use crate::rules::BySeat;

/// What a format wants next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// All games of the next round. None depends on another.
    Round(Vec<Pairing>),
    /// Nothing more is played.
    Over(Ranking),
}

/// A game that was played: its place in the schedule, who sat where, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// Where in the schedule.
    pub scheduled: Scheduled,
    /// Entrants by seat, by index.
    pub entrants: BySeat<usize>,
    /// Shares by seat, each from 0 to 1.
    pub shares: BySeat<f64>,
}

/// Who came where.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// Entrants, by index, the best first; those who share a place stand together, in the order of the field.
    pub places: Vec<Vec<usize>>,
    /// In a sentence, why it is over.
    pub reason: String,
}
