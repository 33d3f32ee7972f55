//! Progress: a line on the terminal that says what is done, how far it is, and how long the rest takes.
//!
//! Nothing that takes over a second is silent: each command is a [`Task`] itself, whose name is shown once nothing was
//! printed for a second. The line is on standard error, below all that is printed, and gone at the end. There is none
//! where standard error is no terminal, with `--quiet`, and while a screen or the user's input has the terminal.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use referee_files::work;
use referee_record::text;
use referee_table::clock::{Clock, Moment};

use crate::eta::{self, Gaps};

/// How long nothing is printed until the line appears.
const SILENCE: Duration = Duration::from_secs(1);

/// The time between two pictures of the line.
const PICTURE: Duration = Duration::from_millis(100);

/// The columns of a bar.
const BAR: u64 = 20;

const SPINNER: [char; 4] = ['|', '/', '-', '\\'];

/// The line; `None` where none is shown.
static LINE: Mutex<Option<Line>> = Mutex::new(None);

struct Line {
    clock: Clock,
    /// The tasks under way. The last is shown.
    tasks: Vec<Shown>,
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

/// A task as the line shows it.
struct Shown {
    number: u64,
    what: String,
    /// The parts that are counted, in the singular; empty if none are.
    part: &'static str,
    done: u64,
    of: Option<u64>,
    /// The time that it takes at most.
    limit: Option<Duration>,
    more: String,
    /// The number of games that the process had done before; `None` if the parts are counted by others.
    before: Option<u64>,
    began: Moment,
    /// When a part has ended last.
    last: Moment,
    gaps: Gaps,
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
        let is_due = |task: &&Shown| self.drawn > 0 || is_silent || task.is_counted_for(now);
        if let Some(task) = self.tasks.last_mut() {
            task.look_at_work(now);
        }
        let Some(task) = self.tasks.last().filter(is_due).filter(|_| self.taken == 0) else { return };
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

impl Shown {
    /// Returns the line. What does not fit is left out, the last first.
    fn text(&self, now: Moment, columns: usize, spinner: char) -> String {
        let age = now - self.began;
        let mut pieces = Vec::new();
        if !self.what.is_empty() {
            pieces.push(self.what.clone());
        }
        match (self.part, self.of) {
            ("", _) => {}
            (part, Some(of)) => pieces.push(format!("{} of {}", self.done, text::count(of, part))),
            (part, None) => pieces.push(text::count(self.done, part)),
        }
        if !self.more.is_empty() {
            pieces.push(self.more.clone());
        }
        match self.left(age) {
            Some(left) => pieces.push(format!("{} left", eta::range(left))),
            None => pieces.push(eta::time(age)),
        }
        if self.done > 0 && self.done < 10_000_000 && !self.part.is_empty() {
            pieces.push(format!("{:.1} a second", self.done as f64 / age.as_secs_f64().max(0.001)));
        }
        let mut line = match self.of.filter(|of| *of > 0 && !self.part.is_empty()) {
            Some(of) => {
                let full = (self.done.min(of) * BAR / of) as usize;
                format!("{}{} ", "#".repeat(full), "-".repeat(BAR as usize - full))
            }
            None => format!("{spinner} "),
        };
        let mut separator = "";
        for piece in pieces {
            if text::width(&line) + separator.len() + text::width(&piece) > columns {
                break;
            }
            let _ = write!(line, "{separator}{piece}");
            separator = ", ";
        }
        line
    }

    /// Takes over the number of games that readers and audits have done meanwhile, if nothing else is counted.
    fn look_at_work(&mut self, now: Moment) {
        let Some(before) = self.before else { return };
        let games = work::games_done() - before;
        if games > self.done {
            self.part = "game";
            self.advance(games, now);
        }
    }

    fn advance(&mut self, done: u64, now: Moment) {
        self.gaps.add(now - self.last, done - self.done);
        (self.done, self.last) = (done, now);
    }

    /// Tells whether its numbers are worth a line although something else is printed.
    fn is_counted_for(&self, now: Moment) -> bool {
        !self.part.is_empty() && now - self.began >= SILENCE
    }

    fn left(&self, age: Duration) -> Option<(Duration, Duration)> {
        let by_parts = self.of.and_then(|of| self.gaps.left(of.saturating_sub(self.done)));
        let by_limit = self.limit.map(|limit| limit.saturating_sub(age));
        match (by_parts, by_limit) {
            (Some((least, most)), Some(limit)) => Some((least.min(limit), most.min(limit))),
            (None, Some(limit)) => Some((Duration::ZERO, limit)),
            (by_parts, None) => by_parts,
        }
    }
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
    pub fn counted(what: impl Into<String>, part: &'static str, of: Option<u64>) -> Task {
        Task(line().as_mut().map(|line| {
            let (number, now) = (line.next, line.clock.now());
            line.next += 1;
            line.tasks.push(Shown {
                number,
                what: text::visible_line(&what.into()).into_owned(),
                part,
                done: 0,
                of,
                limit: None,
                more: String::new(),
                before: part.is_empty().then(work::games_done),
                began: now,
                last: now,
                gaps: Gaps::default(),
            });
            number
        }))
    }

    /// Begins something that audits or writes about games. Their number is only asked for where it is shown.
    pub fn of_games(what: impl Into<String>, number: impl FnOnce() -> Option<u64>) -> Task {
        let task = Task::new(what);
        if task.is_shown() {
            let of = number();
            task.change(|task, _| task.of = of);
        }
        task
    }

    /// Tells whether it can be seen.
    pub fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// Sets the time that it takes at most.
    pub fn at_most(self, limit: Option<Duration>) -> Task {
        self.change(|task, _| task.limit = limit);
        self
    }

    /// Sets the number of parts that are done.
    pub fn count(&self, done: u64) {
        self.change(|task, now| {
            if done > task.done {
                task.advance(done, now);
            }
        });
    }

    /// Counts parts as done. `more` says something about them.
    pub fn add(&self, parts: u64, more: impl FnOnce() -> String) {
        self.change(|task, now| {
            task.advance(task.done + parts, now);
            task.more = text::visible_line(&more()).into_owned();
        });
    }

    fn change(&self, how: impl FnOnce(&mut Shown, Moment)) {
        let Some(number) = self.0 else { return };
        if let Some(line) = &mut *line() {
            let now = line.clock.now();
            if let Some(task) = line.tasks.iter_mut().find(|task| task.number == number) {
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
            line.tasks.retain(|task| task.number != number);
        }
    }
}
