//! Deals: who plays whom in a round, and with which seeds. A pure function of the hill's seed and the field.
//!
//! A round gives every entrant one block: games of one table with the same seed and rotated seats, or a single game.
//! Every deal is equally likely, whatever was dealt before, as the stop rule requires. Seasons of a fixed length can
//! have balanced rounds instead.

use sha2::{Digest as _, Sha256};

use crate::schedule::balanced;
use referee_games::catalog::Entry;
use referee_record::results::Scheduled;
use referee_rules::{BySeat, Dice, Parameters, Seat, Seating, Seed};

/// One game of a round: its place in the schedule, and the entrants (by index) in their seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// Its place in the schedule.
    pub scheduled: Scheduled,
    /// The parameters.
    pub parameters: Parameters,
    /// The seed, the same for all games of a block.
    pub seed: Seed,
    /// Entrants by seat.
    pub entrants: BySeat<usize>,
    /// Seats of bots that only fill the table: their score does not count.
    pub fillers: Vec<Seat>,
}

impl Pairing {
    /// Returns the game with a team as one seat.
    #[must_use]
    pub fn in_teams(self, entry: &Entry) -> Pairing {
        let Seating::Teams(teams) = entry.seating else { return self };
        let first_seat = |team: &&[usize]| Seat::new(team[0]);
        let fillers = teams.iter().enumerate().filter(|(_, team)| self.fillers.contains(&first_seat(team)));
        let fillers = fillers.map(|(team, _)| Seat::new(team)).collect();
        let entrants = teams.iter().map(|team| self.entrants[first_seat(team)]).collect();
        Pairing { entrants, fillers, ..self }
    }

    /// Returns the game with only these bots in the race: all others become fillers. `None` if no bot of the game is in
    /// the race.
    ///
    /// Tables are dealt as before, so a bot in the race still meets the whole field, and its mean share stays that of
    /// the whole field. A bot that left the race would meet those in it too often, so its results do not count.
    pub fn among(mut self, racing: &[usize]) -> Option<Pairing> {
        let has_left = |(seat, bot): &(Seat, &usize)| !racing.contains(bot) && !self.fillers.contains(seat);
        let new_fillers: Vec<Seat> = self.entrants.iter().filter(has_left).map(|(seat, _)| seat).collect();
        self.fillers.extend(new_fillers);
        self.fillers.sort_unstable();
        let counts = self.entrants.iter().any(|(seat, _)| !self.fillers.contains(&seat));
        counts.then_some(self)
    }
}

/// A bot at a table, and whether it only fills the table.
pub type Occupant = (usize, bool);

/// Bots that sit apart: a table has at most this number of bots of one author.
#[derive(Clone, Copy, Debug, Default)]
pub struct Apart<'a> {
    /// The author of each entrant; empty if there is none.
    pub authors: &'a [String],
    /// Maximum number of bots of an author at a table; 0 for any number.
    pub at_table_max: usize,
}

impl Apart<'_> {
    /// Tells whether a bot can join those at a table.
    fn may_join(self, bot: usize, table: impl Iterator<Item = usize>) -> bool {
        let author = |bot: usize| self.authors.get(bot).filter(|author| !author.is_empty());
        let is_of_same = |other: &usize| author(*other) == author(bot);
        self.at_table_max == 0
            || author(bot).is_none()
            || table.filter(is_of_same).count() < self.at_table_max
    }

    /// Lists the surplus bots of an author at a table, by their place in it.
    fn surplus(self, table: &[usize]) -> impl Iterator<Item = usize> {
        (0..table.len()).filter(move |at| !self.may_join(table[*at], table[..*at].iter().copied()))
    }
}

/// Deals a round: all its games, in order. A block plays one seating of its table.
///
/// If the field does not fill all tables, bots drawn at random take second seats as fillers: bots from other
/// tables if there are any left. A game that seats all entrants has one table.
///
/// # Panics
///
/// Panics if there is no entrant.
pub fn round(
    seed: Seed,
    (season, round): (u32, u32),
    entry: &Entry,
    parameters: &Parameters,
    entrants: usize,
) -> Vec<Pairing> {
    let block = Block::OneSeating;
    round_of_blocks(seed, (season, round), entry, parameters, entrants, Apart::default(), block)
}

