//! Tries: the attempts at a game that did not count, and what follows from them. A losing bot gains by a void game, so
//! the number of attempts is limited. After some of them, a seat that the host lets wait is late, and the game counts.

use std::collections::BTreeSet;
use std::path::Path;

use crate::fixture::{Fixture, bots_as_text};
use crate::runner::game_run::VoidRun;
use crate::runner::standing::LostStanding;
use referee_files::digest;
use referee_record::error::Error;
use referee_record::text::one_line;
use referee_record::voids::{VoidReason, VoidRow};
use referee_rules::Seat;
use referee_sandbox::Tier;

/// Number of attempts lost with their runner, after which a game is given up in the strict tier, unless the host sets
/// another. In that tier, a bot cannot bring down the referee, if the machine has room for the memory limits of all
/// bots. So the machine was preempted, or the host was in a hurry.
pub const LOST_MAX: u32 = 10;

/// Number of attempts lost with their runner, after which a game is given up in weaker tiers. There, a bot could bring
/// down the referee whenever it is about to lose, until it wins.
pub const LOST_MAX_IN_WEAKER_TIERS: u32 = 2;

/// Number of attempts lost while the same seat was behind, after which a game is given up in all tiers.
pub const LOST_BEHIND_MAX: usize = 3;

/// The number of lost attempts after which a game is given up, no matter which seat was behind; 0 for any number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostMax(pub u32);

impl LostMax {
    /// Returns the number that holds in a tier: the one that the host has set, or that of the tier.
    pub fn for_tier(set_by_host: Option<u32>, sandbox: Tier) -> LostMax {
        let of_tier = if sandbox == Tier::Strict { LOST_MAX } else { LOST_MAX_IN_WEAKER_TIERS };
        LostMax(set_by_host.unwrap_or(of_tier))
    }
}

/// Number of attempts in which a bot could not be confined or the judge failed, after which a game is given up.
pub const HOST_FAILURES_MAX: u32 = 3;

/// Number of attempts that were void because the host let a bot wait for a core (starved it), after which any seat that
/// is starved is late. At a table of four that is one for each seat.
pub const OVERLOADS_MAX: usize = 4;

/// The attempts at a game so far that did not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tries {
    /// The number of the last attempt.
    attempts: u32,
    /// By attempt that was void because the host let a bot wait: its seat.
    overloads: Vec<Seat>,
    /// Number of attempts in which a bot could not be confined or the judge failed.
    host_failures: u32,
    /// Number of attempts lost with their runner.
    lost: u32,
    /// By lost attempt whose log tells the standing: the seat that was behind; `None` if several were.
    behind: Vec<Option<Seat>>,
    /// The bots at whose seats attempts were void.
    bots: BTreeSet<String>,
    /// The reason of the last void attempt.
    last_reason: String,
}

impl Tries {
    /// Adds an attempt, by its row in `voids.csv`.
    pub fn add(&mut self, row: &VoidRow) {
        match row.reason {
            VoidReason::GivenUp => return, // the row of a game, not of an attempt
            VoidReason::LostInFlight => self.add_lost(standing_of(row)),
            VoidReason::HostOverload => self.overloads.extend(row.seat.map(|seat| Seat::new(seat.into()))),
            VoidReason::SandboxError | VoidReason::JudgeFailed => self.host_failures += 1,
        }
        self.attempts = row.attempt.max(self.attempts);
        if !row.bot.is_empty() && row.reason != VoidReason::LostInFlight {
            self.bots.insert(row.bot.clone());
        }
        self.last_reason = row.detail.replace(char::is_control, " ");
    }

    /// Adds an attempt that was lost with its runner.
    pub(crate) fn add_lost(&mut self, standing: LostStanding) {
        self.lost += 1;
        self.add_standing(standing);
    }

    /// Adds the standing of a lost attempt that was added before.
    pub(crate) fn add_standing(&mut self, standing: LostStanding) {
        if standing.is_known() {
            self.behind.push(standing.behind);
        }
    }

    /// Tells whether an attempt was lost with its runner.
    pub(crate) fn has_lost(&self) -> bool {
        self.lost > 0
    }

    /// Returns the tries of a game that a user wants to play again: of these attempts, only the number counts.
    pub fn forgiven(&self) -> Tries {
        Tries { attempts: self.attempts, ..Tries::default() }
    }

    /// Returns the number of the next attempt, from 1.
    pub fn next_attempt(&self) -> u32 {
        self.attempts + 1
    }

