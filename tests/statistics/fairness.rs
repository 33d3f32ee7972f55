//! The p-values of fairness, compared with closed forms, and when there is none.

use referee_record::Share;
use referee_record::game_result::GameResult;
use referee_rules::FaultKind;
use referee_statistics::fairness::{BotGames, Fairness, FairnessFinding, SeatGames};
use referee_statistics::rounds::{Dealt, Round};

use super::{bot, game, near, scheduled};
use crate::random::Random;

fn add(fairness: &mut Fairness, game: &GameResult) {
    fairness.add(&game.iter().collect::<Vec<_>>());
}

fn finding(fairness: &Fairness, question: &str) -> FairnessFinding {
    fairness.findings().into_iter().find(|finding| finding.question == question).expect("a question")
}

/// Returns the p-value for "all seats are equally good" of rounds with one block of one game each.
fn p_of_seats(blocks: &[Vec<f64>]) -> Option<f64> {
    let mut fairness = Fairness::new(Dealt::Uniform(1));
    for (round, shares) in (1..).zip(blocks) {
        let shares: Vec<(usize, f64)> = shares.iter().copied().enumerate().collect();
        let game = game(scheduled(round, 1, 1), &shares);
        add(&mut fairness, &game);
        fairness.add_round(&Round::new(round, vec![game], Vec::new()));
    }
    finding(&fairness, "mean share of a seat").p_value
}

