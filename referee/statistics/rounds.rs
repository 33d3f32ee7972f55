//! Collects the games of a season in any order, and passes them on round by round in the order of the
//! schedule. Results of whole rounds are therefore the same for any number of jobs and after any
//! interruption.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::confidence::Interval;
use crate::rank_by::RankBy;
use referee_record::game_result::GameResult;
use referee_record::results::Scheduled;
use referee_record::{BotName, Share};

/// How the games of a season are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dealt {
    /// Not in rounds that give every bot one block: there are no confidence intervals.
    WithoutRounds,
    /// Not in rounds that give every bot one block, but all bots play equally often, or as nearly as possible.
    EvenlyWithoutRounds,
    /// In rounds of this number of games, dealt depending on earlier rounds.
    Balanced(usize),
    /// In rounds of this number of games, each dealt independently.
    Uniform(usize),
    /// Like [`Uniform`](Dealt::Uniform), but bots of one author sit apart, so that some meet less often than
    /// others.
    Apart(usize),
    /// Like [`Uniform`](Dealt::Uniform), but bots that cannot be the best any more leave the race, and rounds
    /// become shorter.
    Racing(usize),
    /// Like [`Racing`](Dealt::Racing), but bots of one author sit apart.
    RacingApart(usize),
}

impl Dealt {
    /// Returns the deal with a race, if there can be one.
    #[must_use]
    pub fn with_race(self) -> Dealt {
        match self {
            Dealt::Uniform(games) => Dealt::Racing(games),
            Dealt::Apart(games) => Dealt::RacingApart(games),
            other => other,
        }
    }

    /// Returns the number of games in a round; 0 if there are no such rounds.
    pub fn round_games(self) -> usize {
        match self {
            Dealt::WithoutRounds | Dealt::EvenlyWithoutRounds => 0,
            Dealt::Balanced(games)
            | Dealt::Uniform(games)
            | Dealt::Apart(games)
            | Dealt::Racing(games)
            | Dealt::RacingApart(games) => games,
        }
    }

    /// Tells whether a bot's expectation is the same in each round, whatever happened before. Intervals and
    /// proofs exist only then.
    pub fn has_intervals(self) -> bool {
        self.is_apart() || matches!(self, Dealt::Uniform(_) | Dealt::Racing(_))
    }

    /// Tells whether bots of one author sit apart.
    pub fn is_apart(self) -> bool {
        matches!(self, Dealt::Apart(_) | Dealt::RacingApart(_))
    }
}

/// Puts the games of one season in order. It stores the games of rounds that wait for other games.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rounds {
    /// Number of games in a round.
    games: usize,
    /// By round: the number of games, where it is smaller.
    short: BTreeMap<u32, usize>,
    /// The number of the first round that is not complete.
    next: u32,
    /// The games of rounds that wait for other games.
    waiting: BTreeMap<u32, BTreeMap<Scheduled, Ending>>,
}

/// How a game ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Ending {
    /// With a result.
    Over(GameResult),
    /// Void: the game does not count. The bots that played it.
    Void(Vec<BotName>),
}

impl Rounds {
    /// Begins a season whose rounds have this number of games.
    pub fn new(games: usize) -> Rounds {
        Rounds { games, short: BTreeMap::new(), next: 1, waiting: BTreeMap::new() }
    }

    /// Sets a smaller number of games for a round, since bots have left the race. To be called before the
    /// first game of the round is added.
    pub fn shorten(&mut self, round: u32, games: usize) {
        self.short.insert(round, games);
    }

    /// Adds a game, and returns the rounds that it completes. A game without a place in the schedule is
    /// ignored.
    pub fn add(&mut self, game: GameResult) -> Vec<Round> {
        match game.first().and_then(|row| row.place_in_schedule) {
            Some(place) => self.enter(place, Ending::Over(game)),
            None => Vec::new(),
        }
    }

    /// Adds a game of these bots that does not count, and returns the rounds that it completes. The round of
    /// the game is not whole.
    pub fn leave_out(&mut self, place: Scheduled, bots: Vec<BotName>) -> Vec<Round> {
        self.enter(place, Ending::Void(bots))
    }

