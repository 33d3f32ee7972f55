//! Values that a cell can be changed to.

use referee_record::Digest;

/// How a value is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wrong {
    /// Another value that the program could have written.
    Another,
    /// A word that is no value of such a cell.
    Form,
    /// A number that is none of these.
    Range,
    /// Blanks around it.
    Padded,
    /// A number with a zero or a sign in front.
    Zero,
    /// Letters of the other case.
    Case,
    /// Nothing.
    Empty,
    /// A text of thousands of letters.
    Long,
}

/// Words of which a cell has one.
const WORDS: &[&[&str]] = &[
    &["strict", "landlock", "off", "wasm"],
    &["charged", "serial", "wall", "units-1", "units-2"],
    &["submitted", "retired", "banned", "author-banned", "admitted"],
    &["true", "false"],
    &["betting"],
    &["clear_king", "joint_kings", "ranked", "not_separated", "drift"],
    &["winner", "ranked"],
    &["score", "place", "win"],
    &["sandbox_error", "host_overload", "judge_failed", "lost_in_flight", "given_up"],
    &["max_turns", "no_balls", "stalled"],
    &["ok", "late", "illegal", "malformed", "exited", "extra"],
];

/// Lists values that differ from this one. `others` are other cells of its column.
pub(super) fn values(column: &str, cell: &str, others: &[String]) -> Vec<(Wrong, String)> {
    let mut values: Vec<(Wrong, String)> = Vec::new();
    let mut add = |wrong, value: &str| {
        if value != cell && !values.iter().any(|(_, known)| known == value) {
            values.push((wrong, value.to_owned()));
        }
    };
    another(column, cell).iter().for_each(|value| add(Wrong::Another, value));
    others.iter().filter(|other| !other.is_empty()).take(2).for_each(|other| add(Wrong::Another, other));
    add(Wrong::Form, "banana");
    add(Wrong::Range, "99999999999999999999");
    add(Wrong::Range, "-1");
    add(Wrong::Padded, &format!(" {cell}"));
    add(Wrong::Padded, &format!("{cell} "));
    add(if cell.is_empty() { Wrong::Another } else { Wrong::Zero }, &format!("0{cell}"));
    add(Wrong::Zero, &format!("+{cell}"));
    let upper = cell.to_uppercase();
    add(Wrong::Case, if upper == cell { cell.to_lowercase() } else { upper }.as_str());
    // These need not be there.
    let is_optional = ["cpu_us", "wall_us", "lost_by"].contains(&column);
    add(if is_optional { Wrong::Another } else { Wrong::Empty }, "");
    add(Wrong::Long, &"7".repeat(3000));
    values
}

/// Returns other values of the same form.
fn another(column: &str, cell: &str) -> Vec<String> {
    let text = str::to_owned;
    if column == "seed" {
        // The same number in decimal digits.
        let number = cell.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
        return number
            .iter()
            .flat_map(|number| [number.to_string(), format!("0x{:016x}", number ^ 1)])
            .collect();
    }
    if let Some(words) = WORDS.iter().find(|words| words.contains(&cell)) {
        return words.iter().map(|word| text(word)).collect();
    }
    if column == "rules_digest" || column == "log_digest" && cell.is_empty() {
        return vec![Digest::of(b"other").to_string()];
    }
    if Digest::parse(cell).is_some() {
        return vec![Digest::of(cell.as_bytes()).to_string()];
    }
    if cell.starts_with("0x") {
        return vec![text("0x0000000000000001"), text("1")];
    }
    if ["date", "started"].contains(&column) {
        return vec![text("2026-01-02T03:04:05Z")];
    }
    if let Ok(number) = cell.parse::<i64>() {
        return vec![(number + 1).to_string(), (number - 1).to_string()];
    }
    if let Some((whole, part)) = cell.split_once('.')
        && part.parse::<u64>().is_ok()
    {
        return vec![
            format!("{whole}.{}", "5".repeat(part.len())),
            format!("{whole}.{}", "1".repeat(part.len())),
        ];
    }
    if cell.is_empty() {
        return ["1", "2026-01-02T03:04:05Z", "fox", "late=1"].map(text).to_vec();
    }
    // A number within a text, one word less, one letter more.
    let mut values = vec![format!("{cell}x")];
    let digit = cell.char_indices().rfind(|(_, letter)| letter.is_ascii_digit());
    values.extend(digit.map(|(at, digit)| {
        let other = if digit == '9' { '8' } else { (digit as u8 + 1) as char };
        format!("{}{other}{}", &cell[..at], &cell[at + 1..])
    }));
    values.extend(cell.rsplit_once(' ').map(|(before, _)| text(before)));
    values
}
