//! Languages: how a source becomes a program. The built-in table is a file, [`BUILT_IN`]; a host can change its rows
//! with another file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::bundle::{Caps, SourceFile, of_file};
use crate::{UNPACK_SECONDS, VERSION_SECONDS};
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_sandbox::foreign;

/// The table that is built in, as a file.
pub const BUILT_IN: &str = include_str!("languages.toml");

/// The name of a host's file beside `hill.toml`.
pub const FILE: &str = "languages.toml";

/// Maximum length of a host's file, in bytes.
const FILE_MAX: u64 = 1 << 20;

/// A row of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Language {
    /// Its name for people.
    pub about: String,
    /// Whether sources in it are taken.
    #[serde(skip_serializing_if = "is_true", default = "yes")]
    pub offered: bool,
    /// Files at the top of a source that decide for this language.
    pub markers: Vec<String>,
    /// Endings of its source files, each with its dot.
    pub endings: Vec<String>,
    /// The commands, one after the other.
    pub build: Vec<Vec<String>>,
    /// The folder in which the program is found; `{src}`: all files of the source are kept. Empty: `{out}`.
    pub takes: String,
    /// The words after `#!/usr/bin/env` in the first line of the program.
    pub interpreter: Vec<String>,
    /// The command whose first line of output is the version.
    pub version: Vec<String>,
    /// Folders of the toolchain that a build sees in addition to the system's.
    pub folders: Vec<PathBuf>,
    /// Environment variables of the build.
    pub variables: BTreeMap<String, String>,
}

fn yes() -> bool {
    true
}

fn is_true(value: &bool) -> bool {
    *value
}

impl Language {
    /// Tells whether all files of the source are kept, since an interpreter reads them.
    pub fn keeps_source(&self) -> bool {
        self.takes == "{src}"
    }

    /// Tells whether a file is a source of this language.
    pub fn is_source(&self, path: &str) -> bool {
        self.endings.iter().any(|ending| path.len() > ending.len() && path.ends_with(ending.as_str()))
    }

    /// Tells whether the first line of a script names the interpreter of this language.
    pub(crate) fn runs(&self, start: &[u8]) -> bool {
        let first = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let first = String::from_utf8_lossy(first);
        let is_interpreter =
            |word: &str| self.interpreter.first().is_some_and(|name| word.rsplit('/').next() == Some(name));
        self.keeps_source()
            && first.contains("#!")
            && first.split_ascii_whitespace().any(|word| is_interpreter(word.trim_start_matches("#!")))
    }
}

/// Maximum of a host's limits of a source: its size, and its number of files.
const SOURCE_MIB_MAX: u64 = 4096;
const SOURCE_FILES_MAX: u64 = 100_000;

/// Limits of a build. Sizes are in MiB if their names say nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "their names say it, and languages.toml has their units")]
pub struct BuildLimits {
    pub seconds: u64,
    pub data_mib: u64,
    pub folder_mib: u64,
    pub tasks: u64,
    pub log_kib: u64,
    pub source_mib: u64,
    pub source_files: u64,
    pub artefact_mib: u64,
    pub builds_mib: u64,
    pub author_mib: u64,
    pub builds_at_once: u64,
}

impl BuildLimits {
    /// Returns the limits of the files of a source.
    pub fn of_source(&self) -> Caps {
        Caps { files: self.source_files as usize, bytes: self.source_mib << 20 }
    }

    /// Returns the limits of the files that a build leaves.
    pub fn of_artefact(&self) -> Caps {
        Caps { files: self.source_files as usize, bytes: self.artefact_mib << 20 }
    }

    /// Returns the limits for a source that was taken before: these, with room for any source that a host can allow,
    /// and for a program of this length in bytes.
    #[must_use]
    pub fn of_stored(&self, length: u64) -> BuildLimits {
        let artefact_mib = self.artefact_mib.max(length.div_ceil(1 << 20));
        BuildLimits {
            source_mib: SOURCE_MIB_MAX,
            source_files: SOURCE_FILES_MAX,
            artefact_mib,
            ..self.clone()
        }
    }

    /// Returns the maximum time until a source is built or refused.
    pub fn longest(&self) -> Duration {
        Duration::from_secs(UNPACK_SECONDS + VERSION_SECONDS + self.seconds + 10)
    }

