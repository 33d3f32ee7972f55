//! A stranger and an entrant who try their worst, and others who submit meanwhile: nobody can make another wait.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::Value;

use crate::support::{Place, Reply, Server};

/// Length of a record that nobody reads, in bytes: more than the buffers of a connection hold.
const LARGE: u64 = 64 << 20;

/// Sends a request from an address, and leaves the connection open: nobody reads the answer.
fn left(server: &Server, from: &str, request: &str) -> TcpStream {
    let mut stream = server.connect(from);
    let _ = stream.write_all(request.as_bytes());
    stream
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n")
}

fn upload(name: &str, token: &str) -> String {
    format!(
        "POST /h/api/v1/bots?name={name} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {token}\r\n\
         Content-Length: 99999\r\n\r\n#!/bin/sh\n"
    )
}

/// Submits a bot that is refused, by the API or by the form. Returns the status.
fn submitted(server: &Server, from: &str, name: &str, token: &str, by_form: bool) -> Reply {
    let program = "#!/bin/sh\nexit 3\n";
    let field = |name: &str, value: &str| {
        format!("--c\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let (path, headers, body) = match by_form {
        true => {
            let fields =
                field("token", token) + &field("name", name) + &field("program", program) + "--c--\r\n";
            ("/h/submit".to_owned(), "Content-Type: multipart/form-data; boundary=c\r\n".to_owned(), fields)
        }
        false => {
            let bearer = format!("Authorization: Bearer {token}\r\n");
            (format!("/h/api/v1/bots?name={name}"), bearer, program.to_owned())
        }
    };
    let mut stream = server.connect(from);
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("sent");
    Reply::read(&mut stream)
}

/// A place with a record that is too long for the buffers of a connection.
fn played() -> Place {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    let results = fs::read_to_string(place.path("h/results.csv")).expect("results");
    let log = results.split(',').find(|cell| cell.starts_with("logs/")).expect("a log").to_owned();
    // Nobody replays it here.
    let log = File::options().write(true).open(place.path("h").join(log));
    log.and_then(|log| log.set_len(LARGE)).expect("a long log");
    place
}

#[test]
fn slow_readers_and_senders_streams_and_guesses_keep_no_submission_waiting() {
    let place = played();
    let [mallory, alice, bob] = ["mallory", "alice", "bob"].map(|name| place.token(name));
    let server = Server::start(&place, &["--hourly", "1000", "--daily", "1000", "--waiting", "100"]);
    server.until_games();
    let mut open = Vec::new();
    // The stranger, from two addresses of which one is also that of the third.
    for from in ["127.0.0.4", "127.0.0.1"] {
        for _ in 0..24 {
            open.push(left(&server, from, &get("/h/api/v1/records.tar")));
            open.push(left(&server, from, &get("/h/api/v1/games/s001-r00001-t001-g1/log")));
            open.push(left(&server, from, &get("/h/api/v1/events")));
        }
    }
    // The entrant: many programs that never arrive.
    for number in 0..40 {
        open.push(left(&server, "127.0.0.5", &upload(&format!("slow{number}"), &mallory)));
    }
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        // Both ask for what takes time, without a rest.
        for worker in 0..6 {
            let (server, is_over) = (&server, &is_over);
            scope.spawn(move || {
                for number in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                    let path = match worker {
                        0 => "/h/starters/python".to_owned(),
                        1 => format!("/h/games?bot=random&before={number}"),
                        2 => "/h/rules".to_owned(),
                        3 => format!("/h/api/v1/games?limit=1000&before={number}"),
                        _ => "/h/account".to_owned(),
                    };
                    let token = if worker > 3 { "Authorization: Bearer guess\r\n" } else { "" };
                    let mut stream = server.connect("127.0.0.1");
                    let request =
                        format!("GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{token}\r\n");
                    let _ = stream.write_all(request.as_bytes());
                    let _ = stream.read(&mut [0; 16]);
                }
            });
        }
        for number in 0..8 {
            let api = submitted(&server, "127.0.0.1", &format!("api{number}"), &alice, false);
            let form = submitted(&server, "127.0.0.6", &format!("form{number}"), &bob, true);
            // As soon as one was refused, the others go on for nothing.
            if (api.status, form.status) != (202, 303) {
                is_over.store(true, Ordering::Relaxed);
            }
            assert_eq!((api.status, form.status), (202, 303), "{number}: {} {}", api.text(), form.text());
        }
        assert_eq!(server.get("/h").status, 200);
        for path in ["/h/games", "/h/bots/random", "/h/rules", "/h/api/v1/results.csv"] {
            let mut other =
                left(&server, "127.0.0.6", &get(path).replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
            assert_eq!(Reply::read(&mut other).status, 200, "{path}, for others");
        }
        // An archive is not waited for to its end: its beginning shows that there was a place for it.
        let archive = left(&server, "127.0.0.6", &get("/h/api/v1/records.tar"));
        let mut begun = [0; 12];
        (&archive).read_exact(&mut begun).expect("an answer");
        assert_eq!(&begun, b"HTTP/1.1 200", "others have their archives, too");
        let stream = left(&server, "127.0.0.6", &get("/h/api/v1/events"));
        let mut status = [0; 12];
        (&stream).read_exact(&mut status).expect("an answer");
        assert_eq!(&status, b"HTTP/1.1 200", "others follow the results, too");
        is_over.store(true, Ordering::Relaxed);
    });
    drop(open);
}

