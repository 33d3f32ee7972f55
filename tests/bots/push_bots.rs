//! The house bots for Push against each other: their ranking, and that all their answers are legal. No
//! processes, but the wire.
//!
//! `cargo test push_bots -- --nocapture` prints the mean scores.

use referee_games::push::{Action, PARAMETERS, PLAYERS, Push, View};
use referee_rules::game::{Game, Playing, play_turn};
use referee_rules::kit;
use referee_rules::{Events, Parameters, Seed};

use referee_bots::push::{homeward, planner, random, reader};

/// A bot. A new one is made for each game, from that game's seed.
#[derive(Clone, Copy)]
struct Entrant {
    name: &'static str,
    start: fn(u64) -> Think,
}

type Think = Box<dyn FnMut(&View, &mut Action)>;

const RANDOM: Entrant =
    Entrant { name: "random", start: |seed| Box::new(move |view, action| random::think(seed, view, action)) };
const HOMEWARD: Entrant = Entrant { name: "homeward", start: |_seed| Box::new(homeward::think) };
const READER: Entrant = Entrant {
    name: "reader",
    start: |_seed| {
        let mut reader = reader::Reader::default();
        Box::new(move |view, action| reader.think(view, action))
    },
};

const PLANNER: Entrant = Entrant {
    name: "planner",
    start: |_seed| {
        let mut planner = planner::Planner::default();
        Box::new(move |view, action| planner.think(view, action))
    },
};
const STARTER: Entrant = Entrant { name: "starter", start: |_seed| Box::new(starter::answer) };

/// The bot that `referee new` writes.
mod starter {
    use referee_games::push::{Action, Direction, Slot, View};

    include!(concat!(env!("CARGO_MANIFEST_DIR"), "/starters/rust/push.rs"));

    pub(super) fn answer(view: &View, action: &mut Action) {
        let mut question = vec![view.turn as i32, view.turns as i32, view.seat.index() as i32];
        question.extend(view.coins.map(i32::from));
        let answer = think(&question, &mut Memory::default());
        *action = Action::Push(
            Slot::new(answer[0] as usize),
            Direction::from_number(answer[1].into()).expect("a way"),
        );
    }
}

/// The short game. In the long one few piles are left, and their last slots are mostly chance: the ranking is
/// the same, but it takes many hundred games to see it.
const TURNS: i64 = 10;

const GAMES: u64 = 120;

/// Games of one bot against five much weaker ones.
const UNEVEN_GAMES: u64 = 36;

/// Games of `planner`, which thinks longer.
const PLANNED_GAMES: u64 = 12;

#[test]
fn each_house_bot_for_push_is_stronger_than_the_one_before() {
    let means = mean_scores([RANDOM, HOMEWARD, READER, RANDOM, HOMEWARD, READER], TURNS, GAMES);
    let [random, homeward, reader] = [0, 1, 2].map(|bot| means[bot] + means[bot + 3]);
    assert!(random < homeward && homeward < reader, "{means:?}");
}

#[test]
fn each_house_bot_for_push_has_more_than_any_of_five_weaker_ones() {
    for (stronger, weaker) in [(HOMEWARD, RANDOM), (READER, RANDOM), (READER, HOMEWARD)] {
        let means = mean_scores([stronger, weaker, weaker, weaker, weaker, weaker], TURNS, UNEVEN_GAMES);
        let best = means[1..].iter().copied().fold(0.0, f64::max);
        assert!(means[0] > 1.1 * best, "{} against {}: {means:?}", stronger.name, weaker.name);
    }
}

#[test]
fn planner_has_more_than_any_other_bot_for_push() {
    for weaker in [[READER; 5], [STARTER; 5]] {
        let means =
            mean_scores([PLANNER, weaker[0], weaker[1], weaker[2], weaker[3], weaker[4]], 10, PLANNED_GAMES);
        let best = means[1..].iter().copied().fold(0.0, f64::max);
        assert!(means[0] > best, "planner against {}, ...: {means:?}", weaker[0].name);
    }
}

#[test]
fn house_bots_for_push_play_the_same_game_again() {
    let play = |seed| play(12, seed, [READER, RANDOM, HOMEWARD, PLANNER, READER, PLANNER]);
    assert_eq!(play(3), play(3));
    assert_ne!(play(3), play(4));
}

/// Plays games with the seats rotated and returns the mean score of each entrant.
fn mean_scores(entrants: [Entrant; PLAYERS], turns: i64, games: u64) -> [f64; PLAYERS] {
    let mut sums = [0.0; PLAYERS];
    let mut squares = [0.0; PLAYERS];
    for seed in 0..games {
        let turned = seed as usize % PLAYERS;
        let mut seated = entrants;
        seated.rotate_left(turned);
        let mut scores = play(turns, seed, seated);
        scores.rotate_right(turned);
        for (index, score) in scores.into_iter().enumerate() {
            sums[index] += score as f64;
            squares[index] += (score * score) as f64;
        }
    }
    let games = games as f64;
    let means = sums.map(|sum| sum / games);
    let row = |index: usize| {
        let error = ((squares[index] / games - means[index] * means[index]) / games).sqrt();
        format!("{} {:.1} +- {error:.1}", entrants[index].name, means[index])
    };
    println!("{turns} turns, {games} games: {}", (0..PLAYERS).map(row).collect::<Vec<_>>().join("  "));
    means
}

/// Plays a game to its end and returns the scores.
///
/// # Panics
///
/// Panics if any push of any bot is not legal.
fn play(turns: i64, seed: u64, entrants: [Entrant; PLAYERS]) -> [i64; PLAYERS] {
    let mut parameters = Parameters::defaults(PARAMETERS);
    parameters.set("turns", turns).expect("a parameter in its range");
    let mut game = Playing::new(Push::new(&parameters), Seed(seed));
    let mut thinks = entrants.map(|entrant| (entrant.start)(seed));
    let mut events = Events::default();
    while !game.asked().is_empty() {
        play_turn(&mut game, &mut events, |game, seat| {
            let verdict = kit::answer::<Push>(game, seat, &mut thinks[seat.index()]);
            let name = entrants[seat.index()].name;
            assert_eq!(verdict, None, "{name} in seat {seat}, turn {}, game {seed}", game.turn());
        });
    }
    let outcome = game.outcome().expect("nobody is asked: the game is over");
    outcome.scores.as_slice().try_into().expect("six seats")
}
