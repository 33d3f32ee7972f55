//! The tests that overload the machine on purpose: a program of their own, since `cargo test` runs programs
//! one after the other, so that they disturb no other test.

mod fair_clock;

use referee_testutil::support;
