//! The bracket of a knockout: a column for each round, a box for each match, the winner last.

use crate::drawing::breadth;
use crate::drawing::mark::Mark;
use crate::drawing::svg::{FAINT, INK, MUTED, line, px, text};
use maud::{Markup, html};

/// A bot in a match, or where one will be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot {
    /// It is not known yet who plays.
    Open,
    /// Nobody: the opponent goes on without a match.
    Bye,
    /// A bot.
    Bot {
        /// Its name.
        name: String,
        /// Its colour and shape.
        mark: Mark,
        /// Its result in the match; empty before the first game.
        result: String,
        /// Whether it goes on as the better seed of a level match.
        by_seed: bool,
        /// Whether it goes on to the next round; in the last column, whether it has won the cup.
        goes_on: bool,
        /// A link to its page.
        link: Option<String>,
    },
}

/// The size of a match, the room below it, the room between columns, and that above for the names of rounds.
const WIDTH: f64 = 200.0;
const ROW: f64 = 21.0;
const BELOW: f64 = 10.0;
const BETWEEN: f64 = 26.0;
const TOP: f64 = 26.0;

/// In a match: the room left of a name, that right of a result, and the least between the two.
const LEFT: f64 = 24.0;
const RIGHT: f64 = 8.0;
const BESIDE: f64 = 8.0;

/// How much broader bold letters are.
const BOLD: f64 = 1.1;

/// Draws a bracket: the slots of each round from the top down, half as many in each as in the one before; the last one
/// is the winner of the cup. `words` say the same to readers who cannot see it.
pub fn chart(rounds: &[Vec<Slot>], words: &str) -> Markup {
    let first = rounds.first().map_or(0, Vec::len);
    let matches = (first / 2).max(1) as f64;
    let pitch = 2.0 * ROW + BELOW;
    let width = (rounds.len().max(1) as f64) * (WIDTH + BETWEEN) - BETWEEN;
    let height = TOP + matches * pitch;
    let left = |round: usize| round as f64 * (WIDTH + BETWEEN);
    // The middle of a match, or of the winner.
    let middle = |round: usize, at: usize| {
        let of_first = (1_usize << round.min(rounds.len().saturating_sub(2))) as f64;
        TOP + (at as f64 + 0.5) * of_first * pitch - BELOW / 2.0
    };
    // A picture has no parts that one can reach by keys.
    let has_links = rounds.iter().flatten().any(|slot| matches!(slot, Slot::Bot { link: Some(_), .. }));
    let role = if has_links { "group" } else { "img" };
    html! {
        svg.bracket viewBox={ "0 0 " (px(width)) " " (px(height)) } width=(px(width)) height=(px(height)) role=(role) aria-label=(words) {
            @for (round, slots) in rounds.iter().enumerate() {
                (text((left(round) + 2.0, TOP / 2.0), &name_of(slots.len()), 12.0, MUTED, "start"))
                @if let [winner] = &slots[..] {
                    (row(winner, (left(round), middle(round, 0) - ROW / 2.0), false))
                } @else {
                    @for (at, pair) in slots.chunks(2).enumerate() {
                        @let (x, y) = (left(round), middle(round, at));
                        rect x=(px(x + 0.5)) y=(px(y - ROW)) width=(WIDTH - 1.0) height=(2.0 * ROW) rx="4" fill="none" stroke=(FAINT) {}
                        (line([(x, y), (x + WIDTH, y)], 1.0, FAINT, 1.0))
                        @for (slot, number) in pair.iter().zip([-1.0, 0.0]) { (row(slot, (x, y + number * ROW), true)) }
                        @let next = (left(round + 1), middle(round + 1, at / 2));
                        @let bend = x + WIDTH + BETWEEN / 2.0;
                        (line([(x + WIDTH, y), (bend, y), (bend, next.1), next], 1.2, FAINT, 1.0))
                    }
                }
            }
        }
    }
}

