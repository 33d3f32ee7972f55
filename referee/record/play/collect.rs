//! The collector: makes one answer for each question, from the bytes of bots and their times. It has no pipe, thread or
//! clock.
//!
//! The rule: exactly one answer line to each question, in order, late or not. An untagged line answers the first
//! question that has no line yet; if that question's turn is over, the line is dropped. A line tagged `@i` answers
//! question i and no other, and passes over those before it. A line that was begun before its question was put
//! answers nothing.
//!
//! A bot's time is the time between the question and the answer, less the time that its host let it wait for a core,
//! but at least the CPU time of all its threads. It runs from when the question was written. If the pipe had no room
//! for all of it, since the bot has left bytes unread, it runs from before the first byte: the bot gains nothing.
//! Times are whole microseconds, rounded up, as in the log.

use std::time::Duration;

use crate::note::note_of_line;
use crate::{Answer, Dropped};
use referee_rules::moment::Moment;
use referee_rules::wire;
use referee_rules::{BySeat, Fault, Malformed, Seat};

/// The answers of one game, as they come in.
#[derive(Debug)]
pub struct Collector {
    seats: BySeat<Bot>,
}

impl Collector {
    /// Begins with nothing asked.
    pub fn new(seats: usize) -> Collector {
        Collector { seats: BySeat::from_fn(seats, |_| Bot::default()) }
    }

    /// Notes that a question is about to be handed over. `unread` bytes are in the bot's pipe: they were written
    /// before it. Its time runs from `now`.
    pub fn ask(&mut self, seat: Seat, limit: Duration, now: Moment, unread: usize) {
        let bot = &mut self.seats[seat];
        debug_assert!(
            bot.open.is_none() && bot.gone.is_none(),
            "one question at a time, to a bot that is there"
        );
        bot.sent += 1;
        bot.unread = unread;
        bot.cpu = None;
        bot.open = Some(OpenQuestion {
            limit,
            start: now,
            starved: Duration::ZERO,
            is_used_up: false,
            is_written: false,
        });
    }

    /// Notes that the whole question has been handed over at once: its time runs from `now`.
    pub fn written(&mut self, seat: Seat, now: Moment) {
        if let Some(open) = &mut self.seats[seat].open {
            *open = OpenQuestion { start: now, is_written: true, ..*open };
        }
    }

    /// Notes that the rest of a question has been handed over for which there was no room before. Its time runs on.
    pub fn rest_written(&mut self, seat: Seat, now: Moment) {
        let bot = &mut self.seats[seat];
        bot.expire(now);
        if let Some(open) = &mut bot.open {
            open.is_written = true;
        }
    }

    /// Notes that no question can be asked, since the bot has not read its last one or is gone.
    pub fn cannot_ask(&mut self, seat: Seat) {
        let bot = &mut self.seats[seat];
        let fault = bot.gone.clone().unwrap_or(Fault::Deaf);
        bot.closed = Some(ClosedQuestion {
            fault: Some(fault),
            thinking: Duration::ZERO,
            wall: Duration::ZERO,
            cpu: None,
        });
    }

    /// Notes what the host has found out about a bot since its question. The last word counts.
    pub fn account(&mut self, seat: Seat, account: Account) {
        let bot = &mut self.seats[seat];
        if let Some(open) = &mut bot.open {
            open.starved = account.starved;
            open.is_used_up = account.cpu.is_some_and(|cpu| whole_micros(cpu) > open.limit);
            bot.cpu = account.cpu;
        }
    }

    /// Returns the start of a seat's time, and its limit, if an answer is awaited.
    pub fn running(&self, seat: Seat) -> Option<(Moment, Duration)> {
        self.seats[seat].open.map(|open| (open.start, open.limit))
    }

    /// Takes bytes that came from a bot.
    pub fn bytes(&mut self, seat: Seat, bytes: &[u8], now: Moment) {
        let bot = &mut self.seats[seat];
        bot.expire(now); // bytes after the limit are late even if the clock has not been read since
        bot.bytes(bytes, now);
    }

    /// Notes that nothing more will ever come from a bot, and why.
    pub fn gone(&mut self, seat: Seat, fault: Fault, now: Moment) {
        let bot = &mut self.seats[seat];
        if let Some(open) = bot.open {
            bot.close(Some(fault.clone()), open, now);
        }
        bot.gone = Some(fault);
    }

