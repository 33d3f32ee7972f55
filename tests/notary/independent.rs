//! `scripts/verify.py`, the other implementation of notes, trees, checkpoints and receipts: it accepts and refuses the
//! same as this program.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use referee_notary::proof::note::{Signer, Verifier};
use referee_notary::proof::tree::{self, Hash};

use super::{first_game, hill, newest, receipt};
use crate::called::Calls;
use crate::support::{Place, Ran};

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts");

/// Verifies a folder with the other implementation.
fn second(place: &Place, words: &[&str]) -> Ran {
    let mut command = Command::new("python3");
    command.arg(format!("{SCRIPTS}/verify.py")).args(words).current_dir(place.path(""));
    Ran::new(format!("verify.py {}", words.join(" ")), &command.output().expect("python3"))
}

fn signature_of(note: &str) -> &str {
    note.rsplit_once("\n\n").expect("a note").1
}

#[test]
fn the_second_implementation_accepts_what_was_signed_and_refuses_the_forged() {
    let place = Place::new();
    hill(&place);
    receipt(&place, &first_game(&place), "game.note");
    receipt(&place, "fox", "fox.note");
    place.call(&["witness", "H", "--state", "seen"]).with_status(0);
    let key = fs::read_to_string(place.path("H/proof/key")).expect("a key").trim().to_owned();
    let all = ["H", "--key", &key, "--note", "game.note", "--note", "fox.note", "--note", "seen"];
    // The key, the beginning, four checkpoints, and three notes.
    assert!(second(&place, &all).with_status(0).out.contains(", 9 notes"));
    place.call(&["hill", "new", "other", "push"]).with_status(0);
    let other = fs::read_to_string(place.path("other/proof/key")).expect("a key");
    second(&place, &["H", "--key", other.trim()])
        .with_status(3)
        .complaining(&["the key of this list is not"]);

    let signer = Signer::parse(&fs::read_to_string(place.path("H/proof/private/key")).expect("a key"));
    let signer = signer.expect("a key");
    let ours = Verifier::parse(&key).expect("a key");
    let good = fs::read_to_string(newest(&place.path("H"))).expect("a note");
    let text = ours.open(&good).expect("a note").to_owned();
    let thief = Signer::new(ours.name(), &[7; 32]).expect("a key");
    let witness = Signer::new("witness", &[8; 32]).expect("a key");
    let forged = STANDARD.encode([7; 68]);
    let number =
        STANDARD.decode(signature_of(&good).trim().rsplit_once(' ').expect("a signature").1).expect("base64");
    let forged_number = STANDARD.encode([&number[..4], &[7; 64]].concat());
    let name = ours.name();
    for (what, note, is_accepted) in [
        ("as it is", good.clone(), true),
        ("with a witness's signature", good.clone() + signature_of(&witness.sign(&text)), true),
        (
            "with a signature of another key of this name",
            good.clone() + &format!("\u{2014} {name} {forged}\n"),
            true,
        ),
        ("another key of this name", thief.sign(&text), false),
        ("a changed body", good.replacen("\n5\n", "\n4\n", 1), false),
        ("a line more in the body", good.replacen("\nbeginning ", "\nfox\nbeginning ", 1), false),
        (
            "a forged signature beside the true one",
            good.clone() + &format!("\u{2014} {name} {forged_number}\n"),
            false,
        ),
        ("the signature of another text", format!("{text}\n{}", signature_of(&signer.sign("fox\n"))), false),
        ("without its end", good[..good.len() - 1].to_owned(), false),
        ("without a signature", format!("{text}\n"), false),
    ] {
        fs::write(place.path("some.note"), &note).expect("a file");
        let said = second(&place, &["H", "--note", "some.note"]);
        assert_eq!(said.status, Some(if is_accepted { 0 } else { 3 }), "{what}: {said:?}");
        assert_eq!(ours.open(&note).is_ok(), is_accepted, "{what}");
    }
    // Signed by the right key, but wrong: only the records and the origin show it.
    let game = fs::read_to_string(place.path("game.note")).expect("a note");
    let game = ours.open(&game).expect("a receipt");
    let bot = fs::read_to_string(place.path("fox.note")).expect("a note");
    let bot = ours.open(&bot).expect("a receipt");
    let line = |text: &str, at: usize| text.lines().nth(at).expect("a line").to_owned();
    let another = STANDARD.encode([7; 32]);
    for (text, at, line_now, why) in [
        (&*text, 2, &*another, "do not begin with the 5 entries"),
        (&text, 0, "referee/hill/fox", "another list"),
        (&text, 3, "beginning fox", "another beginning"),
        (game, 5, &another, "does not lead to its root"),
        (game, 9, &format!("beside {another}"), "does not lead to its root"),
        (bot, 4, &"0".repeat(64), "does not have the submission of fox 1"),
    ] {
        let changed = text.replacen(&line(text, at), line_now, 1);
        assert_ne!(changed, text, "line {at}");
        fs::write(place.path("some.note"), signer.sign(&changed)).expect("a file");
        second(&place, &["H", "--note", "some.note"]).with_status(3).complaining(&["some.note", why]);
        let option = if text.starts_with("referee receipt") { "--receipt" } else { "--note" };
        place.call(&["audit", "H", option, "some.note"]).with_status(3).complaining(&["some.note"]);
    }
}

/// Reads proofs, one a line, and checks each.
const CHECK: &str = r#"
import sys
sys.path.insert(0, sys.argv[1])
import verify
leaves = [verify.node(f"entry {number}".encode()) for number in range(700)]
for line in open(sys.argv[2]):
    size, index, whole, *beside = line.split()
    size, index, whole, beside = int(size), int(index), verify.unpacked(whole), list(map(verify.unpacked, beside))
    assert verify.root(leaves[:size]) == whole, f"the root of {size}"
    assert verify.root_by_proof(index, size, leaves[index], beside) == whole, f"the proof of {index} in {size}"
    assert verify.root_by_proof(index, size, leaves[index - 1], beside) != whole or size == 1, "another entry"
    print("agrees")
"#;

#[test]
fn the_second_implementation_has_the_same_trees_and_accepts_the_same_proofs() {
    let place = Place::new();
    let all: Vec<Hash> = (0..700).map(|number| tree::leaf(format!("entry {number}").as_bytes())).collect();
    let mut lines = String::new();
    for size in (1..=20).chain([31, 32, 33, 255, 256, 257, 700]) {
        let root = STANDARD.encode(tree::root(&all[..size]));
        for index in (0..size).step_by(if size > 40 { 97 } else { 1 }).chain([size - 1]) {
            let proof = tree::inclusion(&all[..size], index).expect("a proof");
            write!(lines, "{size} {index} {root}").expect("text");
            proof.iter().for_each(|hash| write!(lines, " {}", STANDARD.encode(hash)).expect("text"));
            lines.push('\n');
        }
    }
    fs::write(place.path("proofs"), &lines).expect("a file");
    let mut command = Command::new("python3");
    command.args(["-B", "-c", CHECK, SCRIPTS]).arg(place.path("proofs"));
    let ran = Ran::new("python3".to_owned(), &command.output().expect("python3")).with_status(0);
    assert_eq!(ran.out, "agrees\n".repeat(lines.lines().count()));
}
