//! Plays rounds on a hill and shows the progress.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use referee_contest::fixture::Fixture;
use referee_contest::hill::{Goal, Hill, HillAccount, Run};
use referee_contest::runner::GameEnd;
use referee_files::small;
use referee_record::error::{Error, ErrorKind};
use referee_record::text;
use referee_record::voids;
use referee_statistics::rating::Ratings;
use referee_statistics::season::SeasonAccount;
use referee_statistics::stop_rule::{StopRule, Until};
use referee_table::process::Setup;

use crate::addition::{self, Event, Observer as _};
use crate::games_of_run::{Progress, told};
use crate::{detail, note, shell};

/// When a run ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum HowFar {
    /// Number of further rounds; an unfinished one is the first.
    More(u32),
    /// Up to and with this round of the season.
    Round(u32),
}

/// The season's number; its account and the ratings after it, if any of its games counts.
pub(super) type Played = (u32, Option<(SeasonAccount, Ratings)>);

/// Plays rounds on a hill.
pub(super) fn play_rounds(
    hill: &Hill,
    until: HowFar,
    rule: StopRule,
    jobs: usize,
    setup: &Setup,
) -> anyhow::Result<Played> {
    let played = rounds_of_run(hill, until, rule, jobs, setup)?;
    hill.keep_on(Goal::Rounds(rule))?;
    Ok(played)
}

fn rounds_of_run(
    hill: &Hill,
    until: HowFar,
    rule: StopRule,
    jobs: usize,
    setup: &Setup,
) -> anyhow::Result<Played> {
    let (run, mut account) = hill.begin_run_by(setup, Goal::Rounds(rule))?;
    run.notices.iter().for_each(note);
    let first = run.first_open_round();
    let last = match until {
        HowFar::More(rounds) => first.saturating_add(rounds - 1),
        HowFar::Round(round) => round,
    };
    let count = run.missing_games(first..=last);
    let games = text::count(count, "game");
    let most = if run.is_racing() { "at most " } else { "" };
    note(format!("season {}, up to round {last}: {most}{games} to play, {jobs} at a time", run.season()));
    let again = || format!("referee hill run {} --to-round {last} --jobs {jobs}", shell(hill.root()));
    let (mut round, mut listed) = (first, None);
    // In a race, who plays follows from the rounds before: a stage is listed when the one before it has ended.
    let mut next = |account: &mut HillAccount<'_>| loop {
        let fixtures = listed.as_mut().and_then(Iterator::next);
        if fixtures.is_some() || round > last {
            return Ok(fixtures);
        }
        let end = run.settle_race(account, round)?.min(last);
        listed = Some(run.fixtures(round..=end));
        round = end.saturating_add(1);
    };
    play(&run, &mut account, Some(count), (jobs, setup), &mut next, again)?;
    Ok((run.season(), account.finish(Some(run.season()))))
}

/// Plays rounds until a season is over by this rule.
pub(super) fn play_until_clear(
    hill: &Hill,
    rule: StopRule,
    jobs: usize,
    setup: &Setup,
) -> anyhow::Result<Played> {
    let played = run_until_clear(hill, rule, jobs, setup)?;
    hill.keep_on(Goal::Clear(rule))?;
    Ok(played)
}

