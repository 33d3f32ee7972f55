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
use crate::batch::{missing_by, try_of, unit_of};
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

/// The list of a tournament, as far as it was compared.
pub(super) struct Listed {
    results: PathBuf,
    editions: Editions,
    /// The number of planned rounds.
    rounds: u32,
    /// The round of the next game, with its records.
    plan: Plan,
    recorded: Recorded,
    /// The next games of the schedule.
    upcoming: VecDeque<BatchGame>,
    /// The batches behind these games.
    batches: Enumerate<Batches>,
    /// The batch whose claims were read last, and the runners that have claimed it.
    claims: (usize, Vec<String>),
    /// The bots that are modules of WebAssembly.
    modules: BTreeSet<String>,
    /// The rows of `voids.csv`.
    voids: Vec<VoidRow>,
    /// The games that were given up by these rows.
    given_up: BTreeSet<String>,
    /// The rows that `voids.csv` must have.
    voids_due: Vec<VoidRow>,
    /// Number of games of the rounds so far.
    planned: u64,
    /// Number of games whose ends are the last records of runners that live.
    uncompared: u64,
    /// The games that were given up, each with the reason.
    void_games: Vec<(String, String)>,
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
        if !row.is_guest() {
            self.check_tier(&row.sandbox)?;
        }
        check_log_path(&try_of(self.plan.contents.round, *batch, &row.log), &row.game, &row.log)?;
        check_sandbox(self.modules.contains(&row.bot.name), row)
    }

    /// Returns the recorded end of a game. Its runners must have claimed its batch. `None` if the end is the last
    /// record of a runner that lives: nobody else can tell yet whether it counts.
    fn end_of(&mut self, batch_game @ (batch, game): &BatchGame) -> Result<Option<Ended>, Error> {
        let name = game_id(game.scheduled);
        if let Ok(Some(ended)) = self.look_up(*batch, &name) {
            return Ok(Some(ended));
        }
        // A runner may have ended the game, or claimed its batch, after the records were read.
        (self.recorded, self.claims.0) = (Recorded::at_rest(&self.plan)?, usize::MAX);
        let found = self.look_up(*batch, &name)?;
        if found.is_some() {
            return Ok(found);
        }
        if self.recorded.is_being_recorded(&name)? {
            self.uncompared += 1;
            let voids = self.recorded.reader.voids_of(&self.recorded.state, &name)?;
            return self.take_voids(batch_game, voids).map(|()| None);
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

    fn take_voids(&mut self, (batch, game): &BatchGame, voids: Vec<VoidRow>) -> Result<(), Error> {
        let bots = || game.entrants.iter().map(|(_, bot)| &self.plan.entrants[*bot].name);
        for row in &voids {
            let folder = try_of(self.plan.contents.round, *batch, &row.log);
            let checked = check_void(row, bots(), &folder);
            let checked = checked.and_then(|()| match &*row.sandbox {
                "" => Ok(()),
                tier => self.check_tier(tier),
            });
            checked.map_err(|what| {
                Error::file(voids_of(&self.plan.root).path(), format!("{}: {what}", row.game))
            })?;
        }
        self.voids_due.extend(voids);
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
            recorded: Recorded::at_rest(&plan)?,
            upcoming: VecDeque::new(),
            batches: plan.batches().enumerate(),
            claims: (usize::MAX, Vec::new()),
            modules: modules.map(|bot| bot.name.clone()).collect(),
            voids: Vec::new(),
            given_up: BTreeSet::new(),
            voids_due: Vec::new(),
            planned: plan.contents.games.into(),
            uncompared: 0,
            void_games: Vec::new(),
            plan,
        };
        listed.read_voids()?;
        Ok(listed)
    }

    /// Reads `voids.csv` again.
    fn read_voids(&mut self) -> Result<(), Error> {
        self.voids = voids::read(voids_of(&self.plan.root))?;
        let given_up = self.voids.iter().filter(|row| row.reason == VoidReason::GivenUp);
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
                work::games_open(next.contents.games.into());
                self.planned += u64::from(next.contents.games);
                self.recorded = Recorded::at_rest(&next)?;
                (self.batches, self.claims) = (next.batches().enumerate(), (usize::MAX, Vec::new()));
                self.plan = next;
            } else {
                return Ok(None);
            }
        }
        Ok(self.upcoming.pop_front())
    }

    /// Takes a game that was given up, by `voids.csv`. The records must say so, too.
    fn take_given_up(&mut self, batch_game: &BatchGame) -> Result<(), Error> {
        let name = game_id(batch_game.1.scheduled);
        let (voids, end) = match self.end_of(batch_game)? {
            Some(Ended { voids, end }) => (voids, end),
            None => {
                let row = self.voids.iter().find(|row| row.game == name && row.reason == VoidReason::GivenUp);
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
        self.void_games.push((name, why));
        self.take_voids(batch_game, voids)
    }

    /// Returns the recorded end of a game, if there is one, and makes sure that its runners have claimed its batch.
    fn look_up(&mut self, batch: usize, name: &str) -> Result<Option<Ended>, Error> {
        let Some(ended) = self.recorded.end_of(name)? else { return Ok(None) };
        let folder = records::folder_of(&self.plan);
        if self.claims.0 != batch {
            self.claims = (batch, claims_of(&self.plan, batch, &self.recorded.state)?);
        }
        for runner in self.recorded.state.runners_of(name) {
            if !self.claims.1.iter().any(|claimed| claimed == runner) {
                let what = format!("missing or changed; runs/{runner} has records of this batch");
                let last = self.claims.1.len().saturating_sub(1);
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
            Choice::Auto => [Tier::Strict, Tier::Landlock].iter().any(|allowed| allowed.name() == tier),
        };
        if is_allowed { Ok(()) } else { Err(format!("column sandbox is {tier}; the plan says {planned}")) }
    }

    /// Compares what is behind the last listed game, and returns the last plan.
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
        self.recorded = Recorded::at_rest(&self.plan)?;
        let (ended, waiting) = self.count_unlisted(next)?;
        self.check_voids()?;
        audited.open.extend(self.notices_of(ended, waiting));
        let (missing, games) = missing_by(&self.plan, &self.recorded.state)?;
        if games > 0 {
            audited.missing.push((round, missing, games));
        }
        (audited.planned, audited.voids) = (self.planned, self.void_games);
        Ok(self.plan)
    }

    /// Counts the games behind the list that have ended: first those that can be listed, then those that wait for a
    /// game before them.
    fn count_unlisted(&mut self, mut next: Option<BatchGame>) -> Result<(u64, u64), Error> {
        let (mut ended, mut waiting, mut is_open) = (0u64, 0u64, false);
        while let Some((_, game)) = next {
            let name = game_id(game.scheduled);
            match self.recorded.state.ending(&name) {
                Some(_) if is_open => waiting += 1,
                end => {
                    let rows = self.recorded.reader.rows_of(&self.recorded.state, &name)?;
                    let folder = results_of(&self.plan.root).at(&self.plan.root);
                    audit::check_recorded(&folder, &rows.unwrap_or_default())?;
                    (ended, is_open) = (ended + u64::from(end.is_some()), end.is_none());
                    let is_next = end.is_some() || self.recorded.is_being_recorded(&name)?;
                    // Rows of void games are on the disk before the results behind them.
                    if is_next && self.voids.len() > self.voids_due.len() {
                        self.voids_due.extend(self.recorded.reader.voids_of(&self.recorded.state, &name)?);
                        self.voids_due.truncate(self.voids.len());
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

    /// Makes sure that the list of attempts that do not count is that of the records.
    fn check_voids(&self) -> Result<(), Error> {
        if self.voids == self.voids_due {
            return Ok(());
        }
        let same =
            self.voids.iter().zip(&self.voids_due).take_while(|(row, expected)| row == expected).count();
        let what = "differs from the records: `referee tournament repair` makes this file again";
        Err(Error::line(voids_of(&self.plan.root).path(), same as u64 + 2, what))
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
    for (attempt, runner) in claims.iter().enumerate() {
        if !state.runners().any(|known| known == runner) {
            let what = format!("it names a runner that has no log: {}", runner.escape_debug());
            return Err(Error::file(&claim_at(folder.path(), batch, attempt), what));
        }
    }
    Ok(claims)
}

/// Returns the file of a claim.
fn claim_at(folder: &Path, batch: usize, attempt: usize) -> PathBuf {
    folder.join(format!("records/claims/{}.{attempt}", unit_of(batch)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_that_were_not_compared_are_named_in_their_number() {
        let end = |games| uncompared_notice(games).rsplit(' ').next().map(str::to_owned);
        assert_eq!((end(1).as_deref(), end(2).as_deref()), (Some("it"), Some("them")));
    }
}
