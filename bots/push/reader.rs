//! A bot for Push that predicts the pushes of the others, and values its own pushes after some predicted turns.
//!
//! All push at once, so the worth of a push depends on the pushes of the others. Every question contains the pushes
//! that all seats have just tried. The bot assumes that a seat plays in one of a few `Manner`s. The likelier a manner
//! was to try the seat's pushes so far, the more it is trusted to predict the next one.

use referee_games::push::{Action, Direction, HOMES, PLAYERS, Push, Slot, View, WAYS, bonus};
use referee_rules::kit;
use referee_rules::{Dice, Seat, Seed};

/// Number of possible courses of the game that are drawn, the same for each candidate push.
const FUTURES: usize = 16;
/// Number of pushes, the best after one turn, that are examined further.
const CANDIDATES: usize = 6;
/// Number of turns that are looked at.
const DEPTH: u32 = 3;
/// Weight of our score, as a multiple of the weight of another seat's.
const OWN: i32 = 8;

type Coins = [u8; Slot::COUNT];

/// A push that stays on the board. `own` and `others` are what each coin of it adds to the score of the seat, and to
/// those of the others.
#[derive(Clone, Copy, Debug)]
struct Shove {
    slot: Slot,
    direction: Direction,
    target: Slot,
    own: i32,
    others: i32,
}

/// A way in which a seat can choose its pushes.
#[derive(Clone, Copy, Debug)]
enum Manner {
    /// Any push is as likely as any other.
    Anything,
    /// The push that adds most to its score this turn.
    Gain,
    /// Also the push that adds most, but of several such pushes the one that harms the others most.
    GainAndHarm,
}

const MANNERS: [Manner; 3] = [Manner::Anything, Manner::Gain, Manner::GainAndHarm];

/// The chance that a seat tries a push that its manner does not predict.
const SURPRISE: f64 = 0.02;

/// Plays one game.
pub fn main() {
    let mut reader = Reader::default();
    kit::run::<Push>(|view, action| reader.think(view, action));
}

/// The bot with its memory from turn to turn.
#[derive(Clone, Debug)]
pub struct Reader {
    /// All pushes of each seat, whether a coin is there or not.
    shoves: Vec<Vec<Shove>>,
    /// The coins as they were a turn ago.
    before: Option<Coins>,
    /// The trust in each manner as a prediction of each seat; the sum is 1.
    trust: [[f64; MANNERS.len()]; PLAYERS],
    /// The worth of a coin on each slot for each seat, if that seat is ours.
    worth: Vec<[i32; Slot::COUNT]>,
}

impl Default for Reader {
    fn default() -> Reader {
        let shoves = Seat::first(PLAYERS).map(shoves_of).collect();
        let worth = Seat::first(PLAYERS).map(worth_to).collect();
        let trust = [[1.0 / MANNERS.len() as f64; MANNERS.len()]; PLAYERS];
        Reader { shoves, before: None, trust, worth }
    }
}

impl Reader {
    /// Answers one question.
    pub fn think(&mut self, view: &View, action: &mut Action) {
        self.learn(view);
        self.before = Some(view.coins);
        let seat = view.seat.index();
        // If there is no valid push, anything is accepted.
        let best = self.choose(view).map(|shove| (shove.slot, shove.direction));
        let (slot, direction) = best.unwrap_or((HOMES[seat], WAYS[seat][0]));
        *action = Action::Push(slot, direction);
    }

    /// Looks at the pushes that the others have tried, and trusts those manners more that predicted them (Bayes' rule).
    fn learn(&mut self, view: &View) {
        let Some(before) = self.before else { return };
        for (seat, attempt) in view.attempts.iter().enumerate() {
            let tried =
                |shove: &&Shove| Some((shove.slot, shove.direction)) == attempt.slot.zip(attempt.direction);
            let likelihoods = MANNERS.map(|manner| {
                let choices = self.choices(&before, seat, manner);
                match choices.iter().find(tried) {
                    Some(_) => SURPRISE + (1.0 - SURPRISE) / choices.len() as f64,
                    None => SURPRISE,
                }
            });
            let trusts = &mut self.trust[seat];
            for (trust, likelihood) in trusts.iter_mut().zip(likelihoods) {
                *trust *= likelihood;
            }
            let sum: f64 = trusts.iter().sum();
            for trust in trusts {
                *trust /= sum;
            }
        }
    }

