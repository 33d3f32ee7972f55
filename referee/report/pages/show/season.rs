//! The summary of a season: its standings, its verdicts, and its course.

use std::path::Path;
use std::sync::Arc;

use crate::tables::contests as tables;
use crate::tables::lead::Lead;
use crate::tables::standing::{PairRow, Standings};
use referee_contest::verdicts;
use referee_record::BotName;
use referee_record::error::Error;
use referee_record::text::count;
use referee_statistics::past::SeasonPast;
use referee_statistics::rating::Ratings;
use referee_statistics::season::SeasonAccount;
use referee_statistics::trends::Look;
use referee_statistics::verdict::VerdictRow;

use super::{ContestSummary, SeasonSummary, VerdictSummary};

/// Returns the summary of a hill: the season of this account, with the ratings after it, and the earlier seasons.
/// `entrants` has its field.
pub fn of_hill(
    root: &Path,
    entrants: ContestSummary,
    (season, ratings): (&SeasonAccount, &Ratings),
    past: Vec<Arc<SeasonPast>>,
) -> Result<ContestSummary, Error> {
    let lines = season.standings();
    let is_retired = |bot: &BotName| !entrants.field.iter().any(|entered| entered.bot.bot_name() == *bot);
    let standings = Standings::of_season(season, &lines, ratings, Some(&is_retired));
    // The statistics know seasons alone.
    let in_words_of_contest = |sentence: String| {
        if !entrants.is_class {
            return sentence;
        }
        sentence.replace("earlier seasons", "earlier practice").replace("season ", "practice ")
    };
    let legend = in_words_of_contest(tables::legend(season, &standings));
    let summary = SeasonSummary::new(season, standings, Lead::find(season, &lines), legend);
    let verdicts = verdicts_of(root, season.number)?;
    let sentences = match &verdicts[..] {
        [] => season.outlook().into_iter().map(in_words_of_contest).collect(),
        rows => rows.iter().map(|row| in_words_of_contest(row.sentence.clone())).collect(),
    };
    let (rounds, games) = (count(summary.rounds.into(), "round"), count(season.games(), "game"));
    let so_far = format!("{} {}, {rounds}, {games}", entrants.title_of_season(), season.number);
    Ok(ContestSummary {
        season: Some(SeasonSummary { so_far, sentences, verdicts, ..summary }),
        past,
        ..entrants
    })
}

/// Returns the verdicts of a season, or of a sub-tournament.
pub fn verdicts_of(root: &Path, season: u32) -> Result<Vec<VerdictSummary>, Error> {
    let verdicts = verdicts::read(root)?.into_iter().filter(|row| row.season == season);
    let summary =
        |row: VerdictRow| VerdictSummary { sentence: row.to_string(), verdict: tables::verdict_json(&row) };
    Ok(verdicts.map(summary).collect())
}

impl SeasonSummary {
    /// Returns the summary of an account, without verdicts and sentences.
    pub fn new(
        season: &SeasonAccount,
        standings: Standings,
        lead: Option<Lead>,
        legend: String,
    ) -> SeasonSummary {
        SeasonSummary {
            number: season.number,
            rounds: season.last_round(),
            carried: season.carried() > 0,
            standings,
            lead,
            legend,
            pairs: PairRow::of_season(season),
            bots: season.field.bots().iter().map(|bot| bot.name.clone()).collect(),
            versions: season.field.bots().iter().map(|bot| bot.version).collect(),
            looks: looks_of(season),
            ..SeasonSummary::default()
        }
    }
}

/// Returns the looks at a season: rounds, each with the mean share of each bot of its field. They count the same games
/// of earlier seasons as the standings, so the last look has the means of the standings.
fn looks_of(season: &SeasonAccount) -> Vec<(u32, Vec<Option<f64>>)> {
    let last = match season.trends.looks().last() {
        Some(last) if season.carried() > 0 => last,
        _ => return season.trends.looks().map(|look| (look.round, look.means.clone())).collect(),
    };
    let standings = season.sums.standings();
    let games = |bot: usize| {
        let standing = standings.iter().find(|line| line.bot == season.field.bots()[bot])?;
        let (mean, games) = (last.means[bot].unwrap_or_default(), season.trends.games_of(bot) as f64);
        Some(CarriedGames {
            carried: standing.games as f64 - games,
            carried_share_sum: standing.mean_share * standing.games as f64 - mean * games,
            games,
        })
    };
    let games_of_bots: Vec<_> = (0..season.field.bots().len()).map(games).collect();
    let mean_after = |look: &Look, bot: usize| {
        let CarriedGames { carried, carried_share_sum, games } = games_of_bots[bot].as_ref()?;
        // Looks do not have numbers of games: each bot counts as having played the same number in each round.
        let part = f64::from(look.round) / f64::from(last.round.max(1));
        let (mean, games) = look.means[bot].map_or((0.0, 0.0), |mean| (mean, games * part));
        let (all, share_sum) = (carried + games, carried_share_sum + mean * games);
        if all <= 0.0 {
            return None;
        }
        // Rounded, so that means that are equal but for the error of the computation are equal.
        Some((share_sum / all * 1e6).round() / 1e6)
    };
    let means_after = |look: &Look| (0..games_of_bots.len()).map(|bot| mean_after(look, bot)).collect();
    season.trends.looks().map(|look| (look.round, means_after(look))).collect()
}

/// The games of a bot in a season to which games of earlier seasons are carried over.
struct CarriedGames {
    /// Number of games of earlier seasons.
    carried: f64,
    /// The sum of the bot's shares in them.
    carried_share_sum: f64,
    /// Number of games of this season.
    games: f64,
}
