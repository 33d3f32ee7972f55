//! Bundles: some regular files as one stream of bytes, and back. This is the only form in which files of strangers
//! reach a process outside the sandbox: it has no links, no devices, and no name that leads elsewhere.

use std::collections::BTreeMap;
use std::io::{self, Write};

use referee_record::{Digest, names};

/// A file of a source, or of the result of a build.
#[derive(Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path below the top, with `/` between its parts.
    pub path: String,
    /// Whether it can be executed.
    pub executable: bool,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Returns the message that something is wrong with one of some files. A file that is alone is not named.
pub(crate) fn of_file(files: &[SourceFile], path: &str, what: &str) -> String {
    if files.len() == 1 { what.to_owned() } else { format!("{path}: {what}") }
}

impl std::fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({} bytes)", self.path, self.bytes.len())
    }
}

/// Limits of some files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Caps {
    /// The number of files.
    pub files: usize,
    /// The bytes of all of them together.
    pub bytes: u64,
}

/// Maximum number of folders above a file: as deep as a walk goes that starts at the folder around them.
const DEPTH_MAX: usize = referee_files::walk::DEPTH_MAX - 1;

/// Maximum length of a path, and of each of its parts, in bytes.
const PATH_MAX: usize = 512;
const PART_MAX: usize = 128;

/// Makes sure that a path stays below the top and means the same everywhere.
pub fn check_path(path: &str) -> Result<(), String> {
    let shown = referee_record::text::harmless(path, referee_record::text::NAME);
    let refuse = |why: &str| Err(format!("{shown}: {why}"));
    if path.is_empty() {
        return Err("a file without a name".to_owned());
    }
    if path.starts_with('/') {
        return refuse("a path from the root; name files from the top of the source");
    }
    if path.len() > PATH_MAX {
        return refuse("the path is longer than 512 bytes");
    }
    if names::check_text(path).is_err() || path.contains('\\') {
        return refuse("a name with an invisible character or a backslash");
    }
    let parts = || path.split('/');
    if parts().count() > DEPTH_MAX + 1 {
        return refuse(&format!("below more than {DEPTH_MAX} folders"));
    }
    if parts().any(|part| part == "..") {
        return refuse("a path that leads out of the source (..)");
    }
    if parts().any(|part| part.is_empty() || part == "." || part.len() > PART_MAX) {
        return refuse("a part of the path is empty, a dot, or longer than 128 bytes");
    }
    Ok(())
}

