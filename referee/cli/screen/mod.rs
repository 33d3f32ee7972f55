//! Games on the whole screen of a terminal: recorded ones, and those that are played now; standings and brackets while
//! other processes play.
//!
//! It draws what `referee-show` makes of a game. Where there is no terminal, the commands of the core print text.

mod follow;
mod hill_watch;
mod keys;
mod play_watch;
mod terminal;
mod tournament_watch;
mod viewer;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::addition::{Addition, Screen, Watching, with_options};
use crate::context::Context;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use referee_show::view::story::Story;

use self::play_watch::WatchOptions;
use self::terminal::Terminal;

/// Adds its commands to the program.
#[derive(Clone, Copy, Debug)]
pub struct Screens;

const REPLAY: &str = "Watch a recorded game in the terminal, or print it as text";

const REPLAY_LONG: &str = "Watch a recorded game in the terminal, or print it as text

Watch a recorded game in the terminal: play, step in both directions, jump to a turn or an event, see each seat's \
                           actions.

With --plain, or if standard output is not a terminal, it is printed as text.";

impl Addition for Screens {
    fn extend(&self, root: Command) -> Command {
        // Below the command that prints the same, whose name comes first.
        let hill = |hill: Command| {
            hill.subcommand(hill_watch::Watch::augment_args(Command::new("watch").display_order(3)))
        };
        let tournament = |tournament: Command| {
            let watch = Command::new("watch").display_order(6);
            tournament.subcommand(tournament_watch::Watch::augment_args(watch))
        };
        root.mut_subcommand("hill", hill)
            .mut_subcommand("tournament", tournament)
            .mut_subcommand("replay", |replay| replay.about(REPLAY).long_about(REPLAY_LONG))
            .mut_subcommand("play", |play| play.mut_subcommands(with_options::<WatchOptions>))
    }

    fn run(&self, matches: &ArgMatches, _context: &Context) -> Option<anyhow::Result<()>> {
        let (command, matches) = matches.subcommand()?;
        let ("watch", watch) = matches.subcommand()? else { return None };
        match command {
            "hill" => {
                let watch = hill_watch::Watch::from_arg_matches(watch).map_err(Into::into);
                Some(watch.and_then(hill_watch::Watch::run))
            }
            "tournament" => {
                let watch = tournament_watch::Watch::from_arg_matches(watch).map_err(Into::into);
                Some(watch.and_then(tournament_watch::Watch::run))
            }
            _ => None,
        }
    }

    fn screen(&self) -> Option<&'static dyn Screen> {
        Some(&Screens)
    }
}

impl Screen for Screens {
    fn is_there(&self) -> bool {
        Terminal::is_there()
    }

    fn view(&self, story: Story, turn: u32, hidden: bool) -> anyhow::Result<()> {
        viewer::view(story, turn, hidden)
    }

    fn watch(&self, matches: &ArgMatches, stop: &Arc<AtomicBool>) -> anyhow::Result<Option<Watching>> {
        play_watch::start(matches, stop)
    }
}
