//! The meter of a bot's process: how long it ran, and how long it waited for a core, as the system reports.
//!
//! A reading costs about a microsecond, so quick turns need none: a bot that answers within [`FRESH`] is
//! charged elapsed time, and later turns may measure from a reading that is this old.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::fstat;
use rustix::process::Pid;

use crate::charge::Usage;
use crate::clock::{Clock, CpuClock, Moment};
use crate::process::family::Family;
use crate::process::host::EachCore;
use crate::process::proc_files::{each_thread, state_in, times_in};
use crate::process::threads::Threads;
use referee_sandbox::priority::{Priority, schedule};

/// A reading older than this is repeated before a turn is measured from it.
pub(super) const FRESH: Duration = Duration::from_millis(1);

/// One bot, observed repeatedly.
#[derive(Debug)]
pub(super) struct Meter {
    process: Process,
    /// The processes that it has started, if it may start any.
    family: Option<Family>,
    threads: Threads,
    /// Its running time when the turn began, or a little earlier.
    base: Duration,
    /// When the turn began, and how old `base` was then: at most [`FRESH`].
    began: Moment,
    age: Duration,
    /// Whether it was observed since the turn began.
    is_observed: bool,
    /// When it was last observed, and its running time at that time.
    last: (Moment, Duration),
    /// Its running time when it was frozen.
    frozen: Duration,
}

impl Meter {
    /// Observes a process for the first time. Its whole past counts as part of its first turn. Processes that
    /// it starts are searched for below its launcher, if that is given.
    ///
    /// Returns `None` if the system shows nothing of it.
    pub(super) fn new(pid: Pid, launcher: Option<i32>) -> Option<Meter> {
        Some(Meter {
            process: Process::open(pid)?,
            family: launcher.map(|launcher| Family::new(pid.as_raw_nonzero().get(), launcher)),
            threads: Threads::default(),
            base: Duration::ZERO,
            began: Moment::default(),
            age: Duration::ZERO,
            is_observed: true,
            last: (Moment::default(), Duration::ZERO),
            frozen: Duration::ZERO,
        })
    }

    /// Called when a turn begins: the usage of the bot is measured from here. Only between quick turns an earlier
    /// reading will do.
    pub(super) fn begin(&mut self, now: Moment) {
        if self.is_observed || now - self.last.0 > FRESH {
            self.look(now);
        }
        self.base = self.last.1;
        (self.began, self.age) = (now, now - self.last.0);
        self.is_observed = false;
        self.threads.begin(now);
    }

    /// Returns how long the bot certainly ran since `end`: what it can have run until then, since it was last observed,
    /// is left out.
    pub(super) fn ran_since(&mut self, end: Moment, now: Moment, cores: u32) -> Duration {
        let before = self.last;
        self.look(now);
        let at_once = self.threads.count().clamp(1, cores.max(1));
        let until_then = (end - before.0).saturating_mul(at_once);
        self.last.1.saturating_sub(before.1).saturating_sub(until_then)
    }

    /// Returns the usage of the bot since its turn began.
    pub(super) fn look(&mut self, now: Moment) -> Usage {
        let ran = self.ran();
        self.last = (now, ran);
        self.threads.look(now);
        let tells = match &self.family {
            None => self.process.see(&mut self.threads),
            Some(family) => {
                family.see(&mut self.threads);
                self.process.waited.is_some()
            }
        };
        self.threads.done();
        let (ran, passed) = (ran.saturating_sub(self.base), now - self.began);
        // One thread cannot have run for longer than the time that has passed: the rest was before the turn.
        let ran = if ran <= passed + self.age { ran.min(passed) } else { ran };
        self.is_observed = true;
        Usage { ran, waited: tells.then(|| self.threads.waiting(ran)) }
    }

    /// Returns the usage of the bot since its turn began. Also finds out whether it is waiting for a core,
    /// and has been for most of the time since the last look: the system reports a wait only when it is over.
    pub(super) fn look_closely(&mut self, now: Moment) -> Usage {
        let before = self.last;
        // In this order: a bot that gets its core in between is seen to have waited, not to be waiting.
        let is_ready = match &self.family {
            None => self.process.is_ready(),
            Some(family) => family.is_ready(),
        };
        let mut usage = self.look(now);
        let ran = self.last.1.saturating_sub(before.1);
        if let Some(waited) = &mut usage.waited {
            waited.right_now = is_ready && ran < (now - before.0) / 2;
        }
        usage
    }

