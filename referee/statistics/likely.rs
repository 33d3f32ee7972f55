//! Likely places: for each bot the range of places that it takes in 80 % of resamplings of the rounds. A function of
//! complete rounds, in their order. It promises little: [`proofs`](crate::proofs) and verdicts promise more, later.
//!
//! A resampling draws as many rounds as there are, each by chance and with replacement, and ranks all bots by their
//! mean shares in them. Rounds are drawn whole, so what the bots of a round share, such as luck, stays shared. The
//! draws are always the same, so the same rounds have the same ranges. Source: Efron, "Bootstrap methods: another look
//! at the jackknife", Annals of Statistics 7 (1979).
//!
//! Two corrections, since resampled means scatter too little. Few rounds: by Student's t, as for the mean of so few
//! values. Rounds that predict the next one say as little as fewer independent ones: if the correlation `r` of
//! neighbours is more than chance, the scatter counts `(1 + r) / (1 - r)` times.
//!
//! Memory and time do not grow with the number of rounds: of a long season, neighbouring rounds are drawn together.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// The part of the resamplings in which a bot has a place of its range: from the 10 % to the 90 % quantile.
pub const LIKELY: f64 = 0.8;

/// Maximum number of blocks of rounds that are kept and drawn.
const BLOCKS_MAX: usize = 256;

/// Of a bot with fewer rounds nothing is known: it can have any place.
const ROUNDS_MIN: usize = 3;

/// Number of resamplings; fewer in fields of hundreds of bots.
const SAMPLES: usize = 400;

/// The steps of all resamplings together: blocks times bots.
const STEPS_MAX: usize = 60_000_000;

/// The rounds of a season, in blocks of neighbours.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Likely {
    bots: usize,
    /// Number of rounds of each block but the last.
    length: u32,
    /// Number of rounds of the last block.
    filled: u32,
    /// Block by block, bot by bot.
    cells: Vec<Cell>,
}

/// A bot's mean shares in a block of rounds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Cell {
    sum: f64,
    rounds: f64,
}

impl Cell {
    fn mean(&self) -> Option<f64> {
        (self.rounds > 0.0).then(|| self.sum / self.rounds)
    }

    /// Returns this cell and another, which counts this number of times.
    fn and(&self, other: &Cell, times: f64) -> Cell {
        Cell { sum: self.sum + times * other.sum, rounds: self.rounds + times * other.rounds }
    }
}

impl Likely {
    /// Begins without rounds.
    pub fn new(bots: usize) -> Likely {
        Likely { bots, length: 1, filled: 1, cells: Vec::new() }
    }

    /// Adds the next round: the mean share of each bot in its block, from 0 to 1; `None` for a bot without one.
    ///
    /// # Panics
    ///
    /// Panics unless there is an entry for each bot.
    pub fn add_round(&mut self, shares: impl ExactSizeIterator<Item = Option<f64>>) {
        assert_eq!(shares.len(), self.bots, "a mean share, or none, for each bot");
        if self.filled == self.length || self.cells.is_empty() {
            if self.cells.len() == BLOCKS_MAX * self.bots {
                self.join_neighbours();
            }
            self.cells.resize(self.cells.len() + self.bots, Cell::default());
            self.filled = 0;
        }
        self.filled += 1;
        let last = self.cells.len() - self.bots;
        for (cell, share) in self.cells[last..].iter_mut().zip(shares) {
            if let Some(share) = share {
                *cell = cell.and(&Cell { sum: share, rounds: 1.0 }, 1.0);
            }
        }
    }

    fn join_neighbours(&mut self) {
        let bots = self.bots;
        let pairs = self.cells.chunks(2 * bots);
        let joined = pairs.flat_map(|pair| (0..bots).map(|bot| pair[bot].and(&pair[bots + bot], 1.0)));
        self.cells = joined.collect();
        self.length *= 2;
    }

    /// Returns the first and the last likely place of each bot.
    pub fn places(&self) -> Vec<(usize, usize)> {
        self.places_in(LIKELY)
    }

