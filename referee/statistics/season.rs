//! The account of one season, updated game by game. Its size does not grow with their number.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::confidence::{Interval, MeanShare};
use crate::contenders::Forecast;
use crate::fairness::Fairness;
use crate::matches::Matches;
use crate::pairs::Pairs;
use crate::ranks::{Ranks, Showing};
use crate::rating::Ratings;
pub use crate::rounds::Dealt;
use crate::rounds::{self, Field, Plain, Round, Rounds};
use crate::standings::{Standing, Sums};
use crate::stop_rule::{Race, StopRule, Verdict};
use crate::trends::Trends;
use crate::verdict::VerdictWatch;
use referee_record::BotName;
use referee_record::game_result::GameResult;
use referee_record::results::{ResultRow, Scheduled};
use referee_record::text::count;

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
    ranks: Ranks,
    /// In a season without rounds.
    matches: Matches,
    /// By bot: its block means.
    plain: Vec<Plain>,
    /// Whether it collects more than standings and a verdict.
    tells_all: bool,
    dealt: Dealt,
    rounds: Rounds,
    /// In a season without rounds: the games of the current block.
    block: Vec<GameResult>,
    games: u64,
    /// By number: the rounds of earlier seasons.
    before: BTreeMap<u32, Rounds>,
    carried: u64,
    shown: f64,
    /// The bots that sit out, since all their pairs are decided.
    sits_out: Vec<usize>,
}

impl SeasonAccount {
    /// Begins the account of a season with this field. `rule` is that of its verdict. All intervals of means together
    /// are right with a probability of `1 - shown`, however often one looks; so are all ranks, and all differences.
    pub fn new(number: u32, bots: &[BotName], dealt: Dealt, rule: StopRule, shown: f64) -> SeasonAccount {
        let means = vec![MeanShare::new(shown / bots.len().max(1) as f64); bots.len()];
        let race = Race::new(rule, bots.len(), shown);
        let plain = vec![Plain::default(); bots.len()];
        let ranks = Ranks::new(shown, bots.len());
        let ranks = if dealt.is_apart() { ranks.without_levelling() } else { ranks };
        SeasonAccount {
            means,
            plain,
            ranks,
            shown,
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
            race: race.levelled(!dealt.is_apart()),
            pairs: Pairs::default(),
            fairness: Fairness::new(dealt),
            trends: Trends::default(),
            watch: None,
            plain: Vec::new(),
            means: Vec::new(),
            ranks: Ranks::new(1.0, 0),
            matches: Matches::default(),
            tells_all: false,
            dealt,
            rounds: Rounds::new(dealt.round_games()),
            block: Vec::new(),
            games: 0,
            before: BTreeMap::new(),
            carried: 0,
            shown: 1.0,
            sits_out: Vec::new(),
            field: Field::new(bots.iter().cloned()),
        }
    }

    /// Asks for the verdict by this rule from the next round on.
    pub fn watch_for(&mut self, rule: StopRule) {
        self.watch = Some(VerdictWatch::new(self.number, self.field.clone(), self.dealt, rule));
    }

