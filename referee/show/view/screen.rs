//! A whole screen: title, board, seats, happenings, timeline, keys; and a game at one moment as plain text.

use crate::view::board::Drawn;
use crate::view::canvas::{Canvas, Hue, Ink};
pub use crate::view::panel::HELP;
use crate::view::panel::{self, Line};
use crate::view::scene::Scene;
use crate::view::story::{HappeningKind, Mark, Vocabulary};
use referee_games::catalog;
use referee_record::text::{count, harmless, wrap};
use referee_rules::Seat;

/// The least columns and rows.
pub const LEAST: (usize, usize) = (80, 24);

/// The contents of a screen.
#[derive(Clone, Copy, Debug)]
pub struct Screen<'a> {
    /// The game at one moment.
    pub scene: &'a Scene,
    /// The events to which one can jump.
    pub marks: &'a [Mark],
    /// The middle of the screen.
    pub panel: &'a Panel,
    /// The end of the second line: whether the replay plays, and its speed.
    pub mood: &'a str,
    /// The last line: keys, or a prompt.
    pub keys: &'a str,
}

/// The content of the middle of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Panel {
    /// The board, with seats and words beside it.
    Board,
    /// All happenings of the turn.
    Words {
        /// The first line that is shown.
        from: usize,
        /// The seat whose actions are shown; none: all.
        seat: Option<Seat>,
    },
    /// The turn's questions and answers.
    Answers {
        /// The first line that is shown.
        from: usize,
        /// The questions.
        questions: Vec<(Seat, String)>,
    },
    /// The help: keys and signs.
    Help(&'static [&'static str]),
}

/// Rows above and below the middle.
const ABOVE: usize = 2;
const BELOW: usize = 2;

impl Screen<'_> {
    /// Draws it.
    pub fn draw(&self, width: usize, height: usize) -> Canvas {
        let mut canvas = Canvas::new(width, height);
        if width < LEAST.0 || height < LEAST.1 {
            let text = format!("{} x {} is too small: at least {} x {}", width, height, LEAST.0, LEAST.1);
            for (y, line) in wrap(&text, width.max(1)).iter().enumerate() {
                canvas.write(0, y, line, Ink::BOLD);
            }
            return canvas;
        }
        canvas.write(0, 0, &harmless(&short_title(self.scene), width), Ink::BOLD);
        let mood = width.saturating_sub(self.mood.len());
        canvas.write(0, 1, &harmless(&progress(self.scene), mood.saturating_sub(1)), Ink::PLAIN);
        canvas.write(mood, 1, self.mood, Ink::FAINT);
        let rows = height - ABOVE - BELOW;
        match self.panel {
            Panel::Board => self.draw_board(&mut canvas, rows),
            Panel::Words { from, seat } => {
                let lines = panel::words(self.scene, *seat, width);
                let whose = seat.map_or("all seats".to_owned(), |seat| {
                    Vocabulary::of(&self.scene.heading).bot(seat).to_owned()
                });
                list(&mut canvas, &format!("Actions: {whose}"), &lines, *from, rows);
            }
            Panel::Answers { from, questions } => {
                let lines = panel::answers(self.scene, questions, width);
                list(&mut canvas, "Questions and answers", &lines, *from, rows);
            }
            Panel::Help(help) => {
                for (y, line) in help.iter().enumerate().take(height - ABOVE) {
                    canvas.write(0, ABOVE + y, line, Ink::PLAIN);
                }
                return canvas;
            }
        }
        self.draw_timeline(&mut canvas, height - 2);
        canvas.write(0, height - 1, &harmless(self.keys, width), Ink::FAINT);
        if let Ok(entry) = catalog::find(&self.scene.heading.rules) {
            canvas.colour_teams(|seat| entry.team(seat));
        }
        canvas
    }

    /// Returns the last line at which a list can begin.
    pub fn last_line(&self, width: usize, height: usize) -> usize {
        let lines = match self.panel {
            Panel::Words { seat, .. } => panel::words(self.scene, *seat, width).len(),
            Panel::Answers { questions, .. } => panel::answers(self.scene, questions, width).len(),
            Panel::Board | Panel::Help(_) => 0,
        };
        lines.saturating_sub(height.saturating_sub(ABOVE + BELOW + 1))
    }

    fn draw_board(&self, canvas: &mut Canvas, rows: usize) {
        const SIDE_LEAST: usize = 32;
        let board = Drawn::within(self.scene, (canvas.width() - SIDE_LEAST - 1, rows));
        let (width, height) = board.size();
        board.draw(self.scene, canvas, (0, ABOVE));
        let below = ABOVE + height;
        let legend = board.legend().iter().copied().chain([board.ink()]);
        for (line, y) in legend.zip(below..ABOVE + rows) {
            canvas.write(0, y, line, Ink::FAINT);
        }
        let left = width.max(SIDE_LEAST) + 1;
        let side = canvas.width() - left;
        let seats = panel::seats(self.scene, &board, side, rows / 2);
        let column = side / 2;
        for (row, entries) in seats.iter().enumerate() {
            for (index, (ink, text)) in entries.iter().enumerate() {
                canvas.write(left + index * column, ABOVE + row, text, *ink);
            }
        }
        let top = ABOVE + seats.len() + 1;
        let rows = ABOVE + rows - top;
        let lines = panel::words(self.scene, None, side);
        let shown = if lines.len() > rows { rows - 1 } else { lines.len() };
        for (row, (ink, text)) in lines.iter().take(shown).enumerate() {
            canvas.write(left, top + row, text, *ink);
        }
        if lines.len() > shown {
            let more = format!("... {} more lines: w", lines.len() - shown);
            canvas.write(left, top + shown, &more, Ink::FAINT);
        }
    }

    /// Draws the whole game from left to right: its events, and the current turn.
    fn draw_timeline(&self, canvas: &mut Canvas, y: usize) {
        let Some(total) = self.scene.total.filter(|total| *total > 0) else { return };
        let width = canvas.width();
        let column = |turns: u32| (turns as usize * (width - 1)) / total as usize;
        let rank = |kind| match kind {
            HappeningKind::Action => 0,
            HappeningKind::Score => 1,
            HappeningKind::Effect => 2,
            HappeningKind::Fault => 3,
            HappeningKind::End => 4,
            HappeningKind::Fall => 5,
        };
        let mut ranks = vec![0; width];
        for mark in self.marks {
            let place = &mut ranks[column(mark.turn + 1)];
            *place = rank(mark.kind).max(*place);
        }
        let signs = ['-', '.', '*', '!', '=', 'v'];
        let here = column(self.scene.turns);
        for (x, rank) in ranks.into_iter().enumerate() {
            let ink = if rank == 3 || rank == 5 { Ink::of(Hue::Alarm) } else { Ink::FAINT };
            let ink = if x == here { Ink { reverse: true, bold: true, ..ink } } else { ink };
            canvas.write(x, y, signs[rank].encode_utf8(&mut [0; 4]), ink);
        }
        // The current turn can be seen without ink, too.
        if here > 0 {
            canvas.write(here - 1, y, "[", Ink::BOLD);
        }
        if here + 1 < width {
            canvas.write(here + 1, y, "]", Ink::BOLD);
        }
    }
}

