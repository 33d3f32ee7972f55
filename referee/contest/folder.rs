//! A folder of games: `results.csv`, a log for each game in `logs`, standard error of bots in `stderr`, and void
//! attempts in `voids.csv`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::thread;

use crate::fixture::Fixture;
use crate::runner::GameEnd;
use crate::runner::attempts::{self, Ledger};
use crate::runner::fitness::Fitness;
use crate::runner::flights::{Flight, Found, Left};
use crate::runner::game_run;
use crate::runner::pool::{self, Dealt, held};
use crate::runner::reserved::Reserved;
use crate::runner::standing::LostStanding;
use crate::runner::tries::{LossLimits, LossSettings, Tries, bots_of, row_of_given_up, row_of_lost};
use crate::runner::watch::Spectator;
use crate::together::{Claim, Lock, PAUSE, Together};

use referee_files::beneath::{self, Spot};
use referee_files::log::{self, LogFile, part_of};
use referee_files::results::{self, ResultsFile, SetAside};
use referee_files::walk::{self, Entry};
use referee_files::{digest, voids};
use referee_record::Digest;
use referee_record::error::Error;
use referee_record::file::{self, Form};
use referee_record::game_result::GameResult;
use referee_record::results::Scheduled;
use referee_record::voids::{GIVEN_UP, LOST, VoidRow};
use referee_rules::Seat;
use referee_sandbox::Tier;

use referee_play::table::TableError;
use referee_table::process::{Setup, make_room};

/// A folder that games are played into.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    results: Mutex<ResultsFile>,
    voids: Mutex<Voids>,
    /// The numbers of lost attempts after which a game is given up.
    losses: LossLimits,
    /// The view of other runners, after a call of [`recover`](Folder::recover); `None` for a folder of one runner.
    together: Option<Mutex<Together>>,
    fitness: Fitness,
}

/// The part of the list of void games that was read.
#[derive(Debug, Default)]
struct Voids {
    /// The attempts at each game that did not count.
    tries: BTreeMap<String, Tries>,
    /// The length of the list, in bytes.
    length: u64,
}

/// Leftovers of an interrupted run, and their treatment.
#[derive(Debug, Default)]
pub struct Recovered {
    /// The games of a schedule that are in the results.
    pub played: BTreeSet<Scheduled>,
    /// The rows that were added to the list of void games.
    pub lost: Vec<VoidRow>,
    /// Whether other runners play here now.
    pub has_others: bool,
}

impl Folder {
    /// Opens a folder, or begins it.
    ///
    /// # Errors
    ///
    /// If the system refuses, or its results are not results.
    pub fn open(root: &Path) -> Result<(Folder, Option<SetAside>), Error> {
        beneath::create_folder(root)?;
        let (results, set_aside) = ResultsFile::open(results_of(root))?;
        let folder = Folder {
            root: root.to_owned(),
            results: Mutex::new(results),
            voids: Mutex::default(),
            losses: LossSettings::default().limits(Tier::Off),
            together: None,
            fitness: Fitness::default(),
        };
        folder.look_at_voids()?;
        Ok((folder, set_aside))
    }

    /// Cleans up after interrupted runs: a log whose game is in the results gets its final name. Any other unfinished
    /// log is removed, unless its runner plays here now. Games that were in flight are entered as lost, and given up if
    /// that happens too often. Games that begin after this call are recorded. `look` is called with each game in the
    /// results. Other runners wait for the lock until [`let_in`](Folder::let_in) is called.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a file is damaged; or an error of `look`.
    pub fn recover(
        &mut self,
        lock: Lock,
        mut look: impl FnMut(GameResult) -> Result<(), Error>,
    ) -> Result<Recovered, Error> {
        let mut found = Found::look(&self.root)?;
        let mut parts = self.parts()?;
        parts.retain(|part| !found.has(&game_of_part(part)));
        let mut lost = std::mem::take(&mut found.left.flights);
        let mut played = BTreeSet::new();
        let mut games = results::games(results_of(&self.root))?;
        for game in games.by_ref() {
            let game = GameResult::new(game?.into_iter().map(|(_, row)| row).collect());
            let row = game.shared();
            played.extend(row.place_in_schedule);
            lost.retain(|flight| flight.game != row.game);
            let part = part_of(&self.root.join(&row.log));
            if parts.remove(&part) {
                self.settle_part(&part, Some(&row.log_digest))?;
            }
            look(game)?;
        }
        let lost = self.enter_lost(lost, &parts)?;
        parts.iter().try_for_each(|part| self.settle_part(part, None))?;
        let has_others = found.has_others();
        let flights = found.begin(&self.root)?;
        let given_up = self.voids()?.into_iter().filter(|row| row.reason == GIVEN_UP).map(|row| row.game);
        self.together = Some(Mutex::new(Together::new(lock, flights, games, given_up.collect())));
        Ok(Recovered { played, lost, has_others })
    }

