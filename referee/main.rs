//! The program `referee`. `cli` has its commands; `referee --help` lists them.

#[path = "../bots/mod.rs"]
mod bots;
mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
