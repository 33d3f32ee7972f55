//! `referee audit` of a tournament's folder names every changed or missing file, with exit status 3.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::called::Calls;
use crate::notary::rewrite;
use crate::random::Random;
use crate::support::{FAULTY, Place, Ran};

use super::guests;

/// Played until clear, in stages. Each stage is planned from the previous one.
const STAGES: &str = r#"
name = "stages"
game = "foosball"
seed = "3"
sandbox = "off"
batch = 2
[format]
kind = "rounds"
rounds = 40
[stop]
alpha = 0.4
min_rounds = 2
look_every = 2
"#;

/// Plans and plays a tournament in which one bot leaves at once, in each game.
fn played(place: &Place) -> PathBuf {
    let bots = guests(place, &[("fox", "house still"), ("leaver", "exits 0 1")]);
    played_by(place, &bots, |words| place.call(words))
}

/// The same with programs as bots.
fn played_by_programs(place: &Place) -> PathBuf {
    let fox = format!("[[entrant]]\nname = \"fox\"\nprogram = \"{FAULTY}\"\narguments = [\"honest\"]\n");
    let leaver = format!("[[entrant]]\nname = \"leaver\"\nprogram = \"{FAULTY}\"\narguments = [\"exit\"]\n");
    played_by(place, &(fox + &leaver), |words| place.referee(words))
}

fn played_by(place: &Place, bots: &str, run: impl Fn(&[&str]) -> Ran) -> PathBuf {
    fs::write(place.path("stages.toml"), format!("{STAGES}{bots}")).expect("a file");
    run(&["tournament", "plan", "stages.toml", "--dir", "T"]).with_status(0);
    run(&["tournament", "run", "--dir", "T", "--jobs", "1"]).with_status(0);
    assert!(place.path("T/rounds/0002/plan.toml").exists(), "more than one stage");
    place.path("T")
}

/// All files below a folder, relative to it.
fn files(root: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()) {
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    let mut files: Vec<PathBuf> =
        files.iter().map(|file| file.strip_prefix(root).expect("below it").to_owned()).collect();
    files.sort();
    files
}

/// The bots' standard error proves nothing, and its digest is not stored. Locks are empty.
fn is_evidence(file: &Path) -> bool {
    !file.iter().any(|part| part == "stderr" || part == "plan.lock" || part == "run.lock")
}

/// The seal of a runner's log may be missing: the runner can have been killed before it.
fn may_be_missing(file: &Path, build: &str) -> bool {
    file.ends_with(build) || file.iter().any(|part| part == "sealed")
}

/// Audits a copy of a tournament after a change to one of its files; then restores the file.
fn audit_after(place: &Place, file: &Path, change: impl FnOnce(&Path)) -> Ran {
    let path = place.path("T").join(file);
    let (before, mode) =
        (fs::read(&path).expect("a file"), fs::metadata(&path).expect("a file").permissions());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("mine");
    change(&path);
    let ran = place.call(&["audit", "T"]);
    let _ = fs::remove_file(&path);
    fs::write(&path, before).expect("a file");
    fs::set_permissions(&path, mode).expect("mine");
    ran
}

/// Makes sure that an audit fails and names the file, or the subject of the file if another file refers to
/// it.
fn assert_named(ran: Ran, file: &Path, change: &str) {
    assert_eq!(ran.status, Some(3), "{} {change}: {ran:?}", file.display());
    let name = file.file_name().expect("a name").to_string_lossy().into_owned();
    let words: &[&str] = match &*name {
        "plan.toml" => &["plan.toml", "the plan of this round"],
        "results.csv" => &["rounds/0002/plan.toml"],
        // What it says is compared with what its runner has recorded, and that with the results.
        _ if file.iter().any(|part| part == "sealed") => {
            &["records/runs", "no record of the end of", "results.csv"]
        }
        _ => &[],
    };
    let is_named = ran.err.contains(&name) || words.iter().any(|word| ran.err.contains(word));
    assert!(is_named, "{} {change}: {}", file.display(), ran.err);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
}

#[test]
fn each_file_of_a_tournament_that_is_removed_emptied_or_changed_is_named() {
    let place = Place::new();
    let root = played_by_programs(&place);
    let agreed = place.call(&["audit", "T"]).with_status(0);
    assert!(agreed.out.contains(" played and agree, 0 void, 0 missing;"), "{agreed:?}");
    let plan = fs::read_to_string(root.join("plan.toml")).expect("the plan");
    let build = plan.lines().find_map(|line| line.strip_prefix("build = ")).expect("its referee");
    let build = build.trim_matches('"').to_owned();
    for file in files(&root).iter().filter(|file| is_evidence(file)) {
        let ran = audit_after(&place, file, |path| fs::remove_file(path).expect("mine"));
        // The referee that played may be left out of a copy: an audit does not need it.
        match may_be_missing(file, &build) {
            true => drop(ran.with_status(0)),
            false => assert_named(ran, file, "removed"),
        }
        let ran = audit_after(&place, file, |path| fs::write(path, "").expect("mine"));
        assert_named(ran, file, "emptied");
        let ran = audit_after(&place, file, |path| {
            let mut bytes = fs::read(path).expect("mine");
            let middle = bytes.len() / 2;
            bytes[middle] = if bytes[middle] == b'1' { b'2' } else { b'1' };
            fs::write(path, bytes).expect("mine");
        });
        assert_named(ran, file, "with another byte");
    }
    place.call(&["audit", "T"]).with_status(0);
}

