//! The results of one batch, made of the records of its games: a line that names the plan and the batch, rows as in any
//! results file, the attempts that do not count as in `voids.csv`, and a digest of everything.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::batch::results_of;
use crate::fixture::{Due, game_id};
use crate::plan::Plan;
use crate::plan::schedule_file::Game;
use crate::publish;
use crate::records::Recordings;
use crate::runner::GameEnd;
use crate::runner::tries::{bots_of, row_of_given_up};
use referee_files::beneath::Spot;
use referee_files::log::{self, part_of};
use referee_files::{digest, small};
use referee_record::Digest;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::results as record;
use referee_record::results::{Header, ResultRow};
use referee_record::text::one_line;
use referee_record::voids::{VoidReason, VoidRow};
use referee_rules::Seat;

/// A batch that is done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Its games, in the order of the schedule.
    pub games: Vec<(Game, GameEnd)>,
    /// The attempts that do not count, and the games that were given up, by game. Logs are named from the round's
    /// folder.
    pub voids: Vec<VoidRow>,
    /// The names of the columns of its rows, if they are not today's.
    pub columns: Option<String>,
}

/// The word before each line of a void attempt.
const VOID: &str = "void,";

impl Batch {
    /// Makes the results of a batch of its records; `None` if a game has not ended.
    ///
    /// # Errors
    ///
    /// If a record is damaged, or another plan's.
    pub(crate) fn of_records(
        plan: &Plan,
        games: Vec<Game>,
        records: &mut impl Recordings,
    ) -> Result<Option<Batch>, Error> {
        let mut batch = Batch::default();
        for game in games {
            let id = game_id(game.scheduled);
            let Some(ended) = records.end_of(&id)? else { return Ok(None) };
            batch.voids.extend(ended.voids);
            if batch.columns.is_none() && matches!(ended.came, GameEnd::Over(_)) {
                batch.columns = records.columns_of(&id)?;
            }
            if let GameEnd::Over(rows) = &ended.came {
                rows.iter().try_for_each(|row| check_row(plan, &game, row)).map_err(|what| {
                    let what = format!("{}: {what}", game_id(game.scheduled));
                    crate::records::defect(crate::records::folder_of(plan), &what)
                })?;
            }
            batch.games.push((game, ended.came));
        }
        Ok(Some(batch))
    }

    /// Makes a batch of the ends of its games, whatever their attempts were.
    pub fn of_ends(plan: &Plan, games: Vec<(Game, GameEnd)>) -> Batch {
        let void = |(game, came): &(Game, GameEnd)| match came {
            GameEnd::Void(why) => {
                let fixture = plan.fixture(game, "");
                Some(row_of_given_up(&fixture.id, bots_of(&fixture), 0, &one_line(why)))
            }
            GameEnd::Over(_) => None,
        };
        Batch { voids: games.iter().filter_map(void).collect(), games, columns: None }
    }

    /// Writes the results of a batch.
    pub fn text(&self, plan: &Digest, batch: usize) -> String {
        let mut text = first_line(plan, batch, self.games.len());
        let header = self.columns.as_deref().and_then(|names| Header::of_records(Some(names)).ok());
        let header = header.unwrap_or_else(Header::current);
        text.push_str(header.line());
        let mut chain = header.chain();
        for (_, came) in &self.games {
            if let GameEnd::Over(rows) = came {
                rows.iter().for_each(|row| text.push_str(&record::chained(&header.text(row), &mut chain)));
            }
        }
        if !self.voids.is_empty() {
            let rows = String::from_utf8(small::text(&self.voids)).expect("rows of text");
            rows.lines().for_each(|line| text += &format!("{VOID}{line}\n"));
        }
        let digest = Digest::of(text.as_bytes());
        let _ = writeln!(text, "end,{digest}");
        text
    }

