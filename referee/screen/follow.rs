//! A page of text on the whole screen, which follows games that another process plays, until the user leaves it.

use std::time::Duration;

use referee_record::error::Error;
use referee_record::text::{self, count};
use referee_table::clock::Clock;
use referee_view::canvas::{Canvas, Ink};

use crate::keys::{Input, Key};
use crate::terminal::Terminal;
use referee_tables::eta::{self, Gaps};

/// Time between two looks for something new.
const LOOK: Duration = Duration::from_millis(500);

/// A page, and what is known of the games that it is about.
pub(crate) struct Page {
    pub(crate) text: String,
    /// The number of games that have ended.
    pub(crate) ended: u64,
    /// The number of further games, and until what: `until the round ends`.
    pub(crate) left: Option<(u64, &'static str)>,
}

/// Shows a page until the user leaves it. `look` returns a value that changes whenever the page would; `page` writes
/// the page for a terminal of this many columns. `otherwise` names a command that needs no terminal.
pub(crate) fn on_screen<T: PartialEq>(
    otherwise: &str,
    mut look: impl FnMut() -> anyhow::Result<T>,
    mut page: impl FnMut(usize) -> anyhow::Result<Page>,
) -> anyhow::Result<()> {
    if !Terminal::is_there() {
        let what = format!("watching needs a terminal on standard output; `{otherwise}` needs none");
        return Err(Error::input(what).into());
    }
    let mut terminal = Terminal::open()?;
    let mut seen = None;
    let mut shown = Page { text: String::new(), ended: 0, left: None };
    let (mut pace, mut first) = (Pace::start(), 0);
    loop {
        let (width, height) = terminal.size();
        let now = Some((look()?, width));
        if seen != now {
            shown = page(width)?;
            pace.see(shown.ended);
            seen = now;
        }
        let lines = lines(&shown.text, width);
        let room = height.saturating_sub(1);
        let last = lines.len().saturating_sub(room);
        first = first.min(last);
        terminal.paint(canvas(&lines, first, &pace.told(&shown), width, height))?;
        match terminal.wait(LOOK)? {
            Some(Input::Interrupt | Input::Key(Key::Char('q') | Key::Esc)) => return Ok(()),
            Some(Input::Key(key)) => {
                first = match key {
                    Key::Up | Key::Char('k') => first.saturating_sub(1),
                    Key::Down | Key::Char('j') => first + 1,
                    Key::PageUp => first.saturating_sub(room),
                    Key::PageDown | Key::Char(' ') => first + room,
                    Key::Home => 0,
                    Key::End => last,
                    _ => first,
                }
            }
            _ => {}
        }
    }
}

/// How fast games end, since the page is watched.
struct Pace {
    clock: Clock,
    /// The number of games that had ended when one was seen to end last, and when that was.
    seen: Option<(u64, Duration)>,
    gaps: Gaps,
}

impl Pace {
    fn start() -> Pace {
        Pace { clock: Clock::start(), seen: None, gaps: Gaps::default() }
    }

    fn see(&mut self, ended: u64) {
        let now = self.clock.now().0;
        if let Some((before, then)) = self.seen.filter(|(before, _)| *before < ended) {
            self.gaps.add(now.saturating_sub(then), ended - before);
        }
        self.seen = Some((ended, now));
    }

    /// Says how many games are left, and how long they take at the pace that was seen.
    fn told(&self, page: &Page) -> String {
        let Some((left, until)) = page.left.filter(|(left, _)| *left > 0) else { return String::new() };
        match self.gaps.left(left) {
            Some(time) => format!("{} {until}", eta::range(time)),
            None => format!("{} {until}", count(left, "game")),
        }
    }
}

/// Breaks a text into lines that fit.
fn lines(text: &str, width: usize) -> Vec<String> {
    // A line that fits stays as it was drawn: wrapping would break tables.
    let fitted = |line: &str| match text::width(line) <= width {
        true => vec![line.to_owned()],
        false => text::wrap(line, width),
    };
    text.lines().flat_map(fitted).collect()
}

fn canvas(lines: &[String], first: usize, told: &str, width: usize, height: usize) -> Canvas {
    let mut canvas = Canvas::new(width, height);
    let room = height.saturating_sub(1);
    for (y, line) in lines.iter().skip(first).take(room).enumerate() {
        canvas.write(0, y, &text::visible_line(line), Ink::PLAIN);
    }
    let mut keys = "q leave".to_owned();
    if lines.len() > room {
        let last = lines.len().min(first + room);
        keys += &format!("  arrows scroll: lines {} to {last} of {}", first + 1, lines.len());
    }
    if !told.is_empty() {
        keys += &format!("   {told}");
    }
    canvas.write(0, room, &keys, Ink::PLAIN);
    canvas
}
