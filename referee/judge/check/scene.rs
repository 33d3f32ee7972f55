//! Facts that look like a picture and are none: viewers leave out what they cannot draw, and the author learns it here.

use referee_rules::scene::{
    CELL, COLUMNS, FAR, FROM, GLYPH, HEXAGONAL, LABEL, POINTS, POINTS_MAX, ROWS, SIDE_MAX, TO, TOKEN, TORUS,
    X, Y,
};
use referee_rules::{Fact, Position, Thing};

/// Returns the first fact of a position that cannot be drawn, as the judge wrote it, and the reason. `labels` is the
/// number of labels of the game.
pub(super) fn wrong(position: &Position, labels: usize) -> Option<String> {
    let number = |thing| position.get(thing, None, None);
    let (rows, columns, points) = (number(ROWS), number(COLUMNS), number(POINTS));
    let said = |thing: Thing, value: i64| format!("`fact {thing} -1 -1 {value}`: ");
    let places = match (rows, columns, points) {
        (None, None, None) => return None,
        (Some(rows), Some(columns), None) => {
            for (thing, side) in [(ROWS, rows), (COLUMNS, columns)] {
                if !(1..=SIDE_MAX).contains(&side) {
                    return Some(said(thing, side) + &format!("a grid has 1 to {SIDE_MAX} {thing}"));
                }
            }
            rows * columns
        }
        (None, None, Some(points)) if (1..=POINTS_MAX).contains(&points) => points,
        (None, None, Some(points)) => {
            return Some(said(POINTS, points) + &format!("a board has 1 to {POINTS_MAX} points"));
        }
        (_, _, Some(points)) => return Some(said(POINTS, points) + "a board is a grid or points, not both"),
        (Some(rows), None, _) => return Some(said(ROWS, rows) + "a grid needs a fact `columns`, too"),
        (None, Some(columns), _) => return Some(said(COLUMNS, columns) + "a grid needs a fact `rows`, too"),
    };
    let is_grid = points.is_none();
    let on_board = |place: i64| (0..places).contains(&place);
    let index = |fact: &Fact| fact.index.map_or(-1, |index| index as i64);
    let fault = |fact: &Fact| -> Option<String> {
        let off = |place: i64| {
            (!on_board(place)).then(|| format!("{place} is no place: the board has {places} of them"))
        };
        match fact.thing {
            CELL | LABEL if !on_board(index(fact)) => off(index(fact)),
            LABEL if !(1..=labels as i64).contains(&fact.value) => {
                Some(format!("{} is no label: the description has {labels}", fact.value))
            }
            FROM | TO if fact.index.is_none() => Some("a line needs an index".to_owned()),
            // A token or a line that is nowhere has a place of -1.
            TOKEN | FROM | TO if fact.value != -1 => off(fact.value),
            GLYPH if !(33..127).contains(&fact.value) => {
                Some(format!("{} is not the code of a visible ASCII character", fact.value))
            }
            X | Y if is_grid => None,
            X | Y if !on_board(index(fact)) => off(index(fact)),
            X | Y if !(0..=FAR).contains(&fact.value) => {
                Some(format!("{} is not from 0 to {FAR}", fact.value))
            }
            HEXAGONAL | TORUS if !is_grid && fact.value != 0 => Some("only a grid has this".to_owned()),
            _ => None,
        }
    };
    let things = [CELL, LABEL, TOKEN, FROM, TO, GLYPH, X, Y, HEXAGONAL, TORUS];
    things.into_iter().flat_map(|thing| position.all(thing)).find_map(|fact| {
        let why = fault(fact)?;
        let seat = fact.seat.map_or(-1, |seat| seat.index() as i64);
        Some(format!("`fact {} {seat} {} {}`: {why}", fact.thing, index(fact), fact.value))
    })
}
