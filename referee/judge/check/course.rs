//! One game of an examination: it is played in some style, and again in other ways, in which it must be the same.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::time::Duration;

use super::answers::{self, NumberTrials};
use super::deeds::{self, Coverage, Response, sample};
use super::leaks::Leaks;
use super::wrong::{Wrong, fail_if_judge_failed, wrong};
use super::{KILLS, LONG, scene};
use crate::game::JudgeGame;
use crate::session::Source;
use referee_rules::game::Game;
use referee_rules::{Dice, Event, Events, Fault, Outcome, Position, Seat, Seed};

/// What the bots do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// They give samples.
    Clean,
    /// One answer in eight is a fault or nonsense. Some bots end.
    Faults,
    /// No bot ever answers.
    Silent,
    /// All answers are nonsense.
    Nonsense,
    /// They give the numbers that are queued by [`NumberTrials`], each once.
    QueuedNumbers,
    /// They give the same number in each turn.
    Stubborn(i64),
}

impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Style::Clean => "all answers allowed",
            Style::Faults => "with faults",
            Style::Silent => "no answers",
            Style::Nonsense => "all answers nonsense",
            Style::QueuedNumbers => "many numbers as answers",
            Style::Stubborn(number) => return write!(f, "all answers {number}"),
        })
    }
}

/// A way to play a game. All ways must lead to the same game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// Requests arrive in pieces, and facts and verdicts are requested twice.
    pub(super) asks_twice_in_pieces: bool,
    /// The judge runs in another second, under another name, with another environment and process number, and after
    /// another one was started.
    pub(super) other_environment: bool,
    /// The judge is killed now and then, and a new process is told all answers so far.
    pub(super) restarts_judge: bool,
    /// In positions of each kind, the judge is asked for verdicts on many numbers.
    pub(super) probes_numbers: bool,
}

impl Way {
    /// As games are played.
    pub(super) const PLAIN: Way = Way {
        asks_twice_in_pieces: false,
        other_environment: false,
        restarts_judge: false,
        probes_numbers: false,
    };
    /// In all these ways at once, without verdicts on many numbers.
    pub(super) const ALL: Way = Way {
        asks_twice_in_pieces: true,
        other_environment: true,
        restarts_judge: true,
        probes_numbers: false,
    };
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (is_so, words) in [
            (self.asks_twice_in_pieces, ", asked in pieces and more often"),
            (self.other_environment, ", at another time and place"),
            (self.restarts_judge, ", killed in between"),
            (self.probes_numbers, ", asked for verdicts on many numbers"),
        ] {
            f.write_str(if is_so { words } else { "" })?;
        }
        Ok(())
    }
}

/// The answers of a game, and what the judge said.
#[derive(Debug, Default)]
pub(super) struct Script {
    turns: Vec<Turn>,
    /// Number of bytes of all texts.
    text_bytes: usize,
}

/// A turn of a script.
#[derive(Debug)]
struct Turn {
    answers: Vec<Answer>,
    /// The kind of each question.
    kinds: Vec<QuestionKind>,
    replies: Replies,
}

/// What is compared to find questions that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct QuestionKind {
    seat: usize,
    /// Number of integers after the first two.
    length: usize,
    /// The first two integers.
    start: [i64; 2],
}

/// The response of a seat in a turn.
#[derive(Clone, Debug)]
struct Answer {
    seat: Seat,
    response: Response,
    /// Whether it is a sample of the judge's own.
    is_sample: bool,
}

/// What the judge said about a turn.
#[derive(Debug)]
struct Replies {
    hash: u64,
    /// `None` if the script has no room for it.
    text: Option<String>,
}

/// Maximum number of bytes of the texts of a script. Of later turns only a hash is kept.
const TEXT_MAX: usize = 16 << 20;

impl Script {
    /// Returns the number of turns.
    pub(super) fn turns(&self) -> u32 {
        self.turns.len() as u32
    }

