//! The program `referee`. `referee --help` says what it does; `cli` is where it is done.

#[path = "../bots/mod.rs"]
mod bots;
mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
