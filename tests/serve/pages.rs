//! Pages for people.

use std::collections::BTreeMap;

use referee_record::text::apart;

use crate::support::{Place, Reply, Server};

/// Maximum size of a page, unpacked, in bytes.
const PAGE_MAX: usize = 60 << 10;

#[test]
fn every_page_is_small_asks_nobody_else_and_has_a_strict_policy() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "12"]);
    let server = Server::start(&place, &[]);
    server.until_games();
    let game = "s001-r00001-t001-g1";
    let pages = [
        ("/", "King of the hill"),
        ("/h", "Standings, best first"),
        ("/h/games", "watch"),
        ("/h/games?bot=random&opponent=reader", "s001-r"),
        ("/h/games?fault=late", "No such game"),
        ("/", "reader</a>"),
        (&*format!("/h/games/{game}"), "longest ms"),
        (&*format!("/h/games/{game}"), "/picture.png\""),
        ("/h/bots/random", "Against each opponent"),
        ("/h/rules", "mybot"),
        (&*format!("/h/games/{game}"), "</span>."),
        (&*format!("/h/games/{game}"), "<time datetime="),
        ("/h", "turns=20"),
        ("/h/wall", "The closest of the last games"),
        ("/h/submit", "multipart/form-data"),
        ("/nowhere", "no such hill"),
    ];
    for (path, has) in pages {
        let reply = server.get(path);
        let text = reply.text();
        assert_eq!(reply.status, if path == "/nowhere" { 404 } else { 200 }, "{path}: {text}");
        assert!(text.to_lowercase().contains(&has.to_lowercase()), "{path}: no {has:?} in {text}");
        // The rules are from the book, with any length.
        assert!(reply.body.len() <= PAGE_MAX || path == "/h/rules", "{path}: {} bytes", reply.body.len());
        let policy = reply.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'; style-src 'self'; script-src 'self'"), "{policy}");
        assert!(
            !text.contains("<style") && !text.contains(" style=") && !text.contains("<script>"),
            "{path}"
        );
        for link in text.split(['"', '\'']).filter(|word| word.contains("://")) {
            let is_own = link.contains(&format!("://{}", server.address));
            assert!(is_own || path == "/h/rules", "{path} leads elsewhere: {link}");
        }
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{path}");
    }
    // A page of a refusal leads back.
    for (path, leads) in
        [("/h/nothing", true), ("/h/games/nothing", true), ("/nowhere", false), ("/h2", false)]
    {
        let reply = server.get(path);
        assert_eq!(reply.status, 404, "{path}");
        assert_eq!(reply.text().contains("<a href=\"/h\">The standings</a>"), leads, "{path}");
        assert_eq!(reply.text().contains("<nav aria-label=\"Hill\">"), leads, "{path}");
    }
    // One that a token would open leads to where one signs in. Nobody is led to one.
    let refused = server.get("/h/host");
    assert_eq!(refused.status, 401);
    for part in [
        "<a href=\"/h/account\">Sign in with a token</a>",
        "<h1>Sign in first</h1>",
        ">This page is for hosts",
    ] {
        assert!(refused.text().contains(part), "{part}: {}", refused.text());
    }
    assert!(!server.get(&format!("/h/games/{game}")).text().contains("/stderr/"), "it is for authors");
    // The settings are on the first page alone, a click away.
    for path in ["/h/games", "/h/bots/random", "/h/submit", &format!("/h/games/{game}")] {
        assert!(!server.get(path).text().contains("turns=20"), "{path}");
    }
    let first = server.get("/h").text();
    let before = first.split_once("turns=20").expect("the settings").0;
    assert_eq!(before.matches("<details").count(), before.matches("</details>").count() + 1, "{first}");
    let replay = server.get(&format!("/h/games/{game}/replay"));
    assert_eq!(replay.status, 200);
    assert!(replay.text().contains("default-src 'none'; script-src 'sha256-"), "its own policy");
    let links = replay.text();
    let links = links.split_once("<nav class=\"links\"").and_then(|(_, rest)| rest.split_once("</nav>"));
    let links = links.expect("links to the contest").0;
    for address in ["/h".to_owned(), format!("/h/games/{game}"), "/h/bots/reader".to_owned()] {
        assert!(links.contains(&format!("<a href=\"{address}\">")), "{address}: {links}");
    }
    let style = server.get("/h").text();
    let style = style.split('"').find(|word| word.ends_with(".css")).expect("a style").to_owned();
    assert!(server.get(&style).header("cache-control").is_some_and(|cache| cache.contains("immutable")));
}

