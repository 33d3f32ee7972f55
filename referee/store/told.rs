//! What a runner has recorded, from its first record to its last, for those who count: a log is read once, and only a
//! record of it is held.

use crate::event::{Event, Kind};
use crate::state::{AT_ONCE, RECORD_MAX, text_of};
use crate::{Disk, Trouble};

/// A record that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What was recorded.
    pub kind: Kind,
    /// The game; empty if the record is of none.
    pub game: String,
    /// What was said of it.
    pub cells: Vec<String>,
}

/// Lists the runners of a contest, in the order of their names.
///
/// # Errors
///
/// If the system refuses.
pub fn runners(disk: &impl Disk) -> Result<Vec<String>, Trouble> {
    let mut runners = disk.list("runs").map_err(Trouble::system("list", "runs"))?;
    runners.sort_unstable();
    Ok(runners)
}

/// Goes through the records of a runner that count, in their order. Those of a runner that is gone all do, if its log is
/// not sealed; of one that lives, the last one may not be on the disk yet. Returns whether it lives.
///
/// # Errors
///
/// If the system refuses, or its log is damaged.
pub fn each_record(disk: &impl Disk, runner: &str, mut take: impl FnMut(Record)) -> Result<bool, Trouble> {
    let name = format!("runs/{runner}");
    let sealed = match text_of(disk, &format!("sealed/{runner}")) {
        Err(Trouble::System { error, .. }) if error.kind() == std::io::ErrorKind::NotFound => None,
        text => Some(
            text?
                .parse()
                .map_err(|_| Trouble::damaged(&format!("sealed/{runner}"), 0, "not a number of records"))?,
        ),
    };
    let lives =
        sealed.is_none() && disk.is_locked(&name).map_err(Trouble::system("look at the lock of", &name))?;
    let (mut bytes, mut start, mut count, mut torn) = (Vec::new(), 0, 0u64, None);
    let mut last = None;
    loop {
        let more = disk.read(&name, start + bytes.len() as u64, AT_ONCE);
        let more = more.map_err(Trouble::system("read", &name))?;
        let is_end = more.is_empty();
        bytes.extend(more);
        let mut at = 0;
        while let Some(length) = bytes[at..].iter().position(|byte| *byte == b'\n') {
            if sealed.is_some_and(|sealed: u64| count >= sealed) {
                break;
            }
            let line = &bytes[at..=at + length];
            match (Event::of(line).zip(Event::cells_of(line)), torn) {
                (None, _) => torn = torn.or(Some(start + at as u64)),
                (Some(_), Some(byte)) => {
                    return Err(Trouble::damaged(&name, byte, "not a record, though one follows"));
                }
                (Some((Event { kind, game, .. }, cells)), None) => {
                    count += 1;
                    last.replace(Record { kind, game, cells }).into_iter().for_each(&mut take);
                }
            }
            at += length + 1;
        }
        bytes.drain(..at);
        start += at as u64;
        let is_whole = sealed.is_some_and(|sealed| count >= sealed);
        if is_end || is_whole {
            last.filter(|_| !lives).into_iter().for_each(&mut take);
            return match sealed.filter(|sealed| count < *sealed) {
                None => Ok(lives),
                Some(sealed) => {
                    Err(Trouble::damaged(&name, start, format!("{count} of its {sealed} records are left")))
                }
            };
        }
        if bytes.len() as u64 > RECORD_MAX {
            return Err(Trouble::damaged(&name, start, "a record without an end"));
        }
    }
}
