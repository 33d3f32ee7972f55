//! The rules of Push, one by one, each in the smallest position that shows it.

use std::collections::{BTreeMap, BTreeSet};

use referee_games::catalog;
use referee_games::push::{Push, Slot, bonus};
use referee_rules::game::read_question;
use referee_rules::{Dice, Fault, FaultKind, Malformed, Parameters, Resource, Seat, Seed};

use crate::hexagon::{Hexagon, SILENT};

// Directions.
const NW: i64 = 0;
const NE: i64 = 1;
const W: i64 = 2;
const E: i64 = 3;
const SW: i64 = 4;
const SE: i64 = 5;

// Results of an attempt.
const EXECUTED: i64 = 1;
const LOST: i64 = 2;
const INVALID: i64 = 3;
const NOTHING: i64 = 4;
const NO_ANSWER: i64 = 5;

const MIDDLE: i64 = 30;

// The start.

#[test]
fn a_game_begins_with_a_coin_on_each_slot_and_nothing_tried() {
    let mut board = Hexagon::new(100, 1);
    for seat in 0..6 {
        let mut due = vec![0, 100, seat as i64];
        due.extend([1; 61]);
        due.extend([61, 6, 0].repeat(6));
        assert_eq!(board.question(seat), due);
    }
}

#[test]
fn the_seats_go_round_the_board_and_a_block_turns_them_through_all() {
    let entry = catalog::find("push").unwrap();
    let game = entry.start(&Parameters::defaults(entry.parameters), Seed(1));
    let info = game.info();
    assert_eq!(info.ring, (0..6).map(Seat::new).collect::<Vec<_>>());
    assert_eq!((info.seats, info.block, info.turns_max), (6, 6, 100));
    let time = info.time;
    assert_eq!((time.turn_limit.as_millis(), time.first_limit.as_millis()), (1_000, 5_000));
    assert_eq!((time.bank, time.ponder), (None, false));
}

// Valid pushes.

#[test]
fn each_seat_pushes_away_from_its_home_and_both_neighbours() {
    let ways = [[E, SE, SW], [SE, SW, W], [SW, W, NW], [W, NW, NE], [NW, NE, E], [NE, E, SE]];
    for (seat, ways) in ways.iter().enumerate() {
        for direction in 0..6 {
            let mut board = Hexagon::new(100, 1);
            let verdict = board.judge(seat, &[MIDDLE, direction]);
            assert_eq!(verdict.is_none(), ways.contains(&direction), "seat {seat}, direction {direction}");
        }
    }
}

#[test]
fn a_push_moves_the_pile_to_the_next_slot() {
    for (seat, direction, target) in
        [(3, NW, 21), (3, NE, 22), (3, W, 29), (0, E, 31), (0, SW, 38), (0, SE, 39)]
    {
        let mut board = Hexagon::new(100, 1);
        board.push(&[(seat, [MIDDLE, direction])]);
        assert_eq!((board.coins(30), board.coins(target)), (0, 2));
        assert_eq!(board.attempt(seat), [MIDDLE, direction, EXECUTED]);
    }
}

#[test]
fn an_empty_slot_cannot_be_pushed() {
    let mut board = Hexagon::new(100, 1);
    board.push(&[(0, [MIDDLE, E])]);
    assert!(board.judge(0, &[MIDDLE, SW]).is_some());
    board.resolve();
    assert_eq!(board.attempt(0), [MIDDLE, SW, INVALID]);
}

#[test]
fn nothing_is_pushed_off_the_board() {
    let edges =
        [(0, 4, E), (0, 34, E), (0, 34, SE), (0, 60, E), (0, 56, SW), (0, 26, SW), (3, 0, W), (3, 4, NE)];
    for (seat, slot, direction) in edges {
        let mut board = Hexagon::new(100, 1);
        assert!(board.judge(seat, &[slot, direction]).is_some(), "{slot} {direction}");
        board.resolve();
        assert_eq!((board.coins(slot as usize), board.fates()[seat]), (1, INVALID));
    }
}

#[test]
fn a_push_is_judged_on_the_board_at_the_start_of_the_turn() {
    let mut board = Hexagon::new(100, 1);
    board.push(&[(0, [MIDDLE, E])]);
    // A pile comes to the empty slot. No seat can push it before the next turn.
    assert!(board.judge(1, &[MIDDLE, W]).is_some());
    board.push(&[(0, [29, E])]);
    assert_eq!((board.fates()[1], board.coins(30)), (INVALID, 1));
    board.push(&[(1, [MIDDLE, W])]);
    assert_eq!((board.coins(29), board.coins(30)), (1, 0));
}

