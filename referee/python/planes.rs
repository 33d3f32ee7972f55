//! Observations and actions of many games at once: bytes for each game, and one number or several for each seat.
//!
//! `referee/seen.py` makes the view of one seat from a bot's question; `VectorEnv.seen_by` makes the same
//! view from these bytes. This is the only file outside the rules that names games.

use std::any::Any;
use std::array;
use std::collections::TryReserveError;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use referee_games::foosball::{self, BENCH, Foosball, QUARTER, is_row};
use referee_games::football::{self, Football};
use referee_games::push::{self, PLAYERS, Push};
use referee_rules::{Codec, Listed, Parameters, Rules, Seat};

use super::batch::{Batch, Games, Look, Planes};
use super::lone::OneSeatGames;
use super::rivals::Rival;

/// Sets up many games of one kind; `None` if this game is not supported. `rivals` play their seats, if there are any;
/// exactly one seat has none then.
///
/// # Errors
///
/// There is no memory for so large a number of games.
pub(crate) fn batch(
    name: &str,
    parameters: &Parameters,
    count: usize,
    rivals: Option<&[Option<Rival>]>,
) -> Option<Result<Box<dyn Batch>, TryReserveError>> {
    match name {
        Football::NAME => Some(games(Football::new(parameters), parameters.get("p") as usize, count, rivals)),
        Foosball::NAME => Some(games(Foosball::new(parameters), foosball::MEN, count, rivals)),
        Push::NAME => Some(games(Push::new(parameters), 1, count, rivals)),
        _ => None,
    }
}

fn games<R: Planes>(
    rules: R,
    width: usize,
    count: usize,
    rivals: Option<&[Option<Rival>]>,
) -> Result<Box<dyn Batch>, TryReserveError> {
    Ok(match rivals {
        None => Box::new(Games::new(rules, width, count)?),
        Some(rivals) => Box::new(OneSeatGames::new(rules, width, count, rivals)?),
    })
}

/// What all seats of a game see, as `referee/seen.py` makes it of their questions.
pub(crate) struct Looks {
    /// The observations, seat by seat, and the shape of all.
    pub(crate) observations: (Vec<u8>, Vec<usize>),
    /// The masks, seat by seat: 1 for each legal choice. Their shape is seats, numbers, choices.
    pub(crate) masks: (Vec<i8>, [usize; 3]),
    /// The scores so far.
    pub(crate) scores: Vec<i64>,
}

/// Shows the positions of a game, and reads the actions of learners.
pub(crate) trait View: Send + Sync {
    /// Shows a position to all seats; `None` if it is one of another game.
    fn looks(&self, state: &dyn Any) -> Option<Looks>;

    /// The number of numbers in an action, and the number of values of each.
    fn action(&self) -> (usize, i32);

    /// Appends the integers of an answer on the wire. The numbers are in range.
    fn write_integers(&self, numbers: &[i32], integers: &mut Vec<i64>);
}

/// Returns what shows positions of this game to its seats; `None` if this game is not supported.
pub(crate) fn view(name: &str, parameters: &Parameters) -> Option<Arc<dyn View>> {
    match name {
        Football::NAME => Some(Arc::new(Views {
            rules: Football::new(parameters),
            width: parameters.get("p") as usize,
            shown: Mutex::default(),
        })),
        Foosball::NAME => Some(Arc::new(Views {
            rules: Foosball::new(parameters),
            width: foosball::MEN,
            shown: Mutex::default(),
        })),
        Push::NAME => {
            Some(Arc::new(Views { rules: Push::new(parameters), width: 1, shown: Mutex::default() }))
        }
        _ => None,
    }
}

struct Views<R> {
    rules: R,
    width: usize,
    /// The bytes of the last position, whose room is used again.
    shown: Mutex<Vec<u8>>,
}

impl<R: Planes> View for Views<R> {
    fn looks(&self, state: &dyn Any) -> Option<Looks> {
        let (Views { rules, width, shown }, state) = (self, state.downcast_ref::<R::State>()?);
        let (seats, choices) = (rules.info().seats, R::CHOICES as usize);
        let (own, of_seat) = (R::OWN.iter().product::<usize>(), width * choices);
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.resize(R::SHAPE.iter().product(), 0);
        let (mut scores, mut masks) = (vec![0; seats], vec![0; seats * of_seat]);
        let shared = &mut masks[..seats * R::MASK];
        let mut look = Look { shown: &mut shown, masks: shared, scores: &mut scores };
        rules.show(state, &mut look, &mut Vec::new());
        let mut observations = Vec::with_capacity(seats * own);
        for (seat, mask) in Seat::first(seats).zip(masks.chunks_exact_mut(of_seat)) {
            R::show_own(&shown, seat, &mut observations);
            rules.mask_own(state, seat, mask);
        }
        let shape = [seats].iter().chain(R::OWN).copied().collect();
        Some(Looks {
            observations: (observations, shape),
            masks: (masks.into_iter().map(|bit| bit as i8).collect(), [seats, *width, choices]),
            scores,
        })
    }

