//! One game of an examination: it is played in some style, or again in another way, and then must be the same.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::time::Duration;

use super::answers::{self, NumberTrials};
use super::deeds::{self, Coverage, Given, sample};
use super::leaks::Leaks;
use super::wrong::{Wrong, in_order, wrong};
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
    /// They give the numbers that are not tried yet.
    Tried,
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
            Style::Tried => "many numbers as answers",
            Style::Stubborn(number) => return write!(f, "all answers {number}"),
        })
    }
}

/// A way to play a game. All ways must lead to the same game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// Requests arrive in pieces, and facts and verdicts are requested twice.
    pub(super) again: bool,
    /// The judge runs in another second, under another name, with another environment and process number, and after
    /// another one was started.
    pub(super) elsewhere: bool,
    /// It is killed now and then, and a new process is told all answers so far.
    pub(super) killed: bool,
    /// In positions of each kind, it is asked for verdicts on many numbers.
    pub(super) tried: bool,
}

impl Way {
    pub(super) const PLAIN: Way = Way { again: false, elsewhere: false, killed: false, tried: false };
    /// In all these ways at once, without many verdicts.
    pub(super) const ALL: Way = Way { again: true, elsewhere: true, killed: true, tried: false };
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (is_so, words) in [
            (self.again, ", asked in pieces and more often"),
            (self.elsewhere, ", at another time and place"),
            (self.killed, ", killed in between"),
            (self.tried, ", asked for verdicts on many numbers"),
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
    /// The kind of each question: its seat, its length, and its first two integers.
    kinds: Vec<Kind>,
    replies: Replies,
}

type Kind = (usize, usize, [i64; 2]);

#[derive(Clone, Debug)]
struct Answer {
    seat: Seat,
    given: Given,
    /// Whether it is a sample of the judge's own.
    is_sample: bool,
}

/// What the judge said about a turn.
#[derive(Debug)]
struct Replies {
    hash: u64,
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
                game.answer(answer.seat, answer.given.as_deref());
            }
            events.clear();
            game.resolve(&mut events);
        }
    }

    /// Lists turns in which each kind of question occurs, the first turn, and the last one of each seat; at most
    /// `most`, unless the seats need more. Also says so if kinds had to be put together.
    pub(super) fn positions(&self, most: usize) -> (Vec<u32>, Option<String>) {
        let small = |value: i64| if (0..8).contains(&value) { value } else { -1 };
        let levels: [&dyn Fn(&Kind) -> Kind; 4] = [
            &|(seat, length, [one, two])| (*seat, *length, [small(*one), small(*two)]),
            &|(seat, length, [one, _])| (*seat, *length, [small(*one), 0]),
            &|(seat, length, _)| (*seat, *length, [0; 2]),
            &|(seat, ..)| (*seat, 0, [0; 2]),
        ];
        let mut turns = Vec::new();
        for (level, kind_of) in levels.into_iter().enumerate() {
            let mut kinds_so_far = BTreeSet::new();
            turns = (0..self.turns.len())
                .rev()
                .filter(|turn| {
                    self.turns[*turn].kinds.iter().filter(|kind| kinds_so_far.insert(kind_of(kind))).count()
                        > 0
                })
                .map(|turn| turn as u32)
                .collect();
            let is_last = level + 1 == levels.len();
            turns.extend((turns.last() != Some(&0) && !self.turns.is_empty()).then_some(0));
            if turns.len() <= most || is_last {
                let note = (level > 0).then(|| {
                    format!(
                        "faults at each kind of question: like ones are put together, in {} positions",
                        turns.len()
                    )
                });
                turns.reverse();
                return (turns, note);
            }
        }
        (turns, None)
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
    /// The time of the judge for its turns, and the longest of them.
    pub(super) taken: Duration,
    pub(super) longest: Duration,
    script: Script,
    gone: BTreeMap<Seat, Fault>,
    /// The end of the game.
    pub(super) outcome: Option<Outcome>,
}

