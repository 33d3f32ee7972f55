//! A game whose rules are a judge. The judge runs for as long as the game does, and is asked as the game goes on; a
//! copy of the game starts a judge of its own when it needs one, and tells it all that was answered so far.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use super::session::Session;
use super::words::{self, Drawn, Words};
use crate::game::Game;
use crate::rules::{
    self, Dice, Events, Fact, Fault, Illegal, Info, Malformed, Narrator, Occurrence, OccurrenceName, Outcome,
    Parameters, Seat, Seed, Thing, Value,
};
use crate::table::process::Program;
use crate::text;
use crate::wire;

/// Where the judge comes from.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) name: &'static str,
    pub(super) program: Program,
    pub(super) patience: Duration,
    pub(super) own_parameters: &'static [&'static str],
}

/// The most that chance may lay out before the first turn.
const LAID_MAX: usize = 256;

/// A game whose rules are a judge.
#[derive(Debug)]
pub(super) struct JudgeGame {
    source: Source,
    info: Info,
    seed: Seed,
    /// The request that begins the game.
    start: Arc<[u8]>,
    /// What was answered, turn by turn, as the judge was told it.
    history: Vec<Arc<[u8]>>,
    laid: Vec<Fact>,
    position: Position,
    asked: Vec<Seat>,
    given: Vec<Option<Given>>,
    /// What the judge said of the last turn.
    said: Vec<Saying>,
    running: RefCell<Running>,
}

/// The judge's process, if it runs, and what went wrong with it.
#[derive(Debug, Default)]
struct Running {
    session: Option<Session>,
    trouble: Option<String>,
}

/// What a judge says of a position: who is asked what, or how the game ended.
#[derive(Clone, Debug, Default, PartialEq)]
struct Position {
    /// In the order of the seats, each with the integers of its question.
    questions: Vec<(Seat, Vec<i64>)>,
    outcome: Option<Outcome>,
}

/// A sentence about a turn.
type Saying = (Option<Seat>, String);

/// What came from a seat.
#[derive(Clone, Debug)]
enum Given {
    Integers(Vec<i64>),
    Fault(&'static str),
}

/// A reply to `start` or to the answers of a turn.
#[derive(Debug, Default)]
struct Reply {
    position: Position,
    /// In the order of the reply.
    events: Vec<ToldEvent>,
    said: Vec<Saying>,
}

/// What a judge says that a turn has brought about.
#[derive(Debug)]
enum ToldEvent {
    Draw(Drawn),
    Effect(&'static str, Option<Seat>, Vec<i64>),
}

impl JudgeGame {
    /// Starts the judge, and has it set up a game. If it fails, the game is in trouble.
    pub(super) fn new(source: Source, info: Info, parameters: &Parameters, seed: Seed) -> JudgeGame {
        let mut start = format!("start {}", info.seats);
        for name in source.own_parameters {
            let value = parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value);
            let Some(Value::Integer(value)) = value else { unreachable!("a judge's parameters are numbers") };
            let _ = write!(start, " {value}");
        }
        let mut game = JudgeGame {
            source,
            info,
            seed,
            start: format!("{start}\n").into_bytes().into(),
            history: Vec::new(),
            laid: Vec::new(),
            position: Position::default(),
            asked: Vec::new(),
            given: Vec::new(),
            said: Vec::new(),
            running: RefCell::default(),
        };
        let begun = game.ask(|session| begin(session, &game.start, game.info.seats, seed));
        if let Some((position, laid)) = begun {
            game.laid = laid;
            game.go_to(position);
        }
        game
    }

    /// Has requests of the judge be written with pauses between their parts.
    pub(super) fn in_pieces(&mut self) {
        if let Some(session) = &mut self.running.get_mut().session {
            session.in_pieces = true;
        }
    }

    fn go_to(&mut self, position: Position) {
        self.asked = position.questions.iter().map(|(seat, _)| *seat).collect();
        self.given = vec![None; self.asked.len()];
        self.position = position;
    }

    /// Asks the judge something, which is started first if it does not run. `None` if it has failed.
    fn ask<T>(&self, ask: impl FnOnce(&mut Session) -> Result<T, String>) -> Option<T> {
        let running = &mut *self.running.borrow_mut();
        if running.trouble.is_some() {
            return None;
        }
        let is_begun = !self.asked.is_empty() || self.position.outcome.is_some();
        if running.session.is_none() {
            let started = Session::start(&self.source.program, self.source.patience);
            let mut caught_up = Ok(());
            running.session = started.map_err(|why| running.trouble = Some(why)).ok();
            if let (Some(session), true) = (&mut running.session, is_begun) {
                caught_up = self.catch_up(session);
            }
            if let Err(why) = caught_up {
                running.fail(why);
            }
        }
        let asked = ask(running.session.as_mut()?);
        asked.map_err(|why| running.fail(why)).ok()
    }

