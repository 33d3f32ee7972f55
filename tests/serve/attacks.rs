//! Attacks: to anything that a stranger sends, the answer is a refusal or an ended connection. Nothing is
//! written, and honest requests continue.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use referee_table::clock::Clock;

use crate::support::{PATIENCE, Place, Reply, Server};

/// A status of a connection that is ended without an answer.
const ENDED: u16 = 0;

/// An attack: its name, the bytes, and the right statuses.
type Attack = (String, Vec<u8>, Vec<u16>);

fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").into_bytes()
}

/// Addresses that lead nowhere, or ask for nonsense.
fn addresses() -> Vec<Attack> {
    let long = format!("/{}", "x".repeat(5000));
    let paths: [(&str, &[u16]); 30] = [
        ("/../../../../etc/passwd", &[400, 404]),
        ("/%2e%2e/%2e%2e/%2e%2e/etc/passwd", &[404]),
        ("/h/../../etc/passwd", &[404]),
        ("/h/games/../hill.toml", &[404]),
        ("/h/games/..%2fhill.toml", &[404]),
        ("/h/games/..%2F..%2Fetc%2Fpasswd/replay", &[404]),
        ("/h/api/v1/games/..%2f..%2fhill.toml/log", &[404]),
        ("/h/api/v1/games/%2fetc%2fpasswd/log", &[404]),
        ("/h/api/v1/games/s001-r00001-t001-g1%00/log", &[404]),
        ("/h/api/v1/games/s1-r1-t1-g1/log", &[404]),
        ("/h/api/v1/games/s99999999999-r1-t1-g1/log", &[404]),
        ("/h/hill.toml", &[404]),
        ("/h/tokens.csv", &[404]),
        ("/h/store", &[404]),
        ("/h/inbox/000001/asked.json", &[404]),
        ("/h/events.csv", &[404]),
        ("/h/bots/%3Cscript%3Ealert(1)%3C%2Fscript%3E", &[404]),
        ("/h/bots/%ff%fe", &[400, 404]),
        ("/h/starters/..%2f..%2fetc", &[404]),
        ("/h/starters/--dir%3D%2Ftmp", &[404]),
        ("/assets/..%2f..%2fmain.rs", &[404]),
        ("/h/submissions/1-000000000000", &[404]),
        ("/h/submissions/..%2f1", &[404]),
        ("//h//games", &[404]),
        ("/h/games?before=-1", &[400]),
        ("/h/games?before=99999999999999999999999", &[400]),
        ("/h/games?fault=%00", &[400]),
        ("/h/api/v1/games?limit=1e9", &[400]),
        ("/h/api/v1/standings?format=../../x", &[400]),
        (&long, &[414]),
    ];
    paths.iter().map(|(path, due)| (format!("GET {:.60}", path), get(path), due.to_vec())).collect()
}

