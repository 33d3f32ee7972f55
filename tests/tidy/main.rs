//! Forbidden things in the source; `referee/README.md` gives the reasons. Each check must fail on a planted
//! violation.

mod left_out;
mod sizes;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use referee_games::catalog::GAMES;

use referee_testutil::ROOT;
use referee_testutil::source::{Source, is_in};

/// Everything that is checked.
#[derive(Clone)]
struct Tree {
    /// `referee/` without the files in `program`.
    library: Vec<Source>,
    /// The command line, its additions and the programs.
    program: Vec<Source>,
    bots: Vec<Source>,
    tests: Vec<Source>,
}

/// The folders of the command line, with its parts, and of the programs.
const PROGRAM: [&str; 3] = ["referee/cli/", "referee/lib.rs", "referee/main.rs"];

impl Tree {
    fn read() -> Tree {
        let is_program = |source: &Source| PROGRAM.iter().any(|place| source.file.starts_with(place));
        let (program, library) = Source::all_below("referee").into_iter().partition(is_program);
        Tree { library, program, bots: Source::all_below("bots"), tests: Source::all_below("tests") }
    }

    fn all(&self) -> impl Iterator<Item = &Source> {
        [&self.library, &self.program, &self.bots, &self.tests].into_iter().flatten()
    }

    fn of_the_product(&self) -> impl Iterator<Item = &Source> {
        [&self.library, &self.program, &self.bots].into_iter().flatten()
    }

    fn file(&mut self, file: &str) -> &mut Source {
        let all =
            [&mut self.library, &mut self.program, &mut self.bots, &mut self.tests].into_iter().flatten();
        all.into_iter().find(|source| source.file == file).unwrap_or_else(|| panic!("no file {file}"))
    }
}

/// A check: returns its findings, each with file and line.
type Check = fn(&Tree) -> Vec<String>;

const CHECKS: [(&str, Check); 13] = [
    ("the rules read nothing from outside", rules_are_pure),
    ("the middle knows no file, thread, process or clock", middle_is_pure),
    ("no circle of files", circles_of_files),
    ("only clock.rs reads time", time),
    ("files of strangers are opened beneath their folder", opening),
    ("only catalog.rs names a game", names_of_games),
    ("a bot in Rust needs the kit and the rules alone", bots_need_little),
    ("the library prints nothing, and the program in one place", printing),
    ("no file is too long", length),
    ("nothing is left to be done", leftovers),
    ("no path of one machine", paths_of_machines),
    ("a test is left out for a reason", left_out::without_reason),
    ("a test stands where it runs", unrun_tests),
];

