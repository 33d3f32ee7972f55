//! House bots.
#[expect(dead_code, reason = "only the program starts the bots' own mains")]
#[path = "../bots/mod.rs"]
mod bots;
