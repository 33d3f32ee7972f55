//! Scarce balls: each subset of the kickers is as likely as any other, whatever their teams.
//!
//! All seeds are fixed, so that a test either always passes or never. The critical values are the 99.9 % points
//! of the chi-squared distribution.

use std::collections::BTreeMap;

use crate::pitch::{Pitch, STAY, bad_parts, cell, kick};

const HERE: i64 = cell(10, 10);
/// A kick to its own cell: it claims a ball that stays there, so that the draw can be repeated.
const CLAIM: i64 = 9 + HERE;

/// Puts three balls on one cell, and two players on each team.
fn three_balls_and_eight_players(seed: u64) -> Pitch {
    let sides = [cell(10, 9), cell(10, 11)];
    let mut pitch = Pitch::placed(5, seed, [&[HERE; 2], &[HERE; 2], &[HERE; 2], &sides], &[]);
    for orders in [[CLAIM, CLAIM], [5, 3]] {
        pitch.turn([&[STAY; 2], &[STAY; 2], &[STAY; 2], &orders]);
    }
    assert_eq!((pitch.balls(HERE), pitch.players(3)), (3, vec![HERE; 2]));
    pitch
}

/// Pearson's statistic for equally likely cases, some of which may never have occurred.
fn chi_squared<K>(counts: &BTreeMap<K, f64>, cases: usize) -> f64 {
    assert!(counts.len() <= cases);
    let expected = counts.values().sum::<f64>() / cases as f64;
    let seen: f64 = counts.values().map(|count| (count - expected).powi(2) / expected).sum();
    seen + (cases - counts.len()) as f64 * expected
}

#[test]
fn three_balls_go_to_any_three_of_seven_kickers() {
    const TURNS: usize = 200_000;
    let mut pitch = three_balls_and_eight_players(11);
    let mut subsets = BTreeMap::new();
    let mut players = BTreeMap::new();
    for _ in 0..TURNS {
        // Player 5, the second of seat 2, is out of range: he is not in the draw.
        let verdicts =
            pitch.turn([&[CLAIM, CLAIM], &[CLAIM, CLAIM], &[CLAIM, kick(20, 20)], &[CLAIM, CLAIM]]);
        assert_eq!(bad_parts(&verdicts[2]), 1);
        let draws = pitch.draws();
        let [(HERE, candidates, drawn)] = draws[..] else { panic!("{draws:?}") };
        let mut candidates = candidates.to_vec();
        candidates.sort_unstable();
        assert_eq!(candidates, [0, 1, 2, 3, 4, 6, 7]);
        let drawn: [i64; 3] = drawn.try_into().unwrap();
        assert!(drawn.is_sorted(), "the record lists the winners by their numbers: {drawn:?}");
        *subsets.entry(drawn).or_insert(0.0) += 1.0;
        for player in drawn {
            *players.entry(player).or_insert(0.0) += 1.0;
        }
    }
    assert_eq!(pitch.balls(HERE), 3);

    let of_subsets = chi_squared(&subsets, 35);
    assert!(of_subsets < 65.25, "{of_subsets} is over the 99.9 % point for 34 degrees");
    // The three players of a draw differ: the counts of players vary less than in three draws of their own,
    // by the factor (7 - 3) / (7 - 1).
    let of_players = chi_squared(&players, 7) * 6.0 / 4.0;
    assert!(of_players < 22.46, "{of_players} is over the 99.9 % point for 6 degrees");
}

#[test]
fn a_single_ball_goes_to_any_of_four_teams_whatever_went_before() {
    const TURNS: usize = 200_000;
    let mut pitch = Pitch::placed(5, 12, [&[HERE], &[HERE], &[HERE], &[HERE]], &[]);
    let (mut teams, mut pairs) = (BTreeMap::new(), BTreeMap::new());
    let mut before = None;
    for _ in 0..TURNS {
        pitch.turn([&[CLAIM], &[CLAIM], &[CLAIM], &[CLAIM]]);
        let draws = pitch.draws();
        let [(HERE, _, &[winner])] = draws[..] else { panic!("{draws:?}") };
        *teams.entry(winner).or_insert(0.0) += 1.0;
        if let Some(before) = before.replace(winner) {
            *pairs.entry((before, winner)).or_insert(0.0) += 1.0;
        }
    }
    let of_teams = chi_squared(&teams, 4);
    assert!(of_teams < 16.27, "{of_teams} is over the 99.9 % point for 3 degrees");
    let of_pairs = chi_squared(&pairs, 16);
    assert!(of_pairs < 37.70, "{of_pairs} is over the 99.9 % point for 15 degrees");
}

