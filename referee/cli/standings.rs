//! `referee hill standings` and `referee hill fairness`: what follows from the results of a season.

use std::path::PathBuf;

use clap::Args;
use referee::error::Error;
use referee::record::beneath::Spot;
use referee::record::{BotName, file};
use referee::statistics::draws::Draws;
use referee::statistics::fairness::Finding;
use referee::statistics::rating::Ratings;
use referee::statistics::season::SeasonAccount;
use referee::statistics::stop_rule::StopRule;
use referee::tournament::hill::Hill;
use referee::view::tables::{bots_of, findings_of, pairs_of, seats_of, standings_of, summary};

use super::sheet::{Format, Print};
use super::{note, say, shell};

#[derive(Debug, Args)]
pub(super) struct Standings {
    #[command(flatten)]
    which: Which,
    /// Mean share of each bot against each opponent
    #[arg(long)]
    pairs: bool,
    /// How sure ranks and intervals are: all of them hold with a probability of 1 - P
    #[arg(long, value_name = "P", default_value_t = StopRule::default().alpha)]
    alpha: f64,
}

#[derive(Debug, Args)]
pub(super) struct Fairness {
    #[command(flatten)]
    which: Which,
    /// Also ask whether chance favours a seat: reads the logs of all games of the season
    #[arg(long)]
    draws: bool,
}

/// Which season, and how it is printed.
#[derive(Debug, Args)]
struct Which {
    /// The hill
    dir: PathBuf,
    /// Another season than the last
    #[arg(long, value_name = "N")]
    season: Option<u32>,
    /// How it is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Standings {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let hill = Hill::open(&self.which.dir).map_err(super::usage)?;
        let rule = StopRule { alpha: self.alpha, ..StopRule::default() };
        if let Some(fault) = rule.fault() {
            return Err(Error::input(fault).into());
        }
        if !self.pairs {
            return print_standings(&hill, self.which.season, rule, self.which.format);
        }
        let (season, _) = account(&hill, self.which.season, rule)?;
        pairs_of(&season).print(self.which.format)
    }
}

/// Prints the standings of a season, or of the last one.
pub(super) fn print_standings(
    hill: &Hill,
    season: Option<u32>,
    rule: StopRule,
    format: Format,
) -> anyhow::Result<()> {
    let (season, ratings) = account(hill, season, rule)?;
    print_account(hill, &season, &ratings, format)
}

/// Likewise, of one of which there is an account.
pub(super) fn print_account(
    hill: &Hill,
    season: &SeasonAccount,
    ratings: &Ratings,
    format: Format,
) -> anyhow::Result<()> {
    tell_of_given_up(hill, season.number)?;
    let entrants = hill.entrants()?;
    let field: Vec<(&str, u32)> =
        entrants.field().iter().map(|event| (event.name.as_str(), event.version)).collect();
    let retired = |bot: &BotName| !field.contains(&(bot.name.as_str(), bot.version));
    standings_of(season, &season.sums.standings(), ratings, retired).print(format)?;
    if let Some(outlook) = season.outlook().filter(|_| format == Format::Table) {
        say(outlook);
    }
    Ok(())
}

/// Tells how many games of a season are missing in its standings. Returns how many.
pub(super) fn tell_of_given_up(hill: &Hill, season: u32) -> anyhow::Result<usize> {
    let seasons = hill.seasons()?;
    let season = seasons.iter().find(|known| known.number == season);
    let count = season.map(|season| hill.given_up(season)).transpose()?.unwrap_or_default().len();
    if count > 0 {
        let games = if count == 1 { "1 game was".to_owned() } else { format!("{count} games were") };
        note(format!(
            "{games} given up: means leave out such games, intervals take them as unknown. Whose turns made them void: \
             referee hill status {} --losses",
            shell(hill.root())
        ));
    }
    Ok(count)
}

fn account(hill: &Hill, season: Option<u32>, rule: StopRule) -> anyhow::Result<(SeasonAccount, Ratings)> {
    let root = hill.root().display();
    hill.account(season, rule)?.ok_or_else(|| {
        let what = match season {
            Some(season) => format!("{root}: there was no season {season}"),
            None => {
                format!("{root}: no game has been played; play some: referee hill run {}", shell(hill.root()))
            }
        };
        Error::input(what).into()
    })
}

impl Fairness {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let hill = Hill::open(&self.which.dir).map_err(super::usage)?;
        let (season, _) = account(&hill, self.which.season, StopRule::default())?;
        let draws = if self.draws { Some(draws_of(&hill, season.number)?) } else { None };
        print_fairness(&season, draws.map(|draws| draws.finding()), self.which.format)
    }
}

/// Reads the draws of a season from its logs.
fn draws_of(hill: &Hill, season: u32) -> anyhow::Result<Draws> {
    let mut draws = Draws::default();
    for game in hill.games()? {
        let game = game?;
        if game.scheduled().is_some_and(|place| place.season == season) {
            draws.add_log(file::found(Spot::below(hill.root(), game.log())))?;
        }
    }
    Ok(draws)
}

/// Prints what was asked about a season's fairness, and what was found; more may have been found elsewhere.
pub(super) fn print_fairness(
    season: &SeasonAccount,
    more: Option<Finding>,
    format: Format,
) -> anyhow::Result<()> {
    let mut findings = season.fairness.findings();
    findings.extend(more);
    if format == Format::Table {
        bots_of(season).print(Format::Table)?;
        seats_of(season).print(Format::Table)?;
        findings_of(&findings).print(Format::Table)?;
        say(summary(&findings));
    } else {
        findings_of(&findings).print(format)?;
        note(summary(&findings));
    }
    Ok(())
}
