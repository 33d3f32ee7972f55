//! The tools of all drawings. Colours are those of the light page; the style sheet has others for a dark one.

use maud::{Markup, html};

/// A colour, as the style sheet names it.
pub type Colour = &'static str;

/// Text, and marks that belong to no bot.
pub const INK: Colour = "#1C222B";
/// Text of axes.
pub const MUTED: Colour = "#5A6573";
/// Lines of axes.
pub const FAINT: Colour = "#DFE3E8";
/// Intervals: confidence intervals of means, and parts of thinking times.
pub const BAND: Colour = "#0072B2";
/// A limit.
pub const LIMIT: Colour = "#C2410C";
/// A text on a strong colour.
pub const ON_STRONG: Colour = "#FEFEFE";

/// A colour, and the one that replaces it on a dark page.
pub type Pair = (Colour, Colour);

/// The colours that belong to no bot.
pub(crate) const INKS: [Pair; 6] = [
    (INK, "#eef2f6"),
    (MUTED, "#a9b6c4"),
    (FAINT, "#2b3743"),
    (BAND, "#56b4e9"),
    (LIMIT, "#ff9a6b"),
    (ON_STRONG, "#0e141b"),
];

/// Writes the part of a style sheet that replaces colours on a dark page.
pub fn dark(pairs: &[Pair]) -> String {
    let rules = pairs.iter().map(|(light, dark)| {
        format!("  [fill=\"{light}\"] {{ fill: {dark}; }} [stroke=\"{light}\"] {{ stroke: {dark}; }}\n")
    });
    format!("@media (prefers-color-scheme: dark) {{\n{}}}\n", rules.collect::<String>())
}

/// A finished plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// In pixels.
    pub width: u32,
    height: u32,
    /// The content of its tag.
    pub inner: Markup,
}

impl Plot {
    /// Makes a plot of this size from the content of its tag.
    pub fn new(width: f64, height: f64, inner: Markup) -> Plot {
        Plot { width: width as u32, height: height as u32, inner }
    }

    /// Returns the visible part of the plane, as the attribute `viewBox`.
    pub fn view_box(&self) -> String {
        format!("0 0 {} {}", self.width, self.height)
    }

    /// Returns it as a document of its own.
    pub fn document(&self) -> String {
        let Plot { width, height, inner } = self;
        let document = html! {
            svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height) viewBox=(self.view_box())
                font-family="sans-serif" { (inner) }
        };
        document.into_string() + "\n"
    }
}

/// A place, in pixels from the left and from the top.
pub type At = (f64, f64);

/// Rounds to hundredths of a pixel: more could not be seen.
pub fn px(pixels: f64) -> f64 {
    (pixels * 100.0).round() / 100.0
}

/// Writes a text beside a place, or around it. `anchor` is the part of the text at the place: `start`, `middle`, `end`.
pub fn text((x, y): At, text: &str, size: f64, colour: Colour, anchor: &str) -> Markup {
    html! { text x=(px(x)) y=(px(y)) dy=".35em" text-anchor=(anchor) font-size=(size) fill=(colour) { (text) } }
}

/// Draws a line through these places.
pub fn line(points: impl IntoIterator<Item = At>, width: f64, colour: Colour, opacity: f64) -> Markup {
    let opacity = (opacity < 1.0).then_some(opacity);
    html! {
        polyline points=(joined(points)) fill="none" stroke=(colour) stroke-width=(width) stroke-opacity=[opacity] {}
    }
}

/// Writes places as the attribute `points`.
pub fn joined(points: impl IntoIterator<Item = At>) -> String {
    let points = points.into_iter().map(|(x, y)| format!("{},{}", px(x), px(y)));
    points.collect::<Vec<_>>().join(" ")
}

/// Draws a dot.
pub fn dot((x, y): At, radius: f64, colour: Colour) -> Markup {
    html! { circle cx=(px(x)) cy=(px(y)) r=(radius) fill=(colour) {} }
}
