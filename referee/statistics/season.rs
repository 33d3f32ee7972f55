//! The account of one season, updated game by game. Its size does not grow with their number.

use crate::confidence::{ConfidenceSequence, Interval, Marks};
use crate::contenders::Forecast;
use crate::fairness::Fairness;
use crate::pairs::Pairs;
use crate::rating::Ratings;
pub use crate::rounds::Dealt;
use crate::rounds::{self, Field, Plain, Round, Rounds};
use crate::standings::Sums;
use crate::stop_rule::{Race, StopRule};
use crate::trends::Trends;
use crate::verdict::VerdictWatch;
use referee_record::BotName;
use referee_record::game_result::GameResult;
use referee_record::results::{ResultRow, Scheduled};

/// The account of a season.
#[derive(Clone, Debug)]
pub struct SeasonAccount {
    /// The number of the season.
    pub number: u32,
    /// Its bots, in the order of the indices in [`race`](SeasonAccount::race).
    pub field: Field,
    /// Sums for its standings.
    pub sums: Sums,
    /// Differences of bots, from its complete rounds.
    pub race: Race,
    /// Mean share of each bot against each opponent.
    pub pairs: Pairs,
    /// Whether all had the same chances.
    pub fairness: Fairness,
    /// Mean shares and intervals, round by round.
    pub trends: Trends,
    /// The stop rule's test, if there is one.
    pub watch: Option<VerdictWatch>,
    means: Vec<ConfidenceSequence>,
    /// By bot: its block means.
    plain: Vec<Plain>,
    /// Whether it collects more than standings and a verdict.
    tells_all: bool,
    dealt: Dealt,
    rounds: Rounds,
    /// In a season without rounds: the games of the current block.
    block: Vec<GameResult>,
    games: u64,
}

impl SeasonAccount {
    /// Begins the account of a season with this field.
    pub fn new(number: u32, bots: &[BotName], dealt: Dealt, rule: StopRule) -> SeasonAccount {
        let alpha = rule.alpha / bots.len().max(1) as f64;
        let means = vec![ConfidenceSequence::new(alpha, &Marks::thousandths([])); bots.len()];
        let race = Race::new(rule, bots.len());
        let plain = vec![Plain::default(); bots.len()];
        SeasonAccount { means, plain, tells_all: true, ..SeasonAccount::begin(number, bots, dealt, race) }
    }

    /// Begins the account of a season for standings and a verdict alone: all other parts stay empty, and no
    /// complete round is rated.
    pub fn for_verdict(number: u32, bots: &[BotName], dealt: Dealt, rule: StopRule) -> SeasonAccount {
        SeasonAccount::begin(number, bots, dealt, Race::for_verdict(rule, bots.len()))
    }

    fn begin(number: u32, bots: &[BotName], dealt: Dealt, race: Race) -> SeasonAccount {
        SeasonAccount {
            number,
            sums: Sums::default(),
            race,
            pairs: Pairs::default(),
            fairness: Fairness::new(dealt),
            trends: Trends::default(),
            watch: None,
            plain: Vec::new(),
            means: Vec::new(),
            tells_all: false,
            dealt,
            rounds: Rounds::new(dealt.round_games()),
            block: Vec::new(),
            games: 0,
            field: Field::new(bots.iter().cloned()),
        }
    }

    /// Adds a game. Games of rounds that it completes go to the ratings.
    pub fn add(&mut self, game: GameResult, ratings: &mut Ratings) {
        self.games += 1;
        let rows: Vec<&ResultRow> = game.iter().collect();
        self.sums.add(&rows);
        if self.tells_all {
            self.pairs.add(&rows);
            self.fairness.add(&rows);
        }
        drop(rows);
        if self.dealt.round_games() == 0 && self.tells_all {
            if let Some(place) = game.scheduled() {
                self.trends.add(&self.field, place.round, std::slice::from_ref(&game), None);
            }
            if self.block.last().is_some_and(|last| !rounds::is_one_block(last, &game)) {
                self.close_block(ratings);
            }
            self.block.push(game);
            return;
        }
        let complete = self.rounds.add(game);
        self.close_rounds(complete, ratings);
    }

    /// Sets a smaller number of games for a round; see [`Rounds::shorten`].
    pub fn shorten(&mut self, round: u32, games: usize) {
        self.rounds.shorten(round, games);
    }

    /// Returns the number of added games.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Tells whether a game was added.
    pub fn has_games(&self) -> bool {
        self.games > 0
    }

    /// Adds a game of these bots that does not count: intervals treat its result as unknown.
    pub fn leave_out(&mut self, place: Scheduled, bots: Vec<BotName>, ratings: &mut Ratings) {
        let complete = self.rounds.leave_out(place, bots);
        self.close_rounds(complete, ratings);
    }

