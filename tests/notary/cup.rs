//! A signed tournament: its seed before the first game, its games as they are listed, the plan of each later round.

use std::fs;
use std::path::Path;

use referee_files::results;

use super::{newest, receipt, rewrite};
use crate::called::Calls;
use crate::support::{Place, copy_folder, files_below};

const FILE: &str = "name = 'cup'\ngame = 'foosball'\nseed = 7\nbatch = 1\nsandbox = 'off'\nsigned = true\n[format]\nkind = 'knockout'\n";

/// A tournament of two rounds that was signed and played. Returns the number of checkpoints of its run.
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

#[test]
fn a_tournament_is_signed_from_its_plan_to_its_last_game() {
    let place = Place::new();
    let made = cup(&place);
    let rows = results::read(&place.path("H/results.csv")).expect("results");
    let games = rows.len() / 2;
    let claims = ["H/records/claims", "H/rounds/0002/records/claims"].map(|of| fs::read_dir(place.path(of)));
    let batches: usize = claims.into_iter().map(|claims| claims.expect("claims").count()).sum();
    assert!(games >= 2 && made >= batches, "{made} checkpoints for {batches} batches");
    let verified = place.call(&["proof", "verify", "H"]).with_status(0);
    // The beginning and the plan of the second round are entries, too.
    assert!(verified.out.contains(&format!("the first {} entries agree;", games + 2)), "{verified:?}");
    let seen = place.call(&["proof", "witness", "H", "--state", "seen"]).with_status(0);
    assert!(seen.out.contains(&format!("1 entry as before, {} now", games + 2)), "{seen:?}");
    receipt(&place, &rows.last().expect("a row").1.game, "game.note");
    let audited = place.call(&["audit", "H", "--receipt", "game.note"]).with_status(0);
    assert!(audited.out.contains("is there, unchanged"), "{audited:?}");
    place.call(&["proof", "checkpoint", "H"]).with_status(0);
    place.call(&["proof", "open-seed", "H"]).with_status(0);
    let verified = place.call(&["proof", "verify", "H"]).with_status(0);
    assert!(verified.out.contains("matches the commitment"), "{verified:?}");
}

#[test]
fn a_signed_tournament_goes_on_where_a_kill_has_left_half_a_row() {
    let place = Place::new();
    cup(&place);
    let list = place.path("H/results.csv");
    let whole = fs::read_to_string(&list).expect("the results");
    fs::write(&list, format!("{whole}s001-r0")).expect("the results");
    place.call(&["tournament", "run", "H"]).with_status(0);
    assert_eq!(fs::read_to_string(&list).expect("the results"), whole);
    place.call(&["proof", "verify", "H"]).with_status(0);
}

#[test]
fn what_is_changed_in_a_signed_tournament_is_found() {
    let place = Place::new();
    cup(&place);
    place.call(&["proof", "witness", "H", "--state", "seen"]).with_status(0);
    let longer = |path: &Path| {
        let text = fs::read_to_string(path).expect("a file");
        fs::write(path, text + "\n").expect("a file");
    };
    type Change<'a> = &'a dyn Fn(&Path);
    let changes: [(&str, &str, Change, &str); 7] = [
        ("another plan", "plan.toml", &|root| longer(&root.join("plan.toml")), "plan.toml"),
        (
            "another plan of the second round",
            "rounds/0002/plan.toml",
            &|root| longer(&root.join("rounds/0002/plan.toml")),
            "results.csv and rounds/ differ",
        ),
        ("more rows", "results.csv", &|root| longer(&root.join("results.csv")), "results.csv"),
        (
            "a changed game",
            "results.csv",
            &|root| rewrite(root, |games| games[0][0].score += 1),
            "results.csv",
        ),
        (
            "a game taken out",
            "results.csv",
            &|root| rewrite(root, |games| drop(games.remove(0))),
            "results.csv",
        ),
        ("a list cut off", "results.csv", &|root| rewrite(root, |games| drop(games.pop())), "were removed"),
        (
            "no list",
            "results.csv",
            &|root| fs::remove_file(root.join("results.csv")).expect("removed"),
            "were removed",
        ),
    ];
    for (what, file, change, found) in changes {
        let path = place.path("H").join(file);
        let before = fs::read(&path).expect("a file");
        change(&place.path("H"));
        let refused = place.call(&["proof", "verify", "H"]);
        assert!(refused.status != Some(0) && refused.err.contains(found), "{what}: {refused:?}");
        let refused = place.call(&["witness", "H", "--state", "seen"]);
        assert_ne!(refused.status, Some(0), "{what}");
        fs::write(&path, before).expect("a file");
    }
    place.call(&["proof", "verify", "H"]).with_status(0);
    // Everything was replaced and signed: only the witness notices.
    copy_folder(&place.path("H"), &place.path("other"));
    rewrite(&place.path("other"), |games| {
        let last = games.last_mut().expect("a game");
        last.iter_mut().for_each(|row| row.started = "2020-01-01T00:00:00Z".to_owned());
    });
    fs::remove_dir_all(place.path("other/proof/checkpoints")).expect("a folder");
    place.call(&["proof", "checkpoint", "other"]).with_status(0);
    place.call(&["proof", "verify", "other"]).with_status(0);
    place.call(&["witness", "other", "--state", "seen"]).with_status(3).complaining(&["seen.fork"]);
    assert!(newest(&place.path("H")).exists());
}
