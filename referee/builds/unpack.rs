//! Unpacks what was handed in: an archive, or a single file. It is called in the sandbox, with the bytes of strangers.

use std::collections::BTreeSet;
use std::io::{self, Cursor, Read};
use std::sync::LazyLock;

use flate2::read::MultiGzDecoder;
use referee_sandbox::{foreign, is_pointer};
use tar::EntryType;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::bundle::{Caps, SourceFile, check_path, of_file, settle};
use crate::languages::Languages;

/// Maximum number of entries of an archive, with folders and litter.
const ENTRIES_MAX: usize = 20_000;

/// Maximum number of folders that are named as left out.
const NOTED_MAX: usize = 5;

/// Unpacks bytes that were handed in under the name of a file. Returns the files, and notes on what was changed.
pub(crate) fn unpack(name: &str, bytes: &[u8], caps: Caps) -> Result<(Vec<SourceFile>, Vec<String>), String> {
    let mut taken = Taken {
        caps,
        left: caps.bytes,
        entries: 0,
        made: BTreeSet::new(),
        files: Vec::new(),
        notes: Vec::new(),
    };
    match kind(bytes) {
        Kind::Gzip => taken.tar(|| MultiGzDecoder::new(bytes))?,
        Kind::Tar => taken.tar(|| bytes)?,
        Kind::Zip => taken.zip(bytes)?,
        Kind::Other(what) => {
            return Err(format!("{what}: pack the files as .tar.gz or .zip"));
        }
        Kind::File => taken.file(name, false, bytes)?,
    }
    let Taken { files, mut notes, .. } = taken;
    if files.is_empty() && !notes.is_empty() {
        return Err(format!("no file is left: {}", notes.join("; ")));
    }
    let files = without_outer_folder(files);
    let mut files = settle(files, caps)?;
    mend(&mut files, &mut notes)?;
    Ok((files, notes))
}

/// What some bytes are, by their beginning.
enum Kind {
    Gzip,
    Tar,
    Zip,
    Other(&'static str),
    File,
}

fn kind(bytes: &[u8]) -> Kind {
    const OTHERS: [(&[u8], &str); 7] = [
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (b"Rar!", "a RAR archive"),
        (b"\xfd7zXZ\0", "compressed by xz"),
        (b"BZh", "compressed by bzip2"),
        (b"\x28\xb5\x2f\xfd", "compressed by zstd"),
        (b"!<arch>\n", "an archive of objects"),
        (b"\x1f\x9d", "compressed by compress"),
    ];
    if bytes.starts_with(b"\x1f\x8b") {
        return Kind::Gzip;
    }
    // An archive without a file has only its end.
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return Kind::Zip;
    }
    if bytes.get(257..262) == Some(b"ustar") {
        return Kind::Tar;
    }
    match OTHERS.into_iter().find(|(start, _)| bytes.starts_with(start)) {
        Some((_, what)) => Kind::Other(what),
        None => Kind::File,
    }
}

/// Tells whether bytes are those of an archive, by their beginning.
pub(crate) fn is_archive(bytes: &[u8]) -> bool {
    !matches!(kind(bytes), Kind::File)
}

/// The files so far.
struct Taken {
    caps: Caps,
    /// How many more bytes there can be.
    left: u64,
    entries: usize,
    /// See [`made_folders`].
    made: BTreeSet<String>,
    files: Vec<SourceFile>,
    notes: Vec<String>,
}

