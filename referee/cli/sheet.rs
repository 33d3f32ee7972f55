//! Tables for people and for programs: as text, CSV or JSON.

use anstyle::{AnsiColor, Reset};
use clap::{Args, ValueEnum};
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};
use referee_record::text;
use referee_report::tables::sheet::Judged;
pub(super) use referee_report::tables::sheet::{Audience, Cells, Sheet, ms, rounded, score, share};

use crate::out::{self, Out, say};

/// How a table is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    #[default]
    Table,
    /// With a header line
    Csv,
    /// An object with a list of rows
    Json,
}

/// How a command prints its table.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Printed {
    /// Output format; csv and json contain all columns
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// Show all columns, however wide the table becomes
    #[arg(long)]
    wide: bool,
    /// Whether the command has the option `--wide`.
    #[arg(skip = true)]
    can_be_wide: bool,
}

impl From<Format> for Printed {
    fn from(format: Format) -> Printed {
        Printed { format, wide: false, can_be_wide: false }
    }
}

/// Prints a table.
pub(super) trait Print {
    /// Prints it on standard output.
    fn print(&self, how: impl Into<Printed>) -> anyhow::Result<()>;
}

impl Print for Sheet {
    fn print(&self, how: impl Into<Printed>) -> anyhow::Result<()> {
        let Printed { format, wide, can_be_wide } = how.into();
        match format {
            Format::Table if wide => print_table(&self.in_full(), None),
            Format::Table => {
                let width = out::width();
                let shown = self.for_people().fitting(width);
                print_table(&shown, Some(width));
                let all = self.in_full();
                let hidden = all.columns().iter().filter(|column| !shown.columns().contains(column));
                match hidden.count() {
                    _ if !can_be_wide => {}
                    0 => {}
                    1 => say("One more column: --wide"),
                    count => say(format!("{count} more columns: --wide")),
                }
            }
            Format::Csv => self.write_csv(Out)?,
            Format::Json => {
                out::say_as_it_is(text::visible_json(&serde_json::to_string_pretty(&self.to_json())?))
            }
        }
        Ok(())
    }
}

/// Prints a table with the columns that it has.
fn print_table(sheet: &Sheet, width: Option<usize>) {
    // Each cell is harmless already: the only control characters here make colours.
    out::say_as_it_is(table_of(sheet, width, out::is_coloured()));
}

/// Characters without width before a coloured cell. They become the codes of a colour only when the table is drawn,
/// since the library would count codes as columns. No text that is shown has them ([`text::visible`]).
const COLOURS: [(&str, AnsiColor); 3] =
    [("\u{2061}", AnsiColor::Green), ("\u{2062}", AnsiColor::Yellow), ("\u{2063}", AnsiColor::Red)];

/// The character after a coloured cell.
const COLOUR_ENDS: &str = "\u{2064}";

fn table_of(sheet: &Sheet, width: Option<usize>, has_colours: bool) -> String {
    let mut table = laid_out(sheet, width, has_colours).to_string();
    if has_colours {
        for (sign, colour) in COLOURS {
            table = table.replace(sign, &colour.on_default().render().to_string());
        }
    }
    table.replace(COLOUR_ENDS, &Reset.render().to_string())
}

/// Draws a table without colours. Within a width, prose is broken between words.
pub fn drawn(sheet: &Sheet, width: Option<usize>) -> String {
    table_of(sheet, width, false)
}

fn laid_out(sheet: &Sheet, width: Option<usize>, has_colours: bool) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(sheet.columns().iter().map(|column| &column.name));
    match width {
        Some(width) => {
            table.set_width(width.try_into().unwrap_or(u16::MAX));
            table.set_content_arrangement(ContentArrangement::Dynamic);
        }
        None => drop(table.set_content_arrangement(ContentArrangement::Disabled)),
    }
    let digits = sheet.digits();
    for row in 0..sheet.rows().len() {
        let cell = |column| {
            let text = sheet.cell(&digits, row, column);
            let colour = match sheet.judged(row, column).filter(|_| has_colours) {
                Some(Judged::Good) => COLOURS[0].0,
                Some(Judged::Doubtful) => COLOURS[1].0,
                Some(Judged::Bad) => COLOURS[2].0,
                None => return Cell::new(text),
            };
            Cell::new(format!("{colour}{text}{COLOUR_ENDS}"))
        };
        table.add_row((0..sheet.columns().len()).map(cell));
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        if sheet.is_numeric(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        if sheet.columns()[index].cells != Cells::Prose {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table
}
