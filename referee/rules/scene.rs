//! Scenes: pictures of games that have no board of their own, made from facts. A scene is a grid of squares
//! or hexagons, or free points, with tokens, marked places, lines and labels. Viewers draw it; the game needs
//! no drawing code.
//!
//! A position is a scene if it contains the facts [`ROWS`] and [`COLUMNS`], or [`POINTS`]. A game in Rust
//! reports these facts itself, or makes a [`Scene`], which reports them ([`Scene::tell`]).

mod drawing;

pub use self::drawing::LEGEND;
use crate::{Fact, Position, Seat, Thing};

/// Number of rows of the grid, from 1 to 200: one fact, without a seat or an index. The first cell is 0, then row by
/// row.
pub const ROWS: Thing = Thing::new("rows");

/// Number of columns, likewise.
pub const COLUMNS: Thing = Thing::new("columns");

/// With a value that is not 0, the cells are hexagons: the rows 1, 3, 5 ... begin half a cell further to the right.
pub const HEXAGONAL: Thing = Thing::new("hexagonal");

/// With a value that is not 0, the grid is a torus: opposite edges meet.
pub const TORUS: Thing = Thing::new("torus");

/// Number of points, from 1 to 2000, where there is no grid. The points are the places, numbered from 0.
pub const POINTS: Thing = Thing::new("points");

/// Distance of a point from the left, from 0 to 1000: the index is the point. A point without it, or without [`Y`], is
/// not drawn.
pub const X: Thing = Thing::new("x");

/// Distance of a point from the top, from 0 to 1000.
pub const Y: Thing = Thing::new("y");

/// A place that is marked: the index is the place, the seat its owner, the value a number that is shown in it
/// (0: none).
pub const CELL: Thing = Thing::new("cell");

/// A token: the index is its number among those of its owner, the value its place. Its thing is
/// [`Thing::PLAYER`], so that viewers follow its moves.
pub const TOKEN: Thing = Thing::PLAYER;

/// The sign of the token with this owner and index: the value is the number of an ASCII character.
pub const GLYPH: Thing = Thing::new("glyph");

/// The start of a line: the index is its number among those of its owner, the value a place.
pub const FROM: Thing = Thing::new("from");

/// The end of the line with this owner and number.
pub const TO: Thing = Thing::new("to");

/// A text at a place: the index is the place, the value its number among the labels of the game
/// ([`Listed::LABELS`](crate::Listed::LABELS)), from 1.
pub const LABEL: Thing = Thing::new("label");

/// The things that never change, which viewers ask for before the first turn.
pub const STEADY: [Thing; 5] = [ROWS, COLUMNS, HEXAGONAL, TORUS, POINTS];

/// Maximum number of rows and of columns that are drawn.
pub const SIDE_MAX: i64 = 200;

/// Maximum number of points that are drawn.
pub const POINTS_MAX: i64 = 2000;

/// Maximum coordinate of a point.
pub const FAR: i64 = 1000;

/// A position as a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// Its places.
    pub ground: Ground,
    /// The places that are marked.
    pub cells: Vec<Cell>,
    /// The tokens, by owner and number. Later ones are drawn above earlier ones.
    pub tokens: Vec<Token>,
    /// The lines, below everything else.
    pub lines: Vec<Line>,
    /// The texts.
    pub labels: Vec<Label>,
}

/// The places of a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ground {
    /// The cells of a grid, row by row.
    Grid(Grid),
    /// Points, with their distances from the left and from the top, from 0 to [`FAR`]. `None`: the point is
    /// not drawn.
    Points(Vec<Option<(i64, i64)>>),
}

/// A grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// Whether its cells are hexagons.
    pub hexagonal: bool,
    /// Whether it is a torus: opposite edges meet.
    pub torus: bool,
}

/// A place that is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The place.
    pub place: usize,
    /// Its owner, if it has one.
    pub owner: Option<Seat>,
    /// The number that is shown in it; 0: none.
    pub number: i64,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its place.
    pub place: usize,
    /// Its owner, if it has one.
    pub owner: Option<Seat>,
    /// Its number among those of its owner; `None` if it is the only one.
    pub number: Option<usize>,
    /// The character that shows it; `None`: the number of its owner.
    pub glyph: Option<char>,
}

