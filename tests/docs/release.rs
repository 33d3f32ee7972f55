//! The archive of a release: the program starts from it on an empty system.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{Place, REFEREE, files_below};

use super::document::{Document, project};
use super::form::links;

/// Packs the tests' own program, and returns the folder that the archive unpacks to.
fn unpacked(place: &Place) -> std::path::PathBuf {
    // Alone, since the server beside it takes long to pack.
    fs::create_dir(place.path("packed")).expect("a folder");
    fs::copy(&*REFEREE, place.path("packed/referee")).expect("the program");
    let packed = Command::new(project("scripts/release"))
        .args(["--binary", "packed/referee", "archive"])
        .current_dir(place.path(""))
        .output()
        .expect("bash");
    assert!(packed.status.success(), "{packed:?}");
    let made = String::from_utf8(packed.stdout).expect("paths");
    for file in made.lines() {
        let sum = Command::new("sha256sum")
            .args(["--check", &format!("{file}.sha256")])
            .current_dir(place.path("archive"))
            .output();
        assert!(sum.expect("sha256sum").status.success(), "{file}");
    }
    let archive = made.lines().next().expect("an archive").to_owned();
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
        "referee@.service",
        "LICENSES.txt",
        "sbom.json",
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
    check_debian_package(&place);
    check_licences(&folder);
    check_links(&folder);
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
    // Which paths are replaced is another test's business.
    let cargo = "#!/bin/sh\necho \"[${RUSTFLAGS%%-path-prefix*}] $*\"\nexit 9\n";
    place.program("tools/cargo", cargo);
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
            "[-C opt-level=3{flags} --remap] build --release --locked --package referee --features full --bins --target {machine}-unknown-linux-{libc}"
        )
    };
    let is_static = " -C target-feature=+crt-static";
    assert_eq!(build_of(&place, true, true), expected("", "musl"));
    assert_eq!(build_of(&place, true, false), expected("", "musl"));
    assert_eq!(build_of(&place, false, true), expected(is_static, "gnu"));
    assert_eq!(build_of(&place, false, false), expected("", "gnu"));
}

/// Puts a cargo first on the path that makes a program by this script, and hands all but `build` to the real one.
/// The release is of a commit of this folder, which has the scripts of the project.
fn release_again(place: &Place, build: &str) -> Output {
    let source = place.path("source");
    for folder in
        ["tools", "source/scripts", "source/docs", "source/tournaments", "source/bots", "source/referee"]
    {
        fs::create_dir_all(place.path(folder)).expect("a folder");
    }
    let real = Command::new("sh").args(["-c", "command -v cargo"]).output().expect("sh").stdout;
    let cargo = format!(
        "#!/bin/sh\n[ \"$1\" = build ] || exec {} \"$@\"\nwhile [ \"$1\" != --target ]; do shift; done\nout=target/$2/release\nmkdir -p $out\n{build}\ncp $out/referee $out/referee-serve\n",
        String::from_utf8(real).expect("a path").trim()
    );
    place.program("tools/cargo", cargo);
    // The crates are listed by another test.
    for file in ["release", "referee@.service", "verify.py"] {
        fs::copy(project("scripts").join(file), source.join("scripts").join(file)).expect("a file");
    }
    place.program("source/scripts/components", "#!/bin/sh\necho >$1/LICENSES.txt\necho >$1/sbom.json\n");
    for file in
        "LICENSE-MIT LICENSE-APACHE README.md protocol.md CHANGELOG.md GLOSSARY.md SECURITY.md BENCHMARKS.md \
         CONTRIBUTING.md Cargo.toml Cargo.lock docs/a tournaments/a bots/a referee/a"
            .split_whitespace()
    {
        fs::write(source.join(file), "text\n").expect("a file");
    }
    fs::write(source.join(".gitignore"), "target\n").expect("a file");
    let git =
        "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -q -m a --allow-empty";
    let made = Command::new("sh").args(["-c", git]).current_dir(&source).output().expect("git");
    assert!(made.status.success(), "{made:?}");
    let path = format!("{}:{}", place.path("tools").display(), std::env::var("PATH").expect("a path"));
    let mut release = Command::new("scripts/release");
    release.arg("--again").current_dir(&source).env("PATH", path);
    release.env_remove("CARGO_TARGET_DIR").output().expect("bash")
}

#[test]
fn two_builds_of_a_commit_are_compared() {
    let place = Place::new();
    let program = |line: &str| {
        format!(
            "cat >$out/referee <<END\n#!/bin/sh\n# {line}\n[ \"\\$1\" != man ] || {{ mkdir \"\\$2\"; echo >\"\\$2/referee.1\"; exit; }}\necho referee 9.9.9\nEND\nchmod 755 $out/referee"
        )
    };
    let equal = release_again(&place, &program("the same"));
    let told = String::from_utf8_lossy(&equal.stderr);
    assert!(equal.status.success() && told.ends_with("two builds in two folders are equal\n"), "{told}");

    let differs = release_again(&place, &program("$(date +%N)"));
    let told = String::from_utf8_lossy(&differs.stderr);
    assert_eq!(differs.status.code(), Some(1), "{told}");
    assert!(told.ends_with("two builds of one commit differ\n"), "{told}");

    let named = release_again(&place, &program("$PWD"));
    let told = String::from_utf8_lossy(&named.stderr);
    assert_eq!(named.status.code(), Some(1), "{told}");
    assert!(told.contains("has a path of this machine"), "{told}");

    fs::write(place.path("source/README.md"), "another text\n").expect("a file");
    let changed = Command::new("scripts/release").arg("--again").current_dir(place.path("source")).output();
    let changed = changed.expect("bash");
    assert_eq!(changed.status.code(), Some(2), "{changed:?}");
}

