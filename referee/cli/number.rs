//! Numbers on the command line. The errors are in plain words; clap adds the option.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// Reads a whole number of this range.
///
/// # Errors
///
/// If the word is not a whole number, or out of range.
pub fn whole<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |word| {
        let (min, max) = (*range.start(), *range.end());
        let number: i128 = word.parse().map_err(|_| "not a whole number".to_owned())?;
        if number < i128::from(min) {
            return Err(format!("must be at least {min}"));
        }
        let number = u64::try_from(number).ok().filter(|number| *number <= max);
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| format!("must be at most {max}"))
    }
}

/// Reads a count: from 1.
pub fn count(word: &str) -> Result<u32, String> {
    whole(1..=u32::MAX.into())(word)
}

/// Reads a number that counts from 0: of a turn, of a seat.
pub(super) fn index(word: &str) -> Result<u32, String> {
    whole(0..=u32::MAX.into())(word)
}

/// Reads a count of games at a time.
pub fn jobs(word: &str) -> Result<u16, String> {
    whole(1..=u16::MAX.into())(word)
}

/// Reads a number that need not be whole, such as 0.05.
pub fn fraction(word: &str) -> Result<f64, String> {
    f64::from_str(word).map_err(|_| "not a number".to_owned())
}
