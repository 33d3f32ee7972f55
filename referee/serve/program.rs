//! The program `referee-serve`, which `referee serve` executes in its own process.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use crate::Options;
use crate::site::{ARCHIVES_MAX, JOBS_MAX, REPLAYS_MAX};
use clap::Parser;
use referee_games::catalog::{self, Entry};
use tokio::signal::unix::{SignalKind, signal};

/// Number of threads for blocking work besides those of jobs, archives and hills. Each thread uses memory.
const OTHER_THREADS: usize = 8;

/// Number of threads for a hill: its tokens are read, its webhook waits for another server, and a verdict is written.
const THREADS_OF_A_HILL: usize = 3;

/// How long an idle thread is kept.
const IDLE_MAX: Duration = Duration::from_secs(1);

/// Runs the program `referee-serve` with the arguments of the command line. Returns the exit status.
pub fn main() -> ExitCode {
    run(&[])
}

/// Runs the program with additional games: the server for a program with games of its own. That program is in the same
/// folder, and has the name of this one without `-serve`.
pub fn run(games: &[Entry]) -> ExitCode {
    for game in games {
        if let Err(error) = catalog::add(*game) {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            return ExitCode::from(2);
        }
    }
    let options = Options::parse();
    let threads =
        OTHER_THREADS + 2 * JOBS_MAX + REPLAYS_MAX + ARCHIVES_MAX + THREADS_OF_A_HILL * options.folders.len();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.enable_all().max_blocking_threads(threads).thread_keep_alive(IDLE_MAX).build();
    let served = runtime.map_err(anyhow::Error::from).and_then(|runtime| runtime.block_on(serve(options)));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::from(2)
        }
    }
}

async fn serve(options: Options) -> anyhow::Result<()> {
    // With a handler for SIGXFSZ, a write beyond the limit of file sizes fails, and does not end the server.
    let _limit = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?;
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let stop = async {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    };
    let say = |what: &str| {
        let _ = writeln!(std::io::stdout(), "{what}");
    };
    crate::serve(options, say, stop).await
}
