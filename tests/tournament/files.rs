//! The files in `tournaments/`, and the allowed content of such a file.

use std::fs;
use std::path::Path;

use crate::called::Calls;
use crate::support::Place;

#[test]
fn every_file_of_the_folder_can_be_planned_and_the_demonstration_be_played() {
    let place = Place::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tournaments");
    let mut names: Vec<String> = Vec::new();
    for file in fs::read_dir(&folder).expect("a folder").flatten() {
        let path = file.path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue; // the description of their content
        }
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let planned = place.referee(&["tournament", "plan", &path.to_string_lossy(), "--dir", &name]);
        assert!(
            planned.with_status(0).out.starts_with(&format!("{name}, round 1: ")),
            "its name is its file's"
        );
        names.push(name);
    }
    names.sort();
    let houses = ["house-foosball", "house-football", "house-push", "house-target"];
    let due =
        [&["comfoosball-2013", "demo", "football-2006"][..], &houses, &["invisible-target", "push-2010"]];
    assert_eq!(names, due.concat());

    let ran = place.referee(&["tournament", "run", "--dir", "demo"]).with_status(0);
    assert!(ran.out.contains("share_2: k = 10, p = 10"), "{ran:?}");
    let standings = place.referee(&["tournament", "standings", "--dir", "demo", "--format", "csv"]);
    let standings = standings.with_status(0).out;
    assert!(standings.starts_with("place,bot,games,mean_share,share_1,share_2"), "{standings}");
    assert!(standings.lines().nth(1).is_some_and(|first| first.starts_with("1,sweeper,16,")), "{standings}");
    place.referee(&["audit", "demo"]).with_status(0);
    place.assert_nothing_stays();
}

#[test]
fn a_program_that_cannot_be_entered_is_told_with_its_line() {
    let good = "name = \"x\"\ngame = \"football\"\n[parameters]\np = 3\n[format]\nkind = \"rounds\"\n\
                [[entrant]]\nname = \"a\"\nprogram = \"house:still\"\n\
                [[entrant]]\nname = \"b\"\nprogram = \"house:still\"\n";
    let wrong = [
        ("program = \"house:still\"\n[", "program = \"house:nobody\"\n[", "line 9: no house bot nobody"),
        ("program = \"house:still\"\n[", "program = \"gone\"\n[", "line 9: gone: "),
        ("program = \"house:still\"\n[", "program = \"fox.c\"\n[", "a tournament does not: build it first"),
        ("program = \"house:still\"\n[", "program = \"fox\"\n[", "a tournament does not: build it first"),
    ];
    let place = Place::new();
    fs::write(place.path("fox.c"), "int main(void) {}\n").expect("a file");
    fs::create_dir(place.path("fox")).expect("a folder");
    for (found, planted, complaint) in wrong {
        assert!(good.contains(found), "{found}");
        fs::write(place.path("x.toml"), good.replacen(found, planted, 1)).expect("a file");
        let planned = place.call(&["tournament", "plan", "x.toml", "--dir", "T"]);
        assert_ne!(planned.status, Some(0), "{planted}");
        planned.complaining(&["x.toml", complaint]);
        assert!(!place.path("T/plan.toml").exists());
    }
    fs::write(place.path("x.toml"), good).expect("a file");
    place.call(&["tournament", "plan", "x.toml", "--dir", "T"]).with_status(0);
}
