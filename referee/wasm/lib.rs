//! Bots in WebAssembly: modules that read lines on standard input and write lines on standard output.
//!
//! A guest runs as a coroutine. It runs until it waits for a line, has written one, or has used up its units.
//! A unit stands for a nanosecond. The module itself counts them: [`Module`] puts a counter into its code, so
//! all machines agree on each number. A guest's answers, and the units at which it gives
//! them, depend only on its module and its input.
//!
//! [`Modules`] seats guests at the table of a game: a program with support for bots in WebAssembly passes it
//! to [`Setup`](referee_table::process::Setup). The modules below it use no files, no games and no clock.
//!
//! | item | meaning |
//! | --- | --- |
//! | [`Module`] | a module that is allowed, with the counter in it |
//! | [`Compiled`] | a module that is prepared for the interpreter, for any number of guests |
//! | [`Guest`] | a program in progress |
//! | [`Modules`] | the guests of a table |
//!
//! A module that writes each line back, the minimum for a bot:
//!
//! ```
//! use referee_wasm::{Compiled, Module, Pause};
//!
//! let bytes = wat::parse_str(
//!     r#"(module
//!         (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
//!         (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
//!         (memory (export "memory") 1)
//!         (func (export "_start")
//!             (i32.store (i32.const 0) (i32.const 1024)) ;; where a line goes
//!             (loop $again
//!                 (i32.store (i32.const 4) (i32.const 4096)) ;; its longest
//!                 (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 4)))
//!                 (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
//!                 (br $again))))"#,
//! )?;
//! let mut guest = Compiled::new(&Module::new(&bytes)?)?.start(&[b"echo"], &[])?;
//! guest.put(b"3 1 -2 5\n");
//! guest.allow(1_000_000);
//! assert_eq!(guest.go_on(), Pause::Wrote);
//! assert_eq!(guest.take_output(Vec::new()), b"3 1 -2 5\n");
//! assert!(guest.used() > 0, "each instruction is counted");
//! assert_eq!(guest.go_on(), Pause::Waits);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compiled;
mod costs;
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

pub use compiled::Compiled;
pub use costs::{COSTS, MEMORY_PAGES, STACK_BYTES, TABLE_ENTRIES};
pub use guest::Guest;
pub use module::Module;
pub use modules::Modules;
pub use pause::{Pause, Trap};
pub use refused::Refused;
