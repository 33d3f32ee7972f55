//! The command of an agent: it runs in a folder, for a limited time, and gets the path of the last feedback.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use referee_files::beneath::Spot;
use referee_record::error::{Error, ErrorKind};
use referee_table::clock::Clock;
use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};
use wait_timeout::ChildExt;

/// Time between two looks at the stop flag.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The end of a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Step {
    /// How long it took, in seconds.
    pub(crate) seconds: f64,
    /// How it ended, in words.
    pub(crate) end: String,
}

/// The variables that a command finds in its environment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told<'a> {
    /// The number of the round, from 1.
    pub(crate) round: u32,
    /// The folder with the feedback on the previous round, if there was one.
    pub(crate) feedback: Option<&'a Path>,
}

/// Runs a command in a folder for at most `budget`, then ends all its processes. Its output goes to a file.
///
/// # Errors
///
/// If a stop is requested meanwhile, or the file cannot be written. A command that fails is no error.
pub(crate) fn run(
    words: &str,
    folder: &Path,
    told: Told<'_>,
    printed: &Spot,
    budget: Duration,
    stop: &AtomicBool,
) -> Result<Step, Error> {
    let words = shlex::split(words).unwrap_or_default();
    let file = printed.create().and_then(|file| Ok((file.try_clone()?, file)));
    let printed = printed.path();
    let (file, second) = file.map_err(Error::system(printed, "write what a command prints"))?;
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(folder).process_group(0);
    command.stdin(Stdio::null()).stdout(file).stderr(second);
    command.env("REFEREE_ROUND", told.round.to_string());
    match told.feedback {
        Some(folder) => command.env("REFEREE_FEEDBACK", folder),
        None => command.env_remove("REFEREE_FEEDBACK"),
    };
    let clock = Clock::start();
    let end = match command.spawn() {
        Err(error) => format!("cannot be started: {error}"),
        Ok(mut child) => {
            let ended = wait(&mut child, budget, stop, &clock);
            end_group(&child);
            match ended.map_err(Error::system(printed, "wait for a command"))? {
                _ if stop.load(Ordering::Relaxed) => {
                    return Err(Error::new(ErrorKind::Stopped, "stopped during the command of an agent"));
                }
                Some(status) => status.to_string(),
                None => {
                    child.wait().map_err(Error::system(printed, "wait for a command"))?;
                    format!("killed: it took more than {} s", budget.as_secs())
                }
            }
        }
    };
    Ok(Step { seconds: (clock.now().0.as_secs_f64() * 10.0).round() / 10.0, end })
}

/// Waits for a program, for at most `budget`. Returns how it ended, if it did.
fn wait(
    child: &mut Child,
    budget: Duration,
    stop: &AtomicBool,
    clock: &Clock,
) -> std::io::Result<Option<ExitStatus>> {
    while clock.now().0 < budget && !stop.load(Ordering::Relaxed) {
        if let Some(status) = child.wait_timeout(LOOK_EVERY.min(budget))? {
            return Ok(Some(status));
        }
    }
    child.try_wait()
}

/// Kills the process group of a command: the command itself, and everything that it left behind.
fn end_group(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}
