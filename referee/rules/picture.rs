//! A board as a picture: shapes with colours by name, for films, and for pages without scripts. Each game draws its
//! facts. This module knows no format of pictures.

use crate::Seat;
use crate::board::Situation;

/// The width of a picture. All lengths are in this unit.
pub const WIDTH: f64 = 1000.0;

/// A place: from the left, from the top.
pub type At = (f64, f64);

/// Draws a game's board.
pub type Draw = fn(&Situation<'_>) -> Picture;

/// A colour by its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Paint {
    /// The ground around a board.
    Card,
    /// The board itself.
    Field,
    /// Lines of a board.
    Grid,
    /// Text.
    Ink,
    /// Faint text, and edges.
    Soft,
    /// A wall, and things of no seat.
    Wall,
    /// A ball.
    Ball,
    /// A coin, or a pile.
    Coin,
    /// Text on a coin.
    CoinInk,
    /// The colour of a seat.
    Seat(Seat),
}

/// A part of a picture. Later ones are above earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A filled polygon.
    Polygon {
        /// Its corners in order.
        corners: Vec<At>,
        /// Its colour.
        paint: Paint,
        /// From 0, invisible, to 1.
        opacity: f64,
    },
    /// A filled circle.
    Circle {
        /// Its middle.
        at: At,
        /// Its radius.
        radius: f64,
        /// Its colour.
        paint: Paint,
        /// From 0, invisible, to 1.
        opacity: f64,
    },
    /// The shape of a seat, in its colour, with a rim.
    Token {
        /// The seat.
        seat: Seat,
        /// Its middle.
        at: At,
        /// Its radius.
        radius: f64,
    },
    /// A text around a place.
    Text {
        /// Its middle.
        at: At,
        /// The height of its letters.
        size: f64,
        /// The text.
        text: String,
        /// Its colour.
        paint: Paint,
    },
}

/// A picture of the width [`WIDTH`].
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Its height.
    pub height: f64,
    /// Its parts.
    pub shapes: Vec<Shape>,
}

impl Picture {
    /// Returns an empty picture.
    pub fn new(height: f64) -> Picture {
        Picture { height, shapes: Vec::new() }
    }

    /// Gives all seats of a team one colour and one shape. `team` returns the number of a seat's team.
    pub fn colour_teams(&mut self, team: impl Fn(Seat) -> usize) {
        for shape in &mut self.shapes {
            match shape {
                Shape::Polygon { paint: Paint::Seat(seat), .. }
                | Shape::Circle { paint: Paint::Seat(seat), .. }
                | Shape::Text { paint: Paint::Seat(seat), .. }
                | Shape::Token { seat, .. } => *seat = Seat::new(team(*seat)),
                Shape::Polygon { .. } | Shape::Circle { .. } | Shape::Text { .. } => {}
            }
        }
    }

    /// Adds a rectangle, given by its left upper corner and its size.
    pub fn rectangle(&mut self, (x, y): At, (width, height): At, paint: Paint, opacity: f64) {
        let corners = vec![(x, y), (x + width, y), (x + width, y + height), (x, y + height)];
        self.shapes.push(Shape::Polygon { corners, paint, opacity });
    }

    /// Adds a line of this width.
    pub fn line(&mut self, (x0, y0): At, (x1, y1): At, width: f64, paint: Paint, opacity: f64) {
        let length = (x1 - x0).hypot(y1 - y0).max(f64::MIN_POSITIVE);
        let (aside, down) = ((y0 - y1) / length * width / 2.0, (x1 - x0) / length * width / 2.0);
        let corners = vec![
            (x0 + aside, y0 + down),
            (x1 + aside, y1 + down),
            (x1 - aside, y1 - down),
            (x0 - aside, y0 - down),
        ];
        self.shapes.push(Shape::Polygon { corners, paint, opacity });
    }

    /// Adds a circle.
    pub fn circle(&mut self, at: At, radius: f64, paint: Paint, opacity: f64) {
        self.shapes.push(Shape::Circle { at, radius, paint, opacity });
    }

    /// Adds the shape of a seat.
    pub fn token(&mut self, seat: Seat, at: At, radius: f64) {
        self.shapes.push(Shape::Token { seat, at, radius });
    }

    /// Adds a text around a place.
    pub fn text(&mut self, at: At, size: f64, text: impl Into<String>, paint: Paint) {
        self.shapes.push(Shape::Text { at, size, text: text.into(), paint });
    }

    /// Adds the ground of a square board, with a line after each `every` of its `side` cells. Its cells are as wide as
    /// the returned length.
    pub fn squares(&mut self, side: usize, every: usize) -> f64 {
        self.rectangle((0.0, 0.0), (WIDTH, WIDTH), Paint::Field, 1.0);
        let cell = WIDTH / side as f64;
        for line in (every..side).step_by(every) {
            let at = line as f64 * cell;
            self.line((at, 0.0), (at, WIDTH), 2.0, Paint::Grid, 1.0);
            self.line((0.0, at), (WIDTH, at), 2.0, Paint::Grid, 1.0);
        }
        cell
    }
}
