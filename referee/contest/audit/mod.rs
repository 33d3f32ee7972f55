//! The audit of a tournament: compares its folder with its plan. The plan gives the schedule, the schedule gives the
//! games of every batch, logs give their rows, and the results give the plan of the next round.
//!
//! A difference is an error that names the place. Missing parts are counted.

pub mod bots;
pub mod builds;
mod merged;
mod recorded;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use self::merged::{Merged, Partial, Round};
use crate::admission::entrants;
use crate::batch::ranges::Missing;
use crate::batch::recorded::Recorded;
use crate::batch::results::named;
use crate::batch::{self, results};
use crate::fixture::{self, game_id};
use crate::merge::{is_merged, merged_of};
use crate::plan::schedule_file::Game;
use crate::plan::{self, Contents, Due, Plan};
use crate::rulings::Unruled;
use crate::runner::GameEnd;
use crate::runner::tries::bots_of;
use crate::{rulings, verdicts};
use referee_files::beneath::Spot;
use referee_files::walk::{self, Entry};
use referee_files::work;
use referee_files::{audit, digest, voids};
use referee_record::error::Error;
use referee_record::results::{NumberedRow, ResultRow};
use referee_record::voids::VoidRow;
use referee_sandbox::{Choice, Tier};

/// The result of an audit of a tournament without differences from its plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audited {
    /// Rounds that are planned.
    pub rounds: u32,
    /// Games that are planned, in all these rounds.
    pub planned: u64,
    /// Games that were played, and whose rows and logs agree.
    pub played: u64,
    /// Those of them whose rules were another program when they were played.
    pub by_other_rules: usize,
    /// Void games, each with the reason.
    pub voids: Vec<(String, String)>,
    /// Batches without results, by round: the round, the batches, and their number of games.
    pub missing: Vec<(u32, Missing, u64)>,
    /// Other missing parts, in a few words each.
    pub open: Vec<String>,
}

impl Audited {
    /// Returns the number of games that are missing.
    pub fn games_missing(&self) -> u64 {
        self.missing.iter().map(|(_, _, games)| games).sum()
    }

    /// Tells whether everything planned is there, and no further round follows.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.open.is_empty()
    }
}

/// Tells whether a folder is a tournament's, even without its plan.
pub fn is_tournament(root: &Path) -> bool {
    ["plan.toml", "schedule.idx", "schedule.txt", "merged.csv", "rounds", "results"]
        .iter()
        .any(|name| root.join(name).exists())
}

/// Audits a tournament, `jobs` logs at a time.
///
/// # Errors
///
/// Names the first difference from the plan: in the plans, schedules, programs, results, logs, records, merged files,
/// rulings or verdicts.
pub fn audit(root: &Path, jobs: usize) -> Result<Audited, Error> {
    let mut audited = Audited::default();
    let mut before: Option<Plan> = None;
    let mut made: Option<Made> = None;
    let mut attempts = Attempts::default();
    let rounds = rounds_of(root)?;
    for round in 1..=rounds {
        let plan = plan::open_round(root, round).map_err(|error| plain(root, error))?;
        check_plan(&plan, before.as_ref()).map_err(|error| plain(root, error))?;
        // Before rows are compared with what the programs are. All rounds have the same ones.
        if before.is_none() {
            check_programs(&plan)?;
        }
        let made = match &mut made {
            Some(made) => made,
            none => none.insert(Made { merged: Merged::open(&plan)?, partial: Partial::open(&plan)? }),
        };
        let is_whole = batch::missing(&plan).0.is_empty();
        let round = Round { is_whole, is_first: round == 1, is_last: round == rounds };
        audit_round(&plan, round, jobs, made, (&mut audited, &mut attempts))?;
        before = Some(plan);
    }
    made.map_or(Ok(()), Made::end)?;
    let last = before.expect("a first round, or it could not be opened");
    if audited.missing.is_empty() && is_merged(&last) {
        check_voids(&last, &attempts.rows)?;
    }
    rulings::audit(&last).map_err(|error| plain(root, error))?;
    conclude(&last, &mut audited).map_err(|error| plain(root, error))?;
    Ok(audited)
}

