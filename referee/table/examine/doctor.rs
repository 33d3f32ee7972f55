//! The doctor of a host: it examines a machine that is to play games. It tries forbidden things with a confined
//! child process, and says what each result means and how to fix it.

use std::fs;
use std::thread::available_parallelism;

use crate::clock::CpuClock;
use crate::process::Setup;
use referee_sandbox::Tier;
use referee_sandbox::priority::may_go_first;
use referee_sandbox::probe::{self, Attempt};
use referee_sandbox::remedies::remedy;

/// One property of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostProperty {
    /// Its name.
    pub property: &'static str,
    /// Its state.
    pub state: Health,
    /// The finding and its meaning.
    pub found: String,
    /// The remedy; empty if nothing is wrong.
    pub remedy: String,
}

/// How good a property of the machine is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// As it should be.
    Good,
    /// Games can be played, but something is weaker than it could be.
    Weak,
    /// Programs of strangers should not be played here.
    Bad,
}

/// Why the landlock tier is not fit for ranked play when an ordinary user starts bots.
pub const SHARED: &str = "in the landlock tier, bots that an ordinary user starts share that user's threads and timers: one bot \
                          can take those of the others";

impl Health {
    /// Returns the word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Health::Good => "good",
            Health::Weak => "weak",
            Health::Bad => "bad",
        }
    }
}

/// Examines the machine.
pub fn examine(setup: &Setup) -> Vec<HostProperty> {
    let tiers = [Tier::Strict, Tier::Landlock]
        .map(|tier| (tier, probe::examine(tier, &setup.fork_server, setup.landlock_version_max)));
    let holds = |tried: &Result<Vec<Attempt>, String>| {
        tried.as_ref().is_ok_and(|attempts| attempts.iter().all(|attempt| !attempt.succeeded))
    };
    let best = tiers.iter().find(|(_, tried)| holds(tried)).map(|(tier, _)| *tier);
    let mut findings: Vec<HostProperty> =
        tiers.iter().map(|(tier, tried)| sandbox(*tier, tried, best)).collect();
    let tier = best.unwrap_or(Tier::Off);
    let attempts = match tiers.iter().find(|(other, _)| *other == tier) {
        Some((_, tried)) => tried.clone(),
        None => probe::examine(tier, &setup.fork_server, setup.landlock_version_max),
    };
    findings.extend(attempts.into_iter().flatten().map(attempt_property));
    findings.push(kill(setup, tier));
    findings.push(ranked(best));
    findings.extend([clock(), quota(), priority(), stolen(), load(), root(), folder()]);
    findings
}

/// The properties about a tier of the sandbox.
const SANDBOXES: [&str; 2] = ["sandbox strict", "sandbox landlock"];

/// Returns the exit status: 0 if all is good, 2 if no sandbox works, else 1.
pub fn status(findings: &[HostProperty]) -> i32 {
    let sandboxes = findings.iter().filter(|finding| SANDBOXES.contains(&finding.property));
    if sandboxes.into_iter().all(|finding| finding.state == Health::Bad) {
        2
    } else {
        i32::from(findings.iter().any(|finding| finding.state != Health::Good))
    }
}

fn good(property: &'static str, found: impl Into<String>) -> HostProperty {
    HostProperty { property, state: Health::Good, found: found.into(), remedy: String::new() }
}

/// Tells whether a tier of the sandbox works. `best` is the strictest tier that does.
fn sandbox(tier: Tier, tried: &Result<Vec<Attempt>, String>, best: Option<Tier>) -> HostProperty {
    let property = SANDBOXES[usize::from(tier != Tier::Strict)];
    let why = match tried {
        Ok(attempts) => match attempts.iter().find(|attempt| attempt.succeeded) {
            None => {
                let channels = match tier {
                    Tier::Landlock => "; two bots can signal each other by the numbers of threads and pipes",
                    _ => "",
                };
                return good(property, format!("works: {}{channels}", tier.about()));
            }
            Some(Attempt { what, .. }) => format!("a bot in it can {what}"),
        },
        Err(why) => why.clone(),
    };
    let remedy = remedy(tier, &why);
    let state = if best.is_some() { Health::Weak } else { Health::Bad };
    HostProperty { property, state, found: format!("does not work: {why}"), remedy: remedy.to_owned() }
}

/// Returns the property that an attempt of a confined child shows.
fn attempt_property(Attempt { what, succeeded }: Attempt) -> HostProperty {
    let property = match what {
        "read files" => "files, reading",
        "write files" => "files, writing",
        "connect" => "network",
        "send signals" => "other processes",
        "leave its process group" => "process group",
        "start processes" => "new processes",
        "use more memory than it may" => "memory",
        _ => "core dumps",
    };
    if !succeeded {
        return good(property, format!("a bot could not {what}"));
    }
    HostProperty {
        property,
        state: Health::Bad,
        found: format!("a bot could {what}: it is not confined"),
        remedy: "see sandbox above".to_owned(),
    }
}

