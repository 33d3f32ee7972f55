//! Errands: work that this program has a copy of itself do, in a process with limits of time and memory.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;

use super::fork_server::ForkServer;
use super::launcher::{self, Launcher, Patience, Reply, Streams};
use super::message::{Ended, LauncherReport, Purpose, Specification};
use super::{Limits, Tier};

/// The end of an errand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finished {
    /// It has done its work, and this is its output.
    Said(String),
    /// A limit ended it, or it failed.
    Ended(Ended),
}

/// Has a copy of this program do some work, and waits for it. The copy is called with [`launcher::COMMAND`] and these
/// words, and reads `input` on its standard input. There is no sandbox around it, only limits: it is this very program.
pub fn run(server: &ForkServer, words: &[&str], input: &[u8], limits: Limits) -> Result<Finished, String> {
    let folder =
        tempfile::Builder::new().prefix("referee-errand-").tempdir().map_err(|error| error.to_string())?;
    let (mut launcher, [stdin, stdout, _stderr]) = start(
        server,
        Start {
            tier: Tier::Off,
            words: words.iter().map(OsString::from).collect(),
            folder: Some(folder.path().to_owned()),
            limits,
            may_fork: false,
            // An engine of WebAssembly reserves address space for the memory of a module.
            reserves: true,
            landlock_version_max: 0,
        },
    )?;
    let exchange = || -> io::Result<String> {
        for pipe in [&stdin, &stdout] {
            rustix::io::ioctl_fionbio(pipe, false)?;
        }
        // The copy reads its whole input before it writes. If it ends before that, its output ends, too.
        let mut stdin = File::from(stdin);
        let _ = stdin.write_all(input);
        drop(stdin);
        let mut output = String::new();
        File::from(stdout).take(OUTPUT_MAX).read_to_string(&mut output)?;
        Ok(output)
    };
    let output = exchange();
    let patience = Patience::begin();
    let reply = launcher.wait_for_start(&patience);
    launcher.remove(&patience);
    match (reply, output) {
        (Reply::This(LauncherReport::Ended(Ended::Exited(0))), Ok(output)) => Ok(Finished::Said(output)),
        (Reply::This(LauncherReport::Ended(ended)), _) => Ok(Finished::Ended(ended)),
        (_, Err(error)) => Err(error.to_string()),
        _ => Err("the launcher has ended".to_owned()),
    }
}

/// Maximum length of the output, in bytes.
const OUTPUT_MAX: u64 = 64 * 1024;

/// What [`start`] starts, and how.
pub(super) struct Start {
    pub(super) tier: Tier,
    pub(super) words: Vec<OsString>,
    pub(super) folder: Option<PathBuf>,
    pub(super) limits: Limits,
    pub(super) may_fork: bool,
    pub(super) reserves: bool,
    pub(super) landlock_version_max: i32,
}

/// Starts a copy of this program with words after [`launcher::COMMAND`], and waits until it runs.
pub(super) fn start(server: &ForkServer, start: Start) -> Result<(Launcher, Streams), String> {
    let program = fs::canonicalize(server.program()).map_err(trouble)?;
    let opened = File::open(&program).map_err(trouble)?;
    let specification = Specification {
        tier: start.tier,
        program,
        interpreter: None,
        shown: Vec::new(),
        refused: None,
        arguments: [launcher::COMMAND.into()].into_iter().chain(start.words).collect(),
        variables: Vec::new(),
        folder: start.folder,
        limits: start.limits,
        purpose: Purpose::Play,
        with_folder: false,
        may_fork: start.may_fork,
        reserves: start.reserves,
        landlock_version_max: start.landlock_version_max,
        processes_before: 0,
        clock: None,
    };
    let (mut launcher, streams) =
        Launcher::start(server, &specification, [Some(opened.as_fd()), None]).map_err(trouble)?;
    match launcher.wait_for_start(&Patience::begin()) {
        Reply::This(LauncherReport::Started { .. }) => Ok((launcher, streams)),
        Reply::This(LauncherReport::NoSandbox(why) | LauncherReport::NotStarted(why)) => Err(why),
        Reply::This(LauncherReport::NoProcess(error)) => Err(trouble(io::Error::from_raw_os_error(error))),
        _ => Err(server.end().unwrap_or_else(|| "the launcher has ended".to_owned())),
    }
}

/// Returns why something cannot be tried at all.
pub(super) fn trouble(error: io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EMFILE) => FEW_FILES.to_owned(),
        _ => format!("it cannot be tried: {error}"),
    }
}

/// A reason that has nothing to do with tiers, with its own remedy.
pub(super) const FEW_FILES: &str = "too few files can be open at once: raise the limit (ulimit -n 1024)";
