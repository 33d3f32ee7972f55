//! Knockouts: the pairs, level matches, and the places.

use super::{better_wins, contest, format, play_out, two, won_by};

#[test]
fn the_seeds_meet_as_late_as_can_be_and_come_in_where_they_belong() {
    let course = play_out(&format("knockout", &[]), &contest("foosball", 8, 1), better_wins);
    let pairs = |round: usize| course.matches()[round].keys().copied().collect::<Vec<_>>();
    assert_eq!(pairs(0), [(0, 7), (1, 6), (2, 5), (3, 4)]);
    assert_eq!(pairs(1), [(0, 3), (1, 2)]);
    assert_eq!(pairs(2), [(0, 1), (2, 3)], "the final, and the match for the third place");
    assert_eq!(course.ranking.places, vec![vec![0], vec![1], vec![2], vec![3], vec![4, 5, 6, 7]]);
}

#[test]
fn the_third_place_may_be_shared() {
    let shared = format("knockout", &[("third_place", "shared")]);
    let course = play_out(&shared, &contest("foosball", 4, 1), better_wins);
    assert_eq!(course.matches()[1].len(), 1);
    assert_eq!(course.ranking.places, vec![vec![0], vec![1], vec![2, 3]]);
}

#[test]
fn the_best_seeds_have_the_byes() {
    for entrants in 2usize..=33 {
        let course = play_out(&format("knockout", &[]), &contest("foosball", entrants, 1), better_wins);
        let byes = entrants.next_power_of_two() - entrants;
        let mut first: Vec<usize> =
            course.matches()[0].keys().flat_map(|(one, other)| [*one, *other]).collect();
        first.sort_unstable();
        // With three bots, the loser of the only semifinal has no opponent for the third place.
        assert_eq!(first, (byes..entrants).collect::<Vec<_>>(), "{entrants} entrants");
        assert_eq!(course.rounds.len(), entrants.next_power_of_two().trailing_zeros() as usize);
        assert_eq!(course.ranking.places[..2], [[0], [1]]);
    }
}

#[test]
fn a_level_match_goes_on_by_further_blocks_alone() {
    // 1 and 2 are level for three blocks, then the worse seed wins.
    let course = play_out(&format("knockout", &[]), &contest("foosball", 4, 1), |pairing| {
        let (one, other) = two(pairing);
        match (one.min(other), pairing.scheduled.round) {
            (1, 1..=3) => vec![0.5, 0.5],
            (1, 4) => won_by(|one, other| Some(one.max(other)))(pairing),
            _ => better_wins(pairing),
        }
    });
    let pairs: Vec<Vec<(usize, usize)>> =
        course.matches().iter().map(|matches| matches.keys().copied().collect()).collect();
    let level = vec![(1, 2)];
    assert_eq!(pairs, [vec![(0, 3), (1, 2)], level.clone(), level.clone(), level, vec![(0, 2), (1, 3)]]);
    assert_eq!(course.ranking.places, vec![vec![0], vec![2], vec![1], vec![3]]);
}

#[test]
fn the_better_seed_is_through_when_further_blocks_are_over() {
    let format = format("knockout", &[("further_blocks", "2")]);
    let course = play_out(&format, &contest("foosball", 4, 1), won_by(|_, _| None));
    assert_eq!(course.rounds.len(), 2 * (1 + 2));
    assert_eq!(course.ranking.places, vec![vec![0], vec![1], vec![2], vec![3]]);
}

#[test]
fn seeds_may_be_drawn() {
    let format = format("knockout", &[("seeding", "drawn")]);
    let first = |seed| {
        let course = play_out(&format, &contest("foosball", 8, seed), better_wins);
        course.matches()[0].keys().copied().collect::<Vec<_>>()
    };
    assert_eq!(first(1), first(1));
    assert!((2..9).any(|seed| first(seed) != first(1)));
}
