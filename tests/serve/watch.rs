//! The pages as a contest that one can watch: who leads, what has changed, what was played.

use std::fs;

use referee_testutil::support::comes_true;

use crate::support::{Place, Server};

/// Returns the part of a page between two texts.
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    let rest = page.split_once(from).unwrap_or_else(|| panic!("no {from:?} in {page}")).1;
    rest.split_once(to).unwrap_or_else(|| panic!("no {to:?} after {from:?} in {page}")).0
}

/// Waits until the first page has a text.
fn until(server: &Server, text: &str) {
    assert!(comes_true(|| server.get("/h").text().contains(text)), "{text}: {}", server.get("/h").text());
}

/// Returns the row of a bot in the standings.
fn row<'a>(page: &'a str, bot: &str) -> &'a str {
    let board = between(page, "<table class=\"board\">", "</table>");
    board
        .split("<tr>")
        .find(|row| row.contains(&format!("/bots/{bot}\"")))
        .unwrap_or_else(|| panic!("{bot}: {board}"))
}

/// Returns the fill of the mark in a part of a page.
fn colour(part: &str) -> String {
    between(part, "class=\"mark\"", "</svg>").split("fill=\"").nth(1).expect("a fill")[..7].to_owned()
}

#[test]
fn standings_say_who_leads_and_an_admission_does_not_empty_them() {
    let place = Place::new();
    let settings = fs::read_to_string(place.path("h/hill.toml")).expect("the settings");
    let title = "title = \"Cup <1>\"\ntext = \"For you & me.\\n\\nUntil Sunday.\"\n";
    let kept = settings.lines().filter(|line| !line.starts_with("title =") && !line.starts_with("text ="));
    let settings = kept.collect::<Vec<&str>>().join("\n");
    fs::write(place.path("h/hill.toml"), format!("{title}{settings}\n")).expect("the settings");
    let server = Server::start(&place, &["--until", "2126-12-31T23:59:59Z"]);
    let page = server.get("/h").text();
    assert!(page.contains("No game has been played yet") && page.contains("referee hill run h"), "{page}");
    assert!(
        page.contains("<h1>Cup &lt;1&gt;</h1>") && page.contains("<p class=\"lead\">Until Sunday.</p>"),
        "{page}"
    );
    assert!(page.contains("property=\"og:title\" content=\"Standings - Cup &lt;1&gt;\""), "{page}");
    assert!(page.contains("property=\"og:description\" content=\"For you &amp; me.\""), "{page}");
    assert!(page.contains("<span class=\"until\"><time datetime=\"2126-12-31T23:59:59Z\">"), "{page}");

    place.referee(&["hill", "run", "h", "--rounds", "12"]);
    until(&server, "12 rounds");
    let page = server.get("/h").text();
    let lead = between(&page, "<p class=\"lead\">", "<div");
    assert!(page.contains(" leads") || page.contains("has led since round"), "{lead}");
    for bot in ["random", "homeward", "reader"] {
        let row = row(&page, bot);
        // The mark is hidden from readers who hear the name; the interval and the course are told.
        assert_eq!(row.matches("<svg").count(), 3, "{row}");
        assert_eq!(row.matches("role=\"img\" aria-label=\"").count(), 2, "{row}");
        assert_eq!(between(row, "class=\"more last\">", "</td>").matches("<span").count(), 5, "{row}");
    }
    assert!(page.contains("Who finishes before whom") && page.contains("Places over time"), "{page}");
    let marks = ["random", "homeward", "reader"].map(|bot| colour(row(&page, bot)));

    place.referee(&["hill", "submit", "h", "planner", "--name", "late"]);
    until(&server, "not in these standings yet");
    let page = server.get("/h").text();
    let new = between(&page, "New, and not in these standings yet: ", "</p>");
    assert!(new.contains("/h/bots/late\"") && new.contains("begins season 2"), "{new}");
    row(&page, "reader");

    place.referee(&["hill", "run", "h", "--rounds", "1"]);
    until(&server, "since late came (season 2)");
    let page = server.get("/h").text();
    assert!(
        page.contains("Season 2 has just begun") && page.contains("Season 1 ended after 12 rounds"),
        "{page}"
    );
    assert!(row(&page, "late").contains("<span class=\"new\">new</span>"), "{page}");
    assert!(!row(&page, "reader").contains("class=\"new\""), "{page}");
    assert_eq!(
        ["random", "homeward", "reader"].map(|bot| colour(row(&page, bot))),
        marks,
        "marks are for life"
    );
    assert!(!marks.contains(&colour(row(&page, "late"))), "{marks:?}");
    let shown = server.get("/h/bots/reader").text();
    assert_eq!(colour(&shown), marks[2], "the same mark on the page of the bot");
    assert!(
        shown.contains(">season 1<") && shown.contains(">season 2<"),
        "its places over the seasons: {shown}"
    );
}

#[test]
fn a_list_tells_who_beat_whom_and_leads_to_rounds_and_ends() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "2"]);
    let server = Server::start(&place, &[]);
    server.until_games();
    let page = server.get("/h/games").text();
    let rows: Vec<&str> = page.split("<tr>").skip(2).collect();
    assert!(!rows.is_empty(), "{page}");
    for row in rows {
        assert!(
            [" beat ", " came first, before ", " were level"].iter().any(|word| row.contains(word)),
            "{row}"
        );
        assert!(row.contains("/h/games?season=1&amp;round=") && row.contains("/h/games?end="), "{row}");
        assert!(row.contains("<time datetime=\"") && row.contains("/replay\""), "{row}");
    }
    assert!(!page.contains("<details class=\"find\" open"), "the form is folded away");
    assert!(server.get("/h/games?bot=reader").text().contains("<details class=\"find\" open"));
}
