//! Games of your own: a program that adds a game to the referee (`bots/starter-game`, built as `tron`).

#[path = "../../bots/starter-game/rust/game.rs"]
mod game;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use referee_files::digest;
use referee_games::catalog::{self, Entry};
use referee_rules::conformance;

use crate::support::{Beside, Place, REFEREE, Ran, once_written, results_in};

static TRON: Beside = Beside::named("tron");

/// Runs the program with the game, in a place.
fn tron(place: &Place, words: &[&str]) -> Ran {
    let mut command = Command::new(&*TRON);
    command.args(words).current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
    Ran::new(words.join(" "), &command.output().expect("tron can be started"))
}

#[test]
fn the_game_to_begin_with_does_what_any_game_must() {
    conformance::check::<game::Tron>();
}

#[test]
fn a_game_of_ones_own_is_played_audited_watched_and_exported_as_any_other() {
    let place = Place::new();
    tron(&place, &["play", "tron", "straight", "straight", "straight", "--side", "7", "--seed", "3"])
        .with_status(0);
    let results = fs::read_to_string(place.path("games/results.csv")).unwrap();
    let header: Vec<&str> = results.lines().next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|column| *column == name).expect(name);
    for row in results.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!((cells[column("rules")], cells[column("rules_version")]), ("tron", "1"), "{row}");
        assert!(cells[column("parameters")].contains("seats=3 side=7"), "{row}");
    }
    let log = fs::read_dir(place.path("games/logs")).unwrap().next().unwrap().unwrap().path();
    let log = log.to_str().unwrap();
    for words in [&["audit", "games"][..], &["audit", log], &["replay", log, "--plain"], &["export", log]] {
        tron(&place, words).with_status(0);
    }
    let told = tron(&place, &["replay", log, "--plain"]).with_status(0);
    assert!(told.out.contains("rides"), "{}", told.out);
    tron(&place, &["replay", log, "--html", "game.html"]).with_status(0);
    assert!(fs::read_to_string(place.path("game.html")).unwrap().contains("tron"));
    // The referee without the game reports what is missing.
    let other = place.referee(&["audit", log]).with_status(3);
    assert!(other.err.contains("no such game: tron"), "{}", other.err);
    assert!(other.err.contains("the program that has this game"), "{}", other.err);
    place.assert_nothing_stays();
}

#[test]
fn a_game_with_the_name_of_another_is_refused() {
    let push = *catalog::find("push").unwrap();
    let taken = catalog::add(Entry { name: push.name, ..Entry::of::<game::Tron>() }).map(|entry| entry.name);
    assert_eq!(taken.unwrap_err().to_string(), "there are two games named push; give yours another name");
}

#[test]
fn a_hill_of_a_game_of_ones_own_has_its_house_bots_and_standings() {
    let place = Place::new();
    tron(&place, &["hill", "new", "h", "tron", "--side", "6", "--seats", "2"]).with_status(0);
    for name in ["ann", "ben"] {
        tron(&place, &["hill", "submit", "h", "straight", "--name", name]).with_status(0);
    }
    tron(&place, &["hill", "run", "h", "--rounds", "2"]).with_status(0);
    let standings = tron(&place, &["hill", "standings", "h"]).with_status(0);
    assert!(standings.out.contains("ann") && standings.out.contains("ben"), "{}", standings.out);
    tron(&place, &["audit", "h"]).with_status(0);
    tron(&place, &["report", "h", "--html", "pages"]).with_status(0);
    assert!(tron(&place, &["bots"]).with_status(0).out.contains("straight"));
    tron(&place, &["new", "x", "--game", "tron", "--lang", "c"]).with_status(0);
    let told = fs::read_to_string(place.path("x/tron.md")).unwrap();
    assert!(told.contains("| `side` |"), "{told}");
    assert!(fs::read_to_string(place.path("x/bot.c")).unwrap().contains("A frame for any game"));
    assert!(place.referee(&["hill", "standings", "h"]).with_status(2).err.contains("no such game: tron"));
    place.assert_nothing_stays();
}

#[test]
fn rows_name_the_program_that_had_the_rules_and_an_audit_by_another_says_so() {
    let place = Place::new();
    tron(&place, &["hill", "new", "h", "tron", "--side", "6", "--seats", "2"]).with_status(0);
    for name in ["ann", "ben"] {
        tron(&place, &["hill", "submit", "h", "straight", "--name", name]).with_status(0);
    }
    tron(&place, &["hill", "run", "h", "--rounds", "1"]).with_status(0);
    let digest = digest::of_file(Path::new(&*TRON)).unwrap();
    let rows = results_in(&place.path("h"));
    assert!(rows.iter().all(|row| row.rules_digest.as_ref() == Some(&digest)), "{rows:?}");
    let told = tron(&place, &["audit", "h"]).with_status(0).out;
    assert!(!told.contains("another program"), "{told}");

    // Another build: the same rules, one byte more.
    let mut build = fs::read(&TRON).unwrap();
    build.push(0);
    place.program("built-again", build);
    let audit = || {
        let mut command = Command::new(place.path("built-again"));
        command.args(["audit", "h"]).current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
        let output = once_written(|| command.output()).expect("it can be started");
        Ran::new("built-again audit h".to_owned(), &output)
    };
    let told = audit().with_status(0).out;
    let due = "1 game was played by another program with rules of this name and version";
    assert!(told.contains(due), "{told}");

    // A disagreement can be the other program's doing.
    let log = place.path("h").join(&rows[0].log);
    let text = fs::read_to_string(&log).unwrap();
    let last = text.trim_end().rfind('\n').expect("several lines");
    fs::write(&log, &text[..=last]).unwrap();
    let told = audit().with_status(3).err;
    assert!(told.contains(&format!("(SHA-256 {digest}): audit it with that one")), "{told}");
    let told = tron(&place, &["audit", "h"]).with_status(3).err;
    assert!(!told.contains("another program"), "{told}");
    place.assert_nothing_stays();
}

