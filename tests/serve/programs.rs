//! The addresses for programs.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::process::Command;

use referee_testutil::stable;
use serde_json::Value;

use crate::support::{Place, Server};

/// Lists what of a value is not as its schema says. Each name of an object is described, and each that is required is
/// there.
fn amiss(value: &Value, schema: &Value) -> Vec<String> {
    let is_of = |kind: &str| match kind {
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        kind => panic!("an unknown type: {kind}"),
    };
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !kinds.is_empty() && !kinds.iter().any(|kind| is_of(kind)) {
        return vec![format!("{value} is none of {kinds:?}")];
    }
    if let Some(words) = schema["enum"].as_array().filter(|words| !words.contains(value)) {
        return vec![format!("{value} is none of {words:?}")];
    }
    let items = value.as_array().into_iter().flatten();
    let mut amiss: Vec<String> = items.flat_map(|item| self::amiss(item, &schema["items"])).collect();
    let Some(properties) = schema["properties"].as_object() else { return amiss };
    let is_there = |name: &&Value| name.as_str().is_some_and(|name| value.get(name).is_some());
    let required = schema["required"].as_array().into_iter().flatten();
    amiss.extend(required.filter(|name| !is_there(name)).map(|name| format!("no {name}")));
    for (name, value) in value.as_object().into_iter().flatten() {
        match properties.get(name) {
            Some(schema) => {
                amiss.extend(self::amiss(value, schema).iter().map(|what| format!("{name}: {what}")))
            }
            None => amiss.push(format!("{name} is not described")),
        }
    }
    amiss
}

