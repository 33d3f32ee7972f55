//! Progress of a run: a bar on a terminal, one line for each game elsewhere.

use std::fmt;
use std::io::{self, IsTerminal};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use referee_record::game_result::GameResult;
use referee_record::text;

use crate::note;

/// A bar on a terminal; none elsewhere.
#[derive(Debug)]
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// Begins, with the number of games if that is known.
    pub fn new(games: Option<u64>) -> Progress {
        Progress(io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(games, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template(match games {
                Some(_) => "{bar:30} {pos}/{len} games, {speed}, {left} left {msg}",
                None => "{spinner} {pos} games, {elapsed}",
            });
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            // Before the first game has ended, its duration is unknown.
            let known = |state: &ProgressState| state.pos() > 0;
            let style = style.with_key("speed", move |state: &ProgressState, to: &mut dyn fmt::Write| {
                let _ = match known(state) {
                    true => write!(to, "{:.1} a second", state.per_sec()),
                    false => to.write_str("..."),
                };
            });
            let style = style.with_key("left", move |state: &ProgressState, to: &mut dyn fmt::Write| {
                let _ = match known(state) {
                    true => write!(to, "{:#}", HumanDuration(state.eta())),
                    false => to.write_str("..."),
                };
            });
            bar.set_style(style);
            bar.tick();
            bar
        }))
    }

    /// Prints a line, and counts more games as done. A bar shows `word` beside it until the next line.
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

    /// Shows the number of games that are done.
    pub fn count(&self, games: u64) {
        self.0.iter().for_each(|bar| bar.set_position(games));
    }

    /// Removes the bar. Tells whether there was one.
    pub fn finish(&self) -> bool {
        self.0.iter().for_each(ProgressBar::finish_and_clear);
        self.0.is_some()
    }
}

/// Says how a game ended: `NAME: fox 3, owl 1 (goal, 40 turns)`.
pub(super) fn told(rows: &GameResult) -> String {
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
