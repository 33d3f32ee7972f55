//! Ranks by sign betting, in simulated seasons whose right order is known.

use referee_statistics::confidence::Interval;
use referee_statistics::ranks::{Ranks, Showing};

use crate::random::Random;

/// From 0 to below 1.
pub(crate) fn uniform(random: &mut Random) -> f64 {
    (random.next() >> 11) as f64 / (1u64 << 53) as f64
}

pub(crate) fn normal(random: &mut Random) -> f64 {
    let (radius, angle) = (uniform(random).max(1e-300), uniform(random));
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

pub(crate) fn exactly(share: f64) -> Interval {
    Interval { lower: share, upper: share }
}

/// A round in which tables of this number of seats are drawn; `shares` plays a table.
pub(crate) fn round(
    random: &mut Random,
    (bots, seats): (usize, usize),
    shares: &mut impl FnMut(&mut Random, &[usize]) -> Vec<f64>,
) -> Vec<Option<Showing>> {
    let mut order: Vec<usize> = (0..bots).collect();
    (1..bots).rev().for_each(|last| order.swap(last, random.below(last + 1)));
    let mut showings = vec![None; bots];
    for table in order.chunks(seats) {
        let shares = shares(random, table);
        for (at, bot) in table.iter().enumerate() {
            let others = table.iter().filter(|other| *other != bot);
            let company = others.map(|other| (*other, 1.0 / (seats - 1) as f64)).collect();
            showings[*bot] = Some(Showing { share: exactly(shares[at]), company });
        }
    }
    showings
}

/// The balls of a game of football go to the strong ones.
pub(crate) fn football(random: &mut Random, strengths: &[f64], table: &[usize]) -> Vec<f64> {
    let powers: Vec<f64> = table.iter().map(|bot| strengths[*bot].exp()).collect();
    let all: f64 = powers.iter().sum();
    powers.iter().map(|power| (power / all + 0.05 * normal(random)).clamp(0.0, 1.0)).collect()
}

fn mean_width(ranks: &Ranks) -> f64 {
    let widths = ranks.places().iter().map(|(first, last)| last + 1 - first);
    widths.sum::<usize>() as f64 / ranks.places().len() as f64
}

/// The mean width of the ranks, and the number of seasons with a wrong one, of some seasons of football among 40 bots.
fn class_of_40(rounds: u32, seasons: u64, levelled: bool) -> (f64, u32) {
    let (mut width, mut wrong) = (0.0, 0);
    for season in 0..seasons {
        let mut random = Random::new(season);
        let mut strengths: Vec<f64> = (0..40).map(|_| normal(&mut random)).collect();
        strengths.sort_by(|one, other| other.total_cmp(one));
        let ranks = Ranks::new(0.05, 40);
        let mut ranks = if levelled { ranks } else { ranks.without_levelling() };
        for _ in 0..rounds {
            ranks.add_round(&round(&mut random, (40, 4), &mut |random, table| {
                football(random, &strengths, table)
            }));
        }
        width += mean_width(&ranks) / seasons as f64;
        let is_wrong = |(place, (first, last)): (usize, &(usize, usize))| place < *first || *last < place;
        wrong += u32::from((1..).zip(ranks.places()).any(is_wrong));
    }
    (width, wrong)
}

#[test]
fn forty_rounds_tell_forty_bots_apart_to_a_third_of_the_field() {
    let (width, wrong) = class_of_40(40, 10, true);
    println!("40 bots, 40 rounds: mean width {width:.1}, {wrong} of 10 seasons with a wrong rank");
    assert!(width <= 15.0, "{width}");
    assert_eq!(wrong, 0);
    let (width, wrong) = class_of_40(160, 3, true);
    println!("160 rounds: mean width {width:.1}");
    assert!((6.0..=8.0).contains(&width) && wrong == 0, "{width}");
    // The luck of the draw is a good part of the noise.
    let (with_luck, _) = class_of_40(40, 10, false);
    println!("with the luck of the draw: {with_luck:.1}");
    assert!(with_luck > width + 2.0, "{with_luck}");
}

#[test]
fn a_season_of_push_tells_twelve_bots_apart_to_half_of_the_field() {
    // Mean shares and their scatter as on a real hill: planner, 3 reader, 4 homeward, 4 random.
    let means = [0.0803, 0.066, 0.066, 0.066, 0.058, 0.058, 0.058, 0.058, 0.053, 0.053, 0.053, 0.053];
    let mut width = 0.0;
    for season in 0..10 {
        let (mut random, mut ranks) = (Random::new(season), Ranks::new(0.05, 12));
        for _ in 0..190 {
            let mut play = |random: &mut Random, table: &[usize]| -> Vec<f64> {
                table.iter().map(|bot| (means[*bot] + 0.0153 * normal(random)).clamp(0.0, 1.0)).collect()
            };
            ranks.add_round(&round(&mut random, (12, 6), &mut play));
        }
        width += mean_width(&ranks) / 10.0;
    }
    println!("12 bots of push, 190 rounds: mean width {width:.2}");
    assert!(width <= 7.5, "{width}");
}

/// A table of four copies of one program.
pub(crate) type Copies = fn(&mut Random) -> Vec<f64>;

/// Games of four copies: football, one winner, long tails, all or nothing, and nearly always a tie.
pub(crate) const COPIES: [(&str, Copies); 5] = [
    ("football", |random| football(random, &[0.0; 4], &[0, 1, 2, 3])),
    ("one winner", |random| {
        let winner = random.below(4);
        (0..4).map(|seat| f64::from(u8::from(seat == winner))).collect()
    }),
    ("long tails", |random| (0..4).map(|_| (-0.05 * uniform(random).max(1e-9).ln()).min(1.0)).collect()),
    ("chaos", |random| {
        let powers: Vec<f64> = (0..4).map(|_| normal(random).exp()).collect();
        let all: f64 = powers.iter().sum();
        powers.iter().map(|power| power / all).collect()
    }),
    ("mostly level", |random| {
        (0..4).map(|_| if random.percent(3) { uniform(random) } else { 0.25 }).collect()
    }),
];

/// The number of fields of copies with a wrong rank at any of many looks.
fn wrong_fields(bots: usize, fields: u64, rounds: u32, play: Copies) -> u32 {
    let is_wrong = |field: u64| {
        let (mut random, mut ranks) = (Random::new(7_000_000 + field), Ranks::new(0.05, bots));
        (1..=rounds).any(|number| {
            ranks.add_round(&round(&mut random, (bots, 4), &mut |random, _| play(random)));
            let looks = number % 10 == 0;
            looks && ranks.places().iter().any(|places| *places != (1, bots))
        })
    };
    (0..fields).map(|field| u32::from(is_wrong(field))).sum()
}

#[test]
fn copies_of_one_program_are_hardly_ever_told_apart() {
    for (name, play) in COPIES {
        let wrong = wrong_fields(4, 400, 200, play);
        println!("{name}: {wrong} of 400 fields of 4 copies have a wrong rank within 200 rounds");
        // 5 % are 20 and are allowed; standings.md says 2 %. The seeds are fixed.
        assert!(wrong <= 8, "{name}: {wrong}");
    }
}

#[test]
#[ignore = "slow: 30 seconds; 400 fields of 16 and of 32 copies"]
fn many_copies_of_one_program_are_hardly_ever_told_apart() {
    for bots in [16, 32] {
        for (name, play) in COPIES {
            let wrong = wrong_fields(bots, 400, 200, play);
            println!("{name}: {wrong} of 400 fields of {bots} copies have a wrong rank within 200 rounds");
            assert!(wrong <= 8, "{name}: {wrong}");
        }
    }
}

#[test]
fn a_season_whose_results_are_shuffled_within_each_round_tells_nobody_apart() {
    // The results of unequal bots, given to bots at random: no bot is better, whatever the shape of results.
    let strengths: Vec<f64> = (0..16).map(|bot| f64::from(bot) / 5.0).collect();
    let mut wrong = 0;
    for field in 0..100 {
        let (mut random, mut ranks) = (Random::new(field), Ranks::new(0.05, 16));
        for _ in 0..100 {
            let game = |random: &mut Random, table: &[usize]| football(random, &strengths, table);
            let real = round(&mut random, (16, 4), &mut { game });
            let mut shares: Vec<Interval> = real.iter().flatten().map(|showing| showing.share).collect();
            (1..16).rev().for_each(|last| shares.swap(last, random.below(last + 1)));
            let shuffled = real.into_iter().flatten().zip(shares);
            let shuffled = shuffled.map(|(showing, share)| Some(Showing { share, ..showing }));
            ranks.add_round(&shuffled.collect::<Vec<_>>());
        }
        wrong += u32::from(ranks.places().iter().any(|places| *places != (1, 16)));
    }
    println!("shuffled: {wrong} of 100");
    assert!(wrong <= 5, "{wrong}");
}

fn showings(shares: &[Interval]) -> Vec<Option<Showing>> {
    let company = |bot: usize| (0..shares.len()).filter(move |other| *other != bot);
    let part = 1.0 / (shares.len() - 1).max(1) as f64;
    let showing = |(bot, share): (usize, &Interval)| {
        Some(Showing { share: *share, company: company(bot).map(|other| (other, part)).collect() })
    };
    shares.iter().enumerate().map(showing).collect()
}

#[test]
fn who_is_always_ahead_is_first_soon_and_who_is_always_level_shares_a_place() {
    let mut ranks = Ranks::new(0.05, 3);
    // 1 / 3 is not exact, and neither are the means of its sums.
    let shares = [0.1 + 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0].map(exactly);
    let rounds = (1..100).find(|_| {
        ranks.add_round(&showings(&shares));
        ranks.places()[0] == (1, 1)
    });
    // The capital is 4 * 5 * ... / (2 * 3 * ...) of the last two rounds: 120 = 6 * 2 / 0.1 needs a few.
    assert!((8..=14).contains(&rounds.expect("it is ahead")), "{rounds:?}");
    for _ in 0..5_000 {
        ranks.add_round(&showings(&shares));
    }
    assert_eq!(ranks.places(), [(1, 1), (2, 3), (2, 3)]);
}

#[test]
fn one_crash_does_not_undo_what_many_rounds_have_shown() {
    let rounds_until_apart = |crash: bool| {
        let (mut ranks, mut random) = (Ranks::new(0.05, 2), Random::new(3));
        (1..1_000).find(|number| {
            let first = if crash && number % 40 == 39 { 0.0 } else { 0.5 + 0.02 * normal(&mut random) };
            ranks.add_round(&showings(&[exactly(first), exactly(0.47 + 0.02 * normal(&mut random))]));
            ranks.places()[0] == (1, 1)
        })
    };
    let (without, with) = (rounds_until_apart(false).unwrap(), rounds_until_apart(true).unwrap());
    assert!(without < 40 && with < 80, "{without} rounds, with crashes {with}");
}

#[test]
fn a_game_that_does_not_count_helps_no_case() {
    // One bot brings down each game that it would lose. Both are equally good.
    let unknown = Interval { lower: 0.0, upper: 1.0 };
    let mut wrong = 0;
    for season in 0..200 {
        let (mut ranks, mut random) = (Ranks::new(0.05, 2), Random::new(season));
        for _ in 0..200 {
            let wins = random.percent(50);
            ranks.add_round(&showings(&if wins { [exactly(1.0), exactly(0.0)] } else { [unknown; 2] }));
        }
        wrong += u32::from(ranks.places()[0] != (1, 2));
    }
    assert!(wrong <= 10, "{wrong} of 200");
}

#[test]
fn results_that_turn_round_leave_both_places_open() {
    let mut ranks = Ranks::new(0.05, 2);
    for number in 0..3_000 {
        let ahead = if number < 300 { 0.1 } else { -0.1 };
        let noise = 0.05 * f64::from(number % 5 - 2);
        ranks.add_round(&showings(&[exactly(0.5 + ahead + noise), exactly(0.5)]));
    }
    assert_eq!(ranks.places(), [(1, 2), (1, 2)]);
}

#[test]
fn where_luck_is_not_symmetric_more_equal_pairs_are_told_apart() {
    // Pairs with the same mean; a wrong rank at any of 1,000 rounds. 5 % are allowed.
    let wrong = |play: fn(&mut Random) -> (f64, f64)| {
        let is_wrong = |season: u64| {
            let (mut random, mut ranks) = (Random::new(season), Ranks::new(0.05, 2));
            (0..1_000).for_each(|_| {
                let (one, other) = play(&mut random);
                ranks.add_round(&showings(&[exactly(one), exactly(other)]));
            });
            ranks.places()[0] != (1, 2)
        };
        (0..500).map(|season| u32::from(is_wrong(season))).sum::<u32>()
    };
    let crashes = wrong(|random| {
        let other = if random.percent(2) { 0.0 } else { 0.4 / 0.98 + 0.035 * normal(random) };
        (0.4 + 0.035 * normal(random), other)
    });
    let jackpot = wrong(|random| {
        let other = if random.percent(1) { 0.8 } else { 0.392 / 0.99 + 0.035 * normal(random) };
        (0.4 + 0.035 * normal(random), other)
    });
    let tail = wrong(|random| (0.4, 0.3 - 0.1 * uniform(random).max(1e-9).ln()));
    println!("of 500 pairs: crashes {crashes}, jackpot {jackpot}, one long tail {tail}");
    assert!(
        (15..=40).contains(&crashes) && jackpot <= 40 && (30..=60).contains(&tail),
        "{crashes} {jackpot} {tail}"
    );
}
