//! What was handed in: whether it is a source, and its bytes. A file is only read here; `unpack` looks into it, in the
//! sandbox.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::bundle::{Caps, SourceFile, settle};
use crate::languages::Languages;
use crate::unpack::{is_archive, is_litter};
use referee_files::beneath::Spot;
use referee_files::walk;
use referee_record::error::Error;

/// Something that was handed in, and is no program yet.
#[derive(Debug)]
pub(crate) enum Received {
    /// The bytes of a file.
    Bytes(Vec<u8>),
    /// The files of a folder.
    Files(Vec<SourceFile>),
}

/// Tells whether a path leads to a source: a folder, an archive, or a file of a language that is known and no script
/// with a first line of its own.
pub fn is_source(path: &Path, languages: &Languages) -> bool {
    if path.is_dir() {
        return true;
    }
    let Ok(file) = Spot::from(path).open() else { return false };
    let mut start = Vec::new();
    if std::io::Read::read_to_end(&mut std::io::Read::take(file, START), &mut start).is_err() {
        return false;
    }
    if [&b"\x7fELF"[..], b"#!", b"\0asm"].iter().any(|program| start.starts_with(program)) {
        return false;
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    is_archive(&start) || languages.rows.values().any(|row| row.offered && row.is_source(&name))
}

/// Maximum number of files in a folder, with those that are left out.
const FOUND_MAX: usize = 100_000;

/// Number of bytes by which an archive is known.
const START: u64 = 512;

/// Reads what was handed in.
///
/// # Errors
///
/// If it cannot be read, or is too much.
pub(crate) fn receive(path: &Path, shown: &Path, caps: Caps) -> Result<Received, Error> {
    if path.is_dir() {
        let files = folder(path, shown, caps)?;
        return settle(files, caps).map(Received::Files).map_err(|why| Error::file(shown, why));
    }
    let bytes = Spot::from(path).read(caps.bytes).map_err(Error::system(shown, "read the source"))?;
    Ok(Received::Bytes(bytes))
}

/// Reads the files of a folder. Caches of compilers, which they mark with a file, are left out.
fn folder(real: &Path, root: &Path, caps: Caps) -> Result<Vec<SourceFile>, Error> {
    let wrong = |path: &str, why: &str| Error::file(root, format!("{path}: {why}"));
    let above = real
        .parent()
        .ok_or_else(|| Error::file(root, "this is the whole machine; name a folder with a source"))?;
    let top = Spot::within(above, real);
    let mut found = Vec::new();
    walk::each_file(&top, |entry| {
        found.push(entry);
        let is_much = found.len() > FOUND_MAX;
        if is_much { Err(Error::file(root, format!("more than {FOUND_MAX} files"))) } else { Ok(()) }
    })?;
    let path_of = |path: &Path| path.strip_prefix(real).unwrap_or(path).to_string_lossy().into_owned();
    let marks = |path: &str| path.strip_suffix("CACHEDIR.TAG").map(str::to_owned);
    let caches: Vec<String> = found.iter().filter_map(|entry| marks(&path_of(&entry.path))).collect();
    let (mut files, mut left) = (Vec::new(), caps.bytes);
    for entry in found {
        let path = path_of(&entry.path);
        let is_cached = caches.iter().any(|cache| !cache.is_empty() && path.starts_with(cache.as_str()));
        if is_litter(&path) || is_cached {
            continue;
        }
        if files.len() >= caps.files {
            return Err(Error::file(root, format!("more than {} files", caps.files)));
        }
        if entry.is_link {
            return Err(wrong(&path, "a symbolic link; a source has regular files only"));
        }
        if entry.path.to_str().is_none() {
            return Err(wrong(&path, "a name that is not UTF-8"));
        }
        let spot = Spot::within(real, &entry.path);
        let read = || -> std::io::Result<(Vec<u8>, bool)> {
            Ok((spot.read(left)?, fs::symlink_metadata(&entry.path)?.permissions().mode() & 0o111 != 0))
        };
        let (bytes, executable) =
            read().map_err(|error| wrong(&path, &format!("cannot be read: {error}")))?;
        left -= bytes.len() as u64;
        files.push(SourceFile { path, executable, bytes });
    }
    Ok(files)
}
