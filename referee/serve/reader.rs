//! The readers of archives. A slow reader keeps its place only as long as nobody else waits for one.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::sleep;

use crate::connections::Connection;
use crate::pool::Pool;

/// A reader is slow that takes less than this number of bytes while the server waits for it for this number of seconds.
/// The system of a reader reports what was read in steps of some hundred KiB.
const TAKES: u64 = 512 << 10;
const SECONDS: u32 = 8;

/// The time after the end of a connection until its place is taken by a visitor who waits.
const HANDOVER: Duration = Duration::from_secs(1);

/// How much of an archive its reader has taken.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    bytes: AtomicU64,
    /// Whether the server waits for the reader.
    waits: AtomicBool,
    is_over: AtomicBool,
}

/// Counts what is written to a reader.
#[derive(Debug)]
pub(crate) struct Counting<W> {
    to: W,
    taken: Arc<Taken>,
}

impl<W> Counting<W> {
    pub(crate) fn new(to: W, taken: &Arc<Taken>) -> Counting<W> {
        Counting { to, taken: Arc::clone(taken) }
    }
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.taken.waits.store(true, Ordering::Relaxed);
        let written = self.to.write(bytes);
        self.taken.waits.store(false, Ordering::Relaxed);
        self.taken.bytes.fetch_add(written.as_ref().map_or(0, |written| *written as u64), Ordering::Relaxed);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl<W> Drop for Counting<W> {
    fn drop(&mut self) {
        self.taken.is_over.store(true, Ordering::Relaxed);
    }
}

/// The pace of a reader. A look each second tells what it has taken.
#[derive(Debug, Default)]
struct Pace {
    /// The bytes that it had taken when it was last fast.
    bytes_before: u64,
    /// The number of looks since then at which the server waited for it.
    waits: u32,
}

impl Pace {
    /// Adds a look: the bytes that the reader has taken, and whether the server waits for it. Tells whether it is slow.
    fn is_slow(&mut self, bytes: u64, is_waiting: bool) -> bool {
        if bytes >= self.bytes_before + TAKES {
            *self = Pace { bytes_before: bytes, waits: 0 };
        }
        self.waits += u32::from(is_waiting);
        self.waits > SECONDS
    }
}

/// Watches a reader until it has taken all. Ends its connection if it is slow while others wait for a place in a pool.
/// Of several slow readers, one gives way at a time.
pub(crate) async fn watch(taken: Arc<Taken>, pool: Arc<Pool>, connection: Arc<Connection>) {
    let mut pace = Pace::default();
    loop {
        sleep(Duration::from_secs(1)).await;
        let (bytes, waits) = (taken.bytes.load(Ordering::Relaxed), taken.waits.load(Ordering::Relaxed));
        let gives_way = pace.is_slow(bytes, waits) && pool.is_wanted();
        let lock = if gives_way { Some(pool.giving_way.lock().await) } else { None };
        if taken.is_over.load(Ordering::Relaxed) {
            return;
        }
        // While this one waited for the lock, another may have given way.
        if lock.is_some() && pool.is_wanted() {
            connection.end();
            return sleep(HANDOVER).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_is_who_takes_little_while_the_server_waits_and_the_rate_is_that_of_the_guide() {
        // What was taken after each second, and whether the server waits.
        let slow = |looks: &[(u64, bool)]| {
            let mut pace = Pace::default();
            looks.iter().map(|(kib, waits)| pace.is_slow(kib << 10, *waits)).collect::<Vec<bool>>()
        };
        assert_eq!(slow(&[(500, true); 10])[6..], [false, false, true, true]);
        let fast: Vec<(u64, bool)> = (1..20).map(|second| (second * 64, true)).collect();
        assert!(slow(&fast).iter().all(|slow| !slow), "{:?}", slow(&fast));
        let little: Vec<(u64, bool)> = (1..20).map(|second| (second * 6, true)).collect();
        assert!(slow(&little)[SECONDS as usize..].iter().all(|slow| *slow));
        // A disk that is slow is no fault of the reader.
        assert!(slow(&[(0, false); 30]).iter().all(|slow| !slow));
        let guide = include_str!("../../docs/guides/web.md").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(guide.contains(&format!("{} KiB in each {SECONDS} seconds", TAKES >> 10)));
    }
}
