//! Games of a contest that are being played, for viewers.

use std::path::Path;

use crate::hill::Hill;
use crate::plan::Plan;
use crate::records;
use crate::runner::game_run::log_path;
use referee_files::beneath::Spot;
use referee_files::log::part_of;
use referee_record::error::Error;
use referee_record::file::Form;
use referee_store::ContestState;

/// The current work of a contest's runners on this machine.
#[derive(Clone, Debug, Default)]
pub struct Running {
    /// Number of runners.
    pub runners: usize,
    /// The games that they have begun, with a log.
    pub games: Vec<RunningGame>,
}

/// A game that is being played.
#[derive(Clone, Debug)]
pub struct RunningGame {
    /// Its name.
    pub game: String,
    /// When it began (UTC).
    pub started: String,
    /// Its bots, by seat, as `voids.csv` names them.
    pub bots: String,
    /// Its log so far. On a hill with `live = true` in its settings it grows while the game is played.
    pub log: Spot,
}

impl Running {
    /// Reads which games of a hill are being played. It takes no lock, so no runner waits.
    pub fn on_hill(hill: &Hill) -> Result<Running, Error> {
        Running::read(hill.root(), hill.root().into(), hill.host().log)
    }

    /// Reads which games of a plan's round are being played.
    pub fn in_round(plan: &Plan) -> Result<Running, Error> {
        Running::read(&plan.root, records::folder_of(plan), plan.contents.host.log)
    }

    fn read(root: &Path, records: Spot, form: Form) -> Result<Running, Error> {
        let found =
            ContestState::running(&records::disk_of(&records)).map_err(records::trouble_at(&records))?;
        let runners = found.len();
        let games = found.into_iter().flatten().filter_map(|(game, cells)| {
            let [_, started, bots, folder, ..] = &cells[..] else { return None };
            let log = Spot::within(root, part_of(&log_path(root, folder, &game, form)));
            let (started, bots) = (started.clone(), bots.clone());
            if log.exists() { Some(RunningGame { game, started, bots, log }) } else { None }
        });
        Ok(Running { runners, games: games.collect() })
    }
}
