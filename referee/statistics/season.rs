//! The account of one season, updated game by game. Its size does not grow with their number.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::confidence::{Interval, MeanShare};
use crate::fairness::Fairness;
use crate::likely::Likely;
use crate::matches::Matches;
use crate::pairs::Pairs;
use crate::rating::Ratings;
pub use crate::rounds::Dealt;
use crate::rounds::{self, Field, Round, Rounds, Showing, SingleLookMean};
use crate::standings::{Standing, Sums};
use crate::stop_rule::{Race, StopRule, Verdict};
use crate::teams;
use crate::trends::Trends;
use crate::verdict::VerdictWatch;
use referee_record::BotName;
use referee_record::game_result::GameResult;
use referee_record::results::{ResultRow, Scheduled};

/// The account of a season.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    means: Vec<MeanShare>,
    likely: Likely,
    /// By bot of the field: its first and last likely place; its place in the standings lies between them.
    #[serde(skip)]
    likely_places: OnceLock<Vec<(usize, usize)>>,
    /// In a season without rounds.
    matches: Matches,
    /// By bot: its block means.
    block_means: Vec<SingleLookMean>,
    /// By seat: the number of its team; empty if each plays for itself.
    teams: Vec<usize>,
    /// Whether each of its games has one seat.
    is_alone: bool,
    /// Whether it collects more than standings and a verdict.
    tells_all: bool,
    pub(super) dealt: Dealt,
    rounds: Rounds,
    /// In a season without rounds: the games of the current block.
    block: Vec<GameResult>,
    games: u64,
    /// By bot of the field: the number of its games that were given up.
    lost: Vec<u64>,
    /// By number: the rounds of earlier seasons.
    before: BTreeMap<u32, Rounds>,
    carried: u64,
    /// The probability that an interval of a mean is wrong.
    #[serde(rename = "shown")]
    alpha_of_intervals: f64,
    /// The bots that sit out, since all their pairs are decided.
    sits_out: Vec<usize>,
}

