//! The pair with the most unusual shares: the found and expected shares, when there is a test, and its p-value.

use referee_statistics::affinity::{Affinities, Affinity};

use super::{bot, game, near, scheduled};

/// Bots at tables of three: each possible table, this number of times. `share` returns a bot's share beside
/// two others.
fn played(bots: usize, times: u32, share: impl Fn(usize, [usize; 2]) -> f64) -> Affinities {
    played_with(0.03, bots, times, share)
}

fn played_with(noise: f64, bots: usize, times: u32, share: impl Fn(usize, [usize; 2]) -> f64) -> Affinities {
    let mut affinities = Affinities::default();
    let mut round = 0;
    for time in 0..times {
        // Even times get a little more, odd ones a little less: the mean does not show it.
        let noise = if time % 2 == 0 { noise } else { -noise };
        for one in 0..bots {
            for two in one + 1..bots {
                for three in two + 1..bots {
                    round += 1;
                    let expected = |bot, company| (bot, share(bot, company) + noise);
                    let table = [
                        expected(one, [two, three]),
                        expected(two, [one, three]),
                        expected(three, [one, two]),
                    ];
                    affinities.add(&[game(scheduled(round, 1, 1), &table)]);
                }
            }
        }
    }
    affinities
}

/// A bot's share without others.
fn own(bot: usize) -> f64 {
    0.2 + 0.02 * bot as f64
}

#[test]
fn a_bot_that_has_nothing_beside_one_other_is_found_with_what_was_due() {
    let aide = |bot, company: [usize; 2]| if bot == 1 && company.contains(&4) { 0.03 } else { own(bot) };
    let Affinity { bot: found_bot, company, found, expected, t, p_value } =
        played(6, 8, aide).clearest().expect("a pair");
    assert_eq!((found_bot, company), (bot(1), bot(4)));
    near(found, 0.03);
    assert!(expected > 0.17 && expected < 0.25, "{expected}");
    assert!(t < -10.0 && p_value < 1e-6, "{t} {p_value}");
}

#[test]
fn the_p_value_is_that_of_what_exceeds_half_of_the_share_that_was_due_among_all_pairs() {
    let aide = |bot, company: [usize; 2]| if bot == 1 && company.contains(&4) { 0.06 } else { 0.25 };
    let Affinity { found, expected, t, p_value, .. } =
        played_with(0.06, 6, 8, aide).clearest().expect("a pair");
    let excess = ((found - expected).abs() - expected / 2.0) / ((found - expected) / t);
    // The tail of the normal distribution, by Simpson's rule.
    let density = |z: f64| (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let (steps, width) = (20_000, 12.0 / 20_000.0);
    let weight = |step| if step == 0 || step == steps { 1.0 } else { 2.0 + 2.0 * f64::from(step % 2) };
    let tail: f64 = (0..=steps).map(|step| weight(step) * density(excess + width * f64::from(step))).sum();
    let p = 30.0 * 2.0 * tail * width / 3.0;
    assert!((p_value / p - 1.0).abs() < 1e-4 && p > 1e-9 && p < 0.9, "{p_value}, and not {p}: {excess}");
}

#[test]
fn shares_that_are_sums_of_what_two_bots_do_leave_no_rest() {
    // Each bot takes something from every bot that it meets.
    let sums = |bot: usize, company: [usize; 2]| {
        own(bot) - company.iter().map(|other| [0.01, 0.03, 0.0, 0.05, 0.02, 0.04][*other]).sum::<f64>()
    };
    let pair = played(6, 8, sums).clearest().expect("a pair");
    near(pair.found, pair.expected);
    near(pair.p_value, 1.0);
}

#[test]
fn there_is_a_test_from_ten_blocks_with_and_without_each_other() {
    // Of six bots, two meet four times when all tables are played once; of five, three times. Without each
    // other, a bot has six tables, or three.
    let tested = |bots, times| played(bots, times, |bot, _| own(bot)).clearest().is_some();
    assert!(!tested(6, 2) && tested(6, 3));
    assert!(!tested(5, 3) && tested(5, 4));
    assert!(!tested(3, 12), "all meet in each block");
}

#[test]
fn four_bots_are_enough_at_tables_of_two_and_all_must_have_met() {
    let mut affinities = Affinities::default();
    let mut round = 0;
    let mut play = |affinities: &mut Affinities, one: usize, other: usize| {
        for time in 0..10 {
            round += 1;
            let noise = if time % 2 == 0 { 0.02 } else { -0.02 };
            affinities.add(&[game(scheduled(round, 1, 1), &[(one, 0.5 + noise), (other, 0.5 - noise)])]);
        }
    };
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        play(&mut affinities, one, other);
    }
    assert_eq!(affinities.clearest(), None, "three are too few");
    for (one, other) in [(0, 3), (1, 3)] {
        play(&mut affinities, one, other);
    }
    assert_eq!(affinities.clearest(), None, "two have not met");
    play(&mut affinities, 2, 3);
    assert!(affinities.clearest().is_some());
}

#[test]
fn helpers_who_give_only_a_part_are_listed_and_honest_bots_are_not() {
    // Bots 1 and 2 give bot 4 a fifth of their shares: too little for a sign of unfairness.
    let helps = |bot, company: [usize; 2]| match bot {
        1 | 2 if company.contains(&4) => 0.8 * own(bot),
        _ => own(bot),
    };
    let played = played(6, 40, helps);
    assert!(played.clearest().expect("a pair").p_value > 0.9);
    let listed = played.unexplained(0.01).expect("a test");
    for helper in [1, 2] {
        let pair = listed.iter().find(|pair| (&pair.bot, &pair.company) == (&bot(helper), &bot(4)));
        let Affinity { found, expected, t, .. } = pair.unwrap_or_else(|| panic!("{helper}: {listed:?}"));
        near(*found, 0.8 * own(helper));
        assert!(*expected > found + 0.02 && *t < -5.0, "{found} {expected} {t}");
    }
    let honest = |bot, _| own(bot);
    let played = played_with(0.03, 6, 40, honest);
    assert_eq!(played.unexplained(0.01), Some(Vec::new()));
    assert_eq!(played_with(0.03, 3, 40, honest).unexplained(0.01), None, "all meet in each block");
}
