//! The file of a tournament, `tournaments/*.toml`: its game, entrants and format. [`SCHEMA`] describes all keys;
//! anything else is an error that names the line.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use crate::admission::entrants::{Event, bad_name};
use crate::node::Machines;
use crate::plan::rounds;
use crate::runner::tries::LossSettings;
use crate::settings::{self, SeedLine};
use crate::stages::Stop;
use referee_files::beneath::Spot;
use referee_games::catalog::{self, Entry};
use referee_record::error::Error;
use referee_record::file::Form;
use referee_rules::{Parameters, Seed};
use referee_sandbox::{Choice, Limits};
use referee_statistics::schedule::format::Format;
use referee_table::process::Timekeeping;

/// All keys of the file, with their meanings and defaults.
pub const SCHEMA: &str = r#"name = "demo"              # letters, digits, _ and -
game = "football"          # a game's name (see: referee play --help), or the path of a judge
seed = "7"                 # random seed; left out: a new one, kept in the plan
clock = "charged"          # what bots are charged: charged (default), serial (one at a time) or wall
sandbox = "auto"           # how bots are confined: auto (default), strict, landlock or off
interpreters = []          # files and folders that run scripts, besides those of PATH, as in hill.toml (none)
compress = false           # whether logs are compressed as they are written: .csv.gz (default false)
lost_max = 10              # a game is given up after this number of losses with its runner; 0: never (not strict: 2)
lost_behind_max = 3        # the same for losses whose log tells the scores, if the same bot alone was last in all
batch = 50                 # games that are committed at once, rounded up to whole blocks (default 50)
author_bots = 0            # maximum number of bots of one author; 0: any number (default 0)
program_mib = 256          # the largest program, in MiB (default 256)

[parameters]               # of the game; those left out have their defaults
p = [1, 10]                # lists, all of the same length, make sub-tournaments: the first with p = 1 and k = 15,
k = [15, 10]               #   the second with p = 10 and k = 10
max_turns = 500            # the same in all

[format]
kind = "rounds"            # rounds, round-robin, gauntlet, knockout, swiss or comfoosball
rounds = 4                 # the settings of each kind are listed below

[stop]                     # optional, with kind = "rounds": end when the best bot is clear, or after `rounds` rounds
until = "winner"           # winner (default), or ranked: end when all bots are ranked; it has a method of its own
method = "betting"         # betting (default), or asymptotic: sooner, but valid only if nothing that matters is rare
alpha = 0.05               # the probability of a wrong verdict (default 0.05; sub-tournaments share it)
epsilon = 0.01             # the smallest difference of mean shares that matters (default 0.01)
min_rounds = 10            # no verdict before this round (default 10)
look_every = 10            # rounds between two looks, or a tenth of those played, if that is more (default 10)
racing = false             # true: bots that the verdict no longer depends on only fill tables (default false)
# bands = [0.1, 0.3, 0.6]  # with until = "ranked": grade bands, best first; it then ends when each bot's band is known

[limits]                   # of each bot, as in hill.toml; those left out have their defaults
data_mib = 512

[machines]                 # which machines can play
slower_max = 4             # maximum slowness, as a multiple of the reference (default 4; 0: no limit)
calibration_us = 5000      # the reference: microseconds for a test (default: those of the machine that makes the plan)

[[entrant]]                # one for each bot
name = "fox"
author = "reynard"         # its author, for author_bots and author_seats (default: unknown)
program = "bots/fox"       # from this file's folder, or "house:NAME" (see: referee bots)
arguments = ["--level", "3"]
allow_fork = false         # whether it may start other programs
"#;

/// A tournament as its file describes it.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// Its name.
    pub name: String,
    /// The game.
    pub entry: &'static Entry,
    /// The random seed, if it is given.
    pub seed: Option<Seed>,
    /// The time that bots are charged.
    pub timekeeping: Timekeeping,
    /// How logs are kept.
    pub log: Form,
    /// When a game is given up whose attempts are lost with their runner.
    pub losses: LossSettings,
    /// Number of games that are committed together, rounded up to whole blocks.
    pub batch: u32,
    /// The largest program, in MiB.
    pub program_mib: u64,
    /// The parameters of each sub-tournament; one if there are none.
    pub sets: Vec<Parameters>,
    /// How bots are confined.
    pub sandbox: Choice,
    /// Interpreters for scripts, besides those of the host's `PATH`.
    pub interpreters: Vec<PathBuf>,
    /// Limits of each bot.
    pub limits: Limits,
    /// Conditions for machines.
    pub machines: Machines,
    /// The format.
    pub format: Format,
    /// The stop rule; without one, the number of rounds is fixed.
    pub stop: Option<Stop>,
    /// The bots.
    pub entrants: Vec<EntrantLine>,
}

/// A bot as the file names it.
#[derive(Clone, Debug, PartialEq)]
pub struct EntrantLine {
    /// Its name.
    pub name: String,
    /// The program.
    pub program: ProgramLine,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its author; empty if the file names none.
    pub author: String,
    /// It may start other programs.
    pub allow_fork: bool,
    /// Its line in the file, from 1.
    pub line: u64,
}

