//! Observations and actions of many games at once: bytes for each game, and one number or several for each seat.
//!
//! `referee/seen.py` makes the view of one seat from a bot's question; `VectorEnv.seen_by` makes the same
//! view from these bytes. This is the only file outside the rules that names games.

use std::array;
use std::sync::LazyLock;

use referee_games::foosball::{self, BENCH, Foosball, QUARTER, is_row};
use referee_games::football::{self, Football};
use referee_games::push::{self, PLAYERS, Push};
use referee_rules::{Codec, Listed, Parameters, Rules, Seat};

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

/// Six planes of 32 x 32: players of seats 0 to 3, balls, and numbers of three bytes each: the turn, the last turn, the
/// goals by seat.
impl Planes for Football {
    const SHAPE: &'static [usize] = &[football::TEAMS + 2, 32, 32];
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
        let (balls, numbers) = balls.split_at_mut(football::Cell::COUNT);
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
        let told = [self.turn(state), self.max_turns()];
        for (three, number) in numbers.chunks_exact_mut(3).zip(told.iter().chain(state.scores())) {
            three.copy_from_slice(&number.to_be_bytes()[1..]);
        }
    }

    fn write_hidden(&self, state: &football::State, integers: &mut Vec<i64>) {
        integers.push(state.goalless_turns().into());
    }

    fn restore(&self, view: &football::View, hidden: &[i64]) -> Option<football::State> {
        let [goalless_turns] = hidden else { return None };
        let placed = view.players.iter().filter(|cell| cell.is_some()).count();
        let is_whole = placed == 0 || placed == view.players.len();
        let balls: u32 = view.balls.iter().map(|balls| u32::from(*balls)).sum();
        let are_all = balls + view.scores.iter().sum::<u32>() == football::BALLS;
        if !is_whole || !are_all {
            return None;
        }
        Some(football::State::from_view(view).with_goalless_turns(u32::try_from(*goalless_turns).ok()?))
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
    const MASK: usize = foosball::MEN * ROWS;
    const CHOICES: i32 = ROWS as i32;

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
        let own = look.shown.chunks_exact(Self::SHAPE[1]).zip(look.masks.chunks_exact_mut(Self::MASK));
        for (shown, mask) in own {
            let (rows, tired) = shown[5..].split_at(foosball::MEN);
            mask_rosters(self.turn(state), rows, &tired[..foosball::MEN], mask);
        }
    }

    fn restore(&self, view: &foosball::View, hidden: &[i64]) -> Option<foosball::State> {
        hidden.is_empty().then(|| foosball::State::from_view(view))
    }
}

/// The choices of a man: 0 is the bench, 1 to 9 are the rows -4 to 4.
const ROWS: usize = 2 * foosball::ROW_MAX as usize + 2;

/// Writes masks of rosters such that each man by himself can choose: every roster within them is legal, but not every
/// legal roster is within them. `rows` and `tired` are a team's, as shown.
///
/// When a quarter begins, the four most tired men stay on the bench, the last of equals first, and the others go
/// anywhere. In all other rounds one man of those on rows can step, another one in each round.
fn mask_rosters(round: u32, rows: &[u8], tired: &[u8], mask: &mut [u8]) {
    let benched = foosball::MEN - foosball::FIELDED;
    let mut men = mask.chunks_exact_mut(ROWS).enumerate();
    if round.is_multiple_of(QUARTER) {
        let mut order: [usize; foosball::MEN] = array::from_fn(|man| man);
        order.sort_unstable_by_key(|man| (std::cmp::Reverse(tired[*man]), std::cmp::Reverse(*man)));
        men.for_each(|(man, choices)| {
            let is_benched = order[..benched].contains(&man);
            choices.fill(u8::from(!is_benched));
            choices[0] = u8::from(is_benched);
        });
        return;
    }
    let fielded = rows.iter().filter(|row| **row > 0).count().max(1);
    let free = (0..foosball::MEN).filter(|man| rows[*man] > 0).nth(round as usize % fielded);
    men.by_ref().for_each(|(man, choices)| {
        let (row, reach) = (usize::from(rows[man]), usize::from(free == Some(man)));
        choices.fill(0);
        let first = if row == 0 { 0 } else { (row - reach).max(1) };
        choices[first..=(row + reach).min(ROWS - 1)].fill(1);
    });
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

    fn write_hidden(&self, state: &push::State, integers: &mut Vec<i64>) {
        integers.extend(state.void().iter().map(|is_void| i64::from(*is_void)));
    }

    fn restore(&self, view: &push::View, hidden: &[i64]) -> Option<push::State> {
        let void: [i64; PLAYERS] = hidden.try_into().ok()?;
        Some(push::State::from_view(view).with_void(void.map(|is_void| is_void != 0)))
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
