//! Push: six seats round a hexagon of 61 slots, a coin on each. Push piles of coins home.
//!
//! The game is *Push* (Ross 2010). Each step names its rule.

mod attempt;
mod board;
mod entry;
mod picture;
mod telling;

use std::time::Duration;

use referee_rules::hex::Direction::{East, NorthEast, NorthWest, SouthEast, SouthWest, West};
use referee_rules::{
    Codec, Dice, Events, Fact, Fault, FaultKind, Illegal, Info, Malformed, Narrator, Outcome, Parameters,
    Rules, Seat, Thing, TimeControl, ToMove,
};

pub use self::attempt::{Attempt, Fate, is_valid, valid_pushes};
use self::attempt::{Refusal, refusal};
pub use self::entry::PARAMETERS;
pub use referee_rules::hex::{Direction, Slot};

/// The number of players.
pub const PLAYERS: usize = 6;

/// The number of coins: one on each slot at the start, and none ever leaves the board.
pub const COINS: u32 = 61;

/// The homes by seat, clockwise: top left, top right, right, bottom right, bottom left, left.
pub const HOMES: [Slot; PLAYERS] =
    [Slot::new(0), Slot::new(4), Slot::new(34), Slot::new(60), Slot::new(56), Slot::new(26)];

/// The directions in which a seat may push, wherever the pile is. Seen from the seat's home they point to the
/// two neighbouring homes and to the opposite one.
pub const WAYS: [[Direction; 3]; PLAYERS] = [
    [East, SouthEast, SouthWest],
    [SouthEast, SouthWest, West],
    [SouthWest, West, NorthWest],
    [West, NorthWest, NorthEast],
    [NorthWest, NorthEast, East],
    [NorthEast, East, SouthEast],
];

/// The greatest score: all coins at home, where each is worth 4.
pub const POINTS: u32 = 4 * COINS;

/// The version of the rules. Since version 2, a line that is too long is an invalid attempt, like any other
/// bad content.
const VERSION: u32 = 2;

/// Facts: that a score is void, and the coins on a slot.
const VOID: Thing = Thing::new("void");
const PILE: Thing = Thing::new("coins");

/// Returns the bonus of a coin on `slot` for the player of a seat: `e - d`, from 0 to 4.
///
/// `d` is the distance in steps to the player's home, `e` the distance to the nearest other home; the bonus
/// is 0 unless `d < e`. A slot that is equally near to two homes pays no player.
///
/// Source: *Push*, "The score of a coin is multiplied by a bonus factor ..." (Ross 2010).
pub fn bonus(slot: Slot, seat: Seat) -> u32 {
    let own = slot.steps(HOMES[seat.index()]);
    let others = HOMES.iter().enumerate().filter(|(other, _)| *other != seat.index());
    let nearest = others.map(|(_, home)| slot.steps(*home)).min().expect("five others");
    nearest.saturating_sub(own)
}

/// The rules with their parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Push {
    version: u32,
    turns: u32,
    turn_ms: u32,
    first_ms: u32,
}

impl Push {
    /// Makes the rules with these values of [`PARAMETERS`].
    pub fn new(parameters: &Parameters) -> Push {
        Push::of_version(parameters, VERSION).expect("the version of today")
    }

    /// Makes the current or an earlier version of the rules, to replay a record; `None` if there is no such
    /// version.
    pub fn of_version(parameters: &Parameters, version: u32) -> Option<Push> {
        let number = |name| parameters.get(name) as u32;
        let (turns, turn_ms, first_ms) = (number("turns"), number("turn_ms"), number("first_ms"));
        (1..=VERSION).contains(&version).then_some(Push { version, turns, turn_ms, first_ms })
    }

    /// Returns the rules of the game that a view belongs to, for a bot that looks ahead. The time limits are
    /// the defaults: a view does not contain them.
    pub fn from_view(view: &View) -> Push {
        let mut parameters = Parameters::defaults(PARAMETERS);
        parameters.set("turns", view.turns.into()).expect("a game has this many turns");
        Push::new(&parameters)
    }