#[test]
fn a_verdict_says_what_is_wrong() {
    let mut board = Hexagon::new(100, 1);
    board.push(&[(0, [MIDDLE, E])]);
    for (answer, says) in [
        ([61, 3], "illegal: 1 of 1: 61 is no slot"),
        ([-1, 9], "illegal: 1 of 1: -1 is no slot"),
        ([5, 6], "illegal: 1 of 1: 6 is no direction"),
        ([5, -1], "illegal: 1 of 1: -1 is no direction"),
        ([MIDDLE, E], "illegal: 1 of 1: no coin on slot 30"),
        ([5, NW], "illegal: 1 of 1: seat 0 pushes in directions 3, 4 and 5, not 0 (NW)"),
        ([34, E], "illegal: 1 of 1: direction 3 (E) leads off the board from slot 34"),
    ] {
        assert_eq!(board.judge(0, &answer).unwrap().to_string(), says);
    }
}

// All at once.

#[test]
fn a_pile_moves_whole_and_joins_one_that_rests() {
    let mut board = Hexagon::new(100, 1);
    board.push(&[(0, [MIDDLE, E])]);
    board.push(&[(0, [31, E])]);
    assert_eq!([30, 31, 32].map(|slot| board.coins(slot)), [0, 0, 3]);
}

#[test]
fn two_piles_that_arrive_on_one_slot_become_one() {
    let mut board = Hexagon::new(100, 1);
    board.push(&[(0, [29, E]), (2, [31, W])]);
    assert_eq!([29, 30, 31].map(|slot| board.coins(slot)), [0, 3, 0]);
}

#[test]
fn a_pile_that_arrives_does_not_join_one_that_departs() {
    for (first, second) in [(0, 5), (5, 0)] {
        let mut board = Hexagon::new(100, 1);
        board.push(&[(0, [28, E])]); // two coins on 29
        board.push(&[(first, [29, E]), (second, [MIDDLE, E])]);
        assert_eq!([29, 30, 31].map(|slot| board.coins(slot)), [0, 2, 2]);
    }
}

#[test]
fn swapped_piles_pass_through_each_other() {
    let mut board = Hexagon::new(100, 1);
    board.push(&[(0, [28, E])]);
    board.push(&[(0, [29, E]), (2, [MIDDLE, W])]);
    assert_eq!([29, 30].map(|slot| board.coins(slot)), [1, 2]);
}

#[test]
fn three_piles_go_round_in_a_cycle() {
    let mut board = Hexagon::new(100, 1);
    board.push(&[(0, [28, E])]);
    // 29 -> 30 -> 38 -> 29
    board.push(&[(0, [29, E]), (1, [MIDDLE, SW]), (3, [38, NW])]);
    assert_eq!([29, 30, 38].map(|slot| board.coins(slot)), [1, 2, 1]);
}

// Conflicts.

#[test]
fn several_who_push_a_pile_the_same_way_move_it_once_and_all_have_done_it() {
    let mut board = Hexagon::new(100, 1);
    board.push(&[(0, [MIDDLE, E]), (4, [MIDDLE, E]), (5, [MIDDLE, E])]);
    assert_eq!([30, 31, 32].map(|slot| board.coins(slot)), [0, 2, 1]);
    assert_eq!(board.fates(), [EXECUTED, NO_ANSWER, NO_ANSWER, NO_ANSWER, EXECUTED, EXECUTED]);
    assert_eq!(board.draws(), []);
}

#[test]
fn a_contested_pile_moves_once_as_the_drawn_player_pushes_it() {
    let mut winners = BTreeSet::new();
    for seed in 0..100 {
        let mut board = Hexagon::new(100, seed);
        board.push(&[(0, [MIDDLE, E]), (2, [MIDDLE, W])]);
        let winner = match &board.draws()[..] {
            [(MIDDLE, candidates, drawn)] if candidates[..] == [0, 2] => drawn[0],
            other => panic!("{other:?}"),
        };
        let (coins, fates) = ([29, 30, 31].map(|slot| board.coins(slot)), board.fates());
        match winner {
            0 => assert_eq!((coins, fates[0], fates[2]), ([1, 0, 2], EXECUTED, LOST)),
            2 => assert_eq!((coins, fates[0], fates[2]), ([2, 0, 1], LOST, EXECUTED)),
            other => panic!("{other} was drawn"),
        }
        assert!(board.voided().is_empty(), "to lose a draw is no fault");
        winners.insert(winner);
    }
    assert_eq!(winners.len(), 2);
}

