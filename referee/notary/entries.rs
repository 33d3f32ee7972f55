//! The entries of a tournament's list: `proof/list.csv`, with a line for each plan, each batch and each
//! merge, in the order in which they were signed. A line contains the digest of a file that never changes.

use std::collections::BTreeSet;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use referee_contest::batch;
use referee_contest::fixture::game_id;
use referee_contest::merge;
use referee_contest::plan::{self, Plan};
use referee_files::beneath::Spot;
use referee_files::{digest, results};
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};

/// The first line, which is not an entry.
const HEADER: &str = "entry,round,batch,digest\n";

/// Maximum length of a line, in bytes.
const LINE_MAX: u64 = 1 << 10;

/// Maximum length of the list, in bytes.
const LIST_MAX: u64 = 1 << 30;

/// Tells whether a folder contains a tournament.
pub(super) fn is_tournament(root: &Path) -> bool {
    plan::is_there(root, root)
}

fn spot_of(root: &Path) -> Spot {
    Spot::below(root, "proof/list.csv")
}

/// The reader of a list.
#[derive(Debug)]
pub(super) struct Lines {
    spot: Spot,
    /// The number of bytes that have been read.
    read: u64,
}

impl Lines {
    pub(super) fn of(root: &Path) -> Lines {
        Lines { spot: spot_of(root), read: 0 }
    }

    /// Reads the new lines. A line without an end is still being written.
    pub(super) fn read_on(&mut self, mut push: impl FnMut(&str, &[u8])) -> Result<(), Error> {
        if !self.spot.exists() {
            return Ok(());
        }
        let path = self.spot.path();
        let mut text = String::new();
        let read = self.spot.open().and_then(|mut file| {
            file.seek(SeekFrom::Start(self.read))?;
            file.take(LIST_MAX).read_to_string(&mut text)
        });
        read.map_err(Error::system(path, "read the list"))?;
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        for line in whole.split_inclusive('\n').skip(usize::from(self.read == 0)) {
            push(name_of(line), line.as_bytes());
        }
        self.read += whole.len() as u64;
        Ok(())
    }
}

/// Returns the name of an entry: its line without the digest.
fn name_of(line: &str) -> &str {
    line.rsplit_once(',').map_or(line, |(name, _)| name)
}

fn line(kind: &str, round: u32, batch: impl std::fmt::Display, digest: &Digest) -> String {
    format!("{kind},{round},{batch},{digest}\n")
}

/// Returns the line of a batch that is done.
fn line_of_batch(plan: &Plan, number: usize) -> Result<String, Error> {
    let path = batch::results_of(&plan.folder, number);
    let digest = digest::of_file(Spot::within(&plan.root, &path));
    let digest = digest.map_err(Error::system(&path, "read the results of a batch"))?;
    Ok(line("batch", plan.contents.round, number, &digest))
}

/// Returns the name of the entry that contains a game of a tournament; `None` if there is no such game.
pub(super) fn entry_of(root: &Path, game: &str) -> Result<Option<String>, Error> {
    for round in 1..=plan::open(root)?.contents.round {
        let plan = plan::open_round(root, round)?;
        for number in 0..plan.index.batches.len() {
            if plan.batch(number)?.iter().any(|planned| game_id(planned.scheduled) == game) {
                return Ok(Some(format!("batch,{round},{number}")));
            }
        }
    }
    Ok(None)
}

/// Adds lines for everything that was planned, committed and merged since. To be called under the lock of the
/// list.
///
/// `only`: check only this batch of this plan.
///
/// # Errors
///
/// If the system refuses, or a file is damaged.
pub(super) fn add(
    root: &Path,
    known: &mut BTreeSet<String>,
    only: Option<(&Plan, usize)>,
) -> Result<(), Error> {
    let mut new = String::new();
    let mut add = |known: &mut BTreeSet<String>, name: String, line: &dyn Fn() -> Result<String, Error>| {
        if !known.contains(&name) {
            new += &line()?;
            known.insert(name);
        }
        Ok::<(), Error>(())
    };
    if let Some((plan, number)) = only {
        let name = format!("batch,{},{number}", plan.contents.round);
        add(known, name, &|| line_of_batch(plan, number))?;
    } else {
        for round in 1..=plan::open(root)?.contents.round {
            let plan = plan::open_round(root, round)?;
            add(known, format!("plan,{round},"), &|| Ok(line("plan", round, "", &plan.id)))?;
            for number in (0..plan.index.batches.len()).filter(|number| batch::is_done(&plan, *number)) {
                add(known, format!("batch,{round},{number}"), &|| line_of_batch(&plan, number))?;
            }
            if let Some(chain) = merge::named_after(&plan)? {
                add(known, format!("merged,{round},"), &|| Ok(line("merged", round, "", &chain)))?;
            }
        }
    }
    append(root, &new)
}

