//! Markdown for a terminal: the few forms that the book's pages use. Paragraphs and lists are filled to a
//! width, tables are drawn, marks become styles.

use anstyle::{AnsiColor, Effects, Style};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use unicode_width::UnicodeWidthChar;

/// Maximum width of lines of prose: longer ones are hard to read.
const PROSE_MAX: usize = 100;

const CODE: Style = AnsiColor::Cyan.on_default();
const BOLD: Style = Style::new().effects(Effects::BOLD);
const TITLE: Style = Style::new().effects(Effects::BOLD.insert(Effects::UNDERLINE));
const ITALIC: Style = Style::new().effects(Effects::ITALIC);
const LINK: Style = Style::new().effects(Effects::UNDERLINE);

/// A character of prose and its style.
type Letter = (char, Style);

/// Returns a page as a terminal with this number of columns shows it, with or without colours.
pub(crate) fn rendered(page: &str, columns: usize, coloured: bool) -> String {
    let mut lines = page.lines().peekable();
    let mut shown = String::new();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            for line in lines.by_ref().take_while(|line| !line.starts_with("```")) {
                shown += &format!("    {line}\n");
            }
        } else if line.starts_with('|') {
            let mut rows = vec![line];
            rows.extend(std::iter::from_fn(|| lines.next_if(|line| line.starts_with('|'))));
            shown += &format!("{}\n", drawn(&rows, columns));
        } else if line.starts_with("    ") || line.is_empty() {
            shown += &format!("{line}\n");
        } else if line.starts_with("<!--") {
            lines.next_if(|line| line.is_empty());
        } else if let Some(title) = line.strip_prefix('#') {
            let style = if title.starts_with('#') { BOLD } else { TITLE };
            let title = letters(title.trim_start_matches(['#', ' ']), true);
            let letters = title.into_iter().map(|(letter, _)| (letter, style)).collect();
            shown += &filled(letters, columns, 0, coloured);
        } else {
            let mut text = line.to_owned();
            while let Some(next) = lines.next_if(|next| continues(next)) {
                text += &format!(" {}", next.trim_start());
            }
            shown += &filled(letters(&text, !coloured), columns.min(PROSE_MAX), indent(&text), coloured);
        }
    }
    shown
}

/// Tells whether a line continues the paragraph or the item of the line before.
fn continues(line: &str) -> bool {
    !(line.is_empty() || line.starts_with(['|', '#', '<']) || line.starts_with("```") || indent(line) > 0)
}

/// Returns the indentation of the lines after the first of an item: 0 for a line that begins no item.
fn indent(line: &str) -> usize {
    let number = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    match line.len() - number.len() {
        0 if line.starts_with("- ") => 2,
        digits if digits > 0 && number.starts_with(". ") => digits + 2,
        _ => 0,
    }
}

/// Removes the marks of code, bold, italics, links and pictures from a text. Without styles, code keeps its
/// marks.
fn letters(text: &str, has_marks: bool) -> Vec<Letter> {
    let mut letters: Vec<Letter> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (shown, style, after) = if let Some((code, after)) = between(rest, "`", "`") {
            (if has_marks { format!("`{code}`") } else { code.to_owned() }, CODE, after)
        } else if let Some((bold, after)) = between(rest, "**", "**") {
            (bold.to_owned(), BOLD, after)
        } else if let Some((italic, after)) = between(rest, "*", "*").filter(|(text, _)| text.trim() == *text)
        {
            (italic.to_owned(), ITALIC, after)
        } else if let Some((picture, _, after)) = link(rest, "![") {
            (format!("[picture: {picture}]"), Style::new(), after)
        } else if let Some((words, target, after)) = link(rest, "[") {
            letters.extend(words.replace('`', "").chars().map(|letter| (letter, LINK)));
            let is_outside = target.starts_with("http");
            (if is_outside { format!(" ({target})") } else { String::new() }, Style::new(), after)
        } else {
            (first.to_string(), Style::new(), &rest[first.len_utf8()..])
        };
        letters.extend(shown.chars().map(|letter| (letter, style)));
        rest = after;
    }
    letters
}

