//! A page of text on the whole screen, which follows games that another process plays, until the user leaves it.

use std::time::Duration;

use referee_record::error::Error;
use referee_record::text::{self, count};
use referee_show::view::canvas::{Canvas, Ink};
use referee_table::clock::Clock;

use crate::screen::keys::{Input, Key};
use crate::screen::terminal::Terminal;
use referee_report::tables::eta::{self, Gaps};

/// Time between two looks for something new.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);

/// The keys.
const HELP: &str = "\
q Esc            leave
up down          a line                    (also k j)
page up, down    a screen                  (also space)
home end         the beginning, the end
?                this help, and back

";

/// A page, and the numbers of the games that it is about.
pub(crate) struct Page {
    pub(crate) text: String,
    /// The meaning of its columns, for its help.
    pub(crate) help: &'static str,
    /// The number of games that have ended.
    pub(crate) ended: u64,
    /// The number of further games, and the words for their end, such as `until the round ends`.
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
    // The value of `look` and the width for which the page was written.
    let mut page_state = None;
    let mut present = Page { text: String::new(), help: "", ended: 0, left: None };
    let (mut pace, mut first_line, mut is_help) = (Pace::start(), 0, false);
    loop {
        let (width, height) = terminal.size();
        let state = Some((look()?, width));
        if page_state != state {
            present = page(width)?;
            pace.see(present.ended);
            page_state = state;
        }
        let lines = if is_help {
            lines(&format!("{HELP}{}", present.help), width)
        } else {
            lines(&present.text, width)
        };
        let room = height.saturating_sub(1);
        let last_start = lines.len().saturating_sub(room);
        first_line = first_line.min(last_start);
        terminal.paint(canvas(&lines, first_line, &pace.time_left(&present), width, height))?;
        match terminal.wait(LOOK_INTERVAL)? {
            Some(Input::Key(Key::Char('q') | Key::Esc)) if is_help => is_help = false,
            Some(Input::Interrupt | Input::Key(Key::Char('q') | Key::Esc)) => return Ok(()),
            Some(Input::Key(Key::Char('?'))) => {
                is_help = !is_help;
                first_line = 0;
            }
            Some(Input::Key(key)) => {
                first_line = match key {
                    Key::Up | Key::Char('k') => first_line.saturating_sub(1),
                    Key::Down | Key::Char('j') => first_line + 1,
                    Key::PageUp => first_line.saturating_sub(room),
                    Key::PageDown | Key::Char(' ') => first_line + room,
                    Key::Home => 0,
                    Key::End => last_start,
                    _ => first_line,
                }
            }
            _ => {}
        }
    }
}

/// The pace at which games have ended since the user watches the page.
struct Pace {
    clock: Clock,
    /// The number of games that had ended at the last call of `see`, and its time.
    last_look: Option<(u64, Duration)>,
    gaps: Gaps,
}

impl Pace {
    fn start() -> Pace {
        Pace { clock: Clock::start(), last_look: None, gaps: Gaps::default() }
    }

    /// Takes the number of games that have ended by now.
    fn see(&mut self, ended: u64) {
        let now = self.clock.now().0;
        if let Some((ended_before, then)) = self.last_look
            && ended_before < ended
        {
            self.gaps.add(now.saturating_sub(then), ended - ended_before);
        }
        self.last_look = Some((ended, now));
    }

    /// Returns the time that the games that are left take at this pace, or their number if the pace is not known yet.
    fn time_left(&self, page: &Page) -> String {
        let Some((left, until)) = page.left else { return String::new() };
        if left == 0 {
            return String::new();
        }
        match self.gaps.left(left) {
            Some(time) => format!("{} {until}", eta::range(time)),
            None => format!("{} {until}", count(left, "game")),
        }
    }
}

/// Breaks a text into lines that fit.
fn lines(text: &str, width: usize) -> Vec<String> {
    // A line that fits stays as it was drawn: wrapping would break tables.
    let fitted =
        |line: &str| if text::width(line) <= width { vec![line.to_owned()] } else { text::wrap(line, width) };
    text.lines().flat_map(fitted).collect()
}

fn canvas(lines: &[String], first: usize, time_left: &str, width: usize, height: usize) -> Canvas {
    let mut canvas = Canvas::new(width, height);
    let room = height.saturating_sub(1);
    for (y, line) in lines.iter().skip(first).take(room).enumerate() {
        canvas.write(0, y, &text::visible_line(line), Ink::PLAIN);
    }
    let last = lines.len().min(first + room);
    let place = (lines.len() > room).then(|| (first + 1, last, lines.len()));
    canvas.write(0, room, &keys(place, time_left, width), Ink::PLAIN);
    canvas
}

/// Returns the last line: keys, the lines that are shown, and what is left to play; as much as fits.
fn keys(place: Option<(usize, usize, usize)>, time_left: &str, width: usize) -> String {
    let time_left = if time_left.is_empty() { String::new() } else { format!("   {time_left}") };
    let [long, short] = match place {
        Some((first, last, all)) => [
            format!("  arrows scroll: lines {first}-{last} of {all}"),
            format!("  lines {first}-{last} of {all}"),
        ],
        None => [const { String::new() }; 2],
    };
    let all = [
        format!("q leave  ? help{long}{time_left}"),
        format!("q leave  ? help{short}{time_left}"),
        format!("q  ?{time_left}"),
    ];
    let fits = |keys: &&String| text::width(keys) <= width;
    all.iter().find(fits).cloned().unwrap_or_else(|| text::harmless("q  ?", width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_keys_fits_and_says_what_is_left_as_long_as_it_can() {
        let time_left = "between 3 and 4 hours until a clear king";
        let place = Some((1, 23, 117));
        assert_eq!(keys(place, "", 80), "q leave  ? help  arrows scroll: lines 1-23 of 117");
        assert_eq!(keys(place, time_left, 80), format!("q leave  ? help  lines 1-23 of 117   {time_left}"));
        assert_eq!(keys(place, time_left, 50), format!("q  ?   {time_left}"));
        assert_eq!(keys(place, time_left, 20), "q  ?");
        assert_eq!(keys(None, time_left, 80), format!("q leave  ? help   {time_left}"));
    }
}
