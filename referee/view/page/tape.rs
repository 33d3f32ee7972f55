//! A recorded game as a page reads it: in columns of small numbers. What follows from what stands there already is not written:
//! where a player is who has taken a step, the ball that was kicked, the question that tells the position.
//!
//! The page plays no rules. A deed says what it moves, and whatever else has changed is written behind it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::column::Column;
use super::layout::{Questions, Watched};
use super::words::{self, Pattern, Patterns};
use crate::audit::Replay;
use crate::error::Error;
use crate::game::Game;
use crate::position::Position;
use crate::record::Heading;
use crate::record::beneath::Spot;
use crate::rules::{Deed, Fact, FaultKind, Outcome, Seat, Upshot};
use crate::view::story::{self, Turn};
use crate::wire;

/// A recorded game.
#[derive(Debug)]
pub(super) struct Tape {
    pub(super) heading: Heading,
    pub(super) outcome: Option<Outcome>,
    pub(super) story: Summary,
    /// The columns, one behind the other.
    pub(super) bytes: Vec<u8>,
}

/// What a page needs to read the columns, and what does not change.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    turns: u32,
    /// Of the turn, of the first one, of all together: in microseconds.
    limits: (u64, u64, Option<u64>),
    /// Thing, seat, first index, and how many there are of this kind, numbered one after the other.
    facts: Vec<(&'static str, Option<usize>, Option<usize>, usize)>,
    /// Thing, seat, index, value.
    board: Vec<(&'static str, Option<usize>, Option<usize>, i64)>,
    patterns: Vec<Pattern>,
    verdicts: Vec<&'static str>,
    texts: Vec<String>,
    /// How many bytes each column has: deeds, changes, times, answers, questions, layouts.
    columns: [usize; 6],
}

/// The questions of so many turns are watched to find out where their integers come from.
const WATCHED: u32 = 64;

/// Plays a recorded game again, and writes it down.
///
/// # Errors
///
/// If the log is none, or does not say what each seat answered.
pub(super) fn record(log: &Spot) -> Result<Tape, Error> {
    let mut writer = Writer::watch(log)?;
    let (mut replay, heading) = Replay::open(log)?;
    let mut board = Vec::new();
    replay.game().describe_board(&mut |Fact { thing, seat, index, value }| {
        board.push((thing.as_str(), seat.map(Seat::index), index, value));
    });
    let mut position = Position::of(replay.game());
    writer.begin(&position);
    while let Some((game, answers)) = replay.next_turn()? {
        writer.ask(game);
        writer.turn(&story::tell_turn(game, answers, &mut position));
    }
    let game = replay.game();
    let (turns, outcome, time) = (game.turn(), game.outcome(), game.info().time);
    let us = |time: std::time::Duration| time.as_micros() as u64;
    let layouts = writer.layouts();
    let columns = [writer.deeds, writer.changes, writer.times, writer.answers, writer.asked, layouts];
    let story = Summary {
        turns,
        limits: (us(time.turn_limit), us(time.first_limit), time.bank.map(us)),
        facts: writer.facts.in_runs(),
        board,
        patterns: writer.patterns.all().to_vec(),
        verdicts: verdicts(),
        texts: writer.texts.all,
        columns: columns.each_ref().map(|column| column.0.len()),
    };
    let bytes = columns.into_iter().flat_map(|column| column.0).collect();
    Ok(Tape { heading: story::made_harmless(heading), outcome, story, bytes })
}

/// All verdicts; their numbers are their places here.
fn verdicts() -> Vec<&'static str> {
    std::iter::once("ok").chain(FaultKind::ALL.map(FaultKind::name)).collect()
}

fn verdict_number(kind: FaultKind) -> u64 {
    1 + FaultKind::ALL.iter().position(|other| *other == kind).expect("all are listed") as u64
}

struct Writer {
    facts: Facts,
    patterns: Patterns,
    texts: Texts,
    questions: Vec<Questions>,
    deeds: Column,
    changes: Column,
    times: Column,
    answers: Column,
    asked: Column,
}

