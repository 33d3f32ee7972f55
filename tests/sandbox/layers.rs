//! Each layer around a running bot, seen from outside: no layer may be missing, even if another layer covers
//! it.

use std::collections::BTreeSet;
use std::fs;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

use referee_record::play::table::{Question, Table};
use referee_rules::Seat;
use referee_sandbox::{Limits, Tier};
use referee_table::process::{ProcessTable, Program, Setup};
use rustix::process::{Gid, Pid, Signal, geteuid, getpid, kill_process};

use crate::sandbox::hostile::tiers::try_again_as_a_user;
use crate::sandbox::{CONFINED, info, open_place, setup};
use crate::support::{PATIENCE, Place, comes_true};

const BOT: &str = "#!/bin/sh\nread question\necho 1\nread end\n";

/// Two bots that have answered and now wait.
fn two_bots(place: &Place, setup: &Setup, may_fork: bool) -> ProcessTable {
    let program = Program { may_fork, ..Program::new(place.program("bot", BOT), Vec::new()) };
    let programs = vec![Some(program.clone()), Some(program)].into();
    let mut table = ProcessTable::open(&info(), &programs, setup).expect("a table");
    let question = |seat| Question { seat: Seat::new(seat), line: b"1 0\n".to_vec(), limit: PATIENCE };
    table.ask(&[0, 1].map(question)).expect("questions");
    let mut answers = Vec::new();
    table.collect(&mut answers).expect("answers");
    assert!(answers.iter().all(|answer| *answer.integers == [1]), "{answers:?}");
    table
}

fn bots_of(table: &ProcessTable) -> [i32; 2] {
    [0, 1].map(|seat| table.process(Seat::new(seat)).expect("it runs"))
}

fn status_of(process: i32, what: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let value = status.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(':'));
    value.unwrap_or_else(|| panic!("no {what} in {status}")).trim().to_owned()
}

fn parent_of(process: i32) -> i32 {
    status_of(process, "PPid").parse().expect("a number")
}

fn children_of(process: i32) -> Vec<i32> {
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    children.split_whitespace().map(|child| child.parse().expect("a number")).collect()
}

/// The open files of a process, by number: the targets of the links.
fn descriptors_of(process: i32) -> Vec<(u32, String)> {
    let entries = fs::read_dir(format!("/proc/{process}/fd")).expect("descriptors").flatten();
    let read = |entry: fs::DirEntry| {
        let target = fs::read_link(entry.path()).ok()?.to_string_lossy().into_owned();
        Some((entry.file_name().to_str()?.parse().ok()?, target))
    };
    let mut descriptors: Vec<(u32, String)> = entries.filter_map(read).collect();
    descriptors.sort_unstable();
    descriptors
}

/// Waits until this holds.
#[track_caller]
fn until(holds: impl Fn() -> bool, otherwise: &str) {
    assert!(comes_true(holds), "{otherwise}");
}

#[test]
fn a_bot_has_no_power_no_group_and_all_filters() {
    // The host is in groups: only then is it visible that its bots are in none.
    let looked = thread::scope(|scope| {
        let look = || {
            if geteuid().is_root() {
                rustix::thread::set_thread_groups(&[4, 24].map(Gid::from_raw)).expect("groups");
            }
            look_at_powers();
        };
        scope.spawn(look).join()
    });
    looked.unwrap_or_else(|panic| resume_unwind(panic));
    // Root's bots lose their powers when they stop being root; those of other users give them up themselves.
    try_again_as_a_user("sandbox::layers::a_bot_has_no_power_no_group_and_all_filters");
}