    /// Tells a judge that was just started all that was answered so far.
    fn catch_up(&self, session: &mut Session) -> Result<(), String> {
        let (mut position, _) = begin(session, &self.start, self.info.seats, self.seed)?;
        for (turn, answers) in (0..).zip(&self.history) {
            session.ask(answers);
            position = read_reply(session, self.info.seats, &mut Dice::for_turn(self.seed, turn))?.position;
        }
        match position == self.position {
            true => Ok(()),
            false => Err(format!("the same answers led to another position in turn {}", self.history.len())),
        }
    }

    /// What the judge is told of a turn: an answer or a fault of each seat that was asked.
    fn answers(&self) -> Vec<u8> {
        let mut lines = Vec::new();
        for (seat, given) in self.asked.iter().zip(&self.given) {
            match given {
                Some(Given::Integers(integers)) => {
                    lines.extend_from_slice(format!("answer {seat}").as_bytes());
                    wire::push_integers(&mut lines, integers);
                }
                Some(Given::Fault(kind)) => {
                    lines.extend_from_slice(format!("fault {seat} {kind}").as_bytes())
                }
                None => lines.extend_from_slice(format!("fault {seat} late").as_bytes()),
            }
            lines.push(b'\n');
        }
        lines.extend_from_slice(b"go\n");
        lines
    }

