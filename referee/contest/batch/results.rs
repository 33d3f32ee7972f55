//! The results of one batch: a line that names the plan and the batch, rows as in any results file, void games, and a
//! digest of everything.

use std::fmt::Write;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::batch::results_of;
use crate::fixture::{Due, game_id};
use crate::plan::Plan;
use crate::plan::schedule_file::Game;
use crate::runner::GameEnd;
use referee_files::beneath::Spot;
use referee_record::Digest;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::results as record;
use referee_record::results::{Header, ResultRow};
use referee_rules::Seat;

/// Writes the results of a batch; the games in the order of the schedule.
pub fn text(plan: &Digest, batch: usize, games: &[(Game, GameEnd)]) -> String {
    let mut text = first_line(plan, batch, games.len());
    let header = Header::current();
    text.push_str(header.line());
    let mut chain = header.chain();
    for (_, came) in games {
        if let GameEnd::Over(rows) = came {
            rows.iter().for_each(|row| text.push_str(&record::chained(&header.text(row), &mut chain)));
        }
    }
    for (game, came) in games {
        if let GameEnd::Void(why) = came {
            let _ = writeln!(text, "void,{},{why}", game_id(game.scheduled));
        }
    }
    let digest = Digest::of(text.as_bytes());
    let _ = writeln!(text, "end,{digest}");
    text
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
pub fn read(plan: &Plan, batch: usize) -> Result<Option<Vec<(Game, GameEnd)>>, Error> {
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
    if !text.starts_with(&first) {
        let what = format!("should be: {}", first.trim_end());
        return Err(Error::line(&path, 1, what));
    }
    Ok(Some(parse(plan, &path, &text, games)?))
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

fn parse(plan: &Plan, path: &Path, text: &str, games: Vec<Game>) -> Result<Vec<(Game, GameEnd)>, Error> {
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
    for index in voids {
        let (game, came) = &mut found[index];
        let id = game_id(game.scheduled);
        let (line, number) = lines.next().unwrap_or(("", last));
        match line.strip_prefix(&format!("void,{id},")) {
            Some(why) => *came = GameEnd::Void(why.to_owned()),
            None => return Err(wrong(number, format!("{id} is expected here: its rows, or a line `void`"))),
        }
    }
    let (line, number) = lines.next().unwrap_or(("", last));
    let above = text.len() - text.lines().next_back().map_or(0, str::len) - usize::from(text.ends_with('\n'));
    if line != format!("end,{}", Digest::of(&text.as_bytes()[..above])) || lines.next().is_some() {
        return Err(wrong(number, "should be the last line, with the digest of all lines above".to_owned()));
    }
    Ok(found)
}
