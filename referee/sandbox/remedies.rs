//! Remedies for tiers that do not work: one for each reason, found by the refused call and its error.

use super::Tier;
use super::errand::FEW_FILES;

/// A reason, and what helps.
#[derive(Clone, Copy, Debug)]
pub struct Remedy {
    /// The beginnings of the refused calls, as reasons name them; empty if the remedy is for all calls.
    pub calls: &'static [&'static str],
    /// The numbers of the errors; empty if the remedy is for all errors.
    pub errors: &'static [i32],
    /// What helps.
    pub what: &'static str,
}

/// Returns what helps where a tier does not work for this reason.
pub fn remedy(tier: Tier, why: &str) -> &'static str {
    if why == FEW_FILES {
        return FILES;
    }
    let (call, error) = (call(why), error(why));
    let fits = |remedy: &&Remedy| {
        let is_call = remedy.calls.is_empty()
            || call.is_some_and(|call| remedy.calls.iter().any(|start| call.starts_with(start)));
        is_call && (remedy.errors.is_empty() || error.is_some_and(|error| remedy.errors.contains(&error)))
    };
    REMEDIES.iter().find(fits).map_or_else(|| default_remedy(tier), |remedy| remedy.what)
}

/// Tells whether the reason is that the system lacks something at this moment, such as processes.
pub fn is_shortage(why: &str) -> bool {
    let of_system = [libc::EAGAIN, libc::ENOMEM, libc::EMFILE, libc::ENFILE];
    why == FEW_FILES || error(why).is_some_and(|error| of_system.contains(&error))
}

/// Returns the remedy for a reason for which there is no other.
fn default_remedy(tier: Tier) -> &'static str {
    match tier {
        Tier::Strict => NAMESPACES,
        Tier::Landlock => LANDLOCK,
        Tier::Off => "report it, with this message",
    }
}

/// Returns the refused call in a reason: the last words in parentheses before the error.
fn call(why: &str) -> Option<&str> {
    let (_, end) = why[..why.rfind(ERROR).unwrap_or(why.len())].rsplit_once('(')?;
    let (call, _) = end.split_once(')')?;
    Some(call)
}

/// Returns the number of the error in a reason.
fn error(why: &str) -> Option<i32> {
    let (_, number) = why.rsplit_once(ERROR)?;
    number.split_once(')')?.0.parse().ok()
}

const ERROR: &str = "(os error ";

const FILES: &str = "raise the limit of open files: ulimit -n 1024";

const NAMESPACES: &str = "let users make namespaces (on Ubuntu sysctl kernel.apparmor_restrict_unprivileged_userns=0, on Debian \
     sysctl kernel.unprivileged_userns_clone=1; in Docker --security-opt seccomp=unconfined --security-opt \
     systempaths=unconfined)";

const LANDLOCK: &str = "a kernel that has Landlock (5.13 or newer) and starts with it (landlock in \
     /sys/kernel/security/lsm; else add it to lsm= on the kernel's command line; in a container, a seccomp profile \
     that knows its calls)";

