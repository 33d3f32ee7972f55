//! Tables that follow from the results of a season of a hill.

use referee_contest::hill::Hill;
use referee_contest::verdicts;
use referee_record::BotName;
use referee_record::error::Error;
use referee_record::text;
use referee_report::tables::contests::{
    bots_of, evidence_json, findings_of, legend, matrix_of, pairs_of, seats_of, summary, verdict_json,
};
use referee_report::tables::lead::Lead;
use referee_report::tables::standing::Standings;
use referee_statistics::rating::Ratings;
use referee_statistics::season::SeasonAccount;
use referee_statistics::stop_rule::StopRule;
use referee_statistics::verdict::VerdictRow;

use serde_json::Value;

use crate::sheet::{Format, Print, Printed, Sheet};
use crate::{note, say, shell};

/// Prints each bot against each opponent.
pub(super) fn print_pairs(
    hill: &Hill,
    season: Option<u32>,
    rule: StopRule,
    printed: Printed,
) -> anyhow::Result<()> {
    let (season, _) = account(hill, season, rule)?;
    of_hill(pairs(&season, printed), hill).print(printed)
}

/// Prints the standings of a season, or of the last one.
pub(super) fn print_standings(
    hill: &Hill,
    season: Option<u32>,
    rule: StopRule,
    printed: impl Into<Printed>,
) -> anyhow::Result<()> {
    let (season, ratings) = account(hill, season, rule)?;
    print_account(hill, &season, &ratings, printed)
}

/// As [`print_standings`], from an account that has been made.
pub(super) fn print_account(
    hill: &Hill,
    season: &SeasonAccount,
    ratings: &Ratings,
    printed: impl Into<Printed>,
) -> anyhow::Result<()> {
    let printed = printed.into();
    tell_of_given_up(hill, season.number)?;
    let verdict = verdicts::read(hill.root())?.into_iter().rfind(|row| row.season == season.number);
    let standings = standings_of(hill, season, ratings)?;
    let sheet = of_hill(standings.sheet(), hill);
    let verdict_value = verdict.as_ref().map_or(Value::Null, verdict_json);
    let sheet = sheet.about("verdict", verdict_value).about("evidence", evidence_json(season));
    if printed.format != Format::Table {
        return sheet.print(printed);
    }
    let mut sentences = Vec::new();
    if let Some(lead) = Lead::find(season, &season.standings()) {
        sentences.push(lead.sentence().to_string());
    }
    sentences.extend(match verdict {
        Some(row) => Some(verdict_sentence(&row, season.rounds())),
        None => season.outlook(),
    });
    if !sentences.is_empty() {
        say(sentences.join(" "));
    }
    sheet.print(printed)?;
    say(legend(season, &standings));
    Ok(())
}

/// Returns the sentence about the verdict of a season, which has this number of rounds by now: `Season 1, after round
/// 605: clear king: planner 1.`
fn verdict_sentence(row: &VerdictRow, rounds: u32) -> String {
    let VerdictRow { season, round, .. } = row;
    let later = match rounds.saturating_sub(*round) {
        0 => String::new(),
        1 => format!(" Round {rounds} was under way then, and counts for the table alone."),
        _ => format!(" Rounds {} to {rounds} were under way then, and count for the table alone.", round + 1),
    };
    format!("Season {season}, after round {round}: {}.{later}", row.finding())
}

/// Returns the standings of a season.
pub fn standings_of(hill: &Hill, season: &SeasonAccount, ratings: &Ratings) -> anyhow::Result<Standings> {
    let entrants = hill.entrants()?;
    let field: Vec<(&str, u32)> =
        entrants.field().iter().map(|bot| (bot.name.as_str(), bot.version)).collect();
    let retired = |bot: &BotName| !field.contains(&(bot.name.as_str(), bot.version));
    Ok(Standings::of_season(season, &season.standings(), ratings, Some(&retired)))
}

/// Adds its hill and game to a table.
fn of_hill(sheet: Sheet, hill: &Hill) -> Sheet {
    sheet.about("hill", hill.root().display().to_string()).about("game", hill.entry().name)
}

/// Makes the table of each bot against each opponent: a matrix for people, a row a pair for programs.
pub(super) fn pairs(season: &SeasonAccount, printed: Printed) -> Sheet {
    if printed.format == Format::Table { matrix_of(season) } else { pairs_of(season) }
}

/// Prints the number of a season's games that were given up. Returns it.
pub(super) fn tell_of_given_up(hill: &Hill, season: u32) -> anyhow::Result<usize> {
    let seasons = hill.seasons()?;
    let season = seasons.iter().find(|known| known.number == season);
    let count = season.map(|season| hill.given_up(season)).transpose()?.unwrap_or_default().len();
    if count > 0 {
        let games =
            format!("{} {}", text::count(count as u64, "game"), if count == 1 { "was" } else { "were" });
        note(format!(
            "{games} given up: means leave out such games, and intervals count them as unknown. To see \
             which bots' turns made them void: referee hill status {} --losses",
            shell(hill.root())
        ));
    }
    Ok(count)
}

/// Returns the account of a season, or of the last one.
pub(super) fn account(
    hill: &Hill,
    season: Option<u32>,
    rule: StopRule,
) -> anyhow::Result<(SeasonAccount, Ratings)> {
    let root = hill.root().display();
    hill.account(season, rule)?.ok_or_else(|| {
        let what = match season {
            Some(season) => format!("{root}: there is no season {season}"),
            None => {
                format!(
                    "{root}: no game has been played yet; play with: referee hill run {}",
                    shell(hill.root())
                )
            }
        };
        Error::input(what).into()
    })
}

/// Prints the findings about a season's fairness.
pub(super) fn print_fairness(season: &SeasonAccount, printed: Printed) -> anyhow::Result<()> {
    let findings = season.fairness.findings();
    if printed.format == Format::Table {
        bots_of(season).print(printed)?;
        seats_of(season).print(printed)?;
        findings_of(&findings).print(printed)?;
        say(summary(&findings));
    } else {
        findings_of(&findings).about("season", season.number).print(printed)?;
        note(summary(&findings));
    }
    Ok(())
}
