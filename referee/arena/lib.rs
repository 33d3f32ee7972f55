//! `referee arena`: agents write bots, a hill plays them, and each agent gets feedback about its own games.

#![forbid(unsafe_code)]

mod feedback;
mod keeper;
mod plan;
mod step;
mod user;

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use referee_contest::hill::{Goal, Hill};
use referee_contest::{node, publish, schema};
use referee_files::beneath::{self, Spot};
use referee_files::digest;
use referee_record::error::{Error, ErrorKind};
use referee_statistics::stop_rule::StopRule;
use referee_table::process::Setup;
use serde::{Deserialize, Serialize};

use self::keeper::{Keeper, Step};
use self::plan::{Agent, Plan};
use self::step::Due;
use referee_cli::addition::{Addition, SettingsFile};
use referee_cli::hill_submit::{HowSubmitted, submit};
use referee_cli::host::HostOptions;
use referee_cli::out::{note, say};
use referee_cli::{bot, rounds, shell};

/// Let agents write bots, round by round, on a hill
///
/// In each round, every agent runs its command, which may write a better bot. New bots are checked and
/// submitted. The hill is played until one bot is clearly the best, or for a number of games. Each agent then
/// gets a folder with its own games, faults and standard error, and the standings. You can stop the command
/// at any time and start it again: it continues where it was.
#[derive(Debug, Args)]
#[command(after_long_help = "The file, with the defaults:\n\n  \
    hill = \"hill\"             # made by `referee hill new`; paths are from the file's folder\n  \
    rounds = 10\n  \
    games = 200               # maximum number of a round\n  \
    step_seconds = 600        # time limit of a command\n\n  \
    [[agent]]                 # one table for each agent\n  \
    name = \"fox\"              # name of its bot\n  \
    folder = \"fox\"            # without it: the bot comes by `hill submit` or over the web\n  \
    bot = \"./bot\"             # path in the folder, with arguments\n  \
    command = \"./improve\"     # runs in the folder (default: none); REFEREE_FEEDBACK is the last feedback\n  \
    user = \"fox\"              # the user that the command becomes, if root starts the arena\n  \
    pass = [\"AGENT_KEY\"]      # variables of the arena that the command gets, besides the usual ones\n  \
    wrap = \"bwrap ...\"        # words before the command, such as a container's\n  \
    allow_fork = false\n\n\
    Without user or wrap, commands run unconfined, as the user who starts the arena.\n\
    Documents: referee docs arena")]
pub(crate) struct Arena {
    /// The file of the arena
    file: PathBuf,
    /// Games at a time [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = referee_cli::number::jobs)]
    jobs: Option<u16>,
    #[command(flatten)]
    host: HostOptions,
}

/// Adds its commands to the program.
#[derive(Clone, Copy, Debug)]
pub struct ArenaCommand;

impl Addition for ArenaCommand {
    fn extend(&self, root: Command) -> Command {
        root.subcommand(Arena::augment_args(Command::new("arena").display_order(113)))
            .subcommand(Keeper::augment_args(Command::new(keeper::COMMAND)))
    }

    fn files(&self) -> &'static [SettingsFile] {
        &[SettingsFile { name: "arena", about: "The file of an arena", schema: schema::for_editors::<Plan> }]
    }

    fn run(&self, words: &ArgMatches) -> Option<anyhow::Result<()>> {
        if let Some(keeper) = words.subcommand_matches(keeper::COMMAND) {
            return Some(Keeper::from_arg_matches(keeper).map_err(Into::into).and_then(Keeper::run));
        }
        let arena = words.subcommand_matches("arena")?;
        Some(Arena::from_arg_matches(arena).map_err(Into::into).and_then(Arena::run))
    }
}

/// The state of an arena. The file is replaced as a whole after each step.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    /// The number of the round, from 1.
    round: u32,
    /// By agent: how its command in this round ended.
    steps: BTreeMap<String, Step>,
    /// By agent: its bot in this round.
    bots: BTreeMap<String, Taken>,
    /// The games of this round, once they are determined.
    games: Option<Games>,
}

/// An agent's bot after the submission of this round. It can be read from the hill, so an arena that was
/// killed before this was written finds the same.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Taken {
    /// The version that plays; `None` if the agent has no bot on the hill.
    version: Option<u32>,
    /// The message about it.
    message: String,
}

/// The games of a round of the arena: some rounds of a season.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Games {
    season: u32,
    first_round: u32,
    /// The last round that may be played.
    last_round: u32,
    /// Whether all necessary rounds have been played.
    are_played: bool,
}

/// An arena that is being played.
struct Play<'a> {
    plan: Plan,
    folder: PathBuf,
    hill: Hill,
    setup: &'a Setup,
    jobs: usize,
    state: State,
}