fn look_at_powers() {
    let place = open_place();
    for tier in CONFINED {
        for may_fork in [false, true] {
            let table = two_bots(&place, &setup(tier), may_fork);
            for bot in bots_of(&table) {
                // Without a namespace of users, only root may give up what programs might give it.
                let bounded = (tier == Tier::Strict || geteuid().is_root()).then_some("CapBnd");
                for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"].into_iter().chain(bounded) {
                    assert_eq!(u64::from_str_radix(&status_of(bot, set), 16), Ok(0), "{tier}: {set}");
                }
                assert_eq!(status_of(bot, "NoNewPrivs"), "1", "{tier}");
                assert_eq!(status_of(bot, "Seccomp"), "2", "{tier}");
                let filters = if tier == Tier::Strict { "4" } else { "5" };
                assert_eq!(status_of(bot, "Seccomp_filters"), filters, "{tier}");
                assert_eq!(status_of(bot, "TracerPid"), "0", "{tier}");
                if geteuid().is_root() {
                    // Only root may give up groups.
                    assert_eq!(status_of(parent_of(parent_of(bot)), "Groups"), "4 24", "{tier}: the host");
                    assert_eq!(status_of(bot, "Groups"), "", "{tier}");
                    let users: BTreeSet<String> = ["Uid", "Gid"]
                        .iter()
                        .flat_map(|kind| {
                            status_of(bot, kind).split_whitespace().map(str::to_owned).collect::<Vec<_>>()
                        })
                        .collect();
                    assert!(users.len() == 1 && !users.contains("0"), "{tier}: {users:?}");
                }
                assert_eq!(
                    fs::read_to_string(format!("/proc/{bot}/oom_score_adj")).expect("a score"),
                    "1000\n"
                );
            }
            if geteuid().is_root() {
                let [one, other] = bots_of(&table).map(|bot| status_of(bot, "Uid"));
                assert_ne!(one, other, "{tier}: each bot is a user of its own");
            }
        }
    }
}

#[test]
fn a_bot_has_each_of_its_limits() {
    const MIB: u64 = 1 << 20;
    let place = open_place();
    let limits = Limits {
        data_mib: 99,
        stack_mib: 7,
        tasks: 21,
        file_mib: 5,
        descriptors: 33,
        folder_mib: 3,
        cpu_seconds: 77,
    };
    for tier in Tier::ALL {
        let table = two_bots(&place, &Setup { limits: limits.clone(), ..setup(tier) }, false);
        let [bot, _] = bots_of(&table);
        let text = fs::read_to_string(format!("/proc/{bot}/limits")).expect("limits");
        let of = |name: &str| -> [u64; 2] {
            let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("a limit");
            let numbers: Vec<u64> =
                line.split_whitespace().take(2).map(|word| word.parse().unwrap_or(u64::MAX)).collect();
            [numbers[0], numbers[1]]
        };
        for (name, due) in [
            ("Max cpu time", [77, 78]),
            ("Max file size", [5 * MIB; 2]),
            ("Max data size", [99 * MIB; 2]),
            ("Max stack size", [7 * MIB; 2]),
            ("Max core file size", [0; 2]),
            ("Max open files", [33; 2]),
            ("Max locked memory", [0; 2]),
            ("Max address space", [(99 + 2048) * MIB; 2]),
            ("Max pending signals", [256; 2]),
            ("Max msgqueue size", [0; 2]),
            ("Max nice priority", [0; 2]),
            ("Max realtime priority", [0; 2]),
        ] {
            assert_eq!(of(name), due, "{tier}: {name}");
        }
        let [tasks, most] = of("Max processes");
        let is_own = tier == Tier::Strict || geteuid().is_root();
        assert!(tasks == most && if is_own { tasks == 23 } else { tasks < 100_000 }, "{tier}: {tasks}");
    }
}

