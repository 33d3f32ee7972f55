//! Tools: the programs of the host that build, where they are, and what they call themselves.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use referee_files::digest;
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};
use referee_sandbox::{Interpreters, is_of_the_system};

use crate::languages::{Language, Languages};

/// Lists the languages that are offered and whose tools are on this machine, as people call them.
pub fn offered(languages: &Languages) -> Vec<String> {
    let is_here = |(name, row): &(&String, &Language)| row.offered && Tools::find(name, row).is_ok();
    languages.rows.iter().filter(is_here).map(|(_, row)| row.about.clone()).collect()
}

/// The tools of a language on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tools {
    /// The path of each tool, by its name in the table.
    pub(crate) paths: BTreeMap<String, PathBuf>,
    /// Folders that a build sees in addition to the system's.
    pub(crate) visible_folders: Vec<PathBuf>,
}

impl Tools {
    /// Finds the tools of a language: in its listed folders, then in the `PATH` of this process.
    ///
    /// # Errors
    ///
    /// Names the first tool that is not here, or that a build does not see, with a remedy.
    pub(crate) fn find(name: &str, row: &Language) -> Result<Tools, Error> {
        let listed = Interpreters::listed(&row.folders).map_err(|why| unfit(format!("[{name}]: {why}")))?;
        let visible_folders: Vec<PathBuf> =
            row.folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
        let names = row.build.iter().chain([&row.version]).filter_map(|words| words.first());
        let mut paths = BTreeMap::new();
        for tool in names {
            let found = files_called(tool, &visible_folders);
            let is_visible = |file: &&PathBuf| {
                let real = file.canonicalize();
                real.is_ok_and(|real| is_of_the_system(&real) || listed.folder_around(&real).is_some())
            };
            let path = match (found.iter().find(is_visible), found.first()) {
                (Some(visible), _) => visible.clone(),
                (None, Some(hidden)) => {
                    let hidden = hidden.display();
                    return Err(unfit(format!(
                        "{tool} is at {hidden}, which a build does not see; in languages.toml: [{name}] folders = \
                         [\"...\"], with the folder of its whole toolchain"
                    )));
                }
                (None, None) => return Err(unfit(format!("{tool} is not installed here"))),
            };
            paths.insert(tool.clone(), path);
        }
        Ok(Tools { paths, visible_folders })
    }

    /// Returns the environment of a build.
    pub(crate) fn variables(
        &self,
        row: &Language,
        fill: impl Fn(&str) -> String,
    ) -> Vec<(OsString, OsString)> {
        let mut path = String::new();
        let folders = self.visible_folders.iter().map(|folder| folder.join("bin"));
        for folder in folders.chain(SYSTEM_PATH.map(PathBuf::from)) {
            let _ = write!(path, "{}{}", if path.is_empty() { "" } else { ":" }, folder.display());
        }
        let of_all_builds =
            [("PATH", path), ("LANG", "C.UTF-8".to_owned()), ("SOURCE_DATE_EPOCH", "315532800".to_owned())];
        let of_all_builds = of_all_builds.map(|(name, value)| (name.into(), value.into()));
        let of_language = row.variables.iter().map(|(name, value)| (name.into(), fill(value).into()));
        of_all_builds.into_iter().chain(of_language).collect()
    }

    /// Returns the digest of a toolchain: of its row, of its version, and of the files of its tools. The parts that a
    /// tool starts itself, such as the compiler proper behind `cc`, are known by the version alone.
    pub(crate) fn digest(&self, row: &Language, version: &str) -> Result<Digest, Error> {
        let mut text = serde_json::to_string(row).expect("plain values");
        let _ = write!(text, "\n{version}\n");
        for (tool, path) in &self.paths {
            let real = path.canonicalize().map_err(Error::system(path, "read a tool"))?;
            let digest = digest::of_file(Path::new(&real)).map_err(Error::system(&real, "read a tool"))?;
            let _ = writeln!(text, "{tool} {}", digest.as_str());
        }
        Ok(Digest::of(text.as_bytes()))
    }
}

/// Returns the files of this name in the listed folders and in the `PATH` of this process, in this order.
fn files_called(tool: &str, listed_folders: &[PathBuf]) -> Vec<PathBuf> {
    let listed = listed_folders.iter().flat_map(|folder| [folder.join("bin").join(tool), folder.join(tool)]);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let of_path: Vec<PathBuf> = std::env::split_paths(&path).map(|folder| folder.join(tool)).collect();
    listed.chain(of_path).filter(|file| file.is_file()).collect()
}

/// The folders in which a build looks for programs.
const SYSTEM_PATH: [&str; 4] = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin"];

fn unfit(what: String) -> Error {
    Error::new(ErrorKind::Unfit, what)
}