    /// Sets the numbers of lost attempts after which a game is given up.
    pub fn set_losses(&mut self, losses: LossLimits) {
        self.losses = losses;
    }

    /// Lets other runners play here, too.
    pub fn let_in(&self) {
        self.together.iter().for_each(|together| held(together).unlock());
    }

    /// Calls `act` while no runner changes the results. They then contain no unfinished game.
    ///
    /// # Errors
    ///
    /// If the system refuses; or an error of `act`.
    pub fn quiet<T>(&self, act: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        self.under_lock(|_| act())
    }

    /// Lists the unfinished logs.
    fn parts(&self) -> Result<BTreeSet<PathBuf>, Error> {
        parts_below(&self.root)
    }

    /// Gives an unfinished log its final name if it has this digest, which is that of the results; else removes it.
    fn settle_part(&self, part: &Path, entered: Option<&Digest>) -> Result<(), Error> {
        let spot = self.spot(part);
        let is_it = |due: &Digest| digest::of_log(&spot).is_ok_and(|found| found == *due);
        let done = match entered.is_some_and(is_it) {
            true => spot.rename(&self.spot(&part.with_extension(""))),
            false => spot.remove(),
        };
        done.map_err(Error::system(part, "clean up after an interrupted run"))
    }

    /// Sets aside an unfinished game of another runner at the end of the results.
    fn repair(&self) -> Result<(), Error> {
        held(&self.results).repair().map(drop)
    }

    /// Reads the list of void games if it has changed. Returns the games that are given up in it, each with the reason.
    fn look_at_voids(&self) -> Result<Vec<(String, String)>, Error> {
        let mut voids = held(&self.voids);
        let spot = voids_of(&self.root);
        let length = spot.open().and_then(|file| file.metadata()).map_or(0, |there| there.len());
        if length == voids.length {
            return Ok(Vec::new());
        }
        let rows = voids::read(spot)?;
        *voids = Voids { length, ..Voids::default() };
        rows.iter().for_each(|row| voids.tries.entry(row.game.clone()).or_default().add(row));
        let given_up = rows.into_iter().filter(|row| row.reason == GIVEN_UP);
        Ok(given_up.map(|row| (row.game, row.detail)).collect())
    }

    /// Adds the rows of a game to the results, then gives its log its final name.
    fn append(&self, rows: &GameResult, log: LogFile) -> Result<(), Error> {
        // The rows first: `recover` gives the log its name.
        held(&self.results).append(rows)?;
        log.publish()
    }

    /// Enters as lost the games of runners that are gone. `parts` are their unfinished logs, and perhaps others.
    fn enter_lost(&self, open: Vec<Flight>, parts: &BTreeSet<PathBuf>) -> Result<Vec<VoidRow>, Error> {
        let parts: BTreeMap<String, &PathBuf> = parts.iter().map(|part| (game_of_part(part), part)).collect();
        let mut entered = Vec::new();
        let known = self.voids()?;
        for Flight { game, attempt, started, bots } in open {
            // An earlier run can have been killed between the two rows.
            let stands = |row: &VoidRow| row.game == game && row.attempt == attempt && row.reason == LOST;
            if !known.iter().any(stands) {
                let part = parts.get(&game).map(|part| self.spot(part));
                // Only the log of a game that was lost before is written turn by turn.
                let part = part.filter(|_| self.tries_at(&game).has_lost());
                let standing = part.as_ref().map(LostStanding::read).unwrap_or_default();
                entered.push(self.enter(row_of_lost(&game, bots.clone(), attempt, &started, standing))?);
            }
            entered.extend(self.give_up(&game, bots)?);
        }
        Ok(entered)
    }

    /// Adds a row to the list of void games.
    fn enter(&self, row: VoidRow) -> Result<VoidRow, Error> {
        let mut voids = held(&self.voids);
        voids::append(voids_of(&self.root), &row)?;
        voids.tries.entry(row.game.clone()).or_default().add(&row);
        Ok(row)
    }

