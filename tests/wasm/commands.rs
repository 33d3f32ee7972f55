//! The commands of a referee with WebAssembly.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::hill::bots;
use super::hostile::raw;

/// A folder with the bots of [`bots`], for the program `referee` with WebAssembly.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let place = TempDir::new().expect("a folder");
        for (name, bytes) in bots() {
            fs::write(place.path().join(format!("{name}.wasm")), bytes).expect("the file is written");
        }
        Place(place)
    }

    /// Runs a command, and returns its exit status and all its output.
    fn run(&self, words: &str) -> (Option<i32>, String) {
        let output = Command::new(program())
            .args(words.split(' '))
            .current_dir(self.0.path())
            .output()
            .expect("the program, which is built with this test");
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8_lossy(&said).into_owned())
    }

    fn done(&self, words: &str) -> String {
        let (status, said) = self.run(words);
        assert_eq!(status, Some(0), "{words}: {said}");
        said
    }
}

/// Returns the program `referee` with WebAssembly, which is built with this test.
pub(super) fn program() -> PathBuf {
    let here = std::env::current_exe().expect("this program");
    here.ancestors().nth(2).expect("two folders").join("examples/referee-with-wasm")
}

/// Limits under which [`bots`] behave like their names.
const LIMITS: &str = "-p 2 --max-turns 90 --turn-ms 2 --first-ms 20";

/// The same, for the commands that accept all games.
const SET: &str = "--set p=2 --set max_turns=90 --set turn_ms=2 --set first_ms=20";

#[test]
fn a_module_is_checked_played_submitted_and_audited_like_any_bot() {
    let place = Place::new();
    // Its answers suit two players only, which the check reports.
    let (status, checked) = place.run(&format!("check ./wander.wasm --game football {SET}"));
    assert_eq!(status, Some(3), "{checked}");
    assert!(checked.contains("Units of 90 answers") && checked.contains("the limit is 2000."), "{checked}");
    place.done(&format!(
        "play football ./wander.wasm ./slow.wasm greedy ./still.wasm {LIMITS} --seed 3 --dir games"
    ));
    let results = fs::read_to_string(place.0.path().join("games/results.csv")).expect("results");
    assert_eq!(results.matches(",wasm,units-2,").count(), 3, "{results}");
    place.done("audit games");
    let rerun = place.done("rerun games/logs/football-0x0000000000000003.csv --seat 0 ./wander.wasm");
    let units = rerun.lines().find_map(|line| line.strip_prefix("Units a turn: ")).expect("its units");
    let (now, then) = units.split_once("; then: ").expect("both");
    assert_eq!(now, then);
    assert!(now.ends_with(" thousand units"), "{now}");
    let dearest = rerun.lines().find(|line| line.starts_with("Most in turn ")).expect("its dearest turns");
    let most = now.split([' ', ',']).rev().nth(2).expect("the most");
    assert_eq!(dearest.split(['(', ')']).nth(1), Some(most), "{now}\n{dearest}");

    place.done(&format!("hill new H football {LIMITS}"));
    for name in ["wander", "slow", "still"] {
        place.done(&format!("hill submit H ./{name}.wasm"));
    }
    place.done("hill submit H greedy");
    place.done("hill run H --rounds 1");
    let audited = place.done("audit H --bots");
    assert!(audited.contains(" repeated by the bots themselves; "), "{audited}");
    assert!(audited.contains("1 seat of native programs cannot be repeated"), "{audited}");
}

#[test]
fn a_module_that_takes_much_to_prepare_is_refused() {
    let place = Place::new();
    let calls = [&b"\0"[..], &b"\x10\0".repeat(240_000), b"\x0b"].concat();
    let module = raw(b"\x01\x60\0\0", b"", b"", &calls, 60);
    fs::write(place.0.path().join("calls.wasm"), module).expect("a file");
    let (status, said) = place.run("play football ./calls.wasm greedy greedy greedy");
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("to prepare it takes more than"), "{said}");
}

#[test]
fn what_cannot_be_is_refused_with_the_remedy() {
    let place = Place::new();
    fs::write(place.0.path().join("cut.wasm"), &bots()["still"][..100]).expect("a file");
    let why = "at byte 57: not a valid module of WebAssembly 2.0";
    for (words, due) in [
        ("check ./cut.wasm --game football", "Fix: build it again without newer features"),
        ("play football ./cut.wasm greedy greedy greedy", why),
        ("audit missing --bots", "missing: no such file"),
    ] {
        let (status, said) = place.run(words);
        assert!(status.is_some_and(|status| status != 0) && said.contains(due), "{words}: {status:?} {said}");
    }
    place.done(&format!("play football ./still.wasm greedy greedy greedy {LIMITS} --dir games"));
    let (status, said) = place.run("audit games --bots");
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("games: --bots is for hills and tournaments, which keep their bots"), "{said}");
}
