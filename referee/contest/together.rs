//! Several runners of one hill. Each claims a game at a time and enters its rows, and holds a lock only for these two
//! steps. A runner that finds another one gone clears up after it. No result depends on which runner plays which game.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::fixture::Fixture;
use crate::runner::GameEnd;
use crate::runner::flights::Flights;
use referee_files::beneath::Spot;
use referee_record::error::{Error, ErrorKind};
use referee_record::game_result::GameResult;
use referee_record::results::Games;

/// The lock of a hill. It is free when this value is gone, or its process.
#[derive(Debug)]
pub struct Lock {
    file: File,
    spot: Spot,
}

/// Time between two looks of a runner that waits.
pub(super) const PAUSE: Duration = Duration::from_millis(20);

/// Number of looks before a runner stops waiting for the lock: a minute.
const LOOKS: u32 = 3_000;

impl Lock {
    /// Waits until no other runner reads or changes the hill. Each of them holds the lock only for a moment.
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
        let what = "locked for a minute by another run: wait for its end, or stop it if it hangs";
        Err(Error::new(ErrorKind::Busy, what).at(root))
    }
}

/// The view that a runner has of the others.
#[derive(Debug)]
pub(super) struct Together {
    lock: Lock,
    pub(super) flights: Flights,
    /// The results that were not read yet.
    tail: Games,
    /// Games that this runner has entered, but not read yet.
    own: BTreeSet<String>,
    /// The ends of games that others have played, until they are taken.
    came: BTreeMap<String, GameEnd>,
    /// The games that are known to be given up.
    given_up: BTreeSet<String>,
}

/// The answer to a runner's claim for a game.
#[derive(Debug)]
pub(super) enum Claim {
    /// This runner plays it.
    Mine,
    /// Another runner is playing it.
    Others,
    /// Another runner has played it.
    Came(GameEnd),
}

impl Together {
    /// Begins after a look at all results.
    pub(super) fn new(lock: Lock, flights: Flights, tail: Games, given_up: BTreeSet<String>) -> Together {
        Together { lock, flights, tail, own: BTreeSet::new(), came: BTreeMap::new(), given_up }
    }

    /// Waits until no other runner reads or changes the hill.
    pub(super) fn lock(&self) -> Result<(), Error> {
        self.lock.file.lock().map_err(Error::system(self.lock.spot.path(), "lock the hill"))
    }

    /// Lets other runners read and change the hill.
    pub(super) fn unlock(&self) {
        let _ = self.lock.file.unlock();
    }

    /// Reads the games that others have entered.
    pub(super) fn read_on(&mut self) -> Result<(), Error> {
        self.tail.go_on()?;
        for game in self.tail.by_ref() {
            let game = GameResult::new(game?.into_iter().map(|(_, row)| row).collect());
            if !self.own.remove(game.game()) {
                self.came.insert(game.game().to_owned(), GameEnd::Over(game));
            }
        }
        Ok(())
    }

    /// Records games that are given up, each with the reason.
    pub(super) fn given_up(&mut self, games: Vec<(String, String)>) {
        for (game, why) in games {
            if self.given_up.insert(game.clone()) {
                self.came.insert(game, GameEnd::Void(why));
            }
        }
    }

    /// Records a game that this runner has given up.
    pub(super) fn gave_up(&mut self, game: &str) {
        self.given_up.insert(game.to_owned());
    }

    /// Records a game that this runner has entered.
    pub(super) fn entered(&mut self, fixture: &Fixture) {
        self.own.insert(fixture.id.clone());
        self.flights.ended(fixture);
    }

    /// Returns the end of a game that others have entered, if it was not taken yet.
    pub(super) fn came(&self, game: &str) -> Option<&GameEnd> {
        self.came.get(game)
    }

    /// Claims a game for this runner, unless another has it. `attempt` is the number of its next attempt.
    pub(super) fn claim(&mut self, fixture: &Fixture, attempt: u32) -> Result<Claim, Error> {
        if let Some(came) = self.came.remove(&fixture.id) {
            return Ok(Claim::Came(came));
        }
        if self.flights.others_have(&fixture.id) {
            return Ok(Claim::Others);
        }
        self.flights.begun(fixture, attempt)?;
        Ok(Claim::Mine)
    }
}
