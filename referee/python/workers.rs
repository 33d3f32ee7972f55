//! Threads that wait for work between two steps. A forked process has no threads; there they are started
//! again.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::{hint, mem, process};

use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// How often the calling thread checks whether the others are done before it sleeps: some hundred
/// microseconds.
const SPINS_MAX: u32 = 10_000;

/// Threads in addition to the calling one. There are none until they are needed.
#[derive(Debug, Default)]
pub(crate) struct Workers {
    pool: Option<ThreadPool>,
    /// The process in which they run.
    process: u32,
}

impl Workers {
    /// Runs the same work on a number of threads, each with its number; the calling thread is 0. If there are no other
    /// threads, such as when the system refuses them, all work runs on the calling thread.
    pub(crate) fn run(&mut self, threads: usize, work: &(dyn Fn(usize) + Sync)) {
        let helpers = threads.saturating_sub(1);
        if helpers > 0 && (self.process != process::id() || self.count() != helpers) {
            self.end();
            self.pool = ThreadPoolBuilder::new().num_threads(helpers).build().ok();
            self.process = process::id();
        }
        let Some(pool) = self.pool.as_ref().filter(|_| helpers > 0) else { return work(0) };
        let working = AtomicUsize::new(helpers);
        pool.in_place_scope(|scope| {
            scope.spawn_broadcast(|_, thread| {
                work(thread.index() + 1);
                working.fetch_sub(1, Ordering::Release);
            });
            work(0);
            // The helpers are almost done. If this thread slept meanwhile, it would be woken too late.
            let mut spins = 0..SPINS_MAX;
            while working.load(Ordering::Acquire) > 0 && spins.next().is_some() {
                hint::spin_loop();
            }
        });
    }

    fn count(&self) -> usize {
        self.pool.as_ref().map_or(0, ThreadPool::current_num_threads)
    }

    /// Ends the threads. In a forked process there are no threads to end, and their locks may be held for
    /// ever.
    fn end(&mut self) {
        let pool = self.pool.take();
        if self.process != process::id() {
            mem::forget(pool);
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.end();
    }
}
