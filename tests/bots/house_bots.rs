//! The house bots against each other: their ranking, and that all their answers are legal. No processes, but
//! the wire.
//!
//! `cargo test house_bots -- --include-ignored --nocapture` prints the mean shares.

use referee_games::football::{Action, Football, PARAMETERS, View};
use referee_rules::game::{Game, Playing, play_turn};
use referee_rules::kit;
use referee_rules::{Codec, Events, Parameters, Seed};

use referee_bots::football::{champion, greedy, random, still, sweeper};

/// A bot. A new one is made for each game, from that game's seed.
#[derive(Clone, Copy)]
struct Entrant {
    name: &'static str,
    start: fn(u64) -> Think,
}

type Think = Box<dyn FnMut(&View, &mut Action)>;

const STILL: Entrant = Entrant { name: "still", start: |_seed| Box::new(still::think) };
const RANDOM: Entrant =
    Entrant { name: "random", start: |seed| Box::new(move |view, orders| random::think(seed, view, orders)) };
const GREEDY: Entrant = Entrant { name: "greedy", start: |_seed| Box::new(greedy::think) };
const SWEEPER: Entrant = Entrant {
    name: "sweeper",
    start: |_seed| {
        let mut sweeper = sweeper::Sweeper::default();
        Box::new(move |view, orders| sweeper.think(view, orders))
    },
};

const CHAMPION: Entrant = Entrant {
    name: "champion",
    start: |_seed| {
        let mut champion = champion::Champion::default();
        Box::new(move |view, orders| champion.think(view, orders))
    },
};

/// Players of each team, kick range, and the last turn. The last few balls are contested for long, which
/// changes no ranking: games that would take many hundred turns are cut short here.
type Setting = (i64, i64, i64);

/// The three settings for which the ranking is tested.
const SETTINGS: [Setting; 3] = [(7, 6, 150), (10, 10, 150), (30, 20, 150)];

/// Far more games than are needed to tell the bots apart.
const GAMES: u64 = 12;

#[test]
fn each_house_bot_is_stronger_than_the_one_before_with_few_players() {
    assert_ordered(SETTINGS[0]);
}

#[test]
fn each_house_bot_is_stronger_than_the_one_before_with_some_players() {
    assert_ordered(SETTINGS[1]);
}

#[test]
fn each_house_bot_is_stronger_than_the_one_before_with_many_players() {
    assert_ordered(SETTINGS[2]);
}

#[test]
fn a_sweeper_has_far_more_than_any_of_three_greedies() {
    for setting in SETTINGS {
        let shares = mean_shares([SWEEPER, GREEDY, GREEDY, GREEDY], setting, GAMES / 3);
        for greedy in &shares[1..] {
            assert!(shares[0] > 1.5 * greedy, "{setting:?}: {shares:?}");
        }
    }
}

#[test]
fn a_sweeper_is_no_worse_than_greedies_at_any_known_setting() {
    let others = [(4, 32, 150), (7, 18, 150), (30, 3, 150), (46, 1, 150), (255, 32, 150)];
    for setting in [(1, 15, 1200), (3, 3, 1200)].into_iter().chain(others) {
        let shares = mean_shares([SWEEPER, GREEDY, GREEDY, GREEDY], setting, 4);
        let best_greedy = shares[1..].iter().copied().fold(0.0, f64::max);
        assert!(shares[0] >= best_greedy, "{setting:?}: {shares:?}");
    }
}

#[test]
#[ignore = "slow: 44 games that are thought over"]
fn a_champion_has_more_than_any_of_three_sweepers() {
    for (setting, games) in [((3, 3, 1200), 8), ((7, 6, 400), 12), ((30, 20, 150), 12), ((4, 32, 300), 12)] {
        let shares = mean_shares([CHAMPION, SWEEPER, SWEEPER, SWEEPER], setting, games);
        for sweeper in &shares[1..] {
            assert!(shares[0] > *sweeper, "{setting:?}: {shares:?}");
        }
    }
}

