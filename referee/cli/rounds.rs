//! Rounds of a hill: the options of `run`, the loop that plays them, and the output.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use referee_contest::fixture::Fixture;
use referee_contest::hill::{Dropped, Goal, Hill, HillAccount, Run, RunEnd, RunReport, SeasonReport};
use referee_contest::runner::GameEnd;
use referee_contest::verdicts;
use referee_files::small;
use referee_record::error::{Error, ErrorKind};
use referee_record::text;
use referee_record::voids;
use referee_report::tables::contests::evidence_json;
use referee_statistics::rating::Ratings;
use referee_statistics::season::SeasonAccount;
use referee_statistics::stop_rule::{StopRule, Until, VerdictKind};
use referee_table::clock::{Clock, Moment};
use referee_table::process::Setup;

use crate::addition::{Event, Observer as _};
use crate::context::Context;
use crate::games_of_run::{Progress, result_line};
use crate::host::HostOptions;
use crate::out::say_as_it_is;
use crate::sheet::Format;
use crate::standings::{print_account, print_standings, standings_of, tell_of_given_up};
use crate::{detail, note, shell, status_of};

/// Minimum time between two computations of the proof, for the line of progress.
const PROOF_INTERVAL: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
pub(super) struct Rounds {
    /// Number of rounds; an interrupted round is finished first and counts as one [default: 1]
    #[arg(long, value_name = "N", value_parser = super::number::count)]
    rounds: Option<u32>,
    /// Play until this round of the season is complete
    #[arg(long, value_name = "ROUND", conflicts_with = "rounds", value_parser = super::number::count)]
    to_round: Option<u32>,
    /// Play until one bot is clearly the best, or several are equally good
    #[arg(long, group = "until", conflicts_with_all = ["rounds", "to_round"])]
    until_clear: bool,
    /// Play until all bots are ranked: of each two it is known which is better, or that they differ by no more than
    /// epsilon
    #[arg(long, group = "until", conflicts_with_all = ["rounds", "to_round"])]
    until_ranked: bool,
    #[command(flatten)]
    rule: Rule,
    /// How to say what came of it: text, or json, one line for other programs
    #[arg(long, value_name = "FORMAT", value_parser = ["text", "json"], hide_short_help = true)]
    format: Option<String>,
}

/// The rule that stops a season which is played until clear, or until ranked.
#[derive(Debug, Args)]
struct Rule {
    /// With --until-clear or --until-ranked: the probability of a wrong verdict [default: the season's; for a new
    /// season 0.05]. The rule of a season is fixed: another alpha or epsilon begins a new season
    #[arg(long, value_name = "P", value_parser = super::number::fraction, requires = "until")]
    alpha: Option<f64>,
    /// Likewise: the smallest difference of mean shares that matters [default: that of the season, at first 0.01]
    #[arg(long, value_name = "SHARE", value_parser = super::number::fraction, requires = "until")]
    epsilon: Option<f64>,
    /// Likewise: no verdict before this round
    #[arg(long, value_name = "N", value_parser = super::number::index, default_value_t = StopRule::default().min_rounds, requires = "until")]
    min_rounds: u32,
    /// Likewise: end without a winner, or without a ranking, after this round
    #[arg(long, value_name = "N", value_parser = super::number::index, default_value_t = StopRule::default().max_rounds, requires = "until")]
    max_rounds: u32,
}

impl Rule {
    /// Returns the whole rule. Options that the user leaves out are as in the season.
    fn stop_rule(&self, hill: &Hill, until: Until) -> anyhow::Result<StopRule> {
        let Rule { alpha, epsilon, min_rounds, max_rounds } = *self;
        let rule_of_settings = hill.settings().rule_until(until);
        let rule_of_season = hill.season_in_progress()?.map(|season| season.terms.rule);
        let default = rule_of_season.filter(|rule| rule.until == until).unwrap_or(rule_of_settings);
        let alpha = alpha.unwrap_or(default.alpha);
        let epsilon = epsilon.unwrap_or(default.epsilon);
        let rule = StopRule { alpha, epsilon, min_rounds, max_rounds, ..default };
        match rule.fault() {
            Some(fault) => Err(Error::input(fault).into()),
            None => Ok(rule),
        }
    }
}

