//! The facts of football, one by one, each in the smallest position that shows it.

use std::collections::BTreeSet;

use referee::game::read_question;
use referee::rules::football::Football;
use referee::rules::{Dice, Fault, Seed};

use crate::pitch::{Pitch, STAY, bad_parts, cell, is_malformed, kick};

const HOMES: [i64; 4] = [0, 31, 992, 1023];
const EVEN: [&[i64]; 4] = [&[STAY], &[STAY], &[STAY], &[STAY]];

/// One player a team: seat 0 on this cell, the others on their homes.
fn alone(k: i64, row: i64, column: i64, more: &[(&str, i64)]) -> Pitch {
    Pitch::placed(k, 1, [&[cell(row, column)], &[31], &[992], &[1023]], more)
}

/// Plays a turn in which only the player of seat 0 does something.
fn order(pitch: &mut Pitch, order: i64) -> u32 {
    bad_parts(&pitch.turn([&[order], &[STAY], &[STAY], &[STAY]])[0])
}

// Kicks.

#[test]
fn a_kick_of_exactly_k_is_allowed() {
    let mut pitch = alone(5, 10, 10, &[]);
    assert_eq!(order(&mut pitch, kick(13, 14)), 0); // 9 + 16 = 25
    assert_eq!((pitch.balls(cell(10, 10)), pitch.balls(cell(13, 14))), (0, 2));
}

#[test]
fn a_kick_just_beyond_k_is_refused() {
    let mut pitch = alone(5, 10, 10, &[]);
    assert_eq!(order(&mut pitch, kick(15, 11)), 1); // 25 + 1 = 26
    assert_eq!((pitch.balls(cell(10, 10)), pitch.balls(cell(15, 11))), (1, 1));
}

#[test]
fn every_kick_is_allowed_or_refused_by_its_square() {
    for (row, column) in [(0, 1), (16, 15), (31, 1), (20, 31)] {
        for k in 1..=46 {
            let mut pitch = alone(k, row, column, &[]);
            for (r, c) in (0..32).flat_map(|r| (0..32).map(move |c| (r, c))) {
                let square = (r - row) * (r - row) + (c - column) * (c - column);
                let bad = bad_parts(&pitch.judge(0, &[kick(r, c)]));
                assert_eq!(bad, u32::from(square > k * k), "k={k}: {row},{column} to {r},{c}");
            }
        }
    }
}

#[test]
fn a_kicker_stays() {
    let mut pitch = alone(5, 10, 10, &[]);
    order(&mut pitch, kick(10, 15));
    assert_eq!(pitch.players(0), [cell(10, 10)]);
}

#[test]
fn where_no_ball_lies_none_is_kicked() {
    let mut pitch = alone(5, 10, 10, &[]);
    assert_eq!(order(&mut pitch, kick(10, 15)), 0);
    assert_eq!(order(&mut pitch, kick(10, 15)), 1);
    assert_eq!((pitch.balls(cell(10, 10)), pitch.balls(cell(10, 15))), (0, 2));
}

#[test]
fn a_ball_that_lands_is_kicked_in_the_next_turn_only() {
    let away = cell(10, 12);
    let mut pitch = Pitch::placed(5, 1, [&[cell(10, 10)], &[away], &[992], &[1023]], &[]);
    pitch.turn([&[STAY], &[kick(10, 14)], &[STAY], &[STAY]]);
    assert_eq!(pitch.balls(away), 0);
    let verdicts = pitch.turn([&[kick(10, 12)], &[kick(10, 14)], &[STAY], &[STAY]]);
    assert_eq!((bad_parts(&verdicts[1]), pitch.balls(away)), (1, 1));
    let verdicts = pitch.turn([&[STAY], &[kick(10, 14)], &[STAY], &[STAY]]);
    assert_eq!((bad_parts(&verdicts[1]), pitch.balls(away), pitch.balls(cell(10, 14))), (0, 0, 3));
}

