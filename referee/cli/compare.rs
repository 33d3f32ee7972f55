//! The command `referee compare`, which plays two versions of a bot until it is certain whether the new one is better.

use std::path::PathBuf;

use clap::Args;
use referee_contest::bot::Bot;
use referee_contest::fixture::Fixture;
use referee_contest::hill::{Hill, HillSettings};
use referee_contest::node;
use referee_contest::runner::GameEnd;
use referee_games::catalog;
use referee_record::error::Error;
use referee_rules::Seed;
use referee_statistics::confidence::{Interval, MeanShare};
use referee_statistics::elo::{self, EloTest, Record};
use referee_statistics::rounds::{Field, Round, Rounds, SingleLookMean};
use referee_statistics::stop_rule::StopRule;
use referee_table::process::Setup;

use serde_json::{Value, json};

use crate::context::Context;
use crate::hill_submit::HowSubmitted;
use crate::host::HostOptions;
use crate::progress::Task;
use crate::sheet::share;
use crate::{check, hill_submit, note, play, say};

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
    /// For games of two: stop by a sequential test of two Elo differences, once it is shown that the difference is at
    /// most this one, or at least --elo1
    #[arg(long, value_name = "ELO", requires = "elo1", hide_short_help = true, allow_negative_numbers = true, value_parser = super::number::fraction)]
    elo0: Option<f64>,
    /// The greater Elo difference of the test; --alpha is the probability of each error
    #[arg(long, value_name = "ELO", requires = "elo0", hide_short_help = true, allow_negative_numbers = true, value_parser = super::number::fraction)]
    elo1: Option<f64>,
    /// Output format: text, or json for scripts
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"])]
    format: String,
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
    pub(super) fn run(self, context: &Context) -> anyhow::Result<()> {
        let (alpha, epsilon, max_rounds) = (self.alpha, self.epsilon, self.max_rounds);
        if let (Some(low), Some(high)) = (self.elo0, self.elo1)
            && low >= high
        {
            return Err(Error::input(format!("--elo0 must be below --elo1, not {low} and {high}")).into());
        }
        let rule = StopRule { alpha, epsilon, min_rounds: 1, max_rounds, ..StopRule::default() };
        if let Some(fault) = rule.fault() {
            return Err(Error::input(fault).into());
        }
        match &self.dir {
            Some(dir) => self.compare(context, dir.clone(), rule),
            None => {
                let scratch = tempfile::Builder::new().prefix("referee-compare-").tempdir()?;
                self.compare(context, scratch.path().join("hill"), rule)
            }
        }
    }

    fn compare(&self, context: &Context, dir: PathBuf, rule: StopRule) -> anyhow::Result<()> {
        let entry = catalog::find(&self.game).map_err(|error| Error::input(error.to_string()))?;
        let parameters = check::parameters(entry, &self.settings)?;
        let is_of_two = entry.table(&parameters) == Some(2);
        if self.elo0.is_some() && !is_of_two {
            return Err(Error::input(format!("--elo0: {} is not a game of two", entry.name)).into());
        }
        let seed = self.seed.map_or_else(play::random_seed, Ok)?;
        let mut settings = HillSettings::default();
        settings.set("block", &self.block).map_err(|error| Error::input(error.to_string()))?;
        let hill = Hill::create(&dir, entry, parameters, seed, settings).map_err(super::usage)?;
        let setup = self.host.clone().setup_on(context, &hill)?;
        self.submit_all(context, &hill, &setup)?;
        note(self.goal(rule));
        let jobs = self.jobs.map_or_else(node::cores, usize::from);
        let run = hill.begin_run(&setup)?;
        let bots = hill.entrants()?.field().into_iter().map(Bot::bot_name).collect::<Vec<_>>();
        let round_games = hill.round_games(bots.len());
        let mut comparison = Comparison::new(rule, Field::new(bots), round_games);
        comparison.is_of_two = is_of_two;
        comparison.elo_test =
            self.elo0.zip(self.elo1).map(|(elo0, elo1)| EloTest { elo0, elo1, alpha: rule.alpha });
        let task = Task::bounded("comparing", "game", u64::from(rule.max_rounds) * round_games as u64);
        let mut next_round = 1;
        while comparison.answer.is_none() {
            let last_round = run.end_of_step(next_round).min(rule.max_rounds.max(next_round));
            let fixtures = (next_round..=last_round).flat_map(|round| run.fixtures_of(round)).collect();
            next_round = last_round + 1;
            let played = run.play(fixtures, &setup, jobs, |fixture, end| {
                comparison.add(fixture, end);
                task.add(1, || comparison.state());
            });
            if played.is_err() {
                self.say(&comparison)?;
            }
            played?;
        }
        drop(task);
        self.say(&comparison)
    }

    /// Submits both versions, and their opponents, to the hill on which they are compared.
    fn submit_all(&self, context: &Context, hill: &Hill, setup: &Setup) -> anyhow::Result<()> {
        let versions = NAMES.map(str::to_owned).into_iter().zip([&self.first, &self.second]);
        let others = self.vs.iter().enumerate().map(|(number, words)| (format!("vs{}", number + 1), words));
        for (name, words) in versions.chain(others) {
            let how = HowSubmitted { name: Some(name.clone()), ..HowSubmitted::default() };
            let message = hill_submit::submit(context, hill, words, how, setup)?.message;
            // The first line names the version, which does not matter here. The notes and warnings below it do.
            let notes = message.split_once('\n').map_or(String::new(), |(_, notes)| format!("\n{notes}"));
            note(format!("{name}: {words}{notes}"));
        }
        Ok(())
    }

    /// Returns the sentence that says when the games end.
    fn goal(&self, rule: StopRule) -> String {
        let StopRule { max_rounds, alpha, epsilon, .. } = rule;
        match self.elo0.zip(self.elo1) {
            Some((elo0, elo1)) => format!(
                "playing until the Elo difference is accepted as {elo1} or as {elo0}, at most {max_rounds} rounds (alpha \
                 {alpha})"
            ),
            None => format!(
                "playing until one version is clearly better, at most {max_rounds} rounds (alpha {alpha}, epsilon \
                 {epsilon})"
            ),
        }
    }

    fn say(&self, comparison: &Comparison) -> anyhow::Result<()> {
        if self.format == "json" {
            say(serde_json::to_string_pretty(&comparison.json())?);
        } else {
            say(comparison.text());
        }
        Ok(())
    }
}

