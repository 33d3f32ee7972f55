//! Collects the games of a season in any order, and hands them on round by round in the order of the schedule.
//! Results of whole rounds are therefore the same for any number of jobs and after any interruption.

use std::collections::BTreeMap;

use crate::record::BotName;
use crate::record::game_result::GameResult;
use crate::record::results::Scheduled;
use crate::statistics::confidence::Interval;

/// How the games of a season hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dealt {
    /// Not in rounds that give everybody one block: nothing is said of how sure means are.
    Otherwise,
    /// Likewise, but so that everybody plays as often as the others, or as nearly as can be.
    Evenly,
    /// In rounds of this number of games, dealt with a look at earlier ones.
    Balanced(usize),
    /// In rounds of this number of games, each dealt independently.
    Uniform(usize),
    /// Likewise, but bots of one author sit apart, so that some meet less often than others.
    Apart(usize),
    /// Likewise, but bots that cannot be the best any more leave the race, and rounds become shorter.
    Racing(usize),
}

impl Dealt {
    /// Returns the same with a race, where there can be one.
    #[must_use]
    pub fn with_race(self) -> Dealt {
        match self {
            Dealt::Uniform(games) | Dealt::Apart(games) => Dealt::Racing(games),
            other => other,
        }
    }

    /// Returns how many games a round has; 0 if there are none such.
    pub fn round_games(self) -> usize {
        match self {
            Dealt::Otherwise | Dealt::Evenly => 0,
            Dealt::Balanced(games) | Dealt::Uniform(games) | Dealt::Apart(games) | Dealt::Racing(games) => {
                games
            }
        }
    }

    /// Tells whether each round says the same about everybody, whatever came of others: then there are intervals and
    /// ranks.
    pub fn says_how_sure(self) -> bool {
        matches!(self, Dealt::Uniform(_) | Dealt::Apart(_) | Dealt::Racing(_))
    }
}

/// Puts the games of one season in order. It holds those of rounds that wait for others.
#[derive(Debug)]
pub struct Rounds {
    /// Number of games in a round.
    games: usize,
    /// The rounds that have fewer.
    short: BTreeMap<u32, usize>,
    next: u32,
    waiting: BTreeMap<u32, BTreeMap<Scheduled, Entered>>,
}

/// The end of a game.
#[derive(Debug)]
enum Entered {
    Over(GameResult),
    /// It counts for nobody: who played it.
    Void(Vec<BotName>),
}

impl Rounds {
    /// Begins a season whose rounds have this number of games.
    pub fn new(games: usize) -> Rounds {
        Rounds { games, short: BTreeMap::new(), next: 1, waiting: BTreeMap::new() }
    }

    /// Says that a round has only this number of games: who cannot be the best does not play on. To be said before the
    /// first of them is taken.
    pub fn shorten(&mut self, round: u32, games: usize) {
        self.short.insert(round, games);
    }

    /// Takes a game, and returns the rounds that are complete now. A game that stands nowhere in a schedule is left out.
    pub fn add(&mut self, game: GameResult) -> Vec<Round> {
        match game.first().and_then(|row| row.place_in_schedule) {
            Some(place) => self.enter(place, Entered::Over(game)),
            None => Vec::new(),
        }
    }

    /// Takes note of a game of these bots that counts for nobody, and returns the rounds that are complete now. That of the
    /// game is not whole.
    pub fn leave_out(&mut self, place: Scheduled, bots: Vec<BotName>) -> Vec<Round> {
        self.enter(place, Entered::Void(bots))
    }

    fn enter(&mut self, place: Scheduled, game: Entered) -> Vec<Round> {
        if place.round >= self.next {
            self.waiting.entry(place.round).or_default().insert(place, game);
        }
        let mut complete = Vec::new();
        while let Some(games) = self.waiting.remove(&self.next) {
            if games.len() < self.short.get(&self.next).copied().unwrap_or(self.games) {
                self.waiting.insert(self.next, games);
                break;
            }
            let mut round = Round { number: self.next, games: Vec::new(), void: Vec::new() };
            for entered in games.into_values() {
                match entered {
                    Entered::Over(game) => round.games.push(game),
                    Entered::Void(bots) => round.void.extend(bots),
                }
            }
            complete.push(round);
            self.next += 1;
        }
        complete
    }

