//! Starts untrusted programs, and limits what each may do to the host machine.
//!
//! A [`Launcher`](launcher::Launcher), a process of its own, builds the confinement around one program and
//! watches over it. Launchers are copies of one [`ForkServer`](fork_server::ForkServer): the program that
//! uses this crate calls [`launcher::launch`] when its first argument is [`launcher::COMMAND`], before doing
//! anything else. A program is started with a [`Tier`] and [`Limits`]; [`probe`] finds out which tier works
//! here.
//!
//! - [`Tier::Strict`]: namespaces of its own (`namespaces`) with a minimal read-only root (`root`), and all of the next
//!   tier.
//! - [`Tier::Landlock`]: Landlock, a system call filter (`filter`), limits, no way out of its process group.
//! - [`Tier::Off`]: limits, a process group of its own, no terminal, a clean environment. No sandbox.
//!
//! A program is started in the strictest tier that works here, and its output is read:
//!
//! ```standalone_crate
//! use std::fs::File;
//! use std::io::Read;
//! use std::os::fd::AsFd;
//!
//! use referee_sandbox::fork_server::ForkServer;
//! use referee_sandbox::launcher::{self, Launcher, Patience};
//! use referee_sandbox::{Choice, Limits, Purpose, Specification, Tier, probe};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let words: Vec<String> = std::env::args().skip(1).collect();
//!     if words.first().is_some_and(|word| word == launcher::COMMAND) {
//!         std::process::exit(launcher::launch(&words[1..]));
//!     }
//!
//!     let server = ForkServer::of("/proc/self/exe");
//!     // Without a sandbox, only programs that one trusts should be started.
//!     let tier = probe::choose(Choice::Auto, &server, i32::MAX).unwrap_or(Tier::Off);
//!     let program = std::fs::canonicalize("/bin/echo")?;
//!     let file = File::open(&program)?;
//!     let specification = Specification {
//!         tier,
//!         program,
//!         arguments: vec!["hello".into()],
//!         limits: Limits { cpu_seconds: 1, ..Limits::default() },
//!         # interpreter: None,
//!         # shown: Vec::new(),
//!         # refused: None,
//!         # variables: Vec::new(),
//!         # folder: None,
//!         # purpose: Purpose::Play,
//!         # with_folder: false,
//!         # may_fork: false,
//!         # reserves: false,
//!         # landlock_version_max: i32::MAX,
//!         # processes_before: 0,
//!         # clock: None,
//!         // ... and what else it sees and may do: nothing.
//!     };
//!     let (mut launcher, [_input, output, _errors]) =
//!         Launcher::start(&server, &specification, [Some(file.as_fd()), None])?;
//!     let patience = Patience::begin();
//!     launcher.wait_for_start(&patience);
//!     rustix::io::ioctl_fionbio(&output, false)?; // now reading waits
//!     let mut said = String::new();
//!     File::from(output).read_to_string(&mut said)?;
//!     assert_eq!(said, "hello\n");
//!     launcher.remove(&patience);
//!     Ok(())
//! }
//! ```

#![allow(unsafe_code, reason = "what no library offers is called here, and nowhere else in the workspace")]
#![deny(clippy::undocumented_unsafe_blocks)]

mod calls;
mod capabilities;
pub mod clock;
pub mod errand;
mod filter;
mod foreign;
pub mod fork_server;
mod holds;
mod interpreter;
mod landlock;
pub mod launcher;
mod limits;
mod listener;
mod message;
mod moved_clock;
mod namespaces;
pub mod priority;
pub mod probe;
pub mod program;
pub mod remedies;
mod root;
mod runtime_folder;
mod runtimes;
mod start;
mod statements;
mod system;
mod trust;
mod warden;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use self::foreign::{foreign, is_pointer};
pub use self::interpreter::{Interpreter, Interpreters, NotListed, PassedOver, is_public};
pub use self::limits::{Key, Limits};
pub use self::message::{ClockShift, Ended, Exceeded, LauncherReport, Purpose, Specification};
pub use self::root::{is_of_the_system, link_beside};
pub use self::runtimes::variables;
pub use self::start::NOT_MOVED;
pub use self::system::timespec;

/// Tells whether each bot can run as a user of its own. Only root can do that, and not in a user namespace that has no
/// other user, such as that of a rootless container with a single user.
pub fn has_a_user_for_each_bot() -> bool {
    capabilities::has_other_users()
}

/// How strictly bots are confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Namespaces, Landlock where the system has it, a system call filter, limits.
    Strict,
    /// Landlock, a system call filter, limits.
    Landlock,
    /// Limits alone: for trusted bots.
    Off,
}

impl Tier {
    /// All tiers, the strictest first.
    pub const ALL: [Tier; 3] = [Tier::Strict, Tier::Landlock, Tier::Off];

    /// Returns its word: in the results, in settings, on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Tier::Strict => "strict",
            Tier::Landlock => "landlock",
            Tier::Off => "off",
        }
    }

    /// Tells whether strangers may play ranked games in this tier when this user starts them. In the landlock
    /// tier only root can do that: it starts each bot as a user of its own, while an ordinary user's bots
    /// share that user's limits.
    pub fn is_fit_for_ranked_play(self) -> bool {
        match self {
            Tier::Strict => true,
            Tier::Landlock => has_a_user_for_each_bot(),
            Tier::Off => false,
        }
    }

    /// Describes in one line what it protects against.
    pub const fn about(self) -> &'static str {
        match self {
            Tier::Strict => {
                "namespaces of their own, a minimal read-only root, Landlock, system call filter, limits"
            }
            Tier::Landlock => "Landlock, system call filter, limits; no namespaces",
            Tier::Off => "limits alone: bots can read and do everything that you can",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A choice of a tier: a certain one, or the best that works here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The strictest tier that works on this machine; never [`Tier::Off`].
    #[default]
    Auto,
    /// This tier or none.
    Only(Tier),
}

impl Choice {
    /// Returns its word.
    pub const fn name(self) -> &'static str {
        match self {
            Choice::Auto => "auto",
            Choice::Only(tier) => tier.name(),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Choice {
    type Err = NotAChoice;

    fn from_str(word: &str) -> Result<Choice, NotAChoice> {
        let all = [Choice::Auto].into_iter().chain(Tier::ALL.map(Choice::Only));
        all.into_iter().find(|choice| choice.name() == word).ok_or_else(|| NotAChoice(word.to_owned()))
    }
}

/// A word that names no tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAChoice(String);

impl fmt::Display for NotAChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no such sandbox: {} (there are: auto, strict, landlock, off)", self.0)
    }
}

impl std::error::Error for NotAChoice {}
