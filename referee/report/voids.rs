//! The void games of a contest: all of them as a file of the report, the last ones as a table of its page.

use std::collections::VecDeque;
use std::io::Write;

use serde_json::Value;

use crate::folder::Folder;
use referee_record::error::Error;
use referee_record::voids::VoidRow;
use referee_tables::sheet::Sheet;

/// The file with all of them.
pub(super) const FILE: &str = "voids.csv";

/// Maximum number of void games on the page.
const LAST: usize = 50;

/// Number of rows that are written at once.
const AT_ONCE: usize = 1000;

/// The void games, once their file is written.
#[derive(Debug)]
pub(super) struct Voids {
    pub(super) count: usize,
    /// The last ones.
    pub(super) last: Sheet,
}

impl Voids {
    /// Writes the file. `each` calls its argument with one row after the other.
    ///
    /// # Errors
    ///
    /// If the system refuses; or an error of `each`.
    pub(super) fn write(
        folder: &mut Folder,
        each: impl FnOnce(&mut dyn FnMut(VoidRow) -> Result<(), Error>) -> Result<(), Error>,
    ) -> Result<Voids, Error> {
        let target = folder.target().to_owned();
        let mut file = folder.begin_file(FILE)?;
        let refused = || Error::system(&target, "write the report");
        let (mut count, mut last, mut waiting) = (0, VecDeque::new(), sheet_of([]));
        let mut put = |sheet: &Sheet, with_head: bool| {
            let mut bytes = Vec::new();
            sheet.write_csv(&mut bytes).expect("written into memory");
            let head = bytes.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            file.write_all(if with_head { &bytes } else { &bytes[head..] }).map_err(refused())
        };
        put(&waiting, true)?;
        each(&mut |row: VoidRow| {
            count += 1;
            waiting.row(cells_of(row.clone()));
            last.push_back(row);
            if last.len() > LAST {
                last.pop_front();
            }
            if waiting.rows().len() == AT_ONCE {
                put(&waiting, false)?;
                waiting = sheet_of([]);
            }
            Ok(())
        })?;
        put(&waiting, false)?;
        file.flush().map_err(refused())?;
        Ok(Voids { count, last: sheet_of(last) })
    }
}

fn sheet_of(rows: impl IntoIterator<Item = VoidRow>) -> Sheet {
    let mut sheet = Sheet::new(["game", "attempt", "reason", "bot", "seat", "turn", "detail"]);
    rows.into_iter().for_each(|row| sheet.row(cells_of(row)));
    sheet
}

fn cells_of(row: VoidRow) -> Vec<Value> {
    let VoidRow { game, attempt, turn, reason, bot, seat, detail, .. } = row;
    let seat = seat.map_or(Value::Null, Value::from);
    vec![game.into(), attempt.into(), reason.into(), bot.into(), seat, turn.into(), detail.into()]
}
