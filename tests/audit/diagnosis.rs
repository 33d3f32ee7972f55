//! What other programs do to a folder without a word is named before anybody is accused, and each remedy works as it is
//! printed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use referee_files::beneath::Spot;
use referee_files::walk::each_file;

use crate::called::Calls;
use crate::support::{Place, copy_folder, results_in};

const QUICK: [&str; 4] = ["-p", "1", "--max-turns", "3"];

fn hill(place: &Place) -> PathBuf {
    let root =
        place.hill_of_guests("hill", &QUICK, &[("one", "still"), ("two", "still"), ("three", "still")]);
    place.call(&["hill", "run", "hill", "--rounds", "2"]).with_status(0);
    root
}

fn packed(log: &Path) -> PathBuf {
    let done = Command::new("gzip").arg("-k").arg(log).status().expect("gzip");
    assert!(done.success());
    log.with_extension("csv.gz")
}

#[test]
fn a_damaged_file_of_the_proof_is_told_from_a_changed_table() {
    let place = Place::new();
    let root = hill(&place);
    let damaged = |file: &str, due: &str| {
        let whole = fs::read_to_string(root.join(file)).expect("a file");
        fs::write(root.join(file), whole.clone() + "more\n").expect("damaged");
        for command in [&["audit", "hill"][..], &["hill", "run", "hill"]] {
            let told = place.call(command);
            assert!(!told.out.contains("agrees") && !told.err.contains("the folder proof"), "{told:?}");
            told.complaining(&[due]);
        }
        fs::write(root.join(file), whole).expect("put back");
        place.call(&["audit", "hill"]).with_status(0);
    };
    damaged("proof/beginning", "proof/beginning: not the beginning that hill/proof/checkpoints/");
    damaged("proof/seasons/001", "proof/seasons/001: it was damaged: the checkpoints fit seasons.csv");
    let seasons = fs::read_to_string(root.join("seasons.csv")).expect("seasons");
    fs::write(root.join("seasons.csv"), seasons.replace(",one,", ",eno,")).expect("changed");
    let told = place.call(&["audit", "hill"]).with_status(3);
    assert!(!told.err.contains("damaged"), "{told:?}");
}

#[test]
fn a_hill_that_is_played_meanwhile_agrees_at_each_look() {
    let place = Place::new();
    hill(&place);
    thread::scope(|scope| {
        let run = scope.spawn(|| place.call(&["hill", "run", "hill", "--rounds", "40", "--jobs", "2"]));
        while !run.is_finished() {
            place.call(&["audit", "hill"]).with_status(0);
        }
        run.join().expect("a run").with_status(0);
    });
    place.call(&["audit", "hill"]).with_status(0);
}

/// Changes the line ends of a file as git does with `core.autocrlf`.
fn with_changed_ends(file: &Path) {
    let text = fs::read_to_string(file).expect("text");
    fs::write(file, text.replace('\n', "\r\n")).expect("written");
}

#[test]
fn a_second_copy_of_a_log_is_named_and_nothing_is_called_missing() {
    let place = Place::new();
    let root = hill(&place);
    let log = root.join(&results_in(&root)[0].log);
    let copy = packed(&log);
    let twice = place.call(&["audit", "hill"]).with_status(3);
    assert!(!twice.err.contains("missing"), "{twice:?}");
    twice.complaining(&["csv.gz: a second copy of ", "with the same content: remove one of the two"]);
    // Either of the two.
    let plain = fs::read(&log).expect("a log");
    fs::remove_file(&log).expect("removed");
    place.call(&["audit", "hill"]).with_status(0);

    // The damaged one of a pair is told from the good one.
    let damaged = String::from_utf8(plain.clone()).expect("text").replace("\nend,", "\nend,9");
    fs::write(&log, &damaged).expect("damaged");
    let told = place.call(&["audit", "hill"]).with_status(3);
    told.complaining(&["csv.gz has the content that the results name: put that in its place"]);
    fs::remove_file(&copy).expect("removed");
    let told = place.call(&["audit", "hill"]).with_status(3);
    assert!(!told.err.contains("csv.gz"), "{told:?}");
    fs::write(&log, damaged).expect("damaged");
    let copy = packed(&log);
    fs::write(&log, plain).expect("put back");
    let told = place.call(&["audit", "hill"]).with_status(3);
    told.complaining(&["csv.gz: a second copy of ", "with other content: move it out of the folder"]);
    fs::remove_file(copy).expect("removed");
    place.call(&["audit", "hill"]).with_status(0);
}

#[test]
fn changed_line_ends_are_named_wherever_they_are_and_the_printed_remedy_mends_them() {
    let place = Place::new();
    hill(&place);
    place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    for whole in ["hill", "T"] {
        let mut files = Vec::new();
        let all = each_file(&Spot::from(&place.path(whole)), |entry| {
            files.push(entry.path);
            Ok(())
        });
        all.expect("files");
        let is_text = |file: &PathBuf| {
            let below = file.strip_prefix(place.path(whole)).expect("below");
            let parts: Vec<&str> = below.iter().filter_map(|part| part.to_str()).collect();
            let is_kept = ["store", "private", "kept"].iter().any(|name| parts.contains(name));
            !is_kept && fs::read(file).is_ok_and(|bytes| bytes.contains(&b'\n'))
        };
        let files: Vec<PathBuf> = files.into_iter().filter(is_text).collect();
        let alone = ["results.csv", "plan.toml", "runs", "logs", "seasons.csv", "beginning"];
        for which in alone.into_iter().chain([""]) {
            // A name that a shell does not take as it is.
            let copy = place.path("my \"copy\" $x");
            let _ = fs::remove_dir_all(&copy);
            copy_folder(&place.path(whole), &copy);
            let others = ["people.csv", "store/dos.bat", ".git/object"].map(|name| copy.join(name));
            for other in &others {
                fs::create_dir_all(other.parent().expect("a folder")).expect("a folder");
                fs::write(other, "one\r\n").expect("a file of somebody else");
            }
            let changed =
                files.iter().filter(|file| which.is_empty() || file.to_string_lossy().contains(which));
            let below = changed.map(|file| file.strip_prefix(place.path(whole)).expect("below"));
            let changed: Vec<PathBuf> = below.map(|file| copy.join(file)).collect();
            changed.iter().for_each(|file| with_changed_ends(file));
            if changed.is_empty() {
                continue;
            }
            let told = place.call(&["audit", "my \"copy\" $x"]).with_status(3);
            told.complaining(&["its line ends are CR LF: a program has changed them, such as git"]);
            let told = place.call(&["audit", "my \"copy\" $x"]);
            let (_, remedy) = told.err.split_once("change them back: ").expect("a remedy");
            let done = Command::new("sh").args(["-c", remedy]).current_dir(place.path("")).status();
            assert!(done.expect("a shell").success(), "{remedy}");
            for other in others {
                assert_eq!(fs::read(&other).expect("a file"), b"one\r\n", "{}: {remedy}", other.display());
            }
            place.call(&["audit", "my \"copy\" $x"]).with_status(0);
        }
    }
    // A run says so, too.
    with_changed_ends(&place.path("T/plan.toml"));
    place.call(&["tournament", "run", "T"]).complaining(&["plan.toml: its line ends are CR LF"]);
}
