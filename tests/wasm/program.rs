//! The program `referee` with bots in WebAssembly.

use std::sync::Arc;

use referee_cli::Parts;
use referee_wasm::Modules;

fn main() {
    referee_cli::main(&[], Parts { additions: &[], guests: Some(|| Arc::<Modules>::default()) })
}
