//! What a bot in Rust needs: read a question, answer it, until the game is over. A guide, and a whole bot for each
//! game.
//!
//! # A project
//!
//! ```toml
//! [dependencies]
//! referee-rules = { path = "../referee/referee/rules" }
//! ```
//!
//! The path leads to the folder `referee/rules` of this repository: the rules, the wire and this kit. It depends on the
//! crate `rand` alone. Then `src/main.rs`:
//!
//! ```no_run
//! use referee_rules::football::{Football, Order};
//!
//! // No player is placed, so all start at home, and stay there for the whole game.
//! fn main() {
//!     referee_rules::kit::run::<Football>(|view, orders| orders.extend(view.own().map(|_cell| Order::STAY)));
//! }
//! ```
//!
//! [`run`] calls a function with every question, read ([`View`](Codec::View)), and an empty answer to fill in
//! ([`Action`](crate::Rules::Action)); it writes the tag and flushes. Print all other text to standard error. After
//! `cargo build --release`, play with the program in `target/release`, and submit it.
//!
//! [`practice`] plays a whole game within one process, against seats that answer at random, and returns the first
//! fault. Use it in your tests; each of the bots below has passed it.
//!
//! # Football
//!
//! A [`View`](crate::football::View) has the players and balls by [`Cell`](crate::football::Cell); the
//! answer is an [`Order`](crate::football::Order) a player.
//!
//! ```
//! use referee_rules::football::{Action, Cell, Football, Order, PARAMETERS, View};
//! use referee_rules::Step;
//!
//! /// Each player for itself: kick the ball home as far as it goes, or step towards the nearest.
//! fn think(view: &View, orders: &mut Action) {
//!     if view.turn == 0 {
//!         orders.resize(view.p, Order::Place(view.home()));
//!         return;
//!     }
//!     for cell in view.own() {
//!         let order = if view.balls[cell.index()] > 0 {
//!             let in_range = Cell::all().filter(|to| view.reaches(cell, *to));
//!             Order::Kick(in_range.min_by_key(|to| to.distance_squared(view.home())).unwrap_or(cell))
//!         } else {
//!             let balls = Cell::all().filter(|to| view.balls[to.index()] > 0);
//!             let nearest = balls.min_by_key(|ball| cell.steps(*ball));
//!             nearest.map_or(Order::STAY, |ball| Order::Step(Step::towards(cell, ball)))
//!         };
//!         orders.push(order);
//!     }
//! }
//!
//! // fn main() { referee_rules::kit::run::<Football>(think) }
//! # use referee_rules::{kit, Parameters, Seat, Seed};
//! # let mut parameters = Parameters::defaults(PARAMETERS);
//! # parameters.set("k", 46).unwrap();
//! # let outcome = kit::practice(Football::new(&parameters), Seed(7), Seat::new(2), think).unwrap();
//! # assert_eq!(outcome.place(Seat::new(2)), 1);
//! ```
//!
//! # comFoosball
//!
//! Rows are in your own frame: you attack upward, in either seat.
//!
//! ```
//! use referee_rules::foosball::{Action, BENCH, FIELDED, Foosball, MEN, PARAMETERS, QUARTER, ROW_MAX, View, is_row};
//!
//! /// Spreads its men over the rows when a quarter begins, and then sends the nearest one step towards the ball.
//! fn think(view: &View, answer: &mut Action) {
//!     let mut rows = view.rows;
//!     if view.round.is_multiple_of(QUARTER) {
//!         for (man, row) in rows.iter_mut().enumerate() {
//!             *row = if man < FIELDED { man as i64 % (2 * ROW_MAX + 1) - ROW_MAX } else { BENCH };
//!         }
//!     } else {
//!         let away = (0..MEN).filter(|man| is_row(rows[*man]) && rows[*man] != view.ball);
//!         if let Some(man) = away.min_by_key(|man| (rows[*man] - view.ball).abs()) {
//!             rows[man] += (view.ball - rows[man]).signum();
//!         }
//!     }
//!     *answer = Action::Roster(rows);
//! }
//!
//! // fn main() { referee_rules::kit::run::<Foosball>(think) }
//! # use referee_rules::{kit, Parameters, Seat, Seed};
//! # let rules = Foosball::new(&Parameters::defaults(PARAMETERS));
//! # kit::practice(rules, Seed(7), Seat::new(1), think).unwrap();
//! ```
//!
//! # Push
//!
//! [`valid_pushes`](crate::push::valid_pushes) and [`bonus`](crate::push::bonus) are the rules' own.
//!
//! ```
//! use referee_rules::push::{Action, HOMES, PARAMETERS, Push, View, WAYS, bonus, valid_pushes};
//!
//! /// The push that adds most to its score in this turn.
//! fn think(view: &View, action: &mut Action) {
//!     let gain = |&(slot, direction): &(referee_rules::push::Slot, _)| {
//!         let target = slot.neighbour(direction).expect("a valid push stays on the board");
//!         i64::from(view.coins[slot.index()]) * (i64::from(bonus(target, view.seat)) - i64::from(bonus(slot, view.seat)))
//!     };
//!     let seat = view.seat.index();
//!     let best = valid_pushes(&view.coins, view.seat).max_by_key(gain);
//!     let (slot, direction) = best.unwrap_or((HOMES[seat], WAYS[seat][0])); // if there is none, anything is accepted
//!     *action = Action::Push(slot, direction);
//! }
//!
//! // fn main() { referee_rules::kit::run::<Push>(think) }
//! # use referee_rules::{kit, Parameters, Seat, Seed};
//! # let rules = Push::new(&Parameters::defaults(PARAMETERS));
//! # kit::practice(rules, Seed(7), Seat::new(4), think).unwrap();
//! ```
//!
//! # Invisible Target
//!
//! Each wall is told once, so this bot has something to remember: `think` is a closure.
//!
//! ```
//! use referee_rules::target::{Action, Cell, Move, PARAMETERS, Target, View};
//!
//! /// Goes to where the nearest enemy is farthest away.
//! fn bot() -> impl FnMut(&View, &mut Action) {
//!     let mut walls = vec![false; Cell::COUNT];
//!     move |view, action| {
//!         if let Some(wall) = view.wall {
//!             walls[wall.index()] = true;
//!         }
//!         let room = |cell: Cell| view.enemies.iter().map(|enemy| enemy.manhattan_wrapped(cell)).min();
//!         let is_free = |step: &Move| !walls[step.from(view.own).index()] && room(step.from(view.own)) > Some(0);
//!         let steps = Move::STEPS.into_iter().filter(is_free).chain([Move::STAY]);
//!         *action = Action::Move(steps.max_by_key(|step| room(step.from(view.own))).expect("one can stay"));
//!     }
//! }
//!
//! // fn main() { referee_rules::kit::run::<Target>(bot()) }
//! # use referee_rules::{kit, Parameters, Seat, Seed};
//! # let mut parameters = Parameters::defaults(PARAMETERS);
//! # parameters.set("max_rounds", 200).unwrap();
//! # kit::practice(Target::new(&parameters), Seed(7), Seat::new(9), bot()).unwrap();
//! ```
//!
//! # Looking ahead
//!
//! Make rules and a position from a view, play on from it with draws of your choice, and read the new position with
//! [`view`]. The other seats' answers are your guess.
//!
//! ```
//! use referee_rules::kit;
//! use referee_rules::football::{Action, Cell, Football, Order, State, View};
//! use referee_rules::{Events, Seat};
//!
//! /// How many goals our team has after these orders at worst: a rival on a ball takes it, and wins every draw.
//! fn goals_at_worst(view: &View, orders: &Action) -> u32 {
//!     let (rules, mut state) = (Football::from_view(view), State::from_view(view));
//!     let take = |cell: Cell| if view.balls[cell.index()] > 0 { Order::Kick(cell) } else { Order::STAY };
//!     let answer = |seat| match view.team(seat) {
//!         _ if seat == view.seat => orders.clone(),
//!         players => players.iter().flatten().map(|cell| take(*cell)).collect(),
//!     };
//!     let answers: Vec<(Seat, Action)> = Seat::first(4).map(|seat| (seat, answer(seat))).collect();
//!     let ours = |player: u16| usize::from(player) / view.p == view.seat.index();
//!     rules.resolve_with(&mut state, &answers, &mut Events::default(), |kicks, _balls| {
//!         kicks.sort_by_key(|kick| ours(kick.player)); // those in front get the balls
//!     });
//!     kit::view(&rules, &state, view.seat).scores[view.seat.index()]
//! }
//! # use referee_rules::{Parameters, Seed, football::PARAMETERS};
//! # let mut parameters = Parameters::defaults(PARAMETERS);
//! # parameters.set("k", 46).unwrap();
//! # parameters.set("max_turns", 20).unwrap();
//! # let mut foretold = 0;
//! # let outcome = kit::practice(Football::new(&parameters), Seed(7), Seat::new(2), |view, orders| {
//! #     assert!(view.scores[2] >= foretold);
//! #     let kick = |cell: Cell| if view.balls[cell.index()] > 0 { Order::Kick(view.home()) } else { Order::STAY };
//! #     match view.turn {
//! #         0 => orders.extend((40..50).map(|cell| Order::Place(Cell::from_number(cell).unwrap()))),
//! #         _ => orders.extend(view.own().map(kick)),
//! #     }
//! #     foretold = goals_at_worst(view, orders);
//! # }).unwrap();
//! # assert!(foretold >= 10 && outcome.scores[Seat::new(2)] >= i64::from(foretold));
//! ```
//!
//! | game | what plays on | what a view does not tell |
//! | --- | --- | --- |
//! | football | [`Football::resolve_with`](crate::football::Football::resolve_with) | how long no goal has been scored, and when that ends the game |
//! | push | [`Push::resolve_with`](crate::push::Push::resolve_with) | whose score was void before the last turn: remember the fates |
//! | foosball | [`Foosball::play_round`](crate::foosball::Foosball::play_round) | the variant; which side you are on, so that you are always seat 0 |
//! | target | [`State::new`](crate::target::State::new) on a guess, then [`resolve`](crate::Rules::resolve) | the target; walls of earlier turns: remember them |
//!
//! In Invisible Target a view is too little for a position: guess a target among the cells that fit what you have seen
//! (the bot `bayes` keeps a probability for each) and play on from the guess.

