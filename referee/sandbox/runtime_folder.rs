//! The folder of a runtime: what a host lists so that bots have an interpreter with everything that belongs to it.

use std::path::{Path, PathBuf};

use super::root::is_of_the_system;

/// Returns what a host lists for a program, and for what it leads to outside the system: the folder of its runtime, or the
/// file alone if nothing says that the folder is one. A folder can hold what bots must not read.
pub(crate) fn runtime_around(program: &Path) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let is_runtime = |folder: &&Path| {
        let has = |name: &str| folder.join(name).exists();
        let is_users = **folder == *home || **folder == *home.join(".local");
        has("pyvenv.cfg") || has("lib") && has("include") && !is_users && !is_of_the_system(folder)
    };
    let around = |program: &Path| {
        let bin = program.parent().filter(|folder| folder.ends_with("bin"));
        bin.and_then(Path::parent).filter(is_runtime).unwrap_or(program).to_owned()
    };
    let real = program.canonicalize().ok().filter(|real| !is_of_the_system(real));
    let mut folders: Vec<PathBuf> =
        [Some(program), real.as_deref()].into_iter().flatten().map(around).collect();
    folders.dedup();
    folders
}
