//! The program `referee`, with the engines of this build.

use std::sync::Arc;

use referee_cli::Parts;
use referee_cli::engines::GuestEngine;
use referee_wasm::{Engine, Modules};

fn main() {
    referee_cli::main(&[], Parts { additions: &[], engines: ENGINES })
}

const ENGINES: &[GuestEngine] = &[
    #[cfg(feature = "wasmtime")]
    GuestEngine { name: "wasmtime", guests: || Arc::new(Modules(Engine::Wasmtime)) },
    GuestEngine { name: "wasmi", guests: || Arc::new(Modules(Engine::Wasmi)) },
];