/// The games so far, and the estimate of the difference: the mean share of the first bot minus that of the second.
struct Comparison {
    rule: StopRule,
    field: Field,
    rounds: Rounds,
    /// Differences, which are between -1 and 1, scaled to between 0 and 1.
    difference: MeanShare,
    /// Scores of the first bot: 1 for a round that it won, 1/2 for a level one.
    score: MeanShare,
    record: Record,
    /// Whether the game has two seats.
    is_of_two: bool,
    elo_test: Option<EloTest>,
    /// The mean of the differences, with a standard error that holds for one look.
    single_look: SingleLookMean,
    rounds_counted: u32,
    games: usize,
    answer: Option<Answer>,
}

/// The end of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Better,
    Worse,
    NoDifference,
    NotClear,
    Accepted,
    Refused,
}

impl Answer {
    /// Returns its name in JSON.
    fn name(self) -> &'static str {
        match self {
            Answer::Better => "better",
            Answer::Worse => "worse",
            Answer::NoDifference => "no_difference",
            Answer::NotClear => "not_clear",
            Answer::Accepted => "accepted",
            Answer::Refused => "refused",
        }
    }
}

impl Comparison {
    fn new(rule: StopRule, field: Field, round_games: usize) -> Comparison {
        Comparison {
            rule,
            field,
            rounds: Rounds::new(round_games),
            difference: MeanShare::new(rule.alpha),
            score: MeanShare::new(rule.alpha),
            record: Record::default(),
            is_of_two: false,
            elo_test: None,
            single_look: SingleLookMean::default(),
            rounds_counted: 0,
            games: 0,
            answer: None,
        }
    }

    /// Adds a game, and counts the rounds that it completes, until there is an answer.
    fn add(&mut self, fixture: &Fixture, end: GameEnd) {
        let complete_rounds = match end {
            GameEnd::Over(rows) => self.rounds.add(rows),
            GameEnd::Void(_) => {
                let place = fixture.scheduled.expect("a game of a hill has a place");
                let counting = fixture.entrants.iter().filter(|(seat, _)| !fixture.fillers.contains(seat));
                self.rounds.leave_out(place, counting.map(|(_, bot)| bot.name.clone()).collect())
            }
        };
        for round in complete_rounds {
            if self.answer.is_some() {
                return;
            }
            self.count(round);
            self.answer = self.answer_now();
        }
    }