    /// Observes the bot if it has threads that can end soon. Tells whether it has.
    pub(super) fn glance(&mut self, now: Moment) -> bool {
        let may_be = self.family.is_some() || self.process.threads() > 1;
        if may_be {
            self.look(now);
        }
        may_be
    }

    /// Returns the running time of the bot so far, with all processes that it has started.
    pub(super) fn ran(&mut self) -> Duration {
        match &mut self.family {
            None => self.process.ran(),
            Some(family) => family.ran(),
        }
    }

    /// Called when the bot is frozen: it should not run afterwards.
    pub(super) fn freeze(&mut self) {
        self.frozen = self.ran();
    }

    /// Returns the running time of the bot since it was frozen. Each thread needs a moment to stop, which is
    /// not counted.
    pub(super) fn ran_while_frozen(&mut self) -> Duration {
        let ran = self.ran().saturating_sub(self.frozen);
        if ran > TO_STOP { ran } else { Duration::ZERO }
    }
}

/// How long all threads of a bot together may run until they have stopped.
const TO_STOP: Duration = Duration::from_millis(1);

/// The referee's own thread: how long it waited for a core between two looks at the bots' pipes. An answer found at the
/// second look can have come at any time since the first, so no bot is charged for that wait. A wait before the first
/// look is not forgiven: a bot that sleeps would gain by it.
///
/// To keep such waits short, the thread has priority over all others in slow turns, where the system lets it. Not in
/// quick turns: it would be woken for each answer at once, and look four times a turn instead of twice.
#[derive(Debug)]
pub(super) struct OwnThread {
    file: Option<File>,
    /// Its total waiting time at the last reading; `read_at` is the time of that reading.
    total: Duration,
    read_at: Moment,
    between: Duration,
    /// Number of further turns with raised priority.
    urgent: u32,
}

/// Number of urgent turns after a slow one, including it: those in which the next slow one is likely.
const URGENT: u32 = 16;

impl OwnThread {
    /// Makes a meter for the calling thread, which should be the one that plays the game.
    pub(super) fn here() -> OwnThread {
        let _ = schedule(Priority::Prompt);
        let file = File::open("/proc/thread-self/schedstat").ok();
        let (total, between) = (Duration::ZERO, Duration::ZERO);
        OwnThread { file, total, read_at: Moment::default(), between, urgent: 0 }
    }

    /// Called when a turn begins.
    pub(super) fn begin(&mut self) {
        self.urgent = self.urgent.saturating_sub(1);
        if self.urgent == 1 {
            self.lower_priority();
        }
    }

    /// Called in a slow turn: raises the priority of the thread for this turn and some that follow.
    pub(super) fn raise_priority(&mut self) {
        if self.urgent == 0 {
            let _ = schedule(Priority::First);
        }
        self.urgent = URGENT;
    }

    /// Tells whether this turn is slow, or likely to be.
    pub(super) fn is_urgent(&self) -> bool {
        self.urgent > 0
    }

    /// Ends the raised priority, if the thread has it.
    pub(super) fn lower_priority(&mut self) {
        if std::mem::take(&mut self.urgent) > 0 {
            let _ = schedule(Priority::Prompt);
        }
    }

    /// Called when the thread looks at the bots' pipes, or puts questions to them, at this moment of the clock.
    pub(super) fn note_look(&mut self, now: Moment, clock: &Clock) {
        // It cannot have waited longer than the time that has passed.
        self.between = Duration::ZERO;
        if now - self.read_at > FRESH {
            let total = self.file.as_ref().and_then(times_in).unwrap_or_default().waited;
            // If the thread has lost its core since that moment, the reading has a wait that belongs to the next look.
            let later = clock.now() - now;
            let total = if later > FRESH { total.saturating_sub(later) } else { total };
            self.between = total.saturating_sub(self.total).min(now - self.read_at);
            (self.total, self.read_at) = (total.max(self.total), now);
        }
    }

