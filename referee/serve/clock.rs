//! The clock of connections: that of the runtime, which tests can stop.

use std::time::Duration;

use tokio::time::Instant;

/// A moment, from which time is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Since(Instant);

impl Since {
    pub(crate) fn now() -> Since {
        Since(Instant::now())
    }

    /// Returns the time since then.
    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}
