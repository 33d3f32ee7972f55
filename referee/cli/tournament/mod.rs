//! `referee tournament`: commands that plan a tournament from one file, and play it.

mod progress;
mod rule;
pub(crate) mod run;
pub(super) mod status;
pub(super) mod tables;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use referee_contest::admission::sources;
use referee_contest::batch::ranges::Missing;
use referee_contest::bot::NewBot;
use referee_contest::exam::ExamAccount;
use referee_contest::file::{self, EntrantLine, ProgramLine, Tournament};
use referee_contest::plan::{self, Next, Plan};
use referee_record::error::{Error, ErrorKind};
use referee_record::text::count;
use referee_sandbox::Interpreters;
use referee_statistics::outlook::two_digits;
use referee_statistics::stop_rule::Until;

use crate::addition::Event;
use crate::context::Context;
use crate::host::InterpreterOptions;
use crate::verbs::{Fairness, Repair, Standings, Status};
use crate::{bot, say, shell};

/// Tournaments from one file: plan, play
///
/// A plan is made once. Any number of runners play its batches, on any machine that has the folder, and results.csv
/// lists the games in the order of the schedule. On one machine: `referee tournament plan FILE --dir T`, then `referee
/// tournament run T`.
#[derive(Debug, Subcommand)]
#[command(after_help = crate::run::STATUS)]
pub(super) enum TournamentCommand {
    /// Plan a tournament: its schedule, and its bots by their SHA-256. It never overwrites another plan
    #[command(after_long_help = format!("The file:\n\n{}\n{}", file::example(), referee_statistics::schedule::format::schema()))]
    Plan(PlanArgs),
    /// Play the remaining games of a plan, or of one shard of it
    #[command(after_help = crate::run::STATUS)]
    Run(crate::run::Run),
    /// Show which games are done and which are missing
    Status(Status),
    /// Make results.csv and voids.csv again from what the runners have recorded. What was there is kept beside them
    Repair(Repair),
    Rule(rule::Rule),
    /// Show the standings, over all sub-tournaments and of each
    Standings(Standings),
    /// Show the matches of a cup by name, and the bracket of a knockout
    Matches(tables::Matches),
    /// Test whether all bots had the same chances
    Fairness(Fairness),
}

#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    /// The tournament's file; --help shows all settings
    #[arg(required_unless_present = "round")]
    file: Option<PathBuf>,
    /// The tournament's folder
    #[arg(long, value_name = "T")]
    dir: PathBuf,
    /// Plan this round from the results of the round before, for formats in which results decide the pairings
    #[arg(long, value_name = "R", conflicts_with = "file", value_parser = crate::number::whole::<u32>(2..=u32::MAX.into()))]
    round: Option<u32>,
    #[command(flatten)]
    interpreters: InterpreterOptions,
}

impl TournamentCommand {
    pub(super) fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            TournamentCommand::Plan(plan) => plan.run(context),
            TournamentCommand::Run(run) => run.run(context),
            TournamentCommand::Status(status) => status.run(),
            TournamentCommand::Repair(repair) => repair.run(context),
            TournamentCommand::Rule(rule) => rule.run(),
            TournamentCommand::Standings(standings) => standings.run(),
            TournamentCommand::Matches(matches) => matches.run(),
            TournamentCommand::Fairness(fairness) => fairness.run(),
        }
    }
}

impl PlanArgs {
    fn run(self, context: &Context) -> anyhow::Result<()> {
        let plan = match (self.file, self.round) {
            (Some(file), _) => {
                let plan = first(context, &file, &self.dir, &self.interpreters)?;
                if plan.contents.host.signed {
                    context.tell(&plan.root, Event::Made)?;
                }
                plan
            }
            (None, round) => match next_round(&self.dir, round.unwrap_or(2))? {
                Next::Round(plan) => *plan,
                Next::Over(_) => {
                    say("The tournament is over: there is no further round.");
                    return Ok(());
                }
            },
        };
        let plan::Contents { name, games, batches, .. } = &plan.contents;
        say(format!(
            "{name}, round {}: {} in {}, {}, {}; plan {}",
            plan.contents.round,
            count((*games).into(), "game"),
            count((*batches).into(), "batch"),
            count(plan.entrants.len() as u64, "bot"),
            count(plan.sets.len() as u64, "sub-tournament"),
            plan.id.short()
        ));
        if let Some(rule) = until_clear(&plan) {
            say(rule);
            if !plan.contents.format.is_exam() {
                say(rounds_for_joint_winners(&plan));
            }
        }
        say(format!("Play it: referee tournament run {}", shell(&self.dir)));
        Ok(())
    }
}

/// Returns the line about the rule that stops a tournament, if there is one.
fn until_clear(plan: &Plan) -> Option<String> {
    let plan::Contents { format, stop, .. } = &plan.contents;
    let (stop, max) = (stop.as_ref()?, format.rounds_max()?);
    if format.is_exam() {
        return Some(format!(
            "a student plays until it is sure which bots of the panel it is above, at most {}; alpha {} for all together",
            count(max.into(), "round"),
            stop.alpha
        ));
    }
    let rule = stop.rule(1, format);
    let first = stop.end_of_stage(0, max);
    let shared = if plan.sets.len() > 1 { "; the sub-tournaments share alpha" } else { "" };
    let (until, leaves) = match rule.until {
        Until::Winner => ("until clear: ", "bots that cannot be first"),
        Until::Ranked => ("", "bots of which no pair is undecided"),
    };
    let racing = if stop.racing { format!("; {leaves} leave the race") } else { String::new() };
    Some(format!(
        "{until}{rule}{shared}; results are checked after round {first}, then every {} rounds or more{racing}",
        stop.look_every
    ))
}

