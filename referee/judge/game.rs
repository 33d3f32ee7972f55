//! A game whose rules are a judge. The judge runs as long as the game, and gets requests as the game goes on.
//! A copy of the game starts a judge of its own when it needs one, and tells it all answers so far.

mod culprit;

use std::cell::RefCell;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use crate::reply::{
    Position, Reply, ReportedEvent, Saying, read_facts, read_reply, read_sample, read_verdict,
};
use crate::session::Source;
use crate::session::{Failure, Session};
use crate::transcript::Transcript;
use crate::words::Draw;
use referee_rules as rules;
use referee_rules::game::{Game, Trouble};
use referee_rules::wire;
use referee_rules::{
    Dice, Events, Fact, Fault, Info, Malformed, Narrator, Occurrence, OccurrenceName, Outcome, Parameters,
    Seat, Seating, Seed, Thing, Value,
};

/// The manner of a judge: which requests it takes, from its description.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    pub(super) name: &'static str,
    pub(super) together: bool,
    pub(super) ahead: bool,
    pub(super) labels: usize,
    pub(super) told_parameters: &'static [&'static str],
    pub(super) teams: &'static [&'static [usize]],
}

/// Maximum number of draws before the first turn.
const LAID_MAX: usize = 256;

/// A game whose rules are a judge.
#[derive(Debug)]
pub(super) struct JudgeGame {
    source: Source,
    manner: Manner,
    info: Info,
    /// By seat: the number of its team.
    teams: Vec<usize>,
    seed: Seed,
    /// The request that begins the game.
    start: Arc<[u8]>,
    /// The answers of each turn, as they were sent to the judge.
    history: Vec<Arc<[u8]>>,
    laid: Vec<Fact>,
    position: Position,
    asked: Vec<Seat>,
    given: Vec<Option<Given>>,
    /// Verdicts on answers of this turn that were requested and have not arrived.
    expected: Vec<(Seat, Vec<i64>, Option<Fault>)>,
    /// The judge's sentences about the last turn.
    said: Vec<Saying>,
    /// Number of events of the last turn.
    events: usize,
    running: RefCell<Running>,
}

/// The judge's process, if it runs, and what went wrong with it.
#[derive(Debug, Default)]
struct Running {
    session: Option<Session>,
    failure: Option<Failure>,
    /// The seat whose answer made it fail, once that was looked for.
    culprit: Option<Option<Seat>>,
    /// Time that judges of this game have taken for replies, without the one that runs.
    taken: Duration,
    /// If the judge has played this turn ahead: the answers, as they were sent, and its reply.
    ahead: Option<(Vec<u8>, Reply)>,
}

/// The answer or the fault of a seat.
#[derive(Clone, Debug)]
enum Given {
    Integers(Vec<i64>),
    Fault(&'static str),
}

impl JudgeGame {
    /// Starts the judge, and has it set up a game. If that fails, the game cannot go on.
    pub(super) fn new(
        source: Source,
        manner: Manner,
        info: Info,
        parameters: &Parameters,
        seed: Seed,
    ) -> JudgeGame {
        let mut start = format!("start {}", info.seats);
        for name in manner.told_parameters {
            let value = parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value);
            let Some(Value::Integer(value)) = value else { unreachable!("a judge's parameters are numbers") };
            let _ = write!(start, " {value}");
        }
        let mut game = JudgeGame {
            source,
            manner,
            teams: Seat::first(info.seats).map(|seat| Seating::Teams(manner.teams).team(seat)).collect(),
            info,
            seed,
            start: format!("{start}\n").into_bytes().into(),
            history: Vec::new(),
            laid: Vec::new(),
            position: Position::default(),
            asked: Vec::new(),
            given: Vec::new(),
            expected: Vec::new(),
            said: Vec::new(),
            events: 0,
            running: RefCell::default(),
        };
        let begun = game.ask(|session| begin(session, &game.start, &game.teams, seed));
        if let Some((position, laid)) = begun {
            game.laid = laid;
            game.go_to(position);
        }
        game
    }

    /// Makes the game write its requests to the judge in small pieces.
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