#[test]
fn the_source_is_tidy() {
    let tree = Tree::read();
    let found: Vec<String> = CHECKS.iter().flat_map(|(_, check)| check(&tree)).collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

/// The allowed parts of the standard library in `rules/`: nothing that reads, waits, or has an order of its
/// own.
const PURE: [&str; 15] = [
    "std::any::Any",
    "std::array",
    "std::cmp",
    "std::collections::BTreeMap",
    "std::collections::BTreeSet",
    "std::collections::VecDeque",
    "std::convert",
    "std::error",
    "std::fmt",
    "std::iter",
    "std::mem",
    "std::num",
    "std::ops",
    "std::str",
    "std::time::Duration",
];

/// The crates that read nothing from outside, and what else each may use.
const PURE_CRATES: [(&str, &[&str]); 2] = [("rules", &["rand"]), ("games", &["crate::rules"])];

fn rules_are_pure(tree: &Tree) -> Vec<String> {
    // A bot's kit reads its questions; a list of games accepts additions; fast bots play in threads.
    const ABOVE: [&str; 6] = [
        "crate::rules::conformance",
        "crate::rules::entry",
        "crate::rules::kit",
        "crate::rules::thinker",
        "crate::games::catalog",
        "crate::games::guide",
    ];
    let is_above = |path: &str| ABOVE.iter().any(|above| is_in(path, above));
    let outside = dependencies();
    let is_outside = |path: &str| {
        let first = path.split("::").next().unwrap_or_default();
        matches!(first, "std" | "core" | "alloc" | "crate") || outside.contains(first)
    };
    let found = PURE_CRATES.iter().flat_map(|(name, others)| {
        let own = format!("crate::{name}");
        let may = move |path: &str| {
            let allowed = PURE.iter().chain(others.iter()).any(|pure| is_in(path, pure));
            (allowed || is_in(path, &own)) && !is_above(path)
        };
        paths_of(&tree.library, &format!("referee/{name}/"), |module, path| {
            (!is_above(module) && is_outside(path) && !may(path))
                .then(|| "the rules may not use it".to_owned())
        })
    });
    found.collect()
}

/// The crates that know no file, thread, process or clock: they read what they are handed, on any machine.
const MIDDLE: [&str; 3] = ["record", "show", "statistics"];

/// What else of the standard library they may use.
const PURE_IN_THE_MIDDLE: [&str; 13] = [
    "std::any",
    "std::borrow",
    "std::cell",
    "std::collections",
    "std::f64::consts",
    "std::io",
    "std::path",
    "std::slice",
    "std::sync::Arc",
    "std::sync::LazyLock",
    "std::sync::OnceLock",
    "std::sync::mpsc",
    "std::vec",
];

/// What asks the system all the same.
const ASKS_THE_SYSTEM: [&str; 4] = ["std::io::pipe", "std::io::stderr", "std::io::stdin", "std::io::stdout"];

/// Methods of a path that look at the disk.
const LOOKS_AT_THE_DISK: [&str; 10] = [
    "canonicalize",
    "exists",
    "is_dir",
    "is_file",
    "is_symlink",
    "metadata",
    "read_dir",
    "read_link",
    "symlink_metadata",
    "try_exists",
];

/// Libraries that build where there is no system, and that the middle may use.
const LIBRARIES_WITHOUT_A_SYSTEM: [&str; 18] = [
    "base64",
    "csv",
    "flate2",
    "gif",
    "maud",
    "noto-sans-mono-bitmap",
    "petgraph",
    "png",
    "rand",
    "serde",
    "serde_json",
    "sha2",
    "skillratings",
    "statrs",
    "unicode-normalization",
    "unicode-script",
    "unicode-security",
    "unicode-width",
];

fn middle_is_pure(tree: &Tree) -> Vec<String> {
    let may = |path: &str| {
        let mut allowed = PURE.iter().chain(&PURE_IN_THE_MIDDLE);
        allowed.any(|pure| is_in(path, pure)) && !ASKS_THE_SYSTEM.iter().any(|asks| is_in(path, asks))
    };
    let mut found = Vec::new();
    for name in MIDDLE {
        let folder = format!("referee/{name}/");
        found.extend(paths_of(&tree.library, &folder, |_, path| {
            (is_in(path, "std") && !may(path)).then(|| "this crate knows no system".to_owned())
        }));
        for source in tree.library.iter().filter(|source| source.file.starts_with(&folder)) {
            let looks = source.words().into_iter();
            let looks = looks.filter(|(word, _)| LOOKS_AT_THE_DISK.contains(&&**word));
            found.extend(looks.map(|(word, line)| at(source, line, &format!("{word} looks at the disk"))));
        }
    }
    found
}

#[test]
fn the_middle_depends_on_nothing_that_needs_a_system() {
    for name in MIDDLE.into_iter().chain(["games", "rules"]) {
        let manifest = manifest(&Path::new(ROOT).join("referee").join(name).join("Cargo.toml"));
        let Some(uses) = manifest.get("dependencies") else { continue };
        for used in uses.as_table().expect("a table").keys() {
            let is_ours = used
                .strip_prefix("referee-")
                .is_some_and(|used| MIDDLE.contains(&used) || matches!(used, "games" | "rules"));
            assert!(is_ours || LIBRARIES_WITHOUT_A_SYSTEM.contains(&&**used), "{name} uses {used}");
        }
    }
}

/// Calls that open a file by its path and follow links on the way. `beneath` and `walk` of `files` do not.
const OPENS: [&str; 8] = [
    "std::fs::File::create",
    "std::fs::File::open",
    "std::fs::OpenOptions::new",
    "std::fs::read",
    "std::fs::read_dir",
    "std::fs::read_to_string",
    "std::fs::write",
    "csv::Reader::from_path",
];

/// Files that may do so: for the kernel's files, the referee's own scratch folders, and files that the user
/// names to be written.
const MAY_OPEN: [&str; 13] = [
    // In the sandbox, and the program that works there.
    "referee/builds/inside.rs",
    "referee/builds/confined.rs",
    "referee/sandbox/",
    "referee/table/",
    "referee/files/beneath.rs",
    "referee/files/lock.rs",
    "referee/contest/node.rs",
    "referee/contest/admission/candidate.rs",
    "referee/contest/admission/check.rs",
    "referee/report/pages/folder.rs",
    "referee/cli/screen/keys.rs",
    "referee/cli/new.rs",
    "referee/cli/pages/replay.rs",
];

fn opening(tree: &Tree) -> Vec<String> {
    let may = |source: &&Source| !MAY_OPEN.iter().any(|file| source.file.starts_with(file));
    let sources = || tree.library.iter().chain(&tree.program).filter(may);
    let found = sources().flat_map(|source| {
        let opens = source.paths().into_iter().filter(|named| OPENS.contains(&&*named.path));
        opens.map(|named| at(source, named.line, &format!("{}: open it by beneath::Spot", named.path)))
    });
    found.collect()
}

/// Neighbouring files that need each other. A folder's own module (`mod.rs`) and its content may.
fn circles_of_files(tree: &Tree) -> Vec<String> {
    let sources: Vec<&Source> = tree.library.iter().chain(&tree.program).collect();
    let modules: BTreeMap<String, usize> = sources.iter().map(|source| source.module()).zip(0..).collect();
    let file_of = |path: &str| {
        let names: Vec<&str> = path.split("::").collect();
        (1..=names.len()).rev().find_map(|count| modules.get_key_value(&names[..count].join("::")))
    };
    let mut graph = petgraph::Graph::<usize, ()>::new();
    let nodes: Vec<_> = (0..sources.len()).map(|number| graph.add_node(number)).collect();
    for (source, from) in sources.iter().zip(&nodes) {
        let module = source.module();
        for (other, to) in source.paths().iter().filter_map(|named| file_of(&named.path)) {
            if !is_in(other, &module) && !is_in(&module, other) {
                graph.update_edge(*from, nodes[*to], ());
            }
        }
    }
    let circles = petgraph::algo::tarjan_scc(&graph).into_iter().filter(|files| files.len() > 1);
    let names = circles.map(|files| {
        let mut names: Vec<&str> = files.iter().map(|node| &*sources[graph[*node]].file).collect();
        names.sort_unstable();
        format!("a circle: {}", names.join(", "))
    });
    names.collect()
}

fn time(tree: &Tree) -> Vec<String> {
    const CLOCKS: [&str; 5] = ["Instant", "SystemTime", "Timestamp", "Zoned", "clock_gettime"];
    let others = tree.of_the_product().filter(|source| !source.file.ends_with("/clock.rs"));
    let words =
        others.flat_map(|source| source.words().into_iter().map(move |(word, line)| (source, word, line)));
    let reads = words.filter(|(_, word, _)| CLOCKS.contains(&word.as_str()));
    reads.map(|(source, word, line)| at(source, line, &format!("{word}: only clock.rs reads time"))).collect()
}

/// The list of games; and the code that makes each game's positions visible to learners.
const NAMES_GAMES: [&str; 3] =
    ["referee/games/catalog.rs", "referee/games/lib.rs", "referee/python/planes.rs"];

fn names_of_games(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for source in tree.library.iter().chain(&tree.program) {
        for name in GAMES.iter().map(|game| game.name) {
            let folder = format!("referee/games/{name}/");
            if NAMES_GAMES.contains(&&*source.file) || source.file.starts_with(&folder) {
                continue;
            }
            let path = format!("crate::games::{name}");
            let names = |path_of: &str| is_in(path_of, &path);
            let paths = source.paths().into_iter().filter(|named| names(&named.path));
            let strings = source.strings().into_iter().filter(|(text, _)| text.eq_ignore_ascii_case(name));
            let lines = paths.map(|named| named.line).chain(strings.map(|(_, line)| line));
            found
                .extend(lines.map(|line| at(source, line, &format!("names {name}: the list is catalog.rs"))));
        }
    }
    found
}

fn bots_need_little(tree: &Tree) -> Vec<String> {
    let games: Vec<String> = GAMES.iter().map(|game| format!("bots/{}/", game.name)).collect();
    let of_games = |source: &&Source| games.iter().any(|folder| source.file.starts_with(folder));
    let own = ["std", "referee_rules", "referee_games"];
    let allowed = |path: &str| own.iter().any(|own| is_in(path, own));
    let crates = dependencies();
    let mut found = Vec::new();
    for source in tree.bots.iter().filter(of_games) {
        for named in source.paths() {
            let first = named.path.split("::").next().unwrap_or_default();
            let is_outside = first.starts_with("referee") || first == "std" || crates.contains(first);
            if is_outside && (!allowed(&named.path) || is_in(&named.path, "referee_games::catalog")) {
                found.push(at(source, named.line, &format!("{}: a bot does without", named.path)));
            }
        }
    }
    found
}

fn printing(tree: &Tree) -> Vec<String> {
    const PRINTS: [&str; 5] = ["println!", "print!", "eprintln!", "eprint!", "dbg!"];
    // Two of the program's files use standard output as a terminal; `out` writes and checks all printed
    // output.
    const OUTPUT: [&str; 3] =
        ["referee/cli/out.rs", "referee/cli/screen/terminal.rs", "referee/cli/screen/keys.rs"];
    let mut found = Vec::new();
    // A build script talks to cargo on standard output.
    let sources =
        tree.library.iter().chain(&tree.program).filter(|source| !source.file.ends_with("/build.rs"));
    for source in sources {
        let is_program = PROGRAM.iter().any(|place| source.file.starts_with(place));
        let place = if is_program { "outside out.rs" } else { "in the library" };
        for (word, line) in source.words() {
            let is_output = place == "outside out.rs" && word == "stdout";
            if PRINTS.contains(&word.as_str()) || (is_output && !OUTPUT.contains(&&*source.file)) {
                found.push(at(source, line, &format!("{word} {place}")));
            }
        }
    }
    found
}

/// Maximum number of lines in a file.
const LINES_MAX: usize = 700;

/// Longer files, each with the reason.
const LONG: [(&str, &str); 1] = [("bots/football/champion.rs", "an author copies one file")];

fn length(tree: &Tree) -> Vec<String> {
    let long = |source: &Source| source.text.lines().count() > LINES_MAX;
    let excused = |file: &str| LONG.iter().any(|(excused, _)| *excused == file);
    let too_long = tree.all().filter(|source| long(source) && !excused(&source.file)).map(|source| {
        let count = source.text.lines().count();
        format!(
            "{}: {count} lines, more than {LINES_MAX}; split it, or list it in tests/tidy/main.rs with the reason",
            source.file
        )
    });
    let idle = LONG.iter().filter(|(file, _)| !tree.all().any(|source| source.file == *file && long(source)));
    let idle = idle
        .map(|(file, _)| format!("{file}: not over {LINES_MAX} lines; strike it off the list of long files"));
    too_long.chain(idle).collect()
}

fn leftovers(tree: &Tree) -> Vec<String> {
    // In two parts, otherwise this file would find itself.
    let marks = [["TO", "DO"], ["FIX", "ME"], ["todo", "!("], ["unimple", "mented!("], ["XX", "X"]];
    lines_with(tree, &marks.map(|mark| mark.concat()))
}

fn paths_of_machines(tree: &Tree) -> Vec<String> {
    lines_with(tree, &[["/ro", "ot/"], ["/ho", "me/"], ["/wo", "rk/"]].map(|path| path.concat()))
}

fn lines_with(tree: &Tree, marks: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for source in tree.all() {
        for (line, number) in source.text.lines().zip(1..) {
            let marks = marks.iter().filter(|mark| line.contains(*mark));
            found.extend(marks.map(|mark| at(source, number, &format!("{mark} is left"))));
        }
    }
    found
}

/// Checks each path that the files below a folder name.
fn paths_of(sources: &[Source], below: &str, wrong: impl Fn(&str, &str) -> Option<String>) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources.iter().filter(|source| source.file.starts_with(below)) {
        let module = source.module();
        for named in source.paths() {
            if let Some(why) = wrong(&module, &named.path) {
                found.push(at(source, named.line, &format!("{} in {module}: {why}", named.path)));
            }
        }
    }
    found
}

