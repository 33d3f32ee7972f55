//! What the runners of a contest record, in the folder `records` of the contest: the store's records with the values of
//! their cells.
//!
//! | record | its cells |
//! | --- | --- |
//! | begun | the number of the attempt, the date, the bots by seat |
//! | over | a row of results for each seat, in the columns that a note of the runner names |
//! | void, given_up | a row of `voids.csv`, as JSON |
//! | note | what it says, and more |

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rand::TryRng;
use rand::rngs::SysRng;
use referee_files::beneath::{self, Spot};
use referee_record::error::{Error, ErrorKind};
use referee_record::game_result::GameResult;
use referee_record::results::{Header, ResultRow};
use referee_record::voids::VoidRow;
use referee_store::{Attempt, Begun, Came, Claim, RealDisk, Runner, State, Trouble};
use referee_table::clock;

use crate::fixture::Fixture;
use crate::runner::GameEnd;
use crate::runner::tries::bots_of;

/// The first cell of the note about a repair: its date and the files follow.
pub(crate) const REPAIRED: &str = "repaired";

/// The folder of the records.
const FOLDER: &str = "records";

/// The end of a game, with its attempts that do not count.
pub(crate) struct Ended {
    pub(crate) voids: Vec<VoidRow>,
    pub(crate) came: GameEnd,
}

/// The first cell of the note that names the columns of results.
const COLUMNS: &str = "columns";

/// The records of a contest, as one of its runners writes them.
#[derive(Debug)]
pub(crate) struct Records {
    /// The folder of the contest.
    root: PathBuf,
    disk: RealDisk,
    runner: Runner<RealDisk>,
    reader: Reader,
    /// The results that this runner has recorded last, and were not asked for yet.
    own: BTreeMap<String, Vec<String>>,
}

/// Number of results that a runner keeps until they are listed. Others are read again.
const OWN_MAX: usize = 256;

/// The runner ends, so nobody has to find out that it is gone. If that fails, the next one does it.
impl Drop for Records {
    fn drop(&mut self) {
        let _ = self.runner.end();
    }
}

/// Reads the values of cells.
#[derive(Debug)]
pub(crate) struct Reader {
    root: PathBuf,
    disk: RealDisk,
    /// The columns in which a runner has recorded results.
    headers: BTreeMap<String, Header>,
}

impl Records {
    /// Begins a runner.
    pub(crate) fn begin(root: &Path) -> Result<Records, Error> {
        beneath::create_folder(&root.join(FOLDER))?;
        let named = Spot::below(root, FOLDER).sync_folder();
        named.map_err(Error::system(root, "sync the folder"))?;
        let disk = disk_of(root);
        let mut random = [0; 4];
        let drawn = SysRng.try_fill_bytes(&mut random);
        drawn.map_err(|error| Error::new(ErrorKind::System, format!("no random number: {error}")))?;
        let date = clock::date().replace(['-', ':'], "");
        let name = format!("{date}-{:08x}", u32::from_be_bytes(random));
        let runner = Runner::start(disk.clone(), &name).map_err(told(root))?;
        let (root, reader) = (root.to_owned(), Reader::new(root));
        let mut records = Records { root, disk, runner, reader, own: BTreeMap::new() };
        let columns = [COLUMNS.to_owned(), Header::current().names()];
        records.runner.note(&columns).map_err(told(&records.root))?;
        Ok(records)
    }

    /// Records something about this runner.
    pub(crate) fn note(&mut self, cells: &[String]) -> Result<(), Error> {
        self.runner.note(cells).map_err(told(&self.root))
    }

    /// Returns the folder of the contest.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns what the records said when they were last read.
    pub(crate) fn state(&self) -> &State {
        self.runner.state()
    }

    /// Reads what is new.
    pub(crate) fn follow(&mut self) -> Result<(), Error> {
        self.runner.follow().map(drop).map_err(told(&self.root))
    }

    /// Lets others see the last record.
    pub(crate) fn rest(&mut self) -> Result<(), Error> {
        self.runner.rest().map_err(told(&self.root))
    }

