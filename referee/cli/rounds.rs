//! Plays rounds on a hill with progress for people, and prints what came of them.

use std::io::{self, IsTerminal};
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use referee::play::PlayError;
use referee::record::results::ResultRow;
use referee::rules::FaultKind;
use referee::table::TableError;
use referee::table::process::Setup;
use referee::tournament::hill::Hill;
use referee::tournament::run;
use referee::tournament::standings::{Standing, standings};
use serde_json::Value;

use super::sheet::{Sheet, rounded};
use super::{Stopped, note, shell};

/// Until when it is played.
#[derive(Clone, Copy, Debug)]
pub(super) enum Until {
    /// So many rounds more, an unfinished one being the first.
    More(u32),
    /// Up to and with this round of the season.
    Round(u32),
}

/// Plays rounds on a hill. Returns the season's number.
pub(super) fn play_rounds(hill: &Hill, until: Until, jobs: usize, setup: &Setup) -> anyhow::Result<u32> {
    let run = hill.begin_run()?;
    if let Some(notice) = &run.notice {
        note(notice);
    }
    let last = match until {
        Until::More(rounds) => run.first_open_round() + rounds - 1,
        Until::Round(round) => round,
    };
    let fixtures = run.fixtures(last);
    let count = fixtures.len();
    note(format!("season {}, up to round {last}: {count} games to play, {jobs} at a time", run.season()));
    let voids_before = run.folder().voids()?.len();
    let progress = Progress::new(count as u64);
    let played = run::run(run.folder(), fixtures, setup, jobs, |rows| progress.game(rows));
    progress.finish();
    for void in run.folder().voids()?.iter().skip(voids_before) {
        note(format!("{}, attempt {}, does not count: {}", void.game, void.attempt, void.detail));
    }
    match played {
        Ok(()) => Ok(run.season()),
        Err(PlayError::Table(TableError::Stopped)) => Err(Stopped(format!(
            "stopped; all finished games stand in the results. To go on:\n  {}",
            command(hill.root(), last, jobs)
        ))
        .into()),
        Err(error) => {
            let error = anyhow::Error::from(error);
            Err(error.context(format!(
                "a game could not be played; to go on: {}",
                command(hill.root(), last, jobs)
            )))
        }
    }
}

fn command(root: &Path, last: u32, jobs: usize) -> String {
    format!("referee hill run {} --to-round {last} --jobs {jobs}", shell(root))
}

/// Draws up a season's standings.
pub(super) fn sheet_of<'a>(
    rows: impl IntoIterator<Item = &'a ResultRow>,
    retired: impl Fn(&Standing) -> bool,
) -> Sheet {
    let kinds = FaultKind::ALL.map(FaultKind::name);
    let mut columns = vec!["place", "bot", "version", "mean_share", "mean_score", "games"];
    columns.extend(kinds);
    columns.extend(["p99_ms", "max_ms"]);
    let mut sheet = Sheet::new(columns);
    for standing in standings(rows) {
        let gone = if retired(&standing) { " (retired)" } else { "" };
        let mut values = vec![
            Value::from(standing.place),
            Value::from(format!("{}{gone}", standing.bot.name)),
            Value::from(standing.bot.version),
            rounded(standing.mean_share, 4),
            rounded(standing.mean_score, 2),
            Value::from(standing.games),
        ];
        values.extend(standing.faults.map(Value::from));
        values.extend([standing.p99_us, standing.max_us].map(|time| rounded(time as f64 / 1000.0, 3)));
        sheet.row(values);
    }
    sheet.drop_zeros(&kinds);
    sheet
}

/// A bar on a terminal; elsewhere a line a game.
struct Progress(Option<ProgressBar>);

impl Progress {
    fn new(games: u64) -> Progress {
        if !io::stderr().is_terminal() {
            return Progress(None);
        }
        let bar = ProgressBar::with_draw_target(Some(games), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games, {eta} left  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.tick();
        Progress(Some(bar))
    }

    fn game(&self, rows: &[ResultRow]) {
        let seats: Vec<String> = rows.iter().map(|row| format!("{} {}", row.bot.name, row.score)).collect();
        let line =
            format!("{}: {} ({}, {} turns)", rows[0].game, seats.join(", "), rows[0].end, rows[0].turns);
        match &self.0 {
            Some(bar) => {
                bar.println(line);
                bar.inc(1);
            }
            None => note(line),
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
