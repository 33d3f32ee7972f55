//! Draws by seat: fair draws pass, and a seat that is drawn too often is found.

use std::fs;
use std::path::Path;

use referee_files::log;
use referee_play::replay;
use referee_statistics::draws::Draws;

use crate::called::Calls;
use crate::support::{Place, results_in};

/// A log in which the first candidates are always drawn, regardless of chance.
fn favour_the_first(log: &str) -> String {
    let rows = log.lines().map(|row| {
        let columns: Vec<&str> = row.split(',').collect();
        match columns[..] {
            ["draw", .., candidates, detail] => {
                let (at, drawn) = detail.split_once(" drawn ").expect("a draw");
                let count = drawn.split(' ').count();
                let first: Vec<&str> = candidates.split(' ').take(count).collect();
                let front = row.strip_suffix(detail).expect("the last column");
                format!("{front}{at} drawn {}\n", first.join(" "))
            }
            _ => format!("{row}\n"),
        }
    });
    rows.collect()
}

#[test]
fn a_seat_that_is_drawn_too_often_is_found() {
    let place = Place::new();
    for (game, bots, settings) in [
        ("football", &["sweeper"; 4][..], &["-p", "30", "-k", "3", "--max-turns", "300"][..]),
        ("push", &["reader"; 6], &["--turns", "100"]),
    ] {
        let limits = ["--turn-ms", "60000", "--first-ms", "60000", "--sandbox", "off"];
        let words = [&["play", game, "--seed", "5", "--repeat", "2", "--dir", game], settings, &limits, bots];
        place.call(&words.concat()).with_status(0);
        let (mut fair, mut skewed) = (Draws::default(), Draws::default());
        for row in results_in(&place.path(game)).iter().filter(|row| row.seat.index() == 0) {
            let log = place.path(game).join(&row.log);
            let add = |draws: &mut Draws, log: &Path| {
                let (game, mut rows, _) = log::open(log).and_then(replay::open).expect("a log");
                draws.add_log(&*game, &mut rows).expect("draws");
            };
            add(&mut fair, &log);
            let text = favour_the_first(&fs::read_to_string(&log).expect("the log"));
            fs::write(place.path("skewed.csv"), text).expect("a file");
            add(&mut skewed, &place.path("skewed.csv"));
        }
        let (found, found_skewed) = (fair.finding(), skewed.finding());
        println!("{game}: {found:?} {found_skewed:?} {:?}", fair.seats());
        assert!(found.p_value.is_some() && !found.suspicious, "{game}: {found:?}");
        assert!(found_skewed.suspicious, "{game}: {found_skewed:?}");
        let won: u64 = fair.seats().iter().map(|seat| seat.won).sum();
        let due: f64 = fair.seats().iter().map(|seat| seat.due).sum();
        assert!((won as f64 - due).abs() < 1e-6, "{game}: {won} were drawn, {due} were due");
    }
}

#[test]
fn a_hill_tells_of_its_draws() {
    let place = Place::new();
    let bots = [("a", "sweeper"), ("b", "sweeper"), ("c", "greedy"), ("d", "still")];
    place.hill_of_guests("hill", &["-p", "10", "-k", "10", "--max-turns", "30", "--turn-ms", "60000"], &bots);
    place.call(&["hill", "run", "hill"]).with_status(0);
    let fairness = ["hill", "fairness", "hill", "--format", "csv"];
    let without = place.call(&fairness).with_status(0);
    assert!(!without.out.contains("draws"), "{without:?}");
    let with = place.call(&[&fairness[..], &["--draws"]].concat()).with_status(0);
    let row = with.out.lines().find(|row| row.contains(",draws_of_a_seat,")).expect("a row");
    assert!(row.contains(",measured,") || row.contains(",too_few,"), "{row}");
    let told = place.call(&["hill", "fairness", "hill", "--draws"]).with_status(0).out;
    assert!(told.contains("how often a seat was"), "{told}");
}
