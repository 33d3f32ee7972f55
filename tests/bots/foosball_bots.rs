//! The house bots for comFoosball against each other: their ranking, and that all their answers are legal. No
//! processes, but the wire. `cargo test foosball_bots -- --nocapture` prints the table.

use referee_games::foosball::{Action, Foosball, PARAMETERS, View};
use referee_rules::game::{Game, Playing, play_turn};
use referee_rules::kit;
use referee_rules::{Events, Parameters, Seed};

use referee_bots::foosball::{chaser, planner, still};

type Bot = (&'static str, fn(&View, &mut Action));

const STILL: Bot = ("still", still::think);
const CHASER: Bot = ("chaser", chaser::think);
const PLANNER: Bot = ("planner", planner::think);

const GAMES: u64 = 30;

#[test]
fn each_foosball_house_bot_is_stronger_than_the_one_before() {
    // In the order of the server, a man who steps to the ball does not tire: chasing is better there.
    for (variant, least) in [("text", 0.75), ("server2013", 0.55)] {
        for (weaker, stronger) in [(STILL, CHASER), (CHASER, PLANNER), (STILL, PLANNER)] {
            let share = mean_share(variant, stronger, weaker);
            assert!(share > least, "{variant}: {} has {share} against {}", stronger.0, weaker.0);
        }
    }
}

/// Plays games, each bot at home in half of them, and returns the mean share of the first.
fn mean_share(variant: &str, one: Bot, other: Bot) -> f64 {
    let (mut share, mut goals) = (0.0, [0; 2]);
    for seed in 0..GAMES {
        let home = (seed % 2) as usize;
        let outcome = play(variant, seed, if home == 0 { [one, other] } else { [other, one] });
        share += outcome.0[home];
        goals[0] += outcome.1[home];
        goals[1] += outcome.1[1 - home];
    }
    let [own, others] = goals.map(|goals| goals as f64 / GAMES as f64);
    println!(
        "{variant}: {} against {}: share {:.3}, goals {own:.1} : {others:.1} ({GAMES} games)",
        one.0,
        other.0,
        share / GAMES as f64
    );
    share / GAMES as f64
}

/// Plays a game and returns shares and goals.
///
/// # Panics
///
/// Panics if an answer is not legal.
fn play(variant: &str, seed: u64, bots: [Bot; 2]) -> ([f64; 2], [i64; 2]) {
    let mut parameters = Parameters::defaults(PARAMETERS);
    parameters.set_text("variant", variant).unwrap();
    let mut game = Playing::new(Foosball::new(&parameters), Seed(seed));
    let mut events = Events::default();
    while !game.asked().is_empty() {
        play_turn(&mut game, &mut events, |game, seat| {
            let (name, think) = bots[seat.index()];
            let verdict = kit::answer::<Foosball>(game, seat, think);
            assert_eq!(verdict, None, "{name} in seat {seat}, turn {}, game {seed}", game.turn());
        });
    }
    let outcome = game.outcome().unwrap();
    (outcome.shares.as_slice().try_into().unwrap(), outcome.scores.as_slice().try_into().unwrap())
}
