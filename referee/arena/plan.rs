//! The file of an arena: its hill, its agents, its budgets.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::user;
use referee_contest::schema::{self, Settings};
use referee_contest::settings;
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_record::names;
use schemars::JsonSchema;
use serde::Deserialize;

/// An arena: its hill, its agents, its budgets.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(title = "an arena's file of referee")]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    /// The hill's folder.
    pub(crate) hill: PathBuf,
    /// Number of rounds of the arena.
    #[schemars(range(min = 1))]
    pub(crate) rounds: u32,
    /// Maximum number of games of a round.
    #[serde(default = "default_games")]
    #[schemars(range(min = 1))]
    pub(crate) games: u32,
    /// Time limit of an agent's command, in seconds.
    #[serde(default = "default_step_seconds")]
    #[schemars(range(min = 1))]
    pub(crate) step_seconds: u64,
    /// The agents.
    #[serde(rename = "agent")]
    pub(crate) agents: Vec<Agent>,
}

/// A person or a program that writes bots.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Agent {
    /// The name of its bot on the hill.
    #[schemars(regex(pattern = schema::NAME))]
    pub(crate) name: String,
    /// The folder in which it works. Without one, its bot comes by `hill submit` or over the web.
    pub(crate) folder: Option<PathBuf>,
    /// Its bot: a path in the folder, with arguments as in a shell.
    #[serde(default = "default_bot")]
    pub(crate) bot: String,
    /// A command that may write a better bot, run in the folder before each round.
    pub(crate) command: Option<String>,
    /// The user that its command becomes: of this machine, if root starts the arena.
    pub(crate) user: Option<String>,
    /// Words before its command, such as those that start a container.
    pub(crate) wrap: Option<String>,
    /// Names of variables of the arena's environment that its command gets, such as that of a key.
    #[serde(default)]
    pub(crate) pass: Vec<String>,
    /// Whether its bot may start other programs.
    #[serde(default)]
    pub(crate) allow_fork: bool,
}

impl Settings for Plan {}

fn default_games() -> u32 {
    200
}

fn default_step_seconds() -> u64 {
    600
}

fn default_bot() -> String {
    "./bot".to_owned()
}

impl Plan {
    /// Reads the file of an arena. Paths in it are relative to its folder.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is not valid; then the error names the line.
    pub(crate) fn read(path: &Path) -> Result<Plan, Error> {
        let text = Spot::from(path).read_text(settings::FILE_MAX);
        let text = text.map_err(Error::system(path, "read the arena's file"))?;
        let mut plan: Plan = settings::read(path, &text)?;
        let folder = folder_of(path)?;
        plan.hill = folder.join(&plan.hill);
        let (mut names, mut folders) = (BTreeSet::new(), BTreeSet::new());
        let mut reals: Vec<PathBuf> = Vec::new();
        for (number, agent) in plan.agents.iter_mut().enumerate() {
            let wrong =
                |key: &str, what| Err(settings::wrong(path, &text, &format!("agent.{number}.{key}"), what));
            agent.name = match names::check_new(&agent.name) {
                Ok(name) => name,
                Err(why) => return wrong("name", why),
            };
            if !names.insert(agent.name.clone()) {
                return wrong("name", format!("{}: two agents have this name", agent.name));
            }
            let Some(below) = &agent.folder else {
                if agent.command.is_some() {
                    return wrong(
                        "command",
                        format!("{}: a command needs a folder to run in: add folder = \"...\"", agent.name),
                    );
                }
                continue;
            };
            let work = folder.join(below);
            if !work.is_dir() {
                return wrong("folder", format!("{}: its folder is missing: {}", agent.name, work.display()));
            }
            if !folders.insert(work.clone()) {
                return wrong("folder", format!("{}: another agent works in {}", agent.name, work.display()));
            }
            if agent
                .command
                .as_ref()
                .is_some_and(|words| shlex::split(words).is_none_or(|words| words.is_empty()))
            {
                return wrong(
                    "command",
                    format!("{}: the command is empty, or a quotation mark is not closed", agent.name),
                );
            }
            if agent
                .wrap
                .as_ref()
                .is_some_and(|words| shlex::split(words).is_none_or(|words| words.is_empty()))
            {
                return wrong(
                    "wrap",
                    format!("{}: it is empty, or a quotation mark is not closed", agent.name),
                );
            }
            if let Some(Err(why)) = agent.user.as_deref().map(user::found) {
                return wrong("user", format!("{}: {why}", agent.name));
            }
            if let Some(why) = agent.pass.iter().find_map(|name| user::check_passed(name).err()) {
                return wrong("pass", format!("{}: {why}", agent.name));
            }
            let real =
                std::fs::canonicalize(&work).map_err(Error::system(&work, "find the agent's folder"))?;
            if let Some(other) =
                reals.iter().find(|other| other.starts_with(&real) || real.starts_with(other))
            {
                let what = format!("{}: another agent works in {}", agent.name, other.display());
                return wrong("folder", what);
            }
            reals.push(real);
            agent.folder = Some(work);
        }
        Ok(plan)
    }
}

/// Returns the folder of a file, as an absolute path.
pub(crate) fn folder_of(file: &Path) -> Result<PathBuf, Error> {
    let path = std::path::absolute(file).map_err(Error::system(file, "find the file"))?;
    Ok(path.parent().unwrap_or(Path::new("/")).to_owned())
}
