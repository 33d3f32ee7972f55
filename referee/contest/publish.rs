//! Publishes whole files, so that no reader sees half of one: they are written beside the target, synced, then linked
//! or renamed.

use std::fs::{self, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use referee_files::beneath::Spot;
use referee_record::error::Error;

/// Whose file is in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// The file is there, with these very bytes.
    Mine,
    /// Another file was there before.
    Others,
}

/// Puts a file in place if there is none. What this returns follows from the file that is there in the end, not from
/// the report of the system: over NFS, a link that was made can be reported as refused.
///
/// # Errors
///
/// If the system refuses, and no file is there.
pub fn once(spot: impl Into<Spot>, bytes: &[u8]) -> Result<Published, Error> {
    let spot = spot.into();
    let path = spot.path();
    let publish = || -> io::Result<Published> {
        spot.make_folders()?;
        let part = beside(path, bytes)?;
        part.as_file().set_permissions(Permissions::from_mode(0o644))?;
        part.as_file().sync_all()?;
        let linked = fs::hard_link(part.path(), path);
        drop(part);
        // One byte more shows whether the file there is longer.
        match spot.open().and_then(|file| read_some(file, bytes.len() as u64 + 1)) {
            Ok(found) => {
                spot.sync_folder()?;
                Ok(if found == bytes { Published::Mine } else { Published::Others })
            }
            Err(error) => Err(linked.err().unwrap_or(error)),
        }
    };
    publish().map_err(Error::system(path, "publish the file"))
}

/// Puts a file in place, and replaces an earlier one.
pub fn replace(spot: impl Into<Spot>, bytes: &[u8]) -> Result<(), Error> {
    let spot = spot.into();
    let path = spot.path();
    let part = spot.make_folders().and_then(|()| beside(path, bytes));
    replace_with(&spot, part.map_err(Error::system(path, "write the file"))?)
}

/// As [`replace`], for a file with a secret: a new one can be opened by those alone who may write to its folder.
pub fn replace_secret(spot: impl Into<Spot>, bytes: &[u8]) -> Result<(), Error> {
    let spot = spot.into();
    let path = spot.path();
    let part = spot.make_folders().and_then(|()| {
        let part = beside(path, bytes)?;
        spot.for_writers_alone(part.as_file())?;
        Ok(part)
    });
    put(&spot, part.map_err(Error::system(path, "write the file"))?, None)
}

/// Puts a file in place that was written beside it.
pub fn replace_with(spot: impl Into<Spot>, part: tempfile::NamedTempFile) -> Result<(), Error> {
    put(&spot.into(), part, Some(0o644))
}

/// Puts a file in place. It keeps the mode of the file that it replaces; a new one gets `new_mode`, if there is one.
fn put(spot: &Spot, part: tempfile::NamedTempFile, new_mode: Option<u32>) -> Result<(), Error> {
    let path = spot.path();
    let put = || -> io::Result<()> {
        // A file that a host has hidden from others stays hidden.
        let old_mode =
            fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file).map(|found| found.mode() & 0o777);
        if let Some(mode) = old_mode.or(new_mode) {
            part.as_file().set_permissions(Permissions::from_mode(mode))?;
        }
        part.as_file().sync_all()?;
        part.persist(path).map_err(|error| error.error)?;
        spot.sync_folder()
    };
    put().map_err(Error::system(path, "write the file"))
}

fn read_some(file: fs::File, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(max).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a temporary file in the same folder, which its owner alone can read. Its name contains the machine and the
/// process.
fn beside(path: &Path, bytes: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let prefix = format!(".{}-{}-", host(), std::process::id());
    let mut file = tempfile::Builder::new().prefix(&prefix).suffix(".tmp").tempfile_in(folder)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Returns this machine's name.
pub(super) fn host() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}
