//! Likely places: how often they hold the true place, and what they never do.

use referee_statistics::likely::Likely;

use crate::fields::{football, normal, round};
use crate::random::Random;

fn added(likely: &mut Likely, shares: &[f64]) {
    likely.add_round(shares.iter().map(|share| Some(*share)));
}

#[test]
fn rounds_that_agree_leave_one_place_and_few_rounds_leave_all() {
    let mut likely = Likely::new(3);
    assert_eq!(likely.places(), [(1, 3); 3]);
    for rounds in 1..10 {
        added(&mut likely, &[0.1 + 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]);
        let due = if rounds < 3 { [(1, 3); 3] } else { [(1, 1), (2, 2), (2, 2)] };
        assert_eq!(likely.places(), due, "{rounds}");
    }
}

#[test]
fn the_same_rounds_have_the_same_places_and_a_long_season_is_kept_small() {
    let (mut random, mut likely) = (Random::new(1), Likely::new(5));
    for number in 0..5_000 {
        let shares: Vec<f64> =
            (0..5).map(|bot| 0.5 - 0.01 * f64::from(bot) + 0.1 * normal(&mut random)).collect();
        added(&mut likely, &shares);
        if number == 40 {
            assert!(likely.places().iter().any(|(first, last)| last > first), "{:?}", likely.places());
        }
    }
    assert_eq!(likely.places(), likely.clone().places());
    assert_eq!(likely.places(), [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5)]);
    let kept = serde_json::to_string(&likely).expect("plain values");
    assert!(kept.len() < 256 * 5 * 60, "{}", kept.len());
}

#[test]
fn a_newcomer_can_have_any_place_and_hardly_moves_the_others() {
    let (mut random, mut likely) = (Random::new(2), Likely::new(5));
    for number in 0..200 {
        let share = |bot: usize, random: &mut Random| 0.5 - 0.05 * bot as f64 + 0.02 * normal(random);
        let shares: Vec<Option<f64>> =
            (0..5).map(|bot| (bot < 4 || number > 197).then(|| share(bot, &mut random))).collect();
        likely.add_round(shares.into_iter());
    }
    assert_eq!(likely.places(), [(1, 2), (2, 3), (3, 4), (4, 5), (1, 5)]);
}

#[test]
fn a_class_of_35_says_something_after_eleven_rounds() {
    let strengths: Vec<f64> = (0..35).map(|bot| -0.06 * f64::from(bot)).collect();
    let (mut width, mut held) = (0, 0);
    for season in 0..20 {
        let (mut random, mut likely) = (Random::new(season), Likely::new(35));
        for _ in 0..11 {
            let showings =
                round(&mut random, (35, 4), &mut |random, table| football(random, &strengths, table));
            likely.add_round(
                showings.iter().map(|showing| showing.as_ref().map(|showing| showing.share.lower)),
            );
        }
        for (place, (first, last)) in (1..).zip(likely.places()) {
            width += last + 1 - first;
            held += u32::from(first <= place && place <= last);
        }
    }
    println!("35 bots, 11 rounds: mean width {:.1}, {held} of 700 hold", f64::from(width as u32) / 700.0);
    assert!(width < 700 * 14 && held > 700 * 8 / 10, "{width} {held}");
}
