//! `referee hill watch`: the standings of a hill on the screen, while other processes play on it.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use referee_contest::hill::Hill;
use referee_contest::verdicts;
use referee_record::text;
use referee_statistics::stop_rule::StopRule;
use referee_tables::contests::legend;

use crate::follow::{self, Page};
use referee_cli::hill::length_of;
use referee_cli::sheet::drawn;
use referee_cli::standings::table_of;
use referee_cli::usage;

/// Show the standings on the screen, and follow a run
#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// The hill
    dir: PathBuf,
}

impl Watch {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let hill = Hill::open(&self.dir).map_err(usage)?;
        follow::on_screen("referee hill standings", || Ok(length_of(&hill)), |width| page(&hill, width))
    }
}

/// Writes the page.
fn page(hill: &Hill, width: usize) -> anyhow::Result<Page> {
    let mut page = format!("{}: {}\n", hill.root().display(), hill.entry().about);
    let Some((season, ratings)) = hill.account(None, StopRule::default())? else {
        page.push_str("No game has been played yet.\n");
        return Ok(Page { text: page, ended: 0, left: None });
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
    let _ = writeln!(page, "{}", legend(&season));
    let verdict = verdicts::read(hill.root())?.into_iter().rfind(|row| row.season == season.number);
    let left = season.games_until_certain().filter(|_| verdict.is_none());
    match (verdict, season.outlook()) {
        (Some(verdict), _) => page += &verdict.to_string(),
        (None, Some(outlook)) => page += &outlook,
        (None, None) => {}
    }
    let left = left.map(|games| (games, "until a clear king"));
    Ok(Page { text: page, ended: season.games(), left })
}
