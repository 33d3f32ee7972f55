//! The webhook: its messages, that its signature is right, and that nothing waits for it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;

use crate::support::{PATIENCE, Place, Server, said};
use crate::tournaments::{plan, serve};

const SECRET: &str = "correct horse battery staple";

/// A second implementation of the signature.
const VERIFY: &str = "import base64, hashlib, hmac, sys\n\
    signed = '.'.join(sys.argv[2:5]).encode()\n\
    print('v1,' + base64.b64encode(hmac.new(sys.argv[1].encode(), signed, hashlib.sha256).digest()).decode())";

/// A message: its head, in lower case, and its body.
type Message = (String, String);

fn received(stream: impl Read + Write, answer: &str) -> Message {
    let mut reader = BufReader::new(stream);
    let (mut head, mut line) = (String::new(), String::new());
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        if let Some((name, value)) = line.split_once(':') {
            head += &format!("{}:{value}", name.to_lowercase());
        }
        line.clear();
    }
    let mut body = vec![0; header(&head, "content-length").parse().expect("a length")];
    reader.read_exact(&mut body).expect("a body");
    let _ = reader.get_mut().write_all(answer.as_bytes());
    (head, String::from_utf8(body).expect("text"))
}

fn header(head: &str, name: &str) -> String {
    let line = head.lines().find_map(|line| line.strip_prefix(&format!("{name}:")));
    line.unwrap_or_else(|| panic!("no {name} in {head}")).trim().to_owned()
}

/// Names a hook in a contest.
fn name(place: &Place, contest: &str, url: &str) {
    let file = place.path(contest).join("webhook.toml");
    fs::write(&file, format!("url = \"{url}\"\nsecret = \"{SECRET}\"\n")).expect("the hook");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("its mode");
}

/// Listens, answers each message like this, and names the hook in a contest.
fn listener(place: &Place, contest: &str, answer: &'static str) -> Receiver<Message> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    name(place, contest, &format!("http://{}/hook", listener.local_addr().expect("a port")));
    let (to, messages) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = to.send(received(stream, answer));
        }
    });
    messages
}

fn next(messages: &Receiver<Message>) -> (Message, Value) {
    let message = messages.recv_timeout(PATIENCE).expect("a message");
    let body = serde_json::from_str(&message.1).expect("JSON");
    (message, body)
}

#[test]
fn a_refused_bot_and_a_leader_are_told_once_each_with_a_signature_that_python_agrees_with() {
    let place = Place::new();
    // A redirect is not followed.
    let elsewhere = TcpListener::bind("127.0.0.1:0").expect("a port");
    elsewhere.set_nonblocking(true).expect("a port");
    let answer = format!(
        "HTTP/1.1 307 X\r\nLocation: http://{}/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        elsewhere.local_addr().expect("a port")
    );
    let messages = listener(&place, "h", answer.leak());
    let token = place.token("alice");
    let server = Server::start(&place, &[]);
    server.until_status("/h", 200);
    let bearer = format!("Bearer {token}");
    let bad = b"#!/bin/sh\necho no such opening book >&2\nexit 3\n";
    server.ask("POST", "/h/api/v1/bots?name=wrong", &[("Authorization", &bearer)], bad);
    let ((head, text), body) = next(&messages);
    assert_eq!(
        (&body["event"], &body["bot"], &body["account"], &body["hill"]),
        (&"refused".into(), &"wrong".into(), &"alice".into(), &"h".into())
    );
    assert!(body["told"].as_str().is_some_and(|told| told.contains("no such opening book")), "{body}");
    let [number, seconds] = ["webhook-id", "webhook-timestamp"].map(|name| header(&head, name));
    let due = Command::new("python3")
        .args(["-c", VERIFY, SECRET, &number, &seconds, &text])
        .output()
        .expect("python3");
    assert!(due.status.success(), "{}", said(&due));
    assert_eq!(header(&head, "webhook-signature"), String::from_utf8_lossy(&due.stdout).trim());
    place.referee(&["hill", "run", "h", "--rounds", "12"]);
    let table = server.until("/h/api/v1/standings", |table| table["rows"][0]["games"] == 12);
    let leader = table["rows"][0]["bot"].as_str().expect("a name");
    // Others can have led before.
    loop {
        let (_, body) = next(&messages);
        assert_eq!(body["event"], "leader", "{body}");
        if body["bot"] == leader {
            break;
        }
    }
    // A leader that retires stays the first of the standings, under its name.
    place.referee(&["hill", "retire", "h", leader]);
    let table = server.until("/h/api/v1/standings", |table| {
        !server.json("/h/api/v1/bots").to_string().contains(&format!("\"{leader}\""))
            && table["rows"][0]["retired"] == true
    });
    let first = &table["rows"][0];
    assert_eq!((&first["bot"], &first["retired"]), (&leader.into(), &true.into()), "{first}");
    let page = server.get("/h").text();
    assert!(page.contains(&format!("<a href=\"/h/bots/{leader}\">{leader}</a> (retired)</th>")), "{page}");
    server.ask("POST", "/h/api/v1/bots?name=worse", &[("Authorization", &bearer)], b"#!/bin/sh\nexit 4\n");
    let (_, body) = next(&messages);
    assert_eq!((&body["event"], &body["bot"]), (&"refused".into(), &"worse".into()), "no new leader: {body}");
    assert!(elsewhere.accept().is_err(), "no request was redirected");
}