/// Returns the number of planned rounds. A gap before a later round is an error: its plan was removed.
fn rounds_of(root: &Path) -> Result<u32, Error> {
    let is_planned =
        |round: &u32| Spot::within(root, plan::folder_of(root, *round).join("plan.toml")).exists();
    let rounds = (1..).take_while(is_planned).count() as u32;
    for folder in walk::folders(&Spot::below(root, "rounds"))? {
        let number = folder.file_name().and_then(|name| name.to_str()?.parse().ok());
        let is_known = number.is_some_and(|number: u32| number <= rounds && number > 1);
        // The folder of a round that is being planned is there before its plan.
        let is_begun = number == Some(rounds + 1) && !batch::results_of(&folder, 0).exists();
        if !is_known && !is_begun {
            let what = "the plan of this round, or of one before it, is missing";
            return Err(Error::file(&folder, what));
        }
    }
    Ok(rounds.max(1))
}

/// Makes sure that a plan is the right one: the first follows from its own settings, any other from the games before.
fn check_plan(plan: &Plan, before: Option<&Plan>) -> Result<(), Error> {
    let path = plan.folder.join("plan.toml");
    let (due, schedule) = match before {
        None => plan::due_first(plan)?,
        Some(before) => match plan::due_after(before)? {
            Due::Round(contents, schedule) => (*contents, schedule),
            Due::Over(..) => {
                let what = "the tournament was over after the previous round";
                return Err(Error::file(&path, what));
            }
        },
    };
    if let Some(key) = difference(&plan.contents, &due) {
        let what =
            format!("{key} does not follow from the seed, the format, the entrants and earlier rounds");
        return Err(Error::file(&path, what));
    }
    schedule.check(&plan.folder, &plan.id)
}

/// Names the first key in which two plans differ.
fn difference(found: &Contents, due: &Contents) -> Option<String> {
    let table = |contents: &Contents| toml::Table::try_from(contents).expect("a plan of plain values");
    let (found, due) = (table(found), table(due));
    let mut keys = found.keys().chain(due.keys());
    keys.find(|key| found.get(*key) != due.get(*key)).cloned()
}

/// Makes sure that the bots are in the store, as they were planned. The referee of the plan can be missing, since an
/// audit does not need it; if it is there, it is unchanged.
fn check_programs(plan: &Plan) -> Result<(), Error> {
    let bots = plan.contents.entrant.iter().map(|bot| &*bot.digest);
    let build = plan.contents.build.as_str();
    for digest in bots.chain([build]) {
        let file = entrants::stored(&plan.root, digest);
        if digest == build && !Spot::within(&plan.root, &file).exists() {
            continue;
        }
        let found = digest::of_file(Spot::within(&plan.root, &file)).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Error::file(&file, "a program of the plan is missing"),
            _ => Error::system(&file, "read a program of the plan")(error),
        })?;
        if found.as_str() != digest {
            return Err(Error::file(&file, format!("the program was changed: its SHA-256 is {found}")));
        }
    }
    Ok(())
}

/// The merged results of some rounds.
struct Made {
    merged: Merged,
    partial: Partial,
}

impl Made {
    /// Makes sure that the files end with the last game of the batches.
    fn end(self) -> Result<(), Error> {
        self.merged.end()?;
        self.partial.end()
    }
}

/// Attempts at games that do not count.
#[derive(Default)]
struct Attempts {
    /// Their rows, of all rounds so far.
    rows: Vec<VoidRow>,
    /// The games of this round that were given up, each with the reason.
    given_up: Vec<(String, String)>,
}

