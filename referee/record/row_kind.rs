//! Kinds of rows of a log, each defined once: place, format, and the meaning of each column. Writer, reader and the
//! table of `docs/records.md` follow from these definitions, and an audit follows the writer.

use std::fmt::{self, Write as _};

/// A column of every row of a log, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogColumn {
    /// The kind of the row.
    Row,
    /// The turn, from 0.
    Turn,
    /// The seat, from 0.
    Seat,
    /// A word.
    Name,
    /// Charged time, in microseconds.
    TimeUs,
    /// Elapsed time, in microseconds; empty if it is the same.
    WallUs,
    /// CPU time, in microseconds; empty if it was not measured.
    CpuUs,
    /// Integers.
    Values,
    /// Text.
    Detail,
}

impl LogColumn {
    /// All of them, in their order.
    pub const ALL: [LogColumn; 9] = {
        use LogColumn::*;
        [Row, Turn, Seat, Name, TimeUs, WallUs, CpuUs, Values, Detail]
    };

    /// Returns its name in the header.
    pub fn name(self) -> &'static str {
        match self {
            LogColumn::Row => "row",
            LogColumn::Turn => "turn",
            LogColumn::Seat => "seat",
            LogColumn::Name => "name",
            LogColumn::TimeUs => "time_us",
            LogColumn::WallUs => "wall_us",
            LogColumn::CpuUs => "cpu_us",
            LogColumn::Values => "values",
            LogColumn::Detail => "detail",
        }
    }

    /// Returns the first line of a log, without its end.
    pub fn header() -> String {
        LogColumn::ALL.map(LogColumn::name).join(",")
    }
}

/// The part of a log that rows belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Before the first turn.
    Heading,
    /// In each turn.
    Turn,
    /// After the last turn.
    End,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Heading => "before the first turn",
            Part::Turn => "in each turn",
            Part::End => "after the last turn",
        })
    }
}

/// The definition of a kind of row.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// The part of the log with its rows.
    pub part: Part,
    /// The thing that each row is for; `None` if there is a single row.
    pub for_each: Option<&'static str>,
    /// The columns that it uses besides the first, each with its content.
    pub cells: &'static [(LogColumn, &'static str)],
}

/// Defines the kinds, in the order of their rows.
macro_rules! kinds {
    ($(
        $kind:ident = $name:literal: $part:ident, $for_each:expr, {
            $($column:ident: $holds:literal),+ $(,)?
        }
    )+) => {
        /// A kind of row of a log. Its definition explains it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "their definitions say it")]
        pub enum RowKind {
            $($kind),+
        }

        impl RowKind {
            /// All of them, in the order of their rows.
            pub const ALL: &'static [RowKind] = &[$(RowKind::$kind),+];

            /// Returns the word in the first column of its rows.
            pub const fn name(self) -> &'static str {
                match self {
                    $(RowKind::$kind => $name),+
                }
            }

            /// Returns the kind of this name.
            pub fn from_name(name: &str) -> Option<RowKind> {
                match name {
                    $($name => Some(RowKind::$kind),)+
                    _ => None,
                }
            }

            /// Returns its definition.
            pub const fn definition(self) -> &'static Definition {
                match self {
                    $(RowKind::$kind => &Definition {
                        part: Part::$part,
                        for_each: $for_each,
                        cells: &[$((LogColumn::$column, $holds)),+],
                    }),+
                }
            }
        }
    };
}

kinds! {
    Format = "format": Heading, None, {
        Name: "`referee-log`",
        Values: "the version of the format",
        Detail: "`whole_us`: bots were charged whole microseconds",
    }
    Game = "game": Heading, None, {
        Name: "the rules",
        Values: "their version",
        Detail: "the game's name",
    }
    Set = "set": Heading, Some("parameter"), {
        Name: "the parameter",
        Values: "its value, if it is a number",
        Detail: "its value, if it is a word",
    }
    Seed = "seed": Heading, None, {
        Detail: "the random seed",
    }
    Seat = "seat": Heading, Some("seat"), {
        Seat: "from 0",
        Name: "the bot",
        Values: "its version",
        Detail: "its identity, as `bot_digest` in the results",
    }
    Arguments = "arguments": Heading, Some("seat whose bot has any"), {
        Seat: "the seat",
        Detail: "the bot's arguments, as in the results",
    }
    Start = "start": Heading, Some("random position that no draw records"), {
        Seat: "the seat that owns it, if there is one",
        Name: "the thing (of Invisible Target the `target` and each `player`)",
        Values: "its place (there: the cell)",
    }
    Answer = "answer": Turn, Some("seat that was asked, in the order of the seats"), {
        Turn: "from 0",
        Seat: "the seat",
        Name: "the verdict",
        TimeUs: "thinking time, at least `cpu_us`",
        WallUs: "elapsed time, if it is another",
        CpuUs: "CPU time of all threads, if it was measured",
        Values: "the answer, if it was made of integers",
        Detail: "its mistake",
    }
    Dropped = "dropped": Turn, Some("kind of dropped lines, after the answer of the seat"), {
        Turn: "the turn",
        Seat: "the seat",
        Name: "the kind of fault",
        Values: "number of lines",
    }
    Draw = "draw": Turn, Some("draw, in order with effects"), {
        Turn: "the turn",
        Name: "name of the draw",
        Values: "the candidates",
        Detail: "`at PLACE drawn` and who was drawn",
    }
    Effect = "effect": Turn, Some("effect, in order with draws"), {
        Turn: "the turn",
        Seat: "the seat that owns it, if there is one",
        Name: "name of the effect",
        Values: "numbers, as the game's page says",
    }
    Score = "score": End, Some("seat"), {
        Seat: "the seat",
        Name: "`place`",
        Values: "the score",
        Detail: "the place",
    }
    End = "end": End, None, {
        Turn: "number of turns",
        Name: "reason for the end",
    }
    Digest = "digest": End, None, {
        Name: "`sha256`",
        Detail: "the digest of all bytes before this row",
    }
}

impl RowKind {
    /// Tells whether its rows use a column.
    pub fn uses(self, column: LogColumn) -> bool {
        column == LogColumn::Row || self.definition().cells.iter().any(|(used, _)| *used == column)
    }

    /// Returns the kinds as a table in Markdown.
    pub fn reference() -> String {
        let mut table = String::from("| row | where | a row for | columns |\n| --- | --- | --- | --- |\n");
        for kind in RowKind::ALL {
            let Definition { part, for_each, cells } = kind.definition();
            let cells = cells.iter().map(|(column, holds)| format!("`{}`: {holds}", column.name()));
            let (cells, name) = (cells.collect::<Vec<String>>().join("; "), kind.name());
            let for_each = for_each.map_or("the game".to_owned(), |one| format!("each {one}"));
            let _ = writeln!(table, "| `{name}` | {part} | {for_each} | {cells} |");
        }
        table
    }
}

impl fmt::Display for RowKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
