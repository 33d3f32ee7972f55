//! Each column of each table is changed in many ways, and everything that only repeats it is made anew: an audit
//! notices all but what `docs/explanation/audits.md` lists.

mod signed;
mod wrong;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use referee_testutil::ROOT;

use self::wrong::Wrong;
use super::forge::{self, Folder};
use crate::called::Calls;
use crate::record::frozen;
use crate::support::{Place, faulty, house_program};

/// Changes that an audit did not notice: of each file the columns, and how the values were wrong.
type Unnoticed = BTreeMap<String, BTreeMap<String, BTreeSet<Wrong>>>;

/// Returns what the book lists for a contest: of each file the columns, and whether any text can be put there.
fn listed(contest: &str) -> BTreeMap<String, BTreeMap<String, bool>> {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/explanation/audits.md")).expect("the page");
    let table = page.split("<!-- unsigned -->").nth(1).expect("a list").trim_start();
    let mut listed: BTreeMap<String, BTreeMap<String, bool>> = BTreeMap::new();
    for row in table.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [contests, file, columns, change] = cells[..] else { panic!("{row}") };
        if contests.split(", ").any(|of| of == contest) {
            let columns = columns.split(", ").map(|column| column.trim_matches('`').to_owned());
            let columns = columns.map(|column| (column, change.starts_with("any ")));
            listed.entry(file.trim_matches('`').to_owned()).or_default().extend(columns);
        }
    }
    listed
}

/// Makes sure that the book lists what was not noticed; for `files` also that it lists nothing else.
#[track_caller]
fn assert_listed(contest: &str, unnoticed: &Unnoticed, files: &[&str]) {
    let listed = listed(contest);
    for (file, columns) in unnoticed {
        for (column, wrong) in columns {
            let is_any = listed.get(file).and_then(|columns| columns.get(column));
            let is_any =
                is_any.unwrap_or_else(|| panic!("{contest}: {file}, {column}: {wrong:?} is not noticed"));
            assert!(*is_any || wrong.iter().eq([&Wrong::Another]), "{contest}: {file}, {column}: {wrong:?}");
        }
    }
    for file in files {
        let columns = |table: Option<Vec<&String>>| table.unwrap_or_default().into_iter().cloned().collect();
        let listed: BTreeSet<String> = columns(listed.get(*file).map(|columns| columns.keys().collect()));
        // These times are there only where a bot has waited.
        let is_there = |column: &String| {
            !column.ends_with("wall_us")
                || unnoticed.get(*file).is_some_and(|found| found.contains_key(column))
        };
        let listed: BTreeSet<String> = listed.into_iter().filter(is_there).collect();
        let found: BTreeSet<String> = columns(unnoticed.get(*file).map(|columns| columns.keys().collect()));
        assert_eq!(listed, found, "{contest}: what is listed for {file}, and what is not noticed");
    }
}

/// Where changes are tried.
struct Trial {
    place: Place,
    name: String,
    folder: Folder,
    tried: usize,
    unnoticed: Unnoticed,
}

impl Trial {
    fn of(place: Place, name: &str) -> Trial {
        place.call(&["audit", name]).with_status(0);
        let folder = Folder::read(&place.path(name));
        Trial { place, name: name.to_owned(), folder, tried: 0, unnoticed: Unnoticed::default() }
    }

    /// Audits what was changed, and puts it back.
    fn judge(&mut self, file: &str, column: &str, wrong: Wrong, value: &str) {
        self.folder.put();
        let audited = self.place.call(&["audit", &self.name]);
        self.folder.restore();
        self.tried += 1;
        assert!(audited.status == Some(0) || audited.err.contains(&self.name), "{audited:?}");
        if audited.status == Some(0) {
            println!("tried: {file} {column} {wrong:?} {value:.60}");
            let columns = self.unnoticed.entry(file.to_owned()).or_default();
            columns.entry(column.to_owned()).or_default().insert(wrong);
        }
    }

    /// Changes results: a cell of one row, then of all rows of its game, then of all games.
    fn results(&mut self, game: &str, only: &[&str]) {
        let table = forge::cells(self.folder.results());
        let (header, rows) = table.split_first().expect("a header");
        let id = header.iter().position(|name| name == "game").expect("a column");
        let of_game: Vec<&Vec<String>> = rows.iter().filter(|row| row[id] == game).collect();
        let columns = header.iter().enumerate().take(header.len() - 1);
        for (index, column) in columns.filter(|(_, column)| only.is_empty() || only.contains(&&***column)) {
            let others: Vec<String> = rows.iter().rev().map(|row| row[index].clone()).collect();
            // One row that has a value, if there is one.
            let seat = of_game.iter().position(|row| !row[index].is_empty()).unwrap_or(0);
            let seat_of = |row: &BTreeMap<String, String>| row["seat"].clone();
            let seat = seat.to_string();
            let cell = &of_game[seat.parse::<usize>().expect("a seat")][index];
            for (wrong, value) in wrong::values(column, cell, &others) {
                // What is no value of such a cell is none anywhere.
                let scopes = if wrong == Wrong::Another { 0..3 } else { 1..2 };
                for scope in scopes {
                    self.folder.change_rows(|row| {
                        let is_it = match scope {
                            0 => row["game"] == game && seat_of(row) == seat,
                            1 => row["game"] == game,
                            _ => true,
                        };
                        if is_it && row[column] == *cell {
                            row.insert(column.clone(), value.clone());
                        }
                    });
                    self.judge("results", column, wrong, &value);
                }
            }
        }
    }

