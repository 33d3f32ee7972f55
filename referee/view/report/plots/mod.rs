//! The plots of a report, as SVG. Their colours are those of the light page; the page's style sheet has another for each
//! in the dark. Nothing here measures a font: what must fit is given room.

pub(super) mod grid;
pub(super) mod rows;
pub(super) mod trends;

use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::{Cartesian2d, DrawingArea, IntoDrawingArea, PathElement, RGBColor, SVGBackend, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoFont, TextStyle};

/// Coordinates are whole numbers: this many make a pixel, so that lines come out smooth.
const UNIT: i32 = 8;

/// What is written for a font size of one, by the backend.
const EM: f64 = 1.24;

pub(super) const INK: RGBColor = RGBColor(0x1c, 0x22, 0x2b);
pub(super) const MUTED: RGBColor = RGBColor(0x5a, 0x65, 0x73);
pub(super) const FAINT: RGBColor = RGBColor(0xdf, 0xe3, 0xe8);
pub(super) const OTHERS: RGBColor = RGBColor(0xb4, 0xbc, 0xc7);
/// What a mean may be, and what most of something is.
pub(super) const BAND: RGBColor = RGBColor(0x00, 0x72, 0xb2);
/// A limit.
pub(super) const LIMIT: RGBColor = RGBColor(0xc2, 0x41, 0x0c);

/// The colours of the first few bots, to be told apart by anybody. (After Okabe and Ito, darkened where a thin line would
/// be too faint on white.)
pub(super) const FIRST: [RGBColor; 6] = [
    RGBColor(0x00, 0x72, 0xb3),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x80, 0x60),
    RGBColor(0xa8, 0x51, 0x8a),
    RGBColor(0x8f, 0x6b, 0x00),
    RGBColor(0x44, 0x4c, 0x56),
];

/// A finished plot.
#[derive(Clone, Debug)]
pub(in crate::view::report) struct Plot {
    /// In pixels.
    pub(in crate::view::report) width: i32,
    /// The whole document.
    pub(in crate::view::report) svg: String,
}

type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Field<'a, X> = DrawingArea<SVGBackend<'a>, Cartesian2d<X, RangedCoordf64>>;

impl Plot {
    fn draw(width: i32, height: i32, paint: impl FnOnce(&Canvas<'_>)) -> Plot {
        let mut svg = String::new();
        let size = ((width * UNIT) as u32, (height * UNIT) as u32);
        let canvas = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        paint(&canvas);
        canvas.present().expect(IN_MEMORY);
        drop(canvas);
        Plot { width, svg }
    }

    /// Returns what stands between the first and the last tag, and the size, as the first tag has it.
    pub(in crate::view::report) fn parts(&self) -> (&str, &str) {
        let inner =
            self.svg.split_once(">\n").and_then(|(first, rest)| Some((first, rest.rsplit_once("</svg>")?.0)));
        let (first, inner) = inner.expect("a plot begins and ends with its tag");
        let size = first.split_once("viewBox=\"").and_then(|(_, rest)| rest.split_once('"'));
        (size.expect("a plot has a size").0, inner)
    }
}

const IN_MEMORY: &str = "a plot is drawn into memory";

/// Draws something on a canvas.
macro_rules! put {
    ($area:expr, $element:expr) => {
        $area.draw(&$element).expect($crate::view::report::plots::IN_MEMORY)
    };
}
use put;

fn px(pixels: f64) -> i32 {
    (pixels * f64::from(UNIT)).round() as i32
}

fn style(pixels: f64, colour: RGBColor, h_pos: HPos, v_pos: VPos) -> TextStyle<'static> {
    let font = ("sans-serif", pixels * EM * f64::from(UNIT)).into_font();
    font.color(&colour).pos(Pos::new(h_pos, v_pos))
}

/// Writes a text at a place on the canvas, in pixels.
fn write(canvas: &Canvas<'_>, text: &str, at: (f64, f64), style: TextStyle<'_>) {
    put!(canvas, Text::new(text.to_owned(), (px(at.0), px(at.1)), style));
}

fn upwards(style: TextStyle<'static>) -> TextStyle<'static> {
    style.transform(FontTransform::Rotate270)
}

/// Draws a line between two places on the canvas, in pixels.
fn line(canvas: &Canvas<'_>, from: (f64, f64), to: (f64, f64), width: f64, colour: RGBColor) {
    let points = vec![(px(from.0), px(from.1)), (px(to.0), px(to.1))];
    put!(canvas, PathElement::new(points, colour.stroke_width(px(width) as u32)));
}

/// Gives a part of the canvas coordinates of its own: `x` from left to right, `y` from top to bottom, over these pixels.
fn field<'a, X: Ranged<ValueType = f64>>(
    canvas: &Canvas<'a>,
    x: X,
    y: std::ops::Range<f64>,
    across: (f64, f64),
    down: (f64, f64),
) -> Field<'a, X> {
    let pixels = (px(across.0)..px(across.1), px(down.0)..px(down.1));
    canvas.clone().apply_coord_spec(Cartesian2d::<X, RangedCoordf64>::new(x, y, pixels))
}

/// Returns a range with some room about these values, within 0 and 1.
pub(super) fn shares(values: impl IntoIterator<Item = f64>) -> std::ops::Range<f64> {
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
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() || text == "-0" { "0".to_owned() } else { text.to_owned() }
}
