//! A folder of games: `results.csv`, a log a game under `logs`, what bots wrote to standard error under `stderr`, attempts that do
//! not count in `voids.csv`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use super::fixture::Fixture;
use super::runner::GameEnd;
use super::runner::attempts::{self, Ledger};
use super::runner::fitness::Fitness;
use super::runner::flights::{Flight, Flights};
use super::runner::game_run;
use super::runner::pool::{self, Dealt, held};
use super::runner::tries::{Tries, bots_of, row_of_given_up, row_of_lost};
use super::runner::watch::Spectator;

use crate::error::Error;
use crate::record::Digest;
use crate::record::beneath::Spot;
use crate::record::file::{self, Form};
use crate::record::game_result::GameResult;
use crate::record::log::{LogFile, part_of};
use crate::record::results::{self, ResultsFile, Scheduled, SetAside};
use crate::record::voids::{self, LOST, VoidRow};
use crate::record::walk::{self, Entry};
use crate::rules::Seat;

use crate::table::TableError;
use crate::table::process::{Setup, make_room};

/// A folder that games are played into.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    results: Mutex<ResultsFile>,
    /// The attempts at each game that did not count.
    tries: Mutex<BTreeMap<String, Tries>>,
    /// Which games are in flight, where that is kept.
    flights: Option<Flights>,
    fitness: Fitness,
}

/// What an interrupted run has left, and what was made of it.
#[derive(Debug, Default)]
pub struct Recovered {
    /// The games that stand in the results, as far as they stand in a schedule.
    pub played: BTreeSet<Scheduled>,
    /// The rows that were added to the list of void games.
    pub lost: Vec<VoidRow>,
}

impl Folder {
    /// Opens a folder, or begins it.
    ///
    /// # Errors
    ///
    /// If the system refuses, or its results are not results.
    pub fn open(root: &Path) -> Result<(Folder, Option<SetAside>), Error> {
        std::fs::create_dir_all(root).map_err(Error::system(root, "create the folder"))?;
        let (results, set_aside) = ResultsFile::open(results_of(root))?;
        let mut tries: BTreeMap<String, Tries> = BTreeMap::new();
        for void in voids::read(voids_of(root))? {
            tries.entry(void.game.clone()).or_default().add(&void);
        }
        let folder = Folder {
            root: root.to_owned(),
            results: Mutex::new(results),
            tries: Mutex::new(tries),
            flights: None,
            fitness: Fitness::default(),
        };
        Ok((folder, set_aside))
    }

    /// Cleans up what an interrupted run has left: a log whose game stands in the results gets its final name, any
    /// other unfinished log is removed. Games that were in flight are entered as lost, and given up if that happens too often. From
    /// now on it is kept which games are in flight. `look` is shown each game that stands in the results. To be called only by the
    /// one run of a folder.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a file is damaged; or what `look` says.
    pub fn recover(
        &mut self,
        mut look: impl FnMut(GameResult) -> Result<(), Error>,
    ) -> Result<Recovered, Error> {
        let parts = parts_below(&self.root)?;
        let mut open = Flights::left_in(&self.root)?;
        let mut whole = BTreeSet::new();
        let mut played = BTreeSet::new();
        for game in results::games(results_of(&self.root))? {
            let game = GameResult::new(game?.into_iter().map(|(_, row)| row).collect());
            let row = game.shared();
            played.extend(row.place_in_schedule);
            open.retain(|flight| flight.game != row.game);
            let path = self.root.join(&row.log);
            let part = part_of(&path);
            if parts.contains(&part) && Digest::of_log(self.spot(&part)).is_ok_and(|is| is == row.log_digest)
            {
                whole.insert(part);
            }
            look(game)?;
        }
        for part in parts {
            let done = if whole.contains(&part) {
                self.spot(&part).rename(&self.spot(&part.with_extension("")))
            } else {
                self.spot(&part).remove()
            };
            done.map_err(Error::system(&part, "clean up after an interrupted run"))?;
        }
        let lost = self.enter_lost(open)?;
        self.flights = Some(Flights::begin(&self.root)?);
        Ok(Recovered { played, lost })
    }

    /// Enters games that were begun and never heard of again.
    fn enter_lost(&self, open: Vec<Flight>) -> Result<Vec<VoidRow>, Error> {
        let mut entered = Vec::new();
        let known = self.voids()?;
        for Flight { game, attempt, started, bots } in open {
            // An earlier run may have been brought down just here.
            let stands = |row: &VoidRow| row.game == game && row.attempt == attempt && row.reason == LOST;
            if !known.iter().any(stands) {
                entered.push(self.enter(row_of_lost(&game, bots.clone(), attempt, &started))?);
            }
            entered.extend(self.give_up(&game, bots)?);
        }
        Ok(entered)
    }

    /// Adds a row to the list of void games.
    fn enter(&self, row: VoidRow) -> Result<VoidRow, Error> {
        voids::append(voids_of(&self.root), &row)?;
        held(&self.tries).entry(row.game.clone()).or_default().add(&row);
        Ok(row)
    }

    /// Enters a game as given up, if it is not tried again.
    fn give_up(&self, game: &str, bots: String) -> Result<Option<VoidRow>, Error> {
        let tries = self.tries_at(game);
        let Some(why) = tries.given_up().filter(|_| !tries.is_given_up()) else { return Ok(None) };
        Ok(Some(self.enter(row_of_given_up(game, bots, tries.next() - 1, &why))?))
    }