#[test]
fn who_takes_an_archive_slowly_makes_room_for_others() {
    let place = played();
    let server = Server::start(&place, &[]);
    server.until_games();
    let archive = get("/h/api/v1/records.tar");
    let from = |number: usize| format!("127.0.0.{}", 2 + number / 2);
    let slow: Vec<TcpStream> = (0..8).map(|number| left(&server, &from(number), &archive)).collect();
    for mut reader in &slow {
        reader.read_exact(&mut [0; 12]).expect("each has a place");
    }
    // Who finds no place hears so after ten seconds. At this rate a transfer that nobody waits for goes on.
    let is_answered = || {
        slow.iter().for_each(|mut reader| drop(reader.read(&mut [0; 64 << 10])));
        let mut begun = [0; 12];
        let read = left(&server, "127.0.0.7", &archive).read_exact(&mut begun);
        read.is_ok() && &begun == b"HTTP/1.1 200"
    };
    assert!((0..12).any(|_| is_answered()));
}

#[test]
fn an_account_sends_one_program_after_the_other_and_what_it_sends_counts() {
    let place = Place::new();
    let [alice, bob] = ["alice", "bob"].map(|name| place.token(name));
    let server = Server::start(&place, &["--waiting", "2", "--body-seconds", "30"]);
    server.until_status("/h", 200);
    let first = left(&server, "127.0.0.1", &upload("first", &alice));
    // It counts as soon as it has begun, which the host's page shows.
    let host = place.referee(&["hill", "invite", "h", "zoe", "--host"]).trim().to_owned();
    let bearer = format!("Bearer {host}");
    let arrives = |count: usize| {
        let page = server.ask("GET", "/h/host", &[("Authorization", &bearer)], b"").text();
        page.contains(&format!("<dt>Programs that arrive</dt><dd>{count}</dd>"))
    };
    assert!(referee_testutil::support::comes_true(|| arrives(1)));
    // It is within the limit, but not its turn: it is told so after a while, and nobody else waits for it.
    let second = left(&server, "127.0.0.1", &upload("second", &alice));
    assert_eq!(submitted(&server, "127.0.0.1", "fast", &bob, false).status, 202, "another account");
    let third = loop {
        // The second has been counted when a third is over the limit.
        let reply = submitted(&server, "127.0.0.1", "third", &alice, false);
        if reply.status != 503 {
            break reply;
        }
    };
    assert_eq!(third.status, 429, "{}", third.text());
    assert!(third.text().contains("arrive now"), "{}", third.text());
    drop(first);
    drop(second);
    assert!(referee_testutil::support::comes_true(|| arrives(0)), "what was given up counts no more");
    assert_eq!(submitted(&server, "127.0.0.1", "fourth", &alice, false).status, 202);
}

#[test]
fn a_program_that_trickles_is_refused_long_before_the_time_for_the_whole_is_over() {
    let place = Place::new();
    let alice = place.token("alice");
    // A sixth of it is the time of grace.
    let server = Server::start(&place, &["--body-seconds", "12"]);
    server.until_status("/h", 200);
    let mut stream = left(&server, "127.0.0.1", &upload("slow", &alice));
    let mut drips = stream.try_clone().expect("the same");
    let dripping = thread::spawn(move || {
        while drips.write_all(b"x").is_ok() {
            thread::sleep(std::time::Duration::from_millis(100));
        }
    });
    let reply = Reply::read(&mut stream);
    assert!(reply.status == 408 && reply.text().contains("less than 16 KiB a second"), "{}", reply.text());
    dripping.join().expect("it has ended");
}

#[test]
fn checks_go_round_by_account() {
    let place = Place::new();
    let [alice, bob] = ["alice", "bob"].map(|name| place.token(name));
    // A bot that says nothing for so long that others come meanwhile.
    let server = Server::start(&place, &["--waiting", "20"]);
    server.until_status("/h", 200);
    let slow = b"#!/bin/sh\nsleep 4\nexit 3\n";
    let post = |name: &str, token: &str| {
        let bearer = format!("Bearer {token}");
        let path = format!("/h/api/v1/bots?name={name}");
        let reply = server.ask("POST", &path, &[("Authorization", &bearer)], slow);
        let told: Value = serde_json::from_slice(&reply.body).expect("JSON");
        told["receipt"].as_str().unwrap_or_else(|| panic!("{}", reply.text())).to_owned()
    };
    let receipts: Vec<String> = (0..6).map(|number| post(&format!("many{number}"), &alice)).collect();
    let one = post("one", &bob);
    let place_of = |receipt: &str| server.json(&format!("/h/api/v1/submissions/{receipt}"))["place"].clone();
    let bobs = place_of(&one);
    assert!(bobs.as_u64().is_some_and(|bobs| bobs <= 2), "{bobs}: behind the one that is checked, at most");
    let last = place_of(receipts.last().expect("six"));
    assert!(last.as_u64() > bobs.as_u64(), "{last} and {bobs}");
}

#[test]
fn connections_that_are_left_half_open_keep_no_submission_from_the_same_address_out() {
    let place = Place::new();
    let alice = place.token("alice");
    // They would end by themselves after a while.
    let server = Server::start(&place, &["--header-seconds", "3000"]);
    server.until_status("/h", 200);
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let raised = rustix::process::Rlimit { current: limit.maximum, maximum: limit.maximum };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, raised).expect("descriptors");
    let from = "127.0.0.7";
    let half = |_| left(&server, from, "GET /h HTTP/1.1\r\nHost: h\r\n");
    let open: Vec<TcpStream> = (0..1100).map(half).collect();
    let reply = submitted(&server, from, "fox", &alice, false);
    assert_eq!(reply.status, 202, "{}", reply.text());
    let reply = submitted(&server, from, "owl", &alice, true);
    assert_eq!(reply.status, 303, "{}", reply.text());
    drop(open);
}
