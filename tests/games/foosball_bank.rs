//! comFoosball's time bank, and the cost of silence, through the turn loop and a table that plays a script.

use std::collections::VecDeque;
use std::time::Duration;

use referee_games::foosball::{Foosball, PARAMETERS};
use referee_record::Answer;
use referee_record::play::play;
use referee_record::play::table::{Question, Table, TableError};
use referee_rules::game::Playing;
use referee_rules::{Fault, Outcome, Parameters, Seed};

use crate::foosball_rules::all_on;
use crate::no_record::NoRecord;

const AWAY: usize = 1;

/// A table at which every team sends the same roster, and thinks as long as the script says.
struct Scripted {
    /// For each seat, milliseconds question by question; then 0.
    thinking: [VecDeque<u64>; 2],
    /// The seat whose program crashes at this question.
    crash: Option<(usize, usize)>,
    put: Vec<Question>,
    rounds: usize,
    limits: Vec<[Duration; 2]>,
}

impl Table for Scripted {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.put = questions.to_vec();
        self.limits.push([questions[0].limit, questions[1].limit]);
        Ok(())
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        answers.clear();
        for question in &self.put {
            let seat = question.seat.index();
            let thinking = Duration::from_millis(self.thinking[seat].pop_front().unwrap_or(0));
            let mut answer = Answer::empty(question.seat);
            answer.thinking = thinking.min(question.limit);
            if self.crash == Some((seat, self.rounds)) {
                answer.fault = Some(Fault::Crashed(11));
            } else if thinking > question.limit {
                answer.fault = Some(Fault::Late);
            } else {
                answer.integers = all_on(0).to_vec();
            }
            answers.push(answer);
        }
        self.rounds += 1;
        Ok(())
    }
}

/// Plays a game with a bank of 1,000 ms and 5,000 ms for the first answer.
fn play_with(
    home: &[u64],
    away: &[u64],
    crash: Option<(usize, usize)>,
) -> (Outcome, usize, Vec<[Duration; 2]>) {
    let mut parameters = Parameters::defaults(PARAMETERS);
    parameters.set("bank_ms", 1000).unwrap();
    let mut game = Playing::new(Foosball::new(&parameters), Seed(3));
    let thinking = [home, away].map(|times| times.iter().copied().collect());
    let mut table = Scripted { thinking, crash, put: Vec::new(), rounds: 0, limits: Vec::new() };
    let outcome = play(&mut game, &mut table, &mut NoRecord).unwrap();
    (outcome, table.rounds, table.limits)
}

#[test]
fn the_start_is_not_charged_and_a_bank_used_to_the_last_is_not_overdrawn() {
    let (outcome, rounds, limits) = play_with(&[5000, 600, 400], &[0; 3], None);
    assert_eq!((outcome.reason, rounds), ("full_time", 800));
    let ms = |limits: [Duration; 2]| limits.map(|limit| limit.as_millis());
    assert_eq!(
        [0, 1, 2, 3, 799].map(|round| ms(limits[round])),
        [[5000, 5000], [1000, 1000], [400, 1000], [0, 1000], [0, 1000]]
    );
}

#[test]
fn over_the_bank_the_game_is_lost() {
    let (outcome, rounds, _) = play_with(&[0, 600, 401], &[0, 500, 500], None);
    assert_eq!((outcome.reason, rounds, outcome.shares.as_slice()), ("out_of_time", 3, &[0.0, 1.0][..]));
    let (outcome, rounds, _) = play_with(&[0], &[0, 1001], None);
    assert_eq!((outcome.reason, rounds, outcome.shares.as_slice()), ("out_of_time", 2, &[1.0, 0.0][..]));
}

#[test]
fn both_over_the_bank_in_one_round_is_a_tie_and_in_two_is_not() {
    let (outcome, rounds, _) = play_with(&[0, 600, 401], &[0, 1000, 1], None);
    assert_eq!((outcome.reason, rounds, outcome.shares.as_slice()), ("out_of_time", 3, &[0.5, 0.5][..]));
    let (outcome, rounds, _) = play_with(&[0, 600, 401], &[0, 600, 0, 401], None);
    assert_eq!((outcome.reason, rounds, outcome.shares.as_slice()), ("out_of_time", 3, &[0.0, 1.0][..]));
}

#[test]
fn who_starts_too_slowly_or_crashes_has_lost() {
    let (outcome, rounds, _) = play_with(&[5001], &[0], None);
    assert_eq!((outcome.reason, rounds, outcome.shares.as_slice()), ("out_of_time", 1, &[0.0, 1.0][..]));
    let (outcome, rounds, _) = play_with(&[], &[], Some((AWAY, 700)));
    assert_eq!((outcome.reason, rounds, outcome.shares.as_slice()), ("forfeit", 701, &[1.0, 0.0][..]));
}
