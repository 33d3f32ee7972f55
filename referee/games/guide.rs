//! A guide to bots in Rust, and a whole bot for each game: read a question, answer it, until the game is over.
//!
//! # A project
//!
//! ```toml
//! [dependencies]
//! referee-games = { path = "../referee/referee/games" }
//! referee-rules = { path = "../referee/referee/rules" }
//! ```
//!
//! The paths are folders of this repository: the games, and below them the wire and the kit. Both crates
//! depend on `rand` alone. Then `src/main.rs`:
//!
//! ```no_run
//! use referee_games::football::{Football, Order};
//!
//! // No player is placed, so all start at home, and stay there for the whole game.
//! fn main() {
//!     referee_rules::kit::run::<Football>(|view, orders| orders.extend(view.own().map(|_cell| Order::STAY)));
//! }
//! ```
//!
//! [`run`] calls a function with every question, read ([`View`]), and an empty answer to fill in ([`Action`]); it
//! writes the tag and flushes. Print all other text to standard error. After `cargo build --release`, play with the
//! program in `target/release`, and submit it.
//!
//! [`practice`] plays a whole game within one process, against seats that answer at random, and returns the first
//! fault. Use it in your tests; each of the bots below has passed it.
//!
//! [`run`]: referee_rules::kit::run
//! [`practice`]: referee_rules::kit::practice
//! [`View`]: referee_rules::Codec::View
//! [`Action`]: referee_rules::Rules::Action
//!
//! # Football
//!
//! A [`View`](crate::football::View) has the players and balls by [`Cell`](crate::football::Cell); the
//! answer is an [`Order`](crate::football::Order) a player.
//!
//! ```
//! use referee_games::football::{Action, Cell, Football, Order, PARAMETERS, View};
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
//! use referee_games::foosball::{Action, BENCH, FIELDED, Foosball, MEN, PARAMETERS, QUARTER, ROW_MAX, View, is_row};
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
//! use referee_games::push::{Action, HOMES, PARAMETERS, Push, Slot, View, WAYS, bonus, valid_pushes};
//!
//! /// The push that adds most to its score in this turn.
//! fn think(view: &View, action: &mut Action) {
//!     let gain = |&(slot, direction): &(Slot, _)| {
//!         let target = slot.neighbour(direction).expect("a valid push stays on the board");
//!         i64::from(view.coins[slot.index()]) * (i64::from(bonus(target, view.seat)) - i64::from(bonus(slot,
//!         view.seat)))
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
//! Each wall is told only once, so this bot has to remember walls: `think` is a closure.
//!
//! ```
//! use referee_games::target::{Action, Cell, Move, PARAMETERS, Target, View};
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
//! use referee_games::football::{Action, Cell, Football, Order, State, View};
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
//! # use referee_games::football::PARAMETERS;
//! # use referee_rules::{Parameters, Seed};
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
//! | game | plays a turn | missing in a view |
//! | --- | --- | --- |
//! | football | [`Football::resolve_with`](crate::football::Football::resolve_with) | how long no goal has been scored, and when that ends the game |
//! | push | [`Push::resolve_with`](crate::push::Push::resolve_with) | whose score was void before the last turn: remember the fates |
//! | foosball | [`Foosball::play_round`](crate::foosball::Foosball::play_round) | the variant; which side you are on, so that you are always seat 0 |
//! | target | [`State::new`](crate::target::State::new) on a guess, then [`resolve`](referee_rules::Rules::resolve) | the target; walls of earlier turns: remember them |
//!
//! In Invisible Target a view does not determine a position: guess a target among the cells that fit the
//! turns so far (the bot `bayes` keeps a probability for each) and play on from the guess.

#[cfg(test)]
mod tests {
    use referee_rules::kit::practice;
    use referee_rules::{Fault, FaultKind, Outcome, Parameters, Seat, Seed};

    use crate::push::{Action, PARAMETERS, Push, valid_pushes};

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
