//! Hidden facts of a seat that are in the questions of others.

use std::collections::{BTreeMap, BTreeSet};

use crate::game::JudgeGame;
use referee_rules::game::Game;
use referee_rules::{Position, wire};

/// A place where a hidden fact could be: the seat that is asked, the length of its question, the place in it; and the
/// fact: its thing, its seat and its index.
type Suspect = (usize, usize, usize, (&'static str, usize, Option<usize>));

/// What was seen so far.
#[derive(Debug)]
pub(super) struct Leaks {
    /// The things whose facts are hidden.
    things: &'static [&'static str],
    /// The values with which the integer at a place was the fact, in how many positions; `None`: once it was not.
    suspects: BTreeMap<Suspect, Option<(u32, BTreeSet<i64>)>>,
}

/// Maximum number of suspects: questions of large boards have more.
const SUSPECTS_MAX: usize = 50_000;

/// Minimum number of positions for a remark, and of different values in them: fewer are chance.
const POSITIONS_LEAST: u32 = 6;
const VALUES_LEAST: usize = 3;

impl Leaks {
    pub(super) fn new(things: &'static [&'static str]) -> Leaks {
        Leaks { things, suspects: BTreeMap::new() }
    }

    /// Looks at the questions of a position.
    pub(super) fn look(&mut self, game: &mut JudgeGame) {
        if self.things.is_empty() {
            return;
        }
        let position = Position::of(game);
        let facts: Vec<_> = position
            .facts()
            .iter()
            .filter(|fact| self.things.contains(&fact.thing.as_str()))
            .filter_map(|fact| Some(((fact.thing.as_str(), fact.seat?.index(), fact.index), fact.value)))
            .collect();
        for seat in game.asked().to_vec() {
            let (mut line, mut question) = (Vec::new(), Vec::new());
            game.question(seat, &mut line);
            if wire::read_integers(line.trim_ascii(), &mut question).is_err() {
                continue;
            }
            let seat = seat.index();
            for (fact, value) in facts.iter().filter(|((_, owner, _), _)| *owner != seat) {
                for (at, integer) in question.iter().enumerate().skip(1) {
                    let suspect = (seat, question.len(), at, *fact);
                    if !self.suspects.contains_key(&suspect) && self.suspects.len() == SUSPECTS_MAX {
                        return;
                    }
                    let matches = self.suspects.entry(suspect).or_insert_with(|| Some(Default::default()));
                    match matches {
                        Some((positions, values)) if integer == value => {
                            *positions += 1;
                            values.insert(*value);
                        }
                        _ => *matches = None,
                    }
                }
            }
        }
    }

    /// Returns a remark about the first place that always held a hidden fact of another seat.
    pub(super) fn remark(&self) -> Option<String> {
        let certain =
            self.suspects.iter().filter_map(|(suspect, matches)| Some((suspect, matches.as_ref()?)));
        let mut sure = certain
            .filter(|(_, (positions, values))| *positions >= POSITIONS_LEAST && values.len() >= VALUES_LEAST);
        let ((seat, _, at, (thing, owner, _)), (positions, _)) = sure.next()?;
        Some(format!(
            "integer {at} of the questions of seat {seat} was `{thing}` of seat {owner}, which is hidden, in all {positions} \
             positions: does the seat know it?"
        ))
    }
}