    /// Sends a request to the judge, and starts it first if it does not run. `None` if it has failed.
    fn ask<T>(&self, ask: impl FnOnce(&mut Session) -> Result<T, String>) -> Option<T> {
        let running = &mut *self.running.borrow_mut();
        if running.failure.is_some() {
            return None;
        }
        if running.ahead.take().is_some() {
            // The judge has played a turn ahead that is not over for this game. A new judge has not.
            running.end();
        }
        let is_begun = !self.asked.is_empty() || self.position.outcome.is_some();
        if running.session.is_none() {
            let started = Session::start(&self.source);
            let mut caught_up = Ok(());
            running.session = started.map_err(|why| running.failure = Some(Failure::new(why))).ok();
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

    /// Tells a judge that was just started all answers so far.
    fn catch_up(&self, session: &mut Session) -> Result<(), String> {
        let (mut position, _) = begin(session, &self.start, &self.teams, self.seed)?;
        for (turn, answers) in (0..).zip(&self.history) {
            session.ask(answers);
            position = read_reply(session, &self.teams, &mut Dice::for_turn(self.seed, turn))?.position;
        }
        if position != self.position {
            return Err(format!("the same answers led to another position in turn {}", self.history.len()));
        }
        Ok(())
    }

    /// Returns the request to play a turn: an answer or a fault of each seat that was asked.
    fn answers(&self) -> Vec<u8> {
        let mut lines = Vec::new();
        for (seat, given) in self.asked.iter().zip(&self.given) {
            match given {
                Some(Given::Integers(integers)) => push_request(&mut lines, "answer", *seat, integers),
                Some(Given::Fault(kind)) => {
                    lines.extend_from_slice(format!("fault {seat} {kind}\n").as_bytes())
                }
                None => lines.extend_from_slice(format!("fault {seat} late\n").as_bytes()),
            }
        }
        lines.extend_from_slice(b"go\n");
        lines
    }

    /// Has the judge check answers, all at once. `None` if it has failed.
    fn check(&self, answers: &[(Seat, &[i64])]) -> Option<Vec<Option<Fault>>> {
        let mut request = checks(answers);
        if self.manner.together {
            request.extend_from_slice(b"verdicts\n");
        }
        self.ask(|session| {
            session.ask(&request);
            answers.iter().map(|_| read_verdict(session)).collect()
        })
    }

    /// Has the judge check the answers of all seats that were asked, and play the turn if none is malformed.
    /// `None` if it has failed.
    fn check_and_play(&self, answers: &[(Seat, &[i64])]) -> Option<Vec<Option<Fault>>> {
        let mut request = checks(answers);
        request.extend_from_slice(b"ahead\n");
        let (verdicts, reply) = self.ask(|session| {
            session.ask(&request);
            let verdicts = answers.iter().map(|_| read_verdict(session));
            let verdicts = verdicts.collect::<Result<Vec<Option<Fault>>, String>>()?;
            let is_played = !verdicts.iter().any(|verdict| matches!(verdict, Some(Fault::Malformed(_))));
            let reply = is_played.then(|| self.read_turn(session)).transpose()?;
            Ok((verdicts, reply))
        })?;
        if let Some(reply) = reply {
            let mut request = Vec::new();
            for (seat, integers) in answers {
                push_request(&mut request, "answer", *seat, integers);
            }
            request.extend_from_slice(b"go\n");
            self.running.borrow_mut().ahead = Some((request, reply));
        }
        Some(verdicts)
    }

    /// Reads the reply to the answers of a turn.
    fn read_turn(&self, session: &mut Session) -> Result<Reply, String> {
        let turn = self.turn();
        let reply = read_reply(session, &self.teams, &mut Dice::for_turn(self.seed, turn))?;
        if reply.position.outcome.is_none() && turn + 1 >= self.info.turns_max {
            return Err(format!("not over after {} turns, the maximum in its description", turn + 1));
        }
        Ok(reply)
    }

    /// Returns the verdict on an answer: the known one, or else the judge's. `None` if it has failed.
    fn verdict(&mut self, seat: Seat, integers: &[i64]) -> Option<Option<Fault>> {
        let known =
            self.expected.iter().position(|(other, given, _)| (*other, &given[..]) == (seat, integers));
        match known {
            Some(index) => Some(self.expected.swap_remove(index).2),
            None => self.check(&[(seat, integers)])?.pop(),
        }
    }

    /// Takes the answer of a seat without a verdict.
    fn give(&mut self, seat: Seat, given: Given) {
        let index = self.index(seat);
        self.given[index] = Some(given);
    }

    fn index(&self, seat: Seat) -> usize {
        self.asked.iter().position(|asked| *asked == seat).expect("an answer of a seat that was asked")
    }
}

/// Appends a request about the answer of a seat.
fn push_request(lines: &mut Vec<u8>, word: &str, seat: Seat, integers: &[i64]) {
    lines.extend_from_slice(word.as_bytes());
    wire::push_integers(lines, &[seat.index() as i64]);
    wire::push_integers(lines, integers);
    lines.push(b'\n');
}

/// Requests a verdict on each of some answers.
fn checks(answers: &[(Seat, &[i64])]) -> Vec<u8> {
    let mut request = Vec::new();
    for (seat, integers) in answers {
        push_request(&mut request, "check", *seat, integers);
    }
    request
}

impl Running {
    /// Ends a judge that has failed, and keeps the reason.
    fn fail(&mut self, why: String) {
        let failure = match self.session.take() {
            Some(session) => session.explained(why),
            None => Failure::new(why),
        };
        self.failure.get_or_insert(failure);
    }

    /// Ends the judge, if it runs.
    fn end(&mut self) {
        self.taken += self.session.take().map_or(Duration::ZERO, |session| session.taken());
    }
}

/// Has a judge set up a game. Returns the first position, and the draws before the first turn.
fn begin(
    session: &mut Session,
    start: &[u8],
    teams: &[usize],
    seed: Seed,
) -> Result<(Position, Vec<Fact>), String> {
    session.ask(start);
    let reply = read_reply(session, teams, &mut Dice::for_start(seed))?;
    let mut laid = Vec::new();
    for event in reply.events {
        let ReportedEvent::Draw(Draw { name, drawn, .. }) = event else {
            return Err("an effect before the first turn".to_owned());
        };
        let fact = |value| Fact { thing: Thing::new(name), seat: None, index: None, value };
        laid.extend(drawn.into_iter().map(fact));
    }
    if laid.len() > LAID_MAX {
        return Err(format!("more than {LAID_MAX} draws before the first turn"));
    }
    Ok((reply.position, laid))
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
        if self.running.borrow().failure.is_some() { &[] } else { &self.asked }
    }

    fn question(&mut self, seat: Seat, line: &mut Vec<u8>) {
        let Position { questions, shared: (shared, count), .. } = &self.position;
        wire::push_question(line, &questions[self.index(seat)].1, shared, *count);
    }

    fn expect(&mut self, answers: &mut dyn Iterator<Item = (Seat, &[i64])>) {
        let answers: Vec<(Seat, &[i64])> = answers.collect();
        if self.manner.together && !answers.is_empty() {
            let is_ahead = self.manner.ahead && answers.len() == self.asked.len();
            let verdicts = if is_ahead { self.check_and_play(&answers) } else { self.check(&answers) };
            if verdicts.is_none() {
                // For the search for the culprit.
                for (seat, integers) in &answers {
                    self.give(*seat, Given::Integers(integers.to_vec()));
                }
            }
            let verdicts = verdicts.unwrap_or_default();
            let all = answers.into_iter().zip(verdicts);
            self.expected =
                all.map(|((seat, integers), verdict)| (seat, integers.to_vec(), verdict)).collect();
        }
    }

    fn answer(&mut self, seat: Seat, given: Result<&[i64], &Fault>) -> Option<Fault> {
        let index = self.index(seat);
        let (given, verdict) = match given {
            Err(fault) => (Given::Fault(fault.kind().name()), Some(fault.clone())),
            Ok(integers) => {
                match self.verdict(seat, integers) {
                    // Once the judge has failed, no verdict counts.
                    None => {
                        let failed = Fault::Malformed(Malformed::new("the judge has failed"));
                        (Given::Integers(integers.to_vec()), Some(failed))
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
        let answers = self.answers();
        let ahead = self.running.get_mut().ahead.take_if(|(request, _)| *request == answers);
        let reply = ahead.map(|(_, reply)| reply).or_else(|| {
            self.ask(|session| {
                session.ask(&answers);
                self.read_turn(session)
            })
        });
        let Some(Reply { position, events: reported, said }) = reply else { return };
        self.events = reported.len();
        for event in reported {
            match event {
                ReportedEvent::Draw(Draw { name, at, candidates, drawn }) => {
                    events.draw(name, at, candidates, drawn)
                }
                ReportedEvent::Effect(name, seat, values) => events.effect(name, seat, &values),
            }
        }
        self.history.push(answers.into());
        self.expected.clear();
        self.said = said;
        self.go_to(position);
    }

    fn events_of_last_turn(&self) -> usize {
        self.events
    }

    fn resolve_telling(&mut self, events: &mut Events, say: &mut Narrator<'_>) {
        self.resolve(events);
        for (seat, words) in &self.said {
            let occurrence = Occurrence { seat: *seat, ..Occurrence::new(OccurrenceName::new("say")) };
            say(occurrence, format_args!("{words}"));
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position.outcome.clone().filter(|_| self.running.borrow().failure.is_none())
    }

    fn describe(&self, tell: &mut dyn FnMut(Fact)) {
        let facts = self.ask(|session| {
            session.ask(b"facts\n");
            read_facts(session, self.info.seats)
        });
        facts.into_iter().flatten().for_each(tell);
    }

    /// Reports the facts of its scene that never change, if it has one.
    fn describe_board(&self, tell: &mut dyn FnMut(Fact)) {
        self.describe(&mut |fact| {
            if rules::scene::STEADY.contains(&fact.thing) {
                tell(fact);
            }
        });
    }

    fn describe_start(&self, tell: &mut dyn FnMut(Fact)) {
        self.laid.iter().copied().for_each(tell);
    }

    fn sample(&self, seat: Seat, dice: &mut Dice, integers: &mut Vec<i64>) {
        let sample = self.ask(|session| {
            session.ask(format!("sample {seat}\n").as_bytes());
            read_sample(session, dice)
        });
        integers.extend(sample.unwrap_or_default());
    }

    fn trouble(&self) -> Option<Trouble> {
        let Failure { why, errors, .. } = self.failure()?;
        let known = self.running.borrow().culprit;
        let seat = known.unwrap_or_else(|| self.culprit());
        self.running.borrow_mut().culprit = Some(seat);
        let why = format!("the judge of {} has failed: {why}", self.manner.name);
        Some(Trouble { why, seat, errors })
    }

    fn copied(&self) -> Box<dyn Game> {
        Box::new(self.another())
    }
}

impl JudgeGame {
    /// Returns a copy of the game, which starts a judge of its own when it needs one.
    pub(super) fn another(&self) -> JudgeGame {
        let (failure, culprit) = (self.failure(), self.running.borrow().culprit);
        JudgeGame {
            source: self.source.clone(),
            manner: self.manner,
            info: self.info.clone(),
            teams: self.teams.clone(),
            seed: self.seed,
            start: Arc::clone(&self.start),
            history: self.history.clone(),
            laid: self.laid.clone(),
            position: self.position.clone(),
            asked: self.asked.clone(),
            given: vec![None; self.asked.len()],
            expected: Vec::new(),
            said: self.said.clone(),
            events: self.events,
            running: RefCell::new(Running { failure, culprit, ..Running::default() }),
        }
    }

    /// Returns a copy of the game, whose judge is started in this way when it needs one.
    pub(super) fn another_as(&self, source: Source) -> JudgeGame {
        let transcript = self.source.transcript.clone();
        JudgeGame { source: Source { transcript, ..source }, ..self.another() }
    }

    /// Returns the number of labels of the game.
    pub(super) fn labels(&self) -> usize {
        self.manner.labels
    }

    /// Writes all lines from and to its judges from now on.
    pub(super) fn write_to(&mut self, transcript: Option<Transcript>) {
        self.source.transcript = transcript;
    }

    /// Returns what went wrong with the judge.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.running.borrow().failure.clone()
    }

    /// Returns the time that judges of this game have taken for replies.
    pub(super) fn taken(&self) -> Duration {
        let running = self.running.borrow();
        running.taken + running.session.as_ref().map_or(Duration::ZERO, Session::taken)
    }
}
