//! Knockout: matches of two, the loser is out. The best seeds have byes; a level match continues with further blocks.

use crate::schedule::format::course::{Course, Stop, block_of, lot};
use crate::schedule::format::{Contest, FINAL_PLAYED, Ranking, all_played};
use referee_rules::{Parameter, ParameterKind, Parameters};

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter::integer("blocks", 1, 1..=1000, "number of blocks (a game with each side at home) in a match"),
    Parameter::integer(
        "further_blocks",
        5,
        0..=1000,
        "maximum number of extra blocks of a level match, one at a time; then the better seed advances",
    ),
    Parameter {
        name: "third_place",
        short: None,
        default: 0,
        kind: ParameterKind::Choice(&["match", "shared"]),
        help: "match: the losers of the semifinals play for the third place; shared: they share it",
    },
    SEEDING,
];

/// The parameter that determines the first seed.
pub(super) const SEEDING: Parameter = Parameter {
    name: "seeding",
    short: None,
    default: 0,
    kind: ParameterKind::Choice(&["field", "drawn"]),
    help: "field: in the order of the file; drawn: by lot, from the random seed",
};

pub(super) fn play(settings: &Parameters, course: &mut Course<'_>) -> Result<Ranking, Stop> {
    let seeds = seeds(settings, course.contest());
    let mut alive: Vec<Option<usize>> =
        bracket(seeds.len()).into_iter().map(|seed| (seed < seeds.len()).then_some(seed)).collect();
    // The losers so far, by seed, those of the last stage first.
    let mut out: Vec<Vec<usize>> = Vec::new();
    while alive.len() > 1 {
        let has_third_place_match = alive.len() == 2 && settings.get("third_place") == 0;
        let for_third = match out.first().map(|losers| &losers[..]) {
            Some([one, other]) if has_third_place_match => Some((*one, *other)),
            _ => None,
        };
        let of_seeds = |seed: &Option<usize>| seed.map(|seed| seeds[seed]);
        course.record_stage(alive.iter().map(of_seeds).collect());
        let drawn: Vec<(Option<usize>, Option<usize>)> =
            alive.chunks(2).map(|pair| (pair[0], pair[1])).collect();
        let named = drawn.iter().enumerate().filter_map(|(index, (one, other))| {
            Some((((*one)?, (*other)?), name_of(drawn.len(), index + 1)))
        });
        let (mut pairs, mut names): (Vec<(usize, usize)>, Vec<String>) = named.unzip();
        if let Some(semifinal_losers) = for_third {
            pairs.push(semifinal_losers);
            names.push("match for the third place".to_owned());
        }
        let mut decided = decide(settings, course, &seeds, &pairs, &names)?;
        if for_third.is_some() {
            let (third, fourth) = decided.pop().expect("the last match");
            out.splice(..1, [vec![third], vec![fourth]]);
        }
        let mut losers: Vec<usize> = decided.iter().map(|(_, loser)| *loser).collect();
        losers.sort_unstable();
        out.insert(0, losers);
        let mut winners = decided.into_iter().map(|(winner, _)| winner);
        let who_goes_on = |pair: (Option<usize>, Option<usize>)| match pair {
            (Some(_), Some(_)) => winners.next(),
            (one, other) => one.or(other),
        };
        alive = drawn.into_iter().map(who_goes_on).collect();
    }
    course.record_stage(alive.iter().map(|seed| seed.map(|seed| seeds[seed])).collect());
    let champion = alive.into_iter().flatten().collect();
    Ok(ranking(&seeds, std::iter::once(champion).chain(out)))
}

/// Ranks groups of seeds, the best first. Those of a group share a place.
fn ranking(seeds: &[usize], groups: impl Iterator<Item = Vec<usize>>) -> Ranking {
    let in_order_of_field = |group: Vec<usize>| {
        let mut entrants: Vec<usize> = group.into_iter().map(|seed| seeds[seed]).collect();
        entrants.sort_unstable();
        entrants
    };
    let places = groups.map(in_order_of_field).collect();
    let reason = if seeds.len() < 2 { all_played(0) } else { FINAL_PLAYED.to_owned() };
    Ranking { places, points: None, opponents: None, numbers: None, reason }
}

