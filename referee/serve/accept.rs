//! The acceptance of connections, with limits on their number and on the time that a peer can take: whatever a stranger
//! leaves unfinished ends by itself.

use std::future::Future;
use std::io::{self, IoSlice};
use std::os::fd::AsFd;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use futures_util::{Stream, StreamExt};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::time::{Sleep, sleep};

use crate::clock::Since;
use crate::connections::{Answer, Connection};
use crate::site::{ARCHIVES_MAX, FILES_MAX, Site};
use crate::throttle::{Peer, group};

/// Maximum number of connections of all peers, if there are enough descriptors.
pub(crate) const CONNECTIONS_MAX: usize = 8192;

/// Number of descriptors that are kept for files and processes.
const DESCRIPTORS_LEFT: usize = 192 + FILES_MAX + ARCHIVES_MAX;

/// One address can hold at most the number of all connections divided by this.
pub(crate) const PART_OF_ONE: usize = 8;

/// The rate at which a peer must read, on average: this number of bytes for each of these stretches of time in which
/// the server waits for it.
const WRITE_LEAST: usize = 128 << 10;
const WRITE_WAIT: Duration = Duration::from_secs(20);

/// The longest time for which the server waits for a peer that read faster before. The system of the peer reports what
/// was read in steps that can be some hundred KiB.
const WRITE_WAIT_MAX: Duration = Duration::from_secs(120);

/// Bytes that the system keeps for a peer before it sends them. The server can write again when half of them are sent.
const UNSENT_MAX: u32 = 64 << 10;

/// Maximum lifetime of a connection, and of a stream of events. An answer that is being sent then is sent to its end.
const LIFETIME: Duration = Duration::from_secs(15 * 60);

/// Time limit for the end of a connection when the server stops.
const FAREWELL: Duration = Duration::from_secs(5);

/// How long the server still reads from a connection after its last answer. The rest of an upload that was refused is
/// read, too: a peer that cannot finish sending would report a broken connection, not the answer.
const LINGER: Duration = Duration::from_secs(4);

/// Maximum number of bytes that are read ahead of a request. Longer headers are refused.
const HEADERS_BYTES: usize = 16 << 10;

/// Maximum number of headers of a request.
const HEADERS_MAX: usize = 64;

/// Accepts connections until `stop` is done; then waits for a moment until those that are open have ended.
pub(crate) async fn accept(
    site: &Arc<Site>,
    listener: TcpListener,
    routes: Router,
    stop: impl Future<Output = ()>,
) {
    let max = connections_max();
    let places = Arc::new(Semaphore::new(max));
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
        // A socket of IPv6 maps addresses of IPv4 into its own form.
        let address = peer.ip().to_canonical();
        // All visitors behind the proxy have its address.
        let max_of_one = if site.is_proxy(address) { max } else { max / PART_OF_ONE };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
        let Some(counted) = site.connections.add(group(address), max_of_one) else { continue };
        let _ = stream.set_nodelay(true);
        limit_unsent(&stream);
        let (routes, stop) = (routes.clone(), site.stop.subscribe());
        let header_wait = Duration::from_secs(site.options.header_seconds);
        tokio::spawn(async move {
            serve(&counted.connection, stream, routes, Peer(address), header_wait, stop).await;
            drop((counted, place));
        });
    }
    site.stop.send_replace(true);
    let _ = tokio::time::timeout(FAREWELL, places.acquire_many(max as u32)).await;
}

/// Limits what the system keeps for the peer of a socket: a buffer of some megabytes would hide how slowly the peer
/// reads.
fn limit_unsent(stream: &impl AsFd) {
    let _ = SockRef::from(stream).set_tcp_notsent_lowat(UNSENT_MAX);
}

/// Raises the limit of descriptors as far as the system allows, and returns the maximum number of connections.
fn connections_max() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let descriptors = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |max| max as usize);
    descriptors.saturating_sub(DESCRIPTORS_LEFT).clamp(PART_OF_ONE, CONNECTIONS_MAX)
}