fn at(source: &Source, line: usize, what: &str) -> String {
    format!("{}:{line}: {what}", source.file)
}

/// Reads a manifest.
fn manifest(path: &Path) -> toml::Table {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Finds unit tests in crates whose manifest says that they have none: no command runs them.
fn unrun_tests(tree: &Tree) -> Vec<String> {
    let mut untested: BTreeMap<&str, bool> = BTreeMap::new();
    let mut found = Vec::new();
    for source in tree.library.iter().chain(&tree.program) {
        let folder = source.file.rfind('/').map_or("", |end| &source.file[..end]);
        // `referee/NAME/...`; the files of `referee` itself have the manifest at the top.
        let folder = folder.match_indices('/').nth(1).map_or(folder, |(end, _)| &folder[..end]);
        let is_untested = *untested.entry(folder).or_insert_with(|| {
            let folder = if folder == "referee" { Path::new("") } else { Path::new(folder) };
            let manifest = manifest(&Path::new(ROOT).join(folder).join("Cargo.toml"));
            manifest
                .get("lib")
                .and_then(|lib| lib.get("test"))
                .is_some_and(|test| test.as_bool() == Some(false))
        });
        let tests = source.text.lines().zip(1..).filter(|(line, _)| line.trim() == "#[cfg(test)]");
        let tests = tests.filter(|_| is_untested);
        found.extend(
            tests.map(|(_, line)| at(source, line, "no command runs the tests of this crate's files")),
        );
    }
    found
}

/// The names of all crates on which the workspace depends.
fn dependencies() -> BTreeSet<String> {
    let root = manifest(&Path::new(ROOT).join("Cargo.toml"));
    let all = root["workspace"]["dependencies"].as_table().expect("a table");
    all.keys().map(|name| name.replace('-', "_")).collect()
}

/// Returns, for each crate below `referee/`, the others there that it uses.
fn crates() -> BTreeMap<String, BTreeSet<String>> {
    let folders = fs::read_dir(Path::new(ROOT).join("referee")).expect("a folder").flatten();
    let found = folders.filter(|entry| entry.path().join("Cargo.toml").exists()).map(|entry| {
        let uses = match manifest(&entry.path().join("Cargo.toml")).get("dependencies") {
            Some(uses) => uses.as_table().expect("a table").keys().cloned().collect(),
            None => Vec::new(),
        };
        let ours = uses.iter().filter_map(|name| name.strip_prefix("referee-")).map(str::to_owned);
        (entry.file_name().into_string().expect("text"), ours.collect())
    });
    found.collect()
}

#[test]
fn the_readme_says_which_crate_uses_which() {
    let text = fs::read_to_string(Path::new(ROOT).join("referee/README.md")).unwrap();
    assert!(text.lines().count() < 160, "a page that is too long is not read to the end");
    let mut told = BTreeMap::new();
    for row in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells[0].trim_matches(['`', '/']).to_owned();
        let uses = cells[2].split(", ").map(|word| word.split(' ').next().unwrap_or_default().to_owned());
        told.insert(name, uses.filter(|word| word != "nothing").collect::<BTreeSet<String>>());
    }
    assert_eq!(told, crates());
}

