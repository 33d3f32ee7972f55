//! How bots are confined, as options of the command line.

use clap::Args;
use referee::table::process::Setup;
use referee::table::sandbox::{Choice, Limits, Tier, probe};

use super::{note, stop};

/// How bots are confined.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct SandboxOption {
    /// How bots are confined: strict (namespaces), landlock, off, or auto: the strictest that works here [default: auto,
    /// on a hill what its hill.toml says]
    #[arg(long, value_name = "TIER")]
    pub(super) sandbox: Option<Choice>,
}

/// Limits of each bot, for a game outside a hill.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct LimitOptions {
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
    pub(super) allow_fork: bool,
}

impl LimitOptions {
    pub(super) fn limits(self) -> Limits {
        Limits { data_mib: self.memory, tasks: self.tasks, cpu_seconds: self.cpu, ..Limits::default() }
    }
}

/// Returns how bots are started here: finds out what works, and says what it is.
pub(super) fn setup(choice: Choice, limits: &Limits) -> anyhow::Result<Setup> {
    let mut setup = stop::setup()?;
    setup.limits = limits.clone();
    setup.sandbox = probe::choose(choice, &setup.launcher, setup.landlock_version_max)?;
    tell(setup.sandbox);
    Ok(setup)
}

fn tell(tier: Tier) {
    note(format!("sandbox: {tier} ({})", tier.about()));
}
