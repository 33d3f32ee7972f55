//! The rules of football, one by one, each in the smallest position that shows it.

use crate::pitch::{HOMES, Pitch, STAY, bad_parts, cell, kick};

const EVEN: [&[i64]; 4] = [&[STAY], &[STAY], &[STAY], &[STAY]];

// Kicks.

#[test]
fn a_kick_of_exactly_k_is_allowed() {
    let mut pitch = Pitch::alone(5, 10, 10, &[]);
    assert_eq!(pitch.order(kick(13, 14)), 0); // 9 + 16 = 25
    assert_eq!((pitch.balls(cell(10, 10)), pitch.balls(cell(13, 14))), (0, 2));
}

#[test]
fn a_kick_just_beyond_k_is_refused() {
    let mut pitch = Pitch::alone(5, 10, 10, &[]);
    assert_eq!(pitch.order(kick(15, 11)), 1); // 25 + 1 = 26
    assert_eq!((pitch.balls(cell(10, 10)), pitch.balls(cell(15, 11))), (1, 1));
}

#[test]
fn every_kick_is_allowed_or_refused_by_its_square() {
    for (row, column) in [(0, 1), (16, 15), (31, 1), (20, 31)] {
        for k in 1..=46 {
            let mut pitch = Pitch::alone(k, row, column, &[]);
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
    let mut pitch = Pitch::alone(5, 10, 10, &[]);
    pitch.order(kick(10, 15));
    assert_eq!(pitch.players(0), [cell(10, 10)]);
}

#[test]
fn where_no_ball_lies_none_is_kicked() {
    let mut pitch = Pitch::alone(5, 10, 10, &[]);
    assert_eq!(pitch.order(kick(10, 15)), 0);
    assert_eq!(pitch.order(kick(10, 15)), 1);
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
    let mut pitch = Pitch::alone(5, 10, 10, &[]);
    assert_eq!(pitch.order(5), 0);
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
    pitch.order(kick(10, 12));
    assert_eq!([10, 12].map(|column| pitch.balls(cell(10, column))), [2, 2]);
}

// Goals.

#[test]
fn a_goal_counts_for_the_owner_of_the_home() {
    for (owner, home) in HOMES.into_iter().enumerate() {
        let mut pitch = Pitch::alone(46, 16, 16, &[]);
        assert_eq!(pitch.order(9 + home), 0);
        let mut scores = [0; 4];
        scores[owner] = 1;
        assert_eq!(pitch.scores(), scores);
        assert_eq!((pitch.balls(cell(16, 16)), pitch.balls(home)), (0, 0));
    }
}

#[test]
fn a_goal_is_reported_with_its_home_its_player_and_where_the_ball_lay() {
    let homes = HOMES.map(|home| [home; 2]);
    let mut pitch = Pitch::placed(46, 1, [&homes[0], &homes[1], &[992, 77], &homes[3]], &[]);
    pitch.turn([&[STAY; 2], &[STAY; 2], &[STAY, 9 + 31], &[STAY; 2]]);
    assert_eq!(pitch.goals(), [(1, 2 * 2 + 1, 77)]);
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
        let mut pitch = Pitch::alone(1, 10, 10, &[]);
        assert_eq!(pitch.order(step), 0);
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
            let mut pitch = Pitch::alone(1, row, column, &[]);
            assert_eq!(pitch.order(step), 1, "step {step} from {row},{column}");
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

// The end.

#[test]
fn max_turns_are_turns_of_orders() {
    let mut pitch = Pitch::alone(1, 10, 10, &[("max_turns", 2)]);
    let mut turns = 0;
    while pitch.reason().is_none() {
        pitch.turn(EVEN);
        turns += 1;
    }
    assert_eq!((pitch.reason(), turns), (Some("max_turns"), 2));
}

#[test]
fn a_goal_puts_off_the_stall() {
    let mut pitch = Pitch::alone(46, 10, 10, &[("stall_turns", 2)]);
    pitch.turn(EVEN);
    pitch.order(9);
    assert_eq!(pitch.scores(), [1, 0, 0, 0]);
    pitch.turn(EVEN);
    assert_eq!(pitch.reason(), None);
    pitch.turn(EVEN);
    assert_eq!(pitch.reason(), Some("stalled"));
}

#[test]
fn a_kick_that_is_no_goal_does_not_put_off_the_stall() {
    let mut pitch = Pitch::alone(46, 10, 10, &[("stall_turns", 1)]);
    pitch.order(kick(10, 10));
    assert_eq!(pitch.reason(), Some("stalled"));
}

#[test]
fn max_turns_come_before_the_stall() {
    let mut pitch = Pitch::alone(1, 10, 10, &[("max_turns", 1), ("stall_turns", 1)]);
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
