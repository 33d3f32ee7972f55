//! `referee hill status`: the progress of a season, and its lost and void games.

use std::collections::BTreeMap;

use referee_contest::batch::losses::LossTally;
use referee_contest::hill::Hill;
use referee_contest::hill::seasons::Season;
use referee_contest::verdicts;
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

/// Says how a season has ended.
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
    let mut played: BTreeMap<u32, BTreeMap<u32, usize>> = BTreeMap::new();
    for game in hill.games()? {
        if let Some(place) = game?[0].place_in_schedule {
            *played.entry(place.season).or_default().entry(place.round).or_default() += 1;
        }
    }
    let seasons = hill.seasons()?;
    let last = seasons.last().map(|season| season.number);
    for season in seasons {
        let mut rounds = played.remove(&season.number).unwrap_or_default();
        let games: usize = rounds.values().sum();
        let last_round = rounds.keys().next_back().copied().unwrap_or(0);
        let given_up = hill.given_up(&season)?;
        for (place, _) in &given_up {
            *rounds.entry(place.round).or_default() += 1;
        }
        let games_due = hill.lengths(&season);
        let is_complete =
            |round: &u32| rounds.get(round).is_some_and(|games| *games >= games_due(*round).max(1));
        let open = (1..last_round).find(|round| !is_complete(round));
        if let Some(round) = open.filter(|_| last == Some(season.number)) {
            return Err(hill.lacks(season.number, round).into());
        }
        let complete = rounds.keys().filter(|round| is_complete(round)).count();
        drop(games_due);
        let of_season: Vec<&VerdictRow> = verdicts.iter().filter(|row| row.season == season.number).collect();
        let sentences: Vec<String> = of_season.iter().map(|row| sentence(row)).collect();
        let last = of_season.last();
        let Season { number, date, bots, terms, .. } = season;
        sheet.row(vec![
            Value::from(number),
            Value::from(bots.len()),
            Value::from(complete),
            Value::from(games),
            Value::from(sentences.join("; ")),
            Value::from(given_up.len()),
            Value::from(date),
            Value::from(terms.to_string()),
            last.map_or(Value::Null, |row| Value::from(row.verdict.name())),
            last.map_or(Value::Null, |row| Value::from(row.round)),
            of_season.iter().map(|row| verdict_json(row)).collect(),
        ]);
    }
    Ok(sheet)
}
