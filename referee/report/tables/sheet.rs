//! A sheet: a table with named columns and rows of values. Each user decides how it is shown.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use referee_record::text;

/// A table. Its columns are in the order of their importance: if it is too wide, the last one is left out first.
///
/// Serialized, it is kept for later; programs get [`Sheet::json`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    facts: Vec<(String, Value)>,
    columns: Vec<Column>,
    rows: Vec<Vec<Value>>,
    /// In a table for people, the remarks on the cells of each row; empty in a table for programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<Vec<Remark>>,
}

/// A remark behind a cell in a table for people: the name of a column that is true in this row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Remark {
    /// The column of the cell.
    on: String,
    words: String,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Its name in all outputs.
    pub name: String,
    /// Who sees it.
    pub audience: Audience,
    /// The kind of its cells.
    pub cells: Cells,
    /// The column whose cells get the name of this column as a remark, where this one is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark_on: Option<String>,
}

/// Who sees a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Audience {
    /// Everybody.
    #[default]
    Always,
    /// Programs, and people who ask for all.
    Wide,
    /// Programs: people see the same in another column.
    Programs,
    /// People: programs see the same in other columns.
    People,
}

/// The kind of the cells of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cells {
    /// Words without a blank to break at, or numbers.
    #[default]
    Words,
    /// Names of bots.
    Bots,
    /// Sentences, which may be broken between words.
    Prose,
    /// SHA-256 digests. People see their beginning.
    Digest,
    /// Counts of mistakes or failures.
    Wrongs,
    /// Words that say whether something is good or bad.
    Grade,
    /// `yes` where something is wrong.
    Alarm,
}

/// How a cell is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// In order.
    Good,
    /// Worth a look.
    Doubtful,
    /// Wrong.
    Bad,
}

/// Digits of a digest that people see.
pub const DIGEST_DIGITS: usize = 12;

impl Sheet {
    /// Begins a table with these columns.
    pub fn new(columns: impl IntoIterator<Item = impl Into<String>>) -> Sheet {
        let column = |name: String| Column {
            name,
            audience: Audience::default(),
            cells: Cells::default(),
            remark_on: None,
        };
        let columns = columns.into_iter().map(|name| column(name.into())).collect();
        Sheet { columns, ..Sheet::default() }
    }

    /// Adds a fact about the whole table, such as its season. In JSON it is beside the rows.
    #[must_use]
    pub fn about(mut self, fact: &str, value: impl Into<Value>) -> Sheet {
        self.facts.push((fact.to_owned(), value.into()));
        self
    }

    /// Sets the audience of these columns.
    #[must_use]
    pub fn audience(mut self, audience: Audience, columns: &[&str]) -> Sheet {
        for column in self.columns_named(columns) {
            column.audience = audience;
        }
        self
    }

    /// Sets the kind of the cells of these columns.
    #[must_use]
    pub fn cells(mut self, cells: Cells, columns: &[&str]) -> Sheet {
        for column in self.columns_named(columns) {
            column.cells = cells;
        }
        self
    }

    /// Makes a column of `true` and `false` a remark: people do not see it, and read its name in parentheses behind the
    /// cell of another column where it is true.
    #[must_use]
    pub fn remark(mut self, column: &str, on: &str) -> Sheet {
        for column in self.columns_named(&[column]) {
            column.audience = Audience::Programs;
            column.remark_on = Some(on.to_owned());
        }
        self
    }

