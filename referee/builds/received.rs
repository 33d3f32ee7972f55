//! A file or folder that was handed in: whether it is a source, and its bytes. A file is only read here; its content is
//! parsed by `unpack`, in the sandbox.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use rustix::fd::OwnedFd;
use rustix::fs::{FileType, Mode, OFlags};

use crate::bundle::{Caps, SourceFile, settle};
use crate::languages::{BuildLimits, Language, Languages};
use crate::unpack::{generated_folders, is_archive, is_in, is_litter, is_to_mend};
use referee_files::beneath::Spot;
use referee_files::walk;
use referee_record::error::{Error, refused};
use referee_record::text::size;

/// A file or folder that was handed in, held open: it is read by its descriptor, whatever is put at its path meanwhile.
#[derive(Debug)]
pub struct HandedIn {
    descriptor: OwnedFd,
    kind: FileType,
    name: String,
}

impl HandedIn {
    /// Takes a descriptor that was opened with `O_PATH`.
    pub fn of(descriptor: OwnedFd) -> io::Result<HandedIn> {
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&descriptor)?.st_mode);
        let mut handed_in = HandedIn { descriptor, kind, name: String::new() };
        let name = handed_in.place()?.file_name().unwrap_or_default().to_string_lossy().into_owned();
        handed_in.name = name;
        Ok(handed_in)
    }

    /// Opens a path, whose links are followed.
    pub fn open(path: &Path) -> io::Result<HandedIn> {
        HandedIn::of(rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?)
    }

    /// Returns a path that leads to it as long as it is held open.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.descriptor.as_raw_fd()))
    }

    /// Returns its present path, with no link in it.
    pub fn place(&self) -> io::Result<PathBuf> {
        std::fs::read_link(self.path())
    }

    /// Returns its name, without the folders above it.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn is_folder(&self) -> bool {
        self.kind == FileType::Directory
    }

    /// Opens it for reading. Only a regular file is opened: opening a pipe or a device can have effects.
    fn reader(&self) -> io::Result<File> {
        if self.kind != FileType::RegularFile {
            return Err(refused("no regular file"));
        }
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(rustix::fs::open(self.path(), flags, Mode::empty())?.into())
    }
}

/// Something that was handed in, and is no program yet.
#[derive(Debug)]
pub(crate) enum Received {
    /// The bytes of a file.
    Bytes(Vec<u8>),
    /// The files of a folder.
    Files(Vec<SourceFile>),
}

/// Tells whether this is a source: a folder, an archive, or a file of a language that is known and no script
/// with a first line of its own, unless that is to be mended.
pub fn is_source(handed_in: &HandedIn, languages: &Languages) -> bool {
    kind(handed_in, languages) != Kind::Program
}

/// Tells whether a compiler can be needed for it: it is a source, and not a single file that is interpreted.
pub fn is_compiled(handed_in: &HandedIn, languages: &Languages) -> bool {
    kind(handed_in, languages) == Kind::Compiled
}

/// The way in which something that was handed in becomes a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It runs.
    Program,
    /// It is a single file that an interpreter runs.
    Interpreted,
    /// It can need a compiler.
    Compiled,
}

fn kind(handed_in: &HandedIn, languages: &Languages) -> Kind {
    if handed_in.is_folder() {
        return Kind::Compiled;
    }
    let mut start = Vec::new();
    let read = handed_in.reader().and_then(|file| file.take(START_BYTES).read_to_end(&mut start));
    if read.is_err() {
        return Kind::Program;
    }
    let name = handed_in.name();
    let by_languages = |matches: &dyn Fn(&Language) -> bool| {
        let mut rows = languages.rows.values().filter(|row| row.offered && matches(row)).peekable();
        match (rows.peek().is_some(), rows.any(|row| row.keeps_source())) {
            (false, _) => Kind::Program,
            (true, true) => Kind::Interpreted,
            (true, false) => Kind::Compiled,
        }
    };
    if is_to_mend(&start) {
        return by_languages(&|row| row.is_source(name) || row.runs(&start));
    }
    if [&b"\x7fELF"[..], b"#!", b"\0asm"].iter().any(|program| start.starts_with(program)) {
        return Kind::Program;
    }
    if is_archive(&start) { Kind::Compiled } else { by_languages(&|row| row.is_source(name)) }
}

/// Maximum number of files in a folder, with those that are left out.
const FOUND_MAX: usize = 100_000;

/// Number of bytes at the start of a file by which its kind is known.
const START_BYTES: u64 = 512;

/// Reads what was handed in.
pub(crate) fn receive(handed_in: &HandedIn, shown: &Path, caps: Caps) -> Result<Received, Error> {
    if handed_in.is_folder() {
        let files = files_of_folder(&handed_in.path(), shown, caps)?;
        return settle(files, caps).map(Received::Files).map_err(|why| Error::file(shown, why));
    }
    let bytes = handed_in.reader().and_then(|file| read_all(file, caps.bytes));
    bytes.map(Received::Bytes).map_err(Error::system(shown, "read the source"))
}