/// All remedies. The first that fits counts.
pub const REMEDIES: &[Remedy] = &[
    Remedy { calls: &[], errors: &[libc::EMFILE], what: FILES },
    Remedy {
        calls: &[],
        errors: &[libc::ENFILE],
        what: "raise the number of files that the machine can have open: sysctl fs.file-max",
    },
    Remedy {
        calls: &["unshare"],
        errors: &[libc::ENOSPC, libc::EUSERS],
        what: "raise the number of namespaces (sysctl user.max_user_namespaces=10000, and likewise max_pid_namespaces, \
               max_mnt_namespaces, max_net_namespaces, max_ipc_namespaces, max_uts_namespaces and \
               max_cgroup_namespaces)",
    },
    Remedy {
        calls: &["unshare", "mount_setattr", "open_tree", "move_mount"],
        errors: &[libc::ENOSYS, libc::EINVAL],
        what: "Linux 5.12 or newer with namespaces, or a seccomp profile of the container that knows their calls (in \
               Docker --security-opt seccomp=unconfined)",
    },
    Remedy {
        calls: &["mount /proc"],
        errors: &[libc::EPERM],
        what: "do not hide parts of /proc from the container (in Docker --security-opt systempaths=unconfined)",
    },
    Remedy {
        calls: &["pivot_root"],
        errors: &[libc::EINVAL],
        what: "run the referee from a file system that is mounted, not from the initial RAM disk",
    },
    Remedy {
        calls: &["setresuid"],
        errors: &[libc::EPERM],
        what: "let root change its user (in Docker --cap-add SETUID --cap-add SETGID), or run the referee as an \
               ordinary user",
    },
    Remedy {
        calls: &["setresuid"],
        errors: &[libc::EINVAL],
        what: "give the user namespace the user 65534 (a longer range in /etc/subuid and /etc/subgid), or run the \
               referee as an ordinary user",
    },
    Remedy {
        calls: &[],
        errors: &[libc::EAGAIN],
        what: "raise the number of processes: ulimit -u, pids.max of the control group (in Docker --pids-limit)",
    },
    Remedy { calls: &[], errors: &[libc::ENOMEM], what: "more memory, or stop other programs" },
    Remedy {
        calls: &["seccomp"],
        errors: &[libc::EBUSY],
        what: "run the referee outside the program that receives its system calls: a process can have one such \
               listener",
    },
    Remedy {
        calls: &["seccomp", "prctl"],
        errors: &[],
        what: "Linux 5.0 or newer with seccomp filters (CONFIG_SECCOMP_FILTER), and a container that lets programs \
               install them",
    },
    Remedy { calls: &["landlock"], errors: &[], what: LANDLOCK },
    Remedy {
        calls: &["capset", "setrlimit", "setpgid", "dup2", "fchmod"],
        errors: &[],
        what: "a seccomp profile of the container that allows this call (in Docker --security-opt seccomp=unconfined)",
    },
    Remedy {
        calls: &[
            "unshare",
            "setns",
            "write uid_map",
            "mount",
            "pivot_root",
            "open_tree",
            "move_mount",
            "mount_setattr",
        ],
        errors: &[],
        what: NAMESPACES,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::Unavailable;

    #[test]
    fn nobody_is_sent_out_of_the_sandbox_for_want_of_processes() {
        let all_remedies = |reasons: [(Tier, &str); 2]| {
            Unavailable { reasons: reasons.map(|(tier, why)| (tier, why.to_owned())).to_vec() }.to_string()
        };
        let few = "it cannot be tried: Resource temporarily unavailable (os error 11)";
        let none = "the kernel has no Landlock, or it is switched off";
        assert!(!all_remedies([(Tier::Strict, few), (Tier::Landlock, few)]).contains("--sandbox off"));
        assert!(all_remedies([(Tier::Strict, few), (Tier::Landlock, none)]).ends_with("--sandbox off"));
    }

    #[test]
    fn each_refusal_gets_the_remedy_for_its_call_and_its_error() {
        for (why, part) in [
            (
                "make namespaces: leave the old ones (unshare): Operation not permitted (os error 1)",
                "kernel.apparmor",
            ),
            (
                "make namespaces: leave the old ones (unshare): No space left on device (os error 28)",
                "max_user_namespaces",
            ),
            (
                "make namespaces: leave the old ones (unshare): Function not implemented (os error 38)",
                "Linux 5.12",
            ),
            (
                "make namespaces: map its user (write uid_map): Operation not permitted (os error 1)",
                "kernel.apparmor",
            ),
            (
                "make namespaces: enter the network (setns): Operation not permitted (os error 1)",
                "kernel.apparmor",
            ),
            (
                "show it processes (mount /proc): Operation not permitted (os error 1)",
                "systempaths=unconfined",
            ),
            ("show it processes (mount /proc): Permission denied (os error 13)", "kernel.apparmor"),
            (
                "show /usr (mount): write-protect it (mount_setattr): Function not implemented (os error 38)",
                "Linux 5.12",
            ),
            ("change the root (pivot_root): Invalid argument (os error 22)", "initial RAM disk"),
            ("carry the program (open_tree): Function not implemented (os error 38)", "Linux 5.12"),
            ("give up being root (setresuid): Operation not permitted (os error 1)", "SETUID"),
            ("give up being root (setresuid): Invalid argument (os error 22)", "subuid"),
            ("give up being root (setresuid): Resource temporarily unavailable (os error 11)", "ulimit -u"),
            ("start process 1 (clone): Resource temporarily unavailable (os error 11)", "ulimit -u"),
            ("it cannot be tried: Resource temporarily unavailable (os error 11)", "ulimit -u"),
            ("start the bot (clone): Cannot allocate memory (os error 12)", "more memory"),
            (
                "receive waits, and only one can be told (seccomp): Device or resource busy (os error 16)",
                "one such",
            ),
            ("receive waits (seccomp): Invalid argument (os error 22)", "Linux 5.0"),
            ("filter system calls (seccomp): Invalid argument (os error 22)", "Linux 5.0"),
            ("prepare Landlock (landlock_create_ruleset): x: Operation not supported (os error 95)", "lsm="),
            ("the kernel has no Landlock, or it is switched off", "lsm="),
            ("set limits (setrlimit): Operation not permitted (os error 1)", "allows this call"),
            ("show /dev/null (mount): Too many open files (os error 24)", "ulimit -n"),
            ("show /dev/null (mount): Too many open files in system (os error 23)", "fs.file-max"),
            (FEW_FILES, "ulimit -n"),
        ] {
            let tier = if why.contains("Landlock") { Tier::Landlock } else { Tier::Strict };
            let found = remedy(tier, why);
            assert!(found.contains(part), "{why}: {found}");
            let others = REMEDIES.iter().filter(|other| other.what != found && found.contains(other.what));
            assert_eq!(others.count(), 0, "one remedy: {found}");
        }
    }
}