/// Invalid requests, and requests that two servers might read in two ways.
fn requests() -> Vec<Attack> {
    let many: String = (0..200).map(|number| format!("X-{number}: y\r\n")).collect();
    let large = format!("X-Large: {}\r\n", "y".repeat(200_000));
    let headers: [(&str, &str, &[u16]); 14] = [
        ("two lengths", "Content-Length: 3\r\nContent-Length: 5\r\n\r\nabc", &[400]),
        ("a negative length", "Content-Length: -1\r\n\r\n", &[400]),
        ("a signed length", "Content-Length: +5\r\n\r\nabcde", &[400]),
        ("a length beyond all numbers", "Content-Length: 99999999999999999999999\r\n\r\n", &[400]),
        ("an unknown transfer", "Transfer-Encoding: xchunked\r\n\r\n", &[400]),
        ("chunked, and not last", "Transfer-Encoding: chunked, identity\r\n\r\n", &[400]),
        ("a blank before the colon", "Transfer-Encoding : chunked\r\n\r\n", &[400]),
        ("a folded header", "X: y\r\n Transfer-Encoding: chunked\r\n\r\n", &[400]),
        ("a header without a name", ": y\r\n\r\n", &[400]),
        ("a header with a zero byte", "X: a\0b\r\n\r\n", &[400]),
        ("a header with a carriage return", "X: a\rb\r\n\r\n", &[400]),
        ("an unknown upgrade", "Upgrade: h2c\r\nConnection: close, Upgrade, HTTP2-Settings\r\n\r\n", &[200]),
        ("many headers", &(many + "\r\n"), &[431]),
        ("a large header", &(large + "\r\n"), &[431]),
    ];
    let headers = headers.iter().map(|(name, rest, due)| {
        let bytes = format!("GET /h HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{rest}").into_bytes();
        ((*name).to_owned(), bytes, due.to_vec())
    });
    let lines: [(&str, &[u8], &[u16]); 16] = [
        ("no version", b"GET /h\r\n\r\n", &[400, ENDED]),
        ("another version", b"GET /h HTTP/3.7\r\n\r\n", &[400, 505]),
        ("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", &[400, 505, ENDED]),
        ("a handshake of TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", &[400, ENDED]),
        ("zero bytes", &[0; 4096], &[400, ENDED]),
        ("a method of markup", b"<script> /h HTTP/1.1\r\nHost: h\r\n\r\n", &[400]),
        ("PUT", b"PUT /h HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", &[405]),
        ("DELETE", b"DELETE /h/bots/random HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", &[405]),
        ("no host", b"GET /h HTTP/1.1\r\nConnection: close\r\n\r\n", &[400]),
        ("two hosts", b"GET /h HTTP/1.1\r\nHost: h\r\nHost: g\r\nConnection: close\r\n\r\n", &[400]),
        ("an older client without a host", b"GET /h HTTP/1.0\r\n\r\n", &[200]),
        ("TRACE", b"TRACE /h HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", &[405]),
        (
            "CONNECT",
            b"CONNECT 192.0.2.1:25 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
            &[400, 404, 405],
        ),
        ("OPTIONS", b"OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", &[400, 404, 405]),
        (
            "another host's address",
            b"GET http://192.0.2.1/x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
            &[404],
        ),
        (
            "POST where nothing is taken",
            b"POST /h HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
            &[405],
        ),
    ];
    let lines = lines.iter().map(|(name, bytes, due)| ((*name).to_owned(), bytes.to_vec(), due.to_vec()));
    headers.chain(lines).collect()
}

