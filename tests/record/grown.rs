//! Records with their columns in another order, and an unknown column among them: they have the same meaning.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use referee_contest::rulings::RulingRow;
use referee_files::beneath::Spot;
use referee_files::small;
use referee_record::schema::{self, Column, Columns, Name, Number, Text, column};
use referee_record::voids::{VoidReason, VoidRow};
use referee_record::{Digest, results};
use referee_statistics::verdict::{NamedBots, VerdictRow};

use crate::called::Calls;
use crate::record::frozen::{HILL, TOURNAMENTS, copied, game_of};
use crate::support::{Place, files_below, results_in};

/// A table: the header, then the rows.
pub(super) type Cells = Vec<Vec<String>>;

/// Reorders the columns, and inserts an unknown one.
fn shuffle(cells: &mut Cells) {
    for (number, row) in cells.iter_mut().enumerate() {
        row.reverse();
        row.insert(row.len() / 2, if number == 0 { "mood".to_owned() } else { format!("m{number}") });
        row.rotate_left(3);
    }
}

/// Changes a table of plain cells.
pub(super) fn changed(text: &str, change: impl Fn(&mut Cells)) -> String {
    let mut cells: Cells = Vec::new();
    for row in csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes()).records() {
        cells.push(row.expect("a row").iter().map(str::to_owned).collect());
    }
    change(&mut cells);
    let mut writer = csv::Writer::from_writer(Vec::new());
    cells.iter().for_each(|row| writer.write_record(row).expect("in memory"));
    String::from_utf8(writer.into_inner().expect("in memory")).expect("text")
}

/// The same for results: each row ends with its chain.
pub(super) fn changed_results(text: &str, change: impl Fn(&mut Cells)) -> String {
    let rows = text.lines().map(|line| line.rsplit_once(',').expect("a chain").0);
    let mut lines = changed(&rows.map(|row| format!("{row}\n")).collect::<String>(), change);
    lines.insert_str(lines.find('\n').expect("a header"), ",chain");
    let (header, rows) = lines.split_at(lines.find('\n').expect("a header") + 1);
    let mut chain = Digest::of(header.as_bytes());
    let rows: String = rows.lines().map(|row| results::chained(row, &mut chain)).collect();
    format!("{header}{rows}")
}

/// Changes every table below a folder, except those of games. Returns the changed tables.
fn change_all(root: &Path, change: impl Fn(&mut Cells)) -> Vec<PathBuf> {
    let is_of_game =
        |file: &PathBuf| ["/logs/", "/stderr/"].iter().any(|part| file.to_string_lossy().contains(part));
    let tables = files_below(root, "csv").into_iter().filter(|file| !is_of_game(file));
    let tables: Vec<PathBuf> = tables.collect();
    for file in &tables {
        let text = fs::read_to_string(file).expect("a table");
        let is_results = text.lines().next().is_some_and(|line| line.ends_with(",chain"));
        let text = if is_results { changed_results(&text, &change) } else { changed(&text, &change) };
        fs::write(file, text).expect("a table");
    }
    tables
}

/// The program's output about a hill or a tournament.
fn told(place: &Place, name: &str) -> BTreeMap<String, String> {
    let game = game_of(name);
    let hill = ["audit N", "hill standings N --format csv", "hill status N", "hill fairness N --format csv"];
    let tournament = ["audit N", "tournament standings N --format csv", "tournament status N"];
    let commands = if name == HILL { &hill[..] } else { &tournament };
    let of_game = ["replay N G --plain", "export N G --dir exported", "report N --html report"];
    let said = |command: &&str| {
        let words = command.split(' ').map(|word| match word {
            "N" => name,
            "G" => game,
            word => word,
        });
        ((*command).to_owned(), place.call(&words.collect::<Vec<&str>>()).with_status(0).out)
    };
    let mut told: BTreeMap<String, String> = commands.iter().chain(&of_game).map(said).collect();
    for folder in ["report", "exported"] {
        for file in files_below(&place.path(folder), "csv") {
            told.insert(file.display().to_string(), fs::read_to_string(&file).expect("a file"));
        }
        fs::remove_dir_all(place.path(folder)).expect("a folder");
    }
    told
}

