//! Checks a record against the rules: plays the game again from the log alone, through the same writer, and compares
//! byte for byte. It imports neither processes nor the clock.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::catalog;
use crate::game::Game;
use crate::play::{PlayError, play};
use crate::record::file::{self, Form, ROW_MAX, Source};
use crate::record::log::{GameLog, Sink, part_of};
use crate::record::read::{Bookmark, LogReader};
use crate::record::results::{self, Circumstances, Numbered, ResultRow};
use crate::record::voids;
use crate::record::{Digest, Heading, RecordError, Tally};
use crate::rules::{Outcome, Parameters, Seat};
use crate::table::{Answer, Question, Table, TableError};

/// A log that agrees with the rules, and what follows from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreed {
    /// What the log begins with.
    pub heading: Heading,
    /// How the game ended.
    pub outcome: Outcome,
    /// How many turns were played.
    pub turns: u32,
    /// Faults and times.
    pub tally: Tally,
    /// The digest of the whole file.
    pub digest: Digest,
}

/// Plays a logged game again, and compares.
///
/// # Errors
///
/// Names the first line that is not what the rules, the seed and the answers make it, and says what it should be.
pub fn audit_log(path: &Path) -> Result<Agreed, RecordError> {
    let (reader, heading) = LogReader::open(path)?;
    let mut game = game_of(path, &heading)?;
    let mut log = GameLog::begin(&heading, Comparing::open(path)?);
    let mut table = Replayed::new(reader);
    let played = play(&mut *game, &mut table, &mut log);
    let outcome = match played {
        Ok(outcome) => outcome,
        Err(PlayError::Record(error)) => return Err(error),
        Err(PlayError::Table(_)) => {
            // What was remembered lies before the row that does not fit: it may hold the first wrong row.
            log.put_away()?;
            return Err(table.trouble.expect("a replayed table stops for no other reason"));
        }
    };
    let (comparing, digest, tally) = log.finish();
    comparing.at_the_end()?;
    Ok(Agreed { heading, outcome, turns: game.turn(), tally, digest })
}

/// Plays a logged game again and shows each position to `look`, before its turn is played; last, the final one.
///
/// # Errors
///
/// If the log does not say what each seat answered.
pub fn replay(
    path: &Path,
    mut look: impl FnMut(&dyn Game, &[Answer]) -> Result<(), RecordError>,
) -> Result<Heading, RecordError> {
    let (mut replay, heading) = Replay::open(path)?;
    let mut events = Default::default();
    while !replay.game.asked().is_empty() {
        replay.read()?;
        look(&*replay.game, &replay.answers)?;
        for answer in &replay.answers {
            let _ = replay.game.answer(answer.seat, answer.given());
        }
        replay.game.resolve(&mut events);
        events.clear();
    }
    look(&*replay.game, &[])?;
    Ok(heading)
}

/// A recorded game that is played again, turn by turn, by whoever holds it.
#[derive(Debug)]
pub struct Replay {
    game: Box<dyn Game>,
    recorded: Replayed,
    answers: Vec<Answer>,
}

/// A game, and what was answered in the turn that comes next.
pub type Answered<'a> = (&'a mut dyn Game, &'a [Answer]);

/// A turn of a recorded game at which its replay can be taken up again.
#[derive(Debug)]
pub struct Keyframe {
    game: Box<dyn Game>,
    place: Bookmark,
}

impl Keyframe {
    /// Returns the number of the turn.
    pub fn turn(&self) -> u32 {
        self.game.turn()
    }
}

impl Replay {
    /// Opens a log.
    ///
    /// # Errors
    ///
    /// If it does not begin as the log of a game does.
    pub fn open(path: &Path) -> Result<(Replay, Heading), RecordError> {
        let (reader, heading) = LogReader::open(path)?;
        let game = game_of(path, &heading)?;
        Ok((Replay { game, recorded: Replayed::new(reader), answers: Vec::new() }, heading))
    }

