//! `audit` finds every later change of a record, and names the place.

use std::fs;
use std::path::{Path, PathBuf};

use referee_contest::hill::Hill;
use referee_files::audit::{audit_log, audit_results};
use referee_files::log::part_of;
use referee_files::results;
use referee_record::Digest;
use referee_record::error::Error;

use crate::called::Calls;
use crate::random::Random;
use crate::support::{Place, copy_folder, files_below, printed_random, results_in};

/// A game of contested balls, nonsense, superfluous lines: its log contains every kind of row.
fn log_of_a_wild_game(place: &Place) -> PathBuf {
    let garbage = place.guest("garbage", "each 5 x y: 4 4 4 4 4 4") + " --every 5";
    let extra = place.guest("extra", "each 6 4 4 4 4 4 4/4 4 4 4 4 4: 4 4 4 4 4 4") + " --every 6";
    let bots = ["greedy", "greedy", &garbage, &extra];
    let game = ["play", "football", "-p", "6", "--max-turns", "25", "--turn-ms", "30000", "--seed", "3"];
    place.call(&[&game[..], &["--sandbox", "off"], &bots].concat()).with_status(0);
    let log = place.path("games").join(&results_in(&place.path("games"))[0].log);
    let text = fs::read_to_string(&log).expect("the log");
    for kind in
        ["format", "game", "set", "seed", "seat", "answer", "dropped", "draw", "effect", "score", "end"]
    {
        assert!(text.contains(&format!("\n{kind},")), "a row of kind {kind}");
    }
    log
}

/// Rows whose exact content follows from the rules, or from earlier rows.
fn is_determined(row: &str) -> bool {
    let kind = row.split(',').next().unwrap_or_default();
    ["row", "format", "start", "draw", "effect", "score", "end", "digest"].contains(&kind)
}

/// Returns the line and the file of an error; 0 for the file as a whole.
fn place_of(error: &Error) -> (&Path, u64) {
    error.place().map(|(path, line)| (path, line.unwrap_or(0))).expect("a place")
}

/// A log that is changed again and again.
struct Changed {
    path: PathBuf,
    text: String,
}

impl Changed {
    fn new(path: PathBuf) -> Changed {
        let text = fs::read_to_string(&path).expect("text");
        Changed { path, text }
    }

    fn lines(&self) -> Vec<&str> {
        self.text.split_inclusive('\n').collect()
    }

    /// Audits the log with other contents, and makes sure that an error names the file and a line not before
    /// `first`; if the rules determine the changed row, `first` itself.
    fn assert_found(&self, bytes: &[u8], first: u64, determined: bool, change: &str) {
        fs::write(&self.path, bytes).expect("the log");
        let error = match audit_log(&self.path) {
            Ok(_) => panic!("not found: {change}"),
            Err(error) => error,
        };
        let (path, line) = place_of(&error);
        assert_eq!(path, self.path, "{change}: {error}");
        // A log of an older format is refused as a whole.
        if determined && !error.what().starts_with("a log of format ") {
            assert_eq!(line, first, "{change}: {error}");
        } else {
            assert!(line == 0 || line >= first, "{change}: {error}");
        }
        if line == 0 {
            let head = self.lines().iter().take_while(|row| !row.starts_with("answer")).count() as u64;
            assert!(first <= head, "{change}: it could be said on which line: {error}");
        }
    }
}

fn another_byte(byte: u8, random: &mut Random) -> u8 {
    // Half of them digits for digits of the file: the smallest change.
    let other =
        if random.percent(50) { random.pick(b"0123456789,\n\r\" -aeklot") } else { random.next() as u8 };
    if other == byte { byte ^ 1 } else { other }
}

