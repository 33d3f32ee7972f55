//! The webhook: what it says, that its signature is right, and that nobody waits for it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::Value;

use crate::support::{PATIENCE, Place, Server, said};

const SECRET: &str = "correct horse battery staple";

/// A second implementation of the signature.
const VERIFY: &str = "import base64, hashlib, hmac, sys\n\
    signed = '.'.join(sys.argv[2:5]).encode()\n\
    print('v1,' + base64.b64encode(hmac.new(sys.argv[1].encode(), signed, hashlib.sha256).digest()).decode())";

/// A message: its head, in lower case, and its body.
type Message = (String, String);

fn received(stream: TcpStream, answer: &str) -> Message {
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

/// Listens, gives each message this answer, and names the hook in the hill.
fn listener(place: &Place, answer: &'static str) -> Receiver<Message> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let text =
        format!("url = \"http://{}/hook\"\nsecret = \"{SECRET}\"\n", listener.local_addr().expect("a port"));
    let file = place.path("h/webhook.toml");
    fs::write(&file, text).expect("the hook");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("its mode");
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
    // One that leads elsewhere is not followed.
    let elsewhere = TcpListener::bind("127.0.0.1:0").expect("a port");
    elsewhere.set_nonblocking(true).expect("a port");
    let answer = format!(
        "HTTP/1.1 307 X\r\nLocation: http://{}/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        elsewhere.local_addr().expect("a port")
    );
    let messages = listener(&place, answer.leak());
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
    let (_, body) = next(&messages);
    assert_eq!(body["event"], "leader", "{body}");
    assert!(elsewhere.accept().is_err(), "nobody was led elsewhere");
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
