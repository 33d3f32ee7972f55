//! Rounds: every entrant plays one block in each round, at newly dealt tables. Hills use it, and it is the
//! default.

use crate::rank_by::RankBy;
use crate::schedule::deal::{Apart, Block, Pairing, balanced_rounds, round_of_blocks};
use crate::schedule::format::{Contest, Rounds};
use crate::season::Dealt;
use referee_rules::{Parameter, ParameterKind, Parameters};

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
    Parameter::integer(
        AUTHOR_SEATS,
        0,
        0..=1000,
        "maximum number of bots of one author at a table, with deal = \"uniform\"; 0: any number. Bots that are kept apart face other opponents than the rest: strong ones gain by that",
    ),
    RankBy::SETTING,
];

/// The parameter that keeps the bots of an author apart.
pub(super) const AUTHOR_SEATS: &str = "author_seats";

/// The block of all three seatings of a square.
pub(super) const TWELVE: &str = "12";

/// The block of a single game.
pub(super) const ONE_GAME: &str = "one-game";

/// The name of this kind.
pub(super) const NAME: &str = "rounds";

/// Deals one round, from 1, if no round depends on another.
pub(super) fn uniform_round(settings: &Parameters, contest: &Contest, round: u32) -> Option<Vec<Pairing>> {
    (is_uniform(settings) || contest.seats().is_none()).then(|| deal(settings, contest, round))
}

fn deal(settings: &Parameters, contest: &Contest, round: u32) -> Vec<Pairing> {
    let Contest { entry, ref parameters, entrants, ref authors, seed, season } = *contest;
    let apart = Apart { authors, at_table_max: settings.get(AUTHOR_SEATS) as usize };
    round_of_blocks(seed, (season, round), entry, parameters, entrants, apart, block(settings))
}

/// Returns how the games of this kind are dealt.
pub(super) fn dealt(settings: &Parameters, contest: &Contest) -> Dealt {
    // Every round has the same number of games.
    let games = deal(settings, contest, 1).len();
    match contest.seats() {
        Some(_) if !is_uniform(settings) => Dealt::Balanced(games),
        Some(_) if settings.get(AUTHOR_SEATS) > 0 => Dealt::Apart(games),
        // If the whole field sits at one table, there is nothing to balance.
        Some(_) | None => Dealt::Uniform(games),
    }
}

/// Returns the maximum number of rounds.
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

pub(super) fn rounds(settings: &Parameters, contest: &Contest) -> Rounds {
    let count = rounds_max(settings);
    let (settings, contest) = (settings.clone(), contest.clone());
    if is_uniform(&settings) {
        return Box::new((1..=count).map_while(move |round| uniform_round(&settings, &contest, round)));
    }
    let Contest { entry, ref parameters, entrants, seed, season, .. } = contest;
    Box::new(
        balanced_rounds(seed, (season, count), entry, parameters, entrants, block(&settings)).into_iter(),
    )
}
