//! The formats of tournaments, played to the end with invented results.

mod cup;
mod drawn;
mod knockout;
mod settings;
mod swiss;

use std::collections::{BTreeMap, BTreeSet};

use referee_games::catalog;
use referee_record::results::Scheduled;
use referee_rules::{BySeat, Dice, Parameters, Seat, Seed};
use referee_statistics::schedule::deal::Pairing;
use referee_statistics::schedule::format::{
    Contest, Cup, Format, Next, NotScheduled, PlayedGame, Ranking, places_beside,
};

fn contest(game: &str, entrants: usize, seed: u64) -> Contest {
    let entry = catalog::find(game).unwrap();
    let parameters = Parameters::defaults(entry.parameters);
    Contest { entry, parameters, entrants, seed: Seed(seed), authors: Vec::new(), season: 1 }
}

fn format(kind: &str, settings: &[(&str, &str)]) -> Format {
    let mut format = Format::new(kind).unwrap();
    settings.iter().for_each(|(name, text)| format.set(name, text).unwrap());
    format
}

/// The result of a tournament.
#[derive(Debug, PartialEq)]
struct Course {
    rounds: Vec<Vec<Pairing>>,
    ranking: Ranking,
    played: Vec<PlayedGame>,
}

impl Course {
    /// The description of its matches after this number of rounds.
    fn cup(&self, format: &Format, contest: &Contest, rounds: usize) -> Cup {
        let games = self.rounds[..rounds].iter().map(Vec::len).sum();
        format.cup(contest, &self.played[..games]).unwrap()
    }

    /// The pairs of each round, at tables of two, with the number of games.
    fn matches(&self) -> Vec<BTreeMap<(usize, usize), usize>> {
        let of_round = |round: &Vec<Pairing>| {
            let mut matches = BTreeMap::new();
            for pair in round.iter().map(two) {
                *matches.entry((pair.0.min(pair.1), pair.0.max(pair.1))).or_insert(0) += 1;
            }
            matches
        };
        self.rounds.iter().map(of_round).collect()
    }
}

/// Returns the two bots of a table.
fn two(pairing: &Pairing) -> (usize, usize) {
    let [one, other] = *pairing.entrants.as_slice() else { panic!("not a table of two") };
    (one, other)
}

/// Deals the games that come next.
fn games_of(format: &Format, contest: &Contest, next: Next) -> Vec<Pairing> {
    match next {
        Next::Matches(matches) => format.games_of(contest, &matches),
        Next::Round(round) => round,
        Next::Over(_) => Vec::new(),
    }
}

/// Plays a tournament to its end. `result` invents the shares of a game.
fn play_out(format: &Format, contest: &Contest, mut result: impl FnMut(&Pairing) -> Vec<f64>) -> Course {
    format.check(contest).unwrap();
    let mut played: Vec<PlayedGame> = Vec::new();
    let mut rounds = Vec::new();
    loop {
        match format.next(contest, &played).unwrap() {
            Next::Over(ranking) => return Course { rounds, ranking, played },
            next => {
                let round = games_of(format, contest, next);
                played.extend(round.iter().map(|pairing| PlayedGame {
                    scheduled: pairing.scheduled,
                    entrants: pairing.entrants.clone(),
                    shares: BySeat::from(result(pairing)),
                }));
                rounds.push(round);
            }
        }
        assert!(rounds.len() < 5000, "{format} of {} does not end", contest.entrants);
    }
}

/// Returns the results of two bots by a rule that names the winner of their meeting, if there is one.
fn won_by(winner: impl Fn(usize, usize) -> Option<usize>) -> impl Fn(&Pairing) -> Vec<f64> {
    move |pairing| {
        let (one, other) = two(pairing);
        match winner(one, other) {
            Some(entrant) if entrant == one => vec![1.0, 0.0],
            Some(_) => vec![0.0, 1.0],
            None => vec![0.5, 0.5],
        }
    }
}

/// The results of a field in which the first is the best, and so on.
fn better_wins(pairing: &Pairing) -> Vec<f64> {
    won_by(|one, other| Some(one.min(other)))(pairing)
}

fn random_results(seed: u64) -> impl FnMut(&Pairing) -> Vec<f64> {
    let mut dice = Dice::for_turn(Seed(seed), 7);
    move |pairing| match pairing.entrants.len() {
        2 => {
            let share = f64::from(dice.below(3)) / 2.0;
            vec![share, 1.0 - share]
        }
        // Only a few values, otherwise no bots would ever be level.
        seats => (0..seats).map(|_| f64::from(dice.below(4)) / 7.0).collect(),
    }
}