#[test]
fn every_player_is_in_the_draw_and_not_every_team() {
    const TURNS: usize = 100_000;
    let crowd = [HERE; 4];
    let mut pitch = Pitch::placed(5, 13, [&crowd, &crowd, &crowd, &crowd], &[]);
    let mut players = BTreeMap::new();
    for _ in 0..TURNS {
        // Seat 0 has four kickers, seat 1 two, seat 2 one, seat 3 none.
        pitch.turn([
            &[CLAIM, CLAIM, CLAIM, CLAIM],
            &[STAY, CLAIM, STAY, CLAIM],
            &[STAY, STAY, CLAIM, STAY],
            &[STAY, STAY, STAY, STAY],
        ]);
        let draws = pitch.draws();
        let [(HERE, _, &[winner])] = draws[..] else { panic!("{draws:?}") };
        *players.entry(winner).or_insert(0.0) += 1.0;
    }
    assert_eq!(players.keys().copied().collect::<Vec<i64>>(), [0, 1, 2, 3, 5, 7, 10]);
    let of_players = chi_squared(&players, 7);
    assert!(of_players < 22.46, "{of_players} is over the 99.9 % point for 6 degrees");
}

#[test]
fn the_first_draw_is_fair_over_the_seeds_too() {
    let mut teams = BTreeMap::new();
    for seed in 0..20_000 {
        let mut pitch = Pitch::placed(5, seed, [&[HERE], &[HERE], &[HERE], &[HERE]], &[]);
        pitch.turn([&[CLAIM], &[CLAIM], &[CLAIM], &[CLAIM]]);
        *teams.entry(pitch.draws()[0].2[0]).or_insert(0.0) += 1.0;
    }
    let of_teams = chi_squared(&teams, 4);
    assert!(of_teams < 16.27, "{of_teams} is over the 99.9 % point for 3 degrees");
}

#[test]
fn two_cells_draw_apart_from_each_other() {
    const TURNS: usize = 100_000;
    let there = cell(20, 20);
    let both = [HERE, there];
    let mut pitch = Pitch::placed(5, 14, [&both, &both, &both, &both], &[]);
    let mut pairs = BTreeMap::new();
    for _ in 0..TURNS {
        let orders = [CLAIM, 9 + there];
        pitch.turn([&orders, &orders, &orders, &orders]);
        let draws = pitch.draws();
        let [(at, _, &[one]), (_, _, &[other])] = draws[..] else { panic!("{draws:?}") };
        let (one, other) = if at == HERE { (one, other) } else { (other, one) };
        *pairs.entry((one, other)).or_insert(0.0) += 1.0;
    }
    let of_pairs = chi_squared(&pairs, 16);
    assert!(of_pairs < 37.70, "{of_pairs} is over the 99.9 % point for 15 degrees");
}

#[test]
fn an_invalid_kicker_never_wins() {
    // Seat 0 is out of range, seat 1 has a malformed answer, seat 2 is silent, seat 3 walks: no player kicks.
    let mut pitch = Pitch::placed(5, 15, [&[HERE], &[HERE], &[HERE], &[HERE]], &[]);
    pitch.judge(0, &[kick(20, 20)]);
    pitch.judge(1, &[CLAIM, CLAIM]);
    pitch.judge(3, &[5]);
    pitch.resolve();
    assert_eq!((pitch.draws().len(), pitch.balls(HERE), pitch.balls(cell(20, 20))), (0, 1, 1));

    // One of them alone with a valid kicker does not make the ball scarce.
    for seed in 0..100 {
        let mut pitch = Pitch::placed(5, seed, [&[HERE], &[HERE], &[992], &[1023]], &[]);
        pitch.turn([&[kick(20, 20)], &[kick(10, 12)], &[STAY], &[STAY]]);
        assert_eq!((pitch.draws().len(), pitch.balls(HERE), pitch.balls(cell(10, 12))), (0, 0, 2));
    }
}

#[test]
fn the_winners_are_those_whose_balls_fly() {
    for seed in 0..200 {
        let mut pitch = three_balls_and_eight_players(seed);
        let targets: Vec<i64> = (0..8).map(|player| cell(12, 7 + player)).collect();
        let orders: Vec<i64> = targets.iter().map(|target| 9 + target).collect();
        let before: Vec<i64> = targets.iter().map(|target| pitch.balls(*target)).collect();
        pitch.turn([&orders[..2], &orders[2..4], &orders[4..6], &orders[6..]]);
        let drawn = pitch.draws()[0].2.to_vec();
        for player in 0..8 {
            let landed = pitch.balls(targets[player]) - before[player];
            assert_eq!(landed, i64::from(drawn.contains(&(player as i64))));
        }
        assert_eq!((drawn.len(), pitch.balls(HERE)), (3, 0));
    }
}
