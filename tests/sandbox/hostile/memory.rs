//! Neither the referee's memory nor its records grow without bound, whatever and however long bots write.

use std::fs;
use std::thread;

use crate::support::{Place, faulty, files_below, measure};

/// Bots that write too much, and one that reads nothing.
const FLOODERS: [&str; 8] = [
    "flood",
    "garbage --every 1",
    "extra --every 1 --tag",
    "stderr --kib 8",
    "long --every 10",
    r"says --text {200:\n}",
    r"says --every 10 --text *\n{100000:x}",
    "deaf",
];

/// The maximum size of the records of such a game, in bytes: for each turn, and besides.
const RECORDS: (u64, u64) = (1 << 10, 512 << 10);

/// How much more the referee may hold after 10,000 turns than after 1,000. Its notes about each turn, for
/// thinking times, are smaller.
const GROWTH_KIB: u64 = 1024;

#[test]
#[ignore = "slow: 88,000 turns of floods"]
fn ten_thousand_turns_against_each_flooder_need_no_more_memory_than_one_thousand() {
    thread::scope(|scope| {
        for flooder in FLOODERS {
            scope.spawn(move || {
                let [short, long] = [1_000, 10_000].map(|turns| peak_kib(flooder, turns));
                println!("{flooder}: {short} KiB after 1,000 turns, {long} after 10,000");
                assert!(long < short + GROWTH_KIB, "{flooder}: {short} KiB, then {long}");
            });
        }
    });
}

/// Plays a game and returns the maximum memory of the referee.
fn peak_kib(flooder: &str, turns: u64) -> u64 {
    let place = Place::new();
    let max_turns = turns.to_string();
    let game = ["play", "football", "-p", "1", "--max-turns", &max_turns, "--stall-turns", "0"];
    let limits = ["--turn-ms", "1", "--first-ms", "1000", "--seed", "7"];
    let flooder = faulty(flooder);
    let mut command = place.command(&[&game[..], &limits, &[&flooder, "still", "still", "still"]].concat());
    let (_, peak) = measure(&mut command);
    let records = ["csv", "txt"].iter().flat_map(|ending| files_below(&place.path("games"), ending));
    let size: u64 = records.map(|file| fs::metadata(file).expect("a record").len()).sum();
    let most = RECORDS.0 * turns + RECORDS.1;
    println!("{flooder}: {size} bytes of records after {turns} turns");
    assert!(
        size > 0 && size <= most,
        "{flooder}: {size} bytes of records after {turns} turns, at most {most}"
    );
    peak
}
