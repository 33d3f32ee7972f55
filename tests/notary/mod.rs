//! The notary: changes that a host can make to a hill with its own key, and who detects them.

mod attacks;
mod cup;
mod independent;
mod rounds;
mod trouble;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use referee_files::results;
use referee_notary::proof::note::Signer;
use referee_record::results::{Header, ResultRow, chained, header};

use crate::called::Calls;
use crate::support::{Place, copy_folder, files_below};

/// A hill with a notary, two bots that are no programs, and some games.
fn hill(place: &Place) {
    let settings = ["hill", "new", "H", "push", "--turns", "3", "--seed", "7", "--block", "one-game"];
    place.call(&settings).with_status(0);
    place.without_sandbox("H");
    for (name, bot) in [("fox", "house homeward"), ("owl", "house random")] {
        place.call(&["hill", "submit", "H", &place.guest(name, bot), "--name", name]).with_status(0);
    }
    run(place, 3);
}

/// The same with programs.
fn hill_of_programs(place: &Place) {
    let settings = ["hill", "new", "H", "push", "--turns", "3", "--seed", "7", "--block", "one-game"];
    place.call(&settings).with_status(0);
    for (name, bot) in [("fox", "homeward"), ("owl", "random")] {
        place.referee(&["hill", "submit", "H", bot, "--name", name]).with_status(0);
    }
    place.referee(&["hill", "run", "H", "--rounds", "3", "--jobs", "1"]).with_status(0);
}

/// Plays rounds of H, and signs each.
fn run(place: &Place, rounds: u32) {
    run_of(place, "H", rounds);
}

/// Plays rounds of a hill, and signs each.
fn run_of(place: &Place, dir: &str, rounds: u32) {
    // Guests play faster than a run signs: then a checkpoint has several rounds.
    for _ in 0..rounds {
        let ran = place.call(&["hill", "run", dir, "--rounds", "1", "--jobs", "1"]).with_status(0);
        assert!(ran.err.contains("a checkpoint of "), "{ran:?}");
    }
}

/// Writes the results of a hill or a tournament again, with the whole chain, after a change to the games.
pub(crate) fn rewrite(root: &Path, change: impl FnOnce(&mut Vec<Vec<ResultRow>>)) {
    let path = root.join("results.csv");
    let rows = results::read(&path).expect("results");
    let mut games: Vec<Vec<ResultRow>> = Vec::new();
    for (_, row) in rows {
        if row.seat.index() == 0 {
            games.push(Vec::new());
        }
        games.last_mut().expect("a game").push(row);
    }
    change(&mut games);
    let mut chain = Header::current().chain();
    let lines: Vec<String> = games.concat().iter().map(|row| chained(&row.text(), &mut chain)).collect();
    fs::write(&path, header() + &lines.concat()).expect("a file");
}

/// Returns the longest checkpoint of a hill.
fn newest(root: &Path) -> PathBuf {
    files_below(&root.join("proof/checkpoints"), "note").into_iter().max().expect("a checkpoint")
}

/// Returns the name of the key of H.
fn signed_by(place: &Place) -> String {
    let key = fs::read_to_string(place.path("H/proof/key")).expect("a key");
    key.split('+').next().expect("a name").to_owned()
}

fn first_game(place: &Place) -> String {
    let rows = results::read(&place.path("H/results.csv")).expect("results");
    rows[0].1.game.clone()
}

fn receipt(place: &Place, name: &str, file: &str) {
    let printed = place.call(&["proof", "receipt", "H", name]).with_status(0);
    fs::write(place.path(file), printed.out).expect("a file");
}