#[test]
fn each_verdict_of_a_tournament_is_told_and_no_leader_of_a_whole() {
    let place = Place::new();
    let format = "kind = \"rounds\"\nrounds = 2\n[stop]\nmin_rounds = 1";
    plan(&place, "both", "push", format, "turns = [4, 5]", &["random", "planner"]);
    let messages =
        listener(&place, "both", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let server = serve(&place, &["both"]);
    server.until_status("/both", 200);
    place.referee(&["tournament", "run", "--dir", "both", "--quiet"]);
    let mut of = [1, 2].map(|_| next(&messages).1);
    of.sort_by_key(|body| body["season"].as_u64());
    for (body, set) in of.iter().zip(1..) {
        let told = ["event", "hill", "season"].map(|key| body[key].clone());
        assert_eq!(told, ["verdict".into(), "both".into(), Value::from(set)], "{body}");
        assert!(body["verdict"]["verdict"].is_string(), "{body}");
    }
    server.stop();
}

#[test]
fn nobody_waits_for_a_hook_that_never_answers_and_others_may_not_read_its_secret() {
    let place = Place::new();
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let file = place.path("h/webhook.toml");
    let text = format!("url = \"http://{}/\"\nsecret = \"{SECRET}\"\n", silent.local_addr().expect("a port"));
    fs::write(&file, text).expect("the hook");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("its mode");
    let output = place.command(&["serve", "h", "--listen", "127.0.0.1:0"]).output().expect("the server");
    assert!(output.status.code() == Some(2) && said(&output).contains("chmod 600"), "{}", said(&output));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("its mode");
    let token = place.token("alice");
    let server = Server::start(&place, &[]);
    let bearer = format!("Bearer {token}");
    for name in ["one", "two"] {
        let bad = format!("#!/bin/sh\n# {name}\nexit 3\n");
        let path = format!("/h/api/v1/bots?name={name}");
        let reply = server.ask("POST", &path, &[("Authorization", &bearer)], bad.as_bytes());
        let asked: Value = serde_json::from_slice(&reply.body).expect("JSON");
        let receipt = asked["receipt"].as_str().expect("a receipt");
        server.until(&format!("/h/api/v1/submissions/{receipt}"), |now| now["state"] == "refused");
    }
    server.stop();
}

/// Listens with a certificate for `localhost`, which is written to a file, and names the hook in the hill.
fn listener_with_tls(place: &Place) -> Receiver<Message> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("a port").port();
    name(place, "h", &format!("https://localhost:{port}/hook"));
    let made = generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let CertifiedKey { cert, signing_key } = made;
    fs::write(place.path("authority.pem"), cert.pem()).expect("the certificate");
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).expect("a key");
    let config =
        ServerConfig::builder().with_no_client_auth().with_single_cert(vec![cert.der().clone()], key);
    let config = Arc::new(config.expect("a certificate with its key"));
    let (to, messages) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(Arc::clone(&config)).expect("a connection");
            let mut stream = StreamOwned::new(connection, stream);
            // A client that does not trust the certificate closes before sending a message.
            if stream.conn.complete_io(&mut stream.sock).is_ok() {
                let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                let _ = to.send(received(stream, answer));
            }
        }
    });
    messages
}

#[test]
fn a_hook_with_tls_hears_of_a_bot_and_one_whose_certificate_nobody_knows_is_named_to_the_host() {
    let place = Place::new();
    let messages = listener_with_tls(&place);
    let token = place.token("alice");
    let host = place.referee(&["hill", "invite", "h", "zoe", "--host"]);
    let (bearer, host) = (format!("Bearer {token}"), format!("Bearer {}", host.trim()));
    let start = |authorities: &str| {
        let mut command = place.command(&["serve", "h", "--listen", "127.0.0.1:0"]);
        command.env("SSL_CERT_FILE", authorities).env_remove("SSL_CERT_DIR");
        Server::of(command)
    };
    let refuse = |server: &Server, bot: &str| {
        server.until_status("/h", 200);
        let bad = format!("#!/bin/sh\n# {bot}\nexit 3\n");
        let path = format!("/h/api/v1/bots?name={bot}");
        let reply = server.ask("POST", &path, &[("Authorization", &bearer)], bad.as_bytes());
        assert_eq!(reply.status, 202, "{}", reply.text());
    };
    let server = start(&place.path("authority.pem").display().to_string());
    refuse(&server, "one");
    let (_, body) = next(&messages);
    assert_eq!((&body["event"], &body["bot"]), (&"refused".into(), &"one".into()));
    server.stop();

    // The same certificate, and a server that trusts another.
    let another = generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    fs::write(place.path("another.pem"), another.cert.pem()).expect("a certificate");
    let mut server = start(&place.path("another.pem").display().to_string());
    refuse(&server, "two");
    let told = server.next_line();
    assert!(
        told.starts_with("Webhook of h: the last message was lost") && told.contains("certificate"),
        "{told}"
    );
    let page = server.ask("GET", "/h/host", &[("Authorization", &host)], b"").text();
    assert!(page.contains("the last message was lost") && page.contains("certificate"), "{page}");
    assert!(messages.try_recv().is_err(), "nothing is told to a stranger");
}
