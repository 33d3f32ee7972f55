//! A balanced deal for tournaments of fixed length: opponents who have met least often are paired first. It
//! depends on earlier rounds, which a deal under the stop rule must not. It is a pure function of the numbers
//! and the dice.

use referee_rules::Dice;

/// The tables of each round: bots by index, each once in a round. A table that is not full is the last.
pub type Tables = Vec<Vec<usize>>;

/// Number of random deals of a round that are tried. Each is improved by exchanging two bots while that
/// helps.
const TRIES_OF_A_ROUND: usize = 8;

/// Number of whole tournaments that are tried, for fields of at most [`TRIES_FIELD_MAX`] bots.
const TRIES: usize = 16;
const TRIES_FIELD_MAX: usize = 24;

/// Deals all rounds of a tournament.
///
/// For tables of two this is the circle method: after every `entrants - 1` rounds all have met equally often,
/// and in between no two pairs differ by more than one. For other tables it is the best of several tries; a
/// test measures how good it is.
///
/// # Panics
///
/// Panics if there is no seat.
pub fn deal(entrants: usize, seats: usize, rounds: usize, dice: &mut Dice) -> Vec<Tables> {
    assert!(seats > 0, "a table has seats");
    if seats == 2 {
        return (0..rounds)
            .scan(Vec::new(), |order, round| Some(next_circle(entrants, round, order, dice)))
            .collect();
    }
    let tries = if entrants <= TRIES_FIELD_MAX { TRIES } else { 1 };
    let all = (0..tries).map(|_| try_tournament(entrants, seats, rounds, dice));
    let (_, rounds) = all.min_by_key(|(meetings, _)| meetings.unevenness()).expect("at least one try");
    rounds
}

/// Pairs a field by the circle method: the first stays, all others move on by one place each round. `order`
/// contains the places of the first round. A bot without an opponent has a bye.
pub fn circle(order: &[usize], round: usize) -> Vec<(usize, Option<usize>)> {
    let places = order.len() + order.len() % 2;
    let at = |place: usize| {
        let moved =
            if place == 0 { 0 } else { 1 + (place - 1 + places - 1 - round % (places - 1)) % (places - 1) };
        order.get(moved).copied()
    };
    let pairs = (0..places / 2).map(|place| (at(place), at(places - 1 - place)));
    pairs
        .filter_map(|(one, other)| one.map(|one| (one, other)).or(other.map(|other| (other, None))))
        .collect()
}

fn next_circle(entrants: usize, round: usize, order: &mut Vec<usize>, dice: &mut Dice) -> Tables {
    let cycle = (entrants + entrants % 2).saturating_sub(1).max(1);
    if round.is_multiple_of(cycle) {
        *order = (0..entrants).collect();
        dice.shuffle(order);
    }
    let mut tables: Tables = circle(order, round % cycle)
        .into_iter()
        .map(|(one, other)| [Some(one), other].into_iter().flatten().collect())
        .collect();
    dice.shuffle(&mut tables);
    tables.sort_by_key(|table| std::cmp::Reverse(table.len()));
    for table in &mut tables {
        dice.shuffle(table);
    }
    tables
}

/// The number of meetings of each pair.
#[derive(Clone, Debug)]
struct Meetings {
    entrants: usize,
    counts: Vec<u32>,
}

impl Meetings {
    fn new(entrants: usize) -> Meetings {
        Meetings { entrants, counts: vec![0; entrants * entrants] }
    }

    fn count(&self, one: usize, other: usize) -> u32 {
        self.counts[one * self.entrants + other]
    }

    fn add(&mut self, tables: &Tables) {
        for table in tables {
            for one in table {
                for other in table.iter().filter(|other| *other != one) {
                    self.counts[one * self.entrants + other] += 1;
                }
            }
        }
    }

    /// The cost of a bot at a table without another bot: low if it has seldom met those who sit there.
    fn cost(&self, bot: usize, table: &[usize], without: usize) -> u32 {
        // The growth of the sum of squares, which is smallest if all counts are equal.
        table
            .iter()
            .filter(|other| **other != without && **other != bot)
            .map(|other| 2 * self.count(bot, *other) + 1)
            .sum()
    }

    /// Returns the difference of the greatest and the smallest count, then the sum of squares.
    fn unevenness(&self) -> (u32, u64) {
        let pairs =
            (0..self.entrants).flat_map(|one| (one + 1..self.entrants).map(move |other| (one, other)));
        let counts: Vec<u32> = pairs.map(|(one, other)| self.count(one, other)).collect();
        let (min, max) = (counts.iter().min().unwrap_or(&0), counts.iter().max().unwrap_or(&0));
        (max - min, counts.iter().map(|count| u64::from(*count).pow(2)).sum())
    }
}

/// Deals all rounds of a tournament once, each as evenly as several tries make it.
fn try_tournament(entrants: usize, seats: usize, rounds: usize, dice: &mut Dice) -> (Meetings, Vec<Tables>) {
    let mut meetings = Meetings::new(entrants);
    let mut dealt = Vec::new();
    for _ in 0..rounds {
        let tries = (0..TRIES_OF_A_ROUND).map(|_| {
            let mut field: Vec<usize> = (0..entrants).collect();
            dice.shuffle(&mut field);
            let mut tables: Tables = field.chunks(seats).map(<[usize]>::to_vec).collect();
            exchange(&mut tables, &meetings);
            tables
        });
        let unevenness_after = |tables: &Tables| {
            let mut meetings = meetings.clone();
            meetings.add(tables);
            meetings.unevenness()
        };
        let mut best = tries.min_by_key(unevenness_after).expect("at least one try");
        meetings.add(&best);
        for table in &mut best {
            dice.shuffle(table);
        }
        dealt.push(best);
    }
    (meetings, dealt)
}

/// Exchanges bots of two tables while that makes the deal better.
fn exchange(tables: &mut Tables, meetings: &Meetings) {
    let mut has_improved = true;
    while has_improved {
        has_improved = false;
        for first in 0..tables.len() {
            for second in first + 1..tables.len() {
                for one in 0..tables[first].len() {
                    for other in 0..tables[second].len() {
                        let (bot, partner) = (tables[first][one], tables[second][other]);
                        let cost_now = meetings.cost(bot, &tables[first], bot)
                            + meetings.cost(partner, &tables[second], partner);
                        let cost_after = meetings.cost(bot, &tables[second], partner)
                            + meetings.cost(partner, &tables[first], bot);
                        if cost_after < cost_now {
                            (tables[first][one], tables[second][other]) = (partner, bot);
                            has_improved = true;
                        }
                    }
                }
            }
        }
    }
}
