//! The order of the rows of a log after its heading, as far as it follows without the rules of the game. It bounds the part
//! of a forged log that is read in vain.

use super::row_kind::{Part, RowKind};
use crate::answer::Dropped;

/// Maximum number of seats of a game.
pub(super) const SEATS_MAX: usize = 256;

/// Maximum length of the draws and effects of one turn, in bytes. Rules that are a program reply with less.
const EVENTS_MAX: u64 = 32 << 20;

/// The rows that were seen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Order {
    /// The last turn that was seen; `None` if nothing is known of the rows before.
    turn: Option<u32>,
    /// Where its first row of a draw or an effect begins, in bytes.
    events: Option<u64>,
    /// Number of answers of this turn that were seen, and of dropped lines since the last one.
    answers: usize,
    dropped: usize,
    /// Number of rows of the end of the game that were seen.
    ends: usize,
}

impl Order {
    /// An answer of a turn was read.
    #[inline]
    pub(super) fn answered(&mut self, turn: u32) {
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
        } else if let Some(last) = self.turn.filter(|_| turn != self.turn) {
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
            && here - *self.events.get_or_insert(here) > EVENTS_MAX
        {
            return Err(format!("more than {} MiB of draws and effects in one turn", EVENTS_MAX >> 20));
        }
        Ok(())
    }
}
