//! Submitted programs: which file a path means, through links, and how large it may be.

use std::fs;
use std::os::unix::fs::{lchown, symlink};
use std::path::{Path, PathBuf};

use crate::called::Calls;
use crate::support::{FAULTY, Place, files_below};

const SETTINGS: [&str; 6] = ["-p", "1", "--max-turns", "3", "--turn-ms", "20000"];

/// A bot that stands still.
const SCRIPT: &str = "#!/bin/sh\nwhile read -r question; do echo 4; done\n";

/// A user who is neither root nor the one that runs this test.
const OTHER: u32 = 65533;

fn stored_program(hill: &Path) -> PathBuf {
    let is_program = |path: &PathBuf| path.file_name().is_some_and(|name| name.len() == 64);
    let shelves = fs::read_dir(hill.join("store")).expect("a store").flatten();
    let files = shelves.flat_map(|shelf| fs::read_dir(shelf.path()).expect("a shelf").flatten());
    files.map(|file| file.path()).find(is_program).expect("a stored program")
}

fn tournament(place: &Place, program: &str, more: &str) {
    let text = format!(
        "name = \"t\"\ngame = \"football\"\n{more}format = {{ kind = \"rounds\", rounds = 1 }}\n\
         parameters = {{ p = 1, max_turns = 3 }}\nentrant = [{{ name = \"a\", program = \"{program}\" }}, \
         {{ name = \"b\", program = \"house:still\" }}]\n"
    );
    fs::write(place.path("t.toml"), text).expect("a file");
}

#[test]
fn a_rivals_stored_program_enters_under_no_other_name() {
    let place = Place::new();
    let hill = place.hill_of_guests("hill", &SETTINGS, &[("rival", "says 4")]);
    let stored = stored_program(&hill);
    symlink(&stored, place.path("link")).expect("a link");
    symlink(place.path("link"), place.path("again")).expect("a link");
    symlink(stored.parent().expect("a shelf"), place.path("shelf")).expect("a link");
    fs::hard_link(&stored, place.path("hard")).expect("a link");
    let behind = format!("shelf/{}", stored.file_name().expect("a name").display());
    let before = fs::read(hill.join("entrants.csv")).expect("entrants");
    for bot in ["./link", "./again", "./hard", &behind, stored.to_str().expect("plain text")] {
        let ran = place.call(&["hill", "submit", "hill", &format!("{bot} honest"), "--name", "eve"]);
        ran.with_status(2).complaining(&[
            "eve is not admitted",
            "stored there already",
            "a file of your own",
        ]);
    }
    assert_eq!(fs::read(hill.join("entrants.csv")).expect("entrants"), before);
    fs::copy(&stored, place.path("copy")).expect("a copy");
    place.call(&["hill", "submit", "hill", "./copy honest", "--name", "eve"]).with_status(0);
    let left: Vec<PathBuf> = files_below(&hill.join("store"), "");
    assert_eq!(left, Vec::<PathBuf>::new());
}

#[test]
fn a_link_is_followed_if_root_or_the_host_made_it() {
    let place = Place::new();
    place.hill_of_guests("hill", &SETTINGS, &[]);
    fs::create_dir(place.path("bots")).expect("a folder");
    let program = place.guest("bots/still", "says 4");
    symlink("still.guest", place.path("bots/link")).expect("a link");
    symlink("bots", place.path("way")).expect("a link");
    symlink("round", place.path("round")).expect("a link");
    place.call(&["hill", "submit", "hill", "way/link", "--name", "own"]).with_status(0);
    place.call(&["hill", "submit", "hill", "./round", "--name", "round"]).with_status(2);
    place.call(&["hill", "submit", "hill", &program, "--name", "eve"]).with_status(0);
}

#[test]
#[ignore = "needs root"]
fn a_link_that_another_user_made_is_refused() {
    assert!(rustix::process::geteuid().is_root(), "this needs root: a link of somebody else's is made");
    let place = Place::new();
    place.referee(&[&["hill", "new", "hill", "football"], &SETTINGS[..]].concat()).with_status(0);
    fs::create_dir(place.path("bots")).expect("a folder");
    place.program("bots/still", SCRIPT);
    symlink("still", place.path("bots/link")).expect("a link");
    symlink("bots", place.path("way")).expect("a link");
    for (link, path) in [("bots/link", "bots/link"), ("way", "way/still")] {
        lchown(place.path(link), Some(OTHER), Some(OTHER)).expect("another owner");
        let refused = place.referee(&["hill", "submit", "hill", path, "--name", "eve"]).with_status(2);
        refused.complaining(&["is a symbolic link to", "made by user 65533", "name the file itself"]);
        tournament(&place, path, "");
        let refused = place.referee(&["tournament", "plan", "t.toml", "--dir", "t"]).with_status(2);
        refused.complaining(&["is a symbolic link to", "name the file itself"]);
        assert!(!place.path("t/plan.toml").exists());
        lchown(place.path(link), Some(0), Some(0)).expect("its owner");
    }
}

#[test]
fn a_program_that_is_too_large_is_refused_with_size_limit_and_key() {
    let place = Place::new();
    let hill = place.hill_of_guests("hill", &SETTINGS, &[]);
    let settings = fs::read_to_string(hill.join("hill.toml")).expect("settings");
    let set = |to: &str| {
        let text = settings.replace("program_mib = 256", &format!("program_mib = {to}"));
        assert!(text.contains(&format!("program_mib = {to}")));
        fs::write(hill.join("hill.toml"), text).expect("settings");
    };
    set("1");
    // A program of the size of most compiled bots.
    let large = place.program("large", [fs::read(&FAULTY).expect("a program"), vec![0; 2 << 20]].concat());
    let size = fs::metadata(&large).expect("a program").len().to_string();
    let told = [&*size, "at most 1 MiB", "program_mib", "1 to 4096"];
    let submit = |bot: &str| place.call(&["hill", "submit", "hill", bot, "--name", "a"]);
    submit(&format!("{large} honest")).with_status(2).complaining(&told);
    submit(&place.guest("small", "says 4")).with_status(0);
    tournament(&place, &large, "program_mib = 1\n");
    let plan = || place.call(&["tournament", "plan", "t.toml", "--dir", "t"]);
    plan().with_status(2).complaining(&told);
    for wrong in ["0", "-1", "4097", "1.5", "\"a\"", "nan", "9223372036854775807"] {
        set(wrong);
        submit("still").with_status(2).complaining(&["program_mib", "from 1 to 4096", "hill.toml"]);
        tournament(&place, &FAULTY, &format!("program_mib = {wrong}\n"));
        plan().with_status(2).complaining(&["program_mib", "from 1 to 4096", "t.toml, line 3"]);
    }
}
