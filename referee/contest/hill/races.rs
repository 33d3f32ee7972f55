//! Who is in the race, in seasons until ranked with `racing = true`. A bot whose pairs are all decided leaves the race:
//! it only fills tables, and a table without a bot in the race is not played.
//!
//! The race follows from the results alone: after each [`STAGE`] rounds it is looked up which bots have a pair that is
//! undecided. No file says it. Who reads a hill reads its results once for that, and then what is new of them.

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
    read: Option<results::Place>,
    of_season: BTreeMap<u32, Vec<Race>>,
    /// The season of the last game that was read, with its games so far.
    last: Option<Box<SeasonAccount>>,
    /// That season, with its races so far.
    season: Option<Season>,
    /// The games that it has left out because they were given up.
    left_out: BTreeSet<Scheduled>,
    /// The round of the last game that was read.
    round: u32,
}

impl Races {
    /// Reads what is new, and returns the races of each season.
    pub(super) fn read_on(
        &mut self,
        hill: &Hill,
        seasons: &[Season],
    ) -> Result<BTreeMap<u32, Vec<Race>>, Error> {
        // What an error leaves half done is begun again.
        let mut races = std::mem::take(self);
        races.follow(hill, seasons)?;
        *self = races;
        Ok(self.of_season.clone())
    }

    fn follow(&mut self, hill: &Hill, seasons: &[Season]) -> Result<(), Error> {
        let results = folder::results_of(&hill.root);
        if !results.exists() {
            *self = Races::default();
            return Ok(());
        }
        let behind = match &self.read {
            Some(place) if self.left_out.is_subset(&hill.all_given_up()?) => {
                results::games_behind(&results, place)?
            }
            _ => None,
        };
        let mut games = match behind {
            Some(games) => games,
            None => {
                *self = Races::default();
                results::games(&results)?
            }
        };
        for game in games.by_ref() {
            let game = GameResult::of(game?);
            let Some(place) = game.scheduled() else { continue };
            let of_game = |season: &&Season| season.number == place.season && season.terms.is_racing;
            let Some(season) = seasons.iter().find(of_game) else { continue };
            let mut season = self.open(hill, season);
            if self.round != place.round {
                self.leave_out(hill, &mut season)?;
                self.round = place.round;
                let games = hill.games_in(&season, place.round);
                self.last.iter_mut().for_each(|account| account.shorten(place.round, games));
            }
            self.count(&mut season, |account| account.add(game, &mut Ratings::default()));
            self.season = Some(season);
        }
        if let Some(mut season) = self.season.take() {
            self.leave_out(hill, &mut season)?;
            self.season = Some(season);
        }
        self.read = results::Place::of(&results, &games)?;
        Ok(())
    }

    /// Begins the account of a season, unless it is begun. Returns the season with its races so far.
    fn open(&mut self, hill: &Hill, season: &Season) -> Season {
        match self.season.take() {
            Some(open) if open.number == season.number => return open,
            _ => {}
        }
        if self.last.as_ref().is_none_or(|last| last.number != season.number) {
            let rule = season.terms.rule.in_season(season.number);
            let dealt = hill.dealt_in(season);
            let account = SeasonAccount::for_verdict(season.number, &season.bots, dealt, rule);
            self.last = Some(Box::new(account.with_teams(hill.entry().teams())));
            (self.left_out, self.round) = (BTreeSet::new(), 0);
        }
        let mut season = season.clone();
        season.races = self.of_season.get(&season.number).cloned().unwrap_or_default();
        season
    }

    /// Leaves out the games of the round in progress that were given up, and those of the rounds that follow it then.
    fn leave_out(&mut self, hill: &Hill, season: &mut Season) -> Result<(), Error> {
        while let Some(open) = self.last.as_ref().map(|last| last.rounds() + 1) {
            let given_up = hill.given_up(season)?.into_iter();
            let left_out =
                given_up.filter(|(place, _)| place.round <= open && !self.left_out.contains(place));
            let left_out: Vec<_> = left_out.collect();
            if left_out.is_empty() {
                break;
            }
            for (place, bots) in left_out {
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

    /// Counts a game. If all rounds up to a look have ended then, it looks who is in the race.
    fn count(&mut self, season: &mut Season, count: impl FnOnce(&mut SeasonAccount)) {
        let Some(account) = &mut self.last else { return };
        let before = account.rounds();
        count(account);
        if account.rounds() > before
            && account.rounds().is_multiple_of(STAGE)
            && let Some(race) = following(season, account)
        {
            season.races.push(race.clone());
            self.of_season.entry(season.number).or_default().push(race);
        }
    }
}

/// Returns the race that these results begin, if it is another one than before: of the bots that have an undecided
/// pair; of all, if none is left.
fn following(season: &Season, account: &SeasonAccount) -> Option<Race> {
    let round = account.rounds() + 1;
    let all = || (0..season.bots.len()).collect::<Vec<usize>>();
    let open = account.race.open();
    let bots = if open.is_empty() { all() } else { open };
    let before = season.race_of(round - 1).map_or_else(all, <[usize]>::to_vec);
    (bots != before).then_some(Race { round, bots })
}
