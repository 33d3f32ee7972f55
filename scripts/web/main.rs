//! Measures `referee serve` on loopback: pages of a hill with very many games, answers a second, event streams, and
//! the effect of spectators on the clock of the games, a page for one of very many accounts, submissions beside
//! attacks. The games of the large hill are invented. `scripts/bench web`
//!
//! The server runs on core 0, and the games of the last part on the last core. So the machine needs two cores.

#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]

use referee_testutil::random;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use clap::Parser;

mod clock;
mod crowd;
#[path = "../../tests/tournament/filled.rs"]
#[expect(dead_code, reason = "shared with the tests, which use more of it")]
mod filled;
mod hill;
mod load;
#[path = "../../tests/tournament/simulated.rs"]
#[expect(dead_code, reason = "shared with the tests, which use more of it")]
mod simulated;

use hill::Server;
use load::{Client, percentile};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Requests of each page; the median and the worst of them are shown.
const REQUESTS: usize = 30;

/// Measures the server of hills.
#[derive(Parser)]
struct Options {
    /// Games of the largest hill.
    #[arg(long, default_value_t = 1_000_000)]
    games: u32,
    /// Spectators, each with an event stream.
    #[arg(long, default_value_t = 1000)]
    spectators: usize,
    /// Pairs of runs with and without spectators.
    #[arg(long, default_value_t = 7)]
    pairs: usize,
    /// Seconds of each measurement under load.
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// One part alone: pages, load, accounts, crowd or clock.
    #[arg(long)]
    only: Option<String>,
    /// Folder for the hills. [default: where temporary files are]
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Cargo says this to every bench.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Outcome<()> {
    let options = Options::parse();
    let above = options.dir.clone().unwrap_or_else(std::env::temp_dir);
    fs::create_dir_all(&above)?;
    let place = tempfile::Builder::new().prefix("referee-bench-").tempdir_in(&above)?;
    let is_asked = |part: &str| options.only.as_deref().is_none_or(|only| only == part);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let load = fs::read_to_string("/proc/loadavg")?;
    println!("load before: {}", load.trim());
    if is_asked("pages") {
        println!(
            "\n| games | results.csv | `wc -l` | ready | again | memory | page | median ms | worst ms | KiB |"
        );
        println!("| --: | --: | --: | --: | --: | --: | --- | --: | --: | --: |");
        for games in [options.games / 100, options.games / 10, options.games] {
            let hill = hill::large(&place.path().join(games.to_string()), games)?;
            runtime.block_on(pages(&hill, games))?;
        }
    }
    if is_asked("load") {
        let hill = hill::played(&place.path().join("load"), 2)?;
        runtime.block_on(load::measure(&hill, &options))?;
    }
    if is_asked("accounts") {
        let hill = hill::played(&place.path().join("accounts"), 2)?;
        runtime.block_on(crowd::accounts(&hill, &options))?;
    }
    if is_asked("crowd") {
        let hill = hill::played(&place.path().join("crowd"), 2)?;
        runtime.block_on(crowd::crowd(&hill))?;
    }
    if is_asked("clock") {
        clock::measure(&place.path().join("clock"), &options, &runtime)?;
    }
    Ok(())
}

/// Asks for each kind of page of a hill, on one connection.
async fn pages(hill: &hill::Hill, games: u32) -> Outcome<()> {
    let start = Instant::now();
    let count = Command::new("wc").args(["-l", "hill/results.csv"]).current_dir(&hill.place).output()?;
    let counted = start.elapsed().as_secs_f64();
    assert!(count.status.success(), "wc");
    let (first_server, _, ready) = started(hill).await?;
    first_server.stop()?;
    let (server, mut client, again) = started(hill).await?;
    let memory = server.memory_mib();
    let mut first = format!(
        "{games} | {} MB | {counted:.2} s | {ready:.1} s | {again:.2} s | {memory:.0} MiB",
        hill.bytes / 1_000_000
    );
    let half = games / 2;
    for path in [
        "/hill",
        "/hill/games",
        &format!("/hill/games?before={half}"),
        "/hill/games?bot=b07",
        "/hill/games?bot=b07&opponent=b11",
        "/hill/games?bot=b00&opponent=b01&fault=crashed",
        "/hill/games?bot=nobody",
        &format!("/hill/games/{}", hill.middle),
        "/hill/bots/b07",
        "/hill/api/v1/games?limit=1000",
        "/hill/api/v1/standings",
    ] {
        let mut times = Vec::new();
        let mut size = 0;
        for _ in 0..REQUESTS {
            let start = Instant::now();
            let (status, bytes) = client.get(path).await?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
            size = bytes;
            if status != 200 {
                return Err(format!("{path}: {status}").into());
            }
        }
        times.sort_by(f64::total_cmp);
        let (median, worst) = (percentile(&times, 0.5), percentile(&times, 1.0));
        println!("| {first} | `{path}` | {median:.1} | {worst:.1} | {} |", size >> 10);
        "| | | | |".clone_into(&mut first);
    }
    println!("| | | | | | {:.0} MiB after these | | | | |", server.memory_mib());
    Ok(())
}

/// Starts a server. Returns the seconds until it shows the standings.
async fn started(hill: &hill::Hill) -> Outcome<(Server, Client, f64)> {
    let start = Instant::now();
    let server = Server::start(hill)?;
    let mut client = Client::connect(server.address, 0).await?;
    client.until_ready().await?;
    Ok((server, client, start.elapsed().as_secs_f64()))
}
