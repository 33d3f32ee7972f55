//! A picture as SVG. Its colours are the variables of the page's style, so it is light or dark as the page.

use std::fmt::Write as _;

use referee_rules::Seat;
use referee_rules::picture::{At, Paint, Picture, Shape, WIDTH};

use super::{COLOURS, shape_of};

/// Returns a picture as an element of a page. `words` say the same to readers who cannot see it; they are escaped.
pub(crate) fn element(picture: &Picture, seats: usize, words: &str) -> String {
    let mut svg =
        format!("<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{words}\">", px(picture.height));
    for shape in &picture.shapes {
        let _ = match shape {
            Shape::Polygon { corners, paint, opacity } => {
                write!(svg, "<path d=\"{}\"{}/>", path(corners), fill(*paint, *opacity))
            }
            Shape::Circle { at, radius, paint, opacity } => {
                write!(svg, "<circle{}{}/>", round(*at, *radius), fill(*paint, *opacity))
            }
            Shape::Token { seat, at, radius } => {
                let rim = format!(" stroke=\"var(--card)\" stroke-width=\"{}\"", px(radius * 0.22));
                let fill = fill(Paint::Seat(*seat), 1.0);
                match shape_of(*seat, seats) {
                    [] => write!(svg, "<circle{}{fill}{rim}/>", round(*at, *radius)),
                    shape => {
                        let corner = |(x, y): &At| (at.0 + x * radius, at.1 + y * radius);
                        let corners: Vec<At> = shape.iter().map(corner).collect();
                        write!(svg, "<path d=\"{}\"{fill}{rim}/>", path(&corners))
                    }
                }
            }
            Shape::Text { at, size, text, paint } => {
                let (x, y) = (px(at.0), px(at.1));
                let text = text.replace('&', "&amp;").replace('<', "&lt;");
                let fill = fill(*paint, 1.0);
                let size = px(*size);
                write!(
                    svg,
                    "<text x=\"{x}\" y=\"{y}\" dy=\".36em\" text-anchor=\"middle\" font-size=\"{size}\"{fill}>{text}</text>"
                )
            }
        };
    }
    svg + "</svg>"
}

/// Returns the mark of a seat alone, in the colour of its team.
pub(crate) fn mark(seat: Seat, team: usize, seats: usize) -> String {
    let fill = fill(Paint::Seat(Seat::new(team)), 1.0);
    let shape = match shape_of(seat, seats) {
        [] => format!("<circle r=\"9\"{fill}/>"),
        shape => {
            let corners: Vec<At> = shape.iter().map(|(x, y)| (x * 9.0, y * 9.0)).collect();
            format!("<path d=\"{}\"{fill}/>", path(&corners))
        }
    };
    format!("<svg viewBox=\"-10 -10 20 20\" role=\"img\" aria-label=\"seat {seat}\">{shape}</svg>")
}

fn path(corners: &[At]) -> String {
    let mut path = String::new();
    for (number, (x, y)) in corners.iter().enumerate() {
        let _ = write!(path, "{}{} {}", if number == 0 { 'M' } else { 'L' }, px(*x), px(*y));
    }
    path + "Z"
}

fn round((x, y): At, radius: f64) -> String {
    format!(" cx=\"{}\" cy=\"{}\" r=\"{}\"", px(x), px(y), px(radius))
}

fn fill(paint: Paint, opacity: f64) -> String {
    let colour = match paint {
        Paint::Seat(seat) => format!("seat{}", seat.index() % COLOURS),
        paint => super::pixels::name(paint).to_owned(),
    };
    let opacity = if opacity < 1.0 { format!(" fill-opacity=\"{opacity:.2}\"") } else { String::new() };
    format!(" fill=\"var(--{colour})\"{opacity}")
}

/// Rounds to tenths.
fn px(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}
