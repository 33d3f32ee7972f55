//! A folder of games: `results.csv`, a log for each game in `logs`, standard error of bots in `stderr`, and void
//! attempts in `voids.csv`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use crate::fixture::Fixture;
use crate::runner::GameEnd;
use crate::runner::attempts::{self, Ledger};
use crate::runner::fitness::Fitness;
use crate::runner::game_run;
use crate::runner::pool::{self, Dealt, held};
use crate::runner::reserved::Reserved;
use crate::runner::tries::{LostMax, Tries, bots_of, row_of_given_up};
use crate::runner::watch::Broadcast;

use referee_files::audit;
use referee_files::beneath::{self, Spot};
use referee_files::log::{self, LogFile};
use referee_files::results::{ResultsFile, SetAside};
use referee_files::voids;
use referee_files::walk;
use referee_record::error::Error;
use referee_record::file::{self, Form};
use referee_record::game_result::GameResult;
use referee_record::voids::VoidRow;
use referee_rules::Seat;
use referee_sandbox::Tier;

use referee_record::play::table::TableError;
use referee_table::process::{Setup, make_room};

/// A folder that games are played into.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    results: Mutex<ResultsFile>,
    /// The attempts at each game that did not count.
    tries: Mutex<BTreeMap<String, Tries>>,
    fitness: Fitness,
}

impl Folder {
    /// Opens a folder, or begins it. Returns also what was set aside of its results: half a game at their end. Fails if
    /// the results lack the rows of a finished game.
    pub fn open(root: &Path) -> Result<(Folder, Option<SetAside>), Error> {
        beneath::create_folder(root)?;
        let results = results_of(root);
        // The rows of a game whose log is finished are on the disk: if they are gone, something was damaged.
        if !results.exists() {
            audit::check_listed(&results)?;
        }
        let (results, set_aside) = ResultsFile::open_after(results.clone(), || audit::check_listed(results))?;
        let mut tries: BTreeMap<String, Tries> = BTreeMap::new();
        voids::each(voids_of(root), |row| {
            tries.entry(row.game.clone()).or_default().add(&row);
            Ok(())
        })?;
        let (results, tries) = (Mutex::new(results), Mutex::new(tries));
        let folder = Folder { root: root.to_owned(), results, tries, fitness: Fitness::default() };
        Ok((folder, set_aside))
    }

    /// Adds a row to the list of void games.
    fn add_void(&self, row: &VoidRow) -> Result<(), Error> {
        voids::append(voids_of(&self.root), row)?;
        held(&self.tries).entry(row.game.clone()).or_default().add(row);
        Ok(())
    }

    fn spot(&self, path: &Path) -> Spot {
        Spot::within(&self.root, path)
    }

    /// Returns the path of the log that a game has: compressed or not.
    pub fn log_path(&self, folder: &str, id: &str) -> PathBuf {
        let log = self.spot(&game_run::log_path(&self.root, folder, id, Form::default()));
        log::resolve_form(log).path().to_owned()
    }

    /// Plays a game, shows it to `watch`, and enters it into the results, or into the list of void games.
    ///
    /// # Errors
    ///
    /// If the referee is in trouble or told to stop: then nothing of the game is left. Or if this machine is unfit.
    pub fn play(
        &self,
        fixture: &Fixture,
        setup: &Setup,
        watch: Option<&Broadcast>,
    ) -> Result<GameEnd, Error> {
        attempts::play(self, fixture, setup, &self.fitness, watch)
    }

