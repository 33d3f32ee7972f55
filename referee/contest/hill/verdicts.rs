//! The verdicts of a hill, compared with its results.

use crate::hill::Hill;
use crate::hill::seasons::Season;
use crate::hill::terms::without_rounds;
use crate::verdicts;
use referee_record::error::Error;
use referee_statistics::rating::Ratings;
use referee_statistics::season::SeasonAccount;
use referee_statistics::stop_rule::StopRule;
use referee_statistics::verdict::{VerdictRow, VerdictWatch};

/// Reads the verdicts of a hill, and checks that each follows from the results.
///
/// # Errors
///
/// Names the first row that does not.
pub(super) fn audit(hill: &Hill) -> Result<(), Error> {
    let path = verdicts::file_of(hill.root());
    for (index, row) in verdicts::read(hill.root())?.iter().enumerate() {
        let wrong = |what: String| Error::line(&path, index as u64 + 2, what);
        if let Some(fault) = row.rule().fault() {
            return Err(wrong(fault));
        }
        let seasons = hill.seasons()?;
        let season = seasons.iter().find(|season| season.number == row.season);
        let season = season.ok_or_else(|| wrong(format!("seasons.csv lists no season {}", row.season)))?;
        let played = played(hill, season, row.rule())?;
        match played.watch.as_ref().and_then(VerdictWatch::verdict) {
            Some(expected) if expected == row => {}
            Some(expected) => {
                let VerdictRow { round, verdict, .. } = expected;
                let (verdict, named) = (verdict.name(), expected.named());
                return Err(wrong(format!("the results give {verdict} in round {round}: {named}")));
            }
            None => {
                let rounds = played.race.rounds();
                return Err(wrong(format!("the results give no verdict after {rounds} rounds")));
            }
        }
        let (rule, found) = (season.terms.rule.in_season(season.number), row.rule());
        if without_rounds(rule) != without_rounds(found) {
            return Err(wrong(format!("season {} began with another rule: {rule}", season.number)));
        }
    }
    Ok(())
}

/// Returns the account of a season's games so far.
fn played(hill: &Hill, season: &Season, rule: StopRule) -> Result<SeasonAccount, Error> {
    let (number, bots) = (season.number, &season.bots);
    let account = SeasonAccount::for_verdict(number, bots, hill.dealt_in(season), rule);
    let mut account = account.with_teams(hill.entry().teams());
    account.watch_for(rule);
    let mut none = Ratings::default();
    // A verdict rests on what is there now.
    hill.given_up.forget();
    for (place, bots) in hill.given_up(season)? {
        account.shorten(place.round, hill.games_in(season, place.round));
        account.leave_out(place, bots, &mut none);
    }
    let mut last = 0;
    for game in hill.games()? {
        let game = game?;
        if let Some(place) = game.scheduled().filter(|place| place.season == number) {
            if place.round != last && season.race_of(place.round).is_some() {
                last = place.round;
                account.shorten(last, hill.games_in(season, last));
            }
            account.add(game, &mut none);
        }
    }
    Ok(account)
}