    /// Returns the game in the position that it has come to.
    pub fn game(&mut self) -> &mut dyn Game {
        &mut *self.game
    }

    /// Reads what was answered in the turn that comes next, and hands over the game, in which the turn is to be played with it.
    /// None: the game is over, or the log of a game that was given up has come to its end.
    ///
    /// # Errors
    ///
    /// If the log does not say what each seat answered.
    pub fn next_turn(&mut self) -> Result<Option<Answered<'_>>, RecordError> {
        if self.game.asked().is_empty() || self.recorded.is_at_the_end()? {
            return Ok(None);
        }
        self.read()?;
        Ok(Some((&mut *self.game, &self.answers)))
    }

    /// Returns the turn that comes next, to be taken up again.
    pub fn keyframe(&self) -> Keyframe {
        Keyframe { game: self.game.copied(), place: self.recorded.reader.bookmark() }
    }

    /// Goes on from a turn.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn go_to(&mut self, keyframe: &Keyframe) -> Result<(), RecordError> {
        self.game = keyframe.game.copied();
        self.recorded.reader.go_to(&keyframe.place)
    }

    fn read(&mut self) -> Result<(), RecordError> {
        self.recorded.answers(self.game.turn(), self.game.asked(), &mut self.answers)
    }
}

/// Checks a results file, and every log that it names.
///
/// # Errors
///
/// Names the first line, in the results or in a log, that is not as it should be.
pub fn audit_results(path: &Path) -> Result<Vec<Numbered>, RecordError> {
    let (mut rows, mut logs) = (Vec::new(), BTreeSet::new());
    audit_games(path, |game, log| {
        rows.extend(game);
        logs.insert(log);
    })?;
    check_orphans(path, &path.parent().unwrap_or(Path::new(".")).join("logs"), &logs)?;
    check_voids(&path.with_file_name("voids.csv"))?;
    Ok(rows)
}

/// Likewise for results that others are merged from: beside their logs there may be those of games that were played twice.
///
/// # Errors
///
/// As for [`audit_results`], but for logs without rows.
pub fn audit_merged(path: &Path) -> Result<Counts, RecordError> {
    let mut counts = Counts::default();
    audit_games(path, |game, _| counts = Counts { games: counts.games + 1, rows: counts.rows + game.len() })?;
    Ok(counts)
}

/// How much was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Games.
    pub games: usize,
    /// Their rows.
    pub rows: usize,
}

/// Checks the rows of each game, and its log, and shows both to `look`.
fn audit_games(path: &Path, mut look: impl FnMut(Vec<Numbered>, PathBuf)) -> Result<(), RecordError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut games = BTreeSet::new();
    for game in results::games(path)? {
        let game = game?;
        let (line, first) = &game[0];
        if !games.insert(first.game.clone()) {
            return Err(RecordError::line(path, *line, format!("game {} is entered twice", first.game)));
        }
        let log = log_of(folder, first)
            .ok_or_else(|| RecordError::line(path, *line, format!("its log is not there: {}", first.log)))?;
        let agreed = audit_log(&log)?;
        check_rows(path, &game, &agreed)?;
        look(game, log);
    }
    Ok(())
}

/// Sets up the game that a log tells of.
pub(crate) fn game_of(path: &Path, heading: &Heading) -> Result<Box<dyn Game>, RecordError> {
    let wrong = |what: String| RecordError::file(path, what);
    let entry = catalog::find(&heading.rules).map_err(|error| wrong(error.to_string()))?;
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in &heading.parameters {
        parameters.set_text(name, value).map_err(|error| wrong(error.to_string()))?;
    }
    let game = entry.start(&parameters, heading.seed);
    let info = game.info();
    if info.version != heading.version {
        return Err(wrong(format!(
            "played by version {} of the rules; this program has version {}",
            heading.version, info.version
        )));
    }
    if info.seats != heading.bots.len() {
        return Err(wrong(format!("{} seats instead of {}", heading.bots.len(), info.seats)));
    }
    Ok(game)
}

