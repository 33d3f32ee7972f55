//! Wrong answers as the log keeps them: their beginning, length and digest.
//!
//! A bot can answer with 64 KiB in every turn, which would fill the log. The mistake shows at the front: the rules
//! refuse a prefix for the same reason as the whole. The digest tells the whole answer from any other.

use crate::Answer;
use crate::note::{SHORT, note};
use referee_rules::game::Game;
use referee_rules::wire;
use referee_rules::{BySeat, Fault};

/// Minimum number of integers that are kept of a long answer of the wrong shape.
const KEPT_INTEGERS: usize = 64;

/// Number of bytes of long wrong answers that are kept of each seat in a game. Of further ones only the notes are kept.
const KEPT_BYTES: usize = 64 * 1024;

/// Number of bytes of each seat's wrong answers that can still be kept in a game.
#[derive(Debug)]
pub(crate) struct Room(BySeat<usize>);

impl Room {
    /// Begins a game.
    pub(crate) fn new(seats: usize) -> Room {
        Room(BySeat::from_fn(seats, |_| KEPT_BYTES))
    }

    /// Has the game judge an answer. A long one of the wrong shape is shortened to the part that is kept.
    pub(crate) fn judge(&mut self, game: &mut dyn Game, answer: &mut Answer) -> Option<Fault> {
        let verdict = game.answer(answer.seat, answer.given());
        let Some(Fault::Malformed(why)) = &verdict else { return verdict };
        let mut text = Vec::new();
        wire::push_joined(&mut text, &answer.integers);
        if text.len() <= SHORT {
            return verdict;
        }
        let mut count = KEPT_INTEGERS.min(answer.integers.len());
        // If the rules are a program, it may judge differently the second time.
        while !is_malformed(game.answer(answer.seat, Ok(&answer.integers[..count])))
            && count < answer.integers.len()
        {
            count = (2 * count).min(answer.integers.len());
        }
        let note = note(why, &text);
        text.clear();
        wire::push_joined(&mut text, &answer.integers[..count]);
        let bytes_left = &mut self.0[answer.seat];
        if text.len() <= *bytes_left {
            *bytes_left -= text.len();
        } else {
            count = 0;
        }
        answer.integers.truncate(count);
        answer.fault = Some(Fault::Malformed(note));
        answer.fault.clone()
    }
}

/// Has the game judge an answer that was kept in a log.
pub(crate) fn judge_recorded(game: &mut dyn Game, answer: &Answer) -> Option<Fault> {
    match &answer.fault {
        // The beginning of an answer: it must be wrong by itself.
        Some(fault @ Fault::Malformed(_)) if !answer.integers.is_empty() => {
            let verdict = game.answer(answer.seat, Ok(&answer.integers));
            if is_malformed(verdict.clone()) { Some(fault.clone()) } else { verdict }
        }
        _ => game.answer(answer.seat, answer.given()),
    }
}

fn is_malformed(verdict: Option<Fault>) -> bool {
    matches!(verdict, Some(Fault::Malformed(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::has_note;
    use referee_games::catalog;
    use referee_rules::{Parameters, Seat, Seed};

    fn game() -> Box<dyn Game> {
        let entry = catalog::find("football").unwrap();
        entry.start(&Parameters::defaults(entry.parameters), Seed(1))
    }

    fn answer(integers: Vec<i64>) -> Answer {
        Answer { integers, ..Answer::empty(Seat::new(0)) }
    }

    #[test]
    fn a_long_wrong_answer_is_kept_as_a_beginning_that_is_wrong_by_itself_and_its_digest() {
        let (mut game, mut room) = (game(), Room::new(4));
        let mut given = answer(vec![1; 32_000]);
        let verdict = room.judge(&mut *game, &mut given);
        let Some(Fault::Malformed(why)) = &verdict else { panic!("{verdict:?}") };
        let why = why.to_string();
        assert!(
            why.starts_with("32000 integers instead of ") && why.contains("; 63999 bytes, sha256 "),
            "{why}"
        );
        assert!(has_note(&why) && given.integers.len() == KEPT_INTEGERS, "{}", given.integers.len());
        assert_eq!(judge_recorded(&mut *game, &given), verdict, "as the log has it");
        let forged = Answer { integers: vec![528; 10], ..given };
        assert_ne!(
            judge_recorded(&mut *game, &forged),
            verdict,
            "a beginning that is a right answer shows nothing"
        );
    }

    #[test]
    fn short_and_right_answers_are_kept_as_they_are() {
        let (mut game, mut room) = (game(), Room::new(4));
        for integers in [vec![1; 3], vec![528; 10], vec![9999; 10], vec![i64::MIN; 10], vec![]] {
            let mut given = answer(integers.clone());
            let alone = game.answer(given.seat, given.given());
            assert_eq!(room.judge(&mut *game, &mut given), alone);
            assert_eq!(given, answer(integers));
        }
    }

    #[test]
    fn a_game_keeps_only_so_much_of_a_seat() {
        let (mut game, mut room) = (game(), Room::new(4));
        let lengths = (0..1000).map(|_| {
            let mut given = answer(vec![i64::MIN; 3_000]);
            assert!(is_malformed(room.judge(&mut *game, &mut given)));
            let mut text = Vec::new();
            wire::push_joined(&mut text, &given.integers);
            text.len()
        });
        let lengths: Vec<usize> = lengths.collect();
        assert!(lengths[0] > 0 && lengths[999] == 0, "{} and {}", lengths[0], lengths[999]);
        assert!(lengths.iter().sum::<usize>() <= KEPT_BYTES);
    }
}
