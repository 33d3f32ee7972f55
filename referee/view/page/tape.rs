//! The tape: a recorded game as lines of JSON, deflated. One line a turn, one for the end of the game, and a last
//! one with what all turns have in common.
//!
//! A position is a list of numbers, one for each fact. Every 128th line has a whole position. The happenings of a
//! turn say what they move, and a patch has the other changes: a page comes to any turn fast, and plays no rules.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;

use super::questions::{Question, Questions};
use super::told::{Row, Templates};
use crate::error::Error;
use crate::position::{Change, Position};
use crate::record::Heading;
use crate::record::beneath::Spot;
use crate::replay::Replay;
use crate::rules::{Deed, Fact, Outcome, Seat, Thing, Upshot};
use crate::view::story::{self, Happening, Reply};

/// A game that is being written down; another thread deflates it.
pub(super) struct Tape {
    lines: Vec<u8>,
    sender: Sender<Vec<u8>>,
    deflating: JoinHandle<Vec<u8>>,
}

/// What does not change from turn to turn, and what a page needs to read the lines.
#[derive(Debug, Serialize)]
pub(super) struct Common {
    turns: u32,
    /// Of the turn, of the first one, of all together: in microseconds.
    limits: (u64, u64, Option<u64>),
    /// The number of turns from one whole position to the next.
    apart: u32,
    /// Thing, seat, first index, and how many there are of this kind: the facts in the order of a position's numbers.
    facts: Vec<(&'static str, Option<usize>, Option<usize>, usize)>,
    /// Thing, seat, index, value.
    board: Vec<(&'static str, Option<usize>, Option<usize>, i64)>,
    templates: Templates,
}

/// A game that was written down but for its last line.
pub(super) struct Recorded {
    pub(super) tape: Tape,
    pub(super) heading: Heading,
    pub(super) outcome: Option<Outcome>,
    pub(super) common: Common,
}

/// A turn, or the end of the game, where nobody is asked and nothing is told. Asked seats, verdicts, times, answers and
/// questions are in the same order.
#[derive(Debug, Default, Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Vec<Option<i64>>>,
    asked: Vec<usize>,
    verdicts: Vec<&'static str>,
    /// In microseconds, and what passed beyond that.
    thinking: Vec<u64>,
    waited: Vec<u64>,
    /// Integers with blanks between them: a number of JavaScript does not hold each of them.
    answers: Vec<String>,
    /// Seat, and more about its verdict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<(usize, &'a str)>,
    /// Seat, verdict, and how many lines were dropped with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dropped: Vec<(usize, &'static str, u32)>,
    questions: Vec<Question>,
    told: Vec<Row>,
    changes: Patch,
}

/// The difference of two lists of numbers: the number of those that stay, the gain of the next one, and so on.
/// The gain `None` removes a number; one that is not there gains from zero.
pub(super) type Patch = Vec<Option<i64>>;

/// Turns from one whole position to the next.
const APART: u32 = 128;

/// Plays a recorded game again, and writes it down.
///
/// # Errors
///
/// If the log is none, or does not say what each seat answered.
pub(super) fn record(log: &Spot) -> Result<Recorded, Error> {
    let (mut replay, heading) = Replay::open(log)?;
    let mut tape = Tape::new();
    let mut board = Vec::new();
    replay.game().describe_board(&mut |Fact { thing, seat, index, value }| {
        board.push((thing.as_str(), seat.map(Seat::index), index, value));
    });
    let mut position = Position::of(replay.game());
    let mut facts = Facts::default();
    facts.change(&Position::default().changes_to(&position));
    facts.play(&[]);
    let (mut questions, mut templates) = (Questions::default(), Templates::default());
    while let Some((game, answers)) = replay.next_turn()? {
        let whole = facts.whole_at(game.turn());
        if whole.is_some() {
            questions.forget();
        }
        let asked = questions.of(game, &facts);
        let turn = story::tell_turn(game, answers, &mut position);
        facts.change(&turn.changes);
        let told = templates.rows(&turn.happenings, &facts);
        let changes = facts.play(&turn.happenings);
        tape.push(&Line { position: whole, questions: asked, told, changes, ..Line::of(&turn.replies) });
    }
    let game = replay.game();
    let (turns, outcome, time) = (game.turn(), game.outcome(), game.info().time);
    tape.push(&Line { position: facts.whole_at(turns), ..Line::default() });
    let us = |time: std::time::Duration| time.as_micros() as u64;
    let limits = (us(time.turn_limit), us(time.first_limit), time.bank.map(us));
    let common = Common { turns, limits, apart: APART, facts: facts.in_runs(), board, templates };
    Ok(Recorded { tape, heading: story::made_harmless(heading), outcome, common })
}

/// Bytes that are handed over at once.
const BLOCK: usize = 1 << 18;

impl Tape {
    fn new() -> Tape {
        let (sender, blocks) = mpsc::channel::<Vec<u8>>();
        let deflating = thread::spawn(move || {
            let mut writer = DeflateEncoder::new(Vec::new(), Compression::default());
            blocks.iter().for_each(|block| writer.write_all(&block).expect("memory takes all"));
            writer.finish().expect("memory takes all")
        });
        Tape { lines: Vec::with_capacity(BLOCK), sender, deflating }
    }

