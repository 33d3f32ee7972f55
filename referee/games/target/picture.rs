//! The torus as a picture: walls, and players where they stand.

use super::WALL;
use referee_rules::Thing;
use referee_rules::board::Situation;
use referee_rules::picture::{Paint, Picture, WIDTH};

/// Number of cells in a row.
const SIDE: usize = 64;

pub(crate) fn draw(situation: &Situation<'_>) -> Picture {
    let mut picture = Picture::new(WIDTH);
    let cell = picture.squares(SIDE, 4);
    let corner = |place: usize| ((place % SIDE) as f64 * cell, (place / SIDE) as f64 * cell);
    for place in situation.position.all(WALL).iter().filter_map(|fact| fact.index) {
        picture.rectangle(corner(place), (cell, cell), Paint::Wall, 1.0);
    }
    for fact in situation.position.all(Thing::PLAYER) {
        let (Some(seat), Ok(place)) = (fact.seat, usize::try_from(fact.value)) else { continue };
        let (x, y) = corner(place);
        picture.token(seat, (x + cell / 2.0, y + cell / 2.0), 0.8 * cell);
    }
    picture
}
