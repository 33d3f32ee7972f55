//! A server's knowledge of the games: read once, stored for the next start, and never wrong.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::support::{Place, Server, program};

/// Everything that a server shows of the games.
fn shown(server: &Server) -> Vec<String> {
    let pages = ["/h", "/h/games", "/h/bots/random", "/h/bots/fresh", "/h/api/v1/games?limit=1000"];
    let pages = pages.into_iter().chain(["/h/api/v1/standings", "/h/api/v1/standings?format=csv"]);
    // The number of a state counts the looks of a server, and another one has had others.
    let without = |page: String| match page.split_once(" data-number=\"") {
        Some((before, rest)) => {
            before.to_owned() + rest.trim_start_matches(|digit: char| digit.is_ascii_digit())
        }
        None => page,
    };
    pages.map(|path| without(server.get(path).text())).collect()
}

fn until_games(server: &Server, games: usize) {
    // The list of hills has the number of all games; if there are earlier seasons, behind that of this one.
    let told = [format!(", {games} games. "), format!(" of {games} in all. ")];
    server.until_reply("/", |reply| told.iter().any(|told| reply.text().contains(told)));
}

fn games(place: &Place) -> usize {
    let results = fs::read_to_string(place.path("h/results.csv")).expect("results");
    let names: BTreeSet<&str> = results.lines().skip(1).filter_map(|row| row.split(',').next()).collect();
    names.len()
}

/// Continues with one more bot: a new season.
fn next_season(place: &Place) {
    let bot = place.path("fresh");
    fs::copy(program("push-random"), &bot).expect("a bot");
    place.referee(&["hill", "submit", "h", "./fresh"]);
    place.referee(&["hill", "run", "h", "--rounds", "5"]);
}

#[test]
fn standings_that_grew_game_by_game_are_those_of_all_games_at_once() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    for _ in 0..3 {
        place.referee(&["hill", "run", "h", "--rounds", "4"]);
        server.until_games();
    }
    next_season(&place);
    let played = games(&place);
    until_games(&server, played);
    let grown = shown(&server);
    assert!(
        grown[2].contains("Before the field changed") && !grown[3].contains("Before the field changed"),
        "{}",
        grown[2]
    );
    server.kill();
    fs::remove_file(place.path("h/inbox/index.json")).expect("it is kept while the server runs, too");
    let server = Server::start(&place, &[]);
    until_games(&server, played);
    assert_eq!(shown(&server), grown);
}

#[test]
fn the_next_server_starts_with_what_was_kept_and_sees_each_change() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "12"]);
    let server = Server::start(&place, &[]);
    server.until_games();
    let before = shown(&server);
    server.stop();

    // A change that leaves no trace in length and time: only reading the file finds it.
    let file = place.path("h/results.csv");
    let (whole, time) = (fs::read_to_string(&file).expect("results"), modified(&file));
    let changed = whole.replacen(",homeward,1,", ",homeware,1,", 1);
    assert!(changed != whole && changed.len() == whole.len());
    fs::write(&file, &changed).expect("results");
    touch(&file, time);
    let server = Server::start(&place, &[]);
    server.until_games();
    assert_eq!(shown(&server)[5..], before[5..], "nothing was read");
    server.stop();

    touch(&file, time + Duration::from_secs(1));
    let mut server = Server::start(&place, &[]);
    server.until_status("/h", 503);
    let line = server.next_line();
    assert!(line.contains("was changed"), "{line}");
    server.stop();

    fs::write(&file, &whole).expect("results");
    for damage in [&b""[..], b"{}", b"[1, 2"] {
        fs::write(place.path("h/inbox/index.json"), damage).expect("the index");
        let server = Server::start(&place, &[]);
        server.until_games();
        assert_eq!(shown(&server), before);
        server.stop();
    }
}

