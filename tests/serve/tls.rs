//! Submissions by `https://`, from the program and from the script of the starters: whom they trust, and to whom they
//! show a token. A proxy in Python speaks TLS in front of the server.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use rcgen::{CertifiedKey, generate_simple_self_signed};

use crate::submissions::BAD;
use crate::support::{Place, Server, program, said};

/// Speaks TLS, and hands all on to a port. Prints its own port.
const PROXY: &str = "
import asyncio, ssl, sys

async def pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    writer.close()

async def handle(reader, writer):
    there = await asyncio.open_connection('127.0.0.1', int(sys.argv[2]))
    await asyncio.gather(pump(reader, there[1]), pump(there[0], writer))

async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1])
    server = await asyncio.start_server(handle, '127.0.0.1', 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
";

/// A proxy that ends with the test.
struct Proxy(Child, String);

impl Proxy {
    fn start(certificate: &Path, to: SocketAddr) -> Proxy {
        let mut python = Command::new("python3");
        python.args(["-c", PROXY]).arg(certificate).arg(to.port().to_string());
        let mut child = python.stdout(Stdio::piped()).spawn().expect("python3");
        let mut port = String::new();
        let out = child.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut port).expect("its port");
        Proxy(child, format!("https://localhost:{}/h", port.trim()))
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Writes a certificate for `localhost`, and returns its file. `NAME-key.pem` has the key as well.
fn certificate(place: &Place, name: &str) -> String {
    let made = generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let CertifiedKey { cert, signing_key } = made;
    let file = place.path(&format!("{name}.pem"));
    fs::write(&file, cert.pem()).expect("a certificate");
    fs::write(place.path(&format!("{name}-key.pem")), cert.pem() + &signing_key.serialize_pem())
        .expect("a key");
    file.display().to_string()
}

/// Both ways to submit: the words before the address, and the bot's name in the end.
fn ways(place: &Place) -> [Command; 2] {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bots/starters/submit.py");
    let mut python = Command::new("python3");
    python.arg(script).current_dir(place.path(""));
    [place.command(&["hill", "submit"]), python]
}

#[test]
fn a_bot_is_submitted_by_https_and_nobody_else_gets_the_token() {
    let place = Place::new();
    let token = place.token("alice");
    let [known, other] = ["known", "other"].map(|name| certificate(&place, name));
    fs::copy(program("push-random"), place.path("walker.x86")).expect("a bot");
    place.script("broken", std::str::from_utf8(BAD).expect("text"));
    let server = Server::start(&place, &[]);
    let proxy = Proxy::start(&place.path("known-key.pem"), server.address);
    let submit = |mut way: Command, words: &[&str]| -> Output {
        way.args(words).env("REFEREE_TOKEN", &token).env("SSL_CERT_FILE", &other).env_remove("SSL_CERT_DIR");
        way.output().expect("a program")
    };
    let names = ["fox", "owl"];
    for (way, name) in ways(&place).into_iter().zip(names) {
        let told = said(&submit(way, &[&proxy.1, "walker.x86", "--name", name, "--ca", &known]));
        let due = format!("{name} version 1 plays from now on");
        assert!(told.starts_with("Some(0) Submission") && told.contains(&due), "{told}");
    }
    let bots = place.referee(&["hill", "bots", "h", "--format", "csv"]);
    assert!(names.iter().all(|name| bots.contains(&format!("{name},1,alice,"))), "{bots}");
    // The reason of a refusal arrives, too.
    for way in ways(&place) {
        let told = said(&submit(way, &[&proxy.1, "broken", "--ca", &known]));
        assert!(told.starts_with("Some(3)") && told.contains("no such opening book"), "{told}");
        // It has several lines, and each arrives as one.
        assert!(told.lines().count() > 3 && !told.contains("\\u{a}") && !told.contains('?'), "{told}");
    }
    // The authorities of the system are others; so are those of the option.
    for words in [&["walker.x86", "--name", "cat"][..], &["walker.x86", "--name", "cat", "--ca", &other]] {
        for way in ways(&place) {
            let told = said(&submit(way, &[&[&*proxy.1], words].concat()));
            assert!(!told.starts_with("Some(0)") && told.to_lowercase().contains("certificate"), "{told}");
        }
    }
    for file in ["walker.x86", "nothing.pem"] {
        for way in ways(&place) {
            let told = said(&submit(way, &[&proxy.1, "broken", "--ca", file]));
            assert!(!told.starts_with("Some(0)") && !told.contains("Submission"), "{told}");
        }
    }
    // Nothing is sent: no machine has these addresses.
    for far in
        ["http://192.0.2.7/h", "http://hill.invalid/h", "http://localhost.invalid/h", "ftp://localhost/h"]
    {
        for way in ways(&place) {
            for mut way in ways(&place) {
                way.args([&*proxy.1, "broken", "--ca", &known])
                    .env_remove("REFEREE_TOKEN")
                    .env_remove("XDG_CONFIG_HOME");
                let told = said(&way.env("HOME", place.path("")).output().expect("a program"));
                assert!(told.starts_with("Some(2)") && told.contains("REFEREE_TOKEN"), "{told}");
            }
            let told = said(&submit(way, &[far, "broken"]));
            assert!(told.starts_with("Some(2)") && told.contains("://"), "{far}: {told}");
            assert!(far.starts_with("ftp") || told.contains("--insecure"), "{far}: {told}");
        }
    }
    let told =
        said(&place.command(&["hill", "submit", "h", "random", "--insecure"]).output().expect("referee"));
    assert!(told.starts_with("Some(2)") && told.contains("leave it out"), "{told}");
    let asked = fs::read_dir(place.path("h/inbox")).expect("the inbox").count();
    let numbers =
        fs::read_to_string(place.path("h/events.csv")).expect("events").matches(",uploaded,").count();
    assert_eq!((numbers, asked >= 4), (4, true), "the others sent nothing");
    server.stop();
}
