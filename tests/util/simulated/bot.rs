//! A simulated bot: reads its questions in order, writes lines, and misbehaves according to its seed.

use std::time::Duration;

use referee_rules::moment::Moment;
use referee_rules::wire;
use referee_rules::{Dice, Fault};

use super::questions::{Content, Line};

/// A bot with all its output: written so far, and written later without another question.
#[derive(Debug)]
pub(super) struct Bot {
    habits: Habits,
    dice: Dice,
    /// Number of questions that it has been sent.
    questions: u64,
    /// When it is done with the last question.
    free: Moment,
    output: Vec<u8>,
    /// When each piece of the output was written, with the end of the piece in bytes.
    pieces: Vec<(Moment, usize)>,
    lines: Vec<Line>,
    death: Option<(Moment, Fault)>,
}

/// How often a bot does something, in 1,000 questions.
#[derive(Clone, Debug, Default)]
struct Habits {
    tags: bool,
    late: u32,
    skip: u32,
    extra: u32,
    debug: u32,
    garbage: u32,
    too_long: u32,
    wrong_tag: u32,
    split: u32,
    ahead: u32,
    naps: u32,
    /// The question at which it ends, and how.
    ends: Option<(u64, Fault)>,
}

impl Bot {
    pub(super) fn new(dice: &mut Dice) -> Bot {
        let stream = referee_rules::Seed(u64::from(dice.below(u32::MAX)));
        Bot {
            habits: Habits::new(dice),
            dice: Dice::for_start(stream),
            questions: 0,
            free: Moment::default(),
            output: Vec::new(),
            pieces: Vec::new(),
            lines: Vec::new(),
            death: None,
        }
    }

    /// Sends it a question. Returns when it reads it.
    pub(super) fn ask(&mut self, now: Moment, limit: Duration, answer: &[i64]) -> Moment {
        self.questions += 1;
        if self.often(self.habits.naps) {
            // It does not read for many turns: its pipe fills up.
            self.free = self.free.max(now) + limit * (1 + self.dice.below(8));
        }
        let read_at = self.free.max(now);
        // No answer comes at the very moment of its question.
        self.free = read_at + Duration::from_nanos(1);
        if let Some((at, fault)) = self.habits.ends.clone()
            && at <= self.questions
            && self.death.is_none()
        {
            self.end(limit, fault);
        }
        if self.death.is_none() {
            self.answer(now, limit, answer);
        }
        read_at
    }

    /// Stops writing, perhaps after half a line.
    fn end(&mut self, limit: Duration, fault: Fault) {
        self.pause(limit, 900);
        if self.often(500) {
            self.write(b"12 3");
            self.pause(limit, 900);
        }
        self.death = Some((self.free, fault));
    }

    fn answer(&mut self, now: Moment, limit: Duration, integers: &[i64]) {
        self.pause(limit, 800);
        if self.often(self.habits.debug) {
            self.say(None, Content::Words);
            self.pause(limit, 50);
        }
        if self.often(self.habits.late) {
            self.free = self.free + limit + Duration::from_micros(u64::from(self.dice.below(3_000_000)));
        } else if self.often(20) {
            // Right at the limit, which is in time, or just past it.
            self.free = self.free.max(now + limit + Duration::from_nanos(self.dice.below(2).into()));
        }
        if !self.often(self.habits.skip) {
            let content = match () {
                () if self.often(self.habits.garbage) => Content::Words,
                () if self.often(self.habits.too_long) => Content::TooLong,
                () => Content::Integers(integers.to_vec()),
            };
            let tag = self.habits.tags.then(|| self.tag());
            self.say(tag, content);
        }
        if self.often(self.habits.extra) {
            self.pause(limit, 300);
            let tag = self.habits.tags.then_some(self.questions);
            self.say(tag, Content::Integers(integers.to_vec()));
        }
        if self.often(self.habits.ahead) {
            // Half a line, or a whole one, before the question that it belongs to.
            self.pause(limit, 100);
            let tag = self.habits.tags.then_some(self.questions + 1);
            self.say(tag, Content::Integers(integers.to_vec()));
        }
    }

    fn tag(&mut self) -> u64 {
        if self.often(self.habits.wrong_tag) {
            (self.questions + u64::from(self.dice.below(5))).saturating_sub(2)
        } else {
            self.questions
        }
    }

