//! Elo differences, the likelihood of superiority and the sequential test.

use referee_statistics::elo::{Record, Sprt, of_score, score_at};

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
    assert_eq!(record, Record { won: 2, level: 1, lost: 1 });
    assert_eq!(record.score(), Some(0.625));
    // 60 to 40: two standard deviations.
    let superior = Record { won: 60, level: 500, lost: 40 }.superiority();
    assert!((superior - 0.977_25).abs() < 1e-5, "{superior}");
}

#[test]
fn a_sequential_test_accepts_what_is_right() {
    let test = Sprt { elo0: 0.0, elo1: 30.0, alpha: 0.05 };
    for (elo, right) in [(0.0, false), (30.0, true)] {
        let (mut wrong, mut games) = (0, 0);
        for season in 0..400 {
            let (mut random, mut record) = (Random::new(season), Record::default());
            let accepted = loop {
                let chance = (score_at(elo) * 10_000.0) as usize;
                record.add(if random.below(10_000) < chance { 1.0 } else { 0.0 }, 0.5);
                if let Some(accepted) = test.accepts(&record) {
                    break accepted;
                }
            };
            games += record.games();
            wrong += u32::from(accepted != right);
        }
        println!("elo {elo}: {wrong} of 400 wrong, {} games in the mean", games / 400);
        assert!(wrong <= 28, "{elo}: {wrong}"); // 5 % are 20, 28 two standard deviations more
        assert!((300..800).contains(&(games / 400)), "{games}");
    }
    assert_eq!(test.accepts(&Record { won: 3, level: 0, lost: 0 }), None, "three wins prove nothing");
}
