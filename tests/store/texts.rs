//! The texts of a store on a real disk: which names and cells it takes, and what it says of damage.

use std::fs::{self, OpenOptions};
use std::io::Write;

use referee_store::{Attempt, Claim, ContestState, GameEnding, Kind, RealDisk, Runner, Trouble, each_record};

/// A folder, and a runner that has played a game there.
fn played() -> (tempfile::TempDir, RealDisk, Runner<RealDisk>) {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = RealDisk::new(folder.path());
    let mut runner = Runner::start(disk.clone(), "one").expect("a runner");
    assert_eq!(runner.claim("u", &["g1", "g2"]).expect("a claim"), Claim::Mine);
    let begun = runner.begin("u", "g1", &[]).expect("a beginning");
    runner.over(begun, &["a \"b\", c".to_owned(), String::new()]).expect("an end");
    (folder, disk, runner)
}

#[test]
fn cells_are_any_line_of_text_and_names_are_plain() {
    let (_folder, disk, mut runner) = played();
    let begun = runner.begin("u", "g2", &["é\t;".to_owned()]).expect("a beginning");
    let trouble = runner.over(begun.clone(), &["two\nlines".to_owned()]).expect_err("a line break");
    assert!(trouble.to_string().contains("cannot have a line break"), "{trouble}");
    runner.over(begun, &["done".to_owned()]).expect("an end");
    runner.rest().expect("a rest");
    let state = ContestState::read(&disk).expect("a state");
    assert_eq!(state.result(&disk, "g1").expect("a result").expect("an end"), ["a \"b\", c", ""]);
    assert_eq!(state.ended().collect::<Vec<_>>(), [("g1", GameEnding::Over), ("g2", GameEnding::Over)]);
    for name in ["", ".", "a/b", "a.1", "a b", &"x".repeat(101)] {
        assert!(matches!(runner.claim(name, &["g"]), Err(Trouble::Unfit(_))), "{name:?}");
        assert!(matches!(Runner::start(disk.clone(), name), Err(Trouble::Unfit(_))), "{name:?}");
    }
    assert!(Runner::start(disk, "one").is_err(), "its name is taken");
}

#[test]
fn any_cells_are_read_as_they_were_recorded() {
    let (_folder, disk, mut runner) = played();
    let words = ["", "a", "\"", "\"\"", ",", "\",", ",\"", "a\"b", "\"a\"", " ", "é,", "a,b\"\",\"c", "0"];
    let all: Vec<String> = words.iter().flat_map(|one| words.map(|other| format!("{one}{other}"))).collect();
    for number in 0..all.len() {
        // Each cell at each place among others.
        let cells: Vec<String> = all.iter().cycle().skip(number).take(5).cloned().collect();
        let begun = runner.begin("u", "g2", &cells).expect("a beginning");
        runner.void(begun, &cells).expect("a void attempt");
    }
    runner.rest().expect("a rest");
    let state = ContestState::read(&disk).expect("a state");
    let attempts = state.attempts(&disk, "g2").expect("attempts");
    assert_eq!(attempts.len(), all.len());
    for (number, attempt) in attempts.iter().enumerate() {
        let due: Vec<String> = all.iter().cycle().skip(number).take(5).cloned().collect();
        assert!(matches!(attempt, Attempt::Void(cells) if *cells == due), "{attempt:?} {due:?}");
    }
}

#[test]
fn the_last_record_of_a_runner_that_lives_counts_when_it_rests() {
    let (_folder, disk, mut runner) = played();
    assert_eq!(ContestState::read(&disk).expect("a state").ending("g1"), None);
    assert_eq!(runner.open(&["g1", "g2"]), ["g2"], "it knows itself");
    let mut other = Runner::start(disk.clone(), "two").expect("a runner");
    assert_eq!(other.claim("u", &["g1", "g2"]).expect("an answer"), Claim::Others);
    runner.rest().expect("a rest");
    assert_eq!(ContestState::read(&disk).expect("a state").ending("g1"), Some(GameEnding::Over));
}

#[test]
fn a_runner_that_is_gone_loses_its_attempt_and_one_that_comes_back_counts_for_nothing() {
    let (_folder, disk, mut runner) = played();
    let begun = runner.begin("u", "g2", &["12:00".to_owned()]).expect("a beginning");
    let zombie = runner.clone();
    drop(runner);
    // Its lock is gone with its process: here, with its file.
    let path = _folder.path().join("runs/one");
    let text = fs::read(&path).expect("a log");
    fs::remove_file(&path).expect("a log");
    fs::write(&path, text).expect("a log");
    let mut other = Runner::start(disk.clone(), "two").expect("a runner");
    assert_eq!(other.claim("u", &["g1", "g2"]).expect("a claim"), Claim::Mine);
    assert_eq!(other.open(&["g1", "g2"]), ["g2"]);
    let lost = other.state().attempts(&disk, "g2").expect("attempts");
    assert_eq!(lost, [Attempt::Lost(vec!["12:00".to_owned()])]);
    let mut zombie = zombie;
    assert!(matches!(zombie.over(begun, &["late".to_owned()]), Err(Trouble::TakenOver)));
    assert!(matches!(zombie.rest(), Err(Trouble::TakenOver)));
}