#[test]
fn games_that_were_played_without_a_server_are_added_to_what_was_kept() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "6"]);
    let server = Server::start(&place, &[]);
    server.until_games();
    server.stop();
    next_season(&place);
    let played = games(&place);
    let server = Server::start(&place, &[]);
    until_games(&server, played);
    let added = shown(&server);
    server.kill();
    fs::remove_file(place.path("h/inbox/index.json")).expect("it was kept");
    let server = Server::start(&place, &[]);
    until_games(&server, played);
    assert_eq!(shown(&server), added);

    // Stored results of another hill are not used.
    server.stop();
    let other = Place::new();
    other.referee(&["hill", "run", "h", "--rounds", "30"]);
    for name in ["results.csv", "seasons.csv", "entrants.csv"] {
        fs::copy(other.path("h").join(name), place.path("h").join(name)).expect("a file");
    }
    let server = Server::start(&place, &[]);
    until_games(&server, games(&other));
    let replaced = shown(&server);
    server.kill();
    fs::remove_file(place.path("h/inbox/index.json")).expect("it was kept");
    let server = Server::start(&place, &[]);
    until_games(&server, games(&other));
    assert_eq!(shown(&server), replaced);
}

fn modified(file: &Path) -> SystemTime {
    fs::metadata(file).and_then(|found| found.modified()).expect("its time")
}

fn touch(file: &Path, time: SystemTime) {
    File::options().write(true).open(file).and_then(|file| file.set_modified(time)).expect("its time");
}

#[test]
fn results_that_are_lost_are_no_empty_hill() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "2"]);
    let (results, lost) = (place.path("h/results.csv"), place.path("lost"));
    let mut server = Server::start(&place, &[]);
    server.until_games();
    let host = place.referee(&["hill", "invite", "h", "zoe", "--host"]);
    let host = format!("Bearer {}", host.trim());
    // Why is for the host alone: on its page, and on the server's output.
    let is_trouble = |server: &mut Server, told: &str| {
        server.until_reply("/h", |reply| {
            reply.status == 503 && reply.text().contains("the host sees why on the host's page")
        });
        for path in ["/h", "/h/games", "/h/bots/random", "/h/api/v1/standings"] {
            let reply = server.get(path);
            assert!(reply.status == 503 && !reply.text().contains(told), "{path}: {}", reply.text());
        }
        let line = server.next_line();
        assert!(line.starts_with("The records of h cannot be read: ") && line.contains(told), "{line}");
    };
    let is_seen = |server: &Server, told: &str| {
        let page = server.ask("GET", "/h/host", &[("authorization", &host)], b"");
        assert!(page.status == 200 && page.text().contains(told), "{}", page.text());
    };
    fs::rename(&results, &lost).expect("lost");
    is_trouble(&mut server, "restore it from a copy");
    is_seen(&server, "restore it from a copy");
    // Nor is it for a server that has not seen them.
    drop(server);
    let _ = fs::remove_file(place.path("h/inbox/index.json"));
    let mut server = Server::start(&place, &[]);
    is_trouble(&mut server, "results.csv");
    is_seen(&server, "results.csv");
    fs::rename(&lost, &results).expect("restored");
    server.until_status("/h", 200);
    server.until_games();
    // The whole folder, as when a disk is not mounted.
    fs::rename(place.path("h"), place.path("away")).expect("lost");
    is_trouble(&mut server, "the folder of the hill is missing");
    fs::rename(place.path("away"), place.path("h")).expect("restored");
    server.until_status("/h", 200);
}

#[test]
fn a_hill_whose_first_game_is_played_now_is_shown() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    server.until_status("/h", 200);
    // What a run has written before its first game ends.
    fs::create_dir_all(place.path("h/logs/s001/r00001")).expect("folders");
    fs::write(place.path("h/logs/s001/r00001/s001-r00001-t001-g1.game.csv.part"), "").expect("a part");
    fs::write(place.path("h/seasons.csv"), "").expect("a file");
    fs::remove_file(place.path("h/seasons.csv")).expect("another state of the files");
    assert_eq!(server.get("/h").status, 200);
    assert!(server.get("/h/games").text().contains("No game has been played yet"));
}
