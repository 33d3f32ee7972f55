//! Reports of hills and tournaments: their numbers are the printed ones, their plots show them, and nothing
//! in the records can do harm in them.

mod bot_pages;
mod cache;
mod folder;
mod plots;
mod tournaments;

use std::fs;
use std::path::{Path, PathBuf};

use referee_record::game_result::GameResult;
use referee_record::{BotName, Digest};
use referee_rules::FaultKind;

use roxmltree::{Document, Node};
use serde_json::Value;

use crate::called::Calls;
use crate::random::Random;
use crate::support::{Place, Ran, rows_of_json};
use referee_report::tables::lead::Lead;
use referee_testutil::season_results::{Simulated, bot};

/// A hill with invented rounds of these bots: bot 0 is the best by far, bot 1 is often late.
pub(super) fn simulated(bots: Vec<BotName>, rounds: u32) -> Simulated {
    let mut simulated = Simulated::new(1);
    simulated.change_field(bots);
    let mut random = Random::new(9);
    let game = |pairing: &_| {
        let share = |bot: usize, _| 0.5 - 0.04 * bot as f64 + random.between(-80, 80) as f64 / 1000.0;
        let mut game: GameResult = simulated.game(pairing, share);
        for (index, row) in game.iter_mut().enumerate() {
            row.thinking.p99_us = 2_000 + 10 * index as u64;
            row.thinking.max_us = 40_000;
            let is_late = row.bot == simulated.bots[simulated.bots.len().min(2) - 1] && index == 0;
            row.faults[FaultKind::Late as usize] = if is_late { 3 } else { 0 };
        }
        game
    };
    let games: Vec<GameResult> = simulated.pairings(rounds).iter().map(game).collect();
    simulated.enter(&games);
    simulated
}

pub(super) fn bots(count: usize) -> Vec<BotName> {
    (0..count).map(bot).collect()
}

/// Makes the report of a hill in another folder, in a place.
fn report(place: &Place, hill: &Simulated, more: &[&str]) -> PathBuf {
    let root = hill.hill.root().to_str().expect("a path of plain text");
    place.call(&[&["report", root, "--html", "report"], more].concat()).with_status(0);
    place.path("report")
}

