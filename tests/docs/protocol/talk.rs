//! Runs dialogues against the real collector: events with their times, and the results.

use std::time::Duration;

use referee_record::Answer;
use referee_record::play::collect::Collector;
use referee_rules::Seat;
use referee_table::clock::Moment;

use crate::docs::document::Block;

/// The limit in all dialogues.
const LIMIT: Duration = Duration::from_millis(100);

const SEAT: Seat = Seat::new(0);

/// Runs a dialogue: each row has a time in milliseconds, then
///
/// - `question N`, or `question N in part`: it is put, N being the number for a tag;
/// - `no question`: there should be one, but it cannot be put;
/// - `bot TEXT`: a line, or with `...` at its end the beginning of one;
/// - `verdict V`, or `verdict V; dropped: N kind, ...`: the result of the question;
/// - and optionally a remark after `#`.
pub(super) fn run_transcript(block: &Block) {
    let mut talk =
        Talk { collector: Collector::new(1), pipe: Vec::new(), number: 0, last: Moment::default() };
    for (row, line) in block.text.lines().zip(block.line + 1..) {
        let (row, remark) = row.split_once('#').unwrap_or((row, ""));
        assert!(remark.len() + row.len() < 110, "line {line} is too long to read");
        let (time, event) = row.trim().split_once(' ').unwrap_or_else(|| panic!("line {line}: {row}"));
        let millis = time.parse().unwrap_or_else(|_| panic!("line {line}: not a time: {time}"));
        let now = Moment(Duration::from_millis(millis));
        assert!(now >= talk.last, "line {line}: time goes on");
        talk.last = now;
        talk.event(event.trim(), now).unwrap_or_else(|why| panic!("line {line}: {row}\n{why}"));
    }
    assert!(block.text.contains("verdict"), "line {}: a dialogue without a verdict", block.line);
}

/// Runs a block of lines with the verdict on each as the answer to a first question: `"TEXT"` with `\t`,
/// `\r`, `\n`, an optional `*N` to repeat it N times, and more such texts; then two blanks or more; then the
/// verdict.
pub(super) fn run_lines(block: &Block) {
    for (row, line) in block.text.lines().zip(block.line + 1..) {
        let (written, verdict) = row.rsplit_once("  ").unwrap_or_else(|| panic!("line {line}: {row}"));
        let mut collector = Collector::new(1);
        collector.ask(SEAT, LIMIT, Moment::default(), 0);
        collector.written(SEAT, Moment::default());
        collector.bytes(SEAT, &unescape(written.trim()), Moment::default());
        collector.expire(Moment(LIMIT + Duration::from_nanos(1)));
        assert_eq!(verdict_of(&mut collector), verdict, "line {line}: {row}");
    }
}

struct Talk {
    collector: Collector,
    /// The unread output of the bot.
    pipe: Vec<u8>,
    number: u64,
    last: Moment,
}

impl Talk {
    fn event(&mut self, event: &str, now: Moment) -> Result<(), String> {
        if let Some(question) = event.strip_prefix("question ") {
            let (number, in_part) = match question.strip_suffix(" in part") {
                Some(number) => (number, true),
                None => (question, false),
            };
            self.number += 1;
            if number.parse() != Ok(self.number) {
                return Err(format!("this is question {}", self.number));
            }
            self.collector.ask(SEAT, LIMIT, now, self.pipe.len());
            if !in_part {
                self.collector.written(SEAT, now);
            }
            self.read(now);
        } else if event == "no question" {
            self.collector.cannot_ask(SEAT);
        } else if let Some(text) = event.strip_prefix("bot ") {
            match text.trim_start().strip_suffix("...") {
                Some(beginning) => self.pipe.extend(beginning.as_bytes()),
                None => self.pipe.extend(text.trim_start().bytes().chain(*b"\n")),
            }
            // As at a table of real programs, nothing is read while no answer is awaited.
            if self.collector.deadline(SEAT).is_some() {
                self.read(now);
            }
        } else if let Some(verdict) = event.strip_prefix("verdict ") {
            self.collector.expire(now);
            if self.collector.deadline(SEAT).is_some() {
                return Err("the question is still open".to_owned());
            }
            let found = verdict_of(&mut self.collector);
            if found != verdict.trim() {
                return Err(format!("the verdict is {found}"));
            }
        } else {
            return Err("no such event".to_owned());
        }
        Ok(())
    }

    fn read(&mut self, now: Moment) {
        let bytes = std::mem::take(&mut self.pipe);
        self.collector.bytes(SEAT, &bytes, now);
    }
}

fn verdict_of(collector: &mut Collector) -> String {
    let mut answer = Answer::empty(SEAT);
    collector.take(SEAT, &mut answer);
    let mut text = match &answer.fault {
        Some(fault) => fault.to_string(),
        None => format!("ok: {}", answer.integers.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")),
    };
    let dropped = answer.dropped.iter().filter(|(_, count)| *count > 0);
    let dropped: Vec<String> = dropped.map(|(kind, count)| format!("{count} {}", kind.name())).collect();
    if !dropped.is_empty() {
        text += &format!("; dropped: {}", dropped.join(", "));
    }
    text
}

fn unescape(written: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = written;
    while !rest.is_empty() {
        let (text, after) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')).expect(written);
        let text = text.replace("\\t", "\t").replace("\\r", "\r").replace("\\n", "\n");
        assert!(!text.contains('\\'), "an escape that is not known: {written}");
        let (times, after) = match after.strip_prefix('*') {
            Some(after) => after.split_once(' ').expect("a blank behind the number"),
            None => ("1", after),
        };
        bytes.extend(text.repeat(times.parse().expect("a number of times")).bytes());
        rest = after.trim_start();
    }
    bytes
}