/// The log of a game: published, or (if the run was interrupted in between) about to be.
fn log_of(folder: &Path, row: &ResultRow) -> Option<PathBuf> {
    let path = folder.join(&row.log);
    [file::found(path.clone()), part_of(&path)].into_iter().find(|path| path.is_file())
}

/// Compares a game's rows in the results with what its log says.
fn check_rows(path: &Path, rows: &[Numbered], agreed: &Agreed) -> Result<(), RecordError> {
    let (line, first) = &rows[0];
    let circumstances = Circumstances {
        started: first.started.clone(),
        scheduled: first.place_in_schedule,
        fillers: rows.iter().filter(|(_, row)| !row.counts).map(|(_, row)| row.seat).collect(),
        sandbox: first.sandbox.clone(),
        clock: first.clock.clone(),
    };
    let log = (first.log.as_str(), &agreed.digest);
    let due = results::rows_of_game(
        &agreed.heading,
        &agreed.outcome,
        agreed.turns,
        &agreed.tally,
        log,
        &circumstances,
    );
    if due.len() != rows.len() {
        return Err(RecordError::line(path, *line, format!("{} rows instead of {}", rows.len(), due.len())));
    }
    for ((line, row), due) in rows.iter().zip(&due) {
        if let Some(difference) = row.difference(due) {
            return Err(RecordError::line(path, *line, difference));
        }
    }
    Ok(())
}

/// Checks a folder that has no results: then no game has been played in it.
///
/// # Errors
///
/// If there is the log of one.
pub fn audit_no_results(path: &Path) -> Result<(), RecordError> {
    check_orphans(path, &path.with_file_name("logs"), &BTreeSet::new())
}

/// What there is of void games' logs is as it was left.
fn check_voids(path: &Path) -> Result<(), RecordError> {
    for (void, line) in voids::read(path)?.iter().zip(2..) {
        let log = path.with_file_name(&void.log);
        if !Digest::of_log(&log).is_ok_and(|digest| digest.as_str() == void.log_digest) {
            let what = format!(
                "the log of void game {} is not there, or not as it was left: {}",
                void.game, void.log
            );
            return Err(RecordError::line(path, line, what));
        }
    }
    Ok(())
}

/// A finished log that no row of the results names: the rows have been removed.
fn check_orphans(path: &Path, folder: &Path, logs: &BTreeSet<PathBuf>) -> Result<(), RecordError> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let file = entry.path();
            if file.is_dir() {
                folders.push(file);
            } else if Form::of(&file).is_some() && !logs.contains(&file) {
                let what = format!("the rows of a finished game are missing: its log is {}", file.display());
                return Err(RecordError::file(path, what));
            }
        }
    }
    Ok(())
}

/// A table whose answers come from a log.
#[derive(Debug)]
pub(crate) struct Replayed {
    reader: LogReader,
    asked: Vec<Seat>,
    turn: u32,
    trouble: Option<RecordError>,
}

impl Replayed {
    pub(crate) fn new(reader: LogReader) -> Replayed {
        Replayed { reader, asked: Vec::new(), turn: 0, trouble: None }
    }

    /// Reads what those who were asked in a turn have answered.
    pub(crate) fn answers(
        &mut self,
        turn: u32,
        asked: &[Seat],
        answers: &mut Vec<Answer>,
    ) -> Result<(), RecordError> {
        self.turn = turn;
        answers.resize_with(asked.len(), || Answer::empty(Seat::new(0)));
        for (answer, seat) in answers.iter_mut().zip(asked) {
            answer.seat = *seat;
            self.answer(answer)?;
        }
        Ok(())
    }

    /// Tells whether the log has no more rows but those that say what the last turn brought about.
    fn is_at_the_end(&mut self) -> Result<bool, RecordError> {
        self.skip_events()?;
        Ok(self.reader.peek()?.is_none())
    }

    /// What the rules brought about is compared, not read.
    fn skip_events(&mut self) -> Result<(), RecordError> {
        while let Some(row) = self.reader.peek()?
            && matches!(row.kind(), "draw" | "effect")
        {
            self.reader.take();
        }
        Ok(())
    }

