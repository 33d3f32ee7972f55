//! The plan of a tournament, or of one round of it: `plan.toml`, written once and never overwritten. Its SHA-256 names
//! the plan; every other file of the tournament repeats it. The schedule of the round follows from the plan alone.
//!
//! A plan is a pure function of the tournament's file, the programs, and the results and rulings of earlier rounds (and
//! of a random seed, if the file has none).

mod handed;
mod next;
pub mod schedule;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value as Json;

use self::handed::Handed;
pub use self::next::{Next, NextStep, first_contents, following, step_after};
use self::schedule::{Batches, Decided, Schedule};
use crate::admission::entrants;
use crate::admission::shelf::Shelved;
use crate::bot::{Bot, NewBot};
use crate::contest_settings::{HostSettings, parameters, table_of};
use crate::file::Tournament;
use crate::fixture::{Entrant, Fixture};
use crate::schema::{self, Settings};
use crate::stages::Stop;
use crate::{publish, settings};
use referee_files::beneath::{self, Spot};
use referee_files::{digest, lock as locks};
use referee_games::catalog::{self, Entry};
use referee_judge as judge;
use referee_record::error::{Error, ErrorKind};
use referee_record::file::Form;
use referee_record::older::{Older, READ_BY};
use referee_record::{BotName, Digest, identity, names};
use referee_rules::{Parameters, Seed};
use referee_sandbox::program::{Look, Opened};
use referee_statistics::schedule::deal::Pairing;
use referee_statistics::schedule::format::{Contest, Format};
use referee_table::process::Program;

/// The contents of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(missing_docs, reason = "the heading describes them, or the file of the tournament")]
pub struct Contents {
    pub layout: u32,
    pub name: String,
    pub round: u32,
    pub earlier: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rulings: Option<String>,
    pub build: String,
    pub game: String,
    pub rules_version: u32,
    pub seed: String,
    #[serde(flatten, serialize_with = "planned")]
    pub host: HostSettings,
    pub batch: u32,
    pub batches: u32,
    pub games: u32,
    #[schemars(schema_with = "schema::format")]
    pub format: Format,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    #[schemars(schema_with = "schema::any_tables")]
    pub set: Vec<toml::Table>,
    #[serde(flatten)]
    pub decided: Decided,
    pub entrant: Vec<Bot>,
}

impl Settings for Contents {
    fn complete(schema: &mut Json) {
        let required = schema["required"].as_array_mut().expect("a list of keys");
        required.extend(["clock", "sandbox", "limits"].map(Json::from));
    }
}

/// Writes how games are run. What a plan always named stays there; a later setting is left out if it is the usual one.
fn planned<S: Serializer>(host: &HostSettings, serializer: S) -> Result<S::Ok, S::Error> {
    let HostSettings { clock, sandbox, interpreters, log, signed, lost_max, limits } = host;
    let mut keys = serializer.serialize_map(None)?;
    keys.serialize_entry("clock", clock.name())?;
    keys.serialize_entry("sandbox", sandbox.name())?;
    if !interpreters.is_empty() {
        keys.serialize_entry("interpreters", interpreters)?;
    }
    for (key, is_set) in [("compress", *log == Form::Gzip), ("signed", *signed)] {
        if is_set {
            keys.serialize_entry(key, &true)?;
        }
    }
    if let Some(lost_max) = lost_max {
        keys.serialize_entry("lost_max", lost_max)?;
    }
    keys.serialize_entry("limits", limits)?;
    keys.end()
}

/// The first lines of a plan.
const HEADING: &str = "\
# A plan of `referee tournament`. Do not change it: its SHA-256 is its name. Bots must not know the seed.
#
# earlier       chain of the last row of results.csv when this round was planned
# rulings       SHA-256 of the rulings on void games before this round
# build         SHA-256 of the referee that may play the plan
# interpreters  what runs scripts, besides the interpreters that PATH finds
# set           the parameters of each sub-tournament
# stage         the rounds of a sub-tournament that are played before the stop rule looks at it
# meeting       the matches of a round of a sub-tournament
# entrant       the bots: each program is in the store, under its SHA-256
";

/// The version of the layout of files.
const LAYOUT: u32 = 5;

/// The oldest layout that is read.
const OLDEST: u32 = 5;

