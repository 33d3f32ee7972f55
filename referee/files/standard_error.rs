//! The files with the standard error of bots.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::beneath::Spot;
use referee_record::error::Error;
use referee_record::file;
use referee_record::standard_error::{Written, text_of};
use referee_rules::Seat;

/// Maximum number of bytes that are read of a file. A referee writes fewer.
const BYTES_MAX: u64 = 1 << 20;

/// Returns the file of a seat's standard error in the game of a log: `.../stderr/X-seatN.txt` for the log `.../logs/X`,
/// without its ending. `None` if the log is not below a folder `logs`.
pub fn path_for(log: &Spot, seat: Seat) -> Option<Spot> {
    let path = log.path();
    let logs = path.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "logs"))?;
    let below = path.strip_prefix(logs).ok()?;
    let name = format!("{}-seat{seat}.txt", file::stem(below));
    // The user may name a log by any path. But a stranger can have made the folder `stderr` beside `logs`, so no link
    // below the folder that contains both is followed.
    let root = log.root().unwrap_or(logs.parent().unwrap_or(logs));
    Some(Spot::within(root, logs.with_file_name("stderr").join(below).with_file_name(name)))
}

/// Writes the standard error of a bot into its file. `ends` lists turns in order, each with the byte before which its
/// part ends. Files of an earlier, interrupted attempt at the same game are removed.
pub fn keep(file: &Spot, written: &[u8], ends: &[(u32, u64)]) -> Result<(), Error> {
    let table = if ends.is_empty() { String::new() } else { text_of(ends) };
    for (spot, bytes) in [(file, written), (&file.at(table_of(file.path())), table.as_bytes())] {
        if bytes.is_empty() {
            let _ = spot.remove();
            continue;
        }
        spot.make_folders().map_err(Error::system(spot.path(), "create the folder"))?;
        let written = spot.create().and_then(|mut file| file.write_all(bytes));
        written.map_err(Error::system(spot.path(), "write down a bot's standard error"))?;
    }
    Ok(())
}

fn table_of(file: &Path) -> PathBuf {
    file.with_extension("turns.csv")
}

/// Reads the standard error of a bot; `None` if there is none. A table of turns that does not fit it counts as missing.
pub fn read(file: &Spot) -> Option<Written> {
    let bytes = first_bytes(file).ok().filter(|bytes| !bytes.is_empty())?;
    Some(Written::new(bytes, first_bytes(&file.at(table_of(file.path()))).ok()))
}

/// Returns a function that reads the standard error of a seat, if there is a file of it beside the log.
pub fn of_log(log: &Spot) -> impl Fn(Seat) -> Option<Written> {
    move |seat| read(&path_for(log, seat)?)
}

fn first_bytes(spot: &Spot) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    spot.open()?.take(BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}