impl SeasonAccount {
    /// Begins the account of a season with this field. `rule` is that of its verdict. All intervals of means together
    /// are right with a probability of `1 - alpha`, however often one looks; so are all differences.
    pub fn new(number: u32, bots: &[BotName], dealt: Dealt, rule: StopRule, alpha: f64) -> SeasonAccount {
        let means = vec![MeanShare::new(alpha / bots.len().max(1) as f64); bots.len()];
        let race = Race::new(rule, bots.len(), alpha);
        let block_means = vec![SingleLookMean::default(); bots.len()];
        SeasonAccount {
            means,
            block_means,
            alpha_of_intervals: alpha,
            tells_all: true,
            ..SeasonAccount::begin(number, bots, dealt, race)
        }
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
            block_means: Vec::new(),
            means: Vec::new(),
            likely: Likely::new(bots.len()),
            likely_places: OnceLock::new(),
            matches: Matches::default(),
            teams: Vec::new(),
            is_alone: false,
            tells_all: false,
            dealt,
            rounds: Rounds::new(dealt.round_games()),
            block: Vec::new(),
            games: 0,
            lost: vec![0; bots.len()],
            before: BTreeMap::new(),
            carried: 0,
            alpha_of_intervals: 1.0,
            sits_out: Vec::new(),
            field: Field::new(bots.iter().cloned()),
        }
    }

    /// Asks for the verdict by this rule from the next round on.
    pub fn watch_for(&mut self, rule: StopRule) {
        self.watch = Some(VerdictWatch::new(self.number, self.field.clone(), rule));
    }

    /// Counts a team as one: `teams` are the numbers of the seats' teams. None: each seat plays for itself.
    #[must_use]
    pub fn with_teams(mut self, teams: Vec<usize>) -> SeasonAccount {
        self.teams = teams;
        self
    }

    /// Adds a game. Games of rounds that it completes go to the ratings.
    pub fn add(&mut self, game: GameResult, ratings: &mut Ratings) {
        let game = teams::merged(game, &self.teams);
        self.likely_places = OnceLock::new();
        self.games += 1;
        self.is_alone = game.len() == 1;
        let game = if self.is_alone { game } else { self.race.rule().rank_by.counted(game) };
        if !self.waits_for_its_round(&game) {
            self.add_up(&game);
        }
        if self.dealt.round_games() == 0 && self.tells_all {
            if let Some(place) = game.scheduled() {
                self.trends.add(&self.field, place.round, std::slice::from_ref(&game), || None);
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

    /// Tells whether each of its games has one seat, so that none is won.
    pub fn is_alone(&self) -> bool {
        self.is_alone
    }

    /// Tells whether the places of a game are those among all games of its round: it has one seat.
    fn waits_for_its_round(&self, game: &GameResult) -> bool {
        game.len() == 1 && self.dealt.round_games() > 0
    }

    /// Adds a game to the sums of standings.
    fn add_up(&mut self, game: &GameResult) {
        let rows: Vec<&ResultRow> = game.iter().collect();
        self.sums.add(&rows);
        if self.tells_all {
            self.pairs.add(&rows);
            self.fairness.add(&rows);
        }
    }

    /// Gives bots that played alone in a complete round their places.
    fn place_alone(&self, round: &mut Round) {
        if self.is_alone && self.dealt.round_games() > 0 {
            round.place_alone(self.race.rule().rank_by);
        }
    }

    /// Takes a game of an earlier season, whose deals are these. If all its bots play in this season, unchanged, it
    /// counts for standings, likely places and intervals. It does not count for a verdict.
    pub fn carry(&mut self, dealt: Dealt, game: &GameResult) {
        let Some(place) = game.scheduled() else { return };
        self.likely_places = OnceLock::new();
        let game = teams::merged(game.clone(), &self.teams);
        self.is_alone = game.len() == 1;
        let game = &if self.is_alone { game } else { self.race.rule().rank_by.counted(game) };
        if self.is_of_field(game.iter().map(|row| &row.bot)) {
            if !self.waits_for_its_round(game) {
                self.sums.add(&game.iter().collect::<Vec<_>>());
            }
            self.carried += 1;
        }
        if self.has_intervals() && dealt.has_intervals() {
            let complete = self.rounds_before(place.season, dealt).add(game.clone());
            self.carry_rounds(complete);
        }
    }

    /// Takes a game of these bots in an earlier season that did not count; see [`carry`](SeasonAccount::carry).
    pub fn carry_left_out(&mut self, dealt: Dealt, place: Scheduled, bots: Vec<BotName>) {
        if self.has_intervals() && dealt.has_intervals() {
            let bots = teams::named(bots, &self.teams);
            let complete = self.rounds_before(place.season, dealt).leave_out(place, bots);
            self.carry_rounds(complete);
        }
    }

    fn rounds_before(&mut self, season: u32, dealt: Dealt) -> &mut Rounds {
        self.before.entry(season).or_insert_with(|| Rounds::new(dealt.round_games()))
    }

    fn carry_rounds(&mut self, complete: Vec<Round>) {
        self.likely_places = OnceLock::new();
        for mut round in complete {
            round.games.retain(|game| self.is_of_field(game.iter().map(|row| &row.bot)));
            round.void.retain(|bots| self.is_of_field(bots));
            self.place_alone(&mut round);
            if round.is_alone() && round.is_whole() {
                round.games.iter().for_each(|game| self.sums.add(&game.iter().collect::<Vec<_>>()));
            }
            self.count(&round.showings(&self.field));
        }
    }

    fn is_of_field<'a>(&self, bots: impl IntoIterator<Item = &'a BotName>) -> bool {
        bots.into_iter().all(|bot| self.field.index(bot).is_some())
    }

    /// Counts a round for standard errors, intervals and likely places.
    fn count(&mut self, showings: &[Option<Showing>]) {
        for ((block_mean, interval), showing) in
            self.block_means.iter_mut().zip(&mut self.means).zip(showings)
        {
            if let Some(Showing { share, .. }) = showing {
                block_mean.add((share.lower + share.upper) / 2.0);
                interval.add_within(*share);
            }
        }
        let middle = |showing: &Showing| (showing.share.lower + showing.share.upper) / 2.0;
        self.likely.add_round(showings.iter().map(|showing| showing.as_ref().map(middle)));
    }

    /// Returns the standings, best first. When a field that is to be ranked is ranked, they have its places.
    pub fn standings(&self) -> Vec<Standing> {
        let mut standings = self.sums.standings();
        if let Some(Verdict::Ranked { places, .. }) = self.race.verdict() {
            for line in &mut standings {
                line.place = self.field.index(&line.bot).map_or(line.place, |bot| places[bot]);
            }
            standings.sort_by_key(|line| line.place);
        }
        standings
    }

    /// Returns the number of games of earlier seasons that count; see [`carry`](SeasonAccount::carry).
    pub fn carried(&self) -> u64 {
        self.carried
    }

    /// Sets a smaller number of games for a round; see [`Rounds::shorten`].
    pub fn shorten(&mut self, round: u32, games: usize) {
        self.rounds.shorten(round, games);
    }

    /// Sets a smaller number of games for the round of this game, which is of an earlier season with these deals.
    pub fn shorten_before(&mut self, dealt: Dealt, place: Scheduled, games: usize) {
        if self.has_intervals() && dealt.has_intervals() {
            self.rounds_before(place.season, dealt).shorten(place.round, games);
        }
    }

    /// Sets which bots are in the race now; `None` if all are. The others are [listed](SeasonAccount::sits_out).
    pub fn set_apart(&mut self, racing: Option<&[usize]>) {
        let sits_out = |bot: &usize| racing.is_some_and(|racing| !racing.contains(bot));
        self.sits_out = (0..self.field.len()).filter(sits_out).collect();
    }

    /// Lists the bots that sit out, since all their pairs are decided.
    pub fn sits_out(&self) -> impl Iterator<Item = &BotName> {
        self.sits_out.iter().map(|bot| &self.field.bots()[*bot])
    }

    /// Returns the number of added games.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Returns the number of a bot's games of this season that were given up, and do not count.
    pub fn lost(&self, bot: &BotName) -> u64 {
        self.field.index(bot).map_or(0, |bot| self.lost[bot])
    }

    /// Returns the number of games of this season that were given up, of the bot with this name.
    pub fn lost_of(&self, name: &str) -> u64 {
        let named = self.field.bots().iter().zip(&self.lost).filter(|(bot, _)| bot.name == name);
        named.map(|(_, lost)| lost).sum()
    }

    /// Returns the number of complete rounds, counted from the first.
    pub fn rounds(&self) -> u32 {
        self.race.rounds()
    }

    /// Returns the number of complete rounds. In a season without intervals, only the looks at it tell this number.
    pub fn last_round(&self) -> u32 {
        self.race.rounds().max(self.trends.looks().last().map_or(0, |look| look.round))
    }

    /// Returns the first incomplete round, if a game of a later one was added and the account has not ended.
    pub fn gap(&self) -> Option<u32> {
        self.rounds.gap()
    }

    /// Tells whether a game was added.
    pub fn has_games(&self) -> bool {
        self.games > 0
    }

    /// Adds a game of these bots that does not count: intervals treat its result as unknown.
    pub fn leave_out(&mut self, place: Scheduled, bots: Vec<BotName>, ratings: &mut Ratings) {
        let bots = teams::named(bots, &self.teams);
        for bot in &bots {
            if let Some(bot) = self.field.index(bot) {
                self.lost[bot] += 1;
            }
        }
        let complete = self.rounds.leave_out(place, bots);
        self.close_rounds(complete, ratings);
    }

    fn close_rounds(&mut self, complete: Vec<Round>, ratings: &mut Ratings) {
        self.likely_places = OnceLock::new();
        for mut round in complete {
            self.place_alone(&mut round);
            if round.is_alone() && round.is_whole() {
                round.games.iter().for_each(|game| self.add_up(game));
            }
            if self.has_intervals() {
                let showings = round.showings(&self.field);
                if self.tells_all {
                    self.count(&showings);
                }
                self.race.add_showings(&showings);
                if let Some(watch) = &mut self.watch {
                    watch.look(round.number, &showings);
                }
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
            let (has_intervals, means) = (self.has_intervals(), &self.means);
            let intervals = || has_intervals.then(|| means.iter().map(MeanShare::interval).collect());
            self.trends.add(&self.field, round.number, &round.games, intervals);
        }
    }

    /// Ends the account: games of incomplete rounds go to the ratings, too.
    pub fn close(&mut self, ratings: &mut Ratings) {
        self.close_block(ratings);
        let rest: Vec<GameResult> = std::mem::replace(&mut self.rounds, Rounds::new(1)).rest().collect();
        rounds::blocks(&rest).for_each(|block| ratings.add(block));
        let intervals = self.has_intervals().then(|| self.means.iter().map(MeanShare::interval).collect());
        self.trends.finish(intervals);
    }

    fn close_block(&mut self, ratings: &mut Ratings) {
        self.likely_places = OnceLock::new();
        let block = std::mem::take(&mut self.block);
        if !block.is_empty() {
            ratings.add(&block);
            self.fairness.add_block(&block);
            if let [(one, of_one), (other, of_other)] = rounds::block_shares(&block)[..]
                && let (Some(one), Some(other)) = (self.field.index(one), self.field.index(other))
            {
                self.matches.add((one, of_one), (other, of_other));
            }
        }
    }

    /// Returns the probability with which all intervals are right.
    pub fn confidence(&self) -> f64 {
        1.0 - self.alpha_of_intervals
    }

    /// Returns the confidence interval of a bot's mean share, if there is one. The intervals of all bots hold
    /// simultaneously.
    pub fn mean(&self, bot: &BotName) -> Option<Interval> {
        let index = self.field.index(bot)?;
        match self.surety() {
            Surety::Always => Some(self.means.get(index)?.interval()),
            Surety::Once => self.matches.interval(index, self.alpha_of_intervals, self.field.len()),
            Surety::None => None,
        }
    }

    /// Returns the standard error of a bot's mean share; `None` before the second round, or without
    /// intervals. It is meant for a single look, and guarantees nothing if one looks again and again.
    pub fn standard_error(&self, bot: &BotName) -> Option<f64> {
        let index = self.field.index(bot)?;
        match self.surety() {
            Surety::Always => self.block_means.get(index)?.error(),
            Surety::Once => self.matches.error(index),
            Surety::None => None,
        }
    }

    /// Returns the best place that each bot has in 99 % of resamplings, by its place in the field.
    pub fn best_places(&self) -> Vec<usize> {
        self.likely.places_in(0.99).into_iter().map(|(best, _)| best).collect()
    }

    /// Returns the first and the last likely place of a bot: see [`likely`](crate::likely). Its place in the standings
    /// is always among them. `None` without rounds or matches.
    pub fn likely(&self, bot: &BotName) -> Option<(usize, usize)> {
        let found = self.likely_places.get_or_init(|| {
            let mut places = match self.surety() {
                Surety::Always => self.likely.places(),
                Surety::Once => self.matches.likely(self.field.len()),
                Surety::None => Vec::new(),
            };
            for line in self.standings() {
                if let Some((first, last)) = self.field.index(&line.bot).and_then(|bot| places.get_mut(bot)) {
                    (*first, *last) = (line.place.min(*first), line.place.max(*last));
                }
            }
            places
        });
        found.get(self.field.index(bot)?).copied()
    }

    /// Lists the bots that a bot is proven to be better than; `None` without proofs.
    pub fn behind(&self, bot: &BotName) -> Option<Vec<&BotName>> {
        let (index, bots) = (self.field.index(bot).filter(|_| self.has_intervals())?, self.field.bots());
        let behind = (0..bots.len()).filter(|other| self.race.proves(index, *other));
        Some(behind.map(|other| &bots[other]).collect())
    }

    /// Returns the interval of the difference of two bots' mean shares.
    pub fn difference(&self, one: &BotName, other: &BotName) -> Option<Interval> {
        if !self.has_intervals() {
            return None;
        }
        Some(self.race.difference(self.field.index(one)?, self.field.index(other)?))
    }

    /// Returns which intervals there are.
    pub fn surety(&self) -> Surety {
        if self.has_intervals() {
            Surety::Always
        } else if self.matches.is_empty() {
            Surety::None
        } else {
            Surety::Once
        }
    }

    /// Tells whether there are intervals and proofs that hold however often one looks.
    pub fn has_intervals(&self) -> bool {
        self.dealt.has_intervals()
    }
}

/// Which intervals a season has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surety {
    /// They hold however often one looks.
    Always,
    /// They hold for one look, after a number of games that was fixed before: see [`matches`](crate::matches).
    Once,
    /// None.
    None,
}