    /// As [`enter`](Folder::enter), for an attempt in flight here. The game stays this runner's if it is tried again.
    fn enter_together(&self, fixture: &Fixture, row: VoidRow) -> Result<VoidRow, Error> {
        match self.together {
            None => self.enter(row),
            Some(_) => self.under_lock(|together| {
                let row = self.enter(row)?;
                together.flights.ended(fixture);
                let tries = self.tries_at(&row.game);
                match (row.reason == GIVEN_UP, tries.given_up(self.losses)) {
                    (true, _) => together.gave_up(&row.game),
                    (false, None) => together.flights.begun(fixture, tries.next())?,
                    (false, Some(_)) => {}
                }
                Ok(row)
            }),
        }
    }

    /// Enters a game as given up, if it is not tried again.
    fn give_up(&self, game: &str, bots: String) -> Result<Option<VoidRow>, Error> {
        let tries = self.tries_at(game);
        let Some(why) = tries.given_up(self.losses).filter(|_| !tries.is_given_up()) else {
            return Ok(None);
        };
        Ok(Some(self.enter(row_of_given_up(game, bots, tries.next() - 1, &why))?))
    }

    fn tries_at(&self, game: &str) -> Tries {
        held(&self.voids).tries.get(game).cloned().unwrap_or_default()
    }

    /// Lists the attempts that did not count.
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

    /// Returns the path of a game's log, compressed or not.
    pub fn log_path(&self, folder: &str, id: &str) -> PathBuf {
        let log = self.spot(&game_run::log_path(&self.root, folder, id, Form::default()));
        log::found(log).path().to_owned()
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
        watch: Option<&Spectator>,
    ) -> Result<GameEnd, Error> {
        attempts::play(self, fixture, setup, &self.fitness, watch)
    }

    /// Plays games, `jobs` at a time, and shares them with other runners. `report` is called for each game that has
    /// ended or was given up, in the order of `fixtures`; for games of other runners, later. A game without a place
    /// in a schedule gets another name if its own is taken.
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
        watch: Option<&Spectator>,
        mut report: impl FnMut(&Fixture, GameEnd),
    ) -> Result<(), Error> {
        let jobs = jobs.clamp(1, fixtures.len().max(1));
        make_room(jobs, fixtures.iter().map(|fixture| fixture.entrants.len()).max().unwrap_or(0))?;
        let is_stopped = || setup.stop.load(Ordering::Relaxed);
        let play = |mut fixture: Fixture| {
            // A game of a schedule has its name from there.
            let is_free = fixture.scheduled.is_none();
            let _reserved = is_free.then(|| Reserved::reserve(&self.root, &mut fixture)).transpose()?;
            let came = self.play(&fixture, setup, watch)?;
            Ok((fixture, came))
        };
        let mut report = |(fixture, came): (Fixture, GameEnd)| report(&fixture, came);
        let mut waiting: VecDeque<Fixture> = fixtures.into();
        while !waiting.is_empty() && !is_stopped() {
            let mut elsewhere = VecDeque::new();
            let deal = || {
                while let Some(fixture) = waiting.pop_front() {
                    match self.claim(&fixture)? {
                        Claim::Mine => return Ok(Some(Dealt::Game(fixture))),
                        Claim::Came(came) => return Ok(Some(Dealt::Event((fixture, came)))),
                        Claim::Others => elsewhere.push_back(fixture),
                    }
                }
                Ok(None)
            };
            pool::play(jobs, &setup.stop, is_stopped, deal, play, &mut report)?;
            // If another runner ends, the games that it has claimed are free again.
            self.wait_for(elsewhere.make_contiguous(), is_stopped)?;
            waiting = elsewhere;
        }
        if is_stopped() { Err(TableError::Stopped.into()) } else { Ok(()) }
    }

    /// Marks a game as no longer in flight. Its result is on the disk already.
    fn landed(&self, fixture: &Fixture) {
        self.together.iter().for_each(|together| held(together).flights.ended(fixture));
    }

    /// Returns the file with the standard error of a seat's bot.
    pub fn errors_path(&self, folder: &str, id: &str, seat: Seat) -> PathBuf {
        game_run::errors_path(&self.root, folder, id, seat)
    }
}

/// One of the runners of a hill.
impl Folder {
    /// Claims a game for this runner, if no other has it.
    pub(super) fn claim(&self, fixture: &Fixture) -> Result<Claim, Error> {
        // Without a schedule there is no other runner.
        if self.together.is_none() {
            return Ok(Claim::Mine);
        }
        self.under_lock(|together| together.claim(fixture, self.tries(fixture).next()))
    }

