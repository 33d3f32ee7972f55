//! Programs in C, built for WebAssembly: the starter plays every game as it does natively, and attacks have
//! no effect.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use referee_games::catalog;
use referee_rules::Parameters;
use referee_table::examine::{Grade, Subject, examine};
use referee_table::process::{Program, Setup};
use referee_wasm::{Compiled, Module, Modules, Pause};
use tempfile::TempDir;

use super::commands::program;

#[test]
#[ignore = "needs clang, lld and wasi-libc"]
fn the_starter_in_c_plays_every_game() {
    let place = TempDir::new().expect("a folder");
    for name in ["football", "foosball", "push", "target"] {
        let mut new = Command::new(program());
        new.args(["new", name, "--game", name, "--lang", "c", "--target", "wasm", "--dir"]).arg(place.path());
        assert!(new.output().expect("the program").status.success(), "{name}");
        let built = Command::new(place.path().join(name).join("build")).status();
        assert!(built.expect("clang").success(), "{name}");
        let file = place.path().join(name).join("bot.wasm");
        let entry = catalog::find(name).expect("a game");
        let program = Program::new(&file, Vec::new());
        let setup =
            Setup { guests: Some(Arc::<Modules>::default()), ..Setup::with(super::commands::program()) };
        let parameters = Parameters::defaults(entry.parameters);
        let subject = Subject { entry, parameters, program: &program, setup: &setup };
        let examined = examine(&subject, |_| {}).expect("an examination");
        for found in &examined.findings {
            assert_ne!(found.grade, Grade::Failed, "{name}: {found:?}");
        }
        assert!(!examined.times.is_empty());
    }
}

/// Compiles the attacks. `more` are options of the compiler.
fn compile_attacks(module: &Path, more: &[&str]) -> Vec<u8> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/wasm/attacks.c");
    let mut compiler = Command::new("clang");
    compiler
        .args(["--target=wasm32-wasi", "-O2", "-Wall", "-Werror", "-o"])
        .args([module, &source])
        .args(more);
    assert!(compiler.status().expect("clang").success());
    fs::read(module).expect("a module")
}

#[test]
#[ignore = "needs clang, lld and wasi-libc"]
fn no_attack_in_c_works() {
    let place = TempDir::new().expect("a folder");
    let canary = place.path().join("secret");
    fs::write(&canary, "secret").expect("the canary");
    let bytes = compile_attacks(&place.path().join("attacks.wasm"), &[]);
    let module = Module::new(&bytes).expect("a bot");
    let mut reports = Vec::new();
    let compiled = Compiled::new(&module).expect("a bot");
    // Twice: random numbers and times are the same again.
    for _ in 0..2 {
        let variables = ["REFEREE_GAME=target".to_owned()];
        let mut guest =
            compiled.start(&[b"bot", canary.as_os_str().as_encoded_bytes()], &variables).expect("a guest");
        guest.put(b"1\n");
        guest.allow(1_000_000_000);
        let mut errors = Vec::new();
        let pause = loop {
            let pause = guest.go_on();
            errors.extend(guest.take_errors());
            if !matches!(pause, Pause::Slice | Pause::Wrote) {
                break pause;
            }
        };
        // It has answered, and waits for the next question.
        assert_eq!((pause, guest.take_output(Vec::new()).as_slice()), (Pause::Waits, &b"1\n"[..]));
        reports.push((String::from_utf8(errors).expect("plain text"), guest.used()));
    }
    let (report, _) = &reports[0];
    let worked: Vec<&str> = report.lines().filter(|line| line.ends_with(": worked")).collect();
    assert_eq!(worked, [""; 0]);
    assert_eq!(report.lines().filter(|line| line.ends_with(": refused")).count(), 42, "{report}");
    assert!(reports.windows(2).all(|two| two[0] == two[1]), "{reports:?}");
    let left = fs::read_dir(place.path()).expect("the folder").count();
    assert_eq!((left, fs::read_to_string(&canary).expect("the canary").as_str()), (2, "secret"));
}

#[test]
#[ignore = "needs clang, lld and wasi-libc"]
fn a_bot_that_asks_for_a_network_is_refused() {
    let place = TempDir::new().expect("a folder");
    let bytes = compile_attacks(&place.path().join("network.wasm"), &["-DNETWORK"]);
    let why = Module::new(&bytes).expect_err("no bot").to_string();
    assert!(why.contains("imports wasi_snapshot_preview1.sock_"), "{why}");
}
