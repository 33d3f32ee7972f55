//! Shares, as results have them.

use std::fmt;
use std::str::FromStr;

/// A score as a part of the highest possible one, in millionths from 0 to 1. A program that has played a game counts
/// the same share as one that reads its row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(u32);

impl Share {
    /// The greatest share.
    pub const WHOLE: Share = Share(1_000_000);

    /// Rounds a share from 0 to 1 to the nearest one with six decimals, and one half way to an even last digit.
    ///
    /// # Panics
    ///
    /// If it is not from 0 to 1.
    pub fn of(share: f64) -> Share {
        // A product would be rounded before it is compared with the half.
        let text = format!("{share:.6}");
        text.parse().unwrap_or_else(|what| panic!("the share of a seat: {what}"))
    }

    /// Returns the share of this many millionths.
    ///
    /// # Panics
    ///
    /// If there are more than a million, or less than none.
    pub fn of_micros(micros: i64) -> Share {
        let share = u32::try_from(micros).ok().map(Share).filter(|share| *share <= Share::WHOLE);
        share.unwrap_or_else(|| panic!("a share of {micros} millionths"))
    }

    /// Returns it in millionths.
    pub fn micros(self) -> i64 {
        self.0.into()
    }

    /// Returns it as a number from 0 to 1.
    pub fn value(self) -> f64 {
        f64::from(self.0) / 1e6
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

/// Reads a number from 0 to 1. That a cell has the one form of its share is for its reader to check.
impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Share, String> {
        match text.parse::<f64>() {
            Ok(share) if (0.0..=1.0).contains(&share) => Ok(Share((share * 1e6).round() as u32)),
            _ => Err(format!("{text:?}; it can be 0 to 1")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_what_is_written_of_it() {
        let quotients =
            (1..200).flat_map(|whole| (0..=whole).map(move |part| f64::from(part) / f64::from(whole)));
        for value in quotients.chain([0.0, 1.0, 1e-9, 5e-7, 0.999_999_5, 0.999_999_499_999]) {
            let share = Share::of(value);
            assert_eq!(share.to_string(), format!("{value:.6}"));
            assert_eq!(share.to_string().parse(), Ok(share));
            assert_eq!(Ok(share.value()), share.to_string().parse::<f64>());
            assert_eq!(Share::of(share.value()), share);
            assert_eq!(Share::of_micros(share.micros()), share);
        }
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for text in ["", ".", "1.000001", "2", "-0.5", "NaN", "inf", "0.5 ", "0,5"] {
            let read = text.parse::<Share>();
            assert!(read.is_err(), "{text:?} is {read:?}");
        }
    }
}
