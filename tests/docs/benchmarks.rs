//! `BENCHMARKS.md` is short, names the commit and the command of each figure, and `scripts/bench all` writes it for a
//! commit alone. A program that prints a table replaces the measurements.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use regex_lite::Regex;

use super::document::{Document, project};
use crate::support::{Place, Ran, once_written};

/// Maximum number of lines. `scripts/bench all` knows it, too.
const LINES: usize = 150;

/// Returns the names of the measurements that a text names, by the group of a pattern.
fn named(text: &str, pattern: &str) -> BTreeSet<String> {
    let pattern = Regex::new(pattern).expect("a pattern");
    pattern.captures_iter(text).map(|found| found[1].to_owned()).collect()
}

#[test]
fn each_figure_has_a_commit_and_a_command() {
    let text = fs::read_to_string(project("BENCHMARKS.md")).expect("a page");
    let lines = text.lines().count();
    assert!(lines <= LINES, "{lines} lines");

    let page = Document::read("BENCHMARKS.md");
    let head = page.table("", "sections");
    let (sections, commits) = (head.column("sections"), head.column("commit"));
    let commit = Regex::new("^[0-9a-f]{7,40}$").expect("a pattern");
    assert!(commits.iter().all(|name| commit.is_match(name)), "{commits:?}");
    // The first page was collected by hand, from several commits. A page of one run has one row.
    if sections != ["all"] {
        for heading in text.lines().filter_map(|line| line.strip_prefix("## ")) {
            assert!(sections.iter().any(|listed| listed.contains(heading)), "no commit for {heading}");
        }
    }

    let used = named(&page.prose.replace('\n', " "), "`scripts/bench ([a-z]+)");
    let script = fs::read_to_string(project("scripts/bench")).expect("a script");
    let known = named(&script, r"#   scripts/bench \[?([a-z]+)");
    assert!(used.len() > 3 && used.is_subset(&known), "{used:?} of {known:?}");
}

#[test]
fn a_tree_with_changes_is_not_measured() {
    let place = Place::new();
    fs::create_dir_all(place.path("tree/scripts")).expect("a folder");
    fs::copy(project("scripts/bench_all"), place.path("tree/scripts/bench_all")).expect("a script");
    place.program("tree/scripts/bench", "#!/bin/sh\necho \"| of $1 |\"; echo '| --- |'; echo '| 7 |'\n");
    let git = "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -q -m a";
    let made = Command::new("sh").args(["-c", git]).current_dir(place.path("tree")).output().expect("git");
    assert!(made.status.success(), "{made:?}");
    let measure = |words: &[&str]| {
        let mut script = Command::new(place.path("tree/scripts/bench_all"));
        let script = script.args(words).current_dir(place.path(""));
        let output = once_written(|| script.output()).expect("python3");
        Ran::new(words.join(" "), &output)
    };

    measure(&["page.md"]).with_status(0);
    let page = fs::read_to_string(place.path("page.md")).expect("a page");
    assert!(page.contains("## A turn\n\n`scripts/bench turn "), "{page}");
    assert!(page.contains("\n| of turn |\n| --- |\n| 7 |\n"), "{page}");

    fs::write(place.path("tree/more"), "a file that no commit has").expect("a file");
    measure(&["other.md"]).with_status(2).complaining(&["more"]);
    assert!(!place.path("other.md").exists());
    measure(&["--only", "verdict"]).with_status(0).saying(&["| of verdict |"]);
}