impl Writer {
    /// Plays the first turns, and finds out where the integers of the questions come from. What does not stand in the first
    /// position (nobody is placed yet) may stand in the second.
    fn watch(log: &Spot) -> Result<Writer, Error> {
        let (mut replay, _) = Replay::open(log)?;
        let mut watched: Vec<Watched> = Vec::new();
        watched.resize_with(replay.game().info().seats, Watched::default);
        let mut facts = Facts::default();
        let mut events = Default::default();
        while let Some((game, answers)) = replay.next_turn()?
            && game.turn() < WATCHED
        {
            facts.take(&Position::of(game));
            if game.turn() > 0 {
                each_question(game, |turn, seat, question| {
                    watched[seat.index()].add(turn, question, &facts.values);
                });
            }
            for answer in answers {
                let _ = game.answer(answer.seat, answer.given());
            }
            game.resolve(&mut events);
            events.clear();
        }
        Ok(Writer {
            facts: Facts::default(),
            patterns: Patterns::default(),
            texts: Texts::default(),
            questions: watched.iter().map(|watched| Questions::new(watched.layout())).collect(),
            deeds: Column::default(),
            changes: Column::default(),
            times: Column::default(),
            answers: Column::default(),
            asked: Column::default(),
        })
    }

    fn begin(&mut self, position: &Position) {
        self.facts.take(position);
        let values = self.facts.values.clone();
        self.facts.values.fill(None);
        push_changes(&mut self.changes, &mut self.facts.values, values.into_iter().enumerate());
    }

    fn ask(&mut self, game: &mut dyn Game) {
        let Writer { questions, asked, facts, .. } = self;
        each_question(game, |turn, seat, question| {
            questions[seat.index()].push(asked, turn, question, &facts.values);
        });
    }

    fn turn(&mut self, turn: &Turn) {
        self.replies(turn);
        self.deeds.push(turn.happenings.len() as u64);
        let mut before = Deed::new("").by(Seat::new(0));
        let mut moved = Vec::new();
        let mut others = Vec::new();
        for happening in &turn.happenings {
            others.clear();
            let pattern = self.patterns.of(happening, &mut others);
            self.deeds.push(pattern as u64);
            push_deed(&mut self.deeds, &happening.deed, &mut before, &self.facts);
            words::push_others(&mut self.deeds, &others);
            self.facts.carry(&happening.deed, &mut moved);
        }
        // What was moved and has not changed is as it was; the rest is as the rules say.
        let mut now: BTreeMap<usize, Option<i64>> = BTreeMap::new();
        for (fact, value) in moved.into_iter().rev() {
            now.insert(fact, value);
        }
        for change in &turn.changes {
            let fact = self.facts.number((change.thing.as_str(), change.seat, change.index));
            now.insert(fact, change.after);
        }
        push_changes(&mut self.changes, &mut self.facts.values, now.into_iter());
    }

    fn replies(&mut self, turn: &Turn) {
        self.times.push(turn.replies.len() as u64);
        let mut next = 0;
        for reply in &turn.replies {
            let seat = reply.seat.index() as i64;
            self.times.push_signed(seat - next);
            next = seat + 1;
            self.times.push(reply.fault.map_or(0, verdict_number));
            let (thinking, wall) = (reply.thinking.as_micros() as i64, reply.wall.as_micros() as i64);
            self.times.push(thinking as u64);
            self.times.push_signed(wall - thinking);
            self.answers.push(reply.integers.len() as u64);
            reply.integers.iter().for_each(|integer| self.answers.push_signed(*integer));
            self.answers.push(self.texts.number(&reply.detail) as u64);
            let dropped: Vec<_> = reply.dropped.iter().filter(|(_, count)| *count > 0).collect();
            self.answers.push(dropped.len() as u64);
            for (kind, count) in dropped {
                self.answers.push(verdict_number(kind));
                self.answers.push(count.into());
            }
        }
    }

    /// Each seat's layout: how many integers, and how the number of each source differs from the one before.
    fn layouts(&self) -> Column {
        let mut column = Column::default();
        for questions in &self.questions {
            column.push(questions.layout.len() as u64);
            let mut before = 0;
            for source in &questions.layout {
                let number = source.number() as i64;
                column.push_signed(number - before);
                before = number;
            }
        }
        column
    }
}

fn each_question(game: &mut dyn Game, mut take: impl FnMut(u32, Seat, &[i64])) {
    let (mut line, mut integers) = (Vec::new(), Vec::new());
    for seat in game.asked().to_vec() {
        line.clear();
        integers.clear();
        game.question(seat, &mut line);
        wire::read_integers(line.trim_ascii_end(), &mut integers).expect("a question is integers");
        take(game.turn(), seat, &integers);
    }
}

/// Appends seat, index, from and to where there are any, each as its difference from what is likely.
fn push_deed(column: &mut Column, deed: &Deed, before: &mut Deed, facts: &Facts) {
    let likely = likely(deed, before, facts);
    for (value, likely) in words::values(deed).into_iter().zip(likely) {
        if let Some(value) = value {
            column.push_signed(value - likely);
        }
    }
    let keep = |now: Option<i64>, before: Option<i64>| now.or(before);
    *before = Deed {
        seat: deed.seat.or(before.seat),
        index: deed.index,
        from: keep(deed.from, before.from),
        to: keep(deed.to, before.to),
        ..*deed
    };
}