#[test]
fn a_new_game_is_a_crate_of_its_own_name() {
    let place = Place::new();
    let told = place.referee(&["new-game", "hexer", "--lang", "rust", "--dir", "made"]).with_status(0).out;
    assert!(told.contains("cargo test") && told.contains("play hexer straight straight"), "{told}");
    let manifest: toml::Table =
        toml::from_str(&fs::read_to_string(place.path("made/hexer/Cargo.toml")).unwrap()).unwrap();
    assert_eq!(manifest["package"]["name"].as_str(), Some("hexer"));
    // It builds from what a user has: the source that the program was built from.
    for (name, below) in
        [("referee", ""), ("referee-rules", "referee/rules"), ("referee-serve", "referee/serve")]
    {
        let path = manifest["dependencies"][name]["path"].as_str().unwrap();
        assert_eq!(
            fs::canonicalize(path).unwrap(),
            Path::new(env!("CARGO_MANIFEST_DIR")).join(below),
            "{name}"
        );
    }
    let refused =
        place.referee(&["new-game", "hex", "--lang", "rust", "--source", "made"]).with_status(2).err;
    assert!(refused.contains("this is not the source of the referee"), "{refused}");
    for file in ["main.rs", "serve.rs", "game.rs", "straight.rs"] {
        let text = fs::read_to_string(place.path("made/hexer/src").join(file)).unwrap();
        let source = format!("{}/bots/starter-game/rust/{file}", env!("CARGO_MANIFEST_DIR"));
        let due = fs::read_to_string(source).unwrap().replace("Tron", "Hexer").replace("tron", "hexer");
        assert_eq!(text, due);
    }
    let again = place.referee(&["new-game", "hexer", "--lang", "rust", "--dir", "made"]).with_status(2).err;
    assert!(again.contains("exists already; nothing was written"), "{again}");
    for (words, why) in [
        (["push", "rust"], "a game has this name already"),
        (["x", "cobol"], "there are: c, java, javascript, python, rust"),
    ] {
        let refused = place.referee(&["new-game", words[0], "--lang", words[1]]).with_status(2).err;
        assert!(refused.contains(why), "{refused}");
    }
}

/// Lists the files of a crate among those that were built with the program.
fn built(deps: &Path, name: &str) -> Vec<PathBuf> {
    let is_it = |path: &PathBuf| {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        file.starts_with(&format!("lib{name}-")) && file.ends_with(".rlib")
    };
    fs::read_dir(deps).expect("a folder").flatten().map(|entry| entry.path()).filter(is_it).collect()
}

#[test]
#[ignore = "slow: builds a crate"]
fn a_new_game_compiles_passes_the_suite_and_plays() {
    let place = Place::new();
    let source = env!("CARGO_MANIFEST_DIR");
    place.referee(&["new-game", "hexer", "--lang", "rust", "--source", source]).with_status(0);
    // The manifest names existing crates. They are those of this workspace, which has built them already.
    fs::copy(format!("{source}/Cargo.lock"), place.path("hexer/Cargo.lock")).unwrap();
    let mut tree = Command::new(env!("CARGO"));
    let tree = tree.args(["tree", "--offline", "--depth", "1"]).current_dir(place.path("hexer")).output();
    let tree = Ran::new("tree".to_owned(), &tree.expect("cargo can be started")).with_status(0).out;
    assert!(tree.contains("referee v") && tree.contains("referee-rules v"), "{tree}");
    let deps = Path::new(&*REFEREE).with_file_name("deps");
    let rustc = |out: &str, more: &[&str], [referee, rules]: [&Path; 2]| {
        let mut command = Command::new("rustc");
        command.args(["--edition", "2024", "--crate-name", "hexer", "hexer/src/main.rs", "-o", out]);
        command.arg("--extern").arg(format!("referee={}", referee.display()));
        command.arg("--extern").arg(format!("referee_rules={}", rules.display()));
        command.arg("-L").arg(format!("dependency={}", deps.display())).args(more);
        let output = command.current_dir(place.path("")).output().expect("rustc can be started");
        Ran::new(out.to_owned(), &output)
    };
    // There can be several builds of a crate. Only the compiler knows which of them belong together.
    let (referees, rules) = (built(&deps, "referee"), built(&deps, "referee_rules"));
    let mut pairs = referees.iter().flat_map(|one| rules.iter().map(move |other| [&**one, &**other]));
    let pair = pairs.find(|pair| rustc("suite", &["--test"], *pair).status == Some(0));
    let pair = pair.unwrap_or_else(|| {
        rustc("suite", &["--test"], [&referees[0], &rules[0]]).with_status(0);
        unreachable!("it was compiled after all")
    });
    let run = |program: &str, words: &[&str]| {
        let ran = Command::new(place.path(program)).args(words).current_dir(place.path("")).output();
        Ran::new(words.join(" "), &ran.expect("the new program can be started")).with_status(0)
    };
    assert!(run("suite", &[]).out.contains("1 passed"));
    rustc("program", &[], pair).with_status(0);
    run("program", &["play", "hexer", "straight", "straight"]);
    let audit = run("program", &["audit", "games"]);
    assert!(audit.out.contains("agrees: 1 game"), "{}", audit.out);
}

