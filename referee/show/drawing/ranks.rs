//! Drawings of places over time: a chart of all bots, and a small line for one bot.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use maud::{Markup, html};

use crate::drawing::breadth;
use crate::drawing::mark::Mark;
use crate::drawing::svg::{FAINT, INK, MUTED, line, px, text};

/// The places of a bot.
#[derive(Clone, Debug)]
pub struct Places {
    /// Its name.
    pub name: String,
    /// Its colour and shape.
    pub mark: Mark,
    /// Its place at each time, from 1; `None` where it had none.
    pub places: Vec<Option<usize>>,
}

/// The times of a chart.
#[derive(Clone, Debug)]
pub struct Times {
    /// Their number.
    pub count: usize,
    /// Words below some times, by their index.
    pub labels: Vec<(usize, String)>,
    /// The times at which something begins anew, such as a season: a line is before each.
    pub begins: Vec<usize>,
}

const WIDTH: f64 = 720.0;
const LEFT: f64 = 30.0;
const RIGHT: f64 = 490.0;
const TOP: f64 = 14.0;

/// The height of all rows, if a row is then neither too low nor too high.
const HEIGHT: f64 = 300.0;

/// The room below the rows: for a label, and its distance.
const BELOW: f64 = 34.0;
const LABEL_BELOW: f64 = 24.0;

/// How far a line between two times leads beyond the rows, and the gap between two labels.
const OVERHANG: f64 = 8.0;
const GAP: f64 = 8.0;

/// Draws the places of bots over time. The chart has a row for each place of `places`, two at least. No bot has a place
/// before these; a place after them is drawn in the last row. `words` say the same to readers who cannot see it.
pub fn chart(bots: &[Places], times: &Times, places: RangeInclusive<usize>, words: &str) -> Markup {
    let first_row = *places.start();
    let last_row = (*places.end()).max(first_row + 1);
    let row_height = (HEIGHT / (last_row + 1 - first_row) as f64).clamp(15.0, 26.0);
    let bottom = TOP + row_height * (last_row - first_row) as f64;
    let x = |time: usize| LEFT + (RIGHT - LEFT) * time as f64 / (times.count.max(2) - 1) as f64;
    let y = |place: usize| TOP + row_height * (place.clamp(first_row, last_row) - first_row) as f64;
    html! {
        svg.places viewBox={ "0 0 " (WIDTH) " " (px(bottom + BELOW)) } role="img" aria-label=(words) {
            @for place in first_row..=last_row {
                (text((LEFT - 14.0, y(place)), &place.to_string(), 12.0, MUTED, "end"))
            }
            @for time in &times.begins {
                @let at = if *time == 0 { x(0) } else { (x(*time) + x(time - 1)) / 2.0 };
                (line([(at, TOP - OVERHANG), (at, bottom + OVERHANG)], 1.0, FAINT, 1.0))
            }
            @for (at, label) in labels_with_room(times, x) {
                (text((at, bottom + LABEL_BELOW), label, 12.0, MUTED, "start"))
            }
            // The first bot comes last, on top.
            @for bot in bots.iter().rev() {
                @for part in parts(&bot.places) {
                    (line(part.iter().map(|(time, place)| (x(*time), y(*place))), 2.2, bot.mark.colour(), 1.0))
                }
                @if let Some((time, place)) = last(&bot.places) {
                    (bot.mark.at((x(time), y(place)), 5.0))
                }
            }
            // Of bots that share a place, the first is named, with the number of the others. The sign before the number
            // keeps it behind a name from right to left.
            g.ends {
                @for (place, (name, others)) in last_places(bots, times.count).range(..=last_row) {
                    @let others = if *others > 0 { format!("\u{200e} +{others}") } else { String::new() };
                    @let room = WIDTH - RIGHT - 14.0 - breadth::of_text(&others, 13.0);
                    (text((RIGHT + 14.0, y(*place)), &(breadth::fitting(name, room, 13.0) + &*others), 13.0, INK, "start"))
                }
            }
        }
    }
}

/// Lists the words below times that have room, each with where it begins. Of two that would overlap, the later one has
/// it.
fn labels_with_room(times: &Times, x: impl Fn(usize) -> f64) -> Vec<(f64, &str)> {
    let mut with_room: Vec<(f64, &str)> = Vec::new();
    let mut end = f64::MAX;
    for (time, label) in times.labels.iter().rev() {
        let breadth = breadth::of_text(label, 12.0);
        let at = (x(*time) - breadth / 2.0).clamp(LEFT, (RIGHT - breadth).max(LEFT));
        if at + breadth + GAP <= end {
            end = at;
            with_room.push((at, label));
        }
    }
    with_room
}

/// Lists the places at the last of these times, each with the name of the first bot there and the number of the others.
fn last_places(bots: &[Places], count: usize) -> BTreeMap<usize, (&str, usize)> {
    let mut places: BTreeMap<usize, (&str, usize)> = BTreeMap::new();
    for bot in bots {
        if let Some((time, place)) = last(&bot.places)
            && time + 1 == count
        {
            places.entry(place).and_modify(|(_, others)| *others += 1).or_insert((&bot.name, 0));
        }
    }
    places
}

