//! The cache of a report for the next one: what was read of the results and logs, and pages of games. It is in the
//! files `cache.json` and `cache-logs.csv` of the report. A report that is made without it has the same bytes.
//!
//! A report of a hill goes on where the one before ended: it reads only the games since, and takes over full pages of
//! games. That needs the same place and settings, results that have only grown, and logs and pages that did not change.
//! If any of these is in doubt, the whole report is made anew.
//!
//! Two other reports go through all games: that of a tournament, whose games come in the order of the schedule, new
//! ones between old ones; and one in which each game has a page. They take over the thinking times from logs, and pages
//! of games. Each log that was read is known by the rows of its game and by its size and date; if one is missing or
//! changed, the cache does not count.

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
    /// Of a hill: the settings of the report, and its state.
    hill: Option<(String, HillState)>,
}

/// The state of the report of a hill, from which a later report can go on.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct HillState {
    /// The place in the results up to which they were read.
    pub(super) results: results::Place,
    /// The place in the list of void games up to which it was read; `None` if there was no list.
    pub(super) voids: Option<small::Place>,
    pub(super) void_rows: voids::Rows,
    pub(super) tally: tally::TallyState,
    pub(super) games: line::GamesState,
    /// The files of the report that a later one goes on with, and their stamps: set by [`ReportCache::set_state`].
    pub(super) files: BTreeMap<String, Stamp>,
}

/// The parts of an earlier report of a hill, from which this one goes on.
pub(super) struct Resumed {
    pub(super) state: HillState,
    /// The results after those of the earlier report.
    pub(super) unread: Games,
    /// The tables of games and of void games, to be continued.
    pub(super) table: BufWriter<File>,
    pub(super) voids: BufWriter<File>,
}

/// The answer to the question whether a report of a hill can go on from an earlier one.
pub(super) enum Resumption {
    /// It goes on from this one.
    GoOn(Box<Resumed>),
    /// There is none that can be trusted, so the report begins anew.
    Begin,
    /// The files of the earlier report changed while they were taken over, so this report must be made without them.
    Retry,
}

/// Identifies a state of a file: size, date of the last change in seconds and nanoseconds, inode.
type Stamp = (u64, i64, i64, u64);

/// The cache of an earlier report, and that of this one.
#[derive(Debug)]
pub(super) struct ReportCache {
    earlier: Contents,
    /// Games of the earlier report that this one has not met yet.
    missing: BTreeSet<Mark>,
    now: Contents,
    /// The folder of the earlier report.
    target: PathBuf,
    /// Of a hill: the list of its logs.
    logs: Option<csv::Writer<BufWriter<File>>>,
}

impl ReportCache {
    /// Returns a cache without an earlier report.
    pub(super) fn empty(target: &Path) -> ReportCache {
        let now = Contents { program: this_program(), ..Contents::default() };
        ReportCache {
            earlier: Contents::default(),
            missing: BTreeSet::new(),
            now,
            target: target.to_owned(),
            logs: None,
        }
    }

    /// Reads the cache of the report at `target`, if this program made it. If logs are left alone, thinking times from
    /// logs do not count.
    pub(super) fn read(target: &Path, logs: Logs) -> ReportCache {
        let empty = ReportCache::empty(target);
        let Ok(text) = Spot::below(target, NAME).read_text(MAX) else { return empty };
        match serde_json::from_str::<Contents>(&text) {
            Ok(earlier) if earlier.program != empty.now.program => empty,
            Ok(Contents { program, pages, hill, .. }) if logs == Logs::LeaveAlone => {
                ReportCache { earlier: Contents { program, pages, hill, ..Contents::default() }, ..empty }
            }
            Ok(earlier) => ReportCache { missing: earlier.games.iter().copied().collect(), earlier, ..empty },
            Err(_) => empty,
        }
    }

    /// Goes on from an earlier report of a hill with these settings, if there is one.
    pub(super) fn go_on(
        &mut self,
        hill: &Hill,
        settings: &str,
        report: &mut Folder,
    ) -> Result<Resumption, Error> {
        let unread = match &self.earlier.hill {
            Some((earlier, state)) if earlier == settings => self.check(hill.root(), state, report)?,
            _ => None,
        };
        if let (Some(unread), Some((_, state))) = (unread, self.earlier.hill.take()) {
            let Some((resumed, logs)) = self.take_over(state, unread, report)? else {
                return Ok(Resumption::Retry);
            };
            self.set_logs(logs);
            return Ok(Resumption::GoOn(Box::new(resumed)));
        }
        self.set_logs(report.begin_file(LOGS)?);
        let names = ["log", "found", "bytes", "seconds", "nanoseconds", "inode"];
        self.log(report, |writer| writer.write_record(names))?;
        Ok(Resumption::Begin)
    }

    fn set_logs(&mut self, file: BufWriter<File>) {
        self.logs = Some(csv::WriterBuilder::new().has_headers(false).flexible(true).from_writer(file));
    }

    /// Returns the results after those of an earlier report, if all that it was made from is still the same.
    fn check(&self, root: &Path, state: &HillState, report: &Folder) -> Result<Option<Games>, Error> {
        let list = folder::voids_of(root);
        let are_voids_known = match &state.voids {
            Some(place) => small::is_there(&list, place)?,
            None => !list.exists(),
        };
        let is_same =
            |(name, stamp): (&String, &Stamp)| stamp_of_file(&self.target.join(name)) == Some(*stamp);
        if !are_voids_known || !state.files.iter().all(is_same) || !self.are_logs_same(root, report)? {
            return Ok(None);
        }
        results::games_behind(folder::results_of(root), &state.results)
    }

