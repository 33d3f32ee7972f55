//! The signed list of a hill or a tournament. Its first entry is `proof/beginning`. Each game of `results.csv` is an
//! entry: its rows, byte by byte. On a hill, the entrants of a season are an entry before its first game. In a
//! tournament, the plan of each further round is an entry before the first game of that round.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::proof::tree::{self, Growing, Hash};

use crate::beginning::{self, Seasons};
use referee_contest::folder::results_of;
use referee_contest::{fixture, plan};
use referee_files::beneath::Spot;
use referee_files::{lock, results};
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};
use referee_record::results::Games;

/// The list, as far as it has been read: the right edge of its tree.
#[derive(Debug)]
pub(super) struct List {
    root: PathBuf,
    results: Results,
    tree: Growing,
    /// The hash of the first entry.
    beginning: Hash,
}

/// The results, as far as they have been read.
#[derive(Debug)]
struct Results {
    spot: Spot,
    /// `None` before the first game.
    reader: Option<Box<Games>>,
    /// The file of the results, whose length tells where the last whole write ends.
    file: Option<File>,
    /// The entries of seasons; none of a tournament.
    seasons: Seasons,
    /// The last round of a tournament whose plan is in the list.
    round: u32,
    /// The number of games.
    games: u64,
}

/// What was read of a list, for a later reading.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ListState {
    results: results::Place,
    games: u64,
    seasons: Seasons,
    round: u32,
    tree: Growing,
    beginning: Hash,
}

/// The plan of a tournament's next round, which is an entry behind the row with this chain.
struct NextPlan {
    round: u32,
    behind: String,
    text: String,
}

impl NextPlan {
    /// Finds the plan after that of a round, if it is there.
    fn after(root: &Path, round: u32) -> Result<Option<NextPlan>, Error> {
        let round = round + 1;
        if !plan::is_there(root, &plan::folder_of(root, round)) {
            return Ok(None);
        }
        let plan = plan::open_round(root, round)?;
        let behind = plan.contents.earlier.unwrap_or_default();
        Ok(Some(NextPlan { round, behind, text: format!("plan,{round},{}\n", plan.id) }))
    }
}

impl ListState {
    /// Returns the number of bytes of the results that were read.
    pub(super) fn bytes(&self) -> u64 {
        self.results.bytes()
    }
}

impl List {
    /// Returns the number of bytes of the results that were read.
    pub(super) fn bytes(&self) -> u64 {
        self.results.reader.as_ref().map_or(0, |reader| reader.reached().bytes)
    }

    /// Returns what was read; `None` if a later reading could not recognize the results.
    pub(super) fn state(&self) -> Result<Option<ListState>, Error> {
        let Results { spot, reader: Some(reader), seasons, round, games, .. } = &self.results else {
            return Ok(None);
        };
        let place = results::Place::of(spot, reader)?;
        Ok(place.map(|results| ListState {
            results,
            games: *games,
            seasons: seasons.clone(),
            round: *round,
            tree: self.tree.clone(),
            beginning: self.beginning,
        }))
    }

    /// Goes on from what was read before; `None` if the results are not those any more.
    pub(super) fn resume(root: &Path, state: ListState) -> Result<Option<List>, Error> {
        let ListState { results, games, seasons, round, tree, beginning } = state;
        let spot = results_of(root);
        if !spot.exists() {
            return Ok(None);
        }
        let reader = results::games_behind(&spot, &results)?;
        Ok(reader.map(|reader| {
            let reader = Some(Box::new(reader));
            let results = Results { spot, reader, file: None, seasons, round, games };
            List { root: root.to_owned(), results, tree, beginning }
        }))
    }

    /// Creates a list before any reading.
    pub(super) fn new(root: &Path) -> List {
        let (spot, seasons) = (results_of(root), Seasons::default());
        let results = Results { spot, reader: None, file: None, seasons, round: 1, games: 0 };
        List { root: root.to_owned(), results, tree: Growing::default(), beginning: Hash::default() }
    }

    /// Creates a list of which the entries of seasons follow from `seasons.csv` alone.
    pub(super) fn without_season_files(root: &Path) -> List {
        let mut list = List::new(root);
        list.results.seasons = Seasons::without_files();
        list
    }

    /// Returns the file of the first season whose entry is another one in the other list.
    pub(super) fn other_season_file(&self, other: &List) -> Option<PathBuf> {
        self.results.seasons.first_other(&self.root, &other.results.seasons)
    }

