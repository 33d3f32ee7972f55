//! The account of a hill: its last season and the ratings after it, gathered game by game. Games of a run are added
//! as they end, so nothing is read twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::hill::Hill;
use referee_record::BotName;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::results::Scheduled;
use referee_statistics::outlook::Proof;
use referee_statistics::past::SeasonPast;
use referee_statistics::rating::Ratings;

use crate::fixture::Fixture;
use crate::hill::seasons::{self, Season};
use crate::runner::GameEnd;
use referee_statistics::season::{Dealt, SeasonAccount};
use referee_statistics::stop_rule::StopRule;
use referee_statistics::verdict::VerdictRow;

/// The purpose of the account.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// Some rounds. The alpha of the rule is that of intervals.
    Rounds(StopRule),
    /// A verdict by this rule.
    Clear(StopRule),
}

/// The account of the last season of a hill, and the ratings after it.
#[derive(Debug)]
pub struct HillAccount<'a> {
    hill: &'a Hill,
    goal: Goal,
    seasons: Vec<Season>,
    ratings: Ratings,
    last: Option<SeasonAccount>,
    /// The seasons with games before the last one.
    past: Vec<Arc<SeasonPast>>,
    /// The games of the last season that were left out because they were given up.
    given_up: BTreeSet<Scheduled>,
    /// Games of later seasons are left out.
    pub(super) last_season: u32,
    /// The length of the round that was looked up last.
    length: Option<RoundLength>,
    /// The accounts of the last two seasons, as long as they have no game. They are begun early, because games of
    /// earlier seasons count for them.
    ahead: Vec<Ahead>,
}

/// The number of games of a round of a race, which takes long to find out.
#[derive(Clone, Copy, Debug)]
struct RoundLength {
    season: u32,
    round: u32,
    games: usize,
}

/// The account of a season that has no game yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Ahead {
    account: SeasonAccount,
    /// How the earlier seasons are dealt whose games count for it, by their numbers.
    earlier: BTreeMap<u32, Dealt>,
}

/// What an account has counted, to go on from there.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Counted {
    ratings: Ratings,
    last: Option<SeasonAccount>,
    past: Vec<Arc<SeasonPast>>,
    given_up: BTreeSet<Scheduled>,
    ahead: Vec<Ahead>,
    /// All games that were given up then, in any season.
    all_given_up: BTreeSet<Scheduled>,
}

impl<'a> HillAccount<'a> {
    /// Begins without a game.
    pub(super) fn begin(hill: &'a Hill, goal: Goal) -> Result<HillAccount<'a>, Error> {
        let seasons = hill.seasons()?;
        let last_season = seasons.last().map_or(0, |last| last.number);
        let mut account = HillAccount {
            hill,
            goal,
            seasons,
            last_season,
            ratings: Ratings::default(),
            last: None,
            past: Vec::new(),
            given_up: BTreeSet::new(),
            length: None,
            ahead: Vec::new(),
        };
        account.look_ahead(last_season)?;
        Ok(account)
    }

    /// Returns what it has counted.
    pub(super) fn counted(&self) -> Result<Counted, Error> {
        Ok(Counted {
            ratings: self.ratings.clone(),
            last: self.last.clone(),
            past: self.past.clone(),
            given_up: self.given_up.clone(),
            ahead: self.ahead.clone(),
            all_given_up: self.hill.all_given_up()?,
        })
    }

    /// Goes on from what was counted. `None` if a game was given up since then that is not of the last season, or
    /// counts for a later one: its season has been counted already, so all results must be read again.
    pub(super) fn go_on(
        hill: &'a Hill,
        goal: Goal,
        counted: Counted,
    ) -> Result<Option<HillAccount<'a>>, Error> {
        let Counted { ratings, last, past, given_up, ahead, all_given_up } = counted;
        let now = hill.all_given_up()?;
        let is_of_last = |place: &Scheduled| {
            last.as_ref().is_some_and(|last| last.number == place.season)
                && !ahead.iter().any(|ahead| ahead.earlier.contains_key(&place.season))
        };
        if !now.is_superset(&all_given_up) || !now.difference(&all_given_up).all(is_of_last) {
            return Ok(None);
        }
        let seasons = hill.seasons()?;
        let last_season = seasons.last().map_or(0, |last| last.number);
        let length = None;
        let mut account =
            HillAccount { hill, goal, seasons, ratings, last, past, given_up, last_season, length, ahead };
        account.renew()?;
        Ok(Some(account))
    }

    /// Begins the accounts of the last two seasons up to this one.
    pub(super) fn look_ahead(&mut self, last_season: u32) -> Result<(), Error> {
        let until = self.seasons.iter().filter(|season| season.number <= last_season).count();
        let last = &self.seasons[until.saturating_sub(2)..until];
        let ahead = last.iter().map(|season| {
            let mut account = self.season(season.number);
            let mut dealt_by_season = BTreeMap::new();
            for earlier in earlier(&self.seasons, season.number) {
                let dealt = self.hill.dealt_in(earlier);
                for (place, bots) in self.hill.given_up(earlier)? {
                    account.shorten_before(dealt, place, self.hill.games_in(earlier, place.round));
                    account.carry_left_out(dealt, place, bots);
                }
                dealt_by_season.insert(earlier.number, dealt);
            }
            Ok(Ahead { account, earlier: dealt_by_season })
        });
        self.ahead = ahead.collect::<Result<Vec<Ahead>, Error>>()?;
        Ok(())
    }