#[test]
fn a_contest_is_signed_from_its_first_day_to_its_last_and_anybody_can_check_it() {
    let place = Place::new();
    hill(&place);
    let key = fs::read_to_string(place.path("H/proof/key")).expect("a key");
    for secret in ["key", "seed"] {
        let mode =
            fs::metadata(place.path("H/proof/private").join(secret)).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{secret}");
    }
    let verified = place.call(&["proof", "verify", "H", "--key", key.trim()]).with_status(0);
    assert!(
        verified.out.contains("4 checkpoints by referee/hill/"),
        "one before all, one after each round: {verified:?}"
    );
    assert!(verified.out.ends_with(": the first 3 games agree\n"), "{verified:?}");

    let game = first_game(&place);
    receipt(&place, "fox", "fox.note");
    receipt(&place, &game, "game.note");
    run(&place, 2);
    let audited = place.call(&["audit", "H", "--receipt", "fox.note"]).with_status(0);
    assert!(
        audited.out.ends_with("fox.note: the submission of fox version 1 is there, and plays\n"),
        "{audited:?}"
    );
    let audited = place.call(&["audit", "H", "--receipt", "game.note", "--key", key.trim()]).with_status(0);
    assert!(audited.out.ends_with(&format!("game.note: game {game} is there, unchanged\n")), "{audited:?}");

    let seed = place.call(&["proof", "open-seed", "H"]).with_status(0);
    assert!(seed.out.contains("the seed is published"), "{seed:?}");
    let verified = place.call(&["proof", "verify", "H"]).with_status(0);
    assert!(
        verified.out.contains("6 checkpoints") && verified.out.contains("matches the commitment"),
        "{verified:?}"
    );
    // A copy without the private files is checked as well, but not signed.
    copy_folder(&place.path("H"), &place.path("copy"));
    fs::remove_dir_all(place.path("copy/proof/private")).expect("a folder");
    place.call(&["proof", "verify", "copy", "--key", key.trim()]).with_status(0);
    place.call(&["proof", "checkpoint", "copy"]).with_status(2).complaining(&["proof/private/key"]);
}

#[test]
fn each_way_to_rewrite_history_is_found() {
    type Change = fn(&mut Vec<Vec<ResultRow>>);
    let changes: [(&str, Change, &str); 4] = [
        ("a changed row", |games| games[1][0].score += 1, "were changed"),
        ("a game left out", |games| drop(games.remove(0)), "some were removed"),
        ("games in another order", |games| games.swap(0, 1), "were changed"),
        (
            "a game played again",
            |games| games[0].iter_mut().for_each(|row| row.started = "2020-01-01T00:00:00Z".to_owned()),
            "were changed",
        ),
    ];
    let place = Place::new();
    hill(&place);
    let game = first_game(&place);
    receipt(&place, &game, "game.note");
    place.call(&["proof", "witness", "H", "--state", "seen"]).with_status(0);
    for (number, (name, change, found)) in changes.into_iter().enumerate() {
        let dir = format!("H{number}");
        copy_folder(&place.path("H"), &place.path(&dir));
        let before = fs::read(place.path(&dir).join("results.csv")).expect("results");
        rewrite(&place.path(&dir), change);
        assert_ne!(
            fs::read(place.path(&dir).join("results.csv")).expect("results"),
            before,
            "{name}: a change"
        );
        let verified = place.call(&["proof", "verify", &dir]).with_status(3);
        verified.complaining(&["proof/checkpoints/"]);
        // A host that signs changed results has to remove the old checkpoint: a witness knows it.
        place.call(&["proof", "checkpoint", &dir]).with_status(3);
        for size in 3..=5 {
            fs::remove_file(place.path(&dir).join(format!("proof/checkpoints/00000000{size}.note")))
                .expect("a note");
        }
        place.call(&["proof", "checkpoint", &dir]).with_status(0);
        place.call(&["proof", "verify", &dir]).with_status(0);
        let witness = place.call(&["proof", "witness", &dir, "--state", "seen"]).with_status(3);
        witness.complaining(&["seen", found, "contains the note that is shown now", "Publish both"]);
        let kept = fs::read_to_string(place.path("seen")).expect("a note");
        let shown_now = fs::read_to_string(newest(&place.path(&dir))).expect("a note");
        // Each fork is kept in a file of its own.
        let mut files = (1..10).map(|number: u32| match number {
            1 => "seen.fork".to_owned(),
            number => format!("seen.fork.{number}"),
        });
        let is_kept =
            files.any(|file| fs::read_to_string(place.path(&file)).is_ok_and(|fork| fork == shown_now));
        assert!(is_kept && !kept.contains(&shown_now), "{name}: {kept}{shown_now}");
    }
    // The witness's file is not changed, and the true history continues.
    let witness = place.call(&["proof", "witness", "H", "--state", "seen"]).with_status(0);
    assert!(witness.out.contains("5 entries as before, 5 now"), "{witness:?}");
}

