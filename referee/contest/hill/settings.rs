//! `hill.toml`: the settings of a hill. The program writes it once; people can edit it.

use std::path::Path;
use std::sync::Mutex;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::contest_settings::{self, ContestSettings};
use crate::editions::Editions;
use crate::folder;
use crate::hill::Hill;
use crate::hill::terms::Terms;
use crate::publish;
use crate::schema::{self, Gone, LOST_BEHIND_MAX, Settings};
use crate::settings::{self, LatePercent, Scalar, word};
use crate::stages::RACING_ALONE;
use referee_files::beneath::{self, Spot};
use referee_files::reread::Reread;
use referee_files::results;
use referee_games::catalog::Entry;
use referee_judge as judge;
use referee_record::error::Error;
use referee_record::results::ResultRow;
use referee_rules::{Parameters, Seed};
use referee_sandbox::Limits;
use referee_statistics::rank_by::RankBy;
use referee_statistics::schedule::format::{BadFormat, Contest, Format};
use referee_statistics::stop_rule::{StopRule, Until};

/// Maximum lengths of a title and of a text for people, in letters.
const TITLE_MAX: usize = 80;
const TEXT_MAX: usize = 1000;

/// A hill: what is played here. Edit it between two runs. See `referee hill --help`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "hill.toml of referee", deny_unknown_fields, extend("required" = ["game", "seed"]))]
#[serde(default)]
pub struct HillSettings {
    #[serde(flatten)]
    #[expect(missing_docs, reason = "its settings have their own")]
    pub contest: ContestSettings,
    /// Games of a table in a round: `one-seating` (one seating, rotated), `12`, for tables of four (all three seatings,
    /// each rotated), or `one-game` (one game, seats drawn by lot).
    #[schemars(with = "()")]
    block: Option<Scalar>,
    /// What a new season is played for: `clear` (which bot is the best, or that some are equally good), or `ranked` (of
    /// each two bots, which is better, or that they differ by no more than epsilon:
    /// [the order of all bots](../explanation/stop-rule.md#until-ranked)). A season that has begun keeps its own, and
    /// `hill run` goes on with it. `hill run --until-clear` or `--until-ranked` plays on to the verdict, and begins a
    /// new season if it asks for the other one.
    #[serde(with = "word")]
    #[schemars(schema_with = "word::schema::<Until>")]
    pub until: Until,
    /// With `until = "ranked"`: whether bots whose pairs are all decided
    /// [sit out](../explanation/stop-rule.md#racing-fewer-games-where-most-bots-are-out), which saves games. A season
    /// that has begun keeps its own.
    pub racing: bool,
    /// [What counts](../explanation/standings.md#what-counts) for places and verdicts: `score` (the share of the
    /// score), `place` (the part of the opponents that a bot beats in a game), or `win` (1 for a win, divided by the
    /// number of winners). A season that has begun keeps its own; after a change, the next run begins a new one.
    #[schemars(with = "()")]
    rank_by: Option<Scalar>,
    /// Maximum number of bots: after a run, once there are ten rounds, bots leave that are hardly ever within it.
    #[schemars(range(min = 2), example = 16)]
    pub capacity: Option<u32>,
    /// Maximum number of bots of one author (`submit --author`) at a table; 0: any number. Set it before the first
    /// game. It [has a price](../guides/strangers.md#several-bots-of-one-author).
    #[schemars(with = "()")]
    author_seats: Option<Scalar>,
    /// Part of its answers that may be late when a bot plays its check game, in percent. One may be late in any case,
    /// unless this is 0.
    pub(super) late_percent: LatePercent,
    /// What can be submitted: `any` program, or only [WebAssembly](../guides/wasm.md), `wasm`: anybody can then repeat
    /// the games with the bots themselves.
    pub bots: Bots,
    /// Whether `referee serve` can show a game while it is played, a turn late: its log is handed on four times a
    /// second.
    pub live: bool,
    /// Title of the contest, for people: up to 80 letters. Pages show it instead of the hill's name.
    pub title: String,
    /// A text about the contest, shown below the title: up to 1,000 letters. A blank line begins a paragraph.
    pub text: String,
}

/// The kinds of programs that can be submitted to a hill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Bots {
    /// Any program, and modules of WebAssembly.
    #[default]
    Any,
    /// Only modules of WebAssembly, whose games anybody can repeat.
    Wasm,
}

impl Settings for HillSettings {
    const GONE: &[Gone] = &[
        Gone {
            key: "deal",
            usual: Some("uniform"),
            said: "balanced deals of hills are gone: begin a new hill, or play a tournament, which can have them",
        },
        Gone {
            key: "method",
            usual: Some("betting"),
            said: "the method asymptotic is gone: remove this line, and verdicts are reached by betting",
        },
        LOST_BEHIND_MAX,
    ];

    fn complete(schema: &mut Json) {
        for parameter in Format::default().kind().parameters {
            if let Some(said) = schema["properties"].get_mut(parameter.name) {
                let about = said["description"].take();
                *said = schema::parameter(parameter);
                said["description"] = about;
            }
        }
        schema::games(schema, schema::parameter);
    }
}

