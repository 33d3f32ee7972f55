//! A verifier in another language, written from the specifications alone: it accepts and refuses the same
//! notes as this program.

use std::fs;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use referee_notary::proof::cosignature::Cosigner;
use referee_notary::proof::note::{Signer, Verifier};

use super::{hill, newest, rewrite};
use crate::called::Calls;
use crate::support::{Place, copy_folder, files_below};

/// Returns the answer of the verifier in Python to a note: its output, or why it refuses.
fn independent(
    place: &Place,
    key: &str,
    note: &str,
    hill: &str,
    witnesses: &[&str],
) -> Result<String, String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/notary/verify_note.py");
    let mut command = Command::new("python3");
    command.arg(script).arg(key).arg(place.path(note)).arg(place.path(hill)).args(witnesses);
    let output = command.output().expect("python3");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

fn signature_of(note: &str) -> &str {
    note.rsplit_once("\n\n").expect("a note").1
}

#[test]
fn a_verifier_in_python_accepts_all_checkpoints_and_refuses_the_forged() {
    let place = Place::new();
    hill(&place);
    let key = fs::read_to_string(place.path("H/proof/key")).expect("a key").trim().to_owned();
    let signer = Signer::parse(&fs::read_to_string(place.path("H/proof/private/key")).expect("a key"));
    let signer = signer.expect("a key");
    let ours = Verifier::parse(&key).expect("a key");
    for note in files_below(&place.path("H/proof/checkpoints"), "note") {
        let said = independent(&place, &key, note.to_str().expect("text"), "H", &[]).expect("accepted");
        assert!(said.starts_with(ours.name()), "{said}");
    }
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
        let said = independent(&place, &key, "some.note", "H", &[]);
        assert_eq!(said.is_ok(), is_accepted, "{what}: {said:?}");
        assert_eq!(ours.open(&note).is_ok(), is_accepted, "{what}");
    }
    // Cosignatures: their text, their time and their key.
    let witness = Cosigner::new("witness", &[8; 32]).expect("a key");
    let public = witness.public();
    let cosigned = witness.cosign(&good, 1_800_000_000).expect("a note");
    let other = Cosigner::new("witness", &[9; 32]).expect("a key").public();
    let replayed = good.clone() + cosigned.lines().last().expect("a line") + "\n";
    assert_eq!(replayed, cosigned);
    let older = fs::read_to_string(place.path("H/proof/checkpoints/000000004.note")).expect("a note");
    let mut later =
        STANDARD.decode(cosigned.trim_end().rsplit_once(' ').expect("a signature").1).expect("base64");
    later[11] += 1;
    for (what, note, by, is_accepted) in [
        ("as it is", cosigned.clone(), &public, true),
        ("by another key of this name", cosigned.clone(), &other, false),
        ("without a cosignature", good.clone(), &public, false),
        ("of another note", older + cosigned.lines().last().expect("a line") + "\n", &public, false),
        (
            "with another time",
            good.clone() + &format!("\u{2014} witness {}\n", STANDARD.encode(later)),
            &public,
            false,
        ),
    ] {
        fs::write(place.path("some.note"), &note).expect("a file");
        let said = independent(&place, &key, "some.note", "H", &[&by.to_string()]);
        assert_eq!(said.is_ok(), is_accepted, "{what}: {said:?}");
        assert_eq!(by.time_of(&note).is_ok_and(|time| time == Some(1_800_000_000)), is_accepted, "{what}");
    }
    // Signed by the right key, but wrong: only the results and the origin show it.
    let root = text.lines().nth(2).expect("a root");
    for (what, text, why) in [
        (
            "another root",
            text.replace(root, &STANDARD.encode([7; 32])),
            "do not begin with the entries of the note",
        ),
        ("another origin", text.replacen(name, "referee/hill/fox", 1), "another list"),
    ] {
        fs::write(place.path("some.note"), signer.sign(&text)).expect("a file");
        let said = independent(&place, &key, "some.note", "H", &[]);
        assert!(said.as_ref().is_err_and(|said| said.contains(why)), "{what}: {said:?}");
        fs::copy(place.path("some.note"), newest(&place.path("H"))).expect("a note");
        place.call(&["proof", "verify", "H"]).with_status(3);
    }
    fs::write(newest(&place.path("H")), good).expect("a note");
    copy_folder(&place.path("H"), &place.path("changed"));
    rewrite(&place.path("changed"), |games| games[1][0].score += 1);
    let newest = newest(&place.path("H"));
    let said = independent(&place, &key, newest.to_str().expect("text"), "changed", &[]);
    assert!(said.is_err_and(|said| said.contains("do not begin with the entries of the note")));
}
