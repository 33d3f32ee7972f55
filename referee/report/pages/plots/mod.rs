//! The plots of a report, as SVG. Their colours are those of a light page; the style sheet replaces them on a dark one.
//! No font is measured here: text gets enough room.

pub(super) mod grid;
pub(super) mod rows;

use std::ops::Range;

pub(crate) use referee_show::drawing::scale::Scale;
pub(crate) use referee_show::drawing::svg::{
    At, BAND, Colour, FAINT, INK, LIMIT, MUTED, Pair, Plot, dot, line, px, text,
};

/// Returns the range of these values with some room around it, within 0 and 1.
fn shares(values: impl IntoIterator<Item = f64>) -> Range<f64> {
    let (mut min, mut max) = (f64::MAX, f64::MIN);
    for value in values {
        (min, max) = (min.min(value), max.max(value));
    }
    if min > max {
        return 0.0..1.0;
    }
    let room = ((max - min) * 0.06).max(0.01);
    (min - room).max(0.0)..(max + room).min(1.0)
}

/// Writes a share at an axis.
fn share(value: f64) -> String {
    ((value * 1000.0).round() / 1000.0).to_string()
}
