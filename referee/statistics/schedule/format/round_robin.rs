//! Round robin. At tables of two it is the circle method: all meet once in a cycle. At larger tables, a cycle
//! has every possible table of the field, up to [`TABLES_MAX`]; with more, it is a balanced deal that ends as
//! soon as all have met.

use crate::rank_by::RankBy;
use crate::schedule::balanced;
use crate::schedule::deal::{Apart, Occupant, derive, fill_up};
use crate::schedule::format::course::{blocks, lot};
use crate::schedule::format::{Contest, Rounds};
use referee_rules::{Dice, Parameter, Parameters};

/// The name of this kind.
pub(super) const NAME: &str = "round-robin";

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter::integer("cycles", 1, 1..=100, "number of times that all bots meet"),
    Parameter::integer(
        "blocks",
        1,
        1..=1000,
        "number of blocks (all rotations of one seating) that a table plays each time",
    ),
    RankBy::SETTING,
];

/// Maximum number of tables of a cycle that has every table: that of ten entrants at tables of four or of six.
const TABLES_MAX: usize = 210;

/// Number of dealt rounds, as a multiple of the number that would be enough if no pair ever met twice. Rounds
/// after all have met are dropped.
const ROUNDS_FACTOR: usize = 4;

pub(super) fn rounds(settings: &Parameters, contest: &Contest) -> Rounds {
    let (cycles, count) = (settings.get("cycles") as usize, settings.get("blocks") as usize);
    let seats = contest.seats().expect("checked: the game has tables");
    let field: Vec<usize> = (0..contest.entrants).collect();
    let contest = contest.clone();
    let deal: Box<dyn Iterator<Item = Vec<Vec<Occupant>>> + Send> = if field.len() < 2 {
        Box::new(std::iter::empty())
    } else if seats == 2 {
        Box::new((0..cycles * cycle_of(field.len())).map(move |round| of_two(&field, round)))
    } else if tables_of(field.len(), seats) <= TABLES_MAX {
        let contest = contest.clone();
        Box::new((0..cycles).map(move |cycle| every_table(&field, seats, &mut lot(&contest, cycle as u32))))
    } else {
        Box::new(until_all_have_met(&contest, seats, cycles).into_iter())
    };
    Box::new(deal.zip(1..).map(move |(tables, round)| blocks(&contest, round, &tables, count)))
}

/// Returns the number of rounds of the circle method until all have met once.
pub(super) fn cycle_of(entrants: usize) -> usize {
    (entrants + entrants % 2).saturating_sub(1)
}

/// Pairs a field for a round, from 0, by the circle method. The first of a pair plays at home: each bot does
/// so in half of its matches of a cycle, as nearly as possible. In an odd field, one bot rests.
pub(super) fn circle(field: &[usize], round: usize) -> Vec<(usize, usize)> {
    let pairs = balanced::circle(field, round % cycle_of(field.len()).max(1));
    let mut pairs: Vec<(usize, usize)> =
        pairs.into_iter().filter_map(|(one, other)| Some((one, other?))).collect();
    // The first of the field never moves and would always be on the same side.
    if let Some((one, other)) = pairs.first_mut().filter(|(one, _)| *one == field[0] && round % 2 == 1) {
        std::mem::swap(one, other);
    }
    pairs
}

fn of_two(field: &[usize], round: usize) -> Vec<Vec<Occupant>> {
    let pairs = circle(field, round).into_iter();
    pairs.map(|(one, other)| vec![(one, false), (other, false)]).collect()
}

/// Returns the number of different full tables of a field; 1 if it fills none.
fn tables_of(entrants: usize, seats: usize) -> usize {
    (0..seats)
        .fold(1usize, |product, taken| product.saturating_mul(entrants.saturating_sub(taken)) / (taken + 1))
        .max(1)
}

/// Deals every possible table of a field, or a single one if the field does not fill it.
fn every_table(field: &[usize], seats: usize, dice: &mut Dice) -> Vec<Vec<Occupant>> {
    let tables = if field.len() <= seats { vec![field.to_vec()] } else { choices(field, seats) };
    let fill = |mut table: Vec<usize>| {
        dice.shuffle(&mut table); // the order of the seats
        fill_up(&table, field, seats, Apart::default(), dice)
    };
    tables.into_iter().map(fill).collect()
}

/// Lists all subsets of this size of a field.
fn choices(field: &[usize], count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, first) in field.iter().enumerate() {
        for rest in choices(&field[index + 1..], count - 1) {
            all.push([vec![*first], rest].concat());
        }
    }
    all
}

