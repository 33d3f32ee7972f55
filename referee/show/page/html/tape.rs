//! The tape: a recorded game as lines of JSON, deflated. One line for each turn, one for the end of the game, and a
//! last one with the parts common to all turns.
//!
//! A position is a list of numbers, one for each fact. Every 128th line has a whole position. The happenings of a
//! turn say what they move, and a patch contains the other changes. So a page reaches any turn fast, without rules.

use std::io::Write;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;

use crate::page::decisive::Decisive;
use crate::page::html::facts::{APART, Facts, Patch};
use crate::page::html::moments::Faults;
use crate::page::html::questions::{Question, Questions};
use crate::page::html::sentences::{Row, Templates};
use crate::page::lead::Lead;
use crate::page::{Job, Together, picture};
use crate::view::scene::Scene;
use crate::view::story::{self, Reply, Vocabulary};
use referee_record::Heading;
use referee_record::contents::Contents;
use referee_record::error::Error;
use referee_record::play::position::Position;
use referee_record::play::replay::Replay;
use referee_rules::picture::Picture;
use referee_rules::{Fact, Outcome, Seat, TimeControl};

/// A tape that is being written; another job deflates it.
pub(super) struct Tape {
    lines: Vec<u8>,
    sender: Sender<Vec<u8>>,
}