    /// Tells whether a bot is gone for good.
    pub fn is_gone(&self, seat: Seat) -> bool {
        self.seats[seat].gone.is_some()
    }

    /// Closes the questions of all seats whose time is over.
    pub fn expire(&mut self, now: Moment) {
        for (_, bot) in self.seats.iter_mut() {
            bot.expire(now);
        }
    }

    /// Returns the moment after which a seat's answer is late, if an answer is awaited. Waits for a core can move it.
    pub fn deadline(&self, seat: Seat) -> Option<Moment> {
        self.seats[seat].open.map(|open| open.deadline())
    }

    /// Returns the numbers of lines that were dropped since the last question was handed over.
    pub fn dropped(&self, seat: Seat) -> Dropped {
        self.seats[seat].dropped
    }

    /// Hands over the answer to the seat's last question.
    ///
    /// # Panics
    ///
    /// Panics if the question is still open, or its answer has been handed over before.
    pub fn take(&mut self, seat: Seat, answer: &mut Answer) {
        let bot = &mut self.seats[seat];
        let closed = bot.closed.take().expect("a question that is closed, once");
        answer.seat = seat;
        answer.fault = closed.fault;
        answer.thinking = closed.thinking;
        answer.wall = closed.wall;
        answer.cpu = closed.cpu;
        answer.dropped = std::mem::take(&mut bot.dropped);
        std::mem::swap(&mut answer.integers, &mut bot.integers);
        if answer.fault.is_some() {
            answer.integers.clear();
        }
    }
}

/// Number of bytes at the front of a line that are searched for a tag if the line is too long.
const TAG_MAX: usize = 64;

/// The questions to one bot, and what it has written.
#[derive(Debug, Default)]
struct Bot {
    /// The number of questions handed over, at least in part. The last one has this number.
    sent: u64,
    /// The bot has answered this question and all before it, late or not, or passed them over.
    answered_through: u64,
    open: Option<OpenQuestion>,
    /// CPU time since the open question, if it was measured.
    cpu: Option<Duration>,
    closed: Option<ClosedQuestion>,
    integers: Vec<i64>,
    /// The bot has tagged an answer: a line without a tag answers nothing any more.
    uses_tags: bool,
    /// The beginning of a line whose newline has not come.
    partial: Vec<u8>,
    /// The number of the last question that was put before the present line began.
    sent_before_line: u64,
    /// The line was too long and has been dealt with; the rest of it is thrown away.
    skips_rest_of_line: bool,
    /// Number of coming bytes that were written before the last question.
    unread: usize,
    dropped: Dropped,
    /// Why nothing more will come from it; `None` if something can.
    gone: Option<Fault>,
}

/// What a host has found out about a bot since its question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Time for which the host let it wait. It is added to the deadline and subtracted from the charge.
    pub starved: Duration,
    /// CPU time of all its threads, if it was measured. No charge is below it.
    pub cpu: Option<Duration>,
}

/// A question whose answer is awaited.
#[derive(Clone, Copy, Debug)]
struct OpenQuestion {
    limit: Duration,
    start: Moment,
    /// The host's part of the time since the start.
    starved: Duration,
    /// Its threads together have used up its time.
    is_used_up: bool,
    is_written: bool,
}

impl OpenQuestion {
    fn deadline(self) -> Moment {
        if self.is_used_up { self.start } else { self.start + self.limit + self.starved }
    }
}

#[derive(Debug)]
struct ClosedQuestion {
    fault: Option<Fault>,
    thinking: Duration,
    wall: Duration,
    cpu: Option<Duration>,
}

impl Bot {
    fn close(&mut self, fault: Option<Fault>, open: OpenQuestion, now: Moment) {
        self.open = None;
        let (wall, cpu) = (now - open.start, self.cpu.map(whole_micros));
        let charged = whole_micros(wall.saturating_sub(open.starved));
        let thinking = charged.max(cpu.unwrap_or_default());
        self.closed = Some(ClosedQuestion { fault, thinking, wall: whole_micros(wall), cpu });
    }

    fn expire(&mut self, now: Moment) {
        if let Some(open) = self.open
            && now > open.deadline()
        {
            let fault = if open.is_written { Fault::Late } else { Fault::Deaf };
            self.close(Some(fault), open, now);
        }
    }

