//! The happenings in a tape (the data of a game in its HTML page): rows of numbers for the few dozen templates of a
//! game's sentences.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::page::html::facts::Facts;
use crate::view::story::{Happening, HappeningKind, Part, Value};
use referee_record::text::apart;
use referee_rules::{Completion, Occurrence};

/// The common part of happenings whose sentences differ only in their numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Template {
    kind: &'static str,
    name: &'static str,
    completion: &'static str,
    /// Whether the page hides it until the viewer asks for secrets.
    secret: bool,
    /// Whether a row begins with the number of a fact, as the difference from that of the row before. Index, seat and
    /// from are then those of the fact ([`Facts::fact_of`]).
    has_fact: bool,
    /// Whether the value of that fact becomes `to`.
    moves: bool,
    /// The thing of which one is carried from the place `from` to the place `to`.
    carries: Option<&'static str>,
    /// The fields of index, seat, from and to that are in a row; `to` as its difference from `from`, if there is one.
    given: Vec<&'static str>,
    /// A sentence with `{seat}`, `{index}`, `{from}`, `{to}`, and `{}` for a number at the end of the row. `@` in front
    /// of the field makes it the name of a seat's bot, `#` a cell of the board by row and column. If the sentence is
    /// empty, the row ends with it.
    words: String,
}

/// A happening: the number of its template, then the values that the template names.
pub(super) type Row = Vec<Item>;

/// An item of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Item {
    /// `None`: the value that the fact has after the turn, if it has none.
    Number(Option<i64>),
    Text(String),
}

/// All templates of a game, numbered in the order in which they were first needed.
#[derive(Debug, Default)]
pub(super) struct Templates(BTreeMap<Template, usize>);

/// The numbers of an occurrence, in the order in which sentences name them: `player 3 of seat 1 goes from 17 to 18`.
const FIELDS: [&str; 4] = ["index", "seat", "from", "to"];
const SEAT: usize = 1;
const FROM: usize = 2;
const TO: usize = 3;

impl Templates {
    /// Returns the rows of a turn's happenings. `facts` are those of the turn.
    pub(super) fn rows(&mut self, happenings: &[Happening], facts: &Facts) -> Vec<Row> {
        let mut fact = 0;
        happenings.iter().map(|happening| self.row(happening, facts, &mut fact)).collect()
    }

