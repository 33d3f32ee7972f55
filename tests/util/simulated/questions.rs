//! The right verdicts, from the bot's side: whole lines, with the times of their beginning and end, against
//! the questions, with the times when they were put. This module uses no bytes, no reads and no collector.

use std::time::Duration;

use referee_rules::moment::Moment;
use referee_rules::{Fault, FaultKind};

/// A line that a bot wrote.
#[derive(Clone, Debug)]
pub struct Line {
    /// When its first byte was written.
    pub began: Moment,
    /// When its newline was written, or the byte that makes it too long.
    pub judged: Moment,
    /// The position of that in the bot's whole output, in bytes.
    pub end: usize,
    /// The question that it names.
    pub tag: Option<u64>,
    /// Its content.
    pub content: Content,
}

/// The content of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// An answer.
    Integers(Vec<i64>),
    /// No integers.
    Words,
    /// More than 64 KiB.
    TooLong,
}

/// The questions of one seat.
#[derive(Clone, Debug, Default)]
pub struct SeatQuestions {
    /// All turns in which it was asked, in order.
    pub asked: Vec<Asked>,
}

/// The fate of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It is the answer to this question, in time or late.
    Answers(u64),
    /// It names a question that had not been put.
    Early,
    /// It answers nothing.
    Extra,
}

/// One turn of one seat.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    at: Moment,
    /// `None` if no question was put.
    limit: Option<Duration>,
    written: Option<Moment>,
}

/// The right verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The fault, if there should be one.
    pub fault: Option<FaultKind>,
    /// The integers that should count.
    pub integers: Vec<i64>,
    /// The time that should be charged, if a line came.
    pub thinking: Option<Duration>,
}

impl Asked {
    /// A question that was put.
    pub fn new(at: Moment, limit: Duration) -> Asked {
        Asked { at, limit: Some(limit), written: None }
    }

    /// A turn without a question: the last one is still not read.
    pub fn without_question(at: Moment) -> Asked {
        Asked { at, limit: None, written: None }
    }

    /// The last moment at which an answer is in time, and whether the bot had the whole question by then. The
    /// rest of a question that did not fit into the pipe does not extend the time.
    fn deadline(&self, limit: Duration) -> (Moment, bool) {
        let deadline = self.at + limit;
        (deadline, self.written.is_some_and(|written| written <= deadline))
    }
}

impl SeatQuestions {
    /// Records that the last question is now entirely in the pipe.
    pub fn written(&mut self, at: Moment) {
        let last = self.asked.iter_mut().rev().find(|asked| asked.limit.is_some());
        last.expect("a question").written.get_or_insert(at);
    }

    /// Computes the right verdicts.
    pub fn expected(&self, lines: &[Line], death: Option<(Moment, Fault)>) -> Vec<Expected> {
        let fates = self.fates(lines);
        let answers = |number| lines.iter().zip(&fates).find(|(_, fate)| **fate == Fate::Answers(number));
        let mut number = 0;
        let mut expected = Vec::new();
        let mut gone = None;
        for asked in &self.asked {
            expected.push(match asked.limit {
                Some(limit) => {
                    number += 1;
                    asked.expected(limit, answers(number).map(|(line, _)| line), &death)
                }
                // Nothing waits, so an end that was not noticed before is not noticed now.
                None => Expected::fault(gone.unwrap_or(FaultKind::Deaf)),
            });
            let ended = death.as_ref().map(|(_, fault)| fault.kind());
            gone = gone.or(expected.last().and_then(|last| last.fault).filter(|fault| Some(*fault) == ended));
        }
        expected
    }

    /// Counts the lines that should have been dropped, as late, early and extra, among those that were read.
    pub fn expected_dropped(&self, lines: &[Line], read: usize) -> [u32; 3] {
        let put: Vec<&Asked> = self.asked.iter().filter(|asked| asked.limit.is_some()).collect();
        let mut dropped = [0; 3];
        for (line, fate) in lines.iter().zip(self.fates(lines)).filter(|(line, _)| line.end <= read) {
            match fate {
                Fate::Answers(number) => {
                    let asked = put[number as usize - 1];
                    let (deadline, _) = asked.deadline(asked.limit.unwrap_or_default());
                    dropped[0] += u32::from(line.judged > deadline);
                }
                Fate::Early => dropped[1] += 1,
                Fate::Extra => dropped[2] += 1,
            }
        }
        dropped
    }

    /// Returns the fate of each line. In order, one line for each question.
    fn fates(&self, lines: &[Line]) -> Vec<Fate> {
        let puts: Vec<Moment> =
            self.asked.iter().filter(|asked| asked.limit.is_some()).map(|asked| asked.at).collect();
        let mut tags = false;
        let mut answered = 0;
        let mut fates = Vec::new();
        for line in lines {
            // The number of the last question that was put when the line was begun.
            let known = puts.iter().filter(|at| **at < line.began).count() as u64;
            tags |= line.tag.is_some();
            fates.push(match line.tag {
                Some(tag) if tag <= answered => Fate::Extra,
                Some(tag) if tag > known => Fate::Early,
                Some(tag) => Fate::Answers(tag),
                None if tags || answered == known => Fate::Extra,
                None => Fate::Answers(answered + 1),
            });
            if let Some(Fate::Answers(number)) = fates.last() {
                answered = *number;
            }
        }
        fates
    }
}

impl Asked {
    fn expected(&self, limit: Duration, line: Option<&Line>, death: &Option<(Moment, Fault)>) -> Expected {
        let (deadline, whole) = self.deadline(limit);
        if let Some(line) = line.filter(|line| line.judged <= deadline) {
            // In whole microseconds, begun ones included.
            let nanos = (line.judged - self.at).as_nanos() as u64;
            let thinking =
                Some(Duration::from_micros(nanos / 1_000 + u64::from(!nanos.is_multiple_of(1_000))));
            let (fault, integers) = match &line.content {
                Content::Integers(integers) => (None, integers.clone()),
                Content::Words => (Some(FaultKind::Malformed), Vec::new()),
                Content::TooLong => (Some(FaultKind::TooLong), Vec::new()),
            };
            return Expected { fault, integers, thinking };
        }
        match death {
            Some((at, fault)) if *at <= deadline => Expected::fault(fault.kind()),
            _ if whole => Expected::fault(FaultKind::Late),
            _ => Expected::fault(FaultKind::Deaf),
        }
    }
}

impl Expected {
    fn fault(kind: FaultKind) -> Expected {
        Expected { fault: Some(kind), integers: Vec::new(), thinking: None }
    }
}
