//! Landlock: which files a process may still open. All others stay closed.

use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetStatus, Scope,
};

use super::system;

/// The newest version whose effect on bots was examined.
const VERSION_KNOWN: i32 = 6;

/// Files that may still be opened.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules<'a> {
    /// Files to read and execute, already open.
    pub(super) open: Vec<BorrowedFd<'a>>,
    /// Paths to read and execute, with everything below.
    pub(super) read: Vec<PathBuf>,
    /// Paths to read and write, but not execute, with everything below.
    pub(super) write: Vec<PathBuf>,
}

/// Returns the version that is used; 0 if the kernel has no Landlock.
pub(super) fn version(max: i32) -> i32 {
    system::landlock_version().min(VERSION_KNOWN).min(max)
}

/// Prepares the rules. Paths that do not exist need no rule.
pub(super) fn prepare(rules: &Rules<'_>, version: i32) -> io::Result<RulesetCreated> {
    let abi = ABI::from(version);
    let all = AccessFs::from_all(abi);
    let mut ruleset = Ruleset::default().handle_access(all).map_err(io::Error::other)?;
    if version >= 4 {
        ruleset = ruleset.handle_access(AccessNet::from_all(abi)).map_err(io::Error::other)?;
    }
    if version >= 6 {
        ruleset = ruleset.scope(Scope::from_all(abi)).map_err(io::Error::other)?;
    }
    let mut created = ruleset.create().map_err(io::Error::other)?;
    for file in &rules.open {
        let access = AccessFs::from_read(abi) & AccessFs::from_file(abi);
        created = created.add_rule(PathBeneath::new(file, access)).map_err(io::Error::other)?;
    }
    let read = rules.read.iter().map(|path| (path, AccessFs::from_read(abi)));
    let write = rules.write.iter().map(|path| (path, all & !AccessFs::Execute));
    for (path, access) in read.chain(write) {
        let Some(opened) = open(path)? else { continue };
        let access = if path.is_dir() { access } else { access & AccessFs::from_file(abi) };
        created = created.add_rule(PathBeneath::new(opened, access)).map_err(io::Error::other)?;
    }
    Ok(created)
}

/// Puts the rules in force, for ever.
pub(super) fn enforce(rules: RulesetCreated) -> io::Result<()> {
    let status = rules.restrict_self().map_err(io::Error::other)?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err(io::Error::other("Landlock is not in force")),
        _ => Ok(()),
    }
}

fn open(path: &Path) -> io::Result<Option<PathFd>> {
    match PathFd::new(path) {
        Ok(opened) => Ok(Some(opened)),
        Err(_) if !path.exists() => Ok(None),
        Err(error) => Err(io::Error::other(error)),
    }
}

#[cfg(test)]
mod tests;
