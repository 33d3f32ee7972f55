//! `referee compare`: whether a new version of a bot is better. It plays until the answer is certain.

use std::path::PathBuf;

use clap::Args;
use referee_contest::hill::{Hill, HillSettings};
use referee_contest::node;
use referee_contest::runner::GameEnd;
use referee_games::catalog;
use referee_record::error::Error;
use referee_rules::Seed;
use referee_statistics::confidence::{ConfidenceSequence, Interval, Marks};
use referee_statistics::rounds::{Field, Plain, Round, Rounds};
use referee_statistics::stop_rule::StopRule;

use crate::hill::HowSubmitted;
use crate::host::HostOptions;
use crate::progress::Task;
use crate::{check, hill, note, play, say};

/// Play two versions of a bot until one is clearly better
///
/// Both play in every game, or in the same round if they never share a table. Seats are drawn. The answer is correct
/// with a probability of 1 - alpha, whenever it comes, provided that no bot changes from game to game.
#[derive(Debug, Args)]
pub(super) struct Compare {
    /// A program's path, or a house bot's name
    first: String,
    /// The bot to compare it with
    second: String,
    /// The game
    #[arg(long, value_name = "GAME")]
    game: String,
    /// Other opponents; if they are too few for a table, bots play in second seats
    #[arg(long, value_name = "BOT", num_args = 1..)]
    vs: Vec<String>,
    /// Set a parameter of the game: name=value; see `referee play GAME --help`
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// The probability of a wrong answer
    #[arg(long, value_name = "P", value_parser = super::number::fraction, default_value_t = StopRule::default().alpha)]
    alpha: f64,
    /// The smallest difference of mean shares that matters
    #[arg(long, value_name = "SHARE", value_parser = super::number::fraction, default_value_t = StopRule::default().epsilon)]
    epsilon: f64,
    /// Games of a round: one-game (seats drawn at random), or one-seating (the same seed again until each bot has had
    /// every seat: more games, but fewer rounds where the seat or the seed decides)
    #[arg(long, value_name = "BLOCK", default_value = "one-game", value_parser = ["one-game", "one-seating"])]
    block: String,
    /// Maximum number of rounds
    #[arg(long, value_name = "N", value_parser = super::number::index, default_value_t = StopRule::default().max_rounds)]
    max_rounds: u32,
    /// Random seed [default: a new one]
    #[arg(long)]
    seed: Option<Seed>,
    /// A new folder that keeps the games, as a hill [default: games are not kept]
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Games at a time [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = super::number::jobs)]
    jobs: Option<u16>,
    #[command(flatten)]
    host: HostOptions,
}

/// The names of the two versions.
const NAMES: [&str; 2] = ["first", "second"];

impl Compare {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let (alpha, epsilon, max_rounds) = (self.alpha, self.epsilon, self.max_rounds);
        let rule = StopRule { alpha, epsilon, min_rounds: 1, max_rounds, ..StopRule::default() };
        if let Some(fault) = rule.fault() {
            return Err(Error::input(fault).into());
        }
        match &self.dir {
            Some(dir) => self.compare(dir.clone(), rule),
            None => {
                let scratch = tempfile::Builder::new().prefix("referee-compare-").tempdir()?;
                self.compare(scratch.path().join("hill"), rule)
            }
        }
    }

    fn compare(&self, dir: PathBuf, rule: StopRule) -> anyhow::Result<()> {
        let entry = catalog::find(&self.game).map_err(|error| Error::input(error.to_string()))?;
        let parameters = check::parameters(entry, &self.settings)?;
        let seed = self.seed.map_or_else(play::random_seed, Ok)?;
        let mut settings = HillSettings::default();
        settings.format.set("block", &self.block).map_err(|error| Error::input(error.to_string()))?;
        let hill = Hill::create(&dir, entry, parameters, seed, settings).map_err(super::usage)?;
        let setup = self.host.clone().setup_on(&hill)?;
        let versions = NAMES.map(str::to_owned).into_iter().zip([&self.first, &self.second]);
        let others = self.vs.iter().enumerate().map(|(number, words)| (format!("vs{}", number + 1), words));
        for (name, words) in versions.chain(others) {
            let how = HowSubmitted { name: Some(name.clone()), ..HowSubmitted::default() };
            let told = hill::submit(&hill, words, how, &setup)?;
            // The first line names the version, which does not matter here. The notes and warnings below it do.
            let more = told.split_once('\n').map_or(String::new(), |(_, more)| format!("\n{more}"));
            note(format!("{name}: {words}{more}"));
        }
        note(format!(
            "playing until one version is clearly better, at most {} rounds (alpha {}, epsilon {})",
            rule.max_rounds, rule.alpha, rule.epsilon
        ));
        let jobs = self.jobs.map_or_else(node::cores, usize::from);
        let run = hill.begin_run(&setup)?;
        let bots = hill.entrants()?.field().iter().map(|event| event.bot_name()).collect::<Vec<_>>();
        let mut comparison =
            Comparison::new(rule, Field::new(bots.iter().cloned()), hill.round_games(bots.len()));
        let task = Task::counted("", "round", None);
        let mut next = 1;
        while comparison.answer.is_none() {
            let last = run.end_of_step(next).min(rule.max_rounds.max(next));
            let fixtures = (next..=last).flat_map(|round| run.fixtures_of(round)).collect();
            next = last + 1;
            let played = run.play(fixtures, &setup, jobs, |fixture, came| {
                let place = fixture.scheduled.expect("a game of a hill has a place");
                let complete = match came {
                    GameEnd::Over(rows) => comparison.rounds.add(rows),
                    GameEnd::Void(_) => {
                        let counts =
                            fixture.entrants.iter().filter(|(seat, _)| !fixture.fillers.contains(seat));
                        comparison.rounds.leave_out(place, counts.map(|(_, bot)| bot.name.clone()).collect())
                    }
                };
                let rounds = complete.len() as u64;
                comparison.look(complete);
                task.add(rounds, || comparison.so_far());
            });
            if played.is_err() {
                say(comparison.stopped());
            }
            played?;
        }
        drop(task);
        say(comparison.answer.unwrap_or_default());
        Ok(())
    }
}