/// Submissions that must not be accepted, with a right token or without.
fn submissions(token: &str) -> Vec<Attack> {
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let post = |name: &str, path: &str, headers: &str, body: &str, due: &[u16]| {
        let head = format!("POST {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{headers}\r\n");
        (name.to_owned(), (head + body).into_bytes(), due.to_vec())
    };
    let api = "/h/api/v1/bots?name=evil";
    let length = |text: &str| format!("{text}Content-Length: 4\r\n");
    let form = |boundary: &str, body: &str| {
        let length = body.len();
        format!(
            "Content-Type: multipart/form-data; boundary={boundary}\r\nContent-Length: {length}\r\n\r\n{body}"
        )
    };
    let field = |name: &str, value: &str| {
        format!("--c\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let as_form = |name: &str, body: String, due: &[u16]| {
        let head = "POST /h/submit HTTP/1.1\r\nHost: h\r\nConnection: close\r\n";
        (name.to_owned(), (head.to_owned() + &form("c", &body)).into_bytes(), due.to_vec())
    };
    let chunked = format!("{bearer}Transfer-Encoding: chunked\r\n");
    let extension = format!("4;{}\r\nevil\r\n0\r\n\r\n", "x".repeat(100_000));
    let markup = field("token", token) + &field("name", "<b>") + &field("program", "x") + "--c--\r\n";
    let plain = length("Content-Type: text/plain\r\n");
    vec![
        post("no token", api, &length(""), "evil", &[401]),
        post("a wrong token", api, &length("Authorization: Bearer AAAA\r\n"), "evil", &[401]),
        post("a token of nothing", api, &length("Authorization: Bearer \r\n"), "evil", &[401]),
        post(
            "a long token",
            api,
            &length(&format!("Authorization: Bearer {}\r\n", "A".repeat(4000))),
            "evil",
            &[401],
        ),
        post("a password that is none", api, &length("Authorization: Basic Og==\r\n"), "evil", &[401]),
        post(
            "from a page elsewhere",
            api,
            &length(&format!("{bearer}Origin: http://192.0.2.1\r\n")),
            "evil",
            &[403],
        ),
        post("from a page of no origin", api, &length(&format!("{bearer}Origin: null\r\n")), "evil", &[403]),
        post(
            "from another site",
            api,
            &length(&format!("{bearer}Sec-Fetch-Site: cross-site\r\n")),
            "evil",
            &[403],
        ),
        post(
            "a gigabyte at once",
            api,
            &format!("{bearer}Content-Length: 1073741824\r\n"),
            "evil",
            &[413, 400],
        ),
        post("a bomb", api, &length(&format!("{bearer}Content-Encoding: gzip\r\n")), "evil", &[415]),
        post("a name with a path", "/h/api/v1/bots?name=..%2fevil", &length(&bearer), "evil", &[400]),
        post("a name of markup", "/h/api/v1/bots?name=%3Cb%3E", &length(&bearer), "evil", &[400]),
        post("a name as an option", "/h/api/v1/bots?name=a&name=--author", &length(&bearer), "evil", &[400]),
        post(
            "a long name",
            &format!("/h/api/v1/bots?name={}", "a".repeat(33)),
            &length(&bearer),
            "evil",
            &[400],
        ),
        post("a chunk beyond all numbers", api, &chunked, "FFFFFFFFFFFFFFFFF\r\nevil\r\n0\r\n\r\n", &[400]),
        post("a chunk of a negative size", api, &chunked, "-4\r\nevil\r\n0\r\n\r\n", &[400]),
        post("a chunk with a long extension", api, &chunked, &extension, &[400]),
        post("a chunk that is cut", api, &chunked, "4\r\nevilGET / HTTP/1.1\r\n\r\n", &[400]),
        as_form(
            "a form without a token",
            field("name", "evil") + &field("program", "x") + "--c--\r\n",
            &[401],
        ),
        as_form(
            "a form with the program first",
            field("program", "x") + &field("token", token) + "--c--\r\n",
            &[401],
        ),
        as_form(
            "a form without a program",
            field("token", token) + &field("name", "evil") + "--c--\r\n",
            &[400],
        ),
        as_form(
            "a form with a strange field",
            field("token", token) + &field("x", "y") + "--c--\r\n",
            &[400],
        ),
        as_form("a form with a long field", field("name", &"x".repeat(10_000)) + "--c--\r\n", &[400]),
        as_form("a form of a thousand names", field("name", "x").repeat(1000) + "--c--\r\n", &[400]),
        as_form(
            "a form that is cut",
            field("token", token) + &field("name", "evil") + "--c\r\nContent-Disp",
            &[400],
        ),
        as_form("a form with a name of markup", markup, &[400]),
        as_form("a form with endless headers", "--c\r\n".to_owned() + &"X: y\r\n".repeat(20_000), &[400]),
        post("a form that is none", "/h/submit", &plain, "evil", &[400]),
    ]
}

/// Words in addresses that are not known, or mean something else to another reader.
fn words() -> Vec<Attack> {
    let paths: [(&str, &[u16]); 23] = [
        ("/h/api/v1/games?bott=random", &[400]),
        ("/h/api/v1/games?bot=random&bot=homeward", &[400]),
        ("/h/api/v1/games?bot[]=random", &[400]),
        ("/h/api/v1/games?season=1%27%20OR%20%271%27=%271", &[400]),
        ("/h/api/v1/games?season=99999999999999999999", &[400]),
        ("/h/api/v1/games?season=-1", &[400]),
        ("/h/api/v1/games?season=1&round=4294967296", &[400]),
        ("/h/api/v1/games?round=1", &[400]),
        ("/h/api/v1/games?version=1", &[400]),
        ("/h/api/v1/games?since=2026-02-30", &[400]),
        ("/h/api/v1/games?since=%00", &[400]),
        ("/h/api/v1/games?until=9999999999", &[400]),
        ("/h/api/v1/games?since=2026-01-01T00:00:00%2B01:00", &[400]),
        ("/h/api/v1/games?limit=0&format=html", &[400]),
        ("/h/api/v1/games?callback=alert", &[400]),
        ("/h/games?bot=%3Cscript%3Ealert(1)%3C/script%3E&bott=x", &[400]),
        ("/h/api/v1/standings?season=1", &[400]),
        ("/h/api/v1/bots?name=x", &[400]),
        ("/h/api/v1/running?format=csv&format=json", &[400]),
        ("/h/api/v1/games/s001-r00001-t001-g1/turns?from=-1", &[400]),
        ("/h/api/v1/games/s001-r00001-t001-g1?format=%3Cscript%3Ealert(1)", &[400]),
        ("/h/api/v1/games?bot=%", &[200, 400]),
        ("/h/api/v1/games?bot=%ff%fe", &[200, 400]),
    ];
    paths.iter().map(|(path, due)| (format!("GET {:.60}", path), get(path), due.to_vec())).collect()
}

/// Addresses with slashes that could lead to another server, or twice to one page.
fn slashes() -> Vec<Attack> {
    let paths: [(&str, &[u16]); 8] = [
        ("//evil.example/", &[404]),
        ("//evil.example/..;/", &[404]),
        ("/%2f%2fevil.example/", &[404]),
        ("/\\evil.example/", &[400, 404]),
        ("///", &[404]),
        ("/h//", &[308, 404]),
        ("/h/;/games/", &[308, 404]),
        ("/https://evil.example/", &[404]),
    ];
    paths.iter().map(|(path, due)| (format!("GET {path}"), get(path), due.to_vec())).collect()
}

/// Headers that ask for parts, other forms and sessions.
fn headers() -> Vec<Attack> {
    let cookies = (0..60).map(|number| format!("referee={number:064x}; ")).collect::<String>();
    let long = "x".repeat(9000);
    let lines: [(&str, &str, &[u16]); 20] = [
        ("/h/api/v1/results.csv", "Range: bytes=0-0,2-2,4-4", &[200]),
        ("/h/api/v1/results.csv", "Range: bytes=-0", &[416]),
        ("/h/api/v1/results.csv", "Range: bytes=99999999999999999999-", &[200]),
        ("/h/api/v1/results.csv", "Range: bytes=5-2", &[416]),
        ("/h/api/v1/results.csv", "Range: bytes=0-18446744073709551615", &[200]),
        ("/h/api/v1/results.csv", "Range: lines=1-2", &[200]),
        ("/h/api/v1/results.csv", "Range: bytes=a-b", &[200]),
        ("/h", "Accept-Encoding: gzip;q=0, identity;q=0, *;q=0", &[406]),
        ("/h", "Accept-Encoding: gzip;q=99999999999999999999e99", &[200]),
        ("/h", "If-None-Match: W/\"\", \", W/", &[200]),
        ("/h/account", "Cookie: referee=../../tokens.csv", &[200]),
        ("/h/account", "Cookie: referee=; referee; =referee", &[200]),
        ("/h/account", &format!("Cookie: {cookies}"), &[200]),
        ("/h/account", &format!("Cookie: {long}"), &[200, 431]),
        ("/h/account", "Authorization: Bearer \u{e9}", &[401]),
        ("/h/account", "Authorization: Basic Og==", &[401]),
        ("/h/account", "Authorization: Bearer a b c", &[401]),
        ("/h/host", "X-Forwarded-For: 127.0.0.1", &[401]),
        ("/h/host", "X-Forwarded-User: host", &[401]),
        ("/h/api/v1/games/s001-r00001-t001-g1/stderr/0", "X-Original-URL: /h", &[401]),
    ];
    let request = |(path, line, due): &(&str, &str, &[u16])| {
        let bytes =
            format!("GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{line}\r\n\r\n").into_bytes();
        (format!("{path} with {line:.60}"), bytes, due.to_vec())
    };
    lines.iter().map(request).collect()
}

/// Changes that a page of another site, or somebody without a session, sends.
fn forged(token: &str) -> Vec<Attack> {
    let lines: [(&str, &str, &str, &[u16]); 9] = [
        ("/h/bots/random/withdraw", "", "sure=on", &[401]),
        ("/h/bots/random/withdraw", "Sec-Fetch-Site: cross-site\r\n", "sure=on", &[403]),
        ("/h/bots/random/withdraw", "Sec-Fetch-Site: same-site\r\n", "sure=on", &[403]),
        ("/h/bots/random/withdraw", "Origin: http://h.evil.example\r\n", "sure=on", &[403]),
        ("/h/bots/random/withdraw", "Origin: http://h:8081\r\n", "sure=on", &[403]),
        ("/h/account", "Origin: null\r\n", "token=x", &[403]),
        ("/h/account", "Sec-Fetch-Site: cross-site\r\n", &format!("token={token}"), &[403]),
        ("/h/account", "", "token=x", &[401]),
        ("/h/account/leave", "Sec-Fetch-Site: cross-site\r\n", "", &[403]),
    ];
    let request = |(path, lines, body, due): &(&str, &str, &str, &[u16])| {
        let length = body.len();
        let bytes = format!(
            "POST {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {length}\r\n{lines}\r\n{body}"
        );
        (format!("POST {path} with {lines:?}"), bytes.into_bytes(), due.to_vec())
    };
    lines.iter().map(request).collect()
}

/// Programs whose names or files lead elsewhere.
fn named(token: &str) -> Vec<Attack> {
    let queries: [&str; 8] = [
        "name=evil&file=../../evil.py&x=1",
        "name=evil&author=alice",
        "name=evil&name=random",
        "name=",
        "name=.",
        "name=..",
        "name=evil%00",
        "name=evil%2f..%2f..%2fstore",
    ];
    let request = |query: &&str| {
        let bytes = format!(
            "POST /h/api/v1/bots?{query} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
             Content-Length: 4\r\n\r\nevil"
        );
        (format!("a program with {query}"), bytes.into_bytes(), vec![400])
    };
    queries.iter().map(request).collect()
}

#[test]
fn every_attack_is_refused_nothing_is_taken_and_honest_requests_go_on() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    let token = place.token("mallory");
    let server = Server::start(&place, &["--hourly", "1000", "--header-seconds", "2", "--body-seconds", "4"]);
    server.until_games();
    let attacks: Vec<Attack> = [
        addresses(),
        requests(),
        submissions(&token),
        words(),
        slashes(),
        headers(),
        forged(&token),
        named(&token),
    ]
    .concat();
    assert!(attacks.len() >= 120, "{}", attacks.len());
    let mut wrong = Vec::new();
    for (name, bytes, due) in &attacks {
        let reply = server.send(bytes);
        let text = reply.text();
        if !due.contains(&reply.status) || reply.answers > 1 {
            wrong.push(format!(
                "{name}: {} ({} answers), not one of {due:?}: {text:.200}",
                reply.status, reply.answers
            ));
        }
        let led = reply.header("location").unwrap_or("/");
        assert!(led.starts_with('/') && !led.starts_with("//"), "{name} leads to {led}");
        for leak in ["root:", "seed", "<script>alert", "panicked", place.path("").to_str().expect("a path")] {
            // A game's own seed is in its results.
            let is_results = leak == "seed" && name.contains("results.csv");
            assert!(is_results || !text.contains(leak), "{name}: {leak} in {text}");
        }
        assert_eq!(server.get("/h/submit").status, 200, "after: {name}");
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    // The index of the games is the server's own, and it may be writing it at this moment.
    let taken = || -> Vec<String> {
        let entries = fs::read_dir(place.path("h/inbox")).expect("the inbox").flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name != "index.json").collect()
    };
    let clock = Clock::start();
    while taken() != ["lock"] && clock.now().0 < PATIENCE {
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(taken(), ["lock"], "nothing was taken");
}

#[test]
fn a_request_in_the_body_of_another_is_never_answered() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let inner = "GET /h/smuggled HTTP/1.1\r\nHost: h\r\n\r\n";
    for headers in [
        format!("Content-Length: {}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{inner}", 5 + inner.len()),
        format!("Transfer-Encoding: chunked\r\nContent-Length: {}\r\n\r\n0\r\n\r\n{inner}", 5 + inner.len()),
        format!("Content-Length: {}\r\nConnection: close\r\n\r\n{inner}", inner.len()),
    ] {
        let reply = server.send(format!("GET /openapi.json HTTP/1.1\r\nHost: h\r\n{headers}").as_bytes());
        assert!(reply.answers == 1 && [200, 400].contains(&reply.status), "{headers}: {reply:?}");
    }
}

