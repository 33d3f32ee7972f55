//! Scenes: what a game without a board of its own looks like, as far as its facts say it. A grid, tokens on it, cells
//! with an owner and a number. Viewers draw it; nobody has to write drawing code.
//!
//! A position is a scene if it has the facts [`ROWS`] and [`COLUMNS`]. Cells are numbered row by row, from 0.

use crate::board::{Hue, Ink, Pen, number};
use crate::{Position, Seat, Thing};

/// How many rows the grid has. One, of nobody, without an index.
pub const ROWS: Thing = Thing::new("rows");

/// How many columns, likewise.
pub const COLUMNS: Thing = Thing::new("columns");

/// A cell that is marked: the index is the cell, the seat its owner, the value a number that is shown in it (0: none).
pub const CELL: Thing = Thing::new("cell");

/// A token: the index is its number among those of its owner, the value the cell that it is on. Its own thing is
/// [`Thing::PLAYER`], so that viewers follow its moves.
pub const TOKEN: Thing = Thing::PLAYER;

/// The sign of a token, with the owner and the index of the token: the value is the number of a character.
pub const GLYPH: Thing = Thing::new("glyph");

/// The most rows and columns that are drawn.
const SIDE_MAX: i64 = 200;

/// A position as a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// The cells that are marked.
    pub cells: Vec<Cell>,
    /// The tokens, by owner and number. Later ones lie above earlier ones.
    pub tokens: Vec<Token>,
}

/// A cell that is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Which one, row by row.
    pub place: usize,
    /// Whose it is, if it is somebody's.
    pub owner: Option<Seat>,
    /// What is shown in it; 0: nothing.
    pub number: i64,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The cell that it is on.
    pub place: usize,
    /// Whose it is, if it is somebody's.
    pub owner: Option<Seat>,
    /// The character by which it is shown; none: the number of its owner.
    pub glyph: Option<char>,
}

impl Scene {
    /// Returns the scene of a position; `None` if its facts describe no grid. What lies off the grid is left out.
    pub fn of(position: &Position) -> Option<Scene> {
        let side = |thing| position.get(thing, None, None).filter(|side| (1..=SIDE_MAX).contains(side));
        let (rows, columns) = (side(ROWS)? as usize, side(COLUMNS)? as usize);
        let on_grid = |place: usize| (place < rows * columns).then_some(place);
        let cells = position.all(CELL).iter().filter_map(|fact| {
            Some(Cell { place: on_grid(fact.index?)?, owner: fact.seat, number: fact.value })
        });
        let tokens = position.all(TOKEN).iter().filter_map(|fact| {
            let place = on_grid(usize::try_from(fact.value).ok()?)?;
            let glyph = position.get(GLYPH, fact.seat, fact.index);
            let glyph = glyph.and_then(|number| char::from_u32(u32::try_from(number).ok()?));
            Some(Token { place, owner: fact.seat, glyph: glyph.filter(|glyph| glyph.is_ascii_graphic()) })
        });
        Some(Scene { rows, columns, cells: cells.collect(), tokens: tokens.collect() })
    }

    /// Returns columns and rows of characters that its drawing takes.
    pub fn size(&self) -> (usize, usize) {
        (self.columns * WIDTH + 2, self.rows + 2)
    }

    /// Draws it with its left upper corner in this column and row.
    pub fn draw(&self, pen: &mut dyn Pen, (x, y): (usize, usize)) {
        let edge = format!("+{}+", "-".repeat(self.columns * WIDTH));
        pen.write(x, y, &edge, Ink::FAINT);
        pen.write(x, y + self.rows + 1, &edge, Ink::FAINT);
        for row in 0..self.rows {
            pen.write(x, y + 1 + row, "|", Ink::FAINT);
            pen.write(x + 1 + self.columns * WIDTH, y + 1 + row, "|", Ink::FAINT);
        }
        let hue = |owner: Option<Seat>| owner.map_or(Hue::Plain, |seat| Hue::Seat(seat.index()));
        let at = |place: usize| (x + 1 + place % self.columns * WIDTH, y + 1 + place / self.columns);
        for cell in &self.cells {
            let (x, y) = at(cell.place);
            let text = match (cell.number, cell.owner) {
                (0, Some(owner)) => format!(".{}", number(owner)),
                (0, None) => "##".to_owned(),
                (shown @ -9..=99, _) => format!("{shown:>2}"),
                _ => "**".to_owned(),
            };
            pen.write(x, y, &text, Ink::of(hue(cell.owner)));
        }
        for token in &self.tokens {
            let (x, y) = at(token.place);
            let sign = token.glyph.or(token.owner.map(number)).unwrap_or('o');
            let ink = Ink { bold: true, reverse: true, ..Ink::of(hue(token.owner)) };
            pen.write(x, y, &format!("{sign}{}", token.owner.map_or(' ', number)), ink);
        }
    }
}

/// How many characters a cell is wide.
const WIDTH: usize = 2;

/// What the signs mean.
pub const LEGEND: &[&str] = &["0 1 2 a token and its owner", ".0 a cell of seat 0  ## marked"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fact;

    struct Page(Vec<Vec<char>>);

    impl Pen for Page {
        fn write(&mut self, x: usize, y: usize, text: &str, _ink: Ink) -> usize {
            for (column, letter) in (x..).zip(text.chars()) {
                self.0[y][column] = letter;
            }
            x + text.chars().count()
        }
    }

    fn fact(thing: Thing, seat: Option<usize>, index: Option<usize>, value: i64) -> Fact {
        Fact { thing, seat: seat.map(Seat::new), index, value }
    }

    #[test]
    fn facts_of_a_grid_are_drawn_and_what_is_off_it_is_left_out() {
        let grid = [fact(ROWS, None, None, 2), fact(COLUMNS, None, None, 4)];
        let more = [
            fact(CELL, Some(1), Some(0), 0),
            fact(CELL, None, Some(1), 0),
            fact(CELL, None, Some(2), 17),
            fact(CELL, None, Some(8), 1),
            fact(TOKEN, Some(0), None, 7),
            fact(TOKEN, Some(1), Some(3), 4),
            fact(GLYPH, Some(1), Some(3), i64::from(b'K')),
            fact(TOKEN, Some(2), None, -1),
        ];
        let scene = Scene::of(&Position::new(grid.into_iter().chain(more).collect())).expect("a scene");
        assert_eq!((scene.cells.len(), scene.tokens.len()), (3, 2));
        let (width, height) = scene.size();
        let mut page = Page(vec![vec![' '; width]; height]);
        scene.draw(&mut page, (0, 0));
        let lines: Vec<String> = page.0.iter().map(|line| line.iter().collect()).collect();
        assert_eq!(lines, ["+--------+", "|.1##17  |", "|K1    00|", "+--------+"]);
    }

    #[test]
    fn facts_without_a_grid_or_with_one_that_is_too_large_are_no_scene() {
        for rows in [0, -1, 201, i64::MAX] {
            let facts = vec![fact(ROWS, None, None, rows), fact(COLUMNS, None, None, 4)];
            assert_eq!(Scene::of(&Position::new(facts)), None, "{rows}");
        }
        assert_eq!(Scene::of(&Position::new(vec![fact(ROWS, None, None, 2)])), None);
    }
}