    /// Returns each limit with its name, its value and its maximum.
    fn all(&self) -> [(&'static str, u64, u64); 11] {
        [
            ("seconds", self.seconds, 86_400),
            ("data_mib", self.data_mib, 1 << 20),
            ("folder_mib", self.folder_mib, 65_536),
            ("tasks", self.tasks, 32_768),
            ("log_kib", self.log_kib, 1 << 20),
            ("source_mib", self.source_mib, SOURCE_MIB_MAX),
            ("source_files", self.source_files, SOURCE_FILES_MAX),
            ("artefact_mib", self.artefact_mib, 4096),
            ("builds_mib", self.builds_mib, 1 << 24),
            ("author_mib", self.author_mib, 1 << 24),
            ("builds_at_once", self.builds_at_once, 64),
        ]
    }
}

/// The languages of a host, by name, and the limits of its builds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Languages {
    /// The rows, by name.
    pub rows: BTreeMap<String, Language>,
    /// The limits.
    pub limits: BuildLimits,
}

impl Languages {
    /// Returns the table that is built in.
    pub fn built_in() -> Languages {
        let table = BUILT_IN.parse::<Table>().map_err(|error| error.to_string());
        table.and_then(parse).expect("the table that is built in")
    }

    /// Reads the languages of a hill: the table that is built in, changed by the host's file if there is one.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or has a mistake, with its place.
    pub fn of(root: &Path) -> Result<Languages, Error> {
        let spot = Spot::below(root, FILE);
        if !spot.exists() {
            return Ok(Languages::built_in());
        }
        let text =
            spot.read_text(FILE_MAX).map_err(Error::system(spot.path(), "read the table of languages"))?;
        with_changes_of_host(&text).map_err(|what| Error::file(spot.path(), what))
    }

    /// Finds the language of a source, by its files.
    ///
    /// # Errors
    ///
    /// The reason why no language or more than one is possible, with a remedy.
    pub fn choose(&self, files: &[SourceFile]) -> Result<Chosen<'_>, String> {
        if let Some(chosen) = self.by_marker(files)? {
            return Ok(chosen);
        }
        if let Some(chosen) = self.lone_script(files) {
            return Ok(chosen);
        }
        let mut of_languages = files.iter().filter(|file| self.language(&file.path).is_some());
        if let Some(what) = of_languages.find_map(|file| foreign_content(files, file)) {
            return Err(what);
        }
        if let Some(chosen) = self.by_main(files) {
            return Ok(chosen);
        }
        self.only_language(files)
    }

    fn offered(&self) -> impl Iterator<Item = (&String, &Language)> {
        self.rows.iter().filter(|(_, row)| row.offered)
    }

    /// Returns the offered language of a file, by its ending.
    fn language(&self, path: &str) -> Option<(&String, &Language)> {
        self.offered().find(|(_, row)| row.is_source(path))
    }

    /// Returns the language whose marker is among the files. A language that is not offered is an error.
    fn by_marker(&self, files: &[SourceFile]) -> Result<Option<Chosen<'_>>, String> {
        let has = |marker: &String| files.iter().any(|file| file.path == *marker);
        let marked = || self.rows.iter().filter(|(_, row)| row.markers.iter().any(has));
        if let Some((name, row)) = marked().find(|(_, row)| row.offered) {
            return Ok(Some(Chosen { name, row, main: None, sources: self.sources(row, files) }));
        }
        let Some((name, row)) = marked().next() else { return Ok(None) };
        let marker = row.markers.join(" or ");
        Err(format!(
            "it has {marker}, and this host does not offer that; the host can: [{name}] offered = true in languages.toml"
        ))
    }

    /// Returns the language of a single file without a known ending, by its first line.
    fn lone_script(&self, files: &[SourceFile]) -> Option<Chosen<'_>> {
        let [alone] = files else { return None };
        if self.language(&alone.path).is_some() {
            return None;
        }
        let (name, row) = self.offered().find(|(_, row)| row.runs(&alone.bytes))?;
        let path = alone.path.clone();
        Some(Chosen { name, row, main: Some(path.clone()), sources: vec![path] })
    }

    /// Returns the language of the file at the top whose name says most clearly that the bot begins with it.
    fn by_main(&self, files: &[SourceFile]) -> Option<Chosen<'_>> {
        let ranked = files.iter().filter(|file| is_top(&file.path)).filter_map(|file| {
            let rank = rank(&file.path)?;
            Some((rank, &file.path, self.language(&file.path)?))
        });
        let (_, main, (name, row)) = ranked.min_by_key(|(rank, path, _)| (*rank, *path))?;
        Some(Chosen { name, row, main: Some(main.clone()), sources: self.sources(row, files) })
    }

    /// Returns the language of all files, if they are of one.
    fn only_language(&self, files: &[SourceFile]) -> Result<Chosen<'_>, String> {
        let found: BTreeMap<&String, &Language> =
            files.iter().filter_map(|file| self.language(&file.path)).collect();
        let mut found = found.into_iter();
        let Some((name, row)) = found.next() else {
            let what = files.iter().find_map(|file| foreign_content(files, file));
            let unknown = || format!("no file of a language that is known here: {}", self.known());
            return Err(what.unwrap_or_else(unknown));
        };
        let others: Vec<&str> = found.map(|(name, _)| name.as_str()).collect();
        if !others.is_empty() {
            let names = [&[name.as_str()], &others[..]].concat().join(" and ");
            return Err(format!(
                "sources in {names}: name the file to begin with `bot`, or `main`, with its ending"
            ));
        }
        let sources = self.sources(row, files);
        let only = if let [only] = &sources[..] { Some(only) } else { None };
        // Where all files are kept, the folder of the program is their top.
        if let Some(only) = only.filter(|only| row.keeps_source() && !is_top(only)) {
            return Err(format!(
                "{only} is in a folder: move the file to begin with to the top of the source"
            ));
        }
        Ok(Chosen { name, row, main: only.cloned(), sources })
    }

    fn sources(&self, row: &Language, files: &[SourceFile]) -> Vec<String> {
        files.iter().map(|file| &file.path).filter(|path| row.is_source(path)).cloned().collect()
    }

    fn known(&self) -> String {
        let mut known = String::new();
        for row in self.rows.values().filter(|row| row.offered) {
            for word in row.markers.iter().chain(&row.endings) {
                let _ = write!(known, "{}{word}", if known.is_empty() { "" } else { " " });
            }
        }
        known
    }
}

