//! Judges: programs that implement the rules of a game. A judge is started and confined like a bot, and
//! speaks lines of words and integers; `docs/reference/judge.md` describes them for authors of judges.
//!
//! [`open`] makes such a program an entry of the list of games. Its games are [`Game`]s like all others. A
//! judge's mistake makes the game void, and is no bot's fault.

#![forbid(unsafe_code)]

pub mod check;
mod game;
mod kept;
mod reply;
mod session;
mod words;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use self::game::JudgeGame;
pub use self::kept::{FOLDER, is_name, keep, open_kept};
use self::session::Session;
use self::words::Description;
use referee_games::catalog::{Entry, Maker};
use referee_record::Digest;
use referee_record::error::Error;
use referee_rules::game::Game;
use referee_rules::{Info, Parameters, Seat, Seating, Seed, TimeControl};
use referee_sandbox::program::{Look, Opened};
use referee_sandbox::{Choice, Limits, probe};
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
    seen: Look,
    description: Description,
}

/// Opens a judge: starts the program and has it describe its game.
///
/// # Errors
///
/// If it is no program, cannot be confined here, or does not describe a game.
pub fn open(file: &Path) -> Result<Entry, Error> {
    let refused = |what: String| Error::input(format!("{}: {what}", file.display()));
    let setup = setup().map_err(Error::input)?;
    let opened = Opened::open(file).map_err(|why| refused(why.to_string()))?;
    setup.check(&opened).map_err(|why| refused(why.to_string()))?;
    let digest = Digest::of_reader(opened.file()).map_err(Error::system(file, "read the judge"))?;
    let description = Session::start(&program(file, opened.look()), Description::PATIENCE)
        .and_then(|mut session| words::describe(&mut session).map_err(|why| session.explained(why)))
        .map_err(|why| refused(format!("not a judge: {why}; see `referee docs judge`")))?;
    let name = words::leak(&kept::name_of(&description.name, &digest));
    let file = std::path::absolute(file).map_err(Error::system(file, "find the judge"))?;
    let judge = Judge { name, file, digest, seen: opened.look(), description };
    let judge: &'static Judge = Box::leak(Box::new(judge));
    kept::remember(judge);
    let Description { about, parameters, labels, least, most, .. } = judge.description;
    let seating = if least == most { Seating::Fixed(most) } else { Seating::Range { least, most } };
    Ok(Entry {
        name: judge.name,
        about,
        parameters,
        seating,
        extremes: &[],
        board: None,
        page_board: None,
        picture: None,
        labels,
        bots: &[],
        maker: judge,
    })
}

impl Maker for Judge {
    fn info(&self, parameters: &Parameters) -> Info {
        let Description { version, least, most, turns, .. } = self.description;
        let seats = if least == most { most } else { parameters.get(referee_games::catalog::SEATS) as usize };
        let time = |name| std::time::Duration::from_millis(parameters.get(name) as u64);
        Info {
            name: self.name,
            version,
            seats,
            ring: Seat::first(seats).collect(),
            block: seats,
            turns_max: turns,
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
    fn begin(&self, parameters: &Parameters, seed: Seed) -> JudgeGame {
        let source = game::Source {
            name: self.name,
            program: program(&self.file, self.seen),
            patience: self.description.patience,
            together: self.description.together,
            ahead: self.description.ahead,
            told_parameters: self.description.told_parameters,
        };
        JudgeGame::new(source, self.info(parameters), parameters, seed)
    }
}

fn program(file: &Path, seen: Look) -> Program {
    Program { seen: Some(seen), ..Program::new(file, Vec::new()) }
}

/// Returns a flag that ends every wait for a judge once it is set. A program that watches for Ctrl-C sets it,
/// and also uses it for the bots of its games.
pub fn stop() -> Arc<AtomicBool> {
    static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    Arc::clone(STOP.get_or_init(Arc::default))
}

/// The program that starts judges.
static STARTER: OnceLock<PathBuf> = OnceLock::new();

/// Sets the program `referee` that starts judges, by its path. Only the first call counts, and only before a
/// judge is opened.
pub fn start_by(referee: &Path) {
    let _ = STARTER.set(referee.to_owned());
}

/// Returns how judges are started: always confined, even if bots are not.
fn setup() -> Result<Setup, String> {
    static SETUP: OnceLock<Result<Setup, String>> = OnceLock::new();
    let start = || confined(STARTER.get().map_or_else(Setup::this_program, Setup::with));
    SETUP.get_or_init(start).clone()
}

fn confined(setup: Setup) -> Result<Setup, String> {
    let tier = probe::choose(Choice::Auto, &setup.fork_server, setup.landlock_version_max);
    let tier = tier.map_err(|why| format!("a judge cannot be confined here: {why}"))?;
    // The process lives as long as its game, which may be long.
    let limits = Limits { data_mib: 1024, cpu_seconds: 1_000_000, ..Limits::default() };
    Ok(Setup { sandbox: tier, limits, stop: stop(), ..setup })
}
