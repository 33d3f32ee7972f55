//! A bot for Push that plans: it simulates the next turns many times and makes the push with the best results.
//!
//! - *What will the others push?* Each question contains the pushes that all seats have just tried. The bot assumes
//!   that a seat plays in one of a few `Manner`s. The likelier a manner was to try that push, the more it is trusted
//!   to predict the seat (Bayes' rule). Two manners are exact rules: a seat that follows one is predicted for the
//!   rest of the game. The others take the best of a number of random pushes: the best of one is a random push, the
//!   best of ten a good one.
//! - *What to push?* A tree of our own pushes: the first, the second after it, and so on (an open-loop Monte Carlo tree
//!   search). A course of the game goes down the tree, each time to the push with the best mean so far, or to one that
//!   was seldom tried (UCB1), adds one push to the tree, and is played on for some turns. Its final worth counts for
//!   each push on its way.
//! - *What is a course worth?* Our points, less a part of the points of the others: a larger part for a seat that plays
//!   well, since it is a rival for the first place.
//!
//! The amount of work is counted, not timed: the same questions have the same answers on any machine.

use referee_games::push::{Action, Direction, HOMES, PLAYERS, Push, Slot, View, WAYS, bonus};
use referee_rules::kit;
use referee_rules::{Dice, Seat, Seed};

/// Number of courses of the game that are played in a turn.
const COURSES: usize = 500;
/// The same with at most `LATE_PILES` piles left: then a turn costs less, and decides more.
const LATE_COURSES: usize = 1500;
const LATE_PILES: u32 = 10;
/// Number of turns of a course.
const DEPTH: u32 = 8;
/// Weight of another seat's point, as a part of one of ours.
const OTHERS: f32 = 0.2;
/// Added to that weight for a seat that plays well: a rival for the first place.
const RIVAL: f32 = 0.15;
/// Bonus of a push that was seldom tried, in standard deviations of a course's worth.
const CURIOSITY: f32 = 0.7;
/// Number of courses that a push's own points count for, before any course was played.
const FIRST_SIGHT: f32 = 8.0;

/// A push that stays on the board.
#[derive(Clone, Copy, Debug)]
struct Shove {
    slot: Slot,
    direction: Direction,
    target: Slot,
    /// Points of the seat for each coin of it.
    own: i32,
    /// Points of the other seats for each coin of it.
    others: i32,
}

impl Shove {
    /// The worth of the push of a pile: the points of the seat first, then the harm to the others.
    fn merit(&self, pile: u8) -> i32 {
        i32::from(pile) * (8 * self.own - self.others)
    }
}

/// A way in which a seat can choose its pushes.
#[derive(Clone, Copy, Debug)]
enum Manner {
    /// The most points this turn, by the seat's list of this number: of several such pushes the first of the list.
    Points(usize),
    /// The best of a number of pushes that are drawn from all, each as likely as any other.
    BestOf(u32),
}

const STARTER: usize = 0;
const HOMEWARD: usize = 1;
const MANNERS: [Manner; 5] = [
    Manner::Points(STARTER),
    Manner::Points(HOMEWARD),
    Manner::BestOf(1),
    Manner::BestOf(3),
    Manner::BestOf(10),
];
/// How we go on in a course, where the tree ends.
const OURS: Manner = Manner::Points(HOMEWARD);

/// The chance that a seat tries a push that its manner does not predict.
const SURPRISE: f64 = 0.03;
/// Minimum trust in a manner before it learns: a seat can change its ways.
const TRUST_MIN: f64 = 1e-4;

/// The coins on each slot, and the slots that have any: a bit each.
#[derive(Clone, Copy, Debug)]
struct Board {
    coins: [u8; Slot::COUNT],
    piles: u64,
}

impl Board {
    fn new(coins: &[u8; Slot::COUNT]) -> Board {
        let piles = coins.iter().enumerate().map(|(slot, coins)| u64::from(*coins > 0) << slot).sum();
        Board { coins: *coins, piles }
    }

    fn pile(&self, slot: Slot) -> u8 {
        self.coins[slot.index()]
    }

    /// Plays a turn of valid pushes: all piles leave, then all arrive. Of those who push one pile one is drawn.
    fn play(&mut self, shoves: &[Option<Shove>; PLAYERS], dice: &mut Dice) {
        let mut arrivals = [(0, 0); PLAYERS];
        let mut left = 0_u64;
        for (seat, shove) in shoves.iter().enumerate() {
            let Some(first) = shove else { continue };
            if left & bit(first.slot) != 0 {
                continue; // the pile has been pushed
            }
            let (mut winner, mut count) = (first, 1);
            for rival in shoves[seat + 1..].iter().flatten().filter(|rival| rival.slot == first.slot) {
                count += 1;
                if dice.below(count) == 0 {
                    winner = rival;
                }
            }
            left |= bit(first.slot);
            arrivals[seat] = (winner.target.index(), std::mem::take(&mut self.coins[first.slot.index()]));
        }
        self.piles &= !left;
        for (target, coins) in arrivals.into_iter().filter(|(_, coins)| *coins > 0) {
            self.coins[target] += coins;
            self.piles |= 1 << target;
        }
    }
}

