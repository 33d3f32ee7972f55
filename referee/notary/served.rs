//! The public files of a notary, for a server: keys, the last checkpoint, tiles. Nothing private is read.

use std::path::Path;

use crate::proof::tile::{self, Place};
use crate::proof::tree::{self, Hash};

use crate::list::List;
use crate::{FILE_MAX, keys};
use referee_contest::admission::entrants::Entrants;
use referee_files::beneath::Spot;
use referee_files::walk;
use referee_record::error::Error;
use referee_record::names;

/// The tree over the results of a hill, as far as it has been requested.
#[derive(Debug)]
pub struct Tiles {
    list: List,
    leaves: Vec<Hash>,
}

impl Tiles {
    /// Creates a tree before any reading.
    pub fn of(root: &Path) -> Tiles {
        Tiles { list: List::of(root), leaves: Vec::new() }
    }

    /// Returns a tile by its path, which begins with `tile/`. `None` if there is none.
    ///
    /// # Errors
    ///
    /// If the results are damaged.
    pub fn tile(&mut self, path: &str) -> Result<Option<Vec<u8>>, Error> {
        let Some(Place { level, number, width }) = tile::place(path) else { return Ok(None) };
        let Some(part) = 256usize.checked_pow(level) else { return Ok(None) };
        let first = number.saturating_mul(256);
        let end = first.saturating_add(width).saturating_mul(part);
        if end > self.leaves.len() {
            let leaves = &mut self.leaves;
            self.list.read_on(|_, text, _| leaves.push(tree::leaf(text)))?;
        }
        let Some(leaves) = self.leaves.get(first.saturating_mul(part)..end) else { return Ok(None) };
        Ok(Some(leaves.chunks(part).map(tree::root).collect::<Vec<Hash>>().concat()))
    }
}

/// Returns the first key of a hill, the rotations or the last checkpoint; `None` if there is none. `next-NAME` is the
/// number that the next submission of a bot gets, which its author signs.
///
/// # Errors
///
/// If the system refuses.
pub fn public(root: &Path, name: &str) -> Result<Option<String>, Error> {
    let read =
        |spot: &Spot| spot.read_text(FILE_MAX).map_err(Error::system(spot.path(), "read the signed file"));
    let key = Spot::below(root, "proof/key");
    // A key that this server may not read is no missing one.
    let is_signed = key.look().map_err(Error::system(key.path(), "read the signed file"))?.is_some();
    match name {
        _ if !is_signed => Ok(None),
        "key" => read(&key).map(Some),
        "rotations" => {
            let spots = (1..).map(|number| keys::rotation_of(root, number)).take_while(Spot::exists);
            spots.map(|spot| read(&spot)).collect::<Result<String, Error>>().map(Some)
        }
        "checkpoint" => last_note(root)?.as_ref().map(read).transpose(),
        _ => match name.strip_prefix(NEXT).map(names::check) {
            Some(Ok(bot)) => Ok(Some(format!("{}\n", Entrants::read(root)?.next_version(bot)))),
            _ => Ok(None),
        },
    }
}

/// The beginning of the path of the number of a bot's next submission.
const NEXT: &str = "next-";

/// Returns the file of the last checkpoint.
fn last_note(root: &Path) -> Result<Option<Spot>, Error> {
    let mut last: Option<(u64, Spot)> = None;
    walk::each_file(&Spot::below(root, "proof/checkpoints"), |entry| {
        let is_note = entry.path.extension().is_some_and(|ending| ending == "note");
        let size = entry.path.file_stem().and_then(|stem| stem.to_str()?.parse().ok()).filter(|_| is_note);
        if let Some(size) = size
            && last.as_ref().is_none_or(|(before, _)| *before < size)
        {
            last = Some((size, Spot::within(root, entry.path)));
        }
        Ok(())
    })?;
    Ok(last.map(|(_, spot)| spot))
}