#[test]
fn who_pushes_as_the_drawn_player_does_has_done_it_too() {
    for seed in 0..50 {
        let mut board = Hexagon::new(100, seed);
        board.push(&[(0, [MIDDLE, E]), (2, [MIDDLE, W]), (5, [MIDDLE, E])]);
        let draws = board.draws();
        assert_eq!(draws[0].1, [0, 2, 5]);
        let east = draws[0].2 != [2];
        let due = if east { [EXECUTED, LOST, EXECUTED] } else { [LOST, EXECUTED, LOST] };
        let fates = board.fates();
        assert_eq!([fates[0], fates[2], fates[5]], due);
        assert_eq!(board.coins(if east { 31 } else { 29 }), 2);
    }
}

#[test]
fn invalid_attempts_are_not_in_the_draw() {
    for seed in 0..50 {
        let mut board = Hexagon::new(100, seed);
        assert!(board.judge(1, &[MIDDLE, E]).is_some());
        board.push(&[(2, [MIDDLE, W])]);
        assert_eq!((board.draws(), board.coins(29)), (vec![], 2));
    }
}

#[test]
fn each_contested_pile_has_a_draw_of_its_own_in_reading_order() {
    let mut board = Hexagon::new(100, 1);
    board.push(&[(0, [40, E]), (1, [20, W]), (2, [40, W]), (3, [12, W]), (4, [20, E]), (5, [12, E])]);
    let draws: Vec<_> = board.draws().into_iter().map(|(slot, candidates, _)| (slot, candidates)).collect();
    assert_eq!(draws, [(12, vec![3, 5]), (20, vec![1, 4]), (40, vec![0, 2])]);
}

#[test]
fn every_player_of_a_conflict_is_drawn_equally_often_whatever_the_directions() {
    const GAMES: u64 = 60_000;
    let pushes = [(0, [MIDDLE, E]), (2, [MIDDLE, W]), (3, [MIDDLE, NW]), (4, [MIDDLE, E]), (5, [MIDDLE, E])];
    let mut counts = BTreeMap::new();
    for seed in 0..GAMES {
        let mut board = Hexagon::new(1, seed);
        board.push(&pushes);
        *counts.entry(board.draws()[0].2[0]).or_insert(0.0) += 1.0;
    }
    let expected = GAMES as f64 / 5.0;
    let chi_squared: f64 = counts.values().map(|count: &f64| (count - expected).powi(2) / expected).sum();
    assert_eq!(counts.len(), 5);
    assert!(chi_squared < 18.47, "{chi_squared} is over the 99.9 % point for 4 degrees");
}

// Faults.

#[test]
fn an_invalid_attempt_makes_the_score_zero_for_good_and_the_seat_plays_on() {
    let mut board = Hexagon::new(100, 1);
    assert_eq!(board.scores(), [16; 6]);
    for (answer, voided) in [(&[MIDDLE, NW], vec![0]), (&[MIDDLE, NW], vec![]), (&[MIDDLE, E], vec![])] {
        board.judge(0, answer);
        board.resolve();
        assert_eq!((board.scores()[0], board.voided()), (0, voided));
    }
    assert_eq!((board.fates()[0], board.coins(31)), (EXECUTED, 2));
}

#[test]
fn what_is_no_slot_or_direction_is_invalid_and_is_told_as_none() {
    for (answer, told) in [
        ([61, E], [61, E, INVALID]),
        ([5, 6], [5, 6, INVALID]),
        ([-1, -1], [61, 6, INVALID]),
        ([i64::MAX, i64::MIN], [61, 6, INVALID]),
        ([MIDDLE + 256, E], [61, E, INVALID]),
        ([MIDDLE, E + 256], [MIDDLE, 6, INVALID]),
    ] {
        let mut board = Hexagon::new(100, 1);
        assert!(board.judge(0, &answer).is_some());
        board.resolve();
        assert_eq!((board.attempt(0), board.scores()[0]), (told, 0));
    }
}

