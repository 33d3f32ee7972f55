//! Ranks: the range of each bot's plausible places, by sign betting on pairs of bots. A function of complete rounds, in
//! their order; it holds however often one looks.
//!
//! For each ordered pair of bots, a gambler bets that the first is better. In each round he sees by how much `x` the
//! first was ahead of the second, and his capital is multiplied by `1 + s`, where `s = b tanh(lead x / variance)`; the
//! stake follows from earlier rounds alone. Suppose that being ahead by any margin is no more likely than being behind
//! by the same margin. Then, given the size of `x`, he expects no gain, so by Ville's inequality his capital ever
//! reaches `1 / p` with a probability of at most `p`. If `x` is normal, no other bet grows faster: the odds of `x` to
//! `-x` are `exp(2 lead x / variance)`. The unit of the shares does not matter, nor what a share could be at most, so
//! a few rounds say much more than under [`confidence`](crate::confidence), which must allow for results that have
//! never occurred.
//!
//! **The assumption**: if two bots are equally good, one of them is not ahead more often by little and behind less
//! often by much. Two copies of one program meet it exactly. A bot that wins a jackpot in 1 % of its games, against
//! one that never does, does not. Verdicts do not make it.
//!
//! All claims together: Holm's method on the `bots (bots - 1)` ordered pairs, with `1 / greatest capital` as the
//! p-values, which hold at any time. Source: Holm, "A simple sequentially rejective multiple test procedure",
//! Scandinavian Journal of Statistics 6 (1979); Ramdas, Ruf, Larsson and Koolen, "Admissible anytime-valid sequential
//! inference must rely on nonnegative martingales", arXiv 2009.03167 (2020), for bets on symmetry.
//!
//! **The luck of the draw is taken out**: a bot whose opponents were stronger than usual gets the share that this
//! costs by experience. Strengths (mean shares) and prices (regressions, one for each bot) come from earlier rounds
//! alone, and all tables are equally likely, so on average nothing is added. Within a pair, both bots count as
//! equally strong and have one price; so for two copies of one program the difference stays symmetric, exactly.

use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

use crate::confidence::Interval;

/// A bot's results in a round.
#[derive(Clone, Debug, PartialEq)]
pub struct Showing {
    /// Bounds of its mean share in its block, from 0 to 1.
    pub share: Interval,
    /// Its opponents, by index, and the part of its company that each was. The parts add up to 1, or there is no
    /// opponent.
    pub company: Vec<(usize, f64)>,
}

impl Showing {
    /// Returns a showing without opponents: nothing is known of them.
    pub fn of(share: Interval) -> Showing {
        Showing { share, company: Vec::new() }
    }
}

/// The ranks of some bots, round by round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ranks {
    alpha: f64,
    bots: usize,
    /// Whether opponents are taken out: only if all tables are equally likely.
    levels: bool,
    /// By bot: the sum and number of its mean shares.
    strengths: Vec<(f64, f64)>,
    /// The experience of all bots, and by bot.
    price: Price,
    prices: Vec<Price>,
    /// By `one * bots + other`: the case that `one` is better.
    cases: Vec<Case>,
    #[serde(skip)]
    places: OnceLock<Vec<(usize, usize)>>,
}

/// The case that a bot is better than another.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Case {
    rounds: f64,
    mean: f64,
    /// Sum of squared distances to the mean.
    squares: f64,
    capital: f64,
    most: f64,
}

impl Case {
    const NEW: Case = Case { rounds: 0.0, mean: 0.0, squares: 0.0, capital: 1.0, most: 1.0 };

    fn add(&mut self, ahead: f64) {
        // Rounding errors of equal shares must not look like a lead.
        let ahead = (ahead * 1e9).round() / 1e9;
        if self.rounds >= 2.0 && self.mean > 0.0 {
            // By Laplace's rule of succession one round in `rounds + 2` turns out otherwise than all before it. So
            // one crash does not ruin a gambler, and costs him least at the beginning.
            let boldest = self.rounds / (self.rounds + 2.0);
            let variance = self.squares / self.rounds;
            // A difference that has never varied: the sign of the next one is all that counts.
            let odds = if variance > 0.0 { self.mean * ahead / variance } else { ahead.signum() * f64::MAX };
            let odds = if ahead == 0.0 { 0.0 } else { odds };
            self.capital *= 1.0 + boldest * odds.tanh();
            self.most = self.most.max(self.capital);
        }
        self.rounds += 1.0;
        let before = self.mean;
        self.mean += (ahead - before) / self.rounds;
        self.squares += (ahead - before) * (ahead - self.mean);
    }
}

/// The share that a bot gains per unit by which its opponents are stronger than all others: negative, as a rule. A
/// strong bot loses much to a strong opponent, a weak one has little to lose.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Price {
    rounds: f64,
    products: f64,
    squares: f64,
}

/// The number of a bot's own rounds that count as much as the experience of all bots.
const OWN_ROUNDS: f64 = 8.0;

impl Price {
    fn add(&mut self, luck: f64, excess: f64) {
        self.rounds += 1.0;
        self.products += luck * excess;
        self.squares += luck * luck;
    }

    /// Returns the price by the experience of all bots.
    fn of_all(&self, bots: usize) -> f64 {
        // No share changes by more than a few times the strength of opponents: more than that is chance.
        let price = if self.squares > 0.0 { self.products / self.squares } else { 0.0 };
        let rounds = self.rounds / bots as f64;
        price.clamp(-4.0, 4.0) * rounds / (rounds + 4.0)
    }

