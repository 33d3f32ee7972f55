//! Affinity: how much a bot's mean share beside one other bot differs from the shares of both elsewhere. A
//! bot that lets another win has unusual shares, but only beside that bot.
//!
//! The mean share of bot i beside bot j, less its mean share elsewhere, has four parts: the mean effect of any company
//! on any bot, the effect of company on i, the effect of j on all bots, and a rest, which belongs to the pair.
//!
//! Source: the social relations model; Warner, Kenny and Stoto, "A new round robin analysis of variance for social
//! interaction data", J. Pers. Soc. Psychol. 37 (1979).

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF, Normal};

use crate::rounds::{Field, block_shares};
use referee_record::BotName;
use referee_record::game_result::GameResult;

/// A rest counts only as far as it exceeds this part of the expected share, since two honest bots can suit each other
/// badly. Among house bots of football, `greedy` had 0.113 beside `random` where 0.185 was expected; a bot that lets
/// another win has nothing.
const HONEST: f64 = 0.5;

/// A rest below this part of the mean share of all bots does not count either, since a weak bot can have twice its
/// expected share by chance.
const SMALL: f64 = 0.15;

/// Minimum number of blocks in which each bot has met every other, and of blocks without it, for a test.
const BLOCKS_MIN: f64 = 10.0;

/// The blocks of a season, summed by pairs of bots.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Affinities {
    field: Field,
    cells: Cells,
}

/// Sums by pairs of bots, by index.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Cells {
    /// By bot: sums over all its blocks.
    all: Vec<Sums>,
    /// By bot and company: sums over the blocks with both.
    beside: BTreeMap<(usize, usize), Sums>,
    /// Maximum number of bots that met at a table.
    table: usize,
}

/// Shares of blocks: their number, their sum and that of their squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Sums {
    blocks: f64,
    sum: f64,
    squares: f64,
}

/// The result of one bot beside another.
#[derive(Clone, Debug, PartialEq)]
pub struct Affinity {
    /// The bot.
    pub bot: BotName,
    /// The other bot.
    pub company: BotName,
    /// Its mean share beside the other.
    pub found: f64,
    /// Its expected mean share there, from the results of both elsewhere.
    pub expected: f64,
    /// The rest, `found` less `expected`, in standard errors.
    pub t: f64,
    /// The probability that any pair has so large a rest if no rest exceeds what counts as honest.
    pub p_value: f64,
}

impl Affinities {
    /// Adds the games of a block.
    pub fn add(&mut self, block: &[GameResult]) {
        let shares: Vec<(usize, f64)> =
            block_shares(block).into_iter().map(|(bot, share)| (self.field.enter(bot), share)).collect();
        self.cells.all.resize(self.field.len(), Sums::default());
        for (bot, share) in &shares {
            let others = shares.iter().map(|(company, _)| *company).filter(|company| company != bot);
            self.cells.add(*bot, *share, others);
        }
    }

    /// Returns the pair with the clearest rest beyond what counts as honest. `None` if nothing can be told apart: all
    /// meet in every block, there are fewer than four bots, or some have hardly met.
    pub fn clearest(&self) -> Option<Affinity> {
        let small = SMALL * self.cells.all.iter().map(Sums::mean).sum::<f64>() / self.field.len() as f64;
        let honest_rest = |expected: f64| small.max(HONEST * expected);
        let rests = self.cells.rests(honest_rest, BLOCKS_MIN)?;
        rests.iter().max_by(|one, other| one.excess.total_cmp(&other.excess)).map(|rest| self.named(rest))
    }

    /// Lists the pairs with a rest that chance does not explain, however small it is, the clearest first: with a
    /// probability of `1 - level` none is listed by chance. `None` as for [`clearest`](Affinities::clearest).
    pub fn unexplained(&self, level: f64) -> Option<Vec<Affinity>> {
        let mut rests = self.cells.rests(|_| 0.0, BLOCKS_MIN)?;
        rests.retain(|rest| rest.p_value < level);
        rests.sort_by(|one, other| other.excess.total_cmp(&one.excess));
        Some(rests.iter().map(|rest| self.named(rest)).collect())
    }

