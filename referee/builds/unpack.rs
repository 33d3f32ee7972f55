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
    let mut unpacking = Unpacking {
        caps,
        bytes_left: caps.bytes,
        entries: 0,
        generated: BTreeSet::new(),
        files: Vec::new(),
        notes: Vec::new(),
    };
    match kind(bytes) {
        Kind::Gzip => unpacking.tar(|| MultiGzDecoder::new(bytes))?,
        Kind::Tar => unpacking.tar(|| bytes)?,
        Kind::Zip => unpacking.zip(bytes)?,
        Kind::Other(what) => {
            return Err(format!("{what}: pack the files as .tar.gz or .zip"));
        }
        Kind::File => unpacking.file(name, false, bytes)?,
    }
    let Unpacking { files, mut notes, .. } = unpacking;
    if files.is_empty() && !notes.is_empty() {
        return Err(format!("no file is left: {}", notes.join("; ")));
    }
    let files = without_outer_folder(files);
    let mut files = settle(files, caps)?;
    mend(&mut files, &mut notes)?;
    Ok((files, notes))
}

/// The kind of some bytes, by their beginning.
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

/// The files that are unpacked so far.
struct Unpacking {
    caps: Caps,
    /// Number of bytes that can still be taken.
    bytes_left: u64,
    entries: usize,
    /// See [`generated_folders`].
    generated: BTreeSet<String>,
    files: Vec<SourceFile>,
    notes: Vec<String>,
}

impl Unpacking {
    fn tar<R: Read>(&mut self, bytes: impl Fn() -> R) -> Result<(), String> {
        // Headers and names count, too: they can be as long as the files.
        let limit = self.caps.bytes.saturating_mul(2) + ENTRIES_MAX as u64 * 1024;
        // A damaged archive is reported below, when its files are read.
        self.leave_out(&paths_of_tar(bytes().take(limit)).unwrap_or_default());
        let mut archive = tar::Archive::new(bytes().take(limit));
        for entry in archive.entries().map_err(damaged)? {
            let mut entry = entry.map_err(damaged)?;
            self.count()?;
            let kind = entry.header().entry_type();
            if kind == EntryType::XGlobalHeader {
                continue; // written by git: it has no content
            }
            let path = text(&entry.path_bytes())?;
            let obstacle = match kind {
                EntryType::Directory | EntryType::Regular | EntryType::Continuous => None,
                EntryType::Symlink => Some("a symbolic link"),
                EntryType::Link => Some("a hard link"),
                EntryType::Char | EntryType::Block => Some("a device"),
                EntryType::Fifo => Some("a pipe"),
                _ => Some("no regular file"),
            };
            let executable = entry.header().mode().is_ok_and(|mode| mode & 0o111 != 0);
            self.entry(&path, kind == EntryType::Directory, obstacle, executable, &mut entry)?;
        }
        let mut rest = archive.into_inner();
        read_padding(&mut rest)?;
        if rest.limit() == 0 { Err(self.too_large()) } else { Ok(()) }
    }

    fn too_large(&self) -> String {
        format!("more than {} MiB when it is unpacked", self.caps.bytes >> 20)
    }

    fn zip(&mut self, bytes: &[u8]) -> Result<(), String> {
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged_zip)?;
        if archive.len() > ENTRIES_MAX {
            return Err(format!("more than {ENTRIES_MAX} entries"));
        }
        // Other programs must read the same files in it.
        archive.validate_header_consistency().map_err(damaged_zip)?;
        if archive.offset() != 0 {
            return Err("the archive is damaged: there is something before its first file".to_owned());
        }
        // Some programs of Windows write their own separator of folders, against the rule.
        let names: Vec<_> = archive.file_names().flatten().collect();
        let is_of_windows =
            names.iter().all(|name| !name.contains('/')) && names.iter().any(|name| name.contains('\\'));
        let with_slashes =
            names.into_iter().map(|name| if is_of_windows { name.replace('\\', "/") } else { name.into() });
        self.leave_out(&with_slashes.collect::<Vec<String>>());
        if is_of_windows {
            self.notes.push("its paths are written with \\ (Windows), which is read as /".to_owned());
        }
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).map_err(damaged_zip)?;
            self.count()?;
            let path = text(entry.name_raw())?;
            let path = if is_of_windows { path.replace('\\', "/") } else { path };
            let mode = entry.unix_mode().unwrap_or(0);
            let obstacle = match mode & 0o170_000 {
                _ if entry.encrypted() => Some("encrypted"),
                0 | 0o100_000 | 0o040_000 => None,
                0o120_000 => Some("a symbolic link"),
                _ => Some("no regular file"),
            };
            let is_folder = entry.is_dir();
            self.entry(&path, is_folder, obstacle, mode & 0o111 != 0, &mut entry)?;
        }
        Ok(())
    }

    /// Finds the folders, in an archive with these paths, that are left out since programs have made them.
    fn leave_out(&mut self, paths: &[String]) {
        self.generated = generated_folders(paths.iter().map(|path| path.strip_prefix("./").unwrap_or(path)));
        let note = |folder: &String| {
            let folder = plain(folder.trim_end_matches('/'));
            format!("{folder} is left out: a virtual environment, or a cache of a compiler")
        };
        self.notes.extend(self.generated.iter().take(NOTED_MAX).map(note));
    }

    fn count(&mut self) -> Result<(), String> {
        self.entries += 1;
        if self.entries > ENTRIES_MAX { Err(format!("more than {ENTRIES_MAX} entries")) } else { Ok(()) }
    }

    /// Takes an entry of an archive. `obstacle` is the reason why it cannot be taken.
    fn entry(
        &mut self,
        path: &str,
        is_folder: bool,
        obstacle: Option<&str>,
        executable: bool,
        content: &mut impl Read,
    ) -> Result<(), String> {
        let path = path.strip_prefix("./").unwrap_or(path);
        let path = if is_folder { path.trim_end_matches('/') } else { path };
        if is_folder && (path.is_empty() || path == ".") {
            return Ok(());
        }
        check_path(path)?;
        if is_litter(path) || is_in(&self.generated, path) {
            return Ok(());
        }
        if let Some(obstacle) = obstacle {
            return Err(format!("{path}: {obstacle}; a source has regular files only"));
        }
        if is_folder { Ok(()) } else { self.file(path, executable, content) }
    }

    fn file(&mut self, path: &str, executable: bool, content: impl Read) -> Result<(), String> {
        check_path(path)?;
        if self.files.len() >= self.caps.files {
            return Err(format!("more than {} files", self.caps.files));
        }
        let mut bytes = Vec::new();
        let read = content.take(self.bytes_left + 1).read_to_end(&mut bytes);
        read.map_err(|error| format!("{path}: the archive is damaged: {}", plain(&error.to_string())))?;
        let bytes_left = self.bytes_left.checked_sub(bytes.len() as u64);
        self.bytes_left = bytes_left.ok_or_else(|| self.too_large())?;
        self.files.push(SourceFile { path: path.to_owned(), executable, bytes });
        Ok(())
    }
}