    fn enter(&mut self, place: Scheduled, ending: Ending) -> Vec<Round> {
        if place.round >= self.next {
            self.waiting.entry(place.round).or_default().insert(place, ending);
        }
        let mut complete = Vec::new();
        while let Some(games) = self.waiting.remove(&self.next) {
            if games.len() < self.short.get(&self.next).copied().unwrap_or(self.games) {
                self.waiting.insert(self.next, games);
                break;
            }
            let mut round = Round::new(self.next, Vec::new(), Vec::new());
            for ending in games.into_values() {
                match ending {
                    Ending::Over(game) => round.games.push(game),
                    Ending::Void(bots) => round.void.push(bots),
                }
            }
            complete.push(round);
            self.next += 1;
        }
        complete
    }

    /// Returns the first incomplete round, if a game of a later one was added; `None` if the games come in order.
    pub fn gap(&self) -> Option<u32> {
        let has_games = |round: &BTreeMap<Scheduled, Ending>| {
            round.values().any(|ending| matches!(ending, Ending::Over(_)))
        };
        self.waiting.range(self.next + 1..).any(|(_, round)| has_games(round)).then_some(self.next)
    }

    /// Returns the games that still wait for others, in order.
    pub fn rest(self) -> impl Iterator<Item = GameResult> {
        let endings = self.waiting.into_values().flat_map(BTreeMap::into_values);
        endings.filter_map(|ending| match ending {
            Ending::Over(game) => Some(game),
            Ending::Void(_) => None,
        })
    }
}

/// A complete round.
#[derive(Debug)]
pub struct Round {
    /// The number, from 1.
    pub number: u32,
    /// All its games that count, in the order of the schedule.
    pub games: Vec<GameResult>,
    /// The bots of each game that does not count.
    pub void: Vec<Vec<BotName>>,
    /// How bots are ranked among all games of the round, if each game has one bot.
    solo_ranking: Option<RankBy>,
}

impl Round {
    /// Returns a round with these games that count, and the bots of each game that does not.
    pub fn new(number: u32, games: Vec<GameResult>, void: Vec<Vec<BotName>>) -> Round {
        Round { number, games, void, solo_ranking: None }
    }

    /// Gives bots their places among all games of the round, if each game has one bot.
    pub fn place_alone(&mut self, rank_by: RankBy) {
        if !self.games.is_empty() && self.games.iter().all(|game| game.len() == 1) {
            rank_by.count_alone(&mut self.games);
            self.solo_ranking = Some(rank_by);
        }
    }

    /// Tells whether bots played alone, and have their places among all games of the round.
    pub fn is_alone(&self) -> bool {
        self.solo_ranking.is_some()
    }

    /// Returns the least and the greatest share that a result can have, in millionths: in a solo round, each void game
    /// could have been better or worse.
    fn bounds(&self, share: Share) -> (i64, i64) {
        let share = share.micros();
        match (self.solo_ranking, self.void.len() as i64) {
            (None, _) | (Some(_), 0) => (share, share),
            (Some(RankBy::Win), _) => (0, share),
            (Some(RankBy::Score | RankBy::Place), void) => {
                let placed = self.games.len() as i64 - 1;
                let others = placed + void;
                // With one placed game `share` is whole, but it beats nobody: `placed` is 0.
                let beaten = share * placed;
                (beaten / others, (beaten + void * Share::WHOLE.micros() + others - 1) / others)
            }
        }
    }

    /// Tells whether all its games count.
    pub fn is_whole(&self) -> bool {
        self.void.is_empty()
    }

    /// Returns its games, block by block.
    pub fn blocks(&self) -> impl Iterator<Item = &[GameResult]> {
        blocks(&self.games)
    }

    /// Returns bounds of each bot's mean share in its block: a game that does not count could have had any
    /// result. If rounds with such a game were left out, a bot could choose the rounds that count, by crashing
    /// games. `None` for a bot without a block in this round, since it has left the race.
    pub fn block_means(&self, field: &Field) -> Vec<Option<Interval>> {
        let mut sums = vec![(0, 0, 0); field.len()];
        let shares = self.games.iter().flatten().filter(|row| row.counts);
        let shares = shares.map(|row| {
            let (lower, upper) = self.bounds(row.share);
            (&row.bot, lower, upper)
        });
        let unknown = self.void.iter().flatten().map(|bot| (bot, 0, Share::WHOLE.micros()));
        for (bot, lower, upper) in shares.chain(unknown) {
            if let Some(bot) = field.index(bot) {
                let (lower_sum, upper_sum, count) = sums[bot];
                sums[bot] = (lower_sum + lower, upper_sum + upper, count + 1);
            }
        }
        let mean = |(lower_sum, upper_sum, count)| {
            let of = |sum| mean_of_micros(sum, count);
            (count > 0).then(|| Interval { lower: of(lower_sum), upper: of(upper_sum) })
        };
        sums.into_iter().map(mean).collect()
    }

