//! A host who changes one cell and then makes everything anew that only repeats it: chains, check sums, digests, and
//! the records of the runners. He cannot sign.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use flate2::Crc;
use referee_files::audit::audit_log;
use referee_record::Digest;
use referee_record::results::{Circumstances, Header, ResultRow, rows_of_game};
use serde_json::Value as Json;

use crate::support::files_below;

/// The cells of a table, with its header.
pub(super) type Cells = Vec<Vec<String>>;

/// The files of a contest or of a folder of games, as they are in memory.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) root: PathBuf,
    honest: BTreeMap<PathBuf, String>,
    now: BTreeMap<PathBuf, String>,
}

/// What the last column of results closes.
const CHAIN: &str = "chain";

impl Folder {
    pub(super) fn read(root: &Path) -> Folder {
        let files = ["csv", "toml"].into_iter().flat_map(|ending| files_below(root, ending));
        let below = |folder: &Path| {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).collect::<Vec<PathBuf>>()
        };
        let rounds = below(&root.join("rounds")).into_iter().chain([root.to_owned()]);
        let runs = rounds.flat_map(|round| below(&round.join("records/runs")));
        let text = |path: PathBuf| {
            let text = fs::read_to_string(&path).expect("a text");
            (path.strip_prefix(root).expect("below it").to_owned(), text)
        };
        let honest: BTreeMap<PathBuf, String> = files.chain(runs).map(text).collect();
        Folder { root: root.to_owned(), now: honest.clone(), honest }
    }

    /// Writes what was changed.
    pub(super) fn put(&self) {
        for (name, text) in &self.now {
            if self.honest.get(name) != Some(text) {
                fs::write(self.root.join(name), text).expect("written");
            }
        }
    }

    /// Puts everything back.
    pub(super) fn restore(&mut self) {
        for (name, text) in &self.now {
            match self.honest.get(name) {
                Some(honest) if honest != text => fs::write(self.root.join(name), honest).expect("written"),
                Some(_) => {}
                None => fs::remove_file(self.root.join(name)).expect("removed"),
            }
        }
        self.now.clone_from(&self.honest);
    }

    pub(super) fn text(&self, name: &str) -> &str {
        self.now.get(Path::new(name)).map_or("", |text| text)
    }

    fn set(&mut self, name: &Path, text: String) {
        self.now.insert(name.to_owned(), text);
    }

    fn names(&self, part: &str) -> Vec<PathBuf> {
        self.now.keys().filter(|name| name.to_string_lossy().contains(part)).cloned().collect()
    }

    pub(super) fn table(&self, name: &str) -> Cells {
        cells(self.text(name))
    }

    /// Changes a small table that nothing repeats.
    pub(super) fn change_table(&mut self, name: &str, change: impl FnOnce(&mut Cells)) {
        let mut table = self.table(name);
        change(&mut table);
        self.set(Path::new(name), table.iter().map(|row| line(row) + "\n").collect());
    }

    /// Changes the rows of results that `change` is handed, wherever they are, by the names of their columns.
    pub(super) fn change_rows(&mut self, change: impl Fn(&mut BTreeMap<String, String>)) {
        let changed = with_chain(self.results(), &change);
        self.set(Path::new("results.csv"), changed);
        self.change_records("over", |columns, cells| {
            for row in cells {
                let mut named = named(columns, &self::cells(&format!("{row}\n"))[0]);
                change(&mut named);
                *row = line(&columns.iter().map(|name| named[name].clone()).collect::<Vec<String>>());
            }
        });
    }

    /// Changes void attempts, wherever they are. The records have them as values of JSON.
    pub(super) fn change_voids(&mut self, column: &str, from: &str, to: &str, game: &str) {
        let change = |table: &mut Cells| {
            let header = table[0].clone();
            let place = |name: &str| header.iter().position(|other| other == name).expect("a column");
            for row in table.iter_mut().skip(1) {
                if row[place("game")] == game && row[place(column)] == from {
                    row[place(column)] = to.to_owned();
                }
            }
        };
        self.change_table("voids.csv", change);
        for kind in ["void", "given_up"] {
            self.change_records(kind, |_, cells| {
                let Some(row) = cells.first_mut() else { return };
                let mut json: Json = serde_json::from_str(row).expect("a row");
                let said = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let is_it = said(&json["game"]) == game && said(&json[column]).replace("null", "") == from;
                if is_it {
                    json[column] = match &json[column] {
                        Json::String(_) => to.into(),
                        _ if to.is_empty() => Json::Null,
                        _ => serde_json::from_str(to).unwrap_or_else(|_| to.into()),
                    };
                    // The order of the keys stays.
                    let order = [
                        "game",
                        "started",
                        "attempt",
                        "turn",
                        "reason",
                        "seat",
                        "bot",
                        "bot_version",
                        "bots",
                        "sandbox",
                        "detail",
                        "log",
                        "log_digest",
                    ];
                    let pairs = order.map(|key| format!("{key:?}:{}", json[key]));
                    *row = format!("{{{}}}", pairs.join(","));
                }
            });
        }
    }

    /// Changes the name of a plan in the records of its runners.
    pub(super) fn rename_plan(&mut self, from: &str, to: &str) {
        self.change_records("note", |_, cells| {
            cells.iter_mut().filter(|cell| *cell == from).for_each(|cell| to.clone_into(cell));
        });
    }

    /// Changes the cells of each record of a kind, with the columns of results that its runner names.
    fn change_records(&mut self, kind: &str, change: impl Fn(&[String], &mut [String])) {
        for name in self.names("records/runs/") {
            let text = self.now[&name].clone();
            let mut columns = Vec::new();
            let anew = text.split_inclusive('\n').map(|whole| {
                // Most records are of other kinds, and to read one takes a reader.
                if !["note", kind].iter().any(|kind| whole[9..].starts_with(kind)) {
                    return whole.to_owned();
                }
                let mut record = cells(&whole[9..]).remove(0);
                if record[0] == "note" && record.get(4).is_some_and(|about| about == "columns") {
                    columns = record[5].split(',').map(str::to_owned).collect();
                }
                if record[0] != kind {
                    return whole.to_owned();
                }
                change(&columns, &mut record[4..]);
                let text = line(&record) + "\n";
                let mut crc = Crc::new();
                crc.update(text.as_bytes());
                format!("{:08x},{text}", crc.sum())
            });
            let anew = anew.collect();
            self.set(&name, anew);
        }
    }

    /// Changes the log of a game, closes it anew, and makes all rows that follow from it. Returns whether the log
    /// agrees with itself: if not, the change is found anyway.
    pub(super) fn change_log(&mut self, game: &str, change: impl FnOnce(&mut Cells)) -> bool {
        let mut all: Vec<ResultRow> = Vec::new();
        let header = Header::of(self.results().split_inclusive('\n').next().expect("a header"));
        let header = header.expect("a header");
        for row in self.results().lines().skip(1) {
            let row = row.rsplit_once(',').expect("a chain").0;
            let row = header.parse(row).expect("an honest row");
            all.extend((row.game == game).then_some(row));
        }
        let name = PathBuf::from(&all[0].log);
        let mut rows = cells(&self.now[&name]);
        rows.pop();
        change(&mut rows);
        let body: String = rows.iter().map(|row| line(row) + "\n").collect();
        let digest = Digest::of(body.as_bytes());
        let text = format!("{body}digest,,,sha256,,,,,{digest}\n");
        fs::write(self.root.join(&name), &text).expect("the log");
        self.set(&name, text);
        let Ok(agreed) = audit_log(&*self.root.join(&name)) else { return false };
        let guests = all.iter().filter(|row| row.is_guest());
        let other = all.iter().find(|row| !row.is_guest());
        let circumstances = Circumstances {
            started: all[0].started.clone(),
            scheduled: all[0].place_in_schedule,
            fillers: all.iter().filter(|row| !row.counts).map(|row| row.seat).collect(),
            rules_digest: all[0].rules_digest.clone(),
            sandbox: other.map_or_else(String::new, |row| row.sandbox.clone()),
            clock: other.map_or_else(String::new, |row| row.clock.clone()),
            guest_clock: guests.clone().next().map_or_else(String::new, |row| row.clock.clone()),
            guests: guests.map(|row| row.seat).collect(),
        };
        let log = (&*all[0].log, &agreed.digest);
        let due =
            rows_of_game(&agreed.heading, &agreed.outcome, agreed.turns, &agreed.tally, log, &circumstances);
        let columns: Vec<String> = header.names().split(',').map(str::to_owned).collect();
        self.change_rows(|row| {
            if row["game"] == game {
                let seat: usize = row["seat"].parse().expect("a seat");
                if let Some(due) = due.get(seat) {
                    *row = named(&columns, &cells(&(header.text(due) + "\n"))[0]);
                }
            }
        });
        true
    }

    /// Returns the results of all games.
    pub(super) fn results(&self) -> &str {
        self.text("results.csv")
    }
}

