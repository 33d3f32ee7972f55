//! A sheet: columns with names, and rows of values. Its user decides how it is shown.

use serde_json::Value;

use crate::text;

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Sheet {
    /// Begins a table with these columns.
    pub fn new(columns: impl IntoIterator<Item = impl Into<String>>) -> Sheet {
        Sheet { columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    ///
    /// Panics unless it has a value for each column.
    pub fn row(&mut self, values: Vec<Value>) {
        assert_eq!(values.len(), self.columns.len(), "a value for each column");
        self.rows.push(values);
    }

    /// Removes those of the columns in which there are only zeros: no news.
    pub fn drop_zeros(&mut self, columns: &[&str]) {
        for column in columns {
            let Some(index) = self.columns.iter().position(|name| name == column) else { continue };
            if self.rows.iter().all(|row| row[index] == 0) {
                self.columns.remove(index);
                self.rows.iter_mut().for_each(|row| drop(row.remove(index)));
            }
        }
    }

    /// Lists the names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Lists the rows.
    pub fn rows(&self) -> &[Vec<Value>] {
        &self.rows
    }

    /// Writes the table as CSV, with a header line. No text is a formula to a spreadsheet: see [`text::cell`].
    ///
    /// # Errors
    ///
    /// If that cannot be written to.
    pub fn write_csv(&self, mut to: impl std::io::Write) -> std::io::Result<()> {
        let mut writer = csv::Writer::from_writer(&mut to);
        writer.write_record(&self.columns)?;
        writer.flush()?;
        drop(writer);
        self.write_csv_rows(to)
    }

    /// Likewise, without the header line.
    ///
    /// # Errors
    ///
    /// If that cannot be written to.
    pub fn write_csv_rows(&self, to: impl std::io::Write) -> std::io::Result<()> {
        let mut writer = csv::Writer::from_writer(to);
        for row in &self.rows {
            writer.write_record(row.iter().map(cell))?;
        }
        writer.flush()
    }
}

/// Writes a value as it stands in a table: nothing for none. A text is harmless to a terminal.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text::visible_line(text).into_owned(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text::cell(text).into_owned(),
        other => text(other),
    }
}

/// Rounds to a number of digits behind the point, for a table.
pub fn rounded(value: f64, digits: i32) -> Value {
    let scale = 10f64.powi(digits);
    Value::from((value * scale).round() / scale)
}
