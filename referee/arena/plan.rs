//! The file of an arena: its hill, its agents, its budgets.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use referee_contest::admission::entrants::bad_name;
use referee_files::beneath::Spot;
use referee_record::error::Error;
use serde::Deserialize;
use toml::Spanned;

/// Maximum length of the file, in bytes.
const FILE_MAX: u64 = 1 << 20;

/// An arena as its file describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    /// The hill's folder.
    pub(crate) hill: PathBuf,
    /// Number of rounds of the arena.
    pub(crate) rounds: u32,
    /// Maximum number of games of a round.
    #[serde(default = "default_games")]
    games: Spanned<u32>,
    /// Time limit of an agent's command, in seconds.
    #[serde(default = "default_step_seconds")]
    step_seconds: Spanned<u64>,
    /// The agents.
    #[serde(rename = "agent")]
    agents: Vec<Spanned<Agent>>,
}

/// A person or a program that writes bots.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Agent {
    /// The name of its bot on the hill.
    pub(crate) name: String,
    /// The folder in which it works. Without one, its bot comes by `hill submit` or over the web.
    pub(crate) folder: Option<PathBuf>,
    /// Its bot: a path in the folder, with arguments as in a shell.
    #[serde(default = "default_bot")]
    pub(crate) bot: String,
    /// A command that may write a better bot, run in the folder before each round.
    pub(crate) command: Option<String>,
    /// Whether its bot may start other programs.
    #[serde(default)]
    pub(crate) allow_fork: bool,
}

fn default_games() -> Spanned<u32> {
    Spanned::new(0..0, 200)
}

fn default_step_seconds() -> Spanned<u64> {
    Spanned::new(0..0, 600)
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
        let text =
            Spot::from(path).read_text(FILE_MAX).map_err(Error::system(path, "read the arena's file"))?;
        let line_of = |span: Range<usize>| text[..span.start].matches('\n').count() as u64 + 1;
        let mut plan: Plan = toml::from_str(&text)
            .map_err(|error| Error::line(path, error.span().map_or(1, line_of), error.message()))?;
        let wrong = |span: Range<usize>, what: String| Err(Error::line(path, line_of(span), what));
        if *plan.games.get_ref() == 0 {
            return wrong(plan.games.span(), "games must be at least 1".to_owned());
        }
        if *plan.step_seconds.get_ref() == 0 {
            return wrong(plan.step_seconds.span(), "step_seconds must be at least 1".to_owned());
        }
        let folder = folder_of(path)?;
        plan.hill = folder.join(&plan.hill);
        let (mut names, mut folders) = (BTreeSet::new(), BTreeSet::new());
        for agent in &mut plan.agents {
            let span = agent.span();
            let agent = agent.get_mut();
            if let Some(why) = bad_name(&agent.name) {
                return wrong(span, why);
            }
            if !names.insert(agent.name.clone()) {
                return wrong(span, format!("{}: two agents have this name", agent.name));
            }
            let Some(below) = &agent.folder else {
                if agent.command.is_some() {
                    return wrong(
                        span,
                        format!("{}: a command needs a folder to run in: add folder = \"...\"", agent.name),
                    );
                }
                continue;
            };
            let work = folder.join(below);
            if !work.is_dir() {
                return wrong(span, format!("{}: its folder is missing: {}", agent.name, work.display()));
            }
            if !folders.insert(work.clone()) {
                return wrong(span, format!("{}: another agent works in {}", agent.name, work.display()));
            }
            if agent
                .command
                .as_ref()
                .is_some_and(|words| shlex::split(words).is_none_or(|words| words.is_empty()))
            {
                return wrong(
                    span,
                    format!("{}: the command is empty, or a quotation mark is not closed", agent.name),
                );
            }
            agent.folder = Some(work);
        }
        Ok(plan)
    }

    /// The agents, in the order of the file.
    pub(crate) fn agents(&self) -> impl Iterator<Item = &Agent> {
        self.agents.iter().map(Spanned::get_ref)
    }

    /// Maximum number of games of a round of the arena.
    pub(crate) fn games(&self) -> u32 {
        *self.games.get_ref()
    }

    /// Time limit of an agent's command, in seconds.
    pub(crate) fn step_seconds(&self) -> u64 {
        *self.step_seconds.get_ref()
    }
}

/// Returns the folder of a file, as an absolute path.
pub(crate) fn folder_of(file: &Path) -> Result<PathBuf, Error> {
    let path = std::path::absolute(file).map_err(Error::system(file, "find the file"))?;
    Ok(path.parent().unwrap_or(Path::new("/")).to_owned())
}
