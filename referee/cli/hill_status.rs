//! `referee hill status`: the progress of a season, and its lost and void games.

use std::collections::BTreeMap;

use referee_contest::batch::losses::LossTally;
use referee_contest::hill::Hill;
use referee_contest::hill::seasons::Season;
use referee_contest::verdicts;
use referee_record::BotName;
use referee_record::results::Scheduled;
use referee_report::tables::contests::verdict_json;
use referee_statistics::verdict::VerdictRow;
use serde_json::Value;

use crate::losses;
use crate::sheet::{Audience, Cells, Format, Print, Printed, Sheet};

/// Prints the seasons of a hill, or its lost and void games.
pub(super) fn print(hill: &Hill, losses: bool, printed: Printed) -> anyhow::Result<()> {
    if !losses {
        progress(hill)?.print(printed)?;
        if printed.format != Format::Table {
            return Ok(());
        }
    }
    let account = LossTally::of_hill(hill)?;
    if losses || account.all.lost + account.all.void + account.all.void_attempts > 0 {
        losses::sheet(&account).print(printed)?;
    }
    Ok(())
}

/// Returns the sentence about the end of a season.
fn sentence(row: &VerdictRow) -> String {
    let VerdictRow { round, verdict, .. } = row;
    format!("{verdict} after round {round}: {}{}", row.named(), row.caveat())
}

/// Makes the table of seasons, one row each.
fn progress(hill: &Hill) -> anyhow::Result<Sheet> {
    let columns = ["season", "bots", "rounds", "games", "verdict", "given_up", "since", "terms"];
    let of_programs = ["verdict_kind", "verdict_round", "verdicts"];
    let mut sheet = Sheet::new(columns.into_iter().chain(of_programs))
        .audience(Audience::Programs, &of_programs)
        .about("hill", hill.root().display().to_string())
        .cells(Cells::Prose, &["verdict"])
        .cells(Cells::Wrongs, &["given_up"])
        .audience(Audience::Wide, &["since", "terms"]);
    let verdicts = verdicts::read(hill.root())?;
    let mut games_by_season = games_by_season(hill)?;
    let seasons = hill.seasons()?;
    let present = seasons.last().map(|season| season.number);
    for season in seasons {
        let games_by_round = games_by_season.remove(&season.number).unwrap_or_default();
        let games: usize = games_by_round.values().sum();
        let given_up = hill.given_up(&season)?;
        let complete_rounds =
            complete_rounds(hill, &season, games_by_round, &given_up, present == Some(season.number))?;
        let verdicts: Vec<&VerdictRow> = verdicts.iter().filter(|row| row.season == season.number).collect();
        let sentences: Vec<String> = verdicts.iter().map(|row| sentence(row)).collect();
        let last_verdict = verdicts.last();
        let Season { number, date, bots, terms, .. } = season;
        sheet.row(vec![
            Value::from(number),
            Value::from(bots.len()),
            Value::from(complete_rounds),
            Value::from(games),
            Value::from(sentences.join("; ")),
            Value::from(given_up.len()),
            Value::from(date),
            Value::from(terms.to_string()),
            last_verdict.map_or(Value::Null, |row| Value::from(row.verdict.name())),
            last_verdict.map_or(Value::Null, |row| Value::from(row.round)),
            verdicts.iter().map(|row| verdict_json(row)).collect(),
        ]);
    }
    Ok(sheet)
}

/// The number of games of each round.
type GamesByRound = BTreeMap<u32, usize>;

/// Counts the games in the results, by season and round.
fn games_by_season(hill: &Hill) -> anyhow::Result<BTreeMap<u32, GamesByRound>> {
    let mut seasons: BTreeMap<u32, GamesByRound> = BTreeMap::new();
    for game in hill.games()? {
        if let Some(place) = game?[0].place_in_schedule {
            *seasons.entry(place.season).or_default().entry(place.round).or_default() += 1;
        }
    }
    Ok(seasons)
}

/// Returns the number of complete rounds of a season. A game that was given up counts as played.
///
/// # Errors
///
/// If this is the present season, and a round before its last one is not complete.
fn complete_rounds(
    hill: &Hill,
    season: &Season,
    mut games_by_round: GamesByRound,
    given_up: &[(Scheduled, Vec<BotName>)],
    is_present: bool,
) -> anyhow::Result<usize> {
    let last_round = games_by_round.keys().next_back().copied().unwrap_or(0);
    for (place, _) in given_up {
        *games_by_round.entry(place.round).or_default() += 1;
    }
    let games_due = hill.lengths(season);
    let is_complete =
        |round: &u32| games_by_round.get(round).is_some_and(|games| *games >= games_due(*round).max(1));
    let incomplete = (1..last_round).find(|round| !is_complete(round));
    if let Some(round) = incomplete
        && is_present
    {
        return Err(hill.lacks(season.number, round).into());
    }
    Ok(games_by_round.keys().filter(|round| is_complete(round)).count())
}