    /// Reads the new entries. `take` gets the name and bytes of each, and the list that includes it.
    pub(super) fn read_on(&mut self, mut take: impl FnMut(&str, &[u8], &At)) -> Result<(), Error> {
        let List { root, results, tree, beginning } = self;
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
        let Results { spot, reader, file, seasons, round, games } = results;
        open_or_go_on(spot, reader, file)?;
        let Some(reader) = reader else { return Ok(()) };
        let is_hill = !crate::is_tournament(root);
        // A round is planned before its first game is listed.
        let mut next = if is_hill { None } else { NextPlan::after(root, *round)? };
        loop {
            while let Some(plan) = next.take_if(|next| next.behind == reader.last_chain().as_str()) {
                *round = plan.round;
                push(&format!("plan,{round}"), plan.text.as_bytes(), *games, None);
                next = NextPlan::after(root, *round)?;
            }
            // Signed results that cannot be read as such were changed.
            let skimmed = reader.skim().map_err(|error| error.or(ErrorKind::Tampered))?;
            let Some(name) = skimmed else { return Ok(()) };
            if is_hill
                && let Some(place) = fixture::place_of(&name)
                && let Some(text) = seasons.before_game_of(root, place.season, *games)?
            {
                push(&format!("season,{}", place.season), text.as_bytes(), *games, None);
            }
            *games += 1;
            push(&name, reader.text(), *games, Some(reader));
        }
    }

    /// Makes sure that what was read beside the results is what the settings and `seasons.csv` say.
    ///
    /// # Errors
    ///
    /// Names the first that is not.
    pub(super) fn check_settings(&mut self, origin: &str) -> Result<(), Error> {
        beginning::check(&self.root, origin)?;
        self.results.seasons.check(&self.root)
    }

    /// Makes sure that the files of all seasons are there that checkpoints cover: those among this number of entries.
    ///
    /// # Errors
    ///
    /// Names the first that is missing.
    pub(super) fn check_season_files(&self, signed: u64) -> Result<(), Error> {
        self.results.seasons.check_files(&self.root, signed)
    }

    /// Writes the files of those seasons in the list that have none yet.
    pub(super) fn write_seasons(&mut self) -> Result<(), Error> {
        self.results.seasons.write(&self.root)
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

    /// Returns the number of games.
    pub(super) fn games(&self) -> u64 {
        self.results.games
    }

    /// Returns when the last game started; `None` if there is none.
    pub(super) fn started(&self) -> Option<String> {
        self.reader().and_then(started_of)
    }

    /// Returns the chain of the last row, if there is one.
    pub(super) fn chain(&self) -> Option<&Digest> {
        self.reader().map(Games::last_chain)
    }

    /// Returns the reader of the results, if it has read a game.
    fn reader(&self) -> Option<&Games> {
        self.results.reader.as_deref().filter(|_| self.results.games > 0)
    }
}

/// The list up to an entry.
#[derive(Debug)]
pub(super) struct At<'a> {
    /// Its tree.
    pub(super) tree: &'a Growing,
    /// The number of games in it.
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

/// Returns what tells a file from another one.
fn id_of(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

/// Opens the results, if they are there; if they were opened before, lets their reader go on to their present end.
fn open_or_go_on(spot: &Spot, reader: &mut Option<Box<Games>>, file: &mut Option<File>) -> Result<(), Error> {
    let Some(reader) = reader else {
        if spot.exists() {
            *reader = Some(Box::new(results::games(spot)?));
        }
        return Ok(());
    };
    let refused = || Error::system(spot.path(), "open the results");
    let found = fs::symlink_metadata(spot.path()).map(|found| id_of(&found)).map_err(refused())?;
    let known = file.as_ref().map(File::metadata).transpose().map_err(refused())?;
    let file = match file {
        Some(file) if known.is_some_and(|known| id_of(&known) == found) => file,
        // On a disk that several machines share, the results are another file each time they are listed.
        _ => {
            let opened = spot.open().map_err(refused())?;
            let (mut again, reached) = (results::games(spot)?, reader.reached());
            if reached.lines > 1 && !again.go_to(&reached)? {
                let what = "it does not go on from the results that were read before: they were changed";
                return Err(Error::record(spot.path(), what));
            }
            **reader = again;
            file.insert(opened)
        }
    };
    // Only up to the end of the last whole write.
    reader.go_on_to(lock::settled_length(file, spot.path())?)?;
    Ok(())
}
