//! Observations and actions of many games at once: bytes for each game, and one number or several for each seat.
//!
//! `referee/seen.py` makes the view of one seat from a bot's question; `VectorEnv.seen_by` makes the same
//! view from these bytes. This is the only file outside the rules that names games.

use std::array;
use std::sync::LazyLock;

use referee_games::foosball::{self, BENCH, Foosball, QUARTER, is_row};
use referee_games::football::{self, Football};
use referee_games::push::{self, PLAYERS, Push};
use referee_rules::{Codec, Listed, Parameters, Seat};

use super::batch::{Batch, Games, Look, Planes};

/// Sets up many games of one kind; `None` if this game is not supported.
pub(crate) fn batch(name: &str, parameters: &Parameters, count: usize) -> Option<Box<dyn Batch>> {
    match name {
        Football::NAME => {
            Some(Box::new(Games::new(Football::new(parameters), parameters.get("p") as usize, count)))
        }
        Foosball::NAME => Some(Box::new(Games::new(Foosball::new(parameters), foosball::MEN, count))),
        Push::NAME => Some(Box::new(Games::new(Push::new(parameters), 1, count))),
        _ => None,
    }
}

/// Returns a number as a byte. The largest byte stands for all larger numbers, too.
fn byte(number: i64) -> u8 {
    number.clamp(0, 255) as u8
}

/// Five planes of 32 x 32: players of seats 0 to 3, then balls.
impl Planes for Football {
    const SHAPE: &'static [usize] = &[football::TEAMS + 1, 32, 32];
    const MASK: usize = 0;
    const CHOICES: i32 = 9 + football::Cell::COUNT as i32;

    fn write_integers(numbers: &[i32], integers: &mut Vec<i64>) {
        integers.extend(numbers.iter().map(|number| i64::from(*number)));
    }

    /// Balls change only on cells where players stand or to which they kick. Writing only those is far
    /// faster.
    fn prepare(
        &self,
        state: &football::State,
        actions: &[(Seat, football::Action)],
        shown: &mut [u8],
        noted: &mut Vec<i64>,
    ) {
        each_player(state, |at| {
            shown[at] = 0;
            noted.push((at % football::Cell::COUNT) as i64);
        });
        for order in actions.iter().flat_map(|(_, orders)| orders) {
            if let football::Order::Kick(to) = order {
                noted.push(to.index() as i64);
            }
        }
    }

    fn show(&self, state: &football::State, look: &mut Look<'_>, integers: &mut Vec<i64>) {
        let (players, balls) = look.shown.split_at_mut(football::TEAMS * football::Cell::COUNT);
        let mut show = |cell: usize| balls[cell] = state.balls()[cell].min(255) as u8;
        if integers.is_empty() {
            players.fill(0);
            (0..football::Cell::COUNT).for_each(show);
        } else {
            integers.iter().for_each(|cell| show(*cell as usize));
        }
        each_player(state, |at| players[at] += 1);
        for (score, goals) in look.scores.iter_mut().zip(state.scores()) {
            *score = i64::from(*goals);
        }
    }
}

/// Calls `name` with the index of the byte of each player's cell.
fn each_player(state: &football::State, mut name: impl FnMut(usize)) {
    let players = state.players();
    for (team, players) in players.chunks_exact((players.len() / football::TEAMS).max(1)).enumerate() {
        players.iter().for_each(|cell| name(team * football::Cell::COUNT + cell.index()));
    }
}

/// For each seat, in its own frame: own and other goals, quarter, round of the quarter, ball, own rows, own
/// fatigue, the other's rows and fatigue. Rows -4 to 4 are 1 to 9, the bench is 0.
impl Planes for Foosball {
    const SHAPE: &'static [usize] = &[foosball::TEAMS, 5 + 4 * foosball::MEN];
    const MASK: usize = 0;
    const CHOICES: i32 = 10;

    fn write_integers(numbers: &[i32], integers: &mut Vec<i64>) {
        integers
            .extend(numbers.iter().map(|number| if *number == 0 { BENCH } else { i64::from(number - 5) }));
    }