    /// Writes a line, in one piece or in several with pauses between them.
    fn say(&mut self, tag: Option<u64>, content: Content) {
        let mut text = tag.map_or(Vec::new(), |tag| format!("@{tag}").into_bytes());
        match &content {
            Content::Integers(integers) => wire::push_integers(&mut text, integers),
            Content::Words => text.extend_from_slice(b" thinking about 7 things"),
            Content::TooLong => text.extend(std::iter::repeat_n(b" 1", wire::LINE_MAX / 2 + 1).flatten()),
        }
        text.push(b'\n');
        let start = self.output.len();
        let mut rest = &text[..];
        let mut began = None;
        let mut judged = None;
        while !rest.is_empty() {
            let split = rest.len() > 1 && self.often(self.habits.split);
            let end = if split { 1 + self.dice.below(rest.len() as u32 - 1) as usize } else { rest.len() };
            began.get_or_insert(self.free);
            self.write(&rest[..end]);
            rest = &rest[end..];
            if self.output.len() - start > wire::LINE_MAX {
                // A line that is too long is judged as soon as that is known.
                judged.get_or_insert((self.free, start + wire::LINE_MAX + 1));
            }
            if !rest.is_empty() {
                let pause = self.dice.below(60_000);
                self.free = self.free + Duration::from_micros(pause.into());
            }
        }
        let began = began.expect("a line has at least its newline");
        let (judged, end) = judged.unwrap_or((self.free, self.output.len()));
        self.lines.push(Line { began, judged, end, tag, content });
    }

    fn write(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
        self.pieces.push((self.free, self.output.len()));
    }

    /// Thinks for up to this number of thousandths of the limit.
    fn pause(&mut self, limit: Duration, thousandths: u32) {
        let longest = limit.as_micros() as u32 / 1000 * thousandths;
        self.free = self.free + Duration::from_micros(self.dice.below(longest + 1).into());
    }

    fn often(&mut self, of_1000: u32) -> bool {
        self.dice.below(1000) < of_1000
    }

    /// All output that it will write without another question.
    pub(super) fn output(&self) -> &[u8] {
        &self.output
    }

    /// Length of the output that was written up to a moment.
    pub(super) fn written_by(&self, now: Moment) -> usize {
        self.pieces[..self.pieces.partition_point(|(at, _)| *at <= now)].last().map_or(0, |(_, end)| *end)
    }

    /// When there is output beyond the part that was taken.
    pub(super) fn next_write(&self, taken: usize, now: Moment) -> Option<Moment> {
        let next = self.pieces.partition_point(|(_, end)| *end <= taken);
        self.pieces.get(next).map(|(at, _)| (*at).max(now))
    }

    pub(super) fn lines(&self) -> Vec<Line> {
        self.lines.clone()
    }

    pub(super) fn death(&self) -> Option<(Moment, Fault)> {
        self.death.clone()
    }

    pub(super) fn keeps_to_the_protocol(&self) -> bool {
        let habits = &self.habits;
        // If a bot tags its answers, lines that it repeats, adds or leaves out do no harm.
        let harmless = habits.skip + habits.extra + habits.debug;
        habits.ahead + habits.wrong_tag + if habits.tags { 0 } else { harmless } == 0
    }
}

impl Habits {
    /// Draws the habits of a bot: most bots have one or two bad habits, some none, some all.
    fn new(dice: &mut Dice) -> Habits {
        let scale = [0, 30, 200, 1000][dice.below(4) as usize];
        let mut habit = |of: u32| if dice.below(of) == 0 { dice.below(scale + 1) } else { 0 };
        let (late, skip, extra, debug) = (habit(2), habit(4), habit(4), habit(4));
        let (garbage, too_long, wrong_tag) = (habit(4), habit(12) / 8, habit(6));
        let (split, ahead, naps) = (habit(3), habit(6), habit(6) / 4);
        let ends = match dice.below(8) {
            0 => Some((u64::from(dice.below(20)), Fault::Exited(dice.below(3) as i32))),
            1 => Some((u64::from(dice.below(20)), Fault::Crashed(11))),
            _ => None,
        };
        let tags = dice.below(2) == 0;
        Habits { tags, late, skip, extra, debug, garbage, too_long, wrong_tag, split, ahead, naps, ends }
    }
}