/// A plan in its folder, with its schedule.
#[derive(Debug)]
pub struct Plan {
    /// The tournament's folder.
    pub root: PathBuf,
    /// The folder of this round: that of the tournament for the first.
    pub folder: PathBuf,
    /// The plan's name.
    pub id: Digest,
    /// Its contents.
    pub contents: Contents,
    /// The game.
    pub entry: &'static Entry,
    /// The random seed.
    pub seed: Seed,
    /// The parameters of each sub-tournament.
    pub sets: Vec<Parameters>,
    /// The bots, with their programs in the store.
    pub entrants: Vec<Entrant>,
    /// The arguments of each bot, as results show them.
    pub arguments: Vec<String>,
    /// Its games.
    pub schedule: Arc<Schedule>,
    /// The chain behind its last game, once all were found to be listed.
    pub(crate) listed: OnceLock<Digest>,
}

/// Plans the first round of a tournament. Does nothing if the same plan is there already. `random` is the seed if the
/// tournament has none.
///
/// # Errors
///
/// If the system refuses, or the folder has another plan.
pub fn first(root: &Path, tournament: &Tournament, found: &[NewBot], random: Seed) -> Result<Plan, Error> {
    beneath::create_folder(root)?;
    if root.join("hill.toml").exists() {
        return Err(Error::file(root, "there is a hill in it; choose another folder"));
    }
    let _lock = lock(root)?;
    let earlier = read_plan(root, root)?;
    let earlier_seed = earlier.as_ref().and_then(|earlier| earlier.contents.seed.parse().ok());
    let settings = &tournament.settings;
    let seed = tournament.seed.or(earlier_seed).unwrap_or(random);
    let (build, entry) = (digest::of_this_program()?, tournament.entry);
    let rules_version = entry.info(&tournament.sets[0]).version;
    let (programs, bots) = opened(root, tournament, found, &build, earlier.is_some())?;
    let contents = Contents {
        layout: LAYOUT,
        name: settings.name.clone(),
        round: 1,
        earlier: None,
        rulings: None,
        build: build.to_string(),
        game: entry.name.to_owned(),
        rules_version,
        seed: seed.to_string(),
        host: settings.contest.host.clone(),
        batch: settings.batch,
        batches: 0,
        games: 0,
        format: settings.format.clone(),
        stop: settings.stop,
        set: tournament.sets.iter().map(table_of).collect(),
        decided: Decided::default(),
        entrant: bots,
    };
    let contents = complete_first(contents, Basis { entry, seed, sets: &tournament.sets }, u32::MAX);
    let contents = contents.map_err(|(_, what)| Error::file(root, what))?;
    if contents.games == 0 {
        return Err(Error::file(root, "there is nothing to play in this format"));
    }
    if earlier.is_none() {
        let itself = Path::new(THIS_PROGRAM);
        let opened = Opened::open(itself).map_err(|why| Error::file(itself, why.to_string()))?;
        programs.iter().try_for_each(|program| program.store(root))?;
        entrants::store(root, &opened)?;
        judge::store(entry, root)?;
    }
    write(root, root, earlier, &contents)?;
    open_folder(root, root)
}

/// Opens the programs that were handed in, each once, and makes the bots of a plan of them. Stores nothing, since the
/// folder can be that of another tournament. `is_planned` says that there is a plan: then the programs in its store may
/// be handed in again.
fn opened(
    root: &Path,
    tournament: &Tournament,
    found: &[NewBot],
    build: &Digest,
    is_planned: bool,
) -> Result<(Vec<Handed>, Vec<Bot>), Error> {
    let rules_version = tournament.entry.info(&tournament.sets[0]).version;
    let mut digests: BTreeMap<&Path, Digest> = BTreeMap::new();
    let (mut programs, mut bots) = (Vec::new(), Vec::new());
    for NewBot { name, file, arguments, allow_fork, source, author, built } in found {
        // Many bots can share a program.
        if !digests.contains_key(&**file) {
            let (program, digest) = if file.is_dir() {
                Handed::folder(file)?
            } else {
                Handed::file(root, tournament, file, is_planned)?
            };
            programs.push(program);
            digests.insert(file, digest);
        }
        let digest = &digests[&**file];
        bots.push(Bot {
            name: name.clone(),
            identity: identity_of(digest, arguments, build, tournament.entry.name, rules_version),
            digest: digest.clone(),
            arguments: arguments.clone(),
            allow_fork: *allow_fork,
            source: source.clone(),
            author: author.clone(),
            source_digest: built.as_ref().map(|built| built.source.clone()),
            toolchain: built.as_ref().map(|built| built.toolchain.clone()),
            ..Bot::blank()
        });
    }
    Ok((programs, bots))
}

