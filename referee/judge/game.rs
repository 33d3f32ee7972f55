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

/// The part of a judge's description that decides which requests it gets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// The name of its game.
    pub(super) name: &'static str,
    pub(super) checks_together: bool,
    pub(super) plays_ahead: bool,
    /// Number of labels.
    pub(super) labels: usize,
    pub(super) start_parameters: &'static [&'static str],
    pub(super) teams: &'static [&'static [usize]],
}

/// Maximum number of draws before the first turn.
const START_DRAWS_MAX: usize = 256;

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
    /// What was drawn before the first turn.
    start_draws: Vec<Fact>,
    position: Position,
    /// The seats that are asked in this turn.
    asked: Vec<Seat>,
    /// The answer of each of these seats, as far as they have come.
    answers: Vec<Option<SentAnswer>>,
    /// Verdicts on answers of this turn that the judge has given before the game asked for them.
    early_verdicts: Vec<EarlyVerdict>,
    /// The judge's sentences about the last turn.
    sayings: Vec<Saying>,
    /// Number of events of the last turn.
    events: usize,
    running: RefCell<Running>,
}

/// The judge's process, if it runs, and what went wrong with it.
#[derive(Debug, Default)]
struct Running {
    session: Option<Session>,
    failure: Option<Failure>,
    /// The seat whose answer made it fail. `None` before the search for it, `Some(None)` if none was found.
    culprit: Option<Option<Seat>>,
    /// Time that judges of this game have taken for replies, without the one that runs.
    reply_time_before: Duration,
    /// This turn, if the judge has played it ahead.
    turn_ahead: Option<TurnAhead>,
}

/// A turn that a judge has played before the game asked for it.
#[derive(Debug)]
struct TurnAhead {
    /// The request with the answers that the game would send.
    request: Vec<u8>,
    reply: Reply,
}

/// The verdict of a judge on an answer.
#[derive(Debug)]
struct EarlyVerdict {
    seat: Seat,
    integers: Vec<i64>,
    verdict: Option<Fault>,
}