/// What the games of an examination share.
pub(super) struct Shared<'a> {
    pub(super) coverage: &'a mut Coverage,
    pub(super) tried: &'a mut NumberTrials,
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
            taken: Duration::ZERO,
            longest: Duration::ZERO,
            script: Script::default(),
            gone: BTreeMap::new(),
            outcome: None,
        }
    }

    pub(super) fn into_script(self) -> Script {
        self.script
    }

    /// Plays the game to its end. Tells whether it has come to its end before `is_over`.
    pub(super) fn play(
        &mut self,
        game: &mut JudgeGame,
        plain: Option<&Script>,
        shared: &mut Shared<'_>,
    ) -> Result<bool, Wrong> {
        if self.way.again {
            game.in_pieces();
        }
        let kills =
            plain.filter(|_| self.way.killed).map(|plain| self.turns_of_kills(plain.turns.len() as u32));
        let positions = plain.filter(|_| self.way.tried).map(|plain| plain.positions(answers::POSITIONS).0);
        let mut events = Events::default();
        loop {
            in_order(game)?;
            let turn = game.turn();
            self.turns = turn;
            if (shared.is_over)() {
                return Ok(false);
            }
            if kills.as_ref().is_some_and(|kills| kills.contains(&turn)) {
                *game = game.another_as((shared.next_start)());
                self.kills += 1;
            }
            let (mut text, kinds) = questions(game);
            if let Some(outcome) = game.outcome() {
                text += &self.end(game, outcome)?;
                self.keep_or_compare(plain, turn, Vec::new(), Vec::new(), text)?;
                return Ok(true);
            }
            if self.style == Style::Clean && self.way == Way::PLAIN {
                shared.leaks.look(game);
            }
            if positions.as_ref().is_some_and(|positions| positions.contains(&turn)) {
                shared.tried.check(game, Seed(self.seed.0 ^ u64::from(turn) << 8), shared.is_over)?;
                if (shared.is_over)() {
                    return Ok(false);
                }
            }
            let answers = match plain {
                Some(plain) => again(game, plain, &text, Seed(self.seed.0 ^ u64::from(turn) << 8))?,
                None => self.answers(game, shared),
            };
            in_order(game)?;
            text += &self.play_turn(game, &answers, &mut events)?;
            text += &self.facts(game, turn < 300 || turn.is_multiple_of(16))?;
            self.keep_or_compare(plain, turn, answers, kinds, text)?;
        }
    }

    /// Takes the outcome. Returns it as text, with the last position.
    fn end(&mut self, game: &JudgeGame, outcome: Outcome) -> Result<String, Wrong> {
        if game.info().seats > 1 && outcome.shares.iter().all(|(_, share)| *share == 0.0) {
            let what = "`shares`: no seat has any share; at least one must be above 0";
            return Err(wrong(game.turn(), what));
        }
        let text = format!("{outcome:?}") + &self.facts(game, true)?;
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
        let before = game.taken();
        // After other verdicts in this turn, the judge does not go ahead.
        if !self.way.again && !self.way.tried {
            let all = answers.iter();
            game.expect(&mut all.filter_map(|answer| Some((answer.seat, answer.given.as_deref().ok()?))));
        }
        for answer in answers {
            let verdict = self.answer(game, answer)?;
            self.faults += u64::from(verdict.is_some());
            text += &format!(" {}:{verdict:?}", answer.seat);
        }
        if self.way.again {
            Position::of(game);
        }
        events.clear();
        game.resolve(events);
        in_order(game)?;
        self.taken += game.taken() - before;
        self.longest = self.longest.max(game.taken() - before);
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

    /// Chooses the answers of a turn.
    fn answers(&mut self, game: &JudgeGame, shared: &mut Shared<'_>) -> Vec<Answer> {
        let turn = game.turn();
        let chance = Seed(self.seed.0 ^ u64::from(turn) << 8);
        let mut answers = Vec::new();
        for &seat in game.asked() {
            let integers = sample(game, seat, chance);
            let mut dice = Dice::for_turn(Seed(!chance.0), seat.index() as u32);
            let given = match self.style {
                Style::Clean => None,
                Style::Silent => Some(Err(Fault::Late)),
                Style::Nonsense => Some(deeds::nonsense(turn, seat, &integers)),
                Style::Tried => shared.tried.next(seat, &integers).map(Ok),
                Style::Stubborn(number) => Some(Ok(vec![number; integers.len()])),
                Style::Faults => match self.gone.get(&seat) {
                    Some(fault) => Some(Err(fault.clone())),
                    None if dice.below(8) == 0 => {
                        let given = shared.coverage.choose(seat, &integers, &mut dice);
                        if let (true, Err(fault)) = (deeds::stays_away(&given, &mut dice), &given) {
                            self.gone.insert(seat, fault.clone());
                        }
                        Some(given)
                    }
                    None => None,
                },
            };
            let is_sample = given.is_none();
            answers.push(Answer { seat, given: given.unwrap_or(Ok(integers)), is_sample });
        }
        answers
    }

    /// Answers for a seat.
    fn answer(&self, game: &mut JudgeGame, answer: &Answer) -> Result<Option<Fault>, Wrong> {
        let Answer { seat, given, is_sample } = answer;
        let (turn, given) = (game.turn(), given.as_deref());
        let verdict = game.answer(*seat, given);
        in_order(game)?;
        if let (Ok(integers), true, Some(fault)) = (given, *is_sample, &verdict) {
            return Err(wrong(
                turn,
                format!("its own sample {integers:?} for seat {seat} has a fault: {fault}"),
            ));
        }
        // A verdict must change nothing: it is requested twice.
        if self.way.again && given.is_ok() {
            let other = game.answer(*seat, given);
            in_order(game)?;
            if other != verdict {
                return Err(wrong(
                    turn,
                    format!("the same answer of seat {seat} is {verdict:?}, then {other:?}"),
                ));
            }
        }
        Ok(verdict)
    }

    /// Has the judge describe the position.
    fn facts(&self, game: &JudgeGame, is_looked_at: bool) -> Result<String, Wrong> {
        if !is_looked_at {
            return Ok(String::new());
        }
        let position = Position::of(game);
        in_order(game)?;
        match scene::wrong(&position, game.labels()) {
            Some(what) => Err(wrong(game.turn(), what)),
            None => Ok(format!(" {position:?}")),
        }
    }

    /// Keeps what the judge said about a turn, or compares it.
    fn keep_or_compare(
        &mut self,
        plain: Option<&Script>,
        turn: u32,
        answers: Vec<Answer>,
        kinds: Vec<Kind>,
        text: String,
    ) -> Result<(), Wrong> {
        let hash = hash(&text);
        if let Some(plain) = plain {
            return match plain.turns.get(turn as usize) {
                Some(Turn { replies, .. }) if replies.hash == hash => Ok(()),
                Some(Turn { replies, .. }) => Err(differs(turn, replies.text.as_deref(), &text)),
                None => Err(differs(turn, None, &text)),
            };
        }
        self.script.text_bytes += text.len();
        let text = (self.script.text_bytes <= TEXT_MAX).then_some(text);
        self.script.turns.push(Turn { answers, kinds, replies: Replies { hash, text } });
        Ok(())
    }

    /// Draws the turns before which the judge is killed, among them the first and the last.
    fn turns_of_kills(&self, turns: u32) -> BTreeSet<u32> {
        let mut dice = Dice::for_turn(self.seed, turns);
        let ends = [0, turns.saturating_sub(2), turns.saturating_sub(1)];
        let drawn = if turns > LONG { KILLS / 4 } else { KILLS };
        (0..drawn).map(|_| dice.below(turns.max(1))).chain(ends).collect()
    }
}

