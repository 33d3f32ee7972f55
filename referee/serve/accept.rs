//! Connections: which ones are accepted, and how long a peer can take. Anything that a stranger leaves
//! unfinished ends without help.

use std::future::Future;
use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Sleep, sleep};

use crate::site::{ARCHIVES_MAX, FILES_MAX, Site};
use crate::throttle::{Peer, group};

/// Maximum number of connections of all peers, if there are enough descriptors.
pub(crate) const CONNECTIONS_MAX: usize = 8192;

/// Number of descriptors that are kept for files and processes.
const DESCRIPTORS_LEFT: usize = 192 + FILES_MAX + ARCHIVES_MAX;

/// One address can hold at most the number of all connections divided by this.
pub(crate) const PART_OF_ONE: usize = 8;

/// The number of bytes that a peer must read in each stretch of time in which the server waits for it, and the length
/// of the stretch.
const WRITE_LEAST: usize = 128 << 10;
const WRITE_WAIT: Duration = Duration::from_secs(20);

/// Maximum lifetime of a connection. A page that follows events connects again.
const LIFETIME: Duration = Duration::from_secs(15 * 60);

/// Time limit for the end of a connection after its lifetime, or when the server stops.
const FAREWELL: Duration = Duration::from_secs(5);

/// How long the server still reads from a connection after its last answer. A program that is refused during
/// its upload is read to its end: a peer that cannot finish sending would report a broken connection, not the
/// answer.
const LINGER: Duration = Duration::from_secs(4);

/// Maximum number of bytes that are read ahead of a request. Longer headers are refused.
const HEADERS_BYTES: usize = 16 << 10;

/// Maximum number of headers of a request.
const HEADERS_MAX: usize = 64;

/// A connection, counted as long as it exists.
struct Counted {
    address: IpAddr,
    site: Arc<Site>,
    _place: OwnedSemaphorePermit,
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut counts = self.site.connections.lock();
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

/// Accepts connections until `stop` is done; then gives those that are open a moment to end.
pub(crate) async fn accept(
    site: &Arc<Site>,
    listener: TcpListener,
    routes: Router,
    stop: impl Future<Output = ()>,
) {
    let most = connections_max();
    let places = Arc::new(Semaphore::new(most));
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, peer)) = accepted else {
            // No descriptor is left, or the peer has gone already.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        // A socket of IPv6 names visitors of IPv4 in its own way.
        let address = peer.ip().to_canonical();
        let is_proxy = site.is_proxy(address);
        let of_one = if is_proxy { most } else { most / PART_OF_ONE };
        if let Some(counted) = counted(site, &places, group(address), of_one) {
            tokio::spawn(serve(counted, stream, routes.clone(), Peer(address)));
        }
    }
    site.stop.send_replace(true);
    let _ = tokio::time::timeout(FAREWELL, places.acquire_many(most as u32)).await;
}

/// Raises the limit of descriptors as far as the system allows, and returns the maximum number of connections.
fn connections_max() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let descriptors = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |most| most as usize);
    descriptors.saturating_sub(DESCRIPTORS_LEFT).clamp(PART_OF_ONE, CONNECTIONS_MAX)
}

fn counted(site: &Arc<Site>, places: &Arc<Semaphore>, address: IpAddr, most: usize) -> Option<Counted> {
    let place = Arc::clone(places).try_acquire_owned().ok()?;
    let mut all = site.connections.lock();
    let count = all.entry(address).or_default();
    if *count >= most {
        return None;
    }
    *count += 1;
    drop(all);
    Some(Counted { address, site: Arc::clone(site), _place: place })
}

/// Serves a connection to its end.
async fn serve(counted: Counted, stream: TcpStream, routes: Router, peer: Peer) {
    let site = &counted.site;
    let _ = stream.set_nodelay(true);
    let routes = TowerToHyperService::new(routes);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        hyper::service::Service::call(&routes, request.map(Body::new))
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).max_headers(HEADERS_MAX).max_buf_size(HEADERS_BYTES);
    builder.header_read_timeout(Duration::from_secs(site.options.header_seconds));
    let stream = Lingering { stream: Paced::new(stream), until: None };
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        _ = connection.as_mut() => {}
        () = over(site.stop.subscribe()) => {
            connection.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(FAREWELL, connection).await;
        }
    }
}

