//! The plots of a report, as SVG. Their colours are those of the light page; its style sheet has others for dark
//! mode. Nothing here measures a font: text gets enough room.

pub(super) mod grid;
pub(super) mod rows;
pub(super) mod trends;

use std::ops::Range;

use maud::{Markup, html};

use crate::scale::Scale;

/// A colour, as the style sheet names it.
pub(crate) type Colour = &'static str;

const INK: Colour = "#1C222B";
const MUTED: Colour = "#5A6573";
const FAINT: Colour = "#DFE3E8";
const OTHERS: Colour = "#B4BCC7";
/// Intervals: confidence intervals of means, and parts of thinking times.
const BAND: Colour = "#0072B2";
/// A limit.
const LIMIT: Colour = "#C2410C";

/// The colours of the first few bots. After Okabe and Ito, whose colours colour-blind people can tell apart; darkened
/// where a thin line would be too faint on white.
const FIRST: [Colour; 6] = ["#0072B3", "#D55E00", "#008060", "#A8518A", "#8F6B00", "#444C56"];

/// A finished plot.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    /// In pixels.
    pub(crate) width: u32,
    height: u32,
    /// The content of its tag.
    pub(crate) inner: Markup,
}

impl Plot {
    fn new(width: f64, height: f64, inner: Markup) -> Plot {
        Plot { width: width as u32, height: height as u32, inner }
    }

    /// Returns the visible part of the plane, as the attribute `viewBox`.
    pub(crate) fn view_box(&self) -> String {
        format!("0 0 {} {}", self.width, self.height)
    }

    /// Returns it as a document of its own.
    pub(crate) fn document(&self) -> String {
        let Plot { width, height, inner } = self;
        let document = html! {
            svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height) viewBox=(self.view_box())
                font-family="sans-serif" { (inner) }
        };
        document.into_string() + "\n"
    }
}

/// A place, in pixels from the left and from the top.
type At = (f64, f64);

/// Rounds to hundredths of a pixel: more could not be seen.
fn px(pixels: f64) -> f64 {
    (pixels * 100.0).round() / 100.0
}

/// Writes a text beside a place, or around it. `anchor` is the part of the text at the place: `start`, `middle`, `end`.
fn text((x, y): At, text: &str, size: f64, colour: Colour, anchor: &str) -> Markup {
    html! { text x=(px(x)) y=(px(y)) dy=".35em" text-anchor=(anchor) font-size=(size) fill=(colour) { (text) } }
}

fn line(points: impl IntoIterator<Item = At>, width: f64, colour: Colour, opacity: f64) -> Markup {
    let opacity = (opacity < 1.0).then_some(opacity);
    html! {
        polyline points=(joined(points)) fill="none" stroke=(colour) stroke-width=(width) stroke-opacity=[opacity] {}
    }
}

fn joined(points: impl IntoIterator<Item = At>) -> String {
    let points = points.into_iter().map(|(x, y)| format!("{},{}", px(x), px(y)));
    points.collect::<Vec<_>>().join(" ")
}

fn dot((x, y): At, radius: f64, colour: Colour) -> Markup {
    html! { circle cx=(px(x)) cy=(px(y)) r=(radius) fill=(colour) {} }
}

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
