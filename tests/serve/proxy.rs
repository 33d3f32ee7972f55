//! The recipes for nginx and caddy in the guide: event streams pass, bodies are limited, and visitors are told apart.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use referee_table::clock::Clock;

use crate::kills::NO_LIMITS;
use crate::submissions::good;
use crate::support::{PATIENCE, Place, Reply, Server};

/// A proxy that ends with the test.
struct Proxy {
    child: Child,
    address: SocketAddr,
}

/// Returns the recipe of the guide for a proxy, in front of a server.
fn recipe(proxy: &str, server: &Server) -> String {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/web.md");
    let guide = fs::read_to_string(guide).expect("the guide");
    let (_, recipe) = guide.split_once(&format!("```{proxy} by-hand\n")).expect("a recipe");
    let (recipe, _) = recipe.split_once("```").expect("its end");
    recipe.replace("127.0.0.1:8080", &server.address.to_string())
}

fn free_port() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port")
}

impl Proxy {
    /// Starts caddy by the recipe, without TLS.
    fn caddy(place: &Place, server: &Server) -> Proxy {
        let (free, folder) = (free_port(), place.path("caddy"));
        // Any host, as the name of this one is not the recipe's.
        let site = format!("http://:{} {{\n    bind {}", free.port(), free.ip());
        let recipe = recipe("caddy", server).replace("hill.example.org {", &site);
        assert!(recipe.contains(&site), "{recipe}");
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("conf"), format!("{{\n    admin off\n}}\n{recipe}")).expect("a file");
        let errors = File::create(folder.join("errors")).expect("a file");
        let mut caddy = Command::new("caddy");
        caddy.args(["run", "--adapter", "caddyfile", "--config"]).arg(folder.join("conf")).stderr(errors);
        caddy.env("HOME", &folder).env("XDG_DATA_HOME", &folder).env("XDG_CONFIG_HOME", &folder);
        Proxy::listening(caddy, &folder, free)
    }

    /// Starts nginx by the recipe, without TLS.
    fn nginx(place: &Place, server: &Server) -> Proxy {
        let (free, recipe) = (free_port(), recipe("nginx", server));
        let is_tls = |line: &&str| !line.trim().starts_with("ssl_");
        let recipe: String = recipe.lines().filter(is_tls).map(|line| format!("{line}\n")).collect();
        // Its visitors come as by TLS.
        let recipe =
            recipe.replace("listen 443 ssl;", &format!("listen {free};")).replace("$scheme", "https");
        let folder = place.path("nginx");
        fs::create_dir(&folder).expect("a folder");
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {}/{kind};\n", folder.display()));
        let text = format!(
            "daemon off; worker_processes 1; pid {0}/pid; error_log {0}/errors; events {{}}\n\
             http {{ access_log off; {1} {recipe} }}\n",
            folder.display(),
            temporary.concat()
        );
        fs::write(folder.join("conf"), text).expect("a file");
        let mut nginx = Command::new("nginx");
        nginx.arg("-p").arg(&folder).arg("-e").arg(folder.join("errors")).arg("-c").arg(folder.join("conf"));
        Proxy::listening(nginx, &folder, free)
    }

    /// Starts a proxy, and waits until it listens. Its folder contains its `errors`.
    fn listening(mut command: Command, folder: &Path, address: SocketAddr) -> Proxy {
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let proxy = Proxy { child, address };
        let clock = Clock::start();
        while TcpStream::connect(address).is_err() {
            let errors = fs::read_to_string(folder.join("errors")).unwrap_or_default();
            assert!(clock.now().0 < PATIENCE, "nobody listens: {errors}");
            thread::sleep(Duration::from_millis(20));
        }
        proxy
    }

    fn ask(&self, server: &Server, from: &str, head: &str, body: &[u8]) -> Reply {
        let mut stream = server.connect_to(self.address, from);
        let length = body.len();
        let _ = stream.write_all(
            format!(
                "{head}\r\nHost: {}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n",
                self.address
            )
            .as_bytes(),
        );
        let _ = stream.write_all(body);
        Reply::read(&mut stream)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // Its worker ends with it, if the proxy can tell it to.
        let id = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
        let _ = self.child.wait();
    }
}

#[test]
#[ignore = "needs nginx"]
fn the_recipe_for_nginx_passes_events_limits_bodies_and_tells_visitors_apart() {
    passes_limits_and_tells_apart(Proxy::nginx, "https");
}

#[test]
#[ignore = "needs caddy"]
fn the_recipe_for_caddy_passes_events_limits_bodies_and_tells_visitors_apart() {
    passes_limits_and_tells_apart(Proxy::caddy, "http");
}

fn passes_limits_and_tells_apart(start: fn(&Place, &Server) -> Proxy, scheme: &str) {
    let place = Place::new();
    let token = place.token("alice");
    let server = Server::start(&place, &[&NO_LIMITS[..], &["--proxy", "127.0.0.1"]].concat());
    server.until("/h/api/v1/standings", |_| true);
    let proxy = start(&place, &server);
    let origin = format!("Origin: http://{}", proxy.address);
    // A visitor's own claim does not count.
    for claim in ["", "\r\nX-Forwarded-Proto: gopher", "\r\nX-Forwarded-Proto: https"] {
        let page = proxy.ask(&server, "127.0.0.2", &format!("GET /h/submit HTTP/1.1{claim}"), b"").text();
        let due = format!("referee hill submit {scheme}://{}/h ./mybot", proxy.address);
        assert!(page.contains(&due), "{claim}: {page}");
    }

    let events = server.connect_to(proxy.address, "127.0.0.2");
    (&events).write_all(b"GET /h/api/v1/events HTTP/1.1\r\nHost: h\r\n\r\n").expect("sent");
    let mut lines = BufReader::new(events).lines();
    let mut next = || {
        let is_event = |line: &String| line.starts_with("data:");
        lines.by_ref().map(|line| line.expect("an event in time")).find(is_event).expect("an event")
    };
    assert!(next().contains("\"games\":0"));
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    while next().contains("\"games\":0") {}

    let post = format!("POST /h/api/v1/bots?name=mybot HTTP/1.1\r\nAuthorization: Bearer {token}");
    let reply = proxy.ask(&server, "127.0.0.2", &format!("{post}\r\n{origin}"), &good());
    assert_eq!(reply.status, 202, "{}", reply.text());
    let reply = proxy.ask(&server, "127.0.0.2", &post, &vec![b'.'; 18 << 20]);
    assert_eq!(reply.status, 413, "{}", reply.text());

    // A visitor's own claim does not count: the proxy's header does.
    let guess = |from: &str, said: usize| {
        let head = format!(
            "GET /h HTTP/1.1\r\nAuthorization: Bearer guess\r\nX-Forwarded-For: 192.0.2.{said}, 192.0.2.{said}"
        );
        proxy.ask(&server, from, &head, b"").status
    };
    let all: Vec<u16> = (1..=12).map(|said| guess("127.0.0.2", said)).collect();
    assert_eq!(all[..10], [401; 10]);
    assert_eq!(all[10..], [429; 2], "one visitor, whatever it says");
    assert_eq!(guess("127.0.0.3", 1), 401, "another visitor is not kept waiting");

    // Nor does it count from another address than the proxy's.
    let all: Vec<u16> = (1..=12)
        .map(|said| {
            let mut stream = server.connect("127.0.0.9");
            let head = format!(
                "GET /h HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: Bearer guess\r\n\
                 X-Forwarded-For: 192.0.2.{said}\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).expect("sent");
            Reply::read(&mut stream).status
        })
        .collect();
    assert_eq!(all[10..], [429; 2]);
}