    fn push(&mut self, line: &impl Serialize) {
        serde_json::to_writer(&mut self.lines, line).expect("plain values");
        self.lines.push(b'\n');
        if self.lines.len() >= BLOCK {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        let block = std::mem::replace(&mut self.lines, Vec::with_capacity(BLOCK));
        self.sender.send(block).expect("the other thread waits for it");
    }

    /// Writes the last line, and returns all of them, deflated.
    pub(super) fn finish(mut self, last: &impl Serialize) -> Vec<u8> {
        self.push(last);
        self.hand_over();
        drop(self.sender);
        self.deflating.join().expect("it does not panic")
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
            line.waited.push(reply.wall.saturating_sub(reply.thinking).as_micros() as u64);
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

/// Returns what makes one list of numbers of another.
pub(super) fn patch(before: &[Option<i64>], after: &[Option<i64>]) -> Patch {
    let mut patch = Vec::new();
    let mut next = 0;
    for (place, after) in after.iter().enumerate() {
        let before = before.get(place).copied().flatten();
        if *after != before {
            patch.push(Some((place - next) as i64));
            patch.push(after.map(|after| after - before.unwrap_or(0)));
            next = place + 1;
        }
    }
    patch
}

/// The fact that a deed begins with.
pub(super) struct Behind {
    pub(super) fact: usize,
    /// Whether it is afterwards what the deed ends with.
    pub(super) is_moved: bool,
    /// If not: the thing of which the deed carries one from place to place.
    pub(super) carries: Option<&'static str>,
}

/// All facts that the game has had, numbered as they came, and their values before a turn and after it.
#[derive(Debug, Default)]
pub(super) struct Facts {
    keys: Vec<(&'static str, Option<Seat>, Option<usize>)>,
    numbers: BTreeMap<(Option<Seat>, Option<usize>, &'static str), usize>,
    before: Vec<Option<i64>>,
    after: Vec<Option<i64>>,
}

impl Facts {
    /// Takes what has changed in a turn.
    fn change(&mut self, changes: &[Change]) {
        for Change { thing, seat, index, after, .. } in changes {
            let number = *self.numbers.entry((*seat, *index, thing.as_str())).or_insert_with(|| {
                self.keys.push((thing.as_str(), *seat, *index));
                self.after.push(None);
                self.after.len() - 1
            });
            self.after[number] = *after;
        }
        self.before.resize(self.after.len(), None);
    }

    /// Moves what the happenings of the turn move. Returns what else has changed: then the turn is over.
    fn play(&mut self, happenings: &[Happening]) -> Patch {
        let mut next = self.before.clone();
        for Happening { deed, .. } in happenings {
            match self.behind(deed) {
                Some(Behind { fact, is_moved: true, .. }) => next[fact] = deed.to,
                Some(Behind { carries: Some(thing), .. }) => {
                    for (place, gain) in [(deed.from, -1), (deed.to, 1)] {
                        let place = place.and_then(|place| usize::try_from(place).ok());
                        if let Some(fact) = self.numbers.get(&(None, place, thing)) {
                            let value = next[*fact].unwrap_or(0) + gain;
                            next[*fact] = Some(value).filter(|value| *value != 0);
                        }
                    }
                }
                _ => {}
            }
        }
        let patch = patch(&next, &self.after);
        self.before.clone_from(&self.after);
        patch
    }

    fn whole_at(&self, turn: u32) -> Option<Vec<Option<i64>>> {
        turn.is_multiple_of(APART).then(|| self.after.clone())
    }

    /// Returns the fact about a deed's player, seat or game that is what the deed begins with.
    pub(super) fn behind(&self, deed: &Deed) -> Option<Behind> {
        if (deed.from, deed.to) == (None, None) {
            return None;
        }
        let about = self.numbers.range((deed.seat, deed.index, "")..);
        let about = about.take_while(|((seat, index, _), _)| (*seat, *index) == (deed.seat, deed.index));
        let fits = about.map(|(_, fact)| *fact).filter(|fact| self.before[*fact] == deed.from);
        let is_done = deed.upshot == Upshot::Done && deed.to.is_some();
        let carried = deed.name.carries().filter(|_| is_done).map(Thing::as_str);
        fits.map(|fact| {
            let is_moved = self.after[fact] == deed.to;
            Behind { fact, is_moved, carries: carried.filter(|_| !is_moved) }
        })
        .max_by_key(|behind| behind.is_moved)
    }

    /// Returns the values of the facts in the order of their numbers.
    pub(super) fn values(&self) -> &[Option<i64>] {
        &self.after
    }

    /// Lists the facts in the order of their numbers: thing, seat, first index, and the length of a run of indexes.
    pub(super) fn in_runs(&self) -> Vec<(&'static str, Option<usize>, Option<usize>, usize)> {
        let mut runs: Vec<(&'static str, Option<usize>, Option<usize>, usize)> = Vec::new();
        for (thing, seat, index) in &self.keys {
            let seat = seat.map(Seat::index);
            match runs.last_mut() {
                Some((of, whose, Some(first), count))
                    if of == thing && *whose == seat && *index == Some(*first + *count) =>
                {
                    *count += 1;
                }
                _ => runs.push((thing, seat, *index, 1)),
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::DeedName;

    fn change(seat: usize, before: Option<i64>, after: Option<i64>) -> Change {
        Change { thing: Thing::PLAYER, seat: Some(Seat::new(seat)), index: Some(0), before, after }
    }

    #[test]
    fn a_patch_has_what_is_new_gone_and_different() {
        let before = [Some(3), None, Some(5), Some(7)];
        let after = [Some(3), Some(4), None, Some(6), Some(1)];
        assert_eq!(
            patch(&before, &after),
            [1, 4]
                .map(Some)
                .into_iter()
                .chain([Some(0), None, Some(0), Some(-1), Some(0), Some(1)])
                .collect::<Vec<_>>()
        );
        assert_eq!(patch(&before, &before), []);
    }

    #[test]
    fn what_a_deed_moves_is_not_in_the_patch() {
        let mut facts = Facts::default();
        facts.change(&[change(0, None, Some(17)), change(1, None, Some(20))]);
        facts.play(&[]);
        facts.change(&[change(0, Some(17), Some(18)), change(1, Some(20), Some(21))]);
        let deed = Deed {
            index: Some(0),
            from: Some(17),
            to: Some(18),
            ..Deed::new(DeedName::new("step")).by(Seat::new(0))
        };
        let step = Happening { kind: story::Kind::Deed, deed, words: String::new(), numbers: Vec::new() };
        assert_eq!(facts.play(&[step]), [Some(1), Some(1)]);
    }
}
