//! The board of a game as a picture, drawn without a browser: for pages without scripts, and for films. The colours are
//! those of the page.

pub(crate) mod pixels;
mod scenes;
pub(crate) mod svg;

use crate::drawing::mark;
use crate::view::scene::Scene as Moment;
use referee_games::catalog;
use referee_record::play::position::in_words;
use referee_rules::Seat;
use referee_rules::board::Situation;
use referee_rules::picture::{At, Paint, Picture, Shape, WIDTH};
use referee_rules::scene::Scene;

/// Draws a game at a moment: its board, else its scene, else its facts.
pub(crate) fn draw(moment: &Moment) -> Picture {
    let entry = catalog::find(&moment.heading.rules).ok();
    let turn = moment.turn.as_ref();
    let happenings = turn.map_or(&[][..], |turn| &turn.happenings);
    let occurrences: Vec<_> = happenings.iter().map(|happening| happening.occurrence).collect();
    let situation = Situation {
        position: &moment.position,
        occurrences: &occurrences,
        changes: turn.map_or(&[], |turn| &turn.changes),
        hidden: moment.hidden,
    };
    if let Some(draw) = entry.as_ref().and_then(|entry| entry.picture) {
        return draw(&situation);
    }
    let labels = entry.map_or(&[][..], |entry| entry.labels);
    let mut picture = match Scene::of(&moment.position) {
        Some(scene) => scenes::draw(&scene, labels),
        None => facts(moment),
    };
    if let Some(entry) = entry {
        picture.colour_teams(|seat| entry.team(seat));
    }
    picture
}

/// Returns a picture of this width in pixels: its height, and red, green and blue of each pixel.
pub fn pixels_of(picture: &Picture, seats: usize, width: usize) -> (usize, Vec<u8>) {
    let height = (picture.height / WIDTH * width as f64).ceil() as usize;
    let mut sheet = pixels::Sheet::new(width, height);
    let top = 0;
    sheet.draw(picture, seats, top);
    let palette = pixels::Palette::new();
    // The sheet has twice the width and height, so that edges become smooth.
    let palette_numbers = sheet.shrunk(&palette);
    (height, palette_numbers.into_iter().flat_map(|number| palette.colours[usize::from(number)]).collect())
}

/// Draws the facts as lines of text.
fn facts(moment: &Moment) -> Picture {
    const LINES: usize = 24;
    const LETTERS: usize = 76;
    let height = WIDTH / LINES as f64;
    let lines = in_words(moment.position.facts());
    let mut picture = Picture::new(height * (lines.len().min(LINES) + 1) as f64);
    picture.rectangle((0.0, 0.0), (WIDTH, picture.height), Paint::Card, 1.0);
    for (row, line) in lines.iter().take(LINES).enumerate() {
        let text: String = line.chars().take(LETTERS).collect();
        picture.text((WIDTH / 2.0, (row as f64 + 1.0) * height), 0.5 * height, text, Paint::Ink);
    }
    picture
}

/// Returns the corners of a seat's shape, about a circle of radius 1; empty: the circle itself. With more than six
/// seats, six at a time share a shape: their colours differ.
fn shape_of(seat: Seat, seats: usize) -> &'static [At] {
    mark::corners(if seats > COLOURS { seat.index() / COLOURS } else { seat.index() })
}

/// Number of colours of seats.
const COLOURS: usize = 6;

/// Radius of the rim of a token, as a multiple of the token's.
const RIM: f64 = 1.22;

/// Calls `fill` with each area of a picture, polygon by polygon, and `write` with each text.
fn each_part(
    picture: &Picture,
    seats: usize,
    mut fill: impl FnMut(&[At], Paint, f64),
    mut write: impl FnMut(At, f64, &str, Paint),
) {
    for shape in &picture.shapes {
        match shape {
            Shape::Polygon { corners, paint, opacity } => fill(corners, *paint, *opacity),
            Shape::Circle { at, radius, paint, opacity } => fill(&round(*at, *radius), *paint, *opacity),
            Shape::Token { seat, at, radius } => {
                let corners = |radius: f64| match shape_of(*seat, seats) {
                    [] => round(*at, radius),
                    shape => shape.iter().map(|(x, y)| (at.0 + x * radius, at.1 + y * radius)).collect(),
                };
                fill(&corners(radius * RIM), Paint::Card, 1.0);
                fill(&corners(*radius), Paint::Seat(*seat), 1.0);
            }
            Shape::Text { at, size, text, paint } => write(*at, *size, text, *paint),
        }
    }
}

/// Returns the corners of a polygon that looks like a circle.
fn round((x, y): At, radius: f64) -> Vec<At> {
    const CORNERS: u8 = 20;
    let corner = |corner: u8| {
        let angle = f64::from(corner) * std::f64::consts::TAU / f64::from(CORNERS);
        (x + radius * angle.cos(), y + radius * angle.sin())
    };
    (0..CORNERS).map(corner).collect()
}
