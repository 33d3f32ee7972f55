//! The pages of a report in a real browser.

use serde_json::{Value, json};

use super::watch;
use crate::called::Calls;
use crate::support::Place;
use crate::view::report::{bots, simulated};

/// Number of screens that standings take from the top of the page, and that the whole page takes before anything is
/// opened, at 1280 by 900.
const BOARD_MAX: f64 = 2.0;
const SCREENS_MAX: f64 = 4.5;

#[test]
#[ignore = "needs node and Chromium"]
fn a_report_of_many_bots_fills_few_screens_before_a_click() {
    let place = Place::new();
    let widths = json!([[390, 844, "light"], [1280, 900, "light"], [1920, 1080, "dark"]]);
    let counts = [6, 12, 35];
    let pages = counts.map(|count| {
        let hill = simulated(bots(count), 12);
        let root = hill.hill.root().to_str().expect("a path of plain text");
        let folder = format!("of-{count}");
        place.call(&["report", root, "--html", &folder, "--no-logs"]).with_status(0);
        json!({ "file": place.path(&folder).join("index.html"), "look": "read", "widths": widths })
    });
    let seen = watch(json!(pages));
    let screens = |seen: &Value, width: &str| seen[width]["screens"].as_f64().expect("a number");
    for (count, seen) in counts.iter().zip(&seen) {
        let [phone, usual, wide] = ["390 light", "1280 light", "1920 dark"].map(|width| screens(seen, width));
        println!("{count} bots: {phone:.1} screens at 390, {usual:.1} at 1280, {wide:.1} at 1920");
    }
    for (count, seen) in counts.iter().zip(&seen) {
        let screens = |width| screens(seen, width);
        assert!(screens("1280 light") <= SCREENS_MAX, "{count} bots: {}", screens("1280 light"));
        let board = seen["1280 light"]["board"].as_f64().expect("a number");
        assert!(board > 0.0 && board <= BOARD_MAX, "{count} bots: {board}");
        for width in ["390 light", "1280 light", "1920 dark"] {
            assert_eq!(seen[width]["violations"], json!([]), "{count} bots, {width}");
            assert_eq!(seen[width]["fits"], json!(true), "{count} bots, {width}: nothing sticks out");
        }
    }
}

#[test]
#[ignore = "needs node and Chromium"]
fn the_pages_of_a_report_are_read_in_all_widths_by_everybody_and_ask_nobody() {
    let place = Place::new();
    let settings = ["-p", "2", "-k", "3", "--max-turns", "30", "--seed", "3"];
    place.hill_of_guests(
        "hill",
        &settings,
        &[("stone", "still"), ("fox", "greedy"), ("owl", "sweeper"), ("late", "random")],
    );
    place.call(&["hill", "run", "hill", "--rounds", "3"]).with_status(0);
    place.call(&["hill", "new", "empty", "football"]).with_status(0);
    place.call(&["report", "hill", "--html", "report"]).with_status(0);
    place.call(&["report", "empty", "--html", "nothing"]).with_status(0);
    let widths: Vec<Value> = [390, 1280, 1920]
        .iter()
        .flat_map(|width| ["light", "dark"].map(|scheme| json!([width, 900, scheme])))
        .collect();
    let files = ["report/index.html", "report/games-1.html", "report/bots/2-fox.html", "nothing/index.html"];
    let files = files.map(|file| place.path(file));
    let pages: Vec<Value> =
        files.iter().map(|file| json!({ "file": file, "look": "read", "widths": widths })).collect();
    for (file, seen) in files.iter().zip(watch(pages.into())) {
        let file = file.display();
        for width in &widths {
            let width = format!("{} {}", width[0], width[2].as_str().expect("a scheme"));
            assert_eq!(seen[&width]["violations"], json!([]), "{file}, {width}");
            assert_eq!(seen[&width]["fits"], json!(true), "{file}, {width}: nothing sticks out");
        }
        assert_eq!(
            (&seen["first"], &seen["place"]),
            (&json!("Skip to the content"), &json!("#main")),
            "{file}"
        );
        let levels: Vec<i64> = serde_json::from_value(seen["levels"].clone()).expect("levels");
        assert_eq!(levels[0], 1);
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{file}: {levels:?}");
    }
}
