//! The file of a tournament, `tournaments/*.toml`: its game, entrants and format. Anything else is an error that names
//! the line. [`example`] describes all keys.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::bot::Bot;
use crate::contest_settings::{ContestSettings, parameters};
use crate::plan::schedule;
use crate::schema::{self, Gone, LOST_BEHIND_MAX, Settings};
use crate::settings::{self, Lines};
use crate::stages::{RACING_ALONE, Stop};
use referee_files::beneath::Spot;
use referee_games::catalog::Entry;
use referee_record::error::Error;
use referee_record::names::{self, Alike};
use referee_rules::{Parameters, Seed};
use referee_sandbox::Limits;
use referee_statistics::schedule::format::Format;
use referee_statistics::stop_rule::Until;

/// A tournament. A line with # in front shows a key that can be left out, with its default or an example.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "a tournament's file of referee", deny_unknown_fields)]
pub struct TournamentSettings {
    /// Its name: letters, digits, _ and -.
    #[schemars(regex(pattern = schema::PLAIN_NAME))]
    pub name: String,
    #[serde(flatten)]
    #[expect(missing_docs, reason = "its settings have their own")]
    pub contest: ContestSettings,
    /// Games that a runner claims at once, rounded up to whole blocks.
    #[serde(default = "batch")]
    #[schemars(range(min = 1))]
    pub batch: u32,
    /// The format: its kind (`rounds`, `round-robin`, `gauntlet`, `knockout`, `swiss` or `comfoosball`) and the
    /// settings of that kind, which are listed below.
    #[schemars(schema_with = "schema::format")]
    pub format: Format,
    /// Optional, with kind = "rounds": end when the best bot is clear, or after `rounds` rounds.
    pub stop: Option<Stop>,
    /// The bots: a table for each.
    #[schemars(length(min = 2))]
    entrant: Vec<EntrantSettings>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EntrantSettings {
    /// Its name: letters of one script, digits, _ and -.
    #[schemars(regex(pattern = schema::NAME))]
    name: String,
    /// Its author, for author_bots and author_seats.
    #[serde(default)]
    author: String,
    /// A path from this file's folder, or "house:NAME" (see: referee bots).
    program: String,
    /// Its arguments.
    #[serde(default)]
    arguments: Vec<String>,
    /// Whether it may start other programs. Their time is charged as an estimate.
    #[serde(default)]
    allow_fork: bool,
}

impl Settings for TournamentSettings {
    const GONE: &[Gone] = &[LOST_BEHIND_MAX];

