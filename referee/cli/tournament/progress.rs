//! The progress of a shard: a line for each game, and the leader so far.

use std::cell::RefCell;

use referee_contest::batch::shard::ShardEvent;
use referee_contest::fixture::game_id;
use referee_contest::plan::Plan;
use referee_contest::runner::GameEnd;
use referee_record::results::ResultRow;
use referee_record::text::count;
use referee_report::tables::measure::{Means, Scale};
use referee_statistics::schedule::format::Cup;
use referee_statistics::standings::{Standing, Sums};

use crate::games_of_run::{self, result_line};
use crate::note;

pub(super) struct Progress {
    shown: games_of_run::Progress,
    batches: usize,
    games: u64,
    /// Sums of the games that this run has played.
    sums: RefCell<Sums>,
    /// Whether it is an exam, in which nobody leads.
    is_exam: bool,
    /// The cups, which name their games.
    cups: Vec<Cup>,
}

impl Progress {
    pub(super) fn new(plan: &Plan, open: &[usize]) -> Progress {
        let games = plan.games_in(open);
        let shown = games_of_run::Progress::new(Some(games));
        // A plan whose results are inconsistent is refused elsewhere.
        let cups = plan.cups().unwrap_or_default();
        let is_exam = plan.contents.format.is_exam();
        Progress { shown, batches: open.len(), games, sums: RefCell::default(), is_exam, cups }
    }

    pub(super) fn what_is_left(&self) -> String {
        let batches = if self.batches == 1 { String::new() } else { format!(" in {} batches", self.batches) };
        format!("{}{batches} to play", count(self.games, "game"))
    }

    pub(super) fn take(&self, report: ShardEvent) {
        let (line, games) = match report {
            ShardEvent::Resumed { batch, games } => {
                (format!("batch {batch}: {} ended before", count(games as u64, "game")), games as u64)
            }
            ShardEvent::Elsewhere { batch, node } => {
                let node = node.map_or_else(String::new, |node| format!(" on {node}"));
                (format!("batch {batch}: a runner{node} plays it; waiting for it"), 0)
            }
            ShardEvent::Game { game, end: GameEnd::Void(why), .. } => {
                (format!("{}: void: {why}", game_id(game.scheduled)), 1)
            }
            ShardEvent::Game { game, end: GameEnd::Over(rows), .. } => {
                // Bots that play alone are compared after a whole round.
                if rows.len() > 1 {
                    self.sums.borrow_mut().add(&rows.iter().collect::<Vec<&ResultRow>>());
                }
                let cup = self.cups.get(game.scheduled.season as usize - 1);
                let place = cup.and_then(|cup| cup.name_of(game.scheduled));
                if self.is_exam {
                    // Games are many, and one says little: what is known is told after each round.
                    self.shown.count(1, || self.leader());
                    return;
                }
                (result_line(&rows) + &place.map_or(String::new(), |place| format!(", {place}")), 1)
            }
        };
        self.shown.tell(&line, games, || self.leader());
    }

    /// Prints the leader of the games that this run has played, unless a bar has shown it.
    pub(super) fn finish(&self) {
        if !self.shown.is_shown() && self.games > 0 && !self.is_exam {
            note(self.leader());
        }
    }

    fn leader(&self) -> String {
        if self.is_exam {
            return String::new();
        }
        let standings = self.sums.borrow().standings();
        let means = |line: &Standing| Means {
            share: line.mean_share,
            error: None,
            score: Some(line.mean_score),
            won: Some(line.win_share),
        };
        let scale = Scale::fitting(&standings.iter().map(means).collect::<Vec<_>>());
        let first = standings.first();
        first.map_or(String::new(), |first| {
            format!("leader of this run: {}, with {}", first.bot.name, scale.phrase(first.mean_share))
        })
    }
}
