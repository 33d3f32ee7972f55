//! Judges and their host: interpreters that the host lists, names of options, large boards, and the report of a check.

use std::fs;
use std::path::Path;
use std::process::Command;

use referee_judge as judges;
use referee_judge::check::Terms;

use super::{TRON, examine, host, open, project, with_terms};
use crate::support::Place;
use referee_testutil::judge::judge;

/// Makes a virtual environment and a judge that it runs. Returns the options that list its folders.
fn judge_of_a_venv(place: &Place) -> Vec<String> {
    let folder = place.path("venv").to_str().unwrap().to_owned();
    let made = Command::new("python3").args(["-m", "venv", "--without-pip", &folder]).status().unwrap();
    assert!(made.success());
    let base = Command::new(format!("{folder}/bin/python3"))
        .args(["-c", "import sys; print(sys.base_prefix, end='')"])
        .output()
        .unwrap();
    let text = fs::read_to_string(project(TRON)).unwrap();
    let text = text.replace("#!/usr/bin/env python3", &format!("#!{folder}/bin/python3"));
    place.program("judge.py", text);
    let base = String::from_utf8(base.stdout).unwrap();
    // The runtime of the system is there for every bot.
    let listed = [folder].into_iter().chain((base != "/usr").then_some(base));
    listed.flat_map(|folder| ["--interpreter".to_owned(), folder]).collect()
}

fn with<'a>(words: &[&'a str], more: &'a [String]) -> Vec<&'a str> {
    words.iter().copied().chain(more.iter().map(String::as_str)).collect()
}

#[test]
fn a_hill_of_a_judge_in_a_virtual_environment_is_made_and_run_but_audit_does_not_believe_its_list() {
    let place = Place::new();
    let listed = judge_of_a_venv(&place);
    let program = "#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print(1, flush=True)\n";
    place.program("one", program);
    let new = ["hill", "new", "h", "./judge.py", "--no-key", "--seats", "2"];
    place.referee(&new).with_status(2).complaining(&["interpreter that is not this host's", "--interpreter"]);
    assert!(!place.path("h").exists());
    place.referee(&with(&new, &listed)).with_status(0);
    let settings = fs::read_to_string(place.path("h/hill.toml")).unwrap();
    assert!(listed.iter().skip(1).step_by(2).all(|folder| settings.contains(folder)), "{settings}");
    for name in ["fox", "owl"] {
        place.referee(&["hill", "submit", "h", "./one", "--name", name]).with_status(0);
    }
    place.referee(&["hill", "run", "h"]).with_status(0);
    // Its list could show folders of the reader's to a stranger's judge.
    let refused = place.referee(&["audit", "h"]);
    assert!(
        refused.status != Some(0) && refused.err.contains("--interpreter"),
        "{}{}",
        refused.out,
        refused.err
    );
    place.referee(&with(&["audit", "h"], &listed)).with_status(0);
    // A game that is built in takes the list, too: for the bots.
    place.referee(&with(&["hill", "new", "p", "push", "--no-key"], &listed)).with_status(0);
    let settings = fs::read_to_string(place.path("p/hill.toml")).unwrap();
    assert!(settings.contains("venv"), "{settings}");
    // A list with which no bot could be submitted is refused before there is a hill.
    let around = place.referee(&["hill", "new", "q", "push", "--interpreter", "."]).with_status(2);
    around.complaining(&["contains the hill itself"]);
    assert!(!place.path("q").exists());
    // The words of another command, behind `--`, are not for this one.
    let words = place.referee(&["docs", "--", "--interpreter", "/nonexistent"]).with_status(2);
    words.complaining(&["unexpected argument '/nonexistent'"]);
}

