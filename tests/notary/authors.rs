//! A bot that its author has signed with a key of his own: nobody else can replace it, and an audit sees each try.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use referee_contest::admission::entrants::{Entrants, Event};
use referee_contest::admission::submission::SignsSubmission as _;
use referee_files::small;
use referee_notary::OwnKey;

use super::receipt;
use crate::called::Calls;
use crate::support::{Place, Ran, copy_folder};

/// A hill on which fox is signed by the key of the file `ada`.
fn hill(place: &Place) -> String {
    let settings = ["hill", "new", "H", "push", "--turns", "3", "--seed", "7", "--block", "one-game"];
    place.call(&settings).with_status(0);
    place.without_sandbox("H");
    let key = place.call(&["proof", "author-key", "ada"]).with_status(0).out.trim().to_owned();
    let told = submit(place, "H", "fox", "house homeward", &["--author-key", "ada"]).with_status(0);
    assert!(told.out.contains(&format!("signed by {key}: nobody else can replace it")), "{told:?}");
    submit(place, "H", "owl", "house random", &[]).with_status(0);
    key
}

/// Submits a guest under a name.
fn submit(place: &Place, dir: &str, name: &str, bot: &str, more: &[&str]) -> Ran {
    let guest = place.guest(&bot.replace(' ', "-"), bot);
    place.call(&[&["hill", "submit", dir, &guest, "--name", name][..], more].concat())
}

/// Changes the history of the bots of a hill.
fn change(place: &Place, dir: &str, change: impl FnOnce(&mut Vec<Event>)) {
    let path = place.path(dir).join("entrants.csv");
    let mut rows: Vec<Event> = small::read(&*path).expect("rows");
    change(&mut rows);
    fs::write(path, small::text(&rows)).expect("a file");
}

/// Verifies a folder with the second implementation.
pub(super) fn second(place: &Place, words: &[&str]) -> Ran {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/verify.py");
    let command = Command::new("python3").arg(script).args(words).current_dir(place.path("")).output();
    Ran::new(format!("verify.py {}", words.join(" ")), &command.expect("python3"))
}

#[test]
fn a_signed_bot_is_replaced_by_the_same_key_alone() {
    let place = Place::new();
    let key = hill(&place);
    let other = place.call(&["proof", "author-key", "bob"]).with_status(0).out.trim().to_owned();
    assert_ne!(key, other);
    let try_it = |name: &str, more: &[&str]| submit(&place, "H", name, "house reader", more);
    for more in [&[][..], &["--replace"], &["--replace", "--author", "ada"]] {
        try_it("fox", more).with_status(2).complaining(&["the key", &key, "--author-key FILE", "--name"]);
        // Nor under a name that looks the same.
        try_it("Fox", more).with_status(2).complaining(&["from which Fox differs in case alone", &key]);
    }
    try_it("fox", &["--replace", "--author-key", "bob"]).with_status(2).complaining(&[
        &key,
        &other,
        "another key",
    ]);
    // The same in other scripts, and for names that look the same.
    for (mine, others) in [("лиса", "ЛИСА"), ("füchse", "FÜCHSE"), ("straße", "STRASSE"), ("coco", "сосо")]
    {
        try_it(mine, &["--author-key", "ada"]).with_status(0);
        for more in [&[][..], &["--replace"], &["--author-key", "bob"]] {
            try_it(others, more).with_status(2).complaining(&[mine, others]);
        }
        try_it(others, &["--replace"]).with_status(2).complaining(&[&key]);
    }
    // The host can take it off the hill, but not its name.
    place.call(&["hill", "retire", "H", "fox"]).with_status(0);
    try_it("fox", &["--replace"]).with_status(2).complaining(&[&key]);
    try_it("fox", &["--author-key", "ada"]).with_status(0);
    place.call(&["hill", "ban", "H", "fox"]).with_status(0);
    place.call(&["hill", "ban", "H", "fox", "--lift"]).with_status(0);
    try_it("fox", &["--replace"]).with_status(2).complaining(&[&key]);
    submit(&place, "H", "fox", "house homeward", &["--author-key", "ada"]).with_status(0);
    // One key can sign several bots. A bot that plays unsigned is signed by submitting it again.
    submit(&place, "H", "owl", "house random", &["--author-key", "ada"]).with_status(0);
    let again = submit(&place, "H", "owl", "house random", &["--author-key", "ada"]).with_status(2);
    again.complaining(&["plays already, as version 2 of owl"]);
    let audited = place.call(&["audit", "H"]).with_status(0);
    assert!(audited.out.contains("8 submissions are signed by their authors"), "{audited:?}");
    place.call(&["hill", "run", "H", "--jobs", "1"]).with_status(0);
    place.call(&["audit", "H"]).with_status(0);
    // The hill keeps its name if its key is replaced.
    place.call(&["proof", "rotate", "H"]).with_status(0);
    try_it("fox", &["--replace"]).with_status(2).complaining(&[&key]);
    try_it("fox", &["--author-key", "ada"]).with_status(0);
    place.call(&["hill", "run", "H", "--jobs", "1"]).with_status(0);
    place.call(&["audit", "H"]).with_status(0);
    let python = second(&place, &["H"]).with_status(0);
    assert!(python.out.contains("9 signed submissions"), "{python:?}");
}

