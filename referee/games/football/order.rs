//! Orders to a player, and their mistakes.

use std::fmt;

use super::Cell;
use referee_rules::Step;

/// An order to one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Before turn 1: start here.
    Place(Cell),
    /// Step to a neighbouring cell, or stay.
    Step(Step),
    /// Kick a ball from the player's cell to this one.
    Kick(Cell),
    /// An integer that is not an order in this turn.
    Other(i64),
}

impl Order {
    /// The order that stays.
    pub const STAY: Order = Order::Step(Step::STAY);

    /// Returns the order's integer: a cell before turn 1; later 0 to 8 for a step, 9 + cell for a kick.
    pub fn number(self) -> i64 {
        match self {
            Order::Place(cell) => cell.index() as i64,
            Order::Step(step) => step.number() as i64,
            Order::Kick(cell) => 9 + cell.index() as i64,
            Order::Other(number) => number,
        }
    }
}

/// A mistake in one player's order.
pub(super) enum BadOrder {
    NoPlace,
    NoCell(i64),
    NoOrder(i64),
    NoBall(Cell),
    OffTheGrid { cell: Cell, step: Step },
    OutOfRange { from: Cell, to: Cell, k: u32 },
}

impl fmt::Display for BadOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadOrder::NoPlace => write!(f, "no cell to start on"),
            BadOrder::NoCell(number) => write!(f, "{number} is no cell"),
            BadOrder::NoOrder(number) => write!(f, "{number} is no order"),
            BadOrder::NoBall(cell) => write!(f, "no ball to kick on cell {cell}"),
            BadOrder::OffTheGrid { cell, step } => {
                write!(f, "step {} leads off the grid from cell {cell}", step.number())
            }
            BadOrder::OutOfRange { from, to, k } => {
                let square = from.distance_squared(*to);
                write!(f, "kick from {from} to {to} is out of range ({square} > {k}*{k})")
            }
        }
    }
}
