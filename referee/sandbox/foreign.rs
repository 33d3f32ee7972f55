//! Files that are no programs here, and what helps: programs of other systems, and files that an author downloads or
//! saves by mistake.

/// A kind of file that can be no bot, and no source of one.
#[derive(Debug)]
struct Foreign {
    /// Its first bytes, one of these. Upper and lower case of letters are the same.
    starts: &'static [&'static [u8]],
    /// The end of its name, one of these.
    endings: &'static [&'static str],
    /// Its description, and what helps.
    what: &'static str,
}

/// Returns what a file with this name and these first bytes is, and what helps; `None` if it is not known here as a
/// file that is no program.
pub fn foreign(name: &str, start: &[u8]) -> Option<&'static str> {
    if let Some(version) = start.strip_prefix(b"\xca\xfe\xba\xbe") {
        // A program for several machines has their number where a class has a version, of 45 or more.
        let is_class = version.get(2..4).is_some_and(|version| *version >= [0, 45][..]);
        return Some(if is_class { CLASS } else { MAC });
    }
    if start.starts_with(b"\x7fELF") {
        // Type 1 is an object, type 4 dumped memory, in either byte order. All other types are programs.
        let is_object = matches!(start.get(16..18), Some([1 | 4, 0] | [0, 1 | 4]));
        return is_object.then_some("an object file, not a program; link it, or submit its source");
    }
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let is_notebook = text.starts_with(b"{")
        && has(text, b"\"cells\"")
        && [&b"\"cell_type\""[..], b"\"nbformat\""].iter().any(|word| has(text, word));
    if is_notebook {
        return Some(NOTEBOOK);
    }
    // A program for Windows has zeros in its head, and no text has.
    if start.starts_with(b"MZ") && start.iter().take(64).any(|byte| *byte == 0) {
        return Some(WINDOWS);
    }
    let name = name.to_ascii_lowercase();
    let is_it = |foreign: &&Foreign| {
        let begins =
            |with: &&[u8]| text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
        foreign.starts.iter().any(begins) || foreign.endings.iter().any(|ending| name.ends_with(ending))
    };
    FOREIGN.iter().find(is_it).map(|foreign| foreign.what)
}

/// Tells whether a file is a pointer of Git LFS or git-annex: it only names a file that is stored elsewhere.
pub fn is_pointer(start: &[u8]) -> bool {
    POINTERS.iter().any(|pointer| pointer.starts.iter().any(|known| start.starts_with(known)))
}

fn has(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|part| part == word)
}

const WINDOWS: &str = "a program for Windows; submit its source, which is built here, or build it for Linux";
const MAC: &str = "a program for macOS; submit its source, which is built here, or build it for Linux";
const CLASS: &str = "a compiled Java class; submit the .java files, which are compiled here";
const NOTEBOOK: &str = "a notebook; make a script of it: jupyter nbconvert --to script *.ipynb";

const POINTERS: &[Foreign] = &[
    Foreign {
        starts: &[b"version https://git-lfs.github.com/spec/", b"version https://hawser.github.com/spec/"],
        endings: &[],
        what: "a pointer of Git LFS, not the file itself; fetch the file: git lfs pull",
    },
    Foreign {
        starts: &[b"/annex/objects/"],
        endings: &[],
        what: "a pointer of git-annex, not the file itself; fetch the files: git annex get .",
    },
];

const FOREIGN: &[Foreign] = &[
    Foreign { ..POINTERS[0] },
    Foreign { ..POINTERS[1] },
    Foreign { starts: &[], endings: &[".exe", ".dll", ".msi"], what: WINDOWS },
    Foreign {
        starts: &[b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"],
        endings: &[".dylib", ".dmg"],
        what: MAC,
    },
    Foreign {
        starts: &[b"@echo", b"@rem", b"@setlocal"],
        endings: &[".bat", ".cmd"],
        what: "a batch file of Windows; submit the source of the program that it calls",
    },
    Foreign {
        starts: &[],
        endings: &[".ps1"],
        what: "a PowerShell script of Windows; submit the source of the program that it calls",
    },
    Foreign { starts: &[], endings: &[".ipynb"], what: NOTEBOOK },
    Foreign { starts: &[], endings: &[".class"], what: CLASS },
    Foreign {
        starts: &[],
        endings: &[".pyc", ".pyo"],
        what: "compiled Python, which one version of Python reads; submit the .py files",
    },
    Foreign {
        starts: &[b"!<arch>\n"],
        endings: &[],
        what: "a library, not a program; link it with a program, or submit the source",
    },
    Foreign {
        starts: &[b"<!doctype html", b"<html", b"<head", b"<?xml"],
        endings: &[".html", ".htm"],
        what: "a page of the web, not the file itself; download the raw file",
    },
    Foreign {
        starts: &[b"{\\rtf", b"%PDF-", b"\xd0\xcf\x11\xe0"],
        endings: &[".rtf", ".pdf", ".doc", ".docx"],
        what: "a document; save the program as plain text",
    },
    Foreign {
        starts: &[b"\xff\xfe", b"\xfe\xff"],
        endings: &[],
        what: "text in UTF-16; save it as UTF-8 (in Notepad: Save as, Encoding UTF-8)",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_of_another_system_is_named_with_what_helps() {
        let notebook = b"{\n \"metadata\": {}, \"nbformat\": 4, \"cells\": []}";
        for (name, start, part) in [
            ("bot", &b"MZ\x90\0"[..], "Windows"),
            ("bot.exe", b"", "Windows"),
            ("BOT.EXE", b"x", "Windows"),
            ("bot", b"\xcf\xfa\xed\xfe\x07\0\0\x01", "macOS"),
            ("bot", b"\xca\xfe\xba\xbe\0\0\0\x02", "macOS"),
            ("bot", b"\xca\xfe\xba\xbe\0\0\0\x3d", "Java class"),
            ("bot", b"@ECHO OFF\r\n", "batch file"),
            ("run.cmd", b"python bot.py\r\n", "batch file"),
            ("bot.py", notebook, "notebook"),
            ("bot.py", b"\xef\xbb\xbf\n<!DOCTYPE HTML>", "raw file"),
            ("bot.py", b"<html lang=", "raw file"),
            ("w.bin", b"version https://git-lfs.github.com/spec/v1\noid", "git lfs pull"),
            ("w.bin", b"/annex/objects/SHA256E-s3--a", "git annex get"),
            ("bot.py", b"\xff\xfei\0m\0", "UTF-16"),
            ("bot.py", b"{\\rtf1\\ansi", "plain text"),
            ("bot.o", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x01\0", "link it"),
        ] {
            let what = foreign(name, start);
            assert!(what.is_some_and(|what| what.contains(part)), "{name}: {what:?}");
        }
        let program = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0";
        for (name, start) in [
            ("bot", &b"#!/bin/sh\n"[..]),
            ("bot", program),
            ("bot.py", b"print(1)"),
            ("bot", b"{\"a\": 1}"),
            ("bot.js", b"{ let board = {\"cells\": 4}; }"),
            ("bot.py", b"mz = 3\n"),
        ] {
            assert_eq!(foreign(name, start), None, "{name}");
        }
        assert!(is_pointer(b"/annex/objects/x") && !is_pointer(b"MZ"));
    }
}
