//! The contests that are tampered with, and what a host can do to their files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use referee_notary::proof::note::Signer;
use referee_notary::proof::tree;
use referee_record::Digest;

use super::super::forge::Folder;
use super::super::tampering::with_a_fitting_chain;
use crate::called::Calls;
use crate::record::frozen;
use crate::support::{Place, copy_folder, files_below};

/// A signed hill of two seasons, the first bot of which was built from a source, with a bot that never played.
pub(super) const SIGNED: &str = "signed";
/// The same without signatures.
pub(super) const UNSIGNED: &str = "unsigned";
/// A signed hill of before: its beginning names no editions, and its draws follow from the hill's seed alone.
pub(super) const EARLIER: &str = "earlier";
/// A signed hill and a signed tournament without a game.
pub(super) const FRESH: &str = "fresh";
pub(super) const PLANNED: &str = "planned";
/// A signed tournament of one round.
pub(super) const SIGNED_ROUND: &str = "signed-round";
/// A signed tournament of two rounds.
pub(super) const SIGNED_CUP: &str = "signed-cup";
/// Frozen records of programs: a hill with a verdict, and two tournaments.
pub(super) const HILL: &str = frozen::HILL;
pub(super) const ROUNDS: &str = "rounds";
pub(super) const CUP: &str = "cup";

pub(super) const KINDS: [&str; 10] =
    [FRESH, PLANNED, SIGNED, UNSIGNED, EARLIER, SIGNED_ROUND, SIGNED_CUP, HILL, ROUNDS, CUP];

/// A game of the hills of guests.
pub(super) const GAME: &str = "s001-r00001-t001-g1";

/// What both signed tournaments begin with.
const FILE: &str =
    "name = 'cup'\ngame = 'foosball'\nseed = 7\nbatch = 1\nsandbox = 'off'\nsigned = true\n[format]\n";

pub(super) fn make_all(place: &Place) {
    begin(place, SIGNED);
    build_homeward(&place.path(SIGNED));
    run(place, SIGNED, "2");
    submit(place, SIGNED, "random");
    run(place, SIGNED, "1");
    submit(place, SIGNED, "planner");
    copy_folder(&place.path(SIGNED), &place.path(UNSIGNED));
    unsign(&place.path(UNSIGNED));

    begin(place, EARLIER);
    let root = place.path(EARLIER);
    let beginning = read(&root, "proof/beginning");
    let of_earlier: String =
        beginning.split_inclusive('\n').filter(|line| !line.starts_with("edition ")).collect();
    write(&root, "proof/beginning", &of_earlier);
    remove(&root, "proof/checkpoints");
    let seasons = read(&place.path(SIGNED), "seasons.csv").replace(" seed=entrants", "");
    let first = seasons.split_inclusive('\n').filter(|line| !line.starts_with('2'));
    write(&root, "seasons.csv", &first.collect::<String>());
    run(place, EARLIER, "1");
    write(&root, "editions", &beginning);

    let entrant = |(name, words)| {
        let program = place.guest(name, words);
        format!("[[entrant]]\nname = '{name}'\nprogram = '{program}'\n")
    };
    let entrants = [("long", "exits 30 1"), ("middle", "exits 20 1"), ("short", "exits 10 1")].map(entrant);
    begin(place, FRESH);
    let of_round = "kind = 'rounds'\nrounds = 1\n";
    for (name, format) in [(SIGNED_CUP, "kind = 'knockout'\n"), (SIGNED_ROUND, of_round), (PLANNED, of_round)]
    {
        fs::write(place.path("cup.toml"), format!("{FILE}{format}{}", entrants.concat())).expect("a file");
        place.call(&["tournament", "plan", "cup.toml", "--dir", name]).with_status(0);
        if name != PLANNED {
            place.call(&["tournament", "run", "--dir", name, "--jobs", "1"]).with_status(0);
        }
    }
    for name in [HILL, ROUNDS, CUP] {
        copy_folder(&frozen::folder().join(name), &place.path(name));
    }
}

/// Says that a bot was built from a source.
pub(super) fn build_homeward(root: &Path) {
    let source = Digest::of(b"a source");
    edit_rows(root, "entrants.csv", |row| {
        if row["name"] == "homeward" {
            row.extend(["source_digest", "toolchain"].map(|column| (column.to_owned(), source.to_string())));
        }
    });
}

pub(super) fn begin(place: &Place, name: &str) {
    place
        .call(&["hill", "new", name, "push", "--turns", "6", "--seed", "7", "--block", "one-game"])
        .with_status(0);
    place.without_sandbox(name);
    submit(place, name, "homeward");
    let reader = place.guest("reader", "house reader") + " --level 3";
    place.call(&["hill", "submit", name, &reader, "--name", "reader"]).with_status(0);
}

fn submit(place: &Place, hill: &str, bot: &str) {
    let guest = place.guest(bot, &format!("house {bot}"));
    place.call(&["hill", "submit", hill, &guest, "--name", bot]).with_status(0);
}

