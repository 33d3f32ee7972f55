//! Happenings in a tape: rows of numbers for the few dozen templates of a game's sentences.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::html::facts::Facts;
use referee_rules::{Completion, Occurrence};
use referee_view::story::{Happening, HappeningKind};

/// The common part of happenings whose sentences differ in their numbers alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Template {
    kind: &'static str,
    name: &'static str,
    completion: &'static str,
    /// Whether the page hides it until the viewer asks for secrets.
    secret: bool,
    /// Whether a row begins with a fact, as the difference from that of the row before. The fact gives index, seat and
    /// from.
    has_fact: bool,
    /// Whether the value of that fact becomes `to`.
    moves: bool,
    /// The thing of which one is carried from the place `from` to the place `to`.
    carries: Option<&'static str>,
    /// Those of index, seat, from and to that are in a row; `to` as its difference from `from`, if there is one.
    given: Vec<&'static str>,
    /// A sentence with `{seat}`, `{index}`, `{from}`, `{to}`, and `{}` for a number at the end of the row. If it is
    /// empty, the row ends with the sentence.
    words: String,
}

/// A happening: the number of its template, then the values that the template names.
pub(super) type Row = Vec<Cell>;

/// A part of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Cell {
    Number(Option<i64>),
    Text(String),
}

/// All templates of a game, numbered in the order in which they were first needed.
#[derive(Debug, Default)]
pub(super) struct Templates(BTreeMap<Template, usize>);

/// The numbers of an occurrence, in the order in which sentences name them: `player 3 of seat 1 goes from 17 to 18`.
const FIELDS: [&str; 4] = ["index", "seat", "from", "to"];

impl Templates {
    /// Returns the rows of a turn's happenings. `facts` are those of the turn.
    pub(super) fn rows(&mut self, happenings: &[Happening], facts: &Facts) -> Vec<Row> {
        let mut fact = 0;
        happenings.iter().map(|happening| self.row(happening, facts, &mut fact)).collect()
    }

    fn row(&mut self, happening: &Happening, facts: &Facts, fact: &mut i64) -> Row {
        let Happening { kind, occurrence, .. } = happening;
        let fields = fields(occurrence);
        let behind = facts.behind(occurrence);
        let mut row = vec![Cell::from(0)];
        if let Some(behind) = &behind {
            row.push(Cell::from(behind.fact as i64 - *fact));
            *fact = behind.fact as i64;
        }
        let is_moved = behind.as_ref().is_some_and(|behind| behind.is_moved);
        let mut given = Vec::new();
        for (field, value) in fields.into_iter().enumerate().skip(if behind.is_some() { 3 } else { 0 }) {
            if value.is_some() || is_moved {
                given.push(FIELDS[field]);
                let base = if field == 3 { occurrence.from } else { None };
                row.push(Cell::Number(value.map(|value| value - base.unwrap_or(0))));
            }
        }
        let template = Template {
            kind: match kind {
                HappeningKind::Action => "action",
                HappeningKind::Effect => "effect",
                HappeningKind::Fault => "fault",
                HappeningKind::Score => "score",
                HappeningKind::End => "end",
                HappeningKind::Fall => "fall",
            },
            name: occurrence.name.as_str(),
            completion: match occurrence.completion {
                Completion::Done => "done",
                Completion::LostDraw => "lost",
                Completion::Refused => "refused",
            },
            secret: occurrence.secret,
            has_fact: behind.is_some(),
            moves: is_moved,
            carries: behind.and_then(|behind| behind.carries),
            given,
            words: words(happening, fields, &mut row),
        };
        let next = self.0.len();
        row[0] = Cell::from(*self.0.entry(template).or_insert(next) as i64);
        row
    }
}

/// Returns the words of a template, and appends the numbers to the row that are not in the occurrence. A sentence
/// without numbers, or with braces, is appended whole.
fn words(happening: &Happening, fields: [Option<i64>; 4], row: &mut Row) -> String {
    let Happening { words: sentence, numbers, .. } = happening;
    if numbers.is_empty() || sentence.contains(['{', '}']) {
        row.push(Cell::Text(sentence.clone()));
        return String::new();
    }
    let mut words = String::with_capacity(2 * sentence.len());
    let (mut end, mut next) = (0, 0);
    for place in numbers {
        words.push_str(&sentence[end..place.start]);
        end = place.end;
        let number = sentence[place.clone()].parse().expect("a number is there");
        // In their order, so that equal ones are distinguished.
        let field = (next..4).chain(0..next).find(|field| fields[*field] == Some(number));
        words.push('{');
        match field {
            Some(field) => {
                words.push_str(FIELDS[field]);
                next = (field + 1) % 4;
            }
            None => row.push(Cell::from(number)),
        }
        words.push('}');
    }
    words.push_str(&sentence[end..]);
    words
}

fn fields(occurrence: &Occurrence) -> [Option<i64>; 4] {
    [
        occurrence.index.map(|index| index as i64),
        occurrence.seat.map(|seat| seat.index() as i64),
        occurrence.from,
        occurrence.to,
    ]
}

impl From<i64> for Cell {
    fn from(number: i64) -> Cell {
        Cell::Number(Some(number))
    }
}

impl Serialize for Templates {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_by_key(|(_, number)| **number);
        serializer.collect_seq(all.into_iter().map(|(template, _)| template))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_rules::{OccurrenceName, Seat};

    #[test]
    fn the_same_action_by_others_has_the_same_template() {
        let mut templates = Templates::default();
        let mut row = |seat: usize, index: usize, from: i64, to: i64| {
            let occurrence = Occurrence {
                index: Some(index),
                from: Some(from),
                to: Some(to),
                ..Occurrence::new(OccurrenceName::new("step"))
            };
            let occurrence = occurrence.by(Seat::new(seat));
            let mut sentence = (String::new(), Vec::new());
            for (text, number) in
                [("player ", index as i64), (" of seat ", seat as i64), (" goes ", to), (" of ", 32)]
            {
                sentence.0 += text;
                let start = sentence.0.len();
                sentence.0 += &number.to_string();
                sentence.1.push(start..sentence.0.len());
            }
            let happening =
                Happening { kind: HappeningKind::Action, occurrence, words: sentence.0, numbers: sentence.1 };
            templates.row(&happening, &Facts::default(), &mut 0)
        };
        let cells = |numbers: [i64; 6]| numbers.map(Cell::from).to_vec();
        assert_eq!(row(1, 3, 40, 41), cells([0, 3, 1, 40, 1, 32]));
        assert_eq!(row(2, 2, 7, 2), cells([0, 2, 2, 7, -5, 32]));
        let words: Vec<_> = templates.0.into_keys().map(|template| template.words).collect();
        assert_eq!(words, ["player {index} of seat {seat} goes {to} of {}"]);
    }

    #[test]
    fn a_sentence_without_numbers_or_with_braces_stands_in_its_row() {
        let happening = |words: &str, numbers: Vec<_>| {
            let occurrence = Occurrence::new(OccurrenceName::new("over"));
            let happening =
                Happening { kind: HappeningKind::End, occurrence, words: words.to_owned(), numbers };
            Templates::default().row(&happening, &Facts::default(), &mut 0)
        };
        for row in
            [happening("seat 1 is {seat}", std::iter::once(5..6).collect()), happening("over", Vec::new())]
        {
            assert!(matches!(&row[..], [Cell::Number(Some(0)), Cell::Text(_)]), "{row:?}");
        }
    }
}
