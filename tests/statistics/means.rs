//! Intervals of mean shares: they hold, contain their own mean, and look right to a reader without statistics.

use referee_statistics::confidence::{Interval, MeanShare};

use crate::random::Random;

fn uniform(random: &mut Random) -> f64 {
    (random.next() >> 11) as f64 / (1u64 << 53) as f64
}

fn of(values: &[f64], alpha: f64) -> Interval {
    let mut mean = MeanShare::new(alpha);
    values.iter().for_each(|value| mean.add_within(Interval { lower: *value, upper: *value }));
    mean.interval()
}

#[test]
fn an_interval_contains_its_own_mean_and_no_impossible_share() {
    let mut random = Random::new(1);
    for shape in 0..6 {
        let (mut mean, mut sum) = (MeanShare::new(0.05), 0.0);
        for count in 1..=300 {
            let value = match shape {
                0 => f64::from(u8::from(random.percent(50))),
                1 => f64::from(u8::from(random.percent(2))),
                2 => 0.002,
                3 => uniform(&mut random).powi(8),
                // It begins well and goes on badly.
                4 => f64::from(u8::from(count < 60)),
                _ => 1.0,
            };
            sum += value;
            mean.add_within(Interval { lower: value, upper: value });
            let Interval { lower, upper } = mean.interval();
            let own = sum / f64::from(count);
            assert!(0.0 <= lower && lower <= own && own <= upper && upper <= 1.0, "{lower} {own} {upper}");
        }
    }
}

#[test]
fn the_order_of_results_does_not_matter() {
    let mut random = Random::new(2);
    let mut values: Vec<f64> = (0..200).map(|_| uniform(&mut random).powi(2)).collect();
    let before = of(&values, 0.05);
    values.sort_by(f64::total_cmp);
    let after = of(&values, 0.05);
    assert!((before.lower - after.lower).abs() < 2e-4 && (before.upper - after.upper).abs() < 2e-4);
}

#[test]
fn an_interval_near_the_end_is_short_on_that_side() {
    // `random` of Parallel Football: a goal of 510 at times.
    let values: Vec<f64> = (0..50).map(|number| if number % 10 == 0 { 0.02 } else { 0.0 }).collect();
    let Interval { lower, upper } = of(&values, 0.05 / 4.0);
    assert!(lower < 0.002 && (0.05..0.12).contains(&upper), "{lower} {upper}");
    let without = of(&[], 0.05);
    assert_eq!((without.lower, without.upper), (0.0, 1.0));
    let unknown = {
        let mut mean = MeanShare::new(0.05);
        (0..100).for_each(|_| mean.add_within(Interval { lower: 0.0, upper: 1.0 }));
        mean.interval()
    };
    assert_eq!((unknown.lower, unknown.upper), (0.0, 1.0), "what is not known says nothing");
}

#[test]
fn an_interval_holds_however_often_one_looks() {
    for chance in [0.03, 0.25, 0.5] {
        let misses = (0..1_000).filter(|season| {
            let (mut random, mut mean) = (Random::new(*season), MeanShare::new(0.05));
            (1..=200).any(|count| {
                let value = f64::from(u8::from(uniform(&mut random) < chance));
                mean.add_within(Interval { lower: value, upper: value });
                let Interval { lower, upper } = mean.interval();
                count % 10 == 0 && !(lower..=upper).contains(&chance)
            })
        });
        let misses = misses.count();
        println!("mean {chance}: {misses} of 1000 seasons have an interval without it");
        assert!(misses <= 50, "{chance}: {misses}");
    }
}

#[test]
fn the_width_is_near_that_of_the_best_bets() {
    // By Hoeffding's inequality for one look, the interval of 1,000 duels is 0.086 wide, by the normal distribution
    // 0.062.
    let duels: Vec<f64> = (0..1_000).map(|number| f64::from(number % 2)).collect();
    let Interval { lower, upper } = of(&duels, 0.05);
    assert!((0.09..0.12).contains(&(upper - lower)), "{lower} {upper}");
    // Values that hardly vary: what a share can be limits the bets. ln(2 / 0.05 / 0.44) / 200 = 0.0225 of 0.25 below,
    // of 0.75 above.
    let football: Vec<f64> = (0..200).map(|number| 0.25 + 0.002 * f64::from(number % 5 - 2)).collect();
    let Interval { lower, upper } = of(&football, 0.05);
    assert!((0.0054..0.0058).contains(&(0.25 - lower)), "{lower}");
    assert!((0.0164..0.0174).contains(&(upper - 0.25)), "{upper}");
}

/// The page of standings says so.
#[test]
fn forty_games_without_a_point_allow_a_mean_of_a_seventh_in_a_field_of_four() {
    let Interval { lower, upper } = of(&[0.0; 40], 0.05 / 4.0);
    assert_eq!(lower, 0.0);
    assert_eq!(format!("{upper:.2}"), "0.14");
}
