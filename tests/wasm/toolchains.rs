//! The starter in C, built for WebAssembly: it plays every game as it does natively.

use std::fs;
use std::path::Path;
use std::process::Command;

use referee::catalog;
use referee::examine::{Grade, Subject, examine};
use referee::rules::Parameters;
use referee::table::process::{Program, Setup};
use referee_wasm::Engine;
use tempfile::TempDir;

#[test]
#[ignore = "needs clang, lld and wasi-libc"]
fn the_starter_in_c_plays_every_game_with_every_engine() {
    let place = TempDir::new().expect("a folder");
    let starter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bots/starters/c");
    for name in ["football", "foosball", "push", "target"] {
        let file = place.path().join(format!("{name}.wasm"));
        let [main, think] = ["bot", name].map(|name| {
            fs::read_to_string(starter.join(format!("{name}.c"))).expect("a part of the starter")
        });
        let source = place.path().join(format!("{name}.c"));
        let mark = "/* The game's function goes here. */";
        assert!(main.contains(mark));
        fs::write(&source, main.replace(mark, &think)).expect("the source");
        let built =
            Command::new("clang").args(["--target=wasm32-wasi", "-O2", "-o"]).args([&file, &source]).status();
        assert!(built.expect("clang").success(), "{name}");
        let entry = catalog::find(name).expect("a game");
        let program = Program::new(&file, Vec::new());
        let mut times = Vec::new();
        for engine in Engine::ALL {
            let setup = Setup { engine: *engine, ..Setup::this_program() };
            let parameters = Parameters::defaults(entry.parameters);
            let subject = Subject { entry, parameters, program: &program, setup: &setup };
            let examined = examine(&subject, |_| {}).expect("an examination");
            for found in &examined.findings {
                assert_ne!(found.grade, Grade::Failed, "{name} with {}: {found:?}", engine.name());
            }
            assert!(!examined.times.is_empty());
            times.push(examined.times);
        }
        assert!(times.windows(2).all(|two| two[0] == two[1]), "{name}: other units");
    }
}
