//! Rows of logs agree with their kinds: they use no other columns, and are in order.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use referee_files::log;
use referee_record::row_kind::{LogColumn, RowKind};

use crate::called::Calls;
use crate::record::frozen::folder;
use crate::support::{Place, files_below};

#[test]
fn every_row_of_a_log_is_of_a_kind_and_uses_its_columns() {
    let place = Place::new();
    let garbage = place.guest("garbage", "each 5 x y: 4 4 4 4 4 4") + " --every 5";
    let extra = place.guest("extra", "each 6 4 4 4 4 4 4/4 4 4 4 4 4: 4 4 4 4 4 4") + " --every 6";
    let bots = ["greedy", "greedy", &garbage, &extra, "--sandbox", "off"];
    let game = ["play", "football", "-p", "6", "--max-turns", "25", "--turn-ms", "30000", "--seed", "3"];
    place.call(&[&game[..], &bots].concat()).with_status(0);
    place
        .call(&[
            "play",
            "target",
            "random",
            "random",
            "--seed",
            "3",
            "--max-rounds",
            "20",
            "--sandbox",
            "off",
        ])
        .with_status(0);
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [place.path("games"), project.join("referee/games"), project.join("tests/record/frozen")];
    let (mut kinds, mut logs) = (BTreeSet::new(), 0);
    for file in folders.iter().flat_map(|folder| files_below(folder, "csv")) {
        let text = fs::read_to_string(&file).expect("text");
        if text.lines().next() != Some(&*LogColumn::header()) {
            continue;
        }
        logs += 1;
        for row in csv::Reader::from_reader(text.as_bytes()).records() {
            let row = row.expect("a row");
            let kind = RowKind::from_name(&row[0]).unwrap_or_else(|| panic!("{}: {row:?}", file.display()));
            kinds.insert(kind);
            for (column, cell) in LogColumn::ALL.into_iter().zip(&row) {
                let is_empty = cell.is_empty();
                assert!(kind.uses(column) || is_empty, "{}: {row:?}", file.display());
            }
        }
    }
    assert!(logs > 12, "{logs} logs");
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
    let log = folder().join("hill/logs/s001/0000/r00001/s001-r00001-t001-g2.csv");
    let text = fs::read_to_string(log).expect("a log");
    let lines: Vec<String> = text.split_inclusive('\n').take(30).map(str::to_owned).collect();
    assert_eq!(heading(&lines), Ok(()));
    let line_of = |kind: &str| lines.iter().position(|row| row.starts_with(kind)).expect("a row");
    let (seed, arguments, answer) = (line_of("seed,"), line_of("arguments,"), line_of("answer,"));
    type Change<'a> = &'a dyn Fn(&mut Vec<String>);
    let changes: [(Change, usize, &str); 10] = [
        (&|rows| drop(rows.remove(1)), 2, "a log begins with a row format"),
        (&|rows| rows.swap(2, seed), 4, "rows set come before rows seed"),
        (&|rows| rows.insert(3, rows[2].clone()), 4, "a second row game"),
        (&|rows| rows.insert(3, rows[2].replace("game", "gamble")), 4, "not a row of the heading: gamble"),
        (
            &|rows| rows.insert(answer, "score,,0,place,,,,0,1\n".to_owned()),
            answer + 1,
            "not a row of the heading",
        ),
        (
            &|rows| rows[seed] = rows[seed].replace(",,,,,,,,", ",7,,,,,,,"),
            seed + 1,
            "a row seed has no turn",
        ),
        (&|rows| rows.swap(seed, arguments), seed + 1, "arguments of a seat that was not named before"),
        (&|rows| rows[1] = rows[1].replace("whole_us", ""), 2, "in format 5 its detail is whole_us"),
        (
            &|rows| rows[1] = rows[1].replace(",5,", ",6,"),
            2,
            "written in format 6; this program reads formats up to 5",
        ),
        (&|rows| rows[2] = rows[2].replacen(',', "", 1), 3, "not a row of 9 columns"),
    ];
    for (change, line, what) in changes {
        let mut rows = lines.clone();
        change(&mut rows);
        let said = heading(&rows).expect_err(what);
        assert!(said.contains(&format!("log.csv, line {line}: ")) && said.contains(what), "{said}");
    }
    // A random position before the first turn has a row, too.
    let mut rows = lines.clone();
    rows.insert(answer, "start,,,target,,,,7,\n".to_owned());
    assert_eq!(heading(&rows), Ok(()));
}
