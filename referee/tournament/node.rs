//! The machine that a runner plays on: what of it may be used.

/// By this variable Slurm says how many cores a task was given, on sites, too, that do not keep it to them.
const SLURM_CORES: &str = "SLURM_CPUS_ON_NODE";

/// Returns how many cores may be used: as many as this process may run on, no more than its control group's quota, and
/// no more than Slurm gave it.
pub fn cores() -> usize {
    let may = std::thread::available_parallelism().map_or(1, usize::from);
    let given = std::env::var(SLURM_CORES).ok().and_then(|text| text.parse().ok());
    given.filter(|given| *given > 0).map_or(may, |given: usize| given.min(may))
}
