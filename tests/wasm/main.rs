//! Bots in WebAssembly, as guests: their permissions, how they end.

mod commands;
mod hill;
mod hostile;
mod talk;
mod toolchains;
mod tournament;

use referee_wasm::{Compiled, Module, Pause};

/// The imports of all these bots.
const IMPORTS: &str = r#"
    (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
    (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
    (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_fdstat_get" (func $fdstat (param i32 i32) (result i32)))"#;

/// Functions to read and write: `$line` reads the available input to 1024 and returns its length, `$say`
/// writes a piece of memory to a descriptor.
const STREAMS: &str = r#"
    (func $line (result i32)
        (i32.store (i32.const 0) (i32.const 1024))
        (i32.store (i32.const 4) (i32.const 4096))
        (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
        (i32.load (i32.const 8)))
    (func $say (param $to i32) (param $at i32) (param $length i32)
        (i32.store (i32.const 0) (local.get $at))
        (i32.store (i32.const 4) (local.get $length))
        (drop (call $fd_write (local.get $to) (i32.const 0) (i32.const 1) (i32.const 8))))"#;

/// Makes a module from a `_start` and the rest.
fn bot(start: &str, more: &str) -> Vec<u8> {
    let memory = if more.contains("(memory (export") { "" } else { "(memory (export \"memory\") 1)" };
    module(&format!("(module {IMPORTS} {memory} {STREAMS} {more} (func (export \"_start\") {start}))"))
}

fn module(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A guest's run: each pause except slices, with the units used, and its output.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Course {
    pauses: Vec<(Pause, u64)>,
    output: Vec<u8>,
    errors: Vec<u8>,
}

/// Sends these lines to a guest, each with a number of units. After each, it runs until it waits for more,
/// has ended, or is out of units.
fn run(bytes: &[u8], lines: &[&str], units: u64) -> Result<Course, String> {
    let module = Module::new(bytes).map_err(|why| why.to_string())?;
    let compiled = Compiled::new(&module).map_err(|why| why.to_string())?;
    let mut guest = compiled.start(&[b"bot"], &[]).map_err(|why| why.to_string())?;
    let (mut pauses, mut output) = (Vec::new(), Vec::new());
    for line in lines {
        guest.put(line.as_bytes());
        guest.allow(units);
        loop {
            let pause = guest.go_on();
            output.extend(guest.take_output(Vec::new()));
            match pause {
                Pause::Slice => {}
                Pause::Wrote => pauses.push((pause, guest.used())),
                _ => break pauses.push((pause, guest.used())),
            }
        }
    }
    Ok(Course { pauses, output, errors: guest.take_errors() })
}
