//! `referee hill watch`: the standings of a hill on the screen, while other processes play on it.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use referee_contest::folder;
use referee_contest::hill::Hill;
use referee_contest::verdicts;
use referee_files::beneath::Spot;
use referee_record::text;
use referee_statistics::stop_rule::StopRule;

use crate::follow;
use crate::sheet::drawn;
use crate::standings::table_of;
use crate::usage;

#[derive(Debug, Args)]
pub(super) struct Watch {
    /// The hill
    dir: PathBuf,
}

impl Watch {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let hill = Hill::open(&self.dir).map_err(usage)?;
        follow::on_screen("referee hill standings", || Ok(length_of(&hill)), |width| page(&hill, width))
    }
}

/// Returns the length of the results in bytes, which grows with every game.
pub fn length_of(hill: &Hill) -> u64 {
    let results = folder::results_of(hill.root());
    let length = |spot: Spot| Some(spot.open().ok()?.metadata().ok()?.len());
    length(results).unwrap_or(0)
}

/// Writes the page.
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