/// All formats with their games, and fields for each.
fn all() -> Vec<(Format, &'static str, std::ops::RangeInclusive<usize>)> {
    let balanced = [("rounds", "3"), ("deal", "balanced")];
    vec![
        (format("rounds", &[("rounds", "3")]), "football", 1..=20),
        (format("rounds", &[("rounds", "2"), ("block", "12")]), "football", 1..=20),
        (format("rounds", &balanced), "football", 1..=20),
        (format("rounds", &balanced), "foosball", 1..=20),
        (format("rounds", &[("rounds", "2")]), "push", 1..=20),
        (format("rounds", &[("rounds", "2")]), "target", 1..=20),
        (format("round-robin", &[("cycles", "2")]), "foosball", 1..=20),
        (format("round-robin", &[]), "football", 1..=20),
        (format("round-robin", &[]), "push", 1..=16),
        (format("gauntlet", &[("rounds", "2")]), "football", 1..=20),
        (format("gauntlet", &[("challenger", "2"), ("blocks", "2")]), "foosball", 2..=20),
        (format("gauntlet", &[]), "push", 1..=20),
        (format("knockout", &[]), "foosball", 1..=20),
        (format("knockout", &[("third_place", "shared"), ("seeding", "drawn")]), "foosball", 1..=20),
        (format("swiss", &[("blocks", "2")]), "foosball", 1..=20),
        (format("swiss", &[("rounds", "9"), ("seeding", "drawn")]), "foosball", 1..=20),
        (format("comfoosball", &[]), "foosball", 1..=20),
        (format("comfoosball", &[("play_offs", "0"), ("sudden_deaths", "2")]), "foosball", 1..=20),
    ]
}

#[test]
fn every_format_ends_and_ranks_everybody_once() {
    for (format, game, fields) in all() {
        for entrants in fields {
            for seed in 0..if format.is_adaptive() { 5 } else { 1 } {
                let contest = contest(game, entrants, seed);
                let course = play_out(&format, &contest, random_results(seed));
                let mut ranked: Vec<usize> = course.ranking.places.concat();
                ranked.sort_unstable();
                assert_eq!(ranked, (0..entrants).collect::<Vec<_>>(), "{format}, {game}");
                let in_order = |group: &Vec<usize>| !group.is_empty() && group.is_sorted();
                assert!(course.ranking.places.iter().all(in_order), "{format}: {:?}", course.ranking);
            }
        }
    }
}

#[test]
fn every_game_is_legal() {
    for (format, game, fields) in all() {
        for entrants in fields {
            let contest = contest(game, entrants, 5);
            let course = play_out(&format, &contest, random_results(5));
            let mut places = BTreeSet::new();
            for (round, number) in course.rounds.iter().zip(1..) {
                assert!(round.is_sorted_by_key(|pairing| pairing.scheduled), "{format}");
                for pairing in round {
                    let Scheduled { season, round, .. } = pairing.scheduled;
                    assert_eq!((season, round), (1, number), "{format}");
                    assert!(places.insert(pairing.scheduled), "{format}: two games in one place");
                    let seats = contest.entry.start(&pairing.parameters, pairing.seed).info().seats;
                    assert_eq!(pairing.entrants.len(), seats);
                    assert!(pairing.entrants.iter().all(|(_, entrant)| *entrant < entrants));
                    assert!(pairing.fillers.len() < seats, "{format}: nobody plays");
                }
                for table in tables(round) {
                    check_table(&format, &contest, &table);
                }
            }
        }
    }
}

/// All games of each table of a round.
fn tables(round: &[Pairing]) -> Vec<Vec<&Pairing>> {
    let mut tables: BTreeMap<u32, Vec<&Pairing>> = BTreeMap::new();
    round.iter().for_each(|pairing| tables.entry(pairing.scheduled.table).or_default().push(pairing));
    tables.into_values().collect()
}

