//! Replies of a judge in a game: positions with the events that led to them, verdicts, samples, facts.
//! `docs/reference/judge.md` describes their lines.

use std::collections::BTreeSet;

use crate::session::Session;
use crate::words::{self, Draw, Order, Words};
use referee_record::text;
use referee_rules::{Dice, Fact, Fault, Illegal, Malformed, Outcome, Seat, Thing};

/// A position as a judge reports it: the questions, or how the game ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Position {
    /// In the order of the seats, each with the integers of its question.
    pub(super) questions: Vec<(Seat, Vec<i64>)>,
    pub(super) shared: SharedIntegers,
    /// How the game ended; `None` while seats are asked.
    pub(super) outcome: Option<Outcome>,
}

/// The integers that end each question of a turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SharedIntegers {
    /// Each with a blank before it.
    pub(super) text: Vec<u8>,
    pub(super) count: usize,
}

/// Maximum number of bytes of the shared integers, summed over all questions of a turn.
const SHARED_MAX: usize = 16 << 20;

/// Maximum number of columns of a judge's sentence; the rest is cut off.
const SENTENCE_MAX: usize = 200;

/// Maximum index of a fact: boards are smaller.
const FACT_INDEX_MAX: i64 = 1 << 20;

/// Maximum size of a fact's value, which has 32 bits.
const FACT_MAX: i64 = i32::MAX as i64;

/// Maximum size of a score. Sums of many games stay exact.
const SCORE_MAX: u64 = 1_000_000_000_000;

/// A sentence about a turn.
#[derive(Clone, Debug)]
pub(super) struct Saying {
    /// The seat that it is about, if it is one.
    pub(super) seat: Option<Seat>,
    pub(super) sentence: String,
}

/// A reply to `start` or to the answers of a turn.
#[derive(Debug, Default)]
pub(super) struct Reply {
    pub(super) position: Position,
    /// The events, in the order of the reply.
    pub(super) events: Vec<ReportedEvent>,
    pub(super) sayings: Vec<Saying>,
}

/// An event of a turn, as a judge reports it.
#[derive(Debug)]
pub(super) enum ReportedEvent {
    Draw(Draw),
    Effect { name: &'static str, seat: Option<Seat>, values: Vec<i64> },
}

/// Reads a reply that contains a position, and makes the draws that it requests. `teams` identifies the team of each
/// seat by a number.
pub(super) fn read_reply(session: &mut Session, teams: &[usize], dice: &mut Dice) -> Result<Reply, String> {
    let seats = teams.len();
    let mut reply = Reply::default();
    let mut ending = Ending::default();
    // Lines come in any order, up to `end`.
    loop {
        let line = session.read_line()?;
        let mut words = Words::new(&line);
        match words.word()? {
            word @ ("draw" | "pick") => {
                let order = if word == "draw" { Order::AsDrawn } else { Order::AsListed };
                let draw = words::draw(&mut words, order, session, dice)?;
                reply.events.push(ReportedEvent::Draw(draw));
            }
            "effect" => {
                let (name, seat) = (words.name()?, seat_or_nobody(&mut words, seats)?);
                let values = words.integers()?;
                reply.events.push(ReportedEvent::Effect { name, seat, values });
            }
            "say" => {
                let seat = seat_or_nobody(&mut words, seats)?;
                reply.sayings.push(Saying { seat, sentence: text::harmless(words.rest(), SENTENCE_MAX) });
            }
            "ask" => reply.position.read_question(&mut words, seats)?,
            "shared" => {
                let shared = &mut reply.position.shared;
                shared.count += words.integers_as_text(&mut shared.text)?;
            }
            "over" => ending.read_reason(&mut words)?,
            "scores" => ending.read_scores(&mut words)?,
            "shares" => ending.read_shares(&mut words)?,
            "end" => {
                words.end()?;
                break;
            }
            _ => return Err(words.unknown("draw, pick, effect, say, ask, shared, over, scores, shares, end")),
        }
        words.end()?;
    }
    reply.position.questions.sort_by_key(|(seat, _)| *seat);
    let is_asked = !reply.position.questions.is_empty();
    if reply.position.shared.text.len() * reply.position.questions.len() > SHARED_MAX {
        return Err(format!("the questions of the turn are longer than {} MiB", SHARED_MAX >> 20));
    }
    reply.position.outcome = ending.outcome(is_asked, teams)?;
    Ok(reply)
}

impl Position {
    /// Takes the rest of a line `ask SEAT INTEGERS`.
    fn read_question(&mut self, words: &mut Words<'_>, seats: usize) -> Result<(), String> {
        let seat = Seat::new(words.number(0, seats as i64 - 1)? as usize);
        if self.questions.iter().any(|(other, _)| *other == seat) {
            return Err(words.wrong("this seat is asked twice"));
        }
        self.questions.push((seat, words.integers()?));
        Ok(())
    }
}

/// The lines of a reply about the end of the game, each at most once.
#[derive(Default)]
struct Ending {
    reason: Option<&'static str>,
    scores: Option<Vec<i64>>,
    shares: Option<Vec<f64>>,
}

impl Ending {
    fn read_reason(&mut self, words: &mut Words<'_>) -> Result<(), String> {
        if self.reason.is_some() {
            return Err(words.repeated());
        }
        self.reason = Some(words.name()?);
        Ok(())
    }

