//! A plot of cells: faults over time.

use maud::{Markup, html};

use crate::pages::plots::rows::row_label;
use crate::pages::plots::{At, Colour, MUTED, Pair, Plot, px, text};

/// From none to many.
pub(crate) const NONE_TO_MANY: [Pair; 5] = [
    ("#EEF0F3", "#232d38"),
    ("#FDD9AE", "#573a1c"),
    ("#F2A35E", "#9a5a1b"),
    ("#D06F1E", "#dd8433"),
    ("#8C3F05", "#ffbe80"),
];

const LEFT: f64 = 150.0;

/// A grid of bots by groups of rounds.
pub(crate) fn over_rounds(
    labels: &[String],
    (first, last, columns): (u32, u32, usize),
    colour: impl Fn(usize, usize) -> Option<Colour>,
) -> Plot {
    let (row, above) = (20.0, 6.0);
    let column = (474.0 / columns.max(1) as f64).min(40.0);
    let bottom = above + row * labels.len() as f64;
    let right = LEFT + column * columns as f64;
    let inner = html! {
        @for (index, label) in labels.iter().enumerate() {
            (row_label((LEFT - 10.0, above + row * (index as f64 + 0.5)), label))
            @for other in 0..columns {
                @if let Some(colour) = colour(index, other) {
                    (square((LEFT + column * other as f64, above + row * index as f64), (column, row), colour))
                }
            }
        }
        (text((LEFT, bottom + 12.0), &format!("round {first}"), 11.0, MUTED, "start"))
        @if columns > 3 {
            (text((right, bottom + 12.0), &format!("round {last}"), 11.0, MUTED, "end"))
        }
    };
    Plot::new(640.0, bottom + 40.0, inner)
}

fn square((x, y): At, (width, height): (f64, f64), colour: Colour) -> Markup {
    let gap = if width < 16.0 { 0.5 } else { 1.0 };
    html! { rect x=(px(x)) y=(px(y)) width=(px(width - gap)) height=(px(height - gap)) fill=(colour) {} }
}
