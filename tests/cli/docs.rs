//! `referee docs`: the list, a page exactly as in its file, and an error for an unknown page.

use std::fs;
use std::path::Path;

use crate::called::Calls;
use crate::support::Place;

#[test]
fn a_page_is_printed_as_it_stands_in_its_file() {
    let place = Place::new();
    let list = place.call(&["docs"]).with_status(0).out;
    for (name, file) in [
        ("football", "docs/games/football.md"),
        ("guides/hill.md", "docs/guides/hill.md"),
        ("records", "docs/records.md"),
        ("protocol", "protocol.md"),
    ] {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a page");
        assert_eq!(place.call(&["docs", name]).with_status(0).out, text);
        let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).expect("a name");
        assert!(list.lines().any(|line| line.split_whitespace().next() == Some(stem)), "{stem} in\n{list}");
    }
}

#[test]
fn a_page_that_is_not_there_is_an_error_that_names_near_ones() {
    let place = Place::new();
    place
        .call(&["docs", "footbal"])
        .with_status(2)
        .complaining(&["no such page: footbal", "similar: football"]);
    place.call(&["docs", "../../secret"]).with_status(2).complaining(&["no such page: secret"]);
}
