//! The terminal as a screen: keys come in, pages of characters go out. The terminal is always restored.
//!
//! Pages and modes are crossterm's, which draws the tables, too; `keys` reads the keys. A screen is one page that is
//! compared with the one before, line by line. A library for that (ratatui) would add two dozen crates.

use std::io::{self, Stdout, Write};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use crossterm::style::{Attribute, Color, Print, SetAttribute, SetForegroundColor};
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen,
};
use crossterm::{cursor, execute, queue};
use referee_record::error::{Error, ErrorKind};
use referee_show::view::canvas::{Canvas, Hue, Ink};
use rustix::io::Errno;

use crate::out;
use crate::progress::Taken;
use crate::screen::keys::{Input, Keys, NoInput};

/// The terminal, while it is a screen.
#[derive(Debug)]
pub(crate) struct Terminal {
    out: Stdout,
    keys: Keys,
    /// The page that it shows now.
    shown: Option<Canvas>,
    colours: Colours,
    _taken: Taken,
}

/// Whether the terminal is a screen now. A process has one.
static TAKEN: AtomicBool = AtomicBool::new(false);

impl Terminal {
    /// Tells whether standard output is a terminal that can be a screen.
    pub(crate) fn is_there() -> bool {
        out::is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }

    /// Makes a screen of it.
    pub(crate) fn open() -> anyhow::Result<Terminal> {
        // A process has one hook for panics.
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let tell = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                restore();
                tell(info);
            }));
        });
        let taken = Taken::terminal();
        let keys = Keys::open().context("keys cannot be read from this terminal (replay: use --plain)")?;
        terminal::enable_raw_mode()
            .context("keys cannot be read from this terminal (replay: use --plain)")?;
        TAKEN.store(true, Ordering::SeqCst);
        // It is restored when this value is dropped.
        let (out, colours) = (io::stdout(), Colours::of_the_environment());
        let mut terminal = Terminal { out, keys, shown: None, colours, _taken: taken };
        execute!(terminal.out, EnterAlternateScreen, cursor::Hide).context("cannot write to the terminal")?;
        Ok(terminal)
    }

    /// Returns columns and rows.
    pub(crate) fn size(&self) -> (usize, usize) {
        // Some terminals over serial lines do not report their size.
        let size = rustix::termios::tcgetwinsize(&self.out).ok();
        let (width, height) = size.map_or((0, 0), |size| (size.ws_col, size.ws_row));
        if width > 0 && height > 0 { (width.into(), height.into()) } else { (80, 24) }
    }

    /// Shows a page. Only lines that are not the same as before are written.
    ///
    /// # Errors
    ///
    /// [`Stopped`] if the terminal is gone.
    pub(crate) fn paint(&mut self, canvas: Canvas) -> anyhow::Result<()> {
        match self.write(&canvas) {
            Err(error) if Errno::from_io_error(&error) == Some(Errno::IO) => return Err(gone()),
            written => written.context("cannot write to the terminal")?,
        }
        self.shown = Some(canvas);
        Ok(())
    }

    /// Waits for a key or a new size, for at most this time.
    ///
    /// # Errors
    ///
    /// [`Stopped`] if the terminal is gone.
    pub(crate) fn wait(&mut self, time: Duration) -> anyhow::Result<Option<Input>> {
        let input = match self.keys.wait(time) {
            Err(NoInput::Gone) => return Err(gone()),
            Err(NoInput::System(error)) => Err(error).context("cannot read from the terminal")?,
            Ok(input) => input,
        };
        if input == Some(Input::Resized) {
            self.shown = None;
        }
        Ok(input)
    }

    fn write(&mut self, canvas: &Canvas) -> io::Result<()> {
        let same_size =
            |shown: &&Canvas| shown.width() == canvas.width() && shown.height() == canvas.height();
        let shown = self.shown.as_ref().filter(same_size);
        if shown == Some(canvas) {
            return Ok(());
        }
        // Terminals that know these commands show a page as a whole, however slowly it comes; others ignore them.
        queue!(self.out, BeginSynchronizedUpdate)?;
        if shown.is_none() {
            queue!(self.out, SetAttribute(Attribute::Reset), Clear(ClearType::All))?;
        }
        for y in 0..canvas.height() {
            let row = canvas.row(y);
            if shown.is_some_and(|shown| shown.row(y) == row) {
                continue;
            }
            queue!(self.out, cursor::MoveTo(0, y as u16))?;
            for (ink, text) in row {
                self.colours.dip(&mut self.out, ink)?;
                queue!(self.out, Print(text))?;
            }
            queue!(self.out, SetAttribute(Attribute::Reset), Clear(ClearType::UntilNewLine))?;
        }
        queue!(self.out, EndSynchronizedUpdate)?;
        self.out.flush()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

/// A closed terminal has the same effect as Ctrl-C: users end the program by closing its window.
fn gone() -> anyhow::Error {
    Error::new(ErrorKind::Stopped, "stopped: the terminal was closed".to_owned()).into()
}

/// Makes the screen a terminal again, if it is not.
fn restore() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(io::stdout(), SetAttribute(Attribute::Reset), cursor::Show, LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// The number of colours that a terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Colours {
    None,
    Sixteen,
    Many,
}

/// Six of the 256 colours with the hues that seats have on a page, chosen to be far from each other for colour-blind
/// eyes.
const MANY: [u8; 6] = [32, 173, 43, 132, 184, 147];

const SIXTEEN: [Color; 6] =
    [Color::Cyan, Color::DarkYellow, Color::DarkGreen, Color::Magenta, Color::Yellow, Color::Blue];

impl Colours {
    fn of_the_environment() -> Colours {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let term = std::env::var("TERM").unwrap_or_default();
        if set("NO_COLOR") {
            Colours::None
        } else if term.contains("256color") || set("COLORTERM") {
            Colours::Many
        } else {
            Colours::Sixteen
        }
    }

    fn dip(self, out: &mut Stdout, ink: Ink) -> io::Result<()> {
        queue!(out, SetAttribute(Attribute::Reset))?;
        let colour = match (self, ink.hue) {
            (_, Hue::Plain | Hue::Faint) | (Colours::None, _) => None,
            (Colours::Many, Hue::Alarm) => Some(Color::AnsiValue(202)),
            (Colours::Sixteen, Hue::Alarm) => Some(Color::Red),
            (Colours::Many, Hue::Seat(seat)) => Some(Color::AnsiValue(MANY[seat % MANY.len()])),
            (Colours::Sixteen, Hue::Seat(seat)) => Some(SIXTEEN[seat % SIXTEEN.len()]),
        };
        if let Some(colour) = colour {
            queue!(out, SetForegroundColor(colour))?;
        }
        for (is_so, attribute) in [
            (ink.bold, Attribute::Bold),
            (ink.hue == Hue::Faint && !ink.bold, Attribute::Dim),
            (ink.reverse, Attribute::Reverse),
        ] {
            if is_so {
                queue!(out, SetAttribute(attribute))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the hue of a colour, in degrees.
    fn hue(colour: [u8; 3]) -> f64 {
        let [red, green, blue] = colour.map(f64::from);
        (3.0_f64.sqrt() * (green - blue)).atan2(2.0 * red - green - blue).to_degrees()
    }

    #[test]
    fn seats_have_the_hues_of_a_page() {
        let style = include_str!("../../show/page/html/page.css");
        for (seat, number) in MANY.into_iter().enumerate() {
            // The 216 colours after the first 16 are a cube.
            let cube = [number - 16, (number - 16) % 36, (number - 16) % 6];
            let steps = [cube[0] / 36, cube[1] / 6, cube[2]];
            let shown = steps.map(|step| [0, 95, 135, 175, 215, 255][usize::from(step)]);
            let (_, page) = style.split_once(&format!("--seat{seat}: #")).expect("a colour");
            let page = [0, 2, 4].map(|at| u8::from_str_radix(&page[at..at + 2], 16).expect("two digits"));
            let apart = (hue(shown) - hue(page)).rem_euclid(360.0);
            assert!(apart.min(360.0 - apart) < 12.0, "seat {seat}: {shown:?}, {page:?}");
        }
    }
}
