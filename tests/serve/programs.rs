//! The addresses for programs.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::process::Command;

use serde_json::Value;

use crate::support::{Place, Server};

#[test]
fn the_description_names_every_address_and_no_other() {
    let text = include_str!("../../referee/serve/openapi.json");
    let description: Value = serde_json::from_str(text).expect("JSON");
    let described: BTreeSet<(String, String)> = description["paths"]
        .as_object()
        .expect("paths")
        .iter()
        .flat_map(|(path, methods)| {
            methods.as_object().expect("methods").keys().map(|key| (key.clone(), path.clone()))
        })
        .collect();
    let served =
        referee_serve::addresses().into_iter().map(|(method, path)| (method.to_owned(), path.to_owned()));
    assert_eq!(described, served.collect::<BTreeSet<(String, String)>>());
}

#[test]
fn every_described_address_answers_as_described() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "2"]);
    let server = Server::start(&place, &[]);
    server.until_games();
    let description = server.json("/openapi.json");
    for (path, methods) in description["paths"].as_object().expect("paths") {
        // A stream of events has no end.
        for (method, about) in
            methods.as_object().expect("methods").iter().filter(|_| !path.ends_with("/events"))
        {
            let filled =
                path.replace("{hill}", "h").replace("{game}", "s001-r00001-t001-g1").replace("{seat}", "0");
            let filled = filled.replace("{file}", "checkpoint").replace("{*tile}", "0/000.p/2");
            let reply = server.ask(&method.to_uppercase(), &filled.replace("{receipt}", "1-0"), &[], b"");
            let due = match (&**method, &about["security"][0]) {
                ("post", _) if path.ends_with("/submit") => 400,
                (_, first) if first.get("token").is_some() => 401,
                _ if path.contains("{receipt}") => 404,
                _ => 200,
            };
            assert_eq!(reply.status, due, "{method} {filled}: {}", reply.text());
            let kind = reply.header("content-type").expect("a type").split(';').next().expect("a type");
            if due == 200 {
                let kinds = about["responses"]["200"]["content"].as_object().expect("kinds");
                assert!(kinds.contains_key(kind), "{filled}: {kind} is not described");
            } else if path.contains("/api/") {
                let told: Value = serde_json::from_slice(&reply.body).expect("JSON");
                assert!(told["error"].as_str().is_some_and(|told| told.len() > 10), "{told}");
            }
        }
    }
}

#[test]
fn tables_are_those_of_the_command_line() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "12"]);
    let server = Server::start(&place, &[]);
    server.until_games();
    let due: Value =
        serde_json::from_str(&place.referee(&["hill", "standings", "h", "--format", "json"])).expect("JSON");
    assert_eq!(server.json("/h/api/v1/standings")["rows"], due["rows"]);
    let csv = server.get("/h/api/v1/standings?format=csv").text();
    assert_eq!(csv, place.referee(&["hill", "standings", "h", "--format", "csv"]));
    let results = fs::read(place.path("h/results.csv")).expect("results");
    assert_eq!(server.get("/h/api/v1/results.csv").body, results);
    let part = server.ask("GET", "/h/api/v1/results.csv", &[("Range", "bytes=100-")], b"");
    assert_eq!((part.status, &*part.body), (206, &results[100..]));
    assert_eq!(server.ask("GET", "/h/api/v1/results.csv", &[("Range", "bytes=99999999-")], b"").status, 416);
}

#[test]
fn what_is_downloaded_is_audited_by_one_command_and_holds_no_secret() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "4"]);
    place.token("alice");
    let server = Server::start(&place, &[]);
    let archive = server.get("/h/api/v1/records.tar");
    fs::write(place.path("records.tar"), &archive.body).expect("the archive");
    let unpacked =
        Command::new("tar").args(["xvf", "records.tar"]).current_dir(place.path("")).output().expect("tar");
    let names = String::from_utf8(unpacked.stdout).expect("names");
    assert!(unpacked.status.success() && names.lines().count() > 4, "{names}");
    for secret in ["hill.toml", "tokens.csv", "store", "stderr", "entrants.csv", "inbox", "builds"] {
        assert!(!names.contains(secret), "{names}");
    }
    let told = place.referee(&["audit", "h-records"]);
    assert!(told.contains("agrees: ") && told.contains("every log replays"), "{told}");
    let log = names.lines().find(|name| name.contains("/logs/")).expect("a log");
    let game = log.rsplit('/').next().expect("a name").trim_end_matches(".csv");
    assert_eq!(
        server.get(&format!("/h/api/v1/games/{game}/log")).body,
        fs::read(place.path(log)).expect("the log")
    );
}

#[test]
fn who_follows_the_events_hears_of_a_round_and_of_the_end() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let mut stream = server.connect("127.0.0.1");
    std::io::Write::write_all(&mut stream, b"GET /h/api/v1/events HTTP/1.1\r\nHost: h\r\n\r\n")
        .expect("sent");
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    let (mut text, mut bytes) = (String::new(), [0; 4096]);
    while !text.contains("\"rounds\":1") {
        let count = stream.read(&mut bytes).expect("an event");
        assert!(count > 0, "ended: {text}");
        text += &String::from_utf8_lossy(&bytes[..count]);
    }
    assert!(text.contains("content-type: text/event-stream") && text.contains("event: results"), "{text}");
    // A stream that is open does not keep the server from stopping.
    server.stop();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).expect("its end");
}
