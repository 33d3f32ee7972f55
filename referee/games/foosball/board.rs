//! comFoosball in characters: a line for each row, with the fatigue of each man, the strength of both teams, and the
//! ball.

use std::cmp::Ordering;

use super::telling::CONTEST;
use super::{BALL, FATIGUE, MEN, ROW_MAX, TEAMS, strength};
use referee_rules::board::{Board, Drawing, Hue, Ink, Pen, Situation, number};
use referee_rules::{Seat, Thing};

pub(crate) const BOARD: Board =
    Board { drawings: &[Drawing { size: (WIDTH, 14), legend: LEGEND, ink: "" }], draw, sign: number };

const LEGEND: &[&str] = &[
    "a digit: a man, his fatigue in twenties",
    "1.98: the strength of a team on a row",
    "(o) the ball, ^ v which way it came",
];

/// Maximum number of men that are drawn one by one; more are counted.
const MEN_DRAWN: usize = 10;

const SIDE: usize = MEN_DRAWN + 6;

/// Columns to the left of the men, for the row's number.
const LEFT: usize = 6;

const WIDTH: usize = LEFT + 2 * SIDE + 7;

fn draw(situation: &Situation<'_>, _drawing: usize, pen: &mut dyn Pen, (x, y): (usize, usize)) {
    let ball = situation.position.get(BALL, None, None).unwrap_or(0);
    let left = x + LEFT;
    let right = left + SIDE + 7;
    pen.write(left, y, &format!("{:>SIDE$}", "HOME, seat 0"), Ink::of(Hue::Seat(0)));
    pen.write(right, y, "AWAY, seat 1", Ink::of(Hue::Seat(1)));
    goal(situation, 1, pen, (x, y + 1));
    for (row, y) in (-ROW_MAX..=ROW_MAX).rev().zip(y + 2..) {
        pen.write(x, y, &format!("{row:>4}"), Ink::FAINT);
        for team in 0..TEAMS {
            let men = men_on(situation, team, Some(row));
            let power: f64 = men.iter().map(|fatigue| strength(*fatigue) as f64 / (1u64 << 53) as f64).sum();
            let (signs, power) =
                (signs(&men), if men.is_empty() { String::new() } else { format!("{power:.2}") });
            let ink = Ink { bold: row == ball, ..Ink::of(Hue::Seat(team)) };
            if team == 0 {
                pen.write(left, y, &format!("{signs:>MEN_DRAWN$}{power:>6}"), ink);
            } else {
                pen.write(right, y, &format!("{power:<6}{signs}"), ink);
            }
        }
        if row == ball {
            pen.write(left + SIDE + 1, y, &format!("(o){}", momentum(situation)), Ink::BOLD);
        } else {
            pen.write(left + SIDE + 2, y, "|", Ink::FAINT);
        }
    }
    goal(situation, 0, pen, (x, y + 11));
    pen.write(x, y + 12, "bench", Ink::FAINT);
    for team in 0..TEAMS {
        let bench = signs(&men_on(situation, team, None));
        let text = if team == 0 { format!("{bench:>SIDE$}") } else { bench };
        pen.write(if team == 0 { left } else { right }, y + 12, &text, Ink::of(Hue::Seat(team)));
    }
    pen.write(x, y + 13, "HOME plays upwards, AWAY downwards", Ink::FAINT);
}

fn goal(situation: &Situation<'_>, team: usize, pen: &mut dyn Pen, (x, y): (usize, usize)) {
    let score = situation.position.get(Thing::SCORE, Some(Seat::new(1 - team)), None).unwrap_or(0);
    let whose = ["HOME", "AWAY"][team];
    let text = format!("== {whose}'s goal: {score} in it ==");
    pen.write(x + WIDTH.saturating_sub(text.len()) / 2, y, &text, Ink::of(Hue::Seat(team)));
}

/// Fatigues of the men on a row, or on the bench.
fn men_on(situation: &Situation<'_>, team: usize, row: Option<i64>) -> Vec<u32> {
    let (seat, position) = (Some(Seat::new(team)), situation.position);
    let is_here = |man: &usize| position.get(Thing::ROW, seat, Some(*man)) == row;
    let fatigue = |man| position.get(FATIGUE, seat, Some(man)).unwrap_or(0) as u32;
    (0..MEN).filter(is_here).map(fatigue).collect()
}

fn signs(fatigues: &[u32]) -> String {
    if fatigues.len() > MEN_DRAWN {
        return format!("{} men", fatigues.len());
    }
    fatigues.iter().map(|fatigue| char::from(b'0' + (fatigue / 20).min(9) as u8)).collect()
}

/// The direction from which the ball has just come: it moves up, down, or stays.
fn momentum(situation: &Situation<'_>) -> char {
    let contest = situation.occurrences.iter().rev().find(|occurrence| occurrence.name == CONTEST);
    match contest.and_then(|occurrence| Some(occurrence.to?.cmp(&occurrence.from?))) {
        Some(Ordering::Greater) => '^',
        Some(Ordering::Less) => 'v',
        _ => ' ',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_rules::Occurrence;
    use referee_rules::board::paper::{Paper, fact};

    #[test]
    fn men_strengths_ball_and_scores_are_drawn() {
        let man = |team, man, row: Option<i64>, fatigue| {
            let row = row.map(|row| fact(Thing::ROW, Some(team), Some(man), row));
            row.into_iter().chain([fact(FATIGUE, Some(team), Some(man), fatigue)])
        };
        let mut facts = vec![fact(BALL, None, None, 1), fact(Thing::SCORE, Some(0), None, 7)];
        facts.push(fact(Thing::SCORE, Some(1), None, 12));
        for (number, (row, fatigue)) in [(1, 0), (1, 19), (1, 20), (-4, 0), (4, 500)].into_iter().enumerate()
        {
            facts.extend(man(0, number, Some(row), fatigue));
        }
        (5..25).for_each(|number| facts.extend(man(0, number, None, 0)));
        (0..11).for_each(|number| facts.extend(man(1, number, Some(1), 0)));
        (11..21).for_each(|number| facts.extend(man(1, number, Some(-2), 0)));
        (21..26).for_each(|number| facts.extend(man(1, number, None, 40)));
        let contest = |to| Occurrence { from: Some(0), to: Some(to), ..Occurrence::new(CONTEST) };
        let paper = Paper::drawn(&BOARD, 0, facts.clone(), &[contest(1)]);
        let expected = [
            "          HOME, seat 0       AWAY, seat 1",
            "         == AWAY's goal: 7 in it ==",
            "   4           9  0.01  |",
            "   3                    |",
            "   2                    |",
            "   1         001  2.64 (o)^  11.00 11 men",
            "   0                    |",
            "  -1                    |",
            "  -2                    |    10.00 0000000000",
            "  -3                    |",
            "  -4           0  1.00  |",
            "         == HOME's goal: 12 in it ==",
            "bench           21 men       22222",
            "HOME plays upwards, AWAY downwards",
        ];
        assert_eq!(paper.lines(), expected);
        for (to, sign) in [(1, "(o)^"), (-1, "(o)v"), (0, "(o)")] {
            let lines = Paper::drawn(&BOARD, 0, facts.clone(), &[contest(to)]).lines();
            assert_eq!(lines[5], format!("   1         001  2.64 {sign:<4}  11.00 11 men"));
        }
        assert!(
            paper.places(|ink| ink.bold).iter().all(|(_, y)| *y == 5),
            "only the row of the ball is heavy"
        );
        assert!(paper.places(|ink| ink.bold).contains(&(13, 5)));
    }
}