/// Returns the answers that were given in this turn before. Samples are drawn again, and must be the same.
fn again(game: &JudgeGame, plain: &Script, text: &str, chance: Seed) -> Result<Vec<Answer>, Wrong> {
    let turn = game.turn();
    let Some(Turn { answers, replies, .. }) = plain.turns.get(turn as usize) else {
        return Err(differs(turn, None, text));
    };
    if answers.iter().map(|answer| &answer.seat).ne(game.asked()) {
        return Err(differs(turn, replies.text.as_deref(), text));
    }
    for Answer { seat, given, is_sample } in answers {
        let other = if *is_sample { Ok(sample(game, *seat, chance)) } else { given.clone() };
        if other != *given {
            in_order(game)?;
            let what = format!("its replies differ between two runs: samples {given:?}, then {other:?}");
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

/// Returns all questions of a turn, and the kind of each.
fn questions(game: &mut JudgeGame) -> (String, Vec<Kind>) {
    let (mut line, mut kinds) = (Vec::new(), Vec::new());
    for seat in game.asked().to_vec() {
        line.extend_from_slice(format!("{seat}: ").as_bytes());
        let start = line.len();
        game.question(seat, &mut line);
        let question = String::from_utf8_lossy(&line[start..]);
        let mut integers = question.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap_or(0));
        let first = [integers.next().unwrap_or(0), integers.next().unwrap_or(0)];
        kinds.push((seat.index(), integers.count(), first));
    }
    (String::from_utf8_lossy(&line).into_owned(), kinds)
}