/// Audits the batches of a round, with their logs and records, and its merged results.
fn audit_round(
    plan: &Plan,
    of_round: Round,
    jobs: usize,
    Made { merged, partial }: &mut Made,
    (audited, attempts): (&mut Audited, &mut Attempts),
) -> Result<(), Error> {
    no_other_batches(plan)?;
    if let Some(merged) = merged.begin(of_round) {
        let what = "all batches were there when it was written: the missing ones were removed since";
        audited.open.push(format!("{}: {what}", merged.display()));
    }
    let mut recorded = Recorded::at_rest(plan)?;
    work::games_open(plan.contents.games.into());
    let batches = (0..plan.index.batches.len()).map(|batch| games_of(plan, batch, attempts, &mut recorded));
    // An error of a batch counts for all its games.
    let games = batches.flat_map(|games| match games {
        Ok(games) => games.into_iter().map(Ok).collect::<Vec<_>>(),
        Err(error) => vec![Err(error)],
    });
    let counts = audit::audit_entered(&Spot::within(&plan.root, &plan.folder), games, jobs, |game| {
        merged.take(plan, game)?;
        partial.take(plan, game)
    })?;
    if of_round.is_first {
        audit::check_voids(Spot::within(&plan.root, batch::voids::file_of(plan)))?;
    }

    let round = plan.contents.round;
    audited.rounds = round;
    audited.planned += u64::from(plan.contents.games);
    audited.played += counts.games as u64;
    audited.by_other_rules += counts.by_other_rules;
    audited.voids.append(&mut attempts.given_up);
    if of_round.is_whole {
        return Ok(());
    }
    let missing = batch::missing(plan);
    let games = missing.0.iter().cloned().flatten().map(|batch| u64::from(plan.index.batches[batch].games));
    let games = games.sum();
    audited.missing.push((round, missing, games));
    Ok(())
}

type Entered = (PathBuf, Vec<NumberedRow>);

/// Reads the played games of a batch, with the lines of their rows; none if it is not done. Compares it with the
/// records.
fn games_of(
    plan: &Plan,
    batch: usize,
    attempts: &mut Attempts,
    recorded: &mut Recorded,
) -> Result<Vec<Entered>, Error> {
    let Some(done) = results::read(plan, batch).map_err(|error| plain(&plan.root, error))? else {
        return Ok(Vec::new());
    };
    let is_recorded = recorded::check(plan, batch, &done, recorded);
    let path = batch::results_of(&plan.folder, batch);
    let bots = plan.contents.entrant.iter();
    let modules: BTreeSet<&str> =
        bots.filter(|bot| entrants::is_module(&plan.root, &bot.digest)).map(|bot| &*bot.name).collect();
    for (row, game) in done.voids.iter().flat_map(|row| {
        let of_row = done.games.iter().filter(|(game, _)| game_id(game.scheduled) == row.game);
        of_row.map(move |(game, _)| (row, game))
    }) {
        let wrong = |what| Error::file(&path, format!("{}: {what}", row.game));
        voided_as_planned(plan, batch, game, row).map_err(wrong)?;
    }
    // The first line names the batch, the second the columns.
    let mut line = 3;
    let mut entered = Vec::new();
    for (game, came) in done.games {
        match came {
            GameEnd::Void(why) => attempts.given_up.push((game_id(game.scheduled), why)),
            GameEnd::Over(rows) => {
                let rows: Vec<NumberedRow> = (line..).zip(rows).collect();
                line += rows.len() as u64;
                for (line, row) in &rows {
                    let wrong = |what| Error::line(&path, *line, what);
                    confined_as_planned(plan.sandbox, row).map_err(wrong)?;
                    batch::logged_in_try(batch, &row.game, &row.log).map_err(wrong)?;
                    let is_module = modules.contains(&*row.bot.name);
                    fixture::seated_as(is_module, row).map_err(wrong)?;
                }
                entered.push((path.clone(), rows));
            }
        }
    }
    attempts.rows.extend(done.voids.into_iter().map(|row| named(plan, row)));
    // An impossible row says more than a record that differs from it.
    is_recorded?;
    Ok(entered)
}

/// Makes sure that the list of attempts that do not count is that of the batches.
fn check_voids(plan: &Plan, due: &[VoidRow]) -> Result<(), Error> {
    let path = batch::voids::file_of(plan);
    let found = voids::read(Spot::within(&plan.root, &path))?;
    if found == due {
        return Ok(());
    }
    let same = found.iter().zip(due).take_while(|(row, due)| row == due).count();
    let what = "differs from the batches: `referee tournament merge` makes this file again";
    Err(Error::line(&path, same as u64 + 2, what))
}

