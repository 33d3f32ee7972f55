//! A hill as files: any web server can serve them, and a second export writes only new ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;

use crate::support::{PATIENCE, Place, Reply};

/// Python's web server on a folder.
pub(crate) struct Files {
    child: Child,
    address: SocketAddr,
}

impl Files {
    pub(crate) fn of(folder: &Path) -> Files {
        let mut command = Command::new("python3");
        command.args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory"]).arg(folder);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("python3");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let port = line.split(' ').skip_while(|word| *word != "port").nth(1).expect("a port");
        let address = SocketAddr::from(([127, 0, 0, 1], port.parse().expect("a port")));
        Files { child, address }
    }

    fn get(&self, path: &str) -> Reply {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).expect("sent");
        Reply::read(&mut stream)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the target of a relative link on a page.
fn resolved(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Follows every link from the first page. Returns all addresses.
pub(crate) fn followed(files: &Files) -> BTreeSet<String> {
    let (mut seen, mut left) = (BTreeSet::new(), vec!["/index.html".to_owned()]);
    while let Some(path) = left.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let reply = files.get(&path);
        assert_eq!(reply.status, 200, "{path}");
        if !path.ends_with(".html") {
            continue;
        }
        let mut text = reply.text();
        assert!(text.contains("default-src 'none'"), "{path} has no policy");
        if path.ends_with("-replay.html") {
            // Its script is its own. The links to the contest lead to files.
            let links =
                text.split_once("<nav class=\"links\"").and_then(|(_, rest)| rest.split_once("</nav>"));
            text = links.expect("links").0.to_owned();
            for place in ["index.html", "/bots/", "/games/"] {
                assert!(text.contains(place), "{path}: no link to {place}: {text}");
            }
        }
        assert!(!text.contains("<form") && !text.contains("<script"), "{path} needs a server: {text}");
        for link in [" href=\"", " src=\""].iter().flat_map(|word| text.split(word).skip(1)) {
            let link = link.split('"').next().expect("a link");
            assert!(!link.starts_with('/') && !link.contains("://"), "{path} leads elsewhere: {link}");
            if !link.starts_with(['#', '?']) && !link.starts_with("data:") {
                left.push(resolved(&path, link));
            }
        }
    }
    seen
}

/// Returns the files of a folder, each with the time of its last change.
fn times(folder: &Path) -> BTreeMap<String, SystemTime> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let (path, found) = (entry.path(), entry.metadata().expect("a file"));
        if found.is_dir() {
            all.extend(times(&path));
        } else {
            all.insert(path.to_string_lossy().into_owned(), found.modified().expect("a time"));
        }
    }
    all
}

#[test]
fn every_link_of_an_export_leads_to_a_file_and_the_records_are_audited() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "60"]);
    place.referee(&["serve", "h", "--export", "out"]);
    assert!(!place.path("h/inbox").exists(), "it takes no submissions");
    let files = Files::of(&place.path("out"));
    let seen = followed(&files);
    let results = fs::read_to_string(place.path("h/results.csv")).expect("results");
    let games: BTreeSet<&str> = results.lines().skip(1).filter_map(|row| row.split(',').next()).collect();
    for game in &games {
        for ending in [".html", "-replay.html", ".csv"] {
            let is_it = |path: &&String| path.contains(&format!("/{game}-")) && path.ends_with(ending);
            let found = seen.iter().filter(is_it).count();
            let due = if ending == ".html" { 2 } else { 1 };
            assert_eq!(found, due, "{game}{ending}");
        }
    }
    // All but the last one lead to the next, whichever was written first.
    let all = times(&place.path("out"));
    let replays = all.keys().filter(|path| path.ends_with("-replay.html"));
    let leads = |path: &&String| fs::read_to_string(path).expect("a replay").contains("Next game</a>");
    assert_eq!(replays.filter(leads).count(), games.len() - 1);
    for path in all.keys().filter(|path| path.ends_with(".html")) {
        let page = fs::read_to_string(path).expect("a page");
        let mut anchors = page.split("<a").skip(1).filter(|rest| rest.starts_with(['>', ' ']));
        let dead = anchors.find(|rest| !rest.split('>').next().expect("a start").contains("href="));
        assert_eq!(dead.map(|rest| rest.chars().take(60).collect::<String>()), None, "{path}");
        assert!(!page.contains("Your bots") && !page.contains(">Submit<"), "{path}: nothing is there");
    }
    let csv = files.get("/h/bots/reader-games.csv").text();
    assert!(csv.starts_with("game,") && csv.contains("reader"), "{csv}");
    assert!(seen.contains("/h/bots/reader-games.csv"), "the page of the bot leads there");
    assert!(seen.iter().any(|path| path.starts_with("/h/games/list-")), "older games: {}", games.len());
    for path in ["/h/bots/reader.html", "/h/standings.csv", "/h/starters/python.tar", "/h/rules.html"] {
        assert!(seen.contains(path), "{path}: nothing leads there");
    }
    let page = files.get("/h/index.html").text();
    assert!(page.contains("BASE/records.csv") && !page.contains("records.tar"), "{page}");
    for line in files.get("/h/records.csv").text().lines().skip(1) {
        let (file, address) = line.split_once(',').expect("two columns");
        let target = place.path("records").join(file);
        fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
        fs::write(target, files.get(&format!("/h/{address}")).body).expect("a file");
    }
    place.referee(&["audit", "records"]);
}

#[test]
fn a_second_export_writes_only_what_is_new() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "3"]);
    place.referee(&["serve", "h", "--export", "out"]);
    let first = times(&place.path("out"));
    let told = place.referee(&["serve", "h", "--export", "out"]);
    assert!(told.starts_with("0 files written"), "{told}");
    assert_eq!(times(&place.path("out")), first);
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    place.referee(&["serve", "h", "--export", "out"]);
    let second = times(&place.path("out"));
    let is_changed = |path: &&String| first.get(*path) != second.get(*path);
    let changed: Vec<&String> = second.keys().filter(is_changed).collect();
    let is_of_old_game = |path: &&&String| path.contains("/r0000") && !path.contains("/r00004/");
    // The last of them has a next game now.
    let again: Vec<&&String> = changed.iter().filter(is_of_old_game).collect();
    let [replay] = &again[..] else { panic!("{again:?}") };
    assert!(replay.ends_with("-replay.html"), "{replay}");
    assert!(fs::read_to_string(replay).expect("a replay").contains("Next game</a>"), "{replay}");
    assert!(changed.iter().any(|path| path.contains("/r00004/")), "{changed:?}");
    for path in ["h/index.html", "h/games.html", "h/results.csv"] {
        assert!(changed.iter().any(|changed| changed.ends_with(path)), "{path}: {changed:?}");
    }
    assert!(first.keys().all(|path| second.contains_key(path)), "nothing is removed");
}

#[test]
fn a_game_that_cannot_be_shown_is_named_in_a_sentence() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    let logs: Vec<String> = times(&place.path("h/logs")).into_keys().collect();
    let log = logs.iter().find(|path| path.contains("s001-r00001-t001-g1")).expect("its log");
    fs::write(log, "no log\n").expect("a file");
    let ran = place.command(&["serve", "h", "--export", "out"]).output().expect("referee");
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(!ran.status.success());
    assert!(told.contains("/h/games/s001-r00001-t001-g1/replay: ") && !told.contains('<'), "{told}");
}
