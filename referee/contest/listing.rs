//! The listing of a contest: `results.csv` and `voids.csv`, the games that have ended, in the order of the schedule. A
//! game is listed when all before it in its season or its round have ended, so the files do not depend on which runner
//! played which game, or when. They follow from what the runners recorded: a file that is deleted is made again, and is
//! the same.

use std::collections::{BTreeSet, VecDeque};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use referee_files::beneath::{self, Spot};
use referee_files::log::part_of;
use referee_files::results::{self, Appended, ResultsFile, SetAside};
use referee_files::{small, voids};
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::results::{Games, ResultsPlace, Scheduled};
use referee_record::voids::{VoidReason, VoidRow};

use crate::fixture::{game_id, place_of};
use crate::folder::{results_of, voids_of};
use crate::lock::Lock;
use crate::publish;
use crate::recorder::Recorder;
use crate::records::Ended;
use crate::runner::GameEnd;
use crate::runner::pool::held;

/// Both files, as one of the runners of a contest writes them. To be used under the lock of the contest.
#[derive(Debug)]
pub(crate) struct Listing {
    root: PathBuf,
    results: ResultsFile,
    /// The reader of the results, behind what was read.
    tail: Games,
    /// The games in the results.
    listed: BTreeSet<Scheduled>,
    voids: Voids,
    /// The last round of a hill's season whose games are known.
    round: u32,
    /// The games that are listed next, in their order.
    upcoming: VecDeque<Scheduled>,
}

/// The list of void games.
#[derive(Debug)]
struct Voids {
    spot: Spot,
    /// Its length in bytes when it was read last.
    length: u64,
    /// Whether other machines may write to it.
    is_shared: bool,
    /// Where it was read to.
    place: Option<small::Place>,
    voids_read: VoidsRead,
}

/// What was read of the list of void games.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct VoidsRead {
    /// Void attempts (game, number, reason) of games that have no result and are not given up. They are kept so that
    /// none is written twice.
    rows: BTreeSet<(String, u32, VoidReason)>,
    /// The games that are given up.
    given_up: BTreeSet<Scheduled>,
}

/// What was read of both files, up to a game; a cache keeps it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Listed<G = Vec<Scheduled>> {
    results: results::Place,
    /// In the order of the schedule.
    games: G,
    voids: Option<small::Place>,
    #[serde(rename = "seen")]
    voids_read: VoidsRead,
}

/// The lists of a contest, with its lock.
#[derive(Debug)]
pub(crate) struct List {
    pub(crate) lock: Lock,
    pub(crate) listing: Mutex<Listing>,
}

impl List {
    pub(crate) fn new(lock: Lock, listing: Listing) -> List {
        List { lock, listing: Mutex::new(listing) }
    }

    /// Lists what has ended, in the order of the schedule, and returns the new results. To be called under the lock.
    pub(crate) fn list_all(&self, recorder: &mut Recorder) -> Result<Vec<GameResult>, Error> {
        recorder.records.follow()?;
        self.list_known(recorder)
    }

    /// As [`list_all`](List::list_all), but reads the records of others only if there are others, as far as this runner
    /// knows.
    pub(crate) fn list(&self, recorder: &mut Recorder) -> Result<Vec<GameResult>, Error> {
        if recorder.is_shared { self.list_all(recorder) } else { self.list_known(recorder) }
    }

    /// Lists what has ended by the records that were read.
    fn list_known(&self, recorder: &mut Recorder) -> Result<Vec<GameResult>, Error> {
        let mut listing = held(&self.listing);
        listing.read_on()?;
        listing.go_on(|game| recorder.records.end_of(game))
    }

    /// Lists what can be listed now that a game has ended. Each listed game's log gets its final name.
    pub(crate) fn game_ended(&self, recorder: &mut Recorder) -> Result<(), Error> {
        self.lock.hold(|| self.list(recorder).map(drop))
    }
}