/// A source's language, and the parts that its files have in it.
#[derive(Clone, Debug)]
pub struct Chosen<'a> {
    /// The language's name.
    pub name: &'a str,
    /// Its row.
    pub row: &'a Language,
    /// The file to begin with, if it is known.
    pub main: Option<String>,
    /// All files with one of its endings.
    pub sources: Vec<String>,
}

fn is_top(path: &str) -> bool {
    !path.contains('/')
}

/// Describes a file that can neither be built nor run.
fn foreign_content(files: &[SourceFile], file: &SourceFile) -> Option<String> {
    Some(of_file(files, &file.path, foreign(&file.path, &file.bytes)?))
}

/// Returns how clearly a file is the one to begin with; `None` if it does not say so.
fn rank(path: &str) -> Option<usize> {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem).to_ascii_lowercase();
    ["bot", "mybot", "main", "__main__", "index"].iter().position(|name| *name == stem)
}

/// Returns the built-in table with a host's changes.
fn with_changes_of_host(text: &str) -> Result<Languages, String> {
    let host = text.parse::<Table>().map_err(|error| error.to_string().trim_end().to_owned())?;
    let mut table = BUILT_IN.parse::<Table>().map_err(|error| error.to_string())?;
    for (name, changes) in host {
        let Value::Table(changes) = changes else {
            return Err(format!("{name}: write [{name}], and its keys below it"));
        };
        match table.get_mut(&name) {
            Some(Value::Table(row)) => row.extend(changes),
            _ => drop(table.insert(name, Value::Table(changes))),
        }
    }
    parse(table)
}

fn parse(mut table: Table) -> Result<Languages, String> {
    let limits = table.remove("limits").unwrap_or(Value::Table(Table::new()));
    let limits: BuildLimits =
        limits.try_into().map_err(|error| format!("[limits]: {}", first_line(&error)))?;
    if let Some((name, value, max)) =
        limits.all().into_iter().find(|(_, value, max)| !(1..=*max).contains(value))
    {
        return Err(format!("[limits]: {name} = {value} is not one of 1 to {max}"));
    }
    let mut rows = BTreeMap::new();
    for (name, row) in table {
        let row: Language = row.try_into().map_err(|error| format!("[{name}]: {}", first_line(&error)))?;
        check_row(&row).map_err(|why| format!("[{name}]: {why}"))?;
        rows.insert(name, row);
    }
    Ok(Languages { rows, limits })
}

/// Makes sure that a row can be used.
fn check_row(row: &Language) -> Result<(), String> {
    if row.markers.is_empty() && row.endings.is_empty() {
        return Err("it needs markers or endings, by which a source in it is known".to_owned());
    }
    if row.build.iter().any(Vec::is_empty) || row.build.is_empty() && !row.keeps_source() {
        return Err("it needs build, a list of commands, each a list of words".to_owned());
    }
    if let Some(ending) = row.endings.iter().find(|ending| !ending.starts_with('.')) {
        return Err(format!("the ending {ending} needs a dot in front"));
    }
    match row.folders.iter().find(|folder| !folder.is_absolute()) {
        Some(folder) => Err(format!("the folder {} needs its whole path", folder.display())),
        None => Ok(()),
    }
}

