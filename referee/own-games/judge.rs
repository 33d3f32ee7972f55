//! `referee judge check`: examines a program that implements the rules of a game.

use std::path::PathBuf;

use clap::Subcommand;
use referee_cli::judge::with_slash;
use referee_cli::out::{note, say};
use referee_cli::shell;
use referee_judge as judge;

/// Judges: programs in any language that implement the rules of a game (see `referee docs judge`)
#[derive(Debug, Subcommand)]
pub(crate) enum JudgeCommand {
    /// Examine a judge: play its game many times, with every kind of fault. Report the first mistake, or the
    /// first difference between two runs
    Check {
        /// The judge
        judge: PathBuf,
    },
}

impl JudgeCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let JudgeCommand::Check { judge } = self;
        let checked = judge::check::check(&judge, |game| note(format!("  {game}")))?;
        say(format!(
            "{}: {} games with {} turns in all and {} faults of bots: the same each time.",
            checked.name, checked.games, checked.turns, checked.faults
        ));
        say(format!("Play it: referee play {} BOT BOT", shell(&with_slash(&judge))));
        Ok(())
    }
}
