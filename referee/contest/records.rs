//! What the runners of a contest record, in the folder `records` of a hill or of a tournament's round: the store's
//! records with the values of their cells.
//!
//! | record | its cells |
//! | --- | --- |
//! | begun | the number of the attempt, the date, the bots by seat, the folder of the log |
//! | over | a row of results for each seat, in the columns that a note of the runner names |
//! | void, given_up | a row of `voids.csv`, as JSON |
//! | note | what it says, and more |

use std::collections::BTreeMap;
use std::path::PathBuf;

use rand::TryRng;
use rand::rngs::SysRng;
use referee_files::altered;
use referee_files::beneath::Spot;
use referee_files::lock::Holder;
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};
use referee_record::game_result::GameResult;
use referee_record::results::{Header, NumberedRow, ResultRow};
use referee_record::schema::NoRow;
use referee_record::text::one_line;
use referee_record::voids::VoidRow;
use referee_store::{
    Attempt, Begun, Claim, ContestState, GameEnding, Kind, RealDisk, Record, Runner, Trouble,
};
use referee_table::clock;

use crate::fixture::Fixture;
use crate::plan::Plan;
use crate::publish::host;
use crate::runner::GameEnd;
use crate::runner::tries::bots_of;

/// The folder of the records.
const FOLDER: &str = "records";

/// The first cell of the note about a repair: its date and the files follow.
pub(crate) const REPAIRED: &str = "repaired";

/// The first cell of the note that names the columns of results.
const COLUMNS: &str = "columns";

/// The first cell of the note about the plan that a runner plays, and its machine: their names follow.
pub(crate) const PLAN: &str = "plan";

/// A game that has ended.
pub(crate) struct Ended {
    /// The rows of its attempts that do not count, and, if it was given up, the row that says so.
    pub(crate) voids: Vec<VoidRow>,
    pub(crate) end: GameEnd,
}

/// The records of a contest, as one of its runners writes them.
#[derive(Debug)]
pub(crate) struct Records {
    /// The folder of the hill, or of the round.
    folder: Spot,
    disk: RealDisk,
    runner: Runner<RealDisk>,
    reader: Reader,
    /// The results that this runner has recorded and that were not asked for yet, by game.
    own_results: BTreeMap<String, GameResult>,
}

/// Maximum number of results that a runner keeps until they are listed. Further ones are read again.
const OWN_RESULTS_MAX: usize = 256;

/// Ends the runner, so that no other has to find out that it is gone. If that fails, another one finds out.
impl Drop for Records {
    fn drop(&mut self) {
        let _ = self.runner.end();
    }
}

/// Reads the values of cells.
#[derive(Debug)]
pub(crate) struct Reader {
    folder: Spot,
    disk: RealDisk,
    /// The plan whose records they must be.
    plan: Option<Digest>,
    /// What each runner has recorded about itself, by its name.
    notes: BTreeMap<String, RunnerNotes>,
}

impl Records {
    /// Begins a runner.
    pub(crate) fn begin(folder: impl Into<Spot>) -> Result<Records, Error> {
        let folder = folder.into();
        let records = inside(&folder);
        let runs = records.at(records.path().join("runs"));
        runs.make_folders().map_err(Error::system(records.path(), "create the folder"))?;
        records.sync_folder().map_err(Error::system(folder.path(), "sync the folder"))?;
        let disk = disk_of(&folder);
        let mut random = [0; 4];
        let drawn = SysRng.try_fill_bytes(&mut random);
        drawn.map_err(|error| Error::new(ErrorKind::System, format!("no random number: {error}")))?;
        let date = clock::date().replace(['-', ':'], "");
        let name = format!("{date}-{:08x}", u32::from_be_bytes(random));
        let runner = Runner::start(disk.clone(), &name).map_err(trouble_at(&folder))?;
        let mut records =
            Records { disk, runner, reader: Reader::new(&folder), folder, own_results: BTreeMap::new() };
        records.note(&[COLUMNS.to_owned(), Header::current().names()])?;
        Ok(records)
    }

    /// As [`begin`](Records::begin), for the round of a plan.
    pub(crate) fn begin_round(plan: &Plan) -> Result<Records, Error> {
        let mut records = Records::begin(folder_of(plan))?;
        records.note(&[PLAN.to_owned(), plan.id.to_string(), host(), clock::date()])?;
        records.reader = Reader::of_plan(plan);
        Ok(records)
    }

