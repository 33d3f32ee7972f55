//! Grade bands: sizes, places, and simulated seasons that end when each bot's band is known.

use referee_statistics::bands::Bands;
use referee_statistics::stop_rule::{Race, StopRule, Until, Verdict};

use crate::fields::{COPIES, normal, round};
use crate::random::Random;

fn bands(sizes: &[f64]) -> Bands {
    Bands::new(sizes).expect("bands")
}

#[test]
fn a_band_is_a_part_of_the_field_or_a_number_of_places() {
    let of =
        |bands: Bands, bots: usize| (1..=bots).map(|place| bands.of(place, bots)).collect::<Vec<usize>>();
    let parts = bands(&[0.1, 0.3, 0.6]);
    assert_eq!(of(parts, 10), [1, 2, 2, 2, 3, 3, 3, 3, 3, 3]);
    // Of twelve, 1.2 and 4.8 places: the nearest.
    assert_eq!(of(parts, 12), [1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3]);
    assert_eq!(of(bands(&[2.0, 3.0]), 7), [1, 1, 2, 2, 2, 3, 3]);
    assert_eq!(of(bands(&[0.1, 0.2, 0.7]), 30)[8..10], [2, 3], "0.1 and 0.2 are 0.3");
    assert_eq!(parts.told(12), "1: place 1, 2: places 2 to 5, 3: places 6 to 12");
    for (text, why) in [
        ("0.1;0.3;0.5", "these add up to 0.9"),
        ("0.5;2", "these are neither"),
        ("2.5;3", "these are neither"),
        ("-1;2", "these are neither"),
        ("nan;0.5", "these are neither"),
        ("", "not a number"),
    ] {
        let error = text.parse::<Bands>().expect_err(text);
        assert!(error.contains(why), "{text}: {error}");
    }
    for text in ["0.1;0.3;0.6", "3;9"] {
        assert_eq!(text.parse::<Bands>().map(|bands| bands.to_string()), Ok(text.to_owned()));
    }
    let rule = StopRule { bands: Some(parts), ..StopRule::default() };
    assert!(rule.fault().is_some_and(|fault| fault.contains("until ranked")));
}

fn until_bands(sizes: &[f64], epsilon: f64) -> StopRule {
    let (until, max_rounds) = (Until::Ranked, 20_000);
    StopRule { until, epsilon, max_rounds, bands: Some(bands(sizes)), ..StopRule::default() }
}

fn season(
    rule: StopRule,
    (bots, seats): (usize, usize),
    seed: u64,
    play: &dyn Fn(&mut Random, &[usize]) -> Vec<f64>,
) -> (Verdict, u32) {
    let (mut random, mut race) = (Random::new(seed), Race::for_verdict(rule, bots));
    loop {
        race.add_showings(&round(&mut random, (bots, seats), &mut { play }));
        if let Some(verdict) = race.verdict() {
            return (verdict, race.rounds());
        }
    }
}

/// Bots of which each is better than the next by 0.024.
fn graded(random: &mut Random, table: &[usize]) -> Vec<f64> {
    let strength = |bot: &usize| 0.031 * (5.5 - *bot as f64);
    let mean = table.iter().map(strength).sum::<f64>() / table.len() as f64;
    let luck = |random: &mut Random| 0.05 * normal(random);
    table.iter().map(|bot| (0.25 + strength(bot) - mean + luck(random)).clamp(0.0, 1.0)).collect()
}

fn median(rounds: impl Iterator<Item = u32>) -> u32 {
    let mut rounds: Vec<u32> = rounds.collect();
    rounds.sort_unstable();
    rounds[rounds.len() / 2]
}

#[test]
fn bands_of_a_graded_class_are_known_before_all_places_and_are_right() {
    let due: Vec<usize> = (1..=12).map(|place| bands(&[0.25, 0.5, 0.25]).of(place, 12)).collect();
    let seasons: Vec<(Verdict, u32)> =
        (0..40).map(|seed| season(until_bands(&[0.25, 0.5, 0.25], 0.01), (12, 4), seed, &graded)).collect();
    let wrong = seasons
        .iter()
        .filter(|(verdict, _)| matches!(verdict, Verdict::Ranked { places, .. } if *places != due))
        .count();
    let places = StopRule { bands: None, ..until_bands(&[1.0], 0.01) };
    let all = median((0..40).map(|seed| season(places, (12, 4), seed, &graded).1));
    let games = median(seasons.iter().map(|(_, rounds)| *rounds));
    println!("bands of 3, 6 and 3 of 12: {} games, all places {}; {wrong} of 40 wrong", 3 * games, 3 * all);
    assert!(wrong <= 2 && games * 10 <= all * 9, "{wrong} {games} {all}");
}

#[test]
fn copies_of_one_program_are_hardly_ever_in_different_bands() {
    // All are level, so each has the best band: to part them is wrong.
    for (name, play) in COPIES {
        let rule = until_bands(&[0.5, 0.5], 0.05);
        let ends = (0..100).map(|seed| season(rule, (4, 4), seed, &|random, _| play(random)).0);
        let wrong =
            ends.filter(|verdict| matches!(verdict, Verdict::Ranked { places, .. } if *places != [1; 4]));
        let wrong = wrong.count();
        println!("{name}: {wrong} of 100 fields of copies have a wrong band");
        assert!(wrong <= 5, "{name}: {wrong}");
    }
}

#[test]
fn bots_that_are_level_across_a_border_have_the_better_band() {
    let play = |random: &mut Random, table: &[usize]| -> Vec<f64> {
        let means = [0.7, 0.4, 0.4, 0.1];
        table.iter().map(|bot| means[*bot] + 0.03 * normal(random)).collect()
    };
    let (verdict, _) = season(until_bands(&[2.0], 0.05), (4, 4), 1, &play);
    assert_eq!(verdict, Verdict::Ranked { first: vec![0, 1, 2], places: vec![1, 1, 1, 2] });
}

#[test]
fn a_bot_whose_band_is_known_stays_in_the_race_as_long_as_anothers_depends_on_it() {
    let mut race = Race::for_verdict(until_bands(&[1.0, 1.0], 0.01), 4);
    let mut random = Random::new(4);
    // The first band is decided first; the two in the middle are close; the last one is far behind.
    for _ in 0..40 {
        race.add_round(&[0.9, 0.5, 0.49, 0.1].map(|mean| mean + 0.03 * normal(&mut random)));
    }
    assert_eq!([0, 1, 2, 3].map(|bot| race.band(bot)), [(1, 1), (2, 3), (2, 3), (3, 3)].map(Some));
    assert_eq!((race.open(), race.open_questions()), (vec![1, 2], Some((2, 4))));
}