impl Rounds {
    /// Lists the options by name, each with whether the user gave it.
    pub(super) fn given(&self) -> [(&'static str, bool); 5] {
        [
            ("--rounds", self.rounds.is_some()),
            ("--to-round", self.to_round.is_some()),
            ("--until-clear", self.until_clear),
            ("--until-ranked", self.until_ranked),
            ("--format", self.format.is_some()),
        ]
    }

    fn is_for_programs(&self) -> bool {
        self.format.as_deref() == Some("json")
    }

    /// Prints the result of the run in one line for other programs, with `--format json`.
    pub(super) fn report(&self, result: &anyhow::Result<Option<SeasonReport>>) {
        if !self.is_for_programs() {
            return;
        }
        let (ended, reason, season) = match result {
            Ok(season) => (RunEnd::Complete, String::new(), season.clone()),
            Err(error) if status_of(error) == 130 => (RunEnd::Stopped, format!("{error:#}"), None),
            Err(error) => (RunEnd::Failed, format!("{error:#}"), None),
        };
        say_as_it_is(serde_json::to_string(&RunReport { ended, reason, season }).expect("plain values"));
    }

    /// Plays rounds of a hill, and shows the standings, unless with `--format json`. Returns the report of the season;
    /// `None` if none of its games counts.
    pub(super) fn play(
        &self,
        context: &Context,
        hill: &Hill,
        host: HostOptions,
        jobs: usize,
    ) -> anyhow::Result<Option<SeasonReport>> {
        let until = if self.until_ranked { Until::Ranked } else { Until::Winner };
        let rule = self.rule.stop_rule(hill, until)?;
        let setup = host.setup_ranked(context, hill)?;
        hill.check_field(&setup).map_err(super::usage)?;
        let PlayedSeason { number, counted } = if self.until_clear || self.until_ranked {
            play_until_clear(context, hill, rule, jobs, &setup)?
        } else {
            let how_far = match self.to_round {
                Some(round) => HowFar::Round(round),
                None => HowFar::More(self.rounds.unwrap_or(1)),
            };
            play_rounds(context, hill, how_far, StopRule::default(), jobs, &setup)?
        };
        let Some((account, ratings)) = counted else {
            if tell_of_given_up(hill, number)? == 0 && !self.is_for_programs() {
                print_standings(hill, Some(number), StopRule::default(), Format::Table)?;
            }
            return Ok(None); // no game counts
        };
        for Dropped { bot, mean_share, bots } in hill.drop_last(&account)? {
            let scale = standings_of(hill, &account, &ratings)?.scale();
            let room = hill.settings().capacity.unwrap_or_default();
            note(format!(
                "{} version {} leaves the hill: it is last of {bots}, with {}, and the capacity is {room}",
                bot.name,
                bot.version,
                scale.phrase(mean_share)
            ));
        }
        if let Some(full) = over_capacity(hill)? {
            note(full);
        }
        if !self.is_for_programs() {
            print_account(hill, &account, &ratings, Format::Table)?;
        }
        report_of(hill, &account).map(Some)
    }
}

/// Returns a message if a hill has more bots than its capacity.
pub(crate) fn over_capacity(hill: &Hill) -> anyhow::Result<Option<String>> {
    let bots = hill.entrants()?.field().len();
    let Some(capacity) = hill.settings().capacity else { return Ok(None) };
    if bots <= capacity as usize {
        return Ok(None);
    }
    Ok(Some(format!(
        "there are {bots} bots, and the capacity is {capacity}: a bot that is hardly ever among the best {capacity} \
         leaves after a run, once there are ten rounds"
    )))
}

/// Returns the report of a season, for other programs.
fn report_of(hill: &Hill, account: &SeasonAccount) -> anyhow::Result<SeasonReport> {
    let verdict = verdicts::read(hill.root())?.into_iter().rfind(|row| row.season == account.number);
    let king = verdict.as_ref().filter(|row| row.verdict == VerdictKind::ClearKing);
    Ok(SeasonReport {
        season: account.number,
        rounds: account.rounds(),
        king: king.and_then(|row| row.kings.names().first().map(|name| (*name).to_owned())),
        verdict: verdict.map(|row| row.verdict.name().to_owned()),
        evidence: evidence_json(account),
    })
}

/// The end of a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum HowFar {
    /// After this number of further rounds; an unfinished one is the first.
    More(u32),
    /// After this round of the season.
    Round(u32),
}

/// A season of which a run has played rounds.
pub(super) struct PlayedSeason {
    /// The number of the season.
    pub(super) number: u32,
    /// Its account and the ratings after it; `None` if none of its games counts.
    pub(super) counted: Option<(SeasonAccount, Ratings)>,
}