    fn named(&self, rest: &OfPair) -> Affinity {
        let OfPair { bot, company, found, expected, t, p_value, .. } = *rest;
        let [bot, company] = [bot, company].map(|bot| self.field.bots()[bot].clone());
        Affinity { bot, company, found, expected, t, p_value }
    }
}

/// The result of a bot beside another, by index.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfPair {
    bot: usize,
    company: usize,
    found: f64,
    expected: f64,
    pub(super) t: f64,
    p_value: f64,
    /// The part of the rest beyond an honest one, in standard errors.
    excess: f64,
}

impl Cells {
    /// Makes sums without blocks.
    pub(super) fn new(bots: usize) -> Cells {
        Cells { all: vec![Sums::default(); bots], ..Cells::default() }
    }

    /// Returns the number of bots.
    pub(super) fn bots(&self) -> usize {
        self.all.len()
    }

    /// Adds a block of a bot beside these others.
    pub(super) fn add(&mut self, bot: usize, share: f64, company: impl Iterator<Item = usize>) {
        self.all[bot].add(share);
        let mut table = 1;
        for other in company {
            table += 1;
            self.beside.entry((bot, other)).or_default().add(share);
        }
        self.table = self.table.max(table);
    }

    /// Returns all pairs, each with the excess of its rest over an honest one; `None` if some bots have fewer than
    /// `blocks_min` blocks with or without each other. `honest_rest` returns the greatest honest rest for an expected
    /// share.
    pub(super) fn rests(&self, honest_rest: impl Fn(f64) -> f64, blocks_min: f64) -> Option<Vec<OfPair>> {
        let count = self.all.len();
        if count < 4 || count <= self.table || self.beside.len() < count * (count - 1) {
            return None;
        }
        let too_few = |(pair, beside): (&(usize, usize), &Sums)| {
            beside.blocks < blocks_min || self.all[pair.0].blocks - beside.blocks < blocks_min
        };
        if self.beside.iter().any(too_few) {
            return None;
        }
        let rests = Rests::new(&self.all, &self.beside);
        let of_pair = |(bot, company): (usize, usize)| {
            let found = self.beside[&(bot, company)].mean();
            let Rest { rest, error } = rests.at(bot, company);
            let expected = (found - rest).max(0.0); // no share is less
            let excess = ((found - expected).abs() - honest_rest(expected)) / error;
            let p_value_of_one = 2.0 * Normal::standard().sf(excess);
            let p_value = (p_value_of_one * (count * (count - 1)) as f64).min(1.0);
            OfPair { bot, company, found, expected, t: (found - expected) / error, p_value, excess }
        };
        let pairs = (0..count).flat_map(|bot| (0..count).map(move |company| (bot, company)));
        Some(pairs.filter(|(bot, company)| bot != company).map(of_pair).collect())
    }
}

impl Sums {
    fn add(&mut self, share: f64) {
        self.blocks += 1.0;
        self.sum += share;
        self.squares += share * share;
    }

    fn mean(&self) -> f64 {
        self.sum / self.blocks
    }

    fn without(&self, part: &Sums) -> Sums {
        Sums {
            blocks: self.blocks - part.blocks,
            sum: self.sum - part.sum,
            squares: self.squares - part.squares,
        }
    }

    /// The sum of the squares of distances to the mean.
    fn scatter(&self) -> f64 {
        (self.squares - self.sum * self.sum / self.blocks).max(0.0)
    }
}

