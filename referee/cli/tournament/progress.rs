//! How far a shard is: a bar on a terminal, a line a game elsewhere.

use std::cell::RefCell;
use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use referee::record::game_result::GameResult;
use referee::statistics::confidence::{ConfidenceSequence, Interval, Marks};
use referee::statistics::season::Dealt;
use referee::statistics::stop_rule::StopRule;
use referee::text;
use referee::tournament::batch::is_done;
use referee::tournament::batch::shard::{Report, Shard};
use referee::tournament::fixture::game_id;
use referee::tournament::plan::{Plan, rounds};
use referee::tournament::runner::GameEnd;

use crate::cli::note;

pub(super) struct Progress {
    bar: Option<ProgressBar>,
    batches: usize,
    games: u64,
    leaders: RefCell<Leaders>,
}

impl Progress {
    pub(super) fn new(plan: &Plan, shard: Shard) -> Progress {
        let open: Vec<usize> = shard.batches(plan).filter(|batch| !is_done(plan, *batch)).collect();
        let games = open.iter().map(|batch| u64::from(plan.index.batches[*batch].games)).sum();
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(games), ProgressDrawTarget::stderr());
            let style =
                ProgressStyle::with_template("{bar:30} {pos}/{len} games, {per_sec}, {eta} left {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.tick();
            bar
        });
        Progress { bar, batches: open.len(), games, leaders: RefCell::new(Leaders::new(plan)) }
    }

    pub(super) fn what_is_left(&self) -> String {
        format!("{} games in {} batches to play", self.games, self.batches)
    }

    pub(super) fn take(&self, report: Report) {
        let (line, games) = match report {
            Report::Resumed { batch, games } => {
                (format!("batch {batch}: {games} games were played by an earlier attempt"), games as u64)
            }
            Report::Game(game, GameEnd::Void(why)) => {
                (format!("{}: void: {why}", game_id(game.scheduled)), 1)
            }
            Report::Game(game, GameEnd::Over(rows)) => {
                self.leaders.borrow_mut().add(game.scheduled.round, &rows);
                let seats: Vec<String> =
                    rows.iter().map(|row| format!("{} {}", row.bot.name, row.score)).collect();
                let first = rows.shared();
                let seats = seats.join(", ");
                (format!("{}: {seats} ({}, {} turns)", first.game, first.end, first.turns), 1)
            }
        };
        match &self.bar {
            Some(bar) => {
                bar.println(text::visible_line(&line));
                bar.set_message(self.leaders.borrow().first());
                bar.inc(games);
            }
            None => note(line),
        }
    }

    /// Says who leads among the games that this run has played, where no bar has said so.
    pub(super) fn finish(&self) {
        match &self.bar {
            Some(bar) => bar.finish_and_clear(),
            None if self.games > 0 => note(self.leaders.borrow().first()),
            None => {}
        }
    }
}

/// What this run has seen of each bot. Of how much it was played that is no account: see the standings.
struct Leaders {
    /// Whether rounds follow each other in which nothing depends on the one before: else there are no intervals.
    says_how_sure: bool,
    bots: Vec<Seen>,
    round: u32,
}

struct Seen {
    name: String,
    sum: f64,
    games: u64,
    /// The same, of the round that is under way.
    round: (f64, u64),
    mean: ConfidenceSequence,
}

impl Leaders {
    fn new(plan: &Plan) -> Leaders {
        let mut contests = rounds::contests(plan.entry, plan.seed, &plan.sets, plan.entrants.len());
        let is_uniform = contests
            .next()
            .is_some_and(|contest| matches!(plan.contents.format.dealt(&contest), Dealt::Uniform(_)));
        let alpha = StopRule::default().alpha / plan.entrants.len() as f64;
        let mean = ConfidenceSequence::new(alpha, &Marks::thousandths([]));
        let seen = |name: String| Seen { name, sum: 0.0, games: 0, round: (0.0, 0), mean: mean.clone() };
        let bots = plan.entrants.iter().map(|bot| seen(bot.name.name.clone())).collect();
        Leaders { says_how_sure: is_uniform && plan.sets.len() == 1, bots, round: 0 }
    }

    /// Takes a game. They come in the order of the schedule.
    fn add(&mut self, round: u32, rows: &GameResult) {
        if round != self.round {
            self.round = round;
            self.bots.iter_mut().for_each(Seen::close_round);
        }
        for row in rows.iter().filter(|row| row.counts) {
            let Some(bot) = self.bots.iter_mut().find(|bot| bot.name == row.bot.name) else { continue };
            (bot.sum, bot.games) = (bot.sum + row.share, bot.games + 1);
            bot.round = (bot.round.0 + row.share, bot.round.1 + 1);
        }
    }

    fn first(&self) -> String {
        let played = self.bots.iter().filter(|bot| bot.games > 0);
        let Some(first) = played.max_by(|one, other| one.mean_share().total_cmp(&other.mean_share())) else {
            return String::new();
        };
        let Interval { lower, upper } = first.mean.interval();
        let sure = if self.says_how_sure {
            format!(", {:.3} to {:.3} at 95 %", (lower + 1.0) / 2.0, (upper + 1.0) / 2.0)
        } else {
            String::new()
        };
        format!("leads here: {}, {:.4}{sure}", first.name, first.mean_share())
    }
}

impl Seen {
    fn mean_share(&self) -> f64 {
        self.sum / self.games as f64
    }

    fn close_round(&mut self) {
        let (sum, games) = std::mem::take(&mut self.round);
        if games > 0 {
            self.mean.add((2.0 * sum / games as f64 - 1.0).clamp(-1.0, 1.0));
        }
    }
}
