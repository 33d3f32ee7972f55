//! A scene in characters.

use super::{FAR, Grid, Ground, Label, Line, Scene};
use crate::Seat;
use crate::board::{Hue, Ink, Pen, number};

/// Width of a place, in characters.
const WIDTH: usize = 2;

/// Columns and rows of characters for free points, without the edge.
const POINTS_SIZE: (usize, usize) = (64, 22);

/// The meaning of the signs.
pub const LEGEND: &[&str] = &["0 1 2 a token and its owner", ".0 a place of seat 0  ## marked"];

fn ink(owner: Option<Seat>) -> Ink {
    Ink::of(owner.map_or(Hue::Plain, |seat| Hue::Seat(seat.index())))
}

fn text_of<'a>(label: &Label, labels: &[&'a str]) -> Option<&'a str> {
    labels.get(label.number.checked_sub(1)?).copied()
}

impl Scene {
    /// Returns columns and rows of characters within the edge.
    fn inside(&self) -> (usize, usize) {
        match &self.ground {
            Ground::Grid(Grid { rows, columns, hexagonal, .. }) => {
                (columns * WIDTH + usize::from(*hexagonal), *rows)
            }
            Ground::Points(_) => POINTS_SIZE,
        }
    }

    /// Returns the columns and rows of characters of its drawing.
    pub fn size(&self) -> (usize, usize) {
        let (width, height) = self.inside();
        (width + 2, height + 2)
    }

    /// Returns the column and row of a place within the edge.
    fn spot(&self, place: usize) -> (usize, usize) {
        match &self.ground {
            Ground::Grid(Grid { columns, hexagonal, .. }) => {
                let row = place / columns;
                (place % columns * WIDTH + usize::from(*hexagonal && row % 2 == 1), row)
            }
            Ground::Points(points) => {
                let (x, y) = points[place].unwrap_or_default();
                let scaled = |coordinate: i64, length: usize| coordinate as usize * length / FAR as usize;
                (scaled(x, POINTS_SIZE.0 - WIDTH), scaled(y, POINTS_SIZE.1 - 1))
            }
        }
    }

    /// Draws it with its upper left corner in this column and row. `labels` are the texts of the game's
    /// labels.
    pub fn draw(&self, labels: &[&str], pen: &mut dyn Pen, (x, y): (usize, usize)) {
        self.draw_edge(pen, (x, y));
        let (x, y) = (x + 1, y + 1);
        let spot = |place| {
            let (column, row) = self.spot(place);
            (x + column, y + row)
        };
        for line in &self.lines {
            self.draw_line(line, pen, (x, y));
        }
        for (place, _) in self.points().iter().enumerate().filter(|(_, at)| at.is_some()) {
            let (x, y) = spot(place);
            pen.write(x, y, "()", Ink::FAINT);
        }
        for label in &self.labels {
            let Some(text) = text_of(label, labels) else { continue };
            let (column, room) = self.room_of(label);
            let (_, row) = spot(label.place);
            let shown: String = text.chars().take(room).collect();
            pen.write(x + column, row, &shown, Ink::PLAIN);
        }
        for cell in &self.cells {
            let (x, y) = spot(cell.place);
            let text = match (cell.number, cell.owner) {
                (0, Some(owner)) => format!(".{}", number(owner)),
                (0, None) => "##".to_owned(),
                (shown @ -9..=99, _) => format!("{shown:>2}"),
                _ => "**".to_owned(),
            };
            pen.write(x, y, &text, ink(cell.owner));
        }
        for token in &self.tokens {
            let (x, y) = spot(token.place);
            let sign = token.glyph.or(token.owner.map(number)).unwrap_or('o');
            let ink = Ink { bold: true, reverse: true, ..ink(token.owner) };
            pen.write(x, y, &format!("{sign}{}", token.owner.map_or(' ', number)), ink);
        }
    }