    /// Plays a turn as [`Rules::resolve`] does, but `choose` decides the draws: where several seats push one
    /// pile in different directions. It gets the slot and the candidates in the order of the seats, and
    /// returns the winner.
    ///
    /// # Panics
    ///
    /// Panics if `choose` returns none of the candidates.
    pub fn resolve_with(
        &self,
        state: &mut State,
        actions: &[(Seat, Action)],
        events: &mut Events,
        choose: impl FnMut(Slot, &[Seat]) -> Seat,
    ) {
        let mut attempts = judge(&state.coins, actions);
        void_scores(state, &attempts, events);
        settle_conflicts(&mut attempts, events, choose);
        move_piles(&mut state.coins, &attempts);
        state.attempts = attempts;
        state.turn += 1;
        assert_eq!(
            state.coins.iter().copied().map(u32::from).sum::<u32>(),
            COINS,
            "no coin leaves the board"
        );
    }
}

/// A position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    turn: u32,
    coins: [u8; Slot::COUNT],
    /// Whose final score is zero, whatever they still push.
    void: [bool; PLAYERS],
    attempts: [Attempt; PLAYERS],
}

impl State {
    /// Makes a position from a view, to look ahead with [`Push::resolve_with`].
    ///
    /// A view shows whose attempt of the last turn was invalid, which made the score void. It does not show
    /// whose score was void before: the bot has to remember that, and here such scores still count.
    pub fn from_view(view: &View) -> State {
        let void = view.attempts.map(|attempt| attempt.fate == Fate::Invalid);
        State { turn: view.turn, coins: view.coins, void, attempts: view.attempts }
    }

    /// Returns the same position with other void scores.
    #[must_use]
    pub fn with_void(self, void: [bool; PLAYERS]) -> State {
        State { void, ..self }
    }

    /// Returns the coins on each slot.
    pub fn coins(&self) -> &[u8; Slot::COUNT] {
        &self.coins
    }

    /// Returns which seats' scores are void.
    pub fn void(&self) -> &[bool; PLAYERS] {
        &self.void
    }

    /// Returns the attempts of the last turn, by seat.
    pub fn attempts(&self) -> &[Attempt; PLAYERS] {
        &self.attempts
    }

    /// Returns the score of a seat if the game ended here.
    fn score(&self, seat: Seat) -> u32 {
        if self.void[seat.index()] {
            return 0;
        }
        Slot::all().map(|slot| u32::from(self.coins[slot.index()]) * bonus(slot, seat)).sum()
    }
}

/// A player's answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// Push the pile of this slot in this direction.
    Push(Slot, Direction),
    /// Two integers that are not a slot and a direction.
    NoPush([i64; 2]),
    /// A line that does not have the shape of an answer.
    Malformed,
    /// No answer came. A bot must not return it: it is written as a line without integers, which is malformed
    /// and makes the score void.
    #[default]
    Nothing,
}

/// A question: everything that a seat is told. Push hides nothing but void scores, and these follow from the
/// fates.
///
/// | integers | field | meaning | range |
/// | --- | --- | --- | --- |
/// | 1 | `turn` | the number of the turn | 0 to `turns` - 1 |
/// | 1 | `turns` | number of turns of the game | |
/// | 1 | `seat` | your corner | 0 to 5 |
/// | 61 | `coins` | coins on each slot | 0 to 61 |
/// | 18 | `attempts` | slot, direction and fate of each seat's attempt in the last turn | 0 to 61, 0 to 6, 0 to 5 |
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the table above describes each")]
pub struct View {
    pub turn: u32,
    pub turns: u32,
    pub seat: Seat,
    pub coins: [u8; Slot::COUNT],
    pub attempts: [Attempt; PLAYERS],
}

impl Rules for Push {
    type State = State;
    type Action = Action;

