//! `scripts/test`: missing packages are listed first, and installed only after consent. A script that notes
//! its calls replaces the programs that install.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::support::{Place, once_written};

/// Notes its arguments, and does enough for the script to continue.
const NOTES: &str = r#"#!/bin/bash
[ "$1" != -c ] || exit 0
echo "${0##*/} $*" >>"$CALLS"
case "${0##*/} $*" in
    sudo*) "$@" ;;
    apt-get*install*) cp "$0" "${0%/*}/node" ;;
    npm*) mkdir -p tests/view/browser/node_modules ;;
    python3*)
        mkdir -p "${@: -1}/bin"
        for program in maturin mypy pip python; do cp "$0" "${@: -1}/bin/$program"; done
        ;;
esac
"#;

/// The programs that install, and the one that is run in the end.
const NOTED: [&str; 7] = ["apt-get", "sudo", "install", "rm", "npm", "python3", "cargo"];

/// Programs that the script itself needs, and that every system with a shell has.
const REAL: [&str; 16] = [
    "bash", "env", "dirname", "sed", "sort", "cmp", "id", "cp", "mkdir", "grep", "cat", "nproc", "mktemp",
    "sleep", "find", "xargs",
];

/// The programs of a machine on which all tests can be run.
const ALL: [&str; 28] = [
    "node",
    "java",
    "javac",
    "jar",
    "cc",
    "g++",
    "musl-gcc",
    "go",
    "octave-cli",
    "setsid",
    "chrt",
    "chromium",
    "munged",
    "slurmctld",
    "slurmd",
    "sbatch",
    "parallel",
    "sshfs",
    "clang",
    "wasm-ld",
    "valgrind",
    "ocamlopt",
    "mcs",
    "mkbundle",
    "ghc",
    "curl",
    "nginx",
    "caddy",
];