/// Copies what was built of other crates, with the times of the files, to the folder in which the core is built.
const COPY_OF_OTHERS: &str = r#"
set -e
core=../core/debug
mkdir -p "$core/deps"
cp -a .fingerprint build "$core/"
find deps -maxdepth 1 \( -name 'lib*' -o -name '*.d' \) ! -name 'libreferee*' ! -name 'referee*' -exec cp -a -t "$core/deps" {} +
"#;

/// Lists the crates of the core, and those of the parts, which it does without.
fn crates() -> impl Iterator<Item = String> {
    let folders =
        fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/referee")).expect("the crates").flatten();
    let folders = folders.filter(|entry| entry.path().join("Cargo.toml").exists());
    let named = folders.map(|entry| format!("referee-{}", entry.file_name().to_string_lossy()));
    named.chain(["referee", "referee-bots"].map(str::to_owned))
}

#[test]
#[ignore = "slow: builds the core"]
fn the_core_alone_plays_runs_a_hill_and_audits() {
    let place = Place::new();
    // Crates of others are built already, most of them with the same features.
    let built = Path::new(&*REFEREE).parent().expect("a folder");
    let copied = Command::new("sh").args(["-c", COPY_OF_OTHERS]).current_dir(built).status();
    assert!(copied.expect("a shell").success(), "what is built was copied");
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--locked", "--offline", "-p", "referee", "--no-default-features", "--target-dir"]);
    build.arg(built.with_file_name("core")).current_dir(env!("CARGO_MANIFEST_DIR"));
    // Other features are other builds of the project's crates: not optimised, they take half the time.
    for name in crates() {
        build.arg("--config").arg(format!("profile.dev.package.{name}.opt-level=0"));
    }
    Ran::new("build".to_owned(), &build.output().expect("cargo can be started")).with_status(0);
    let core = built.with_file_name("core").join("debug/referee");
    let run = |words: &[&str]| {
        let ran = Command::new(&core).args(words).current_dir(place.path("")).output();
        Ran::new(words.join(" "), &ran.expect("the core can be started"))
    };
    let bots = ["random"; 6];
    run(&[&["play", "push", "--turns", "5", "--seed", "7"], &bots[..]].concat()).with_status(0);
    run(&["audit", "games"]).with_status(0);
    assert!(
        run(&["replay", "games", "push-0x0000000000000007", "--plain"]).with_status(0).out.contains("turn")
    );
    run(&["hill", "new", "h", "football", "-p", "4", "--max-turns", "30"]).with_status(0);
    for bot in ["still", "random", "greedy", "sweeper"] {
        run(&["hill", "submit", "h", bot]).with_status(0);
    }
    run(&["hill", "run", "h", "--rounds", "2"]).with_status(0);
    let is_told = |ran: &Ran| {
        ran.out.contains("h: its signatures were not checked, since this program was built without")
    };
    assert!(!is_told(&run(&["audit", "h"]).with_status(0)), "the core signs nothing, and says nothing");
    // Signed by the whole program.
    place.referee(&["proof", "begin", "h"]).with_status(0);
    assert!(is_told(&run(&["audit", "h"]).with_status(0)));
    std::fs::remove_dir_all(place.path("h/proof")).expect("a folder");
    assert!(is_told(&run(&["audit", "h"]).with_status(0)), "the settings say it");
    // The commands of a part are missing, and the core does not name them.
    for part in ["report", "proof", "docs", "new-game"] {
        run(&[part]).with_status(2).complaining(&["unrecognized subcommand"]);
    }
    for words in
        [&["serve", "h"][..], &["hill", "invite", "h", "alice"], &["hill", "submit", "http://a/h", "b"]]
    {
        run(words).with_status(2).complaining(&["built without the part `web`", "--features full"]);
    }
    assert!(!run(&["replay", "--help"]).with_status(0).out.contains("--html"));
}