    fn columns_named(&mut self, names: &[&str]) -> impl Iterator<Item = &mut Column> {
        self.columns.iter_mut().filter(|column| names.contains(&&*column.name))
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

    /// Removes those of these columns that have only zeros.
    pub fn drop_zeros(&mut self, columns: &[&str]) {
        let rows = &self.rows;
        let is_kept = |(index, column): (usize, &Column)| {
            !columns.contains(&&*column.name) || rows.iter().any(|row| row[index] != 0)
        };
        let keep: Vec<bool> = self.columns.iter().enumerate().map(is_kept).collect();
        self.retain_columns(&keep);
    }

    /// Removes the columns for which `keep` is false.
    fn retain_columns(&mut self, keep: &[bool]) {
        fn retain<T>(list: &mut Vec<T>, keep: &[bool]) {
            let mut keep = keep.iter();
            list.retain(|_| *keep.next().expect("one for each column"));
        }
        retain(&mut self.columns, keep);
        for row in &mut self.rows {
            retain(row, keep);
        }
    }

    /// Returns the columns for some audiences.
    fn for_audience(&self, is_for: impl Fn(Audience) -> bool) -> Sheet {
        let mut sheet = self.clone();
        let keep: Vec<bool> = self.columns.iter().map(|column| is_for(column.audience)).collect();
        sheet.retain_columns(&keep);
        sheet
    }

    /// Returns the table as programs get it.
    pub fn for_programs(&self) -> Sheet {
        self.for_audience(|audience| audience != Audience::People)
    }

    /// Returns the table as people get it: the columns that matter most.
    pub fn for_people(&self) -> Sheet {
        self.with_remarks(|audience| matches!(audience, Audience::Always | Audience::People))
    }

    /// Returns the table as people get it if they ask for all columns.
    pub fn in_full(&self) -> Sheet {
        self.with_remarks(|audience| audience != Audience::Programs)
    }

    /// Returns some columns for people, with the remarks of the others.
    fn with_remarks(&self, is_for: impl Fn(Audience) -> bool) -> Sheet {
        let mut sheet = self.for_audience(is_for);
        if self.columns.iter().all(|column| column.remark_on.is_none()) {
            return sheet;
        }
        for row in &self.rows {
            let mut remarks = Vec::new();
            for (column, value) in self.columns.iter().zip(row) {
                if let Some(on) = &column.remark_on
                    && *value == true
                {
                    remarks.push(Remark { on: on.clone(), words: column.name.replace('_', " ") });
                }
            }
            sheet.remarks.push(remarks);
        }
        sheet
    }

    /// Returns the remarks behind a cell in a table for people, each with a blank before it; empty if there are none.
    pub fn remarks(&self, row: usize, column: usize) -> String {
        let of_row = self.remarks.get(row).into_iter().flatten();
        let words = of_row.filter(|remark| remark.on == self.columns[column].name);
        words.map(|remark| format!(" ({})", remark.words)).collect()
    }

    /// Returns the value of a row in a column by its name; `None` if there is no such row or column.
    pub fn value(&self, row: usize, column: &str) -> Option<&Value> {
        let index = self.columns.iter().position(|known| known.name == column)?;
        self.rows.get(row).map(|row| &row[index])
    }

    /// Returns the first columns of a table for people, as many as fit into this number of characters; at least two.
    /// Only cells with prose are broken.
    pub fn fitting(&self, width: usize) -> Sheet {
        let width_min = |index: usize| match self.columns[index].cells {
            Cells::Prose => self.width_of(index).min(PROSE_LEAST),
            _ => self.width_of(index),
        };
        let mut sheet = self.clone();
        while sheet.columns.len() > 2 {
            let columns = sheet.columns.len();
            // There is a border before each column and one after the last, and a blank on both sides of each cell.
            let needed: usize = (0..columns).map(width_min).sum::<usize>() + 3 * columns + 1;
            if needed <= width {
                break;
            }
            let keep: Vec<bool> = (1..=columns).map(|column| column < columns).collect();
            sheet.retain_columns(&keep);
        }
        sheet
    }

    fn width_of(&self, column: usize) -> usize {
        let digits = self.digits_of(column);
        let cell =
            |row: usize| self.cell_text(column, &self.rows[row][column], digits) + &self.remarks(row, column);
        let widths = (0..self.rows.len()).map(|row| text::width(&cell(row)));
        widths.max().unwrap_or(0).max(text::width(&self.columns[column].name))
    }

    /// Returns the number of digits behind the point by column, which [`cell`](Sheet::cell) needs.
    pub fn digits(&self) -> Vec<usize> {
        (0..self.columns.len()).map(|column| self.digits_of(column)).collect()
    }

    /// Returns a cell as a table for people shows it: a number with as many digits behind the point as any of its
    /// column, a digest by its first digits, and remarks behind it.
    pub fn cell(&self, digits: &[usize], row: usize, column: usize) -> String {
        self.cell_text(column, &self.rows[row][column], digits[column]) + &self.remarks(row, column)
    }

    fn cell_text(&self, column: usize, value: &Value, digits: usize) -> String {
        let whole = match value.as_f64() {
            Some(number) if value.is_f64() => format!("{number:.digits$}"),
            _ => text(value),
        };
        match self.columns[column].cells {
            Cells::Digest => whole.chars().take(DIGEST_DIGITS).collect(),
            _ => whole,
        }
    }

    fn digits_of(&self, column: usize) -> usize {
        let texts = self.rows.iter().filter(|row| row[column].is_f64()).map(|row| row[column].to_string());
        match texts.map(|text| text.split_once('.').map_or(0, |(_, digits)| digits.len())).max() {
            Some(digits) => digits.max(least_digits(&self.columns[column].name)),
            None => 0,
        }
    }

    /// Tells whether a column has only numbers.
    pub fn is_numeric(&self, column: usize) -> bool {
        let is_number = |row: &Vec<Value>| row[column].is_number() || row[column].is_null();
        self.rows.iter().all(is_number) && self.rows.iter().any(|row| row[column].is_number())
    }

    /// Returns how a cell is judged, if its column is. The cell itself says so, too.
    pub fn judged(&self, row: usize, column: usize) -> Option<Judged> {
        let value = &self.rows[row][column];
        match (self.columns[column].cells, value.as_str()) {
            (Cells::Wrongs, None) if value.as_f64().is_some_and(|count| count > 0.0) => Some(Judged::Bad),
            (Cells::Grade, Some("failed" | "bad")) | (Cells::Alarm, Some("yes")) => Some(Judged::Bad),
            (Cells::Grade, Some("warning" | "weak")) => Some(Judged::Doubtful),
            (Cells::Grade, Some("passed" | "good")) => Some(Judged::Good),
            _ => None,
        }
    }

    /// Lists the facts about the whole table.
    pub fn facts(&self) -> &[(String, Value)] {
        &self.facts
    }

    /// Lists the columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Lists the rows.
    pub fn rows(&self) -> &[Vec<Value>] {
        &self.rows
    }

    /// Writes the table as CSV, with a header line. No text is a formula to a spreadsheet: see [`text::cell`].
    pub fn write_csv(&self, mut to: impl std::io::Write) -> std::io::Result<()> {
        let mut writer = csv::Writer::from_writer(&mut to);
        writer.write_record(self.for_programs().columns.iter().map(|column| &column.name))?;
        writer.flush()?;
        drop(writer);
        self.write_csv_rows(to)
    }

    /// Writes the rows of the table as CSV, without the header line.
    pub fn write_csv_rows(&self, to: impl std::io::Write) -> std::io::Result<()> {
        let mut writer = csv::Writer::from_writer(to);
        for row in &self.for_programs().rows {
            writer.write_record(row.iter().map(cell))?;
        }
        writer.flush()
    }

    /// Returns the table as JSON: an object with the version of this form, the facts about the table, and its rows.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self.json()).expect("plain values")
    }

