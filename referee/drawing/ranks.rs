//! Places over time: a chart of all bots, and a small line for one.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::breadth;
use crate::mark::Mark;
use crate::svg::{FAINT, INK, MUTED, line, px, text};

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
    pub told: Vec<(usize, String)>,
    /// The times at which something begins anew, such as a season: a line is before each.
    pub begins: Vec<usize>,
}

const WIDTH: f64 = 720.0;
const LEFT: f64 = 30.0;
const RIGHT: f64 = 490.0;
const TOP: f64 = 14.0;

/// Draws the places of bots at all times, from 1 to `most`; later ones are drawn there. `words` say the same to readers
/// who cannot see it.
pub fn chart(bots: &[Places], times: &Times, most: usize, words: &str) -> Markup {
    let most = most.max(2);
    let row = (460.0 / most as f64).clamp(16.0, 26.0);
    let bottom = TOP + row * (most - 1) as f64;
    let x = |time: usize| LEFT + (RIGHT - LEFT) * time as f64 / (times.count.max(2) - 1) as f64;
    let y = |place: usize| TOP + row * (place.min(most) - 1) as f64;
    html! {
        svg.places viewBox={ "0 0 " (WIDTH) " " (px(bottom + 34.0)) } role="img" aria-label=(words) {
            @for place in 1..=most {
                (text((LEFT - 14.0, y(place)), &place.to_string(), 12.0, MUTED, "end"))
            }
            @for time in &times.begins {
                @let at = if *time == 0 { x(0) } else { (x(*time) + x(time - 1)) / 2.0 };
                (line([(at, TOP - 8.0), (at, bottom + 8.0)], 1.0, FAINT, 1.0))
            }
            @for (time, told) in &times.told {
                @let anchor = if *time == 0 { "start" } else if time + 1 == times.count { "end" } else { "middle" };
                (text((x(*time), bottom + 24.0), told, 12.0, MUTED, anchor))
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
            // Of bots that share a place, the first is named, and the number of the others. The number stays behind a
            // name from right to left.
            @for (place, (name, others)) in named(bots, times.count).range(..=most) {
                @let others = if *others > 0 { format!("\u{200e} +{others}") } else { String::new() };
                @let room = WIDTH - RIGHT - 14.0 - breadth::of(&others, 13.0);
                (text((RIGHT + 14.0, y(*place)), &(breadth::fitting(name, room, 13.0) + &*others), 13.0, INK, "start"))
            }
        }
    }
}

/// Lists the last places, each with the first bot there and the number of the others.
fn named(bots: &[Places], count: usize) -> BTreeMap<usize, (&str, usize)> {
    let mut named: BTreeMap<usize, (&str, usize)> = BTreeMap::new();
    for bot in bots {
        if let Some((time, place)) = last(&bot.places)
            && time + 1 == count
        {
            named.entry(place).and_modify(|(_, others)| *others += 1).or_insert((&bot.name, 0));
        }
    }
    named
}

/// Draws the places of one bot as a small line, from 1 on top to `most` at the bottom.
pub fn spark(places: &[Option<usize>], most: usize, mark: Mark, words: &str) -> Markup {
    let (width, height) = (90.0, 22.0);
    let x = |time: usize| 4.0 + (width - 12.0) * time as f64 / (places.len().max(2) - 1) as f64;
    let y = |place: usize| 4.0 + (height - 8.0) * (place - 1) as f64 / (most.max(2) - 1) as f64;
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

/// Splits places where there is none. Each part has the index of each place.
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

fn last(places: &[Option<usize>]) -> Option<(usize, usize)> {
    places.iter().enumerate().rev().find_map(|(time, place)| Some((time, (*place)?)))
}

/// Returns the place of each of these values, the greatest first; equal ones share it. `None` where there is no value.
pub fn places_of(values: &[Option<f64>]) -> Vec<Option<usize>> {
    let better = |value: f64| values.iter().flatten().filter(|other| **other > value).count();
    values.iter().map(|value| value.map(|value| better(value) + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_from_values_and_equal_ones_share_them() {
        let places = places_of(&[Some(0.2), None, Some(0.5), Some(0.2), Some(0.1)]);
        assert_eq!(places, [Some(2), None, Some(1), Some(2), Some(4)]);
    }

    #[test]
    fn a_line_has_a_gap_where_a_bot_has_no_place_and_a_name_at_its_end() {
        let bot = |name: &str, places: &[Option<usize>], mark| Places {
            name: name.to_owned(),
            mark,
            places: places.to_vec(),
        };
        let times = Times { count: 4, told: vec![(0, "round 1".to_owned())], begins: vec![2] };
        let bots = [
            bot("fox", &[Some(1), None, Some(2), Some(1)], Mark::of(0)),
            bot(&"w".repeat(32), &[Some(2), Some(1), Some(1), Some(2)], Mark::of(1)),
            bot("gone", &[Some(3), None, None, None], Mark::of(2)),
            bot("late", &[None, None, None, Some(9)], Mark::of(3)),
            bot("level", &[None, None, None, Some(1)], Mark::of(4)),
        ];
        let chart = chart(&bots, &times, 3, "Places: fox 1").into_string();
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
}