    fn complete(schema: &mut Json) {
        schema::games(schema, |parameter| {
            let one = schema::parameter(parameter);
            let about = one["description"].clone();
            let list = json!({ "type": "array", "minItems": 1, "items": one });
            json!({ "description": about, "anyOf": [one, list] })
        });
    }
}

/// Number of games in a batch if the file does not say.
fn batch() -> u32 {
    50
}

/// Values of the example.
const EXAMPLE: &str = "\
name = 'demo'
game = 'football'
seed = '7'
parameters = { p = [1, 10], k = [15, 10], max_turns = 500 }
format = { kind = 'rounds', rounds = 4 }
limits = { data_mib = 512 }
entrant = [{ name = 'fox', author = 'reynard', program = 'bots/fox', arguments = ['--level', '3'] }]
";

/// Returns an example with all keys, their meanings and defaults.
pub fn example() -> String {
    let values = EXAMPLE.parse::<toml::Table>().expect("an example");
    let settings: TournamentSettings = values.clone().try_into().expect("an example");
    let stop = Stop { until: Some(Until::Winner), racing: true, ..Stop::default() };
    let tables = [
        ("stop", schema::keys_of(&stop.of_today())),
        ("limits", schema::keys_of(&Limits::default())),
        ("entrant", schema::keys_of(&settings.entrant[0])),
    ];
    schema::written(
        &schema::with_markdown::<TournamentSettings>(),
        &values,
        &schema::keys_of(&settings),
        &tables,
    )
}

/// Returns the schema for editors.
pub fn schema() -> Json {
    schema::for_editors::<TournamentSettings>()
}

/// A tournament as its file describes it.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// What the file says.
    pub settings: TournamentSettings,
    /// The game.
    pub entry: &'static Entry,
    /// The random seed, if it is given.
    pub seed: Option<Seed>,
    /// The parameters of each sub-tournament; one if there are none.
    pub sets: Vec<Parameters>,
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
    /// Its line in the file, from 1; 0: no file names it.
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

impl ProgramLine {
    /// Reads the name of a house bot, or a path from a folder.
    pub(crate) fn new(program: &str, folder: &Path) -> ProgramLine {
        match program.strip_prefix(HOUSE) {
            Some(bot) => ProgramLine::House(bot.to_owned()),
            None => ProgramLine::File(folder.join(program)),
        }
    }
}

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
pub fn parse(path: &Path, text: &str) -> Result<Tournament, Error> {
    let mut settings: TournamentSettings = crate::settings::read(path, text)?;
    let wrong = |key: &str, what: String| crate::settings::wrong(path, text, key, what);
    let name = names::check_plain("a tournament", &settings.name).and_then(names::check_new);
    settings.name = name.map_err(|why| wrong("name", why))?;
    let game = &mut settings.contest.game;
    if let Some(folder) = path.parent().filter(|_| game.contains('/')) {
        let judge =
            std::path::absolute(folder.join(&*game)).map_err(Error::system(path, "find the judge"))?;
        *game = judge.to_string_lossy().into_owned();
    }
    let author_bots = settings.contest.author_bots as usize;
    let entrants = entrants(path, text, std::mem::take(&mut settings.entrant), author_bots)?;
    Tournament::new(settings, entrants).map_err(|(key, what)| wrong(&key, what))
}

impl TournamentSettings {
    /// Returns the settings of a tournament that no file describes.
    pub(crate) fn new(
        name: &str,
        contest: ContestSettings,
        format: Format,
        stop: Option<Stop>,
    ) -> TournamentSettings {
        TournamentSettings {
            name: name.to_owned(),
            contest,
            batch: batch(),
            format,
            stop,
            entrant: Vec::new(),
        }
    }
}

impl Tournament {
    /// Makes a tournament of its settings and its bots.
    ///
    /// # Errors
    ///
    /// The key of a wrong setting, and what is wrong.
    pub(crate) fn new(
        mut settings: TournamentSettings,
        entrants: Vec<EntrantLine>,
    ) -> Result<Tournament, (String, String)> {
        let at = |key: &'static str| move |what: String| (key.to_owned(), what);
        let (entry, seed) = settings.contest.check().map_err(|(key, what)| at(key)(what))?;
        let sets = sets(entry, &settings.contest.parameters);
        let mut sets = sets.map_err(|(name, what)| (format!("parameters.{name}"), what))?;
        if settings.format.is_exam() {
            sets = of_exam(&settings.format, entry, sets).map_err(at("parameters"))?;
            settings.stop =
                Some(settings.stop.unwrap_or(Stop { look_every: 1, min_rounds: 1, ..Stop::default() }));
        }
        settings.stop = settings.stop.map(Stop::of_today);
        let tournament = Tournament { settings, entry, seed, sets, entrants };
        fits(&tournament).map_err(at("format"))?;
        if let Some(stop) = tournament.settings.stop {
            can_stop(&tournament, &stop).map_err(at("stop"))?;
        }
        Ok(tournament)
    }
}

/// Makes a sub-tournament for each group of an exam's panel. An error says why there is more than one to begin with.
fn of_exam(format: &Format, entry: &Entry, sets: Vec<Parameters>) -> Result<Vec<Parameters>, String> {
    let [only] = &sets[..] else {
        return Err("an exam has one value of each parameter, no lists".to_owned());
    };
    let groups = entry.table(only).map_or(1, |seats| format.groups(seats));
    Ok(vec![only.clone(); groups])
}

/// Makes the parameters of each sub-tournament. An error names the parameter.
fn sets(entry: &Entry, values: &toml::Table) -> Result<Vec<Parameters>, (String, String)> {
    let lists = || values.iter().filter_map(|(name, value)| Some((name, value.as_array()?)));
    let count = lists().map(|(_, list)| list.len()).next().unwrap_or(1);
    if let Some((name, list)) = lists().find(|(_, list)| list.len() != count || list.is_empty()) {
        let what = match list.len() {
            0 => format!("{name}: an empty list"),
            other => {
                format!(
                    "{name}: a list of {other} values, but another list has {count}; all lists must have \
                     the same length"
                )
            }
        };
        return Err((name.clone(), what));
    }
    let mut sets: Vec<Parameters> = Vec::new();
    for index in 0..count {
        let one = |value: &toml::Value| value.as_array().map_or(value, |list| &list[index]).clone();
        let table = values.iter().map(|(name, value)| (name.clone(), one(value))).collect();
        sets.push(parameters(entry, &table)?);
    }
    if let Some(second) = (1..sets.len()).find(|second| sets[..*second].contains(&sets[*second])) {
        let (name, _) = lists().next().expect("else there is one set");
        return Err((name.clone(), format!("sub-tournament {} is the same as an earlier one", second + 1)));
    }
    Ok(sets)
}

fn entrants(
    path: &Path,
    text: &str,
    documents: Vec<EntrantSettings>,
    author_bots: usize,
) -> Result<Vec<EntrantLine>, Error> {
    let lines = Lines::new(text);
    let mut entrants: Vec<EntrantLine> = Vec::new();
    for (number, document) in documents.into_iter().enumerate() {
        let EntrantSettings { name, program, arguments, author, allow_fork } = document;
        let line = |key: &str| lines.line(&format!("entrant.{number}.{key}"));
        let wrong = |key: &str, what: String| Err(Error::line(path, line(key), what));
        let name = match names::check_new(&name) {
            Ok(name) => name,
            Err(why) => return wrong("name", why),
        };
        let alike = |other: &EntrantLine| {
            other.name == name || names::alike(&other.name, &name) == Some(Alike::InLooks)
        };
        if let Some(at) = entrants.iter().position(alike) {
            let first = lines.line(&format!("entrant.{at}.name"));
            let what = match &entrants[at].name {
                other if *other == name => format!("{name} is entered already, on line {first}"),
                other => format!("{name} looks like {other} on line {first}: give it another name"),
            };
            return wrong("name", what);
        }
        if !author.is_empty() {
            if let Err(what) = Bot::check_author(&author) {
                return wrong("author", what);
            }
            let bots = entrants.iter().filter(|other| other.author == author).count();
            if author_bots > 0 && bots >= author_bots {
                let what = format!("{author} has more bots than author_bots = {author_bots} allows");
                return wrong("author", what);
            }
        }
        let line = line("program");
        let program = ProgramLine::new(&program, path.parent().unwrap_or(Path::new("")));
        entrants.push(EntrantLine { name, program, arguments, author, allow_fork, line });
    }
    Ok(entrants)
}

fn authors_of(entrants: &[EntrantLine]) -> Vec<String> {
    entrants.iter().map(|line| line.author.clone()).collect()
}

/// Makes sure that this field can play this game in this format.
fn fits(tournament: &Tournament) -> Result<(), String> {
    let Tournament { settings, entry, sets, entrants, .. } = tournament;
    let count = entrants.len();
    if count < 2 {
        return Err(format!("a tournament has at least two entrants, not {count}"));
    }
    for set in sets.iter().filter(|set| entry.table(set).is_none()) {
        entry.seat(set, count).map_err(|error| error.to_string())?;
    }
    schedule::contests(entry, Seed(0), sets, authors_of(entrants))
        .try_for_each(|contest| settings.format.check(&contest))
        .map_err(|error| error.to_string())
}

/// Makes sure that the stop rule is valid for this format.
fn can_stop(tournament: &Tournament, stop: &Stop) -> Result<(), String> {
    let Tournament { settings, entry, sets, entrants, .. } = tournament;
    if settings.format.is_exam() {
        let by_itself = Stop {
            alpha: stop.alpha,
            look_every: stop.look_every,
            min_rounds: stop.min_rounds,
            ..Stop::default()
        };
        let is_known = *stop == by_itself.of_today();
        let what = "an exam has alpha, look_every and min_rounds alone";
        return if is_known { Ok(()) } else { Err(what.to_owned()) };
    }
    let mut contests = schedule::contests(entry, Seed(0), sets, authors_of(entrants));
    let is_uniform = contests.all(|contest| settings.format.uniform_round(&contest, 1).is_some());
    if !is_uniform || settings.format.rounds_max().is_none() {
        return Err("a stop rule is for kind = \"rounds\" with deal = \"uniform\": remove [stop]".to_owned());
    }
    if stop.racing && sets.iter().any(|set| entry.table(set) == Some(1)) {
        return Err(RACING_ALONE.to_owned());
    }
    stop.rule(sets.len(), &settings.format).fault().map_or(Ok(()), Err)
}
