//! A hill of an earlier version: its logs are in one folder for each round, `logs/s001/r00001`, without a
//! folder for a thousand rounds above.

use std::fs;
use std::path::Path;

use referee_record::Digest;
use referee_record::results::{ResultRow, chained, header};

use crate::support::{Place, faulty, files_below, results_in};

const QUICK: [&str; 10] =
    ["-p", "2", "--max-turns", "20", "--turn-ms", "30000", "--first-ms", "30000", "--seed", "3"];

/// Changes a hill as if an earlier version had played it.
fn make_old(hill: &Path) {
    fs::remove_dir_all(hill.join("proof")).expect("its key");
    for kind in ["logs", "stderr"] {
        let season = hill.join(kind).join("s001");
        let thousand = season.join("0000");
        for round in fs::read_dir(&thousand).expect("rounds").flatten() {
            fs::rename(round.path(), season.join(round.file_name())).expect("the round is moved");
        }
        fs::remove_dir(thousand).expect("nothing is left in it");
    }
    let mut text = header();
    let mut chain = Digest::of(text.as_bytes());
    for row in results_in(hill) {
        let log = row.log.replace("logs/s001/0000/r", "logs/s001/r");
        assert_ne!(log, row.log);
        text += &chained(&ResultRow { log, ..row }.text(), &mut chain);
    }
    fs::write(hill.join("results.csv"), text).expect("the results");
}

#[test]
fn logs_in_folders_of_earlier_versions_are_found_and_audited_and_new_ones_lie_beside_them() {
    let place = Place::new();
    let says = faulty("stderr --kib 1");
    let bots = [("greedy", "greedy"), ("loud", &*says), ("still", "still"), ("sweeper", "sweeper")];
    let hill = place.hill("hill", &QUICK, &bots);
    place.referee(&["hill", "run", "hill"]).with_status(0);
    make_old(&hill);
    let game = "s001-r00001-t001-g1";
    let rows = results_in(&hill);
    let log = &rows.iter().find(|row| row.game == game).expect("its rows").log;
    assert!(log.starts_with("logs/s001/r00001/") && hill.join(log).exists(), "{log}");

    let checks = || {
        place.referee(&["audit", "hill"]).with_status(0);
        let told = place.referee(&["hill", "log", "hill", game]).with_status(0);
        assert!(
            told.out.contains(log) && told.out.contains("standard error: hill/stderr/s001/r00001/"),
            "{told:?}"
        );
        let raw = place.referee(&["hill", "log", "hill", game, "--raw"]).with_status(0);
        assert_eq!(raw.out, fs::read_to_string(hill.join(log)).expect("the log"));
        place.referee(&["replay", "hill", game, "--html", "page.html"]).with_status(0);
    };
    checks();

    // New games are in today's folders, and the old logs stay where they are.
    place.referee(&["hill", "run", "hill", "--rounds", "1"]).with_status(0);
    assert!(results_in(&hill).last().expect("a row").log.starts_with("logs/s001/0000/r"));
    checks();

    // It is read, not ignored.
    let whole = fs::read_to_string(hill.join(log)).expect("the log");
    fs::write(hill.join(log), whole.replacen(",ok,", ",late,", 1)).expect("the log");
    place.referee(&["audit", "hill"]).with_status(3).complaining(&["logs/s001/r00001/"]);
    fs::remove_file(hill.join(log)).expect("the log");
    place.referee(&["audit", "hill"]).with_status(3).complaining(&[log]);
    assert_eq!(files_below(&hill.join("logs/s001/r00001"), "csv").len(), 3);
}