#[test]
fn other_columns_in_another_order_say_the_same_and_are_continued() {
    for name in [HILL].into_iter().chain(TOURNAMENTS) {
        let place = copied(name);
        let before = told(&place, name);
        let list = place.path(name).join("results.csv");
        let whole = fs::read(&list).expect("the results");
        let tables = change_all(&place.path(name), shuffle);
        assert!(!tables.is_empty(), "{name}");
        let is_adaptive = place.path(name).join("rounds").exists();
        if is_adaptive {
            // The plan of the next round names a row.
            fs::write(&list, &whole).expect("the results");
        }
        assert_eq!(told(&place, name), before, "{name}");
        if name != HILL {
            place.call(&["tournament", "repair", "--dir", name]).with_status(0);
            assert_eq!(fs::read(&list).expect("the results"), whole, "{name}");
            assert_eq!(told(&place, name), before, "{name}, made again");
        }
    }
}

#[test]
fn a_hill_of_other_columns_is_played_on_in_these_and_keeps_what_nobody_knows() {
    let place = copied(HILL);
    change_all(&place.path(HILL), shuffle);
    let bots = place.path(HILL);
    let read = |file: &str| fs::read_to_string(bots.join(file)).expect("a table");
    let header = read("results.csv").lines().next().expect("a header").to_owned();
    place.referee(&["hill", "run", HILL, "--rounds", "1"]).with_status(0);
    place.referee(&["hill", "submit", HILL, "still", "--name", "more"]).with_status(0);
    place.referee(&["hill", "run", HILL, "--rounds", "1"]).with_status(0);
    place.call(&["audit", HILL]).with_status(0);
    assert_eq!(
        read("results.csv").lines().next(),
        Some(&*header),
        "rows are added in the columns of the file"
    );
    assert!(read("results.csv").contains("m7"));
    assert_eq!(results_in(&bots).last().expect("a row").bot.version, 1);
    let seasons = read("seasons.csv");
    assert!(seasons.lines().next().is_some_and(|header| header.ends_with(",format,mood")), "{seasons}");
    assert!(seasons.lines().nth(2).is_some_and(|row| row.ends_with("m2")), "{seasons}");
}

/// Changes one file of a hill and returns the result of an audit.
fn audit_of(file: &str, change: impl Fn(&mut Cells)) -> (Option<i32>, String) {
    let place = copied(HILL);
    let path = place.path(HILL).join(file);
    let text = fs::read_to_string(&path).expect("a table");
    let text = if file == "results.csv" { changed_results(&text, change) } else { changed(&text, change) };
    fs::write(&path, text).expect("a table");
    let ran = place.call(&["audit", HILL]);
    (ran.status, ran.err)
}

/// Removes a column.
pub(super) fn without(name: &str) -> impl Fn(&mut Cells) {
    move |cells| {
        let column = cells[0].iter().position(|column| column == name).expect("a column");
        cells.iter_mut().for_each(|row| drop(row.remove(column)));
    }
}

/// Sets a column of all rows.
pub(super) fn set(name: &str, cell: &str) -> impl Fn(&mut Cells) {
    move |cells| {
        let column = cells[0].iter().position(|column| column == name).expect("a column");
        cells.iter_mut().skip(1).for_each(|row| cell.clone_into(&mut row[column]));
    }
}

#[test]
fn a_column_that_is_missing_is_named() {
    for (file, column) in [
        ("results.csv", "sandbox"),
        ("results.csv", "seat"),
        ("results.csv", "rules_digest"),
        ("entrants.csv", "arguments"),
        ("entrants.csv", "identity"),
        ("seasons.csv", "size"),
        ("seasons.csv", "terms"),
    ] {
        let (status, said) = audit_of(file, without(column));
        assert_eq!(status, Some(3), "{said}");
        let parts = [&format!("{file}, line 1: "), &format!("the header has no column {column}")];
        assert!(parts.iter().all(|part| said.contains(*part)), "{file} without {column}: {said}");
    }
}

