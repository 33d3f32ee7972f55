//! Facts of a scene that cannot be drawn. Viewers leave them out, so the author learns it here.

use referee_rules::scene::{
    CELL, COLUMNS, FAR, FROM, GLYPH, HEXAGONAL, LABEL, POINTS, POINTS_MAX, ROWS, SIDE_MAX, TO, TOKEN, TORUS,
    X, Y,
};
use referee_rules::{Fact, Position, Thing};

/// Returns the first fact of a position that cannot be drawn, as the judge wrote it, and the reason. `labels` is the
/// number of labels of the game.
pub(super) fn wrong(position: &Position, labels: usize) -> Option<String> {
    let board = match Board::read(position) {
        Ok(board) => board?,
        Err(what) => return Some(what),
    };
    let things = [CELL, LABEL, TOKEN, FROM, TO, GLYPH, X, Y, HEXAGONAL, TORUS];
    things.into_iter().flat_map(|thing| position.all(thing)).find_map(|fact| {
        let why = board.fault(fact, labels)?;
        let seat = fact.seat.map_or(-1, |seat| seat.index() as i64);
        Some(format!("`fact {} {seat} {} {}`: {why}", fact.thing, index(fact), fact.value))
    })
}

/// The board of a position.
struct Board {
    /// Number of places.
    places: i64,
    is_grid: bool,
}

impl Board {
    /// Reads the board from the facts; `None` if there is none. The error is the fact that is wrong, and the reason.
    fn read(position: &Position) -> Result<Option<Board>, String> {
        let number = |thing| position.get(thing, None, None);
        let wrong = |thing: Thing, value: i64, why: &str| Err(format!("`fact {thing} -1 -1 {value}`: {why}"));
        match (number(ROWS), number(COLUMNS), number(POINTS)) {
            (None, None, None) => Ok(None),
            (Some(rows), Some(columns), None) => {
                for (thing, side) in [(ROWS, rows), (COLUMNS, columns)] {
                    if !(1..=SIDE_MAX).contains(&side) {
                        return wrong(thing, side, &format!("a grid has 1 to {SIDE_MAX} {thing}"));
                    }
                }
                Ok(Some(Board { places: rows * columns, is_grid: true }))
            }
            (None, None, Some(points)) if (1..=POINTS_MAX).contains(&points) => {
                Ok(Some(Board { places: points, is_grid: false }))
            }
            (None, None, Some(points)) => {
                wrong(POINTS, points, &format!("a board has 1 to {POINTS_MAX} points"))
            }
            (_, _, Some(points)) => wrong(POINTS, points, "a board is a grid or points, not both"),
            (Some(rows), None, _) => wrong(ROWS, rows, "a grid needs a fact `columns`, too"),
            (None, Some(columns), _) => wrong(COLUMNS, columns, "a grid needs a fact `rows`, too"),
        }
    }

    /// Returns why a fact cannot be drawn.
    fn fault(&self, fact: &Fact, labels: usize) -> Option<String> {
        let is_place = |place: i64| (0..self.places).contains(&place);
        let no_place =
            |place: i64| Some(format!("{place} is no place: the board has {} of them", self.places));
        match fact.thing {
            CELL | LABEL if !is_place(index(fact)) => no_place(index(fact)),
            LABEL if !(1..=labels as i64).contains(&fact.value) => {
                Some(format!("{} is no label: the description has {labels}", fact.value))
            }
            FROM | TO if fact.index.is_none() => Some("a line needs an index".to_owned()),
            // A token or a line that is nowhere has a place of -1.
            TOKEN | FROM | TO if fact.value != -1 && !is_place(fact.value) => no_place(fact.value),
            GLYPH if !(33..127).contains(&fact.value) => {
                Some(format!("{} is not the code of a visible ASCII character", fact.value))
            }
            X | Y if self.is_grid => None,
            X | Y if !is_place(index(fact)) => no_place(index(fact)),
            X | Y if !(0..=FAR).contains(&fact.value) => {
                Some(format!("{} is not from 0 to {FAR}", fact.value))
            }
            HEXAGONAL | TORUS if !self.is_grid && fact.value != 0 => Some("only a grid has this".to_owned()),
            _ => None,
        }
    }
}

fn index(fact: &Fact) -> i64 {
    fact.index.map_or(-1, |index| index as i64)
}