/// Plays rounds on a hill.
pub(super) fn play_rounds(
    context: &Context,
    hill: &Hill,
    how_far: HowFar,
    rule: StopRule,
    jobs: usize,
    setup: &Setup,
) -> anyhow::Result<PlayedSeason> {
    let played = run_rounds(context, hill, how_far, rule, jobs, setup)?;
    hill.refresh_cache(Goal::Rounds(rule))?;
    Ok(played)
}

fn run_rounds(
    context: &Context,
    hill: &Hill,
    how_far: HowFar,
    rule: StopRule,
    jobs: usize,
    setup: &Setup,
) -> anyhow::Result<PlayedSeason> {
    let (run, mut account) = hill.begin_run_by(setup, Goal::Rounds(rule))?;
    run.notices.iter().for_each(note);
    let first = run.first_open_round();
    let last = match how_far {
        HowFar::More(rounds) => first.saturating_add(rounds - 1),
        HowFar::Round(round) => round,
    };
    let count = run.missing_games(first..=last);
    let games = text::count(count, "game");
    let most = if run.is_racing() { "at most " } else { "" };
    note(format!("season {}, up to round {last}: {most}{games} to play, {jobs} at a time", run.season()));
    let command_to_continue =
        || format!("referee hill run {} --to-round {last} --jobs {jobs}", shell(hill.root()));
    let (mut round, mut stage) = (first, None);
    // In a race, the bots that play follow from the rounds before, so a stage is listed when the one before it has
    // ended.
    let mut next = |account: &mut HillAccount<'_>| loop {
        let fixtures = stage.as_mut().and_then(Iterator::next);
        if fixtures.is_some() || round > last {
            return Ok(fixtures);
        }
        let end_of_stage = run.begin_stage(account, round)?.min(last);
        stage = Some(run.fixtures(round..=end_of_stage));
        round = end_of_stage.saturating_add(1);
    };
    let mut play = Play { context, run: &run, jobs, setup, command_to_continue: &command_to_continue };
    play.run(&mut account, Some(count), &mut next)?;
    Ok(PlayedSeason { number: run.season(), counted: account.finish(Some(run.season())) })
}

/// Plays rounds until a season is over by this rule.
pub(super) fn play_until_clear(
    context: &Context,
    hill: &Hill,
    rule: StopRule,
    jobs: usize,
    setup: &Setup,
) -> anyhow::Result<PlayedSeason> {
    let played = run_until_clear(context, hill, rule, jobs, setup)?;
    hill.refresh_cache(Goal::Clear(rule))?;
    Ok(played)
}

fn run_until_clear(
    context: &Context,
    hill: &Hill,
    rule: StopRule,
    jobs: usize,
    setup: &Setup,
) -> anyhow::Result<PlayedSeason> {
    let (run, mut account) = hill.begin_run_by(setup, Goal::Clear(rule))?;
    run.notices.iter().for_each(note);
    note(format!(
        "season {}: playing until {}, at most {} rounds, {} at a time",
        run.season(),
        match rule.until {
            Until::Winner => "the best bot is clear",
            Until::Ranked => "all bots are ranked",
        },
        rule.max_rounds,
        text::count(jobs as u64, "game")
    ));
    detail(format!("stop rule of this season: {}", rule.in_season(run.season())));
    let command_to_continue = || command_until_clear(hill, rule, jobs);
    let mut first = run.first_open_round();
    // The rounds are listed in steps that do not depend on `jobs`, so the same games are played with any number of
    // jobs.
    let mut next = |account: &mut HillAccount<'_>| {
        if account.verdict().is_some() {
            return Ok(None);
        }
        let end_of_stage = run.begin_stage(account, first)?;
        // A season that is longer than `max_rounds` already is played one round at a time.
        let last_allowed = rule.max_rounds.max(first);
        let last = run.end_of_step(first).min(end_of_stage).min(last_allowed);
        let rounds = first..=last;
        first = last + 1;
        Ok(Some(rounds.flat_map(|round| run.fixtures_of(round)).collect()))
    };
    let mut play = Play { context, run: &run, jobs, setup, command_to_continue: &command_to_continue };
    play.run(&mut account, None, &mut next)?;
    let verdict = account.verdict().expect("played until there was one");
    hill.add_verdict(verdict)?;
    note(verdict);
    Ok(PlayedSeason { number: run.season(), counted: account.finish(Some(run.season())) })
}