#[test]
fn any_changed_byte_of_a_log_is_found_and_its_line_named() {
    let place = Place::new();
    let log = Changed::new(log_of_a_wild_game(&place));
    let mut random = printed_random();
    for _ in 0..2_000 {
        let index = random.below(log.text.len());
        let mut bytes = log.text.clone().into_bytes();
        bytes[index] = another_byte(bytes[index], &mut random);
        let line = 1 + log.text[..index].matches('\n').count();
        let row = log.lines()[line - 1];
        let change = format!("byte {index} on line {line} is now {:?}: {row}", char::from(bytes[index]));
        log.assert_found(&bytes, line as u64, is_determined(row), &change);
    }
}

#[test]
fn any_row_of_a_log_that_is_removed_doubled_or_moved_is_found() {
    let place = Place::new();
    let log = Changed::new(log_of_a_wild_game(&place));
    let lines = log.lines();
    for (index, row) in lines.iter().enumerate() {
        let number = index as u64 + 1;
        let next = lines.get(index + 1);
        if next == Some(row) {
            continue; // two equal rows: it is unknown which is gone
        }
        let mut removed = lines.clone();
        removed.remove(index);
        // After a row of the heading is removed, the rest may be a heading of another game.
        log.assert_found(removed.concat().as_bytes(), number, is_determined(row), &format!("removed: {row}"));
        let mut doubled = lines.clone();
        doubled.insert(index, row);
        let change = format!("doubled: {row}");
        log.assert_found(doubled.concat().as_bytes(), number, false, &change);
        if let Some(next) = next {
            let mut swapped = lines.clone();
            swapped.swap(index, index + 1);
            let determined = is_determined(row) && is_determined(next);
            log.assert_found(
                swapped.concat().as_bytes(),
                number,
                determined,
                &format!("swapped: {row}{next}"),
            );
        }
    }
}

#[test]
fn a_log_that_is_cut_off_or_goes_on_is_found() {
    let place = Place::new();
    let log = Changed::new(log_of_a_wild_game(&place));
    let mut random = printed_random();
    for _ in 0..500 {
        let length = random.below(log.text.len());
        log.assert_found(&log.text.as_bytes()[..length], 0, false, &format!("cut off after {length} bytes"));
    }
    let end = log.lines().len() as u64;
    let arguments = log.text.find("\narguments,,3,").expect("the last seat has arguments") + 1;
    let line = 1 + log.text[..arguments].matches('\n').count() as u64;
    for other in ["0", "1", "2", ""] {
        let mut text = log.text.clone();
        text.replace_range(arguments + "arguments,,".len()..arguments + "arguments,,3".len(), other);
        log.assert_found(
            text.as_bytes(),
            line,
            true,
            &format!("the last arguments are those of seat {other:?}"),
        );
    }
    for more in ["\n", "x", "end,26,,max_turns,,,,,\n", "\0"] {
        let change = format!("with {more:?} at its end");
        log.assert_found((log.text.clone() + more).as_bytes(), end + 1, true, &change);
    }
}

#[test]
fn a_log_with_absurd_numbers_is_an_error_and_no_panic() {
    let place = Place::new();
    let log = Changed::new(log_of_a_wild_game(&place));
    let most = u64::MAX.to_string();
    let late = format!("dropped,1,0,late,,,,{},\n", u32::MAX);
    let changes: [&dyn Fn(&str) -> String; 4] = [
        &|row| if row.starts_with("answer,1,0") { format!("{row}{late}{late}") } else { row.to_owned() },
        &|row| {
            let mut columns: Vec<&str> = row.split(',').collect();
            if columns[0] == "answer" {
                columns[4] = &most;
            }
            columns.join(",")
        },
        &|row| row.replace("answer,1,0", "answer,1,255"),
        &|row| row.replace("set,,,max_turns,,,,25", "set,,,max_turns,,,,1000000"),
    ];
    for change in changes {
        let text: String = log.lines().into_iter().map(change).collect();
        assert_ne!(text, log.text);
        log.assert_found(text.as_bytes(), 1, false, "absurd numbers");
    }
}