impl HillSettings {
    /// Returns the format `rounds`, with its `block` and what counts. Its number of rounds has no meaning here.
    pub fn format(&self) -> Format {
        let mut format = Format::default();
        let set =
            [("block", &self.block), ("author_seats", &self.author_seats), (RankBy::KEY, &self.rank_by)];
        for (name, value) in set {
            if let Some(value) = value {
                format.set(name, &value.to_string()).expect("it was checked when it was set");
            }
        }
        format
    }

    /// Sets `block`, `author_seats` or `rank_by`.
    ///
    /// # Errors
    ///
    /// If there is no such setting, or the value is not allowed.
    pub fn set(&mut self, name: &str, word: &str) -> Result<(), BadFormat> {
        let mut format = self.format();
        format.set(name, word)?;
        self.take(&format);
        Ok(())
    }

    /// Takes the settings of this format.
    fn take(&mut self, format: &Format) {
        for (name, value) in format.parameters().iter() {
            let place = match name {
                "block" => &mut self.block,
                "author_seats" => &mut self.author_seats,
                RankBy::KEY => &mut self.rank_by,
                _ => continue,
            };
            *place = Some(value.into());
        }
    }

    /// Returns the rule of a season's verdict, unless a run sets another one.
    pub fn rule(&self) -> StopRule {
        self.rule_until(self.until)
    }

    /// Returns the rule of a season that is played for this, unless a run sets another one.
    pub fn rule_until(&self, until: Until) -> StopRule {
        StopRule { until, rank_by: self.format().rank_by(), ..StopRule::default() }
    }

    /// Returns the word for the games that a table plays in a round.
    pub(super) fn block(&self) -> String {
        let format = self.format();
        let block = format.parameters().iter().find(|(name, _)| *name == "block");
        block.expect("rounds have a block").1.to_string()
    }

    /// Returns the first setting that does not suit this game, with its key, if there is one.
    fn fault(&self, entry: &'static Entry, parameters: &Parameters) -> Option<(&'static str, String)> {
        if self.until != Until::Ranked && self.racing {
            return Some(("racing", "racing is for until = \"ranked\": leave it out".to_owned()));
        }
        if self.racing && entry.table(parameters) == Some(1) {
            return Some(("racing", RACING_ALONE.to_owned()));
        }
        let (parameters, authors) = (parameters.clone(), Vec::new());
        let contest = Contest { entry, parameters, entrants: 1, authors, seed: Seed(0), season: 1 };
        self.format().check(&contest).err().map(|error| ("block", error.to_string()))
    }
}

impl Hill {
    /// Makes a hill.
    ///
    /// # Errors
    ///
    /// If there is a hill or a tournament already, the settings do not suit the game, or the system refuses.
    pub fn create(
        root: &Path,
        entry: &'static Entry,
        parameters: Parameters,
        seed: Seed,
        mut settings: HillSettings,
    ) -> Result<Hill, Error> {
        let spot = settings_of(root);
        let path = spot.path();
        if spot.exists() {
            return Err(Error::file(path, "there is a hill already; choose another folder"));
        }
        if root.join("plan.toml").exists() {
            return Err(Error::file(root, "there is a tournament in it; choose another folder"));
        }
        if let Some((_, fault)) = settings.fault(entry, &parameters) {
            return Err(Error::file(path, fault));
        }
        beneath::create_folder(root)?;
        judge::store(entry, root)?;
        let contest = &mut settings.contest;
        (contest.game, contest.seed) = (entry.name.to_owned(), Some(Scalar::Text(seed.to_string())));
        contest.parameters = contest_settings::table_of(&parameters);
        settings.take(&settings.format());
        let mut schema = schema::with_markdown::<HillSettings>();
        let about = schema["properties"]["parameters"]["description"].take();
        schema["properties"]["parameters"] = schema::parameters(entry.parameters, schema::parameter);
        schema["properties"]["parameters"]["description"] = about;
        let names = parameters.iter().map(|(name, _)| name.to_owned()).collect();
        let tables = [("parameters", names), ("limits", schema::keys_of(&Limits::default()))];
        let values = toml::Table::try_from(&settings).expect("plain values");
        let text = schema::written(&schema, &values, &schema::keys_of(&settings), &tables);
        // The games to come follow from its seed.
        publish::replace_secret(path, text.as_bytes())?;
        Hill::open(root)
    }

    /// Lists the settings that hold as long as the hill goes on, as words `KEY VALUE`: every game follows from them,
    /// from the seed and from its season.
    pub fn lasting(&self) -> Vec<String> {
        let format = self.settings.format();
        let is_lasting = |name: &str| ["deal", "block", "author_seats"].contains(&name);
        let of_deal = format.parameters().iter().filter(|(name, _)| is_lasting(name));
        let of_deal = of_deal.map(|(name, value)| format!("{name} {value}"));
        let of_game = self.parameters.iter().map(|(name, value)| format!("parameters.{name} {value}"));
        std::iter::once(format!("game {}", self.entry.name)).chain(of_deal).chain(of_game).collect()
    }

