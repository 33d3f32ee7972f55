//! Ink, and a pen that writes with it.

/// How a character is shown. The character says what matters; ink only makes it easier to find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ink {
    /// Its colour.
    pub hue: Hue,
    /// Whether it is heavier than others.
    pub bold: bool,
    /// Whether ink and paper are exchanged.
    pub reverse: bool,
}

/// A colour by its meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hue {
    /// Whatever the terminal's text has.
    #[default]
    Plain,
    /// Fainter than other text.
    Faint,
    /// To be noticed: a fault, a secret.
    Alarm,
    /// A seat's own.
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
    /// Writes a text without control characters from this column of this row on, and returns the column after it. The
    /// part that does not fit is left out.
    fn write(&mut self, x: usize, y: usize, text: &str, ink: Ink) -> usize;
}
