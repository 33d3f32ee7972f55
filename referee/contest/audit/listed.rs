//! The audit of a tournament's list: each game must be the next one of the schedule, as the plan says, and as a runner
//! has recorded it.

use std::collections::{BTreeSet, VecDeque};
use std::iter::Enumerate;
use std::path::{Path, PathBuf};

use super::walk::Walk;
use super::{Audited, open};
use crate::admission::entrants;
use crate::batch::list::expected;
use crate::batch::recorded::Recorded;
use crate::batch::{folder_of_try, missing_by, unit_of};
use crate::editions::Editions;
use crate::fixture::{check_log_path, check_sandbox, check_void, game_id};
use crate::folder::{results_of, voids_of};
use crate::plan::Plan;
use crate::plan::schedule::Batches;
use crate::played::check_row;
use crate::records::{self, Ended};
use crate::runner::GameEnd;
use referee_files::{audit, voids, work};
use referee_record::error::Error;
use referee_record::results::{NumberedRow, ResultRow};
use referee_record::text::count;
use referee_record::voids::{VoidReason, VoidRow};
use referee_sandbox::{Choice, Tier};
use referee_statistics::schedule::deal::Pairing;
use referee_store::ContestState;

/// A game of the schedule, with its batch.
type BatchGame = (usize, Pairing);

/// The list of a tournament (`results.csv` and `voids.csv`), as far as it was compared.
pub(super) struct Listed {
    results: PathBuf,
    editions: Editions,
    /// The number of planned rounds.
    rounds: u32,
    /// The plan of the round of the next game.
    plan: Plan,
    /// The records of this round, as last read.
    recorded: Recorded,
    /// The next games of the schedule.
    upcoming: VecDeque<BatchGame>,
    /// The batches after these games.
    batches: Enumerate<Batches>,
    /// The claims that were read last; `None` if they must be read again.
    claims: Option<BatchClaims>,
    /// The bots that are modules of WebAssembly.
    modules: BTreeSet<String>,
    /// The rows of `voids.csv`: attempts that do not count, and games that were given up.
    void_rows: Vec<VoidRow>,
    /// The games that were given up according to these rows.
    given_up: BTreeSet<String>,
    /// The rows that `voids.csv` must have.
    void_rows_due: Vec<VoidRow>,
    /// Number of games of the rounds so far.
    planned: u64,
    /// Number of games that could not be compared yet: a runner that lives may still be recording their end.
    uncompared: u64,
    /// The games so far that were given up, each with the reason.
    given_up_games: Vec<(String, String)>,
}

/// The runners that have claimed a batch, in the order of their claims.
struct BatchClaims {
    batch: usize,
    runners: Vec<String>,
}

impl Walk for Listed {
    type Game = BatchGame;

    const REMEDY: &'static str = "`referee tournament repair` makes the file again from the records";

    fn results(&self) -> &Path {
        &self.results
    }

    fn find(&mut self, (line, row): &NumberedRow) -> Result<BatchGame, Error> {
        loop {
            let Some(batch_game) = self.next_game()? else {
                let what = format!("{} is behind the last game of the schedule", row.game);
                return Err(Error::line(&self.results, *line, what));
            };
            let name = game_id(batch_game.1.scheduled);
            if name == row.game {
                return Ok(batch_game);
            }
            if !self.given_up.contains(&name) {
                // It may have been given up since.
                self.read_voids()?;
            }
            if !self.given_up.contains(&name) {
                return Err(Error::line(&self.results, *line, expected(&name)));
            }
            self.take_given_up(&batch_game)?;
        }
    }

    fn check_row(&self, (batch, game): &BatchGame, row: &ResultRow) -> Result<(), String> {
        check_row(&self.plan, game, row)?;
        self.editions.check_row(row)?;
        // A guest runs in no tier; `check_sandbox` sees to it that it is a module.
        if !row.is_guest() {
            self.check_tier(&row.sandbox)?;
        }
        check_log_path(&folder_of_try(self.plan.contents.round, *batch, &row.log), &row.game, &row.log)?;
        check_sandbox(self.modules.contains(&row.bot.name), row)
    }

