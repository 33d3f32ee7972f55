//! Errors and likely places of matches of two, for one look: simulated round robins whose right order is known.

use referee_statistics::matches::Matches;

use crate::random::Random;

fn uniform(random: &mut Random) -> f64 {
    (random.next() >> 11) as f64 / (1u64 << 53) as f64
}

/// A round robin with this number of games a match. The first of two wins with this chance.
fn round_robin(
    random: &mut Random,
    bots: usize,
    games: u32,
    chance: impl Fn(usize, usize) -> f64,
) -> Matches {
    let mut matches = Matches::default();
    for one in 0..bots {
        for other in one + 1..bots {
            for _ in 0..games {
                let won = f64::from(u8::from(uniform(random) < chance(one, other)));
                matches.add((one, won), (other, 1.0 - won));
            }
        }
    }
    matches
}

/// By strength, as in a model of Bradley and Terry.
fn by_strength(one: usize, other: usize) -> f64 {
    1.0 / (1.0 + (0.5 * (one as f64 - other as f64)).exp())
}

#[test]
fn intervals_of_equal_bots_hold_their_means() {
    for games in [1, 2, 10] {
        let wrong = (0..400).filter(|season| {
            let matches = round_robin(&mut Random::new(*season), 8, games, |_, _| 0.5);
            let misses = |bot| {
                let mean = matches.interval(bot, 0.05, 8).unwrap();
                !(mean.lower..=mean.upper).contains(&0.5)
            };
            (0..8).any(misses)
        });
        let wrong = wrong.count();
        println!("{games} games a match: of 400, {wrong} wrong intervals");
        // 5 % are 20 and are allowed. The seeds are fixed.
        assert!(wrong <= 20, "{games}: {wrong}");
    }
}

/// The mean width of the likely places of bots of graded strength, and the part of them that hold the true one.
fn likely(games: u32, seeds: std::ops::Range<u64>) -> (f64, f64) {
    let (mut width, mut held, count) = (0, 0, 8 * seeds.clone().count());
    for season in seeds {
        let places = round_robin(&mut Random::new(season), 8, games, by_strength).likely(8);
        width += places.iter().map(|(first, last)| last + 1 - first).sum::<usize>();
        held += (1..).zip(&places).filter(|(due, (first, last))| first <= due && due <= last).count();
    }
    (width as f64 / count as f64, held as f64 / count as f64)
}

#[test]
fn more_games_a_match_make_fewer_places_likely() {
    let found = [1, 10, 40].map(|games| likely(games, 0..50));
    println!("round robins of 8 with 1, 10, 40 games a match: mean width, part that holds: {found:.2?}");
    assert!(found.iter().all(|(_, held)| *held > 0.8), "{found:?}");
    let widths = found.map(|(width, _)| width);
    assert!(widths[0] > 3.0 && widths[1] < 2.5 && widths[2] < 1.7, "{widths:?}");
    assert!(widths.is_sorted_by(|one, other| one > other));
}

#[test]
fn bots_without_a_common_opponent_or_a_match_are_not_compared() {
    let mut matches = Matches::default();
    for _ in 0..100 {
        matches.add((0, 1.0), (1, 0.0));
        matches.add((2, 1.0), (3, 0.0));
    }
    assert_eq!(matches.likely(4), [(1, 3), (2, 4), (1, 3), (2, 4)]);
    assert_eq!(Matches::default().likely(2), [(1, 2), (1, 2)]);
    assert!(Matches::default().interval(0, 0.05, 2).is_none() && Matches::default().error(0).is_none());
    let mean = matches.interval(0, 0.05, 4).unwrap();
    assert!(mean.lower > 0.9 && mean.upper == 1.0, "{mean:?}");
}
