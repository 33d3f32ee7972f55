//! Where the integers of a question come from. Most of them stand in the position as well, and the page need not have them
//! twice: which is which is found out by watching a number of turns. Whatever a question has that does not follow is kept as it is,
//! so that a page shows exactly what was sent.

use super::column::Column;

/// Where an integer of a question comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// It is what it was in the question before, to the same seat.
    Before,
    /// It is the number of the turn.
    Turn,
    /// It is a fact of the position, by its number.
    Fact(usize),
    /// It is a fact's opposite.
    Opposite(usize),
}

impl Source {
    /// Returns the source as a number: 0, 1, or, from 2 on, twice the fact's number, the opposites being odd.
    pub(super) fn number(self) -> u64 {
        match self {
            Source::Before => 0,
            Source::Turn => 1,
            Source::Fact(fact) => 2 + 2 * fact as u64,
            Source::Opposite(fact) => 3 + 2 * fact as u64,
        }
    }
}

/// What is watched of a seat's questions until their layout is known.
#[derive(Debug, Default)]
pub(super) struct Watched {
    questions: Vec<Series>,
    turn: Series,
    facts: Vec<Series>,
    opposites: Vec<Series>,
}

/// All values that something has had, as one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Series(u64);

impl Series {
    fn add(&mut self, value: i64) {
        self.0 = (self.0.rotate_left(5) ^ value as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Watched {
    /// Watches a question, and the position in which it is put. Facts that are not there are zero.
    pub(super) fn add(&mut self, turn: u32, question: &[i64], facts: &[Option<i64>]) {
        let add = |series: &mut Vec<Series>, values: &mut dyn Iterator<Item = i64>| {
            for (index, value) in values.enumerate() {
                if index == series.len() {
                    series.push(Series::default());
                }
                series[index].add(value);
            }
        };
        add(&mut self.questions, &mut question.iter().copied());
        add(&mut self.facts, &mut facts.iter().map(|fact| fact.unwrap_or(0)));
        add(&mut self.opposites, &mut facts.iter().map(|fact| -fact.unwrap_or(0)));
        self.turn.add(turn.into());
    }

    /// Says where each integer comes from. Facts that were always the same are taken in their order.
    pub(super) fn layout(&self) -> Vec<Source> {
        let mut next = 0;
        let mut layout = Vec::with_capacity(self.questions.len());
        for question in &self.questions {
            let among = |series: &[Series]| {
                let from_next = (next..series.len()).find(|index| series[*index] == *question);
                from_next.or_else(|| series.iter().position(|series| series == question))
            };
            let source = if *question == self.turn {
                Source::Turn
            } else if let Some(fact) = among(&self.facts) {
                next = fact + 1;
                Source::Fact(fact)
            } else if let Some(fact) = among(&self.opposites) {
                next = fact + 1;
                Source::Opposite(fact)
            } else {
                Source::Before
            };
            layout.push(source);
        }
        layout
    }
}

/// The questions of one seat, being written.
#[derive(Debug)]
pub(super) struct Questions {
    pub(super) layout: Vec<Source>,
    before: Vec<i64>,
}

impl Questions {
    pub(super) fn new(layout: Vec<Source>) -> Questions {
        Questions { before: vec![0; layout.len()], layout }
    }

    /// Appends what does not follow from the position and the question before: how many integers, how many differ, and
    /// each of them, after the number of those between.
    pub(super) fn push(&mut self, column: &mut Column, turn: u32, question: &[i64], facts: &[Option<i64>]) {
        self.before.resize(question.len(), 0);
        let (before, layout) = (&mut self.before, &self.layout);
        let due = |index: usize, before: i64| {
            let value = |fact: usize| facts.get(fact).copied().flatten().unwrap_or(0);
            match layout.get(index).copied().unwrap_or(Source::Before) {
                Source::Before => before,
                Source::Turn => turn.into(),
                Source::Fact(fact) => value(fact),
                Source::Opposite(fact) => -value(fact),
            }
        };
        let differs = |index: &usize| due(*index, before[*index]) != question[*index];
        let differing: Vec<usize> = (0..question.len()).filter(differs).collect();
        column.push(question.len() as u64);
        column.push(differing.len() as u64);
        let mut next = 0;
        for index in differing {
            column.push((index - next) as u64);
            column.push_signed(question[index]);
            next = index + 1;
        }
        before.copy_from_slice(question);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_position_is_not_written_again() {
        let mut watched = Watched::default();
        let turns = [(1, [1, 9, 4, -7], [4, 7]), (2, [2, 9, 5, -8], [5, 8]), (3, [3, 9, 5, -6], [5, 6])];
        for (turn, question, facts) in turns {
            watched.add(turn, &question, &facts.map(Some));
        }
        let layout = watched.layout();
        assert_eq!(layout, [Source::Turn, Source::Before, Source::Fact(0), Source::Opposite(1)]);
        let (mut questions, mut column) = (Questions::new(layout), Column::default());
        for (turn, question, facts) in turns {
            questions.push(&mut column, turn, &question, &facts.map(Some));
        }
        // Only the nine is new, once; the last question has another value where a fact should be.
        assert_eq!(column.0, [4, 1, 1, 18, 4, 0, 4, 0]);
        column.0.clear();
        questions.push(&mut column, 4, &[4, 9, 5, 6], &[Some(5), Some(6)]);
        assert_eq!(column.0, [4, 1, 3, 12]);
    }
}
