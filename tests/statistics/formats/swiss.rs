//! The Swiss system: the pairs, byes, and how equal points are separated.

use std::collections::BTreeMap;

use super::{better_wins, contest, format, play_out, random_results, won_by};

/// How often each pair has met.
type Meetings = BTreeMap<(usize, usize), usize>;

/// Tells by brute force whether all of these can be paired so that no two meet again.
fn can_be_paired(entrants: &[usize], met: &Meetings) -> bool {
    let Some((first, rest)) = entrants.split_first() else { return true };
    rest.iter().any(|other| {
        let others: Vec<usize> = rest.iter().copied().filter(|entrant| entrant != other).collect();
        !met.contains_key(&(*first, *other)) && can_be_paired(&others, met)
    })
}

#[test]
fn nobody_meets_again_while_there_is_another_way_and_byes_go_round() {
    for entrants in 2..=9 {
        for seed in 0..30 {
            let format = format("swiss", &[("rounds", "11")]);
            let course = play_out(&format, &contest("foosball", entrants, seed), random_results(seed));
            let mut met = Meetings::new();
            let mut byes = vec![0; entrants];
            for matches in course.matches() {
                let plays =
                    |entrant: &usize| matches.keys().any(|(one, other)| one == entrant || other == entrant);
                let again = matches.keys().any(|pair| met.contains_key(pair));
                let out: Vec<usize> = (0..entrants).filter(|entrant| !plays(entrant)).collect();
                assert_eq!(out.len(), entrants % 2);
                let fewest = *byes.iter().min().unwrap();
                if again {
                    let mut field: Vec<Vec<usize>> = vec![(0..entrants).collect()];
                    if entrants % 2 == 1 {
                        let may = (0..entrants).filter(|entrant| byes[*entrant] == fewest);
                        field =
                            may.map(|bye| (0..entrants).filter(|other| *other != bye).collect()).collect();
                    }
                    assert!(!field.iter().any(|rest| can_be_paired(rest, &met)), "{entrants}, {seed}");
                }
                for bye in out {
                    assert_eq!(byes[bye], fewest, "no bot has a second bye before all have had one");
                    byes[bye] += 1;
                }
                matches.keys().for_each(|pair| *met.entry(*pair).or_insert(0) += 1);
            }
        }
    }
}

#[test]
fn equal_points_meet_the_upper_half_against_the_lower() {
    let course = play_out(&format("swiss", &[]), &contest("foosball", 8, 1), better_wins);
    let pairs = |round: usize| course.matches()[round].keys().copied().collect::<Vec<_>>();
    assert_eq!(course.rounds.len(), 3);
    assert_eq!(pairs(0), [(0, 4), (1, 5), (2, 6), (3, 7)]);
    assert_eq!(pairs(1), [(0, 2), (1, 3), (4, 6), (5, 7)]);
    assert_eq!(pairs(2)[0], (0, 1), "both have won twice");
    assert_eq!(course.ranking.places[0], [0]);
    assert_eq!(*course.ranking.places.last().unwrap(), [7]);
}

#[test]
fn the_last_without_a_bye_has_the_bye_and_it_counts_as_a_win() {
    let course = play_out(&format("swiss", &[("rounds", "3")]), &contest("foosball", 5, 1), better_wins);
    let out = |round: usize| {
        let matches = &course.matches()[round];
        (0..5).find(|entrant| !matches.keys().any(|(one, other)| one == entrant || other == entrant)).unwrap()
    };
    assert_eq!(out(0), 4);
    // 0 and 1 have won, 4 had its bye; 3 is last.
    assert_eq!(out(1), 3);
    assert_eq!(out(2), 2);
    // Viewers see them, that of the next round, too.
    let (format, contest) = (format("swiss", &[("rounds", "3")]), contest("foosball", 5, 1));
    let byes = |rounds| -> Vec<(String, usize, usize)> {
        let cup = course.cup(&format, &contest, rounds);
        cup.byes.into_iter().map(|bye| (bye.round, bye.entrant, bye.matches)).collect()
    };
    let all = [("round 1", 4, 2), ("round 2", 3, 4), ("round 3", 2, 6)];
    let all = all.map(|(round, entrant, matches)| (round.to_owned(), entrant, matches));
    assert_eq!(byes(3), all);
    assert_eq!(byes(1), all[..2]);
}

#[test]
fn equal_points_are_parted_by_the_points_of_opponents_then_by_shares() {
    // One round of four: 0 beats 2, 1 beats 3; a greater share of wins comes first.
    let course = play_out(&format("swiss", &[("rounds", "1")]), &contest("foosball", 4, 1), |pairing| {
        let winner = won_by(|one, other| Some(one.min(other)))(pairing);
        let first_table_is_close = pairing.scheduled.table == 1 && pairing.scheduled.rotation == 1;
        if first_table_is_close { vec![0.5, 0.5] } else { winner }
    });
    assert_eq!(course.ranking.places, [[1], [0], [2], [3]]);

    // 0 beats 2, all other matches are level: 1 and 3 have two points each, but 1 has met 0 and 3 has met 2.
    let one_win = won_by(|one, other| ((one.min(other), one.max(other)) == (0, 2)).then_some(0));
    let course = play_out(&format("swiss", &[("rounds", "2")]), &contest("foosball", 4, 1), one_win);
    assert_eq!(course.ranking.places, [[0], [1], [3], [2]]);
}

#[test]
fn a_bye_counts_as_an_opponent_with_as_many_points() {
    // 0 beats 1, who has no points; 2 has a bye, and two points as 0 has.
    let course = play_out(&format("swiss", &[("rounds", "1")]), &contest("foosball", 3, 1), better_wins);
    assert_eq!(course.ranking.places, [[2], [0], [1]]);
}

#[test]
fn two_hundred_are_paired() {
    let course = play_out(&format("swiss", &[]), &contest("foosball", 200, 1), random_results(1));
    let mut met = Meetings::new();
    for matches in course.matches() {
        matches.keys().for_each(|pair| *met.entry(*pair).or_insert(0) += 1);
    }
    assert_eq!((course.rounds.len(), met.len()), (8, 8 * 100));
}

#[test]
fn the_points_of_opponents_are_told_since_they_separate_equal_points() {
    let course = play_out(&format("swiss", &[]), &contest("foosball", 8, 1), better_wins);
    let (points, opponents) = (course.ranking.points.unwrap(), course.ranking.opponents.unwrap());
    // The first meets 4, 2 and 1, which have 2, 4 and 4 points.
    assert_eq!((points[0], opponents[0]), (6, 10));
    let order: Vec<usize> = course.ranking.places.into_iter().flatten().collect();
    let worth: Vec<(u32, u32)> = order.iter().map(|bot| (points[*bot], opponents[*bot])).collect();
    assert!(worth.is_sorted_by(|one, next| one >= next), "{worth:?}");
}