    /// Returns the form of [`Sheet::to_json`], to be written without a copy of the table.
    pub fn json(&self) -> impl Serialize + '_ {
        let columns =
            self.columns.iter().enumerate().filter(|(_, column)| column.audience != Audience::People);
        let columns = columns.map(|(index, column)| (&*column.name, index)).collect();
        let mut envelope = BTreeMap::from([("schema", Part::Schema(SCHEMA))]);
        envelope.extend(self.facts.iter().map(|(fact, value)| (&**fact, Part::Fact(value))));
        envelope.insert("rows", Part::Rows(Rows { columns, cells: &self.rows }));
        envelope
    }
}

/// A part of a table as JSON.
#[derive(Serialize)]
#[serde(untagged)]
enum Part<'a> {
    Schema(u32),
    Fact(&'a Value),
    Rows(Rows<'a>),
}

/// Rows as JSON: each one an object with the same names, which are looked up once for all.
struct Rows<'a> {
    /// The place in a row of each column that is written, by name.
    columns: BTreeMap<&'a str, usize>,
    cells: &'a [Vec<Value>],
}

/// One of [`Rows`].
struct Row<'a>(&'a BTreeMap<&'a str, usize>, &'a [Value]);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.cells.iter().map(|cells| Row(&self.columns, cells)))
    }
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, index)| (name, &self.1[*index])))
    }
}

/// The version of the form of [`Sheet::to_json`].
const SCHEMA: u32 = 1;

/// Returns the least number of digits behind the point in a column for people.
fn least_digits(column: &str) -> usize {
    match column {
        "mean_low" | "mean_high" | "mean_error" => 4,
        // These are sums over the games of a match.
        column if column.ends_with("_shares") => 1,
        column if column.contains("share") => 4,
        column if column.ends_with("_ms") => 3,
        "mean_score" | "rating" | "rating_sd" => 2,
        _ => 1,
    }
}

/// The least width of a column of prose.
const PROSE_LEAST: usize = 20;

/// Writes a value as in a table; null is empty. A text is harmless to a terminal.
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

/// A share, or a difference of shares: four digits.
pub fn share(value: f64) -> Value {
    rounded(value, 4)
}

/// Writes places as `1-3`, or as `2` if there is only one.
pub fn range((first, last): (usize, usize)) -> Value {
    Value::from(if first == last { first.to_string() } else { format!("{first}-{last}") })
}

/// A mean score: two digits.
pub fn score(value: f64) -> Value {
    rounded(value, 2)
}

/// Milliseconds, of microseconds: three digits.
pub fn ms(microseconds: u64) -> Value {
    rounded(microseconds as f64 / 1000.0, 3)
}