    /// Returns the price of a bot with this experience; `usual` is that of all.
    fn of_bot(&self, usual: f64) -> f64 {
        let known = self.squares / self.rounds.max(1.0) * OWN_ROUNDS;
        let price = (self.products + usual * known) / (self.squares + known);
        if self.squares > 0.0 { price.clamp(-4.0, 4.0) } else { usual }
    }
}

impl Ranks {
    /// Begins without rounds. All ranks together, at all looks, are right with a probability of at least `1 - alpha`
    /// under the assumption above.
    pub fn new(alpha: f64, bots: usize) -> Ranks {
        Ranks {
            alpha,
            bots,
            levels: true,
            strengths: vec![(0.0, 0.0); bots],
            price: Price::default(),
            prices: vec![Price::default(); bots],
            cases: vec![Case::NEW; bots * bots],
            places: OnceLock::new(),
        }
    }

    /// Leaves the luck of the draw in: for deals in which some bots meet some others less often.
    #[must_use]
    pub fn without_levelling(self) -> Ranks {
        Ranks { levels: false, ..self }
    }

    /// Adds the next round; `None` for a bot without a block in it.
    ///
    /// # Panics
    ///
    /// Panics unless there is an entry for each bot.
    pub fn add_round(&mut self, showings: &[Option<Showing>]) {
        assert_eq!(showings.len(), self.bots, "a showing for each bot");
        self.places = OnceLock::new();
        let seen: Vec<(usize, &Showing)> =
            showings.iter().enumerate().filter_map(|(bot, showing)| Some((bot, showing.as_ref()?))).collect();
        let (sum, rounds) =
            self.strengths.iter().fold((0.0, 0.0), |(sum, rounds), (of, n)| (sum + of, rounds + n));
        let usual = if rounds > 0.0 { sum / rounds } else { 0.0 };
        let strengths: Vec<f64> =
            self.strengths.iter().map(|(sum, rounds)| (sum + usual) / (rounds + 1.0)).collect();
        let of_all = self.price.of_all(self.bots);
        let prices: Vec<f64> = self.prices.iter().map(|price| price.of_bot(of_all)).collect();
        let met: Vec<f64> = seen
            .iter()
            .map(|(_, showing)| showing.company.iter().map(|(other, part)| part * strengths[*other]).sum())
            .collect();
        for (at, (one, first)) in seen.iter().enumerate() {
            for (after, (other, second)) in seen.iter().enumerate().skip(at + 1) {
                let both = (strengths[*one] + strengths[*other]) / 2.0;
                let levelled = |showing: &Showing, met: f64| {
                    let parts = showing.company.iter().filter(|(bot, _)| bot == one || bot == other);
                    met + parts.map(|(bot, part)| part * (both - strengths[*bot])).sum::<f64>()
                };
                // One price for both, or the difference of two copies would not be symmetric.
                let price = (prices[*one] + prices[*other]) / 2.0;
                let price = if self.levels { price } else { 0.0 };
                let luck = price * (levelled(first, met[at]) - levelled(second, met[after]));
                let (first, second) = (first.share, second.share);
                self.cases[one * self.bots + other].add(first.lower - second.upper - luck);
                self.cases[other * self.bots + one].add(second.lower - first.upper + luck);
            }
        }
        let all: f64 = strengths.iter().sum();
        for ((bot, showing), met) in seen.iter().zip(&met) {
            let share = (showing.share.lower + showing.share.upper) / 2.0;
            if rounds > 0.0 && !showing.company.is_empty() && self.bots > 2 {
                let luck = met - (all - strengths[*bot]) / (self.bots - 1) as f64;
                self.price.add(luck, share - strengths[*bot]);
                self.prices[*bot].add(luck, share - strengths[*bot]);
            }
            let (sum, rounds) = &mut self.strengths[*bot];
            (*sum, *rounds) = (*sum + share, *rounds + 1.0);
        }
    }

    /// Returns the first and the last plausible place of each bot. Of two bots whose cases contradict each other, since
    /// results changed with time, neither counts as better.
    pub fn places(&self) -> &[(usize, usize)] {
        self.places.get_or_init(|| {
            let mut places = vec![(1, self.bots); self.bots];
            for (one, other) in self.ahead() {
                places[one].1 -= 1;
                places[other].0 += 1;
            }
            places
        })
    }

    /// Lists the pairs of bots of which the first is known to be better: the ranks count these.
    pub fn ahead(&self) -> Vec<(usize, usize)> {
        let (better, bots) = (self.better(), self.bots);
        let pairs = (0..bots).flat_map(|one| (0..bots).map(move |other| (one, other)));
        pairs.filter(|(one, other)| better[one * bots + other] && !better[other * bots + one]).collect()
    }

    /// By `one * bots + other`: whether `one` is known to be better.
    pub(super) fn better(&self) -> Vec<bool> {
        let mut better = vec![false; self.cases.len()];
        let mut open = self.bots * self.bots.saturating_sub(1);
        let mut order: Vec<usize> = (0..self.cases.len()).filter(|at| self.cases[*at].most > 1.0).collect();
        order.sort_by(|one, other| self.cases[*other].most.total_cmp(&self.cases[*one].most));
        for at in order {
            if self.cases[at].most < crate::confidence::goal(self.alpha / open as f64) {
                break;
            }
            better[at] = true;
            open -= 1;
        }
        better
    }
}
