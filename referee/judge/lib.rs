//! Judges: programs that implement the rules of a game. A judge is started and confined like a bot, and
//! speaks lines of words and integers; `docs/reference/judge.md` describes them for authors of judges.
//!
//! [`open`] makes such a program an entry of the list of games. Its games are [`Game`]s like all others. A
//! judge's mistake makes the game void, and is no bot's fault.

#![forbid(unsafe_code)]

pub mod check;
mod game;
mod reply;
mod session;
mod start;
mod stored;
mod transcript;
mod words;

use std::any::Any;
use std::panic::RefUnwindSafe;
use std::path::{Path, PathBuf};

use self::game::JudgeGame;
pub use self::session::Failure;
use self::session::{Session, Source};
pub use self::start::Host;
use self::start::Options;
pub use self::stored::{FOLDER, is_name, open_stored, store};
pub use self::transcript::Transcript;
use self::words::Description;
use referee_games::catalog::{Entry, Maker};
use referee_record::Digest;
use referee_record::error::Error;
use referee_rules::game::Game;
use referee_rules::{Info, Parameters, Seat, Seating, Seed, TimeControl};
use referee_sandbox::program::{Look, Opened};
use referee_table::process::{Program, Setup};

/// A judge that has described its game.
#[derive(Debug)]
pub struct Judge {
    /// The name of its game, which contains the beginning of its digest.
    pub name: &'static str,
    /// The program.
    pub file: PathBuf,
    /// The digest of the program.
    pub digest: Digest,
    /// The state of the file with this digest. A file that has changed since then is not started.
    look: Look,
    /// How it is started.
    setup: Setup,
    description: Description,
}

/// Opens a judge: starts the program and has it describe its game.
///
/// # Errors
///
/// If it is no program, cannot be confined here, or does not describe a game.
pub fn open(host: &Host, file: &Path) -> Result<Entry, Error> {
    let refused = |what: String| Error::input(format!("{}: {what}", file.display()));
    let opened = Opened::open(file).map_err(|why| refused(why.to_string()))?;
    let setup = host.confined().map_err(Error::input)?;
    setup.check(&opened).map_err(|why| refused(why.to_string()))?;
    let digest = Digest::of_reader(opened.file()).map_err(Error::system(file, "read the judge"))?;
    let source = Source::new(program(file, opened.look()), Description::PATIENCE, setup.clone());
    let description = describe(&source, host.options())
        .map_err(|failure| refused(format!("not a judge: {}; see `referee docs judge`", failure.why)))?;
    let name = words::leak(&stored::name_of(&description.name, &digest));
    let file = std::path::absolute(file).map_err(Error::system(file, "find the judge"))?;
    let judge = Judge { name, file, digest, look: opened.look(), setup, description };
    let judge: &'static Judge = Box::leak(Box::new(judge));
    let Description { about, parameters, labels, seats_min, seats_max, .. } = judge.description;
    let seating = match judge.description.teams {
        teams @ [_, ..] => Seating::Teams(teams),
        [] if seats_min == seats_max => Seating::Fixed(seats_max),
        [] => Seating::Range { least: seats_min, most: seats_max },
    };
    Ok(Entry {
        name: judge.name,
        about,
        parameters,
        seating,
        extremes: &[],
        board: None,
        page_board: None,
        columns: None,
        ends: &[],
        picture: None,
        labels,
        bots: &[],
        maker: judge,
    })
}

/// Refuses the judge of a game if one of its parameters has the name of a command-line option. Does nothing for games
/// without a judge.
///
/// # Errors
///
/// Names the line of the judge's description.
pub fn refuse_option_conflict(entry: &Entry) -> Result<(), Error> {
    let Some(judge) = Judge::of(entry) else { return Ok(()) };
    let Some(why) = &judge.description.option_conflict else { return Ok(()) };
    Err(Error::input(format!("{}: not a judge: {why}; see `referee docs judge`", judge.file.display())))
}

/// Tells whether the judge of a game has a parameter with the name of a command-line option: then commands make options
/// of none of its parameters.
pub fn has_option_conflict(entry: &Entry) -> bool {
    Judge::of(entry).is_some_and(|judge| judge.description.option_conflict.is_some())
}

/// Starts a judge and has it describe its game.
fn describe(source: &Source, options: &Options) -> Result<Description, Failure> {
    let mut session = Session::start(source).map_err(Failure::new)?;
    words::describe(&mut session, options).map_err(|why| session.end_with_failure(why))
}

/// Starts a judge, has it describe its game, and makes sure that nothing follows the description.
fn describe_alone(source: &Source, options: &Options) -> Result<Description, Failure> {
    let mut session = Session::start(source).map_err(Failure::new)?;
    let described = words::describe(&mut session, options).and_then(|description| {
        session.expect_silence()?;
        Ok(description)
    });
    described.map_err(|why| session.end_with_failure(why))
}

// In an open judge only the lock of its fork server and the flag that stops it change. Both stay usable after a panic.
impl RefUnwindSafe for Judge {}

impl Maker for Judge {
    fn info(&self, parameters: &Parameters) -> Info {
        let Description { version, seats_min, seats_max, turns_max, .. } = self.description;
        let has_varying_seats = seats_min < seats_max;
        let seats = if has_varying_seats {
            parameters.get(referee_games::catalog::SEATS) as usize
        } else {
            seats_max
        };
        let time = |name| std::time::Duration::from_millis(parameters.get(name) as u64);
        Info {
            name: self.name,
            version,
            seats,
            ring: Seat::first(seats).collect(),
            block: seats,
            turns_max,
            time: TimeControl {
                turn_limit: time("turn_ms"),
                first_limit: time("first_ms"),
                bank: None,
                ponder: false,
            },
        }
    }

    fn start(&self, parameters: &Parameters, seed: Seed) -> Box<dyn Game> {
        Box::new(self.begin(parameters, seed))
    }

    fn program(&self) -> Option<&str> {
        Some(self.digest.as_str())
    }
}

impl Judge {
    /// Returns the judge of a game; `None` if its rules are no judge.
    fn of(entry: &Entry) -> Option<&'static Judge> {
        let maker: &'static dyn Any = entry.maker;
        maker.downcast_ref()
    }

    fn begin(&self, parameters: &Parameters, seed: Seed) -> JudgeGame {
        self.begin_as(self.source(), parameters, seed)
    }

    /// Returns how it is started as usual.
    fn source(&self) -> Source {
        Source::new(program(&self.file, self.look), self.description.patience, self.setup.clone())
    }

    /// Begins a game with a judge that is started in another way.
    fn begin_as(&self, source: Source, parameters: &Parameters, seed: Seed) -> JudgeGame {
        let description = &self.description;
        let manner = game::Manner {
            name: self.name,
            checks_together: description.checks_together,
            plays_ahead: description.plays_ahead,
            labels: description.labels.len(),
            start_parameters: description.start_parameters,
            teams: description.teams,
        };
        JudgeGame::new(source, manner, self.info(parameters), parameters, seed)
    }
}

fn program(file: &Path, look: Look) -> Program {
    Program { state_when_checked: Some(look), ..Program::new(file, Vec::new()) }
}
