//! Why a program does not play is said in the same words by all commands that say it.

use crate::support::Place;

/// Programs by what they write and how they end, and what is said of each: the sentence and the remedy.
const KINDS: [(&str, &str, &str); 4] = [
    // The last line alone says nothing.
    (
        r#"printf "Error: Cannot find module './lib.js'\n    at f\n\nNode.js v20\n" >&2; exit 1"#,
        "exited: Node.js finds no module ./lib.js.",
        "Fix: put lib.js beside the file to begin with, and submit the folder",
    ),
    (
        "exit 0",
        "exited: it ends by itself in the middle of a game.",
        "Fix: answer until the input ends, as the example in `referee docs protocol` does",
    ),
    (
        "echo 'np.int64(30) np.int64(3)'; read -r line",
        "no_integers: an answer is not made of integers.",
        "Fix: write decimal integers with blanks between them, and nothing else; in Python, int(x) makes one of \
         np.int64(30) or 30.0",
    ),
    (
        "echo 0 0 0 0 0; read -r line",
        "count: an answer has too many or too few integers.",
        "Fix: `referee docs push` says how many integers each question requires; a bot for another game is sent to a hill \
         of that game",
    ),
];

#[test]
fn check_submit_play_and_rerun_say_the_same_of_a_program() {
    let place = Place::new();
    let limits = ["--turns", "3", "--turn-ms", "60000", "--first-ms", "60000"];
    place.referee(&[&["hill", "new", "hill", "push"][..], &limits].concat()).with_status(0);
    for (number, (ends, what, cure)) in KINDS.into_iter().enumerate() {
        let bot = place.program(&format!("bot{number}"), format!("#!/bin/sh\nread -r line\n{ends}\n"));
        let checked = place.referee(&["check", &bot, "--game", "push"]).with_status(3).out;
        let submitted = place.referee(&["hill", "submit", "hill", &bot]).with_status(3).err;
        let dir = format!("games{number}");
        let others = ["random"; 5];
        let play = [&["play", "push", &*bot][..], &others, &limits, &["--seed", "1", "--dir", &dir]].concat();
        let played = place.referee(&play).with_status(0).out;
        let log = format!("{dir}/logs/push-0x0000000000000001.csv");
        let rerun = place.referee(&["rerun", &log, "--seat", "0", &bot]);
        for (face, said) in
            [("check", checked), ("submit", submitted), ("play", played), ("rerun", rerun.out)]
        {
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(said.contains(&format!("{what} {cure}")), "{face}: {said}");
        }
    }
}

#[test]
fn who_submits_through_the_web_reads_of_no_command() {
    let place = Place::new();
    place.referee(&["hill", "new", "hill", "push", "--turns", "3"]).with_status(0);
    for (number, (ends, what, _)) in KINDS.into_iter().enumerate() {
        let bot = place.program(&format!("bot{number}"), format!("#!/bin/sh\nread -r line\n{ends}\n"));
        let told =
            place.referee(&["hill", "submit", "hill", &bot, "--by-author", "--author", "ann"]).with_status(3);
        assert!(told.err.contains(what) && !told.err.contains("referee "), "{}", told.err);
    }
}
