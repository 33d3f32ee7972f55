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

/// Goes through the records of a runner that count, in their order. Those of a runner that is gone all do, if its log
/// is not sealed; of one that lives, the last one may not be on the disk yet. Returns whether it lives.
pub fn each_record(disk: &impl Disk, runner: &str, mut take: impl FnMut(Record)) -> Result<bool, Trouble> {
    let name = format!("runs/{runner}");
    let sealed = match seal_of(disk, runner) {
        Err(Trouble::System { error, .. }) if error.kind() == ErrorKind::NotFound => None,
        sealed => Some(sealed?),
    };
    let lives =
        sealed.is_none() && disk.is_locked(&name).map_err(Trouble::system("look at the lock of", &name))?;
    let (mut count, mut last) = (0, None);
    if sealed != Some(0) {
        let end = each_event(disk, &name, 0, |Event { kind, game, .. }, from, line| {
            let cells = Event::cells_of(line);
            let cells = cells.ok_or_else(|| Trouble::damaged(&name, from, "a record without cells"))?;
            if let Some(record) = last.replace(Record { kind, game, cells }) {
                take(record);
            }
            count += 1;
            Ok(sealed != Some(count))
        })?;
        if let Some(sealed) = sealed.filter(|sealed| count < *sealed) {
            return Err(Trouble::damaged(&name, end, format!("{count} of its {sealed} records are left")));
        }
    }
    if let Some(last) = last.filter(|_| !lives) {
        take(last);
    }
    Ok(lives)
}
