//! The form of every document: short lines, no phrase that stops a reader, working links, existing options.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::book;
use super::document::{Document, project};
use referee_testutil::source::Source;

/// Documents outside the book.
const OTHERS: [&str; 12] = [
    "README.md",
    "protocol.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "GLOSSARY.md",
    "SECURITY.md",
    "BENCHMARKS.md",
    "bots/starters/README.md",
    "referee/README.md",
    "tests/README.md",
    "tests/record/frozen/README.md",
    "docs/SUMMARY.md",
];

/// Maximum length of a line.
const COLUMNS: usize = 120;

/// Phrases that read like riddles, each in lower case. `*` stands for some words of the same sentence.
const PHRASES: [&str; 26] = [
    "so many",
    "so much of",
    "so long is",
    "whoever",
    "forth and back",
    "instead:",
    "is no choice",
    "nobody cares",
    "shall be",
    "the own",
    "in whose company",
    "what * is, is",
    "may have come to",
    "may be as good",
    "is due here",
    "is to come",
    "where it stands",
    "where it lies",
    "stands as it was",
    "foretell",
    "whence",
    "from then on",
    "from here on",
    "in place of",
    "as far as there is room",
    "their cures",
];

fn documents() -> impl Iterator<Item = String> {
    let others = OTHERS.into_iter().map(str::to_owned);
    others.chain(book::pages().into_iter().filter(|page| page != "docs/SUMMARY.md"))
}

/// Returns the mistakes in the lines of a document, each with its number.
fn wrong_lines(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut fence: Option<String> = None;
    for (line, number) in text.lines().zip(1..) {
        if let Some(kind) = line.strip_prefix("```") {
            fence = fence.is_none().then(|| kind.split(' ').next().unwrap_or_default().to_owned());
        }
        // A row of a table cannot be broken, nor can the output of a program or the integers of an answer.
        let can_be_broken = match fence.as_deref() {
            None => !line.starts_with('|') && !line.starts_with("    "),
            Some(kind) => ["sh", "toml", "python", "text"].contains(&kind),
        };
        if can_be_broken && line.chars().count() > COLUMNS {
            wrong.push(format!("line {number}: {} columns", line.chars().count()));
        }
    }
    let mut sentence = String::new();
    let mut start = 1;
    for (line, number) in text.lines().chain([""]).zip(1..) {
        if line.trim().is_empty() || line.starts_with('|') || line.starts_with('-') {
            wrong.extend(phrases_in(&sentence).map(|phrase| format!("line {start}: {phrase:?}")));
            (sentence, start) = (String::new(), number);
        }
        sentence.extend([line.trim(), " "]);
    }
    wrong.extend(phrases_in(&sentence).map(|phrase| format!("line {start}: {phrase:?}")));
    wrong
}

/// Returns the phrases of the list that a text contains, at the beginning of a word.
fn phrases_in(text: &str) -> impl Iterator<Item = &'static str> {
    let text = format!(" {}", text.to_lowercase().replace(['(', '"', '*', '\n'], " "));
    let stands = move |phrase: &&str| match phrase.split_once(" * ") {
        None => {
            let bounded = |at: usize| {
                let next = text[at + phrase.len() + 1..].chars().next();
                phrase.ends_with(':') || next.is_none_or(|letter| !letter.is_alphanumeric())
            };
            text.match_indices(&format!(" {phrase}")).any(|(at, _)| bounded(at))
        }
        Some((first, last)) => text.split(['.', ';', ':']).any(|sentence| {
            let rest = sentence.split_once(&format!(" {first} ")).map(|(_, rest)| rest);
            rest.is_some_and(|rest| rest.contains(&format!(" {last}")))
        }),
    };
    PHRASES.into_iter().filter(stands)
}