#[test]
fn a_receipt_finds_a_program_that_was_swapped_and_a_game_that_was_left_out() {
    let place = Place::new();
    hill(&place);
    receipt(&place, "fox", "fox.note");
    let game = first_game(&place);
    receipt(&place, &game, "game.note");
    let check =
        |dir: &str, file: &str, key: &str| place.call(&["audit", dir, "--receipt", file, "--key", key]);
    let key = fs::read_to_string(place.path("H/proof/key")).expect("a key").trim().to_owned();
    check("H", "fox.note", &key).with_status(0);

    copy_folder(&place.path("H"), &place.path("swapped"));
    let entrants = fs::read_to_string(place.path("H/entrants.csv")).expect("entrants");
    let digests: Vec<&str> = entrants.lines().skip(1).filter_map(|line| line.split(',').nth(4)).collect();
    let fox = entrants.lines().find(|line| line.contains(",fox,")).expect("a row");
    let other = fox.replacen(digests[0], &digests[0].chars().rev().collect::<String>(), 1);
    fs::write(place.path("swapped/entrants.csv"), entrants.replace(fox, &other)).expect("a file");
    // The records contradict themselves, too, so the whole audit fails in any case.
    let refused = |dir: &str, file: &str, why: &str| {
        check(dir, file, &key).with_status(3);
        let (root, note) = (place.path(dir), fs::read_to_string(place.path(file)).expect("a note"));
        let key = referee_notary::key(&root).expect("a key");
        let found = referee_notary::check(&root, &key, Path::new(file), &note).expect_err(why);
        assert!(found.exit_code() == 3 && found.what().contains(why), "{found}");
    };
    refused("swapped", "fox.note", "its row was changed");
    fs::write(place.path("swapped/entrants.csv"), entrants.replace(&format!("{fox}\n"), "")).expect("a file");
    refused("swapped", "fox.note", "fox version 1: it was removed");

    copy_folder(&place.path("H"), &place.path("short"));
    rewrite(&place.path("short"), |games| drop(games.remove(0)));
    refused("short", "game.note", "the results have no game");
    copy_folder(&place.path("H"), &place.path("altered"));
    rewrite(&place.path("altered"), |games| games[0][0].score += 1);
    refused("altered", "game.note", "differ from the receipt: they were changed");
    copy_folder(&place.path("H"), &place.path("moved"));
    rewrite(&place.path("moved"), |games| games.swap(0, 1));
    refused("moved", "game.note", "differ from the receipt: they were changed");
    // A bot that has not played yet: nothing but the receipt shows that it was there.
    copy_folder(&place.path("H"), &place.path("before"));
    copy_folder(&place.path("H"), &place.path("other"));
    for (dir, bot) in [("H", "house homeward"), ("other", "house random")] {
        let elk = place.guest(&format!("elk{dir}"), bot);
        place.call(&["hill", "submit", dir, &elk, "--name", "elk"]).with_status(0);
    }
    receipt(&place, "elk", "elk.note");
    check("before", "elk.note", &key)
        .with_status(3)
        .complaining(&["elk.note", "elk version 1: it was removed"]);
    check("other", "elk.note", &key).with_status(3).complaining(&["elk.note", "its row was changed"]);

    // A forged receipt, one of another hill, and a text that is none.
    let good = fs::read_to_string(place.path("fox.note")).expect("a note");
    let other = good.replace(&signed_by(&place), "referee/hill/other");
    for (name, text, status, why) in [
        ("changed", good.replace("fox 1", "fox 2"), 3, "the signature is not by this key"),
        ("cut", good.lines().take(3).collect::<String>(), 2, "not a whole signed note: name the file"),
        ("empty", String::new(), 2, "not a whole signed note"),
        ("of another hill", other, 2, "signed by referee/hill/other, and this list is"),
    ] {
        fs::write(place.path("bad.note"), text).expect("a file");
        check("H", "bad.note", &key).with_status(status).complaining(&["bad.note", why]);
        println!("{name} is refused");
    }
    fs::copy(newest(&place.path("H")), place.path("bad.note")).expect("a copy");
    check("H", "bad.note", &key).with_status(2).complaining(&["bad.note", "not a receipt"]);
}

