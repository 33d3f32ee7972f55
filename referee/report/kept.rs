//! The cache of a report for the next one: thinking times that were read from logs, and pages of games. It is
//! `cache.json` in the report's folder. A report that is made without it has the same bytes.
//!
//! It is valid for a set of games, each known by its rows and by its log's size and date. If one of them is missing or
//! changed, nothing of it counts, and all is made anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::Logs;
use crate::folder::Folder;
use crate::seen::{Seen, TurnsOfBots};
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_record::game_result::GameResult;

/// Its name in the folder of a report.
const NAME: &str = "cache.json";

/// The longest cache that is read, in bytes: some millions of games.
const MAX: u64 = 256 << 20;

/// Identifies a game: the start of a digest of everything from which its part of a report is made.
pub(super) type Mark = u64;

/// The contents of the file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Contents {
    /// The program that wrote it: another version could make other pages.
    program: String,
    /// The games whose logs were read.
    games: Vec<Mark>,
    /// The thinking times in them, by chapter.
    turns: Vec<TurnsOfBots>,
    /// Pages of games: the file, and its stamp.
    pages: BTreeMap<Mark, (String, Stamp)>,
}

/// Identifies a state of a file: size, date of the last change in seconds and nanoseconds, inode.
type Stamp = (u64, i64, i64, u64);

/// The cache of an earlier report, and that of this one.
#[derive(Debug)]
pub(super) struct Kept {
    before: Contents,
    /// Games of the earlier report that this one has not met yet.
    missing: BTreeSet<Mark>,
    now: Contents,
    /// The folder of the earlier report.
    target: PathBuf,
}

impl Kept {
    /// Begins without an earlier report.
    pub(super) fn nothing(target: &Path) -> Kept {
        let now = Contents { program: this_program(), ..Contents::default() };
        Kept { before: Contents::default(), missing: BTreeSet::new(), now, target: target.to_owned() }
    }

    /// Reads the cache of the report at `target`, if this program made it. If logs are left alone, only pages count.
    pub(super) fn of(target: &Path, logs: Logs) -> Kept {
        let text = Spot::below(target, NAME).read_text(MAX).ok();
        let before = text.and_then(|text| serde_json::from_str::<Contents>(&text).ok());
        let nothing = Kept::nothing(target);
        match before.filter(|before| before.program == nothing.now.program) {
            Some(Contents { program, pages, .. }) if logs == Logs::LeaveAlone => {
                Kept { before: Contents { program, pages, ..Contents::default() }, ..nothing }
            }
            Some(before) => Kept { missing: before.games.iter().copied().collect(), before, ..nothing },
            None => nothing,
        }
    }

    /// Tells whether the log of a game was read for the earlier report.
    pub(super) fn knows(&mut self, mark: Mark) -> bool {
        let is_known = self.missing.remove(&mark);
        if is_known {
            self.now.games.push(mark);
        }
        is_known
    }

    /// Notes that the log of a game has been read.
    pub(super) fn add(&mut self, mark: Mark) {
        self.now.games.push(mark);
    }

    /// Adds the thinking times of the earlier report to those that were read now. Returns whether they are valid:
    /// whether all games of the earlier report were met.
    pub(super) fn give<'a>(&self, chapters: impl Iterator<Item = &'a mut Seen>) -> bool {
        for (seen, turns) in chapters.zip(&self.before.turns) {
            seen.add_turns(turns);
        }
        self.missing.is_empty()
    }

    /// Puts the earlier page of a game into a report. Returns whether there was one and it has not changed.
    pub(super) fn page(&mut self, mark: Option<Mark>, name: &str, folder: &mut Folder) -> bool {
        let Some((mark, (old, stamp))) = mark.and_then(|mark| Some((mark, self.before.pages.get(&mark)?)))
        else {
            return false;
        };
        let old = Spot::below(&self.target, old);
        let is_same =
            old.is_file() && fs::symlink_metadata(old.path()).is_ok_and(|data| stamp_of(&data) == *stamp);
        let is_there = is_same && folder.link(old.path(), name);
        if is_there {
            self.now.pages.insert(mark, (name.to_owned(), *stamp));
        }
        is_there
    }

    /// Notes the page of a game that was just written.
    pub(super) fn add_page(&mut self, mark: Option<Mark>, name: &str, folder: &Folder) {
        let stamp = fs::symlink_metadata(folder.path(name)).map(|data| stamp_of(&data)).ok();
        self.now.pages.extend(mark.zip(stamp).map(|(mark, stamp)| (mark, (name.to_owned(), stamp))));
    }

    /// Writes the cache for the next report.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(super) fn write<'a>(
        mut self,
        chapters: impl Iterator<Item = &'a Seen>,
        folder: &mut Folder,
    ) -> Result<(), Error> {
        self.now.turns = chapters.map(Seen::turns).collect();
        folder.write(NAME, serde_json::to_vec(&self.now).expect("plain values"))
    }
}

/// Returns the mark of a game; `None` if its log is not there.
pub(super) fn mark(chapter: usize, game: &GameResult, log: &Spot) -> Option<Mark> {
    let stamp = stamp_of(&fs::symlink_metadata(log.path()).ok()?);
    let rows = game.iter().map(|row| (&row.bot.name, row.bot.version, row.bot.digest.as_str(), row.counts));
    let rows: Vec<_> = rows.collect();
    let told = (chapter, game.game(), log.path(), stamp, game.shared().log_digest.as_str(), rows);
    let digest = Sha256::digest(serde_json::to_vec(&told).ok()?);
    Some(u64::from_be_bytes(digest[..8].try_into().expect("eight bytes")))
}

fn stamp_of(data: &Metadata) -> Stamp {
    (data.len(), data.mtime(), data.mtime_nsec(), data.ino())
}

/// Identifies this program by its version and the stamp of its file.
fn this_program() -> String {
    let file = fs::metadata("/proc/self/exe").map(|data| stamp_of(&data)).ok();
    format!("{} {file:?}", env!("CARGO_PKG_VERSION"))
}
