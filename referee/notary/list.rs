//! The signed list of a hill or a tournament. Its first entry is `proof/beginning`. For a hill, each game of
//! `results.csv` is an entry: its rows, byte by byte; before the first game of a season come its entrants. The other
//! entries of a tournament are the lines of `proof/list.csv`.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::proof::tree::{self, Growing, Hash};

use crate::beginning::{self, Seasons};
use crate::entries::{self, Lines};
use referee_contest::fixture;
use referee_contest::folder::results_of;
use referee_files::beneath::Spot;
use referee_files::{lock, results};
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};
use referee_record::results::Games;

/// The list, as far as it has been read: the right edge of its tree.
#[derive(Debug)]
pub(super) struct List {
    root: PathBuf,
    source: Source,
    tree: Growing,
    /// The hash of the first entry.
    beginning: Hash,
}

#[derive(Debug)]
enum Source {
    Hill(Results),
    Tournament(Lines),
}

/// The results of a hill, as far as they have been read.
#[derive(Debug)]
struct Results {
    spot: Spot,
    /// `None` before the first game.
    reader: Option<Box<Games>>,
    /// The file, to see when nobody writes to it.
    file: Option<File>,
    seasons: Seasons,
    /// The number of games.
    games: u64,
}

/// What was read of the list of a hill, for a later reading.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    results: results::Place,
    games: u64,
    seasons: Seasons,
    tree: Growing,
    beginning: Hash,
}

impl Kept {
    /// Returns the number of bytes of the results that were read.
    pub(super) fn bytes(&self) -> u64 {
        self.results.bytes()
    }
}

impl List {
    /// Returns the number of bytes of a hill's results that were read.
    pub(super) fn bytes(&self) -> u64 {
        match &self.source {
            Source::Hill(Results { reader: Some(reader), .. }) => reader.reached().bytes,
            _ => 0,
        }
    }

    /// Returns what was read; `None` if a later reading could not recognize the results, or of a tournament.
    pub(super) fn kept(&self) -> Result<Option<Kept>, Error> {
        let Source::Hill(Results { spot, reader: Some(reader), seasons, games, .. }) = &self.source else {
            return Ok(None);
        };
        let place = results::Place::of(spot, reader)?;
        Ok(place.map(|results| Kept {
            results,
            games: *games,
            seasons: seasons.clone(),
            tree: self.tree.clone(),
            beginning: self.beginning,
        }))
    }

    /// Goes on from what was read before; `None` if the results are not those any more.
    pub(super) fn resume(root: &Path, kept: Kept) -> Result<Option<List>, Error> {
        let Kept { results, games, seasons, tree, beginning } = kept;
        let spot = results_of(root);
        if !spot.exists() {
            return Ok(None);
        }
        let reader = results::games_behind(&spot, &results)?;
        Ok(reader.map(|reader| {
            let source =
                Source::Hill(Results { spot, reader: Some(Box::new(reader)), file: None, seasons, games });
            List { root: root.to_owned(), source, tree, beginning }
        }))
    }

    /// Creates a list before any reading.
    pub(super) fn of(root: &Path) -> List {
        let source = match entries::is_tournament(root) {
            true => Source::Tournament(Lines::of(root)),
            false => Source::Hill(Results {
                spot: results_of(root),
                reader: None,
                file: None,
                seasons: Seasons::default(),
                games: 0,
            }),
        };
        List { root: root.to_owned(), source, tree: Growing::default(), beginning: Hash::default() }
    }