#[test]
fn a_kept_judge_can_have_a_parameter_with_the_name_of_an_option_and_a_new_one_cannot() {
    let place = Place::new();
    let file = judge(&place, "old", "parameter:jobs");
    let entry = open(&file).unwrap();
    fs::create_dir(place.path("hill")).unwrap();
    judges::store(&entry, Path::new(&place.path("hill"))).unwrap();
    let kept = judges::open_stored(&host(), &place.path("hill"), entry.name).unwrap().unwrap();
    assert!(kept.parameters.iter().any(|parameter| parameter.name == "jobs"));
    let why = "`parameter jobs 5 1 9 mine`: jobs is a name that is taken: commands have an option --jobs";
    assert!(examine(&file).unwrap_err().to_string().contains(why));
    // Each door to something new.
    let contest = "name = \"cup\"\ngame = \"./old\"\n[format]\nkind = \"round-robin\"\n[[entrant]]\nname = \"a\"\nprogram = \"./a\"\n";
    fs::write(place.path("cup.toml"), contest).unwrap();
    for words in [
        "play ./old",
        "play ./old ./a ./b",
        "hill new h ./old",
        "judge check old",
        "check ./a --game ./old",
        "compare ./a ./b --game ./old",
        "new fox --game ./old --lang python",
        "tournament plan cup.toml --dir t",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        place.referee(&words).with_status(2).complaining(&[why]);
    }
    assert!(!place.path("h").exists() && !place.path("fox").exists() && !place.path("t").exists());
    // Records of such a judge can be looked at; its parameters are no options then.
    for command in ["audit", "replay"] {
        let ran = place.referee(&[command, "none.csv", "--judge", "./old"]).with_status(2);
        assert!(ran.err.contains("none.csv") && !ran.err.contains("panicked"), "{}", ran.err);
    }
}

#[test]
fn a_judge_is_named_by_an_option_where_a_command_has_it_and_elsewhere_a_parameter_can_have_its_name() {
    let place = Place::new();
    judge(&place, "new", "parameter:judge");
    let ran = place.referee(&["play", "./new", "./a", "./b", "--judge", "3"]).with_status(2);
    assert!(ran.err.contains("./a") && !ran.err.contains("./3"), "{}", ran.err);
    let ran = place.referee(&["play", "football", "--judge", "./new", "./a", "./b"]).with_status(2);
    ran.complaining(&["unexpected argument '--judge'"]);
    let ran = place.referee(&["audit", "none.csv", "--judge", "./nosuch"]).with_status(2);
    ran.complaining(&["--judge: ./nosuch: no such file"]);
}

#[test]
fn a_picture_of_a_large_board_is_left_out_of_the_page() {
    let place = Place::new();
    place.program(
        "one",
        "#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print(1, flush=True)\n",
    );
    for (side, has_picture) in [(10, true), (60, false)] {
        judge(&place, &format!("board{side}"), &format!("picture:{side}"));
        let (board, games) = (format!("./board{side}"), format!("games{side}"));
        let words = [
            "play",
            &board,
            "./one",
            "./one",
            "--seats",
            "2",
            "--seed",
            "1",
            "--dir",
            &games,
            "--sandbox",
            "off",
        ];
        place.referee(&words).with_status(0);
        let [log] = &fs::read_dir(place.path(&format!("{games}/logs"))).unwrap().collect::<Vec<_>>()[..]
        else {
            panic!("one log")
        };
        let log = log.as_ref().unwrap().path();
        place.referee(&["replay", log.to_str().unwrap(), "--html", "page.html"]).with_status(0);
        let page = fs::read_to_string(place.path("page.html")).unwrap();
        let still = page.split("<noscript>").nth(1).unwrap().split("</noscript>").next().unwrap();
        assert!(still.contains("The end after 4 turns"), "{still}");
        assert_eq!(still.contains("The last position"), has_picture, "{side}");
        assert!(still.len() < 140_000, "{}", still.len());
        fs::remove_file(place.path("page.html")).unwrap();
    }
}

#[test]
fn kinds_of_questions_that_are_put_together_are_reported() {
    let place = Place::new();
    let together = "faults at each kind of question: like ones are put together, in ";
    for (mistake, is_due) in [("short", false), ("none", true)] {
        let file = judge(&place, mistake, mistake);
        let terms = Terms { limit: std::time::Duration::MAX, ..Terms::default() };
        let checked = with_terms(&file, &terms, |_| {}).unwrap();
        assert_eq!(checked.left_out.iter().any(|line| line.starts_with(together)), is_due, "{checked:?}");
    }
}
