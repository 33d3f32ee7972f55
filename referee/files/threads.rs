//! Threads that share work.

use std::sync::mpsc;
use std::thread;

use referee_record::error::Error;

/// Runs jobs at the same time, the first one on this thread, and returns when all are done.
pub fn together(jobs: Vec<Box<dyn FnOnce() + Send + '_>>) {
    thread::scope(|scope| {
        let mut jobs = jobs.into_iter();
        let first = jobs.next();
        for job in jobs {
            scope.spawn(job);
        }
        if let Some(job) = first {
            job();
        }
    });
}

/// Maximum number of items per thread that were handed out and whose results were not taken yet.
const IN_FLIGHT_MAX: usize = 4;

/// Processes each item, with this number of threads, and hands over the results in the order of the items. Ends with
/// the first error in this order, even if a later one was found sooner.
pub fn in_order<T: Send, U: Send>(
    items: impl Iterator<Item = Result<T, Error>>,
    threads: usize,
    work: impl Fn(T) -> Result<U, Error> + Sync,
    mut take: impl FnMut(U) -> Result<(), Error>,
) -> Result<(), Error> {
    let (threads, work) = (threads.max(1), &work);
    thread::scope(|scope| {
        let start_thread = |_| {
            let (item_sender, items) = mpsc::channel::<Result<T, Error>>();
            let (result_sender, result_receiver) = mpsc::channel();
            scope.spawn(move || {
                // The thread ends when there are no more items, or when nobody receives its results.
                items.into_iter().try_for_each(|item| result_sender.send(item.and_then(work)))
            });
            (item_sender, result_receiver)
        };
        // The threads take turns: each gets the next item, and is asked for the next result.
        let (item_senders, result_receivers): (Vec<_>, Vec<_>) = (0..threads).map(start_thread).unzip();
        let receive =
            |receiver: &mpsc::Receiver<_>| receiver.recv().expect("threads end after their last item");
        let mut results = result_receivers.iter().cycle().map(receive);
        let mut in_flight = 0;
        for (item, item_sender) in items.zip(item_senders.iter().cycle()) {
            if in_flight == IN_FLIGHT_MAX * threads {
                take(results.next().expect("the receivers are repeated without an end")?)?;
                in_flight -= 1;
            }
            item_sender.send(item).expect("threads end after their last item");
            in_flight += 1;
        }
        results.take(in_flight).try_for_each(|result| take(result?))
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::path::Path;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const THREADS: usize = 3;

    fn wrong(line: u64) -> Error {
        Error::line(Path::new("results.csv"), line, "wrong")
    }

    fn into(taken: &mut Vec<usize>) -> impl FnMut(usize) -> Result<(), Error> {
        |item| {
            taken.push(item);
            Ok(())
        }
    }

    fn line_of(error: &Error) -> u64 {
        let Some((_, Some(line))) = error.place() else { panic!("{error}") };
        line
    }

    #[test]
    fn work_is_handed_over_in_order_by_any_number_of_threads() {
        for (threads, items) in [(0, 5), (1, 30), (2, 31), (3, 100), (7, 3), (4, 0)] {
            let mut taken = Vec::new();
            in_order((0..items).map(Ok), threads, |item| Ok(2 * item), into(&mut taken)).unwrap();
            assert_eq!(taken, (0..items).map(|item| 2 * item).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_first_error_in_order_is_told_though_a_later_one_is_come_upon_before() {
        // The second item is finished only after the third has failed: its thread has begun with another.
        const AFTER_THE_THIRD: usize = 2 + THREADS;
        let both = Barrier::new(2);
        let work = |item| {
            if matches!(item, 1 | AFTER_THE_THIRD) {
                both.wait();
            }
            if matches!(item, 1 | 2) { Err(wrong(item as u64)) } else { Ok(item) }
        };
        let mut taken = Vec::new();
        let error = in_order((0..100).map(Ok), THREADS, work, into(&mut taken)).unwrap_err();
        assert_eq!((line_of(&error), taken), (1, vec![0]));
    }

    #[test]
    fn an_item_that_cannot_be_had_is_told_of_after_all_that_were_before_it() {
        let items = (0..10).map(|item| if item == 7 { Err(wrong(7)) } else { Ok(item) });
        let mut taken = Vec::new();
        let error = in_order(items, THREADS, Ok, into(&mut taken)).unwrap_err();
        assert_eq!((line_of(&error), taken), (7, (0..7).collect()));
    }

    #[test]
    fn what_is_said_of_the_work_on_an_item_ends_it() {
        let mut taken = Vec::new();
        let take = |item| {
            taken.push(item);
            if item == 5 { Err(wrong(5)) } else { Ok(()) }
        };
        let error = in_order((0..).map(Ok), THREADS, Ok, take).unwrap_err();
        assert_eq!((line_of(&error), taken), (5, (0..=5).collect()));
    }

    #[test]
    fn no_more_is_under_way_than_may_be() {
        let (had, taken) = (Cell::new(0), AtomicUsize::new(0));
        let items = (0..1_000).map(|item| {
            had.set(had.get() + 1);
            let in_flight = had.get() - taken.load(Ordering::Relaxed);
            assert!(in_flight <= IN_FLIGHT_MAX * THREADS + 1, "{in_flight}");
            Ok(item)
        });
        let take = |_: usize| {
            taken.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        in_order(items, THREADS, Ok, take).unwrap();
        assert_eq!(taken.into_inner(), 1_000);
    }
}
