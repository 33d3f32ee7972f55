//! What a state and a runner answer about games, runners and units: each answer after the same story.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::MetadataExt;

use referee_store::{Attempt, Claim, ContestState, GameEnding, RealDisk, Runner, Trouble, each_record};

type Story = (tempfile::TempDir, RealDisk, Runner<RealDisk>, Runner<RealDisk>);

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn start(disk: &RealDisk, name: &str) -> Runner<RealDisk> {
    Runner::start(disk.clone(), name).expect("a runner")
}

/// `one` has unit u: g1 void and then over, g2 given up, g3 left, g4 lost with it, g5 was never begun. `two` has taken
/// over and is in the middle of g4. `three` has unit v, and is in the middle of h1.
fn story() -> Story {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = RealDisk::new(folder.path());
    let mut one = start(&disk, "one");
    one.note(&words(&["of", "one"])).expect("a note");
    assert_eq!(one.claim("u", &["g1", "g2", "g3", "g4", "g5"]).expect("a claim"), Claim::Mine);
    let begun = one.begin("u", "g1", &words(&["first"])).expect("a beginning");
    one.void(begun, &words(&["void"])).expect("an end");
    let begun = one.begin("u", "g1", &words(&["second"])).expect("a beginning");
    one.over(begun, &words(&["result"])).expect("an end");
    let begun = one.at_once("u", "g2").expect("a beginning");
    one.give_up(begun, &words(&["hopeless"])).expect("an end");
    let begun = one.begin("u", "g3", &words(&["left"])).expect("a beginning");
    one.leave(begun).expect("an end");
    let _ = one.begin("u", "g4", &words(&["lost"])).expect("a beginning");
    drop(one);
    let mut two = start(&disk, "two");
    assert_eq!(two.claim("u", &["g1", "g2", "g3", "g4", "g5"]).expect("a claim"), Claim::Mine);
    let _ = two.begin("u", "g4", &words(&["again"])).expect("a beginning");
    two.rest().expect("a rest");
    let mut three = start(&disk, "three");
    assert_eq!(three.claim("v", &["h1"]).expect("a claim"), Claim::Mine);
    let _ = three.begin("v", "h1", &words(&["far"])).expect("a beginning");
    three.rest().expect("a rest");
    (folder, disk, two, three)
}

#[test]
fn a_state_answers_for_each_game_and_each_runner() {
    let (_folder, disk, _two, _three) = story();
    let state = ContestState::read(&disk).expect("a state");
    let games = ["g1", "g2", "g3", "g4", "g5", "h1", "x"];
    let of = |ask: &dyn Fn(&str) -> bool| games.into_iter().filter(|game| ask(game)).collect::<Vec<_>>();

    assert_eq!(state.ended().collect::<Vec<_>>(), [("g1", GameEnding::Over), ("g2", GameEnding::GivenUp)]);
    assert_eq!(of(&|game| state.is_known(game)), ["g1", "g2", "g4", "h1"], "g3 was left");
    assert_eq!(of(&|game| state.has_touched("one", game)), ["g1", "g2", "g4"]);
    assert_eq!(of(&|game| state.has_touched("two", game)), ["g4"]);
    assert_eq!(of(&|game| state.has_touched("three", game)), ["h1"]);
    assert_eq!(of(&|game| state.has_touched("nobody", game)), [""; 0]);
    let mut known: Vec<&str> = state.known().collect();
    known.sort_unstable();
    known.dedup();
    assert_eq!(known, ["g1", "g2", "g4", "h1"]);
    assert_eq!(state.voided().collect::<Vec<_>>(), ["g1", "g2"]);
    assert_eq!(state.lost().collect::<Vec<_>>(), ["g4"]);

    assert_eq!(state.runners_of("g1").collect::<Vec<_>>(), ["one", "one"], "void, and over");
    assert_eq!(state.runners_of("g2").collect::<Vec<_>>(), ["one"]);
    assert_eq!(state.runners_of("g4").next(), None, "nothing has come of it");
    assert_eq!((state.runner_of("g1"), state.runner_of("g4")), (Some("one"), None));
    assert_eq!(state.runners().collect::<Vec<_>>(), ["one", "three", "two"]);
    assert_eq!(state.unsealed().collect::<Vec<_>>(), ["three", "two"]);

    let result = |game| state.result(&disk, game).expect("cells");
    assert_eq!(result("g1"), Some(words(&["result"])));
    assert_eq!(result("g2"), Some(words(&["hopeless"])));
    assert_eq!(result("g4"), None);
    let attempts = |game| state.attempts(&disk, game).expect("cells");
    assert_eq!(attempts("g1"), [Attempt::Void(words(&["void"]))]);
    assert_eq!(attempts("g4"), [Attempt::Lost(words(&["lost"]))], "the other one is under way");
    assert_eq!(attempts("g3"), []);
    let open = |runner| state.open_of(&disk, runner).expect("cells");
    assert_eq!(open("one"), [("g4".to_owned(), words(&["lost"]))]);
    assert_eq!(open("two"), [("g4".to_owned(), words(&["again"]))]);
    assert_eq!(state.notes(&disk, "one").expect("cells"), [words(&["of", "one"])]);
    assert_eq!(state.notes(&disk, "two").expect("cells"), [[""; 0]; 0]);
}

