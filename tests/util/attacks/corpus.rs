//! The attacks: the C programs beside this file, compiled into one bot that lists them itself.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One way to attack the system.
#[derive(Clone, Debug)]
pub struct Attack {
    pub family: String,
    pub name: String,
    pub setting: Setting,
}

/// The partner that an attack needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// No partner.
    Alone,
    /// A second bot in the same game, which reports whether the attack worked.
    Pair,
    /// A second bot in the next game, which reports whether the attack worked.
    Sequel,
    /// A game that asks one seat at a time.
    Ponder,
}

impl Setting {
    fn from_name(name: &str) -> Setting {
        match name {
            "alone" => Setting::Alone,
            "pair" => Setting::Pair,
            "sequel" => Setting::Sequel,
            "ponder" => Setting::Ponder,
            _ => panic!("no such setting: {name}"),
        }
    }
}

/// Compiles the attacks into one program. A Rust toolchain needs `cc`, so it is installed.
pub fn compile(program: &Path) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/attacks");
    let mut sources: Vec<PathBuf> =
        fs::read_dir(folder).expect("the attacks").flatten().map(|entry| entry.path()).collect();
    sources.retain(|source| source.extension() == Some(OsStr::new("c")));
    let mut compiler = Command::new("cc");
    compiler.args(["-std=gnu11", "-O1", "-pthread", "-Wall", "-Wno-unused-result", "-o"]).arg(program);
    let output = compiler.args(sources).arg("-lrt").output().expect("cc, which a Rust toolchain needs, too");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Has the program list its attacks.
pub fn list(program: &Path) -> Vec<Attack> {
    let output = Command::new(program).arg("--list").output().expect("the attacks are a program");
    let text = String::from_utf8(output.stdout).expect("plain text");
    let attack = |line: &str| {
        let words: Vec<&str> = line.split('\t').collect();
        let [family, name, setting] = [words[0], words[1], words[2]];
        Attack { family: family.to_owned(), name: name.to_owned(), setting: Setting::from_name(setting) }
    };
    text.lines().map(attack).collect()
}
