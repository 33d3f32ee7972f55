//! `results.csv` and `voids.csv` of a hill: the games that have ended, in the order of the schedule. A game is listed
//! when all before it in its season have ended, so the files do not depend on who played which game, or when. They
//! follow from what the runners recorded: a file that is deleted comes back the same.

use std::collections::{BTreeSet, VecDeque};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use referee_files::beneath::{self, Spot};
use referee_files::log::part_of;
use referee_files::results::{self, ResultsFile, SetAside};
use referee_files::{small, voids};
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::results::{Games, Scheduled};
use referee_record::voids::{GIVEN_UP, VoidRow};

use crate::fixture::{game_id, place_of};
use crate::folder::{results_of, voids_of};
use crate::publish;
use crate::records::Ended;
use crate::runner::GameEnd;

/// Both files, as one of the runners of a hill writes them. To be used under the lock of the hill.
#[derive(Debug)]
pub(super) struct Listing {
    root: PathBuf,
    results: ResultsFile,
    /// The results that were not read yet.
    tail: Games,
    /// The games in the results.
    listed: BTreeSet<Scheduled>,
    voids: Voids,
    /// The season that is being played, and the last round of it whose games are known.
    season: u32,
    round: u32,
    /// The games up to that round that are not listed yet.
    due: VecDeque<Scheduled>,
}

/// The list of void games.
#[derive(Debug)]
struct Voids {
    spot: Spot,
    length: u64,
    /// Whether other machines may write to it.
    is_shared: bool,
    /// The rows of games that are not in the results: game, attempt and reason.
    rows: BTreeSet<(String, u32, String)>,
    /// The games that are given up.
    given_up: BTreeSet<Scheduled>,
}

impl Listing {
    /// Opens both files, or begins them. `look` is called with each game that is listed.
    pub(super) fn open(
        root: &Path,
        mut look: impl FnMut(GameResult) -> Result<(), Error>,
    ) -> Result<(Listing, Option<SetAside>), Error> {
        let (results, set_aside) = ResultsFile::open(results_of(root))?;
        let mut listed = BTreeSet::new();
        let mut tail = results::games(results_of(root))?;
        for game in tail.by_ref() {
            let game = GameResult::new(game?.into_iter().map(|(_, row)| row).collect());
            listed.extend(game.scheduled());
            look(game)?;
        }
        let (rows, given_up) = (BTreeSet::new(), BTreeSet::new());
        let mut voids =
            Voids { spot: voids_of(root), length: 0, is_shared: !beneath::is_local(root), rows, given_up };
        voids.read_on(&listed)?;
        let (season, round, due) = (0, 0, VecDeque::new());
        let root = root.to_owned();
        Ok((Listing { root, results, tail, listed, voids, season, round, due }, set_aside))
    }

    /// Makes the list of void games again, if it is gone. `ended` has the rows of all games that have ended.
    pub(super) fn make_voids_again(
        &mut self,
        ended: impl IntoIterator<Item = Scheduled>,
        voids_of: impl Fn(&str) -> Result<Vec<VoidRow>, Error>,
    ) -> Result<(), Error> {
        if self.voids.length > 0 {
            return Ok(());
        }
        // If a game of a later season is listed, all of the season before are.
        let is_listed = |place: &Scheduled| self.listed.range(place..).next().is_some();
        let mut rows = Vec::new();
        for place in ended.into_iter().collect::<BTreeSet<_>>().into_iter().filter(is_listed) {
            rows.extend(voids_of(&game_id(place))?);
        }
        if !rows.is_empty() {
            publish::replace(&self.voids.spot, &small::text(&rows))?;
        }
        self.voids.read_on(&self.listed)
    }

    /// Returns the games that are listed, or given up.
    pub(super) fn games(&self) -> BTreeSet<Scheduled> {
        self.listed.union(&self.voids.given_up).copied().collect()
    }

    /// Counts the games in the results.
    pub(super) fn count(&self) -> usize {
        self.listed.len()
    }

