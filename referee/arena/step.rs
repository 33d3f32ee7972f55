//! The command of an agent: it runs in a folder, for a limited time, and gets the path of the last feedback. A keeper
//! stands between it and the arena.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use referee_files::beneath::Spot;
use referee_record::error::{Error, ErrorKind};
use wait_timeout::ChildExt;

use crate::keeper::{self, Step};
use crate::plan::Agent;
use crate::user;

/// Time between two looks at the stop flag.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Maximum length of the file with the end of a command, in bytes.
const END_MAX: u64 = 1 << 16;

/// The command of an agent in a round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due<'a> {
    /// The agent.
    pub(crate) agent: &'a Agent,
    /// The number of the round, from 1.
    pub(crate) round: u32,
    /// The folder with the feedback on the previous round, if there was one.
    pub(crate) feedback: Option<&'a Path>,
    /// The folder for what commands print, and how they end.
    pub(crate) folder: &'a Path,
    /// Time limit, in seconds.
    pub(crate) seconds: u64,
}

impl Due<'_> {
    fn file(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}{ending}", self.agent.name))
    }

    /// Returns how the command has ended, if it has.
    pub(crate) fn ended(&self) -> Option<Step> {
        let text = Spot::from(&*self.file(".end.json")).read_text(END_MAX).ok()?;
        serde_json::from_str(&text).ok()
    }
}

/// Runs a command, then ends all its processes. Its output goes to a file. A command that has ended is not run again.
///
/// # Errors
///
/// If a stop is requested meanwhile, or a file cannot be written. A command that fails is no error.
pub(crate) fn run(due: Due<'_>, stop: &AtomicBool) -> Result<Step, Error> {
    if let Some(step) = due.ended() {
        return Ok(step);
    }
    let printed = due.file(".txt");
    let problem = || Error::system(&printed, "run a command");
    let agent = due.agent;
    let words = [agent.wrap.as_deref(), agent.command.as_deref()].into_iter().flatten();
    let words = words.flat_map(|words| shlex::split(words).unwrap_or_default());
    let program =
        referee_cli::this_program().map_err(|error| Error::new(ErrorKind::System, error.to_string()))?;
    let mut command = Command::new(program);
    command.arg(keeper::COMMAND).args(["--seconds", &due.seconds.to_string()]);
    command.arg("--lock").arg(due.folder.with_file_name(format!(".{}.lock", agent.name)));
    command.arg("--result").arg(due.file(".end.json")).arg("--printed").arg(&printed);
    let user = agent.user.as_deref().map(user::found).transpose().map_err(Error::input)?;
    if let Some(user) = &user {
        command.args(["--become-user", &user.number.to_string(), &user.group.to_string()]);
    }
    command.env_clear().envs(user::environment(user.as_ref(), &agent.pass));
    command.arg("--").args(words).current_dir(agent.folder.as_deref().unwrap_or(Path::new("/")));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command.env("REFEREE_ROUND", due.round.to_string());
    command.envs(due.feedback.map(|folder| ("REFEREE_FEEDBACK", folder)));
    // Ctrl-C on a terminal is for the arena alone, which ends the keeper in order.
    command.process_group(0);
    let mut keeper = command.spawn().map_err(problem())?;
    // The keeper ends the command when this is closed, also because the arena was killed.
    let lifeline = keeper.stdin.take();
    while !stop.load(Ordering::Relaxed) {
        if keeper.wait_timeout(LOOK_EVERY).map_err(problem())?.is_some() {
            break;
        }
    }
    drop(lifeline);
    keeper.wait().map_err(problem())?;
    match due.ended() {
        Some(step) => Ok(step),
        None if stop.load(Ordering::Relaxed) => {
            Err(Error::new(ErrorKind::Stopped, "stopped during the command of an agent"))
        }
        None => Ok(Step { seconds: 0.0, end: "its keeper was killed".to_owned() }),
    }
}

/// Makes sure that a bot is a file of the agent's own: below its folder, without links out of it, and under one name.
///
/// # Errors
///
/// The reason, for the agent.
pub(crate) fn own_file(program: &Path, folder: &Path) -> Result<PathBuf, String> {
    use std::os::unix::fs::MetadataExt;
    let shown = || referee_record::text::visible_line(&program.to_string_lossy()).into_owned();
    let missing = |_| format!("{} is missing", shown());
    let (real, folder) =
        (fs::canonicalize(program).map_err(missing)?, fs::canonicalize(folder).map_err(missing)?);
    let seen = fs::metadata(&real).map_err(missing)?;
    if !seen.is_file() {
        return Err(format!("{} is no file", shown()));
    }
    if !real.starts_with(&folder) {
        return Err(format!("{} is a link to a file outside of the agent's folder; copy the file", shown()));
    }
    if seen.nlink() > 1 {
        return Err(format!("{} has a second name (a hard link); copy the file", shown()));
    }
    Ok(real)
}