fn first_line(error: &toml::de::Error) -> String {
    error.message().lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> Vec<SourceFile> {
        names
            .iter()
            .map(|name| SourceFile { path: (*name).to_owned(), executable: false, bytes: Vec::new() })
            .collect()
    }

    fn chosen(names: &[&str]) -> Result<(String, Option<String>), String> {
        let languages = Languages::built_in();
        let chosen = languages.choose(&files(names))?;
        Ok((chosen.name.to_owned(), chosen.main))
    }

    #[test]
    fn a_marker_decides_then_the_name_of_a_file_then_the_only_language() {
        for (names, language, main) in [
            (&["Cargo.toml", "src/main.rs", "tool.py"][..], "cargo", None),
            (&["go.mod", "bot.go"], "go-module", None),
            (&["bot.cpp"], "cpp", Some("bot.cpp")),
            (&["x.c"], "c", Some("x.c")),
            (&["a.cpp", "b.cpp", "b.h"], "cpp", None),
            (&["bot.py", "train.py", "net.c"], "python", Some("bot.py")),
            (&["main.py", "bot.c"], "c", Some("bot.c")),
            (&["lib/a.java", "MyBot.java"], "java", Some("MyBot.java")),
            (&["Bot.java", "Main.java"], "java", Some("Bot.java")),
            (&["README.md", "src/bot.c"], "c", Some("src/bot.c")),
            (&["bot.js", "src/bot.py"], "javascript", Some("bot.js")),
        ] {
            assert_eq!(chosen(names), Ok((language.to_owned(), main.map(str::to_owned))), "{names:?}");
        }
    }

    #[test]
    fn without_a_decision_the_error_says_what_to_do() {
        let why = |names: &[&str]| chosen(names).unwrap_err();
        assert_eq!(
            why(&["a.c", "b.py"]),
            "sources in c and python: name the file to begin with `bot`, or `main`, with its ending"
        );
        assert!(
            why(&["notes.txt", "py", ".py"])
                .contains("no file of a language that is known here: .c Cargo.toml")
        );
        assert_eq!(
            why(&["README.md", "src/bot.py"]),
            "src/bot.py is in a folder: move the file to begin with to the top of the source"
        );
        let page =
            SourceFile { path: "bot.py".to_owned(), executable: false, bytes: b"<!DOCTYPE html>".to_vec() };
        let why_of = |files: &[SourceFile]| Languages::built_in().choose(files).map(drop).unwrap_err();
        assert!(why_of(std::slice::from_ref(&page)).starts_with("a page of the web"));
        assert!(
            why_of(&[SourceFile { path: "page.html".to_owned(), ..page.clone() }])
                .contains("page of the web")
        );
        let script = b"#!/usr/bin/env -S node\n".to_vec();
        let script = SourceFile { path: "bot".to_owned(), bytes: script, ..page };
        let languages = Languages::built_in();
        let of_script = languages.choose(std::slice::from_ref(&script)).unwrap();
        assert_eq!((of_script.name, of_script.main.as_deref()), ("javascript", Some("bot")));
        assert!(why(&["bot.exe"]).starts_with("a program for Windows"));
        assert!(why(&["build.sh", "bot.c"]).contains("[script] offered = true in languages.toml"));
    }

    #[test]
    fn a_host_changes_keys_of_rows_and_adds_rows() {
        let read = with_changes_of_host(
            "[limits]\nseconds = 7\n[c]\nbuild = [['tcc', '-o', '{out}/bot', '{sources}']]\n[zig]\noffered = false\n\
             [d]\nendings = ['.d']\nbuild = [['dmd']]\n",
        )
        .unwrap();
        let built_in = Languages::built_in();
        assert_eq!((read.limits.seconds, read.limits.tasks), (7, built_in.limits.tasks));
        assert_eq!(read.rows["c"].build[0][0], "tcc");
        assert_eq!(read.rows["c"].endings, built_in.rows["c"].endings);
        assert!(!read.rows["zig"].offered && read.rows["d"].offered);
        assert_eq!(read.rows.len(), built_in.rows.len() + 1);
    }

    #[test]
    fn a_mistake_is_named_with_its_place() {
        for (text, expected) in [
            ("[c]\nbuid = []", "[c]: unknown field `buid`"),
            ("[limits]\nseconds = 0", "[limits]: seconds = 0 is not one of 1 to 86400"),
            ("[limits]\nminutes = 1", "[limits]: unknown field `minutes`"),
            ("c = 1", "c: write [c], and its keys below it"),
            ("[d]\nbuild = [['dmd']]", "[d]: it needs markers or endings"),
            ("[d]\nendings = ['.d']", "[d]: it needs build"),
            ("[d]\nendings = ['d']\nbuild = [['dmd']]", "[d]: the ending d needs a dot in front"),
            ("[c]\nfolders = ['opt']", "[c]: the folder opt needs its whole path"),
            ("[c", "line 1"),
        ] {
            let why = with_changes_of_host(text).unwrap_err();
            assert!(why.contains(expected), "{text}: {why}");
        }
    }
}
