//! The order of the rows of a log after its heading, as far as it does not depend on the rules of the game. A forged
//! log that breaks it is not read any further.

use super::row_kind::{Part, RowKind};
use crate::answer::Dropped;

/// Maximum number of seats of a game.
pub(super) const SEATS_MAX: usize = 256;

/// Maximum length of the draws and effects of one turn, in bytes. Rules that are a program reply with less.
const EVENTS_MAX: u64 = 32 << 20;

/// Counts of the rows so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Order {
    /// The turn of the last row; `None` if nothing is known of the rows before.
    turn: Option<u32>,
    /// The byte at which its first row of a draw or an effect begins.
    events_start: Option<u64>,
    /// Number of answers of this turn.
    answers: usize,
    /// Number of rows of dropped lines since the last answer.
    dropped: usize,
    /// Number of rows of the end of the game.
    ends: usize,
}

impl Order {
    /// Notes that an answer of this turn was read without [`next`](Order::next).
    #[inline]
    pub(super) fn note_answer(&mut self, turn: u32) {
        *self = Order { turn: Some(turn), ..Order::default() };
    }

    /// Makes sure that a row of this kind and turn, which begins at this byte, can come next.
    pub(super) fn next(&mut self, kind: RowKind, turn: Option<u32>, here: u64) -> Result<(), String> {
        match kind.definition().part {
            Part::Heading => return Ok(()),
            Part::End => {
                self.ends += 1;
                if self.ends > 2 + SEATS_MAX {
                    return Err("more rows than the end of a game has".to_owned());
                }
                return Ok(());
            }
            Part::Turn => {}
        }
        if self.ends > 0 {
            return Err(format!("a row {kind} after the end of the game"));
        }
        if kind == RowKind::Answer && turn > self.turn {
            *self = Order { turn, ..Order::default() };
        } else if let Some(last) = self.turn
            && turn != self.turn
        {
            return Err(format!("out of order: the rows before are of turn {last}"));
        }
        match kind {
            RowKind::Answer => (self.answers, self.dropped) = (self.answers + 1, 0),
            RowKind::Dropped => self.dropped += 1,
            _ => {}
        }
        if self.answers > SEATS_MAX || self.dropped > Dropped::KINDS {
            return Err("more rows than a turn has".to_owned());
        }
        if matches!(kind, RowKind::Draw | RowKind::Effect)
            && here - *self.events_start.get_or_insert(here) > EVENTS_MAX
        {
            return Err(format!("more than {} MiB of draws and effects in one turn", EVENTS_MAX >> 20));
        }
        Ok(())
    }
}
