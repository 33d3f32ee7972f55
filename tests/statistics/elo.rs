//! Elo differences, the likelihood of superiority and the sequential test.

use referee_statistics::confidence::Interval;
use referee_statistics::elo::{EloTest, Record, of_score, score_at};

use crate::fields::uniform;
use crate::near;
use crate::random::Random;

#[test]
fn elo_and_superiority_are_those_of_the_textbooks() {
    near(of_score(0.5), 0.0);
    // 10 to 1 in odds are 400 points.
    near(of_score(10.0 / 11.0), 400.0);
    near(score_at(of_score(0.64)), 0.64);
    assert!(of_score(1.0).is_infinite() && of_score(0.0).is_infinite());
    let mut record = Record::default();
    assert_eq!((record.superiority(), record.score()), (0.5, None));
    [(0.7, 0.3), (0.5, 0.5), (0.2, 0.8), (1.0, 0.0)].iter().for_each(|(one, other)| record.add(*one, *other));
    assert_eq!(record, Record { won: 2, level: 1, lost: 1, unknown: 0 });
    assert_eq!(record.score(), Some(0.625));
    // 60 to 40: two standard deviations.
    let superior = Record { won: 60, level: 500, lost: 40, unknown: 0 }.superiority();
    assert!((superior - 0.977_25).abs() < 1e-5, "{superior}");
}

/// The number of wrong answers of a test of 0 against `elo1`, and the mean number of games, in games of which this part
/// is level. `is_right` is whether the greater difference is the true one.
fn wrong(elo1: f64, level: f64, is_right: bool, seeds: std::ops::Range<u64>) -> (u32, u64) {
    let test = EloTest { elo0: 0.0, elo1, alpha: 0.05 };
    // The score is half of the level games and all that are won.
    let won = score_at(if is_right { elo1 } else { 0.0 }) - level / 2.0;
    let (mut wrong, mut games, count) = (0, 0, seeds.clone().count() as u64);
    for seed in seeds {
        let (mut random, mut record) = (Random::new(seed), Record::default());
        let accepted = loop {
            let luck = uniform(&mut random);
            let first = if luck < won {
                1.0
            } else if luck < won + level {
                0.5
            } else {
                0.0
            };
            record.add(first, 0.5);
            if let Some(accepted) = test.accepts(&record) {
                break accepted;
            }
        };
        games += record.games();
        wrong += u32::from(accepted != is_right);
    }
    (wrong, games / count)
}

#[test]
fn a_sequential_test_errs_at_most_as_often_as_it_says() {
    for elo1 in [30.0, 100.0, 200.0, 400.0] {
        for level in [0.0, 0.5, 0.9] {
            // A great difference leaves less room for level games.
            let largest = 2.0 * (1.0 - score_at(elo1));
            let of_right = if level <= largest { level } else { largest };
            let seasons = if elo1 < 50.0 { 200 } else { 1_000 };
            let (by_chance, games) = wrong(elo1, level, false, 0..seasons);
            let (missed, games_of_right) = wrong(elo1, of_right, true, 0..seasons);
            println!(
                "elo1 {elo1}, {level} level: {by_chance} of {seasons} accepted ({games} games), {missed} refused \
                 ({games_of_right} games)"
            );
            let most = seasons as u32 / 20;
            assert!(by_chance <= most && missed <= most, "{elo1} {level}: {by_chance} {missed} of {seasons}");
        }
    }
}

#[test]
fn a_test_of_few_games_waits_and_what_is_unknown_helps_no_hypothesis() {
    let test = EloTest { elo0: 0.0, elo1: 400.0, alpha: 0.05 };
    let of = |won, level, lost, unknown| Record { won, level, lost, unknown };
    assert_eq!(test.accepts(&of(4, 0, 0, 0)), None, "four wins prove nothing");
    assert_eq!(test.accepts(&of(20, 0, 0, 0)), Some(true));
    assert_eq!(test.accepts(&of(0, 0, 20, 0)), Some(false));
    assert_eq!(test.accepts(&of(0, 0, 0, 1_000)), None);
    let (mut record, unknown) = (Record::default(), Interval { lower: 0.0, upper: 1.0 });
    record.add_within(unknown, unknown);
    record.add_within(Interval { lower: 1.0, upper: 1.0 }, Interval { lower: 0.0, upper: 0.0 });
    assert_eq!((record, record.games()), (of(1, 0, 0, 1), 2));
    // 30 Elo without level games, as engine testers have it.
    let (_, games) = wrong(30.0, 0.0, true, 0..200);
    assert!((500..1_500).contains(&games), "{games}");
}