/// The estimated difference: the mean share of the first minus that of the second.
struct Comparison {
    rule: StopRule,
    field: Field,
    rounds: Rounds,
    difference: ConfidenceSequence,
    plain: Plain,
    seen: u32,
    games: usize,
    answer: Option<String>,
}

impl Comparison {
    fn new(rule: StopRule, field: Field, round_games: usize) -> Comparison {
        let marks = Marks::thousandths([-rule.epsilon, rule.epsilon]);
        let difference = ConfidenceSequence::new(rule.alpha, &marks);
        let rounds = Rounds::new(round_games);
        Comparison {
            rule,
            field,
            rounds,
            difference,
            plain: Plain::default(),
            seen: 0,
            games: 0,
            answer: None,
        }
    }

    fn look(&mut self, complete: Vec<Round>) {
        for round in complete {
            if self.answer.is_some() {
                return;
            }
            // The field is in the order of submission, so the two versions come first.
            let means = round.block_means(&self.field);
            let [first, second] = [0, 1].map(|bot| means[bot].expect("both play in each round"));
            let (lower, upper) = (first.lower - second.upper, first.upper - second.lower);
            self.difference.add_within(Interval { lower, upper });
            self.plain.add((lower + upper) / 2.0);
            self.seen += 1;
            self.games += round.games.len();
            self.answer = self.answer_now().map(|answer| answer + &self.plain());
        }
    }

    fn answer_now(&self) -> Option<String> {
        let Interval { lower, upper } = self.difference.interval();
        let (epsilon, games) = (self.rule.epsilon, self.games);
        let percent = 100.0 * (1.0 - self.rule.alpha);
        if lower >= upper {
            return Some(format!("no answer after {games} games: results changed with time (drift)"));
        }
        if lower >= 0.0 {
            return Some(format!(
                "first is better by {lower:.3} to {upper:.3} ({percent} % confidence), after {games} games"
            ));
        }
        if upper <= 0.0 {
            return Some(format!(
                "first is worse by {:.3} to {:.3} ({percent} % confidence), after {games} games",
                -upper, -lower
            ));
        }
        if lower >= -epsilon && upper <= epsilon {
            return Some(format!(
                "no difference above {epsilon} ({percent} % confidence), after {games} games"
            ));
        }
        (self.seen >= self.rule.max_rounds).then(|| {
            format!(
                "not clear after {games} games: the difference (first minus second) is between {lower:.3} and \
                 {upper:.3} ({percent} % confidence)"
            )
        })
    }

    /// Says where the difference is so far.
    fn so_far(&self) -> String {
        let Interval { lower, upper } = self.difference.interval();
        format!("at most {}, first minus second {lower:.3} to {upper:.3}", self.rule.max_rounds)
    }

    /// Returns the message with the state so far.
    fn stopped(&self) -> String {
        let Interval { lower, upper } = self.difference.interval();
        let percent = 100.0 * (1.0 - self.rule.alpha);
        let (games, plain) = (self.games, self.plain());
        format!(
            "stopped after {games} games: the difference (first minus second) is between {lower:.3} and {upper:.3} \
             ({percent} % confidence){plain}"
        )
    }

    /// The plain mean of the differences, and its standard error.
    fn plain(&self) -> String {
        let Some((mean, error)) = self.plain.mean().zip(self.plain.error()) else { return String::new() };
        format!("; mean {mean:+.4}, standard error {error:.4}")
    }
}