#[test]
fn tokens_cannot_be_guessed_and_guesses_keep_nobody_waiting_not_even_at_the_same_address() {
    let place = Place::new();
    let token = place.token("alice");
    let server = Server::start(&place, &[]);
    server.until_status("/h", 200);
    let ask = |from: &str, token: &str| {
        let mut stream = server.connect(from);
        let request = format!(
            "GET /h HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("sent");
        Reply::read(&mut stream)
    };
    let guesses: Vec<u16> =
        (0..14).map(|number| ask("127.0.0.3", &format!("guess{number}")).status).collect();
    assert_eq!((&guesses[..10], &guesses[10..]), (&[401; 10][..], &[429; 4][..]));
    assert_eq!(ask("127.0.0.3", &token).status, 200, "a right token from the same address");
    assert_eq!(ask("127.0.0.1", &token).status, 200);
    assert_eq!(ask("127.0.0.1", "guess").status, 401, "another address has its own count");
    assert_eq!(ask("127.0.0.3", "guess").header("retry-after"), Some("60"));
}

/// Makes sure that the server ends a connection by itself.
fn ends(mut stream: TcpStream) {
    let mut bytes = Vec::new();
    // The test's own patience is the limit.
    let read = stream.read_to_end(&mut bytes);
    let is_reset = read.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset);
    assert!(read.is_ok() || is_reset, "still open: {read:?}");
}