/// What the games of a plan are dealt from, besides its field.
#[derive(Clone, Copy)]
struct Basis<'a> {
    entry: &'static Entry,
    seed: Seed,
    sets: &'a [Parameters],
}

/// Fills in the keys of the first plan that follow from the others: what is played first, and the numbers of its games
/// and batches. At most `max` games and one are counted.
///
/// # Errors
///
/// The key that is wrong, and why.
fn complete_first(contents: Contents, basis: Basis<'_>, max: u32) -> Result<Contents, (String, String)> {
    let Contents { format, stop, .. } = &contents;
    // A check of the settings, since the first matches are looked for without one.
    schedule_of(&Contents { decided: Decided::default(), ..contents.clone() }, basis, u32::MAX)?;
    let bots: Vec<&str> = contents.entrant.iter().map(|bot| &*bot.name).collect();
    let decided = schedule::first(format, stop.as_ref(), &contests_of(&contents, basis), &bots);
    complete(Contents { decided, ..contents }, basis, max)
}

/// Fills in the numbers of a plan's games and batches. At most `max` games and one are counted: the one more shows that
/// there are more than `max`.
fn complete(contents: Contents, basis: Basis<'_>, max: u32) -> Result<Contents, (String, String)> {
    let count = schedule_of(&contents, basis, max.saturating_add(1))?.count();
    Ok(Contents { games: count.games, batches: count.batches, ..contents })
}

/// Returns the schedule of a plan, up to `games_max` games. The error is the key that is wrong, and why.
fn schedule_of(contents: &Contents, basis: Basis<'_>, games_max: u32) -> Result<Schedule, (String, String)> {
    let bots: Vec<&str> = contents.entrant.iter().map(|bot| &*bot.name).collect();
    let Contents { format, decided, batch, .. } = contents;
    Schedule::new(format, decided, &contests_of(contents, basis), &bots, *batch, games_max)
}

/// Returns the sub-tournaments of a plan as contests.
fn contests_of(contents: &Contents, Basis { entry, seed, sets }: Basis<'_>) -> Vec<Contest> {
    let authors = contents.entrant.iter().map(|bot| bot.author.clone()).collect();
    schedule::contests(entry, seed, sets, authors).collect()
}

/// A plan that was read, and its text.
struct WrittenPlan {
    contents: Contents,
    text: String,
}

/// Writes the plan of a round to its folder. If there is an earlier one, makes sure that it is the same.
fn write(root: &Path, folder: &Path, earlier: Option<WrittenPlan>, contents: &Contents) -> Result<(), Error> {
    let text = format!("{HEADING}\n{}", toml::to_string(contents).expect("a plan of plain values"));
    if let Some(earlier) = earlier {
        let (old, text) = (below_heading(&earlier.text), below_heading(&text));
        let lines: Vec<(&str, &str)> = old.lines().zip(text.lines()).collect();
        let Some((index, (was, is))) = lines.iter().enumerate().find(|(_, (was, is))| was != is) else {
            return if old == text { Ok(()) } else { Err(differs(folder, "its length")) };
        };
        // A line of a list says little by itself, so the entrant is named, too.
        let name = lines[..index].iter().rev().find_map(|(was, _)| was.strip_prefix("name = "));
        let entrant = name.map_or(String::new(), |name| format!(" (of {name})"));
        return Err(differs(folder, &format!("the plan has `{was}`, but it would now be `{is}`{entrant}")));
    }
    publish::replace(spot_of(root, folder), text.as_bytes())
}

/// Reads the plan of a round, if there is one.
///
/// # Errors
///
/// If it is damaged; or if it is gone, and other files of the round are there.
fn read_plan(root: &Path, folder: &Path) -> Result<Option<WrittenPlan>, Error> {
    let plan = read_file(&spot_of(root, folder))?;
    if plan.is_none() {
        check_unused(root, folder)?;
    }
    Ok(plan)
}

/// Makes sure that a folder without a plan has no file of a round: another plan would make them useless.
fn check_unused(root: &Path, folder: &Path) -> Result<(), Error> {
    let exists = |name: &&&str| Spot::within(root, folder.join(name)).exists();
    // Another process may have planned the round since the plan was looked for.
    if let Some(name) = ["records", "logs", "results.csv"].iter().find(exists)
        && !is_there(root, folder)
    {
        let what = format!(
            "missing, but {name} is there: put the plan back from a backup, or hill.toml if this is a part of a hill; \
             another plan does not fit its records"
        );
        return Err(Error::file(&folder.join("plan.toml"), what));
    }
    Ok(())
}