impl Taken {
    fn tar<R: Read>(&mut self, bytes: impl Fn() -> R) -> Result<(), String> {
        // Headers and names count, too: they can be as long as the files.
        let limit = self.caps.bytes.saturating_mul(2) + ENTRIES_MAX as u64 * 1024;
        // What is wrong with the archive is said when it is read for its files.
        let paths: io::Result<Vec<String>> =
            tar::Archive::new(bytes().take(limit)).entries().and_then(|entries| {
                let path = |entry: tar::Entry<'_, _>| match entry.header().entry_type() {
                    EntryType::XGlobalHeader => None,
                    _ => Some(str::from_utf8(&entry.path_bytes()).ok()?.to_owned()),
                };
                entries.take(ENTRIES_MAX).filter_map(|entry| entry.map(path).transpose()).collect()
            });
        self.leave_out(&paths.unwrap_or_default());
        let mut archive = tar::Archive::new(bytes().take(limit));
        let broken = |error: io::Error| format!("the archive is damaged: {}", plain(&error.to_string()));
        for entry in archive.entries().map_err(broken)? {
            let mut entry = entry.map_err(broken)?;
            self.count()?;
            let kind = entry.header().entry_type();
            if kind == EntryType::XGlobalHeader {
                continue; // written by git: it has no content
            }
            let path = text(&entry.path_bytes())?;
            let what = match kind {
                EntryType::Directory | EntryType::Regular | EntryType::Continuous => None,
                EntryType::Symlink => Some("a symbolic link"),
                EntryType::Link => Some("a hard link"),
                EntryType::Char | EntryType::Block => Some("a device"),
                EntryType::Fifo => Some("a pipe"),
                _ => Some("no regular file"),
            };
            let executable = entry.header().mode().is_ok_and(|mode| mode & 0o111 != 0);
            self.entry(&path, kind == EntryType::Directory, what, executable, &mut entry)?;
        }
        // To the end of what was compressed, where its checksum is. Some programs read on behind the end of the
        // archive.
        let mut rest = archive.into_inner();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match rest.read(&mut buffer).map_err(broken)? {
                0 => break,
                read if buffer[..read].iter().any(|byte| *byte != 0) => {
                    return Err("the archive is damaged: there is something behind its end".to_owned());
                }
                _ => {}
            }
        }
        if rest.limit() == 0 { Err(self.too_much()) } else { Ok(()) }
    }

    fn too_much(&self) -> String {
        format!("more than {} MiB when it is unpacked", self.caps.bytes >> 20)
    }

    fn zip(&mut self, bytes: &[u8]) -> Result<(), String> {
        let broken = |error: ZipError| match error {
            ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
                "the archive is encrypted: pack the files without a password".to_owned()
            }
            ZipError::UnsupportedArchive(what) => {
                format!("{}: pack the files again, as a plain .zip or .tar.gz", plain(what))
            }
            error => format!("the archive is damaged: {}", plain(&error.to_string())),
        };
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
        if archive.len() > ENTRIES_MAX {
            return Err(format!("more than {ENTRIES_MAX} entries"));
        }
        // What other programs would read in it is the same.
        archive.validate_header_consistency().map_err(broken)?;
        if archive.offset() != 0 {
            return Err("the archive is damaged: there is something before its first file".to_owned());
        }
        // Some programs of Windows write their own separator of folders, against the rule.
        let written: Vec<_> = archive.file_names().flatten().collect();
        let is_of_windows =
            written.iter().all(|name| !name.contains('/')) && written.iter().any(|name| name.contains('\\'));
        let with_slashes =
            written.into_iter().map(|name| if is_of_windows { name.replace('\\', "/") } else { name.into() });
        self.leave_out(&with_slashes.collect::<Vec<String>>());
        if is_of_windows {
            self.notes.push("its paths are written with \\ (Windows), which is read as /".to_owned());
        }
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).map_err(broken)?;
            self.count()?;
            let path = text(entry.name_raw())?;
            let path = if is_of_windows { path.replace('\\', "/") } else { path };
            let mode = entry.unix_mode().unwrap_or(0);
            let what = match mode & 0o170_000 {
                _ if entry.encrypted() => Some("encrypted"),
                0 | 0o100_000 | 0o040_000 => None,
                0o120_000 => Some("a symbolic link"),
                _ => Some("no regular file"),
            };
            let is_folder = entry.is_dir();
            self.entry(&path, is_folder, what, mode & 0o111 != 0, &mut entry)?;
        }
        Ok(())
    }

    /// Leaves out what programs have made in some folders of an archive with these paths.
    fn leave_out(&mut self, paths: &[String]) {
        self.made = made_folders(paths.iter().map(|path| path.strip_prefix("./").unwrap_or(path)));
        let left = |folder: &String| {
            let folder = plain(folder.trim_end_matches('/'));
            format!("{folder} is left out: a virtual environment, or a cache of a compiler")
        };
        self.notes.extend(self.made.iter().take(NOTED_MAX).map(left));
    }

    fn count(&mut self) -> Result<(), String> {
        self.entries += 1;
        if self.entries > ENTRIES_MAX { Err(format!("more than {ENTRIES_MAX} entries")) } else { Ok(()) }
    }

    /// Takes an entry of an archive. `what` says why it cannot be taken.
    fn entry(
        &mut self,
        path: &str,
        is_folder: bool,
        what: Option<&str>,
        executable: bool,
        content: &mut impl Read,
    ) -> Result<(), String> {
        let path = path.strip_prefix("./").unwrap_or(path);
        let path = if is_folder { path.trim_end_matches('/') } else { path };
        if is_folder && (path.is_empty() || path == ".") {
            return Ok(());
        }
        check_path(path)?;
        if is_litter(path) || is_in(&self.made, path) {
            return Ok(());
        }
        if let Some(what) = what {
            return Err(format!("{path}: {what}; a source has regular files only"));
        }
        if is_folder { Ok(()) } else { self.file(path, executable, content) }
    }

    fn file(&mut self, path: &str, executable: bool, content: impl Read) -> Result<(), String> {
        check_path(path)?;
        if self.files.len() >= self.caps.files {
            return Err(format!("more than {} files", self.caps.files));
        }
        let mut bytes = Vec::new();
        let read = content.take(self.left + 1).read_to_end(&mut bytes);
        read.map_err(|error| format!("{path}: the archive is damaged: {}", plain(&error.to_string())))?;
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or_else(|| self.too_much())?;
        self.files.push(SourceFile { path: path.to_owned(), executable, bytes });
        Ok(())
    }
}

