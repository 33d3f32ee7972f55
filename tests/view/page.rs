//! The page of a game without its scripts: who plays, the result, where it leads.

use std::fs;

use referee_files::log;
use referee_files::threads::together;
use referee_games::catalog::GAMES;
use referee_rules::{Seat, Thing};
use referee_show::page::html::{Context, Link, public_page};
use referee_show::view::story::Story;
use serde_json::json;

use crate::called::Calls;
use crate::support::{Place, playthrough};
use crate::view::written::lines_of;

/// Returns the text between two words of a page.
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    page.split_once(from).and_then(|(_, rest)| rest.split_once(to)).map_or("", |(text, _)| text)
}

#[test]
fn a_preview_says_who_has_won_and_since_when_the_lead_was_held_and_the_heading_who_plays() {
    for game in GAMES {
        let log = playthrough(game.name);
        let page = public_page(log::open(&log).unwrap(), &Context::default(), &together).unwrap();
        let headline = between(&page, "og:description\" content=\"", "\"");
        let mut story = log::open(&log).and_then(Story::open).unwrap();
        let (outcome, turns) = (story.outcome().unwrap().clone(), story.turns());
        let bots = story.heading().bots.clone();
        let name = |seat: Seat| {
            let same = bots.iter().filter(|(_, bot)| bot.name == bots[seat].name).count();
            match same {
                1 => bots[seat].name.clone(),
                _ => format!("{} (seat {seat})", bots[seat].name),
            }
        };
        let first: Vec<Seat> = Seat::first(bots.len()).filter(|seat| outcome.place(*seat) == 1).collect();
        assert!(headline.contains(&name(first[0])), "{}: {headline}", game.name);
        if let [winner] = first[..] {
            let mut leads = |turn: u32| {
                let position = story.position(turn).unwrap();
                let score = |seat| position.get(Thing::SCORE, Some(seat), None);
                Seat::first(bots.len()).all(|seat| seat == winner || score(seat) < score(winner))
            };
            let since =
                if leads(turns) { (0..=turns).rev().take_while(|turn| leads(*turn)).last() } else { None };
            let due = match since {
                Some(turn) if turn > 0 => format!("{} wins, ahead for good from turn {turn}", name(winner)),
                _ => format!("{} wins", name(winner)),
            };
            assert_eq!(headline, due, "{}", game.name);
        } else {
            assert!(headline.ends_with(" share the first place"), "{}: {headline}", game.name);
        }
        // The tab and the heading tell the end to nobody who has not seen it.
        let players = story.vocabulary().players();
        assert_eq!(between(&page, "<h1>", "</h1>"), players);
        assert_eq!(between(&page, "<title>", "</title>"), format!("{players} - {}", game.name));
        // Without JavaScript, everybody's place and score.
        let told = between(&page, "<noscript>", "</noscript>");
        for seat in Seat::first(bots.len()) {
            let due = format!("{}. {} {}", outcome.place(seat), name(seat), outcome.scores[seat]);
            assert!(told.contains(&due), "{}: {due} in {told}", game.name);
        }
        // And a picture of the last position, in the colours of the page.
        let picture = between(told, "<svg", "</svg>");
        assert!(
            picture.contains("fill=\"var(--seat0)\"") && picture.len() > 1000,
            "{}: {picture}",
            game.name
        );
        assert!(picture.len() < 150_000, "{}: {} bytes", game.name, picture.len());
    }
}

#[test]
fn a_page_with_decisive_turns_has_the_shares_that_could_be_expected() {
    let place = Place::new();
    let log = playthrough("push");
    let log = log.to_str().unwrap();
    let text = place.call(&["replay", log, "--why", "--games", "200", "--html", "p.html"]).with_status(0);
    let lines = lines_of(&fs::read_to_string(place.path("p.html")).unwrap());
    let expected = lines.last().unwrap()["expected"].as_array().unwrap().clone();
    // The printed table: a turn, then the share of each seat.
    let numbers =
        |line: &str| line.split_whitespace().map(|word| word.parse().ok()).collect::<Option<Vec<f64>>>();
    let printed: Vec<Vec<f64>> = text.out.lines().filter_map(numbers).filter(|row| row.len() == 7).collect();
    assert_eq!(printed.len(), expected.len());
    for (due, point) in printed.iter().zip(&expected) {
        let shares = point[1].as_array().unwrap().iter().map(|share| share.as_f64().unwrap());
        let found: Vec<f64> = std::iter::once(point[0].as_f64().unwrap()).chain(shares).collect();
        assert!(due.iter().zip(&found).all(|(due, found)| (due - found).abs() < 0.002), "{due:?} {found:?}");
    }
    let fall = text.out.lines().find_map(|line| line.strip_prefix("Turn ")?.split_once(": seat"));
    let page = fs::read_to_string(place.path("p.html")).unwrap();
    let headline = between(&page, "og:description\" content=\"", "\"");
    assert_eq!(headline.contains(" cost "), fall.is_some(), "{headline}");
    assert_eq!(expected.last().unwrap()[0], 20, "up to the end");
    place.call(&["replay", log, "--html", "plain.html"]).with_status(0);
    let plain = lines_of(&fs::read_to_string(place.path("plain.html")).unwrap());
    assert_eq!(plain.last().unwrap().get("expected"), None);
}

