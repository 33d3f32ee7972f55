//! Pages of a judge's games: each kind of scene, drawn without any drawing code in the judge.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{strings, watch};
use crate::support::{Place, files_below};

const KINDS: [&str; 5] = ["squares", "hexagons", "torus", "hexagonal torus", "points"];

#[test]
#[ignore = "needs node and Chromium"]
fn a_judges_game_is_drawn_whatever_its_scene_is() {
    let place = Place::new();
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/judge/scenes.py"), place.path("scenes.py")).unwrap();
    place.program(
        "one.py",
        "#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print(1, flush=True)\n",
    );
    let page = |kind: usize| {
        let (number, dir) = (kind.to_string(), format!("games{kind}"));
        place
            .referee(&["play", "./scenes.py", "./one.py", "./one.py", "--kind", &number, "--dir", &dir])
            .with_status(0);
        let log = files_below(&place.path(&dir).join("logs"), "csv").remove(0);
        let html = format!("scene{kind}.html");
        place.referee(&["replay", log.to_str().unwrap(), "--html", &html]).with_status(0);
        json!({ "file": place.path(&html), "look": "scene", "name": KINDS[kind] })
    };
    let mut pages: Vec<Value> = (0..KINDS.len()).map(page).collect();
    pages.push(json!({ "file": of_a_report(&place), "look": "scene", "name": "report" }));
    for (kind, seen) in KINDS.iter().chain(&["report"]).zip(watch(pages.into())) {
        // The mouse finds a place where it is drawn.
        assert_eq!(seen["lost"], json!([]), "{kind}");
        let places = if *kind == "points" { 8 } else { 30 };
        assert_eq!(seen["drawn"], json!(places), "{kind}");
        let tells = strings(&seen["tells"]).join("\n");
        for words in
            ["Alps", "Berlin", "seat 0", "seat 1", "of seat 0", "of seat 1: 2", "marked", "a line to"]
        {
            assert!(tells.contains(words), "{kind}: no {words:?} in {tells}");
        }
        // The owner's colour is where a token is, also in half of its move.
        assert_eq!(seen["tokens"], json!(true), "{kind}");
        assert_eq!(seen["between"], json!(true), "{kind}");
        // A move over the edge of a torus is seen on both sides, and never crosses the board.
        let is_torus = kind.contains("torus");
        assert_eq!(seen["over"], json!([is_torus, is_torus]), "{kind}");
        assert_eq!(seen["caption"], json!("turn 3 is over"), "{kind}");
        // The judge has its name, without the digest behind it.
        assert_eq!(seen["about"], json!("scenes · 8 turns"), "{kind}");
    }
}

/// Makes a report of a hill with a judge, and returns the page of a game in it.
fn of_a_report(place: &Place) -> PathBuf {
    place.referee(&["hill", "new", "h", "./scenes.py"]).with_status(0);
    for name in ["ann", "ben"] {
        place.referee(&["hill", "submit", "h", "./one.py", "--name", name]).with_status(0);
    }
    place.referee(&["hill", "run", "h", "--rounds", "1"]).with_status(0);
    place.referee(&["report", "h", "--html", "report"]).with_status(0);
    files_below(&place.path("report/games"), "html").remove(0)
}