#[test]
fn lines_are_short_and_sentences_are_plain() {
    let mut wrong = Vec::new();
    for document in documents() {
        let text =
            fs::read_to_string(project(&document)).unwrap_or_else(|error| panic!("{document}: {error}"));
        wrong.extend(wrong_lines(&text).into_iter().map(|what| format!("{document}, {what}")));
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// Lists the phrases in the comments of a source file. Quotations may contain them.
fn wrong_comments(source: &Source) -> Vec<String> {
    let mut wrong = Vec::new();
    for (comment, line) in source.comments() {
        let text = comment.split('"').step_by(2).collect::<Vec<&str>>().join(" ");
        wrong.extend(phrases_in(&text).map(|phrase| format!("line {line}: {phrase:?}")));
    }
    wrong
}

/// Lists the phrases in the comments of a source file, and in the texts of the program.
fn wrong_sentences(source: &Source) -> Vec<String> {
    let mut wrong = wrong_comments(source);
    for (text, line) in source.strings() {
        // As printed: a line may be continued, and `\n` may precede a word.
        let text = text.replace("\\n", " ").replace('\\', " ");
        let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
        wrong.extend(phrases_in(&text).map(|phrase| format!("line {line}: {phrase:?}")));
    }
    wrong
}

#[test]
fn doc_comments_and_messages_are_plain() {
    let sources = ["referee", "bots", "tests"].map(Source::all_below);
    assert!(sources.iter().all(|sources| sources.len() > 10), "{sources:?}");
    // Strings of tests are often input that has to be refused.
    let wrong_in = |source: &Source| match source.file.starts_with("tests/") {
        true => wrong_comments(source),
        false => wrong_sentences(source),
    };
    let wrong: Vec<String> = sources
        .iter()
        .flatten()
        .flat_map(|source| wrong_in(source).into_iter().map(|what| format!("{}, {what}", source.file)))
        .collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn planted_sentences_are_found() {
    for (text, found) in [
        ("/// Returns so\n/// many rounds.\nfn f() {}", 1),
        ("//! In whose company a bot plays.", 1),
        ("// Whoever reads this finds so\n// many phrases.", 2),
        ("fn f() { g('\"') } // In whose company", 1),
        ("// \"The own cell is allowed.\"\nfn f() {}", 0),
        ("fn f() { g(\"https://so\") } // many", 0),
        ("fn f() { say(\"mode = odd is no choice\") }", 1),
        ("fn f() { say(\"done\\nso \\\n  many rounds\") }", 1),
        ("fn f() { say(\"mode = odd is not one of plain or even\") }", 0),
    ] {
        let source = Source { file: "referee/planted.rs".to_owned(), text: text.to_owned() };
        assert_eq!(wrong_sentences(&source).len(), found, "{text}");
    }
}

#[test]
fn planted_lines_are_found() {
    for (text, found) in [
        ("x".repeat(121), 1),
        ("x".repeat(120), 0),
        (format!("| {} |", "x".repeat(121)), 0),
        ("Whoever is late".to_owned(), 1),
        ("a number of\nso\nmany turns".to_owned(), 1),
        ("What it was asked is, is kept".to_owned(), 1),
        ("Instead, the owner of the owned house".to_owned(), 0),
        ("| a | (Instead: b) |".to_owned(), 1),
    ] {
        assert_eq!(wrong_lines(&text).len(), found, "{text}");
    }
}

/// Returns the anchors of a document, as forges make them from its headings.
fn anchors(path: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut is_block = false;
    let headings = text.lines().filter(|line| {
        is_block ^= line.starts_with("```");
        !is_block && line.starts_with('#')
    });
    let anchor = |heading: &str| {
        let kept = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = kept.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        kept.collect::<String>().replace(' ', "-")
    };
    headings.map(anchor).collect()
}

/// Returns the targets of the links in a text.
pub(super) fn links(prose: &str) -> Vec<String> {
    let mut links: Vec<String> = Vec::new();
    // Text in backticks is no link.
    let text: String = prose.split('`').step_by(2).collect::<Vec<&str>>().join(" ");
    links.extend(text.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())));
    links.extend(text.split("src=\"").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
    links
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    let mut count = 0;
    for document in documents() {
        for link in links(&Document::read(&document).prose) {
            if link.starts_with("https://") {
                continue;
            }
            count += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let folder = project(&document).parent().expect("a folder").to_owned();
            let target: PathBuf = if file.is_empty() { project(&document) } else { folder.join(file) };
            if !target.exists() {
                broken.push(format!("{document}: there is no {link}"));
            } else if !anchor.is_empty() && !anchors(&target).contains(anchor) {
                broken.push(format!("{document}: no heading for {link}"));
            }
        }
    }
    assert!(count > 100, "{count} links");
    assert!(broken.is_empty(), "\n{}\n", broken.join("\n"));
}

/// Options of other programs that documents name.
const OTHER_OPTIONS: [&str; 7] = [
    "--cpus",
    "--platform",
    "--sshlogin",
    "--constraint",
    "--source",
    "--dynamic-space-size",
    "--max-old-space-size",
];

/// Beginnings of texts in backticks whose options are another program's.
const OTHER_PROGRAMS: [&str; 10] = [
    "#HQ",
    "#SBATCH",
    "hq ",
    "sbatch",
    "cargo",
    "scripts/",
    "./",
    "'./",
    "python3 submit.py",
    "REFEREE_WRITE_DOCS",
];

#[test]
fn every_option_that_is_named_exists() {
    let read = |page: &str| fs::read_to_string(project(page)).expect("the page");
    let known = book::help_of(&[]) + &read("docs/reference/server.md");
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let options = |text: &str| {
        let words = text.split(|letter: char| !is_letter(letter)).filter(|word| word.starts_with("--"));
        words.filter(|word| word.len() > 2).map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let known = options(&known);
    let mut unknown = Vec::new();
    for page in book::pages().into_iter().chain(["README.md".to_owned(), "protocol.md".to_owned()]) {
        let prose = Document::read(&page).prose;
        let codes = prose.split('`').skip(1).step_by(2);
        for code in codes.filter(|code| !OTHER_PROGRAMS.iter().any(|other| code.starts_with(other))) {
            let missing = options(code).into_iter().filter(|option| !known.contains(option));
            let missing = missing.filter(|option| !OTHER_OPTIONS.contains(&option.as_str()));
            unknown.extend(missing.map(|option| format!("{page}: no {option} in `{code}`")));
        }
    }
    assert!(unknown.is_empty(), "\n{}\n", unknown.join("\n"));
}

#[test]
fn the_front_page_is_short() {
    let lines = fs::read_to_string(project("README.md")).expect("a text").lines().count();
    assert!(lines <= 110, "{lines} lines");
}
