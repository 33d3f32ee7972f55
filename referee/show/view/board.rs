//! The board of a game in a terminal: the game's own, or a table of its facts.

use crate::view::canvas::{Canvas, Ink};
use crate::view::scene::Scene;
use referee_games::catalog;
use referee_record::play::position::in_words;
use referee_record::text;
use referee_rules as rules;
use referee_rules::Seat;
use referee_rules::board::{Board, Situation, number};

/// The drawing of a position that fits the room.
#[derive(Clone, Debug)]
pub enum Drawn {
    /// The game's own board, by the index of one of its drawings.
    Own(Board, usize),
    /// The scene that the facts describe, for a game without a board. The lines below it are labels that do not fit
    /// into it.
    Scene(rules::scene::Scene, Vec<String>),
    /// The lines of a table, for a game without either.
    Table(Vec<String>),
}

impl Drawn {
    /// Chooses how a game is drawn in a number of columns and rows.
    pub fn within(scene: &Scene, room: (usize, usize)) -> Drawn {
        match catalog::find(&scene.heading.rules).ok().and_then(|entry| entry.board) {
            Some(board) => Drawn::Own(board, board.which(room)),
            None => match rules::scene::Scene::of(&scene.position) {
                Some(grid) if fits(grid.size(), room) => {
                    let (width, height) = grid.size();
                    let cut = grid.cut_labels(labels(scene));
                    let width = room.0.min(width.max(LEGEND_WIDTH));
                    let lines = cut.iter().flat_map(|label| text::wrap(label, width)).collect();
                    Drawn::Scene(grid, shortened(lines, room.1 - height))
                }
                _ => Drawn::Table(table(scene, room)),
            },
        }
    }

    /// Returns the number of columns and rows.
    pub fn size(&self) -> (usize, usize) {
        match self {
            Drawn::Own(board, drawing) => board.drawings[*drawing].size,
            Drawn::Scene(grid, below) => {
                let (width, height) = grid.size();
                let widest = below.iter().map(|line| line.chars().count()).max();
                (width.max(widest.unwrap_or(0)), height + below.len())
            }
            // Facts are words and numbers: a character a column.
            Drawn::Table(lines) => (lines.iter().map(String::len).max().unwrap_or(0), lines.len()),
        }
    }

    /// Draws the position with its upper left corner in this column and row.
    pub fn draw(&self, scene: &Scene, canvas: &mut Canvas, (x, y): (usize, usize)) {
        match self {
            Drawn::Own(board, drawing) => {
                let happenings = scene.turn.iter().flat_map(|turn| &turn.happenings);
                let occurrences: Vec<_> = happenings.map(|happening| happening.occurrence).collect();
                let changes = scene.turn.as_ref().map_or(&[][..], |turn| &turn.changes);
                let (position, hidden) = (&scene.position, scene.hidden);
                (board.draw)(
                    &Situation { position, occurrences: &occurrences, changes, hidden },
                    *drawing,
                    canvas,
                    (x, y),
                );
            }
            Drawn::Scene(grid, below) => {
                grid.draw(labels(scene), canvas, (x, y));
                for (line, y) in below.iter().zip(y + grid.size().1..) {
                    canvas.write(x, y, line, Ink::PLAIN);
                }
            }
            Drawn::Table(lines) => {
                for (line, y) in lines.iter().zip(y..) {
                    canvas.write(x, y, line, Ink::PLAIN);
                }
            }
        }
    }

    /// Returns the sign by which a seat is known.
    pub fn sign(&self, seat: Seat) -> char {
        match self {
            Drawn::Own(board, _) => (board.sign)(seat),
            Drawn::Scene(..) | Drawn::Table(_) => number(seat),
        }
    }

    /// Returns lines that explain the signs.
    pub fn legend(&self) -> &'static [&'static str] {
        match self {
            Drawn::Own(board, drawing) => board.drawings[*drawing].legend,
            Drawn::Scene(..) => rules::scene::LEGEND,
            Drawn::Table(_) => &[],
        }
    }

    /// Returns the line that explains the ink.
    pub fn ink(&self) -> &'static str {
        match self {
            Drawn::Own(board, drawing) => board.drawings[*drawing].ink,
            Drawn::Scene(..) => "reversed: a token",
            Drawn::Table(_) => "",
        }
    }
}

/// Minimum width of the lines below a scene, in columns, where there is room.
const LEGEND_WIDTH: usize = 40;

/// Returns the texts of a game's labels.
fn labels(scene: &Scene) -> &'static [&'static str] {
    catalog::find(&scene.heading.rules).map_or(&[], |entry| entry.labels)
}

fn fits((width, height): (usize, usize), room: (usize, usize)) -> bool {
    width <= room.0 && height <= room.1
}

/// Lists the facts of a position, one thing after another.
fn table(scene: &Scene, (width, height): (usize, usize)) -> Vec<String> {
    const INDENT: usize = 2;
    let mut lines: Vec<String> = Vec::new();
    for fact in in_words(scene.position.facts()) {
        let parts = text::wrap(&fact, width.saturating_sub(INDENT).max(1)).into_iter().enumerate();
        lines.extend(parts.map(|(part, text)| if part == 0 { text } else { " ".repeat(INDENT) + &text }));
    }
    shortened(lines, height)
}

/// Cuts lines to a height. The last line gives the number of those left out.
fn shortened(mut lines: Vec<String>, height: usize) -> Vec<String> {
    if lines.len() > height {
        let more = lines.len() - height.saturating_sub(1);
        lines.truncate(height.saturating_sub(1));
        if height > 0 {
            lines.push(format!("... {more} more lines"));
        }
    }
    lines
}
