//! A game while it is played: its page, and its turns as events. Nothing is shown unless the host has enabled
//! it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::support::{Place, Server};

/// A run of rounds in parallel with the server.
struct Run(Child);

impl Run {
    fn begin(place: &Place) -> Run {
        let mut command = place.command(&["hill", "run", "h", "--rounds", "1", "--jobs", "1"]);
        Run(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a run"))
    }

    fn end(&mut self) {
        assert!(self.0.wait().expect("its end").success());
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until a game with a readable log is being played, and returns its name.
fn game(server: &Server) -> String {
    let now =
        server.until("/h/api/v1/running", |now| now["rows"].as_array().is_some_and(|rows| !rows.is_empty()));
    now["rows"][0]["game"].as_str().expect("a game").to_owned()
}

/// Reads events until the stream ends: the kind of each, and its data.
fn events(server: &Server, path: &str) -> Vec<(String, Value)> {
    let mut stream = server.connect("127.0.0.1");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").expect("asked");
    let (mut events, mut kind) = (Vec::new(), String::new());
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        if let Some(of) = line.strip_prefix("event: ") {
            of.clone_into(&mut kind);
        } else if let Some(data) = line.strip_prefix("data: ") {
            events.push((kind.clone(), serde_json::from_str(data).expect("JSON")));
        }
    }
    events
}

#[test]
fn a_game_is_followed_turn_by_turn_to_its_end_and_is_that_of_its_log() {
    let place = Place::new();
    place.live();
    let slow = place.slow("slow", 120).display().to_string();
    place.referee(&["hill", "submit", "h", &slow, "--name", "slow"]);
    let server = Server::start(&place, &[]);
    let mut run = Run::begin(&place);
    let game = game(&server);
    let path = format!("/h/api/v1/games/{game}/turns");
    server.until_reply(&format!("/h/games/{game}/live"), |page| page.text().contains("connect-src"));
    let list = server.get("/h/live").text();
    assert!(
        list.contains(&format!("/h/games/{game}/live")) && list.contains("<a href=\"/h/bots/slow\">slow</a>"),
        "{list}"
    );
    // The board is on the list and on the wall, and both are renewed when another game begins.
    for page in [list, server.get("/h/wall").text()] {
        assert!(page.contains(&format!("src=\"/h/games/{game}/live#wall\"")), "{page}");
        assert!(page.contains("data-every=\"10\""), "{page}");
    }
    let page = server.get(&format!("/h/games/{game}/live"));
    assert_eq!(page.header("x-frame-options"), Some("SAMEORIGIN"));
    assert!(page.text().contains("connect-src 'self'"), "its script may connect to this server");
    assert!(!page.text().contains("a secret of mine"));
    let record = "<noscript>Without JavaScript nothing moves here";
    assert!(page.text().contains(record) && page.text().contains(&format!("<a href=\"../{game}\">")));
    let events = events(&server, &path);
    let (last, turns) = events.split_last().expect("events");
    assert_eq!(last.0, "over", "{events:?}");
    assert!(turns.len() > 2 && turns.iter().all(|(kind, _)| kind == "turns"), "{events:?}");
    // The pieces together are the content of the replay.
    let mut lines: Vec<Value> = Vec::new();
    for (_, data) in turns {
        assert_eq!(data["from"], lines.len(), "without a gap");
        lines.extend(data["lines"].as_array().expect("lines").iter().cloned());
    }
    run.end();
    server.until_games();
    assert_eq!(lines.len(), 20, "all turns, the last ones too");
    let log = server.get(&format!("/h/api/v1/games/{game}/log")).text();
    let first: Value = serde_json::from_str(lines[0].as_str().expect("a line")).expect("JSON");
    let answers = first["answers"].as_array().expect("answers");
    for (seat, answer) in answers.iter().enumerate() {
        let row = format!("0,{seat},");
        assert!(
            log.lines().any(|line| line.contains(&row) && line.contains(answer.as_str().expect("text"))),
            "{row}"
        );
    }
    assert_eq!(
        server.get(&format!("/h/games/{game}")).status,
        200,
        "the page that is named without JavaScript"
    );
    let reply = server.get(&format!("/h/games/{game}/live"));
    assert_eq!(reply.header("location"), Some(&*format!("/h/games/{game}/replay")), "{}", reply.text());
    assert_eq!(self::events(&server, &path).last().map(|(kind, _)| &**kind), Some("over"));
    assert_eq!(server.get("/h/games/s009-r00001-t001-g1/live").status, 404);
}

#[test]
fn a_game_is_not_shown_before_its_end_where_the_host_has_not_asked_for_it() {
    let place = Place::new();
    let slow = place.slow("slow", 120).display().to_string();
    place.referee(&["hill", "submit", "h", &slow, "--name", "slow"]);
    let server = Server::start(&place, &[]);
    let mut run = Run::begin(&place);
    let game = game(&server);
    let list = server.get("/h/live").text();
    assert!(list.contains("slow</a>") && !list.contains("/live\"") && !list.contains("<iframe"), "{list}");
    assert!(!server.get("/h/wall").text().contains(&game), "nor on the wall");
    let log = std::fs::read_dir(place.path("h/logs/s001/0000/r00001")).expect("logs").flatten();
    let written: u64 = log.map(|log| log.metadata().map_or(0, |log| log.len())).sum();
    assert_eq!(written, 0, "nothing is handed on before 64 KiB");
    run.end();
}