/// Draws the places of one bot as a small line, from 1 on top to `last_place` at the bottom.
pub fn spark(places: &[Option<usize>], last_place: usize, mark: Mark, words: &str) -> Markup {
    let (width, height, margin) = (90.0, 22.0, 4.0);
    // The right margin is twice as wide as the others: the line ends with a circle.
    let x = |time: usize| margin + (width - 3.0 * margin) * time as f64 / (places.len().max(2) - 1) as f64;
    let y =
        |place: usize| margin + (height - 2.0 * margin) * (place - 1) as f64 / (last_place.max(2) - 1) as f64;
    html! {
        svg.spark viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) role="img" aria-label=(words) {
            @for part in parts(places) {
                (line(part.iter().map(|(time, place)| (x(*time), y(*place))), 1.8, mark.colour(), 1.0))
            }
            @if let Some((time, place)) = last(places) {
                circle cx=(px(x(time))) cy=(px(y(place))) r="3" fill=(mark.colour()) {}
            }
        }
    }
}

/// Splits the places of a bot at the times at which it has none. Each place comes with its time.
fn parts(places: &[Option<usize>]) -> Vec<Vec<(usize, usize)>> {
    let mut parts = vec![Vec::new()];
    for (time, place) in places.iter().enumerate() {
        match (place, parts.last_mut()) {
            (Some(place), Some(part)) => part.push((time, *place)),
            _ => parts.push(Vec::new()),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns the last place, with its time.
fn last(places: &[Option<usize>]) -> Option<(usize, usize)> {
    places.iter().enumerate().rev().find_map(|(time, place)| Some((time, (*place)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_gap_where_a_bot_has_no_place_and_a_name_at_its_end() {
        let bot = |name: &str, places: &[Option<usize>], mark| Places {
            name: name.to_owned(),
            mark,
            places: places.to_vec(),
        };
        let times = Times { count: 4, labels: vec![(0, "round 1".to_owned())], begins: vec![2] };
        let bots = [
            bot("fox", &[Some(1), None, Some(2), Some(1)], Mark::of(0)),
            bot(&"w".repeat(32), &[Some(2), Some(1), Some(1), Some(2)], Mark::of(1)),
            bot("gone", &[Some(3), None, None, None], Mark::of(2)),
            bot("late", &[None, None, None, Some(9)], Mark::of(3)),
            bot("level", &[None, None, None, Some(1)], Mark::of(4)),
        ];
        let chart = chart(&bots, &times, 1..=3, "Places: fox 1").into_string();
        assert_eq!(chart.matches(Mark::of(0).colour()).count(), 3, "two parts and a mark: {chart}");
        assert!(
            chart.contains(">fox\u{200e} +1<")
                && !chart.contains(">level")
                && chart.contains(">wwwwwwwwww…wwwwww<"),
            "{chart}"
        );
        assert!(!chart.contains(">gone<") && !chart.contains(">late<"), "{chart}");
        assert!(chart.contains("aria-label=\"Places: fox 1\"") && chart.contains(">round 1<"), "{chart}");
        let spark = spark(&[Some(1)], 1, Mark::of(0), "1 after round 1").into_string();
        assert!(!spark.contains("NaN") && spark.contains("<circle"), "{spark}");
    }

    #[test]
    fn a_line_is_where_its_times_and_places_are() {
        let places = vec![Some(1), Some(15), Some(8)];
        let small = spark(&places, 15, Mark::of(0), "").into_string();
        assert!(small.contains("points=\"4,4 43,18 82,11\""), "{small}");
        let times = Times { count: 3, labels: vec![(1, "round 2".to_owned())], begins: vec![] };
        let chart =
            chart(&[Places { name: "fox".to_owned(), mark: Mark::of(0), places }], &times, 1..=15, "");
        let chart = chart.into_string();
        assert!(chart.contains("points=\"30,14 260,294 490,154\""), "20 pixels a row: {chart}");
        assert!(chart.contains("viewBox=\"0 0 720 328\""), "34 pixels below the last row: {chart}");
        let label = labels_with_room(&times, |_| 260.0)[0].0;
        assert!(
            (label + breadth::of_text("round 2", 12.0) / 2.0 - 260.0).abs() < 1e-9,
            "it is centred: {label}"
        );
    }

    #[test]
    fn words_below_the_times_never_overlap_and_the_rows_are_those_of_the_range() {
        let labels = (0..30).map(|season| (season * 2, format!("season {season}"))).collect();
        let times = Times { count: 60, labels, begins: vec![0] };
        let places = vec![Some(4); 60];
        let bot = Places { name: "fox".to_owned(), mark: Mark::of(0), places };
        let with_room = labels_with_room(&times, |time| LEFT + (RIGHT - LEFT) * time as f64 / 59.0);
        assert_eq!(with_room[0].1, "season 29", "the latest has room");
        let overlaps = |pair: &[(f64, &str)]| pair[1].0 + breadth::of_text(pair[1].1, 12.0) > pair[0].0;
        assert!(with_room.len() > 3 && !with_room.windows(2).any(overlaps), "{with_room:?}");
        let inside =
            |(at, label): &(f64, &str)| *at >= LEFT && at + breadth::of_text(label, 12.0) <= RIGHT + 1e-9;
        assert!(with_room.iter().all(inside), "{with_room:?}");
        let chart = chart(&[bot], &times, 4..=4, "fox 4").into_string();
        assert!(chart.contains(">4</text>") && chart.contains(">5</text>"), "{chart}");
        assert!(!chart.contains(">3</text>") && !chart.contains(">6</text>"), "{chart}");
    }
}
