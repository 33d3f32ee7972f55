//! Runners of one hill side by side: each claims a game at a time and enters its rows, under a lock that it holds for that alone. Who
//! finds that another lives no more enters what that one has lost. Nothing here depends on who plays which game.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::MutexGuard;
use std::thread;
use std::time::Duration;

use super::fixture::Fixture;
use super::folder::{Folder, game_of_part, results_of};
use super::runner::GameEnd;
use super::runner::attempts::Ledger;
use super::runner::flights::{Flight, Flights, Left};
use super::runner::pool::held;
use crate::error::{Error, ErrorKind};
use crate::record::Digest;
use crate::record::beneath::Spot;
use crate::record::game_result::GameResult;
use crate::record::log::LogFile;
use crate::record::results::{self, Games};

/// The lock of a hill. It is free when this value is gone, or its process.
#[derive(Debug)]
pub struct Lock {
    file: File,
    spot: Spot,
}

/// How long a runner waits before it looks again.
const PAUSE: Duration = Duration::from_millis(20);

/// How often it looks whether a hill can be begun on: for a minute.
const LOOKS: u32 = 3_000;

impl Lock {
    /// Waits until no runner looks at the hill or changes it, which takes each of them less than a moment.
    ///
    /// # Errors
    ///
    /// If the system refuses, or the lock is not free for a minute.
    pub fn take(root: &Path) -> Result<Lock, Error> {
        let spot = Spot::below(root, "run.lock");
        let path = spot.path();
        let file = spot.append().map_err(Error::system(path, "open the lock"))?;
        for _ in 0..LOOKS {
            match file.try_lock() {
                Ok(()) => return Ok(Lock { file, spot }),
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => return Err(Error::system(path, "lock the hill")(error)),
            }
        }
        let what = "locked for a minute: a run of an earlier version is going on, or one stands still; wait for its end";
        Err(Error::new(ErrorKind::Busy, what).at(root))
    }
}

/// What a runner knows of the others.
#[derive(Debug)]
pub(super) struct Together {
    lock: Lock,
    flights: Flights,
    /// The results behind what was read of them.
    tail: Games,
    /// Games that this runner has entered, but not read yet.
    own: BTreeSet<String>,
    /// What came of games that others have played, until somebody asks for it.
    came: BTreeMap<String, GameEnd>,
    /// The games that are known to be given up.
    given_up: BTreeSet<String>,
}

/// Who plays a game.
#[derive(Debug)]
pub(super) enum Claim {
    /// This runner, from now on.
    Mine,
    /// Another one does just now.
    Others,
    /// Nobody: another one has.
    Came(GameEnd),
}

impl Together {
    /// Begins after a look at all results.
    pub(super) fn new(lock: Lock, flights: Flights, tail: Games, given_up: BTreeSet<String>) -> Together {
        Together { lock, flights, tail, own: BTreeSet::new(), came: BTreeMap::new(), given_up }
    }

    fn lock(&self) -> Result<(), Error> {
        self.lock.file.lock().map_err(Error::system(self.lock.spot.path(), "lock the hill"))
    }

    /// Lets others at the hill.
    pub(super) fn unlock(&self) {
        let _ = self.lock.file.unlock();
    }

    /// Forgets that a game is in flight.
    pub(super) fn ended(&mut self, fixture: &Fixture) {
        self.flights.ended(fixture);
    }

    /// Records that an attempt at a game begins.
    pub(super) fn begin(&mut self, fixture: &Fixture, attempt: u32) -> Result<(), Error> {
        self.flights.begun(fixture, attempt)
    }

    /// Takes note of a game that this runner has given up.
    pub(super) fn gave_up(&mut self, game: &str) {
        self.given_up.insert(game.to_owned());
    }
}

impl Folder {
    /// Claims a game for this runner, if nobody has it.
    pub(super) fn claim(&self, fixture: &Fixture) -> Result<Claim, Error> {
        self.under_lock(|together| {
            if let Some(came) = together.came.remove(&fixture.id) {
                return Ok(Claim::Came(came));
            }
            if together.flights.others_have(&fixture.id) {
                return Ok(Claim::Others);
            }
            together.flights.begun(fixture, self.tries(fixture).next())?;
            Ok(Claim::Mine)
        })
    }

    /// Waits until one of these games, which others play, has come to something or is free; or until `is_stopped`.
    pub(super) fn wait_for(&self, games: &[Fixture], is_stopped: impl Fn() -> bool) -> Result<(), Error> {
        let is_there = |together: &mut Together| {
            let of_others = |game: &Fixture| together.flights.others_have(&game.id);
            Ok(games.iter().any(|game| together.came.contains_key(&game.id) || !of_others(game)))
        };
        while !games.is_empty() && !is_stopped() && !self.under_lock(is_there)? {
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Enters a game into the results. Its claim makes sure that nobody else does.
    pub(super) fn enter_once(&self, fixture: &Fixture, rows: &GameResult, log: LogFile) -> Result<(), Error> {
        self.under_lock(|together| {
            together.flights.check_alive()?;
            self.append(rows, log)?;
            together.own.insert(fixture.id.clone());
            together.flights.ended(fixture);
            Ok(())
        })
    }

    /// Does something while no other runner looks at the hill or changes it, after a look at what they did.
    pub(super) fn under_lock<T>(
        &self,
        act: impl FnOnce(&mut Together) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut together: MutexGuard<'_, Together> = held(self.together().expect("a runner of a hill"));
        together.lock()?;
        let done = self.look(&mut together).and_then(|()| act(&mut together));
        together.unlock();
        done
    }

    /// Looks at what others did since the last look, and clears up after those that live no more.
    fn look(&self, together: &mut Together) -> Result<(), Error> {
        let left = together.flights.look()?;
        self.repair()?;
        together.tail.go_on()?;
        for game in together.tail.by_ref() {
            let game = GameResult::new(game?.into_iter().map(|(_, row)| row).collect());
            if !together.own.remove(game.game()) {
                together.came.insert(game.game().to_owned(), GameEnd::Over(game));
            }
        }
        self.clear_up(together, left)?;
        for (game, why) in self.look_at_voids()? {
            if together.given_up.insert(game.clone()) {
                together.came.insert(game, GameEnd::Void(why));
            }
        }
        Ok(())
    }

    /// Clears up after runners that live no more: a log whose game stands in the results gets its name, other halves of logs are
    /// removed, and games that were lost are entered as such.
    fn clear_up(&self, together: &Together, left: Left) -> Result<(), Error> {
        if left.flights.is_empty() {
            return left.forget();
        }
        let mut entered: BTreeMap<&str, Option<Digest>> = BTreeMap::new();
        for flight in &left.flights {
            let rows = match together.came.get(&flight.game) {
                Some(GameEnd::Over(rows)) => Some(rows.shared().log_digest.clone()),
                _ => results::last_game(results_of(self.root()), Some(&flight.game))?
                    .map(|rows| rows[0].1.log_digest.clone()),
            };
            entered.insert(&flight.game, rows);
        }
        for part in self.parts()? {
            if let Some(digest) = entered.get(&*game_of_part(&part)) {
                self.settle_part(&part, digest.as_ref())?;
            }
        }
        let is_lost = |flight: &&Flight| entered[&*flight.game].is_none();
        self.enter_lost(left.flights.iter().filter(is_lost).cloned().collect())?;
        left.forget()
    }
}
