//! Companions of a king: bots beside which it does better than the results of both elsewhere explain. Before a king is
//! named, the case is made again from the rounds in which it sat with none of them.
//!
//! A function of complete rounds, in their order.

use crate::affinity::Cells;
use crate::confidence::Interval;
use crate::contenders::Contenders;
use crate::rounds::Showing;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

/// Minimum number of standard errors of a companion. It is small on purpose: several helpers make a king before each of
/// them stands out, and a companion by chance costs an honest king no more than some rounds.
const NOTABLE: f64 = 2.0;

/// The probability that a table names a companion of an honest leader.
const BY_CHANCE: f64 = 0.05;

/// Minimum number of rounds in which each bot has met every other, and of rounds without it, for companions.
const MET_MIN: f64 = 3.0;

/// The rounds of a season, and the case without companions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Companions {
    cells: Cells,
    /// The rounds so far; `None` if they are not kept, so that no case can be made again.
    rounds: Option<Vec<Round>>,
    /// Whether there was a table that some bot was not at.
    is_apart: bool,
    again: Option<Again>,
}

/// The shares of a round, and each bot's company.
type Round = Box<[Option<(Interval, Box<[u32]>)>]>;

/// The case for a king from the rounds without these companions.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Again {
    king: usize,
    companions: Vec<usize>,
    contenders: Contenders,
    /// Number of rounds that were looked at.
    #[serde(rename = "seen")]
    rounds_counted: usize,
}

impl Companions {
    /// Makes companions without rounds. If rounds are kept, a case can be made again.
    pub(super) fn new(bots: usize, are_kept: bool) -> Companions {
        Companions { cells: Cells::new(bots), rounds: are_kept.then(Vec::new), is_apart: false, again: None }
    }

    /// Adds the next round.
    pub(super) fn add(&mut self, showings: &[Option<Showing>]) {
        let bots = showings.len();
        let company = |showing: &Showing| -> Box<[u32]> {
            showing.company.iter().map(|(other, _)| *other as u32).collect()
        };
        let apart = |showing: &Showing| !showing.company.is_empty() && showing.company.len() + 1 < bots;
        self.is_apart |= showings.iter().flatten().any(apart);
        if !self.is_apart {
            return; // no bot has been without any other, so there is nothing to compare
        }
        for (bot, showing) in showings.iter().enumerate() {
            let Some(Showing { share, company }) = showing else { continue };
            // The result of a void game is unknown.
            if share.lower == share.upper {
                self.cells.add(bot, share.lower, company.iter().map(|(other, _)| *other));
            }
        }
        if let Some(rounds) = &mut self.rounds {
            rounds.push(
                showings
                    .iter()
                    .map(|showing| showing.as_ref().map(|showing| (showing.share, company(showing))))
                    .collect(),
            );
        }
    }

    /// Lists the companions of a king: it gains beside them, they lose beside it, and one of the two is more than
    /// [`NOTABLE`] standard errors.
    pub(super) fn of(&self, king: usize) -> Vec<usize> {
        self.beyond(king, NOTABLE)
    }

    /// Lists the companions of a bot that chance hardly explains: with a probability of 0.95, none is listed by chance.
    pub(super) fn noticed(&self, bot: usize) -> Vec<usize> {
        let tests = 2 * self.cells.bots().saturating_sub(1).max(1);
        self.beyond(bot, Normal::standard().inverse_cdf(1.0 - BY_CHANCE / tests as f64))
    }

    /// Lists the companions of a king whose effect is more than this number of standard errors.
    fn beyond(&self, king: usize, errors: f64) -> Vec<usize> {
        let Some(rests) = self.cells.rests(|_| 0.0, MET_MIN) else { return Vec::new() };
        let bots = self.cells.bots();
        // The rests are in the order of bots, then of their company, without a bot beside itself.
        let rest_at =
            |bot: usize, company: usize| &rests[bot * (bots - 1) + company - usize::from(company > bot)];
        let helps = |other: &usize| {
            if *other == king {
                return false;
            }
            let (gain, loss) = (rest_at(king, *other), rest_at(*other, king));
            gain.t > 0.0 && loss.t < 0.0 && gain.t.max(-loss.t) > errors
        };
        (0..bots).filter(helps).collect()
    }

    /// Lists the companions without which the case for this king fails; empty if it holds. `new_case` makes an empty
    /// case. If rounds are not kept, lists the companions that chance hardly explains.
    pub(super) fn against(&mut self, king: usize, new_case: impl FnOnce() -> Contenders) -> Vec<usize> {
        if self.rounds.is_none() {
            return self.noticed(king);
        }
        let companions = self.of(king);
        let (Some(rounds), false) = (&self.rounds, companions.is_empty()) else { return companions };
        let again = match self.again.take() {
            Some(again) if again.king == king && again.companions == companions => again,
            _ => Again { king, companions, contenders: new_case(), rounds_counted: 0 },
        };
        let again = self.again.insert(again);
        for round in &rounds[again.rounds_counted..] {
            let sat_with = |other: &usize| {
                let company = |bot: usize| round[bot].as_ref().map_or(&[][..], |(_, company)| &**company);
                company(king).contains(&(*other as u32)) || company(*other).contains(&(king as u32))
            };
            if !again.companions.iter().any(sat_with) {
                let shares: Vec<Option<Interval>> =
                    round.iter().map(|showing| showing.as_ref().map(|(share, _)| *share)).collect();
                again.contenders.add_round(&shares);
            }
        }
        again.rounds_counted = rounds.len();
        let is_beaten = |bot: usize| bot == king || !again.contenders.may_be_best(bot);
        let holds = again.contenders.may_be_best(king) && (0..self.cells.bots()).all(is_beaten);
        if holds { Vec::new() } else { again.companions.clone() }
    }
}
