//! What the system says of a bot's process: how long it ran, and how long it waited for a core.
//!
//! Reading costs about a microsecond, so quick turns go without: a bot that answers within [`FRESH`] is charged by the
//! wall, and what later turns are measured from may be that old.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Dir, Mode, OFlags, fstat, openat};
use rustix::process::Pid;

use crate::clock::{CpuClock, Moment};
use crate::table::charge::Usage;
use crate::table::priority::{Priority, schedule};

/// What was read longer ago than this is read again before it is measured from.
pub(super) const FRESH: Duration = Duration::from_millis(1);

/// One process, looked at again and again.
#[derive(Debug)]
pub(super) struct Meter {
    process: Process,
    /// When the turn began, or a little earlier.
    base: Sample,
    /// The last look.
    last: Sample,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    at: Moment,
    usage: Usage,
}

impl Meter {
    /// Looks at a process for the first time. All that it has ever done counts as done in its first turn.
    ///
    /// Returns `None` if the system shows nothing of it.
    pub(super) fn new(pid: Pid) -> Option<Meter> {
        let process = Process::open(pid)?;
        let nothing = Usage { ran: Duration::ZERO, waited: process.usage().waited.map(|_| Duration::ZERO) };
        let start = Sample { at: Moment::default(), usage: nothing };
        Some(Meter { process, base: start, last: start })
    }

    /// A turn begins: what the process does is measured from here.
    pub(super) fn begin(&mut self, now: Moment) {
        if now - self.last.at > FRESH {
            self.look(now);
        }
        self.base = self.last;
    }

    /// Returns what the process has done since its turn began.
    pub(super) fn look(&mut self, now: Moment) -> Usage {
        self.last = Sample { at: now, usage: self.process.usage() };
        self.last.usage.since(self.base.usage)
    }

    /// Returns what the process has done since its turn began, and whether it waits for a core right now, and has for
    /// most of the time since the last look: such a wait is not told before it is over.
    pub(super) fn look_closely(&mut self, now: Moment) -> (Usage, bool) {
        let before = self.last;
        // In this order: a bot that gets its core in between is seen to have waited, and not to be waiting.
        let is_ready = self.process.is_ready();
        let usage = self.look(now);
        let ran = self.last.usage.since(before.usage).ran;
        (usage, is_ready && ran < (now - before.at) / 2)
    }
}

/// The referee's own thread: how long it waited for a core between two looks at the bots' pipes. Whatever it finds at
/// the second look may have come at any time since the first, so that much is no bot's. What it waited before the first
/// is nobody's gain: else a bot that sleeps would win by it.
///
/// So that there is little to doubt, the thread goes before all others while turns are slow, where the system lets it.
/// Quick turns do without: it would be woken for each answer at once, and look four times a turn instead of twice.
#[derive(Debug)]
pub(super) struct OwnThread {
    file: Option<File>,
    /// All that it had waited when it was last read, and when that was.
    total: Duration,
    read_at: Moment,
    between: Duration,
    /// For so many turns more it goes before others.
    urgent: u32,
}

/// How many turns a slow one makes urgent: itself, and those in which the next slow one is likely.
const URGENT: u32 = 16;

impl OwnThread {
    /// The thread that calls this, which should be the one that plays the game.
    pub(super) fn here() -> OwnThread {
        let _ = schedule(Priority::Prompt);
        let file = File::open("/proc/thread-self/schedstat").ok();
        let (total, between) = (Duration::ZERO, Duration::ZERO);
        OwnThread { file, total, read_at: Moment::default(), between, urgent: 0 }
    }

    /// A turn begins.
    pub(super) fn begin(&mut self) {
        self.urgent = self.urgent.saturating_sub(1);
        if self.urgent == 1 {
            self.calm_down();
        }
    }

    /// The turn has become a slow one.
    pub(super) fn is_slow(&mut self) {
        if self.urgent == 0 {
            let _ = schedule(Priority::First);
        }
        self.urgent = URGENT;
    }

    /// No turn is urgent any more.
    pub(super) fn calm_down(&mut self) {
        if std::mem::take(&mut self.urgent) > 0 {
            let _ = schedule(Priority::Prompt);
        }
    }

    /// The thread looks at the bots' pipes, or puts questions to them.
    pub(super) fn looks(&mut self, now: Moment) {
        // It has waited no longer than has passed.
        self.between = Duration::ZERO;
        if now - self.read_at > FRESH {
            let total = self.file.as_ref().and_then(waited_in).unwrap_or_default();
            self.between = total.saturating_sub(self.total);
            (self.total, self.read_at) = (total, now);
        }
    }

    /// Returns how long the thread waited for a core between the last two looks.
    pub(super) fn waited(&self) -> Duration {
        self.between
    }
}

/// Time that another system took from this one's cores, where this machine is itself a guest. It shows in no process.
#[derive(Debug)]
pub(super) struct Stolen {
    file: Option<File>,
    /// Of each core, in hundredths of a second.
    base: Vec<u64>,
    read_at: Moment,
}

