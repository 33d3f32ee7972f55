//! Entries of a signed list that are no games: its beginning, and the entrants of each season of a hill.
//!
//! `proof/beginning` is the first entry of every list: the commitment to the seed, and the settings that hold from the
//! first game to the last. Every note names the first entry, so two notes of any size show whether they belong to one
//! beginning. The entrants of a season are an entry before its first game. Its text is kept in `proof/seasons`, so that
//! a later version of the program, whose terms can say more, finds what was signed.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use referee_contest::admission::entrants::Entrants;
use referee_contest::editions::{Editions, beginning_of, is_edition};
use referee_contest::hill::Hill;
use referee_contest::hill::seasons::{self, Season};
use referee_contest::hill::terms::Terms;
use referee_contest::plan;
use referee_contest::publish::{self, Published};
use referee_files::beneath::Spot;
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};

use crate::proof::tree::{self, Hash};
use crate::{FILE_MAX, is_tournament};

/// The first line of a beginning.
const HEADING: &str = "referee beginning 1";

/// The first line of a season.
const SEASON: &str = "referee season 1";

fn spot_of_season(root: &Path, season: u32) -> Spot {
    Spot::below(root, format!("proof/seasons/{season:03}"))
}

/// Returns the first entry of a list of this name, which commits to a seed.
pub(super) fn text_of(root: &Path, origin: &str, commitment: &Digest) -> Result<String, Error> {
    let settings: String = settings_of(root)?.iter().map(|line| format!("{line}\n")).collect();
    let editions =
        if is_tournament(root) { Editions::of_tournament() } else { Hill::open(root)?.editions()? };
    Ok(format!("{HEADING}\n{origin}\nseed {commitment}\n{settings}{editions}"))
}

/// Lists the settings that hold from the first game to the last.
fn settings_of(root: &Path) -> Result<Vec<String>, Error> {
    if is_tournament(root) {
        return Ok(vec![format!("plan {}", plan::open_round(root, 1)?.id)]);
    }
    Ok(Hill::open(root)?.lasting())
}

/// Reads the first entry.
pub(super) fn read(root: &Path) -> Result<String, Error> {
    let spot = beginning_of(root);
    if !spot.exists() {
        let what = "missing: the first entry of the signed list; restore it from a copy. If the hill was signed by a \
                    referee of before 2026-11-26, it was never there: move the folder proof away, run `referee proof \
                    begin`, and announce the new key";
        return Err(Error::record(spot.path(), what));
    }
    spot.read_text(FILE_MAX).map_err(Error::system(spot.path(), "read the beginning"))
}

/// Returns the line by which notes name a first entry.
pub(super) fn line(beginning: &Hash) -> String {
    format!("beginning {}", STANDARD.encode(beginning))
}

/// Reads the first entry, and returns its hash.
pub(super) fn leaf(root: &Path) -> Result<Hash, Error> {
    Ok(tree::leaf(read(root)?.as_bytes()))
}

/// Returns the commitment to the seed in a beginning.
pub(super) fn commitment(beginning: &str) -> Option<&str> {
    beginning.lines().find_map(|line| line.strip_prefix("seed "))
}

/// Makes sure that the settings are still those of the beginning.
///
/// # Errors
///
/// Names the first that is not.
pub(super) fn check(root: &Path, origin: &str) -> Result<(), Error> {
    let (text, spot) = (read(root)?, beginning_of(root));
    let mut lines = text.lines();
    if (lines.next(), lines.next()) != (Some(HEADING), Some(origin)) || commitment(&text).is_none() {
        let what = format!("this is not the beginning of {origin}: restore it from a copy");
        return Err(Error::record(spot.path(), what));
    }
    let now = settings_of(root)?;
    let mut lines = lines.skip(1).filter(|line| !is_edition(line));
    let Some(signed) = lines.find(|line| !now.iter().any(|setting| setting == line)) else {
        return Ok(());
    };
    let file = root.join(if is_tournament(root) { "plan.toml" } else { "hill.toml" });
    let key = signed.split(' ').next().unwrap_or_default();
    let is_it = |setting: &&String| setting.split(' ').next() == Some(key);
    let found = now.iter().find(is_it).map_or("nothing", |found| &found[key.len() + 1..]);
    let what = format!(
        "{key} is {found}, but {} was signed at the beginning: put it back. If nobody has a receipt or a note yet, \
         move the folder proof away and run `referee proof begin`",
        signed.get(key.len() + 1..).unwrap_or("nothing"),
    );
    Err(Error::record(&file, what))
}

/// Returns the lines about the bots of a hill that were built from a source, by names and versions.
fn built(root: &Path) -> Result<BTreeMap<(String, u32), String>, Error> {
    let entrants = Entrants::read(root)?;
    let built = entrants.submissions().filter_map(|event| {
        let bot = &event.bot;
        Some(((bot.name.clone(), bot.version), bot.built()?))
    });
    Ok(built.collect())
}

/// The entries of a hill's seasons, as the list needs them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Seasons {
    #[serde(skip)]
    known: Vec<Season>,
    /// The numbers and texts that are in the list.
    listed: Vec<(u32, String)>,
    /// The number of listed seasons, from the first on, whose files were written.
    #[serde(skip)]
    written: usize,
    /// The first season whose file is missing: its number, and the number of entries before it.
    #[serde(skip)]
    missing: Option<(u32, u64)>,
    /// The sources and toolchains of bots that were built, if the entries have them.
    #[serde(skip)]
    built: BTreeMap<(String, u32), String>,
    /// Whether the files are passed over, and all texts made from `seasons.csv`.
    #[serde(skip)]
    without_files: bool,
}

