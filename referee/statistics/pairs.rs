//! Mean share of each bot against each opponent.

use std::collections::BTreeMap;

use crate::record::BotName;
use crate::record::results::ResultRow;
use crate::statistics::rounds::{Field, mean_of_micros, micros};

/// Results of one bot's seats in the games with another bot.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The bot.
    pub bot: BotName,
    /// The other bot.
    pub company: BotName,
    /// In how many games.
    pub games: u64,
    /// The mean share of the bot's seats in them.
    pub mean_share: f64,
}

/// Sums by bot and company.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    field: Field,
    sums: BTreeMap<(usize, usize), Sum>,
}

#[derive(Clone, Debug, Default)]
struct Sum {
    games: u64,
    seats: u64,
    micros: i64,
}

impl Pairs {
    /// Takes a game: all its rows. Seats that do not count neither score nor are company.
    pub fn add(&mut self, game: &[&ResultRow]) {
        let mut shares: BTreeMap<usize, (u64, i64)> = BTreeMap::new();
        for row in game.iter().filter(|row| row.counts) {
            let (seats, sum) = shares.entry(self.field.enter(&row.bot)).or_default();
            (*seats, *sum) = (*seats + 1, *sum + micros(row.share));
        }
        for (bot, (seats, micros)) in &shares {
            for company in shares.keys().filter(|company| *company != bot) {
                let sum = self.sums.entry((*bot, *company)).or_default();
                sum.games += 1;
                sum.seats += seats;
                sum.micros += micros;
            }
        }
    }

    /// Lists all pairs, by bot and company in the order in which they first came.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> {
        self.sums.iter().map(|((bot, company), sum)| Pair {
            bot: self.field.bots()[*bot].clone(),
            company: self.field.bots()[*company].clone(),
            games: sum.games,
            mean_share: mean_of_micros(sum.micros, sum.seats),
        })
    }
}
