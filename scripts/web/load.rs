//! Clients, each with a connection that stays open, and measurements of the server under their load.

use std::cell::RefCell;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::{JoinHandle, LocalSet, spawn_local};
use tokio::time::{sleep, sleep_until, timeout};

use crate::hill::{Hill, Server};
use crate::{Options, Outcome};

/// Number of connections that send requests.
const CLIENTS: usize = 64;

/// Requests a second while delays are measured.
const RATE: f64 = 2000.0;

/// Maximum number of connections from one address of this machine: the server limits them.
const OF_ONE: usize = 200;

/// A connection.
pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    /// Connects from an address of this machine that depends on the number of the client.
    pub(crate) async fn connect(to: SocketAddr, number: usize) -> io::Result<Client> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((Ipv4Addr::new(127, 0, 1, 1 + (number / OF_ONE) as u8), 0)))?;
        let stream = socket.connect(to).await?;
        stream.set_nodelay(true)?;
        Ok(Client { stream, buffer: Vec::new() })
    }

    /// Asks for an address. Returns the status, and the length of the body.
    pub(crate) async fn get(&mut self, path: &str) -> io::Result<(u16, usize)> {
        self.get_as(path, None).await
    }

    /// Likewise with the token of an account.
    async fn get_as(&mut self, path: &str, token: Option<&str>) -> io::Result<(u16, usize)> {
        self.ask_as(path, token).await?;
        self.answer().await
    }

    /// Submits a program. Returns the status, and the length of the body.
    pub(crate) async fn submit(
        &mut self,
        name: &str,
        token: &str,
        program: &str,
    ) -> io::Result<(u16, usize)> {
        self.buffer.clear();
        let length = program.len();
        let request = format!(
            "POST /hill/api/v1/bots?name={name} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\
             Content-Length: {length}\r\n\r\n{program}"
        );
        self.stream.write_all(request.as_bytes()).await?;
        self.answer().await
    }

    async fn answer(&mut self) -> io::Result<(u16, usize)> {
        let (status, head, length) = self.head().await?;
        let end = |buffer: &[u8]| match length {
            Some(length) => buffer.len() >= head + length,
            None => buffer.ends_with(b"0\r\n\r\n"),
        };
        while !end(&self.buffer) {
            self.more().await?;
        }
        Ok((status, self.buffer.len() - head))
    }

    async fn ask(&mut self, path: &str) -> io::Result<()> {
        self.ask_as(path, None).await
    }

    async fn ask_as(&mut self, path: &str, token: Option<&str>) -> io::Result<()> {
        self.buffer.clear();
        let token = token.map_or(String::new(), |token| format!("Authorization: Bearer {token}\r\n"));
        self.stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: bench\r\n{token}\r\n").as_bytes()).await
    }

    /// Sends bytes, and reads no answer.
    pub(crate) async fn leave(&mut self, bytes: &str) -> io::Result<()> {
        self.stream.write_all(bytes.as_bytes()).await
    }

    /// Reads the head of an answer. Returns the status, the length of the head, and that of the body if it is given.
    async fn head(&mut self) -> io::Result<(u16, usize, Option<usize>)> {
        let end = loop {
            if let Some(end) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            self.more().await?;
        };
        let head = String::from_utf8_lossy(&self.buffer[..end]).to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        Ok((status, end, length.and_then(|length| length.parse().ok())))
    }

    async fn more(&mut self) -> io::Result<()> {
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    /// Waits until the server has read its records.
    pub(crate) async fn until_ready(&mut self) -> io::Result<()> {
        while self.get("/hill/api/v1/standings").await?.0 != 200 {
            sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }
}

/// Returns a percentile of sorted values.
pub(crate) fn percentile(sorted: &[f64], part: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    sorted.get((part * last as f64).ceil() as usize).copied().unwrap_or(f64::NAN)
}

/// Measures answers, delays and event streams of a hill, and prints them.
pub(crate) async fn measure(hill: &Hill, options: &Options) -> Outcome<()> {
    let server = Server::start(hill)?;
    Client::connect(server.address, 0).await?.until_ready().await?;
    println!("\n| address | KiB | answers a second | us of a core each | p50 ms at {RATE}/s | p99 ms |");
    println!("| --- | --: | --: | --: | --: | --: |");
    let game = format!("/hill/games/{}", hill.middle);
    for path in [
        "/hill",
        "/hill/api/v1/standings",
        "/hill/games",
        &game,
        &format!("{game}/replay"),
        "/hill/bots/random0",
    ] {
        let asked = answers(&server, path, None, options.seconds);
        let (bytes, rate, each) = LocalSet::new().run_until(asked).await?;
        let of_rate = match rate > 1.5 * RATE {
            true => LocalSet::new().run_until(delays(&server, path, options.seconds)).await?,
            false => vec![],
        };
        println!(
            "| `{}` | {} | {rate:.0} | {each:.0} | {:.2} | {:.2} |",
            path.replace(&hill.middle, "GAME"),
            bytes >> 10,
            percentile(&of_rate, 0.5),
            percentile(&of_rate, 0.99)
        );
    }
    let before = server.memory_mib();
    let local = LocalSet::new();
    let streams = local.run_until(spectate(&server, options.spectators, false)).await?;
    local.run_until(sleep(Duration::from_secs(2))).await;
    let after = server.memory_mib();
    println!("\n{} event streams: {before:.1} MiB before, {after:.1} MiB with them", options.spectators);
    streams.iter().for_each(JoinHandle::abort);
    Ok(())
}

/// Sends requests as fast as answers arrive. Returns the bytes of an answer, answers a second, and microseconds of a
/// core for each.
pub(crate) async fn answers(
    server: &Server,
    path: &str,
    token: Option<&str>,
    seconds: f64,
) -> Outcome<(usize, f64, f64)> {
    let count = Rc::new(RefCell::new((0_u64, 0)));
    let (start, computed) = (Instant::now(), server.computed());
    let until = start + Duration::from_secs_f64(seconds);
    let ask = |number| {
        let (address, path, count) = (server.address, path.to_owned(), Rc::clone(&count));
        let token = token.map(str::to_owned);
        spawn_local(async move {
            let mut client = Client::connect(address, number).await?;
            while Instant::now() < until {
                let (status, bytes) = client.get_as(&path, token.as_deref()).await?;
                if status != 200 {
                    return Err(io::Error::other(format!("{path}: {status}")));
                }
                let mut count = count.borrow_mut();
                *count = (count.0 + 1, bytes);
            }
            Ok(())
        })
    };
    for client in (0..CLIENTS).map(ask).collect::<Vec<_>>() {
        client.await??;
    }
    let ((count, bytes), seconds) = (*count.borrow(), start.elapsed().as_secs_f64());
    Ok((bytes, count as f64 / seconds, (server.computed() - computed) / count as f64 * 1e6))
}

/// Sends requests at a fixed rate. Returns the delays in milliseconds, sorted: each from the time at which the request
/// was due.
async fn delays(server: &Server, path: &str, seconds: f64) -> Outcome<Vec<f64>> {
    let start = tokio::time::Instant::now() + Duration::from_millis(200);
    let each = (RATE * seconds / CLIENTS as f64) as usize;
    let ask = |number: usize| {
        let (address, path) = (server.address, path.to_owned());
        spawn_local(async move {
            let mut client = Client::connect(address, number).await?;
            let mut times = Vec::new();
            for turn in 0..each {
                let due = start + Duration::from_secs_f64((turn * CLIENTS + number) as f64 / RATE);
                sleep_until(due).await;
                client.get(&path).await?;
                times.push(due.elapsed().as_secs_f64() * 1e3);
            }
            Ok::<_, io::Error>(times)
        })
    };
    let mut times = Vec::new();
    for client in (0..CLIENTS).map(ask).collect::<Vec<_>>() {
        times.extend(client.await??);
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}

/// Opens event streams. Spectators fetch the page again after an event, as a browser does.
pub(crate) async fn spectate(
    server: &Server,
    count: usize,
    look: bool,
) -> Outcome<Vec<JoinHandle<io::Result<()>>>> {
    let mut streams = Vec::new();
    for number in 0..count {
        let address = server.address;
        let mut stream = Client::connect(address, number).await?;
        stream.ask("/hill/api/v1/events").await?;
        if stream.head().await?.0 != 200 {
            return Err("an event stream was refused".into());
        }
        streams.push(spawn_local(async move {
            loop {
                stream.buffer.clear();
                stream.more().await?;
                if look && stream.buffer.starts_with(b"event") {
                    // As `live.js` waits, so that not all ask at once.
                    sleep(Duration::from_millis(200 + (number * 7919 % 1500) as u64)).await;
                    let mut page = Client::connect(address, number).await?;
                    let _ = timeout(Duration::from_secs(10), page.get("/hill")).await;
                }
            }
        }));
    }
    Ok(streams)
}
