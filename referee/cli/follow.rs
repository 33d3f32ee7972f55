//! A page of text on the whole screen, which follows games that another process plays, until the user leaves it.

use std::time::Duration;

use referee_record::error::Error;
use referee_record::text;
use referee_view::canvas::{Canvas, Ink};

use crate::keys::{Input, Key};
use crate::terminal::Terminal;

/// Time between two looks for something new.
const LOOK: Duration = Duration::from_millis(500);

/// Shows a page until the user leaves it. `look` returns a value that changes whenever the page would; `page` writes
/// the page for a terminal of this many columns. `otherwise` names a command that needs no terminal.
pub(super) fn on_screen<T: PartialEq>(
    otherwise: &str,
    mut look: impl FnMut() -> anyhow::Result<T>,
    mut page: impl FnMut(usize) -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    if !Terminal::is_there() {
        let what = format!("watching needs a terminal on standard output; `{otherwise}` needs none");
        return Err(Error::input(what).into());
    }
    let mut terminal = Terminal::open()?;
    let (mut seen, mut text) = (None, String::new());
    loop {
        let (width, height) = terminal.size();
        let now = Some((look()?, width));
        if seen != now {
            text = page(width)?;
            seen = now;
        }
        terminal.paint(canvas(&text, width, height))?;
        if let Some(Input::Interrupt | Input::Key(Key::Char('q') | Key::Esc)) = terminal.wait(LOOK)? {
            return Ok(());
        }
    }
}

fn canvas(text: &str, width: usize, height: usize) -> Canvas {
    let mut canvas = Canvas::new(width, height);
    let room = height.saturating_sub(1);
    // A line that fits stays as it was drawn: wrapping would break tables.
    let fitted = |line: &str| match text::width(line) <= width {
        true => vec![line.to_owned()],
        false => text::wrap(line, width),
    };
    let lines: Vec<String> = text.lines().flat_map(fitted).collect();
    for (y, line) in lines.iter().take(room).enumerate() {
        canvas.write(0, y, &text::visible_line(line), Ink::PLAIN);
    }
    let more = lines.len().saturating_sub(room);
    let keys = if more > 0 {
        format!("q leave    lines that do not fit here: {more}")
    } else {
        "q leave".to_owned()
    };
    canvas.write(0, room, &keys, Ink::PLAIN);
    canvas
}