/// A line between two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its start.
    pub from: usize,
    /// Its end.
    pub to: usize,
    /// Its owner, if it has one.
    pub owner: Option<Seat>,
    /// Its number among those of its owner.
    pub number: usize,
}

/// A text at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub place: usize,
    /// The number of the text among the labels of the game, from 1.
    pub number: usize,
}

impl Ground {
    fn of(position: &Position) -> Option<Ground> {
        let number = |thing, max| position.get(thing, None, None).filter(|value| (1..=max).contains(value));
        let (Some(rows), Some(columns)) = (number(ROWS, SIDE_MAX), number(COLUMNS, SIDE_MAX)) else {
            let count = number(POINTS, POINTS_MAX)? as usize;
            let coordinate = |thing, point| Some(position.get(thing, None, Some(point))?.clamp(0, FAR));
            let points = (0..count).map(|point| Some((coordinate(X, point)?, coordinate(Y, point)?)));
            return Some(Ground::Points(points.collect()));
        };
        let is_set = |thing| position.get(thing, None, None).is_some_and(|value| value != 0);
        Some(Ground::Grid(Grid {
            rows: rows as usize,
            columns: columns as usize,
            hexagonal: is_set(HEXAGONAL),
            torus: is_set(TORUS),
        }))
    }

    /// Returns the place with this number, if it can be drawn.
    fn place(&self, number: i64) -> Option<usize> {
        let place = usize::try_from(number).ok()?;
        let is_there = match self {
            Ground::Grid(grid) => place < grid.rows * grid.columns,
            Ground::Points(points) => points.get(place).is_some_and(Option::is_some),
        };
        if is_there { Some(place) } else { None }
    }
}

impl Scene {
    /// Returns an empty scene.
    pub const fn new(ground: Ground) -> Scene {
        Scene { ground, cells: Vec::new(), tokens: Vec::new(), lines: Vec::new(), labels: Vec::new() }
    }

    /// Returns the scene of a position; `None` if its facts describe none. Things without a place are left
    /// out.
    pub fn of(position: &Position) -> Option<Scene> {
        let ground = Ground::of(position)?;
        let place_of_index = |fact: &Fact| ground.place(i64::try_from(fact.index?).ok()?);
        let cells = position.all(CELL).iter().filter_map(|fact| {
            Some(Cell { place: place_of_index(fact)?, owner: fact.seat, number: fact.value })
        });
        let tokens = position.all(TOKEN).iter().filter_map(|fact| {
            let place = ground.place(fact.value)?;
            let code = position.get(GLYPH, fact.seat, fact.index);
            let letter = code.and_then(|code| char::from_u32(u32::try_from(code).ok()?));
            let glyph = letter.filter(char::is_ascii_graphic);
            Some(Token { place, owner: fact.seat, number: fact.index, glyph })
        });
        let lines = position.all(FROM).iter().filter_map(|fact| {
            let to = ground.place(position.get(TO, fact.seat, fact.index)?)?;
            Some(Line { from: ground.place(fact.value)?, to, owner: fact.seat, number: fact.index? })
        });
        let labels = position.all(LABEL).iter().filter_map(|fact| {
            Some(Label { place: place_of_index(fact)?, number: usize::try_from(fact.value).ok()? })
        });
        let (cells, tokens) = (cells.collect(), tokens.collect());
        let (lines, labels) = (lines.collect(), labels.collect());
        Some(Scene { ground, cells, tokens, lines, labels })
    }