#[test]
fn each_row_of_each_small_file_that_is_removed_doubled_or_moved_is_named() {
    let place = Place::new();
    let root = played(&place);
    let mut random = Random::new(17);
    let is_small = |file: &&PathBuf| {
        is_evidence(file) && !file.starts_with("store") && !file.iter().any(|part| part == "logs")
    };
    for file in files(&root).iter().filter(is_small) {
        let text = fs::read_to_string(root.join(file)).expect("text");
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let is_record = file.iter().any(|part| part == "records");
        for index in 0..lines.len() {
            let mut rows = lines.clone();
            // A runner's records may be there twice, or in another order, if they say the same.
            match if is_record { 0 } else { random.below(3) } {
                0 => drop(rows.remove(index)),
                1 => rows.insert(index, lines[index]),
                _ => rows.swap(index, (index + 1).min(lines.len() - 1)),
            }
            if rows != lines {
                let ran = audit_after(&place, file, |path| fs::write(path, rows.concat()).expect("mine"));
                assert_named(ran, file, &format!("line {} removed, doubled or moved", index + 1));
            }
        }
    }
}

#[test]
fn a_round_that_is_not_listed_or_was_changed_after_the_next_was_planned_is_named() {
    let place = Place::new();
    let root = played(&place);
    let list = root.join("results.csv");
    let whole = fs::read_to_string(&list).expect("the results");
    let last = fs::read_dir(root.join("rounds")).expect("rounds").count() + 1;
    let plan = fs::read_to_string(root.join(format!("rounds/{last:04}/plan.toml"))).expect("a plan");
    let earlier = plan.lines().find_map(|line| line.strip_prefix("earlier = "));
    let earlier = earlier.expect("the chain of the row before this round").trim_matches('"');
    let before = &whole[..whole.find(earlier).expect("a row") + earlier.len() + 1];
    assert!(before.ends_with('\n') && before.len() < whole.len(), "the last stage has games");

    fs::write(&list, before).expect("the results before the last stage");
    place.call(&["audit", "T"]).with_status(3).complaining(&["results.csv"]);
    let status = ["tournament", "status", "--dir", "T", "--format", "json"];
    assert!(place.call(&status).with_status(0).out.contains(r#""listed": false"#));
    // The next run lists what has ended: a stage, or all of them.
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    assert_eq!(fs::read_to_string(&list).expect("the results"), whole);
    assert!(place.call(&status).with_status(0).out.contains(r#""listed": true"#));
    fs::remove_file(&list).expect("the results");
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    assert_eq!(fs::read_to_string(&list).expect("the results"), whole);

    // As if the games of the first stage had begun at another time.
    rewrite(&root, |games| {
        games[0].iter_mut().for_each(|row| row.started = "2001-01-01T00:00:00Z".to_owned());
    });
    assert_named(place.call(&["audit", "T"]), Path::new("results.csv"), "with other dates");
    place.call(&["tournament", "repair", "--dir", "T"]).with_status(0);
    assert_eq!(fs::read_to_string(&list).expect("the results"), whole);
    place.call(&["audit", "T"]).with_status(0);
}

#[test]
fn games_that_are_missing_are_counted_with_their_batches() {
    let place = Place::new();
    place.tournament_of_guests();
    let none = place.call(&["audit", "T"]).with_status(3);
    none.complaining(&[
        "incomplete: 32 games planned, 0 played and agree, 0 void, 32 missing",
        "batches 0-3",
    ]);
    place.call(&["tournament", "run", "--dir", "T", "--shard", "0/2"]).with_status(0);
    let half = place.call(&["audit", "T"]).with_status(3);
    half.complaining(&["8 played and agree, 0 void, 16 missing. 16 games are missing: batches 1,3"]);
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    place.call(&["audit", "T"]).with_status(0);
}

#[test]
fn a_tournament_without_its_plan_or_with_a_plan_of_one_line_does_not_agree() {
    let place = Place::new();
    place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    fs::remove_dir_all(place.path("T/records")).expect("records");
    place.call(&["audit", "T"]).with_status(3).complaining(&["T/records: missing; it has the records"]);
    fs::write(place.path("T/plan.toml"), "layout = 5\n").expect("a plan");
    place.call(&["audit", "T"]).with_status(3).complaining(&["plan.toml, line"]);
    fs::remove_file(place.path("T/plan.toml")).expect("a plan");
    place.call(&["audit", "T"]).with_status(3).complaining(&["plan.toml"]);
}

#[test]
fn the_games_of_a_tournament_are_found_by_name_and_by_number() {
    let place = Place::new();
    place.tournament_of_guests();
    let early = place.call(&["hill", "log", "T", "s001-r00002-t001-g3"]).with_status(2);
    early.complaining(&["T: s001-r00002-t001-g3 is not listed yet"]);
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let game = "s001-r00002-t001-g3";
    let told = place.call(&["hill", "log", "T", game]).with_status(0);
    let log =
        told.out.lines().last().and_then(|line| line.split_whitespace().nth(1)).expect("a log").to_owned();
    assert!(log.ends_with(&format!("{game}.csv")) && place.path(&log).exists(), "{told:?}");
    let plain = |words: &[&str]| {
        place.call(&[&["replay", "--plain", "--turn", "1"], words].concat()).with_status(0).out
    };
    assert_eq!(plain(&["T", game]), plain(&[&log]));
    assert_eq!(plain(&["T", "0"]), plain(&["T", "s001-r00001-t001-g1"]));
    place.call(&["export", "T", game, "--dir", "exported"]).with_status(0);
    let rerun = place.call(&["rerun", "T", "still", "--game", game, "--seat", "0", "--sandbox", "off"]);
    assert!(rerun.out.contains(game), "{rerun:?}");
    let unknown = place.call(&["replay", "T", "nothing"]).with_status(2);
    unknown.complaining(&["T: no game named nothing; the first one is s001-r00001-t001-g1"]);
}