    /// Returns the first and the last place of each bot in this part of the resamplings.
    pub fn places_in(&self, part: f64) -> Vec<(usize, usize)> {
        let known = Known::from_rounds(self);
        let (bots, blocks) = (self.bots, self.cells.chunks_exact(self.bots.max(1)));
        let mut tally = Tally::new(bots);
        let mut draws = Draws(SEED);
        let samples = (STEPS_MAX / (bots * blocks.len()).max(1)).clamp(SAMPLES / 4, SAMPLES);
        let mut times = vec![0.0; blocks.len()];
        for _ in 0..samples {
            times.fill(0.0);
            for _ in 0..times.len() {
                times[draws.below(blocks.len())] += 1.0;
            }
            let mut sums = vec![Cell::default(); bots];
            for (block, times) in blocks.clone().zip(&times).filter(|(_, times)| **times > 0.0) {
                for (sum, cell) in sums.iter_mut().zip(block) {
                    *sum = sum.and(cell, *times);
                }
            }
            tally.add(&known.drawn(&sums, &mut draws));
        }
        let places = tally.ranges(part).into_iter().zip(&known.0);
        places.map(|(range, known)| if known.is_some() { range } else { (1, bots) }).collect()
    }
}

/// By bot: what is known of it, if anything.
struct Known(Vec<Option<KnownMean>>);

#[derive(Clone, Copy)]
struct KnownMean {
    mean: f64,
    /// How many times nearer to `mean` resampled means lie than they should.
    factor: f64,
}

impl Known {
    fn from_rounds(likely: &Likely) -> Known {
        let blocks: Vec<&[Cell]> = likely.cells.chunks_exact(likely.bots.max(1)).collect();
        let memories = memories(&blocks, likely.bots);
        let of_bot = |bot: usize| {
            let cells = || blocks.iter().map(|block| &block[bot]).filter(|cell| cell.rounds > 0.0);
            let count = cells().count();
            let all = cells().fold(Cell::default(), |all, cell| all.and(cell, 1.0));
            let memory = memories[bot];
            let factor = small_sample_factor(count) * ((1.0 + memory) / (1.0 - memory)).sqrt();
            if count >= ROUNDS_MIN { Some(KnownMean { mean: all.mean()?, factor }) } else { None }
        };
        Known((0..likely.bots).map(of_bot).collect())
    }

    /// Returns the values by which bots are ranked in a resampling with these sums. A bot of which nothing is known
    /// has any place among the others, by chance.
    fn drawn(&self, sums: &[Cell], draws: &mut Draws) -> Vec<f64> {
        let value = |(known, sum): (&Option<KnownMean>, &Cell)| {
            known.map(|KnownMean { mean, factor }| mean + factor * (sum.mean().unwrap_or(mean) - mean))
        };
        let values: Vec<Option<f64>> = self.0.iter().zip(sums).map(value).collect();
        let others: Vec<f64> = values.iter().flatten().copied().collect();
        // Just above a known bot, or below all of them.
        let any_value =
            |draws: &mut Draws| others.get(draws.below(others.len() + 1)).map_or(-2.0, |other| other + 2e-9);
        // Rounding errors of equal shares must not look like a lead.
        let rounded = |value: f64| (value * 1e9).round() / 1e9;
        values.into_iter().map(|value| rounded(value.unwrap_or_else(|| any_value(draws)))).collect()
    }
}

/// Returns the factor for resampled means of this number of values: their scatter is known by these values alone.
fn small_sample_factor(values: usize) -> f64 {
    let (values, end) = (values as f64, (1.0 + LIKELY) / 2.0);
    let student =
        |freedom| StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |distribution| distribution.inverse_cdf(end));
    if values < 2.0 {
        return 1.0;
    }
    (values / (values - 1.0)).sqrt() * student(values - 1.0) / Normal::standard().inverse_cdf(end)
}

/// Fewer blocks tell nothing of the correlation of neighbours.
const MEMORY_BLOCKS_MIN: usize = 8;

/// A greater correlation counts as this one.
const MEMORY_MAX: f64 = 0.9;

