//! Tests that `cargo test` leaves out: each has a reason, and one line lists them all.

use std::collections::BTreeSet;
use std::io::Write as _;

use super::{Tree, at};

/// Reasons to leave out a test: it takes long, or it needs a program that a machine with Rust and Python may
/// lack.
const REASONS: [&str; 2] = ["slow: ", "needs "];

/// The line before a test that is left out, in two parts: otherwise this file would find itself.
fn mark() -> String {
    ["#[ign", "ore"].concat()
}

/// Finds tests that are left out without a reason, or with another one.
pub(super) fn without_reason(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for source in tree.all() {
        for (line, number) in source.text.lines().zip(1..) {
            if line.contains(&mark()) && reason(line).is_none() {
                let due = REASONS.map(|reason| format!("{} = \"{reason}...\"]", mark())).join(" or ");
                found.push(at(source, number, &format!("a test is left out: write {due}")));
            }
        }
    }
    found
}

/// Returns the reason why the test below a line is left out.
fn reason(line: &str) -> Option<&str> {
    let reason = line.trim().strip_prefix(&mark())?.strip_prefix(" = \"")?.strip_suffix("\"]")?;
    REASONS.iter().any(|due| reason.starts_with(due)).then_some(reason)
}

#[test]
fn what_cargo_test_leaves_out_is_named() {
    let words: Vec<String> = std::env::args().collect();
    if words.iter().any(|word| word == "--ignored" || word == "--include-ignored") {
        return;
    }
    let tree = Tree::read();
    let reasons: Vec<&str> =
        tree.tests.iter().flat_map(|source| source.text.lines()).filter_map(reason).collect();
    let needed: BTreeSet<&str> =
        reasons.iter().filter_map(|reason| reason.strip_prefix(REASONS[1])).collect();
    let slow = reasons.iter().filter(|reason| reason.starts_with(REASONS[0])).count();
    let line = format!(
        "left out: {slow} slow tests, and {} that need {}; scripts/test runs all\n",
        reasons.len() - slow,
        needed.into_iter().collect::<Vec<_>>().join(", ")
    );
    // Bypasses the test's own capture: the user who runs the tests has to see what was left out.
    std::io::stderr().write_all(line.as_bytes()).expect("standard error");
}
