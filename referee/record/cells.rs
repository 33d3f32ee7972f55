//! Cells in a line of CSV, as RFC 4180 has them: one with a comma or a quotation mark stands between quotation marks,
//! and its own are doubled. A row is a line: no cell has a line break.

/// Tells whether a cell needs quotation marks.
#[inline]
pub(crate) fn needs_marks(cell: &[u8]) -> bool {
    cell.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r'))
}

/// Quotes the last cell of a line, which is `line[start..]`, if it needs that.
#[inline]
pub(crate) fn quote_last_cell(line: &mut Vec<u8>, start: usize) {
    if needs_marks(&line[start..]) {
        let cell = line.split_off(start);
        line.push(b'"');
        for byte in cell {
            line.extend_from_slice(if byte == b'"' { b"\"\"" } else { std::slice::from_ref(&byte) });
        }
        line.push(b'"');
    }
}

/// Quotes the last cell of a line of text, which is `line[start..]`, if it needs that.
#[inline]
pub(crate) fn quote_last_text(line: &mut String, start: usize) {
    if needs_marks(&line.as_bytes()[start..]) {
        let cell = line.split_off(start).replace('"', "\"\"");
        line.push('"');
        line.push_str(&cell);
        line.push('"');
    }
}

/// The cells of a line.
#[derive(Clone, Debug)]
pub(crate) enum Cells<'a> {
    /// Without a quotation mark: nearly all lines.
    Plain(&'a str),
    /// The cells, without the marks that only quote.
    Quoted(csv::StringRecord),
}

impl<'a> Cells<'a> {
    /// Splits a line, without its end.
    pub(crate) fn of(line: &'a str) -> Result<Cells<'a>, String> {
        if !line.contains('"') {
            return Ok(Cells::Plain(line));
        }
        let wrong = || "not a row: a quotation mark that nothing closes".to_owned();
        // The line end is appended so that an unclosed quotation mark swallows it: a cell that has it shows that one
        // is not closed.
        let text = format!("{line}\n");
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let mut record = csv::StringRecord::new();
        match reader.read_record(&mut record) {
            Ok(true) if !record.as_slice().contains('\n') => Ok(Cells::Quoted(record)),
            _ => Err(wrong()),
        }
    }

    /// Makes sure that the quotation marks of their line are those that it needs.
    pub(crate) fn check_marks(&self, line: &str) -> Result<(), String> {
        let Cells::Quoted(record) = self else { return Ok(()) };
        let mut expected = String::with_capacity(line.len());
        for cell in record {
            let start = expected.len();
            expected.push_str(cell);
            quote_last_text(&mut expected, start);
            expected.push(',');
        }
        expected.pop();
        let wrong = "quoted in another form: quotation marks stand around a cell with a comma or a quotation mark alone";
        if expected == line { Ok(()) } else { Err(wrong.to_owned()) }
    }

    /// Returns the cells.
    pub(crate) fn list(&self) -> Vec<&str> {
        // Enough for a row of the results, of which there can be millions: no second allocation.
        let mut cells = Vec::with_capacity(40);
        match self {
            Cells::Plain(line) => cells.extend(line.split(',')),
            Cells::Quoted(record) => cells.extend(record),
        }
        cells
    }
}

/// Returns one of the cells of a line that needs no quotation marks, such as a name; `None` if it has some.
pub(crate) fn plain_nth(line: &str, number: usize) -> Option<&str> {
    let mut in_marks = false;
    let mut cells = line.split(|letter| {
        in_marks ^= letter == '"';
        letter == ',' && !in_marks
    });
    cells.nth(number).filter(|cell| !cell.contains('"'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_quoted_is_one_cell() {
        let cells = |line: &str| Cells::of(line).map(|cells| cells.list().join("|"));
        for (line, expected) in [
            ("a,b,", "a|b|"),
            ("", ""),
            ("a,\"b,c\",d", "a|b,c|d"),
            ("\"a \"\"b\"\"\",c", "a \"b\"|c"),
            ("\"a\",\"\"", "a|"),
            ("a\"b,c", "a\"b|c"),
        ] {
            assert_eq!(cells(line).as_deref(), Ok(expected), "{line}");
        }
        for line in ["a,\"b", "\"", "a,\"b\"\",c"] {
            assert!(cells(line).is_err(), "{line}");
        }
        let plain = |number| plain_nth("a,\"b,\"\"c\",d", number);
        assert_eq!([0, 1, 2, 3].map(plain), [Some("a"), None, Some("d"), None]);
    }

    proptest! {
        #[test]
        fn cells_are_what_the_csv_crate_writes_and_reads(
            written in proptest::collection::vec("[a, \"';0-9é-]{0,6}", 2..9),
        ) {
            let (mut line, mut bytes) = (String::new(), Vec::new());
            for cell in &written {
                let start = line.len();
                line.push_str(cell);
                quote_last_text(&mut line, start);
                line.push(',');
                let start = bytes.len();
                bytes.extend_from_slice(cell.as_bytes());
                quote_last_cell(&mut bytes, start);
                bytes.push(b',');
            }
            line.pop();
            bytes.pop();
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(&written).unwrap();
            prop_assert_eq!(format!("{line}\n").into_bytes(), writer.into_inner().unwrap());
            prop_assert_eq!(line.as_bytes(), &bytes[..]);
            let cells = Cells::of(&line).unwrap();
            prop_assert_eq!(cells.list(), written);
        }
    }
}
