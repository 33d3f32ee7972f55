//! Ink, and a pen that writes with it.

/// The style of a character. The character carries the information; ink only makes it easier to find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ink {
    /// Its colour.
    pub hue: Hue,
    /// Whether it is bolder than others.
    pub bold: bool,
    /// Whether ink and paper are exchanged.
    pub reverse: bool,
}

/// A colour by its meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hue {
    /// The default colour of the terminal.
    #[default]
    Plain,
    /// Fainter than other text.
    Faint,
    /// Striking: a fault, a secret.
    Alarm,
    /// The colour of a seat.
    Seat(usize),
}

impl Ink {
    /// Plain text.
    pub const PLAIN: Ink = Ink { hue: Hue::Plain, bold: false, reverse: false };

    /// Faint text.
    pub const FAINT: Ink = Ink { hue: Hue::Faint, ..Ink::PLAIN };

    /// Heavy text.
    pub const BOLD: Ink = Ink { bold: true, ..Ink::PLAIN };

    /// Returns the ink of a colour.
    pub const fn of(hue: Hue) -> Ink {
        Ink { hue, ..Ink::PLAIN }
    }
}

/// Writes characters on a page of columns and rows.
pub trait Pen {
    /// Writes a text without control characters, starting in this column of this row, and returns the column
    /// after it. The part that does not fit is left out.
    fn write(&mut self, x: usize, y: usize, text: &str, ink: Ink) -> usize;
}
