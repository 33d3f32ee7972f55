//! Deeds of bots in an examination: a fault of each kind, and answers that are nonsense in many games.

use std::collections::BTreeMap;

use super::wrong::{Wrong, fail_if_judge_failed};
use crate::game::JudgeGame;
use referee_rules::conformance::fault_of;
use referee_rules::game::Game;
use referee_rules::{Dice, Events, Fault, FaultKind, Seat, Seed};

/// An answer, or the fault of a seat without one.
pub(super) type Response = Result<Vec<i64>, Fault>;

/// Number of answers that are nonsense.
const NONSENSE: usize = 9;

/// Returns the number of deeds.
fn count() -> usize {
    FaultKind::ALL.len() - 1 + NONSENSE
}

/// Returns the deed with this number. `sample` is an answer that is allowed.
fn deed(number: usize, sample: &[i64]) -> Response {
    let kinds = FaultKind::ALL.into_iter().filter(|kind| *kind != FaultKind::Illegal);
    if let Some(kind) = kinds.clone().nth(number) {
        return Err(fault_of(kind));
    }
    let changed = |change: i64| sample.iter().map(|integer| integer.saturating_add(change)).collect();
    Ok(match number - kinds.count() {
        0 => Vec::new(),
        1 => vec![i64::MIN],
        2 => vec![i64::MAX; 3],
        3 => vec![-1; 4],
        4 => vec![0; 300],
        5 => vec![1_000_000],
        6 => [sample, &[0]].concat(),
        7 => changed(1),
        _ => changed(-1),
    })
}

/// Tells whether a seat gives no answer any more after this.
fn is_end(response: &Response) -> bool {
    matches!(response, Err(fault) if fault.kind().is_end())
}

/// Returns a random answer that is allowed, by the judge.
pub(super) fn sample(game: &JudgeGame, seat: Seat, chance: Seed) -> Vec<i64> {
    let mut integers = Vec::new();
    game.sample(seat, &mut Dice::for_turn(chance, seat.index() as u32), &mut integers);
    integers
}

/// How often each seat did each deed so far, by the numbers of both.
#[derive(Debug, Default)]
pub(super) struct Coverage(BTreeMap<(usize, usize), u32>);

impl Coverage {
    /// Chooses what a seat does, among its rarest deeds.
    pub(super) fn choose(&mut self, seat: Seat, sample: &[i64], dice: &mut Dice) -> Response {
        let first = dice.below(count() as u32) as usize;
        let times = |number: &usize| self.0.get(&(seat.index(), *number)).copied().unwrap_or(0);
        let rarest = (0..count()).map(|number| (first + number) % count()).min_by_key(times).unwrap_or(0);
        *self.0.entry((seat.index(), rarest)).or_default() += 1;
        deed(rarest, sample)
    }
}

/// Returns the nonsense of a seat in a turn.
pub(super) fn nonsense(turn: u32, seat: Seat, sample: &[i64]) -> Response {
    deed(count() - 1 - (turn as usize + seat.index()) % NONSENSE, sample)
}

/// The number that stands for the answer of the first seat: in a row of it, all seats give that in each turn.
const ANSWER_OF_FIRST: usize = usize::MAX;

/// Returns rows of deeds, one for each seat: in some row each seat does each deed, and in others all do the same. Of
/// rows that are the same for the judge in this position, only one is returned: it asks some seats only, and is told
/// of a malformed answer as of a fault.
pub(super) fn rows(game: &mut JudgeGame, seats: usize, chance: Seed) -> Vec<Vec<usize>> {
    let asked = game.asked().to_vec();
    let samples: Vec<Vec<i64>> =
        asked.iter().map(|seat| sample(game, *seat, chance_in(game, chance))).collect();
    let mut responses_of = |row: &Vec<usize>| -> Vec<Response> {
        let each = asked.iter().zip(&samples).map(|(seat, sample)| {
            let number = row[seat.index()];
            let is_of_first = number == ANSWER_OF_FIRST;
            let response = if is_of_first { Ok(samples[0].clone()) } else { deed(number, sample) };
            match game.answer(*seat, response.as_deref()) {
                Some(Fault::Malformed(_)) => Err(fault_of(FaultKind::Malformed)),
                _ => response,
            }
        });
        each.collect()
    };
    let mut known_responses = Vec::new();
    let mut rows = all_rows(seats);
    rows.retain(|row| {
        let responses = responses_of(row);
        let is_new = !known_responses.contains(&responses);
        known_responses.push(responses);
        is_new
    });
    rows
}

fn all_rows(seats: usize) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> =
        (0..count()).map(|row| (0..seats).map(|seat| (row + seat) % count()).collect()).collect();
    if seats <= 1 {
        return rows;
    }
    for kind in [FaultKind::Late, FaultKind::Exited, FaultKind::Malformed] {
        let mut kinds = FaultKind::ALL.into_iter().filter(|kind| *kind != FaultKind::Illegal);
        let number = kinds.position(|other| other == kind).unwrap_or(0);
        rows.push(vec![number; seats]);
    }
    rows.push(vec![ANSWER_OF_FIRST; seats]);
    rows
}

fn chance_in(game: &JudgeGame, chance: Seed) -> Seed {
    Seed(chance.0 ^ u64::from(game.turn()))
}

/// Number of turns that are played after the deeds of a row.
const TURNS_AFTER: u32 = 40;

/// Plays on from a position: first each seat does its deed, later all give samples. A seat whose program has ended
/// gives no answer any more. Returns the number of turns and of faults.
pub(super) fn play_on(game: &mut JudgeGame, row: &[usize], chance: Seed) -> Result<(u64, u64), Wrong> {
    let (mut ended_seats, mut events) = (BTreeMap::new(), Events::default());
    let (start, mut faults) = (game.turn(), 0);
    while game.turn() - start < TURNS_AFTER && !game.asked().is_empty() {
        let is_first = game.turn() == start;
        let asked = game.asked().to_vec();
        let mut responses: Vec<(Seat, Response)> = Vec::new();
        let mut first_answer: Option<Vec<i64>> = None;
        for seat in asked {
            let sample = sample(game, seat, chance_in(game, chance));
            let response = match ended_seats.get(&seat) {
                Some(fault) => Err(Fault::clone(fault)),
                None if row[seat.index()] == ANSWER_OF_FIRST => {
                    Ok(first_answer.get_or_insert(sample).clone())
                }
                None if is_first => deed(row[seat.index()], &sample),
                None => Ok(sample),
            };
            if let Err(fault) = &response
                && is_end(&response)
            {
                ended_seats.insert(seat, fault.clone());
            }
            responses.push((seat, response));
        }
        faults += respond(game, &responses);
        events.clear();
        game.resolve(&mut events);
        fail_if_judge_failed(game)?;
    }
    fail_if_judge_failed(game)?;
    Ok((u64::from(game.turn() - start), faults))
}

/// Hands in the responses of a turn, all at once. Returns the number of faults.
fn respond(game: &mut JudgeGame, responses: &[(Seat, Response)]) -> u64 {
    let mut answers =
        responses.iter().filter_map(|(seat, response)| Some((*seat, response.as_deref().ok()?)));
    game.expect(&mut answers);
    let verdicts = responses.iter().map(|(seat, response)| game.answer(*seat, response.as_deref()));
    verdicts.filter(Option::is_some).count() as u64
}

/// Tells, by chance, whether a seat stays away after this.
pub(super) fn stays_away(response: &Response, dice: &mut Dice) -> bool {
    is_end(response) && dice.below(2) == 0
}