#[test]
fn a_malformed_answer_is_an_invalid_attempt() {
    for answer in [&[MIDDLE][..], &[], &[MIDDLE, E, 0]] {
        let mut board = Hexagon::new(100, 1);
        assert!(matches!(board.judge(0, answer), Some(Fault::Malformed(_))));
        board.resolve();
        assert_eq!((board.attempt(0), board.scores()[0], board.voided()), ([61, 6, INVALID], 0, vec![0]));
    }
    let mut board = Hexagon::new(100, 1);
    board.fault(0, &Fault::Malformed(Malformed::new("word 1 is not an integer: x")));
    board.resolve();
    assert_eq!((board.fates()[0], board.voided()), (INVALID, vec![0]));
}

#[test]
fn silence_of_any_kind_pushes_nothing_and_costs_nothing() {
    let silent = FaultKind::ALL.into_iter().filter(|kind| kind.is_silence()).filter_map(|kind| match kind {
        FaultKind::Exited => Some(Fault::Exited(1)),
        FaultKind::Crashed => Some(Fault::Crashed(11)),
        FaultKind::Resource => Some(Fault::Resource(Resource::Memory)),
        FaultKind::StartFailed => Some(Fault::StartFailed("no such file".to_owned())),
        kind => Fault::from_parts(kind, ""),
    });
    let mut kinds = 0;
    for fault in silent {
        let mut board = Hexagon::new(100, 1);
        board.judge(0, &[MIDDLE, E]); // never counts: a fault stands in its place
        board.fault(0, &fault);
        board.resolve();
        assert_eq!((board.attempt(0), board.voided()), ([61, 6, NO_ANSWER], vec![]), "{fault}");
        assert_eq!((board.coins(30), board.scores()[0]), (1, 16));
        kinds += 1;
    }
    assert_eq!(kinds, 7);
}

/// Pushes all coins to slot 60, opposite the home of seat 0.
fn all_on_one_slot() -> Hexagon {
    let mut board = Hexagon::new(100, 1);
    for slot in 0..60 {
        let way = [E, SE, SW].into_iter().find(|way| board.judge(0, &[slot, *way]).is_none());
        board.push(&[(0, [slot, way.unwrap()])]);
    }
    assert_eq!(board.coins(60), 61);
    board
}

#[test]
fn who_has_no_valid_push_at_all_may_answer_anything() {
    let told = [([60, E], [60, E, NOTHING]), ([5, NW], [5, NW, NOTHING]), ([-1, 99], [61, 6, NOTHING])];
    for (answer, told) in told {
        let mut board = all_on_one_slot();
        assert_eq!(board.judge(0, &answer), None);
        board.resolve();
        assert_eq!((board.attempt(0), board.voided(), board.coins(60)), (told, vec![], 61));
    }
    let mut board = all_on_one_slot();
    board.judge(0, &[]);
    board.resolve();
    assert_eq!((board.attempt(0), board.voided()), ([61, 6, NOTHING], vec![]));
    assert_eq!(board.sample(0, &mut Dice::for_start(Seed(1))).len(), 2);
    board.resolve();
    assert_eq!(board.attempt(0), [61, 6, NO_ANSWER]);
}

#[test]
fn who_can_push_must() {
    for seat in 1..6 {
        let mut board = all_on_one_slot();
        assert!(
            board.judge(seat, &[MIDDLE, [E, W, W, W, E, E][seat]]).is_some(),
            "seat {seat}: no coin there"
        );
        board.resolve();
        assert_eq!(board.voided(), [seat]);
    }
}

// Scores.

#[test]
fn a_seat_is_paid_for_slots_nearer_to_its_home_than_to_any_other() {
    let paid = |seat| -> Vec<(usize, u32)> {
        let all = Slot::all().map(|slot| (slot.index(), bonus(slot, Seat::new(seat))));
        all.filter(|(_, bonus)| *bonus > 0).collect()
    };
    assert_eq!(paid(0), [(0, 4), (1, 2), (5, 2), (6, 3), (7, 1), (12, 1), (13, 2), (21, 1)]);
    assert_eq!(paid(2), [(24, 1), (25, 2), (31, 1), (32, 2), (33, 3), (34, 4), (41, 1), (42, 2)]);
    for (seat, home) in [0, 4, 34, 60, 56, 26].into_iter().enumerate() {
        assert!(paid(seat).contains(&(home, 4)), "the home of seat {seat}");
    }
    let nobodys = Slot::all().filter(|slot| (0..6).all(|seat| bonus(*slot, Seat::new(seat)) == 0));
    assert_eq!(nobodys.count(), 13);
}