    fn action(&self) -> (usize, i32) {
        (self.width, R::CHOICES)
    }

    fn write_integers(&self, numbers: &[i32], integers: &mut Vec<i64>) {
        R::write_integers(numbers, integers);
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
    const OWN: &'static [usize] = &[football::TEAMS + 3, 32, 32];

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
        let turns = [self.turn(state), self.max_turns()];
        for (three, number) in numbers.chunks_exact_mut(3).zip(turns.iter().chain(state.scores())) {
            three.copy_from_slice(&number.to_be_bytes()[1..]);
        }
    }

    fn show_own(shown: &[u8], seat: Seat, own: &mut Vec<u8>) {
        const CELLS: usize = football::Cell::COUNT;
        let (teams, rest) = shown.split_at(football::TEAMS * CELLS);
        let (before, from_own) = teams.split_at(seat.index() * CELLS);
        own.extend_from_slice(from_own);
        own.extend_from_slice(before);
        let (balls, numbers) = rest.split_at(CELLS);
        own.extend_from_slice(balls);
        let home = own.len() + football::HOMES[seat.index()].index();
        own.resize(own.len() + CELLS, 0);
        own[home] = 1;
        // The turn and the last turn, then the goals.
        let goals = own.len() + 6;
        own.extend_from_slice(numbers);
        own[goals..goals + 3 * football::TEAMS].rotate_left(3 * seat.index());
    }

    fn mask_own(&self, state: &football::State, seat: Seat, mask: &mut [u8]) {
        let each = mask.chunks_exact_mut(Self::CHOICES as usize);
        if state.players().is_empty() {
            return each.for_each(|mask| mask[..football::Cell::COUNT].fill(1));
        }
        let (reach, team) = ((self.kick_range() as usize).min(WIDE.len() - 1), each.len());
        for (mask, cell) in each.zip(&state.players()[seat.index() * team..]) {
            let (row, column) = (cell.index() / SIDE, cell.index() % SIDE);
            let (steps, kicks) = mask.split_at_mut(9);
            steps.copy_from_slice(&STEPS[edge(row)][edge(column)]);
            if state.balls()[cell.index()] == 0 {
                continue;
            }
            let (first, last) = (row.saturating_sub(reach), (row + reach).min(SIDE - 1));
            let rows = &mut kicks.as_chunks_mut::<SIDE>().0[first..=last];
            for (to, kicks) in (first..).zip(rows) {
                let from = SIDE - 1 - column;
                kicks.copy_from_slice(&WITHIN[WIDE[reach][row.abs_diff(to)]][from..from + SIDE]);
            }
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

/// Cells in a row of the field.
const SIDE: usize = 32;

/// For each reach of kicks and each distance of a row within it, how far they reach in that row. The last reach is the
/// whole field, and stands for all longer ones.
static WIDE: LazyLock<[[usize; SIDE]; 2 * SIDE]> = LazyLock::new(|| {
    let in_row = |reach: usize, distance: usize| (reach * reach).saturating_sub(distance * distance);
    array::from_fn(|reach| array::from_fn(|distance| in_row(reach, distance).isqrt().min(SIDE - 1)))
});

/// The mask of the nine steps, for each place of a row and of a column: first, inner, last.
static STEPS: LazyLock<[[[u8; 9]; 3]; 3]> = LazyLock::new(|| {
    let stays = |edge: usize, step: usize| (edge, step) != (0, 0) && (edge, step) != (2, 2);
    array::from_fn(|row| {
        array::from_fn(|column| {
            array::from_fn(|step| u8::from(stays(row, step / 3) && stays(column, step % 3)))
        })
    })
});

/// Returns where a row or a column is: 0 is the first, 1 an inner one, 2 the last.
fn edge(at: usize) -> usize {
    usize::from(at > 0) + usize::from(at == SIDE - 1)
}

/// For each distance, a row with ones up to there from its middle: `SIDE - 1` cells, the middle, `SIDE - 1` cells.
static WITHIN: LazyLock<[[u8; 2 * SIDE - 1]; SIDE]> =
    LazyLock::new(|| array::from_fn(|wide| array::from_fn(|at| u8::from((SIDE - 1).abs_diff(at) <= wide))));

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
    const OWN: &'static [usize] = &[5 + 4 * foosball::MEN];

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

    fn show_own(shown: &[u8], seat: Seat, own: &mut Vec<u8>) {
        own.extend_from_slice(&shown[seat.index() * Self::SHAPE[1]..][..Self::SHAPE[1]]);
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
    const OWN: &'static [usize] = &[Self::SHAPE[0] + PLAYERS];

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

    fn show_own(shown: &[u8], seat: Seat, own: &mut Vec<u8>) {
        own.extend_from_slice(shown);
        own.extend((0..PLAYERS).map(|index| u8::from(index == seat.index())));
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