    fn close_rounds(&mut self, complete: Vec<Round>, ratings: &mut Ratings) {
        for round in complete {
            if self.says_how_sure() {
                let block_means = round.block_means(&self.field);
                for (plain, mean) in self.plain.iter_mut().zip(&block_means) {
                    mean.iter().for_each(|Interval { lower, upper }| plain.add((lower + upper) / 2.0));
                }
                for (sequence, mean) in self.means.iter_mut().zip(&block_means) {
                    if let Some(Interval { lower, upper }) = mean {
                        sequence.add_within(Interval { lower: 2.0 * lower - 1.0, upper: 2.0 * upper - 1.0 });
                    }
                }
                self.race.add_round_within(&block_means);
                self.watch.iter_mut().for_each(|watch| watch.look(round.number, &block_means));
            }
            if !self.tells_all {
                continue;
            }
            for block in round.blocks() {
                ratings.add(block);
                self.fairness.add_block(block);
            }
            if !round.is_whole() {
                continue;
            }
            self.fairness.add_round(&round);
            let intervals = self.says_how_sure().then(|| self.means.iter().map(interval_of).collect());
            self.trends.add(&self.field, round.number, &round.games, intervals);
        }
    }

    /// Ends the account: games of incomplete rounds go to the ratings, too.
    pub fn close(&mut self, ratings: &mut Ratings) {
        self.close_block(ratings);
        let rest: Vec<GameResult> = std::mem::replace(&mut self.rounds, Rounds::new(1)).rest().collect();
        rounds::blocks(&rest).for_each(|block| ratings.add(block));
    }

    fn close_block(&mut self, ratings: &mut Ratings) {
        let block = std::mem::take(&mut self.block);
        if !block.is_empty() {
            ratings.add(&block);
            self.fairness.add_block(&block);
        }
    }

    /// Returns the confidence interval of a bot's mean share, if there is one. The intervals of all bots hold
    /// simultaneously.
    pub fn mean(&self, bot: &BotName) -> Option<Interval> {
        self.says_how_sure().then_some(())?;
        Some(interval_of(&self.means[self.field.index(bot)?]))
    }

    /// Returns the standard error of a bot's mean share; `None` before the second round, or without
    /// intervals. It is meant for a single look, and guarantees nothing if one looks again and again.
    pub fn standard_error(&self, bot: &BotName) -> Option<f64> {
        self.says_how_sure().then_some(())?;
        self.plain.get(self.field.index(bot)?)?.error()
    }

    /// Returns a sentence about the leader, and about how many games are left until the lead is certain;
    /// `None` without intervals.
    pub fn outlook(&self) -> Option<String> {
        self.says_how_sure().then_some(())?;
        if self.race.rounds() < OUTLOOK_LEAST {
            return Some(format!("Too few rounds to name a leader: {}.", self.race.rounds()));
        }
        let Forecast { leader, rival, lead, rounds } = self.race.forecast()?;
        let name = |bot: usize| &self.field.bots()[bot].name;
        let (leader, rival) = (name(leader), name(rival));
        let games = |rounds: u32| u64::from(rounds) * self.dealt.round_games() as u64;
        Some(match rounds.map(games) {
            _ if lead < 0.0005 => format!("{leader} and {rival} are level so far."),
            None => format!("{leader} leads {rival} by {lead:.3}; too early to say when that is certain."),
            Some(games) => format!(
                "{leader} leads {rival} by {lead:.3}; about {} more games until that is certain, at the \
                 current rate.",
                two_digits(games)
            ),
        })
    }

    /// Returns the number of further games after which it is certain who leads, at the current rate; `None` if it is
    /// too early to say.
    pub fn games_until_certain(&self) -> Option<u64> {
        self.says_how_sure().then_some(())?;
        let of_a_round = self.dealt.round_games() as u64;
        self.race.forecast()?.rounds.map(|rounds| u64::from(rounds) * of_a_round)
    }

    /// Returns the first and the last plausible place of a bot.
    pub fn ranks(&self, bot: &BotName) -> Option<(usize, usize)> {
        self.says_how_sure().then_some(())?;
        self.field.index(bot).map(|index| self.race.ranks(index))
    }

    /// Returns the interval of the difference of two bots' mean shares.
    pub fn difference(&self, one: &BotName, other: &BotName) -> Option<Interval> {
        self.says_how_sure().then_some(())?;
        Some(self.race.difference(self.field.index(one)?, self.field.index(other)?))
    }

    /// Tells whether there are intervals and ranks.
    pub fn says_how_sure(&self) -> bool {
        self.dealt.says_how_sure()
    }
}

/// Minimum number of rounds for a forecast.
const OUTLOOK_LEAST: u32 = 10;

/// Rounds a number up to two digits.
pub fn two_digits(number: u64) -> u64 {
    let unit = 10u64.pow(number.max(1).ilog10().saturating_sub(1));
    number.div_ceil(unit) * unit
}

/// Returns the interval of a mean share from its sequence, whose values are shares scaled to -1 to 1.
fn interval_of(sequence: &ConfidenceSequence) -> Interval {
    let Interval { lower, upper } = sequence.interval();
    Interval { lower: (lower + 1.0) / 2.0, upper: (upper + 1.0) / 2.0 }
}