use std::fmt::Debug;
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;

use crate::game::{self, Game, Playing};
use crate::wire;
use crate::{Codec, Dice, Events, Fault, Outcome, Seat, Seed};

/// Plays one game on standard input and output: calls `think` with every question and an empty action to fill in.
/// Returns when the game is over.
///
/// Each answer has the tag `@i` with the number of its question, so a late answer does not spoil the next one.
///
/// # Panics
///
/// Panics, with the reason on standard error, if a line is no question of this game.
pub fn run<R: Codec>(mut think: impl FnMut(&R::View, &mut R::Action)) {
    let stdin = io::stdin().lock();
    let stdout = io::stdout().lock();
    serve::<R>(stdin, stdout, |view, action| think(view, action));
}

/// Does what [`run`] does, on any input and output.
///
/// # Panics
///
/// Panics if a line is no question of this game.
pub fn serve<R: Codec>(
    mut questions: impl BufRead,
    mut answers: impl Write,
    mut think: impl FnMut(&R::View, &mut R::Action),
) {
    let (mut line, mut integers, mut answer) = (Vec::new(), Vec::new(), Vec::new());
    for number in 1u64.. {
        line.clear();
        // An error here means the same as the end: the referee is gone. So does half a line.
        if questions.read_until(b'\n', &mut line).is_err() || line.pop() != Some(b'\n') {
            return;
        }
        let view = match game::read_question::<R>(&line, &mut integers) {
            Ok(view) => view,
            Err(malformed) => panic!("question {number}: {malformed}"),
        };
        let mut action = R::Action::default();
        think(&view, &mut action);
        integers.clear();
        R::write_action(&action, &mut integers);
        answer.clear();
        answer.extend_from_slice(format!("@{number}").as_bytes());
        wire::push_integers(&mut answer, &integers);
        answer.push(b'\n');
        if answers.write_all(&answer).and_then(|()| answers.flush()).is_err() {
            return;
        }
    }
}

