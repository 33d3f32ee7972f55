//! `referee hill watch`: the standings of a hill on the screen, while other processes play on it.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use referee_contest::hill::Hill;
use referee_contest::verdicts;
use referee_record::text;
use referee_report::tables::lead::Lead;
use referee_report::tables::measure::{Measure, Scale};
use referee_report::tables::standing::Standings;
use referee_statistics::stop_rule::StopRule;

use crate::hill::length_of;
use crate::screen::follow::{self, Page};
use crate::usage;

/// Show the standings on the screen, and follow a run
#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// The hill
    dir: PathBuf,
}

impl Watch {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let hill = Hill::open(&self.dir).map_err(usage)?;
        follow::on_screen("referee hill standings", || Ok(length_of(&hill)), |width| page(&hill, width))
    }
}

/// Writes the page.
fn page(hill: &Hill, width: usize) -> anyhow::Result<Page> {
    let name = hill.root().file_name().unwrap_or(hill.root().as_os_str()).to_string_lossy();
    let mut page = format!("{name}: {}\n", hill.entry().title());
    let Some((season, ratings)) = hill.account(None, StopRule::default())? else {
        page.push_str("No game has been played yet.\n");
        return Ok(Page { text: page, help: HELP, ended: 0, left: None });
    };
    let games = text::count(season.games(), "game");
    let _ = writeln!(
        page,
        "Season {}, {}, {games}",
        season.number,
        text::count(season.race.rounds().into(), "round")
    );
    let standings = season.standings();
    if let Some(lead) = Lead::find(&season, &standings) {
        let _ = writeln!(page, "{}", lead.sentence());
    }
    let standings = Standings::of_season(&season, &standings, &ratings, None);
    let _ = writeln!(page, "\n{}", table(&standings, width));
    let verdict = verdicts::read(hill.root())?.into_iter().rfind(|row| row.season == season.number);
    let mut left = None;
    if let Some(verdict) = verdict {
        page += &verdict.to_string();
    } else {
        page += &season.outlook().unwrap_or_default();
        left = season.games_until_certain().map(|games| (games, "until a clear king"));
    }
    Ok(Page { text: page, help: HELP, ended: season.games(), left })
}

/// The meaning of the columns.
const HELP: &str = "\
wins     Games won; a win is shared by all who have the first place.
points   Mean score of a bot's games. It decides the place, unless there is one of
         the next two.
won      The part of its games that it has won.
share    Mean share of its games.
likely   The places that it has in 80 % of resamplings of the rounds.

The sentences above and below the table say what is proven.
";

/// Minimum width of a terminal for all columns.
const WIDE: usize = 60;

/// Returns the standings, a line for each bot.
fn table(standings: &Standings, width: usize) -> String {
    let rows = &standings.rows;
    let name_max = rows.iter().map(|row| text::width(&row.bot)).max().unwrap_or(0).max(3);
    let is_wide = width >= WIDE.max(name_max + 45);
    let Scale(measure, scale_digits) = standings.scale();
    // One more column, where something else than points decides the place.
    let (extra_heading, extra_digits, extra_width) = match measure {
        Measure::Points(_) => ("", 0, 0),
        Measure::Wins => ("won", scale_digits, 8),
        Measure::Shares => ("share", 1, 8),
    };
    let extra = |mean_share: f64| {
        if extra_heading.is_empty() { String::new() } else { measure.text(mean_share, extra_digits) }
    };
    let wins_heading = if rows.iter().any(|row| row.wins.is_some()) { "wins" } else { "" };
    let head = if is_wide {
        format!("{:>6}{wins_heading:>6}{:>9}{extra_heading:>extra_width$}", "games", "points")
    } else {
        String::new()
    };
    let mut table = format!("place  {}{head}  likely\n", text::padded("bot", name_max));
    for row in rows {
        let figures = || {
            let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.1}"));
            format!(
                "{:>6}{:>6}{:>9}{:>extra_width$}",
                row.games,
                number(row.wins),
                number(row.mean_score),
                extra(row.mean_share)
            )
        };
        let figures = if is_wide { figures() } else { String::new() };
        let likely = match row.likely() {
            Some((best, worst)) if best == worst => best.to_string(),
            Some((best, worst)) => format!("{best}-{worst}"),
            None => String::new(),
        };
        let line = format!("{:>5}  {}{figures}  {likely}", row.place, text::padded(&row.bot, name_max));
        let _ = writeln!(table, "{}", line.trim_end());
    }
    table
}