    fn info(&self) -> Info {
        Info {
            name: "push",
            version: self.version,
            seats: PLAYERS,
            ring: Seat::first(PLAYERS).collect(),
            block: PLAYERS,
            turns_max: self.turns,
            time: TimeControl {
                turn_limit: Duration::from_millis(self.turn_ms.into()),
                first_limit: Duration::from_millis(self.first_ms.into()),
                bank: None,
                ponder: false,
            },
        }
    }

    fn start(&self, _dice: &mut Dice) -> State {
        State { turn: 0, coins: [1; Slot::COUNT], void: [false; PLAYERS], attempts: [Attempt::NONE; PLAYERS] }
    }

    fn turn(&self, state: &State) -> u32 {
        state.turn
    }

    fn to_move(&self, state: &State) -> ToMove {
        if state.turn < self.turns { ToMove::All } else { ToMove::Nobody }
    }

    fn check(&self, state: &State, seat: Seat, action: &Action) -> Result<(), Illegal> {
        let refusal = match *action {
            Action::Push(slot, direction) => refusal(&state.coins, seat, slot, direction),
            Action::NoPush([slot, _]) if Slot::from_number(slot).is_none() => Some(Refusal::NoSlot(slot)),
            Action::NoPush([_, direction]) => Some(Refusal::NoDirection(direction)),
            Action::Malformed => Some(Refusal::NoPush),
            Action::Nothing => None,
        };
        match refusal {
            Some(refusal) if valid_pushes(&state.coins, seat).next().is_some() => {
                Err(Illegal { count: 1, of: 1, first: refusal.to_string() })
            }
            _ => Ok(()), // a seat without any valid push may answer anything
        }
    }

    fn sample(&self, state: &State, seat: Seat, dice: &mut Dice, action: &mut Action) {
        let count = valid_pushes(&state.coins, seat).count() as u32;
        let drawn = if count > 0 { dice.below(count) } else { 0 };
        let push = valid_pushes(&state.coins, seat).nth(drawn as usize);
        let (slot, direction) = push.unwrap_or((HOMES[seat.index()], WAYS[seat.index()][0]));
        *action = Action::Push(slot, direction);
    }

    /// A wrong answer is an invalid attempt; silence pushes nothing, without a penalty.
    fn stand_in(&self, _state: &State, _seat: Seat, fault: &Fault, action: &mut Action) {
        // In version 1, a line that is too long was silence.
        let is_bad = match self.version {
            1 => fault.kind() == FaultKind::Malformed,
            _ => fault.kind().is_bad_content(),
        };
        *action = if is_bad { Action::Malformed } else { Action::Nothing };
    }

    fn resolve(&self, state: &mut State, actions: &[(Seat, Action)], dice: &mut Dice, events: &mut Events) {
        self.resolve_with(state, actions, events, |_slot, seats| {
            seats[dice.below(seats.len() as u32) as usize]
        });
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        (self.to_move(state) == ToMove::Nobody).then(|| Outcome {
            scores: Seat::first(PLAYERS).map(|seat| state.score(seat).into()).collect(),
            shares: Seat::first(PLAYERS)
                .map(|seat| f64::from(state.score(seat)) / f64::from(POINTS))
                .collect(),
            reason: "turns",
        })
    }

    /// Scores (zero if void), void scores, and the slots that hold coins.
    fn describe(&self, state: &State, tell: &mut dyn FnMut(Fact)) {
        for seat in Seat::first(PLAYERS) {
            tell(Fact {
                thing: Thing::SCORE,
                seat: Some(seat),
                index: None,
                value: state.score(seat).into(),
            });
        }
        for seat in Seat::first(PLAYERS).filter(|seat| state.void[seat.index()]) {
            tell(Fact { thing: VOID, seat: Some(seat), index: None, value: 1 });
        }
        for (slot, coins) in state.coins.iter().enumerate().filter(|(_, coins)| **coins > 0) {
            tell(Fact { thing: PILE, seat: None, index: Some(slot), value: i64::from(*coins) });
        }
    }

