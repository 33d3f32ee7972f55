//! Witnesses cosign checkpoints that they have followed, and others count their cosignatures.

use std::fs;
use std::path::Path;

use super::authors::second;
use super::{hill, newest, run};
use crate::called::Calls;
use crate::support::{Place, copy_folder};

fn text(place: &Place, path: &str) -> String {
    fs::read_to_string(place.path(path)).expect("a file")
}

/// Makes the key of a witness, and returns its public part.
fn witness_key(place: &Place, file: &str) -> String {
    place.call(&["proof", "witness-key", file]).with_status(0).out.trim().to_owned()
}

#[test]
fn a_witness_cosigns_what_it_has_followed_and_an_audit_counts_it() {
    let place = Place::new();
    hill(&place);
    let (key, other) = (witness_key(&place, "w1"), witness_key(&place, "w2"));
    assert!(key.starts_with("referee/witness/") && key != other, "{key}");
    let name = key.split('+').next().expect("a name").to_owned();
    // What was kept before is cosigned, too.
    place.call(&["witness", "H", "--state", "seen"]).with_status(0);
    let before = text(&place, "seen");
    let told = place.call(&["witness", "H", "--state", "seen", "--sign", "w1"]).with_status(0);
    assert!(told.out.ends_with(&format!("seen: cosigned by {key}\n")), "{told:?}");
    let cosigned = text(&place, "seen");
    assert!(
        cosigned.starts_with(&before) && cosigned.lines().count() == before.lines().count() + 1,
        "{cosigned}"
    );
    // A second time changes nothing.
    let again = place.call(&["witness", "H", "--state", "seen", "--sign", "w1"]).with_status(0);
    assert!(!again.out.contains("cosigned") && text(&place, "seen") == cosigned, "{again:?}");
    run(&place, 2);
    place.call(&["witness", "H", "--state", "seen", "--sign", "w1"]).with_status(0);
    let audited = place.call(&["audit", "H", "--note", "seen", "--witness", &key]).with_status(0);
    assert!(
        audited.out.contains(&format!("seen: {name} has cosigned the note of 7 entries at 20")),
        "{audited:?}"
    );
    let none =
        place.call(&["audit", "H", "--note", "seen", "--witness", &key, "--witness", &other]).with_status(2);
    none.complaining(&["no note is cosigned by", &other, "--note"]);
    place
        .call(&["audit", "H", "--witness", &key])
        .with_status(2)
        .complaining(&["no note is cosigned by", &key]);
    // The second implementation says the same.
    let python = |words: &[&str]| second(&place, &[&["H", "--note", "seen"][..], words].concat());
    assert!(python(&["--witness", &key]).with_status(0).out.contains("1 cosignature"));
    python(&["--witness", &other]).with_status(2).complaining(&["no note is cosigned by", &other]);

    // A cosigned note is a note for all other commands: the host can publish it.
    let kept = text(&place, "seen");
    let note = kept.split_once("\n\n").expect("a key").1;
    let newest = newest(&place.path("H"));
    fs::write(&newest, note).expect("a note");
    let audited = place.call(&["audit", "H", "--witness", &key]).with_status(0);
    assert!(audited.out.contains("000000007.note: referee/witness/"), "{audited:?}");
    place.call(&["witness", "H", "--state", "second", "--sign", "w2"]).with_status(0);
    let audited = place
        .call(&["audit", "H", "--note", "second", "--witness", &key, "--witness", &other])
        .with_status(0);
    assert_eq!(audited.out.matches("has cosigned the note of 7 entries").count(), 2, "{audited:?}");
    place.call(&["witness", "compare", "seen", "second"]).with_status(0);
    place.call(&["proof", "tiles", "H", "--to", "site"]).with_status(0);
    assert_eq!(text(&place, "site/checkpoint"), note);
    run(&place, 1);
    place.call(&["proof", "rotate", "H"]).with_status(0);
    run(&place, 1);
    place.call(&["witness", "H", "--state", "seen", "--sign", "w1"]).with_status(0);
    place.call(&["audit", "H", "--note", "seen", "--witness", &key]).with_status(0);
    second(&place, &["H", "--note", "seen", "--witness", &key]).with_status(0);
}

#[test]
fn a_rewritten_history_is_not_cosigned_and_a_forged_cosignature_is_found() {
    let place = Place::new();
    hill(&place);
    let (key, other) = (witness_key(&place, "w1"), witness_key(&place, "w2"));
    copy_folder(&place.path("H"), &place.path("E"));
    run(&place, 1);
    place.call(&["witness", "H", "--state", "seen", "--sign", "w1"]).with_status(0);
    let kept = text(&place, "seen");
    // Another history that the same key has signed, and an older state.
    let elk = place.guest("elk", "house homeward");
    let old = place.call(&["witness", "E", "--state", "seen", "--sign", "w1"]).with_status(3);
    old.complaining(&["were removed"]);
    place.call(&["hill", "submit", "E", &elk, "--name", "elk"]).with_status(0);
    super::run_of(&place, "E", 2);
    place.call(&["witness", "E", "--state", "seen", "--sign", "w1"]).with_status(3);
    assert_eq!(text(&place, "seen"), kept, "nothing else was cosigned");
    let fork = text(&place, "seen.fork");
    assert!(!fork.contains("referee/witness/"), "{fork}");
    // The time is part of what is signed, and so is the note; a key that is named must have made the signature.
    let name = |key: &str| key.split('+').next().expect("a name").to_owned();
    let line = kept.lines().last().expect("a cosignature");
    let mut letters: Vec<char> = line.chars().collect();
    let at = letters.len() - 84;
    letters[at] = if letters[at] == 'A' { 'B' } else { 'A' };
    let later: String = letters.into_iter().collect();
    for forged in [kept.replace(line, &later), kept.replacen("\n6\n", "\n5\n", 1)] {
        assert_ne!(forged, kept);
        fs::write(place.path("forged"), forged).expect("a file");
        place
            .call(&["audit", "H", "--note", "forged", "--witness", &key])
            .with_status(3)
            .complaining(&["forged"]);
        second(&place, &["H", "--note", "forged", "--witness", &key]).with_status(3).complaining(&["forged"]);
    }
    // Under the name of another witness it counts for nobody.
    fs::write(place.path("renamed"), kept.replace(&name(&key), &name(&other))).expect("a file");
    let none = place.call(&["audit", "H", "--note", "renamed", "--witness", &other]).with_status(2);
    none.complaining(&["no note is cosigned by", &other]);
    // Wrong keys.
    let refused = |words: &[&str], parts: &[&str]| {
        place
            .call(&[&["witness", "H", "--state", "new"][..], words].concat())
            .with_status(2)
            .complaining(parts);
        assert!(!Path::new(&place.path("new")).exists());
    };
    place.call(&["proof", "author-key", "ada"]).with_status(0);
    refused(&["--sign", "ada"], &["ada", "not one of a witness", "referee proof witness-key"]);
    refused(&["--sign", "H/proof/private/key"], &["not one of a witness"]);
    refused(&["--sign", "none"], &["no such file", "referee proof witness-key"]);
    place.call(&["proof", "author-key", "w1"]).with_status(2).complaining(&["not one of an author"]);
    let host = text(&place, "H/proof/key");
    place
        .call(&["audit", "H", "--witness", host.trim()])
        .with_status(2)
        .complaining(&["public key of a witness"]);
}
