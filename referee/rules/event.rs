//! Events of a turn: random draws, and notable effects.

use super::Seat;

/// The events of one turn, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    rows: Vec<Row>,
    values: Vec<i64>,
}

/// An event without its numbers, which are a part of the `values` of [`Events`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    name: &'static str,
    subject: Subject,
    start: usize,
    /// Where the drawn candidates begin; of an effect, the end.
    middle: usize,
    end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Draw { at: i64 },
    Effect { seat: Option<Seat> },
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// Chance decided among candidates.
    Draw {
        /// Name of the draw.
        name: &'static str,
        /// Where: a cell, a slot or a row, by its number.
        at: i64,
        /// The candidates, by number.
        candidates: &'a [i64],
        /// The candidates that were drawn.
        drawn: &'a [i64],
    },
    /// A notable event: a goal, a wall.
    Effect {
        /// Name of the effect.
        name: &'static str,
        /// The seat that it concerns.
        seat: Option<Seat>,
        /// Numbers of the effect, as the game's page describes them.
        values: &'a [i64],
    },
}

impl Events {
    /// Removes all events and keeps the allocated memory.
    #[inline]
    pub fn clear(&mut self) {
        self.rows.clear();
        self.values.clear();
    }

    /// Returns the number of events.
    #[inline]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Tells whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a draw among candidates.
    #[inline]
    pub fn draw(
        &mut self,
        name: &'static str,
        at: i64,
        candidates: impl IntoIterator<Item = i64>,
        drawn: impl IntoIterator<Item = i64>,
    ) {
        let start = self.values.len();
        // Not `extend`: chained and filtered iterators are faster with internal iteration.
        candidates.into_iter().for_each(|candidate| self.values.push(candidate));
        let middle = self.values.len();
        self.values.extend(drawn);
        self.rows.push(Row { name, subject: Subject::Draw { at }, start, middle, end: self.values.len() });
    }

    /// Adds an effect.
    #[inline]
    pub fn effect(&mut self, name: &'static str, seat: Option<Seat>, values: &[i64]) {
        let start = self.values.len();
        self.values.extend_from_slice(values);
        let end = self.values.len();
        self.rows.push(Row { name, subject: Subject::Effect { seat }, start, middle: end, end });
    }

    /// Iterates over the events in order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Event<'_>> {
        self.rows.iter().map(|row| match row.subject {
            Subject::Draw { at } => Event::Draw {
                name: row.name,
                at,
                candidates: &self.values[row.start..row.middle],
                drawn: &self.values[row.middle..row.end],
            },
            Subject::Effect { seat } => {
                Event::Effect { name: row.name, seat, values: &self.values[row.start..row.end] }
            }
        })
    }
}