/// Reads the paths of an archive's entries.
fn paths_of_tar(bytes: impl Read) -> io::Result<Vec<String>> {
    let path = |entry: tar::Entry<'_, _>| match entry.header().entry_type() {
        EntryType::XGlobalHeader => None,
        _ => Some(str::from_utf8(&entry.path_bytes()).ok()?.to_owned()),
    };
    let mut archive = tar::Archive::new(bytes);
    archive.entries()?.take(ENTRIES_MAX).filter_map(|entry| entry.map(path).transpose()).collect()
}

/// Reads to the end of the compressed bytes, where their checksum is. Only zeros may follow the end of an archive,
/// since some programs read on behind it.
fn read_padding(rest: &mut impl Read) -> Result<(), String> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match rest.read(&mut buffer).map_err(damaged)? {
            0 => return Ok(()),
            read if buffer[..read].iter().any(|byte| *byte != 0) => {
                return Err("the archive is damaged: there is something behind its end".to_owned());
            }
            _ => {}
        }
    }
}

fn damaged(error: io::Error) -> String {
    format!("the archive is damaged: {}", plain(&error.to_string()))
}

fn damaged_zip(error: ZipError) -> String {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
            "the archive is encrypted: pack the files without a password".to_owned()
        }
        ZipError::UnsupportedArchive(what) => {
            format!("{}: pack the files again, as a plain .zip or .tar.gz", plain(what))
        }
        error => format!("the archive is damaged: {}", plain(&error.to_string())),
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

/// Returns the folders, each with a slash behind it, that a program has made and can make again: virtual environments
/// of Python, and caches of compilers, which mark themselves with a file. A folder with all files in it, apart from
/// litter, is not among them.
pub(crate) fn generated_folders<'a>(paths: impl Iterator<Item = &'a str> + Clone) -> BTreeSet<String> {
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
    let pointer = |file: &SourceFile| foreign(&file.path, &file.bytes).filter(|_| is_pointer(&file.bytes));
    if let Some((file, what)) = files.iter().find_map(|file| Some((file, pointer(file)?))) {
        return Err(of_file(files, &file.path, what));
    }
    for file in files {
        let SourceFile { path, bytes, .. } = file;
        let is_code =
            |rest: &[u8]| rest.starts_with(b"#!") || CODE_ENDINGS.iter().any(|ending| path.ends_with(ending));
        if bytes.strip_prefix(BYTE_ORDER_MARK).is_some_and(is_code) {
            bytes.drain(..BYTE_ORDER_MARK.len());
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

/// The mark that some editors write in front of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Endings of source files in the built-in table.
static CODE_ENDINGS: LazyLock<Vec<String>> =
    LazyLock::new(|| Languages::built_in().rows.into_values().flat_map(|row| row.endings).collect());

/// Tells whether bytes are a script whose first line is mended here.
pub(crate) fn is_to_mend(start: &[u8]) -> bool {
    let script = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
    let first = script.split(|byte| *byte == b'\n').next().unwrap_or_default();
    script.starts_with(b"#!") && (script.len() < start.len() || first.ends_with(b"\r"))
}

#[cfg(test)]
mod tests;