    /// Records something about this runner.
    pub(crate) fn note(&mut self, cells: &[String]) -> Result<(), Error> {
        self.runner.note(cells).map_err(trouble_at(&self.folder))
    }

    /// Returns the folder of the hill, or of the round.
    pub(crate) fn folder(&self) -> &Spot {
        &self.folder
    }

    /// Returns what the records said when they were last read.
    pub(crate) fn state(&self) -> &ContestState {
        self.runner.state()
    }

    /// As [`ContestState::settled`].
    pub(crate) fn settled(&self, is_known: impl Fn(&str) -> bool) -> Result<Vec<String>, Error> {
        self.state().settled(&self.reader.disk, is_known).map_err(trouble_at(&self.folder))
    }

    /// As [`ContestState::pass_over`].
    pub(crate) fn pass_over(&mut self, runners: Vec<String>) {
        self.runner.pass_over(runners);
    }

    /// Reads what is new.
    pub(crate) fn follow(&mut self) -> Result<(), Error> {
        self.runner.follow().map(drop).map_err(trouble_at(&self.folder))
    }

    /// As [`Runner::rest`].
    pub(crate) fn rest(&mut self) -> Result<(), Error> {
        self.runner.rest().map_err(trouble_at(&self.folder))
    }

    /// Seals the logs of runners that are gone, and lists the others that live.
    pub(crate) fn seal_gone(&mut self) -> Result<Vec<String>, Error> {
        self.runner.seal_gone().map_err(trouble_at(&self.folder))
    }

    /// Claims a unit with these games.
    pub(crate) fn claim(&mut self, unit: &str, games: &[&str]) -> Result<Claim, Error> {
        self.runner.claim(unit, games).map_err(trouble_at(&self.folder))
    }

    /// As [`claim`](Records::claim), but takes over from a runner that seems to live, too.
    pub(crate) fn take_over(&mut self, unit: &str, games: &[&str]) -> Result<Claim, Error> {
        self.runner.take_over(unit, games).map_err(trouble_at(&self.folder))
    }

    /// Lists the runners of the contest.
    pub(crate) fn runners(&self) -> Result<Vec<String>, Error> {
        referee_store::runners(&self.disk).map_err(trouble_at(&self.folder))
    }

    /// Returns the runner that has claimed a unit last, as far as this one knows.
    pub(crate) fn runner_at(&self, unit: &str) -> Option<&str> {
        self.runner.runner_at(unit)
    }

    /// Returns the process of the runner that has claimed a unit last, as far as it is known on this machine.
    pub(crate) fn holder_at(&self, unit: &str) -> Holder {
        let log = self.runner_at(unit).map(|runner| inside(&self.folder).at(path_of(&self.folder, runner)));
        log.and_then(|log| log.open().ok()).map_or_else(Holder::default, |log| Holder::of(&log))
    }

    /// Returns the machine of the runner that has claimed a unit last, if the runner has recorded it.
    pub(crate) fn node_at(&self, unit: &str) -> Result<Option<String>, Error> {
        let Some(runner) = self.runner_at(unit) else { return Ok(None) };
        let notes = self.state().notes(&self.disk, runner).map_err(trouble_at(&self.folder))?;
        Ok(notes.into_iter().find(|cells| is_about(cells, PLAN)).and_then(|cells| cells.into_iter().nth(2)))
    }

    /// As [`Runner::counts_after_all`].
    pub(crate) fn counts_after_all(&mut self, game: &str) -> Result<Option<bool>, Error> {
        self.runner.counts_after_all(game).map_err(trouble_at(&self.folder))
    }

    /// Returns the number of this runner's try at a unit that it has claimed.
    pub(crate) fn try_at(&self, unit: &str) -> Option<u32> {
        self.runner.try_at(unit)
    }

    /// Looks up whether a runner has claimed a unit.
    pub(crate) fn is_claimed(&self, unit: &str) -> Result<bool, Error> {
        let tries = ContestState::tries_at(&self.disk, unit).map_err(trouble_at(&self.folder))?;
        Ok(!tries.is_empty())
    }

    /// Tells whether a runner has recorded anything of one of these games. Reads all records.
    pub(crate) fn has_any(&self, games: &[&str]) -> Result<bool, Error> {
        let mut found = false;
        for runner in self.runners()? {
            let read = referee_store::each_record(&self.disk, &runner, |record| {
                found |= games.contains(&&*record.game);
            });
            read.map_err(trouble_at(&self.folder))?;
        }
        Ok(found)
    }

