//! Games of a hill that are being played, for viewers.

use crate::fixture;
use crate::hill::Hill;
use crate::records;
use crate::runner::game_run::log_path;
use referee_files::beneath::Spot;
use referee_files::log::part_of;
use referee_record::error::Error;
use referee_store::State;

/// The current work of a hill's runners.
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
    /// Its log so far. With `live = true` in `hill.toml` it grows while the game is played.
    pub log: Spot,
}

impl Hill {
    /// Reads which games are being played. It takes no lock, so no runner waits.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn running(&self) -> Result<Running, Error> {
        let found = State::running(&records::disk_of(&self.root)).map_err(records::told(&self.root))?;
        let runners = found.len();
        let games = found.into_iter().flatten().filter_map(|(game, cells)| {
            let [_, started, bots, ..] = &cells[..] else { return None };
            let (started, bots) = (started.clone(), bots.clone());
            let folder = fixture::folder_of(fixture::place_of(&game)?);
            let path = part_of(&log_path(&self.root, &folder, &game, self.host().log));
            let log = Spot::within(&self.root, &path);
            log.exists().then_some(RunningGame { game, started, bots, log })
        });
        Ok(Running { runners, games: games.collect() })
    }
}