fn check_table(format: &Format, contest: &Contest, games: &[&Pairing]) {
    let numbers: Vec<u32> = games.iter().map(|game| game.scheduled.rotation).collect();
    assert_eq!(numbers, (1..=games.len() as u32).collect::<Vec<_>>(), "{format}");
    // How often each bot has each seat, whether it counts or not.
    let mut seats: BTreeMap<(usize, bool), BTreeMap<Seat, usize>> = BTreeMap::new();
    for game in games {
        for (seat, entrant) in game.entrants.iter() {
            let fills = game.fillers.contains(&seat);
            *seats.entry((*entrant, fills)).or_default().entry(seat).or_default() += 1;
        }
    }
    let block = contest.entry.start(&games[0].parameters, games[0].seed).info().block;
    if block > 1 {
        for (bot, counts) in &seats {
            let count = |seat| counts.get(&seat).copied().unwrap_or(0);
            let of_all = || Seat::first(games[0].entrants.len()).map(count);
            let (least, most) = (of_all().min().unwrap(), of_all().max().unwrap());
            // Only matches of the cup may have an odd number of games.
            let over = usize::from(!games.len().is_multiple_of(block));
            assert!(most - least <= over, "{format}: {bot:?} sits {counts:?}");
            assert!(over == 0 || format.name() == "comfoosball", "{format}: half a block");
        }
    }
    for (game, next) in games.iter().zip(&games[1..]) {
        let same_block = next.scheduled.rotation % block as u32 != 1;
        let twelve = games.len() == 12 && block == 4;
        let is_shared = (same_block || twelve) && format.name() != "comfoosball";
        assert_eq!(game.seed == next.seed, is_shared, "{format}: a seed a block, or a game of the cup");
    }
    let counted = seats.keys().filter(|(_, fills)| !fills).count();
    let alone = games[0].fillers.len() + counted;
    assert!(block == 1 || alone == games[0].entrants.len(), "{format}: somebody counts twice in a game");
}

#[test]
fn the_same_results_give_the_same_tournament_in_whatever_order_they_come() {
    for (format, game, fields) in all() {
        for entrants in fields.filter(|entrants| entrants % 3 == 1) {
            let contest = contest(game, entrants, 1);
            let course = play_out(&format, &contest, random_results(1));
            assert_eq!(course, play_out(&format, &contest, random_results(1)), "{format}");
            let mut results = random_results(1);
            let mut played: Vec<PlayedGame> = Vec::new();
            for round in &course.rounds {
                let games = round.iter().map(|pairing| PlayedGame {
                    scheduled: pairing.scheduled,
                    entrants: pairing.entrants.clone(),
                    shares: BySeat::from(results(pairing)),
                });
                let before = played.len();
                played.extend(games);
                // All games of an incomplete round are wanted; other seasons do not matter.
                let mut part = played[..before + round.len() / 2].to_vec();
                part.extend(played.iter().map(|game| {
                    let scheduled = Scheduled { season: 2, ..game.scheduled };
                    PlayedGame { scheduled, ..game.clone() }
                }));
                part.reverse();
                let next = format.next(&contest, &part).unwrap();
                assert_eq!(games_of(&format, &contest, next), *round, "{format}");
            }
            Dice::for_start(Seed(3)).shuffle(&mut played);
            assert_eq!(format.next(&contest, &played), Ok(Next::Over(course.ranking)), "{format}");
        }
    }
}

#[test]
fn formats_that_depend_on_no_result_can_be_listed_beforehand() {
    for (format, game, fields) in all() {
        let contest = contest(game, *fields.end(), 9);
        let listed = format.fixed(&contest).map(Iterator::collect::<Vec<_>>);
        assert_eq!(listed.is_none(), format.is_adaptive());
        if let Some(listed) = listed {
            assert_eq!(listed, play_out(&format, &contest, random_results(9)).rounds, "{format}");
        }
    }
}

#[test]
fn a_game_that_others_have_played_than_were_to_is_named() {
    let (format, contest) = (format("knockout", &[]), contest("foosball", 4, 1));
    let round = games_of(&format, &contest, format.next(&contest, &[]).unwrap());
    let shares = BySeat::from(vec![0.5, 0.5]);
    let wrong = PlayedGame { scheduled: round[2].scheduled, entrants: vec![0, 3].into(), shares };
    let error = format.next(&contest, &[wrong]).unwrap_err();
    assert_eq!(error, NotScheduled(Scheduled { season: 1, round: 1, table: 2, rotation: 1 }));
    assert_eq!(
        error.to_string(),
        "season 1, round 1, table 2, game 1: its bots are not those of the schedule; the field, the format or the seed was changed"
    );
}