/// Names a match of a stage with this number of matches; `number` counts from 1.
fn name_of(matches: usize, number: usize) -> String {
    match matches {
        1 => "final".to_owned(),
        2 => format!("semifinal {number}"),
        4 => format!("quarterfinal {number}"),
        _ => format!("round of {}, match {number}", 2 * matches),
    }
}

/// Returns the entrants in the order of their seeds.
pub(super) fn seeds(settings: &Parameters, contest: &Contest) -> Vec<usize> {
    let mut seeds: Vec<usize> = (0..contest.entrants).collect();
    if settings.get(SEEDING.name) == 1 {
        lot(contest, 0).shuffle(&mut seeds);
    }
    seeds
}

/// Puts seeds, from 0, into a bracket: neighbours meet, then the winners of neighbouring matches. If the
/// better seed always wins, the first meets the last, and the first two meet in the final. Seeds beyond the
/// field are byes.
fn bracket(entrants: usize) -> Vec<usize> {
    let mut seeds = vec![0];
    while seeds.len() < entrants {
        let last = 2 * seeds.len() - 1;
        seeds = seeds.into_iter().flat_map(|seed| [seed, last - seed]).collect();
    }
    seeds
}

/// Plays matches until each is won, and returns winner and loser of each, all as seeds.
fn decide(
    settings: &Parameters,
    course: &mut Course<'_>,
    seeds: &[usize],
    pairs: &[(usize, usize)],
    names: &[String],
) -> Result<Vec<(usize, usize)>, Stop> {
    let block = block_of(course.contest());
    let mut sums = vec![(0, 0); pairs.len()];
    let mut level: Vec<usize> = (0..pairs.len()).collect();
    for further in 0..=settings.get("further_blocks") {
        let blocks = if further == 0 { settings.get("blocks") as usize } else { 1 };
        let open: Vec<(usize, usize)> =
            level.iter().map(|index| (seeds[pairs[*index].0], seeds[pairs[*index].1])).collect();
        for (index, played) in
            level.iter().zip(course.play(&open, blocks * block, |index| names[level[index]].clone())?)
        {
            let (one, other) = played.share_sums_micros();
            sums[*index] = (sums[*index].0 + one, sums[*index].1 + other);
        }
        level.retain(|index| sums[*index].0 == sums[*index].1);
    }
    let winner_first = |((one, other), sums): (&(usize, usize), &(i64, i64))| {
        let better_seed = (*one.min(other), *one.max(other));
        match sums.0.cmp(&sums.1) {
            std::cmp::Ordering::Greater => (*one, *other),
            std::cmp::Ordering::Less => (*other, *one),
            std::cmp::Ordering::Equal => better_seed,
        }
    };
    let decided: Vec<(usize, usize)> = pairs.iter().zip(&sums).map(winner_first).collect();
    for (name, (winner, _)) in names.iter().zip(&decided) {
        course.record_winner(name, Some(seeds[*winner]));
    }
    Ok(decided)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_seeds_meet_last() {
        assert_eq!(bracket(8), [0, 7, 3, 4, 1, 6, 2, 5]);
        assert_eq!(bracket(5), bracket(8), "with byes");
        for entrants in 2..=64 {
            // Each of the first seeds, up to this number, is alone in its part of the bracket.
            let seeds = bracket(entrants);
            let mut parts = 2;
            while parts <= seeds.len() {
                let one_each = |part: &[usize]| part.iter().filter(|seed| **seed < parts).count() == 1;
                assert!(
                    seeds.chunks(seeds.len() / parts).all(one_each),
                    "{entrants} entrants, {parts} parts"
                );
                parts *= 2;
            }
        }
    }
}
