//! `referee hill standings` and `referee hill fairness`: what follows from the results of a season.

use std::path::PathBuf;

use clap::Args;
use referee::record::BotName;
use referee::rules::FaultKind;
use referee::tournament::draws::Draws;
use referee::tournament::fairness::{self, Finding};
use referee::tournament::hill::Hill;
use referee::tournament::rating::Ratings;
use referee::tournament::season::SeasonAccount;
use referee::tournament::standings::Standing;
use referee::tournament::stop_rule::StopRule;
use serde_json::Value;

use super::sheet::{Format, Sheet, rounded};
use super::{Usage, note, say, shell};

#[derive(Debug, Args)]
pub(super) struct Standings {
    #[command(flatten)]
    which: Which,
    /// Instead: who scores how much in whose company
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
            return Err(Usage(fault).into());
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
    let entrants = hill.entrants()?;
    let field: Vec<(&str, u32)> =
        entrants.field().iter().map(|event| (event.name.as_str(), event.version)).collect();
    let retired = |bot: &BotName| !field.contains(&(bot.name.as_str(), bot.version));
    standings_of(&season, &ratings, retired).print(format)
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
        Usage(what).into()
    })
}

pub(super) fn standings_of(
    season: &SeasonAccount,
    ratings: &Ratings,
    retired: impl Fn(&BotName) -> bool,
) -> Sheet {
    let kinds = FaultKind::ALL.map(FaultKind::name);
    let mut columns = vec!["place", "ranks", "bot", "version", "mean_share", "mean_low", "mean_high"];
    columns.extend(["mean_score", "win_share", "rating", "rating_sd", "games"]);
    columns.extend(kinds);
    columns.extend(["p99_ms", "max_ms"]);
    let mut sheet = Sheet::new(columns);
    for standing in season.sums.standings() {
        let gone = if retired(&standing.bot) { " (retired)" } else { "" };
        let mut values = vec![
            Value::from(standing.place),
            season.ranks(&standing.bot).map_or(Value::Null, range),
            Value::from(format!("{}{gone}", standing.bot.name)),
            Value::from(standing.bot.version),
        ];
        values.extend(numbers(season, ratings, &standing));
        values.push(Value::from(standing.games));
        values.extend(standing.faults.map(Value::from));
        values.extend([standing.p99_us, standing.max_us].map(|time| rounded(time as f64 / 1000.0, 3)));
        sheet.row(values);
    }
    sheet.drop_zeros(&kinds);
    sheet
}

fn numbers(season: &SeasonAccount, ratings: &Ratings, standing: &Standing) -> [Value; 7] {
    let mean = season.mean(&standing.bot);
    let rating = ratings.of(&standing.bot.digest);
    [
        rounded(standing.mean_share, 4),
        // Bounds lie on marks of half a thousandth: no digit is lost.
        mean.map_or(Value::Null, |mean| rounded(mean.lower, 4)),
        mean.map_or(Value::Null, |mean| rounded(mean.upper, 4)),
        rounded(standing.mean_score, 2),
        rounded(standing.win_share, 3),
        rounded(rating.rating, 2),
        rounded(rating.uncertainty, 2),
    ]
}

/// Writes places as `1-3`, or as `2` where there is but one.
pub(super) fn range((first, last): (usize, usize)) -> Value {
    Value::from(if first == last { first.to_string() } else { format!("{first}-{last}") })
}

pub(super) fn pairs_of(season: &SeasonAccount) -> Sheet {
    let columns = ["bot", "version", "company", "company_version", "games", "mean_share"];
    let mut sheet = Sheet::new(columns.into_iter().chain(["difference_low", "difference_high"]));
    for pair in season.pairs.pairs() {
        // Of the mean shares of the whole season, not of these games alone.
        let difference = season.difference(&pair.bot, &pair.company);
        sheet.row(vec![
            Value::from(pair.bot.name),
            Value::from(pair.bot.version),
            Value::from(pair.company.name),
            Value::from(pair.company.version),
            Value::from(pair.games),
            rounded(pair.mean_share, 4),
            difference.map_or(Value::Null, |difference| rounded(difference.lower, 4)),
            difference.map_or(Value::Null, |difference| rounded(difference.upper, 4)),
        ]);
    }
    sheet
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
        if game[0].place_in_schedule.is_some_and(|place| place.season == season) {
            draws.add_log(&hill.root().join(&game[0].log))?;
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
        sheet_of(&findings).print(Format::Table)?;
        say(summary(&findings));
    } else {
        sheet_of(&findings).print(format)?;
        note(summary(&findings));
    }
    Ok(())
}

fn bots_of(season: &SeasonAccount) -> Sheet {
    let columns = ["bot", "version", "games", "blocks", "games_in_a_seat", "meetings_with_a_bot"];
    let mut sheet = Sheet::new(columns);
    let range = |(least, most): (u64, u64)| range((least as usize, most as usize));
    for bot in season.fairness.bots() {
        sheet.row(vec![
            Value::from(bot.bot.name),
            Value::from(bot.bot.version),
            Value::from(bot.games),
            Value::from(bot.blocks),
            range(bot.games_by_seat),
            range(bot.meetings),
        ]);
    }
    sheet
}

fn seats_of(season: &SeasonAccount) -> Sheet {
    let mut sheet = Sheet::new(["seat", "games", "mean_share", "faults", "games_with_faults"]);
    for seat in season.fairness.seats() {
        sheet.row(vec![
            Value::from(seat.seat),
            Value::from(seat.games),
            rounded(seat.mean_share, 4),
            Value::from(seat.faults),
            Value::from(seat.games_with_faults),
        ]);
    }
    sheet
}

fn sheet_of(findings: &[Finding]) -> Sheet {
    let mut sheet = Sheet::new(["question", "found", "p_value", "sign_of_unfairness"]);
    for finding in findings {
        sheet.row(vec![
            Value::from(finding.question),
            Value::from(finding.found.clone()),
            finding.p_value.map_or(Value::Null, |p| rounded(p, 4)),
            Value::from(if finding.suspicious { "yes" } else { "no" }),
        ]);
    }
    sheet
}

fn summary(findings: &[Finding]) -> String {
    let tested = findings.iter().filter_map(|finding| Some((finding.question, finding.p_value?)));
    let values: Vec<String> = tested.map(|(question, p)| format!("{question}: p = {p:.4}")).collect();
    let values = if values.is_empty() { "too few rounds for a test".to_owned() } else { values.join(", ") };
    let signs = findings.iter().filter(|finding| finding.suspicious).count();
    match signs {
        0 => format!("no sign of unfairness ({values})"),
        _ => format!("signs of unfairness: {signs} ({values}; suspicious below {})", fairness::SUSPICIOUS),
    }
}
