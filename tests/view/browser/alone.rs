//! A page that plays by itself: when, how long, what it says at the turns that count, and what is left without scripts.

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{page_of, watch};
use crate::support::playthrough;

#[test]
#[ignore = "needs node and Chromium"]
fn a_page_plays_by_itself_about_a_minute_and_slows_down_at_highlights() {
    let folder = TempDir::new().unwrap();
    let file = page_of(&playthrough("football"), &folder);
    let lengths = json!([
        [54_509, [12, 30_000]],
        [50_001, [0, 3, 6, 9, 50_000, 25_000]],
        [2_000, [1_999]],
        [61, [30, 31, 32]],
        [20, [10]],
        [5, [0, 2, 4]],
        [1, [0]],
        [244, []]
    ]);
    let look = |more: Value| {
        let mut look = json!({ "file": file, "look": "alone" });
        look.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        look
    };
    let seen = watch(json!([
        look(json!({ "lengths": lengths })),
        look(json!({ "context": { "reducedMotion": "reduce" } })),
        look(json!({ "hash": "#turn=7" }))
    ]));
    assert_eq!(seen[0]["playing"], json!(true), "it starts by itself");
    assert_eq!(seen[1]["playing"], json!(false), "not for a visitor who prefers reduced motion");
    assert_eq!(seen[2]["playing"], json!(false), "not at an address that names a moment");
    for (length, pace) in lengths.as_array().unwrap().iter().zip(seen[0]["seconds"].as_array().unwrap()) {
        let turns = length[0].as_f64().unwrap();
        let (seconds, due) = (pace["seconds"].as_f64().unwrap(), turns.min(60.0));
        assert!((seconds - due).abs() < 0.05 * due + 0.1, "{length}: {seconds} s");
        // At a highlight a turn takes at least half a second, or as long as in the rest of a short game.
        let slow = turns / due.min(turns);
        for speed in pace["there"].as_array().unwrap() {
            assert!(speed.as_f64().unwrap() <= 2.0_f64.max(slow) + 1e-9, "{length}: {speed} turns a second");
        }
    }
    for moment in seen[0]["moments"].as_array().unwrap() {
        let due = format!("Turn {}: {}.", moment[0], moment[1].as_str().unwrap());
        assert_eq!(moment[2], due);
    }
    assert!(!seen[0]["moments"].as_array().unwrap().is_empty(), "{}", seen[0]);
}

#[test]
#[ignore = "needs node and Chromium"]
fn without_scripts_there_is_the_result_and_a_picture_and_no_dead_player() {
    let folder = TempDir::new().unwrap();
    let looks: Vec<Value> = ["football", "foosball", "push", "target"]
        .map(|game| {
            let context = json!({ "javaScriptEnabled": false, "viewport": { "width": 390, "height": 844 } });
            json!({ "file": page_of(&playthrough(game), &folder), "look": "still", "context": context })
        })
        .to_vec();
    for seen in watch(json!(looks)) {
        let text = seen["text"].as_str().unwrap();
        assert!(text.contains("Places and scores: 1. random"), "{text}");
        assert!(seen["picture"]["width"].as_f64().unwrap() > 300.0, "{}", seen["picture"]);
        assert!(seen["picture"]["y"].as_f64().unwrap() < 400.0, "on the first screen of a phone");
        assert_eq!(seen["buttons"], json!(0));
    }
}