/// Deals balanced rounds until each two have met this number of times.
fn until_all_have_met(contest: &Contest, seats: usize, cycles: usize) -> Vec<Vec<Vec<Occupant>>> {
    let entrants = contest.entrants;
    let field: Vec<usize> = (0..entrants).collect();
    let mut dice = Dice::for_start(derive(contest.seed, "round robin", [contest.season, cycles as u32, 0]));
    let rounds_max = ROUNDS_FACTOR * cycles * (entrants - 1).div_ceil(seats - 1);
    let mut met = vec![vec![0; entrants]; entrants];
    let mut rounds = Vec::new();
    for tables in balanced::deal(entrants, seats, rounds_max, &mut dice) {
        for table in &tables {
            for (one, other) in table.iter().flat_map(|one| table.iter().map(move |other| (*one, *other))) {
                met[one][other] += 1;
            }
        }
        rounds.push(
            tables.iter().map(|bots| fill_up(bots, &field, seats, Apart::default(), &mut dice)).collect(),
        );
        if met.iter().flatten().all(|count| *count >= cycles) {
            break;
        }
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_are_paired_as_in_table_1_of_comfoosball() {
        // Teams from 1. In round r the first meets 11 - r, and a meets b if (a - 2) + (b - 2) = -2r mod 9.
        const TABLE_1: [[(usize, usize); 5]; 9] = [
            [(1, 10), (2, 9), (3, 8), (4, 7), (5, 6)],
            [(1, 9), (8, 10), (2, 7), (3, 6), (4, 5)],
            [(1, 8), (7, 9), (6, 10), (2, 5), (3, 4)],
            [(1, 7), (6, 8), (5, 9), (4, 10), (2, 3)],
            [(1, 6), (5, 7), (4, 8), (3, 9), (2, 10)],
            [(1, 5), (4, 6), (3, 7), (2, 8), (9, 10)],
            [(1, 4), (3, 5), (2, 6), (7, 10), (8, 9)],
            [(1, 3), (2, 4), (5, 10), (6, 9), (7, 8)],
            [(1, 2), (3, 10), (4, 9), (5, 8), (6, 7)],
        ];
        let teams: Vec<usize> = (1..=10).collect();
        for (round, expected) in TABLE_1.iter().enumerate() {
            let mut expected = expected.to_vec();
            expected.sort_unstable();
            let pairs = circle(&teams, round).into_iter();
            let mut pairs: Vec<(usize, usize)> = pairs.map(|(a, b)| (a.min(b), a.max(b))).collect();
            pairs.sort_unstable();
            assert_eq!(pairs, expected, "round {}", round + 1);
            let number = round as i64 + 1;
            for (a, b) in pairs.into_iter().map(|(a, b)| (a as i64, b as i64)) {
                let is_in_table = if a == 1 { b == 11 - number } else { (a + b - 4 + 2 * number) % 9 == 0 };
                assert!(is_in_table, "{a} and {b} in round {number}");
            }
        }
    }

    #[test]
    fn all_meet_once_a_cycle_and_are_at_home_about_as_often_as_not() {
        for entrants in 2..=20 {
            let field: Vec<usize> = (0..entrants).collect();
            let mut met = vec![vec![0; entrants]; entrants];
            let mut home = vec![0i32; entrants];
            for (one, other) in (0..cycle_of(entrants)).flat_map(|round| circle(&field, round)) {
                met[one][other] += 1;
                met[other][one] += 1;
                home[one] += 1;
                home[other] -= 1;
            }
            for (one, row) in met.iter().enumerate() {
                assert!(row.iter().enumerate().all(|(other, count)| *count == u32::from(one != other)));
            }
            // In an odd field, two bots have one game less at home, or away, because of the round in which they rest.
            let most = if entrants % 2 == 0 { 1 } else { 2 };
            assert!(home.iter().all(|surplus| surplus.abs() <= most), "{entrants}: {home:?}");
        }
    }

    #[test]
    fn there_are_as_many_tables_as_choices() {
        for (entrants, seats, count) in
            [(4, 4, 1), (3, 4, 1), (6, 4, 15), (10, 4, 210), (10, 6, 210), (60, 6, 50_063_860)]
        {
            assert_eq!(tables_of(entrants, seats), count);
        }
        assert_eq!(choices(&[0, 1, 2, 3, 4, 5], 4).len(), 15);
    }
}