    /// Adds a game. Games of rounds that it completes go to the ratings.
    pub fn add(&mut self, game: GameResult, ratings: &mut Ratings) {
        let game = self.race.rule().rank_by.counted(game);
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

    /// Takes a game of an earlier season, whose deals are these. If all its bots play in this season, unchanged, it
    /// counts for standings, ranks and intervals. It does not count for a verdict.
    pub fn carry(&mut self, dealt: Dealt, game: &GameResult) {
        let Some(place) = game.scheduled() else { return };
        let game = &self.race.rule().rank_by.counted(game.clone());
        if self.is_of_field(game.iter().map(|row| &row.bot)) {
            self.sums.add(&game.iter().collect::<Vec<_>>());
            self.carried += 1;
        }
        if self.says_how_sure() && dealt.says_how_sure() {
            let complete = self.rounds_before(place.season, dealt).add(game.clone());
            self.carry_rounds(complete);
        }
    }

    /// Likewise, a game of these bots that did not count.
    pub fn carry_left_out(&mut self, dealt: Dealt, place: Scheduled, bots: Vec<BotName>) {
        if self.says_how_sure() && dealt.says_how_sure() {
            let complete = self.rounds_before(place.season, dealt).leave_out(place, bots);
            self.carry_rounds(complete);
        }
    }

    fn rounds_before(&mut self, season: u32, dealt: Dealt) -> &mut Rounds {
        self.before.entry(season).or_insert_with(|| Rounds::new(dealt.round_games()))
    }

    fn carry_rounds(&mut self, complete: Vec<Round>) {
        for mut round in complete {
            round.games.retain(|game| self.is_of_field(game.iter().map(|row| &row.bot)));
            round.void.retain(|bots| self.is_of_field(bots));
            self.count(&round.showings(&self.field));
        }
    }

    fn is_of_field<'a>(&self, bots: impl IntoIterator<Item = &'a BotName>) -> bool {
        bots.into_iter().all(|bot| self.field.index(bot).is_some())
    }

    /// Counts a round for standard errors, intervals and ranks.
    fn count(&mut self, showings: &[Option<Showing>]) {
        for ((plain, interval), showing) in self.plain.iter_mut().zip(&mut self.means).zip(showings) {
            if let Some(Showing { share, .. }) = showing {
                plain.add((share.lower + share.upper) / 2.0);
                interval.add_within(*share);
            }
        }
        self.ranks.add_round(showings);
    }

