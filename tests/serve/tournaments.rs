//! Tournaments on the web: the same pages as a hill's, without a door.

use std::fs;

use crate::support::{Place, Server, said};

/// Writes the file of a tournament of house bots, and plans it in a folder of its name.
pub(crate) fn plan(place: &Place, name: &str, game: &str, format: &str, parameters: &str, bots: &[&str]) {
    let entrant = |bot: &&str| format!("[[entrant]]\nname = \"{bot}\"\nprogram = \"house:{bot}\"\n");
    let entrants: String = bots.iter().map(entrant).collect();
    let file = format!(
        "name = \"{name}\"\ngame = \"{game}\"\nseed = \"5\"\nbatch = 6\n[parameters]\n{parameters}\n[format]\n{format}\n{entrants}"
    );
    fs::write(place.path(&format!("{name}.toml")), file).expect("a file");
    place.referee(&["tournament", "plan", &format!("{name}.toml"), "--dir", name]);
}

fn autumn(place: &Place) {
    let bots = ["random", "homeward", "reader", "planner"];
    plan(place, "autumn", "push", "kind = \"rounds\"\nrounds = 4", "turns = 10", &bots);
}

/// A cup of three bots: a bye, a semifinal and the final.
pub(crate) fn knock(place: &Place) {
    let bots = ["still", "chaser", "planner"];
    plan(place, "knock", "foosball", "kind = \"knockout\"\nblocks = 1", "", &bots);
}

/// Two sub-tournaments.
pub(crate) fn sets(place: &Place) {
    let bots = ["random", "greedy", "sweeper", "still"];
    plan(
        place,
        "sets",
        "football",
        "kind = \"rounds\"\nrounds = 2",
        "p = [2, 3]\nk = [2, 3]\nmax_turns = 30",
        &bots,
    );
}

/// Returns what a reader of a page sees, in small letters.
fn words_of(page: &str) -> String {
    let words = page.split('<').map(|part| part.split_once('>').map_or("", |(_, words)| words));
    words.collect::<Vec<&str>>().join(" ").to_lowercase()
}

pub(crate) fn serve(place: &Place, folders: &[&str]) -> Server {
    Server::of(place.command(&[&["serve"], folders, &["--listen", "127.0.0.1:0"]].concat()))
}

/// Waits until a tournament is shown with this number of games.
pub(crate) fn until(server: &Server, name: &str, games: usize) {
    let mut seats = 0;
    let wait = format!("/{name}/api/v1/games?limit=1000");
    server.until(&wait, |table| {
        let rows = table["rows"].as_array().expect("rows");
        let known: std::collections::BTreeSet<&str> =
            rows.iter().filter_map(|row| row["game"].as_str()).collect();
        let seated = rows.iter().filter_map(|row| Some((row["game"].as_str()?, row["bot"].as_str()?)));
        seats = seated.collect::<std::collections::BTreeSet<_>>().len() as u64;
        known.len() == games
    });
    // Standings are made after the list of games.
    server.until(&format!("/{name}/api/v1/standings"), |table| {
        let rows = table["rows"].as_array().expect("rows");
        rows.iter().filter_map(|row| row["games"].as_u64()).sum::<u64>() == seats
    });
}

