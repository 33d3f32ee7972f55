//! The games of a season as they come, in whatever order, handed on round by round in the order of the schedule.
//! What is made of whole rounds is therefore the same for any number of jobs, and after any interruption.

use std::collections::BTreeMap;

use crate::record::BotName;
use crate::record::results::{ResultRow, Scheduled};

/// All rows of one game, in the order of the seats.
pub type Game = Vec<ResultRow>;

/// Puts the games of one season in order. It holds those of rounds that wait for others.
#[derive(Debug)]
pub struct Rounds {
    /// So many games make a round.
    games: usize,
    next: u32,
    waiting: BTreeMap<u32, BTreeMap<Scheduled, Game>>,
}

impl Rounds {
    /// Begins a season in which a round has so many games.
    pub fn new(games: usize) -> Rounds {
        Rounds { games, next: 1, waiting: BTreeMap::new() }
    }

    /// Takes a game, and returns the rounds that are complete now. A game that stands nowhere in a schedule is left out.
    pub fn add(&mut self, game: Game) -> Vec<Round> {
        match game.first().and_then(|row| row.place_in_schedule) {
            Some(place) => self.enter(place, game),
            None => Vec::new(),
        }
    }

    /// Takes note of a game that counts for nobody, and returns the rounds that are complete now. That of the game is not whole.
    pub fn leave_out(&mut self, place: Scheduled) -> Vec<Round> {
        self.enter(place, Vec::new())
    }

    fn enter(&mut self, place: Scheduled, game: Game) -> Vec<Round> {
        if place.round >= self.next {
            self.waiting.entry(place.round).or_default().insert(place, game);
        }
        let mut complete = Vec::new();
        while let Some(games) = self.waiting.remove(&self.next) {
            if games.len() < self.games {
                self.waiting.insert(self.next, games);
                break;
            }
            let played = games.len();
            let games: Vec<Game> = games.into_values().filter(|game| !game.is_empty()).collect();
            complete.push(Round { number: self.next, is_whole: games.len() == played, games });
            self.next += 1;
        }
        complete
    }

    /// Returns the games that still wait for others, in order.
    pub fn rest(self) -> impl Iterator<Item = Game> {
        self.waiting.into_values().flat_map(BTreeMap::into_values)
    }
}

/// A complete round.
#[derive(Debug)]
pub struct Round {
    /// From 1.
    pub number: u32,
    /// Whether all its games count.
    pub is_whole: bool,
    /// All its games that count, in the order of the schedule.
    pub games: Vec<Game>,
}

impl Round {
    /// Returns the mean share of each bot's block.
    pub fn block_means(&self, field: &Field) -> Vec<f64> {
        let mut sums = vec![(0, 0); field.len()];
        for row in self.games.iter().flatten().filter(|row| row.counts) {
            if let Some(bot) = field.index(&row.bot) {
                sums[bot] = (sums[bot].0 + micros(row.share), sums[bot].1 + 1);
            }
        }
        sums.into_iter().map(|(sum, count)| mean_of_micros(sum, count)).collect()
    }
}

/// The bots of a season, by index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field(Vec<BotName>);

impl Field {
    /// Numbers some bots, in this order.
    pub fn new(bots: impl IntoIterator<Item = BotName>) -> Field {
        Field(bots.into_iter().collect())
    }

    /// Returns a bot's index; one that is new comes last.
    pub fn enter(&mut self, bot: &BotName) -> usize {
        self.index(bot).unwrap_or_else(|| {
            self.0.push(bot.clone());
            self.0.len() - 1
        })
    }

    /// Returns a bot's index.
    pub fn index(&self, bot: &BotName) -> Option<usize> {
        self.0.iter().position(|other| other == bot)
    }

    /// Lists the bots.
    pub fn bots(&self) -> &[BotName] {
        &self.0
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Tells whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A share in millionths, as it stands in the results. A sum of whole numbers does not depend on their order.
pub fn micros(share: f64) -> i64 {
    (share * 1e6).round() as i64
}

/// Returns the mean of shares in millionths.
pub fn mean_of_micros(sum: i64, count: u64) -> f64 {
    sum as f64 / 1e6 / count.max(1) as f64
}
