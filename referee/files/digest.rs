//! Digests of files.

use std::io;
use std::path::Path;
use std::sync::OnceLock;

use crate::beneath::Spot;
use crate::source::Source;
use referee_games::catalog::{Entry, GAMES};
use referee_record::Digest;
use referee_record::error::Error;

/// Returns the digest of a file.
pub fn of_file(spot: impl Into<Spot>) -> io::Result<Digest> {
    Digest::of_reader(spot.into().open()?)
}

/// Returns the digest of this program, even if the file that it was started from has changed.
pub fn of_this_program() -> Result<Digest, Error> {
    static READ: OnceLock<Digest> = OnceLock::new();
    let program = Path::new("/proc/self/exe");
    if let Some(digest) = READ.get() {
        return Ok(digest.clone());
    }
    let digest = of_file(program).map_err(Error::system(program, "read this very program"))?;
    Ok(READ.get_or_init(|| digest).clone())
}

/// Returns the digest of a log's contents, unpacked if the log is compressed.
pub fn of_log(spot: impl Into<Spot>) -> io::Result<Digest> {
    Digest::of_reader(Source::open(spot)?)
}

/// Returns the digest of the program that contains the rules of a game: a judge, or this program if the game was added
/// to it. `None` for a game that comes with the referee: its name and version identify its rules.
pub fn of_rules(game: &Entry) -> Result<Option<Digest>, Error> {
    if GAMES.iter().any(|listed| listed.name == game.name) {
        return Ok(None);
    }
    match game.maker.program() {
        Some(judge) => Ok(Digest::parse(judge)),
        None => of_this_program().map(Some),
    }
}