    /// Returns the standings, best first. When a field that is to be ranked is ranked, they have its places.
    pub fn standings(&self) -> Vec<Standing> {
        let mut standings = self.sums.standings();
        if let Some(Verdict::Ranked { places, .. }) =
            self.race.verdict().filter(|_| self.race.rule().bands.is_none())
        {
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

    /// Likewise, for a round of the season of this game, an earlier one whose deals are these.
    pub fn shorten_before(&mut self, dealt: Dealt, place: Scheduled, games: usize) {
        if self.says_how_sure() && dealt.says_how_sure() {
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

    /// Returns the number of complete rounds, counted from the first.
    pub fn rounds(&self) -> u32 {
        self.race.rounds()
    }

    /// Returns the number of complete rounds. Of a season without intervals, only the looks at it tell.
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
        let complete = self.rounds.leave_out(place, bots);
        self.close_rounds(complete, ratings);
    }

    fn close_rounds(&mut self, complete: Vec<Round>, ratings: &mut Ratings) {
        for round in complete {
            if self.says_how_sure() {
                let showings = round.showings(&self.field);
                if self.tells_all {
                    self.count(&showings);
                }
                self.race.add_showings(&showings);
                self.watch.iter_mut().for_each(|watch| watch.look(round.number, &showings));
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
            let (is_sure, means) = (self.says_how_sure(), &self.means);
            let intervals = || is_sure.then(|| means.iter().map(MeanShare::interval).collect());
            self.trends.add(&self.field, round.number, &round.games, intervals);
        }
    }

    /// Ends the account: games of incomplete rounds go to the ratings, too.
    pub fn close(&mut self, ratings: &mut Ratings) {
        self.close_block(ratings);
        let rest: Vec<GameResult> = std::mem::replace(&mut self.rounds, Rounds::new(1)).rest().collect();
        rounds::blocks(&rest).for_each(|block| ratings.add(block));
        let intervals = self.says_how_sure().then(|| self.means.iter().map(MeanShare::interval).collect());
        self.trends.finish(intervals);
    }

    fn close_block(&mut self, ratings: &mut Ratings) {
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

    /// Returns the probability with which all intervals are right, and with which all ranks are.
    pub fn confidence(&self) -> f64 {
        1.0 - self.shown
    }

    /// Returns the confidence interval of a bot's mean share, if there is one. The intervals of all bots hold
    /// simultaneously.
    pub fn mean(&self, bot: &BotName) -> Option<Interval> {
        let index = self.field.index(bot)?;
        match self.surety() {
            Surety::Always => Some(self.means.get(index)?.interval()),
            Surety::Once => self.matches.interval(index, self.shown, self.field.len()),
            Surety::None => None,
        }
    }

    /// Returns the standard error of a bot's mean share; `None` before the second round, or without
    /// intervals. It is meant for a single look, and guarantees nothing if one looks again and again.
    pub fn standard_error(&self, bot: &BotName) -> Option<f64> {
        let index = self.field.index(bot)?;
        match self.surety() {
            Surety::Always => self.plain.get(index)?.error(),
            Surety::Once => self.matches.error(index),
            Surety::None => None,
        }
    }

    /// Returns a sentence about the leader, and about how many games are left until the lead is certain;
    /// `None` without intervals. `told` writes a difference of shares: `2.4 points`.
    pub fn outlook(&self, told: impl Fn(f64) -> String) -> Option<String> {
        let outlook = self.outlook_of_season(told)?;
        let before = match self.carried {
            0 => String::new(),
            _ => format!("A verdict counts season {} alone. ", self.number),
        };
        Some(before + &outlook)
    }

    fn outlook_of_season(&self, told: impl Fn(f64) -> String) -> Option<String> {
        self.says_how_sure().then_some(())?;
        if let Some((open, all)) = self.race.open_questions() {
            if self.race.rule().bands.is_some() {
                return Some(match open {
                    0 => "Each bot's band is known.".to_owned(),
                    _ => format!("The bands of {open} of {all} bots are still undecided."),
                });
            }
            let (pairs, are) =
                (if all == 1 { "pair" } else { "pairs" }, if open == 1 { "is" } else { "are" });
            return Some(match open {
                0 => "No pair of bots is undecided: the field is ranked.".to_owned(),
                _ => format!("{open} of {all} {pairs} of bots {are} still undecided."),
            });
        }
        if self.race.rounds() < OUTLOOK_LEAST {
            let rounds = count(self.race.rounds().into(), "round");
            return Some(format!("A forecast needs {OUTLOOK_LEAST} rounds; {rounds} so far."));
        }
        let name = |bot: usize| &self.field.bots()[bot].name;
        if let Some((king, companions)) = self.race.unconfirmed() {
            let beside: Vec<&str> = companions.iter().map(|bot| &**name(*bot)).collect();
            return Some(format!(
                "{} is ahead of all others, but does unexplained well beside {}: it is king once it is ahead without \
                 these rounds, too.",
                name(king),
                beside.join(", ")
            ));
        }
        let Forecast { leader, rival, lead, rounds, range } = self.race.forecast()?;
        let is_level = lead <= ROUNDED || (self.carried == 0 && self.share_a_place(leader, rival));
        let (leader, rival) = (name(leader), name(rival));
        let games = |rounds: u32| u64::from(rounds) * self.dealt.round_games() as u64;
        Some(match rounds.map(games) {
            _ if is_level => format!("{leader} and {rival} are level so far."),
            _ if lead < LEAD_TOLD => {
                format!("{leader} leads {rival} by less than {}: too close for a forecast.", told(LEAD_TOLD))
            }
            None => {
                format!("{leader} leads {rival} by {}; too early to say when it is a clear king.", told(lead))
            }
            Some(games_left) => {
                let bound = |rounds: u32| two_digits(games(rounds));
                let range = match range {
                    (Some(least), Some(most)) if least < most => {
                        format!(" ({} to {} in eight of ten cases)", bound(least), bound(most))
                    }
                    (Some(least), None) => format!(" (more than {} in nine of ten cases)", bound(least)),
                    _ => String::new(),
                };
                let games_left = two_digits(games_left);
                format!(
                    "{leader} leads {rival} by {}; about {games_left} more games until it is a clear king{range}.",
                    told(lead)
                )
            }
        })
    }

    /// Tells whether two bots have the same place in the standings.
    fn share_a_place(&self, one: usize, other: usize) -> bool {
        let standings = self.sums.standings();
        let place = |bot: usize| {
            let bot = &self.field.bots()[bot];
            standings.iter().find(|line| line.bot == *bot).map(|line| line.place)
        };
        place(one) == place(other)
    }

    /// Returns the number of further games after which it is certain who leads, at the current rate; `None` if it is
    /// too early to say.
    pub fn games_until_certain(&self) -> Option<u64> {
        self.says_how_sure().then_some(())?;
        let of_a_round = self.dealt.round_games() as u64;
        self.race.forecast()?.rounds.map(|rounds| u64::from(rounds) * of_a_round)
    }

    /// Returns the first and the last plausible place of a bot. A clear king by the rule of the verdict is first.
    pub fn ranks(&self, bot: &BotName) -> Option<(usize, usize)> {
        let index = self.field.index(bot)?;
        match self.surety() {
            Surety::Always => {}
            Surety::Once => return Some(self.matches.places(self.shown, self.field.len())[index]),
            Surety::None => return None,
        }
        let places = self.ranks.places();
        let (first, last) = *places.get(index)?;
        Some(match self.race.clear_king().filter(|king| places[*king].0 == 1) {
            Some(king) if king == index => (1, 1),
            Some(_) => (first.max(2), last.max(2)),
            None => (first, last),
        })
    }

    /// Lists the bots that are clearly behind a bot: the ranks count these pairs. `None` without ranks.
    pub fn behind(&self, bot: &BotName) -> Option<Vec<&BotName>> {
        let (index, bots) = (self.field.index(bot)?, self.field.bots());
        let is_king = || self.ranks(bot) == Some((1, 1));
        match self.surety() {
            Surety::Always if !is_king() => {
                let ahead = self.ranks.ahead().into_iter().filter(|(one, _)| *one == index);
                Some(ahead.map(|(_, other)| &bots[other]).collect())
            }
            Surety::None => None,
            _ => {
                // The last place of the one is before the first place of the other.
                let (_, last) = self.ranks(bot)?;
                let is_behind = |other: &&BotName| self.ranks(other).is_some_and(|(first, _)| last < first);
                Some(bots.iter().filter(is_behind).collect())
            }
        }
    }

    /// Returns the best and the worst possible band of a bot, if the season's rule has bands.
    pub fn band(&self, bot: &BotName) -> Option<(usize, usize)> {
        self.race.band(self.field.index(bot)?)
    }

    /// Returns the interval of the difference of two bots' mean shares.
    pub fn difference(&self, one: &BotName, other: &BotName) -> Option<Interval> {
        self.says_how_sure().then_some(())?;
        Some(self.race.difference(self.field.index(one)?, self.field.index(other)?))
    }

    /// Returns which intervals and ranks there are.
    pub fn surety(&self) -> Surety {
        match self.says_how_sure() {
            true => Surety::Always,
            false if self.matches.is_empty() => Surety::None,
            false => Surety::Once,
        }
    }

    /// Tells whether there are intervals and ranks that hold however often one looks.
    pub fn says_how_sure(&self) -> bool {
        self.dealt.says_how_sure()
    }
}

/// Which intervals and ranks a season has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surety {
    /// They hold however often one looks.
    Always,
    /// They hold for one look, after a number of games that was fixed before: see [`matches`](crate::matches).
    Once,
    /// None.
    None,
}

/// Minimum number of rounds for a forecast.
const OUTLOOK_LEAST: u32 = 10;

/// A lead below this can come from the rounding of sums.
const ROUNDED: f64 = 1e-9;

/// The smallest lead that a sentence gives as a number.
const LEAD_TOLD: f64 = 0.0005;

/// Rounds a number up to two digits.
pub fn two_digits(number: u64) -> u64 {
    let unit = 10u64.pow(number.max(1).ilog10().saturating_sub(1));
    number.div_ceil(unit) * unit
}
