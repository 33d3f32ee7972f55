//! A page of characters, each with its ink. It knows no terminal and no colours.

use unicode_width::UnicodeWidthChar;

use referee_rules::Seat;
use referee_rules::board::Pen;
pub use referee_rules::board::{Hue, Ink};

/// A page of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canvas {
    width: usize,
    height: usize,
    cells: Vec<(char, Ink)>,
}

/// The mark in the second cell of a character that is two cells wide.
const SECOND_HALF: char = '\0';

impl Canvas {
    /// Returns an empty page.
    pub fn new(width: usize, height: usize) -> Canvas {
        Canvas { width, height, cells: vec![(' ', Ink::PLAIN); width * height] }
    }

    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Writes a harmless text that begins at this column and row, and returns the column after it. The rest of a text
    /// that does not fit is left out.
    pub fn write(&mut self, x: usize, y: usize, text: &str, ink: Ink) -> usize {
        let mut x = x;
        for letter in text.chars() {
            let width = letter.width().unwrap_or(0);
            if width == 0 || y >= self.height || x + width > self.width {
                break;
            }
            let place = y * self.width + x;
            self.cells[place] = (letter, ink);
            if width == 2 {
                self.cells[place + 1] = (SECOND_HALF, ink);
            }
            x += width;
        }
        x
    }

    /// Gives all seats of a team one colour. `team` returns the number of a seat's team.
    pub fn colour_teams(&mut self, team: impl Fn(Seat) -> usize) {
        for (_, ink) in &mut self.cells {
            if let Hue::Seat(seat) = &mut ink.hue {
                *seat = team(Seat::new(*seat));
            }
        }
    }

    /// Returns a row as pieces of the same ink, without the blanks at its end.
    pub fn row(&self, y: usize) -> Vec<(Ink, String)> {
        let cells = &self.cells[y * self.width..][..self.width];
        let is_blank = |(letter, ink): &(char, Ink)| *letter == ' ' && !ink.reverse;
        let end = cells.iter().rposition(|cell| !is_blank(cell)).map_or(0, |last| last + 1);
        let mut pieces: Vec<(Ink, String)> = Vec::new();
        for (letter, ink) in cells[..end].iter().filter(|(letter, _)| *letter != SECOND_HALF) {
            match pieces.last_mut() {
                Some((last, text)) if last == ink => text.push(*letter),
                _ => pieces.push((*ink, letter.to_string())),
            }
        }
        pieces
    }

    /// Returns the page as text without ink.
    pub fn text(&self) -> String {
        let row = |y| self.row(y).into_iter().map(|(_, text)| text).collect::<String>();
        (0..self.height).map(|y| row(y).trim_end().to_owned() + "\n").collect()
    }
}

impl Pen for Canvas {
    fn write(&mut self, x: usize, y: usize, text: &str, ink: Ink) -> usize {
        Canvas::write(self, x, y, text, ink)
    }
}
