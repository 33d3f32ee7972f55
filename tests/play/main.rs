//! The turn loop at a table in simulated time, and the audit of times.

mod simulation;
mod times;

use referee_testutil::simulated;
