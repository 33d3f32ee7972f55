//! Questions, answers and times: real bots that misbehave, and simulated ones.

mod allocations;
mod away;
pub(crate) mod faulty_bots;
mod freezing;
mod serial;
mod side_by_side;
mod stretched;
mod unsent;
