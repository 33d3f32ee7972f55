//! The cup of comFoosball 2013, with results that lead to all its possible courses.

use std::collections::{BTreeMap, BTreeSet};

use referee_rules::Seed;
use referee_statistics::schedule::deal::Pairing;

use super::{Course, better_wins, contest, format, play_out, two, won_by};

fn cup(entrants: usize, result: impl FnMut(&Pairing) -> Vec<f64>) -> Course {
    play_out(&format("comfoosball", &[]), &contest("foosball", entrants, 1), result)
}

/// Number of matches and number of their games in each round; all have the same length.
fn shape(course: &Course) -> Vec<(usize, usize)> {
    let of_round = |matches: &BTreeMap<(usize, usize), usize>| {
        let games: Vec<usize> = matches.values().copied().collect();
        assert!(games.iter().all(|count| *count == games[0]), "matches of one length: {matches:?}");
        (games.len(), games[0])
    };
    course.matches().iter().map(of_round).collect()
}

/// Level when the first of these numbers is not 0, counted down with every game of this pair.
fn level_for(mut games: usize, pair: (usize, usize)) -> impl FnMut(&Pairing) -> Vec<f64> {
    move |pairing| {
        let (one, other) = two(pairing);
        if (one.min(other), one.max(other)) == pair && games > 0 {
            games -= 1;
            return vec![0.5, 0.5];
        }
        better_wins(pairing)
    }
}

/// The best is followed by a ring of three. Each of them beats the next.
fn ring(one: usize, other: usize) -> Option<usize> {
    match (one.min(other), one.max(other)) {
        (0, _) => Some(0),
        (1, 3) => Some(3),
        (better, _) => Some(better),
    }
}

#[test]
fn ten_teams_play_table_1_and_then_the_final() {
    let course = cup(10, better_wins);
    let mut expected = vec![(5, 5); 9];
    expected.push((1, 9));
    assert_eq!(shape(&course), expected);
    for (round, matches) in course.matches()[..9].iter().enumerate() {
        for (a, b) in matches.keys().map(|(a, b)| (a + 1, b + 1)) {
            let r = round + 1;
            assert!(
                if a == 1 { b == 11 - r } else { (a + b - 4 + 2 * r) % 9 == 0 },
                "{a} - {b} in round {r}"
            );
        }
    }
    assert_eq!(course.matches()[9].keys().collect::<Vec<_>>(), [&(0, 1)]);
    assert_eq!(course.ranking.places, (0..10).map(|team| vec![team]).collect::<Vec<_>>());
    assert_eq!(course.ranking.reason, "the final is won");
}

#[test]
fn the_home_side_alternates_from_game_to_game() {
    for round in cup(6, won_by(|_, _| None)).rounds {
        for (game, next) in round.iter().zip(&round[1..]) {
            if game.scheduled.table == next.scheduled.table {
                let (home, away) = two(game);
                assert_eq!(two(next), (away, home));
            }
        }
    }
}

/// The seeds of the games of each match.
fn seeds_of_matches(set: &[(&str, &str)]) -> Vec<Vec<Seed>> {
    let course = play_out(&format("comfoosball", set), &contest("foosball", 4, 1), better_wins);
    let of_round = |round: &Vec<Pairing>| {
        let tables = round.chunk_by(|one, other| one.scheduled.table == other.scheduled.table);
        tables.map(|games| games.iter().map(|game| game.seed).collect()).collect::<Vec<_>>()
    };
    course.rounds.iter().flat_map(of_round).collect()
}

#[test]
fn each_game_has_a_seed_of_its_own_unless_they_are_paired() {
    let fresh = seeds_of_matches(&[]);
    let all: BTreeSet<String> = fresh.iter().flatten().map(Seed::to_string).collect();
    assert_eq!(all.len(), fresh.iter().map(Vec::len).sum::<usize>(), "{fresh:?}");
    for games in seeds_of_matches(&[("paired_seeds", "1")]) {
        let pairs: Vec<&[Seed]> = games.chunks(2).collect();
        assert!(pairs.iter().all(|pair| pair.iter().all(|seed| *seed == pair[0])), "{games:?}");
        let different: BTreeSet<String> = games.iter().map(Seed::to_string).collect();
        assert_eq!(different.len(), pairs.len(), "{games:?}");
    }
}

#[test]
fn two_points_for_more_games_won_one_for_as_many() {
    // 0 and 1 win a game each, 1 and 2 none, 2 beats 0 by a single game: 1, 2 and 3 points.
    let course = cup(3, |pairing| {
        let (home, away) = two(pairing);
        let winner = match (home.min(away), home.max(away), pairing.scheduled.rotation) {
            (0, 1, 1) => Some(0),
            (0, 1, 2) => Some(1),
            (0, 2, 4) => Some(2),
            _ => None,
        };
        won_by(|_, _| winner)(pairing)
    });
    assert_eq!(course.matches()[3].keys().collect::<Vec<_>>(), [&(1, 2)]);
    assert_eq!(course.ranking.places[2], [0]);
    assert_eq!(course.ranking.reason, "the final is drawn by lot");
}