    /// Returns the seats that are late in the next attempt if the host lets them wait for too long. Other seats make it
    /// void.
    pub fn late_if_starved(&self, seats: usize) -> Vec<Seat> {
        let any_is_late = self.overloads.len() >= OVERLOADS_MAX;
        (0..seats).map(Seat::new).filter(|seat| any_is_late || self.overloads.contains(seat)).collect()
    }

    /// Returns the seat that was behind in every lost attempt whose log tells the standing, and the number of these
    /// attempts; `None` if no seat was.
    fn always_behind(&self) -> Option<(Seat, usize)> {
        let seat = (*self.behind.first()?)?;
        let is_always = self.behind.iter().all(|behind| *behind == Some(seat));
        if is_always { Some((seat, self.behind.len())) } else { None }
    }

    /// Returns the reason for giving the game up; `None` if it is played again.
    pub fn reason_to_give_up(&self, LostMax(max): LostMax) -> Option<String> {
        if max > 0 && self.lost >= max {
            Some(format!("lost in flight {} times", self.lost))
        } else if let Some((seat, known)) = self.always_behind()
            && known >= LOST_BEHIND_MAX
        {
            let lost = self.lost;
            Some(format!(
                "lost in flight {lost} times, with seat {seat} behind in all {known} that are known"
            ))
        } else if self.host_failures >= HOST_FAILURES_MAX {
            Some(format!("void {} times; the last reason: {}", self.host_failures, self.last_reason))
        } else {
            None
        }
    }

    /// Returns the bots at whose seats attempts were void.
    pub fn bots(&self) -> &BTreeSet<String> {
        &self.bots
    }
}

/// Returns the row of a void attempt. Paths in it are relative to `root`.
pub(crate) fn row_of_void(
    root: &Path,
    fixture: &Fixture,
    run: &VoidRun,
    attempt: u32,
    sandbox: Tier,
) -> Result<VoidRow, Error> {
    let VoidRun { void, turn, started, log } = run;
    let bot = void.seat().map(|seat| &fixture.entrants[seat].name);
    let digest = digest::of_log(log).map_err(Error::system(log, "read the log"))?;
    Ok(VoidRow {
        started: started.clone(),
        attempt,
        turn: *turn,
        seat: void.seat().map(|seat| seat.index() as u8),
        bot: bot.map_or(String::new(), |bot| bot.name.clone()),
        bot_version: bot.map(|bot| bot.version),
        sandbox: sandbox.name().to_owned(),
        log: log.strip_prefix(root).unwrap_or(log).to_string_lossy().into_owned(),
        log_digest: digest.to_string(),
        ..row(&fixture.id, bots_of(fixture), void.reason(), void.to_string())
    })
}

/// Returns the row of a game that is given up after this number of attempts.
pub fn row_of_given_up(game: &str, bots: String, attempts: u32, why: &str) -> VoidRow {
    VoidRow { attempt: attempts, ..row(game, bots, VoidReason::GivenUp, why.to_owned()) }
}

/// Returns the row of an attempt that was lost with its runner; `started` is its date.
pub(crate) fn row_of_lost(
    game: &str,
    bots: String,
    attempt: u32,
    started: &str,
    standing: LostStanding,
) -> VoidRow {
    let LostStanding { turn, behind } = standing;
    let (bot, bot_version) = match behind.and_then(|seat| bots.split(' ').nth(seat.index())?.rsplit_once(':'))
    {
        Some((bot, version)) => (bot.to_owned(), version.parse().ok()),
        None => (String::new(), None),
    };
    let (seat, started) = (behind.map(|seat| seat.index() as u8), started.to_owned());
    let detail = "the referee was brought down".to_owned();
    VoidRow {
        attempt,
        started,
        turn,
        seat,
        bot,
        bot_version,
        ..row(game, bots, VoidReason::LostInFlight, detail)
    }
}

/// Returns the standing in the row of a lost attempt.
fn standing_of(row: &VoidRow) -> LostStanding {
    LostStanding { turn: row.turn, behind: row.seat.map(|seat| Seat::new(seat.into())) }
}

fn row(game: &str, bots: String, reason: VoidReason, detail: String) -> VoidRow {
    // A message of the system or of a judge can have line breaks.
    let detail = one_line(&detail).into_owned();
    VoidRow {
        game: game.to_owned(),
        started: String::new(),
        attempt: 0,
        turn: 0,
        reason,
        seat: None,
        bot: String::new(),
        bot_version: None,
        bots,
        sandbox: String::new(),
        detail,
        log: String::new(),
        log_digest: String::new(),
    }
}

/// Returns the bots of a game by seat, as a row names them: `fox:1 owl:3`.
pub fn bots_of(fixture: &Fixture) -> String {
    bots_as_text(fixture.entrants.iter().map(|(_, bot)| &bot.name))
}
