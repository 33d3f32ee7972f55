//! The open connections of each address. When an address at its limit opens a new one, its oldest connection that waits
//! for a request is ended: connections that are left open keep nobody out.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::sync::Notify;

/// The states of a connection: it waits for a request, it answers one without a token, or one with a right token.
const WAITS: u8 = 0;
const ANSWERS: u8 = 1;
const ANSWERS_WITH_TOKEN: u8 = 2;

/// A connection.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    state: AtomicU8,
    end: Notify,
}

/// A request, from its last header to the end of its answer.
#[derive(Debug)]
pub(crate) struct Answering(Arc<Connection>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.state.store(WAITS, Ordering::Relaxed);
    }
}

impl Connection {
    /// Marks the connection as one that answers, until the result is dropped.
    pub(crate) fn begin_answer(self: &Arc<Connection>) -> Answering {
        self.state.store(ANSWERS, Ordering::Relaxed);
        Answering(Arc::clone(self))
    }

    /// Marks the request that is answered now as one with a right token.
    pub(crate) fn mark_right_token(&self) {
        self.state.store(ANSWERS_WITH_TOKEN, Ordering::Relaxed);
    }

    /// Ends the connection.
    pub(crate) fn end(&self) {
        self.end.notify_one();
    }

    /// Waits until [`end`](Connection::end) is called, which gives the place of the connection to another.
    pub(crate) async fn wait_for_end(&self) {
        self.end.notified().await;
    }

    fn state(&self) -> u8 {
        self.state.load(Ordering::Relaxed)
    }
}

/// The open connections of each address, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Connections(Mutex<BTreeMap<IpAddr, VecDeque<Arc<Connection>>>>);

/// An open connection. It is counted until this is dropped.
#[derive(Debug)]
pub(crate) struct Counted {
    all: Arc<Connections>,
    address: IpAddr,
    pub(crate) connection: Arc<Connection>,
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut all = self.all.0.lock();
        let Some(mine) = all.get_mut(&self.address) else { return };
        mine.retain(|other| !Arc::ptr_eq(other, &self.connection));
        if mine.is_empty() {
            all.remove(&self.address);
        }
    }
}

impl Connections {
    /// Counts a new connection of an address, which can have `max` connections. At this limit, the new one takes the
    /// place of the oldest that waits for a request, else of the oldest that answers one without a token. `None` if
    /// there is none of these.
    pub(crate) fn add(self: &Arc<Connections>, address: IpAddr, max: usize) -> Option<Counted> {
        let mut all = self.0.lock();
        let of_address = all.entry(address).or_default();
        if of_address.len() >= max {
            let oldest = |state: u8| of_address.iter().position(|other| other.state() == state);
            let position = oldest(WAITS).or_else(|| oldest(ANSWERS))?;
            of_address.remove(position)?.end();
        }
        let connection = Arc::<Connection>::default();
        of_address.push_back(Arc::clone(&connection));
        Some(Counted { all: Arc::clone(self), address, connection })
    }

    /// Returns the number of connections.
    pub(crate) fn held(&self) -> usize {
        self.0.lock().values().map(VecDeque::len).sum()
    }
}

/// The body of an answer. Its connection waits for the next request when it is dropped.
pub(crate) struct Answer {
    pub(crate) body: Body,
    pub(crate) _answering: Answering,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn a_new_connection_ends_the_oldest_of_its_address_that_waits_then_one_without_a_token() {
        let all = Arc::<Connections>::default();
        let [one, other] = ["192.0.2.1", "192.0.2.2"].map(|address| address.parse().expect("an address"));
        let is_ended = |counted: &Counted| counted.connection.wait_for_end().now_or_never().is_some();
        let bystander = all.add(other, 3).expect("room");
        let open: Vec<Counted> = (0..3).map(|_| all.add(one, 3).expect("room")).collect();
        let submits = open[0].connection.begin_answer();
        open[0].connection.mark_right_token();
        let reads = open[1].connection.begin_answer();
        // The third waits for a request.
        let fourth = all.add(one, 3).expect("the place of the third");
        assert_eq!(open.iter().map(is_ended).collect::<Vec<bool>>(), [false, false, true]);
        let asks = fourth.connection.begin_answer();
        let fifth = all.add(one, 3).expect("the place of the second, which reads without a token");
        assert_eq!(
            open.iter().chain([&fourth]).map(is_ended).collect::<Vec<bool>>(),
            [false, true, false, false]
        );
        let sixth = all.add(one, 3).expect("the place of the fifth, which waits");
        assert!(is_ended(&fifth));
        for counted in [&fourth, &sixth] {
            counted.connection.mark_right_token();
        }
        assert!(all.add(one, 3).is_none(), "each of the three answers a request with a token");
        // An answer that has ended is no protection any more.
        drop(submits);
        assert!(all.add(one, 3).is_some() && is_ended(&open[0]));
        assert!(!is_ended(&bystander));
        drop((reads, asks, open, fourth, fifth, sixth, bystander));
        assert_eq!((all.held(), all.0.lock().len()), (0, 0));
    }

    #[test]
    fn any_number_of_half_open_connections_leaves_room_for_a_new_one() {
        let all = Arc::<Connections>::default();
        let address = "192.0.2.1".parse().expect("an address");
        let open: Vec<Counted> = (0..1100).map(|_| all.add(address, 1024).expect("a place")).collect();
        assert_eq!(all.held(), 1024);
        drop(open);
        assert_eq!(all.held(), 0);
    }
}