/// A bot's program as the file names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramLine {
    /// A house bot.
    House(String),
    /// A file.
    File(PathBuf),
}

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    name: Spanned<String>,
    game: Spanned<String>,
    seed: Option<Spanned<SeedLine>>,
    clock: Option<Spanned<String>>,
    sandbox: Option<Spanned<String>>,
    interpreters: Option<Spanned<Vec<PathBuf>>>,
    #[serde(default)]
    compress: bool,
    lost_max: Option<u32>,
    lost_behind_max: Option<u32>,
    batch: Option<Spanned<u32>>,
    #[serde(default)]
    author_bots: usize,
    program_mib: Option<Spanned<toml::Value>>,
    #[serde(default)]
    parameters: BTreeMap<String, Spanned<toml::Value>>,
    #[serde(default)]
    limits: settings::LimitLines,
    machines: Option<Spanned<Machines>>,
    format: Spanned<Format>,
    stop: Option<Spanned<Stop>>,
    entrant: Vec<Spanned<EntrantDocument>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntrantDocument {
    name: Spanned<String>,
    program: Spanned<String>,
    #[serde(default)]
    arguments: Vec<String>,
    author: Option<Spanned<String>>,
    #[serde(default)]
    allow_fork: bool,
}

/// Number of games in a batch if the file does not say.
const BATCH: u32 = 50;

/// Prefix of the names of house bots.
const HOUSE: &str = "house:";

/// Reads the file of a tournament.
///
/// # Errors
///
/// Names the wrong line.
pub fn read(path: &Path) -> Result<Tournament, Error> {
    let text = Spot::from(path)
        .read_text(settings::FILE_MAX)
        .map_err(Error::system(path, "read the tournament's file"))?;
    parse(path, &text)
}

/// Reads the text of a tournament's file.
///
/// # Errors
///
/// As for [`read`].
pub fn parse(path: &Path, text: &str) -> Result<Tournament, Error> {
    let document: Document =
        toml::from_str(text).map_err(|error| settings::unreadable(path, text, &error))?;
    let line = |span: Range<usize>| settings::line_at(text, span.start);
    let wrong = |span: Range<usize>, what: String| Error::line(path, line(span), what);

    if let Some(why) = bad_name(document.name.get_ref()) {
        return Err(wrong(document.name.span(), why));
    }
    let game = document.game.get_ref();
    // The path of a judge is relative to the file's folder.
    let judge = path.parent().filter(|_| game.contains('/')).map(|folder| folder.join(game));
    let judge = judge.map(|judge| std::path::absolute(judge).map_err(Error::system(path, "find the judge")));
    let judge = judge.transpose()?.map(|judge| judge.to_string_lossy().into_owned());
    let entry = catalog::find(judge.as_ref().unwrap_or(game))
        .map_err(|error| wrong(document.game.span(), error.to_string()))?;
    let seed = document.seed.map(|seed| seed.get_ref().seed().map_err(|what| wrong(seed.span(), what)));
    let timekeeping = document
        .clock
        .map(|clock| settings::clock(clock.get_ref()).map_err(|what| wrong(clock.span(), what)));
    let batch = match document.batch {
        Some(batch) if *batch.get_ref() == 0 => {
            return Err(wrong(batch.span(), "batch must be at least 1, not 0".to_owned()));
        }
        batch => batch.map_or(BATCH, Spanned::into_inner),
    };
    let program_mib = document.program_mib.as_ref();
    let program_mib = settings::program_mib(program_mib.map(Spanned::get_ref))
        .map_err(|what| wrong(program_mib.map_or(0..0, Spanned::span), what))?;
    let sandbox = document.sandbox.map(|sandbox| {
        sandbox.get_ref().parse::<Choice>().map_err(|error| wrong(sandbox.span(), error.to_string()))
    });
    let machines = document.machines.map(|machines| match machines.get_ref().fault() {
        Some(fault) => Err(wrong(machines.span(), fault)),
        None => Ok(*machines.get_ref()),
    });
    let machines = machines.transpose()?;
    let interpreters = document.interpreters.map(|listed| {
        let checked = settings::interpreters(listed.get_ref());
        checked.map_err(|what| wrong(listed.span(), what)).map(|()| listed.into_inner())
    });
    let (format, format_span) = (document.format.get_ref().clone(), document.format.span());
    let tournament = Tournament {
        name: document.name.into_inner(),
        entry,
        seed: seed.transpose()?,
        timekeeping: timekeeping.transpose()?.unwrap_or_default(),
        log: Form::compressed_if(document.compress),
        losses: LossSettings { max: document.lost_max, behind_max: document.lost_behind_max },
        batch,
        program_mib,
        sets: sets(entry, &document.parameters).map_err(|(span, what)| wrong(span, what))?,
        sandbox: sandbox.transpose()?.unwrap_or_default(),
        interpreters: interpreters.transpose()?.unwrap_or_default(),
        limits: settings::limits(&document.limits).map_err(|(span, what)| wrong(span, what))?,
        machines: machines.unwrap_or_default(),
        format,
        stop: document.stop.as_ref().map(|stop| stop.get_ref().of_today()),
        entrants: entrants(path, text, document.entrant, document.author_bots)?,
    };
    fits(&tournament).map_err(|what| wrong(format_span, what))?;
    if let Some(stop) = document.stop {
        can_stop(&tournament, &stop.get_ref().of_today()).map_err(|what| wrong(stop.span(), what))?;
    }
    Ok(tournament)
}

