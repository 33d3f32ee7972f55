//! Which opponents make a difference to a bot: against them its mean share is greater or smaller than in all its games,
//! by more than chance explains, when all pairs of the contest are looked at together.

use referee_record::BotName;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::pairs::Pair;
use crate::rounds::Field;

/// The probability that chance alone gives any pair of a contest a difference.
pub const ALPHA: f64 = 0.05;

/// Returns, for each pair, the difference of the bot's mean share with that opponent from its mean share in all games.
/// It is 0 where chance explains it, and `None` where `own` knows no mean share of the bot.
///
/// The p-value of a pair is that of a t test. The standard error is the pair's own or the pooled one within the bot's
/// pairs, whichever is larger: a few equal results prove nothing. Holm's correction (1979) for the number of pairs then
/// decides.
pub fn differences(pairs: &[Pair], own: impl Fn(&BotName) -> Option<f64>) -> Vec<Option<f64>> {
    // Sums of squares within the pairs of each bot, and their degrees of freedom.
    let mut field = Field::default();
    let mut within: Vec<(f64, f64)> = Vec::new();
    for pair in pairs {
        let bot = field.enter(&pair.bot);
        within.resize(within.len().max(bot + 1), (0.0, 0.0));
        if let Some(error) = pair.error {
            let freedom = pair.games as f64 - 1.0;
            within[bot].0 += error.powi(2) * pair.games as f64 * freedom;
            within[bot].1 += freedom;
        }
    }
    let difference = |pair: &Pair| own(&pair.bot).map(|own| pair.mean_share - own);
    let p_value = |pair: &Pair| -> f64 {
        let freedom = pair.games as f64 - 1.0;
        let (Some(difference), Some(error)) = (difference(pair), pair.error.filter(|_| freedom >= 1.0))
        else {
            return 1.0;
        };
        let pooled = field.index(&pair.bot).map_or(0.0, |bot| within[bot].0 / within[bot].1.max(1.0));
        let error = error.max((pooled / pair.games as f64).sqrt());
        let t = difference.abs() / error;
        if t.is_nan() {
            return 1.0;
        }
        StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |distribution| 2.0 * distribution.sf(t))
    };
    let p_values: Vec<f64> = pairs.iter().map(p_value).collect();
    let is_sure = holm(&p_values, ALPHA);
    pairs
        .iter()
        .zip(is_sure)
        .map(|(pair, is_sure)| difference(pair).map(|difference| if is_sure { difference } else { 0.0 }))
        .collect()
}

/// Tells which parts of games differ from a half by more than chance explains. Each is given with its number of games.
/// Holm's correction for the number of parts decides.
pub fn uneven(parts: &[(f64, f64)]) -> Vec<bool> {
    let p_value =
        |(part, games): &(f64, f64)| 2.0 * Normal::standard().sf((part - 0.5).abs() * 2.0 * games.sqrt());
    holm(&parts.iter().map(p_value).collect::<Vec<f64>>(), ALPHA)
}

/// Tells which of some null hypotheses are rejected by Holm's step-down procedure: with probability `1 - alpha`, none
/// of them is true.
pub fn holm(p_values: &[f64], alpha: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|one, other| p_values[*one].total_cmp(&p_values[*other]));
    let mut rejected = vec![false; p_values.len()];
    for (count_rejected, hypothesis) in order.into_iter().enumerate() {
        let count_left = p_values.len() - count_rejected;
        rejected[hypothesis] = p_values[hypothesis] <= alpha / count_left as f64;
        if !rejected[hypothesis] {
            break;
        }
    }
    rejected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holm_goes_on_while_each_p_value_is_small_enough_for_those_that_are_left() {
        // 0.01 <= 0.05 / 4, 0.02 > 0.05 / 3: the third one is not looked at.
        assert_eq!(holm(&[0.02, 0.01, 0.021, 0.5], 0.05), [false, true, false, false]);
        assert_eq!(holm(&[0.01, 0.016, 0.024, 0.5], 0.05), [true, true, true, false]);
        assert_eq!(holm(&[], 0.05), [] as [bool; 0]);
        assert_eq!(holm(&[f64::NAN, 0.0], 0.05), [false, true]);
    }
}
