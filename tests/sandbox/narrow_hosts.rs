//! Old kernels and narrow hosts: each gets the strictest tier that works there, and reports it.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use referee_rules::FaultKind;
use referee_sandbox::fork_server::ForkServer;
use referee_sandbox::{Choice, Tier, probe};
use rustix::mount::MountPropagationFlags;
use rustix::thread::{CapabilitySet, UnshareFlags};

use crate::sandbox::{CONFINED, open_place};
use crate::support::{Place, REFEREE, Ran, results_in, rows_of_json};

#[test]
fn old_versions_of_landlock_do() {
    let server = &ForkServer::of(&*REFEREE);
    for version in [1, 2, 4, 6] {
        for tier in CONFINED {
            assert_eq!(probe::probe(tier, server, version), Ok(()), "{tier}, version {version}");
        }
    }
    let none = probe::choose(Choice::Only(Tier::Landlock), server, 0).expect_err("there is none");
    assert!(none.to_string().contains("--sandbox off"), "{none}");
    for version in [0, 1, 2, 4] {
        assert_eq!(probe::choose(Choice::Auto, server, version), Ok(Tier::Strict), "version {version}");
    }
}

#[test]
fn too_few_open_files_have_a_remedy_of_their_own() {
    let place = Place::new();
    for files in [12, 14, 16, 20, 24, 32] {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -n {files}; exec \"$0\" \"$@\""), &*REFEREE]).args(play("auto"));
        let ran = shell.current_dir(place.path("")).env("TMPDIR", place.path("tmp")).output().expect("sh");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(!ran.status.success() && said.contains("ulimit -n"), "{files}: {said}");
        assert!(!said.contains("max_user_namespaces") && !said.contains("/sys/kernel"), "{files}: {said}");
    }
}

/// As where `tini` or a shell is process 1 of a container: the referee's number is one that a bot can have, too.
#[test]
#[ignore = "needs root"]
fn whatever_number_the_referee_has_the_strict_sandbox_works() {
    let place = Place::new();
    for number in 1..=6 {
        let before = "/bin/true; ".repeat(usize::saturating_sub(number, 2));
        let run = if number == 1 {
            "exec \"$0\" \"$@\"".to_owned()
        } else {
            format!("{before}\"$0\" \"$@\"; exit $?")
        };
        let mut shell = Command::new("unshare");
        shell
            .args(["--mount", "--pid", "--fork", "--mount-proc", "sh", "-c", &run, &*REFEREE])
            .args(play("auto"));
        let ran =
            shell.current_dir(place.path("")).env("TMPDIR", place.path("tmp")).output().expect("unshare");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success() && said.contains("sandbox: strict"), "process {number}: {said}");
    }
}

/// Calls that a narrow host forbids: those that make namespaces, as in Docker.
const NAMESPACES: &[i64] = &[libc::SYS_unshare, libc::SYS_setns, libc::SYS_mount];
/// Like Ubuntu's AppArmor: namespaces can be made, but are useless.
const MOUNT: &[i64] = &[libc::SYS_mount];
const LANDLOCK: &[i64] = &[libc::SYS_landlock_create_ruleset];
/// Features that Linux 5.10 lacks.
const SINCE_5_10: &[i64] = &[libc::SYS_landlock_create_ruleset, libc::SYS_mount_setattr];

/// Makes some calls fail in the processes of a command.
fn without(mut command: Command, calls: &[i64], error: i32) -> Command {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
    let calls = calls.iter().map(|call| (*call, Vec::new())).collect();
    let forbidden = SeccompAction::Errno(error as u32);
    let machine = std::env::consts::ARCH.try_into().expect("a known machine");
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, forbidden, machine).expect("a filter");
    let filter: BpfProgram = filter.try_into().expect("a filter");
    let install = move || seccompiler::apply_filter(&filter).map_err(io::Error::other);
    #[expect(unsafe_code, reason = "the filter has to be installed before the program starts")]
    // SAFETY: the filter was made before; installing it takes two system calls and neither memory nor a lock.
    unsafe {
        command.pre_exec(install);
    }
    command
}

/// A short game.
fn play(sandbox: &str) -> [&str; 11] {
    ["play", "target", "still", "still", "-v", "--max-rounds", "3", "--sandbox", sandbox, "--dir", "games"]
}