const SHORT: [&str; 10] =
    ["-p", "2", "--max-turns", "20", "--turn-ms", "30000", "--first-ms", "30000", "--seed", "3"];

/// Two seasons of a small hill, the second after a bot was submitted again.
fn two_seasons(place: &Place) -> Hill {
    let root = place.hill_of_guests("hill", &SHORT, &[("greedy", "greedy")]);
    let submit = |bot: &str, name: &str| {
        place.call(&["hill", "submit", "hill", bot, "--name", name]).with_status(0);
    };
    submit(&(place.guest("rough", "each 4 4 77: 4 4") + " illegal --every 4"), "rough");
    submit(&(place.guest("honest", "says 4 4") + " honest"), "honest");
    place.call(&["hill", "run", "hill"]).with_status(0);
    submit(&(place.guest("tagged", "says 4 4") + " honest --tag"), "honest");
    place.call(&["hill", "run", "hill"]).with_status(0);
    audited(&root)
}

fn audited(root: &Path) -> Hill {
    let hill = Hill::open(root).expect("a hill");
    assert_eq!(hill.audit().expect("a hill that agrees").counts.rows, 32);
    hill
}

#[test]
fn any_changed_byte_of_the_results_is_found_on_its_line() {
    let place = Place::new();
    let hill = two_seasons(&place);
    let path = hill.root().join("results.csv");
    let text = fs::read_to_string(&path).expect("the results");
    let mut random = printed_random();
    for _ in 0..1_000 {
        let index = random.below(text.len());
        let mut bytes = text.clone().into_bytes();
        bytes[index] = another_byte(bytes[index], &mut random);
        fs::write(&path, &bytes).expect("the results");
        let error = audit_results(&path, 3, |_| Ok(())).expect_err("a changed byte");
        let line = 1 + text[..index].matches('\n').count() as u64;
        let (file, found) = place_of(&error);
        // The names of the columns are part of the first row's chain.
        let is_there = found == line || (line, found) == (1, 2);
        assert!(file == path && is_there, "byte {index}: {error}");
    }
}

#[test]
fn of_two_logs_that_were_changed_the_one_that_was_entered_first_is_named() {
    let place = Place::new();
    let hill = two_seasons(&place);
    let path = hill.root().join("results.csv");
    let logs: Vec<PathBuf> = results::games(&path)
        .expect("results")
        .map(|game| hill.root().join(&game.expect("a game")[0].1.log))
        .collect();
    for threads in [1, 2, 7] {
        for [first, second] in [[0, 1], [1, 2], [3, 7]] {
            let [long, short] = [&logs[first], &logs[second]];
            let texts = [long, short].map(|log| fs::read_to_string(log).expect("a log"));
            // The first is wrong at its end, the second right at its beginning: the latter is found sooner.
            fs::write(long, texts[0].clone() + "x").expect("a log");
            fs::write(short, texts[1].replacen("row", "raw", 1)).expect("a log");
            let error = audit_results(&path, threads, |_| Ok(())).expect_err("two changed logs");
            assert_eq!(place_of(&error).0, long, "{error}");
            for (log, text) in [long, short].into_iter().zip(&texts) {
                fs::write(log, text).expect("a log");
            }
        }
        assert_eq!(audit_results(&path, threads, |_| Ok(())).expect("as it was").rows, 32);
    }
}

#[test]
fn any_row_of_the_results_that_is_removed_doubled_or_moved_is_found_next_to_its_place() {
    let place = Place::new();
    let hill = two_seasons(&place);
    let path = hill.root().join("results.csv");
    let text = fs::read_to_string(&path).expect("the results");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let found = |rows: &[&str], number: usize, change: &str| {
        fs::write(&path, rows.concat()).expect("the results");
        let error = hill.audit().expect_err(change);
        let (file, line) = place_of(&error);
        assert_eq!(file, path, "{change}: {error}");
        assert!(line.abs_diff(number as u64) <= 1, "{change} {number}: {error}");
    };
    for index in 0..lines.len() {
        let mut rows = lines.clone();
        rows.remove(index);
        found(&rows, index + 1, "removed row");
        let mut rows = lines.clone();
        rows.insert(index, lines[index]);
        found(&rows, index + 1, "doubled row");
        for other in [index + 1, (index + 8) % lines.len()] {
            let mut rows = lines.clone();
            if other < lines.len() {
                rows.swap(index, other);
                found(&rows, index.min(other) + 1, "moved row");
            }
        }
    }
}

