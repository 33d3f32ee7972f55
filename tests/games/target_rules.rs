//! The rules of Invisible Target, one by one, each in the smallest position that shows it.

use std::collections::BTreeMap;

use referee_games::catalog;
use referee_games::target::walls::Walls;
use referee_games::target::{Cell, PARAMETERS, State};
use referee_rules::game::Playing;
use referee_rules::{Dice, Fault, Parameters, Rules, Seat, Seed};

use crate::random::Random;
use crate::torus::{Torus, cell, number, rules, walls_but};

const STAY: i64 = 2;

/// Far from everything else in these positions.
const AWAY: Cell = Cell::at(40, 40);

fn two(one: Cell, other: Cell) -> Torus {
    Torus::at(AWAY, &[one, other], Walls::none(), &[])
}

// Moves.

#[test]
fn the_five_moves_go_in_reading_order() {
    let cells = [cell(9, 10), cell(10, 9), cell(10, 10), cell(10, 11), cell(11, 10)];
    for (answer, to) in cells.into_iter().enumerate() {
        let mut torus = two(cell(10, 10), cell(20, 20));
        assert_eq!(torus.turn(&[answer as i64]), None);
        assert_eq!(torus.state().players(), [to, cell(20, 20)]);
    }
}

#[test]
fn a_move_over_the_edge_comes_back_at_the_other() {
    let corner = [(0, cell(63, 0)), (1, cell(0, 63))];
    let opposite = [(3, cell(63, 0)), (4, cell(0, 63))];
    for (from, moves) in [(cell(0, 0), corner), (cell(63, 63), opposite)] {
        for (answer, to) in moves {
            let mut torus = two(from, cell(20, 20));
            torus.turn(&[answer]);
            assert_eq!(torus.state().players()[0], to);
        }
    }
}

#[test]
fn onto_a_wall_is_no_move() {
    let walls = Walls::from_iter([cell(9, 10)]);
    let mut torus = Torus::at(AWAY, &[cell(10, 10), cell(20, 20)], walls, &[]);
    assert!(matches!(torus.turn(&[0]), Some(Fault::Illegal(_))));
    assert_eq!(torus.state().players()[0], cell(10, 10));
}

#[test]
fn onto_a_player_is_no_move() {
    let mut torus = two(cell(0, 0), cell(0, 63));
    assert!(matches!(torus.turn(&[1]), Some(Fault::Illegal(_))));
    assert!(matches!(torus.turn(&[3]), Some(Fault::Illegal(_))));
    assert_eq!(torus.state().players(), [cell(0, 0), cell(0, 63)]);
}

#[test]
fn a_cell_that_was_just_left_is_free() {
    let mut torus = two(cell(0, 0), cell(0, 1));
    assert_eq!(torus.turn(&[0]), None);
    assert_eq!(torus.turn(&[1]), None);
    assert_eq!(torus.state().players(), [cell(63, 0), cell(0, 0)]);
}

#[test]
fn the_target_stops_nobody() {
    let mut torus = Torus::at(cell(0, 1), &[cell(0, 0), cell(20, 20)], Walls::none(), &[]);
    assert_eq!(torus.turn(&[3]), None);
    assert_eq!(torus.state().players()[0], cell(0, 1));
}

#[test]
fn what_is_no_move_is_no_move() {
    for answer in [-1, 5, 4096, i64::MAX] {
        let mut torus = two(cell(10, 10), cell(20, 20));
        assert!(matches!(torus.turn(&[answer]), Some(Fault::Illegal(_))), "{answer}");
        assert_eq!(torus.state().players()[0], cell(10, 10));
    }
    for answer in [&[][..], &[0, 0]] {
        let mut torus = two(cell(10, 10), cell(20, 20));
        assert!(matches!(torus.turn(answer), Some(Fault::Malformed(_))), "{answer:?}");
        assert_eq!(torus.state().players()[0], cell(10, 10));
    }
    let mut torus = two(cell(10, 10), cell(20, 20));
    torus.silent();
    assert_eq!(torus.state().players()[0], cell(10, 10));
}

