//! A plot as a grid of cells: faults over time.

use std::ops::RangeInclusive;

use maud::{Markup, html};

use crate::pages::plots::rows::row_label;
use crate::pages::plots::{At, Colour, MUTED, Pair, Plot, px, text};

/// Colours from none to many.
pub(crate) const NONE_TO_MANY: [Pair; 5] = [
    ("#EEF0F3", "#232d38"),
    ("#FDD9AE", "#573a1c"),
    ("#F2A35E", "#9a5a1b"),
    ("#D06F1E", "#dd8433"),
    ("#8C3F05", "#ffbe80"),
];

const LEFT: f64 = 150.0;

/// Draws a grid with a row for each bot and a column for each group of rounds. `colour` returns the colour of a cell by
/// the indices of its row and its column.
pub(crate) fn over_rounds(
    labels: &[String],
    rounds: RangeInclusive<u32>,
    columns: usize,
    colour: impl Fn(usize, usize) -> Option<Colour>,
) -> Plot {
    let (height, top) = (20.0, 6.0);
    let width = (474.0 / columns.max(1) as f64).min(40.0);
    let bottom = top + height * labels.len() as f64;
    let right = LEFT + width * columns as f64;
    let inner = html! {
        @for (row, label) in labels.iter().enumerate() {
            (row_label((LEFT - 10.0, top + height * (row as f64 + 0.5)), label))
            @for column in 0..columns {
                @if let Some(colour) = colour(row, column) {
                    (cell((LEFT + width * column as f64, top + height * row as f64), (width, height), colour))
                }
            }
        }
        (text((LEFT, bottom + 12.0), &format!("round {}", rounds.start()), 11.0, MUTED, "start"))
        @if columns > 3 {
            (text((right, bottom + 12.0), &format!("round {}", rounds.end()), 11.0, MUTED, "end"))
        }
    };
    Plot::new(640.0, bottom + 40.0, inner)
}

fn cell((x, y): At, (width, height): (f64, f64), colour: Colour) -> Markup {
    let gap = if width < 16.0 { 0.5 } else { 1.0 };
    html! { rect x=(px(x)) y=(px(y)) width=(px(width - gap)) height=(px(height - gap)) fill=(colour) {} }
}
