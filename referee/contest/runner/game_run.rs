//! One run of a game: its bots are started, it is played and logged, and its rows are made. Callers decide where the
//! rows are entered.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use crate::fixture::Fixture;
use crate::runner::watch::{Broadcast, FlushWhen, Watched};
use referee_files::beneath::Spot;
use referee_files::log::LogFile;
use referee_files::{digest, standard_error};
use referee_record::error::Error;
use referee_record::file::Form;
use referee_record::game_result::GameResult;
use referee_record::log::GameLog;
use referee_record::play::play as play_turns;
use referee_record::play::table::{TableError, Void};
use referee_record::results::{self, Circumstances};
use referee_record::{Heading, identity};
use referee_rules::game::Game;
use referee_rules::{BySeat, Seat};
use referee_table::clock;
use referee_table::open;
use referee_table::process::{Leftovers, Setup};

/// The end of a run of a game.
#[derive(Debug)]
pub(crate) enum GameRun {
    /// The game was played to its end.
    Over {
        /// Its rows.
        rows: GameResult,
        /// Its log: it is whole on the disk, but does not have its final name yet.
        log: LogFile,
    },
    /// The game is void: it does not count, for a reason outside of it.
    Void(VoidRun),
}

/// A void run.
#[derive(Debug)]
pub(crate) struct VoidRun {
    /// The reason.
    pub void: Void,
    /// The turn in which it was broken off.
    pub turn: u32,
    /// When it began.
    pub started: String,
    /// Its incomplete log.
    pub log: PathBuf,
}

/// Plays a game in a folder: its log goes below `logs`, the standard error of bots below `stderr`.
///
/// # Errors
///
/// If the referee is in trouble or told to stop: then nothing of the game is left.
pub(crate) fn play(
    root: &Path,
    fixture: &Fixture,
    setup: &Setup,
    attempt: u32,
    flush: FlushWhen,
    watch: Option<&Broadcast>,
) -> Result<GameRun, Error> {
    let started = clock::date();
    let mut game = fixture.entry.start(&fixture.parameters, fixture.seed);
    let heading = heading_of(fixture, &*game);
    let path = log_path(root, &fixture.folder, &fixture.id, fixture.log);
    let mut log = GameLog::begin(&heading, LogFile::create(Spot::within(root, &path))?);
    let programs = fixture.entrants.iter().map(|(_, entrant)| Some(entrant.program.clone()));
    let opened = open::open(game.info(), &programs.collect(), setup).map_err(Error::from);
    let mut guests = Vec::new();
    let played = opened.and_then(|mut table| {
        guests = table.guests();
        if let Some(watch) = watch {
            watch.begins(&heading, &*game);
        }
        let outcome = play_turns(&mut *game, &mut *table, &mut Watched::new(&mut log, watch, flush))?;
        keep_errors(root, fixture, &table.farewell())?;
        Ok(outcome)
    });
    let outcome = match played {
        Ok(outcome) => outcome,
        Err(error) => {
            let void = void_of(error, setup)?;
            if let Void::JudgeFailed { errors, .. } = &void {
                keep_judge_errors(root, fixture, attempt, errors)?;
            }
            log.flush()?;
            let (file, ..) = log.finish();
            let log = file.keep_as_void(attempt)?;
            return Ok(GameRun::Void(VoidRun { void, turn: game.turn(), started, log }));
        }
    };
    let (mut file, digest, tally) = log.finish();
    file.sync()?;
    let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy();
    let circumstances = circumstances_of(fixture, setup, started, guests)?;
    let log = (&*name, &digest);
    let rows = results::rows_of_game(&heading, &outcome, game.turn(), &tally, log, &circumstances);
    Ok(GameRun::Over { rows, log: file })
}

/// Returns the reason why a game is void, of the error that has ended it. Any other error is returned as it is.
fn void_of(error: Error, setup: &Setup) -> Result<Void, Error> {
    let Some(TableError::Void(void)) = error.cause() else { return Err(error) };
    // A judge has not failed if the game was told to stop.
    if matches!(void, Void::JudgeFailed { .. }) && setup.stop.load(Ordering::Relaxed) {
        return Err(TableError::Stopped.into());
    }
    Ok(void.clone())
}

/// Returns what the rows of a game say besides its result.
fn circumstances_of(
    fixture: &Fixture,
    setup: &Setup,
    started: String,
    guests: Vec<Seat>,
) -> Result<Circumstances, Error> {
    Ok(Circumstances {
        started,
        scheduled: fixture.scheduled,
        fillers: fixture.fillers.clone(),
        sandbox: setup.sandbox.name().to_owned(),
        clock: setup.timekeeping.name().to_owned(),
        rules_digest: digest::of_rules(fixture.entry)?,
        guest_clock: setup.guest_clock().unwrap_or_default(),
        guests,
    })
}

/// Returns the heading of a game's log.
fn heading_of(fixture: &Fixture, game: &dyn Game) -> Heading {
    let names: BySeat<_> = fixture.entrants.iter().map(|(_, entrant)| entrant.name.clone()).collect();
    let arguments = fixture.entrants.iter().map(|(_, entrant)| identity::shown(&entrant.program.words()));
    Heading::new(&fixture.id, game, &fixture.parameters, names).with_arguments(arguments.collect())
}

/// Returns the path of a game's log.
pub(crate) fn log_path(root: &Path, folder: &str, id: &str, form: Form) -> PathBuf {
    root.join("logs").join(folder).join(format!("{id}{}", form.ending()))
}

/// Returns the path of the file with the standard error of a seat's bot.
pub(crate) fn errors_path(root: &Path, folder: &str, id: &str, seat: Seat) -> PathBuf {
    root.join("stderr").join(folder).join(format!("{id}-seat{seat}.txt"))
}

/// Keeps the standard error of a judge that has failed.
fn keep_judge_errors(root: &Path, fixture: &Fixture, attempt: u32, errors: &[u8]) -> Result<(), Error> {
    let name = format!("{}.void{attempt}-judge.txt", fixture.id);
    let path = root.join("stderr").join(&fixture.folder).join(name);
    standard_error::keep(&Spot::within(root, path), errors, &[])
}

/// Keeps the standard error of bots, in a file for each seat whose bot wrote something.
fn keep_errors(root: &Path, fixture: &Fixture, leftovers: &BySeat<Leftovers>) -> Result<(), Error> {
    let is_silent = leftovers.iter().all(|(_, left)| left.errors.to_bytes().is_empty());
    // Without the folder, there is no file of an earlier attempt that would have to go.
    if is_silent && !Spot::within(root, root.join("stderr").join(&fixture.folder)).exists() {
        return Ok(());
    }
    for (seat, Leftovers { errors, .. }) in leftovers.iter() {
        let path = errors_path(root, &fixture.folder, &fixture.id, seat);
        standard_error::keep(&Spot::within(root, path), &errors.to_bytes(), &errors.turn_ends())?;
    }
    Ok(())
}