    /// Returns the recorded end of a game. Its runners must have claimed its batch. `None` if the end is the last
    /// record of a runner that lives: nobody else can tell yet whether it counts. Then the rows of earlier attempts
    /// are already taken.
    fn end_of(&mut self, batch_game @ (batch, game): &BatchGame) -> Result<Option<Ended>, Error> {
        let name = game_id(game.scheduled);
        if let Ok(Some(ended)) = self.look_up(*batch, &name) {
            return Ok(Some(ended));
        }
        // A runner may have ended the game, or claimed its batch, after the records were read.
        (self.recorded, self.claims) = (Recorded::with_gone(&self.plan)?, None);
        let found = self.look_up(*batch, &name)?;
        if found.is_some() {
            return Ok(found);
        }
        if self.recorded.is_being_recorded(&name)? {
            self.uncompared += 1;
            let rows = self.recorded.reader.voids_of(&self.recorded.state, &name)?;
            return self.take_voids(batch_game, rows).map(|()| None);
        }
        let folder = records::folder_of(&self.plan);
        if self.recorded.state.runners().next().is_none() {
            return Err(records::defect(folder, "missing; it has the records of the games that were played"));
        }
        let what = format!(
            "no record of the end of {name} is left: put the folder back from a backup, and keep {}",
            self.results.display()
        );
        Err(records::defect(folder, &what))
    }

    /// Checks rows of a game that `voids.csv` must have next.
    fn take_voids(&mut self, (batch, game): &BatchGame, rows: Vec<VoidRow>) -> Result<(), Error> {
        let bots = || game.entrants.iter().map(|(_, bot)| &self.plan.entrants[*bot].name);
        for row in &rows {
            let folder = folder_of_try(self.plan.contents.round, *batch, &row.log);
            let checked = check_void(row, bots(), &folder);
            let checked = checked.and_then(|()| match &*row.sandbox {
                "" => Ok(()), // it was lost, or is the row of a game that was given up
                tier => self.check_tier(tier),
            });
            checked.map_err(|what| {
                Error::file(voids_of(&self.plan.root).path(), format!("{}: {what}", row.game))
            })?;
        }
        self.void_rows_due.extend(rows);
        Ok(())
    }
}

impl Listed {
    /// Begins before the first game of the first round.
    pub(super) fn begin(plan: Plan, rounds: u32) -> Result<Listed, Error> {
        let bots = plan.contents.entrant.iter();
        let modules = bots.filter(|bot| entrants::is_module(&plan.root, bot.digest.as_str()));
        let mut listed = Listed {
            results: results_of(&plan.root).path().to_owned(),
            editions: Editions::read(&plan.root)?,
            rounds,
            recorded: Recorded::with_gone(&plan)?,
            upcoming: VecDeque::new(),
            batches: plan.batches().enumerate(),
            claims: None,
            modules: modules.map(|bot| bot.name.clone()).collect(),
            void_rows: Vec::new(),
            given_up: BTreeSet::new(),
            void_rows_due: Vec::new(),
            planned: plan.contents.games.into(),
            uncompared: 0,
            given_up_games: Vec::new(),
            plan,
        };
        listed.read_voids()?;
        Ok(listed)
    }

    /// Reads `voids.csv` again.
    fn read_voids(&mut self) -> Result<(), Error> {
        self.void_rows = voids::read(voids_of(&self.plan.root))?;
        let given_up = self.void_rows.iter().filter(|row| row.reason == VoidReason::GivenUp);
        self.given_up = given_up.map(|row| row.game.clone()).collect();
        Ok(())
    }

    /// Returns the next game of the schedule, with its batch.
    fn next_game(&mut self) -> Result<Option<BatchGame>, Error> {
        while self.upcoming.is_empty() {
            if let Some((batch, games)) = self.batches.next() {
                self.upcoming.extend(games.into_iter().map(|game| (batch, game)));
            } else if self.plan.contents.round < self.rounds {
                let next = open(&self.plan.root, self.plan.contents.round + 1, Some(&self.plan))?;
                // The caller has announced those of the first round.
                work::announce_games(next.contents.games.into());
                self.planned += u64::from(next.contents.games);
                self.recorded = Recorded::with_gone(&next)?;
                (self.batches, self.claims) = (next.batches().enumerate(), None);
                self.plan = next;
            } else {
                return Ok(None);
            }
        }
        Ok(self.upcoming.pop_front())
    }

