//! `referee schema`: JSON schemas of the files that people write, for editors.

use clap::{Args, ValueEnum};
use referee_contest::{file, hill};

use crate::out::say_as_it_is;

/// Print the JSON schema of hill.toml, or of the file of a tournament, for editors
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  referee schema hill > hill.schema.json\n\n\
                        Then write this as the first line of hill.toml: #:schema ./hill.schema.json")]
pub(crate) struct Schema {
    /// The file
    file: SettingsFile,
}

/// A file that people write.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SettingsFile {
    /// hill.toml
    Hill,
    /// The file of a tournament
    Tournament,
}

impl Schema {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let schema = match self.file {
            SettingsFile::Hill => hill::schema(),
            SettingsFile::Tournament => file::schema(),
        };
        say_as_it_is(serde_json::to_string_pretty(&schema)?);
        Ok(())
    }
}