#[test]
fn those_level_at_the_cut_play_at_most_three_round_robins_and_then_sudden_death() {
    // 0 wins always. 1, 2 and 3 form a ring until the second sudden death.
    let course = cup(4, |pairing| {
        if pairing.scheduled.round > 3 + 3 * 3 + 3 { better_wins(pairing) } else { won_by(ring)(pairing) }
    });
    let mut expected = vec![(2, 5); 3];
    expected.extend([(1, 5); 9]);
    expected.extend([(1, 1); 6]);
    expected.push((1, 9));
    assert_eq!(shape(&course), expected);
    assert_eq!(course.ranking.places, vec![vec![0], vec![1], vec![2, 3]]);
    assert_eq!(course.ranking.reason, "the final is won; sudden death decided who plays it");
}

#[test]
fn a_play_off_is_over_as_soon_as_the_cut_falls_between_two_who_are_not_level() {
    let course =
        cup(
            4,
            |pairing| {
                if pairing.scheduled.round > 3 { better_wins(pairing) } else { won_by(ring)(pairing) }
            },
        );
    assert_eq!(shape(&course), [(2, 5), (2, 5), (2, 5), (1, 5), (1, 5), (1, 5), (1, 9)]);
    assert_eq!(course.ranking.reason, "the final is won; play-offs decided who plays it");
}

#[test]
fn who_stays_level_in_a_play_off_plays_on_with_those_alone() {
    // All four are level. In the play-off 0 is best, 3 is worst, 1 and 2 are level; then 2 is better.
    let course = cup(4, |pairing| {
        let (round, (one, other)) = (pairing.scheduled.round, two(pairing));
        let pair = (one.min(other), one.max(other));
        match round {
            1..=3 => won_by(|_, _| None)(pairing),
            4..=6 if pair == (1, 2) => won_by(|_, _| None)(pairing),
            7 => won_by(|one, other| Some(one.max(other)))(pairing),
            _ => better_wins(pairing),
        }
    });
    assert_eq!(shape(&course)[3..], [(2, 5), (2, 5), (2, 5), (1, 5), (1, 9)]);
    assert_eq!(course.matches()[6].keys().collect::<Vec<_>>(), [&(1, 2)]);
    assert_eq!(course.matches()[7].keys().collect::<Vec<_>>(), [&(0, 2)]);
    assert_eq!(course.ranking.places, vec![vec![0], vec![2], vec![1, 3]]);
}

#[test]
fn the_best_two_may_be_level_without_a_play_off() {
    // 0 and 1 are level with each other and beat all others.
    let course = cup(4, level_for(5, (0, 1)));
    assert_eq!(shape(&course), [(2, 5), (2, 5), (2, 5), (1, 9)]);
    assert_eq!(course.ranking.reason, "the final is won");
}

#[test]
fn a_level_final_goes_on_by_three_games_and_then_by_single_ones() {
    for (level, after, reason) in [
        (9, vec![(1, 9), (1, 3)], "the final is won in further games"),
        (12, vec![(1, 9), (1, 3), (1, 1)], "the final is won by sudden death"),
        (14, vec![(1, 9), (1, 3), (1, 1), (1, 1), (1, 1)], "the final is won by sudden death"),
    ] {
        let course = cup(4, level_for(5 + level, (0, 1)));
        assert_eq!(shape(&course)[3..], after);
        assert_eq!(course.ranking.reason, reason);
        assert_eq!(course.ranking.places[0], [0]);
        // From the first game of the final to the last the home side alternates.
        let homes: Vec<usize> = course.rounds[3..].iter().flatten().map(|game| two(game).0).collect();
        assert!(homes.iter().zip(&homes[1..]).all(|(game, next)| game != next), "{homes:?}");
    }
}

#[test]
fn bots_that_never_win_a_game_are_drawn_by_lot_in_the_end() {
    let draws = |seed| {
        let format = format("comfoosball", &[("sudden_deaths", "4")]);
        play_out(&format, &contest("foosball", 3, seed), won_by(|_, _| None)).ranking
    };
    let ranking = draws(1);
    assert_eq!(ranking.reason, "the final is drawn by lot; a lot decided who plays it");
    assert_eq!(ranking, draws(1));
    let winners: std::collections::BTreeSet<usize> = (0..30).map(|seed| draws(seed).places[0][0]).collect();
    assert_eq!(winners.len(), 3, "each bot wins the lot at some time");
}