    /// Returns the editions of rules in force here, for the beginning of a signed list: those that the games so far
    /// agree with.
    pub fn editions(&self) -> Result<Editions, Error> {
        let editions = Editions::of_hill(self.settings.contest.host.clock, self.rules_version());
        let terms: Vec<Terms> = self.fields()?.into_iter().map(|season| season.terms).collect();
        let results = folder::results_of(&self.root);
        // One row of each clock says all.
        let mut rows: Vec<ResultRow> = Vec::new();
        if results.exists() {
            for game in results::games(&results)? {
                for (_, row) in game? {
                    if rows.iter().all(|known| known.clock != row.clock) {
                        rows.push(row);
                    }
                }
            }
        }
        Ok(editions.that_agree(&terms, &rows))
    }

    /// Writes into the settings that the rounds are signed.
    ///
    /// # Errors
    ///
    /// If the system refuses, or the settings are wrong afterwards: then the file names another value there.
    pub fn set_signed(&self) -> Result<(), Error> {
        if self.settings.contest.host.signed {
            return Ok(());
        }
        let spot = settings_of(&self.root);
        let path = spot.path();
        let text =
            spot.read_text(settings::FILE_MAX).map_err(Error::system(path, "read the hill's settings"))?;
        // The first line is never within a table.
        let is_set = |line: &&str| line.split('=').next().is_some_and(|key| key.trim() == "signed");
        let rest = text.split_inclusive('\n').filter(|line| !is_set(line)).collect::<String>();
        publish::replace(path, format!("signed = true\n{rest}").as_bytes())?;
        Hill::open(&self.root).map(drop)
    }

    /// Tells whether a folder is a hill, or was one that has lost its settings.
    pub fn is_at(root: &Path) -> bool {
        settings_of(root).exists() || is_left_of_hill(root)
    }

    /// Opens a hill.
    ///
    /// # Errors
    ///
    /// If the folder is not a hill, or its settings are wrong: names the line.
    pub fn open(root: &Path) -> Result<Hill, Error> {
        let spot = settings_of(root);
        let path = spot.path();
        let text = spot.read_text(settings::FILE_MAX).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound if root.join("plan.toml").exists() => {
                Error::file(root, "a tournament, not a hill: see `referee tournament --help`")
            }
            std::io::ErrorKind::NotFound if is_left_of_hill(root) => {
                Error::file(path, "missing, but bots were submitted to this hill: put it back")
            }
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                Error::file(root, "not a hill: there is no hill.toml in it; make one with `referee hill new`")
            }
            _ => Error::system(path, "read the hill's settings")(error),
        })?;
        let settings: HillSettings = settings::read(path, &text)?;
        let wrong = |key: &str, what: String| settings::wrong(path, &text, key, what);
        let (entry, seed) = settings.contest.check().map_err(|(key, what)| wrong(key, what))?;
        let seed = seed.expect("the schema requires it");
        let parameters = contest_settings::parameters(entry, &settings.contest.parameters);
        let parameters = parameters.map_err(|(name, what)| wrong(&format!("parameters.{name}"), what))?;
        for (key, value, most) in [("title", &settings.title, TITLE_MAX), ("text", &settings.text, TEXT_MAX)]
        {
            if value.chars().count() > most {
                return Err(wrong(key, format!("longer than {most} letters: shorten it")));
            }
        }
        if let Some((key, fault)) = settings.fault(entry, &parameters) {
            return Err(wrong(key, fault));
        }
        let root = root.to_owned();
        let (entrants, seasons, given_up) = (Reread::default(), Reread::default(), Reread::default());
        let (seen_given_up, programs) = (Mutex::default(), Mutex::default());
        Ok(Hill {
            root,
            entry,
            parameters,
            seed,
            settings,
            entrants,
            seasons,
            given_up,
            seen_given_up,
            races: Box::default(),
            seen_races: Box::default(),
            programs,
            cache_min: crate::hill::account_cache::RESULTS_MIN,
        })
    }
}

/// Returns the schema for editors.
pub fn schema() -> Json {
    schema::for_editors::<HillSettings>()
}

/// Describes the keys of the file, and those of `[limits]`, in tables of Markdown.
pub fn reference() -> [String; 2] {
    let schema = schema::with_markdown::<HillSettings>();
    [("", schema::keys_of(&HillSettings::default())), ("limits", schema::keys_of(&Limits::default()))]
        .map(|(table, keys)| schema::reference(&schema, table, &keys))
}

fn settings_of(root: &Path) -> Spot {
    Spot::below(root, "hill.toml")
}

/// Tells whether a folder has the other files of a hill.
fn is_left_of_hill(root: &Path) -> bool {
    ["entrants.csv", "seasons.csv"].iter().any(|name| Spot::below(root, name).exists())
}
