//! The house bots for Invisible Target against each other: their ranking, and that all their answers are
//! legal.
//!
//! `cargo test target_bots -- --nocapture` prints how often each bot won. The games are small, since a game
//! of the real size takes seconds: with `REFEREE_TARGET_BLOCKS=20` there are 20 blocks of 16 seats, with the
//! default walls.

use referee_games::target::{Action, Target, View};
use referee_rules::game::{Game, Playing, play_turn};
use referee_rules::kit;
use referee_rules::{Events, Seed};

use crate::torus::rules;
use referee_bots::target::{bayes, lurker, random, still};

/// A bot. A new one is made for each seat, from a seed.
#[derive(Clone, Copy)]
struct Entrant {
    name: &'static str,
    start: fn(u64) -> Think,
}

type Think = Box<dyn FnMut(&View) -> Action>;

const STILL: Entrant = Entrant { name: "still", start: |_seed| Box::new(still::think) };
const LURKER: Entrant = Entrant {
    name: "lurker",
    start: |_seed| {
        let mut bot = lurker::Lurker::default();
        Box::new(move |view| bot.think(view))
    },
};
const RANDOM: Entrant = Entrant {
    name: "random",
    start: |seed| {
        let mut bot = random::Random::new(seed);
        Box::new(move |view| bot.think(view))
    },
};
const BAYES: Entrant = Entrant {
    name: "bayes",
    start: |_seed| {
        let mut bot = bayes::Bayes::default();
        Box::new(move |view| bot.think(view))
    },
};

/// The games: a number of blocks, a number of copies of each bot, and a wall one time in this number.
#[derive(Clone, Copy, Debug)]
struct Setting {
    copies: usize,
    blocks: u64,
    wall_one_in: i64,
}

#[test]
fn who_lurks_at_dead_ends_wins_more_than_who_stays() {
    assert_stronger(STILL, LURKER, Setting { copies: 4, blocks: 2, wall_one_in: 1 });
}

#[test]
fn who_keeps_probabilities_wins_more_than_who_lurks_at_dead_ends() {
    assert_stronger(LURKER, BAYES, Setting { copies: 2, blocks: 4, wall_one_in: 1 });
}

#[test]
fn who_keeps_probabilities_wins_more_than_a_random_walker() {
    assert_stronger(RANDOM, BAYES, Setting { copies: 2, blocks: 4, wall_one_in: 1 });
}

fn assert_stronger(weaker: Entrant, stronger: Entrant, quick: Setting) {
    let blocks = std::env::var("REFEREE_TARGET_BLOCKS").ok();
    let setting = match blocks.map(|blocks| blocks.parse().expect("a number of blocks")) {
        Some(blocks) => Setting { copies: 8, blocks, wall_one_in: 7 },
        None => quick,
    };
    let [of_weaker, of_stronger] = wins([weaker, stronger], setting);
    assert!(of_stronger >= 1.5 * of_weaker, "{of_weaker} {of_stronger}");
}

/// Plays blocks of two games, the same game with the bots' seats changed. Returns how often each won. Joint
/// winners all win.
fn wins(entrants: [Entrant; 2], setting: Setting) -> [f64; 2] {
    let (mut wins, mut differences) = ([0.0; 2], Vec::new());
    for seed in 0..setting.blocks {
        let mut block = [0.0; 2];
        for turned in 0..2 {
            for (sum, wins) in block.iter_mut().zip(play(entrants, turned, seed, setting)) {
                *sum += wins;
            }
        }
        differences.push(block[1] - block[0]);
        wins = [wins[0] + block[0], wins[1] + block[1]];
    }
    let blocks = setting.blocks as f64;
    let mean = differences.iter().sum::<f64>() / blocks;
    let variance =
        differences.iter().map(|difference| (difference - mean).powi(2)).sum::<f64>() / (blocks - 1.0);
    println!(
        "{setting:?}: {} {}, {} {}; a block {mean:.2} +- {:.2}",
        entrants[0].name,
        wins[0],
        entrants[1].name,
        wins[1],
        (variance / blocks).sqrt()
    );
    wins
}

/// Plays a game to its end and returns how many copies of each have won.
///
/// # Panics
///
/// Panics if anything that a bot says is not legal.
fn play(entrants: [Entrant; 2], turned: usize, seed: u64, setting: Setting) -> [f64; 2] {
    let seats = 2 * setting.copies;
    let mut game = Playing::new(rules(seats, &[("wall_one_in", setting.wall_one_in)]), Seed(seed));
    let entrant_of = |seat: usize| (seat + turned) % 2;
    let mut thinks: Vec<Think> = (0..seats).map(|seat| (entrants[entrant_of(seat)].start)(seed)).collect();
    let mut events = Events::default();
    while !game.asked().is_empty() {
        play_turn(&mut game, &mut events, |game, seat| {
            let think = &mut thinks[seat.index()];
            let verdict = kit::answer::<Target>(game, seat, |view, action| *action = think(view));
            let name = entrants[entrant_of(seat.index())].name;
            assert_eq!(verdict, None, "{name} in seat {seat}, turn {}, game {seed}", game.turn());
        });
    }
    let outcome = game.outcome().expect("nobody is asked: the game is over");
    let mut wins = [0.0; 2];
    outcome.shares.iter().for_each(|(seat, share)| wins[entrant_of(seat.index())] += share);
    wins
}
