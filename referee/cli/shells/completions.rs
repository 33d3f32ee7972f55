//! `referee completions` and `referee man`: the command line, described for shells and for `man`.

use std::io;
use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

use crate::context::Context;
use crate::out::{Out, note};

/// Print the completions for a shell; `referee man` writes man pages
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  referee completions bash > ~/.local/share/bash-completion/completions/referee\n  \
                  referee completions zsh > ~/.zfunc/_referee\n  \
                  referee completions fish > ~/.config/fish/completions/referee.fish"
)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

/// Write a man page for each command
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  referee man ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// The folder for the pages; made if it is missing
    folder: PathBuf,
}

impl Completions {
    pub(crate) fn run(self, context: &Context) -> anyhow::Result<()> {
        clap_complete::generate(self.shell, &mut context.command(), "referee", &mut Out);
        Ok(())
    }
}

impl Man {
    pub(crate) fn run(self, context: &Context) -> anyhow::Result<()> {
        let in_folder = |error: io::Error| anyhow::anyhow!("{}: {error}", self.folder.display());
        std::fs::create_dir_all(&self.folder).map_err(in_folder)?;
        clap_mangen::generate_to(context.command(), &self.folder).map_err(in_folder)?;
        note(format!("man pages written to {}", self.folder.display()));
        Ok(())
    }
}