#[test]
fn a_champion_keeps_a_game_going_that_is_ended_for_want_of_goals() {
    const TURNS: i64 = 300;
    for seed in 0..4 {
        let mut entrants = [CHAMPION, GREEDY, RANDOM, STILL];
        entrants.rotate_left(seed as usize);
        let played = Arena::stalling_after(100, (3, 3, TURNS), seed).play(entrants);
        assert_eq!(played.turns, TURNS as u64 + 1, "seed {seed}: {:?}", played.shares);
    }
}

#[test]
fn a_champion_plays_legally_at_the_extremes() {
    for setting in [(1, 1, 300), (1, 46, 300), (46, 1, 100), (255, 1, 20), (255, 32, 20), (255, 46, 20)] {
        mean_shares([CHAMPION, GREEDY, CHAMPION, SWEEPER], setting, 1); // the only setting of the arena
    }
}

#[test]
fn the_same_seed_makes_the_same_game_again() {
    let play = |seed| Arena::new((5, 8, 100), seed).play([SWEEPER, RANDOM, GREEDY, CHAMPION]).answers;
    assert!(play(3) == play(3));
    assert!(play(3) != play(4));
}

/// Plays all four in one game, many times.
fn assert_ordered(setting: Setting) {
    let shares = mean_shares([STILL, RANDOM, GREEDY, SWEEPER], setting, GAMES);
    assert!(shares.is_sorted_by(|weaker, stronger| weaker < stronger), "{setting:?}: {shares:?}");
}

/// Plays games with the seats rotated and returns the mean share of each entrant.
fn mean_shares(entrants: [Entrant; 4], setting: Setting, games: u64) -> [f64; 4] {
    let mut sums = [0.0; 4];
    let mut turns = 0;
    for seed in 0..games {
        let turned = seed as usize % 4;
        let mut seated = entrants;
        seated.rotate_left(turned);
        let mut played = Arena::new(setting, seed).play(seated);
        played.shares.rotate_right(turned);
        for (sum, share) in sums.iter_mut().zip(played.shares) {
            *sum += share;
        }
        turns += played.turns;
    }
    let means = sums.map(|sum| sum / games as f64);
    let table = entrants.iter().zip(means).map(|(entrant, mean)| format!("{} {mean:.4}", entrant.name));
    println!(
        "p = {:3}, k = {:2}: {}  ({games} games of {} turns)",
        setting.0,
        setting.1,
        table.collect::<Vec<_>>().join("  "),
        turns / games
    );
    means
}

/// One game.
struct Arena {
    game: Playing<Football>,
    seed: u64,
}

/// The rest of the game.
struct Played {
    shares: [f64; 4],
    turns: u64,
    answers: Vec<i64>,
}

impl Arena {
    fn new(setting: Setting, seed: u64) -> Arena {
        Arena::stalling_after(50, setting, seed)
    }

    /// With a game that ends after this number of turns without a goal.
    fn stalling_after(turns: i64, (p, k, turns_max): Setting, seed: u64) -> Arena {
        let mut parameters = Parameters::defaults(PARAMETERS);
        for (name, value) in [("p", p), ("k", k), ("max_turns", turns_max), ("stall_turns", turns)] {
            parameters.set(name, value).expect("a parameter in its range");
        }
        Arena { game: Playing::new(Football::new(&parameters), Seed(seed)), seed }
    }

    /// Plays to the end.
    ///
    /// # Panics
    ///
    /// Panics if any order of any bot is not legal.
    fn play(self, entrants: [Entrant; 4]) -> Played {
        let Arena { mut game, seed } = self;
        let mut thinks = entrants.map(|entrant| (entrant.start)(seed));
        let mut events = Events::default();
        let (mut turns, mut answers) = (0, Vec::new());
        while !game.asked().is_empty() {
            play_turn(&mut game, &mut events, |game, seat| {
                let verdict = kit::answer::<Football>(game, seat, |view, orders| {
                    thinks[seat.index()](view, orders);
                    Football::write_action(orders, &mut answers);
                });
                let name = entrants[seat.index()].name;
                assert_eq!(verdict, None, "{name} in seat {seat}, turn {}, game {seed}", game.turn());
            });
            turns += 1;
        }
        let outcome = game.outcome().expect("nobody is asked: the game is over");
        let shares = outcome.shares.as_slice().try_into().expect("four seats");
        Played { shares, turns, answers }
    }
}