/// Returns the game at one moment as text: all of it, however large.
pub fn plain(scene: &Scene) -> String {
    const WIDTH: usize = 72;
    let board = Drawn::within(scene, (WIDTH, usize::MAX));
    let (width, height) = board.size();
    let mut canvas = Canvas::new(width, height);
    board.draw(scene, &mut canvas, (0, 0));
    let mut text = format!("{}\n{}\n{}", title(scene), progress(scene), canvas.text());
    for line in board.legend() {
        text += &format!("{line}\n");
    }
    text += "\n";
    for entries in panel::seats(scene, &board, WIDTH, usize::MAX) {
        for (index, (_, entry)) in entries.iter().enumerate() {
            text += &format!("{}{entry}", if index > 0 { "   " } else { "" });
        }
        text += "\n";
    }
    text += "\n";
    for (_, line) in panel::words(scene, None, WIDTH) {
        text += &format!("{line}\n");
    }
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// Returns a short title: without time limits, and without the seed, which is in the names of most games.
fn short_title(scene: &Scene) -> String {
    let heading = &scene.heading;
    let set = heading.parameters.iter().filter(|(name, _)| !name.ends_with("_ms"));
    let set: Vec<String> = set.map(|(name, value)| format!("{name}={value}")).collect();
    format!("{}  {}", heading.game, set.join(" "))
}

fn title(scene: &Scene) -> String {
    let heading = &scene.heading;
    let set: Vec<String> = heading.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{}   {}   seed {}", heading.game, set.join(" "), heading.seed)
}

fn progress(scene: &Scene) -> String {
    let mut text = match scene.total {
        Some(total) => format!("after {} of {total} turns", scene.turns),
        None => format!("after {}", count(scene.turns.into(), "turn")),
    };
    if let Some(turn) = scene.turn.as_ref().filter(|_| scene.outcome.is_none()) {
        text += &format!(" (the last: turn {})", turn.number);
    }
    match &scene.outcome {
        Some(outcome) => {
            text += &format!("; over: {}", Vocabulary::of(&scene.heading).end(outcome.reason));
        }
        None if scene.total == Some(scene.turns) => text += "; the log ends here, before the end of the game",
        None => {}
    }
    text
}

fn list(canvas: &mut Canvas, title: &str, lines: &[Line], from: usize, rows: usize) {
    let rows = rows - 1;
    let from = from.min(lines.len().saturating_sub(rows));
    let last = (from + rows).min(lines.len());
    let place = if lines.len() > rows {
        format!(" (lines {} to {last} of {})", from + 1, lines.len())
    } else {
        String::new()
    };
    canvas.write(0, ABOVE, &format!("{title}{place}"), Ink::BOLD);
    for (y, (ink, text)) in lines[from..last].iter().enumerate() {
        canvas.write(0, ABOVE + 1 + y, text, *ink);
    }
}
