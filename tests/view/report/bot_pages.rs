//! The page of each bot in a report.

use std::collections::BTreeMap;
use std::fs;

use referee_files::small;
use referee_record::voids::{VoidReason, VoidRow};
use referee_record::{BotName, Digest};

use super::folder::assert_links_lead_somewhere;
use super::{bots, report, simulated, table, text};
use crate::called::Calls;
use crate::support::{Place, files_below};

#[test]
fn the_page_of_a_bot_says_what_the_tables_say_of_it() {
    const BOTS: usize = 20;
    let (place, hill) = (Place::new(), simulated(bots(BOTS), 40));
    let report = report(&place, &hill, &["--no-logs"]);
    assert_eq!(files_below(&report.join("bots"), "html").len(), BOTS);
    assert_links_lead_somewhere(&report);
    let rows = |file: &str| -> Vec<BTreeMap<String, String>> {
        let mut reader = csv::Reader::from_path(report.join(file)).expect("a table");
        reader.deserialize().map(|row| row.expect("a row")).collect()
    };
    let page_of = |bot: &str| {
        let index = text(&report.join("index.html"));
        let end = format!("\">{bot}</a>");
        let link = index.split("<a href=\"").find(|rest| rest.starts_with("bots/") && rest.contains(&end));
        text(&report.join(link.expect("a link").split('"').next().expect("its end")))
    };
    let standings = rows("standings.csv");
    for place in [0, 7, BOTS - 1] {
        let line = &standings[place];
        let bot = &*line["bot"];
        let page = page_of(bot);
        let percent = 100.0 * line["mean_share"].parse::<f64>().unwrap();
        let said = format!("Place {} of {BOTS}: a mean share of {percent:.1} %", line["place"]);
        assert!(page.contains(&said), "{said}: {page}");
        // Against each opponent: the numbers of the table of pairs, in the order of the standings.
        let pairs: BTreeMap<String, BTreeMap<String, String>> = rows("pairs.csv")
            .into_iter()
            .filter(|pair| pair["bot"] == bot)
            .map(|pair| (pair["company"].clone(), pair))
            .collect();
        let opponents = table(&page, "Against each opponent, in the order of the standings");
        let others: Vec<&str> =
            standings.iter().map(|line| &*line["bot"]).filter(|other| pairs.contains_key(*other)).collect();
        assert_eq!(opponents[1..].iter().map(|row| row[0].trim()).collect::<Vec<_>>(), others);
        for row in &opponents[1..] {
            let pair = &pairs[row[0].trim()];
            let number = |name: &str| pair[name].parse::<f64>().unwrap();
            assert_eq!(row[1], pair["games"]);
            let percent: f64 = row[2].trim_end_matches(" %").parse().unwrap();
            assert!((percent - 100.0 * number("before")).abs() <= 0.51, "{row:?} {pair:?}");
            let mean: f64 = row[3].trim_end_matches(" %").parse().unwrap();
            assert!((mean - 100.0 * number("mean_share")).abs() <= 0.051, "{row:?} {pair:?}");
        }
        // Its last ten games, newest first.
        let all = rows("games.csv");
        let games = all.iter().filter(|row| row["bot"] == bot).rev().take(10);
        let due = games
            .map(|row| (format!("{}.{}", row["season"], row["round"]), format!("{bot} {}", row["score"])));
        let listed = table(&page, "Its latest games, newest first");
        assert_eq!(listed.len(), 1 + 10);
        let at = |head: &str| listed[0].iter().position(|column| column == head).expect("a column");
        for ((round, score), row) in due.zip(&listed[1..]) {
            assert_eq!(row[at("round")], round);
            assert!(row[at("result")].contains(&score), "{row:?} {score}");
        }
    }
    let late = page_of("bot1");
    assert!(
        late.contains("Faults in 160 games: 120 late.") && late.contains("Thinking time of a turn"),
        "{late}"
    );
    assert!(page_of("bot5").contains("No faults in 160 games."));
}

#[test]
fn names_that_no_file_could_have_and_names_that_differ_in_case_have_pages_of_their_own() {
    let names = ["Fox", "fox", "\u{5317}\u{4eac}", "-", "con", &"x".repeat(32)];
    let named = |(number, name): (usize, &&str)| BotName {
        name: (*name).to_owned(),
        version: 1,
        digest: Digest::of(&[number as u8]),
    };
    let (place, hill) = (Place::new(), simulated(names.iter().enumerate().map(named).collect(), 4));
    let report = report(&place, &hill, &["--no-logs"]);
    assert_links_lead_somewhere(&report);
    let files = files_below(&report.join("bots"), "html");
    let files: Vec<String> =
        files.iter().map(|file| file.file_name().unwrap().to_string_lossy().to_lowercase()).collect();
    assert_eq!(files.len(), names.len(), "{files:?}");
    for file in &files {
        assert!(file.is_ascii() && file.starts_with(|letter: char| letter.is_ascii_digit()), "{file}");
        assert_eq!(files.iter().filter(|other| *other == file).count(), 1, "{files:?}");
    }
    let index = text(&report.join("index.html"));
    for name in names {
        let page = index.split("<a href=\"").find_map(|rest| {
            rest.split_once("\">").filter(|(_, text)| text.starts_with(&format!("{name}</a>")))
        });
        let (page, _) = page.expect("a link");
        assert!(text(&report.join(page)).contains(&format!("{name}</h1>")), "{name}: {page}");
    }
}

#[test]
fn the_page_of_a_bot_has_its_versions_and_its_void_games() {
    let place = Place::new();
    let settings = ["-p", "2", "-k", "3", "--max-turns", "5", "--turn-ms", "30000", "--seed", "3"];
    let hill = place.hill_of_guests("hill", &settings, &[("fox", "house still"), ("owl", "house greedy")]);
    let second = place.guest("fox", "house random");
    place.call(&["hill", "submit", "hill", &second, "--replace"]).with_status(0);
    place.call(&["hill", "run", "hill"]).with_status(0);
    let rows: Vec<VoidRow> = (1..=60)
        .map(|number| VoidRow {
            game: format!("s001-r00001-t{number:03}-g1"),
            started: "2026-01-01T00:00:00Z".to_owned(),
            bots: "fox:1 owl:1".to_owned(),
            bot: if number % 2 == 0 { "fox" } else { "owl" }.to_owned(),
            attempt: 1,
            reason: VoidReason::LostInFlight,
            ..VoidRow::default()
        })
        .collect();
    fs::write(hill.join("voids.csv"), small::text(&rows)).expect("written");
    place.call(&["report", "hill", "--html", "report"]).with_status(0);
    assert_links_lead_somewhere(&place.path("report"));
    let page = text(&place.path("report/bots/1-fox.html"));
    let versions = table(&page, "Each program under this name, the present one first");
    assert_eq!(versions[1..].iter().map(|row| &*row[0]).collect::<Vec<_>>(), ["2", "1"]);
    assert!(versions[2].iter().any(|cell| cell == "replaced"), "{versions:?}");
    assert!(
        page.contains("30 attempts at games do not count, for which it is named, in all its games."),
        "{page}"
    );
    assert_eq!(table(&page, "Void games").len(), 1 + 10, "the last of its own");
}