/// Makes sure that a row's bots were confined as the plan allows.
fn confined_as_planned(planned: Choice, row: &ResultRow) -> Result<(), String> {
    let is_allowed = row.is_guest() || allows(planned, &row.sandbox);
    let wrong = || format!("column sandbox is {}; the plan says {planned}", row.sandbox);
    if is_allowed { Ok(()) } else { Err(wrong()) }
}

/// Makes sure that a void game had the bots of the plan, confined as the plan allows, and that its log is in its place.
fn voided_as_planned(plan: &Plan, batch: usize, game: &Game, row: &VoidRow) -> Result<(), String> {
    let bots = bots_of(&plan.fixture(game, ""));
    if row.bots != bots {
        return Err(format!("column bots is {}; the plan says {bots}", row.bots));
    }
    if !row.sandbox.is_empty() && !allows(plan.sandbox, &row.sandbox) {
        return Err(format!("column sandbox is {}; the plan says {}", row.sandbox, plan.sandbox));
    }
    if row.log.is_empty() { Ok(()) } else { batch::void_logged_in_try(batch, &row.log) }
}

/// Tells whether a plan allows a tier.
fn allows(planned: Choice, tier: &str) -> bool {
    match planned {
        Choice::Only(only) => only.name() == tier,
        Choice::Auto => [Tier::Strict, Tier::Landlock].iter().any(|allowed| allowed.name() == tier),
    }
}

/// Makes sure that there are no results but those of the plan's batches.
fn no_other_batches(plan: &Plan) -> Result<(), Error> {
    walk::each_file(&Spot::within(&plan.root, plan.folder.join("results")), |Entry { path: file, .. }| {
        if file.extension().is_none_or(|ending| ending != "csv") {
            return Ok(());
        }
        let number = file.file_stem().and_then(|name| name.to_str()).and_then(|name| name.parse().ok());
        let is_planned =
            |batch: usize| batch < plan.index.batches.len() && batch::results_of(&plan.folder, batch) == file;
        if !number.is_some_and(is_planned) {
            return Err(Error::file(&file, "the plan has no such batch"));
        }
        Ok(())
    })
}

/// Finds the steps that are left to do, and compares the recorded verdicts with the results.
fn conclude(last: &Plan, audited: &mut Audited) -> Result<(), Error> {
    let path = verdicts::file_of(&last.root);
    let rows = verdicts::read(&last.root)?;
    let round = last.contents.round;
    let is_whole = batch::missing(last).0.is_empty();
    if !is_whole || !is_merged(last) {
        if is_whole {
            audited.open.push(format!("{}: missing; merge round {round}", merged_of(last).display()));
        }
        if !rows.is_empty() {
            audited
                .open
                .push(format!("{} says how the tournament ended, but parts are missing", path.display()));
        }
        return Ok(());
    }
    let due = match plan::due_after(last) {
        Ok(Due::Over(_, due)) => due,
        Ok(Due::Round(..)) => {
            audited.open.push(format!("round {} is not planned yet", round + 1));
            Vec::new()
        }
        Err(error) => match error.cause::<Unruled>() {
            Some(unruled) => {
                audited.open.push(format!("the next pairings are unknown: {unruled}"));
                Vec::new()
            }
            None => return Err(error),
        },
    };
    if rows.is_empty() && !due.is_empty() {
        audited.open.push(format!("{}: missing; it says how the tournament ended", path.display()));
    } else if rows != due {
        let line = rows.iter().zip(&due).take_while(|(row, due)| row == due).count();
        let what = due.get(line).map_or("no such verdict".to_owned(), ToString::to_string);
        return Err(Error::line(&path, line as u64 + 2, format!("the results give: {what}")));
    }
    Ok(())
}

/// Turns a system's error about a missing file into the finding that it is missing.
fn plain(root: &Path, error: Error) -> Error {
    match error.place() {
        Some((path, _)) if error.is_not_found() => Error::file(path, "missing"),
        Some(_) => error,
        None => error.at(root),
    }
}
