//! The questions in a tape, each as its difference from an earlier one and from the position. A page shows exactly the
//! line that was sent.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::page::html::facts::{Facts, Patch, patch};
use referee_rules::Seat;
use referee_rules::game::Game;
use referee_rules::wire;

/// A question.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Question {
    /// The text as it was sent, and the parts of the position in it. A seat's first question after a whole position is
    /// of this kind.
    Whole { text: String, repeats: Vec<Repeat> },
    /// The difference from the seat's previous question, after its repeated parts are taken from the position now.
    Patch(Patch),
    /// The difference from the question before it in this turn.
    Like { like: Patch },
}

/// A run of facts that a question repeats: the first fact, the first integer of the question, and their number. An
/// absent fact is zero.
type Repeat = (usize, usize, usize);

/// The questions since the last whole position.
#[derive(Debug, Default)]
pub(super) struct Questions {
    /// The previous question of each seat, with the runs of facts in it.
    by_seat: BTreeMap<Seat, (Vec<Option<i64>>, Vec<Repeat>)>,
    line: Vec<u8>,
    /// The previous question of this turn.
    previous_line: Vec<u8>,
    integers: Vec<i64>,
}

/// Two questions of a turn are alike if they differ only in their first bytes, of which this is the maximum number.
const HEAD_MAX: usize = 48;

/// Minimum length of a run of facts that is searched in a question.
const REPEAT_MIN: usize = 4;

/// The greatest integer up to which a number of JavaScript is exact.
const EXACT: u64 = 1 << 53;

impl Questions {
    /// Makes the next questions independent of earlier ones.
    pub(super) fn forget(&mut self) {
        self.by_seat.clear();
    }

    /// Returns the questions of the turn that comes next, in the order of the seats.
    pub(super) fn next_turn(&mut self, game: &mut dyn Game, facts: &Facts) -> Vec<Question> {
        self.previous_line.clear();
        let mut questions = Vec::new();
        for seat in game.asked().to_vec() {
            self.line.clear();
            game.question(seat, &mut self.line);
            questions.push(match patch_of_head(&self.previous_line, &self.line) {
                Some(like) => Question::Like { like },
                None => self.next_of_seat(seat, facts),
            });
            std::mem::swap(&mut self.line, &mut self.previous_line);
        }
        questions
    }

    /// Returns the question in `line`, which is for this seat.
    fn next_of_seat(&mut self, seat: Seat, facts: &Facts) -> Question {
        let text = self.line.trim_ascii_end();
        self.integers.clear();
        wire::read_integers(text, &mut self.integers).expect("a question is integers");
        let integers: Vec<_> = self.integers.iter().copied().map(Some).collect();
        let is_exact = self.integers.iter().all(|integer| integer.unsigned_abs() <= EXACT);
        match self.by_seat.get_mut(&seat) {
            Some((before, repeats)) if is_exact && before.len() == integers.len() => {
                for (fact, place, count) in repeats {
                    let values = facts.values()[*fact..][..*count].iter().map(|value| value.or(Some(0)));
                    for (integer, value) in before[*place..][..*count].iter_mut().zip(values) {
                        *integer = value;
                    }
                }
                let patch = patch(before, &integers);
                *before = integers;
                Question::Patch(patch)
            }
            _ => {
                let repeats = if is_exact { repeats(&self.integers, facts) } else { Vec::new() };
                // No question is empty: after an empty one, the next is whole, too.
                let previous = if is_exact { integers } else { Vec::new() };
                self.by_seat.insert(seat, (previous, repeats.clone()));
                Question::Whole { text: String::from_utf8_lossy(text).into_owned(), repeats }
            }
        }
    }
}

/// Returns the patch from one question to another if they differ only in a few integers at their beginnings.
fn patch_of_head(one: &[u8], other: &[u8]) -> Option<Patch> {
    let same_bytes = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    // The common part begins at a blank, so that it consists of whole integers.
    let same_bytes = same_bytes - one[one.len() - same_bytes..].iter().position(|byte| *byte == b' ')?;
    let read_head = |line: &[u8]| {
        let head = &line[..line.len() - same_bytes];
        if head.len() > HEAD_MAX {
            return None;
        }
        let mut integers = Vec::new();
        wire::read_integers(head, &mut integers).expect("a question is integers");
        let is_exact = integers.iter().all(|integer| integer.unsigned_abs() <= EXACT);
        if is_exact { Some(integers.into_iter().map(Some).collect::<Vec<_>>()) } else { None }
    };
    let (one, other) = (read_head(one)?, read_head(other)?);
    if one.len() == other.len() { Some(patch(&one, &other)) } else { None }
}

/// Finds the runs of facts that a question repeats. A run that is found at a wrong place makes patches longer, not
/// wrong.
fn repeats(question: &[i64], facts: &Facts) -> Vec<Repeat> {
    let mut repeats = Vec::new();
    let mut next = 0;
    for (.., count) in facts.in_runs() {
        let fact = next;
        next += count;
        if count < REPEAT_MIN {
            continue;
        }
        let values = facts.values()[fact..next].iter().map(|value| value.unwrap_or(0));
        let mut parts = question.windows(count);
        if let Some(place) = parts.position(|integers| integers.iter().copied().eq(values.clone())) {
            repeats.push((fact, place, count));
        }
    }
    repeats
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_that_differ_in_their_heads_alone_are_alike() {
        let alike = |one: &str, other: &str| patch_of_head(one.as_bytes(), other.as_bytes());
        assert_eq!(alike("4 7 0 55 6\n", "4 7 1 55 6\n"), Some(vec![Some(2), Some(1)]));
        assert_eq!(alike("4 7 0 155 6\n", "4 7 1 255 6\n"), Some(vec![Some(2), Some(1), Some(0), Some(100)]));
        assert_eq!(alike("4 7 0 55 6\n", "5 7 1 2 55 6\n"), None, "one is longer");
        assert_eq!(alike("", "4 7 1 55 6\n"), None, "there is none before");
        assert_eq!(
            alike("2 9007199254740993 6\n", "2 7 6\n"),
            None,
            "a number of JavaScript does not hold it"
        );
        let long = "12345 ".repeat(10);
        assert_eq!(alike(&format!("{long}6 1 6\n"), &format!("{long}6 2 6\n")), None, "the head is too long");
    }
}
