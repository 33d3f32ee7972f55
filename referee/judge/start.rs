//! The start of a judge: always confined, even if bots are not.

use std::sync::{LazyLock, OnceLock};

use referee_sandbox::{Choice, Limits, Tier, probe};
use referee_table::process::Setup;

/// A host of judges: how it starts them, and which names of parameters it refuses.
#[derive(Debug)]
pub struct Host {
    setup: Setup,
    /// The sandbox of judges, once it was looked for.
    tier: OnceLock<Result<Tier, String>>,
    options: Options,
}

/// Names of options, with `_` for `-` (`max_turns` for `--max-turns`), that no parameter of a judge can have.
pub(crate) type Options = LazyLock<Vec<String>, Box<dyn FnOnce() -> Vec<String> + Send>>;

impl Host {
    /// Returns a host that starts judges as this setup says: by its program and with its interpreters, until its flag
    /// stops them. `options` lists the options of commands that take the parameters of a game as options, too, with `_`
    /// for `-`.
    pub fn new(setup: Setup, options: impl FnOnce() -> Vec<String> + Send + 'static) -> Host {
        // The process lives as long as its game, which may be long.
        let limits = Limits { data_mib: 1024, cpu_seconds: 1_000_000, ..Limits::default() };
        let setup = Setup { limits, guests: None, ..setup };
        Host { setup, tier: OnceLock::new(), options: LazyLock::new(Box::new(options)) }
    }

    /// Returns how judges are started.
    pub(crate) fn confined(&self) -> Result<Setup, String> {
        let Setup { fork_server, landlock_version_max, .. } = &self.setup;
        let choose = || {
            let tier = probe::choose(Choice::Auto, fork_server, *landlock_version_max);
            tier.map_err(|why| format!("a judge cannot be confined here: {why}"))
        };
        Ok(Setup { sandbox: self.tier.get_or_init(choose).clone()?, ..self.setup.clone() })
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }
}
