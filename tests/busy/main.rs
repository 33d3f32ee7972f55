//! The tests that make the machine busy on purpose: a program of their own, since `cargo test` runs one after the
//! other, so that no other test is disturbed.

mod fair_clock;

use referee_testutil::support;
