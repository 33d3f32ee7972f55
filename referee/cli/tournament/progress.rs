//! How far a shard is: a bar on a terminal, a line a game elsewhere.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use referee::tournament::batch::shard::{Report, Shard};
use referee::tournament::batch::{Came, results_of};
use referee::tournament::fixture::game_id;
use referee::tournament::plan::Plan;

use crate::cli::note;

pub(super) struct Progress {
    bar: Option<ProgressBar>,
    batches: usize,
    games: u64,
    shares: std::cell::RefCell<BTreeMap<String, (f64, u64)>>,
}

impl Progress {
    pub(super) fn new(plan: &Plan, shard: Shard) -> Progress {
        let open: Vec<usize> =
            shard.batches(plan).filter(|batch| !results_of(&plan.folder, *batch).exists()).collect();
        let games = open.iter().map(|batch| u64::from(plan.index.batches[*batch].games)).sum();
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(games), ProgressDrawTarget::stderr());
            let style =
                ProgressStyle::with_template("{bar:30} {pos}/{len} games, {per_sec}, {eta} left {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.tick();
            bar
        });
        Progress { bar, batches: open.len(), games, shares: Default::default() }
    }

    pub(super) fn what_is_left(&self) -> String {
        format!("{} games in {} batches to play", self.games, self.batches)
    }

    pub(super) fn take(&self, report: Report) {
        let (line, games) = match report {
            Report::Resumed { batch, games } => {
                (format!("batch {batch}: {games} games were played by an earlier attempt"), games as u64)
            }
            Report::Game(game, Came::Void(why)) => (format!("{}: void: {why}", game_id(game.scheduled)), 1),
            Report::Game(_, Came::Over(rows)) => {
                let mut shares = self.shares.borrow_mut();
                for row in rows.iter().filter(|row| row.counts) {
                    let (sum, count) = shares.entry(row.bot.name.clone()).or_default();
                    *sum += row.share;
                    *count += 1;
                }
                let seats: Vec<String> =
                    rows.iter().map(|row| format!("{} {}", row.bot.name, row.score)).collect();
                let first = &rows[0];
                let seats = seats.join(", ");
                (format!("{}: {seats} ({}, {} turns)", first.game, first.end, first.turns), 1)
            }
        };
        match &self.bar {
            Some(bar) => {
                bar.println(line);
                bar.set_message(self.leader());
                bar.inc(games);
            }
            None => note(line),
        }
    }

    /// Who leads among the games that this run has played.
    fn leader(&self) -> String {
        let shares = self.shares.borrow();
        let mean = |(name, (sum, count)): (&String, &(f64, u64))| (sum / *count as f64, name.clone());
        let best = shares.iter().map(mean).max_by(|one, other| one.0.total_cmp(&other.0));
        best.map_or(String::new(), |(mean, name)| format!("(leads here: {name}, {mean:.4})"))
    }

    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