fn bit(slot: Slot) -> u64 {
    1 << slot.index()
}

/// The pushes of a seat, in several orders.
#[derive(Clone, Debug)]
struct Seated {
    /// All pushes, slot by slot.
    shoves: Vec<Shove>,
    /// The start of each slot's pushes in `shoves`, and the end of those of the last slot.
    begins: [usize; Slot::COUNT + 1],
    /// The slots from which the seat can push.
    slots: u64,
    /// For the manners by points: the pushes that add points, that change none and that lose some, each in the order
    /// in which the manner prefers them, with the points of a coin as the manner counts them.
    lists: [[Vec<(Shove, i32)>; 3]; 2],
}

impl Seated {
    fn new(seat: Seat) -> Seated {
        let mut shoves = Vec::new();
        let mut begins = [0; Slot::COUNT + 1];
        for slot in Slot::all() {
            shoves.extend(WAYS[seat.index()].into_iter().filter_map(|way| shove(seat, slot, way)));
            begins[slot.index() + 1] = shoves.len();
        }
        // The starters know no order but slots and numbers of directions. `homeward` harms the others if it can, and
        // takes the last of several.
        let mut starter: Vec<_> = shoves.iter().map(|shove| (*shove, shove.own)).collect();
        starter.sort_by_key(|(shove, _)| (shove.slot, shove.direction.index()));
        let harm = |shove: &Shove| (*shove, (shove.own << 12) - shove.others);
        let homeward = shoves.iter().rev().map(harm).collect();
        let by_sign = |list: Vec<(Shove, i32)>| {
            [1, 0, -1]
                .map(|sign| list.iter().filter(|(shove, _)| shove.own.signum() == sign).copied().collect())
        };
        let slots = shoves.iter().fold(0, |slots, shove| slots | bit(shove.slot));
        Seated { shoves, begins, slots, lists: [by_sign(starter), by_sign(homeward)] }
    }

    /// Lists the valid pushes, by their index in `shoves`.
    fn valid(&self, board: &Board) -> impl Iterator<Item = usize> {
        let piles = board.piles;
        let slots = Slot::all().filter(move |slot| piles & bit(*slot) != 0);
        slots.flat_map(|slot| self.begins[slot.index()]..self.begins[slot.index() + 1])
    }

    /// Draws a push of the seat in this manner; `None` if it can push nothing.
    fn choose(&self, manner: Manner, board: &Board, dice: &mut Dice) -> Option<Shove> {
        match manner {
            Manner::Points(list) => self.lists[list].iter().find_map(|list| first_best(list, board)),
            Manner::BestOf(count) => {
                let drawn = (0..count).filter_map(|_| self.draw(board, dice));
                drawn.max_by_key(|shove| shove.merit(board.pile(shove.slot)))
            }
        }
    }

    /// Draws a valid push: a pile, then a direction.
    fn draw(&self, board: &Board, dice: &mut Dice) -> Option<Shove> {
        let mut piles = board.piles & self.slots;
        if piles == 0 {
            return None;
        }
        for _ in 0..dice.below(piles.count_ones()) {
            piles &= piles - 1;
        }
        let slot = piles.trailing_zeros() as usize;
        let shoves = &self.shoves[self.begins[slot]..self.begins[slot + 1]];
        Some(shoves[dice.below(shoves.len() as u32) as usize])
    }

    /// Returns the probability of this push in each manner.
    fn likelihoods(&self, tried: &Shove, board: &Board, dice: &mut Dice) -> [f64; MANNERS.len()] {
        let merit = |shove: &Shove| shove.merit(board.pile(shove.slot));
        let (mut below, mut equal, mut all) = (0.0, 0.0, 0.0);
        for rival in self.valid(board).map(|number| &self.shoves[number]) {
            all += 1.0;
            below += f64::from(u8::from(merit(rival) < merit(tried)));
            equal += f64::from(u8::from(merit(rival) == merit(tried)));
        }
        let up_to = |number: f64, count: u32| (number / all).powi(count as i32);
        MANNERS.map(|manner| {
            let predicted = match manner {
                Manner::Points(_) => {
                    let choice = self.choose(manner, board, dice);
                    let is_same = |choice: Shove| (choice.slot, choice.target) == (tried.slot, tried.target);
                    f64::from(u8::from(choice.is_some_and(is_same)))
                }
                Manner::BestOf(count) => (up_to(below + equal, count) - up_to(below, count)) / equal,
            };
            (1.0 - SURPRISE) * predicted + SURPRISE / all
        })
    }
}

