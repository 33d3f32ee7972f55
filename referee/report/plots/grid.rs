//! Plots of cells: mean shares against each opponent, and faults over time.

use std::borrow::Cow;

use maud::{Markup, html};

use crate::plots::rows::row_label;
use crate::plots::{At, Colour, INK, MUTED, ON_STRONG, Plot, px, text};
use referee_drawing::breadth;

/// From much less than usual to much more. After ColorBrewer's "PuOr" and "Blues", which colour-blind people can tell
/// apart.
pub(crate) const LESS_TO_MORE: [Colour; 7] =
    ["#B35806", "#E08F3C", "#FBD5A5", "#F1F2F4", "#BFDDF0", "#5FA5D3", "#1564A3"];

/// From none to many.
pub(crate) const NONE_TO_MANY: [Colour; 5] = ["#EEF0F3", "#FDD9AE", "#F2A35E", "#D06F1E", "#8C3F05"];

/// A text on cells that are not strong.
const ON_WEAK: Colour = "#1C222C";

const LEFT: f64 = 150.0;

/// The content of a cell.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) colour: Colour,
    pub(crate) text: String,
}

/// A grid of bots by opponents. With more than twelve bots the cells have no numbers.
pub(crate) fn company(labels: &[String], cell: impl Fn(usize, usize) -> Option<Cell>) -> Plot {
    let count = labels.len();
    let (side, size) = if count <= 12 { (42.0, 12.0) } else { (14.0, 10.0) };
    let labels: Vec<Cow<'_, str>> =
        labels.iter().map(|label| breadth::fitting(label, LEFT - 12.0, size)).collect();
    let above = labels.iter().map(|label| breadth::of(label, size)).fold(0.0, f64::max) + 18.0;
    let side_all = side * count as f64;
    let at = |row: usize, column: usize| (LEFT + side * column as f64, above + side * row as f64);
    let inner = html! {
        @for (index, label) in labels.iter().enumerate() {
            @let middle = side * (index as f64 + 0.5);
            (text((LEFT - 10.0, above + middle), label, size, INK, "end"))
            // Upwards.
            g transform={ "translate(" (px(LEFT + middle)) " " (px(above - 8.0)) ") rotate(-90)" } {
                (text((0.0, 0.0), label, size, INK, "start"))
            }
            @for other in 0..count {
                @if let Some(cell) = cell(index, other) {
                    (square(at(index, other), (side, side), &cell, count <= 12))
                }
            }
        }
    };
    Plot::new((LEFT + side_all + 8.0).max(260.0), above + side_all + 8.0, inner)
}

/// A grid of bots by groups of rounds.
pub(crate) fn over_rounds(
    labels: &[String],
    (first, last, columns): (u32, u32, usize),
    cell: impl Fn(usize, usize) -> Option<Cell>,
) -> Plot {
    let (row, above) = (20.0, 6.0);
    let column = (474.0 / columns.max(1) as f64).min(40.0);
    let bottom = above + row * labels.len() as f64;
    let right = LEFT + column * columns as f64;
    let inner = html! {
        @for (index, label) in labels.iter().enumerate() {
            (row_label((LEFT - 10.0, above + row * (index as f64 + 0.5)), label))
            @for other in 0..columns {
                @if let Some(cell) = cell(index, other) {
                    (square((LEFT + column * other as f64, above + row * index as f64), (column, row), &cell, false))
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

fn square((x, y): At, (width, height): (f64, f64), cell: &Cell, with_text: bool) -> Markup {
    let gap = if width < 16.0 { 0.5 } else { 1.0 };
    let strong = [LESS_TO_MORE[0], LESS_TO_MORE[6]].contains(&cell.colour);
    let (middle, ink) = ((x + width / 2.0, y + height / 2.0), if strong { ON_STRONG } else { ON_WEAK });
    html! {
        rect x=(px(x)) y=(px(y)) width=(px(width - gap)) height=(px(height - gap)) fill=(cell.colour) {}
        @if with_text {
            (text(middle, &cell.text, 11.0, ink, "middle"))
        }
    }
}
