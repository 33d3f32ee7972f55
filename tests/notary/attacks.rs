//! Attacks of a host who has its own key, and what finds each. The table of `docs/explanation/proof.md` names these
//! tests.

use std::fs;

use referee_contest::hill::seasons;
use referee_files::results;
use referee_notary::proof::note::Signer;
use referee_record::Digest;
use referee_rules::Seed;

use super::{hill, newest, receipt, run, signed_by};
use crate::called::Calls;
use crate::support::{Place, copy_folder, files_below};

fn text(place: &Place, path: &str) -> String {
    fs::read_to_string(place.path(path)).expect("a file")
}

fn key(place: &Place) -> String {
    text(place, "H/proof/key").trim().to_owned()
}

/// Signs a text with the key of H.
fn signed(place: &Place, text_of_note: &str) -> String {
    Signer::parse(&text(place, "H/proof/private/key")).expect("a key").sign(text_of_note)
}

/// Returns the text of a note.
fn body(note: &str) -> String {
    note.split_once("\n\n").expect("a note").0.to_owned() + "\n"
}

/// Begins the list of a folder anew, with the key of H and this seed, as a host can who has both.
fn begin_anew(place: &Place, dir: &str, seed: &str) {
    let proof = place.path(dir).join("proof");
    for file in ["key", "private/key"] {
        fs::write(proof.join(file), text(place, &format!("H/proof/{file}"))).expect("a file");
    }
    let origin = signed_by(place);
    let opening = format!("referee seed 1\n{origin}\n{seed}\n{}\n", "0".repeat(64));
    fs::write(proof.join("private/seed"), &opening).expect("a file");
    let before = fs::read_to_string(proof.join("beginning")).expect("a beginning");
    let mut lines: Vec<String> = before.lines().map(str::to_owned).collect();
    (lines[1], lines[2]) = (origin, format!("seed {}", Digest::of(opening.as_bytes())));
    fs::write(proof.join("beginning"), lines.join("\n") + "\n").expect("a file");
    fs::remove_dir_all(proof.join("checkpoints")).expect("a folder");
    place.call(&["proof", "checkpoint", dir]).with_status(0);
}

/// Makes sure that the witness of `seen` refuses a folder, keeps its note, and shows the other one.
fn is_refused_by_the_witness(place: &Place, dir: &str) {
    let kept = text(place, "seen");
    place.call(&["witness", dir, "--state", "seen"]).with_status(3);
    assert_eq!(text(place, "seen"), kept, "the evidence stays");
    place.call(&["audit", dir, "--note", "seen"]).with_status(3).complaining(&["seen"]);
}

#[test]
fn an_audit_fails_with_a_key_that_signed_nothing_here() {
    let place = Place::new();
    hill(&place);
    place.call(&["hill", "new", "other", "push"]).with_status(0);
    let other = text(&place, "other/proof/key");
    let refused = place.call(&["audit", "H", "--key", other.trim()]).with_status(3);
    refused.complaining(&["H/proof/key", "another owner"]);
    let agreed = place.call(&["audit", "H", "--key", &key(&place)]).with_status(0);
    assert!(agreed.out.ends_with(": the first 3 games agree\n"), "{agreed:?}");
    let agreed = place.call(&["audit", "H"]).with_status(0);
    assert!(agreed.out.contains("the key is the one in the folder: compare it"), "{agreed:?}");
    // A hill that nobody signed has no such line, and no such key.
    place.call(&["hill", "new", "free", "push", "--no-key"]).with_status(0);
    let agreed = place.call(&["audit", "free"]).with_status(0);
    assert!(!agreed.out.contains("checkpoint"), "{agreed:?}");
    place
        .call(&["audit", "free", "--key", &key(&place)])
        .with_status(3)
        .complaining(&["nothing is signed here"]);
    let log = files_below(&place.path("H/logs"), "csv")[0].display().to_string();
    let wrong = place.call(&["audit", &log, "--key", &key(&place)]).with_status(2);
    wrong.complaining(&["for the folder of a hill or a tournament"]);
}