#[test]
fn who_is_slow_is_left() {
    let place = Place::new();
    let token = place.token("alice");
    let server = Server::start(&place, &["--header-seconds", "1", "--body-seconds", "2"]);
    let head = format!(
        "POST /h/api/v1/bots?name=slow HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {token}\r\n\
         Content-Length: 9999\r\n\r\n"
    );
    let mut form =
        "POST /h/submit HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data; boundary=c\r\n".to_owned();
    form += "Content-Length: 9999\r\n\r\n--c\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nx";
    for begun in ["", "G", "GET /h HTTP/1.1\r\nHost: h\r\nX: ", &head, &form] {
        let mut stream = server.connect("127.0.0.1");
        stream.write_all(begun.as_bytes()).expect("sent");
        // A byte from time to time, until the server has closed.
        let mut drips = stream.try_clone().expect("the same");
        let dripping = thread::spawn(move || {
            while drips.write_all(b"x").is_ok() {
                thread::sleep(Duration::from_millis(200))
            }
        });
        ends(stream);
        assert_eq!(server.get("/h").status, 200);
        dripping.join().expect("it has ended");
    }
    // An idle connection ends, too.
    let mut idle = server.connect("127.0.0.1");
    idle.write_all(b"GET /h HTTP/1.1\r\nHost: h\r\n\r\n").expect("sent");
    ends(idle);
    assert_eq!(fs::read_dir(place.path("h/inbox")).expect("the inbox").count(), 1, "the lock alone");
}

