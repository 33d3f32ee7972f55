//! Requirements on any game: one test suite for all games, including games of other crates.
//!
//! A whole game, and its check. Two seats name a number each, and the greater one wins:
//!
//! ```
//! use std::time::Duration;
//!
//! use referee_rules::conformance;
//! # use referee_rules::{Codec, Dice, Events, Fact, Fault, Illegal, Info, Listed, Malformed, Narrator, Outcome};
//! # use referee_rules::{Parameter, Parameters, Rules, Seat, Seating, Thing, TimeControl, ToMove};
//!
//! #[derive(Clone, Debug)]
//! struct Greater;
//!
//! /// The numbers that were named: none before the only turn, then one for each seat.
//! type Named = Vec<i64>;
//!
//! impl Rules for Greater {
//!     type State = Named;
//!     type Action = i64;
//!
//!     fn info(&self) -> Info {
//!         let limit = Duration::from_secs(1);
//!         let time = TimeControl { turn_limit: limit, first_limit: limit, bank: None, ponder: false };
//!         let ring = Seat::first(2).collect();
//!         Info { name: Self::NAME, version: 1, seats: 2, ring, block: 2, turns_max: 1, time }
//!     }
//!
//!     fn start(&self, _: &mut Dice) -> Named {
//!         Named::new()
//!     }
//!
//!     fn turn(&self, named: &Named) -> u32 {
//!         if named.is_empty() { 0 } else { 1 }
//!     }
//!
//!     fn to_move(&self, named: &Named) -> ToMove {
//!         if named.is_empty() { ToMove::All } else { ToMove::Nobody }
//!     }
//!
//!     fn check(&self, _: &Named, _: Seat, number: &i64) -> Result<(), Illegal> {
//!         let illegal = || Illegal { count: 1, of: 1, first: format!("{number} is not from 1 to 3") };
//!         (1..=3).contains(number).then_some(()).ok_or_else(illegal)
//!     }
//!
//!     fn sample(&self, _: &Named, _: Seat, dice: &mut Dice, number: &mut i64) {
//!         *number = i64::from(1 + dice.below(3));
//!     }
//!
//!     fn stand_in(&self, _: &Named, _: Seat, _: &Fault, number: &mut i64) {
//!         *number = 0;
//!     }
//!
//!     fn resolve(&self, named: &mut Named, numbers: &[(Seat, i64)], _: &mut Dice, _: &mut Events) {
//!         // An illegal number counts as 0.
//!         named.extend(numbers.iter().map(|(_, number)| if *number > 3 { 0 } else { (*number).max(0) }));
//!     }
//!
//!     fn outcome(&self, named: &Named) -> Option<Outcome> {
//!         let best = *named.iter().max()?;
//!         let winners = named.iter().filter(|number| **number == best).count();
//!         let share = |number: &i64| if *number == best { 1.0 / winners as f64 } else { 0.0 };
//!         let (scores, shares) = (named.iter().copied().collect(), named.iter().map(share).collect());
//!         Some(Outcome { scores, shares, reason: "named" })
//!     }
//!
//!     fn describe(&self, named: &Named, tell: &mut dyn FnMut(Fact)) {
//!         for (seat, number) in Seat::first(2).zip(named) {
//!             tell(Fact { thing: Thing::SCORE, seat: Some(seat), index: None, value: *number });
//!         }
//!     }
//!
//!     fn tell(&self, _: &Named, _: &[(Seat, i64)], _: &Named, _: &Events, _: &mut Narrator<'_>) {}
//! }
//!
//! /// A question is the number of the seat. An answer is the number that it names.
//! impl Codec for Greater {
//!     type View = Seat;
//!
//!     fn write_own(&self, _: &Named, seat: Seat, integers: &mut Vec<i64>) {
//!         integers.push(seat.index() as i64);
//!     }
//!
//!     fn write_shared(&self, _: &Named, _: &mut Vec<i64>) {}
//!
//!     fn read_view(integers: &[i64]) -> Result<Seat, Malformed> {
//!         match *integers {
//!             [seat @ 0..2] => Ok(Seat::new(seat as usize)),
//!             _ => Err(Malformed::new("no seat of this game")),
//!         }
//!     }
//!
//!     fn read_action(&self, _: &Named, integers: &[i64], number: &mut i64) -> Result<(), Malformed> {
//!         let &[named] = integers else { return Err(Malformed::count(1, integers.len())) };
//!         *number = named;
//!         Ok(())
//!     }
//!
//!     fn write_action(number: &i64, integers: &mut Vec<i64>) {
//!         integers.push(*number);
//!     }
//! }
//!
//! impl Listed for Greater {
//!     const NAME: &'static str = "greater";
//!     const ABOUT: &'static str = "the greater number wins";
//!     const PARAMETERS: &'static [Parameter] = &[];
//!     const SEATING: Seating = Seating::Fixed(2);
//!
//!     fn of_parameters(_: &Parameters) -> Greater {
//!         Greater
//!     }
//! }
//!
//! conformance::check::<Greater>();
//! ```

use std::fmt::Debug;