/// Deals a round like [`round`], with blocks of this kind, and with some bots apart.
///
/// # Panics
///
/// Panics if there is no entrant.
pub fn round_of_blocks(
    seed: Seed,
    (season, round): (u32, u32),
    entry: &Entry,
    parameters: &Parameters,
    entrants: usize,
    apart: Apart<'_>,
    block: Block,
) -> Vec<Pairing> {
    assert!(entrants > 0, "a round needs a field");
    let mut dice = Dice::for_start(derive(seed, "deal", [season, round, 0]));
    let (parameters, tables) = match entry.table(parameters) {
        Some(seats) => (parameters.clone(), deal(entrants, seats, apart, &mut dice)),
        None => {
            let (parameters, mut seating) = entry.seat(parameters, entrants).expect("a field that can play");
            dice.shuffle(&mut seating);
            (parameters, vec![seating.into_iter().map(|bot| (bot, false)).collect()])
        }
    };
    pairings(seed, (season, round), entry, &parameters, &tables, block)
}

/// Deals all rounds of a season of fixed length so that pairs that have met least often meet next: see
/// [`balanced`]. Not for a season under the stop rule. A game that seats all entrants leaves nothing to
/// balance, so its rounds are dealt as by [`round`].
///
/// # Panics
///
/// Panics if there is no entrant.
pub fn balanced_rounds(
    seed: Seed,
    (season, rounds): (u32, u32),
    entry: &Entry,
    parameters: &Parameters,
    entrants: usize,
    block: Block,
) -> Vec<Vec<Pairing>> {
    assert!(entrants > 0, "a round needs a field");
    let Some(seats) = entry.table(parameters) else {
        return (1..=rounds)
            .map(|number| {
                let apart = Apart::default();
                round_of_blocks(seed, (season, number), entry, parameters, entrants, apart, block)
            })
            .collect();
    };
    let mut dice = Dice::for_start(derive(seed, "balanced deal", [season, rounds, 0]));
    let dealt = balanced::deal(entrants, seats, rounds as usize, &mut dice);
    let field: Vec<usize> = (0..entrants).collect();
    let round = |(bots, number): (&Vec<Vec<usize>>, u32)| {
        let tables = bots.iter().map(|bots| fill_up(bots, &field, seats, Apart::default(), &mut dice));
        let tables: Vec<Vec<Occupant>> = tables.collect();
        pairings(seed, (season, number), entry, parameters, &tables, block)
    };
    dealt.iter().zip(1..).map(round).collect()
}

/// The games of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Block {
    /// One seating, as the table is dealt, rotated until every bot has had every seat.
    #[default]
    OneSeating,
    /// The three seatings of a square that differ in who sits opposite, each rotated: 12 games. For tables of
    /// four; others play one seating.
    AllSeatings,
    /// One game, as the table is dealt: seats are drawn by lot, each order equally likely.
    OneGame,
}

/// For a table of four: the seatings round the ring. In each, another bot sits opposite the first.
const SQUARES: [[usize; 4]; 3] = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 1, 3]];

/// Makes the games of a round from its tables. Every table must be full.
pub fn pairings(
    seed: Seed,
    (season, round): (u32, u32),
    entry: &Entry,
    parameters: &Parameters,
    tables: &[Vec<Occupant>],
    block: Block,
) -> Vec<Pairing> {
    let info = entry.info(parameters);
    // By seat: the position of its bot in the table. Then the number of positions, and that of the rotations of a
    // block.
    let on_ring =
        |seat| info.ring.iter().position(|other| *other == seat).expect("every seat is on the ring");
    let (positions, count, rotations) = match entry.seating {
        Seating::Teams(teams) => {
            (BySeat::from_fn(info.seats, |seat| entry.team(seat)), teams.len(), teams.len())
        }
        _ => (BySeat::from_fn(info.seats, on_ring), info.seats, info.block),
    };
    let seatings = if block == Block::AllSeatings && count == 4 { SQUARES.len() } else { 1 };
    let mut pairings = Vec::new();
    for (index, bots) in tables.iter().enumerate() {
        let table = index as u32 + 1;
        // Bots that play alone are compared, so they get the same task.
        let seed = derive(seed, "game", [season, round, if info.seats == 1 { 1 } else { table }]);
        let games = if block == Block::OneGame { 1 } else { seatings * rotations };
        for game in 0..games {
            let (seating, rotation) = (game / rotations, game % rotations);
            // The bot at position i of the ring has moved on by `rotation` places.
            let bot_at = |seat| {
                let place = (positions[seat] + count - rotation % count) % count;
                bots[if seatings > 1 { SQUARES[seating][place] } else { place }]
            };
            pairings.push(Pairing {
                scheduled: Scheduled { season, round, table, rotation: game as u32 + 1 },
                parameters: parameters.clone(),
                seed,
                entrants: BySeat::from_fn(info.seats, |seat| bot_at(seat).0),
                fillers: Seat::first(info.seats).filter(|seat| bot_at(*seat).1).collect(),
            });
        }
    }
    pairings
}