/// A stream that ends when its peer reads too slowly.
struct Paced<S> {
    stream: S,
    /// Bytes that were written in this stretch of time.
    written: usize,
    /// The end of the stretch. It begins when the server has to wait, and ends early when enough was written.
    end: Option<Pin<Box<Sleep>>>,
    /// Whether the server waits for the peer now.
    waits: bool,
}

impl<S> Paced<S> {
    fn new(stream: S) -> Paced<S> {
        Paced { stream, written: 0, end: None, waits: false }
    }

    /// Counts what a write has done.
    fn paced(&mut self, context: &mut Context<'_>, done: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &done {
            Poll::Pending => {
                // A stretch that has ended while nobody had to wait says nothing about the peer.
                if !self.waits && self.end.as_ref().is_some_and(|end| end.is_elapsed()) {
                    (self.written, self.end) = (0, None);
                }
                self.waits = true;
                ready!(self.end.get_or_insert_with(|| Box::pin(sleep(WRITE_WAIT))).as_mut().poll(context));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            Poll::Ready(Ok(bytes)) => {
                self.waits = false;
                self.written += *bytes;
                if self.written >= WRITE_LEAST {
                    (self.written, self.end) = (0, None);
                }
                done
            }
            Poll::Ready(Err(_)) => done,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.paced(context, done)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.paced(context, done)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// A stream that closes when its peer has sent everything and has closed, too, or after [`LINGER`].
struct Lingering<S> {
    stream: S,
    until: Option<Pin<Box<Sleep>>>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Lingering<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Lingering<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Lingering { stream, until } = &mut *self;
        if until.is_none() {
            ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
        }
        let until = until.get_or_insert_with(|| Box::pin(sleep(LINGER)));
        let mut bytes = [0; 16 << 10];
        while until.as_mut().poll(context).is_pending() {
            let mut buffer = ReadBuf::new(&mut bytes);
            match ready!(Pin::new(&mut *stream).poll_read(context, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => {}
                _ => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}

/// Waits until a connection has lasted long enough, or the server stops.
async fn over(mut stop: watch::Receiver<bool>) {
    let stopped = async {
        let _ = stop.wait_for(|stop| *stop).await;
    };
    let stopped: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(stopped);
    let _ = tokio::time::timeout(LIFETIME, stopped).await;
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Sends an answer of `length` bytes to a peer who reads `part` bytes each time after a rest, for at most `time`.
    /// Returns what he got; `None` if the stream has not ended.
    async fn got(length: usize, part: usize, rest: Duration, time: Duration) -> Option<usize> {
        let (server, mut peer) = duplex(32 << 10);
        let mut stream = Paced::new(server);
        tokio::spawn(async move {
            let _ = stream.write_all(&vec![0; length]).await;
        });
        let mut bytes = vec![0; part];
        let reads = async {
            let mut got = 0;
            loop {
                sleep(rest).await;
                match peer.read(&mut bytes).await {
                    Ok(count) if count > 0 => got += count,
                    _ => return got,
                }
            }
        };
        tokio::time::timeout(time, reads).await.ok()
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_keeps_a_rate_or_is_left_and_a_trickle_is_no_rate() {
        let length = 4 << 20;
        assert_eq!(got(length, 16 << 10, SECOND, 1000 * SECOND).await, Some(length));
        // One piece every 19 seconds: each is some progress, and too little. What is in the buffer can still be read.
        for part in [2 << 10, 4 << 10, 32 << 10] {
            let got = got(length, part, 19 * SECOND, 19 * 40 * SECOND).await;
            assert!(got.is_some_and(|got| got < length / 8), "{part}: {got:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_of_events_may_be_quiet_for_long() {
        let (server, mut peer) = duplex(1 << 10);
        let mut stream = Paced::new(server);
        let reads = tokio::spawn(async move {
            let mut all = Vec::new();
            peer.read_to_end(&mut all).await.map(|_| all.len())
        });
        // Each event is longer than what waits for its reader, and he reads it at once.
        for _ in 0..100 {
            sleep(15 * SECOND).await;
            stream.write_all(&[0; 3000]).await.expect("nobody waits");
        }
        drop(stream);
        assert_eq!(reads.await.expect("it ends").expect("read"), 300_000);
    }
}
