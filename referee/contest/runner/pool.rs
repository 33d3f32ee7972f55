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

/// The result of what a thread was dealt, with its place in the order in which games are dealt.
struct Played<R> {
    place: u64,
    result: Result<R, Error>,
}

/// What deals the items, each with its place.
struct Dealer<D> {
    next_place: u64,
    deal: D,
}

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
    let dealer = Mutex::new(Dealer { next_place: 0, deal });
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            let (sender, dealer, is_over, play) = (sender.clone(), &dealer, &is_over, &play);
            let player = move || {
                beneath::keep_folders();
                while let Some(played) = play_next(dealer, no_more, is_over, play) {
                    if sender.send(played).is_err() {
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

/// Has the next item dealt, and plays it if it is a game; `None` if there are no more, or it `is_over`.
fn play_next<G, R>(
    dealer: &Mutex<Dealer<impl FnMut() -> Result<Option<Dealt<G, R>>, Error>>>,
    no_more: &AtomicBool,
    is_over: impl Fn() -> bool,
    play: impl Fn(G) -> Result<R, Error>,
) -> Option<Played<R>> {
    let mut dealer = held(dealer);
    if is_over() {
        return None;
    }
    let place = dealer.next_place;
    dealer.next_place += 1;
    let result = match (dealer.deal)() {
        Ok(None) => return None,
        Ok(Some(Dealt::Event(event))) => Ok(event),
        Ok(Some(Dealt::Game(game))) => {
            drop(dealer);
            play(game)
        }
        // No other thread is dealt anything before `no_more` is set: this one still holds the dealer.
        Err(error) => Err(error),
    };
    // If one game cannot be recorded, none can: no thread begins another.
    if result.is_err() {
        no_more.store(true, Ordering::Relaxed);
    }
    Some(Played { place, result })
}

/// Reports what was played, in the order in which it was dealt, and returns the first error. A stop is no error.
fn report_in_order<R>(receiver: Receiver<Played<R>>, mut report: impl FnMut(R)) -> Result<(), Error> {
    // By place: what was played before something that was dealt earlier.
    let mut early = BTreeMap::new();
    let (mut next, mut outcome) = (0, Ok(()));
    for Played { place, result } in receiver {
        match result {
            Ok(played) => drop(early.insert(place, played)),
            Err(error) if error.kind() == ErrorKind::Stopped => {}
            Err(error) => outcome = outcome.and(Err(error)),
        }
        while let Some(played) = early.remove(&next) {
            report(played);
            next += 1;
        }
    }
    // What was dealt after a game that was broken off.
    early.into_values().for_each(report);
    outcome
}

/// Locks a shared value. A thread that has panicked ends the program anyway.
pub(crate) fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