#[test]
fn a_narrow_host_gets_the_tier_that_works_there_and_is_told_which() {
    let place = open_place();
    let play = |calls: &[i64], error, sandbox: &str| {
        let output = without(place.command(&play(sandbox)), calls, error).output();
        Ran::new(
            format!("play, without {calls:?}, --sandbox {sandbox}"),
            &output.expect("referee can be started"),
        )
    };
    let all = [NAMESPACES, LANDLOCK].concat();
    play(&[libc::SYS_swapon], libc::EPERM, "auto").with_status(0).complaining(&["sandbox: strict"]);
    play(NAMESPACES, libc::EPERM, "auto").with_status(0).complaining(&["sandbox: landlock"]);
    play(MOUNT, libc::EACCES, "auto").with_status(0).complaining(&["sandbox: landlock"]);
    play(LANDLOCK, libc::EOPNOTSUPP, "auto").with_status(0).complaining(&["sandbox: strict"]);
    let refused = ["strict: ", "landlock: ", "kernel.apparmor", "lsm=", "--sandbox off"];
    play(&all, libc::EPERM, "auto").with_status(1).complaining(&refused);
    let old = ["strict: ", "landlock: ", "Linux 5.12", "lsm=", "--sandbox off"];
    play(SINCE_5_10, libc::ENOSYS, "auto").with_status(1).complaining(&old);
    play(NAMESPACES, libc::EPERM, "strict").with_status(1).complaining(&["strict: make namespaces"]);
    play(&all, libc::EPERM, "off").with_status(0).complaining(&["sandbox: off"]);
    let rows = results_in(&place.path("games"));
    let mut tiers: Vec<&str> = rows.iter().map(|row| &*row.sandbox).collect();
    tiers.dedup();
    assert_eq!(tiers, ["strict", "landlock", "strict", "off"]);
    place.assert_nothing_stays();
}

/// The calls that each tier needs, and one error for each that some system gives.
#[test]
fn each_call_that_is_refused_is_named_with_its_error_and_its_remedy() {
    let place = open_place();
    let server_of = |calls: &[i64], error: i32, tier: &str| {
        let output = without(place.command(&play(tier)), calls, error).output();
        Ran::new(format!("play, without {calls:?}, {error}"), &output.expect("referee can be started"))
    };
    for (call, number, error, remedy) in [
        ("unshare", libc::SYS_unshare, libc::EPERM, "kernel.apparmor"),
        ("unshare", libc::SYS_unshare, libc::ENOSPC, "max_user_namespaces"),
        ("mount", libc::SYS_mount, libc::EACCES, "kernel.apparmor"),
        ("mount_setattr", libc::SYS_mount_setattr, libc::ENOSYS, "Linux 5.12"),
        ("pivot_root", libc::SYS_pivot_root, libc::EINVAL, "initial RAM disk"),
        ("open_tree", libc::SYS_open_tree, libc::EPERM, "kernel.apparmor"),
        ("move_mount", libc::SYS_move_mount, libc::ENOSYS, "Linux 5.12"),
        ("setpgid", libc::SYS_setpgid, libc::EPERM, "allows this call"),
        ("capset", libc::SYS_capset, libc::EPERM, "allows this call"),
        ("landlock_create_ruleset", libc::SYS_landlock_add_rule, libc::EPERM, "lsm="),
        ("landlock_restrict_self", libc::SYS_landlock_restrict_self, libc::EPERM, "lsm="),
    ] {
        let ran = server_of(&[number], error, "strict").with_status(1);
        let error = format!("(os error {error})");
        let ran = ran.complaining(&[&format!("({call}"), &error, remedy, "for strict: "]);
        assert_eq!(ran.err.matches("for strict: ").count(), 1, "{}", ran.err);
        assert!(!ran.err.contains("the launcher has ended"), "{}", ran.err);
    }
}

/// As in a rootless container: root there is an ordinary user outside, and no bot can be another.
#[test]
#[ignore = "needs root"]
fn where_a_user_namespace_has_a_single_user_both_tiers_work() {
    let place = open_place();
    for tier in ["strict", "landlock", "auto", "off"] {
        let mut shell = Command::new("setpriv");
        shell.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "unshare", "-Ur"]);
        shell.arg(place.program("a-copy", fs::read(&*REFEREE).expect("the referee")));
        let script = "#!/bin/sh\nwhile read -r line; do echo 0; done\n";
        let bot = place.program("bot", script);
        let words = ["play", "target", &bot, "still", "-v", "--max-rounds", "3", "--sandbox", tier, "--dir"];
        fs::set_permissions(place.path(""), fs::Permissions::from_mode(0o777)).expect("permissions");
        fs::set_permissions(place.path("tmp"), fs::Permissions::from_mode(0o777)).expect("permissions");
        shell.args(words).arg(tier).current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
        let ran = Ran::new(tier.to_owned(), &shell.output().expect("setpriv")).with_status(0);
        let best = if tier == "auto" { "strict" } else { tier };
        ran.complaining(&[&format!("sandbox: {best}")]);
        let rows = results_in(&place.path(tier));
        assert!(rows.iter().all(|row| row.faults[FaultKind::StartFailed as usize] == 0), "{rows:?}");
    }
}

