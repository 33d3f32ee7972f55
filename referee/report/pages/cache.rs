//! The cache of a report for the next one: what was read of the results and logs, and pages of games. It is
//! `cache.json` in the report's folder, and `cache-logs.csv`. A report that is made without it has the same bytes.
//!
//! A report of a hill goes on where the one before ended: it reads only the games since, and takes over full pages of
//! games. That needs the same place and settings, results that have only grown, and logs and pages that did not change.
//! If any of it is in doubt, all is made anew. A tournament's games come in the order of its schedule, new ones between
//! old ones, and if each game has a page, all of them are gone through. There each log that was read is known by the
//! rows of its game and by its size and date; if one is missing or changed, nothing counts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::pages::folder::Folder;
use crate::pages::line::{self, Mark, page_name};
use crate::pages::tally::{Tally, TurnsOfBots};
use crate::pages::{Logs, tally, voids};
use referee_contest::folder;
use referee_contest::hill::Hill;
use referee_files::beneath::Spot;
use referee_files::{results, small};
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::results::Games;

/// Its name in the folder of a report.
const NAME: &str = "cache.json";

/// The logs of a hill's games, each with its stamp.
const LOGS: &str = "cache-logs.csv";

/// The longest cache that is read, in bytes: some millions of games.
const MAX: u64 = 256 << 20;

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
    /// Of a hill: the settings of the report, and how far it came.
    hill: Option<(String, SoFar)>,
}

/// How far the report of a hill came.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SoFar {
    pub(super) results: results::Place,
    pub(super) voids: Option<small::Place>,
    pub(super) void_rows: voids::Rows,
    #[serde(rename = "seen")]
    pub(super) tally: tally::SoFar,
    pub(super) games: line::SoFar,
    /// The files that a later report goes on with, and their stamps: filled in by [`ReportCache::came`].
    pub(super) files: BTreeMap<String, Stamp>,
}

/// What a report of a hill goes on with.
pub(super) struct Resumed {
    pub(super) so_far: SoFar,
    /// The results behind it.
    pub(super) games: Games,
    /// The tables of games and of void games, to be continued.
    pub(super) table: BufWriter<File>,
    pub(super) voids: BufWriter<File>,
}

/// Identifies a state of a file: size, date of the last change in seconds and nanoseconds, inode.
type Stamp = (u64, i64, i64, u64);

/// The cache of an earlier report, and that of this one.
#[derive(Debug)]
pub(super) struct ReportCache {
    before: Contents,
    /// Games of the earlier report that this one has not met yet.
    missing: BTreeSet<Mark>,
    now: Contents,
    /// The folder of the earlier report.
    target: PathBuf,
    /// Of a hill: the list of its logs.
    logs: Option<csv::Writer<BufWriter<File>>>,
}

impl ReportCache {
    /// Begins without an earlier report.
    pub(super) fn nothing(target: &Path) -> ReportCache {
        let now = Contents { program: this_program(), ..Contents::default() };
        ReportCache {
            before: Contents::default(),
            missing: BTreeSet::new(),
            now,
            target: target.to_owned(),
            logs: None,
        }
    }

    /// Reads the cache of the report at `target`, if this program made it. If logs are left alone, only pages count.
    pub(super) fn read(target: &Path, logs: Logs) -> ReportCache {
        let text = Spot::below(target, NAME).read_text(MAX).ok();
        let before = text.and_then(|text| serde_json::from_str::<Contents>(&text).ok());
        let nothing = ReportCache::nothing(target);
        match before.filter(|before| before.program == nothing.now.program) {
            Some(Contents { program, pages, hill, .. }) if logs == Logs::LeaveAlone => {
                ReportCache { before: Contents { program, pages, hill, ..Contents::default() }, ..nothing }
            }
            Some(before) => {
                ReportCache { missing: before.games.iter().copied().collect(), before, ..nothing }
            }
            None => nothing,
        }
    }