/// Returns the text of a plan without its heading, which a later version can word in another way.
fn below_heading(text: &str) -> &str {
    text.split_once("\n\n").map_or(text, |(_, below)| below)
}

fn differs(folder: &Path, what: &str) -> Error {
    Error::new(
        ErrorKind::Mismatch,
        format!(
            "{}: contains another plan, which is never overwritten: {what}; choose another folder",
            folder.display()
        ),
    )
}

/// Opens the plan of the current round, the last one that is planned.
///
/// # Errors
///
/// If there is none, or its files do not agree.
pub fn open(root: &Path) -> Result<Plan, Error> {
    let last = (1..).take_while(|round| is_there(root, &folder_of(root, *round))).last();
    let Some(last) = last else { return open_folder(root, root) };
    check_unused(root, &folder_of(root, last + 1))?;
    open_folder(root, &folder_of(root, last))
}

/// Opens the plan of a round, from 1.
pub fn open_round(root: &Path, round: u32) -> Result<Plan, Error> {
    open_folder(root, &folder_of(root, round))
}

/// Returns the folder of a round.
pub fn folder_of(root: &Path, round: u32) -> PathBuf {
    if round == 1 { root.to_owned() } else { root.join("rounds").join(format!("{round:04}")) }
}

/// Tells whether the folder of a round has a plan.
pub fn is_there(root: &Path, folder: &Path) -> bool {
    spot_of(root, folder).exists()
}

fn open_folder(root: &Path, folder: &Path) -> Result<Plan, Error> {
    let spot = spot_of(root, folder);
    let path = spot.path();
    if !is_there(root, folder) && root.join("hill.toml").exists() {
        return Err(Error::file(root, "a hill, not a tournament: see `referee hill --help`"));
    }
    let Some(WrittenPlan { contents, text }) = read_plan(root, folder)? else {
        let what = "no plan.toml in it: make one with `referee tournament plan`";
        return Err(Error::file(folder, what));
    };
    let wrong = |key: &str, what: String| settings::wrong(path, &text, key, what);
    if contents.layout > LAYOUT {
        let layout = contents.layout;
        let what = format!("written in layout {layout}; this program reads layouts up to {LAYOUT}");
        return Err(Error::file(path, what));
    }
    names::check_plain("a tournament", &contents.name).map_err(|what| wrong("name", what))?;
    let id = Digest::of(text.as_bytes());
    let entry = catalog::find(&contents.game).map_err(|error| wrong("game", error.to_string()))?;
    let seed = contents.seed.parse().map_err(|error| wrong("seed", format!("{error}")))?;
    let sets = contents.set.iter().map(|table| parameters(entry, table));
    let sets = sets.collect::<Result<Vec<Parameters>, _>>().map_err(|(_, what)| wrong("set", what))?;
    let build = Digest::parse(&contents.build).ok_or_else(|| wrong("build", "no SHA-256".to_owned()))?;
    let entrants = entrants_of(root, &contents, &build, &wrong)?;
    let schedule = schedule_of(&contents, Basis { entry, seed, sets: &sets }, contents.games);
    let schedule = Arc::new(schedule.map_err(|(key, what)| wrong(&key, what))?);
    let arguments = contents.entrant.iter().map(|bot| identity::shown(&bot.arguments)).collect();
    Ok(Plan {
        root: root.to_owned(),
        folder: folder.to_owned(),
        id,
        contents,
        entry,
        seed,
        sets,
        entrants,
        arguments,
        schedule,
        listed: OnceLock::new(),
    })
}