#[test]
fn one_seat_at_a_time_in_the_order_of_the_seats() {
    let mut torus = Torus::new(5, 1, &[]);
    for turn in 0..23 {
        assert_eq!(torus.seat(), turn % 5);
        torus.turn(&[if turn % 2 == 0 { 0 } else { STAY }]);
    }
}

// Questions.

#[test]
fn a_question_is_the_own_cell_the_wall_and_the_others_in_turn_order() {
    let cells = [cell(0, 5), cell(0, 9), cell(9, 0), cell(9, 9)];
    let mut torus = Torus::at(AWAY, &cells, Walls::none(), &[]);
    assert_eq!(torus.question(0), [5, 4096, 9, 576, 585]);
    assert_eq!(torus.question(2), [576, 4096, 5, 9, 585]);
    assert_eq!(torus.question(3), [585, 4096, 5, 9, 576]);
}

#[test]
fn each_wall_is_told_once_to_each_seat() {
    const SEATS: usize = 4;
    for one_in in [1, 3] {
        let mut torus = Torus::new(SEATS, 5, &[("wall_one_in", one_in)]);
        let mut put = Vec::new();
        let mut told = vec![Vec::new(); SEATS];
        for turn in 0..4_000 {
            let seat = torus.seat();
            let wall = torus.question(seat)[1];
            if wall != 4096 {
                told[seat].push((wall, turn));
            }
            torus.turn(&[turn % 5]);
            put.extend(torus.wall().map(|wall| (wall, turn)));
        }
        for told in told {
            for ((cell, turn), (wall, told)) in put.iter().zip(&told) {
                assert_eq!(cell, wall);
                assert!((1..=SEATS as i64).contains(&(told - turn)), "in the next turn of the seat");
            }
            assert!(put.len() - told.len() <= 1, "all but the last, perhaps");
        }
    }
}

#[test]
fn no_question_depends_on_the_target() {
    for seed in 0..20 {
        let mut dice = Random::new(seed);
        let mut torus = Torus::new(6, seed, &[("wall_one_in", 2)]);
        for _ in 0..300 {
            let elsewhere = Cell::from_number(dice.between(0, 4095)).unwrap();
            let state = torus.state().clone().with_target(elsewhere);
            let mut other = Playing::from_state(rules(6, &[]), Seed(seed), state);
            for seat in 0..6 {
                let mut line = Vec::new();
                referee_rules::game::Game::question(&mut other, Seat::new(seat), &mut line);
                let words = torus.question(seat);
                let same: Vec<String> = words.iter().map(i64::to_string).collect();
                assert_eq!(String::from_utf8(line).unwrap(), format!("7 {}\n", same.join(" ")));
            }
            torus.turn(&[dice.pick(&[0, 1, 3, 4])]);
        }
    }
}

// Walls.

#[test]
fn after_a_wall_there_is_none_until_every_seat_has_had_a_turn() {
    let mut torus = Torus::new(5, 3, &[("wall_one_in", 1)]);
    for turn in 0..200 {
        torus.turn(&[turn % 5]);
        assert_eq!(torus.wall().is_some(), turn % 5 == 0, "turn {turn}");
    }
}

#[test]
fn a_wall_is_put_after_one_turn_in_seven() {
    // The number of turns from the end of a pause to the next wall is geometric.
    let mut torus = Torus::new(2, 4, &[]);
    let (mut last, mut waits) = (0, BTreeMap::new());
    let mut count = 0.0;
    for turn in 0..16_000 {
        torus.turn(&[turn % 5]);
        if torus.wall().is_some() {
            if last > 0 {
                *waits.entry((turn - last - 2).min(20)).or_insert(0.0) += 1.0;
                count += 1.0;
            }
            last = turn;
        }
    }
    let chance = |wait: i64| (6.0f64 / 7.0).powi(wait as i32) * if wait < 20 { 1.0 / 7.0 } else { 1.0 };
    let part = |wait| {
        let expected = count * chance(wait);
        (waits.get(&wait).unwrap_or(&0.0) - expected).powi(2) / expected
    };
    let chi_squared: f64 = (0..=20).map(part).sum();
    assert!(count > 1_000.0 && chi_squared < 45.3, "{chi_squared} is over the 99.9 % point for 20 degrees");
}