    /// Plays a game up to a turn, as it was played before.
    pub(super) fn go_to(&self, game: &mut JudgeGame, turn: u32) {
        let mut events = Events::default();
        while game.turn() < turn && !game.asked().is_empty() {
            let Some(next) = self.turns.get(game.turn() as usize) else { return };
            if next.answers.iter().map(|answer| &answer.seat).ne(game.asked()) {
                return;
            }
            for answer in &next.answers {
                game.answer(answer.seat, answer.response.as_deref());
            }
            events.clear();
            game.resolve(&mut events);
        }
    }

    /// Lists turns in which each kind of question occurs, the first turn, and the last one of each seat; at most
    /// `max`, unless the seats need more. Where there are too many kinds, like ones count as one: also returns a note
    /// that says so.
    pub(super) fn positions(&self, max: usize) -> (Vec<u32>, Option<String>) {
        let small = |value: i64| if (0..8).contains(&value) { value } else { -1 };
        let levels: [&dyn Fn(QuestionKind) -> QuestionKind; 4] = [
            &|kind| QuestionKind { start: kind.start.map(small), ..kind },
            &|kind| QuestionKind { start: [small(kind.start[0]), 0], ..kind },
            &|kind| QuestionKind { start: [0; 2], ..kind },
            &|kind| QuestionKind { length: 0, start: [0; 2], ..kind },
        ];
        let mut level = 0;
        let mut turns = self.last_turns_by(levels[level]);
        while turns.len() > max && level + 1 < levels.len() {
            level += 1;
            turns = self.last_turns_by(levels[level]);
        }
        if level == 0 {
            return (turns, None);
        }
        let positions = turns.len();
        let note =
            format!("faults at each kind of question: like ones are put together, in {positions} positions");
        (turns, Some(note))
    }

    /// Lists the last turn of each kind of question, and the first turn of all. `kind_of` tells which kinds are one.
    fn last_turns_by(&self, kind_of: &dyn Fn(QuestionKind) -> QuestionKind) -> Vec<u32> {
        let mut known_kinds = BTreeSet::new();
        let mut turns = Vec::new();
        for (number, turn) in self.turns.iter().enumerate().rev() {
            let mut is_new = false;
            // A turn has several questions. Each kind must be inserted, even if an earlier question was new.
            for kind in &turn.kinds {
                is_new |= known_kinds.insert(kind_of(*kind));
            }
            if is_new || number == 0 {
                turns.push(number as u32);
            }
        }
        turns.reverse();
        turns
    }
}

/// A game that is played.
pub(super) struct Course {
    pub(super) seed: Seed,
    style: Style,
    way: Way,
    pub(super) turns: u32,
    pub(super) faults: u64,
    pub(super) kills: u32,
    /// How long the judge took for all its turns.
    pub(super) judge_time: Duration,
    /// How long it took for the slowest of them.
    pub(super) judge_time_max: Duration,
    script: Script,
    /// The seats whose bots have ended, each with its fault.
    ended_seats: BTreeMap<Seat, Fault>,
    /// The end of the game.
    pub(super) outcome: Option<Outcome>,
}

/// What the games of an examination share.
pub(super) struct Shared<'a> {
    pub(super) coverage: &'a mut Coverage,
    pub(super) numbers: &'a mut NumberTrials,
    pub(super) leaks: &'a mut Leaks,
    /// Returns how the judge is started the next time.
    pub(super) next_start: &'a mut dyn FnMut() -> Source,
    /// Whether the time is over.
    pub(super) is_over: &'a dyn Fn() -> bool,
}

impl Course {
    pub(super) fn new(seed: Seed, style: Style, way: Way) -> Course {
        Course {
            seed,
            style,
            way,
            turns: 0,
            faults: 0,
            kills: 0,
            judge_time: Duration::ZERO,
            judge_time_max: Duration::ZERO,
            script: Script::default(),
            ended_seats: BTreeMap::new(),
            outcome: None,
        }
    }

    pub(super) fn into_script(self) -> Script {
        self.script
    }