#[test]
fn where_the_system_has_no_process_left_that_is_said_and_no_game_is_void() {
    let place = open_place();
    // Calls that copy a process; programs and threads are started by others.
    let output = without(place.command(&play("off")), &[libc::SYS_clone], libc::EAGAIN).output();
    let ran = Ran::new("play".to_owned(), &output.expect("referee can be started")).with_status(1);
    ran.complaining(&["cannot start another process", "has too many processes"]);
    assert!(!fs::exists(place.path("games/voids.csv")).expect("a look"));
    place.assert_nothing_stays();
}

#[test]
fn on_a_narrow_host_the_doctor_says_what_is_missing_and_the_remedy() {
    let place = Place::new();
    let doctor = |calls: &[i64]| {
        let command = place.command(&["doctor", "--format", "json"]);
        let output = without(command, calls, libc::EPERM).output().expect("referee can be started");
        let findings = rows_of_json(&String::from_utf8_lossy(&output.stdout));
        let states = ["sandbox strict", "sandbox landlock"].map(|property| {
            let finding = findings.iter().find(|finding| finding["property"] == property).expect("a line");
            (finding["state"] == "good", finding["remedy"] == "")
        });
        (output.status.code(), states)
    };
    let (works, is_missing) = ((true, true), (false, false));
    assert_eq!(doctor(NAMESPACES), (Some(1), [is_missing, works]));
    assert_eq!(doctor(LANDLOCK), (Some(1), [works, is_missing]));
    assert_eq!(doctor(&[NAMESPACES, LANDLOCK].concat()), (Some(2), [is_missing, is_missing]));
}

/// Returns a copy of the program that every user may start, and that no process of this user can have open
/// for writing.
fn public_referee(place: &Place) -> std::path::PathBuf {
    let program = place.path("referee");
    // A process of an earlier command may still run the copy, which cannot be written then.
    if program.exists() {
        return program;
    }
    assert!(Command::new("cp").arg(&*REFEREE).arg(&program).status().expect("cp").success());
    program
}