#[test]
fn a_chat_finds_a_picture_of_the_game_at_the_address_that_the_host_has_named() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "2"]);
    let picture = |text: &str| {
        let rest = text.split_once("property=\"og:image\" content=\"")?.1;
        Some(rest.split_once('"').expect("its end").0.to_owned())
    };
    let server = Server::start(&place, &["--address", "https://bots.example.org/"]);
    server.until_games();
    let game = "s001-r00001-t001-g1";
    let due = format!("https://bots.example.org/h/games/{game}/picture.png");
    let page = server.get(&format!("/h/games/{game}")).text();
    assert_eq!(picture(&page).as_deref(), Some(&*due));
    let told = page.split_once("og:description\" content=\"").expect("a description").1;
    assert!(told.starts_with("1. ") && told.contains("reader"), "{page}");
    // A bot and the hill have their last game; what has no game has no picture.
    let last = "https://bots.example.org/h/games/s001-r00002-t001-g1/picture.png";
    for path in ["/h", "/h/bots/random"] {
        assert_eq!(picture(&server.get(path).text()).as_deref(), Some(last), "{path}");
    }
    assert_eq!(picture(&server.get("/h/submit").text()), None);
    let reply = server.get(&format!("/h/games/{game}/picture.png"));
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("image/png")));
    // The size is in the header of the picture, and in the page.
    assert!(reply.body.starts_with(b"\x89PNG\r\n\x1a\n"));
    let number = |at: usize| u32::from_be_bytes(reply.body[at..at + 4].try_into().expect("four bytes"));
    for (name, at) in [("width", 16), ("height", 20)] {
        assert!(page.contains(&format!("og:image:{name}\" content=\"{}\"", number(at))), "{page}");
    }
    assert!(reply.body.len() <= 40 << 10, "{} bytes", reply.body.len());
    assert_eq!(server.get("/h/games/nothing/picture.png").status, 404);
    drop(server);
    // Without an address, the address of the picture has no server.
    let server = Server::start(&place, &[]);
    server.until_games();
    assert_eq!(
        picture(&server.get(&format!("/h/games/{game}")).text()),
        Some(format!("/h/games/{game}/picture.png"))
    );
}