#[test]
fn watchers_see_the_attempts_of_the_runners_that_live() {
    let (folder, disk, mut two, three) = story();
    let running = || ContestState::running(&disk).expect("a look");
    let [far, again] = [("h1", "far"), ("g4", "again")].map(|(game, cell)| (game.to_owned(), words(&[cell])));
    assert_eq!(running(), [vec![far], vec![again.clone()]], "in the order of the runners");
    drop(three);
    assert_eq!(running(), [vec![again.clone()]], "nobody has missed it yet");

    // Of a long log they read the end.
    let mut log = OpenOptions::new().append(true).open(folder.path().join("runs/two")).expect("a log");
    log.write_all("x\n".repeat(5 << 20).as_bytes()).expect("room");
    assert_eq!(running(), [vec![]], "it began too long ago");
    let _ = two.begin("u", "g5", &words(&["new"])).expect("a beginning");
    assert_eq!(running(), [vec![("g5".to_owned(), words(&["new"]))]]);
    drop(two);
    assert_eq!(running(), [[]; 0]);
}

#[test]
fn runners_know_their_tries_and_each_other() {
    let (_folder, disk, mut two, mut three) = story();
    assert_eq!(ContestState::tries_at(&disk, "u").expect("tries"), ["one", "two"]);
    assert_eq!(ContestState::tries_at(&disk, "w").expect("tries"), [""; 0]);
    assert_eq!((two.try_at("u"), two.try_at("v"), three.try_at("v")), (Some(1), None, Some(0)));
    assert_eq!((two.runner_at("u"), two.runner_at("v")), (Some("two"), None));
    assert_eq!((two.name(), three.name()), ("two", "three"));
    assert_eq!(two.state().ending("h1"), None);
    let begun = three.at_once("v", "h1").expect("a beginning");
    three.over(begun, &words(&["done"])).expect("an end");
    three.rest().expect("a rest");
    assert_eq!(two.follow().expect("a look").ending("h1"), Some(GameEnding::Over));
    assert_eq!(two.seal_gone().expect("a look"), ["three"]);
    assert_eq!(three.seal_gone().expect("a look"), ["two"]);
    assert_eq!(three.claim("u", &["g3"]).expect("an answer"), Claim::Others);
    assert_eq!(three.runner_at("u"), Some("two"));
    assert_eq!(three.try_at("u"), None);
    assert!(matches!(three.at_once("u", "g3"), Err(Trouble::Unfit(_))), "it is not claimed");
    // A unit whose games have all ended belongs to nobody.
    assert_eq!(three.claim("u", &["g1", "g2"]).expect("an answer"), Claim::Over);

    // From a runner that hangs, another takes over. What that one has ended before counts after all.
    let begun = two.begin("u", "g5", &[]).expect("a beginning");
    two.over(begun, &words(&["done"])).expect("an end");
    assert_eq!(two.counts_after_all("g5").expect("a look"), None, "nobody has said that it is dead");
    assert_eq!(three.take_over("u", &["g3", "g4", "g5"]).expect("a claim"), Claim::Mine);
    assert_eq!(three.try_at("u"), Some(2));
    assert_eq!(two.counts_after_all("g5").expect("a look"), Some(true));
    assert_eq!(two.counts_after_all("g4").expect("a look"), Some(false));
    assert_eq!(three.state().ending("g5"), Some(GameEnding::Over));
    assert_eq!(three.seal_gone().expect("a look"), [""; 0], "its log is sealed");
}

#[test]
fn of_a_contest_that_rests_each_log_is_read_to_its_end_and_each_unit_alone() {
    let (_folder, disk, mut two, three) = story();
    let begun = two.begin("u", "g5", &[]).expect("a beginning");
    two.over(begun, &words(&["done"])).expect("an end");
    let mut state = ContestState::default();
    assert_eq!(state.follow_unit(&disk, "w").expect("tries"), [""; 0]);
    assert_eq!(state.runners().next(), None);
    assert_eq!(state.follow_unit(&disk, "u").expect("tries"), ["one", "two"]);
    assert_eq!(state.runners().collect::<Vec<_>>(), ["one", "two"], "the others are not read");
    // The last record of a runner that lives may not be on the disk.
    assert_eq!(state.ending("g5"), None);
    let mut state = ContestState::read(&disk).expect("a state");
    state.close_gone(&disk).expect("a look");
    assert_eq!((state.ending("g5"), state.unsealed().count()), (None, 2), "both live");
    drop((two, three));
    state.close_gone(&disk).expect("a look");
    assert_eq!((state.ending("g5"), state.unsealed().count()), (Some(GameEnding::Over), 0));
    assert_eq!(state.lost().collect::<Vec<_>>(), ["g4", "h1", "g4"]);
}