    fn tries_at(&self, game: &str) -> Tries {
        held(&self.tries).get(game).cloned().unwrap_or_default()
    }

    /// Reads which games did not count.
    ///
    /// # Errors
    ///
    /// If their list cannot be read.
    pub fn voids(&self) -> Result<Vec<VoidRow>, Error> {
        voids::read(voids_of(&self.root))
    }

    fn spot(&self, path: &Path) -> Spot {
        Spot::within(&self.root, path)
    }

    /// Returns the log of a game, which may have been compressed since, or not have been kept so.
    pub fn log_path(&self, folder: &str, id: &str) -> PathBuf {
        let log = self.spot(&game_run::log_path(&self.root, folder, id, Form::default()));
        file::found(log).path().to_owned()
    }

    /// Plays a game, while somebody may be watching, and enters it into the results, or into the list of void games.
    ///
    /// # Errors
    ///
    /// If the referee is in trouble or told to stop: then nothing of the game is left. If this machine is found unfit.
    pub fn play(
        &self,
        fixture: &Fixture,
        setup: &Setup,
        watch: Option<&Spectator>,
    ) -> Result<GameEnd, Error> {
        attempts::play(self, fixture, setup, &self.fitness, watch)
    }

    /// Plays games, some at a time. `report` hears of each that has ended or was given up, in the order in which they stand.
    ///
    /// # Errors
    ///
    /// If the referee is in trouble or told to stop, or this machine is unfit: the games in flight are given up, all others
    /// stand in the results.
    pub fn play_all(
        &self,
        fixtures: Vec<Fixture>,
        setup: &Setup,
        jobs: usize,
        watch: Option<&Spectator>,
        mut report: impl FnMut(&Fixture, GameEnd),
    ) -> Result<(), Error> {
        let jobs = jobs.clamp(1, fixtures.len().max(1));
        make_room(jobs, fixtures.iter().map(|fixture| fixture.entrants.len()).max().unwrap_or(0))?;
        let mut waiting = fixtures.into_iter().map(Dealt::Game);
        let is_stopped = || setup.stop.load(Ordering::Relaxed);
        let play = |fixture: Fixture| {
            let came = self.play(&fixture, setup, watch)?;
            Ok((fixture, came))
        };
        let report = |(fixture, came): (Fixture, GameEnd)| report(&fixture, came);
        pool::play(jobs, &setup.stop, is_stopped, || Ok(waiting.next()), play, report)?;
        if is_stopped() { Err(TableError::Stopped.into()) } else { Ok(()) }
    }

    /// A game is in flight no more. What came of it is on the disk already.
    fn landed(&self, fixture: &Fixture) {
        self.flights.iter().for_each(|flights| flights.ended(fixture));
    }

    /// Returns the file with what a seat's bot wrote to standard error.
    pub fn errors_path(&self, folder: &str, id: &str, seat: Seat) -> PathBuf {
        game_run::errors_path(&self.root, folder, id, seat)
    }
}

impl Ledger for Folder {
    fn folder(&self) -> &Path {
        &self.root
    }

    fn tries(&self, fixture: &Fixture) -> Tries {
        let tries = self.tries_at(&fixture.id);
        // Without a place in a schedule, somebody asks for this very game again.
        if fixture.scheduled.is_none() { tries.forgiven() } else { tries }
    }

    fn begin(&self, fixture: &Fixture, attempt: u32) -> Result<(), Error> {
        self.flights.as_ref().map_or(Ok(()), |flights| flights.begun(fixture, attempt))
    }

    fn over(&self, fixture: &Fixture, rows: &GameResult, log: LogFile) -> Result<(), Error> {
        // The rows first: `recover` gives the log its name.
        held(&self.results).append(rows)?;
        log.publish()?;
        self.landed(fixture);
        Ok(())
    }

    fn void(&self, fixture: &Fixture, row: VoidRow, tries: &mut Tries) -> Result<(), Error> {
        tries.add(&self.enter(row)?);
        self.landed(fixture);
        Ok(())
    }

    fn give_up(&self, fixture: &Fixture, tries: &Tries, why: &str) -> Result<(), Error> {
        self.enter(row_of_given_up(&fixture.id, bots_of(fixture), tries.next() - 1, why)).map(drop)
    }

    fn break_off(&self, fixture: &Fixture, error: Error) -> Error {
        self.landed(fixture);
        error
    }
}

/// Returns the results of a folder.
pub fn results_of(root: &Path) -> Spot {
    Spot::below(root, "results.csv")
}

/// Returns the list of a folder's void games.
pub fn voids_of(root: &Path) -> Spot {
    Spot::below(root, "voids.csv")
}

/// The most unfinished logs that interrupted runs may have left.
const PARTS_MAX: usize = 100_000;

fn parts_below(root: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    let mut parts = BTreeSet::new();
    // Of a million logs nothing is asked but their names.
    walk::each_file(&Spot::below(root, "logs"), |Entry { path, .. }| {
        if path.as_os_str().as_encoded_bytes().ends_with(b".part") {
            parts.insert(path);
        }
        match parts.len() <= PARTS_MAX {
            true => Ok(()),
            false => {
                Err(Error::file(root, format!("more than {PARTS_MAX} logs end with .part: remove them")))
            }
        }
    })?;
    Ok(parts)
}