/// Returns what a seat is told in a position: for a bot that looks ahead, and wants to know the scores or the players
/// then. See [looking ahead](self#looking-ahead).
pub fn view<R: Codec>(rules: &R, state: &R::State, seat: Seat) -> R::View {
    let mut integers = Vec::new();
    rules.write_own(state, seat, &mut integers);
    rules.write_shared(state, &mut integers);
    R::read_view(&integers).expect("a question of this game")
}

/// Plays a whole game in this process: `think` has one seat, and all others answer at random, but legally. Questions
/// and answers become integers and are read back, as in a real game. There is no time limit.
///
/// # Errors
///
/// Returns the first fault of `think`: an illegal or malformed answer.
///
/// # Panics
///
/// Panics if there is no such seat.
pub fn practice<R: Codec + Debug>(
    rules: R,
    seed: Seed,
    seat: Seat,
    mut think: impl FnMut(&R::View, &mut R::Action),
) -> Result<Outcome, Fault> {
    let mut game = Playing::new(rules, seed);
    assert!(seat.index() < game.info().seats, "the game has {} seats", game.info().seats);
    // Not the dice that the game itself draws from.
    let mut dice = Dice::for_start(Seed(!seed.0));
    let by_chance = |game: &mut dyn Game, other| {
        let mut integers = Vec::new();
        game.sample(other, &mut dice, &mut integers);
        let _ = game.answer(other, Ok(&integers));
    };
    let fault = play_against(&mut game, seat, by_chance, |game| match answer::<R>(game, seat, &mut think) {
        Some(fault) => ControlFlow::Break(fault),
        None => ControlFlow::Continue(()),
    });
    match fault {
        Some(fault) => Err(fault),
        None => Ok(game.outcome().expect("nobody is asked: the game is over")),
    }
}

