//! The story of a recorded game: its setting, its notable events, and any turn.
//!
//! Opening plays the game once and remembers little: the notable events, and some turns at which the replay can
//! continue. Everything else is made on demand from the log and the rules.

mod sentence;
mod turn;
mod vocabulary;

use crate::view::written::Shown;
use referee_record::contents::Contents;
use referee_record::error::Error;
use referee_record::play::position::Position;
use referee_record::play::replay::{self, Keyframe, Replay};
use referee_record::standard_error::Written;
use referee_record::text::{self, harmless};
use referee_record::{Answer, BotName, Heading};
use referee_rules::game::Game;
use referee_rules::{BySeat, Event, Events, FaultKind, Info, Outcome, Seat, Thing};

pub use sentence::sentence;
pub use turn::{Happening, HappeningKind, Remark, Reply, Turn, tell_places, tell_turn};
pub use vocabulary::{Part, Value, Vocabulary};

/// A recorded game. Its texts are harmless.
#[derive(Debug)]
pub struct Story {
    heading: Heading,
    vocabulary: Vocabulary,
    info: Info,
    turns: u32,
    outcome: Option<Outcome>,
    marks: Vec<Mark>,
    remarks: Vec<Remark>,
    keyframes: Vec<Keyframe>,
    replay: Replay,
    errors: Vec<(Seat, Shown)>,
}

/// An event to which one can jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The turn in which it happened.
    pub turn: u32,
    /// Its kind.
    pub kind: HappeningKind,
    /// Its name: the game's own word for an effect, a verdict, `score`, `decisive`, or why the game is over.
    pub name: &'static str,
    /// The seat that it concerns, if there is one.
    pub seat: Option<Seat>,
    /// The new score.
    pub score: Option<i64>,
}

/// Maximum number of keyframes, which are turns at which the replay can be resumed.
const KEYFRAMES_MAX: usize = 512;

/// Number of turns between two keyframes at first. It doubles when there are too many.
const KEYFRAME_DISTANCE: u32 = 16;

impl Story {
    /// Opens the log of a game, also of one that was given up.
    ///
    /// # Errors
    ///
    /// If it is not a log, or lacks the answer of a seat.
    pub fn open(log: Contents) -> Result<Story, Error> {
        let (mut replay, heading) = Replay::open(log)?;
        let info = replay.game().info().clone();
        let (mut marks, mut keyframes) = (Vec::new(), Vec::new());
        let mut scores = scores_of(replay.game(), &info);
        let (mut distance, mut events) = (KEYFRAME_DISTANCE, Events::default());
        loop {
            if replay.game().turn().is_multiple_of(distance) {
                keyframes.push(replay.keyframe());
                if keyframes.len() > KEYFRAMES_MAX {
                    distance *= 2;
                    keyframes.retain(|keyframe| keyframe.turn().is_multiple_of(distance));
                }
            }
            let Some((game, answers)) = replay.next_turn()? else { break };
            let turn = game.turn();
            play_and_mark(game, answers, &mut events, &mut marks);
            let scores_after = scores_of(game, &info);
            for (seat, score) in scores_after.iter().filter(|(seat, score)| **score != scores[*seat]) {
                let (seat, score) = (Some(seat), *score);
                marks.push(Mark { turn, kind: HappeningKind::Score, name: "score", seat, score });
            }
            scores = scores_after;
        }
        let (turns, outcome) = (replay.game().turn(), replay.game().outcome());
        if let Some(outcome) = &outcome {
            let turn = turns.saturating_sub(1);
            marks.push(Mark {
                turn,
                kind: HappeningKind::End,
                name: outcome.reason,
                seat: None,
                score: None,
            });
        }
        let heading = made_harmless(heading);
        let vocabulary = Vocabulary::of(&heading);
        let (remarks, errors) = (Vec::new(), Vec::new());
        Ok(Story { heading, vocabulary, info, turns, outcome, marks, remarks, keyframes, replay, errors })
    }

    /// Returns the heading of the log: the game, its parameters and its bots.
    pub fn heading(&self) -> &Heading {
        &self.heading
    }

    /// Returns the vocabulary of the game's sentences.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Describes the game.
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// Returns the number of turns that were played.
    pub fn turns(&self) -> u32 {
        self.turns
    }

    /// Returns how the game ended; none if it was given up.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Adds remarks about turns. They become marks and happenings of their turns.
    pub fn add(&mut self, remarks: Vec<Remark>) {
        self.marks.extend(remarks.iter().map(Remark::mark));
        self.marks.sort_by_key(|mark| mark.turn);
        self.remarks.extend(remarks);
    }

    /// Adds the standard error of bots to their turns, where there is some.
    pub fn add_errors(&mut self, errors: impl Fn(Seat) -> Option<Written>) {
        let shown = |seat| Some((seat, Shown::of(&errors(seat)?)));
        self.errors = Seat::first(self.info.seats).filter_map(shown).collect();
    }

    /// Lists the events to which one can jump, in the order of turns.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Returns the position after this number of turns, or the last position if there are fewer.
    pub fn position(&mut self, turns: u32) -> Result<Position, Error> {
        self.go_to(turns)?;
        Ok(Position::of(self.replay.game()))
    }

