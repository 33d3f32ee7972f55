//! Open files: the number that parallel games need, and the limit for them.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use referee_record::play::table::TableError;

/// Files of a bot: three pipes, two that report how long it waits, and, while it is started, two sockets.
const FILES_OF_BOT: u64 = 8;

/// Files of a game: its log, those that report how long its thread waits, and folders that its thread keeps open.
const FILES_OF_GAME: u64 = 8;

/// Files of the program itself: results, locks, and those that it inherited.
const FILES_OF_PROGRAM: u64 = 64;

/// Makes sure that this process may open the number of files that these parallel games with this number of
/// seats need: raises the limit as far as allowed.
pub fn make_room(games: usize, seats: usize) -> Result<(), TableError> {
    let per_game = FILES_OF_GAME + FILES_OF_BOT * seats as u64;
    let needed = FILES_OF_PROGRAM + per_game * games as u64;
    let limit = getrlimit(Resource::Nofile);
    // None: no limit.
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    let refused = |error| TableError::System { what: "cannot open enough files", error };
    match limit.maximum {
        Some(maximum) if maximum < needed => {
            let fewer = match maximum.saturating_sub(FILES_OF_PROGRAM) / per_game {
                0 => String::new(),
                few => format!(", or play {few} at a time (--jobs {few})"),
            };
            let what = format!(
                "{games} games at a time, of {seats} bots each, need {needed} open files, but {maximum} are allowed \
                 here; raise the limit (ulimit -n){fewer}"
            );
            Err(refused(io::Error::other(what)))
        }
        maximum => {
            let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(needed), maximum });
            raised.map_err(|error| refused(error.into()))
        }
    }
}