#[test]
fn the_score_is_coins_times_bonus_and_244_is_all() {
    let mut board = Hexagon::new(2, 1);
    board.push(&[(0, [5, E]), (1, [7, SW])]); // 5 -> 6: from 2 to 3; 7 -> 13: from 1 to 2
    assert_eq!((board.scores()[0], board.outcome()), (18, None));
    board.push(&[]);
    let outcome = board.outcome().unwrap();
    assert_eq!(outcome.scores.as_slice(), [18, 16, 16, 16, 16, 16]);
    assert_eq!(outcome.shares.as_slice(), [18.0, 16.0, 16.0, 16.0, 16.0, 16.0].map(|score| score / 244.0));
}

#[test]
fn all_coins_at_home_are_a_share_of_one() {
    let mut board = all_on_one_slot();
    assert_eq!(board.scores(), [0, 0, 0, 244, 0, 0]);
    for _ in 60..100 {
        board.resolve();
    }
    assert_eq!(board.outcome().unwrap().shares.as_slice(), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn a_void_score_is_a_share_of_zero() {
    let mut board = Hexagon::new(1, 1);
    board.judge(4, &[0, 0]);
    board.resolve();
    let outcome = board.outcome().unwrap();
    assert_eq!((outcome.scores.as_slice()[4], outcome.shares.as_slice()[4]), (0, 0.0));
    assert_eq!(outcome.place(Seat::new(4)), 6);
}

#[test]
fn a_game_has_as_many_turns_as_it_is_told() {
    for turns in [1, 10, 100] {
        let mut board = Hexagon::new(turns, 1);
        let mut played = 0;
        while board.outcome().is_none() {
            assert_eq!(board.question(3)[..3], [played, turns, 3]);
            board.resolve();
            played += 1;
        }
        assert_eq!((played, board.outcome().unwrap().reason), (turns, "turns"));
    }
}

// Questions, answers, samples.

#[test]
fn all_are_told_the_same_of_all() {
    let mut board = Hexagon::new(100, 1);
    assert_eq!(
        board.turn([&[0, E], &[4, SE], &[4, SE], SILENT, &[56, E], &[1]]).map(|v| v.is_some()),
        [false, false, true, false, false, true]
    );
    let shared = board.question(0)[3..].to_vec();
    let attempts =
        [0, E, EXECUTED, 4, SE, EXECUTED, 4, SE, INVALID, 61, 6, NO_ANSWER, 56, E, EXECUTED, 61, 6, INVALID];
    assert_eq!(shared[61..], attempts);
    for seat in 0..6 {
        assert_eq!(board.question(seat), [&[1, 100, seat as i64], &shared[..]].concat());
    }
}

#[test]
fn a_sample_is_any_valid_push() {
    let board = Hexagon::new(100, 1);
    let mut dice = Dice::for_start(Seed(1));
    for seat in 0..6 {
        let seen: BTreeSet<Vec<i64>> = (0..5_000).map(|_| board.sample(seat, &mut dice)).collect();
        assert_eq!(seen.len(), 3 * (61 - 9), "seat {seat}");
    }
}

#[test]
fn what_is_no_question_of_push_is_refused() {
    let mut good = Hexagon::new(100, 1).question(2);
    let read = |integers: &[i64]| {
        let words: Vec<String> = integers.iter().map(i64::to_string).collect();
        let line = format!("{} {}", integers.len(), words.join(" "));
        read_question::<Push>(line.as_bytes(), &mut Vec::new()).map(|view| view.seat.index())
    };
    assert_eq!(read(&good), Ok(2));
    assert!(read(&good[..81]).is_err() && read(&[&good[..], &[0]].concat()).is_err());
    for (index, value) in [
        (0, -1),
        (1, 1 << 32),
        (2, 6),
        (2, -1),
        (3, 2),
        (3, -1),
        (3, 257),
        (64, 62),
        (64, -1),
        (65, 7),
        (66, 6),
        (66, -1),
    ] {
        let right = std::mem::replace(&mut good[index], value);
        assert!(read(&good).is_err(), "{value} at {index}");
        good[index] = right;
    }
}
