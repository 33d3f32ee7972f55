//! The field as a picture: balls and piles, homes, players.

use std::collections::BTreeMap;

use super::{Cell, HOMES, TEAMS};
use referee_rules::board::Situation;
use referee_rules::picture::{At, Paint, Picture, WIDTH};
use referee_rules::{Seat, Thing};

const SIDE: usize = 32;

pub(crate) fn draw(situation: &Situation<'_>) -> Picture {
    let mut picture = Picture::new(WIDTH);
    let cell = picture.squares(SIDE, 1);
    let corner = |place: usize| -> At { ((place % SIDE) as f64 * cell, (place / SIDE) as f64 * cell) };
    for (seat, home) in Seat::first(TEAMS).zip(HOMES) {
        let (x, y) = corner(Cell::index(home));
        let near = |at: f64| (at - 2.0 * cell).max(0.0);
        let size = |at: f64| (at + 3.0 * cell).min(WIDTH) - near(at);
        picture.rectangle((near(x), near(y)), (size(x), size(y)), Paint::Seat(seat), 0.18);
        picture.rectangle((x, y), (cell, cell), Paint::Seat(seat), 1.0);
    }
    for fact in situation.position.all(Thing::BALLS) {
        let Some(place) = fact.index else { continue };
        let (x, y) = corner(place);
        let middle = (x + cell / 2.0, y + cell / 2.0);
        if fact.value == 1 {
            picture.circle(middle, 0.13 * cell, Paint::Ball, 1.0);
        } else {
            let opacity = (0.22 + 0.14 * (fact.value as f64).log2()).min(1.0);
            picture.rectangle((x + 1.0, y + 1.0), (cell - 2.0, cell - 2.0), Paint::Coin, opacity);
            picture.text(middle, 0.62 * cell, fact.value.to_string(), Paint::Ink);
        }
    }
    // The seats on each cell. Alone on a cell a team stands in its middle; with others each has a corner.
    let mut teams: BTreeMap<usize, [bool; TEAMS]> = BTreeMap::new();
    for fact in situation.position.all(Thing::PLAYER) {
        let (Some(seat), Ok(place)) = (fact.seat, usize::try_from(fact.value)) else { continue };
        teams.entry(place).or_default()[seat.index()] = true;
    }
    for (place, teams) in teams {
        let is_alone = teams.iter().filter(|is_there| **is_there).count() == 1;
        for seat in Seat::first(TEAMS).filter(|seat| teams[seat.index()]) {
            let (x, y) = corner(place);
            let (x, y) = (x + cell / 2.0, y + cell / 2.0);
            let side = |is_far: bool| if is_far { 0.24 * cell } else { -0.24 * cell };
            if is_alone {
                picture.token(seat, (x, y), 0.33 * cell);
            } else {
                let place = (x + side(seat.index() % 2 == 1), y + side(seat.index() > 1));
                picture.token(seat, place, 0.22 * cell);
            }
        }
    }
    picture
}