#[test]
fn a_runner_seals_the_logs_of_those_that_are_gone_and_its_own_when_it_ends() {
    let (_folder, disk, mut two, three) = story();
    assert_eq!(two.seal_gone().expect("a seal"), ["three"]);
    drop(three);
    assert_eq!(two.seal_gone().expect("a seal"), [""; 0]);
    assert_eq!(two.state().lost().collect::<Vec<_>>(), ["g4", "h1"], "it knows what it has sealed");
    let state = ContestState::read(&disk).expect("a state");
    assert_eq!(state.unsealed().collect::<Vec<_>>(), ["two"]);
    assert_eq!(state.lost().collect::<Vec<_>>(), ["g4", "h1"]);
    // All of its games are known otherwise, or not.
    let settled = |is_known: &dyn Fn(&str) -> bool| state.settled(&disk, is_known).expect("a sync");
    assert_eq!(settled(&|_| true), ["one", "three"]);
    assert_eq!(settled(&|game| game != "h1"), ["one"]);
    assert_eq!(settled(&|game| game != "g2"), ["three"]);
    two.end().expect("an end");
    let state = ContestState::read(&disk).expect("a state");
    assert_eq!(state.unsealed().next(), None);
    assert!(matches!(two.rest(), Err(Trouble::Broken)));
    assert!(matches!(two.note(&[]), Err(Trouble::Broken)));
}

#[test]
fn room_is_kept_for_the_end_of_each_attempt_and_given_back() {
    const ONE: u64 = 32 << 10;
    let folder = tempfile::tempdir().expect("a folder");
    let mut one = start(&RealDisk::new(folder.path()), "one");
    let log = fs::metadata(folder.path().join("runs/one")).expect("a log");
    let kept = || 512 * fs::metadata(folder.path().join("runs/one")).expect("a log").blocks();
    assert_eq!(log.blocks(), 0);
    assert_eq!(one.claim("u", &["g1", "g2", "g3"]).expect("a claim"), Claim::Mine);
    assert_eq!(kept(), 0, "no attempt has begun");
    let begun = one.begin("u", "g1", &[]).expect("a beginning");
    assert!(kept() >= 2 * ONE, "for this record and its end: {}", kept());
    let _ = one.begin("u", "g2", &[]).expect("a beginning");
    assert!(kept() >= 3 * ONE, "{}", kept());
    one.over(begun, &["x".repeat(ONE as usize)]).expect("an end");
    let before = kept();
    let _ = one.begin("u", "g3", &[]).expect("a beginning");
    assert!(kept() > before, "what was used is kept anew");
    one.end().expect("an end");
    let length = fs::metadata(folder.path().join("runs/one")).expect("a log").len();
    assert!(kept() < length + ONE, "{} bytes for {length}", kept());
}

#[test]
fn a_runner_that_is_passed_over_is_read_when_it_is_asked_for() {
    let (_folder, disk, _two, _three) = story();
    let passed = || {
        let mut state = ContestState::default();
        state.pass_over(["one".to_owned(), "three".to_owned()]);
        state.follow(&disk).expect("a state");
        state
    };
    assert_eq!(passed().runners().collect::<Vec<_>>(), ["two"]);
    assert_eq!(passed().ending("g1"), None);
    let mut state = passed();
    state.follow_some(&disk, &["one".to_owned()]).expect("a state");
    assert_eq!(state.ending("g1"), Some(GameEnding::Over));
    assert_eq!(state.runners().collect::<Vec<_>>(), ["one", "two"], "the other one is still passed over");
    state.follow(&disk).expect("a state");
    assert_eq!(state.runners().collect::<Vec<_>>(), ["one", "two"]);
}

#[test]
fn a_log_that_is_shorter_than_its_seal_is_damaged_at_its_end() {
    let (folder, disk, _two, _three) = story();
    let log = folder.path().join("runs/one");
    let text = fs::read_to_string(&log).expect("a log");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let left = lines[..lines.len() - 2].concat();
    fs::write(&log, &left).expect("a shorter log");
    let due = format!("runs/one: damaged at byte {}: {} of its {}", left.len(), lines.len() - 2, lines.len());
    let mut count = 0;
    let read = each_record(&disk, "one", |_| count += 1).expect_err("it is damaged");
    assert!(read.to_string().starts_with(&due), "{read}: {due}");
    let read = ContestState::read(&disk).expect_err("it is damaged");
    assert!(read.to_string().starts_with(&due), "{read}: {due}");
}
