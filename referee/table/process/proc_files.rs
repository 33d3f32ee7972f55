//! The files of threads below `/proc`, and what is read from them.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use rustix::fs::{Dir, Mode, OFlags, openat};

use crate::process::threads::Times;

/// Calls `take` with the number of each thread and its file of this name. `threads` is the folder of all threads.
pub(super) fn each_thread(threads: &File, name: &str, mut take: impl FnMut(u32, &File)) {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    for entry in Dir::read_from(threads).into_iter().flatten().flatten() {
        let Some(number) = entry.file_name().to_str().ok().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let file = openat(threads.as_fd(), format!("{number}/{name}"), flags, Mode::empty());
        if let Ok(file) = file {
            take(number, &File::from(file));
        }
    }
}

/// Reads `schedstat`: nanoseconds on a core, nanoseconds ready and waiting for one, and how often.
pub(super) fn times_in(file: &File) -> Option<Times> {
    let mut buffer = [0; 96];
    times_of(start_of(file, &mut buffer)?)
}

pub(super) fn times_of(text: &[u8]) -> Option<Times> {
    let mut words = str::from_utf8(text).ok()?.split_ascii_whitespace();
    let mut time = || words.next()?.parse().ok().map(Duration::from_nanos);
    Some(Times { ran: time()?, waited: time()? })
}

/// Reads `stat`: the number, the name in parentheses, the state.
pub(super) fn state_in(file: &File) -> Option<char> {
    let mut buffer = [0; 96];
    state_of(start_of(file, &mut buffer)?)
}

pub(super) fn state_of(text: &[u8]) -> Option<char> {
    // A bot chooses its name, of any bytes: the last parenthesis ends it.
    let end = text.iter().rposition(|byte| *byte == b')')?;
    text.get(end + 2).map(|state| char::from(*state))
}

fn start_of<'a>(file: &File, buffer: &'a mut [u8; 96]) -> Option<&'a [u8]> {
    let count = file.read_at(buffer, 0).ok()?;
    Some(&buffer[..count])
}
