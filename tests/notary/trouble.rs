//! Keys and notes that are missing, damaged or readable by others: the place, the meaning, and the remedy.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use super::{hill, newest, run};
use crate::called::Calls;
use crate::support::{Place, copy_folder};

#[test]
fn a_private_key_that_is_gone_damaged_or_open_to_others_is_named_with_the_remedy() {
    let place = Place::new();
    hill(&place);
    let key = place.path("H/proof/private/key");
    let good = fs::read(&key).expect("a key");
    let refused = |parts: &[&str]| {
        for command in [&["proof", "checkpoint", "H"][..], &["hill", "run", "H", "--jobs", "1"]] {
            place.call(command).with_status(2).complaining(&["H/proof/private/key"]).complaining(parts);
        }
    };
    fs::remove_file(&key).expect("a key");
    refused(&["missing, so nothing can be signed", "restore it"]);
    fs::write(&key, "PRIVATE+KEY+fox").expect("a file");
    fs::set_permissions(&key, Permissions::from_mode(0o600)).expect("permissions");
    refused(&["not an Ed25519 key", "put the private key there"]);
    fs::write(&key, &good).expect("a file");
    for mode in [0o640, 0o604, 0o644] {
        fs::set_permissions(&key, Permissions::from_mode(mode)).expect("permissions");
        refused(&[&format!("mode {mode:o}"), "chmod 600", "referee proof begin"]);
    }
    fs::set_permissions(&key, Permissions::from_mode(0o600)).expect("permissions");
    run(&place, 1);
}

#[test]
fn a_key_of_another_hill_signs_nothing() {
    let place = Place::new();
    hill(&place);
    place.call(&["hill", "new", "other", "push"]).with_status(0);
    fs::copy(place.path("other/proof/private/key"), place.path("H/proof/private/key")).expect("a key");
    let refused = place.call(&["hill", "run", "H", "--jobs", "1"]).with_status(2);
    refused.complaining(&["H/proof/private/key", "not the private key of", "put the right one there"]);
    fs::write(place.path("H/proof/key"), "fox").expect("a file");
    place.call(&["proof", "verify", "H"]).with_status(2).complaining(&["H/proof/key", "not an Ed25519 key"]);
}

#[test]
fn a_checkpoint_that_is_cut_off_is_named() {
    let place = Place::new();
    hill(&place);
    let path = newest(&place.path("H"));
    let good = fs::read_to_string(&path).expect("a note");
    let signature = good.find('\u{2014}').expect("a signature");
    for (length, why) in [
        (0, "not a complete signed note"),
        (10, "not a complete signed note"),
        (signature, "not a complete signed note"),
        (good.len() - 10, "not a complete signed note"),
    ] {
        fs::write(&path, &good[..length]).expect("a file");
        let refused = place.call(&["proof", "verify", "H"]).with_status(3);
        refused.complaining(&["proof/checkpoints/000000005.note", why]);
    }
}

#[test]
fn a_checkpoint_that_is_older_than_the_one_known_is_told() {
    let place = Place::new();
    hill(&place);
    place.call(&["proof", "witness", "H", "--state", "seen"]).with_status(0);
    let kept = fs::read(place.path("seen")).expect("a file");
    // The games are there, but not their checkpoint.
    copy_folder(&place.path("H"), &place.path("old"));
    fs::remove_file(newest(&place.path("old"))).expect("a note");
    let older = place.call(&["witness", "old", "--state", "seen"]).with_status(3);
    older.complaining(&["000000004.note", "size 4 is shown, but one of size 5 is known", "ask the host"]);
    assert_eq!(fs::read(place.path("seen")).expect("a file"), kept);
    for (length, why) in [(0, "not the file of a witness"), (kept.len() / 2, "not the file of a witness")] {
        fs::write(place.path("bad"), &kept[..length]).expect("a file");
        place.call(&["witness", "H", "--state", "bad"]).with_status(2).complaining(&[
            "bad",
            why,
            "start again",
        ]);
    }
    place.call(&["witness", "none", "--state", "seen"]).with_status(2).complaining(&["none"]);
    place.call(&["witness", "ftp://host/h", "--state", "seen"]).with_status(2).complaining(&["an address"]);
}
