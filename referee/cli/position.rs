//! A position in words, for any game: what it tells of itself, a line for each thing.

use std::fmt::Write;

use referee::game::Game;
use referee::rules::{Fact, Seat};

/// How many values a line shows. All of them are in what `referee export --whole` writes.
const SHOWN: usize = 40;

/// Returns the lines.
pub(super) fn in_words(game: &dyn Game) -> Vec<String> {
    let mut things: Vec<Thing> = Vec::new();
    game.describe(&mut |fact: Fact| {
        let is_it = |thing: &&mut Thing| thing.name == fact.thing.as_str() && thing.seat == fact.seat;
        let value = (fact.index, fact.value);
        match things.iter_mut().rev().find(is_it) {
            Some(thing) => thing.values.push(value),
            None => things.push(Thing { name: fact.thing.as_str(), seat: fact.seat, values: vec![value] }),
        }
    });
    let columns: Vec<Line> = lines(things);
    let width = columns.iter().map(|line| line.title.len()).max().unwrap_or(0);
    columns.into_iter().map(|line| format!("{:width$}  {}", line.title, line.values)).collect()
}

struct Thing {
    name: &'static str,
    seat: Option<Seat>,
    values: Vec<(Option<usize>, i64)>,
}

struct Line {
    title: String,
    values: String,
}

/// Things of which each seat has but one stand on one line, in the order of the seats.
fn lines(things: Vec<Thing>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for thing in things {
        let is_single = matches!(thing.values[..], [(None, _)]) && thing.seat.is_some();
        match lines.last_mut().filter(|line| is_single && line.title == thing.name) {
            Some(line) => {
                let _ = write!(line.values, " {}", values_of(&thing));
            }
            None => {
                let seat = thing.seat.filter(|_| !is_single);
                let title =
                    thing.name.to_owned() + &seat.map_or(String::new(), |seat| format!(" of seat {seat}"));
                lines.push(Line { title, values: values_of(&thing) });
            }
        }
    }
    lines
}

fn values_of(thing: &Thing) -> String {
    let in_order =
        thing.values.iter().zip(0..).all(|((index, _), due)| index.is_none_or(|index| index == due));
    let one = |(index, value): &(Option<usize>, i64)| match index {
        Some(index) if !in_order => format!("{index}:{value}"),
        _ => value.to_string(),
    };
    let shown: Vec<String> = thing.values.iter().take(SHOWN).map(one).collect();
    let more = thing.values.len().saturating_sub(SHOWN);
    shown.join(" ") + &if more > 0 { format!(" ... ({more} more)") } else { String::new() }
}