#[test]
fn a_witness_finds_another_key_an_older_checkpoint_and_a_second_history() {
    let place = Place::new();
    hill(&place);
    copy_folder(&place.path("H"), &place.path("old"));
    run(&place, 2);
    let first = place.call(&["proof", "witness", "H", "--state", "seen"]).with_status(0);
    assert!(first.out.contains("7 entries kept"), "{first:?}");
    place
        .call(&["proof", "witness", "old", "--state", "seen"])
        .with_status(3)
        .complaining(&["7 entries", "only 5: some were removed"]);
    // The copy continues alone: both histories are signed, and agree with themselves. Only the witness
    // notices.
    let elk = place.guest("elk", "house homeward");
    place.call(&["hill", "submit", "old", &elk, "--name", "elk"]).with_status(0);
    place.call(&["hill", "run", "old", "--rounds", "3", "--jobs", "1"]).with_status(0);
    place.call(&["proof", "verify", "old"]).with_status(0);
    place.call(&["audit", "old"]).with_status(0);
    let found = place.call(&["proof", "witness", "old", "--state", "seen"]).with_status(3);
    found.complaining(&["seen", "were changed"]);
    // Another key.
    place.call(&["hill", "new", "other", "push"]).with_status(0);
    let found = place.call(&["proof", "witness", "other", "--state", "seen"]).with_status(3);
    found.complaining(&["another owner"]);
}

#[test]
fn what_is_missing_or_wrong_is_told_with_the_remedy() {
    let place = Place::new();
    place.call(&["hill", "new", "H", "push", "--seed", "7", "--no-key"]).with_status(0);
    assert!(!place.path("H/proof").exists());
    for command in ["checkpoint", "verify", "open-seed"] {
        let none = place.call(&["proof", command, "H"]).with_status(2);
        none.complaining(&["nothing is signed here", "referee proof begin"]);
    }
    place.call(&["proof", "verify", "none"]).with_status(2).complaining(&["none", "not a hill"]);
    place.call(&["proof", "begin", "H"]).with_status(0);
    place.call(&["proof", "begin", "H"]).with_status(2).complaining(&["has a key already"]);
    place.call(&["proof", "verify", "H", "--key", "fox"]).with_status(2).complaining(&["not an Ed25519 key"]);
    place
        .call(&["proof", "receipt", "H", "s001-r00001-t001-g1"])
        .with_status(2)
        .complaining(&["s001-r00001-t001-g1 is in no checkpoint yet"]);
    fs::write(place.path("bad"), "what").expect("a file");
    let bad = place.call(&["proof", "witness", "H", "--state", "bad"]).with_status(2);
    bad.complaining(&["not the file of a witness"]);
    // A seed that does not match the commitment.
    place.call(&["proof", "open-seed", "H"]).with_status(0);
    let settings = fs::read_to_string(place.path("H/hill.toml")).expect("settings");
    fs::write(place.path("H/hill.toml"), settings.replace("0x0000000000000007", "8")).expect("a file");
    place.call(&["proof", "verify", "H"]).with_status(3).complaining(&["not the one in hill.toml"]);
    let opened = fs::read_to_string(place.path("H/proof/seed")).expect("a seed");
    fs::write(place.path("H/proof/seed"), opened.replace("7\n", "8\n")).expect("a file");
    place.call(&["proof", "verify", "H"]).with_status(3).complaining(&["does not match the commitment"]);
}

#[test]
fn what_earlier_versions_have_signed_and_this_one_does_not_check_is_told() {
    let place = Place::new();
    hill(&place);
    // Keys of authors: in a season, and in a receipt.
    let season = place.path("H/proof/seasons/001");
    let good = fs::read_to_string(&season).expect("a season");
    fs::write(&season, good.clone() + "signed referee/author/fox key signature\n").expect("a file");
    let refused = place.call(&["proof", "verify", "H"]).with_status(2);
    refused.complaining(&["proof/seasons/001", "authors have signed its bots"]);
    fs::write(&season, good).expect("a file");
    receipt(&place, "fox", "fox.note");
    let text = fs::read_to_string(place.path("fox.note")).expect("a receipt");
    let text = text.split_once("\n\n").expect("a note").0.to_owned() + "\nsigned: key signature\n";
    let signer = Signer::parse(&fs::read_to_string(place.path("H/proof/private/key")).expect("a key"));
    fs::write(place.path("fox.note"), signer.expect("a key").sign(&text)).expect("a file");
    let refused = place.call(&["audit", "H", "--receipt", "fox.note"]).with_status(2);
    refused.complaining(&["fox.note", "the author has signed this submission"]);
    // A key that was replaced.
    fs::create_dir(place.path("H/proof/rotations")).expect("a folder");
    for words in [&["proof", "verify", "H"][..], &["hill", "run", "H", "--jobs", "1"]] {
        place.call(words).with_status(2).complaining(&["proof/rotations", "this key was replaced"]);
    }
}
