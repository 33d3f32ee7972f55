//! The audit of results and of the logs of all their games. `play` of `referee-record` audits a single log.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::beneath::Spot;
use crate::log::{self, part_of};
use crate::threads::in_order;
use crate::{digest, results, voids, walk, work};
use referee_games::catalog;
use referee_record::error::{Error, ErrorKind};
use referee_record::file::{Form, is_below_logs, stem};
use referee_record::forms::seated;
use referee_record::play::replay::audit::{self, AuditedLog};
use referee_record::results::{Circumstances, NumberedRow, ResultRow};
use referee_record::voids::VoidReason;
use referee_record::{Digest, Heading};

/// Plays a logged game again, and compares.
///
/// # Errors
///
/// Names the first line that does not follow from the rules, the seed and the answers, and the line that does.
pub fn audit_log(log: impl Into<Spot>) -> Result<AuditedLog, Error> {
    let log = log.into();
    audit::audit_log([log::open_counted(&log)?, log::open(&log)?])
}

/// Checks a results file, and every log that it names: `jobs` logs at a time. Calls `look` with the rows of each game
/// that agrees with its log, in the order of the file. Rejects a finished log that no row names.
///
/// # Errors
///
/// Names the first wrong line of the results or of a log; or the error of `look`.
pub fn audit_results(
    results: impl Into<Spot>,
    jobs: usize,
    mut look: impl FnMut(&[NumberedRow]) -> Result<(), Error>,
) -> Result<Counts, Error> {
    let results = results.into();
    let mut logs = BTreeSet::new();
    let counts = audit_games(&results, jobs, |game, log| {
        logs.insert(log);
        look(game)
    })?;
    check_orphans(&results, &logs)?;
    check_voids(beside(&results, "voids.csv"))?;
    Ok(counts)
}

/// Checks the list of a tournament's games, and every log that it names, as [`audit_results`] does. A log that no row
/// names is no error here: each try at a game has a folder of its own, and two runners can have played the same game.
/// Void games are not checked.
pub fn audit_listed(
    results: impl Into<Spot>,
    jobs: usize,
    mut look: impl FnMut(&[NumberedRow]) -> Result<(), Error>,
) -> Result<Counts, Error> {
    audit_games(&results.into(), jobs, |game, _| look(game))
}

/// The number of games and rows that were checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Games.
    pub games: usize,
    /// Their rows.
    pub rows: usize,
    /// Games whose rules are in a program that has changed since: for example another build of a referee that the host
    /// has added games to.
    pub by_other_rules: usize,
}

impl Counts {
    fn add(&mut self, game: &[NumberedRow], audited: &AuditedGame) {
        self.games += 1;
        self.rows += game.len();
        self.by_other_rules += usize::from(audited.by_other_rules.is_some());
    }
}

/// A game that agrees with its log.
struct AuditedGame {
    log: PathBuf,
    /// The digest of the program that had its rules, if that is not the present one.
    by_other_rules: Option<Digest>,
}

/// Checks the rows of each game, and its log, and shows both to `look`, in the order of the rows.
fn audit_games(
    spot: &Spot,
    jobs: usize,
    mut look: impl FnMut(&[NumberedRow], PathBuf) -> Result<(), Error>,
) -> Result<Counts, Error> {
    let path = spot.path();
    let mut counts = Counts::default();
    let mut names = BTreeSet::new();
    let games = results::games(spot)?.map(|game| {
        let game = game?;
        let (line, first) = &game[0];
        if !names.insert(first.game.clone()) {
            return Err(Error::line(path, *line, format!("game {} is entered twice", first.game)));
        }
        Ok(game)
    });
    let folder = spot.at(path.parent().unwrap_or(Path::new(".")));
    let audit = |game: Vec<NumberedRow>| audit_game(&folder, path, &game).map(|audited| (game, audited));
    in_order(games, jobs, audit, |(game, audited)| {
        counts.add(&game, &audited);
        look(&game, audited.log)
    })?;
    Ok(counts)
}

/// Checks the rows of a game, and its log, which is named from `folder`.
fn audit_game(folder: &Spot, path: &Path, game: &[NumberedRow]) -> Result<AuditedGame, Error> {
    let (line, first) = &game[0];
    let log = log_of(folder, first)
        .ok_or_else(|| Error::line(path, *line, format!("its log is missing: {}", first.log)))?;
    let by_other_rules = other_rules(path, *line, first)?;
    let audited = log::open(&log).and_then(|contents| audit::audit_log([contents, log::open(&log)?]));
    work::game_done();
    let audited = audited.map_err(|error| {
        if let Some(digest) = &by_other_rules {
            return error.and(format_args!(
                "; the game was played by another program with rules of this name and version (SHA-256 {digest}): \
                 audit it with that one"
            ));
        }
        let is_good = |copy: &Spot| digest::of_log(copy).is_ok_and(|digest| digest == first.log_digest);
        let Some(copy) = log::in_other_form(&log).filter(is_good) else { return error };
        error.and(format_args!(
            "; {} has the content that the results name: put that in its place",
            copy.path().display()
        ))
    })?;
    check_rows(path, game, &audited)?;
    Ok(AuditedGame { log: log.path().to_owned(), by_other_rules })
}