fn shove(seat: Seat, slot: Slot, direction: Direction) -> Option<Shove> {
    let target = slot.neighbour(direction)?;
    let gain = |seat| bonus(target, seat) as i32 - bonus(slot, seat) as i32;
    let sum: i32 = Seat::first(PLAYERS).map(gain).sum();
    Some(Shove { slot, direction, target, own: gain(seat), others: sum - gain(seat) })
}

/// Returns the push with most points, the first of several.
fn first_best(list: &[(Shove, i32)], board: &Board) -> Option<Shove> {
    let mut best = None;
    let mut best_points = i32::MIN;
    for (shove, points) in list {
        let pile = i32::from(board.pile(shove.slot));
        if pile > 0 && pile * points > best_points {
            (best, best_points) = (Some(*shove), pile * points);
        }
    }
    best
}

/// A place in the tree: the pushes that led to it, whatever the others did.
#[derive(Clone, Debug)]
struct Node {
    courses: f32,
    sum: f32,
    squares: f32,
    /// Where the next push leads, by its number; 0 is nowhere yet.
    next: Vec<u32>,
}

/// Plays one game.
pub fn main() {
    let mut planner = Planner::default();
    kit::run::<Push>(|view, action| planner.think(view, action));
}

/// The bot with its memory from turn to turn.
#[derive(Clone, Debug)]
pub struct Planner {
    seats: Vec<Seated>,
    /// The board as it was a turn ago.
    before: Option<Board>,
    /// The trust in each manner as a prediction of each seat; the sum is 1.
    trust: [[f64; MANNERS.len()]; PLAYERS],
}

impl Default for Planner {
    fn default() -> Planner {
        let trust = [[1.0 / MANNERS.len() as f64; MANNERS.len()]; PLAYERS];
        Planner { seats: Seat::first(PLAYERS).map(Seated::new).collect(), before: None, trust }
    }
}

impl Planner {
    /// Answers one question.
    pub fn think(&mut self, view: &View, action: &mut Action) {
        let mut dice = Dice::for_turn(Seed(view.seat.index() as u64), view.turn);
        self.learn(view, &mut dice);
        let board = Board::new(&view.coins);
        self.before = Some(board);
        let seat = view.seat.index();
        // If there is no valid push, anything is accepted.
        let best = self.plan(view, &board, &mut dice).map(|shove| (shove.slot, shove.direction));
        let (slot, direction) = best.unwrap_or((HOMES[seat], WAYS[seat][0]));
        *action = Action::Push(slot, direction);
    }

    /// Trusts those manners more that predicted the pushes of a seat (Bayes' rule).
    fn learn(&mut self, view: &View, dice: &mut Dice) {
        let Some(before) = self.before else { return };
        for (seat, attempt) in view.attempts.iter().enumerate() {
            let seated = &self.seats[seat];
            let tried = seated
                .valid(&before)
                .map(|number| seated.shoves[number])
                .find(|shove| (Some(shove.slot), Some(shove.direction)) == (attempt.slot, attempt.direction));
            let Some(tried) = tried else { continue }; // nothing is learned from silence and invalid pushes
            let likelihoods = seated.likelihoods(&tried, &before, dice);
            let trusts = &mut self.trust[seat];
            for (trust, likelihood) in trusts.iter_mut().zip(likelihoods) {
                *trust = trust.max(TRUST_MIN) * likelihood;
            }
            let sum: f64 = trusts.iter().sum();
            for trust in trusts {
                *trust /= sum;
            }
        }
    }

    /// Plays the courses and returns the push that most of them began with.
    fn plan(&self, view: &View, board: &Board, dice: &mut Dice) -> Option<Shove> {
        let depth = DEPTH.min(view.turns - view.turn);
        let mut search = Search {
            planner: self,
            own: view.seat.index(),
            worth: self.worth_to(view.seat.index()),
            tree: Vec::new(),
        };
        search.grow();
        let courses = if board.piles.count_ones() <= LATE_PILES { LATE_COURSES } else { COURSES };
        for _ in 0..courses {
            search.play_course(*board, depth, dice);
        }
        let seated = &self.seats[search.own];
        let courses_begun_with = |number: &usize| match search.tree[0].next[*number] {
            0 => 0,
            next => search.tree[next as usize].courses as u32,
        };
        seated.valid(board).max_by_key(courses_begun_with).map(|number| seated.shoves[number])
    }

