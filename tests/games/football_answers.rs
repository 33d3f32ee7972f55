//! Football's treatment of wrong answers, and how questions are read.

use std::collections::BTreeSet;

use referee_games::football::Football;
use referee_rules::game::read_question;
use referee_rules::{Dice, Fault, Seed};

use crate::pitch::{HOMES, Pitch, bad_parts, cell, is_malformed, kick};

#[test]
fn what_is_no_order_stays_and_is_counted_for_that_player_alone() {
    let cut_off = [(1 << 16) + 5, (1 << 32) + 5, (1 << 32) + kick(10, 10), -(1 << 32) + 5]; // an order in their low bits
    for rubbish in [-1, 1033, 1034, i64::MIN, i64::MAX].into_iter().chain(cut_off) {
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
    let mut pitch = Pitch::alone(1, 10, 10, &[]);
    for _ in 0..2_000 {
        seen.extend(pitch.sample(0, &mut dice));
    }
    // Nine steps, and with a range of 1 a kick to its own cell and to those above, beside and below.
    let kicks = [(9, 10), (10, 9), (10, 10), (10, 11), (11, 10)].map(|(row, column)| kick(row, column));
    assert_eq!(seen, (0..9).chain(kicks).collect());

    pitch.order(kick(10, 11));
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
    pitch.turn([&[5], &[5], &[5], &[5]]);
    assert_eq!(pitch.judge(1, &[5]), None);
    pitch.resolve(); // the others did not answer: their last orders are not played again
    let cells: Vec<i64> = (0..4).flat_map(|seat| pitch.players(seat)).collect();
    assert_eq!(cells, [41, 42, 41, 41]);
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
