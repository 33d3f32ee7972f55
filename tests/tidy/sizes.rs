//! The size of each part, in lines of code: `sizes.csv` lists it, so that a change says what it costs.
//!
//! A line counts if it is neither blank nor a comment. A part that is larger than its row fails, and so does a row with
//! much more than its part has. `REFEREE_WRITE_DOCS=1 cargo test tidy` writes the table, and the table of parts in
//! `referee/README.md`, anew. The body of the commit then says what the new lines bought.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use referee_testutil::ROOT;

const TABLE: &str = "tests/tidy/sizes.csv";
const README: &str = "referee/README.md";
const HEADER: &str = "part,code,tests,javascript,css\n";

/// The lines of code of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Size {
    /// Of the part itself: Rust, Python, shell.
    code: usize,
    /// Of its unit tests, and of the folder of its name below `tests`.
    tests: usize,
    javascript: usize,
    css: usize,
}

/// The folders of crates that have a row of their own: what a program without a part does without.
const APART: [&str; 10] = [
    "cli/book",
    "cli/own_games",
    "cli/pages",
    "cli/proof",
    "cli/screen",
    "cli/shells",
    "cli/web",
    "report/pages",
    "show/drawing",
    "show/page",
];

/// Counts lines of code. Unit tests are those from `#[cfg(test)]` on, as they end a file.
fn count(text: &str, comment: &str) -> (usize, usize) {
    let (mut code, mut tests, mut in_tests) = (0, 0, false);
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied().unwrap_or_default();
        in_tests |= line == "#[cfg(test)]" && next.starts_with("mod ") && next.ends_with('{');
        if !line.is_empty() && !line.starts_with(comment) {
            *(if in_tests { &mut tests } else { &mut code }) += 1;
        }
    }
    (code, tests)
}

/// Returns the part to which a file belongs, and whether the file is a test: `contest` for files below
/// `referee/contest` and `tests/contest`, `cli/book` for files below `referee/cli/book`.
fn part(file: &str, crates: &[String]) -> Option<(String, bool)> {
    let mut folders = file.split('/');
    let (top, name, inside) = (folders.next()?, folders.next()?, folders.next().is_some());
    let name = if inside { name } else { "" };
    let apart = APART.iter().find(|apart| file.starts_with(&format!("referee/{apart}/")));
    match top {
        "referee" if inside => Some((apart.map_or(name, |apart| apart).to_owned(), false)),
        "referee" => Some(("referee".to_owned(), false)),
        "tests" if crates.iter().any(|known| known == name) || name == "bots" => {
            Some((name.to_owned(), true))
        }
        "tests" if inside => Some((format!("tests/{name}"), true)),
        "tests" => Some(("tests".to_owned(), true)),
        "bots" | "scripts" => Some((top.to_owned(), false)),
        _ => None,
    }
}

/// Returns the size of each part of the project.
fn sizes(root: &Path) -> BTreeMap<String, Size> {
    let mut files = Vec::new();
    let mut folders: Vec<_> = ["bots", "referee", "scripts", "tests"].map(|top| root.join(top)).into();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            // What package managers have put there is not ours.
            let foreign = [".installed", "pyvenv.cfg"].iter().any(|mark| path.join(mark).exists());
            let foreign = foreign || ["node_modules", "target"].iter().any(|name| path.ends_with(name));
            if path.is_dir() && !path.is_symlink() && !foreign {
                folders.push(path);
            } else if path.is_file() {
                files.push(path);
            }
        }
    }
    let crates = fs::read_dir(root.join("referee")).into_iter().flatten().flatten();
    let crates: Vec<String> = crates
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let mut sizes: BTreeMap<String, Size> = BTreeMap::new();
    for path in files {
        let file = path.strip_prefix(root).expect("a file of the project").to_string_lossy().into_owned();
        let Some((part, is_test)) = part(&file, &crates) else { continue };
        let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned());
        let comment = match ending.as_deref() {
            Some("rs" | "js" | "mjs") => "//",
            Some("py" | "sh") => "#",
            Some("css") => "/*",
            None if file.starts_with("scripts/") => "#",
            _ => continue,
        };
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let (code, tests) = count(&text, comment);
        let size = sizes.entry(part).or_default();
        match (ending.as_deref(), is_test) {
            (_, true) => size.tests += code + tests,
            (Some("js" | "mjs"), false) => size.javascript += code,
            (Some("css"), false) => size.css += code,
            _ => (size.code, size.tests) = (size.code + code, size.tests + tests),
        }
    }
    sizes
}

fn as_csv(sizes: &BTreeMap<String, Size>) -> String {
    let mut text = HEADER.to_owned();
    for (part, Size { code, tests, javascript, css }) in sizes {
        writeln!(text, "{part},{code},{tests},{javascript},{css}").expect("a string");
    }
    text
}

fn from_csv(text: &str) -> BTreeMap<String, Size> {
    let rows = text.lines().skip(1).filter_map(|row| {
        let (part, cells) = row.split_once(',')?;
        let cells: Vec<usize> = cells.split(',').filter_map(|cell| cell.parse().ok()).collect();
        let [code, tests, javascript, css] = cells[..] else { return None };
        Some((part.to_owned(), Size { code, tests, javascript, css }))
    });
    rows.collect()
}

