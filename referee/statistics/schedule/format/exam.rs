//! Exam: each student's bot sits with a panel of staff bots and with nobody else. All students play the same games: the
//! same seeds, the same seats, the same company. So they differ by their bots alone.
//!
//! The first entrants are the panel, weakest first; all others are students. If a table has no room for the whole
//! panel, the panel is divided into groups, and each group has a sub-tournament of its own.

use std::ops::Range;

use crate::schedule::deal::{Block, Occupant, Pairing, derive, pairings};
use crate::schedule::format::{Contest, Rounds};
use referee_rules::{Dice, Parameter, Parameters};

/// The name of this kind.
pub(super) const NAME: &str = "exam";

/// The parameter with the size of the panel.
pub(super) const PANEL: &str = "panel";

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter::integer(
        PANEL,
        1,
        1..=12,
        "number of entrants, from the first, that are the panel, weakest first",
    ),
    Parameter::integer(
        "rounds",
        20,
        1..=10_000,
        "maximum number of rounds; a student plays all seats in each",
    ),
];

/// Returns the number of entrants that are the panel.
pub(super) fn panel(settings: &Parameters) -> usize {
    settings.get(PANEL) as usize
}

/// Returns the maximum number of rounds.
pub(super) fn rounds_max(settings: &Parameters) -> u32 {
    settings.get("rounds") as u32
}

/// Returns the number of groups of the panel at tables of this number of seats.
pub(super) fn groups(settings: &Parameters, seats: usize) -> usize {
    panel(settings).div_ceil(seats.saturating_sub(1).max(1))
}

/// Returns the bots of the panel in a group, from 0. Groups differ by at most one bot in size.
fn group(settings: &Parameters, seats: usize, group: usize) -> Range<usize> {
    let (panel, groups) = (panel(settings), groups(settings, seats));
    let start = |group: usize| group * panel / groups;
    start(group)..start(group + 1)
}

/// Deals a round, from 1, of the group that the contest's season names, for these students, or for all.
///
/// Each game of a round has a seed and an order of the panel of its own, so that no game says anything of another. A
/// bot of the panel that has a second seat only fills it.
pub(super) fn round(
    settings: &Parameters,
    contest: &Contest,
    round: u32,
    students: Option<&[usize]>,
) -> Vec<Pairing> {
    let Contest { entry, ref parameters, entrants, seed, season, .. } = *contest;
    let panel = panel(settings);
    let rotations =
        entry.info(parameters).block.max(entry.teams().iter().max().map_or(1, |last| last + 1)) as u32;
    let companies: Vec<Vec<Occupant>> =
        (1..=rotations).map(|rotation| company(settings, contest, round, rotation)).collect();
    let mut games = Vec::new();
    for student in (panel..entrants).filter(|student| students.is_none_or(|chosen| chosen.contains(student)))
    {
        for (company, rotation) in companies.iter().zip(1..) {
            let table: Vec<Occupant> =
                std::iter::once((student, false)).chain(company.iter().copied()).collect();
            let rotated = pairings(seed, (season, round), entry, parameters, &[table], Block::OneSeating);
            let game = rotated.into_iter().find(|game| game.scheduled.rotation == rotation);
            let mut game = game.expect("a block has each rotation");
            game.scheduled.table = (student - panel + 1) as u32;
            game.seed = derive(seed, "exam", [season, round, rotation]);
            games.push(game);
        }
    }
    games
}

/// Deals all rounds, for all students.
pub(super) fn rounds(settings: &Parameters, contest: &Contest) -> Rounds {
    let (settings, contest) = (settings.clone(), contest.clone());
    Box::new((1..=rounds_max(&settings)).map(move |number| round(&settings, &contest, number, None)))
}