/// Draws a slot whose left upper corner is here.
fn row(slot: &Slot, (x, y): (f64, f64), is_match: bool) -> Markup {
    let middle = y + ROW / 2.0;
    match slot {
        Slot::Open => html! {},
        Slot::Bye => text((x + LEFT, middle), "bye", 12.0, MUTED, "start"),
        Slot::Bot { name, mark, result, by_seed, goes_on, link } => {
            let colour = if *goes_on { INK } else { MUTED };
            let size = if is_match { 13.0 } else { 15.0 };
            let result = if *by_seed { format!("{result} (seed)") } else { result.clone() };
            let right = if is_match { RIGHT + breadth::of_text(&result, BOLD * 13.0) + BESIDE } else { 0.0 };
            let name_shown =
                breadth::fitting(name, WIDTH - LEFT - right, if *goes_on { BOLD * size } else { size });
            let shown = text((x + LEFT, middle), &name_shown, size, colour, "start");
            html! {
                (mark.at((x + 12.0, middle), 5.0))
                g font-weight=[goes_on.then_some("bold")] {
                    @if let Some(link) = link { a href=(link) { title { (name) } (shown) } } @else { (shown) }
                    @if is_match { (text((x + WIDTH - RIGHT, middle), &result, 13.0, colour, "end")) }
                }
            }
        }
    }
}

/// Names a round by its number of slots.
fn name_of(slots: usize) -> String {
    match slots {
        1 => "Winner".to_owned(),
        2 => "Final".to_owned(),
        4 => "Semifinals".to_owned(),
        8 => "Quarterfinals".to_owned(),
        slots => format!("Round of {slots}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn winners_are_strong_and_all_is_within_the_drawing() {
        let bot = |name: &str, number, goes_on| Slot::Bot {
            name: name.to_owned(),
            mark: Mark::of(number),
            result: "1.5".to_owned(),
            by_seed: false,
            goes_on,
            link: (number == 2).then(|| "bots/3.html".to_owned()),
        };
        let rounds = [
            vec![
                bot("fox", 0, true),
                Slot::Bye,
                bot(&("o".repeat(30) + "-7"), 1, false),
                bot("<wolf>", 2, true),
            ],
            vec![bot("fox", 0, false), bot("<wolf>", 2, true)],
            vec![bot("<wolf>", 2, true)],
        ];
        let drawn = chart(&rounds, "wolf wins").into_string();
        assert_eq!(drawn.matches("font-weight=\"bold\"").count(), 4, "{drawn}");
        assert!(
            drawn.contains(">Semifinals<") && drawn.contains(">Final<") && drawn.contains(">Winner<"),
            "{drawn}"
        );
        assert!(drawn.contains(">bye<") && drawn.contains("-7<") && drawn.contains('…'), "{drawn}");
        // Broad letters do not reach the result.
        for (name, by_seed) in [("W".repeat(32), false), ("W".repeat(32), true), ("北".repeat(9), true)] {
            let wide = Slot::Bot {
                name,
                mark: Mark::of(0),
                result: "6".to_owned(),
                by_seed,
                goes_on: true,
                link: None,
            };
            let drawn = row(&wide, (0.0, 0.0), true).into_string();
            let texts: Vec<&str> = drawn
                .split("</text>")
                .filter_map(|part| part.rsplit_once('>'))
                .map(|(_, text)| text)
                .collect();
            let [name, result, ..] = texts[..] else { panic!("{drawn}") };
            assert_eq!(result, if by_seed { "6 (seed)" } else { "6" });
            assert!(
                LEFT + breadth::of_text(name, 13.0) + breadth::of_text(result, 13.0) + RIGHT < WIDTH,
                "{drawn}"
            );
        }
        assert!(drawn.contains("&lt;wolf&gt;") && !drawn.contains("<wolf>"), "{drawn}");
        assert_eq!(drawn.matches("<a href=\"bots/3.html\">").count(), 3, "{drawn}");
        assert!(drawn.contains("role=\"group\""), "links are parts: {drawn}");
        let number = |name: &str, text: &str| -> Vec<f64> {
            let name = format!(" {name}=\"");
            text.split(&*name).skip(1).map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect()
        };
        let (width, height) = (number("width", &drawn)[0], number("height", &drawn)[0]);
        assert!(number("x", &drawn).iter().all(|x| (0.0..width).contains(x)), "{drawn}");
        assert!(number("y", &drawn).iter().all(|y| (0.0..height).contains(y)), "{drawn}");
        assert!(chart(&[], "nothing").into_string().contains("nothing"));
        assert!(chart(&[vec![Slot::Open; 2], vec![Slot::Open]], "open").into_string().contains("Final"));
    }
}
