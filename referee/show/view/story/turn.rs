//! One turn of a game as a story: replies, happenings and changes.

use std::time::Duration;

use crate::view::story::sentence::sentence;
use crate::view::story::vocabulary::{Part, Vocabulary};
use crate::view::story::{Mark, is_a_fault};
use referee_record::play::position::{Change, Position};
use referee_record::play::replay;
use referee_record::text::{self, harmless};
use referee_record::{Answer, Dropped};
use referee_rules::game::Game;
use referee_rules::{Event, Events, Fault, FaultKind, Occurrence, OccurrenceName, Outcome, Seat, Thing};

/// One turn. Its texts are harmless.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Its number, from 0.
    pub number: u32,
    /// The replies of the seats that were asked, in the order of the seats.
    pub replies: Vec<Reply>,
    /// The happenings, in order.
    pub happenings: Vec<Happening>,
    /// How the position before the turn differs from the one after it.
    pub changes: Vec<Change>,
    /// The standard error of bots, in lines, if it was added to the [`Story`](super::Story).
    pub wrote: Vec<(Seat, String)>,
}

/// The result of one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The seat that was asked.
    pub seat: Seat,
    /// The integers of the answer, if it was made of integers.
    pub integers: Vec<i64>,
    /// The fault; `None` if all is well.
    pub fault: Option<FaultKind>,
    /// More about the fault, or nothing.
    pub detail: String,
    /// The charged time.
    pub thinking: Duration,
    /// The elapsed time.
    pub wall: Duration,
    /// Lines that answered no question.
    pub dropped: Dropped,
}

impl Reply {
    /// Returns the verdict: `ok`, or the fault's name.
    pub fn verdict(&self) -> &'static str {
        self.fault.map_or("ok", FaultKind::name)
    }
}

/// One thing that happened, as words and as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening {
    /// Its kind.
    pub kind: HappeningKind,
    /// The happening as data. Its name is the game's own word, a verdict, `score`, `decisive`, or why the game is over.
    pub occurrence: Occurrence,
    /// A sentence without its full stop. Bots have their names in it.
    pub words: String,
    /// The parts of the sentence that differ from turn to turn; none if it was changed to be harmless.
    pub parts: Vec<Part>,
}

impl Happening {
    /// Returns a happening with a sentence, in which bots are seats: `seat 3 wins`.
    pub fn of(
        kind: HappeningKind,
        occurrence: Occurrence,
        words: std::fmt::Arguments<'_>,
        vocabulary: &Vocabulary,
    ) -> Happening {
        let (words, parts) = sentence(words, vocabulary);
        Happening { kind, occurrence, words, parts }
    }
}

/// The kind of a happening. A viewer can jump to all kinds but actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HappeningKind {
    /// An action of a seat, or a random choice among several.
    Action,
    /// An effect in the game: a goal, a wall, the end of a quarter.
    Effect,
    /// A bot's mistake.
    Fault,
    /// A score changed.
    Score,
    /// The game is over.
    End,
    /// The share that a seat could expect fell.
    Fall,
}

/// A finding about a turn that is not in the log, such as a decisive turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The turn.
    pub turn: u32,
    /// The finding. Its words are harmless.
    pub happening: Happening,
}

impl Remark {
    pub(super) fn mark(&self) -> Mark {
        let Occurrence { name, seat, .. } = self.happening.occurrence;
        Mark { turn: self.turn, kind: self.happening.kind, name: name.as_str(), seat, score: None }
    }
}

impl Turn {
    /// Adds the remarks about this turn.
    pub fn add(&mut self, remarks: &[Remark]) {
        let about = remarks.iter().filter(|remark| remark.turn == self.number);
        self.happenings.extend(about.map(|remark| remark.happening.clone()));
    }
}

