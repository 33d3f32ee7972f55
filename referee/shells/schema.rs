//! `referee schema`: JSON schemas of the files that people write, for editors.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use referee_cli::addition::{self, SettingsFile};
use referee_contest::{file, hill};

use referee_cli::out::say_as_it_is;

/// Print the JSON schema of hill.toml, or of the file of a tournament or an arena, for editors
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  referee schema hill > hill.schema.json\n\n\
                        Then write this as the first line of hill.toml: #:schema ./hill.schema.json")]
pub(crate) struct Schema {
    /// The file
    #[arg(value_parser = names())]
    file: String,
}

/// The files of the core.
const OF_THE_CORE: [SettingsFile; 2] = [
    SettingsFile { name: "hill", about: "hill.toml", schema: hill::schema },
    SettingsFile { name: "tournament", about: "The file of a tournament", schema: file::schema },
];

/// Lists all files: those of the core, then those of the parts of this program.
fn files() -> impl Iterator<Item = &'static SettingsFile> {
    OF_THE_CORE.iter().chain(addition::files())
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(files().map(|file| PossibleValue::new(file.name).help(file.about)))
}

impl Schema {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let file = files().find(|file| file.name == self.file).expect("one of the names");
        say_as_it_is(serde_json::to_string_pretty(&(file.schema)())?);
        Ok(())
    }
}
