//! Confidence sequences against the Python package `confseq`, on fixed samples.
//!
//! The figures were made with `confseq` 0.0.11 (its source as published, Python 3.11, numpy 1.26), for each sample `d`
//! and each `alpha`, by
//!
//! ```text
//! x = (d + 1) / 2
//! above = lambda x, m: np.maximum(lambda_aKelly(x, m), 0)
//! below = lambda x, m: np.maximum(-lambda_aKelly(x, m), 0)
//! l, u = betting_cs(x, [above], [below], alpha=alpha, breaks=2000, running_intersection=True, trunc_scale=0.75)
//! ```
//!
//! and are `2 * l - 1`, `2 * u - 1`: 2,000 parts of [0, 1] are thousandths of [-1, 1].

use referee_statistics::confidence::{Bets, ConfidenceSequence, Interval, Marks};

use crate::random::Random;

fn spread(number: i64, scale: f64, shift: f64) -> f64 {
    ((number * number * 7919 + number * 13) % 201 - 100) as f64 / 100.0 * scale + shift
}

fn coin(number: i64) -> f64 {
    if (number * number * 31 + number * 7) % 101 < 56 { 1.0 } else { -1.0 }
}

/// A sample by number from 1, alpha, and the bounds after some numbers of values.
type Figures = (fn(i64) -> f64, f64, [(i64, f64, f64); 4]);

const FIGURES: [Figures; 6] = [
    (
        |number| spread(number, 0.6, 0.05),
        0.05,
        [(10, -0.269, 0.768), (50, -0.04, 0.268), (200, 0.015, 0.157), (1000, 0.041, 0.113)],
    ),
    (
        |number| spread(number, 0.6, 0.05),
        0.05 / 28.0,
        [(10, -1.0, 1.0), (50, -0.127, 0.326), (200, -0.01, 0.183), (1000, 0.031, 0.124)],
    ),
    (coin, 0.05, [(10, -0.16, 1.0), (50, -0.135, 0.684), (200, 0.029, 0.48), (1000, 0.159, 0.385)]),
    (coin, 0.05 / 28.0, [(10, -1.0, 1.0), (50, -0.254, 0.799), (200, -0.022, 0.543), (1000, 0.136, 0.409)]),
    (
        |number| spread(number, 0.2, -0.08),
        0.05,
        [(10, -0.44, 0.437), (50, -0.163, 0.05), (200, -0.1, -0.036), (1000, -0.082, -0.059)],
    ),
    (
        |number| spread(number, 0.2, -0.08),
        0.05 / 28.0,
        [(10, -1.0, 1.0), (50, -0.233, 0.128), (200, -0.12, -0.013), (1000, -0.086, -0.055)],
    ),
];

/// The bets of the package.
const CONFSEQ: Bets = Bets { stake_max: 0.75, variance: 1.0 };

#[test]
fn bounds_are_those_of_the_package_confseq() {
    for (index, (sample, alpha, figures)) in FIGURES.iter().enumerate() {
        let mut sequence = ConfidenceSequence::with_bets(*alpha, CONFSEQ, &Marks::thousandths([]));
        for number in 1..=1000 {
            sequence.add(sample(number));
            let due = figures.iter().find(|(after, _, _)| *after == number);
            if let Some((after, lower, upper)) = due {
                assert_eq!(
                    sequence.interval(),
                    Interval { lower: *lower, upper: *upper },
                    "sample {index} after {after}"
                );
            }
        }
    }
}

#[test]
fn coarser_marks_only_ever_widen_an_interval() {
    let mut random = Random::new(5);
    let mut fine = ConfidenceSequence::new(0.01, &Marks::thousandths([]));
    let mut coarse = ConfidenceSequence::new(0.01, &Marks::new([-0.5, -0.2, -0.01, 0.0, 0.01, 0.2, 0.5]));
    for _ in 0..2000 {
        let value = random.between(-700, 1000) as f64 / 1000.0;
        fine.add(value);
        coarse.add(value);
        let (fine, coarse) = (fine.interval(), coarse.interval());
        assert!(coarse.lower <= fine.lower && fine.upper <= coarse.upper, "{fine:?} in {coarse:?}");
    }
    assert!(coarse.interval().lower >= 0.01, "the mean is 0.15");
}

#[test]
fn an_interval_mirrors_its_values() {
    let mut random = Random::new(6);
    let mut one = ConfidenceSequence::new(0.05, &Marks::thousandths([]));
    let mut mirrored = one.clone();
    for _ in 0..500 {
        let value = random.between(-1000, 400) as f64 / 1000.0;
        one.add(value);
        mirrored.add(-value);
        let (one, mirrored) = (one.interval(), mirrored.interval());
        assert_eq!((one.lower, one.upper), (-mirrored.upper, -mirrored.lower));
    }
}

#[test]
fn all_intervals_of_a_run_hold_the_mean_but_in_a_share_alpha_of_the_runs() {
    // The worst values: all or nothing, seldom all. 2,000 runs of 1,000 looks at alpha 0.2.
    let mut random = Random::new(7);
    let mut wrong = 0;
    for _ in 0..2000 {
        let mut sequence = ConfidenceSequence::new(0.2, &Marks::new([-0.8]));
        for _ in 0..1000 {
            sequence.add(if random.below(10) == 0 { 1.0 } else { -1.0 });
        }
        // A bound on the mark itself says that the mean is not -0.8, but it is.
        let Interval { lower, upper } = sequence.interval();
        wrong += u32::from(lower >= -0.8 || upper <= -0.8);
    }
    assert!(wrong > 0, "a test that never fails shows nothing");
    assert!(wrong <= 400, "{wrong} of 2000 runs, more than a share of 0.2");
}

/// The lower bound after some values, computed by the paper's method (section 4 and appendix B.3), mark by
/// mark and without any shortcut. On the grid of thousandths.
fn lower_bound(values: &[f64], alpha: f64, bets: Bets) -> f64 {
    let is_rejected = |mark: f64| {
        let mut capital = 1.0;
        for (count, value) in values.iter().enumerate() {
            let before = &values[..count];
            let mean_of = |count: usize| before[..count].iter().sum::<f64>() / (count as f64 + 1.0);
            let squares = (1..=count).map(|until| (before[until - 1] - mean_of(until)).powi(2));
            let variance = (bets.variance + squares.sum::<f64>()) / (count as f64 + 1.0);
            let edge = mean_of(count) - mark;
            let stake = (edge / (variance + edge.powi(2))).clamp(0.0, bets.stake_max / (mark + 1.0));
            capital *= 1.0 + stake * (value - mark);
            if capital * alpha >= 2.0 {
                return true;
            }
        }
        false
    };
    let marks = (-999..=999).map(|mark| f64::from(mark) / 1000.0);
    marks.take_while(|mark| is_rejected(*mark)).last().unwrap_or(-1.0)
}

#[test]
fn bounds_are_those_of_the_plain_formula() {
    for (sample, alpha, figures) in FIGURES.iter().step_by(2) {
        let values: Vec<f64> = (1..=50).map(sample).collect();
        for bets in [Bets::SHARES, CONFSEQ] {
            let mut sequence = ConfidenceSequence::with_bets(*alpha, bets, &Marks::thousandths([]));
            values.iter().for_each(|value| sequence.add(*value));
            assert_eq!(sequence.interval().lower, lower_bound(&values, *alpha, bets), "{bets:?}");
        }
        // And the plain formula agrees with the package.
        assert_eq!(lower_bound(&values, *alpha, CONFSEQ), figures[1].1);
    }
}