    /// The homes, and the bonus of each slot for each seat.
    fn describe_board(&self, tell: &mut dyn FnMut(Fact)) {
        for (seat, home) in Seat::first(PLAYERS).zip(HOMES) {
            tell(Fact { thing: Thing::HOME, seat: Some(seat), index: Some(home.index()), value: 1 });
            for slot in Slot::all().filter(|slot| bonus(*slot, seat) > 0) {
                let value = bonus(slot, seat).into();
                tell(Fact { thing: Thing::BONUS, seat: Some(seat), index: Some(slot.index()), value });
            }
        }
    }

    fn tell(
        &self,
        before: &State,
        _actions: &[(Seat, Action)],
        after: &State,
        events: &Events,
        say: &mut Narrator<'_>,
    ) {
        telling::tell(before, after, events, say);
    }
}

/// Judges all attempts on the board at the start of the turn. Valid attempts count as executed until they
/// lose a conflict.
fn judge(coins: &[u8; Slot::COUNT], actions: &[(Seat, Action)]) -> [Attempt; PLAYERS] {
    let mut attempts = [Attempt::NONE; PLAYERS];
    for &(seat, action) in actions {
        let (slot, direction) = match action {
            Action::Push(slot, direction) => (Some(slot), Some(direction)),
            Action::NoPush([slot, direction]) => (Slot::from_number(slot), Direction::from_number(direction)),
            Action::Malformed | Action::Nothing => (None, None),
        };
        let fate = match action {
            Action::Nothing => Fate::NoAnswer,
            Action::Push(slot, direction) if is_valid(coins, seat, slot, direction) => Fate::Executed,
            _ if valid_pushes(coins, seat).next().is_none() => Fate::NothingToPush,
            _ => Fate::Invalid,
        };
        attempts[seat.index()] = Attempt { slot, direction, fate };
    }
    attempts
}

/// An invalid attempt makes the final score zero for good. The seat plays on.
fn void_scores(state: &mut State, attempts: &[Attempt; PLAYERS], events: &mut Events) {
    for (seat, attempt) in Seat::first(PLAYERS).zip(attempts) {
        let void = &mut state.void[seat.index()];
        if attempt.fate == Fate::Invalid && !*void {
            *void = true;
            events.effect("void", Some(seat), &[]);
        }
    }
}

/// Several seats push the same pile in different directions: one player is drawn among them, each as likely
/// as any other, and his push is executed; so is that of everyone who pushes the pile the same way. If all
/// push it the same way, there is no conflict. Invalid attempts are not in the draw.
fn settle_conflicts(
    attempts: &mut [Attempt; PLAYERS],
    events: &mut Events,
    mut choose: impl FnMut(Slot, &[Seat]) -> Seat,
) {
    let number = |seat: &Seat| seat.index() as i64;
    // The slots that are pushed, in reading order: one draw after the other.
    let mut pushed = attempts.map(|attempt| attempt.slot.filter(|_| attempt.fate == Fate::Executed));
    pushed.sort_unstable();
    let mut settled = None;
    for slot in pushed.into_iter().flatten() {
        if settled.replace(slot) == Some(slot) {
            continue;
        }
        let mut rivals = [Seat::new(0); PLAYERS];
        let mut count = 0;
        for (seat, attempt) in Seat::first(PLAYERS).zip(attempts.iter()) {
            if attempt.fate == Fate::Executed && attempt.slot == Some(slot) {
                rivals[count] = seat;
                count += 1;
            }
        }
        let rivals = &rivals[..count];
        let direction = |seat: Seat| attempts[seat.index()].direction;
        if rivals.windows(2).all(|pair| direction(pair[0]) == direction(pair[1])) {
            continue;
        }
        let winner = choose(slot, rivals);
        assert!(rivals.contains(&winner), "the winner is one of those who push");
        events.draw("push", slot.index() as i64, rivals.iter().map(number), [number(&winner)]);
        let won = direction(winner);
        for rival in rivals {
            let attempt = &mut attempts[rival.index()];
            if attempt.direction != won {
                attempt.fate = Fate::LostDraw;
            }
        }
    }
}

