//! Pools of places for work that takes time. An account, or an address without one, can hold only some places of a
//! pool, so that others find the rest free.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::refusal::Refusal;

/// How long a request waits for a place.
const PATIENCE: Duration = Duration::from_secs(10);

/// A number of places, some of which one visitor can hold at a time.
#[derive(Debug)]
pub(crate) struct Pool {
    places: Arc<Semaphore>,
    /// Number of all places.
    max: usize,
    /// Number of places that one visitor can hold.
    max_of_one: usize,
    /// Number of visitors who wait for a place, and could hold one more.
    waiting: AtomicUsize,
    /// Locked by a slow reader that gives way (`reader`): one at a time ends its connection, so that another visitor
    /// gets its place.
    pub(crate) giving_way: tokio::sync::Mutex<()>,
    visitors: Mutex<BTreeMap<String, VisitorEntry>>,
}

/// A visitor who holds places or waits for some.
#[derive(Debug)]
struct VisitorEntry {
    /// Number of places that the visitor holds or waits for.
    count: usize,
    /// The places that the visitor can hold: each needs a permit of this, too.
    rights: Arc<Semaphore>,
}

/// A place in a pool. It is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    // Dropped in this order: the place first, so that who gets the right finds a place free; the entry last, since a
    // visitor without one gets new rights.
    _place: OwnedSemaphorePermit,
    _right: OwnedSemaphorePermit,
    _entry: Entry,
}

/// A visitor in a pool, once for each place that is held or waited for. The last entry removes the visitor.
#[derive(Debug)]
struct Entry {
    pool: Arc<Pool>,
    who: String,
    rights: Arc<Semaphore>,
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut visitors = self.pool.visitors.lock();
        if let Some(visitor) = visitors.get_mut(&self.who) {
            visitor.count -= 1;
            if visitor.count == 0 {
                visitors.remove(&self.who);
            }
        }
    }
}

/// Counts a visitor who waits, until this is dropped.
#[derive(Debug)]
struct Waiting<'p>(&'p AtomicUsize);

impl Waiting<'_> {
    fn begin(count: &AtomicUsize) -> Waiting<'_> {
        count.fetch_add(1, Ordering::Relaxed);
        Waiting(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Place {
    /// Runs a job in a thread, in this place.
    pub(crate) async fn run<T, E>(
        self,
        job: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, Refusal>
    where
        T: Send + 'static,
        E: Into<Refusal> + Send + 'static,
    {
        // The job owns the place, which is taken until the job ends, even if the visitor has gone.
        let running = tokio::task::spawn_blocking(move || {
            let _place = self;
            job()
        });
        // A job that was not run, since the server stops, or that panicked: the visitor can try again.
        running.await.map_err(|_| Refusal::busy())?.map_err(Into::into)
    }
}

impl Pool {
    /// Creates a pool of `max` places, of which one visitor can hold `max_of_one`.
    pub(crate) fn new(max: usize, max_of_one: usize) -> Arc<Pool> {
        Arc::new(Pool {
            places: Arc::new(Semaphore::new(max)),
            max,
            max_of_one,
            waiting: AtomicUsize::new(0),
            giving_way: tokio::sync::Mutex::default(),
            visitors: Mutex::default(),
        })
    }

    /// Returns the number of places that are held.
    pub(crate) fn held(&self) -> usize {
        self.max - self.places.available_permits()
    }

    /// Tells whether a visitor waits for a place who could hold one more.
    pub(crate) fn is_wanted(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    fn entry(self: &Arc<Pool>, who: &str) -> Entry {
        let mut visitors = self.visitors.lock();
        let new = || VisitorEntry { count: 0, rights: Arc::new(Semaphore::new(self.max_of_one)) };
        let visitor = visitors.entry(who.to_owned()).or_insert_with(new);
        visitor.count += 1;
        Entry { pool: Arc::clone(self), who: who.to_owned(), rights: Arc::clone(&visitor.rights) }
    }

    /// Waits for a place for a visitor. A visitor with as many places as one can hold waits for one of these, and keeps
    /// nobody else waiting.
    ///
    /// # Errors
    ///
    /// If there is none in time.
    pub(crate) async fn place(self: &Arc<Pool>, who: &str) -> Result<Place, Refusal> {
        let entry = self.entry(who);
        let both = async {
            let right = Arc::clone(&entry.rights).acquire_owned().await.ok()?;
            let _waiting = Waiting::begin(&self.waiting);
            Some((right, Arc::clone(&self.places).acquire_owned().await.ok()?))
        };
        let both = tokio::time::timeout(PATIENCE, both).await.ok().flatten();
        let (right, place) = both.ok_or_else(Refusal::busy)?;
        Ok(Place { _place: place, _right: right, _entry: entry })
    }

    /// Runs a job for a visitor in a thread, when its turn comes.
    ///
    /// # Errors
    ///
    /// Those of the job; or if there is no place in time.
    pub(crate) async fn run<T, E>(
        self: &Arc<Pool>,
        who: &str,
        job: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, Refusal>
    where
        T: Send + 'static,
        E: Into<Refusal> + Send + 'static,
    {
        self.place(who).await?.run(job).await
    }

    /// Returns a place for a visitor, if one is free.
    pub(crate) fn place_now(self: &Arc<Pool>, who: &str) -> Result<Place, Refusal> {
        let entry = self.entry(who);
        let right = Arc::clone(&entry.rights).try_acquire_owned().map_err(|_| Refusal::busy())?;
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| Refusal::busy())?;
        Ok(Place { _place: place, _right: right, _entry: entry })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_visitor_with_all_that_one_can_hold_leaves_places_for_others() {
        let pool = Pool::new(3, 2);
        let mut greedy = vec![pool.place("a").await.unwrap(), pool.place("a").await.unwrap()];
        assert!(pool.place("a").await.is_err(), "the third of one waits in vain");
        assert!(pool.place_now("a").is_err());
        // Many requests of this visitor wait, and another visitor gets a place at once.
        let waiting = (0..100).map(|_| {
            let pool = Arc::clone(&pool);
            tokio::spawn(async move { pool.place("a").await.map(drop).is_ok() })
        });
        let waiting: Vec<_> = waiting.collect();
        tokio::task::yield_now().await;
        let other = pool.place_now("b").unwrap();
        assert_eq!(pool.held(), 3);
        assert!(!pool.is_wanted(), "they wait for one of their own");
        let another = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { pool.place("c").await.map(drop).is_ok() }
        });
        tokio::task::yield_now().await;
        assert!(pool.is_wanted());
        assert!(pool.place_now("c").is_err(), "no place is left");
        greedy.clear();
        assert!(another.await.unwrap() && !pool.is_wanted());
        for one in waiting {
            assert!(one.await.unwrap(), "each has its turn when a place is free");
        }
        drop(other);
        assert_eq!((pool.held(), pool.visitors.lock().len()), (0, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn who_gives_up_waiting_is_forgotten() {
        let pool = Pool::new(1, 1);
        let held = pool.place("a").await.unwrap();
        assert!(pool.place("b").await.is_err());
        assert_eq!(pool.visitors.lock().len(), 1);
        drop(held);
        assert!(pool.visitors.lock().is_empty() && pool.place_now("b").is_ok());
    }
}