#[test]
fn unsafe_code_is_in_the_sandbox_alone() {
    // The compiler refuses it elsewhere: only the sandbox allows it, and each other crate forbids it.
    for name in crates().keys().filter(|name| *name != "sandbox") {
        let lib = Path::new(ROOT).join("referee").join(name).join("lib.rs");
        let text = fs::read_to_string(&lib).unwrap();
        let is_foreign = matches!(&**name, "python" | "serve" | "wasm");
        assert!(is_foreign || text.contains("#![forbid(unsafe_code)]"), "{}", lib.display());
    }
}

/// Each check, with a line that it must find at the end of a file.
const PLANTED: [(&str, &str, &str); 38] = [
    ("the rules read nothing from outside", "referee/rules/seat.rs", "use std::io::Read;"),
    ("the rules read nothing from outside", "referee/rules/seat.rs", "use std::{fmt, fs};"),
    ("the rules read nothing from outside", "referee/rules/seat.rs", "fn f() { std::net::lookup(1) }"),
    ("the rules read nothing from outside", "referee/rules/grid.rs", "fn f() { std::env::args(); }"),
    ("the rules read nothing from outside", "referee/rules/grid.rs", "use std::thread;"),
    (
        "the rules read nothing from outside",
        "referee/games/football/mod.rs",
        "use std::time::{Duration, Instant};",
    ),
    ("the rules read nothing from outside", "referee/games/football/mod.rs", "use std::time::SystemTime;"),
    ("the rules read nothing from outside", "referee/rules/dice.rs", "use std::collections::HashMap as Map;"),
    (
        "the rules read nothing from outside",
        "referee/rules/dice.rs",
        "use std::collections::{self, VecDeque};",
    ),
    ("the rules read nothing from outside", "referee/rules/dice.rs", "use referee_sandbox::clock::Moment;"),
    ("the rules read nothing from outside", "referee/rules/dice.rs", "use serde::Serialize;"),
    (
        "the middle knows no file, thread, process or clock",
        "referee/record/read.rs",
        "fn f() { std::fs::read(\"x\"); }",
    ),
    (
        "the middle knows no file, thread, process or clock",
        "referee/record/play/turns.rs",
        "use std::{fmt, thread};",
    ),
    (
        "the middle knows no file, thread, process or clock",
        "referee/show/view/screen.rs",
        "use std::io::{Write, stdout};",
    ),
    (
        "the middle knows no file, thread, process or clock",
        "referee/show/page/gif.rs",
        "use std::process::Command;",
    ),
    (
        "the middle knows no file, thread, process or clock",
        "referee/show/page/html/tape.rs",
        "use std::time::Instant;",
    ),
    (
        "the middle knows no file, thread, process or clock",
        "referee/record/contents.rs",
        "fn f(path: &Path) { path.exists() }",
    ),
    ("no circle of files", "referee/record/rows.rs", "use super::read;"),
    ("only clock.rs reads time", "referee/record/play/turns.rs", "fn f() { std::time::Instant::now(); }"),
    ("only clock.rs reads time", "bots/football/still.rs", "use std::time::SystemTime;"),
    (
        "files of strangers are opened beneath their folder",
        "referee/contest/hill/seasons.rs",
        "use std::fs; fn f() { fs::read(\"x\"); }",
    ),
    (
        "files of strangers are opened beneath their folder",
        "referee/cli/audit.rs",
        "use std::fs::OpenOptions; fn f() { OpenOptions::new(); }",
    ),
    ("only catalog.rs names a game", "referee/cli/demo.rs", "const GAME: &str = \"football\";"),
    ("only catalog.rs names a game", "referee/record/play/replay/audit.rs", "use referee_games::football;"),
    ("only catalog.rs names a game", "referee/show/view/screen.rs", "use referee_games::push::HOMES;"),
    ("only catalog.rs names a game", "referee/games/push/board.rs", "const OTHER: &str = \"football\";"),
    (
        "a bot in Rust needs the kit and the rules alone",
        "bots/football/still.rs",
        "use referee_games::catalog;",
    ),
    ("a bot in Rust needs the kit and the rules alone", "bots/football/greedy.rs", "use serde::Serialize;"),
    (
        "the library prints nothing, and the program in one place",
        "referee/contest/runner/pool.rs",
        "fn f() { println!(\"done\") }",
    ),
    (
        "the library prints nothing, and the program in one place",
        "referee/cli/new.rs",
        "fn f() { print!(\"done\") }",
    ),
    (
        "the library prints nothing, and the program in one place",
        "referee/cli/play.rs",
        "use std::io::stdout;",
    ),
    ("no file is too long", "bots/lib.rs", "\n\n\n\n\n\n\n\n"),
    ("nothing is left to be done", "tests/bots/house_bots.rs", "// TO-DO: all"),
    ("no path of one machine", "bots/lib.rs", "// see /ro-ot/notes"),
    ("a test is left out for a reason", "tests/bots/house_bots.rs", "#[ign-ore] fn f() {}"),
    ("a test is left out for a reason", "tests/bots/house_bots.rs", "#[ign-ore = \"it fails\"]"),
    ("the rules read nothing from outside", "referee/games/push/mod.rs", "use referee_record::Digest;"),
    ("a test stands where it runs", "referee/contest/lookup.rs", "\n#[cfg(test)]\nmod tests {}"),
];

