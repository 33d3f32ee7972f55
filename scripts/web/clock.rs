//! The time of a game's turns, and late bots, alternating between runs with spectators and without.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use referee_files::beneath::Spot;
use referee_files::results;
use referee_rules::FaultKind;
use referee_table::clock::Clock;
use tokio::runtime::Runtime;
use tokio::task::LocalSet;
use tokio::time::sleep;

use crate::hill::{self, Hill, Server};
use crate::load::{Client, spectate};
use crate::{Options, Outcome};

/// Number of turns in a game. Games are long, so that starts have little weight.
const TURNS: &str = "20000";

/// The result of some rounds.
struct Played {
    /// Microseconds a turn, the time of all games divided by their turns.
    turn: f64,
    /// Microseconds that a bot is charged for a turn.
    charged: f64,
    late: u64,
}

/// Measures pairs of runs, and prints them.
pub(crate) fn measure(place: &Path, options: &Options, runtime: &Runtime) -> Outcome<()> {
    fs::create_dir_all(place)?;
    let words =
        ["hill", "new", "hill", "football", "--stall-turns", "0", "--max-turns", TURNS, "--seed", "7"];
    hill::referee(place, &words)?;
    for bot in ["one", "two", "three", "four"] {
        hill::referee(place, &["hill", "submit", "hill", "random", "--name", bot])?;
    }
    let hill = Hill { place: place.to_owned(), bytes: 0, middle: String::new() };
    let server = Server::start(&hill)?;
    let core = thread::available_parallelism()?.get() - 1;
    play(place, core)?;
    // Real spectators are on other machines. Here they share the core of the server.
    let own = std::process::id().to_string();
    Command::new("taskset").args(["-pc", "0", &own]).stdout(Stdio::null()).status()?;
    println!("{} spectators; a turn in us: elapsed, and charged to a bot", options.spectators);
    println!("\n| pair | without | with | ratio | charged without | with | ratio | late without | with |");
    println!("| --: | --: | --: | --: | --: | --: | --: | --: | --: |");
    let mut ratios = Vec::new();
    for pair in 1..=options.pairs {
        let mut runs = [false, true];
        if pair % 2 == 0 {
            runs.reverse();
        }
        let mut played = [None, None];
        for with in runs {
            let spectators = if with { options.spectators } else { 0 };
            played[usize::from(with)] = Some(watched(place, core, &server, spectators, runtime)?);
        }
        let [Some(without), Some(with)] = played else { unreachable!("both were played") };
        let ratio = (with.turn / without.turn, with.charged / without.charged);
        println!(
            "| {pair} | {:.1} | {:.1} | {:.3} | {:.2} | {:.2} | {:.3} | {} | {} |",
            without.turn, with.turn, ratio.0, without.charged, with.charged, ratio.1, without.late, with.late
        );
        ratios.push(ratio);
    }
    for (what, mut ratios) in [
        ("by the clock", ratios.iter().map(|ratio| ratio.0).collect::<Vec<f64>>()),
        ("charged", ratios.iter().map(|ratio| ratio.1).collect()),
    ] {
        ratios.sort_by(f64::total_cmp);
        let [low, middle, high] = [0.0, 0.5, 1.0].map(|part| crate::percentile(&ratios, part));
        println!("median ratio {what}: {middle:.3}, from {low:.3} to {high:.3}");
    }
    Ok(())
}

/// Plays a round with this number of spectators, and returns the result.
fn watched(
    place: &Path,
    core: usize,
    server: &Server,
    spectators: usize,
    runtime: &Runtime,
) -> Outcome<Played> {
    let local = LocalSet::new();
    local.block_on(runtime, async {
        Client::connect(server.address, 0).await?.until_ready().await?;
        let streams = spectate(server, spectators, true).await?;
        let (tell, told) = mpsc::channel();
        let place = place.to_owned();
        thread::spawn(move || tell.send(play(&place, core).map_err(|error| error.to_string())));
        let played = loop {
            sleep(Duration::from_millis(20)).await;
            match told.try_recv() {
                Err(mpsc::TryRecvError::Empty) => {}
                played => break played?,
            }
        };
        streams.iter().for_each(tokio::task::JoinHandle::abort);
        Ok(played?)
    })
}

/// Plays a round on a core.
fn play(place: &Path, core: usize) -> Outcome<Played> {
    let spot = || Spot::below(&place.join("hill"), "results.csv");
    let before = if spot().exists() { results::read(spot())?.len() } else { 0 };
    let mut command = Command::new("taskset");
    command
        .args(["-c", &core.to_string()])
        .arg(hill::program())
        .args(["hill", "run", "hill", "--rounds", "1"]);
    command.current_dir(place).stdout(Stdio::null()).stderr(Stdio::null());
    let clock = Clock::start();
    if !command.status()?.success() {
        return Err("the round was not played".into());
    }
    let elapsed = clock.now().0.as_secs_f64();
    let rows = results::read(spot())?.split_off(before);
    let games = rows.iter().filter(|(_, row)| row.seat.index() == 0);
    let turns: u64 = games.map(|(_, row)| u64::from(row.turns)).sum();
    let charged: u64 = rows.iter().map(|(_, row)| row.thinking.total_us).sum();
    let asked: u64 = rows.iter().map(|(_, row)| u64::from(row.turns)).sum();
    let late = rows.iter().map(|(_, row)| row.faults[FaultKind::Late as usize]).sum();
    Ok(Played { turn: elapsed * 1e6 / turns as f64, charged: charged as f64 / asked as f64, late })
}
