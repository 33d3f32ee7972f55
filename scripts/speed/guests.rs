//! Football with the trivial bot of the floor as a module of WebAssembly in all four seats.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use referee_rules::BySeat;
use referee_table::process::{Program, Setup};
use referee_wasm::{Engine, Modules};
use tempfile::TempDir;

use crate::Outcome;
use crate::floor::{game, trivial_lines};
use crate::turns::{Course, plain, play_into};

/// Modules that are made when needed, and compiled by one game.
pub(crate) struct Guests {
    players: u32,
    folder: TempDir,
}

impl Guests {
    pub(crate) fn new(players: u32) -> Outcome<Guests> {
        let guests = Guests { players, folder: tempfile::tempdir()? };
        for seat in 0..4 {
            fs::write(guests.file(seat), wat::parse_str(text(&trivial_lines(seat, players as usize)))?)?;
        }
        // The compiled form of a file is kept for all games of this process.
        guests.play(1)?;
        Ok(guests)
    }

    fn file(&self, seat: usize) -> PathBuf {
        self.folder.path().join(format!("bot{seat}.wasm"))
    }

    pub(crate) fn play(&self, turns: u32) -> Outcome<Course> {
        let programs = BySeat::from_fn(4, |seat| Some(Program::new(self.file(seat.index()), Vec::new())));
        let setup = Setup { guests: Some(Arc::new(Modules(Engine::Wasmtime))), ..plain() };
        play_into(game(self.players, turns), &programs, &setup, tempfile::tempdir()?.path())
    }
}

/// A bot that reads a question and writes the next of its lines: the first once, then the others in turn.
fn text(lines: &[String; 3]) -> String {
    const AT: usize = 1024;
    const QUESTION: usize = 64 * 1024;
    let [first, second, third] = lines.each_ref().map(|line| line.len());
    let data: String = lines.concat().replace('\n', "\\n");
    let say = |at: usize, length: usize| format!("(call $turn (i32.const {at}) (i32.const {length}))");
    format!(
        r#"(module
            (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
            (memory (export "memory") 2)
            (data (i32.const {AT}) "{data}")
            (func $turn (param $at i32) (param $length i32)
                (i32.store (i32.const 0) (i32.const {QUESTION}))
                (i32.store (i32.const 4) (i32.const {QUESTION}))
                (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
                (if (i32.eqz (i32.load (i32.const 8))) (then (call $exit (i32.const 0))))
                (i32.store (i32.const 0) (local.get $at))
                (i32.store (i32.const 4) (local.get $length))
                (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
            (func (export "_start") {} (loop $again {} {} (br $again))))"#,
        say(AT, first),
        say(AT + first, second),
        say(AT + first + second, third),
    )
}
