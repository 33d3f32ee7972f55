//! Words of notes and messages: times, and numbers of entries.

use jiff::ToSpan as _;
use jiff::civil::DateTime;

/// By how many minutes the clocks of machines can differ that share a hill.
const CLOCKS_DIFFER: i64 = 10;

/// Reads a time of a record, `2026-01-31T12:00:00Z`.
pub(super) fn time(text: &str) -> Option<DateTime> {
    text.strip_suffix('Z')?.parse().ok()
}

/// Tells whether a note of the time `after` was dated back: `before` is later, by more than clocks can differ.
pub(super) fn is_dated_back(after: &str, before: &str) -> bool {
    let both = time(after).zip(time(before));
    both.is_some_and(|(after, before)| after.saturating_add(CLOCKS_DIFFER.minutes()) < before)
}

/// Returns a number of entries in words.
pub(super) fn entries_in_words(number: u64) -> String {
    if number == 1 { "1 entry".to_owned() } else { format!("{number} entries") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_dated_back_if_clocks_cannot_differ_so_far() {
        let noon = "2026-01-31T12:00:00Z";
        for (after, is_back) in [
            (noon, false),
            ("2026-01-31T12:00:01Z", false),
            ("2026-01-31T11:50:00Z", false),
            ("2026-01-31T11:49:59Z", true),
            ("2025-12-31T23:59:59Z", true),
            ("fox", false),
        ] {
            assert_eq!(is_dated_back(after, noon), is_back, "{after}");
        }
        assert!(time("2026-01-31").is_none() && time(noon).is_some());
    }
}
