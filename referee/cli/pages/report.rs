//! `referee report`: writes pages about a hill or a tournament, with plots, and the same tables as CSV.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use clap::Args;
use referee_contest::batch::list;
use referee_contest::hill::Hill;
use referee_contest::{plan, played};
use referee_files::beneath::Spot;
use referee_record::error::{Error, ErrorKind};
use referee_record::text::count;
use referee_report::pages as report;
use referee_report::pages::{Logs, Options, Replays, Written};

use crate::context::Context;
use crate::hill::{hills_in, length_of};
use crate::out::say;

/// Write a report of a hill or a tournament: pages with plots
///
/// A report is made from records alone, so it can be deleted and made again. It needs neither network nor server, and
/// replaces an earlier report in the same folder. What the earlier report has read of logs, and of a hill's results, is
/// not read again if nothing of it has changed: it is kept in cache.json and cache-logs.csv, which may be deleted.
/// With --replays all, the results are.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: referee report myhill --html myhill-report, then open myhill-report/index.html"
)]
pub(crate) struct Report {
    /// The folder of a hill or of a tournament; or a folder of hills: each gets a report, and a page lists all
    path: PathBuf,
    /// The folder to write; index.html is the page to begin with
    #[arg(long, value_name = "DIR")]
    html: PathBuf,
    /// The season of a hill [default: the latest]
    #[arg(long, value_name = "N", value_parser = crate::number::count)]
    season: Option<u32>,
    /// Do not read the games' logs: thinking times are those of whole games, from the results
    #[arg(long)]
    no_logs: bool,
    /// Make the report again whenever games have ended, until Ctrl-C
    #[arg(long)]
    follow: bool,
    /// Games that get a page to watch: the notable ones and this number of the latest, all, or none
    #[arg(long, value_name = "N|all|none", default_value = "20", value_parser = replays)]
    replays: Replays,
}

/// Time between two looks for games that have ended.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);

fn replays(word: &str) -> Result<Replays, String> {
    match word {
        "all" => Ok(Replays::All),
        "none" => Ok(Replays::None),
        count => count.parse().map(Replays::Last).map_err(|_| "write a number, all or none".to_owned()),
    }
}

impl Report {
    pub(crate) fn run(self, context: &Context) -> anyhow::Result<()> {
        let stop = context.stop()?;
        loop {
            let before = self.progress();
            self.make(&stop)?;
            if !self.follow {
                return Ok(());
            }
            while self.progress() == before {
                if stop.load(Ordering::Relaxed) {
                    return Err(
                        Error::new(ErrorKind::Stopped, "stopped; the report is complete".to_owned()).into()
                    );
                }
                thread::sleep(LOOK_INTERVAL);
            }
        }
    }

    /// Returns a value that changes with each game of the report; `None` while the folder cannot be read.
    fn progress(&self) -> Option<(u32, u64, u64)> {
        if let Ok(plan) = plan::open(&self.path) {
            return Some(played::progress(&plan));
        }
        let hills = hills_in(&self.path).ok()?;
        Some((0, 0, hills.iter().map(length_of).sum()))
    }

    fn make(&self, stop: &Arc<AtomicBool>) -> anyhow::Result<()> {
        let logs = if self.no_logs { Logs::LeaveAlone } else { Logs::Read };
        let options = Options { logs, replays: self.replays };
        let Written { page, files, games } = if Spot::below(&self.path, "hill.toml").exists() {
            let hill = Hill::open(&self.path).map_err(crate::usage)?;
            report::of_hill(&hill, self.season, options, &self.html, stop)?
        } else if Spot::below(&self.path, "plan.toml").exists() {
            if self.season.is_some() {
                return Err(Error::input(
                    "--season is for hills; a tournament's report covers all of it".to_owned(),
                )
                .into());
            }
            let plan = plan::open(&self.path)?;
            list::bring_up(&plan)?;
            report::of_tournament(&plan, options, &self.html, stop)?
        } else {
            let hills = if self.path.is_dir() { hills_in(&self.path)? } else { Vec::new() };
            if hills.is_empty() {
                return Err(Error::input(neither(&self.path)).into());
            }
            report::of_hills(&hills, options, &self.html, stop).map_err(crate::usage)?
        };
        let (games, files) = (count(games as u64, "game"), count(files as u64, "file"));
        say(format!("A report of {games}, {files}: open {}", page.display()));
        Ok(())
    }
}

/// Returns the message about a path that is neither a hill nor a tournament.
fn neither(path: &Path) -> String {
    let what = if !path.exists() {
        "no such file or folder"
    } else if path.is_file() {
        "a file; name the folder of a hill or a tournament"
    } else if path.join("results.csv").exists() {
        "a folder of single games, and neither a hill (with hill.toml) nor a tournament (with plan.toml)"
    } else {
        "neither a hill (with hill.toml) nor a tournament (with plan.toml)"
    };
    format!("{}: {what}", path.display())
}
