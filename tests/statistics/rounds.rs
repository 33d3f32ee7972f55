//! Games in any order become rounds, blocks and means.

use referee_record::game_result::GameResult;
use referee_statistics::confidence::Interval;
use referee_statistics::outlook::two_digits;
use referee_statistics::rounds::{self, Dealt, Field, Round, Rounds, SingleLookMean};

use super::{bot, game, near, scheduled};

fn two(round: u32, table: u32, rotation: u32) -> GameResult {
    game(scheduled(round, table, rotation), &[(0, 0.25), (1, 0.75)])
}

#[test]
fn a_round_is_handed_on_when_it_and_all_before_it_are_complete() {
    let mut rounds = Rounds::new(2);
    let numbers = |complete: Vec<Round>| -> Vec<u32> { complete.iter().map(|round| round.number).collect() };
    assert_eq!(numbers(rounds.add(two(2, 1, 2))), [0; 0]);
    assert_eq!(numbers(rounds.add(two(2, 1, 1))), [0; 0]);
    assert_eq!(numbers(rounds.add(two(1, 2, 1))), [0; 0]);
    let complete = rounds.add(two(1, 1, 1));
    let tables: Vec<u32> = complete[0].games.iter().map(|game| game.scheduled().unwrap().table).collect();
    assert_eq!(tables, [1, 2], "in the order of the schedule");
    assert_eq!(numbers(complete), [1, 2]);
    // A round that was passed on accepts no more games, a short one needs fewer.
    assert_eq!(numbers(rounds.add(two(2, 1, 3))), [0; 0]);
    rounds.shorten(3, 1);
    assert_eq!(numbers(rounds.leave_out(scheduled(3, 1, 1), vec![bot(0)])), [3]);
    assert_eq!(numbers(rounds.add(two(4, 1, 1))), [0; 0]);
    rounds.leave_out(scheduled(5, 1, 1), vec![bot(0)]);
    let rest: Vec<u32> = rounds.rest().map(|game| game.scheduled().unwrap().round).collect();
    assert_eq!(rest, [4], "the waiting games that count");
    let mut free = two(1, 1, 1);
    free.iter_mut().for_each(|row| row.place_in_schedule = None);
    assert_eq!(numbers(Rounds::new(1).add(free)), [0; 0], "a game without a place is left out");
}

#[test]
fn a_void_game_could_have_had_any_result() {
    let field = Field::new([bot(0), bot(1), bot(2)]);
    let mut filler = two(1, 1, 2);
    filler[1].counts = false;
    let round = Round::new(1, vec![two(1, 1, 1), filler], vec![vec![bot(1)], vec![bot(1), bot(7)]]);
    assert!(!round.is_whole());
    let interval = |lower, upper| Some(Interval { lower, upper });
    assert_eq!(round.block_means(&field), [interval(0.25, 0.25), interval(0.25, 2.75 / 3.0), None]);
    assert!(Round::new(1, round.games, Vec::new()).is_whole());
}

#[test]
fn a_block_is_games_of_one_table_with_one_seed() {
    let mut other_seed = two(1, 1, 3);
    other_seed[0].seed.0 += 1;
    let mut free = two(1, 1, 1);
    free.iter_mut().for_each(|row| row.place_in_schedule = None);
    let games =
        [two(1, 1, 1), two(1, 1, 2), other_seed, two(1, 2, 1), two(2, 2, 1), free.clone(), free.clone()];
    let lengths: Vec<usize> = rounds::blocks(&games).map(<[GameResult]>::len).collect();
    assert_eq!(lengths, [2, 1, 1, 1, 1, 1]);
    assert!(!rounds::is_one_block(&free, &free), "games without a place belong to no block");
}

#[test]
fn a_bot_has_the_mean_share_of_its_seats_in_a_block_that_count() {
    let mut games = [
        game(scheduled(1, 1, 1), &[(0, 0.5), (1, 0.125), (0, 0.25)]),
        game(scheduled(1, 1, 2), &[(1, 0.75), (0, 0.0), (2, 0.25)]),
    ];
    games[1][2].counts = false;
    assert_eq!(rounds::block_shares(&games), [(&bot(0), 0.25), (&bot(1), 0.4375)]);
}

#[test]
fn values_for_a_single_look_have_a_mean_and_from_the_second_on_an_error() {
    let mut plain = SingleLookMean::default();
    assert_eq!((plain.mean(), plain.error()), (None, None));
    plain.add(1.0);
    assert_eq!((plain.mean(), plain.error()), (Some(1.0), None));
    plain.add(2.0);
    near(plain.error().unwrap(), 0.5);
    plain.add(6.0);
    assert_eq!(plain.mean(), Some(3.0));
    // The variance is (4 + 1 + 9) / 2.
    near(plain.error().unwrap(), (7.0_f64 / 3.0).sqrt());
}

#[test]
fn how_games_are_dealt_decides_on_rounds_races_and_intervals() {
    let all = [
        Dealt::WithoutRounds,
        Dealt::EvenlyWithoutRounds,
        Dealt::Balanced(4),
        Dealt::Uniform(4),
        Dealt::Apart(4),
        Dealt::Racing(4),
        Dealt::RacingApart(4),
    ];
    assert_eq!(all.map(Dealt::round_games), [0, 0, 4, 4, 4, 4, 4]);
    assert_eq!(all.map(Dealt::has_intervals), [false, false, false, true, true, true, true]);
    assert_eq!(all.map(Dealt::is_apart), [false, false, false, false, true, false, true]);
    let races = all.map(Dealt::with_race);
    assert_eq!((races[3], races[4]), (Dealt::Racing(4), Dealt::RacingApart(4)));
    assert_eq!(all.map(|dealt| dealt.with_race() == dealt), [true, true, true, false, false, true, true]);
}

#[test]
fn a_field_numbers_bots_as_they_come() {
    let mut field = Field::new([bot(5)]);
    assert_eq!([field.enter(&bot(3)), field.enter(&bot(5)), field.enter(&bot(3))], [1, 0, 1]);
    assert_eq!((field.len(), field.is_empty(), field.index(&bot(4))), (2, false, None));
    assert_eq!(field.bots(), [bot(5), bot(3)]);
    assert!(Field::default().is_empty());
}

#[test]
fn a_number_of_rounds_to_come_is_rounded_up_to_two_digits() {
    let numbers = [0, 1, 9, 10, 99, 100, 101, 110, 12_345];
    assert_eq!(numbers.map(two_digits), [0, 1, 9, 10, 99, 100, 110, 110, 13_000]);
}