pub(super) fn run(place: &Place, hill: &str, rounds: &str) {
    place.call(&["hill", "run", hill, "--rounds", rounds, "--jobs", "1"]).with_status(0);
}

pub(super) fn read(root: &Path, file: &str) -> String {
    fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

pub(super) fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    // Programs in the store are read-only.
    let _ = fs::remove_file(&path);
    fs::write(path, text).expect("written");
}

pub(super) fn remove(root: &Path, file: &str) {
    let path = root.join(file);
    if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.expect("removed");
}

/// Replaces a text wherever it is in a file.
pub(super) fn edit(root: &Path, file: &str, from: &str, to: &str) {
    let text = read(root, file);
    assert!(text.contains(from), "{file}: {from}");
    write(root, file, &text.replace(from, to));
}

/// Changes each row of a small table.
pub(super) fn edit_rows(root: &Path, file: &str, change: impl Fn(&mut BTreeMap<String, String>)) {
    let mut folder = Folder::read(root);
    folder.change_table(file, |table| {
        let names = table[0].clone();
        for row in table.iter_mut().skip(1) {
            let mut named = names.iter().cloned().zip(row.iter().cloned()).collect();
            change(&mut named);
            *row = names.iter().map(|name| named[name].clone()).collect();
        }
    });
    folder.put();
}

/// Sets a column of results, there and in the records of the runners.
pub(super) fn set(root: &Path, column: &str, value: &str) {
    let mut folder = Folder::read(root);
    folder.change_rows(|row| drop(row.insert(column.to_owned(), value.to_owned())));
    assert_ne!(folder.results(), read(root, "results.csv"), "{column} is {value}");
    folder.put();
}

/// Replaces a text in a file, once, and makes the digest of a log or the chain of results anew. What else repeats it
/// stays as it was.
pub(in crate::audit) fn edit_once(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).expect("a file");
    assert!(text.contains(from), "{}: {from}", path.display());
    let text = text.replacen(from, to, 1);
    let text = if path.ends_with("results.csv") {
        with_a_fitting_chain(&text)
    } else if text.starts_with("row,") {
        let (before, _) = text.rsplit_once("\ndigest,").expect("a digest");
        let before = format!("{before}\n");
        format!("{before}digest,,,sha256,,,,,{}\n", Digest::of(before.as_bytes()))
    } else {
        text
    };
    fs::write(path, text).expect("a file");
}

/// Returns the log of a game of guests.
pub(super) fn log_of(root: &Path) -> PathBuf {
    files_below(root, "csv").into_iter().find(|path| path.ends_with(format!("{GAME}.csv"))).expect("a log")
}

/// Changes the first row of a log that begins so, and nothing that repeats it but the log's digest.
pub(super) fn edit_log(root: &Path, start: &str, change: impl Fn(&str) -> String) {
    let path = log_of(root);
    let text = fs::read_to_string(&path).expect("a log");
    let row = text.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("no row {start}"));
    edit_once(&path, row, &change(row));
}

/// Takes signatures away, with the word in the settings.
pub(super) fn unsign(root: &Path) {
    remove(root, "proof");
    edit(root, "hill.toml", "signed = true", "signed = false");
}

/// Signs what is in a hill or in a tournament of one round now, as a host can who has the key: one checkpoint replaces
/// all.
pub(super) fn sign(root: &Path) {
    let signer = Signer::parse(&read(root, "proof/private/key")).expect("a key");
    let notes = files_below(&root.join("proof/checkpoints"), "note");
    let before = fs::read_to_string(notes.iter().max().expect("a note")).expect("a note");
    let (origin, time) = (before.lines().next(), before.lines().find(|line| line.starts_with("time ")));
    let mut entries = vec![read(root, "proof/beginning")];
    let (results, mut last) = (read(root, "results.csv"), "");
    for line in results.split_inclusive('\n').skip(1) {
        let game = line.split(',').next().expect("a game");
        if root.join("hill.toml").exists() && game[..4] != last[..last.len().min(4)] {
            entries.push(read(root, &format!("proof/seasons/{}", &game[1..4])));
        }
        if game != last {
            entries.push(String::new());
        }
        *entries.last_mut().expect("an entry") += line;
        last = game;
    }
    let leaves: Vec<tree::Hash> = entries.iter().map(|entry| tree::leaf(entry.as_bytes())).collect();
    let [whole, first] = [tree::root(&leaves), leaves[0]].map(|hash| STANDARD.encode(hash));
    let (origin, time) = (origin.expect("a name"), time.expect("a time"));
    let note = format!("{origin}\n{}\n{whole}\nbeginning {first}\n{time}\n", leaves.len());
    remove(root, "proof/checkpoints");
    fs::create_dir(root.join("proof/checkpoints")).expect("a folder");
    write(root, &format!("proof/checkpoints/{:09}.note", leaves.len()), &signer.sign(&note));
}