/// Draws the order of the panel in a game of a round, the same for all students. Who has a second seat changes from
/// game to game.
fn company(settings: &Parameters, contest: &Contest, round: u32, rotation: u32) -> Vec<Occupant> {
    let seats = contest.seats().expect("checked: the game has tables");
    let mut panel: Vec<usize> = group(settings, seats, contest.season as usize - 1).collect();
    let mut dice = Dice::for_start(derive(contest.seed, "exam company", [contest.season, round, rotation]));
    dice.shuffle(&mut panel);
    let mut company: Vec<Occupant> =
        (0..seats - 1).map(|seat| (panel[seat % panel.len()], seat >= panel.len())).collect();
    dice.shuffle(&mut company);
    company
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::catalog;
    use referee_rules::Seed;

    fn contest(game: &str, entrants: usize, season: u32) -> Contest {
        let entry = catalog::find(game).unwrap();
        let parameters = Parameters::defaults(entry.parameters);
        Contest { entry, parameters, entrants, authors: Vec::new(), seed: Seed(7), season }
    }

    fn settings(panel: i64) -> Parameters {
        let mut settings = Parameters::defaults(PARAMETERS);
        settings.set_text(PANEL, &panel.to_string()).unwrap();
        settings
    }

    #[test]
    fn all_students_play_the_same_games_and_meet_the_panel_alone() {
        for (game, panel) in [("push", 4), ("football", 3), ("football", 5), ("foosball", 4)] {
            let settings = settings(panel);
            let seats = contest(game, 9, 1).seats().unwrap();
            let mut met = Vec::new();
            for season in 1..=groups(&settings, seats) as u32 {
                let contest = contest(game, panel as usize + 3, season);
                for round in 1..4 {
                    let games = super::round(&settings, &contest, round, None);
                    let of = |student: u32| {
                        let own = games.iter().filter(move |game| game.scheduled.table == student);
                        own.map(move |game| {
                            // The student itself is compared as "0".
                            let bots = game.entrants.iter().map(|(_, bot)| {
                                if *bot == panel as usize + student as usize - 1 { 0 } else { *bot + 1 }
                            });
                            (
                                game.seed,
                                game.scheduled.rotation,
                                bots.collect::<Vec<_>>(),
                                game.fillers.clone(),
                            )
                        })
                        .collect::<Vec<_>>()
                    };
                    assert_eq!(of(1), of(2), "{game}");
                    assert_eq!(of(1), of(3), "{game}");
                    for (_, _, bots, _) in of(1) {
                        assert_eq!(
                            bots.iter().filter(|bot| **bot == 0).count(),
                            1,
                            "one student a game: {bots:?}"
                        );
                        assert!(bots.iter().all(|bot| *bot <= panel as usize), "nobody else: {bots:?}");
                        met.extend(bots);
                    }
                    let mut own: Vec<usize> = of(1)
                        .iter()
                        .map(|(_, _, bots, _)| bots.iter().position(|bot| *bot == 0).unwrap())
                        .collect();
                    own.sort_unstable();
                    own.dedup();
                    assert_eq!(own.len(), of(1).len(), "{game}: another seat in each game");
                    let mut seeds: Vec<u64> = of(1).iter().map(|(seed, ..)| seed.0).collect();
                    seeds.dedup();
                    assert_eq!(seeds.len(), of(1).len(), "{game}: a seed a game");
                }
            }
            met.sort_unstable();
            met.dedup();
            assert_eq!(
                met,
                (0..=panel as usize).collect::<Vec<_>>(),
                "{game}: the whole panel, in its groups"
            );
        }
    }

    #[test]
    fn each_bot_of_a_group_counts_once_at_a_table() {
        let settings = settings(2);
        let games = super::round(&settings, &contest("push", 3, 1), 1, None);
        for game in &games {
            for bot in 0..3 {
                let counts =
                    game.entrants.iter().filter(|(seat, of)| **of == bot && !game.fillers.contains(seat));
                assert_eq!(counts.count(), 1, "bot {bot} in {game:?}");
            }
        }
    }

    #[test]
    fn only_students_who_are_undecided_play() {
        let games = super::round(&settings(2), &contest("push", 6, 1), 1, Some(&[3, 5]));
        let mut tables: Vec<u32> = games.iter().map(|game| game.scheduled.table).collect();
        tables.dedup();
        assert_eq!(tables, [2, 4]);
    }
}
