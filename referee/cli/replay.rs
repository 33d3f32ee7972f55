//! `referee replay`: shows a recorded game.

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::Args;
use referee_contest::lookup::{self, Found};
use referee_files::beneath::Spot;
use referee_files::{log, standard_error};
use referee_record::error::{Error, ErrorKind};
use referee_record::text::count;
use referee_show::view::scene::Scene;
use referee_show::view::screen;
use referee_show::view::story::{Remark, Story};

use crate::context::Context;
use crate::judge::JudgeOption;
use crate::out::{self, Out};
use crate::usage;

/// Print a recorded game as text
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  referee replay games/logs/football-0x0000000000000007.csv           in the terminal; ? lists the keys
  referee replay games football-0x0000000000000007                    the same, by the game's name
  referee replay LOG --turn 120                                       begin there
  referee replay LOG --plain --turn 120                               that position, and the turn before it, as text
  referee replay LOG --from 100 --to 120 > part.txt                   some of it as text")]
pub struct Replay {
    /// The log of a game; or a folder of games, a hill or a tournament, and then the game's name
    log: PathBuf,
    /// A game of that folder; for a tournament, its number in the schedule is enough
    #[arg(value_name = "GAME")]
    game: Option<String>,
    /// Print it as text
    #[arg(long)]
    plain: bool,
    /// Begin with the position after T turns; as text: print only that one
    #[arg(long, value_name = "T", value_parser = super::number::index, conflicts_with_all = ["from", "to"])]
    turn: Option<u32>,
    /// As text: begin with the position after T turns
    #[arg(long, value_name = "T", value_parser = super::number::index)]
    from: Option<u32>,
    /// As text: end with the position after T turns
    #[arg(long, value_name = "T", value_parser = super::number::index)]
    to: Option<u32>,
    /// Show hidden information, such as the target cell of Invisible Target
    #[arg(long)]
    hidden: bool,
    #[command(flatten)]
    _judge: JudgeOption,
}

impl Replay {
    pub(super) fn run(self, context: &Context) -> anyhow::Result<()> {
        self.show(context, &log_of(&self.log, self.game.as_deref())?, Vec::new(), None)
    }

    /// Returns the log that the command line names.
    pub fn log(&self) -> anyhow::Result<Spot> {
        log_of(&self.log, self.game.as_deref())
    }

    /// Returns the two logs, if the command line names two files.
    pub fn pair(&self) -> Option<[&Path; 2]> {
        let other = Path::new(self.game.as_ref()?);
        if self.log.is_file() && other.is_file() { Some([&self.log, other]) } else { None }
    }

    /// Returns the first and the last position that the options ask for, of a story with this number of turns.
    ///
    /// # Errors
    ///
    /// If the story has fewer turns. The range can be empty: see [`check_order`].
    pub fn range(&self, log: &Spot, turns: u32) -> anyhow::Result<RangeInclusive<u32>> {
        for turn in [self.turn, self.from, self.to].into_iter().flatten() {
            if turn > turns {
                let had = count(turns.into(), "turn");
                let what = format!("{}: the game has {had}, not {turn}", log.path().display());
                return Err(Error::input(what).into());
            }
        }
        Ok(self.turn.or(self.from).unwrap_or(0)..=self.turn.or(self.to).unwrap_or(turns))
    }

    /// Tells whether hidden information is shown.
    pub fn shows_hidden(&self) -> bool {
        self.hidden
    }

    /// Shows a game with remarks in its story: on the screen, or else as text. `text` is printed before the game as
    /// text, which is then left out unless the options ask for a part of it.
    ///
    /// # Errors
    ///
    /// If the log is not one of a game, or the output cannot be written.
    pub fn show(
        &self,
        context: &Context,
        log: &Spot,
        remarks: Vec<Remark>,
        text: Option<&str>,
    ) -> anyhow::Result<()> {
        let mut story = log::open(log).and_then(Story::open).map_err(usage)?;
        story.add(remarks);
        story.add_errors(standard_error::of_log(log));
        let range = self.range(log, story.turns())?;
        let is_part = self.turn.is_some() || self.from.is_some() || self.to.is_some();
        let is_text = self.plain || self.from.is_some() || self.to.is_some();
        let screen = context.screen().filter(|screen| !is_text && screen.is_there());
        let to_print = match screen {
            Some(screen) => {
                screen.view(story, self.turn.unwrap_or(0), self.hidden)?;
                None
            }
            None if text.is_none() || is_part => Some(story),
            None => None,
        };
        if let Some(text) = text {
            write!(Out, "{text}")?;
        }
        match to_print {
            Some(story) => self.print(story, range),
            None => Ok(()),
        }
    }

    fn print(&self, mut story: Story, range: RangeInclusive<u32>) -> anyhow::Result<()> {
        check_order(&range)?;
        let last = *range.end();
        for turns in range {
            let scene = Scene { hidden: self.hidden, ..Scene::of(&mut story, turns)? };
            let separator = if turns == last { "" } else { "\n----\n\n" };
            write!(Out, "{}{separator}", screen::plain(&scene))?;
            if out::is_lost() {
                break;
            }
        }
        Ok(())
    }
}

/// Makes sure that a range is not empty.
pub fn check_order(turns: &RangeInclusive<u32>) -> anyhow::Result<()> {
    if turns.is_empty() {
        Err(Error::input(format!("--from {} is after --to {}", turns.start(), turns.end())).into())
    } else {
        Ok(())
    }
}

/// Finds the log of a game: the file itself, or by its name in a folder of games, a hill or a tournament.
pub(super) fn log_of(path: &Path, game: Option<&str>) -> anyhow::Result<Spot> {
    if path.is_dir() {
        return Ok(found(path, game)?.log());
    }
    match game {
        None => Ok(Spot::from(path)),
        Some(_) => Err(Error::input(format!("{}: not a folder of games", path.display())).into()),
    }
}

/// Finds a game of a folder of games, a hill or a tournament.
pub(super) fn found(root: &Path, game: Option<&str>) -> anyhow::Result<Found> {
    lookup::find(root, game).map_err(|error| match error.kind() {
        ErrorKind::Mismatch | ErrorKind::Incomplete => usage(error),
        _ => error.into(),
    })
}
