//! The node: the machine of a runner, the part of it that the runner can use, and the room on its disk.

use std::path::Path;

/// Slurm's variable for the number of cores of a task, which is there even on sites that do not enforce it.
const SLURM_CORES: &str = "SLURM_CPUS_ON_NODE";

/// Returns the number of cores for this process: by its affinity, its control group's quota and Slurm.
pub fn cores() -> usize {
    let usable = std::thread::available_parallelism().map_or(1, usize::from);
    match std::env::var(SLURM_CORES).ok().and_then(|text| text.parse().ok()) {
        Some(0) | None => usable,
        Some(assigned) => usable.min(assigned),
    }
}

/// Makes sure that a folder's disk has room for this number of bytes.
///
/// # Errors
///
/// If there is less. The error gives the free space in MiB.
pub fn room(folder: &Path, needed: u64) -> Result<(), String> {
    let found = rustix::fs::statvfs(folder).map_err(|error| std::io::Error::from(error).to_string())?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    if free >= needed {
        return Ok(());
    }
    Err(format!("only {} MiB are free, {} MiB are needed", free >> 20, needed >> 20))
}
