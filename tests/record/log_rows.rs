//! Rows of logs agree with their kinds: they use no other columns, are in order, and belong to the format of
//! the log.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use referee_files::log;
use referee_record::row_kind::{LogColumn, RowKind};

use crate::support::{Place, faulty, files_below};

#[test]
fn every_row_of_a_log_is_of_a_kind_and_uses_its_columns() {
    let place = Place::new();
    let bots = ["greedy", "greedy", &faulty("garbage --every 5"), &faulty("extra --every 6")];
    let game = ["play", "football", "-p", "6", "--max-turns", "25", "--turn-ms", "30000", "--seed", "3"];
    place.referee(&[&game[..], &bots].concat()).with_status(0);
    place
        .referee(&["play", "target", "random", "random", "--seed", "3", "--max-rounds", "20"])
        .with_status(0);
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders =
        [place.path("games"), project.join("referee/rules"), project.join("tests/record/old_records")];
    let (mut kinds, mut logs) = (BTreeSet::new(), 0);
    for file in folders.iter().flat_map(|folder| files_below(folder, "csv")) {
        let text = fs::read_to_string(&file).expect("text");
        let is_log = |has_cpu: &bool| text.lines().next() == Some(&*LogColumn::header(*has_cpu));
        let Some(has_cpu) = [true, false].into_iter().find(is_log) else { continue };
        logs += 1;
        for row in csv::Reader::from_reader(text.as_bytes()).records() {
            let row = row.expect("a row");
            let kind = RowKind::from_name(&row[0]).unwrap_or_else(|| panic!("{}: {row:?}", file.display()));
            kinds.insert(kind);
            for (column, cell) in LogColumn::all(has_cpu).zip(&row) {
                let is_empty = cell.is_empty();
                assert!(kind.uses(column) || is_empty, "{}: {row:?}", file.display());
            }
        }
    }
    assert!(logs > 20, "{logs} logs");
    assert_eq!(kinds.into_iter().collect::<Vec<RowKind>>(), RowKind::ALL);
}

/// Returns what is wrong with a heading, if anything.
fn heading(lines: &[String]) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log.csv");
    fs::write(&log, lines.concat()).expect("a log");
    log::reader(&*log).map(drop).map_err(|error| error.to_string())
}

#[test]
fn a_heading_that_is_not_as_its_kinds_say_is_refused_on_its_line() {
    let log = "tests/record/old_records/push-format-2/logs/s001/0000/r00001/s001-r00001-t001-g1.csv";
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join(log);
    let text = fs::read_to_string(log).expect("a log");
    let lines: Vec<String> = text.split_inclusive('\n').take(20).map(str::to_owned).collect();
    assert_eq!(heading(&lines), Ok(()));
    let seed = lines.iter().position(|row| row.starts_with("seed,")).expect("a seed");
    type Change<'a> = &'a dyn Fn(&mut Vec<String>);
    let answer = lines.iter().position(|row| row.starts_with("answer,")).expect("an answer");
    let arguments = "arguments,,0,,,,,x\n".to_owned();
    let start = "start,,,target,,,7,\n".to_owned();
    let header = format!("{}\n", LogColumn::header(true));
    let changes: [(Change, usize, &str); 11] = [
        (&|rows| drop(rows.remove(1)), 2, "a log begins with a row format"),
        (&|rows| rows.swap(2, seed), 4, "rows set come before rows seed"),
        (&|rows| rows.insert(3, rows[2].clone()), 4, "a second row game"),
        (&|rows| rows.insert(3, rows[2].replace("game", "gamble")), 4, "not a row of the heading: gamble"),
        (
            &|rows| rows.insert(answer, "score,,0,place,,,0,1\n".to_owned()),
            answer + 1,
            "not a row of the heading",
        ),
        (&|rows| rows[seed] = rows[seed].replace(",,,,,,,", ",7,,,,,,"), seed + 1, "a row seed has no turn"),
        (&|rows| rows.insert(answer, arguments.clone()), 2, "format 2 has no rows arguments"),
        (
            &|rows| {
                rows.insert(answer, start.clone());
                rows[1] = rows[1].replace(",2,", ",3,");
            },
            2,
            "format 3 has no rows start",
        ),
        (&|rows| rows[1] = "format,,,referee-log,,,3,\n".to_owned(), 2, "in format 3 its detail is whole_us"),
        (&|rows| rows[1] = rows[1].replace(",2,", ",5,"), 2, "format 5 has a column cpu_us"),
        (
            &|rows| {
                rows[0] = header.clone();
                rows[1] = "format,,,referee-log,,,,4,whole_us\n".to_owned();
            },
            2,
            "format 4 has no column cpu_us",
        ),
    ];
    for (change, line, what) in changes {
        let mut rows = lines.clone();
        change(&mut rows);
        let said = heading(&rows).expect_err(what);
        assert!(said.contains(&format!("log.csv, line {line}: ")) && said.contains(what), "{said}");
    }
    // With its format each kind of row is read.
    let mut rows = lines.clone();
    rows.splice(answer..answer, [arguments, start]);
    rows[1] = rows[1].replace(",2,", ",4,");
    assert_eq!(heading(&rows), Ok(()));
}
