//! `referee new`: what it writes, which next steps it prints, and what it refuses.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use referee_games::catalog::GAMES;

use crate::called::Calls;
use crate::support::{Place, REFEREE};

const LANGUAGES: [&str; 8] = ["c", "cpp", "go", "java", "javascript", "octave", "python", "rust"];

#[test]
fn a_new_bot_is_the_starter_of_its_language() {
    let place = Place::new();
    for language in LANGUAGES {
        let ran = place
            .call(&["new", language, "--game", "push", "--lang", language, "--dir", "some/bots"])
            .with_status(0);
        assert!(ran.out.contains("./build"), "{}", ran.out);
        let starter = Path::new(env!("CARGO_MANIFEST_DIR")).join("bots/starters").join(language);
        let mut names = Vec::new();
        for entry in fs::read_dir(place.path("some/bots").join(language)).expect("a folder").flatten() {
            let name = entry.file_name().into_string().expect("a name");
            let is_executable = entry.metadata().expect("a file").permissions().mode() & 0o111 != 0;
            assert_eq!(
                is_executable,
                ["build", "run", "submit.py"].contains(&name.as_str()),
                "{language}/{name}"
            );
            if name == "submit.py" {
                let due = starter.with_file_name("submit.py");
                assert_eq!(fs::read(entry.path()).unwrap(), fs::read(due).unwrap());
            } else if is_executable {
                assert_eq!(fs::read(entry.path()).unwrap(), fs::read(starter.join(&name)).unwrap());
            }
            names.push(name);
        }
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/games/push.md");
        let rules = place.path("some/bots").join(language).join("push.md");
        assert_eq!(fs::read_to_string(rules).unwrap(), fs::read_to_string(page).unwrap());
        assert_eq!(names.len(), 6, "{names:?}");
    }
}

#[test]
fn the_commands_that_come_next_work_in_every_game() {
    let place = Place::new();
    let program = Path::new(&*REFEREE).parent().expect("a folder").to_owned();
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([program].into_iter().chain(std::env::split_paths(&inherited)));
    let path = path.expect("folders");
    // A game of one's own, whose rules lie beside its judge.
    let judge = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judge/pairs.py");
    fs::copy(judge, place.path("pairs.py")).expect("a copy");
    fs::write(place.path("rules.md"), "# Pairs\n\nThe greater sum wins.\n").expect("a text");
    let games = GAMES.iter().map(|entry| (entry.name, entry.name, entry.parameters));
    for (name, game, parameters) in games.chain([("mine", "./pairs.py", &[][..])]) {
        let ran = place.referee(&["new", name, "--game", game, "--lang", "python"]).with_status(0);
        let commands: Vec<&str> = ran.out.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        let [cd, build, play, check] = commands[..] else { panic!("four commands: {}", ran.out) };
        let readme = fs::read_to_string(place.path(name).join("README.md")).expect("a text");
        for command in [build, play, check] {
            assert!(readme.contains(&format!("    {command}\n")), "{command} in\n{readme}");
        }
        assert!(check.starts_with("referee check ./bot"), "{check}");
        // One of its games is enough here.
        let short = parameters
            .iter()
            .find(|parameter| ["max_turns", "turns", "max_rounds"].contains(&parameter.name));
        let short =
            short.map_or(String::new(), |parameter| format!("--{} 3", parameter.name.replace('_', "-")));
        let limits = parameters.iter().filter(|parameter| parameter.name.ends_with("_ms"));
        let limits: String = limits.map(|limit| format!(" --set {}=600000", limit.name)).collect();
        let script = format!("{cd}\n{build}\n{play} {short}\n{check}{limits}\n");
        let mut shell = Command::new("sh");
        let output =
            shell.args(["-ec", &script]).current_dir(place.path("")).env("PATH", &path).output().expect("sh");
        assert!(output.status.success(), "{script}{}", String::from_utf8_lossy(&output.stderr));
    }
    let [given, copied] =
        ["rules.md", "mine/rules.md"].map(|file| fs::read_to_string(place.path(file)).expect("a text"));
    assert_eq!(given, copied);
}