use crate::Seating;
use crate::entry::Entry;
use crate::game::read_question;
use crate::wire;
use crate::{
    Codec, Dice, Events, Fact, Fault, FaultKind, Listed, Malformed, Outcome, Parameters, Resource, Rules,
    Seat, Seed, ToMove,
};

/// Number of games that [`check`] plays.
const GAMES: u64 = 6;

/// Maximum number of turns: a longer random game is not played to its end.
const TURNS_MAX: u32 = 400;

/// Plays a game at random, six times, with parameters that make it short, and checks the requirements on any
/// game:
///
/// - questions and answers read back, and a question that is cut off does not;
/// - a random legal answer is legal;
/// - the game is over exactly when no seat is asked, and then each seat has a place, and a share from 0 to 1;
/// - everything that reads as an answer, and everything that replaces a fault, can be played;
/// - a turn that is played again from the same position with the same dice has the same outcome and events;
/// - a position has the same facts each time it is described, and no sentence about a turn ends with a full stop.
///
/// # Panics
///
/// Panics at the first requirement that the game does not meet.
pub fn check<G: Listed + Debug>() {
    (0..GAMES).map(Seed).for_each(suite::<G>);
}

/// Does what [`check`] does, for one seed.
///
/// # Panics
///
/// As for [`check`].
pub fn suite<R: Listed + Debug>(seed: Seed) {
    plays_at_random::<R>(seed);
    survives_nonsense::<R>(seed);
    replays_a_turn::<R>(seed);
}

/// Random legal play has no fault, and every question and answer reads back.
fn plays_at_random<R: Listed + Debug>(seed: Seed) {
    let rules = new::<R>(seed);
    let mut dice = Dice::for_start(seed);
    let mut state = rules.start(&mut dice);
    let mut events = Events::default();
    for turn in 0..TURNS_MAX {
        assert_eq!(rules.turn(&state), turn);
        let asked = asked(&rules, &state);
        assert_eq!(rules.outcome(&state).is_some(), asked.is_empty(), "over exactly when no seat is asked");
        if asked.is_empty() {
            check_outcome(&rules.outcome(&state).unwrap(), rules.info().seats);
            break;
        }
        let mut actions = Vec::new();
        for seat in asked {
            check_question(&rules, &state, seat);
            actions.push((seat, checked_sample(&rules, &state, seat, &mut dice)));
        }
        let before = state.clone();
        events.clear();
        rules.resolve(&mut state, &actions, &mut Dice::for_turn(seed, turn), &mut events);
        let facts = facts_of(&rules, &state);
        assert_eq!(facts, facts_of(&rules, &state), "turn {turn}: a position has the same facts each time");
        rules.tell(&before, &actions, &state, &events, &mut |_occurrence, words| {
            assert!(!words.to_string().ends_with('.'), "turn {turn}: a sentence has no full stop: {words}");
        });
    }
}

/// Makes sure that the question of a seat reads back, and does not if it is cut off.
fn check_question<R: Codec>(rules: &R, state: &R::State, seat: Seat) {
    let turn = rules.turn(state);
    let mut question = Vec::new();
    rules.write_own(state, seat, &mut question);
    rules.write_shared(state, &mut question);
    R::read_view(&question).unwrap_or_else(|malformed| panic!("turn {turn}, seat {seat}: {malformed}"));
    for length in [0, question.len() - 1] {
        let mut line = question.len().to_string().into_bytes();
        wire::push_integers(&mut line, &question[..length]);
        let read = read_question::<R>(&line, &mut Vec::new());
        assert!(read.is_err(), "a question cut off after {length}");
    }
}

/// Returns a random action, and makes sure that it is legal and reads back.
fn checked_sample<R: Codec>(rules: &R, state: &R::State, seat: Seat, dice: &mut Dice) -> R::Action {
    let (mut action, mut action_read) = (R::Action::default(), R::Action::default());
    rules.sample(state, seat, dice, &mut action);
    if let Err(illegal) = rules.check(state, seat, &action) {
        panic!("a random legal action: {illegal}");
    }
    let mut integers = Vec::new();
    R::write_action(&action, &mut integers);
    rules.read_action(state, &integers, &mut action_read).unwrap();
    assert_eq!(action_read, action, "an answer reads back");
    action
}

/// Returns the facts of a position, and makes sure that their seats are seats of the game.
fn facts_of<R: Rules>(rules: &R, state: &R::State) -> Vec<Fact> {
    let (mut facts, seats) = (Vec::new(), rules.info().seats);
    rules.describe(state, &mut |fact| facts.push(fact));
    for fact in &facts {
        assert!(fact.seat.is_none_or(|seat| seat.index() < seats), "no such seat: {fact:?}");
    }
    facts
}

