//! Completions and man pages: of every public command, and of no other.

use std::fs;

use crate::called::Calls;
use crate::support::Place;

#[test]
fn shells_are_told_of_every_command() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let told = place.call(&["completions", shell]).with_status(0).out;
        for word in ["tournament", "until-clear", "compare", "serve", "invite", "open-seed"] {
            assert!(told.contains(word), "{shell}: {word}");
        }
        // The generator for fish ignores values of arguments without an option.
        assert_eq!(told.contains("own-game"), shell != "fish", "{shell}: pages of the book");
        assert!(!told.contains("launch"), "{shell}: what only the referee calls");
    }
    place.call(&["completions", "tcsh"]).with_status(2).complaining(&["tcsh"]);
}

#[test]
fn each_command_has_a_man_page() {
    let place = Place::new();
    place.call(&["man", "pages/man1"]).with_status(0);
    let page = |name: &str| fs::read_to_string(place.path("pages/man1").join(name)).expect("a page");
    assert!(page("referee.1").contains("referee\\-hill"), "the pages of commands are named");
    assert!(page("referee-hill-run.1").contains("\\-\\-until\\-clear"));
    // A file where a folder is expected.
    fs::write(place.path("file"), "").expect("a file");
    place.call(&["man", "file"]).with_status(1).complaining(&["file"]);
}