/// Makes sure that some files can lie beside each other, and are within their limits; sorts them by their paths.
pub fn settle(mut files: Vec<SourceFile>, caps: Caps) -> Result<Vec<SourceFile>, String> {
    if files.is_empty() {
        return Err("no file is in it".to_owned());
    }
    if files.len() > caps.files {
        return Err(format!("more than {} files", caps.files));
    }
    if files.iter().map(|file| file.bytes.len() as u64).sum::<u64>() > caps.bytes {
        return Err(format!("more than {} MiB", caps.bytes >> 20));
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    // Each file, and each folder above one, by its path in lower case; true for a folder.
    let mut names: BTreeMap<String, (&str, bool)> = BTreeMap::new();
    for file in &files {
        check_path(&file.path)?;
        let ends = file.path.match_indices('/').map(|(end, _)| (end, true)).chain([(file.path.len(), false)]);
        for (end, is_folder) in ends {
            let here = &file.path[..end];
            let before = names.insert(here.to_lowercase(), (here, is_folder));
            if before.is_some_and(|before| before != (here, true) || !is_folder) {
                let here = referee_record::text::harmless(here, referee_record::text::NAME);
                return Err(format!("{here} is there twice, or differs from another name in case alone"));
            }
        }
    }
    Ok(files)
}

/// Writes files.
pub fn write(files: &[SourceFile], to: &mut impl Write) -> io::Result<()> {
    for file in files {
        let kind = if file.executable { 'x' } else { '-' };
        writeln!(to, "{kind} {} {}", file.path.len(), file.bytes.len())?;
        to.write_all(file.path.as_bytes())?;
        to.write_all(&file.bytes)?;
    }
    to.write_all(b"end\n")
}

/// Reads files, and makes sure that they are in order and within their limits.
///
/// # Errors
///
/// If the bytes are no bundle, or the files cannot be taken.
pub fn read(mut bytes: &[u8], caps: Caps) -> Result<Vec<SourceFile>, String> {
    let broken = || "the list of files is cut off or broken".to_owned();
    let mut files = Vec::new();
    loop {
        let end = bytes.iter().take(64).position(|byte| *byte == b'\n').ok_or_else(broken)?;
        let (line, rest) = (str::from_utf8(&bytes[..end]).map_err(|_| broken())?, &bytes[end + 1..]);
        if line == "end" {
            return if rest.is_empty() { settle(files, caps) } else { Err(broken()) };
        }
        if files.len() >= caps.files {
            return Err(format!("more than {} files", caps.files));
        }
        let mut words = line.split(' ');
        let (kind, path, length) = (words.next(), words.next(), words.next());
        let number = |word: Option<&str>| word.and_then(|word| word.parse::<usize>().ok()).ok_or_else(broken);
        let (path_length, length) = (number(path)?, number(length)?);
        let executable = match (kind, words.next()) {
            (Some("x"), None) => true,
            (Some("-"), None) => false,
            _ => return Err(broken()),
        };
        if path_length > PATH_MAX || path_length > rest.len() || length > rest.len() - path_length {
            return Err(broken());
        }
        let (path, rest) = rest.split_at(path_length);
        let (content, rest) = rest.split_at(length);
        let path = str::from_utf8(path).map_err(|_| broken())?.to_owned();
        files.push(SourceFile { path, executable, bytes: content.to_vec() });
        bytes = rest;
    }
}

/// Returns the digest of files: that of a list of them, sorted, a line each: `x` or `-`, the file's own digest, its
/// path. Anybody can make the same list with `sha256sum`.
pub fn digest(files: &[SourceFile]) -> Digest {
    Digest::of(list(files).as_bytes())
}

/// Returns the list whose digest is that of the files.
pub fn list(files: &[SourceFile]) -> String {
    let mut lines: Vec<(&str, String)> = Vec::new();
    for file in files {
        let kind = if file.executable { 'x' } else { '-' };
        lines.push((&file.path, format!("{kind} {} {}\n", Digest::of(&file.bytes).as_str(), file.path)));
    }
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPS: Caps = Caps { files: 4, bytes: 1 << 20 };

    fn file(path: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            executable: path.ends_with("sh"),
            bytes: path.as_bytes().to_vec(),
        }
    }

    #[test]
    fn files_are_written_and_read() {
        let files = vec![file("a/b.sh"), file("a/c"), file("d\u{e9}")];
        let mut bytes = Vec::new();
        write(&files, &mut bytes).unwrap();
        assert_eq!(read(&bytes, CAPS), Ok(files.clone()));
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end], CAPS).is_err(), "cut off after {end}");
        }
        // Any byte of it changed: an error, or other files of which each is in order.
        for at in 0..bytes.len() {
            for byte in [0, b'/', b'9', b'\n', b'.', 0xff] {
                let mut changed = bytes.clone();
                changed[at] = byte;
                if let Ok(files) = read(&changed, CAPS) {
                    assert!(files.iter().all(|file| check_path(&file.path).is_ok()));
                }
            }
        }
        assert_eq!(
            read(b"- 99999999999999999999 1\n", CAPS),
            Err("the list of files is cut off or broken".into())
        );
        assert!(read(&[&bytes[..], b"x"].concat(), CAPS).is_err());
    }

    #[test]
    fn a_path_stays_below_the_top() {
        for path in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../a",
            "a/../../b",
            "a/..",
            "a//b",
            "./a",
            "a/.",
            "a/",
            "a\\..\\b",
            "a\nb",
            "a\u{202e}b",
            "a\u{200b}",
            "a\u{1b}[2J",
            "\0",
        ] {
            assert!(check_path(path).is_err(), "{path:?}");
        }
        assert!(check_path(&"a/".repeat(17)).is_err());
        assert!(check_path(&format!("{}a", "b/".repeat(16))).is_err());
        assert!(check_path(&"a".repeat(129)).is_err());
        assert!(check_path(&"abc/".repeat(200)).is_err());
        for path in ["a", "a/b.c", "...", "-o", "@x", "a b", "\u{e9}.py", &format!("{}a", "b/".repeat(15))] {
            assert_eq!(check_path(path), Ok(()), "{path:?}");
        }
    }

    #[test]
    fn names_that_some_system_confuses_are_refused() {
        for [one, other] in [["a", "a"], ["a", "A"], ["a", "a/b"], ["A/c", "a/b"], ["x/y", "X"]] {
            for pair in [[one, other], [other, one]] {
                let why = settle(pair.map(file).to_vec(), CAPS).unwrap_err();
                assert!(why.contains("twice"), "{pair:?}: {why}");
            }
        }
        assert!(settle(["a/b", "a/c", "b/a", "a.b"].map(file).to_vec(), CAPS).is_ok());
        assert_eq!(
            settle(["1", "2", "3", "4", "5"].map(file).to_vec(), CAPS),
            Err("more than 4 files".into())
        );
        assert_eq!(settle(Vec::new(), CAPS), Err("no file is in it".into()));
        let large = SourceFile { bytes: vec![0; (1 << 20) + 1], ..file("large") };
        assert_eq!(settle(vec![large], CAPS), Err("more than 1 MiB".into()));
    }

    #[test]
    fn the_digest_is_that_of_a_list_that_anybody_can_make() {
        let files = [file("b.sh"), file("a")];
        let line =
            |kind, file: &SourceFile| format!("{kind} {} {}\n", Digest::of(&file.bytes).as_str(), file.path);
        assert_eq!(list(&files), line('-', &files[1]) + &line('x', &files[0]));
        let renamed = [SourceFile { path: "c".into(), ..files[1].clone() }];
        assert_ne!(digest(&files[1..]), digest(&renamed));
        let opened = [SourceFile { executable: true, ..files[1].clone() }];
        assert_ne!(digest(&files[1..]), digest(&opened));
    }
}