fn run_until_clear(hill: &Hill, rule: StopRule, jobs: usize, setup: &Setup) -> anyhow::Result<Played> {
    let (run, mut account) = hill.begin_run_by(setup, Goal::Clear(rule))?;
    run.notices.iter().for_each(note);
    note(format!(
        "season {}: playing until {}, at most {} rounds, {} at a time",
        run.season(),
        match (rule.until, rule.bands) {
            (Until::Winner, _) => "the best bot is clear",
            (Until::Ranked, None) => "all bots are ranked",
            (Until::Ranked, Some(_)) => "each bot's band is known",
        },
        rule.max_rounds,
        text::count(jobs as u64, "game")
    ));
    detail(format!("stop rule of this season: {}", rule.in_season(run.season())));
    let again = || {
        let StopRule { until, alpha, epsilon, min_rounds, max_rounds, .. } = rule;
        let until = match until {
            Until::Winner => "--until-clear",
            Until::Ranked => "--until-ranked",
        };
        format!(
            "referee hill run {} {until} --alpha {alpha} --epsilon {epsilon} --min-rounds {min_rounds} --max-rounds {max_rounds} --jobs {jobs}",
            shell(hill.root())
        )
    };
    let mut first = run.first_open_round();
    // Neither the number of rounds at a time nor the games that are played depend on the number of jobs.
    let mut next = |account: &mut HillAccount<'_>| {
        if account.verdict().is_some() {
            return Ok(None);
        }
        let stage = run.settle_race(account, first)?;
        let last = run.end_of_step(first).min(rule.max_rounds.max(first)).min(stage);
        let rounds = std::mem::replace(&mut first, last + 1)..=last;
        Ok(Some(rounds.flat_map(|round| run.fixtures_of(round)).collect()))
    };
    play(&run, &mut account, None, (jobs, setup), &mut next, again)?;
    let verdict = account.verdict().expect("played until there was one");
    hill.add_verdict(verdict)?;
    note(verdict);
    Ok((run.season(), account.finish(Some(run.season()))))
}

/// Lists the games that are played next, by the account so far; `None` at the end.
type Next<'n> = &'n mut dyn FnMut(&mut HillAccount<'_>) -> Result<Option<Vec<Fixture>>, Error>;

/// Plays games as long as `next` has some, and shows the progress.
fn play(
    run: &Run<'_>,
    account: &mut HillAccount<'_>,
    count: Option<u64>,
    (jobs, setup): (usize, &Setup),
    next: Next<'_>,
    again: impl Fn() -> String,
) -> anyhow::Result<()> {
    let mut observer = addition::observer(run.root());
    observer.happened(Event::RunBegins(run))?;
    let progress = Progress::new(count);
    let voids_before = run.runner().end_of_voids()?;
    let (mut played, mut trouble) = (Ok(()), None);
    while played.is_ok()
        && let Some(fixtures) = next(account)?
    {
        let ends = ends_of_rounds(&fixtures);
        played = run.play(fixtures, setup, jobs, |fixture, came| {
            if let GameEnd::Over(rows) = &came {
                progress.tell(&told(rows), 1, String::new);
            }
            account.take(fixture, came);
            if trouble.is_none() && ends.contains(&fixture.id) {
                trouble = observer.happened(Event::RoundEnded(run)).err();
                if trouble.is_some() {
                    setup.stop.store(true, Ordering::Relaxed);
                }
            }
        });
    }
    drop(progress);
    tell_of_voids(run, voids_before.as_ref())?;
    let played = played.map_err(|error| how_to_go_on(error, again));
    let ended = observer.happened(Event::RunEnds(run));
    match trouble {
        Some(trouble) => Err(trouble.context("the run was stopped").into()),
        None => played.and_then(|()| Ok(ended?)),
    }
}

/// Returns the last game of each round.
fn ends_of_rounds(fixtures: &[Fixture]) -> BTreeSet<String> {
    let round = |fixture: &Fixture| fixture.scheduled.map(|place| place.round);
    let rounds = fixtures.chunk_by(|one, next| round(one) == round(next));
    rounds.filter_map(|games| Some(games.last()?.id.clone())).collect()
}

/// Prints the games that became void in this run.
fn tell_of_voids(run: &Run<'_>, before: Option<&small::Place>) -> anyhow::Result<()> {
    for void in run.runner().voids_behind(before)?.iter().filter(|void| !run.lost.contains(void)) {
        note(voids::told(void));
    }
    Ok(())
}

fn how_to_go_on(error: Error, again: impl Fn() -> String) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Stopped => {
            let what = format!(
                "stopped; all finished games are recorded. To continue:
  {}",
                again()
            );
            Error::new(ErrorKind::Stopped, what).into()
        }
        _ => error.context(format!("a game could not be played; to continue: {}", again())).into(),
    }
}
