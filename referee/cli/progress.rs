//! Progress of a run: a bar on a terminal, one line for each game elsewhere.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use referee::record::game_result::GameResult;
use referee::text;

use super::note;

/// A bar on a terminal; none elsewhere.
pub(super) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Begins, with the number of games if that is known.
    pub(super) fn new(games: Option<u64>) -> Progress {
        Progress(io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(games, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template(match games {
                Some(_) => "{bar:30} {pos}/{len} games, {per_sec}, {eta} left {msg}",
                None => "{spinner} {pos} games, {elapsed}",
            });
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.tick();
            bar
        }))
    }

    /// Tells something, after which some games more are done; beside a bar stands a word that lasts.
    pub(super) fn tell(&self, line: &str, games: u64, word: impl FnOnce() -> String) {
        match &self.0 {
            Some(bar) => {
                bar.println(text::visible_line(line));
                bar.set_message(word());
                bar.inc(games);
            }
            None => note(line),
        }
    }

    /// Removes the bar. Tells whether there was one.
    pub(super) fn finish(&self) -> bool {
        self.0.iter().for_each(ProgressBar::finish_and_clear);
        self.0.is_some()
    }
}

/// Says how a game ended: `NAME: fox 3, owl 1 (goal, 40 turns)`.
pub(super) fn told(rows: &GameResult) -> String {
    let seats: Vec<String> = rows.iter().map(|row| format!("{} {}", row.bot.name, row.score)).collect();
    let first = rows.shared();
    format!("{}: {} ({}, {} turns)", first.game, seats.join(", "), first.end, first.turns)
}
