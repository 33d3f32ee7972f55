//! The void games of a contest: all of them in a file of the report, the last ones in tables of its pages.

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

/// The void games for which a bot was named: their number, and the cells of the last ones.
type VoidsOfBot = (usize, VecDeque<Vec<Value>>);

/// The number of void games in a report, those of each bot, and the cells of the last ones.
pub(super) type Rows = (usize, BTreeMap<String, VoidsOfBot>, Vec<Vec<Value>>);

/// The void games, after their file was written.
#[derive(Debug)]
pub(super) struct Voids {
    pub(super) count: usize,
    /// The void games for which a bot was named, by its name.
    by_bot: BTreeMap<String, VoidsOfBot>,
    /// The last void games.
    pub(super) last: Sheet,
}

impl Voids {
    /// Writes the file, or goes on with that of an earlier report, which has these rows. `each` calls its argument with
    /// one row after the other; its result is returned, too.
    pub(super) fn write<T>(
        folder: &mut Folder,
        earlier: Option<(BufWriter<File>, Rows)>,
        each: impl FnOnce(&mut dyn FnMut(VoidRow) -> Result<(), Error>) -> Result<T, Error>,
    ) -> Result<(Voids, T), Error> {
        let target = folder.target().to_owned();
        let refused = || Error::system(&target, "write the report");
        let (mut file, mut count, mut by_bot, mut last) = match earlier {
            Some((file, (count, by_bot, last))) => (file, count, by_bot, VecDeque::from(last)),
            None => {
                let mut file = folder.begin_file(FILE)?;
                sheet_of([]).write_csv(&mut file).map_err(refused())?;
                (file, 0, BTreeMap::new(), VecDeque::new())
            }
        };
        let mut unwritten = sheet_of([]);
        let mut write = |sheet: &Sheet| sheet.write_csv_rows(&mut file).map_err(refused());
        let result = each(&mut |row: VoidRow| {
            count += 1;
            let bot = row.bot.clone();
            let cells = cells_of(row);
            if !bot.is_empty() {
                let (count, last) = by_bot.entry(bot).or_default();
                *count += 1;
                push_last(last, cells.clone(), LAST_OF_A_BOT);
            }
            push_last(&mut last, cells.clone(), LAST);
            unwritten.row(cells);
            if unwritten.rows().len() == AT_ONCE {
                write(&unwritten)?;
                unwritten = sheet_of([]);
            }
            Ok(())
        })?;
        write(&unwritten)?;
        file.flush().map_err(refused())?;
        Ok((Voids { count, by_bot, last: sheet_of(last) }, result))
    }

    /// Returns the rows with which a later report goes on.
    pub(super) fn rows(&self) -> Rows {
        (self.count, self.by_bot.clone(), self.last.rows().to_vec())
    }

    /// Returns the number of all void games for which a bot was named, and the last of them.
    pub(super) fn of_bot(&self, bot: &str) -> (usize, Sheet) {
        let (count, last) = self.by_bot.get(bot).cloned().unwrap_or_default();
        (count, sheet_of(last))
    }
}

/// Adds a row to the last ones. Their number stays at most `max`.
fn push_last(last: &mut VecDeque<Vec<Value>>, cells: Vec<Value>, max: usize) {
    last.push_back(cells);
    if last.len() > max {
        last.pop_front();
    }
}

fn sheet_of(rows: impl IntoIterator<Item = Vec<Value>>) -> Sheet {
    let mut sheet = Sheet::new(["game", "attempt", "reason", "bot", "seat", "turn", "detail"]);
    for row in rows {
        sheet.row(row);
    }
    sheet
}

fn cells_of(row: VoidRow) -> Vec<Value> {
    let VoidRow { game, attempt, turn, reason, bot, seat, detail, .. } = row;
    let seat = seat.map_or(Value::Null, Value::from);
    vec![game.into(), attempt.into(), reason.name().into(), bot.into(), seat, turn.into(), detail.into()]
}