    fn index(&self, seat: Seat) -> usize {
        self.asked.iter().position(|asked| *asked == seat).expect("an answer of a seat that was asked")
    }
}

impl Running {
    /// The judge has failed. It is ended.
    fn fail(&mut self, why: String) {
        let why = self.session.take().map_or_else(|| why.clone(), |session| session.explained(why.clone()));
        self.trouble.get_or_insert(why);
    }
}

/// Has a judge set up a game. Returns the first position, and what chance has laid out.
fn begin(
    session: &mut Session,
    start: &[u8],
    seats: usize,
    seed: Seed,
) -> Result<(Position, Vec<Fact>), String> {
    session.ask(start);
    let reply = read_reply(session, seats, &mut Dice::for_start(seed))?;
    let mut laid = Vec::new();
    for event in reply.events {
        let ToldEvent::Draw(Drawn { name, drawn, .. }) = event else {
            return Err("an effect before the first turn".to_owned());
        };
        let fact = |value| Fact { thing: Thing::new(name), seat: None, index: None, value };
        laid.extend(drawn.into_iter().map(fact));
    }
    match laid.len() > LAID_MAX {
        true => Err(format!("more than {LAID_MAX} draws before the first turn")),
        false => Ok((reply.position, laid)),
    }
}

/// Reads a reply with a position in it, and draws what it asks for.
fn read_reply(session: &mut Session, seats: usize, dice: &mut Dice) -> Result<Reply, String> {
    let mut reply = Reply::default();
    let (mut reason, mut scores, mut shares) = (None, None, None);
    loop {
        let line = session.line()?;
        let mut words = Words::new(&line);
        match words.word()? {
            "draw" => {
                let drawn = words::draw(&mut words, session, dice)?;
                reply.events.push(ToldEvent::Draw(drawn));
            }
            "effect" => {
                let (name, seat) = (words.name()?, seat_or_nobody(&mut words, seats)?);
                reply.events.push(ToldEvent::Effect(name, seat, words.integers()?));
            }
            "say" => {
                let seat = seat_or_nobody(&mut words, seats)?;
                reply.said.push((seat, text::harmless(words.rest(), 200)));
            }
            "ask" => {
                let seat = Seat::new(words.number(0, seats as i64 - 1)? as usize);
                if reply.position.questions.iter().any(|(other, _)| *other == seat) {
                    return Err(words.wrong("this seat is asked twice"));
                }
                reply.position.questions.push((seat, words.integers()?));
            }
            "over" => reason = Some(words.name()?),
            "scores" => scores = Some(words.integers()?),
            "shares" => {
                let most = words.number(1, i64::MAX)?;
                let parts = words.integers()?;
                if parts.iter().any(|part| !(0..=most).contains(part)) {
                    return Err(words.wrong("a share is a part of the first number, and not less than 0"));
                }
                shares = Some(parts.iter().map(|part| *part as f64 / most as f64).collect::<Vec<f64>>());
            }
            "end" => {
                words.end()?;
                break;
            }
            _ => return Err(words.unknown("draw, effect, say, ask, over, scores, shares, end")),
        }
        words.end()?;
    }
    reply.position.questions.sort_by_key(|(seat, _)| *seat);
    let is_asked = !reply.position.questions.is_empty();
    reply.position.outcome = match (reason, scores) {
        (None, None) if is_asked && shares.is_none() => None,
        (Some(reason), Some(scores)) if !is_asked => {
            let shares = shares.unwrap_or_else(|| shares_by_place(&scores));
            if scores.len() != seats || shares.len() != seats {
                return Err(format!("{} scores and {} shares for {seats} seats", scores.len(), shares.len()));
            }
            Some(Outcome { scores: scores.into(), shares: shares.into(), reason })
        }
        (None, _) if !is_asked => return Err("nobody is asked, and the game is not over".to_owned()),
        _ => return Err("a game that is over has `over` and `scores`, and asks nobody".to_owned()),
    };
    Ok(reply)
}

/// Shares by places alone: the part of the others who have less, and half of those who have as much.
fn shares_by_place(scores: &[i64]) -> Vec<f64> {
    let others = (scores.len().max(2) - 1) as f64;
    let share = |own: &i64| {
        let less = scores.iter().filter(|score| *score < own).count() as f64;
        let equal = scores.iter().filter(|score| *score == own).count() as f64 - 1.0;
        (less + equal / 2.0) / others
    };
    match scores.len() {
        1 => vec![1.0],
        _ => scores.iter().map(share).collect(),
    }
}

/// Takes a seat; -1 is nobody in particular.
fn seat_or_nobody(words: &mut Words<'_>, seats: usize) -> Result<Option<Seat>, String> {
    let number = words.number(-1, seats as i64 - 1)?;
    Ok(usize::try_from(number).ok().map(Seat::new))
}

/// Reads the verdict on an answer.
fn read_verdict(session: &mut Session) -> Result<Option<Fault>, String> {
    let line = session.line()?;
    let mut words = Words::new(&line);
    let verdict = match words.word()? {
        "fine" => None,
        "malformed" => Some(Fault::Malformed(Malformed::new(text::harmless(words.rest(), 200)))),
        "illegal" => {
            let count = words.number(1, i64::from(u32::MAX))?;
            let of = words.number(count, i64::from(u32::MAX))?;
            let first = text::harmless(words.rest(), 200);
            Some(Fault::Illegal(Illegal { count: count as u32, of: of as u32, first }))
        }
        _ => return Err(words.unknown("fine, malformed, illegal")),
    };
    words.end()?;
    Ok(verdict)
}

fn read_sample(session: &mut Session, dice: &mut Dice) -> Result<Vec<i64>, String> {
    loop {
        let line = session.line()?;
        let mut words = Words::new(&line);
        match words.word()? {
            "draw" => drop(words::draw(&mut words, session, dice)?),
            "answer" => return words.integers(),
            _ => return Err(words.unknown("draw, answer")),
        }
    }
}

fn read_facts(session: &mut Session, seats: usize) -> Result<Vec<Fact>, String> {
    let (mut facts, mut told) = (Vec::new(), BTreeSet::new());
    loop {
        let line = session.line()?;
        let mut words = Words::new(&line);
        match words.word()? {
            "fact" => {
                let (name, seat) = (words.name()?, seat_or_nobody(&mut words, seats)?);
                let index = words.number(-1, 1 << 20)?;
                let index = usize::try_from(index).ok();
                let value = words.number(-i64::from(i32::MAX), i64::from(i32::MAX))?;
                if !told.insert((name, seat, index)) {
                    return Err(words.wrong("this fact is told twice"));
                }
                facts.push(Fact { thing: Thing::new(name), seat, index, value });
            }
            "end" => return words.end().map(|()| facts),
            _ => return Err(words.unknown("fact, end")),
        }
        words.end()?;
    }
}

impl Game for JudgeGame {
    fn info(&self) -> &Info {
        &self.info
    }

    fn seed(&self) -> Seed {
        self.seed
    }

    fn turn(&self) -> u32 {
        self.history.len() as u32
    }

    fn asked(&self) -> &[Seat] {
        if self.running.borrow().trouble.is_some() { &[] } else { &self.asked }
    }

    fn question(&mut self, seat: Seat, line: &mut Vec<u8>) {
        let integers = &self.position.questions[self.index(seat)].1;
        wire::push_question(line, integers, &[], 0);
    }

