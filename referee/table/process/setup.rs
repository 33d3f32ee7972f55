//! Setup: how bots are started.

use std::ffi::OsString;
use std::fs::Metadata;
use std::io::{self, Seek as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;

use crate::guests::Guests;
use referee_record::Digest;
use referee_rules::Seat;
use referee_sandbox::fork_server::ForkServer;
use referee_sandbox::program::{Look, NotAProgram, Opened};
use referee_sandbox::{ClockShift, Interpreters, Limits, Tier};

/// The program that is started for a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The file.
    pub file: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Whether it may start other programs.
    pub may_fork: bool,
    /// Whether it sees the folder of its file, which then has what was built with it.
    pub with_folder: bool,
    /// The state of the file when its digest was checked, if it was. A file that has changed since then is
    /// not started.
    pub state_when_checked: Option<Look>,
    /// The digest of the file, if it is known. A file of that content has not changed, whatever its mode is now, if
    /// nobody else may write to it.
    pub content: Option<Digest>,
}

impl Program {
    /// Returns a program that may not start others.
    pub fn new(file: impl Into<PathBuf>, arguments: Vec<OsString>) -> Program {
        Program {
            file: file.into(),
            arguments,
            may_fork: false,
            with_folder: false,
            state_when_checked: None,
            content: None,
        }
    }

    /// Tells whether the file that was opened is the one whose digest was checked.
    pub fn is_unchanged(&self, opened: &Opened) -> bool {
        self.state_when_checked.is_none_or(|state| state == opened.look() || self.has_content(opened))
    }

    /// Tells whether a file has the content that is known, and nobody else can change it.
    fn has_content(&self, opened: &Opened) -> bool {
        let Some(content) = &self.content else { return false };
        let mut file = opened.file();
        // Another user who may write to it could do so after this look.
        let owners = [0, rustix::process::geteuid().as_raw()];
        let is_safe = |file: &Metadata| owners.contains(&file.uid()) && file.mode() & 0o022 == 0;
        if !file.metadata().is_ok_and(|file| is_safe(&file)) {
            return false;
        }
        let mut read_digest = || -> io::Result<Digest> {
            file.rewind()?;
            let digest = Digest::of_reader(file)?;
            file.rewind()?;
            Ok(digest)
        };
        read_digest().is_ok_and(|digest| digest == *content)
    }

    /// Returns its arguments as text.
    pub fn words(&self) -> Vec<String> {
        self.arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }
}

/// Receives the standard error of a bot in a seat.
pub type Echo = Sender<(Seat, Vec<u8>)>;

/// How bots are started, the same for all games of a run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The source of launchers, which start the bots. Copies of this setup share it.
    pub fork_server: ForkServer,
    /// Set from outside: all games in flight are given up then.
    pub stop: Arc<AtomicBool>,
    /// Which time is charged to bots.
    pub timekeeping: Timekeeping,
    /// How bots are confined.
    pub sandbox: Tier,
    /// The limits of each bot.
    pub limits: Limits,
    /// Interpreters for scripts, in addition to those in the host's `PATH`.
    pub interpreters: Interpreters,
    /// Receives the bots' standard error as it arrives, if set; it is kept in any case.
    pub echo: Option<Echo>,
    /// Maximum version of Landlock that is used, even if the kernel has a newer one.
    pub landlock_version_max: i32,
    /// Seats whose answer counts as late if the host lets them wait too long. In other seats that makes the
    /// game void; these seats have had such a void game before.
    pub late_if_starved: Vec<Seat>,
    /// What plays modules of WebAssembly. `None` if this program does not.
    pub guests: Option<Arc<dyn Guests>>,
    /// What must not matter to a program, for examinations.
    pub surroundings: Surroundings,
}

/// What differs from start to start and from host to host, and must not matter to a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Environment variables that are added, or have another value than usual.
    pub variables: Vec<(OsString, OsString)>,
    /// Number of processes that were started, and have ended, in the namespace of the program before it.
    pub processes_before: u32,
    /// How its clocks are moved.
    pub clock: Option<ClockShift>,
}

/// Which time of a turn is charged to a bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timekeeping {
    /// Elapsed time less the time that its host let it wait for a core: see
    /// [`charge`](crate::charge::charge).
    #[default]
    Charged,
    /// The same, and one bot thinks at a time: the next is asked when the previous one has answered, or is
    /// late. For ranked games on a host with fewer cores than thinking bots.
    Serial,
    /// Elapsed time.
    Wall,
}

impl Timekeeping {
    /// All of them.
    pub const ALL: [Timekeeping; 3] = [Timekeeping::Charged, Timekeeping::Serial, Timekeeping::Wall];

    /// Returns its word in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Timekeeping::Charged => "charged",
            Timekeeping::Serial => "serial",
            Timekeeping::Wall => "wall",
        }
    }
}

impl Surroundings {
    /// Returns the environment variables of a program: the usual ones, with these changes.
    pub(crate) fn around(&self, mut usual: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
        usual.retain(|(name, _)| self.variables.iter().all(|(changed, _)| changed != name));
        usual.extend(self.variables.iter().cloned());
        usual
    }
}

impl Setup {
    /// Makes sure that a program can be started: a script's interpreter must be one of this host's.
    pub fn check(&self, program: &Opened) -> Result<(), NotAProgram> {
        if program.is_module() {
            let guests = self.guests.as_ref().ok_or(NotAProgram::Module)?;
            return guests.check(program, &self.fork_server).map_err(NotAProgram::BadModule);
        }
        self.interpreters.open_for(program, self.starts_nobody()).map(drop)
    }

    /// Returns the clock of guests, in results; `None` if nothing plays them.
    pub fn guest_clock(&self) -> Option<String> {
        self.guests.as_ref().map(|guests| guests.clock())
    }

    /// Tells whether bots become a user who owns nothing, and may go only where everybody may. (In the strict
    /// tier their files are mounted for them.)
    pub(crate) fn starts_nobody(&self) -> bool {
        self.sandbox == Tier::Landlock && referee_sandbox::has_a_user_for_each_bot()
    }

    /// Starts bots by this very program, which must be `referee`.
    pub fn this_program() -> Setup {
        Setup::with("/proc/self/exe")
    }

    /// Starts bots by the program `referee` at this path. They are not confined until [`sandbox`](Setup::sandbox) is
    /// set.
    pub fn with(referee: impl AsRef<Path>) -> Setup {
        Setup {
            fork_server: ForkServer::of(referee),
            stop: Arc::default(),
            timekeeping: Timekeeping::default(),
            sandbox: Tier::Off,
            limits: Limits::default(),
            interpreters: Interpreters::default(),
            echo: None,
            landlock_version_max: i32::MAX,
            late_if_starved: Vec::new(),
            guests: None,
            surroundings: Surroundings::default(),
        }
    }
}
