//! `referee hill watch`: the standings of a hill on the screen, while somebody else plays on it.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use referee::error::Error;
use referee::record::beneath::Spot;
use referee::statistics::stop_rule::StopRule;
use referee::text;
use referee::tournament::folder;
use referee::tournament::hill::Hill;
use referee::tournament::verdicts;
use referee::view::canvas::{Canvas, Ink};

use super::keys::{Input, Key};
use super::sheet::drawn;
use super::standings::table_of;
use super::terminal::Terminal;
use super::usage;

#[derive(Debug, Args)]
pub(super) struct Watch {
    /// The hill
    dir: PathBuf,
}

/// How often results are looked at.
const LOOK: Duration = Duration::from_millis(500);

impl Watch {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let hill = Hill::open(&self.dir).map_err(usage)?;
        if !Terminal::is_there() {
            let what = "watching needs a terminal on standard output; `referee hill standings` needs none";
            return Err(Error::input(what).into());
        }
        let mut terminal = Terminal::open()?;
        let (mut seen, mut text) = (None, String::new());
        loop {
            let length = length_of(&hill);
            let (width, height) = terminal.size();
            if seen != Some((length, width)) {
                text = page(&hill, width)?;
                seen = Some((length, width));
            }
            terminal.paint(canvas(&text, width, height))?;
            if let Some(Input::Interrupt | Input::Key(Key::Char('q') | Key::Esc)) = terminal.wait(LOOK)? {
                return Ok(());
            }
        }
    }
}

/// Returns how long the results are: as long as nothing is added, there is nothing new.
fn length_of(hill: &Hill) -> u64 {
    let results = folder::results_of(hill.root());
    let length = |spot: Spot| Some(spot.open().ok()?.metadata().ok()?.len());
    length(results).unwrap_or(0)
}

/// Writes what is shown.
fn page(hill: &Hill, width: usize) -> anyhow::Result<String> {
    let mut page = format!("{}: {}\n", hill.root().display(), hill.entry().about);
    let Some((season, ratings)) = hill.account(None, StopRule::default())? else {
        page.push_str("No game has been played yet.\n");
        return Ok(page);
    };
    let games = text::count(season.games(), "game");
    let _ = writeln!(
        page,
        "Season {}, {}, {games}",
        season.number,
        text::count(season.race.rounds().into(), "round")
    );
    let sheet = table_of(hill, &season, &ratings)?;
    let _ = writeln!(page, "{}", drawn(&sheet.for_people().fitting(width), Some(width)));
    let verdict = verdicts::read(hill.root())?.into_iter().rfind(|row| row.season == season.number);
    match (verdict, season.outlook()) {
        (Some(verdict), _) => page += &verdict.to_string(),
        (None, Some(outlook)) => page += &outlook,
        (None, None) => {}
    }
    Ok(page)
}

fn canvas(text: &str, width: usize, height: usize) -> Canvas {
    let mut canvas = Canvas::new(width, height);
    let lines = text.lines().flat_map(|line| text::wrap(line, width));
    for (y, line) in lines.take(height.saturating_sub(1)).enumerate() {
        canvas.write(0, y, &text::visible_line(&line), Ink::PLAIN);
    }
    canvas.write(0, height.saturating_sub(1), "q leave", Ink::PLAIN);
    canvas
}