/// Deals a field to tables. Every deal is equally likely; with bots apart, each round still has the same chances.
fn deal(entrants: usize, seats: usize, apart: Apart<'_>, dice: &mut Dice) -> Vec<Vec<Occupant>> {
    let field: Vec<usize> = (0..entrants).collect();
    let mut dealt = field.clone();
    dice.shuffle(&mut dealt);
    separate_authors(&mut dealt, seats, apart, dice);
    dealt.chunks(seats).map(|bots| fill_up(bots, &field, seats, apart, dice)).collect()
}

/// Maximum number of exchanges for each bot. A field in which all can sit apart needs far fewer.
const EXCHANGES_MAX: usize = 1000;

/// Exchanges surplus bots of an author with others drawn at random, until there are none.
fn separate_authors(dealt: &mut [usize], seats: usize, apart: Apart<'_>, dice: &mut Dice) {
    if apart.at_table_max == 0 {
        return;
    }
    let range_of = |table: usize, len: usize| table * seats..((table + 1) * seats).min(len);
    for _ in 0..EXCHANGES_MAX * dealt.len() {
        let tables = dealt.chunks(seats).enumerate();
        let surplus: Vec<usize> =
            tables.flat_map(|(table, bots)| apart.surplus(bots).map(move |at| table * seats + at)).collect();
        if surplus.is_empty() {
            break;
        }
        let one = surplus[dice.below(surplus.len() as u32) as usize];
        let other = dice.below(dealt.len() as u32) as usize;
        let tables = [one, other].map(|at| range_of(at / seats, dealt.len()));
        let count_surplus = |dealt: &[usize]| {
            tables.iter().map(|table| apart.surplus(&dealt[table.clone()]).count()).sum::<usize>()
        };
        let before = count_surplus(dealt);
        dealt.swap(one, other);
        if count_surplus(dealt) > before {
            dealt.swap(one, other);
        }
    }
    // The exchanged bot was the last of its author at a table. Without this, the first would keep the first
    // seats.
    for table in dealt.chunks_mut(seats) {
        dice.shuffle(table);
    }
}