    /// Plays games, `jobs` at a time. `report` is called for each game that has ended or was given up, in the order of
    /// `fixtures`. If the name of a game is taken, it gets a number.
    ///
    /// # Errors
    ///
    /// If the referee is in trouble or told to stop, or this machine is unfit: the games in flight are given up, all
    /// others are in the results.
    pub fn play_all(
        &self,
        fixtures: Vec<Fixture>,
        setup: &Setup,
        jobs: usize,
        watch: Option<&Broadcast>,
        mut report: impl FnMut(&Fixture, GameEnd),
    ) -> Result<(), Error> {
        let jobs = jobs.clamp(1, fixtures.len().max(1));
        make_room(jobs, fixtures.iter().map(|fixture| fixture.entrants.len()).max().unwrap_or(0))?;
        let is_stopped = || setup.stop.load(Ordering::Relaxed);
        let play = |mut fixture: Fixture| {
            let _reserved = Reserved::reserve(&self.root, &mut fixture)?;
            let end = self.play(&fixture, setup, watch)?;
            Ok((fixture, end))
        };
        let mut report = |(fixture, end): (Fixture, GameEnd)| report(&fixture, end);
        let mut fixtures = fixtures.into_iter();
        let deal = || Ok(fixtures.next().map(Dealt::Game));
        pool::play(jobs, &setup.stop, is_stopped, deal, play, &mut report)?;
        if is_stopped() { Err(TableError::Stopped.into()) } else { Ok(()) }
    }

    /// Returns the file with the standard error of a seat's bot.
    pub fn errors_path(&self, folder: &str, id: &str, seat: Seat) -> PathBuf {
        game_run::errors_path(&self.root, folder, id, seat)
    }
}

impl Ledger for Folder {
    fn folder(&self) -> &Path {
        &self.root
    }

    /// Returns earlier attempts by their number alone: a user asks for the game again, so they are forgiven.
    fn tries(&self, fixture: &Fixture) -> Tries {
        held(&self.tries).get(&fixture.id).map(Tries::forgiven).unwrap_or_default()
    }

    /// Returns those of the tier: no host has set others.
    fn loss_limits(&self, sandbox: Tier) -> LostMax {
        LostMax::for_tier(None, sandbox)
    }

    /// Records nothing: if the referee is killed, the game was not played.
    fn begin(&self, _: &Fixture, _: u32) -> Result<(), Error> {
        Ok(())
    }

    /// Adds the rows to the results, and gives the log its final name.
    fn over(&self, _: &Fixture, rows: &GameResult, log: LogFile) -> Result<(), Error> {
        held(&self.results).append(rows)?;
        log.publish()
    }

    /// Adds the attempt to the list of void games.
    fn void(&self, _: &Fixture, row: VoidRow, tries: &mut Tries) -> Result<(), Error> {
        self.add_void(&row)?;
        tries.add(&row);
        Ok(())
    }

    /// Adds a row to the list of void games, which says that the game is given up.
    fn give_up(&self, fixture: &Fixture, tries: &Tries, why: &str) -> Result<(), Error> {
        self.add_void(&row_of_given_up(&fixture.id, bots_of(fixture), tries.next_attempt() - 1, why))
    }

    /// Does nothing, since no beginning was recorded.
    fn break_off(&self, _: &Fixture, error: Error) -> Error {
        error
    }
}

/// Returns the file of a folder's results.
pub fn results_of(root: &Path) -> Spot {
    Spot::below(root, "results.csv")
}

/// Returns the file with the list of a folder's void games.
pub fn voids_of(root: &Path) -> Spot {
    Spot::below(root, "voids.csv")
}

/// Maximum number of unfinished logs of interrupted runs.
const PARTS_MAX: usize = 100_000;

/// Returns the name of the game of an unfinished log.
pub(super) fn game_of_part(part: &Path) -> String {
    file::stem(&part.with_extension(""))
}

/// Lists the unfinished logs of a folder.
pub(super) fn parts_below(root: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    let mut parts = BTreeSet::new();
    // Only the names of the logs are needed: there can be a million.
    walk::each_file(&Spot::below(root, "logs"), |entry| {
        let path = entry.path;
        if path.as_os_str().as_encoded_bytes().ends_with(b".part") {
            parts.insert(path);
        }
        if parts.len() > PARTS_MAX {
            return Err(Error::file(root, format!("more than {PARTS_MAX} logs end with .part: remove them")));
        }
        Ok(())
    })?;
    Ok(parts)
}
