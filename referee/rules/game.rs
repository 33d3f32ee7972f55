//! A game in progress with its types hidden, as the turn loop, the audit and the viewer use it.

use std::any::Any;
use std::fmt;
use std::ops::ControlFlow;

use crate::wire;
use crate::{
    Codec, Dice, Events, Fact, Fault, Info, Malformed, Narrator, Outcome, Position, Seat, Seed, ToMove,
};

/// A game in progress. In each turn: [`asked`](Game::asked), a [`question`](Game::question) and an
/// [`answer`](Game::answer) for each asked seat, then [`resolve`](Game::resolve).
pub trait Game: Send + fmt::Debug {
    /// Describes the game.
    fn info(&self) -> &Info;

    /// Returns the random seed of the game.
    fn seed(&self) -> Seed;

    /// Returns the number of the next turn, from 0.
    fn turn(&self) -> u32;

    /// Returns the seats that are asked in this turn, in order. Empty if the game is over.
    fn asked(&self) -> &[Seat];

    /// Appends the question for a seat, as the line that is sent.
    fn question(&mut self, seat: Seat, line: &mut Vec<u8>);

    /// Gets all answers of a turn before [`answer`](Game::answer) takes each: rules that are a program judge
    /// all at once.
    fn expect(&mut self, _answers: &mut dyn Iterator<Item = (Seat, &[i64])>) {}

    /// Takes the answer of an asked seat, once: the integers of its line, or the fault.
    ///
    /// Returns the verdict: `None` if the answer is good, otherwise the fault, possibly one that only the
    /// rules can see.
    fn answer(&mut self, seat: Seat, given: Result<&[i64], &Fault>) -> Option<Fault>;

    /// Plays the turn. A seat that was asked and has not answered gets a stand-in.
    fn resolve(&mut self, events: &mut Events);

    /// Plays the turn like [`resolve`](Game::resolve), and narrates it.
    fn resolve_telling(&mut self, events: &mut Events, say: &mut Narrator<'_>);

    /// Returns the number of events of the last turn that was played. A reader of a record knows by it how many of
    /// their rows come before the next answers.
    fn events_of_last_turn(&self) -> usize;

    /// Returns the outcome, or `None` before the end of the game.
    fn outcome(&self) -> Option<Outcome>;

    /// Reports all facts of the position.
    fn describe(&self, tell: &mut dyn FnMut(Fact));

    /// Reports facts for viewers that never change and so are not part of a position.
    fn describe_board(&self, tell: &mut dyn FnMut(Fact));

    /// Reports random choices before the first turn that no draw or effect records. Call it before that turn.
    fn describe_start(&self, tell: &mut dyn FnMut(Fact));

    /// Appends the integers of a random legal answer.
    fn sample(&self, seat: Seat, dice: &mut Dice, integers: &mut Vec<i64>);

    /// Returns the position as the type of its rules, for readers that know it. `None` if the rules are a program.
    fn state(&self) -> Option<&dyn Any> {
        None
    }

    /// Returns the reason why the game cannot go on: its rules are a program that has failed. No seat is
    /// asked then, and there is no outcome. Rules in Rust never fail.
    fn trouble(&self) -> Option<Trouble> {
        None
    }

    /// Returns a copy of the game, which continues independently.
    fn copied(&self) -> Box<dyn Game>;

    /// Returns a copy of the game whose further draws come from another seed. `None` if its rules are a
    /// program, which has no such request.
    fn copied_with_seed(&self, _seed: Seed) -> Option<Box<dyn Game>> {
        None
    }
}

/// Why a game cannot go on: its rules are a program that has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The program and its mistake, in one line.
    pub why: String,
    /// The seat without whose last answer the program goes on, if there is exactly one.
    pub seat: Option<Seat>,
    /// What the program has written to standard error: both ends, if it is long.
    pub errors: Vec<u8>,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl Position {
    /// Returns all facts of a game's position.
    pub fn of(game: &dyn Game) -> Position {
        let mut facts = Vec::new();
        game.describe(&mut |fact| facts.push(fact));
        Position::new(facts)
    }
}

/// Plays a turn: `give` answers for each asked seat, in order; a seat without an answer gets a stand-in.
/// Afterwards `events` contains the events of the turn.
pub fn play_turn(game: &mut dyn Game, events: &mut Events, mut give: impl FnMut(&mut dyn Game, Seat)) {
    let give_and_continue = |game: &mut dyn Game, seat| {
        give(game, seat);
        ControlFlow::<()>::Continue(())
    };
    let _ = play_turn_unless(game, events, give_and_continue);
}

/// Plays a turn like [`play_turn`]. If `give` stops, the turn is not played.
pub fn play_turn_unless<B>(
    game: &mut dyn Game,
    events: &mut Events,
    mut give: impl FnMut(&mut dyn Game, Seat) -> ControlFlow<B>,
) -> ControlFlow<B> {
    for index in 0..game.asked().len() {
        let seat = game.asked()[index];
        give(game, seat)?;
    }
    events.clear();
    game.resolve(events);
    ControlFlow::Continue(())
}

/// A game in progress by rules in Rust.
#[derive(Clone, Debug)]
pub struct Playing<R: Codec> {
    rules: R,
    info: Info,
    seed: Seed,
    state: R::State,
    asked: Vec<Seat>,
    /// One action for each asked seat, in that order.
    actions: Vec<(Seat, R::Action)>,
    /// For each asked seat, whether it has answered.
    has_answered: Vec<bool>,
    shared: Shared,
    integers: Vec<i64>,
    /// Number of events of the last turn.
    events: usize,
}

/// The shared part of a turn's questions. It is written before the first of them.
#[derive(Clone, Debug, Default)]
struct Shared {
    is_written: bool,
    text: Vec<u8>,
    count: usize,
}

impl<R: Codec + fmt::Debug> Playing<R> {
    /// Sets up a game.
    pub fn new(rules: R, seed: Seed) -> Playing<R> {
        let start = rules.start(&mut Dice::for_start(seed));
        Playing::from_state(rules, seed, start)
    }

