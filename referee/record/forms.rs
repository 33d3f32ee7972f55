//! Forms of cells that are texts, and yet not any text: dates, names of tiers and clocks, the bots of a game.

use crate::names;
use crate::schema::{CellForm, CellKind, Certain};

/// Defines forms of texts that a check accepts.
macro_rules! texts {
    ($($(#[$about:meta])* $form:ident = $kind:literal, $check:expr;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub struct $form;

        impl CellKind for $form {
            const KIND: &'static str = $kind;
            const CERTAIN: Certain = Certain::All;
        }

        impl CellForm<String> for $form {
            fn write(value: &String, text: &mut String) {
                text.push_str(value);
            }

            fn read(cell: &str) -> Result<String, String> {
                let is_one: fn(&str) -> bool = $check;
                if is_one(cell) { Ok(cell.to_owned()) } else { Err(format!("{cell:?}; it can be {}", $kind)) }
            }
        }
    )*};
}

texts! {
    /// A date with a time.
    Moment = "date and time: `2026-11-26T15:26:30Z`", is_moment;
    /// The same, or nothing.
    MaybeMoment = "date and time, or empty", |cell| cell.is_empty() || is_moment(cell);
    /// How a bot was confined.
    Confinement = "`strict`, `landlock`, `off` or `wasm`", |cell| cell == WASM || TIERS.contains(&cell);
    /// A tier of the sandbox, or nothing.
    MaybeTier = "`strict`, `landlock`, `off` or empty", |cell| cell.is_empty() || TIERS.contains(&cell);
    /// The meaning of thinking times.
    Clock = "`charged`, `serial`, `wall` or `units-N`", |cell| CLOCKS.contains(&cell) || units_of(cell).is_some();
    /// Names and versions of bots by seat.
    Seating = "names and versions: `fox:1 owl:3`", |cell| seated(cell).is_some();
}

/// The tiers of the sandbox.
const TIERS: &[&str] = &["strict", "landlock", "off"];

/// How modules of WebAssembly are confined.
pub(crate) const WASM: &str = "wasm";

/// The clocks of programs.
const CLOCKS: &[&str] = &["charged", "serial", "wall"];

/// The table of instruction costs in force, by which modules of WebAssembly are charged.
pub const UNITS: u32 = 2;

/// Returns the number of the table of instruction costs that a clock names: 2 for `units-2`. `None` for the clock of a
/// program.
pub(crate) fn units_of(clock: &str) -> Option<u32> {
    let table = clock.strip_prefix("units-")?;
    table.parse::<u32>().ok().filter(|number| number.to_string() == table)
}

/// Returns the names and versions of bots by seat; `None` if the text is no list of them.
pub fn seated(bots: &str) -> Option<Vec<(&str, u32)>> {
    let mut list = Vec::new();
    for word in bots.split(' ') {
        let (name, text) = word.split_once(':')?;
        let version: u32 = text.parse().ok()?;
        if version.to_string() != text {
            return None;
        }
        list.push((names::check(name).ok()?, version));
    }
    Some(list)
}

impl Moment {
    /// Tells whether a text is a date and a time that exist.
    pub fn is_one(text: &str) -> bool {
        is_moment(text)
    }
}

/// Tells whether a text is a date and a time that exist, as the program writes them: `2026-11-26T15:26:30Z`.
fn is_moment(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_form = bytes.len() == 20
        && bytes.iter().zip(b"0000-00-00T00:00:00Z").all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            form => byte == form,
        });
    if !has_form {
        return false;
    }
    let number = |start: usize, end: usize| {
        bytes[start..end].iter().fold(0, |number: u32, digit| number * 10 + u32::from(digit - b'0'))
    };
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let is_leap_year = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let days = match month {
        2 => 28 + u32::from(is_leap_year),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day) && number(11, 13) < 24 && number(14, 16) < 60 && number(17, 19) < 60
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_one_of_the_calendar() {
        for good in
            ["2026-11-26T15:26:30Z", "2024-02-29T00:00:00Z", "2000-02-29T23:59:59Z", "1970-01-01T00:00:00Z"]
        {
            assert!(is_moment(good), "{good}");
        }
        for bad in [
            "",
            "banana",
            "2026-11-26",
            "2026-11-26 15:26:30Z",
            "2026-11-26T15:26:30",
            "2026-11-26T15:26:30+00:00",
            "2026-11-26t15:26:30z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2023-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:60Z",
            "+026-01-01T00:00:00Z",
            " 2026-11-26T15:26:30Z",
        ] {
            assert!(!is_moment(bad), "{bad}");
        }
    }

    #[test]
    fn a_list_of_bots_has_names_and_versions() {
        assert_eq!(seated("fox:1 owl:30"), Some(vec![("fox", 1), ("owl", 30)]));
        for bad in [
            "",
            "fox",
            "fox:",
            "fox:01",
            "fox:+1",
            "fox:1  owl:3",
            " fox:1",
            "f x:1",
            "fox:1,owl:3",
            "fox:1:2",
        ] {
            assert_eq!(seated(bad), None, "{bad}");
        }
        assert_eq!(["units-2", "units-02", "units-", "unit-2"].map(units_of), [Some(2), None, None, None]);
    }
}
