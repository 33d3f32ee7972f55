//! A position as facts, and the differences between two positions. Independent of any game.

use std::cmp::Ordering;

use super::{Fact, Seat, Thing};

/// All facts of a position, in the order of thing, seat and index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position(Vec<Fact>);

/// A fact with different values before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its subject.
    pub thing: Thing,
    /// The seat that owns it, if there is one.
    pub seat: Option<Seat>,
    /// Its index, if there are several.
    pub index: Option<usize>,
    /// The value before; `None` if the fact did not exist.
    pub before: Option<i64>,
    /// The value after; `None` if the fact no longer exists.
    pub after: Option<i64>,
}

impl Position {
    /// Makes a position from all its facts, in any order.
    pub fn new(mut facts: Vec<Fact>) -> Position {
        facts.sort_by(order);
        Position(facts)
    }

    /// Returns a value; `None` if there is no such fact.
    pub fn get(&self, thing: Thing, seat: Option<Seat>, index: Option<usize>) -> Option<i64> {
        let found = self.0.binary_search_by(|fact| key(fact).cmp(&(thing, seat, index)));
        found.ok().map(|place| self.0[place].value)
    }

    /// Lists the facts about a thing.
    pub fn all(&self, thing: Thing) -> &[Fact] {
        let start = self.0.partition_point(|fact| fact.thing < thing);
        let end = self.0.partition_point(|fact| fact.thing <= thing);
        &self.0[start..end]
    }

    /// Lists all facts.
    pub fn facts(&self) -> &[Fact] {
        &self.0
    }

    /// Lists the differences to a later position. With `before` and `after` exchanged, they lead back.
    pub fn changes_to(&self, after: &Position) -> Vec<Change> {
        let mut changes = Vec::new();
        let (mut old, mut new) = (self.0.iter().peekable(), after.0.iter().peekable());
        let change = |fact: &Fact, before, after| {
            let Fact { thing, seat, index, .. } = *fact;
            Change { thing, seat, index, before, after }
        };
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => return changes,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(one), Some(other)) => order(one, other),
            };
            let old_fact = old.next_if(|_| order.is_le());
            let new_fact = new.next_if(|_| order.is_ge());
            let (before, after) = (old_fact.map(|fact| fact.value), new_fact.map(|fact| fact.value));
            if before != after
                && let Some(fact) = old_fact.or(new_fact)
            {
                changes.push(change(fact, before, after));
            }
        }
    }
}

/// Compares by thing, seat and index. The facts of a game have few things, mostly with the same text in
/// memory.
fn order(one: &Fact, other: &Fact) -> Ordering {
    let (thing, other_thing) = (one.thing.as_str(), other.thing.as_str());
    let is_same_text = thing.as_ptr() == other_thing.as_ptr() && thing.len() == other_thing.len();
    let things = if is_same_text { Ordering::Equal } else { thing.cmp(other_thing) };
    things.then_with(|| (one.seat, one.index).cmp(&(other.seat, other.index)))
}

fn key(fact: &Fact) -> (Thing, Option<Seat>, Option<usize>) {
    (fact.thing, fact.seat, fact.index)
}
