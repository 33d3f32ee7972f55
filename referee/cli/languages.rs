//! `referee languages`: the languages of sources, and which of them this machine can build.

use std::path::PathBuf;

use clap::Args;
use referee_builds::languages::Languages;
use referee_builds::{Toolchain, Workplace};
use referee_contest::hill::Hill;
use serde_json::Value;

use crate::context::Context;
use crate::progress::Task;
use crate::sheet::{Cells, Print, Printed, Sheet};

/// Show the languages in which sources can be submitted, with the compilers found here
///
/// Each compiler is asked for its version in the sandbox, as in a build.
#[derive(Debug, Args)]
pub(super) struct ShowLanguages {
    /// A hill, whose languages.toml counts
    hill: Option<PathBuf>,
    #[command(flatten)]
    printed: Printed,
}

impl ShowLanguages {
    pub(super) fn run(self, context: &Context) -> anyhow::Result<()> {
        let languages = match self.hill {
            Some(hill) => Languages::of(Hill::open(&hill).map_err(crate::usage)?.root())?,
            None => Languages::built_in(),
        };
        let setup = context.setup()?;
        let place = Workplace {
            fork_server: &setup.fork_server,
            stop: &setup.stop,
            landlock_version_max: setup.landlock_version_max,
        };
        let mut sheet = Sheet::new(["language", "offered", "known_by", "found", "about"])
            .cells(Cells::Prose, &["known_by", "found", "about"]);
        let task = Task::new("asking compilers for their versions");
        for (name, row) in &languages.rows {
            let found = match (row.offered, &row.version[..]) {
                (false, _) => String::new(),
                _ => match Toolchain::of(place, name, row, &languages.limits) {
                    Ok(toolchain) if toolchain.version.is_empty() => "yes".to_owned(),
                    Ok(toolchain) => toolchain.version,
                    Err(error) => format!("no: {error}"),
                },
            };
            let known_by: Vec<&str> = row.markers.iter().chain(&row.endings).map(String::as_str).collect();
            let offered = if row.offered { "yes" } else { "no" };
            let cells = [name.as_str(), offered, &known_by.join(" "), &found, &row.about];
            sheet.row(cells.map(Value::from).to_vec());
        }
        drop(task);
        sheet.print(self.printed)
    }
}