    /// Returns the file of the first claim of a unit.
    pub(crate) fn claim_of(&self, unit: &str) -> PathBuf {
        self.folder.path().join(FOLDER).join("claims").join(format!("{unit}.0"))
    }

    /// Records that an attempt at a game begins.
    pub(crate) fn begin_attempt(
        &mut self,
        unit: &str,
        fixture: &Fixture,
        attempt: u32,
    ) -> Result<Begun, Error> {
        let cells = [attempt.to_string(), clock::date(), bots_of(fixture), fixture.folder.clone()];
        self.runner.begin(unit, &fixture.id, &cells).map_err(trouble_at(&self.folder))
    }

    pub(crate) fn over(&mut self, begun: Begun, rows: &GameResult) -> Result<(), Error> {
        let cells: Vec<String> = rows.iter().map(ResultRow::text).collect();
        self.runner.over(begun, &cells).map_err(trouble_at(&self.folder))?;
        if self.own_results.len() < OWN_RESULTS_MAX {
            self.own_results.insert(rows.game().to_owned(), rows.clone());
        }
        Ok(())
    }

    /// Records that an attempt does not count. `begun` is `None` if another runner has begun it, with which it was
    /// lost.
    pub(crate) fn void(&mut self, unit: &str, begun: Option<Begun>, row: &VoidRow) -> Result<(), Error> {
        let cells = [serde_json::to_string(row).expect("plain values")];
        let begun = begun.map_or_else(|| self.runner.at_once(unit, &row.game), Ok);
        begun.and_then(|begun| self.runner.void(begun, &cells)).map_err(trouble_at(&self.folder))
    }

    pub(crate) fn give_up(&mut self, unit: &str, row: &VoidRow) -> Result<(), Error> {
        let cells = [serde_json::to_string(row).expect("plain values")];
        let begun = self.runner.at_once(unit, &row.game);
        begun.and_then(|begun| self.runner.give_up(begun, &cells)).map_err(trouble_at(&self.folder))
    }

    pub(crate) fn leave(&mut self, begun: Begun) -> Result<(), Error> {
        self.runner.leave(begun).map_err(trouble_at(&self.folder))
    }

    pub(crate) fn attempts(&self, game: &str) -> Result<Vec<Attempt>, Error> {
        self.state().attempts(&self.disk, game).map_err(trouble_at(&self.folder))
    }

    /// Returns the end of a game, with its attempts that do not count; `None` if it has not ended.
    pub(crate) fn end_of(&mut self, game: &str) -> Result<Option<Ended>, Error> {
        if let Some(rows) = self.own_results.remove(game)
            && self.state().runner_of(game) == Some(self.runner.name())
        {
            return Ok(Some(Ended { voids: self.voids_of(game)?, end: GameEnd::Over(rows) }));
        }
        self.reader.end_of(self.runner.state(), game)
    }

    /// As [`Reader::voids_of`].
    pub(crate) fn voids_of(&self, game: &str) -> Result<Vec<VoidRow>, Error> {
        self.reader.voids_of(self.runner.state(), game)
    }
}

impl Reader {
    /// Reads the records of a hill.
    pub(crate) fn new(folder: impl Into<Spot>) -> Reader {
        let folder = folder.into();
        Reader { disk: disk_of(&folder), folder, plan: None, notes: BTreeMap::new() }
    }

    /// Reads the records of the round of a plan.
    pub(crate) fn of_plan(plan: &Plan) -> Reader {
        Reader { plan: Some(plan.id.clone()), ..Reader::new(folder_of(plan)) }
    }

    /// Returns the end of a game, with its attempts that do not count; `None` if it has not ended.
    pub(crate) fn end_of(&mut self, state: &ContestState, game: &str) -> Result<Option<Ended>, Error> {
        let Some(end) = state.ending(game) else { return Ok(None) };
        let voids = self.voids_of(state, game)?;
        if end == GameEnding::GivenUp {
            let why = voids.last().map(|row| row.detail.clone()).unwrap_or_default();
            return Ok(Some(Ended { voids, end: GameEnd::Void(why) }));
        }
        let rows = self.rows_of(state, game)?;
        Ok(Some(Ended { voids, end: GameEnd::Over(GameResult::new(rows.unwrap_or_default())) }))
    }