    /// Takes a game that was given up according to `voids.csv`. The records must say so, too.
    fn take_given_up(&mut self, batch_game: &BatchGame) -> Result<(), Error> {
        let name = game_id(batch_game.1.scheduled);
        let (rows, end) = match self.end_of(batch_game)? {
            Some(Ended { voids, end }) => (voids, end),
            // The record of the giving up does not count yet: of this row alone, the file is believed.
            None => {
                let row =
                    self.void_rows.iter().find(|row| row.game == name && row.reason == VoidReason::GivenUp);
                let why = row.map(|row| row.detail.clone()).unwrap_or_default();
                (row.cloned().into_iter().collect(), GameEnd::Void(why))
            }
        };
        let GameEnd::Void(why) = end else {
            let what = format!(
                "{name} was played by the records: `referee tournament repair` makes this file again"
            );
            return Err(Error::file(voids_of(&self.plan.root).path(), what));
        };
        self.given_up_games.push((name, why));
        self.take_voids(batch_game, rows)
    }

    /// Returns the recorded end of a game, if there is one, and makes sure that its runners have claimed its batch.
    fn look_up(&mut self, batch: usize, name: &str) -> Result<Option<Ended>, Error> {
        let Some(ended) = self.recorded.end_of(name)? else { return Ok(None) };
        let folder = records::folder_of(&self.plan);
        let claims = match self.claims.take_if(|claims| claims.batch == batch) {
            Some(claims) => claims,
            None => BatchClaims { batch, runners: claims_of(&self.plan, batch, &self.recorded.state)? },
        };
        let BatchClaims { runners, .. } = self.claims.insert(claims);
        for runner in self.recorded.state.runners_of(name) {
            if !runners.iter().any(|claimed| claimed == runner) {
                let what = format!("missing or changed; runs/{runner} has records of this batch");
                // One of the claims should name it: the last, or, if there is none, the first.
                let last = runners.len().saturating_sub(1);
                return Err(Error::file(&claim_at(folder.path(), batch, last), what));
            }
        }
        Ok(Some(ended))
    }

    /// Makes sure that the plan allows a tier.
    fn check_tier(&self, tier: &str) -> Result<(), String> {
        let planned = self.plan.contents.host.sandbox;
        let is_allowed = match planned {
            Choice::Only(only) => only.name() == tier,
            // No weaker tier is chosen automatically.
            Choice::Auto => [Tier::Strict, Tier::Landlock].iter().any(|allowed| allowed.name() == tier),
        };
        if is_allowed { Ok(()) } else { Err(format!("column sandbox is {tier}; the plan says {planned}")) }
    }

    /// Compares what comes after the last listed game, and returns the last plan.
    pub(super) fn end(mut self, audited: &mut Audited) -> Result<Plan, Error> {
        let mut next = self.next_game()?;
        while let Some(batch_game) =
            next.take_if(|(_, game)| self.given_up.contains(&game_id(game.scheduled)))
        {
            self.take_given_up(&batch_game)?;
            next = self.next_game()?;
        }
        let round = self.plan.contents.round;
        if round < self.rounds {
            let what = format!(
                "games of round {round} are missing, though a later round was planned after them: `referee tournament \
                 repair` makes the file again"
            );
            return Err(Error::file(&self.results, what));
        }
        self.read_voids()?;
        // Read after `voids.csv`: rows of void games are recorded before they are listed.
        self.recorded = Recorded::with_gone(&self.plan)?;
        let (ended, waiting) = self.check_unlisted(next)?;
        self.check_voids()?;
        audited.open.extend(self.notices_of(ended, waiting));
        let (batches_missing, games_missing) = missing_by(&self.plan, &self.recorded.state)?;
        if games_missing > 0 {
            audited.missing.push((round, batches_missing, games_missing));
        }
        (audited.planned, audited.voids) = (self.planned, self.given_up_games);
        Ok(self.plan)
    }

