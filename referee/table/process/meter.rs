//! The meter of a bot's process: how long it ran, and how long it waited for a core, as the system reports.
//!
//! A reading costs about a microsecond. So a quick turn does without: a bot that answers within [`FRESH`] is charged
//! elapsed time, and the next turn may be measured from a reading of that age.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::fstat;
use rustix::process::Pid;

use crate::charge::Usage;
use crate::clock::{Clock, CpuClock, Moment};
use crate::process::family::Family;
use crate::process::host::{EachCore, TICK};
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
    /// Its running time when the turn began, or up to [`FRESH`] earlier.
    base: Duration,
    turn_start: Moment,
    /// How old `base` was when the turn began.
    base_age: Duration,
    /// Whether it was observed since the turn began.
    is_observed: bool,
    last_reading: Reading,
    /// Its running time when it was frozen.
    ran_until_frozen: Duration,
}

/// The total running time of a bot at a moment.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    at: Moment,
    ran: Duration,
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
            turn_start: Moment::default(),
            base_age: Duration::ZERO,
            is_observed: true,
            last_reading: Reading::default(),
            ran_until_frozen: Duration::ZERO,
        })
    }

    /// Begins a turn: the usage of the bot is measured from here. After a quick turn, in which the bot was not
    /// observed, a reading that is not older than [`FRESH`] will do.
    pub(super) fn begin(&mut self, now: Moment) {
        if self.is_observed || now - self.last_reading.at > FRESH {
            self.observe(now);
        }
        self.base = self.last_reading.ran;
        (self.turn_start, self.base_age) = (now, now - self.last_reading.at);
        self.is_observed = false;
        self.threads.begin(now);
    }

    /// Returns how long the bot certainly ran since `start`. What it can have run between the last reading and `start`
    /// is left out.
    pub(super) fn ran_since(&mut self, start: Moment, now: Moment, cores: u32) -> Duration {
        let before = self.last_reading;
        self.observe(now);
        let threads_at_once = self.threads.count().clamp(1, cores.max(1));
        let ran_before_start_max = (start - before.at).saturating_mul(threads_at_once);
        self.last_reading.ran.saturating_sub(before.ran).saturating_sub(ran_before_start_max)
    }

    /// Reads all figures of the bot. Returns its usage since its turn began.
    pub(super) fn observe(&mut self, now: Moment) -> Usage {
        let ran_in_all = self.ran();
        self.last_reading = Reading { at: now, ran: ran_in_all };
        self.threads.begin_look(now);
        let has_waits = match &self.family {
            None => self.process.add_threads(&mut self.threads),
            Some(family) => {
                family.add_threads(&mut self.threads);
                self.process.first_times.is_some()
            }
        };
        self.threads.end_look();
        let (mut ran, passed) = (ran_in_all.saturating_sub(self.base), now - self.turn_start);
        if ran <= passed + self.base_age {
            // This can be one thread, which cannot have run for longer than the turn lasts: the rest was before it.
            ran = ran.min(passed);
        }
        self.is_observed = true;
        Usage { ran, waited: has_waits.then(|| self.threads.waiting(ran)) }
    }

    /// Returns the usage of the bot since its turn began. Also finds out whether it is waiting for a core,
    /// and has been for most of the time since the last reading: the system reports a wait only when it is over.
    pub(super) fn observe_closely(&mut self, now: Moment) -> Usage {
        let before = self.last_reading;
        // In this order: a bot that gets its core in between is seen to have waited, not to be waiting.
        let is_ready = match &self.family {
            None => self.process.is_ready(),
            Some(family) => family.is_ready(),
        };
        let mut usage = self.observe(now);
        let ran = self.last_reading.ran.saturating_sub(before.ran);
        if let Some(waited) = &mut usage.waited {
            waited.right_now = is_ready && ran < (now - before.at) / 2;
        }
        usage
    }

    /// Observes the bot if it has threads that can end soon. Tells whether it can have any.
    pub(super) fn observe_if_threads_can_end(&mut self, now: Moment) -> bool {
        let can_end = self.family.is_some() || self.process.has_threads();
        if can_end {
            self.observe(now);
        }
        can_end
    }

    /// Returns the running time of the bot so far, with all processes that it has started.
    pub(super) fn ran(&mut self) -> Duration {
        match &mut self.family {
            None => self.process.ran(),
            Some(family) => family.ran(),
        }
    }

    /// Notes that the bot is frozen: it should not run afterwards.
    pub(super) fn freeze(&mut self) {
        self.ran_until_frozen = self.ran();
    }

    /// Returns the running time of the bot since it was frozen. Each thread needs a moment to stop, which is
    /// not counted.
    pub(super) fn ran_while_frozen(&mut self) -> Duration {
        let ran = self.ran().saturating_sub(self.ran_until_frozen);
        if ran > STOP_MAX { ran } else { Duration::ZERO }
    }
}

