//! Mean share of each bot against each opponent.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::rounds::{Field, mean_of_micros};
use referee_record::BotName;
use referee_record::results::ResultRow;

/// Results of one bot in the games with another bot.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The bot.
    pub bot: BotName,
    /// Its opponent.
    pub company: BotName,
    /// The number of games with both.
    pub games: u64,
    /// The mean share of the bot's seats in these games.
    pub mean_share: f64,
    /// The part of these games in which the bot finished before the other one; with the same place, half a game.
    pub before: f64,
    /// The standard error of `mean_share`, as if seats were independent; `None` for a single seat.
    pub error: Option<f64>,
}

/// Sums by bot and opponent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Pairs {
    field: Field,
    sums: BTreeMap<(usize, usize), Sum>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Sum {
    games: u64,
    seats: u64,
    micros: i64,
    squares: i128,
    /// Twice the number of games in which the bot finished before the other one.
    halves_before: u64,
}

impl Pairs {
    /// Adds a game: all its rows. Seats that do not count neither score nor are opponents.
    pub fn add(&mut self, game: &[&ResultRow]) {
        let mut shares: BTreeMap<usize, (u64, i64, i128)> = BTreeMap::new();
        let mut best_places: BTreeMap<usize, usize> = BTreeMap::new();
        for row in game.iter().filter(|row| row.counts) {
            let bot = self.field.enter(&row.bot);
            let best = best_places.entry(bot).or_insert(row.place);
            *best = row.place.min(*best);
            let (seats, micros, squares) = shares.entry(bot).or_default();
            let share = row.share.micros();
            *seats += 1;
            *micros += share;
            *squares += i128::from(share).pow(2);
        }
        for (bot, (seats, micros, squares)) in &shares {
            for company in shares.keys().filter(|company| *company != bot) {
                let sum = self.sums.entry((*bot, *company)).or_default();
                sum.games += 1;
                sum.seats += seats;
                sum.micros += micros;
                sum.squares += squares;
                sum.halves_before += match best_places[bot].cmp(&best_places[company]) {
                    Ordering::Less => 2,
                    Ordering::Equal => 1,
                    Ordering::Greater => 0,
                };
            }
        }
    }

    /// Lists all pairs, by bot and then by opponent, both in the order of their first games.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> {
        self.sums.iter().map(|((bot, company), sum)| Pair {
            bot: self.field.bots()[*bot].clone(),
            company: self.field.bots()[*company].clone(),
            games: sum.games,
            mean_share: mean_of_micros(sum.micros, sum.seats),
            before: sum.halves_before as f64 / (2 * sum.games).max(1) as f64,
            error: sum.error(),
        })
    }
}

impl Sum {
    /// Returns the standard error of the mean share.
    fn error(&self) -> Option<f64> {
        let seats = i128::from(self.seats);
        let spread = self.squares * seats - i128::from(self.micros).pow(2);
        let variance = spread as f64 / (seats * (seats - 1).max(1)) as f64;
        (seats > 1).then(|| (variance / seats as f64).sqrt() / 1e6)
    }
}
