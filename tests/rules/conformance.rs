//! What every game of the catalog must do, played at random: one suite for all of them.

use std::fmt::Debug;

use crate::table::simulated::SimulatedTable;
use referee::catalog::{self, Entry, GAMES, Seating, Visitor};
use referee::game::{Game, read_question};
use referee::play::play;
use referee::record::log::{GameLog, LogFile};
use referee::record::{BotName, Digest, Heading};
use referee::replay::audit::audit_log;
use referee::rules::football::Football;
use referee::rules::{
    BySeat, Dice, Events, Fault, FaultKind, Listed, Malformed, Outcome, Parameters, Resource, Rules, Seat,
    Seed, ToMove,
};
use referee::wire;

/// How many games of each game are played.
const GAMES_EACH: u64 = 6;

/// No random game of this suite is longer.
const TURNS: u32 = 400;

#[test]
fn every_game_passes_the_suite() {
    struct Each(Vec<&'static str>);
    impl Visitor for Each {
        fn visit<G: Listed + Debug>(&mut self) {
            (0..GAMES_EACH).map(Seed).for_each(suite::<G>);
            self.0.push(G::NAME);
        }
    }
    let mut each = Each(Vec::new());
    catalog::visit(&mut each);
    assert_eq!(each.0, GAMES.iter().map(|entry| entry.name).collect::<Vec<_>>());
}

/// What any game must do, in a random game that follows from a seed.
pub(crate) fn suite<R: Listed + Debug>(seed: Seed) {
    println!("{}, seed {seed}", R::NAME);
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
    for turn in 0..TURNS {
        assert_eq!(rules.turn(&state), turn);
        let asked = asked(&rules, &state);
        assert_eq!(rules.outcome(&state).is_some(), asked.is_empty(), "over exactly when nobody is asked");
        if asked.is_empty() {
            check_outcome(&rules.outcome(&state).unwrap(), rules.info().seats);
            break;
        }
        let mut actions = Vec::new();
        for seat in asked {
            let mut question = Vec::new();
            rules.write_own(&state, seat, &mut question);
            rules.write_shared(&state, &mut question);
            R::read_view(&question)
                .unwrap_or_else(|malformed| panic!("turn {turn}, seat {seat}: {malformed}"));
            for length in [0, question.len() - 1] {
                let mut line = question.len().to_string().into_bytes();
                wire::push_integers(&mut line, &question[..length]);
                let read = read_question::<R>(&line, &mut Vec::new());
                assert!(read.is_err(), "a question cut off after {length}");
            }

            let (mut action, mut read, mut integers) =
                (R::Action::default(), R::Action::default(), Vec::new());
            rules.sample(&state, seat, &mut dice, &mut action);
            rules
                .check(&state, seat, &action)
                .unwrap_or_else(|illegal| panic!("a random legal action: {illegal}"));
            R::write_action(&action, &mut integers);
            rules.read_action(&state, &integers, &mut read).unwrap();
            assert_eq!(read, action, "an answer reads back");
            actions.push((seat, action));
        }
        rules.resolve(&mut state, &actions, &mut Dice::for_turn(seed, turn), &mut events);
    }
}

/// Whatever decodes can be resolved, and whatever a bot does wrong has a stand-in.
fn survives_nonsense<R: Listed + Debug>(seed: Seed) {
    let rules = new::<R>(seed);
    let mut dice = Dice::for_start(seed);
    let mut state = rules.start(&mut dice);
    let mut events = Events::default();
    for turn in 0..TURNS / 4 {
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
    for turn in 0..TURNS / 8 {
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

#[test]
fn every_game_of_the_catalog_plays_under_faults_and_its_log_agrees() {
    let folder = tempfile::tempdir().unwrap();
    for entry in GAMES {
        let mut faults = 0;
        for number in 0..1000 {
            faults += plays_under_faults(entry, Seed(number), &folder.path().join("log.csv"));
        }
        println!("{}: 1,000 simulated games with {faults} faults", entry.name);
        assert!(faults > 1000, "{}: only {faults} faults show nothing", entry.name);
    }
}

/// Plays a simulated game, audits its log, and returns how many turns were not all right.
fn plays_under_faults(entry: &'static Entry, seed: Seed, path: &std::path::Path) -> u64 {
    let (parameters, _) = entry.seat(&short(entry, seed), entrants(entry)).unwrap();
    let mut game = entry.start(&parameters, seed);
    let seats = game.info().seats;
    let bot = BotName { name: "simulated".to_owned(), version: 1, digest: Digest::of(b"") };
    let heading = Heading::new("simulated", &*game, &parameters, BySeat::from_fn(seats, |_| bot.clone()));
    let mut log = GameLog::begin(&heading, LogFile::create(path).unwrap());
    // Numbers of the right length, now and then legal.
    let mut dice = Dice::for_turn(seed, 9);
    let length = answer_length(&*game);
    let mut table = SimulatedTable::new(seats, seed, move |_, _| {
        (0..length).map(|_| i64::from(dice.below(12)) - 2).collect()
    });
    let outcome = play(&mut *game, &mut table, &mut log).unwrap();
    let (file, digest, tally) = log.finish();
    file.publish().unwrap();
    let agreed = audit_log(path).unwrap_or_else(|error| panic!("{} of seed {seed}: {error}", entry.name));
    assert_eq!((agreed.outcome, agreed.tally, agreed.digest), (outcome.clone(), tally.clone(), digest));
    check_outcome(&outcome, seats);
    let kinds = FaultKind::ALL.iter().filter(|kind| **kind != FaultKind::Illegal);
    let mut faults = 0;
    for seat in Seat::first(seats) {
        let expected = table.expected(seat);
        for kind in [FaultKind::Late, FaultKind::Deaf, FaultKind::Exited, FaultKind::TooLong] {
            let due = expected.iter().filter(|expected| expected.fault == Some(kind)).count();
            assert_eq!(
                tally.faults(seat, kind),
                due as u64,
                "{} of seed {seed}, seat {seat}: {}",
                entry.name,
                kind.name()
            );
        }
        faults += kinds.clone().map(|kind| tally.faults(seat, *kind)).sum::<u64>();
    }
    faults
}

/// How many integers a random legal answer has, once the game has begun.
fn answer_length(game: &dyn Game) -> usize {
    let mut integers = Vec::new();
    game.sample(game.asked()[0], &mut Dice::for_start(Seed(0)), &mut integers);
    integers.len()
}

#[test]
fn a_question_line_reads_as_a_question_of_its_own_game() {
    let entry = catalog::find("football").unwrap();
    let mut game = entry.start(&Parameters::defaults(entry.parameters), Seed(1));
    let mut line = Vec::new();
    game.question(Seat::new(2), &mut line);
    let view = read_question::<Football>(line.trim_ascii_end(), &mut Vec::new()).unwrap();
    assert_eq!((view.seat, view.turn, view.p), (Seat::new(2), 0, 10));
}

fn new<R: Listed + Debug>(seed: Seed) -> R {
    let entry = Entry::of::<R>();
    let (parameters, _) = entry.seat(&short(&entry, seed), entrants(&entry)).unwrap();
    let rules = R::of_parameters(&parameters);
    assert_eq!(rules.info().name, R::NAME);
    rules
}

fn entrants(entry: &Entry) -> usize {
    match entry.seating {
        Seating::Fixed(seats) => seats,
        Seating::Range { most, .. } => most,
        Seating::Field { .. } => 5,
    }
}

/// Parameters that make short games, other ones for each seed.
fn short(entry: &Entry, seed: Seed) -> Parameters {
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

fn check_outcome(outcome: &Outcome, seats: usize) {
    assert_eq!((outcome.scores.len(), outcome.shares.len()), (seats, seats));
    assert!(outcome.shares.iter().all(|(_, share)| (0.0..=1.0).contains(share)), "{outcome:?}");
    assert!(
        !outcome.reason.is_empty() && outcome.reason.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
    );
    let best = Seat::first(seats).map(|seat| outcome.place(seat)).min();
    assert_eq!(best, Some(1), "somebody is first");
}

fn fault_of(kind: FaultKind) -> Fault {
    match kind {
        FaultKind::Malformed => Fault::Malformed(Malformed::new("nonsense")),
        FaultKind::Exited => Fault::Exited(1),
        FaultKind::Crashed => Fault::Crashed(11),
        FaultKind::Resource => Fault::Resource(Resource::Cpu),
        FaultKind::StartFailed => Fault::StartFailed("no such file".to_owned()),
        kind => Fault::from_parts(kind, "").unwrap_or(Fault::Late),
    }
}
