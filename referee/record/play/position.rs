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
        let is_its = |values: &&mut Values| values.thing == fact.thing && values.seat == fact.seat;
        let value = (fact.index, fact.value);
        match things.iter_mut().rev().find(is_its) {
            Some(known) => known.values.push(value),
            None => things.push(Values { thing: fact.thing, seat: fact.seat, values: vec![value] }),
        }
    }
    let lines: Vec<Line> = lines(things);
    let width = lines.iter().map(|line| line.title.len()).max().unwrap_or(0);
    lines.into_iter().map(|line| format!("{:width$}  {}", line.title, line.values)).collect()
}

/// All values that a position has for a thing of a seat.
struct Values {
    thing: Thing,
    seat: Option<Seat>,
    /// Each with its index, if the fact has one.
    values: Vec<(Option<usize>, i64)>,
}

struct Line {
    title: String,
    values: String,
}

/// Returns the lines. Things of which each seat has only one share a line, in the order of the seats.
fn lines(things: Vec<Values>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for thing in things {
        let is_single = matches!(thing.values[..], [(None, _)]) && thing.seat.is_some();
        if is_single
            && let Some(line) = lines.last_mut()
            && line.title == thing.thing.as_str()
        {
            let _ = write!(line.values, " {}", shown_values(&thing));
            continue;
        }
        let mut title = thing.thing.to_string();
        if !is_single && let Some(seat) = thing.seat {
            let _ = write!(title, " of seat {seat}");
        }
        lines.push(Line { title, values: shown_values(&thing) });
    }
    lines
}

/// Returns the values as text. Their indexes are shown if they are not 0, 1, 2 and so on.
fn shown_values(thing: &Values) -> String {
    let is_in_order =
        thing.values.iter().zip(0..).all(|((index, _), place)| index.is_none_or(|index| index == place));
    let one = |(index, value): &(Option<usize>, i64)| match index {
        Some(index) if !is_in_order => format!("{index}:{value}"),
        _ => value.to_string(),
    };
    let mut text = thing.values.iter().take(SHOWN).map(one).collect::<Vec<String>>().join(" ");
    let more = thing.values.len().saturating_sub(SHOWN);
    if more > 0 {
        let _ = write!(text, " ... ({more} more)");
    }
    text
}