    /// Called when a look that was noted earlier still goes on at this moment. Returns how long the thread waited for a
    /// core since then, which counts in addition to what it waited before the look.
    pub(super) fn prolong_look(&mut self, now: Moment, clock: &Clock) -> Duration {
        let before = self.between;
        self.note_look(now, clock);
        let since = self.between;
        self.between += before;
        since
    }

    /// Returns how long the thread waited for a core between the last two looks.
    pub(super) fn waited(&self) -> Duration {
        self.between
    }
}

/// Time that another system took from this one's cores, if this machine is itself a guest. No process shows
/// it.
#[derive(Debug)]
pub(super) struct Stolen {
    file: Option<File>,
    /// For each core, in hundredths of a second.
    base: EachCore,
    read_at: Moment,
}

/// Maximum age of a reading from which stolen time is measured. Reading it takes tens of microseconds.
const STOLEN_FRESH: Duration = Duration::from_millis(100);

impl Stolen {
    pub(super) fn new() -> Stolen {
        let file = File::open("/proc/stat").ok();
        let mut base = EachCore::new();
        file.iter().for_each(|file| read_stolen(file, &mut base));
        Stolen { file, base, read_at: Moment::default() }
    }

    /// Called when a turn begins.
    pub(super) fn begin(&mut self, now: Moment) {
        // If nothing was ever stolen, the machine is no guest.
        let is_guest = self.base.iter().any(|stolen| *stolen > 0);
        if is_guest && now - self.read_at > STOLEN_FRESH {
            self.base.clear();
            self.file.iter().for_each(|file| read_stolen(file, &mut self.base));
            self.read_at = now;
        }
    }

    /// Returns the time stolen from the core that lost most since the turn began. The figure is off by a
    /// hundredth of a second at most, either way. A bot is charged at least the time that it ran in any case.
    pub(super) fn look(&self) -> Duration {
        let mut now = EachCore::new();
        self.file.iter().for_each(|file| read_stolen(file, &mut now));
        let most = now.iter().zip(&self.base).map(|(now, base)| now.saturating_sub(*base)).max();
        Duration::from_millis(10).saturating_mul(most.unwrap_or(0).try_into().unwrap_or(u32::MAX))
    }
}

/// Reads the eighth number of each core's line.
fn read_stolen(file: &File, stolen: &mut EachCore) {
    // The lines of cores come first. On a machine with more cores than fit here, the rest is ignored.
    let mut buffer = [0; 16 * 1024];
    let count = file.read_at(&mut buffer, 0).unwrap_or(0);
    let text = buffer[..count].utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let cores = text.lines().skip(1).take_while(|line| line.starts_with("cpu"));
    stolen.extend(
        cores.map(|line| line.split_ascii_whitespace().nth(8).and_then(|n| n.parse().ok()).unwrap_or(0)),
    );
}

/// Files below `/proc` that describe a process.
#[derive(Debug)]
struct Process {
    clock: CpuClock,
    folder: PathBuf,
    /// The folder of its threads.
    threads: File,
    /// Running and waiting time of its first thread. Some systems do not report them.
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

    fn ran(&self) -> Duration {
        self.clock.read().unwrap_or_default()
    }

    /// Passes its threads to `threads`. Returns whether the system reports them.
    fn see(&self, threads: &mut Threads) -> bool {
        let Some(first) = &self.waited else { return false };
        match self.threads() {
            0 | 1 => {
                if let Some(times) = times_in(first) {
                    threads.see(FIRST, times);
                }
            }
            _ => self.each_thread("schedstat", |number, file| {
                if let Some(times) = times_in(file) {
                    threads.see(number, times);
                }
            }),
        }
        true
    }

    /// Tells whether one of its threads runs or is ready to.
    fn is_ready(&self) -> bool {
        let mut is_ready = false;
        let mut look = |file: &File| is_ready |= state_in(file) == Some('R');
        match self.threads() {
            0 | 1 => File::open(self.folder.join("stat")).iter().for_each(look),
            _ => self.each_thread("stat", |_, file| look(file)),
        }
        is_ready
    }

    fn threads(&self) -> u64 {
        // A folder of the system has a link for itself, one from its parent, and here one for each thread.
        fstat(&self.threads).map_or(0, |status| status.st_nlink.saturating_sub(2))
    }

