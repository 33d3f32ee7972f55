//! How far a task is: what is done, and how long the rest takes, as words.

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
    /// Some words about what is done.
    more: String,
    /// What the process had read and done when the task began; `None` if [`count`](ProgressLine::count) counts the
    /// parts.
    work_before: Option<Work>,
    /// Whether the task waits for another build.
    is_waiting: bool,
    /// The share of long files that was read: it counts if the parts tell nothing of the time left.
    share: Share,
    began: Moment,
    /// When a part has ended last.
    last: Moment,
    gaps: Gaps,
}

/// How much of long files was read.
#[derive(Debug, Default)]
struct Share {
    /// In parts of [`Share::ALL`].
    read: u64,
    last: Option<Moment>,
    gaps: Gaps,
}

impl Share {
    const ALL: u64 = 1000;

    fn advance(&mut self, read: u64, began: Moment, now: Moment) {
        if read > self.read {
            self.gaps.add(now - self.last.unwrap_or(began), read - self.read);
            (self.read, self.last) = (read, Some(now));
        }
    }
}

impl ProgressLine {
    /// Begins a task. `what` says in words what is done, `part` is what is counted, in the singular, and `total` the
    /// number of all parts, if that is known. With an empty `part`, the line follows what the process reads and does
    /// from `work` on.
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
            more: String::new(),
            work_before: part.is_empty().then_some(work),
            is_waiting: false,
            share: Share::default(),
            began: now,
            last: now,
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
            self.gaps.add(now - self.last, done - self.done);
            (self.done, self.last) = (done, now);
        }
    }

    /// Counts parts as done, with some words about them.
    pub fn add(&mut self, parts: u64, more: &str, now: Moment) {
        self.count(self.done + parts, now);
        self.more = text::visible_line(more).into_owned();
    }

    /// Returns the line, in at most this number of columns. What does not fit is left out, the last first.
    pub fn text(&self, now: Moment, columns: usize, spinner: char) -> String {
        let age = now - self.began;
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
        if !self.more.is_empty() {
            pieces.push(self.more.clone());
        }
        if self.done > 0 && self.done < 10_000_000 && !self.part.is_empty() {
            pieces.push(format!("{:.1} a second", self.done as f64 / age.as_secs_f64().max(0.001)));
        }
        let by_parts = self.total.filter(|total| *total > 0 && !self.part.is_empty() && !self.is_bound);
        let by_parts = by_parts.map(|total| (self.done, total));
        let by_share = Some((self.share.read, Share::ALL)).filter(|(read, total)| *read > 0 && read < total);
        let mut line = match by_parts.or(by_share) {
            Some((done, total)) => {
                let full = (done.min(total) * BAR / total) as usize;
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

    /// Takes over what readers and audits have done meanwhile, if nothing else is counted.
    pub fn look_at(&mut self, work: Work, now: Moment) {
        let Some(work_before) = self.work_before else { return };
        let Work { turns, questions, games, games_open, bytes, bytes_open, builds_waiting } =
            work.since(work_before);
        self.is_waiting = builds_waiting > 0;
        if games_open > 0 {
            self.total = Some(games_open);
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
        if let Some(read) = (bytes.min(bytes_open) * Share::ALL).checked_div(bytes_open) {
            self.share.advance(read, self.began, now);
        }
    }

    /// Tells whether the task counts something, and began at least this long ago.
    pub fn is_counted_for(&self, time: Duration, now: Moment) -> bool {
        !self.part.is_empty() && now - self.began >= time
    }

    fn left(&self, age: Duration) -> Option<(Duration, Duration)> {
        let by_parts = match self.total {
            Some(total) if !self.part.is_empty() => self.gaps.left(total.saturating_sub(self.done)),
            _ if self.share.read < Share::ALL => self.share.gaps.left(Share::ALL - self.share.read),
            _ => None,
        };
        // A task that may end early can be over at any moment.
        let by_parts =
            by_parts.map(|(least, most)| (if self.is_bound { Duration::ZERO } else { least }, most));
        let by_limit = self.limit.map(|limit| limit.saturating_sub(age));
        match (by_parts, by_limit) {
            (Some((least, most)), Some(limit)) => Some((least.min(limit), most.min(limit))),
            (None, Some(limit)) => Some((Duration::ZERO, limit)),
            (by_parts, None) => by_parts,
        }
    }
}
