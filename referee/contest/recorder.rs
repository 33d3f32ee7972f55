//! A recorder: what a runner records of the games that it has claimed, whatever contest they belong to.

use std::collections::{BTreeMap, BTreeSet};

use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::voids::{VoidReason, VoidRow};
use referee_store::{Attempt, Begun, Claim};

use crate::fixture::Fixture;
use crate::records::{Records, defect, void_of};
use crate::runner::standing::LostStanding;
use crate::runner::tries::{LostMax, Tries, bots_of, row_of_given_up, row_of_lost};

/// The records of a runner, with its attempts.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) records: Records,
    /// Whether other runners play here, too, as far as this one knows.
    pub(crate) is_shared: bool,
    /// The attempts that this runner has begun, by game.
    begun: BTreeMap<String, Begun>,
    /// The attempts so far at the games that it has claimed and that have not ended.
    tries: BTreeMap<String, Tries>,
}

impl Recorder {
    pub(crate) fn new(records: Records) -> Recorder {
        Recorder { records, is_shared: false, begun: BTreeMap::new(), tries: BTreeMap::new() }
    }

    /// Claims a unit with these games.
    pub(crate) fn claim(&mut self, unit: &str, games: &[&str]) -> Result<Claim, Error> {
        let claim = self.records.claim(unit, games)?;
        self.is_shared |= claim == Claim::Others;
        Ok(claim)
    }

    /// Returns the attempts at a claimed game that did not count.
    pub(crate) fn tries(&self, game: &str) -> Tries {
        self.tries.get(game).cloned().unwrap_or_default()
    }

    /// Records that an attempt at a game begins.
    pub(crate) fn begin(&mut self, unit: &str, fixture: &Fixture, attempt: u32) -> Result<(), Error> {
        let begun = self.records.begin_attempt(unit, fixture, attempt)?;
        self.begun.insert(fixture.id.clone(), begun);
        Ok(())
    }

    /// Records that a game was played to its end.
    pub(crate) fn over(&mut self, fixture: &Fixture, rows: &GameResult) -> Result<(), Error> {
        let begun = self.take_begun(fixture)?;
        self.records.over(begun, rows)?;
        self.tries.remove(&fixture.id);
        Ok(())
    }

    /// Records that an attempt was void, and adds it to `tries`.
    pub(crate) fn void(
        &mut self,
        unit: &str,
        fixture: &Fixture,
        row: &VoidRow,
        tries: &mut Tries,
    ) -> Result<(), Error> {
        let begun = self.take_begun(fixture)?;
        self.records.void(unit, Some(begun), row)?;
        tries.add(row);
        self.tries.insert(fixture.id.clone(), tries.clone());
        Ok(())
    }

    /// Records that a game is given up.
    pub(crate) fn give_up(
        &mut self,
        unit: &str,
        fixture: &Fixture,
        tries: &Tries,
        why: &str,
    ) -> Result<(), Error> {
        let row = row_of_given_up(&fixture.id, bots_of(fixture), tries.next_attempt() - 1, why);
        self.records.give_up(unit, &row)?;
        self.tries.remove(&fixture.id);
        Ok(())
    }

    /// Records that this runner no longer tries a game. If that fails, the attempt counts as lost.
    pub(crate) fn break_off(&mut self, fixture: &Fixture) {
        if let Some(begun) = self.begun.remove(&fixture.id) {
            let _ = self.records.leave(begun);
        }
    }

    fn take_begun(&mut self, fixture: &Fixture) -> Result<Begun, Error> {
        let begun = self.begun.remove(&fixture.id);
        begun.ok_or_else(|| defect(self.records.folder(), "the end of a game that was not begun"))
    }

    /// Tells whether an attempt at a game was lost with its runner, and no later runner has recorded that.
    pub(crate) fn has_unsettled_loss(&self, game: &str) -> Result<bool, Error> {
        let (mut settled, mut lost) = (BTreeSet::new(), Vec::new());
        for attempt in self.records.attempts(game)? {
            match attempt {
                Attempt::Void(cells) => {
                    let row = void_of(self.records.folder(), &cells)?;
                    if row.reason == VoidReason::LostInFlight {
                        settled.insert(row.attempt.to_string());
                    }
                }
                Attempt::Lost(cells) => lost.extend(cells.into_iter().next()),
            }
        }
        Ok(lost.iter().any(|attempt| !settled.contains(attempt)))
    }

    /// Records the attempts at a claimed game that were lost with their runners, and gives the game up if these are too
    /// many. Returns the new rows. `log_of` returns the unfinished log of an attempt, by the folder that its record
    /// names.
    pub(crate) fn settle_lost(
        &mut self,
        unit: &str,
        game: &str,
        mut log_of: impl FnMut(&str) -> Option<Spot>,
        losses: LostMax,
    ) -> Result<Vec<VoidRow>, Error> {
        let (mut tries, mut rows, mut settled) = (Tries::default(), Vec::new(), BTreeSet::new());
        let mut lost = Vec::new();
        for attempt in self.records.attempts(game)? {
            match attempt {
                Attempt::Void(cells) => {
                    let row = void_of(self.records.folder(), &cells)?;
                    if row.reason == VoidReason::LostInFlight {
                        settled.insert(row.attempt);
                    }
                    tries.add(&row);
                }
                Attempt::Lost(cells) => lost.push(cells),
            }
        }
        for cells in lost {
            let wrong = || defect(self.records.folder(), "an attempt without a number");
            let [attempt, started, bots, more @ ..] = &cells[..] else { return Err(wrong()) };
            let attempt: u32 = attempt.parse().map_err(|_| wrong())?;
            if !settled.insert(attempt) {
                continue;
            }
            let log = log_of(more.first().map_or("", String::as_str));
            let standing = match &log {
                // Only the log of a game that was lost before is written turn by turn, and tells the last turn.
                Some(log) if tries.has_lost() => LostStanding::read(log),
                _ => LostStanding::default(),
            };
            let row = row_of_lost(game, bots.clone(), attempt, started, standing);
            self.records.void(unit, None, &row)?;
            tries.add(&row);
            rows.push(row);
        }
        if let (Some(row), Some(why)) = (rows.last(), tries.reason_to_give_up(losses)) {
            let row = row_of_given_up(game, row.bots.clone(), tries.next_attempt() - 1, &why);
            self.records.give_up(unit, &row)?;
            rows.push(row);
        } else {
            self.tries.insert(game.to_owned(), tries);
        }
        Ok(rows)
    }
}