#[test]
fn links_and_names_around_a_page_are_escaped() {
    let link = Link { text: "<b>&".to_owned(), address: "/h\"><b>/x?a=1&b".to_owned() };
    let contest = "\"><b>&".to_owned();
    let picture = Some("https://h/\"&.png".to_owned());
    let context = Context { contest, links: vec![link], picture, ..Context::default() };
    let page = public_page(log::open(&playthrough("push")).unwrap(), &context, &together).unwrap();
    let due = "<nav class=\"links\" aria-label=\"Contest\"><a href=\"/h&quot;&gt;&lt;b&gt;/x?a=1&amp;b\">&lt;b&gt;&amp;</a></nav>";
    assert!(page.contains(due), "{}", between(&page, "<nav", "</nav>"));
    let head = between(&page, "<head>", "<style>");
    for due in [
        "<title>random against itself - \"&gt;&lt;b&gt;&amp;</title>",
        "<meta property=\"og:title\" content=\"push - &quot;&gt;&lt;b&gt;&amp;\">",
        "<meta property=\"og:image\" content=\"https://h/&quot;&amp;.png\">",
    ] {
        assert!(head.contains(due), "{due}: {head}");
    }
    let alone =
        public_page(log::open(&playthrough("push")).unwrap(), &Context::default(), &together).unwrap();
    let head = between(&alone, "<head>", "<style>");
    assert!(head.contains("og:title") && !head.contains("og:image"), "without an address: {head}");
}

#[test]
fn the_page_of_a_check_game_is_called_after_its_bot_and_knows_which_seats_are_empty() {
    let place = Place::new();
    let text = fs::read_to_string(playthrough("push")).unwrap();
    // As a check game is recorded: the other seats have a program without a byte.
    let rows = text.lines().map(|row| {
        match row.strip_prefix("seat,,").and_then(|rest| rest.split_once(",random,")) {
            Some((seat, rest)) if seat != "0" => format!("seat,,{seat},nobody,{rest}\n"),
            _ => format!("{row}\n"),
        }
    });
    fs::write(place.path("check.csv"), rows.collect::<String>()).unwrap();
    let context = Context { called: "Check game of fox".to_owned(), ..Context::default() };
    let page = public_page(log::open(&place.path("check.csv")).unwrap(), &context, &together).unwrap();
    assert!(page.contains("<h1>Check game of fox</h1>"), "{}", between(&page, "<h1>", "</h1>"));
    assert!(page.contains("<title>Check game of fox - "), "{}", between(&page, "<head>", "<style>"));
    let lines = lines_of(&page);
    let seats = lines.last().unwrap()["seats"].as_array().unwrap().clone();
    let empty: Vec<bool> = seats.iter().map(|seat| seat["empty"] == true).collect();
    assert_eq!(empty, (0..seats.len()).map(|seat| seat > 0).collect::<Vec<_>>());
}

#[test]
fn settings_are_words_and_times_have_their_unit() {
    let page =
        public_page(log::open(&playthrough("football")).unwrap(), &Context::default(), &together).unwrap();
    let head = lines_of(&page).pop().unwrap();
    let settings = head["settings"].as_array().unwrap();
    for due in [
        json!(["players of each team", "3"]),
        json!(["time for an answer", "100 ms"]),
        json!(["time for the first answer of a game", "5 s"]),
    ] {
        assert!(settings.contains(&due), "{due}: {settings:?}");
    }
}
