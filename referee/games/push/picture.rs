//! The hexagon as a picture: the colour of the seat for which a slot scores, homes, piles.

use super::{HOMES, PILE, PLAYERS, Slot, bonus};
use referee_rules::Seat;
use referee_rules::board::Situation;
use referee_rules::picture::{At, Paint, Picture, Shape, WIDTH};

/// Number of slots in each row.
const ROWS: [usize; 9] = [5, 6, 7, 8, 9, 8, 7, 6, 5];

const HEIGHT: f64 = 0.9 * WIDTH;

pub(crate) fn draw(situation: &Situation<'_>) -> Picture {
    let mut picture = Picture::new(HEIGHT);
    picture.rectangle((0.0, 0.0), (WIDTH, HEIGHT), Paint::Card, 1.0);
    let radius = WIDTH / (9.3 * 3f64.sqrt());
    let mut slots = Slot::all();
    for (row, length) in ROWS.into_iter().enumerate() {
        for (column, slot) in slots.by_ref().take(length).enumerate() {
            let x = WIDTH / 2.0 + (column as f64 - (length - 1) as f64 / 2.0) * radius * 3f64.sqrt();
            let at = (x, HEIGHT / 2.0 + (row as f64 - 4.0) * radius * 1.5);
            let home = Seat::first(PLAYERS).zip(HOMES).find(|(_, home)| *home == slot);
            let rim = home.map_or(Paint::Grid, |(seat, _)| Paint::Seat(seat));
            hexagon(&mut picture, at, radius * 0.98, rim, 1.0);
            hexagon(&mut picture, at, radius * if home.is_some() { 0.88 } else { 0.95 }, Paint::Card, 1.0);
            for seat in Seat::first(PLAYERS).filter(|seat| bonus(slot, *seat) > 0) {
                let value = f64::from(bonus(slot, seat));
                hexagon(&mut picture, at, radius * 0.88, Paint::Seat(seat), 0.08 + 0.11 * value);
                picture.text((at.0, at.1 + radius * 0.72), 0.3 * radius, format!("{value}"), Paint::Ink);
            }
            let coins = situation.position.get(PILE, None, Some(slot.index())).unwrap_or(0);
            if coins > 0 {
                let size = radius * (0.26 + 0.075 * (coins as f64).sqrt()).min(0.62);
                picture.circle(at, size + 3.0, Paint::CoinInk, 1.0);
                picture.circle(at, size, Paint::Coin, 1.0);
                picture.text(at, size, coins.to_string(), Paint::CoinInk);
            }
        }
    }
    picture
}

/// The corners of a hexagon, about a circle of radius 1.
const CORNERS: [At; 6] =
    [(0.0, -1.0), (0.866, -0.5), (0.866, 0.5), (0.0, 1.0), (-0.866, 0.5), (-0.866, -0.5)];

fn hexagon(picture: &mut Picture, (x, y): At, radius: f64, paint: Paint, opacity: f64) {
    let corners = CORNERS.iter().map(|(across, down)| (x + radius * across, y + radius * down)).collect();
    picture.shapes.push(Shape::Polygon { corners, paint, opacity });
}
