//! Progress: a line on the terminal that names the present task, how much of it is done, and how long the rest takes.
//!
//! Each command is a [`Task`] itself, whose name is shown once nothing was printed for a second, so that no work is
//! silent for longer. The line is on standard error, below all output, and gone at the end. There is none where
//! standard error is no terminal, with `--quiet`, and while a screen or the user's input has the terminal.

use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use referee_files::work::Work;
use referee_record::text;
use referee_table::clock::{Clock, Moment};

use referee_report::tables::progress_line::ProgressLine;

/// Time without output after which the line appears.
const SILENCE: Duration = Duration::from_secs(1);

/// Time between two drawings of the line.
const DRAW_INTERVAL: Duration = Duration::from_millis(100);

const SPINNER: [char; 4] = ['|', '/', '-', '\\'];

/// The line; `None` where none is shown. The process has one terminal.
static LINE: Mutex<Option<Line>> = Mutex::new(None);

struct Line {
    clock: Clock,
    /// The tasks under way, with their numbers. The last one is shown.
    tasks: Vec<(u64, ProgressLine)>,
    /// The number of the next task.
    next_number: u64,
    /// The number of [`Taken`] that are alive.
    taken_count: u32,
    /// The time of the last output.
    printed_at: Moment,
    /// The number of columns of the line on the terminal; 0 if none is there.
    drawn_columns: usize,
    /// The number of drawings so far.
    drawings: usize,
    /// Whether output goes to another program, which can be a pager on the same terminal.
    is_piped: bool,
}

fn line() -> MutexGuard<'static, Option<Line>> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins to show progress, if standard error is a terminal. `is_piped` says that standard output is none.
pub(super) fn begin(is_piped: bool) {
    if !io::stderr().is_terminal() {
        return;
    }
    let clock = Clock::start();
    *line() = Some(Line {
        clock,
        tasks: Vec::new(),
        next_number: 0,
        taken_count: 0,
        printed_at: clock.now(),
        drawn_columns: 0,
        drawings: 0,
        is_piped,
    });
    thread::spawn(|| {
        loop {
            thread::sleep(DRAW_INTERVAL);
            match &mut *line() {
                Some(line) => line.draw(),
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

/// Prints something above the line: output, or a note. Output to another program ends the line for good, since that
/// program can write to the same terminal.
pub(super) fn beside<T>(is_output: bool, print: impl FnOnce() -> T) -> T {
    let mut guard = line();
    let Some(line) = &mut *guard else {
        drop(guard);
        return print();
    };
    let was_drawn = line.drawn_columns > 0;
    line.clear();
    let result = print();
    line.printed_at = line.clock.now();
    if is_output && line.is_piped {
        *guard = None;
    } else if was_drawn && !is_output {
        // A note ends with a line end, so the line can be drawn below it at once.
        line.draw();
    }
    result
}

/// The terminal without the line, as long as this lives.
#[derive(Debug)]
pub struct Taken(());

impl Taken {
    /// Removes the line: for a screen, or for somebody who types.
    pub fn terminal() -> Taken {
        if let Some(line) = &mut *line() {
            line.clear();
            line.taken_count += 1;
        }
        Taken(())
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if let Some(line) = &mut *line() {
            line.taken_count = line.taken_count.saturating_sub(1);
            line.printed_at = line.clock.now();
        }
    }
}

impl Line {
    fn draw(&mut self) {
        let now = self.clock.now();
        let Some((_, task)) = self.tasks.last_mut() else { return };
        task.look_at(Work::now(), now);
        let is_due =
            self.drawn_columns > 0 || now - self.printed_at >= SILENCE || task.is_counted_for(SILENCE, now);
        if !is_due || self.taken_count > 0 {
            return;
        }
        let columns = columns(io::stderr());
        // In the last column some terminals would begin a new line.
        let text = task.text(now, columns.saturating_sub(1), SPINNER[self.drawings % SPINNER.len()]);
        self.drawings += 1;
        let old_columns = std::mem::replace(&mut self.drawn_columns, text::width(&text));
        let blanks = " ".repeat(old_columns.saturating_sub(self.drawn_columns));
        let _ = io::stderr().write_all(format!("\r{text}{blanks}").as_bytes());
    }

    fn clear(&mut self) {
        let columns = std::mem::take(&mut self.drawn_columns);
        if columns > 0 {
            // Every terminal understands blanks, but not every one has a sequence that clears a line.
            let _ = io::stderr().write_all(format!("\r{}\r", " ".repeat(columns)).as_bytes());
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
    /// Begins a task. `what` says what is done.
    pub fn new(what: impl Into<String>) -> Task {
        Task::counted(what, "", None)
    }

    /// Begins a task with parts that are counted. `part` is the name of one, `total` the number of all, if that is
    /// known.
    pub fn counted(what: impl Into<String>, part: &'static str, total: Option<u64>) -> Task {
        Task(line().as_mut().map(|line| {
            let (number, now) = (line.next_number, line.clock.now());
            line.next_number += 1;
            line.tasks.push((number, ProgressLine::begin(&what.into(), part, total, Work::now(), now)));
            number
        }))
    }

    /// Begins a task with parts that are counted. There will be at most `max` parts.
    pub fn bounded(what: impl Into<String>, part: &'static str, max: u64) -> Task {
        let task = Task::counted(what, part, Some(max));
        task.change(|task, _| task.bound());
        task
    }

    /// Tells whether there is a line of progress.
    pub fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// Sets its time limit.
    pub fn at_most(self, limit: Option<Duration>) -> Task {
        self.change(|task, _| task.limit(limit));
        self
    }

    /// Sets the number of parts that are done.
    pub fn count(&self, done: u64) {
        self.change(|task, now| task.count(done, now));
    }

    /// Counts parts as done. The line shows the text of `detail` beside their number.
    pub fn add(&self, parts: u64, detail: impl FnOnce() -> String) {
        self.change(|task, now| task.add(parts, &detail(), now));
    }

    fn change(&self, act: impl FnOnce(&mut ProgressLine, Moment)) {
        let Some(number) = self.0 else { return };
        if let Some(line) = &mut *line() {
            let now = line.clock.now();
            if let Some((_, task)) = line.tasks.iter_mut().find(|(other, _)| *other == number) {
                act(task, now);
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
