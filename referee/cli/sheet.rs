//! Tables for people and for programs: the same columns as text, CSV or JSON.

use std::io::{self, IsTerminal};

use clap::ValueEnum;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde_json::Value;

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

/// A table.
#[derive(Debug)]
pub(super) struct Sheet {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Sheet {
    /// Begins a table with these columns.
    pub(super) fn new(columns: impl IntoIterator<Item = impl Into<String>>) -> Sheet {
        Sheet { columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, values: Vec<Value>) {
        assert_eq!(values.len(), self.columns.len(), "a value for each column");
        self.rows.push(values);
    }

    /// Removes those of the columns in which there are only zeros: no news.
    pub(super) fn drop_zeros(&mut self, columns: &[&str]) {
        for column in columns {
            let Some(index) = self.columns.iter().position(|name| name == column) else { continue };
            if self.rows.iter().all(|row| row[index] == 0) {
                self.columns.remove(index);
                self.rows.iter_mut().for_each(|row| drop(row.remove(index)));
            }
        }
    }

    /// Prints the table.
    pub(super) fn print(&self, format: Format) -> anyhow::Result<()> {
        match format {
            Format::Table => super::say(self.table()),
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(io::stdout().lock());
                writer.write_record(&self.columns)?;
                for row in &self.rows {
                    writer.write_record(row.iter().map(text))?;
                }
                writer.flush()?;
            }
            Format::Json => {
                let object =
                    |row: &Vec<Value>| self.columns.iter().cloned().zip(row.iter().cloned()).collect();
                let rows: Vec<serde_json::Map<String, Value>> = self.rows.iter().map(object).collect();
                super::say(serde_json::to_string_pretty(&rows)?);
            }
        }
        Ok(())
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::UTF8_FULL_CONDENSED).set_header(&self.columns);
        let width = if io::stdout().is_terminal() {
            ContentArrangement::Dynamic
        } else {
            ContentArrangement::Disabled
        };
        table.set_content_arrangement(width);
        for row in &self.rows {
            table.add_row(row.iter().map(text));
        }
        for (index, column) in table.column_iter_mut().enumerate() {
            if self.rows.iter().all(|row| row[index].is_number()) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Rounds to a number of digits behind the point, for a table.
pub(super) fn rounded(value: f64, digits: i32) -> Value {
    let scale = 10f64.powi(digits);
    Value::from((value * scale).round() / scale)
}
