//! Judges that are stored with the records of their games: in the folder `judges`, each under the name of its
//! game.

use std::io;
use std::path::Path;

use crate::Judge;
use crate::start::Host;
use referee_files::beneath::Spot;
use referee_files::digest;
use referee_games::catalog::Entry;
use referee_record::Digest;
use referee_record::error::Error;

/// The folder, next to the results.
pub const FOLDER: &str = "judges";

/// Number of digits of the digest in the name of a judge's game.
const DIGITS: usize = 16;

/// Returns the name of a judge's game: the name in its description, and the beginning of its digest.
pub(super) fn name_of(word: &str, digest: &Digest) -> String {
    format!("{word}-{}", &digest.as_str()[..DIGITS])
}

/// Tells whether a text has the form of such a name.
pub fn is_name(name: &str) -> bool {
    let is_hex = |digits: &str| digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    name.split_once('-').is_some_and(|(word, digits)| {
        super::words::is_plain_name(word) && digits.len() == DIGITS && is_hex(digits)
    })
}

/// Stores the judge of a game with the records below a folder. Does nothing if the game's rules are no judge,
/// or if the judge is there already.
///
/// # Errors
///
/// If the system refuses, or the program was changed since it was opened.
pub fn store(entry: &Entry, root: &Path) -> Result<(), Error> {
    let Some(judge) = Judge::of(entry) else { return Ok(()) };
    let spot = Spot::below(root, Path::new(FOLDER).join(judge.name));
    if spot.exists() {
        return Ok(());
    }
    let path = spot.path();
    // Another process may store it at the same moment.
    let part = spot.at(path.with_extension(format!("{}.part", std::process::id())));
    spot.make_folders().map_err(Error::system(path, "create the folder"))?;
    let copy = || -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let mut from = Spot::from(judge.file.as_path()).open()?;
        let mut to = part.create()?;
        io::copy(&mut from, &mut to)?;
        to.set_permissions(PermissionsExt::from_mode(0o555))?;
        to.sync_all()
    };
    copy().map_err(Error::system(path, "store the judge"))?;
    if digest::of_file(part.clone()).ok().as_ref() != Some(&judge.digest) {
        let _ = part.remove();
        return Err(Error::file(
            &judge.file,
            "the judge's file has changed since it was opened; start again",
        ));
    }
    part.rename(&spot).map_err(Error::system(path, "store the judge"))
}

/// Opens a judge that is stored below a folder, by the name of its game. `None` if there is none of that
/// name.
///
/// # Errors
///
/// If it cannot be opened, or is another program than its name says.
pub fn open_stored(host: &Host, root: &Path, name: &str) -> Option<Result<Entry, Error>> {
    let spot = Spot::below(root, Path::new(FOLDER).join(name));
    if !is_name(name) || !spot.is_file() {
        return None;
    }
    Some(super::open(host, spot.path()).and_then(|entry| {
        if entry.name != name {
            let what = format!("this is the judge of {}, not the one that its name says", entry.name);
            return Err(Error::file(spot.path(), what));
        }
        Ok(entry)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judges_game_has_the_beginning_of_its_digest_in_its_name() {
        let name = name_of("tron", &Digest::of(b"program"));
        assert!(is_name(&name) && name.len() == "tron-".len() + DIGITS, "{name}");
        for other in
            ["tron", "tron-", "tron-0123456789abcde", "tron-0123456789ABCDEF", "-0123456789abcdef", "../x"]
        {
            assert!(!is_name(other), "{other}");
        }
    }
}