    fn show(&self, state: &foosball::State, look: &mut Look<'_>, integers: &mut Vec<i64>) {
        let row = |row: i64| if is_row(row) { (row + 5) as u8 } else { 0 };
        for (seat, shown) in Seat::first(foosball::TEAMS).zip(look.shown.chunks_exact_mut(Self::SHAPE[1])) {
            integers.clear();
            self.write_own(state, seat, integers);
            let [own, other, round, ball, men @ ..] = &integers[..] else { unreachable!("a question") };
            let quarter = i64::from(QUARTER);
            let head = [byte(*own), byte(*other), byte(round / quarter), byte(round % quarter), row(*ball)];
            look.scores[seat.index()] = *own;
            shown[..5].copy_from_slice(&head);
            for (index, (shown, number)) in shown[5..].iter_mut().zip(men).enumerate() {
                let is_row = (index / foosball::MEN).is_multiple_of(2);
                *shown = if is_row { row(*number) } else { byte(*number) };
            }
        }
    }
}

/// Coins of the 61 slots; slot, direction and fate of each seat's last attempt; turns left.
impl Planes for Push {
    const SHAPE: &'static [usize] = &[push::Slot::COUNT + 3 * PLAYERS + 1];
    const MASK: usize = PUSHES;
    const CHOICES: i32 = PUSHES as i32;

    fn write_integers(numbers: &[i32], integers: &mut Vec<i64>) {
        integers.extend([numbers[0] / 6, numbers[0] % 6].map(i64::from));
    }

    fn show(&self, state: &push::State, look: &mut Look<'_>, integers: &mut Vec<i64>) {
        integers.clear();
        self.write_own(state, Seat::new(0), integers);
        let coins = state.coins();
        let attempts = state.attempts().iter().flat_map(|attempt| {
            let slot = attempt.slot.map_or(push::Slot::COUNT, push::Slot::index);
            let direction = attempt.direction.map_or(push::Direction::COUNT, push::Direction::index);
            [slot as u8, direction as u8, attempt.fate as u8]
        });
        let (shown, rest) = look.shown.split_at_mut(push::Slot::COUNT);
        shown.copy_from_slice(coins);
        let left = byte(integers[1] - integers[0]);
        for (shown, byte) in rest.iter_mut().zip(attempts.chain([left])) {
            *shown = byte;
        }
        for ((score, Seated { bonus, .. }), is_void) in look.scores.iter_mut().zip(&*SEATED).zip(state.void())
        {
            let sum: u32 =
                coins.iter().zip(bonus).map(|(coins, bonus)| u32::from(*coins) * u32::from(*bonus)).sum();
            *score = if *is_void { 0 } else { i64::from(sum) };
        }
        let mut has_coins = [0; PUSHES];
        for (slot, coins) in has_coins.chunks_exact_mut(6).zip(coins) {
            slot.fill(u8::from(*coins > 0));
        }
        for (mask, Seated { on_the_board, .. }) in look.masks.chunks_exact_mut(PUSHES).zip(&*SEATED) {
            for ((mask, on_the_board), has_coins) in mask.iter_mut().zip(on_the_board).zip(has_coins) {
                *mask = on_the_board & has_coins;
            }
            if mask.iter().all(|mask| *mask == 0) {
                mask.fill(1); // "of a seat without any valid push anything is accepted"
            }
        }
    }
}

/// All pairs of a slot and a direction: `6 * slot + direction`.
const PUSHES: usize = 6 * push::Slot::COUNT;

/// Which pushes go a seat's way and end on the board, and the bonus of each slot for the seat.
struct Seated {
    on_the_board: [u8; PUSHES],
    bonus: [u8; push::Slot::COUNT],
}

static SEATED: LazyLock<[Seated; PLAYERS]> = LazyLock::new(|| {
    array::from_fn(|seat| {
        let (seat, slot) = (Seat::new(seat), push::Slot::new);
        let is_valid = |at| push::is_valid(&[1; 61], seat, slot(at / 6), push::Direction::ALL[at % 6]);
        Seated {
            on_the_board: array::from_fn(|at| u8::from(is_valid(at))),
            bonus: array::from_fn(|at| push::bonus(slot(at), seat) as u8),
        }
    })
});