    /// Puts the results of a batch in place, unless they are there. Logs get their final names first, if their runners
    /// did not come to that.
    pub(crate) fn publish(&self, plan: &Plan, batch: usize) -> Result<(), Error> {
        let mut folders = BTreeSet::new();
        for (_, came) in &self.games {
            if let GameEnd::Over(rows) = came {
                let log = Spot::within(&plan.root, plan.folder.join(&rows.shared().log));
                name_log(&log, &rows.shared().log_digest);
                folders.extend(log.path().parent().map(Path::to_owned));
            }
        }
        // A batch names its logs, so their names are on the disk before it is. A folder that is gone has none.
        for folder in folders {
            let _ = Spot::within(&plan.root, folder.join("x")).sync_folder();
        }
        let spot = Spot::within(&plan.root, results_of(&plan.folder, batch));
        publish::once(&spot, self.text(&plan.id, batch).as_bytes()).map(drop)
    }
}

/// Returns a row of a batch as it is in `voids.csv`, with the log's name from there.
pub(crate) fn named(plan: &Plan, row: VoidRow) -> VoidRow {
    match row.log.is_empty() {
        true => row,
        false => VoidRow { log: plan.name_merged(&row.log), ..row },
    }
}

/// Gives a log its final name. If that fails, or the log is gone, an audit says so.
fn name_log(whole: &Spot, due: &Digest) {
    if !log::found(whole.clone()).exists() {
        let part = whole.at(part_of(whole.path()));
        if digest::of_log(&part).is_ok_and(|found| found == *due) {
            let _ = part.rename(whole);
        }
    }
}

/// Maximum number of bytes of a game in the results of a batch: a game of 164 seats takes a hundred thousand.
const GAME_MAX: u64 = 256 << 10;

/// Maximum number of bytes beside the games.
const FREE: u64 = 64 << 10;

fn first_line(plan: &Digest, batch: usize, games: usize) -> String {
    format!("plan,{plan},batch,{batch},games,{games}\n")
}

/// Reads the results of a batch, and makes sure that they are complete, of this plan, and as scheduled.
///
/// # Errors
///
/// Names the first wrong line. `None` if the batch is not done.
pub fn read(plan: &Plan, batch: usize) -> Result<Option<Batch>, Error> {
    let path = results_of(&plan.folder, batch);
    let spot = Spot::within(&plan.root, &path);
    if !spot.exists() {
        return Ok(None);
    }
    let games = plan.batch(batch)?;
    let text = match spot.read_text(FREE + games.len() as u64 * GAME_MAX) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::system(&path, "read the results")(error)),
    };
    let first = first_line(&plan.id, batch, games.len());
    let read = match text.starts_with(&first) {
        true => parse(plan, &path, &text, games),
        false => Err(Error::line(&path, 1, format!("should be: {}", first.trim_end()))),
    };
    let remedy = "; delete this file, and `referee tournament merge` makes it again from the records";
    read.map(Some).map_err(|error| error.and(remedy))
}

/// Makes sure that the results of a batch that is done are those of this plan: by their first line alone.
///
/// # Errors
///
/// If they are another plan's, or the system refuses.
pub fn check_first_line(plan: &Plan, batch: usize) -> Result<(), Error> {
    let path = results_of(&plan.folder, batch);
    let due = first_line(&plan.id, batch, plan.index.batches[batch].games as usize);
    let mut found = Vec::new();
    let read = Spot::within(&plan.root, &path).open();
    let read = read.and_then(|file| file.take(due.len() as u64).read_to_end(&mut found));
    read.map_err(Error::system(&path, "read the results"))?;
    if found == due.as_bytes() {
        return Ok(());
    }
    let what = format!("the results of another plan, or damaged: should be: {}", due.trim_end());
    Err(Error::line(&path, 1, what))
}

/// Returns the columns of the results of a batch, if they are there.
pub fn header_of(plan: &Plan, batch: usize) -> Option<Header> {
    let file = Spot::within(&plan.root, results_of(&plan.folder, batch)).open().ok()?;
    let mut lines = BufReader::new(file.take(FREE)).lines().map_while(Result::ok);
    Header::of(&(lines.nth(1)? + "\n"))
}

/// Makes sure that a row is that of a game of the schedule.
///
/// # Errors
///
/// Names the first column that differs, with both values.
pub fn check_row(plan: &Plan, game: &Game, row: &ResultRow) -> Result<(), String> {
    let seats = game.entrants.len();
    if row.seat.index() >= seats {
        return Err(format!("column seat is {}; {} has {seats}", row.seat, game_id(game.scheduled)));
    }
    check_seat(plan, game, row.seat, row)
}

