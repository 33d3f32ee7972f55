//! Memory: any number of requests leaves only bounded data behind.

use std::fs;
use std::io::{Read, Write};
use std::thread;
use std::time::Duration;

use referee_table::clock::Clock;

use crate::people::{FORM, played};
use crate::submissions::{BAD, accepted, post, verdict};
use crate::support::{PATIENCE, Place, Server};

/// Returns a number of a process from its status.
fn number_of(server: &Server, what: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.id())).expect("its status");
    let line = status.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(':'));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).expect("a number")
}

#[test]
fn requests_from_many_addresses_leave_nothing_behind_but_what_has_a_bound() {
    const ROUNDS: usize = 40;
    let place = played();
    place.live();
    let (alice, host) =
        (place.token("alice"), place.referee(&["hill", "invite", "h", "zoe", "--host"]).trim().to_owned());
    let server = Server::start(&place, &["--proxy", "127.0.0.1", "--hourly", "100"]);
    server.until_games();
    let held = |what: &str| {
        let bearer = format!("Bearer {host}");
        let page = server.ask("GET", "/h/host", &[("Authorization", &bearer)], b"").text();
        let (_, rest) =
            page.split_once(&format!("<dt>{what}</dt><dd>")).unwrap_or_else(|| panic!("{what}: {page}"));
        let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
        number.parse::<usize>().expect("a number")
    };
    let kept = [
        "/h",
        "/h/api/v1/standings",
        "/h/api/v1/standings?format=csv",
        "/h/games/s001-r00001-t001-g1/replay",
        "/h/games?bot=talks",
        "/h/api/v1/games",
        "/h/api/v1/games?before=3",
        "/h/bots/talks",
    ];
    let others = ["/", "/x", "/h/api/v1/results.csv", "/h/api/v1/records.tar"];
    let sign_in = format!("token={alice}");
    for number in 0..ROUNDS {
        let from = ("X-Forwarded-For", &*format!("192.0.2.{number}"));
        for path in kept.iter().chain(&others) {
            server.ask("GET", path, &[from], b"");
            server.ask(
                "GET",
                &format!("{path}{}x={number}", if path.contains('?') { "&" } else { "?" }),
                &[from],
                b"",
            );
        }
        assert_eq!(server.ask("GET", "/h", &[from, ("Authorization", "Bearer guess")], b"").status, 401);
        assert_eq!(server.ask("POST", "/h/account", &[from, FORM], sign_in.as_bytes()).status, 303);
        let mut stream = server.connect("127.0.0.1");
        let path = if number % 2 == 0 { "events" } else { "games/s001-r00001-t001-g1/turns" };
        write!(stream, "GET /h/api/v1/{path} HTTP/1.1\r\nHost: h\r\n\r\n").expect("sent");
        stream.read_exact(&mut [0; 12]).expect("an answer");
    }
    for (what, most) in [("Connections", 1), ("Event streams", 0), ("Games that are watched", 0)] {
        let clock = Clock::start();
        while held(what) > most {
            assert!(clock.now().0 < PATIENCE, "{what}: {}", held(what));
            thread::sleep(Duration::from_millis(50));
        }
    }
    assert_eq!(held("Answers that are kept"), kept.len(), "one for each address, from any visitor");
    // Until the bound of each, which is reached in their own tests.
    assert_eq!(held("Addresses with wrong tokens"), ROUNDS);
    assert_eq!(held("Sessions of browsers"), 20, "the latest of one account");
}

#[test]
fn a_crowd_is_served_by_few_threads() {
    // Each thread uses memory of its own: 28 for files, three for the hill, one for each core, and the main one.
    let most = 32 + thread::available_parallelism().map_or(1, usize::from) as u64;
    let place = played();
    let server = Server::start(&place, &[]);
    server.until_games();
    thread::scope(|scope| {
        for number in 0..64 {
            let server = &server;
            scope.spawn(move || {
                for path in
                    ["/h/games", "/h/bots/talks", "/h/api/v1/games?limit=1000"].iter().cycle().take(30)
                {
                    assert_eq!(server.get(path).status, 200, "{number}");
                }
            });
        }
    });
    let threads = number_of(&server, "Threads");
    assert!(threads <= most, "{threads} threads, at most {most}");
}

#[test]
fn a_list_of_all_that_authors_ever_did_is_not_held() {
    let place = Place::new();
    let token = place.token("alice");
    let file = place.path("h/events.csv");
    let mut events = fs::read_to_string(&file).expect("events");
    let last = events.lines().last().expect("a row").to_owned() + "\n";
    events += &last.repeat(200_000);
    fs::write(&file, &events).expect("events");
    let server = Server::start(&place, &[]);
    server.until_status("/h", 200);
    let before = number_of(&server, "VmHWM");
    let refused = verdict(&server, &accepted(&post(&server, &token, "fox", BAD)));
    assert_eq!(refused["state"], "refused");
    let after = number_of(&server, "VmHWM");
    // Its rows in memory would be 40 MiB, and its text 9.
    assert!(after < before + (16 << 10), "from {before} KiB to {after}");
    let told = fs::read_to_string(&file).expect("events");
    assert!(told.starts_with(&events) && told.len() > events.len(), "both events were noted");
}
