//! `referee tournament rule`: what void games count as.

use std::path::PathBuf;

use clap::Args;
use referee::tournament::plan;
use referee::tournament::rulings::{self, Ruling};

use crate::cli::{say, shell};

/// What a person rules.
///
/// A game that was lost twice while it was played is void, and counts for nobody. The referee cannot know who has brought
/// it down; `tournament status --losses` shows who was in more such games than others, and on which machines. What is ruled
/// counts in means, standings and in who plays next (where that depends on void games, the next round waits for it); intervals,
/// ranks and verdicts of the stop rule go on taking a void game as one that may have come to anything.
///
/// Rulings stand in rulings.csv, with what was said. The last one of a game counts, until the next round was planned by it.
#[derive(Debug, Args)]
pub(in crate::cli) struct Rule {
    /// Names of void games
    #[arg(required = true, value_name = "GAME")]
    games: Vec<String>,
    /// The tournament's folder
    #[arg(long, value_name = "T")]
    dir: PathBuf,
    /// They are lost by this bot: it has no share, the others have the same
    #[arg(long, value_name = "BOT", required_unless_present = "level")]
    lost_by: Option<String>,
    /// They are level: all have the same share
    #[arg(long, conflicts_with = "lost_by")]
    level: bool,
    /// The reason, for later readers
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
}

impl Rule {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let plan = plan::open(&self.dir)?;
        let ruling = self.lost_by.map_or(Ruling::Level, Ruling::LostBy);
        let why = self.why.as_deref().unwrap_or_default();
        rulings::rule(&plan, &self.games, &ruling, why)?;
        let count = self.games.len();
        let games = referee::text::count(count as u64, "game");
        say(format!("{games} in {}", rulings::file_of(&plan.root).display()));
        say(format!("To go on: referee tournament run --dir {}", shell(&self.dir)));
        Ok(())
    }
}