#[test]
fn a_receipt_shows_the_key_and_who_replaced_or_retired_the_bot() {
    let place = Place::new();
    let key = hill(&place);
    receipt(&place, "fox", "fox.note");
    receipt(&place, "owl", "owl.note");
    let told = |file: &str, parts: &[&str]| {
        let audited = place.call(&["audit", "H", "--receipt", file]).with_status(0);
        parts.iter().for_each(|part| assert!(audited.out.contains(part), "{part}: {audited:?}"));
    };
    told("fox.note", &[&format!("is there, signed by its author's key {key}, and plays")]);
    told("owl.note", &["the submission of owl version 1 is there, and plays"]);
    submit(&place, "H", "fox", "house reader", &["--author-key", "ada"]).with_status(0);
    submit(&place, "H", "owl", "house reader", &["--replace"]).with_status(0);
    told(
        "fox.note",
        &["but was replaced: version 2, signed by its author's key, was submitted by the host on "],
    );
    told("owl.note", &["but was replaced: version 2 was submitted by the host on "]);
    receipt(&place, "fox", "two.note");
    place.call(&["hill", "retire", "H", "fox"]).with_status(0);
    let audited = place.call(&["audit", "H", "--receipt", "two.note"]).with_status(0);
    assert!(audited.out.trim_end().ends_with("Z by the host"), "{audited:?}");
    // A history of before says nothing about it.
    change(&place, "H", |rows| {
        rows.last_mut().expect("a row").by = referee_contest::admission::by::By::Unknown
    });
    let audited = place.call(&["audit", "H", "--receipt", "two.note"]).with_status(0);
    assert!(audited.out.contains("was retired on ") && audited.out.ends_with("Z\n"), "{audited:?}");
    // The signature is taken out, before any game: the receipt knows it.
    change(&place, "H", |rows| rows.iter_mut().for_each(|row| row.signed = None));
    place.call(&["audit", "H"]).with_status(0);
    place.call(&["audit", "H", "--receipt", "fox.note"]).with_status(3).complaining(&["its row was changed"]);
}

