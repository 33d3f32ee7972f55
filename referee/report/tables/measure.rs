//! What people read for a share: the points of a game, or the part of the games that were won.

use crate::tables::lead::digits;

/// What is known of the games of a bot: means over them.
#[derive(Clone, Copy, Debug)]
pub struct Means {
    /// Of its shares.
    pub share: f64,
    /// The standard error of that.
    pub error: Option<f64>,
    /// Of its scores.
    pub score: Option<f64>,
    /// Of wins.
    pub won: Option<f64>,
}

/// How the mean shares of some standings are told to people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// In points of a game. A share is the score as a part of this highest possible one.
    Points(f64),
    /// In percent of the games. A share is that of a win.
    Wins,
    /// In percent. A share is something else.
    Shares,
}

impl Measure {
    /// Finds the measure that fits all bots.
    pub fn fitting(bots: &[Means]) -> Measure {
        let is_won = |bot: &Means| bot.won.is_some_and(|won| (won - bot.share).abs() < 1e-6);
        if !bots.is_empty() && bots.iter().all(is_won) {
            return Measure::Wins;
        }
        let (scores, shares) =
            (bots.iter().map(|bot| bot.score).sum::<Option<f64>>(), bots.iter().map(|bot| bot.share));
        let Some(scores) = scores else { return Measure::Shares };
        // Shares of results are rounded to millionths.
        let most = (scores / shares.sum::<f64>()).round();
        let fits =
            |bot: &Means| bot.score.is_some_and(|score| (score - bot.share * most).abs() <= most * 2e-6);
        if most >= 2.0 && bots.len() > 1 && bots.iter().all(fits) {
            Measure::Points(most)
        } else {
            Measure::Shares
        }
    }

    /// The value of a share of 1.
    pub fn most(self) -> f64 {
        match self {
            Measure::Points(most) => most,
            Measure::Wins | Measure::Shares => 100.0,
        }
    }

    /// Returns what people read for a share.
    pub fn value(self, share: f64) -> f64 {
        share * self.most()
    }

    /// Returns the number of digits behind the point that values with this error of their shares have.
    pub fn digits(self, error: Option<f64>) -> usize {
        let error = error.filter(|error| *error > 0.0).unwrap_or(0.001);
        // Those of a share, without those before the point. Points always have one, to tell equal bots from others.
        let behind = digits(error).saturating_sub(self.most().log10().floor() as usize);
        behind.max(usize::from(matches!(self, Measure::Points(_))))
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
            Measure::Points(most) => format!("{text} of {most} points"),
            Measure::Wins => format!("{text} won"),
            Measure::Shares => format!("a mean share of {text}"),
        }
    }

    /// The name of the column of such values in a table in characters, where people read something else than
    /// `mean_share`.
    pub fn column(self) -> Option<&'static str> {
        match self {
            Measure::Points(_) => Some("mean_points"),
            Measure::Wins => Some("won_percent"),
            Measure::Shares => None,
        }
    }

    /// The head of a column of such values.
    pub fn head(self) -> String {
        match self {
            Measure::Points(most) => format!("mean points of {most}"),
            Measure::Wins => "games won".to_owned(),
            Measure::Shares => "mean share".to_owned(),
        }
    }
}

/// What people read for the shares of some standings, and with how many digits behind the point.
#[derive(Clone, Copy, Debug)]
pub struct Scale(pub Measure, pub usize);

impl Scale {
    /// The scale that fits all bots.
    pub fn fitting(bots: &[Means]) -> Scale {
        let errors = bots.iter().filter_map(|bot| bot.error);
        let measure = Measure::fitting(bots);
        Scale(measure, measure.digits(errors.reduce(f64::max)))
    }

    /// Writes a share as people read it.
    pub fn text(self, share: f64) -> String {
        self.0.text(share, self.1)
    }

    /// Likewise, within a sentence.
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
