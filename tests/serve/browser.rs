//! The pages in a real browser: an author submits, a visitor watches, and the accessibility engine finds nothing.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Place, Server, program};

/// Maximum size of a first look at a page, with its style and script, as it is sent, in bytes.
const FIRST_LOOK_MAX: u64 = 60 << 10;

#[test]
#[ignore = "needs node and Chromium"]
fn an_author_submits_a_visitor_watches_and_the_accessibility_engine_finds_nothing() {
    let place = Place::new();
    place.live();
    // A game that lasts as long as the visitor needs: a bot waits at each turn while a file exists. It sees the file,
    // since it plays without a sandbox.
    let held = place.path("held");
    place.set("sandbox = \"auto\"", "sandbox = \"off\"");
    // Other parameters than those that were signed.
    fs::remove_dir_all(place.path("h/proof")).expect("signatures");
    place.set("signed = true", "signed = false");
    place.set("turns = 20 ", "turns = 600 ");
    let slow = place.held("slow", &held).display().to_string();
    place.referee(&["hill", "submit", "h", &slow, "--name", "slow"]);
    let token = place.token("alice");
    let host = place.referee(&["hill", "invite", "h", "zoe", "--host"]).trim().to_owned();
    let server = Server::start(&place, &[]);
    let wrong = place.script("wrong", "#!/bin/sh\necho no such opening book >&2\nexit 3\n");
    place.referee(&["new", "good", "--game", "push", "--lang", "c"]);
    let built = Command::new("./build").current_dir(place.path("good")).status().expect("a C compiler");
    assert!(built.success(), "the program in C is built");
    let good = place.path("good/bot");
    fs::create_dir(place.path("downloads")).expect("a folder");
    fs::create_dir_all(place.path("snake/data")).expect("a folder");
    let python = "import sys\nfrom move import MOVE\nfor line in sys.stdin: print(MOVE, flush=True)\n";
    for (file, text) in [
        ("bot.py", python),
        ("move.py", "MOVE = open('data/\u{f6}').read()\n"),
        ("data/\u{f6}", "30 3"),
        (".env", "SECRET"),
    ] {
        fs::write(place.path("snake").join(file), text).expect("a source");
    }
    fs::create_dir(place.path("two")).expect("a folder");
    let two = [("bot.py", python), ("move.py", "MOVE = '30 3'\n")].map(|(file, text)| {
        let path = place.path("two").join(file);
        fs::write(&path, text).map(|()| path).expect("a source")
    });
    let run = [program("referee").display().to_string(), "hill".into(), "run".into()];
    let run = run.into_iter().chain([place.path("h").display().to_string()]).collect::<Vec<String>>();
    let plan = json!({
        "browser": "/usr/bin/chromium", "address": format!("http://{}", server.address), "token": token,
        "host": host,
        "wrong": wrong, "good": good, "several": two, "folder": place.path("snake"), "run": run, "downloads": place.path("downloads"), "held": held,
    });
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/view/browser/serve.mjs");
    let mut node = Command::new("node");
    let mut node = node.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("node");
    node.stdin.take().expect("its input").write_all(plan.to_string().as_bytes()).expect("the plan");
    let output = node.wait_with_output().expect("node");
    assert!(output.status.success(), "node: {:?}", output.status);
    let seen: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = |key: &str| seen[key].as_str().unwrap_or_default().to_owned();
    assert!(text("refused").contains("no such opening book"), "{seen}");
    assert!(text("admitted").contains("mybot version 1 plays from now on"), "{seen}");
    assert!(text("packed").contains("mybot version 2 plays from now on"), "{seen}");
    let said = "3 files are sent as snake.zip. Left out, since hidden or built: 1.";
    assert_eq!(seen["folder"], json!([said, "snake.zip"]));
    assert!(text("whole").contains("snake version 1 plays from now on"), "{seen}");
    assert!(text("before").contains("No game has been played yet"), "{seen}");
    assert!(text("after").contains("Standings, best first") && text("after").contains("mybot"), "{seen}");
    assert_eq!(seen["streams"], 1, "the tabs of a browser share one stream: {seen}");
    assert_eq!(
        seen["reading"],
        json!(["For auditors", "scroll"]),
        "what was selected and had the focus: {seen}"
    );
    assert_eq!(seen["filled"], "mybot", "a form that is filled in stays: {seen}");
    assert_eq!(seen["grown"], true, "more turns came while it was played: {seen}");
    assert!(
        text("own").contains("For you, its author") && text("own").contains("no such opening book"),
        "{seen}"
    );
    assert_eq!(text("cookies"), "", "no script reads the cookie");
    assert_eq!(seen["downloaded"], json!(["h-records.tar", "results.csv"]));
    let file = |name: &str| place.path("downloads").join(name);
    let results = fs::read(place.path("h/results.csv")).expect("results");
    assert_eq!(fs::read(file("results.csv")).expect("a download"), results);
    let unpacked = Command::new("tar").args(["xf", "h-records.tar"]).current_dir(file("")).status();
    assert!(unpacked.expect("tar").success());
    let audited = place.referee(&["audit", "downloads/h-records"]);
    assert!(audited.contains("agrees: 3 games") && audited.contains("every log replays"), "{audited}");
    // The browser itself reports a missing page, and its suggestions for forms.
    let trouble = seen["trouble"].as_array().expect("a list").iter().filter_map(Value::as_str);
    let trouble: Vec<&str> =
        trouble.filter(|line| !line.contains("404") && !line.contains("[DOM]")).collect();
    assert!(trouble.is_empty(), "{trouble:#?}");
    for painted in seen["painted"].as_array().expect("a list") {
        println!("largest contentful paint on slow 4G, a processor 4 times slower: {painted}");
        let bytes = painted["bytes"].as_u64().expect("a number");
        assert!((1..=FIRST_LOOK_MAX).contains(&bytes), "{painted}");
        assert!(painted["moved"].as_f64().is_some_and(|moved| moved < 0.02), "nothing moves: {painted}");
    }
    for key in ["elsewhere", "found", "wide"] {
        assert_eq!(seen[key], json!([]), "{key}: {seen:#}");
    }
}
