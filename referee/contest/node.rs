//! The node: the machine of a runner. Which part of it the runner can use, whether it is fit to play, and its
//! description in each batch, so that people can compare games of different machines.

use std::fmt;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::publish::host;
use referee_table::clock::CpuClock;

/// Conditions for machines that play a plan: how slow they may be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Machines {
    /// Maximum slowness: the time of a machine's calibration as a multiple of the reference; 0: no limit.
    #[schemars(range(min = 0))]
    pub slower_max: f64,
    /// The reference, in microseconds on a core. Left out: that of the machine that makes the plan.
    #[schemars(range(min = 1), example = 5000)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration_us: Option<u64>,
}

impl Default for Machines {
    /// Machines of one site differ by a factor of two. A machine that is much slower has a problem.
    fn default() -> Machines {
        Machines { slower_max: 4.0, calibration_us: None }
    }
}

impl Machines {
    /// Allows any machine: for plans without conditions.
    pub fn any() -> Machines {
        Machines { slower_max: 0.0, calibration_us: None }
    }

    /// Returns a mistake in these conditions, if there is one.
    pub(super) fn fault(self) -> Option<String> {
        let is_fine = self.slower_max == 0.0 || self.slower_max >= 1.0 && self.slower_max.is_finite();
        (!is_fine).then(|| format!("slower_max must be 0 or at least 1, not {}", self.slower_max))
    }

    /// Fills in the reference: that of the file, else `known`, else the time of this machine.
    #[must_use]
    pub fn measured(self, known: Option<u64>) -> Machines {
        let here = || calibrate(Duration::ZERO).as_micros().max(1) as u64;
        if self.slower_max == 0.0 {
            Machines::any()
        } else {
            Machines { calibration_us: self.calibration_us.or(known).or_else(|| Some(here())), ..self }
        }
    }

    /// Returns the time that this machine takes as a multiple of the reference; `None` without a limit.
    ///
    /// # Errors
    ///
    /// If it is too slow, with the figures.
    pub fn slowness(self) -> Result<Option<f64>, String> {
        let Some(due) = self.calibration_us.filter(|_| self.slower_max > 0.0) else { return Ok(None) };
        let most = Duration::from_micros((due as f64 * self.slower_max) as u64);
        let took = calibrate(most);
        let slowness = took.as_secs_f64() * 1e6 / due as f64;
        if took <= most {
            return Ok(Some(slowness));
        }
        Err(format!(
            "this machine is too slow: the calibration took {:.1} ms, {slowness:.1} times the plan's {:.1} ms; the \
             plan allows at most {} times (slower_max)",
            took.as_secs_f64() * 1e3,
            due as f64 / 1e3,
            self.slower_max
        ))
    }
}

/// Number of tries of the calibration. The best counts: other programs make it slower, and nothing makes it faster.
const TRIES: usize = 5;

/// Number of tries before a machine counts as too slow.
const TRIES_MAX: usize = 40;

/// Measures the time that a piece of work takes on a core, by the processor's clock.
fn calibrate(enough: Duration) -> Duration {
    let clock = CpuClock::of_process(std::process::id().cast_signed());
    let now = || clock.and_then(|clock| clock.read()).unwrap_or_default();
    let mut best = Duration::MAX;
    for number in 0..TRIES_MAX {
        if number >= TRIES && (enough.is_zero() || best <= enough) {
            break;
        }
        let before = now();
        black_box(work(black_box(1)));
        best = best.min(now().saturating_sub(before));
    }
    best
}

/// A load like that of bots and the referee: integers, branches, memory that fits into a cache.
fn work(seed: u32) -> u64 {
    let mut state = seed;
    let mut numbers: Vec<u32> = Vec::with_capacity(1 << 15);
    for _ in 0..1 << 15 {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        numbers.push(state);
    }
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    let (mut at, mut sum) = (0, 0u64);
    for _ in 0..1 << 17 {
        at = (numbers[at] ^ sorted[at]) as usize % numbers.len();
        sum = sum.wrapping_mul(31).wrapping_add(at as u64);
        numbers[at] = numbers[at].wrapping_add(sum as u32);
    }
    sum
}

/// The description of a machine at the start of a batch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The model of its processor.
    pub cpu: String,
    /// The version of its kernel.
    pub kernel: String,
    /// Cores that the runner can use.
    pub cores: usize,
    /// Games at a time.
    pub jobs: usize,
    /// Its time for the calibration, as a multiple of the plan's reference; `None` if it was not measured.
    pub slowness: Option<f64>,
    /// Processes that wanted to run, on average over a minute.
    pub load: f64,
}

/// The description of a machine at the end of a batch: events since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineLoad {
    /// Processes that wanted to run, on average over a minute.
    pub load: f64,
    /// The number of times that a core was slowed down because of heat.
    pub thermal: u64,
    /// The number of times that the control group had to wait because its share of the processors was used up.
    pub throttled: u64,
    /// The time of these waits, in milliseconds.
    pub throttled_ms: u64,
}