/// A user without any files, if this is root.
const NOBODY: u32 = 65_534;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn as_ordinary_user(place: &Place, words: &[&str]) -> Command {
    let mut command = Command::new(public_referee(place));
    command.args(words).current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

#[test]
#[ignore = "needs root"]
fn an_ordinary_user_confines_bots_as_root_does() {
    assert!(is_root(), "this needs root");
    let place = open_place();
    for sandbox in ["strict", "landlock"] {
        let output = as_ordinary_user(&place, &play(sandbox)).output().expect("referee can be started");
        let told = format!("sandbox: {sandbox}");
        Ran::new("play".to_owned(), &output).with_status(0).complaining(&[&told]);
    }
    place.assert_nothing_stays();
}

#[test]
fn an_ordinary_user_without_namespaces_plays_ranked_games_only_if_the_tier_is_named() {
    let place = open_place();
    let run = |calls: &[i64], words: &[&str]| {
        let output = without(as_ordinary_user(&place, words), calls, libc::EPERM).output();
        Ran::new(words.join(" "), &output.expect("referee can be started"))
    };
    let hill = "tmp/hill";
    let bot = place.program("quick", "#!/bin/sh\nwhile read -r question; do echo 4; done\n");
    run(&[], &["hill", "new", hill, "football", "-p", "1", "--max-turns", "2", "--seed", "1"]).with_status(0);
    let toml = "name = \"t\"\ngame = \"target\"\nformat = { kind = \"rounds\", rounds = 1 }\n\
                parameters = { max_rounds = 3 }\n[[entrant]]\nname = \"a\"\nprogram = \"house:still\"\n\
                [[entrant]]\nname = \"b\"\nprogram = \"house:still\"\n";
    fs::write(place.path("t.toml"), toml).expect("a file");
    run(&[], &["tournament", "plan", "t.toml", "--dir", "tmp/t"]).with_status(0);
    for name in ["a", "b"] {
        run(&[], &["hill", "submit", hill, &bot, "--name", name]).with_status(0);
    }
    let ranked: [&[&str]; 3] = [
        &["hill", "submit", hill, &bot, "--name", "c"],
        &["hill", "run", hill],
        &["tournament", "run", "--dir", "tmp/t"],
    ];
    let why = "one bot can take those of the others";
    for words in ranked {
        let refused = run(NAMESPACES, words).with_status(1);
        refused.complaining(&[
            "sandbox: landlock",
            why,
            "too weak for ranked games",
            "referee doctor",
            "--sandbox landlock",
        ]);
    }
    assert!(!place.path("tmp/hill/results.csv").exists() && !place.path("tmp/t/results.csv").exists());
    // Unranked games are played.
    run(NAMESPACES, &play("auto")[..9]).with_status(0).complaining(&["sandbox: landlock"]);
    for words in &ranked[..2] {
        let named = [words, &["--sandbox", "landlock"][..]].concat();
        run(NAMESPACES, &named).with_status(0).complaining(&["sandbox: landlock", why]);
    }
    let strict = run(&[], &[ranked[2], &["-v"][..]].concat()).with_status(0);
    strict.complaining(&["sandbox: strict"]);
    let doctor = |calls: &[i64]| {
        let said = run(calls, &["doctor", "--format", "json"]).out;
        let findings = rows_of_json(&said);
        let finding = findings.into_iter().find(|finding| finding["property"] == "ranked play");
        finding.map(|finding| [finding["state"].clone(), finding["found"].clone(), finding["remedy"].clone()])
    };
    let [state, found, _] = doctor(&[]).expect("a line");
    assert!(state == "good" && found.as_str().is_some_and(|found| found.contains("strict")), "{found}");
    let [state, found, remedy] = doctor(NAMESPACES).expect("a line");
    assert!(state == "weak" && found.as_str().is_some_and(|found| found.contains(why)), "{found}");
    assert!(remedy.as_str().is_some_and(|remedy| remedy.contains("--sandbox landlock")), "{remedy}");
    let [state, ..] = doctor(&[NAMESPACES, LANDLOCK].concat()).expect("a line");
    assert_eq!(state, "bad");
    for folder in ["tmp/hill", "tmp/t"] {
        fs::remove_dir_all(place.path(folder)).expect("removed");
    }
    place.assert_nothing_stays();
}

/// Has a referee play on a prepared host, and asserts how it confines bots. `prepare` may call the system,
/// with data that was made before, and do nothing else.
fn assert_plays(
    place: &Place,
    mut command: Command,
    prepare: impl FnMut() -> io::Result<()> + Send + Sync + 'static,
    sandbox: &str,
) {
    #[expect(unsafe_code, reason = "it has to be done before the program starts")]
    // SAFETY: the callers are told.
    unsafe {
        command.pre_exec(prepare);
    }
    let output = command.output().expect("referee can be started");
    Ran::new("play".to_owned(), &output).with_status(0).complaining(&[&format!("sandbox: {sandbox}")]);
    assert!(results_in(&place.path("games")).iter().all(|row| row.sandbox == sandbox));
    place.assert_nothing_stays();
}

#[test]
fn where_users_may_make_no_namespaces_the_next_tier_is_chosen() {
    let place = open_place();
    let command = as_ordinary_user(&place, &play("auto"));
    let user = if is_root() { NOBODY } else { rustix::process::geteuid().as_raw() };
    let user = format!("{user} {user} 1");
    let forbid = move || -> io::Result<()> {
        #[expect(unsafe_code, reason = "unsharing descriptors can break what others rely on")]
        // SAFETY: the table of descriptors is not among what is unshared.
        unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWUSER) }?;
        // A process that has changed its user may not use its own files below /proc.
        rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::Dumpable)?;
        fs::write("/proc/self/uid_map", &user)?;
        // Like `sysctl user.max_user_namespaces=0`, for all processes that begin in this namespace.
        fs::write("/proc/sys/user/max_user_namespaces", "0")
    };
    assert_plays(&place, command, forbid, "landlock");
}

#[test]
#[ignore = "needs root"]
fn root_that_may_not_go_to_another_root_confines_bots_all_the_same() {
    assert!(is_root(), "this needs root");
    let place = open_place();
    let command = place.command(&play("strict"));
    let forbid = || Ok(rustix::thread::remove_capability_from_bounding_set(CapabilitySet::SYS_CHROOT)?);
    assert_plays(&place, command, forbid, "strict");
}

#[test]
#[ignore = "needs root"]
fn where_root_sees_only_a_part_of_the_files_bots_are_confined_all_the_same() {
    assert!(is_root(), "this needs root");
    let place = open_place();
    let part = place.path("part");
    fs::create_dir(&part).expect("a folder");
    let here = place.path("");
    let command = place.command(&play("strict"));
    let go_in = move || -> io::Result<()> {
        #[expect(unsafe_code, reason = "unsharing descriptors can break what others rely on")]
        // SAFETY: the table of descriptors is not among what is unshared.
        unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNS) }?;
        let alone = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
        rustix::mount::mount_change("/", alone)?;
        rustix::mount::mount_bind_recursive("/", &part)?;
        rustix::process::chroot(&part)?;
        Ok(rustix::process::chdir(&here)?)
    };
    assert_plays(&place, command, go_in, "strict");
}
