//! `referee serve`: becomes the program `referee-serve`, which is in the same folder. A program with another name has a
//! server of that name.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process;

use crate::context::Context;
use clap::Args;
use referee_record::error::Error;

/// Serve hills on the web: standings, games, submissions
///
/// Starts the program referee-serve, which must be in the same folder. `referee serve --help` lists its
/// options.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Serve {
    /// Folders of hills, and options of referee-serve
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORD")]
    words: Vec<OsString>,
}

impl Serve {
    pub(crate) fn run(self, context: &Context) -> anyhow::Result<()> {
        // A program with a game of its own has a server of its own, which knows that game.
        let own = context.program()?;
        let mut name = own.file_name().unwrap_or("referee".as_ref()).to_owned();
        name.push("-serve");
        let program = own.with_file_name(name);
        let error = process::Command::new(&program).args(self.words).exec();
        let what = format!(
            "cannot be started: {error}; install it with `cargo install --locked --path . --features full`, or \
             build it with `cargo build --release -p referee-serve`"
        );
        Err(Error::file(&program, what).into())
    }
}
