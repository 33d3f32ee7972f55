//! Options for starting bots, shared by all commands that do.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use referee_contest::contest_settings::HostSettings;
use referee_contest::hill::Hill;
use referee_contest::settings;
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_record::text;
use referee_sandbox::program::Opened;
use referee_sandbox::{Choice, Interpreters, Limits, PassedOver, Tier, probe};
use referee_table::examine::doctor::SHARED;
use referee_table::process::{Program, Setup, Timekeeping};

use crate::context::Context;
use crate::{detail, note, number};

/// How bots are started.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct HostOptions {
    /// Time that a bot is charged for a turn [default: charged, or the setting in hill.toml]
    #[arg(long, value_enum)]
    clock: Option<ClockChoice>,
    /// Confinement of bots: strict (namespaces), landlock, off, or auto: the strictest that works here [default:
    /// auto, or the setting in hill.toml]
    #[arg(long, value_name = "TIER")]
    sandbox: Option<Choice>,
    #[command(flatten)]
    interpreters: InterpreterOptions,
}

/// Interpreters of scripts, besides those that the host's `PATH` finds.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct InterpreterOptions {
    /// An interpreter for scripts, besides those that PATH finds, or the folder of a runtime, which its bots can
    /// read; can be given several times
    #[arg(long = "interpreter", value_name = "PATH")]
    listed: Vec<PathBuf>,
}

impl InterpreterOptions {
    /// Returns the paths that are listed here.
    pub(super) fn listed(&self) -> anyhow::Result<Vec<PathBuf>> {
        Ok(self.listed.iter().map(std::path::absolute).collect::<Result<_, _>>()?)
    }

    /// Returns the interpreters that are listed here and in a file of settings.
    pub(super) fn and(&self, others: &[PathBuf]) -> anyhow::Result<Interpreters> {
        let all: Vec<PathBuf> = others.iter().cloned().chain(self.listed()?).collect();
        Interpreters::listed(&all).map_err(|error| Error::input(error.to_string()).into())
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ClockChoice {
    /// Elapsed time minus time spent waiting for a core, but at least the CPU time of all threads
    Charged,
    /// The same, with one bot thinking at a time: for ranked games with fewer cores than bots
    Serial,
    /// Elapsed time
    Wall,
}

impl HostOptions {
    /// Chooses the sandbox, prints its tier, and returns how bots are started, with a flag that Ctrl-C sets. The
    /// command line overrides the settings.
    pub(super) fn setup(self, context: &Context, settings: &HostSettings) -> anyhow::Result<Setup> {
        let interpreters = self.interpreters.and(&settings.interpreters)?;
        let timekeeping = match self.clock {
            Some(ClockChoice::Charged) => Timekeeping::Charged,
            Some(ClockChoice::Serial) => Timekeeping::Serial,
            Some(ClockChoice::Wall) => Timekeeping::Wall,
            None => settings.clock,
        };
        let setup = Setup { timekeeping, limits: settings.limits.clone(), interpreters, ..context.setup()? };
        let choice = self.sandbox.unwrap_or(settings.sandbox);
        let tier = probe::choose(choice, &setup.fork_server, setup.landlock_version_max)?;
        let sentence = format!("sandbox: {tier} ({})", tier.about());
        // The strictest tier is what users expect.
        if tier == Tier::Strict {
            detail(sentence)
        } else {
            note(sentence)
        }
        Ok(Setup { sandbox: tier, ..setup })
    }
}

impl HostOptions {
    /// Refuses options whose values are in the plan of a tournament.
    pub(super) fn refuse_for_plan(&self) -> Result<(), Error> {
        for (option, is_given) in [("--clock", self.clock.is_some()), ("--sandbox", self.sandbox.is_some())] {
            if is_given {
                let what = format!("{option} is not for a tournament: its plan says it, as its file did");
                return Err(Error::input(what));
            }
        }
        Ok(())
    }

    /// Returns the interpreters of the command line.
    pub(super) fn interpreters(&self) -> &InterpreterOptions {
        &self.interpreters
    }
}

/// Maximum length of a file of settings, in bytes.
const SETTINGS_MAX: u64 = 1 << 20;

impl HostOptions {
    /// Returns how bots are started on a hill, for games that count in standings.
    pub(super) fn setup_ranked(self, context: &Context, hill: &Hill) -> anyhow::Result<Setup> {
        let choice = self.sandbox.unwrap_or(hill.host().sandbox);
        let setup = self.setup_on(context, hill)?;
        check_ranked(choice, setup.sandbox)?;
        Ok(setup)
    }

    /// Returns how the bots of a hill are started: as its settings say, unless the command line says otherwise.
    pub(super) fn setup_on(self, context: &Context, hill: &Hill) -> anyhow::Result<Setup> {
        if let Err(error) = Interpreters::listed(&hill.host().interpreters) {
            let file = Spot::below(hill.root(), "hill.toml");
            let text = file.read_text(SETTINGS_MAX).unwrap_or_default();
            let line = settings::line_of(&text, "interpreters");
            return Err(super::usage(Error::line(file.path(), line, error.to_string())));
        }
        let setup = self.setup(context, hill.host())?;
        check_apart(&setup.interpreters, hill.root())?;
        Ok(setup)
    }
}

/// Makes sure that no listed folder contains a hill, or the folder in which one is to be made.
pub(super) fn check_apart(interpreters: &Interpreters, root: &Path) -> Result<(), Error> {
    let Some(folder) = interpreters.folder_around(root) else { return Ok(()) };
    let what = format!("interpreters: {} contains the hill itself", folder.display());
    Err(Error::input(what + ", so bots could read each other's programs; list the runtime's own folder"))
}

/// Makes sure that a tier is fit for ranked games, or that the user has named it: without root, bots of the landlock
/// tier share the user's threads and timers.
///
/// # Errors
///
/// If the tier is not fit, and the choice was left to the program.
pub(super) fn check_ranked(choice: Choice, tier: Tier) -> anyhow::Result<()> {
    // A host that switches the sandbox off trusts the bots.
    if tier == Tier::Off || tier.is_fit_for_ranked_play() {
        return Ok(());
    }
    let why = SHARED;
    if choice == Choice::Auto {
        anyhow::bail!(
            "{why}. That is too weak for ranked games: run as root, let users make namespaces (see: referee doctor), \
             or accept it with --sandbox landlock (in the file: sandbox = \"landlock\")"
        );
    }
    note(why.to_owned());
    Ok(())
}

/// Makes sure that a program can be started as a bot under this setup.
pub(super) fn check_start(setup: &Setup, program: &Program) -> anyhow::Result<()> {
    let checked = Opened::open(&program.file).and_then(|opened| setup.check(&opened));
    checked.map_err(|why| Error::input(format!("{}: {why}", program.file.display())).into())
}

/// Prints a note for each script that gets another interpreter than by hand.
pub(super) fn note_passed_over<'a>(setup: &Setup, programs: impl Iterator<Item = &'a Program>) {
    let passed_over = |program: &Program| setup.interpreters.passed_over(&Opened::open(&program.file).ok()?);
    let all: BTreeSet<PassedOver> = programs.filter_map(passed_over).collect();
    for PassedOver { taken, first, to_list } in all {
        let [taken, first] = [taken, first].map(|path| text::shell(&path));
        let remedy = match to_list {
            Ok(folders) => {
                let options = folders.iter().map(|folder| format!(" --interpreter {}", text::shell(folder)));
                format!("to have the other play:{}", options.collect::<String>())
            }
            Err(_) if first.contains("/.pyenv/shims/") => {
                "the other is a script of pyenv; to have its Python play: --interpreter \"$(pyenv prefix)\""
                    .to_owned()
            }
            Err(why) => format!("the other does not count: {why}"),
        };
        note(format!(
            "{taken} plays, and not {first}, which comes first in what is listed and in PATH; {remedy}"
        ));
    }
}

/// How bots outside a hill are started.
#[derive(Clone, Debug, Args)]
pub(super) struct BotOptions {
    #[command(flatten)]
    host: HostOptions,
    #[command(flatten)]
    limits: LimitOptions,
}

impl BotOptions {
    /// Returns how bots are started: by these options and the defaults.
    pub(super) fn setup(&self, context: &Context) -> anyhow::Result<Setup> {
        let host = self.host.clone();
        host.setup(context, &HostSettings { limits: self.limits.limits(), ..HostSettings::default() })
    }