/// What seat, index, from and to of a deed are likely to be: the same seat, its next player, where he stands, nearby.
fn likely(deed: &Deed, before: &Deed, facts: &Facts) -> [i64; 4] {
    let same_seat = deed.seat == before.seat;
    let index = before.index.filter(|_| same_seat).map_or(0, |index| index as i64 + 1);
    let stands = || {
        let fact = facts.mover(deed)?;
        facts.values[fact]
    };
    let from = stands().or(before.from).unwrap_or(0);
    let to = deed.from.or(before.to).unwrap_or(0);
    [before.seat.map_or(0, |seat| seat.index() as i64), index, from, to]
}

/// Appends how many facts are not as the deeds have made them, and each of them after the number of those between.
fn push_changes(
    column: &mut Column,
    values: &mut [Option<i64>],
    now: impl Iterator<Item = (usize, Option<i64>)>,
) {
    let changed: Vec<_> = now.filter(|(fact, value)| values[*fact] != *value).collect();
    column.push(changed.len() as u64);
    let mut next = 0;
    for (fact, value) in changed {
        column.push((fact - next) as u64);
        column.push_option(value.map(|value| value - values[fact].unwrap_or(0)));
        values[fact] = value;
        next = fact + 1;
    }
}

type Key = (&'static str, Option<Seat>, Option<usize>);

/// All facts that a game has had, numbered as they came, and their values.
#[derive(Debug, Default)]
struct Facts {
    keys: Vec<Key>,
    numbers: BTreeMap<Key, usize>,
    values: Vec<Option<i64>>,
}

impl Facts {
    fn number(&mut self, key: Key) -> usize {
        *self.numbers.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.values.push(None);
            self.keys.len() - 1
        })
    }

    fn take(&mut self, position: &Position) {
        self.values.fill(None);
        for fact in position.facts() {
            let number = self.number((fact.thing.as_str(), fact.seat, fact.index));
            self.values[number] = Some(fact.value);
        }
    }

    /// The fact that says where the player stands whose deed it is.
    fn mover(&self, deed: &Deed) -> Option<usize> {
        let known = |thing| self.known(thing, deed.seat, deed.index);
        known("player").or_else(|| known("row"))
    }

    /// Moves what a deed moves: a player, or one ball. What it does beyond that is for the changes to say.
    fn carry(&mut self, deed: &Deed, moved: &mut Vec<(usize, Option<i64>)>) {
        if deed.upshot != Upshot::Done {
            return;
        }
        match deed.name {
            "step" | "move" => self.put(self.mover(deed), deed.to, moved),
            "score" => self.put(self.known("score", deed.seat, None), deed.to, moved),
            "kick" => {
                for (place, gain) in [(deed.from, -1), (deed.to, 1)] {
                    let cell = place.and_then(|place| usize::try_from(place).ok());
                    let fact = self.known("balls", None, cell);
                    let balls = fact.and_then(|fact| self.values[fact]).unwrap_or(0) + gain;
                    self.put(fact, Some(balls).filter(|balls| *balls != 0), moved);
                }
            }
            _ => {}
        }
    }

    /// Changes a fact, if it is known, and remembers what it was.
    fn put(&mut self, fact: Option<usize>, value: Option<i64>, moved: &mut Vec<(usize, Option<i64>)>) {
        if let Some(fact) = fact {
            moved.push((fact, self.values[fact]));
            self.values[fact] = value;
        }
    }

    fn known(&self, thing: &'static str, seat: Option<Seat>, index: Option<usize>) -> Option<usize> {
        self.numbers.get(&(thing, seat, index)).copied()
    }

    fn in_runs(&self) -> Vec<(&'static str, Option<usize>, Option<usize>, usize)> {
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

/// Texts that stand in a log, each once. Number 0 is no text.
#[derive(Debug, Default)]
struct Texts {
    all: Vec<String>,
    known: BTreeMap<String, usize>,
}

impl Texts {
    fn number(&mut self, text: &str) -> usize {
        if text.is_empty() {
            return 0;
        }
        if let Some(number) = self.known.get(text) {
            return *number;
        }
        self.all.push(text.to_owned());
        self.known.insert(text.to_owned(), self.all.len());
        self.all.len()
    }
}