    fn count(&mut self, mut round: Round) {
        round.place_alone(self.rule.rank_by);
        // The field is in the order of submission, so the two versions come first.
        let means = round.block_means(&self.field);
        let [first, second] = [0, 1].map(|bot| means[bot].expect("both play in each round"));
        let (lower, upper) = (first.lower - second.upper, first.upper - second.lower);
        self.difference.add_within(Interval { lower: (lower + 1.0) / 2.0, upper: (upper + 1.0) / 2.0 });
        self.single_look.add((lower + upper) / 2.0);
        self.rounds_counted += 1;
        self.games += round.games.len();
        let score = |first: f64, second: f64| match first.total_cmp(&second) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        };
        self.score.add_within(Interval {
            lower: score(first.lower, second.upper),
            upper: score(first.upper, second.lower),
        });
        self.record.add_within(first, second);
    }

    /// Returns the interval of the difference.
    fn interval(&self) -> Interval {
        let Interval { lower, upper } = self.difference.interval();
        Interval { lower: 2.0 * lower - 1.0, upper: 2.0 * upper - 1.0 }
    }

    fn answer_now(&self) -> Option<Answer> {
        let answer = match self.elo_test {
            Some(test) => match test.accepts(&self.record) {
                Some(true) => Some(Answer::Accepted),
                Some(false) => Some(Answer::Refused),
                None => None,
            },
            None => self.answer_by_difference(),
        };
        if answer.is_none() && self.rounds_counted >= self.rule.max_rounds {
            return Some(Answer::NotClear);
        }
        answer
    }

    fn answer_by_difference(&self) -> Option<Answer> {
        let Interval { lower, upper } = self.interval();
        let epsilon = self.rule.epsilon;
        if lower >= 0.0 && upper > 0.0 {
            Some(Answer::Better)
        } else if upper <= 0.0 && lower < 0.0 {
            Some(Answer::Worse)
        } else if lower >= -epsilon && upper <= epsilon {
            Some(Answer::NoDifference)
        } else {
            None
        }
    }

    /// Returns the interval of the difference so far, in words.
    fn state(&self) -> String {
        let Interval { lower, upper } = self.interval();
        format!("first minus second {lower:.3} to {upper:.3}")
    }

    /// Returns the answer, or the state so far if there is none.
    fn text(&self) -> String {
        let Interval { lower, upper } = self.interval();
        let (games, epsilon) = (self.games, self.rule.epsilon);
        let percent = 100.0 * (1.0 - self.rule.alpha);
        let between = format!(
            "after {games} games: the difference (first minus second) is between {lower:.3} and {upper:.3} \
             ({percent} % confidence)"
        );
        let answer = match self.answer {
            Some(Answer::Better) => format!(
                "first is better by {lower:.3} to {upper:.3} ({percent} % confidence), after {games} games"
            ),
            Some(Answer::Worse) => format!(
                "first is worse by {:.3} to {:.3} ({percent} % confidence), after {games} games",
                -upper, -lower
            ),
            Some(Answer::NoDifference) => {
                format!("no difference above {epsilon} ({percent} % confidence), after {games} games")
            }
            Some(Answer::NotClear) => format!("not clear {between}"),
            Some(answer @ (Answer::Accepted | Answer::Refused)) => {
                let EloTest { elo0, elo1, .. } = self.elo_test.expect("it has a test");
                let (held, other) = if answer == Answer::Accepted { (elo1, elo0) } else { (elo0, elo1) };
                format!("{}: an Elo difference of {held}, not {other}, after {games} games", answer.name())
            }
            None => format!("stopped {between}"),
        };
        answer + &self.mean_text() + &self.elo_text()
    }

    /// Returns the mean of the differences and its standard error, in words.
    fn mean_text(&self) -> String {
        let (Some(mean), Some(error)) = (self.single_look.mean(), self.single_look.error()) else {
            return String::new();
        };
        format!("; mean {mean:+.4}, standard error {error:.4}")
    }

    /// Returns the score of the first bot; `None` if the game is not one of two, or nothing was played.
    fn score_of_two(&self) -> Option<f64> {
        if self.is_of_two { self.record.score() } else { None }
    }

    /// Returns, for a game of two, the numbers that testers of chess engines know.
    fn elo_text(&self) -> String {
        let Some(score) = self.score_of_two() else { return String::new() };
        let Record { won, level, lost, unknown } = self.record;
        let lost = lost + unknown;
        let Interval { lower, upper } = self.score.interval();
        let [elo, low, high] = [score, lower, upper].map(|score| format!("{:.0}", elo::of_score(score)));
        let superiority = 100.0 * self.record.superiority();
        format!(
            "\nElo difference {elo} ({low} to {high}), likelihood of superiority {superiority:.1} % (one look); won \
             {won}, level {level}, lost {lost}"
        )
    }

    /// Returns the answer for scripts.
    fn json(&self) -> Value {
        let Interval { lower, upper } = self.interval();
        let finite = |value: f64| value.is_finite().then_some(value);
        let mut answer = json!({
            "schema": 1,
            "answer": self.answer.map_or("stopped", Answer::name),
            "games": self.games,
            "rounds": self.rounds_counted,
            "confidence": 1.0 - self.rule.alpha,
            "difference": self.single_look.mean().map(share),
            "difference_low": share(lower),
            "difference_high": share(upper),
            "standard_error": self.single_look.error().map(share),
        });
        if let Some(score) = self.score_of_two() {
            let bounds = self.score.interval();
            answer["won"] = self.record.won.into();
            answer["level"] = self.record.level.into();
            answer["lost"] = (self.record.lost + self.record.unknown).into();
            answer["elo"] = finite(elo::of_score(score)).into();
            answer["elo_low"] = finite(elo::of_score(bounds.lower)).into();
            answer["elo_high"] = finite(elo::of_score(bounds.upper)).into();
            answer["superiority"] = self.record.superiority().into();
        }
        if let Some(test) = self.elo_test {
            let (against_elo0, against_elo1) = test.odds(&self.record);
            answer["odds_against_elo0"] = against_elo0.into();
            answer["odds_against_elo1"] = against_elo1.into();
            answer["odds_needed"] = test.needed().into();
        }
        answer
    }
}
