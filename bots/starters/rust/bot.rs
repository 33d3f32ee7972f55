//! A bot to begin with. It plays all four games, each in a function of its own: keep the one that you want and make
//! it better. What the integers of a question and of an answer mean stands in the referee's protocol.md.

use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let game = variable("REFEREE_GAME");
    eprintln!("I play {game} in seat {}", variable("REFEREE_SEAT")); // debug to standard error only
    let mut walls = vec![false; 4097]; // Invisible Target tells each wall once: remember it
    let (mut input, mut line, mut number) = (io::stdin().lock(), String::new(), 0);
    // One line is one question, until the game is over: how many integers follow, then they. Half a line is none.
    while input.read_line(&mut line)? > 0 && line.ends_with('\n') {
        number += 1;
        let question: Vec<i32> =
            line.split_whitespace().skip(1).map(|word| word.parse().expect("an integer")).collect();
        line.clear();
        let answer = match game.as_str() {
            "football" => football(&question),
            "foosball" => foosball(&question),
            "push" => push(&question),
            "target" => target(&question, &mut walls),
            _ => panic!("REFEREE_GAME is {game:?}, and I cannot play that"),
        };
        let words: String = answer.iter().map(|value| format!(" {value}")).collect();
        println!("@{number}{words}"); // the tag `@i` says which question this answers
        io::stdout().flush()?; // or nobody sees it
    }
    Ok(())
}

/// Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell.
fn football(q: &[i32]) -> Vec<i32> {
    let (turn, seat, p, k) = (q[0], q[1] as usize, q[2] as usize, q[3]);
    let home = [0, 31, 992, 1023][seat]; // a cell is 32 * row + column
    let own = &q[10 + seat * p..][..p]; // where your players are
    let balls = &q[10 + 4 * p..]; // how many balls lie on each cell
    let square = |a: i32, b: i32| (a / 32 - b / 32).pow(2) + (a % 32 - b % 32).pow(2);
    let steps = |a: i32, b: i32| (a / 32 - b / 32).abs().max((a % 32 - b % 32).abs());
    if turn == 0 { // spread them over the 16x16 cells around home
        let places = (0..p).map(|player| (player * 256 / p) as i32);
        return places.map(|n| 32 * (home / 32 - n / 16).abs() + (home % 32 - n % 16).abs()).collect();
    }
    let order = |&cell: &i32| {
        if balls[cell as usize] > 0 {
            // Kick: of all cells in range the one nearest to home.
            let in_range = (0..1024).filter(|&to| square(cell, to) <= k * k);
            return 9 + in_range.min_by_key(|&to| square(to, home)).unwrap_or(cell);
        }
        // Step to the nearest ball, and among equals homeward.
        let targets = (0..1024).filter(|&to| balls[to as usize] > 0);
        let ball = targets.min_by_key(|&to| 2048 * steps(cell, to) + square(to, home)).unwrap_or(cell);
        3 * ((ball / 32 - cell / 32).signum() + 1) + (ball % 32 - cell % 32).signum() + 1
    };
    own.iter().map(order).collect()
}

/// comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows.
fn foosball(q: &[i32]) -> Vec<i32> {
    let (round, ball, mut rows) = (q[2], q[3], q[4..30].to_vec());
    if round % 200 == 0 {
        // A quarter begins: spread them; each time four others rest.
        let row = |man: i32| if (man + round / 50) % 26 < 22 { man % 9 - 4 } else { 100 };
        return (0..26).map(row).collect();
    }
    // Within a quarter one man may take one step: towards the ball.
    let away = (0..26).filter(|&man| rows[man].abs() <= 4 && rows[man] != ball);
    if let Some(man) = away.min_by_key(|&man| (rows[man] - ball).abs()) {
        rows[man] += (ball - rows[man]).signum();
    }
    rows
}

/// Push. A slot and a direction: the push that adds most to your score in this turn.
fn push(q: &[i32]) -> Vec<i32> {
    const WAYS: [(i32, i32); 6] = [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)]; // up-left, up-right, left, ...
    const HOMES: [(i32, i32); 6] = [(-4, 0), (-4, 4), (0, 4), (4, 0), (4, -4), (0, -4)]; // rows and slanted columns
    const MINE: [[usize; 3]; 6] = [[3, 4, 5], [2, 4, 5], [0, 2, 4], [0, 1, 2], [0, 1, 3], [1, 3, 5]];
    let (seat, coins) = (q[2] as usize, &q[3..64]);
    let row = |r: i32| ((-4).max(-4 - r)..=4.min(4 - r)).map(move |c| (r, c));
    let slots: Vec<(i32, i32)> = (-4..=4).flat_map(row).collect();
    let steps = |a: (i32, i32), b: (i32, i32)| {
        let (down, right) = (a.0 - b.0, a.1 - b.1);
        down.abs().max(right.abs()).max((down + right).abs())
    };
    // What a coin is worth to you there.
    let bonus = |slot| {
        let others = (0..6).filter(|&other| other != seat).map(|other| steps(slot, HOMES[other]));
        (others.min().unwrap_or(0) - steps(slot, HOMES[seat])).max(0)
    };
    let home = slots.iter().position(|&slot| slot == HOMES[seat]).unwrap_or(0);
    let (mut best, mut answer) = (-1000, vec![home as i32, MINE[seat][0] as i32]);
    for (number, &slot) in slots.iter().enumerate() {
        for way in MINE[seat] {
            let to = (slot.0 + WAYS[way].0, slot.1 + WAYS[way].1);
            let gain = coins[number] * (bonus(to) - bonus(slot));
            if coins[number] > 0 && slots.contains(&to) && gain > best {
                (best, answer) = (gain, vec![number as i32, way as i32]);
            }
        }
    }
    answer
}

/// Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away.
fn target(q: &[i32], walls: &mut [bool]) -> Vec<i32> {
    let (own, wall, enemies) = (q[0], q[1] as usize, &q[2..]);
    walls[wall] = true; // 4096, no wall, does no harm
    let gap = |a: i32, b: i32| (a - b).rem_euclid(64).min((b - a).rem_euclid(64)); // the shorter way round
    let distance = |a: i32, b: i32| gap(a / 64, b / 64) + gap(a % 64, b % 64);
    let room = |cell| enemies.iter().map(|&enemy| distance(cell, enemy)).min().unwrap_or(0);
    let (mut best, mut answer) = (room(own), 2);
    for (step, down, right) in [(0, -1, 0), (1, 0, -1), (3, 0, 1), (4, 1, 0)] {
        let to = (own / 64 + down).rem_euclid(64) * 64 + (own % 64 + right).rem_euclid(64);
        if !walls[to as usize] && !enemies.contains(&to) && room(to) > best {
            (best, answer) = (room(to), step);
        }
    }
    vec![answer]
}
