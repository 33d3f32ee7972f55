//! The archive of a release: the program starts from it on an empty system.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{Place, REFEREE};

use super::document::project;

/// Packs the tests' own program, and returns the folder that the archive unpacks to.
fn unpacked(place: &Place) -> std::path::PathBuf {
    let packed = Command::new(project("scripts/release"))
        .args(["--binary", &REFEREE, "archive"])
        .current_dir(place.path(""))
        .output()
        .expect("bash");
    assert!(packed.status.success(), "{packed:?}");
    let archive = String::from_utf8(packed.stdout).expect("a path").trim_end().to_owned();
    let sum = Command::new("sha256sum")
        .args(["--check", &format!("{archive}.sha256")])
        .current_dir(place.path("archive"))
        .output();
    assert!(sum.expect("sha256sum").status.success(), "{archive}");
    let tar = Command::new("tar").args(["-xzf", &archive, "-C"]).arg(place.path("")).output().expect("tar");
    assert!(tar.status.success(), "{tar:?}");
    let name = Path::new(&archive).file_name().expect("a name").to_str().expect("a text");
    place.path(name.strip_suffix(".tar.gz").expect("an archive"))
}

/// Copies the libraries that a program needs to the same places below a root. A static program needs none.
fn copy_libraries(program: &Path, root: &Path) {
    let listed = Command::new("ldd").arg(program).output().expect("ldd");
    let text = String::from_utf8(listed.stdout).expect("a text");
    for library in text.split_whitespace().filter(|word| word.starts_with('/')) {
        let copy = root.join(library.trim_start_matches('/').trim_end_matches(':'));
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
        fs::copy(library.trim_end_matches(':'), copy).expect("a library");
    }
}

/// Runs a command in this root, with a /proc of its own and nothing else of the system. An ordinary user
/// stays that user.
fn run_in(root: &Path, words: &[&str]) -> Output {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--pid", "--fork"]);
    command.arg(format!("--mount-proc={}", root.join("proc").display()));
    if !rustix::process::geteuid().is_root() {
        command.args(["--map-current-user", "--keep-caps"]);
    }
    command.arg("chroot").arg(root).args(words);
    command.env_clear().env("PATH", std::env::var_os("PATH").expect("a path")).output().expect("unshare")
}

/// Makes a root with a program at this path, the libraries that it needs, and nothing else.
fn empty_root(place: &Place, program: &Path, at: &str) -> std::path::PathBuf {
    let (root, target) = (place.path("root"), place.path("root").join(at));
    for folder in ["proc", "tmp", "dev"] {
        fs::create_dir_all(root.join(folder)).expect("a folder");
    }
    fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
    fs::write(root.join("dev/null"), "").expect("a file that stands for the device");
    fs::copy(program, &target).expect("the program");
    copy_libraries(&target, &root);
    root
}