#[test]
fn a_strict_bot_has_namespaces_of_its_own() {
    let place = open_place();
    let namespace = |process: i32, kind: &str| {
        fs::read_link(format!("/proc/{process}/ns/{kind}"))
            .expect("a namespace")
            .to_string_lossy()
            .into_owned()
    };
    let host = getpid().as_raw_nonzero().get();
    // Bots may share a network: it is empty.
    for (kind, own) in
        [("pid", true), ("mnt", true), ("ipc", true), ("uts", true), ("cgroup", true), ("net", false)]
    {
        let table = two_bots(&place, &setup(Tier::Strict), false);
        let [one, other] = bots_of(&table).map(|bot| namespace(bot, kind));
        assert_ne!(one, namespace(host, kind), "{kind}");
        assert!(!own || one != other, "{kind}");
    }
    let table = two_bots(&place, &setup(Tier::Landlock), false);
    for kind in ["pid", "mnt", "net", "user"] {
        assert_eq!(namespace(bots_of(&table)[0], kind), namespace(host, kind), "{kind}");
    }
}

#[test]
fn no_process_around_a_bot_holds_what_is_the_bots_or_the_hosts() {
    let place = open_place();
    for tier in Tier::ALL {
        for may_fork in [false, true] {
            let table = two_bots(&place, &setup(tier), may_fork);
            let bots = bots_of(&table);
            let mut own_pipes = BTreeSet::new();
            for bot in bots {
                // A shell opens the script, as what it reads from.
                let program = |target: &str| target.ends_with("/bot");
                for (number, target) in descriptors_of(bot).iter().filter(|(_, target)| !program(target)) {
                    assert!(*number < 3 && target.starts_with("pipe:"), "{tier}: {number} leads to {target}");
                    assert!(own_pipes.insert(target.clone()), "{tier}: {target} is another's, too");
                }
            }
            let launchers = bots.map(parent_of);
            let server = parent_of(launchers[0]);
            assert_eq!(server, parent_of(launchers[1]), "{tier}");
            let around = launchers
                .iter()
                .flat_map(|launcher| children_of(*launcher))
                .filter(|child| !bots.contains(child));
            let around: Vec<i32> = around.collect();
            let expected = match tier {
                Tier::Strict => 1,
                Tier::Landlock => usize::from(may_fork),
                Tier::Off => 1,
            };
            assert_eq!(around.len(), 2 * expected, "{tier}: process 1 or a warden");
            for process in around {
                let let_go = || descriptors_of(process).iter().map(|(number, _)| *number).eq([0]);
                // A warden closes its inherited descriptors in parallel with the bot's start.
                until(let_go, &format!("{tier}: a warden, or process 1, has its lifeline and nothing else"));
            }
            for process in launchers.into_iter().chain([server]) {
                let let_go = || descriptors_of(process).iter().all(|(_, target)| !own_pipes.contains(target));
                // A bot may answer before its launcher, which then closes the bot's streams, has continued.
                until(let_go, &format!("{tier}: {process} holds a bot's stream"));
                for (number, target) in descriptors_of(process) {
                    let known = [
                        "socket:[",
                        "pipe:[",
                        "anon_inode:[pidfd]",
                        "net:[",
                        "mnt:[",
                        "pidfd:[",
                        "anon_inode:seccomp notify",
                    ];
                    let is_known =
                        known.iter().any(|start| target.starts_with(start)) || target == "/dev/null";
                    // The bot's program, opened by its path before any confinement.
                    let is_path = target.ends_with("/bot") || target == "/";
                    assert!(is_known || is_path, "{tier}: {process} holds {number}: {target}");
                }
            }
        }
    }
}

#[test]
fn a_bot_dies_with_its_launcher_and_not_by_the_referees_hand() {
    let place = open_place();
    // No namespace ends with the launcher there, and without children to watch there is no warden.
    let table = two_bots(&place, &setup(Tier::Landlock), false);
    let [bot, other] = bots_of(&table);
    let launcher = Pid::from_raw(parent_of(bot)).expect("a launcher");
    kill_process(launcher, Signal::KILL).expect("it is there");
    let runs = |process: i32| {
        Path::new(&format!("/proc/{process}/stat")).exists() && !status_of(process, "State").starts_with('Z')
    };
    until(|| !runs(bot), "the kernel kills it at once");
    assert!(runs(other));
}