/// Returns the digest of the program that had the rules of a game, if the program that has them now is another one.
fn other_rules(path: &Path, line: u64, row: &ResultRow) -> Result<Option<Digest>, Error> {
    // A game that is not known here is an error of its log.
    let Ok(game) = catalog::find(&row.rules) else { return Ok(row.rules_digest.clone()) };
    let present = digest::of_rules(game)?;
    let Some(digest) = &row.rules_digest else {
        return match present {
            None => Ok(None),
            Some(_) => {
                let what =
                    format!("column rules_digest is empty; {} does not come with the referee", row.rules);
                Err(Error::line(path, line, what))
            }
        };
    };
    if present.is_none() {
        let what =
            format!("column rules_digest is {digest}; {} comes with the referee, so it is empty", row.rules);
        return Err(Error::line(path, line, what));
    }
    Ok((present.as_ref() != Some(digest)).then(|| digest.clone()))
}

/// Returns the log of a game: the published one, or else the `.part` file that an interrupted run has left.
pub fn log_of(folder: &Spot, row: &ResultRow) -> Option<Spot> {
    let log = folder.at(folder.path().join(&row.log));
    let part = log.at(part_of(log.path()));
    // A run can publish the log between two looks, so its final name is tried twice.
    [log::resolve_form(log.clone()), part, log::resolve_form(log)].into_iter().find(Spot::exists)
}

/// Returns a file in the folder of the results, or below it.
fn beside(results: &Spot, way: &str) -> Spot {
    results.at(results.path().parent().unwrap_or(Path::new(".")).join(way))
}

/// Compares a game's rows in the results with those that follow from its log.
fn check_rows(path: &Path, rows: &[NumberedRow], audited: &AuditedLog) -> Result<(), Error> {
    let (line, first) = &rows[0];
    let log = Path::new(&first.log);
    if !is_below_logs(&first.log) || Form::of(log).is_none() || stem(log) != first.game {
        let what =
            format!("column log is {:?}; it should name a log of {} below logs", first.log, first.game);
        return Err(Error::line(path, *line, what));
    }
    for (line, row) in rows {
        if let Some(what) = row.fault() {
            return Err(Error::line(path, *line, what));
        }
    }
    let guest = rows.iter().map(|(_, row)| row).find(|row| row.is_guest());
    let process = rows.iter().map(|(_, row)| row).find(|row| !row.is_guest());
    let circumstances = Circumstances {
        started: first.started.clone(),
        scheduled: first.place_in_schedule,
        fillers: rows.iter().filter(|(_, row)| !row.counts).map(|(_, row)| row.seat).collect(),
        rules_digest: first.rules_digest.clone(),
        sandbox: process.map_or_else(String::new, |row| row.sandbox.clone()),
        clock: process.map_or_else(String::new, |row| row.clock.clone()),
        guests: rows.iter().filter(|(_, row)| row.is_guest()).map(|(_, row)| row.seat).collect(),
        guest_clock: guest.map_or_else(String::new, |row| row.clock.clone()),
    };
    let expected = referee_record::results::rows_of_game(
        &audited.heading,
        &audited.outcome,
        audited.turns,
        &audited.tally,
        (first.log.as_str(), &audited.digest),
        &circumstances,
    );
    if expected.len() != rows.len() {
        return Err(Error::line(path, *line, format!("{} rows instead of {}", rows.len(), expected.len())));
    }
    for ((line, row), expected) in rows.iter().zip(&expected) {
        if let Some(difference) = row.difference(expected) {
            return Err(Error::line(path, *line, difference));
        }
    }
    Ok(())
}

/// Checks a folder that has no results: then no game has been played in it.
///
/// # Errors
///
/// If there is the log of a game.
pub fn audit_no_results(results: impl Into<Spot>) -> Result<(), Error> {
    check_orphans(&results.into(), &BTreeSet::new())
}