fn referee(place: &Place, hill: &Simulated, words: [&str; 2], more: &[&str]) -> Ran {
    let root = hill.hill.root().to_str().expect("a path of plain text");
    place.call(&[&words, &[root][..], more].concat()).with_status(0)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All elements of a page with this tag, each as a document of its own.
fn cut_out(page: &str, tag: &str) -> Vec<String> {
    let (first, last) = (format!("<{tag}"), format!("</{tag}>"));
    let ends = page.match_indices(&last).map(|(at, _)| at + last.len());
    page.match_indices(&first).zip(ends).map(|((start, _), end)| page[start..end].to_owned()).collect()
}

/// The rows of the table with this caption: the names of the columns first.
fn table(page: &str, caption: &str) -> Vec<Vec<String>> {
    let tables = cut_out(page, "table");
    let is_it = |table: &&String| {
        ["", " class=\"unseen\""]
            .iter()
            .any(|of| table.contains(&format!("<caption{of}>{caption}</caption>")))
    };
    let found = tables.iter().find(is_it);
    let table = found.unwrap_or_else(|| panic!("no table {caption}"));
    let document = Document::parse(table).expect("a table");
    let words = |node: Node<'_, '_>| {
        node.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect::<String>()
    };
    let rows = document.descendants().filter(|node| node.has_tag_name("tr"));
    rows.map(|row| row.children().map(words).collect()).collect()
}

#[test]
fn the_numbers_of_a_report_are_those_that_are_printed() {
    let (place, hill) = (Place::new(), simulated(bots(8), 30));
    let report = report(&place, &hill, &[]);
    let printed = |words, more: &[&str]| referee(&place, &hill, words, more).out;
    assert_eq!(text(&report.join("standings.csv")), printed(["hill", "standings"], &["--format", "csv"]));
    assert_eq!(
        text(&report.join("pairs.csv")),
        printed(["hill", "standings"], &["--pairs", "--format", "csv"])
    );
    assert_eq!(text(&report.join("fairness.csv")), printed(["hill", "fairness"], &["--format", "csv"]));

    let json = rows_of_json(&printed(["hill", "standings"], &["--format", "json"]));
    let shown = table(&text(&report.join("index.html")), "All numbers of the standings");
    assert_eq!(shown.len(), 9);
    for (row, line) in shown[1..].iter().zip(&json) {
        for (column, cell) in shown[0].iter().zip(row) {
            match &line[column.replace(' ', "_")] {
                // People see these in another form.
                Value::Null if ["interval", "likely"].contains(&&**column) => {}
                // What is a column for programs stands behind the name.
                Value::String(bot) if column == "bot" && line["retired"] == true => {
                    assert_eq!(format!("{bot} (retired)"), *cell);
                }
                Value::String(text) => assert_eq!(text, cell),
                number => assert_eq!(number.as_f64(), cell.parse().ok(), "{column}"),
            }
        }
    }
}

#[test]
fn a_page_says_how_sure_it_is_that_the_leader_is_the_best() {
    for (means, said) in [
        ([0.8, 0.5, 0.5, 0.2], ", proven the best."),
        ([0.7, 0.7, 0.4, 0.2], ", likely one of the best 2."),
        ([0.6, 0.6, 0.6, 0.2], ", likely one of the best "),
    ] {
        let mut simulated = Simulated::new(1);
        simulated.change_field(bots(4));
        let mut random = Random::new(3);
        let mut share = |bot: usize, _| means[bot] + random.between(-50, 50) as f64 / 1000.0;
        let pairings = simulated.pairings(100);
        let games: Vec<GameResult> =
            pairings.iter().map(|pairing| simulated.game(pairing, &mut share)).collect();
        simulated.enter(&games);
        let place = Place::new();
        let page = text(&report(&place, &simulated, &["--no-logs"]).join("index.html"));
        assert!(page.contains(said), "{said}");
    }
}

#[test]
fn a_sentence_names_the_leader_and_says_how_sure_it_is() {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let lead = |first: &[&str], lead: Lead| Lead { first: owned(first), ..lead }.sentence().to_string();
    let of_fox = |since, likely, helpers: &[&str]| {
        lead(
            &["fox"],
            Lead { since, last_likely_place: likely, helpers: owned(helpers), bots: 5, ..Lead::default() },
        )
    };
    let of = |first: &[&str]| lead(first, Lead { bots: 5, ..Lead::default() });
    for (said, due) in [
        (of_fox(None, None, &[]), "fox leads."),
        (of_fox(None, Some(5), &[]), "fox leads."),
        (of_fox(Some(12), Some(1), &[]), "fox has led since round 12, likely the best."),
        (of_fox(None, Some(3), &[]), "fox leads, likely one of the best 3."),
        (
            of_fox(None, Some(1), &["owl"]),
            "fox leads, likely the best, but does unexplained well beside owl.",
        ),
        (
            of_fox(None, Some(1), &["owl", "elk", "gnu", "emu"]),
            "fox leads, likely the best, but does unexplained well beside 4 bots.",
        ),
        (
            lead(&["fox"], Lead { is_proven: true, last_likely_place: Some(1), bots: 5, ..Lead::default() }),
            "fox leads, proven the best.",
        ),
        (lead(&["fox"], Lead { bots: 1, ..Lead::default() }), "fox leads: it is alone."),
        (of(&["fox", "owl"]), "fox and owl share the first place."),
        (of(&["fox", "owl", "elk", "gnu"]), "4 bots share the first place."),
        (lead(&["fox", "owl"], Lead { bots: 2, ..Lead::default() }), "All 2 bots are level."),
    ] {
        assert_eq!(said, due);
    }
}

#[test]
fn the_last_look_at_a_season_is_its_standings_and_a_long_one_leaves_no_more_looks() {
    let (place, hill) = (Place::new(), simulated(bots(4), 901));
    let report = report(&place, &hill, &["--no-logs"]);
    let rounds = text(&report.join("rounds.csv"));
    let lines: Vec<Vec<&str>> = rounds.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let looks: Vec<u32> = lines.iter().step_by(4).map(|line| line[0].parse().unwrap()).collect();
    assert!(looks.is_sorted() && (100..=200).contains(&looks.len()), "{looks:?}");
    assert_eq!((looks[0], looks[looks.len() - 1]), (1, 901));
    let standings = text(&report.join("standings.csv"));
    for line in &lines[lines.len() - 4..] {
        let found = standings.lines().map(|line| line.split(',').collect::<Vec<&str>>());
        let standing =
            found.into_iter().find(|standing| standing[1].starts_with(line[1])).expect("a standing");
        let of =
            |name: &str| standings.lines().next().and_then(|names| names.split(',').position(|n| n == name));
        let due = ["mean_share", "mean_low", "mean_high"].map(|name| standing[of(name).expect("a column")]);
        assert_eq!(line[3..6], due, "{line:?}");
    }
}

#[test]
fn thinking_times_are_those_of_the_results_where_there_are_no_logs() {
    let (place, hill) = (Place::new(), simulated(bots(4), 10));
    let report = report(&place, &hill, &[]);
    let page = text(&report.join("index.html"));
    assert!(page.contains("Made from the results alone, because the logs are missing."));
    let times = table(&page, "Thinking times, in milliseconds");
    for row in &times[1..] {
        let number = |index: usize| row[index].parse::<f64>().unwrap();
        assert_eq!(row[2], "40");
        assert!((number(3) - 2.01).abs() < 0.04, "right to one in a hundred: {row:?}");
        assert!((number(4) - 40.0).abs() < 0.4, "{row:?}");
        assert_eq!(number(5), 40.0);
    }
    assert!(!text(&report.join("index.html")).contains(">log</a>"), "no log, no link");
}

#[test]
fn faults_over_time_add_up_to_those_of_the_standings() {
    let (place, hill) = (Place::new(), simulated(bots(8), 101));
    let report = report(&place, &hill, &["--no-logs"]);
    let faults = text(&report.join("faults.csv"));
    let lines: Vec<Vec<&str>> = faults.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0], ["first_round", "last_round", "bot", "version", "games", "late"]);
    let of_bot = |line: &&Vec<&str>| line[2] == "bot1";
    let sum: u64 = lines.iter().filter(of_bot).map(|line| line[5].parse::<u64>().unwrap()).sum();
    let games: u64 = lines.iter().filter(of_bot).map(|line| line[4].parse::<u64>().unwrap()).sum();
    assert_eq!((sum, games), (101 * 3, 101 * 4));
    let firsts: Vec<u32> = lines.iter().filter(of_bot).map(|line| line[0].parse().unwrap()).collect();
    assert!(firsts.len() <= 48 && firsts[0] == 1 && firsts.is_sorted(), "{firsts:?}");
}

