//! Hills to measure, and the server that shows them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use referee_contest::fixture::{Fixture, game_id};
use referee_record::results::Scheduled;
use referee_rules::{BySeat, FaultKind};
use rustix::process::{Pid, Signal};

use crate::Outcome;
use crate::filled::fill;
use crate::random::Random;
use crate::simulated::rows_of;

const SERVER: &str = env!("CARGO_BIN_EXE_referee-serve");

/// Bots of a hill with invented games: four at a table, which play four games in a round.
const BOTS: usize = 24;
const GAMES_A_ROUND: u32 = BOTS as u32;

/// A place with a folder `hill` that can be served.
pub(crate) struct Hill {
    pub(crate) place: PathBuf,
    /// Length of the results.
    pub(crate) bytes: u64,
    /// The name of a game in the middle.
    pub(crate) middle: String,
}

/// Runs the program `referee` to its end.
pub(crate) fn referee(place: &Path, words: &[&str]) -> Outcome<()> {
    let mut command = Command::new(program());
    command.args(words).current_dir(place).stdout(Stdio::null()).stderr(Stdio::null());
    match command.status()?.success() {
        true => Ok(()),
        false => Err(format!("{words:?} failed").into()),
    }
}

/// Returns the program `referee`, which is in the folder of the server.
pub(crate) fn program() -> PathBuf {
    Path::new(SERVER).with_file_name("referee")
}

/// Makes a hill with this number of invented games. The logs are missing.
pub(crate) fn large(place: &Path, games: u32) -> Outcome<Hill> {
    fs::create_dir_all(place)?;
    let words = "hill new hill football --block one-seating -p 2 --max-turns 2 --seed 7";
    referee(place, &words.split(' ').collect::<Vec<&str>>())?;
    let names: Vec<String> = (0..BOTS).map(|number| format!("b{number:02}")).collect();
    for name in &names {
        referee(place, &["hill", "submit", "hill", "still", "--name", name])?;
    }
    let root = place.join("hill");
    let (hill, mut random) = (referee_contest::hill::Hill::open(&root)?, Random::new(1));
    let number = |name: &str| names.iter().position(|bot| *bot == name).unwrap_or(0);
    let rounds = games.div_ceil(GAMES_A_ROUND);
    fill(&hill, rounds, |_, fixture: &Fixture| {
        let bots: BySeat<usize> = fixture.entrants.iter().map(|(_, bot)| number(&bot.name.name)).collect();
        let mut rows = rows_of(fixture, &bots, &mut random);
        // A fault now and then: finding rare ones takes longest.
        rows.iter_mut()
            .filter(|_| random.percent(1))
            .for_each(|row| row.faults[FaultKind::Late as usize] = 1);
        rows
    });
    let place_of_middle = Scheduled { season: 1, round: rounds / 2 + 1, table: 1, rotation: 1 };
    let bytes = fs::metadata(root.join("results.csv"))?.len();
    Ok(Hill { place: place.to_owned(), bytes, middle: game_id(place_of_middle) })
}

/// Makes a hill of house bots on which some rounds of Push were played.
pub(crate) fn played(place: &Path, rounds: u32) -> Outcome<Hill> {
    fs::create_dir_all(place)?;
    referee(place, &["hill", "new", "hill", "push", "--seed", "7"])?;
    for number in 0..4 {
        for bot in ["random", "homeward", "reader"] {
            referee(place, &["hill", "submit", "hill", bot, "--name", &format!("{bot}{number}")])?;
        }
    }
    referee(place, &["hill", "run", "hill", "--rounds", &rounds.to_string()])?;
    let results = fs::read_to_string(place.join("hill/results.csv"))?;
    let middle = results.lines().nth(1).and_then(|row| row.split(',').next()).ok_or("no game")?.to_owned();
    Ok(Hill { place: place.to_owned(), bytes: results.len() as u64, middle })
}

/// A server on core 0.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    pub(crate) fn start(hill: &Hill) -> Outcome<Server> {
        Server::start_with(hill, &[])
    }

    /// Likewise with more options.
    pub(crate) fn start_with(hill: &Hill, words: &[&str]) -> Outcome<Server> {
        let mut command = Command::new("taskset");
        command
            .args(["-c", "0", SERVER, "hill", "--listen", "127.0.0.1:0"])
            .current_dir(&hill.place)
            .args(words);
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no pipe")?).read_line(&mut line)?;
        let address = line.strip_prefix("http://").and_then(|rest| rest.split('/').next()?.parse().ok());
        Ok(Server { child, address: address.ok_or("no address")? })
    }

    /// Ends the server as a host does.
    pub(crate) fn stop(mut self) -> Outcome<()> {
        rustix::process::kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        self.child.wait()?;
        Ok(())
    }

    /// Returns its resident memory.
    pub(crate) fn memory_mib(&self) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        kib.unwrap_or(f64::NAN) / 1024.0
    }

    /// Returns its processor time, in seconds.
    pub(crate) fn computed(&self) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ');
        let ticks: f64 = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
        ticks / rustix::param::clock_ticks_per_second() as f64
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
