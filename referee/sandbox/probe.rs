//! The probe: finds out which tiers work on this machine, with a confined child that tries forbidden things.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Resource, getpid, getrlimit, setpgid, setsid, test_kill_process};

use super::errand::{self, FEW_FILES, Start, trouble};
use super::fork_server::ForkServer;
use super::launcher::{Launcher, Patience, Streams, wait_until_readable};
use super::remedies::{is_shortage, remedy};
use super::system::{self, Fork};
use super::{Choice, Limits, Tier};

/// Returns the tier to use: the chosen one, if it works here, or the strictest one that does. Launchers of
/// `server` start the bots, and no newer version of Landlock than `landlock_version_max` is used.
pub fn choose(choice: Choice, server: &ForkServer, landlock_version_max: i32) -> Result<Tier, Unavailable> {
    let tiers: &[Tier] = match choice {
        Choice::Auto => &[Tier::Strict, Tier::Landlock],
        Choice::Only(Tier::Off) => return Ok(Tier::Off),
        Choice::Only(Tier::Strict) => &[Tier::Strict],
        Choice::Only(Tier::Landlock) => &[Tier::Landlock],
    };
    let mut reasons = Vec::new();
    for &tier in tiers {
        match probe(tier, server, landlock_version_max) {
            Ok(()) => return Ok(tier),
            Err(why) => reasons.push((tier, why)),
        }
    }
    Err(Unavailable { reasons })
}

/// A forbidden thing that a confined child has tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// What was tried: one of [`ATTEMPTS`].
    pub what: &'static str,
    /// Whether the child could do that, although it should not.
    pub succeeded: bool,
}

/// Starts a child in a tier and has it try each of [`ATTEMPTS`].
///
/// # Errors
///
/// If the tier does not work here, or some attempts succeeded: the reason, or these attempts.
pub fn probe(tier: Tier, server: &ForkServer, landlock_version_max: i32) -> Result<(), String> {
    let attempts = examine(tier, server, landlock_version_max)?;
    let succeeded: Vec<&str> =
        attempts.iter().filter(|attempt| attempt.succeeded).map(|attempt| attempt.what).collect();
    if succeeded.is_empty() { Ok(()) } else { Err(format!("a bot in it can {}", succeeded.join(", "))) }
}

/// Starts a child in a tier, has it try each of [`ATTEMPTS`], and returns them all.
pub fn examine(tier: Tier, server: &ForkServer, landlock_version_max: i32) -> Result<Vec<Attempt>, String> {
    let targets = Targets::make().map_err(trouble)?;
    let (mut launcher, [_stdin, stdout, stderr]) =
        start(tier, server, landlock_version_max, &targets, targets.words(), false)?;
    let mut output = String::new();
    rustix::io::ioctl_fionbio(&stdout, false).map_err(|error| trouble(error.into()))?;
    // The child ends by itself, or by its limit of processor time, and then its pipe ends, too.
    File::from(stdout).take(4096).read_to_string(&mut output).map_err(trouble)?;
    let patience = Patience::begin();
    let reply = launcher.wait_for_start(&patience);
    let mut errors = String::new();
    let _ = File::from(stderr).take(4096).read_to_string(&mut errors);
    launcher.remove(&patience);
    let Some(list) = output.trim_end().strip_prefix(WORKED) else {
        return Err(format!("a program in it does not run: {reply:?} {}", errors.trim_end()));
    };
    let worked: Vec<&str> = list.split(',').collect();
    Ok(ATTEMPTS.iter().map(|what| Attempt { what, succeeded: worked.contains(what) }).collect())
}

/// Starts a child in a tier. The child starts another process that leaves the group if it can. Then removes
/// the child, and tells whether a process is left.
pub fn leaves_somebody(tier: Tier, server: &ForkServer, landlock_version_max: i32) -> Result<bool, String> {
    let targets = Targets::make().map_err(trouble)?;
    let words = vec![STAY.into()];
    let (launcher, [_stdin, stdout, _stderr]) =
        start(tier, server, landlock_version_max, &targets, words, true)?;
    let wait = || wait_until_readable(&stdout, Duration::from_secs(10));
    let mut buffer = [0; 16];
    // Until one of the two processes says that it runs.
    wait();
    let _ = rustix::io::read(&stdout, &mut buffer);
    launcher.remove(&Patience::begin());
    // The pipe ends unless a remaining process holds it open.
    wait();
    while rustix::io::read(&stdout, &mut buffer).is_ok_and(|count| count > 0) {}
    Ok(rustix::io::read(&stdout, &mut buffer) != Ok(0))
}