    /// Tells whether a game is listed, or given up.
    pub(super) fn has(&self, place: Scheduled) -> bool {
        self.listed.contains(&place) || self.voids.given_up.contains(&place)
    }

    /// Begins to list a season whose rounds up to this one are all listed.
    pub(super) fn begin_season(&mut self, season: u32, round: u32) {
        (self.season, self.round) = (season, round);
        self.due.clear();
    }

    /// Takes the games of the next round of the season, if it was not taken before.
    pub(super) fn expect(&mut self, round: u32, games: impl IntoIterator<Item = Scheduled>) {
        if round == self.round + 1 {
            self.round = round;
            let mut games: Vec<Scheduled> = games.into_iter().collect();
            games.sort();
            self.due.extend(games);
        }
    }

    /// Returns the last round whose games are known.
    pub(super) fn round(&self) -> u32 {
        self.round
    }

    /// Reads what other runners have listed, and sets aside a game that one of them has left unfinished.
    pub(super) fn read_on(&mut self) -> Result<(), Error> {
        self.results.repair()?;
        self.tail.go_on()?;
        for game in self.tail.by_ref() {
            self.listed.extend(game?[0].1.place_in_schedule);
        }
        self.voids.read_on(&self.listed)
    }

    /// Lists the games of the season that have ended, up to the first that has not. Returns the new ones.
    pub(super) fn go_on(
        &mut self,
        mut end_of: impl FnMut(&str) -> Result<Option<Ended>, Error>,
    ) -> Result<Vec<GameResult>, Error> {
        let mut new = Vec::new();
        while let Some(place) = self.due.front().copied() {
            if !self.has(place) {
                let Some(ended) = end_of(&game_id(place))? else { break };
                new.extend(self.add(place, ended)?);
            }
            self.due.pop_front();
        }
        Ok(new)
    }

    /// Lists a game, unless it is listed. Returns its result if there is one.
    pub(super) fn add(&mut self, place: Scheduled, ended: Ended) -> Result<Option<GameResult>, Error> {
        // The voids first: the result says that they are all there.
        for row in ended.voids {
            self.voids.add(row)?;
        }
        let GameEnd::Over(rows) = ended.came else {
            self.voids.given_up.insert(place);
            return Ok(None);
        };
        self.results.append_soon(&rows)?;
        self.listed.insert(place);
        // Then its log gets its name: the next run sees to that if this one is killed here.
        let log = self.root.join(&rows.shared().log);
        let part = Spot::within(&self.root, part_of(&log));
        match part.rename(&Spot::within(&self.root, &log)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Error::system(&log, "rename the log")(error))
            }
            _ => Ok(Some(rows)),
        }
    }

    /// Waits until the results are on the disk.
    pub(super) fn sync(&mut self) -> Result<(), Error> {
        self.results.sync()
    }
}

impl Voids {
    /// Reads the list if it has changed.
    fn read_on(&mut self, listed: &BTreeSet<Scheduled>) -> Result<(), Error> {
        let length = self.length_now();
        if length == self.length {
            return Ok(());
        }
        self.rows.clear();
        voids::each(&self.spot, |row| {
            if let Some(place) = place_of(&row.game).filter(|place| !listed.contains(place)) {
                if row.reason == GIVEN_UP {
                    self.given_up.insert(place);
                }
                self.rows.insert((row.game, row.attempt, row.reason));
            }
            Ok(())
        })?;
        self.length = length;
        Ok(())
    }

    fn add(&mut self, row: VoidRow) -> Result<(), Error> {
        let key = (row.game.clone(), row.attempt, row.reason.clone());
        if !self.rows.contains(&key) {
            voids::append(&self.spot, &row)?;
            self.length = self.length_now();
            self.rows.insert(key);
        }
        Ok(())
    }

    fn length_now(&self) -> u64 {
        match self.is_shared {
            // A look alone can be late.
            true => self.spot.open().and_then(|file| file.metadata()).map_or(0, |there| there.len()),
            false => self.spot.look().ok().flatten().map_or(0, |there| there.length()),
        }
    }
}