    /// Goes on from an earlier report of a hill with these settings. `Some(None)`: there is none that can be trusted,
    /// so begin anew. `None`: its files changed while they were taken over, so the report must be made without it.
    pub(super) fn go_on(
        &mut self,
        hill: &Hill,
        settings: &str,
        report: &mut Folder,
    ) -> Result<Option<Option<Resumed>>, Error> {
        let before = self
            .before
            .hill
            .take()
            .filter(|(settings_before, _)| settings_before == settings)
            .map(|(_, so_far)| so_far);
        let found = match before {
            Some(so_far) => self.check(hill.root(), so_far, report)?,
            None => None,
        };
        let (found, logs) = match found {
            Some((so_far, games)) => match self.take_over(so_far, games, report)? {
                Some((resumed, logs)) => (Some(resumed), logs),
                None => return Ok(None),
            },
            None => (None, report.begin_file(LOGS)?),
        };
        self.logs = Some(csv::WriterBuilder::new().has_headers(false).flexible(true).from_writer(logs));
        if found.is_none() {
            let names = ["log", "found", "bytes", "seconds", "nanoseconds", "inode"];
            self.log(report, |writer| writer.write_record(names))?;
        }
        Ok(Some(found))
    }

    fn check(&self, root: &Path, so_far: SoFar, report: &Folder) -> Result<Option<(SoFar, Games)>, Error> {
        let list = folder::voids_of(root);
        let are_voids_known = match &so_far.voids {
            Some(place) => small::is_there(&list, place)?,
            None => !list.exists(),
        };
        let is_same =
            |(name, stamp): (&String, &Stamp)| stamp_of_file(&self.target.join(name)) == Some(*stamp);
        if !are_voids_known || !so_far.files.iter().all(is_same) || !self.are_logs_same(root, report)? {
            return Ok(None);
        }
        let games = results::games_behind(folder::results_of(root), &so_far.results)?;
        Ok(games.map(|games| (so_far, games)))
    }

    /// Takes over the files of an earlier report: full pages as they are, tables with room for further rows. Returns
    /// the list of logs, too; `None` if one of them is another file by now: another report can have been written meanwhile.
    fn take_over(
        &self,
        so_far: SoFar,
        games: Games,
        report: &mut Folder,
    ) -> Result<Option<(Resumed, BufWriter<File>)>, Error> {
        let is_known =
            |name: &str, stamp: Option<Stamp>| stamp.is_some() && so_far.files.get(name) == stamp.as_ref();
        for page in (1..=so_far.games.full).map(page_name) {
            if !report.link(&self.target.join(&page), &page)
                || !is_known(&page, stamp_of_file(&report.path(&page)))
            {
                return Ok(None);
            }
        }
        let mut copied = |name: &str, bytes: u64| -> Result<Option<BufWriter<File>>, Error> {
            let Ok(old) = Spot::below(&self.target, name).open() else { return Ok(None) };
            let is_same = || is_known(name, old.metadata().ok().map(|data| stamp_of(&data)));
            if !is_same() {
                return Ok(None);
            }
            let mut file = report.begin_file(name)?;
            let copied = io::copy(&mut (&old).take(bytes), &mut file);
            copied.map_err(Error::system(report.target(), "write the report"))?;
            Ok(is_same().then_some(file))
        };
        let table = copied(line::FILE, so_far.games.bytes)?;
        let (voids, logs) = (copied(voids::FILE, u64::MAX)?, copied(LOGS, u64::MAX)?);
        let files = table.zip(voids).zip(logs);
        Ok(files.map(|((table, voids), logs)| (Resumed { so_far, games, table, voids }, logs)))
    }

    /// Tells whether the logs of an earlier report of a hill are there as they were, and no others of its games.
    fn are_logs_same(&self, root: &Path, report: &Folder) -> Result<bool, Error> {
        let Ok(list) = Spot::below(&self.target, LOGS).open() else { return Ok(false) };
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(list);
        let mut folder = PathBuf::new();
        for row in reader.deserialize() {
            report.check_not_stopped()?;
            // The name in the results; where the log was found, empty if nowhere; the stamp of that file.
            let row: csv::Result<(String, String, Option<Stamp>)> = row;
            let Ok((name, found, stamp)) = row else { return Ok(false) };
            let path = root.join(&found);
            // In a folder in which one log was found by its name, the others need only a look.
            let is_plain = stamp.is_some() && found == name && path.parent() == Some(&folder);
            let is_there = is_plain
                || match line::found(root, &name) {
                    Some(log) => stamp.is_some() && log.path() == path,
                    None => stamp.is_none(),
                };
            if !is_there || stamp.is_some() && stamp_of_file(&path) != stamp {
                return Ok(false);
            }
            if !is_plain && stamp.is_some() {
                folder = path.parent().unwrap_or(root).to_owned();
            }
        }
        Ok(true)
    }