impl Listing {
    /// Opens both files, or begins them. `before` is an earlier reading, and a reader of the results behind it. `look`
    /// gets each result that was not read before.
    pub(crate) fn open(
        root: &Path,
        before: Option<(Listed, Games)>,
        mut look: impl FnMut(GameResult) -> Result<(), Error>,
    ) -> Result<(Listing, Option<SetAside>), Error> {
        let (results, set_aside) = ResultsFile::open(results_of(root))?;
        let (mut listed, mut tail, place, voids_read) = match before {
            Some((Listed { games, voids, voids_read, .. }, tail)) => {
                (games.into_iter().collect(), tail, voids, voids_read)
            }
            None => (BTreeSet::new(), results::games(results_of(root))?, None, VoidsRead::default()),
        };
        // Opening the file can set aside an unfinished game at its end, so the reader has to take the new length.
        tail.go_on()?;
        for game in tail.by_ref() {
            let game = GameResult::of(game?);
            listed.extend(game.scheduled());
            look(game)?;
        }
        let is_shared = !beneath::is_local(root);
        let mut voids = Voids { spot: voids_of(root), length: 0, is_shared, place, voids_read };
        voids.read_on(&listed)?;
        let (round, upcoming, root) = (0, VecDeque::new(), root.to_owned());
        Ok((Listing { root, results, tail, listed, voids, round, upcoming }, set_aside))
    }

    /// Returns what was read of both files; `None` if a later run could not tell that they are the same.
    pub(crate) fn read_so_far(&self) -> Result<Option<Listed<&BTreeSet<Scheduled>>>, Error> {
        let place = results::Place::of(results_of(&self.root), &self.tail)?;
        let mut voids_read = self.voids.voids_read.clone();
        voids_read.forget(&self.listed);
        let voids = self.voids.place.clone();
        Ok(place.map(|results| Listed { results, games: &self.listed, voids, voids_read }))
    }

    /// Makes the list of void games again, if it is gone or empty. `games` are the listed games with void attempts, in
    /// the order of the list.
    pub(crate) fn make_voids_again(
        &mut self,
        games: impl IntoIterator<Item = Scheduled>,
        voids_of: impl Fn(&str) -> Result<Vec<VoidRow>, Error>,
    ) -> Result<(), Error> {
        if self.voids.length > 0 {
            return Ok(());
        }
        let mut rows = Vec::new();
        for place in games {
            rows.extend(voids_of(&game_id(place))?);
        }
        if !rows.is_empty() {
            publish::replace(&self.voids.spot, &small::text(&rows))?;
        }
        self.voids.read_on(&self.listed)
    }

    /// Tells whether a game of a hill, or one behind it, is in the results. Games of later seasons are behind it, too:
    /// before they are listed, an earlier season is listed to its end.
    pub(crate) fn has_passed(&self, place: Scheduled) -> bool {
        self.listed.range(place..).next().is_some()
    }

    /// Returns the games that are listed, or given up.
    pub(crate) fn games(&self) -> BTreeSet<Scheduled> {
        self.listed.union(&self.voids.voids_read.given_up).copied().collect()
    }

    /// Returns the last season of which a game is listed, or given up.
    pub(crate) fn last_season(&self) -> Option<u32> {
        let last = [self.listed.last(), self.voids.voids_read.given_up.last()];
        last.into_iter().flatten().map(|place| place.season).max()
    }

    /// Counts the games in the results.
    pub(crate) fn count(&self) -> usize {
        self.listed.len()
    }

    /// Tells whether a game is in the results.
    pub(crate) fn has_result(&self, place: Scheduled) -> bool {
        self.listed.contains(&place)
    }

    /// Tells whether a game is listed, or given up.
    pub(crate) fn has(&self, place: Scheduled) -> bool {
        self.listed.contains(&place) || self.voids.voids_read.given_up.contains(&place)
    }