/// Blocks with shares at random, in which seat 0 is a little better.
fn blocks(seats: usize, count: usize) -> Vec<Vec<f64>> {
    let mut random = Random::new(17);
    let mut share = |seat: usize| {
        let spread = [200, 300, 500, 400][seat];
        0.5 + random.between(-spread, spread) as f64 / 4000.0 + if seat == 0 { 0.025 } else { 0.0 }
    };
    (0..count).map(|_| (0..seats).map(&mut share).collect()).collect()
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

#[test]
fn the_seats_of_three_are_tested_by_t_squared_of_hotelling_in_its_closed_form() {
    let blocks = blocks(3, 30);
    let count = blocks.len() as f64;
    // The advantage of seats 0 and 1 over their block's mean.
    let more = |seat: usize| blocks.iter().map(move |block| block[seat] - mean(block.iter().copied()));
    let (x, y) = (mean(more(0)), mean(more(1)));
    let sum = |products: f64| products / (count - 1.0);
    let xx = sum(more(0).map(|value| (value - x).powi(2)).sum());
    let yy = sum(more(1).map(|value| (value - y).powi(2)).sum());
    let xy = sum(more(0).zip(more(1)).map(|(one, other)| (one - x) * (other - y)).sum());
    let t_squared = count * (yy * x * x - 2.0 * xy * x * y + xx * y * y) / (xx * yy - xy * xy);
    // With two degrees of freedom the distribution has a closed form.
    let due = (1.0 + t_squared / (count - 1.0)).powf(-(count - 2.0) / 2.0);
    let found = p_of_seats(&blocks).expect("enough blocks");
    assert!((found - due).abs() < 1e-9 && due > 1e-6 && due < 0.1, "{found}, and not {due}");
}

#[test]
fn the_order_of_the_seats_does_not_change_their_test() {
    let blocks = blocks(4, 40);
    let due = p_of_seats(&blocks).expect("enough blocks");
    assert!(due > 1e-6 && due < 0.5, "{due}");
    for order in [[1, 0, 2, 3], [3, 2, 1, 0], [1, 2, 3, 0], [2, 0, 3, 1]] {
        let turned: Vec<Vec<f64>> =
            blocks.iter().map(|block| order.iter().map(|seat| block[*seat]).collect()).collect();
        near(p_of_seats(&turned).expect("enough blocks"), due);
    }
}

#[test]
fn the_seats_are_tested_from_ten_blocks_and_two_for_each_free_seat_on() {
    let blocks = blocks(3, 14);
    assert_eq!(p_of_seats(&blocks[..13]), None);
    assert!(p_of_seats(&blocks).is_some());
}

#[test]
fn the_seats_of_a_block_have_the_mean_of_its_games_and_a_block_with_a_filler_is_left_out() {
    // Two games a block; in a pair of games, one is moved up and the other down, which no mean shows.
    let blocks = blocks(3, 20);
    let mut fairness = Fairness::new(Dealt::Uniform(2));
    for (round, shares) in (1..).zip(&blocks) {
        let with = |rotation, more: f64| {
            let shares: Vec<(usize, f64)> =
                shares.iter().enumerate().map(|(seat, share)| (seat, share + more * seat as f64)).collect();
            game(scheduled(round, 1, rotation), &shares)
        };
        let mut games = vec![with(1, 0.125), with(2, -0.125)];
        fairness.add_round(&Round::new(round, games.clone(), Vec::new()));
        games[1][2].counts = false;
        games[1][2].share = Share::WHOLE;
        fairness.add_round(&Round::new(round, games, Vec::new()));
    }
    near(
        finding(&fairness, "mean share of a seat").p_value.expect("blocks"),
        p_of_seats(&blocks).expect("blocks"),
    );
}

/// Six bots at two tables of three, ten rounds: the same tables in the first `alike` rounds, others in the rest.
fn met(alike: usize, rounds: usize, dealt: Dealt) -> FairnessFinding {
    let mut fairness = Fairness::new(dealt);
    for (number, round) in (1..).zip(0..rounds) {
        let tables = if round < alike { [[0, 1, 2], [3, 4, 5]] } else { [[0, 1, 3], [2, 4, 5]] };
        let table = |(table, bots): (u32, [usize; 3])| {
            game(scheduled(number, table, 1), &bots.map(|bot| (bot, 1.0 / 3.0)))
        };
        let games: Vec<GameResult> = (1..).zip(tables).map(table).collect();
        games.iter().for_each(|game| add(&mut fairness, game));
        // A second game of the same block is not another meeting.
        add(&mut fairness, &game(scheduled(number, 1, 2), &tables[0].map(|bot| (bot, 1.0 / 3.0))));
        fairness.add_round(&Round::new(number, games, Vec::new()));
    }
    finding(&fairness, "tables at which two bots met")
}

/// The chance of a chi square of 9 degrees of freedom above this.
fn chi_squared_of_nine(x: f64) -> f64 {
    // By parts from one degree of freedom: 2 Q(sqrt x) and a sum. Q by Simpson's rule.
    let density = |z: f64| (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let (from, to, steps) = (x.sqrt(), x.sqrt() + 12.0, 20_000);
    let width = (to - from) / f64::from(steps);
    let weight = |step| if step == 0 || step == steps { 1.0 } else { 2.0 + 2.0 * f64::from(step % 2) };
    let tail: f64 = (0..=steps).map(|step| weight(step) * density(from + width * f64::from(step))).sum();
    let root = x.sqrt();
    let sum = root + root.powi(3) / 3.0 + root.powi(5) / 15.0 + root.powi(7) / 105.0;
    2.0 * tail * width / 3.0 + 2.0 * density(root) * sum
}

#[test]
fn meetings_are_tested_by_their_distances_from_what_is_due() {
    // Of fifteen pairs, 0-1 and 4-5 meet ten times; 0-2, 1-2, 3-4, 3-5 six times; 0-3, 1-3, 2-4, 2-5 four
    // times; the other five never. Two meet in two of five rounds, so 4 times are expected.
    let found = met(6, 10, Dealt::Uniform(3));
    assert_eq!(found.found, "0 to 10");
    let distances = 2.0 * 36.0 + 4.0 * 4.0 + 4.0 * 0.0 + 5.0 * 16.0;
    let variance = 10.0 * 0.4 * 0.6 * 5.0 / 3.0;
    near(found.p_value.expect("ten rounds"), chi_squared_of_nine(distances / variance));
    assert!(found.suspicious);
}

#[test]
fn meetings_are_tested_only_where_chance_alone_decides_them() {
    assert!(met(5, 10, Dealt::Uniform(3)).p_value.is_some());
    assert!(met(5, 10, Dealt::Balanced(3)).p_value.is_some());
    let none = |found: FairnessFinding| assert_eq!((found.p_value, found.suspicious), (None, false));
    none(met(5, 9, Dealt::Uniform(3)));
    none(met(5, 10, Dealt::Apart(3)));
    none(met(5, 10, Dealt::Racing(3)));
}

/// Plays rounds in which bots sit in their order, and returns whether meetings are tested.
fn meetings_are_tested(bots: usize, seats: usize) -> bool {
    let mut fairness = Fairness::new(Dealt::Uniform(bots.div_ceil(seats)));
    for number in 1..=12 {
        let order: Vec<usize> = (0..bots).collect();
        let table = |(table, bots): (u32, &[usize])| {
            let shares: Vec<(usize, f64)> = bots.iter().map(|bot| (*bot, 0.5)).collect();
            game(scheduled(number, table, 1), &shares)
        };
        let games: Vec<GameResult> = (1..).zip(order.chunks(seats)).map(table).collect();
        games.iter().for_each(|game| add(&mut fairness, game));
        fairness.add_round(&Round::new(number, games, Vec::new()));
    }
    finding(&fairness, "tables at which two bots met").p_value.is_some()
}

#[test]
fn meetings_are_tested_only_with_full_tables_of_a_part_of_five_bots_or_more() {
    let tested = [(6, 2), (6, 3), (8, 4)];
    let untested = [(4, 2), (5, 5), (6, 4), (6, 1), (7, 2)];
    tested.into_iter().for_each(|(bots, seats)| assert!(meetings_are_tested(bots, seats), "{bots} {seats}"));
    untested
        .into_iter()
        .for_each(|(bots, seats)| assert!(!meetings_are_tested(bots, seats), "{bots} {seats}"));
}

/// Games of two bots at a table of four seats, with faults: by seat, the number of games in 100 that have
/// one.
fn faulty(games_with_faults: [u32; 4]) -> Fairness {
    let mut fairness = Fairness::new(Dealt::Uniform(1));
    for round in 0..100 {
        let mut game = game(scheduled(round + 1, 1, 1), &[(0, 0.4), (1, 0.3), (2, 0.2), (3, 0.1)]);
        for (row, faulty) in game.iter_mut().zip(games_with_faults) {
            if round < faulty {
                row.faults[FaultKind::Illegal as usize] = 2;
                row.faults[FaultKind::Late as usize] = 1;
            }
        }
        add(&mut fairness, &game);
    }
    fairness
}

#[test]
fn faults_in_seats_are_tested_by_the_chi_square_of_pearson() {
    let fairness = faulty([10, 20, 30, 40]);
    let found = finding(&fairness, "games with a fault in a seat");
    assert_eq!(found.found, "10 to 40");
    // 20, with three degrees of freedom: from a table.
    assert!((found.p_value.expect("enough") - 0.000_169_742).abs() < 1e-9, "{found:?}");
    assert!(found.suspicious);
    let even = finding(&faulty([25, 25, 25, 25]), "games with a fault in a seat");
    assert_eq!((even.p_value, even.suspicious), (Some(1.0), false));
}

#[test]
fn faults_in_seats_are_tested_where_five_are_due_in_each() {
    let p_value = |faults| finding(&faulty(faults), "games with a fault in a seat").p_value;
    assert!(p_value([20, 0, 0, 0]).is_some());
    assert_eq!(p_value([19, 0, 0, 0]), None);
    let nothing = Fairness::new(Dealt::Uniform(1));
    assert_eq!(finding(&nothing, "games with a fault in a seat").p_value, None);
    // A single seat has nothing to be compared with.
    let mut alone = Fairness::new(Dealt::Uniform(1));
    let mut one = game(scheduled(1, 1, 1), &[(0, 1.0)]);
    one[0].faults[FaultKind::Late as usize] = 1;
    (0..20).for_each(|_| add(&mut alone, &one));
    assert_eq!(finding(&alone, "games with a fault in a seat").p_value, None);
}

#[test]
fn a_seat_has_its_games_their_mean_share_and_its_faults() {
    let seat = |seat, mean_share, faults, games_with_faults| SeatGames {
        seat,
        games: 100,
        mean_share,
        faults,
        games_with_faults,
    };
    let due = [seat(0, 0.4, 30, 10), seat(1, 0.3, 60, 20), seat(2, 0.2, 0, 0), seat(3, 0.1, 120, 40)];
    assert_eq!(faulty([10, 20, 0, 40]).seats(), due);
}

#[test]
fn a_bot_has_its_games_its_blocks_and_those_of_its_rarest_and_commonest_seats_and_companions() {
    let mut fairness = Fairness::new(Dealt::Uniform(1));
    let tables = [[0, 1], [1, 0], [0, 1], [0, 2], [3, 4]];
    for (round, [one, other]) in (1..).zip(tables) {
        add(&mut fairness, &game(scheduled(round, 1, 1), &[(one, 0.5), (other, 0.5)]));
    }
    // A filler is never counted, and a later game of a block is not another block.
    let mut later = game(scheduled(1, 1, 2), &[(2, 0.5), (0, 0.5)]);
    later[1].counts = false;
    add(&mut fairness, &later);
    let line = |number, games, blocks, games_by_seat, meetings| BotGames {
        bot: bot(number),
        games,
        blocks,
        games_by_seat,
        meetings,
    };
    let due = [
        line(0, 4, 4, (1, 3), (0, 3)),
        line(1, 3, 3, (1, 2), (0, 3)),
        line(2, 2, 1, (1, 1), (0, 1)),
        line(3, 1, 1, (0, 1), (0, 1)),
        line(4, 1, 1, (0, 1), (0, 1)),
    ];
    assert_eq!(fairness.bots(), due);
    assert_eq!(finding(&fairness, "games of a bot in a seat").found, "0 to 3");
    assert_eq!(finding(&fairness, "blocks of a bot").found, "1 to 4");
}

/// Plays blocks of two games at tables of two. Each bot has `extra` games more in its first seat.
fn seats_apart(extra: u32) -> Fairness {
    let mut fairness = Fairness::new(Dealt::Uniform(2));
    for round in 1..=20 {
        add(&mut fairness, &game(scheduled(round, 1, 1), &[(0, 0.5), (1, 0.5)]));
        add(&mut fairness, &game(scheduled(round, 1, 2), &[(1, 0.5), (0, 0.5)]));
    }
    for rotation in 0..extra {
        add(&mut fairness, &game(scheduled(21, 1, rotation + 2), &[(0, 0.5), (1, 0.5)]));
    }
    fairness
}

#[test]
fn one_game_more_in_a_seat_is_an_unfinished_block_and_two_are_a_sign() {
    let suspicious = |extra| finding(&seats_apart(extra), "games of a bot in a seat").suspicious;
    assert_eq!([0, 1, 2].map(suspicious), [false, false, true]);
}

#[test]
fn one_block_more_is_an_unfinished_round_and_two_are_a_sign_but_for_some_formats() {
    let found = |more: u32, dealt| {
        let mut fairness = Fairness::new(dealt);
        for round in 0..10 {
            add(&mut fairness, &game(scheduled(round + 1, 1, 1), &[(0, 0.5), (1, 0.5)]));
        }
        for round in 0..10 - more {
            add(&mut fairness, &game(scheduled(round + 1, 2, 1), &[(2, 0.5), (3, 0.5)]));
        }
        let finding = finding(&fairness, "blocks of a bot");
        (finding.found, finding.suspicious)
    };
    assert_eq!(found(0, Dealt::Uniform(2)), ("10 to 10".to_owned(), false));
    assert_eq!(found(1, Dealt::WithoutRounds), ("9 to 10".to_owned(), false));
    assert_eq!(found(2, Dealt::Uniform(2)), ("8 to 10".to_owned(), true));
    for dealt in [Dealt::WithoutRounds, Dealt::Racing(2)] {
        assert_eq!(found(2, dealt), ("8 to 10 (because of the format)".to_owned(), false));
    }
}

#[test]
fn a_podium_has_three_places() {
    // Bot 3 is fourth, and the first without the games in which it was silent.
    let mut fairness = Fairness::new(Dealt::Uniform(1));
    for round in 1..=4 {
        let mut game = game(scheduled(round, 1, 1), &[(0, 0.4), (1, 0.3), (2, 0.2), (3, 0.1)]);
        if round > 1 {
            game[3].faults[FaultKind::Late as usize] = 1;
            game[3].share = Share::default();
        } else {
            game[3].share = Share::of(0.5);
        }
        add(&mut fairness, &game);
    }
    let found = finding(&fairness, "the podium if games with a silent bot are left out");
    assert_eq!(found.found, "1 bot3, 2 bot0, 3 bot1 (not 1 bot0, 2 bot1, 3 bot2)");
    assert!(found.suspicious);
    let mut same = Fairness::new(Dealt::Uniform(1));
    let mut illegal = game(scheduled(1, 1, 1), &[(0, 0.6), (1, 0.4)]);
    illegal[0].faults[FaultKind::Illegal as usize] = 3;
    add(&mut same, &illegal);
    let found = finding(&same, "the podium if games with a silent bot are left out");
    assert_eq!(
        (found.found.as_str(), found.suspicious),
        ("the same", false),
        "a bot that speaks is not silent"
    );
}