impl Arena {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let plan = Plan::read(&self.file).map_err(referee_cli::usage)?;
        let hill = Hill::open(&plan.hill).map_err(referee_cli::usage)?;
        let folder = plan::folder_of(&self.file)?;
        for agent in &plan.agents {
            if agent.folder.as_ref().is_some_and(|work| hill.root().starts_with(work)) {
                let what = format!(
                    "{}: the hill is inside the agent's folder, which would let it read the bots of others",
                    agent.name
                );
                return Err(Error::file(&self.file, what).into());
            }
        }
        let _lock = lock(&folder)?;
        let setup = self.host.setup_ranked(&hill)?;
        let state = read_state(&folder)?;
        let jobs = self.jobs.map_or_else(node::cores, usize::from);
        let mut play = Play { plan, folder, hill, setup: &setup, jobs, state };
        // Before the first command: without it, those that were run are not run again.
        play.save()?;
        while play.state.round <= play.plan.rounds {
            play.round()?;
        }
        say(format!(
            "all {} rounds of the arena are played; standings: referee hill standings {}",
            play.plan.rounds,
            shell(play.hill.root())
        ));
        Ok(())
    }
}

impl Play<'_> {
    /// Plays the rest of a round.
    fn round(&mut self) -> anyhow::Result<()> {
        let round = self.state.round;
        note(format!("arena: round {round} of {}", self.plan.rounds));
        self.steps()?;
        self.submissions()?;
        self.games()?;
        for agent in &self.plan.agents {
            let path = feedback::hand_back(self, agent)?;
            note(format!("{}: {}", agent.name, path.display()));
        }
        self.state = State { round: round + 1, ..State::default() };
        self.save()
    }

    /// Runs the commands of all agents at the same time.
    fn steps(&mut self) -> anyhow::Result<()> {
        let due: Vec<Agent> = self
            .plan
            .agents
            .iter()
            .filter(|agent| agent.command.is_some() && !self.state.steps.contains_key(&agent.name))
            .cloned()
            .collect();
        let printed = self.folder.join("commands").join(format!("round-{:04}", self.state.round));
        if !due.is_empty() {
            beneath::create_folder(&printed)?;
        }
        let (round, seconds) = (self.state.round, self.plan.step_seconds);
        let stop: &AtomicBool = &self.setup.stop;
        let all: Vec<(String, Result<Step, Error>)> = thread::scope(|scope| {
            let running: Vec<_> = due
                .iter()
                .map(|agent| {
                    let before = feedback::folder_of(&self.folder, &agent.name, round - 1);
                    let folder = &*printed;
                    scope.spawn(move || {
                        let feedback = before.is_dir().then_some(before.as_path());
                        step::run(Due { agent, round, feedback, folder, seconds }, stop)
                    })
                })
                .collect();
            let ended = running.into_iter().map(|thread| thread.join().expect("no step panics"));
            due.iter().map(|agent| agent.name.clone()).zip(ended).collect()
        });
        let mut failed = None;
        for (name, step) in all {
            match step {
                Ok(step) => {
                    note(format!("{name}: command ended: {} ({:.1} s)", step.end, step.seconds));
                    self.state.steps.insert(name, step);
                }
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        // Commands that ended before the stop are not run again.
        self.save()?;
        failed.map_or(Ok(()), |error| Err(self.how_to_go_on(error)))
    }

    /// Submits the new bots.
    fn submissions(&mut self) -> anyhow::Result<()> {
        let agents: Vec<Agent> = self.plan.agents.clone();
        for agent in &agents {
            if self.state.bots.contains_key(&agent.name) {
                continue;
            }
            let message = match &agent.folder {
                None => "the author submits the bot".to_owned(),
                Some(folder) => self.submission(agent, folder)?,
            };
            let version = self.version_of(agent)?;
            let taken = Taken { version, message };
            note(format!("{}: {}", agent.name, taken.message));
            self.state.bots.insert(agent.name.clone(), taken);
            self.save()?;
        }
        Ok(())
    }

    fn version_of(&self, agent: &Agent) -> anyhow::Result<Option<u32>> {
        let entrants = self.hill.entrants()?;
        let present = entrants.field().into_iter().find(|event| event.name == agent.name);
        Ok(present.map(|event| event.version))
    }

    /// Submits the bot of an agent, unless it plays already. Returns the message about it.
    fn submission(&self, agent: &Agent, folder: &Path) -> anyhow::Result<String> {
        let refused = |why: String| format!("no new bot: {why}");
        let words = match bot_words(&agent.bot, folder) {
            Ok(words) => words,
            Err(why) => return Ok(refused(why)),
        };
        let found = match bot::find(self.hill.entry(), &words) {
            Ok(found) => found,
            Err(error) => return Ok(refused(format!("{error:#}"))),
        };
        let entrants = self.hill.entrants()?;
        let present = entrants.field().into_iter().find(|event| event.name == agent.name);
        let digest =
            digest::of_file(found.file.as_path()).map_err(Error::system(&found.file, "read the bot"))?;
        if let Some(present) = present
            && present.digest == digest
            && present.words() == found.arguments
            && present.allow_fork == agent.allow_fork
        {
            return Ok(format!("unchanged: version {} still plays", present.version));
        }
        let how = HowSubmitted {
            name: Some(agent.name.clone()),
            may_fork: agent.allow_fork,
            ..HowSubmitted::default()
        };
        match submit(&self.hill, &words, how, self.setup) {
            Ok(submitted) => Ok(submitted.told),
            Err(error) => match error.downcast_ref::<Error>().map(Error::kind) {
                // The bot's fault: the message tells its author, and the others play.
                Some(ErrorKind::Input | ErrorKind::Failed) => Ok(refused(format!("{error:#}"))),
                Some(ErrorKind::Stopped) => Err(self.how_to_go_on(error)),
                _ => Err(error),
            },
        }
    }

    /// Plays until one bot is clearly the best, or the games of a round are used up.
    fn games(&mut self) -> anyhow::Result<()> {
        let mut games = match self.state.games {
            Some(games) => games,
            None => {
                let (run, _) = self.hill.begin_run_by(self.setup, Goal::Rounds(StopRule::default()))?;
                let bots = self.hill.entrants()?.field().len();
                let rounds = self.plan.games as usize / self.hill.round_games(bots).max(1);
                let first_round = run.first_open_round();
                let last_round = first_round.saturating_add(rounds.max(1) as u32 - 1);
                Games { season: run.season(), first_round, last_round, are_played: false }
            }
        };
        if games.are_played {
            return Ok(());
        }
        self.state.games = Some(games);
        self.save()?;
        let rule = StopRule { max_rounds: games.last_round, ..StopRule::default() };
        let rule = StopRule { min_rounds: rule.min_rounds.min(rule.max_rounds), ..rule };
        let played = rounds::play_until_clear(&self.hill, rule, self.jobs, self.setup);
        let (season, _) = played.map_err(|error| self.how_to_go_on(error))?;
        if season != games.season {
            // The field was changed meanwhile: another season was played, from its beginning.
            games = Games { season, first_round: 1, ..games };
        }
        games.are_played = true;
        self.state.games = Some(games);
        self.save()
    }

    fn save(&self) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(&self.state)? + "\n";
        Ok(publish::replace(self.folder.join(STATE).as_path(), text.as_bytes())?)
    }

    /// Adds to a stop that the same command continues the arena.
    fn how_to_go_on(&self, error: impl Into<anyhow::Error>) -> anyhow::Error {
        let error = error.into();
        match error.downcast_ref::<Error>().map(Error::kind) {
            Some(ErrorKind::Stopped) => {
                let what = format!("stopped in round {}; the same command continues there", self.state.round);
                Error::new(ErrorKind::Stopped, what).into()
            }
            _ => error,
        }
    }
}