/// The parts common to all turns, which a page needs to read the lines.
#[derive(Debug, Serialize)]
pub(super) struct Common {
    pub(super) turns: u32,
    /// Time limits of a turn, of the first turn, and of all turns together, in microseconds.
    limits: (u64, u64, Option<u64>),
    /// Number of columns of a board whose places are cells in rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<i64>,
    /// The number of turns from one whole position to the next.
    apart: u32,
    /// Thing, seat, first index, and the number of facts of this kind, in the order of a position's numbers.
    facts: Vec<(&'static str, Option<usize>, Option<usize>, usize)>,
    /// Thing, seat, index, value: the facts that never change.
    board: Vec<(&'static str, Option<usize>, Option<usize>, i64)>,
    templates: Templates,
}

/// A game whose tape lacks only its last line.
pub(super) struct Recorded {
    pub(super) heading: Heading,
    pub(super) outcome: Option<Outcome>,
    pub(super) common: Common,
    pub(super) lead: Lead,
    pub(super) faults: Faults,
    /// The last board.
    pub(super) still: Picture,
}

/// A turn; or the end of the game, which has no questions, and the places as happenings. Asked seats, verdicts, times,
/// answers and questions are in the same order.
#[derive(Debug, Default, Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Vec<Option<i64>>>,
    asked: Vec<usize>,
    verdicts: Vec<&'static str>,
    /// Charged times in microseconds. `waited` contains the elapsed times minus these.
    thinking: Vec<u64>,
    waited: Vec<i64>,
    /// Integers with blanks between them: a number of JavaScript cannot hold all of them exactly.
    answers: Vec<String>,
    /// Seat, and more about its verdict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<(usize, &'a str)>,
    /// Seat, verdict, and the number of lines that were dropped with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dropped: Vec<(usize, &'static str, u32)>,
    questions: Vec<Question>,
    told: Vec<Row>,
    changes: Patch,
}

/// Plays a recorded game again, and writes its tape without the last line. `why` are its decisive turns.
///
/// # Errors
///
/// If it is not a log, or lacks the answer of a seat.
pub(super) fn record(log: Contents, why: Option<&Decisive>, tape: &mut Tape) -> Result<Recorded, Error> {
    let (mut replay, heading) = Replay::open(log)?;
    let mut board = Vec::new();
    replay.game().describe_board(&mut |Fact { thing, seat, index, value }| {
        board.push((thing.as_str(), seat.map(Seat::index), index, value));
    });
    let mut position = Position::of(replay.game());
    let mut facts = Facts::default();
    facts.change(&Position::default().changes_to(&position));
    facts.play(&[]);
    let (mut questions, mut templates) = (Questions::default(), Templates::default());
    let heading = story::made_harmless(heading);
    let vocabulary = Vocabulary::of(&heading);
    let remarks = why.map_or(Vec::new(), |why| why.remarks(&vocabulary));
    let (mut lead, mut faults) = (Lead::default(), Faults::default());
    lead.take(0, heading.bots.len(), &position);
    while let Some((game, answers)) = replay.next_turn()? {
        let whole = facts.whole_at(game.turn());
        if whole.is_some() {
            questions.forget();
        }
        let questions = questions.next_turn(game, &facts);
        let mut turn = story::tell_turn(game, answers, &mut position, &vocabulary);
        turn.add(&remarks);
        lead.take(turn.number + 1, heading.bots.len(), &position);
        faults.take(&turn);
        facts.change(&turn.changes);
        let told = templates.rows(&turn.happenings, &facts);
        let changes = facts.play(&turn.happenings);
        tape.push(&Line { position: whole, questions, told, changes, ..Line::of(&turn.replies) });
    }
    let game = replay.game();
    let (turns, outcome) = (game.turn(), game.outcome());
    let places = outcome.iter().flat_map(|outcome| story::tell_places(outcome, &vocabulary));
    let told = templates.rows(&places.collect::<Vec<_>>(), &facts);
    tape.push(&Line { position: facts.whole_at(turns), told, ..Line::default() });
    let common = Common {
        turns,
        limits: limits_of(&game.info().time),
        columns: vocabulary.columns(),
        apart: APART,
        facts: facts.in_runs(),
        board,
        templates,
    };
    let still = picture::draw(&Scene {
        heading: heading.clone(),
        turns,
        total: Some(turns),
        position,
        turn: None,
        outcome: outcome.clone(),
        hidden: false,
    });
    Ok(Recorded { heading, outcome, common, lead, faults, still })
}

/// Returns the time limits of a turn, of the first turn, and of all turns together, in microseconds.
fn limits_of(time: &TimeControl) -> (u64, u64, Option<u64>) {
    let us = |time: Duration| time.as_micros() as u64;
    (us(time.turn_limit), us(time.first_limit), time.bank.map(us))
}

/// Number of bytes that are handed over to the other job at once.
const BLOCK: usize = 1 << 18;

impl Tape {
    /// Writes a tape, and returns it, deflated. `write` writes its lines, and returns a value or an error.
    pub(super) fn deflated<T: Send>(
        together: Together<'_>,
        write: impl FnOnce(&mut Tape) -> Result<T, Error> + Send,
    ) -> Result<(T, Vec<u8>), Error> {
        let (sender, blocks) = mpsc::channel::<Vec<u8>>();
        let (mut written, mut tape) = (None, Vec::new());
        let writing: Job<'_> = Box::new(|| {
            let mut tape = Tape { lines: Vec::with_capacity(BLOCK), sender };
            let result = write(&mut tape);
            tape.hand_over();
            written = Some(result);
        });
        let deflating: Job<'_> = Box::new(|| {
            let mut writer = DeflateEncoder::new(Vec::new(), Compression::default());
            for block in blocks {
                writer.write_all(&block).expect("memory takes all");
            }
            tape = writer.finish().expect("memory takes all");
        });
        together(vec![writing, deflating]);
        let written = written.expect("all jobs are done");
        Ok((written?, tape))
    }

    /// Writes a line.
    pub(super) fn push(&mut self, line: &impl Serialize) {
        serde_json::to_writer(&mut self.lines, line).expect("plain values");
        self.lines.push(b'\n');
        if self.lines.len() >= BLOCK {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        let block = std::mem::replace(&mut self.lines, Vec::with_capacity(BLOCK));
        self.sender.send(block).expect("the other job takes it");
    }
}

impl<'a> Line<'a> {
    fn of(replies: &'a [Reply]) -> Line<'a> {
        let mut line = Line::default();
        for reply in replies {
            let seat = reply.seat.index();
            line.asked.push(seat);
            line.verdicts.push(reply.verdict());
            line.thinking.push(reply.thinking.as_micros() as u64);
            // The difference can be negative: threads side by side are charged more than the elapsed time.
            let us = |time: Duration| time.as_micros() as i64;
            line.waited.push(us(reply.wall) - us(reply.thinking));
            line.answers.push(reply.integers.iter().map(i64::to_string).collect::<Vec<_>>().join(" "));
            if !reply.detail.is_empty() {
                line.details.push((seat, &reply.detail));
            }
            let dropped = reply.dropped.iter().filter(|(_, count)| *count > 0);
            line.dropped.extend(dropped.map(|(kind, count)| (seat, kind.name(), count)));
        }
        line
    }
}