#[test]
fn a_bot_that_its_author_has_signed_cannot_be_replaced_behind_his_back() {
    let place = Place::new();
    hill(&place);
    submit(&place, "H", "fox", "house reader", &["--author-key", "ada"]).with_status(0);
    place.call(&["hill", "run", "H", "--jobs", "1"]).with_status(0);
    place.call(&["audit", "H"]).with_status(0);
    place.call(&["proof", "author-key", "bob"]).with_status(0);
    let (ada, bob) = (OwnKey::read(&place.path("ada")), OwnKey::read(&place.path("bob")));
    let (ada, bob) = (ada.expect("a key"), bob.expect("a key"));
    let row = |rows: &[Event], name: &str| rows.iter().rfind(|row| row.name == name).expect("a row").clone();
    let rows: Vec<Event> = small::read(&*place.path("H/entrants.csv")).expect("rows");
    let (first, fox, owl) = (rows[0].clone(), row(&rows, "fox"), row(&rows, "owl"));
    let third = Event { version: 3, ..fox.clone() };
    let signed = |key: &OwnKey, event: &Event| Some(key.sign(&place.path("H"), event).expect("a signature"));
    let unsigned = || Event { signed: None, ..third.clone() };
    let attacks: [(&str, Event, &str); 8] = [
        ("without a signature", unsigned(), "fox version 3 is not signed by"),
        (
            "by another key",
            Event { signed: signed(&bob, &third), ..third.clone() },
            "fox version 3 is not signed by",
        ),
        ("an old signature for the same program", third.clone(), "not one on fox version 3"),
        (
            "an old signature for another program",
            Event { digest: owl.digest, ..third.clone() },
            "not one on fox",
        ),
        (
            "other arguments",
            Event { arguments: "--slow".to_owned(), signed: signed(&ada, &third), ..third.clone() },
            "not one on fox version 3",
        ),
        (
            "under another name",
            Event { name: "elk".to_owned(), version: 1, ..first.clone() },
            "not one on elk version 1",
        ),
        (
            "under a name of another case",
            Event { name: "FOX".to_owned(), version: 1, ..unsigned() },
            "FOX version 1 is not signed by",
        ),
        (
            "a key of a bit more",
            Event {
                signed: first.signed.clone().map(|mut signed| {
                    signed.key = signed.key.replacen("referee", "Referee", 1);
                    signed
                }),
                ..third.clone()
            },
            "fox version 3 is not signed by",
        ),
    ];
    for (what, event, why) in attacks {
        copy_folder(&place.path("H"), &place.path("E"));
        // The row follows from itself in all other ways.
        let words: Vec<String> = event.words();
        let identity = match event.digest == fox.digest && words.is_empty() {
            true => fox.identity.clone(),
            false => referee_record::identity::of(&event.digest, &words),
        };
        change(&place, "E", |rows| rows.push(Event { identity, ..event.clone() }));
        println!("{what}");
        place.call(&["audit", "E"]).with_status(3).complaining(&["entrants.csv", why]);
        second(&place, &["E"]).with_status(3).complaining(&["differs: E/entrants.csv", "version"]);
        assert!(what.contains("case") || Entrants::read(&place.path("E")).is_ok());
        fs::remove_dir_all(place.path("E")).expect("a folder");
    }
    // The key is taken out of the whole history: the season that has begun was signed with it.
    copy_folder(&place.path("H"), &place.path("E"));
    change(&place, "E", |rows| rows.iter_mut().for_each(|row| row.signed = None));
    place.call(&["audit", "E"]).with_status(3).complaining(&["seasons.csv", "signatures of their authors"]);
    second(&place, &["E"]).with_status(3).complaining(&["season 1 in seasons.csv is not the one"]);
    // The list is taken away: the signatures are for it.
    fs::remove_dir_all(place.path("H/proof")).expect("a folder");
    let settings = fs::read_to_string(place.path("H/hill.toml")).expect("settings");
    fs::write(place.path("H/hill.toml"), settings.replace("signed = true", "signed = false"))
        .expect("settings");
    place.call(&["audit", "H"]).with_status(3).complaining(&["proof/key", "authors have signed"]);
    place.call(&["proof", "begin", "H"]).with_status(2).complaining(&["entrants.csv", "begin a new hill"]);
}

