//! How bots are started here: options of every command that starts some.

use clap::{Args, ValueEnum};
use referee::table::process::{Program, Setup, Timekeeping};
use referee::table::sandbox::{Choice, Limits, probe};
use referee::tournament::hill::Hill;

use super::{note, stop};

#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct HostOptions {
    /// What a bot is charged for a turn [default: charged, or what hill.toml says]
    #[arg(long, value_enum)]
    clock: Option<ClockChoice>,
    /// How bots are confined: strict (namespaces), landlock, off, or auto: the strictest that works here [default: auto,
    /// or what hill.toml says]
    #[arg(long, value_name = "TIER")]
    sandbox: Option<Choice>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ClockChoice {
    /// The time that passed, less what this machine let it wait for a core
    Charged,
    /// The same, and one bot thinks at a time: for ranked games where there are fewer cores than bots that think
    Serial,
    /// The time that passed
    Wall,
}

impl HostOptions {
    /// Returns how bots are started, with a flag that Ctrl-C sets; finds out what sandbox works, and says so.
    /// `timekeeping` and `sandbox` are for what the command line leaves open.
    pub(super) fn setup(
        self,
        timekeeping: Timekeeping,
        sandbox: Choice,
        limits: &Limits,
    ) -> anyhow::Result<Setup> {
        let timekeeping = match self.clock {
            Some(ClockChoice::Charged) => Timekeeping::Charged,
            Some(ClockChoice::Serial) => Timekeeping::Serial,
            Some(ClockChoice::Wall) => Timekeeping::Wall,
            None => timekeeping,
        };
        let setup = Setup { timekeeping, limits: limits.clone(), ..stop::setup()? };
        let choice = self.sandbox.unwrap_or(sandbox);
        let tier = probe::choose(choice, &setup.fork_server, setup.landlock_version_max)?;
        note(format!("sandbox: {tier} ({})", tier.about()));
        Ok(Setup { sandbox: tier, ..setup })
    }
}

/// How bots outside a hill are started.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct BotOptions {
    #[command(flatten)]
    host: HostOptions,
    #[command(flatten)]
    limits: LimitOptions,
}

impl BotOptions {
    /// Returns how bots are started, with what is said here or holds by itself.
    pub(super) fn setup(&self) -> anyhow::Result<Setup> {
        self.host.setup(Timekeeping::default(), Choice::default(), &self.limits.limits())
    }

    /// Returns how bots are started in the company of a hill's, by what holds there.
    pub(super) fn setup_on(&self, hill: &Hill) -> anyhow::Result<Setup> {
        self.host.setup(hill.timekeeping(), hill.sandbox(), hill.limits())
    }

    /// Gives a program the permissions that are given here.
    pub(super) fn permit(&self, program: Program) -> Program {
        Program { may_fork: self.limits.allow_fork, ..program }
    }
}

/// Limits of each bot, for games outside a hill.
#[derive(Clone, Copy, Debug, Args)]
struct LimitOptions {
    /// Memory of each bot in MiB
    #[arg(long, value_name = "MIB", default_value_t = Limits::default().data_mib)]
    memory: u64,
    /// Threads of each bot
    #[arg(long, value_name = "N", default_value_t = Limits::default().tasks)]
    tasks: u64,
    /// Processor time of each bot in seconds; 0: three times what the game gives it
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().cpu_seconds)]
    cpu: u64,
    /// Bots may start other programs
    #[arg(long)]
    allow_fork: bool,
}

impl LimitOptions {
    fn limits(self) -> Limits {
        Limits { data_mib: self.memory, tasks: self.tasks, cpu_seconds: self.cpu, ..Limits::default() }
    }
}