    /// Tells a turn; none if it was not played.
    pub fn turn(&mut self, number: u32) -> Result<Option<Turn>, Error> {
        self.go_to(number)?;
        Ok(self.next_turn()?.1)
    }

    /// Returns the position after this number of turns, and the last of them, if there was one.
    pub fn after(&mut self, turns: u32) -> Result<(Position, Option<Turn>), Error> {
        let Some(last) = turns.min(self.turns).checked_sub(1) else { return Ok((self.position(0)?, None)) };
        self.go_to(last)?;
        self.next_turn()
    }

    /// Tells the next turn, if there is one. Returns the position after it, too.
    fn next_turn(&mut self) -> Result<(Position, Option<Turn>), Error> {
        let mut position = Position::of(self.replay.game());
        let next = self.replay.next_turn()?;
        let mut turn = next.map(|(game, answers)| tell_turn(game, answers, &mut position, &self.vocabulary));
        if let Some(turn) = &mut turn {
            turn.add(&self.remarks);
            let wrote = |(seat, shown): &(Seat, Shown)| {
                Some((*seat, shown.of_turn(turn.number, self.turns)?.to_owned()))
            };
            turn.wrote = self.errors.iter().filter_map(wrote).collect();
        }
        Ok((position, turn))
    }

    /// Tells all turns, one after the other, without remarks and standard error.
    pub fn each_turn(&mut self, mut take: impl FnMut(&Turn) -> Result<(), Error>) -> Result<(), Error> {
        self.go_to(0)?;
        let mut position = Position::of(self.replay.game());
        while let Some((game, answers)) = self.replay.next_turn()? {
            take(&tell_turn(game, answers, &mut position, &self.vocabulary))?;
        }
        Ok(())
    }

    /// Returns the question of a turn to a seat, without its newline; none if the seat was not asked.
    pub fn question(&mut self, turn: u32, seat: Seat) -> Result<Option<String>, Error> {
        self.go_to(turn)?;
        let game = self.replay.game();
        if game.turn() != turn || !game.asked().contains(&seat) {
            return Ok(None);
        }
        let mut line = Vec::new();
        game.question(seat, &mut line);
        Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()))
    }

    /// Brings the replay to the position after this number of turns.
    fn go_to(&mut self, turns: u32) -> Result<(), Error> {
        let turns = turns.min(self.turns);
        let now = self.replay.game().turn();
        let keyframes_before = self.keyframes.partition_point(|keyframe| keyframe.turn() <= turns);
        let last = keyframes_before.checked_sub(1).expect("the first turn is a keyframe");
        let keyframe = &self.keyframes[last];
        if now > turns || now < keyframe.turn() {
            self.replay.go_to(keyframe)?;
        }
        let mut events = Events::default();
        while self.replay.game().turn() < turns {
            let Some((game, answers)) = self.replay.next_turn()? else { break };
            replay::advance(game, answers, &mut events, None, |_, _, _| {});
        }
        Ok(())
    }
}

/// Plays a turn of a game with these answers, and marks its faults and effects.
fn play_and_mark(game: &mut dyn Game, answers: &[Answer], events: &mut Events, marks: &mut Vec<Mark>) {
    let turn = game.turn();
    replay::advance(game, answers, events, None, |_, answer, verdict| {
        let dropped = answer.dropped.iter().filter(|(kind, count)| *count > 0 && is_a_fault(*kind));
        let kinds = verdict.map(|fault| fault.kind()).into_iter().chain(dropped.map(|(kind, _)| kind));
        for kind in kinds {
            let (name, seat) = (kind.name(), Some(answer.seat));
            marks.push(Mark { turn, kind: HappeningKind::Fault, name, seat, score: None });
        }
    });
    for event in events.iter() {
        if let Event::Effect { name, seat, .. } = event {
            marks.push(Mark { turn, kind: HappeningKind::Effect, name, seat, score: None });
        }
    }
}

fn scores_of(game: &dyn Game, info: &Info) -> BySeat<Option<i64>> {
    let mut scores = BySeat::from_fn(info.seats, |_| None);
    game.describe(&mut |fact| {
        if let (Thing::SCORE, Some(seat)) = (fact.thing, fact.seat) {
            scores[seat] = Some(fact.value);
        }
    });
    scores
}

/// Tells whether a line that was dropped counts as a fault. The answer of a late turn does not: the turn already counts
/// as a fault.
fn is_a_fault(dropped: FaultKind) -> bool {
    dropped != FaultKind::Late
}

/// Returns a heading with harmless texts.
pub fn made_harmless(heading: Heading) -> Heading {
    let name = |text: &str| harmless(text, text::NAME);
    Heading {
        game: harmless(&heading.game, text::SENTENCE),
        parameters: heading.parameters.iter().map(|(key, value)| (name(key), name(value))).collect(),
        bots: heading.bots.iter().map(|(_, bot)| BotName { name: name(&bot.name), ..bot.clone() }).collect(),
        arguments: heading.arguments.iter().map(|(_, words)| harmless(words, text::SENTENCE)).collect(),
        ..heading
    }
}