    /// Returns the row of a happening. `fact` is the number of the fact in the row before, and is set to that of this
    /// row's fact.
    fn row(&mut self, happening: &Happening, facts: &Facts, fact: &mut i64) -> Row {
        let Happening { kind, occurrence, .. } = happening;
        let fields = fields(occurrence);
        let about = facts.fact_of(occurrence);
        // The number of the template is filled in when the template is known.
        let mut row = vec![Item::from(0)];
        if let Some(about) = &about {
            row.push(Item::from(about.fact as i64 - *fact));
            *fact = about.fact as i64;
        }
        let is_moved = about.as_ref().is_some_and(|about| about.is_moved);
        let mut given = Vec::new();
        // Those before `to` follow from the fact.
        for (field, value) in fields.into_iter().enumerate().skip(if about.is_some() { TO } else { 0 }) {
            if value.is_some() || is_moved {
                given.push(FIELDS[field]);
                let base = if field == TO { occurrence.from } else { None };
                row.push(Item::Number(value.map(|value| value - base.unwrap_or(0))));
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
            has_fact: about.is_some(),
            moves: is_moved,
            carries: about.and_then(|about| about.carries),
            given,
            words: words(happening, fields, &mut row),
        };
        let next = self.0.len();
        row[0] = Item::from(*self.0.entry(template).or_insert(next) as i64);
        row
    }
}

/// Returns the words of a template, and appends the numbers to the row that are not in the occurrence. A sentence
/// without parts, or with braces, is appended whole.
fn words(happening: &Happening, fields: [Option<i64>; 4], row: &mut Row) -> String {
    let Happening { words: sentence, parts, .. } = happening;
    if parts.is_empty() || sentence.contains(['{', '}']) {
        // In a sentence, names from right to left are set apart from the words beside them.
        row.push(Item::Text(apart(sentence).into_owned()));
        return String::new();
    }
    let mut words = String::with_capacity(2 * sentence.len());
    let (mut end, mut next) = (0, 0);
    for Part { place, value } in parts {
        words.push_str(&sentence[end..place.start]);
        end = place.end;
        // The fields are searched in their order, after the last one found, which distinguishes equal numbers.
        let (sign, number, fitting) = match *value {
            Value::Number(number) => ("", number, 0..4),
            Value::Bot(seat) => ("@", seat.index() as i64, SEAT..SEAT + 1),
            Value::Cell(cell) => ("#", cell, FROM..4),
        };
        let mut order = (next..4).chain(0..next);
        let field = order.find(|field| fitting.contains(field) && fields[*field] == Some(number));
        words.extend(["{", sign]);
        match field {
            Some(field) => {
                words.push_str(FIELDS[field]);
                next = (field + 1) % 4;
            }
            None => row.push(Item::from(number)),
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

impl From<i64> for Item {
    fn from(number: i64) -> Item {
        Item::Number(Some(number))
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
    use crate::view::story::Vocabulary;
    use referee_games::catalog;
    use referee_record::{BotName, Digest, Heading};
    use referee_rules::{BySeat, OccurrenceName, Parameters, Seat, Seed};

    /// Returns the row of a happening whose sentence has bots `a` to `d`, on a board of 32 columns.
    fn row(templates: &mut Templates, occurrence: Occurrence, words: std::fmt::Arguments<'_>) -> Row {
        let bots = ["a", "b", "c", "d"];
        let bots = BySeat::from_fn(4, |seat| BotName {
            name: bots[seat.index()].to_owned(),
            version: 1,
            digest: Digest::of(b""),
        });
        let entry = catalog::find("football").expect("a game");
        let parameters = Parameters::defaults(entry.parameters);
        let game = entry.start(&parameters, Seed(1));
        let heading = Heading::new("one", &*game, &parameters, bots);
        let happening = Happening::of(HappeningKind::Action, occurrence, words, &Vocabulary::of(&heading));
        templates.row(&happening, &Facts::default(), &mut 0)
    }

    #[test]
    fn the_same_action_by_others_has_the_same_template() {
        let mut templates = Templates::default();
        let mut step = |seat: usize, index: usize, from: i64, to: i64| {
            let occurrence = Occurrence {
                index: Some(index),
                from: Some(from),
                to: Some(to),
                ..Occurrence::new(OccurrenceName::new("step")).by(Seat::new(seat))
            };
            let (columns, other) = (32, 3);
            let words = format_args!(
                "player {index} of seat {seat} goes to {to}, {columns} of {from}, by seat {other}"
            );
            row(&mut templates, occurrence, words)
        };
        let items = |numbers: [i64; 7]| numbers.map(Item::from).to_vec();
        assert_eq!(step(1, 3, 40, 41), items([0, 3, 1, 40, 1, 32, 3]));
        assert_eq!(step(2, 2, 7, 2), items([0, 2, 2, 7, -5, 32, 3]));
        let words: Vec<_> = templates.0.into_keys().map(|template| template.words).collect();
        assert_eq!(words, ["player {index} of {@seat} goes to {#to}, {} of {from}, by {@}"]);
    }

    #[test]
    fn a_sentence_without_parts_or_with_braces_stands_in_its_row() {
        for (words, expected) in [("seat 1 is {seat}", "b is {seat}"), ("over", "over")] {
            let occurrence = Occurrence::new(OccurrenceName::new("over"));
            let row = row(&mut Templates::default(), occurrence, format_args!("{words}"));
            assert_eq!(row, [Item::from(0), Item::Text(expected.to_owned())]);
        }
    }
}