impl Seasons {
    /// Returns entries that follow from `seasons.csv` alone, to find out which of a file and the table is damaged.
    pub(super) fn without_files() -> Seasons {
        Seasons { without_files: true, ..Seasons::default() }
    }

    /// Returns the file of the first season whose entry differs from that in `other`.
    pub(super) fn first_other(&self, root: &Path, other: &Seasons) -> Option<PathBuf> {
        let mut both = self.listed.iter().zip(&other.listed);
        let ((number, _), _) = both.find(|(one, other)| one != other)?;
        Some(spot_of_season(root, *number).path().to_owned())
    }

    /// Returns the entry of a season, which comes before its first game; `None` if it is in the list already. `games`
    /// is the number of games before it.
    pub(super) fn before_game_of(
        &mut self,
        root: &Path,
        number: u32,
        games: u64,
    ) -> Result<Option<&str>, Error> {
        // The last season first, since that is asked for each game.
        if self.listed.iter().rev().any(|(listed, _)| *listed == number) {
            return Ok(None);
        }
        let spot = spot_of_season(root, number);
        let text = if spot.exists() && !self.without_files {
            spot.read_text(FILE_MAX).map_err(Error::system(spot.path(), "read the season"))?
        } else {
            // The beginning, the seasons before and the games come before it.
            let behind = 1 + self.listed.len() as u64 + games;
            self.missing = self.missing.or(Some((number, behind)));
            self.text(root, number)?
        };
        self.listed.push((number, text));
        Ok(self.listed.last().map(|(_, text)| &**text))
    }

    /// Returns a season of `seasons.csv`.
    fn season(&mut self, root: &Path, number: u32) -> Result<&Season, Error> {
        if self.known.iter().all(|season| season.number != number) {
            self.known = seasons::read(root)?;
            self.built = if Editions::read(root)?.has_sources() { built(root)? } else { BTreeMap::new() };
        }
        let known = self.known.iter().find(|season| season.number == number);
        known.ok_or_else(|| {
            let what = format!("no season {number}, of which games are in results.csv: it was removed");
            Error::record(&root.join("seasons.csv"), what)
        })
    }

    /// Returns the entry of a season: its terms and its bots, in the order of the schedule.
    fn text(&mut self, root: &Path, number: u32) -> Result<String, Error> {
        let Season { date, bots, authors, terms, .. } = self.season(root, number)?.clone();
        let bots = bots.iter().zip(&authors).map(|(bot, author)| {
            let author = if author.is_empty() { String::new() } else { format!(" {author}") };
            let built = self.built.get(&(bot.name.clone(), bot.version)).map_or("", |built| built);
            format!("bot {} {} {}{author}\n{built}", bot.name, bot.version, bot.digest)
        });
        let bots: String = bots.collect();
        Ok(format!("{SEASON}\nseason {number}\nbegan {date}\nterms {terms}\n{bots}"))
    }

    /// Writes the texts of the listed seasons, so that they can be signed.
    pub(super) fn write(&mut self, root: &Path) -> Result<(), Error> {
        for (number, text) in &self.listed[self.written..] {
            let spot = spot_of_season(root, *number);
            if publish::once(&spot, text.as_bytes())? == Published::Others {
                let what = "another runner has written it otherwise just now: start the run again";
                return Err(Error::new(ErrorKind::TryAgain, what).at(spot.path()));
            }
            self.written += 1;
        }
        Ok(())
    }

    /// Makes sure that the files of all seasons are there that checkpoints cover: those among the first `signed`
    /// entries.
    pub(super) fn check_files(&self, root: &Path, signed: u64) -> Result<(), Error> {
        match self.missing {
            Some((number, behind)) if behind < signed => {
                let what = "missing, but a checkpoint covers it: restore it from a copy";
                Err(Error::record(spot_of_season(root, number).path(), what))
            }
            _ => Ok(()),
        }
    }

    /// Makes sure that the listed seasons are those of `seasons.csv`, and of the editions of the beginning.
    ///
    /// # Errors
    ///
    /// Names the first that is not.
    pub(super) fn check(&mut self, root: &Path) -> Result<(), Error> {
        let editions = Editions::read(root)?;
        for (number, text) in self.listed.clone() {
            if text.lines().any(|line| line.starts_with("signed ")) {
                let what =
                    "authors have signed its bots, which this version does not check: begin a new hill";
                return Err(Error::file(spot_of_season(root, number).path(), what));
            }
            let now = self.text(root, number)?;
            let season = self.season(root, number)?;
            editions.check_season(root, season)?;
            let agrees = text.lines().count() == now.lines().count()
                && text.lines().zip(now.lines()).all(|(due, found)| match due.strip_prefix("terms ") {
                    // A later version of the program can have added terms.
                    Some(terms) => terms.parse().is_ok_and(|signed: Terms| signed.go_on_as(&season.terms)),
                    None => due == found,
                });
            if !agrees {
                let what = format!(
                    "the terms or entrants of season {number}, here or in entrants.csv, are not the signed ones in {}: \
                     they were changed",
                    spot_of_season(root, number).path().display()
                );
                return Err(Error::record(&root.join("seasons.csv"), what));
            }
        }
        Ok(())
    }
}
