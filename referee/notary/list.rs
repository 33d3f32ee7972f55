//! The signed list of a hill or a tournament. For a hill, each game of `results.csv` is an entry: its rows,
//! byte by byte. The entries of a tournament are the lines of `proof/list.csv`.

use std::path::Path;

use crate::proof::tree::{self, Growing, Hash};

use crate::entries::{self, Lines};
use referee_contest::folder::results_of;
use referee_files::beneath::Spot;
use referee_files::results;
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};
use referee_record::results::Games;

/// The list, as far as it has been read: the right edge of its tree.
#[derive(Debug)]
pub(super) struct List {
    source: Source,
    tree: Growing,
}

#[derive(Debug)]
enum Source {
    /// For a hill: the results, and their reader; `None` before the first game.
    Games(Spot, Option<Box<Games>>),
    /// For a tournament.
    Lines(Lines),
}

impl List {
    /// Creates a list before any reading.
    pub(super) fn of(root: &Path) -> List {
        let source = match entries::is_tournament(root) {
            true => Source::Lines(Lines::of(root)),
            false => Source::Games(results_of(root), None),
        };
        List { source, tree: Growing::default() }
    }

    /// Reads the new entries. `take` gets the name and bytes of each, and the list that includes it.
    ///
    /// # Errors
    ///
    /// If the results are damaged.
    pub(super) fn read_on(&mut self, mut take: impl FnMut(&str, &[u8], &Growing)) -> Result<(), Error> {
        let List { source, tree } = self;
        let mut push = |name: &str, text: &[u8]| {
            tree.push(tree::leaf(text));
            take(name, text, tree);
        };
        let games = match source {
            Source::Lines(lines) => return lines.read_on(push),
            Source::Games(spot, games) => {
                begin_or_go_on(spot, games)?;
                games
            }
        };
        let Some(games) = games else { return Ok(()) };
        while let Some(name) = games.skim().map_err(|error| error.or(ErrorKind::Tampered))? {
            push(&name, games.text());
        }
        Ok(())
    }

    /// Returns the number of entries.
    pub(super) fn size(&self) -> u64 {
        self.tree.size()
    }

    /// Returns the root over all entries.
    pub(super) fn root(&self) -> Hash {
        self.tree.root()
    }

    /// Returns the chain of the last row of a hill's results, if there is one.
    pub(super) fn chain(&self) -> Option<&Digest> {
        match &self.source {
            Source::Games(_, games) => {
                games.as_ref().filter(|_| self.size() > 0).map(|games| games.last_chain())
            }
            Source::Lines(_) => None,
        }
    }

    /// Returns the word for one entry, and the name of the file with the entries.
    pub(super) fn words(&self) -> (&'static str, &'static str) {
        match self.source {
            Source::Games(..) => ("game", "results.csv"),
            Source::Lines(_) => ("line", "proof/list.csv"),
        }
    }
}

fn begin_or_go_on(spot: &Spot, games: &mut Option<Box<Games>>) -> Result<(), Error> {
    match games {
        None if spot.exists() => *games = Some(Box::new(results::games(spot)?)),
        None => {}
        Some(games) => {
            // The lock waits for the end of a write.
            let (path, file) = (spot.path(), spot.open());
            let file = file.map_err(Error::system(path, "open the results"))?;
            file.lock_shared().map_err(Error::system(path, "lock the results"))?;
            games.go_on()?;
        }
    }
    Ok(())
}