    /// Changes void games.
    fn voids(&mut self) {
        let mut once = BTreeSet::new();
        let table = self.folder.table("voids.csv");
        let (header, rows) = table.split_first().expect("a header");
        let id = header.iter().position(|name| name == "game").expect("a column");
        for (index, column) in header.iter().enumerate() {
            let others: Vec<String> = rows.iter().map(|row| row[index].clone()).collect();
            let mut seen = BTreeSet::new();
            for row in rows.iter().filter(|row| seen.insert(&row[index])) {
                for (wrong, value) in wrong::values(column, &row[index], &others) {
                    if !is_due(&mut once, column, &row[index], wrong) {
                        continue;
                    }
                    self.folder.change_voids(column, &row[index], &value, &row[id]);
                    self.judge("voids.csv", column, wrong, &value);
                }
            }
        }
    }

    /// Changes a table that nothing repeats, one cell at a time, then the same cell of all rows.
    fn table(&mut self, file: &str, more: &[&str]) {
        let mut once = BTreeSet::new();
        let table = self.folder.table(file);
        let (header, rows) = table.split_first().expect("a header");
        for (index, column) in header.iter().enumerate() {
            let others = rows.iter().map(|row| &*row[index]).chain(more.iter().copied());
            let others: Vec<String> = others.map(str::to_owned).collect();
            let mut seen = BTreeSet::new();
            for (number, row) in rows.iter().enumerate() {
                if !seen.insert((row.get(1).cloned(), row[index].clone())) {
                    continue;
                }
                let cell = &row[index];
                for (wrong, value) in wrong::values(column, cell, &others) {
                    if !is_due(&mut once, column, cell, wrong) {
                        continue;
                    }
                    for alone in if wrong == Wrong::Another { &[true, false][..] } else { &[true] } {
                        self.folder.change_table(file, |table| {
                            for (other, row) in table.iter_mut().skip(1).enumerate() {
                                if row[index] == *cell && (!alone || other == number) {
                                    row[index].clone_from(&value);
                                }
                            }
                        });
                        self.judge(file, column, wrong, &value);
                    }
                }
            }
        }
    }

    /// Changes the log of a game: for each kind of rows its first, and what follows from it.
    fn log(&mut self, game: &str, log: &str) {
        let table = self.folder.table(log);
        let header = table[0].clone();
        let mut seen = BTreeSet::new();
        for (number, row) in table.iter().enumerate().skip(1) {
            // An answer that is a fault has other cells.
            let kind = if row[0] == "answer" && row[3] != "ok" { "fault" } else { &row[0] };
            if row[0] == "digest"
                || !seen.insert(format!("{kind} {}", if row[0] == "set" { &*row[3] } else { "" }))
            {
                continue;
            }
            for (index, column) in header.iter().enumerate().skip(1) {
                let others: Vec<String> = table
                    .iter()
                    .rev()
                    .filter(|other| other[0] == row[0])
                    .map(|other| other[index].clone())
                    .collect();
                for (wrong, value) in wrong::values(column, &row[index], &others) {
                    if self.folder.change_log(game, |rows| rows[number][index].clone_from(&value)) {
                        self.judge("logs", &format!("{kind}.{column}"), wrong, &value);
                    } else {
                        self.folder.put();
                        self.folder.restore();
                        self.tried += 1;
                    }
                }
            }
        }
    }

    /// Adds what was not noticed elsewhere.
    fn join(&mut self, other: Trial) {
        for (file, columns) in other.unnoticed {
            for (column, wrong) in columns {
                self.unnoticed.entry(file.clone()).or_default().entry(column).or_default().extend(wrong);
            }
        }
    }

    /// Makes sure that at least this number of changes was tried.
    #[track_caller]
    fn tried(&self, least: usize) {
        println!("{} changes were tried", self.tried);
        assert!(self.tried >= least, "{}", self.tried);
    }
}

/// Tells whether a wrong value is tried in a cell: another one in all of them, what is no value in one cell of a
/// column, and in one that is empty.
fn is_due<'a>(
    once: &mut BTreeSet<(&'a str, bool, Wrong, usize)>,
    column: &'a str,
    cell: &str,
    wrong: Wrong,
) -> bool {
    // Two values are wrong in each of some ways.
    wrong == Wrong::Another || (0..2).any(|number| once.insert((column, cell.is_empty(), wrong, number)))
}