/// A part may be this number of lines smaller than its row: otherwise each line that goes would change the table.
const SLACK: usize = 100;

/// Returns a sentence for each part that has grown, and for each that has become much smaller.
fn differences(listed: &BTreeMap<String, Size>, now: &BTreeMap<String, Size>) -> Vec<String> {
    let parts = listed.keys().chain(now.keys()).collect::<std::collections::BTreeSet<_>>();
    let told = parts.into_iter().filter_map(|part| {
        let of = |sizes: &BTreeMap<String, Size>| sizes.get(part).copied().unwrap_or_default();
        let (before, after) = (of(listed), of(now));
        let columns = [
            ("code", before.code, after.code),
            ("tests", before.tests, after.tests),
            ("javascript", before.javascript, after.javascript),
            ("css", before.css, after.css),
        ];
        let changed =
            columns.into_iter().filter(|(_, before, after)| after > before || after + SLACK < *before);
        let changed: Vec<String> =
            changed.map(|(name, before, after)| format!("{name} {before} -> {after}")).collect();
        (!changed.is_empty()).then(|| format!("{part}: {}", changed.join(", ")))
    });
    told.collect()
}

/// Returns `referee/README.md` with the lines of code of each part as they are: the last column of the table of parts.
fn readme_with(text: &str, sizes: &BTreeMap<String, Size>) -> String {
    let (mut lines, mut in_table) = (Vec::new(), false);
    for line in text.lines() {
        in_table = line.starts_with("| part |") || in_table && line.starts_with('|');
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        match cells[..] {
            [names, what, lines_of] if in_table && lines_of.chars().any(|c| c.is_ascii_digit()) => {
                let parts = names.split([' ', ',', '(', ')']).filter(|name| sizes.contains_key(*name));
                let code: usize = parts.map(|name| sizes[name].code).sum();
                // To the ten: the table is about sizes, and changes less often.
                lines.push(format!("| {names} | {what} | {} |", grouped(code.div_ceil(10) * 10)));
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n") + "\n"
}

fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let parts: Vec<String> =
        digits.as_bytes().rchunks(3).rev().map(|part| String::from_utf8_lossy(part).into_owned()).collect();
    parts.join(",")
}

#[test]
fn a_change_of_size_is_listed() {
    let root = Path::new(ROOT);
    let now = sizes(root);
    let (table, readme) = (root.join(TABLE), root.join(README));
    let listed = fs::read_to_string(&table).unwrap_or_default();
    let told = fs::read_to_string(&readme).expect("a page");
    if std::env::var_os("REFEREE_WRITE_DOCS").is_some() {
        fs::write(&table, as_csv(&now)).expect("the table is written");
        fs::write(&readme, readme_with(&told, &now)).expect("the page is written");
        return;
    }
    let listed_sizes = from_csv(&listed);
    let changed = differences(&listed_sizes, &now);
    let due = readme_with(&told, &listed_sizes);
    let remedy =
        "REFEREE_WRITE_DOCS=1 cargo test tidy writes it anew; the commit's body says what new lines bought";
    assert!(changed.is_empty() && listed.starts_with(HEADER), "{TABLE}: {}\n{remedy}", changed.join("; "));
    assert!(told == due, "{README}: the lines of a part are others\n{remedy}");
}

#[test]
fn a_line_more_of_any_kind_is_a_difference() {
    let text = "//! A page.\n\nfn f() {}\n#[cfg(test)]\nmod tests {\n    // why\n    fn g() {}\n}\n";
    assert_eq!(count(text, "//"), (1, 4));
    let crates = ["contest".to_owned()];
    for (file, due) in [
        ("referee/contest/hill/mod.rs", Some(("contest", false))),
        ("referee/cli/book/pages.rs", Some(("cli/book", false))),
        ("tests/contest/main.rs", Some(("contest", true))),
        ("tests/hill/kill.rs", Some(("tests/hill", true))),
        ("tests/main.rs", Some(("tests", true))),
        ("referee/lib.rs", Some(("referee", false))),
        ("scripts/verify.py", Some(("scripts", false))),
        ("docs/book.js", None),
    ] {
        assert_eq!(part(file, &crates), due.map(|(part, is_test)| (part.to_owned(), is_test)), "{file}");
    }
    let size = Size { code: 5, tests: 2, javascript: 1, css: 0 };
    let listed = BTreeMap::from([("contest".to_owned(), size)]);
    assert_eq!(from_csv(&as_csv(&listed)), listed);
    for (now, due) in [
        (size, &[][..]),
        (Size { code: 6, ..size }, &["contest: code 5 -> 6"]),
        (Size { tests: 1, css: 3, ..size }, &["contest: css 0 -> 3"]),
    ] {
        assert_eq!(differences(&listed, &BTreeMap::from([("contest".to_owned(), now)])), due);
    }
    let large = BTreeMap::from([("contest".to_owned(), Size { code: SLACK + 1, ..size })]);
    assert_eq!(differences(&large, &BTreeMap::new()).len(), 1, "a part that is gone");
}