/// No engine for containers is at hand: what a build would do is compared with the project, and what the image starts
/// runs in an empty root.
#[test]
fn the_image_of_the_containerfile_has_the_program_and_starts_it() {
    let text = fs::read_to_string(project("scripts/Containerfile")).expect("a text").replace("\\\n", "");
    let steps: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split_whitespace().collect())
        .collect();
    let of =
        |word: &str| steps.iter().filter(|step| step[0] == word).map(|step| &step[1..]).collect::<Vec<_>>();
    assert_eq!(of("FROM"), [&["rust:1-slim-bookworm", "AS", "build"][..], &["debian:bookworm-slim"]]);
    assert_eq!(
        of("RUN")[0].join(" "),
        "cargo build --release --locked --features wasm,web",
        "the program that authors need"
    );
    let [sources, program] = of("COPY")[..] else { panic!("{steps:?}") };
    assert_eq!(
        (sources, program[..2].join(" ")),
        (&[".", "/src"][..], "--from=build /src/target/release/referee".into())
    );
    let [folder] = of("WORKDIR")[1] else { panic!("{steps:?}") };
    assert_eq!((*folder, of("ENTRYPOINT")), ("/bots", vec![&[r#"["referee"]"#][..]]));

    let place = Place::new();
    let at = format!("{}referee", program[2].trim_start_matches('/'));
    let root = empty_root(&place, Path::new(&*REFEREE), &at);
    let bots = ["reader", "homeward", "random", "random", "random", "random"];
    let game = ["--turns", "2", "--seed", "7", "--sandbox", "off", "--dir", "/bots"];
    let played = run_in(&root, &[&[&*format!("/{at}"), "play", "push"], &bots[..], &game].concat());
    assert!(played.status.success() && root.join("bots/results.csv").exists(), "{played:?}");
}

#[test]
fn the_program_of_the_archive_plays_in_an_empty_root() {
    let place = Place::new();
    let folder = unpacked(&place);
    for file in [
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "protocol.md",
        "docs/SUMMARY.md",
        "docs/reference/schemas/hill.json",
        "man/referee.1",
        "man/referee-play.1",
        "completions/referee.bash",
        "completions/_referee",
        "completions/referee.fish",
        "tournaments/demo.toml",
        "verify.py",
    ] {
        let length = fs::metadata(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}")).len();
        assert!(length > 0, "{file} is empty");
    }

    let help = Command::new(folder.join("verify.py")).arg("--help").output().expect("python3");
    assert!(help.status.success() && help.stdout.starts_with(b"usage: verify.py"), "{help:?}");

    let root = empty_root(&place, &folder.join("referee"), "referee");
    let bots = ["reader", "homeward", "random", "random", "random", "random"];
    let game = ["--turns", "10", "--seed", "7", "--sandbox", "off", "--dir", "/games"];
    let played = run_in(&root, &[&["/referee", "play", "push"], &bots[..], &game].concat());
    assert!(played.status.success(), "{played:?}");
    let audited = run_in(&root, &["/referee", "audit", "/games"]);
    assert!(audited.status.success(), "{audited:?}");
    assert!(String::from_utf8_lossy(&audited.stdout).contains("agrees: 1 game, 6 rows"), "{audited:?}");
}

/// Returns how the script would build the program: its flags and the arguments of cargo. `rustc` and `cc` are
/// stand-ins that find musl's libraries and `libc.a` in this folder, or nowhere.
fn build_of(place: &Place, musl: bool, libc: bool) -> String {
    let (tools, libraries) = (place.path("tools"), place.path("libraries"));
    for (file, is_there) in [("musl", musl), ("libc.a", libc)] {
        let _ = fs::remove_dir_all(libraries.join(file));
        if is_there {
            fs::create_dir_all(libraries.join(file)).expect("a folder");
        }
    }
    fs::create_dir_all(&tools).expect("a folder");
    place.program("tools/rustc", format!("#!/bin/sh\necho {}/musl\n", libraries.display()));
    let cc = format!(
        "#!/bin/sh\nif [ -e {0}/libc.a ]; then echo {0}/libc.a; else echo libc.a; fi\n",
        libraries.display()
    );
    place.program("tools/cc", cc);
    place.program("tools/musl-gcc", "#!/bin/sh\n");
    place.program("tools/cargo", "#!/bin/sh\necho \"[$RUSTFLAGS] $*\"\nexit 9\n");
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").expect("a path"));
    let output = Command::new(project("scripts/release"))
        .env("PATH", path)
        .env("RUSTFLAGS", "-C opt-level=3")
        .output();
    let output = output.expect("bash");
    assert_eq!(output.status.code(), Some(9), "{output:?}");
    String::from_utf8(output.stdout).expect("a text").trim_end().to_owned()
}

#[test]
fn a_release_is_static_where_musl_or_libc_a_is_there() {
    let place = Place::new();
    let machine = std::env::consts::ARCH;
    let expected = |flags: &str, libc: &str| {
        format!(
            "[-C opt-level=3{flags}] build --release --locked --features wasm,web --bin referee --target {machine}-unknown-linux-{libc}"
        )
    };
    let is_static = " -C target-feature=+crt-static";
    assert_eq!(build_of(&place, true, true), expected("", "musl"));
    assert_eq!(build_of(&place, true, false), expected("", "musl"));
    assert_eq!(build_of(&place, false, true), expected(is_static, "gnu"));
    assert_eq!(build_of(&place, false, false), expected("", "gnu"));
}
