//! `referee tournament rule`: decides what void games count as.

use std::path::PathBuf;

use clap::Args;
use referee_contest::plan;
use referee_contest::rulings::{self, Ruling};

use crate::{say, shell};

/// Decide what void games count as
///
/// A game that was lost in flight ten times, or in weaker tiers than strict twice (lost_max), is void and does not
/// count. So is one that was lost three more times after its first loss, if the same bot alone was last in score each
/// time. The referee cannot know which bot brought it down. `tournament status --losses` shows
/// which bots were in more such games than others, and on which machines. A ruling counts in means, standings and the
/// next pairings; pairings that depend on a void game wait for its ruling. Intervals, likely places and verdicts of the
/// stop rule still treat the result of a void game as unknown.
///
/// Rulings are in rulings.csv, with their reasons. The last one of a game counts; it is final once the next round is
/// planned.
#[derive(Debug, Args)]
pub(crate) struct Rule {
    /// Names of void games
    #[arg(required = true, value_name = "GAME")]
    games: Vec<String>,
    /// The tournament's folder
    #[arg(long, value_name = "T")]
    dir: PathBuf,
    /// This bot loses them: its share is 0, the others share equally
    #[arg(long, value_name = "BOT", required_unless_present = "level")]
    lost_by: Option<String>,
    /// The games are draws: all shares are equal
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
        let games = referee_record::text::count(count as u64, "game");
        say(format!("{games} in {}", rulings::file_of(&plan.root).display()));
        say(format!("To continue: referee tournament run {}", shell(&self.dir)));
        Ok(())
    }
}