#[test]
fn each_check_finds_what_is_planted() {
    let whole = Tree::read();
    let before: BTreeMap<&str, Vec<String>> =
        CHECKS.iter().map(|(name, check)| (*name, check(&whole))).collect();
    for (name, file, planted) in PLANTED {
        let (_, check) = CHECKS.iter().find(|(other, _)| *other == name).expect(name);
        let mut tree = whole.clone();
        let source = tree.file(file);
        let in_two = [["TO", "DO"], ["/ro", "ot"], ["#[ign", "ore"]];
        let planted: String = in_two
            .iter()
            .fold(planted.to_owned(), |planted, mark| planted.replace(&mark.join("-"), &mark.concat()));
        source.text += &planted.replace("\n\n", &"\n".repeat(200));
        let found: Vec<String> =
            check(&tree).into_iter().filter(|found| !before[name].contains(found)).collect();
        let names_the_file =
            |found: &String| found.starts_with(&format!("{file}:")) || found.starts_with("a circle: ");
        assert!(found.iter().any(names_the_file), "{name}: {planted:?} in {file}: {found:?}");
    }
    let mut tree = whole.clone();
    tree.file(LONG[0].0).text.clear();
    let excuse = format!("{}: not over", LONG[0].0);
    assert!(length(&tree).iter().any(|found| found.starts_with(&excuse)), "an idle excuse is found");
    let shown: BTreeSet<&str> = PLANTED.iter().map(|(name, _, _)| *name).collect();
    assert_eq!(shown, CHECKS.iter().map(|(name, _)| *name).collect(), "each check is shown to fail");
}
