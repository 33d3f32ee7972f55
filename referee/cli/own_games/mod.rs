//! Games of your own, on the command line: `referee new-game` writes a small one to start from, `referee
//! judge check` examines a program that implements the rules of a game.

mod judge;
mod new_game;

use crate::addition::Addition;
use crate::context::Context;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};

use self::judge::JudgeCommand;
use self::new_game::NewGame;

/// Adds its commands to the program.
#[derive(Clone, Copy, Debug)]
pub struct OwnGames;

impl Addition for OwnGames {
    fn extend(&self, root: Command) -> Command {
        let judge = JudgeCommand::augment_subcommands(Command::new("judge").display_order(114));
        let about = "Games whose rules are a program in any language";
        root.subcommand(NewGame::augment_args(Command::new("new-game").display_order(21)))
            .subcommand(judge.about(about).subcommand_required(true).arg_required_else_help(true))
    }

    fn run(&self, matches: &ArgMatches, context: &Context) -> Option<anyhow::Result<()>> {
        match matches.subcommand()? {
            ("new-game", new) => {
                let new = NewGame::from_arg_matches(new).map_err(Into::into);
                Some(new.and_then(|new| new.run(context)))
            }
            ("judge", judge) => {
                let judge = JudgeCommand::from_arg_matches(judge).map_err(Into::into);
                Some(judge.and_then(|judge| judge.run(context)))
            }
            _ => None,
        }
    }
}