/// All piles leave, then all arrive: a pile that arrives does not merge with one that departs, and piles that
/// change places pass through each other.
fn move_piles(coins: &mut [u8; Slot::COUNT], attempts: &[Attempt; PLAYERS]) {
    let mut arriving = [0; Slot::COUNT];
    for attempt in attempts.iter().filter(|attempt| attempt.fate == Fate::Executed) {
        let (slot, direction) =
            (attempt.slot.expect("a valid push"), attempt.direction.expect("a valid push"));
        let target = slot.neighbour(direction).expect("a valid push stays on the board");
        // A second seat that pushes a pile finds nothing left: both pushed it the same way, and it moves
        // once.
        arriving[target.index()] += std::mem::take(&mut coins[slot.index()]);
    }
    for (pile, arriving) in coins.iter_mut().zip(arriving) {
        *pile += arriving;
    }
}

impl Codec for Push {
    type View = View;

    fn write_own(&self, state: &State, seat: Seat, integers: &mut Vec<i64>) {
        integers.extend([i64::from(state.turn), i64::from(self.turns), seat.index() as i64]);
    }

    fn write_shared(&self, state: &State, integers: &mut Vec<i64>) {
        integers.extend(state.coins.map(i64::from));
        integers.extend(state.attempts.iter().flat_map(Attempt::integers));
    }

    fn read_view(integers: &[i64]) -> Result<View, Malformed> {
        const LENGTH: usize = 3 + Slot::COUNT + 3 * PLAYERS;
        let [turn, turns, seat, rest @ ..] = integers else {
            return Err(Malformed::count(LENGTH, integers.len()));
        };
        let Some((coins, attempts)) = rest.split_at_checked(Slot::COUNT).filter(|_| integers.len() == LENGTH)
        else {
            return Err(Malformed::count(LENGTH, integers.len()));
        };
        let count = |name: &str, value: i64| {
            u32::try_from(value).map_err(|_| Malformed::new(format!("{name} is {value}")))
        };
        let seat = usize::try_from(*seat).ok().filter(|seat| *seat < PLAYERS);
        let mut view = View {
            turn: count("turn", *turn)?,
            turns: count("turns", *turns)?,
            seat: Seat::new(seat.ok_or_else(|| Malformed::new("no such seat"))?),
            coins: [0; Slot::COUNT],
            attempts: [Attempt::NONE; PLAYERS],
        };
        for (pile, &value) in view.coins.iter_mut().zip(coins) {
            *pile = u8::try_from(value).map_err(|_| Malformed::new(format!("a pile is {value}")))?;
        }
        if view.coins.iter().copied().map(u32::from).sum::<u32>() != COINS {
            return Err(Malformed::new(format!("not {COINS} coins in all")));
        }
        for (attempt, integers) in view.attempts.iter_mut().zip(attempts.chunks_exact(3)) {
            let read = Attempt::read([integers[0], integers[1], integers[2]]);
            *attempt = read.ok_or_else(|| Malformed::new(format!("an attempt is {integers:?}")))?;
        }
        Ok(view)
    }

    fn read_action(&self, _state: &State, integers: &[i64], action: &mut Action) -> Result<(), Malformed> {
        let &[slot, direction] = integers else { return Err(Malformed::count(2, integers.len())) };
        *action = match (Slot::from_number(slot), Direction::from_number(direction)) {
            (Some(slot), Some(direction)) => Action::Push(slot, direction),
            _ => Action::NoPush([slot, direction]),
        };
        Ok(())
    }

    fn write_action(action: &Action, integers: &mut Vec<i64>) {
        match *action {
            Action::Push(slot, direction) => integers.extend([slot.index() as i64, direction.index() as i64]),
            Action::NoPush(numbers) => integers.extend(numbers),
            Action::Malformed | Action::Nothing => {}
        }
    }
}
