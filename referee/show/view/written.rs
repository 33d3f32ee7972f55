//! The standard error of bots, made harmless and short enough to be shown.

use referee_record::standard_error::Written;
use referee_record::text::{self, harmless};

/// The standard error of a seat's bot in a game.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// All of it.
    pub whole: String,
    /// Turns, each with the text from its question to the next one; empty if the turns were not noted.
    pub turns: Vec<(u32, String)>,
}

/// Number of lines that are shown at each end.
const LINES: usize = 100;

impl Shown {
    /// Makes standard error harmless and short.
    pub fn of(written: &Written) -> Shown {
        let turns = written.turns().map(|(turn, text)| (turn, harmless_lines(&text)));
        Shown { whole: harmless_lines(&written.whole()), turns: turns.collect() }
    }

    /// Returns the text of a turn. `turns` is the number of turns in the game: if turns were not noted, the last one
    /// has all of it.
    pub fn of_turn(&self, turn: u32, turns: u32) -> Option<&str> {
        if self.turns.is_empty() {
            return (turn + 1 == turns).then_some(&*self.whole);
        }
        let found = self.turns.binary_search_by_key(&turn, |(turn, _)| *turn);
        Some(&*self.turns[found.ok()?].1)
    }
}

/// Returns the first lines of a text and the last ones, each made harmless.
fn harmless_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let left_out = lines.len().saturating_sub(2 * LINES);
    let shown = lines.iter().enumerate().filter(|(line, _)| *line < LINES || *line >= LINES + left_out);
    let mut shown: Vec<String> = shown.map(|(_, line)| harmless(line, text::SENTENCE)).collect();
    if left_out > 0 {
        shown.insert(LINES, format!("... {left_out} lines are left out here ..."));
    }
    shown.join("\n")
}