    /// Returns the account of a season without games.
    fn season(&self, number: u32) -> SeasonAccount {
        let season = self.seasons.iter().find(|season| season.number == number);
        let bots = season.map_or(&[][..], |season| &season.bots);
        let shown_alpha = match self.goal {
            Goal::Rounds(rule) => rule.alpha,
            Goal::Clear(_) => StopRule::default().alpha,
        };
        // By the rule in seasons.csv, not by the options of this run, so that all see the same standings.
        let rule = self.rule_of(number).in_season(number);
        let dealt = season.map_or_else(|| self.hill.dealt(bots.len()), |season| self.hill.dealt_in(season));
        let account = SeasonAccount::new(number, bots, dealt, rule, shown_alpha);
        let mut account = account.with_teams(self.hill.entry().teams());
        account.set_apart(season.and_then(|season| season.races.last()).map(|race| &*race.bots));
        account
    }

    /// Returns the rule of a season's verdict, with an alpha for all seasons.
    fn rule_of(&self, number: u32) -> StopRule {
        let settings = self.hill.settings();
        let known = self.seasons.iter().find(|known| known.number == number);
        known.map_or_else(|| settings.rule(), |known| known.terms.rule)
    }

    /// Counts a game for the standings of later seasons.
    fn carry(&mut self, game: &GameResult) {
        let Some(place) = game.scheduled() else { return };
        let length = if self.ahead.is_empty() { None } else { self.length_of(place) };
        for Ahead { account, earlier } in &mut self.ahead {
            let Some(dealt) = earlier.get(&place.season) else { continue };
            if let Some(games) = length {
                account.shorten_before(*dealt, place, games);
            }
            account.carry(*dealt, game);
        }
    }

    /// Takes out the account of a season before its first game, with the games of earlier seasons that count for it. If
    /// the season was not listed when this reading began, these games are read again.
    fn take_ahead(&mut self, number: u32) -> Result<SeasonAccount, Error> {
        if let Some(at) = self.ahead.iter().position(|ahead| ahead.account.number == number) {
            return Ok(self.ahead.remove(at).account);
        }
        let is_last = self.seasons.last().is_some_and(|last| last.number == number);
        if !is_last || earlier(&self.seasons, number).next().is_none() {
            return Ok(self.season(number));
        }
        self.look_ahead(number)?;
        self.ahead.retain(|ahead| ahead.account.number == number);
        for game in self.hill.games()? {
            self.carry(&game?);
        }
        Ok(self.ahead.pop().map_or_else(|| self.season(number), |ahead| ahead.account))
    }

    /// Takes the next game of the results.
    pub fn add(&mut self, game: GameResult) -> Result<(), Error> {
        let Some(number) = game.scheduled().map(|place| place.season) else { return Ok(()) };
        if number > self.last_season {
            return Ok(());
        }
        self.carry(&game);
        if self.last.as_ref().is_none_or(|last| last.number < number) {
            self.open(number)?;
        }
        let length = game.scheduled().and_then(|place| self.length_of(place));
        match &mut self.last {
            Some(last) if last.number == number => {
                let round = game.scheduled().map_or(0, |place| place.round);
                if let Some(games) = length {
                    last.shorten(round, games);
                }
                last.add(game, &mut self.ratings);
            }
            // Of an earlier season, in results that somebody has joined: the ratings alone count it.
            _ => self.ratings.add(&[game]),
        }
        Ok(())
    }

    /// Returns the number of games of the round of a game, if bots have left the race.
    fn length_of(&mut self, place: Scheduled) -> Option<usize> {
        let season = self.seasons.iter().find(|season| season.number == place.season)?;
        season.race_of(place.round)?;
        let Scheduled { season: number, round, .. } = place;
        let games = match self.length {
            Some(known) if (known.season, known.round) == (number, round) => known.games,
            _ => self.hill.games_in(season, round),
        };
        self.length = Some(RoundLength { season: number, round, games });
        Some(games)
    }

    /// Takes the seasons as they are now, with their races.
    pub(super) fn set_seasons(&mut self, seasons: Vec<Season>) {
        self.seasons = seasons;
        let Some(last) = &mut self.last else { return };
        let season = self.seasons.iter().find(|season| season.number == last.number);
        last.set_apart(season.and_then(|season| season.races.last()).map(|race| &*race.bots));
    }

    /// Reads the seasons again, and leaves out the games of the last one that were given up meanwhile. After this it
    /// can take games that were not yet played when it was begun.
    pub fn renew(&mut self) -> Result<(), Error> {
        self.set_seasons(self.hill.seasons()?);
        let Some(last) = &mut self.last else { return Ok(()) };
        let Some(season) = self.seasons.iter().find(|season| season.number == last.number) else {
            return Ok(());
        };
        for (place, bots) in self.hill.given_up(season)? {
            if self.given_up.insert(place) {
                last.shorten(place.round, self.hill.games_in(season, place.round));
                last.leave_out(place, bots, &mut self.ratings);
            }
        }
        Ok(())
    }

