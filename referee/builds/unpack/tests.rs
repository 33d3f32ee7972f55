//! Archives of every kind, good and bad.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{EntryType, Header};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;

const CAPS: Caps = Caps { files: 10, bytes: 1 << 20 };

fn tar_of(entries: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (path, kind, content) in entries {
        let mut header = Header::new_gnu();
        header.set_entry_type(*kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        // As a stranger's program writes it, without the checks of this library.
        header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        if matches!(kind, EntryType::Symlink | EntryType::Link) {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_cksum();
        archive.append(&header, *content).unwrap();
    }
    archive.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::best());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (path, content) in entries {
        archive.start_file(*path, options).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn names(bytes: &[u8]) -> Result<Vec<String>, String> {
    unpack("bot", bytes, CAPS).map(|(files, _)| files.into_iter().map(|file| file.path).collect())
}

const FILE: EntryType = EntryType::Regular;

#[test]
fn a_file_and_each_kind_of_archive_become_a_list_of_files() {
    let (files, _) = unpack("bot.c", b"int main;", CAPS).unwrap();
    assert_eq!((files.len(), &*files[0].path, &*files[0].bytes), (1, "bot.c", &b"int main;"[..]));
    let tar = tar_of(&[("bot.c", FILE, b"1"), ("lib/", EntryType::Directory, b""), ("lib/a.h", FILE, b"2")]);
    let zip = zip_of(&[("bot.c", b"1"), ("lib/a.h", b"2")]);
    for bytes in [tar.clone(), gzip(&tar), zip] {
        assert_eq!(names(&bytes), Ok(vec!["bot.c".to_owned(), "lib/a.h".to_owned()]));
    }
}

#[test]
fn the_outer_folder_and_litter_are_stripped() {
    let litter = [
        "mybot/.git/config",
        "__MACOSX/mybot/._a",
        "mybot/.DS_Store",
        "mybot/bot.py~",
        "mybot/.bot.py.swp",
        "mybot/__pycache__/a.pyc",
        "mybot/.metadata/x",
        "mybot/._bot.py",
        "Thumbs.db",
        "mybot/.idea/w.xml",
    ];
    let mut entries: Vec<(&str, EntryType, &[u8])> =
        vec![("mybot/bot.py", FILE, b"1"), ("./mybot/a/b.py", FILE, b"2")];
    entries.extend(litter.iter().map(|path| (*path, FILE, &b"litter"[..])));
    assert_eq!(names(&tar_of(&entries)), Ok(vec!["a/b.py".to_owned(), "bot.py".to_owned()]));
}

#[test]
fn virtual_environments_and_caches_of_compilers_are_left_out_of_every_kind_of_archive() {
    let files = [
        "bot/bot.py",
        "bot/venv/pyvenv.cfg",
        "bot/venv/lib/a.py",
        "bot/sub/target/CACHEDIR.TAG",
        "bot/venvs/b.py",
    ];
    let mut entries: Vec<(&str, EntryType, &[u8])> = files.map(|path| (path, FILE, &b"1"[..])).to_vec();
    // As Linux makes one.
    entries.push(("bot/venv/bin/python", EntryType::Symlink, b""));
    let zip = zip_of(&files.map(|path| (path, &b"1"[..])));
    let of_windows = files.map(|path| path.replace('/', "\\"));
    let of_windows: Vec<(&str, &[u8])> = of_windows.iter().map(|path| (&**path, &b"1"[..])).collect();
    let tar = tar_of(&entries);
    let dotted: Vec<(String, EntryType, &[u8])> =
        entries.iter().map(|(path, kind, bytes)| (format!("./{path}"), *kind, *bytes)).collect();
    let dotted: Vec<(&str, EntryType, &[u8])> =
        dotted.iter().map(|(path, kind, bytes)| (&**path, *kind, *bytes)).collect();
    for bytes in [tar.clone(), gzip(&tar), tar_of(&dotted), zip, zip_of(&of_windows)] {
        assert_eq!(names(&bytes), Ok(vec!["bot.py".to_owned(), "venvs/b.py".to_owned()]));
    }
    let (_, notes) = unpack("bot.tar", &tar, Caps { bytes: 1 << 20, files: 100 }).unwrap();
    assert!(
        notes.contains(&"bot/venv is left out: a virtual environment, or a cache of a compiler".to_owned())
    );
    // All of it can be in one, which nobody means to leave out: also with what a Mac adds.
    for more in ["bot/lib/a.py", "__MACOSX/bot/._bot.py", ".DS_Store"] {
        let inside = ["bot/pyvenv.cfg", "bot/bot.py", more].map(|path| (path, FILE, &b"1"[..]));
        let left = names(&tar_of(&inside)).unwrap();
        assert!(left.contains(&"bot.py".to_owned()), "{more}: {left:?}");
    }
    let both = ["one/pyvenv.cfg", "two/pyvenv.cfg"].map(|path| (path, FILE, &b"1"[..]));
    let why = names(&tar_of(&both)).unwrap_err();
    assert!(why.starts_with("no file is left: one is left out"), "{why}");
}

#[test]
fn what_is_no_regular_file_with_a_plain_name_is_refused() {
    for (entry, expected) in [
        (("a", EntryType::Symlink, &b""[..]), "a: a symbolic link"),
        (("a", EntryType::Link, b""), "a: a hard link"),
        (("a", EntryType::Char, b""), "a: a device"),
        (("a", EntryType::Block, b""), "a: a device"),
        (("a", EntryType::Fifo, b""), "a: a pipe"),
        (("a", EntryType::GNUSparse, b""), ""),
        (("../a", FILE, b""), "leads out"),
        (("a/../../b", FILE, b""), "leads out"),
        (("/etc/cron.d/a", FILE, b""), "from the root"),
        (("a\\b", FILE, b""), "backslash"),
        (("a\n", FILE, b""), "invisible"),
        (("a\x1b[2J", FILE, b""), "invisible"),
        (("..", EntryType::Directory, b""), "leads out"),
        (("//a", FILE, b""), "from the root"),
        (("a//b", FILE, b""), "a part of the path"),
    ] {
        let why = names(&tar_of(&[("ok", FILE, b"1"), entry])).unwrap_err();
        assert!(why.contains(expected), "{entry:?}: {why}");
        assert!(!why.contains('\x1b') && !why.contains('\n'), "{why:?}");
    }
    for pair in [["a", "a"], ["a", "A"], ["a", "a/b"]] {
        let why = names(&tar_of(&pair.map(|path| (path, FILE, &b"1"[..])))).unwrap_err();
        assert!(why.contains("twice"), "{pair:?}: {why}");
    }
}

#[test]
fn bombs_are_refused_before_they_are_unpacked() {
    let large = vec![0; 3 << 20];
    let tar = tar_of(&[("a", FILE, &large)]);
    for bytes in [gzip(&tar), zip_of(&[("a", &large)])] {
        assert!(bytes.len() < 10_000, "{}", bytes.len());
        let why = names(&bytes).unwrap_err();
        assert_eq!(why, "more than 1 MiB when it is unpacked");
    }
    let many: Vec<String> = (0..11).map(|number| format!("f{number}")).collect();
    let many: Vec<(&str, EntryType, &[u8])> = many.iter().map(|path| (&**path, FILE, &b"1"[..])).collect();
    assert_eq!(names(&tar_of(&many)), Err("more than 10 files".to_owned()));
    let folders = vec![("d/", EntryType::Directory, &b""[..]); ENTRIES_MAX + 1];
    assert_eq!(names(&gzip(&tar_of(&folders))), Err(format!("more than {ENTRIES_MAX} entries")));
}

#[test]
fn a_damaged_or_ambiguous_archive_is_refused() {
    let zip = zip_of(&[("bot.c", b"int main(void) { return 0; }"), ("b.c", b"")]);
    let tar = gzip(&tar_of(&[("bot.c", FILE, b"1")]));
    for bytes in [&zip, &tar] {
        for end in [30, bytes.len() / 2, bytes.len() - 4] {
            assert!(names(&bytes[..end]).is_err(), "cut off after {end}");
        }
    }
    // The name before the content is another one than that in the list at the end: programs differ in which they read.
    let mut other = zip.clone();
    let at = other.windows(5).position(|bytes| bytes == b"bot.c").unwrap();
    other[at] = b'x';
    assert!(names(&other).unwrap_err().contains("damaged"));
    // Something before the first file: a program and an archive in one.
    let both = [&b"PK\x03\x04"[..], &[0; 26], &zip].concat();
    assert!(names(&both).unwrap_err().contains("damaged"));
    assert_eq!(names(&zip_of(&[])), Err("no file is in it".to_owned()));
    for (bytes, expected) in
        [(&b"7z\xbc\xaf\x27\x1c"[..], "7z"), (b"Rar!\x1a", "RAR"), (b"\xfd7zXZ\0", "xz"), (b"BZh9", "bzip2")]
    {
        let why = names(bytes).unwrap_err();
        assert!(why.contains(expected) && why.ends_with("pack the files as .tar.gz or .zip"), "{why}");
    }
}

#[test]
fn each_changed_byte_of_an_archive_leaves_plain_names_or_is_refused() {
    let tar = tar_of(&[("bot.c", FILE, b"12345"), ("lib/a.h", FILE, b"2")]);
    let zip = zip_of(&[("bot.c", b"12345"), ("lib/a.h", b"2")]);
    for bytes in [tar, zip] {
        for at in 0..bytes.len() {
            for byte in [0, b'.', b'/', 0xff, bytes[at] ^ 1] {
                let mut changed = bytes.clone();
                changed[at] = byte;
                if let Ok((files, _)) = unpack("bot", &changed, CAPS) {
                    assert!(files.iter().all(|file| check_path(&file.path).is_ok()), "{at} {byte}");
                }
            }
        }
    }
}

#[test]
fn a_text_of_windows_is_mended_and_that_is_said() {
    for (name, text, expected, said) in [
        (
            "bot.py",
            &b"#!/usr/bin/env python3\r\nprint(1)\r\n"[..],
            &b"#!/usr/bin/env python3\nprint(1)\r\n"[..],
            1,
        ),
        ("bot", b"\xef\xbb\xbf#!/bin/sh\r\n:", b"#!/bin/sh\n:", 2),
        ("bot.java", b"\xef\xbb\xbfclass A", b"class A", 1),
        ("bot.py", b"print(1)\r\n", b"print(1)\r\n", 0),
        ("words.txt", b"\xef\xbb\xbfa", b"\xef\xbb\xbfa", 0),
    ] {
        let (files, notes) = unpack(name, text, CAPS).unwrap();
        assert_eq!((&*files[0].bytes, notes.len()), (expected, said), "{name}: {notes:?}");
        assert!(notes.iter().all(|note| note.contains("taken out")), "{notes:?}");
    }
    for (start, expected) in [
        (&b"#!/bin/sh\r\n"[..], true),
        (b"\xef\xbb\xbf#!/bin/sh\n", true),
        (b"#!/bin/sh\n\r\n", false),
        (b"a\r\n", false),
    ] {
        assert_eq!(is_to_mend(start), expected, "{start:?}");
    }
}

#[test]
fn a_file_that_only_names_another_is_refused() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
    let why = names(&zip_of(&[("bot.py", b"1"), ("w.bin", pointer)])).unwrap_err();
    assert_eq!(why, "w.bin: a pointer of Git LFS, not the file itself; fetch the file: git lfs pull");
    let why = names(&zip_of(&[("bot.py", pointer)])).unwrap_err();
    assert_eq!(why, "a pointer of Git LFS, not the file itself; fetch the file: git lfs pull", "it is alone");
}

#[test]
fn a_zip_with_the_separators_of_windows_is_read_and_that_is_said() {
    let (files, notes) =
        unpack("x", &zip_of(&[("fox\\bot.py", b"1"), ("fox\\lib\\a.py", b"2")]), CAPS).unwrap();
    let paths: Vec<&str> = files.iter().map(|file| &*file.path).collect();
    assert_eq!((paths, notes.len()), (vec!["bot.py", "lib/a.py"], 1));
    for names_of in [["..\\a", "b"], ["a/b", "c\\d"]] {
        assert!(names(&zip_of(&names_of.map(|name| (name, &b"1"[..])))).is_err(), "{names_of:?}");
    }
}

#[test]
fn symbolic_links_and_secrets_in_a_zip_are_refused() {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.add_symlink("a", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    let bytes = archive.finish().unwrap().into_inner();
    assert!(names(&bytes).unwrap_err().contains("a symbolic link"));
    let mut encrypted = zip_of(&[("a", b"1")]);
    for (at, _) in encrypted.clone().windows(4).enumerate().filter(|(_, start)| start == b"PK\x03\x04") {
        encrypted[at + 6] |= 1;
    }
    for (at, _) in encrypted.clone().windows(4).enumerate().filter(|(_, start)| start == b"PK\x01\x02") {
        encrypted[at + 8] |= 1;
    }
    assert!(names(&encrypted).unwrap_err().ends_with("pack the files without a password"));
}

#[test]
fn nothing_is_behind_the_end_of_a_tar() {
    let tar = tar_of(&[("bot.c", FILE, b"1")]);
    let padded = [&tar[..], &[0; 9000]].concat();
    assert_eq!(names(&padded), Ok(vec!["bot.c".to_owned()]));
    let twice = [&padded[..], &tar_of(&[("bot.c", FILE, b"2")])].concat();
    for bytes in [twice.clone(), gzip(&twice), [gzip(&tar), gzip(&tar)].concat()] {
        let why = names(&bytes).unwrap_err();
        assert!(why.contains("behind its end"), "{why}");
    }
}