/// The Debian package beside the archive has the programs and a service.
fn check_debian_package(place: &Place) {
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        println!("skipped: there is no dpkg-deb");
        return;
    }
    let debs =
        || fs::read_dir(place.path("archive")).expect("files").map(|file| file.expect("a file").path());
    let deb = debs().find(|file| file.extension().is_some_and(|end| end == "deb")).expect("a package");
    let unpack =
        Command::new("dpkg-deb").arg("-x").arg(&deb).arg(place.path("system")).output().expect("dpkg-deb");
    assert!(unpack.status.success(), "{unpack:?}");
    let system = place.path("system/usr");
    assert!(fs::read(system.join("bin/referee")).expect("it") == fs::read(&*REFEREE).expect("it"));
    assert!(system.join("share/man/man1/referee-play.1.gz").exists());

    let unit = fs::read_to_string(system.join("lib/systemd/system/referee@.service")).expect("a unit");
    let guide = fs::read_to_string(project("docs/guides/deploy.md")).expect("the guide");
    assert!(guide.contains(&format!("```text\n{unit}```\n")), "the guide shows the unit");
    if Command::new("systemd-analyze").arg("--version").output().is_ok() {
        // The package is not installed: the program is named by its path.
        let named = unit.replace("ExecStart=referee-serve", &format!("ExecStart={}", &*REFEREE));
        fs::write(place.path("referee@.service"), named).expect("a unit");
        let verified = Command::new("systemd-analyze")
            .arg("verify")
            .arg(place.path("referee@.service"))
            .output()
            .expect("it");
        assert!(verified.status.success() && verified.stderr.is_empty(), "{verified:?}");
    }
}

/// A link of a document in the archive leads to a file of the archive.
fn check_links(folder: &Path) {
    let documents = files_below(folder, "md");
    assert!(documents.len() > 60, "{}", documents.len());
    for document in documents {
        for link in links(&Document::read(document.to_str().expect("a text")).prose) {
            let file = document.with_file_name(link.split('#').next().expect("a file"));
            assert!(link.starts_with("https://") || file.exists(), "{}: {link}", document.display());
        }
    }
}

/// The list of crates has a licence for each, with its text.
fn check_licences(folder: &Path) {
    let listed: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("sbom.json")).expect("a list")).expect("JSON");
    let texts = fs::read_to_string(folder.join("LICENSES.txt")).expect("texts");
    let crates = listed["components"].as_array().expect("crates");
    assert!(crates.len() > 50);
    for one in crates {
        let name = format!(
            "{} {}",
            one["name"].as_str().expect("a name"),
            one["version"].as_str().expect("a version")
        );
        assert!(texts.contains(&name), "{name} has a licence");
    }
    for direct in ["clap", "csv", "wait-timeout", "axum"] {
        assert!(crates.iter().any(|one| one["name"] == direct), "{direct}");
    }
}

#[test]
fn the_same_programs_make_the_same_package() {
    let place = Place::new();
    let program = "#!/bin/sh\n[ \"$1\" != man ] || { mkdir \"$2\"; echo page >\"$2/referee.1\"; exit; }\necho referee 9.9.9\n";
    place.program("program", program);
    let wheel = Command::new("python3").args(["-c", WHEEL]).current_dir(place.path("")).status();
    assert!(wheel.expect("python3").success());
    let pack = |folder: &str| {
        let words = ["--binary", "program", "--wheel", "referee-9.9.9-py3-none-any.whl", folder];
        let packed =
            Command::new(project("scripts/release")).args(words).current_dir(place.path("")).output();
        let packed = packed.expect("bash");
        assert!(packed.status.success(), "{packed:?}");
        String::from_utf8(packed.stdout)
            .expect("paths")
            .lines()
            .map(|file| fs::read(file).expect("a file"))
            .collect()
    };
    let first: Vec<Vec<u8>> = pack("first");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert!(first.len() >= 2 && first == pack("second"));
    // pip puts the program on the path.
    if !Command::new("python3")
        .args(["-m", "pip", "--version"])
        .output()
        .is_ok_and(|output| output.status.success())
    {
        println!("skipped: python3 has no pip");
        return;
    }
    let pip = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--prefix", "there"];
    let wheel = "first/referee-9.9.9-py3-none-any.whl";
    let installed = Command::new("python3").args(pip).arg(wheel).current_dir(place.path("")).output();
    let installed = installed.expect("python3");
    assert!(installed.status.success(), "{installed:?}");
    let said = Command::new(place.path("there/bin/program")).output().expect("the program");
    assert_eq!(said.stdout, b"referee 9.9.9\n");
}

/// Writes a wheel of a module.
const WHEEL: &str = r#"
import zipfile
name = "referee-9.9.9"
with zipfile.ZipFile(name + "-py3-none-any.whl", "w") as wheel:
    wheel.writestr("referee/__init__.py", "")
    wheel.writestr(name + ".dist-info/METADATA", "Metadata-Version: 2.1\nName: referee\nVersion: 9.9.9\n")
    wheel.writestr(name + ".dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(name + ".dist-info/RECORD", "")
"#;