/// The matrix of the effects of each bot on each other, with the means of its rows and columns.
struct Rests {
    count: f64,
    /// The mean of all cells.
    mean: f64,
    /// By bot and company: its mean share there less that elsewhere; 0 for a bot beside itself.
    means: Vec<Vec<f64>>,
    /// The variances of those differences.
    variances: Vec<Vec<f64>>,
    /// By bot: the mean of its row, and of its column.
    rows: Vec<(f64, f64)>,
    /// By bot: the sums of the variances of its row, and of its column.
    variance_sums: Vec<(f64, f64)>,
}

/// The rest of a pair, and its standard error.
struct Rest {
    rest: f64,
    error: f64,
}

impl Rests {
    fn new(all: &[Sums], beside: &BTreeMap<(usize, usize), Sums>) -> Rests {
        let count = all.len();
        let mut means = vec![vec![0.0; count]; count];
        let mut variances = means.clone();
        for bot in 0..count {
            let row = || beside.range((bot, 0)..(bot + 1, 0)).map(|((_, company), with)| (*company, with));
            // The variance of its blocks, split by the presence of the company that matters most.
            let within = |with: &Sums| with.scatter() + all[bot].without(with).scatter();
            let scatter = row().map(|(_, with)| within(with)).fold(f64::INFINITY, f64::min);
            // Shares are rounded to six decimals, so the variance is never less than this.
            let variance = (scatter / (all[bot].blocks - 2.0)).max(1e-12);
            // Tables have a fixed size, so one bot's presence makes others rarer: the differences of a row are
            // correlated.
            let shared = (count - 1) as f64 / (count - 2) as f64;
            for (company, with) in row() {
                let without = all[bot].without(with);
                means[bot][company] = with.mean() - without.mean();
                variances[bot][company] = shared * variance * (1.0 / with.blocks + 1.0 / without.blocks);
            }
        }
        let others = (count - 1) as f64;
        let sums = |values: &[Vec<f64>], bot: usize| {
            (values[bot].iter().sum::<f64>(), values.iter().map(|row| row[bot]).sum::<f64>())
        };
        let rows: Vec<(f64, f64)> = (0..count)
            .map(|bot| sums(&means, bot))
            .map(|(row, column)| (row / others, column / others))
            .collect();
        let variance_sums = (0..count).map(|bot| sums(&variances, bot)).collect();
        let mean = rows.iter().map(|(row, _)| row).sum::<f64>() / count as f64;
        Rests { count: count as f64, mean, means, variances, rows, variance_sums }
    }