/// The message of a library, which can quote the archive.
fn plain(message: &str) -> String {
    referee_record::text::harmless(message, 200)
}

fn text(bytes: &[u8]) -> Result<String, String> {
    match str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(format!("{}: a name that is not UTF-8", plain(&String::from_utf8_lossy(bytes)))),
    }
}

/// Tells whether a file was left by an archiver, an editor or a version control system.
pub(crate) fn is_litter(path: &str) -> bool {
    const FOLDERS: [&str; 8] =
        ["__MACOSX", "__pycache__", ".git", ".hg", ".svn", ".idea", ".vscode", ".metadata"];
    let mut parts = path.split('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    parts.any(|part| FOLDERS.contains(&part))
        || name.starts_with("._")
        || matches!(name, ".DS_Store" | "Thumbs.db" | "desktop.ini")
        || name.len() > 1 && name.ends_with('~')
        || name.starts_with('.') && [".swp", ".swo"].iter().any(|end| name.ends_with(end))
}

/// Returns the folders, each with a slash behind it, that a program has made and can make again: virtual environments of
/// Python, and caches of compilers, which mark themselves with a file. One with all files in it, apart from litter, is
/// none.
pub(crate) fn made_folders<'a>(paths: impl Iterator<Item = &'a str> + Clone) -> BTreeSet<String> {
    let mut files = paths.clone().filter(|path| !path.is_empty() && !is_litter(path));
    let first = files.next().unwrap_or_default();
    // The beginning that all of them have in common.
    let common = files.fold(first, |common, path| {
        let same = common.char_indices().zip(path.chars()).find(|((_, one), other)| one != other);
        &common[..same.map_or(common.len().min(path.len()), |((at, _), _)| at)]
    });
    let marked = |path: &'a str| {
        let folder = ["pyvenv.cfg", "CACHEDIR.TAG"].iter().find_map(|mark| path.strip_suffix(mark))?;
        (folder.ends_with('/') && !common.starts_with(folder)).then(|| folder.to_owned())
    };
    paths.filter_map(marked).collect()
}

/// Tells whether a file is in one of these folders.
pub(crate) fn is_in(folders: &BTreeSet<String>, path: &str) -> bool {
    !folders.is_empty() && path.match_indices('/').any(|(at, _)| folders.contains(&path[..=at]))
}

/// Strips the folder in which all files are, if there is one.
fn without_outer_folder(files: Vec<SourceFile>) -> Vec<SourceFile> {
    let outer = files.first().and_then(|file| Some(format!("{}/", file.path.split_once('/')?.0)));
    let Some(outer) = outer.filter(|outer| files.iter().all(|file| file.path.starts_with(outer.as_str())))
    else {
        return files;
    };
    let strip = |file: SourceFile| SourceFile { path: file.path[outer.len()..].to_owned(), ..file };
    files.into_iter().map(strip).collect()
}

/// Mends texts that were saved on Windows. A system would look for an interpreter with an invisible character in its
/// name, and compilers stop at a byte order mark.
///
/// # Errors
///
/// If a file only names another one.
pub(crate) fn mend(files: &mut [SourceFile], notes: &mut Vec<String>) -> Result<(), String> {
    let what_is = |file: &SourceFile| foreign(&file.path, &file.bytes).filter(|_| is_pointer(&file.bytes));
    if let Some((file, what)) = files.iter().find_map(|file| Some((file, what_is(file)?))) {
        return Err(of_file(files, &file.path, what));
    }
    for file in files {
        let SourceFile { path, bytes, .. } = file;
        let rest = bytes.strip_prefix(MARK);
        if rest
            .is_some_and(|rest| rest.starts_with(b"#!") || CODE.iter().any(|ending| path.ends_with(ending)))
        {
            bytes.drain(..MARK.len());
            notes.push(format!("{path}: it began with a byte order mark, which is taken out"));
        }
        let end = bytes.iter().take(256).position(|byte| *byte == b'\n');
        if let Some(end) = end.filter(|end| *end > 0 && bytes[end - 1] == b'\r')
            && bytes.starts_with(b"#!")
        {
            bytes.remove(end - 1);
            notes.push(format!(
                "{path}: its first line ended with a carriage return (Windows line ends), which is taken out"
            ));
        }
    }
    Ok(())
}

/// What some editors write in front of a text.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Endings of the table that is built in.
static CODE: LazyLock<Vec<String>> =
    LazyLock::new(|| Languages::built_in().rows.into_values().flat_map(|row| row.endings).collect());

/// Tells whether bytes are a script whose first line is mended here.
pub(crate) fn is_to_mend(start: &[u8]) -> bool {
    let script = start.strip_prefix(MARK).unwrap_or(start);
    let first = script.split(|byte| *byte == b'\n').next().unwrap_or_default();
    script.starts_with(b"#!") && (script.len() < start.len() || first.ends_with(b"\r"))
}

#[cfg(test)]
mod tests;