/// Tells whether nothing of a bot is left when it has been killed.
fn kill(setup: &Setup, tier: Tier) -> HostProperty {
    let property = "kill";
    match probe::leaves_somebody(tier, &setup.fork_server, setup.landlock_version_max) {
        Ok(false) => good(property, "a bot's child process that tried to escape was ended with the bot"),
        Ok(true) => HostProperty {
            property,
            state: Health::Bad,
            found: "a bot's child process outlives it and can slow later games".to_owned(),
            remedy: "see sandbox above; find leftover processes with ps".to_owned(),
        },
        Err(why) => HostProperty {
            property,
            state: Health::Bad,
            found: format!("no bot could be started: {why}"),
            remedy: "see sandbox above".to_owned(),
        },
    }
}

/// Tells whether hills and tournaments can be played here without naming a tier.
fn ranked(best: Option<Tier>) -> HostProperty {
    let property = "ranked play";
    match best {
        Some(tier) if tier.is_fit_for_ranked_play() => {
            good(property, format!("hills and tournaments play in the {tier} tier"))
        }
        Some(_) => HostProperty {
            property,
            state: Health::Weak,
            found: format!("hills and tournaments need an explicit tier here: {SHARED}"),
            remedy:
                "let users make namespaces (see sandbox strict above), run as root, or accept the weaker \
                     tier: --sandbox landlock"
                    .to_owned(),
        },
        None => HostProperty {
            property,
            state: Health::Bad,
            found: "hills and tournaments are refused: no sandbox works".to_owned(),
            remedy: "see sandbox above".to_owned(),
        },
    }
}

/// Tells whether the system distinguishes waiting for a core from thinking.
fn clock() -> HostProperty {
    let waits = fs::read_to_string("/proc/self/schedstat").is_ok_and(|text| text.split(' ').count() >= 3);
    let computes = CpuClock::of_process(std::process::id().cast_signed()).and_then(|clock| clock.read());
    if waits && computes.is_some() {
        return good(
            "clock",
            "time spent waiting for a core is measured, so bots are charged fairly on a busy machine",
        );
    }
    HostProperty {
        property: "clock",
        state: Health::Weak,
        found: "the kernel does not report waits for a core: bots are charged processor time only, and \
             sleeping is free"
            .to_owned(),
        remedy:
            "use a kernel with CONFIG_SCHED_INFO, and mount /proc; or use --clock wall on a machine that \
             runs nothing else"
                .to_owned(),
    }
}

/// Tells whether a control group gives this process less than the cores that it may use.
fn quota() -> HostProperty {
    let cores = rustix::thread::sched_getaffinity(None).map_or(1, |allowed| allowed.count());
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let read = |path: &str| fs::read_to_string(path).ok();
    match cores_of_groups(&groups, read) {
        Some(quota) if quota < f64::from(cores) => HostProperty {
            property: "quota",
            state: Health::Weak,
            found: format!(
                "a control group gives this process {quota:.1} of {cores} cores: bots and referee are stopped together \
                 whenever that is used up, and some answers near their limit are late"
            ),
            remedy: "give the contest whole cores (--cpuset-cpus of Docker, AllowedCPUs= of systemd), and no quota"
                .to_owned(),
        },
        _ => good("quota", "no control group keeps this process from its cores"),
    }
}

/// Returns how many cores the control groups of a process give it at most, from `/proc/self/cgroup` and the files of
/// the groups; `None` without a quota. A group has at most what each group above it has.
fn cores_of_groups(groups: &str, read: impl Fn(&str) -> Option<String>) -> Option<f64> {
    let mut least: Option<f64> = None;
    for line in groups.lines() {
        let mut words = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (words.next(), words.next()) else { continue };
        let is_new = controllers.is_empty();
        if !is_new && !controllers.split(',').any(|controller| controller == "cpu") {
            continue;
        }
        let root = if is_new { "/sys/fs/cgroup" } else { "/sys/fs/cgroup/cpu" };
        // In a container, the group's own folder is the root.
        for path in std::path::Path::new(path).ancestors().map(|path| path.to_string_lossy().into_owned()) {
            let folder = format!("{root}{}", path.trim_end_matches('/'));
            let (quota, period) = if is_new {
                let text = read(&format!("{folder}/cpu.max")).unwrap_or_default();
                let mut words = text.split_whitespace().map(str::to_owned);
                (words.next(), words.next())
            } else {
                let number = |name: &str| read(&format!("{folder}/cpu.cfs_{name}_us"));
                (number("quota"), number("period"))
            };
            let number =
                |text: Option<String>| text?.trim().parse::<f64>().ok().filter(|number| *number > 0.0);
            if let (Some(quota), Some(period)) = (number(quota), number(period)) {
                let cores = quota / period;
                least = Some(least.map_or(cores, |least| least.min(cores)));
            }
        }
    }
    least
}

