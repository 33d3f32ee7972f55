//! The folder of a report: the same from the same records. It replaces an earlier report, and nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use referee_files::log;
use referee_files::small;
use referee_files::threads::together;
use referee_record::voids::{VoidReason, VoidRow};
use referee_show::page::html::{Context, Link, public_page};

use super::{bots, report, simulated, text};
use crate::called::Calls;
use crate::support::{Place, copy_folder, files_below};

/// Everything in a folder, by name.
pub(super) fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = ["html", "csv", "svg", "txt"].iter().flat_map(|ending| files_below(folder, ending));
    let named = |path: PathBuf| {
        let bytes = fs::read(&path).expect("a file");
        (path.strip_prefix(folder).expect("it lies below").to_owned(), bytes)
    };
    files.map(named).collect()
}

/// Makes sure that each link of each page leads to a file, and to a place in it.
pub(super) fn assert_links_lead_somewhere(report: &Path) {
    for page in files_below(report, "html") {
        let html = text(&page);
        if html.contains("http-equiv=\"Content-Security-Policy\"") {
            continue; // a game to be watched, which links to nothing
        }
        let links: Vec<&str> =
            html.split("href=\"").skip(1).map(|rest| rest.split('"').next().expect("an end")).collect();
        assert!(links.len() >= 2, "{}", page.display());
        for link in links {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            if link == "data:," {
                continue; // the icon
            }
            assert!(!link.contains(':'), "it leads away: {link}");
            let target = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            assert!(target.is_file(), "{}: no {link}", page.display());
            let has_place = || text(&target).contains(&format!("id=\"{place}\""));
            assert!(place.is_empty() || has_place(), "{}: no {link}", page.display());
        }
    }
}

#[test]
fn every_link_of_a_report_of_real_games_leads_to_a_file_and_each_game_to_its_log() {
    let place = Place::new();
    let settings = ["-p", "2", "-k", "3", "--max-turns", "20", "--seed", "3"];
    place.hill_of_guests("hill", &settings, &[("stone", "house still"), ("fox", "house greedy")]);
    place.call(&["hill", "run", "hill", "--rounds", "2"]).with_status(0);
    place.call(&["report", "hill", "--html", "hill/report"]).with_status(0);
    let report = place.path("hill/report");
    assert_links_lead_somewhere(&report);
    let page = text(&report.join("games-1.html"));
    let logs = files_below(&place.path("hill/logs"), "csv").len();
    assert_eq!(page.matches("href=\"games/").count(), logs, "so few games can all be watched");
    let links = vec![Link { text: "The report".to_owned(), address: "../index.html".to_owned() }];
    let context = Context { links, ..Context::default() };
    for game in files_below(&report.join("games"), "html") {
        let logs = files_below(&place.path("hill/logs"), "csv");
        let log = logs.into_iter().find(|log| log.file_stem() == game.file_stem()).expect("its log");
        let due = log::open(&log).and_then(|log| public_page(log, &context, &together)).expect("a page");
        assert!(text(&game) == due, "{}", game.display());
    }
    assert_eq!(page.matches("href=\"../logs/").count(), logs);
    let index = text(&report.join("index.html"));
    assert!(index.contains(&format!("Made from the logs of {logs} of {logs} games.")), "{index}");
    place.call(&["audit", "hill"]).with_status(0);

    let watched = |more: &str| {
        place.call(&["report", "hill", "--html", "hill/report", "--replays", more]).with_status(0);
        assert_links_lead_somewhere(&report);
        files_below(&report.join("games"), "html").len()
    };
    assert_eq!((watched("all"), watched("none")), (logs, 0));
    assert!((1..=3).contains(&watched("1")), "the last, and those that are notable");
    assert!(place.path("hill/report/games").join(format!("{}.html", last_game(&place))).exists());

    // If a log is missing, its turns are missing, and the report says so.
    fs::remove_file(&files_below(&place.path("hill/logs"), "csv")[0]).expect("it was there");
    place.call(&["report", "hill", "--html", "hill/report"]).with_status(0);
    assert_links_lead_somewhere(&report);
    let index = text(&report.join("index.html"));
    assert!(index.contains(&format!("Made from the logs of {} of {logs} games.", logs - 1)), "{index}");
    assert!(text(&report.join("games-1.html")).contains(">missing</td>"));
}

fn last_game(place: &Place) -> String {
    let results = text(&place.path("hill/results.csv"));
    results.lines().last().and_then(|row| row.split(',').next()).expect("a game").to_owned()
}

#[test]
fn the_same_records_make_the_same_bytes() {
    let (place, hill) = (Place::new(), simulated(bots(6), 25));
    let first = contents(&report(&place, &hill, &[]));
    assert!(first.len() > 15, "{:?}", first.keys());
    copy_folder(hill.hill.root(), &place.path("copy"));
    place.call(&["report", "copy", "--html", "other"]).with_status(0);
    let other = contents(&place.path("other"));
    assert!(first == other, "{:?}", first.iter().find(|(name, bytes)| other.get(*name) != Some(bytes)));
}