/// Every action that decodes can be resolved, and every fault has a stand-in.
fn survives_nonsense<R: Listed + Debug>(seed: Seed) {
    let rules = new::<R>(seed);
    let mut dice = Dice::for_start(seed);
    let mut state = rules.start(&mut dice);
    let mut events = Events::default();
    for turn in 0..TURNS_MAX / 4 {
        let mut actions = Vec::new();
        for seat in asked(&rules, &state) {
            let mut action = R::Action::default();
            rules.sample(&state, seat, &mut dice, &mut action);
            let mut integers = Vec::new();
            R::write_action(&action, &mut integers);
            if let Some(integer) = integers.first_mut() {
                *integer = [i64::MIN, -1, 99, 1_000_000, i64::MAX][dice.below(5) as usize];
            }
            let decoded = rules.read_action(&state, &integers, &mut action);
            if decoded.is_err() || dice.below(2) == 0 {
                let kind = FaultKind::ALL[dice.below(FaultKind::ALL.len() as u32) as usize];
                let fault = fault_of(kind);
                rules.stand_in(&state, seat, &fault, &mut action);
            }
            actions.push((seat, action));
        }
        if actions.is_empty() {
            check_outcome(&rules.outcome(&state).unwrap(), rules.info().seats);
            break;
        }
        rules.resolve(&mut state, &actions, &mut Dice::for_turn(seed, turn), &mut events);
    }
}

/// Any turn replays alone from its position and its dice.
fn replays_a_turn<R: Listed + Debug>(seed: Seed) {
    let rules = new::<R>(seed);
    let mut dice = Dice::for_start(seed);
    let mut state = rules.start(&mut dice);
    assert_eq!(state, rules.start(&mut Dice::for_start(seed)), "the same start from the same seed");
    for turn in 0..TURNS_MAX / 8 {
        let asked = asked(&rules, &state);
        let sample = |seat, dice: &mut Dice| {
            let mut action = R::Action::default();
            rules.sample(&state, seat, dice, &mut action);
            (seat, action)
        };
        let actions: Vec<_> = asked.into_iter().map(|seat| sample(seat, &mut dice)).collect();
        if actions.is_empty() {
            break;
        }
        let mut again = state.clone();
        let (mut events, mut events_again) = (Events::default(), Events::default());
        rules.resolve(&mut state, &actions, &mut Dice::for_turn(seed, turn), &mut events);
        rules.resolve(&mut again, &actions, &mut Dice::for_turn(seed, turn), &mut events_again);
        assert_eq!((&state, &events), (&again, &events_again), "turn {turn}");
    }
}

/// Returns the rules with parameters that make games short.
fn new<R: Listed + Debug>(seed: Seed) -> R {
    let entry = Entry::of::<R>();
    let (parameters, _) = entry.seat(&short(&entry, seed), entrants(&entry)).unwrap();
    let rules = R::of_parameters(&parameters);
    assert_eq!(rules.info().name, R::NAME);
    rules
}

/// Returns a possible number of bots at one table.
pub fn entrants(entry: &Entry) -> usize {
    match entry.seating {
        Seating::Fixed(seats) => seats,
        Seating::Range { most, .. } => most,
        Seating::Teams(teams) => teams.len(),
        Seating::Field { .. } => 5,
    }
}

/// Returns parameters that make games short. They differ from seed to seed.
pub fn short(entry: &Entry, seed: Seed) -> Parameters {
    let mut parameters = Parameters::defaults(entry.parameters);
    let mut dice = Dice::for_turn(seed, 8);
    for (name, low, high) in
        [("p", 1, 20), ("k", 1, 46), ("max_turns", 1, 60), ("turns", 1, 60), ("max_rounds", 1, 60)]
    {
        let _ = parameters.set(name, i64::from(low + dice.below(high - low + 1)));
    }
    parameters
}

fn asked<R: Rules>(rules: &R, state: &R::State) -> Vec<Seat> {
    match rules.to_move(state) {
        ToMove::All => Seat::first(rules.info().seats).collect(),
        ToMove::Some(seats) => seats.iter().collect(),
        ToMove::One(seat) => vec![seat],
        ToMove::Nobody => Vec::new(),
    }
}

/// Checks the requirements on any outcome: a score and a share from 0 to 1 for each seat, a reason of one
/// word, a first place.
///
/// # Panics
///
/// Panics if a requirement is not met.
pub fn check_outcome(outcome: &Outcome, seats: usize) {
    assert_eq!((outcome.scores.len(), outcome.shares.len()), (seats, seats));
    assert!(outcome.shares.iter().all(|(_, share)| (0.0..=1.0).contains(share)), "{outcome:?}");
    assert!(
        !outcome.reason.is_empty() && outcome.reason.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
    );
    let best = Seat::first(seats).map(|seat| outcome.place(seat)).min();
    assert_eq!(best, Some(1), "somebody is first");
}

/// Returns a fault of a kind, as a table reports it. Only the rules find illegal answers: for that kind it
/// returns [`Fault::Late`].
pub fn fault_of(kind: FaultKind) -> Fault {
    match kind {
        FaultKind::Malformed => Fault::Malformed(Malformed::new("nonsense")),
        FaultKind::Exited => Fault::Exited(1),
        FaultKind::Crashed => Fault::Crashed(11),
        FaultKind::Resource => Fault::Resource(Resource::Cpu),
        FaultKind::StartFailed => Fault::StartFailed("no such file".to_owned()),
        kind => Fault::from_parts(kind, "").unwrap_or(Fault::Late),
    }
}