/// Starts this program in a tier, with these words, and waits until it runs.
fn start(
    tier: Tier,
    server: &ForkServer,
    landlock_version_max: i32,
    targets: &Targets,
    words: Vec<OsString>,
    may_fork: bool,
) -> Result<(Launcher, Streams), String> {
    errand::start(
        server,
        Start {
            tier,
            words,
            folder: (tier != Tier::Strict).then(|| targets.folder.path().join("empty")),
            limits: Limits { cpu_seconds: 10, data_mib: DATA_MIB, ..Limits::default() },
            may_fork,
            reserves: false,
            landlock_version_max,
        },
    )
}

/// Maximum memory of the child.
const DATA_MIB: u64 = 128;

/// The child's output before the list of successful attempts.
const WORKED: &str = "worked:";

/// The argument for a child that stays.
const STAY: &str = "stay";

/// The attempts of the child. None should succeed.
pub const ATTEMPTS: [&str; 8] = [
    "read files",
    "write files",
    "connect",
    "send signals",
    "leave its process group",
    "start processes",
    "use more memory than it may",
    "leave a core dump",
];

/// A file and a port that the child must not reach.
struct Targets {
    folder: tempfile::TempDir,
    listener: TcpListener,
}

impl Targets {
    fn make() -> io::Result<Targets> {
        let everybody = fs::Permissions::from_mode(0o755);
        let folder = tempfile::Builder::new().prefix("referee-probe-").permissions(everybody).tempdir()?;
        fs::write(folder.path().join("file"), "for everybody but bots\n")?;
        fs::create_dir(folder.path().join("empty"))?;
        Ok(Targets { folder, listener: TcpListener::bind("127.0.0.1:0")? })
    }

    /// Returns the words for a child that tries to reach them.
    fn words(&self) -> Vec<OsString> {
        let port = self.listener.local_addr().map_or(0, |address| address.port());
        let process = getpid().as_raw_nonzero().get();
        vec![self.folder.path().join("file").into(), port.to_string().into(), process.to_string().into()]
    }
}

/// Runs as the child. Returns the exit status.
pub(crate) fn look_around(words: &[String]) -> i32 {
    if words == [STAY] {
        return stay();
    }
    let [file, port, process] = words else { return 2 };
    let (file, port) = (Path::new(file), port.parse().unwrap_or(0));
    let process = process.parse().ok().and_then(Pid::from_raw);
    // SAFETY: this program has one thread.
    let fork = || unsafe { system::fork() };
    let starts_another = || match fork() {
        Ok(Fork::Child) => std::process::exit(0),
        forked => forked.is_ok(),
    };
    // In the order of `ATTEMPTS`.
    let results = [
        File::open(file).is_ok(),
        File::create(file.with_file_name("new")).is_ok(),
        TcpStream::connect(("127.0.0.1", port)).is_ok(),
        // In a namespace of its own the child can have the referee's number. Then it cannot name the referee.
        process.is_some_and(|process| process != getpid() && test_kill_process(process).is_ok()),
        setsid().is_ok() || setpgid(None, None).is_ok(),
        starts_another(),
        can_reserve(2 * DATA_MIB),
        getrlimit(Resource::Core).current != Some(0),
    ];
    let worked: Vec<&str> =
        ATTEMPTS.into_iter().zip(results).filter(|(_, worked)| *worked).map(|(name, _)| name).collect();
    // The reader of this may be gone.
    let _ = writeln!(io::stdout(), "{WORKED}{}", worked.join(","));
    0
}

fn can_reserve(mib: u64) -> bool {
    let mut memory = Vec::<u8>::new();
    let is_reserved = memory.try_reserve_exact((mib as usize) << 20).is_ok();
    // Otherwise the compiler removes the memory as unused.
    std::hint::black_box(&mut memory);
    is_reserved
}

/// Starts another process, which leaves the group, and stays.
fn stay() -> i32 {
    // SAFETY: this program has one thread.
    if let Ok(Fork::Child) = unsafe { system::fork() } {
        let _ = setsid();
    }
    let _ = writeln!(io::stdout(), "here");
    std::thread::sleep(Duration::from_secs(60));
    0
}

/// Bots cannot be confined in any of the requested tiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// Each tier that was tried, and why it does not work.
    pub reasons: Vec<(Tier, String)>,
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.reasons.iter().all(|(_, why)| why == FEW_FILES) {
            return write!(f, "bots cannot be confined: {FEW_FILES}");
        }
        f.write_str("bots cannot be confined on this machine:")?;
        for (tier, why) in &self.reasons {
            write!(f, "\n  {tier}: {why}")?;
        }
        for (tier, why) in &self.reasons {
            write!(f, "\nfor {tier}: {}", remedy(*tier, why))?;
        }
        // What the system lacks now, it would lack without a sandbox, too.
        if self.reasons.iter().all(|(_, why)| is_shortage(why)) {
            return Ok(());
        }
        f.write_str("\nor, if you trust all bots: --sandbox off")
    }
}

impl std::error::Error for Unavailable {}
