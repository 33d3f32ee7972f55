//! The audit of a hill's verdicts: they are compared with its results.

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
        let account = account_of(hill, season, row.rule())?;
        match account.watch.as_ref().and_then(VerdictWatch::verdict) {
            Some(expected) if expected == row => {}
            Some(expected) => {
                let VerdictRow { round, verdict, .. } = expected;
                let (verdict, bots) = (verdict.name(), expected.named());
                return Err(wrong(format!("the results give {verdict} in round {round}: {bots}")));
            }
            None => {
                let rounds = account.race.rounds();
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

/// Returns the account of a season's games so far, with a watch for the verdict of this rule.
fn account_of(hill: &Hill, season: &Season, rule: StopRule) -> Result<SeasonAccount, Error> {
    let (number, bots) = (season.number, &season.bots);
    let account = SeasonAccount::for_verdict(number, bots, hill.dealt_in(season), rule);
    let mut account = account.with_teams(hill.entry().teams());
    account.watch_for(rule);
    let mut ratings = Ratings::default(); // nobody asks for them
    // Another process may have given up games since they were read.
    hill.given_up.forget();
    for (place, bots) in hill.given_up(season)? {
        account.shorten(place.round, hill.games_in(season, place.round));
        account.leave_out(place, bots, &mut ratings);
    }
    let mut last_round = 0;
    for game in hill.games()? {
        let game = game?;
        let Some(place) = game.scheduled() else { continue };
        if place.season != number {
            continue;
        }
        if place.round != last_round && season.race_of(place.round).is_some() {
            last_round = place.round;
            account.shorten(place.round, hill.games_in(season, place.round));
        }
        account.add(game, &mut ratings);
    }
    Ok(account)
}