#[test]
fn what_is_not_described_is_noticed() {
    let schema = serde_json::json!({
        "type": "object", "required": ["a"], "properties": { "a": { "type": "integer" }, "b": { "type": ["null", "string"] } },
    });
    for (value, is_right) in [
        (r#"{"a": 1}"#, true),
        (r#"{"a": 1, "b": null}"#, true),
        (r#"{"b": "x"}"#, false),
        (r#"{"a": 1.5}"#, false),
        (r#"{"a": 1, "b": 2}"#, false),
        (r#"{"a": 1, "c": 2}"#, false),
        ("[]", false),
    ] {
        let value: Value = serde_json::from_str(value).expect("JSON");
        assert_eq!(amiss(&value, &schema).is_empty(), is_right, "{value}");
    }
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
            let filled =
                filled.replace("{file}", "checkpoint").replace("{before}", "2").replace("{size}", "3");
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
                if kind == "application/json" && filled != "/openapi.json" {
                    let value: Value = serde_json::from_slice(&reply.body).expect("JSON");
                    let amiss = amiss(&value, &kinds[kind]["schema"]);
                    assert!(amiss.is_empty(), "{filled}: {amiss:?}");
                    assert!(
                        value["rows"]
                            .as_array()
                            .is_some_and(|rows| !rows.is_empty() || filled.ends_with("running"))
                    );
                }
            } else if path.contains("/api/") {
                let told: Value = serde_json::from_slice(&reply.body).expect("JSON");
                assert!(told["error"].as_str().is_some_and(|told| told.len() > 10), "{told}");
            }
        }
    }
}

#[test]
fn addresses_that_are_promised_are_there() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let description = server.json("/openapi.json");
    let mut now = BTreeSet::new();
    for (path, methods) in description["paths"].as_object().expect("paths") {
        for (method, about) in methods.as_object().expect("methods") {
            now.insert(format!("{method} {path}"));
            let answers = about["responses"].as_object().expect("responses").values();
            let names = answers.flat_map(|answer| names_in(&answer["content"]["application/json"]["schema"]));
            now.extend(names.map(|name| format!("{method} {path} {name}")));
        }
    }
    stable::hold("tests/serve/stable.txt", &now);
}

/// Lists the names of a schema, those of rows after a dot.
fn names_in(schema: &Value) -> Vec<String> {
    let mut names = Vec::new();
    for (name, value) in schema["properties"].as_object().into_iter().flatten() {
        names.push(name.clone());
        names.extend(names_in(&value["items"]).into_iter().map(|inner| format!("{name}.{inner}")));
    }
    names
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
    // A part goes to those alone who have the rest of the same file, and nothing to those who have all of it.
    let tag = part.header("etag").expect("a tag").to_owned();
    let asked = |name: &str, value: &str| {
        server.ask("GET", "/h/api/v1/results.csv", &[("Range", "bytes=100-"), (name, value)], b"")
    };
    assert!(tag.starts_with('"'), "{tag}: a strong one");
    for (value, status) in [
        (&*tag, 206),
        ("\"0123456789ab\"", 200),
        (&*format!("W/{tag}"), 200),
        ("Fri, 27 Nov 2026 12:00:00 GMT", 200),
        ("", 200),
    ] {
        let reply = asked("If-Range", value);
        assert_eq!(reply.status, status, "{value}");
        assert_eq!(reply.body, if status == 206 { &results[100..] } else { &results }, "{value}");
    }
    assert_eq!((asked("If-None-Match", &tag).status, asked("If-None-Match", "\"x\"").status), (304, 206));
    let packed = server.ask("GET", "/h/api/v1/results.csv", &[("Accept-Encoding", "gzip")], b"");
    assert!(packed.header("etag").is_some_and(|tag| tag.starts_with("W/")), "{}", packed.head);
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    assert_eq!(asked("If-Range", &tag).status, 200, "the file has grown");
    let results = fs::read(place.path("h/results.csv")).expect("results");
    for (path, status) in [
        ("/h/games?limit=100", 200),
        ("/h/games?limit=101", 400),
        ("/h/games?limit=0", 400),
        ("/h/games?format=csv", 400),
        ("/h/games?format=", 200),
        ("/h/api/v1/games?limit=1000", 200),
        ("/h/api/v1/games?limit=1001", 400),
        ("/h/api/v1/games?limit=0", 400),
    ] {
        assert_eq!(server.get(path).status, status, "{path}");
    }
    let none = server.ask("GET", "/h/api/v1/results.csv", &[("Range", "bytes=99999999-")], b"");
    let length = format!("bytes */{}", results.len());
    assert_eq!((none.status, none.header("content-range")), (416, Some(&*length)));
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
fn who_was_cut_off_gets_the_rest_of_the_same_archive_though_games_were_played_meanwhile() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "2"]);
    let server = Server::start(&place, &[]);
    server.until_games();
    let whole = server.get("/h/api/v1/records.tar");
    let tag = whole.header("etag").expect("a tag").to_owned();
    assert_eq!(whole.header("accept-ranges"), Some("bytes"));
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    let rest = |range: &str, tag: &str| {
        server.ask("GET", "/h/api/v1/records.tar", &[("Range", range), ("If-Range", tag)], b"")
    };
    let length = whole.body.len();
    for start in [1, 511, 512, 4000, length / 2, length - 1] {
        let part = rest(&format!("bytes={start}-"), &tag);
        let due = format!("bytes {start}-{}/{length}", length - 1);
        assert_eq!((part.status, part.header("content-range")), (206, Some(&*due)), "{start}");
        assert!(part.body == whole.body[start..], "{start}");
    }
    assert_eq!(rest(&format!("bytes={length}-"), &tag).status, 416);
    // Of another archive there is no rest: neither of one that nobody made, nor without a tag.
    let now = server.get("/h/api/v1/records.tar");
    assert!(now.body.len() > length, "three rounds");
    for reply in [
        rest("bytes=100-", "\"99999999-0-1\""),
        rest("bytes=100-", "x"),
        server.ask("GET", "/h/api/v1/records.tar", &[("Range", "bytes=100-")], b""),
    ] {
        assert!(reply.status == 200 && reply.body == now.body);
    }
    // Results that were written anew can be others.
    fs::copy(place.path("h/results.csv"), place.path("anew")).expect("a copy");
    fs::rename(place.path("anew"), place.path("h/results.csv")).expect("a file in its place");
    assert_eq!(rest("bytes=100-", &tag).status, 200);
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

#[test]
fn games_are_found_by_each_word_and_an_unknown_word_is_refused() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "3"]);
    let server = Server::start(&place, &[]);
    server.until_games();
    let found = |query: &str| {
        let found = server.json(&format!("/h/api/v1/games?{query}"));
        let rows = found["rows"].as_array().expect("rows").iter();
        let mut games: Vec<String> =
            rows.map(|row| row["game"].as_str().expect("a name").to_owned()).collect();
        games.dedup();
        games
    };
    let all = found("");
    assert_eq!(all.len(), 3);
    assert_eq!(found("season=1&round=2"), ["s001-r00002-t001-g1"]);
    assert_eq!(found("season=1&bot=random&version=1"), all);
    assert_eq!(found("since=2020-01-01&until=2120-01-01T00:00:00Z"), all);
    for none in
        ["season=2", "season=1&round=9", "bot=random&version=2", "since=2120-01-01", "until=2020-01-01"]
    {
        assert!(found(none).is_empty(), "{none}");
    }
    for (path, word) in [
        ("/h/api/v1/games?bott=random", "bott"),
        ("/h/games?bott=random", "bott"),
        ("/h/api/v1/games?round=1", "season"),
        ("/h/api/v1/games?until=2026-13-45", "until"),
        ("/h/api/v1/standings?season=1", "season"),
        ("/h/api/v1/bots?formt=csv", "formt"),
        ("/h/api/v1/running?x=1", "unknown"),
    ] {
        let reply = server.get(path);
        assert!(
            reply.status == 400 && reply.text().contains(word),
            "{path}: {} {}",
            reply.status,
            reply.text()
        );
    }
    let page = server.get("/h/games?season=1&round=2&since=2020-01-01").text();
    assert!(page.contains("s001-r00002-t001-g1") && !page.contains("s001-r00003-t001-g1"), "{page}");
    assert!(
        page.contains("name=\"since\" value=\"2020-01-01\""),
        "a form keeps what it has no field for: {page}"
    );
}