    /// Returns each bot's bounds as [`block_means`](Round::block_means), with its opponents. Fillers are opponents,
    /// too, except in games that do not count.
    pub fn showings(&self, field: &Field) -> Vec<Option<Showing>> {
        let mut met: Vec<Vec<(usize, f64)>> = vec![Vec::new(); field.len()];
        let mut meet = |bots: &[(Option<usize>, bool)]| {
            for (at, (bot, counts)) in bots.iter().enumerate() {
                let Some(bot) = bot.filter(|_| *counts) else { continue };
                let others = bots.iter().enumerate().filter(|(other, _)| *other != at);
                for other in others.filter_map(|(_, (other, _))| *other) {
                    match met[bot].iter_mut().find(|(known, _)| *known == other) {
                        Some((_, times)) => *times += 1.0,
                        None => met[bot].push((other, 1.0)),
                    }
                }
            }
        };
        for game in &self.games {
            meet(&game.iter().map(|row| (field.index(&row.bot), row.counts)).collect::<Vec<_>>());
        }
        for bots in &self.void {
            meet(&bots.iter().map(|bot| (field.index(bot), true)).collect::<Vec<_>>());
        }
        let means = self.block_means(field).into_iter().zip(met);
        let showing = |(mean, mut company): (Option<Interval>, Vec<(usize, f64)>)| {
            let all: f64 = company.iter().map(|(_, times)| times).sum();
            company.iter_mut().for_each(|(_, times)| *times /= all);
            Some(Showing { share: mean?, company })
        };
        means.map(showing).collect()
    }
}

/// A bot's results in a round.
#[derive(Clone, Debug, PartialEq)]
pub struct Showing {
    /// Bounds of its mean share in its block, from 0 to 1.
    pub share: Interval,
    /// Its opponents, by index, and the part of its company that each was. The parts add up to 1, or there is no
    /// opponent.
    pub company: Vec<(usize, f64)>,
}

impl Showing {
    /// Returns a showing of whose opponents nothing is known.
    pub fn without_opponents(share: Interval) -> Showing {
        Showing { share, company: Vec::new() }
    }
}

/// Splits games, in the order of the schedule, into blocks: games of one table with the same seed.
pub fn blocks(games: &[GameResult]) -> impl Iterator<Item = &[GameResult]> {
    games.chunk_by(is_one_block)
}

/// Tells whether two games belong to the same block.
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
            Some((_, sum, count)) => (*sum, *count) = (*sum + row.share.micros(), *count + 1),
            None => sums.push((&row.bot, row.share.micros(), 1)),
        }
    }
    sums.into_iter().map(|(bot, sum, count)| (bot, mean_of_micros(sum, count))).collect()
}

/// The bots of a season, by index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field(Vec<BotName>);

impl Field {
    /// Numbers bots in this order.
    pub fn new(bots: impl IntoIterator<Item = BotName>) -> Field {
        Field(bots.into_iter().collect())
    }

    /// Returns a bot's index. A new bot gets the next one.
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

    /// Returns the number of bots.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Tells whether there are no bots.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The mean of some values and its standard error, which hold for a single look.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct SingleLookMean {
    count: f64,
    sum: f64,
    squares: f64,
}

impl SingleLookMean {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        (self.count, self.sum) = (self.count + 1.0, self.sum + value);
        self.squares += value * value;
    }

    /// Returns the mean; `None` without a value.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }

    /// Returns the standard error of the mean; `None` before the second value. It guarantees nothing if one looks
    /// again and again.
    pub fn error(&self) -> Option<f64> {
        let variance = (self.squares - self.sum * self.sum / self.count).max(0.0) / (self.count - 1.0);
        (self.count >= 2.0).then(|| (variance / self.count).sqrt())
    }
}

/// Returns the mean of shares in millionths.
pub fn mean_of_micros(sum: i64, count: u64) -> f64 {
    sum as f64 / 1e6 / count.max(1) as f64
}