    /// Lists the labels that are drawn in part or not at all, each with its place.
    pub fn cut_labels(&self, labels: &[&str]) -> Vec<String> {
        let mut cut = Vec::new();
        for label in &self.labels {
            let Some(text) = text_of(label, labels) else { continue };
            let (_, room) = self.room_of(label);
            if text.chars().count() <= room {
                continue;
            }
            cut.push(match &self.ground {
                Ground::Grid(Grid { columns, .. }) => {
                    format!("row {}, column {}: {text}", label.place / columns, label.place % columns)
                }
                Ground::Points(_) => format!("point {}: {text}", label.place),
            });
        }
        cut
    }

    /// Returns the column where a label begins, and the number of characters up to the next thing in its row.
    fn room_of(&self, label: &Label) -> (usize, usize) {
        let (column, row) = self.spot(label.place);
        // A label is next to its point, but in its cell.
        let start = if self.points().is_empty() { column } else { column + WIDTH };
        let cells = self.cells.iter().map(|cell| cell.place);
        let tokens = self.tokens.iter().map(|token| token.place);
        let points = (0..self.points().len()).filter(|point| self.points()[*point].is_some());
        let labels = self.labels.iter().map(|other| other.place).filter(|other| *other != label.place);
        let (mut end, _) = self.inside();
        for place in cells.chain(tokens).chain(points).chain(labels) {
            let (thing_column, thing_row) = self.spot(place);
            if thing_row == row && thing_column + WIDTH > start {
                end = end.min(thing_column);
            }
        }
        (start, end.saturating_sub(start))
    }

    /// Draws the edge. That of a torus has gaps.
    fn draw_edge(&self, pen: &mut dyn Pen, (x, y): (usize, usize)) {
        let (width, height) = self.inside();
        let is_open = matches!(self.ground, Ground::Grid(Grid { torus: true, .. }));
        let (horizontal, vertical) = if is_open { ("- ", ":") } else { ("--", "|") };
        let edge: String = horizontal.chars().cycle().take(width).collect();
        for row in [y, y + height + 1] {
            pen.write(x, row, &format!("+{edge}+"), Ink::FAINT);
        }
        for row in 1..=height {
            pen.write(x, y + row, vertical, Ink::FAINT);
            pen.write(x + width + 1, y + row, vertical, Ink::FAINT);
        }
    }