    /// Seals the logs of runners that are gone, and lists the others that live.
    pub(crate) fn seal_gone(&mut self) -> Result<Vec<String>, Error> {
        self.runner.seal_gone().map_err(told(&self.root))
    }

    /// Follows, and lists the other runners that live.
    pub(crate) fn others(&mut self) -> Result<Vec<String>, Error> {
        self.runner.live_others().map_err(told(&self.root))
    }

    /// Claims a game: a unit has one.
    pub(crate) fn claim(&mut self, game: &str) -> Result<Claim, Error> {
        self.runner.claim(game, &[game]).map_err(told(&self.root))
    }

    pub(crate) fn begin_attempt(&mut self, fixture: &Fixture, attempt: u32) -> Result<Begun, Error> {
        let cells = [attempt.to_string(), clock::date(), bots_of(fixture)];
        self.runner.begin(&fixture.id, &fixture.id, &cells).map_err(told(&self.root))
    }

    pub(crate) fn over(&mut self, begun: Begun, rows: &GameResult) -> Result<(), Error> {
        let cells: Vec<String> = rows.iter().map(ResultRow::text).collect();
        self.runner.over(begun, &cells).map_err(told(&self.root))?;
        if self.own.len() < OWN_MAX {
            self.own.insert(rows.game().to_owned(), cells);
        }
        Ok(())
    }

    pub(crate) fn void(&mut self, game: &str, begun: Option<Begun>, row: &VoidRow) -> Result<(), Error> {
        let cells = [serde_json::to_string(row).expect("plain values")];
        let begun = begun.map_or_else(|| self.runner.at_once(game, game), Ok);
        begun.and_then(|begun| self.runner.void(begun, &cells)).map_err(told(&self.root))
    }

    pub(crate) fn give_up(&mut self, game: &str, row: &VoidRow) -> Result<(), Error> {
        let cells = [serde_json::to_string(row).expect("plain values")];
        let begun = self.runner.at_once(game, game);
        begun.and_then(|begun| self.runner.give_up(begun, &cells)).map_err(told(&self.root))
    }

    pub(crate) fn leave(&mut self, begun: Begun) -> Result<(), Error> {
        self.runner.leave(begun).map_err(told(&self.root))
    }

    pub(crate) fn attempts(&self, game: &str) -> Result<Vec<Attempt>, Error> {
        self.state().attempts(&self.disk, game).map_err(told(&self.root))
    }

    /// Returns the end of a game, with its attempts that do not count; `None` if it has not ended.
    pub(crate) fn end_of(&mut self, game: &str) -> Result<Option<Ended>, Error> {
        let Some(came) = self.state().came(game) else { return Ok(None) };
        let voids = self.voids_of(game)?;
        if came == Came::GivenUp {
            let why = voids.last().map(|row| row.detail.clone()).unwrap_or_default();
            return Ok(Some(Ended { voids, came: GameEnd::Void(why) }));
        }
        let own = self.own.remove(game).filter(|_| self.state().runner_of(game) == Some(self.runner.name()));
        let read = |cells: Vec<String>| {
            // As they would be read.
            let header = Header::current();
            cells.iter().map(|row| header.parse(row)).collect::<Result<Vec<ResultRow>, _>>().ok()
        };
        let rows = match own.and_then(read) {
            Some(rows) => Some(rows),
            None => self.reader.rows_of(self.runner.state(), game)?,
        };
        Ok(Some(Ended { voids, came: GameEnd::Over(GameResult::new(rows.unwrap_or_default())) }))
    }

    /// As [`Reader::voids_of`].
    pub(crate) fn voids_of(&self, game: &str) -> Result<Vec<VoidRow>, Error> {
        self.reader.voids_of(self.runner.state(), game)
    }
}

impl Reader {
    /// Reads the records of a contest.
    pub(crate) fn new(root: &Path) -> Reader {
        Reader { root: root.to_owned(), disk: disk_of(root), headers: BTreeMap::new() }
    }