    /// Plays the game to its end. `first_run` is the same game as it was played before, if it was: the same answers are
    /// given, and whatever the judge says must be the same. Tells whether the game has ended before the time was over.
    pub(super) fn play(
        &mut self,
        game: &mut JudgeGame,
        first_run: Option<&Script>,
        shared: &mut Shared<'_>,
    ) -> Result<bool, Wrong> {
        if self.way.asks_twice_in_pieces {
            game.write_in_pieces();
        }
        let kill_turns = self.kill_turns(first_run);
        let probed_turns = self.probed_turns(first_run);
        let mut events = Events::default();
        loop {
            fail_if_judge_failed(game)?;
            let turn = game.turn();
            self.turns = turn;
            if (shared.is_over)() {
                return Ok(false);
            }
            if kill_turns.contains(&turn) {
                *game = game.copy_with((shared.next_start)());
                self.kills += 1;
            }
            let (mut text, kinds) = questions(game);
            if let Some(outcome) = game.outcome() {
                text += &self.end(game, outcome)?;
                self.keep_or_compare(first_run, turn, Vec::new(), Vec::new(), text)?;
                return Ok(true);
            }
            if self.style == Style::Clean && self.way == Way::PLAIN {
                shared.leaks.add_position(game);
            }
            if probed_turns.contains(&turn) {
                shared.numbers.check(game, self.seed_of_turn(turn), shared.is_over)?;
                if (shared.is_over)() {
                    return Ok(false);
                }
            }
            let answers = match first_run {
                Some(first_run) => repeat_answers(game, first_run, &text, self.seed_of_turn(turn))?,
                None => self.choose_answers(game, shared),
            };
            fail_if_judge_failed(game)?;
            text += &self.play_turn(game, &answers, &mut events)?;
            if turn < 300 || turn.is_multiple_of(16) {
                text += &self.facts(game)?;
            }
            self.keep_or_compare(first_run, turn, answers, kinds, text)?;
        }
    }

    /// Takes the outcome. Returns it as text, with the last position.
    fn end(&mut self, game: &JudgeGame, outcome: Outcome) -> Result<String, Wrong> {
        if game.info().seats > 1 && outcome.shares.iter().all(|(_, share)| *share == 0.0) {
            let what = "`shares`: no seat has any share; at least one must be above 0";
            return Err(wrong(game.turn(), what));
        }
        let text = format!("{outcome:?}") + &self.facts(game)?;
        self.outcome = Some(outcome);
        Ok(text)
    }

    /// Gives the answers of a turn, and has the judge carry it out. Returns the verdicts and events as text.
    fn play_turn(
        &mut self,
        game: &mut JudgeGame,
        answers: &[Answer],
        events: &mut Events,
    ) -> Result<String, Wrong> {
        let mut text = String::new();
        let reply_time_before = game.reply_time();
        // All answers are announced, as in a game: the judge can check them at once, and play the turn ahead. Not in
        // the ways that request other verdicts in a turn, where each verdict is requested by itself.
        if !self.way.asks_twice_in_pieces && !self.way.probes_numbers {
            let mut given =
                answers.iter().filter_map(|answer| Some((answer.seat, answer.response.as_deref().ok()?)));
            game.expect(&mut given);
        }
        for answer in answers {
            let verdict = self.give(game, answer)?;
            self.faults += u64::from(verdict.is_some());
            text += &format!(" {}:{verdict:?}", answer.seat);
        }
        if self.way.asks_twice_in_pieces {
            // The facts are requested once more, between verdicts and turn: that must change nothing.
            Position::of(game);
        }
        events.clear();
        game.resolve(events);
        fail_if_judge_failed(game)?;
        let judge_time = game.reply_time() - reply_time_before;
        self.judge_time += judge_time;
        self.judge_time_max = self.judge_time_max.max(judge_time);
        for event in events.iter() {
            text += &match event {
                Event::Draw { name, at, candidates, drawn } => {
                    format!(" draw {name} {at} {candidates:?} {drawn:?}")
                }
                Event::Effect { name, seat, values } => format!(" effect {name} {seat:?} {values:?}"),
            };
        }
        Ok(text)
    }

