//! Rotations of a key: who follows, and who is refused.

use std::fs;

use referee_notary::proof::note::Signer;

use super::{hill, newest, receipt, run};
use crate::called::Calls;
use crate::support::{Place, copy_folder};

fn key_of(place: &Place, dir: &str) -> String {
    fs::read_to_string(place.path(dir).join("proof/key")).expect("a key").trim().to_owned()
}

#[test]
fn a_verifier_who_knew_the_old_key_follows_to_the_new_one() {
    let place = Place::new();
    hill(&place);
    receipt(&place, "fox", "fox.note");
    place.call(&["proof", "witness", "H", "--state", "seen"]).with_status(0);
    let old = key_of(&place, "H");
    let private = || fs::read_to_string(place.path("H/proof/private/key")).expect("a key");
    let secret = private();
    let rotated = place.call(&["proof", "rotate", "H"]).with_status(0);
    let new = rotated.out.lines().last().expect("the key").trim().to_owned();
    assert!(new != old && private() != secret, "another key signs, and the old one is gone: {rotated:?}");
    run(&place, 2);
    let note = fs::read_to_string(newest(&place.path("H"))).expect("a note");
    let signer = Signer::parse(&secret).expect("a key");
    assert!(signer.verifier().open(&note).is_err(), "the old key signs no more");
    for key in [&old, &new] {
        let verified = place.call(&["proof", "verify", "H", "--key", key]).with_status(0);
        assert!(verified.out.ends_with("the first 5 games agree\n"), "{verified:?}");
        place.call(&["audit", "H", "--receipt", "fox.note", "--key", key]).with_status(0);
    }
    let seen = place.call(&["proof", "witness", "H", "--state", "seen"]).with_status(0);
    assert!(seen.out.contains("5 entries as before, 7 now"), "{seen:?}");
    assert!(
        fs::read_to_string(place.path("seen")).expect("a file").starts_with(&new),
        "the new key is believed"
    );
    // A second rotation, without a game in between.
    place.call(&["proof", "rotate", "H"]).with_status(0);
    place.call(&["proof", "rotate", "H"]).with_status(0);
    run(&place, 1);
    place.call(&["proof", "verify", "H", "--key", &old]).with_status(0);
    place.call(&["proof", "witness", "H", "--state", "seen"]).with_status(0);

    // The thief of the old key cannot sign any more.
    fs::write(place.path("H/proof/private/key"), secret).expect("a file");
    place
        .call(&["proof", "checkpoint", "H"])
        .with_status(2)
        .complaining(&["proof/private/key", "not the private key"]);
    let text = note.split_once("\n\n").expect("a note").0;
    fs::write(newest(&place.path("H")), signer.sign(&format!("{text}\n"))).expect("a file");
    place.call(&["proof", "verify", "H"]).with_status(3).complaining(&["since the key was rotated"]);
}

#[test]
fn a_rotation_that_the_old_key_did_not_sign_is_refused() {
    let place = Place::new();
    hill(&place);
    let origin = key_of(&place, "H").split('+').next().expect("a name").to_owned();
    place.call(&["proof", "rotate", "H"]).with_status(0);
    let path = place.path("H/proof/rotations/001.note");
    let good = fs::read_to_string(&path).expect("a note");
    let text = good.split_once("\n\n").expect("a note").0.to_owned() + "\n";
    let thief = Signer::new(&origin, &[7; 32]).expect("a key");
    let next = text.lines().nth(4).expect("the next key").to_owned();
    let to_thief = text.replace(&next, &thief.verifier().to_string());
    for (name, note) in [
        ("signed by the new key alone", thief.sign(&to_thief)),
        ("changed", good.replace("\n5\n", "\n4\n")),
        ("cut off", good[..good.len() / 2].to_owned()),
        ("empty", String::new()),
    ] {
        fs::write(&path, note).expect("a file");
        let refused = place.call(&["proof", "verify", "H"]).with_status(3);
        refused.complaining(&["proof/rotations/001.note", "not signed by the previous key"]);
        println!("{name} is refused");
    }
    fs::write(&path, &good).expect("a file");
    place.call(&["proof", "verify", "H", "--key", &next]).with_status(0);
    // A thief inserts a first key of his own before a trusted key, to sign in its time. The next key did not
    // sign that.
    copy_folder(&place.path("H"), &place.path("stolen"));
    fs::write(place.path("stolen/proof/key"), format!("{}\n", thief.verifier())).expect("a file");
    let old = key_of(&place, "H");
    let before_next = text.replace(&old, &thief.verifier().to_string()).replace("\n5\n", "\n1000\n");
    let signatures = good.split_once("\n\n").expect("a note").1;
    let of_next = signatures.lines().nth(1).expect("the signature of the next key");
    for (note, why) in [
        (format!("{}{of_next}\n", thief.sign(&before_next)), "the next key did not sign"),
        (thief.sign(&before_next), "the next key did not sign"),
        (format!("{}{of_next}\n", thief.sign(&text)), "not a rotation of this list's key"),
    ] {
        fs::write(place.path("stolen/proof/rotations/001.note"), note).expect("a file");
        let refused = place.call(&["proof", "verify", "stolen", "--key", &next]).with_status(3);
        refused.complaining(&["001.note", why]);
    }
    fs::remove_file(place.path("stolen/proof/rotations/001.note")).expect("a note");
    let refused = place.call(&["proof", "verify", "stolen", "--key", &old]).with_status(3);
    refused.complaining(&["proof/key", "another owner"]);
}

#[test]
fn a_rotation_that_was_cut_short_is_taken_up_or_forgotten() {
    let place = Place::new();
    hill(&place);
    let private = place.path("H/proof/private");
    let old = fs::read(private.join("key")).expect("a key");
    place.call(&["proof", "rotate", "H"]).with_status(0);
    // Killed after the rotation: the new key exists, but is not in place.
    fs::rename(private.join("key"), private.join("key.next")).expect("a key");
    fs::write(private.join("key"), old).expect("a key");
    run(&place, 1);
    place.call(&["proof", "verify", "H"]).with_status(0);
    assert!(!private.join("key.next").exists());
    // Killed before it.
    fs::write(private.join("key.next"), "PRIVATE+KEY+").expect("a key");
    run(&place, 1);
    place.call(&["proof", "rotate", "H"]).with_status(0);
    run(&place, 1);
    place.call(&["proof", "verify", "H"]).with_status(0);
}
