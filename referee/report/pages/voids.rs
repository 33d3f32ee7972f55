//! The void games of a contest: all of them as a file of the report, the last ones as a table of its page.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufWriter, Write};

use serde_json::Value;

use crate::pages::folder::Folder;
use crate::tables::sheet::Sheet;
use referee_record::error::Error;
use referee_record::voids::VoidRow;

/// The file with all of them.
pub(super) const FILE: &str = "voids.csv";

/// Maximum number of void games on the page.
const LAST: usize = 50;

/// Number of rows that are written at once.
const AT_ONCE: usize = 1000;

/// Maximum number of void games on the page of a bot.
const LAST_OF_A_BOT: usize = 10;

/// The void games that a bot was named for: their number, and the cells of the last ones.
type OfABot = (usize, VecDeque<Vec<Value>>);

/// The number of void games in a report, those of each bot, and the cells of the last ones.
pub(super) type Rows = (usize, BTreeMap<String, OfABot>, Vec<Vec<Value>>);

/// The void games, once their file is written.
#[derive(Debug)]
pub(super) struct Voids {
    pub(super) count: usize,
    /// Those that a bot was named for, by its name.
    by_bot: BTreeMap<String, OfABot>,
    /// The last ones.
    pub(super) last: Sheet,
}

impl Voids {
    /// Writes the file, or goes on with that of an earlier report, which has these rows.
    /// `each` calls its argument with one row after the other.
    pub(super) fn write<T>(
        folder: &mut Folder,
        before: Option<(BufWriter<File>, Rows)>,
        each: impl FnOnce(&mut dyn FnMut(VoidRow) -> Result<(), Error>) -> Result<T, Error>,
    ) -> Result<(Voids, T), Error> {
        let target = folder.target().to_owned();
        let refused = || Error::system(&target, "write the report");
        let (mut file, mut count, mut by_bot, mut last) = match before {
            Some((file, (count, by_bot, last))) => (file, count, by_bot, VecDeque::from(last)),
            None => {
                let mut file = folder.begin_file(FILE)?;
                sheet_of([]).write_csv(&mut file).map_err(refused())?;
                (file, 0, BTreeMap::new(), VecDeque::new())
            }
        };
        let mut waiting = sheet_of([]);
        let mut put = |sheet: &Sheet| sheet.write_csv_rows(&mut file).map_err(refused());
        let done = each(&mut |row: VoidRow| {
            count += 1;
            let bot = row.bot.clone();
            let cells = cells_of(row);
            if !bot.is_empty() {
                let (count, last) = by_bot.entry(bot).or_default();
                *count += 1;
                keep(last, cells.clone(), LAST_OF_A_BOT);
            }
            keep(&mut last, cells.clone(), LAST);
            waiting.row(cells);
            if waiting.rows().len() == AT_ONCE {
                put(&waiting)?;
                waiting = sheet_of([]);
            }
            Ok(())
        })?;
        put(&waiting)?;
        file.flush().map_err(refused())?;
        Ok((Voids { count, by_bot, last: sheet_of(last) }, done))
    }

    /// Returns what a later report goes on with.
    pub(super) fn rows(&self) -> Rows {
        (self.count, self.by_bot.clone(), self.last.rows().to_vec())
    }

    /// Returns the number of all void games that a bot was named for, and the last of them.
    pub(super) fn of_bot(&self, bot: &str) -> (usize, Sheet) {
        let (count, last) = self.by_bot.get(bot).cloned().unwrap_or_default();
        (count, sheet_of(last))
    }
}

/// Adds a row to the last ones, of which this many are kept.
fn keep(last: &mut VecDeque<Vec<Value>>, cells: Vec<Value>, most: usize) {
    last.push_back(cells);
    if last.len() > most {
        last.pop_front();
    }
}

fn sheet_of(rows: impl IntoIterator<Item = Vec<Value>>) -> Sheet {
    let mut sheet = Sheet::new(["game", "attempt", "reason", "bot", "seat", "turn", "detail"]);
    rows.into_iter().for_each(|row| sheet.row(row));
    sheet
}

fn cells_of(row: VoidRow) -> Vec<Value> {
    let VoidRow { game, attempt, turn, reason, bot, seat, detail, .. } = row;
    let seat = seat.map_or(Value::Null, Value::from);
    vec![game.into(), attempt.into(), reason.name().into(), bot.into(), seat, turn.into(), detail.into()]
}
