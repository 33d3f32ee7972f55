//! Standings: a function of the rows of the results alone.

use crate::rank_by::micros;
use crate::rounds::{Field, mean_of_micros};
use referee_record::BotName;
use referee_record::results::ResultRow;
use referee_rules::FaultKind;
use serde::{Deserialize, Serialize};

/// One bot's line of the standings.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Its place: 1 plus the number of bots with a greater mean share.
    pub place: usize,
    /// The bot.
    pub bot: BotName,
    /// The points by which its format ranks, if it uses points.
    pub points: Option<u32>,
    /// The points of its opponents, by which its format separates equal points, if it does.
    pub opponents_points: Option<u32>,
    /// The number of its games that count, including ruled games.
    pub games: u64,
    /// The mean share in these games, which decides the order.
    pub mean_share: f64,
    /// The mean score of its games, without ruled games.
    pub mean_score: f64,
    /// The part of its games that it has won. Bots that share the first place share the win.
    pub win_share: f64,
    /// The numbers of its faults, in the order of [`FaultKind::ALL`].
    pub faults: [u64; FaultKind::ALL.len()],
    /// The maximum p99 thinking time over its games, in microseconds.
    pub p99_us: u64,
    /// The longest turn, in microseconds.
    pub max_us: u64,
}

/// Sums for standings: whole numbers, so that the order of games does not matter.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Sums {
    field: Field,
    bots: Vec<Sum>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Sum {
    games: u64,
    ruled: u64,
    share_micros: i64,
    score: i64,
    win_micros: i64,
    faults: [u64; FaultKind::ALL.len()],
    p99_us: u64,
    max_us: u64,
}

impl Sums {
    /// Adds a game: all its rows.
    pub fn add(&mut self, game: &[&ResultRow]) {
        let winners = game.iter().filter(|row| row.place == 1).count().max(1);
        for row in game.iter().filter(|row| row.counts) {
            let sum = self.sum_of(&row.bot);
            sum.games += 1;
            sum.share_micros += row.share.micros();
            sum.score += row.score;
            sum.win_micros += if row.place == 1 { micros(1.0 / winners as f64) } else { 0 };
            for (sum, faults) in sum.faults.iter_mut().zip(row.faults) {
                *sum += faults;
            }
            sum.p99_us = sum.p99_us.max(row.thinking.p99_us);
            sum.max_us = sum.max_us.max(row.thinking.max_us);
        }
    }

    /// Adds a bot's share of a ruled game.
    pub fn add_ruled(&mut self, bot: &BotName, share: f64) {
        let sum = self.sum_of(bot);
        sum.games += 1;
        sum.ruled += 1;
        sum.share_micros += micros(share);
        sum.win_micros += micros(share);
    }

    fn sum_of(&mut self, bot: &BotName) -> &mut Sum {
        let index = self.field.enter(bot);
        self.bots.resize_with(self.field.len(), Sum::default);
        &mut self.bots[index]
    }

    /// Returns the standings, best first.
    pub fn standings(&self) -> Vec<Standing> {
        let bots = self.field.bots().iter().zip(&self.bots);
        let mut standings: Vec<Standing> = bots.map(|(bot, sum)| sum.standing(bot)).collect();
        standings.sort_by(|one, other| {
            let by_name = || (&one.bot.name, one.bot.version).cmp(&(&other.bot.name, other.bot.version));
            other.mean_share.total_cmp(&one.mean_share).then_with(by_name)
        });
        for index in 0..standings.len() {
            let better = |other: &&Standing| other.mean_share > standings[index].mean_share;
            standings[index].place = 1 + standings.iter().filter(better).count();
        }
        standings
    }
}

/// Returns the place of each of these values, the greatest first; equal values share a place. `None` for a missing
/// value.
pub fn places_of(values: &[Option<f64>]) -> Vec<Option<usize>> {
    let better = |value: f64| values.iter().flatten().filter(|other| **other > value).count();
    values.iter().map(|value| value.map(|value| better(value) + 1)).collect()
}

impl Sum {
    fn standing(&self, bot: &BotName) -> Standing {
        Standing {
            place: 0,
            bot: bot.clone(),
            points: None,
            opponents_points: None,
            games: self.games,
            mean_share: mean_of_micros(self.share_micros, self.games),
            mean_score: self.score as f64 / (self.games - self.ruled).max(1) as f64,
            win_share: mean_of_micros(self.win_micros, self.games),
            faults: self.faults,
            p99_us: self.p99_us,
            max_us: self.max_us,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_from_values_and_equal_ones_share_them() {
        let places = places_of(&[Some(0.2), None, Some(0.5), Some(0.2), Some(0.1)]);
        assert_eq!(places, [Some(2), None, Some(1), Some(2), Some(4)]);
    }
}