#[test]
fn two_balls_are_exchanged_in_flight() {
    let cells = [cell(10, 10), cell(10, 12)];
    let mut pitch = Pitch::placed(5, 1, [&cells[..1], &cells[1..], &[992], &[1023]], &[]);
    let verdicts = pitch.turn([&[9 + cells[1]], &[9 + cells[0]], &[STAY], &[STAY]]);
    assert_eq!((bad_parts(&verdicts[0]), bad_parts(&verdicts[1])), (0, 0));
    assert_eq!(cells.map(|cell| pitch.balls(cell)), [1, 1]);
}

#[test]
fn a_mover_does_not_kick() {
    let mut pitch = alone(5, 10, 10, &[]);
    assert_eq!(order(&mut pitch, 5), 0);
    assert_eq!(pitch.players(0), [cell(10, 11)]);
    assert_eq!((pitch.balls(cell(10, 10)), pitch.balls(cell(10, 11))), (1, 1));
}

#[test]
fn who_walks_away_leaves_the_ball_to_the_kicker() {
    let cells = [cell(10, 10); 2];
    let mut pitch = Pitch::placed(5, 1, [&cells, &[31, 31], &[992, 992], &[1023, 1023]], &[]);
    pitch.turn([&[5, kick(10, 15)], &[STAY; 2], &[STAY; 2], &[STAY; 2]]);
    assert_eq!(pitch.players(0), [cell(10, 11), cell(10, 10)]);
    assert_eq!((pitch.balls(cell(10, 10)), pitch.balls(cell(10, 15))), (0, 2));
}