/// Returns the command that continues to play until a season is over by this rule.
fn command_until_clear(hill: &Hill, rule: StopRule, jobs: usize) -> String {
    let StopRule { until, alpha, epsilon, min_rounds, max_rounds, .. } = rule;
    let until = match until {
        Until::Winner => "--until-clear",
        Until::Ranked => "--until-ranked",
    };
    format!(
        "referee hill run {} {until} --alpha {alpha} --epsilon {epsilon} --min-rounds {min_rounds} --max-rounds \
         {max_rounds} --jobs {jobs}",
        shell(hill.root())
    )
}

/// A function that lists the games that are played next, by the account so far; `None` at the end.
type Next<'n> = &'n mut dyn FnMut(&mut HillAccount<'_>) -> Result<Option<Vec<Fixture>>, Error>;

/// The loop that plays the games of a run.
struct Play<'a> {
    context: &'a Context,
    run: &'a Run<'a>,
    jobs: usize,
    setup: &'a Setup,
    command_to_continue: &'a dyn Fn() -> String,
}

impl Play<'_> {
    /// Plays games as long as `next` has some, and shows the progress. `count` is their number, if it is known.
    fn run(
        &mut self,
        account: &mut HillAccount<'_>,
        count: Option<u64>,
        next: Next<'_>,
    ) -> anyhow::Result<()> {
        let Play { context, run, jobs, setup, command_to_continue } = *self;
        let mut observer = context.observer(run.root());
        observer.happened(Event::RunBegins(run))?;
        let progress = Progress::new(count);
        let voids_before = run.runner().end_of_voids()?;
        let (mut played, mut observer_error, mut proof) = (Ok(()), None, String::new());
        let (clock, mut proof_computed_at): (Clock, Option<Moment>) = (Clock::start(), None);
        while played.is_ok()
            && let Some(fixtures) = next(account)?
        {
            let last_games = last_games_of_rounds(&fixtures);
            played = run.play(fixtures, setup, jobs, |fixture, end| {
                if let GameEnd::Over(rows) = &end {
                    progress.tell(&result_line(rows), 1, || proof.clone());
                }
                account.take(fixture, end);
                if !last_games.contains(&fixture.id) {
                    return;
                }
                // In a long season of many bots, the proof takes time.
                let is_due = proof_computed_at.is_none_or(|at| clock.now() - at > PROOF_INTERVAL);
                if progress.is_shown() && is_due {
                    proof_computed_at = Some(clock.now());
                    proof = account.proof().map(|proof| proof.in_short()).unwrap_or_default();
                }
                if observer_error.is_none() {
                    observer_error = observer.happened(Event::RoundEnded(run)).err();
                    if observer_error.is_some() {
                        setup.stop.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
        drop(progress);
        tell_of_voids(run, voids_before.as_ref())?;
        let ended = observer.happened(Event::RunEnds(run));
        if let Some(error) = observer_error {
            return Err(error.context("the run was stopped").into());
        }
        played.map_err(|error| stop_or_failure(error, command_to_continue))?;
        Ok(ended?)
    }
}

/// Returns the ids of the last game of each round.
fn last_games_of_rounds(fixtures: &[Fixture]) -> BTreeSet<String> {
    let round = |fixture: &Fixture| fixture.scheduled.map(|place| place.round);
    let rounds = fixtures.chunk_by(|one, next| round(one) == round(next));
    rounds.filter_map(|games| Some(games.last()?.id.clone())).collect()
}

/// Prints the games that became void in this run.
fn tell_of_voids(run: &Run<'_>, voids_before: Option<&small::Place>) -> anyhow::Result<()> {
    for void in run.runner().voids_behind(voids_before)?.iter().filter(|void| !run.lost.contains(void)) {
        note(voids::sentence(void));
    }
    Ok(())
}

/// Returns the error of a run that was stopped or has failed, with the command that continues the run.
fn stop_or_failure(error: Error, command_to_continue: impl Fn() -> String) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Stopped => {
            let command = command_to_continue();
            let what = format!("stopped; all finished games are recorded. To continue:\n  {command}");
            Error::new(ErrorKind::Stopped, what).into()
        }
        _ => error
            .context(format!("a game could not be played; to continue: {}", command_to_continue()))
            .into(),
    }
}
