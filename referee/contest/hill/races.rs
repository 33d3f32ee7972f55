//! `races.csv` of a hill: the bots that are in the race, in seasons until ranked with `racing = true`. A bot whose
//! pairs are all decided leaves the race: it only fills tables, and a table without a bot in the race is not played.
//!
//! Who is in the race follows from the results: after each [`STAGE`] rounds it is looked up which bots have a pair that
//! is undecided. The file says what was found, so that a reader of the hill knows its games without that computation.
//! An audit repeats it.

use crate::hill::Hill;
pub use crate::hill::race_rows::{Race, RaceRow, STAGE};
use crate::hill::race_rows::{file_of, is_looked_at};
use crate::hill::seasons::Season;
use crate::publish;
use referee_files::small;
use referee_record::error::{Error, ErrorKind};
use referee_statistics::rating::Ratings;
use referee_statistics::season::SeasonAccount;

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

impl Hill {
    /// Returns the number of games in a round of a season.
    pub fn games_in(&self, season: &Season, round: u32) -> usize {
        self.lengths(season)(round)
    }

    /// Returns the numbers of games in the rounds of a season. Only rounds of a race need a deal.
    pub fn lengths(&self, season: &Season) -> impl Fn(u32) -> usize {
        let whole = self.round_games(season.bots.len());
        move |round| match season.race_of(round) {
            Some(_) => self.games_of(season, round).len(),
            None => whole,
        }
    }

    /// Settles who is in the race from the next round on, if it is looked at now. `account` has all games before it. To
    /// be called before the first game of that round is known to anybody.
    pub(super) fn settle_race(&self, season: &Season, account: &SeasonAccount) -> Result<(), Error> {
        if !season.terms.is_racing || !is_looked_at(account.rounds() + 1) {
            return Ok(());
        }
        let _lock = self.lock_field()?;
        let seasons = self.seasons()?;
        let Some(season) = seasons.iter().find(|known| known.number == season.number) else { return Ok(()) };
        if season.races.last().is_some_and(|last| last.round > account.rounds()) {
            return Ok(()); // by another runner, from the same results
        }
        let Some(race) = following(season, account) else { return Ok(()) };
        let row = RaceRow::new(season.number, &race);
        // Rows of an earlier season are never added later.
        let text = small::changed(file_of(&self.root), |rows: &mut Vec<RaceRow>| rows.push(row))?;
        publish::replace(file_of(&self.root), &text)?;
        self.forget();
        Ok(())
    }
}

/// Checks that each race follows from the results.
///
/// # Errors
///
/// Names the first that does not.
pub(super) fn audit(hill: &Hill) -> Result<(), Error> {
    let spot = file_of(&hill.root);
    let seasons = hill.seasons()?;
    let wrong = |what: String| Err(Error::new(ErrorKind::Failed, what).at(spot.path()));
    for season in &seasons {
        if !season.terms.is_racing {
            if let Some(race) = season.races.first() {
                return wrong(format!(
                    "season {} has no race, but one in round {}",
                    season.number, race.round
                ));
            }
            continue;
        }
        let rule = season.terms.rule.in_season(season.number);
        let dealt = hill.dealt(season.bots.len()).with_race();
        let mut account = SeasonAccount::for_verdict(season.number, &season.bots, dealt, rule);
        let mut none = Ratings::default();
        // A verdict rests on what is there now.
        hill.given_up.forget();
        for (place, bots) in hill.given_up(season)? {
            account.shorten(place.round, hill.games_in(season, place.round));
            account.leave_out(place, bots, &mut none);
        }
        let (mut last, mut due) = (0, Vec::new());
        for game in hill.games()? {
            let game = game?;
            let Some(place) = game.scheduled().filter(|place| place.season == season.number) else {
                continue;
            };
            if place.round != last {
                last = place.round;
                account.shorten(last, hill.games_in(season, last));
            }
            let before = account.rounds();
            account.add(game, &mut none);
            let passed = (before + 1..=account.rounds()).rfind(|round| is_looked_at(round + 1));
            match passed {
                Some(round) if round == account.rounds() => due.extend(following(season, &account)),
                Some(round) => {
                    let number = season.number;
                    return wrong(format!(
                        "season {number}: later games were played before round {round} had ended"
                    ));
                }
                None => {}
            }
        }
        // Who would be in the race after the last round need not be known yet.
        let next = account.rounds() + 1;
        let found = season.races.iter().find(|race| !due.contains(race));
        let missing = due.iter().find(|race| race.round < next && !season.races.contains(race));
        if let Some(race) = found.or(missing) {
            let (season, round) = (season.number, race.round);
            return wrong(format!("season {season}: the results give another race from round {round} on"));
        }
    }
    Ok(())
}
