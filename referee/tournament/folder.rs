//! A folder of games: `results.csv`, a log a game under `logs`, what bots wrote to standard error under `stderr`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::fixture::Fixture;
use super::sitting::{self, Sitting};
use super::watch::Watch;
use crate::play::PlayError;
use crate::record::file::{self, Form};
use crate::record::log::part_of;
use crate::record::results::{self, ResultRow, ResultsFile, Scheduled, SetAside};
use crate::record::voids::{self, VoidRow};
use crate::record::{Digest, RecordError};
use crate::rules::Seat;
use crate::table::process::Setup;
use crate::table::sandbox::Tier;
use crate::table::{TableError, Void};

/// A folder that games are played into.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    results: Mutex<ResultsFile>,
    /// How often each game was void so far.
    attempts: Mutex<BTreeMap<String, u32>>,
}

/// A game is played so often in one run before the referee gives up: a host on which it is void each time needs help.
const ATTEMPTS: u32 = 3;

impl Folder {
    /// Opens a folder, or begins it.
    ///
    /// # Errors
    ///
    /// If the system refuses, or its results are not results.
    pub fn open(root: &Path) -> Result<(Folder, Option<SetAside>), RecordError> {
        fs::create_dir_all(root).map_err(RecordError::system(root, "create the folder"))?;
        let (results, set_aside) = ResultsFile::open(&results_of(root))?;
        let voids = voids::read(&voids_of(root))?;
        let attempts = voids.into_iter().map(|void| (void.game, void.attempt)).collect();
        let folder =
            Folder { root: root.to_owned(), results: Mutex::new(results), attempts: Mutex::new(attempts) };
        Ok((folder, set_aside))
    }

    /// Cleans up what an interrupted run has left: a log whose game stands in the results gets its final name, any
    /// other unfinished log is removed. Returns what has been played, as far as it stands in a schedule. To be called only by the
    /// one run of a folder.
    ///
    /// # Errors
    ///
    /// If the system refuses, or the results are damaged.
    pub fn recover(&self) -> Result<BTreeSet<Scheduled>, RecordError> {
        let parts = parts_below(&self.root.join("logs"));
        let mut whole = BTreeSet::new();
        let mut played = BTreeSet::new();
        for game in results::games(&results_of(&self.root))? {
            let (_, row) = &game?[0];
            played.extend(row.place_in_schedule);
            let path = self.root.join(&row.log);
            let part = part_of(&path);
            if parts.contains(&part) && Digest::of_log(&part).is_ok_and(|is| is == row.log_digest) {
                whole.insert(part);
            }
        }
        for part in parts {
            let done = if whole.contains(&part) {
                fs::rename(&part, part.with_extension(""))
            } else {
                fs::remove_file(&part)
            };
            done.map_err(RecordError::system(&part, "clean up after an interrupted run"))?;
        }
        Ok(played)
    }

    /// Reads which games did not count.
    ///
    /// # Errors
    ///
    /// If their list cannot be read.
    pub fn voids(&self) -> Result<Vec<VoidRow>, RecordError> {
        voids::read(&voids_of(&self.root))
    }

    /// Returns the log of a game, which may have been compressed since, or not have been kept so.
    pub fn log_path(&self, folder: &str, id: &str) -> PathBuf {
        file::found(sitting::log_path(&self.root, folder, id, Form::default()))
    }

    /// Plays a game: starts its bots, keeps its log, enters it into the results. A game that turns out void is recorded as
    /// such and played again.
    ///
    /// # Errors
    ///
    /// If the referee is in trouble or told to stop: then nothing of the game is left. If the game was void each time.
    pub fn play(&self, fixture: &Fixture, setup: &Setup) -> Result<Vec<ResultRow>, PlayError> {
        self.play_watched(fixture, setup, None)
    }

    /// Likewise, while somebody may be watching.
    ///
    /// # Errors
    ///
    /// As for [`play`](Folder::play).
    pub fn play_watched(
        &self,
        fixture: &Fixture,
        setup: &Setup,
        watch: Option<&Watch>,
    ) -> Result<Vec<ResultRow>, PlayError> {
        let before = self.attempts.lock().unwrap_or_else(PoisonError::into_inner).get(&fixture.id).copied();
        let first = before.unwrap_or(0) + 1;
        for attempt in first..first + ATTEMPTS - 1 {
            match self.attempt(fixture, setup, attempt, watch) {
                Err(PlayError::Table(TableError::Void(_))) => {}
                played => return played,
            }
        }
        self.attempt(fixture, setup, first + ATTEMPTS - 1, watch)
    }

    fn attempt(
        &self,
        fixture: &Fixture,
        setup: &Setup,
        attempt: u32,
        watch: Option<&Watch>,
    ) -> Result<Vec<ResultRow>, PlayError> {
        match sitting::play(&self.root, fixture, setup, attempt, watch)? {
            Sitting::Over { rows, log } => {
                self.results.lock().unwrap_or_else(PoisonError::into_inner).append(&rows)?;
                log.publish()?;
                Ok(rows)
            }
            Sitting::Void { void, turn, started, log } => {
                self.record_void(fixture, (&void, attempt), turn, started, setup.sandbox, &log)?;
                Err(TableError::Void(void).into())
            }
        }
    }

    /// Records that a game does not count.
    fn record_void(
        &self,
        fixture: &Fixture,
        (void, attempt): (&Void, u32),
        turn: u32,
        started: String,
        sandbox: Tier,
        log: &Path,
    ) -> Result<(), RecordError> {
        let befallen = &fixture.entrants[void.seat()].name;
        let bots: Vec<String> = fixture
            .entrants
            .iter()
            .map(|(_, bot)| format!("{}:{}", bot.name.name, bot.name.version))
            .collect();
        let digest = Digest::of_log(log).map_err(RecordError::system(log, "read the log"))?;
        let row = VoidRow {
            game: fixture.id.clone(),
            started,
            attempt,
            turn,
            reason: void.name().to_owned(),
            seat: void.seat().index() as u8,
            bot: befallen.name.clone(),
            bot_version: befallen.version,
            bots: bots.join(" "),
            sandbox: sandbox.name().to_owned(),
            detail: void.to_string(),
            log: log.strip_prefix(&self.root).unwrap_or(log).to_string_lossy().into_owned(),
            log_digest: digest.to_string(),
        };
        voids::append(&voids_of(&self.root), &row)?;
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner).insert(fixture.id.clone(), attempt);
        Ok(())
    }

    /// Returns the file with what a seat's bot wrote to standard error.
    pub fn errors_path(&self, folder: &str, id: &str, seat: Seat) -> PathBuf {
        sitting::errors_path(&self.root, folder, id, seat)
    }
}

/// Returns the results of a folder.
pub fn results_of(root: &Path) -> PathBuf {
    root.join("results.csv")
}

/// Returns the list of a folder's void games.
pub fn voids_of(root: &Path) -> PathBuf {
    root.join("voids.csv")
}

fn parts_below(folder: &Path) -> BTreeSet<PathBuf> {
    let mut parts = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            // Of a million logs nothing is asked but their names.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder {
                folders.push(entry.path());
            } else if entry.file_name().as_encoded_bytes().ends_with(b".part") {
                parts.insert(entry.path());
            }
        }
    }
    parts
}