/// Returns the text between two marks at the beginning of a text, and the text after them.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<(&'a str, &'a str)> {
    text.strip_prefix(open)?.split_once(close).filter(|(inside, _)| !inside.is_empty())
}

/// Returns the words of a link at the beginning of a text, its target, and the text after it.
fn link<'a>(text: &'a str, open: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let (words, after) = between(text, open, "](").filter(|(words, _)| !words.contains('['))?;
    let (target, after) = after.split_once(')')?;
    Some((words, target, after))
}

/// Fills lines with words; all but the first are indented.
fn filled(letters: Vec<Letter>, columns: usize, indent: usize, coloured: bool) -> String {
    let mut lines: Vec<Vec<Letter>> = vec![Vec::new()];
    let mut used = 0;
    for word in letters.split(|(letter, _)| *letter == ' ').filter(|word| !word.is_empty()) {
        let width: usize = word.iter().filter_map(|(letter, _)| letter.width()).sum();
        if used > 0 && used + 1 + width > columns {
            lines.push(vec![(' ', Style::new()); indent]);
            used = indent;
        } else if used > 0 {
            // A blank has the style of the letter after it if the letter before it has the same: a title is
            // underlined throughout.
            let style = lines.last().and_then(|line| line.last()).map(|last| last.1);
            let blank = style.filter(|style| *style == word[0].1).unwrap_or_default();
            lines.last_mut().expect("a line").push((' ', blank));
            used += 1;
        }
        lines.last_mut().expect("a line").extend_from_slice(word);
        used += width;
    }
    lines.iter().map(|line| written(line, coloured) + "\n").collect()
}

fn written(line: &[Letter], coloured: bool) -> String {
    let mut text = String::new();
    for run in line.chunk_by(|one, other| one.1 == other.1) {
        let (style, run) = (run[0].1, run.iter().map(|(letter, _)| letter).collect::<String>());
        text += &if coloured { format!("{style}{run}{style:#}") } else { run };
    }
    text
}

/// Draws a table. Its second row says how columns are aligned.
fn drawn(rows: &[&str], columns: usize) -> Table {
    let cells = |row: &str| -> Vec<String> {
        let row = row.trim_matches('|');
        let plain = |cell: &str| letters(cell.trim(), true).into_iter().map(|(letter, _)| letter).collect();
        row.split(" | ").map(plain).collect()
    };
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_width(columns.try_into().unwrap_or(u16::MAX));
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(cells(rows[0]));
    for row in rows.iter().skip(2) {
        table.add_row(cells(row));
    }
    let alignments = rows.get(1).map(|row| cells(row)).unwrap_or_default();
    for (column, alignment) in table.column_iter_mut().zip(alignments) {
        if alignment.ends_with(':') {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_filled_and_marks_are_gone() {
        let page = "# A *page*\n\nOne `two` **three** [four\nfive](x.md) six.\n\n\
                    - an item that is\n  longer\n- [b](https://c)\n";
        let shown = rendered(page, 16, false);
        assert_eq!(
            shown,
            "A page\n\nOne `two` three\nfour five six.\n\n- an item that\n  is longer\n- b (https://c)\n"
        );
        assert_eq!(rendered("a `b` c\n", 80, true), format!("a {CODE}b{CODE:#} c\n"));
        assert_eq!(rendered("2 * 3 * 4\n", 80, false), "2 * 3 * 4\n", "no marks");
        assert_eq!(rendered("In [a], [b](c.md).\n", 80, false), "In [a], b.\n");
    }

    #[test]
    fn code_stays_and_a_table_fits() {
        let shown = rendered("```sh\na  |  b\n```\n\n| one | two |\n| --- | --: |\n| `x` | 1 |\n", 80, true);
        assert!(shown.starts_with("    a  |  b\n\n┌"), "{shown}");
        assert!(shown.contains("│ `x` ┆   1 │"), "{shown}");
        let wide = format!("| a | b |\n| --- | --- |\n| {} | 1 |\n", "word ".repeat(40));
        assert!(rendered(&wide, 40, false).lines().all(|line| line.chars().count() <= 40));
    }
}
