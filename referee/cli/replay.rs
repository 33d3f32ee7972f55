//! `referee replay`: shows a recorded game.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use referee_contest::lookup::{self, Found};
use referee_page::{gif, html as page};
use referee_record::beneath::Spot;
use referee_record::error::{Error, ErrorKind};
use referee_record::text::count;
use referee_view::scene::Scene;
use referee_view::screen;
use referee_view::story::{Remark, Story};

use crate::judge::JudgeOption;
use crate::out::{self, Out};
use crate::terminal::Terminal;
use crate::why::WhyOptions;
use crate::{say, usage, viewer};

/// Watch a recorded game in the terminal, or print it as text
///
/// Watch a recorded game in the terminal: play, step in both directions, jump to a turn or an event, see each seat's
/// actions.
///
/// With --plain, or if standard output is not a terminal, it is printed as text.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  referee replay games/logs/football-0x0000000000000007.csv           in the terminal; ? lists the keys
  referee replay games football-0x0000000000000007                    the same, by the game's name
  referee replay LOG --turn 120                                       begin there
  referee replay LOG --plain --turn 120                               that position, and the turn before it, as text
  referee replay LOG --from 100 --to 120 > part.txt                   some of it as text
  referee replay LOG --why                                            why did I lose? decisive turns
  referee replay LOG --gif game.gif --from 100 --to 120               an animation of the terminal's screen
  referee replay LOG --html game.html                                 a page for the browser: all in one file
  referee replay LOG OTHER --html games.html                          two games beside each other")]
pub(super) struct Replay {
    /// The log of a game; or a folder of games, a hill or a tournament, and then the game's name
    log: PathBuf,
    /// A game of that folder; for a tournament, its number in the schedule is enough. With --html, after a log: another
    /// log, whose game is shown beside it
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
    /// Write it as one page for a browser, which needs no network
    #[arg(long, value_name = "FILE", conflicts_with_all = ["plain", "turn", "from", "to", "hidden"])]
    html: Option<PathBuf>,
    /// Write it as an animation (GIF), from --from to --to
    #[arg(long, value_name = "FILE", conflicts_with_all = ["plain", "turn", "html"])]
    gif: Option<PathBuf>,
    /// Show hidden information, such as the target cell of Invisible Target
    #[arg(long)]
    hidden: bool,
    #[command(flatten)]
    why: WhyOptions,
    #[command(flatten)]
    _judge: JudgeOption,
}

impl Replay {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if let (Some(file), Some(other)) = (&self.html, self.game.as_ref().map(Path::new))
            && self.log.is_file()
            && other.is_file()
        {
            return write_pair([&self.log, other], file);
        }
        let log = log_of(&self.log, self.game.as_deref())?;
        let why = self.why.why.then(|| self.why.find(&log)).transpose()?;
        let remarks = why.as_ref().map_or(Vec::new(), |why| why.decisive.remarks());
        if let Some(file) = &self.html {
            write_page(&log, &remarks, file)?;
            why.iter().for_each(|why| say(why.text().trim_end()));
            return Ok(());
        }
        let mut story = Story::open(&log).map_err(usage)?;
        story.add(remarks);
        if self.gif.is_none() {
            story.add_errors(&log);
        }
        for turns in [self.turn, self.from, self.to].into_iter().flatten() {
            if turns > story.turns() {
                let what = format!(
                    "{}: the game has {}, not {turns}",
                    log.path().display(),
                    count(story.turns().into(), "turn")
                );
                return Err(Error::input(what).into());
            }
        }
        if let Some(file) = &self.gif {
            return self.write_gif(story, file);
        }
        let is_part = self.turn.is_some() || self.from.is_some() || self.to.is_some();
        let is_text = self.plain || self.from.is_some() || self.to.is_some() || !Terminal::is_there();
        let turns = story.turns();
        let mut shown = None;
        match is_text {
            true if why.is_none() || is_part => shown = Some(story),
            true => {}
            false => viewer::view(story, self.turn.unwrap_or(0), self.hidden)?,
        }
        if let Some(why) = &why {
            write!(Out, "{}", why.text())?;
        }
        shown.map_or(Ok(()), |story| self.print(story, turns))
    }

    fn print(&self, mut story: Story, turns: u32) -> anyhow::Result<()> {
        let first = self.turn.or(self.from).unwrap_or(0);
        let last = self.turn.or(self.to).unwrap_or(turns);
        check_order(&(first..=last))?;
        for turns in first..=last {
            let scene = Scene { hidden: self.hidden, ..Scene::of(&mut story, turns)? };
            let line = if turns == last { "" } else { "\n----\n\n" };
            write!(Out, "{}{line}", screen::plain(&scene))?;
            if out::is_lost() {
                break;
            }
        }
        Ok(())
    }
}

impl Replay {
    fn write_gif(&self, mut story: Story, file: &Path) -> anyhow::Result<()> {
        let turns = self.from.unwrap_or(0)..=self.to.unwrap_or(story.turns());
        check_order(&turns)?;
        let mut bytes = Vec::new();
        let written = gif::write(&mut story, turns, self.hidden, &mut bytes)?;
        put(file, &bytes)?;
        let left_out = match written.step {
            1 => String::new(),
            step => format!("; one in {step} turns is shown"),
        };
        let pictures = count(written.pictures.into(), "picture");
        say(format!("{}: {} KB, {pictures}{left_out}", file.display(), bytes.len().div_ceil(1000)));
        Ok(())
    }
}

fn check_order(turns: &RangeInclusive<u32>) -> anyhow::Result<()> {
    match turns.is_empty() {
        true => Err(Error::input(format!("--from {} lies after --to {}", turns.start(), turns.end())).into()),
        false => Ok(()),
    }
}

/// Writes a file: whole, or not at all.
fn put(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    match fs::metadata(file) {
        // A device or a pipe takes what it is given.
        Ok(there) if !there.is_file() => fs::write(file, bytes),
        _ => whole(file, bytes),
    }
    .with_context(|| format!("{}: cannot write", file.display()))
}

fn write_pair(logs: [&Path; 2], file: &Path) -> anyhow::Result<()> {
    let [one, other] = logs.map(Spot::from);
    let page = page::pair([&one, &other]).map_err(usage)?;
    put(file, page.as_bytes())?;
    tell_page(file, &page);
    Ok(())
}

fn write_page(log: &Spot, remarks: &[Remark], file: &Path) -> anyhow::Result<()> {
    let page = page::page_with(log, remarks).map_err(usage)?;
    put(file, page.as_bytes())?;
    tell_page(file, &page);
    Ok(())
}

fn tell_page(file: &Path, page: &str) {
    say(format!(
        "{}: {} KB. Open it in a browser; it needs nothing else.",
        file.display(),
        page.len() / 1000
    ));
}

/// Writes a file that appears only when it is complete.
fn whole(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut part = tempfile::Builder::new().prefix(".referee-page-").tempfile_in(folder)?;
    part.write_all(bytes)?;
    part.as_file().set_permissions(Permissions::from_mode(0o644))?;
    part.persist(file).map(drop).map_err(|error| error.error)
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