/// Says how far an exam is.
pub(crate) fn exam_so_far(account: &ExamAccount) -> String {
    let games: u64 = account.students.iter().map(|student| u64::from(student.games)).sum();
    format!(
        "{} of {} decided after {} in {}",
        account.decided(),
        count(account.students.len() as u64, "bot"),
        count(games, "game"),
        count(account.rounds.into(), "round")
    )
}

/// Returns a line with the minimum number of rounds for joint winners, for typical standard deviations of a round.
fn rounds_for_joint_winners(plan: &Plan) -> String {
    let plan::Contents { format, stop, .. } = &plan.contents;
    let max = format.rounds_max().unwrap_or(u32::MAX);
    let rule = stop.unwrap_or_default().rule(plan.sets.len(), format);
    let needs = DEVIATIONS.map(|deviation| match rule.joint_rounds(plan.entrants.len(), deviation) {
        Some(rounds) => format!("about {} at {deviation}", two_digits(rounds.ceil() as u64)),
        None => format!("no number is enough at {deviation}"),
    });
    let what = if rule.until == Until::Ranked { "a shared place" } else { "joint winners" };
    format!(
        "  minimum number of rounds for {what}, by the standard deviation of the difference of two bots in a \
         round: {} (the maximum is {max})",
        needs.join(", ")
    )
}

/// Typical standard deviations: from good bots of football to games that are won or lost.
const DEVIATIONS: [f64; 3] = [0.05, 0.15, 0.5];

/// Makes the plan of the first round.
fn first(
    context: &Context,
    file: &Path,
    dir: &Path,
    interpreters: &InterpreterOptions,
) -> anyhow::Result<Plan> {
    let mut tournament = file::read(file).map_err(super::usage)?;
    if tournament.settings.contest.host.signed && !context.signs_records() {
        let what = "signed = true, but this program was built without the part `proof`, so it signs nothing: leave it \
                    out, or plan with the whole program";
        return Err(Error::file(file, what).into());
    }
    let all = &mut tournament.settings.contest.host.interpreters;
    all.extend(interpreters.listed()?);
    let bots = programs(context, file, &tournament, &tournament.entrants)?;
    Ok(plan::first(dir, &tournament, &bots, super::play::random_seed()?)?)
}

/// Finds the programs of these entrants.
pub(crate) fn programs(
    context: &Context,
    file: &Path,
    tournament: &Tournament,
    entrants: &[EntrantLine],
) -> anyhow::Result<Vec<NewBot>> {
    let interpreters = InterpreterOptions::default().and(&tournament.settings.contest.host.interpreters)?;
    entrants.iter().map(|line| find(context, file, tournament, &interpreters, line)).collect()
}

fn next_round(dir: &Path, round: u32) -> anyhow::Result<Next> {
    let before = plan::open_round(dir, round - 1)?;
    Ok(plan::following(&before)?)
}

/// Finds the program of an entrant.
fn find(
    context: &Context,
    file: &Path,
    tournament: &Tournament,
    interpreters: &Interpreters,
    line: &EntrantLine,
) -> anyhow::Result<NewBot> {
    let found = match &line.program {
        ProgramLine::House(name) => bot::house(context, tournament.entry, name),
        ProgramLine::File(path) => interpreters
            .check(path)
            .and_then(|()| bot::file(path))
            .map_err(|why| anyhow::anyhow!("{}: {why}{}", path.display(), source_remedy(path))),
    };
    let bot = found.map_err(|error| {
        let place = if line.line == 0 { String::new() } else { format!(", line {}", line.line) };
        Error::input(format!("{}{place}: {error}", file.display()))
    })?;
    Ok(NewBot {
        name: line.name.clone(),
        file: bot.file,
        arguments: bot.arguments.into_iter().chain(line.arguments.iter().cloned()).collect(),
        allow_fork: line.allow_fork,
        source: bot.source,
        author: line.author.clone(),
        built: None,
    })
}

/// Returns what helps if the program of an entrant is a source; empty if it is none.
fn source_remedy(path: &Path) -> &'static str {
    if sources::is_source_alone(path) {
        "; it is a source, which hills, check, play and rerun build, and a tournament does not: build it first, and name \
         the program that comes out"
    } else {
        ""
    }
}

/// Returns the error that batches are missing, or that the results do not list all games.
fn missing(plan: &Plan, missing: &Missing) -> anyhow::Error {
    let (missing_count, all) = (missing.count(), plan.contents.batches);
    let are = if missing_count == 1 { "is" } else { "are" };
    let dir = shell(&plan.root);
    if missing_count == 0 {
        let what = format!(
            "all games have ended, but results.csv does not list them all: `referee tournament repair {dir}` makes it \
             again"
        );
        return Error::new(ErrorKind::Incomplete, what).into();
    }
    Error::new(
        ErrorKind::Incomplete,
        format!(
            "{missing_count} of {} {are} missing: {missing}. To play them: referee tournament run {dir}",
            count(all.into(), "batch")
        ),
    )
    .into()
}

/// Turns an error of the system into one of the kind `TryAgain`, since another machine may succeed. The engine of a
/// cluster decides by the exit status whether to try again.
fn runner_error(error: Error) -> Error {
    match error.kind() {
        ErrorKind::System => Error::because(ErrorKind::TryAgain, error),
        _ => error,
    }
}
