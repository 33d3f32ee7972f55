//! Plots of cells: who does well in whose company, and faults over time.

use plotters::prelude::Rectangle;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use super::rows::row_label;
use super::{Canvas, INK, MUTED, Plot, put, px, style, upwards, write};

/// From much less than usual to much more. (ColorBrewer's "PuOr" and "Blues": told apart by anybody.)
pub(in crate::view::report) const LESS_TO_MORE: [RGBColor; 7] = [
    RGBColor(0xb3, 0x58, 0x06),
    RGBColor(0xe0, 0x8f, 0x3c),
    RGBColor(0xfb, 0xd5, 0xa5),
    RGBColor(0xf1, 0xf2, 0xf4),
    RGBColor(0xbf, 0xdd, 0xf0),
    RGBColor(0x5f, 0xa5, 0xd3),
    RGBColor(0x15, 0x64, 0xa3),
];

/// From none to many.
pub(in crate::view::report) const NONE_TO_MANY: [RGBColor; 5] = [
    RGBColor(0xee, 0xf0, 0xf3),
    RGBColor(0xfd, 0xd9, 0xae),
    RGBColor(0xf2, 0xa3, 0x5e),
    RGBColor(0xd0, 0x6f, 0x1e),
    RGBColor(0x8c, 0x3f, 0x05),
];

/// A text on cells that are dark by day and light by night, and on the others.
const ON_STRONG: RGBColor = RGBColor(0xfe, 0xfe, 0xfe);
const ON_WEAK: RGBColor = RGBColor(0x1c, 0x22, 0x2c);

const LEFT: f64 = 150.0;

/// What a cell shows.
#[derive(Clone, Debug)]
pub(in crate::view::report) struct Cell {
    pub(in crate::view::report) colour: RGBColor,
    pub(in crate::view::report) text: String,
}

/// Bots by bots. More than a few have no room for numbers.
pub(in crate::view::report) fn company(
    labels: &[String],
    cell: impl Fn(usize, usize) -> Option<Cell>,
) -> Plot {
    let count = labels.len();
    let (side, size) = if count <= 12 { (42.0, 12.0) } else { (14.0, 10.0) };
    let letters = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let above = letters as f64 * size * 0.62 + 18.0;
    let side_all = side * count as f64;
    let width = (LEFT + side_all + 8.0).max(260.0);
    Plot::draw(width as i32, (above + side_all + 8.0) as i32, |canvas| {
        for (index, label) in labels.iter().enumerate() {
            let middle = side * (index as f64 + 0.5);
            let right = style(size, INK, HPos::Right, VPos::Center);
            write(canvas, label, (LEFT - 10.0, above + middle), right);
            let up = upwards(style(size, INK, HPos::Left, VPos::Center));
            write(canvas, label, (LEFT + middle, above - 8.0), up);
            for other in 0..count {
                let at = (LEFT + side * other as f64, above + side * index as f64);
                if let Some(cell) = cell(index, other) {
                    square(canvas, at, (side, side), &cell, count <= 12);
                }
            }
        }
    })
}

/// Bots by rounds.
pub(in crate::view::report) fn over_rounds(
    labels: &[String],
    (first, last, columns): (u32, u32, usize),
    cell: impl Fn(usize, usize) -> Option<Cell>,
) -> Plot {
    let (row, above) = (20.0, 6.0);
    let column = (474.0 / columns.max(1) as f64).min(40.0);
    let bottom = above + row * labels.len() as f64;
    Plot::draw(640, (bottom + 40.0) as i32, |canvas| {
        for (index, label) in labels.iter().enumerate() {
            row_label(canvas, label, (LEFT - 10.0, above + row * (index as f64 + 0.5)));
            for other in 0..columns {
                let at = (LEFT + column * other as f64, above + row * index as f64);
                if let Some(cell) = cell(index, other) {
                    square(canvas, at, (column, row), &cell, false);
                }
            }
        }
        let right = LEFT + column * columns as f64;
        let below = bottom + 12.0;
        let label = |text: String, at, side| {
            write(canvas, &text, (at, below), style(11.0, MUTED, side, VPos::Center))
        };
        label(format!("round {first}"), LEFT, HPos::Left);
        if columns > 3 {
            label(format!("round {last}"), right, HPos::Right);
        }
    })
}

fn square(canvas: &Canvas<'_>, at: (f64, f64), size: (f64, f64), cell: &Cell, with_text: bool) {
    let gap = if size.0 < 16.0 { 0.5 } else { 1.0 };
    let corners = [(px(at.0), px(at.1)), (px(at.0 + size.0 - gap), px(at.1 + size.1 - gap))];
    put!(canvas, Rectangle::new(corners, cell.colour.filled()));
    if with_text {
        let strong = [LESS_TO_MORE[0], LESS_TO_MORE[6]].contains(&cell.colour);
        let colour = if strong { ON_STRONG } else { ON_WEAK };
        let middle = (at.0 + size.0 / 2.0, at.1 + size.1 / 2.0);
        write(canvas, &cell.text, middle, style(11.0, colour, HPos::Center, VPos::Center));
    }
}
