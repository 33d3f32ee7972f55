//! The turn loop at a table in simulated time, and what an audit says of times.

mod simulation;
mod times;

use referee_testutil::simulated;
