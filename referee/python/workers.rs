//! Threads that wait for work between two steps. A forked process has no threads; there they are started anew.

use std::mem;
use std::process;

use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// Threads besides the one that calls. There are none until they are needed.
#[derive(Debug, Default)]
pub(crate) struct Workers {
    pool: Option<ThreadPool>,
    /// The process in which they run.
    process: u32,
}

impl Workers {
    /// Runs the same work on a number of threads, and on the calling one among them. Without more threads, such as
    /// when the system refuses them, it runs on the calling one alone.
    pub(crate) fn run(&mut self, threads: usize, work: &(dyn Fn() + Sync)) {
        let more = threads.saturating_sub(1);
        if more > 0 && (self.process != process::id() || self.count() != more) {
            self.end();
            self.pool = ThreadPoolBuilder::new().num_threads(more).build().ok();
            self.process = process::id();
        }
        match &self.pool {
            Some(pool) if more > 0 => pool.in_place_scope(|scope| {
                (0..more).for_each(|_| scope.spawn(|_| work()));
                work();
            }),
            _ => work(),
        }
    }

    fn count(&self) -> usize {
        self.pool.as_ref().map_or(0, ThreadPool::current_num_threads)
    }

    /// Ends the threads. In a forked process there are none to be ended, and their locks may be held for ever.
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
