//! A document in Markdown, split into fenced blocks, tables and prose.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The document that describes how a bot talks to the referee.
pub(super) static PROTOCOL: LazyLock<Document> = LazyLock::new(|| Document::read("protocol.md"));

/// A document in Markdown.
#[derive(Debug)]
pub(super) struct Document {
    /// Its path, from the project's folder.
    pub(super) path: String,
    pub(super) blocks: Vec<Block>,
    pub(super) tables: Vec<Table>,
    /// All text outside blocks.
    pub(super) prose: String,
}

/// A fenced block.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The words after the fence: a kind, and its arguments.
    pub(super) kind: String,
    pub(super) words: Vec<String>,
    /// The line of the fence, from 1.
    pub(super) line: usize,
    /// The lines between the fences, each with its newline.
    pub(super) text: String,
}

/// A table: the cells of its header, then those of its rows.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The heading of the second level above it.
    pub(super) section: String,
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// Returns the path of a file of the project.
pub(super) fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

impl Document {
    /// Reads a document of the project.
    pub(super) fn read(path: &str) -> Document {
        let text = fs::read_to_string(project(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        Document::parse(path, &text)
    }

    /// Reads the page of a game.
    pub(super) fn of_game(game: &str) -> Document {
        Document::read(&format!("docs/games/{game}.md"))
    }

    fn parse(path: &str, text: &str) -> Document {
        let path = path.to_owned();
        let mut document = Document { path, blocks: Vec::new(), tables: Vec::new(), prose: String::new() };
        let mut open: Option<Block> = None;
        let (mut section, mut in_table) = (String::new(), false);
        for (line, number) in text.lines().zip(1..) {
            match (line.strip_prefix("```"), &mut open) {
                (Some(_), Some(_)) => document.blocks.extend(open.take()),
                (Some(info), None) => {
                    let mut words = info.split_whitespace().map(str::to_owned);
                    let kind = words.next().unwrap_or_default();
                    let words = words.collect();
                    open = Some(Block { kind, words, line: number, text: String::new() });
                }
                (None, Some(block)) => block.text.extend([line, "\n"]),
                (None, None) => {
                    document.prose.extend([line, "\n"]);
                    if let Some(heading) = line.strip_prefix("## ") {
                        section = heading.to_owned();
                    }
                    match (line.strip_prefix('|'), in_table) {
                        (Some(_), false) => {
                            let (section, header) = (section.clone(), cells(line));
                            document.tables.push(Table { section, header, rows: Vec::new() });
                        }
                        (Some(rest), true) if !rest.starts_with(" ---") => {
                            document
                                .tables
                                .last_mut()
                                .expect("a table that was begun")
                                .rows
                                .push(cells(line));
                        }
                        _ => {}
                    }
                    in_table = line.starts_with('|');
                }
            }
        }
        assert!(open.is_none(), "a block without an end: {open:?}");
        document
    }

    /// The blocks of a kind; at least one.
    pub(super) fn blocks_of(&self, kind: &str) -> Vec<&Block> {
        let blocks: Vec<&Block> = self.blocks.iter().filter(|block| block.kind == kind).collect();
        assert!(!blocks.is_empty(), "{}: no block of the kind {kind}", self.path);
        blocks
    }

    /// The only table in a section whose first column has this name.
    pub(super) fn table(&self, section: &str, first_column: &str) -> &Table {
        let fits = |table: &&Table| table.section == section && table.header[0] == first_column;
        let mut found = self.tables.iter().filter(fits);
        let table = found.next();
        let table =
            table.unwrap_or_else(|| panic!("{section}: no table begins with a column {first_column}"));
        assert!(found.next().is_none(), "{section}: more than one table begins with a column {first_column}");
        table
    }
}

impl Table {
    /// The column with this name, without backticks.
    pub(super) fn column(&self, name: &str) -> Vec<String> {
        let index = self.header.iter().position(|header| header == name);
        let index = index.unwrap_or_else(|| panic!("no column {name} in {:?}", self.header));
        self.rows.iter().map(|row| row[index].replace('`', "")).collect()
    }
}

fn cells(line: &str) -> Vec<String> {
    line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}