/// Writes results with a fitting chain, for any rows and any columns.
pub(crate) fn with_a_fitting_chain(text: &str) -> String {
    let header = text.split_inclusive('\n').next().expect("the names of the columns").to_owned();
    let mut chain = Digest::of(header.as_bytes());
    let rows = text.lines().skip(1).map(|row| {
        let row = row.rsplit_once(',').expect("a row").0.to_owned() + ",";
        chain = Digest::of(format!("{chain}{row}").as_bytes());
        format!("{row}{chain}\n")
    });
    let rows: String = rows.collect();
    header + &rows
}

/// Removes a column from every line of results.
fn without_column(text: &str, index: usize) -> String {
    let without = |line: &str| {
        let cells = line.split(',').enumerate().filter(|(column, _)| *column != index).map(|(_, cell)| cell);
        cells.collect::<Vec<&str>>().join(",") + "\n"
    };
    text.lines().map(without).collect()
}

#[test]
fn a_column_that_is_taken_out_of_the_results_is_found_though_the_chain_fits() {
    let place = Place::new();
    let hill = two_seasons(&place);
    let path = hill.root().join("results.csv");
    let text = fs::read_to_string(&path).expect("the results");
    let names = referee_record::results::header();
    let names: Vec<&str> = names.trim_end().strip_suffix(",chain").expect("a chain").split(',').collect();
    for (index, column) in names.iter().enumerate() {
        fs::write(&path, with_a_fitting_chain(&without_column(&text, index))).expect("the results");
        let error = hill.audit().expect_err(column);
        // Without its version, a row is one of the first format.
        if *column == "format" {
            assert!(
                error.to_string().contains("results.csv: a row of results of format 1, which"),
                "{error}"
            );
            continue;
        }
        assert_eq!(place_of(&error), (&*path, 1), "{column}: {error}");
        let said = format!("the header has no column {column}");
        assert!(error.to_string().contains(&said), "{column}: {error}");
    }
    // Nor does it help to leave out the version.
    let arguments = names.iter().position(|name| *name == "arguments").expect("a column");
    let format = names.len() - 2;
    let unsaid = |line: &str| {
        let mut cells: Vec<&str> = line.split(',').collect();
        cells[format] = if cells[format] == "format" { "format" } else { "" };
        cells.join(",") + "\n"
    };
    let unsaid: String = without_column(&text, arguments).lines().map(unsaid).collect();
    assert!(
        unsaid
            .lines()
            .all(|line| line.split(',').nth(format).is_some_and(|cell| cell.parse::<u32>().is_err()))
    );
    fs::write(&path, with_a_fitting_chain(&unsaid)).expect("the results");
    let said = hill.audit().map(drop).map_err(|error| error.to_string());
    assert_says(said, &["results.csv, line 1: column format is unreadable: \"\""]);
}

#[track_caller]
fn assert_says(audited: Result<(), String>, parts: &[&str]) {
    let error = audited.expect_err("something is wrong");
    assert!(parts.iter().all(|part| error.contains(part)), "{error}");
}