/// How old what stolen time is measured from may be. Reading it takes tens of microseconds.
const STOLEN_FRESH: Duration = Duration::from_millis(100);

impl Stolen {
    pub(super) fn new() -> Stolen {
        let file = File::open("/proc/stat").ok();
        let mut base = Vec::new();
        file.iter().for_each(|file| read_stolen(file, &mut base));
        Stolen { file, base, read_at: Moment::default() }
    }

    /// A turn begins.
    pub(super) fn begin(&mut self, now: Moment) {
        // Where nothing was ever stolen, the machine is no guest.
        let is_guest = self.base.iter().any(|stolen| *stolen > 0);
        if is_guest && now - self.read_at > STOLEN_FRESH {
            self.base.clear();
            self.file.iter().for_each(|file| read_stolen(file, &mut self.base));
            self.read_at = now;
        }
    }

    /// Returns how much was stolen since the turn began, at least, from the core that lost most: the first hundredth may be
    /// the end of one that had begun long before.
    pub(super) fn look(&self) -> Duration {
        let mut now = Vec::new();
        self.file.iter().for_each(|file| read_stolen(file, &mut now));
        let most = now.iter().zip(&self.base).map(|(now, base)| now.saturating_sub(*base)).max();
        Duration::from_millis(10) * u32::try_from(most.unwrap_or(0).saturating_sub(1)).unwrap_or(u32::MAX)
    }
}

/// Reads the eighth number of each core's line.
fn read_stolen(file: &File, stolen: &mut Vec<u64>) {
    // The lines of cores stand first; a machine with more than fits here loses the rest.
    let mut buffer = [0; 16 * 1024];
    let count = file.read_at(&mut buffer, 0).unwrap_or(0);
    let text = buffer[..count].utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let cores = text.lines().skip(1).take_while(|line| line.starts_with("cpu"));
    stolen.extend(
        cores.map(|line| line.split_ascii_whitespace().nth(8).and_then(|n| n.parse().ok()).unwrap_or(0)),
    );
}

/// Files of the system in which a process shows.
#[derive(Debug)]
struct Process {
    clock: CpuClock,
    folder: PathBuf,
    /// The folder of its threads.
    threads: File,
    /// Of its first thread. The system need not tell.
    waited: Option<File>,
}

impl Process {
    fn open(pid: Pid) -> Option<Process> {
        let folder = Path::new("/proc").join(pid.as_raw_nonzero().to_string());
        let clock = CpuClock::of_process(pid.as_raw_nonzero().get())?;
        let threads = File::open(folder.join("task")).ok()?;
        let waited = File::open(folder.join("schedstat")).ok();
        Some(Process { clock, folder, threads, waited })
    }

    fn usage(&self) -> Usage {
        Usage { ran: self.clock.read().unwrap_or_default(), waited: self.waited() }
    }

    fn waited(&self) -> Option<Duration> {
        let first = self.waited.as_ref()?;
        match self.threads() {
            0 | 1 => waited_in(first),
            _ => Some(self.each_thread("schedstat").filter_map(|file| waited_in(&file)).sum()),
        }
    }

    /// Tells whether one of its threads runs or is ready to.
    fn is_ready(&self) -> bool {
        let is_ready = |file: &File| state_in(file) == Some('R');
        match self.threads() {
            0 | 1 => File::open(self.folder.join("stat")).is_ok_and(|file| is_ready(&file)),
            _ => self.each_thread("stat").any(|file| is_ready(&file)),
        }
    }

    fn threads(&self) -> u64 {
        // A folder of the system has a link for itself, one from above, and here one for each thread.
        fstat(&self.threads).map_or(0, |status| status.st_nlink.saturating_sub(2))
    }

    fn each_thread(&self, name: &str) -> impl Iterator<Item = File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let folder = Dir::read_from(&self.threads).into_iter().flatten().flatten();
        folder.filter_map(move |entry| {
            let thread = entry.file_name().to_str().ok().filter(|name| name.parse::<u32>().is_ok())?;
            let file = openat(self.threads.as_fd(), format!("{thread}/{name}"), flags, Mode::empty());
            file.ok().map(File::from)
        })
    }
}

/// Reads `schedstat`: nanoseconds on a core, nanoseconds ready and waiting for one, and how often.
fn waited_in(file: &File) -> Option<Duration> {
    let mut buffer = [0; 96];
    let waited = start_of(file, &mut buffer)?.split_ascii_whitespace().nth(1)?;
    waited.parse().ok().map(Duration::from_nanos)
}

/// Reads `stat`: the number, the name in parentheses, the state.
fn state_in(file: &File) -> Option<char> {
    let mut buffer = [0; 96];
    let text = start_of(file, &mut buffer)?;
    // A bot chooses its name: what counts is the last parenthesis.
    text.rsplit_once(") ")?.1.chars().next()
}

fn start_of<'a>(file: &File, buffer: &'a mut [u8; 96]) -> Option<&'a str> {
    let count = file.read_at(buffer, 0).ok()?;
    let end = buffer[..count].utf8_chunks().next()?.valid().len();
    std::str::from_utf8(&buffer[..end]).ok()
}
