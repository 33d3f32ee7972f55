//! The races of a hill: which bots are in the race, in seasons until ranked with `racing = true`. A bot whose pairs are
//! all decided leaves the race: it only fills tables, and a table without a bot in the race is not played.
//!
//! The race follows from the results alone, and no file says it: after each [`STAGE`] rounds, the bots with an
//! undecided pair are looked up. A process that opens a hill reads its results once for that, and later only what is
//! new of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::folder;
use crate::hill::Hill;
use crate::hill::seasons::{Race, Season};
use referee_files::results;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::results::Scheduled;
use referee_statistics::rating::Ratings;
use referee_statistics::season::SeasonAccount;

/// The number of rounds from one look at the race to the next.
pub(super) const STAGE: u32 = 10;

/// The races of a hill, as far as its results were read.
#[derive(Debug, Default)]
pub(super) struct Races {
    /// Where the results were read to.
    place: Option<results::Place>,
    by_season: BTreeMap<u32, Vec<Race>>,
    /// The account of the season of the game that was read last.
    account: Option<Box<SeasonAccount>>,
    /// That season, with its races so far.
    season: Option<Season>,
    /// The games of that season that were left out of the account because they were given up.
    left_out: BTreeSet<Scheduled>,
    /// The round of the game that was read last.
    round: u32,
}

impl Races {
    /// Reads what is new, and returns the races of each season.
    pub(super) fn read_on(
        &mut self,
        hill: &Hill,
        seasons: &[Season],
    ) -> Result<BTreeMap<u32, Vec<Race>>, Error> {
        // After an error, all is read again: what was read is taken out, and put back at the end.
        let mut races = std::mem::take(self);
        races.read_new_games(hill, seasons)?;
        *self = races;
        Ok(self.by_season.clone())
    }

    fn read_new_games(&mut self, hill: &Hill, seasons: &[Season]) -> Result<(), Error> {
        let results = folder::results_of(&hill.root);
        if !results.exists() {
            *self = Races::default();
            return Ok(());
        }
        let new_games = match &self.place {
            Some(place) if self.left_out.is_subset(&hill.all_given_up()?) => {
                results::games_behind(&results, place)?
            }
            _ => None,
        };
        let mut games = match new_games {
            Some(games) => games,
            None => {
                *self = Races::default();
                results::games(&results)?
            }
        };
        for game in games.by_ref() {
            let game = GameResult::of(game?);
            let Some(place) = game.scheduled() else { continue };
            let is_of_game = |season: &&Season| season.number == place.season && season.terms.is_racing;
            let Some(season) = seasons.iter().find(is_of_game) else { continue };
            let mut season = self.take_season(hill, season);
            if self.round != place.round {
                self.leave_out(hill, &mut season)?;
                self.round = place.round;
                if let Some(account) = &mut self.account {
                    account.shorten(place.round, hill.games_in(&season, place.round));
                }
            }
            self.count(&mut season, |account| account.add(game, &mut Ratings::default()));
            self.season = Some(season);
        }
        if let Some(mut season) = self.season.take() {
            self.leave_out(hill, &mut season)?;
            self.season = Some(season);
        }
        self.place = results::Place::of(&results, &games)?;
        Ok(())
    }

    /// Takes out this season, with its races so far. Begins its account, if that of another season is there.
    fn take_season(&mut self, hill: &Hill, season: &Season) -> Season {
        if let Some(current) = self.season.take()
            && current.number == season.number
        {
            return current;
        }
        if self.account.as_ref().is_none_or(|account| account.number != season.number) {
            let rule = season.terms.rule.in_season(season.number);
            let dealt = hill.dealt_in(season);
            let account = SeasonAccount::for_verdict(season.number, &season.bots, dealt, rule);
            self.account = Some(Box::new(account.with_teams(hill.entry().teams())));
            (self.left_out, self.round) = (BTreeSet::new(), 0);
        }
        let mut season = season.clone();
        season.races = self.by_season.get(&season.number).cloned().unwrap_or_default();
        season
    }

    /// Leaves out the games that were given up, up to the first round that is not complete. If they complete it, goes
    /// on with the round that is then the first.
    fn leave_out(&mut self, hill: &Hill, season: &mut Season) -> Result<(), Error> {
        while let Some(account) = &self.account {
            let round = account.rounds() + 1;
            let mut given_up = hill.given_up(season)?;
            given_up.retain(|(place, _)| place.round <= round && !self.left_out.contains(place));
            if given_up.is_empty() {
                break;
            }
            for (place, bots) in given_up {
                self.left_out.insert(place);
                let games = hill.games_in(season, place.round);
                self.count(season, |account| {
                    account.shorten(place.round, games);
                    account.leave_out(place, bots, &mut Ratings::default());
                });
            }
        }
        Ok(())
    }

    /// Counts a game. If it completes the last round before a look at the race, begins the next race.
    fn count(&mut self, season: &mut Season, count: impl FnOnce(&mut SeasonAccount)) {
        let Some(account) = &mut self.account else { return };
        let rounds_before = account.rounds();
        count(account);
        if account.rounds() > rounds_before
            && account.rounds().is_multiple_of(STAGE)
            && let Some(race) = next_race(season, account)
        {
            season.races.push(race.clone());
            self.by_season.entry(season.number).or_default().push(race);
        }
    }
}

/// Returns the race from the next round on, if it is another one than before: of the bots that have an undecided pair;
/// of all, if no pair is undecided.
fn next_race(season: &Season, account: &SeasonAccount) -> Option<Race> {
    let round = account.rounds() + 1;
    let all = || (0..season.bots.len()).collect::<Vec<usize>>();
    let undecided = account.race.open();
    let bots = if undecided.is_empty() { all() } else { undecided };
    let bots_before = season.race_of(round - 1).map_or_else(all, <[usize]>::to_vec);
    if bots == bots_before { None } else { Some(Race { round, bots }) }
}