    /// Sets up a game that continues from a position.
    pub fn from_state(rules: R, seed: Seed, state: R::State) -> Playing<R> {
        let mut playing = Playing {
            info: rules.info(),
            rules,
            seed,
            state,
            asked: Vec::new(),
            actions: Vec::new(),
            has_answered: Vec::new(),
            shared: Shared::default(),
            integers: Vec::new(),
            events: 0,
        };
        playing.begin_turn();
        playing
    }

    /// Returns the position.
    pub fn state(&self) -> &R::State {
        &self.state
    }

    fn begin_turn(&mut self) {
        self.asked.clear();
        match self.rules.to_move(&self.state) {
            ToMove::All => self.asked.extend(Seat::first(self.info.seats)),
            ToMove::Some(seats) => self.asked.extend(seats.iter()),
            ToMove::One(seat) => self.asked.push(seat),
            ToMove::Nobody => {}
        }
        self.shared.is_written = false;
        self.actions.resize_with(self.asked.len(), || (Seat::new(0), R::Action::default()));
        for ((slot, _), seat) in self.actions.iter_mut().zip(&self.asked) {
            *slot = *seat;
        }
        self.has_answered.clear();
        self.has_answered.resize(self.asked.len(), false);
    }

    /// Gives a stand-in to each seat that was asked and has not answered.
    fn complete(&mut self) {
        for ((seat, action), has_answered) in self.actions.iter_mut().zip(&mut self.has_answered) {
            if !std::mem::replace(has_answered, true) {
                self.rules.stand_in(&self.state, *seat, &Fault::Late, action);
            }
        }
    }
}

impl<R: Codec + fmt::Debug> Game for Playing<R> {
    fn info(&self) -> &Info {
        &self.info
    }

    fn seed(&self) -> Seed {
        self.seed
    }

    fn turn(&self) -> u32 {
        self.rules.turn(&self.state)
    }

    fn asked(&self) -> &[Seat] {
        &self.asked
    }

    fn question(&mut self, seat: Seat, line: &mut Vec<u8>) {
        if !self.shared.is_written {
            self.integers.clear();
            self.rules.write_shared(&self.state, &mut self.integers);
            self.shared.text.clear();
            wire::push_integers(&mut self.shared.text, &self.integers);
            self.shared.count = self.integers.len();
            self.shared.is_written = true;
        }
        self.integers.clear();
        self.rules.write_own(&self.state, seat, &mut self.integers);
        wire::push_question(line, &self.integers, &self.shared.text, self.shared.count);
    }

    fn answer(&mut self, seat: Seat, given: Result<&[i64], &Fault>) -> Option<Fault> {
        let index =
            self.asked.iter().position(|asked| *asked == seat).expect("an answer of a seat that was asked");
        let action = &mut self.actions[index].1;
        self.has_answered[index] = true;
        let fault = match given {
            Err(fault) => fault.clone(),
            Ok(integers) => match self.rules.read_action(&self.state, integers, action) {
                Err(malformed) => Fault::Malformed(malformed),
                Ok(()) => return self.rules.check(&self.state, seat, action).err().map(Fault::Illegal),
            },
        };
        self.rules.stand_in(&self.state, seat, &fault, action);
        Some(fault)
    }

    fn resolve(&mut self, events: &mut Events) {
        self.complete();
        let mut dice = Dice::for_turn(self.seed, self.rules.turn(&self.state));
        let before = events.len();
        self.rules.resolve(&mut self.state, &self.actions, &mut dice, events);
        self.events = events.len() - before;
        self.begin_turn();
    }

    fn events_of_last_turn(&self) -> usize {
        self.events
    }

    fn resolve_telling(&mut self, events: &mut Events, say: &mut Narrator<'_>) {
        self.complete();
        let (before, actions) = (self.state.clone(), self.actions.clone());
        self.resolve(events);
        self.rules.tell(&before, &actions, &self.state, events, say);
    }

    fn outcome(&self) -> Option<Outcome> {
        self.rules.outcome(&self.state)
    }

    fn state(&self) -> Option<&dyn Any> {
        Some(&self.state)
    }

    fn describe(&self, tell: &mut dyn FnMut(Fact)) {
        self.rules.describe(&self.state, tell);
    }

    fn describe_board(&self, tell: &mut dyn FnMut(Fact)) {
        self.rules.describe_board(tell);
    }

    fn describe_start(&self, tell: &mut dyn FnMut(Fact)) {
        self.rules.describe_start(&self.state, tell);
    }

    fn sample(&self, seat: Seat, dice: &mut Dice, integers: &mut Vec<i64>) {
        let mut action = R::Action::default();
        self.rules.sample(&self.state, seat, dice, &mut action);
        R::write_action(&action, integers);
    }

    fn copied(&self) -> Box<dyn Game> {
        Box::new(self.clone())
    }

    fn copied_with_seed(&self, seed: Seed) -> Option<Box<dyn Game>> {
        Some(Box::new(Playing { seed, ..self.clone() }))
    }
}

/// Reads a question as it is sent, without its newline: checks its count and returns the seat's view.
pub fn read_question<R: Codec>(line: &[u8], integers: &mut Vec<i64>) -> Result<R::View, Malformed> {
    integers.clear();
    wire::read_integers(line, integers)?;
    match integers.split_first() {
        Some((count, values)) if usize::try_from(*count) == Ok(values.len()) => R::read_view(values),
        _ => Err(Malformed::new("the first integer is not the number of those that follow")),
    }
}