/// The name of the file with the state of an arena.
const STATE: &str = "arena-state.json";

/// Maximum length of that file, in bytes.
const STATE_MAX: u64 = 16 << 20;

impl Default for State {
    fn default() -> State {
        State { round: 1, steps: BTreeMap::new(), bots: BTreeMap::new(), games: None }
    }
}

fn read_state(folder: &Path) -> Result<State, Error> {
    let path = folder.join(STATE);
    match Spot::from(path.as_path()).read_text(STATE_MAX) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| {
            Error::file(
                &path,
                format!(
                    "{error}; without this file and the folder commands, the arena begins again with round 1"
                ),
            )
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let commands = Spot::below(folder, "commands");
            if commands.exists() {
                let what = "missing, but commands of its rounds were run: put it back, or remove the folder commands to \
                            begin again with round 1";
                return Err(Error::file(&path, what));
            }
            Ok(State::default())
        }
        Err(error) => Err(Error::system(&path, "read the state of the arena")(error)),
    }
}

/// Makes sure that no other process plays this arena until the file is closed.
fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.join(".arena-lock");
    let file = Spot::from(path.as_path()).lock_file().map_err(Error::system(&path, "lock the arena"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(Error::new(ErrorKind::Busy, "another process is playing this arena").at(folder))
        }
        Err(TryLockError::Error(error)) => Err(Error::system(&path, "lock the arena")(error)),
    }
}

/// Returns the words of an agent's bot, with the path of its program below the agent's folder.
fn bot_words(bot: &str, folder: &Path) -> Result<String, String> {
    let words = shlex::split(bot).ok_or("a quotation mark is not closed")?;
    let (first, rest) = words.split_first().ok_or("the bot is empty: write the path of its program")?;
    let program = step::own_file(&folder.join(first), folder)?;
    let program = program.to_string_lossy();
    let words = [&*program].into_iter().chain(rest.iter().map(String::as_str));
    shlex::try_join(words).map_err(|error| error.to_string())
}
