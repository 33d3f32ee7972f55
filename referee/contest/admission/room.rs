//! Room for sources: which stored sources are removed for a new one.
//!
//! Sources of bots that play stay. The sources of the same author's earlier programs are removed first, then those of
//! other authors, the oldest first. So an author who submits again and again removes his own sources before any other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::admission::entrants::{Entrants, Event};
use crate::admission::shelf::{SOURCES, remove_source};
use referee_builds::languages::BuildLimits;
use referee_files::beneath::Spot;
use referee_files::walk;
use referee_record::Digest;
use referee_record::error::Error;
use referee_table::clock;

/// How much the sources of a hill may be, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// All together.
    all: u64,
    /// Those of one author.
    author: u64,
}

impl Room {
    /// Returns what the limits of builds allow.
    pub(crate) fn from_limits(limits: &BuildLimits) -> Room {
        Room { all: limits.builds_mib << 20, author: limits.author_mib << 20 }
    }
}

/// A source that needs room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Newcomer<'a> {
    /// Its digest.
    pub(crate) source: &'a Digest,
    /// What is kept of it, in bytes.
    pub(crate) length: u64,
    /// The bot: its present program is replaced.
    pub(crate) name: &'a str,
    /// Its author; empty if unknown: then the limit for one author does not hold.
    pub(crate) author: &'a str,
}

/// Makes room for a source.
///
/// # Errors
///
/// If sources of bots that play leave none, or the system refuses. Nothing is removed then.
pub(crate) fn make(root: &Path, entrants: &Entrants, new: &Newcomer<'_>, room: Room) -> Result<(), Error> {
    let mut stored = kept_sources(root)?;
    // A source that is stored already is written again, so it needs its room once.
    stored.remove(new.source);
    let field = entrants.field();
    let others = || field.iter().filter(|bot| bot.name != new.name);
    let needed: BTreeSet<&Digest> = others().filter_map(|bot| bot.source_digest.as_ref()).collect();
    let by_author = others().filter(|bot| bot.author == new.author);
    let needed_own: BTreeSet<&Digest> = by_author.filter_map(|bot| bot.source_digest.as_ref()).collect();
    let sum = |sources: &BTreeSet<&Digest>| {
        sources.iter().filter_map(|source| stored.get(source)).map(|(_, length)| length).sum::<u64>()
    };
    let (stays, stays_own) = (sum(&needed), sum(&needed_own));
    check_room(new, room, stays, stays_own)?;
    let own_sources = sources_of_author(entrants, new.author);
    let mut superseded: Vec<&Digest> = stored.keys().filter(|source| !needed.contains(source)).collect();
    superseded.sort_by_key(|source| (!own_sources.contains(source), stored[source].0));
    let mut all = new.length + stored.values().map(|(_, length)| length).sum::<u64>();
    let superseded_own = superseded.iter().filter(|source| own_sources.contains(*source));
    let mut own = new.length + stays_own + superseded_own.map(|source| stored[source].1).sum::<u64>();
    for source in superseded {
        let is_too_much = own_sources.contains(source) && !new.author.is_empty() && own > room.author;
        if all <= room.all && !is_too_much {
            continue;
        }
        note_removed(root, source)?;
        remove_source(root, source)?;
        let length = stored[source].1;
        all -= length;
        if own_sources.contains(source) {
            own = own.saturating_sub(length);
        }
    }
    Ok(())
}

/// Makes sure that a source has room beside the sources of bots that play: `stays` is the length of all these in bytes,
/// `stays_own` of those of its author.
fn check_room(new: &Newcomer<'_>, room: Room, stays: u64, stays_own: u64) -> Result<(), Error> {
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    if !new.author.is_empty() && stays_own + new.length > room.author {
        return Err(Error::input(format!(
            "the sources of the bots of {} that play take {} MiB, and this one {} MiB, of at most {} MiB for an \
             author: submit it with the name of a bot that it replaces, make it smaller, or have one of the bots retired; the \
             host can raise author_mib in languages.toml",
            new.author,
            mib(stays_own),
            mib(new.length),
            mib(room.author)
        )));
    }
    if stays + new.length > room.all {
        return Err(Error::input(format!(
            "the sources of the bots that play take {} MiB, and this one {} MiB, of at most {} MiB: the host can \
             retire a bot, or raise builds_mib in languages.toml; an author can submit it with the name of a bot that \
             it replaces",
            mib(stays),
            mib(new.length),
            mib(room.all)
        )));
    }
    Ok(())
}

/// Lists the sources that nobody but this author has submitted.
fn sources_of_author<'a>(entrants: &'a Entrants, author: &str) -> BTreeSet<&'a Digest> {
    let (mut own, mut others) = (BTreeSet::new(), BTreeSet::new());
    for Event { bot, .. } in entrants.submissions() {
        let sources = if bot.author == author { &mut own } else { &mut others };
        sources.extend(&bot.source_digest);
    }
    own.retain(|source| !others.contains(source));
    own
}

/// When a file was written: seconds and nanoseconds, of its file system's clock.
type WrittenAt = (i64, i64);

fn written_at(look: &fs::Metadata) -> WrittenAt {
    (look.mtime(), look.mtime_nsec())
}

/// Lists the kept sources, each with the time of its first file and the length of its files and records.
fn kept_sources(root: &Path) -> Result<BTreeMap<Digest, (WrittenAt, u64)>, Error> {
    let folder = root.join(SOURCES);
    let listed = || -> io::Result<BTreeMap<Digest, (WrittenAt, u64)>> {
        let mut sources = BTreeMap::new();
        for name in walk::names(&Spot::within(root, &folder))? {
            let Some(digest) = name.get(..64).and_then(Digest::parse) else { continue };
            // Of a link, that of the link itself.
            let look = fs::symlink_metadata(folder.join(&name))?;
            let (time, length) = sources.entry(digest).or_insert((written_at(&look), 0));
            *time = written_at(&look).min(*time);
            *length += look.len();
        }
        Ok(sources)
    };
    listed().map_err(Error::system(&folder, "list the folder"))
}

/// Returns the list of the sources that were removed to make room: a line each, with the date.
fn removed_of(root: &Path) -> Spot {
    Spot::below(root, format!("{SOURCES}/removed.csv"))
}

/// Maximum length of that list, in bytes.
const REMOVED_MAX: u64 = 1 << 30;

/// Writes down that a source is removed to make room, before it is.
fn note_removed(root: &Path, source: &Digest) -> Result<(), Error> {
    let spot = removed_of(root);
    let write = || -> io::Result<()> {
        let mut file = spot.append()?;
        let head = if file.metadata()?.len() == 0 { "date,source\n" } else { "" };
        file.write_all(format!("{head}{},{}\n", clock::date(), source.as_str()).as_bytes())
    };
    write().map_err(Error::system(spot.path(), "write down which source is removed"))
}

/// Returns the sources that were ever removed to make room.
pub(crate) fn removed(root: &Path) -> Result<BTreeSet<Digest>, Error> {
    let spot = removed_of(root);
    match spot.read_text(REMOVED_MAX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(Error::system(spot.path(), "read which sources were removed")(error)),
        Ok(text) => Ok(text.lines().filter_map(|line| Digest::parse(line.split_once(',')?.1)).collect()),
    }
}