#[test]
fn a_bot_for_webassembly_is_the_same_source_with_another_build() {
    let place = Place::new();
    for (language, source) in [("c", "bot.c"), ("rust", "bot.rs")] {
        let words = ["new", language, "--game", "push", "--lang", language];
        place.call(&[&words[..], &["--dir", "native"]].concat()).with_status(0);
        let ran = place.call(&[&words[..], &["--target", "wasm"]].concat()).with_status(0);
        assert!(ran.out.contains("referee check ./bot.wasm --game push"), "{}", ran.out);
        let read = |name: &str| fs::read_to_string(place.path(language).join(name)).expect(name);
        assert_eq!(
            read(source),
            fs::read_to_string(place.path("native").join(language).join(source)).unwrap()
        );
        assert!(
            read("build").contains("wasm32-was") && read("build").contains("-o bot.wasm"),
            "{}",
            read("build")
        );
        assert!(read("README.md").contains("./bot.wasm --name"), "{}", read("README.md"));
        assert!(!place.path(language).join("run").exists());
    }
    place
        .call(&["new", "fox", "--game", "push", "--lang", "python", "--target", "wasm"])
        .with_status(2)
        .complaining(&["no starter in python is built for WebAssembly", "there is one in c, rust"]);
    assert!(!place.path("fox").exists());
}

#[test]
fn every_frame_has_one_place_for_a_game() {
    for language in LANGUAGES {
        let starter = Path::new(env!("CARGO_MANIFEST_DIR")).join("bots/starters").join(language);
        let texts = fs::read_dir(starter).expect("a starter").flatten();
        let texts = texts.filter_map(|entry| fs::read_to_string(entry.path()).ok());
        let places: usize = texts.map(|text| text.matches("The game's function goes here.").count()).sum();
        assert_eq!(places, 1, "{language}");
    }
}

#[test]
fn nothing_is_overwritten() {
    let place = Place::new();
    fs::create_dir(place.path("fox")).expect("a folder");
    fs::write(place.path("fox/bot.c"), "years of work").expect("a file");
    place
        .call(&["new", "fox", "--game", "football", "--lang", "c"])
        .with_status(2)
        .complaining(&["fox exists already; nothing was written"]);
    assert_eq!(fs::read_to_string(place.path("fox/bot.c")).expect("a file"), "years of work");
    assert!(!place.path("fox/build").exists());
}

#[test]
fn what_there_is_none_of_is_refused_with_what_there_is() {
    let place = Place::new();
    let refused = |words: &[&str], parts: &[&str]| {
        place.call(&[&["new"], words].concat()).with_status(2).complaining(parts);
    };
    refused(&["fox", "--game", "push", "--lang", "cobol"], &["no starter in cobol", &LANGUAGES.join(", ")]);
    refused(&["fox", "--game", "chess", "--lang", "c"], &["no such game: chess", "football"]);
    for name in ["../fox", "a b", "", "fox.c", &"x".repeat(33)] {
        refused(&[name, "--game", "push", "--lang", "c"], &["not a name for a bot", "1 to 32 letters"]);
    }
    let made: Vec<_> = fs::read_dir(place.path("")).expect("a folder").flatten().collect();
    assert_eq!(made.len(), 1, "nothing but tmp: {made:?}");
}

#[test]
fn a_program_without_an_interpreter_of_modules_names_the_part_and_how_to_build_it() {
    let place = Place::new();
    place.program("bad.wasm", b"\0asm\x01\0\0\0\xff");
    let ran = place.referee(&["check", "bad.wasm", "--game", "push", "--format", "csv"]);
    let told = ran.out + &ran.err;
    let due = "built without the part `wasm`, which plays them; build it with \
               `cargo install --locked --path . --features full`";
    assert!(told.contains(due), "{told}");
}
