//! Everything that is told of one season, gathered game by game: nothing is kept that grows with their number.

use super::confidence::{ConfidenceSequence, Interval, Marks};
use super::fairness::Fairness;
use super::pairs::Pairs;
use super::rating::Ratings;
use super::rounds::{Field, Game, Rounds};
use super::standings::Sums;
use super::stop_rule::{Race, StopRule};
use crate::record::BotName;
use crate::record::results::ResultRow;

/// The account of a season.
#[derive(Debug)]
pub struct SeasonAccount {
    /// Which season.
    pub number: u32,
    /// Its bots, in the order that [`race`](SeasonAccount::race) counts by.
    pub field: Field,
    /// What its standings are made of.
    pub sums: Sums,
    /// What is known of differences, from its complete rounds.
    pub race: Race,
    /// Who scores how much in whose company.
    pub pairs: Pairs,
    /// Whether everybody had the same chances.
    pub fairness: Fairness,
    means: Vec<ConfidenceSequence>,
    rounds: Rounds,
}

impl SeasonAccount {
    /// Begins the account of a season with this field, in rounds of so many games.
    pub fn new(number: u32, bots: &[BotName], round_games: usize, rule: StopRule) -> SeasonAccount {
        let field = Field::new(bots.iter().cloned());
        let alpha = rule.alpha / field.len().max(1) as f64;
        SeasonAccount {
            number,
            sums: Sums::default(),
            race: Race::new(rule, field.len()),
            pairs: Pairs::default(),
            fairness: Fairness::default(),
            means: vec![ConfidenceSequence::new(alpha, &Marks::thousandths([])); field.len()],
            rounds: Rounds::new(round_games),
            field,
        }
    }

    /// Takes a game, and gives those of rounds that are complete now to the ratings.
    pub fn add(&mut self, game: Game, ratings: &mut Ratings) {
        let rows: Vec<&ResultRow> = game.iter().collect();
        self.sums.add(&rows);
        self.pairs.add(&rows);
        self.fairness.add(&rows);
        drop(rows);
        for round in self.rounds.add(game) {
            round.games.iter().for_each(|game| ratings.add(game));
            if !round.is_whole {
                continue;
            }
            let block_means = round.block_means(&self.field);
            for (sequence, mean) in self.means.iter_mut().zip(&block_means) {
                sequence.add(2.0 * mean - 1.0);
            }
            self.race.add_round(&block_means);
            self.fairness.add_round(&round);
        }
    }

    /// Gives the games of rounds that are not complete to the ratings, too: the season is over, or all that there is.
    pub fn close(&mut self, ratings: &mut Ratings) {
        let none = Rounds::new(1);
        std::mem::replace(&mut self.rounds, none).rest().for_each(|game| ratings.add(&game));
    }

    /// Returns what is known of a bot's mean share. All these intervals, of all bots, hold at once.
    pub fn mean(&self, bot: &BotName) -> Option<Interval> {
        let Interval { lower, upper } = self.means[self.field.index(bot)?].interval();
        Some(Interval { lower: (lower + 1.0) / 2.0, upper: (upper + 1.0) / 2.0 })
    }

    /// Returns the first and the last place that a bot may have.
    pub fn ranks(&self, bot: &BotName) -> Option<(usize, usize)> {
        self.field.index(bot).map(|index| self.race.ranks(index))
    }
}