#[test]
fn a_torn_end_is_no_record_and_damage_before_a_record_is_named_with_its_place() {
    let (folder, disk, mut runner) = played();
    runner.rest().expect("a rest");
    drop(runner);
    let path = folder.path().join("runs/one");
    let whole = fs::read(&path).expect("a log");
    let came = || ContestState::read(&disk).map(|state| state.ending("g1"));
    assert_eq!(came().expect("a state"), Some(GameEnding::Over));
    for torn in [&b"0badc0de,over"[..], b"\0\0\0\0\0", b"0badc0de,over,u,0,g2,x\n", b"\n\n"] {
        fs::write(&path, [&whole, torn].concat()).expect("a torn end");
        let mut state = ContestState::read(&disk).expect("a state");
        assert_eq!(state.ending("g1"), Some(GameEnding::Over), "what stands before counts");
        // Whatever follows shows that the damage is no torn end.
        OpenOptions::new().append(true).open(&path).and_then(|mut log| log.write_all(&whole)).expect("more");
        let trouble = state.follow(&disk).expect_err("damage").to_string();
        assert!(trouble.starts_with(&format!("runs/one: damaged at byte {}", whole.len())), "{trouble}");
    }
    // A changed record is damage. If it is the last, or runs into the last, it is no record, and the one before it has
    // nothing behind it.
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').expect("records");
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&path, &changed).expect("a change");
        match came() {
            Ok(found) => assert!(at >= last && found.is_none(), "byte {at}: {found:?}"),
            Err(trouble) => assert!(at < last, "byte {at}: {trouble}"),
        }
    }
}

#[test]
fn a_log_or_a_seal_that_is_gone_or_cut_off_is_an_error() {
    let (folder, disk, runner) = played();
    drop(runner);
    let mut other = Runner::start(disk.clone(), "two").expect("a runner");
    assert_eq!(other.claim("u", &["g1", "g2"]).expect("a claim"), Claim::Mine);
    let path = folder.path().join("runs/one");
    let whole = fs::read(&path).expect("a log");
    fs::write(&path, &whole[..whole.len() - 1]).expect("a cut");
    let trouble = ContestState::read(&disk).expect_err("a record is gone").to_string();
    assert!(
        trouble.contains("runs/one: damaged at byte") && trouble.contains("1 of its 2 records"),
        "{trouble}"
    );
    fs::remove_file(&path).expect("a log");
    assert!(ContestState::read(&disk).expect_err("a log is gone").to_string().contains("runs/one"));
    fs::write(&path, &whole).expect("a log");
    fs::write(folder.path().join("sealed/one"), "two").expect("a seal");
    assert!(ContestState::read(&disk).expect_err("no seal").to_string().starts_with("sealed/one: damaged"));
}

#[test]
fn records_are_gone_through_one_at_a_time_up_to_what_counts() {
    let (folder, disk, mut runner) = played();
    let kinds = || {
        let mut kinds = Vec::new();
        let lives = each_record(&disk, "one", |record| kinds.push((record.kind, record.game)));
        lives.map(|lives| (lives, kinds))
    };
    let record = |kind, game: &str| (kind, game.to_owned());
    let [begun, over] = [record(Kind::Begun, "g1"), record(Kind::Over, "g1")];
    // The last record of a runner that lives may not be on the disk.
    assert_eq!(kinds().expect("records"), (true, vec![begun.clone()]));
    runner.rest().expect("a rest");
    assert_eq!(kinds().expect("records"), (true, vec![begun.clone(), over.clone()]));
    drop(runner);
    let all = vec![begun.clone(), over.clone(), record(Kind::Mark, "")];
    assert_eq!(kinds().expect("records"), (false, all), "nobody has sealed it, and it is gone");

    let path = folder.path().join("runs/one");
    let whole = fs::read_to_string(&path).expect("a log");
    fs::create_dir(folder.path().join("sealed/one")).expect("a folder");
    assert!(kinds().is_err(), "a seal that cannot be read is not a log without one");
    fs::remove_dir(folder.path().join("sealed/one")).expect("a folder");
    for (seal, due) in [("0", vec![]), ("1", vec![begun.clone()]), ("2", vec![begun, over])] {
        fs::write(folder.path().join("sealed/one"), seal).expect("a seal");
        assert_eq!(kinds().expect("records"), (false, due), "what stands behind the seal does not count");
    }
    fs::write(&path, whole.replacen("begun", "bogus", 1)).expect("a change");
    let damage = kinds().expect_err("damage").to_string();
    assert!(damage.contains("damaged at byte 0: not a record, though one follows"), "{damage}");
    fs::write(&path, whole.split_inclusive('\n').next().expect("a record")).expect("a change");
    let damage = kinds().expect_err("damage").to_string();
    assert!(damage.contains("1 of its 2 records are left"), "{damage}");
}
