//! Plays rounds on a hill, with progress for people.

use std::io::{self, IsTerminal};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use referee::error::{Error, ErrorKind};
use referee::record::results::ResultRow;
use referee::record::voids;
use referee::statistics::stop_rule::StopRule;
use referee::table::process::Setup;
use referee::tournament::batch::Came;
use referee::tournament::folder::Folder;
use referee::tournament::hill::Hill;
use referee::tournament::run;
use referee::tournament::verdicts;

use super::{note, shell};

/// Until when it is played.
#[derive(Clone, Copy, Debug)]
pub(super) enum Until {
    /// So many rounds more, an unfinished one being the first.
    More(u32),
    /// Up to and with this round of the season.
    Round(u32),
}

/// Plays rounds on a hill. Returns the season's number.
pub(super) fn play_rounds(hill: &Hill, until: Until, jobs: usize, setup: &Setup) -> anyhow::Result<u32> {
    let run = hill.begin_run(setup)?;
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
    let played = run::run(run.folder(), fixtures, setup, jobs, |_, came| {
        if let Came::Over(rows) = came {
            progress.game(&rows);
        }
    });
    progress.finish();
    tell_of_voids(run.folder(), voids_before)?;
    let again = || format!("referee hill run {} --to-round {last} --jobs {jobs}", shell(hill.root()));
    played.map_err(|error| how_to_go_on(error, again))?;
    Ok(run.season())
}

/// Plays rounds until a season is over by this rule. Returns the season's number.
pub(super) fn play_until_clear(
    hill: &Hill,
    rule: StopRule,
    jobs: usize,
    setup: &Setup,
) -> anyhow::Result<u32> {
    let run = hill.begin_run(setup)?;
    run.notices.iter().for_each(note);
    let seasons = hill.seasons()?;
    let season =
        seasons.iter().find(|season| season.number == run.season()).context("a season of this run")?;
    note(format!("season {}, until clear: {rule}; {jobs} games at a time", season.number));
    let mut watch = verdicts::watch(hill, season, rule)?;
    let progress = Progress::new(None);
    let voids_before = run.folder().voids()?.len();
    let mut played = Ok(());
    let mut rounds = run.first_open_round()..;
    // One round at a time: what is played must not depend on the number of jobs.
    while watch.verdict().is_none() && played.is_ok() {
        let fixtures = run.fixtures_of(rounds.next().expect("rounds have no end"));
        played = run::run(run.folder(), fixtures, setup, jobs, |fixture, came| match came {
            Came::Over(rows) => {
                progress.game(&rows);
                watch.add(rows);
            }
            Came::Void(_) => {
                let counts = fixture.entrants.iter().filter(|(seat, _)| !fixture.fillers.contains(seat));
                let bots = counts.map(|(_, bot)| bot.name.clone()).collect();
                watch.leave_out(fixture.scheduled.expect("a game of a hill has a place"), bots);
            }
        });
    }
    progress.finish();
    tell_of_voids(run.folder(), voids_before)?;
    let again = || {
        let StopRule { alpha, epsilon, min_rounds, max_rounds } = rule;
        format!(
            "referee hill run {} --until-clear --alpha {alpha} --epsilon {epsilon} --min-rounds {min_rounds} --max-rounds {max_rounds} --jobs {jobs}",
            shell(hill.root())
        )
    };
    played.map_err(|error| how_to_go_on(error, again))?;
    let verdict = watch.verdict().expect("played until there was one");
    verdicts::add(hill.root(), verdict)?;
    note(verdict);
    Ok(season.number)
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

    fn game(&self, rows: &[ResultRow]) {
        let seats: Vec<String> = rows.iter().map(|row| format!("{} {}", row.bot.name, row.score)).collect();
        let line =
            format!("{}: {} ({}, {} turns)", rows[0].game, seats.join(", "), rows[0].end, rows[0].turns);
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