/// How long all threads of a bot together may run until they have stopped.
const STOP_MAX: Duration = Duration::from_millis(1);

/// The referee's own thread: how long it waited for a core between two looks at the bots' pipes. An answer found at the
/// second look can have come at any time since the first, so no bot is charged for that wait. A wait before the first
/// look is not forgiven: a bot that sleeps would gain by it.
///
/// To keep such waits short, the thread has priority over all others in slow turns, where the system lets it. In quick
/// turns it has none: it would be woken for each answer at once, and look four times a turn instead of twice.
#[derive(Debug)]
pub(super) struct OwnThread {
    file: Option<File>,
    /// Its total waiting time at the last reading; `read_at` is the time of that reading.
    waited_in_all: Duration,
    read_at: Moment,
    waited_between_looks: Duration,
    /// Number of further turns with raised priority.
    urgent_turns: u32,
}

/// Number of urgent turns after a slow one, including it: those in which the next slow one is likely.
const URGENT_TURNS: u32 = 16;

impl OwnThread {
    /// Makes a meter for the calling thread, which should be the one that plays the game.
    pub(super) fn here() -> OwnThread {
        let _ = schedule(Priority::Prompt);
        let file = File::open("/proc/thread-self/schedstat").ok();
        OwnThread {
            file,
            waited_in_all: Duration::ZERO,
            read_at: Moment::default(),
            waited_between_looks: Duration::ZERO,
            urgent_turns: 0,
        }
    }

    /// Begins a turn.
    pub(super) fn begin(&mut self) {
        self.urgent_turns = self.urgent_turns.saturating_sub(1);
        if self.urgent_turns == 1 {
            self.lower_priority();
        }
    }

    /// Called in a slow turn: raises the priority of the thread for this turn and some that follow.
    pub(super) fn raise_priority(&mut self) {
        if self.urgent_turns == 0 {
            let _ = schedule(Priority::First);
        }
        self.urgent_turns = URGENT_TURNS;
    }

    /// Tells whether this turn is slow, or likely to be.
    pub(super) fn is_urgent(&self) -> bool {
        self.urgent_turns > 0
    }

    /// Ends the raised priority, if the thread has it.
    pub(super) fn lower_priority(&mut self) {
        if std::mem::take(&mut self.urgent_turns) > 0 {
            let _ = schedule(Priority::Prompt);
        }
    }

    /// Notes that the thread looks at the bots' pipes, or puts questions to them, at this moment of the clock.
    pub(super) fn note_look(&mut self, now: Moment, clock: &Clock) {
        self.waited_between_looks = Duration::ZERO;
        if now - self.read_at <= FRESH {
            return;
        }
        let mut waited_in_all = self.file.as_ref().and_then(times_in).unwrap_or_default().waited;
        let since_look = clock.now() - now;
        if since_look > FRESH {
            // The thread has lost its core since the look. That wait is in the reading, but belongs to the next look.
            waited_in_all = waited_in_all.saturating_sub(since_look);
        }
        // It cannot have waited longer than the time that has passed.
        self.waited_between_looks = waited_in_all.saturating_sub(self.waited_in_all).min(now - self.read_at);
        (self.waited_in_all, self.read_at) = (waited_in_all.max(self.waited_in_all), now);
    }

    /// Notes that the last look still goes on at this moment. Returns how long the thread waited for a core since the
    /// look began. That counts in addition to what it waited before the look.
    pub(super) fn prolong_look(&mut self, now: Moment, clock: &Clock) -> Duration {
        let waited_before_look = self.waited_between_looks;
        self.note_look(now, clock);
        let waited_since_look = self.waited_between_looks;
        self.waited_between_looks += waited_before_look;
        waited_since_look
    }

    /// Returns how long the thread waited for a core between the last two looks.
    pub(super) fn waited(&self) -> Duration {
        self.waited_between_looks
    }
}

