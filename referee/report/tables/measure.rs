//! The measure in which people read shares: the points of a game, or the part of the games that were won. A share is a
//! bot's result of a game, from 0 to 1.

use crate::tables::lead::digits;

/// Means over the games of a bot.
#[derive(Clone, Copy, Debug)]
pub struct Means {
    /// The mean share.
    pub share: f64,
    /// The standard error of the mean share.
    pub error: Option<f64>,
    /// The mean score.
    pub score: Option<f64>,
    /// The part of the games that it won.
    pub won: Option<f64>,
}

/// The measure in which people read the mean shares of some standings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// Points of a game: each share is the score as a part of this highest possible one.
    Points(f64),
    /// Percent of games won: the mean share of each bot is the part of its games that it won.
    Wins,
    /// Percent of the highest share, if shares are neither of these.
    Shares,
}

/// How much a mean share can be wrong: shares of results are rounded to millionths.
const ROUNDING: f64 = 1e-6;

/// The error of a mean share where none is known.
const ERROR_ASSUMED: f64 = 0.001;

impl Measure {
    /// Finds the measure that fits all bots.
    pub fn fitting(bots: &[Means]) -> Measure {
        let is_won = |bot: &Means| bot.won.is_some_and(|won| (won - bot.share).abs() < ROUNDING);
        if !bots.is_empty() && bots.iter().all(is_won) {
            return Measure::Wins;
        }
        let scores: Option<f64> = bots.iter().map(|bot| bot.score).sum();
        let Some(scores) = scores else { return Measure::Shares };
        let shares: f64 = bots.iter().map(|bot| bot.share).sum();
        let max_score = (scores / shares).round();
        // The rounding of the share, and as much room again.
        let fits = |bot: &Means| {
            bot.score.is_some_and(|score| (score - bot.share * max_score).abs() <= max_score * 2.0 * ROUNDING)
        };
        // With a maximum of 1, scores are shares. One bot alone fits any maximum.
        if max_score >= 2.0 && bots.len() > 1 && bots.iter().all(fits) {
            Measure::Points(max_score)
        } else {
            Measure::Shares
        }
    }

    /// Returns the value of a share of 1, which is the highest value.
    pub fn max(self) -> f64 {
        match self {
            Measure::Points(max) => max,
            Measure::Wins | Measure::Shares => 100.0,
        }
    }

    /// Returns what people read for a share.
    pub fn value(self, share: f64) -> f64 {
        share * self.max()
    }

    /// Returns the number of digits behind the point that values with this error of their shares have.
    pub fn digits(self, error: Option<f64>) -> usize {
        let error = error.filter(|error| *error > 0.0).unwrap_or(ERROR_ASSUMED);
        // A value is the share times the maximum, so as many digits as the maximum has zeros move before the point.
        let behind_point = digits(error).saturating_sub(self.max().log10().floor() as usize);
        // Points always have a digit behind the point: 17.0 and 17.4 must not both be 17.
        behind_point.max(usize::from(matches!(self, Measure::Points(_))))
    }

    /// Writes a share: `17.4`, or `62 %`.
    pub fn text(self, share: f64, digits: usize) -> String {
        let value = self.value(share);
        match self {
            Measure::Points(_) => format!("{value:.digits$}"),
            Measure::Wins | Measure::Shares => format!("{value:.digits$} %"),
        }
    }

    /// Writes a share within a sentence: `17.4 of 60 points`, or `62 % won`.
    pub fn phrase(self, share: f64, digits: usize) -> String {
        let text = self.text(share, digits);
        match self {
            Measure::Points(max) => format!("{text} of {max} points"),
            Measure::Wins => format!("{text} won"),
            Measure::Shares => format!("a mean share of {text}"),
        }
    }

    /// Returns the name of the column of such values in tables; `None` if people read `mean_share` itself.
    pub fn column(self) -> Option<&'static str> {
        match self {
            Measure::Points(_) => Some("mean_points"),
            Measure::Wins => Some("won_percent"),
            Measure::Shares => None,
        }
    }

    /// Returns the head of the column of such values on pages.
    pub fn head(self) -> String {
        match self {
            Measure::Points(max) => format!("mean points of {max}"),
            Measure::Wins => "games won".to_owned(),
            Measure::Shares => "mean share".to_owned(),
        }
    }
}

/// The measure of some standings, and the number of digits behind the point.
#[derive(Clone, Copy, Debug)]
pub struct Scale(pub Measure, pub usize);

impl Scale {
    /// Returns the scale that fits all bots.
    pub fn fitting(bots: &[Means]) -> Scale {
        let errors = bots.iter().filter_map(|bot| bot.error);
        let measure = Measure::fitting(bots);
        Scale(measure, measure.digits(errors.reduce(f64::max)))
    }

    /// Writes a share as people read it.
    pub fn text(self, share: f64) -> String {
        self.0.text(share, self.1)
    }

    /// Writes a share within a sentence.
    pub fn phrase(self, share: f64) -> String {
        self.0.phrase(share, self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(share: f64, score: f64, won: f64) -> Means {
        Means { share, error: None, score: Some(score), won: Some(won) }
    }

    #[test]
    fn points_are_shown_where_each_share_is_a_part_of_them() {
        let push = [row(0.29, 17.4, 0.5), row(0.183_333, 11.0, 0.25), row(0.0, 0.0, 0.25)];
        let goals = [row(0.75, 1.5, 0.75), row(0.25, -1.5, 0.25)];
        let by_place = [row(0.8, 12.0, 0.7), row(0.2, -3.0, 0.1), row(0.5, 4.0, 0.2)];
        for (rows, expected, text, phrase) in [
            (&push[..], Measure::Points(60.0), "17.4", "17.4 of 60 points"),
            (&goals[..], Measure::Wins, "29.0 %", "29.0 % won"),
            (&by_place[..], Measure::Shares, "29.0 %", "a mean share of 29.0 %"),
            // One bot alone says nothing of a scale.
            (&[], Measure::Shares, "29.0 %", "a mean share of 29.0 %"),
            (&push[..1], Measure::Shares, "29.0 %", "a mean share of 29.0 %"),
        ] {
            let measure = Measure::fitting(rows);
            assert_eq!(measure, expected);
            assert_eq!(measure.text(0.29, 1), text);
            assert_eq!(measure.phrase(0.29, 1), phrase);
        }
    }

    #[test]
    fn a_value_has_as_many_digits_as_the_error_of_its_share_allows() {
        for (measure, error, expected) in [
            (Measure::Points(1020.0), 0.03, 1),
            (Measure::Points(1020.0), 0.0009, 1),
            (Measure::Points(60.0), 0.03, 1),
            (Measure::Points(60.0), 0.003, 2),
            (Measure::Wins, 0.2, 0),
            (Measure::Wins, 0.003, 1),
        ] {
            assert_eq!(measure.digits(Some(error)), expected, "{measure:?} {error}");
        }
    }
}
