//! The house bots for Invisible Target against each other: who is stronger, and that all they say is legal.
//!
//! `cargo test target_bots -- --nocapture` prints who won how often.

use referee::game::{self, Game, Playing};
use referee::rules::target::{Action, Target, View};
use referee::rules::{Codec, Events, Seed};

use crate::house_bots::bots::target::{bayes, random, still};
use crate::torus::rules;

/// A bot of which a fresh one is made for each seat, from a seed.
#[derive(Clone, Copy)]
struct Entrant {
    name: &'static str,
    start: fn(u64) -> Think,
}

type Think = Box<dyn FnMut(&View) -> Action>;

const STILL: Entrant = Entrant { name: "still", start: |_seed| Box::new(still::think) };
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

// Walls are put quickly here, and few play: what takes long is that 2,000 walls are put.

#[test]
fn a_random_walker_wins_more_than_who_stays() {
    assert_stronger(STILL, RANDOM);
}

#[test]
fn who_keeps_probabilities_wins_more_than_a_random_walker() {
    assert_stronger(RANDOM, BAYES);
}

fn assert_stronger(weaker: Entrant, stronger: Entrant) {
    let wins = wins(&[weaker, stronger], 1, 12, 1);
    assert!(wins[1] > 2.0 * wins[0], "{wins:?}");
}

/// Plays games of so many copies of each; returns the mean share of each entrant: wins of one copy in one game.
fn wins(entrants: &[Entrant], copies: usize, games: u64, wall_one_in: i64) -> Vec<f64> {
    let seats = copies * entrants.len();
    let mut sums = vec![0.0; entrants.len()];
    let (mut turns, mut reasons) = (0, Vec::new());
    for seed in 0..games {
        let rules = rules(seats, &[("wall_one_in", wall_one_in)]);
        let mut game = Playing::new(rules, Seed(seed));
        // The seats move on from game to game.
        let entrant_of = |seat: usize| (seat + seed as usize) % entrants.len();
        let mut thinks: Vec<Think> =
            (0..seats).map(|seat| (entrants[entrant_of(seat)].start)(seed)).collect();
        let (mut line, mut integers, mut events) = (Vec::new(), Vec::new(), Events::default());
        while let [seat] = *game.asked() {
            line.clear();
            game.question(seat, &mut line);
            line.pop(); // the newline
            let view = game::read_question::<Target>(&line, &mut integers).expect("a question");
            integers.clear();
            Target::write_action(&thinks[seat.index()](&view), &mut integers);
            let verdict = game.answer(seat, Ok(&integers));
            let name = entrants[entrant_of(seat.index())].name;
            assert_eq!(verdict, None, "{name} in seat {seat}, turn {}, game {seed}", game.turn());
            events.clear();
            game.resolve(&mut events);
        }
        let outcome = game.outcome().expect("nobody is asked: the game is over");
        for (seat, share) in outcome.shares.iter() {
            sums[entrant_of(seat.index())] += share / (games as f64 * copies as f64);
        }
        turns += u64::from(game.turn());
        reasons.push(outcome.reason);
    }
    let table = entrants.iter().zip(&sums).map(|(entrant, mean)| format!("{} {mean:.3}", entrant.name));
    reasons.sort_unstable();
    let ends = reasons.chunk_by(|one, other| one == other).map(|same| format!("{} {}", same.len(), same[0]));
    println!(
        "{seats} seats: {}  ({games} games of {} turns: {})",
        table.collect::<Vec<_>>().join("  "),
        turns / games,
        ends.collect::<Vec<_>>().join(", ")
    );
    sums
}