    /// Returns how bots are started together with a hill's, by its settings.
    pub(super) fn setup_on(&self, context: &Context, hill: &Hill) -> anyhow::Result<Setup> {
        self.host.clone().setup_on(context, hill)
    }

    /// Gives a program the permissions that these options give.
    pub(super) fn permit(&self, program: Program) -> Program {
        Program { may_fork: self.limits.allow_fork, ..program }
    }
}

/// Limits of each bot, for games outside a hill.
#[derive(Clone, Copy, Debug, Args)]
struct LimitOptions {
    /// Memory of each bot in MiB
    #[arg(long, value_name = "MIB", default_value_t = Limits::default().data_mib, value_parser = range("data_mib"))]
    memory: u64,
    /// Threads of each bot
    #[arg(long, value_name = "N", default_value_t = Limits::default().tasks, value_parser = range("tasks"))]
    tasks: u64,
    /// Open files of each bot, pipes included
    #[arg(long, value_name = "N", default_value_t = Limits::default().descriptors, value_parser = range("descriptors"))]
    descriptors: u64,
    /// Processor time of each bot in seconds; 0: three times what the game gives it
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().cpu_seconds, value_parser = range("cpu_seconds"))]
    cpu: u64,
    /// Allow bots to start other programs, whose time is charged as an estimate
    #[arg(long)]
    allow_fork: bool,
}

/// Reads a number within the range of a limit.
fn range(limit: &str) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    let key = Limits::key(limit).expect("a limit");
    number::whole(key.least..=key.most)
}

impl LimitOptions {
    fn limits(self) -> Limits {
        Limits {
            data_mib: self.memory,
            tasks: self.tasks,
            descriptors: self.descriptors,
            cpu_seconds: self.cpu,
            ..Limits::default()
        }
    }
}
