//! Games in parallel, on a thread for each job.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use referee_contest::runner::pool::{self, Dealt};
use referee_record::error::{Error, ErrorKind};

/// Plays the numbers from 0, some at a time; returns what was reported, and how it ended.
fn played(
    jobs: usize,
    count: u32,
    play: impl Fn(u32) -> Result<u32, Error> + Sync,
) -> (Vec<u32>, Result<(), Error>) {
    let (no_more, mut reported, mut games) =
        (AtomicBool::new(false), Vec::new(), (0..count).map(Dealt::Game));
    let is_over = || no_more.load(Ordering::Relaxed);
    let ended = pool::play(jobs, &no_more, is_over, || Ok(games.next()), play, |game| reported.push(game));
    (reported, ended)
}

#[test]
fn reports_come_in_the_order_of_the_deal_also_if_a_later_game_ends_first() {
    let ended = AtomicU32::new(0);
    let (reported, _) = played(4, 20, |game| {
        // The first ends last.
        while game == 0 && ended.load(Ordering::Relaxed) < 19 {
            thread::yield_now();
        }
        ended.fetch_add(1, Ordering::Relaxed);
        Ok(game)
    });
    assert_eq!(reported, (0..20).collect::<Vec<u32>>());
}

#[test]
fn no_game_is_begun_after_trouble_and_to_be_stopped_is_none() {
    let begun = AtomicU32::new(0);
    let fail_with =
        |kind: ErrorKind| move |game: u32| if game == 3 { Err(Error::new(kind, "no")) } else { Ok(game) };
    let (reported, ended) = played(1, 100, |game| {
        begun.fetch_add(1, Ordering::Relaxed);
        fail_with(ErrorKind::System)(game)
    });
    assert_eq!((reported, begun.into_inner()), (vec![0, 1, 2], 4));
    assert_eq!(ended.map_err(|error| error.kind()), Err(ErrorKind::System));
    let (reported, ended) = played(1, 100, fail_with(ErrorKind::Stopped));
    assert_eq!((reported, ended.is_ok()), (vec![0, 1, 2], true));
}
