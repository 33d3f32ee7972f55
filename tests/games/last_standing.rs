//! A game that only tests play: two to four seats, and seats that are out are not asked any more. It shows
//! what no game of the list has needed so far.

use std::fmt::Debug;

use crate::simulated::SimulatedTable;
use referee_files::log::LogFile;
use referee_games::catalog::{Entry, SEATS, Seating};
use referee_record::log::GameLog;
use referee_record::play::play;
use referee_record::{BotName, Digest, Heading};
use referee_rules::conformance;
use referee_rules::game::play_turn;
use referee_rules::{
    BySeat, Codec, Dice, Events, Fact, Fault, Illegal, Info, Listed, Malformed, Narrator, Occurrence,
    OccurrenceName, Outcome, Parameter, Parameters, Rules, Seat, Seats, Seed, Thing, TimeControl, ToMove,
};
use referee_statistics::schedule::deal;
use referee_statistics::schedule::format::{Contest, Format};

/// In each turn, all seats that are in name a number from 0 to 9. One of those with the lowest, drawn by
/// chance, is out.
#[derive(Clone, Debug)]
pub(crate) struct LastStanding {
    seats: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Standing {
    turn: u32,
    /// By seat: the number of turns in which it was in.
    turns_in: Vec<i64>,
    is_in: Vec<bool>,
}

impl Standing {
    fn those_in(&self) -> Seats {
        Seat::first(self.is_in.len()).filter(|seat| self.is_in[seat.index()]).collect()
    }
}

impl Listed for LastStanding {
    const NAME: &'static str = "last_standing";
    const ABOUT: &'static str = "the last who is in wins";
    const PARAMETERS: &'static [Parameter] = &[Parameter::integer(SEATS, 3, 2..=4, "players")];
    const SEATING: Seating = Seating::Range { least: 2, most: 4 };

    fn of_parameters(parameters: &Parameters) -> LastStanding {
        LastStanding { seats: parameters.get(SEATS) as usize }
    }
}

impl Rules for LastStanding {
    type State = Standing;
    type Action = i64;

    fn info(&self) -> Info {
        let limit = std::time::Duration::from_secs(1);
        Info {
            name: Self::NAME,
            version: 1,
            seats: self.seats,
            ring: Seat::first(self.seats).collect(),
            block: self.seats,
            turns_max: 3,
            time: TimeControl { turn_limit: limit, first_limit: limit, bank: None, ponder: false },
        }
    }

    fn start(&self, _dice: &mut Dice) -> Standing {
        Standing { turn: 0, turns_in: vec![0; self.seats], is_in: vec![true; self.seats] }
    }

    fn turn(&self, state: &Standing) -> u32 {
        state.turn
    }

    fn to_move(&self, state: &Standing) -> ToMove {
        let those_in = state.those_in();
        if those_in.iter().count() > 1 { ToMove::Some(those_in) } else { ToMove::Nobody }
    }

    fn check(&self, _state: &Standing, _seat: Seat, action: &i64) -> Result<(), Illegal> {
        let illegal = Illegal { count: 1, of: 1, first: format!("{action} is not from 0 to 9") };
        if (0..10).contains(action) { Ok(()) } else { Err(illegal) }
    }

    fn sample(&self, _state: &Standing, _seat: Seat, dice: &mut Dice, action: &mut i64) {
        *action = dice.below(10).into();
    }

    fn stand_in(&self, _state: &Standing, _seat: Seat, _fault: &Fault, action: &mut i64) {
        *action = -1;
    }

    fn resolve(&self, state: &mut Standing, actions: &[(Seat, i64)], dice: &mut Dice, events: &mut Events) {
        let asked: Vec<Seat> = actions.iter().map(|(seat, _)| *seat).collect();
        assert_eq!(
            asked,
            state.those_in().iter().collect::<Vec<_>>(),
            "one action of each seat that was asked"
        );
        let legal = |action: i64| if (0..10).contains(&action) { action } else { -1 };
        let lowest = actions.iter().map(|(_, action)| legal(*action)).min().expect("an action");
        let rivals = actions.iter().filter(|(_, action)| legal(*action) == lowest);
        let rivals: Vec<Seat> = rivals.map(|(seat, _)| *seat).collect();
        let out = rivals[dice.below(rivals.len() as u32) as usize];
        events.draw("out", 0, rivals.iter().map(|seat| seat.index() as i64), [out.index() as i64]);
        state.is_in[out.index()] = false;
        state.those_in().iter().for_each(|seat| state.turns_in[seat.index()] += 1);
        state.turn += 1;
    }

    fn outcome(&self, state: &Standing) -> Option<Outcome> {
        (self.to_move(state) == ToMove::Nobody).then(|| Outcome {
            scores: state.turns_in.iter().copied().collect(),
            shares: state.turns_in.iter().map(|turns| *turns as f64 / (self.seats - 1) as f64).collect(),
            reason: "one_left",
        })
    }

    fn describe(&self, state: &Standing, tell: &mut dyn FnMut(Fact)) {
        for (seat, turns) in Seat::first(self.seats).zip(&state.turns_in) {
            tell(Fact { thing: Thing::SCORE, seat: Some(seat), index: None, value: *turns });
        }
    }

    fn tell(
        &self,
        before: &Standing,
        _actions: &[(Seat, i64)],
        after: &Standing,
        _events: &Events,
        say: &mut Narrator<'_>,
    ) {
        for seat in before.those_in().iter().filter(|seat| !after.those_in().contains(*seat)) {
            say(Occurrence::new(OccurrenceName::new("out")).by(seat), format_args!("seat {seat} is out"));
        }
    }
}

impl Codec for LastStanding {
    type View = Vec<bool>;

