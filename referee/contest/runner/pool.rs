//! The pool: plays games in parallel, on a thread for each job. A thread plays one game after another.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use referee_files::beneath;
use referee_record::error::{Error, ErrorKind};

/// The next item for a thread.
#[derive(Debug)]
pub enum Dealt<G, R> {
    /// A game to play.
    Game(G),
    /// An event to report, in the order of the games.
    Event(R),
}

/// The name of a thread that plays games, by which `scripts/bench syscalls` finds it.
const THREAD: &str = "plays-games";

/// Plays games until there are no more, or until `is_over`. Reports come in the order in which games were dealt,
/// with any number of jobs. An error sets `no_more`, which `is_over` must look at.
///
/// # Errors
///
/// The first error. A stop is no error.
pub fn play<G, R: Send>(
    jobs: usize,
    no_more: &AtomicBool,
    is_over: impl Fn() -> bool + Sync,
    deal: impl FnMut() -> Result<Option<Dealt<G, R>>, Error> + Send,
    play: impl Fn(G) -> Result<R, Error> + Sync,
    report: impl FnMut(R),
) -> Result<(), Error> {
    let dealer = Mutex::new((0u64, deal));
    let next = || {
        let (place, deal) = &mut *held(&dealer);
        if is_over() {
            return None;
        }
        let dealt = deal();
        // Before another thread is dealt a game.
        if dealt.is_err() {
            no_more.store(true, Ordering::Relaxed);
        }
        *place += 1;
        Some((*place - 1, dealt))
    };
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            let (sender, next, play) = (sender.clone(), &next, &play);
            let player = move || {
                beneath::keep_folders();
                while let Some((place, dealt)) = next() {
                    let came = match dealt {
                        Ok(None) => return,
                        Ok(Some(Dealt::Game(game))) => play(game),
                        Ok(Some(Dealt::Event(event))) => Ok(event),
                        Err(error) => Err(error),
                    };
                    // If one game cannot be recorded, none can: no thread begins another.
                    if came.is_err() {
                        no_more.store(true, Ordering::Relaxed);
                    }
                    if sender.send((place, came)).is_err() {
                        return;
                    }
                }
            };
            thread::Builder::new()
                .name(THREAD.to_owned())
                .spawn_scoped(scope, player)
                .expect("room for a thread");
        }
        drop(sender);
        report_in_order(receiver, report)
    })
}

/// Reports what came of the games in the order in which they were dealt, and returns the first error. A stop is no
/// error.
fn report_in_order<R>(
    receiver: Receiver<(u64, Result<R, Error>)>,
    mut report: impl FnMut(R),
) -> Result<(), Error> {
    let (mut early, mut next, mut trouble) = (BTreeMap::new(), 0, None);
    for (place, came) in receiver {
        match came {
            Ok(came) => drop(early.insert(place, came)),
            Err(error) if error.kind() == ErrorKind::Stopped => {}
            Err(error) => drop(trouble.get_or_insert(error)),
        }
        while let Some(came) = early.remove(&next) {
            report(came);
            next += 1;
        }
    }
    // Reports after a game that was broken off.
    early.into_values().for_each(report);
    trouble.map_or(Ok(()), Err)
}

/// Locks a shared value. A thread that has panicked ends the program anyway.
pub(crate) fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
