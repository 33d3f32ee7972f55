//! The folder of a runtime: a host lists it, so that bots have an interpreter with everything that belongs to it.

use std::path::{Path, PathBuf};

use super::root::is_of_the_system;

/// Returns the paths that a host lists for a program and, if the program is a link out of the system's folders, for its
/// target: the folder of the runtime, or the file alone if the folder does not look like a runtime. Another folder
/// could hold files that bots must not read.
pub(crate) fn runtime_around(program: &Path) -> Vec<PathBuf> {
    let mut paths = vec![path_to_list(program)];
    if let Ok(real) = program.canonicalize()
        && !is_of_the_system(&real)
    {
        paths.push(path_to_list(&real));
    }
    paths.dedup();
    paths
}

fn path_to_list(program: &Path) -> PathBuf {
    let bin = program.parent().filter(|folder| folder.ends_with("bin"));
    match bin.and_then(Path::parent) {
        Some(folder) if is_runtime(folder) => folder.to_owned(),
        _ => program.to_owned(),
    }
}

fn is_runtime(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).exists();
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let is_users = *folder == *home || *folder == *home.join(".local");
    has("pyvenv.cfg") || has("lib") && has("include") && !is_users && !is_of_the_system(folder)
}