    fn at(&self, bot: usize, company: usize) -> Rest {
        let n = self.count;
        // The row of a bot and its column both lack the bot itself, so each of its two effects depends on both.
        let (of_own, of_other) = ((n - 1.0).powi(2) / (n * (n - 2.0)), (n - 1.0) / (n * (n - 2.0)));
        let of_mean = (n - 1.0) / (n - 2.0);
        let effect_on_bot = of_own * self.rows[bot].0 + of_other * self.rows[bot].1 - of_mean * self.mean;
        let effect_of_company =
            of_own * self.rows[company].1 + of_other * self.rows[company].0 - of_mean * self.mean;
        let rest = self.means[bot][company] - self.mean - effect_on_bot - effect_of_company;

        // The rest is a sum of cells with these weights: of the bot's row and the company's column, of the bot's
        // column and the company's row, of all others; and of the cell itself, and its mirror image.
        let all = (2.0 * of_mean - 1.0) / (n * (n - 1.0));
        let (near, far) = (all - of_own / (n - 1.0), all - of_other / (n - 1.0));
        let (own, mirrored) = (1.0 + near - of_own / (n - 1.0), far - of_other / (n - 1.0));
        let (v_own, v_mirrored) = (self.variances[bot][company], self.variances[company][bot]);
        let (bot_row, bot_column) = self.variance_sums[bot];
        let (company_row, company_column) = self.variance_sums[company];
        let near_sum = bot_row + company_column - 2.0 * v_own;
        let far_sum = bot_column + company_row - 2.0 * v_mirrored;
        let every: f64 = self.variance_sums.iter().map(|(row, _)| row).sum();
        let rest_sum = every - near_sum - far_sum - v_own - v_mirrored;
        let variance = own.powi(2) * v_own
            + mirrored.powi(2) * v_mirrored
            + near.powi(2) * near_sum
            + far.powi(2) * far_sum
            + all.powi(2) * rest_sum.max(0.0);
        Rest { rest, error: variance.sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five bots, each in 22 blocks, half of them beside each other. The effect of a bot on another is the
    /// sum of `brings` and `does`, and `more` for one pair.
    fn blocks(more: f64, pair: (usize, usize)) -> (Vec<Sums>, BTreeMap<(usize, usize), Sums>) {
        let (brings, does) = ([0.1, 0.2, 0.05, 0.0, 0.15], [-0.02, -0.01, 0.03, 0.0, -0.05]);
        // The scatter is a fifth in all, whatever the means.
        let sums = |mean: f64| Sums { blocks: 11.0, sum: 11.0 * mean, squares: 11.0 * mean * mean + 0.1 };
        let all = vec![Sums { blocks: 22.0, sum: 6.6, squares: 22.0 }; 5];
        let mut beside = BTreeMap::new();
        for (bot, brings) in brings.iter().enumerate() {
            for (company, does) in does.iter().enumerate().filter(|(company, _)| *company != bot) {
                let more = if (bot, company) == pair { more } else { 0.0 };
                beside.insert((bot, company), sums(0.3 + (brings + does + more) / 2.0));
            }
        }
        (all, beside)
    }

    #[test]
    fn the_rest_is_nothing_where_all_that_is_done_is_a_sum_and_its_error_follows_from_its_weights() {
        let rests = |more, pair| {
            let (all, beside) = blocks(more, pair);
            Rests::new(&all, &beside)
        };
        assert!(rests(0.0, (0, 0)).at(1, 3).rest.abs() < 1e-12);
        // The error, by moving each difference by itself.
        let plain = rests(0.0, (0, 0));
        let mut variance = 0.0;
        for bot in 0..5 {
            for company in (0..5).filter(|company| *company != bot) {
                let weight = rests(1.0, (bot, company)).at(1, 3).rest;
                variance += weight * weight * plain.variances[bot][company];
            }
        }
        assert!((plain.at(1, 3).error - variance.sqrt()).abs() < 1e-9, "{variance}");
    }

    #[test]
    fn the_variance_of_a_difference_is_that_of_the_bot_where_the_company_that_matters_most_is_known() {
        // In 30 blocks a bot is beside the next one in 10, the one after it in 12, the third in 15.
        let sums = |blocks: f64, sum: f64, squares: f64| Sums { blocks, sum, squares };
        let with = [sums(10.0, 3.0, 1.1), sums(12.0, 3.0, 0.95), sums(15.0, 6.0, 3.0)];
        let mut beside = BTreeMap::new();
        for bot in 0..4 {
            for (more, sums) in (1..).zip(with) {
                beside.insert((bot, (bot + more) % 4), sums);
            }
        }
        let rests = Rests::new(&[sums(30.0, 9.0, 6.0); 4], &beside);
        // The scatter with each of them and without: 0.2 + 3.1, 0.2 + 3.05, 0.6 + 2.4.
        let variance = 3.0 / 28.0 * 3.0 / 2.0;
        for (company, mean, blocks) in
            [(1, 0.0, (10.0, 20.0)), (2, -1.0 / 12.0, (12.0, 18.0)), (3, 0.2, (15.0, 15.0))]
        {
            assert!((rests.means[0][company] - mean).abs() < 1e-12, "{company}");
            let expected = variance * (1.0 / blocks.0 + 1.0 / blocks.1);
            assert!((rests.variances[0][company] - expected).abs() < 1e-12, "{company}");
        }
    }
}
