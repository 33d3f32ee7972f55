//! The plots of a report, as SVG. Their colours are those of the light page; its style sheet has others for dark
//! mode. Nothing here measures a font: text gets enough room.

pub(super) mod grid;
pub(super) mod rows;

use std::ops::Range;

pub(crate) use referee_show::drawing::scale::Scale;
pub(crate) use referee_show::drawing::svg::{
    At, BAND, Colour, FAINT, INK, LIMIT, MUTED, Pair, Plot, dot, line, px, text,
};

/// Returns the range of these values with some room around it, within 0 and 1.
fn shares(values: impl IntoIterator<Item = f64>) -> Range<f64> {
    let (least, most) = values
        .into_iter()
        .fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)));
    if least > most {
        return 0.0..1.0;
    }
    let room = ((most - least) * 0.06).max(0.01);
    (least - room).max(0.0)..(most + room).min(1.0)
}

/// Writes a share at an axis.
fn share(value: f64) -> String {
    ((value * 1000.0).round() / 1000.0).to_string()
}
