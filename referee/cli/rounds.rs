//! Plays rounds on a hill, with progress for people.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use referee::error::{Error, ErrorKind};
use referee::record::voids;
use referee::statistics::rating::Ratings;
use referee::statistics::season::SeasonAccount;
use referee::statistics::stop_rule::StopRule;
use referee::table::process::Setup;
use referee::tournament::batch::GameEnd;
use referee::tournament::folder::Folder;
use referee::tournament::hill::{Goal, Hill};
use referee::tournament::{run, verdicts};

use super::{note, shell};

/// Until when it is played.
#[derive(Clone, Copy, Debug)]
pub(super) enum Until {
    /// So many rounds more, an unfinished one being the first.
    More(u32),
    /// Up to and with this round of the season.
    Round(u32),
}

/// What was played, in all: the season's number, its account, and the ratings after it, if a game of it counts.
pub(super) type Played = (u32, Option<(SeasonAccount, Ratings)>);

/// Plays rounds on a hill.
pub(super) fn play_rounds(
    hill: &Hill,
    until: Until,
    rule: StopRule,
    jobs: usize,
    setup: &Setup,
) -> anyhow::Result<Played> {
    let (run, mut account) = hill.begin_run_by(setup, Goal::Rounds(rule))?;
    run.notices.iter().for_each(note);
    let first = run.first_open_round();
    let (option, last) = match until {
        Until::More(rounds) => ("--rounds", first.saturating_add(rounds - 1)),
        Until::Round(round) => ("--to-round", round),
    };
    let rounds_max = run.rounds_max();
    if last.saturating_sub(first) >= rounds_max {
        let what = format!(
            "{option} is out of range: a run plays at most {rounds_max} rounds of this field, and the first is {first}"
        );
        return Err(Error::input(what).into());
    }
    let fixtures = run.fixtures(last);
    let count = fixtures.len();
    note(format!("season {}, up to round {last}: {count} games to play, {jobs} at a time", run.season()));
    let progress = Progress::new(Some(count as u64));
    let voids_before = run.folder().voids()?.len();
    let played = run::run(run.folder(), fixtures, setup, jobs, |fixture, came| {
        progress.take(&came);
        account.take(fixture, came);
    });
    progress.finish();
    tell_of_voids(run.folder(), voids_before)?;
    let again = || format!("referee hill run {} --to-round {last} --jobs {jobs}", shell(hill.root()));
    played.map_err(|error| how_to_go_on(error, again))?;
    Ok((run.season(), account.finish(Some(run.season()))))
}

/// Plays rounds until a season is over by this rule.
pub(super) fn play_until_clear(
    hill: &Hill,
    rule: StopRule,
    jobs: usize,
    setup: &Setup,
) -> anyhow::Result<Played> {
    let (run, mut account) = hill.begin_run_by(setup, Goal::Clear(rule))?;
    run.notices.iter().for_each(note);
    note(format!(
        "season {}, until clear: {}; {jobs} games at a time",
        run.season(),
        rule.in_season(run.season())
    ));
    let progress = Progress::new(None);
    let voids_before = run.folder().voids()?.len();
    let mut played = Ok(());
    let mut next = run.first_open_round();
    // Some rounds at a time, always the same ones: what is played must not depend on the number of jobs.
    while account.verdict().is_none() && played.is_ok() {
        let last = run.end_of_step(next).min(rule.max_rounds.max(next));
        let fixtures = (next..=last).flat_map(|round| run.fixtures_of(round)).collect();
        next = last + 1;
        played = run::run(run.folder(), fixtures, setup, jobs, |fixture, came| {
            progress.take(&came);
            account.take(fixture, came);
        });
    }
    progress.finish();
    tell_of_voids(run.folder(), voids_before)?;
    let again = || {
        let StopRule { method, alpha, epsilon, min_rounds, max_rounds } = rule;
        format!(
            "referee hill run {} --until-clear --method {method} --alpha {alpha} --epsilon {epsilon} --min-rounds {min_rounds} --max-rounds {max_rounds} --jobs {jobs}",
            shell(hill.root())
        )
    };
    played.map_err(|error| how_to_go_on(error, again))?;
    let verdict = account.verdict().expect("played until there was one");
    verdicts::add(hill.root(), verdict)?;
    note(verdict);
    Ok((run.season(), account.finish(Some(run.season()))))
}

/// Tells which games did not count.
fn tell_of_voids(folder: &Folder, before: usize) -> anyhow::Result<()> {
    for void in folder.voids()?.iter().skip(before) {
        note(voids::told(void));
    }
    Ok(())
}

fn how_to_go_on(error: Error, again: impl Fn() -> String) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Stopped => {
            let what = format!(
                "stopped; all finished games stand in the results. To go on:
  {}",
                again()
            );
            Error::new(ErrorKind::Stopped, what).into()
        }
        _ => error.context(format!("a game could not be played; to go on: {}", again())).into(),
    }
}

/// A bar on a terminal; elsewhere a line a game.
struct Progress(Option<ProgressBar>);

impl Progress {
    /// Begins, with the number of games if that is known.
    fn new(games: Option<u64>) -> Progress {
        if !io::stderr().is_terminal() {
            return Progress(None);
        }
        let bar = ProgressBar::with_draw_target(games, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template(match games {
            Some(_) => "{bar:30} {pos}/{len} games, {eta} left",
            None => "{spinner} {pos} games, {elapsed}",
        });
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.tick();
        Progress(Some(bar))
    }

    fn take(&self, came: &GameEnd) {
        let GameEnd::Over(rows) = came else { return };
        let seats: Vec<String> = rows.iter().map(|row| format!("{} {}", row.bot.name, row.score)).collect();
        let line = format!(
            "{}: {} ({}, {} turns)",
            rows.game(),
            seats.join(", "),
            rows.shared().end,
            rows.shared().turns
        );
        match &self.0 {
            Some(bar) => {
                bar.println(line);
                bar.inc(1);
            }
            None => note(line),
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