/// A kind of row that has grown: formats 2 to 4 are read.
#[derive(Clone, Debug, PartialEq)]
struct Grown {
    name: String,
    turns: u32,
    mood: String,
}

impl Columns for Grown {
    const WHAT: &'static str = "a grown row";
    const FORMAT: u32 = 4;
    const OLDEST: u32 = 2;
    const COLUMNS: &'static [Column<Grown>] = &[
        column!("name", name, Name, "its name"),
        column!("turns", turns, Number, since 3 else "7", "number of turns"),
        column!("mood", mood, Text, since 4 else "", "its mood"),
    ];

    fn blank() -> Grown {
        Grown { name: String::new(), turns: 0, mood: String::new() }
    }
}

#[test]
fn a_file_goes_on_in_the_version_that_it_was_begun_in() {
    let place = Place::new();
    let path = place.path("grown.csv");
    let read = || small::read::<Grown>(Spot::from(&*path)).map_err(|error| error.to_string());
    let row = |turns, mood: &str| Grown { name: "fox".to_owned(), turns, mood: mood.to_owned() };
    for (text, first, next, last) in [
        ("name,format\nfox,2\n", row(7, ""), "fox,2\n", row(7, "")),
        ("name,turns,format\nfox,9,3\n", row(9, ""), "fox,5,3\n", row(5, "")),
        // Rows of an older format below a header that has grown.
        ("name,turns,format\nfox,9,2\n", row(9, ""), "fox,5,3\n", row(5, "")),
        ("name,turns,mood,format\nfox,9,glad,4\n", row(9, "glad"), "fox,5,sad,4\n", row(5, "sad")),
    ] {
        fs::write(&path, text).expect("a table");
        assert_eq!(read(), Ok(vec![first.clone()]));
        small::append(Spot::from(&*path), &row(5, "sad")).expect("on the disk");
        assert_eq!(fs::read_to_string(&path).expect("a table"), format!("{text}{next}"));
        assert_eq!(read(), Ok(vec![first, last]));
        // A whole file that is written anew is of today's format.
        let anew = small::changed::<Grown>(Spot::from(&*path), |_| ()).expect("rows");
        assert!(anew.starts_with(b"name,turns,mood,format\n") && anew.ends_with(b",4\n"));
    }
    for (text, said) in [
        (
            "name,format\nfox,3\n",
            "line 2: not a grown row: the header has no column turns, which rows of format 3 have",
        ),
        (
            "name,turns,format\nfox,1,4\n",
            "line 2: not a grown row: the header has no column mood, which rows of format 4",
        ),
        (
            "name,turns,mood,format\nfox,1,,5\n",
            "line 2: not a grown row: written in format 5 by a later referee",
        ),
        ("name,turns,mood,format\nfox,1,,0\n", "line 2: not a grown row: column format is unreadable"),
        (
            "name,turns,mood,format\nfox,1,,1\n",
            "grown.csv: a grown row of format 1, which this version does not read",
        ),
        ("name\nfox\n", "grown.csv: a grown row of format 1, which this version does not read (2 and later)"),
        ("a,b\n1,2\n", "line 1: not a grown row: the header has no column name, which rows of format 2 have"),
    ] {
        fs::write(&path, text).expect("a table");
        let error = read().expect_err(said);
        assert!(error.contains(said), "{error}");
        small::append(Spot::from(&*path), &row(5, "sad")).expect_err(said);
        assert_eq!(fs::read_to_string(&path).expect("a table"), text);
    }
    // Nor is a row added below a header that lacks a column.
    for header in ["name\n", "turns,mood,format\n"] {
        fs::write(&path, header).expect("a table");
        small::append(Spot::from(&*path), &row(5, "sad")).expect_err(header);
        assert_eq!(fs::read_to_string(&path).expect("a table"), header);
    }
    let table = schema::reference::<Grown>();
    for line in ["| `name` | name | its name | 2 |", "| `turns` | number | number of turns | 3; `7` before |"]
    {
        assert!(table.contains(line), "{table}");
    }
    assert!(table.contains("| its mood | 4; empty before |") && table.contains(": 4 | 2 |"), "{table}");
}

