//! Gauntlet: one entrant sits at every table, and every other entrant meets it once in a round.

use crate::rank_by::RankBy;
use crate::schedule::balanced;
use crate::schedule::deal::{Apart, Occupant, derive, fill_up};
use crate::schedule::format::course::blocks;
use crate::schedule::format::{Contest, Rounds};
use referee_rules::{Dice, Parameter, Parameters};

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter::integer(
        CHALLENGER,
        1,
        1..=100_000,
        "number of the entrant that meets all others, in the order of the file, from 1",
    ),
    Parameter::integer(
        "rounds",
        1,
        1..=100_000,
        "number of times that every other entrant meets the challenger",
    ),
    Parameter::integer(
        "blocks",
        1,
        1..=1000,
        "number of blocks (all rotations of one seating) that a table plays each time",
    ),
    RankBy::SETTING,
];

/// The name of this kind.
pub(super) const NAME: &str = "gauntlet";

/// Returns the challenger, by index.
pub(super) fn challenger(settings: &Parameters) -> usize {
    settings.get(CHALLENGER) as usize - 1
}

/// The parameter that names the challenger.
pub(super) const CHALLENGER: &str = "challenger";

pub(super) fn rounds(settings: &Parameters, contest: &Contest) -> Rounds {
    let challenger = challenger(settings);
    let (rounds, count) = (settings.get("rounds") as usize, settings.get("blocks") as usize);
    let others: Vec<usize> = (0..contest.entrants).filter(|entrant| *entrant != challenger).collect();
    if others.is_empty() {
        return Box::new(std::iter::empty());
    }
    let seats = contest.seats().expect("checked: the game has tables") - 1;
    let mut dice = Dice::for_start(derive(contest.seed, "gauntlet", [contest.season, rounds as u32, 0]));
    let dealt = match seats {
        1 => vec![(0..others.len()).map(|other| vec![other]).collect(); rounds],
        _ => balanced::deal(others.len(), seats, rounds, &mut dice),
    };
    let contest = contest.clone();
    Box::new(dealt.into_iter().zip(1..).map(move |(tables, round)| {
        let seat = |company: &Vec<usize>| {
            let company: Vec<usize> = company.iter().map(|index| others[*index]).collect();
            let mut table: Vec<Occupant> = fill_up(&company, &others, seats, Apart::default(), &mut dice);
            table.push((challenger, false));
            dice.shuffle(&mut table);
            table
        };
        let tables: Vec<Vec<Occupant>> = tables.iter().map(seat).collect();
        blocks(&contest, round, &tables, count)
    }))
}