    /// Draws a line from place to place, without its ends.
    fn draw_line(&self, line: &Line, pen: &mut dyn Pen, (x, y): (usize, usize)) {
        let [from, to] = [line.from, line.to].map(|place| {
            let (column, row) = self.spot(place);
            (column as i64, row as i64)
        });
        let (columns, rows) = (to.0 - from.0, to.1 - from.1);
        let sign = match (columns.abs(), rows.abs()) {
            (across, down) if across >= 2 * down => "-",
            (across, down) if down >= 2 * across => "|",
            _ if (columns > 0) == (rows > 0) => "\\",
            _ => "/",
        };
        let steps = columns.abs().max(rows.abs());
        for step in 1..steps {
            let at = |start: i64, whole: i64| (2 * (start * steps + whole * step) + steps) / (2 * steps);
            let (column, row) = (at(from.0, columns) as usize, at(from.1, rows) as usize);
            pen.write(x + column, y + row, sign, ink(line.owner));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cell, Label, Token};
    use super::*;

    struct Page(Vec<Vec<char>>);

    impl Pen for Page {
        fn write(&mut self, x: usize, y: usize, text: &str, _ink: Ink) -> usize {
            for (column, letter) in (x..).zip(text.chars()) {
                self.0[y][column] = letter;
            }
            x + text.chars().count()
        }
    }

    const LABELS: [&str; 2] = ["Alps", "Berlin"];

    fn drawn(scene: &Scene) -> Vec<String> {
        let (width, height) = scene.size();
        let mut page = Page(vec![vec![' '; width]; height]);
        scene.draw(&LABELS, &mut page, (0, 0));
        page.0.iter().map(|line| line.iter().collect()).collect()
    }

    fn on(ground: Ground) -> Scene {
        let [zero, one] = [0, 1].map(Seat::new);
        Scene {
            cells: vec![
                Cell { place: 0, owner: Some(one), number: 0 },
                Cell { place: 1, owner: None, number: 0 },
                Cell { place: 2, owner: None, number: 17 },
            ],
            tokens: vec![
                Token { place: 7, owner: Some(zero), number: None, glyph: None },
                Token { place: 4, owner: Some(one), number: Some(3), glyph: Some('K') },
            ],
            ..Scene::new(ground)
        }
    }

    #[test]
    fn cells_and_tokens_of_a_grid_are_drawn() {
        let grid = Grid { rows: 2, columns: 4, ..Grid::default() };
        let lines = drawn(&on(Ground::Grid(grid)));
        assert_eq!(lines, ["+--------+", "|.1##17  |", "|K1    00|", "+--------+"]);
    }

    #[test]
    fn rows_of_hexagons_are_shifted_and_the_edge_of_a_torus_is_open() {
        let grid = Grid { rows: 2, columns: 4, hexagonal: true, torus: true };
        let lines = drawn(&on(Ground::Grid(grid)));
        assert_eq!(lines, ["+- - - - -+", ":.1##17   :", ": K1    00:", "+- - - - -+"]);
    }

    #[test]
    fn a_label_ends_where_the_next_thing_begins_and_is_listed_if_it_is_cut() {
        let label = |place, number| Label { place, number };
        let grid = Grid { rows: 2, columns: 4, ..Grid::default() };
        let mut scene = Scene {
            labels: vec![label(3, 1), label(1, 2), label(5, 2), label(4, 1), label(0, 9)],
            ..on(Ground::Grid(grid))
        };
        assert_eq!(drawn(&scene), ["+--------+", "|.1##17Al|", "|K1Berl00|", "+--------+"]);
        let cut = ["row 0, column 3: Alps", "row 0, column 1: Berlin", "row 1, column 1: Berlin"];
        assert_eq!(scene.cut_labels(&LABELS), [&cut[..], &["row 1, column 0: Alps"]].concat());
        scene.cells.clear();
        scene.labels = vec![label(0, 1), label(2, 1)];
        assert_eq!(drawn(&scene)[1], "|AlpsAlps|");
        assert!(scene.cut_labels(&LABELS).is_empty());
        let points = vec![Some((0, 0)), Some((40, 0)), Some((1000, 0)), Some((500, 500))];
        let labels = (0..4).map(|place| label(place, 2)).collect();
        let scene = Scene { labels, ..Scene::new(Ground::Points(points)) };
        assert!(drawn(&scene)[1].starts_with("|()()Berlin ") && drawn(&scene)[1].ends_with("  ()|"));
        assert_eq!(scene.cut_labels(&LABELS), ["point 0: Berlin", "point 2: Berlin"]);
    }

    #[test]
    fn lines_and_labels_join_points() {
        let points = vec![Some((0, 0)), Some((500, 0)), Some((500, 300)), Some((1000, 1000)), None];
        let line = |from, to, number| Line { from, to, owner: None, number };
        let scene = Scene {
            tokens: vec![Token { place: 3, owner: Some(Seat::new(1)), number: None, glyph: None }],
            lines: vec![line(0, 1, 0), line(1, 2, 1), line(0, 2, 2)],
            labels: vec![Label { place: 2, number: 2 }, Label { place: 0, number: 9 }],
            ..Scene::new(Ground::Points(points))
        };
        let lines = drawn(&scene);
        assert_eq!(lines.len(), 24);
        assert_eq!(lines[1].trim_end_matches([' ', '|']), format!("|(){}()", "-".repeat(29)));
        assert_eq!(lines[3].find('|').zip(lines[3].rfind('|')), Some((0, 65)));
        assert_eq!(lines[3].matches('|').count(), 3, "{}", lines[3]);
        assert!(lines[7].contains("()Berlin"), "{}", lines[7]);
        assert!(lines[22].ends_with("11|"), "{}", lines[22]);
    }
}
