//! Progress: a line on the terminal that says what is done, how far it is, and how long the rest takes.
//!
//! Nothing that takes over a second is silent: each command is a [`Task`] itself, whose name is shown once nothing was
//! printed for a second. The line is on standard error, below all that is printed, and gone at the end. There is none
//! where standard error is no terminal, with `--quiet`, and while a screen or the user's input has the terminal.

use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use referee_files::work::Work;
use referee_record::text;
use referee_table::clock::{Clock, Moment};

use referee_report::tables::progress_line::ProgressLine;

/// How long nothing is printed until the line appears.
const SILENCE: Duration = Duration::from_secs(1);

/// The time between two pictures of the line.
const PICTURE: Duration = Duration::from_millis(100);

const SPINNER: [char; 4] = ['|', '/', '-', '\\'];

/// The line; `None` where none is shown. The process has one terminal.
static LINE: Mutex<Option<Line>> = Mutex::new(None);

struct Line {
    clock: Clock,
    /// The tasks under way. The last is shown.
    tasks: Vec<(u64, ProgressLine)>,
    /// The number of the next task.
    next: u64,
    /// The number of those that have the terminal for themselves.
    taken: u32,
    /// When something was printed last.
    printed: Moment,
    /// The columns of the line that is seen; 0 if none is.
    drawn: usize,
    pictures: usize,
    /// Output goes to another program, which can be a pager on the same terminal.
    is_piped: bool,
}

fn line() -> MutexGuard<'static, Option<Line>> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins to show progress, if there is a terminal for it. `is_piped`: standard output is no terminal.
pub(super) fn begin(is_piped: bool) {
    if !io::stderr().is_terminal() {
        return;
    }
    let clock = Clock::start();
    *line() = Some(Line {
        clock,
        tasks: Vec::new(),
        next: 0,
        taken: 0,
        printed: clock.now(),
        drawn: 0,
        pictures: 0,
        is_piped,
    });
    thread::spawn(|| {
        loop {
            thread::sleep(PICTURE);
            match &mut *line() {
                Some(line) => line.picture(),
                None => return,
            }
        }
    });
}

/// Removes the line for good.
pub(super) fn end() {
    if let Some(mut line) = line().take() {
        line.clear();
    }
}

/// Prints something beside the line.
pub(super) fn beside<T>(is_output: bool, print: impl FnOnce() -> T) -> T {
    let mut shown = line();
    let Some(line) = &mut *shown else {
        drop(shown);
        return print();
    };
    let was_drawn = line.drawn > 0;
    line.clear();
    let printed = print();
    line.printed = line.clock.now();
    if is_output && line.is_piped {
        *shown = None;
    } else if was_drawn && !is_output {
        // A note ends with its line, and the numbers below it stay to be seen.
        line.picture();
    }
    printed
}

/// The terminal without the line, as long as this lives.
#[derive(Debug)]
pub struct Taken(());

impl Taken {
    /// Removes the line: for a screen, or for somebody who types.
    pub fn terminal() -> Taken {
        if let Some(line) = &mut *line() {
            line.clear();
            line.taken += 1;
        }
        Taken(())
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if let Some(line) = &mut *line() {
            line.taken = line.taken.saturating_sub(1);
            line.printed = line.clock.now();
        }
    }
}

impl Line {
    fn picture(&mut self) {
        let now = self.clock.now();
        let is_silent = now - self.printed >= SILENCE;
        let is_due = |task: &&ProgressLine| self.drawn > 0 || is_silent || task.is_counted_for(SILENCE, now);
        if let Some((_, task)) = self.tasks.last_mut() {
            task.look_at(Work::now(), now);
        }
        let Some(task) = self.tasks.last().map(|(_, task)| task).filter(is_due).filter(|_| self.taken == 0)
        else {
            return;
        };
        let columns = columns(io::stderr());
        // In the last column some terminals would begin a new line.
        let text = task.text(now, columns.saturating_sub(1), SPINNER[self.pictures % SPINNER.len()]);
        self.pictures += 1;
        let before = std::mem::replace(&mut self.drawn, text::width(&text));
        let rest = " ".repeat(before.saturating_sub(self.drawn));
        let _ = io::stderr().write_all(format!("\r{text}{rest}").as_bytes());
    }

    fn clear(&mut self) {
        let before = std::mem::take(&mut self.drawn);
        if before > 0 {
            // Blanks are understood by every terminal.
            let _ = io::stderr().write_all(format!("\r{}\r", " ".repeat(before)).as_bytes());
        }
    }
}

/// Returns the number of columns of a terminal. One that does not report its size has 80.
pub(super) fn columns(terminal: impl AsFd) -> usize {
    let size = rustix::termios::tcgetwinsize(terminal).ok();
    size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(80)
}

/// Something that takes time. It is shown until it is dropped, or another begins.
#[derive(Debug)]
pub struct Task(Option<u64>);

impl Task {
    /// Begins, with words for what is done.
    pub fn new(what: impl Into<String>) -> Task {
        Task::counted(what, "", None)
    }

    /// Begins something with parts that are counted: what one is called, and the number of all, if that is known.
    pub fn counted(what: impl Into<String>, part: &'static str, total: Option<u64>) -> Task {
        Task(line().as_mut().map(|line| {
            let (number, now) = (line.next, line.clock.now());
            line.next += 1;
            line.tasks.push((number, ProgressLine::begin(&what.into(), part, total, Work::now(), now)));
            number
        }))
    }

    /// Begins something with parts that are counted, of which there will be no more than this number.
    pub fn bounded(what: impl Into<String>, part: &'static str, most: u64) -> Task {
        let task = Task::counted(what, part, Some(most));
        task.change(|task, _| task.bound());
        task
    }

    /// Tells whether it can be seen.
    pub fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// Sets the time that it takes at most.
    pub fn at_most(self, limit: Option<Duration>) -> Task {
        self.change(|task, _| task.limit(limit));
        self
    }

    /// Sets the number of parts that are done.
    pub fn count(&self, done: u64) {
        self.change(|task, now| task.count(done, now));
    }

    /// Counts parts as done. `more` says something about them.
    pub fn add(&self, parts: u64, more: impl FnOnce() -> String) {
        self.change(|task, now| task.add(parts, &more(), now));
    }

    fn change(&self, how: impl FnOnce(&mut ProgressLine, Moment)) {
        let Some(number) = self.0 else { return };
        if let Some(line) = &mut *line() {
            let now = line.clock.now();
            if let Some((_, task)) = line.tasks.iter_mut().find(|(other, _)| *other == number) {
                how(task, now);
            }
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        let Some(number) = self.0 else { return };
        if let Some(line) = &mut *line() {
            line.clear();
            line.tasks.retain(|(other, _)| *other != number);
        }
    }
}