    /// Notes the log of a hill's game that was found, or that none was.
    pub(super) fn note(
        &mut self,
        root: &Path,
        game: &GameResult,
        log: Option<&Spot>,
        report: &Folder,
    ) -> Result<(), Error> {
        let stamp = log.and_then(|log| stamp_of_file(log.path()));
        let found = log.and_then(|log| log.path().strip_prefix(root).ok()?.to_str()).unwrap_or_default();
        self.log(report, |writer| writer.serialize((game.log(), found, stamp)))
    }

    fn log(
        &mut self,
        report: &Folder,
        write: impl FnOnce(&mut csv::Writer<BufWriter<File>>) -> csv::Result<()>,
    ) -> Result<(), Error> {
        let Some(writer) = &mut self.logs else { return Ok(()) };
        let refused = Error::system(report.target(), "write the report");
        write(writer).map_err(|error| refused(error.into()))
    }

    /// Notes how far a report of a hill came. All its files are written.
    pub(super) fn came(&mut self, settings: String, so_far: SoFar, report: &Folder) -> Result<(), Error> {
        self.log(report, |writer| Ok(writer.flush()?))?;
        let pages = (1..=so_far.games.full).map(page_name);
        let stamped = |name: String| {
            let stamp = stamp_of_file(&report.path(&name))?;
            Some((name, stamp))
        };
        let files = pages.chain([line::FILE, voids::FILE, LOGS].map(str::to_owned)).filter_map(stamped);
        let so_far = SoFar { files: files.collect(), ..so_far };
        self.now.hill = Some((settings, so_far));
        Ok(())
    }

    /// Tells whether the log of a game was read for the earlier report.
    pub(super) fn knows(&mut self, mark: Mark) -> bool {
        let is_known = self.missing.remove(&mark);
        if is_known {
            self.add(mark);
        }
        is_known
    }

    /// Notes that the log of a game has been read, unless a list of logs says so.
    pub(super) fn add(&mut self, mark: Mark) {
        if self.logs.is_none() {
            self.now.games.push(mark);
        }
    }

    /// Adds the thinking times of the earlier report to those of these chapters. False if a game of the earlier report
    /// was not met: then they are wrong, and the report must be made anew.
    pub(super) fn give<'a>(&self, chapters: impl Iterator<Item = &'a mut Tally>) -> bool {
        for (tally, turns) in chapters.zip(&self.before.turns) {
            tally.add_turns(turns);
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
        let is_same = old.is_file() && stamp_of_file(old.path()) == Some(*stamp);
        let is_there = is_same && folder.link(old.path(), name);
        if is_there {
            self.now.pages.insert(mark, (name.to_owned(), *stamp));
        }
        is_there
    }

    /// Notes the page of a game that was just written.
    pub(super) fn add_page(&mut self, mark: Option<Mark>, name: &str, folder: &Folder) {
        let stamp = stamp_of_file(&folder.path(name));
        self.now.pages.extend(mark.zip(stamp).map(|(mark, stamp)| (mark, (name.to_owned(), stamp))));
    }

    /// Writes the cache for the next report.
    pub(super) fn write<'a>(
        mut self,
        chapters: impl Iterator<Item = &'a Tally>,
        folder: &mut Folder,
    ) -> Result<(), Error> {
        if self.logs.is_none() {
            self.now.turns = chapters.map(Tally::turns).collect();
        }
        folder.write(NAME, serde_json::to_vec(&self.now).expect("plain values"))
    }
}

/// Returns the mark of a game; `None` if its log is not there.
pub(super) fn mark(chapter: usize, game: &GameResult, log: &Spot) -> Option<Mark> {
    let stamp = stamp_of_file(log.path())?;
    let rows = game.iter().map(|row| (&row.bot.name, row.bot.version, row.bot.digest.as_str(), row.counts));
    let rows: Vec<_> = rows.collect();
    let facts = (chapter, game.game(), log.path(), stamp, game.shared().log_digest.as_str(), rows);
    let digest = Sha256::digest(serde_json::to_vec(&facts).ok()?);
    Some(u64::from_be_bytes(digest[..8].try_into().expect("eight bytes")))
}

fn stamp_of_file(path: &Path) -> Option<Stamp> {
    fs::symlink_metadata(path).map(|data| stamp_of(&data)).ok()
}

fn stamp_of(data: &Metadata) -> Stamp {
    (data.len(), data.mtime(), data.mtime_nsec(), data.ino())
}

/// Identifies this program by its version and the stamp of its file.
fn this_program() -> String {
    let file = fs::metadata("/proc/self/exe").map(|data| stamp_of(&data)).ok();
    format!("{} {file:?}", env!("CARGO_PKG_VERSION"))
}