#[test]
fn the_wall_has_places_names_and_results_in_order_and_follows_them() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    server.until_status("/h", 200);
    let empty = server.get("/h/wall").text();
    assert!(empty.contains("No game has been played yet") && !empty.contains("<iframe"), "{empty}");
    assert!(
        ["random", "homeward", "reader"].iter().all(|bot| empty.contains(bot)),
        "who waits is there: {empty}"
    );
    assert!(server.get("/h/games").text().contains("No game has been played yet"));
    assert!(!server.get("/h").text().contains("results.csv"), "there are no results yet");
    place.referee(&["hill", "run", "h", "--rounds", "3"]);
    server
        .until("/h/api/v1/standings", |sheet| sheet["rows"].as_array().is_some_and(|rows| !rows.is_empty()));
    let wall = server.get("/h/wall").text();
    let (_, list) = wall.split_once("<ol class=\"wall\">").expect("a list");
    let (list, _) = list.split_once("</ol>").expect("its end");
    let standings = server.get("/h/api/v1/standings?format=csv").text();
    let mut lines = standings.lines();
    let head: Vec<&str> = lines.next().expect("a head").split(',').collect();
    let bot = head.iter().position(|column| *column == "bot").expect("a column");
    let due = lines.map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        cells[bot].to_owned()
    });
    let found = list.split("<li>").skip(1).map(|item| {
        let part = |from: &str, to: &str| {
            item.split_once(from).and_then(|(_, rest)| rest.split_once(to)).expect(from).0.to_owned()
        };
        (part("<span class=\"bot\">", "<"), part("<b>", "<"))
    });
    let (names, results): (Vec<String>, Vec<String>) = found.unzip();
    assert_eq!(names, due.collect::<Vec<_>>());
    // The results have the digits of the first page.
    let first = server.get("/h").text();
    let of_first =
        first.split("<td class=\"n result\">").skip(1).map(|rest| rest.split('<').next().expect("a result"));
    assert_eq!(results, of_first.collect::<Vec<_>>());
    // The game is the closest one by the scores of its first two seats. Its page may be in a frame, and no other may.
    let games = server.json("/h/api/v1/games?limit=1000");
    let mut scores: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for row in games["rows"].as_array().expect("rows") {
        let game = row["game"].as_str().expect("a game").to_owned();
        scores.entry(game).or_default().push(row["score"].as_i64().expect("a score"));
    }
    let margins = scores.iter_mut().map(|(game, scores)| {
        scores.sort_by_key(|score| std::cmp::Reverse(*score));
        (scores[0] - scores[1], game)
    });
    let margins: Vec<(i64, &String)> = margins.collect();
    let least = margins.iter().map(|(margin, _)| margin).min().expect("games");
    let frame = wall
        .split_once("<iframe class=\"wall\" src=\"")
        .expect("a game")
        .1
        .split('"')
        .next()
        .expect("an end");
    let shown =
        frame.strip_suffix("/replay#wall").and_then(|page| page.strip_prefix("/h/games/")).expect("a replay");
    assert!(margins.iter().any(|(margin, game)| margin == least && *game == shown), "{shown}: {margins:?}");
    let replay = server.get(&format!("/h/games/{shown}/replay"));
    assert_eq!(replay.header("x-frame-options"), Some("SAMEORIGIN"));
    assert!(replay.header("content-security-policy").expect("a policy").contains("frame-ancestors 'self'"));
    // A browser that asks whether its copy is current hears the replay's policy, and no other, which would end its
    // script.
    let tag = replay.header("etag").expect("a tag");
    let again = server.ask("GET", &format!("/h/games/{shown}/replay"), &[("if-none-match", tag)], b"");
    let policies =
        |reply: &Reply| reply.headers("content-security-policy").map(str::to_owned).collect::<Vec<_>>();
    assert_eq!((again.status, policies(&again).len()), (304, 1));
    assert_eq!(policies(&again), policies(&replay));
    // What is said instead of a replay stands in the frame, too.
    let gone = server.get("/h/games/s009-r00001-t001-g1/replay");
    assert_eq!((gone.status, gone.header("x-frame-options")), (404, Some("SAMEORIGIN")));
    for path in ["/h", "/h/wall", "/h/account", "/h/submit", "/nowhere"] {
        let reply = server.get(path);
        assert_eq!(reply.header("x-frame-options"), Some("DENY"), "{path}");
        assert!(
            reply.header("content-security-policy").expect("a policy").contains("frame-ancestors 'none'")
        );
    }
    // It follows the results as the standings do, and has none of their numbers.
    assert!(wall.contains("data-events=\"/h/api/v1/events\"") && !wall.contains("interval"), "{wall}");
}

#[test]
fn a_season_is_told_with_its_own_games_alone_and_a_name_from_right_to_left_is_set_apart() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "2"]);
    let name = "\u{5d1}\u{5d5}\u{5d8}";
    place.referee(&["hill", "submit", "h", "planner", "--name", name]);
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    let results = std::fs::read_to_string(place.path("h/results.csv")).expect("results");
    let mut games: Vec<&str> = results.lines().filter_map(|row| row.split(',').next()).collect();
    games.retain(|game| game.starts_with("s002-"));
    games.dedup();
    let server = Server::start(&place, &[]);
    server.until_games();
    let due = format!("1 round, {} game", games.len());
    for path in ["/h", "/h/wall"] {
        let text = server.get(path).text();
        assert!(
            text.contains(&format!("{due} since \u{2068}{name}\u{2069} came (season 2)")),
            "{path}: {text}"
        );
    }
    // The course ends at the places of the table beside it, though that counts games of the season before.
    let first = server.get("/h").text();
    assert!(first.contains("games of earlier seasons count"), "{first}");
    let now =
        first.split_once("Places over time. Now: ").expect("a chart").1.split_once(".\"").expect("its end").0;
    let rows = server.json("/h/api/v1/standings")["rows"].clone();
    let due: Vec<String> = rows
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| format!("{} {}", apart(row["bot"].as_str().expect("a name")), row["place"]))
        .collect();
    assert_eq!(now, due.join(", "));
    for path in ["/h", "/h/wall", "/h/games", &format!("/h/games/{}", games[0])] {
        let text = server.get(path).text();
        assert!(text.contains(&format!("<bdi>{name}</bdi>")), "{path}: {text}");
        assert!(!text.contains(&format!(">{name}</a>")), "{path}: {text}");
    }
    let replay = server.get(&format!("/h/games/{}/replay", games[0])).text();
    let about = replay
        .split_once("<noscript>")
        .and_then(|(_, rest)| rest.split_once("</noscript>"))
        .expect("a text")
        .0;
    assert!(about.contains(&format!("\u{2068}{name}\u{2069}")), "{about}");
}