#[test]
fn without_a_chance_there_are_no_walls_and_no_idle_rounds() {
    let mut torus = Torus::new(3, 3, &[("wall_one_in", 0), ("idle_rounds", 1)]);
    for turn in 0..300 {
        torus.turn(&[turn % 5]);
        assert_eq!((torus.wall(), torus.reason()), (None, None));
    }
}

// The end.

#[test]
fn over_when_all_in_a_row_answer_stay() {
    let mut torus = Torus::new(3, 1, &[("wall_one_in", 0)]);
    torus.turn(&[STAY]);
    torus.turn(&[0]);
    torus.turn(&[STAY]);
    torus.turn(&[STAY]);
    assert_eq!(torus.reason(), None);
    torus.turn(&[STAY]);
    assert_eq!(torus.reason(), Some("all_stay"));
}

#[test]
fn silence_and_nonsense_do_not_agree_to_the_end() {
    let mut torus = two(cell(0, 0), cell(0, 1));
    torus.turn(&[STAY]);
    torus.silent();
    torus.turn(&[STAY]);
    torus.turn(&[7]);
    torus.turn(&[STAY]);
    torus.turn(&[2, 2]);
    torus.turn(&[STAY]);
    torus.turn(&[1]); // onto the other player
    torus.turn(&[STAY]);
    assert_eq!(torus.reason(), None);
    torus.turn(&[STAY]);
    assert_eq!(torus.reason(), Some("all_stay"));
}

#[test]
fn over_when_nobody_has_a_free_neighbour() {
    let closed = [cell(0, 0), cell(0, 1)];
    let mut torus = Torus::at(cell(0, 0), &closed, walls_but(&closed), &[]);
    torus.silent();
    assert_eq!(torus.reason(), Some("no_room"));

    let open = [cell(0, 0), cell(0, 1), cell(0, 2)];
    let mut torus = Torus::at(cell(0, 0), &closed, walls_but(&open), &[]);
    torus.silent();
    assert_eq!(torus.reason(), None, "one of them can still move");
}

/// A corridor along row 0 with a player at each end: the target is between them, so no wall has a place.
fn corridor(set: &[(&str, i64)]) -> Torus {
    let cells: Vec<Cell> = (0..7).map(|column| cell(0, column)).collect();
    let set: Vec<_> = [("wall_one_in", 1)].iter().chain(set).copied().collect();
    Torus::at(cells[3], &[cells[0], cells[6]], walls_but(&cells), &set)
}

#[test]
fn over_after_idle_rounds_in_which_no_wall_had_a_place() {
    let mut torus = corridor(&[("idle_rounds", 3)]);
    for _ in 0..5 {
        torus.silent();
        assert_eq!(torus.reason(), None);
    }
    torus.silent();
    assert_eq!(torus.reason(), Some("no_wall"));
}

#[test]
fn idle_time_is_over_when_a_wall_has_a_place() {
    let mut torus = corridor(&[("idle_rounds", 3)]);
    for _ in 0..4 {
        torus.silent();
    }
    torus.turn(&[3]); // leaves a dead end behind
    assert_eq!((torus.wall(), torus.reason()), (Some(0), None));
    torus.silent();
    torus.silent(); // two turns without a wall, whatever has a place
    for _ in 0..5 {
        assert_eq!(torus.reason(), None);
        torus.silent();
    }
    assert_eq!(torus.reason(), Some("no_wall"));
}

#[test]
fn idle_time_begins_only_when_a_wall_is_due() {
    let mut torus = corridor(&[("idle_rounds", 3), ("wall_one_in", 1_000_000)]);
    for _ in 0..100 {
        torus.silent();
    }
    assert_eq!(torus.reason(), None);
}

#[test]
fn idle_rounds_of_zero_never_end_a_game() {
    let mut torus = corridor(&[("idle_rounds", 0)]);
    for _ in 0..100 {
        torus.silent();
    }
    assert_eq!(torus.reason(), None);
}

#[test]
fn over_after_the_last_round() {
    let mut torus = Torus::new(3, 1, &[("max_rounds", 4)]);
    for turn in 0..12 {
        assert_eq!(torus.reason(), None);
        torus.turn(&[turn % 5]);
    }
    assert_eq!(torus.reason(), Some("max_rounds"));
}

