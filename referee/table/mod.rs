//! The table: asks questions and collects answers. The turn loop knows only the trait [`Table`].

pub mod charge;
pub mod excerpt;
pub mod game_table;
#[cfg(feature = "wasm")]
mod guests;
#[cfg(feature = "wasm")]
mod modules;
pub mod open;
pub mod process;

pub use referee_sandbox as sandbox;
pub use referee_sandbox::program;