#[test]
fn half_open_connections_of_one_keep_nobody_else_out_and_are_forgotten() {
    let place = Place::new();
    let server = Server::start(&place, &["--header-seconds", "3"]);
    // Until the records are read, every request is refused.
    server.until_status("/h", 200);
    let before = server.memory_kib();
    let mut open = Vec::new();
    for _ in 0..400 {
        open.push(server.connect("127.0.0.2"));
        if open.len() % 100 == 0 {
            assert_eq!(server.get("/h").status, 200, "with {} open", open.len());
        }
    }
    assert!(
        server.memory_kib() < before + (64 << 10),
        "memory: {before} KiB before, {} now",
        server.memory_kib()
    );
    open.into_iter().for_each(ends);
    let mut again = server.connect("127.0.0.2");
    again.write_all(&get("/h")).expect("sent");
    assert_eq!(Reply::read(&mut again).status, 200, "the same address is let in again");
}

#[test]
fn names_in_a_damaged_record_are_shown_as_text() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    let results = place.path("h/results.csv");
    let text = fs::read_to_string(&results).expect("results");
    fs::write(&results, text.replace("homeward", "<img src=x onerror=alert(1)>")).expect("results");
    let server = Server::start(&place, &[]);
    let clock = Clock::start();
    loop {
        let reply = server.get("/h");
        assert!(!reply.text().contains("<img"), "{}", reply.text());
        // Until the records are read, the status is the same.
        if reply.status == 503 && reply.text().contains("the host sees why") {
            break;
        }
        assert!(clock.now().0 < crate::support::PATIENCE, "{}", reply.text());
        thread::sleep(Duration::from_millis(50));
    }
    let host = place.referee(&["hill", "invite", "h", "zoe", "--host"]);
    let host =
        server.ask("GET", "/h/host", &[("authorization", &format!("Bearer {}", host.trim()))], b"").text();
    assert!(host.contains("The records cannot be read") && !host.contains("<img"), "{host}");
    let games = server.get("/h/games?bot=%22%3E%3Cscript%3Ealert(1)%3C/script%3E");
    assert!(!games.text().contains("<script>alert"), "{}", games.text());
}
