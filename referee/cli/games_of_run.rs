//! The games of a run, as they end: a line for each, and their number in the line of progress.

use referee_record::game_result::GameResult;
use referee_record::text;

use crate::note;
use crate::progress::Task;

/// The progress of a run: a line for each game, and the number of games.
#[derive(Debug)]
pub(crate) struct Progress(Task);

impl Progress {
    /// Begins the line of progress. `games` is the number of all games, if that is known.
    pub(crate) fn new(games: Option<u64>) -> Progress {
        Progress(Task::counted("", "game", games))
    }

    /// Prints a line, and counts more games as done. `word` is shown beside their number until the next line.
    pub(super) fn tell(&self, line: &str, games: u64, word: impl FnOnce() -> String) {
        note(line);
        self.0.add(games, word);
    }

    /// Counts more games as done.
    pub(super) fn count(&self, games: u64, word: impl FnOnce() -> String) {
        self.0.add(games, word);
    }

    /// Tells whether there is a line of progress.
    pub(super) fn is_shown(&self) -> bool {
        self.0.is_shown()
    }
}

/// Returns the line about the end of a game: `NAME: fox 3, owl 1 (goal, 40 turns)`.
pub(super) fn result_line(rows: &GameResult) -> String {
    let seats: Vec<String> = rows.iter().map(|row| format!("{} {}", row.bot.name, row.score)).collect();
    let first = rows.shared();
    format!(
        "{}: {} ({}, {})",
        first.game,
        seats.join(", "),
        first.end,
        text::count(first.turns.into(), "turn")
    )
}
