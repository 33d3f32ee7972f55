//! A position made from a seat's view continues like the game itself, given the same answers and draws.

use referee_games::foosball::{self, Foosball};
use referee_games::football::{self, Football};
use referee_games::push::{self, Push};
use referee_rules::kit;
use referee_rules::{Codec, Dice, Events, Parameters, Rules, Seat, Seed};

const SEED: Seed = Seed(5);

/// Draws a legal answer of each seat.
fn answers<R: Rules>(rules: &R, state: &R::State, dice: &mut Dice) -> Vec<(Seat, R::Action)> {
    let answer = |seat| {
        let mut action = R::Action::default();
        rules.sample(state, seat, dice, &mut action);
        (seat, action)
    };
    Seat::first(rules.info().seats).map(answer).collect()
}

/// Plays a game of random answers. Each turn is first played ahead from the view of each seat.
fn assert_foretold<R: Codec>(rules: &R, turns: u32, position: impl Fn(&R::View) -> (R, R::State)) {
    let mut state = rules.start(&mut Dice::for_start(SEED));
    let mut dice = Dice::for_start(Seed(!SEED.0));
    for turn in 0..turns {
        let answers = answers(rules, &state, &mut dice);
        let seats = || Seat::first(rules.info().seats);
        let foretold: Vec<R::View> = seats()
            .map(|seat| {
                let (rules, mut ahead) = position(&kit::view(rules, &state, seat));
                rules.resolve(&mut ahead, &answers, &mut Dice::for_turn(SEED, turn), &mut Events::default());
                kit::view(&rules, &ahead, seat)
            })
            .collect();
        rules.resolve(&mut state, &answers, &mut Dice::for_turn(SEED, turn), &mut Events::default());
        let came: Vec<R::View> = seats().map(|seat| kit::view(rules, &state, seat)).collect();
        assert!(foretold == came, "turn {turn}");
    }
}

#[test]
fn football_goes_on_from_a_view() {
    let mut parameters = Parameters::defaults(football::PARAMETERS);
    parameters.set("k", 40).expect("in range");
    assert_foretold(&Football::new(&parameters), 200, |view| {
        (Football::from_view(view), football::State::from_view(view))
    });
}

#[test]
fn push_goes_on_from_a_view() {
    assert_foretold(&Push::new(&Parameters::defaults(push::PARAMETERS)), 100, |view| {
        (Push::from_view(view), push::State::from_view(view))
    });
}

#[test]
fn the_draws_of_football_may_be_chosen() {
    use referee_games::football::{Cell, Order};
    let mut parameters = Parameters::defaults(football::PARAMETERS);
    parameters.set("p", 1).expect("in range");
    let rules = Football::new(&parameters);
    let ball = Cell::at(5, 5);
    let all = |order| Seat::first(4).map(|seat| (seat, vec![order])).collect::<Vec<_>>();
    for winner in 0..4 {
        let mut state = rules.start(&mut Dice::for_start(SEED));
        let mut events = Events::default();
        rules.resolve_with(&mut state, &all(Order::Place(ball)), &mut events, |_, _| {
            panic!("nothing is drawn")
        });
        let mut kicks = all(Order::STAY);
        for (seat, orders) in &mut kicks {
            orders[0] = Order::Kick(Cell::at(5, 6 + seat.index() as u16));
        }
        rules.resolve_with(&mut state, &kicks, &mut events, |rivals, balls| {
            assert_eq!((rivals.len(), balls), (4, 1));
            rivals.sort_by_key(|kick| kick.player != winner);
        });
        let view = kit::view(&rules, &state, Seat::new(0));
        assert_eq!(view.balls[Cell::at(5, 6 + winner).index()], 2);
    }
}

#[test]
fn foosball_goes_on_from_a_view_in_the_own_frame() {
    let rules = Foosball::new(&Parameters::defaults(foosball::PARAMETERS));
    let mut state = rules.start(&mut Dice::for_start(SEED));
    let mut dice = Dice::for_start(Seed(!SEED.0));
    for round in 0..foosball::ROUNDS - 1 {
        let answers = answers(&rules, &state, &mut dice);
        let before = [0, 1].map(|seat| kit::view(&rules, &state, Seat::new(seat)));
        let mut way = 0;
        rules.play_round(&mut state, &answers, &mut Events::default(), |contest| {
            way = contest.draw(&mut Dice::for_turn(SEED, round));
            way
        });
        for (seat, view) in before.iter().enumerate() {
            let mut ahead = foosball::State::from_view(view);
            let own_first = [0, 1]
                .map(|team| (Seat::new(team), answers[if team == 0 { seat } else { 1 - seat }].1.clone()));
            let way = if seat == 0 { way } else { -way };
            rules.play_round(&mut ahead, &own_first, &mut Events::default(), |_contest| way);
            let came = kit::view(&rules, &state, Seat::new(seat));
            assert_eq!(kit::view(&rules, &ahead, Seat::new(0)), came, "round {round}, seat {seat}");
        }
    }
}
