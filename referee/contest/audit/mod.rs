//! The audit of a tournament: compares its folder with its plan. The plan gives the schedule, the schedule gives the
//! games of the list, in their order; logs and records give their rows, and the results give the plan of the next
//! round.
//!
//! A difference is an error that names the place. Missing parts are counted.

pub mod bots;
pub mod builds;
mod listed;
pub(crate) mod walk;

use std::path::Path;

use self::listed::Listed;
use self::walk::Walk as _;
use crate::admission::shelf;
use crate::batch::list::is_listed;
use crate::batch::ranges::Missing;
use crate::folder::{results_of, voids_of};
use crate::plan::{self, Contents, NextStep, Plan};
use crate::rulings::Unruled;
use crate::{rulings, verdicts};
use referee_files::beneath::Spot;
use referee_files::walk::folders;
use referee_files::{audit, work};
use referee_record::error::Error;

/// The result of an audit of a tournament without differences from its plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audited {
    /// Rounds that are planned.
    pub rounds: u32,
    /// Games that are planned, in all these rounds.
    pub planned: u64,
    /// Games that were played, and whose rows and logs agree.
    pub played: u64,
    /// Played games whose rules were another program when they were played.
    pub by_other_rules: usize,
    /// Void games, each with the reason.
    pub voids: Vec<(String, String)>,
    /// Batches whose games have not all ended, by round: the round, the batches, and their number of games.
    pub missing: Vec<(u32, Missing, u64)>,
    /// Other parts that are missing, each in a few words.
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

/// Tells whether a folder is that of a tournament, even if its plan is gone. To be asked about folders that are no
/// hills, since some of these names are in hills, too.
pub fn is_tournament(root: &Path) -> bool {
    ["plan.toml", "plan.lock", "rounds", "records", "proof"].iter().any(|name| root.join(name).exists())
}

/// Audits a tournament, `jobs` logs at a time.
///
/// # Errors
///
/// Names the first difference from the plan: in the plans, programs, results, logs, records, rulings or
/// verdicts.
pub fn audit(root: &Path, jobs: usize) -> Result<Audited, Error> {
    let rounds = rounds_of(root)?;
    let first = open(root, 1, None)?;
    check_programs(&first)?;
    work::announce_games(first.contents.games.into());
    let mut listed = Listed::begin(first, rounds)?;
    let mut audited = Audited { rounds, ..Audited::default() };
    let results = results_of(root);
    if results.exists() {
        let counts = audit::audit_listed(&results, jobs, |game| listed.take(game))?;
        audited.played = counts.games as u64;
        audited.by_other_rules = counts.by_other_rules;
    }
    let last = listed.end(&mut audited)?;
    audit::check_voids(voids_of(root))?;
    rulings::audit(&last).map_err(|error| missing_if_not_found(root, error))?;
    conclude(&last, &mut audited).map_err(|error| missing_if_not_found(root, error))?;
    Ok(audited)
}

/// Opens the plan of a round, and makes sure that it is the right one.
fn open(root: &Path, round: u32, before: Option<&Plan>) -> Result<Plan, Error> {
    let plan = plan::open_round(root, round).map_err(|error| missing_if_not_found(root, error))?;
    check_plan(&plan, before).map_err(|error| missing_if_not_found(root, error))?;
    Ok(plan)
}

/// Returns the number of planned rounds. A gap before a later round is an error: its plan was removed.
fn rounds_of(root: &Path) -> Result<u32, Error> {
    let is_planned =
        |round: &u32| Spot::within(root, plan::folder_of(root, *round).join("plan.toml")).exists();
    let rounds = (1..).take_while(is_planned).count() as u32;
    for folder in folders(&Spot::below(root, "rounds"))? {
        let number = folder.file_name().and_then(|name| name.to_str()?.parse().ok());
        let is_known = number.is_some_and(|number: u32| number <= rounds && number > 1);
        // The folder of a round that is being planned is there before its plan.
        let is_begun = number == Some(rounds + 1) && !Spot::within(root, folder.join("records")).exists();
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
    let expected = match before {
        None => plan::first_contents(plan)?,
        Some(before) => match plan::step_after(before)? {
            NextStep::Round(contents) => *contents,
            NextStep::Over(..) => {
                let what = "the tournament was over after the previous round";
                return Err(Error::file(&path, what));
            }
        },
    };
    let Some(key) = difference(&plan.contents, &expected) else { return Ok(()) };
    let what = format!("{key} does not follow from the seed, the format, the entrants and earlier rounds");
    Err(Error::file(&path, what))
}

/// Names the first key in which two plans differ.
fn difference(found: &Contents, expected: &Contents) -> Option<String> {
    let table = |contents: &Contents| toml::Table::try_from(contents).expect("a plan of plain values");
    let (found, expected) = (table(found), table(expected));
    let mut keys = found.keys().chain(expected.keys());
    keys.find(|key| found.get(*key) != expected.get(*key)).cloned()
}

/// Makes sure that the bots are in the store, as they were planned. The referee of the plan can be missing, since an
/// audit does not need it; if it is there, it is unchanged.
fn check_programs(plan: &Plan) -> Result<(), Error> {
    let bots = plan.contents.entrant.iter().map(|bot| bot.digest.as_str());
    let build = plan.contents.build.as_str();
    for digest in bots.chain([build]) {
        if !shelf::is_stored(&plan.root, digest)? && digest != build {
            let file = shelf::stored(&plan.root, digest);
            return Err(Error::file(&file, "a program of the plan is missing"));
        }
    }
    Ok(())
}

/// Finds the steps that are left to do, and compares the recorded verdicts with the results.
fn conclude(last: &Plan, audited: &mut Audited) -> Result<(), Error> {
    let path = verdicts::file_of(&last.root);
    let rows = verdicts::read(&last.root)?;
    let round = last.contents.round;
    if !is_listed(last) {
        if !rows.is_empty() {
            let what = format!("{} says how the tournament ended, but parts are missing", path.display());
            audited.open.push(what);
        }
        return Ok(());
    }
    let expected = match plan::step_after(last) {
        Ok(NextStep::Over(_, expected)) => expected,
        Ok(NextStep::Round(..)) => {
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
    if rows.is_empty() && !expected.is_empty() {
        audited.open.push(format!("{}: missing; it says how the tournament ended", path.display()));
    } else if rows != expected {
        let line = rows.iter().zip(&expected).take_while(|(row, expected)| row == expected).count();
        let what = expected.get(line).map_or("no such verdict".to_owned(), ToString::to_string);
        return Err(Error::line(&path, line as u64 + 2, format!("the results give: {what}")));
    }
    Ok(())
}

/// Turns an error of the system that a file is not there into the finding that it is missing.
fn missing_if_not_found(root: &Path, error: Error) -> Error {
    match error.place() {
        Some((path, _)) if error.is_not_found() => Error::file(path, "missing"),
        Some(_) => error,
        None => error.at(root),
    }
}
