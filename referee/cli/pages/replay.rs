//! Options of `referee replay`: a page, a film, and why a game was lost.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::context::Context;
use crate::out::say;
use crate::replay::{Replay, check_order};
use crate::usage;
use anyhow::Context as _;
use clap::Args;
use referee_files::beneath::Spot;
use referee_files::threads::together;
use referee_files::{log, standard_error};
use referee_record::error::Error;
use referee_record::text::count;
use referee_show::page::decisive::Decisive;
use referee_show::page::{gif, html};
use referee_show::view::story::Story;

use crate::pages::why::{Why, WhyOptions};

/// Examples of these options, for the help of `referee replay`.
pub(crate) const EXAMPLES: &str = "
  referee replay LOG --why                                            why did I lose? decisive turns
  referee replay LOG --gif game.gif --from 100 --to 120               an animation of the board
  referee replay LOG --html game.html                                 a page for the browser: all in one file
  referee replay LOG OTHER --html games.html                          two games side by side";

/// Files that a game is written to.
#[derive(Debug, Args)]
pub(crate) struct Written {
    /// Write the game as one page for a browser; it needs no network
    #[arg(long, value_name = "FILE", conflicts_with_all = ["plain", "turn", "from", "to", "hidden"])]
    html: Option<PathBuf>,
    /// Write the game as an animation of the board (GIF), from --from to --to
    #[arg(long, value_name = "FILE", conflicts_with_all = ["plain", "turn", "html"])]
    gif: Option<PathBuf>,
    #[command(flatten)]
    why: WhyOptions,
}

impl Written {
    /// Tells whether any of these options was given.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.html.is_some() || self.gif.is_some() || self.why.why
    }

    /// Writes the files that the options ask for.
    pub(crate) fn run(&self, replay: &Replay, context: &Context) -> anyhow::Result<()> {
        let others = ["png", "apng", "webp", "svg", "jpg", "jpeg", "mp4", "html"];
        let is_other = |file: &&PathBuf| {
            let ending = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
            others.contains(&&*ending)
        };
        if let Some(file) = &self.gif
            && is_other(&file)
        {
            let what = format!("--gif {}: the name must end with .gif", file.display());
            return Err(Error::input(what).into());
        }
        if let (Some(file), Some(pair)) = (&self.html, replay.pair()) {
            return write_pair(pair, file);
        }
        let log = replay.log()?;
        let why = self.why.why.then(|| self.why.find(&log)).transpose()?;
        let remarks = why.as_ref().map_or(Vec::new(), Why::remarks);
        if let Some(file) = &self.html {
            write_page(&log, why.as_ref().map(|why| &why.decisive), file)?;
            why.iter().for_each(|why| say(why.text().trim_end()));
            return Ok(());
        }
        if let Some(file) = &self.gif {
            let mut story = log::open(&log).and_then(Story::open).map_err(usage)?;
            story.add(remarks);
            return write_gif(replay, &log, story, file);
        }
        replay.show(context, &log, remarks, why.map(|why| why.text()).as_deref())
    }
}

fn write_gif(replay: &Replay, log: &Spot, mut story: Story, file: &Path) -> anyhow::Result<()> {
    let turns = replay.range(log, story.turns())?;
    check_order(&turns)?;
    let mut bytes = Vec::new();
    let written = gif::write(&mut story, turns, replay.shows_hidden(), &mut bytes)?;
    put(file, &bytes)?;
    let left_out = match written.step {
        1 => String::new(),
        step => format!("; one in {step} turns is shown"),
    };
    let pictures = count(written.pictures.into(), "picture");
    say(format!("{}: {} KB, {pictures}{left_out}", file.display(), bytes.len().div_ceil(1000)));
    Ok(())
}

/// Writes a file whole, or not at all. A device or a pipe is written to as it is.
fn put(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    match fs::metadata(file) {
        Ok(metadata) if !metadata.is_file() => fs::write(file, bytes),
        _ => write_whole(file, bytes),
    }
    .with_context(|| format!("{}: cannot write", file.display()))
}

fn write_pair(logs: [&Path; 2], file: &Path) -> anyhow::Result<()> {
    let [one, other] = logs.map(Spot::from);
    let errors = [&one, &other].map(standard_error::of_log);
    let page = log::open(&one)
        .and_then(|log| html::pair([(log, &errors[0]), (log::open(&other)?, &errors[1])], &together));
    let page = page.map_err(usage)?;
    put(file, page.as_bytes())?;
    say_written(file, &page);
    Ok(())
}

fn write_page(log: &Spot, why: Option<&Decisive>, file: &Path) -> anyhow::Result<()> {
    let errors = standard_error::of_log(log);
    let page = log::open(log).and_then(|log| html::page(log, &errors, why, &together)).map_err(usage)?;
    put(file, page.as_bytes())?;
    say_written(file, &page);
    Ok(())
}

fn say_written(file: &Path, page: &str) {
    say(format!(
        "{}: {} KB. Open it in a browser; it needs nothing else.",
        file.display(),
        page.len() / 1000
    ));
}

/// Writes a file that appears only when it is complete.
fn write_whole(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut part = tempfile::Builder::new().prefix(".referee-page-").tempfile_in(folder)?;
    part.write_all(bytes)?;
    part.as_file().set_permissions(Permissions::from_mode(0o644))?;
    part.persist(file).map(drop).map_err(|error| error.error)
}