/// Returns the bots of a plan that was read, ready to be started.
fn entrants_of(
    root: &Path,
    contents: &Contents,
    build: &Digest,
    wrong: &dyn Fn(&str, String) -> Error,
) -> Result<Vec<Entrant>, Error> {
    let entrant = |(number, bot): (usize, &Bot)| {
        let wrong = |key: &str, what: String| wrong(&format!("entrant.{number}.{key}"), what);
        names::check(&bot.name).map_err(|what| wrong("name", what))?;
        let file = entrants::stored(root, bot.digest.as_str());
        let arguments = bot.arguments.iter().map(Into::into).collect();
        // A folder is looked at for its program; a file that is missing is noticed when it is to play.
        let shelved = if file.is_dir() { Shelved::at(root, &file).ok() } else { None };
        let (file, with_folder) = shelved.map_or((file, false), |shelved| (shelved.file, true));
        let program = Program { may_fork: bot.allow_fork, with_folder, ..Program::new(file, arguments) };
        let identity =
            identity_of(&bot.digest, &bot.arguments, build, &contents.game, contents.rules_version);
        if identity != bot.identity {
            let what = format!("not that of {}'s program and arguments: {}", bot.name, bot.identity);
            return Err(wrong("identity", what));
        }
        if !bot.author.is_empty() {
            Bot::check_author(&bot.author).map_err(|what| wrong("author", what))?;
        }
        Ok(Entrant { name: bot.bot_name(), program, author: bot.author.clone() })
    };
    contents.entrant.iter().enumerate().map(entrant).collect()
}

impl Plan {
    /// Makes sure that this program is the referee of the plan.
    pub fn verify_build(&self) -> Result<(), Error> {
        let build = digest::of_this_program()?;
        if build.as_str() == self.contents.build {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Mismatch,
            format!(
                "this referee is not the one that made the plan: its SHA-256 is {build}, not {}; make a new plan in \
                 another folder, or play with the referee of the plan: {}",
                self.contents.build,
                self.root.join(self.referee_in_store()).display()
            ),
        ))
    }

    /// Makes sure that it has the numbers of games and batches that it says. All games are dealt for that.
    pub fn verify_games(&self) -> Result<(), Error> {
        let games = self.contents.games;
        let expected = complete(self.contents.clone(), self.basis(), games);
        let expected = expected.map_err(|(_, what)| Error::file(&self.folder.join("plan.toml"), what))?;
        for (key, is_right) in
            [("games", expected.games == games), ("batches", expected.batches == self.contents.batches)]
        {
            if !is_right {
                let what =
                    format!("{key} does not follow from the rest: it was changed; put it back from a backup");
                return Err(Error::record(&self.folder.join("plan.toml"), what));
            }
        }
        Ok(())
    }

    /// Makes sure that the programs in the store are the planned ones. A program that is changed later is not started.
    pub fn verify_bots(&mut self) -> Result<(), Error> {
        let mut looks: BTreeMap<PathBuf, Look> = BTreeMap::new();
        for (bot, planned) in self.entrants.iter_mut().zip(&self.contents.entrant) {
            let look = match looks.get(&bot.program.file) {
                Some(look) => *look,
                None => check_planned(&self.root, planned)?,
            };
            looks.insert(bot.program.file.clone(), look);
            bot.program.state_when_checked = Some(look);
            bot.program.content = if bot.program.with_folder { None } else { Some(planned.digest.clone()) };
        }
        Ok(())
    }

    /// Returns a game of the schedule, ready to be played. Its log goes to `folder`.
    pub fn fixture(&self, game: &Pairing, folder: &str) -> Fixture {
        Fixture::new(game, self.entry, &self.entrants, folder.to_owned(), self.contents.host.log)
    }

    /// Opens the plans of all rounds up to this one.
    pub fn rounds(&self) -> Result<Vec<Plan>, Error> {
        let open = |round| {
            let plan = open_round(&self.root, round)?;
            // The schedule of this plan keeps what was dealt of it.
            let is_this = plan.id == self.id;
            Ok(if is_this { Plan { schedule: Arc::clone(&self.schedule), ..plan } } else { plan })
        };
        (1..=self.contents.round).map(open).collect()
    }

    /// Returns the path of the plan's referee, from the tournament's folder.
    pub fn referee_in_store(&self) -> PathBuf {
        entrants::stored(Path::new(""), &self.contents.build)
    }

    /// Returns the maximum number of seats of a game.
    pub fn seats_max(&self) -> usize {
        let round = self.schedule.rounds().next().unwrap_or_default();
        round.iter().map(|game| game.entrants.len()).max().unwrap_or(0)
    }

    /// Returns its sub-tournaments as contests.
    pub fn contests(&self) -> Vec<Contest> {
        contests_of(&self.contents, self.basis())
    }

    fn basis(&self) -> Basis<'_> {
        Basis { entry: self.entry, seed: self.seed, sets: &self.sets }
    }

    /// Lists the bots of a game whose results count: those of all seats but the fillers' seats.
    pub fn who_counts(&self, game: &Pairing) -> Vec<BotName> {
        let counting = game.entrants.iter().filter(|(seat, _)| !game.fillers.contains(seat));
        counting.map(|(_, bot)| self.entrants[*bot].name.clone()).collect()
    }

    /// Returns the number of its batches.
    pub fn count_batches(&self) -> usize {
        self.contents.batches as usize
    }

    /// Returns the games of each batch, in the order of the schedule.
    pub fn batches(&self) -> Batches {
        self.schedule.batches()
    }

    /// Returns the games of a batch.
    ///
    /// # Errors
    ///
    /// If the plan says that it has more batches than it has.
    pub fn batch(&self, number: usize) -> Result<Vec<Pairing>, Error> {
        let games = self.schedule.batch(number);
        games.ok_or_else(|| {
            let what = format!("there is no batch {number}: it was changed; put it back from a backup");
            Error::file(&self.folder.join("plan.toml"), what)
        })
    }

    /// Counts the games of some batches, whose numbers ascend.
    pub fn games_in(&self, batches: &[usize]) -> u64 {
        if batches.len() == self.count_batches() {
            return self.contents.games.into();
        }
        let games = self.batches().enumerate().filter(|(number, _)| batches.binary_search(number).is_ok());
        games.map(|(_, games)| games.len() as u64).sum()
    }
}

