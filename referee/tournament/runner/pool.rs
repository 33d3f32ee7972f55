//! Plays many games side by side: one thread a game, as many as there are jobs.

use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::error::{Error, ErrorKind};
use crate::table::TableError;
use crate::table::process::{Setup, make_room};
use crate::tournament::batch::GameEnd;
use crate::tournament::fixture::Fixture;
use crate::tournament::folder::Folder;

/// Plays all fixtures into a folder. `report` hears of each game that has ended or was given up, in the order in which that happens.
///
/// # Errors
///
/// If the referee is in trouble or told to stop, or this machine is unfit: the games in flight are given up, all others stand in
/// the results.
pub fn play(
    folder: &Folder,
    fixtures: Vec<Fixture>,
    setup: &Setup,
    jobs: usize,
    mut report: impl FnMut(&Fixture, GameEnd),
) -> Result<(), Error> {
    let jobs = jobs.clamp(1, fixtures.len().max(1));
    make_room(jobs, fixtures.iter().map(|fixture| fixture.entrants.len()).max().unwrap_or(0))?;
    let waiting = Mutex::new(fixtures.into_iter());
    let (sender, receiver) = mpsc::channel();
    let mut trouble: Option<Error> = None;
    thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, waiting) = (sender.clone(), &waiting);
            scope.spawn(move || {
                let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
                while !setup.stop.load(Ordering::Relaxed)
                    && let Some(fixture) = next()
                {
                    let played = folder.play(&fixture, setup).map(|came| (fixture, came));
                    if sender.send(played).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for played in receiver {
            match played {
                Ok((fixture, came)) => report(&fixture, came),
                Err(error) => {
                    // One game that cannot be recorded means that none can: no others are begun. The first trouble is
                    // the one to tell of; that others were stopped follows from it.
                    setup.stop.store(true, Ordering::Relaxed);
                    if trouble.as_ref().is_none_or(|trouble| trouble.kind() == ErrorKind::Stopped) {
                        trouble = Some(error);
                    }
                }
            }
        }
    });
    match trouble {
        Some(error) => Err(error),
        None if setup.stop.load(Ordering::Relaxed) => Err(TableError::Stopped.into()),
        None => Ok(()),
    }
}