    /// Returns the rows of a game that was played to its end; `None` of any other.
    pub(crate) fn rows_of(&mut self, state: &State, game: &str) -> Result<Option<Vec<ResultRow>>, Error> {
        if state.came(game) != Some(Came::Over) {
            return Ok(None);
        }
        let cells = state.result(&self.disk, game).map_err(told(&self.root))?.unwrap_or_default();
        let runner = state.runner_of(game).unwrap_or_default();
        let path = path_of(&self.root, runner);
        let header = self.header_of(state, runner)?;
        let rows: Result<Vec<ResultRow>, _> = cells.iter().map(|row| header.parse(row)).collect();
        rows.map(Some).map_err(|what| header.wrong(&path, 0, what))
    }

    /// Returns the rows of the attempts at a game that do not count, and, if it was given up, the row that says so.
    pub(crate) fn voids_of(&self, state: &State, game: &str) -> Result<Vec<VoidRow>, Error> {
        let mut rows = Vec::new();
        for attempt in state.attempts(&self.disk, game).map_err(told(&self.root))? {
            match attempt {
                Attempt::Void(cells) => rows.push(void_of(&self.root, &cells)?),
                Attempt::Lost(_) => {} // the runner that plays on has recorded it
            }
        }
        if state.came(game) == Some(Came::GivenUp) {
            let cells = state.result(&self.disk, game).map_err(told(&self.root))?;
            rows.push(void_of(&self.root, &cells.unwrap_or_default())?);
        }
        Ok(rows)
    }

    /// Returns the columns in which a runner has recorded results.
    fn header_of(&mut self, state: &State, runner: &str) -> Result<&Header, Error> {
        if !self.headers.contains_key(runner) {
            let notes = state.notes(&self.disk, runner).map_err(told(&self.root))?;
            let names = notes.iter().find(|cells| cells[0] == COLUMNS).and_then(|cells| cells.get(1));
            let path = path_of(&self.root, runner);
            let header = Header::of_journal(names.map(String::as_str));
            let header = header.map_err(|why| why.at(&path, |what| Error::file(&path, what)))?;
            self.headers.insert(runner.to_owned(), header);
        }
        Ok(&self.headers[runner])
    }
}

/// Reads the cells of a void attempt.
pub(crate) fn void_of(root: &Path, cells: &[String]) -> Result<VoidRow, Error> {
    let row = cells.first().and_then(|row| serde_json::from_str(row).ok());
    row.ok_or_else(|| defect(root, "not a row of a void game"))
}

/// Says that a record is not one.
pub(crate) fn defect(root: &Path, what: &str) -> Error {
    Error::file(&root.join(FOLDER), what)
}

/// Returns the disk of a contest's records.
pub(crate) fn disk_of(root: &Path) -> RealDisk {
    RealDisk::new(&root.join(FOLDER))
}

/// Reads the records of a contest. Where nothing was recorded, there are none.
///
/// # Errors
///
/// If the system refuses, or a record is damaged.
pub(crate) fn read(root: &Path) -> Result<State, Error> {
    State::read(&disk_of(root)).map_err(told(root))
}

/// Returns the log of a runner.
fn path_of(root: &Path, runner: &str) -> PathBuf {
    root.join(FOLDER).join("runs").join(runner)
}

/// Says what the store says, with the paths of the files.
pub(crate) fn told(root: &Path) -> impl Fn(Trouble) -> Error {
    let root = root.join(FOLDER);
    move |trouble| match trouble {
        Trouble::System { what, name, error } => Error::system(&root.join(name), what)(error),
        Trouble::Damaged { ref name, .. } => Error::file(&root.join(name), trouble.to_string()),
        Trouble::TakenOver => Error::file(&root, trouble.to_string()).or(ErrorKind::Busy),
        Trouble::Broken => Error::file(&root, trouble.to_string()).or(ErrorKind::System),
        Trouble::Unfit(what) => Error::file(&root, what),
    }
}