    /// Closes the account of the season before, and begins that of the next one.
    ///
    /// # Errors
    ///
    /// If no such season is listed, or a file of the hill is damaged.
    fn open(&mut self, number: u32) -> Result<(), Error> {
        let is_listed = |seasons: &[Season]| seasons.iter().any(|season| season.number == number);
        if !is_listed(&self.seasons) && !is_listed(&self.hill.seasons()?) {
            return Err(seasons::not_listed(self.hill.root(), number));
        }
        if let Some(last) = &mut self.last {
            last.close(&mut self.ratings);
            // A season without games is skipped, as a reading of the results does not see it.
            if last.has_games() {
                self.past.push(Arc::new(last.ended()));
            }
        }
        let mut account = self.take_ahead(number)?;
        if let Goal::Clear(rule) = self.goal {
            let StopRule { min_rounds, max_rounds, .. } = rule;
            let rule = StopRule { min_rounds, max_rounds, ..self.rule_of(number) };
            account.watch_for(rule.in_season(number));
        }
        if let Some(season) = self.seasons.iter().find(|season| season.number == number) {
            for (place, bots) in self.hill.given_up(season)? {
                account.shorten(place.round, self.hill.games_in(season, place.round));
                account.leave_out(place, bots, &mut self.ratings);
                self.given_up.insert(place);
            }
        }
        self.last = Some(account);
        Ok(())
    }

    /// Continues with the season of a run.
    pub(super) fn begin_season(&mut self, number: u32) -> Result<(), Error> {
        self.seasons = self.hill.seasons()?;
        self.last_season = number;
        if self.last.as_ref().is_none_or(|last| last.number < number) {
            self.open(number)?;
        }
        Ok(())
    }

    /// Returns how far the proof of the last season is.
    pub fn proof(&self) -> Option<Proof> {
        self.last.as_ref()?.proof()
    }

    /// Takes the end of a game that was just played.
    pub fn take(&mut self, fixture: &Fixture, end: GameEnd) {
        let place = fixture.scheduled.expect("a game of a hill has a place");
        let length = self.length_of(place);
        let Some(last) = &mut self.last else { return };
        if let Some(games) = length {
            last.shorten(place.round, games);
        }
        match end {
            GameEnd::Over(rows) => last.add(rows, &mut self.ratings),
            GameEnd::Void(_) => {
                let counting = fixture.entrants.iter().filter(|(seat, _)| !fixture.fillers.contains(seat));
                let bots = counting.map(|(_, bot)| bot.name.clone()).collect();
                last.leave_out(place, bots, &mut self.ratings);
            }
        }
    }

    /// Returns the verdict of the season, if there is one and the goal is [`Goal::Clear`].
    pub fn verdict(&self) -> Option<&VerdictRow> {
        self.last.as_ref()?.watch.as_ref()?.verdict()
    }

    /// Returns the seasons with games before the last one.
    pub fn past(&self) -> &[Arc<SeasonPast>] {
        &self.past
    }

    /// Returns the account of the last season as if the results ended here, and the ratings; `None` if it has no game.
    pub fn so_far(&self) -> Option<(SeasonAccount, Ratings)> {
        let (mut last, mut ratings) = (self.last.clone()?, self.ratings.clone());
        last.close(&mut ratings);
        if last.has_games() { Some((last, ratings)) } else { None }
    }

    /// Makes sure that no game is missing before a listed one of the season that is still played.
    pub(super) fn check_order(&self) -> Result<(), Error> {
        let (Some(last), Some(season)) = (&self.last, self.seasons.last()) else { return Ok(()) };
        match last.gap() {
            Some(round) if last.number == season.number => Err(self.hill.lacks(last.number, round)),
            _ => Ok(()),
        }
    }

    /// Closes the account of a season, or of the last one, and returns it with the ratings after it; `None` if it has
    /// no game.
    pub fn finish(mut self, season: Option<u32>) -> Option<(SeasonAccount, Ratings)> {
        let mut last = self.last?;
        last.close(&mut self.ratings);
        let is_asked_for = season.is_none_or(|season| last.number == season);
        if is_asked_for && last.has_games() { Some((last, self.ratings)) } else { None }
    }
}

/// Lists the seasons before this one whose games count for its standings: those with the same terms of games, and at
/// least two bots that are still there.
fn earlier(seasons: &[Season], number: u32) -> impl Iterator<Item = &Season> {
    let current = seasons.iter().find(|season| season.number == number);
    seasons.iter().filter(move |season| {
        current.is_some_and(|current| {
            let has_stayed = |bot: &&BotName| current.bots.contains(bot);
            season.number < number
                && season.terms.games == current.terms.games
                && season.bots.iter().filter(has_stayed).count() > 1
        })
    })
}