#[test]
fn games_are_listed_page_by_page_without_a_gap() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "60"]);
    let server = Server::start(&place, &[]);
    server.until_games();
    let (mut path, mut games) = ("/h/games".to_owned(), Vec::new());
    for _ in 0..5 {
        let text = server.get(&path).text();
        let rows = text.split("th scope=\"row\"").skip(1);
        games.extend(rows.map(|row| row.split("/games/").nth(1).expect("a game")[..19].to_owned()));
        let Some(older) = text.split("href=\"").find(|rest| rest.contains("rel=\"next\"")) else { break };
        path = older.split('"').next().expect("an address").replace("&amp;", "&");
    }
    let results = std::fs::read_to_string(place.path("h/results.csv")).expect("results");
    let mut due: Vec<&str> = results.lines().skip(1).filter_map(|row| row.split(',').next()).collect();
    due.dedup();
    due.reverse();
    assert_eq!(games, due, "newest first");
}

#[test]
fn games_are_found_by_how_they_ended() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "4"]);
    let server = Server::start(&place, &[]);
    server.until_games();
    let games = |query: &str| {
        let found = server.json(&format!("/h/api/v1/games?limit=1000{query}"));
        let rows = found["rows"].as_array().expect("rows").clone();
        let mut games: Vec<String> =
            rows.iter().map(|row| format!("{} {}", row["game"], row["end"])).collect();
        games.dedup();
        games
    };
    let all = games("");
    for end in ["turns", "over", "other"] {
        let due: Vec<&String> = all.iter().filter(|game| game.ends_with(&format!(" \"{end}\""))).collect();
        assert_eq!(games(&format!("&end={end}")).iter().collect::<Vec<_>>(), due, "{end}");
    }
    let page = server.get("/h/games?end=turns&bot=reader").text();
    assert!(page.contains("<option value=\"turns\" selected>turns</option>"), "{page}");
    // What is asked for is in the form, and nothing else is hidden in it.
    let page = server.get("/h/games?bot=random&version=1&since=2026-01-01&until=2099-12-31T00:00:00Z").text();
    for (name, value) in
        [("bot", "random"), ("version", "1"), ("since", "2026-01-01"), ("until", "2099-12-31T00:00:00Z")]
    {
        assert!(page.contains(&format!("id=\"{name}\" name=\"{name}\" value=\"{value}\"")), "{name}: {page}");
    }
    assert!(!page.contains("type=\"hidden\""), "{page}");
}

#[test]
fn a_private_hill_shows_nothing_without_a_token() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    let token = place.token("alice");
    let server = Server::start(&place, &["--private"]);
    let paths =
        ["/h", "/%68", "/h/games", "/h/api/v1/standings", "/%68/api/v1/results.csv", "/h/api/v1/records.tar"];
    for path in paths.into_iter().chain(["/h/api/v1/events", "/h/rules", "/h/submit", "/h/submissions/1-0"]) {
        let reply = server.get(path);
        assert_eq!(reply.status, 401, "{path}: {}", reply.text());
        assert!(reply.header("www-authenticate").is_some_and(|how| how.starts_with("Basic")), "{path}");
        assert!(!reply.text().contains("homeward"), "{path}");
    }
    assert_eq!(server.get("/").status, 404, "nor is it shown elsewhere");
    let bearer = format!("Bearer {token}");
    assert_eq!(server.ask("GET", "/h", &[("Authorization", &bearer)], b"").status, 200);
    place.referee(&["hill", "invite", "h", "alice", "--revoke"]);
    assert_eq!(server.ask("GET", "/h", &[("Authorization", &bearer)], b"").status, 401, "withdrawn");
}