#[test]
fn whole_rounds_that_are_cut_off_are_told_as_long_as_the_records_of_a_run_know_them() {
    let place = Place::new();
    let hill = two_seasons(&place);
    place.call(&["hill", "run", "hill"]).with_status(0);
    let cut_a_round = |root: &Path| {
        let path = root.join("results.csv");
        let text = fs::read_to_string(&path).expect("the results");
        let kept = |row: &&str| !row.contains("s002-r00002-");
        let (kept, cut): (Vec<&str>, Vec<&str>) = text.split_inclusive('\n').partition(kept);
        assert!(!cut.is_empty());
        fs::write(&path, kept.concat()).expect("the results");
        for log in files_below(&root.join("logs"), "csv") {
            if log.display().to_string().contains("s002-r00002-") {
                // As a run that was killed leaves it.
                fs::rename(&log, part_of(&log)).expect("renamed");
            }
        }
    };
    let after = |change: &dyn Fn(&Path)| {
        let copy = place.path("cut");
        let _ = fs::remove_dir_all(&copy);
        copy_folder(hill.root(), &copy);
        change(&copy);
        let audited = Hill::open(&copy).expect("a hill").audit().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(audited.under_way, []);
        (audited.unlisted, audited.unrecorded == audited.counts.games)
    };
    assert_eq!(after(&|_| ()), (0, false));
    let round = hill.round_games(hill.seasons().expect("seasons")[1].bots.len());
    assert_eq!(after(&|root| cut_a_round(root)), (round, false));
    // No other file refers to them.
    let gone = after(&|root| {
        cut_a_round(root);
        fs::remove_dir_all(root.join("records")).expect("removed");
    });
    assert_eq!(gone, (0, true));
}

#[test]
fn a_log_of_rules_that_this_program_does_not_know_is_not_replayed_by_others() {
    let place = Place::new();
    let log = Changed::new(log_of_a_wild_game(&place));
    let other = log.text.replacen("\ngame,,,football,,,,1,", "\ngame,,,football,,,,2,", 1);
    assert_ne!(other, log.text);
    fs::write(&log.path, other).expect("the log");
    let error = audit_log(&log.path).expect_err("another version").to_string();
    assert!(error.contains("played by version 2 of the rules; this program has version 1"), "{error}");
}

#[test]
fn a_game_that_is_entered_twice_and_rows_of_mixed_games_are_found_though_the_chain_fits() {
    let place = Place::new();
    for seed in ["1", "2"] {
        let game = [
            "play",
            "football",
            "-p",
            "1",
            "--max-turns",
            "3",
            "--turn-ms",
            "30000",
            "--seed",
            seed,
            "--sandbox",
            "off",
        ];
        place.call(&[&game[..], &["still"; 4]].concat()).with_status(0);
    }
    let path = place.path("games/results.csv");
    let text = fs::read_to_string(&path).expect("the results");
    let [header, rows @ ..] = &text.lines().collect::<Vec<&str>>()[..] else { panic!("{text}") };
    let [one, other] = [&rows[..4], &rows[4..]];
    assert_eq!(other.len(), 4, "{text}");
    let audited = |rows: &[&[&str]]| {
        let lines = [&[*header], &rows.concat()[..]].concat();
        fs::write(&path, with_a_fitting_chain(&(lines.join("\n") + "\n"))).expect("the results");
        audit_results(&path, 2, |_| Ok(())).map_err(|error| error.to_string())
    };
    assert_eq!(audited(&[one, other]).map(|counts| counts.games), Ok(2));
    for (rows, line, what) in [
        (&[one, other, one][..], 10, "is entered twice"),
        (&[one, one, other], 6, "is entered twice"),
        (&[&one[..2], &other[..2], &one[2..], &other[2..]], 4, "is expected here"),
        (&[&one[..3], &other[3..], &other[..3], &one[3..]], 5, "is expected here"),
        (&[one, &other[..3]], 9, "missing"),
        (&[one, &[other[0], other[2], other[1], other[3]]], 7, "is expected here"),
    ] {
        let error = audited(rows).expect_err(what);
        println!("{error}");
        assert!(error.contains(&format!("line {line}")) && error.contains(what), "{error}");
    }
}
