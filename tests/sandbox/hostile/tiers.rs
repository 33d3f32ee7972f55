//! The promises of each tier, as root and as an ordinary user.
//!
//! Each attack on the system is a bot that plays and attacks; `scripts/attacks` prints which work in which
//! tier.

use std::fs::{self, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use referee_testutil::attacks::corpus::{self, Attack, Setting};
use referee_testutil::attacks::trial::{self, Outcome, Row, Surrounding};

use crate::support::REFEREE;

/// No tier, and no referee either.
const PLAIN: &str = "plain";

/// Where this test finds the programs if it runs as a user who may not enter the folder of the build.
const PROGRAMS: &str = "REFEREE_ATTACKS_PROGRAMS";

/// The file to which rows are appended.
const TABLE: &str = "REFEREE_ATTACKS_TABLE";

/// Set if all attacks are tried, for a table, even where a test looks at a part of them.
const ALL: &str = "REFEREE_ATTACKS_ALL";

/// The users as whom the attacks also run, if this is root.
const USER: &str = "REFEREE_ATTACKS_USER";

/// A user that owns nothing, on most systems.
const NOBODY: u32 = 65534;

#[test]
#[ignore = "slow: 515 attacks"]
fn most_attacks_are_real() {
    each_user("most_attacks_are_real", (PLAIN, any), |rows| {
        let worked = rows.iter().filter(|row| row.outcome == Outcome::Worked).count();
        assert!(
            2 * worked > rows.len(),
            "{worked} of {} attacks work on whoever thinks of no harm",
            rows.len()
        );
    });
}

#[test]
#[ignore = "slow: dozens of attacks"]
fn without_a_sandbox_nobody_stays_and_nothing_is_inherited() {
    let promised = |attack: &Attack| {
        attack.family == "survival" || ["own-environ", "inherited", "core-dump"].contains(&&*attack.name)
    };
    let test = "without_a_sandbox_nobody_stays_and_nothing_is_inherited";
    each_user(test, ("off", promised), |rows| {
        let is_promised = |row: &&Row| {
            let (family, name) = (row.family.clone(), row.name.clone());
            promised(&Attack { family, name, setting: Setting::Alone })
        };
        let rows: Vec<Row> = rows.iter().filter(is_promised).cloned().collect();
        assert!(rows.len() > 10, "{rows:#?}");
        assert_held(&rows, &[]);
    });
}

#[test]
#[ignore = "slow: 515 attacks"]
fn nothing_works_in_the_strict_tier() {
    each_user("nothing_works_in_the_strict_tier", ("strict", any), |rows| assert_held(rows, &[]));
}

#[test]
#[ignore = "slow: 515 attacks"]
fn at_most_looking_at_a_known_path_works_in_the_landlock_tier() {
    let name = "at_most_looking_at_a_known_path_works_in_the_landlock_tier";
    each_user(name, ("landlock", any), |rows| assert_held(rows, &WITHOUT_NAMESPACES));
}

/// The attacks that work in tier B: the existence of a path cannot be hidden without namespaces.
const WITHOUT_NAMESPACES: [&str; 2] = ["stat", "readlink"];

/// All except these are refused, and known to be refused.
fn assert_held(rows: &[Row], except: &[&str]) {
    let held = |row: &&Row| row.outcome == Outcome::Refused || except.contains(&&*row.name);
    let not_held: Vec<&Row> = rows.iter().filter(|row| !held(row)).collect();
    assert!(not_held.is_empty(), "{not_held:#?}");
}

/// Tells that every attack is tried.
fn any(_attack: &Attack) -> bool {
    true
}

/// Tries attacks in a tier as the current user, and, if that is root, once more as an ordinary user.
fn each_user(test: &str, (tier, which): (&str, fn(&Attack) -> bool), holds: impl Fn(&[Row])) {
    let which = if [TABLE, ALL].iter().any(|name| std::env::var_os(name).is_some()) { any } else { which };
    let folder = tempfile::tempdir().expect("a folder");
    let program = match own_programs() {
        Some(programs) => programs.join("attack"),
        None => compiled(folder.path()),
    };
    if !rustix::process::geteuid().is_root() {
        let rows = try_as_oneself(&program, tier, which);
        return holds(&rows);
    }
    let only = std::env::var(USER).ok();
    let rows = if only.is_none() { try_as_oneself(&program, tier, which) } else { Vec::new() };
    let test = format!("sandbox::hostile::tiers::{test}");
    let user = only.as_ref().map_or(NOBODY, |user| user.parse().expect("a user's number"));
    try_as_user(&test, user, |folder| {
        copy(&program, &folder.join("attack"));
    });
    if only.is_none() {
        holds(&rows);
    }
}

/// Returns where this test finds the programs if it runs as a user who may not enter the folder of the build.
pub(crate) fn own_programs() -> Option<PathBuf> {
    std::env::var_os(PROGRAMS).map(PathBuf::from)
}

/// Runs a test once more as an ordinary user, if this is root.
pub(crate) fn try_again_as_a_user(test: &str) {
    if rustix::process::geteuid().is_root() {
        try_as_user(test, NOBODY, |_| {});
    }
}

fn try_as_oneself(program: &Path, tier: &str, which: fn(&Attack) -> bool) -> Vec<Row> {
    let referee =
        own_programs().map_or_else(|| PathBuf::from(&*REFEREE), |programs| programs.join("referee"));
    let attacks: Vec<Attack> = corpus::list(program).into_iter().filter(which).collect();
    let surrounding = match tier {
        PLAIN => Surrounding::Plain,
        tier => Surrounding::Tier(tier, &referee),
    };
    let rows = trial::try_all(program, &attacks, surrounding);
    let user = if rustix::process::geteuid().is_root() { "root" } else { "user" };
    let line = |row: &Row| {
        [MARK, tier, user, &row.family, &row.name, &row.outcome.to_string(), &row.detail].join("\t") + "\n"
    };
    publish(&rows.iter().map(line).collect::<String>());
    let unclear: Vec<&Row> = rows.iter().filter(|row| row.outcome == Outcome::Unclear).collect();
    assert!(unclear.is_empty(), "nothing is shown by {} attacks, such as {:#?}", unclear.len(), unclear[0]);
    rows
}

/// The beginning of the lines of a table.
const MARK: &str = "attack";

/// Prints lines, and appends those of the table to it, if there is one.
fn publish(text: &str) {
    print!("{text}");
    if let Some(table) = std::env::var_os(TABLE) {
        let mut table = OpenOptions::new().append(true).create(true).open(table).expect("a table");
        let rows: String = text.split_inclusive('\n').filter(|line| line.starts_with(MARK)).collect();
        table.write_all(rows.as_bytes()).expect("rows");
    }
}

fn compiled(folder: &Path) -> PathBuf {
    let program = folder.join("attack");
    corpus::compile(&program);
    program
}

/// Copies a program, in a process of its own: another test may start a program just then, which would hold the copy
/// open for writing for a moment, and nobody could execute it.
fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg(from).arg(to).status().expect("cp");
    assert!(copied.success(), "{} is copied", from.display());
}

/// Runs this test once more, as a user without rights, with programs that this user may read. `prepare` puts
/// more programs into the folder of the referee.
fn try_as_user(test: &str, user: u32, prepare: impl Fn(&Path)) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("permissions");
    let path = |name: &str| folder.path().join(name);
    copy(&std::env::current_exe().expect("this test"), &path("test"));
    copy(Path::new(&*REFEREE), &path("referee"));
    prepare(folder.path());
    fs::create_dir(path("tmp")).expect("a folder");
    chown(path("tmp"), Some(user), Some(user)).expect("his folder");
    let mut command = Command::new(path("test"));
    command.args(["--exact", test, "--include-ignored", "--nocapture"]).current_dir(path("tmp"));
    command.env(PROGRAMS, folder.path()).env("TMPDIR", path("tmp")).uid(user).gid(user).env_remove(TABLE);
    if std::env::var_os(TABLE).is_some() {
        command.env(ALL, "1");
    }
    let output = command.output().expect("a process");
    let said = String::from_utf8_lossy(&output.stdout);
    publish(&said);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