    fn bytes(&mut self, bytes: &[u8], now: Moment) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.partial.is_empty() && !self.skips_rest_of_line {
                self.sent_before_line = if self.unread > 0 { self.sent - 1 } else { self.sent };
            }
            let newline = rest.iter().position(|byte| *byte == b'\n');
            let (piece, after) = rest.split_at(newline.map_or(rest.len(), |end| end + 1));
            self.unread = self.unread.saturating_sub(piece.len());
            self.piece(piece, newline.is_some(), now);
            rest = after;
        }
    }

    /// Takes a line or a part of one. `has_end` tells whether a newline ends it.
    fn piece(&mut self, piece: &[u8], has_end: bool, now: Moment) {
        let text = if has_end { &piece[..piece.len() - 1] } else { piece };
        if self.skips_rest_of_line {
            self.skips_rest_of_line = !has_end;
        } else if self.partial.len() + text.len() > wire::LINE_MAX {
            // A tag is at the front. It is found even if the line comes in pieces.
            self.partial.extend_from_slice(&text[..text.len().min(TAG_MAX)]);
            self.partial.truncate(TAG_MAX);
            self.with_partial(|bot, text| bot.line(text, true, now));
            self.skips_rest_of_line = !has_end;
        } else if !has_end {
            self.partial.extend_from_slice(text);
        } else if self.partial.is_empty() {
            self.line(text, false, now);
        } else {
            self.partial.extend_from_slice(text);
            self.with_partial(|bot, text| bot.line(text, false, now));
        }
    }

    /// Has `take` take the partial line, which is empty afterwards.
    fn with_partial(&mut self, take: impl FnOnce(&mut Bot, &[u8])) {
        let mut text = std::mem::take(&mut self.partial);
        take(self, &text);
        text.clear();
        self.partial = text;
    }

    /// Takes a whole line.
    fn line(&mut self, text: &[u8], is_too_long: bool, now: Moment) {
        let (tag, text) = wire::split_tag(text);
        self.uses_tags |= tag.is_some();
        // In order: earlier questions that the bot has not answered stay without an answer.
        let number = tag.unwrap_or(self.answered_through + 1);
        if number <= self.answered_through || (self.uses_tags && tag.is_none()) {
            self.dropped.extra += 1;
        } else if number > self.sent_before_line {
            // It was begun before its question was put. Without a tag that is one line too many, as a rule.
            let is_early = tag.is_some() || self.sent == 0;
            if is_early {
                self.dropped.early += 1;
            } else {
                self.dropped.extra += 1;
            }
        } else {
            self.answered_through = number;
            match self.open {
                Some(open) if number == self.sent => self.answer(open, text, is_too_long, now),
                _ => self.dropped.late += 1,
            }
        }
    }

    fn answer(&mut self, open: OpenQuestion, text: &[u8], is_too_long: bool, now: Moment) {
        self.integers.clear();
        let fault = if is_too_long {
            Some(Fault::TooLong)
        } else {
            match wire::read_integers(text, &mut self.integers) {
                Ok(()) if self.integers.is_empty() => Some(Fault::Malformed(Malformed::new("an empty line"))),
                read => read.err().map(|why| Fault::Malformed(note_of_line(why, text))),
            }
        };
        self.close(fault, open, now);
    }
}

