//! Leaks: hidden facts of a seat that are in the questions of others.

use std::collections::{BTreeMap, BTreeSet};

use crate::game::JudgeGame;
use referee_rules::game::Game;
use referee_rules::{Position, wire};

/// A hidden fact, without its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FactId {
    thing: &'static str,
    /// The seat that alone knows the fact.
    owner: usize,
    index: Option<usize>,
}

/// An integer of questions in which a hidden fact could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Suspect {
    asked_seat: usize,
    /// Number of integers of the question.
    question_length: usize,
    /// The place of the integer in the question.
    place: usize,
    fact: FactId,
}

/// The positions of a game in which the integer of a suspect and its fact were equal.
#[derive(Debug, Default)]
struct Matches {
    positions: u32,
    /// The values that both had.
    values: BTreeSet<i64>,
}

/// The comparison of all questions so far with hidden facts.
#[derive(Debug)]
pub(super) struct Leaks {
    /// The things whose facts are hidden.
    things: &'static [&'static str],
    /// For each suspect, its matches so far. `None`: integer and fact differed at least once.
    suspects: BTreeMap<Suspect, Option<Matches>>,
}

/// Maximum number of suspects: questions of large boards have more.
const SUSPECTS_MAX: usize = 50_000;

/// Minimum number of positions for a remark, and of different values in them: fewer are chance.
const POSITIONS_MIN: u32 = 6;
const VALUES_MIN: usize = 3;

impl Leaks {
    pub(super) fn new(things: &'static [&'static str]) -> Leaks {
        Leaks { things, suspects: BTreeMap::new() }
    }

    /// Compares the questions of a position with its hidden facts.
    pub(super) fn add_position(&mut self, game: &mut JudgeGame) {
        if self.things.is_empty() {
            return;
        }
        let position = Position::of(game);
        // A judge gives each fact once.
        let mut facts: BTreeMap<FactId, i64> = BTreeMap::new();
        for fact in position.facts() {
            let thing = fact.thing.as_str();
            if self.things.contains(&thing)
                && let Some(owner) = fact.seat
            {
                let id = FactId { thing, owner: owner.index(), index: fact.index };
                facts.insert(id, fact.value);
            }
        }
        for seat in game.asked().to_vec() {
            let (mut line, mut question) = (Vec::new(), Vec::new());
            game.question(seat, &mut line);
            if wire::read_integers(line.trim_ascii(), &mut question).is_ok() {
                self.compare(seat.index(), &question, &facts);
            }
        }
    }

    /// Compares a question with the hidden facts of its position.
    fn compare(&mut self, asked_seat: usize, question: &[i64], facts: &BTreeMap<FactId, i64>) {
        self.add_suspects(asked_seat, question.len(), facts);
        for (suspect, matches) in &mut self.suspects {
            if (suspect.asked_seat, suspect.question_length) != (asked_seat, question.len()) {
                continue;
            }
            let Some(value) = facts.get(&suspect.fact) else { continue };
            match matches {
                Some(Matches { positions, values }) if question[suspect.place] == *value => {
                    *positions += 1;
                    values.insert(*value);
                }
                _ => *matches = None,
            }
        }
    }

    /// Suspects every integer of a question, except the first one, of every fact of another seat. Adds no suspects once
    /// there are as many as can be followed.
    fn add_suspects(&mut self, asked_seat: usize, question_length: usize, facts: &BTreeMap<FactId, i64>) {
        for fact in facts.keys().copied().filter(|fact| fact.owner != asked_seat) {
            for place in 1..question_length {
                if self.suspects.len() == SUSPECTS_MAX {
                    return;
                }
                let suspect = Suspect { asked_seat, question_length, place, fact };
                self.suspects.entry(suspect).or_insert_with(|| Some(Matches::default()));
            }
        }
    }

    /// Returns a remark about the first place that always held a hidden fact of another seat.
    pub(super) fn remark(&self) -> Option<String> {
        for (suspect, matches) in &self.suspects {
            let Some(Matches { positions, values }) = matches else { continue };
            if *positions >= POSITIONS_MIN && values.len() >= VALUES_MIN {
                let Suspect { asked_seat, place, fact: FactId { thing, owner, .. }, .. } = suspect;
                return Some(format!(
                    "integer {place} of the questions of seat {asked_seat} was `{thing}` of seat {owner}, which is \
                     hidden, in all {positions} positions: does the seat know it?"
                ));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns facts of seat 1: the given ones, by their index.
    fn facts(all: impl IntoIterator<Item = (usize, i64)>) -> BTreeMap<FactId, i64> {
        let id = |index| FactId { thing: "card", owner: 1, index: Some(index) };
        all.into_iter().map(|(index, value)| (id(index), value)).collect()
    }

    /// Fills the list of suspects, one of which is card 9 in integer 1 of questions of seat 0. Then asks seat 0 in some
    /// positions, in each of which card 3, which is new, comes before card 9.
    fn remark_after(positions: impl IntoIterator<Item = (i64, i64)>) -> Option<String> {
        let mut leaks = Leaks::new(&["card"]);
        leaks.compare(0, &[0, 7], &facts([(9, 7)]));
        leaks.compare(2, &[-1; 1000], &facts((0..100).map(|index| (index, 5))));
        assert_eq!(leaks.suspects.len(), SUSPECTS_MAX);
        for (integer, card) in positions {
            leaks.compare(0, &[0, integer], &facts([(3, -1), (9, card)]));
        }
        leaks.remark()
    }

    #[test]
    fn suspects_are_followed_after_the_list_is_full() {
        let remark = remark_after((1..6).map(|value| (value, value))).expect("a remark");
        assert!(remark.contains("integer 1 of the questions of seat 0 was `card` of seat 1"), "{remark}");
        assert!(remark.contains("in all 6 positions"), "{remark}");
        assert_eq!(remark_after((1..9).map(|value| (value, if value == 8 { 0 } else { value }))), None);
    }
}
