//! Four students, each from the invitation to a bot that plays, by the pages in a real browser.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::students::made;
use crate::support::{Place, Server, program};

/// The most steps from the invitation to the verdict: each takes less than half a minute.
const STEPS_MAX: usize = 8;

#[test]
#[ignore = "needs node and Chromium"]
fn each_student_gets_from_the_invitation_to_a_bot_that_plays_by_the_pages_alone() {
    let place = Place::new();
    made(&place);
    for (file, text) in [("venv/.git/config", "secret"), ("venv/data/opening.txt", "1")] {
        let path = place.path(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("a file");
    }
    // A browser reads no link of a folder.
    fs::remove_file(place.path("venv/venv/python")).expect("a link");
    let path = |name: &str| place.path(name).display().to_string();
    let students: Vec<Value> = [
        ("windows", "Zo\u{eb} \u{17b}\u{f3}\u{142}\u{107}", json!(null)),
        ("eclipse", "\u{674e}\u{96f7}", json!([path("eclipse/PushBot.zip")])),
        ("venv", "Shaun O'Neil", json!(path("venv"))),
        ("linux", "linus", json!(["bot.cpp"])),
    ]
    .map(|(kind, name, files)| {
        json!({ "kind": kind, "name": name, "token": place.token(name), "files": files, "folder": path("cpp") })
    })
    .into();
    let server = Server::start(&place, &[]);
    server.until_status("/h", 200);
    let run = [program("referee").display().to_string(), "hill".into(), "run".into(), path("h")];
    let plan = json!({
        "browser": "/usr/bin/chromium", "address": format!("http://{}", server.address), "place": path(""),
        "students": students, "run": run,
    });
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/view/browser/journeys.mjs");
    let mut node = Command::new("node");
    let mut node = node.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("node");
    node.stdin.take().expect("its input").write_all(plan.to_string().as_bytes()).expect("the plan");
    let output = node.wait_with_output().expect("node");
    assert!(output.status.success(), "node: {:?}", output.status);
    let seen: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for student in &students {
        let kind = student["kind"].as_str().expect("a word");
        let of = &seen["students"][kind];
        let steps = of["steps"].as_array().expect("steps");
        assert!(steps.len() <= STEPS_MAX, "{kind}: {steps:?}");
        let text = |key: &str| of[key].as_str().unwrap_or_default().to_owned();
        assert!(text("verdict").contains(&format!("{kind} version 1 plays from now on")), "{of:#}");
        let name = student["name"].as_str().expect("a name");
        for part in [format!("by {name}"), "Latest games".to_owned(), "Place ".to_owned()] {
            assert!(text("after").contains(&part), "{kind}: no {part}: {of:#}");
        }
    }
    let of = |kind: &str| seen["students"][kind]["verdict"].as_str().unwrap_or_default().to_owned();
    // 1,201 files of a virtual environment and a hidden one are not sent.
    assert!(
        of("venv").contains("2 files are sent as venv.zip. Left out, since hidden or built: 1202"),
        "{}",
        of("venv")
    );
    let trouble = seen["trouble"].as_array().expect("a list").iter().filter_map(Value::as_str);
    let trouble: Vec<&str> = trouble.filter(|line| !line.contains("[DOM]")).collect();
    assert!(trouble.is_empty(), "{trouble:#?}");
}
