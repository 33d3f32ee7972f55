//! Bots in WebAssembly: modules that read lines on standard input and write lines on standard output.
//!
//! A guest runs as a coroutine. It goes on until it waits for a line, has written one, or has used up its units. A unit
//! stands for a nanosecond. The module itself counts them: [`Module`] puts a counter into its code, so all engines and
//! all machines agree on each number. What a guest answers, and at which unit, depends on its module and on what it
//! reads, and on nothing else.
//!
//! [`Modules`] seats guests at the table of a game: a program that wants bots in WebAssembly hands it to
//! [`Setup`](referee_table::process::Setup). All below it knows no files, no games and no clock.
//!
//! | item | meaning |
//! | --- | --- |
//! | [`Module`] | a module that is allowed, with the counter in it |
//! | [`Engine`] | what executes it: an interpreter (`wasmi`), or a compiler (feature `wasmtime`) |
//! | [`Compiled`] | a module made ready for an engine, for any number of guests |
//! | [`Guest`] | a program in progress |
//! | [`Modules`] | the guests of a table, by one engine |

#[cfg(feature = "wasmtime")]
mod compiler;
mod costs;
mod engine;
mod facts;
mod guest;
mod guest_table;
mod host;
mod interpreter;
mod module;
mod modules;
mod names;
mod pause;
mod ready;
mod refused;
mod rewrite;
mod wasi;

pub use costs::{COSTS, MEMORY_PAGES, STACK_BYTES, TABLE_ENTRIES};
pub use engine::{Compiled, Engine};
pub use guest::Guest;
pub use module::Module;
pub use modules::Modules;
pub use pause::{Pause, Trap};
pub use refused::Refused;
