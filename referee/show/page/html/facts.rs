//! The facts of positions as numbers, and their changes in a turn.

use std::collections::BTreeMap;

use crate::view::story::Happening;
use referee_record::play::position::Change;
use referee_rules::{Completion, Occurrence, Seat, Thing};

/// The difference of two lists of numbers: how many numbers stay as they are, the gain of the next number, and so on in
/// turn. The gain `None` removes a number. A number that was missing gains from zero.
pub(super) type Patch = Vec<Option<i64>>;

/// Number of turns from one whole position to the next.
pub(super) const APART: u32 = 128;

/// Returns the patch that turns one list of numbers into another.
pub(super) fn patch(before: &[Option<i64>], after: &[Option<i64>]) -> Patch {
    let mut patch = Vec::new();
    let mut next = 0;
    for (place, after) in after.iter().enumerate() {
        let before = before.get(place).copied().flatten();
        if *after != before {
            patch.push(Some((place - next) as i64));
            patch.push(after.map(|after| after - before.unwrap_or(0)));
            next = place + 1;
        }
    }
    patch
}

/// The fact that an occurrence is about. Before the turn, its value is `from` of the occurrence.
pub(super) struct FactOfOccurrence {
    /// The number of the fact.
    pub(super) fact: usize,
    /// Whether the value of the fact after the turn is `to` of the occurrence.
    pub(super) is_moved: bool,
    /// The thing of which the occurrence carries one from the place `from` to the place `to`; `None` if `is_moved`.
    pub(super) carries: Option<&'static str>,
}

/// All facts that the game has had, numbered in the order in which they appeared, with their values before and after a
/// turn.
#[derive(Debug, Default)]
pub(super) struct Facts {
    keys: Vec<(&'static str, Option<Seat>, Option<usize>)>,
    numbers: BTreeMap<(Option<Seat>, Option<usize>, &'static str), usize>,
    before: Vec<Option<i64>>,
    after: Vec<Option<i64>>,
}

impl Facts {
    /// Applies the changes of a turn to the values after it.
    pub(super) fn change(&mut self, changes: &[Change]) {
        for Change { thing, seat, index, after, .. } in changes {
            let number = *self.numbers.entry((*seat, *index, thing.as_str())).or_insert_with(|| {
                self.keys.push((thing.as_str(), *seat, *index));
                self.after.push(None);
                self.after.len() - 1
            });
            self.after[number] = *after;
        }
        self.before.resize(self.after.len(), None);
    }

    /// Ends a turn. Returns the patch with the changes that its happenings do not say themselves.
    pub(super) fn play(&mut self, happenings: &[Happening]) -> Patch {
        let mut next = self.before.clone();
        for Happening { occurrence, .. } in happenings {
            match self.fact_of(occurrence) {
                Some(FactOfOccurrence { fact, is_moved: true, .. }) => next[fact] = occurrence.to,
                Some(FactOfOccurrence { carries: Some(thing), .. }) => {
                    for (place, gain) in [(occurrence.from, -1), (occurrence.to, 1)] {
                        let place = place.and_then(|place| usize::try_from(place).ok());
                        if let Some(fact) = self.numbers.get(&(None, place, thing)) {
                            let value = next[*fact].unwrap_or(0) + gain;
                            next[*fact] = Some(value).filter(|value| *value != 0);
                        }
                    }
                }
                _ => {}
            }
        }
        let patch = patch(&next, &self.after);
        self.before.clone_from(&self.after);
        patch
    }

    /// Returns the whole position at this turn, if the tape has it there.
    pub(super) fn whole_at(&self, turn: u32) -> Option<Vec<Option<i64>>> {
        turn.is_multiple_of(APART).then(|| self.after.clone())
    }

    /// Finds the fact with an occurrence's seat and index whose value before the turn is `from`. If there are several,
    /// one whose value becomes `to` comes first.
    pub(super) fn fact_of(&self, occurrence: &Occurrence) -> Option<FactOfOccurrence> {
        if (occurrence.from, occurrence.to) == (None, None) {
            return None;
        }
        let about = self.numbers.range((occurrence.seat, occurrence.index, "")..);
        let about =
            about.take_while(|((seat, index, _), _)| (*seat, *index) == (occurrence.seat, occurrence.index));
        let fits = about.map(|(_, fact)| *fact).filter(|fact| self.before[*fact] == occurrence.from);
        let is_done = occurrence.completion == Completion::Done && occurrence.to.is_some();
        let carried = occurrence.name.carries().filter(|_| is_done).map(Thing::as_str);
        fits.map(|fact| {
            let is_moved = self.after[fact] == occurrence.to;
            FactOfOccurrence { fact, is_moved, carries: carried.filter(|_| !is_moved) }
        })
        .max_by_key(|found| found.is_moved)
    }

    /// Returns the values of the facts in the order of their numbers.
    pub(super) fn values(&self) -> &[Option<i64>] {
        &self.after
    }

    /// Lists the facts in the order of their numbers: thing, seat, first index, and the length of a run of indexes.
    pub(super) fn in_runs(&self) -> Vec<(&'static str, Option<usize>, Option<usize>, usize)> {
        let mut runs: Vec<(&'static str, Option<usize>, Option<usize>, usize)> = Vec::new();
        for (thing, seat, index) in &self.keys {
            let seat = seat.map(Seat::index);
            match runs.last_mut() {
                Some((run_of, whose, Some(first), count))
                    if run_of == thing && *whose == seat && *index == Some(*first + *count) =>
                {
                    *count += 1;
                }
                _ => runs.push((thing, seat, *index, 1)),
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::story::HappeningKind;
    use referee_rules::OccurrenceName;

    fn change(seat: usize, before: Option<i64>, after: Option<i64>) -> Change {
        Change { thing: Thing::PLAYER, seat: Some(Seat::new(seat)), index: Some(0), before, after }
    }

    #[test]
    fn a_patch_has_what_is_new_gone_and_different() {
        let before = [Some(3), None, Some(5), Some(7)];
        let after = [Some(3), Some(4), None, Some(6), Some(1)];
        assert_eq!(
            patch(&before, &after),
            [1, 4]
                .map(Some)
                .into_iter()
                .chain([Some(0), None, Some(0), Some(-1), Some(0), Some(1)])
                .collect::<Vec<_>>()
        );
        assert_eq!(patch(&before, &before), []);
    }

    #[test]
    fn what_an_occurrence_moves_is_not_in_the_patch() {
        let mut facts = Facts::default();
        facts.change(&[change(0, None, Some(17)), change(1, None, Some(20))]);
        facts.play(&[]);
        facts.change(&[change(0, Some(17), Some(18)), change(1, Some(20), Some(21))]);
        let occurrence = Occurrence {
            index: Some(0),
            from: Some(17),
            to: Some(18),
            ..Occurrence::new(OccurrenceName::new("step")).by(Seat::new(0))
        };
        let step =
            Happening { kind: HappeningKind::Action, occurrence, words: String::new(), parts: Vec::new() };
        assert_eq!(facts.play(&[step]), [Some(1), Some(1)]);
    }
}