    /// Returns the seed of all that is drawn for the answers of a turn. The same game has the same in each run.
    fn seed_of_turn(&self, turn: u32) -> Seed {
        Seed(self.seed.0 ^ u64::from(turn) << 8)
    }

    /// Chooses the answers of a turn.
    fn choose_answers(&mut self, game: &JudgeGame, shared: &mut Shared<'_>) -> Vec<Answer> {
        let turn = game.turn();
        let chance = self.seed_of_turn(turn);
        let mut answers = Vec::new();
        for &seat in game.asked() {
            let integers = sample(game, seat, chance);
            let mut dice = Dice::for_turn(Seed(!chance.0), seat.index() as u32);
            // `None`: it gives the sample.
            let response = match self.style {
                Style::Clean => None,
                Style::Silent => Some(Err(Fault::Late)),
                Style::Nonsense => Some(deeds::nonsense(turn, seat, &integers)),
                Style::QueuedNumbers => shared.numbers.next(seat, &integers).map(Ok),
                Style::Stubborn(number) => Some(Ok(vec![number; integers.len()])),
                Style::Faults => self.choose_deed(seat, &integers, shared.coverage, &mut dice),
            };
            let is_sample = response.is_none();
            answers.push(Answer { seat, response: response.unwrap_or(Ok(integers)), is_sample });
        }
        answers
    }

    /// Chooses what a seat does in the style with faults; `None` if it gives the sample.
    fn choose_deed(
        &mut self,
        seat: Seat,
        sample: &[i64],
        coverage: &mut Coverage,
        dice: &mut Dice,
    ) -> Option<Response> {
        if let Some(fault) = self.ended_seats.get(&seat) {
            return Some(Err(fault.clone()));
        }
        if dice.below(8) != 0 {
            return None;
        }
        let response = coverage.choose(seat, sample, dice);
        if deeds::stays_away(&response, dice)
            && let Err(fault) = &response
        {
            self.ended_seats.insert(seat, fault.clone());
        }
        Some(response)
    }

    /// Gives the answer of a seat to the game, and returns the verdict.
    fn give(&self, game: &mut JudgeGame, answer: &Answer) -> Result<Option<Fault>, Wrong> {
        let Answer { seat, response, is_sample } = answer;
        let turn = game.turn();
        let verdict = game.answer(*seat, response.as_deref());
        fail_if_judge_failed(game)?;
        let Ok(integers) = response else { return Ok(verdict) };
        if *is_sample && let Some(fault) = &verdict {
            let what = format!("its own sample {integers:?} for seat {seat} has a fault: {fault}");
            return Err(wrong(turn, what));
        }
        // A verdict must change nothing: it is requested twice.
        if self.way.asks_twice_in_pieces {
            let other = game.answer(*seat, Ok(integers));
            fail_if_judge_failed(game)?;
            if other != verdict {
                let what = format!("the same answer of seat {seat} is {verdict:?}, then {other:?}");
                return Err(wrong(turn, what));
            }
        }
        Ok(verdict)
    }

    /// Has the judge describe the position, and returns its facts as text.
    fn facts(&self, game: &JudgeGame) -> Result<String, Wrong> {
        let position = Position::of(game);
        fail_if_judge_failed(game)?;
        match scene::wrong(&position, game.labels()) {
            Some(what) => Err(wrong(game.turn(), what)),
            None => Ok(format!(" {position:?}")),
        }
    }

