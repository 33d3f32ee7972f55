//! A report shows what a server shows: the same pages, but for links and what lives.

use std::fs;

use crate::support::{Place, Server};
use crate::tournaments::{self, serve};

/// Returns a part of a page without the addresses of its links. Times of the server are those of a script.
fn part(page: &str, from: &str, to: &[&str]) -> String {
    let (_, page) = page.split_once(from).unwrap_or_else(|| panic!("no {from}: {page}"));
    let end = to.iter().filter_map(|to| page.find(to)).min().expect("an end");
    let mut parts = page[..end].split(" href=\"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('"').expect("the end of a link").1)
}

/// Returns what a page of a contest shows of its results. A report lists other games: those that are notable, too.
fn results(page: &str) -> String {
    part(
        page,
        "<main",
        &[
            "<section class=\"wide\"><h2>Latest games",
            "<section><details open",
            "<section><details>",
            "<section class=\"wide\" aria-labelledby=\"part",
        ],
    )
    .split_once('>')
    .expect("the start of the content")
    .1
    .to_owned()
}

/// Returns what a bot's page shows of it but for its programs and games.
fn standing(page: &str) -> String {
    let all = part(page, "<section><h2>", &["<section><h2>Versions", "<section><h2>Latest games"]);
    // A report has read the logs.
    all.split("<p class=\"small\">Thinking time")
        .next()
        .expect("a part")
        .trim_end_matches("</section>")
        .to_owned()
}

fn assert_same(place: &Place, server: &Server, name: &str, bots: &[&str]) {
    place.referee(&["report", name, "--html", "report"]);
    let file = |file: &str| fs::read_to_string(place.path("report").join(file)).expect("a page");
    let (live, still) = (server.get(&format!("/{name}")).text(), file("index.html"));
    assert!(results(&live).contains("Standings, best first"), "{live}");
    assert_eq!(results(&live), results(&still), "{name}");
    for (bot, number) in bots.iter().zip(1..) {
        let live = server.get(&format!("/{name}/bots/{bot}")).text();
        let still = file(&format!("bots/{number}-{bot}.html"));
        assert!(standing(&live).contains("Against each opponent"), "{live}");
        assert_eq!(standing(&live), standing(&still), "{name}: {bot}");
    }
}

#[test]
fn a_report_of_a_hill_has_the_standings_and_the_bots_of_the_live_pages() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "12"]);
    let server = Server::start(&place, &[]);
    server.until_games();
    assert_same(&place, &server, "h", &["random", "homeward", "reader"]);
    // A second season, told by what began it; the report is made anew, and then goes on from itself.
    place.referee(&["hill", "submit", "h", "planner", "--name", "late"]);
    for rounds in [2, 1, 12] {
        place.referee(&["hill", "run", "h", "--rounds", &rounds.to_string()]);
        let results = fs::read_to_string(place.path("h/results.csv")).expect("the results");
        let mut games: Vec<&str> = results.lines().skip(1).filter_map(|row| row.split(',').next()).collect();
        games.dedup();
        tournaments::until(&server, "h", games.len());
        assert_same(&place, &server, "h", &["random", "homeward", "reader", "late"]);
    }
    let page = fs::read_to_string(place.path("report/index.html")).expect("a page");
    assert!(page.contains("since late came (season 2)") && page.contains(">season 1<"), "{page}");
    server.stop();
}

#[test]
fn so_has_a_report_of_a_tournament_with_matches_and_of_one_with_sub_tournaments() {
    let place = Place::new();
    tournaments::knock(&place);
    tournaments::sets(&place);
    for name in ["knock", "sets"] {
        place.referee(&["tournament", "run", "--dir", name, "--quiet"]);
    }
    let server = serve(&place, &["knock", "sets"]);
    for (name, games) in [("knock", 4), ("sets", 16)] {
        tournaments::until(&server, name, games);
    }
    assert_same(&place, &server, "knock", &["still", "chaser", "planner"]);
    assert_same(&place, &server, "sets", &["random", "greedy", "sweeper", "still"]);
    server.stop();
}