/// A tree with the script in it, on a machine with these programs.
fn tree(programs: &[&str]) -> Place {
    let place = Place::new();
    for folder in [
        "scripts",
        "bin",
        "bots",
        "referee",
        "tests/view/browser",
        "tests/builds",
        "tests/cluster",
        "tests/python",
    ] {
        fs::create_dir_all(place.path(folder)).expect("a folder");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/test");
    let script = fs::read_to_string(script).expect("a script");
    // There is nothing else on this machine.
    let server = if programs.is_empty() { "no-sftp-server" } else { "true" };
    let script = script.replace(":/usr/sbin:/sbin", "").replace("/usr/lib/openssh/sftp-server", server);
    place.program("scripts/test", script);
    place.program("scripts/bench", NOTES);
    place.program("scripts/book", NOTES);
    fs::write(place.path("tests/view/browser/package-lock.json"), "a driver").expect("a file");
    fs::write(place.path("tests/builds/requirements.txt"), "a compiler").expect("a file");
    fs::write(place.path("tests/cluster/requirements.txt"), "a queue").expect("a file");
    fs::write(place.path("tests/python/requirements.txt"), "a builder of wheels").expect("a file");
    fs::write(place.path("tests/page.js"), "").expect("a file");
    for name in NOTED.iter().chain(programs) {
        place.program(&format!("bin/{name}"), NOTES);
    }
    for name in REAL {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .map(|folder| folder.join(name))
            .find(|path| path.exists());
        symlink(found.expect(name), place.path("bin").join(name)).expect("a link");
    }
    place
}

fn command(place: &Place, words: &[&str]) -> Command {
    let mut command = Command::new(place.path("scripts/test"));
    command.args(words).env_clear().env("PATH", place.path("bin")).env("CALLS", place.path("calls"));
    command.env("TMPDIR", place.path("")).env("RUST_TEST_THREADS", "6");
    command.stdin(Stdio::null());
    command
}

/// The calls of the programs that note them.
fn calls(place: &Place) -> Vec<String> {
    let text = fs::read_to_string(place.path("calls")).unwrap_or_default();
    text.lines().map(str::to_owned).filter(|line| !line.starts_with("sudo ")).collect()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn where_nobody_can_be_asked_what_is_missing_is_named_and_nothing_is_done() {
    let place = tree(&[]);
    let output = once_written(|| command(&place, &[]).output()).expect("bash");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let told = said(&output);
    for word in [
        "nodejs",
        "chromium",
        "golang-go",
        "package-lock.json",
        "requirements.txt",
        "--install",
        "cargo test",
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
    assert_eq!(calls(&place), ["cargo nextest --version"], "nothing is installed, and nothing is run");
}

#[test]
fn with_leave_or_in_ci_what_is_missing_is_named_and_installed() {
    for (words, ci, last) in [(&["--install"][..], "", "all"), (&["--rest"], "true", "only")] {
        let place = tree(&[]);
        let output = once_written(|| command(&place, words).env("CI", ci).output()).expect("bash");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(said(&output).contains("nodejs"), "it is said first: {output:?}");
        let installed = [
            "apt-get update",
            "apt-get install -y",
            "npm ci --prefix tests/view/browser",
            "python3 -m venv --clear tests/builds/python",
            "python3 -m venv --clear tests/cluster/python",
            "python3 -m venv --clear tests/python/venv",
            "pip install",
            "book --install",
            "maturin build",
            "python -m pytest",
        ];
        let mut calls: BTreeSet<String> = calls(&place).into_iter().collect();
        for due in installed {
            assert!(calls.iter().any(|call| call.starts_with(due)), "{due}: {calls:#?}");
        }
        assert!(calls.iter().any(|call| call.starts_with("apt-get install") && call.contains(" nodejs")));
        assert!(calls.contains("node --check tests/page.js"), "{calls:#?}");
        calls.retain(|call| call.starts_with("cargo test") || call.starts_with("cargo nextest run"));
        let run = "cargo nextest run --locked --workspace --profile ci --test-threads 6";
        let mut due = vec!["cargo test --locked --workspace --no-run".to_owned()];
        due.extend(match last {
            "all" => vec![
                format!("{run} --run-ignored all"),
                "cargo test --locked --workspace --no-fail-fast --doc".to_owned(),
            ],
            // `cargo test` runs none of the tests of packages that are no default members.
            _ => vec![
                format!("{run} --filterset package(/^referee-(python|serve|wasm)$/)"),
                format!("{run} --run-ignored only"),
            ],
        });
        due.sort();
        assert_eq!(calls.len(), due.len(), "{calls:#?}");
        for (call, due) in calls.iter().zip(&due) {
            assert!(call.starts_with(due), "{call}: {due}");
        }
    }
}

/// The packages of a selection, each with its features, and what builds them.
fn packages_of(selection: &[&str]) -> BTreeSet<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--locked", "--prefix", "none", "--format", "{p} with {f}"]);
    let output = cargo.args(["--edges", "normal,build,dev"]).args(selection).output().expect("cargo");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("a text");
    text.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

/// The packages that no default selection has.
fn not_by_default() -> BTreeSet<String> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let manifest: toml::Table =
        toml::from_str(&fs::read_to_string(manifest).expect("a manifest")).expect("a table");
    let list = |name: &str| -> BTreeSet<String> {
        let members = manifest["workspace"][name].as_array().expect("a list");
        members.iter().map(|member| member.as_str().expect("a text").to_owned()).collect()
    };
    list("members").difference(&list("default-members")).cloned().collect()
}

#[test]
fn what_cargo_test_built_is_not_built_again_for_the_whole_workspace() {
    // A package that another one gives a feature more is another package, and so is all that uses it.
    // `tests/util/Cargo.toml` asks for those features.
    let (few, all) = (packages_of(&[]), packages_of(&["--workspace"]));
    assert!(few.len() > 100 && all.len() > few.len() + 50, "{} of {}", few.len(), all.len());
    let again: Vec<&String> = few.difference(&all).collect();
    assert!(again.is_empty(), "with other features in the whole workspace: {again:#?}");
    let others: Vec<String> = not_by_default().iter().map(|path| path.replace("referee/", "")).collect();
    assert_eq!(others, ["python", "serve", "wasm"], "scripts/test has the same list");
}

#[test]
fn maturin_gets_the_library_that_a_build_of_the_whole_workspace_makes() {
    let place = Place::new();
    fs::create_dir_all(place.path("bin")).expect("a folder");
    place.program("bin/cargo", "#!/bin/sh\necho \"$PATH $CARGO$PYO3_PYTHON $*\"\n");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/maturin");
    let others = format!("{}:/usr/bin:/bin", place.path("bin").display());
    let said = |words: &[&str]| {
        let mut cargo = Command::new(folder.join("cargo"));
        cargo.args(words).env("PATH", format!("{}:{others}", folder.display()));
        let output = cargo.env("CARGO", "another").env("PYO3_PYTHON", "python").output().expect("bash");
        String::from_utf8(output.stdout).expect("text")
    };
    // Where the environment is that of the tests, nothing is built again.
    let build = "build --locked --workspace --lib --tests --message-format json-render-diagnostics";
    assert_eq!(said(&["rustc", "--manifest-path", "x", "--lib"]), format!("{others}  {build}\n"));
    assert_eq!(said(&["metadata", "--locked"]), format!("{others}  metadata --locked\n"));
}

#[test]
fn an_ordinary_user_leaves_out_what_needs_root_wherever_it_stands() {
    let place = tree(&[]);
    fs::remove_file(place.path("bin/id")).expect("a link");
    place.program("bin/id", "#!/bin/bash\necho 1000\n");
    let ignored = ["#[", "ignore = \"needs root\"]\nfn as_root_alone() {}\n"].concat();
    fs::write(place.path("tests/of_root.rs"), ignored).expect("a test");
    let output = once_written(|| command(&place, &["--install"]).output()).expect("bash");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(said(&output).contains("left out: as_root_alone"), "{output:?}");
    let calls = calls(&place);
    let run = calls.iter().find(|call| call.starts_with("cargo nextest run")).expect("a run");
    assert!(run.contains("--filterset not test(/(^|::)(as_root_alone)$/)"), "{run}");
}

#[test]
fn packages_alone_are_installed_and_no_test_is_run() {
    let place = tree(&[]);
    let output = once_written(|| command(&place, &["--only-install"]).output()).expect("bash");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let calls = calls(&place);
    for due in ["apt-get install -y", "npm ci", "pip install", "book --install"] {
        assert!(calls.iter().any(|call| call.starts_with(due)), "{due}: {calls:#?}");
    }
    let tests = ["cargo test", "cargo nextest run", "bench", "maturin", "python -m"];
    assert!(!calls.iter().any(|call| tests.iter().any(|test| call.starts_with(test))), "{calls:#?}");
}

#[test]
fn where_all_is_there_nothing_is_asked() {
    let place = tree(&ALL);
    for (list, installed) in [
        ("tests/view/browser/package-lock.json", "node_modules"),
        ("tests/builds/requirements.txt", "python"),
        ("tests/cluster/requirements.txt", "python"),
        ("tests/python/requirements.txt", "venv"),
    ] {
        let folder: PathBuf = place.path(list).with_file_name(installed);
        fs::create_dir(&folder).expect("a folder");
        fs::copy(place.path(list), folder.join(".installed")).expect("a copy");
    }
    fs::create_dir_all(place.path("target/tools/bin")).expect("a folder");
    place.program("target/tools/bin/mdbook", NOTES);
    let output = once_written(|| command(&place, &["--test", "main"]).output()).expect("bash");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(!said(&output).contains("need what is not here"), "{output:?}");
    let calls: Vec<String> =
        calls(&place).into_iter().filter(|call| call != "cargo nextest --version").collect();
    let [call] = &calls[..] else { panic!("one call: {calls:?}") };
    assert!(
        call.starts_with("cargo nextest run --locked --workspace") && call.ends_with("--test main"),
        "{call}"
    );
}

#[test]
fn on_a_terminal_it_asks() {
    for (answer, status) in [("n\n", 2), ("\n", 2), ("y\n", 0)] {
        let place = tree(&[]);
        let mut keyboard = File::from(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal"));
        grantpt(&keyboard).expect("a terminal");
        unlockpt(&keyboard).expect("a terminal");
        let path = ptsname(&keyboard, Vec::new()).expect("a terminal").into_string().expect("a path");
        let open = || {
            use std::os::unix::fs::OpenOptionsExt as _;
            let mut options = File::options();
            options.read(true).write(true).custom_flags(OFlags::NOCTTY.bits() as i32);
            options.open(&path).expect("a terminal")
        };
        let mut script = command(&place, &["name"]);
        let mut script = script.stdin(open()).stderr(open()).stdout(Stdio::null()).spawn().expect("bash");
        keyboard.write_all(answer.as_bytes()).expect("the answer");
        assert_eq!(script.wait().expect("its end").code(), Some(status), "{answer:?}: {:?}", calls(&place));
        let is_run = calls(&place).iter().any(|call| call.starts_with("cargo nextest run"));
        assert_eq!(is_run, status == 0, "{answer:?}");
    }
}