    /// Reads the new entries. `take` gets the name and bytes of each, and the list that includes it.
    ///
    /// # Errors
    ///
    /// If the results are damaged.
    pub(super) fn read_on(&mut self, mut take: impl FnMut(&str, &[u8], &At)) -> Result<(), Error> {
        let List { root, source, tree, beginning } = self;
        let is_begun = tree.size() > 0;
        let mut push = |name: &str, text: &[u8], games: u64, last: Option<&Games>| {
            tree.push(tree::leaf(text));
            take(name, text, &At { tree, games, last });
        };
        if !is_begun {
            let text = beginning::read(root)?;
            *beginning = tree::leaf(text.as_bytes());
            push("beginning", text.as_bytes(), 0, None);
        }
        let results = match source {
            Source::Tournament(lines) => return lines.read_on(|name, text| push(name, text, 0, None)),
            Source::Hill(results) => results,
        };
        let Results { spot, reader, file, seasons, games } = results;
        begin_or_go_on(spot, reader, file)?;
        let Some(reader) = reader else { return Ok(()) };
        while let Some(name) = reader.skim().map_err(|error| error.or(ErrorKind::Tampered))? {
            if let Some(place) = fixture::place_of(&name)
                && let Some(text) = seasons.before_game_of(root, place.season)?
            {
                push(&format!("season,{}", place.season), text.as_bytes(), *games, None);
            }
            *games += 1;
            push(&name, reader.text(), *games, Some(reader));
        }
        Ok(())
    }

    /// Makes sure that what was read beside the results is what the settings and `seasons.csv` say.
    ///
    /// # Errors
    ///
    /// Names the first that is not.
    pub(super) fn check_settings(&mut self, origin: &str) -> Result<(), Error> {
        beginning::check(&self.root, origin)?;
        match &mut self.source {
            Source::Hill(results) => results.seasons.check(&self.root),
            Source::Tournament(_) => Ok(()),
        }
    }

    /// Writes the texts that are only in the list so far.
    pub(super) fn write_seasons(&mut self) -> Result<(), Error> {
        match &mut self.source {
            Source::Hill(results) => results.seasons.write(&self.root),
            Source::Tournament(_) => Ok(()),
        }
    }

    /// Returns the number of entries.
    pub(super) fn size(&self) -> u64 {
        self.tree.size()
    }

    /// Returns the hash of the first entry, once it was read.
    pub(super) fn beginning(&self) -> Hash {
        self.beginning
    }

    /// Returns the root over all entries.
    pub(super) fn root(&self) -> Hash {
        self.tree.root()
    }

    /// Returns the number of games of a hill.
    pub(super) fn games(&self) -> u64 {
        match &self.source {
            Source::Hill(results) => results.games,
            Source::Tournament(_) => 0,
        }
    }

    /// Returns when the last game of a hill started; `None` if there is none.
    pub(super) fn started(&self) -> Option<String> {
        match &self.source {
            Source::Hill(results) if results.games > 0 => results.reader.as_deref().and_then(started_of),
            _ => None,
        }
    }

    /// Returns the chain of the last row of a hill's results, if there is one.
    pub(super) fn chain(&self) -> Option<&Digest> {
        match &self.source {
            Source::Hill(results) if results.games > 0 => {
                results.reader.as_ref().map(|reader| reader.last_chain())
            }
            _ => None,
        }
    }

    /// Returns the name of the file with the entries.
    pub(super) fn file(&self) -> &'static str {
        match self.source {
            Source::Hill(_) => "results.csv",
            Source::Tournament(_) => "proof/list.csv",
        }
    }
}

/// The list up to an entry.
#[derive(Debug)]
pub(super) struct At<'a> {
    /// Its tree.
    pub(super) tree: &'a Growing,
    /// The number of games of a hill in it.
    pub(super) games: u64,
    /// The results, if the entry is a game.
    last: Option<&'a Games>,
}

impl At<'_> {
    /// Returns when the game of the entry started; `None` if it is no game.
    pub(super) fn started(&self) -> Option<String> {
        self.last.and_then(started_of)
    }
}

/// Returns when the game started that was read last.
fn started_of(games: &Games) -> Option<String> {
    let (first, _chain) = std::str::from_utf8(games.text()).ok()?.lines().next()?.rsplit_once(',')?;
    games.header().parse(first).ok().map(|row| row.started)
}

fn begin_or_go_on(spot: &Spot, games: &mut Option<Box<Games>>, file: &mut Option<File>) -> Result<(), Error> {
    match games {
        None if spot.exists() => *games = Some(Box::new(results::games(spot)?)),
        None => {}
        Some(games) => {
            let file = match file {
                Some(file) => file,
                None => file.insert(spot.open().map_err(Error::system(spot.path(), "open the results"))?),
            };
            // Not between the two halves of a write.
            games.go_on_to(lock::length(file, spot.path())?)?;
        }
    }
    Ok(())
}