#[test]
fn names_of_strangers_do_no_harm() {
    let long = "x".repeat(10_000);
    let names = [
        "<script>alert(1)</script>",
        "</svg><img src=x onerror=alert(1)>",
        "\u{1b}[31m\u{202e}\u{7}\u{ffff}",
        &long,
    ];
    let bots = names.iter().enumerate().map(|(number, name)| BotName {
        name: (*name).to_owned(),
        version: 1,
        digest: Digest::of(&[number as u8]),
    });
    for bot in bots {
        let (place, hill) = (Place::new(), simulated(vec![bot, self::bot(1)], 1));
        let root = hill.hill.root().to_str().expect("a path of plain text");
        let ran = place.call(&["report", root, "--html", "report"]).with_status(3);
        let said = ran.complaining(&["seasons.csv, line ", "not a name for a bot"]).err;
        assert!(!said.chars().any(|letter| letter.is_control() && letter != '\n'), "nothing steers");
        assert!(!said.contains('\u{202e}') && said.len() < 1000, "{said}");
        assert!(!place.path("report").exists());
    }
}

#[test]
fn a_hill_without_a_game_and_one_with_a_single_bot_have_reports() {
    let place = Place::new();
    place.call(&["hill", "new", "empty", "football"]).with_status(0);
    place.call(&["report", "empty", "--html", "report"]).with_status(0);
    let page = text(&place.path("report/index.html"));
    assert!(page.contains("No game has been played yet"));
    folder::assert_links_lead_somewhere(&place.path("report"));

    let alone = simulated(bots(1), 3);
    let page = text(&report(&place, &alone, &[]).join("index.html"));
    assert!(page.contains("<a href=\"bots/1-bot0.html\">bot0</a> leads: it is alone."));
    folder::assert_links_lead_somewhere(&place.path("report"));
}

#[test]
fn a_report_of_many_bots_begins_with_the_first_and_says_what_the_host_says() {
    let (place, hill) = (Place::new(), simulated(bots(45), 12));
    let settings = hill.hill.root().join("hill.toml");
    let with_title = fs::read_to_string(&settings).expect("settings");
    let with_title = with_title.replace("title = \"\"", "title = \"Autumn cup\"");
    let with_title = with_title.replace("text = \"\"", "text = \"One.\\n\\nTwo <b>.\"");
    fs::write(&settings, with_title).expect("a file");
    let page = text(&report(&place, &hill, &["--no-logs"]).join("index.html"));
    assert!(
        page.contains("<h1>Autumn cup</h1>") && page.contains("<p class=\"lead\">One.</p>"),
        "{}",
        &page[..3000]
    );
    assert!(page.contains("<p class=\"lead\">Two &lt;b&gt;.</p>"));
    let rows = |caption| table(&page, caption).len() - 1;
    assert_eq!((rows("Standings, best first"), rows("The others, best first")), (30, 15));
    // People see points and wins; shares are a click away, in the table of all numbers.
    let head = table(&page, "Standings, best first").remove(0);
    assert!(
        head.iter().all(|column| column != "mean_share") && head.contains(&"games won".to_owned()),
        "{head:?}"
    );
}