#[test]
fn an_audit_fails_where_signatures_were_deleted() {
    let place = Place::new();
    hill(&place);
    for (gone, why) in [
        ("proof", "this contest is signed"),
        ("proof/key", "this contest is signed"),
        ("proof/checkpoints", "no checkpoint"),
        ("proof/beginning", "the first entry of the signed list"),
    ] {
        copy_folder(&place.path("H"), &place.path("E"));
        let path = place.path("E").join(gone);
        if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }.expect("removed");
        for words in [&["audit", "E"][..], &["audit", "E", "--key", &key(&place)]] {
            place.call(words).with_status(3).complaining(&[gone, why]);
        }
        if gone != "proof/checkpoints" {
            place.call(&["hill", "run", "E", "--jobs", "1"]).with_status(3).complaining(&[gone]);
        }
        fs::remove_dir_all(place.path("E")).expect("a folder");
    }
    // A new key would replace the private half of the lost one.
    copy_folder(&place.path("H"), &place.path("E"));
    fs::remove_file(place.path("E/proof/key")).expect("removed");
    let private = text(&place, "E/proof/private/key");
    place.call(&["proof", "begin", "E"]).with_status(2).complaining(&["move the folder proof away first"]);
    assert_eq!(text(&place, "E/proof/private/key"), private);
    fs::remove_dir_all(place.path("E")).expect("a folder");
    // The host takes the word out of the settings, too: an auditor who knows the key notices.
    copy_folder(&place.path("H"), &place.path("E"));
    fs::remove_dir_all(place.path("E/proof")).expect("a folder");
    let settings = text(&place, "E/hill.toml").replace("signed = true", "signed = false");
    fs::write(place.path("E/hill.toml"), settings).expect("a file");
    place.call(&["audit", "E"]).with_status(0);
    place
        .call(&["audit", "E", "--key", &key(&place)])
        .with_status(3)
        .complaining(&["nothing is signed here"]);
    // The last checkpoints alone: the audit says what is not signed, and a note finds it.
    place.call(&["witness", "H", "--state", "seen"]).with_status(0);
    copy_folder(&place.path("H"), &place.path("short"));
    fs::remove_file(newest(&place.path("short"))).expect("a note");
    let left = place.call(&["audit", "short"]).with_status(0);
    assert!(left.out.contains("the first 2 games agree, 1 more are not signed yet"), "{left:?}");
    place.call(&["witness", "short", "--state", "seen"]).with_status(3).complaining(&["the host went back"]);
}