    /// Reports the facts from which [`Scene::of`] makes this scene again: for the `describe` of a game in Rust.
    pub fn tell(&self, tell: &mut dyn FnMut(Fact)) {
        self.ground.tell(tell);
        let mut fact = |thing, seat, index, value| tell(Fact { thing, seat, index, value });
        for (point, at) in self.points().iter().enumerate() {
            let Some((x, y)) = *at else { continue };
            fact(X, None, Some(point), x);
            fact(Y, None, Some(point), y);
        }
        for cell in &self.cells {
            fact(CELL, cell.owner, Some(cell.place), cell.number);
        }
        for token in &self.tokens {
            fact(TOKEN, token.owner, token.number, token.place as i64);
            if let Some(glyph) = token.glyph {
                fact(GLYPH, token.owner, token.number, i64::from(u32::from(glyph)));
            }
        }
        for line in &self.lines {
            fact(FROM, line.owner, Some(line.number), line.from as i64);
            fact(TO, line.owner, Some(line.number), line.to as i64);
        }
        for label in &self.labels {
            fact(LABEL, None, Some(label.place), label.number as i64);
        }
    }

    fn points(&self) -> &[Option<(i64, i64)>] {
        match &self.ground {
            Ground::Grid(_) => &[],
            Ground::Points(points) => points,
        }
    }
}

impl Ground {
    /// Reports its facts that never change: for the `describe_board` of a game in Rust.
    pub fn tell(&self, tell: &mut dyn FnMut(Fact)) {
        let mut fact =
            |thing, value: usize| tell(Fact { thing, seat: None, index: None, value: value as i64 });
        match self {
            Ground::Grid(Grid { rows, columns, hexagonal, torus }) => {
                fact(ROWS, *rows);
                fact(COLUMNS, *columns);
                if *hexagonal {
                    fact(HEXAGONAL, 1);
                }
                if *torus {
                    fact(TORUS, 1);
                }
            }
            Ground::Points(points) => fact(POINTS, points.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(thing: Thing, seat: Option<usize>, index: Option<usize>, value: i64) -> Fact {
        Fact { thing, seat: seat.map(Seat::new), index, value }
    }

    #[test]
    fn a_scene_comes_back_from_the_facts_that_it_tells() {
        let owner = Some(Seat::new(1));
        for ground in [
            Ground::Grid(Grid { rows: 2, columns: 3, ..Grid::default() }),
            Ground::Grid(Grid { rows: 2, columns: 3, hexagonal: true, torus: true }),
            Ground::Points(vec![Some((0, 7)), Some((FAR, 500)), Some((3, 3)), None]),
        ] {
            let scene = Scene {
                cells: vec![Cell { place: 2, owner, number: 5 }],
                tokens: vec![Token { place: 1, owner, number: Some(4), glyph: Some('K') }],
                lines: vec![Line { from: 0, to: 2, owner, number: 0 }],
                labels: vec![Label { place: 1, number: 2 }],
                ..Scene::new(ground)
            };
            let mut facts = Vec::new();
            scene.tell(&mut |fact| facts.push(fact));
            assert_eq!(Scene::of(&Position::new(facts)), Some(scene));
        }
    }

    #[test]
    fn facts_without_a_ground_or_with_one_that_is_too_large_are_no_scene() {
        for side in [0, -1, 2001, i64::MAX] {
            let grid = vec![fact(ROWS, None, None, side), fact(COLUMNS, None, None, 4)];
            assert_eq!(Scene::of(&Position::new(grid)), None, "{side}");
            assert_eq!(Scene::of(&Position::new(vec![fact(POINTS, None, None, side)])), None, "{side}");
        }
        assert_eq!(Scene::of(&Position::new(vec![fact(ROWS, None, None, 2)])), None);
    }

    #[test]
    fn what_lies_nowhere_is_left_out() {
        let facts = vec![
            fact(POINTS, None, None, 3),
            fact(X, None, Some(0), 10),
            fact(Y, None, Some(0), 5_000),
            fact(X, None, Some(1), 10),
            fact(TOKEN, Some(0), None, 0),
            fact(TOKEN, Some(1), None, 1),
            fact(TOKEN, Some(2), None, 3),
            fact(FROM, None, Some(0), 0),
            fact(TO, None, Some(0), 1),
            fact(FROM, None, Some(1), 0),
            fact(LABEL, None, Some(2), 1),
        ];
        let scene = Scene::of(&Position::new(facts)).expect("a scene");
        assert_eq!(scene.ground, Ground::Points(vec![Some((10, FAR)), None, None]));
        assert_eq!((scene.tokens.len(), scene.lines.len(), scene.labels.len()), (1, 0, 0));
    }
}
