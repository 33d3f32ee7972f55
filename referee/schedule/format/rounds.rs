//! Rounds: every entrant plays one block in each round, at newly dealt tables. Hills use it, and it is the default.

use super::Contest;
use crate::rules::{Parameter, ParameterKind, Parameters};
use crate::schedule::deal::{Block, Pairing, balanced_rounds, round_of_blocks};
use crate::statistics::season::Dealt;

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter::integer("rounds", 10, 1..=1_000_000, "number of rounds; under a stop rule, the maximum"),
    Parameter {
        name: "deal",
        short: None,
        default: 0,
        kind: ParameterKind::Choice(&["uniform", "balanced"]),
        help: "uniform: every deal is equally likely, which a stop rule requires; balanced: opponents who \
             have met least often are paired first",
    },
    Parameter {
        name: "block",
        short: None,
        default: 0,
        kind: ParameterKind::Choice(&["one-seating", TWELVE, ONE_GAME]),
        help: "one-seating: one seating, rotated through all seats; 12, for tables of four: all three \
             seatings, each rotated; one-game: one game, seats drawn by lot (a stop rule then needs fewer \
             games)",
    },
];

/// The block of all three seatings of a square.
pub(super) const TWELVE: &str = "12";

/// The block of a single game.
pub(super) const ONE_GAME: &str = "one-game";

/// The name of this kind.
pub(super) const NAME: &str = "rounds";

/// Deals one round, from 1, if no round looks at another.
pub(super) fn uniform_round(settings: &Parameters, contest: &Contest, round: u32) -> Option<Vec<Pairing>> {
    let Contest { entry, entrants, seed, season, .. } = *contest;
    let deal =
        || round_of_blocks(seed, (season, round), entry, &contest.parameters, entrants, block(settings));
    (is_uniform(settings) || contest.seats().is_none()).then(deal)
}

/// Says how the games of this kind hang together.
pub(super) fn dealt(settings: &Parameters, contest: &Contest) -> Dealt {
    let Contest { entry, ref parameters, entrants, seed, season } = *contest;
    // As many in every round, however it is dealt.
    let games = round_of_blocks(seed, (season, 1), entry, parameters, entrants, block(settings)).len();
    // Where the whole field has one table there is nothing to balance.
    if is_uniform(settings) || contest.seats().is_none() {
        Dealt::Uniform(games)
    } else {
        Dealt::Balanced(games)
    }
}

/// How many rounds there are at most.
pub(super) fn rounds_max(settings: &Parameters) -> u32 {
    settings.get("rounds") as u32
}

pub(super) fn is_uniform(settings: &Parameters) -> bool {
    settings.get("deal") == 0
}

/// The games of a table.
pub(super) fn block(settings: &Parameters) -> Block {
    match settings.get("block") {
        0 => Block::OneSeating,
        1 => Block::AllSeatings,
        _ => Block::OneGame,
    }
}

pub(super) fn rounds(settings: &Parameters, contest: &Contest) -> Box<dyn Iterator<Item = Vec<Pairing>>> {
    let count = rounds_max(settings);
    let (settings, contest) = (settings.clone(), contest.clone());
    if is_uniform(&settings) {
        return Box::new((1..=count).map_while(move |round| uniform_round(&settings, &contest, round)));
    }
    let Contest { entry, ref parameters, entrants, seed, season } = contest;
    Box::new(
        balanced_rounds(seed, (season, count), entry, parameters, entrants, block(&settings)).into_iter(),
    )
}
