//! Readers of archives. Who takes one slowly keeps the place as long as nobody else waits for one.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::sleep;

use crate::connections::Connection;
use crate::pool::Pool;

/// What a reader takes at least while the server waits for it this number of seconds, in bytes. The system of a reader
/// tells in steps of some hundred KiB what was read.
const TAKES: u64 = 512 << 10;
const SECONDS: u32 = 8;

/// How long a place needs to come to who waits for it, when a connection was ended.
const COMES: Duration = Duration::from_secs(1);

/// An archive on its way: what its reader has taken.
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

/// How fast a reader is, from looks at what it has taken, one a second.
#[derive(Debug, Default)]
struct Pace {
    before: u64,
    waited: u32,
}

impl Pace {
    /// Takes a look. Returns whether the reader is slow.
    fn is_slow(&mut self, bytes: u64, waits: bool) -> bool {
        if bytes >= self.before + TAKES {
            *self = Pace { before: bytes, waited: 0 };
        }
        self.waited += u32::from(waits);
        self.waited > SECONDS
    }
}

/// Ends the connection of a slow reader when others wait for a place in a pool, until all is taken. One gives way at a
/// time.
pub(crate) async fn watch(taken: Arc<Taken>, pool: Arc<Pool>, connection: Arc<Connection>) {
    let mut pace = Pace::default();
    loop {
        sleep(Duration::from_secs(1)).await;
        let (bytes, waits) = (taken.bytes.load(Ordering::Relaxed), taken.waits.load(Ordering::Relaxed));
        let is_slow = pace.is_slow(bytes, waits) && pool.is_wanted();
        let giving_way = if is_slow { Some(pool.giving_way.lock().await) } else { None };
        if taken.is_over.load(Ordering::Relaxed) {
            return;
        }
        if giving_way.is_some() && pool.is_wanted() {
            connection.end();
            return sleep(COMES).await;
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