/// Appends lines, and waits until they are on the disk. A partial line of an interrupted write is removed.
fn append(root: &Path, lines: &str) -> Result<(), Error> {
    if lines.is_empty() {
        return Ok(());
    }
    let spot = spot_of(root);
    let write = || {
        spot.make_folders()?;
        let mut file = spot.append()?;
        // Only the end is read: a line is short.
        let start = file.metadata()?.len().saturating_sub(LINE_MAX);
        let mut end = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        file.read_to_end(&mut end)?;
        let whole = start + end.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end as u64 + 1);
        file.set_len(whole)?;
        let header = if whole == 0 { HEADER } else { "" };
        file.write_all(format!("{header}{lines}").as_bytes())?;
        file.sync_all()?;
        // A new file is on the disk when its name is, too.
        if whole == 0 { spot.sync_folder() } else { Ok(()) }
    };
    write().map_err(Error::system(spot.path(), "write the list"))
}

/// Makes sure that all files of a tournament are those of its list.
///
/// # Errors
///
/// The first file that is not.
pub(super) fn check(root: &Path, is_due: impl Fn(&str) -> bool) -> Result<(), Error> {
    let mut lines = Vec::new();
    Lines::of(root).read_on(|name, line| {
        if is_due(name) {
            lines.push(String::from_utf8_lossy(line).into_owned());
        }
    })?;
    let mut plans: Vec<Plan> = Vec::new();
    let mut merged: BTreeSet<String> = BTreeSet::new();
    for (at, line) in lines.iter().enumerate() {
        let wrong = |what: &str| Error::line(spot_of(root).path(), at as u64 + 2, what);
        let [kind, round, number, digest] = *line.trim_end().split(',').collect::<Vec<&str>>() else {
            return Err(wrong("this is not an entry of a tournament's list"));
        };
        let round: u32 = round.parse().map_err(|_| wrong("this is not the number of a round"))?;
        if plans.last().is_none_or(|plan| plan.contents.round != round) {
            plans.push(plan::open_round(root, round)?);
        }
        let plan = plans.last().expect("a plan");
        let found = match kind {
            "plan" => plan.id.to_string(),
            "merged" => {
                merged.insert(digest.to_owned());
                continue;
            }
            _ => {
                let number = number.parse().map_err(|_| wrong("this is not the number of a batch"))?;
                if !batch::is_done(plan, number) {
                    let path = batch::results_of(&plan.folder, number);
                    let what = "the signed results of this batch are missing: `referee tournament merge` makes them again, or take \
                                them from a copy";
                    return Err(Error::file(&path, what).or(ErrorKind::Tampered));
                }
                line_of_batch(plan, number)?.trim_end().rsplit(',').next().unwrap_or_default().to_owned()
            }
        };
        if found != digest {
            let path = if kind == "plan" {
                plan.folder.join("plan.toml")
            } else {
                batch::results_of(&plan.folder, number.parse().unwrap_or_default())
            };
            let what =
                format!("this file was changed after it was signed: its SHA-256 is {found}, not {digest}");
            return Err(Error::file(&path, what).or(ErrorKind::Tampered));
        }
    }
    check_merged(plans.last(), merged)
}

/// Makes sure that the merged results pass through the states that were signed.
fn check_merged(last: Option<&Plan>, mut due: BTreeSet<String>) -> Result<(), Error> {
    let Some(plan) = last.filter(|_| !due.is_empty()) else { return Ok(()) };
    let path = merge::merged_of(plan);
    let mut games = results::games(Spot::within(&plan.root, &path))?;
    due.remove(games.last_chain().as_str());
    while let Some(game) = games.next() {
        game?;
        due.remove(games.last_chain().as_str());
    }
    if due.is_empty() {
        return Ok(());
    }
    let what = "the merged results differ from the signed ones: they were changed";
    Err(Error::file(&path, what).or(ErrorKind::Tampered))
}