/// Plays one round of silence and returns the scores.
fn scores(target: Cell, players: &[Cell], walls: Walls) -> Vec<i64> {
    let mut torus = Torus::at(target, players, walls, &[("max_rounds", 1)]);
    players.iter().for_each(|_| torus.silent());
    assert_eq!(torus.effects("distance").len(), players.len(), "each distance is in the log");
    torus.scores()
}

#[test]
fn the_nearest_wins_across_the_edges_too() {
    let players = [cell(2, 2), cell(62, 63), cell(32, 32)];
    assert_eq!(scores(cell(0, 0), &players, Walls::none()), [0, 1, 0]);
}

#[test]
fn distance_is_rows_and_columns_together() {
    let players = [cell(3, 3), cell(0, 5)]; // 3 king's steps and 5; 18 and 25 as squares
    assert_eq!(scores(cell(0, 0), &players, Walls::none()), [0, 1]);
}

#[test]
fn all_who_tie_win() {
    let players = [cell(0, 3), cell(61, 0), cell(2, 2), cell(1, 63 - 1)];
    assert_eq!(scores(cell(0, 0), &players, Walls::none()), [1, 1, 0, 1]);
}

#[test]
fn walls_make_nothing_farther() {
    let walls = Walls::from_iter([cell(0, 1)]);
    assert_eq!(scores(cell(0, 0), &[cell(0, 2), cell(3, 0)], walls), [1, 0]);
}

#[test]
fn the_target_stands_in_the_log_of_turn_0() {
    let mut torus = Torus::new(4, 9, &[]);
    torus.turn(&[STAY]);
    assert_eq!(torus.effects("target"), [(None, vec![number(torus.state().target())])]);
    torus.turn(&[STAY]);
    assert_eq!(torus.effects("target"), []);
}

// The start.

#[test]
fn nobody_starts_in_the_5x5_cells_around_another() {
    for seats in [2, 16, 40, 164] {
        for seed in 0..50 {
            let state = rules(seats, &[]).start(&mut Dice::for_start(Seed(seed)));
            let players = state.players();
            assert_eq!(players.len(), seats);
            for (index, player) in players.iter().enumerate() {
                let near = |other: &&Cell| player.steps_wrapped(**other) < 3;
                assert_eq!(players[..index].iter().filter(near).count(), 0, "{seats} seats, seed {seed}");
            }
        }
    }
}

#[test]
fn the_target_and_each_player_start_anywhere_alike() {
    let mut counts = vec![[0.0f64; 64]; 3];
    let rules = rules(2, &[]);
    for seed in 0..16_000 {
        let state: State = rules.start(&mut Dice::for_start(Seed(seed)));
        // By blocks of 8 x 8 cells.
        let block = |cell: Cell| usize::from(cell.row() / 8 * 8 + cell.column() / 8);
        counts[0][block(state.target())] += 1.0;
        counts[1][block(state.players()[0])] += 1.0;
        counts[2][block(state.players()[1])] += 1.0;
    }
    for counts in counts {
        let chi_squared: f64 = counts.iter().map(|count| (count - 250.0).powi(2) / 250.0).sum();
        assert!(chi_squared < 103.4, "{chi_squared} is over the 99.9 % point for 63 degrees");
    }
}

#[test]
fn the_target_may_lie_under_a_player() {
    let under = |seed| {
        let state = rules(164, &[]).start(&mut Dice::for_start(Seed(seed)));
        state.players().contains(&state.target())
    };
    assert!((0..200).any(under));
}

#[test]
fn the_whole_field_sits_at_one_table() {
    let entry = catalog::find("target").unwrap();
    let parameters = Parameters::defaults(PARAMETERS);
    let seats = |entrants| {
        let (parameters, seating) = entry.seat(&parameters, entrants).ok()?;
        assert_eq!(entry.start(&parameters, Seed(1)).info().seats, seating.len());
        Some(seating.len())
    };
    let known = [(1, 16), (3, 18), (5, 20), (8, 16), (15, 30), (16, 16), (17, 17), (33, 33), (164, 164)];
    for (entrants, expected) in known {
        assert_eq!(seats(entrants), Some(expected), "{entrants} entrants");
    }
    assert_eq!(seats(165), None);
}