/// The answer of a seat as the judge gets it: integers, or the name of the kind of fault.
#[derive(Clone, Debug)]
enum SentAnswer {
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
        for name in manner.start_parameters {
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
            start_draws: Vec::new(),
            position: Position::default(),
            asked: Vec::new(),
            answers: Vec::new(),
            early_verdicts: Vec::new(),
            sayings: Vec::new(),
            events: 0,
            running: RefCell::default(),
        };
        let start = game.exchange(|session| begin(session, &game.start, &game.teams, seed));
        if let Some((position, start_draws)) = start {
            game.start_draws = start_draws;
            game.set_position(position);
        }
        game
    }

    /// Makes the game write its requests to the judge in small pieces.
    pub(super) fn write_in_pieces(&mut self) {
        if let Some(session) = &mut self.running.get_mut().session {
            session.writes_in_pieces = true;
        }
    }

    fn set_position(&mut self, position: Position) {
        self.asked = position.questions.iter().map(|(seat, _)| *seat).collect();
        self.answers = vec![None; self.asked.len()];
        self.position = position;
    }

    /// Has `talk` put a request to the judge and read its reply. Starts the judge first if it does not run. `None` if
    /// the judge has failed, now or before.
    fn exchange<T>(&self, talk: impl FnOnce(&mut Session) -> Result<T, String>) -> Option<T> {
        let running = &mut *self.running.borrow_mut();
        if running.failure.is_some() {
            return None;
        }
        if running.turn_ahead.take().is_some() {
            // The judge has played a turn ahead that is not over for this game. A new judge has not.
            running.end();
        }
        if running.session.is_none()
            && let Err(why) = self.start_judge(running)
        {
            running.fail(why);
        }
        match talk(running.session.as_mut()?) {
            Ok(reply) => Some(reply),
            Err(why) => {
                running.fail(why);
                None
            }
        }
    }

    /// Starts a judge, and tells it all answers so far if the game has begun.
    fn start_judge(&self, running: &mut Running) -> Result<(), String> {
        let session = running.session.insert(Session::start(&self.source)?);
        let has_begun = !self.asked.is_empty() || self.position.outcome.is_some();
        if has_begun { self.catch_up(session) } else { Ok(()) }
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
    fn turn_request(&self) -> Vec<u8> {
        let mut request = Vec::new();
        for (seat, answer) in self.asked.iter().zip(&self.answers) {
            match answer {
                Some(SentAnswer::Integers(integers)) => push_request(&mut request, "answer", *seat, integers),
                Some(SentAnswer::Fault(kind)) => {
                    request.extend_from_slice(format!("fault {seat} {kind}\n").as_bytes())
                }
                None => request.extend_from_slice(format!("fault {seat} late\n").as_bytes()),
            }
        }
        request.extend_from_slice(b"go\n");
        request
    }

    /// Has the judge check answers, all at once. `None` if it has failed.
    fn check(&self, answers: &[(Seat, &[i64])]) -> Option<Vec<Option<Fault>>> {
        let mut request = checks(answers);
        if self.manner.checks_together {
            request.extend_from_slice(b"verdicts\n");
        }
        self.exchange(|session| {
            session.ask(&request);
            answers.iter().map(|_| read_verdict(session)).collect()
        })
    }

    /// Has the judge check the answers of all seats that were asked, and play the turn if none is malformed.
    /// `None` if it has failed.
    fn check_and_play(&self, answers: &[(Seat, &[i64])]) -> Option<Vec<Option<Fault>>> {
        let mut request = checks(answers);
        request.extend_from_slice(b"ahead\n");
        let (verdicts, reply) = self.exchange(|session| {
            session.ask(&request);
            let verdicts: Vec<Option<Fault>> =
                answers.iter().map(|_| read_verdict(session)).collect::<Result<_, String>>()?;
            if verdicts.iter().any(|verdict| matches!(verdict, Some(Fault::Malformed(_)))) {
                return Ok((verdicts, None));
            }
            let reply = self.read_turn(session)?;
            Ok((verdicts, Some(reply)))
        })?;
        if let Some(reply) = reply {
            let mut request = Vec::new();
            for (seat, integers) in answers {
                push_request(&mut request, "answer", *seat, integers);
            }
            request.extend_from_slice(b"go\n");
            self.running.borrow_mut().turn_ahead = Some(TurnAhead { request, reply });
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

    /// Returns the verdict on an answer: the one that the judge gave early, or one that it is asked for now. `None` if
    /// it has failed.
    fn verdict(&mut self, seat: Seat, integers: &[i64]) -> Option<Option<Fault>> {
        let is_one = |early: &EarlyVerdict| early.seat == seat && early.integers == integers;
        match self.early_verdicts.iter().position(is_one) {
            Some(index) => Some(self.early_verdicts.swap_remove(index).verdict),
            None => self.check(&[(seat, integers)])?.pop(),
        }
    }

    /// Takes the answer of a seat without a verdict.
    fn set_answer(&mut self, seat: Seat, answer: SentAnswer) {
        let index = self.index(seat);
        self.answers[index] = Some(answer);
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

/// Returns the request for a verdict on each of some answers.
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
            Some(session) => session.end_with_failure(why),
            None => Failure::new(why),
        };
        self.failure.get_or_insert(failure);
    }

    /// Ends the judge, if it runs.
    fn end(&mut self) {
        if let Some(session) = self.session.take() {
            self.reply_time_before += session.reply_time();
        }
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
    let mut start_draws = Vec::new();
    for event in reply.events {
        let ReportedEvent::Draw(Draw { name, drawn, .. }) = event else {
            return Err("an effect before the first turn".to_owned());
        };
        let fact = |value| Fact { thing: Thing::new(name), seat: None, index: None, value };
        start_draws.extend(drawn.into_iter().map(fact));
    }
    if start_draws.len() > START_DRAWS_MAX {
        return Err(format!("more than {START_DRAWS_MAX} draws before the first turn"));
    }
    Ok((reply.position, start_draws))
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
        let Position { questions, shared, .. } = &self.position;
        let (_, integers) = &questions[self.index(seat)];
        wire::push_question(line, integers, &shared.text, shared.count);
    }

    fn expect(&mut self, answers: &mut dyn Iterator<Item = (Seat, &[i64])>) {
        let answers: Vec<(Seat, &[i64])> = answers.collect();
        if !self.manner.checks_together || answers.is_empty() {
            return;
        }
        self.early_verdicts.clear();
        let can_play = self.manner.plays_ahead && answers.len() == self.asked.len();
        let verdicts = if can_play { self.check_and_play(&answers) } else { self.check(&answers) };
        let Some(verdicts) = verdicts else {
            // The search for the culprit needs all answers.
            for (seat, integers) in answers {
                self.set_answer(seat, SentAnswer::Integers(integers.to_vec()));
            }
            return;
        };
        for ((seat, integers), verdict) in answers.into_iter().zip(verdicts) {
            self.early_verdicts.push(EarlyVerdict { seat, integers: integers.to_vec(), verdict });
        }
    }

    fn answer(&mut self, seat: Seat, given: Result<&[i64], &Fault>) -> Option<Fault> {
        let integers = match given {
            Ok(integers) => integers,
            Err(fault) => {
                self.set_answer(seat, SentAnswer::Fault(fault.kind().name()));
                return Some(fault.clone());
            }
        };
        let verdict = match self.verdict(seat, integers) {
            // The judge is told of the fault, and not of the integers.
            Some(Some(fault @ Fault::Malformed(_))) => {
                self.set_answer(seat, SentAnswer::Fault(fault.kind().name()));
                return Some(fault);
            }
            Some(verdict) => verdict,
            // The judge has failed: no verdict counts any more.
            None => Some(Fault::Malformed(Malformed::new("the judge has failed"))),
        };
        self.set_answer(seat, SentAnswer::Integers(integers.to_vec()));
        verdict
    }

    fn resolve(&mut self, events: &mut Events) {
        let request = self.turn_request();
        let reply = match self.running.get_mut().turn_ahead.take_if(|ahead| ahead.request == request) {
            Some(ahead) => Some(ahead.reply),
            None => self.exchange(|session| {
                session.ask(&request);
                self.read_turn(session)
            }),
        };
        let Some(Reply { position, events: reported, sayings }) = reply else { return };
        self.events = reported.len();
        for event in reported {
            match event {
                ReportedEvent::Draw(Draw { name, at, candidates, drawn }) => {
                    events.draw(name, at, candidates, drawn)
                }
                ReportedEvent::Effect { name, seat, values } => events.effect(name, seat, &values),
            }
        }
        self.history.push(request.into());
        self.early_verdicts.clear();
        self.sayings = sayings;
        self.set_position(position);
    }

    fn events_of_last_turn(&self) -> usize {
        self.events
    }

    fn resolve_telling(&mut self, events: &mut Events, say: &mut Narrator<'_>) {
        self.resolve(events);
        for Saying { seat, sentence } in &self.sayings {
            let occurrence = Occurrence { seat: *seat, ..Occurrence::new(OccurrenceName::new("say")) };
            say(occurrence, format_args!("{sentence}"));
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.running.borrow().failure.is_some() {
            return None;
        }
        self.position.outcome.clone()
    }

    fn describe(&self, tell: &mut dyn FnMut(Fact)) {
        let facts = self.exchange(|session| {
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
        self.start_draws.iter().copied().for_each(tell);
    }

    fn sample(&self, seat: Seat, dice: &mut Dice, integers: &mut Vec<i64>) {
        let sample = self.exchange(|session| {
            session.ask(format!("sample {seat}\n").as_bytes());
            read_sample(session, dice)
        });
        integers.extend(sample.unwrap_or_default());
    }

    fn trouble(&self) -> Option<Trouble> {
        let Failure { why, errors, .. } = self.failure()?;
        let known_culprit = self.running.borrow().culprit;
        let seat = known_culprit.unwrap_or_else(|| self.culprit());
        self.running.borrow_mut().culprit = Some(seat);
        let why = format!("the judge of {} has failed: {why}", self.manner.name);
        Some(Trouble { why, seat, errors })
    }

    fn copied(&self) -> Box<dyn Game> {
        Box::new(self.copy())
    }
}

impl JudgeGame {
    /// Returns a copy of the game, which starts a judge of its own when it needs one.
    pub(super) fn copy(&self) -> JudgeGame {
        let (failure, culprit) = (self.failure(), self.running.borrow().culprit);
        JudgeGame {
            source: self.source.clone(),
            manner: self.manner,
            info: self.info.clone(),
            teams: self.teams.clone(),
            seed: self.seed,
            start: Arc::clone(&self.start),
            history: self.history.clone(),
            start_draws: self.start_draws.clone(),
            position: self.position.clone(),
            asked: self.asked.clone(),
            answers: vec![None; self.asked.len()],
            early_verdicts: Vec::new(),
            sayings: self.sayings.clone(),
            events: self.events,
            running: RefCell::new(Running { failure, culprit, ..Running::default() }),
        }
    }

    /// Returns a copy of the game, whose judge is started in this way when it needs one.
    pub(super) fn copy_with(&self, source: Source) -> JudgeGame {
        let transcript = self.source.transcript.clone();
        JudgeGame { source: Source { transcript, ..source }, ..self.copy() }
    }

    /// Returns the number of labels of the game.
    pub(super) fn labels(&self) -> usize {
        self.manner.labels
    }

    /// Sets where the lines from and to its judges are written.
    pub(super) fn set_transcript(&mut self, transcript: Option<Transcript>) {
        self.source.transcript = transcript;
    }

    /// Returns what went wrong with the judge.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.running.borrow().failure.clone()
    }

    /// Returns the time that judges of this game have taken for replies.
    pub(super) fn reply_time(&self) -> Duration {
        let running = self.running.borrow();
        running.reply_time_before + running.session.as_ref().map_or(Duration::ZERO, Session::reply_time)
    }
}