/// Packs a folder as a `.tar.gz`, with a folder around its files. The same files make the same bytes.
///
/// # Errors
///
/// If something in it is no part of a source, it is too large, or the system refuses.
pub fn packed(handed_in: &HandedIn, shown: &Path, limits: &BuildLimits) -> Result<Vec<u8>, Error> {
    let Received::Files(files) = receive(handed_in, shown, limits.of_source())? else {
        return Err(Error::file(shown, "not a folder"));
    };
    if let Some(file) = files.iter().find(|file| is_secret(&file.path, &file.bytes)) {
        let what = format!(
            "{}: it can hold a secret, which the host would read; move it out of the folder",
            file.path
        );
        return Err(Error::file(shown, what));
    }
    let pack = || -> io::Result<Vec<u8>> {
        let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
        for file in &files {
            let mut header = tar::Header::new_gnu();
            header.set_size(file.bytes.len() as u64);
            header.set_mode(if file.executable { 0o755 } else { 0o644 });
            archive.append_data(&mut header, format!("bot/{}", file.path), &*file.bytes)?;
        }
        archive.into_inner()?.finish()
    };
    pack().map_err(Error::system(shown, "pack the folder"))
}

/// Tells whether a file holds a private key, or is one of those in which programs keep passwords.
fn is_secret(path: &str, bytes: &[u8]) -> bool {
    const NAMES: [&str; 5] = [".ssh", ".gnupg", ".env", ".netrc", ".npmrc"];
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(100)]).into_owned();
    let is_key = start.starts_with("PRIVATE+KEY+")
        || start.contains("-----BEGIN") && start.contains("PRIVATE KEY-----");
    is_key || path.split('/').any(|part| NAMES.contains(&part))
}

/// Reads a file of at most `max` bytes.
fn read_all(file: File, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        return Err(refused(format!("longer than {}, which is left of the maximum for a source", size(max))));
    }
    Ok(bytes)
}

/// Reads the files of a folder, without those that programs have made in it. Errors name it as `shown`.
fn files_of_folder(folder: &Path, shown: &Path, caps: Caps) -> Result<Vec<SourceFile>, Error> {
    let unusable = |path: &str, why: &str| Error::file(shown, format!("{path}: {why}"));
    let found = entries_of_folder(folder, shown)?;
    let path_of = |path: &Path| path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
    let paths: Vec<String> = found.iter().map(|entry| path_of(&entry.path)).collect();
    let generated = generated_folders(paths.iter().map(|path| &**path));
    let (mut files, mut bytes_left) = (Vec::new(), caps.bytes);
    for (entry, path) in found.into_iter().zip(paths) {
        if is_litter(&path) || is_in(&generated, &path) {
            continue;
        }
        if files.len() >= caps.files {
            return Err(Error::file(shown, format!("more than {} files", caps.files)));
        }
        if entry.is_link {
            return Err(unusable(&path, "a symbolic link; a source has regular files only"));
        }
        if entry.path.to_str().is_none() {
            return Err(unusable(&path, "a name that is not UTF-8"));
        }
        let read = || -> io::Result<(Vec<u8>, bool)> {
            let file = Spot::within(folder, &entry.path).open()?;
            let executable = file.metadata()?.permissions().mode() & 0o111 != 0;
            Ok((read_all(file, bytes_left)?, executable))
        };
        let (bytes, executable) =
            read().map_err(|error| unusable(&path, &format!("cannot be read: {error}")))?;
        bytes_left -= bytes.len() as u64;
        files.push(SourceFile { path, executable, bytes });
    }
    Ok(files)
}

fn entries_of_folder(folder: &Path, shown: &Path) -> Result<Vec<walk::Entry>, Error> {
    let mut found = Vec::new();
    let walked = walk::each_file(&Spot::from(folder), |entry| {
        found.push(entry);
        if found.len() > FOUND_MAX {
            return Err(Error::file(shown, format!("more than {FOUND_MAX} files")));
        }
        Ok(())
    });
    walked.map_err(|error| {
        let [held, shown] = [folder, shown].map(|path| path.display().to_string());
        Error::new(error.kind(), error.to_string().replace(&held, &shown))
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_is_needed_by_what_is_in_a_file_and_not_by_its_name_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let languages = Languages::built_in();
        for (name, bytes, expected) in [
            ("bot.py", &b"print(1)\n"[..], Kind::Interpreted),
            ("bot.js", b"x\n", Kind::Interpreted),
            ("bot.cpp", b"int main() {}\n", Kind::Compiled),
            // An archive of sources of any language.
            ("zip.py", b"PK\x03\x04", Kind::Compiled),
            ("packed.py", b"\x1f\x8b\x08\x00", Kind::Compiled),
            // The ends of its lines are mended.
            ("bot", b"#!/usr/bin/env python3\r\nprint(1)\r\n", Kind::Interpreted),
            ("bot.sh", b"#!/bin/sh\n", Kind::Program),
            ("fox", b"\x7fELF", Kind::Program),
            ("words", b"words\n", Kind::Program),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).expect("a file");
            let handed_in = HandedIn::open(&path).expect("a file");
            assert_eq!(kind(&handed_in, &languages), expected, "{name}");
        }
        let handed_in = HandedIn::open(folder.path()).expect("a folder");
        assert!(is_source(&handed_in, &languages) && is_compiled(&handed_in, &languages));
    }
}