    /// Takes over the files of an earlier report: links full pages, and copies tables, to which rows are added. Returns
    /// the list of logs, too. `None` if one of the files has changed by now: another report can have been written.
    fn take_over(
        &self,
        state: HillState,
        unread: Games,
        report: &mut Folder,
    ) -> Result<Option<(Resumed, BufWriter<File>)>, Error> {
        let is_known =
            |name: &str, stamp: Option<Stamp>| stamp.is_some() && state.files.get(name) == stamp.as_ref();
        for page in (1..=state.games.full_pages).map(page_name) {
            if !report.link(&self.target.join(&page), &page)
                || !is_known(&page, stamp_of_file(&report.path(&page)))
            {
                return Ok(None);
            }
        }
        let mut copy = |name: &str, bytes: u64| -> Result<Option<BufWriter<File>>, Error> {
            let Ok(old) = Spot::below(&self.target, name).open() else { return Ok(None) };
            let is_same = || is_known(name, old.metadata().ok().map(|metadata| stamp_of(&metadata)));
            if !is_same() {
                return Ok(None);
            }
            let mut file = report.begin_file(name)?;
            let copied = io::copy(&mut (&old).take(bytes), &mut file);
            copied.map_err(Error::system(report.target(), "write the report"))?;
            Ok(if is_same() { Some(file) } else { None })
        };
        let table = copy(line::FILE, state.games.table_length)?;
        let (voids, logs) = (copy(voids::FILE, u64::MAX)?, copy(LOGS, u64::MAX)?);
        match (table, voids, logs) {
            (Some(table), Some(voids), Some(logs)) => {
                Ok(Some((Resumed { state, unread, table, voids }, logs)))
            }
            _ => Ok(None),
        }
    }

    /// Tells whether the logs of an earlier report of a hill are there as they were, and those that were missing still
    /// are.
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
            // A log in the folder of the one before needs no search, only a look at its stamp.
            let is_plain = stamp.is_some() && found == name && path.parent() == Some(&folder);
            let is_there = is_plain
                || match line::find_log(root, &name) {
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

    /// Adds a hill's game to the list of logs: the log that was found, or that none was.
    pub(super) fn note_log(
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

    /// Sets the state of the report of a hill. To be called when the tables and full pages are written.
    pub(super) fn set_state(
        &mut self,
        settings: String,
        mut state: HillState,
        report: &Folder,
    ) -> Result<(), Error> {
        self.log(report, |writer| Ok(writer.flush()?))?;
        let pages = (1..=state.games.full_pages).map(page_name);
        for name in pages.chain([line::FILE, voids::FILE, LOGS].map(str::to_owned)) {
            if let Some(stamp) = stamp_of_file(&report.path(&name)) {
                state.files.insert(name, stamp);
            }
        }
        self.now.hill = Some((settings, state));
        Ok(())
    }

    /// Tells whether the log of a game was read for the earlier report. If so, the game counts as one of this report,
    /// too.
    pub(super) fn take_over_game(&mut self, mark: Mark) -> bool {
        let is_known = self.missing.remove(&mark);
        if is_known {
            self.add_game(mark);
        }
        is_known
    }

    /// Notes that the log of a game has been read, unless there is a list of logs.
    pub(super) fn add_game(&mut self, mark: Mark) {
        if self.logs.is_none() {
            self.now.games.push(mark);
        }
    }

    /// Adds the thinking times of the earlier report to those of these chapters. Returns `false` if a game of the
    /// earlier report was not met: its times are among those that were added, so the report must be made anew.
    pub(super) fn add_turns_to<'a>(&self, chapters: impl Iterator<Item = &'a mut Tally>) -> bool {
        for (tally, turns) in chapters.zip(&self.earlier.turns) {
            tally.add_turns(turns);
        }
        self.missing.is_empty()
    }

    /// Puts the earlier page of a game into a report. Returns `false` if there is none, or it has changed.
    pub(super) fn take_over_page(&mut self, mark: Option<Mark>, name: &str, folder: &mut Folder) -> bool {
        let Some(mark) = mark else { return false };
        let Some((old, stamp)) = self.earlier.pages.get(&mark) else { return false };
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
        if let (Some(mark), Some(stamp)) = (mark, stamp_of_file(&folder.path(name))) {
            self.now.pages.insert(mark, (name.to_owned(), stamp));
        }
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
pub(super) fn mark_of(chapter: usize, game: &GameResult, log: &Spot) -> Option<Mark> {
    let stamp = stamp_of_file(log.path())?;
    let rows = game.iter().map(|row| (&row.bot.name, row.bot.version, row.bot.digest.as_str(), row.counts));
    let rows: Vec<_> = rows.collect();
    let facts = (chapter, game.game(), log.path(), stamp, game.shared().log_digest.as_str(), rows);
    let digest = Sha256::digest(serde_json::to_vec(&facts).ok()?);
    Some(u64::from_be_bytes(digest[..8].try_into().expect("eight bytes")))
}

fn stamp_of_file(path: &Path) -> Option<Stamp> {
    fs::symlink_metadata(path).map(|metadata| stamp_of(&metadata)).ok()
}

fn stamp_of(metadata: &Metadata) -> Stamp {
    (metadata.len(), metadata.mtime(), metadata.mtime_nsec(), metadata.ino())
}

/// Identifies this program by its version and the stamp of its file.
fn this_program() -> String {
    let file = fs::metadata("/proc/self/exe").map(|metadata| stamp_of(&metadata)).ok();
    format!("{} {file:?}", env!("CARGO_PKG_VERSION"))
}
