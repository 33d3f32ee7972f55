//! The records of a runner, from the first to the last, for those who count results: a log is read once, and only one
//! record is held in memory.

use std::io::ErrorKind;

use crate::event::{Event, Kind, each_event};
use crate::state::seal_of;
use crate::{Disk, Trouble};

/// A record that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What was recorded.
    pub kind: Kind,
    /// The game; empty if the record is of none.
    pub game: String,
    /// Its cells, as its runner wrote them.
    pub cells: Vec<String>,
}

/// Lists the runners of a contest, in the order of their names.
pub fn runners(disk: &impl Disk) -> Result<Vec<String>, Trouble> {
    let mut runners = disk.list("runs").map_err(Trouble::system("list", "runs"))?;
    runners.sort_unstable();
    Ok(runners)
}

/// Calls `take` with the records of a runner that count, in their order. Returns whether the runner lives.
///
/// Of a sealed log, those before the seal count. Of another log, all count if its runner is gone; if the runner lives,
/// the last record may not be on the disk yet, so it does not count.
pub fn each_record(disk: &impl Disk, runner: &str, mut take: impl FnMut(Record)) -> Result<bool, Trouble> {
    let name = format!("runs/{runner}");
    let seal = match seal_of(disk, runner) {
        Err(Trouble::System { error, .. }) if error.kind() == ErrorKind::NotFound => None,
        seal => Some(seal?),
    };
    let is_alive =
        seal.is_none() && disk.is_locked(&name).map_err(Trouble::system("look at the lock of", &name))?;
    // Each record is taken when the next one is read: whether the last one counts depends on its runner.
    let (mut count, mut held_back) = (0, None);
    if seal != Some(0) {
        let end = each_event(disk, &name, 0, |Event { kind, game, .. }, from, line| {
            let cells = Event::cells_of(line);
            let cells = cells.ok_or_else(|| Trouble::damaged(&name, from, "a record without cells"))?;
            if let Some(record) = held_back.replace(Record { kind, game, cells }) {
                take(record);
            }
            count += 1;
            Ok(seal != Some(count))
        })?;
        if let Some(seal) = seal
            && count < seal
        {
            return Err(Trouble::damaged(&name, end, format!("{count} of its {seal} records are left")));
        }
    }
    if let Some(last) = held_back
        && !is_alive
    {
        take(last);
    }
    Ok(is_alive)
}
