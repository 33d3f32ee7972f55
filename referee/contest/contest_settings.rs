//! The settings of a contest: what the files of hills and tournaments have in common, each with settings of its own.

use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::admission::handed_in;
use crate::runner::tries::LostMax;
use crate::schema;
use crate::settings::{Scalar, compressed, word};
use referee_games::catalog::{self, Entry};
use referee_record::file::Form;
use referee_rules::{Parameters, Seed, Value};
use referee_sandbox::{Choice, Limits, Tier};
use referee_table::process::Timekeeping;

/// The settings that hills and tournaments have.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("required" = ["game"]))]
#[serde(default)]
pub struct ContestSettings {
    /// The game: its name (see: referee play --help), or the path of a judge (in a tournament's file: from its folder).
    #[schemars(schema_with = "game")]
    pub(crate) game: String,
    /// The random seed, a number of 64 bits: tables, seats and draws follow from it. Bots must not know it: keep it
    /// secret until the last game. A tournament's file can leave it out: a new one is then kept in the plan.
    #[schemars(schema_with = "schema::seed")]
    pub(crate) seed: Option<Scalar>,
    /// Parameters of the game: see its page. Those left out have their defaults. In a tournament, lists of the same
    /// length make sub-tournaments: the first one has the first value of each list.
    #[schemars(schema_with = "schema::any_table")]
    pub(crate) parameters: toml::Table,
    /// How its games are run.
    #[serde(flatten)]
    pub host: HostSettings,
    /// Maximum number of bots of one author; 0: any number.
    pub author_bots: u32,
    /// Size of the largest program, in MiB.
    pub program_mib: Mib,
}

/// How the host runs the games of a contest. A plan keeps these, too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HostSettings {
    /// What bots are [charged](../explanation/time.md): `charged`, elapsed time minus time spent waiting for a core;
    /// `serial`, the same with one bot thinking at a time; or `wall`, elapsed time.
    #[serde(with = "word")]
    #[schemars(schema_with = "word::schema::<Timekeeping>")]
    pub clock: Timekeeping,
    /// How bots are confined: `auto` (the strictest that works), `strict`, `landlock` or `off`.
    #[serde(with = "word")]
    #[schemars(schema_with = "word::schema::<Choice>")]
    pub sandbox: Choice,
    /// Interpreters for scripts, besides those that `PATH` finds: paths of programs, each shown to bots by itself, and
    /// of folders (a virtual environment, a runtime), shown whole. You or root must own them, and nobody else may write
    /// to them.
    #[schemars(schema_with = "schema::absolute_paths")]
    pub interpreters: Vec<PathBuf>,
    /// Whether logs are compressed as they are written: `.csv.gz`, a third to a tenth of the size.
    #[serde(rename = "compress", with = "compressed")]
    #[schemars(with = "bool")]
    pub log: Form,
    /// Whether the games are [signed](../explanation/proof.md). `hill new` and `proof begin` set it for a hill;
    /// `tournament plan` makes the key of a tournament. An audit then fails if the folder `proof` is missing.
    pub signed: bool,
    /// A game is given up after this number of attempts that were lost because the referee was killed or the machine
    /// failed; 0: any number. By default 10, in weaker tiers than strict 2. It is given up sooner if [the same bot was
    /// about to lose](../guides/disputes.md#was-the-same-bot-about-to-lose-each-time) each time.
    #[schemars(example = 10)]
    pub lost_max: Option<u32>,
    /// What each bot may use.
    #[schemars(schema_with = "schema::limits")]
    pub limits: Limits,
}

/// The size of the largest program, in MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Mib(#[schemars(range(min = 1, max = 4096))] pub u64);

impl Default for Mib {
    fn default() -> Mib {
        Mib(handed_in::PROGRAM_MIB_MAX_DEFAULT)
    }
}

/// The name of a game of the list, or the path of a judge.
fn game(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = catalog::all().map(|entry| entry.name).collect();
    schema::said(
        json!({ "anyOf": [{ "type": "string", "enum": names }, { "type": "string", "pattern": "/" }] }),
    )
}

impl ContestSettings {
    /// Finds the game, and returns it with the seed, if there is one.
    ///
    /// # Errors
    ///
    /// The key of a wrong setting, and what is wrong.
    pub(crate) fn check(&self) -> Result<(&'static Entry, Option<Seed>), (&'static str, String)> {
        let entry = catalog::find(&self.game).map_err(|error| ("game", error.to_string()))?;
        // An absolute path means the same in whatever folder a command is called. That the interpreters are there is
        // checked when bots are started.
        if let Some(path) = self.host.interpreters.iter().find(|path| !path.is_absolute()) {
            let what = format!("{path:?} is not an absolute path: it must begin with /");
            return Err(("interpreters", what));
        }
        let seed = self.seed.as_ref().map(|seed| seed.to_string().parse::<Seed>());
        let seed = seed.transpose().map_err(|error| ("seed", error.to_string()))?;
        Ok((entry, seed))
    }
}

impl HostSettings {
    /// Returns the number of lost attempts after which a game is given up.
    pub fn lost_max(&self, sandbox: Tier) -> LostMax {
        LostMax::for_tier(self.lost_max, sandbox)
    }
}

/// Reads the parameters of a game: those that the table does not name have their defaults.
///
/// # Errors
///
/// The name of a wrong one, and what is wrong.
pub(crate) fn parameters(entry: &Entry, table: &toml::Table) -> Result<Parameters, (String, String)> {
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in table {
        set(&mut parameters, name, value).map_err(|what| (name.clone(), what))?;
    }
    Ok(parameters)
}

fn set(parameters: &mut Parameters, name: &str, value: &toml::Value) -> Result<(), String> {
    let text = match value {
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::String(word) => word.clone(),
        toml::Value::Array(_) => {
            return Err(format!("{name} must be a single value here: lists of values are for tournaments"));
        }
        other => return Err(format!("{name} must be a whole number or a word, not {other}")),
    };
    parameters.set_text(name, &text).map_err(|error| error.to_string())
}

/// Makes a table of the parameters of a game.
pub(crate) fn table_of(parameters: &Parameters) -> toml::Table {
    let value = |value| match value {
        Value::Integer(number) => toml::Value::Integer(number),
        Value::Word(word) => toml::Value::String(word.to_owned()),
    };
    parameters.iter().map(|(name, set)| (name.to_owned(), value(set))).collect()
}
