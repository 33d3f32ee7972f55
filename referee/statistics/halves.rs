//! Leads that come from the first half of a season: a bot that was ahead, and is not ahead any more. A function of
//! complete rounds, in their order.
//!
//! Before a verdict, the mean difference of two bots in the second half of their rounds is compared with that in the
//! first half, by Student's t for two samples with the same scatter. A lead has faded if it is smaller in the second
//! half, by more than chance makes it once in 740 seasons, and if the second half alone does not show it just as
//! clearly. A lead that becomes smaller but stays clear is none of these.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The probability of a faded lead if all rounds are alike: one side of three standard errors of a normal
/// distribution. All pairs that are looked at share it.
const CHANCE: f64 = 0.001_35;

/// Two halves of fewer rounds show nothing.
const ROUNDS_MIN: usize = 10;

/// Each bot's share in each round, until a bot leaves the race: then the others meet another field, and leads change.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Halves {
    bots: usize,
    /// Rounds after the last one that counts are not kept.
    rounds_max: usize,
    /// Round by round.
    shares: Vec<f32>,
    has_left: bool,
}

impl Halves {
    /// Begins without rounds.
    pub(super) fn new(bots: usize, rounds_max: u32) -> Halves {
        Halves { bots, rounds_max: rounds_max as usize, shares: Vec::new(), has_left: false }
    }

    /// Adds the next round; `None` for a bot that sat out.
    pub(super) fn add(&mut self, shares: impl Iterator<Item = Option<f64>>) {
        let shares: Option<Vec<f32>> = shares.map(|share| share.map(|share| share as f32)).collect();
        self.has_left |= shares.is_none();
        let has_room = self.shares.len() < self.rounds_max.saturating_mul(self.bots);
        if let Some(shares) = shares.filter(|_| has_room && !self.has_left) {
            self.shares.extend(shares);
        }
    }

    /// Returns the first of these pairs, the better bot first, whose lead has faded.
    pub(super) fn faded(&self, pairs: &[(usize, usize)]) -> Option<(usize, usize)> {
        let level = CHANCE / pairs.len().max(1) as f64;
        pairs.iter().copied().find(|(better, worse)| {
            let ahead = |round: &[f32]| f64::from(round[*better]) - f64::from(round[*worse]);
            let leads = self.shares.chunks_exact(self.bots).map(ahead);
            has_faded(&leads.collect::<Vec<f64>>(), level)
        })
    }
}

fn has_faded(leads: &[f64], level: f64) -> bool {
    let (first, second) = leads.split_at(leads.len() / 2);
    if first.len() < ROUNDS_MIN {
        return false;
    }
    let mean = |half: &[f64]| half.iter().sum::<f64>() / half.len() as f64;
    let squares = |half: &[f64], mean: f64| half.iter().map(|lead| (lead - mean).powi(2)).sum::<f64>();
    let (before, after) = (mean(first), mean(second));
    let freedom = (leads.len() - 2) as f64;
    let variance = (squares(first, before) + squares(second, after)) / freedom;
    let t = StudentsT::new(0.0, 1.0, freedom).expect("a positive number of degrees of freedom");
    let clearly = |difference: f64, parts: f64| {
        // Rounds that are all alike have no scatter.
        let error = (variance * parts).sqrt().max(1e-6);
        difference > error && t.sf(difference / error) < level
    };
    let [of_first, of_second] = [first, second].map(|half| 1.0 / half.len() as f64);
    clearly(before - after, of_first + of_second) && !clearly(after, of_second)
}
