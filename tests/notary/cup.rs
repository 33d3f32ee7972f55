//! A signed tournament: its seed before the first game, its batches as they end, its merged table.

use std::fs;
use std::path::PathBuf;

use super::{newest, receipt};
use crate::called::Calls;
use crate::support::{Place, copy_folder, files_below};

const FILE: &str = "name = 'cup'\ngame = 'foosball'\nseed = 7\nbatch = 1\nsandbox = 'off'\nsigned = true\n[format]\nkind = 'knockout'\n";

/// A tournament of two rounds that was signed and played.
fn cup(place: &Place) -> usize {
    let entrant = |bot: &str| {
        let program = place.guest(bot, &format!("house {bot}"));
        format!("[[entrant]]\nname = '{bot}'\nprogram = '{program}'\n")
    };
    let entrants = ["still", "chaser", "planner"].map(entrant);
    fs::write(place.path("cup.toml"), FILE.to_owned() + &entrants.concat()).expect("a file");
    place.call(&["tournament", "plan", "cup.toml", "--dir", "H"]).with_status(0);
    // Planned once more, it keeps its key.
    let key = fs::read(place.path("H/proof/key")).expect("a key");
    place.call(&["tournament", "plan", "cup.toml", "--dir", "H"]).with_status(0);
    assert_eq!(fs::read(place.path("H/proof/key")).expect("a key"), key);
    let before = files_below(&place.path("H/proof/checkpoints"), "note").len();
    assert_eq!(before, 1, "the plan, with its seed, is signed before any game");
    place.call(&["proof", "witness", "H", "--state", "seen"]).with_status(0);
    place.call(&["tournament", "run", "--dir", "H", "--jobs", "1"]).with_status(0);
    files_below(&place.path("H/proof/checkpoints"), "note").len() - before
}

fn batches(place: &Place, dir: &str) -> Vec<PathBuf> {
    let mut batches = files_below(&place.path(dir).join("results"), "csv");
    batches.extend(files_below(&place.path(dir).join("rounds/0002/results"), "csv"));
    batches
}

#[test]
fn a_tournament_is_signed_from_its_plan_to_its_merged_table() {
    let place = Place::new();
    let made = cup(&place);
    let batches = batches(&place, "H").len();
    assert!(batches >= 2 && made >= batches, "{made} checkpoints for {batches} batches");
    let verified = place.call(&["proof", "verify", "H"]).with_status(0);
    // The beginning, two plans and two merges are entries, too.
    assert!(verified.out.contains(&format!("the first {} entries agree;", batches + 5)), "{verified:?}");
    let seen = place.call(&["proof", "witness", "H", "--state", "seen"]).with_status(0);
    assert!(seen.out.contains("2 entries as before"), "{seen:?}");
    let merged = fs::read_to_string(place.path("H/merged.csv")).expect("a table");
    let game = merged.lines().last().expect("a row").split(',').next().expect("a name").to_owned();
    receipt(&place, &game, "game.note");
    let audited = place.call(&["audit", "H", "--receipt", "game.note"]).with_status(0);
    assert!(audited.out.contains("is there, unchanged"), "{audited:?}");
    place.call(&["proof", "checkpoint", "H"]).with_status(0);
    place.call(&["proof", "open-seed", "H"]).with_status(0);
    let verified = place.call(&["proof", "verify", "H"]).with_status(0);
    assert!(verified.out.contains("matches the commitment"), "{verified:?}");
}

#[test]
fn what_is_changed_in_a_signed_tournament_is_found() {
    let place = Place::new();
    cup(&place);
    place.call(&["proof", "witness", "H", "--state", "seen"]).with_status(0);
    let plan = fs::read_to_string(place.path("H/plan.toml")).expect("a plan");
    let batch = batches(&place, "H")[0].strip_prefix(place.path("H")).expect("a batch").to_owned();
    let text = |name: &str| fs::read_to_string(place.path("H").join(name)).expect("a file");
    let (batch_text, merged) = (text(batch.to_str().expect("text")), text("merged.csv"));
    let list = text("proof/list.csv");
    let without_second =
        list.lines().enumerate().filter(|(at, _)| *at != 2).map(|(_, line)| format!("{line}\n"));
    let without_second: String = without_second.collect();
    let changes: [(&str, &str, Option<String>, &str); 6] = [
        ("another plan", "plan.toml", Some(plan.clone() + "\n"), "plan.toml"),
        (
            "a changed batch",
            batch.to_str().expect("text"),
            Some(batch_text.clone() + "\n"),
            "was changed after it was signed",
        ),
        (
            "a batch taken out",
            batch.to_str().expect("text"),
            None,
            "signed results of this batch are missing",
        ),
        (
            "another merged table",
            "merged.csv",
            Some(merged.lines().next().expect("a header").to_owned() + "\n"),
            "the merged results differ",
        ),
        ("an entry taken out", "proof/list.csv", Some(without_second.clone()), "proof/list.csv"),
        (
            "a list cut off",
            "proof/list.csv",
            Some(list.lines().take(2).map(|line| format!("{line}\n")).collect()),
            "were removed",
        ),
    ];
    for (what, file, change, found) in changes {
        let path = place.path("H").join(file);
        let before = fs::read(&path).expect("a file");
        match change {
            Some(text) => fs::write(&path, text).expect("a file"),
            None => fs::remove_file(&path).expect("a file"),
        }
        let refused = place.call(&["proof", "verify", "H"]);
        assert!(refused.status != Some(0) && refused.err.contains(found), "{what}: {refused:?}");
        let refused = place.call(&["witness", "H", "--state", "seen"]);
        assert_ne!(refused.status, Some(0), "{what}");
        fs::write(&path, before).expect("a file");
    }
    place.call(&["proof", "verify", "H"]).with_status(0);
    // Everything was replaced and signed: only the witness notices.
    copy_folder(&place.path("H"), &place.path("other"));
    fs::write(place.path("other/proof/list.csv"), without_second).expect("a list");
    fs::remove_dir_all(place.path("other/proof/checkpoints")).expect("a folder");
    place.call(&["proof", "checkpoint", "other"]).with_status(0);
    place.call(&["proof", "verify", "other"]).with_status(0);
    place.call(&["witness", "other", "--state", "seen"]).with_status(3).complaining(&["seen.fork"]);
    assert!(newest(&place.path("H")).exists());
}