/// Returns the correlation of each bot's results with its next ones: that of all bots together if it is more than two
/// standard errors, or its own if that is more than three; else 0. What all bots of a round have in common is no
/// memory.
fn memories(blocks: &[&[Cell]], bots: usize) -> Vec<f64> {
    let count = blocks.len();
    if count < MEMORY_BLOCKS_MIN || bots < 2 {
        return vec![0.0; bots];
    }
    let leads: Vec<Vec<Option<f64>>> = blocks.iter().map(|block| leads_over_mean(block)).collect();
    let of_bot = |bot: usize| -> (f64, f64) {
        let known = leads.iter().filter_map(|block| block[bot]);
        let mean = known.clone().sum::<f64>() / known.clone().count().max(1) as f64;
        let products = leads.windows(2).filter_map(|pair| Some((pair[0][bot]?, pair[1][bot]?)));
        let products = products.map(|(one, next)| (one - mean) * (next - mean)).sum();
        (products, known.map(|value| (value - mean).powi(2)).sum())
    };
    let sums: Vec<(f64, f64)> = (0..bots).map(of_bot).collect();
    let all = sums.iter().fold((0.0, 0.0), |all, (products, squares)| (all.0 + products, all.1 + squares));
    // Of independent values, neighbours correlate by -1 / count.
    let memory = |(products, squares): (f64, f64), errors: f64, series: f64| {
        let found = if squares > 1e-12 { products / squares } else { 0.0 } + 1.0 / count as f64;
        if found > errors / (count as f64 * series).sqrt() { found.min(MEMORY_MAX) } else { 0.0 }
    };
    let of_all = memory(all, 2.0, (bots - 1) as f64);
    sums.iter().map(|sum| memory(*sum, 3.0, 1.0).max(of_all)).collect()
}

/// Returns by how much each bot's mean share of a block is above the mean of all its bots.
fn leads_over_mean(block: &[Cell]) -> Vec<Option<f64>> {
    let means = || block.iter().map(Cell::mean);
    let count = means().flatten().count().max(1) as f64;
    let mean_of_all = means().flatten().sum::<f64>() / count;
    means().map(|mean| mean.map(|mean| mean - mean_of_all)).collect()
}

/// How often each bot has had each place.
pub(super) struct Tally {
    bots: usize,
    samples: u32,
    /// By bot and place: the places from the best, and from the worst.
    times: [Vec<u32>; 2],
}

impl Tally {
    pub(super) fn new(bots: usize) -> Tally {
        Tally { bots, samples: 0, times: [vec![0; bots * bots], vec![0; bots * bots]] }
    }

    /// Adds a resampling: the greatest value has the first place, and equal ones share theirs.
    pub(super) fn add(&mut self, values: &[f64]) {
        let mut sorted = values.to_vec();
        sorted.sort_by(|one, other| other.total_cmp(one));
        for (bot, value) in values.iter().enumerate() {
            let better = sorted.partition_point(|other| other > value);
            self.count(bot, better, better);
        }
    }

    /// Adds a place of a bot, counted from 0: the first and the last that it may be. The first bot's begins a
    /// resampling.
    pub(super) fn count(&mut self, bot: usize, first: usize, last: usize) {
        self.samples += u32::from(bot == 0);
        self.times[0][bot * self.bots + first] += 1;
        self.times[1][bot * self.bots + last] += 1;
    }

    /// Returns the first and the last place that each bot has in this part of the resamplings.
    pub(super) fn ranges(&self, part: f64) -> Vec<(usize, usize)> {
        let end = (1.0 - part) / 2.0 * f64::from(self.samples);
        // The first place that the bot has, or exceeds, in more than this number of resamplings.
        let place = |bot: usize, side: usize, passed: f64| {
            let times = &self.times[side][bot * self.bots..][..self.bots];
            let mut sum = 0.0;
            for (place, times) in times.iter().enumerate() {
                sum += f64::from(*times);
                if sum > passed {
                    return place + 1;
                }
            }
            self.bots
        };
        let before_end = f64::from(self.samples) - end - 1.0;
        let range = |bot: usize| (place(bot, 0, end), place(bot, 1, before_end));
        (0..self.bots).map(range).collect()
    }
}

const SEED: u64 = 0x6c69_6b65_6c79;

/// Draws that are always the same: SplitMix64 (Steele, Lea and Flood 2014).
pub(super) struct Draws(u64);

impl Draws {
    pub(super) fn new() -> Draws {
        Draws(SEED)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// Returns a number from 0 to below `end`.
    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// Returns a value of the standard normal distribution.
    pub(super) fn normal(&mut self) -> f64 {
        let unit = ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        Normal::standard().inverse_cdf(unit)
    }
}