#[test]
fn a_round_robin_of_larger_tables_has_all_tables_or_at_least_all_meetings() {
    for (game, most) in [("football", 3), ("push", 5)] {
        for entrants in [7, 8, 10, 11, 13, 20] {
            let contest = contest(game, entrants, 3);
            let rounds: Vec<Vec<Pairing>> = format("round-robin", &[]).fixed(&contest).unwrap().collect();
            let mut met = vec![vec![0; entrants]; entrants];
            for table in rounds.iter().flat_map(|round| tables(round)) {
                let bots = || table[0].entrants.iter().filter(|(seat, _)| !table[0].fillers.contains(seat));
                for ((_, one), (_, other)) in bots().flat_map(|one| bots().map(move |other| (one, other))) {
                    met[*one][*other] += 1;
                }
            }
            let counts = || (0..entrants).flat_map(|one| met[one][..one].iter());
            let (least, greatest) = (*counts().min().unwrap(), *counts().max().unwrap());
            if entrants <= 10 {
                assert_eq!((rounds.len(), least), (1, greatest), "{game}, {entrants}: every table once");
            } else {
                assert!(least >= 1 && greatest <= most, "{game}, {entrants}: {least} to {greatest}");
            }
        }
    }
}

#[test]
fn a_block_of_12_has_everybody_across_from_everybody_on_every_seat() {
    let format = format("rounds", &[("rounds", "2"), ("block", "12")]);
    for round in format.fixed(&contest("football", 4, 3)).unwrap() {
        let across = |pairing: &Pairing| -> Vec<(Seat, usize, usize)> {
            let sits = pairing.entrants.iter();
            sits.map(|(seat, bot)| (seat, *bot, pairing.entrants[Seat::new(3 - seat.index())])).collect()
        };
        let met: BTreeSet<(Seat, usize, usize)> = round.iter().flat_map(across).collect();
        assert_eq!((round.len(), met.len()), (12, 4 * 4 * 3));
    }
}

#[test]
fn a_gauntlet_of_two_seats_ranks_nobody_among_bots_that_met_only_the_challenger() {
    // The third bot challenges; the first two beat it, one by more games than the other.
    let format = format("gauntlet", &[("challenger", "3"), ("blocks", "2")]);
    let mut game = 0;
    let course = play_out(&format, &contest("foosball", 6, 1), |pairing| {
        game += 1;
        let of = |entrant: usize, other: usize| match (entrant.min(other), entrant.max(other)) {
            (0, _) => Some(0),
            (1, _) => (game % 4 > 0).then_some(1),
            (2, 3) => None,
            _ => Some(2),
        };
        won_by(of)(pairing)
    });
    assert_eq!(course.ranking.places, [vec![0, 1], vec![2, 3], vec![4, 5]]);
    assert_eq!((0..6).map(|bot| course.ranking.place_of(bot)).collect::<Vec<_>>(), [1, 1, 3, 3, 5, 5]);
}

#[test]
fn nobody_is_ranked_among_bots_that_have_met_a_challenger_alone_before_the_end_either() {
    let means = [0.9, 0.6, 0.5, 0.45, 0.4, 0.0];
    assert_eq!(places_beside(Some(3), &means), [1, 1, 3, 3, 5, 5]);
    assert_eq!(places_beside(None, &means), [1, 1, 3, 4, 4, 4]);
}

#[test]
fn in_a_gauntlet_everybody_sits_with_the_challenger_once_a_round() {
    for (game, entrants) in [("foosball", 7), ("football", 8), ("push", 20)] {
        let format = format("gauntlet", &[("challenger", "3"), ("rounds", "4")]);
        for round in format.fixed(&contest(game, entrants, 3)).unwrap() {
            let mut company = Vec::new();
            for table in tables(&round) {
                let counts = table[0].entrants.iter().filter(|(seat, _)| !table[0].fillers.contains(seat));
                let (challenger, others): (Vec<usize>, Vec<usize>) =
                    counts.map(|(_, entrant)| *entrant).partition(|entrant| *entrant == 2);
                assert_eq!(challenger, [2], "{game}");
                assert!(table[0].entrants.as_slice().iter().filter(|entrant| **entrant == 2).count() == 1);
                company.extend(others);
            }
            company.sort_unstable();
            assert_eq!(company, (0..entrants).filter(|entrant| *entrant != 2).collect::<Vec<_>>(), "{game}");
        }
    }
}

#[test]
fn fillers_do_not_count_in_the_ranking() {
    // A field of five at tables of four: three seats are filled up, and all fillers score much.
    let fills_well = |pairing: &Pairing| {
        let share = |seat: Seat| {
            let entrant = pairing.entrants[seat];
            if pairing.fillers.contains(&seat) { 1.0 } else { entrant as f64 / 10.0 }
        };
        Seat::first(4).map(share).collect()
    };
    let course = play_out(&format("rounds", &[]), &contest("football", 5, 1), fills_well);
    assert_eq!(course.ranking.places, [[4], [3], [2], [1], [0]]);
    assert_eq!(course.ranking.reason, "all 10 rounds have been played");
}