/// Tells whether the referee can see at once that an answer has come. It is good in any case: otherwise,
/// doubtful cases go in the bot's favour.
fn priority() -> HostProperty {
    let found = if may_go_first() {
        "the referee has raised priority in slow turns, so arrival times are exact"
    } else {
        "the referee has normal priority: on a busy machine some arrival times are uncertain, and doubtful cases go in \
         the bot's favour (ulimit -r 1 allows raised priority)"
    };
    good("priority", found)
}

/// Tells how much of this machine's processor time other systems have taken since it started.
fn stolen() -> HostProperty {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let numbers: Vec<u64> = text
        .lines()
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .skip(1)
        .map_while(|n| n.parse().ok())
        .collect();
    let total: u64 = numbers.iter().take(8).sum();
    let stolen = numbers.get(7).copied().unwrap_or(0);
    let percent = 100.0 * stolen as f64 / total.max(1) as f64;
    if percent < 1.0 {
        return good(
            "stolen time",
            format!("{percent:.1} % of this machine's time was taken by other virtual machines"),
        );
    }
    HostProperty {
        property: "stolen time",
        state: Health::Weak,
        found: format!(
            "{percent:.1} % of this machine's time was taken by other virtual machines: turns take longer"
        ),
        remedy: "use a host with less load, or give this machine cores of its own".to_owned(),
    }
}

/// Tells whether cores are free for games.
fn load() -> HostProperty {
    let cores = available_parallelism().map_or(1, usize::from);
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: f64 = text.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0);
    let found = format!("{cores} cores may be used; load {load:.1}");
    if load <= cores as f64 {
        return good("load", found);
    }
    HostProperty {
        property: "load",
        state: Health::Weak,
        found: found + ": games take longer, and some can become void",
        remedy: "stop other programs, or play fewer games at a time with --jobs".to_owned(),
    }
}

/// Tells whether the referee runs as root.
fn root() -> HostProperty {
    if !rustix::process::geteuid().is_root() {
        return good("user", "an ordinary one");
    }
    HostProperty {
        property: "user",
        state: Health::Weak,
        found: "root: bots give up root's rights before they start, but a defect of the referee would run \
             with them"
            .to_owned(),
        remedy: "run the referee as an ordinary user".to_owned(),
    }
}

/// Tells whether folders for bots can be made, with 1 GiB free.
fn folder() -> HostProperty {
    let folder = std::env::temp_dir();
    let needed = 1 << 30;
    let room = rustix::fs::statvfs(&folder).map_or(0, |found| found.f_bavail.saturating_mul(found.f_frsize));
    let trouble = match tempfile::tempdir() {
        Err(error) => format!("{}: no folder can be made: {error}", folder.display()),
        Ok(_) if room < needed => format!("{}: only {} MiB free", folder.display(), room >> 20),
        Ok(_) => return good("temporary files", format!("{} GiB free", room >> 30)),
    };
    let remedy = "set TMPDIR to a folder that has space and that you can write to".to_owned();
    HostProperty { property: "temporary files", state: Health::Weak, found: trouble, remedy }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_of_any_group_above_counts_in_both_kinds_of_control_groups() {
        let cores = |groups: &str, files: &[(&str, &str)]| {
            cores_of_groups(groups, |path| {
                files.iter().find(|(name, _)| *name == path).map(|(_, text)| format!("{text}\n"))
            })
        };
        let new = "0::/a/b\n";
        assert_eq!(cores(new, &[]), None);
        assert_eq!(cores(new, &[("/sys/fs/cgroup/a/b/cpu.max", "max 100000")]), None);
        assert_eq!(cores(new, &[("/sys/fs/cgroup/a/b/cpu.max", "20000 100000")]), Some(0.2));
        assert_eq!(cores(new, &[("/sys/fs/cgroup/a/cpu.max", "150000 100000")]), Some(1.5));
        // In a container, the paths are those of the host.
        assert_eq!(cores(new, &[("/sys/fs/cgroup/cpu.max", "50000 100000")]), Some(0.5));
        let old = "5:memory:/x\n4:cpu,cpuacct:/a\n";
        let file = |quota| {
            [
                ("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", quota),
                ("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "50000"),
            ]
        };
        assert_eq!(cores(old, &file("-1")), None);
        assert_eq!(cores(old, &file("25000")), Some(0.5));
        let above = [
            ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "10000"),
            ("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000"),
        ];
        assert_eq!(cores(old, &[&file("25000")[..], &above].concat()), Some(0.1));
        assert_eq!(cores("rubbish\n1:cpu\n", &file("25000")), None);
    }
}
