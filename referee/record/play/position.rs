//! The facts of a position in words, for any game.

use std::fmt::Write;

pub use referee_rules::{Change, Position};
use referee_rules::{Fact, Seat, Thing};

/// Maximum number of values in a line. `referee export --whole` writes all of them.
const SHOWN: usize = 40;

/// Returns facts in words: a line for each thing, in their order.
pub fn in_words(facts: &[Fact]) -> Vec<String> {
    let mut things: Vec<Values> = Vec::new();
    for fact in facts {
        let is_it = |thing: &&mut Values| thing.thing == fact.thing && thing.seat == fact.seat;
        let value = (fact.index, fact.value);
        match things.iter_mut().rev().find(is_it) {
            Some(thing) => thing.values.push(value),
            None => things.push(Values { thing: fact.thing, seat: fact.seat, values: vec![value] }),
        }
    }
    let columns: Vec<Line> = lines(things);
    let width = columns.iter().map(|line| line.title.len()).max().unwrap_or(0);
    columns.into_iter().map(|line| format!("{:width$}  {}", line.title, line.values)).collect()
}

/// All values that a position has for a thing of a seat.
struct Values {
    thing: Thing,
    seat: Option<Seat>,
    values: Vec<(Option<usize>, i64)>,
}

struct Line {
    title: String,
    values: String,
}

/// Makes the lines. Things of which each seat has only one share a line, in the order of the seats.
fn lines(things: Vec<Values>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for thing in things {
        let is_single = matches!(thing.values[..], [(None, _)]) && thing.seat.is_some();
        match lines.last_mut().filter(|line| is_single && line.title == thing.thing.as_str()) {
            Some(line) => {
                let _ = write!(line.values, " {}", values_of(&thing));
            }
            None => {
                let seat = thing.seat.filter(|_| !is_single);
                let title =
                    thing.thing.to_string() + &seat.map_or(String::new(), |seat| format!(" of seat {seat}"));
                lines.push(Line { title, values: values_of(&thing) });
            }
        }
    }
    lines
}

fn values_of(thing: &Values) -> String {
    let in_order =
        thing.values.iter().zip(0..).all(|((index, _), place)| index.is_none_or(|index| index == place));
    let one = |(index, value): &(Option<usize>, i64)| match index {
        Some(index) if !in_order => format!("{index}:{value}"),
        _ => value.to_string(),
    };
    let shown: Vec<String> = thing.values.iter().take(SHOWN).map(one).collect();
    let more = thing.values.len().saturating_sub(SHOWN);
    shown.join(" ") + &if more > 0 { format!(" ... ({more} more)") } else { String::new() }
}