    /// Begins to list a season whose rounds up to this one are all listed.
    pub(crate) fn begin_season(&mut self, round: u32) {
        self.round = round;
        self.upcoming.clear();
    }

    /// Adds games that are listed next, in their order.
    pub(crate) fn expect_all(&mut self, games: impl IntoIterator<Item = Scheduled>) {
        self.upcoming.extend(games);
    }

    /// Adds the games of the next round of the season, unless they were added before.
    pub(crate) fn expect(&mut self, round: u32, games: impl IntoIterator<Item = Scheduled>) {
        if round == self.round + 1 {
            self.round = round;
            let mut games: Vec<Scheduled> = games.into_iter().collect();
            games.sort();
            self.upcoming.extend(games);
        }
    }

    /// Tells whether a game that is due has not ended.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.upcoming.is_empty()
    }

    /// Returns the last round whose games are known.
    pub(crate) fn round(&self) -> u32 {
        self.round
    }

    /// Reads what other runners have listed, and sets aside a game that one of them has left unfinished.
    pub(crate) fn read_on(&mut self) -> Result<(), Error> {
        self.results.repair()?;
        self.tail.go_on()?;
        for game in self.tail.by_ref() {
            self.listed.extend(game?[0].1.place_in_schedule);
        }
        self.voids.read_on(&self.listed)
    }

    /// Lists the expected games that have ended, up to the first that has not. Returns the new results.
    pub(crate) fn go_on(
        &mut self,
        mut end_of: impl FnMut(&str) -> Result<Option<Ended>, Error>,
    ) -> Result<Vec<GameResult>, Error> {
        let mut new = Vec::new();
        while let Some(place) = self.upcoming.front().copied() {
            if !self.has(place) {
                let Some(ended) = end_of(&game_id(place))? else { break };
                new.extend(self.add(place, ended)?);
            }
            self.upcoming.pop_front();
        }
        Ok(new)
    }

    /// Lists a game, unless it is listed. Returns its result if there is one.
    pub(crate) fn add(&mut self, place: Scheduled, ended: Ended) -> Result<Option<GameResult>, Error> {
        // Voids first: a reader who sees the result of a game relies on all of its void attempts being there.
        for row in ended.voids {
            self.voids.add(row)?;
        }
        let GameEnd::Over(rows) = ended.end else {
            self.voids.voids_read.give_up(place);
            return Ok(None);
        };
        let Appended { start, end, chain } = self.results.append_soon(&rows)?;
        let reached = self.tail.reached();
        // If the reader is at this game, it need not read what was just written.
        if reached.bytes == start {
            let lines = reached.lines + rows.len() as u64;
            self.tail.pass_over(&ResultsPlace { bytes: end, lines, chain })?;
        }
        self.listed.insert(place);
        // The log gets its final name now. If this process is killed here, the next run gives it.
        let log = self.root.join(rows.log());
        match Spot::within(&self.root, part_of(&log)).rename(&Spot::within(&self.root, &log)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Error::system(&log, "rename the log")(error))
            }
            _ => Ok(Some(rows)),
        }
    }

    /// Returns the end of the list of void games.
    pub(crate) fn end_of_voids(&self) -> Result<Option<small::Place>, Error> {
        let mut end = self.voids.place.clone();
        small::follow(&self.voids.spot, &mut end, &mut (), |(), _: VoidRow| ())?;
        Ok(end)
    }

    /// Waits until the results are on the disk.
    pub(crate) fn sync(&mut self) -> Result<(), Error> {
        self.results.sync()
    }
}

impl<G> Listed<G> {
    /// Returns the number of bytes of the results that were read.
    pub(crate) fn bytes(&self) -> u64 {
        self.results.bytes()
    }
}

impl Listed {
    /// Opens the results at the end of what was read. `None` if either file may no longer be the same.
    pub(crate) fn open_rest(&self, root: &Path) -> Result<Option<Games>, Error> {
        match &self.voids {
            Some(place) if !small::is_there(&voids_of(root), place)? => Ok(None),
            _ => results::games_behind(results_of(root), &self.results),
        }
    }