/// Time that another system took from this one's cores, if this machine is itself a guest. The figures of a process do
/// not have it.
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
        let base = file.as_ref().map(stolen_in).unwrap_or_default();
        Stolen { file, base, read_at: Moment::default() }
    }

    /// Begins a turn: stolen time is measured from here, or from a reading that is not older than [`STOLEN_FRESH`].
    pub(super) fn begin(&mut self, now: Moment) {
        // If nothing was ever stolen, the machine is no guest.
        let is_guest = self.base.iter().any(|stolen| *stolen > 0);
        if is_guest && now - self.read_at > STOLEN_FRESH {
            self.base = self.file.as_ref().map(stolen_in).unwrap_or_default();
            self.read_at = now;
        }
    }

    /// Returns the time stolen from the core that lost most since the turn began. The figure is off by a
    /// hundredth of a second at most, either way. A bot is charged at least the time that it ran in any case.
    pub(super) fn time(&self) -> Duration {
        let stolen = self.file.as_ref().map(stolen_in).unwrap_or_default();
        let ticks_max = stolen.iter().zip(&self.base).map(|(now, base)| now.saturating_sub(*base)).max();
        TICK.saturating_mul(ticks_max.unwrap_or(0).try_into().unwrap_or(u32::MAX))
    }
}

/// Reads the stolen time of each core, in [ticks](TICK): the eighth number of its line.
fn stolen_in(file: &File) -> EachCore {
    // The lines of cores come first. On a machine with more cores than fit here, the rest is ignored.
    let mut buffer = [0; 16 * 1024];
    let count = file.read_at(&mut buffer, 0).unwrap_or(0);
    let text = buffer[..count].utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let cores = text.lines().skip(1).take_while(|line| line.starts_with("cpu"));
    let ticks = |line: &str| line.split_ascii_whitespace().nth(8)?.parse().ok();
    cores.map(|line| ticks(line).unwrap_or(0)).collect()
}

/// Files below `/proc` that describe a process.
#[derive(Debug)]
struct Process {
    clock: CpuClock,
    folder: PathBuf,
    threads_folder: File,
    /// Running and waiting time of its first thread. Some systems do not report them.
    first_times: Option<File>,
}

impl Process {
    fn open(pid: Pid) -> Option<Process> {
        let folder = Path::new("/proc").join(pid.as_raw_nonzero().to_string());
        let clock = CpuClock::of_process(pid.as_raw_nonzero().get())?;
        let threads_folder = File::open(folder.join("task")).ok()?;
        let first_times = File::open(folder.join("schedstat")).ok();
        Some(Process { clock, folder, threads_folder, first_times })
    }

    fn ran(&self) -> Duration {
        self.clock.read().unwrap_or_default()
    }

    /// Adds its threads to `threads`. Tells whether the system reports their times.
    fn add_threads(&self, threads: &mut Threads) -> bool {
        let Some(first_times) = &self.first_times else { return false };
        if self.has_threads() {
            self.each_thread("schedstat", |number, file| {
                if let Some(times) = times_in(file) {
                    threads.add(number, times);
                }
            });
        } else if let Some(times) = times_in(first_times) {
            threads.add(FIRST, times);
        }
        true
    }

    /// Tells whether one of its threads runs or is ready to.
    fn is_ready(&self) -> bool {
        if !self.has_threads() {
            return File::open(self.folder.join("stat")).is_ok_and(|file| state_in(&file) == Some('R'));
        }
        let mut is_ready = false;
        self.each_thread("stat", |_, file| is_ready |= state_in(file) == Some('R'));
        is_ready
    }

    fn has_threads(&self) -> bool {
        // A folder of the system has a link for itself, one from its parent, and here one for each thread.
        fstat(&self.threads_folder).is_ok_and(|status| status.st_nlink > 3)
    }

    /// Calls `take` with the number of each thread and its file of this name.
    fn each_thread(&self, name: &str, mut take: impl FnMut(u32, &File)) {
        let first = self.folder.file_name().and_then(|number| number.to_str()?.parse().ok());
        each_thread(&self.threads_folder, name, |number, file| {
            take(if Some(number) == first { FIRST } else { number }, file);
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
        let mut thread = OwnThread {
            file,
            waited_in_all: ms(10),
            read_at: Moment::default(),
            waited_between_looks: Duration::ZERO,
            urgent_turns: 0,
        };
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