    /// The worth of a coin on each slot: our bonus, less a part of the bonus of another seat there.
    fn worth_to(&self, own: usize) -> [f32; Slot::COUNT] {
        let weights: [f32; PLAYERS] = std::array::from_fn(|seat| match seat == own {
            true => 1.0,
            false => -OTHERS - RIVAL * self.skill(seat),
        });
        let worth =
            |slot| Seat::first(PLAYERS).map(|seat| weights[seat.index()] * bonus(slot, seat) as f32).sum();
        std::array::from_fn(|slot| worth(Slot::new(slot)))
    }

    /// The trust that the seat chooses the best of several pushes, from 0 to 1.
    fn skill(&self, seat: usize) -> f32 {
        let trusts = MANNERS.iter().zip(self.trust[seat]);
        trusts
            .filter(|(manner, _)| matches!(manner, Manner::BestOf(2..)))
            .map(|(_, trust)| trust as f32)
            .sum()
    }

    /// Draws a manner for a seat, by the trust in each.
    fn guess(&self, seat: usize, dice: &mut Dice) -> Manner {
        let mut left = f64::from(dice.below(1 << 20)) / f64::from(1 << 20);
        let drawn = self.trust[seat].iter().position(|trust| {
            left -= trust;
            left < 0.0
        });
        MANNERS[drawn.unwrap_or(0)]
    }
}

/// The search of one turn.
struct Search<'a> {
    planner: &'a Planner,
    own: usize,
    /// The worth of a coin on each slot.
    worth: [f32; Slot::COUNT],
    tree: Vec<Node>,
}

impl Search<'_> {
    /// Adds a place to the tree and returns its number.
    fn grow(&mut self) -> u32 {
        let next = vec![0; self.planner.seats[self.own].shoves.len()];
        self.tree.push(Node { courses: 0.0, sum: 0.0, squares: 0.0, next });
        self.tree.len() as u32 - 1
    }

    /// Plays one course of the game, and adds its worth to the tree.
    fn play_course(&mut self, mut board: Board, depth: u32, dice: &mut Dice) {
        let seats = &self.planner.seats;
        let manners: [Manner; PLAYERS] = std::array::from_fn(|seat| self.planner.guess(seat, dice));
        let mut path = vec![0];
        let mut is_in_tree = true;
        for _ in 0..depth {
            let own = self.own;
            let mut shoves: [Option<Shove>; PLAYERS] = std::array::from_fn(|seat| {
                if seat == own { None } else { seats[seat].choose(manners[seat], &board, dice) }
            });
            let number = if is_in_tree { self.select(*path.last().expect("the root"), &board) } else { None };
            if let Some(number) = number {
                shoves[own] = Some(seats[own].shoves[number]);
                let here = path[path.len() - 1] as usize;
                if self.tree[here].next[number] == 0 {
                    self.tree[here].next[number] = self.grow();
                    is_in_tree = false;
                }
                path.push(self.tree[here].next[number]);
            } else {
                is_in_tree = false;
                shoves[own] = seats[own].choose(OURS, &board, dice);
            }
            board.play(&shoves, dice);
        }
        let value: f32 =
            board.coins.iter().zip(&self.worth).map(|(coins, worth)| f32::from(*coins) * worth).sum();
        for number in path {
            let node = &mut self.tree[number as usize];
            node.courses += 1.0;
            node.sum += value;
            node.squares += value * value;
        }
    }

    /// The standard deviation of the worth of the courses so far, in points. Few large piles make it large.
    fn deviation(&self) -> f32 {
        let root = &self.tree[0];
        if root.courses < 2.0 {
            return 10.0;
        }
        let mean = root.sum / root.courses;
        (root.squares / root.courses - mean * mean).max(0.01).sqrt()
    }

    /// Chooses the next push of a course in the tree: by its mean value, and by how seldom it was tried. A push counts
    /// as if it had been tried [`FIRST_SIGHT`] times with its own points as the result.
    fn select(&self, here: u32, board: &Board) -> Option<usize> {
        let node = &self.tree[here as usize];
        let mean = if node.courses > 0.0 { node.sum / node.courses } else { 0.0 };
        let curiosity = CURIOSITY * self.deviation() * node.courses.ln_1p().sqrt();
        let seated = &self.planner.seats[self.own];
        let score = |number: usize| {
            let shove = &seated.shoves[number];
            let gain = self.worth[shove.target.index()] - self.worth[shove.slot.index()];
            let at_sight = mean + f32::from(board.pile(shove.slot)) * gain;
            let (courses, sum) = match node.next[number] {
                0 => (0.0, 0.0),
                next => (self.tree[next as usize].courses, self.tree[next as usize].sum),
            };
            let courses = courses + FIRST_SIGHT;
            (sum + FIRST_SIGHT * at_sight) / courses + curiosity / courses.sqrt()
        };
        let scored = seated.valid(board).map(|number| (score(number), number));
        scored.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, number)| number)
    }
}