#[test]
fn a_tournament_is_shown_as_a_hill_is_while_it_is_played_and_has_no_door() {
    let place = Place::new();
    autumn(&place);
    let server = serve(&place, &["autumn", "h"]);
    server.until_status("/autumn", 200);
    let first = server.get("/autumn").text();
    for part in
        ["No game has been played yet", "4 bots so far", "referee tournament run autumn", "Its field: 4 bots"]
    {
        assert!(first.contains(part), "{part}: {first}");
    }
    for bot in ["random", "homeward"] {
        assert!(server.get(&format!("/autumn/bots/{bot}")).text().contains("Version 1"));
    }
    place.referee(&["tournament", "run", "--dir", "autumn", "--quiet"]);
    let games = 24;
    until(&server, "autumn", games);

    let game = "s001-r00001-t001-g1";
    for (path, has) in [
        ("/", "24 of 24 games"),
        ("/autumn", "24 of 24 games"),
        ("/autumn", "Standings, best first"),
        ("/autumn", "Places over time"),
        ("/autumn", "Who finishes before whom"),
        ("/autumn", "<nav aria-label=\"Tournament\">"),
        ("/autumn/games?bot=random&opponent=reader", "s001-r"),
        ("/autumn/games?round=2", "s001-r00002"),
        (&*format!("/autumn/games/{game}"), "longest ms"),
        (&*format!("/autumn/games/{game}"), "</time>, round 1<"),
        (&*format!("/autumn/games/{game}/replay"), "<title>"),
        ("/autumn/bots/planner", "Against each opponent"),
        ("/autumn/wall", "24 of 24 games"),
        ("/autumn/live", "A game of a tournament is shown when it has ended"),
        ("/autumn/rules", "mybot"),
    ] {
        let reply = server.get(path);
        assert_eq!(reply.status, 200, "{path}");
        let text = reply.text();
        assert!(text.contains(has), "{path}: no {has:?} in {text}");
        // The rules are those of the book, and the first page has a hill, too.
        if path != "/" && path != "/autumn/rules" && !path.ends_with("/replay") {
            let words = words_of(&text);
            for word in ["season", "hill", "submit", "your bots"] {
                assert!(!words.contains(word), "{path}: {word:?} in {words}");
            }
        }
    }
    // The tables for programs are those that the command line prints.
    let standings = server.get("/autumn/api/v1/standings?format=csv").text();
    let printed = place.referee(&["tournament", "standings", "autumn", "--set", "1", "--format", "csv"]);
    assert_eq!(standings, printed);
    let results = fs::read_to_string(place.path("autumn/results.csv")).expect("the results");
    assert_eq!(server.get("/autumn/api/v1/results.csv").text(), results);
    assert_eq!(server.json("/autumn/api/v1/bots")["rows"].as_array().map(Vec::len), Some(4));

    // What is for those who submit bots is not there, with any method, and says why.
    let token = place.token("mallory");
    for (method, path) in [
        ("GET", "/autumn/submit"),
        ("GET", "/autumn/account"),
        ("GET", "/autumn/host"),
        ("GET", "/autumn/submissions/1-0"),
        ("GET", "/autumn/api/v1/submissions/1-0"),
        ("GET", &*format!("/autumn/api/v1/games/{game}/stderr/0")),
        ("POST", "/autumn/submit"),
        ("POST", "/autumn/api/v1/bots?name=fox"),
        ("POST", "/autumn/account"),
        ("POST", "/autumn/account/leave"),
        ("POST", "/autumn/host"),
        ("POST", "/autumn/bots/random/withdraw"),
    ] {
        let reply =
            server.ask(method, path, &[("authorization", &format!("Bearer {token}"))], b"#!/bin/sh\n");
        assert!(reply.status == 404 || reply.status == 401, "{method} {path}: {}", reply.status);
        let reply = server.ask(method, path, &[], b"#!/bin/sh\n");
        assert_eq!(reply.status, 404, "{method} {path}: {}", reply.text());
        assert!(reply.text().contains("its bots are those of its plan"), "{method} {path}: {}", reply.text());
    }
    assert!(!place.path("autumn/inbox").exists(), "a server writes nothing into a tournament");
    assert_eq!(server.get("/h").status, 200, "the hill beside it is served, too");
    // Results that were read and are gone are not taken for none. Where runners of other machines keep no list, there
    // are logs before there is one.
    fs::rename(place.path("autumn/results.csv"), place.path("autumn/away")).expect("lost");
    server.until_status("/autumn", 503);
    server.stop();
    let server = serve(&place, &["autumn"]);
    server.until_status("/autumn", 200);
    assert!(server.get("/autumn").text().contains("No game has been played yet"));
    fs::rename(place.path("autumn/away"), place.path("autumn/results.csv")).expect("found");
    until(&server, "autumn", games);
    server.stop();

    let run = place.command(&["serve", "autumn", "--run", "3", "--listen", "127.0.0.1:0"]).output();
    let run = said(&run.expect("referee"));
    assert!(run.contains("--run plays rounds of hills, and there is none"), "{run}");
    let private = place
        .command(&["serve", "autumn", "--private", "--listen", "127.0.0.1:0"])
        .output()
        .expect("referee");
    assert!(
        said(&private).contains("a tournament has no accounts: leave --private out"),
        "{}",
        said(&private)
    );
}

#[test]
fn matches_decide_the_order_on_the_pages_of_a_cup_and_sub_tournaments_are_shown_each() {
    let place = Place::new();
    knock(&place);
    sets(&place);
    let server = serve(&place, &["knock", "sets"]);
    for (name, games) in [("knock", 4), ("sets", 16)] {
        place.referee(&["tournament", "run", "--dir", name, "--quiet"]);
        until(&server, name, games);
    }
    let cup = server.get("/knock").text();
    for part in [
        "Round 2, 4 games",
        "wins the cup",
        "The bracket",
        "Semifinals",
        "The matches decide the place",
        ">bye<",
    ] {
        assert!(cup.contains(part), "{part}: {cup}");
    }
    let front = words_of(&server.get("/").text());
    assert!(front.contains("wins the cup") && front.contains("16 of 16 games"), "{front}");
    assert!(!front.contains("no game has been played yet") && !front.contains("in all"), "{front}");
    assert_eq!(server.get("/knock/proof/1/2").status, 404, "nothing is signed");
    let words = words_of(&cup);
    assert!(!words.contains("places over time") && !words.contains(" leads"), "{words}");
    let winner = cup.split_once(" wins the cup").and_then(|(before, _)| before.rsplit('>').next());
    let first = server.json("/knock/api/v1/standings")["rows"][0]["bot"].as_str().map(str::to_owned);
    assert_eq!(first.as_deref(), winner);

    let both = server.get("/sets").text();
    for part in [
        "Sub-tournament 1: k = 2, p = 2",
        "Sub-tournament 2: k = 3, p = 3",
        "16 of 16 games",
        "over the sub-tournaments",
    ] {
        assert!(both.contains(part), "{part}: {both}");
    }
    let printed = place.referee(&["tournament", "standings", "sets", "--format", "csv"]);
    assert_eq!(server.get("/sets/api/v1/standings?format=csv").text(), printed);
    // Parameters that all have in common are told, too.
    assert_eq!(both.matches("max_turns=30").count(), 2, "{both}");
    let game = server.get("/sets/games/s002-r00001-t001-g1").text();
    assert!(game.contains(", sub-tournament 2, round 1<"), "{game}");
    assert!(server.get("/sets/bots/greedy").text().contains("Sub-tournament 2: k = 3, p = 3"));
    server.stop();
}