/// Makes the parameters of each sub-tournament.
fn sets(
    entry: &Entry,
    values: &BTreeMap<String, Spanned<toml::Value>>,
) -> Result<Vec<Parameters>, (Range<usize>, String)> {
    let lists =
        || values.iter().filter_map(|(name, value)| Some((name, value.get_ref().as_array()?, value.span())));
    let count = lists().map(|(_, list, _)| list.len()).next().unwrap_or(1);
    if let Some((name, list, span)) = lists().find(|(_, list, _)| list.len() != count || list.is_empty()) {
        let what = match list.len() {
            0 => format!("{name}: an empty list"),
            other => {
                format!(
                    "{name}: a list of {other} values, but another list has {count}; all lists must have \
                     the same length"
                )
            }
        };
        return Err((span, what));
    }
    let mut sets = vec![Parameters::defaults(entry.parameters); count];
    for (name, value) in values {
        for (index, set) in sets.iter_mut().enumerate() {
            let one = value.get_ref().as_array().map_or(value.get_ref(), |list| &list[index]);
            settings::set(set, name, one).map_err(|what| (value.span(), what))?;
        }
    }
    if let Some(second) = (1..sets.len()).find(|second| sets[..*second].contains(&sets[*second])) {
        let (_, _, span) = lists().next().expect("else there is one set");
        return Err((span, format!("sub-tournament {} is the same as an earlier one", second + 1)));
    }
    Ok(sets)
}

fn entrants(
    path: &Path,
    text: &str,
    documents: Vec<Spanned<EntrantDocument>>,
    author_bots: usize,
) -> Result<Vec<EntrantLine>, Error> {
    let line = |span: Range<usize>| settings::line_at(text, span.start);
    let mut entrants: Vec<EntrantLine> = Vec::new();
    for document in documents {
        let EntrantDocument { name, program, arguments, author, allow_fork } = document.into_inner();
        let wrong = |span: Range<usize>, what: String| Error::line(path, line(span), what);
        if let Some(why) = bad_name(name.get_ref()) {
            return Err(wrong(name.span(), why));
        }
        if let Some(first) = entrants.iter().find(|other| other.name == *name.get_ref()) {
            let what = format!("{} is entered already, on line {}", first.name, first.line);
            return Err(wrong(name.span(), what));
        }
        let author = match author {
            Some(author) => {
                let checked = Event::check_author(author.get_ref());
                checked.map_err(|what| wrong(author.span(), what))?;
                let bots = entrants.iter().filter(|other| other.author == *author.get_ref()).count();
                if author_bots > 0 && bots >= author_bots {
                    let what =
                        format!("{} has more bots than author_bots = {author_bots} allows", author.get_ref());
                    return Err(wrong(author.span(), what));
                }
                author.into_inner()
            }
            None => String::new(),
        };
        let line = line(program.span());
        let program = match program.get_ref().strip_prefix(HOUSE) {
            Some(bot) => ProgramLine::House(bot.to_owned()),
            None => ProgramLine::File(path.parent().unwrap_or(Path::new("")).join(program.get_ref())),
        };
        entrants.push(EntrantLine { name: name.into_inner(), program, arguments, author, allow_fork, line });
    }
    Ok(entrants)
}

fn authors_of(entrants: &[EntrantLine]) -> Vec<String> {
    entrants.iter().map(|line| line.author.clone()).collect()
}

/// Makes sure that this field can play this game in this format.
fn fits(tournament: &Tournament) -> Result<(), String> {
    let Tournament { entry, sets, format, entrants, .. } = tournament;
    let count = entrants.len();
    if count < 2 {
        return Err(format!("a tournament has at least two entrants, not {count}"));
    }
    for set in sets.iter().filter(|set| entry.table(set).is_none()) {
        entry.seat(set, count).map_err(|error| error.to_string())?;
    }
    rounds::contests(entry, Seed(0), sets, authors_of(entrants))
        .try_for_each(|contest| format.check(&contest))
        .map_err(|error| error.to_string())
}

/// Makes sure that the stop rule is valid for this format.
fn can_stop(tournament: &Tournament, stop: &Stop) -> Result<(), String> {
    let Tournament { entry, sets, format, entrants, .. } = tournament;
    let mut contests = rounds::contests(entry, Seed(0), sets, authors_of(entrants));
    let is_uniform = contests.all(|contest| format.uniform_round(&contest, 1).is_some());
    if !is_uniform || format.rounds_max().is_none() {
        return Err("a stop rule is for kind = \"rounds\" with deal = \"uniform\": remove [stop]".to_owned());
    }
    stop.rule(sets.len(), format).fault().map_or(Ok(()), Err)
}