    /// Returns the place in the list of void games, and the games that are given up there.
    pub(crate) fn given_up(&self) -> (Option<small::Place>, BTreeSet<Scheduled>) {
        (self.voids.clone(), self.voids_read.given_up.clone())
    }

    /// Reads both files behind what was read before, and calls `look` with each game. `None` if a later run could not
    /// tell that they are the same.
    pub(crate) fn read(
        root: &Path,
        before: Option<(Listed, Games)>,
        mut look: impl FnMut(GameResult) -> Result<(), Error>,
    ) -> Result<Option<Listed>, Error> {
        let (mut listed, mut results, mut voids, mut voids_read) = match before {
            Some((Listed { games, voids, voids_read, .. }, results)) => (games, results, voids, voids_read),
            None => (Vec::new(), results::games(results_of(root))?, None, VoidsRead::default()),
        };
        for game in results.by_ref() {
            let game = GameResult::of(game?);
            listed.extend(game.scheduled());
            look(game)?;
        }
        let games: BTreeSet<Scheduled> = listed.iter().copied().collect();
        small::follow(&voids_of(root), &mut voids, &mut voids_read, |voids_read, row| {
            voids_read.take(row, &games)
        })?;
        let place = results::Place::of(results_of(root), &results)?;
        voids_read.forget(&games);
        Ok(place.map(|results| Listed { results, games: listed, voids, voids_read }))
    }
}

impl VoidsRead {
    /// Takes a row, unless its game is in the results.
    fn take(&mut self, row: VoidRow, listed: &BTreeSet<Scheduled>) {
        let Some(place) = place_of(&row.game) else { return };
        if listed.contains(&place) {
            return;
        }
        if row.reason == VoidReason::GivenUp {
            self.give_up(place);
        } else if !self.given_up.contains(&place) {
            self.rows.insert((row.game, row.attempt, row.reason));
        }
    }

    /// Takes note that a game is given up: no further row of it is added.
    fn give_up(&mut self, place: Scheduled) {
        let game = game_id(place);
        // The least possible key of this game.
        let first = (game.clone(), 0, VoidReason::SandboxError);
        let rows = self.rows.range(first..).take_while(|(name, ..)| *name == game);
        for row in rows.cloned().collect::<Vec<_>>() {
            self.rows.remove(&row);
        }
        self.given_up.insert(place);
    }

    /// Forgets the rows of games in the results.
    fn forget(&mut self, listed: &BTreeSet<Scheduled>) {
        self.given_up.retain(|place| !listed.contains(place));
        self.rows.retain(|(game, ..)| place_of(game).is_some_and(|place| !listed.contains(&place)));
    }
}

impl Voids {
    /// Reads what is new in the list.
    fn read_on(&mut self, listed: &BTreeSet<Scheduled>) -> Result<(), Error> {
        let length = self.length_now();
        if length == self.length {
            return Ok(());
        }
        small::follow(&self.spot, &mut self.place, &mut self.voids_read, |voids_read, row| {
            voids_read.take(row, listed)
        })?;
        self.length = length;
        Ok(())
    }

    /// Adds a row, unless it is there.
    fn add(&mut self, row: VoidRow) -> Result<(), Error> {
        let key = (row.game.clone(), row.attempt, row.reason);
        if !self.voids_read.rows.contains(&key) {
            voids::append(&self.spot, &row)?;
            self.length = self.length_now();
            self.voids_read.rows.insert(key);
        }
        Ok(())
    }

    fn length_now(&self) -> u64 {
        if self.is_shared {
            // Over a network, a look at the file can show an old length. Opening it does not.
            self.spot.open().and_then(|file| file.metadata()).map_or(0, |found| found.len())
        } else {
            self.spot.look().ok().flatten().map_or(0, |found| found.length())
        }
    }
}