#[test]
fn a_file_of_a_later_format_is_refused_with_what_helps() {
    for file in ["results.csv", "entrants.csv", "seasons.csv"] {
        let later = |cells: &mut Cells| {
            set("format", "99")(cells);
            // Even if nothing else in it is understood.
            cells[0][0] = "something".to_owned();
        };
        let (status, said) = audit_of(file, later);
        assert_eq!(status, Some(3), "{said}");
        assert!(said.contains("written in format 99 by a later referee"), "{file}: {said}");
        assert!(said.contains("install that one"), "{file}: {said}");
    }
    // Nor can it be continued.
    let place = copied(HILL);
    let path = place.path(HILL).join("results.csv");
    let text = changed_results(&fs::read_to_string(&path).expect("results"), |cells| {
        set("format", "99")(cells);
    });
    fs::write(&path, &text).expect("results");
    place.call(&["hill", "run", HILL, "--rounds", "1", "--sandbox", "off"]).complaining(&["format 99"]);
    assert_eq!(fs::read_to_string(&path).expect("results"), text);
}

/// Rows are the same after their columns were shuffled.
fn assert_rows_stay<R: Columns + PartialEq + std::fmt::Debug>(rows: &[R]) {
    let place = Place::new();
    let path = place.path("rows.csv");
    let text = String::from_utf8(small::text(rows)).expect("text");
    fs::write(&path, changed(&text, shuffle)).expect("a table");
    assert_eq!(small::read::<R>(Spot::from(&*path)).expect("rows"), rows);
    rows.iter().for_each(|row| small::append(Spot::from(&*path), row).expect("on the disk"));
    let twice = small::read::<R>(Spot::from(&*path)).expect("rows");
    assert_eq!((&twice[..rows.len()], &twice[rows.len()..]), (rows, rows));
}

#[test]
fn rows_of_every_small_file_are_the_same_in_any_order_of_columns() {
    let text = |word: &str| format!("{word}, \"quoted\"");
    let void = VoidRow {
        game: "g".to_owned(),
        attempt: 2,
        reason: VoidReason::HostOverload,
        seat: Some(3),
        bots: "fox:1 owl:3".to_owned(),
        detail: text("d"),
        ..VoidRow::default()
    };
    assert_rows_stay(&[void.clone(), VoidRow { seat: None, bot_version: Some(1), ..void }]);
    assert_rows_stay(&[RulingRow { game: "g".to_owned(), lost_by: String::new(), why: text("w") }]);
    assert_rows_stay(&[VerdictRow {
        season: 3,
        alpha: 0.05,
        epsilon: 1e-7,
        kings: NamedBots(vec![("fox".to_owned(), 1), ("owl".to_owned(), 3)]),
        ..VerdictRow::blank()
    }]);
}

#[test]
fn a_list_that_grows_for_years_has_any_length_and_may_end_within_a_row() {
    let place = Place::new();
    let path = place.path("grown.csv");
    let row = format!("fox,9,{},4\n", "glad ".repeat(100));
    let text = "name,turns,mood,format\n".to_owned() + &row.repeat(70_000);
    assert!(text.len() > 33 << 20, "longer than a small file may be");
    let count = || {
        let mut count = 0;
        let read = small::each::<Grown>(Spot::from(&*path), |_| {
            count += 1;
            Ok(())
        });
        read.map(|()| count).map_err(|error| error.to_string())
    };
    for torn in ["", "fox,9,gl", "\"fox\n"] {
        fs::write(&path, text.clone() + torn).expect("a table");
        let whole = if torn.ends_with('\n') { Err("line 70002".to_owned()) } else { Ok(70_000) };
        match (count(), whole) {
            (Ok(count), Ok(due)) => assert_eq!(count, due),
            (Err(error), Err(due)) => assert!(error.contains(&due), "{error}"),
            (found, due) => panic!("{found:?} instead of {due:?}"),
        }
        if !torn.ends_with('\n') {
            let row = Grown { name: "owl".to_owned(), turns: 1, mood: String::new() };
            small::append(Spot::from(&*path), &row).expect("on the disk");
            assert_eq!(count(), Ok(70_001));
        }
    }
}
