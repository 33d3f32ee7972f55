//! Figures that stand in several documents are the same in all of them, and those that the project can count are right.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use referee_testutil::attacks::corpus;
use regex_lite::Regex;

use crate::support::Place;

/// A figure: its name, and its places. The group of a pattern is the figure.
type Figure = (&'static str, &'static [(&'static str, &'static str)]);

const FIGURES: &[Figure] = &[
    (
        "attacks",
        &[
            ("README.md", r"Of \[(\d+) attacks\]"),
            ("docs/explanation/sandbox.md", r"The project contains (\d+) attacks"),
            ("docs/explanation/sandbox.md", r"\| all \| (\d+) \|"),
            ("tests/README.md", r"every layer alone; (\d+) attacks"),
            ("tests/sandbox/hostile/tiers.rs", r#""slow: (\d+) attacks""#),
        ],
    ),
    (
        "attacks that work as plain programs of root",
        &[
            ("README.md", r"none succeeds in the strict sandbox; (\d+) do if root"),
            ("docs/explanation/sandbox.md", r"\| all \|.*\| (\d+) / \d+ \|\n"),
        ],
    ),
    (
        "games until a king",
        &[
            ("BENCHMARKS.md", r"\| [\d, ]+ \| (\d+) \| \d+ clear_king"),
            ("docs/explanation/stop-rule.md", r"needed a median of (\d+) games"),
        ],
    ),
    (
        "ratio of a turn to the floor",
        &[
            ("BENCHMARKS.md", r"turn / floor, p = 10 +[\d.]+ +[\d.]+ +([\d.]+) "),
            ("README.md", r" us, +([\d.]+) +times +what"),
        ],
    ),
    (
        "oldest toolchain",
        &[
            ("Cargo.toml", r#"rust-version = "1\.(\d+)""#),
            ("README.md", r"a Rust toolchain \(1\.(\d+) or newer\)"),
            ("CONTRIBUTING.md", r"a Rust toolchain \(1\.(\d+) or newer\)"),
        ],
    ),
];

/// Returns all values of a figure in a document, with line breaks as blanks if it is prose.
fn values(file: &str, pattern: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a document");
    let whole = if pattern.contains(r"\n") { text } else { text.replace('\n', " ") };
    let pattern = Regex::new(pattern).expect("a pattern");
    pattern.captures_iter(&whole).map(|found| found[1].to_owned()).collect()
}

fn each_value(name: &str) -> BTreeSet<String> {
    let (_, places) = FIGURES.iter().find(|(other, _)| *other == name).expect("a figure");
    let mut all = BTreeSet::new();
    for (file, pattern) in *places {
        let found = values(file, pattern);
        assert!(!found.is_empty(), "{file} no longer says the {name}: {pattern}");
        all.extend(found);
    }
    all
}

#[test]
fn a_figure_is_the_same_wherever_it_stands() {
    for (name, places) in FIGURES {
        let all = each_value(name);
        assert_eq!(all.len(), 1, "the {name} differ: {all:?} in {places:?}");
    }
}

#[test]
fn what_the_project_can_count_is_counted() {
    let place = Place::new();
    corpus::compile(&place.path("attacks"));
    let attacks = corpus::list(&place.path("attacks"));
    assert_eq!(each_value("attacks").into_iter().collect::<Vec<_>>(), [attacks.len().to_string()]);
    let mut families: BTreeMap<String, usize> = BTreeMap::new();
    for attack in &attacks {
        *families.entry(attack.family.clone()).or_default() += 1;
    }
    for (family, number) in families {
        let told = values("docs/explanation/sandbox.md", &format!(r"\| {family} \| ([0-9]+) \|"));
        assert_eq!(told, [number.to_string()], "attacks on {family}");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let languages = fs::read_to_string(root.join("tests/sandbox/languages/languages.txt")).expect("a list");
    let number = languages.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count();
    assert_eq!(
        values("docs/explanation/sandbox.md", "Bots in ([0-9]+) languages").into_iter().collect::<Vec<_>>(),
        [number.to_string()]
    );
    let starters = fs::read_dir(root.join("bots/starters")).expect("a folder").flatten();
    let languages = starters.filter(|entry| entry.path().is_dir()).count();
    assert_eq!(languages, 8, "the words \"eight languages\" in README.md and bots/starters/README.md");
    for file in ["README.md", "bots/starters/README.md"] {
        assert!(!values(file, "(eight languages)").is_empty(), "{file}");
    }
}
