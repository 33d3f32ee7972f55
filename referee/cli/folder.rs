//! The folder of a contest on the command line.

use std::path::{Path, PathBuf};

use clap::Args;

/// The folder of a contest, with or without `--dir`.
#[derive(Debug, Args)]
pub struct Folder {
    /// The folder of the hill or the tournament
    #[arg(value_name = "DIR", required_unless_present = "dir")]
    folder: Option<PathBuf>,
    /// The folder, as an option
    #[arg(long, value_name = "DIR", conflicts_with = "folder", hide_short_help = true)]
    dir: Option<PathBuf>,
}

impl Folder {
    /// Returns its path.
    pub fn path(&self) -> &Path {
        let path = self.folder.as_ref().or(self.dir.as_ref());
        path.expect("one of the two, by the rules of the command line")
    }
}