/// Has `think` answer the question of a seat, which is written and read as in a real game. Returns the fault, or
/// `None`.
///
/// # Panics
///
/// Panics if the seat is not asked.
pub fn answer<R: Codec>(
    game: &mut dyn Game,
    seat: Seat,
    think: impl FnOnce(&R::View, &mut R::Action),
) -> Option<Fault> {
    let (mut line, mut integers) = (Vec::new(), Vec::new());
    game.question(seat, &mut line);
    let view =
        game::read_question::<R>(line.trim_ascii_end(), &mut integers).expect("a question of this game");
    let mut action = R::Action::default();
    think(&view, &mut action);
    integers.clear();
    R::write_action(&action, &mut integers);
    game.answer(seat, Ok(&integers))
}

/// Plays a game to its end: `ask` answers for one seat, `others` for each other seat. If `ask` breaks off, play stops
/// there, and its value is returned.
pub fn play_against<B>(
    game: &mut dyn Game,
    seat: Seat,
    mut others: impl FnMut(&mut dyn Game, Seat),
    mut ask: impl FnMut(&mut dyn Game) -> ControlFlow<B>,
) -> Option<B> {
    let mut events = Events::default();
    while !game.asked().is_empty() {
        let given = game::play_turn_unless(game, &mut events, |game, asked| {
            if asked == seat {
                return ask(game);
            }
            others(game, asked);
            ControlFlow::Continue(())
        });
        if let ControlFlow::Break(with) = given {
            return Some(with);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::push::{Action, PARAMETERS, Push, valid_pushes};
    use crate::{FaultKind, Parameters};

    use super::*;

    /// Pushes any pile that it can, until a turn in which it does something else.
    fn until(turn: u32, otherwise: Action) -> Result<Outcome, Fault> {
        let rules = Push::new(&Parameters::defaults(PARAMETERS));
        practice(rules, Seed(7), Seat::new(3), |view, action| {
            let (slot, direction) =
                valid_pushes(&view.coins, view.seat).next().expect("a coin can be pushed");
            *action = if view.turn < turn { Action::Push(slot, direction) } else { otherwise };
        })
    }

    #[test]
    fn practice_goes_on_to_the_end_of_the_game() {
        assert_eq!(until(u32::MAX, Action::Nothing).expect("no fault").reason, "turns");
    }

    #[test]
    fn practice_stops_at_the_first_fault() {
        assert_eq!(until(9, Action::NoPush([61, 0])).unwrap_err().kind(), FaultKind::Illegal);
    }
}
