//! How bots are started here: options of every command that starts some.

use clap::{Args, ValueEnum};
use referee::table::process::{Setup, Timekeeping};

use super::stop;

#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct HostOptions {
    /// What a bot is charged for a turn [default: charged, or what hill.toml says]
    #[arg(long, value_enum)]
    clock: Option<ClockChoice>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ClockChoice {
    /// The time that passed, less what this machine let it wait for a core
    Charged,
    /// The time that passed
    Wall,
}

impl HostOptions {
    /// Returns how bots are started, with a flag that Ctrl-C sets. `otherwise` is for what the command line leaves open.
    pub(super) fn setup(self, otherwise: Timekeeping) -> anyhow::Result<Setup> {
        let timekeeping = match self.clock {
            Some(ClockChoice::Charged) => Timekeeping::Charged,
            Some(ClockChoice::Wall) => Timekeeping::Wall,
            None => otherwise,
        };
        Ok(Setup { timekeeping, ..stop::setup()? })
    }
}