    /// Keeps what the judge said about a turn, or compares it with the first run.
    fn keep_or_compare(
        &mut self,
        first_run: Option<&Script>,
        turn: u32,
        answers: Vec<Answer>,
        kinds: Vec<QuestionKind>,
        text: String,
    ) -> Result<(), Wrong> {
        let hash = hash(&text);
        if let Some(first_run) = first_run {
            return match first_run.turns.get(turn as usize) {
                Some(Turn { replies, .. }) if replies.hash == hash => Ok(()),
                Some(Turn { replies, .. }) => Err(differs(turn, replies.text.as_deref(), &text)),
                None => Err(differs(turn, None, &text)),
            };
        }
        self.script.text_bytes += text.len();
        let text = if self.script.text_bytes <= TEXT_MAX { Some(text) } else { None };
        self.script.turns.push(Turn { answers, kinds, replies: Replies { hash, text } });
        Ok(())
    }

    /// Draws the turns before which the judge is killed, among them the first and the last; none in other ways.
    fn kill_turns(&self, first_run: Option<&Script>) -> BTreeSet<u32> {
        let Some(first_run) = first_run else { return BTreeSet::new() };
        if !self.way.restarts_judge {
            return BTreeSet::new();
        }
        let turns = first_run.turns();
        let mut dice = Dice::for_turn(self.seed, turns);
        let ends = [0, turns.saturating_sub(2), turns.saturating_sub(1)];
        let count = if turns > LONG { KILLS / 4 } else { KILLS };
        (0..count).map(|_| dice.below(turns.max(1))).chain(ends).collect()
    }

    /// Returns the turns in which the judge is asked for verdicts on many numbers; none in other ways.
    fn probed_turns(&self, first_run: Option<&Script>) -> Vec<u32> {
        match first_run {
            Some(first_run) if self.way.probes_numbers => first_run.positions(answers::POSITIONS).0,
            _ => Vec::new(),
        }
    }
}

/// Returns the answers that were given to this turn in the first run. Samples are drawn again, and must be the same.
fn repeat_answers(
    game: &JudgeGame,
    first_run: &Script,
    text: &str,
    chance: Seed,
) -> Result<Vec<Answer>, Wrong> {
    let turn = game.turn();
    let Some(Turn { answers, replies, .. }) = first_run.turns.get(turn as usize) else {
        return Err(differs(turn, None, text));
    };
    if answers.iter().map(|answer| &answer.seat).ne(game.asked()) {
        return Err(differs(turn, replies.text.as_deref(), text));
    }
    for Answer { seat, response, .. } in answers.iter().filter(|answer| answer.is_sample) {
        let other: Response = Ok(sample(game, *seat, chance));
        if other != *response {
            fail_if_judge_failed(game)?;
            let what = format!("its replies differ between two runs: samples {response:?}, then {other:?}");
            return Err(wrong(turn, what));
        }
    }
    Ok(answers.clone())
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Says how two turns differ that should be the same.
fn differs(turn: u32, first: Option<&str>, second: &str) -> Wrong {
    let first = first.unwrap_or_default();
    let same = first.bytes().zip(second.bytes()).take_while(|(one, other)| one == other).count();
    let start = (0..=same.saturating_sub(40)).rev().find(|start| first.is_char_boundary(*start)).unwrap_or(0);
    let shown = |text: &str| text.get(start..).unwrap_or(text).chars().take(120).collect::<String>();
    let what = format!(
        "its replies differ between two runs: `...{}...`, then `...{}...`",
        shown(first),
        shown(second)
    );
    wrong(turn, what)
}

/// Returns all questions of a turn as text, and the kind of each.
fn questions(game: &mut JudgeGame) -> (String, Vec<QuestionKind>) {
    let (mut line, mut kinds) = (Vec::new(), Vec::new());
    for seat in game.asked().to_vec() {
        line.extend_from_slice(format!("{seat}: ").as_bytes());
        let start = line.len();
        game.question(seat, &mut line);
        let question = String::from_utf8_lossy(&line[start..]);
        let mut integers = question.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap_or(0));
        let first_two = [integers.next().unwrap_or(0), integers.next().unwrap_or(0)];
        kinds.push(QuestionKind { seat: seat.index(), length: integers.count(), start: first_two });
    }
    (String::from_utf8_lossy(&line).into_owned(), kinds)
}
