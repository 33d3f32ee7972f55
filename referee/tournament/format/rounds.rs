//! Rounds: every entrant plays one block in each, at tables that are dealt anew. The hill's way, and the default.

use super::Contest;
use crate::rules::{Kind, Parameter, Parameters};
use crate::tournament::schedule::{Block, Pairing, balanced_rounds, round_of_blocks};

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "rounds",
        short: None,
        default: 10,
        kind: Kind::Integer { min: 1, max: 1_000_000 },
        help: "how many; under a stop rule the most there may be",
    },
    Parameter {
        name: "deal",
        short: None,
        default: 0,
        kind: Kind::Choice(&["uniform", "balanced"]),
        help: "uniform: every deal equally likely, as a stop rule needs it; balanced: those meet who have met least",
    },
    Parameter {
        name: "block",
        short: None,
        default: 0,
        kind: Kind::Choice(&["one-seating", TWELVE]),
        help: "one-seating: as dealt, rotated through all seats; 12, at tables of four: all three seatings, each rotated",
    },
];

/// The block of all three seatings of a square.
pub(super) const TWELVE: &str = "12";

pub(super) fn rounds(settings: &Parameters, contest: &Contest) -> Box<dyn Iterator<Item = Vec<Pairing>>> {
    let block = if settings.get("block") == 0 { Block::OneSeating } else { Block::AllSeatings };
    let count = settings.get("rounds") as u32;
    let contest = contest.clone();
    let Contest { entry, entrants, seed, season, .. } = contest;
    if settings.get("deal") != 0 {
        let all = balanced_rounds(seed, (season, count), entry, &contest.parameters, entrants, block);
        return Box::new(all.into_iter());
    }
    let deal =
        move |round| round_of_blocks(seed, (season, round), entry, &contest.parameters, entrants, block);
    Box::new((1..=count).map(deal))
}
