//! What a server knows of a hill or a tournament at a moment: the standings, the seasons before, the bots. A follower
//! makes it, pages show it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use maud::Markup;
use parking_lot::{RwLock, RwLockReadGuard};
use referee_contest::admission::entrants::Event;
use referee_contest::bot::Bot;
use referee_drawing::mark::Mark;
use referee_tables::lead::Lead;
use referee_tables::sheet::Sheet;
use referee_tables::standing::{PairRow, Standings};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;

use crate::index::Index;

/// A snapshot of a hill or a tournament.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// Number of changes so far; 0 before the first look.
    pub(crate) number: u64,
    pub(crate) games: usize,
    /// The bots that play, in their order.
    pub(crate) field: Vec<Entered>,
    /// Whether the list of bots could be read.
    pub(crate) knows_field: bool,
    /// The author of each bot that was ever admitted.
    pub(crate) authors: BTreeMap<String, String>,
    /// The mark of each bot that was ever admitted.
    pub(crate) marks: BTreeMap<String, Mark>,
    /// The last season of a hill; a tournament as a whole.
    pub(crate) season: Option<SeasonSeen>,
    /// Of a tournament with several sub-tournaments: each, with the parameters in which it differs.
    pub(crate) sets: Vec<(String, SeasonSeen)>,
    /// Of a tournament with matches: those of each sub-tournament.
    pub(crate) cups: Vec<CupSeen>,
    /// The earlier seasons, in their order.
    pub(crate) past: Vec<Arc<SeasonPast>>,
    /// Why the records cannot be read, in words that everybody may read.
    pub(crate) trouble: Option<String>,
}

/// A bot that plays.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entered {
    pub(crate) bot: Bot,
    /// When it was submitted to its hill (UTC).
    pub(crate) date: Option<String>,
}

impl Entered {
    /// A bot that was submitted to a hill.
    pub(crate) fn of(submission: &Event) -> Entered {
        Entered { bot: submission.bot.clone(), date: Some(submission.date.clone()) }
    }
}

/// The matches of a sub-tournament.
#[derive(Debug)]
pub(crate) struct CupSeen {
    pub(crate) matches: Sheet,
    /// Of a knockout.
    pub(crate) bracket: Option<Markup>,
}

/// The last season of a hill, a sub-tournament, or a tournament as a whole.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SeasonSeen {
    /// Of a tournament as a whole 1.
    pub(crate) number: u32,
    /// How far it is, for a heading: `Season 3, 12 rounds, 48 games`.
    pub(crate) so_far: String,
    pub(crate) rounds: u32,
    /// Whether games of earlier seasons count in the standings.
    pub(crate) carried: bool,
    pub(crate) standings: Standings,
    /// Who leads; `None` if no game counts.
    pub(crate) lead: Option<Lead>,
    /// Says how the standings are to be read.
    pub(crate) legend: String,
    pub(crate) pairs: Vec<PairRow>,
    pub(crate) told: Vec<String>,
    pub(crate) verdicts: Vec<VerdictSeen>,
    pub(crate) bots: Vec<String>,
    /// Rounds, each with the mean share of each of these bots after it; `None` before the bot's first game.
    pub(crate) looks: Vec<(u32, Vec<Option<f64>>)>,
}

/// A verdict.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct VerdictSeen {
    /// For people.
    pub(crate) told: String,
    /// For programs.
    pub(crate) verdict: Value,
}

/// An earlier season.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SeasonPast {
    pub(crate) number: u32,
    pub(crate) rounds: u32,
    /// The bots, best first.
    pub(crate) bots: Vec<Placed>,
    /// Some of its rounds, in their order, each with the place of each of these bots in the season's games up to it.
    pub(crate) course: Vec<(u32, Vec<Option<u16>>)>,
}

/// A bot at the end of a season.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Placed {
    pub(crate) name: String,
    pub(crate) version: u32,
    /// Its place by mean share.
    pub(crate) place: usize,
    /// Its first and last plausible place.
    pub(crate) ranks: Option<(usize, usize)>,
    pub(crate) games: u64,
    pub(crate) mean_share: f64,
}

/// What is followed of a contest: its index, and a channel with the latest snapshot.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    pub(crate) index: RwLock<Index>,
    pub(crate) now: watch::Sender<Arc<Snapshot>>,
}

impl Snapshot {
    /// Returns the mark of a bot.
    pub(crate) fn mark(&self, name: &str) -> Mark {
        // Every bot with a game was admitted; else it is the next that is.
        self.marks.get(name).copied().unwrap_or_else(|| Mark::of(self.marks.len()))
    }
}

impl Followed {
    /// Returns the latest snapshot.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.now.borrow())
    }

    /// Locks the index for reading. Do not hold it across an `await`, and lock it once: if the follower waits to write,
    /// a second lock of the same thread waits for the follower, which waits for the first one. A debug build panics.
    pub(crate) fn index(&self) -> IndexRead<'_> {
        debug_assert!(!READS.replace(true), "the index is locked twice by a thread");
        IndexRead(self.index.read())
    }
}

thread_local! {
    /// Whether this thread holds a lock of an index; kept in debug builds.
    static READS: Cell<bool> = const { Cell::new(false) };
}

/// The index, locked for reading.
pub(crate) struct IndexRead<'a>(RwLockReadGuard<'a, Index>);

impl Deref for IndexRead<'_> {
    type Target = Index;

    fn deref(&self) -> &Index {
        &self.0
    }
}

impl Drop for IndexRead<'_> {
    fn drop(&mut self) {
        READS.set(false);
    }
}