#[test]
fn a_signature_that_was_made_elsewhere_is_for_one_submission() {
    let place = Place::new();
    hill(&place);
    let rows: Vec<Event> = small::read(&*place.path("H/entrants.csv")).expect("rows");
    let fox = rows[0].clone();
    let old = fox.signed.clone().expect("a signature").to_string();
    let replayed = submit(&place, "H", "fox", "house reader", &["--signed", &old]).with_status(2);
    replayed.complaining(&["is not one by referee/author/", "on version 2 of fox", "sign what you submit"]);
    place.call(&["hill", "retire", "H", "fox"]).with_status(0);
    let replayed = submit(&place, "H", "fox", "house homeward", &["--signed", &old]).with_status(2);
    replayed.complaining(&["for version 1 of fox, which was submitted before: this is version 2"]);
    submit(&place, "H", "fox", "house homeward", &["--signed", "what"])
        .with_status(2)
        .complaining(&["--signed"]);
    let ada = OwnKey::read(&place.path("ada")).expect("a key");
    let signed =
        ada.sign(&place.path("H"), &Event { version: 2, ..fox.clone() }).expect("a signature").to_string();
    // On another hill it is worth nothing.
    place.call(&["hill", "new", "other", "push", "--turns", "3"]).with_status(0);
    place.without_sandbox("other");
    submit(&place, "other", "fox", "house homeward", &["--signed", &old])
        .with_status(2)
        .complaining(&["for this hill"]);
    submit(&place, "H", "fox", "house homeward", &["--signed", &signed]).with_status(0);
    // A check that was repeated finds it there.
    let again = submit(&place, "H", "fox", "house homeward", &["--signed", &signed]).with_status(2);
    again.complaining(&["plays already, as version 2 of fox"]);
    // Without a key, a hill has no name that can be signed.
    place.call(&["hill", "new", "free", "push", "--turns", "3", "--no-key"]).with_status(0);
    place.without_sandbox("free");
    let refused = submit(&place, "free", "fox", "house homeward", &["--author-key", "ada"]).with_status(2);
    refused.complaining(&["nothing is signed here, since there is no key", "referee proof begin"]);
}

#[test]
fn the_file_of_an_authors_key_is_private_and_of_the_right_kind() {
    let place = Place::new();
    let key = hill(&place);
    let mode = fs::metadata(place.path("ada")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(key.starts_with("referee/author/"), "{key}");
    let again = place.call(&["proof", "author-key", "ada"]).with_status(0);
    assert_eq!(again.out.trim(), key, "the same key is printed");
    let refused = |file: &str, parts: &[&str]| {
        submit(&place, "H", "elk", "house random", &["--author-key", file]).with_status(2).complaining(parts);
    };
    refused("none", &["none", "no such file", "referee proof author-key"]);
    refused("H/proof/private/key", &["not one of an author", "referee/hill/"]);
    fs::write(place.path("public"), format!("{key}\n")).expect("a file");
    fs::set_permissions(place.path("public"), Permissions::from_mode(0o600)).expect("a mode");
    refused("public", &["public", "a public key, which signs nothing"]);
    fs::write(place.path("public"), "fox").expect("a file");
    refused("public", &["not a private key", "referee proof author-key"]);
    place.call(&["proof", "author-key", "public"]).with_status(2).complaining(&["not a private key"]);
    for mode in [0o640, 0o604, 0o644] {
        fs::set_permissions(place.path("ada"), Permissions::from_mode(mode)).expect("a mode");
        refused("ada", &["ada", &format!("mode {mode:o}"), "chmod 600"]);
        place.call(&["proof", "author-key", "ada"]).with_status(2).complaining(&["chmod 600"]);
    }
    fs::create_dir(place.path("folder")).expect("a folder");
    place.call(&["proof", "author-key", "folder"]).with_status(2).complaining(&["folder"]);
}