    fn write_own(&self, _state: &Standing, seat: Seat, integers: &mut Vec<i64>) {
        integers.push(seat.index() as i64);
    }

    fn write_shared(&self, state: &Standing, integers: &mut Vec<i64>) {
        integers.push(state.is_in.len() as i64);
        integers.extend(state.is_in.iter().map(|is_in| i64::from(*is_in)));
    }

    fn read_view(integers: &[i64]) -> Result<Vec<bool>, Malformed> {
        match integers {
            [_, seats, is_in @ ..] if *seats == is_in.len() as i64 => {
                Ok(is_in.iter().map(|is_in| *is_in == 1).collect())
            }
            _ => Err(Malformed::count(2, integers.len())),
        }
    }

    fn read_action(&self, _state: &Standing, integers: &[i64], action: &mut i64) -> Result<(), Malformed> {
        let &[number] = integers else { return Err(Malformed::count(1, integers.len())) };
        *action = number;
        Ok(())
    }

    fn write_action(action: &i64, integers: &mut Vec<i64>) {
        integers.push(*action);
    }
}

static ENTRY: Entry = Entry::of::<LastStanding>();

fn with_seats(seats: usize) -> Parameters {
    let mut parameters = Parameters::defaults(ENTRY.parameters);
    parameters.set(SEATS, seats as i64).expect("two to four");
    parameters
}

#[test]
fn as_many_sit_down_as_are_named_if_the_game_allows_it() {
    let defaults = Parameters::defaults(ENTRY.parameters);
    for entrants in 2..=4 {
        let (parameters, seating) = ENTRY.seat(&defaults, entrants).expect("two to four");
        assert_eq!(parameters.get(SEATS), entrants as i64);
        assert_eq!(seating, (0..entrants).collect::<Vec<_>>());
        assert_eq!(ENTRY.start(&parameters, Seed(1)).info().seats, entrants);
    }
    for entrants in [0, 1, 5] {
        let error = ENTRY.seat(&defaults, entrants).expect_err("not two to four").to_string();
        assert_eq!(error, format!("last_standing is played by 2 to 4 bots; you named {entrants}"));
    }
}

#[test]
fn only_those_who_are_named_are_asked() {
    let mut game = ENTRY.start(&with_seats(4), Seed(3));
    let mut asked = vec![game.asked().len()];
    while !game.asked().is_empty() {
        let mut numbers = [5, 1, 7, 9].into_iter();
        play_turn(&mut *game, &mut Events::default(), |game, seat| {
            let number = numbers.next().expect("four seats at most");
            assert_eq!(game.answer(seat, Ok(&[number])), None);
        });
        asked.push(game.asked().len());
    }
    assert_eq!(asked, [4, 3, 2, 0]);
    let outcome = game.outcome().expect("it is over");
    // The second is out first each time but the last: then of two it is the second again.
    assert_eq!(outcome.scores.iter().map(|(_, score)| *score).max(), Some(3));
}

#[test]
fn it_is_played_and_recorded_under_faults_like_any_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut faults = 0;
    for seed in (0..200).map(Seed) {
        let seats = 2 + seed.0 as usize % 3;
        let parameters = with_seats(seats);
        let mut game = ENTRY.start(&parameters, seed);
        let bot = BotName { name: "simulated".to_owned(), version: 1, digest: Digest::of(b"") };
        let heading = Heading::new("g", &*game, &parameters, BySeat::from_fn(seats, |_| bot.clone()));
        let mut log =
            GameLog::begin(&heading, LogFile::create(&folder.path().join("log.csv")).expect("a log"));
        let mut table = SimulatedTable::new(seats, seed, |_, _| vec![4]);
        let outcome = play(&mut *game, &mut table, &mut log).expect("a game");
        let (file, _, tally) = log.finish();
        file.publish().expect("a log");
        assert_eq!(outcome.scores.iter().map(|(_, score)| *score).max(), Some(seats as i64 - 1));
        for seat in Seat::first(seats) {
            let asked = table.expected(seat).len() as i64;
            // A seat that is out is not asked again.
            assert_eq!(asked, (outcome.scores[seat] + 1).min(seats as i64 - 1), "seat {seat} of {seats}");
            faults += tally.faults(seat, referee_rules::FaultKind::Late);
        }
    }
    assert!(faults > 10, "{faults}");
}

#[test]
fn tables_have_the_number_of_seats_that_is_set() {
    for seats in 2..=4 {
        let parameters = with_seats(seats);
        let round = deal::round(Seed(5), (1, 1), &ENTRY, &parameters, 5);
        assert_eq!(round.len(), 5usize.div_ceil(seats) * seats, "each table plays a block");
        assert!(round.iter().all(|game| game.entrants.len() == seats && game.parameters == parameters));
        let rounds = deal::balanced_rounds(Seed(5), (1, 2), &ENTRY, &parameters, 5, deal::Block::OneSeating);
        assert!(rounds.iter().flatten().all(|game| game.entrants.len() == seats));
        let contest =
            Contest { entry: &ENTRY, parameters, entrants: 5, seed: Seed(5), authors: Vec::new(), season: 1 };
        assert_eq!(contest.seats(), Some(seats));
        Format::default().check(&contest).expect("rounds are for any game");
    }
}

#[test]
fn it_passes_the_suite_that_every_game_passes() {
    fn passes<G: Listed + Debug>() {
        (0..20).map(Seed).for_each(conformance::suite::<G>);
    }
    passes::<LastStanding>();
}