/// Returns a time rounded up to whole microseconds. Limits are whole microseconds, so a rounded time is over its limit
/// exactly if the time itself is.
pub(crate) fn whole_micros(time: Duration) -> Duration {
    match time.subsec_nanos() % 1_000 {
        0 => time,
        rest => time.saturating_add(Duration::from_nanos(u64::from(1_000 - rest))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(50);

    fn at(ms: u64) -> Moment {
        Moment(Duration::from_millis(ms))
    }

    fn asked() -> (Collector, Seat) {
        let (mut collector, seat) = (Collector::new(1), Seat::new(0));
        collector.ask(seat, LIMIT, at(100), 0);
        collector.written(seat, at(110));
        (collector, seat)
    }

    fn waited(starved: Duration) -> Account {
        Account { starved, cpu: None }
    }

    /// Accounts for a bot that waited this long, and used this much CPU time.
    fn used(starved: u64, cpu: u64) -> Account {
        let [starved, cpu] = [starved, cpu].map(Duration::from_millis);
        Account { starved, cpu: Some(cpu) }
    }

    fn taken(mut collector: Collector, seat: Seat) -> (Option<Fault>, u128, u128) {
        let mut answer = Answer::empty(seat);
        collector.take(seat, &mut answer);
        (answer.fault, answer.thinking.as_millis(), answer.wall.as_millis())
    }

    #[test]
    fn a_bot_that_its_host_let_wait_is_late_so_much_later_and_charged_so_much_less() {
        let (mut collector, seat) = asked();
        collector.account(seat, waited(Duration::from_millis(30)));
        assert_eq!(collector.deadline(seat), Some(at(190)));
        collector.expire(at(190));
        collector.bytes(seat, b"1\n", at(190));
        assert_eq!(taken(collector, seat), (None, 50, 80));
    }

    #[test]
    fn the_last_word_on_how_long_it_waited_counts() {
        let (mut collector, seat) = asked();
        collector.account(seat, waited(Duration::from_millis(30)));
        collector.account(seat, waited(Duration::from_millis(20)));
        collector.bytes(seat, b"1\n", at(181));
        assert_eq!(taken(collector, seat), (Some(Fault::Late), 51, 71));
    }

    #[test]
    fn no_answer_is_charged_less_than_the_time_of_all_threads() {
        // After 30 ms; the limit is 50 ms.
        let cases = [
            (used(0, 20), None, 30),
            (used(25, 20), None, 20),
            (used(0, 50), None, 50),
            (used(0, 51), Some(Fault::Late), 51),
            (used(0, 60), Some(Fault::Late), 60),
            (used(30, 60), Some(Fault::Late), 60),
        ];
        for (account, fault, charged) in cases {
            let (mut collector, seat) = asked();
            collector.account(seat, account);
            collector.bytes(seat, b"1\n", at(140));
            let mut answer = Answer::empty(seat);
            collector.take(seat, &mut answer);
            assert_eq!((&answer.fault, answer.thinking.as_millis()), (&fault, charged), "{account:?}");
            assert_eq!((answer.wall.as_millis(), answer.cpu), (30, account.cpu), "{account:?}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_has_the_same_tag_in_whatever_pieces_it_comes() {
        let line = [b"@1".to_vec(), b"9".repeat(100), b"x".repeat(wire::LINE_MAX), b"\n".to_vec()].concat();
        let dropped = [1, 50, 1000, line.len()].map(|length| {
            let (mut collector, seat) = asked();
            line.chunks(length).for_each(|piece| collector.bytes(seat, piece, at(120)));
            collector.dropped(seat)
        });
        assert!(dropped.iter().all(|one| *one == dropped[0]), "{dropped:?}");
    }

    #[test]
    fn a_bot_that_leaves_no_room_for_its_question_gets_no_new_clock() {
        let (mut collector, seat) = (Collector::new(1), Seat::new(0));
        collector.ask(seat, LIMIT, at(100), 0);
        collector.account(seat, waited(Duration::from_millis(10)));
        // It reads just before its time is over.
        collector.rest_written(seat, at(150));
        assert_eq!(collector.deadline(seat), Some(at(160)));
        collector.bytes(seat, b"1\n", at(155));
        assert_eq!(taken(collector, seat), (None, 45, 55));
    }

    #[test]
    fn an_answer_to_a_question_that_the_bot_has_no_room_for_is_charged() {
        let (mut collector, seat) = (Collector::new(1), Seat::new(0));
        collector.ask(seat, LIMIT, at(100), 0);
        collector.bytes(seat, b"@1 1\n", at(140));
        assert_eq!(taken(collector, seat), (None, 40, 40));
    }

    #[test]
    fn times_are_whole_microseconds_and_prove_who_is_late() {
        let just = |beyond: u64| {
            let (mut collector, seat) = asked();
            collector.account(seat, waited(Duration::from_nanos(400)));
            let now = at(160) + Duration::from_nanos(400 + beyond);
            collector.expire(now);
            collector.bytes(seat, b"1\n", now);
            let mut answer = Answer::empty(seat);
            collector.take(seat, &mut answer);
            assert_eq!([answer.thinking, answer.wall].map(|time| time.subsec_nanos() % 1_000), [0, 0]);
            assert!(answer.thinking <= answer.wall);
            (answer.fault, answer.thinking.as_micros())
        };
        assert_eq!(just(0), (None, 50_000));
        assert_eq!(just(1), (Some(Fault::Late), 50_001));
    }
}