/// Plays a turn of a game with these answers, and tells it. `position` is that before the turn, and becomes that after.
pub fn tell_turn(
    game: &mut dyn Game,
    answers: &[Answer],
    position: &mut Position,
    vocabulary: &Vocabulary,
) -> Turn {
    let number = game.turn();
    let (mut replies, mut happenings) = (Vec::new(), Vec::new());
    let (mut occurrences, mut events) = (Vec::new(), Events::default());
    let mut take = |occurrence, words: std::fmt::Arguments<'_>| {
        occurrences.push((occurrence, sentence(words, vocabulary)))
    };
    replay::advance(game, answers, &mut events, Some(&mut take), |_, answer, verdict| {
        tell_faults(answer, verdict.as_ref(), vocabulary, &mut happenings);
        replies.push(reply(answer, verdict.as_ref()));
    });
    let is_effect = |occurrence: &Occurrence| {
        events
            .iter()
            .any(|event| matches!(event, Event::Effect { name, .. } if name == occurrence.name.as_str()))
    };
    happenings.extend(occurrences.into_iter().map(|(occurrence, (words, parts))| {
        let kind = if is_effect(&occurrence) { HappeningKind::Effect } else { HappeningKind::Action };
        Happening { kind, occurrence, words, parts }
    }));
    let after = Position::of(game);
    let changes = position.changes_to(&after);
    happenings.extend(changes.iter().filter_map(|change| tell_score(change, vocabulary)));
    happenings.extend(game.outcome().as_ref().map(|outcome| tell_end(outcome, vocabulary)));
    *position = after;
    Turn { number, replies, happenings, changes, wrote: Vec::new() }
}

fn reply(answer: &Answer, verdict: Option<&Fault>) -> Reply {
    let mut detail = String::new();
    if let Some(fault) = verdict {
        let _ = fault.write_detail(&mut detail);
    }
    Reply {
        seat: answer.seat,
        integers: answer.integers.clone(),
        fault: verdict.map(Fault::kind),
        detail: harmless(&detail, text::SENTENCE),
        thinking: answer.thinking,
        wall: answer.wall,
        dropped: answer.dropped,
    }
}

fn tell_faults(
    answer: &Answer,
    verdict: Option<&Fault>,
    vocabulary: &Vocabulary,
    happenings: &mut Vec<Happening>,
) {
    let seat = answer.seat;
    let mut fault = |name, words: std::fmt::Arguments<'_>| {
        let occurrence = Occurrence::new(OccurrenceName::new(name)).by(seat);
        happenings.push(Happening::of(HappeningKind::Fault, occurrence, words, vocabulary));
    };
    if let Some(verdict) = verdict {
        fault(verdict.kind().name(), format_args!("fault of seat {seat}: {verdict}"));
    }
    for (kind, count) in answer.dropped.iter().filter(|(kind, count)| *count > 0 && is_a_fault(*kind)) {
        let name = kind.name();
        match count {
            1 => fault(name, format_args!("fault of seat {seat}: a line dropped as {name}")),
            _ => fault(name, format_args!("fault of seat {seat}: {count} lines dropped as {name}")),
        }
    }
}

fn tell_score(change: &Change, vocabulary: &Vocabulary) -> Option<Happening> {
    let (seat, after) = (change.seat?, change.after?);
    if change.thing != Thing::SCORE {
        return None;
    }
    let gain = after - change.before.unwrap_or(0);
    let occurrence = Occurrence {
        from: change.before,
        to: Some(after),
        ..Occurrence::new(OccurrenceName::new(Thing::SCORE.as_str())).by(seat)
    };
    let words = format_args!("score of seat {seat}: {after} ({gain:+})");
    Some(Happening::of(HappeningKind::Score, occurrence, words, vocabulary))
}

fn tell_end(outcome: &Outcome, vocabulary: &Vocabulary) -> Happening {
    let occurrence = Occurrence::new(OccurrenceName::new(outcome.reason));
    let (why, first) = (vocabulary.end(outcome.reason), vocabulary.first(outcome));
    let words = harmless(&format!("the game is over: {why}; {first}"), text::SENTENCE);
    Happening { kind: HappeningKind::End, occurrence, words, parts: Vec::new() }
}

/// Tells the place and the score of each seat after the last turn, the first place first.
pub fn tell_places(outcome: &Outcome, vocabulary: &Vocabulary) -> Vec<Happening> {
    let mut seats: Vec<Seat> = outcome.scores.iter().map(|(seat, _)| seat).collect();
    seats.sort_by_key(|seat| outcome.place(*seat));
    let places = seats.into_iter().map(|seat| {
        let (place, score) = (outcome.place(seat), outcome.scores[seat]);
        let words = format_args!("place {place}: seat {seat}, score {score}");
        let occurrence = Occurrence::new(OccurrenceName::new("place")).by(seat);
        Happening::of(HappeningKind::Action, occurrence, words, vocabulary)
    });
    places.collect()
}