#[test]
fn an_audit_fails_if_a_signed_checkpoint_contradicts_the_results() {
    let place = Place::new();
    hill(&place);
    let newest = newest(&place.path("H"));
    let good = fs::read_to_string(&newest).expect("a note");
    let root = good.lines().nth(2).expect("a root").to_owned();
    let forged = body(&good).replace(&root, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    fs::write(&newest, signed(&place, &forged)).expect("a note");
    place.call(&["audit", "H"]).with_status(3).complaining(&["000000005.note", "they were changed"]);
    let longer = body(&good).replacen("\n5\n", "\n6\n", 1);
    fs::write(&newest, signed(&place, &longer)).expect("a note");
    place.call(&["audit", "H"]).with_status(3).complaining(&["000000005.note", "only 5: some were removed"]);
    // Without its beginning or time, and of size 0, it is no note of this program.
    for wrong in [
        body(&good)
            .lines()
            .filter(|line| !line.starts_with("beginning "))
            .map(|line| format!("{line}\n"))
            .collect(),
        body(&good)
            .lines()
            .filter(|line| !line.starts_with("time "))
            .map(|line| format!("{line}\n"))
            .collect(),
        body(&good).replacen("\n5\n", "\n0\n", 1),
    ] {
        let wrong: String = wrong;
        fs::write(place.path("some.note"), signed(&place, &wrong)).expect("a note");
        let refused = place.call(&["audit", "H", "--note", "some.note"]).with_status(3);
        refused.complaining(&["some.note", "not a checkpoint of this key's list"]);
    }
}

#[test]
fn a_seed_that_is_chosen_after_the_submissions_is_found() {
    let place = Place::new();
    place.call(&["hill", "new", "H", "push", "--turns", "3", "--seed", "7"]).with_status(0);
    place.without_sandbox("H");
    for (name, bot) in [("fox", "house homeward"), ("owl", "house random")] {
        place.call(&["hill", "submit", "H", &place.guest(name, bot), "--name", name]).with_status(0);
    }
    receipt(&place, "fox", "fox.note");
    place.call(&["witness", "H", "--state", "seen"]).with_status(0);
    copy_folder(&place.path("H"), &place.path("E"));
    let settings = text(&place, "E/hill.toml").replace("0x0000000000000007", "0x0000000000000008");
    fs::write(place.path("E/hill.toml"), settings).expect("a file");
    // The seed alone: nothing can be signed.
    let refused = place.call(&["hill", "run", "E", "--jobs", "1"]).with_status(3);
    refused.complaining(&["E/hill.toml", "not the one that was committed to"]);
    // Nor with the private words changed: they are not those of the commitment.
    let words = text(&place, "E/proof/private/seed");
    fs::write(place.path("E/proof/private/seed"), words.replace("0x0000000000000007", "0x0000000000000008"))
        .expect("a file");
    for command in [&["hill", "run", "E", "--jobs", "1"][..], &["proof", "open-seed", "E"]] {
        place.call(command).with_status(3).complaining(&["private/seed", "commits to"]);
    }
    // Another program could sign all the same: until the seed is published, the audit says that nobody can tell.
    let agreed = place.call(&["audit", "E", "--receipt", "fox.note"]).with_status(0);
    assert!(agreed.out.contains("the seed is not published"), "{agreed:?}");
    fs::copy(place.path("E/proof/private/seed"), place.path("E/proof/seed")).expect("a file");
    place.call(&["audit", "E"]).with_status(3).complaining(&["does not match the commitment"]);
    fs::remove_file(place.path("E/proof/seed")).expect("a file");
    // With a commitment of its own, signed again, everything agrees with itself.
    begin_anew(&place, "E", "0x0000000000000008");
    place.call(&["hill", "run", "E", "--rounds", "3", "--jobs", "1"]).with_status(0);
    place.call(&["proof", "open-seed", "E"]).with_status(0);
    let agreed = place.call(&["audit", "E", "--key", &key(&place)]).with_status(0);
    assert!(agreed.out.contains("the published seed matches the commitment"), "{agreed:?}");
    is_refused_by_the_witness(&place, "E");
    let denied = place.call(&["audit", "E", "--receipt", "fox.note"]).with_status(3);
    denied.complaining(&["fox.note", "another beginning"]);
}

#[test]
fn two_readers_who_compare_their_notes_find_a_forked_history() {
    let place = Place::new();
    hill(&place);
    place.call(&["witness", "H", "--state", "before"]).with_status(0);
    copy_folder(&place.path("H"), &place.path("E"));
    let elk = place.guest("elk", "house homeward");
    place.call(&["hill", "submit", "E", &elk, "--name", "elk"]).with_status(0);
    place.call(&["hill", "run", "E", "--rounds", "1", "--jobs", "1"]).with_status(0);
    run(&place, 2);
    for (dir, state) in [("H", "mine"), ("E", "yours")] {
        place.call(&["witness", dir, "--state", state]).with_status(0);
        place.call(&["audit", dir]).with_status(0);
    }
    // The list of E has the entrants of a second season, and one game more: both have 7 entries. Each reader has the
    // note of the other compared with the records that he was shown.
    for (dir, note) in [("H", "yours"), ("E", "mine")] {
        place.call(&["audit", dir, "--note", note]).with_status(3).complaining(&[note, "were changed"]);
        place.call(&["witness", dir, "--state", note]).with_status(3).complaining(&[note, "Publish both"]);
    }
    run(&place, 1);
    let longer = newest(&place.path("H")).display().to_string();
    place.call(&["audit", "H", "--note", "yours"]).with_status(3).complaining(&["yours", "were changed"]);
    let agreed =
        place.call(&["audit", "H", "--note", "before", "--note", "mine", "--note", &longer]).with_status(0);
    assert_eq!(agreed.out.matches("agrees: the records continue it").count(), 3, "{agreed:?}");
    // What cannot be compared.
    place.call(&["hill", "new", "other", "push"]).with_status(0);
    place.call(&["witness", "other", "--state", "theirs"]).with_status(0);
    fs::write(place.path("none"), "what\n").expect("a file");
    place
        .call(&["audit", "H", "--note", "none"])
        .with_status(2)
        .complaining(&["none", "not a whole signed note"]);
    place.call(&["audit", "H", "--note", "theirs"]).with_status(3).complaining(&["theirs", "another owner"]);
}

#[test]
fn a_note_that_is_dated_back_is_found() {
    let place = Place::new();
    hill(&place);
    place.call(&["witness", "H", "--state", "seen"]).with_status(0);
    run(&place, 2);
    let newest = newest(&place.path("H"));
    let good = fs::read_to_string(&newest).expect("a note");
    let time = good.lines().find(|line| line.starts_with("time ")).expect("a time").to_owned();
    let forged = signed(&place, &body(&good).replace(&time, "time 2020-01-01T00:00:00Z"));
    // Its last game started later.
    copy_folder(&place.path("H"), &place.path("E"));
    fs::remove_dir_all(place.path("E/proof/checkpoints")).expect("a folder");
    fs::create_dir(place.path("E/proof/checkpoints")).expect("a folder");
    fs::write(place.path("E/proof/checkpoints/000000007.note"), &forged).expect("a note");
    let refused = place.call(&["audit", "E"]).with_status(3);
    refused.complaining(&["000000007.note", "has a game that started at", "dated back"]);
    place.call(&["witness", "E", "--state", "seen"]).with_status(3).complaining(&["dated back"]);
    // A checkpoint of fewer entries that says a later time.
    let first = place.path("H/proof/checkpoints/000000001.note");
    let text_of_first = body(&fs::read_to_string(&first).expect("a note"));
    let time = text_of_first.lines().find(|line| line.starts_with("time ")).expect("a time");
    fs::write(&first, signed(&place, &text_of_first.replace(time, "time 2999-01-01T00:00:00Z")))
        .expect("a note");
    let refused = place.call(&["audit", "H"]).with_status(3);
    refused.complaining(&["000000003.note", "fewer entries says 2999-01-01", "dated back"]);
}

#[test]
fn a_machine_whose_clock_is_ahead_stops_nobody() {
    let place = Place::new();
    hill(&place);
    let newest = newest(&place.path("H"));
    let ahead = body(&fs::read_to_string(&newest).expect("a note"));
    let time = ahead.lines().find(|line| line.starts_with("time ")).expect("a time");
    fs::write(&newest, signed(&place, &ahead.replace(time, "time 2999-01-01T00:00:00Z"))).expect("a note");
    run(&place, 2);
    place.call(&["audit", "H"]).with_status(0);
}

#[test]
fn two_hills_with_one_key_are_found() {
    let place = Place::new();
    hill(&place);
    receipt(&place, "fox", "fox.note");
    place.call(&["witness", "H", "--state", "seen"]).with_status(0);
    place.call(&["hill", "new", "E", "push", "--turns", "3", "--seed", "9"]).with_status(0);
    begin_anew(&place, "E", "0x0000000000000009");
    place.call(&["audit", "E", "--key", &key(&place)]).with_status(0);
    is_refused_by_the_witness(&place, "E");
    let denied = place.call(&["audit", "E", "--receipt", "fox.note"]).with_status(3);
    denied.complaining(&["fox.note", "another beginning"]);
}

#[test]
fn an_exchanged_key_is_found() {
    let place = Place::new();
    hill(&place);
    receipt(&place, "fox", "fox.note");
    place.call(&["witness", "H", "--state", "seen"]).with_status(0);
    copy_folder(&place.path("H"), &place.path("E"));
    fs::remove_dir_all(place.path("E/proof")).expect("a folder");
    place.call(&["proof", "begin", "E"]).with_status(0);
    place.call(&["audit", "E"]).with_status(0);
    place
        .call(&["audit", "E", "--key", &key(&place)])
        .with_status(3)
        .complaining(&["E/proof/key", "another owner"]);
    is_refused_by_the_witness(&place, "E");
    let denied = place.call(&["audit", "E", "--receipt", "fox.note"]).with_status(2);
    denied.complaining(&["fox.note", &signed_by(&place), "its key was exchanged"]);
    // Under the old name, it is no other hill's.
    let thief = Signer::new(&signed_by(&place), &[7; 32]).expect("a key");
    fs::write(place.path("E/proof/key"), format!("{}\n", thief.verifier())).expect("a file");
    let denied = place.call(&["audit", "E", "--receipt", "fox.note"]).with_status(3);
    denied.complaining(&["fox.note", "the key was exchanged"]);
}

#[test]
fn a_receipt_says_what_became_of_the_bot() {
    let place = Place::new();
    hill(&place);
    receipt(&place, "fox", "fox.note");
    receipt(&place, "owl", "owl.note");
    let told = |note: &str| place.call(&["audit", "H", "--receipt", note]).with_status(0).out;
    assert!(told("fox.note").contains("fox version 1 is there, and plays"), "{}", told("fox.note"));
    let worse = place.guest("fox2", "house random");
    let submit = ["hill", "submit", "H", &worse, "--name", "fox", "--replace", "--author", "host"];
    place.call(&submit).with_status(0);
    let date = text(&place, "H/entrants.csv")
        .lines()
        .last()
        .expect("a row")
        .split(',')
        .next()
        .expect("a date")
        .to_owned();
    let due = format!(
        "fox version 1 is there, but was replaced: version 2 was submitted by the host, for host, on {date}"
    );
    assert!(told("fox.note").contains(&due), "{}", told("fox.note"));
    place.call(&["hill", "retire", "H", "fox"]).with_status(0);
    assert!(told("fox.note").contains(&due), "what came first: {}", told("fox.note"));
    let own = place.path("owl.guest").display().to_string();
    place.call(&["hill", "submit", "H", &format!("{own} --level 1"), "--name", "twin"]).with_status(0);
    receipt(&place, "twin", "twin.note");
    place.call(&["hill", "ban", "H", "owl"]).with_status(0);
    assert!(
        told("twin.note").contains("twin version 1 is there, but was retired on 2"),
        "{}",
        told("twin.note")
    );
    // A ban of an earlier version has no row about the twin.
    let rows = text(&place, "H/entrants.csv");
    let old: Vec<&str> = rows.lines().filter(|row| !row.contains("retired,twin,")).collect();
    fs::write(place.path("H/entrants.csv"), old.join("\n") + "\n").expect("a file");
    assert!(
        told("twin.note").contains("twin version 1 is there, but was banned on 2"),
        "{}",
        told("twin.note")
    );
    fs::write(place.path("H/entrants.csv"), rows).expect("a file");
    assert!(told("owl.note").contains("owl version 1 is there, but was banned on 2"), "{}", told("owl.note"));
    receipt(&place, "fox", "fox2.note");
    assert!(
        told("fox2.note").contains("fox version 2 is there, but was retired on 2"),
        "{}",
        told("fox2.note")
    );
    // Several receipts at once, and each of its own hill.
    let both = place.call(&["audit", "H", "--receipt", "fox.note", "--receipt", "owl.note"]).with_status(0);
    assert!(both.out.contains("fox.note: ") && both.out.contains("owl.note: "), "{both:?}");
}

#[test]
fn settings_and_entrants_are_those_that_were_signed() {
    let place = Place::new();
    hill(&place);
    let good = text(&place, "H/hill.toml");
    fs::write(place.path("H/hill.toml"), good.replace("author_seats = 0", "author_seats = 1"))
        .expect("a file");
    let refused = place.call(&["proof", "verify", "H"]).with_status(3);
    refused.complaining(&[
        "H/hill.toml",
        "author_seats is 1, but 0 was signed at the beginning",
        "put it back",
    ]);
    // What a host may change from season to season is not part of the beginning.
    fs::write(place.path("H/hill.toml"), good.replace("live = false", "live = true")).expect("a file");
    place.call(&["audit", "H"]).with_status(0);
    let seasons = text(&place, "H/seasons.csv");
    let row = seasons.lines().nth(1).expect("a row");
    let date = row.split(',').nth(1).expect("a date");
    for (what, changed) in [
        ("a date", seasons.replace(date, "2020-01-01T00:00:00Z")),
        ("a limit", seasons.replace("tasks=", "tasks=1")),
        ("a rule", seasons.replace("alpha=0.05", "alpha=0.5")),
        ("a term less", seasons.replace("epsilon=0.01", "")),
    ] {
        assert_ne!(changed, seasons, "{what}");
        fs::write(place.path("H/seasons.csv"), changed).expect("a file");
        let refused = place.call(&["proof", "verify", "H"]);
        let due = if what == "a term less" { "terms" } else { "were changed" };
        assert!(
            refused.status == Some(3) && ["seasons.csv", due].iter().all(|due| refused.err.contains(due)),
            "{what}: {refused:?}"
        );
    }
}

#[test]
fn the_draws_of_a_season_follow_from_all_its_entrants() {
    let place = Place::new();
    hill(&place);
    let seeds = |dir: &str| -> Vec<String> {
        let rows = results::read(&place.path(dir).join("results.csv")).expect("results");
        rows.iter().map(|(_, row)| row.seed.to_string()).collect()
    };
    // The same hill and the same field, but for one bot.
    for (dir, bot) in [("same", "house random"), ("other", "house reader")] {
        let settings = ["hill", "new", dir, "push", "--turns", "3", "--seed", "7", "--block", "one-game"];
        place.call(&settings).with_status(0);
        place.without_sandbox(dir);
        for (name, bot) in [("fox", "house homeward"), ("owl", bot)] {
            let guest = place.guest(if dir == "same" { name } else { "another" }, bot);
            place.call(&["hill", "submit", dir, &guest, "--name", name]).with_status(0);
        }
        place.call(&["hill", "run", dir, "--rounds", "3", "--jobs", "1"]).with_status(0);
        place.call(&["audit", dir]).with_status(0);
    }
    assert_eq!(seeds("H"), seeds("same"));
    assert!(seeds("H").iter().zip(seeds("other")).all(|(one, other)| *one != other));
    // As the book says, computed by hand.
    let rows = text(&place, "H/seasons.csv");
    let bots = rows
        .lines()
        .skip(1)
        .map(|row| row.split(',').skip(3).take(3).collect::<Vec<&str>>().join(" ") + "\n");
    let hashed = format!("referee seed of a season 1\n0x0000000000000007\n{}", bots.collect::<String>());
    let due = Digest::of(hashed.as_bytes()).as_str()[..16].to_owned();
    let season = &seasons::read(&place.path("H")).expect("seasons")[0];
    assert_eq!(season.seed(Seed(7)).to_string(), format!("0x{due}"));
    // A season of before, whose terms do not name the origin, has the seed of the hill and goes on with it.
    let of_before = rows.replace(" seed=entrants", "");
    fs::create_dir(place.path("before")).expect("a folder");
    fs::write(place.path("before/seasons.csv"), of_before).expect("a file");
    let season = &seasons::read(&place.path("before")).expect("seasons")[0];
    assert_eq!(season.seed(Seed(7)), Seed(7));
    let unknown = rows.replace("seed=entrants", "seed=stars");
    fs::write(place.path("before/seasons.csv"), unknown).expect("a file");
    let refused = seasons::read(&place.path("before")).expect_err("an unknown origin");
    assert!(refused.what().contains("a seed of stars"), "{refused}");
}

#[test]
fn records_that_claim_an_older_edition_are_found() {
    let place = Place::new();
    hill(&place);
    // The host begins a season whose draws he knows.
    place
        .call(&["hill", "new", "E", "push", "--turns", "3", "--seed", "7", "--block", "one-game"])
        .with_status(0);
    place.without_sandbox("E");
    for (name, bot) in [("fox", "house homeward"), ("owl", "house random")] {
        place.call(&["hill", "submit", "E", &place.guest(name, bot), "--name", name]).with_status(0);
    }
    fs::write(place.path("E/seasons.csv"), text(&place, "H/seasons.csv").replace(" seed=entrants", ""))
        .expect("a file");
    let older = "its seed does not follow from its entrants, as the signed beginning says";
    place.call(&["hill", "run", "E"]).with_status(2).complaining(&[
        "E",
        "no audit accepts this season",
        older,
    ]);
    place.call(&["audit", "E"]).with_status(3).complaining(&["E/seasons.csv", older]);
    // Neither does a run begin a season with another clock.
    let refused = place.call(&["hill", "run", "H", "--clock", "wall"]).with_status(2);
    refused.complaining(&["its clock is wall; the signed beginning says charged"]);
    // An edition of a later version: nothing is known of it.
    let beginning = text(&place, "H/proof/beginning");
    for line in ["edition seeds 2", "edition moons 1", "edition units two"] {
        fs::write(place.path("H/proof/beginning"), format!("{beginning}{line}\n")).expect("a file");
        place.call(&["audit", "H"]).with_status(3).complaining(&["proof/beginning", line, "a later version"]);
    }
}

#[test]
fn each_attack_in_the_book_names_a_test_that_executes_it() {
    let page = include_str!("../../docs/explanation/proof.md");
    let tests = [include_str!("attacks.rs"), include_str!("mod.rs")].concat();
    let table = page.split_once("| attack of the host ").expect("a table").1;
    let rows: Vec<&str> = table.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
    for row in &rows {
        let test =
            row.trim_end_matches([' ', '|']).rsplit('|').next().expect("a cell").trim().trim_matches('`');
        assert!(
            tests.contains(&format!("#[test]\nfn {test}() {{")),
            "no test {test:?} for the attack in {row}"
        );
    }
    assert_eq!(rows.len(), 17, "attacks");
}