    fn answer(&mut self, seat: Seat, given: Result<&[i64], &Fault>) -> Option<Fault> {
        let index = self.index(seat);
        let (given, verdict) = match given {
            Err(fault) => (Given::Fault(fault.kind().name()), Some(fault.clone())),
            Ok(integers) => {
                let mut request = format!("check {seat}").into_bytes();
                wire::push_integers(&mut request, integers);
                request.push(b'\n');
                let verdict = self.ask(|session| {
                    session.ask(&request);
                    read_verdict(session)
                });
                match verdict {
                    // What is said of an answer to a judge that has failed counts for nothing.
                    None => {
                        (Given::Fault("late"), Some(Fault::Malformed(Malformed::new("the judge has failed"))))
                    }
                    Some(Some(fault @ Fault::Malformed(_))) => {
                        (Given::Fault(fault.kind().name()), Some(fault))
                    }
                    Some(verdict) => (Given::Integers(integers.to_vec()), verdict),
                }
            }
        };
        self.given[index] = Some(given);
        verdict
    }

    fn resolve(&mut self, events: &mut Events) {
        let (answers, turn) = (self.answers(), self.turn());
        let (seats, seed) = (self.info.seats, self.seed);
        let reply = self.ask(|session| {
            session.ask(&answers);
            let reply = read_reply(session, seats, &mut Dice::for_turn(seed, turn))?;
            if reply.position.outcome.is_none() && turn + 1 >= self.info.turns_max {
                return Err(format!("not over after {} turns, the maximum that it announced", turn + 1));
            }
            Ok(reply)
        });
        let Some(Reply { position, events: told, said }) = reply else { return };
        for event in told {
            match event {
                ToldEvent::Draw(Drawn { name, at, candidates, drawn }) => {
                    events.draw(name, at, candidates, drawn)
                }
                ToldEvent::Effect(name, seat, values) => events.effect(name, seat, &values),
            }
        }
        self.history.push(answers.into());
        self.said = said;
        self.go_to(position);
    }

    fn resolve_telling(&mut self, events: &mut Events, say: &mut Narrator<'_>) {
        self.resolve(events);
        for (seat, words) in &self.said {
            let occurrence = Occurrence { seat: *seat, ..Occurrence::new(OccurrenceName::new("say")) };
            say(occurrence, format_args!("{words}"));
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position.outcome.clone().filter(|_| self.running.borrow().trouble.is_none())
    }

    fn describe(&self, tell: &mut dyn FnMut(Fact)) {
        let facts = self.ask(|session| {
            session.ask(b"facts\n");
            read_facts(session, self.info.seats)
        });
        facts.into_iter().flatten().for_each(tell);
    }

    /// The size of its grid, if it has one.
    fn describe_board(&self, tell: &mut dyn FnMut(Fact)) {
        self.describe(&mut |fact| {
            if [rules::scene::ROWS, rules::scene::COLUMNS].contains(&fact.thing) {
                tell(fact);
            }
        });
    }

    fn describe_start(&self, tell: &mut dyn FnMut(Fact)) {
        self.laid.iter().copied().for_each(tell);
    }

    fn drawn_seat(&self, _name: &str, _number: i64) -> Option<Seat> {
        None
    }

    fn sample(&self, seat: Seat, dice: &mut Dice, integers: &mut Vec<i64>) {
        let sample = self.ask(|session| {
            session.ask(format!("sample {seat}\n").as_bytes());
            read_sample(session, dice)
        });
        integers.extend(sample.unwrap_or_default());
    }

    fn trouble(&self) -> Option<String> {
        let name = self.source.name;
        self.running.borrow().trouble.as_ref().map(|why| format!("the judge of {name} has failed: {why}"))
    }

    fn copied(&self) -> Box<dyn Game> {
        let trouble = self.running.borrow().trouble.clone();
        Box::new(JudgeGame {
            source: self.source.clone(),
            info: self.info.clone(),
            seed: self.seed,
            start: Arc::clone(&self.start),
            history: self.history.clone(),
            laid: self.laid.clone(),
            position: self.position.clone(),
            asked: self.asked.clone(),
            given: vec![None; self.asked.len()],
            said: self.said.clone(),
            running: RefCell::new(Running { session: None, trouble }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::BySeat;

    #[test]
    fn shares_by_place_add_up_to_half_of_all_seats() {
        for (scores, due) in [
            (&[3][..], &[1.0][..]),
            (&[1, 2], &[0.0, 1.0]),
            (&[5, 5], &[0.5, 0.5]),
            (&[0, 7, 7, 2], &[0.0, 2.5 / 3.0, 2.5 / 3.0, 1.0 / 3.0]),
        ] {
            assert_eq!(shares_by_place(scores), due, "{scores:?}");
        }
        assert!(
            BySeat::from(shares_by_place(&[1, 2, 3])).iter().all(|(_, share)| (0.0..=1.0).contains(share))
        );
    }
}
