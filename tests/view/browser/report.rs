//! The pages of a report in a real browser.

use serde_json::{Value, json};

use super::watch;
use crate::called::Calls;
use crate::support::Place;

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
    let files =
        ["report/index.html", "report/games-1.html", "nothing/index.html"].map(|file| place.path(file));
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