#[test]
fn a_kick_to_the_own_cell_claims_a_ball_and_leaves_it_there() {
    let (mut claimed, mut taken) = (0, 0);
    for seed in 0..200 {
        let here = cell(10, 10);
        let mut pitch = Pitch::placed(5, seed, [&[here], &[here], &[992], &[1023]], &[]);
        let verdicts = pitch.turn([&[9 + here], &[kick(10, 15)], &[STAY], &[STAY]]);
        assert_eq!(verdicts, [None, None, None, None]);
        assert_eq!(pitch.draws().len(), 1);
        match (pitch.draws()[0].2[0], pitch.balls(here), pitch.balls(cell(10, 15))) {
            (0, 1, 1) => claimed += 1,
            (1, 0, 2) => taken += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(claimed > 60 && taken > 60, "{claimed} {taken}");
}

#[test]
fn as_many_kickers_as_balls_need_no_draw() {
    let here = cell(10, 10);
    let mut pitch = Pitch::placed(5, 1, [&[here], &[here], &[cell(10, 11)], &[1023]], &[]);
    pitch.turn([&[STAY], &[STAY], &[9 + here], &[STAY]]);
    assert_eq!(pitch.balls(here), 2);
    pitch.turn([&[kick(10, 12)], &[kick(10, 13)], &[STAY], &[STAY]]);
    assert_eq!(pitch.draws(), []);
    assert_eq!([10, 12, 13].map(|column| pitch.balls(cell(10, column))), [0, 2, 2]);
}

#[test]
fn one_kicker_takes_one_ball_of_a_heap() {
    let here = cell(10, 10);
    let mut pitch = Pitch::placed(5, 1, [&[here], &[cell(10, 11)], &[cell(10, 9)], &[1023]], &[]);
    pitch.turn([&[STAY], &[9 + here], &[9 + here], &[STAY]]);
    order(&mut pitch, kick(10, 12));
    assert_eq!([10, 12].map(|column| pitch.balls(cell(10, column))), [2, 2]);
}

// Goals.

#[test]
fn a_goal_counts_for_the_owner_of_the_home() {
    for (owner, home) in HOMES.into_iter().enumerate() {
        let mut pitch = alone(46, 16, 16, &[]);
        assert_eq!(order(&mut pitch, 9 + home), 0);
        let mut scores = [0; 4];
        scores[owner] = 1;
        assert_eq!(pitch.scores(), scores);
        assert_eq!((pitch.balls(cell(16, 16)), pitch.balls(home)), (0, 0));
    }
}

#[test]
fn several_goals_in_one_turn_all_count() {
    let mut pitch = Pitch::placed(46, 1, [&[1], &[2], &[3], &[4]], &[]);
    pitch.turn([&[9 + 31], &[9 + 31], &[9 + 31], &[9]]);
    assert_eq!(pitch.scores(), [1, 3, 0, 0]);
}

#[test]
fn homes_never_hold_a_ball() {
    let mut pitch = Pitch::placed(46, 1, [&[0], &[31], &[992], &[1023]], &[]);
    for seat in 0..4 {
        assert_eq!(pitch.balls(HOMES[seat]), 0);
        for target in [HOMES[seat], HOMES[3 - seat], cell(16, 16)] {
            assert_eq!(bad_parts(&pitch.judge(seat, &[9 + target])), 1);
        }
    }
}

// Steps.

#[test]
fn steps_go_in_reading_order() {
    for step in 0..9 {
        let mut pitch = alone(1, 10, 10, &[]);
        assert_eq!(order(&mut pitch, step), 0);
        assert_eq!(pitch.players(0), [cell(9 + step / 3, 9 + step % 3)]);
    }
}

#[test]
fn a_step_off_the_grid_stays_and_is_counted() {
    let edges = [
        (0, 16, [0, 1, 2]),
        (31, 16, [6, 7, 8]),
        (16, 0, [0, 3, 6]),
        (16, 31, [2, 5, 8]),
        (0, 31, [0, 2, 8]),
        (31, 0, [0, 6, 8]),
    ];
    for (row, column, steps) in edges {
        for step in steps {
            let mut pitch = alone(1, row, column, &[]);
            assert_eq!(order(&mut pitch, step), 1, "step {step} from {row},{column}");
            assert_eq!(pitch.players(0), [cell(row, column)]);
        }
    }
}

#[test]
fn swaps_pass() {
    let mut pitch = Pitch::placed(1, 1, [&[cell(10, 10)], &[cell(10, 11)], &[992], &[1023]], &[]);
    assert_eq!(pitch.turn([&[5], &[3], &[STAY], &[STAY]]), [None, None, None, None]);
    assert_eq!((pitch.players(0), pitch.players(1)), (vec![cell(10, 11)], vec![cell(10, 10)]));
}

#[test]
fn players_never_block() {
    let crowd = [cell(10, 10); 255];
    let mut pitch = Pitch::placed(1, 1, [&crowd, &crowd, &crowd, &[cell(10, 11); 255]], &[]);
    pitch.turn([&[5; 255], &[5; 255], &[5; 255], &[STAY; 255]]);
    for seat in 0..4 {
        assert_eq!(pitch.players(seat), [cell(10, 11); 255]);
    }
}

// Answers.

#[test]
fn what_is_no_order_stays_and_is_counted_for_that_player_alone() {
    for rubbish in [-1, 1033, 1034, i64::MIN, i64::MAX, 1 << 16, (1 << 32) + 5, -(1 << 32) + 5] {
        let cells = [cell(10, 10), cell(12, 10)];
        let mut pitch = Pitch::placed(1, 1, [&cells, &[31, 31], &[992, 992], &[1023, 1023]], &[]);
        let verdicts = pitch.turn([&[rubbish, 5], &[4, 4], &[4, 4], &[4, 4]]);
        assert_eq!(bad_parts(&verdicts[0]), 1, "{rubbish}");
        assert_eq!(pitch.players(0), [cell(10, 10), cell(12, 11)]);
    }
}

#[test]
fn a_verdict_names_the_first_bad_order() {
    let cells = [cell(10, 10); 4];
    let homes = HOMES.map(|home| [home; 4]);
    let mut pitch = Pitch::placed(5, 1, [&cells, &homes[1], &homes[2], &homes[3]], &[]);
    let says = |verdict: Option<Fault>| verdict.unwrap().to_string();
    for (answer, verdict) in [
        ([5, -7, kick(20, 10), 4], "illegal: 2 of 4: player 1: -7 is no order"),
        (
            [5, 4, kick(14, 14), 4],
            "illegal: 1 of 4: player 2: kick from 330 to 462 is out of range (32 > 5*5)",
        ),
    ] {
        assert_eq!(says(pitch.judge(0, &answer)), verdict);
    }
    assert_eq!(
        says(pitch.judge(1, &[4, 4, 4, 2])),
        "illegal: 1 of 4: player 3: step 2 leads off the grid from cell 31"
    );
    assert_eq!(
        says(pitch.judge(3, &[4, 9 + 1022, 4, 4])),
        "illegal: 1 of 4: player 1: no ball to kick on cell 1023"
    );

    let mut pitch = Pitch::new(3, 1, 1, &[]);
    assert_eq!(says(pitch.judge(0, &[5, 1024])), "illegal: 2 of 3: player 1: 1024 is no cell");
    assert_eq!(says(pitch.judge(0, &[5])), "illegal: 2 of 3: player 1: no cell to start on");
}

#[test]
fn a_sample_has_every_kind_of_order() {
    let mut dice = Dice::for_start(Seed(1));
    let mut seen = BTreeSet::new();
    let mut pitch = alone(1, 10, 10, &[]);
    for _ in 0..2_000 {
        seen.extend(pitch.sample(0, &mut dice));
    }
    // Nine steps, and with a range of 1 a kick to the own cell and to those above, beside and below.
    let kicks = [(9, 10), (10, 9), (10, 10), (10, 11), (11, 10)].map(|(row, column)| kick(row, column));
    assert_eq!(seen, (0..9).chain(kicks).collect());

    order(&mut pitch, kick(10, 11));
    assert!((0..200).all(|_| pitch.sample(0, &mut dice)[0] < 9), "there is no ball to kick");
}

#[test]
fn a_wrong_count_stops_the_whole_team_and_no_other() {
    for answer in [&[5, 5, 5][..], &[5], &[]] {
        let cells = [cell(10, 10); 2];
        let mut pitch = Pitch::placed(1, 1, [&cells, &cells, &cells, &cells], &[]);
        let verdicts = pitch.turn([answer, &[5, 5], &[3, 3], &[4, 4]]);
        assert!(is_malformed(&verdicts[0]));
        assert_eq!(pitch.players(0), cells);
        assert_eq!(pitch.players(1), [cell(10, 11); 2]);
        assert_eq!(pitch.players(2), [cell(10, 9); 2]);
    }
}

#[test]
fn silence_stops_the_whole_team_and_no_other() {
    let mut pitch = Pitch::placed(1, 1, [&[40], &[40], &[40], &[40]], &[]);
    assert_eq!(pitch.judge(1, &[5]), None);
    pitch.resolve();
    let cells: Vec<i64> = (0..4).flat_map(|seat| pitch.players(seat)).collect();
    assert_eq!(cells, [40, 41, 40, 40]);
}

#[test]
fn who_is_not_placed_starts_at_home() {
    let mut pitch = Pitch::new(3, 1, 1, &[]);
    let verdicts = pitch.turn([&[5], &[-1, 1024, 7], &[8, 8, 8, 8], &[9, 9, 9]]);
    assert_eq!((bad_parts(&verdicts[0]), bad_parts(&verdicts[1])), (2, 2));
    assert!(is_malformed(&verdicts[2]));
    assert_eq!(pitch.players(0), [5, 0, 0]);
    assert_eq!(pitch.players(1), [31, 31, 7]);
    assert_eq!(pitch.players(2), [992, 992, 992]);
    assert_eq!(pitch.players(3), [9, 9, 9]);

    let mut pitch = Pitch::new(2, 1, 1, &[]);
    assert_eq!(bad_parts(&pitch.judge(0, &[])), 2);
    pitch.resolve();
    let cells: Vec<i64> = (0..4).flat_map(|seat| pitch.players(seat)).collect();
    assert_eq!(cells, [0, 0, 31, 31, 992, 992, 1023, 1023]);
}

#[test]
fn before_turn_1_all_players_are_on_cell_1024() {
    let mut pitch = Pitch::new(2, 1, 1, &[]);
    assert_eq!(pitch.players(3), [1024, 1024]);
}

// Questions.

#[test]
fn what_is_no_question_is_refused() {
    let good = "1 0 1 5 9 100 0 0 0 0 1 2 3 4";
    let read = |head: &str, balls: usize| {
        let count = head.split(' ').count() + balls;
        let line = format!("{count} {head}{}", " 1".repeat(balls));
        read_question::<Football>(line.as_bytes(), &mut Vec::new()).map(|view| view.players.len())
    };
    assert_eq!(read(good, 1024), Ok(4));
    assert_eq!(read("0 0 1 5 9 100 0 0 0 0 1024 1024 1024 1024", 1024), Ok(4));
    assert!(read(good, 1023).is_err() && read(good, 1025).is_err());
    for bad in [
        "-1 0 1 5 9 100 0 0 0 0 1 2 3 4",
        "1 4 1 5 9 100 0 0 0 0 1 2 3 4",
        "1 -1 1 5 9 100 0 0 0 0 1 2 3 4",
        "1 0 2 5 9 100 0 0 0 0 1 2 3 4",
        "1 0 -1 5 9 100 0 0 0 0 1 2 3 4",
        "1 0 4294967296 5 9 100 0 0 0 0 1 2 3 4",
        "1 0 1 -5 9 100 0 0 0 0 1 2 3 4",
        "1 0 1 5 9 100 0 0 0 -1 1 2 3 4",
        "1 0 1 5 9 100 0 0 0 0 1 2 3 1025",
        "1 0 1 5 9 100 0 0 0 0 1 2 3 -1",
    ] {
        assert!(read(bad, 1024).is_err(), "{bad}");
    }
    for bad in ["", "0", "2 1 0", "3 1 0", "x", "-1", "9223372036854775807 1"] {
        assert!(read_question::<Football>(bad.as_bytes(), &mut Vec::new()).is_err(), "{bad}");
    }
}

// The end.

#[test]
fn max_turns_are_turns_of_orders() {
    let mut pitch = alone(1, 10, 10, &[("max_turns", 2)]);
    let mut turns = 0;
    while pitch.reason().is_none() {
        pitch.turn(EVEN);
        turns += 1;
    }
    assert_eq!((pitch.reason(), turns), (Some("max_turns"), 2));
}

#[test]
fn a_goal_puts_off_the_stall() {
    let mut pitch = alone(46, 10, 10, &[("stall_turns", 2)]);
    pitch.turn(EVEN);
    order(&mut pitch, 9);
    assert_eq!(pitch.scores(), [1, 0, 0, 0]);
    pitch.turn(EVEN);
    assert_eq!(pitch.reason(), None);
    pitch.turn(EVEN);
    assert_eq!(pitch.reason(), Some("stalled"));
}

#[test]
fn a_kick_that_is_no_goal_does_not_put_off_the_stall() {
    let mut pitch = alone(46, 10, 10, &[("stall_turns", 1)]);
    order(&mut pitch, kick(10, 10));
    assert_eq!(pitch.reason(), Some("stalled"));
}

#[test]
fn max_turns_come_before_the_stall() {
    let mut pitch = alone(1, 10, 10, &[("max_turns", 1), ("stall_turns", 1)]);
    pitch.turn(EVEN);
    assert_eq!(pitch.reason(), Some("max_turns"));
}

#[test]
fn a_game_without_balls_is_over_and_this_comes_before_max_turns() {
    let cells: Vec<i64> = (0..1024).filter(|cell| !HOMES.contains(cell)).collect();
    let cells: Vec<&[i64]> = cells.chunks(255).collect();
    for (max_turns, kickers, reason) in [(1, 255, "no_balls"), (9, 255, "no_balls"), (1, 254, "max_turns")] {
        let cells = [cells[0], cells[1], cells[2], cells[3]];
        let mut pitch = Pitch::placed(46, 1, cells, &[("max_turns", max_turns)]);
        let mut orders = [9 + 31; 255];
        orders[kickers..].fill(STAY);
        pitch.turn([&orders, &[9; 255], &[9; 255], &[9 + 992; 255]]);
        let outcome = pitch.outcome().unwrap();
        assert_eq!(outcome.reason, reason);
        assert_eq!(outcome.scores.as_slice(), [510, kickers as i64, 255, 0]);
        assert_eq!(
            outcome.shares.as_slice(),
            [510, kickers as i64, 255, 0].map(|goals| goals as f64 / 1020.0)
        );
    }
}