    /// Returns the rows of a game that was played to its end; `None` of any other.
    pub(crate) fn rows_of(
        &mut self,
        state: &ContestState,
        game: &str,
    ) -> Result<Option<Vec<ResultRow>>, Error> {
        if state.ending(game) != Some(GameEnding::Over) {
            return Ok(None);
        }
        let cells = state.result(&self.disk, game).map_err(trouble_at(&self.folder))?.unwrap_or_default();
        let runner = state.runner_of(game).unwrap_or_default();
        self.header_of(state, runner)?;
        self.rows_of_cells(runner, &cells).map(Some)
    }

    /// Returns the rows of the attempts at a game that do not count, and, if it was given up, the row that says so.
    pub(crate) fn voids_of(&self, state: &ContestState, game: &str) -> Result<Vec<VoidRow>, Error> {
        let mut rows = Vec::new();
        for attempt in state.attempts(&self.disk, game).map_err(trouble_at(&self.folder))? {
            match attempt {
                Attempt::Void(cells) => rows.push(void_of(&self.folder, &cells)?),
                Attempt::Lost(_) => {} // a later runner has recorded it as void
            }
        }
        if state.ending(game) == Some(GameEnding::GivenUp) {
            let cells = state.result(&self.disk, game).map_err(trouble_at(&self.folder))?;
            rows.push(void_of(&self.folder, &cells.unwrap_or_default())?);
        }
        Ok(rows)
    }

    /// Returns the columns in which a runner has recorded results.
    pub(crate) fn header_of(&mut self, state: &ContestState, runner: &str) -> Result<&Header, Error> {
        if !self.notes.contains_key(runner) {
            let notes = state.notes(&self.disk, runner).map_err(trouble_at(&self.folder))?;
            self.notes.insert(runner.to_owned(), RunnerNotes::default());
            for cells in &notes {
                self.take_note(runner, cells);
            }
        }
        self.known_header(runner)
    }

    /// Takes a record of a runner, if it is about the runner itself.
    pub(crate) fn learn(&mut self, runner: &str, record: &Record) {
        if record.kind == Kind::Note {
            self.take_note(runner, &record.cells);
        }
    }

    fn take_note(&mut self, runner: &str, cells: &[String]) {
        let notes = self.notes.entry(runner.to_owned()).or_default();
        if is_about(cells, PLAN) {
            notes.plan = cells.get(1).cloned();
        } else if is_about(cells, COLUMNS) {
            notes.header = Some(Header::of_records(cells.get(1).map(String::as_str)));
        }
    }

    /// Returns the columns in which a runner has recorded results, by its notes that were taken.
    fn known_header(&self, runner: &str) -> Result<&Header, Error> {
        let path = path_of(&self.folder, runner);
        let notes = self.notes.get(runner);
        let noted_plan = notes.and_then(|notes| notes.plan.as_deref());
        if self.plan.as_ref().is_some_and(|plan| noted_plan != Some(plan.as_str())) {
            return Err(Error::record(&path, OF_ANOTHER_PLAN));
        }
        match notes.and_then(|notes| notes.header.as_ref()) {
            Some(Ok(header)) => Ok(header),
            Some(Err(why)) => Err(why.clone().at(&path, |what| Error::file(&path, what))),
            None => Err(Header::of_records(None)
                .expect_err("no columns")
                .at(&path, |what| Error::file(&path, what))),
        }
    }

    /// Reads the rows of a game from the cells of its result.
    pub(crate) fn rows_of_cells(&self, runner: &str, cells: &[String]) -> Result<Vec<ResultRow>, Error> {
        let header = self.known_header(runner)?;
        let path = path_of(&self.folder, runner);
        let rows: Result<Vec<ResultRow>, _> = cells.iter().map(|row| header.parse(row)).collect();
        let rows = rows.map_err(|why| why.at(&path, |what| Error::file(&path, what)))?;
        let are_seats = rows.iter().enumerate().all(|(seat, row)| {
            (row.seat.index(), row.seats) == (seat, rows.len()) && row.game == rows[0].game
        });
        if rows.is_empty() || !are_seats {
            let what =
                "a result without a row for each seat of its game; take the whole folder from a backup";
            return Err(Error::record(&path, what));
        }
        Ok(rows)
    }
}

/// What a runner has recorded about itself.
#[derive(Debug, Default)]
struct RunnerNotes {
    /// The plan that it plays.
    plan: Option<String>,
    /// The columns of its results.
    header: Option<Result<Header, NoRow>>,
}