#[test]
fn an_earlier_report_is_replaced_and_nothing_else_is() {
    let (place, hill) = (Place::new(), simulated(bots(8), 130));
    let folder = report(&place, &hill, &["--no-logs"]);
    assert!(folder.join("games-2.html").exists(), "more than a thousand games");
    let small = simulated(bots(4), 2);
    report(&place, &small, &[]);
    assert!(!folder.join("games-2.html").exists());
    assert_links_lead_somewhere(&folder);

    let root = hill.hill.root().to_str().unwrap();
    let refused = |target: &str, why: &[&str]| {
        place.call(&["report", root, "--html", target]).with_status(2).complaining(why);
    };
    let before = contents(&folder);
    fs::write(folder.join("notes.md"), "mine").unwrap();
    refused("report", &["notes.md is beside the report and not part of it; move it away"]);
    fs::remove_file(folder.join("notes.md")).unwrap();
    assert_eq!(contents(&folder), before);

    fs::create_dir(place.path("full")).unwrap();
    fs::write(place.path("full/thesis.txt"), "mine").unwrap();
    refused("full", &["full: neither empty nor a report; choose another folder, or empty this one"]);
    refused("full/thesis.txt", &["a file, not a folder"]);
    assert_eq!(text(&place.path("full/thesis.txt")), "mine");
    let left = fs::read_dir(place.path(".")).unwrap().flatten();
    let left = left.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b".referee"));
    assert_eq!(left.count(), 0, "nothing half-done is left");
}

#[test]
fn what_is_no_hill_and_no_tournament_is_named() {
    let (place, hill) = (Place::new(), simulated(bots(4), 2));
    let complain = |path: &str, why: &str| {
        place.call(&["report", path, "--html", "report"]).with_status(2).complaining(&[why]);
    };
    complain("nowhere", "nowhere: no such file or folder");
    complain(".", "neither a hill (with hill.toml) nor a tournament (with plan.toml)");
    fs::write(place.path("x.csv"), "a").unwrap();
    complain("x.csv", "x.csv: a file; name the folder of a hill or a tournament");
    let root = hill.hill.root().to_str().unwrap();
    let no_season = place.call(&["report", root, "--html", "report", "--season", "7"]).with_status(2);
    no_season.complaining(&["there is no season 7"]);
    assert!(!place.path("report").exists());
}

#[test]
fn a_folder_of_hills_gets_a_report_each_and_a_page_about_all() {
    let place = Place::new();
    let bots = [("one", "house random"), ("two", "house still")];
    for name in ["hills/ada", "hills/bob"] {
        fs::create_dir_all(place.path("hills")).unwrap();
        place.hill_of_guests(name, &["-p", "2", "--max-turns", "3", "--turn-ms", "30000"], &bots);
    }
    place.call(&["hill", "run", "hills/ada"]).with_status(0);
    for _ in 0..2 {
        let told = place.call(&["report", "hills", "--html", "out"]).with_status(0);
        assert!(told.out.contains("out/index.html"), "{told:?}");
    }
    let page = fs::read_to_string(place.path("out/index.html")).unwrap();
    for name in ["ada", "bob"] {
        assert!(page.contains(&format!("<a href=\"{name}/index.html\">{name}</a>")), "{page}");
        assert!(place.path(&format!("out/{name}/index.html")).exists());
    }
    assert!(page.contains(">football</td>") && page.contains(">season games</th>"), "{page}");
    assert!(
        !page.contains("leader_version") && !page.contains("verdict kind"),
        "columns for programs: {page}"
    );
    fs::write(place.path("out/index.html"), "mine").unwrap();
    let ran = place.call(&["report", "hills", "--html", "out"]).with_status(2);
    ran.complaining(&["out/index.html: not a page of this program; choose another folder"]);
    place.call(&["report", "out", "--html", "x"]).with_status(2).complaining(&["neither a hill"]);
}

#[test]
fn however_many_games_are_void_the_page_lists_the_last_ones_and_the_file_all() {
    let place = Place::new();
    let hill =
        place.hill_of_guests("hill", &["-p", "2", "-k", "3", "--max-turns", "2"], &[("fox", "house still")]);
    let rows: Vec<VoidRow> = (1..=2345)
        .map(|number| VoidRow {
            game: format!("s001-r00001-t{number:03}-g1"),
            started: "2026-01-01T00:00:00Z".to_owned(),
            bots: "fox:1".to_owned(),
            attempt: 1,
            reason: VoidReason::LostInFlight,
            detail: "its runner, \"a\", was gone".to_owned(),
            ..VoidRow::default()
        })
        .collect();
    fs::write(hill.join("voids.csv"), small::text(&rows)).expect("written");
    place.call(&["report", "hill", "--html", "report"]).with_status(0);
    let page = text(&place.path("report/index.html"));
    assert_eq!(page.matches("s001-r00001-t").count(), 50);
    assert!(page.contains("These are the last ones of 2345.") && page.contains("s001-r00001-t2345-g1"));
    let mut file = csv::Reader::from_path(place.path("report/voids.csv")).expect("a table");
    let games: Vec<String> = file.records().map(|row| row.expect("a row")[0].to_owned()).collect();
    assert_eq!(games, rows.iter().map(|row| row.game.clone()).collect::<Vec<_>>());
}