    fn choose(&self, view: &View) -> Option<Shove> {
        let seat = view.seat.index();
        let mut dice = Dice::for_turn(Seed(seat as u64), view.turn);
        let futures: Vec<_> = (0..FUTURES).map(|_| self.guess_turn(&view.coins, seat, &mut dice)).collect();
        let value = |shove: Shove, depth: u32| -> i32 {
            let mut dice = Dice::for_turn(Seed((PLAYERS + seat) as u64), view.turn);
            let values = futures.iter().map(|future| {
                let (mut coins, mut shoves) = (view.coins, *future);
                shoves[seat] = Some(shove);
                play_turn(&mut coins, &shoves, &mut dice);
                for _ in 1..depth {
                    let mut shoves = self.guess_turn(&coins, seat, &mut dice);
                    shoves[seat] = draw(&self.choices(&coins, seat, Manner::GainAndHarm), &mut dice);
                    play_turn(&mut coins, &shoves, &mut dice);
                }
                let worth = self.worth[seat].iter();
                coins.iter().zip(worth).map(|(coins, worth)| i32::from(*coins) * worth).sum::<i32>()
            });
            values.sum()
        };
        let mut ranked = self.choices(&view.coins, seat, Manner::Anything);
        ranked.sort_by_cached_key(|shove| -value(*shove, 1));
        let far = DEPTH.min(view.turns - view.turn);
        ranked.into_iter().take(CANDIDATES).rev().max_by_key(|shove| value(*shove, far))
    }

    /// Draws a push for each of the others, by the trusted manners.
    fn guess_turn(&self, coins: &Coins, own: usize, dice: &mut Dice) -> [Option<Shove>; PLAYERS] {
        std::array::from_fn(|seat| {
            if seat == own {
                return None;
            }
            let mut left = f64::from(dice.below(1 << 20)) / f64::from(1 << 20);
            let drawn = self.trust[seat].iter().position(|trust| {
                left -= trust;
                left < 0.0
            });
            draw(&self.choices(coins, seat, MANNERS[drawn.unwrap_or(0)]), dice)
        })
    }

    /// Lists the pushes that a seat can choose in this manner.
    fn choices(&self, coins: &Coins, seat: usize, manner: Manner) -> Vec<Shove> {
        let mut best = (i32::MIN, 0);
        let mut choices: Vec<Shove> = Vec::new();
        for shove in &self.shoves[seat] {
            let pile = i32::from(coins[shove.slot.index()]);
            if pile == 0 {
                continue;
            }
            let key = match manner {
                Manner::Anything => (0, 0),
                Manner::Gain => (pile * shove.own, 0),
                Manner::GainAndHarm => (pile * shove.own, -pile * shove.others),
            };
            if key > best {
                best = key;
                choices.clear();
            }
            if key == best {
                choices.push(*shove);
            }
        }
        choices
    }
}

fn shoves_of(seat: Seat) -> Vec<Shove> {
    let all = Slot::all().flat_map(|slot| WAYS[seat.index()].map(|direction| (slot, direction)));
    let shove = |(slot, direction): (Slot, Direction)| {
        let target = slot.neighbour(direction)?;
        let gain = |seat| bonus(target, seat) as i32 - bonus(slot, seat) as i32;
        let sum: i32 = Seat::first(PLAYERS).map(gain).sum();
        Some(Shove { slot, direction, target, own: gain(seat), others: sum - gain(seat) })
    };
    all.filter_map(shove).collect()
}

/// The worth of a coin on each slot: our bonus, less a little for the bonus of another seat there.
fn worth_to(own: Seat) -> [i32; Slot::COUNT] {
    let worth = |slot| {
        let others = Seat::first(PLAYERS).filter(|seat| *seat != own).map(|seat| bonus(slot, seat) as i32);
        OWN * bonus(slot, own) as i32 - others.sum::<i32>()
    };
    std::array::from_fn(|slot| worth(Slot::new(slot)))
}

fn draw(choices: &[Shove], dice: &mut Dice) -> Option<Shove> {
    (!choices.is_empty()).then(|| choices[dice.below(choices.len() as u32) as usize])
}

/// Plays a turn of valid pushes.
fn play_turn(coins: &mut Coins, shoves: &[Option<Shove>; PLAYERS], dice: &mut Dice) {
    let before = *coins;
    for (seat, shove) in shoves.iter().enumerate() {
        let Some(shove) = shove else { continue };
        let mut rivals = shoves.iter().flatten().filter(|rival| rival.slot == shove.slot);
        if shoves[..seat].iter().flatten().any(|rival| rival.slot == shove.slot) {
            continue; // the pile has been pushed
        }
        let count = rivals.clone().count() as u32;
        let winner = if count == 1 { 0 } else { dice.below(count) };
        let winner = rivals.nth(winner as usize).expect("one of them");
        let pile = before[shove.slot.index()];
        coins[shove.slot.index()] -= pile;
        coins[winner.target.index()] += pile;
    }
}