/// As [`check_row`], for a given seat.
fn check_seat(plan: &Plan, game: &Game, seat: Seat, row: &ResultRow) -> Result<(), String> {
    let bot = game.entrants[seat];
    let due = Due {
        scheduled: game.scheduled,
        entry: plan.entry,
        parameters: plan.parameters(game),
        seed: game.seed,
        bot: &plan.entrants[bot].name,
        arguments: &plan.arguments[bot],
        counts: !game.fillers.contains(&seat),
        rules_version: plan.contents.rules_version,
        clock: Some(plan.timekeeping),
    };
    if let Some(what) = due.difference(row) {
        return Err(what);
    }
    let (seats, place) = (game.entrants.len(), Some(game.scheduled));
    match (row.seat, row.seats, row.place_in_schedule) == (seat, seats, place) {
        true => Ok(()),
        false => Err(format!("seat {seat} of {seats} of {} is expected here", game_id(game.scheduled))),
    }
}

fn parse(plan: &Plan, path: &Path, text: &str, games: Vec<Game>) -> Result<Batch, Error> {
    let mut lines = text.lines().zip(1u64..).skip(2).peekable();
    let last = text.lines().count() as u64;
    let wrong = |line: u64, what: String| Error::line(path, line, what);
    let header = text.split_inclusive('\n').nth(1).and_then(Header::of);
    let header = header.ok_or_else(|| wrong(2, "should be the names of the columns".to_owned()))?.on_line(2);
    let mut chain = header.chain();
    let mut found = Vec::new();
    let mut voids = Vec::new();
    for game in games {
        let id = game_id(game.scheduled);
        if lines.peek().is_none_or(|(line, _)| header.game_of(line) != Some(&*id)) {
            voids.push(found.len());
            found.push((game, GameEnd::Void(String::new())));
            continue;
        }
        let mut rows = Vec::new();
        for (seat, _) in game.entrants.iter() {
            let (line, number) = lines.next().unwrap_or(("", last));
            let row = line.rsplit_once(',').map_or("", |(row, _)| row);
            if record::chained(row, &mut chain).trim_end() != line {
                return Err(wrong(number, "was changed: its chain does not match".to_owned()));
            }
            let row = header.parse(row).map_err(|what| header.wrong(path, number, what))?;
            check_seat(plan, &game, seat, &row).map_err(|what| wrong(number, what))?;
            rows.push(row);
        }
        found.push((game, GameEnd::Over(GameResult::new(rows))));
    }
    let first_void = lines.peek().map_or(last, |(_, number)| *number);
    let mut rows = String::new();
    while let Some((line, _)) = lines.next_if(|(line, _)| line.starts_with(VOID)) {
        rows += &line[VOID.len()..];
        rows.push('\n');
    }
    let rows: Vec<VoidRow> =
        if rows.is_empty() { Vec::new() } else { small::parse(path, rows.as_bytes(), first_void - 1)? };
    let given_up = |id: &str| rows.iter().find(|row| row.game == id && row.reason == VoidReason::GivenUp);
    for index in voids {
        let (game, came) = &mut found[index];
        let id = game_id(game.scheduled);
        match given_up(&id) {
            Some(row) => *came = GameEnd::Void(row.detail.clone()),
            None => {
                let what = format!("{id} is expected here: its rows, or a line `void` that gives it up");
                return Err(wrong(first_void, what));
            }
        }
    }
    let is_odd = |row: &&VoidRow| match found.iter().find(|(game, _)| game_id(game.scheduled) == row.game) {
        Some((_, GameEnd::Over(_))) => row.reason == VoidReason::GivenUp,
        found => found.is_none(),
    };
    if let Some(row) = rows.iter().find(is_odd) {
        return Err(wrong(first_void, format!("{} is not void, or not of this batch", row.game)));
    }
    let (line, number) = lines.next().unwrap_or(("", last));
    let above = text.len() - text.lines().next_back().map_or(0, str::len) - usize::from(text.ends_with('\n'));
    if line != format!("end,{}", Digest::of(&text.as_bytes()[..above])) || lines.next().is_some() {
        return Err(wrong(number, "should be the last line, with the digest of all lines above".to_owned()));
    }
    Ok(Batch { games: found, voids: rows, columns: Some(header.names()) })
}