/// Derives a seed by a keyed hash: knowing some of the seeds does not help to guess another.
pub fn derive(seed: Seed, purpose: &str, numbers: [u32; 3]) -> Seed {
    let mut hasher = Sha256::new_with_prefix(b"referee seed ");
    hasher.update(seed.0.to_be_bytes());
    hasher.update(purpose.as_bytes());
    for number in numbers {
        hasher.update(number.to_be_bytes());
    }
    let digest = hasher.finalize();
    Seed(digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// Fills a table up with bots drawn from `field`: with as few copies of a bot as possible, and if possible
/// without too many bots of one author.
pub fn fill_up(
    bots: &[usize],
    field: &[usize],
    seats: usize,
    apart: Apart<'_>,
    dice: &mut Dice,
) -> Vec<Occupant> {
    let mut table: Vec<Occupant> = bots.iter().map(|bot| (*bot, false)).collect();
    while table.len() < seats {
        let copies = |bot: usize| table.iter().filter(|(other, _)| *other == bot).count();
        let may_join = |bot: &usize| apart.may_join(*bot, table.iter().map(|(other, _)| *other));
        let mut open: Vec<usize> = field.iter().copied().filter(may_join).collect();
        if open.is_empty() {
            open = field.to_vec();
        }
        let fewest = open.iter().map(|bot| copies(*bot)).min().unwrap_or(0);
        let candidates: Vec<usize> = open.into_iter().filter(|bot| copies(*bot) == fewest).collect();
        table.push((candidates[dice.below(candidates.len() as u32) as usize], true));
    }
    if bots.len() < seats {
        dice.shuffle(&mut table); // otherwise fillers would always sit next to each other
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::catalog;

    fn football(seed: Seed, round: u32, entrants: usize) -> Vec<Pairing> {
        let entry = catalog::find("football").unwrap();
        super::round(seed, (1, round), entry, &Parameters::defaults(entry.parameters), entrants)
    }

    #[test]
    fn every_entrant_counts_once_in_every_seat_of_a_round() {
        for entrants in 1..14 {
            let games = football(Seed(7), 3, entrants);
            let mut counts = vec![[0; 4]; entrants];
            for game in &games {
                for (seat, bot) in game.entrants.iter().filter(|(seat, _)| !game.fillers.contains(seat)) {
                    counts[*bot][seat.index()] += 1;
                }
            }
            assert_eq!(counts, vec![[1; 4]; entrants], "{entrants} entrants");
        }
    }

    #[test]
    fn a_team_is_one_bot_and_each_bot_has_each_team_once() {
        let football = catalog::find("football").unwrap();
        let entry = Entry { seating: Seating::Teams(&[&[0, 3], &[1, 2]]), ..*football };
        let games = super::round(Seed(7), (1, 3), &entry, &Parameters::defaults(entry.parameters), 5);
        assert_eq!(games.len(), 3 * 2, "three tables of two bots");
        let mut counts = vec![[0; 4]; 5];
        for game in &games {
            let [zero, one, two, three] = [0, 1, 2, 3].map(|seat| game.entrants[Seat::new(seat)]);
            assert!(zero == three && one == two && zero != one, "{game:?}");
            assert!([0, 2].contains(&game.fillers.len()), "a team fills the table, not a seat: {game:?}");
            for (seat, bot) in game.entrants.iter().filter(|(seat, _)| !game.fillers.contains(seat)) {
                counts[*bot][seat.index()] += 1;
            }
        }
        assert_eq!(counts, vec![[1; 4]; 5]);
    }

    #[test]
    fn who_sits_where_in_a_block_of_one_game_is_left_to_the_lot() {
        let entry = catalog::find("football").unwrap();
        let parameters = Parameters::defaults(entry.parameters);
        let mut seats = [[0; 4]; 5];
        for round in 0..4_000 {
            let games =
                round_of_blocks(Seed(7), (1, round), entry, &parameters, 5, Apart::default(), Block::OneGame);
            assert_eq!(games.len(), 2, "two tables, one of them filled up");
            let mut played = [0; 5];
            for game in &games {
                for (seat, bot) in game.entrants.iter().filter(|(seat, _)| !game.fillers.contains(seat)) {
                    seats[*bot][seat.index()] += 1;
                    played[*bot] += 1;
                }
            }
            assert_eq!(played, [1; 5]);
        }
        // A thousand times each; by chance alone 110 more or less are four standard deviations.
        assert!(seats.iter().flatten().all(|count| (890..=1_110).contains(count)), "{seats:?}");
    }

    #[test]
    fn neighbours_stay_neighbours_when_a_table_rotates() {
        let games = football(Seed(7), 1, 4);
        let across = |game: &Pairing, bot| {
            let seat = game.entrants.iter().find(|(_, other)| **other == bot).unwrap().0;
            game.entrants[Seat::new(3 - seat.index())]
        };
        for bot in 0..4 {
            assert!(games.iter().all(|game| across(game, bot) == across(&games[0], bot)));
        }
        assert!(games.iter().all(|game| game.seed == games[0].seed));
    }

    #[test]
    fn each_table_of_a_round_has_a_seed_of_its_own() {
        let games = football(Seed(7), 1, 8);
        let seed_of = |table| games.iter().find(|game| game.scheduled.table == table).unwrap().seed;
        assert_ne!(seed_of(1), seed_of(2));
        assert!(games.iter().all(|game| game.seed == seed_of(game.scheduled.table)));
    }

    #[test]
    fn in_a_game_that_seats_the_field_each_bot_has_each_seat_equally_often() {
        let entry = catalog::find("target").unwrap();
        let parameters = Parameters::defaults(entry.parameters);
        let mut counts = [0f64; 16];
        for number in 1..=4_000 {
            let game = &super::round(Seed(7), (1, number), entry, &parameters, 16)[0];
            let seat = game.entrants.iter().find(|(_, bot)| **bot == 0).unwrap().0;
            counts[seat.index()] += 1.0;
        }
        let chi_squared: f64 = counts.iter().map(|count| (count - 250.0).powi(2) / 250.0).sum();
        assert!(chi_squared < 37.7, "{counts:?}: {chi_squared} is over the 99.9 % point for 15 degrees");
    }

    #[test]
    fn all_three_seatings_of_a_square_are_dealt_equally_often() {
        let mut counts = [0f64; 4];
        for number in 1..=3000 {
            let game = &football(Seed(7), number, 4)[0];
            let seat = game.entrants.iter().find(|(_, bot)| **bot == 0).unwrap().0;
            counts[game.entrants[Seat::new(3 - seat.index())]] += 1.0;
        }
        let chi_squared: f64 = counts[1..].iter().map(|count| (count - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi_squared < 13.8, "{counts:?}: {chi_squared} is over the 99.9 % point for 2 degrees");
    }

    #[test]
    fn no_bot_sits_twice_at_a_table_while_others_are_free() {
        for number in 1..200 {
            for game in football(Seed(1), number, 6) {
                let mut bots: Vec<usize> = game.entrants.as_slice().to_vec();
                bots.sort_unstable();
                bots.dedup();
                assert_eq!(bots.len(), 4);
            }
        }
    }

    #[test]
    fn seeds_differ_by_season_round_table_and_purpose() {
        let seeds = [
            derive(Seed(1), "game", [1, 1, 1]),
            derive(Seed(1), "game", [1, 1, 2]),
            derive(Seed(1), "game", [1, 2, 1]),
            derive(Seed(1), "game", [2, 1, 1]),
            derive(Seed(1), "deal", [1, 1, 1]),
            derive(Seed(2), "game", [1, 1, 1]),
        ];
        let different: std::collections::BTreeSet<_> = seeds.iter().collect();
        assert_eq!(different.len(), seeds.len());
    }

    #[test]
    fn bots_of_an_author_sit_apart_and_each_has_each_seat_and_each_other_as_often() {
        let entry = catalog::find("football").unwrap();
        let parameters = Parameters::defaults(entry.parameters);
        // Three bots of one author, two of another, five without an author: three tables, one of them filled
        // up.
        let authors = ["a", "a", "a", "b", "b", "", "", "", "", ""].map(str::to_owned);
        let apart = Apart { authors: &authors, at_table_max: 1 };
        let (mut seats, mut met) = ([[0; 4]; 10], [[0; 10]; 10]);
        for round in 0..3_000 {
            let games = round_of_blocks(Seed(7), (1, round), entry, &parameters, 10, apart, Block::OneGame);
            for game in &games {
                let bots: Vec<usize> = game.entrants.as_slice().to_vec();
                for author in ["a", "b"] {
                    let of_author = bots.iter().filter(|bot| authors[**bot] == author).count();
                    assert!(of_author <= 1, "{bots:?} with fillers {:?}", game.fillers);
                }
                for (seat, bot) in game.entrants.iter().filter(|(seat, _)| !game.fillers.contains(seat)) {
                    seats[*bot][seat.index()] += 1;
                    bots.iter().for_each(|other| met[*bot][*other] += 1);
                }
            }
        }
        // 750 times each; 95 more or less are four standard deviations.
        assert!(seats.iter().flatten().all(|count| (655..=845).contains(count)), "{seats:?}");
        // A bot without an author meets the three bots of one as often as they meet others.
        let of_one: Vec<i32> = (5..10)
            .flat_map(|bot| (0..3).map(move |other| (bot, other)))
            .map(|(bot, other)| met[bot][other])
            .collect();
        let (least, most) = (of_one.iter().min().unwrap(), of_one.iter().max().unwrap());
        assert!(most - least < 200, "{met:?}");
    }
}
