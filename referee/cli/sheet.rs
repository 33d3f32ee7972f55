//! Tables for people and for programs: the same columns as text, CSV or JSON.

use clap::ValueEnum;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};
use referee::text;
use referee::view::sheet::text;
pub(super) use referee::view::sheet::{Sheet, rounded};
use serde_json::Value;

use super::out::{self, Out, say};

/// How a table is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    #[default]
    Table,
    /// With a header line
    Csv,
    /// A list of objects
    Json,
}

/// Prints a table.
pub(super) trait Print {
    /// Prints it on standard output.
    fn print(&self, format: Format) -> anyhow::Result<()>;
}

impl Print for Sheet {
    fn print(&self, format: Format) -> anyhow::Result<()> {
        match format {
            Format::Table => say(table(self)),
            Format::Csv => self.write_csv(Out)?,
            Format::Json => {
                let object =
                    |row: &Vec<Value>| self.columns().iter().cloned().zip(row.iter().cloned()).collect();
                let rows: Vec<serde_json::Map<String, Value>> = self.rows().iter().map(object).collect();
                say(text::visible_json(&serde_json::to_string_pretty(&rows)?));
            }
        }
        Ok(())
    }
}

fn table(sheet: &Sheet) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_header(sheet.columns());
    let width = if out::is_terminal() { ContentArrangement::Dynamic } else { ContentArrangement::Disabled };
    table.set_content_arrangement(width);
    for row in sheet.rows() {
        table.add_row(row.iter().map(|value| if value.is_null() { "-".to_owned() } else { text(value) }));
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        if sheet.columns()[index] == "bot" {
            column.set_constraint(ColumnConstraint::ContentWidth); // a name stays in one piece
        }
        if sheet.rows().iter().all(|row| row[index].is_number() || row[index].is_null()) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}