/// Checks each row of void games, and that their logs are unchanged. `spot` is the list of void games, which need not
/// exist.
///
/// # Errors
///
/// Names the first line whose columns do not fit each other or its log, or whose log is not there, or was changed.
pub fn check_voids(spot: impl Into<Spot>) -> Result<(), Error> {
    let spot = spot.into();
    let path = spot.path();
    let rows = voids::read(&spot)?;
    let mut attempts_by_game: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for row in &rows {
        if row.reason != VoidReason::GivenUp {
            attempts_by_game.entry(&row.game).or_default().insert(row.attempt);
        }
    }
    for (void, line) in rows.iter().zip(2..) {
        let wrong = |what: String| Error::line(path, line, what);
        if let Some(what) = void.inconsistent_column() {
            return Err(wrong(what));
        }
        let number = void.attempt;
        let attempts = attempts_by_game.get(&*void.game);
        // An attempt begins when all attempts before it have their rows.
        let count_up_to_it = attempts.map_or(0, |attempts| attempts.range(..=number).count());
        let last = attempts.and_then(BTreeSet::last).copied().unwrap_or(0);
        if count_up_to_it != number as usize || void.reason == VoidReason::GivenUp && last != number {
            let game = &void.game;
            return Err(wrong(format!(
                "column attempt is {number}; the rows of {game} are not attempts 1 to {number}"
            )));
        }
        if void.log.is_empty() {
            continue;
        }
        let log = spot.at(path.with_file_name(&void.log));
        if !digest::of_log(&log).is_ok_and(|digest| digest.as_str() == void.log_digest) {
            let what = format!("the log of void game {} is missing or was changed: {}", void.game, void.log);
            return Err(wrong(what));
        }
        let (turns, heading) = turns_of(&log)?;
        let bots = heading.bots.iter().map(|(_, bot)| (&*bot.name, bot.version));
        let is_of_game =
            heading.game == void.game && seated(&void.bots).is_some_and(|bots_of| bots.eq(bots_of));
        if !is_of_game {
            return Err(wrong(format!("{} is the log of another game, or of other bots", void.log)));
        }
        // The last turn before a judge failed is not in the log.
        let is_turn = turns == void.turn || void.reason == VoidReason::JudgeFailed && turns + 1 == void.turn;
        if !is_turn {
            return Err(wrong(format!("column turn is {}; its log has {turns} turns", void.turn)));
        }
    }
    Ok(())
}

/// Returns the number of turns of an incomplete log, and its heading.
fn turns_of(log: &Spot) -> Result<(u32, Heading), Error> {
    let (mut reader, heading) = log::reader(log)?;
    let mut turns = 0;
    while let Some(row) = reader.peek()? {
        turns = row.turn()?.map_or(turns, |turn| turn + 1);
        reader.take();
    }
    Ok((turns, heading))
}

/// Makes sure that each finished log of a folder of games has rows in its results, as far as these are whole.
///
/// # Errors
///
/// Names a log without rows, and what can be done.
pub fn check_listed(results: impl Into<Spot>) -> Result<(), Error> {
    let results = results.into();
    check_orphans(&results, &logs_of(&results)).map_err(|error| match error.kind() {
        ErrorKind::Input => error.or(ErrorKind::Tampered).and(
            "; put results.csv back from a backup, or move this log out of logs: its game then does not count",
        ),
        _ => error,
    })
}

/// Looks for a finished log that no row of the results names: its rows have been removed.
fn check_orphans(results: &Spot, logs: &BTreeSet<PathBuf>) -> Result<(), Error> {
    // The logs of games that were listed after `logs` was made.
    let mut newer_logs = BTreeSet::new();
    walk::each_file(&beside(results, "logs"), |walk::Entry { path: file, is_link }| {
        if is_link {
            // Files below it would not be seen.
            let what =
                "a symbolic link; links in a record are not followed: put the file or folder itself there";
            return Err(Error::file(&file, what));
        }
        if Form::of(&file).is_none() || logs.contains(&file) || newer_logs.contains(&file) {
            return Ok(());
        }
        newer_logs = logs_of(results);
        if newer_logs.contains(&file) { Ok(()) } else { Err(without_rows(results, &file, logs)) }
    })
}

/// Lists the logs of the games in the results, as far as these are whole.
fn logs_of(results: &Spot) -> BTreeSet<PathBuf> {
    let folder = beside(results, "");
    let games = results::games(results).into_iter().flatten().map_while(Result::ok);
    games.filter_map(|game| Some(log_of(&folder, &game.first()?.1)?.path().to_owned())).collect()
}

/// Returns the error for a finished log that no row names: it is a second copy of one that a row names, or its rows
/// have been removed.
fn without_rows(results: &Spot, file: &Path, logs: &BTreeSet<PathBuf>) -> Error {
    let log = results.at(file);
    let twin = log::in_other_form(&log).filter(|twin| logs.contains(twin.path()));
    let Some(twin) = twin else {
        let what = format!("the rows of a finished game are missing: its log is {}", file.display());
        return Error::file(results.path(), what);
    };
    let digest_of = |spot: &Spot| digest::of_log(spot).ok();
    let (content, remedy) = if digest_of(&log).is_some_and(|digest| digest_of(&twin) == Some(digest)) {
        ("the same content", "remove one of the two")
    } else {
        ("other content", "move it out of the folder")
    };
    let what = format!("a second copy of {}, with {content}: {remedy}", twin.path().display());
    Error::record(file, what)
}

/// Makes sure that the log of a game has the content that its rows say. A runner has recorded these rows, which are not
/// in the results yet. `folder` is that of the results.
pub fn check_recorded(folder: &Spot, rows: &[ResultRow]) -> Result<(), Error> {
    let Some(first) = rows.first() else { return Ok(()) };
    let Some(log) = log_of(folder, first) else {
        let what = "missing: the log of a game that a runner has recorded; put it back before the next run lists \
                    the game";
        return Err(Error::record(&folder.path().join(&first.log), what));
    };
    match digest::of_log(&log) {
        Ok(digest) if digest == first.log_digest => Ok(()),
        _ => Err(Error::record(log.path(), "not the log that its runner has recorded; put that back")),
    }
}