    fn each_thread(&self, name: &str, mut look: impl FnMut(u32, &File)) {
        let first = self.folder.file_name().and_then(|number| number.to_str()?.parse().ok());
        each_thread(&self.threads, name, |number, file| {
            look(if Some(number) == first { FIRST } else { number }, file);
        });
    }
}

/// The number that stands for a process's first thread here: its figures come from another file if it is the
/// only one.
const FIRST: u32 = 0;

#[cfg(test)]
mod tests {
    use std::ffi::CString;
    use std::sync::mpsc;
    use std::thread;

    use proptest::prelude::*;

    use super::*;
    use crate::process::proc_files::{state_of, times_of};

    proptest! {
        #[test]
        fn any_bytes_of_a_name_hide_no_state(name in prop::collection::vec(1u8.., 0..16), state in "[RSDZTtXI]") {
            let text = [b"4194304 (", &*name, b") ", state.as_bytes(), b" 1 4194304 4194304 0 -1 4194560 105"].concat();
            prop_assert_eq!(state_of(&text[..text.len().min(96)]), state.chars().next());
        }

        #[test]
        fn any_bytes_of_the_system_are_taken(text in prop::collection::vec(any::<u8>(), 0..96)) {
            let _ = (state_of(&text), times_of(&text));
        }

        #[test]
        fn any_bytes_behind_numbers_are_no_times(numbers in prop::collection::vec(any::<u64>(), 0..4), rest in ".{0,20}") {
            let words: Vec<String> = numbers.iter().map(u64::to_string).collect();
            let text = format!("{} {rest}", words.join(" "));
            if numbers.len() >= 2 {
                let times = times_of(text.as_bytes()).expect("two numbers");
                prop_assert_eq!(times.ran, Duration::from_nanos(numbers[0]));
                prop_assert_eq!(times.waited, Duration::from_nanos(numbers[1]));
            }
        }
    }

    #[test]
    fn a_wait_between_a_look_and_the_reading_for_it_belongs_to_the_next_look() {
        let readings = tempfile::NamedTempFile::new().expect("a file");
        let waited = |ms: u64| {
            std::fs::write(readings.path(), format!("7 {} 3\n", ms * 1_000_000)).expect("a reading")
        };
        let ms = Duration::from_millis;
        let file = Some(File::open(readings.path()).expect("a file"));
        let read_at = Moment::default();
        let mut thread = OwnThread { file, total: ms(10), read_at, between: Duration::ZERO, urgent: 0 };
        let clock = Clock::start();
        std::thread::sleep(ms(60));
        // The reading is of 50 ms or more after the look, and the thread waited for 50 ms meanwhile.
        let now = Moment(clock.now().0 - ms(50));
        waited(60);
        thread.note_look(now, &clock);
        assert_eq!(thread.waited(), Duration::ZERO);
        thread.note_look(clock.now(), &clock);
        assert_eq!(thread.waited(), ms(50));
    }

    #[test]
    fn a_thread_is_seen_by_whatever_name_it_goes() {
        for name in [&b"plain"[..], b"\xff) R 1) Z 2", b") S 1 (x) R 2", b"\n) S\n1", b"\xf0\x9f)", b" "] {
            let name = CString::new(name).expect("no zero in it");
            let (said, hears) = mpsc::channel();
            let (ends, end) = mpsc::channel::<()>();
            let named = thread::spawn(move || {
                rustix::thread::set_name(&name).expect("a name");
                let itself = rustix::thread::gettid().as_raw_nonzero();
                let folder = format!("/proc/self/task/{itself}");
                let itself = File::open(format!("{folder}/stat")).expect("its state");
                said.send((state_in(&itself), folder)).expect("somebody hears");
                let _ = end.recv();
            });
            let (while_it_runs, folder) = hears.recv().expect("a state");
            assert_eq!(while_it_runs, Some('R'));
            let [stat, times] = ["stat", "schedstat"].map(|file| File::open(format!("{folder}/{file}")));
            let stat = stat.expect("its state");
            while state_in(&stat) == Some('R') {
                thread::yield_now(); // on its way to sleep
            }
            assert_eq!(state_in(&stat), Some('S'));
            assert!(times.is_ok_and(|times| times_in(&times).is_some()));
            drop(ends);
            named.join().expect("its end");
        }
    }
}