    /// Checks the logs of the games after the list, takes their rows that `voids.csv` already has, and counts the games
    /// that have ended: first those that can be listed, then those that wait for a game before them.
    fn check_unlisted(&mut self, mut next: Option<BatchGame>) -> Result<(u64, u64), Error> {
        // Whether a game before the next one has not ended.
        let mut has_gap = false;
        let (mut ended, mut waiting) = (0u64, 0u64);
        while let Some((_, game)) = next {
            let name = game_id(game.scheduled);
            match self.recorded.state.ending(&name) {
                Some(_) if has_gap => waiting += 1,
                end => {
                    let rows = self.recorded.reader.rows_of(&self.recorded.state, &name)?;
                    let folder = results_of(&self.plan.root).at(&self.plan.root);
                    audit::check_recorded(&folder, &rows.unwrap_or_default())?;
                    (ended, has_gap) = (ended + u64::from(end.is_some()), end.is_none());
                    let is_next = end.is_some() || self.recorded.is_being_recorded(&name)?;
                    // `voids.csv` is written before the results, so it can have the first rows of these games.
                    if is_next && self.void_rows.len() > self.void_rows_due.len() {
                        self.void_rows_due
                            .extend(self.recorded.reader.voids_of(&self.recorded.state, &name)?);
                        self.void_rows_due.truncate(self.void_rows.len());
                    }
                }
            }
            next = self.next_game()?;
        }
        Ok((ended, waiting))
    }

    /// Returns messages about games that have ended, and are not in the list or were not compared.
    fn notices_of(&self, ended: u64, waiting: u64) -> Vec<String> {
        let mut notices = Vec::new();
        if ended > 0 {
            let are = if ended == 1 { "has ended and is" } else { "have ended and are" };
            notices.push(format!(
                "{}: {} {are} not in it: `referee tournament run` lists what was recorded",
                self.results.display(),
                count(ended, "game")
            ));
        }
        if waiting > 0 {
            let wait = if waiting == 1 { "has ended and waits" } else { "have ended and wait" };
            notices.push(format!("{} {wait} in the records for one before", count(waiting, "game")));
        }
        if self.uncompared > 0 {
            notices.push(uncompared_notice(self.uncompared));
        }
        notices
    }

    /// Makes sure that `voids.csv` is as the records say.
    fn check_voids(&self) -> Result<(), Error> {
        if self.void_rows == self.void_rows_due {
            return Ok(());
        }
        let pairs = self.void_rows.iter().zip(&self.void_rows_due);
        let same = pairs.take_while(|(row, expected)| row == expected).count();
        // Lines count from 1, and the first has the names of the columns.
        let line = same as u64 + 2;
        let what = "differs from the records: `referee tournament repair` makes this file again";
        Err(Error::line(voids_of(&self.plan.root).path(), line, what))
    }
}

/// Returns the message about listed games that were not compared.
fn uncompared_notice(games: u64) -> String {
    let them = if games == 1 { "it" } else { "them" };
    format!("{} not compared with the records: a runner has just ended {them}", count(games, "game"))
}

/// Lists the runners that have claimed a batch, and makes sure that each has a log.
fn claims_of(plan: &Plan, batch: usize, state: &ContestState) -> Result<Vec<String>, Error> {
    let folder = records::folder_of(plan);
    let claims = ContestState::tries_at(&records::disk_of(&folder), &unit_of(batch))
        .map_err(records::trouble_at(&folder))?;
    for (index, runner) in claims.iter().enumerate() {
        if !state.runners().any(|known| known == runner) {
            let what = format!("it names a runner that has no log: {}", runner.escape_debug());
            return Err(Error::file(&claim_at(folder.path(), batch, index), what));
        }
    }
    Ok(claims)
}

/// Returns the file of a claim of a batch, counted from 0.
fn claim_at(folder: &Path, batch: usize, index: usize) -> PathBuf {
    folder.join(format!("records/claims/{}.{index}", unit_of(batch)))
}
