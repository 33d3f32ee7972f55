//! The pool: plays many games side by side, one thread a game, as many as there are jobs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use crate::error::{Error, ErrorKind};

/// What is dealt out next.
pub(crate) enum Dealt<G, R> {
    /// A game to play.
    Game(G),
    /// Something to report, in this place.
    Report(R),
}

/// Plays games until there are no more or it is over. Reports come in the order in which games were dealt, whatever the number of
/// jobs. Where there is trouble `no_more` is set, which `is_over` must look at.
///
/// # Errors
///
/// The first trouble; that somebody asked to stop is none.
pub(crate) fn play<G, R: Send>(
    jobs: usize,
    no_more: &AtomicBool,
    is_over: impl Fn() -> bool + Sync,
    deal: impl FnMut() -> Result<Option<Dealt<G, R>>, Error> + Send,
    play: impl Fn(G) -> Result<R, Error> + Sync,
    mut report: impl FnMut(R),
) -> Result<(), Error> {
    let dealer = Mutex::new((0u64, deal));
    let next = || {
        let (place, deal) = &mut *held(&dealer);
        *place += 1;
        (*place - 1, deal())
    };
    let (sender, receiver) = mpsc::channel();
    let mut trouble = None;
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            let (sender, next, play, is_over) = (sender.clone(), &next, &play, &is_over);
            scope.spawn(move || {
                while !is_over() {
                    let (place, dealt) = next();
                    let came = match dealt {
                        Ok(None) => return,
                        Ok(Some(Dealt::Game(game))) => play(game),
                        Ok(Some(Dealt::Report(report))) => Ok(report),
                        Err(error) => Err(error),
                    };
                    // One game that cannot be recorded means that none can: no others are begun, also by this thread.
                    if came.is_err() {
                        no_more.store(true, Ordering::Relaxed);
                    }
                    if sender.send((place, came)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let (mut early, mut due) = (BTreeMap::new(), 0);
        for (place, came) in receiver {
            match came {
                Ok(came) => drop(early.insert(place, came)),
                Err(error) if error.kind() == ErrorKind::Stopped => {}
                Err(error) => drop(trouble.get_or_insert(error)),
            }
            while let Some(came) = early.remove(&due) {
                report(came);
                due += 1;
            }
        }
        // Those after a game that was broken off.
        early.into_values().for_each(report);
    });
    trouble.map_or(Ok(()), Err)
}

/// Locks what threads share. One that has panicked ends the program anyway.
pub(crate) fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