    /// Waits until one of these games, which others play, has ended or is free; or until `is_stopped`.
    pub(super) fn wait_for(&self, games: &[Fixture], is_stopped: impl Fn() -> bool) -> Result<(), Error> {
        let is_there = |together: &mut Together| {
            let of_others = |game: &Fixture| together.flights.others_have(&game.id);
            Ok(games.iter().any(|game| together.came(&game.id).is_some() || !of_others(game)))
        };
        while !games.is_empty() && !is_stopped() && !self.under_lock(is_there)? {
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Enters a game into the results. Its claim makes sure that no other runner does.
    fn enter_once(&self, fixture: &Fixture, rows: &GameResult, log: LogFile) -> Result<(), Error> {
        self.under_lock(|together| {
            together.flights.check_alive()?;
            self.append(rows, log)?;
            together.entered(fixture);
            Ok(())
        })
    }

    /// Calls `act` while no other runner reads or changes the hill, after a look at their changes.
    fn under_lock<T>(&self, act: impl FnOnce(&mut Together) -> Result<T, Error>) -> Result<T, Error> {
        let mut together = held(self.together.as_ref().expect("a runner of a hill"));
        together.lock()?;
        let done = self.look(&mut together).and_then(|()| act(&mut together));
        together.unlock();
        done
    }

    /// Reads the changes of others since the last look, and clears up after runners that are gone.
    fn look(&self, together: &mut Together) -> Result<(), Error> {
        let left = together.flights.look()?;
        self.repair()?;
        together.read_on()?;
        self.clear_up(together, left)?;
        together.given_up(self.look_at_voids()?);
        Ok(())
    }

    /// Clears up after runners that are gone: a log whose game is in the results gets its final name, other unfinished
    /// logs are removed, and their games are entered as lost.
    fn clear_up(&self, together: &Together, left: Left) -> Result<(), Error> {
        if left.flights.is_empty() {
            return left.forget();
        }
        let mut entered: BTreeMap<&str, Option<Digest>> = BTreeMap::new();
        for flight in &left.flights {
            let rows = match together.came(&flight.game) {
                Some(GameEnd::Over(rows)) => Some(rows.shared().log_digest.clone()),
                _ => results::last_game(results_of(&self.root), Some(&flight.game))?
                    .map(|rows| rows[0].1.log_digest.clone()),
            };
            entered.insert(&flight.game, rows);
        }
        let parts = self.parts()?;
        let is_lost = |flight: &&Flight| entered[&*flight.game].is_none();
        self.enter_lost(left.flights.iter().filter(is_lost).cloned().collect(), &parts)?;
        for part in parts {
            if let Some(digest) = entered.get(&*game_of_part(&part)) {
                self.settle_part(&part, digest.as_ref())?;
            }
        }
        left.forget()
    }
}

impl Ledger for Folder {
    fn folder(&self) -> &Path {
        &self.root
    }

    fn tries(&self, fixture: &Fixture) -> Tries {
        let tries = self.tries_at(&fixture.id);
        // A game without a place in a schedule is played because a user asks for it again.
        if fixture.scheduled.is_none() { tries.forgiven() } else { tries }
    }

    fn loss_limits(&self, _: Tier) -> LossLimits {
        self.losses
    }

    fn begin(&self, fixture: &Fixture, attempt: u32) -> Result<(), Error> {
        self.together.as_ref().map_or(Ok(()), |together| held(together).flights.begun(fixture, attempt))
    }

    fn over(&self, fixture: &Fixture, rows: &GameResult, log: LogFile) -> Result<(), Error> {
        if self.together.is_some() { self.enter_once(fixture, rows, log) } else { self.append(rows, log) }
    }

    fn void(&self, fixture: &Fixture, row: VoidRow, tries: &mut Tries) -> Result<(), Error> {
        tries.add(&self.enter_together(fixture, row)?);
        Ok(())
    }

    fn give_up(&self, fixture: &Fixture, tries: &Tries, why: &str) -> Result<(), Error> {
        let row = row_of_given_up(&fixture.id, bots_of(fixture), tries.next() - 1, why);
        self.enter_together(fixture, row).map(drop)
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

/// Maximum number of unfinished logs of interrupted runs.
const PARTS_MAX: usize = 100_000;

/// Returns the name of the game of an unfinished log.
fn game_of_part(part: &Path) -> String {
    file::stem(&part.with_extension(""))
}

fn parts_below(root: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    let mut parts = BTreeSet::new();
    // Only the names of the logs are needed: there can be a million.
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