/// Serves a connection to its end.
async fn serve(
    connection: &Arc<Connection>,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    routes: Router,
    peer: Peer,
    header_wait: Duration,
    mut stop: watch::Receiver<bool>,
) {
    let routes = TowerToHyperService::new(routes);
    let service = service_fn(|mut request: Request<Incoming>| {
        let answering = connection.begin_answer();
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(Arc::clone(connection));
        let response = hyper::service::Service::call(&routes, request.map(Body::new));
        async { response.await.map(|response| response.map(|body| Answer { body, _answering: answering })) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).max_headers(HEADERS_MAX).max_buf_size(HEADERS_BYTES);
    builder.header_read_timeout(header_wait);
    let stream = Lingering { stream: Paced::new(stream), linger: None };
    let mut serving = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let (mut end, mut lifetime) = (pin!(connection.wait_for_end()), pin!(sleep(LIFETIME)));
    let mut is_old = false;
    loop {
        tokio::select! {
            _ = serving.as_mut() => return,
            () = end.as_mut() => return,
            () = lifetime.as_mut(), if !is_old => {
                // An answer that is being sent is sent to its end.
                serving.as_mut().graceful_shutdown();
                is_old = true;
            }
            _ = stop.wait_for(|stop| *stop) => break,
        }
    }
    serving.as_mut().graceful_shutdown();
    let _ = tokio::time::timeout(FAREWELL, serving).await;
}

/// Ends a stream of events after a while. The page that follows it connects again.
pub(crate) fn for_a_while<S: Stream>(events: S) -> impl Stream<Item = S::Item> {
    events.take_until(sleep(LIFETIME))
}

/// The time for which the server still waits for a peer. Waiting uses it up, and what the peer reads adds to it.
#[derive(Debug)]
struct Patience(Duration);

impl Patience {
    fn new() -> Patience {
        Patience(WRITE_WAIT)
    }

    fn subtract_wait(&mut self, time: Duration) {
        self.0 = self.0.saturating_sub(time);
    }

    fn add_for_written(&mut self, bytes: usize) {
        let added = WRITE_WAIT.mul_f64(bytes as f64 / WRITE_LEAST as f64);
        self.0 = (self.0 + added).min(WRITE_WAIT_MAX);
    }
}

/// A stream that fails when its peer reads too slowly.
struct Paced<S> {
    stream: S,
    patience: Patience,
    /// The wait for the peer; `None` if the server does not wait.
    wait: Option<Wait>,
}

/// A wait for a peer.
struct Wait {
    start: Since,
    /// Done when the patience is used up.
    timeout: Pin<Box<Sleep>>,
}

impl<S> Paced<S> {
    fn new(stream: S) -> Paced<S> {
        Paced { stream, patience: Patience::new(), wait: None }
    }

    /// Takes the result of a write, and returns it, or an error if the peer has read too slowly.
    fn check_pace(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Pending => {
                let patience = self.patience.0;
                let begin = || Wait { start: Since::now(), timeout: Box::pin(sleep(patience)) };
                ready!(self.wait.get_or_insert_with(begin).timeout.as_mut().poll(context));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            Poll::Ready(Ok(bytes)) => {
                if let Some(wait) = self.wait.take() {
                    self.patience.subtract_wait(wait.start.elapsed());
                }
                self.patience.add_for_written(*bytes);
                written
            }
            Poll::Ready(Err(_)) => written,
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
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check_pace(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.check_pace(context, written)
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

/// A stream that still reads while it closes, until its peer has closed, too, or [`LINGER`] is over.
struct Lingering<S> {
    stream: S,
    /// Done when [`LINGER`] is over; `None` before the stream closes.
    linger: Option<Pin<Box<Sleep>>>,
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
        let Lingering { stream, linger } = &mut *self;
        if linger.is_none() {
            ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
        }
        let linger = linger.get_or_insert_with(|| Box::pin(sleep(LINGER)));
        let mut bytes = [0; 16 << 10];
        while linger.as_mut().poll(context).is_pending() {
            let mut buffer = ReadBuf::new(&mut bytes);
            match ready!(Pin::new(&mut *stream).poll_read(context, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => {}
                _ => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Sends an answer of `length` bytes to a peer who reads `part` bytes each time after a rest, for at most `time`.
    /// Returns the number of bytes that the peer got; `None` if the stream has not ended.
    async fn received(length: usize, part: usize, rest: Duration, time: Duration) -> Option<usize> {
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
        assert_eq!(received(length, 16 << 10, SECOND, 1000 * SECOND).await, Some(length));
        // One piece every 19 seconds: each is some progress, and too little. What is in the buffer can still be read.
        for part in [2 << 10, 4 << 10, 32 << 10] {
            let got = received(length, part, 19 * SECOND, 19 * 40 * SECOND).await;
            assert!(got.is_some_and(|got| got < length / 8), "{part}: {got:?}");
        }
    }

    /// Returns a connection with a server in this process whose only address is `/`.
    fn served(body: impl Fn() -> Body + Clone + Send + Sync + 'static) -> tokio::io::DuplexStream {
        let (stream, peer) = duplex(64 << 10);
        let routes = Router::new().route("/", axum::routing::get(async move || body()));
        tokio::spawn(async move {
            let (connection, (_stop, stopped)) = (Arc::default(), watch::channel(false));
            serve(&connection, stream, routes, Peer([192, 0, 2, 1].into()), 10 * SECOND, stopped).await;
        });
        peer
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_answer_is_sent_to_its_end_however_long_it_takes_at_the_promised_rate() {
        const LENGTH: usize = 32 << 20;
        let mut peer = served(|| Body::from(vec![b'x'; LENGTH]));
        peer.write_all(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await.expect("sent");
        let (start, mut got, mut bytes) = (Since::now(), 0, vec![0; 16 << 10]);
        loop {
            match peer.read(&mut bytes).await {
                Ok(0) | Err(_) => break,
                Ok(count) => got += count,
            }
            sleep(SECOND).await;
        }
        assert!(start.elapsed() > 2 * LIFETIME, "{:?}", start.elapsed());
        assert!(got > LENGTH, "{got}: the head, and all of the body");
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_of_events_ends_after_its_time_and_so_does_its_connection() {
        let mut peer = served(|| {
            let beats = futures_util::stream::unfold((), async |()| {
                sleep(15 * SECOND).await;
                Some((Ok::<_, io::Error>(":\n\n"), ()))
            });
            Body::from_stream(for_a_while(beats))
        });
        peer.write_all(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await.expect("sent");
        let start = Since::now();
        let mut all = Vec::new();
        peer.read_to_end(&mut all).await.expect("its end");
        assert!(
            start.elapsed() >= LIFETIME && start.elapsed() < LIFETIME + 60 * SECOND,
            "{:?}",
            start.elapsed()
        );
        assert!(all.ends_with(b"0\r\n\r\n"), "an end, not a break");
    }

    #[test]
    fn a_reader_at_twice_the_promised_rate_is_waited_for_whatever_the_buffers_of_both_ends() {
        use std::io::{Read, Write};
        use std::net::TcpListener;

        use socket2::{Domain, Socket, Type};
        const PART: usize = 16 << 10;
        for buffer in [None, Some(64 << 10), Some(1 << 20), Some(8 << 20)] {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            let reader = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
            if let Some(length) = buffer {
                reader.set_recv_buffer_size(length).expect("a buffer");
            }
            reader.connect(&listener.local_addr().expect("its port").into()).expect("a connection");
            let mut reader: std::net::TcpStream = reader.into();
            let (mut server, _) = listener.accept().expect("a connection");
            limit_unsent(&server);
            server.set_nonblocking(true).expect("as asked");
            let (mut patience, mut bytes) = (Patience::new(), [0; PART]);
            for _ in 0..512 {
                let written = std::iter::from_fn(|| server.write(&[0; 64 << 10]).ok()).sum();
                patience.add_for_written(written);
                // The time follows from the reader's rate and bytes, however fast this machine is.
                patience.subtract_wait(WRITE_WAIT.mul_f64(PART as f64 / WRITE_LEAST as f64 / 2.0));
                assert!(!patience.0.is_zero(), "{buffer:?}");
                reader.read_exact(&mut bytes).expect("what was sent");
            }
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
        // Each event is longer than the buffer, and the reader reads it at once.
        for _ in 0..100 {
            sleep(15 * SECOND).await;
            stream.write_all(&[0; 3000]).await.expect("nobody waits");
        }
        drop(stream);
        assert_eq!(reads.await.expect("it ends").expect("read"), 300_000);
    }
}
