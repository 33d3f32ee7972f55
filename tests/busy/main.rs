//! The tests that make the machine busy on purpose: a program of their own, since `cargo test` runs one after the
//! other, so that no other test is disturbed.

#[path = "../random.rs"]
#[expect(dead_code, reason = "shared with the other tests, which use more of it")]
mod random;
#[path = "../support.rs"]
#[expect(dead_code, reason = "shared with the other tests, which use more of it")]
mod support;

mod fair_clock;