    fn answer(&mut self, answer: &mut Answer) -> Result<(), RecordError> {
        self.skip_events()?;
        let seat = answer.seat;
        self.reader.answer(self.turn, seat, answer)
    }
}

impl Table for Replayed {
    fn put(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.asked.clear();
        self.asked.extend(questions.iter().map(|question| question.seat));
        Ok(())
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        let asked = std::mem::take(&mut self.asked);
        let read = self.answers(self.turn, &asked, answers);
        self.asked = asked;
        self.turn += 1;
        read.map_err(|error| {
            self.trouble = Some(error);
            TableError::Stopped
        })
    }

    fn reads_lines(&self) -> bool {
        false
    }
}

/// Compares what the writer writes with what is in the file.
struct Comparing {
    path: PathBuf,
    file: BufReader<Source>,
    /// The line that comes next, from 1.
    line: u64,
    found: Vec<u8>,
}

impl Comparing {
    fn open(path: &Path) -> Result<Comparing, RecordError> {
        let file = Source::open(path).map_err(RecordError::system(path, "open the log"))?;
        Ok(Comparing { path: path.to_owned(), file: BufReader::new(file), line: 1, found: Vec::new() })
    }

    fn at_the_end(mut self) -> Result<(), RecordError> {
        let rest = self.file.fill_buf().map_err(RecordError::system(&self.path, "read the log"))?;
        if !rest.is_empty() {
            let what = "there should be nothing after the digest";
            return Err(RecordError::line(&self.path, self.line, what));
        }
        match self.file.get_ref().is_cut_off() {
            true => Err(RecordError::file(
                &self.path,
                "all of the log is there, but the compressed file is cut off",
            )),
            false => Ok(()),
        }
    }
}

impl Sink for Comparing {
    fn take(&mut self, bytes: &[u8]) -> Result<(), RecordError> {
        self.found.clear();
        let read = self.file.by_ref().take(bytes.len() as u64).read_to_end(&mut self.found);
        read.map_err(RecordError::system(&self.path, "read the log"))?;
        if self.found == bytes {
            self.line += newlines(bytes);
            return Ok(());
        }
        // The first line that differs, of both.
        let equal = self.found.iter().zip(bytes).take_while(|(one, other)| one == other).count();
        let start = bytes[..equal].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let line = self.line + newlines(&bytes[..start]);
        if !self.found[start..].contains(&b'\n') {
            let read = self.file.by_ref().take(ROW_MAX).read_until(b'\n', &mut self.found);
            read.map_err(RecordError::system(&self.path, "read the log"))?;
        }
        let [found, due] = [&self.found[start..], &bytes[start..]]
            .map(|lines| lines.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default());
        Err(RecordError::line(&self.path, line, difference(found, due)))
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}

/// Says how a line of a log differs from what it should be.
fn difference(found: &[u8], due: &[u8]) -> String {
    if found.is_empty() {
        return format!("the log ends too early; due here: {}", shown(due, 0));
    }
    if due.starts_with(b"digest,") && found.starts_with(b"digest,") {
        return format!(
            "the digest does not fit: something that the rules do not determine (a time, a name, a fault) or this row \
             was changed after the game; by its contents: {}",
            shown(due, 0)
        );
    }
    let first = found.iter().zip(due).take_while(|(one, other)| one == other).count();
    format!("found {}; the rules say {}", shown(found, first), shown(due, first))
}

/// A line for people: the part around the first difference if it is long.
fn shown(line: &[u8], difference: usize) -> String {
    const AROUND: usize = 100;
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let start = difference.saturating_sub(AROUND).min(line.len());
    let end = (difference + AROUND).min(line.len());
    let (before, after) = (if start > 0 { "..." } else { "" }, if end < line.len() { "..." } else { "" });
    format!("`{before}{}{after}`", line[start..end].escape_ascii())
}
