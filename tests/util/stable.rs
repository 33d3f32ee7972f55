//! What a version promises to keep: a list in the repository, beside what the program has.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Makes sure that the program has everything on a list, and that the list has everything of the program. With
/// `REFEREE_WRITE_DOCS` what is new is added. What is gone is taken from the list by hand, with a new minor version.
///
/// # Panics
///
/// If they differ.
pub fn hold(list: &str, now: &BTreeSet<String>) {
    let path = Path::new(crate::ROOT).join(list);
    let text = fs::read_to_string(&path).unwrap_or_default();
    let promised: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    let gone: Vec<&String> = promised.difference(now).collect();
    assert!(gone.is_empty(), "{list} promises what is gone, see docs/reference/stability.md: {gone:#?}");
    if std::env::var_os("REFEREE_WRITE_DOCS").is_some() {
        let lines: String = now.iter().map(|line| format!("{line}\n")).collect();
        fs::write(&path, lines).expect("the list");
        return;
    }
    let new: Vec<&String> = now.difference(&promised).collect();
    assert!(new.is_empty(), "REFEREE_WRITE_DOCS=1 adds to {list}: {new:#?}");
}