impl Machine {
    /// Looks at this machine.
    pub fn here(jobs: usize, slowness: Option<f64>) -> Machine {
        let uname = rustix::system::uname();
        let text = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Machine {
            cpu: cpu_model(&info).unwrap_or_else(|| text(uname.machine())),
            kernel: text(uname.release()),
            cores: cores(),
            jobs,
            slowness: slowness.map(|slowness| (slowness * 1000.0).round() / 1000.0),
            load: load(),
        }
    }

    /// Looks at its load again.
    #[must_use]
    pub fn now(&self) -> Machine {
        Machine { load: load(), ..self.clone() }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Machine { cpu, kernel, cores, load, slowness, .. } = self;
        write!(f, "{}: {cpu}, Linux {kernel}, {cores} cores, load {load:.2}", host())?;
        slowness.map_or(Ok(()), |slowness| write!(f, ", {slowness:.2} times as slow as the plan's reference"))
    }
}

impl MachineLoad {
    /// Reads the load and the slowdowns of this machine since it started.
    pub fn so_far() -> MachineLoad {
        let (throttled, throttled_ms) = throttling(&groups());
        MachineLoad { load: load(), thermal: thermal(), throttled, throttled_ms }
    }

    /// Returns the difference since `before`.
    #[must_use]
    pub fn since(self, before: MachineLoad) -> MachineLoad {
        MachineLoad {
            load: self.load,
            thermal: self.thermal.saturating_sub(before.thermal),
            throttled: self.throttled.saturating_sub(before.throttled),
            throttled_ms: self.throttled_ms.saturating_sub(before.throttled_ms),
        }
    }
}

/// Returns the model of the processors, from the text of `/proc/cpuinfo`.
pub fn cpu_model(info: &str) -> Option<String> {
    let value = |line: &str| Some(line.strip_prefix("model name")?.split_once(':')?.1.trim().to_owned());
    info.lines().find_map(value)
}

fn load() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0)
}

/// Returns the number of times that cores were slowed down because of heat.
fn thermal() -> u64 {
    let cores = fs::read_dir("/sys/devices/system/cpu").into_iter().flatten().flatten();
    let counts = cores.filter_map(|core| {
        fs::read_to_string(core.path().join("thermal_throttle/core_throttle_count"))
            .ok()?
            .trim()
            .parse::<u64>()
            .ok()
    });
    counts.sum()
}

/// Lists the folders of this process's control group for processors and of the groups above it, innermost first.
fn groups() -> Vec<PathBuf> {
    let text = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = text.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let root = match controllers {
            "" => "/sys/fs/cgroup",
            _ if controllers.split(',').any(|controller| controller == "cpu") => "/sys/fs/cgroup/cpu",
            _ => return None,
        };
        Some((root, path.trim_start_matches('/').to_owned()))
    });
    let Some((root, path)) = group else { return Vec::new() };
    Path::new(&path).ancestors().map(|path| Path::new(root).join(path)).collect()
}

/// Returns the number and the time (in milliseconds) of waits, from the first of these groups that has them.
pub fn throttling(groups: &[PathBuf]) -> (u64, u64) {
    let known = groups.iter().find_map(|group| {
        let text = fs::read_to_string(group.join("cpu.stat")).ok()?;
        let number = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
            line.trim().parse::<u64>().ok()
        };
        // In microseconds; in the first version of control groups in nanoseconds.
        let milliseconds = number("throttled_usec")
            .map(|us| us / 1000)
            .or(number("throttled_time").map(|ns| ns / 1_000_000));
        Some((number("nr_throttled")?, milliseconds?))
    });
    known.unwrap_or_default()
}

/// Slurm's variable for the number of cores of a task, which is there even on sites that do not enforce it.
const SLURM_CORES: &str = "SLURM_CPUS_ON_NODE";

/// Returns the number of cores for this process: by its affinity, its control group's quota and Slurm.
pub fn cores() -> usize {
    let may = std::thread::available_parallelism().map_or(1, usize::from);
    let given = std::env::var(SLURM_CORES).ok().and_then(|text| text.parse().ok());
    given.filter(|given| *given > 0).map_or(may, |given: usize| given.min(may))
}

/// Makes sure that a folder's disk has room for this number of bytes.
///
/// # Errors
///
/// If there is less. The error gives the free space in MiB.
pub fn room(folder: &Path, needed: u64) -> Result<(), String> {
    let found = rustix::fs::statvfs(folder).map_err(|error| std::io::Error::from(error).to_string())?;
    let there = found.f_bavail.saturating_mul(found.f_frsize);
    if there >= needed {
        return Ok(());
    }
    Err(format!("only {} MiB are free, {} MiB are needed", there >> 20, needed >> 20))
}

/// File systems that are shared with other machines, by the kernel's numbers.
const NETWORK: [(u32, &str); 9] = [
    (0x6969, "NFS"),
    (0x0bd0_0bd0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x1983_0326, "BeeGFS"),
    (0x00c3_6400, "Ceph"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x5346_414f, "AFS"),
    (0x2003_0528, "OrangeFS"),
];

/// Returns the kind of a folder's file system, if it is shared with other machines.
pub fn network_file_system(folder: &Path) -> Option<&'static str> {
    let kind = rustix::fs::statfs(folder).ok()?.f_type as u32;
    NETWORK.iter().find(|(number, _)| *number == kind).map(|(_, name)| *name)
}