fn frozen_hill() -> Trial {
    Trial::of(frozen::copied(frozen::HILL), frozen::HILL)
}

#[test]
fn results_of_a_hill() {
    let mut trial = frozen_hill();
    trial.results("s001-r00001-t001-g2", &[]);
    trial.tried(400);
    let mut other = eventful_hill();
    // Fillers sit elsewhere in each game.
    for rotation in 1..=4 {
        let game = format!("s002-r00001-t001-g{rotation}");
        other.results(&game, &["counts", "sandbox", "clock", "arguments"]);
    }
    trial.join(other);
    assert_listed("hill", &trial.unnoticed, &["results"]);
}

#[test]
fn seasons_and_verdicts_of_a_hill() {
    let mut trial = frozen_hill();
    trial.table("seasons.csv", &[]);
    trial.table("verdicts.csv", &[]);
    trial.tried(250);
    assert_listed("hill", &trial.unnoticed, &["seasons.csv", "verdicts.csv"]);
}

#[test]
fn logs_of_a_hill() {
    let mut trial = frozen_hill();
    trial.log("s001-r00001-t001-g2", "logs/s001/0000/r00001/s001-r00001-t001-g2.csv");
    trial.tried(400);
    assert_listed("hill", &trial.unnoticed, &["logs"]);
}

/// A hill with a program that was replaced, bots that were retired and banned, one that fills a seat, and games that
/// are given up.
fn eventful_hill() -> Trial {
    let place = Place::new();
    let short = ["-p", "2", "--max-turns", "6", "--turn-ms", "30000", "--first-ms", "30000", "--seed", "3"];
    // What a signature proves is not asked here.
    place.hill_of_guests("hill", &[&short[..], &["--no-key"]].concat(), &[("greedy", "greedy")]);
    let submit = |bot: &str, name: &str| {
        place.call(&["hill", "submit", "hill", bot, "--name", name]).with_status(0);
    };
    let run = || drop(place.call(&["hill", "run", "hill"]).with_status(0));
    submit(&(place.guest("rough", "each 4 4 77: 4 4") + " 'a,b' --every 4"), "rough");
    submit(&place.guest("gone", "void first: 4 4"), "gone");
    run();
    place.call(&["hill", "retire", "hill", "gone"]).with_status(0);
    submit(&(place.guest("tagged", "says 4 4") + " --tag"), "rough");
    submit(&place.guest("other", "says 4 4"), "other");
    place.call(&["hill", "ban", "hill", "other"]).with_status(0);
    place.call(&["hill", "ban", "hill", "other", "--lift"]).with_status(0);
    run();
    Trial::of(place, "hill")
}

#[test]
fn entrants_of_a_hill() {
    let mut trial = eventful_hill();
    trial.table("entrants.csv", &[]);
    trial.tried(250);
    assert_listed("hill", &trial.unnoticed, &["entrants.csv"]);
}

#[test]
fn void_games_of_a_hill() {
    let mut trial = eventful_hill();
    trial.voids();
    trial.tried(150);
    // Of an attempt that was lost with its runner, there is no log.
    let mut lost = frozen_hill();
    lost.voids();
    trial.join(lost);
    assert_listed("hill", &trial.unnoticed, &["voids.csv"]);
}

#[test]
fn games_of_no_schedule() {
    let place = Place::new();
    let greedy = house_program("football-greedy");
    let bots = [&*greedy, &*greedy, &faulty("garbage --every 5"), &faulty("extra --every 6")];
    let game = ["play", "football", "-p", "6", "--max-turns", "14", "--turn-ms", "30000", "--seed", "3"];
    place.referee(&[&game[..], &["--repeat", "2", "--sandbox", "off"], &bots].concat()).with_status(0);
    let mut trial = Trial::of(place, "games");
    let id = "football-0x0000000000000003";
    trial.results(id, &[]);
    trial.log(id, &format!("logs/{id}.csv"));
    trial.tried(800);
    assert_listed("play", &trial.unnoticed, &["results", "logs"]);
}

#[test]
fn results_of_a_tournament() {
    let mut trial = Trial::of(frozen::copied("rounds"), "rounds");
    trial.results("s002-r00001-t001-g4", &[]);
    trial.tried(400);
    assert_listed("tournament", &trial.unnoticed, &["results"]);
    // The plan of a later round names the results before it.
    let mut trial = Trial::of(frozen::copied("cup"), "cup");
    trial.results("s001-r00001-t001-g1", &["started"]);
    trial.tried(10);
    assert!(trial.unnoticed.is_empty(), "{:?}", trial.unnoticed);
}

#[test]
fn other_tables_of_a_tournament() {
    let mut trial = Trial::of(frozen::copied("rounds"), "rounds");
    trial.voids();
    trial.table("rulings.csv", &["one"]);
    trial.tried(100);
    assert_listed("tournament", &trial.unnoticed, &["voids.csv", "rulings.csv"]);
}