    fn read_scores(&mut self, words: &mut Words<'_>) -> Result<(), String> {
        if self.scores.is_some() {
            return Err(words.repeated());
        }
        let scores = words.integers()?;
        if let Some(score) = scores.iter().find(|score| score.unsigned_abs() > SCORE_MAX) {
            return Err(words.wrong(&format!("{score} is not from -{SCORE_MAX} to {SCORE_MAX}")));
        }
        self.scores = Some(scores);
        Ok(())
    }

    fn read_shares(&mut self, words: &mut Words<'_>) -> Result<(), String> {
        if self.shares.is_some() {
            return Err(words.repeated());
        }
        let whole = words.number(1, i64::MAX)?;
        let parts = words.integers()?;
        if parts.iter().any(|part| !(0..=whole).contains(part)) {
            return Err(words.wrong("a share must be from 0 to the first number"));
        }
        self.shares = Some(parts.iter().map(|part| *part as f64 / whole as f64).collect());
        Ok(())
    }

    /// Returns the outcome; `None` while seats are asked.
    fn outcome(self, is_asked: bool, teams: &[usize]) -> Result<Option<Outcome>, String> {
        let seats = teams.len();
        match (self.reason, self.scores) {
            (None, None) if is_asked && self.shares.is_none() => Ok(None),
            (Some(reason), Some(scores)) if !is_asked => {
                let shares = self.shares.unwrap_or_else(|| shares_by_place(&scores, teams));
                if scores.len() != seats || shares.len() != seats {
                    let (scores, shares) = (scores.len(), shares.len());
                    return Err(format!("{scores} scores and {shares} shares for {seats} seats"));
                }
                Ok(Some(Outcome { scores: scores.into(), shares: shares.into(), reason }))
            }
            (None, _) if !is_asked => Err("no seat is asked, but the game is not over".to_owned()),
            _ => Err("a game that is over needs `over` and `scores`, and must not ask a seat".to_owned()),
        }
    }
}

/// Returns the shares that follow from the scores: for each seat, the part of its opponents that have less, plus half
/// of the part that have the same. Seats of the same team are no opponents. A seat without an opponent has the whole.
fn shares_by_place(scores: &[i64], teams: &[usize]) -> Vec<f64> {
    let share = |(seat, own): (usize, &i64)| {
        let (mut less, mut equal, mut opponents) = (0, 0, 0);
        for (other, score) in scores.iter().enumerate() {
            if teams.get(other) != teams.get(seat) {
                opponents += 1;
                less += u32::from(score < own);
                equal += u32::from(score == own);
            }
        }
        if opponents == 0 {
            return 1.0;
        }
        (f64::from(less) + f64::from(equal) / 2.0) / f64::from(opponents)
    };
    scores.iter().enumerate().map(share).collect()
}

/// Takes a seat; -1 stands for no particular seat.
fn seat_or_nobody(words: &mut Words<'_>, seats: usize) -> Result<Option<Seat>, String> {
    let number = words.number(-1, seats as i64 - 1)?;
    Ok(usize::try_from(number).ok().map(Seat::new))
}

/// Reads the verdict on an answer.
pub(super) fn read_verdict(session: &mut Session) -> Result<Option<Fault>, String> {
    let line = session.read_line()?;
    let mut words = Words::new(&line);
    let verdict = match words.word()? {
        "fine" => None,
        "malformed" => Some(Fault::Malformed(Malformed::new(text::harmless(words.rest(), SENTENCE_MAX)))),
        "illegal" => {
            let illegal_parts = words.number(1, i64::from(u32::MAX))?;
            let all_parts = words.number(illegal_parts, i64::from(u32::MAX))?;
            let first = text::harmless(words.rest(), SENTENCE_MAX);
            Some(Fault::Illegal(Illegal { count: illegal_parts as u32, of: all_parts as u32, first }))
        }
        _ => return Err(words.unknown("fine, malformed, illegal")),
    };
    words.end()?;
    Ok(verdict)
}

/// Reads an answer that is allowed, and makes the draws that the judge requests for it.
pub(super) fn read_sample(session: &mut Session, dice: &mut Dice) -> Result<Vec<i64>, String> {
    loop {
        let line = session.read_line()?;
        let mut words = Words::new(&line);
        match words.word()? {
            // There is no `pick`: it orders what is recorded, and a sample is not.
            "draw" => drop(words::draw(&mut words, Order::AsDrawn, session, dice)?),
            "answer" => return words.integers(),
            _ => return Err(words.unknown("draw, answer")),
        }
    }
}

/// Reads the facts of a position.
pub(super) fn read_facts(session: &mut Session, seats: usize) -> Result<Vec<Fact>, String> {
    let mut facts = Vec::new();
    let mut known = BTreeSet::new();
    loop {
        let line = session.read_line()?;
        let mut words = Words::new(&line);
        match words.word()? {
            "fact" => {
                let (name, seat) = (words.name()?, seat_or_nobody(&mut words, seats)?);
                let index = words.number(-1, FACT_INDEX_MAX)?;
                let index = usize::try_from(index).ok();
                let value = words.number(-FACT_MAX, FACT_MAX)?;
                if !known.insert((name, seat, index)) {
                    return Err(words.wrong("this fact is given twice"));
                }
                facts.push(Fact { thing: Thing::new(name), seat, index, value });
            }
            "end" => return words.end().map(|()| facts),
            _ => return Err(words.unknown("fact, end")),
        }
        words.end()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_by_place_add_up_to_half_of_all_seats() {
        for (scores, expected) in [
            (&[1, 2][..], &[0.0, 1.0][..]),
            (&[5, 5], &[0.5, 0.5]),
            (&[0, 7, 7, 2], &[0.0, 2.5 / 3.0, 2.5 / 3.0, 1.0 / 3.0]),
        ] {
            assert_eq!(shares_by_place(scores, &[0, 1, 2, 3][..scores.len()]), expected, "{scores:?}");
        }
    }

    #[test]
    fn seats_of_a_team_are_no_opponents_of_each_other_and_a_single_seat_has_the_whole() {
        for (scores, expected) in [([9, 4, 9, 4], [1.0, 0.0, 1.0, 0.0]), ([9, 4, 1, 4], [1.0, 0.5, 0.0, 0.5])]
        {
            assert_eq!(shares_by_place(&scores, &[0, 1, 0, 1]), expected, "{scores:?}");
        }
        assert_eq!(shares_by_place(&[-7], &[0]), [1.0]);
    }
}