/// Makes sure that the program of a bot is the planned one. Returns what its file looks like.
///
/// # Errors
///
/// If it is another, or cannot be read.
pub(super) fn check_planned(root: &Path, bot: &Bot) -> Result<Look, Error> {
    let place = entrants::stored(root, bot.digest.as_str());
    let read = Shelved::at(root, &place).and_then(|shelved| Ok((shelved.look(), shelved.digest(root)?)));
    let (look, found) = read.map_err(|error| unreadable(&place, error))?;
    if found == bot.digest {
        return Ok(look);
    }
    Err(Error::new(
        ErrorKind::Mismatch,
        format!(
            "{}: not the program that was planned for {}: its SHA-256 is {found}",
            place.display(),
            bot.name
        ),
    ))
}

/// Returns the error that a program of the store cannot be read. If it is missing, a retry does not help, so that is a
/// mismatch with the plan.
fn unreadable(file: &Path, error: std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            Error::new(ErrorKind::Mismatch, format!("{}: a program of the plan is missing", file.display()))
        }
        _ => Error::system(file, "read a program of the plan")(error),
    }
}

/// Locks a tournament against others that plan it or rule on its games.
pub(super) fn lock(root: &Path) -> Result<File, Error> {
    locks::exclude(&Spot::below(root, "plan.lock"), locks::WAIT_LONG_MAX)
}

/// Reads a file with a plan; `None` if there is no such file.
fn read_file(spot: &Spot) -> Result<Option<WrittenPlan>, Error> {
    let path = spot.path();
    let text = match spot.read_text(settings::PLAN_MAX) {
        Ok(text) => text,
        Err(error)
            if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(Error::system(path, "read the plan")(error)),
    };
    let keys = settings::table(path, &text)?;
    // Before the other keys, since an older layout has others.
    let layout =
        keys.get("layout").and_then(toml::Value::as_integer).and_then(|layout| layout.try_into().ok());
    if let Some(format) = layout
        && format < OLDEST
    {
        let read_by = match format {
            4 => "b3d69376",
            3 => "a240cd3a",
            2 => "56ba6d47",
            _ => READ_BY,
        };
        return Err(Older { what: "a plan", format, oldest: OLDEST, read_by }.at(path));
    }
    let contents: Contents = settings::read(path, &text)?;
    Ok(Some(WrittenPlan { contents, text }))
}

/// The file of this program as it was started, even if another file has its name now.
const THIS_PROGRAM: &str = "/proc/self/exe";

/// Returns the identity of a bot in records. The plan's referee, with the arguments of a house bot, is that house bot.
fn identity_of(
    program: &Digest,
    arguments: &[String],
    build: &Digest,
    game: &str,
    rules_version: u32,
) -> Digest {
    match identity::of_house(game, rules_version, arguments) {
        Some(house) if program == build => house,
        _ => identity::bot_digest(program, arguments),
    }
}

/// Returns the file of the plan in a folder.
fn spot_of(root: &Path, folder: &Path) -> Spot {
    Spot::within(root, folder.join("plan.toml"))
}
