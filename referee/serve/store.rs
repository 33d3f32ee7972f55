//! The file `inbox/index.json`, in which a server stores what it knows of the games for its next start. The file is
//! computed from the records, and can be deleted without loss.
//!
//! The index of games is used if the results begin with them. The standings are used as long as no file of the hill has
//! changed. Another build of the program could compute something else, so it uses neither.

use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use referee_contest::publish;
use referee_files::beneath::Spot;
use referee_files::digest;
use referee_record::error::Error;
use referee_report::pages::show::SeasonSummary;
use referee_statistics::past::SeasonPast;
use serde::{Deserialize, Serialize};

use crate::index::Packed;
use crate::site::Served;

/// The state of a file: device, inode, length, time of the last change in seconds and nanoseconds. `None` if the file
/// cannot be opened.
pub(crate) type Stamp = Option<(u64, u64, u64, i64, i64)>;

/// The content of the file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Stored {
    /// Digest of the program that has written it.
    program: String,
    /// The states of the files from which the standings were computed.
    pub(crate) stamps: Vec<Stamp>,
    pub(crate) index: Packed,
    pub(crate) season: Option<SeasonSummary>,
    pub(crate) past: Vec<Arc<SeasonPast>>,
}

/// Maximum number of bytes that are read. The file of 10^7 games has a third of it.
const LENGTH_MAX: u64 = 1 << 30;

impl Stored {
    /// Returns what was stored for a hill, if this very program has stored it.
    pub(crate) fn read(served: &Served) -> Option<Stored> {
        let text = spot(served).read(LENGTH_MAX).ok()?;
        let stored: Stored = serde_json::from_slice(&text).ok()?;
        let is_of_this_program = stored.program == digest::of_this_program().ok()?.as_str();
        is_of_this_program.then_some(stored)
    }

    /// Stores what is shown of a hill. `stamps` are the states of the files from which the standings were computed.
    pub(crate) fn write(served: &Served, stamps: &[Stamp]) -> Result<(), Error> {
        let snapshot = served.followed.snapshot();
        if snapshot.trouble.is_some() {
            return Ok(());
        }
        let Some(index) = served.followed.index().packed() else { return Ok(()) };
        let stored = Stored {
            program: digest::of_this_program()?.to_string(),
            stamps: stamps.to_vec(),
            index,
            season: snapshot.contest.season.clone(),
            past: snapshot.contest.past.clone(),
        };
        publish::replace(spot(served), &serde_json::to_vec(&stored).expect("plain values"))
    }
}

fn spot(served: &Served) -> Spot {
    Spot::below(&served.root, "inbox/index.json")
}

/// Returns the state of a file now.
pub(crate) fn stamp(spot: &Spot) -> Stamp {
    let metadata = spot.open().and_then(|file| file.metadata()).ok()?;
    Some((metadata.dev(), metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec()))
}