    /// Returns the games that still wait for others, in order.
    pub fn rest(self) -> impl Iterator<Item = GameResult> {
        let entered = self.waiting.into_values().flat_map(BTreeMap::into_values);
        entered.filter_map(|entered| match entered {
            Entered::Over(game) => Some(game),
            Entered::Void(_) => None,
        })
    }
}

/// A complete round.
#[derive(Debug)]
pub struct Round {
    /// From 1.
    pub number: u32,
    /// All its games that count, in the order of the schedule.
    pub games: Vec<GameResult>,
    /// The bots of games that do not count; a bot once for each of its games.
    pub void: Vec<BotName>,
}

impl Round {
    /// Tells whether all its games count.
    pub fn is_whole(&self) -> bool {
        self.void.is_empty()
    }

    /// Returns its games, block by block.
    pub fn blocks(&self) -> impl Iterator<Item = &[GameResult]> {
        blocks(&self.games)
    }

    /// Returns the mean share of each bot's block, as far as it is known: a game that counts for nobody may have come to
    /// anything. Were its round left out instead, a bot could choose which rounds are looked at, by bringing games down.
    /// `None` for a bot that has no block in this round: it was left out because of earlier rounds.
    pub fn block_means(&self, field: &Field) -> Vec<Option<Interval>> {
        let mut sums = vec![(0, 0, 0); field.len()];
        let shares = self.games.iter().flatten().filter(|row| row.counts);
        let shares = shares.map(|row| (&row.bot, micros(row.share), micros(row.share)));
        let unknown = self.void.iter().map(|bot| (bot, 0, micros(1.0)));
        for (bot, lower, upper) in shares.chain(unknown) {
            if let Some(bot) = field.index(bot) {
                let (least, most, count) = sums[bot];
                sums[bot] = (least + lower, most + upper, count + 1);
            }
        }
        let mean = |(least, most, count)| {
            (count > 0)
                .then(|| Interval { lower: mean_of_micros(least, count), upper: mean_of_micros(most, count) })
        };
        sums.into_iter().map(mean).collect()
    }
}

/// Parts games, in the order of the schedule, into blocks: games of one table with the same seed.
pub fn blocks(games: &[GameResult]) -> impl Iterator<Item = &[GameResult]> {
    games.chunk_by(is_one_block)
}

/// Tells whether two games are of one block.
pub fn is_one_block(one: &GameResult, other: &GameResult) -> bool {
    let block = |game: &GameResult| {
        let place = game.scheduled()?;
        Some((place.season, place.round, place.table, game.first()?.seed))
    };
    block(one).is_some_and(|found| Some(found) == block(other))
}

/// Returns the mean share of each bot in a block, over those of its seats that count.
pub fn block_shares(block: &[GameResult]) -> Vec<(&BotName, f64)> {
    let mut sums: Vec<(&BotName, i64, u64)> = Vec::new();
    for row in block.iter().flatten().filter(|row| row.counts) {
        match sums.iter_mut().find(|(bot, ..)| **bot == row.bot) {
            Some((_, sum, count)) => (*sum, *count) = (*sum + micros(row.share), *count + 1),
            None => sums.push((&row.bot, micros(row.share), 1)),
        }
    }
    sums.into_iter().map(|(bot, sum, count)| (bot, mean_of_micros(sum, count))).collect()
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

/// Values that are seen once: their mean and its standard error.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Plain {
    /// Takes a value.
    pub fn add(&mut self, value: f64) {
        (self.count, self.sum) = (self.count + 1.0, self.sum + value);
        self.squares += value * value;
    }

    /// Returns the mean; `None` without a value.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }

    /// Returns the standard error of the mean: how far it may be off, if one looks but once. It promises nothing; it is
    /// `None` before the second value.
    pub fn error(&self) -> Option<f64> {
        let variance = (self.squares - self.sum * self.sum / self.count).max(0.0) / (self.count - 1.0);
        (self.count >= 2.0).then(|| (variance / self.count).sqrt())
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
