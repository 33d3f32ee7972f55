//! Programs that are missing from the store of a hill.

use std::fs;

use referee_contest::hill::Hill;

use crate::called::Calls;
use crate::support::Place;

#[test]
fn an_audit_goes_on_without_a_superseded_program_and_says_so() {
    let place = Place::new();
    let short = ["-p", "1", "--max-turns", "3", "--turn-ms", "30000", "--first-ms", "30000", "--seed", "3"];
    let root =
        place.hill_of_guests("hill", &short, &[("one", "says 4"), ("two", "says 4"), ("three", "says 4")]);
    place.call(&["hill", "run", "hill"]).with_status(0);
    let second = place.guest("second", "says 4") + " --second";
    place.call(&["hill", "submit", "hill", &second, "--name", "two", "--replace"]).with_status(0);
    place.call(&["hill", "retire", "hill", "three"]).with_status(0);
    place.call(&["hill", "run", "hill"]).with_status(0);
    let entrants = Hill::open(&root).expect("a hill").entrants().expect("entrants");
    let file = |name: &str, version| {
        let digest = entrants.submission(name, version).expect("a submission").bot.digest.to_string();
        root.join("store").join(&digest[..2]).join(&digest)
    };
    let audited = |status| place.call(&["audit", "hill"]).with_status(status);
    assert!(!audited(0).out.contains("superseded"));

    fs::remove_file(file("two", 1)).expect("removed");
    audited(0).saying(&[
        "agrees: ",
        "; 1 superseded program is missing from the store, so nobody can run it again",
    ]);
    fs::remove_file(file("three", 1)).expect("removed");
    audited(0).saying(&["agrees: ", "; 2 superseded programs are missing from the store"]);

    // A changed program is none that is missing, and the next games need the others.
    fs::write(file("three", 1), "another").expect("written");
    audited(3).complaining(&["the program was changed: its SHA-256 is "]);
    fs::remove_file(file("three", 1)).expect("removed");
    let kept = fs::read(file("two", 2)).expect("a program");
    fs::remove_file(file("two", 2)).expect("removed");
    let name = file("two", 2).file_name().expect("a name").to_string_lossy().into_owned();
    audited(3).complaining(&[&name, "missing: the program of two, which plays on; put it back"]);
    fs::write(file("two", 2), kept).expect("put back");
    audited(0);
}