/// Reads the cells of a void attempt.
pub(crate) fn void_of(folder: impl Into<Spot>, cells: &[String]) -> Result<VoidRow, Error> {
    let row = cells.first().and_then(|row| serde_json::from_str::<VoidRow>(row).ok());
    // Earlier runners recorded details of several lines. A row of a list is a line.
    let row = row.map(|row| VoidRow { detail: one_line(&row.detail).into_owned(), ..row });
    row.ok_or_else(|| defect(folder, "not a row of a void game"))
}

/// Tells whether a note has this first cell, which says what it is about.
pub(crate) fn is_about(cells: &[String], about: &str) -> bool {
    cells.first().is_some_and(|first| first == about)
}

/// Returns the error that something in the records is wrong.
pub(crate) fn defect(folder: impl Into<Spot>, what: &str) -> Error {
    Error::file(&folder.into().path().join(FOLDER), what)
}

/// Returns the folder of the round of a plan.
pub(crate) fn folder_of(plan: &Plan) -> Spot {
    Spot::within(&plan.root, &plan.folder)
}

/// Returns the disk of a contest's records.
pub(crate) fn disk_of(folder: impl Into<Spot>) -> RealDisk {
    RealDisk::new(inside(&folder.into()))
}

/// Returns the folder of the records of a hill or a round.
fn inside(folder: &Spot) -> Spot {
    match folder.root() {
        Some(_) => folder.at(folder.path().join(FOLDER)),
        None => Spot::below(folder.path(), FOLDER), // the folder that the user named can be a link
    }
}

/// Reads the records of a contest. Where nothing was recorded, there are none.
pub(crate) fn read(folder: impl Into<Spot>) -> Result<ContestState, Error> {
    let folder = folder.into();
    ContestState::read(&disk_of(&folder)).map_err(trouble_at(&folder))
}

/// Makes sure that records are those of a plan.
pub(crate) fn check_plan(plan: &Plan, state: &ContestState) -> Result<(), Error> {
    let folder = folder_of(plan);
    let disk = disk_of(&folder);
    for runner in state.runners() {
        let notes = state.notes(&disk, runner).map_err(trouble_at(&folder))?;
        let noted_plan = notes.iter().find(|cells| is_about(cells, PLAN)).and_then(|cells| cells.get(1));
        if noted_plan.is_some_and(|noted_plan| noted_plan != plan.id.as_str()) {
            if let Some(ends) = altered::line_ends(&plan.folder) {
                return Err(Error::new(ErrorKind::Tampered, ends.to_string()));
            }
            return Err(Error::record(&path_of(&folder, runner), OF_ANOTHER_PLAN));
        }
    }
    Ok(())
}

const OF_ANOTHER_PLAN: &str = "the records of another plan than plan.toml: one of both was changed, or put there; put \
                               it back from a backup";

/// Returns the log of a runner.
pub(crate) fn path_of(folder: &Spot, runner: &str) -> PathBuf {
    folder.path().join(FOLDER).join("runs").join(runner)
}

/// Returns a function for `map_err` that turns trouble of the store into an error with the path of the file.
pub(crate) fn trouble_at(folder: impl Into<Spot>) -> impl Fn(Trouble) -> Error {
    let root = folder.into().path().join(FOLDER);
    move |trouble| match trouble {
        Trouble::System { what, name, error } => Error::system(&root.join(name), what)(error),
        Trouble::Damaged { name, byte, what } => {
            let what = format!("damaged at byte {byte}: {what}; take the whole folder from a backup");
            Error::record(&root.join(name), what)
        }
        Trouble::Copy { name, original } => {
            let what = format!("it repeats records of {original}, so it is a copy of that file: remove it");
            Error::record(&root.join(name), what)
        }
        Trouble::TakenOver => Error::new(ErrorKind::Busy, trouble.to_string()).at(&root),
        Trouble::Broken => Error::new(ErrorKind::System, trouble.to_string()).at(&root),
        Trouble::Unfit(what) => Error::file(&root, what),
    }
}

/// Returns the line of the first row of a game that differs from what a runner has recorded; `None` if none does.
pub(crate) fn first_changed(found: &[NumberedRow], recorded: &[ResultRow]) -> Option<u64> {
    for ((line, row), recorded) in found.iter().zip(recorded) {
        if !row.is_written_as(recorded) {
            return Some(*line);
        }
    }
    if found.len() == recorded.len() { None } else { Some(found[0].0) }
}
