//! Measures a tournament of many games, without playing them: the program plans it, the results of all games are
//! invented, then the program shows the status, lists them, and computes the standings. `scripts/bench tournament`

use referee_testutil::random;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use clap::Parser;
use referee_contest::plan;

#[path = "../tests/tournament/simulated.rs"]
mod simulated;

use random::Random;
use referee_testutil::support::measure;
use simulated::simulate;

/// Number of bots: a class with this number of teams.
const BOTS: usize = 60;

/// Number of games in a round of football, which gives each bot one block.
const GAMES_A_ROUND: usize = BOTS;

/// Measures a tournament of many games, without playing them.
#[derive(Parser)]
struct Options {
    /// Number of games.
    #[arg(long, default_value_t = 1_000_000)]
    games: usize,
    /// Folder for the tournament. [default: where temporary files are]
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Cargo passes this to every bench.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let Options { games, dir, .. } = Options::parse();
    let above = dir.unwrap_or_else(std::env::temp_dir);
    fs::create_dir_all(&above)?;
    let place = tempfile::Builder::new().prefix("referee-bench-").tempdir_in(above)?;

    let entrant = |number| format!("[[entrant]]\nname = \"bot{number}\"\nprogram = \"house:still\"\n");
    let bots: String = (0..BOTS).map(entrant).collect();
    let format = format!("[format]\nkind = \"rounds\"\nrounds = {}\n", games.div_ceil(GAMES_A_ROUND));
    let file = format!("name = \"bench\"\ngame = \"football\"\nseed = \"7\"\nbatch = 50\n{format}{bots}");
    fs::write(place.path().join("bench.toml"), file)?;

    let run = |what: &str, words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
        let (seconds, kib) = measure(command.arg("tournament").args(words).current_dir(place.path()));
        println!("| {what} | {seconds:.1} s | {:.1} MiB |", kib as f64 / 1024.0);
    };
    println!("| what | time | most memory |\n| --- | --: | --: |");
    run("plan", &["plan", "bench.toml", "--dir", "T"]);
    let plan = plan::open(&place.path().join("T"))?;
    run("status, nothing played", &["status", "--dir", "T", "--n", "4000"]);
    simulate(&plan, &mut Random::new(1));
    run("status, all played", &["status", "--dir", "T", "--n", "4000"]);
    fs::remove_file(place.path().join("T/results.csv"))?;
    run("repair", &["repair", "--dir", "T"]);
    run("standings", &["standings", "--dir", "T"]);
    let listed = fs::metadata(place.path().join("T/results.csv"))?.len();
    println!(
        "\n{} games of {BOTS} bots in {} batches; results.csv: {} MB",
        plan.contents.games,
        plan.contents.batches,
        listed / 1_000_000
    );
    Ok(())
}