fn named(columns: &[String], row: &[String]) -> BTreeMap<String, String> {
    columns.iter().cloned().zip(row.iter().cloned()).collect()
}

/// Reads the lines of a table, its header among them.
pub(super) fn cells(text: &str) -> Cells {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let rows = reader.records().map(|row| row.expect("a row").iter().map(str::to_owned).collect());
    rows.collect()
}

/// Writes a line without its end.
fn line(cells: &[String]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(cells).expect("in memory");
    let text = String::from_utf8(writer.into_inner().expect("in memory")).expect("text");
    text.strip_suffix('\n').expect("a line").to_owned()
}

/// Changes the rows of results, and makes their chain anew.
fn with_chain(text: &str, change: impl Fn(&mut BTreeMap<String, String>)) -> String {
    let table = cells(text);
    let (columns, rows) = table.split_first().expect("a header");
    assert_eq!(columns.last().map(String::as_str), Some(CHAIN));
    let columns = &columns[..columns.len() - 1];
    let mut anew = text.split_inclusive('\n').next().expect("a header").to_owned();
    let mut chain = Digest::of(anew.as_bytes());
    for row in rows {
        let mut named = named(columns, row);
        change(&mut named);
        let row = line(&columns.iter().map(|name| named[name].clone()).collect::<Vec<String>>());
        chain = Digest::of(format!("{chain}{row},").as_bytes());
        anew += &format!("{row},{chain}\n");
    }
    anew
}
