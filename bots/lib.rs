//! The house bots: small programs to try the referee with, and to copy from.
//!
//! Each file is a program of its own, and a module here, so that the main program can run as any of them.

#![forbid(unsafe_code)]

pub mod foosball;
pub mod football;
pub mod push;
pub mod target;
mod thinkers;

use include_dir::{Dir, include_dir};
use referee_rules::thinker::Thinker;

/// Parts of starter bots: a folder for each language, with the frame and a file for each game.
pub static STARTERS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/starters");

/// A starter game: a folder for each language.
pub static STARTER_GAME: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/starter-game");

/// A house bot.
#[derive(Clone, Copy, Debug)]
pub struct HouseBot {
    /// The game that it plays.
    pub game: &'static str,
    /// Its name among the bots of the game.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    /// Whether it takes `--seed N`.
    pub takes_seed: bool,
    /// Plays one game on standard input and output.
    pub main: fn(),
    /// Plays within this process; `None` for bots that came with a game from elsewhere.
    pub thinker: Option<fn() -> Box<dyn Thinker>>,
}

/// All house bots, game by game, the weakest first.
pub const HOUSE_BOTS: &[HouseBot] = &[
    HouseBot {
        game: "football",
        name: "still",
        about: "stands still",
        takes_seed: false,
        main: football::still::main,
        thinker: Some(thinkers::football_still),
    },
    HouseBot {
        game: "football",
        name: "random",
        about: "moves at random, kicks roughly homeward; --seed N: other random numbers",
        takes_seed: true,
        main: football::random::main,
        thinker: Some(thinkers::football_random),
    },
    HouseBot {
        game: "football",
        name: "greedy",
        about: "each player by itself: goes to the nearest ball, kicks it as far home as it can",
        takes_seed: false,
        main: football::greedy::main,
        thinker: Some(thinkers::football_greedy),
    },
    HouseBot {
        game: "football",
        name: "sweeper",
        about: "plans: one player for each ball, and players pass balls on",
        takes_seed: false,
        main: football::sweeper::main,
        thinker: Some(thinkers::football_sweeper),
    },
    HouseBot {
        game: "football",
        name: "champion",
        about: "values balls by the turns that they cost, simulates the next turns and improves its plan",
        takes_seed: false,
        main: football::champion::main,
        thinker: Some(thinkers::football_champion),
    },
    HouseBot {
        game: "foosball",
        name: "still",
        about: "spreads its men over the rows and leaves them there",
        takes_seed: false,
        main: foosball::still::main,
        thinker: Some(thinkers::foosball_still),
    },
    HouseBot {
        game: "foosball",
        name: "chaser",
        about: "spreads its men, sends one after the ball, rests the tired",
        takes_seed: false,
        main: foosball::chaser::main,
        thinker: Some(thinkers::foosball_chaser),
    },
    HouseBot {
        game: "foosball",
        name: "planner",
        about: "works out the chance of the next goal for each roster and each step",
        takes_seed: false,
        main: foosball::planner::main,
        thinker: Some(thinkers::foosball_planner),
    },
    HouseBot {
        game: "push",
        name: "random",
        about: "pushes at random; --seed N: other random numbers",
        takes_seed: true,
        main: push::random::main,
        thinker: Some(thinkers::push_random),
    },
    HouseBot {
        game: "push",
        name: "homeward",
        about: "makes the push that adds most to its score this turn",
        takes_seed: false,
        main: push::homeward::main,
        thinker: Some(thinkers::push_homeward),
    },
    HouseBot {
        game: "push",
        name: "reader",
        about: "guesses what the others push, and looks some turns ahead",
        takes_seed: false,
        main: push::reader::main,
        thinker: Some(thinkers::push_reader),
    },
    HouseBot {
        game: "push",
        name: "planner",
        about: "learns how each of the others plays, and simulates the next turns many times",
        takes_seed: false,
        main: push::planner::main,
        thinker: Some(thinkers::push_planner),
    },
    HouseBot {
        game: "target",
        name: "still",
        about: "stays where it started",
        takes_seed: false,
        main: target::still::main,
        thinker: Some(thinkers::target_still),
    },
    HouseBot {
        game: "target",
        name: "random",
        about: "walks at random; --seed N: other random numbers",
        takes_seed: true,
        main: target::random::main,
        thinker: Some(thinkers::target_random),
    },
    HouseBot {
        game: "target",
        name: "lurker",
        about: "goes to the dead end that has been without a wall for longest",
        takes_seed: false,
        main: target::lurker::main,
        thinker: Some(thinkers::target_lurker),
    },
    HouseBot {
        game: "target",
        name: "bayes",
        about: "computes for each cell the probability that it is the target, from the places with and without walls",
        takes_seed: false,
        main: target::bayes::main,
        thinker: Some(thinkers::target_bayes),
    },
];
