//! The line of progress of a task: what is done, and how long the rest takes.

use std::fmt::Write as _;
use std::time::Duration;

use referee_files::work::Work;
use referee_record::text;
use referee_rules::moment::Moment;

use crate::tables::eta::{self, Gaps};

/// The columns of a bar.
const BAR: u64 = 20;

/// A task under way, as a line shows it.
#[derive(Debug)]
pub struct ProgressLine {
    what: String,
    /// The parts that are counted, in the singular; empty if none are.
    part: &'static str,
    done: u64,
    total: Option<u64>,
    /// Whether `total` is only a bound: the task may end with fewer parts done.
    is_bound: bool,
    /// The longest time that the task can take.
    limit: Option<Duration>,
    /// A remark about what is done; empty if there is none.
    remark: String,
    /// What the process had read and done when the task began; `None` if [`count`](ProgressLine::count) counts the
    /// parts.
    work_before: Option<Work>,
    /// Whether the task waits for another build.
    is_waiting: bool,
    /// The share of long files that was read. The time left is estimated from it if the number of all parts is unknown.
    share: Share,
    began: Moment,
    /// When the last part ended.
    last_end: Moment,
    gaps: Gaps,
}

/// The share of long files that was read.
#[derive(Debug, Default)]
struct Share {
    /// The share, as a number of [`Share::ALL`] parts.
    read: u64,
    /// When the share last grew.
    last_growth: Option<Moment>,
    gaps: Gaps,
}

impl Share {
    const ALL: u64 = 1000;

    fn advance(&mut self, read: u64, began: Moment, now: Moment) {
        if read > self.read {
            self.gaps.add(now - self.last_growth.unwrap_or(began), read - self.read);
            (self.read, self.last_growth) = (read, Some(now));
        }
    }
}

impl ProgressLine {
    /// Begins a task. `what` says what is done, `part` is the name of a part that is counted, in the singular, and
    /// `total` the number of all parts, if that is known. With an empty `part`, the line follows what the process reads
    /// and does after `work`.
    pub fn begin(
        what: &str,
        part: &'static str,
        total: Option<u64>,
        work: Work,
        now: Moment,
    ) -> ProgressLine {
        ProgressLine {
            what: text::visible_line(what).into_owned(),
            part,
            done: 0,
            total,
            is_bound: false,
            limit: None,
            remark: String::new(),
            work_before: part.is_empty().then_some(work),
            is_waiting: false,
            share: Share::default(),
            began: now,
            last_end: now,
            gaps: Gaps::default(),
        }
    }

    /// Declares that the number of all parts is a bound: the task can end with fewer parts done.
    pub fn bound(&mut self) {
        self.is_bound = true;
    }

    /// Sets the longest time that the task can take.
    pub fn limit(&mut self, limit: Option<Duration>) {
        self.limit = limit;
    }

    /// Sets the number of parts that are done, unless it is smaller than before.
    pub fn count(&mut self, done: u64, now: Moment) {
        if done > self.done {
            self.gaps.add(now - self.last_end, done - self.done);
            (self.done, self.last_end) = (done, now);
        }
    }

    /// Counts parts as done, with a remark about them.
    pub fn add(&mut self, parts: u64, remark: &str, now: Moment) {
        self.count(self.done + parts, now);
        self.remark = text::visible_line(remark).into_owned();
    }

    /// Returns the line, in at most this number of columns. What does not fit is left out, the last first.
    pub fn text(&self, now: Moment, columns: usize, spinner: char) -> String {
        let mut line = match self.bar() {
            Some(bar) => format!("{bar} "),
            None => format!("{spinner} "),
        };
        let mut separator = "";
        for piece in self.pieces(now - self.began) {
            if text::width(&line) + separator.len() + text::width(&piece) > columns {
                break;
            }
            let _ = write!(line, "{separator}{piece}");
            separator = ", ";
        }
        line
    }

    /// Lists what the line says, the most important first. `age` is the time since the task began.
    fn pieces(&self, age: Duration) -> Vec<String> {
        let mut pieces = Vec::new();
        if !self.what.is_empty() {
            pieces.push(self.what.clone());
        }
        if self.is_waiting {
            pieces.push("waits for another build".to_owned());
        }
        match (self.part, self.total) {
            ("", _) => {}
            (part, Some(total)) if !self.is_bound => {
                pieces.push(format!("{} of {}", self.done, text::count(total, part)))
            }
            (part, _) => pieces.push(text::count(self.done, part)),
        }
        match self.left(age) {
            Some(left) => pieces.push(format!("{} left", eta::range(left))),
            None => pieces.push(eta::time(age)),
        }
        if !self.remark.is_empty() {
            pieces.push(self.remark.clone());
        }
        if self.done > 0 && self.done < 10_000_000 && !self.part.is_empty() {
            pieces.push(format!("{:.1} a second", self.done as f64 / age.as_secs_f64().max(0.001)));
        }
        pieces
    }

    /// Returns a bar that shows how much is done, if that is known.
    fn bar(&self) -> Option<String> {
        let (done, total) = match self.total {
            Some(total) if total > 0 && !self.part.is_empty() && !self.is_bound => (self.done, total),
            _ if (1..Share::ALL).contains(&self.share.read) => (self.share.read, Share::ALL),
            _ => return None,
        };
        let full = (done.min(total) * BAR / total) as usize;
        Some(format!("{}{}", "#".repeat(full), "-".repeat(BAR as usize - full)))
    }

    /// Takes over what the process has read and done, if nothing else is counted.
    pub fn look_at(&mut self, work: Work, now: Moment) {
        let Some(work_before) = self.work_before else { return };
        let Work { turns, questions, games, games_announced, bytes, bytes_announced, builds_waiting } =
            work.since(work_before);
        self.is_waiting = builds_waiting > 0;
        if games_announced > 0 {
            self.total = Some(games_announced);
        }
        let (part, done) = match (games, questions) {
            (0, 0) if turns > 0 => ("turn", turns),
            (0, 1..) => ("question", questions),
            _ => ("game", games),
        };
        if done > 0 {
            self.part = part;
            self.count(done, now);
        }
        if let Some(read) = (bytes.min(bytes_announced) * Share::ALL).checked_div(bytes_announced) {
            self.share.advance(read, self.began, now);
        }
    }

    /// Tells whether parts of the task are counted, and it began at least this long ago.
    pub fn is_counted_for(&self, time: Duration, now: Moment) -> bool {
        !self.part.is_empty() && now - self.began >= time
    }

    /// Returns the range of the time that the rest of the task takes, if there is an estimate.
    fn left(&self, age: Duration) -> Option<(Duration, Duration)> {
        let mut left = match self.total {
            Some(total) if !self.part.is_empty() => self.gaps.left(total.saturating_sub(self.done)),
            _ if self.share.read < Share::ALL => self.share.gaps.left(Share::ALL - self.share.read),
            _ => None,
        };
        // A task that may end early can be over at any moment.
        if self.is_bound
            && let Some((min, _)) = &mut left
        {
            *min = Duration::ZERO;
        }
        match (left, self.limit.map(|limit| limit.saturating_sub(age))) {
            (Some((min, max)), Some(limit)) => Some((min.min(limit), max.min(limit))),
            (None, Some(limit)) => Some((Duration::ZERO, limit)),
            (left, None) => left,
        }
    }
}
